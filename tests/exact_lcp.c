/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact_lcp.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Elimination without division (Bareiss) of rows x (cols + 1); 1: the columns are independent and
 * the last one is in their span.  The solution is last / *divisor in the first rows. */
static int eliminate(int64_t a[EXACT_ROWS][EXACT_ROWS + 1], int rows, int cols, int64_t *divisor)
{
    int64_t last = 1;
    for (int k = 0; k < cols; k++) {
        int p = k;
        while (p < rows && a[p][k] == 0)
            p++;
        if (p == rows)
            return 0;
        for (int j = 0; j <= cols; j++) {
            int64_t t = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = t;
        }
        for (int i = 0; i < rows; i++) {
            int64_t f = a[i][k];
            for (int j = 0; i != k && j <= cols; j++)
                a[i][j] = (a[k][k] * a[i][j] - f * a[k][j]) / last;
        }
        last = a[k][k];
    }
    for (int i = cols; i < rows; i++)
        if (a[i][cols] != 0)
            return 0;
    *divisor = last;
    return 1;
}

static void keep(exact_lcp *p, const double *z)
{
    for (int k = 0; k < p->count; k++) {
        double worst = 0.0;
        for (int i = 0; i < p->n; i++)
            worst = fmax(worst, fabs(p->z[k][i] - z[i]));
        if (worst < 1e-12)
            return;
    }
    memcpy(p->z[p->count++], z, sizeof(double) * (size_t)p->n);
}

/* choice: 0 none, 1 z, 2 w. */
static void attempt(exact_lcp *p, const int *choice)
{
    int64_t a[EXACT_ROWS][EXACT_ROWS + 1], divisor;
    int column[EXACT_ROWS], n = p->n, m = 0;
    double z[EXACT_ROWS] = {0.0};
    for (int i = 0; i < n; i++)
        if (choice[i] > 0)
            column[m++] = i;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++)
            a[i][k] = choice[column[k]] == 2 ? i == column[k] : -llround(p->M[i + column[k] * n]);
        a[i][m] = llround(p->q[i]);
    }
    if (!eliminate(a, n, m, &divisor))
        return;
    for (int k = 0; k < m; k++) {
        double x = (double)a[k][m] / (double)divisor;
        if (x < 0.0)
            return;
        if (choice[column[k]] == 1)
            z[column[k]] = x;
    }
    keep(p, z);
}

void exact_lcp_solve(exact_lcp *p)
{
    int choice[EXACT_ROWS] = {0}, i = 0;
    p->count = 0;
    while (i < p->n) {
        attempt(p, choice);
        for (i = 0; i < p->n && choice[i] == 2; i++)
            choice[i] = 0;
        if (i < p->n)
            choice[i]++;
    }
}

static double entry(perp_rng *rng)
{
    return perp_rng_below(rng, 5) - 2;
}

static void draw_semidefinite(exact_lcp *p, int skew, perp_rng *rng)
{
    int n = p->n, rank = 1 + perp_rng_below(rng, n);
    double B[EXACT_ROWS * EXACT_ROWS];
    for (int k = 0; k < n * rank; k++)
        B[k] = perp_rng_below(rng, 3) - 1;
    for (int i = 0; i < n * n; i++) {
        p->M[i] = 0.0;
        for (int k = 0; k < rank; k++)
            p->M[i] += B[i % n + k * n] * B[i / n + k * n];
    }
    for (int i = 0; skew && i < n; i++) {
        for (int j = 0; j < i; j++) {
            double s = entry(rng);
            p->M[i + j * n] += s;
            p->M[j + i * n] -= s;
        }
    }
}

void exact_lcp_draw(exact_lcp *p, int kind, perp_rng *rng)
{
    int n = p->n;
    for (int i = 0; i < n * n; i++)
        p->M[i] = kind == 4 ? perp_rng_below(rng, 3) : entry(rng);
    for (int i = 0; i < n; i++)
        p->q[i] = entry(rng);
    if (kind == 2 || kind == 3)
        draw_semidefinite(p, kind == 3, rng);
    for (int i = 0; kind == 1 && i < n; i++)
        for (int j = 0; j < i; j++)
            p->M[i + j * n] = p->M[j + i * n];
    if (kind == 5 && n > 1) {
        for (int j = 0; j < n; j++)
            p->M[n - 1 + j * n] = p->M[j * n];
        for (int i = 0; i < n; i++)
            p->M[i + (n - 1) * n] = p->M[i];
        p->q[n - 1] = p->q[0] + (perp_rng_below(rng, 3) == 0);
    }
}
