/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed columns that own their arrays (in an arena), and conversions. */
#ifndef PERP_LINALG_CSC_H
#define PERP_LINALG_CSC_H

#include <perp/matrix.h>

#include "core/arena.h"

typedef struct perp_csc {
    int rows, cols;
    int *colptr; /* cols + 1 */
    int *row;    /* sorted within a column */
    double *x;
} perp_csc;

/* From nz triplets; duplicates are summed, rows sorted. */
perp_status perp_csc_from_triplets(perp_csc *C, int rows, int cols, int nz, const int *row,
                                   const int *col, const double *x, perp_arena *arena);
/* Any explicit matrix (DENSE drops exact zeros off the diagonal, CSC is sorted,
 * BSR, DELASSUS is multiplied out).  PERP_ERR_UNSUPPORTED for OPERATOR. */
perp_status perp_csc_from_mat(perp_csc *C, const perp_mat *A, perp_arena *arena);
perp_status perp_csc_transpose(perp_csc *T, const perp_csc *C, perp_arena *arena);
/* C as a matrix view, which borrows its arrays. */
perp_mat perp_csc_view(const perp_csc *C);

/* Square blocks of order `block`; a block is stored when any entry of it is.
 * Rows and columns must be multiples of block. */
perp_status perp_bsr_from_csc(perp_mat *B, const perp_csc *C, int block, perp_arena *arena);

/* Delassus product W = H' M^-1 H in blocks of order `block`. */
perp_status perp_bsr_from_delassus(perp_mat *B, const perp_mat *delassus, int block,
                                   perp_arena *arena);

/* The same dense, where the mass has small blocks alone; else PERP_ERR_UNSUPPORTED. */
perp_status perp_dense_from_delassus(perp_mat *B, const perp_mat *delassus, perp_arena *arena);

/* max |A - A'| / max |A|. */
perp_status perp_csc_asymmetry(double *asymmetry, const perp_csc *C, perp_arena *arena);

#endif
