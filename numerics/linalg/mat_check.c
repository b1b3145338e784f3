/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/clones.h"
#include "linalg/mat.h"

static perp_status fail(perp_where *where, const char *what, size_t index, perp_status status)
{
    if (where) {
        where->what = what;
        where->segment = -1;
        where->index = index <= INT_MAX ? (int)index : -1;
    }
    return status;
}

typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));

/* x - x is 0 for a number and NaN for the others: sums of it take no branches. */
PERP_CLONES
static int all_finite(const double *x, size_t count)
{
    lanes sum = {0.0};
    double rest = 0.0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        lanes y = *(const lanes *)(x + i);
        sum += y - y; /* NOLINT(misc-redundant-expression) */
    }
    for (; i < count; i++)
        rest += x[i] - x[i];
    for (int k = 0; k < 8; k++)
        rest += sum[k];
    return rest == 0.0;
}

static perp_status check_values(const char *what, const double *x, size_t count, perp_where *where)
{
    if (all_finite(x, count))
        return PERP_SOLVED;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return fail(where, what, i, PERP_ERR_NONFINITE);
    return PERP_SOLVED;
}

static perp_status check_dense(const perp_mat *A, perp_where *where)
{
    if (!A->as.dense.x || A->as.dense.ld < A->rows)
        return fail(where, A->as.dense.x ? "ld" : "x", SIZE_MAX, PERP_ERR_ARGUMENT);
    size_t ld = (size_t)A->as.dense.ld;
    if (A->as.dense.ld == A->rows && all_finite(A->as.dense.x, ld * (size_t)A->cols))
        return PERP_SOLVED;
    for (size_t j = 0; j < (size_t)A->cols; j++) {
        if (all_finite(A->as.dense.x + j * ld, (size_t)A->rows))
            continue;
        for (size_t i = 0; i < (size_t)A->rows; i++)
            if (!isfinite(A->as.dense.x[i + j * ld]))
                return fail(where, "x", i + j * ld, PERP_ERR_NONFINITE);
    }
    return PERP_SOLVED;
}

/* Each index once and in its range; seen: minor ints. */
static perp_status check_indices(const char *index_name, const int *ptr, const int *index,
                                 int major, int minor, int *seen, perp_where *where)
{
    memset(seen, 0xff, (size_t)minor * sizeof(int));
    for (int j = 0; j < major; j++) {
        for (int p = ptr[j]; p < ptr[j + 1]; p++) {
            int i = index[p];
            if (i < 0 || i >= minor || seen[i] == j)
                return fail(where, index_name, (size_t)p, PERP_ERR_STRUCTURE);
            seen[i] = j;
        }
    }
    return PERP_SOLVED;
}

/* The same for indices below 64, with a bit for each that was seen. */
static perp_status check_few_indices(const char *index_name, const int *ptr, const int *index,
                                     int major, int minor, perp_where *where)
{
    for (int j = 0; j < major; j++) {
        uint64_t seen = 0;
        for (int p = ptr[j]; p < ptr[j + 1]; p++) {
            int i = index[p];
            if (i < 0 || i >= minor || (seen >> i & 1))
                return fail(where, index_name, (size_t)p, PERP_ERR_STRUCTURE);
            seen |= (uint64_t)1 << i;
        }
    }
    return PERP_SOLVED;
}

/* A compressed pattern with `major` lists of indices below `minor`. */
static perp_status check_pattern(const char *ptr_name, const char *index_name, const int *ptr,
                                 const int *index, int major, int minor,
                                 const perp_check_memory *with, perp_where *where)
{
    enum { FEW = 64 };
    if (!ptr || !index)
        return fail(where, ptr ? index_name : ptr_name, SIZE_MAX, PERP_ERR_ARGUMENT);
    if (ptr[0] != 0)
        return fail(where, ptr_name, 0, PERP_ERR_STRUCTURE);
    for (int j = 0; j < major; j++)
        if (ptr[j + 1] < ptr[j])
            return fail(where, ptr_name, (size_t)j + 1, PERP_ERR_STRUCTURE);

    if (minor <= FEW)
        return check_few_indices(index_name, ptr, index, major, minor, where);
    if (minor <= with->capacity)
        return check_indices(index_name, ptr, index, major, minor, with->seen, where);
    perp_allocator memory = perp_allocator_or_malloc(with->allocator);
    int *seen = memory.allocate(memory.ctx, (size_t)minor * sizeof(int));
    if (!seen)
        return fail(where, "memory", SIZE_MAX, PERP_ERR_MEMORY);
    perp_status status = check_indices(index_name, ptr, index, major, minor, seen, where);
    memory.release(memory.ctx, seen);
    return status;
}

static perp_status check_columns(const perp_mat *A, const int *colptr, const int *row,
                                 const double *x, int rows, const perp_check_memory *with,
                                 perp_where *where)
{
    if (!x)
        return fail(where, "x", SIZE_MAX, PERP_ERR_ARGUMENT);
    perp_status status = check_pattern("colptr", "row", colptr, row, A->cols, rows, with, where);
    if (status == PERP_SOLVED)
        status = check_values("x", x, (size_t)colptr[A->cols], where);
    return status;
}

static perp_status check_bsr(const perp_mat *A, const perp_check_memory *with, perp_where *where)
{
    int block = A->as.bsr.block;
    if (!A->as.bsr.x)
        return fail(where, "x", SIZE_MAX, PERP_ERR_ARGUMENT);
    if (block < 1 || block > 6)
        return fail(where, "block", SIZE_MAX, PERP_ERR_ARGUMENT);
    if (A->rows != A->cols || A->rows % block != 0)
        return fail(where, "rows", SIZE_MAX, PERP_ERR_STRUCTURE);
    int n = A->rows / block;
    perp_status status =
        check_pattern("rowptr", "col", A->as.bsr.rowptr, A->as.bsr.col, n, n, with, where);
    if (status == PERP_SOLVED)
        status = check_values("x", A->as.bsr.x,
                              (size_t)A->as.bsr.rowptr[n] * (size_t)(block * block), where);
    return status;
}

static perp_status check_operator(const perp_mat *A, perp_where *where)
{
    if (!A->as.op.apply)
        return fail(where, "apply", SIZE_MAX, PERP_ERR_ARGUMENT);
    if (A->rows != A->cols)
        return fail(where, "rows", SIZE_MAX, PERP_ERR_STRUCTURE);
    if (!A->as.op.diagonal)
        return PERP_SOLVED;
    return check_values("diagonal", A->as.op.diagonal, (size_t)A->rows, where);
}

static perp_status check_delassus(const perp_mat *A, const perp_check_memory *with,
                                  perp_where *where)
{
    const perp_mass *mass = A->as.delassus.mass;
    if (!mass)
        return fail(where, "mass", SIZE_MAX, PERP_ERR_ARGUMENT);
    if (A->rows != A->cols)
        return fail(where, "rows", SIZE_MAX, PERP_ERR_STRUCTURE);
    if (A->as.delassus.dofs != perp_mass_size(mass))
        return fail(where, "dofs", SIZE_MAX, PERP_ERR_STRUCTURE);
    const double *diagonal = A->as.delassus.diagonal;
    for (int i = 0; diagonal && i < A->rows; i++)
        if (!(diagonal[i] >= 0.0 && diagonal[i] <= DBL_MAX))
            return fail(where, "diagonal", (size_t)i,
                        isfinite(diagonal[i]) ? PERP_ERR_ARGUMENT : PERP_ERR_NONFINITE);
    return check_columns(A, A->as.delassus.colptr, A->as.delassus.row, A->as.delassus.x,
                         A->as.delassus.dofs, with, where);
}

perp_status perp_mat_check_with(const perp_mat *A, const perp_check_memory *with, perp_where *where)
{
    if (!A)
        return fail(where, "matrix", SIZE_MAX, PERP_ERR_ARGUMENT);
    if (A->rows < 0 || A->cols < 0)
        return fail(where, A->rows < 0 ? "rows" : "cols", SIZE_MAX, PERP_ERR_ARGUMENT);
    switch (A->kind) {
    case PERP_DENSE:
        return check_dense(A, where);
    case PERP_CSC:
        return check_columns(A, A->as.csc.colptr, A->as.csc.row, A->as.csc.x, A->rows, with, where);
    case PERP_BSR:
        return check_bsr(A, with, where);
    case PERP_OPERATOR:
        return check_operator(A, where);
    case PERP_DELASSUS:
        return check_delassus(A, with, where);
    }
    return fail(where, "kind", SIZE_MAX, PERP_ERR_ARGUMENT);
}

perp_status perp_mat_check(const perp_mat *A, const perp_allocator *allocator, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    const perp_check_memory with = {NULL, 0, allocator};
    return perp_mat_check_with(A, &with, where);
}
