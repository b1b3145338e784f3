/* SPDX-License-Identifier: BSD-3-Clause */
/* The cone |z_T| <= mu z_N, shared by COULOMB and SOC.
 *
 * With c = 1 / sqrt(1 + mu^2), s = mu c and t = x_T / |x_T|, the generator
 * nearest to x is (c, s t), and between the cone and its polar
 * P(x) = (c x_N + s |x_T|) (c, s t).  Nothing is squared that could overflow:
 * entries and mu up to 1e200 are safe.
 */
#ifndef PERP_SETS_CONE_H
#define PERP_SETS_CONE_H

#include <math.h>

/* sqrt(a^2 + b^2); hypot() only where a square could leave the range. */
static inline double perp_length2(double a, double b)
{
    double square = a * a + b * b;
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(a, b);
}

/* |x|, n >= 0. */
double perp_cone_length(const double *x, int n);
/* The entries of a perp_set_type that both sets share; par = {mu}. */
void perp_cone_project(double *p, const double *x, const double *par, int dim);
void perp_cone_jacobian(double *J, const double *x, const double *par, int dim);
double perp_cone_dual_distance(const double *y, const double *par, int dim);
double perp_cone_gap(const double *z, const double *y, const double *par, int dim);
int perp_cone_admissible(const double *par);

#endif
