/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/float_environment.h"
#include "linalg/mat.h"

#include <stdint.h>
#include <string.h>

#include "core/parallel.h"
#include "linalg/bsr_apply.h"
#include "linalg/mass.h"
#include "linalg/small.h"

static void zero(double *y, int n)
{
    memset(y, 0, (size_t)n * sizeof(double));
}

/* y += A x by columns, four at a time so that y is loaded and stored less. */
static void dense_add(double *y, const double *a, size_t ld, const double *x, int rows, int cols)
{
    int j = 0;
    for (; j + 4 <= cols; j += 4, a += 4 * ld) {
        const double *a1 = a + ld, *a2 = a1 + ld, *a3 = a2 + ld;
        double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
        for (int i = 0; i < rows; i++)
            y[i] += (a[i] * x0 + a1[i] * x1) + (a2[i] * x2 + a3[i] * x3);
    }
    for (; j < cols; j++, a += ld)
        for (int i = 0; i < rows; i++)
            y[i] += a[i] * x[j];
}

static void columns_add(double *y, const int *colptr, const int *row, const double *a,
                        const double *x, int cols)
{
    for (int j = 0; j < cols; j++) {
        double xj = x[j];
        if (xj == 0.0)
            continue;
        for (int p = colptr[j]; p < colptr[j + 1]; p++)
            y[row[p]] += a[p] * xj;
    }
}

static void columns_gather(double *y, const int *colptr, const int *row, const double *a,
                           const double *x, int cols)
{
    for (int j = 0; j < cols; j++) {
        double sum = 0.0;
        for (int p = colptr[j]; p < colptr[j + 1]; p++)
            sum += a[p] * x[row[p]];
        y[j] = sum;
    }
}

static void add_compliance(double *y, const perp_mat *A, const double *x, int from, int to)
{
    const double *diagonal = A->as.delassus.diagonal;
    for (int i = from; diagonal && i < to; i++)
        y[i] += diagonal[i] * x[i];
}

static void delassus_apply(double *y, const perp_mat *A, const double *x, double *scratch)
{
    int dofs = A->as.delassus.dofs;
    double *v = scratch, *work = scratch + dofs;
    zero(v, dofs);
    columns_add(v, A->as.delassus.colptr, A->as.delassus.row, A->as.delassus.x, x, A->cols);
    perp_mass_solve(A->as.delassus.mass, v, work, v);
    columns_gather(y, A->as.delassus.colptr, A->as.delassus.row, A->as.delassus.x, v, A->cols);
    add_compliance(y, A, x, 0, A->cols);
}

size_t perp_mat_scratch(const perp_mat *A)
{
    return A && A->kind == PERP_DELASSUS ? 2 * (size_t)A->as.delassus.dofs : 0;
}

perp_status perp_mat_apply(const perp_mat *A, const double *x, double *scratch, double *y)
{
    PERP_HOLD_ENVIRONMENT();
    if (!A || (!x && A->cols > 0) || (!y && A->rows > 0))
        return PERP_ERR_ARGUMENT;
    switch (A->kind) {
    case PERP_DENSE:
        zero(y, A->rows);
        dense_add(y, A->as.dense.x, (size_t)A->as.dense.ld, x, A->rows, A->cols);
        break;
    case PERP_CSC:
        zero(y, A->rows);
        columns_add(y, A->as.csc.colptr, A->as.csc.row, A->as.csc.x, x, A->cols);
        break;
    case PERP_BSR:
        perp_bsr_apply(y, A, x);
        break;
    case PERP_OPERATOR:
        return A->as.op.apply(A->as.op.ctx, y, x) ? PERP_INTERRUPTED : PERP_SOLVED;
    case PERP_DELASSUS:
        delassus_apply(y, A, x, scratch);
        break;
    }
    return PERP_SOLVED;
}

typedef struct product {
    const perp_mat *A;
    const double *x;
    double *y, *v;
    const uint32_t *touched;
    int shares;
} product;

static int share(int count, int part, int shares)
{
    return (int)((long long)count * part / shares);
}

static void bsr_share(void *ctx, int part, int thread)
{
    const product *p = ctx;
    int rows = p->A->rows / p->A->as.bsr.block;
    (void)thread;
    perp_bsr_apply_rows(p->y, p->A, p->x, share(rows, part, p->shares),
                        share(rows, part + 1, p->shares));
}

void perp_mat_find_touched(uint32_t *touched, const perp_mat *A)
{
    const int *colptr = A->as.delassus.colptr, *row = A->as.delassus.row;
    long long dofs = A->as.delassus.dofs;
    for (int j = 0; j < A->cols; j++) {
        uint32_t parts = 0;
        for (int i = colptr[j]; i < colptr[j + 1]; i++) {
            /* The part p with share(dofs, p, PARTS) <= row < share(dofs, p + 1, PARTS). */
            long long part = ((long long)(row[i] + 1) * PERP_TOUCHED_PARTS - 1) / dofs;
            parts |= (uint32_t)1 << part;
        }
        touched[j] = parts;
    }
}

/* Adds what falls to the unknowns from .. to - 1, in the order of the columns as one thread would.
 */
static void scatter_some(const product *p, int from, int to)
{
    const perp_mat *A = p->A;
    const int *colptr = A->as.delassus.colptr, *row = A->as.delassus.row;
    for (int j = 0; j < A->cols; j++) {
        double xj = p->x[j];
        for (int i = colptr[j]; xj != 0.0 && i < colptr[j + 1]; i++)
            if (row[i] >= from && row[i] < to)
                p->v[row[i]] += A->as.delassus.x[i] * xj;
    }
}

/* The same for parts of the unknowns: columns that do not touch them are not looked at. */
static void scatter_parts(const product *p, int first, int last)
{
    const perp_mat *A = p->A;
    const int *colptr = A->as.delassus.colptr, *row = A->as.delassus.row;
    const double *values = A->as.delassus.x;
    int dofs = A->as.delassus.dofs;
    int from = share(dofs, first, PERP_TOUCHED_PARTS), to = share(dofs, last, PERP_TOUCHED_PARTS);
    uint32_t own = (uint32_t)(((uint64_t)1 << last) - ((uint64_t)1 << first));
    for (int j = 0; j < A->cols; j++) {
        uint32_t touched = p->touched[j];
        double xj;
        if (!(touched & own) || (xj = p->x[j]) == 0.0)
            continue;
        if (!(touched & ~own))
            for (int i = colptr[j]; i < colptr[j + 1]; i++)
                p->v[row[i]] += values[i] * xj;
        else
            for (int i = colptr[j]; i < colptr[j + 1]; i++)
                if (row[i] >= from && row[i] < to)
                    p->v[row[i]] += values[i] * xj;
    }
}

static void scatter_share(const product *p, int part)
{
    int dofs = p->A->as.delassus.dofs, parts = p->touched ? PERP_TOUCHED_PARTS : p->shares;
    int first = share(parts, part, p->shares), last = share(parts, part + 1, p->shares);
    int from = share(dofs, first, parts), to = share(dofs, last, parts);
    zero(p->v + from, to - from);
    if (p->touched)
        scatter_parts(p, first, last);
    else
        scatter_some(p, from, to);
}

static void mass_share(const product *p, int part)
{
    const perp_mass *mass = p->A->as.delassus.mass;
    for (int b = share(mass->nblocks, part, p->shares);
         b < share(mass->nblocks, part + 1, p->shares); b++)
        perp_mass_block_solve(p->v, mass, b);
}

static void gather_share(const product *p, int part)
{
    const perp_mat *A = p->A;
    int from = share(A->cols, part, p->shares), to = share(A->cols, part + 1, p->shares);
    columns_gather(p->y + from, A->as.delassus.colptr + from, A->as.delassus.row, A->as.delassus.x,
                   p->v, to - from);
    add_compliance(p->y, A, p->x, from, to);
}

/* Three phases of as many pieces. */
static void delassus_share(void *ctx, int piece, int thread)
{
    static void (*const phase[3])(const product *, int) = {scatter_share, mass_share, gather_share};
    const product *p = ctx;
    (void)thread;
    phase[piece / p->shares](p, piece % p->shares);
}

perp_status perp_mat_apply_on(int threads, const uint32_t *touched, double *y, const perp_mat *A,
                              const double *x, double *scratch)
{
    product p = {A, x, y, scratch, touched, threads};
    if (threads <= 1 || (A->kind != PERP_BSR && A->kind != PERP_DELASSUS) ||
        (A->kind == PERP_DELASSUS && A->as.delassus.mass->nsparse > 0))
        return perp_mat_apply(A, x, scratch, y);
    if (A->kind == PERP_BSR) {
        perp_parallel_for(threads, threads, bsr_share, &p);
        return PERP_SOLVED;
    }
    const int first[4] = {0, threads, 2 * threads, 3 * threads};
    perp_parallel_phases(threads, first, 3, 0, delassus_share, &p);
    return PERP_SOLVED;
}

perp_status perp_mat_apply_transposed(double *y, const perp_mat *A, const double *x,
                                      double *scratch)
{
    switch (A->kind) {
    case PERP_DENSE:
        for (int j = 0; j < A->cols; j++)
            y[j] = perp_dot(A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld, x, A->rows);
        break;
    case PERP_CSC:
        columns_gather(y, A->as.csc.colptr, A->as.csc.row, A->as.csc.x, x, A->cols);
        break;
    case PERP_BSR:
        perp_bsr_apply_transposed(y, A, x);
        break;
    case PERP_OPERATOR:
        return PERP_ERR_UNSUPPORTED;
    case PERP_DELASSUS:
        if (!A->as.delassus.mass->symmetric)
            return PERP_ERR_UNSUPPORTED;
        delassus_apply(y, A, x, scratch);
        break;
    }
    return PERP_SOLVED;
}

void perp_mat_add_columns(double *y, const perp_mat *A, const double *x, int col, int dim)
{
    if (A->kind == PERP_DENSE) {
        size_t ld = (size_t)A->as.dense.ld;
        dense_add(y, A->as.dense.x + (size_t)col * ld, ld, x, A->rows, dim);
    } else if (A->kind == PERP_CSC) {
        columns_add(y, A->as.csc.colptr + col, A->as.csc.row, A->as.csc.x, x, dim);
    }
}
