/* SPDX-License-Identifier: BSD-3-Clause */
/* The step that was made last becomes matrices. */
#include <string.h>

#include "kernel/derivative/tape.h"
#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/integrators/moreau_jean.h"

/* Schemes and their parameters that are known here. */
static perp_status check_scheme(perp_tape *tape, const perp_system *s)
{
    const perp_stepper *stepper = &tape->sim->stepper;
    const perp_scheme *scheme = &stepper->schemes[s->scheme];
    const char *name = stepper->integrators[s->scheme]->name, *why = NULL;
    if (stepper->integrators[s->scheme] == &perp_discrete_gradient)
        return PERP_SOLVED;
    if (stepper->integrators[s->scheme] != &perp_moreau_jean)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "scheme", s->slot,
                             "steps of %s are not recorded: discrete-gradient and moreau-jean are",
                             name);
    if (scheme->activation_at != PERP_ACTIVATION_AT_START)
        why = "activation_at predicted is not recorded";
    else if (scheme->hysteresis)
        why = "hysteresis is not recorded: the index set then depends on the past";
    else if (scheme->inconsistent_compliance)
        why = "inconsistent_compliance is not recorded";
    return why ? perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "scheme", s->slot, "%s", why)
               : PERP_SOLVED;
}

/* What of a system a step ends with, and what hooks may set: numbers of tape->last. */
enum { PARTS = 5 };

static void parts_of(const double *part[PARTS], int count[PARTS], const perp_system *s,
                     perp_moment moment)
{
    int body = s->kind == PERP_SYSTEM_BODY;
    part[0] = s->q[moment];
    part[1] = s->v[moment];
    part[2] = s->constant;
    part[3] = s->z;
    part[4] = body ? s->as.body.force : NULL;
    count[0] = s->nq;
    count[1] = count[2] = s->nv;
    count[3] = s->nz;
    count[4] = body ? 3 : 0;
}

/* Its state is that of the end of the last step; notes forces and parameters that are others. */
static int goes_on(perp_tape *tape, const double **last, const perp_system *s)
{
    const double *part[PARTS];
    int count[PARTS], same = 1;
    parts_of(part, count, s, PERP_START);
    for (int k = 0; k < PARTS; k++) {
        int differs =
            count[k] > 0 && memcmp(*last, part[k], sizeof(double) * (size_t)count[k]) != 0;
        same &= k > 1 || !differs;
        tape->info.given |= k > 1 && differs;
        *last += count[k];
    }
    return same;
}

/* The systems are those of the first step, and they begin where the last step ended. */
static perp_status check_systems(perp_tape *tape, const perp_step *step)
{
    const double *last = tape->last;
    int same = step->nsystems == tape->nsystems;
    for (int k = 0; same && k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        const perp_tape_system *known = &tape->systems[k];
        same = known->system == s && known->slot == s->slot &&
               known->generation == tape->sim->stepper.model->systems[s->slot].generation;
    }
    if (!same)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "system", -1,
                             "systems were added or removed between two steps");
    if (tape->nsteps > 0 && tape->sim->stepper.info.step != tape->info.first + tape->nsteps)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "step", -1,
                             "a step was left out, or the simulation went back");
    for (int k = 0; k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        perp_status status = check_scheme(tape, s);
        if (status != PERP_SOLVED)
            return status;
        if (tape->nsteps > 0 && !goes_on(tape, &last, s))
            return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "system", s->slot,
                                 "its state was changed between two steps");
    }
    return PERP_SOLVED;
}

static perp_status check_step(perp_tape *tape, const perp_step *step)
{
    const perp_step_info *info = &tape->sim->stepper.info;
    if (tape->sim->stepper.march)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "scheme", -1,
                             "steps of %s are not recorded: discrete-gradient and moreau-jean are",
                             tape->sim->stepper.march->name);
    if (info->status != PERP_SOLVED)
        return perp_tape_end(tape, info->status, "step", -1, "the step was made but not solved");
    if (info->halvings > 0)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "step", -1, "the step was made in halves");
    if (tape->sim->stepper.options.newton_iter == 1 && !tape->sim->stepper.linear)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "newton_iter", -1,
                             "one iteration that is not judged is not the step of its equations");
    for (int k = 0; k < step->nsystems; k++)
        if (step->systems[k]->kind == PERP_SYSTEM_FIRST_ORDER)
            return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "system", step->systems[k]->slot,
                                 "first-order systems are not recorded");
    if (tape->nsteps == 0 && !tape->draft.stages) {
        perp_status status = perp_tape_list_systems(tape);
        if (status != PERP_SOLVED)
            return status;
    }
    return check_systems(tape, step);
}

/* By which the next step is known to go on from here. */
static int keep_last(perp_tape *tape, const perp_step *step)
{
    const double *part[PARTS];
    int count[PARTS], numbers = 0;
    for (int k = 0; k < step->nsystems; k++) {
        parts_of(part, count, step->systems[k], PERP_NOW);
        for (int i = 0; i < PARTS; i++)
            numbers += count[i];
    }
    if (!perp_pool_grow(&tape->pool, (void **)&tape->last, &tape->capacity_last, numbers + 1,
                        sizeof *tape->last))
        return 0;
    double *last = tape->last;
    for (int k = 0; k < step->nsystems; k++) {
        parts_of(part, count, step->systems[k], PERP_NOW);
        for (int i = 0; i < PARTS; last += count[i++])
            if (count[i] > 0)
                memcpy(last, part[i], sizeof(double) * (size_t)count[i]);
    }
    return 1;
}

/* Laws of interactions that were in the last problem, too; both lists are in the order of slots. */
static void compare_laws(perp_tape *tape, const perp_tape_step *node)
{
    const perp_tape_step *last = tape->nsteps > 0 ? &tape->steps[tape->nsteps - 1] : NULL;
    for (int k = 0, j = 0; last && k < node->nties; k++) {
        const perp_tape_tie *tie = &node->ties[k];
        while (j < last->nties && last->ties[j].slot < tie->slot)
            j++;
        if (j < last->nties && last->ties[j].slot == tie->slot &&
            last->ties[j].generation == tie->generation)
            tape->info.given |= memcmp(&last->ties[j].law, &tie->law, sizeof tie->law) != 0;
    }
}

static perp_status record(perp_tape *tape, const perp_step *step, perp_tape_step *node)
{
    node->t = step->t;
    node->h = step->h;
    node->stages = tape->draft.stages;
    tape->draft.stages = NULL;
    if (node->stages)
        return PERP_SOLVED;
    if (step->nsystems > 0 &&
        tape->sim->stepper.integrators[step->systems[0]->scheme] == &perp_discrete_gradient)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "step", -1,
                             "its parts were not seen: it was made before the tape");
    node->motions = PERP_TAPE_ARRAY(tape, perp_tape_motion, step->nsystems);
    perp_status status = node->motions ? PERP_SOLVED : PERP_ERR_MEMORY;
    for (int k = 0; k < step->nsystems && status == PERP_SOLVED; k++)
        status = perp_tape_record_motion(tape, step, node, k);
    if (status == PERP_SOLVED)
        status = perp_tape_record_ties(tape, step, node);
    if (status == PERP_SOLVED)
        status = perp_tape_record_pushes(tape, step, node);
    return status;
}

void perp_tape_record(void *ctx, perp_sim *sim)
{
    perp_tape *tape = ctx;
    double h = sim->stepper.options.h;
    if (!tape->recording || tape->info.status != PERP_SOLVED)
        return;
    perp_step step =
        perp_stepper_step(&sim->stepper, sim->origin + (double)(sim->since - 1) * h, h);
    perp_tape_step node = {.t = step.t};
    perp_status status = check_step(tape, &step);
    if (status == PERP_SOLVED &&
        !perp_pool_grow(&tape->pool, (void **)&tape->steps, &tape->capacity_steps, tape->nsteps + 1,
                        sizeof *tape->steps))
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = record(tape, &step, &node);
    if (status == PERP_SOLVED && !keep_last(tape, &step))
        status = PERP_ERR_MEMORY;
    if (status != PERP_SOLVED) {
        if (tape->info.status == PERP_SOLVED)
            perp_tape_end(tape, status, "step", -1, "%s", perp_status_text(status));
        return;
    }
    if (tape->nsteps == 0)
        tape->info.first = sim->stepper.info.step;
    compare_laws(tape, &node);
    tape->steps[tape->nsteps++] = node;
    tape->info.steps = tape->nsteps;
}
