/* SPDX-License-Identifier: BSD-3-Clause */
/* Results arranged for tables: series (a solver with its settings) x tolerances
 * x problems.  For a run that the file holds twice the last line counts. */
#ifndef PERP_CLI_BENCH_SERIES_H
#define PERP_CLI_BENCH_SERIES_H

#include <stdio.h>

#include "cli/bench/csv.h"

typedef struct perp_bench_series {
    const perp_bench_row *first; /* solver, settings, commit and host of all its rows */
    char label[320];             /* the solver, and what tells it from its namesakes */
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

/* Set-up and solve; at least a microsecond, below which the clock says little. */
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

/* perp bench report: pictures of the performance profiles of each tolerance
 * into `folder`, with their data and scripts.  0; 1 when gnuplot is absent; -1
 * when a file cannot be written, with errno. */
int perp_bench_profiles(const perp_bench_grid *grid, const char *folder);

/* Opens folder/name for writing. */
FILE *perp_bench_open_in(const char *folder, const char *name);

#endif
