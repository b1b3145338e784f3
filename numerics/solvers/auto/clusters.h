/* SPDX-License-Identifier: BSD-3-Clause */
/* Friction lets iterations circle, or creep into a corner, near a few contacts while the rest has
 * long converged.  Where sweeps leave that, the contacts with the largest residuals and those some
 * steps around them are solved as a problem of their own, with the rest held still, by `auto`,
 * which may go to quite another answer there; sweeps over the whole then take up what has changed.
 */
#ifndef PERP_SOLVERS_AUTO_CLUSTERS_H
#define PERP_SOLVERS_AUTO_CLUSTERS_H

#include "handle/solver_type.h"
#include "solvers/auto/part.h"

/* `auto` without clusters. */
extern const perp_solver_type perp_solver_auto_whole;

typedef struct perp_clusters {
    perp_arena arena;
    perp_solver *solver; /* one handle for all, after the first */
    perp_part_maps maps;
    int *of_row;       /* n: its block */
    int *block, *row;  /* of the cluster */
    unsigned char *in; /* blocks: distance + 1 from the worst, 0 outside */
    unsigned char *on; /* freedoms of a DELASSUS matrix that the cluster moves */
    double *square;    /* blocks, in each measure: of its residual */
} perp_clusters;

void perp_clusters_init(perp_clusters *clusters, const perp_allocator *allocator);
void perp_clusters_release(perp_clusters *clusters);
size_t perp_clusters_bytes(const perp_clusters *clusters);

/* 1: for problems of this kind and size. */
int perp_clusters_possible(const perp_work *work);

/* The z of one cluster, of contacts up to `around` steps from the worst ones, from work->z, whose w
 * was measured, into work->z; its iterations, `left` at most, and work are added to those of work.
 * PERP_INTERRUPTED: by the callback.  PERP_ERR_UNSUPPORTED: it would be most of the whole, or the
 * residual lies elsewhere.  Other errors: z is as it was. */
perp_status perp_clusters_solve(perp_clusters *clusters, perp_work *work, int around, int left);

#endif
