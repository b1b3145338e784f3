/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank keeps of the caller's objects: its rows of H, q, C and its segments. */
#include <limits.h>
#include <string.h>

#include "distributed/system.h"

/* Entries of the own rows, and their columns without repetition; rows of one contact mostly have
 * the same ones.  With cols NULL only counts them. */
static PetscErrorCode columns_of(Mat H, PetscInt from, PetscInt to, PetscInt *cols, size_t *count,
                                 size_t *entries)
{
    PetscInt before[PERP_BODY_MOST * 4], length = -1;
    *count = *entries = 0;
    for (PetscInt i = from; i < to; i++) {
        PetscInt n;
        const PetscInt *at;
        PetscCall(MatGetRow(H, i, &n, &at, NULL));
        size_t bytes = (size_t)n * sizeof *at;
        int same = n > 0 && n == length && memcmp(before, at, bytes) == 0;
        *entries += (size_t)n;
        if (!same && n > 0) {
            if (cols)
                memcpy(cols + *count, at, bytes);
            *count += (size_t)n;
        }
        length = bytes <= sizeof before ? n : -1;
        if (length > 0)
            memcpy(before, at, bytes);
        PetscCall(MatRestoreRow(H, i, &n, &at, NULL));
    }
    return 0;
}

/* H' by columns, its rows still numbered as all unknowns are. */
static PetscErrorCode copy_rows(perp_petsc *system, Mat H)
{
    int at = 0;
    for (int i = 0; i < system->rows; i++) {
        PetscInt n;
        const PetscInt *cols;
        const PetscScalar *values;
        PetscCall(MatGetRow(H, system->rows_before + i, &n, &cols, &values));
        system->colptr[i] = at;
        for (PetscInt k = 0; k < n; k++, at++) {
            system->row[at] = (int)cols[k];
            system->x[at] = values[k];
        }
        PetscCall(MatRestoreRow(H, system->rows_before + i, &n, &cols, &values));
    }
    system->colptr[system->rows] = at;
    return 0;
}

static perp_status copy_vector(perp_arena *arena, double **to, Vec from, int n)
{
    const PetscScalar *x;
    *to = PERP_TAKE(arena, double, n);
    if (!*to)
        return PERP_ERR_MEMORY;
    PetscErrorCode code = VecGetArrayRead(from, &x);
    if (code)
        return perp_petsc_status(code);
    if (n > 0)
        memcpy(*to, x, (size_t)n * sizeof(double));
    return perp_petsc_status(VecRestoreArrayRead(from, &x));
}

/* Segments with parameters of their own. */
static perp_status copy_segments(perp_petsc *system, const perp_petsc_problem *problem)
{
    perp_arena *arena = &system->arena;
    system->nseg = problem->nseg;
    system->seg = PERP_TAKE(arena, perp_segment, problem->nseg);
    if (!system->seg)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < problem->nseg; k++) {
        perp_segment *seg = &system->seg[k];
        *seg = problem->seg[k];
        for (int p = 0; p < perp_set_parameters(seg->set, seg->dim); p++) {
            if (!seg->par[p] || seg->stride[p] < 0)
                continue; /* the check of the problem says so */
            size_t count = seg->stride[p] ? (size_t)seg->count : 1;
            double *par = PERP_TAKE(arena, double, count);
            if (!par)
                return PERP_ERR_MEMORY;
            for (size_t i = 0; i < count && seg->count > 0; i++)
                par[i] = seg->par[p][i * (size_t)seg->stride[p]];
            seg->par[p] = par;
            seg->stride[p] = seg->stride[p] ? 1 : 0;
        }
    }
    return PERP_SOLVED;
}

/* All unknowns of the groups that are touched. */
static perp_status complete_groups(perp_petsc *system, PetscInt group)
{
    PetscInt *touched = system->global, last = -1;
    size_t groups = 0;
    for (int i = 0; i < system->dofs; i++) {
        groups += touched[i] / group != last;
        last = touched[i] / group;
    }
    if (groups > (size_t)(INT_MAX / group))
        return PERP_ERR_OVERFLOW;
    system->global = PERP_TAKE(&system->arena, PetscInt, groups * (size_t)group);
    if (!system->global)
        return PERP_ERR_MEMORY;
    PetscInt count = 0;
    last = -1;
    for (int i = 0; i < system->dofs; i++)
        if (touched[i] / group != last) {
            last = touched[i] / group;
            for (PetscInt k = 0; k < group; k++)
                system->global[count++] = last * group + k;
        }
    system->dofs = (int)count;
    return PERP_SOLVED;
}

static perp_status take_matrix(perp_petsc *system, Mat H, perp_petsc_where *where)
{
    perp_arena *arena = &system->arena;
    PetscInt from = system->rows_before, to = from + system->rows, unique;
    size_t count, entries;
    PetscErrorCode code = columns_of(H, from, to, NULL, &count, &entries);
    if (code)
        return perp_petsc_at(where, perp_petsc_status(code), "H", -1);
    if (entries > INT_MAX || count > INT_MAX)
        return perp_petsc_at(where, PERP_ERR_OVERFLOW, "H", -1);
    system->global = PERP_TAKE(arena, PetscInt, count);
    system->colptr = PERP_TAKE(arena, int, system->rows + 1);
    system->row = PERP_TAKE(arena, int, entries);
    system->x = PERP_TAKE(arena, double, entries);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    code = columns_of(H, from, to, system->global, &count, &entries);
    unique = (PetscInt)count;
    if (!code && unique > 0)
        code = PetscSortRemoveDupsInt(&unique, system->global);
    if (!code)
        code = copy_rows(system, H);
    system->dofs = (int)unique;
    return code ? perp_petsc_at(where, perp_petsc_status(code), "H", -1) : PERP_SOLVED;
}

perp_status perp_petsc_take_rows(perp_petsc *system, const perp_petsc_problem *problem,
                                 perp_petsc_where *where)
{
    perp_status status = take_matrix(system, problem->H, where);
    PetscInt group = 1;
    if (status == PERP_SOLVED)
        status = perp_petsc_status(MatGetBlockSize(problem->M, &group));
    if (status == PERP_SOLVED && group > 1)
        status = complete_groups(system, group);
    if (status == PERP_SOLVED)
        status = copy_vector(&system->arena, &system->q, problem->q, system->rows);
    if (status == PERP_SOLVED && problem->C)
        status = copy_vector(&system->arena, &system->C, problem->C, system->rows);
    if (status == PERP_SOLVED)
        status = copy_segments(system, problem);
    return status;
}
