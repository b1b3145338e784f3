/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about an explicit matrix, from its entries. */
#ifndef PERP_CLI_MATRIX_ENTRIES_H
#define PERP_CLI_MATRIX_ENTRIES_H

#include <stddef.h>

#include <perp/matrix.h>

/* Rows of A as lists: columns ascending, and the same of the transpose. */
typedef struct perp_rows {
    int n;
    size_t *start; /* n + 1 */
    int *index;
    double *x;
} perp_rows;

typedef struct perp_entries {
    int n;
    size_t stored, nonzero; /* entries in the file's structure; those that are not 0 */
    double largest;         /* max |a_ij| */
    double asymmetry;       /* max |A - A'| / max |A| */
    double diagonal_low, diagonal_high;
    perp_rows by_row, by_column;
} perp_entries;

/* Square DENSE, CSC or BSR.  0: no memory or another kind.  Free with
 * perp_entries_free() in either case. */
int perp_entries_collect(perp_entries *entries, const perp_mat *A);
void perp_entries_free(perp_entries *entries);

/* y = A x, by rows (transposed 0) or y = A' x (transposed 1). */
void perp_entries_apply(double *y, const perp_entries *entries, const double *x, int transposed);

/* Stored entries of any explicit matrix. */
size_t perp_entries_count(const perp_mat *A);

#endif
