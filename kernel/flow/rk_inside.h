/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the Runge-Kutta step share. */
#ifndef PERP_KERNEL_RK_INSIDE_H
#define PERP_KERNEL_RK_INSIDE_H

#include "kernel/flow/rk.h"

/* rate = f(t, x), counted and checked to be finite. */
perp_status perp_rk_rate(double *rate, perp_rk *rk, double t, const double *x);
/* rk->first = f(t, x0), once. */
perp_status perp_rk_first_rate(perp_rk *rk);
/* x = x0 + h sum_j w_j k_j over the first `count` stages, where the w_j have the sum `total`:
 * written with k_j - k_0, so that rounding of the weights does not bias a long run of steps. */
void perp_rk_combine(double *x, const perp_rk *rk, const double *w, int count, double total);
/* rk->k of an implicit tableau from x0 at t over h (radau.c). */
perp_status perp_rk_implicit_stages(perp_rk *rk);

#endif
