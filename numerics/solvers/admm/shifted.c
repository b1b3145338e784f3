/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/admm/shifted.h"

#include <string.h>

#include "linalg/mass.h"

/* |M - M'| / |M| that is taken for rounding. */
static const double symmetric_to = 1e-13;

static int in_bodies(const perp_mat *M)
{
    return M->kind == PERP_DELASSUS && M->as.delassus.mass->nsparse == 0 &&
           !M->as.delassus.diagonal;
}

/* M in sorted columns with all of its diagonal, in memory of `arena`. */
static perp_status explicit_matrix(perp_csc *C, const perp_mat *M, perp_arena *arena)
{
    perp_csc given;
    perp_status status = perp_csc_from_mat(&given, M, arena);
    if (status != PERP_SOLVED)
        return status;
    int n = given.cols, end = 0;
    C->rows = C->cols = n;
    C->colptr = PERP_TAKE(arena, int, (size_t)n + 1);
    C->row = PERP_TAKE(arena, int, (size_t)given.colptr[n] + (size_t)n);
    C->x = PERP_TAKE(arena, double, (size_t)given.colptr[n] + (size_t)n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        int p = given.colptr[j], last = given.colptr[j + 1], found = 0;
        C->colptr[j] = end;
        for (; p < last || !found; end++) {
            int missing = !found && (p == last || given.row[p] > j);
            C->row[end] = missing ? j : given.row[p];
            C->x[end] = missing ? 0.0 : given.x[p];
            found = found || C->row[end] == j;
            p += !missing;
        }
    }
    C->colptr[n] = end;
    return PERP_SOLVED;
}

static perp_status create_factor(perp_shifted *shifted, int definite)
{
    const perp_settings *settings = shifted->work->settings;
    return perp_factor_create(&shifted->factor, (perp_factor_kind)settings->factor,
                              (perp_ordering_kind)settings->ordering, definite, &shifted->K,
                              &shifted->work->arena->allocator);
}

/* Copies C, and finds its diagonal. */
static perp_status keep(perp_shifted *shifted, const perp_csc *C)
{
    perp_arena *arena = shifted->work->arena;
    size_t n = (size_t)C->cols, entries = (size_t)C->colptr[n];
    perp_csc *K = &shifted->K;
    K->rows = K->cols = C->cols;
    K->colptr = PERP_TAKE(arena, int, n + 1);
    K->row = PERP_TAKE(arena, int, entries);
    K->x = PERP_TAKE(arena, double, entries);
    shifted->fixed = PERP_TAKE(arena, double, entries);
    shifted->diagonal = PERP_TAKE(arena, int, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    memcpy(K->colptr, C->colptr, (n + 1) * sizeof(int));
    memcpy(K->row, C->row, entries * sizeof(int));
    memcpy(shifted->fixed, C->x, entries * sizeof(double));
    for (int j = 0; j < C->cols; j++)
        for (int p = C->colptr[j]; p < C->colptr[j + 1]; p++)
            if (C->row[p] == j)
                shifted->diagonal[j] = p;
    return PERP_SOLVED;
}

static perp_status explicit_setup(perp_shifted *shifted)
{
    perp_arena temporary;
    perp_csc C;
    double asymmetry;
    perp_arena_init(&temporary, &shifted->work->arena->allocator);
    perp_status status = explicit_matrix(&C, &shifted->work->problem->M, &temporary);
    if (status == PERP_SOLVED)
        status = perp_csc_asymmetry(&asymmetry, &C, &temporary);
    if (status == PERP_SOLVED)
        status = keep(shifted, &C);
    perp_arena_free(&temporary);
    return status == PERP_SOLVED ? create_factor(shifted, asymmetry <= symmetric_to) : status;
}

static perp_status explicit_load(perp_shifted *shifted)
{
    perp_arena temporary;
    perp_csc C;
    double asymmetry = 0.0;
    const perp_csc *K = &shifted->K;
    size_t n = (size_t)K->cols, entries = (size_t)K->colptr[n];
    perp_arena_init(&temporary, &shifted->work->arena->allocator);
    perp_status status = explicit_matrix(&C, &shifted->work->problem->M, &temporary);
    if (status == PERP_SOLVED)
        status = perp_csc_asymmetry(&asymmetry, &C, &temporary);
    if (status == PERP_SOLVED) {
        int same = (asymmetry <= symmetric_to) == shifted->factor->definite &&
                   memcmp(C.colptr, K->colptr, (n + 1) * sizeof(int)) == 0 &&
                   memcmp(C.row, K->row, entries * sizeof(int)) == 0;
        if (same)
            memcpy(shifted->fixed, C.x, entries * sizeof(double));
        status = same ? PERP_SOLVED : PERP_ERR_STATE;
    }
    perp_arena_free(&temporary);
    return status;
}

perp_status perp_shifted_setup(perp_shifted *shifted, perp_work *work)
{
    const perp_mat *M = &work->problem->M;
    shifted->work = work;
    shifted->kind = M->kind == PERP_DELASSUS && !in_bodies(M) ? PERP_CSC : M->kind;
    shifted->shift = PERP_TAKE(work->arena, double, work->blocks.n);
    if (!shifted->shift)
        return PERP_ERR_MEMORY;
    if (shifted->kind == PERP_OPERATOR)
        return perp_shifted_operator_setup(shifted);
    if (shifted->kind != PERP_DELASSUS)
        return explicit_setup(shifted);
    perp_status status = perp_shifted_bodies_setup(shifted);
    if (status != PERP_SOLVED)
        return status;
    const perp_mass *mass = M->as.delassus.mass;
    return create_factor(shifted, mass->symmetric && mass->roots);
}

perp_status perp_shifted_load(perp_shifted *shifted)
{
    const perp_mat *M = &shifted->work->problem->M;
    if (shifted->kind == PERP_OPERATOR)
        return PERP_SOLVED;
    if (shifted->kind != PERP_DELASSUS)
        return explicit_load(shifted);
    if (!in_bodies(M))
        return PERP_ERR_STATE;
    const perp_mass *mass = M->as.delassus.mass;
    if ((mass->symmetric && mass->roots) != shifted->factor->definite)
        return PERP_ERR_STATE;
    return perp_shifted_bodies_load(shifted);
}

perp_status perp_shifted_factorise(perp_shifted *shifted)
{
    if (shifted->kind == PERP_OPERATOR)
        return PERP_SOLVED;
    if (shifted->kind == PERP_DELASSUS) {
        perp_shifted_bodies_fill(shifted);
    } else {
        memcpy(shifted->K.x, shifted->fixed,
               (size_t)shifted->K.colptr[shifted->K.cols] * sizeof(double));
        for (int i = 0; i < shifted->work->blocks.n; i++)
            shifted->K.x[shifted->diagonal[i]] += shifted->shift[i];
    }
    shifted->work->info->factorisations++;
    shifted->factor->repivot = 1;
    return perp_factor_numeric(shifted->factor, &shifted->K);
}

perp_status perp_shifted_solve(double *x, perp_shifted *shifted, const double *b)
{
    if (shifted->kind == PERP_OPERATOR)
        return perp_shifted_operator_solve(x, shifted, b);
    if (shifted->kind == PERP_DELASSUS) {
        perp_shifted_bodies_solve(x, shifted, b);
        return PERP_SOLVED;
    }
    if (x != b)
        memcpy(x, b, (size_t)shifted->K.cols * sizeof(double));
    perp_factor_solve(shifted->factor, x);
    return PERP_SOLVED;
}

void perp_shifted_free(perp_shifted *shifted)
{
    perp_factor_destroy(shifted->factor);
    shifted->factor = NULL;
}
