/* SPDX-License-Identifier: BSD-3-Clause */
/* What the equality rows of a problem (FREE, and BOX without bounds) say of each other: rows that
 * follow from others, rows that contradict them, unknowns that no row has. */
#ifndef PERP_EQUALITIES_H
#define PERP_EQUALITIES_H

#include <perp/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Its sizeof is the same in every release. */
typedef struct perp_equalities {
    int rows;          /* equality rows */
    int rank;          /* of them, over all columns */
    int redundant;     /* dependent rows that hold wherever the others do */
    int contradictory; /* dependent rows that hold nowhere then: there is no solution */
    int zero_columns;  /* unknowns of equality rows with an empty column: they stay what they are,
                          as those that make a rectangular problem square */
    int reserved[11];  /* 0 */
} perp_equalities;

/* Gaussian elimination with complete pivoting of the equality rows, scaled; rank to 1e-11.
 * kind (n entries, may be NULL): 1 redundant, 2 contradictory, 4 zero column, an or of them.
 * y (n entries, may be NULL) is written where contradictory > 0: the certificate of one such
 * row (PERP_CERTIFICATE_INFEASIBLE).
 * It costs rows^2 n operations and rows (rows + n) doubles through `allocator`:
 * PERP_ERR_OVERFLOW above 4e9 operations, PERP_ERR_UNSUPPORTED for an OPERATOR.  The problem
 * is one that perp_problem_check() accepts. */
PERP_API perp_status perp_equalities_find(const perp_problem *problem,
                                          const perp_allocator *allocator, perp_equalities *found,
                                          unsigned char *kind, double *y);

#ifdef __cplusplus
}
#endif
#endif
