/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangular factors of the large components of a mass. */
#include <math.h>

#include "linalg/csc.h"
#include "linalg/factor/factor.h"
#include "linalg/mass.h"

/* Rows and columns dof[first .. first + count - 1] of M; no entry leaves them, and exact
 * zeros off the diagonal are left out. */
static perp_status submatrix(perp_csc *S, const perp_mass *mass, const perp_csc *M, int first,
                             int count, perp_arena *arena)
{
    const int *dof = mass->dof + first;
    size_t nz = 0;
    for (int j = 0; j < count; j++)
        nz += (size_t)(M->colptr[dof[j] + 1] - M->colptr[dof[j]]);
    S->rows = S->cols = count;
    S->colptr = PERP_TAKE(arena, int, (size_t)count + 1);
    S->row = PERP_TAKE(arena, int, nz);
    S->x = PERP_TAKE(arena, double, nz);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    int end = 0;
    for (int j = 0; j < count; j++) {
        S->colptr[j] = end;
        for (int p = M->colptr[dof[j]]; p < M->colptr[dof[j] + 1]; p++) {
            if (M->x[p] == 0.0 && M->row[p] != dof[j])
                continue;
            S->row[end] = mass->place[M->row[p]] - first;
            S->x[end++] = M->x[p];
        }
    }
    S->colptr[count] = end;
    return PERP_SOLVED;
}

/* Factors S and hands them out; L D L' is kept only where every pivot is positive. */
static perp_status factor_once(perp_lu *lu, const perp_csc *S, perp_factor_kind kind,
                               perp_arena *arena)
{
    perp_factor *factor = NULL;
    perp_status status =
        perp_factor_create(&factor, kind, PERP_ORDERING_AUTO, 1, S, &arena->allocator);
    if (status == PERP_SOLVED)
        status = perp_factor_numeric(factor, S);
    if (status == PERP_SOLVED && kind == PERP_FACTOR_LDL)
        status = perp_factor_ldl_extract(lu, factor, arena);
    else if (status == PERP_SOLVED)
        status = perp_factor_klu_extract(lu, factor, arena);
    perp_factor_destroy(factor);
    if (status == PERP_SOLVED && kind == PERP_FACTOR_LDL)
        for (int k = 0; k < lu->n; k++)
            if (!(lu->diagonal[k] > 0.0))
                return PERP_ERR_SINGULAR;
    return status;
}

static perp_status factor_part(perp_lu *lu, const perp_csc *S, int symmetric, perp_arena *arena)
{
    perp_status status = PERP_ERR_SINGULAR;
    if (symmetric)
        status = factor_once(lu, S, PERP_FACTOR_LDL, arena);
    if (status == PERP_ERR_SINGULAR)
        status = factor_once(lu, S, PERP_FACTOR_KLU, arena);
    return status;
}

/* Asymmetry of S scaled to a unit diagonal: masses and inertias may have units
 * far apart. */
static perp_status scaled_asymmetry(double *asymmetry, const perp_csc *S, perp_arena *arena)
{
    perp_csc T = *S;
    double *scale = PERP_TAKE(arena, double, S->cols);
    T.x = PERP_TAKE(arena, double, S->colptr[S->cols]);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < S->cols; j++) {
        scale[j] = 1.0;
        for (int p = S->colptr[j]; p < S->colptr[j + 1]; p++)
            if (S->row[p] == j && S->x[p] != 0.0)
                scale[j] = 1.0 / sqrt(fabs(S->x[p]));
    }
    for (int j = 0; j < S->cols; j++)
        for (int p = S->colptr[j]; p < S->colptr[j + 1]; p++)
            T.x[p] = S->x[p] * (scale[S->row[p]] * scale[j]);
    return perp_csc_asymmetry(asymmetry, &T, arena);
}

/* First unknown of the first large component that is singular by itself. */
static int find_singular(const perp_mass *mass, const perp_csc *M, int symmetric,
                         const perp_allocator *allocator)
{
    int tail = mass->n - mass->nsparse, at = mass->dof[tail];
    perp_arena local;
    perp_arena_init(&local, allocator);
    for (int first = tail; first < mass->n;) {
        int last = first + 1;
        while (last < mass->n && mass->large[last - tail] == mass->large[first - tail])
            last++;
        perp_csc S;
        perp_lu lu;
        at = mass->dof[first];
        if (submatrix(&S, mass, M, first, last - first, &local) != PERP_SOLVED ||
            factor_part(&lu, &S, symmetric, &local) != PERP_SOLVED)
            break;
        first = last;
    }
    perp_arena_free(&local);
    return at;
}

perp_status perp_mass_factor(perp_lu *lu, int *symmetric, const perp_mass *mass, const perp_mat *M,
                             perp_arena *arena, int *singular)
{
    perp_csc C, S;
    perp_arena local;
    double asymmetry = 0.0;
    perp_arena_init(&local, &arena->allocator);
    perp_status status = perp_csc_from_mat(&C, M, &local);
    if (status == PERP_SOLVED)
        status = submatrix(&S, mass, &C, mass->n - mass->nsparse, mass->nsparse, &local);
    if (status == PERP_SOLVED)
        status = scaled_asymmetry(&asymmetry, &S, &local);
    *symmetric = asymmetry <= PERP_MASS_SYMMETRY;
    if (status == PERP_SOLVED)
        status = factor_part(lu, &S, *symmetric, arena);
    if (status == PERP_ERR_SINGULAR)
        *singular = find_singular(mass, &C, *symmetric, &arena->allocator);
    perp_arena_free(&local);
    return status;
}
