/* SPDX-License-Identifier: BSD-3-Clause */
/* perp solve: a problem file to a certified answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "cli/arguments.h"
#include "cli/choose_solver.h"
#include "cli/commands.h"
#include "cli/equality_report.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/json_report.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/proof.h"
#include "cli/read_apart.h"
#include "cli/solve_all.h"
#include "cli/text_report.h"

typedef struct request {
    perp_shared shared;
    const char *out, *start, *proof;
    int verbose;
} request;

typedef struct job {
    const request *wish;
    perp_input input;
    perp_problem_file *file;
    perp_problem problem;
    perp_solver *solver;
    double *z, *w;
    perp_info info;
    perp_proof proof;
    int has_proof, documented; /* documented: standard output has a document */
} job;

enum { KEY_START = 256, KEY_PROOF };

static const struct argp_option options[] = {
    {"out", 'o', "FILE", 0,
     "Write the solution: .hdf5 with its problem (FCLib), any other ending as text, z and w", 0},
    {"start", KEY_START, "FILE", 0, "Start from the solution in FILE instead of zero", 0},
    {"proof", KEY_PROOF, "FILE", 0, "Write the proof that there is no solution, if one is found",
     0},
    {"verbose", 'v', NULL, 0, "Report settings, stages and memory too (--json: z and w)", 3},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    request *wish = input;

    (void)state;
    switch (key) {
    case 'o':
        wish->out = word;
        return 0;
    case KEY_START:
        wish->start = word;
        return 0;
    case KEY_PROOF:
        wish->proof = word;
        return 0;
    case 'v':
        wish->verbose = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void more_help(FILE *out, int all)
{
    fputs("FILE is FCLib HDF5 or Siconos text; - reads standard input.\n\nSolvers: ", out);
    perp_help_solver_names(out, all);
    if (all) {
        fputs("\n\nSettings (-S NAME=VALUE), with default and range:\n", out);
        perp_help_settings(out, NULL);
    } else {
        fputs("\n\nSettings (-S NAME=VALUE) with their defaults; --help --all lists all:\n", out);
        perp_help_everyday_settings(out);
    }
    fputs("\nExample:\n  perp solve bench/problems/quickstart.hdf5 --tol 1e-6 --out r.hdf5\n\n"
          "Exit status: 0 solved, 1 stopped early (the best iterate is reported and\n"
          "written), 2 error, 3 no solution.  Ctrl-C stops at the next measurement.",
          out);
}

/* Reads the file and makes the problem and the vectors. */
static int load(job *work)
{
    const request *wish = work->wish;
    perp_io_error error;
    perp_status status;
    size_t n;

    memset(&error, 0, sizeof error);
    if (perp_input_open(&work->input, wish->shared.word[0]) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    status = perp_read_problem_apart(&work->file, work->input.open, wish->shared.cls, NULL, NULL, &error);
    if (status == PERP_SOLVED)
        status = perp_problem_file_get(work->file, &work->problem, &error);
    if (status != PERP_SOLVED)
        return perp_input_complain(&work->input, status, &error);
    perp_input_close(&work->input);
    n = (size_t)work->problem.M.rows;
    work->z = calloc(n + 1, sizeof *work->z);
    work->w = calloc(n + 1, sizeof *work->w);
    if (work->z == NULL || work->w == NULL)
        return perp_complain("no memory for %zu rows", n);
    if (wish->start != NULL) {
        status = perp_read_solution_apart(work->file, wish->start, NULL, work->z,
                                          work->problem.M.rows, &error);
        if (status != PERP_SOLVED)
            return perp_complain_io(wish->start, status, &error);
    }
    return PERP_EXIT_DONE;
}

static void report_settings(const perp_solver_type *type)
{
    if (perp_solver_reads(type)[0] != '\0') {
        puts("settings read by this solver, with default and range:");
        perp_help_settings(stdout, perp_solver_reads(type));
    }
}

/* Solves; the status of the solve goes to *status. */
static int solve(job *work, const perp_solver_type *type, perp_status *status)
{
    perp_settings settings = work->wish->shared.settings;
    const perp_info *failed;
    perp_view view;
    int proved = 0;

    perp_view_init(&view, work->wish->shared.quiet);
    settings.progress = perp_view_show;
    settings.progress_ctx = &view;
    settings.warm_start = work->wish->start != NULL ? 1 : settings.warm_start;
    *status = perp_solver_create(&work->solver, type, &settings, NULL, NULL);
    if (*status != PERP_SOLVED)
        return perp_complain("%s: %s", perp_solver_name(type), perp_status_text(*status));
    perp_catch_interrupts();
    *status = perp_solver_setup(work->solver, &work->problem);
    if (*status == PERP_SOLVED) {
        work->info.size = sizeof work->info;
        *status = perp_solver_solve(work->solver, work->z, work->w, &work->info);
        perp_view_end(&view);
    }
    if (*status < 0) {
        failed = perp_solver_info(work->solver);
        return perp_complain_where(work->input.name, *status, &failed->where, failed->detail);
    }
    if (*status != PERP_SOLVED)
        proved = perp_proof_take(&work->proof, work->solver, &work->problem, work->input.name);
    if (proved < 0)
        return perp_complain("%s: no memory for the proof", work->input.name);
    work->has_proof = proved;
    return perp_exit_of(*status);
}

static void report(const job *work)
{
    const request *wish = work->wish;

    perp_report_result(&work->info, &wish->shared.settings, wish->verbose);
    if (work->has_proof)
        perp_proof_print(&work->proof);
    if (work->info.status != PERP_SOLVED && work->info.status != PERP_INFEASIBLE)
        perp_report_equalities(&work->problem);
}

static void report_json(const job *work, int code)
{
    const request *wish = work->wish;
    perp_json json;

    perp_json_open(&json, stdout, "solve");
    perp_json_problem(&json, work->input.name, work->file, &work->problem);
    perp_json_result(&json, &work->info, code);
    perp_proof_json(&json, "certificate", work->has_proof ? &work->proof : NULL);
    perp_json_text(&json, "solution", wish->out);
    perp_json_text(&json, "proof", work->has_proof ? wish->proof : NULL);
    if (wish->verbose) {
        perp_json_settings(&json, &wish->shared.settings);
        perp_json_reals(&json, "z", work->z, work->problem.M.rows);
        perp_json_reals(&json, "w", work->w, work->problem.M.rows);
    }
    perp_json_close(&json);
}

static int write_files(job *work)
{
    const request *wish = work->wish;
    perp_io_error error;
    perp_status status = PERP_SOLVED;

    memset(&error, 0, sizeof error);
    if (wish->out != NULL)
        status = perp_solution_write(work->file, work->z, work->w, wish->out, &error);
    if (status != PERP_SOLVED)
        return perp_complain_io(wish->out, status, &error);
    if (!wish->shared.quiet && !wish->shared.json)
        perp_row("solution", "%s", wish->out != NULL ? wish->out : "not written (--out FILE)");
    if (wish->proof == NULL)
        return PERP_EXIT_DONE;
    if (work->has_proof && perp_proof_write(&work->proof, wish->proof) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    if (!wish->shared.quiet && !wish->shared.json)
        perp_row("proof file", "%s", work->has_proof ? wish->proof : "not written: none was found");
    return PERP_EXIT_DONE;
}

static int work_through(job *work)
{
    const request *wish = work->wish;
    const perp_shared *shared = &wish->shared;
    const perp_solver_type *type;
    perp_status status = PERP_SOLVED;
    int code;

    if (wish->out != NULL && wish->proof != NULL && strcmp(wish->out, wish->proof) == 0)
        return perp_complain("--out and --proof name one file, '%s'", wish->out);
    if ((wish->out != NULL && perp_input_check_out("out", wish->out, shared->word[0]) != PERP_EXIT_DONE) ||
        (wish->proof != NULL && perp_input_check_out("proof", wish->proof, shared->word[0]) != PERP_EXIT_DONE) ||
        load(work) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    work->documented = shared->all;
    if (shared->all)
        return perp_solve_all(work->input.name, &work->problem, shared);
    type = perp_choose_solver(shared->solver, &work->problem);
    if (type == NULL)
        return PERP_EXIT_ERROR;
    if (!shared->quiet && !shared->json) {
        perp_report_problem(work->input.name, work->file, &work->problem);
        perp_row("solver", "%s: %s", perp_solver_name(type), perp_solver_summary(type));
        if (wish->verbose)
            report_settings(type);
        fflush(stdout);
    }
    code = solve(work, type, &status);
    if (status < 0)
        return code;
    if (!shared->quiet && !shared->json)
        report(work);
    if (write_files(work) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    if (shared->json)
        report_json(work, code);
    return code;
}

int perp_cmd_solve(int argc, char **argv)
{
    perp_command_line line = {
        .options = options,
        .option = option,
        .takes = PERP_TAKES_SOLVER | PERP_TAKES_CLASS | PERP_TAKES_JSON | PERP_TAKES_ALL |
                 PERP_TAKES_QUIET,
        .all_text = "Print every solution of a small problem (at most two rows a contact)",
        .words = "FILE",
        .about = "Solves the problem in FILE and certifies the answer.",
        .missing = "no FILE given",
        .least = 1,
        .most = 1,
        .more = more_help};
    request wish;
    job work;
    int code;

    memset(&wish, 0, sizeof wish);
    memset(&work, 0, sizeof work);
    work.wish = &wish;
    perp_read_arguments(&wish.shared, &line, &wish, argc, argv);
    code = work_through(&work);
    if (code == PERP_EXIT_ERROR && wish.shared.json && !work.documented)
        perp_json_failure("solve");
    perp_proof_free(&work.proof);
    perp_solver_destroy(work.solver);
    perp_problem_file_destroy(work.file);
    perp_input_close(&work.input);
    free(work.z);
    free(work.w);
    free(wish.shared.word);
    return code;
}
