/* SPDX-License-Identifier: BSD-3-Clause */
/* Principal pivots on a basis of a mixed LCP that stays complementary. */
#ifndef PERP_SOLVERS_PRINCIPAL_H
#define PERP_SOLVERS_PRINCIPAL_H

#include "solvers/pivoting/lcp_basis.h"

typedef struct perp_principal {
    perp_basis *basis;
    unsigned char *keep; /* size: positions whose value must stay >= 0 (Keller) */
    double *right;       /* size: right side with shifted variables (Keller) */
    int entering;        /* of a ray */
    /* asked before each pivot; 0: stop */
    int (*go_on)(void *ctx);
    void *ctx;
} perp_principal;

typedef enum perp_principal_end {
    PERP_PRINCIPAL_DONE,   /* all values are >= 0 */
    PERP_PRINCIPAL_RAY,    /* `entering` grows without end */
    PERP_PRINCIPAL_FAILED, /* a pivot is 0, or pivots came back: not a matrix for this rule */
    PERP_PRINCIPAL_STOPPED /* by go_on */
} perp_principal_end;

/* One row at a time: the one of greatest index whose value is < 0 ([Murty1974]; finite for P), or
 * the most negative one as long as their number falls, and then that ([Bard1972] with the fallback
 * of [JudicePires1994]). */
perp_principal_end perp_principal_single(perp_principal *principal, int most_negative);
/* The symmetric method of [Keller1973] and [CottleDantzig1968] for P and PSD matrices,
 * unsymmetric ones too (Cottle, Pang, Stone 4.2): one negative value after the other is driven to 0
 * while those that are not stay so and the negative ones above a bound, by pivots on the diagonal
 * and on 2 x 2 blocks with a zero in it; ties by least index ([Chang1979]).  A ray shows a PSD
 * problem to have no solution. */
perp_principal_end perp_principal_keller(perp_principal *principal);

#endif
