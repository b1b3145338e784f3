/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/results_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int same_series(const perp_bench_row *a, const perp_bench_row *b)
{
    return !strcmp(a->solver, b->solver) && !strcmp(a->settings, b->settings) &&
           !strcmp(a->commit, b->commit) && !strcmp(a->host, b->host);
}

static int find_series(const perp_bench_grid *grid, const perp_bench_row *row)
{
    int k = 0;
    while (k < grid->count && !same_series(grid->series[k].first, row))
        k++;
    return k;
}

static int find_problem(const perp_bench_grid *grid, const char *problem)
{
    int k = 0;
    while (k < grid->problems && strcmp(grid->problem[k], problem))
        k++;
    return k;
}

static int find_tol(const perp_bench_grid *grid, double tol)
{
    int k = 0;
    while (k < grid->tols && (grid->tol[k] < tol || grid->tol[k] > tol))
        k++;
    return k;
}

static int falling(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

static void collect(perp_bench_grid *grid, const perp_bench_table *table)
{
    for (int r = 0; r < table->rows; r++) {
        const perp_bench_row *row = &table->row[r];
        if (find_series(grid, row) == grid->count)
            grid->series[grid->count++].first = row;
        if (find_problem(grid, row->problem) == grid->problems)
            grid->problem[grid->problems++] = row->problem;
        if (find_tol(grid, row->tol) == grid->tols)
            grid->tol[grid->tols++] = row->tol;
    }
    qsort(grid->tol, (size_t)grid->tols, sizeof *grid->tol, falling);
}

/* Which parts tell this series from the others of the same solver? */
static void name_series(perp_bench_grid *grid, int k)
{
    const perp_bench_row *own = grid->series[k].first;
    int settings = 0, commit = 0, host = 0;
    for (int j = 0; j < grid->count; j++) {
        const perp_bench_row *other = grid->series[j].first;
        if (!strcmp(own->solver, other->solver)) {
            settings |= strcmp(own->settings, other->settings) != 0;
            commit |= strcmp(own->commit, other->commit) != 0;
            host |= strcmp(own->host, other->host) != 0;
        }
    }
    snprintf(grid->series[k].label, sizeof grid->series[k].label, "%.60s%s%.100s%s%s%.40s%s%.60s",
             own->solver, settings ? " [" : "", settings ? own->settings : "", settings ? "]" : "",
             commit ? " @" : "", commit ? own->commit : "", host ? " on " : "",
             host ? own->host : "");
}

static size_t place(const perp_bench_grid *grid, int series, int tol, int problem)
{
    return ((size_t)series * (size_t)grid->tols + (size_t)tol) * (size_t)grid->problems +
           (size_t)problem;
}

int perp_bench_grid_make(perp_bench_grid *grid, const perp_bench_table *table)
{
    size_t rows = (size_t)table->rows + 1;
    memset(grid, 0, sizeof *grid);
    grid->series = calloc(rows, sizeof *grid->series);
    grid->problem = calloc(rows, sizeof *grid->problem);
    grid->tol = calloc(rows, sizeof *grid->tol);
    if (grid->series && grid->problem && grid->tol) {
        collect(grid, table);
        grid->cell = calloc(place(grid, grid->count, 0, 0) + 1, sizeof *grid->cell);
    }
    if (!grid->cell) {
        perp_bench_grid_free(grid);
        return -1;
    }
    for (int k = 0; k < grid->count; k++)
        name_series(grid, k);
    for (int r = 0; r < table->rows; r++) {
        const perp_bench_row *row = &table->row[r];
        grid->cell[place(grid, find_series(grid, row), find_tol(grid, row->tol),
                         find_problem(grid, row->problem))] = row;
    }
    return 0;
}

void perp_bench_grid_free(perp_bench_grid *grid)
{
    free(grid->series);
    free(grid->problem);
    free(grid->tol);
    free(grid->cell);
    memset(grid, 0, sizeof *grid);
}

const perp_bench_row *perp_bench_cell(const perp_bench_grid *grid, int series, int tol, int problem)
{
    return grid->cell[place(grid, series, tol, problem)];
}

perp_bench_verdict perp_bench_judge(const perp_bench_row *row)
{
    if (!row)
        return PERP_BENCH_ABSENT;
    if (!strcmp(row->run.status, "err-unsupported"))
        return PERP_BENCH_UNSUPPORTED;
    if (strcmp(row->run.status, "solved"))
        return PERP_BENCH_UNSOLVED;
    double slack = perp_bench_is_best(row) ? PERP_BENCH_BEST_SLACK : 1.0;
    return row->run.error <= slack * row->tol ? PERP_BENCH_SOLVED : PERP_BENCH_FALSE;
}

double perp_bench_seconds(const perp_bench_row *row)
{
    double seconds = isnan(row->run.setup) ? 0.0 : row->run.setup;
    seconds += isnan(row->run.solve) ? 0.0 : row->run.solve;
    return seconds > 1e-7 ? seconds : 1e-7;
}

/* What an unsolved problem costs: the campaign's time limit, or what the run
 * took where that is more. */
static double cost(const perp_bench_row *row)
{
    double limit = perp_bench_limit_of(row->settings), seconds = perp_bench_seconds(row);
    if (perp_bench_judge(row) == PERP_BENCH_SOLVED)
        return seconds;
    return seconds > limit ? seconds : limit;
}

static int solves_any(const perp_bench_grid *grid, int series, int tol)
{
    for (int p = 0; p < grid->problems; p++)
        if (perp_bench_judge(perp_bench_cell(grid, series, tol, p)) == PERP_BENCH_SOLVED)
            return 1;
    return 0;
}

/* By all that solve something: one that never works says nothing about times. */
static int solved_by_all(const perp_bench_grid *grid, int tol, int problem)
{
    for (int s = 0; s < grid->count; s++)
        if (perp_bench_judge(perp_bench_cell(grid, s, tol, problem)) != PERP_BENCH_SOLVED &&
            solves_any(grid, s, tol))
            return 0;
    return 1;
}

perp_bench_score perp_bench_score_of(const perp_bench_grid *grid, int series, int tol)
{
    perp_bench_score score = {0, 0, 0, 0.0, NAN, NAN, 0};
    double logs = 0.0, common_logs = 0.0;
    for (int p = 0; p < grid->problems; p++) {
        const perp_bench_row *row = perp_bench_cell(grid, series, tol, p);
        perp_bench_verdict verdict = perp_bench_judge(row);
        if (verdict == PERP_BENCH_ABSENT || verdict == PERP_BENCH_UNSUPPORTED)
            continue;
        score.runs++;
        score.solved += verdict == PERP_BENCH_SOLVED;
        if (verdict == PERP_BENCH_FALSE) {
            double ratio = row->run.error / row->tol;
            score.false_solved++;
            score.worst_false = ratio <= score.worst_false ? score.worst_false : ratio;
        }
        logs += log(cost(row) + PERP_BENCH_SHIFT);
        if (verdict == PERP_BENCH_SOLVED && solved_by_all(grid, tol, p)) {
            score.common++;
            common_logs += log(perp_bench_seconds(row) + PERP_BENCH_SHIFT);
        }
    }
    if (score.runs > 0)
        score.mean = exp(logs / score.runs) - PERP_BENCH_SHIFT;
    if (score.common > 0)
        score.common_mean = exp(common_logs / score.common) - PERP_BENCH_SHIFT;
    return score;
}
