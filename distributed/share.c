/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem of rank 0, sent in parts and made into PETSc objects. */
#include "distributed/share_inside.h"

#include <limits.h>
#include <string.h>

#include "core/float_environment.h"

/* A part on its way, rows and unknowns in the new numbers. */
typedef struct part {
    int rows, blocks, unknowns, entries, mass_entries, compliant, group;
    int *set, *dim; /* blocks each */
    double *par;    /* PERP_PARAMETERS * blocks */
    PetscInt *rowptr, *col, *mass_rowptr, *mass_col;
    double *x, *mass_x, *q, *C;
} part;

enum { HEAD = 7, TAG = 1 }; /* HEAD: numbers of a part that are sent first */

static void take_part(part *p, perp_arena *arena)
{
    p->set = PERP_TAKE(arena, int, p->blocks);
    p->dim = PERP_TAKE(arena, int, p->blocks);
    p->par = PERP_TAKE(arena, double, PERP_PARAMETERS *(size_t)p->blocks);
    p->rowptr = PERP_TAKE(arena, PetscInt, (size_t)p->rows + 1);
    p->col = PERP_TAKE(arena, PetscInt, p->entries);
    p->x = PERP_TAKE(arena, double, p->entries);
    p->mass_rowptr = PERP_TAKE(arena, PetscInt, (size_t)p->unknowns + 1);
    p->mass_col = PERP_TAKE(arena, PetscInt, p->mass_entries);
    p->mass_x = PERP_TAKE(arena, double, p->mass_entries);
    p->q = PERP_TAKE(arena, double, p->rows);
    p->C = PERP_TAKE(arena, double, p->compliant ? p->rows : 0);
}

/* A row's columns ascending. */
static void sort_row(PetscInt *col, double *x, int n)
{
    for (int i = 1; i < n; i++) {
        PetscInt c = col[i];
        double v = x[i];
        int k = i;
        for (; k > 0 && col[k - 1] > c; k--) {
            col[k] = col[k - 1];
            x[k] = x[k - 1];
        }
        col[k] = c;
        x[k] = v;
    }
}

/* Rows of rank r; *at: where its first one stands in row_order. */
static void fill_rows(part *p, const perp_division *d, int r, const int *order)
{
    const perp_mat *W = &d->whole->M;
    const int *colptr = W->as.delassus.colptr;
    int at = 0, block = 0;
    for (int k = 0; k < d->blocks.count; k++)
        if (d->rank_of_block[k] == r) {
            p->set[block] = d->blocks.at[k].set;
            p->dim[block] = d->blocks.at[k].dim;
            memcpy(p->par + PERP_PARAMETERS * (size_t)block++, d->blocks.at[k].par,
                   PERP_PARAMETERS * sizeof(double));
        }
    for (int i = 0; i < p->rows; i++) {
        int row = order[i], n = colptr[row + 1] - colptr[row];
        p->rowptr[i] = at;
        for (int k = 0; k < n; k++) {
            p->col[at + k] = d->new_unknown[W->as.delassus.row[colptr[row] + k]];
            p->x[at + k] = W->as.delassus.x[colptr[row] + k];
        }
        sort_row(p->col + at, p->x + at, n);
        at += n;
        p->q[i] = d->whole->q[row];
        if (p->compliant)
            p->C[i] = W->as.delassus.diagonal[row];
    }
    p->rowptr[p->rows] = at;
}

/* Rows of the mass of rank r, whose unknowns begin at `first`. */
static void fill_mass(part *p, const perp_division *d, int r, int first)
{
    const int *colptr = d->mass->as.csc.colptr, *row = d->mass->as.csc.row;
    PetscInt *start = p->mass_rowptr;
    memset(start, 0, ((size_t)p->unknowns + 1) * sizeof *start);
    for (int store = 0; store < 2; store++) {
        for (int j = 0; j < d->mass->cols; j++) {
            if (d->rank_of_body[d->body_of[j]] != r)
                continue;
            for (int k = colptr[j]; k < colptr[j + 1]; k++) {
                int i = d->new_unknown[row[k]] - first;
                if (store) {
                    p->mass_col[start[i]] = d->new_unknown[j];
                    p->mass_x[start[i]++] = d->mass->as.csc.x[k];
                } else {
                    start[i + 1]++;
                }
            }
        }
        for (int i = 0; !store && i < p->unknowns; i++)
            start[i + 1] += start[i];
    }
    memmove(start + 1, start, (size_t)p->unknowns * sizeof *start);
    start[0] = 0;
    for (int i = 0; i < p->unknowns; i++)
        sort_row(p->mass_col + start[i], p->mass_x + start[i], (int)(start[i + 1] - start[i]));
}

/* Sizes of the part of rank r. */
static void measure_part(part *p, const perp_division *d, int r, const int *order)
{
    const int *colptr = d->whole->M.as.delassus.colptr;
    *p = (part){.rows = d->rows_of[r], .blocks = d->blocks_of[r], .unknowns = d->unknowns_of[r]};
    p->compliant = d->whole->M.as.delassus.diagonal != NULL;
    p->group = d->group;
    for (int i = 0; i < p->rows; i++)
        p->entries += colptr[order[i] + 1] - colptr[order[i]];
    for (int j = 0; j < d->mass->cols; j++)
        if (d->rank_of_body[d->body_of[j]] == r)
            p->mass_entries += d->mass->as.csc.colptr[j + 1] - d->mass->as.csc.colptr[j];
}

/* Sends (to >= 0) or receives. */
static void pass(void *x, size_t count, MPI_Datatype type, int to, MPI_Comm comm)
{
    if (to >= 0)
        MPI_Send(x, (int)count, type, to, TAG, comm);
    else
        MPI_Recv(x, (int)count, type, 0, TAG, comm, MPI_STATUS_IGNORE);
}

static void pass_part(const part *p, int to, MPI_Comm comm)
{
    size_t blocks = (size_t)p->blocks, rows = (size_t)p->rows;
    pass(p->set, blocks, MPI_INT, to, comm);
    pass(p->dim, blocks, MPI_INT, to, comm);
    pass(p->par, PERP_PARAMETERS * blocks, MPI_DOUBLE, to, comm);
    pass(p->rowptr, rows + 1, MPIU_INT, to, comm);
    pass(p->col, (size_t)p->entries, MPIU_INT, to, comm);
    pass(p->x, (size_t)p->entries, MPI_DOUBLE, to, comm);
    pass(p->mass_rowptr, (size_t)p->unknowns + 1, MPIU_INT, to, comm);
    pass(p->mass_col, (size_t)p->mass_entries, MPIU_INT, to, comm);
    pass(p->mass_x, (size_t)p->mass_entries, MPI_DOUBLE, to, comm);
    pass(p->q, rows, MPI_DOUBLE, to, comm);
    if (p->compliant)
        pass(p->C, rows, MPI_DOUBLE, to, comm);
}

/* Rank 0 makes one part after the other; a rank that has no memory for its own says so first. */
static perp_status distribute(perp_petsc_share *share, const perp_division *d, part *own,
                              perp_petsc_where *where)
{
    int head[HEAD] = {0}, first = 0, at = 0;
    perp_status status = PERP_SOLVED;
    for (int r = 0; r < share->size; r++) {
        part p = {0};
        perp_arena temporary;
        perp_arena_init(&temporary, &share->arena.allocator);
        if (share->rank == 0)
            measure_part(&p, d, r, d->row_order + at);
        memcpy(head, &p, sizeof head);
        MPI_Bcast(head, HEAD, MPI_INT, 0, share->comm);
        memcpy(&p, head, sizeof head);
        if (share->rank == 0 || share->rank == r)
            take_part(&p, share->rank == r ? &share->arena : &temporary);
        int failed = share->arena.failed || temporary.failed;
        status = perp_petsc_agree(share->comm, failed ? PERP_ERR_MEMORY : PERP_SOLVED, where);
        if (status == PERP_SOLVED && share->rank == 0) {
            fill_rows(&p, d, r, d->row_order + at);
            fill_mass(&p, d, r, first);
        }
        if (status == PERP_SOLVED && r > 0 && (share->rank == 0 || share->rank == r))
            pass_part(&p, share->rank == 0 ? r : -1, share->comm);
        if (share->rank == r)
            *own = p;
        at += p.rows;
        first += p.unknowns;
        perp_arena_free(&temporary);
        if (status != PERP_SOLVED)
            break;
    }
    share->all_rows = at;
    return status;
}

perp_status perp_petsc_share_segments(perp_petsc_share *share, const int *set, const int *dim,
                                      const double *par, int blocks)
{
    int count = 0;
    perp_segment *seg = NULL;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (int k = 0; k < blocks; k++) {
            int begins = k == 0 || set[k] != set[k - 1] || dim[k] != dim[k - 1];
            if (begins && seg)
                seg[count] = (perp_segment){.set = (perp_set)set[k], .dim = dim[k]};
            for (int p = 0; p < PERP_PARAMETERS && begins && seg; p++) {
                seg[count].par[p] = par + PERP_PARAMETERS * (size_t)k + p;
                seg[count].stride[p] = PERP_PARAMETERS;
            }
            count += begins;
            if (seg)
                seg[count - 1].count++;
        }
        if (!seg)
            seg = PERP_TAKE(&share->arena, perp_segment, count);
        if (!seg)
            return PERP_ERR_MEMORY;
    }
    share->problem.seg = seg;
    share->problem.nseg = count;
    return PERP_SOLVED;
}

static PetscErrorCode make_vector(MPI_Comm comm, const double *x, int n, Vec *made)
{
    PetscScalar *to;
    PetscCall(VecCreateMPI(comm, n, PETSC_DETERMINE, made));
    PetscCall(VecGetArray(*made, &to));
    if (n > 0)
        memcpy(to, x, (size_t)n * sizeof *to);
    PetscCall(VecRestoreArray(*made, &to));
    return 0;
}

static PetscErrorCode make_objects(perp_petsc_share *share, const part *p)
{
    perp_petsc_problem *to = &share->problem;
    MPI_Comm comm = share->comm;
    PetscCall(MatCreateMPIAIJWithArrays(comm, p->rows, p->unknowns, PETSC_DETERMINE,
                                        PETSC_DETERMINE, p->rowptr, p->col, p->x, &to->H));
    PetscCall(MatCreateMPIAIJWithArrays(comm, p->unknowns, p->unknowns, PETSC_DETERMINE,
                                        PETSC_DETERMINE, p->mass_rowptr, p->mass_col, p->mass_x,
                                        &to->M));
    if (p->group > 1)
        PetscCall(MatSetBlockSize(to->M, p->group));
    PetscCall(make_vector(comm, p->q, p->rows, &to->q));
    if (p->compliant)
        PetscCall(make_vector(comm, p->C, p->rows, &to->C));
    return 0;
}

/* What rank 0 needs to gather vectors. */
static perp_status keep_order(perp_petsc_share *share, const perp_division *d)
{
    int size = share->size;
    share->row_order = d->row_order;
    share->rows_of = d->rows_of;
    share->rows_before = PERP_TAKE(&share->arena, int, size + 1);
    share->packed = PERP_TAKE(&share->arena, double, d->blocks.n);
    if (share->arena.failed)
        return PERP_ERR_MEMORY;
    share->rows_before[0] = 0;
    for (int r = 0; r < size; r++)
        share->rows_before[r + 1] = share->rows_before[r] + d->rows_of[r];
    return PERP_SOLVED;
}

/* The figures that each rank is told. */
static void tell_cut(perp_petsc_share *share, const perp_division *d, const part *own)
{
    static const char *const methods[] = {"chunks", "ptscotch", "parmetis"};
    perp_petsc_cut *cut = &share->cut;
    int x[5] = {0, cut->bodies, cut->edges, cut->cut, 0};
    for (int k = 0; share->rank == 0 && k < 3; k++)
        if (strcmp(cut->method, methods[k]) == 0)
            x[0] = k;
    for (int r = 0; share->rank == 0 && r < share->size; r++)
        x[4] = d->rows_of[r] > x[4] ? d->rows_of[r] : x[4];
    MPI_Bcast(x, 5, MPI_INT, 0, share->comm);
    *cut = (perp_petsc_cut){methods[x[0]], x[1], x[2], x[3], x[4], own->rows, 0};
    MPI_Scatter(share->rank == 0 ? d->bodies_of : NULL, 1, MPI_INT, &cut->own_bodies, 1, MPI_INT, 0,
                share->comm);
}

static perp_status build(perp_petsc_share *share, const perp_problem *whole, const perp_mat *mass,
                         perp_petsc_where *where)
{
    perp_division d = {.whole = whole, .mass = mass};
    part own = {0};
    perp_status status = PERP_SOLVED;
    if (share->rank == 0)
        status = perp_divide(&d, share->size, &share->arena, &share->cut, where);
    if (share->rank == 0 && status == PERP_SOLVED)
        status = keep_order(share, &d);
    status = perp_petsc_agree(share->comm, status, where);
    if (status == PERP_SOLVED)
        status = distribute(share, &d, &own, where);
    if (status != PERP_SOLVED)
        return status;
    tell_cut(share, &d, &own);
    status = perp_petsc_agree(
        share->comm, perp_petsc_share_segments(share, own.set, own.dim, own.par, own.blocks),
        where);
    if (status == PERP_SOLVED)
        status = perp_petsc_status(make_objects(share, &own));
    return perp_petsc_agree(share->comm, status, where);
}

perp_status perp_petsc_share_begin(perp_petsc_share **made, MPI_Comm comm,
                                   const perp_allocator *memory, perp_petsc_where *where)
{
    perp_allocator use = perp_allocator_or_malloc(memory);
    perp_petsc_share *share = use.allocate(use.ctx, sizeof *share);
    perp_status status = perp_petsc_agree(comm, share ? PERP_SOLVED : PERP_ERR_MEMORY, where);
    if (status != PERP_SOLVED) {
        use.release(use.ctx, share);
        return status;
    }
    memset(share, 0, sizeof *share);
    perp_arena_init(&share->arena, &use);
    MPI_Comm_dup(comm, &share->comm);
    MPI_Comm_rank(comm, &share->rank);
    MPI_Comm_size(comm, &share->size);
    *made = share;
    return PERP_SOLVED;
}

static perp_status create(perp_petsc_share **made, MPI_Comm comm, const perp_problem *whole,
                          const perp_mat *mass, const perp_allocator *memory,
                          perp_petsc_where *where)
{
    perp_petsc_share *share;
    perp_status status = perp_petsc_share_begin(&share, comm, memory, where);
    if (status != PERP_SOLVED)
        return status;
    status = build(share, whole, mass, where);
    if (status == PERP_SOLVED)
        *made = share;
    else
        perp_petsc_share_destroy(share);
    return status;
}

perp_status perp_petsc_share_enter(perp_petsc_share **made, perp_petsc_where *at)
{
    PetscBool ready = PETSC_FALSE;
    if (!made)
        return PERP_ERR_ARGUMENT;
    *made = NULL;
    if (PetscInitialized(&ready) || !ready)
        return PERP_ERR_STATE;
    memset(at, 0, sizeof *at);
    at->rank = at->segment = at->index = -1;
    perp_petsc_quiet();
    return PERP_SOLVED;
}

perp_status perp_petsc_share_leave(perp_status status, const perp_petsc_where *at,
                                   perp_petsc_where *where)
{
    perp_petsc_loud();
    if (where)
        *where = *at;
    return status;
}

perp_status perp_petsc_share_create(perp_petsc_share **made, MPI_Comm comm,
                                    const perp_problem *whole, const perp_mat *mass,
                                    const perp_allocator *memory, perp_petsc_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_petsc_where at;
    perp_status status = perp_petsc_share_enter(made, &at);
    if (status != PERP_SOLVED)
        return status;
    return perp_petsc_share_leave(create(made, comm, whole, mass, memory, &at), &at, where);
}

const perp_petsc_problem *perp_petsc_share_problem(const perp_petsc_share *share)
{
    return share ? &share->problem : NULL;
}

const perp_petsc_cut *perp_petsc_share_cut(const perp_petsc_share *share)
{
    return share ? &share->cut : NULL;
}

/* Local rows of x where it is divided as q is. */
static perp_status check_vector(const perp_petsc_share *share, Vec x, int has_whole)
{
    perp_petsc_where where;
    PetscInt n = -1;
    memset(&where, 0, sizeof where);
    perp_status status = PERP_SOLVED;
    if (!x || VecGetLocalSize(x, &n) || n != share->cut.own_rows)
        status = PERP_ERR_STRUCTURE;
    if (share->rank == 0 && !has_whole)
        status = PERP_ERR_ARGUMENT;
    return perp_petsc_agree(share->comm, status, &where);
}

perp_status perp_petsc_share_gather(perp_petsc_share *share, Vec x, double *whole)
{
    const PetscScalar *from;
    if (!share)
        return PERP_ERR_ARGUMENT;
    perp_petsc_quiet();
    perp_status status = check_vector(share, x, whole != NULL);
    if (status == PERP_SOLVED)
        status = perp_petsc_status(VecGetArrayRead(x, &from));
    if (status == PERP_SOLVED) {
        MPI_Gatherv(from, share->cut.own_rows, MPI_DOUBLE, share->packed, share->rows_of,
                    share->rows_before, MPI_DOUBLE, 0, share->comm);
        for (int i = 0; share->rank == 0 && i < share->all_rows; i++)
            whole[share->row_order[i]] = share->packed[i];
        status = perp_petsc_status(VecRestoreArrayRead(x, &from));
    }
    perp_petsc_loud();
    return status;
}

perp_status perp_petsc_share_scatter(perp_petsc_share *share, const double *whole, Vec x)
{
    PetscScalar *to;
    if (!share)
        return PERP_ERR_ARGUMENT;
    perp_petsc_quiet();
    perp_status status = check_vector(share, x, whole != NULL);
    if (status == PERP_SOLVED)
        status = perp_petsc_status(VecGetArray(x, &to));
    if (status == PERP_SOLVED) {
        for (int i = 0; share->rank == 0 && i < share->all_rows; i++)
            share->packed[i] = whole[share->row_order[i]];
        MPI_Scatterv(share->packed, share->rows_of, share->rows_before, MPI_DOUBLE, to,
                     share->cut.own_rows, MPI_DOUBLE, 0, share->comm);
        status = perp_petsc_status(VecRestoreArray(x, &to));
    }
    perp_petsc_loud();
    return status;
}

void perp_petsc_share_destroy(perp_petsc_share *share)
{
    if (!share)
        return;
    perp_petsc_quiet();
    (void)MatDestroy(&share->problem.H);
    (void)MatDestroy(&share->problem.M);
    (void)VecDestroy(&share->problem.q);
    (void)VecDestroy(&share->problem.C);
    perp_petsc_loud();
    MPI_Comm_free(&share->comm);
    perp_allocator memory = share->arena.allocator;
    perp_arena_free(&share->arena);
    memory.release(memory.ctx, share);
}
