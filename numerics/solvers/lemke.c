/* SPDX-License-Identifier: BSD-3-Clause */
/* Lemke's complementary pivoting with the lexicographic rule: exact for LCP,
 * mixed LCP and boxes, finite on degenerate problems.  FREE variables are
 * pivoted into the basis first (a Schur complement); the last basis is solved
 * again from the equilibrated matrix with iterative refinement.
 *
 * With a warm start the active set of the given z is tried first, and a few that its
 * signs ask for (active_set.h): no pivot is made where one of them is the answer to
 * rounding.  Otherwise the pivots start as if there had been no guess.
 *
 * A secondary ray of every covering vector tried ends with PERP_RAY and the z
 * part of the last one as certificate.  Where a ray, or one row, proves that M z + q >= 0 has no z
 * >= 0 (checked apart: y >= 0, M' y <= 0, q.y < 0), the answer is PERP_INFEASIBLE and that y. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "handle/solver_type.h"
#include "solvers/pivoting/active_set.h"
#include "solvers/pivoting/lcp_form.h"
#include "solvers/pivoting/lcp_tableau.h"

/* Pivots between two looks at the drift of the tableau, and how much is let pass. */
enum { DRIFT_EVERY = 20 };
static const double drift_limit = 1e-10;
/* Covering vectors that are tried: (1, .., 1), then others, since a ray belongs to one. */
enum { ATTEMPTS = 4 };
/* An end point with this error is the solution, and tol asks for more digits than there are. */
static const double rounding_share = 1e-8;
/* Active sets that are tried after a warm start.  One is the answer with an error of
 * rounding, or when it asks for no other one and the error is small. */
enum { SETS = 6 };
static const double exact_share = 1e-14, settled_share = 1e-10;

typedef struct lemke_state {
    perp_arena room; /* memory from setup: for the active set, then for the tableau */
    size_t bytes;    /* of it */
    int built;       /* the latter is in it */
    perp_lcp lcp;
    perp_tableau tableau;
    unsigned char *on; /* size: rows of the final system */
    double *x;         /* size */
    double *y;         /* size: multipliers of a certificate, scaled */
    int iteration, entering;
    double least; /* error of the best end point */
} lemke_state;

/* The mixed LCP and its tableau, in the room that setup took. */
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
    status = perp_tableau_take(&state->tableau, &state->lcp, room);
    state->built = status == PERP_SOLVED && !room->failed;
    return room->failed ? PERP_ERR_MEMORY : status;
}

/* Bytes of the room; 0 where they are too many for any memory. */
static size_t room_bytes(size_t size, size_t n)
{
    const size_t most = (size_t)1 << 24;
    size_t sets = perp_active_set_bytes(n), pivots;
    if (size > most || n > most)
        return 0;
    pivots = perp_lcp_bytes(size, n) + perp_tableau_bytes(size) + size * (2 * sizeof(double) + 1);
    return (sets > pivots ? sets : pivots) + 8 * 64;
}

/* The tableau is made when it is first needed; that of a Delassus matrix here, since its
 * product takes memory. */
static perp_status lemke_setup(perp_work *work)
{
    perp_status status;
    lemke_state *state = PERP_TAKE(work->arena, lemke_state, 1);
    size_t size = perp_lcp_size(&work->blocks, &status), n = (size_t)work->blocks.n;
    if (status != PERP_SOLVED)
        return status;
    size_t bytes = room_bytes(size, n);
    void *memory = bytes > 0 ? perp_arena_take(work->arena, bytes, 1) : NULL;
    work->certificate = PERP_TAKE(work->arena, double, n);
    if (work->arena->failed || !memory)
        return PERP_ERR_MEMORY;
    work->state = state;
    state->built = 0;
    state->bytes = bytes;
    perp_arena_init_with(&state->room, &work->arena->allocator, memory, bytes);
    return perp_active_set_takes(&work->problem->M) ? PERP_SOLVED : build(work, state);
}

/* Bounds that became finite may need more room. */
static perp_status lemke_update(perp_work *work)
{
    perp_status status;
    lemke_state *state = work->state;
    size_t size = perp_lcp_size(&work->blocks, &status);
    if (status != PERP_SOLVED || room_bytes(size, (size_t)work->blocks.n) > state->bytes)
        return PERP_ERR_STATE;
    state->built = 0;
    return perp_active_set_takes(&work->problem->M) ? PERP_SOLVED : build(work, state);
}

/* y.b < 0, y >= 0 on pairs, A' y <= 0 in pairs and = 0 in free columns, beyond
 * rounding.  y is cleaned of entries that are rounding themselves. */
static int proves_infeasible(double *y, const perp_lcp *lcp)
{
    size_t N = (size_t)lcp->size;
    double largest = 0.0, value = 0.0, terms = 0.0;
    if (lcp->boxes)
        return 0;
    for (size_t i = 0; i < N; i++)
        largest = fmax(largest, fabs(y[i]));
    for (size_t i = 0; i < N; i++) {
        if (fabs(y[i]) <= 1e-12 * largest)
            y[i] = 0.0;
        if (y[i] < 0.0 && lcp->kind[i] == PERP_LCP_PAIR)
            return 0;
        value += y[i] * lcp->b[i];
        terms += fabs(y[i] * lcp->b[i]);
    }
    for (size_t j = 0; j < N; j++) {
        double sum = 0.0, size = 0.0;
        for (size_t i = 0; i < N; i++) {
            sum += lcp->a[i + j * N] * y[i];
            size += fabs(lcp->a[i + j * N] * y[i]);
        }
        if (sum > 1e-10 * size || (lcp->kind[j] == PERP_LCP_FREE && sum < -1e-10 * size))
            return 0;
    }
    return value < -1e-8 * terms;
}

static perp_status report_infeasible(perp_work *work, const lemke_state *state)
{
    for (int i = 0; i < state->lcp.size; i++)
        work->certificate[state->lcp.origin[i]] = state->lcp.row_scale[i] * state->y[i];
    work->certificate_kind = PERP_CERTIFICATE_INFEASIBLE;
    return PERP_INFEASIBLE;
}

/* Row i alone: it is <= 0 in every column and b_i < 0. */
static int row_proves(double *y, const perp_lcp *lcp)
{
    size_t N = (size_t)lcp->size;
    for (size_t i = 0; i < N; i++) {
        size_t j = 0;
        if (lcp->kind[i] != PERP_LCP_PAIR || !(lcp->b[i] < 0.0))
            continue;
        while (j < N && lcp->a[i + j * N] <= 0.0)
            j++;
        memset(y, 0, N * sizeof(double));
        y[i] = 1.0;
        if (j == N && proves_infeasible(y, lcp))
            return 1;
    }
    return 0;
}

/* The ray, or one row, proves that there is no solution. */
static int ray_proves(lemke_state *state, int entering)
{
    const perp_lcp *lcp = &state->lcp;
    perp_tableau_direction(state->x, &state->tableau, entering);
    for (int i = 0; i < lcp->size; i++)
        state->y[i] = state->x[i] * lcp->col_scale[i] / lcp->row_scale[i];
    return proves_infeasible(state->y, lcp) || row_proves(state->y, lcp);
}

/* z part of the ray in which `entering` grows, its largest entry 1. */
static void keep_ray(perp_work *work, lemke_state *state, int entering)
{
    double largest = 0.0;
    perp_tableau_direction(state->x, &state->tableau, entering);
    perp_lcp_to_direction(work->certificate, &state->lcp, state->x);
    for (int i = 0; i < state->lcp.n; i++)
        largest = fmax(largest, fabs(work->certificate[i]));
    for (int i = 0; i < state->lcp.n && largest > 0.0; i++)
        work->certificate[i] /= largest;
    work->certificate_kind = PERP_CERTIFICATE_RAY;
}

/* The free equations contradict each other: row r of the tableau says so. */
static int equalities_prove(lemke_state *state, int r)
{
    perp_tableau_multipliers(state->y, &state->tableau, r);
    if (state->tableau.value[r] > 0.0)
        for (int i = 0; i < state->lcp.size; i++)
            state->y[i] = -state->y[i];
    return proves_infeasible(state->y, &state->lcp);
}

/* Complementary pivots until t leaves (PERP_SOLVED), a ray (PERP_RAY) or a limit. */
static perp_status pivot_to_end(perp_work *work, lemke_state *state, int attempt, double error)
{
    perp_tableau *tableau = &state->tableau;
    int leaving, N = tableau->size;
    if (perp_tableau_cover(tableau, attempt, &leaving))
        return PERP_SOLVED;
    while (leaving != 2 * N) {
        if (perp_stop_light(work, ++state->iteration, error))
            return work->monitor.verdict;
        state->entering = (leaving + N) % (2 * N);
        if (tableau->exchanges % DRIFT_EVERY == DRIFT_EVERY - 1 &&
            perp_tableau_drift(tableau) > drift_limit)
            perp_tableau_refresh(tableau);
        if (perp_tableau_pivot(tableau, state->entering, &leaving))
            continue;
        if (tableau->exchanges == 0 || perp_tableau_refresh(tableau) != PERP_SOLVED ||
            !perp_tableau_pivot(tableau, state->entering, &leaving))
            return PERP_RAY;
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

/* The point of the last basis, solved again; where that is worse than the
 * tableau's own (a basis near singular), the latter. */
static int finish(perp_work *work, lemke_state *state)
{
    const perp_lcp *lcp = &state->lcp;
    perp_tableau *tableau = &state->tableau;
    for (int i = 0; i < lcp->size; i++)
        state->on[i] = tableau->where[i] >= 0;
    if (perp_lcp_basic_solution(state->x, lcp, state->on, tableau->basis, tableau->pivots,
                                tableau->column) == PERP_SOLVED &&
        judge_point(work, state))
        return 1;
    perp_tableau_point(state->x, tableau);
    return judge_point(work, state);
}

/* One run with its own covering vector.  1: *status is the answer. */
static int attempt_run(perp_work *work, lemke_state *state, int attempt, double error,
                       perp_status *status)
{
    int row, left;
    perp_tableau_reset(&state->tableau);
    while (perp_tableau_eliminate_free(&state->tableau))
        if (perp_stop_light(work, state->iteration, error)) {
            *status = work->monitor.verdict;
            return 1;
        }
    left = perp_tableau_unmet(&state->tableau, &row);
    if (row >= 0 && equalities_prove(state, row)) {
        *status = report_infeasible(work, state);
        return 1;
    }
    if (left > 0)
        snprintf(work->info->detail, sizeof work->info->detail,
                 "%d equality rows could not be eliminated and were left out", left);
    *status = pivot_to_end(work, state, attempt, error);
    if (*status != PERP_SOLVED && *status != PERP_RAY)
        return 1;
    if (*status == PERP_SOLVED) {
        int ended = finish(work, state);
        *status = ended ? work->monitor.verdict : PERP_STALLED;
        return ended;
    }
    if (ray_proves(state, state->entering)) {
        *status = report_infeasible(work, state);
        return 1;
    }
    keep_ray(work, state, state->entering);
    /* On a ray the basis without t may be singular: its point would mean nothing. */
    perp_tableau_point(state->x, &state->tableau);
    int ended = judge_point(work, state);
    *status = ended ? work->monitor.verdict : PERP_RAY;
    return ended;
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
    state->built = 0;
    perp_arena_reset(&state->room);
    if (!perp_active_set_start(&set, work->problem, &work->blocks, work->z, &state->room))
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
    state->iteration = 0;
    state->least = INFINITY;
    if (work->settings->warm_start && perp_active_set_takes(&work->problem->M)) {
        if (try_sets(work, state, &error) && perp_stop(work, 0, error))
            return work->monitor.verdict;
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    }
    error = perp_measure(work, work->z);
    if (perp_stop(work, 0, error))
        return work->monitor.verdict;
    perp_status status = build(work, state);
    if (status != PERP_SOLVED)
        return status;
    status = PERP_STALLED;
    if (state->lcp.size == 0)
        return finish(work, state) ? work->monitor.verdict : PERP_STALLED;
    for (int attempt = 0; attempt < ATTEMPTS && state->least > rounding_share; attempt++)
        if (attempt_run(work, state, attempt, error, &status))
            return status;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    if (status != PERP_RAY)
        work->certificate_kind = PERP_CERTIFICATE_NONE;
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
