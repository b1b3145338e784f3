/* SPDX-License-Identifier: BSD-3-Clause */
/* perp run: a scene file to a simulation. */
#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/json_report.h"
#include "cli/message.h"
#include "cli/names.h"

/* The command line, and what it asks for. */
typedef struct run_arguments {
    perp_shared shared;
    perp_run_request wish;
} run_arguments;

enum { KEY_STEP = 256, KEY_SCHEME, KEY_DUMP, KEY_RESUME, KEY_CHECK };

static const struct argp_option options[] = {
    {"until", 'u', "T", 0, "End of the run, instead of the scene's", 0},
    {"step", KEY_STEP, "H", 0, "Length of a step, instead of the scene's", 0},
    {"scheme", KEY_SCHEME, "NAME", 0, "Integrator of all systems that it takes, with its defaults",
     0},
    {"out", 'o', "DIR", 0,
     "Write series.csv, series.h5, frames of the bodies for ParaView, and a checkpoint", 0},
    {"plot", 'p', NULL, 0, "Draw the series with gnuplot, PNG and SVG", 0},
    {"dump", KEY_DUMP, "EXPR", 0,
     "Write each one-step problem for which EXPR holds as a file for perp solve: residual, "
     "iterations, rows or status, compared with a number by > < >= <= == !=",
     0},
    {"resume", KEY_RESUME, NULL, 0, "Go on from the checkpoint in DIR, bit for bit", 0},
    {"check", KEY_CHECK, NULL, 0, "Read and check the scene; make no step", 0},
    {0}};

static void check(void *input, struct argp_state *state)
{
    const run_arguments *given = input;
    const perp_run_request *wish = &given->wish;

    if (wish->out == NULL && (wish->plot || wish->dump || wish->resume))
        argp_error(state, "--plot, --dump and --resume need --out DIR");
}

static const char *scheme_at(void *ctx, int k)
{
    (void)ctx;
    return perp_scheme_at(k);
}

static const char *read_scheme(const char *word)
{
    for (int k = 0; perp_scheme_at(k) != NULL; k++)
        if (strcmp(perp_scheme_at(k), word) == 0)
            return word;
    exit(perp_complain_unknown("scheme", word, scheme_at, NULL,
                               "'perp run --help' lists the integrators"));
}

static error_t file_options(perp_run_request *wish, int key, char *word, struct argp_state *state)
{
    switch (key) {
    case 'o':
        wish->out = word;
        return 0;
    case 'p':
        wish->plot = 1;
        return 0;
    case KEY_DUMP:
        wish->dump = 1;
        if (!perp_run_parse_when(&wish->when, word))
            argp_error(state,
                       "--dump: '%s' is not residual, iterations, rows or status compared with a "
                       "number",
                       word);
        return 0;
    case KEY_RESUME:
        wish->resume = 1;
        return 0;
    case KEY_CHECK:
        wish->check = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    run_arguments *given = input;
    perp_run_changes *changes = &given->wish.changes;

    switch (key) {
    case 'u':
        changes->until = perp_option_real(state, "until", word, -1e300, 1e300);
        return 0;
    case KEY_STEP:
        changes->step = perp_option_real(state, "step", word, 1e-300, 1e300);
        return 0;
    case KEY_SCHEME:
        changes->scheme = read_scheme(word);
        return 0;
    default:
        return file_options(&given->wish, key, word, state);
    }
}

static void more_help(FILE *out, int all)
{
    perp_help_wrap(out,
                   "SCENE names systems, bodies, forces, interactions, contacts, schemes and what "
                   "to record (docs/reference/scene.md); - reads standard input. Each step is one "
                   "problem, whose answer is certified as by perp solve. --solver, --tol, "
                   "--time-limit and --set take the place of what the scene says.",
                   0, 0);
    fputs("\nIntegrators:\n", out);
    for (int k = 0; perp_scheme_at(k) != NULL; k++) {
        int used = fprintf(out, "  %s: ", perp_scheme_at(k));
        perp_help_wrap(out, perp_scheme_summary(perp_scheme_at(k)), used, 6);
    }
    fputs("\nSolvers: ", out);
    perp_help_solver_names(out, all);
    fputs("\n\nExample:\n  perp run examples/scenes/bouncing_ball.json --out ball --plot\n\n"
          "Exit status: 0 done, 1 interrupted, 2 error.  Ctrl-C ends at the next step\n"
          "with a checkpoint, twice at once.",
          out);
}

/* The solver and the settings of the command line, in the place of the scene's. */
static void take_solver(run_arguments *given)
{
    perp_run_changes *changes = &given->wish.changes;

    if (given->shared.solver != NULL && perp_solver_by_name(given->shared.solver) == NULL)
        exit(PERP_EXIT_ERROR);
    changes->solver = given->shared.solver;
    changes->set = given->shared.set;
    changes->sets = given->shared.sets;
}

static int run(perp_run_job *job, const char *path, int json)
{
    const perp_run_request *wish = job->wish;
    int code = PERP_EXIT_ERROR;

    if (perp_run_read(&job->scene, path, &wish->changes) == 0 &&
        perp_run_read_record(&job->record, &job->scene) == 0) {
        job->row = perp_run_take(&job->scene, (size_t)job->record.columns, sizeof(double));
        if (job->row != NULL)
            code = perp_run_go(job);
    }
    if (job->scene.report.text[0] != '\0')
        perp_complain("%s: %s", wish->file, job->scene.report.text);
    if (code == PERP_EXIT_ERROR && json)
        perp_json_failure("run");
    else if (code != PERP_EXIT_ERROR && json)
        perp_run_summary_json(job, code);
    else if (code != PERP_EXIT_ERROR && !wish->quiet && wish->check)
        printf("%s: a valid scene\n", wish->file);
    else if (code != PERP_EXIT_ERROR && !wish->quiet)
        perp_run_summary(job);
    return code;
}

int perp_cmd_run(int argc, char **argv)
{
    perp_command_line line = {.options = options,
                              .option = option,
                              .check = check,
                              .takes = PERP_TAKES_SOLVER | PERP_TAKES_JSON | PERP_TAKES_QUIET,
                              .words = "SCENE",
                              .about = "Simulates the scene in SCENE, a JSON file.",
                              .missing = "no SCENE given",
                              .least = 1,
                              .most = 1,
                              .more = more_help};
    run_arguments given;
    perp_run_job job;
    perp_input input;
    int code = PERP_EXIT_ERROR;

    memset(&given, 0, sizeof given);
    memset(&job, 0, sizeof job);
    given.wish.changes.until = given.wish.changes.step = NAN;
    job.wish = &given.wish;
    perp_read_arguments(&given.shared, &line, &given, argc, argv);
    take_solver(&given);
    given.wish.quiet = given.shared.quiet;
    if (perp_input_open(&input, given.shared.word[0]) == PERP_EXIT_DONE) {
        given.wish.file = input.name;
        code = run(&job, input.open, given.shared.json);
    }
    perp_run_destroy(&job.scene);
    perp_input_close(&input);
    free(given.shared.word);
    return code;
}
