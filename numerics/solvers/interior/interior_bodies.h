/* SPDX-License-Identifier: BSD-3-Clause */
/* Wb + E = Q P + C + E by the velocities of the bodies (bodies/body_form.h), for
 * M = H' Minv H + diag(c), C = S diag(c) S.  By Woodbury (Wb + E) dX = b is
 *     A v = P D b,   A = I + P D Q,   dX = D (b - Q v),   D = (C + E)^-1.
 * A is symmetric when E is and the mass is definite.  The rows of a block other than its first
 * have one c. */
#ifndef PERP_SOLVERS_INTERIOR_INTERIOR_BODIES_H
#define PERP_SOLVERS_INTERIOR_INTERIOR_BODIES_H

#include "solvers/bodies/body_form.h"
#include "solvers/interior/cones.h"

typedef struct perp_interior_bodies {
    perp_body_form form;
    double *soft; /* n: C; NULL where M has no diagonal of its own */
    double *v;    /* unknowns of the bodies */
} perp_interior_bodies;

/* 1 when M allows this form and it promises less work than the contact form; temporary->failed
 * when memory is out. */
int perp_interior_bodies_pay(const perp_mat *M, const perp_blocks *blocks, perp_arena *temporary);
/* Pattern and memory; errors of perp_body_form_build(). */
perp_status perp_interior_bodies_build(perp_interior_bodies *bodies, const perp_mat *M,
                                       const perp_interior *interior, perp_arena *arena);
/* The numbers of P, Q and C.  PERP_ERR_STATE: they have another form. */
perp_status perp_interior_bodies_load(perp_interior_bodies *bodies, const perp_mat *M,
                                      const perp_interior *interior);
/* v = P x; y += Q v; y = Wb x, which overwrites v. */
void perp_interior_bodies_forth(perp_interior_bodies *bodies, const perp_interior *interior,
                                const double *x);
void perp_interior_bodies_back(double *y, const perp_interior_bodies *bodies,
                               const perp_interior *interior);
void perp_interior_bodies_apply(double *y, perp_interior_bodies *bodies,
                                const perp_interior *interior, const double *x);

#endif
