/* SPDX-License-Identifier: BSD-3-Clause */
/* Smooth motion by the multistep methods of SUNDIALS CVODE in place of a Runge-Kutta method.  CVODE
 * takes its memory from malloc; it prints nothing here.  Where Perp was built without it
 * (configure --with-cvode) perp_cvode_create() says PERP_ERR_UNSUPPORTED. */
#ifndef PERP_KERNEL_CVODE_H
#define PERP_KERNEL_CVODE_H

#include "kernel/flow/rk.h"

typedef struct perp_cvode perp_cvode;

/* For n entries; stiff: BDF with Newton's method and a dense Jacobian by differences, else Adams
 * with fixed-point iteration.  PERP_ERR_MEMORY, PERP_ERR_UNSUPPORTED. */
perp_status perp_cvode_create(perp_cvode **cvode, int n, int stiff);
void perp_cvode_destroy(perp_cvode *cvode); /* NULL is accepted */

/* Begins again at (t, x) with x' = f; absolute and relative tolerance of the local error. */
perp_status perp_cvode_start(perp_cvode *cvode, perp_rate_fn f, void *ctx, double t,
                             const double *x, double atol, double rtol);
/* One step of CVODE's choice, of length `most` at most: rk->t, h, x0 and x1 are then those
 * of this step and perp_rk_dense() gives CVODE's interpolation (until rk->inside is NULL).
 * A status of f; PERP_STEP_LIMIT: the tolerance cannot be met; PERP_FLOW_FAILED. */
perp_status perp_cvode_step(perp_cvode *cvode, perp_rk *rk, double most);

#endif
