/* SPDX-License-Identifier: BSD-3-Clause */
#include <perp/avi.h>

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/float_environment.h"
#include "linalg/csc.h"

struct perp_avi {
    perp_arena arena;
    perp_problem problem;
    perp_segment seg[2];
    perp_csc C;
    double *q, *lo, *hi;
    int n, m;
};

static perp_status fail(perp_where *where, perp_status status, const char *what, int index)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

static perp_status check_vector(const double *x, int n, const char *name, perp_where *where)
{
    if (n > 0 && !x)
        return fail(where, PERP_ERR_ARGUMENT, name, -1);
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return fail(where, PERP_ERR_NONFINITE, name, i);
    return PERP_SOLVED;
}

static perp_status check_input(const perp_mat *M, const double *q, const perp_mat *A,
                               const double *b, const double *lo, const double *hi,
                               const perp_allocator *allocator, perp_where *where)
{
    perp_status status = perp_mat_check(M, allocator, where);
    if (status == PERP_SOLVED)
        status = perp_mat_check(A, allocator, where);
    if (status != PERP_SOLVED)
        return status;
    if (M->rows != M->cols || A->cols != M->rows)
        return fail(where, PERP_ERR_STRUCTURE, M->rows != M->cols ? "M" : "A", -1);
    if (M->rows > INT_MAX - A->rows)
        return fail(where, PERP_ERR_OVERFLOW, "A", -1);
    status = check_vector(q, M->rows, "q", where);
    if (status == PERP_SOLVED)
        status = check_vector(b, A->rows, "b", where);
    for (int i = 0; status == PERP_SOLVED && lo && hi && i < M->rows; i++)
        if (!(lo[i] <= hi[i]) || lo[i] == INFINITY || hi[i] == -INFINITY)
            status = fail(where, PERP_ERR_ARGUMENT, "lo", i);
    if (status == PERP_SOLVED && !lo != !hi)
        status = fail(where, PERP_ERR_ARGUMENT, lo ? "hi" : "lo", -1);
    return status;
}

/* Columns of z: M over A; columns of the multipliers: -A' over nothing. */
static perp_status assemble(perp_avi *avi, const perp_mat *M, const perp_mat *A,
                            perp_arena *scratch)
{
    perp_csc m, a, t, *C = &avi->C;
    perp_status status = perp_csc_from_mat(&m, M, scratch);
    if (status == PERP_SOLVED)
        status = perp_csc_from_mat(&a, A, scratch);
    if (status == PERP_SOLVED)
        status = perp_csc_transpose(&t, &a, scratch);
    if (status != PERP_SOLVED)
        return status;
    int n = avi->n, at = 0;
    size_t count = (size_t)m.colptr[n] + 2 * (size_t)a.colptr[n];
    if (count > INT_MAX)
        return PERP_ERR_OVERFLOW;
    C->rows = C->cols = n + avi->m;
    C->colptr = PERP_TAKE(&avi->arena, int, (size_t)C->cols + 1);
    C->row = PERP_TAKE(&avi->arena, int, count);
    C->x = PERP_TAKE(&avi->arena, double, count);
    if (avi->arena.failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < C->cols; j++) {
        const perp_csc *upper = j < n ? &m : &t;
        int k = j < n ? j : j - n;
        C->colptr[j] = at;
        for (int p = upper->colptr[k]; p < upper->colptr[k + 1]; p++) {
            C->row[at] = upper->row[p];
            C->x[at++] = j < n ? upper->x[p] : -upper->x[p];
        }
        for (int p = j < n ? a.colptr[j] : 0; j < n && p < a.colptr[j + 1]; p++) {
            C->row[at] = n + a.row[p];
            C->x[at++] = a.x[p];
        }
    }
    C->colptr[C->cols] = at;
    return PERP_SOLVED;
}

static perp_status fill(perp_avi *avi, const perp_mat *M, const double *q, const perp_mat *A,
                        const double *b, const double *lo, const double *hi, perp_arena *scratch)
{
    size_t n = (size_t)M->rows, m = (size_t)A->rows;
    avi->n = M->rows;
    avi->m = A->rows;
    avi->q = PERP_TAKE(&avi->arena, double, n + m);
    avi->lo = PERP_TAKE(&avi->arena, double, n);
    avi->hi = PERP_TAKE(&avi->arena, double, n);
    if (avi->arena.failed)
        return PERP_ERR_MEMORY;
    perp_status status = assemble(avi, M, A, scratch);
    if (status != PERP_SOLVED)
        return status;
    if (lo && n > 0) {
        memcpy(avi->lo, lo, n * sizeof(double));
        memcpy(avi->hi, hi, n * sizeof(double));
    }
    avi->seg[0] = (perp_segment){lo ? PERP_BOX : PERP_FREE, 1, avi->n, {avi->lo, avi->hi}, {1, 1}};
    avi->seg[1] = (perp_segment){PERP_NONNEG, 1, avi->m, {NULL, NULL}, {0, 0}};
    avi->problem = (perp_problem){perp_csc_view(&avi->C), avi->q, avi->seg, 2};
    return perp_avi_update(avi, q, b);
}

perp_status perp_avi_create(perp_avi **avi, const perp_mat *M, const double *q, const perp_mat *A,
                            const double *b, const double *lo, const double *hi,
                            const perp_allocator *allocator, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    if (!avi)
        return PERP_ERR_ARGUMENT;
    *avi = NULL;
    if (!M || !A)
        return fail(where, PERP_ERR_ARGUMENT, M ? "A" : "M", -1);
    if (M->kind > PERP_BSR || A->kind > PERP_BSR)
        return fail(where, PERP_ERR_UNSUPPORTED, M->kind > PERP_BSR ? "M" : "A", -1);
    perp_status status = check_input(M, q, A, b, lo, hi, allocator, where);
    if (status != PERP_SOLVED)
        return status;
    perp_allocator memory = perp_allocator_or_malloc(allocator);
    perp_avi *made = memory.allocate(memory.ctx, sizeof *made);
    if (!made)
        return PERP_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    perp_arena scratch;
    perp_arena_init(&made->arena, &memory);
    perp_arena_init(&scratch, &memory);
    status = fill(made, M, q, A, b, lo, hi, &scratch);
    perp_arena_free(&scratch);
    if (status == PERP_SOLVED)
        *avi = made;
    else
        perp_avi_destroy(made);
    return status;
}

const perp_problem *perp_avi_problem(const perp_avi *avi)
{
    return avi ? &avi->problem : NULL;
}

perp_status perp_avi_update(perp_avi *avi, const double *q, const double *b)
{
    PERP_HOLD_ENVIRONMENT();
    if (!avi || (avi->n > 0 && !q) || (avi->m > 0 && !b))
        return PERP_ERR_ARGUMENT;
    for (int i = 0; i < avi->n; i++)
        avi->q[i] = q[i];
    for (int k = 0; k < avi->m; k++)
        avi->q[avi->n + k] = -b[k];
    return PERP_SOLVED;
}

void perp_avi_destroy(perp_avi *avi)
{
    if (avi) {
        perp_allocator memory = avi->arena.allocator;
        perp_arena_free(&avi->arena);
        memory.release(memory.ctx, avi);
    }
}
