/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 24 };

double perp_run_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void perp_run_progress_start(perp_run_progress *view, int silent, long first, long total)
{
    memset(view, 0, sizeof *view);
    view->silent = silent;
    view->terminal = isatty(STDERR_FILENO);
    view->first = view->last = first;
    view->total = total;
    view->begun = view->shown = perp_run_seconds();
}

static void remaining(char *text, size_t size, double seconds)
{
    if (seconds < 120.0)
        snprintf(text, size, "%.0f s left", seconds);
    else if (seconds < 7200.0)
        snprintf(text, size, "%.0f min left", seconds / 60.0);
    else
        snprintf(text, size, "%.1f h left", seconds / 3600.0);
}

static void draw(perp_run_progress *view, long step, double t, int rows, double now)
{
    double rate = (double)(step - view->first) / (now - view->begun);
    char bar[BAR + 1], left[32];
    long done = view->total > 0 ? BAR * step / view->total : BAR;

    remaining(left, sizeof left, rate > 0.0 ? (double)(view->total - step) / rate : 0.0);
    for (int k = 0; k < BAR; k++)
        bar[k] = k < done ? '#' : '.';
    bar[BAR] = '\0';
    if (view->terminal)
        fprintf(stderr, "\r\033[K[%s] step %ld/%ld  t %.6g  %d rows  %.0f steps/s  %s", bar, step,
                view->total, t, rows, rate, left);
    else
        fprintf(stderr, "step %ld/%ld  t %.6g  %d rows  %.0f steps/s  %s\n", step, view->total, t,
                rows, rate, left);
    fflush(stderr);
    view->lines++;
}

void perp_run_progress_step(perp_run_progress *view, long step, double t, int rows)
{
    double now;

    if (view->silent)
        return;
    now = perp_run_seconds();
    if (now - view->shown < (view->terminal ? 0.1 : 2.0))
        return;
    draw(view, step, t, rows, now);
    view->shown = now;
}

void perp_run_progress_end(perp_run_progress *view)
{
    if (!view->silent && view->terminal && view->lines > 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
