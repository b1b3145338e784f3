/* SPDX-License-Identifier: BSD-3-Clause */
/* The first zero of several event functions along the dense output of a step: signs at samples,
 * slopes there for two zeros between samples, Illinois with a bracket. */
#ifndef PERP_KERNEL_ROOT_H
#define PERP_KERNEL_ROOT_H

#include "kernel/flow/rk.h"

/* g (count) = event functions at (t, x).  Any status but PERP_SOLVED is handed on. */
typedef perp_status (*perp_event_fn)(double *g, void *ctx, double t, const double *x);

typedef struct perp_root {
    /* Result: which = -1 where there is no event.  The function has not crossed at sigma and has
     * at after, after - sigma <= width; both are fractions of the step. */
    int which;
    double sigma, after;
    int intervals;    /* into which the step is sampled, 4 by prepare */
    long evaluations; /* of the event functions */
    /* Inside. */
    int count, n, capacity_count, capacity_n;
    double *x;       /* n */
    double *samples; /* 5 count: values and slopes at both ends of an interval, scratch */
    int *state;
} perp_root;

/* Zeroed memory is a valid perp_root without arrays.  No memory is taken where it is there. */
perp_status perp_root_prepare(perp_root *root, int count, int n, perp_pool *pool);
void perp_root_free(perp_root *root, perp_pool *pool);

/* The first event in the last step of rk, 0 < sigma <= 1, of function i
 *     direction[i] = -1   from above tol[i] to 0 or below (a gap that closes)
 *     direction[i] = +1   from below -tol[i] to 0 or above
 *     direction[i] =  0   either, when it was beyond tol[i] before
 * A function within tol[i] of 0 at the start of the step must first leave that band on the side
 * from which it comes; where it leaves on the other one, the event is at sigma = 0 (or, after
 * samples within the band, at the last of them): it was at its zero and crosses (direction
 * 0: no event).  One that starts beyond the band on the far side has crossed before, and is looked
 * at again once it has come back.
 * Two zeros between samples are found where the slopes at the samples tell of them.
 * tol[i] >= 0; width >= 0 in units of the step, at least 1e-15 is used. */
perp_status perp_root_first(perp_root *root, perp_rk *rk, perp_event_fn g, void *ctx,
                            const int *direction, const double *tol, double width);

#endif
