/* SPDX-License-Identifier: BSD-3-Clause */
/* perp bench order and perp bench precision: schemes on two examples with impacts, whose exact
 * motions are known (generators/exact_motions.h).
 *
 *     accuracy.c           the loop over examples, series and levels
 *     scheme_series.c      the table of series: scheme, parameters, ladder
 *     accuracy_trial.c     one simulation, its instants and its time
 *     accuracy_errors.c    from instants to errors
 *     peer_trial.c         the same by another program
 *     accuracy_view.c      the bar or the plain lines
 *     accuracy_tables.c    CSV and text, orders by least squares
 *     accuracy_pictures.c  gnuplot
 */
#ifndef PERP_BENCH_CAMPAIGN_ACCURACY_ACCURACY_H
#define PERP_BENCH_CAMPAIGN_ACCURACY_ACCURACY_H

#include <stdio.h>

#include <perp/kernel.h>

#include "bench/campaign/campaign.h"
#include "generators/exact_motions.h"

typedef enum perp_accuracy_kind { PERP_ACCURACY_ORDER, PERP_ACCURACY_PRECISION } perp_accuracy_kind;

/* A scheme with its parameters, over a ladder: of steps h, halved at each level, or of tolerances.
 */
typedef struct perp_accuracy_series {
    const char *label, *scheme;
    const char *set;     /* "name=value name=value", NULL: the defaults */
    const char *tols;    /* parameters that take the tolerance (sqrt:NAME its root), separated by
                            blanks; NULL: a ladder of steps */
    int first;           /* steps over the horizon: of the coarsest level, or at every tolerance */
    double coarse, fine; /* tolerances */
    const char *peer;    /* program, NULL: ours */
} perp_accuracy_series;

enum { PERP_ACCURACY_SERIES = 96, PERP_ACCURACY_LEVELS = 16, PERP_ACCURACY_ERRORS = 4 };

/* Those of the table that this library has, and every scheme that is not in the table.  Returns
 * their number. */
int perp_accuracy_series_list(perp_accuracy_series *series, perp_accuracy_kind kind);

/* What a simulation went through: t, q, v of each instant. */
typedef struct perp_accuracy_track {
    double *t, *q, *v;
    int points, capacity, failed; /* no memory */
} perp_accuracy_track;
void perp_accuracy_track_add(perp_accuracy_track *track, double t, double q, double v);
void perp_accuracy_track_free(perp_accuracy_track *track);

/* Errors: of q and v in L1, of q and v by Hausdorff's distance of the graphs. */
perp_status perp_accuracy_errors(double error[PERP_ACCURACY_ERRORS],
                                 const perp_accuracy_track *track,
                                 const perp_impacts_motion *motion);

/* One point of a series: means over phases. */
typedef struct perp_accuracy_point {
    int example, series, level;
    double h;   /* the longest of the phases */
    double tol; /* NAN: a ladder of steps */
    double steps, rejected, evaluations, events;
    double error[PERP_ACCURACY_ERRORS];
    double seconds;
    char status[32]; /* "solved", or of the phase that failed */
    char note[192];
} perp_accuracy_point;

/* Everything that was asked for and found. */
typedef struct perp_accuracy {
    perp_accuracy_kind kind;
    const char *folder;
    const char *pick; /* series wanted, separated by commas; NULL: all */
    const char *examples;
    int levels, phases, repeats, peers;
    perp_bench_stop_fn stop;
    perp_accuracy_series series[PERP_ACCURACY_SERIES];
    int nseries;
    const perp_impacts_example *example[8];
    int nexamples;
    perp_accuracy_point *point; /* example, then series, then level */
    int points;
} perp_accuracy;

/* One simulation with so many steps; its numbers are added to the point's.
 * 0; 1: the series does not take the example; 2: it failed, see status and note; -1: interrupted.
 */
int perp_accuracy_trial(perp_accuracy_point *point, const perp_accuracy *a,
                        const perp_impacts_motion *motion, int steps, double tol);
int perp_accuracy_peer_trial(perp_accuracy_point *point, const perp_accuracy *a,
                             const perp_impacts_motion *motion, int steps, double tol);

/* The points of one series on one example; *count may be 0. */
const perp_accuracy_point *perp_accuracy_points(int *count, const perp_accuracy *a, int example,
                                                int series);

typedef struct perp_accuracy_view {
    int terminal, total, done;
    double start;
} perp_accuracy_view;
void perp_accuracy_view_start(perp_accuracy_view *view, int total);
void perp_accuracy_view_begin(perp_accuracy_view *view, const char *example, const char *label);
void perp_accuracy_view_point(perp_accuracy_view *view, const perp_accuracy *a,
                              const perp_accuracy_point *point);
void perp_accuracy_view_end(perp_accuracy_view *view);

/* Slope of log error over log h by least squares, without points below what rounding leaves; NAN
 * where fewer than three are left. */
double perp_accuracy_slope(const perp_accuracy_point *point, int count, int error);
void perp_accuracy_write_csv(FILE *f, const perp_accuracy *a);
void perp_accuracy_write_tables(FILE *f, const perp_accuracy *a);
/* 0, 1 without gnuplot, -1 where something failed (errno). */
int perp_accuracy_draw(const perp_accuracy *a);

/* What perp bench order and perp bench precision do without options. */
void perp_accuracy_init(perp_accuracy *a, perp_accuracy_kind kind);
/* Chooses the series and the examples that were asked for, measures, and writes tables and
 * pictures.  A perp_bench_ending; messages go to standard error. */
int perp_accuracy_run(perp_accuracy *a);

#endif
