/* SPDX-License-Identifier: BSD-3-Clause */
#include "judge.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

enum { MAX_BLOCK = 64 };

/* Largest eigenvalue of a symmetric matrix by cyclic Jacobi. */
static real top_eigenvalue(real *A, int n)
{
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (A[p + q * n] == 0.0L)
                    continue;
                real t = (A[q + q * n] - A[p + p * n]) / (2.0L * A[p + q * n]);
                t = (t >= 0.0L ? 1.0L : -1.0L) / (fabsl(t) + sqrtl(t * t + 1.0L));
                real c = 1.0L / sqrtl(t * t + 1.0L), s = t * c;
                for (int k = 0; k < n; k++) {
                    real a = A[k + p * n], b = A[k + q * n];
                    A[k + p * n] = c * a - s * b;
                    A[k + q * n] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    real a = A[p + k * n], b = A[q + k * n];
                    A[p + k * n] = c * a - s * b;
                    A[q + k * n] = s * a + c * b;
                }
            }
    real top = 0.0L;
    for (int i = 0; i < n; i++)
        top = fmaxl(top, A[i + i * n]);
    return top;
}

/* Spectral norm of rows i .. i+di-1, columns j .. j+dj-1 of M. */
static real block_norm(const stored_problem *p, int i, int di, int j, int dj)
{
    static _Thread_local real gram[MAX_BLOCK * MAX_BLOCK];
    for (int a = 0; a < dj; a++)
        for (int b = 0; b < dj; b++) {
            real sum = 0.0L;
            for (int k = 0; k < di; k++)
                sum += (real)p->M[i + k + (j + a) * p->n] * p->M[i + k + (j + b) * p->n];
            gram[a + b * dj] = sum;
        }
    return sqrtl(top_eigenvalue(gram, dj));
}

/* max_j |M_ij|^power / |M_jj|^(power/2) over blocks with a known diagonal. */
static real coupling(const stored_problem *p, int i, const real *norm, const char *without,
                     int smaller_too)
{
    int row, dim, other, width;
    real worst = 0.0L;
    stored_block(p, i, &row, &dim);
    for (int j = 0; j < p->nblocks; j++) {
        if (j == i || norm[j] == 0.0L || without[j] || (!smaller_too && norm[j] <= norm[i]))
            continue;
        stored_block(p, j, &other, &width);
        worst = fmaxl(worst, block_norm(p, row, dim, other, width) / sqrtl(norm[j]));
    }
    return worst;
}

/* l of a block: 1 but for ROLLING. */
static real rolling_length(const stored_problem *p, int k)
{
    int row, dim;
    if (stored_block(p, k, &row, &dim) != PERP_ROLLING)
        return 1.0L;
    int n = dim / 2;
    real sliding = block_norm(p, row + 1, n, row + 1, n);
    real rolling = block_norm(p, row + 1 + n, n, row + 1 + n, n);
    return sliding > 0.0L && rolling > 0.0L ? sqrtl(sliding / rolling) : 1.0L;
}

/* Rows and columns R in the unit of the block; the caller frees M. */
static stored_problem in_own_units(const stored_problem *p)
{
    stored_problem own = *p;
    int row, dim;
    size_t n = (size_t)p->n;
    real *unit = calloc(n + 1, sizeof *unit);
    own.M = calloc(n * n + 1, sizeof(double));
    ck_assert(unit && own.M);
    for (int k = 0; k < p->nblocks; k++) {
        real l = rolling_length(p, k);
        stored_block(p, k, &row, &dim);
        for (int i = 0; i < dim; i++)
            unit[row + i] = i > dim / 2 ? l : 1.0L;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            own.M[i + j * n] = (double)(unit[i] * p->M[i + j * n] * unit[j]);
    free(unit);
    return own;
}

static void scaling_of(const stored_problem *p, double *d)
{
    int row, dim;
    real *norm = calloc((size_t)p->nblocks, sizeof *norm);
    char *without = calloc((size_t)p->nblocks, 1), *none = calloc((size_t)p->nblocks, 1);
    for (int k = 0; k < p->nblocks; k++) {
        stored_block(p, k, &row, &dim);
        norm[k] = block_norm(p, row, dim, row, dim);
    }
    for (int k = 0; k < p->nblocks; k++) {
        real c = coupling(p, k, norm, none, 0);
        without[k] = norm[k] <= 1e-14L * c * c;
    }
    for (int k = 0; k < p->nblocks; k++) {
        real c = without[k] ? coupling(p, k, norm, without, 1) : sqrtl(norm[k]);
        d[k] = c > 0.0L ? (double)c : 1.0;
    }
    free(norm);
    free(without);
    free(none);
}

void judge_scaling(const stored_problem *p, double *d)
{
    stored_problem own = in_own_units(p);
    scaling_of(&own, d);
    free(own.M);
}

static real length(const real *x, int n)
{
    real sum = 0.0L;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrtl(sum);
}

/* Along the generator at angle omega from the axis. */
static void project_cone(real *x, real mu, int dim)
{
    real tangent = length(x + 1, dim - 1), omega = atanl(mu), phi = atan2l(tangent, x[0]);
    if (phi <= omega)
        return;
    real along = phi - omega < acosl(0.0L) ? length(x, dim) * cosl(phi - omega) : 0.0L;
    x[0] = along * cosl(omega);
    for (int i = 1; i < dim; i++)
        x[i] = along > 0.0L ? x[i] * along * sinl(omega) / tangent : 0.0L;
}

/* The normal part by bisection on the derivative of the squared distance. */
static void project_rolling(real *x, real mu, real mu_r, int dim)
{
    int n = dim / 2;
    real t = length(x + 1, n), r = length(x + 1 + n, n), lo = 0.0L;
    real hi = fabsl(x[0]) + (1.0L + mu) * t + (1.0L + mu_r) * r;
    for (int k = 0; k < 400; k++) {
        real at = 0.5L * (lo + hi);
        real slope = at - x[0] - mu * fmaxl(t - mu * at, 0.0L) - mu_r * fmaxl(r - mu_r * at, 0.0L);
        *(slope > 0.0L ? &hi : &lo) = at;
    }
    x[0] = lo;
    for (int i = 1; i <= n; i++) {
        x[i] *= t > mu * lo ? mu * lo / t : 1.0L;
        x[n + i] *= r > mu_r * lo ? mu_r * lo / r : 1.0L;
    }
}

static void project(real *x, perp_set set, real a, real b, int dim)
{
    if (set == PERP_ROLLING)
        project_rolling(x, a, b, dim);
    if (set == PERP_NONNEG || set == PERP_TRESCA)
        x[0] = fmaxl(x[0], 0.0L);
    if (set == PERP_BOX)
        x[0] = fminl(fmaxl(x[0], a), b);
    if (set == PERP_TRESCA) {
        real tangent = length(x + 1, dim - 1);
        for (int i = 1; tangent > a && i < dim; i++)
            x[i] *= a / tangent;
    }
    if (set == PERP_COULOMB || set == PERP_SOC)
        project_cone(x, a, dim);
}

/* Distance of y to the dual of the recession cone, |P(-y)| onto that cone. */
static real dual_distance(const real *y, perp_set set, real a, real b, int dim)
{
    real x[MAX_BLOCK];
    for (int i = 0; i < dim; i++)
        x[i] = -y[i];
    switch (set) {
    case PERP_FREE:
        return fabsl(x[0]);
    case PERP_NONNEG:
    case PERP_TRESCA:
        return fmaxl(x[0], 0.0L);
    case PERP_BOX:
        return x[0] > 0.0L ? (isinf(b) ? x[0] : 0.0L) : (isinf(a) ? -x[0] : 0.0L);
    case PERP_ROLLING:
        project_rolling(x, a, b, dim);
        return length(x, dim);
    default:
        project_cone(x, a, dim);
        return length(x, dim);
    }
}

static real gap(const real *z, const real *y, perp_set set, real a, real b, int dim)
{
    real sum = 0.0L;
    for (int i = 0; i < dim; i++)
        sum += z[i] * y[i];
    if (set == PERP_TRESCA)
        sum += a * length(y + 1, dim - 1);
    if (set == PERP_BOX) {
        real bound = y[0] > 0.0L ? a : b, other = y[0] > 0.0L ? b : a;
        bound = isinf(bound) ? (isinf(other) ? 0.0L : other) : bound;
        sum -= bound * y[0];
    }
    return fabsl(sum);
}

/* |z - P(z - y)|^2 with bounds multiplied by d, moments divided by l. */
static real map2(const real *z, const real *y, real d, real l, perp_set set, real a, real b,
                 int dim)
{
    real x[MAX_BLOCK], sum = 0.0L;
    real unit = set == PERP_BOX || set == PERP_TRESCA ? d : 1.0L;
    for (int i = 0; i < dim; i++) {
        real e = set == PERP_ROLLING && i > dim / 2 ? d / l : d;
        x[i] = e * z[i] - y[i] / e;
    }
    project(x, set, unit * a, set == PERP_ROLLING ? b / l : unit * b, dim);
    for (int i = 0; i < dim; i++) {
        real e = set == PERP_ROLLING && i > dim / 2 ? d / l : d;
        sum += (e * z[i] - x[i]) * (e * z[i] - x[i]);
    }
    return sum;
}

static real ratio(real x, real base)
{
    return base > 0.0L ? x / base : x;
}

/* With d and l of each block. */
static perp_residuals judge_with(const stored_problem *p, const double *z, double *w,
                                 const double *scale, const double *lengths)
{
    real e = 0, ed = 0, primal = 0, dual = 0, gaps = 0;
    real z2 = 0, w2 = 0, q2 = 0, zd = 0, wd = 0, qd = 0;
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        perp_set set = stored_block(p, k, &row, &dim);
        real x[MAX_BLOCK], y[MAX_BLOCK], zero[MAX_BLOCK] = {0.0L};
        real d = scale[k], a = p->par[0][k], b = p->par[1][k], l = lengths[k];
        ck_assert_int_le(dim, MAX_BLOCK);
        for (int i = 0; i < dim; i++) {
            real sum = 0.0L;
            for (int j = 0; j < p->n; j++)
                sum += (real)p->M[row + i + j * p->n] * z[j];
            sum += p->q[row + i];
            x[i] = z[row + i];
            y[i] = sum;
            if (w)
                w[row + i] = (double)sum;
            real q = p->q[row + i];
            z2 += x[i] * x[i];
            w2 += sum * sum;
            q2 += q * q;
            real unit = set == PERP_ROLLING && i > dim / 2 ? d / l : d;
            zd += unit * unit * x[i] * x[i];
            wd += sum * sum / (unit * unit);
            qd += q * q / (unit * unit);
        }
        if (set == PERP_COULOMB)
            y[0] += a * length(y + 1, dim - 1);
        if (set == PERP_ROLLING)
            y[0] += a * length(y + 1, dim / 2) + b * length(y + 1 + dim / 2, dim / 2);
        e += map2(x, y, 1.0L, 1.0L, set, a, b, dim);
        ed += map2(x, y, d, l, set, a, b, dim);
        primal += map2(x, zero, 1.0L, 1.0L, set, a, b, dim);
        real far = dual_distance(y, set, a, b, dim);
        dual += far * far;
        gaps += gap(x, y, set, a, b, dim);
    }
    return (perp_residuals){
        (double)ratio(sqrtl(e), sqrtl(fmaxl(q2, fmaxl(z2, w2)))),
        (double)ratio(sqrtl(ed), sqrtl(fmaxl(qd, fmaxl(zd, wd)))),
        (double)ratio(sqrtl(primal), sqrtl(z2)),
        (double)ratio(sqrtl(dual), sqrtl(q2)),
        (double)ratio(gaps, sqrtl(z2) * sqrtl(fmaxl(q2, w2))),
    };
}

/* d and l of block k from its diagonal. */
static void diagonal_scaling(const stored_problem *p, int k, double *d, double *l)
{
    int row, dim, rolling = 0;
    real norm[3] = {0.0L, 0.0L, 0.0L};
    rolling = stored_block(p, k, &row, &dim) == PERP_ROLLING;
    for (int i = 0; i < dim; i++) {
        real *to = &norm[!rolling || i == 0 ? 0 : 1 + (i > dim / 2)];
        *to = fmaxl(*to, fabsl((real)p->M[(row + i) * (p->n + 1)]));
    }
    *l = 1.0;
    if (norm[1] > 0.0L && norm[2] > 0.0L) {
        *l = (double)sqrtl(norm[1] / norm[2]);
        norm[2] = norm[1];
    }
    *d = (double)sqrtl(fmaxl(norm[0], fmaxl(norm[1], norm[2])));
    *d = *d > 0.0 ? *d : 1.0;
}

perp_residuals judge_diagonal(const stored_problem *p, const double *z, double *w)
{
    double *d = calloc((size_t)p->nblocks + 1, sizeof(double));
    double *l = calloc((size_t)p->nblocks + 1, sizeof(double));
    ck_assert(d && l);
    for (int k = 0; k < p->nblocks; k++)
        diagonal_scaling(p, k, &d[k], &l[k]);
    perp_residuals r = judge_with(p, z, w, d, l);
    free(d);
    free(l);
    return r;
}

perp_residuals judge(const stored_problem *p, const double *z, double *w)
{
    double *d = calloc((size_t)p->nblocks + 1, sizeof(double));
    double *l = calloc((size_t)p->nblocks + 1, sizeof(double));
    ck_assert(d && l);
    judge_scaling(p, d);
    for (int k = 0; k < p->nblocks; k++)
        l[k] = (double)rolling_length(p, k);
    perp_residuals r = judge_with(p, z, w, d, l);
    free(d);
    free(l);
    return r;
}
