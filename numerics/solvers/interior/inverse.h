/* SPDX-License-Identifier: BSD-3-Clause */
/* The inverse of the block-diagonal E of an interior-point method, applied to vectors. */
#ifndef PERP_SOLVERS_INTERIOR_INVERSE_H
#define PERP_SOLVERS_INTERIOR_INVERSE_H

#include "solvers/interior/interior_system.h"

/* x = (E + C)^-1 b for block k, whose cones begin at *c, which is moved past them; E: its block. C,
 * the compliance of a body form, has one number for the rows of a cone other than the first. */
void perp_interior_divide(double *x, const perp_interior_system *system, int k, int *c,
                          const double *E, const double *b);

#endif
