/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_CORE_CLOCK_H
#define PERP_CORE_CLOCK_H

#include <time.h>

/* Monotonic, in seconds. */
static inline double perp_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
