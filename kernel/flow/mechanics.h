/* SPDX-License-Identifier: BSD-3-Clause */
/* Smooth motion and impacts of all systems of a step, for schemes that choose their own instants
 * ([ACA10], event-tracking schemes, with the corrections of docs/theory.md):
 *
 *     M(q) v' = F(t, q, v) + H' lambda,   q' = T(q) v,   Gamma = H v' + (dH/dt) v + dh_t/dt,
 *     impact:  M (v+ - v-) = H' P,  0 <= u+ + e u- perp P >= 0 (with friction: Coulomb's law).
 *
 * Which relations push is said by link->mode, entry r for relation r; EQUALITY always does.
 * Laws: IMPACT, FRICTION in 2D, EQUALITY, on relations with p = H' lambda. */
#ifndef PERP_KERNEL_MECHANICS_H
#define PERP_KERNEL_MECHANICS_H

#include "kernel/step/one_step.h"
#include "kernel/step/integrator.h"

/* What stands for the laws in the rate of the smooth motion. */
typedef enum perp_level {
    PERP_LEVEL_FREE,      /* no contact forces but those of EQUALITY */
    PERP_LEVEL_BILATERAL, /* (29): Gamma = 0 on the rows of I_s (normal; tangential where it sticks)
                           */
    PERP_LEVEL_UNILATERAL, /* (28), (79): 0 <= Gamma perp F >= 0; Coulomb's law on accelerations */
    PERP_LEVEL_NONE        /* no forces at all, EQUALITY included: (86) */
} perp_level;

typedef struct perp_mechanics {
    perp_step *step;
    perp_level level;
    int nx; /* entries of x: those of all q, then those of all v */
    int nv;
    perp_one_step bilateral, unilateral, impact;
    double shift;        /* of the diagonal of the bilateral problem */
    unsigned long fills; /* of its matrix when it was shifted */
    double *last, *q;    /* its rows: the solution before, and q */
    int capacity_last, capacity_q;
    unsigned long slides; /* of the sliding relations of the last unilateral problem */
    int made;
    /* Relations may have corners in time, where Gamma jumps.  Smooth between from and until, which
     * the scheme may set after perp_mechanics_prepare(); corner: the earliest one ahead of a
     * time at which Gamma was asked for, HUGE_VAL: none was seen. */
    double from, until, corner;
    double *curve; /* work of the curvature: 6 rows + N entries of the largest link */
    int capacity_curve;
} perp_mechanics;

/* 1 where impacts of a link can be solved, else a sentence in *why. */
int perp_mechanics_takes(const perp_link *link, const char **why);
/* `accepts` of a scheme whose contacts have modes: these, less friction in 3D. */
perp_status perp_mechanics_accepts(const perp_link *link, const perp_scheme *scheme,
                                   const char **why);
/* 1 where a link is bilateral whatever its mode; where that is so or a relation has a mode. */
int perp_mechanics_is_bilateral(const perp_step *step);
int perp_mechanics_pushes(const perp_step *step);
/* No multipliers, inputs or active links. */
void perp_mechanics_no_forces(perp_step *step);
/* Largest acceleration of the free motion that was found last. */
double perp_mechanics_free_acceleration(const perp_step *step);
/* Counts entries, makes the problems; at each step, before anything else.  m is zeroed once. */
perp_status perp_mechanics_prepare(perp_mechanics *m, perp_step *step);
void perp_mechanics_release(perp_mechanics *m, perp_pool *pool);

/* x from the states at NOW, and back (quaternions are made units). */
void perp_mechanics_pack(double *x, const perp_mechanics *m);
void perp_mechanics_unpack(const perp_mechanics *m, const double *x);
/* Makes the quaternions of x units. */
void perp_mechanics_normalise(const perp_mechanics *m, double *x);

/* dx = x' at (t, x) at m->level; a perp_rate_fn whose ctx is a perp_mechanics.  States at NOW
 * become those of x; link->lambda the contact forces (0 where there are none). */
perp_status perp_mechanics_rate(double *dx, void *mechanics, double t, const double *x);
/* The same for the states at NOW, without rates: forces in link->lambda; with
 * PERP_LEVEL_UNILATERAL Gamma in Gamma(link). */
perp_status perp_mechanics_forces(perp_mechanics *m, double t, perp_level level);
/* Gamma of an active link after perp_mechanics_forces(.., UNILATERAL): its rows. */
static inline const double *perp_mechanics_gamma(const perp_mechanics *m, const perp_link *link)
{
    return m->unilateral.w + link->first_row;
}
/* Impact problem (27) for the states at NOW over the relations with link->on, and EQUALITY; u- is
 * link->u.  v changes, link->lambda holds the impulses, s->p their sum.  Impulses that no
 * solver finds to the tolerance are taken as they are; the status of the step says so. */
perp_status perp_mechanics_impact(perp_mechanics *m, double t);
/* Moves positions at NOW by M^-1 H' onto y = 0, then velocities onto u = 0, over the relations
 * whose mode is not OPEN (normal rows; tangential ones at the level of velocities where they
 * stick), and EQUALITY.  One Newton step each: drift is small. */
perp_status perp_mechanics_project(perp_mechanics *m, double t);
/* 1 where that has something to move, outputs up to date: |y| > gap or |u| > rate on a row of
 * EQUALITY or a normal row whose mode is not OPEN; with `stuck` also |u| > rate on a tangential
 * row that sticks. */
int perp_mechanics_drifted(const perp_step *step, double gap, double rate, int stuck);

/* Moves positions at NOW onto y = 0 over the relations with link->on, and EQUALITY; outputs up to
 * date before and after. */
perp_status perp_mechanics_touch(perp_mechanics *m, double t);

/* 1: y depends on q linearly and on nothing else, so that u_t = 0. */
int perp_link_is_constant(const perp_link *link);
/* u_t (rows) = d/dt (H v + h_t) at fixed v, by differences of third order along the motion, on the
 * side of a corner on which t lies; 0 for constant relations. */
perp_status perp_mechanics_curvature(double *u_t, perp_mechanics *m, perp_link *link, double t);

#endif
