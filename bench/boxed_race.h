/* SPDX-License-Identifier: BSD-3-Clause */
/* One runner of the boxed race on one family and size: what every program of it does. */
#ifndef PERP_BENCH_BOXED_RACE_H
#define PERP_BENCH_BOXED_RACE_H

#include "generators/boxed_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solves p from z = 0 into z; *seconds of the library's call alone.  0; 1: it reports that it
 * failed. */
typedef int (*boxed_run)(const boxed_problem *p, double *z, double *seconds);

double boxed_now(void); /* seconds, monotonic */

/* One CSV line to stdout: name, family, n, runs, solved at 1e-4 and 1e-8, solved at 1e-12,
 * reported failures, crashes or more than 20 s, geometric mean of the seconds (the least of
 * `repeats` for each seed), median and largest error.  The first seeds: 1 .. seeds. */
void boxed_race(const char *name, boxed_run run, const char *family, int n, int seeds, int repeats);

/* main() of a peer: FAMILY N SEEDS REPEATS, a line for each of its runners. */
typedef struct boxed_peer {
    const char *name;
    boxed_run run;
} boxed_peer;
int boxed_peer_main(int argc, char **argv, const boxed_peer *peers, int count);

#ifdef __cplusplus
}
#endif
#endif
