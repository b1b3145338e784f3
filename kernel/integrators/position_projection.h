/* SPDX-License-Identifier: BSD-3-Clause */
/* Projection of positions onto the constraints ([SDN] ch. 13): from q the nearest point where the
 * constraints hold, in the metric of the coordinates, of the twists, or of the masses.
 *
 *     0 = or <= y(q) + C D C' Lambda perp Lambda,      q <- q + D C' Lambda,
 *
 * repeated to the tolerance.
 *     Q      C = dy/dq, D = 1, and a row |Q| - 1 = 0 for each body (13.7)
 *     TWIST  C = dy/dq T, D = (T'T)^-1 = diag(I, 4 I), and q moves along the twist (13.11)
 *     MASS   C = dy/dq T, D = M(q)^-1: min 1/2 |d|_M^2 over twists d that q moves along
 * Velocities are left alone. */
#ifndef PERP_KERNEL_PROJECTION_H
#define PERP_KERNEL_PROJECTION_H

#include "kernel/step/integrator.h"

typedef enum perp_projection_metric {
    PERP_METRIC_Q,
    PERP_METRIC_TWIST,
    PERP_METRIC_MASS
} perp_projection_metric;

/* Contacts that take part; joints (equalities) always do. */
typedef enum perp_projection_contacts {
    PERP_PROJECT_ALL,
    PERP_PROJECT_ACTIVE,            /* those in the index set: link->active and link->on[r] */
    PERP_PROJECT_ACTIVE_IF_BOUNCING /* with e > 0 those in the index set, with e = 0 all */
} perp_projection_contacts;

typedef struct perp_projection_options {
    perp_projection_contacts contacts;
    perp_projection_metric metric;
    int equalities; /* 1: contacts in the index set are held at y = 0, not y >= 0 */
    /* Ends where the largest violation is at most max(tol, rtol times the largest translation among
     * the coordinates of the systems), a length. */
    double tol, rtol;
    /* > 0, with tol = 0: instead where that of each relation is at most this part of its slack. */
    double of_slack;
    int passes; /* corrections at most */
    /* Of contacts alone up to eight corrections come before by sweeps to this part of the
     * violation, many times cheaper in a pile than the nearest point to all digits; 0: none. */
    double sweep_tol;
    /* Corrections leave this part of the violation, where rounding costs more; 0: rounding. */
    double part;
    /* Part of a violation at the start of the step (y_start) that may stay, 0 to 1. */
    double keep;
    /* Relations that are left alone; NULL: none. */
    int (*leaves)(const void *ctx, const perp_link *link);
    const void *ctx;
} perp_projection_options;

typedef struct perp_projection_report {
    int rows, passes;     /* of the problem; corrections made */
    double before, after; /* largest violation; `after` may be above the tolerance */
    double over;          /* 0: nothing is above it; the latter in units of what may stay */
} perp_projection_report;

/* Its memory: kept from step to step by a scheme that projects. */
typedef struct perp_projection perp_projection;
perp_projection *perp_projection_make(perp_pool *pool); /* NULL when memory is out */
void perp_projection_free(perp_projection *projection);
/* For `forget`: what the solvers remember. */
void perp_projection_forget(perp_projection *projection);

/* Does the relation constrain positions, so that it is projected upon? */
int perp_projection_takes(const perp_link *link);

/* Moves q at NOW of the systems with the scheme of this index; relations are taken at step->t_end.
 * The solver and the settings are those of the simulation; where its solver does not take or does
 * not solve the problem the default solver is tried, then gs.  An iterate that is not quite solved
 * is used, since the violation is looked at again.  report may be NULL. */
perp_status perp_project(perp_step *step, int scheme, perp_projection *projection,
                         const perp_projection_options *options, perp_projection_report *report);

/* The same with the parameters of the scheme (projection_of, _tol, _iter, _in), in
 * perp_step_memory(). */
perp_status perp_project_by_scheme(perp_step *step, int scheme, int equalities);
void perp_projection_release(void *memory, perp_pool *pool); /* its `release` */
void perp_projection_forget_memory(void *memory);            /* its `forget` */

#endif
