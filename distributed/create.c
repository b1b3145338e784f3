/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_petsc_create(): what each rank gave is checked by itself, then agreed on. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/float_environment.h"
#include "distributed/system.h"

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "PETSc with real numbers in double precision is needed"
#endif

perp_status perp_petsc_check_objects(MPI_Comm comm, const perp_petsc_problem *p,
                                     perp_petsc_where *where)
{
    if (!perp_petsc_lies_on((PetscObject)p->M, comm))
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "M", -1);
    if (!perp_petsc_lies_on((PetscObject)p->q, comm))
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "q", -1);
    if (p->C && !perp_petsc_lies_on((PetscObject)p->C, comm))
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "C", -1);
    if (p->nseg < 0 || (p->nseg > 0 && !p->seg))
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "seg", -1);
    return PERP_SOLVED;
}

static perp_status check_objects(MPI_Comm comm, const perp_petsc_problem *p,
                                 perp_petsc_where *where)
{
    if (!p)
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "problem", -1);
    if (!perp_petsc_lies_on((PetscObject)p->H, comm))
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "H", -1);
    return perp_petsc_check_objects(comm, p, where);
}

long long perp_petsc_segment_rows(const perp_petsc_problem *p)
{
    long long rows = 0;
    for (int k = 0; k < p->nseg; k++) {
        if (p->seg[k].dim < 0 || p->seg[k].count < 0)
            return -1;
        rows += (long long)p->seg[k].dim * p->seg[k].count;
        if (rows > INT_MAX)
            return -1;
    }
    return rows;
}

/* Local sizes as PETSc has them. */
typedef struct sizes {
    PetscInt rows, unknowns, mass_rows, mass_cols, q, C;
    long long all_rows, all_unknowns;
} sizes;

static PetscErrorCode read_sizes(sizes *s, const perp_petsc_problem *p)
{
    PetscBool assembled;
    PetscInt all[2];
    PetscCall(MatGetLocalSize(p->H, &s->rows, &s->unknowns));
    PetscCall(MatGetSize(p->H, &all[0], &all[1]));
    s->all_rows = all[0];
    s->all_unknowns = all[1];
    PetscCall(MatGetLocalSize(p->M, &s->mass_rows, &s->mass_cols));
    PetscCall(VecGetLocalSize(p->q, &s->q));
    s->C = s->rows;
    if (p->C)
        PetscCall(VecGetLocalSize(p->C, &s->C));
    PetscCall(MatAssembled(p->H, &assembled));
    if (assembled)
        PetscCall(MatAssembled(p->M, &assembled));
    return assembled ? 0 : PETSC_ERR_ARG_WRONGSTATE;
}

static perp_status check_sizes(const perp_petsc_problem *p, perp_petsc_where *where)
{
    sizes s;
    long long rows = perp_petsc_segment_rows(p);
    PetscErrorCode code = read_sizes(&s, p);
    if (code) {
        snprintf(where->text, sizeof where->text, "a matrix is not assembled");
        return perp_petsc_at(where, perp_petsc_status(code), "H", -1);
    }
    if (s.all_rows > INT_MAX || s.all_unknowns > INT_MAX)
        return perp_petsc_at(where, PERP_ERR_OVERFLOW, "H", -1);
    const char *what = rows != s.rows               ? "seg"
                       : s.q != s.rows              ? "q"
                       : s.C != s.rows              ? "C"
                       : s.mass_rows != s.mass_cols ? "M"
                       : s.mass_rows != s.unknowns  ? "M"
                                                    : NULL;
    if (!what)
        return PERP_SOLVED;
    snprintf(where->text, sizeof where->text,
             "H has %lld rows and %lld columns here, M %lld x %lld, q %lld, the segments %lld rows",
             (long long)s.rows, (long long)s.unknowns, (long long)s.mass_rows,
             (long long)s.mass_cols, (long long)s.q, rows);
    return perp_petsc_at(where, PERP_ERR_STRUCTURE, what, -1);
}

/* The own rows as a serial problem, whose check it passes. */
static perp_status make_local(perp_petsc *system, perp_petsc_where *where)
{
    perp_where at = {NULL, -1, -1};
    perp_problem *local = &system->local;
    perp_status status =
        perp_mat_init_delassus(&local->M, system->dofs, system->rows, system->colptr, system->row,
                               system->x, system->split);
    if (status == PERP_SOLVED && system->C)
        status = perp_mat_set_compliance(&local->M, system->C);
    local->q = system->q;
    local->seg = system->seg;
    local->nseg = system->nseg;
    if (status == PERP_SOLVED)
        status = perp_problem_check(local, &system->arena.allocator, &at);
    if (status != PERP_SOLVED) {
        perp_petsc_at(where, status, at.what ? at.what : "problem", at.index);
        where->segment = at.segment;
    }
    return status;
}

/* The numbering of H' from that of all unknowns to the rank's own. */
static perp_status renumber(perp_petsc *system)
{
    PetscInt at;
    for (int k = 0; k < system->colptr[system->rows]; k++) {
        if (PetscFindInt(system->row[k], system->dofs, system->global, &at) || at < 0)
            return PERP_ERR_STRUCTURE;
        system->row[k] = (int)at;
    }
    return PERP_SOLVED;
}

/* 2 flops for each entry of H, twice, each of a body's inverse and of C. */
static double flops_of_product(const perp_petsc *system)
{
    double flops = 4.0 * system->colptr[system->rows] + (system->C ? 2.0 : 1.0) * system->rows;
    for (int b = 0; b < system->nbodies; b++)
        flops += 2.0 * system->bodies[b].dim * system->bodies[b].dim;
    return flops;
}

static void count_load(perp_petsc *system)
{
    perp_petsc_load *load = &system->load;
    load->rows = system->rows;
    load->blocks = system->blocks.count;
    load->unknowns = system->dofs;
    for (int b = 0; b < system->nbodies; b++)
        load->shared += system->bodies[b].ranks > 1 ? system->bodies[b].dim : 0;
    load->neighbours = system->each.neighbours;
    system->product_flops = flops_of_product(system);
}

static perp_status finish(perp_petsc *system, perp_petsc_where *where)
{
    size_t rows = (size_t)system->rows;
    perp_status status = renumber(system);
    if (status == PERP_SOLVED)
        status = make_local(system, where);
    if (status == PERP_SOLVED)
        status = perp_blocks_build(&system->blocks, &system->local, &system->arena);
    system->d = PERP_TAKE(&system->arena, double, status == PERP_SOLVED ? system->blocks.count : 0);
    if (status == PERP_SOLVED && system->d)
        status = perp_petsc_scales(system, 0, system->d);
    system->z = PERP_TAKE(&system->arena, double, rows);
    system->w = PERP_TAKE(&system->arena, double, rows);
    system->best = PERP_TAKE(&system->arena, double, rows);
    if (status == PERP_SOLVED && system->arena.failed)
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        count_load(system);
    return perp_petsc_agree(system->comm, status, where);
}

static perp_status build(perp_petsc *system, const perp_petsc_problem *problem,
                         perp_petsc_where *where)
{
    PetscInt end;
    PetscErrorCode code = MatGetOwnershipRange(problem->H, &system->rows_before, &end);
    if (!code)
        code = MatGetSize(problem->H, &system->all_rows, NULL);
    system->rows = (int)(end - system->rows_before);
    system->sums = PERP_TAKE(&system->arena, double, system->size *(int)PERP_SUM_MOST);
    system->peers = PERP_TAKE(&system->arena, int, 2 * system->size);
    perp_status status = perp_petsc_status(code);
    if (status == PERP_SOLVED && system->arena.failed)
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_petsc_take_rows(system, problem, where);
    status = perp_petsc_agree(system->comm, status, where);
    if (status == PERP_SOLVED)
        status = perp_petsc_take_bodies(system, problem->M, where);
    return status == PERP_SOLVED ? finish(system, where) : status;
}

/* Everything that can be said without talking to other ranks. */
static perp_status check_own(MPI_Comm comm, const perp_petsc_problem *problem,
                             perp_petsc_where *where)
{
    perp_status status = check_objects(comm, problem, where);
    if (status == PERP_SOLVED)
        status = check_sizes(problem, where);
    return status;
}

static perp_status create(perp_petsc **made, MPI_Comm comm, const perp_petsc_problem *problem,
                          const perp_allocator *memory, perp_petsc_where *where)
{
    perp_status status = perp_petsc_agree(comm, check_own(comm, problem, where), where);
    if (status != PERP_SOLVED)
        return status;
    perp_allocator use = perp_allocator_or_malloc(memory);
    perp_petsc *system = use.allocate(use.ctx, sizeof *system);
    status = perp_petsc_agree(comm, system ? PERP_SOLVED : PERP_ERR_MEMORY, where);
    if (status != PERP_SOLVED) {
        use.release(use.ctx, system);
        return status;
    }
    memset(system, 0, sizeof *system);
    perp_arena_init(&system->arena, &use);
    MPI_Comm_dup(comm, &system->comm);
    MPI_Comm_rank(comm, &system->rank);
    MPI_Comm_size(comm, &system->size);
    status = build(system, problem, where);
    if (status == PERP_SOLVED)
        *made = system;
    else
        perp_petsc_destroy(system);
    return status;
}

perp_status perp_petsc_create(perp_petsc **made, MPI_Comm comm, const perp_petsc_problem *problem,
                              const perp_allocator *memory, perp_petsc_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_petsc_where own;
    PetscBool ready = PETSC_FALSE;
    memset(&own, 0, sizeof own);
    own.rank = own.segment = own.index = -1;
    if (where)
        *where = own;
    if (!made)
        return PERP_ERR_ARGUMENT;
    *made = NULL;
    if (PetscInitialized(&ready) || !ready)
        return PERP_ERR_STATE;
    perp_petsc_quiet();
    perp_status status = create(made, comm, problem, memory, &own);
    perp_petsc_loud();
    if (where)
        *where = own;
    return status;
}

void perp_petsc_destroy(perp_petsc *system)
{
    if (!system)
        return;
    perp_petsc_quiet();
    (void)VecScatterDestroy(&system->exchange);
    (void)VecDestroy(&system->own);
    (void)VecDestroy(&system->all);
    perp_petsc_loud();
    MPI_Comm_free(&system->comm);
    perp_mass_destroy(system->split);
    perp_allocator memory = system->arena.allocator;
    perp_arena_free(&system->arena);
    memory.release(memory.ctx, system);
}
