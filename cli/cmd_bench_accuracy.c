/* SPDX-License-Identifier: BSD-3-Clause */
/* perp bench order and perp bench precision. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/accuracy/accuracy.h"
#include "cli/arguments.h"
#include "cli/bench_commands.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/live_progress.h"

typedef struct request {
    perp_shared shared;
    perp_accuracy a;
} request;

enum { KEY_EXAMPLES = 256, KEY_SERIES, KEY_LEVELS, KEY_PHASES, KEY_NO_PEERS };

static const struct argp_option options[] = {
    {"out", 'o', "DIR", 0, "Folder of the results (order or precision)", 0},
    {"examples", KEY_EXAMPLES, "A,B", 0, "Of ball and oscillator (both)", 0},
    {"series", KEY_SERIES, "A,B", 0, "Schemes, or any parts of the names of series (all)", 0},
    {"levels", KEY_LEVELS, "N", 0, "Steps or tolerances of a ladder, 2 to 16 (6)", 0},
    {"phases", KEY_PHASES, "N", 0, "Runs of a point, 1 to 64 (12; precision: 4)", 0},
    {"repeat", 'r', "R", 0, "Repeats at most for the seconds, 1 to 1000 (order: 1; 5)", 0},
    {"no-peers", KEY_NO_PEERS, NULL, 0, "Our schemes alone", 0},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    perp_accuracy *a = &((request *)input)->a;

    switch (key) {
    case 'o':
        a->folder = word;
        return 0;
    case KEY_EXAMPLES:
        a->examples = word;
        return 0;
    case KEY_SERIES:
        a->pick = word;
        return 0;
    case KEY_LEVELS:
        a->levels = (int)perp_option_integer(state, "levels", word, 2, PERP_ACCURACY_LEVELS);
        return 0;
    case KEY_PHASES:
        a->phases = (int)perp_option_integer(state, "phases", word, 1, 64);
        return 0;
    case 'r':
        a->repeats = (int)perp_option_integer(state, "repeat", word, 1, 1000);
        return 0;
    case KEY_NO_PEERS:
        a->peers = 0;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void describe_examples(FILE *out)
{
    perp_help_wrap(
        out,
        "The examples are those of [ACA10], with exact motions: `ball', v' = -2 "
        "above q >= 0 with e = 1/2, whose impacts accumulate at t = 3, and `oscillator', v' + "
        "v/10 + 4 q = 1/2 above q >= 0 with e = 4/5; both from q = 1 at rest to t = 4.987. Errors "
        "of q and v: L1 over all instants of a scheme, and Hausdorff's distance of the filled-in "
        "graphs.",
        0, 0);
}

static void order_help(FILE *out, int all)
{
    (void)all;
    describe_examples(out);
    perp_help_wrap(
        out,
        "Each point is a mean over a few steps close to each other (phases), since the error "
        "depends on where in a step an impact falls. Errors below 1e-12 are rounding and left out "
        "of the slope.",
        0, 0);
    fputc('\n', out);
    perp_help_wrap(out,
                   "Written to DIR: order.csv, order.md, and for each example order_EXAMPLE.svg, "
                   ".png and what gnuplot drew them from, .dat and .gp.",
                   0, 0);
}

static void precision_help(FILE *out, int all)
{
    (void)all;
    describe_examples(out);
    perp_help_wrap(
        out,
        "Where Siconos' kernel was found by configure, its Moreau-Jean and event-driven schemes "
        "run, too. Seconds are those of the steps, the fastest of the repeats, without what the "
        "recording of the instants takes.",
        0, 0);
    fputc('\n', out);
    perp_help_wrap(out,
                   "Written to DIR: precision.csv, precision.md, and for each example "
                   "precision_EXAMPLE.svg, .png and what gnuplot drew them from, .dat and .gp.",
                   0, 0);
}

static int measure(perp_accuracy_kind kind, perp_command_line *line, int argc, char **argv)
{
    request wish;
    int code;

    memset(&wish, 0, sizeof wish);
    perp_accuracy_init(&wish.a, kind);
    line->options = options;
    line->option = option;
    line->words = "";
    perp_read_arguments(&wish.shared, line, &wish, argc, argv);
    perp_catch_interrupts();
    wish.a.stop = perp_interrupted;
    code = perp_accuracy_run(&wish.a);
    free(wish.shared.word);
    return code;
}

int perp_bench_command_order(int argc, char **argv)
{
    perp_command_line line = {
        .about = "Measures the order in h of every scheme on two examples with impacts: the slope "
                 "of log error over log h by least squares, over a ladder of steps.",
        .more = order_help};

    return measure(PERP_ACCURACY_ORDER, &line, argc, argv);
}

int perp_bench_command_precision(int argc, char **argv)
{
    perp_command_line line = {
        .about = "Work and precision of every scheme on two examples with impacts: error against "
                 "steps, evaluations of right-hand sides, and seconds, over a ladder of steps or, "
                 "for schemes that control their error, of tolerances.",
        .more = precision_help};

    return measure(PERP_ACCURACY_PRECISION, &line, argc, argv);
}
