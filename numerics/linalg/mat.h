/* SPDX-License-Identifier: BSD-3-Clause */
/* Products and block access of matrix views, beyond <perp/matrix.h>. */
#ifndef PERP_LINALG_MAT_H
#define PERP_LINALG_MAT_H

#include <stdint.h>

#include <perp/matrix.h>

#include "core/arena.h"

/* Memory for a scan: `capacity` ints, which may be 0; where they are too few, more are taken
 * through the allocator for a moment. */
typedef struct perp_check_memory {
    int *seen, capacity;
    const perp_allocator *allocator;
} perp_check_memory;

/* perp_mat_check() that needs no allocation for indices below max(64, capacity). */
perp_status perp_mat_check_with(const perp_mat *A, const perp_check_memory *with,
                                perp_where *where);

/* Square diagonal blocks: block k has rows offset[k] .. offset[k+1]-1 and goes,
 * column-major, to out + start[k].  Entries outside the pattern are 0.  For
 * OPERATOR the diagonal only.  Temporary memory through the allocator. */
perp_status perp_mat_diagonal_blocks(double *out, const perp_mat *A, const int *offset,
                                     const size_t *start, int count,
                                     const perp_allocator *allocator);

/* Which parts of its unknowns each column of a DELASSUS matrix touches: bit p of touched[j]
 * stands for the p-th of so many parts of equal size. */
enum { PERP_TOUCHED_PARTS = 32 };
void perp_mat_find_touched(uint32_t *touched, const perp_mat *A);

/* perp_mat_apply() for BSR and DELASSUS on so many threads, with the same bits; the other
 * kinds on one.  touched: of this pattern, so that a thread passes over its own columns of H; or
 * NULL, and each passes over all. */
perp_status perp_mat_apply_on(int threads, const uint32_t *touched, double *y, const perp_mat *A,
                              const double *x, double *scratch);

/* y += A(:, col .. col+dim-1) x for DENSE and CSC. */
void perp_mat_add_columns(double *y, const perp_mat *A, const double *x, int col, int dim);

/* y = A' x.  DENSE, CSC, BSR and DELASSUS (with a symmetric mass);
 * PERP_ERR_UNSUPPORTED for OPERATOR. */
perp_status perp_mat_apply_transposed(double *y, const perp_mat *A, const double *x,
                                      double *scratch);

#endif
