/* SPDX-License-Identifier: BSD-3-Clause */
/* Affine variational inequalities over polyhedra, as problems of this library:
 *
 *     find z in C,  (M z + q).(y - z) >= 0 for all y in C,
 *     C = {z : A z >= b, lo <= z <= hi}.
 *
 * With a multiplier p_k >= 0 for each row of A that is
 *     [w; A z - b] = [M, -A'; A, 0] [z; p] + [q; -b],
 * z in its box (FREE where it has no bounds), 0 <= p perp A z - b >= 0. */
#ifndef PERP_AVI_H
#define PERP_AVI_H

#include <perp/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_avi perp_avi; /* owns the arrays of its problem */

/* M is n x n, A is m x n, each DENSE, CSC or BSR; q has n entries, b has m.  lo and hi (n
 * entries, may be infinite) are NULL where there are no bounds.  Everything is copied.
 * On error *avi is NULL; where (may be NULL) names the array. */
PERP_API perp_status perp_avi_create(perp_avi **avi, const perp_mat *M, const double *q,
                                     const perp_mat *A, const double *b, const double *lo,
                                     const double *hi, const perp_allocator *allocator,
                                     perp_where *where);
/* n + m unknowns, z first, then the multipliers.  It lives as long as the avi. */
PERP_API const perp_problem *perp_avi_problem(const perp_avi *avi);
/* New q and b in the same arrays; handles need perp_solver_update_q() with the problem's q. */
PERP_API perp_status perp_avi_update(perp_avi *avi, const double *q, const double *b);
PERP_API void perp_avi_destroy(perp_avi *avi); /* NULL is accepted */

#ifdef __cplusplus
}
#endif
#endif
