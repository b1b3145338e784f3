/* SPDX-License-Identifier: BSD-3-Clause */
/* One solver run inside another on the same problem: it shares the blocks, scales, vectors and
 * best iterate of the outer one, and has settings and memory of its own. */
#ifndef PERP_HANDLE_NESTED_H
#define PERP_HANDLE_NESTED_H

#include "handle/solver_type.h"

typedef struct perp_nested {
    const perp_solver_type *type;
    perp_settings
        settings; /* those of the outer one where the user of this struct changes nothing */
    perp_arena arena;
    perp_work work;
    double spent;   /* counted work of the last run, in sweeps over the problem */
    perp_info info; /* of the last run */
    enum { PERP_NESTED_EMPTY, PERP_NESTED_READY, PERP_NESTED_STALE } state;
} perp_nested;

/* Takes a little memory from the arena of the outer one.  0: there is none. */
int perp_nested_init(perp_nested *nested, const perp_solver_type *type, const perp_work *outer);
/* The numbers of the problem are new. */
void perp_nested_outdate(perp_nested *nested);
/* Only q is new. */
void perp_nested_new_q(perp_nested *nested, const perp_work *outer);
/* Set-up, or update of an outdated one; nothing where it is ready. */
perp_status perp_nested_prepare(perp_nested *nested, const perp_work *outer);
/* From outer->z, or from where the solver starts where settings.warm_start is 0, in at most
 * max_iter iterations (0: its own limit).  Afterwards outer->z is its last or best iterate and the
 * monitor of the outer one knows the best error of all.  `watch` (may be NULL) as in perp_monitor.
 * Counts go to outer->info. */
perp_status perp_nested_solve(perp_nested *nested, perp_work *outer, int max_iter,
                              int (*watch)(void *ctx, int iteration, double error), void *ctx);
void perp_nested_release(perp_nested *nested);

#endif
