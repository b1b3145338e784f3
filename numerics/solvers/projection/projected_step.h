/* SPDX-License-Identifier: BSD-3-Clause */
/* The step that projection methods share, block by block:
 *     z+_k = P_K( z_k - rho t_k (w_k + s_k(w)) ),   t_k = 1 / d_k^2.
 * A positive number per block moves no fixed point; d_k^2 = |M_kk|_2 makes rho
 * a number without a unit, near 1.  t_k = 1 where M has no diagonal. */
#ifndef PERP_SOLVERS_PROJECTED_STEP_H
#define PERP_SOLVERS_PROJECTED_STEP_H

#include "handle/solver_type.h"

/* What the projection methods hold; `shift` and `trial` have n entries each. */
typedef struct perp_projector {
    const perp_blocks *blocks;
    double *t;       /* per block */
    double *y;       /* n: w + s(w) at the current iterate */
    double *y_trial; /* n: the same at the trial point */
    double *z_trial; /* n */
    double *rho;     /* the step that the handle remembers; 0: none yet */
} perp_projector;

/* Takes the arrays from the arena and makes `rho` the memory of the handle. */
perp_status perp_projector_take(perp_projector *projector, perp_work *work);

/* setup and update of methods whose state is a projector alone.  update has nothing to do,
 * since all numbers are read in solve and the remembered step stays. */
perp_status perp_projector_setup(perp_work *work);
perp_status perp_projector_update(perp_work *work);

/* Fills t and returns the first step: the remembered one in a warm start, else
 * the setting, else 1 / |D^-1 M D^-1| of one product with q. */
perp_status perp_projector_start(perp_projector *projector, perp_work *work, double *rho);

/* y = w + s(w).  y may be w. */
void perp_add_shift(double *y, const perp_blocks *blocks, const double *w);

/* y = M z + q + s; PERP_INTERRUPTED from an operator. */
perp_status perp_projector_value(double *y, const perp_projector *projector, const perp_work *work,
                                 const double *z);

/* out = P_K(z - rho T y). */
void perp_projected_step(double *out, const perp_projector *projector, double rho, const double *z,
                         const double *y);

/* z_trial = P_K(z - rho T y) and y_trial = F there.  The step adapts itself: rho shrinks until
 * rho |F(z) - F(z_trial)|_T <= 0.9 |z - z_trial|_(1/T); a ratio below 0.3 makes *next, the first
 * rho of the next step, larger. */
perp_status perp_projector_predict(perp_projector *projector, perp_work *work, double *rho,
                                   double *next);

/* One step of extragradient: z' is predicted, then work->z = P_K(z - rho T F(z')), with y = F at
 * work->z on entry. */
perp_status perp_projector_correct(perp_projector *projector, perp_work *work, double *rho);

#endif
