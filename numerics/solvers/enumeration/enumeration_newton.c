/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "linalg/mat.h"
#include "reform/reform.h"
#include "solvers/enumeration/enumeration.h"

/* Of the scaled system, whose entries are at most about 1. */
static const double no_pivot = 1e-12;

static perp_status fill_by_products(perp_enumeration *e, perp_work *work)
{
    perp_status status = PERP_SOLVED;
    memset(e->step, 0, (size_t)e->n * sizeof(double));
    for (int j = 0; j < e->n && status == PERP_SOLVED; j++) {
        e->step[j] = 1.0;
        status = perp_mat_apply(&work->problem->M, e->step, work->scratch,
                                e->M + (size_t)j * (size_t)e->n);
        e->step[j] = 0.0;
    }
    return status;
}

static void fill_units(perp_enumeration *e, const perp_work *work)
{
    for (int k = 0; k < work->blocks.count; k++) {
        double d = work->scaling.d[k], back = 1.0 / d;
        for (int i = work->blocks.at[k].row; i < work->blocks.at[k].row + work->blocks.at[k].dim;
             i++) {
            e->d[i] = d;
            e->back[i] = back;
        }
    }
}

perp_status perp_enumeration_fill(perp_enumeration *e, perp_work *work)
{
    const perp_mat *M = &work->problem->M;
    size_t n = (size_t)e->n;
    fill_units(e, work);
    if (M->kind != PERP_BSR)
        return fill_by_products(e, work);
    int m = M->as.bsr.block;
    const double *x = M->as.bsr.x;
    memset(e->M, 0, n * n * sizeof(double));
    for (int k = 0; k < e->n / m; k++)
        for (int p = M->as.bsr.rowptr[k]; p < M->as.bsr.rowptr[k + 1]; p++)
            for (int c = 0; c < m; c++)
                for (int i = 0; i < m; i++)
                    e->M[(size_t)(k * m + i) + (size_t)(M->as.bsr.col[p] * m + c) * n] = *x++;
    return PERP_SOLVED;
}

/* Rows of J are multiplied by d of their block, columns divided by it. */
static void scale(perp_enumeration *e)
{
    int n = e->n;
    for (int j = 0; j < n; j++) {
        double *column = e->J + (size_t)j * (size_t)n, back = e->back[j];
        for (int i = 0; i < n; i++)
            column[i] *= e->d[i] * back;
        e->right[j] *= e->d[j];
    }
}

static void swap_rows(perp_enumeration *e, int a, int b, int from)
{
    double t = e->right[a];
    e->right[a] = e->right[b];
    e->right[b] = t;
    for (int j = from; j < e->n; j++) {
        double *column = e->J + (size_t)j * (size_t)e->n;
        t = column[a];
        column[a] = column[b];
        column[b] = t;
    }
}

/* Takes row `top` off those below it. */
static void clear_below(perp_enumeration *e, int top, int c)
{
    size_t n = (size_t)e->n;
    double *l = e->J + (size_t)c * n, inverse = 1.0 / l[top];
    for (int i = top + 1; i < e->n; i++) {
        l[i] *= inverse;
        e->right[i] -= l[i] * e->right[top];
    }
    for (size_t j = (size_t)c + 1; j < n; j++) {
        double *column = e->J + j * n, x = column[top];
        if (x == 0.0)
            continue;
        for (int i = top + 1; i < e->n; i++)
            column[i] -= l[i] * x;
    }
}

void perp_enumeration_eliminate(perp_enumeration *e, double *x)
{
    int rank = 0;
    size_t n = (size_t)e->n;
    scale(e);
    for (int c = 0; c < e->n; c++) {
        const double *column = e->J + (size_t)c * n;
        int best = rank;
        for (int i = rank + 1; i < e->n; i++)
            if (fabs(column[i]) > fabs(column[best]))
                best = i;
        x[c] = 0.0;
        if (rank == e->n || !(fabs(column[best]) > no_pivot))
            continue;
        if (best != rank)
            swap_rows(e, rank, best, c);
        clear_below(e, rank, c);
        e->pivot[rank++] = c;
    }
    while (rank-- > 0) {
        int c = e->pivot[rank];
        x[c] = e->right[rank] / e->J[(size_t)rank + (size_t)c * n];
        for (int i = 0; i < rank; i++)
            e->right[i] -= e->J[(size_t)i + (size_t)c * n] * x[c];
    }
    for (int i = 0; i < e->n; i++)
        x[i] *= e->back[i];
}

/* Rows of block k: Fw M + Fz, and -F. */
static void assemble(perp_enumeration *e, const perp_work *work, int k)
{
    const perp_block *block = &work->blocks.at[k];
    double d = work->scaling.d[k], rho[2] = {1.0 / (d * d), 1.0 / (d * d)};
    double F[3], Fw[9], Fz[9];
    int dim = block->dim, row = block->row;
    size_t n = (size_t)e->n;
    perp_reform_alart_curnier.eval(F, Fw, Fz, block, rho, work->w + row, work->z + row);
    for (size_t j = 0; j < n; j++) {
        const double *m = e->M + (size_t)row + j * n;
        double *to = e->J + (size_t)row + j * n;
        for (int i = 0; i < dim; i++) {
            to[i] = 0.0;
            for (int r = 0; r < dim; r++)
                to[i] += Fw[i + r * dim] * m[r];
        }
    }
    for (int i = 0; i < dim; i++) {
        e->right[row + i] = -F[i];
        for (int c = 0; c < dim; c++)
            e->J[(size_t)(row + i) + (size_t)(row + c) * n] += Fz[i + c * dim];
    }
}

void perp_enumeration_newton(perp_enumeration *e, perp_work *work)
{
    for (int k = 0; k < work->blocks.count; k++)
        assemble(e, work, k);
    perp_enumeration_eliminate(e, e->step);
    for (int i = 0; i < e->n; i++)
        work->z[i] += e->step[i];
}
