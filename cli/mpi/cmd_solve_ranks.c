/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-mpi solve: a problem file to a certified answer, by several processes.
 *
 * Rank 0 reads and writes files, with the HDF5 of libperp-io, and prints; the others have their
 * parts alone.  The parallel HDF5 that PETSc may link is never called. */
#include "cli/mpi/cmd_solve_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/petsc.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/json_report.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/mpi/launch.h"
#include "cli/mpi/parts_input.h"
#include "cli/mpi/rank_report.h"
#include "cli/names.h"
#include "cli/text_report.h"

typedef struct request {
    perp_shared shared;
    const char *out, *start;
    int verbose, in_parts;
    const perp_generator *generator; /* NULL: a file */
    perp_generate_options generate;
} request;

typedef struct job {
    const request *wish;
    const char *solver, *summary;
    int rank, ranks;
    perp_problem_part *part; /* NULL: rank 0 has the whole */
    perp_input input;        /* this and the next six on rank 0 alone */
    perp_problem_file *file;
    perp_problem problem;
    double *z, *w;
    perp_rank_line *line;
    perp_petsc_share *share;
    perp_petsc *system;
    Vec own_z, own_w;
    perp_petsc_info info;
    perp_info alone; /* of the solve of rank 0; size 0: there was none */
} job;

enum { KEY_START = 256, KEY_IN_PARTS, KEY_GENERATE, KEY_MU, KEY_SEED };

static const struct argp_option options[] = {
    {"out", 'o', "FILE", 0,
     "Write the solution: .hdf5 with its problem (FCLib), any other ending as text, z and w", 0},
    {"start", KEY_START, "FILE", 0, "Start from the solution in FILE instead of zero", 0},
    {"in-parts", KEY_IN_PARTS, NULL, 0,
     "Each rank reads its part of FILE, and none has it all: FCLib, global form", 1},
    {"generate", KEY_GENERATE, "N", 0,
     "Without FILE: each rank makes its part of a packing of spheres with about N contacts", 1},
    {"mu", KEY_MU, "X", 0, "Friction of --generate (0.3)", 1},
    {"seed", KEY_SEED, "N", 0, "Seed of --generate (1)", 1},
    {"verbose", 'v', NULL, 0, "Report what each rank had and did too (--json: always)", 3},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    request *wish = input;

    switch (key) {
    case 'o':
        wish->out = word;
        return 0;
    case KEY_START:
        wish->start = word;
        return 0;
    case 'v':
        wish->verbose = 1;
        return 0;
    case KEY_IN_PARTS:
        wish->in_parts = 1;
        return 0;
    case KEY_GENERATE:
        wish->generator = perp_generator_find("spheres");
        wish->generate.size =
            (int)perp_option_integer(state, "generate", word, 1, PERP_GENERATE_PART_SIZE_MAX);
        return 0;
    case KEY_MU:
        wish->generate.mu = perp_option_real(state, "mu", word, 0.0, 1e300);
        return 0;
    case KEY_SEED:
        wish->generate.seed =
            (uint64_t)perp_option_integer(state, "seed", word, 0, 9223372036854775807);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int ends_as_hdf5(const char *path)
{
    const char *ending = path != NULL ? strrchr(path, '.') : NULL;

    return ending != NULL && (strcmp(ending, ".hdf5") == 0 || strcmp(ending, ".h5") == 0);
}

static void check(void *input, struct argp_state *state)
{
    const request *wish = input;

    if (wish->generator == NULL && wish->shared.words == 0)
        argp_error(state, "no FILE given");
    if (wish->generator != NULL && wish->shared.words > 0)
        argp_error(state, "--generate takes the place of FILE");
    if (wish->generator != NULL && ends_as_hdf5(wish->out))
        argp_error(state, "there is no file with the problem: --out FILE is written as text");
}

static void more_help(FILE *out, int all)
{
    (void)all;
    fputs("FILE is FCLib HDF5 or Siconos text; - reads standard input.\n\nSolvers:\n", out);
    for (int k = 0; perp_petsc_solver_name(k) != NULL; k++)
        fprintf(out, "  %-10s %s\n", perp_petsc_solver_name(k), perp_petsc_solver_summary(k));
    fputs("\nExample:\n  mpirun -n 4 perp-mpi solve pile.hdf5 --tol 1e-4 --out r.hdf5\n\n"
          "Exit status: 0 solved, 1 stopped early (the best iterate is reported and\n"
          "written), 2 error, 3 no solution (shown by rank 0, which goes on alone where\n"
          "auto stalls).",
          out);
}

static const char *solver_at(void *ctx, int k)
{
    (void)ctx;
    return perp_petsc_solver_name(k);
}

/* 0, or PERP_EXIT_ERROR after a message. */
static int choose_solver(job *work)
{
    const char *name = work->wish->shared.solver;

    for (int k = 0; perp_petsc_solver_name(k) != NULL; k++)
        if (name == NULL || strcmp(name, perp_petsc_solver_name(k)) == 0) {
            work->solver = perp_petsc_solver_name(k);
            work->summary = perp_petsc_solver_summary(k);
            return PERP_EXIT_DONE;
        }
    return perp_complain_unknown("solver", name, solver_at, NULL,
                                 "'perp-mpi solve --help' lists the solvers");
}

/* Memory of rank 0 for the answer, and where to start. */
static int begin_answer(job *work)
{
    size_t n = (size_t)work->problem.M.rows;
    perp_io_error error;
    perp_status status;

    work->z = calloc(n + 1, sizeof *work->z);
    work->w = calloc(n + 1, sizeof *work->w);
    work->line = calloc((size_t)work->ranks, sizeof *work->line);
    if (work->z == NULL || work->w == NULL || work->line == NULL)
        return perp_complain("no memory for %zu rows", n);
    memset(&error, 0, sizeof error);
    if (work->wish->start != NULL && (status = perp_solution_read(work->file, work->wish->start,
                                                                  work->z, &error)) != PERP_SOLVED)
        return perp_complain_io(work->wish->start, status, &error);
    return PERP_EXIT_DONE;
}

/* On all ranks, each its part. */
static int load_part(job *work)
{
    const request *wish = work->wish;
    const char *path = wish->generator == NULL ? wish->shared.word[0] : NULL;
    int code = PERP_EXIT_DONE;

    work->input.name = path != NULL ? path : "--generate";
    if (work->rank == 0 && wish->out != NULL)
        code = perp_input_check_out("out", wish->out, path != NULL ? path : "/dev/null");
    code = perp_told(code);
    if (code == PERP_EXIT_DONE)
        code = perp_parts_load(&work->part, path, wish->generator, &wish->generate);
    if (code != PERP_EXIT_DONE || work->rank != 0)
        return perp_told(code);
    if (perp_parts_sizes(work->part, path != NULL ? "in parts" : "spheres, each rank its part",
                         &work->file, &work->problem) != PERP_SOLVED)
        code = perp_complain("no memory");
    return perp_told(code == PERP_EXIT_DONE ? begin_answer(work) : code);
}

/* On rank 0. */
static int load(job *work)
{
    const request *wish = work->wish;
    perp_io_error error;
    perp_status status;

    memset(&error, 0, sizeof error);
    if ((wish->out != NULL &&
         perp_input_check_out("out", wish->out, wish->shared.word[0]) != PERP_EXIT_DONE) ||
        perp_input_open(&work->input, wish->shared.word[0]) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    status = perp_problem_file_read(&work->file, work->input.open, wish->shared.cls, NULL, &error);
    if (status == PERP_SOLVED)
        status = perp_problem_file_get(work->file, &work->problem, &error);
    if (status != PERP_SOLVED)
        return perp_input_complain(&work->input, status, &error);
    perp_input_close(&work->input);
    return begin_answer(work);
}

static int refuse(const job *work, perp_status status, const perp_petsc_where *where)
{
    char doing[4200];
    perp_where at = {where->what[0] != '\0' ? where->what : NULL, where->segment, where->index};

    if (work->rank != 0)
        return PERP_EXIT_ERROR;
    if (where->rank >= 0)
        snprintf(doing, sizeof doing, "%s: rank %d", work->input.name, where->rank);
    else
        snprintf(doing, sizeof doing, "%s", work->input.name);
    return perp_complain_where(doing, status, &at, where->text);
}

static perp_status share(job *work, perp_petsc_where *where)
{
    const perp_mat *mass =
        work->rank == 0 && work->part == NULL && work->problem.M.kind == PERP_DELASSUS
            ? &work->file->M
            : NULL;
    const perp_problem *whole = work->rank == 0 ? &work->problem : NULL;
    perp_status status;

    if (work->part == NULL)
        return perp_petsc_share_create(&work->share, MPI_COMM_WORLD, whole, mass, NULL, where);
    status = perp_petsc_share_parts(&work->share, MPI_COMM_WORLD, work->part, NULL, where);
    perp_problem_part_destroy(work->part);
    work->part = NULL;
    return status;
}

/* Where PETSc, or what it is called for, fails after the problem is divided. */
static int lose_memory(const job *work)
{
    return work->rank == 0 ? perp_complain("%s: no memory", work->input.name) : PERP_EXIT_ERROR;
}

static int divide(job *work)
{
    perp_petsc_where where;
    perp_status status = share(work, &where);

    if (status != PERP_SOLVED)
        return refuse(work, status, &where);
    status = perp_petsc_create(&work->system, MPI_COMM_WORLD, perp_petsc_share_problem(work->share),
                               NULL, &where);
    if (status != PERP_SOLVED)
        return refuse(work, status, &where);
    if (VecDuplicate(perp_petsc_share_problem(work->share)->q, &work->own_z) != 0 ||
        VecDuplicate(perp_petsc_share_problem(work->share)->q, &work->own_w) != 0)
        return lose_memory(work);
    if (work->wish->start != NULL &&
        perp_petsc_share_scatter(work->share, work->z, work->own_z) != PERP_SOLVED)
        return lose_memory(work);
    return PERP_EXIT_DONE;
}

/* To rank 0. */
static void gather_lines(job *work)
{
    perp_rank_line own = {work->info.own, perp_petsc_share_cut(work->share)->own_bodies};

    MPI_Gather(&own, (int)sizeof own, MPI_BYTE, work->line, (int)sizeof own, MPI_BYTE, 0,
               MPI_COMM_WORLD);
}

/* All ranks together did not get there, and rank 0 has the whole problem: `auto` goes on by all
 * that `perp solve` has, from where they ended. */
static int goes_on_alone(const job *work, perp_status status)
{
    return strcmp(work->solver, "auto") == 0 && !work->wish->in_parts &&
           work->wish->generator == NULL && status == PERP_STALLED;
}

/* On rank 0. */
static int solve_alone(job *work, perp_settings settings)
{
    perp_view view;
    perp_status status;
    double left = settings.time_limit - work->info.seconds;

    settings.warm_start = 1;
    settings.time_limit = settings.time_limit > 0.0 ? fmax(left, 1e-3) : 0.0;
    perp_view_init(&view, work->wish->shared.quiet);
    settings.progress_ctx = &view;
    work->alone.size = sizeof work->alone;
    status = perp_solve(NULL, &work->problem, &settings, work->z, work->w, &work->alone);
    perp_view_end(&view);
    if (status < 0)
        return perp_complain_where(work->input.name, status, &work->alone.where,
                                   work->alone.detail);
    return perp_exit_of(status);
}

static int solve(job *work)
{
    perp_settings settings = work->wish->shared.settings;
    perp_petsc_where where;
    perp_status status;
    perp_view view;

    perp_view_init(&view, work->wish->shared.quiet || work->rank != 0);
    settings.progress = perp_view_show;
    settings.progress_ctx = &view;
    settings.warm_start = work->wish->start != NULL ? 1 : settings.warm_start;
    perp_catch_interrupts();
    work->info.size = sizeof work->info;
    status = perp_petsc_solve(work->system, work->solver, &settings, work->own_z, work->own_w,
                              &work->info, &where);
    perp_view_end(&view);
    if (status < 0)
        return refuse(work, status, &where);
    gather_lines(work);
    if (perp_petsc_share_gather(work->share, work->own_z, work->z) != PERP_SOLVED ||
        perp_petsc_share_gather(work->share, work->own_w, work->w) != PERP_SOLVED)
        return lose_memory(work);
    if (goes_on_alone(work, status))
        return perp_told(work->rank == 0 ? solve_alone(work, settings) : PERP_EXIT_DONE);
    return perp_exit_of(status);
}

/* As of a solve in one process. */
static perp_info as_info(const job *work)
{
    perp_info info = {.size = sizeof info};

    if (work->alone.size > 0) {
        info = work->alone;
        info.solver = work->solver;
        info.iterations += work->info.iterations;
        info.solve_seconds += work->info.seconds;
        snprintf(info.detail, sizeof info.detail,
                 "rank 0 alone, after %d iterations of all ranks ended at %.3g",
                 work->info.iterations, work->info.error);
        return info;
    }
    info.status = work->info.status;
    info.solver = work->solver;
    info.iterations = work->info.iterations;
    memcpy(info.detail, work->info.detail, sizeof info.detail);
    info.error = work->info.error;
    info.residual = work->info.residual;
    info.solve_seconds = work->info.seconds;
    return info;
}

static void report(const job *work)
{
    perp_info info = as_info(work);

    perp_report_result(&info, &work->wish->shared.settings, 0);
    if (work->wish->verbose)
        perp_report_ranks(work->line, &work->info);
    else
        perp_row("counts", "%.0f products, %.0f sweeps, %.4g messages, %.4g bytes; imbalance %.3f",
                 work->info.own.products, work->info.sum.sweeps, work->info.sum.messages,
                 work->info.sum.bytes, work->info.imbalance);
}

static void report_json(const job *work, int code)
{
    perp_info info = as_info(work);
    perp_json json;

    perp_json_open(&json, stdout, "solve");
    perp_json_problem(&json, work->input.name, work->file, &work->problem);
    perp_json_result(&json, &info, code);
    perp_json_ranks(&json, perp_petsc_share_cut(work->share), work->line, &work->info);
    perp_json_text(&json, "solution", work->wish->out);
    perp_json_close(&json);
}

/* On rank 0. */
static int finish(job *work, int code)
{
    const request *wish = work->wish;
    perp_io_error error;
    perp_status status = PERP_SOLVED;
    int loud = !wish->shared.quiet && !wish->shared.json;

    memset(&error, 0, sizeof error);
    if (loud)
        report(work);
    if (wish->out != NULL && wish->in_parts && ends_as_hdf5(wish->out))
        status = perp_solution_write_copy(work->input.name, work->z, work->w, work->problem.M.rows,
                                          wish->out, &error);
    else if (wish->out != NULL)
        status = perp_solution_write(work->file, work->z, work->w, wish->out, &error);
    if (status != PERP_SOLVED)
        return perp_complain_io(wish->out, status, &error);
    if (loud)
        perp_row("solution", "%s", wish->out != NULL ? wish->out : "not written (--out FILE)");
    if (wish->shared.json)
        report_json(work, code);
    return code;
}

static int work_through(job *work)
{
    const perp_shared *shared = &work->wish->shared;
    int code = PERP_EXIT_DONE;

    if (work->wish->in_parts || work->wish->generator != NULL)
        code = load_part(work);
    else if (work->rank == 0)
        code = load(work);
    code = perp_told(code);
    if (code == PERP_EXIT_DONE)
        code = divide(work);
    if (code != PERP_EXIT_DONE)
        return code;
    if (work->rank == 0 && !shared->quiet && !shared->json) {
        perp_report_problem(work->input.name, work->file, &work->problem);
        perp_row("solver", "%s: %s", work->solver, work->summary);
        perp_report_cut(perp_petsc_share_cut(work->share), &work->problem, work->ranks);
        fflush(stdout);
    }
    code = solve(work);
    if (work->rank == 0 && code != PERP_EXIT_ERROR)
        code = finish(work, code);
    return perp_told(code);
}

static void release(job *work)
{
    (void)VecDestroy(&work->own_z);
    (void)VecDestroy(&work->own_w);
    perp_petsc_destroy(work->system);
    perp_petsc_share_destroy(work->share);
    perp_problem_file_destroy(work->file);
    perp_problem_part_destroy(work->part);
    perp_input_close(&work->input);
    free(work->z);
    free(work->w);
    free(work->line);
}

static void read_line(request *wish, int argc, char **argv)
{
    perp_command_line line = {
        .options = options,
        .option = option,
        .check = check,
        .takes = PERP_TAKES_SOLVER | PERP_TAKES_CLASS | PERP_TAKES_JSON | PERP_TAKES_QUIET,
        .words = "FILE",
        .about =
            "Solves the problem in FILE by the processes of an MPI run, and certifies the answer.",
        .missing = "no FILE given",
        .least = 0,
        .most = 1,
        .more = more_help};

    perp_read_line_on_ranks(&wish->shared, &line, wish, argc, argv);
}

int perp_cmd_solve_ranks(int argc, char **argv)
{
    request wish;
    job work;
    int code;

    memset(&wish, 0, sizeof wish);
    perp_generate_options_init(&wish.generate, perp_generator_find("spheres"));
    memset(&work, 0, sizeof work);
    work.wish = &wish;
    read_line(&wish, argc, argv);
    if (perp_start_ranks() != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    MPI_Comm_rank(MPI_COMM_WORLD, &work.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &work.ranks);
    code = work.rank == 0 ? choose_solver(&work) : PERP_EXIT_DONE;
    code = perp_told(code);
    if (code == PERP_EXIT_DONE && (work.rank == 0 || choose_solver(&work) == PERP_EXIT_DONE))
        code = work_through(&work);
    if (code == PERP_EXIT_ERROR && wish.shared.json && work.rank == 0)
        perp_json_failure("solve");
    release(&work);
    free(wish.shared.word);
    fflush(stdout);
    PetscFinalize();
    return code;
}
