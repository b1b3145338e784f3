/* SPDX-License-Identifier: BSD-3-Clause */
/* perp bench: campaigns, and which of its other tasks is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/campaign.h"
#include "bench/campaign/engines/scene_bench.h"
#include "cli/arguments.h"
#include "cli/bench_commands.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/names.h"
#include "cli/read_apart.h"

typedef struct request {
    perp_shared shared;
    perp_bench_options options;
} request;

enum { KEY_MEMORY = 256, KEY_CPU, KEY_COMMIT };

static const struct argp_option options[] = {
    {"memory", KEY_MEMORY, "MB", 0, "Address space of a run, 0: no limit (8192)", 0},
    {"repeat", 'r', "R", 0, "Repeats at most; fewer when they take over a second (3)", 0},
    {"cpu", KEY_CPU, "N", 0, "Pin the runs to this CPU", 0},
    {"out", 'o', "FILE", 0, "The CSV file of results (results.csv)", 0},
    {"commit", KEY_COMMIT, "NAME", 0, "Label of the rows instead of the commit built from", 0},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    perp_bench_options *asked = &((request *)input)->options;

    switch (key) {
    case KEY_MEMORY:
        asked->memory_mb = (long)perp_option_integer(state, "memory", word, 0, 1L << 24);
        return 0;
    case 'r':
        asked->repeats = (int)perp_option_integer(state, "repeat", word, 1, 1000);
        return 0;
    case KEY_CPU:
        asked->cpu = (int)perp_option_integer(state, "cpu", word, 0, 1023);
        return 0;
    case 'o':
        asked->out = word;
        return 0;
    case KEY_COMMIT:
        asked->commit = word;
        asked->commit_given = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void more_help(FILE *out, int all)
{
    perp_help_wrap(
        out,
        "Folders are searched for .dat, .hdf5 and .h5. A solver is one of Perp's, also with "
        "settings "
        "of its own as in nsn+formulation=natural-map, `default' (the library's choice, as perp "
        "solve makes it), or a peer's: siconos:NSGS, siconos:NSN_AC and "
        "others; siconos:all stands for all that it has for a file's class of problems.",
        0, 0);
    fputs("\nSolvers: ", out);
    perp_help_solver_names(out, all);
    fputs("\n\n", out);
    perp_help_wrap(
        out,
        "The measure is `natural' here, for peers know no other, unless --set measure=... says "
        "otherwise; a peer is judged by it too. --time-limit is 60 s where it is not given. "
        "Reading is not timed; each repeat starts from zero and the fastest counts. A peer's rows "
        "are labelled with its version, so that one campaign of a peer serves many commits; where "
        "it ran into a shorter time limit it runs again.",
        0, 0);
    fputs("\n  perp bench report RESULTS.csv   tables and performance profiles\n"
          "  perp bench list RESULTS.csv     the runs, one a line\n"
          "  perp bench order                orders of the time integrators, on exact motions\n"
          "  perp bench precision            their work and precision\n"
          "  perp bench scenes               whole scenes, beside other engines",
          out);
}

/* Our solvers by name; those of peers are looked for by the campaign. */
static int check_solvers(const perp_bench_options *asked, perp_settings settings)
{
    char name[64];

    for (int k = 0; k < asked->solvers; k++)
        if (strchr(asked->solver[k], ':') == NULL && strcmp(asked->solver[k], "default") != 0 &&
            perp_solver_with_settings(name, sizeof name, asked->solver[k], &settings) == NULL)
            return PERP_EXIT_ERROR;
    return PERP_EXIT_DONE;
}

static int take_settings(request *wish)
{
    const perp_shared *shared = &wish->shared;
    perp_bench_options *asked = &wish->options;

    if (shared->time_limit != NULL)
        asked->time_limit = shared->settings.time_limit;
    if (!(asked->time_limit >= 0.001 && asked->time_limit <= 1e7))
        return perp_complain("--time-limit wants a number from 0.001 to 1e7, not '%s'",
                             shared->time_limit);
    for (int k = 0; k < shared->sets; k++) {
        if (shared->set[k] == shared->limit_pair)
            continue;
        if (strncmp(shared->set[k], "tol=", 4) == 0)
            return perp_complain("--set %s: the tolerances of a campaign are those of --tol",
                                 shared->set[k]);
        if (perp_bench_add_setting(asked, shared->set[k]) != 0)
            return perp_complain("--set %s: too many, or blanks in it", shared->set[k]);
    }
    return PERP_EXIT_DONE;
}

static int complete(request *wish)
{
    char message[1024];
    const perp_shared *shared = &wish->shared;
    perp_bench_options *asked = &wish->options;

    if (shared->solver != NULL && perp_bench_set_solvers(asked, shared->solver) != 0)
        return perp_complain("--solver: '%s' is no list of solvers", shared->solver);
    if (shared->tol != NULL && perp_bench_set_tols(asked, shared->tol) != 0)
        return perp_complain("--tol: '%s' is no list of numbers from 0 to 1", shared->tol);
    if (take_settings(wish) != PERP_EXIT_DONE ||
        check_solvers(asked, shared->settings) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    if (perp_bench_options_finish(asked, message, sizeof message) != 0)
        return perp_complain("%s", message);
    asked->input = shared->word;
    asked->inputs = shared->words;
    asked->stop = perp_interrupted;
    return PERP_EXIT_DONE;
}

static void report(const request *wish, const perp_bench_outcome *outcome, int code)
{
    perp_json json;

    if (!wish->shared.json) {
        if (code == PERP_EXIT_DONE)
            printf("results in %s; tables and pictures: perp bench report %s\n", wish->options.out,
                   wish->options.out);
        return;
    }
    perp_json_open(&json, stdout, "bench");
    perp_json_text(&json, "status",
                   code == PERP_EXIT_DONE      ? "done"
                   : code == PERP_EXIT_STOPPED ? "interrupted"
                                               : "error");
    perp_json_integer(&json, "exit", code);
    perp_json_text(&json, "results", wish->options.out);
    perp_json_integer(&json, "runs", outcome->runs);
    perp_json_integer(&json, "present", outcome->present);
    perp_json_integer(&json, "made", outcome->made);
    perp_json_integer(&json, "false_solved", outcome->false_solved);
    perp_json_close(&json);
}

static int campaign(int argc, char **argv)
{
    perp_command_line line = {
        .options = options,
        .option = option,
        .takes = PERP_TAKES_SOLVER | PERP_TAKES_LISTS | PERP_TAKES_JSON,
        .words = "FILE|FOLDER...",
        .about = "Runs solvers x files x tolerances, each run in a process of its own, and appends "
                 "a line per run to a CSV file.  Runs that the file holds already are skipped, so "
                 "that an interrupted campaign goes on with the same command.",
        .missing = "no FILE given",
        .least = 1,
        .most = argc,
        .more = more_help};
    perp_bench_outcome outcome = {0};
    request wish;
    int code = PERP_EXIT_ERROR;

    memset(&wish, 0, sizeof wish);
    if (perp_bench_options_init(&wish.options) == 0) {
        perp_read_arguments(&wish.shared, &line, &wish, argc, argv);
        code = complete(&wish);
    }
    if (code == PERP_EXIT_DONE) {
        perp_catch_interrupts();
        code = perp_bench_campaign(&wish.options, &outcome);
    }
    report(&wish, &outcome, code);
    perp_bench_options_free(&wish.options);
    free(wish.shared.word);
    return code;
}

static perp_status read_problem(perp_problem_file **file, const char *path, perp_io_error *error)
{
    return perp_read_problem_apart(file, path, PERP_CLASS_AUTO, NULL, NULL, error);
}

int perp_cmd_bench(int argc, char **argv)
{
    static const struct {
        const char *word, *name;
        int (*run)(int argc, char **argv);
    } tasks[] = {{"report", "perp bench report", perp_bench_command_report},
                 {"list", "perp bench list", perp_bench_command_list},
                 {"order", "perp bench order", perp_bench_command_order},
                 {"precision", "perp bench precision", perp_bench_command_precision},
                 {"scenes", "perp bench scenes", perp_bench_command_scenes}};
    char name[32];

    if (argc > 1 && strcmp(argv[1], "--run") == 0)
        return perp_bench_child(argc - 2, argv + 2, read_problem);
    if (argc > 1 && strcmp(argv[1], "--motion") == 0)
        return scene_bench_child(argc - 2, argv + 2);
    for (size_t k = 0; argc > 1 && k < sizeof tasks / sizeof tasks[0]; k++) {
        if (strcmp(argv[1], tasks[k].word) == 0) {
            snprintf(name, sizeof name, "%s", tasks[k].name);
            argv[1] = name;
            return tasks[k].run(argc - 1, argv + 1);
        }
    }
    return campaign(argc, argv);
}
