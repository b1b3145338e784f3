/* SPDX-License-Identifier: BSD-3-Clause */
/* ROLLING: |z_T| <= mu z_N, |z_R| <= mu_r z_N and |z_S| <= mu_s z_N.  Rows N, T, R: 1 and 1 of T
 * and R, 2 and 1 (torsion), or 2 and 2; of six rows N, T1, T2, S, R1, R2.
 *
 * Each of these is a disk: k is that of parameter k, and the moments are the disks from 1 on.
 * With a_k = |x| in the rows of disk k the projection keeps all directions, and its
 * normal part n minimises (n - x_N)^2 + sum_k (a_k - mu_k n)_+^2 over n >= 0.  The derivative is
 * increasing and piecewise linear, so x is inside, at the apex, or some of the disks are active.
 * With m = (1, mu_k), inactive entries 0, and v = m / |m|,
 * n = (v.(x_N, a)) v_N, and the active parts have the lengths mu_k n.
 */
#ifndef PERP_SETS_ROLLING_H
#define PERP_SETS_ROLLING_H

#include <perp/problem.h>

enum { PERP_ROLLING_DISKS = PERP_PARAMETERS, PERP_ROLLING_ROWS = 6 };

/* Rows of T; the moments begin at row 1 + this. */
static inline int perp_rolling_rows(int dim)
{
    return dim == 6 ? 2 : dim / 2;
}

/* Rows of moments, R and S. */
static inline int perp_rolling_turns(int dim)
{
    return dim - 1 - perp_rolling_rows(dim);
}

/* Disks, and so parameters that are read. */
static inline int perp_rolling_disks(int dim)
{
    return dim == 6 ? 3 : 2;
}

/* First row of disk k, and how many it has. */
static inline int perp_rolling_first(int dim, int k)
{
    return k == 0 ? 1 : k == 2 ? 3 : dim == 6 ? 4 : 1 + perp_rolling_rows(dim);
}

static inline int perp_rolling_count(int dim, int k)
{
    return k == 0 ? perp_rolling_rows(dim) : k == 2 ? 1 : dim == 6 ? 2 : perp_rolling_turns(dim);
}

/* a of x, and sum_k mu_k a_k. */
void perp_rolling_lengths(double *a, const double *x, int dim);
double perp_rolling_lever(const double *a, const double *par, int dim);
/* |x - P_K(x)| and |P_K(x)| as functions of x_N and a. */
double perp_rolling_distance(double normal, const double *a, const double *par, int dim);
double perp_rolling_length(double normal, const double *a, const double *par, int dim);
/* dist(y, K*) for y_N = excess + the lever of a, a of y: exact in
 * excess, which is w_N where y = w + s(w). */
double perp_rolling_dual(double excess, const double *a, const double *par, int dim);

#endif
