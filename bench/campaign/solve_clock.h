/* SPDX-License-Identifier: BSD-3-Clause */
/* The time that a call takes on a machine that does other work as well.
 *
 * Seconds are the smaller of the time on the wall and the processor time of
 * all threads.  On one thread the two differ by the waiting for the processor
 * alone, which is no property of the solver; on several threads the wall counts.
 */
#ifndef PERP_BENCH_CAMPAIGN_SOLVE_CLOCK_H
#define PERP_BENCH_CAMPAIGN_SOLVE_CLOCK_H

typedef struct perp_bench_stopwatch {
    double wall, processor;
} perp_bench_stopwatch;

perp_bench_stopwatch perp_bench_start(void);
/* Since start; about 0.03 us of it are the clock's. */
double perp_bench_seconds_since(perp_bench_stopwatch start);
/* The part of it until the monotonic time `wall`. */
double perp_bench_part_until(perp_bench_stopwatch start, double wall, double seconds);

#endif
