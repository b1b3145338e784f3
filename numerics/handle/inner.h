/* SPDX-License-Identifier: BSD-3-Clause */
/* One solver run inside another on the same problem: it shares the blocks, scales, vectors and
 * best iterate of the outer one, and has settings and memory of its own. */
#ifndef PERP_HANDLE_INNER_H
#define PERP_HANDLE_INNER_H

#include "handle/solver_type.h"

typedef struct perp_inner {
    const perp_solver_type *type;
    perp_settings
        settings; /* those of the outer one where the user of this struct changes nothing */
    perp_arena arena;
    perp_work work;
    perp_info info; /* of the last run */
    enum { PERP_INNER_EMPTY, PERP_INNER_READY, PERP_INNER_STALE } state;
} perp_inner;

/* No memory is taken yet. */
void perp_inner_init(perp_inner *inner, const perp_solver_type *type, const perp_work *outer);
/* The numbers of the problem are new. */
void perp_inner_outdate(perp_inner *inner);
/* Set-up, or update of an outdated one; nothing where it is ready. */
perp_status perp_inner_prepare(perp_inner *inner, const perp_work *outer);
/* From outer->z, or from where the solver starts where settings.warm_start is 0, in at most
 * max_iter iterations (0: its own limit).  Afterwards outer->z is its last or best iterate and the
 * monitor of the outer one knows the best error of all.  `watch` (may be NULL) as in perp_monitor.
 * Counts go to outer->info. */
perp_status perp_inner_solve(perp_inner *inner, perp_work *outer, int max_iter,
                             int (*watch)(void *ctx, int iteration, double error), void *ctx);
void perp_inner_release(perp_inner *inner);

#endif
