/* SPDX-License-Identifier: BSD-3-Clause */
/* The one problem that Perp solves:
 *
 *     w = M z + q,    -(w + s(w)) in N_K(z),    K = K_1 x ... x K_m.
 *
 * Linear and mixed complementarity, relays, boxed problems, two- and
 * three-dimensional Coulomb friction, and any mix of them, are lists of
 * segments of this one struct.  Units are the caller's; z and w must be dual
 * (impulse and velocity, for example).
 */
#ifndef PERP_PROBLEM_H
#define PERP_PROBLEM_H

#include <perp/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum perp_set {
    PERP_FREE,    /* 1 row   w = 0                                                        */
    PERP_NONNEG,  /* 1 row   0 <= z  perp  w >= 0                                         */
    PERP_BOX,     /* 1 row   lo <= z <= hi, bounds may be infinite; par = {lo, hi}        */
    PERP_TRESCA,  /* 2 or 3  z_N >= 0, |z_T| <= r; par = {r}                              */
    PERP_COULOMB, /* 2 or 3  |z_T| <= mu z_N, s(w) = mu |w_T| e_N; par = {mu}             */
    PERP_SOC,     /* 2..32767 |z_T| <= mu z_N, s = 0 (convex); par = {mu}                 */
    PERP_ROLLING, /* 3 to 6  |z_T| <= mu z_N, |z_R| <= mu_r z_N, rows N, T, R (the plane), N, T1, T2, R
                             (torsion, about the normal) or N, T1, T2, R1, R2 (rolling, about the
                             tangents), s(w) = (mu |w_T| + mu_r |w_R|) e_N; par = {mu, mu_r}; z_R is
                             a moment, w_R an angular velocity, mu_r a length.  Six rows, both
                             torsion and rolling: N, T1, T2, S (about the normal), R1, R2 with
                             |z_S| <= mu_s z_N too, s(w) = (mu |w_T| + mu_r |w_R| + mu_s |w_S|) e_N;
                             par = {mu, mu_r, mu_s} */
    PERP_SET_COUNT
} perp_set;

/* "FREE", "NONNEG", ...  NULL outside the range. */
PERP_API const char *perp_set_name(perp_set set);
/* No set has more parameters. */
enum { PERP_PARAMETERS = 3 };

/* How many parameters are read of blocks of a set with so many rows: 0 to 3. */
PERP_API int perp_set_parameters(perp_set set, int dim);
/* "mu", "lo", "hi", "r", "mu_r", "mu_s": name of parameter p of a set, NULL where it has none. */
PERP_API const char *perp_set_parameter(perp_set set, int p);

/* `count` blocks of the same set and dimension, consecutive rows.  The normal
 * row comes first in a block.  Parameter p of block k is par[p][k*stride[p]];
 * stride 0 is one value for all. */
typedef struct perp_segment {
    perp_set set;
    int dim, count;
    const double *par[PERP_PARAMETERS];
    int stride[PERP_PARAMETERS];
} perp_segment;

/* Borrows everything.  Rows of all segments together = M.rows = M.cols. */
typedef struct perp_problem {
    perp_mat M;
    const double *q;
    const perp_segment *seg;
    int nseg;
} perp_problem;

/* Scans the whole problem once: sizes, indices, parameters (mu, mu_r, mu_s, r >= 0,
 * lo <= hi, no NaN), finite values.  where may be NULL. */
PERP_API perp_status perp_problem_check(const perp_problem *problem,
                                        const perp_allocator *allocator, perp_where *where);

/* How far z is from solving the problem; w = M z + q is recomputed.
 *   natural  | z - P_K(z - (w + s)) |             / max(|q|, |z|, |w|)
 *   scaled   | d (z - P_K(z - (w + s) / d^2)) |   / max(|q/d|, |d z|, |w/d|)
 *   primal   | z - P_K(z) |  / |z|;   dual   dist(w + s, K*) / |q|
 *   gap      sum of |z.(w + s)| over the blocks, for sets with bounds measured
 *            from the bound that is active, / (|z| max(|q|, |w|))
 * with one d_i = sqrt(|M_ii|_2) per block (docs/theory.md).  For ROLLING the scaled
 * measure first makes (z_R, w_R, mu_r) to (z_R / l, l w_R, mu_r / l) with
 * l^2 = |M_TT| / |M_RR| (1 where one of them is 0), so that it knows no unit; six rows: S with R.
 * Where a denominator is 0 the value is absolute.
 * scaled is NaN where M has no diagonal (an operator without one). */
typedef struct perp_residuals {
    size_t size; /* set by the caller; sizeof(perp_residuals) is the same in every release */
    double natural, scaled, primal, dual, gap;
    double reserved[10]; /* 0 */
} perp_residuals;

/* Residuals of z (n entries).  Where rounding of M z + q could change the natural or the scaled one by
 * more than 1e-12, the product is made again in sums of twice the digits.  Allocates temporarily through `allocator` (NULL: malloc).  w (n
 * entries, may be NULL) receives M z + q.  residuals->size must be set. */
PERP_API perp_status perp_residual(const perp_problem *problem, const double *z,
                                   const perp_allocator *allocator, double *w,
                                   perp_residuals *residuals);

#ifdef __cplusplus
}
#endif
#endif
