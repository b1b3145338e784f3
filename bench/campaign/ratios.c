/* SPDX-License-Identifier: BSD-3-Clause */
/* Our times over those of a peer's virtual best. */
#include "bench/campaign/results_grid.h"

#include <math.h>
#include <string.h>

int perp_bench_best_series(const perp_bench_grid *grid)
{
    for (int s = 0; s < grid->count; s++)
        if (perp_bench_is_best(grid->series[s].first))
            return s;
    return -1;
}

static int is_ours(const perp_bench_grid *grid, int series)
{
    return strchr(grid->series[series].first->solver, ':') == NULL;
}

perp_bench_ratio perp_bench_ratio_of(const perp_bench_grid *grid, int series, int best, int tol)
{
    perp_bench_ratio r = {.mean = NAN, .worst = -1, .worst_ratio = 0.0};
    double logs = 0.0;
    for (int p = 0; p < grid->problems; p++) {
        const perp_bench_row *own = perp_bench_cell(grid, series, tol, p);
        const perp_bench_row *other = perp_bench_cell(grid, best, tol, p);
        perp_bench_verdict verdict = perp_bench_judge(own);
        if (verdict == PERP_BENCH_ABSENT || verdict == PERP_BENCH_UNSUPPORTED)
            continue;
        int solved = verdict == PERP_BENCH_SOLVED;
        int beside = perp_bench_judge(other) == PERP_BENCH_SOLVED;
        r.problems++;
        r.solved += solved;
        r.best_solved += beside;
        r.lost += beside && !solved;
        r.won += solved && !beside;
        if (!solved || !beside)
            continue;
        double ratio = perp_bench_seconds(own) / perp_bench_seconds(other);
        r.both++;
        r.above += ratio > 1.0;
        logs += log(ratio);
        if (ratio > r.worst_ratio) {
            r.worst_ratio = ratio;
            r.worst = p;
        }
    }
    if (r.both > 0)
        r.mean = exp(logs / r.both);
    return r;
}

void perp_bench_write_ratios(FILE *f, const perp_bench_grid *grid)
{
    int best = perp_bench_best_series(grid);
    fprintf(f,
            "| tol | solver | solved | %s solves | it alone | we alone | mean ratio | above 1 | "
            "largest ratio |\n|---|---|---|---|---|---|---|---|---|\n",
            grid->series[best].first->solver);
    for (int t = 0; t < grid->tols; t++) {
        for (int s = 0; s < grid->count; s++) {
            if (!is_ours(grid, s))
                continue;
            perp_bench_ratio r = perp_bench_ratio_of(grid, s, best, t);
            if (r.problems == 0)
                continue;
            fprintf(f, "| %g | %s | %d of %d (%.1f %%) | %d | %d | %d | ", grid->tol[t],
                    grid->series[s].label, r.solved, r.problems, 100.0 * r.solved / r.problems,
                    r.best_solved, r.lost, r.won);
            if (r.both > 0)
                fprintf(f, "%.3f (%d) | %d | %.2f %s |\n", r.mean, r.both, r.above, r.worst_ratio,
                        grid->problem[r.worst]);
            else
                fprintf(f, "- | - | - |\n");
        }
    }
}

static void write_problem(FILE *f, const char *problem, const perp_bench_row *own,
                          const perp_bench_row *other)
{
    int solved = perp_bench_judge(own) == PERP_BENCH_SOLVED;
    int beside = perp_bench_judge(other) == PERP_BENCH_SOLVED;
    fprintf(f, "| %s | %d | ", problem, own->run.contacts);
    if (beside)
        perp_bench_write_seconds(f, perp_bench_seconds(other));
    else
        fprintf(f, "-");
    fprintf(f, " | %s | ", other ? other->run.note : "not run");
    if (solved)
        perp_bench_write_seconds(f, perp_bench_seconds(own));
    else
        fprintf(f, "%s %.1e", own->run.status, own->run.error);
    if (solved && beside) {
        double ratio = perp_bench_seconds(own) / perp_bench_seconds(other);
        fprintf(f, " | %.3f%s |\n", ratio, ratio > 1.0 ? " **above 1**" : "");
    } else {
        fprintf(f, " | %s |\n", solved ? "we alone" : beside ? "**lost**" : "nobody");
    }
}

void perp_bench_write_ratio_files(FILE *f, const perp_bench_grid *grid)
{
    int best = perp_bench_best_series(grid);
    for (int t = 0; t < grid->tols; t++) {
        for (int s = 0; s < grid->count; s++) {
            if (!is_ours(grid, s) || perp_bench_ratio_of(grid, s, best, t).problems == 0)
                continue;
            fprintf(f,
                    "\n## tol %g, %s\n\n| problem | contacts | %s | by | %s | ratio |\n"
                    "|---|---|---|---|---|---|\n",
                    grid->tol[t], grid->series[s].label, grid->series[best].first->solver,
                    grid->series[s].first->solver);
            for (int p = 0; p < grid->problems; p++) {
                const perp_bench_row *own = perp_bench_cell(grid, s, t, p);
                perp_bench_verdict verdict = perp_bench_judge(own);
                if (verdict != PERP_BENCH_ABSENT && verdict != PERP_BENCH_UNSUPPORTED)
                    write_problem(f, grid->problem[p], own, perp_bench_cell(grid, best, t, p));
            }
        }
    }
}
