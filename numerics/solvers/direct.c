/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences of problems, as time steps of a circuit give them: the last active sets are remembered
 * with their factors and tried first, so that the usual step costs one triangular solution and
 * one residual.  When the set used last is not the answer, its signs ask for others (the
 * primal-dual active set method), which may be known; then the other known ones are tried, then a
 * few that the signs ask for; then another solver runs, and the set of its answer is
 * remembered.
 *
 * A set is the answer when it asks for no other one and the error is within the tolerance, or
 * when its error is rounding.  New numbers in M make the factors again and keep the sets. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "handle/refute.h"
#include "handle/nested.h"
#include "handle/registry.h"
#include "handle/solver_type.h"
#include "solvers/direct/set_table.h"

enum { STEPS = 6, PIVOT_ROWS = 300 };
static const double exact_share = 1e-14;

typedef struct direct_state {
    perp_direct_table table;
    perp_nested other; /* the solver of last resort */
    double *kept;      /* n */
    size_t values;
    double *value; /* of M as it was factorised */
    int *pattern;  /* of a sparse M */
    size_t indices;
    double *bounds; /* 2 n */
    unsigned tried; /* places, in this solve */
    int iteration;
} direct_state;

/* The arrays of M, as up to two pieces of indices and the values; DENSE has its columns. */
typedef struct pieces {
    const int *index[2];
    size_t count[2], values;
    const double *value;
} pieces;

static pieces pieces_of(const perp_mat *M)
{
    pieces p = {{NULL, NULL}, {0, 0}, (size_t)M->rows * (size_t)M->cols, NULL};
    if (M->kind == PERP_CSC) {
        p.index[0] = M->as.csc.colptr;
        p.index[1] = M->as.csc.row;
        p.count[0] = (size_t)M->cols + 1;
        p.count[1] = p.values = (size_t)M->as.csc.colptr[M->cols];
        p.value = M->as.csc.x;
    } else if (M->kind == PERP_BSR) {
        size_t block = (size_t)M->as.bsr.block, rows = (size_t)M->rows / block;
        p.index[0] = M->as.bsr.rowptr;
        p.index[1] = M->as.bsr.col;
        p.count[0] = rows + 1;
        p.count[1] = (size_t)M->as.bsr.rowptr[rows];
        p.values = p.count[1] * block * block;
        p.value = M->as.bsr.x;
    }
    return p;
}

static const double *dense_column(const perp_mat *M, size_t j)
{
    return M->as.dense.x + j * (size_t)M->as.dense.ld;
}

/* 1: other numbers or another pattern than those kept. */
static int differs(const direct_state *state, const perp_mat *M)
{
    pieces p = pieces_of(M);
    if (M->kind == PERP_DENSE) {
        size_t rows = (size_t)M->rows;
        for (size_t j = 0; j < (size_t)M->cols; j++)
            if (memcmp(state->value + j * rows, dense_column(M, j), rows * sizeof(double)) != 0)
                return 1;
        return 0;
    }
    return memcmp(state->value, p.value, p.values * sizeof(double)) != 0 ||
           memcmp(state->pattern, p.index[0], p.count[0] * sizeof(int)) != 0 ||
           memcmp(state->pattern + p.count[0], p.index[1], p.count[1] * sizeof(int)) != 0;
}

static void keep_matrix(direct_state *state, const perp_mat *M)
{
    pieces p = pieces_of(M);
    if (M->kind == PERP_DENSE) {
        size_t rows = (size_t)M->rows;
        for (size_t j = 0; j < (size_t)M->cols && rows > 0; j++)
            memcpy(state->value + j * rows, dense_column(M, j), rows * sizeof(double));
        return;
    }
    memcpy(state->value, p.value, p.values * sizeof(double));
    memcpy(state->pattern, p.index[0], p.count[0] * sizeof(int));
    memcpy(state->pattern + p.count[0], p.index[1], p.count[1] * sizeof(int));
}

static void keep_bounds(direct_state *state)
{
    size_t bytes = (size_t)state->table.n * sizeof(double);
    memcpy(state->bounds, state->table.lo, bytes);
    memcpy(state->bounds + state->table.n, state->table.hi, bytes);
}

static int bounds_differ(const direct_state *state)
{
    const perp_direct_table *table = &state->table;
    for (int i = 0; i < table->n; i++)
        if (state->bounds[i] != table->lo[i] || state->bounds[table->n + i] != table->hi[i])
            return 1;
    return 0;
}

/* Pivoting where it is cheap and needs no memory in solve. */
static const perp_solver_type *last_resort(const perp_work *work)
{
    int pivots = work->problem->M.kind == PERP_DENSE || work->blocks.n <= PIVOT_ROWS;
    return pivots ? &perp_solver_lemke : &perp_solver_newton;
}

static perp_status direct_setup(perp_work *work)
{
    perp_arena *arena = work->arena;
    direct_state *state = perp_arena_take_zero(arena, 1, sizeof *state);
    pieces p = pieces_of(&work->problem->M);
    if (!state || !perp_nested_init(&state->other, last_resort(work), work))
        return PERP_ERR_MEMORY;
    state->kept = PERP_TAKE(arena, double, work->blocks.n);
    state->value = PERP_TAKE(arena, double, p.values);
    state->pattern = PERP_TAKE(arena, int, p.count[0] + p.count[1]);
    state->bounds = PERP_TAKE(arena, double, 2 * (size_t)work->blocks.n);
    work->certificate = perp_refute_take(work, arena);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    perp_status status =
        perp_direct_build(&state->table, work->problem, &work->blocks, work->scaling.d, arena);
    work->state = state; /* from here on there is something to release */
    work->memory = state->table.memory;
    work->memory_bytes = state->table.memory_bytes;
    if (status != PERP_SOLVED)
        return status;
    keep_matrix(state, &work->problem->M);
    keep_bounds(state);
    state->other.settings.warm_start = state->other.type == &perp_solver_newton;
    return state->table.dense ? perp_nested_prepare(&state->other, work) : PERP_SOLVED;
}

static perp_status direct_update_q(perp_work *work)
{
    direct_state *state = work->state;
    perp_nested_outdate(&state->other);
    return PERP_SOLVED;
}

static perp_status direct_update(perp_work *work)
{
    direct_state *state = work->state;
    perp_direct_reload(&state->table, &work->blocks, work->scaling.d);
    if (differs(state, &work->problem->M) || bounds_differ(state)) {
        perp_direct_outdate(&state->table);
        keep_matrix(state, &work->problem->M);
        keep_bounds(state);
    }
    perp_nested_outdate(&state->other);
    return state->table.dense ? perp_nested_prepare(&state->other, work) : PERP_SOLVED;
}

static void direct_release(perp_work *work)
{
    direct_state *state = work->state;
    perp_nested_release(&state->other);
    perp_direct_release(&state->table);
}

/* Puts z into its bounds; 1: it was not. */
static int clip(double *z, const perp_direct_table *table)
{
    int clipped = 0;
    for (int i = 0; i < table->n; i++) {
        double inside = fmin(fmax(z[i], table->lo[i]), table->hi[i]);
        clipped |= inside != z[i];
        z[i] = inside;
    }
    return clipped;
}

/* The answer of a set into work->z; a factor that it takes counts at once, for the budget. */
static perp_status answer(perp_work *work, int place)
{
    direct_state *state = work->state;
    int before = state->table.factorisations;
    perp_status status = perp_direct_answer(work->z, &state->table, place);
    work->info->factorisations += state->table.factorisations - before;
    return status;
}

/* The set at `place` into work->z, measured; the set that it asks for is the next trial where it
 * is another one.  1: stopped; *again: what it asks for can be tried. */
static int try_set(perp_work *work, int place, int *again, perp_status *status)
{
    direct_state *state = work->state;
    perp_direct_table *table = &state->table;
    *again = 0;
    if (place < table->capacity)
        state->tried |= 1u << place;
    *status = answer(work, place);
    if (*status == PERP_ERR_SINGULAR) {
        *status = PERP_SOLVED;
        return 0;
    }
    if (*status != PERP_SOLVED)
        return 1;
    double error = perp_measure(work, work->z);
    if (!isfinite(error))
        return 0;
    int moved = perp_direct_moves(table, place, work->z, work->w);
    if (!moved && error > exact_share) {
        perp_direct_refine(work->z, table, place, work->w);
        error = perp_measure(work, work->z);
    }
    if ((!moved || error <= exact_share) && clip(work->z, table))
        error = perp_measure(work, work->z);
    *again = moved;
    if (error <= work->settings->tol && (!moved || error <= exact_share)) {
        perp_direct_keep(table, place);
        return perp_stop(work, ++state->iteration, error);
    }
    return perp_stop_light(work, ++state->iteration, error);
}

static int is_tried(const direct_state *state, int place)
{
    return (state->tried >> place & 1u) != 0;
}

/* By what the signs ask for from work->z and w, as long as the sets are `known`, or in a few
 * steps.  1: stopped. */
static int follow_signs(perp_work *work, int known, int again, perp_status *status)
{
    direct_state *state = work->state;
    perp_direct_table *table = &state->table;
    for (int k = 0; again && (known || k < STEPS); k++) {
        perp_direct_ask(table, work->z, work->w, 0);
        int place = perp_direct_find(table);
        if (place < table->capacity ? is_tried(state, place) : known)
            return 0;
        if (try_set(work, place, &again, status))
            return 1;
    }
    return 0;
}

/* The known sets: that used last, those that follow by their signs, and those that are nearer to
 * what was asked for at last than the first one.  Afterwards work->z is the point of the set used
 * last.  1: stopped; *again: its signs ask for another. */
static int try_known(perp_work *work, int *again, perp_status *status)
{
    direct_state *state = work->state;
    perp_direct_table *table = &state->table;
    const perp_direct_memory *memory = table->memory;
    if (try_set(work, memory->order[0], again, status) || follow_signs(work, 1, *again, status))
        return 1;
    int far = *again ? perp_direct_distance(table, memory->order[0]) : INT_MAX;
    for (int k = 1, other; k < memory->used; k++)
        if (!is_tried(state, memory->order[k]) &&
            perp_direct_distance(table, memory->order[k]) < far &&
            try_set(work, memory->order[k], &other, status))
            return 1;
    if (*again && answer(work, memory->order[0]) == PERP_SOLVED)
        (void)perp_measure(work, work->z);
    return 0;
}

/* The set of the current answer becomes known, and gives it the last digits. */
static perp_status remember(perp_work *work)
{
    direct_state *state = work->state;
    perp_direct_table *table = &state->table;
    size_t bytes = (size_t)table->n * sizeof(double);
    perp_status status = PERP_ERR_SINGULAR;
    memcpy(state->kept, work->z, bytes);
    for (int wide = 0; wide < 2; wide++) {
        (void)perp_measure(work, state->kept);
        perp_direct_ask(table, state->kept, work->w, wide);
        int place = perp_direct_find(table);
        status = answer(work, place);
        if (status != PERP_SOLVED && status != PERP_ERR_SINGULAR)
            return status;
        double error = status == PERP_SOLVED ? perp_measure(work, work->z) : INFINITY;
        if (error <= work->settings->tol) {
            perp_direct_keep(table, place);
            if (clip(work->z, table))
                error = perp_measure(work, work->z);
            if (error <= work->settings->tol)
                return PERP_SOLVED;
        }
    }
    memcpy(work->z, state->kept, bytes);
    return PERP_SOLVED;
}

static perp_status run(perp_work *work)
{
    direct_state *state = work->state;
    perp_direct_memory *memory = state->table.memory;
    perp_status status = PERP_SOLVED;
    int again = 1, stopped;
    double error;
    if (memory->used > 0)
        stopped = try_known(work, &again, &status);
    else
        stopped = perp_measure_and_stop(work, 0, &error);
    if (stopped || follow_signs(work, 0, again, &status))
        return status == PERP_SOLVED ? work->monitor.verdict : status;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->iterations = state->iteration;
    status = perp_nested_solve(&state->other, work, 0, NULL, NULL);
    return status == PERP_SOLVED ? remember(work) : status;
}

static perp_status direct_solve(perp_work *work)
{
    direct_state *state = work->state;
    state->tried = 0;
    state->iteration = 0;
    state->table.factorisations = 0;
    perp_direct_validate(&state->table);
    return run(work);
}

const perp_solver_type perp_solver_direct = {
    .name = "direct",
    .summary = "reuses active sets and factors of earlier solves, for sequences of problems",
    .reads = "",
    .sets = PERP_LINEAR_SETS,
    .matrices = PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR),
    .flags = PERP_ALLOCATES,
    .max_iter = 1000000,
    .stall = 0,
    .setup = direct_setup,
    .update = direct_update,
    .update_q = direct_update_q,
    .solve = direct_solve,
    .release = direct_release,
};
