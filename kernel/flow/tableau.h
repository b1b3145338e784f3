/* SPDX-License-Identifier: BSD-3-Clause */
/* Runge-Kutta methods as data.  Sources: [HairerEtAl1993] II.1, II.4, II.5, II.6;
 * [HairerWanner1996] IV.5 for Radau IIA. */
#ifndef PERP_KERNEL_TABLEAU_H
#define PERP_KERNEL_TABLEAU_H

typedef struct perp_tableau {
    const char *name;         /* as in scheme.def, `tableau` */
    int stages, order;        /* order of the solution with the weights b */
    int embedded;             /* order of the one with b_embedded; 0: none */
    int implicit;             /* 1: a has entries on or above its diagonal */
    const double *a;          /* stages x stages, row-major */
    const double *b;          /* stages */
    const double *b_embedded; /* stages; NULL: none */
    const double *c;          /* stages */
    /* x(t + sigma h) = x + h sum_i k_i sum_j dense[i * dense_degree + j] sigma^(j+1);
     * NULL: cubic Hermite. */
    const double *dense;
    int dense_degree;
    int dense_order; /* the state from `dense`, or from Hermite, is wrong by O(h^(this + 1)) */
    int last_is_end; /* k of the last stage is the rate at the end of the step (FSAL, Radau) */
} perp_tableau;

/* Order of the error of its steps: of the embedded solution, or of a doubled step. */
static inline int perp_tableau_estimate(const perp_tableau *tableau)
{
    return tableau->embedded ? tableau->embedded : tableau->order;
}

enum { PERP_TABLEAUX = 8 };
extern const perp_tableau perp_dormand_prince8;

/* The method of a perp_tableau_kind; NULL outside.  Fehlberg's pair goes on with its fifth order.
 */
const perp_tableau *perp_tableau_at(int k);

#endif
