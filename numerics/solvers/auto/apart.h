/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands that resist the sweeps over the whole problem, each solved as a problem of its own by
 * `auto`: what one of them needs is not done to all, and a factorisation is that of one island. */
#ifndef PERP_SOLVERS_AUTO_APART_H
#define PERP_SOLVERS_AUTO_APART_H

#include "handle/solver_type.h"
#include "problem/islands.h"
#include "solvers/auto/part.h"

enum { PERP_APART_BLOCKS = 30 };

typedef struct perp_apart {
    perp_arena arena, part; /* of the partition; of the current island */
    perp_solver *solver;    /* one handle for all islands, after the first */
    perp_islands islands;
    int *start;          /* first row of each island in `rows`, and their number */
    int *rows;           /* row of the problem, island by island */
    perp_part_maps maps; /* the other way, inside an island */
    int *open;           /* islands that are to be solved, `opened` of them */
    double *limit;       /* tol of each island, relative to its own numbers */
    double *certificate; /* n: that of an island without a solution, 0 elsewhere */
    int opened, solved;  /* of the last run */
    int iterations;      /* the most of any island, as if all of them went on at once */
    int factorisations;  /* of all */
    double work;         /* counted, in sweeps over the whole */
} perp_apart;

void perp_apart_init(perp_apart *apart, const perp_allocator *allocator);
void perp_apart_release(perp_apart *apart);
size_t perp_apart_bytes(const perp_apart *apart);

/* 1 where no island has more than half of all rows.  0 for fewer than PERP_APART_BLOCKS blocks,
 * which are not looked at: a handful of sweeps costs less than a second set-up. */
int perp_apart_possible(const perp_work *work);

/* Looks for islands that are not within their share of tol at work->z, whose w was measured.
 * PERP_SOLVED where they are worth solving apart: there are two islands at least and no open one
 * has more than half of all rows; PERP_ERR_UNSUPPORTED where not. */
perp_status perp_apart_find(perp_apart *apart, perp_work *work);
/* Solves the open ones from work->z into work->z, in at most max_iter iterations each.
 * PERP_SOLVED: all of them arrived. PERP_STALLED: some did not, be it for want of memory.
 * PERP_INFEASIBLE(_WITHIN): one of them has no solution, and the certificate of work says so.
 * PERP_TIME_LIMIT, PERP_INTERRUPTED: ended between, and what was solved before is kept. */
perp_status perp_apart_solve(perp_apart *apart, perp_work *work, int max_iter);

#endif
