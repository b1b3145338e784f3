/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs that a problem has no solution, and rays of pivoting methods: what a
 * solver hands out, and a check that shares no code with any solver. */
#ifndef PERP_CERTIFICATE_H
#define PERP_CERTIFICATE_H

#include <perp/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Proof of PERP_RAY, PERP_INFEASIBLE and PERP_INFEASIBLE_WITHIN.
 *
 * INFEASIBLE: y.w >= 0 for every w that a solution may have, and
 *     sup over z in K of (M'y).z + q.y < 0,
 * so that no z in K has such a w = M z + q.  Row by row, with c = M'y:
 *     NONNEG           y >= 0                 c <= 0
 *     FREE             y of any sign          c = 0
 *     BOX [lo, hi]     y = 0                  adds max(lo c, hi c)
 *     BOX [lo, inf)    y >= 0                 c <= 0, adds lo c
 *     BOX (-inf, hi]   y <= 0                 c >= 0, adds hi c
 *     COULOMB          y_N >= 0, y_T = 0      c_N + mu |c_T| <= 0
 *     ROLLING          y_N >= 0, others 0     c_N + mu |c_T| + mu_r |c_R| + mu_s |c_S| <= 0
 *     TRESCA           y_N >= 0, y_T = 0      c_N <= 0, adds r |c_T|
 *     SOC              y in K                 c_N + mu |c_T| <= 0
 * (BOX without bounds as FREE.)
 *
 * RAY: a secondary ray, y != 0 in the recession cone of K with y_i (M y)_i <= 0
 * in each row but FREE ones, as it is for a positive covering vector (where a pivoting method
 * had to bring pairs into the basis with the FREE rows, its covering vector may have other
 * signs, and a ray of it need not hold).  It proves nothing for a general matrix. */
typedef enum perp_certificate_kind {
    PERP_CERTIFICATE_NONE,
    PERP_CERTIFICATE_RAY,
    PERP_CERTIFICATE_INFEASIBLE,
    PERP_CERTIFICATE_EXHAUSTED /* infeasible: every complementary choice was refuted; no vector */
} perp_certificate_kind;

/* What was found.  INFEASIBLE: holds and reach are theorems about the numbers of the problem as
 * they are stored, which exact arithmetic cannot contradict: y is first given the signs above to
 * the last bit, every sum carries a bound of its rounding, and all else is rounded away from the
 * claim (docs/theory.md).  The other figures tell how near to a proof y is; each is relative to
 * the size of the terms it sums. */
typedef struct perp_certificate_figures {
    size_t size;   /* set by the caller */
    int holds;     /* INFEASIBLE: 1 no solution exists, which is that reach is infinite;
                      RAY: 1 all figures are within the rounding that is let pass */
    double sign;   /* distance of y from the signs above, over max |y|; <= 1e-12 */
    double column; /* INFEASIBLE: what a c may break of its condition, over the sum of |M_ij y_i|;
                      RAY: what (M y)_i does; the largest; <= 1e-10 for a RAY that holds */
    double value;  /* INFEASIBLE: the supremum with such breaches counted as 0, over the sum of the
                      absolute values of its terms.  RAY: 0 */
    double reach;  /* INFEASIBLE: no solution has all |z_i| below this.  Infinite: there is none;
                      0: nothing is shown */
    int row;       /* the worst one, -1 where none breaks anything */
} perp_certificate_figures;

/* Checks y (n entries; none are read for EXHAUSTED, of which there is nothing to check: holds is 1
 * and reach 0, the solver's is in its info; and NONE, which never holds).  DELASSUS: M is H' B H
 * with the inverse B that the mass holds, of components of more than 12 unknowns that of its
 * factors.  RAY: sets of one row only, others are PERP_ERR_UNSUPPORTED, and so is an OPERATOR.  PERP_ERR_NONFINITE: y holds a NaN or an infinity.  The problem is one that
 * perp_problem_check() accepts.  Temporary memory through `allocator`.  figures->size must be set.
 */
PERP_API perp_status perp_certificate_check(const perp_problem *problem, perp_certificate_kind kind,
                                            const double *y, const perp_allocator *allocator,
                                            perp_certificate_figures *figures);

#ifdef __cplusplus
}
#endif
#endif
