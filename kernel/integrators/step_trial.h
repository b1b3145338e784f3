/* SPDX-License-Identifier: BSD-3-Clause */
/* The same piece of time walked in one, two, three, ... steps of the scheme's own table, and what
 * tells their ends apart: for schemes that choose steps by doubling, or extrapolate. */
#ifndef PERP_KERNEL_TRIAL_H
#define PERP_KERNEL_TRIAL_H

#include "kernel/step/integrator.h"

/* Zeroed memory is a valid one without arrays. */
typedef struct perp_trial {
    perp_kept start, middle, end;
    int n;               /* entries of a column: q and v of each system */
    int relations;       /* of all links */
    double size;         /* largest coordinate of the start */
    double *x;           /* columns of n: the start, then the ends of the walks, from 1 on */
    unsigned char *mode; /* relations: at the end of the first step of all */
    int capacity_x, capacity_mode;
    /* Of a scheme that makes impacts beside the smooth step, so that what closing contacts may miss
     * counts, see missed(): 1 where it made those of the last step at its start.  NULL: of no such
     * scheme. */
    const int *early;
    /* Of the walks since perp_trial_begin(). */
    int steps;            /* made */
    int event;            /* some step had other modes than the first one */
    int through;          /* something open went through its constraint, unfelt */
    perp_status unsolved; /* largest positive status of their steps */
    /* Of the last walk: largest growth of a penetration in a step, or way by which an early impact
     * misses it, by its tolerance; its link. */
    double violation;
    int violated;
} perp_trial;

void perp_trial_release(void *trial, perp_pool *pool);
/* The states at NOW are the start; space for so many columns beside it.  PERP_ERR_MEMORY. */
perp_status perp_trial_begin(perp_trial *trial, perp_step *step, int columns);
/* From the start over h in `parts` equal steps; the end is left at NOW and in the column.  After
 * two parts `middle` holds what is between them.  Tolerances of the scheme weigh the violation.
 * Errors are those of a step; the start is at NOW then. */
perp_status perp_trial_walk(perp_trial *trial, perp_step *step, const perp_scheme *scheme, double t,
                            double h, int parts, int column);
/* The start at NOW, for a trial over another h. */
void perp_trial_again(perp_trial *trial, perp_step *step);
/* Whether an event lies in the steps of all walks: they disagree, or their mode cannot follow on
 * that before the start (perp_contact_goes_on()), or a penetration grew by more than its
 * tolerance. */
int perp_trial_event(const perp_trial *trial, const perp_step *step);
/* Whether anything is in contact at NOW. */
int perp_trial_touches(const perp_step *step);
/* Largest |weight (column b - column a)| by the tolerance (56), (57), with the start and column b
 * in it; *worst: the slot of its system.  scheme->error_in says which parts of the state are in it;
 * smooth: no event lies in the step. */
double perp_trial_error(const perp_trial *trial, const perp_step *step, const perp_scheme *scheme,
                        int a, int b, double weight, int smooth, int *worst);
/* The modes of the step that ended at NOW become link->mode. */
void perp_trial_note_modes(perp_step *step);
double *perp_trial_column(const perp_trial *trial, int column);
/* The column becomes the state at NOW; quaternions are made units. */
void perp_trial_unpack(const perp_trial *trial, perp_step *step, int column);

#endif
