/* SPDX-License-Identifier: BSD-3-Clause */
/* The random boxed problems of bench/boxed_engines, the same in every program of the race:
 *     w = M z + q,   lo <= z <= hi,   w >= 0 at lo, w <= 0 at hi, w = 0 between. */
#ifndef PERP_GENERATORS_BOXED_PROBLEM_H
#define PERP_GENERATORS_BOXED_PROBLEM_H

#ifdef __cplusplus
extern "C" {
#endif

/* M = D G G' D / n with a normal G of n rows, half of the bounds active at the solution that
 * was planted.
 *     pd   2 n columns: condition about 30
 *     psd  3 n / 4: rank-deficient, the free block at the solution regular as a rule
 *     low  n / 3: the free block is singular, as with redundant contacts
 *     ill  pd with D from 10^-1.5 to 10^1.5 (else D = 1) */
extern const char *const boxed_families[]; /* NULL at the end */
extern const int boxed_sizes[];            /* 0 at the end */

typedef struct boxed_problem {
    int n;
    double *M, *q, *lo, *hi; /* n x n symmetric; n each; one block of memory at M */
} boxed_problem;

/* -1: no such family, or no memory. */
int boxed_make(boxed_problem *p, const char *family, int n, int seed);
void boxed_free(boxed_problem *p);
/* |z - clip(z - w)| / max(1, |q|), infinite where it is not a number. */
double boxed_error(const boxed_problem *p, const double *z);

#ifdef __cplusplus
}
#endif
#endif
