/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies among ranks by MatPartitioning, rows to the rank of their heaviest body. */
#include <math.h>
#include <string.h>

#include "distributed/share.h"

/* Pairs of bodies with rows in common, both ways, as PETSc takes a graph. */
typedef struct graph {
    PetscInt *start, *to;
    int edges; /* each pair once */
} graph;

static int root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The blocks of the mass, numbered by their first unknown. */
static perp_status find_mass_blocks(perp_division *d, perp_arena *arena)
{
    const int *colptr = d->mass->as.csc.colptr, *row = d->mass->as.csc.row;
    int n = d->mass->rows;
    d->body_of = PERP_TAKE(arena, int, n);
    if (!d->body_of)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        d->body_of[i] = i;
    for (int j = 0; j < n; j++)
        for (int k = colptr[j]; k < colptr[j + 1]; k++) {
            int a = root(d->body_of, j), b = root(d->body_of, row[k]);
            d->body_of[a > b ? a : b] = a > b ? b : a;
        }
    for (int i = 0; i < n; i++)
        d->body_of[i] = root(d->body_of, i);
    for (int i = 0; i < n; i++)
        d->body_of[i] = d->body_of[i] == i ? d->nbodies++ : d->body_of[d->body_of[i]];
    return PERP_SOLVED;
}

/* Largest diagonal entry of each body. */
static perp_status weigh(const perp_division *d, double **mass, perp_arena *arena)
{
    const perp_mat *M = d->mass;
    *mass = perp_arena_take_zero(arena, (size_t)d->nbodies, sizeof(double));
    if (!*mass)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < M->cols; j++)
        for (int k = M->as.csc.colptr[j]; k < M->as.csc.colptr[j + 1]; k++)
            if (M->as.csc.row[k] == j)
                (*mass)[d->body_of[j]] = fmax((*mass)[d->body_of[j]], fabs(M->as.csc.x[k]));
    return PERP_SOLVED;
}

enum { TOUCHED_MOST = 16 };

/* Bodies of a block of rows into `list`, without repetition as far as it has capacity: their
 * number.
 */
static int bodies_of_block(const perp_division *d, int block, int *list, int capacity)
{
    const perp_mat *W = &d->whole->M;
    const perp_block *b = &d->blocks.at[block];
    int count = 0;
    for (int k = W->as.delassus.colptr[b->row]; k < W->as.delassus.colptr[b->row + b->dim]; k++) {
        int body = d->body_of[W->as.delassus.row[k]], i = 0;
        while (i < count && list[i] != body)
            i++;
        if (i == count && count < capacity)
            list[count++] = body;
    }
    return count;
}

/* 1: unknowns may be taken in groups of so many, none of which cuts a block of the mass. */
static int group_fits(const perp_division *d, int group)
{
    int n = d->mass->rows, *first = d->new_unknown; /* group of the first unknown of each block */
    if (n % group != 0)
        return 0;
    for (int i = n - 1; i >= 0; i--)
        first[d->body_of[i]] = i / group;
    for (int i = 0; i < n; i++)
        if (i / group != first[d->body_of[i]])
            return 0;
    return 1;
}

/* Numbers that rows keep of their bodies, and two for each body: less is better. */
static double cost_of_bodies(const perp_division *d, const int *size)
{
    int list[TOUCHED_MOST];
    double cost = 0.0;
    for (int k = 0; k < d->blocks.count; k++)
        for (int i = bodies_of_block(d, k, list, TOUCHED_MOST); i > 0; i--)
            cost += (double)size[list[i - 1]] * d->blocks.at[k].dim + 2.0;
    return cost;
}

/* A diagonal mass does not say which unknowns are one body: groups of three or six neighbours are
 * taken for bodies where rows need fewer numbers for them, as in Gauss-Seidel (gs/grouping.c). */
static perp_status group_unknowns(perp_division *d, perp_arena *arena)
{
    static const int groups[] = {3, 6};
    int n = d->mass->rows, *own = d->body_of, bodies = d->nbodies;
    int *size = perp_arena_take_zero(arena, (size_t)n, sizeof(int)),
        *other = PERP_TAKE(arena, int, n);
    d->new_unknown = PERP_TAKE(arena, int, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        size[own[i]]++;
    double least = cost_of_bodies(d, size);
    for (int g = 0; g < 2; g++) {
        if (!group_fits(d, groups[g]))
            continue;
        for (int i = 0; i < n; i++) {
            other[i] = i / groups[g];
            size[i] = groups[g];
        }
        d->body_of = other;
        double cost = cost_of_bodies(d, size);
        d->body_of = own;
        if (cost < least) {
            least = cost;
            d->group = groups[g];
            bodies = n / groups[g];
        }
    }
    for (int i = 0; i < n && d->group > 1; i++)
        own[i] = i / d->group;
    d->nbodies = bodies;
    return PERP_SOLVED;
}

static perp_status find_homes(perp_division *d, perp_arena *arena)
{
    double *mass;
    int list[TOUCHED_MOST];
    d->home = PERP_TAKE(arena, int, d->blocks.count);
    perp_status status = d->home ? weigh(d, &mass, arena) : PERP_ERR_MEMORY;
    for (int k = 0; k < d->blocks.count && status == PERP_SOLVED; k++) {
        int count = bodies_of_block(d, k, list, TOUCHED_MOST), best = -1;
        for (int i = 0; i < count; i++)
            if (best < 0 || mass[list[i]] > mass[best] ||
                (mass[list[i]] == mass[best] && list[i] < best))
                best = list[i];
        d->home[k] = best;
    }
    return status;
}

/* Neighbours of each body, the same one perhaps many times; start is counted first. */
static void list_pairs(const perp_division *d, graph *g, int store)
{
    int list[TOUCHED_MOST];
    for (int k = 0; k < d->blocks.count; k++) {
        int count = bodies_of_block(d, k, list, TOUCHED_MOST);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++) {
                if (i == j)
                    continue;
                if (store)
                    g->to[g->start[list[i]]++] = list[j];
                else
                    g->start[list[i] + 1]++;
            }
    }
}

/* Sorts the neighbours of each body and drops repetitions. */
static PetscErrorCode tidy(graph *g, int bodies)
{
    PetscInt kept = 0, from = 0;
    for (int b = 0; b < bodies; b++) {
        PetscInt end = g->start[b], count = end - from;
        PetscCall(PetscSortRemoveDupsInt(&count, g->to + from));
        memmove(g->to + kept, g->to + from, (size_t)count * sizeof *g->to);
        g->start[b] = kept;
        kept += count;
        from = end;
    }
    g->start[bodies] = kept;
    g->edges = (int)(kept / 2);
    return 0;
}

static PetscErrorCode make_graph(const perp_division *d, graph *g)
{
    int bodies = d->nbodies;
    PetscCall(PetscCalloc1((size_t)bodies + 1, &g->start));
    list_pairs(d, g, 0);
    for (int b = 0; b < bodies; b++)
        g->start[b + 1] += g->start[b];
    PetscCall(PetscMalloc1((size_t)g->start[bodies] + 1, &g->to));
    list_pairs(d, g, 1); /* start[b] is now where those of b end */
    return tidy(g, bodies);
}

/* Weight of a body: 1 and the blocks of rows that it brings. */
static void load_of_bodies(const perp_division *d, PetscInt *load)
{
    for (int b = 0; b < d->nbodies; b++)
        load[b] = 1;
    for (int k = 0; k < d->blocks.count; k++)
        if (d->home[k] >= 0)
            load[d->home[k]]++;
}

/* Bodies in their order, cut where the load is divided evenly. */
static void divide_in_order(const perp_division *d, int size, const PetscInt *load)
{
    double total = 0.0, before = 0.0;
    for (int b = 0; b < d->nbodies; b++)
        total += (double)load[b];
    for (int b = 0; b < d->nbodies; b++) {
        int rank = (int)(size * (before + 0.5 * (double)load[b]) / total);
        d->rank_of_body[b] = rank < size ? rank : size - 1;
        before += (double)load[b];
    }
}

#ifdef PERP_PARTITIONER
/* On this process alone.  The partitioner owns copies of the graph. */
static PetscErrorCode partition(const perp_division *d, int size, const graph *g,
                                const PetscInt *load)
{
    PetscInt *start, *to, *weights, bodies = d->nbodies;
    const PetscInt *ranks;
    Mat adjacency;
    MatPartitioning part;
    IS of;
    PetscCall(PetscMalloc1((size_t)bodies + 1, &start));
    PetscCall(PetscMalloc1((size_t)g->start[bodies] + 1, &to));
    PetscCall(PetscMalloc1((size_t)bodies + 1, &weights));
    memcpy(start, g->start, ((size_t)bodies + 1) * sizeof *start);
    memcpy(to, g->to, (size_t)g->start[bodies] * sizeof *to);
    memcpy(weights, load, (size_t)bodies * sizeof *weights);
    PetscCall(MatCreateMPIAdj(PETSC_COMM_SELF, bodies, bodies, start, to, NULL, &adjacency));
    PetscCall(MatPartitioningCreate(PETSC_COMM_SELF, &part));
    PetscCall(MatPartitioningSetAdjacency(part, adjacency));
    PetscCall(MatPartitioningSetType(part, PERP_PARTITIONER));
    PetscCall(MatPartitioningSetNParts(part, size));
    PetscCall(MatPartitioningSetVertexWeights(part, weights));
    PetscCall(MatPartitioningApply(part, &of));
    PetscCall(ISGetIndices(of, &ranks));
    for (PetscInt b = 0; b < bodies; b++)
        d->rank_of_body[b] = (int)ranks[b];
    PetscCall(ISRestoreIndices(of, &ranks));
    PetscCall(ISDestroy(&of));
    PetscCall(MatPartitioningDestroy(&part));
    PetscCall(MatDestroy(&adjacency));
    return 0;
}
#endif

static int all_in_range(const perp_division *d, int size)
{
    for (int b = 0; b < d->nbodies; b++)
        if (d->rank_of_body[b] < 0 || d->rank_of_body[b] >= size)
            return 0;
    return 1;
}

static const char *choose_ranks(const perp_division *d, int size, const graph *g,
                                const PetscInt *load)
{
#ifdef PERP_PARTITIONER
    if (size > 1 && d->nbodies > size && g->edges > 0 && !partition(d, size, g, load) &&
        all_in_range(d, size))
        return PERP_PARTITIONER;
#else
    (void)g;
    (void)all_in_range;
#endif
    divide_in_order(d, size, load);
    return "chunks";
}

static int count_cut(const perp_division *d, const graph *g)
{
    int cut = 0;
    for (int b = 0; b < d->nbodies; b++)
        for (PetscInt k = g->start[b]; k < g->start[b + 1]; k++)
            cut += g->to[k] > b && d->rank_of_body[b] != d->rank_of_body[g->to[k]];
    return cut;
}

static perp_status divide_bodies(perp_division *d, int size, perp_petsc_cut *cut)
{
    graph g = {NULL, NULL, 0};
    PetscInt *load = NULL;
    PetscErrorCode code = make_graph(d, &g);
    if (!code)
        code = PetscMalloc1((size_t)d->nbodies + 1, &load);
    if (!code) {
        load_of_bodies(d, load);
        cut->method = choose_ranks(d, size, &g, load);
        cut->bodies = d->nbodies;
        cut->edges = g.edges;
        cut->cut = count_cut(d, &g);
    }
    (void)PetscFree(load);
    (void)PetscFree(g.to);
    (void)PetscFree(g.start);
    return perp_petsc_status(code);
}

/* Rows and unknowns numbered by rank, in their first order within each. */
static void number(perp_division *d, int size)
{
    int unknowns = 0, rows = 0;
    for (int k = 0; k < d->blocks.count; k++)
        d->rank_of_block[k] = d->home[k] < 0 ? 0 : d->rank_of_body[d->home[k]];
    for (int rank = 0; rank < size; rank++) {
        int before = unknowns, first = rows;
        for (int i = 0; i < d->mass->rows; i++)
            if (d->rank_of_body[d->body_of[i]] == rank)
                d->new_unknown[i] = unknowns++;
        for (int k = 0; k < d->blocks.count; k++) {
            if (d->rank_of_block[k] != rank)
                continue;
            d->blocks_of[rank]++;
            for (int i = 0; i < d->blocks.at[k].dim; i++)
                d->row_order[rows++] = d->blocks.at[k].row + i;
        }
        d->unknowns_of[rank] = unknowns - before;
        d->rows_of[rank] = rows - first;
    }
    for (int b = 0; b < d->nbodies; b++)
        d->bodies_of[d->rank_of_body[b]]++;
}

static perp_status check_whole(const perp_division *d, perp_petsc_where *where)
{
    perp_where at = {NULL, -1, -1};
    if (!d->whole)
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "whole", -1);
    int bodies = d->whole->M.kind == PERP_DELASSUS;
    if (bodies && (!d->mass || d->mass->kind != PERP_CSC || d->mass->rows != d->mass->cols ||
                   d->mass->rows != d->whole->M.as.delassus.dofs))
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "mass", -1);
    perp_status status = perp_problem_check(d->whole, NULL, &at);
    if (status == PERP_SOLVED && bodies)
        status = perp_mat_check(d->mass, NULL, &at);
    if (status != PERP_SOLVED) {
        perp_petsc_at(where, status, at.what ? at.what : "whole", at.index);
        where->segment = at.segment;
    }
    return status;
}

/* Bodies of an assembled matrix: the blocks of rows stand for them in the graph. */
static perp_status make_bodies(perp_division *d, perp_arena *arena, perp_petsc_where *where)
{
    perp_status status = perp_factor_assembled(&d->factored, d->whole, &d->blocks, arena);
    if (status != PERP_SOLVED)
        return perp_petsc_at(where, status, "M", -1);
    d->with_bodies = *d->whole;
    d->with_bodies.M = d->factored.W;
    d->whole = &d->with_bodies;
    d->mass = &d->factored.mass;
    d->body_of = d->factored.block_of;
    d->nbodies = d->blocks.count;
    d->new_unknown = PERP_TAKE(arena, int, d->mass->rows);
    d->home = PERP_TAKE(arena, int, d->blocks.count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < d->blocks.count; k++)
        d->home[k] = k;
    return PERP_SOLVED;
}

/* Bodies and the home of each block. */
static perp_status find_bodies(perp_division *d, perp_arena *arena)
{
    perp_status status = find_mass_blocks(d, arena);
    if (status == PERP_SOLVED)
        status = group_unknowns(d, arena);
    return status == PERP_SOLVED ? find_homes(d, arena) : status;
}

perp_status perp_divide(perp_division *d, int size, perp_arena *arena, perp_petsc_cut *cut,
                        perp_petsc_where *where)
{
    perp_status status = check_whole(d, where);
    if (status == PERP_SOLVED)
        status = perp_blocks_build(&d->blocks, d->whole, arena);
    if (status == PERP_SOLVED)
        status = d->whole->M.kind == PERP_DELASSUS ? find_bodies(d, arena)
                                                   : make_bodies(d, arena, where);
    if (status != PERP_SOLVED)
        return status;
    d->rank_of_body = PERP_TAKE(arena, int, d->nbodies);
    d->rank_of_block = PERP_TAKE(arena, int, d->blocks.count);
    d->row_order = PERP_TAKE(arena, int, d->blocks.n);
    d->rows_of = perp_arena_take_zero(arena, 4 * (size_t)size, sizeof(int));
    if (arena->failed)
        return PERP_ERR_MEMORY;
    d->blocks_of = d->rows_of + size;
    d->unknowns_of = d->blocks_of + size;
    d->bodies_of = d->unknowns_of + size;
    status = divide_bodies(d, size, cut);
    if (status == PERP_SOLVED)
        number(d, size);
    return status;
}
