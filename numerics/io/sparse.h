/* SPDX-License-Identifier: BSD-3-Clause */
/* Triplets, the form in which every file's matrix is first held, and what is
 * made from them.  NULL or 0 from these functions means that memory is out,
 * PERP_ERR_OVERFLOW that the entries exceed the range of int. */
#ifndef PERP_IO_SPARSE_H
#define PERP_IO_SPARSE_H

#include <perp/matrix.h>

#include "io/heap.h"

typedef struct perp_triplets {
    int rows, cols, count;
    int *row, *col;
    double *x;
} perp_triplets;

/* Memory for `count` entries, uninitialised. */
perp_status perp_triplets_take(perp_triplets *T, int rows, int cols, int count, perp_heap *heap);

/* Compressed columns in `keep`, rows sorted, entries of the same place summed
 * in their order.  `work` is for temporary memory and may be another heap. */
perp_status perp_triplets_to_csc(perp_mat *A, const perp_triplets *T, perp_heap *keep,
                                 perp_heap *work);
/* The same where T's arrays row and x live in `keep`: they become the matrix
 * when the entries are in its order already. */
perp_status perp_triplets_adopt(perp_mat *A, const perp_triplets *T, perp_heap *keep,
                                perp_heap *work);
/* Square blocks; a block is stored when any entry of it is.  Sizes must be
 * equal and multiples of `block`. */
perp_status perp_triplets_to_bsr(perp_mat *A, const perp_triplets *T, int block, perp_heap *keep,
                                 perp_heap *work);
/* The same from CSC, whose rows may be in any order, and from compressed rows,
 * given as the CSC of the transposed. */
perp_status perp_csc_to_blocks(perp_mat *A, const perp_mat *C, int block, perp_heap *keep,
                               perp_heap *work);
perp_status perp_rows_to_blocks(perp_mat *A, const perp_mat *rows, int block, perp_heap *keep,
                                perp_heap *work);

/* Entries of a DENSE (those that are not 0), CSC or BSR matrix (all stored
 * ones), column by column (BSR: block row by block row).  PERP_ERR_UNSUPPORTED
 * for other kinds. */
perp_status perp_triplets_from_mat(perp_triplets *T, const perp_mat *A, perp_heap *heap);

/* 1 when entries other than 0 lie on one side of the diagonal only. */
int perp_triplets_one_triangle(const perp_triplets *T);
/* Adds the transposed of every entry off the diagonal. */
perp_status perp_triplets_mirror(perp_triplets *T, perp_heap *heap);
/* Exchanges rows and columns in place. */
void perp_triplets_transpose(perp_triplets *T);

/* CSC in `keep` from blocks [A B], columns side by side; B may be NULL. */
perp_status perp_csc_join_columns(perp_mat *C, const perp_mat *A, const perp_mat *B,
                                  perp_heap *keep);

#endif
