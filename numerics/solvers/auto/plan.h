/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of `auto`: which solver, with which settings, for how long, watched by what. */
#ifndef PERP_SOLVERS_AUTO_PLAN_H
#define PERP_SOLVERS_AUTO_PLAN_H

#include "handle/solver_type.h"

typedef enum perp_stage_watch {
    PERP_WATCH_NONE,
    PERP_WATCH_COST,  /* hands over where Newton steps would be cheaper, or gradient steps, where
                         these come next */
    PERP_WATCH_FLOOR, /* ends where the error has stood still for long */
    PERP_WATCH_SLOW,  /* the same for steps that are cheap and many */
} perp_stage_watch;

/* Rows up to which the interior method is cheap enough to be tried early. */
enum { PERP_PLAN_SMALL_ROWS = 1500 };

typedef struct perp_plan_stage {
    const perp_solver_type *solver;
    void (*adjust)(perp_settings *settings); /* over those of the user; NULL: nothing */
    int cold;      /* 1: from zero, or from a start of its own; 0: from the best iterate */
    int max_iter;  /* 0: the solver's own limit */
    int max_rows;  /* for larger problems it is left out; 0: never */
    unsigned sets; /* bits: for problems with none of these it is left out; 0: never */
    int max_cost;  /* where a Newton step costs more sweeps than this it is left out; 0: never */
    int share;     /* times the work before it that it may take; 0: as all (auto/shares.c) */
    /* 1: is run even where the current error is that of rounding z: it may show that there is no
     * solution where others went far away, or find numbers that round better; 2: also where z is a
     * solution but for its last digits, since it ends in a few pivots. */
    int past_floor;
    int warm;  /* 1: only where the solve itself began from a start of the caller's */
    int fresh; /* 1: only where it did not */
    perp_stage_watch watch;
} perp_plan_stage;

/* The stages for these sets and this kind of matrix, ended by one without solver.  Stages whose
 * solver does not take the problem are passed over by the reader. */
const perp_plan_stage *perp_plan_of(const perp_work *work);

/* The stage after the sweeps where what the answer carries begins at rest: it ends at the digits
 * that let it be seen to rest, which others seldom reach from far away. */
const perp_plan_stage *perp_plan_from_rest(void);

#endif
