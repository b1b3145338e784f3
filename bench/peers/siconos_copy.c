/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/peers/siconos_copy.h"

#include <stdlib.h>
#include <string.h>

#include <CSparseMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SparseBlockMatrix.h>

static double *copy_of(const double *x, size_t count)
{
    double *y = calloc(count + 1, sizeof *y);
    if (y && x && count > 0)
        memcpy(y, x, count * sizeof *y);
    return y;
}

/* Entry (i, j) of a small or medium matrix goes to x[i + j n]. */
static double *dense_of(const perp_mat *A)
{
    size_t m = (size_t)A->rows, n = (size_t)A->cols;
    double *x = calloc(m * n + 1, sizeof *x);
    if (!x)
        return NULL;
    if (A->kind == PERP_DENSE) {
        for (size_t j = 0; j < n; j++)
            memcpy(x + j * m, A->as.dense.x + j * (size_t)A->as.dense.ld, m * sizeof *x);
    } else if (A->kind == PERP_CSC) {
        for (size_t j = 0; j < n; j++)
            for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
                x[(size_t)A->as.csc.row[k] + j * m] = A->as.csc.x[k];
    } else if (A->kind == PERP_BSR) {
        size_t b = (size_t)A->as.bsr.block;
        for (size_t i = 0; i < m / b; i++) {
            for (int k = A->as.bsr.rowptr[i]; k < A->as.bsr.rowptr[i + 1]; k++) {
                const double *block = A->as.bsr.x + (size_t)k * b * b;
                size_t column = (size_t)A->as.bsr.col[k] * b;
                for (size_t e = 0; e < b * b; e++)
                    x[i * b + e % b + (column + e / b) * m] = block[e];
            }
        }
    }
    return x;
}

static NumericsMatrix *dense_matrix(const perp_mat *A)
{
    double *x = dense_of(A);
    return x ? NM_create_from_data(NM_DENSE, A->rows, A->cols, x) : NULL;
}

typedef struct pair {
    int column, block;
} pair;

static int by_column(const void *a, const void *b)
{
    return ((const pair *)a)->column - ((const pair *)b)->column;
}

/* Columns of row i in rising order, with a zero block where the diagonal one is
 * missing (block -1): Siconos relies on both.  Returns their number. */
static int row_of(pair *row, const perp_mat *A, int i)
{
    int count = 0, diagonal = 0;
    for (int k = A->as.bsr.rowptr[i]; k < A->as.bsr.rowptr[i + 1]; k++) {
        row[count++] = (pair){A->as.bsr.col[k], k};
        diagonal |= A->as.bsr.col[k] == i;
    }
    if (!diagonal)
        row[count++] = (pair){i, -1};
    qsort(row, (size_t)count, sizeof *row, by_column);
    return count;
}

static int fill_blocks(SparseBlockStructuredMatrix *S, const perp_mat *A, pair *row, double *x)
{
    int b = A->as.bsr.block, block_rows = A->rows / b;
    size_t at = 0, entries = (size_t)b * (size_t)b;
    S->index1_data[0] = 0;
    for (int i = 0; i < block_rows; i++) {
        int count = row_of(row, A, i);
        for (int k = 0; k < count; k++, at++) {
            S->block[at] = x + at * entries;
            if (row[k].block >= 0) {
                memcpy(S->block[at], A->as.bsr.x + (size_t)row[k].block * entries,
                       entries * sizeof *x);
            }
            S->index2_data[at] = (size_t)row[k].column;
        }
        S->index1_data[i + 1] = at;
        S->blocksize0[i] = S->blocksize1[i] = (unsigned)(b * (i + 1));
    }
    S->nbblocks = (unsigned)at;
    S->filled1 = (size_t)block_rows + 1;
    S->filled2 = at;
    return 0;
}

static NumericsMatrix *block_matrix(const perp_mat *A)
{
    size_t b = (size_t)A->as.bsr.block, rows = (size_t)A->rows / b;
    size_t blocks = (size_t)A->as.bsr.rowptr[rows] + rows + 1;
    SparseBlockStructuredMatrix *S = SBM_new();
    pair *row = malloc((rows + 2) * sizeof *row);
    double *x = calloc(blocks * b * b, sizeof *x);
    if (!S || !row || !x)
        return NULL;
    S->blocknumber0 = S->blocknumber1 = (unsigned)rows;
    S->blocksize0 = calloc(rows + 1, sizeof *S->blocksize0);
    S->blocksize1 = calloc(rows + 1, sizeof *S->blocksize1);
    S->index1_data = calloc(rows + 1, sizeof *S->index1_data);
    S->index2_data = calloc(blocks, sizeof *S->index2_data);
    S->block = calloc(blocks, sizeof *S->block);
    if (!S->blocksize0 || !S->blocksize1 || !S->index1_data || !S->index2_data || !S->block)
        return NULL;
    fill_blocks(S, A, row, x);
    free(row);
    return NM_create_from_data(NM_SPARSE_BLOCK, A->rows, A->cols, S);
}

static NumericsMatrix *triplet_matrix(const perp_mat *A)
{
    int count = A->as.csc.colptr[A->cols];
    NumericsMatrix *M = NM_create(NM_SPARSE, A->rows, A->cols);
    if (!M)
        return NULL;
    NM_triplet_alloc(M, count > 0 ? count : 1);
    M->matrix2->origin = NSM_TRIPLET;
    CSparseMatrix *T = M->matrix2->triplet;
    for (int j = 0; j < A->cols; j++)
        for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
            CSparseMatrix_entry(T, A->as.csc.row[k], j, A->as.csc.x[k]);
    return M;
}

FrictionContactProblem *perp_peer_friction(const perp_problem_file *file, int dense)
{
    int dim = file->spacedim, contacts = file->contacts;
    NumericsMatrix *M =
        dense || file->M.kind != PERP_BSR ? dense_matrix(&file->M) : block_matrix(&file->M);
    double *q = copy_of(file->q, (size_t)file->M.rows);
    double *mu = copy_of(file->mu, (size_t)contacts);
    if (!M || !q || !mu)
        return NULL;
    return frictionContactProblem_new_with_data(dim, contacts, M, q, mu);
}

GlobalFrictionContactProblem *perp_peer_global(const perp_problem_file *file)
{
    GlobalFrictionContactProblem *p = globalFrictionContactProblem_new();
    if (!p)
        return NULL;
    p->dimension = file->spacedim;
    p->numberOfContacts = file->contacts;
    p->M = triplet_matrix(&file->M);
    p->H = triplet_matrix(&file->H);
    p->q = copy_of(file->q, (size_t)file->dofs);
    p->b = copy_of(file->w, (size_t)file->H.cols);
    p->mu = copy_of(file->mu, (size_t)file->contacts);
    return p->M && p->H && p->q && p->b && p->mu ? p : NULL;
}

LinearComplementarityProblem *perp_peer_lcp(const perp_problem_file *file)
{
    LinearComplementarityProblem *p = newLCP();
    if (!p)
        return NULL;
    p->size = file->M.rows;
    p->M = dense_matrix(&file->M);
    p->q = copy_of(file->q, (size_t)file->M.rows);
    return p->M && p->q ? p : NULL;
}

RelayProblem *perp_peer_relay(const perp_problem_file *file)
{
    RelayProblem *p = relayProblem_new();
    size_t n = (size_t)file->M.rows;
    if (!p)
        return NULL;
    p->size = file->M.rows;
    p->M = dense_matrix(&file->M);
    p->q = copy_of(file->q, n);
    p->lb = copy_of(file->lo, n);
    p->ub = copy_of(file->hi, n);
    return p->M && p->q && p->lb && p->ub ? p : NULL;
}

/* Rows and columns of x (n by n) into the order. */
static NumericsMatrix *permuted(double *x, int size, const int *order)
{
    size_t n = (size_t)size;
    double *y = calloc(n * n + 1, sizeof *y);
    if (!x || !y)
        return NULL;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            y[i + j * n] = x[(size_t)order[i] + (size_t)order[j] * n];
    free(x);
    return NM_create_from_data(NM_DENSE, size, size, y);
}

/* Equality rows, then the others. */
static int sort_rows(int *order, const int *is_free, int size)
{
    int at = 0, equalities;
    for (int i = 0; i < size; i++)
        if (is_free[i])
            order[at++] = i;
    equalities = at;
    for (int i = 0; i < size; i++)
        if (!is_free[i])
            order[at++] = i;
    return equalities;
}

/* The rows x cols part of M from (row, col) on. */
static double *part_of(const NumericsMatrix *M, int row, int col, int rows, int cols)
{
    size_t m = (size_t)rows, size = (size_t)M->size0;
    double *x = calloc(m * (size_t)cols + 1, sizeof *x);
    for (size_t j = 0; x && j < (size_t)cols; j++)
        memcpy(x + j * m, M->matrix0 + (size_t)row + ((size_t)col + j) * size, m * sizeof *x);
    return x;
}

/* Both of Siconos' forms: some of its solvers read M, some A, B, C and D. */
static int fill_parts(MixedLinearComplementarityProblem *p)
{
    int n = p->n, m = p->m;
    p->isStorageType1 = 1;
    p->isStorageType2 = 1;
    p->A = part_of(p->M, 0, 0, n, n);
    p->B = part_of(p->M, n, n, m, m);
    p->C = part_of(p->M, 0, n, n, m);
    p->D = part_of(p->M, n, 0, m, n);
    p->a = copy_of(p->q, (size_t)n);
    p->b = copy_of(p->q + n, (size_t)m);
    return p->A && p->B && p->C && p->D && p->a && p->b ? 0 : -1;
}

MixedLinearComplementarityProblem *perp_peer_mlcp(const perp_problem_file *file, int *order)
{
    MixedLinearComplementarityProblem *p = mixedLinearComplementarity_new();
    int size = file->M.rows;
    if (!p)
        return NULL;
    p->n = sort_rows(order, file->is_free, size);
    p->m = size - p->n;
    p->blocksRows = calloc(3, sizeof *p->blocksRows);
    p->blocksIsComp = calloc(3, sizeof *p->blocksIsComp);
    p->M = permuted(dense_of(&file->M), size, order);
    p->q = calloc((size_t)size + 1, sizeof *p->q);
    if (!p->blocksRows || !p->blocksIsComp || !p->M || !p->q)
        return NULL;
    for (int i = 0; i < size; i++)
        p->q[i] = file->q[order[i]];
    int first = p->n > 0;
    p->blocksRows[first] = p->n;
    p->blocksIsComp[first] = 1;
    p->blocksRows[first + (p->m > 0)] = size;
    return fill_parts(p) ? NULL : p;
}
