/* SPDX-License-Identifier: BSD-3-Clause */
/* Wb + E = Q P + C + E in body unknowns, for M = H' mass^-1 H + diag(c) with small components,
 * C = S diag(c) S.
 *
 * With a definite mass, mass^-1 = B' B: P = B H S and Q = P'; else P = mass^-1 H S and
 * Q = S H'.  By Woodbury (Wb + E) dX = b is
 *     A v = P D b,   A = I + P D Q,   dX = D (b - Q v),   D = (C + E)^-1,
 * where A couples the bodies that a contact joins: 6 unknowns a body instead of 3 a
 * contact.  A is symmetric when E is and the mass is definite.  The rows of a block other than its
 * first have one c. */
#ifndef PERP_SOLVERS_INTERIOR_BODY_FORM_H
#define PERP_SOLVERS_INTERIOR_BODY_FORM_H

#include "linalg/csc.h"
#include "solvers/interior/cones.h"

typedef struct perp_body_form {
    int order;      /* unknowns of the bodies that are touched */
    int definite;   /* Q is P' */
    int compliant;  /* M has a diagonal of its own */
    int bodies;     /* touched */
    int *body;      /* bodies: its number in the mass */
    int *first;     /* bodies + 1: its first unknown */
    int *touch_ptr; /* blocks + 1 */
    int *touch;     /* touched body, ascending for each block */
    size_t *data;   /* of each touch: offset of its dim(body) x dim(block) numbers in P and Q */
    double *P, *Q;  /* Q transposed; the same array when definite */
    double *soft;   /* rows: C; NULL where M has no diagonal of its own */
    size_t *pair;   /* blocks: offset of its touches x touches numbers in `place` */
    int *place;     /* where the rows of one touched body start in the columns of another */
    perp_csc A;
    double *v, *t; /* order */
    double *block; /* space for one block: dim(body) x dim(block) */
} perp_body_form;

/* 1 when M allows this form and it promises less work than the contact form; temporary->failed
 * when memory is out. */
int perp_body_form_pays(const perp_mat *M, const perp_blocks *blocks, perp_arena *temporary);
/* Touches, pattern, memory.  PERP_ERR_OVERFLOW at 2^31 entries. */
perp_status perp_body_form_build(perp_body_form *form, const perp_mat *M,
                                 const perp_interior *interior, perp_arena *arena);
/* The numbers of P and Q.  PERP_ERR_STATE: other bodies are touched. */
perp_status perp_body_form_load(perp_body_form *form, const perp_mat *M,
                                const perp_interior *interior);
/* y = Wb x. */
void perp_body_form_apply(double *y, perp_body_form *form, const perp_interior *interior,
                          const double *x);
/* v = P x; y -= Q v. */
void perp_body_form_forth(double *v, const perp_body_form *form, const perp_interior *interior,
                          const double *x);
void perp_body_form_back(double *y, const perp_body_form *form, const perp_interior *interior,
                         const double *v);
/* A = I + P D Q + shift I, given D column by column for each block. */
void perp_body_form_add(perp_body_form *form, const perp_interior *interior, const double *inverse,
                        double shift);

#endif
