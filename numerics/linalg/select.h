/* SPDX-License-Identifier: BSD-3-Clause */
/* Some rows and columns of a matrix as a matrix of its own. */
#ifndef PERP_LINALG_SELECT_H
#define PERP_LINALG_SELECT_H

#include "linalg/mat.h"

/* Which rows (and columns) of a square A are kept, in their order.  A row that stands alone is
 * kept with its diagonal entry only (of DELASSUS, what is added to the product; where an operator has no diagonal,
 * 1). */
typedef struct perp_select {
    perp_mat
        mat; /* like A, but CSC of a BSR whose blocks are not kept whole; borrows what follows */
    int rows;
    const int *source;          /* rows: row of A */
    const int *map;             /* A->rows: row here, or -1 */
    const unsigned char *alone; /* A->rows */
    int blocks;                 /* 1: BSR, in rows of blocks */
    int *colptr, *row;
    double *x;
    double *diagonal;       /* rows, of DELASSUS with one; else NULL */
    size_t capacity;        /* entries or blocks of row and x */
    perp_mat whole;         /* of an operator */
    double *input, *output; /* A->rows each, of an operator */
} perp_select;

/* Takes memory for the kept part of A and reads it.  source, map and alone are borrowed.  Only the
 * rows of BSR and columns of CSC and DELASSUS in source are looked at: a map may serve several
 * parts that A does not couple.  PERP_ERR_OVERFLOW for more entries than an int counts. */
perp_status perp_select_take(perp_select *part, const perp_mat *A, int rows, const int *source,
                             const int *map, const unsigned char *alone, perp_arena *arena);
/* New numbers of A; PERP_ERR_STATE where it has another number of entries. */
perp_status perp_select_load(perp_select *part, const perp_mat *A);

#endif
