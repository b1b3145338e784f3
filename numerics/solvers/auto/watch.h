/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of `auto`, and what looks on while a stage runs: whether another one would cost less,
 * whether the error stands still or the share of the work is spent, and whether there is a proof
 * that there is no solution. */
#ifndef PERP_SOLVERS_AUTO_WATCH_H
#define PERP_SOLVERS_AUTO_WATCH_H

#include "handle/costs.h"
#include "handle/nested.h"
#include "solvers/auto/apart.h"
#include "solvers/auto/clusters.h"
#include "solvers/auto/deadline.h"
#include "solvers/auto/farkas.h"
#include "solvers/auto/plan.h"
#include "solvers/auto/rate.h"
#include "solvers/auto/shares.h"
#include "solvers/enumeration/enumeration.h"

enum { PERP_AUTO_STAGES = 16, PERP_AUTO_NEWTON_STEPS = 12 };
/* Proofs are looked for where the error is above this. */
#define PERP_AUTO_SEARCH_ERROR 1e-6

typedef struct perp_auto {
    const perp_plan_stage *plan;
    int count;
    perp_nested *inner[PERP_AUTO_STAGES]; /* one for each solver that has run, `inners` so far */
    int inners;
    perp_enumeration *few; /* what comes before the plan, or NULL */
    perp_apart apart;
    perp_clusters clusters;
    double *kept; /* n: the best iterate beside those of clusters, NULL before the first */
    int whole;     /* 1: without clusters, as one of them */
    int ready;     /* for the plan */
    int coupled;   /* rows of the largest island where all of an island are, 0; -1: not known yet */
    int led;       /* 1: others have come before the plan of this solve */
    int separable; /* no island has more than half of the rows */
    perp_costs costs;
    perp_rate rate;
    double newton; /* cost of the Newton steps that a hand-over is compared with */
    perp_deadline deadline;
    double *ray; /* certificate of the stage of this solve that ended on a ray, or NULL */
    perp_shares shares;
    int gradient; /* 1: gradient steps come after the sweeps that run */
    int held;     /* 1: no time and no work is left for what the sweeps would hand over to */
    double tol;
    int swept; /* sweeps before the current run */
    perp_work *work;
    perp_growth growth;
    double *proof;      /* memory of the search for a proof, NULL before the first */
    int searches;       /* of this solve, as z grew */
    double searched;    /* the work before the last of the others */
    int hopeless;       /* 1: there is no proof of the kind that is looked for */
    perp_status proved; /* what the search said, PERP_STALLED where it said nothing */
    double reach;       /* of that */
    const char *why;
} perp_auto;

/* Costs of a sweep and of a Newton step of so many flops; 0: a guess. */
void perp_auto_estimate(perp_auto *state, const perp_work *work, double flops);
/* Why Newton steps should go on after so many sweeps, or NULL. */
const char *perp_auto_newton_pays(const perp_auto *state, int sweeps);

/* Looks for a proof that there is no solution, for so many operations.  1: state->proved is the
 * verdict.  The second where a stage that should have ended has not, after so many sweeps of work:
 * nothing is done unless it is several times what was spent before the search before. */
int perp_auto_search(perp_auto *state, perp_work *work, double most);
int perp_auto_search_due(perp_auto *state, double sweeps);

/* What watches a stage (ctx: the state), by its plan; not 0: the stage ends, state->why says why. */
typedef int perp_auto_watch(void *ctx, int iteration, double error);
perp_auto_watch *perp_auto_watch_of(perp_stage_watch watch);

#endif
