/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain of points with a tree of boxes around its segments. */
#ifndef PERP_KERNEL_NORMS_CHAIN_H
#define PERP_KERNEL_NORMS_CHAIN_H

#include <perp/norms.h>

#include "kernel/systems/pool.h"

typedef struct perp_chain {
    int n;        /* entries of x */
    size_t width; /* 1 + n */
    perp_vector_norm norm;
    size_t points, segments; /* a single point is one segment of length 0 */
    double *p;               /* points rows (t, x), scaled */
    size_t leaves;           /* a power of 2 */
    double *box;             /* node k: width lowest, then width highest values; its
                                children are 2 k + 1 and 2 k + 2 */
} perp_chain;

/* Copies scale * graph, which was checked, and makes the tree where asked.  0: memory is out. */
int perp_chain_make(perp_chain *chain, perp_pool *pool, const perp_graph *graph, double scale,
                    int n, perp_vector_norm norm, int tree);

double perp_chain_distance_to(const perp_chain *chain, const double *point, size_t segment);
/* The segment nearest to the point, by the tree; `hint`: one that may be near. */
size_t perp_chain_nearest(const perp_chain *chain, double *distance, const double *point,
                          size_t hint);

#endif
