/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of the matrices of a saddle system. */
#include <math.h>
#include <string.h>

#include "kernel/step/saddle.h"
#include "numerics/core/clones.h"

static void copy_system(perp_saddle *saddle, int k)
{
    const perp_iteration *W = &saddle->systems[k]->W;
    double *A = saddle->numbers + saddle->A_at[k], *scale = saddle->scale + saddle->system_at[k];
    int n = W->n;
    if (!perp_saddle_is_block(saddle, k)) {
        memcpy(A, W->a, sizeof *A * (size_t)perp_iteration_entries(W));
        for (int c = 0; c < n; c++) {
            scale[c] = W->kind == PERP_ITERATION_DIAGONAL ? fabs(W->a[c]) : 0.0;
            for (int i = W->colptr ? W->colptr[c] : 0; W->colptr && i < W->colptr[c + 1]; i++)
                if (W->row[i] == c)
                    scale[c] = fabs(W->a[i]);
        }
    } else if (W->kind == PERP_ITERATION_DENSE) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < j; i++)
                A[i + j * n] = A[j + i * n] = 0.5 * (W->a[i + j * n] + W->a[j + i * n]);
            A[j + j * n] = W->a[j + j * n];
            scale[j] = fabs(A[j + j * n]);
        }
    } else {
        memset(A, 0, sizeof *A * (size_t)n * (size_t)n);
        for (int i = 0; i < n; i++) {
            /* One entry, sparse or diagonal, where order 1 is stored so. */
            A[i + i * n] = W->a[i];
            scale[i] = fabs(W->a[i]);
        }
    }
}

/* Columns of one system in G by rows, and what they add to the diagonal of G diag(W)^-1 G'. */
static inline __attribute__((always_inline)) void
copy_columns(double *restrict G, double *restrict scale, const double *restrict left,
             const double *restrict W, int rows, int nv, int n)
{
    for (int v = 0; v < n; v++) {
        double inverse = W[v] > 0.0 ? 1.0 / W[v] : 1.0;
        for (int r = 0; r < rows; r++) {
            double g = left[r + v * rows];
            G[r * nv + v] = g;
            scale[r] += g * g * inverse;
        }
    }
}

/* Pivots, and couplings of their coordinates, by their numbers of rows. */
static void copy_joint(perp_saddle *saddle, int j)
{
    const perp_link *link = saddle->joints[j];
    double *G = saddle->numbers + saddle->G_at[j];
    double *scale = saddle->scale + saddle->dofs + saddle->joint_at[j];
    int rows = link->rows, nv = link->nv;
    memset(scale, 0, sizeof *scale * (size_t)rows);
    for (int k = saddle->tie_ptr[j]; k < saddle->tie_ptr[j + 1]; k++) {
        int system = saddle->tie_system[k], column = saddle->tie_column[k];
        int n = saddle->systems[system]->nv;
        const double *W = saddle->scale + saddle->system_at[system];
        const double *left = link->left + column * rows;
        if (rows == 5 && n == 6)
            copy_columns(G + column, scale, left, W, 5, nv, 6);
        else if (rows == 1 && n == 6)
            copy_columns(G + column, scale, left, W, 1, nv, 6);
        else
            copy_columns(G + column, scale, left, W, rows, nv, n);
    }
}

/* to (rows x n, stride) += weight times a block of K, or becomes it. */
static inline __attribute__((always_inline)) void put_block(double *restrict to, int stride,
                                                            const double *restrict K, int nv,
                                                            int rows, int n, double weight, int add)
{
    for (int c = 0; c < n; c++)
        for (int r = 0; r < rows; r++)
            to[r + c * stride] = (add ? to[r + c * stride] : 0.0) + weight * K[r + c * nv];
}

static int is_zero(const double *K, int nv, int rows, int n)
{
    for (int c = 0; c < n; c++)
        for (int r = 0; r < rows; r++)
            if (K[r + c * nv] != 0.0)
                return 0;
    return 1;
}

/* The blocks of K on one system go into the copy of A, the rest into one of its own, where those
 * stay 0.  1: the rest is not 0 and the analysis does not have it. */
PERP_CLONES static int copy_stiffness(perp_saddle *saddle, int j, const double *K, double weight)
{
    int nv = saddle->joints[j]->nv, beyond = 0, stiff = saddle->stiff[j];
    double *rest = stiff ? saddle->numbers + saddle->K_at[j] : NULL;
    for (int b = saddle->tie_ptr[j]; b < saddle->tie_ptr[j + 1]; b++)
        for (int a = saddle->tie_ptr[j]; a < saddle->tie_ptr[j + 1]; a++) {
            int row = saddle->tie_column[a], column = saddle->tie_column[b];
            int system = saddle->tie_system[a], at = row + column * nv;
            int rows = saddle->systems[system]->nv;
            int n = saddle->systems[saddle->tie_system[b]]->nv;
            int own = a == b && perp_saddle_is_block(saddle, system);
            double *to = own ? saddle->numbers + saddle->A_at[system] : rest ? rest + at : NULL;
            if (own && n == 6)
                put_block(to, 6, K + at, nv, 6, 6, weight, 1);
            else if (own)
                put_block(to, n, K + at, nv, n, n, weight, 1);
            else if (to && rows == 6 && n == 6)
                put_block(to, nv, K + at, nv, 6, 6, weight, 0);
            else if (to)
                put_block(to, nv, K + at, nv, rows, n, weight, 0);
            else
                beyond |= !is_zero(K + at, nv, rows, n);
        }
    saddle->stiff[j] |= (unsigned char)beyond;
    return beyond;
}

int perp_saddle_copy(perp_saddle *saddle, const double *const *stiffness, double weight)
{
    int again = 0;
    saddle->stiffened = stiffness != NULL;
    for (int k = 0; k < saddle->nsystems; k++)
        copy_system(saddle, k);
    for (int j = 0; j < saddle->njoints; j++) {
        const double *K = stiffness ? stiffness[saddle->given[j]] : NULL;
        size_t nv = (size_t)saddle->joints[j]->nv;
        copy_joint(saddle, j);
        if (saddle->stiff[j] && stiffness && !K)
            memset(saddle->numbers + saddle->K_at[j], 0, sizeof *K * nv * nv);
        if (K)
            again |= copy_stiffness(saddle, j, K, weight);
    }
    return again;
}
