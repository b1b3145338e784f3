/* SPDX-License-Identifier: BSD-3-Clause */
/* Active sets with an LU factor each.  All wrong rows change sides at once; when that has not
 * lessened their number for a while only the first does ([Murty1974]), until it is less than ever:
 * finite where M is a P-matrix ([JudicePires1992]). */
#include <math.h>
#include <string.h>

#include "linalg/dense_lu.h"
#include "solvers/dantzig/dantzig_boxed.h"

enum { PATIENCE = 6, ATTEMPTS = 3 };

static int most_sets(int n)
{
    return n < 10000 ? 200 + 50 * n : 500000;
}

/* z and w = M z + q of the sides.  0: the matrix of F is singular. */
static int solve(perp_boxed *b, perp_work *work)
{
    double *lu = b->ldl.l;
    b->count = 0;
    for (int i = 0; i < b->n; i++) {
        b->z[i] = b->side[i] == PERP_SIDE_LOWER ? b->lo[i] : b->side[i] ? b->hi[i] : 0.0;
        if (b->side[i] == PERP_SIDE_IN)
            b->row[b->count++] = i;
    }
    perp_boxed_multiply(b);
    size_t m = (size_t)b->count;
    for (size_t j = 0; j < m; j++) {
        const double *a = b->a + (size_t)b->row[j] * b->ld;
        for (size_t i = 0; i < m; i++)
            lu[i + j * m] = a[b->row[i]];
        b->x[j] = -b->w[b->row[j]];
    }
    work->info->factorisations += m > 0;
    if (m > 0 && !perp_dense_lu_factor(lu, b->pivots, b->count))
        return 0;
    if (m > 0)
        perp_dense_lu_solve(b->x, lu, b->pivots, b->count);
    for (size_t k = 0; k < m; k++) {
        b->z[b->row[k]] = b->x[k];
        if (!isfinite(b->x[k]))
            return 0;
    }
    perp_boxed_move(b, b->row, b->x, b->count);
    return 1;
}

/* The side that row i asks for. */
static int wanted(const perp_boxed *b, int i)
{
    int side = b->side[i];
    if (side == PERP_SIDE_IN)
        return b->z[i] < b->lo[i] ? PERP_SIDE_LOWER : b->z[i] > b->hi[i] ? PERP_SIDE_UPPER : side;
    int wrong = side == PERP_SIDE_LOWER ? b->w[i] < 0.0 : b->w[i] > 0.0;
    return wrong && b->lo[i] < b->hi[i] ? PERP_SIDE_IN : side;
}

/* Changes all sides that are wrong, or the first; how many there are. */
static int change(perp_boxed *b, int all)
{
    int wrong = 0;
    for (int i = 0; i < b->n; i++) {
        int side = wanted(b, i);
        if (side == b->side[i])
            continue;
        if (all || wrong == 0)
            b->side[i] = (unsigned char)side;
        wrong++;
    }
    return wrong;
}

/* The first sides: where the sweeps ended, all rows in F, or those alone that have no bound. */
static void choose_sides(perp_boxed *b, int attempt)
{
    for (int i = 0; i < b->n; i++) {
        int side = isfinite(b->lo[i]) ? PERP_SIDE_LOWER : PERP_SIDE_UPPER;
        if (isinf(b->lo[i]) && isinf(b->hi[i]))
            side = PERP_SIDE_IN;
        else if (attempt == 0 && b->start[i] > b->lo[i])
            side = b->start[i] >= b->hi[i] ? PERP_SIDE_UPPER : PERP_SIDE_IN;
        else if (attempt == 1 && b->lo[i] < b->hi[i])
            side = PERP_SIDE_IN;
        b->side[i] = (unsigned char)side;
    }
}

/* 1: no side is wrong.  0: a singular set, or too many.  -1: stopped by a limit. */
static int change_to_end(perp_boxed *b, perp_work *work, double error)
{
    int least = b->n + 1, patience = PATIENCE;
    for (int set = 0; set < most_sets(b->n); set++) {
        if (!solve(b, work))
            return 0;
        int wrong = change(b, patience > 0);
        if (wrong == 0)
            return 1;
        if (perp_stop_light(work, ++b->iteration, error))
            return -1;
        patience = wrong < least ? PATIENCE : patience - (patience > 0);
        least = wrong < least ? wrong : least;
    }
    return 0;
}

int perp_boxed_unsymmetric(perp_boxed *b, perp_work *work, double *error)
{
    double first = *error;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        choose_sides(b, attempt);
        int end = change_to_end(b, work, first);
        if (end != 0) {
            *error = end > 0 ? perp_measure(work, b->z) : *error;
            return end > 0;
        }
    }
    return 0;
}
