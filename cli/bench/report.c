/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/bench/bench.h"
#include "cli/bench/series.h"
#include "cli/commands.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct report_options {
    const char *csv, *folder;
} report_options;

static const char doc[] =
    "Makes from a file of results: summary.md (per solver and tolerance: share solved, shifted "
    "geometric means of the time, false \"solved\"), files.md (every problem), and performance "
    "profiles as SVG and PNG, with their data and gnuplot scripts."
    "\v"
    "A run counts as solved when it says so and its recomputed error is within the tolerance.  The "
    "means shift by 1 ms: exp(mean log(t + 1 ms)) - 1 ms, t being set-up and solve; an unsolved "
    "problem counts with the time limit of its campaign.  Problems that a solver refuses (wrong "
    "set or matrix) are not counted against it.  In the profiles a refused problem is an unsolved "
    "one.";

static const struct argp_option option_table[] = {
    {"out", 'o', "DIR", 0, "folder for the files [RESULTS-report]", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    report_options *options = state->input;
    switch (key) {
    case 'o':
        options->folder = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->csv)
            argp_error(state, "one RESULTS.csv only, not '%s' too", arg);
        options->csv = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which file of results?");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void write_seconds(FILE *f, double seconds)
{
    if (isnan(seconds))
        fprintf(f, "-");
    else if (seconds < 1e-3)
        fprintf(f, "%.3g us", 1e6 * seconds);
    else if (seconds < 1.0)
        fprintf(f, "%.3g ms", 1e3 * seconds);
    else
        fprintf(f, "%.3g s", seconds);
}

static void write_summary(FILE *f, const perp_bench_grid *grid)
{
    fprintf(f, "| tol | solver | runs | solved | %% | false | worst false error/tol | mean time | "
               "mean time, solved by all |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int t = 0; t < grid->tols; t++) {
        for (int s = 0; s < grid->count; s++) {
            perp_bench_score score = perp_bench_score_of(grid, s, t);
            fprintf(f, "| %g | %s | %d | %d | %.1f | %d | ", grid->tol[t], grid->series[s].label,
                    score.runs, score.solved, score.runs ? 100.0 * score.solved / score.runs : 0.0,
                    score.false_solved);
            if (score.false_solved > 0)
                fprintf(f, "%.2g | ", score.worst_false);
            else
                fprintf(f, "- | ");
            write_seconds(f, score.mean);
            fprintf(f, " | ");
            write_seconds(f, score.common_mean);
            fprintf(f, " (%d) |\n", score.common);
        }
    }
}

static void write_cell(FILE *f, const perp_bench_row *row)
{
    switch (perp_bench_judge(row)) {
    case PERP_BENCH_ABSENT:
        fprintf(f, " ");
        break;
    case PERP_BENCH_UNSUPPORTED:
        fprintf(f, "-");
        break;
    case PERP_BENCH_SOLVED:
        write_seconds(f, perp_bench_seconds(row));
        fprintf(f, ", %ld it", row->run.iterations);
        break;
    case PERP_BENCH_FALSE:
        fprintf(f, "FALSE %.1e", row->run.error);
        break;
    case PERP_BENCH_UNSOLVED:
    default:
        fprintf(f, "%s", row->run.status);
        if (!isnan(row->run.error))
            fprintf(f, " %.1e", row->run.error);
        break;
    }
}

static const perp_bench_row *any_row(const perp_bench_grid *grid, int tol, int problem)
{
    const perp_bench_row *found = NULL;
    for (int s = 0; s < grid->count; s++) {
        const perp_bench_row *row = perp_bench_cell(grid, s, tol, problem);
        if (row && (!found || row->run.n > found->run.n))
            found = row;
    }
    return found;
}

static void write_files_at(FILE *f, const perp_bench_grid *grid, int tol)
{
    fprintf(f, "## tol %g\n\n| problem | n | contacts | nnz |", grid->tol[tol]);
    for (int s = 0; s < grid->count; s++)
        fprintf(f, " %s |", grid->series[s].label);
    fprintf(f, "\n|---|---|---|---|");
    for (int s = 0; s < grid->count; s++)
        fprintf(f, "---|");
    fprintf(f, "\n");
    for (int p = 0; p < grid->problems; p++) {
        const perp_bench_row *any = any_row(grid, tol, p);
        if (!any)
            continue;
        fprintf(f, "| %s | %d | %d | %.0f |", grid->problem[p], any->run.n, any->run.contacts,
                any->run.nnz);
        for (int s = 0; s < grid->count; s++) {
            fprintf(f, " ");
            write_cell(f, perp_bench_cell(grid, s, tol, p));
            fprintf(f, " |");
        }
        fprintf(f, "\n");
    }
    fprintf(f, "\n");
}

static void write_false(FILE *f, const perp_bench_grid *grid)
{
    for (int t = 0; t < grid->tols; t++) {
        for (int s = 0; s < grid->count; s++) {
            for (int p = 0; p < grid->problems; p++) {
                const perp_bench_row *row = perp_bench_cell(grid, s, t, p);
                if (perp_bench_judge(row) == PERP_BENCH_FALSE) {
                    fprintf(f, "FALSE \"solved\": %s at %g on %s, error %.2e\n",
                            grid->series[s].label, grid->tol[t], grid->problem[p], row->run.error);
                }
            }
        }
    }
}

static int write_files(const perp_bench_grid *grid, const char *folder)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return -1;
    FILE *f = perp_bench_open_in(folder, "summary.md");
    if (!f)
        return -1;
    write_summary(f, grid);
    fprintf(f, "\n");
    write_false(f, grid);
    if (fclose(f) || !(f = perp_bench_open_in(folder, "files.md")))
        return -1;
    for (int t = 0; t < grid->tols; t++)
        write_files_at(f, grid, t);
    return fclose(f);
}

static int make(const perp_bench_grid *grid, const char *folder)
{
    write_summary(stdout, grid);
    write_false(stdout, grid);
    int drawn = write_files(grid, folder) ? -2 : perp_bench_profiles(grid, folder);
    if (drawn == -2) {
        fprintf(stderr, "perp bench report: %s: %s\n", folder, strerror(errno));
        return PERP_EXIT_ERROR;
    }
    if (drawn == -1) {
        fprintf(stderr, "perp bench report: the profiles could not be drawn in %s\n", folder);
        return PERP_EXIT_ERROR;
    }
    printf("\nwritten to %s: summary.md, files.md, %s\n", folder,
           drawn == 0 ? "profile-TOL.svg and .png"
                      : "profile-TOL.dat and .gp; gnuplot is not installed (Debian: gnuplot-nox), "
                        "so there are no pictures");
    return 0;
}

int perp_bench_report(int argc, char **argv)
{
    const struct argp argp = {option_table, parse, "RESULTS.csv", doc, NULL, NULL, NULL};
    report_options options = {NULL, NULL};
    perp_bench_table table;
    perp_bench_grid grid;
    static char program[] = "perp bench report";
    char message[1024], folder[4096];
    argv[0] = program;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options))
        return PERP_EXIT_ERROR;
    if (access(options.csv, R_OK)) {
        fprintf(stderr, "perp bench report: %s: %s\n", options.csv, strerror(errno));
        return PERP_EXIT_ERROR;
    }
    if (perp_bench_table_read(&table, options.csv, message, sizeof message)) {
        fprintf(stderr, "perp bench report: %s\n", message);
        return PERP_EXIT_ERROR;
    }
    if (table.rows == 0 || perp_bench_grid_make(&grid, &table)) {
        fprintf(stderr, "perp bench report: %s: no results in it\n", options.csv);
        perp_bench_table_free(&table);
        return PERP_EXIT_ERROR;
    }
    const char *ending = strrchr(options.csv, '.');
    int stem = ending ? (int)(ending - options.csv) : (int)strlen(options.csv);
    snprintf(folder, sizeof folder, "%.*s-report", stem, options.csv);
    int status = make(&grid, options.folder ? options.folder : folder);
    perp_bench_grid_free(&grid);
    perp_bench_table_free(&table);
    return status;
}
