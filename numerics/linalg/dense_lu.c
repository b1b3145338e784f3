/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/dense_lu.h"

#include <lapacke.h>
#include <math.h>

enum { OWN_MAX = 32 };

static void swap_rows(double *A, int n, int i, int k)
{
    for (int j = 0; j < n; j++) {
        double keep = A[i + j * n];
        A[i + j * n] = A[k + j * n];
        A[k + j * n] = keep;
    }
}

/* Column by column, each updated by those before it where it is used first. */
static int factor_own(double *A, int *pivots, int n)
{
    for (int k = 0; k < n; k++) {
        double *own = A + k * n, largest = fabs(own[k]);
        int row = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(own[i]) > largest) {
                largest = fabs(own[i]);
                row = i;
            }
        }
        pivots[k] = row + 1;
        if (!(largest > 0.0))
            return 0;
        if (row != k)
            swap_rows(A, n, row, k);
        double inverse = 1.0 / own[k];
        for (int i = k + 1; i < n; i++)
            own[i] *= inverse;
        for (int j = k + 1; j < n; j++) {
            double *other = A + j * n, factor = other[k];
            if (factor == 0.0)
                continue;
            for (int i = k + 1; i < n; i++)
                other[i] -= factor * own[i];
        }
    }
    return 1;
}

int perp_dense_lu_factor(double *A, int *pivots, int n)
{
    if (n <= OWN_MAX)
        return factor_own(A, pivots, n);
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivots) == 0;
}

void perp_dense_lu_solve(double *x, const double *lu, const int *pivots, int n)
{
    if (n > OWN_MAX) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, lu, n, pivots, x, n);
        return;
    }
    for (int k = 0; k < n; k++) {
        double keep = x[k];
        x[k] = x[pivots[k] - 1];
        x[pivots[k] - 1] = keep;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            x[i] -= lu[i + k * n] * x[k];
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= lu[k + k * n];
        for (int i = 0; i < k; i++)
            x[i] -= lu[i + k * n] * x[k];
    }
}
