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
 * PERP_INFEASIBLE (PERP_INFEASIBLE_WITHIN) and that y. */
#include <math.h>
#include <string.h>

#include "solvers/pivoting/pivots.h"

/* Covering vectors that are tried: (1, .., 1), then others, since a ray belongs to one; and
 * starts of Lemke and Howson. */
enum { COVERS = 4, LABELS = 32 };

/* z part of the ray in which `entering` grows, its largest entry 1. */
static void keep_ray(perp_work *work, perp_pivots *state, int entering)
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
static perp_status pivot_to_end(perp_work *work, perp_pivots *state, int leaving, int *entering)
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

/* The pivots from a start, and what their end is worth.  1: *status is the answer. */
static int run(perp_work *work, perp_pivots *state, int leaving, int begun, perp_status *status)
{
    int entering = -1, covered = state->goal == 2 * state->lcp.size;
    *status = begun ? pivot_to_end(work, state, leaving, &entering) : PERP_SOLVED;
    if (*status != PERP_SOLVED && *status != PERP_RAY)
        return *status != PERP_STALLED || work->monitor.verdict != PERP_SOLVED;
    if (*status == PERP_SOLVED) {
        int ended = perp_pivots_finish(work, state);
        *status = ended ? work->monitor.verdict : PERP_STALLED;
        return ended;
    }
    if (covered && perp_pivots_ray_proves(state, entering) &&
        perp_pivots_infeasible(work, state, status))
        return 1;
    if (covered)
        keep_ray(work, state, entering);
    /* On a ray the basis without t may be singular: its point would mean nothing. */
    perp_basis_point(state->x, &state->basis);
    int ended = perp_pivots_judge(work, state);
    *status = ended ? work->monitor.verdict : PERP_RAY;
    return ended;
}

/* With a covering vector of its own.  1: *status is the answer. */
static int run_covered(perp_work *work, perp_pivots *state, int attempt, perp_status *status)
{
    int leaving, end;
    state->goal = state->other = 2 * state->lcp.size;
    *status = PERP_STALLED;
    if (perp_pivots_restart(state) != PERP_SOLVED ||
        (end = perp_basis_cover(&state->basis, attempt, &leaving)) < 0)
        return 0;
    return run(work, state, leaving, end == 0, status);
}

/* With the pair of row k of the LCP as the one that need not be complementary. */
static int run_labelled(perp_work *work, perp_pivots *state, int k, perp_status *status)
{
    int leaving, N = state->lcp.size;
    if (perp_pivots_restart(state) != PERP_SOLVED || state->lcp.kind[k] != PERP_LCP_PAIR ||
        state->basis.where[k] >= 0 || !perp_basis_begin(&state->basis, k, &leaving))
        return 0;
    state->goal = k;
    state->other = N + k;
    return run(work, state, leaving, 1, status);
}

/* All starts in turn. */
static perp_status try_starts(perp_work *work, perp_pivots *state)
{
    perp_status status = PERP_STALLED, last;
    if (perp_pivots_bring_free(work, state, &status))
        return status;
    for (int attempt = 0; attempt < COVERS && state->least > PERP_PIVOTS_ROUNDING; attempt++)
        if (run_covered(work, state, attempt, &status))
            return status;
    int labels = state->lcp.size < LABELS ? state->lcp.size : LABELS;
    for (int k = 0; k < labels && status == PERP_RAY && state->least > PERP_PIVOTS_ROUNDING; k++)
        if (run_labelled(work, state, k, &last))
            return last;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    if (status != PERP_RAY)
        work->certificate_kind = PERP_CERTIFICATE_NONE;
    return status;
}

static perp_status lemke_solve(perp_work *work)
{
    perp_pivots *state = work->state;
    double error = INFINITY;
    state->work = work;
    state->iteration = 0;
    state->least = INFINITY;
    if (work->settings->warm_start && perp_active_set_takes(&work->problem->M)) {
        if (perp_pivots_try_sets(work, state, &error) && perp_stop(work, 0, error))
            return work->monitor.verdict;
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    }
    error = perp_measure(work, work->z);
    state->error = error;
    if (perp_stop(work, 0, error))
        return work->monitor.verdict;
    perp_status status = perp_pivots_build(work, state);
    if (status != PERP_SOLVED)
        return status;
    if (state->lcp.size == 0) {
        perp_lcp_to_z(work->z, &state->lcp, state->x);
        return perp_pivots_judge(work, state) ? work->monitor.verdict : PERP_STALLED;
    }
    status = try_starts(work, state);
    work->info->factorisations += state->basis.factorisations;
    return status;
}

const perp_solver_type perp_solver_lemke = {
    .name = "lemke",
    .everyday = 1,
    .summary = "complementary pivoting (Lemke), exact for linear complementarity",
    .reads = "",
    .sets = PERP_LINEAR_SETS,
    .matrices =
        PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR) | PERP_BIT(PERP_DELASSUS),
    .max_iter = 1000000,
    .stall = 0,
    .setup = perp_pivots_setup,
    .update = perp_pivots_update,
    .update_q = perp_pivots_update,
    .solve = lemke_solve,
};
