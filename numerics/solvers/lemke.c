/* SPDX-License-Identifier: BSD-3-Clause */
/* Lemke's complementary pivoting with the lexicographic rule: exact for LCP,
 * mixed LCP and boxes, finite on degenerate problems.  The basis is factored and updated
 * (lcp_basis.h).  FREE variables enter it first; the last basis is solved again from the
 * equilibrated matrix, with refinement by residuals of 31 digits.
 *
 * With a warm start the active set of the given z is tried first, and a few that its
 * signs ask for (active_set.h): no pivot is made where one of them is the answer to
 * rounding.  Otherwise the pivots start as if there had been no guess.
 *
 * Several covering vectors are tried, then the starts of Lemke and Howson, in which one z_k
 * takes the place of the covering variable (bimatrix games).  A secondary ray of each ends with
 * PERP_RAY and the z part of the last covering vector's as certificate.  Where a ray, or one row,
 * proves that M z + q has no z with the signs wanted (checked apart: lcp_proof.h), the answer is
 * PERP_INFEASIBLE and that y. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "handle/solver_type.h"
#include "solvers/pivoting/active_set.h"
#include "solvers/pivoting/free_rows.h"
#include "solvers/pivoting/lcp_basis.h"
#include "solvers/pivoting/lcp_form.h"
#include "solvers/pivoting/lcp_proof.h"

/* Covering vectors that are tried: (1, .., 1), then others, since a ray belongs to one; and
 * starts of Lemke and Howson. */
enum { COVERS = 4, LABELS = 32 };
/* An end point with this error is the solution, and tol asks for more digits than there are. */
static const double rounding_share = 1e-8;
/* Active sets that are tried after a warm start.  One is the answer with an error of
 * rounding, or when it asks for no other one and the error is small. */
enum { SETS = 6 };
static const double exact_share = 1e-14, settled_share = 1e-10;

typedef struct lemke_state {
    perp_arena sets; /* memory from setup: for active sets, */
    perp_arena room; /* and for the pivots */
    size_t bytes;    /* of both */
    int built;       /* the latter is in use */
    perp_lcp lcp;
    perp_free_rows free_rows;
    perp_basis basis;
    unsigned char *on; /* size: rows of the final system */
    double *x;         /* size */
    double *y;         /* size: multipliers of a certificate, scaled */
    int iteration;
    int goal, other; /* what has to leave: t, or one of the pair of a label */
    double error;    /* of the first iterate */
    double least;    /* of the best end point */
    perp_work *work;
} lemke_state;

static perp_status build(perp_work *work, lemke_state *state)
{
    perp_arena *room = &state->room;
    if (state->built)
        return PERP_SOLVED;
    perp_arena_reset(room);
    perp_status status = perp_lcp_build(&state->lcp, work->problem, &work->blocks, room);
    if (status != PERP_SOLVED)
        return status;
    state->on = PERP_TAKE(room, unsigned char, state->lcp.size);
    state->x = PERP_TAKE(room, double, state->lcp.size);
    state->y = PERP_TAKE(room, double, state->lcp.size);
    status = perp_free_rows_take(&state->free_rows, &state->lcp, room);
    if (status == PERP_SOLVED)
        status = perp_basis_take(&state->basis, &state->lcp, room);
    state->built = status == PERP_SOLVED && !room->failed;
    return room->failed ? PERP_ERR_MEMORY : status;
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

/* Bytes of the rooms; 0 where they are too many for any memory. */
static size_t room_bytes(const perp_blocks *blocks, size_t size)
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
static perp_status lemke_setup(perp_work *work)
{
    perp_status status;
    lemke_state *state = PERP_TAKE(work->arena, lemke_state, 1);
    size_t size = perp_lcp_size(&work->blocks, &status), n = (size_t)work->blocks.n;
    if (status != PERP_SOLVED)
        return status;
    size_t bytes = room_bytes(&work->blocks, size), sets = perp_active_set_bytes(n) + 8 * 64;
    void *memory = bytes > 0 ? perp_arena_take(work->arena, bytes, 1) : NULL;
    void *other = bytes > 0 ? perp_arena_take(work->arena, sets, 1) : NULL;
    work->certificate = PERP_TAKE(work->arena, double, n);
    if (work->arena->failed || !memory || !other)
        return PERP_ERR_MEMORY;
    work->state = state;
    state->built = 0;
    state->bytes = bytes;
    perp_arena_init_with(&state->room, &work->arena->allocator, memory, bytes);
    perp_arena_init_with(&state->sets, &work->arena->allocator, other, sets);
    return perp_active_set_takes(&work->problem->M) ? PERP_SOLVED : build(work, state);
}

/* Bounds that became finite may need more room. */
static perp_status lemke_update(perp_work *work)
{
    perp_status status;
    lemke_state *state = work->state;
    size_t size = perp_lcp_size(&work->blocks, &status);
    if (status != PERP_SOLVED || room_bytes(&work->blocks, size) > state->bytes)
        return PERP_ERR_STATE;
    state->built = 0;
    return perp_active_set_takes(&work->problem->M) ? PERP_SOLVED : build(work, state);
}

static perp_status report_infeasible(perp_work *work, const lemke_state *state)
{
    perp_lcp_to_multipliers(work->certificate, &state->lcp, state->y);
    work->certificate_kind = PERP_CERTIFICATE_INFEASIBLE;
    return PERP_INFEASIBLE;
}

/* The ray, or one row, proves that there is no solution. */
static int ray_proves(lemke_state *state, int entering)
{
    const perp_lcp *lcp = &state->lcp;
    perp_basis_direction(state->x, &state->basis, entering);
    for (int i = 0; i < lcp->size; i++)
        state->y[i] = state->x[i] * lcp->col_scale[i] / lcp->row_scale[i];
    return perp_lcp_proves_infeasible(state->y, lcp) || perp_lcp_row_proves(state->y, lcp);
}

/* z part of the ray in which `entering` grows, its largest entry 1. */
static void keep_ray(perp_work *work, lemke_state *state, int entering)
{
    double largest = 0.0;
    perp_basis_direction(state->x, &state->basis, entering);
    perp_lcp_to_direction(work->certificate, &state->lcp, state->x);
    for (int i = 0; i < state->lcp.n; i++)
        largest = fmax(largest, fabs(work->certificate[i]));
    for (int i = 0; i < state->lcp.n && largest > 0.0; i++)
        work->certificate[i] /= largest;
    work->certificate_kind = PERP_CERTIFICATE_RAY;
}

/* Complementary pivots until the goal leaves (PERP_SOLVED), a ray (PERP_RAY), a basis that is
 * singular (PERP_STALLED) or a limit. */
static perp_status pivot_to_end(perp_work *work, lemke_state *state, int leaving, int *entering)
{
    perp_basis *basis = &state->basis;
    int N = basis->size;
    while (leaving != state->goal && leaving != state->other) {
        if (perp_stop_light(work, ++state->iteration, state->error))
            return work->monitor.verdict;
        *entering = (leaving + N) % (2 * N);
        int end = perp_basis_pivot(basis, *entering, state->goal, state->other, &leaving);
        if (end < 1)
            return end == 0 ? PERP_RAY : PERP_STALLED;
    }
    return PERP_SOLVED;
}

/* x into work->z, measured.  1: stop. */
static int judge_point(perp_work *work, lemke_state *state)
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
static int polish(perp_work *work, lemke_state *state)
{
    perp_active_set set;
    double error;
    perp_arena_reset(&state->sets);
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    if (!perp_active_set_takes(&work->problem->M) ||
        !perp_active_set_start(&set, work->problem, &work->blocks, work->z, &state->sets))
        return 0;
    for (int k = 0; k < SETS; k++) {
        if (!perp_active_set_solve(work->z, &set, work->w) ||
            perp_measure_and_stop(work, state->iteration, &error))
            return work->monitor.verdict == PERP_SOLVED && error <= work->settings->tol;
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
static int finish(perp_work *work, lemke_state *state)
{
    const perp_lcp *lcp = &state->lcp;
    perp_basis *basis = &state->basis;
    for (int i = 0; i < lcp->size; i++)
        state->on[i] = basis->where[i] >= 0;
    if (perp_lcp_basic_solution(state->x, lcp, state->on, basis->lu, basis->pivots, basis->work,
                                basis->part) == PERP_SOLVED &&
        judge_point(work, state))
        return 1;
    perp_basis_point(state->x, basis);
    if (judge_point(work, state))
        return 1;
    return state->least <= rounding_share && polish(work, state);
}

static int go_on(void *ctx)
{
    lemke_state *state = ctx;
    return !perp_stop_light(state->work, state->iteration, state->error);
}

/* The basis with the free variables.  1: *status is the answer. */
static int bring_free(perp_work *work, lemke_state *state, perp_status *status)
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
        *status = report_infeasible(work, state);
        return 1;
    }
    if (left > 0)
        snprintf(work->info->detail, sizeof work->info->detail,
                 "%d equality rows could not be eliminated and were left out", left);
    return 0;
}

/* From the first basis. */
static perp_status restart(lemke_state *state)
{
    memcpy(state->basis.basic, state->free_rows.basic, (size_t)state->lcp.size * sizeof(int));
    memcpy(state->basis.open, state->free_rows.open, (size_t)state->lcp.size);
    return perp_basis_start(&state->basis);
}

/* The pivots from a start, and what their end is worth.  1: *status is the answer. */
static int run(perp_work *work, lemke_state *state, int leaving, int begun, perp_status *status)
{
    int entering = -1, covered = state->goal == 2 * state->lcp.size;
    *status = begun ? pivot_to_end(work, state, leaving, &entering) : PERP_SOLVED;
    if (*status != PERP_SOLVED && *status != PERP_RAY)
        return *status != PERP_STALLED || work->monitor.verdict != PERP_SOLVED;
    if (*status == PERP_SOLVED) {
        int ended = finish(work, state);
        *status = ended ? work->monitor.verdict : PERP_STALLED;
        return ended;
    }
    if (covered && ray_proves(state, entering)) {
        *status = report_infeasible(work, state);
        return 1;
    }
    if (covered)
        keep_ray(work, state, entering);
    /* On a ray the basis without t may be singular: its point would mean nothing. */
    perp_basis_point(state->x, &state->basis);
    int ended = judge_point(work, state);
    *status = ended ? work->monitor.verdict : PERP_RAY;
    return ended;
}

/* With a covering vector of its own.  1: *status is the answer. */
static int run_covered(perp_work *work, lemke_state *state, int attempt, perp_status *status)
{
    int leaving, end;
    state->goal = state->other = 2 * state->lcp.size;
    *status = PERP_STALLED;
    if (restart(state) != PERP_SOLVED ||
        (end = perp_basis_cover(&state->basis, attempt, &leaving)) < 0)
        return 0;
    return run(work, state, leaving, end == 0, status);
}

/* With the pair of row k of the LCP as the one that need not be complementary. */
static int run_labelled(perp_work *work, lemke_state *state, int k, perp_status *status)
{
    int leaving, N = state->lcp.size;
    if (restart(state) != PERP_SOLVED || state->lcp.kind[k] != PERP_LCP_PAIR ||
        state->basis.where[k] >= 0 || !perp_basis_begin(&state->basis, k, &leaving))
        return 0;
    state->goal = k;
    state->other = N + k;
    return run(work, state, leaving, 1, status);
}

/* All starts one after the other. */
static perp_status try_starts(perp_work *work, lemke_state *state)
{
    perp_status status = PERP_STALLED, last;
    if (bring_free(work, state, &status))
        return status;
    for (int attempt = 0; attempt < COVERS && state->least > rounding_share; attempt++)
        if (run_covered(work, state, attempt, &status))
            return status;
    int labels = state->lcp.size < LABELS ? state->lcp.size : LABELS;
    for (int k = 0; k < labels && status == PERP_RAY && state->least > rounding_share; k++)
        if (run_labelled(work, state, k, &last))
            return last;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    if (status != PERP_RAY)
        work->certificate_kind = PERP_CERTIFICATE_NONE;
    return status;
}

/* work->z is the answer for the set at hand; *error its measure.  1: to rounding. */
static int accept_set(perp_work *work, perp_active_set *set, int settled, double *error)
{
    double limit = settled ? settled_share : exact_share;
    if (settled && *error > exact_share) {
        perp_active_set_refine(work->z, set, work->w);
        *error = perp_measure(work, work->z);
    }
    if (*error <= limit && perp_active_set_clip(work->z, set))
        *error = perp_measure(work, work->z);
    return *error <= limit && *error <= work->settings->tol;
}

/* 1: one of the active sets from that of work->z is the answer, in work->z. */
static int try_sets(perp_work *work, lemke_state *state, double *error)
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

static perp_status lemke_solve(perp_work *work)
{
    lemke_state *state = work->state;
    double error = INFINITY;
    state->work = work;
    state->iteration = 0;
    state->least = INFINITY;
    if (work->settings->warm_start && perp_active_set_takes(&work->problem->M)) {
        if (try_sets(work, state, &error) && perp_stop(work, 0, error))
            return work->monitor.verdict;
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    }
    error = perp_measure(work, work->z);
    state->error = error;
    if (perp_stop(work, 0, error))
        return work->monitor.verdict;
    perp_status status = build(work, state);
    if (status != PERP_SOLVED)
        return status;
    if (state->lcp.size == 0) {
        perp_lcp_to_z(work->z, &state->lcp, state->x);
        return judge_point(work, state) ? work->monitor.verdict : PERP_STALLED;
    }
    status = try_starts(work, state);
    work->info->factorisations += state->basis.factorisations;
    return status;
}

const perp_solver_type perp_solver_lemke = {
    .name = "lemke",
    .summary = "lexicographic complementary pivoting, exact for linear complementarity",
    .reads = "",
    .sets = PERP_BIT(PERP_FREE) | PERP_BIT(PERP_NONNEG) | PERP_BIT(PERP_BOX),
    .matrices =
        PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR) | PERP_BIT(PERP_DELASSUS),
    .max_iter = 1000000,
    .stall = 0,
    .setup = lemke_setup,
    .update = lemke_update,
    .update_q = lemke_update,
    .solve = lemke_solve,
};
