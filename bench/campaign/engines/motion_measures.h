/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured of a motion, the same for every engine: from states, and impulses where they
 * are given. */
#ifndef PERP_ENGINES_MOTION_MEASURES_H
#define PERP_ENGINES_MOTION_MEASURES_H

#include "bench/campaign/engines/motion.h"

/* NaN and -1: not known. */
typedef struct motion_figures {
    long steps;
    double t;        /* reached */
    double seconds;  /* of all steps */
    double contacts; /* mean of a step */
    double overlap;  /* largest, m; on scenes of many bodies not at every step */
    double opening;  /* largest of a joint, m: anchors apart, or a hinge's axes (as if 1 m away) */
    double creep;    /* largest displacement of a body in the horizontal plane, at the end, m */
    double sink;     /* and downwards */
    long fallen;   /* bodies that are lower than they were by more than a quarter of the largest of
                      their half widths, or turned by more than 30 degrees; all scenes */
    double energy; /* largest rise above the lowest before, over the largest kinetic energy and
                      the range of the potential, or what lifts each body by half its
                      thickness where that is more */
    double observed;      /* of the law of the scene */
    double worst, median; /* residuals of the steps, step_residual() */
    long early;           /* steps whose solver ended before its tolerance */
    int finite;           /* 0: a state that is no number was met; nothing after it was read */
} motion_figures;

typedef struct motion_measures {
    const rigid_scene *scene;
    double *first, *last, *scratch; /* states */
    double *residual;
    long residuals, capacity;
    double potential_low, potential_high, kinetic_high, lowest, rise; /* energies */
    double turned, direction; /* of what a law watches: angle so far, and at the last record */
    double mark[3], marked;   /* a relative place that creep is counted from, its time or NaN */
    double contact_sum;
    double *fell; /* when each body fell over, NaN: it stands */
    int every;    /* overlaps are looked for at each of these records */
    long records;
    motion_figures figures;
} motion_measures;

/* 0, or -1 without memory.  The scene is borrowed. */
int motion_measures_begin(motion_measures *m, const rigid_scene *scene);
/* 0, or -1 without memory. */
int motion_measures_add(motion_measures *m, const motion_record *record);
void motion_measures_end(motion_measures *m, motion_figures *figures);
void motion_measures_free(motion_measures *m);

/* motion_laws.c: what the law of the scene says of the motion so far; NaN: nothing yet. */
void motion_watch(motion_measures *m, const motion_record *record);
double motion_observed(const motion_measures *m);
double motion_half_width(const rigid_body *body); /* the smallest; 0 without a shape */
/* 1: the body lies lower, or turned, by more than motion_figures.fallen allows. */
int motion_fallen(const rigid_body *body, const double *first, const double *now);

#endif
