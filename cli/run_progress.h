/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a run on standard error: a bar with steps per second and the time left on a
 * terminal, elsewhere a plain line about every two seconds. */
#ifndef PERP_CLI_RUN_PROGRESS_H
#define PERP_CLI_RUN_PROGRESS_H

typedef struct perp_run_progress {
    int silent, terminal;
    long first, last, total; /* steps at the start, at the last line, in all */
    double begun, shown;     /* seconds */
    int lines;
} perp_run_progress;

double perp_run_seconds(void); /* monotonic */
void perp_run_progress_start(perp_run_progress *view, int silent, long first, long total);
/* Called after each step; draws now and then. */
void perp_run_progress_step(perp_run_progress *view, long step, double t, int rows);
/* Clears the bar. */
void perp_run_progress_end(perp_run_progress *view);

#endif
