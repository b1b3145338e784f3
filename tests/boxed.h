/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiny problems of FREE, NONNEG and BOX rows as bounds, for tests of pivoting methods; a brute
 * force over the states of the rows that knows nothing else. */
#ifndef PERP_TESTS_BOXED_H
#define PERP_TESTS_BOXED_H

#include <perp/numerics.h>

#include "core/rng.h"

enum { BOXED_MAX = 10 };

typedef struct boxed {
    int n;
    double M[BOXED_MAX * BOXED_MAX], q[BOXED_MAX], lo[BOXED_MAX], hi[BOXED_MAX];
} boxed;

/* By the solver of this name; kind and certificate may be NULL. */
perp_status boxed_solve(const char *name, const boxed *b, double tol, double *z, double *w,
                        perp_info *info, perp_certificate_kind *kind, double *certificate);
/* All bounds those of NONNEG. */
void boxed_nonneg(boxed *b, int n);
/* NONNEG rows, random q, and a P matrix: the diagonal outweighs its row, then columns are scaled by
 * 10^-decades to 10^decades. */
void boxed_random_p(boxed *b, int n, double decades, perp_rng *rng);
/* Number of states with a regular system that solve; the first solution into z. */
int boxed_enumerate(const boxed *b, double *z);
/* w = M z, or M' z. */
void boxed_multiply(double *w, const boxed *b, const double *z, int transposed);
/* y >= 0 on NONNEG, M'y <= 0 (= 0 for free columns), q.y < 0. */
void boxed_check_infeasible(const boxed *b, const double *y);
/* The certificate that belongs to the status holds. */
void boxed_check_end(const boxed *b, perp_status status, perp_certificate_kind kind,
                     const double *certificate);

#endif
