/* SPDX-License-Identifier: BSD-3-Clause */
#include "local/local_tresca.h"

#include <string.h>

#include "local/slip.h"

/* The tangential rows alone, w_T = S z_T + g, once z_N is open or eliminated. */
typedef struct tangent {
    double S[4], g[2];
    double normal, slope[2]; /* z_N = normal + slope.z_T */
} tangent;

typedef struct answer {
    double z[3], error;
} answer;

static void reduce(tangent *t, const perp_convex *block, int closed)
{
    const double *A = block->A, *b = block->b;
    const int n = block->dim, m = n - 1;
    const double inverse = closed ? 1.0 / A[0] : 0.0;
    t->normal = -b[0] * inverse;
    for (int j = 0; j < m; j++) {
        t->slope[j] = -A[n * (j + 1)] * inverse;
        t->g[j] = b[j + 1] + A[j + 1] * t->normal;
        for (int i = 0; i < m; i++)
            t->S[m * j + i] = A[n * (j + 1) + i + 1] + A[i + 1] * t->slope[j];
    }
}

/* 1: the candidate is good enough to stop. */
static int consider(answer *best, const perp_convex *block, const tangent *t, const double *zt)
{
    double z[3] = {t->normal, 0.0, 0.0}, work[6];
    for (int i = 0; i < block->dim - 1; i++) {
        z[0] += t->slope[i] * zt[i];
        z[i + 1] = zt[i];
    }
    z[0] = fmax(z[0], 0.0);
    const double error = perp_convex_error(block, z, work);
    if (error < best->error) {
        best->error = error;
        memcpy(best->z, z, sizeof z);
    }
    return best->error <= PERP_LOCAL_ACCEPT;
}

static int line(answer *best, const perp_convex *block, const tangent *t)
{
    const double radius = block->par[0], stick = -t->g[0] / t->S[0];
    if (fabs(stick) <= radius && consider(best, block, t, &stick))
        return 1;
    const double low = -radius;
    return consider(best, block, t, &radius) || consider(best, block, t, &low);
}

static int stuck(answer *best, const perp_convex *block, const tangent *t)
{
    double U[4], sigma[2], V[4], x[2] = {0.0, 0.0};
    perp_local_svd(U, sigma, V, t->S, 2);
    for (int k = 0; k < 2 && sigma[k] > 1e-14 * sigma[0]; k++) {
        const double f = (U[2 * k] * t->g[0] + U[2 * k + 1] * t->g[1]) / sigma[k];
        x[0] -= f * V[2 * k];
        x[1] -= f * V[2 * k + 1];
    }
    return hypot(x[0], x[1]) <= block->par[0] && consider(best, block, t, x);
}

static int disk(answer *best, const perp_convex *block, const tangent *t, const double *guess)
{
    const double radius = block->par[0];
    const perp_circle circle = {.p0 = t->g[0],
                                .p1 = t->g[1],
                                .q00 = radius * t->S[0],
                                .q10 = radius * t->S[1],
                                .q01 = radius * t->S[2],
                                .q11 = radius * t->S[3]};
    double c[24];
    if (stuck(best, block, t))
        return 1;
    const double size = hypot(guess[0], guess[1]), first = hypot(t->g[0], t->g[1]);
    const int slid = size > 0.5 * radius && size > 0.0;
    c[0] = slid ? guess[0] / size : first > 0.0 ? -t->g[0] / first : 1.0;
    c[1] = slid ? guess[1] / size : first > 0.0 ? -t->g[1] / first : 0.0;
    for (int stage = 0; stage < 3; stage++) {
        const int count = stage == 0   ? perp_circle_newton(&circle, c)
                          : stage == 1 ? perp_circle_roots(c, &circle)
                                       : perp_circle_bracket(c, &circle);
        for (int k = 0; k < count; k++) {
            const double zt[2] = {radius * c[2 * k], radius * c[2 * k + 1]};
            if (consider(best, block, t, zt))
                return 1;
        }
    }
    return 0;
}

double perp_tresca_solve(double *z, const perp_convex *block)
{
    answer best = {.error = HUGE_VAL};
    const int first = !(block->b[0] > 0.0 && z[0] == 0.0);
    for (int k = 0; k < 2; k++) {
        const int closed = k == 0 ? first : !first;
        tangent t;
        if (closed && !(block->A[0] > 0.0))
            continue;
        reduce(&t, block, closed);
        if (block->dim == 2 ? line(&best, block, &t) : disk(&best, block, &t, z + 1))
            break;
    }
    if (best.error < HUGE_VAL)
        memcpy(z, best.z, (size_t)block->dim * sizeof(double));
    return best.error;
}
