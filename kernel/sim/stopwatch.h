/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds for the split of a step, 0 where timing is off: a clock costs as much as a small step. */
#ifndef PERP_KERNEL_STOPWATCH_H
#define PERP_KERNEL_STOPWATCH_H

#include <time.h>

#include "kernel/sim/sim_inside.h"

static inline double perp_stopwatch(const perp_sim *sim)
{
    struct timespec now;
    if (!sim->options.timing)
        return 0.0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
