/* SPDX-License-Identifier: BSD-3-Clause */
/* The mode (link.h) in which a relation ended a step, read off its multiplier: OPEN where that is
 * 0, FORWARD at the lower bound of the law (sliding with a tangential force < 0, or in 3D),
 * BACKWARD at the upper one, CLOSED where y or u is held at 0 by a multiplier inside its bounds. */
#ifndef PERP_KERNEL_CONTACT_MODE_H
#define PERP_KERNEL_CONTACT_MODE_H

#include "kernel/step/integrator.h"

/* Largest |lambda| of the links: what is below 1e-9 times it counts as 0. */
double perp_contact_scale(const perp_step *step);
/* Of relation r of a link, from link->on and link->lambda. */
enum perp_mode perp_contact_mode_of(const perp_link *link, int r, double scale);
/* Whether the motion from a time just after `before` on can be smooth in mode `now`.  Letting go
 * happens at the start of a step; to catch, something must have come to zero inside it. */
static inline int perp_contact_goes_on(int before, int now)
{
    return now == before || now == PERP_MODE_OPEN || before == PERP_MODE_CLOSED;
}

#endif
