/* SPDX-License-Identifier: BSD-3-Clause */
/* A tape looks at a step of discrete-gradient while it is made: each part becomes stages, and the
 * record takes them when the step stands. */
#include <string.h>

#include "kernel/derivative/stage_build.h"
#include "kernel/integrators/discrete_gradient/clusters.h"
#include "kernel/step/stepper.h"

/* The systems of the step are those of the tape, all with one scheme. */
static perp_status known_systems(perp_tape *tape, const perp_step *step, const perp_dg *dg)
{
    int same = step->nsystems == tape->nsystems;
    for (int k = 0; same && k < step->nsystems; k++)
        same = tape->systems[k].system == step->systems[k];
    if (!same) /* record.c says so when the step stands */
        return PERP_ERR_STATE;
    if (dg->nsystems != step->nsystems)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "scheme", -1,
                             "steps of several schemes are not recorded beside discrete-gradient");
    return PERP_SOLVED;
}

/* What a step that was not accepted has left in the record is taken again. */
static void rewind_draft(perp_tape *tape)
{
    perp_tape_draft *d = &tape->draft;
    if (d->stages) {
        tape->chunk = d->chunk;
        tape->used = d->used;
        tape->info.bytes = d->bytes;
    }
    d->chunk = tape->chunk;
    d->used = tape->used;
    d->bytes = tape->info.bytes;
    d->stages = NULL;
}

static perp_status begin(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    perp_tape_draft *d = &tape->draft;
    perp_status status = PERP_SOLVED;
    rewind_draft(tape);
    if (tape->nsteps == 0)
        status = perp_tape_list_systems(tape);
    d->chunk = tape->chunk;
    d->used = tape->used;
    d->bytes = tape->info.bytes;
    if (status == PERP_SOLVED)
        status = known_systems(tape, step, dg);
    if (status != PERP_SOLVED)
        return status;
    d->stages = PERP_TAPE_ARRAY(tape, perp_tape_stages, 1);
    if (!d->stages || !perp_pool_grow(&tape->pool, (void **)&d->flight, &d->capacity_flight,
                                      tape->nsystems + 1, sizeof(int)))
        return PERP_ERR_MEMORY;
    d->hits = d->numbered = d->chosen = 0;
    for (int k = 0; k < tape->nsystems; k++)
        d->flight[k] = -1;
    return PERP_SOLVED;
}

static perp_status part_of(perp_tape *tape, perp_step *step, const perp_dg *dg, perp_step_part part)
{
    switch (part) {
    case PERP_PART_BEGINS:
        return begin(tape, step, dg);
    case PERP_PART_SMOOTH:
        return perp_tape_follow_smooth(tape, step, dg);
    case PERP_PART_SEPARATED:
    case PERP_PART_PROJECTED:
        return perp_tape_follow_positions(tape, step, dg, part);
    case PERP_PART_JOINTS:
        return perp_tape_follow_velocities(tape, step, dg);
    case PERP_PART_SLIPS:
        return perp_tape_follow_slips(tape, step, dg);
    default:
        return perp_tape_follow_impacts(tape, step, dg, part);
    }
}

void perp_tape_follow(void *ctx, perp_step *step, int scheme, perp_step_part part)
{
    perp_tape *tape = ctx;
    if (!tape->recording || tape->info.status != PERP_SOLVED || !tape->sim ||
        tape->sim->stepper.integrators[scheme] != &perp_discrete_gradient ||
        tape->sim->stepper.march || (part != PERP_PART_BEGINS && !tape->draft.stages))
        return;
    perp_dg_memory *memory = perp_dg_memory_of(step, scheme);
    tape->draft.during = 1;
    perp_status status = memory ? part_of(tape, step, memory->of_step[0].dg, part) : PERP_ERR_MEMORY;
    if (status != PERP_SOLVED)
        tape->draft.stages = NULL;
    if (status != PERP_SOLVED && status != PERP_ERR_STATE && tape->info.status == PERP_SOLVED)
        perp_tape_end(tape, status, "step", -1, "%s",
                      status == PERP_INTERRUPTED ? "a callback refused" : perp_status_text(status));
    tape->draft.during = 0;
}
