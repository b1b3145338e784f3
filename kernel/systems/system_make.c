/* SPDX-License-Identifier: BSD-3-Clause */
/* What the makes of all kinds of systems share: checked copies and storage. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/systems/dynamic_system.h"

/* Linear systems from this order on whose matrices are all CSC get a sparse W. */
enum { SPARSE_FROM = 32 };

perp_status perp_system_refuse(perp_where *where, perp_status status, const char *what, int index)
{
    if (where) {
        where->what = what;
        where->segment = -1;
        where->index = index;
    }
    return status;
}

static double *piece(double **rest, int count)
{
    double *p = *rest;
    *rest += count;
    return p;
}

/* One block for all vectors, so that a step over many small systems touches few pages. */
perp_status perp_system_vectors(perp_system *s, int nq, int nv, int second_order, perp_pool *pool)
{
    size_t larger = (size_t)(nq > nv ? nq : nv);
    size_t vectors_v = (second_order ? PERP_MOMENTS : 0) + 11 + 7;
    s->nq = nq;
    s->nv = nv;
    s->block = perp_pool_take_array(
        pool, (PERP_MOMENTS + 1) * (size_t)nq + vectors_v * (size_t)nv + 3 * larger,
        sizeof(double));
    if (!s->block)
        return PERP_ERR_MEMORY;
    double *rest = s->block;
    for (int k = 0; k < PERP_MOMENTS; k++) {
        s->q[k] = piece(&rest, nq);
        s->v[k] = second_order ? piece(&rest, nv) : NULL;
    }
    s->q_kept = piece(&rest, nq);
    s->p = piece(&rest, nv);
    s->p_before = piece(&rest, nv);
    s->v_kept = piece(&rest, nv);
    s->free = piece(&rest, nv);
    s->force = piece(&rest, nv);
    s->residual = piece(&rest, nv);
    s->bias = piece(&rest, nv);
    s->constant = piece(&rest, nv);
    s->mass_diagonal = piece(&rest, nv);
    s->base = piece(&rest, nv);
    s->shifted = piece(&rest, nv);
    double **ledger[] = {&s->ledger.change,   &s->ledger.driven, &s->ledger.mean,
                         &s->ledger.momentum, &s->ledger.input,  &s->ledger.magnitude,
                         &s->ledger.weight};
    for (size_t k = 0; k < sizeof ledger / sizeof *ledger; k++)
        *ledger[k] = piece(&rest, nv);
    s->ledger.kept = piece(&rest, (int)larger);
    s->work = piece(&rest, (int)larger);
    s->copy = piece(&rest, (int)larger);
    return PERP_SOLVED;
}

perp_status perp_system_callback_memory(perp_system *s, int controls, perp_pool *pool)
{
    size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
    size_t larger = nq > nv ? nq : nv, widest = SIZE_MAX / sizeof(double) / 8;
    size_t width = 2 * larger + nq + (size_t)controls;
    if (nv > 0 && width > widest / nv)
        return PERP_ERR_OVERFLOW;
    s->jacobian_q = perp_pool_take_array(pool, nv * nq + nv * nv + nv * larger, sizeof(double));
    if (controls > 0)
        s->control =
            perp_pool_take_array(pool, nv * (size_t)controls + (size_t)controls, sizeof(double));
    if (!s->jacobian_q || (controls > 0 && !s->control))
        return PERP_ERR_MEMORY;
    s->jacobian_v = s->jacobian_q + nv * nq;
    s->matrix = s->jacobian_v + nv * nv;
    return PERP_SOLVED;
}

perp_status perp_system_fill(double *out, const double *in, int count, const char *what,
                             perp_where *where)
{
    for (int i = 0; in && i < count; i++) {
        if (!isfinite(in[i]))
            return perp_system_refuse(where, PERP_ERR_NONFINITE, what, i);
        out[i] = in[i];
    }
    return PERP_SOLVED;
}

perp_status perp_system_copy(const double **out, const double *in, int count, const char *what,
                             perp_pool *pool, perp_where *where)
{
    *out = NULL;
    if (!in || count <= 0)
        return PERP_SOLVED;
    double *copy = PERP_POOL_ARRAY(pool, double, count);
    if (!copy)
        return perp_system_refuse(where, PERP_ERR_MEMORY, what, -1);
    *out = copy;
    return perp_system_fill(copy, in, count, what, where);
}

perp_status perp_system_parameters(perp_system *s, const double *z, int nz, perp_pool *pool,
                                   perp_where *where)
{
    if (nz < 0)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "nz", -1);
    if (nz > 0 && !z)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "z", -1);
    const double *copy = NULL;
    perp_status status = perp_system_copy(&copy, z, nz, "z", pool, where);
    s->z = (double *)copy;
    s->nz = nz;
    return status;
}

static void *copy_bytes(const void *in, size_t count, size_t size, perp_pool *pool)
{
    void *out = perp_pool_take_array(pool, count, size);
    if (out)
        memcpy(out, in, count * size);
    return out;
}

static perp_status copy_checked(perp_mat *out, const perp_mat *in, perp_pool *pool)
{
    size_t rows = (size_t)in->rows, cols = (size_t)in->cols;
    perp_mat copy = {in->kind, in->rows, in->cols, {.dense = {NULL, in->rows}}};
    if (in->kind == PERP_DENSE) {
        double *x = perp_pool_take_array(pool, rows * cols, sizeof(double));
        if (!x)
            return PERP_ERR_MEMORY;
        for (size_t j = 0; j < cols; j++)
            memcpy(x + j * rows, in->as.dense.x + j * (size_t)in->as.dense.ld,
                   rows * sizeof(double));
        copy.as.dense.x = x;
        *out = copy;
        return PERP_SOLVED;
    }
    size_t entries = (size_t)in->as.csc.colptr[cols];
    copy.as.csc.colptr = copy_bytes(in->as.csc.colptr, cols + 1, sizeof(int), pool);
    copy.as.csc.row = copy_bytes(in->as.csc.row, entries, sizeof(int), pool);
    copy.as.csc.x = copy_bytes(in->as.csc.x, entries, sizeof(double), pool);
    *out = copy;
    return copy.as.csc.colptr && copy.as.csc.row && copy.as.csc.x ? PERP_SOLVED : PERP_ERR_MEMORY;
}

perp_status perp_system_copy_mat(perp_mat *out, const perp_mat *in, int rows, int cols,
                                 const char *what, perp_pool *pool, perp_where *where)
{
    memset(out, 0, sizeof *out);
    if (in->rows == 0)
        return PERP_SOLVED;
    if ((in->kind != PERP_DENSE && in->kind != PERP_CSC) || in->rows != rows || in->cols != cols)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, what, -1);
    perp_allocator memory = perp_pool_allocator(pool);
    perp_where inner = {NULL, -1, -1};
    perp_status status = perp_mat_check(in, &memory, &inner);
    if (status == PERP_SOLVED)
        status = copy_checked(out, in, pool);
    return status == PERP_SOLVED ? status : perp_system_refuse(where, status, what, inner.index);
}

int perp_system_is_diagonal(const perp_mat *A)
{
    for (int j = 0; A->rows && j < A->cols; j++)
        if (A->kind == PERP_CSC) {
            for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
                if (A->as.csc.row[k] != j && A->as.csc.x[k] != 0.0)
                    return 0;
        } else {
            const double *column = A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld;
            for (int i = 0; i < A->rows; i++)
                if (i != j && column[i] != 0.0)
                    return 0;
        }
    return 1;
}

static double entry(const perp_mat *A, int i, int j)
{
    if (A->kind != PERP_CSC)
        return A->as.dense.x[(size_t)i + (size_t)j * (size_t)A->as.dense.ld];
    for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
        if (A->as.csc.row[k] == i)
            return A->as.csc.x[k];
    return 0.0;
}

static int differ_across(const perp_mat *A, int i, int j)
{
    double scale = sqrt(fabs(entry(A, i, i))) * sqrt(fabs(entry(A, j, j)));
    return i != j && fabs(entry(A, i, j) - entry(A, j, i)) > 1e-9 * scale;
}

int perp_system_asymmetry(const perp_mat *A)
{
    for (int j = 0; j < A->cols; j++) {
        int sparse = A->kind == PERP_CSC, first = sparse ? A->as.csc.colptr[j] : 0;
        int end = sparse ? A->as.csc.colptr[j + 1] : j;
        for (int k = first; k < end; k++) {
            int i = sparse ? A->as.csc.row[k] : k;
            if (differ_across(A, i, j))
                return i < j ? i : j;
        }
    }
    return -1;
}

/* d += diagonal of A. */
static void add_diagonal(double *d, const perp_mat *A)
{
    for (int j = 0; j < A->cols; j++)
        if (A->kind == PERP_CSC) {
            for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
                if (A->as.csc.row[k] == j)
                    d[j] += A->as.csc.x[k];
        } else {
            d[j] += A->as.dense.x[(size_t)j * ((size_t)A->as.dense.ld + 1)];
        }
}

perp_status perp_system_mass(perp_system *s, const perp_mat *M, int without_negative,
                             perp_pool *pool, perp_where *where)
{
    int n = s->nv;
    perp_status status = perp_system_copy_mat(&s->mass, M, n, n, "M", pool, where);
    if (status != PERP_SOLVED)
        return status;
    for (int i = 0; i < n; i++)
        s->mass_diagonal[i] = s->mass.rows ? 0.0 : 1.0;
    if (s->mass.rows > 0)
        add_diagonal(s->mass_diagonal, &s->mass);
    for (int i = 0; i < n; i++)
        s->ledger.weight[i] = s->mass_diagonal[i] != 0.0 ? 1.0 / fabs(s->mass_diagonal[i]) : 1.0;
    if (s->mass.rows == 0)
        return PERP_SOLVED;
    for (int i = 0; without_negative && i < n; i++)
        if (s->mass_diagonal[i] < 0.0)
            return perp_system_refuse(where, PERP_ERR_ARGUMENT, "M", i);
    if (perp_system_is_diagonal(&s->mass))
        return PERP_SOLVED;
    s->mass_diagonal = NULL;
    int row = without_negative ? perp_system_asymmetry(&s->mass) : -1;
    return row < 0 ? PERP_SOLVED : perp_system_refuse(where, PERP_ERR_ARGUMENT, "M", row);
}

/* A constant mass alone must have an inverse.  Dense ones are judged after scaling to a unit
 * diagonal, so that rounding does not hide a rank that is lacking. */
static perp_status check_mass(perp_system *s, perp_where *where)
{
    perp_iteration *W = &s->W;
    int n = s->nv, index = -1;
    perp_iteration_zero(W);
    if (s->mass_diagonal)
        perp_iteration_add_diagonal(W, s->mass_diagonal, 1.0);
    else
        perp_iteration_add(W, &s->mass, 1.0);
    if (W->kind == PERP_ITERATION_DENSE) {
        size_t order = (size_t)n;
        for (int i = 0; i < n; i++) {
            double d = fabs(W->a[(size_t)i * (order + 1)]);
            s->base[i] = d > 0.0 ? 1.0 / sqrt(d) : 1.0;
        }
        for (size_t j = 0; j < order; j++)
            for (size_t i = 0; i < order; i++)
                W->a[i + j * order] *= s->base[i] * s->base[j];
    }
    perp_status status = perp_iteration_factor(W, &index);
    if (status == PERP_SOLVED) {
        index = perp_iteration_weak_pivot(W, 4.0 * n * DBL_EPSILON);
        if (index >= 0)
            status = PERP_ERR_SINGULAR;
    }
    return status == PERP_SOLVED ? status : perp_system_refuse(where, status, "M", index);
}

perp_status perp_system_make_iteration(perp_system *s, const perp_mat *const *terms, int count,
                                       int callbacks, perp_pool *pool, perp_where *where)
{
    const perp_mat *all[4] = {&s->mass};
    int diagonal = !callbacks && s->mass_diagonal, sparse = !callbacks && s->nv >= SPARSE_FROM;
    for (int k = 0; k < count; k++)
        all[k + 1] = terms[k];
    for (int k = 0; k <= count; k++) {
        diagonal = diagonal && perp_system_is_diagonal(all[k]);
        sparse = sparse && (all[k]->rows == 0 || all[k]->kind == PERP_CSC);
    }
    int made;
    if (diagonal || s->nv == 1)
        made = perp_iteration_create(&s->W, PERP_ITERATION_DIAGONAL, s->nv, pool);
    else if (sparse)
        made = perp_iteration_create_sparse(&s->W, all, count + 1, s->nv, pool);
    else
        made = perp_iteration_create(&s->W, PERP_ITERATION_DENSE, s->nv, pool);
    if (!made)
        return perp_system_refuse(where, PERP_ERR_MEMORY, NULL, -1);
    return s->mass_diagonal || s->mass.rows ? check_mass(s, where) : PERP_SOLVED;
}

static void free_mat(perp_mat *A, perp_pool *pool)
{
    if (!A->rows)
        return;
    if (A->kind == PERP_CSC) {
        perp_pool_give(pool, (void *)A->as.csc.colptr);
        perp_pool_give(pool, (void *)A->as.csc.row);
        perp_pool_give(pool, (void *)A->as.csc.x);
    } else {
        perp_pool_give(pool, (void *)A->as.dense.x);
    }
    memset(A, 0, sizeof *A);
}

void perp_system_free(perp_system *s, perp_pool *pool)
{
    free_mat(&s->mass, pool);
    if (s->kind == PERP_SYSTEM_FIRST_ORDER) {
        free_mat(&s->as.first_order.A, pool);
    } else if (s->kind == PERP_SYSTEM_LAGRANGIAN) {
        free_mat(&s->as.lagrangian.C, pool);
        free_mat(&s->as.lagrangian.K, pool);
    } else {
        free_mat(&s->as.body.C, pool);
        free_mat(&s->as.body.K, pool);
    }
    perp_iteration_free(&s->W, pool);
    perp_pool_give(pool, s->jacobian_q);
    perp_pool_give(pool, s->control);
    perp_pool_give(pool, s->z);
    perp_pool_give(pool, s->turns);
    perp_pool_give(pool, s->block);
}
