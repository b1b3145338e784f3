/* SPDX-License-Identifier: BSD-3-Clause */
/* Results arranged for tables: series (a solver with its settings) x tolerances
 * x problems.  For a run that the file holds twice the last line counts. */
#ifndef PERP_BENCH_CAMPAIGN_RESULTS_GRID_H
#define PERP_BENCH_CAMPAIGN_RESULTS_GRID_H

#include <stdio.h>

#include "bench/campaign/results_file.h"

typedef struct perp_bench_series {
    const perp_bench_row *first; /* solver, settings, commit and host of all its rows */
    char label[320];             /* the solver, and what tells it from its namesakes */
    int hidden;                  /* left out of the profiles */
} perp_bench_series;

typedef struct perp_bench_grid {
    perp_bench_series *series;
    const char **problem;
    double *tol;
    int count, problems, tols;
    const perp_bench_row **cell; /* see perp_bench_cell(); NULL: no such run */
} perp_bench_grid;

typedef enum perp_bench_verdict {
    PERP_BENCH_ABSENT,      /* not run */
    PERP_BENCH_UNSUPPORTED, /* the solver refuses this kind of problem: not counted */
    PERP_BENCH_UNSOLVED,
    PERP_BENCH_FALSE, /* claims "solved", and the recomputed error is above tol or unknown */
    PERP_BENCH_SOLVED
} perp_bench_verdict;

/* 0, or -1 when memory is out. */
int perp_bench_grid_make(perp_bench_grid *grid, const perp_bench_table *table);
void perp_bench_grid_free(perp_bench_grid *grid);

const perp_bench_row *perp_bench_cell(const perp_bench_grid *grid, int series, int tol,
                                      int problem);
perp_bench_verdict perp_bench_judge(const perp_bench_row *row);

/* Is this the virtual best of a peer (virtual_best.c)? */
int perp_bench_is_best(const perp_bench_row *row);

/* Set-up and solve; at least a tenth of a microsecond, below which the clock says little. */
double perp_bench_seconds(const perp_bench_row *row);

typedef struct perp_bench_score {
    int runs, solved, false_solved;
    double worst_false; /* largest error / tol of a false one, 0 without */
    double mean;        /* shifted geometric mean over its runs, the limit where unsolved */
    double common_mean; /* over the problems that every series solved that solved any; NaN: none */
    int common;
} perp_bench_score;

/* Shift of the geometric means: exp(mean log(t + shift)) - shift. */
#define PERP_BENCH_SHIFT 1e-3

perp_bench_score perp_bench_score_of(const perp_bench_grid *grid, int series, int tol);

/* The virtual best of a peer: on each problem and tolerance the fastest of its
 * solvers.  To its favour one counts that says so with an error up to 2 tol, for
 * its own measure may be normalised otherwise. */
#define PERP_BENCH_BEST_SLACK 2.0

/* Makes one series of the rows of a peer's solver that differ in the time limit
 * alone (a campaign in passes): later rows count. */
void perp_bench_merge_limits(perp_bench_table *table);
/* "siconos:" of the first row of a peer into prefix; 0 where there is none. */
int perp_bench_first_peer(char *prefix, size_t size, const perp_bench_table *table);
/* Appends the rows of the series NAME, "siconos:best"; the note of each names
 * the winner.  name must outlive the table.  0, or -1 when memory is out. */
int perp_bench_add_best(perp_bench_table *table, const char *name);

typedef struct perp_bench_ratio {
    int problems, solved;       /* that the solver was run on and accepts */
    int best_solved;            /* of those, by the virtual best */
    int both, above, lost, won; /* lost: the best alone, won: the solver alone */
    double mean;                /* geometric, of its time over the best's, over both; or NaN */
    int worst;                  /* problem of the largest ratio, -1: none */
    double worst_ratio;
} perp_bench_ratio;

perp_bench_ratio perp_bench_ratio_of(const perp_bench_grid *grid, int series, int best, int tol);
/* The series of the virtual best, or -1. */
int perp_bench_best_series(const perp_bench_grid *grid);
/* One line per solver and tolerance; and every problem. */
void perp_bench_write_ratios(FILE *f, const perp_bench_grid *grid);
void perp_bench_write_ratio_files(FILE *f, const perp_bench_grid *grid);

/* Runs of which one measure says solved and the other is ten times above tol; returns how
 * many there are. */
int perp_bench_write_measures(FILE *f, const perp_bench_grid *grid);

/* "1.23 ms", "-" where not known. */
void perp_bench_write_seconds(FILE *f, double seconds);

/* perp bench report: pictures of the performance profiles of each tolerance
 * into `folder`, with their data and scripts.  0; 1 when gnuplot is absent; -1
 * when it fails; -2 for want of memory or of a file that can be written, with errno. */
int perp_bench_profiles(const perp_bench_grid *grid, const char *folder);

#endif
