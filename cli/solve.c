/* SPDX-License-Identifier: BSD-3-Clause */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perp/io.h>

#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/equalities.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/solve_all.h"

typedef struct request {
    const char *file, *solver, *out, *start;
    perp_dump_class cls;
    perp_settings settings;
    int verbose, quiet, all;
} request;

typedef struct job {
    perp_dump *dump;
    perp_problem problem;
    perp_solver *solver;
    double *z, *w;
} job;

enum { KEY_CLASS = 256, KEY_START, KEY_ALL };

static const struct argp_option options[] = {
    {"solver", 's', "NAME", 0, "Solver; without it one that fits the problem is chosen", 0},
    {"tol", 't', "X", 0, "Tolerance on the residual (1e-8); the same as --set tol=X", 0},
    {"set", 'S', "NAME=VALUE", 0, "Change a setting; may be given several times", 0},
    {"out", 'o', "FILE", 0,
     "Write the solution: .hdf5 holds the problem with its solution (FCLib), any other ending "
     "gives text, two columns z and w",
     0},
    {"start", KEY_START, "FILE", 0, "Start from the solution in FILE instead of zero", 0},
    {"class", KEY_CLASS, "CLASS", 0,
     "What a text file holds where its content does not tell: friction, global, rolling, lcp, "
     "mlcp, "
     "relay",
     0},
    {"all", KEY_ALL, NULL, 0,
     "Print every solution of a small problem (the sets of enum, two rows a contact at most) and "
     "whether these are all; --solver and --out are not used",
     0},
    {"verbose", 'v', NULL, 0, "Print the settings in force and the solver's memory too", 0},
    {"quiet", 'q', NULL, 0, "Print errors only; the exit status tells the result", 0},
    {0}};

/* Says what is wrong with a refused NAME=VALUE. */
static void explain_setting(const char *name, const char *value)
{
    const perp_setting_info *info;

    for (int k = 0; (info = perp_setting_at(k)) != NULL; k++) {
        if (strcmp(info->name, name) != 0)
            continue;
        if (info->choices != NULL) {
            perp_complain("setting %s: '%s' is none of %s", name, value, info->choices);
        } else {
            perp_complain("setting %s: '%s' is not %s from %.10g to %.10g", name, value,
                          info->is_integer ? "a whole number" : "a number", info->lowest,
                          info->highest);
        }
        return;
    }
    if (perp_setting_renamed(name) != NULL)
        perp_complain("%s", perp_setting_renamed(name));
    else
        perp_complain("unknown setting '%s'", name);
    fputs("settings:", stderr);
    for (int k = 0; (info = perp_setting_at(k)) != NULL; k++)
        fprintf(stderr, " %s", info->name);
    fputc('\n', stderr);
}

static void change_setting(perp_settings *settings, const char *name, const char *value)
{
    if (perp_settings_set(settings, name, value) != PERP_SOLVED) {
        explain_setting(name, value);
        exit(PERP_EXIT_ERROR);
    }
}

static void change_pair(perp_settings *settings, const char *pair)
{
    const char *equals = strchr(pair, '=');
    char name[64];

    if (equals == NULL || (size_t)(equals - pair) >= sizeof name) {
        perp_complain("--set wants NAME=VALUE, not '%s'", pair);
        exit(PERP_EXIT_ERROR);
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - pair), pair);
    change_setting(settings, name, equals + 1);
}

static error_t parse(int key, char *word, struct argp_state *state)
{
    request *wish = state->input;

    switch (key) {
    case 's':
        wish->solver = word;
        break;
    case 't':
        change_setting(&wish->settings, "tol", word);
        break;
    case 'S':
        change_pair(&wish->settings, word);
        break;
    case 'o':
        wish->out = word;
        break;
    case KEY_START:
        wish->start = word;
        break;
    case KEY_CLASS:
        if (!perp_parse_class(&wish->cls, word))
            argp_error(state, "unknown class '%s'", word);
        break;
    case KEY_ALL:
        wish->all = 1;
        break;
    case 'v':
        wish->verbose = 1;
        break;
    case 'q':
        wish->quiet = 1;
        break;
    case ARGP_KEY_ARG:
        if (wish->file != NULL)
            argp_error(state, "one FILE only, not '%s' too", word);
        wish->file = word;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no FILE given");
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
    fputs("Formats: FCLib HDF5 (local, global, rolling), Siconos .dat (friction, rolling, global, "
          "LCP, MLCP, "
          "relay).\n\nSolvers:\n",
          out);
    perp_help_solvers(out);
    fputs("\nSettings (--set NAME=VALUE), with default and range:\n", out);
    perp_help_settings(out, NULL);
    fputs("\nExample:\n  perp solve bench/problems/quickstart.hdf5 --tol 1e-6 --out r.hdf5\n\n"
          "Exit status: 0 solved, 1 stopped early (the best iterate is reported and\n"
          "written), 2 error.  Ctrl-C stops at the next measurement, twice at once.",
          out);
    fclose(out);
    return buffer;
}

/* Reads the file and makes the problem and the vectors. */
static int load(job *work, const request *wish)
{
    perp_io_error error;
    perp_status status;
    size_t n;

    memset(&error, 0, sizeof error);
    status = perp_dump_read(&work->dump, wish->file, wish->cls, NULL, &error);
    if (status == PERP_SOLVED)
        status = perp_dump_problem(work->dump, &work->problem, &error);
    if (status != PERP_SOLVED)
        return perp_complain_io(wish->file, status, &error);
    n = (size_t)work->problem.M.rows;
    work->z = calloc(n + 1, sizeof *work->z);
    work->w = calloc(n + 1, sizeof *work->w);
    if (work->z == NULL || work->w == NULL)
        return perp_complain("no memory for %zu rows", n);
    if (wish->start != NULL) {
        status = perp_solution_read(work->dump, work->z, wish->start, &error);
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

/* What the solver can prove about a problem that it could not solve; a vector is checked here. */
static void report_proof(const perp_solver *solver, const perp_problem *problem)
{
    perp_certificate_kind kind;
    perp_certificate_figures seen;
    int rows = problem->M.rows;
    double *y = calloc((size_t)rows + 1, sizeof *y);

    if (y != NULL && perp_solver_certificate(solver, &kind, y, rows) == PERP_SOLVED &&
        kind != PERP_CERTIFICATE_NONE &&
        perp_certificate_check(problem, kind, y, &seen, NULL) == PERP_SOLVED) {
        const char *checked = seen.holds ? "checked" : "NOT confirmed by the check";
        if (kind == PERP_CERTIFICATE_EXHAUSTED)
            perp_row("proof", "no solution exists: every complementary choice was refuted");
        else if (kind == PERP_CERTIFICATE_RAY)
            perp_row("proof", "a secondary ray%s; it proves nothing for a general matrix",
                     seen.holds ? " (checked)" : "");
        else
            perp_row("proof",
                     "no solution exists: some y has y.w >= 0 where w may be, y.(M z + q) < 0 "
                     "for z in K (%s: value %.2g, columns %.2g)",
                     checked, seen.value, seen.column);
    }
    free(y);
}

/* Solves and reports; the status of the solve goes to *status. */
static int solve(job *work, const request *wish, const perp_solver_type *type, perp_status *status)
{
    perp_settings settings = wish->settings;
    const perp_info *failed;
    perp_info info;
    perp_view view;

    perp_view_init(&view, wish->quiet);
    settings.progress = perp_view_show;
    settings.progress_ctx = &view;
    settings.warm_start = wish->start != NULL ? 1 : settings.warm_start;
    *status = perp_solver_create(&work->solver, type, &settings, NULL);
    if (*status != PERP_SOLVED)
        return perp_complain("%s: %s", perp_solver_name(type), perp_status_text(*status));
    perp_catch_interrupts();
    *status = perp_solver_setup(work->solver, &work->problem);
    if (*status == PERP_SOLVED) {
        *status = perp_solver_solve(work->solver, work->z, work->w, &info);
        perp_view_end(&view);
    }
    if (*status < 0) {
        failed = perp_solver_info(work->solver);
        return perp_complain_where(wish->file, *status, &failed->where, failed->detail);
    }
    if (!wish->quiet) {
        perp_report_result(&info, &settings, wish->verbose);
        report_proof(work->solver, &work->problem);
        if (*status != PERP_SOLVED && *status != PERP_INFEASIBLE)
            perp_report_equalities(&work->problem);
    }
    return *status == PERP_SOLVED ? PERP_EXIT_DONE : PERP_EXIT_STOPPED;
}

static int write_solution(job *work, const request *wish)
{
    perp_io_error error;
    perp_status status;

    memset(&error, 0, sizeof error);
    status = perp_solution_write(work->dump, work->z, work->w, wish->out, &error);
    if (status != PERP_SOLVED)
        return perp_complain_io(wish->out, status, &error);
    if (!wish->quiet)
        perp_row("solution", "%s", wish->out);
    return PERP_EXIT_DONE;
}

/* Before hours of work: can the solution file be made? */
static int check_out(const char *out)
{
    const char *slash = strrchr(out, '/');
    struct stat st;
    char *folder = slash == NULL ? strdup(".") : strndup(out, (size_t)(slash - out) + 1);
    int error = folder == NULL ? ENOMEM : access(folder, W_OK | X_OK) != 0 ? errno : 0;

    if (out[0] == '\0')
        error = ENOENT;
    else if (stat(out, &st) == 0)
        error = S_ISDIR(st.st_mode) ? EISDIR : S_ISREG(st.st_mode) ? error : 0;

    free(folder);
    return error == 0 ? PERP_EXIT_DONE : perp_complain("--out '%s': %s", out, strerror(error));
}

static int work_through(job *work, const request *wish)
{
    const perp_solver_type *type;
    perp_status status = PERP_SOLVED;
    int code = wish->out != NULL ? check_out(wish->out) : PERP_EXIT_DONE;

    if (code == PERP_EXIT_DONE)
        code = load(work, wish);
    if (code != PERP_EXIT_DONE)
        return code;
    if (wish->all)
        return perp_solve_all(wish->file, &work->problem, &wish->settings, wish->quiet);
    type = perp_choose_solver(wish->solver, &work->problem);
    if (type == NULL)
        return PERP_EXIT_ERROR;
    if (!wish->quiet) {
        perp_report_problem(wish->file, work->dump, &work->problem);
        perp_row("solver", "%s: %s", perp_solver_name(type), perp_solver_summary(type));
        if (wish->verbose)
            report_settings(type);
        fflush(stdout);
    }
    code = solve(work, wish, type, &status);
    if (status >= 0 && wish->out != NULL && write_solution(work, wish) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    if (status >= 0 && wish->out == NULL && !wish->quiet)
        perp_row("solution", "not written (--out FILE)");
    return code;
}

int perp_cmd_solve(int argc, char **argv)
{
    static const char doc[] = "Solves the problem in FILE and recomputes how well.\v ";
    const struct argp argp = {options, parse, "FILE", doc, NULL, help_text, NULL};
    request wish = {.cls = PERP_DUMP_AUTO};
    job work;
    int code;

    memset(&work, 0, sizeof work);
    perp_settings_init(&wish.settings, sizeof wish.settings);
    if (argp_parse(&argp, argc, argv, 0, NULL, &wish) != 0)
        return PERP_EXIT_ERROR;
    code = work_through(&work, &wish);
    perp_solver_destroy(work.solver);
    perp_dump_destroy(work.dump);
    free(work.z);
    free(work.w);
    return code;
}
