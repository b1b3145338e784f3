/* SPDX-License-Identifier: BSD-3-Clause */
/* ROLLING: |z_T| <= mu z_N and |z_R| <= mu_r z_N, rows N, T, R: 1 and 1 of T and R, 2 and 1
 * (torsion), or 2 and 2.
 *
 * With a = |x_T| and b = |x_R| the projection keeps both directions, and its
 * normal part n minimises (n - x_N)^2 + (a - mu n)_+^2 + (b - mu_r n)_+^2 over
 * n >= 0.  The derivative is increasing and piecewise linear, so there are five
 * cases: all of x inside, one of the two cones active, both, and the apex.  With
 * m = (1, mu, mu_r), inactive entries 0, and v = m / |m|,
 * n = (v.(x_N, a, b)) v_N, and the active parts have the lengths mu n, mu_r n.
 */
#ifndef PERP_SETS_ROLLING_H
#define PERP_SETS_ROLLING_H

/* Rows of T; R begins at row 1 + this. */
static inline int perp_rolling_rows(int dim)
{
    return dim / 2;
}

/* Rows of R. */
static inline int perp_rolling_turns(int dim)
{
    return dim - 1 - dim / 2;
}

/* |x - P_K(x)| and |P_K(x)| as functions of x_N, a = |x_T| and b = |x_R|. */
double perp_rolling_distance(double normal, double a, double b, const double *par);
double perp_rolling_length(double normal, double a, double b, const double *par);
/* dist(y, K*) for y_N = excess + mu a + mu_r b, a = |y_T|, b = |y_R|: exact in
 * excess, which is w_N where y = w + s(w). */
double perp_rolling_dual(double excess, double a, double b, const double *par);

#endif
