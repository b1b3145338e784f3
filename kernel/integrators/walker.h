/* SPDX-License-Identifier: BSD-3-Clause */
/* A step made of inner steps whose lengths are found by trying. */
#ifndef PERP_KERNEL_WALKER_H
#define PERP_KERNEL_WALKER_H

#include "kernel/integrators/step_trial.h"
#include "kernel/step/stepper.h"

typedef struct perp_walker {
    perp_step *step;
    const perp_scheme *scheme;
    perp_trial *trial;
    double t, h, least; /* reached; wanted next; smallest */
    perp_status worst;  /* of the inner steps that were kept */
    int doubtful;       /* trials of this inner step that were thrown away for their status alone */
    int proved;         /* the last trials, shown to have no solution with the same ... */
    double speed;       /* ... s*, see perp_infeasibility */
} perp_walker;

/* One trial over h from w->t to t_end: *done = 1 where it was kept (perp_walker_keep), 0 after
 * perp_walker_shrink().  Another status ends the step. */
typedef perp_status (*perp_walker_try)(perp_walker *w, double h, double t_end, int *done);

/* The whole step, with that many columns in the trials.  perp_step_carry()[0] is the length of the
 * next inner step. */
perp_status perp_walker_march(perp_step *step, int columns, perp_walker_try try);

/* The next trial over min(wanted, 0.9 h), at least the smallest step.  `broken`: why a step of this
 * one could not be made (errors that no smaller h cures are for the caller), or PERP_SOLVED; with
 * `error`, by the tolerance, for the report where h was the smallest already: the step then ends
 * with that status, or PERP_STEP_LIMIT. */
typedef struct perp_walker_verdict {
    double error;
    const char *what; /* "system" or "interaction" */
    int slot;
    perp_status broken;
} perp_walker_verdict;
perp_status perp_walker_shrink(perp_walker *w, double h, double wanted,
                               const perp_walker_verdict *verdict);
/* A problem or a Newton loop inside the trial ended unsolved, and a smaller step may do better: a
 * few are tried. */
int perp_walker_doubts(perp_walker *w, double h);
/* Broken steps that a smaller h may mend; what the hook of the user stopped is not. */
static inline int perp_walker_is_curable(const perp_walker *w, perp_status status)
{
    int unsolved = status > 0 && status != PERP_INTERRUPTED && !w->step->stepper->on_failure;
    return unsolved || status == PERP_ERR_NUMERICAL || status == PERP_ERR_SINGULAR;
}
/* The step to t_end stands; `next` as (59) wants it. */
void perp_walker_keep(perp_walker *w, double h, double t_end, double next);

/* A trial by doubling, step_doubling.c.  order: p of the practical error after both walks. */
typedef int (*perp_walker_order)(const perp_walker *w);
perp_status perp_walker_double(perp_walker *w, double h, double t_end, perp_walker_order order,
                               int *done);

#endif
