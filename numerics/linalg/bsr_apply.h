/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with compressed rows of square blocks, one loop per block order. */
#ifndef PERP_LINALG_BSR_APPLY_H
#define PERP_LINALG_BSR_APPLY_H

#include <perp/matrix.h>

/* y = A x and y = A' x.  No scratch. */
void perp_bsr_apply(double *y, const perp_mat *A, const double *x);
/* Block rows from .. to - 1 of y = A x. */
void perp_bsr_apply_rows(double *y, const perp_mat *A, const double *x, int from, int to);
void perp_bsr_apply_transposed(double *y, const perp_mat *A, const double *x);

#endif
