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
    double *par[PERP_PARAMETERS], *q, *z, *w, *give, *x;
    int *colptr;
    perp_segment *seg;
    unsigned char *touched; /* by body of all ranks: its mass is needed */
    int *place, bodies;     /* a touched one among these; how many */
    double *mass;           /* of them */
    int *mass_ptr, *mass_row;
} whole;

static void *taken(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

/* 1 where a rank was bad. */
static int any_bad(int bad)
{
    int worst;

    MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

/* Sizes of all ranks, on all of them. */
static int share_sizes(whole *w, const int own[SIZES])
{
    int *all = taken((size_t)(w->ranks * SIZES), sizeof *all), bad = all == NULL;

    w->memory = taken(2 * SIZES * (size_t)w->ranks, sizeof(int));
    bad |= w->memory == NULL;
    bad = any_bad(bad);
    if (bad == 0)
        MPI_Allgather(own, SIZES, MPI_INT, all, SIZES, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; bad == 0 && k < SIZES; k++) {
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
    return bad == 0;
}

static int take_memory(whole *w)
{
    size_t blocks = (size_t)w->of[BLOCKS].total, rows = (size_t)w->of[ROWS].total;
    size_t entries = (size_t)w->of[ENTRIES].total, bodies = (size_t)w->of[BODIES].total;

    w->set = taken(2 * blocks, sizeof(int));
    w->length = taken(2 * rows + 1, sizeof(int));
    w->column = taken(entries, sizeof(int));
    w->par[0] = taken(PERP_PARAMETERS * blocks, sizeof(double));
    w->q = taken(4 * rows, sizeof(double));
    w->x = taken(entries, sizeof(double));
    w->seg = taken(blocks, sizeof *w->seg);
    w->touched = taken(bodies, sizeof *w->touched);
    w->place = taken(bodies, sizeof(int));
    if (w->set == NULL || w->length == NULL || w->column == NULL || w->par[0] == NULL ||
        w->q == NULL || w->x == NULL || w->seg == NULL || w->touched == NULL || w->place == NULL)
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

/* Unknowns numbered among those of the bodies that are touched, and memory for their masses. */
static int number_touched(whole *w)
{
    int entries = w->of[ENTRIES].total;

    for (int e = 0; e < entries; e++)
        w->touched[w->column[e] / PERP_PART_DOFS] = 1;
    for (int b = 0; b < w->of[BODIES].total; b++)
        w->place[b] = w->touched[b] ? w->bodies++ : -1;
    for (int e = 0; e < entries; e++)
        w->column[e] = PERP_PART_DOFS * w->place[w->column[e] / PERP_PART_DOFS] +
                       w->column[e] % PERP_PART_DOFS;
    w->mass = taken(MASS * (size_t)w->bodies, sizeof(double));
    w->mass_ptr = taken(PERP_PART_DOFS * (size_t)w->bodies + 1, sizeof(int));
    w->mass_row = taken(MASS * (size_t)w->bodies, sizeof(int));
    return w->mass != NULL && w->mass_ptr != NULL && w->mass_row != NULL;
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
    free(w->seg);
    free(w->touched);
    free(w->place);
    free(w->mass);
    free(w->mass_ptr);
    free(w->mass_row);
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

static void bring_rows(whole *w, const sent *s, const perp_part_subset *from)
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
}

/* Masses of the bodies that the rows on rank 0 touch.  0: a rank has no memory, all return that. */
static int bring_masses(whole *w, const double *masses)
{
    piece *p = &w->of[BODIES];
    int own = w->layout->own, n = 0, bad = w->layout->rank == 0 && !number_touched(w);
    unsigned char *mine = taken((size_t)own, sizeof *mine);
    double *packed = taken(MASS * (size_t)own, sizeof *packed);

    bad = any_bad(bad || mine == NULL || packed == NULL);
    if (!bad) {
        MPI_Scatterv(w->touched, p->count, p->offset, MPI_UNSIGNED_CHAR, mine, own,
                     MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
        for (int b = 0; b < own; b++)
            if (mine[b])
                memcpy(packed + MASS * (size_t)n++, masses + MASS * (size_t)b,
                       MASS * sizeof *packed);
        n *= MASS;
        MPI_Gather(&n, 1, MPI_INT, p->count, 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (int r = 1; r < w->ranks; r++)
            p->offset[r] = p->offset[r - 1] + p->count[r - 1];
        MPI_Gatherv(packed, n, MPI_DOUBLE, w->mass, p->count, p->offset, MPI_DOUBLE, 0,
                    MPI_COMM_WORLD);
    }
    free(mine);
    free(packed);
    return !bad;
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
    for (int d = 0; d <= PERP_PART_DOFS * w->bodies; d++)
        w->mass_ptr[d] = PERP_PART_DOFS * d;
    for (int e = 0; e < MASS * w->bodies; e++)
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
    int dofs = PERP_PART_DOFS * w->bodies, gives = pose(w, &problem);
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
    int own[SIZES] = {blocks, subset->rows, subset->entries, layout->own};
    int said[2] = {(int)PERP_ERR_MEMORY, 0}, bad;

    if (!share_sizes(&w, own)) {
        release(&w);
        return PERP_ERR_MEMORY;
    }
    bad =
        any_bad(!make_sent(&s, layout, subset, blocks) || (layout->rank == 0 && !take_memory(&w)));
    if (!bad)
        bring_rows(&w, &s, subset);
    if (!bad && bring_masses(&w, masses)) {
        const piece *p = &w.of[ROWS];
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
