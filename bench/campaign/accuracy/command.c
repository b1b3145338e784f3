/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/accuracy/accuracy.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/bench.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "scene/files.h"

enum { KEY_EXAMPLES = 256, KEY_SERIES, KEY_LEVELS, KEY_PHASES, KEY_NO_PEERS };

#define BOTH                                                                                       \
    "The examples are those of Acary's lecture, with exact motions: `ball', v' = -2 above q >= 0 " \
    "with e = 1/2, whose impacts accumulate at t = 3, and `oscillator', v' + v/10 + 4 q = 1/2 "    \
    "above q >= 0 with e = 4/5; both from q = 1 at rest to t = 4.987.  Errors of q and v: L1 "     \
    "over "                                                                                        \
    "all "                                                                                         \
    "instants of a scheme, and Hausdorff's distance of the filled-in graphs.  "
#define FILES "Written to DIR: "

static const char order_doc[] =
    "Measures the order in h of every scheme on two examples with impacts: the slope of log error "
    "over log h by least squares, over a ladder of steps.\v" BOTH
    "Each point is a mean over a few steps close to each other (phases), since the error depends "
    "on where in a step an impact falls.  Errors below 1e-12 are rounding and left out of the "
    "slope.\n\n" FILES "order.csv, order.md, and for each example order_EXAMPLE.svg, .png and "
    "what gnuplot drew them from, .dat and .gp.";
static const char precision_doc[] =
    "Work and precision of every scheme on two examples with impacts: error against steps, "
    "evaluations of right-hand sides, and seconds, over a ladder of steps or, for schemes that "
    "control their error, of tolerances.\v" BOTH
    "Where Siconos' kernel was found by configure, its Moreau-Jean and event-driven schemes run, "
    "too.  Seconds are those of the steps, the fastest of the repeats, without what the "
    "recording of the instants takes.\n\n" FILES "precision.csv, precision.md, and for each "
    "example precision_EXAMPLE.svg, .png and what gnuplot drew them from, .dat and .gp.";

static const struct argp_option option_table[] = {
    {"out", 'o', "DIR", 0, "folder of the results [order or precision]", 0},
    {"examples", KEY_EXAMPLES, "A,B", 0, "of ball and oscillator", 0},
    {"series", KEY_SERIES, "A,B", 0, "schemes, or any parts of the names of series; all without it",
     0},
    {"levels", KEY_LEVELS, "N", 0, "steps or tolerances of a ladder, 2 to 16 [6]", 0},
    {"phases", KEY_PHASES, "N", 0, "runs of a point, 1 to 64 [12; precision: 4]", 0},
    {"repeat", 'r', "R", 0, "repeats at most for the seconds, 1 to 1000 [order: 1; 5]", 0},
    {"no-peers", KEY_NO_PEERS, NULL, 0, "our schemes alone", 0},
    {0},
};

static void read_count(int *count, const char *text, int low, int high, const char *name,
                       struct argp_state *state)
{
    long long value;
    if (!perp_parse_integer(&value, text, low, high))
        argp_error(state, "`%s' is not a value of --%s", text, name);
    else
        *count = (int)value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    perp_accuracy *a = state->input;
    switch (key) {
    case 'o':
        a->folder = arg;
        return 0;
    case KEY_EXAMPLES:
        a->examples = arg;
        return 0;
    case KEY_SERIES:
        a->pick = arg;
        return 0;
    case KEY_LEVELS:
        read_count(&a->levels, arg, 2, PERP_ACCURACY_LEVELS, "levels", state);
        return 0;
    case KEY_PHASES:
        read_count(&a->phases, arg, 1, 64, "phases", state);
        return 0;
    case 'r':
        read_count(&a->repeats, arg, 1, 1000, "repeat", state);
        return 0;
    case KEY_NO_PEERS:
        a->peers = 0;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "`%s': nothing is read but options", arg);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
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
        return perp_complain("no series is called `%s'", a->pick);
    return a->nexamples == 0 ? perp_complain("no example is called `%s'", a->examples) : 0;
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
        how = series->peer
                  ? perp_accuracy_peer_trial(point, series, motion, now, point->tol, a->repeats)
                  : perp_accuracy_trial(point, series, motion, now, point->tol, a->repeats);
    }
    average(point, a->phases);
    return how == 2 ? 0 : how;
}

static int measure(perp_accuracy *a)
{
    perp_accuracy_view view;
    perp_impacts_motion motion;
    int how = 0;
    size_t room = (size_t)a->nexamples * (size_t)a->nseries * (size_t)a->levels;
    a->point = calloc(room, sizeof *a->point);
    if (!a->point)
        return perp_complain("%s", perp_status_text(PERP_ERR_MEMORY));
    perp_accuracy_view_start(&view, (int)room);
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
    FILE *f = perp_scene_make_folder(a->folder) ? NULL : perp_scene_open(a->folder, csv);
    if (!f)
        return -1;
    perp_accuracy_write_csv(f, a);
    if (perp_scene_close(f, a->folder, csv) || !(f = perp_scene_open(a->folder, text)))
        return -1;
    perp_accuracy_write_tables(f, a);
    return perp_scene_close(f, a->folder, text);
}

static int report(const perp_accuracy *a)
{
    perp_accuracy_write_tables(stdout, a);
    int drawn = write_files(a) ? -2 : perp_accuracy_draw(a);
    if (drawn == -2)
        return perp_complain("%s: %s", a->folder, strerror(errno));
    if (drawn == -1)
        return perp_complain("%s: the pictures could not be drawn", a->folder);
    printf("\nwritten to %s%s\n", a->folder,
           drawn == 0 ? ""
                      : "; gnuplot is not installed (Debian: gnuplot-nox), so there are no "
                        "pictures");
    return PERP_EXIT_DONE;
}

int perp_bench_accuracy(perp_accuracy_kind kind, int argc, char **argv)
{
    static char program[2][24] = {"perp bench order", "perp bench precision"};
    int is_order = kind == PERP_ACCURACY_ORDER;
    const struct argp argp = {option_table, parse, NULL, is_order ? order_doc : precision_doc,
                              NULL,         NULL,  NULL};
    perp_accuracy a = {.kind = kind,
                       .folder = is_order ? "order" : "precision",
                       .levels = 6,
                       .phases = is_order ? 12 : 4,
                       .repeats = is_order ? 1 : 5,
                       .peers = 1};
    argv[0] = program[is_order ? 0 : 1];
    if (argp_parse(&argp, argc, argv, 0, NULL, &a) || choose(&a))
        return PERP_EXIT_ERROR;
    perp_catch_interrupts();
    int how = measure(&a);
    if (how < 0) {
        perp_complain("interrupted, nothing is written");
        how = PERP_EXIT_STOPPED;
    } else if (how == 0) {
        how = report(&a);
    }
    free(a.point);
    return how;
}
