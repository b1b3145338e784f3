/* SPDX-License-Identifier: BSD-3-Clause */
/* Anderson's mixing [Anderson1965] of the last iterates of Newton's method with an approximate
 * matrix: gamma minimises |D (f - dF gamma)|, the next iterate is x + f - (dX + dF) gamma.  It ends
 * cycles of period two, whose multiplier is near -1. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"

perp_status perp_dg_history_begin(perp_dg_history *history, perp_pool *pool, int n)
{
    int most = (2 * PERP_DG_DEPTH + 6) * n;
    if (!perp_pool_grow(pool, (void **)&history->block, &history->capacity, most, sizeof(double)))
        return PERP_ERR_MEMORY;
    double *at = history->block;
    history->n = n;
    history->x = at;
    history->f = at + n;
    history->weight = at + 2 * n;
    history->iterate = at + 3 * n;
    history->increment = at + 4 * n;
    history->mixed = at + 5 * n;
    history->dx = at + 6 * n;
    history->df = history->dx + PERP_DG_DEPTH * n;
    perp_dg_history_forget(history);
    return PERP_SOLVED;
}

void perp_dg_history_forget(perp_dg_history *history)
{
    history->count = history->next = history->has_last = 0;
}

/* The differences to the last iterate and increment, in the ring. */
static void remember(perp_dg_history *history, const double *x, const double *f)
{
    int n = history->n;
    if (history->has_last) {
        double *dx = history->dx + (size_t)history->next * (size_t)n;
        double *df = history->df + (size_t)history->next * (size_t)n;
        for (int i = 0; i < n; i++) {
            dx[i] = x[i] - history->x[i];
            df[i] = f[i] - history->f[i];
        }
        history->next = (history->next + 1) % PERP_DG_DEPTH;
        history->count += history->count < PERP_DG_DEPTH;
    }
    memcpy(history->x, x, sizeof(double) * (size_t)n);
    memcpy(history->f, f, sizeof(double) * (size_t)n);
    history->has_last = 1;
}

static double product(const double *weight, const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += weight[i] * weight[i] * a[i] * b[i];
    return sum;
}

/* gamma by the normal equations with pivots in the order of the ring; a difference that adds less
 * than 1e-10 to those before it is left out. */
static void least_squares(double *gamma, const perp_dg_history *history)
{
    double A[PERP_DG_DEPTH][PERP_DG_DEPTH], b[PERP_DG_DEPTH];
    int m = history->count, n = history->n;
    for (int i = 0; i < m; i++) {
        const double *df = history->df + (size_t)i * (size_t)n;
        b[i] = product(history->weight, df, history->f, n);
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] =
                product(history->weight, df, history->df + (size_t)j * (size_t)n, n);
    }
    double diagonal[PERP_DG_DEPTH];
    for (int i = 0; i < m; i++)
        diagonal[i] = A[i][i];
    for (int k = 0; k < m; k++) {
        int kept = A[k][k] > 1e-10 * diagonal[k] && diagonal[k] > 0.0;
        for (int i = k + 1; i < m && kept; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < m; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
        if (!kept) {
            for (int i = 0; i < m; i++)
                A[i][k] = A[k][i] = 0.0;
            A[k][k] = 1.0;
            b[k] = 0.0;
        }
    }
    for (int k = m - 1; k >= 0; k--) {
        gamma[k] = b[k];
        for (int j = k + 1; j < m; j++)
            gamma[k] -= A[k][j] * gamma[j];
        gamma[k] /= A[k][k];
    }
}

void perp_dg_history_mix(perp_dg_history *history, int mix)
{
    double gamma[PERP_DG_DEPTH] = {0.0}, *next = history->mixed;
    int n = history->n;
    remember(history, history->iterate, history->increment);
    if (mix)
        least_squares(gamma, history);
    for (int i = 0; i < n; i++)
        next[i] = history->x[i] + history->f[i];
    for (int k = 0; mix && k < history->count; k++) {
        const double *dx = history->dx + (size_t)k * (size_t)n;
        const double *df = history->df + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++)
            next[i] -= (dx[i] + df[i]) * gamma[k];
    }
}
