/* SPDX-License-Identifier: BSD-3-Clause */
/* Small problems of FREE, NONNEG and BOX rows, and their truth by trying every case. */
#ifndef PERP_TESTS_SMALL_BOXED_H
#define PERP_TESTS_SMALL_BOXED_H

#include <perp/numerics.h>

#include "core/rng.h"

enum { SMALL_BOXED = 12 };

typedef struct small_boxed {
    int n;
    double M[SMALL_BOXED * SMALL_BOXED], q[SMALL_BOXED], lo[SMALL_BOXED], hi[SMALL_BOXED];
    perp_segment seg[SMALL_BOXED];
    perp_problem problem;
} small_boxed;

/* kind 0: FREE, 1: NONNEG, 2: BOX. */
void small_boxed_row(small_boxed *p, int i, int kind, double lo, double hi);
/* Sets the problem, once n, M (n x n), q and the rows are there. */
void small_boxed_finish(small_boxed *p);
/* Small whole numbers, so that degenerate and singular cases abound; boxes 0: none. */
void small_boxed_random(small_boxed *p, int n, int boxes, perp_rng *rng);
/* 1: some case solves; 0: none does; -1: none of the regular ones, and some are singular. */
int small_boxed_enumerate(const small_boxed *p);

#endif
