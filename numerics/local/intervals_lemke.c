/* SPDX-License-Identifier: BSD-3-Clause */
/* Lemke's method ([CottlePangStone1992], section 4.4) on the whole tableau of a few half-lines: an
 * active set, whose z is computed apart. */
#include <math.h>
#include <stddef.h>

#include "local/intervals.h"

static const double least_slope = 1e-11;

/* x_basic = b + T x_outside, row-major, n x (n + 1), in units in which the diagonal of M is 1.
 * w_i has the number i, z_i n + i, the artificial variable 2 n. */
typedef struct tableau {
    int n, basic[PERP_INTERVALS_MOST], outside[PERP_INTERVALS_MOST + 1];
    double *T, *b;
} tableau;

static void begin(tableau *t, perp_intervals *p)
{
    int n = p->n;
    *t = (tableau){.n = n, .T = p->T, .b = p->y};
    for (int i = 0; i < n; i++) {
        double *row = t->T + i * (n + 1);
        t->b[i] = p->q[i] / p->d[i];
        for (int j = 0; j < n; j++)
            row[j] = p->M[(size_t)j * (size_t)p->ld + (size_t)i] / (p->d[i] * p->d[j]);
        row[n] = 1.0;
        t->basic[i] = i;
        t->outside[i] = n + i;
    }
    t->outside[n] = 2 * n;
}

static void pivot(tableau *t, int row, int col)
{
    int wide = t->n + 1, kept = t->basic[row];
    double *own = t->T + row * wide, inverse = 1.0 / own[col];
    t->basic[row] = t->outside[col];
    t->outside[col] = kept;
    for (int j = 0; j < wide; j++)
        own[j] *= -inverse;
    own[col] = inverse;
    t->b[row] *= -inverse;
    for (int i = 0; i < t->n; i++) {
        double *other = t->T + i * wide, factor = other[col];
        if (i == row || factor == 0.0)
            continue;
        other[col] = 0.0;
        for (int j = 0; j < wide; j++)
            other[j] += factor * own[j];
        t->b[i] += factor * t->b[row];
    }
}

/* The row that comes to zero first as the variable of the column grows, of several the artificial
 * one, else the first; -1: none does. */
static int blocking_row(const tableau *t, int col)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < t->n; i++) {
        double slope = -t->T[i * (t->n + 1) + col];
        if (!(slope > least_slope))
            continue;
        double ratio = fmax(t->b[i], 0.0) / slope;
        if (ratio < least || (ratio == least && t->basic[i] == 2 * t->n)) {
            least = ratio;
            best = i;
        }
    }
    return best;
}

static int column_of(const tableau *t, int variable)
{
    int j = 0;
    while (t->outside[j] != variable)
        j++;
    return j;
}

/* 1: the artificial variable has left the basis. */
static int walk(tableau *t, int *steps)
{
    int row = 0, col = t->n, n = t->n;
    for (int i = 1; i < n; i++)
        if (t->b[i] < t->b[row])
            row = i;
    for (*steps = 1; *steps <= 6 * n; ++*steps) {
        int leaving = t->basic[row];
        pivot(t, row, col);
        if (leaving == 2 * n)
            return 1;
        col = column_of(t, leaving < n ? leaving + n : leaving - n);
        row = blocking_row(t, col);
        if (row < 0)
            return 0;
    }
    return 0;
}

int perp_intervals_lemke(perp_intervals *p, double *z)
{
    tableau t;
    begin(&t, p);
    if (!walk(&t, &p->steps))
        return 0;
    perp_intervals_place(p);
    for (int i = 0; i < p->n; i++)
        if (t.basic[i] >= p->n)
            p->between[t.basic[i] - p->n] = 1;
    return perp_intervals_solve_set(p, z);
}
