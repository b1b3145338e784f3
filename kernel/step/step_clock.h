/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds for the split of a step, 0 where timing is off: a clock costs as much as a small step. */
#ifndef PERP_KERNEL_STEP_CLOCK_H
#define PERP_KERNEL_STEP_CLOCK_H

#include "kernel/step/stepper.h"
#include "numerics/core/clock.h"

static inline double perp_step_clock(const perp_stepper *stepper)
{
    return stepper->options.timing ? perp_clock_seconds() : 0.0;
}

#endif
