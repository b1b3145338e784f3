/* SPDX-License-Identifier: BSD-3-Clause */
/* What the pivoting solvers share: memory, the mixed LCP and its basis, the first basis with the
 * free variables, the end point and its judgement, active sets tried first, proofs. */
#ifndef PERP_SOLVERS_PIVOTS_H
#define PERP_SOLVERS_PIVOTS_H

#include "handle/solver_type.h"
#include "solvers/pivoting/active_set.h"
#include "solvers/pivoting/free_rows.h"
#include "solvers/pivoting/lcp_basis.h"
#include "solvers/pivoting/lcp_form.h"

/* An end point with this error is the solution, and tol asks for more digits than there are. */
#define PERP_PIVOTS_ROUNDING 1e-8

typedef struct perp_pivots {
    perp_arena sets; /* memory from setup: for active sets, */
    perp_arena arena; /* and for the pivots */
    size_t bytes;    /* of the latter */
    int built;       /* it is in use */
    perp_lcp lcp;
    perp_free_rows free_rows;
    perp_basis basis;
    unsigned char *on; /* size: rows of the final system; workspace */
    double *x;         /* size */
    double *y;         /* size: multipliers of a certificate, scaled */
    int iteration;
    int goal, other; /* Lemke: what has to leave, t or one of the pair of a label */
    double error;    /* of the first iterate */
    double least;    /* of the best end point */
    perp_work *work;
} perp_pivots;

/* As perp_solver_type; work->state is a perp_pivots. */
perp_status perp_pivots_setup(perp_work *work);
perp_status perp_pivots_update(perp_work *work);
/* The mixed LCP and its basis, in the memory that setup took; done once. */
perp_status perp_pivots_build(perp_work *work, perp_pivots *state);

/* 1: one of the active sets from that of work->z is the answer to rounding, in work->z; *error is
 * its measure. */
int perp_pivots_try_sets(perp_work *work, perp_pivots *state, double *error);
/* The first basis: y, and the free variables.  1: *status is the answer. */
int perp_pivots_bring_free(perp_work *work, perp_pivots *state, perp_status *status);
/* Begins with it.  PERP_ERR_SINGULAR. */
perp_status perp_pivots_restart(perp_pivots *state);

/* state->x into work->z, measured.  1: stop. */
int perp_pivots_judge(perp_work *work, perp_pivots *state);
/* The point of the present basis: solved again, as the pivots left it, and by active sets from it.
 * 1: stop.  The factors are lost. */
int perp_pivots_finish(perp_work *work, perp_pivots *state);

/* The direction in which `entering` grows, or one row, proves that there is no solution: y. */
int perp_pivots_ray_proves(perp_pivots *state, int entering);
/* Hands y out where it proves something.  1: *status says what. */
int perp_pivots_infeasible(perp_work *work, const perp_pivots *state, perp_status *status);

#endif
