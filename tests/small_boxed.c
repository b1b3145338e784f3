/* SPDX-License-Identifier: BSD-3-Clause */
#include "small_boxed.h"

#include <math.h>

void small_boxed_row(small_boxed *p, int i, int kind, double lo, double hi)
{
    perp_set set = kind == 0 ? PERP_FREE : kind == 1 ? PERP_NONNEG : PERP_BOX;
    p->lo[i] = kind == 0 ? -INFINITY : kind == 1 ? 0.0 : lo;
    p->hi[i] = kind < 2 ? INFINITY : hi;
    p->seg[i] = (perp_segment){set, 1, 1, {&p->lo[i], &p->hi[i]}, {0, 0}};
}

void small_boxed_finish(small_boxed *p)
{
    p->problem.q = p->q;
    p->problem.seg = p->seg;
    p->problem.nseg = p->n;
    perp_mat_init_dense(&p->problem.M, p->n, p->n, p->M, p->n);
}

void small_boxed_random(small_boxed *p, int n, int boxes, perp_rng *rng)
{
    p->n = n;
    for (int i = 0; i < n * n; i++)
        p->M[i] = perp_rng_below(rng, 3) ? (double)(perp_rng_below(rng, 7) - 3) : 0.0;
    for (int i = 0; i < n; i++) {
        double lo = (double)(perp_rng_below(rng, 5) - 3), hi = lo + perp_rng_below(rng, 4);
        int ends = perp_rng_below(rng, 4);
        p->q[i] = (double)(perp_rng_below(rng, 9) - 5);
        small_boxed_row(p, i, boxes ? perp_rng_below(rng, 3) : perp_rng_below(rng, 5) != 0,
                        ends == 1 ? -INFINITY : lo, ends == 2 ? INFINITY : hi);
    }
    small_boxed_finish(p);
}

/* z on bounds where state is 0 or 1, w = 0 where it is 2, by Gauss; -1: that is singular. */
static int case_solves(const small_boxed *p, const int *state)
{
    int n = p->n, index[SMALL_BOXED], m = 0;
    double z[SMALL_BOXED], A[SMALL_BOXED][SMALL_BOXED + 1];
    for (int i = 0; i < n; i++) {
        z[i] = state[i] == 0 ? p->lo[i] : state[i] == 1 ? p->hi[i] : 0.0;
        if (!isfinite(z[i]))
            return 0;
        if (state[i] == 2)
            index[m++] = i;
    }
    for (int i = 0; i < m; i++) {
        A[i][m] = -p->q[index[i]];
        for (int j = 0; j < n; j++)
            A[i][m] -= state[j] != 2 ? p->M[index[i] + j * n] * z[j] : 0.0;
        for (int j = 0; j < m; j++)
            A[i][j] = p->M[index[i] + index[j] * n];
    }
    for (int k = 0; k < m; k++) {
        int best = k;
        for (int i = k; i < m; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        if (fabs(A[best][k]) < 1e-9)
            return -1;
        for (int j = 0; j <= m; j++) {
            double keep = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = keep;
        }
        for (int i = 0; i < m; i++) {
            double f = i == k ? 0.0 : A[i][k] / A[k][k];
            for (int j = k; j <= m && f != 0.0; j++)
                A[i][j] -= f * A[k][j];
        }
    }
    for (int i = 0; i < m; i++) {
        z[index[i]] = A[i][m] / A[i][i];
        if (z[index[i]] < p->lo[index[i]] - 1e-9 || z[index[i]] > p->hi[index[i]] + 1e-9)
            return 0;
    }
    for (int i = 0; i < n; i++) {
        double w = p->q[i];
        for (int j = 0; j < n; j++)
            w += p->M[i + j * n] * z[j];
        if ((state[i] == 0 && w < -1e-9 && p->lo[i] < p->hi[i]) ||
            (state[i] == 1 && w > 1e-9 && p->lo[i] < p->hi[i]))
            return 0;
    }
    return 1;
}

int small_boxed_enumerate(const small_boxed *p)
{
    int state[SMALL_BOXED] = {0}, verdict = 0, i;
    do {
        int here = case_solves(p, state);
        if (here == 1)
            return 1;
        verdict = here < 0 ? -1 : verdict;
        for (i = 0; i < p->n && state[i] == 2; i++)
            state[i] = 0;
        if (i < p->n)
            state[i]++;
    } while (i < p->n);
    return verdict;
}
