/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/live_progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

void perp_catch_interrupts(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < 3; k++) {
        static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
        int number = numbers[k];
        struct sigaction before;
        /* One that is ignored, as in a background job, stays so. */
        if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(number, &action, NULL);
    }
}

int perp_interrupted(void)
{
    return interrupted != 0;
}

void perp_view_init(perp_view *view, int silent)
{
    memset(view, 0, sizeof *view);
    view->silent = silent;
    view->terminal = isatty(STDERR_FILENO);
}

int perp_view_show(void *ctx, const perp_progress *progress)
{
    perp_view *view = ctx;
    double since = progress->seconds - view->last;
    int measured = isfinite(progress->error); /* the first sweeps may come before */
    int lower = view->lines == 0 || (!view->terminal && progress->error <= 0.1 * view->error);

    if (!view->silent && (since >= (view->terminal ? 0.1 : 1.0) || (measured && lower))) {
        fprintf(stderr, "%s%s  iteration %d  error %.2e  best %.2e  %.1f s%s",
                view->terminal ? "\r" : "", progress->stage, progress->iteration, progress->error,
                progress->best, progress->seconds, view->terminal ? "\033[K" : "\n");
        fflush(stderr);
        view->lines++;
        view->last = progress->seconds;
        view->error = progress->error;
    }
    return interrupted != 0;
}

void perp_view_end(perp_view *view)
{
    if (!view->silent && view->terminal && view->lines > 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
