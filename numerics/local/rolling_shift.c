/* SPDX-License-Identifier: BSD-3-Clause */
/* The root of g(s) = mu |w_T| + mu_r |w_R| + mu_s |w_S| - s by bracketing (Illinois). */
#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "local/convex.h"
#include "local/local_rolling.h"
#include "local/slip.h"
#include "sets/cone.h"
#include "sets/set.h"

enum { STEPS = 80 };
/* The largest weight. */
static const double MOST = 1e-3;
/* Error of a convex problem: with more there is no solution, which takes a hundred times as long to
 * look for as others to find, and then with a larger weight. */
static const double UNSOLVED = 1e-6;
/* Of the rates: where the weight makes half as much, the impulses run away along a direction
 * that A does not see. */
static const double CARRIED = 0.5;
/* The same without a weight. */
static const double FAR = 1e10;
/* Of a shift: the root is found, and what is left is the weight's. */
static const double ROUNDING = 1e-14;

/* z solves the convex problem of s from the guess in z, *g = g(s).  0: no solution was found. */
static int drift(double *z, double *g, const perp_roll *roll, const double *A, double weight,
                 double s)
{
    const int dim = roll->dim;
    double b[PERP_ROLLING_ROWS], w[PERP_ROLLING_ROWS];
    double scratch[2 * PERP_ROLL_ENTRIES + 8 * PERP_ROLLING_ROWS];
    memcpy(b, roll->b, sizeof b);
    memcpy(w, roll->b, sizeof w);
    b[0] += s;
    const perp_convex convex = {
        .set = &perp_set_rolling, .A = A, .b = b, .par = roll->par, .norm = roll->norm, .dim = dim};
    double error = perp_convex_solve(z, &convex, scratch);
    perp_small_gemv(w, A, z, dim, dim);
    *g = perp_set_rolling.shift(w, roll->par, dim) - s;
    double size = roll->norm * perp_norm(z, dim), given = perp_norm(roll->b, dim);
    return error <= UNSOLVED && size <= FAR * given && weight * size <= CARRIED * given;
}

/* With A + weight I in place of A, which is positive definite where A is not negative. */
static void bracket(perp_roll *roll, double weight)
{
    double A[PERP_ROLL_ENTRIES], z[PERP_ROLLING_ROWS] = {0.0};
    const int dim = roll->dim;
    memcpy(A, roll->A, sizeof A);
    for (int i = 0; i < dim; i++)
        A[i * (dim + 1)] += weight * roll->norm;
    double lo = 0.0, hi = perp_set_rolling.shift(roll->b, roll->par, dim) - roll->b[0];
    double g_lo, g_hi = roll->b[0], g;
    double none = ROUNDING * (hi + fabs(roll->b[0]));
    int solved = drift(z, &g_lo, roll, A, weight, lo);
    perp_roll_newton(roll, z);
    for (int k = 0; solved && k < STEPS && roll->error > PERP_LOCAL_SOLVED; k++) {
        double s = lo + (hi - lo) * (g_lo / (g_lo - g_hi));
        if (k % 3 == 2 || !(s > lo && s < hi))
            s = 0.5 * (lo + hi);
        if (!(s > lo && s < hi))
            return;
        solved = drift(z, &g, roll, A, weight, s);
        perp_roll_newton(roll, z);
        if (fabs(g) <= none)
            return;
        if (g > 0.0) {
            lo = s;
            g_lo = g;
            g_hi *= 0.5;
        } else {
            hi = s;
            g_hi = g;
            g_lo *= 0.5;
        }
    }
}

/* 0: A + weight I, with the largest weight, has a negative direction, in which the convex problems
 * have no solution and the root need not exist. */
static int may_have_root(const perp_roll *roll)
{
    const int dim = roll->dim;
    double S[PERP_ROLL_ENTRIES], L[PERP_ROLL_ENTRIES];
    for (int j = 0; j < dim; j++) {
        for (int i = 0; i < dim; i++)
            S[i + j * dim] = 0.5 * (roll->A[i + j * dim] + roll->A[j + i * dim]);
        S[j * (dim + 1)] += MOST * roll->norm;
    }
    return perp_small_cholesky(L, S, dim);
}

void perp_roll_shift(perp_roll *roll)
{
    const double weights[] = {0.0, 1e-6, MOST, 1e-9};
    if (!may_have_root(roll))
        return;
    for (int k = 0; k < 4 && roll->error > PERP_LOCAL_SOLVED; k++)
        bracket(roll, weights[k]);
}
