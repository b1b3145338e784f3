/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/campaign.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 24 };

void perp_bench_progress_start(perp_bench_progress *progress, int total, int skipped)
{
    memset(progress, 0, sizeof *progress);
    progress->on_tty = isatty(STDERR_FILENO);
    progress->total = total;
    progress->skipped = skipped;
    progress->start = perp_bench_now();
    fprintf(stderr, "%d runs", total);
    if (skipped > 0)
        fprintf(stderr, ", %d of them are in the file already", skipped);
    fprintf(stderr, "\n");
}

static void remaining(const perp_bench_progress *progress, char *text, size_t size)
{
    double spent = perp_bench_now() - progress->start;
    int left = progress->total - progress->skipped - progress->done;
    text[0] = '\0';
    if (progress->done > 0) {
        double seconds = spent / progress->done * left;
        snprintf(text, size, seconds < 120.0 ? ", %.0f s left" : ", %.0f min left",
                 seconds < 120.0 ? seconds : seconds / 60.0);
    }
}

static void draw(const perp_bench_progress *progress, double seconds)
{
    char bar[BAR + 1], left[64];
    int k = 0, done = progress->skipped + progress->done;
    int filled = progress->total > 0 ? BAR * done / progress->total : BAR;
    for (; k < BAR; k++)
        bar[k] = k < filled ? '#' : '.';
    bar[k] = '\0';
    remaining(progress, left, sizeof left);
    fprintf(stderr, "\r\033[K[%s] %d/%d%s  %.60s  %.1f s", bar, done, progress->total, left,
            progress->label, seconds);
    fflush(stderr);
}

void perp_bench_progress_run(perp_bench_progress *progress, const char *problem, const char *solver,
                             double tol)
{
    snprintf(progress->label, sizeof progress->label, "%s %g %s", solver, tol, problem);
    if (progress->on_tty)
        draw(progress, 0.0);
}

void perp_bench_progress_tick(void *progress, double seconds)
{
    const perp_bench_progress *p = progress;
    if (p->on_tty)
        draw(p, seconds);
}

void perp_bench_progress_end_run(perp_bench_progress *progress, const perp_bench_record *record)
{
    progress->done++;
    if (progress->on_tty) {
        draw(progress, 0.0);
        return;
    }
    fprintf(stderr, "%d/%d %s: %s", progress->skipped + progress->done, progress->total,
            progress->label, record->status);
    if (!isnan(record->error))
        fprintf(stderr, ", error %.2e", record->error);
    if (!isnan(record->solve))
        fprintf(stderr, ", %.6g s", record->setup + record->solve);
    fprintf(stderr, "\n");
}

void perp_bench_progress_end(perp_bench_progress *progress)
{
    if (progress->on_tty)
        fprintf(stderr, "\r\033[K");
    fprintf(stderr, "%d runs made in %.1f s\n", progress->done, perp_bench_now() - progress->start);
}
