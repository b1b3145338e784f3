/* SPDX-License-Identifier: BSD-3-Clause */
/* Principal pivoting: the basis stays complementary, and rows whose sign is wrong change sides.
 *
 * pivot_rule block: all of them at once, natively with bounds, each set solved with factors of its
 * own; where their number does not fall for some steps, only the one of greatest index for some
 * ([JudicePires1994]), rarely more than ten steps in all.  murty and bard: one row at a time on
 * an updated basis, finite for P-matrices; keller: finite for P and positive semidefinite ones.
 * What a rule does not finish keller begins again.  A ray of keller is looked at as a proof that M
 * z
 * + q has no z with the signs wanted (lcp_proof.h), which it is where M is positive semidefinite.
 */
#include <math.h>
#include <string.h>

#include "solvers/pivoting/pivots.h"
#include "solvers/pivoting/principal.h"

/* Values of the setting pivot_rule. */
/* Steps without fewer wrong rows before single ones, and steps at most. */
enum { PATIENCE = 8, BLOCK_STEPS = 40 };

static int go_on(void *ctx)
{
    perp_pivots *state = ctx;
    return !perp_stop_light(state->work, ++state->iteration, state->error);
}

/* Whole active sets.  1: stop. */
static int run_block(perp_work *work, perp_pivots *state)
{
    perp_active_set set;
    int least = work->blocks.n + 1, patience = PATIENCE, last = 0;
    double error;
    perp_arena_reset(&state->sets);
    if (!perp_active_set_takes(&work->problem->M) ||
        !perp_active_set_start(&set, work->problem, &work->blocks, work->z, &state->sets))
        return 0;
    for (int step = 0; step < BLOCK_STEPS; step++) {
        work->info->factorisations += set.count > 0;
        if (!perp_active_set_solve(work->z, &set, work->w))
            return 0;
        error = perp_measure(work, work->z);
        if (!perp_active_set_holds(&set, work->z, work->scaling.d))
            return 0;
        if (perp_stop(work, ++state->iteration, error))
            return isfinite(error);
        int count = perp_active_set_count(&set, work->z, work->w, &last);
        if (error <= PERP_PIVOTS_ROUNDING || count == 0) {
            perp_active_set_refine(work->z, &set, work->w);
            perp_active_set_clip(work->z, &set);
            error = perp_measure(work, work->z);
            if (!perp_active_set_holds(&set, work->z, work->scaling.d))
                return 0;
            if (perp_stop(work, state->iteration, error))
                return isfinite(error);
            perp_active_set_solve(work->z, &set, work->w);
            perp_measure(work, work->z);
        }
        if (count == 0)
            return 0;
        patience = count < least ? PATIENCE : patience - (patience > 0);
        least = count < least ? count : least;
        if (patience > 0)
            perp_active_set_next(&set, work->z, work->w);
        else
            perp_active_set_flip(&set, last, work->z, work->w);
    }
    return 0;
}

/* One of the rules on the basis.  1: *status is the answer. */
static int run_rule(perp_work *work, perp_pivots *state, int rule, perp_status *status)
{
    perp_principal principal = {&state->basis, state->on, state->y, -1, go_on, state};
    *status = PERP_STALLED;
    if (perp_pivots_restart(state) != PERP_SOLVED)
        return 0;
    perp_principal_end end = rule == PERP_PIVOT_RULE_KELLER
                                 ? perp_principal_keller(&principal)
                                 : perp_principal_single(&principal, rule == PERP_PIVOT_RULE_BARD);
    if (end == PERP_PRINCIPAL_STOPPED) {
        *status = work->monitor.verdict;
        return 1;
    }
    if (end == PERP_PRINCIPAL_RAY && perp_pivots_ray_proves(state, principal.entering) &&
        perp_pivots_infeasible(work, state, status))
        return 1;
    if (end == PERP_PRINCIPAL_DONE && perp_pivots_finish(work, state)) {
        *status = work->monitor.verdict;
        return 1;
    }
    return 0;
}

static perp_status run_rules(perp_work *work, perp_pivots *state, int rule)
{
    perp_status status = perp_pivots_build(work, state);
    if (status != PERP_SOLVED)
        return status;
    if (state->lcp.size == 0) {
        perp_lcp_to_z(work->z, &state->lcp, state->x);
        return perp_pivots_judge(work, state) ? work->monitor.verdict : PERP_STALLED;
    }
    if (perp_pivots_bring_free(work, state, &status))
        return status;
    if ((rule == PERP_PIVOT_RULE_MURTY || rule == PERP_PIVOT_RULE_BARD) &&
        run_rule(work, state, rule, &status))
        return status;
    if (state->least > PERP_PIVOTS_ROUNDING &&
        run_rule(work, state, PERP_PIVOT_RULE_KELLER, &status))
        return status;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    return PERP_STALLED;
}

static perp_status ppm_solve(perp_work *work)
{
    perp_pivots *state = work->state;
    int rule = work->settings->pivot_rule;
    state->work = work;
    state->iteration = 0;
    state->least = INFINITY;
    if (perp_measure_and_stop(work, 0, &state->error))
        return work->monitor.verdict;
    if ((rule == PERP_PIVOT_RULE_BLOCK || work->settings->warm_start) && run_block(work, state))
        return work->monitor.verdict;
    work->monitor.verdict = PERP_SOLVED;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    int factored = work->info->factorisations;
    perp_status status = run_rules(work, state, rule);
    work->info->factorisations = factored + (state->built ? state->basis.factorisations : 0);
    return status;
}

const perp_solver_type perp_solver_ppm = {
    .name = "ppm",
    .summary = "principal pivoting: changes the active set as a whole or row by row",
    .reads = "pivot_rule",
    .sets = PERP_LINEAR_SETS,
    .matrices =
        PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR) | PERP_BIT(PERP_DELASSUS),
    .flags = 0,
    .max_iter = 20000,
    .stall = 0,
    .setup = perp_pivots_setup,
    .update = perp_pivots_update,
    .update_q = perp_pivots_update,
    .solve = ppm_solve,
};
