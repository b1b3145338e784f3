/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/accuracy/accuracy.h"

#include <string.h>
#include <unistd.h>

#include "bench/campaign/solve_clock.h"

enum { BAR = 24 };

void perp_accuracy_view_start(perp_accuracy_view *view, int total)
{
    view->terminal = isatty(STDERR_FILENO);
    view->total = total;
    view->done = 0;
    view->start = perp_bench_start().wall;
}

void perp_accuracy_view_begin(perp_accuracy_view *view, const char *example, const char *label)
{
    char bar[BAR + 1];
    if (!view->terminal)
        return;
    for (int k = 0; k < BAR; k++)
        bar[k] = k < BAR * view->done / view->total ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K[%s] %d/%d  %s: %.50s", bar, view->done, view->total, example, label);
    fflush(stderr);
}

void perp_accuracy_view_point(perp_accuracy_view *view, const perp_accuracy *a,
                              const perp_accuracy_point *point)
{
    view->done++;
    if (view->terminal)
        return;
    fprintf(stderr, "%d/%d %s: %s, ", view->done, view->total, a->example[point->example]->name,
            a->series[point->series].label);
    if (a->series[point->series].tols)
        fprintf(stderr, "tol %g", point->tol);
    else
        fprintf(stderr, "h %.4g", point->h);
    if (strcmp(point->status, "solved") != 0)
        fprintf(stderr, ": %s, %s\n", point->status, point->note);
    else
        fprintf(stderr, ": error in q %.2e, in v %.2e, %.3g s\n", point->error[0], point->error[1],
                point->seconds);
}

void perp_accuracy_view_end(perp_accuracy_view *view)
{
    if (view->terminal)
        fprintf(stderr, "\r\033[K");
    fprintf(stderr, "%d points in %.1f s\n", view->done, perp_bench_start().wall - view->start);
}
