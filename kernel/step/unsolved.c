/* SPDX-License-Identifier: BSD-3-Clause */
/* Solving the one-step problem, and what becomes of a step that was not solved. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/laws/law.h"
#include "kernel/step/squeeze.h"
#include "kernel/step/stepper.h"

enum { ATTEMPTS = 100 };

/* With all gaps allowed to close as fast as they must; the step is marked. */
static perp_status solve_relieved(perp_step *step, perp_one_step *one)
{
    perp_stepper *stepper = step->stepper;
    const char *solver = stepper->options.solver;
    perp_status status = PERP_SOLVED;
    step->relief = perp_squeeze_relieve(&stepper->squeeze, one);
    for (int attempt = 0; attempt < 2; attempt++) {
        status = perp_one_step_solve(one, solver, &stepper->settings, stepper->options.warm_start,
                                     &stepper->solver_info);
        stepper->info.solves++;
        if (status == PERP_SOLVED) {
            stepper->info.status = PERP_INFEASIBLE_STEP;
            return status;
        }
        if (status < 0 && status != PERP_ERR_NUMERICAL)
            break;
        solver = "gs";
    }
    step->halve = 0;
    return perp_stepper_fail(stepper, status, "solver", -1,
                             "the problem with its gaps relieved was not solved");
}

static perp_status fail_with_proof(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    char text[sizeof stepper->info.detail];
    perp_squeeze_text(text, sizeof text, &stepper->squeeze);
    return perp_stepper_fail(stepper, PERP_INFEASIBLE_STEP, "interaction",
                             perp_squeeze_slot(&stepper->squeeze), text);
}

/* It ended with an iterate, and nothing was shown. */
static int is_early(perp_status status)
{
    return status > 0 && status != PERP_INTERRUPTED && status != PERP_INFEASIBLE_STEP &&
           status != PERP_INFEASIBLE && status != PERP_INFEASIBLE_WITHIN;
}

perp_status perp_step_unsolved(perp_step *step, perp_status status, perp_one_step *one,
                               const char *detail)
{
    perp_stepper *stepper = step->stepper;
    perp_unsolved then = stepper->options.on_unsolved;
    /* Who has so much work to spend wants the best iterate of it, and no proofs. */
    if (stepper->settings.budget > 0.0 && is_early(status)) {
        stepper->info.status = status;
        return PERP_SOLVED;
    }
    perp_status shown = one ? perp_squeeze_look(step, one) : PERP_SOLVED;
    step->proved = shown == PERP_INFEASIBLE_STEP;
    step->speed = step->proved ? stepper->squeeze.figures.speed : 0.0;
    if (shown < 0)
        return perp_stepper_fail(stepper, shown, NULL, -1, NULL);
    if (then == PERP_UNSOLVED_LEAST && step->proved && step->speed < HUGE_VAL)
        return solve_relieved(step, one);
    if (then == PERP_UNSOLVED_ACCEPT && status > 0) {
        stepper->info.status = step->proved ? PERP_INFEASIBLE_STEP : status;
        return PERP_SOLVED;
    }
    step->halve = !step->uncut;
    return step->proved ? fail_with_proof(step)
                        : perp_stepper_fail(stepper, status, one ? "solver" : NULL, -1, detail);
}

/* A solver that met its tolerance with impulses far beyond all momenta: where a proof says that the
 * step has no solution, it was none. */
static perp_status solved(perp_step *step)
{
    if (!perp_squeeze_is_likely(step->one, step->h))
        return PERP_SOLVED;
    perp_status shown = perp_squeeze_look(step, step->one);
    if (shown < 0)
        return perp_stepper_fail(step->stepper, shown, NULL, -1, NULL);
    return shown == PERP_SOLVED ? shown : perp_step_unsolved(step, shown, step->one, NULL);
}

/* The answer of the hook of the user to an attempt that failed. */
static perp_failure_action ask(perp_stepper *stepper, int attempt, const char **solver)
{
    *solver = *solver ? *solver : stepper->solver_info.solver;
    perp_failure_action action = stepper->on_failure(stepper->failure_ctx, stepper->sim,
                                                     &stepper->solver_info, attempt, solver);
    return action == PERP_FAILURE_RETRY && attempt + 1 >= ATTEMPTS ? PERP_FAILURE_STOP : action;
}

perp_status perp_step_not_solved(perp_step *step, perp_status status, perp_one_step *one)
{
    perp_stepper *stepper = step->stepper;
    const perp_info *info = &stepper->solver_info;
    char text[sizeof stepper->info.detail];
    snprintf(text, sizeof text, "the one-step problem was not solved (%s: error %.3g)",
             info->solver ? info->solver : "solver", info->error);
    return perp_step_unsolved(step, status, one, text);
}

/* A solver that does not take the problem, or an error inside: its name, and the interaction whose
 * law it does not take. */
static perp_status refused(perp_step *step, perp_status status, const char *solver)
{
    perp_stepper *stepper = step->stepper;
    const perp_info *info = &stepper->solver_info;
    const perp_one_step *one = step->one;
    const perp_solver_type *type = perp_solver_find(solver ? solver : "");
    char text[sizeof stepper->info.detail];
    for (int k = 0; type && status == PERP_ERR_UNSUPPORTED && k < one->nactive; k++) {
        const perp_link *link = one->active[k];
        perp_set set = perp_one_step_set(one, link);
        if (perp_solver_takes_set(type, set))
            continue;
        snprintf(text, sizeof text, "%s does not take interaction %d: its rows are %s", solver,
                 link->slot, perp_set_name(set));
        return perp_stepper_fail(stepper, status, "interaction", link->slot, text);
    }
    snprintf(text, sizeof text, "%s refused the one-step problem%s%.90s",
             solver ? solver : "the solver", info->detail[0] ? ": " : "", info->detail);
    return perp_stepper_fail(stepper, status, info->where.what, info->where.index, text);
}

static const char *next_best(const perp_step *step)
{
    const char *last = step->stepper->solver_info.solver;
    return step->one->gaps_kept && last && strcmp(last, "auto") != 0 ? "auto" : "gs";
}

/* What the hook said, or the default; *again: solve once more. */
static perp_status decide(perp_step *step, perp_status status, int attempt, const char **solver,
                          int *again)
{
    perp_stepper *stepper = step->stepper;
    perp_failure_action action = attempt == 0 ? PERP_FAILURE_RETRY : PERP_FAILURE_DEFAULT;
    if (stepper->on_failure)
        action = ask(stepper, attempt, solver);
    else
        *solver = next_best(step);
    *again = action == PERP_FAILURE_RETRY;
    if (status == PERP_WORK_LIMIT && !stepper->on_failure)
        *again = 0;
    if (*again)
        return PERP_SOLVED;
    if (action == PERP_FAILURE_DEFAULT || (status == PERP_WORK_LIMIT && !stepper->on_failure))
        return perp_step_not_solved(step, status, step->one);
    step->halve = action == PERP_FAILURE_HALVE;
    if (action == PERP_FAILURE_ACCEPT && status > 0) {
        stepper->info.status = status;
        return PERP_SOLVED;
    }
    return perp_stepper_fail(stepper, status, "solver", -1, "the one-step problem was not solved");
}

perp_status perp_step_solve(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    perp_info *info = &stepper->solver_info;
    const char *solver = stepper->options.solver;
    int warm = stepper->options.warm_start, again = 1;
    step->relief = 0.0;
    perp_status last = PERP_SOLVED, end = PERP_SOLVED;
    for (int attempt = 0; again; attempt++) {
        perp_status status =
            attempt == 0
                ? perp_one_step_solve_first(step->one, solver, &stepper->settings, warm, info)
                : perp_one_step_solve(step->one, solver, &stepper->settings, warm, info);
        stepper->info.solves++;
        if (status == PERP_SOLVED)
            return solved(step);
        if (status == PERP_INTERRUPTED)
            return perp_stepper_interrupted(stepper, "solver", -1);
        /* The solver of the default retry does not take the problem: the iterate stays. */
        if (status == PERP_ERR_UNSUPPORTED && !stepper->on_failure && last > 0)
            status = last;
        last = status;
        if (status < 0 && status != PERP_ERR_NUMERICAL)
            return refused(step, status, solver);
        end = decide(step, status, attempt, &solver, &again);
    }
    return end;
}
