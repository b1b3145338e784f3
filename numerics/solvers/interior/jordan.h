/* SPDX-License-Identifier: BSD-3-Clause */
/* Algebra of the Lorentz cone L = {x0 >= |x_T|} in any dimension (1: x0 >= 0), and its
 * Nesterov-Todd scaling ([NesterovTodd1997]; [AndersenEtAl2003]).
 *
 * Products a o b = (a.b, a0 b_T + b0 a_T) with unit e = (1, 0).  For x, y inside L there
 * is one F = eta^2 (2 p p' - J), J = diag(1, -1, ..), p' J p = 1, with F x = y; its root is
 * eta (2 r r' - J), and lambda = root x = root^-1 y. */
#ifndef PERP_SOLVERS_INTERIOR_JORDAN_H
#define PERP_SOLVERS_INTERIOR_JORDAN_H

/* x0^2 - |x_T|^2; positive exactly when x or -x is inside. */
double perp_jordan_det(const double *x, int dim);
void perp_jordan_product(double *out, const double *a, const double *b, int dim);
/* out with lambda o out = b, lambda inside L. */
void perp_jordan_divide(double *out, const double *lambda, const double *b, int dim);
/* out with x o out = e, x inside L. */
void perp_jordan_inverse(double *out, const double *x, int dim);
/* Smallest eigenvalue x0 - |x_T|; tangent: the dim - 1 numbers x_T. */
double perp_jordan_least(double x0, const double *tangent, int dim);
/* Largest a with x + a d in L for an x inside; INFINITY when there is none. */
double perp_jordan_step(const double *x, const double *d, int dim);
/* What moves the eigenvalues of x into [low, high], those of the move itself not below `least`. */
void perp_jordan_push(double *move, const double *x, double low, double high, double least,
                      int dim);

/* p and r (dim each) and eta; 0 when x or y is not inside L. */
int perp_nt_scaling(double *p, double *r, double *eta, const double *x, const double *y, int dim);
/* out = factor (2 p p' - J) v: F v with eta^2 and p, its root with eta and r. */
void perp_nt_apply(double *out, double factor, const double *p, const double *v, int dim);
/* The inverse of that matrix times v. */
void perp_nt_undo(double *out, double factor, const double *p, const double *v, int dim);

#endif
