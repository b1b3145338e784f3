/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a block before its right-hand side: |A|_2 and the inverse. */
#include <float.h>
#include <string.h>

#include "linalg/small.h"
#include "local/slip.h"

/* Rotates columns i and j of B and V until those of B are orthogonal.  1: was already. */
static int rotate(double *B, double *V, int i, int j, int n)
{
    double *bi = B + i * n, *bj = B + j * n, *vi = V + i * n, *vj = V + j * n;
    double aa = 0.0, bb = 0.0, ab = 0.0;
    for (int k = 0; k < n; k++) {
        aa += bi[k] * bi[k];
        bb += bj[k] * bj[k];
        ab += bi[k] * bj[k];
    }
    if (fabs(ab) <= 0.5 * DBL_EPSILON * sqrt(aa) * sqrt(bb))
        return 1;
    const double zeta = (bb - aa) / (2.0 * ab);
    const double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    for (int k = 0; k < n; k++) {
        const double p = bi[k], q = vi[k];
        bi[k] = c * p - s * bj[k];
        bj[k] = s * p + c * bj[k];
        vi[k] = c * q - s * vj[k];
        vj[k] = s * q + c * vj[k];
    }
    return 0;
}

static void swap_columns(double *X, int i, int j, int n)
{
    for (int k = 0; k < n; k++) {
        const double t = X[i * n + k];
        X[i * n + k] = X[j * n + k];
        X[j * n + k] = t;
    }
}

void perp_local_svd(double *U, double *sigma, double *V, const double *A, int n)
{
    double scale = 0.0;
    for (int k = 0; k < n * n; k++) {
        scale = fmax(scale, fabs(A[k]));
        V[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < n * n; k++)
        U[k] = scale > 0.0 ? A[k] / scale : 0.0;
    for (int sweep = 0, still = 0; sweep < 30 && !still; sweep++) {
        still = 1;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                still &= rotate(U, V, i, j, n);
    }
    for (int j = 0; j < n; j++) {
        double square = 0.0;
        for (int k = 0; k < n; k++)
            square += U[j * n + k] * U[j * n + k];
        sigma[j] = sqrt(square);
        for (int k = 0; k < n && sigma[j] > 0.0; k++)
            U[j * n + k] /= sigma[j];
        sigma[j] *= scale;
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (sigma[j] > sigma[i]) {
                const double t = sigma[i];
                sigma[i] = sigma[j];
                sigma[j] = t;
                swap_columns(U, i, j, n);
                swap_columns(V, i, j, n);
            }
}

/* Inverse by cofactors.  Returns det A. */
static double cofactors(double inv[9], const double A[9])
{
    const double c0 = A[4] * A[8] - A[7] * A[5], c1 = A[7] * A[2] - A[1] * A[8];
    const double c2 = A[1] * A[5] - A[4] * A[2];
    const double det = A[0] * c0 + A[3] * c1 + A[6] * c2;
    const double s = 1.0 / det;
    inv[0] = s * c0;
    inv[1] = s * c1;
    inv[2] = s * c2;
    inv[3] = s * (A[6] * A[5] - A[3] * A[8]);
    inv[4] = s * (A[0] * A[8] - A[6] * A[2]);
    inv[5] = s * (A[3] * A[2] - A[0] * A[5]);
    inv[6] = s * (A[3] * A[7] - A[6] * A[4]);
    inv[7] = s * (A[6] * A[1] - A[0] * A[7]);
    inv[8] = s * (A[0] * A[4] - A[3] * A[1]);
    return det;
}

/* Inverse, or the pseudo-inverse without the negligible singular values. */
static void by_singular_values(perp_local_prep *prep, const double *A, int n)
{
    double U[9], sigma[3], V[9];
    perp_local_svd(U, sigma, V, A, n);
    prep->norm = sigma[0];
    prep->invertible = sigma[n - 1] > 1e-14 * sigma[0];
    memset(prep->inverse, 0, sizeof prep->inverse);
    for (int k = 0; k < n && sigma[k] > 1e-14 * sigma[0]; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                prep->inverse[j * n + i] += V[k * n + i] * (U[k * n + j] / sigma[k]);
}

void perp_local_prepare_given(perp_local_prep *prep, const double A[9], double norm)
{
    const double det = cofactors(prep->inverse, A);
    prep->norm = norm;
    prep->invertible = 1;
    /* Only then are the cofactors accurate, and det is not all rounding. */
    if (!(fabs(det) > 1e-5 * (norm * norm * norm)))
        by_singular_values(prep, A, 3);
}

void perp_local_prepare(perp_local_prep *prep, const double *A, int dim)
{
    if (dim > 3) {
        /* |A|_2^2 <= |A|_1 |A|_inf: a bound is enough here. */
        double columns = 0.0, rows = 0.0;
        for (int i = 0; i < dim; i++) {
            double row = 0.0, column = 0.0;
            for (int j = 0; j < dim; j++) {
                row += fabs(A[(size_t)j * (size_t)dim + (size_t)i]);
                column += fabs(A[(size_t)i * (size_t)dim + (size_t)j]);
            }
            rows = fmax(rows, row);
            columns = fmax(columns, column);
        }
        *prep = (perp_local_prep){.norm = sqrt(rows) * sqrt(columns)};
        return;
    }
    if (dim == 1 && A[0] != 0.0) {
        *prep = (perp_local_prep){.norm = fabs(A[0]), .invertible = 1};
        prep->inverse[0] = 1.0 / A[0];
        return;
    }
    if (dim == 3)
        perp_local_prepare_given(prep, A, perp_small_norm2(A, 3));
    else
        by_singular_values(prep, A, dim);
}
