/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/campaign.h"
#include "bench/campaign/campaign_file.h"
#include "bench/campaign/results_grid.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void perp_bench_write_seconds(FILE *f, double seconds)
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
            perp_bench_write_seconds(f, score.mean);
            fprintf(f, " | ");
            perp_bench_write_seconds(f, score.common_mean);
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
        perp_bench_write_seconds(f, perp_bench_seconds(row));
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
    FILE *f = perp_bench_file_begin(folder, "summary.md");
    if (!f)
        return -1;
    write_summary(f, grid);
    fprintf(f, "\n");
    write_false(f, grid);
    if (perp_bench_file_end(f, folder, "summary.md") ||
        !(f = perp_bench_file_begin(folder, "files.md")))
        return -1;
    for (int t = 0; t < grid->tols; t++)
        write_files_at(f, grid, t);
    if (perp_bench_file_end(f, folder, "files.md") ||
        !(f = perp_bench_file_begin(folder, "measures.md")))
        return -1;
    if (perp_bench_write_measures(f, grid) == 0)
        fprintf(f, "The two measures agree on every run.\n");
    if (perp_bench_file_end(f, folder, "measures.md"))
        return -1;
    if (perp_bench_best_series(grid) < 0)
        return 0;
    if (!(f = perp_bench_file_begin(folder, "ratios.md")))
        return -1;
    perp_bench_write_ratios(f, grid);
    perp_bench_write_ratio_files(f, grid);
    return perp_bench_file_end(f, folder, "ratios.md");
}

static void print_tables(const perp_bench_grid *grid)
{
    write_summary(stdout, grid);
    write_false(stdout, grid);
    if (perp_bench_best_series(grid) >= 0) {
        printf("\nOver %s:\n\n", grid->series[perp_bench_best_series(grid)].first->solver);
        perp_bench_write_ratios(stdout, grid);
    }
}

static int make(const perp_bench_report_options *options, const perp_bench_grid *grid,
                const char *folder)
{
    if (!options->show)
        print_tables(grid);
    int drawn = write_files(grid, folder) ? -2 : perp_bench_profiles(grid, folder);
    if (drawn == -2) {
        fprintf(stderr, "perp bench report: %s: %s\n", folder, strerror(errno));
        return PERP_BENCH_FAILED;
    }
    if (drawn == -1) {
        fprintf(stderr, "perp bench report: the profiles could not be drawn in %s\n", folder);
        return PERP_BENCH_FAILED;
    }
    if (options->show)
        options->show(options->ctx, grid, folder, drawn == 0);
    else
        printf("\nwritten to %s: summary.md, files.md, measures.md, %s\n", folder,
               drawn == 0
                   ? "profile-TOL.svg and .png"
                   : "profile-TOL.dat and .gp; gnuplot is not installed (Debian: gnuplot-nox), "
                     "so there are no pictures");
    return 0;
}

/* Reads all files into one table, which borrows the texts of `part`. */
static int read_all(perp_bench_table *table, perp_bench_table *part,
                    const perp_bench_report_options *options, char *best, size_t size)
{
    char message[1024];
    for (int k = 0; k < options->files; k++) {
        const char *path = options->csv[k];
        if (access(path, R_OK)) {
            fprintf(stderr, "perp bench report: %s: %s\n", path, strerror(errno));
            return -1;
        }
        if (perp_bench_table_read(&part[k], path, message, sizeof message)) {
            fprintf(stderr, "perp bench report: %s\n", message);
            return -1;
        }
        size_t rows = (size_t)part[k].rows, used = (size_t)table->rows;
        perp_bench_row *more = realloc(table->row, (used + rows + 1) * sizeof *more);
        if (!more) {
            fprintf(stderr, "perp bench report: %s: no memory\n", path);
            return -1;
        }
        table->row = more;
        if (rows > 0)
            memcpy(more + used, part[k].row, rows * sizeof *more);
        table->rows += part[k].rows;
        table->capacity = table->rows + 1;
    }
    perp_bench_merge_limits(table);
    if (!perp_bench_first_peer(best, size - 8, table))
        return 0;
    strcat(best, "best");
    if (perp_bench_add_best(table, best) == 0)
        return 0;
    fprintf(stderr, "perp bench report: no memory\n");
    return -1;
}

static void hide_peers(perp_bench_grid *grid)
{
    for (int s = 0; s < grid->count; s++) {
        const perp_bench_row *first = grid->series[s].first;
        grid->series[s].hidden = strchr(first->solver, ':') && !perp_bench_is_best(first);
    }
}

static int report_on(const perp_bench_report_options *options, const perp_bench_table *table,
                     const char *best)
{
    perp_bench_grid grid;
    char folder[4096];
    if (table->rows == 0 || perp_bench_grid_make(&grid, table)) {
        fprintf(stderr, "perp bench report: %s: %s\n", options->csv[0],
                table->rows == 0 ? "no results in it" : "no memory");
        return PERP_BENCH_FAILED;
    }
    if (!options->each && best[0])
        hide_peers(&grid);
    const char *ending = strrchr(options->csv[0], '.');
    int stem = ending ? (int)(ending - options->csv[0]) : (int)strlen(options->csv[0]);
    snprintf(folder, sizeof folder, "%.*s-report", stem, options->csv[0]);
    int status = make(options, &grid, options->folder ? options->folder : folder);
    perp_bench_grid_free(&grid);
    return status;
}

int perp_bench_report(const perp_bench_report_options *options)
{
    char best[80] = ""; /* "siconos:best" */
    perp_bench_table table = {0}, part[PERP_BENCH_FILES] = {{0}};
    int status = PERP_BENCH_FAILED;
    if (read_all(&table, part, options, best, sizeof best) == 0)
        status = report_on(options, &table, best);
    free(table.row);
    for (int k = 0; k < options->files; k++)
        perp_bench_table_free(&part[k]);
    return status;
}
