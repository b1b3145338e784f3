/* SPDX-License-Identifier: BSD-3-Clause */
/* The index sets of event-driven schemes and how they change at an event: I_c, I_s, and with
 * friction in 2D I_r and I_t, all kept as link->mode ([ACA10] (24)-(31), the case table 1.1-2.2.3
 * and the algorithms after it). */
#ifndef PERP_KERNEL_INDEX_SETS_H
#define PERP_KERNEL_INDEX_SETS_H

#include <float.h>

#include "kernel/flow/mechanics.h"

/* Sizes of the motion so far, by which the thresholds are scaled. */
typedef struct perp_extent {
    double length, speed; /* largest coordinate and velocity met */
} perp_extent;

typedef struct perp_index_sets {
    perp_mechanics *m;
    const perp_scheme *scheme;
    perp_extent extent;
    double error;   /* of y inside a step that is not rounding: of the interpolation; 0 at first */
    double *x, *dx; /* nx each: of the look ahead */
    int capacity_x, capacity_dx;
} perp_index_sets;

perp_status perp_index_sets_prepare(perp_index_sets *sets, perp_mechanics *m,
                                    const perp_scheme *scheme);
void perp_index_sets_release(perp_index_sets *sets, perp_pool *pool);

/* Thresholds: below them y, u_N, u_T are 0. */
static inline double perp_gap_zero(const perp_index_sets *sets)
{
    return sets->scheme->gap_tol * sets->extent.length;
}
static inline double perp_rate_zero(const perp_index_sets *sets)
{
    return sets->scheme->rate_tol * sets->extent.speed;
}
/* Below it y says nothing. */
static inline double perp_gap_noise(const perp_index_sets *sets)
{
    return 16.0 * DBL_EPSILON * sets->extent.length + sets->error;
}
/* Of the acceleration of row `row` of a link, where `size` is that of what acts on it. */
static inline double perp_acceleration_zero(const perp_index_sets *sets, double size)
{
    return sets->scheme->force_tol * size + perp_rate_zero(sets) / sets->m->step->h;
}
/* (H M^-1 H')_ii of the row, for the M that was factored last and H in link->left. */
double perp_row_mobility(const perp_link *link, int row);

/* Takes the states at NOW into the extent. */
void perp_index_sets_measure(perp_index_sets *sets);
/* 1 where the states at NOW, outputs up to date, do not fit the modes: a contact that is open and
 * touches without moving away, or closed and apart. */
int perp_index_sets_stale(const perp_index_sets *sets);
/* Impacts and new modes for the states at NOW, *past after the start of the step (outputs up to
 * date; they are again after it).  *past grows where impacts accumulate and a Moreau-Jean step was
 * made through their limit, not beyond the end of the step. PERP_ZENO: they do and the scheme
 * forbids the switch, or the impacts do not end; PERP_UNDETERMINED: a contact whose force and
 * acceleration are 0 and stay so where the scheme forbids to go on, or the laws at the level of
 * accelerations have no solution. */
perp_status perp_index_sets_settle(perp_index_sets *sets, double *past);

/* A Moreau-Jean step of length dt from *past on with the contacts closed that have a mode, and
 * without restitution there; outputs are up to date after it. */
perp_status perp_index_sets_leap(perp_index_sets *sets, double *past, double dt);

#endif
