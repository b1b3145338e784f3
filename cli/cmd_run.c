/* SPDX-License-Identifier: BSD-3-Clause */
/* perp run: a scene file to a simulation. */
#include <perp/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/json_report.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/names.h"
#include "cli/robot_arguments.h"
#include "cli/run_arguments.h"
#include "cli/run_progress.h"
#include "cli/run_report.h"
#include "cli/run_verdict.h"
#include "cli/run_view.h"

/* The command line, and what it asks for. */
typedef struct run_arguments {
    perp_shared shared;
    const char *file; /* for messages */
    perp_scene_options changes;
    perp_scene_run_options run;
    perp_robot_arguments robot;
    perp_run_view view;
    int check;
} run_arguments;

enum { KEY_SCHEME = 256, KEY_PROBLEMS, KEY_CHECK, KEY_VIEW, KEY_PAUSED, KEY_PLAIN };

static const struct argp_option options[] = {
    PERP_RUN_ARGUMENTS,
    {"scheme", KEY_SCHEME, "NAME", 0, "Integrator of all systems that it takes, with its defaults",
     0},
    {"plot", 'p', NULL, 0, "Draw the series with gnuplot, PNG and SVG", 0},
    {"problems", KEY_PROBLEMS, "EXPR", 0,
     "Write each one-step problem for which EXPR holds as a file for perp solve: residual, "
     "iterations, rows or status, compared with a number by > < >= <= == !=",
     0},
    {"resume", PERP_KEY_RESUME, NULL, 0, "Go on from the checkpoint in DIR, bit for bit", 0},
    {"view", KEY_VIEW, "PORT", OPTION_ARG_OPTIONAL,
     "Show the run in a browser while it goes on, at an address of 127.0.0.1 that is printed", 0},
    {"paused", KEY_PAUSED, NULL, 0,
     "With --view: wait before the first step until the page says go", 0},
    {"no-browser", KEY_PLAIN, NULL, 0,
     "With --view: print the address alone; else a browser opens it where standard output is a "
     "terminal of a desktop with xdg-open",
     0},
    {"check", KEY_CHECK, NULL, 0, "Read and check the scene; make no step", 0},
    PERP_ROBOT_ARGUMENTS,
    {0}};

static void check(void *input, struct argp_state *state)
{
    const run_arguments *given = input;
    const perp_scene_run_options *wish = &given->run;

    if (wish->folder == NULL &&
        (wish->pictures || wish->problems != NULL || wish->resume || wish->vtk != 0))
        argp_error(state, "--plot, --problems, --vtk and --resume need --out DIR");
    if (given->view.paused && !given->view.wanted)
        argp_error(state, "--paused needs --view");
    if (given->view.plain && !given->view.wanted)
        argp_error(state, "--no-browser needs --view");
    if (given->view.wanted && given->check)
        argp_error(state, "--view shows the steps of a run, --check makes none: not both");
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

static error_t file_options(run_arguments *given, int key, char *word, struct argp_state *state)
{
    switch (key) {
    case 'p':
        given->run.pictures = 1;
        return 0;
    case KEY_PROBLEMS:
        given->run.problems = word;
        if (perp_scene_check_problems(word) != PERP_SOLVED)
            argp_error(
                state,
                "--problems: '%s' is not residual, iterations, rows or status compared with a "
                "number",
                word);
        return 0;
    case KEY_CHECK:
        given->check = 1;
        return 0;
    default:
        return perp_robot_argument(&given->robot, key, word, state);
    }
}

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    run_arguments *given = input;

    if (perp_run_argument(&given->changes, &given->run, key, word, state) == 0)
        return 0;
    switch (key) {
    case KEY_SCHEME:
        given->changes.scheme = read_scheme(word);
        return 0;
    case KEY_VIEW:
        given->view.wanted = 1;
        if (word != NULL)
            given->view.port = (int)perp_option_integer(state, "view", word, 1, 65535);
        return 0;
    case KEY_PAUSED:
        given->view.paused = 1;
        return 0;
    case KEY_PLAIN:
        given->view.plain = 1;
        return 0;
    default:
        return file_options(given, key, word, state);
    }
}

static void more_help(FILE *out, int all)
{
    perp_help_wrap(out,
                   "SCENE names systems, bodies, forces, interactions, contacts, schemes and what "
                   "to record (docs/reference/scene.md), or it is a model of a robot, URDF or MJCF "
                   "(docs/reference/robots.md); - reads standard input. Each step is one "
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
          "Exit status: 0 done, 1 interrupted, not verified or a step was not solved, 2 error.\n"
          "Ctrl-C ends at the next step with a checkpoint, twice at once.",
          out);
}

/* The solver and the settings of the command line, in the place of the scene's. */
static void take_solver(run_arguments *given)
{
    if (given->shared.solver != NULL && perp_solver_by_name(given->shared.solver) == NULL)
        exit(PERP_EXIT_ERROR);
    given->changes.solver = given->shared.solver;
    given->changes.settings = given->shared.set;
    given->changes.nsettings = given->shared.sets;
}

typedef struct watch {
    perp_run_progress progress;
    perp_run_view *view;
    int begun, quiet;
    int asked;   /* before anything was written */
    double step; /* when the present step began */
} watch;

/* Seconds of a step that is made to its end though an interrupt came: it is not lost, and contacts
 * are not found twice from the same states, which would change their last digits. */
static const double PATIENCE = 1.0;

/* Before the first step of a run that goes on, with the state of its checkpoint. */
static int resumed(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    const watch *w = ctx;

    (void)scene;
    return perp_run_view_start(w->view, info->steps) | perp_interrupted();
}

/* After each step: the progress, and the end where the user asked for it. */
static int after_step(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    watch *w = ctx;
    double held = w->view->held;
    int stopped;

    (void)scene;
    if (!w->begun)
        perp_run_progress_start(&w->progress, w->quiet, info->first, info->last);
    w->begun = 1;
    perp_run_progress_step(&w->progress, info->steps, info->t, info->rows);
    stopped = perp_run_view_step(w->view, info);
    w->progress.begun += w->view->held - held;
    w->step = perp_run_seconds();
    return stopped | perp_interrupted();
}

static int stop(void *ctx)
{
    watch *w = ctx;
    int first = !w->asked, left = perp_run_view_within(w->view);

    w->asked = 1;
    return left | (perp_interrupted() && (first || perp_run_seconds() - w->step > PATIENCE));
}

/* Steps to the end; an exit status. */
static int go(perp_scene *scene, run_arguments *given, perp_scene_run_info *info)
{
    watch w = {.quiet = given->shared.quiet, .view = &given->view, .step = perp_run_seconds()};
    perp_status status;

    given->run.progress = after_step;
    given->run.progress_ctx = given->run.stop_ctx = &w;
    given->run.stop = stop;
    if (perp_run_view_open(&given->view, scene) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    if (given->run.resume)
        given->run.started = resumed;
    else /* who stops it here leaves the folder as it was */
        perp_run_view_start(&given->view, 0);
    status = perp_scene_run(scene, &given->run, info);
    info->seconds -= given->view.held;
    perp_run_view_end(&given->view, info, status);
    if (w.begun)
        perp_run_progress_end(&w.progress);
    if (info->refusal[0] != '\0' && !given->shared.quiet)
        perp_complain("--problems: not written: %s", info->refusal);
    if (info->pictures < 0 && status >= 0)
        perp_complain("--plot: gnuplot is not installed (Debian: gnuplot-nox); %s/series.gp is "
                      "its script",
                      given->run.folder);
    if (status == PERP_SOLVED)
        return info->unsolved > 0 || perp_run_verdict(scene) == PERP_VERDICT_NOT_VERIFIED
                   ? PERP_EXIT_STOPPED
                   : PERP_EXIT_DONE;
    if (status == PERP_INTERRUPTED)
        return PERP_EXIT_STOPPED;
    if (status > 0) { /* a step was not made; what was done till then is reported */
        perp_complain("%s", info->detail);
        return PERP_EXIT_STOPPED;
    }
    return perp_complain("%s", info->detail[0] != '\0' ? info->detail : perp_status_text(status));
}

/* The name of a file that the run writes in its folder and that is the one to read, or NULL.  A run
 * that goes on reads the copy of its scene. */
static const char *replaced_input(const run_arguments *given, const char *word)
{
    static const char *const names[] = {"scene.json",  "series.csv",  "series.h5",  "contacts.csv",
                                        "contacts.h5", "impacts.csv", "checkpoint", "frames.pvd",
                                        "series.gp",   "series.png",  "series.svg", "motion.bin"};
    const char *folder = given->run.folder, *found = NULL;
    size_t size = folder != NULL ? strlen(folder) + 32 : 0;
    char *path = size > 0 && !given->check ? malloc(size) : NULL;

    for (size_t k = given->run.resume ? 1 : 0; path && k < sizeof names / sizeof names[0]; k++) {
        snprintf(path, size, "%s/%s", folder, names[k]);
        found = perp_input_is(word, path) ? names[k] : found;
        snprintf(path, size, "%s/%s.part", folder, names[k]);
        found = perp_input_is(word, path) ? names[k] : found;
    }
    free(path);
    return found;
}

/* What is wrong with the scene of a model, whose line is none of the model. */
static int complain_of_model(perp_scene_error *error)
{
    perp_run_say_whose_line(error);
    return perp_complain("%s", error->text);
}

/* The scene of a file, or of the model in it; 0, or an exit status after a message. */
static int open_scene(perp_scene **scene, run_arguments *given, const perp_input *input)
{
    perp_scene_error error = {.size = sizeof error};
    perp_status status;
    char *text;
    int model = perp_robot_is_model(input->open);

    if (model) {
        given->robot.quiet = given->shared.quiet;
        text = perp_robot_open(&given->robot, input);
        if (text == NULL)
            return PERP_EXIT_ERROR;
        status = perp_scene_create_from_text(scene, text, &given->changes, NULL, &error);
        perp_robot_release(text, NULL);
    } else if (given->robot.given != NULL) {
        return perp_complain("--%s: %s is no model of a robot", given->robot.given, input->name);
    } else {
        status = perp_scene_create_from_file(scene, input->open, &given->changes, NULL, &error);
    }
    if (status == PERP_SOLVED && given->check)
        status = perp_scene_check(*scene, &error);
    if (status == PERP_SOLVED)
        return PERP_EXIT_DONE;
    if (perp_interrupted())
        return perp_complain("%s: interrupted before the first step; nothing was written",
                             given->file);
    int c = status == PERP_ERR_FORMAT ? perp_input_begins(input) : EOF;
    if (c == 0x89 || (c >= '0' && c <= '9')) /* HDF5, or the numbers of a .dat */
        return perp_complain("%s: no scene but a problem, it seems: 'perp solve' takes problems",
                             given->file);
    return model ? complain_of_model(&error) : perp_complain("%s", error.text);
}

static int run(run_arguments *given, const perp_input *input)
{
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene *scene = NULL;
    perp_run_report report = {
        .file = given->file, .options = &given->run, .info = &info, .checked = given->check};
    int code;

    given->changes.name = given->file;
    code = open_scene(&scene, given, input);
    if (code == PERP_EXIT_DONE && !given->check)
        code = go(scene, given, &info);
    report.scene = scene;
    report.of_model = perp_robot_is_model(input->open);
    if (code == PERP_EXIT_ERROR && given->shared.json)
        perp_json_failure("run");
    else if (code != PERP_EXIT_ERROR && given->shared.json)
        perp_run_report_json(&report, code);
    else if (code != PERP_EXIT_ERROR && !given->shared.quiet && given->check)
        perp_run_report_check(&report);
    else if (code != PERP_EXIT_ERROR && !given->shared.quiet)
        perp_run_report_text(&report);
    else if (code == PERP_EXIT_STOPPED)
        perp_run_report_failure(&report);
    perp_scene_destroy(scene);
    return scene == NULL && perp_interrupted() ? PERP_EXIT_STOPPED : code;
}

int perp_cmd_run(int argc, char **argv)
{
    perp_command_line line = {.options = options,
                              .option = option,
                              .check = check,
                              .takes = PERP_TAKES_SOLVER | PERP_TAKES_JSON | PERP_TAKES_QUIET,
                              .words = "SCENE",
                              .about = "Simulates the scene in SCENE, a JSON file, URDF or MJCF.",
                              .missing = "no SCENE given",
                              .least = 1,
                              .most = 1,
                              .more = more_help};
    run_arguments given;
    perp_input input;
    int code = PERP_EXIT_ERROR;

    memset(&given, 0, sizeof given);
    perp_scene_options_init(&given.changes, sizeof given.changes);
    perp_robot_arguments_init(&given.robot);
    perp_scene_run_options_init(&given.run, sizeof given.run);
    perp_read_arguments(&given.shared, &line, &given, argc, argv);
    take_solver(&given);
    const char *replaced = replaced_input(&given, given.shared.word[0]);
    if (replaced != NULL) {
        perp_complain("--out %s: the run writes its own %s there, which is the file to read",
                      given.run.folder, replaced);
        if (given.shared.json)
            perp_json_failure("run");
        free(given.shared.word);
        return code;
    }
    if (!given.check)
        perp_catch_interrupts(); /* also while the scene is read */
    code = perp_input_open(&input, given.shared.word[0]);
    if (code == PERP_EXIT_DONE) {
        given.file = input.name;
        code = run(&given, &input);
    }
    perp_input_close(&input);
    free(given.shared.word);
    return code;
}
