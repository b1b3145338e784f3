/* SPDX-License-Identifier: BSD-3-Clause */
/* The basis with which pivoting begins: y, and where there are FREE rows their x. */
#ifndef PERP_SOLVERS_FREE_ROWS_H
#define PERP_SOLVERS_FREE_ROWS_H

#include "solvers/pivoting/lcp_tableau.h"

typedef struct perp_free_rows {
    const perp_lcp *lcp;
    int count;            /* FREE rows */
    int *row;             /* count */
    double *block;        /* count x count */
    perp_tableau tableau; /* where the block is singular */
    int *basic;           /* size: variable of a position of the basis */
    unsigned char *open;  /* size: 1 at those of free variables, or where a row could not be met */
    double *multipliers;  /* size: see perp_free_rows_start */
} perp_free_rows;

typedef enum perp_free_end {
    PERP_FREE_DONE,        /* basic and open are set */
    PERP_FREE_CONTRADICTED /* so they are, and multipliers combine rows to 0 = c, c < 0 */
} perp_free_end;

/* Bytes that perp_free_rows_take() takes, rounding of the arena included. */
size_t perp_free_rows_bytes(size_t size, size_t count);
perp_status perp_free_rows_take(perp_free_rows *rows, const perp_lcp *lcp, perp_arena *arena);
/* The block of the free variables is factored with complete pivoting; where it is singular they are
 * exchanged one by one, through pairs where that is needed (lcp_tableau.h).  `go_on` is asked
 * between; 0: then *stopped is set.  *left: rows that no exchange reached. */
perp_free_end perp_free_rows_start(perp_free_rows *rows, int (*go_on)(void *ctx), void *ctx,
                                   int *stopped, int *left);

#endif
