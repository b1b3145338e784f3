/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-mpi run: a scene file to a simulation, by several processes. */
#include "cli/mpi/cmd_run_ranks.h"

#include <math.h>
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
#include "cli/mpi/launch.h"
#include "cli/mpi/rank_report.h"
#include "cli/mpi/run_on_ranks.h"
#include "cli/names.h"
#include "cli/run_arguments.h"
#include "cli/run_report.h"
#include "cli/run_verdict.h"
#include "cli/text_report.h"

typedef struct request {
    perp_shared shared;
    perp_scene_options changes;
    perp_scene_run_options run;
    int rows, in_parts;
    double skin;
    long every;
    char undivided[1024]; /* why not, where it was to be in parts */
} request;

enum { KEY_SCHEME = 256, KEY_ROWS, KEY_IN_PARTS, KEY_SKIN, KEY_STATES };
/* Below that dividing a problem costs more than it saves; and iterations of a solve that the own
 * solver of each rank then takes over. */
enum { LEAST_ROWS = 3000, MOST_ITERATIONS = 400 };

static const struct argp_option options[] = {
    PERP_RUN_ARGUMENTS,
    {"scheme", KEY_SCHEME, "NAME", 0, "Integrator of all systems that it takes, with its defaults",
     0},
    {"resume", PERP_KEY_RESUME, NULL, 0,
     "Go on from the checkpoint in DIR, of any number of ranks and of perp run", 0},
    {"rows", KEY_ROWS, "N", 0,
     "Problems of at least N rows are solved by the ranks together (3000)", 0},
    {"in-parts", KEY_IN_PARTS, NULL, 0,
     "Each rank has some of the bodies, with what ties them; what is not divided runs without it",
     0},
    {"skin", KEY_SKIN, "L", 0,
     "With --in-parts: that bodies may come nearer before they are divided again", 0},
    {"states", KEY_STATES, "N", 0,
     "With --in-parts: states and contacts of all ranks to states.h5 every N steps (some 200 "
     "times)",
     0},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    request *wish = input;

    if (perp_run_argument(&wish->changes, &wish->run, key, word, state) == 0)
        return 0;
    switch (key) {
    case KEY_SCHEME:
        wish->changes.scheme = word;
        return 0;
    case KEY_ROWS:
        wish->rows = (int)perp_option_integer(state, "rows", word, 1, 2147483647);
        return 0;
    case KEY_IN_PARTS:
        wish->in_parts = 1;
        return 0;
    case KEY_STATES:
        wish->every = (long)perp_option_integer(state, "states", word, 1, 2147483647);
        return 0;
    case KEY_SKIN:
        wish->skin = perp_option_real(state, "skin", word, 1e-300, 1e300);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void check(void *input, struct argp_state *state)
{
    const request *wish = input;

    if (wish->run.folder == NULL && (wish->run.resume || wish->run.vtk != 0))
        argp_error(state, "--vtk and --resume need --out DIR");
    if (wish->shared.time_limit != NULL)
        argp_error(state, "no --time-limit: the ranks would not stop at the same iterate");
    if ((wish->skin > 0.0 || wish->every > 0) && !wish->in_parts)
        argp_error(state, "--skin and --states go with --in-parts");
}

static void more_help(FILE *out, int all)
{
    (void)all;
    perp_help_wrap(out,
                   "SCENE is a JSON file of perp run, which all ranks can read. Each rank makes "
                   "each step; the large one-step problems, of which the time is, are divided and "
                   "solved by all. --solver chooses how; the scene's own solver takes small "
                   "problems, and what is not solved so.",
                   0, 0);
    fputs("\n\nSolvers:\n", out);
    for (int k = 0; perp_petsc_solver_name(k) != NULL; k++)
        fprintf(out, "  %-10s %s\n", perp_petsc_solver_name(k), perp_petsc_solver_summary(k));
    fputs("\nExample:\n  mpirun -n 4 perp-mpi run drum.json --out drum\n\n"
          "Exit status: 0 done, 1 interrupted, not verified or a step was not solved, 2 error.",
          out);
}

static const char *solver_at(void *ctx, int k)
{
    (void)ctx;
    return perp_petsc_solver_name(k);
}

static int choose_solver(perp_step_ranks *step, const char *name)
{
    for (int k = 0; perp_petsc_solver_name(k) != NULL; k++)
        if (name == NULL || strcmp(name, perp_petsc_solver_name(k)) == 0) {
            step->solver = perp_petsc_solver_name(k);
            return PERP_EXIT_DONE;
        }
    return step->rank != 0
               ? PERP_EXIT_ERROR
               : perp_complain_unknown("solver", name, solver_at, NULL,
                                       "'perp-mpi run --help' lists those of several ranks");
}

/* Why a scene is not divided that was to be, on all ranks. */
static void leave_undivided(request *wish, const perp_scene *scene)
{
    perp_scene_error error = {.size = sizeof error};
    int not_divided = scene != NULL && perp_scene_check_divisible(scene, &error) != PERP_SOLVED;

    if (perp_worst(not_divided) == 0)
        return;
    wish->in_parts = wish->changes.absent = 0;
    snprintf(wish->undivided, sizeof wish->undivided, "%s", error.text);
}

/* The scene on all ranks; of those that fail the first complains. */
static int open_scene(perp_scene **scene, request *wish, int rank)
{
    perp_scene_error error = {.size = sizeof error};
    const char *word = wish->shared.word[0];
    int failing, first, ranks;
    perp_status status = PERP_ERR_ARGUMENT;

    if (strcmp(word, "-") == 0)
        snprintf(error.text, sizeof error.text, "a file is needed that all ranks can read");
    else
        status = perp_scene_create_from_file(scene, word, &wish->changes, NULL, &error);
    if (wish->in_parts)
        leave_undivided(wish, status == PERP_SOLVED ? *scene : NULL);
    if (wish->undivided[0] != '\0' && status == PERP_SOLVED) {
        perp_scene_destroy(*scene);
        *scene = NULL;
        status = perp_scene_create_from_file(scene, word, &wish->changes, NULL, &error);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    failing = status != PERP_SOLVED ? rank : ranks;
    MPI_Allreduce(&failing, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank && rank > 0)
        perp_complain("rank %d: %s", rank, error.text);
    else if (first == rank)
        perp_complain("%s", error.text);
    return first < ranks ? PERP_EXIT_ERROR : PERP_EXIT_DONE;
}

/* Of the ranks whose run failed by itself the first says why; 1 where it was said. */
static int complain(const perp_run_ranks *run, perp_status status, const perp_scene_run_info *info,
                    double t)
{
    const perp_step_ranks *step = &run->step;
    int own = status != PERP_SOLVED && status != PERP_INTERRUPTED, first, failing;

    failing = own ? step->rank : step->ranks;
    MPI_Allreduce(&failing, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == step->rank)
        perp_complain("%s", info->detail[0] != '\0' ? info->detail : perp_status_text(status));
    if (step->rank == 0 && run->states_lost)
        perp_complain("the file of states cannot be written");
    if (step->rank == 0 && first == step->ranks && run->meeting.apart)
        perp_complain("the ranks came apart at t = %g: they do not compute the same numbers", t);
    return perp_worst(first < step->ranks || run->states_lost || run->meeting.apart);
}

/* Where the end was reached: the first rank that is not done says why, unless the report of rank 0
 * does.  Each has the verdict of its own bodies. */
static void say_why(const request *wish, const perp_run_ranks *run, const perp_scene *scene,
                    const perp_scene_run_info *info, int code)
{
    perp_run_report about = {
        .scene = scene, .file = wish->shared.word[0], .options = &wish->run, .info = info};
    const perp_step_ranks *step = &run->step;
    int failing = code == PERP_EXIT_STOPPED ? step->rank : step->ranks, first;

    MPI_Allreduce(&failing, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == step->rank && (first > 0 || (wish->shared.quiet && !wish->shared.json)))
        perp_run_report_failure(&about);
}

/* An exit status, the same on all ranks. */
static int go(perp_run_ranks *run, perp_scene *scene, request *wish, perp_scene_run_info *info)
{
    perp_status status = perp_run_on_ranks(run, scene, &wish->run, info);
    double t = perp_sim_time(perp_scene_sim(scene));
    int code = PERP_EXIT_DONE, said = complain(run, status, info, t);

    if (run->in_parts)
        run->verdict = perp_worst((int)perp_run_verdict(scene));
    if (status < 0 || run->meeting.apart || run->states_lost)
        code = PERP_EXIT_ERROR;
    else if (status != PERP_SOLVED || info->unsolved > 0 ||
             perp_run_verdict(scene) == PERP_VERDICT_NOT_VERIFIED)
        code = PERP_EXIT_STOPPED;
    if (!said)
        say_why(wish, run, scene, info, code);
    return perp_worst(code);
}

static void parts(const perp_run_ranks *run, perp_json *json)
{
    const perp_part_counts *c = &run->counts;

    if (json == NULL) {
        perp_row("parts",
                 "%.0f bodies, %.0f guests, %.0f at most in one rank; divided %.0f times, "
                 "%.0f moved with %.0f contacts; %.0f of %.0f pairs cut",
                 c->bodies, c->guests, c->most_bodies, c->divisions, c->migrated, c->handed, c->cut,
                 c->edges);
        return;
    }
    perp_json_object(json, "parts");
    perp_json_text(json, "verdict", perp_verdict_name((perp_verdict_kind)run->verdict));
    perp_json_integer(json, "whole_islands", c->whole_islands);
    perp_json_real(json, "bodies", c->bodies);
    perp_json_real(json, "guests", c->guests);
    perp_json_real(json, "most_bodies", c->most_bodies);
    perp_json_real(json, "divisions", c->divisions);
    perp_json_real(json, "migrated", c->migrated);
    perp_json_real(json, "contacts_moved", c->handed);
    perp_json_real(json, "ties", c->ties);
    perp_json_real(json, "edges", c->edges);
    perp_json_real(json, "cut", c->cut);
    perp_json_real(json, "apart", c->apart);
    perp_json_real(json, "rows_apart", c->rows_apart);
    perp_json_real(json, "by_rank_0", c->whole);
    perp_json_real(json, "ended_by_rank_0", c->ended);
    perp_json_real(json, "messages", c->messages);
    perp_json_real(json, "message_bytes", c->bytes);
    perp_json_end_object(json);
}

static void more(const void *ctx, perp_json *json)
{
    const perp_run_ranks *run = ctx;
    const perp_step_ranks *step = &run->step;

    if (run->in_parts)
        parts(run, json);
    if (json != NULL)
        perp_json_text(json, "undivided", run->undivided);
    else if (run->undivided != NULL)
        perp_row("parts", "none, each rank makes all: %s", run->undivided);
    if (json == NULL && run->in_parts && run->counts.whole_islands) {
        perp_row("ranks", "%d, with whole islands in each; %ld problems solved by all with %s",
                 step->ranks, step->solves, step->solver);
        return;
    }
    if (json == NULL && run->in_parts) {
        perp_row("ranks",
                 "%d; %.0f problems of islands of one rank each, %ld by %s, %.0f by rank 0",
                 step->ranks, run->counts.apart, step->solves, step->solver, run->counts.whole);
        return;
    }
    if (json == NULL) {
        perp_row("ranks", "%d; %ld problems solved together by %s, %.0f iterations; %ld not so",
                 step->ranks, step->solves, step->solver, step->iterations,
                 step->unsolved + step->left);
        if (step->solves > 0)
            perp_row("counts", "%.4g messages, %.4g bytes, %.4g flops; imbalance %.3f",
                     step->sum.messages, step->sum.bytes, step->sum.flops, step->imbalance);
        if (step->solves > 0)
            perp_row("partition", "%s, of the last: %d bodies, %d pairs, %d cut; %d rows at most",
                     step->cut.method, step->cut.bodies, step->cut.edges, step->cut.cut,
                     step->cut.most_rows);
        return;
    }
    perp_json_integer(json, "ranks", step->ranks);
    perp_json_object(json, "together");
    perp_json_text(json, "solver", step->solver);
    perp_json_integer(json, "solves", step->solves);
    perp_json_integer(json, "not_solved", step->unsolved);
    perp_json_integer(json, "left", step->left);
    perp_json_real(json, "iterations", step->iterations);
    perp_json_load(json, &step->sum);
    perp_json_real(json, "imbalance", step->imbalance);
    perp_json_end_object(json);
    if (step->solves > 0 && !run->in_parts)
        perp_json_cut(json, &step->cut);
}

static void report(const request *wish, const perp_run_ranks *run, const perp_scene *scene,
                   const perp_scene_run_info *info, int code)
{
    perp_run_report about = {.scene = scene,
                             .file = wish->shared.word[0],
                             .options = &wish->run,
                             .info = info,
                             .elsewhere = (long)run->counts.elsewhere,
                             .more = more,
                             .more_ctx = run};

    if (run->step.rank != 0)
        return;
    if (code == PERP_EXIT_ERROR && wish->shared.json)
        perp_json_failure("run");
    else if (code != PERP_EXIT_ERROR && wish->shared.json)
        perp_run_report_json(&about, code);
    else if (code != PERP_EXIT_ERROR && !wish->shared.quiet)
        perp_run_report_text(&about);
}

static void read_line(request *wish, int argc, char **argv)
{
    perp_command_line line = {.options = options,
                              .option = option,
                              .check = check,
                              .takes = PERP_TAKES_SOLVER | PERP_TAKES_JSON | PERP_TAKES_QUIET,
                              .words = "SCENE",
                              .about = "Simulates the scene in SCENE by the processes of an MPI "
                                       "run.",
                              .missing = "no SCENE given",
                              .least = 1,
                              .most = 1,
                              .more = more_help};

    memset(wish, 0, sizeof *wish);
    wish->rows = LEAST_ROWS;
    perp_scene_options_init(&wish->changes, sizeof wish->changes);
    perp_scene_run_options_init(&wish->run, sizeof wish->run);
    perp_read_line_on_ranks(&wish->shared, &line, wish, argc, argv);
    wish->changes.settings = wish->shared.set;
    wish->changes.nsettings = wish->shared.sets;
    wish->changes.absent = wish->in_parts;
}

int perp_cmd_run_ranks(int argc, char **argv)
{
    request wish;
    perp_run_ranks run;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene *scene = NULL;
    int code;

    read_line(&wish, argc, argv);
    perp_catch_interrupts();
    if (perp_start_ranks() != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    memset(&run, 0, sizeof run);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.step.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.step.ranks);
    run.rows = wish.rows;
    run.skin = wish.skin;
    run.every = wish.every;
    run.step.max_iter = MOST_ITERATIONS;
    run.quiet = wish.shared.quiet || run.step.rank != 0;
    code = perp_worst(choose_solver(&run.step, wish.shared.solver));
    if (code == PERP_EXIT_DONE)
        code = open_scene(&scene, &wish, run.step.rank);
    run.in_parts = wish.in_parts;
    run.undivided = wish.undivided[0] != '\0' ? wish.undivided : NULL;
    if (code == PERP_EXIT_DONE)
        code = go(&run, scene, &wish, &info);
    report(&wish, &run, scene, &info, code);
    perp_scene_destroy(scene);
    free(wish.shared.word);
    fflush(stdout);
    PetscFinalize();
    return code;
}
