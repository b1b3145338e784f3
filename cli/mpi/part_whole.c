/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MASS = PERP_PART_DOFS * PERP_PART_DOFS, SIZES = 4 };
enum { BLOCKS, ROWS, ENTRIES, BODIES };

/* One kind of number of all ranks, on rank 0. */
typedef struct piece {
    int *count, *offset, total;
} piece;

typedef struct whole {
    perp_part_layout *layout;
    int ranks, *memory;
    piece of[SIZES];
    int *set, *dim, *length, *column; /* by block, block, row, entry */
    double *par[PERP_PARAMETERS], *q, *z, *w, *give, *x, *mass;
    int *colptr, *mass_ptr, *mass_row;
    perp_segment *seg;
} whole;

static void *taken(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

/* Sizes of all ranks, on all of them. */
static int share_sizes(whole *w, const int own[SIZES])
{
    int *all = taken((size_t)(w->ranks * SIZES), sizeof *all), bad = all == NULL, worst;

    w->memory = taken(2 * SIZES * (size_t)w->ranks, sizeof(int));
    bad |= w->memory == NULL;
    MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst == 0)
        MPI_Allgather(own, SIZES, MPI_INT, all, SIZES, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; worst == 0 && k < SIZES; k++) {
        piece *p = &w->of[k];
        p->count = w->memory + 2 * k * w->ranks;
        p->offset = p->count + w->ranks;
        for (int r = 0; r < w->ranks; r++) {
            p->offset[r] = p->total;
            p->count[r] = all[r * SIZES + k];
            p->total += p->count[r];
        }
    }
    free(all);
    return worst == 0;
}

static int take_memory(whole *w)
{
    size_t blocks = (size_t)w->of[BLOCKS].total, rows = (size_t)w->of[ROWS].total;
    size_t entries = (size_t)w->of[ENTRIES].total, masses = MASS * (size_t)w->of[BODIES].total;
    size_t dofs = PERP_PART_DOFS * (size_t)w->of[BODIES].total;

    w->set = taken(2 * blocks, sizeof(int));
    w->length = taken(2 * rows + 1, sizeof(int));
    w->column = taken(entries, sizeof(int));
    w->par[0] = taken(PERP_PARAMETERS * blocks, sizeof(double));
    w->q = taken(4 * rows, sizeof(double));
    w->x = taken(entries, sizeof(double));
    w->mass = taken(masses, sizeof(double));
    w->mass_ptr = taken(dofs + 1, sizeof(int));
    w->mass_row = taken(masses, sizeof(int));
    w->seg = taken(blocks, sizeof *w->seg);
    if (w->set == NULL || w->length == NULL || w->column == NULL || w->par[0] == NULL ||
        w->q == NULL || w->x == NULL || w->mass == NULL || w->mass_ptr == NULL ||
        w->mass_row == NULL || w->seg == NULL)
        return 0;
    w->dim = w->set + blocks;
    w->colptr = w->length + rows;
    for (int p = 1; p < PERP_PARAMETERS; p++)
        w->par[p] = w->par[p - 1] + blocks;
    w->z = w->q + rows;
    w->w = w->z + rows;
    w->give = w->w + rows;
    return 1;
}

static void release(whole *w)
{
    free(w->memory);
    free(w->set);
    free(w->length);
    free(w->column);
    free(w->par[0]);
    free(w->q);
    free(w->x);
    free(w->mass);
    free(w->mass_ptr);
    free(w->mass_row);
    free(w->seg);
}

static void bring(whole *w, int kind, const void *own, void *all, MPI_Datatype type)
{
    const piece *p = &w->of[kind];
    MPI_Gatherv(own, p->count[w->layout->rank], type, all, p->count, p->offset, type, 0,
                MPI_COMM_WORLD);
}

/* What this rank sends of the integers: set and dim of each block, entries of each row, unknowns by
 * their numbers among all. */
typedef struct sent {
    int *set, *dim, *length, *column;
} sent;

static int make_sent(sent *s, const perp_part_layout *layout, const perp_part_subset *from,
                     int blocks)
{
    int at = 0;

    memset(s, 0, sizeof *s);
    s->set = taken(2 * (size_t)blocks + (size_t)from->rows + (size_t)from->entries, sizeof(int));
    if (s->set == NULL)
        return 0;
    s->dim = s->set + blocks;
    s->length = s->dim + blocks;
    s->column = s->length + from->rows;
    for (int k = 0; k < from->nseg; k++)
        for (int b = 0; b < from->seg[k].count; b++, at++) {
            s->set[at] = (int)from->seg[k].set;
            s->dim[at] = from->seg[k].dim;
        }
    for (int i = 0; i < from->rows; i++)
        s->length[i] = from->colptr[i + 1] - from->colptr[i];
    for (int e = 0; e < from->entries; e++)
        s->column[e] =
            PERP_PART_DOFS * layout->number[layout->here[from->row[e] / PERP_PART_DOFS]] +
            from->row[e] % PERP_PART_DOFS;
    return 1;
}

static void bring_all(whole *w, const sent *s, const perp_part_subset *from, const double *masses)
{
    bring(w, BLOCKS, s->set, w->set, MPI_INT);
    bring(w, BLOCKS, s->dim, w->dim, MPI_INT);
    for (int p = 0; p < PERP_PARAMETERS; p++)
        bring(w, BLOCKS, from->par[p], w->par[p], MPI_DOUBLE);
    bring(w, ROWS, s->length, w->length, MPI_INT);
    bring(w, ROWS, from->q, w->q, MPI_DOUBLE);
    bring(w, ROWS, from->z, w->z, MPI_DOUBLE);
    bring(w, ROWS, from->give, w->give, MPI_DOUBLE);
    bring(w, ENTRIES, s->column, w->column, MPI_INT);
    bring(w, ENTRIES, from->x, w->x, MPI_DOUBLE);
    for (int r = 0; r < w->ranks; r++) {
        w->of[BODIES].count[r] *= MASS;
        w->of[BODIES].offset[r] *= MASS;
    }
    bring(w, BODIES, masses, w->mass, MPI_DOUBLE);
}

/* Segments, columns of H and of the mass, from what was brought. */
static int pose(whole *w, perp_problem *problem)
{
    int n = 0, any = 0;

    for (int k = 0; k < w->of[BLOCKS].total; k++) {
        perp_segment *last = n > 0 ? &w->seg[n - 1] : NULL;
        if (last != NULL && (int)last->set == w->set[k] && last->dim == w->dim[k]) {
            last->count++;
            continue;
        }
        last = &w->seg[n++];
        *last = (perp_segment){.set = (perp_set)w->set[k], .dim = w->dim[k], .count = 1};
        for (int p = 0; p < PERP_PARAMETERS; p++) {
            last->par[p] = w->par[p] + k;
            last->stride[p] = 1;
        }
    }
    w->colptr[0] = 0;
    for (int i = 0; i < w->of[ROWS].total; i++) {
        w->colptr[i + 1] = w->colptr[i] + w->length[i];
        any |= w->give[i] != 0.0;
    }
    for (int d = 0; d <= PERP_PART_DOFS * w->of[BODIES].total; d++)
        w->mass_ptr[d] = PERP_PART_DOFS * d;
    for (int e = 0; e < MASS * w->of[BODIES].total; e++)
        w->mass_row[e] = PERP_PART_DOFS * (e / MASS) + e % PERP_PART_DOFS;
    problem->q = w->q;
    problem->seg = w->seg;
    problem->nseg = n;
    return any;
}

static perp_status solve(whole *w, const perp_settings *settings, int *iterations, char name[32])
{
    perp_problem problem;
    perp_mat M;
    perp_mass *mass = NULL;
    perp_solver *solver = NULL;
    perp_info info = {.size = sizeof info};
    int dofs = PERP_PART_DOFS * w->of[BODIES].total, gives = pose(w, &problem);
    perp_status status = perp_mat_init_csc(&M, dofs, dofs, w->mass_ptr, w->mass_row, w->mass);

    if (status == PERP_SOLVED)
        status = perp_mass_create(&mass, &M, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_mat_init_delassus(&problem.M, dofs, w->of[ROWS].total, w->colptr, w->column,
                                        w->x, mass);
    if (status == PERP_SOLVED && gives)
        status = perp_mat_set_compliance(&problem.M, w->give);
    if (status == PERP_SOLVED)
        status = perp_solver_create(&solver, perp_solver_choose(&problem), settings, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, &problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, w->z, w->w, &info);
    if (status >= 0) {
        *iterations = info.iterations;
        snprintf(name, 32, "%s", info.solver);
    }
    perp_solver_destroy(solver);
    perp_mass_destroy(mass);
    return status;
}

perp_status perp_part_solve_whole(perp_part_layout *layout, perp_part_subset *subset, int blocks,
                                  const double *masses, const perp_settings *settings,
                                  int *iterations, char name[32])
{
    whole w = {.layout = layout, .ranks = layout->ranks};
    sent s = {NULL, NULL, NULL, NULL};
    int own[SIZES] = {blocks, subset->rows, subset->entries, layout->own}, bad, worst;
    int said[2] = {(int)PERP_ERR_MEMORY, 0};

    if (!share_sizes(&w, own)) {
        release(&w);
        return PERP_ERR_MEMORY;
    }
    bad = !make_sent(&s, layout, subset, blocks) || (layout->rank == 0 && !take_memory(&w));
    MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst == 0) {
        const piece *p = &w.of[ROWS];
        bring_all(&w, &s, subset, masses);
        if (layout->rank == 0)
            said[0] = (int)solve(&w, settings, &said[1], name);
        MPI_Bcast(said, 2, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(name, 32, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (said[0] >= 0)
            MPI_Scatterv(w.z, p->count, p->offset, MPI_DOUBLE, subset->z, subset->rows, MPI_DOUBLE,
                         0, MPI_COMM_WORLD);
    }
    *iterations = said[1];
    free(s.set);
    release(&w);
    return (perp_status)said[0];
}
