/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves (M + R) x = b, R = diag(shift) with positive numbers, for every kind of
 * matrix:
 *
 * - DENSE, CSC, BSR, and a Delassus matrix whose mass has large components, multiplied
 *   out: one sparse factorisation of M + R.
 * - DELASSUS with small mass components: of K = mass + H R^-1 H' in body unknowns, and
 *       x = R^-1 (b - H' K^-1 H R^-1 b).
 * - OPERATOR: truncated conjugate residuals ([EisenstatEtAl1983]) in the
 *   metric of the blocks, from the x given.  With a symmetric M they are the conjugate
 *   residual method; they converge for any M + R with a definite symmetric part.
 */
#ifndef PERP_SOLVERS_ADMM_SHIFTED_H
#define PERP_SOLVERS_ADMM_SHIFTED_H

#include "handle/solver_type.h"
#include "linalg/csc.h"
#include "linalg/factor/factor.h"

enum { PERP_SHIFTED_DIRECTIONS = 4 }; /* kept by the conjugate residuals */

typedef struct perp_shifted {
    perp_work *work;
    double *shift;      /* n; set by the user before factorise */
    perp_mat_kind kind; /* DELASSUS: in body unknowns; OPERATOR: none is factorised */
    perp_csc K;         /* what is factorised */
    perp_factor *factor;
    /* M + R */
    double *fixed; /* at the entries of K: M */
    int *diagonal; /* n: entry (i, i) of K */
    /* body unknowns */
    int *rowptr, *from; /* H by rows: entry number in H of each */
    int *column_of;     /* column of each entry of H, by entry number */
    double *masses;     /* blocks of the mass itself, placed as their inverses */
    double *v;          /* dofs */
    double *y;          /* n or dofs, zero between calls in the body form */
    /* conjugate residuals: n each */
    double *r, *p[PERP_SHIFTED_DIRECTIONS], *Ap[PERP_SHIFTED_DIRECTIONS];
    double size[PERP_SHIFTED_DIRECTIONS]; /* |Ap|^2 */
    long products;                        /* made since it was last set to 0 */
} perp_shifted;

/* Pattern, analysis and memory, then the numbers of M. */
perp_status perp_shifted_setup(perp_shifted *shifted, perp_work *work);
/* New numbers; PERP_ERR_STATE where the pattern is another one. */
perp_status perp_shifted_load(perp_shifted *shifted);
/* For the current shift. */
perp_status perp_shifted_factorise(perp_shifted *shifted);
/* x from b; for an operator from the x given, until the residual has fallen to a tenth in
 * the norm of diag(1 / d_k^2): that suffices where b moves less and less. */
perp_status perp_shifted_solve(double *x, perp_shifted *shifted, const double *b);
void perp_shifted_free(perp_shifted *shifted);

/* Body form and operator form, called by the functions above. */
perp_status perp_shifted_bodies_setup(perp_shifted *shifted);
perp_status perp_shifted_bodies_load(perp_shifted *shifted);
void perp_shifted_bodies_fill(perp_shifted *shifted);
void perp_shifted_bodies_solve(double *x, perp_shifted *shifted, const double *b);
perp_status perp_shifted_operator_setup(perp_shifted *shifted);
perp_status perp_shifted_operator_solve(double *x, perp_shifted *shifted, const double *b);

#endif
