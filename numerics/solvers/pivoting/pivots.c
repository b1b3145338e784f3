/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/refute.h"
#include "solvers/pivoting/pivots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvers/pivoting/lcp_proof.h"

/* Active sets that are tried after a warm start, or from the end point.  One is the answer with an
 * error of rounding, or when it asks for no other one and the error is small. */
enum { SETS = 6 };
static const double exact_share = 1e-14, settled_share = 1e-10;

perp_status perp_pivots_build(perp_work *work, perp_pivots *state)
{
    perp_arena *arena = &state->arena;
    if (state->built)
        return PERP_SOLVED;
    perp_arena_reset(arena);
    perp_status status = perp_lcp_build(&state->lcp, work->problem, &work->blocks, arena);
    if (status != PERP_SOLVED)
        return status;
    state->on = PERP_TAKE(arena, unsigned char, state->lcp.size);
    state->x = PERP_TAKE(arena, double, state->lcp.size);
    state->y = PERP_TAKE(arena, double, state->lcp.size);
    status = perp_free_rows_take(&state->free_rows, &state->lcp, arena);
    if (status == PERP_SOLVED)
        status = perp_basis_take(&state->basis, &state->lcp, arena);
    state->built = status == PERP_SOLVED && !arena->failed;
    return arena->failed ? PERP_ERR_MEMORY : status;
}

static size_t free_count(const perp_blocks *blocks)
{
    size_t count = 0;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        count += block->set == PERP_FREE ||
                 (block->set == PERP_BOX && isinf(block->par[0]) && isinf(block->par[1]));
    }
    return count;
}

/* Bytes of the arrays; 0 where they are too many for any memory. */
static size_t capacity_bytes(const perp_blocks *blocks, size_t size)
{
    const size_t most = (size_t)1 << 24;
    size_t n = (size_t)blocks->n;
    if (size > most || n > most)
        return 0;
    return perp_lcp_bytes(size, n) + perp_free_rows_bytes(size, free_count(blocks)) +
           perp_basis_bytes(size) + size * (2 * sizeof(double) + 1) + 16 * 64;
}

/* The pivots' part is made when it is first needed; that of a Delassus matrix here, since its
 * product takes memory. */
perp_status perp_pivots_setup(perp_work *work)
{
    perp_status status;
    perp_pivots *state = PERP_TAKE(work->arena, perp_pivots, 1);
    size_t size = perp_lcp_size(&work->blocks, &status), n = (size_t)work->blocks.n;
    if (status != PERP_SOLVED)
        return status;
    size_t bytes = capacity_bytes(&work->blocks, size), sets = perp_active_set_bytes(n) + 8 * 64;
    void *memory = bytes > 0 ? perp_arena_take(work->arena, bytes, 1) : NULL;
    void *other = bytes > 0 ? perp_arena_take(work->arena, sets, 1) : NULL;
    work->certificate = perp_refute_take(work, work->arena);
    if (work->arena->failed || !memory || !other)
        return PERP_ERR_MEMORY;
    work->state = state;
    state->built = 0;
    state->bytes = bytes;
    perp_arena_init_with(&state->arena, &work->arena->allocator, memory, bytes);
    perp_arena_init_with(&state->sets, &work->arena->allocator, other, sets);
    return perp_active_set_takes(&work->problem->M) ? PERP_SOLVED : perp_pivots_build(work, state);
}

/* Bounds that became finite may need more memory. */
perp_status perp_pivots_update(perp_work *work)
{
    perp_status status;
    perp_pivots *state = work->state;
    size_t size = perp_lcp_size(&work->blocks, &status);
    if (status != PERP_SOLVED || capacity_bytes(&work->blocks, size) > state->bytes)
        return PERP_ERR_STATE;
    state->built = 0;
    return perp_active_set_takes(&work->problem->M) ? PERP_SOLVED : perp_pivots_build(work, state);
}

int perp_pivots_infeasible(perp_work *work, const perp_pivots *state, perp_status *status)
{
    perp_lcp_to_multipliers(work->certificate, &state->lcp, state->y);
    perp_status found = perp_refute(work);
    if (found == PERP_STALLED)
        return 0;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    *status = found;
    return 1;
}

/* The ray, or one row, proves that there is no solution. */
int perp_pivots_ray_proves(perp_pivots *state, int entering)
{
    const perp_lcp *lcp = &state->lcp;
    perp_basis_direction(state->x, &state->basis, entering);
    for (int i = 0; i < lcp->size; i++)
        state->y[i] = state->x[i] * lcp->col_scale[i] / lcp->row_scale[i];
    return perp_lcp_proves_infeasible(state->y, lcp) || perp_lcp_row_proves(state->y, lcp);
}

/* x into work->z, measured.  1: stop. */
int perp_pivots_judge(perp_work *work, perp_pivots *state)
{
    const perp_lcp *lcp = &state->lcp;
    for (int i = 0; i < lcp->size; i++)
        if (lcp->kind[i] != PERP_LCP_FREE)
            state->x[i] = fmax(state->x[i], 0.0);
    perp_lcp_to_z(work->z, lcp, state->x);
    double error = perp_measure(work, work->z);
    state->least = fmin(state->least, error);
    return perp_stop(work, state->iteration, error);
}

/* work->z is nearly an answer: the active sets that its signs ask for.  1: stop. */
static int polish(perp_work *work, perp_pivots *state)
{
    perp_active_set set;
    double error;
    perp_arena_reset(&state->sets);
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    if (!perp_active_set_takes(&work->problem->M) ||
        !perp_active_set_start(&set, work->problem, &work->blocks, work->z, &state->sets))
        return 0;
    for (int k = 0; k < SETS; k++) {
        if (!perp_active_set_solve(work->z, &set, work->w))
            return 0;
        error = perp_measure(work, work->z);
        if (!perp_active_set_holds(&set, work->z, work->scaling.d))
            return 0;
        if (perp_stop(work, state->iteration, error))
            return 1;
        perp_active_set_refine(work->z, &set, work->w);
        if (perp_measure_and_stop(work, state->iteration, &error))
            return 1;
        if (!perp_active_set_next(&set, work->z, work->w))
            return 0;
    }
    return 0;
}

/* The point of the last basis, solved again; where that is worse than the values that the pivots
 * left (a basis near singular), the latter. */
int perp_pivots_finish(perp_work *work, perp_pivots *state)
{
    const perp_lcp *lcp = &state->lcp;
    perp_basis *basis = &state->basis;
    for (int i = 0; i < lcp->size; i++)
        state->on[i] = basis->where[i] >= 0;
    if (perp_lcp_basic_solution(state->x, lcp, state->on, basis->lu, basis->pivots, basis->work,
                                basis->part) == PERP_SOLVED &&
        perp_pivots_judge(work, state))
        return 1;
    perp_basis_point(state->x, basis);
    if (perp_pivots_judge(work, state))
        return 1;
    return state->least <= PERP_PIVOTS_ROUNDING && polish(work, state);
}

static int go_on(void *ctx)
{
    perp_pivots *state = ctx;
    return !perp_stop_light(state->work, state->iteration, state->error);
}

/* The basis with the free variables.  1: *status is the answer. */
int perp_pivots_bring_free(perp_work *work, perp_pivots *state, perp_status *status)
{
    perp_free_rows *rows = &state->free_rows;
    int stopped, left;
    perp_free_end end = perp_free_rows_start(rows, go_on, state, &stopped, &left);
    if (stopped) {
        *status = work->monitor.verdict;
        return 1;
    }
    if (end == PERP_FREE_CONTRADICTED &&
        perp_lcp_proves_infeasible(rows->multipliers, &state->lcp)) {
        memcpy(state->y, rows->multipliers, (size_t)state->lcp.size * sizeof(double));
        if (perp_pivots_infeasible(work, state, status))
            return 1;
    }
    if (left > 0)
        snprintf(work->info->detail, sizeof work->info->detail,
                 "%d equality rows could not be eliminated and were left out", left);
    return 0;
}

/* From the first basis. */
perp_status perp_pivots_restart(perp_pivots *state)
{
    memcpy(state->basis.basic, state->free_rows.basic, (size_t)state->lcp.size * sizeof(int));
    memcpy(state->basis.open, state->free_rows.open, (size_t)state->lcp.size);
    return perp_basis_start(&state->basis);
}

/* work->z is the answer for the current set; *error its measure.  1: to rounding. */
static int accept_set(perp_work *work, perp_active_set *set, int settled, double *error)
{
    double limit = settled ? settled_share : exact_share;
    if (settled && *error > exact_share) {
        perp_active_set_refine(work->z, set, work->w);
        *error = perp_measure(work, work->z);
    }
    if (*error <= limit && perp_active_set_clip(work->z, set))
        *error = perp_measure(work, work->z);
    return *error <= limit && *error <= work->settings->tol &&
           perp_active_set_holds(set, work->z, work->scaling.d);
}

/* 1: one of the active sets from that of work->z is the answer, in work->z. */
int perp_pivots_try_sets(perp_work *work, perp_pivots *state, double *error)
{
    perp_active_set set;
    perp_arena_reset(&state->sets);
    if (!perp_active_set_start(&set, work->problem, &work->blocks, work->z, &state->sets))
        return 0;
    for (int k = 0; k < SETS; k++) {
        work->info->factorisations += set.count > 0;
        if (!perp_active_set_solve(work->z, &set, work->w))
            return 0;
        *error = perp_measure(work, work->z);
        if (accept_set(work, &set, 0, error))
            return 1;
        if (!perp_active_set_next(&set, work->z, work->w))
            return accept_set(work, &set, 1, error);
    }
    return 0;
}
