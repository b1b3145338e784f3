/* SPDX-License-Identifier: BSD-3-Clause */
/* perp run: a scene file to a simulation. */
#include <perp/scene.h>

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/run_report.h"
#include "cli/run_view.h"

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

typedef struct run_request {
    const char *file;
    perp_scene_options changes;
    perp_scene_run_options run;
    int check, quiet;
} run_request;

static void parse_real(double *value, const char *word, double low, const char *what,
                       struct argp_state *state)
{
    if (!perp_parse_real(value, word, low, 1e300))
        argp_error(state, "--%s: '%s' is no number in its range", what, word);
}

static void check_request(const run_request *wish, struct argp_state *state)
{
    if (wish->run.folder == NULL &&
        (wish->run.pictures || wish->run.problems != NULL || wish->run.resume))
        argp_error(state, "--plot, --dump and --resume need --out DIR");
}

static void parse_problems(run_request *wish, const char *word, struct argp_state *state)
{
    wish->run.problems = word;
    if (perp_scene_check_problems(word) != PERP_SOLVED)
        argp_error(
            state,
            "--dump: '%s' is not residual, iterations, rows or status compared with a number",
            word);
}

static error_t parse(int key, char *word, struct argp_state *state)
{
    run_request *wish = state->input;

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
        wish->run.folder = word;
        break;
    case 'p':
        wish->run.pictures = 1;
        break;
    case KEY_DUMP:
        parse_problems(wish, word, state);
        break;
    case KEY_RESUME:
        wish->run.resume = 1;
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

typedef struct watch {
    perp_run_view view;
    int begun, quiet;
} watch;

/* After each step: the progress, and the end where the user asked for it. */
static int after_step(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    watch *w = ctx;

    (void)scene;
    if (!w->begun) {
        perp_run_view_start(&w->view, w->quiet, info->first, info->last);
        w->begun = 1;
    }
    perp_run_view_step(&w->view, info->steps, info->t, info->rows);
    return perp_interrupted();
}

static int run(perp_scene *scene, run_request *wish)
{
    perp_scene_run_info info = {.size = sizeof info};
    watch w = {.quiet = wish->quiet};
    perp_status status;

    wish->run.progress = after_step;
    wish->run.progress_ctx = &w;
    perp_catch_interrupts();
    status = perp_scene_run(scene, &wish->run, &info);
    if (w.begun)
        perp_run_view_end(&w.view);
    if (info.refusal[0] != '\0' && !wish->quiet)
        perp_complain("--dump: not written: %s", info.refusal);
    if (info.pictures < 0 && status >= 0)
        perp_complain("--plot: gnuplot is not installed (Debian: gnuplot-nox); %s/series.gp is "
                      "its script",
                      wish->run.folder);
    if (status != PERP_SOLVED && status != PERP_INTERRUPTED)
        return perp_complain("%s", info.detail[0] != '\0' ? info.detail : perp_status_text(status));
    if (!wish->quiet)
        perp_run_report(scene, wish->file, &wish->run, &info);
    return status == PERP_INTERRUPTED ? PERP_EXIT_STOPPED : PERP_EXIT_DONE;
}

int perp_cmd_run(int argc, char **argv)
{
    static const char doc[] = "Simulates the scene in SCENE, a JSON file.\v ";
    const struct argp argp = {options, parse, "SCENE", doc, NULL, help_text, NULL};
    perp_scene_error error = {.size = sizeof error};
    run_request wish;
    perp_scene *scene;
    int code;

    memset(&wish, 0, sizeof wish);
    perp_scene_options_init(&wish.changes, sizeof wish.changes);
    perp_scene_run_options_init(&wish.run, sizeof wish.run);
    if (argp_parse(&argp, argc, argv, 0, NULL, &wish) != 0)
        return PERP_EXIT_ERROR;
    if (perp_scene_create_from_file(&scene, wish.file, &wish.changes, NULL, &error) != PERP_SOLVED)
        return perp_complain("%s", error.text);
    if (!wish.check)
        code = run(scene, &wish);
    else if (perp_scene_check(scene, &error) != PERP_SOLVED)
        code = perp_complain("%s", error.text);
    else
        code = PERP_EXIT_DONE;
    if (wish.check && code == PERP_EXIT_DONE && !wish.quiet)
        printf("%s: a valid scene\n", wish.file);
    perp_scene_destroy(scene);
    return code;
}
