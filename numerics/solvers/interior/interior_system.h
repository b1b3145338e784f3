/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear systems (Wb + E) dX = b of an interior-point method: E block-diagonal and new in
 * each iteration, Wb = S M S fixed, one analysis for all. */
#ifndef PERP_SOLVERS_INTERIOR_INTERIOR_SYSTEM_H
#define PERP_SOLVERS_INTERIOR_INTERIOR_SYSTEM_H

#include "linalg/factor/factor.h"
#include "solvers/interior/cones.h"
#include "solvers/interior/contact_form.h"
#include "solvers/interior/interior_bodies.h"

typedef enum perp_interior_form {
    PERP_INTERIOR_AUTO, /* bodies where they pay */
    PERP_INTERIOR_CONTACTS,
    PERP_INTERIOR_BODIES
} perp_interior_form;

/* Scaling of one cone: p and r stand at its slots. */
typedef struct perp_interior_scaling {
    double *p, *r, *t; /* slots; t: direction of y_T, the gradient of the De Saxce term */
    double *eta;       /* cones */
} perp_interior_scaling;

typedef struct perp_interior_system {
    const perp_interior *interior;
    const perp_interior_scaling *scaling; /* of the last E */
    int in_bodies, symmetric;
    double weight; /* proximal, in E */
    perp_contact_form contact;
    perp_interior_bodies bodies;
    double *E, *inverse; /* dim x dim for each block, column-major; inverse for bodies only */
    double *r, *c;       /* n: residual and correction */
    double *column;      /* 2 columns of the largest block */
    double *unit;        /* the same */
    perp_factor *factor;
} perp_interior_system;

/* Pattern, memory, numbers and analysis.  The factorisation lies outside the arena:
 * perp_interior_system_free(). */
perp_status perp_interior_system_build(perp_interior_system *system, const perp_mat *M,
                                       const perp_interior *interior, perp_interior_form form,
                                       perp_factor_kind kind, perp_ordering_kind ordering,
                                       perp_arena *arena);
/* New numbers.  PERP_ERR_STATE: another pattern or symmetry, build again. */
perp_status perp_interior_system_load(perp_interior_system *system, const perp_mat *M,
                                      const perp_allocator *allocator);
/* E (and its inverse) from the scaling: the sum of A' G F A over the cones, with
 * G = I - e0 t' where the De Saxce term is, plus the proximal weight I on all rows that are
 * not pinned. */
void perp_interior_system_weigh(perp_interior_system *system, const perp_interior_scaling *scaling,
                                double weight);
/* Factorises Wb + E, shifted where it is singular.  `count` is raised by the
 * factorisations. */
perp_status perp_interior_system_factorise(perp_interior_system *system, int *count);
/* y = Wb x. */
void perp_interior_system_apply(double *y, perp_interior_system *system, const double *x);
/* dX = (Wb + E)^-1 b, refined. */
void perp_interior_system_solve(double *dX, perp_interior_system *system, const double *b);
void perp_interior_system_free(perp_interior_system *system);

#endif
