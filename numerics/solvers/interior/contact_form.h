/* SPDX-License-Identifier: BSD-3-Clause */
/* Wb = S M S on a fixed sparse pattern that holds all diagonal blocks. */
#ifndef PERP_SOLVERS_INTERIOR_CONTACT_FORM_H
#define PERP_SOLVERS_INTERIOR_CONTACT_FORM_H

#include "linalg/csc.h"
#include "solvers/interior/cones.h"

typedef struct perp_contact_form {
    perp_csc K;       /* pattern; values: Wb + E after perp_contact_form_add() */
    double *W;        /* values of Wb */
    int *own;         /* n: where the first row of a column's own block stands */
    int *cursor;      /* n: entry of a column after the one that was last named */
    double asymmetry; /* of Wb, relative to its largest entry */
} perp_contact_form;

/* Takes pattern and memory; temporary memory from the allocator.  PERP_ERR_OVERFLOW at 2^31
 * entries. */
perp_status perp_contact_form_build(perp_contact_form *form, const perp_mat *M,
                                    const perp_interior *interior, perp_arena *arena);
/* The numbers; temporary memory only for a Delassus matrix.  PERP_ERR_STATE: an entry outside
 * the pattern. */
perp_status perp_contact_form_load(perp_contact_form *form, const perp_mat *M,
                                   const perp_interior *interior, const perp_allocator *allocator);
/* y = Wb x. */
void perp_contact_form_apply(double *y, const perp_contact_form *form, const double *x);
/* K = Wb + E + shift I, E column by column for each block. */
void perp_contact_form_add(perp_contact_form *form, const perp_interior *interior, const double *E,
                           double shift);

#endif
