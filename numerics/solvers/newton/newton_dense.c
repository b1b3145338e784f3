/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/newton_dense.h"

#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/dense_lu.h"

/* Rows at most; refinements. */
enum { MOST_ROWS = 64, REFINEMENTS = 2 };
/* Of the entries are in the pattern, at least. */
static const double FULL = 0.5;

perp_status perp_nsn_dense_build(perp_nsn_dense *dense, const perp_nsn *nsn, perp_arena *arena)
{
    size_t n = (size_t)nsn->n, entries = (size_t)nsn->J.colptr[nsn->J.cols];
    *dense = (perp_nsn_dense){.ready = 0};
    if (nsn->lead > 0 || nsn->n > MOST_ROWS || (double)entries < FULL * (double)(n * n))
        return PERP_SOLVED;
    dense->row = PERP_TAKE(arena, int, n);
    dense->place = PERP_TAKE(arena, int, n);
    dense->pivots = PERP_TAKE(arena, int, n);
    dense->A = PERP_TAKE(arena, double, n *n);
    dense->lu = PERP_TAKE(arena, double, n *n);
    dense->x = PERP_TAKE(arena, double, n);
    dense->r = PERP_TAKE(arena, double, n);
    dense->known = PERP_TAKE(arena, double, n);
    dense->weight = PERP_TAKE(arena, double, n);
    dense->ready = !arena->failed;
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* Rows, and the right-hand side; dz of the open rows. */
static void gather(double *dz, perp_nsn_dense *dense, const perp_nsn *nsn,
                   const unsigned char *open)
{
    const perp_csc *J = &nsn->J;
    dense->m = 0;
    for (int i = 0; i < nsn->n; i++) {
        dense->place[i] = open[i] ? -1 : dense->m;
        dz[i] = -nsn->F[i];
        if (!open[i])
            dense->row[dense->m++] = i;
    }
    int m = dense->m;
    memset(dense->A, 0, sizeof *dense->A * (size_t)m * (size_t)m);
    for (int k = 0; k < m; k++)
        dense->known[k] = -nsn->F[dense->row[k]];
    for (int c = 0; c < J->cols; c++) {
        double *column = open[c] ? NULL : dense->A + dense->place[c] * m;
        for (int p = J->colptr[c]; p < J->colptr[c + 1]; p++) {
            int at = dense->place[J->row[p]];
            if (at < 0)
                continue;
            if (!column)
                dense->known[at] -= J->x[p] * dz[c];
            else
                column[at] = J->x[p];
        }
    }
}

/* r = known - A x; the largest of |r| over |A| |x| + |known|. */
PERP_CLONES static double residual(perp_nsn_dense *dense)
{
    int m = dense->m;
    double largest = 0.0;
    for (int i = 0; i < m; i++) {
        dense->r[i] = dense->known[i];
        dense->weight[i] = fabs(dense->known[i]);
    }
    for (int j = 0; j < m; j++) {
        const double *column = dense->A + j * m;
        double x = dense->x[j], size = fabs(x);
        for (int i = 0; i < m; i++) {
            dense->r[i] -= column[i] * x;
            dense->weight[i] += fabs(column[i]) * size;
        }
    }
    for (int i = 0; i < m; i++) {
        double error = dense->weight[i] > 0.0 ? fabs(dense->r[i]) / dense->weight[i] : 0.0;
        largest = error <= largest || isnan(largest) ? largest : error;
    }
    return largest;
}

perp_status perp_nsn_dense_direction(double *dz, perp_nsn_dense *dense, perp_nsn *nsn,
                                     const unsigned char *open, double goal, double limit)
{
    gather(dz, dense, nsn, open);
    int m = dense->m;
    size_t bytes = sizeof(double) * (size_t)m;
    memcpy(dense->lu, dense->A, bytes * (size_t)m);
    if (m > 0 && !perp_dense_lu_factor(dense->lu, dense->pivots, m))
        return PERP_ERR_SINGULAR;
    memset(dense->x, 0, bytes);
    memcpy(dense->r, dense->known, bytes);
    double error = INFINITY;
    for (int step = 0; step <= REFINEMENTS && !(error <= goal); step++) {
        perp_dense_lu_solve(dense->r, dense->lu, dense->pivots, m);
        for (int i = 0; i < m; i++)
            dense->x[i] += dense->r[i];
        error = residual(dense);
    }
    if (!(error <= limit))
        return PERP_ERR_NUMERICAL;
    for (int i = 0; i < m; i++)
        dz[dense->row[i]] = dense->x[i];
    return PERP_SOLVED;
}
