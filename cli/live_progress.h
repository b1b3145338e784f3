/* SPDX-License-Identifier: BSD-3-Clause */
/* Live progress of a solve on standard error, and the wish to interrupt it. */
#ifndef PERP_CLI_LIVE_PROGRESS_H
#define PERP_CLI_LIVE_PROGRESS_H

#include <perp/settings.h>

typedef struct perp_view {
    int silent;
    int terminal; /* one line, rewritten */
    int lines;    /* written so far */
    double last;  /* seconds at the last line, and its error */
    double error;
} perp_view;

/* Chooses a single updating line on a terminal, elsewhere a plain
 * line about every second and whenever the error has fallen tenfold. */
void perp_view_init(perp_view *view, int silent);
/* A perp_progress_fn with a perp_view as context. */
int perp_view_show(void *view, const perp_progress *progress);
/* Clears the updating line. */
void perp_view_end(perp_view *view);

/* SIGINT, SIGTERM and SIGHUP stop the solve at its next measurement; a second one ends
 * the program as usual.  perp_interrupted() says whether one came. */
void perp_catch_interrupts(void);
int perp_interrupted(void);

#endif
