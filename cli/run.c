/* SPDX-License-Identifier: BSD-3-Clause */
/* perp run: a scene file to a simulation. */
#include "cli/run.h"

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/message.h"

enum { KEY_DUMP = 256, KEY_RESUME, KEY_CHECK };

static const struct argp_option options[] = {
    {"until", 'u', "T", 0, "End of the run, instead of the scene's", 0},
    {"step", 'h', "H", 0, "Length of a step, instead of the scene's", 0},
    {"solver", 's', "NAME", 0, "Solver of the one-step problems, instead of the scene's", 0},
    {"tol", 't', "X", 0, "Its tolerance, instead of the scene's", 0},
    {"scheme", 'S', "NAME", 0, "Integrator of all systems that it takes, with its defaults", 0},
    {"out", 'o', "DIR", 0,
     "Write series.csv, series.h5, frames of the bodies for ParaView, and a checkpoint", 0},
    {"plot", 'p', NULL, 0, "Draw the series with gnuplot, PNG and SVG", 0},
    {"dump", KEY_DUMP, "EXPR", 0,
     "Write each one-step problem for which EXPR holds as a file for perp solve: residual, "
     "iterations, rows or status, compared with a number by > < >= <= == !=",
     0},
    {"resume", KEY_RESUME, NULL, 0, "Go on from the checkpoint in DIR, bit for bit", 0},
    {"check", KEY_CHECK, NULL, 0, "Read and check the scene; make no step", 0},
    {"quiet", 'q', NULL, 0, "Print errors only", 0},
    {0}};

static void parse_real(double *value, const char *word, double low, const char *what,
                       struct argp_state *state)
{
    if (!perp_parse_real(value, word, low, 1e300))
        argp_error(state, "--%s: '%s' is no number in its range", what, word);
}

static void check_request(const perp_run_request *wish, struct argp_state *state)
{
    if (wish->out == NULL && (wish->plot || wish->dump || wish->resume))
        argp_error(state, "--plot, --dump and --resume need --out DIR");
}

static error_t parse(int key, char *word, struct argp_state *state)
{
    perp_run_request *wish = state->input;

    switch (key) {
    case 'u':
        parse_real(&wish->changes.until, word, -1e300, "until", state);
        break;
    case 'h':
        parse_real(&wish->changes.step, word, 1e-300, "step", state);
        break;
    case 's':
        wish->changes.solver = word;
        break;
    case 't':
        parse_real(&wish->changes.tol, word, 0.0, "tol", state);
        break;
    case 'S':
        wish->changes.scheme = word;
        break;
    case 'o':
        wish->out = word;
        break;
    case 'p':
        wish->plot = 1;
        break;
    case KEY_DUMP:
        wish->dump = 1;
        if (!perp_run_parse_when(&wish->when, word))
            argp_error(state,
                       "--dump: '%s' is not residual, iterations, rows or status compared with a "
                       "number",
                       word);
        break;
    case KEY_RESUME:
        wish->resume = 1;
        break;
    case KEY_CHECK:
        wish->check = 1;
        break;
    case 'q':
        wish->quiet = 1;
        break;
    case ARGP_KEY_ARG:
        if (wish->file != NULL)
            argp_error(state, "one SCENE only, not '%s' too", word);
        wish->file = word;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no SCENE given");
        break;
    case ARGP_KEY_END:
        check_request(wish, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static char *help_text(int key, const char *text, void *input)
{
    char *buffer = NULL;
    size_t size;
    FILE *out;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC || (out = open_memstream(&buffer, &size)) == NULL)
        return (char *)text;
    perp_help_wrap(out,
                   "A scene names systems, bodies, forces, interactions, contacts, schemes and "
                   "what to record: docs/scene.md. Each step is one problem, whose answer is "
                   "certified as by perp solve.",
                   0, 0);
    fputs("\nIntegrators:\n", out);
    for (int k = 0; perp_scheme_at(k) != NULL; k++) {
        int used = fprintf(out, "  %s: ", perp_scheme_at(k));
        perp_help_wrap(out, perp_scheme_summary(perp_scheme_at(k)), used, 6);
    }
    fputs("\nSolvers: ", out);
    perp_help_solver_names(out);
    fputs("\n\nExample:\n  perp run examples/scenes/bouncing_ball.json --out ball --plot\n\n"
          "Exit status: 0 done, 1 interrupted, 2 error.  Ctrl-C ends at the next step\n"
          "with a checkpoint, twice at once.",
          out);
    fclose(out);
    return buffer;
}

/* A request that no other field but the defaults of "as in the file" is set in. */
static void init_request(perp_run_request *wish)
{
    memset(wish, 0, sizeof *wish);
    wish->changes.until = wish->changes.step = wish->changes.tol = NAN;
}

int perp_cmd_run(int argc, char **argv)
{
    static const char doc[] = "Simulates the scene in SCENE, a JSON file.\v ";
    const struct argp argp = {options, parse, "SCENE", doc, NULL, help_text, NULL};
    perp_run_request wish;
    perp_run_job job;
    int code = PERP_EXIT_ERROR;

    init_request(&wish);
    memset(&job, 0, sizeof job);
    job.wish = &wish;
    if (argp_parse(&argp, argc, argv, 0, NULL, &wish) != 0)
        return PERP_EXIT_ERROR;
    if (perp_run_read(&job.scene, wish.file, &wish.changes) == 0 &&
        perp_run_read_record(&job.record, &job.scene) == 0) {
        job.row = perp_run_take(&job.scene, (size_t)job.record.columns, sizeof(double));
        if (job.row != NULL)
            code = perp_run_go(&job);
    }
    if (job.scene.report.text[0] != '\0')
        perp_complain("%s: %s", wish.file, job.scene.report.text);
    if (code != PERP_EXIT_ERROR && !wish.quiet && wish.check)
        printf("%s: a valid scene\n", wish.file);
    else if (code != PERP_EXIT_ERROR && !wish.quiet)
        perp_run_summary(&job);
    perp_run_destroy(&job.scene);
    return code;
}
