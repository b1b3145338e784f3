/* SPDX-License-Identifier: BSD-3-Clause */
/* The bodies that a rank touches: blocks of M, fetched from their owners. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "distributed/system.h"
#include "linalg/small.h"

/* Rows system->global of M with all their columns. */
typedef struct fetched {
    Mat *matrix;
    IS rows, cols;
} fetched;

static PetscErrorCode fetch(fetched *f, const perp_petsc *system, Mat M)
{
    PetscInt all;
    PetscCall(MatGetSize(M, NULL, &all));
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, system->dofs, system->global, PETSC_USE_POINTER,
                              &f->rows));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, all, 0, 1, &f->cols));
    PetscCall(MatCreateSubMatrices(M, 1, &f->rows, &f->cols, MAT_INITIAL_MATRIX, &f->matrix));
    return 0;
}

static void drop(fetched *f)
{
    if (f->matrix)
        (void)MatDestroySubMatrices(1, &f->matrix);
    (void)ISDestroy(&f->rows);
    (void)ISDestroy(&f->cols);
    memset(f, 0, sizeof *f);
}

/* Place of an unknown in global, or a negative number. */
static PetscInt place(const perp_petsc *system, PetscInt unknown)
{
    PetscInt at = -1;
    if (system->dofs == 0 || PetscFindInt(unknown, system->dofs, system->global, &at))
        return -1;
    return at;
}

/* Unknowns that the rows couple to those known: their number; into `more` unless that is NULL. */
static PetscErrorCode coupled(const perp_petsc *system, const fetched *f, PetscInt *more,
                              PetscInt *count)
{
    *count = 0;
    for (int i = 0; i < system->dofs; i++) {
        PetscInt n;
        const PetscInt *cols;
        PetscCall(MatGetRow(f->matrix[0], i, &n, &cols, NULL));
        for (PetscInt k = 0; k < n; k++)
            if (place(system, cols[k]) < 0) {
                if (more)
                    more[*count] = cols[k];
                ++*count;
            }
        PetscCall(MatRestoreRow(f->matrix[0], i, &n, &cols, NULL));
    }
    return 0;
}

/* Adds these unknowns; *grown: how many there were. */
static perp_status add_coupled(perp_petsc *system, const fetched *f, int *grown)
{
    PetscInt count, total = system->dofs;
    PetscErrorCode code = coupled(system, f, NULL, &count);
    *grown = (int)count;
    if (code || count == 0)
        return perp_petsc_status(code);
    PetscInt *global = PERP_TAKE(&system->arena, PetscInt, (size_t)total + (size_t)count);
    if (!global)
        return PERP_ERR_MEMORY;
    memcpy(global, system->global, (size_t)total * sizeof *global);
    code = coupled(system, f, global + total, &count);
    total += count;
    if (!code)
        code = PetscSortRemoveDupsInt(&total, global);
    system->global = global;
    system->dofs = (int)total;
    return perp_petsc_status(code);
}

static int root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* body_of from the couplings: components numbered by their first unknown. */
static PetscErrorCode find_components(perp_petsc *system, const fetched *f)
{
    int *parent = system->body_of, bodies = 0;
    for (int i = 0; i < system->dofs; i++)
        parent[i] = i;
    for (int i = 0; i < system->dofs; i++) {
        PetscInt n;
        const PetscInt *cols;
        PetscCall(MatGetRow(f->matrix[0], i, &n, &cols, NULL));
        for (PetscInt k = 0; k < n; k++) {
            int a = root(parent, i), b = root(parent, (int)place(system, cols[k]));
            parent[a > b ? a : b] = a > b ? b : a;
        }
        PetscCall(MatRestoreRow(f->matrix[0], i, &n, &cols, NULL));
    }
    for (int i = 0; i < system->dofs; i++)
        parent[i] = root(parent, i);
    /* A root comes before its members, and gets a number before they read it. */
    for (int i = 0; i < system->dofs; i++)
        parent[i] = parent[i] == i ? bodies++ : parent[parent[i]];
    system->nbodies = bodies;
    return 0;
}

/* Lists the unknowns of each body. */
static perp_status list_bodies(perp_petsc *system, perp_petsc_where *where)
{
    perp_arena *arena = &system->arena;
    size_t doubles = 0;
    system->bodies = perp_arena_take_zero(arena, (size_t)system->nbodies, sizeof(perp_body));
    system->dof = PERP_TAKE(arena, int, system->dofs);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < system->dofs; i++)
        system->bodies[system->body_of[i]].dim++;
    for (int b = 0, first = 0; b < system->nbodies; b++) {
        perp_body *body = &system->bodies[b];
        if (body->dim > PERP_BODY_MOST) {
            snprintf(where->text, sizeof where->text, "M has a block of more than %d unknowns",
                     (int)PERP_BODY_MOST);
            return perp_petsc_at(where, PERP_ERR_UNSUPPORTED, "M", -1);
        }
        body->first = first;
        body->inverse = doubles;
        first += body->dim;
        doubles += (size_t)(body->dim * body->dim);
        body->dim = 0;
    }
    for (int i = 0; i < system->dofs; i++) {
        perp_body *body = &system->bodies[system->body_of[i]];
        system->dof[body->first + body->dim++] = i;
    }
    system->inverses = perp_arena_take_zero(arena, doubles, sizeof(double));
    return system->inverses ? PERP_SOLVED : PERP_ERR_MEMORY;
}

/* Row i of M into the block of its body. */
static PetscErrorCode copy_row(perp_petsc *system, const fetched *f, int i, int *finite)
{
    const perp_body *body = &system->bodies[system->body_of[i]];
    double *block = system->inverses + body->inverse;
    PetscInt n;
    const PetscInt *cols;
    const PetscScalar *values;
    int row = 0;
    while (system->dof[body->first + row] != i)
        row++;
    PetscCall(MatGetRow(f->matrix[0], i, &n, &cols, &values));
    for (PetscInt k = 0; k < n; k++) {
        int unknown = (int)place(system, cols[k]), col = 0;
        while (system->dof[body->first + col] != unknown)
            col++;
        block[row + col * body->dim] = values[k];
        *finite = *finite && isfinite(values[k]);
    }
    PetscCall(MatRestoreRow(f->matrix[0], i, &n, &cols, &values));
    return 0;
}

/* M over the number of ranks that touch a body, in compressed columns, and its inverse. */
static perp_status take_split(perp_petsc *system)
{
    perp_arena *arena = &system->arena;
    int n = system->dofs, entries = 0;
    for (int b = 0; b < system->nbodies; b++)
        entries += system->bodies[b].dim * system->bodies[b].dim;
    int *colptr = PERP_TAKE(arena, int, n + 1), *row = PERP_TAKE(arena, int, entries), at = 0;
    double *x = PERP_TAKE(arena, double, entries);
    perp_mat M;
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        const perp_body *body = &system->bodies[system->body_of[j]];
        const double *block = system->inverses + body->inverse;
        int col = 0;
        while (system->dof[body->first + col] != j)
            col++;
        colptr[j] = at;
        for (int i = 0; i < body->dim; i++, at++) {
            row[at] = system->dof[body->first + i];
            x[at] = block[i + col * body->dim] / body->ranks;
        }
    }
    colptr[n] = at;
    perp_status status = perp_mat_init_csc(&M, n, n, colptr, row, x);
    if (status != PERP_SOLVED)
        return status;
    return perp_mass_create(&system->split, &M, &arena->allocator, NULL);
}

static perp_status invert(perp_petsc *system, perp_petsc_where *where)
{
    for (int b = 0; b < system->nbodies; b++) {
        const perp_body *body = &system->bodies[b];
        double *block = system->inverses + body->inverse;
        double inverse[PERP_BODY_MOST * PERP_BODY_MOST];
        if (!perp_small_invert(inverse, block, body->dim)) {
            snprintf(where->text, sizeof where->text, "the block of unknown %lld is singular",
                     (long long)system->global[system->dof[body->first]]);
            return perp_petsc_at(where, PERP_ERR_SINGULAR, "M", -1);
        }
        memcpy(block, inverse, (size_t)(body->dim * body->dim) * sizeof(double));
    }
    return PERP_SOLVED;
}

static perp_status fill_bodies(perp_petsc *system, const fetched *f, perp_petsc_where *where)
{
    system->body_of = PERP_TAKE(&system->arena, int, system->dofs);
    if (!system->body_of)
        return PERP_ERR_MEMORY;
    PetscErrorCode code = find_components(system, f);
    perp_status status = perp_petsc_status(code);
    if (status == PERP_SOLVED)
        status = list_bodies(system, where);
    for (int i = 0; i < system->dofs && status == PERP_SOLVED; i++) {
        int finite = 1;
        status = perp_petsc_status(copy_row(system, f, i, &finite));
        if (!finite) {
            snprintf(where->text, sizeof where->text, "row %lld of M",
                     (long long)system->global[i]);
            status = perp_petsc_at(where, PERP_ERR_NONFINITE, "M", -1);
        }
    }
    return status;
}

/* Fetches rows of M until the unknowns that they couple are all there. */
static perp_status fetch_all(fetched *f, perp_petsc *system, Mat M, perp_petsc_where *where)
{
    for (;;) {
        int grown = 0, anywhere;
        perp_status status = perp_petsc_status(fetch(f, system, M));
        if (status == PERP_SOLVED)
            status = add_coupled(system, f, &grown);
        status = perp_petsc_agree(system->comm, status, where);
        if (status != PERP_SOLVED)
            return status;
        MPI_Allreduce(&grown, &anywhere, 1, MPI_INT, MPI_MAX, system->comm);
        if (!anywhere)
            return PERP_SOLVED;
        drop(f);
    }
}

perp_status perp_petsc_take_bodies(perp_petsc *system, Mat M, perp_petsc_where *where)
{
    fetched f = {NULL, NULL, NULL};
    PetscInt first, end;
    perp_status status = fetch_all(&f, system, M, where);
    if (status == PERP_SOLVED) {
        status = fill_bodies(system, &f, where);
        status = perp_petsc_agree(system->comm, status, where);
    }
    drop(&f);
    if (status != PERP_SOLVED)
        return status;
    status = perp_petsc_status(MatGetOwnershipRange(M, &first, &end));
    double *ranks = PERP_TAKE(&system->arena, double, system->dofs);
    if (!ranks)
        status = PERP_ERR_MEMORY;
    status = perp_petsc_agree(system->comm, status, where);
    if (status == PERP_SOLVED)
        status = perp_petsc_take_exchange(system, end - first);
    if (status == PERP_SOLVED)
        status = perp_petsc_touching_ranks(system, ranks);
    for (int b = 0; b < system->nbodies && status == PERP_SOLVED; b++)
        system->bodies[b].ranks = (int)ranks[system->dof[system->bodies[b].first]];
    if (status == PERP_SOLVED)
        status = take_split(system);
    if (status == PERP_SOLVED)
        status = invert(system, where);
    return perp_petsc_agree(system->comm, status, where);
}
