/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that several processes make together, each a part: what they need of each other. */
#ifndef PERP_KERNEL_STEP_PARTS_H
#define PERP_KERNEL_STEP_PARTS_H

#include "kernel/step/stepper.h"

static inline int perp_step_is_part(const perp_step *step)
{
    return step->stepper->parts.solve != NULL;
}

/* Other processes make whole islands of the step. */
static inline int perp_step_has_islands(const perp_step *step)
{
    return step->stepper->parts.total != NULL && step->stepper->parts.solve == NULL;
}

/* Owned by another process, which certifies it. */
static inline int perp_system_is_guest(const perp_system *s)
{
    return s->presence == PERP_PRESENCE_GUEST;
}

/* The impulses p of the systems that several processes have become the sums over these. */
perp_status perp_step_add_impulses(perp_step *step);
/* The same of what the certificate adds up from interactions. */
perp_status perp_step_add_inputs(perp_step *step);
/* The same of the energies and works of the step. */
perp_status perp_step_add_energies(perp_step *step);
/* The largest of the other measures of the step, with its place. */
perp_status perp_step_share_measures(perp_step *step);
/* The report of a step that stands is that of all processes. */
perp_status perp_stepper_share_info(perp_stepper *stepper);
/* The same of the momentum of islands that go on in other processes. */
perp_status perp_step_add_islands(perp_step *step, int scheme);
/* *holds: in all processes. */
perp_status perp_step_holds_everywhere(perp_step *step, int *holds);
/* Of whole islands: counts of all processes, of those that want halves of the step and those that
 * failed. */
perp_status perp_step_count_failures(perp_step *step, double *halves, double *failures);
/* One solve of step->one by all processes. */
perp_status perp_step_solve_part(perp_step *step);

#endif
