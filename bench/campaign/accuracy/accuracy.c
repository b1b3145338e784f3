/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/accuracy/accuracy.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/campaign_file.h"

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("perp bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return PERP_BENCH_FAILED;
}

/* 1 where the list is NULL or one of its words is part of a name. */
static int is_picked(const char *list, const char *name, const char *other)
{
    char copy[1024], *next = NULL;
    if (!list)
        return 1;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *word = strtok_r(copy, ",", &next); word; word = strtok_r(NULL, ",", &next))
        if (strstr(name, word) || (other && strstr(other, word)))
            return 1;
    return 0;
}

static int choose(perp_accuracy *a)
{
    perp_accuracy_series all[PERP_ACCURACY_SERIES];
    int found = perp_accuracy_series_list(all, a->kind);
    char path[4096];
    for (int k = 0; k < found; k++) {
        int there =
            !all[k].peer || (a->peers && perp_bench_program(path, sizeof path, all[k].peer));
        if (there && is_picked(a->pick, all[k].label, all[k].scheme))
            a->series[a->nseries++] = all[k];
    }
    for (const perp_impacts_example *x = perp_impacts_examples; x->name; x++)
        if (is_picked(a->examples, x->name, NULL))
            a->example[a->nexamples++] = x;
    if (a->nseries == 0)
        return complain("no series is called `%s'", a->pick);
    return a->nexamples == 0 ? complain("no example is called `%s'", a->examples) : 0;
}

static void average(perp_accuracy_point *point, int phases)
{
    point->steps /= phases;
    point->rejected /= phases;
    point->evaluations /= phases;
    point->events /= phases;
    point->seconds /= phases;
    for (int e = 0; e < PERP_ACCURACY_ERRORS; e++)
        point->error[e] /= phases;
}

/* 0; 1: the series does not take the example; -1: interrupted. */
static int one_point(perp_accuracy_point *point, const perp_accuracy *a,
                     const perp_impacts_motion *motion)
{
    const perp_accuracy_series *series = &a->series[point->series];
    int steps = series->tols ? series->first : series->first << point->level, how = 0;
    double share = a->levels > 1 ? (double)point->level / (a->levels - 1) : 0.0;
    point->h = motion->example->end / steps;
    point->tol = series->tols ? series->coarse * pow(series->fine / series->coarse, share) : NAN;
    snprintf(point->status, sizeof point->status, "solved");
    for (int phase = 0; phase < a->phases && how == 0; phase++) {
        int now = steps + (int)(0.3 * steps * phase / a->phases);
        how = series->peer ? perp_accuracy_peer_trial(point, a, motion, now, point->tol)
                           : perp_accuracy_trial(point, a, motion, now, point->tol);
    }
    average(point, a->phases);
    return how == 2 ? 0 : how;
}

static int measure(perp_accuracy *a)
{
    perp_accuracy_view view;
    perp_impacts_motion motion;
    int how = 0;
    size_t most = (size_t)a->nexamples * (size_t)a->nseries * (size_t)a->levels;
    a->point = calloc(most, sizeof *a->point);
    if (!a->point)
        return complain("%s", perp_status_text(PERP_ERR_MEMORY));
    perp_accuracy_view_start(&view, (int)most);
    for (int x = 0; x < a->nexamples && how >= 0; x++) {
        perp_impacts_prepare(&motion, a->example[x]);
        for (int s = 0; s < a->nseries && how >= 0; s++) {
            for (int level = 0; level < a->levels; level++) {
                perp_accuracy_point *point = &a->point[a->points];
                *point = (perp_accuracy_point){.example = x, .series = s, .level = level};
                perp_accuracy_view_begin(&view, a->example[x]->name, a->series[s].label);
                how = one_point(point, a, &motion);
                if (how != 0) {
                    view.done += a->levels - level;
                    break;
                }
                a->points++;
                perp_accuracy_view_point(&view, a, point);
            }
        }
    }
    perp_accuracy_view_end(&view);
    return how < 0 ? -1 : 0;
}

/* 0, or -1 with errno. */
static int write_files(const perp_accuracy *a)
{
    const char *csv = a->kind == PERP_ACCURACY_ORDER ? "order.csv" : "precision.csv";
    const char *text = a->kind == PERP_ACCURACY_ORDER ? "order.md" : "precision.md";
    FILE *f = perp_bench_file_begin(a->folder, csv);
    if (!f)
        return -1;
    perp_accuracy_write_csv(f, a);
    if (perp_bench_file_end(f, a->folder, csv) || !(f = perp_bench_file_begin(a->folder, text)))
        return -1;
    perp_accuracy_write_tables(f, a);
    return perp_bench_file_end(f, a->folder, text);
}

static int report(const perp_accuracy *a)
{
    perp_accuracy_write_tables(stdout, a);
    int drawn = write_files(a) ? -2 : perp_accuracy_draw(a);
    if (drawn == -2)
        return complain("%s: %s", a->folder, strerror(errno));
    if (drawn == -1)
        return complain("%s: the pictures could not be drawn", a->folder);
    printf("\nwritten to %s%s\n", a->folder,
           drawn == 0 ? ""
                      : "; gnuplot is not installed (Debian: gnuplot-nox), so there are no "
                        "pictures");
    return PERP_BENCH_DONE;
}

void perp_accuracy_init(perp_accuracy *a, perp_accuracy_kind kind)
{
    int is_order = kind == PERP_ACCURACY_ORDER;
    *a = (perp_accuracy){.kind = kind,
                         .folder = is_order ? "order" : "precision",
                         .levels = 6,
                         .phases = is_order ? 12 : 4,
                         .repeats = is_order ? 1 : 5,
                         .peers = 1};
}

int perp_accuracy_run(perp_accuracy *a)
{
    if (choose(a))
        return PERP_BENCH_FAILED;
    int how = measure(a);
    if (how < 0) {
        complain("interrupted, nothing is written");
        how = PERP_BENCH_STOPPED;
    } else if (how == 0) {
        how = report(a);
    }
    free(a->point);
    return how;
}
