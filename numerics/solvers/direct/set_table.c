/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/direct/set_table.h"

#include <math.h>
#include <string.h>

#include "linalg/csc.h"
#include "linalg/dense_lu.h"

/* Up to so many rows, and for DENSE always, the factors are dense; all sets together hold so
 * many doubles at most, but two sets are remembered in any case. */
enum { DENSE_ROWS = 64 };
static const double most_doubles = 3.4e7;
static const double vanishing = 1e-12; /* share of the largest w that is rounding */

static const uint64_t hash_start = 0xcbf29ce484222325u, hash_factor = 0x100000001b3u;

int perp_direct_takes(const perp_mat *M)
{
    return M->kind == PERP_DENSE || M->kind == PERP_CSC || M->kind == PERP_BSR;
}

static unsigned char *side_of(const perp_direct_table *table, int place)
{
    return place == table->capacity ? table->trial
                                    : table->sides + (size_t)place * (size_t)table->n;
}

static uint64_t hash_of(const unsigned char *side, int n)
{
    uint64_t hash = hash_start;
    for (int i = 0; i < n; i++)
        hash = (hash ^ side[i]) * hash_factor;
    return hash ? hash : 1;
}

static perp_status take_factors(perp_direct_table *table, perp_arena *arena)
{
    size_t n = (size_t)table->n;
    for (int k = 0; k <= table->capacity; k++) {
        perp_direct_factors *f = &table->factors[k];
        *f = (perp_direct_factors){.row = PERP_TAKE(arena, int, n)};
        f->offset = PERP_TAKE(arena, double, n);
        if (table->dense) {
            f->lu = PERP_TAKE(arena, double, n *n);
            f->pivots = PERP_TAKE(arena, int, n);
        }
        perp_arena_init(&f->arena, &arena->allocator);
    }
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_direct_build(perp_direct_table *table, const perp_problem *problem,
                              const perp_blocks *blocks, const double *d, perp_arena *arena)
{
    size_t n = (size_t)blocks->n;
    double square = (double)n * (double)n, sets = PERP_DIRECT_SETS;
    *table = (perp_direct_table){.problem = problem, .n = blocks->n};
    table->dense = problem->M.kind == PERP_DENSE || blocks->n <= DENSE_ROWS;
    if (table->dense && square * (sets + 1.0) > most_doubles)
        sets = fmax(2.0, floor(most_doubles / square) - 1.0);
    table->capacity = (int)sets;
    table->lo = PERP_TAKE(arena, double, 4 * n);
    table->trial = PERP_TAKE(arena, unsigned char, n);
    table->at = PERP_TAKE(arena, int, n);
    table->memory_bytes = sizeof(perp_direct_memory) + PERP_DIRECT_SETS * n;
    table->memory = perp_arena_take_zero(arena, 1, table->memory_bytes);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    table->hi = table->lo + n;
    table->rho = table->hi + n;
    table->r = table->rho + n;
    table->sides = (unsigned char *)(table->memory + 1);
    perp_direct_reload(table, blocks, d);
    return take_factors(table, arena);
}

void perp_direct_reload(perp_direct_table *table, const perp_blocks *blocks, const double *d)
{
    for (int i = 0; i < table->n; i++) {
        const perp_block *block = &blocks->at[i];
        int box = block->set == PERP_BOX;
        table->lo[i] = box ? block->par[0] : block->set == PERP_FREE ? -INFINITY : 0.0;
        table->hi[i] = box ? block->par[1] : INFINITY;
        table->rho[i] = 1.0 / (d[i] * d[i]);
    }
}

void perp_direct_outdate(perp_direct_table *table)
{
    for (int k = 0; k <= table->capacity; k++)
        table->factors[k].hash = 0;
}

void perp_direct_release(perp_direct_table *table)
{
    for (int k = 0; k <= table->capacity; k++) {
        perp_factor_destroy(table->factors[k].factor);
        perp_arena_free(&table->factors[k].arena);
        table->factors[k].factor = NULL;
    }
}

static int is_possible(const perp_direct_table *table, const unsigned char *side)
{
    for (int i = 0; i < table->n; i++) {
        double bound = side[i] == PERP_DIRECT_LOWER ? table->lo[i] : table->hi[i];
        if (side[i] > PERP_DIRECT_UPPER || (side[i] != PERP_DIRECT_INSIDE && isinf(bound)))
            return 0;
    }
    return 1;
}

void perp_direct_validate(perp_direct_table *table)
{
    perp_direct_memory *memory = table->memory;
    unsigned seen = 0;
    int used = 0;
    if (memory->used < 0 || memory->used > table->capacity)
        memory->used = 0;
    for (int k = 0; k < memory->used; k++) {
        int place = memory->order[k];
        if (place < 0 || place >= table->capacity || (seen >> place & 1u))
            continue;
        const unsigned char *side = side_of(table, place);
        int known = table->factors[place].hash == memory->hash[place];
        if (!known && (!is_possible(table, side) || hash_of(side, table->n) != memory->hash[place]))
            continue;
        seen |= 1u << place;
        memory->order[used++] = place;
    }
    memory->used = used;
}

static int asked(const perp_direct_table *table, int i, double z, double w)
{
    double x = z - table->rho[i] * w, lo = table->lo[i], hi = table->hi[i];
    if (x <= lo || lo == hi)
        return PERP_DIRECT_LOWER;
    return x >= hi ? PERP_DIRECT_UPPER : PERP_DIRECT_INSIDE;
}

void perp_direct_ask(perp_direct_table *table, const double *z, const double *w, int wide)
{
    double most = 0.0;
    for (int i = 0; wide && i < table->n; i++)
        most = fmax(most, fabs(w[i]));
    for (int i = 0; i < table->n; i++) {
        int inside = wide && fabs(w[i]) <= vanishing * most && table->lo[i] < table->hi[i];
        int side = inside ? PERP_DIRECT_INSIDE : asked(table, i, z[i], w[i]);
        table->trial[i] = (unsigned char)side;
    }
}

int perp_direct_moves(const perp_direct_table *table, int place, const double *z, const double *w)
{
    const unsigned char *side = side_of(table, place);
    for (int i = 0; i < table->n; i++)
        if (asked(table, i, z[i], w[i]) != side[i])
            return 1;
    return 0;
}

int perp_direct_find(const perp_direct_table *table)
{
    const perp_direct_memory *memory = table->memory;
    uint64_t hash = hash_of(table->trial, table->n);
    for (int k = 0; k < memory->used; k++) {
        int place = memory->order[k];
        if (memory->hash[place] == hash &&
            memcmp(side_of(table, place), table->trial, (size_t)table->n) == 0)
            return place;
    }
    return table->capacity;
}

int perp_direct_distance(const perp_direct_table *table, int place)
{
    const unsigned char *side = side_of(table, place);
    int rows = 0;
    for (int i = 0; i < table->n; i++)
        rows += side[i] != table->trial[i];
    return rows;
}

/* z of the rows at bounds, 0 in the others; 1: one of them is not 0. */
static int put_bounds(double *z, const perp_direct_table *table, const unsigned char *side)
{
    int bounded = 0;
    for (int i = 0; i < table->n; i++) {
        z[i] = side[i] == PERP_DIRECT_INSIDE  ? 0.0
               : side[i] == PERP_DIRECT_LOWER ? table->lo[i]
                                              : table->hi[i];
        bounded |= z[i] != 0.0;
    }
    return bounded;
}

/* Entries of M with row and column in S, each into lu, or as a triplet where that is NULL. */
typedef struct gathering {
    const int *at; /* n: position in S or -1 */
    double *lu;
    size_t order;
    int *row, *col, entries;
    double *x;
} gathering;

static void put(gathering *g, int i, int j, double x)
{
    int r = g->at[i], c = g->at[j];
    if (r < 0 || c < 0)
        return;
    if (g->lu) {
        g->lu[(size_t)r + (size_t)c * g->order] = x;
        return;
    }
    g->row[g->entries] = r;
    g->col[g->entries] = c;
    g->x[g->entries++] = x;
}

static void gather(gathering *g, const perp_mat *M)
{
    if (M->kind == PERP_DENSE) {
        for (int j = 0; j < M->cols; j++)
            for (int i = 0; g->at[j] >= 0 && i < M->rows; i++)
                put(g, i, j, M->as.dense.x[(size_t)j * (size_t)M->as.dense.ld + (size_t)i]);
    } else if (M->kind == PERP_CSC) {
        for (int j = 0; j < M->cols; j++)
            for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
                put(g, M->as.csc.row[p], j, M->as.csc.x[p]);
    } else {
        int b = M->as.bsr.block;
        for (int i = 0; i < M->rows; i++)
            for (int p = M->as.bsr.rowptr[i / b]; p < M->as.bsr.rowptr[i / b + 1]; p++)
                for (int c = 0; c < b; c++)
                    put(g, i, M->as.bsr.col[p] * b + c,
                        M->as.bsr.x[(size_t)p * (size_t)(b * b) + (size_t)(i % b + c * b)]);
    }
}

static int stored_entries(const perp_mat *M)
{
    return M->kind == PERP_CSC
               ? M->as.csc.colptr[M->cols]
               : M->as.bsr.rowptr[M->rows / M->as.bsr.block] * M->as.bsr.block * M->as.bsr.block;
}

static perp_status factorise_sparse(perp_direct_table *table, perp_direct_factors *f)
{
    const perp_mat *M = &table->problem->M;
    gathering g = {.at = table->at};
    size_t most = (size_t)stored_entries(M);
    perp_csc sub;
    perp_factor_destroy(f->factor);
    f->factor = NULL;
    perp_arena_reset(&f->arena);
    g.row = PERP_TAKE(&f->arena, int, most);
    g.col = PERP_TAKE(&f->arena, int, most);
    g.x = PERP_TAKE(&f->arena, double, most);
    if (f->arena.failed)
        return PERP_ERR_MEMORY;
    gather(&g, M);
    perp_status status = perp_csc_from_triplets(&sub, f->count, f->count, g.entries, g.row, g.col,
                                                g.x, &f->arena);
    if (status == PERP_SOLVED)
        status = perp_factor_create(&f->factor, PERP_FACTOR_AUTO, PERP_ORDERING_AUTO, 0, &sub,
                                    &f->arena.allocator);
    return status == PERP_SOLVED ? perp_factor_numeric(f->factor, &sub) : status;
}

static perp_status factorise_dense(perp_direct_table *table, perp_direct_factors *f)
{
    gathering g = {.at = table->at, .lu = f->lu, .order = (size_t)f->count};
    memset(f->lu, 0, g.order * g.order * sizeof(double));
    gather(&g, &table->problem->M);
    return perp_dense_lu_factor(f->lu, f->pivots, f->count) ? PERP_SOLVED : PERP_ERR_SINGULAR;
}

/* z has the bounds on return. */
static perp_status factorise(perp_direct_table *table, perp_direct_factors *f, uint64_t hash,
                             const unsigned char *side, double *z)
{
    perp_status status = PERP_SOLVED;
    f->hash = 0;
    f->count = f->singular = 0;
    for (int i = 0; i < table->n; i++) {
        table->at[i] = side[i] == PERP_DIRECT_INSIDE ? f->count : -1;
        if (side[i] == PERP_DIRECT_INSIDE)
            f->row[f->count++] = i;
    }
    f->bounded = put_bounds(z, table, side);
    if (f->bounded)
        perp_mat_apply(&table->problem->M, z, NULL, f->offset);
    if (f->count > 0) {
        table->factorisations++;
        status = table->dense ? factorise_dense(table, f) : factorise_sparse(table, f);
    }
    f->singular = status == PERP_ERR_SINGULAR || status == PERP_ERR_NUMERICAL;
    if (status == PERP_SOLVED || f->singular)
        f->hash = hash;
    return f->singular ? PERP_ERR_SINGULAR : status;
}

static void solve(perp_direct_table *table, perp_direct_factors *f)
{
    if (f->count > 0 && table->dense)
        perp_dense_lu_solve(table->r, f->lu, f->pivots, f->count);
    else if (f->count > 0)
        perp_factor_solve(f->factor, table->r);
}

perp_status perp_direct_answer(double *z, perp_direct_table *table, int place)
{
    perp_direct_factors *f = &table->factors[place];
    const unsigned char *side = side_of(table, place);
    const double *q = table->problem->q;
    int trial = place == table->capacity;
    uint64_t hash = trial ? hash_of(side, table->n) : table->memory->hash[place];
    if (f->hash != hash) {
        perp_status status = factorise(table, f, hash, side, z);
        if (status != PERP_SOLVED)
            return status;
    } else if (f->singular) {
        return PERP_ERR_SINGULAR;
    } else {
        put_bounds(z, table, side);
    }
    for (int k = 0; k < f->count; k++) {
        int i = f->row[k];
        table->r[k] = f->bounded ? -(q[i] + f->offset[i]) : -q[i];
    }
    solve(table, f);
    for (int k = 0; k < f->count; k++)
        z[f->row[k]] = table->r[k];
    return PERP_SOLVED;
}

void perp_direct_refine(double *z, perp_direct_table *table, int place, const double *w)
{
    perp_direct_factors *f = &table->factors[place];
    for (int k = 0; k < f->count; k++)
        table->r[k] = -w[f->row[k]];
    solve(table, f);
    for (int k = 0; k < f->count; k++)
        z[f->row[k]] += table->r[k];
}

/* A free place, or that of the set used longest ago, which leaves the order. */
static int place_for_new(perp_direct_memory *memory, int capacity)
{
    unsigned taken = 0;
    if (memory->used == capacity)
        return memory->order[--memory->used];
    for (int k = 0; k < memory->used; k++)
        taken |= 1u << memory->order[k];
    int place = 0;
    while (taken >> place & 1u)
        place++;
    return place;
}

void perp_direct_keep(perp_direct_table *table, int place)
{
    perp_direct_memory *memory = table->memory;
    int at = 0;
    if (place == table->capacity) {
        perp_direct_factors *trial = &table->factors[place], factors = *trial;
        place = place_for_new(memory, table->capacity);
        memcpy(side_of(table, place), table->trial, (size_t)table->n);
        *trial = table->factors[place];
        table->factors[place] = factors;
        memory->hash[place] = factors.hash;
        memory->order[memory->used++] = place;
    }
    while (memory->order[at] != place)
        at++;
    for (; at > 0; at--)
        memory->order[at] = memory->order[at - 1];
    memory->order[0] = place;
}
