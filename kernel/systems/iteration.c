/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/systems/iteration.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Orders up to this one have factors of our own, with reciprocal pivots. */
enum { SMALL = 8 };

int perp_iteration_create(perp_iteration *W, perp_iteration_kind kind, int n, perp_pool *pool)
{
    memset(W, 0, sizeof *W);
    W->kind = kind;
    W->n = n;
    W->pool = pool;
    size_t size = (size_t)n;
    if (kind == PERP_ITERATION_DENSE) {
        if (size > SIZE_MAX / (2 * sizeof(double)) / size)
            return 0;
        size *= size;
        W->pivot = PERP_POOL_ARRAY(pool, int, n);
    }
    W->a = perp_pool_take_array(pool, 2 * size, sizeof(double));
    if (!W->a || (kind == PERP_ITERATION_DENSE && !W->pivot)) {
        perp_iteration_free(W, pool);
        return 0;
    }
    W->lu = W->a + size;
    return 1;
}

/* Rows that a column of a term has, marked with the column's number. */
static int mark_column(int *mark, int *row, const perp_mat *A, int j)
{
    int count = 0;
    if (A->kind == PERP_CSC) {
        for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
            if (mark[A->as.csc.row[k]] != j + 1) {
                mark[A->as.csc.row[k]] = j + 1;
                row[count++] = A->as.csc.row[k];
            }
        return count;
    }
    const double *column = A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld;
    for (int i = 0; i < A->rows; i++)
        if (column[i] != 0.0 && mark[i] != j + 1) {
            mark[i] = j + 1;
            row[count++] = i;
        }
    return count;
}

/* Sorted rows of the union in column j; mark and row have n entries. */
static int union_column(int *mark, int *row, const perp_mat *const *terms, int count, int n, int j)
{
    int found = 0;
    mark[j] = j + 1;
    row[found++] = j;
    for (int k = 0; k < count; k++)
        if (terms[k]->rows)
            found += mark_column(mark, row + found, terms[k], j);
    if (found > n / 16) {
        found = 0;
        for (int i = 0; i < n; i++)
            if (mark[i] == j + 1)
                row[found++] = i;
        return found;
    }
    for (int i = 1; i < found; i++) {
        int key = row[i], k = i;
        for (; k > 0 && row[k - 1] > key; k--)
            row[k] = row[k - 1];
        row[k] = key;
    }
    return found;
}

int perp_iteration_create_sparse(perp_iteration *W, const perp_mat *const *terms, int count, int n,
                                 perp_pool *pool)
{
    memset(W, 0, sizeof *W);
    W->kind = PERP_ITERATION_SPARSE;
    W->n = n;
    W->pool = pool;
    W->colptr = perp_pool_take_array(pool, (size_t)n + 1, sizeof(int));
    W->scratch = PERP_POOL_ARRAY(pool, double, n);
    int *work = perp_pool_take_array(pool, 2 * (size_t)n, sizeof(int));
    size_t entries = 0;
    if (W->colptr && work)
        for (int j = 0; j < n; j++)
            entries += (size_t)union_column(work, work + n, terms, count, n, j);
    if (W->colptr && work && W->scratch && entries <= INT_MAX) {
        W->row = perp_pool_take_array(pool, entries, sizeof(int));
        W->a = perp_pool_take_array(pool, entries, sizeof(double));
    }
    if (W->row && W->a) {
        memset(work, 0, (size_t)n * sizeof(int));
        for (int j = 0; j < n; j++) {
            int found = union_column(work, work + n, terms, count, n, j);
            memcpy(W->row + W->colptr[j], work + n, (size_t)found * sizeof(int));
            W->colptr[j + 1] = W->colptr[j] + found;
        }
    }
    perp_pool_give(pool, work);
    if (W->row && W->a)
        return 1;
    perp_iteration_free(W, pool);
    return 0;
}

void perp_iteration_free(perp_iteration *W, perp_pool *pool)
{
    perp_mass_destroy(W->mass);
    perp_pool_give(pool, W->a);
    perp_pool_give(pool, W->pivot);
    perp_pool_give(pool, W->colptr);
    perp_pool_give(pool, W->row);
    perp_pool_give(pool, W->scratch);
    memset(W, 0, sizeof *W);
}

double perp_iteration_diagonal(const perp_iteration *W, int i)
{
    if (W->kind == PERP_ITERATION_DIAGONAL)
        return W->a[i];
    if (W->kind == PERP_ITERATION_DENSE)
        return W->a[(size_t)i * ((size_t)W->n + 1)];
    int k = W->colptr[i];
    while (W->row[k] != i)
        k++;
    return W->a[k];
}

int perp_iteration_entries(const perp_iteration *W)
{
    if (W->kind == PERP_ITERATION_SPARSE)
        return W->colptr[W->n];
    return W->kind == PERP_ITERATION_DENSE ? W->n * W->n : W->n;
}

void perp_iteration_zero(perp_iteration *W)
{
    size_t n = (size_t)W->n;
    if (W->kind == PERP_ITERATION_SPARSE)
        n = (size_t)W->colptr[W->n];
    else if (W->kind == PERP_ITERATION_DENSE)
        n *= n;
    memset(W->a, 0, n * sizeof(double));
}

/* Place of entry (i, j) in a, NULL where the storage has none. */
static double *place(perp_iteration *W, int i, int j)
{
    if (W->kind == PERP_ITERATION_DIAGONAL)
        return i == j ? &W->a[i] : NULL;
    if (W->kind == PERP_ITERATION_DENSE)
        return &W->a[(size_t)i + (size_t)j * (size_t)W->n];
    int low = W->colptr[j], high = W->colptr[j + 1];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (W->row[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return high > low && W->row[low] == i ? &W->a[low] : NULL;
}

void perp_iteration_add(perp_iteration *W, const perp_mat *A, double scale)
{
    if (!A->rows || scale == 0.0)
        return;
    if (A->kind == PERP_CSC) {
        for (int j = 0; j < A->cols; j++)
            for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++) {
                double *at = place(W, A->as.csc.row[k], j);
                if (at)
                    *at += scale * A->as.csc.x[k];
            }
        return;
    }
    for (int j = 0; j < A->cols; j++) {
        const double *column = A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld;
        if (W->kind == PERP_ITERATION_DIAGONAL)
            W->a[j] += scale * column[j];
        else if (W->kind == PERP_ITERATION_DENSE)
            for (int i = 0; i < W->n; i++)
                W->a[(size_t)i + (size_t)j * (size_t)W->n] += scale * column[i];
        else
            for (int i = 0; i < W->n; i++)
                if (column[i] != 0.0) {
                    double *at = place(W, i, j);
                    if (at)
                        *at += scale * column[i];
                }
    }
}

void perp_iteration_add_diagonal(perp_iteration *W, const double *d, double scale)
{
    for (int i = 0; i < W->n; i++)
        *place(W, i, i) += d ? scale * d[i] : scale;
}

void perp_iteration_add_dense(perp_iteration *W, const double *A, double scale)
{
    perp_mat view = {PERP_DENSE, W->n, W->n, {.dense = {A, W->n}}};
    perp_iteration_add(W, &view, scale);
}

/* LU with partial pivoting; the diagonal of U becomes its reciprocal.  Inlined with n known. */
static inline __attribute__((always_inline)) int factor_small(double *a, int *pivot, int n)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i + k * n]) > fabs(a[p + k * n]))
                p = i;
        pivot[k] = p;
        if (p != k)
            for (int j = 0; j < n; j++) {
                double swap = a[k + j * n];
                a[k + j * n] = a[p + j * n];
                a[p + j * n] = swap;
            }
        if (a[k + k * n] == 0.0 || !isfinite(a[k + k * n]))
            return k;
        double reciprocal = 1.0 / a[k + k * n];
        a[k + k * n] = reciprocal;
        for (int i = k + 1; i < n; i++)
            a[i + k * n] *= reciprocal;
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++)
                a[i + j * n] -= a[i + k * n] * a[k + j * n];
    }
    return -1;
}

static inline __attribute__((always_inline)) void solve_small(double *x, const double *a,
                                                              const int *pivot, int n)
{
    for (int k = 0; k < n; k++) {
        double swap = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = swap;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            x[i] -= a[i + k * n] * x[k];
    for (int k = n - 1; k >= 0; k--) {
        x[k] *= a[k + k * n];
        for (int i = 0; i < k; i++)
            x[i] -= a[i + k * n] * x[k];
    }
}

#define PERP_EACH_ORDER(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)

static int factor_dense(perp_iteration *W)
{
    int n = W->n;
    memcpy(W->lu, W->a, (size_t)n * (size_t)n * sizeof(double));
    switch (n) {
#define PERP_FACTOR(k)                                                                             \
    case k:                                                                                        \
        return factor_small(W->lu, W->pivot, k);
        PERP_EACH_ORDER(PERP_FACTOR)
#undef PERP_FACTOR
    default:
        break;
    }
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, W->lu, n, W->pivot);
    for (int k = 0; k < n; k++) {
        double pivot = W->lu[(size_t)k * ((size_t)n + 1)];
        if (pivot == 0.0 || !isfinite(pivot))
            return k;
    }
    return -1;
}

static perp_status factor_sparse(perp_iteration *W, int *index)
{
    perp_mat A = {PERP_CSC, W->n, W->n, {.csc = {W->colptr, W->row, W->a}}};
    perp_allocator memory = perp_pool_allocator(W->pool);
    perp_where where = {NULL, -1, -1};
    perp_status status = W->mass ? perp_mass_update(W->mass, &A, &where)
                                 : perp_mass_create(&W->mass, &A, &memory, &where);
    *index = where.index;
    return status == PERP_ERR_NONFINITE ? PERP_ERR_SINGULAR : status;
}

perp_status perp_iteration_factor(perp_iteration *W, int *index)
{
    int bad = -1;
    *index = -1;
    if (W->kind == PERP_ITERATION_SPARSE)
        return factor_sparse(W, index);
    if (W->kind == PERP_ITERATION_DENSE)
        bad = factor_dense(W);
    else
        for (int i = W->n - 1; i >= 0; i--) {
            W->lu[i] = 1.0 / W->a[i];
            if (W->a[i] == 0.0 || !isfinite(W->a[i]))
                bad = i;
        }
    *index = bad;
    return bad < 0 ? PERP_SOLVED : PERP_ERR_SINGULAR;
}

int perp_iteration_weak_pivot(const perp_iteration *W, double least)
{
    for (int k = 0; W->kind == PERP_ITERATION_DENSE && k < W->n; k++) {
        double pivot = fabs(W->lu[(size_t)k * ((size_t)W->n + 1)]);
        if ((W->n <= SMALL ? 1.0 / pivot : pivot) < least)
            return k;
    }
    return -1;
}

static void solve_dense(const perp_iteration *W, double *x, int columns)
{
    size_t n = (size_t)W->n;
    switch (W->n) {
#define PERP_SOLVE(k)                                                                              \
    case k:                                                                                        \
        for (int j = 0; j < columns; j++)                                                          \
            solve_small(x + (size_t)j * n, W->lu, W->pivot, k);                                    \
        return;
        PERP_EACH_ORDER(PERP_SOLVE)
#undef PERP_SOLVE
    default:
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', W->n, columns, W->lu, W->n, W->pivot, x, W->n);
    }
}

void perp_iteration_solve(const perp_iteration *W, double *x, int columns)
{
    if (W->kind == PERP_ITERATION_DENSE) {
        solve_dense(W, x, columns);
        return;
    }
    for (int j = 0; j < columns; j++, x += W->n)
        if (W->kind == PERP_ITERATION_SPARSE)
            perp_mass_solve(W->mass, x, W->scratch, x);
        else
            for (int i = 0; i < W->n; i++)
                x[i] *= W->lu[i];
}

void perp_iteration_append(const perp_iteration *W, int first, int *colptr, int *row, double *x)
{
    int at = colptr[first];
    for (int j = 0; j < W->n; j++) {
        int from = j, to = j + 1;
        if (W->kind == PERP_ITERATION_SPARSE) {
            from = W->colptr[j];
            to = W->colptr[j + 1];
        } else if (W->kind == PERP_ITERATION_DENSE) {
            from = j * W->n;
            to = from + W->n;
        }
        for (int k = from; k < to; k++, at++) {
            x[at] = W->a[k];
            row[at] = first;
            row[at] += W->kind == PERP_ITERATION_SPARSE  ? W->row[k]
                       : W->kind == PERP_ITERATION_DENSE ? k - from
                                                         : j;
        }
        colptr[first + j + 1] = at;
    }
}
