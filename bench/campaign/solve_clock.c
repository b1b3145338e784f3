/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/solve_clock.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t))
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The clock on the wall is the cheaper one and is read innermost. */
perp_bench_stopwatch perp_bench_start(void)
{
    perp_bench_stopwatch start;
    start.processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    start.wall = seconds_of(CLOCK_MONOTONIC);
    return start;
}

double perp_bench_seconds_since(perp_bench_stopwatch start)
{
    double wall = seconds_of(CLOCK_MONOTONIC) - start.wall;
    double processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start.processor;
    return processor < wall ? processor : wall;
}

double perp_bench_part_until(perp_bench_stopwatch start, double wall, double seconds)
{
    double part = wall - start.wall;
    return part < seconds ? part : seconds;
}
