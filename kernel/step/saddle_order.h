/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of elimination for systems tied by joints: minimum degree on blocks, with joints after
 * what makes their pivots regular.
 *
 * A joint eliminated first would have the pivot 0.  Taken after one of its systems it has the pivot
 * -G A^-1 G' of that system alone, which is regular as long as the joints and systems eliminated so
 * far form trees that hang on at most one system still to come: each connected part of them
 * may have no more joints than systems.  A joint that closes a loop waits until no system that it
 * is connected with is to come; then its pivot is 0 only where its rows are redundant. */
#ifndef PERP_KERNEL_SADDLE_ORDER_H
#define PERP_KERNEL_SADDLE_ORDER_H

#include "kernel/systems/pool.h"

typedef struct perp_saddle_graph {
    int nodes;
    int *ptr, *adjacent;       /* nodes + 1; both directions; overwritten */
    const int *weight;         /* scalar unknowns of each node */
    const int *system;         /* of each node, -1 for a joint */
    const unsigned char *late; /* joints: 1 wait until no system is to come */
    int *pending;              /* of each system: its nodes; overwritten */
    const int *capacity;       /* of each system: joints that it can carry, 0 or 1 */
    const int *part;           /* parts + 1: nodes of each connected part are consecutive */
    int parts;
} perp_saddle_graph;

typedef struct perp_saddle_order {
    int *order;          /* node at each place */
    int *place;          /* of each node */
    int *column_ptr;     /* by place: places below the diagonal block, ascending */
    int *column;         /* grows with the pool */
    int *row_ptr, *row;  /* by place: entries of `column` that lie in that row, by column */
    int *row_column;     /* place of the column of each of these */
    unsigned char *last; /* by place: no system connected with it was to come */
    int capacity_column, capacity_row, capacity_row_column;
    /* Work: nodes entries each. */
    int *length, *elements, *mark, *slack, *waiting, *heap, *heap_at;
    long *key;
    unsigned char *state;
    int heap_size, stamp;
} perp_saddle_order;

/* All arrays but the growing three are of the caller: row_ptr and column_ptr nodes + 1, the others
 * nodes.  0 when memory is out. */
int perp_saddle_order_make(perp_saddle_order *order, const perp_saddle_graph *graph,
                           perp_pool *pool);

#endif
