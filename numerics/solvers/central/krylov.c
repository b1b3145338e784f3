/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/central/krylov.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

enum { STEPS = PERP_KRYLOV_STEPS, CYCLES = 4 };

perp_status perp_krylov_take(perp_krylov *krylov, int n, perp_arena *arena)
{
    krylov->precise = NULL;
    krylov->low = PERP_TAKE(arena, double, n);
    krylov->zero = perp_arena_take_zero(arena, (size_t)n, sizeof(double));
    krylov->basis = perp_arena_take(arena, (size_t)n, (STEPS + 1) * sizeof(double));
    krylov->made = perp_arena_take(arena, (size_t)n, STEPS * sizeof(double));
    krylov->r = PERP_TAKE(arena, double, n);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static void subtract(double *y, double a, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] -= a * x[i];
}

/* Column j of h, of which the last entry is `last`, turned by all rotations. */
static void rotate(perp_krylov *krylov, int j, double last)
{
    for (int i = 0; i < j; i++) {
        double upper = krylov->h[i][j], lower = krylov->h[i + 1][j];
        krylov->h[i][j] = krylov->c[i] * upper + krylov->s[i] * lower;
        krylov->h[i + 1][j] = krylov->c[i] * lower - krylov->s[i] * upper;
    }
    double length = hypot(krylov->h[j][j], last);
    krylov->c[j] = length > 0.0 ? krylov->h[j][j] / length : 1.0;
    krylov->s[j] = length > 0.0 ? last / length : 0.0;
    krylov->h[j][j] = length;
    krylov->g[j + 1] = -krylov->s[j] * krylov->g[j];
    krylov->g[j] *= krylov->c[j];
}

/* dz + krylov->low += the combination of krylov->made that leaves least. */
static void combine(double *dz, perp_krylov *krylov, int count, int n)
{
    double *low = krylov->low;
    for (int j = count - 1; j >= 0; j--) {
        double y = krylov->g[j];
        for (int i = j + 1; i < count; i++)
            y -= krylov->h[j][i] * krylov->g[i];
        krylov->g[j] = krylov->h[j][j] > 0.0 ? y / krylov->h[j][j] : 0.0;
        const double *made = krylov->made + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++) {
            perp_twofold sum =
                perp_twofold_add((perp_twofold){dz[i], low[i]},
                                 perp_twofold_times((perp_twofold){made[i], 0.0}, krylov->g[j]));
            dz[i] = sum.high;
            low[i] = sum.low;
        }
    }
}

/* dw = M (dz + low) */
static void product(double *dw, perp_krylov *krylov, const perp_central *central,
                    const perp_work *work, const double *dz, const double *low)
{
    if (krylov->precise)
        perp_precise_product(dw, krylov->precise, central, dz, low);
    else
        perp_mat_apply(&work->problem->M, dz, work->scratch, dw);
}

/* One cycle from the remainder krylov->r of length `size` down to `enough`. */
static void cycle(double *dz, double *dw, perp_krylov *krylov, perp_central *central,
                  const perp_work *work, double size, double enough)
{
    int n = central->blocks->n, j = 0;
    size_t N = (size_t)n;
    for (int i = 0; i < n; i++)
        krylov->basis[i] = krylov->r[i] / size;
    krylov->g[0] = size;
    while (j < STEPS) {
        double *made = krylov->made + (size_t)j * N, *next = krylov->basis + (size_t)(j + 1) * N;
        perp_central_precondition(made, central, krylov->basis + (size_t)j * N);
        product(dw, krylov, central, work, made, krylov->zero);
        perp_central_apply(next, central, made, dw);
        for (int i = 0; i <= j; i++) {
            const double *old = krylov->basis + (size_t)i * N;
            krylov->h[i][j] = perp_dot(next, old, n);
            subtract(next, krylov->h[i][j], old, n);
        }
        double length = perp_norm(next, n);
        rotate(krylov, j, length);
        j++;
        if (!(fabs(krylov->g[j]) > enough) || !(length > 0.0))
            break;
        for (int i = 0; i < n; i++)
            next[i] /= length;
    }
    combine(dz, krylov, j, n);
}

void perp_krylov_solve(double *dz, double *dw, perp_krylov *krylov, perp_central *central,
                       const perp_work *work, const double *r, double share)
{
    int n = central->blocks->n;
    double whole = perp_norm(r, n), size = whole;
    memcpy(krylov->r, r, (size_t)n * sizeof *r);
    memset(dz, 0, (size_t)n * sizeof *dz);
    memset(krylov->low, 0, (size_t)n * sizeof *dz);
    memset(dw, 0, (size_t)n * sizeof *dw);
    for (int k = 0; k < CYCLES && size > share * whole; k++) {
        cycle(dz, dw, krylov, central, work, size, 0.5 * share * whole);
        product(dw, krylov, central, work, dz, krylov->low);
        perp_central_apply(krylov->r, central, dz, dw);
        for (int i = 0; i < n; i++)
            krylov->r[i] = r[i] - krylov->r[i];
        double next = perp_norm(krylov->r, n);
        if (!(next < 0.5 * size))
            break;
        size = next;
    }
}
