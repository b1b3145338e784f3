/* SPDX-License-Identifier: BSD-3-Clause */
/* Inverses of the small components of a mass. */
#include <math.h>
#include <string.h>

#include "linalg/mass.h"
#include "linalg/small.h"

/* Sizes met in matrices that were scaled to a unit diagonal. */
typedef struct symmetry {
    double largest, difference;
} symmetry;

static int is_symmetric(symmetry s)
{
    return s.difference <= PERP_MASS_SYMMETRY * s.largest;
}

static symmetry symmetry_of(const double *A, int n)
{
    symmetry s = {0.0, 0.0};
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            s.largest = fmax(s.largest, fabs(A[i + j * n]));
            s.difference = fmax(s.difference, fabs(A[i + j * n] - A[j + i * n]));
        }
    }
    return s;
}

/* B = L^-1, lower triangular. */
static void invert_lower(double *B, const double *L, int n)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double t = i == j ? 1.0 : 0.0;
            for (int k = j; k < i; k++)
                t -= L[i + k * n] * B[k + j * n];
            B[i + j * n] = i < j ? 0.0 : t / L[i + i * n];
        }
    }
}

/* The matrices of all blocks, at their roots' places, from the entries of M. */
typedef struct gathering {
    const perp_mass *mass;
    double *A;
    int coupled;
} gathering;

static inline void put(gathering *to, int i, int j, double x)
{
    const perp_mass *mass = to->mass;
    int b = mass->block_of[j], row = mass->place[i], col = mass->place[j];
    if (x == 0.0)
        return;
    if (b != mass->block_of[i]) {
        to->coupled = 1;
    } else if (b >= 0) {
        const perp_mass_block *block = &mass->blocks[b];
        row -= block->first;
        col -= block->first;
        to->A[block->root + (size_t)(row + col * block->dim)] = x;
    } else {
        int tail = mass->n - mass->nsparse;
        to->coupled |= mass->large[row - tail] != mass->large[col - tail];
    }
}

static void gather_bsr(gathering *to, const perp_mat *M)
{
    const int *rowptr = M->as.bsr.rowptr, *col = M->as.bsr.col, m = M->as.bsr.block;
    for (int i = 0; i < M->rows / m; i++)
        for (int p = rowptr[i]; p < rowptr[i + 1]; p++) {
            const double *x = M->as.bsr.x + (size_t)p * (size_t)(m * m);
            for (int c = 0; c < m; c++)
                for (int r = 0; r < m; r++)
                    put(to, i * m + r, col[p] * m + c, x[r + c * m]);
        }
}

static void gather(gathering *to, const perp_mat *M)
{
    if (M->kind == PERP_BSR)
        gather_bsr(to, M);
    for (int j = 0; M->kind == PERP_DENSE && j < M->cols; j++)
        for (int i = 0; i < M->rows; i++)
            put(to, i, j, M->as.dense.x[(size_t)i + (size_t)j * (size_t)M->as.dense.ld]);
    for (int j = 0; M->kind == PERP_CSC && j < M->cols; j++)
        for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
            put(to, M->as.csc.row[p], j, M->as.csc.x[p]);
}

static int all_finite(const double *x, int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(x[k]))
            return 0;
    return 1;
}

/* B with A^-1 = B' B over A, and A^-1; A has been scaled.  0: not positive definite. */
static int invert_definite(double *inverse, double *A, const double *scale, int n)
{
    double L[PERP_MASS_BLOCK_MAX * PERP_MASS_BLOCK_MAX];
    if (!perp_small_cholesky(L, A, n))
        return 0;
    invert_lower(A, L, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + j * n] *= scale[j];
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
            inverse[i + j * n] = inverse[j + i * n] = perp_dot(A + i * n, A + j * n, n);
    return 1;
}

/* Inverse of A, scaled to a unit diagonal first; where A is symmetric positive
 * definite (*definite), A becomes B with A^-1 = B' B.  0: singular. */
static int invert_block(double *inverse, double *A, int *definite, symmetry *all, int n)
{
    double scale[PERP_MASS_BLOCK_MAX];
    for (int i = 0; i < n; i++)
        scale[i] = A[i + i * n] != 0.0 ? 1.0 / sqrt(fabs(A[i + i * n])) : 1.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + j * n] *= scale[i] * scale[j];

    symmetry own = symmetry_of(A, n);
    all->largest = fmax(all->largest, own.largest);
    all->difference = fmax(all->difference, own.difference);
    *definite = is_symmetric(own) && invert_definite(inverse, A, scale, n);
    if (!*definite) {
        if (!perp_small_invert(inverse, A, n))
            return 0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                inverse[i + j * n] *= scale[i] * scale[j];
    }
    return all_finite(inverse, n * n);
}

/* A block of one unknown. */
static int invert_number(double *inverse, double *A, int *definite, symmetry *all)
{
    double a = *A;
    *definite = a > 0.0;
    all->largest = fmax(all->largest, a != 0.0 ? 1.0 : 0.0);
    *inverse = 1.0 / a;
    *A = 1.0 / sqrt(fabs(a));
    return a != 0.0 && isfinite(*inverse);
}

perp_status perp_mass_invert_blocks(perp_mass *mass, const perp_mat *M, perp_mass_report *report)
{
    gathering to = {mass, mass->next_roots, 0};
    symmetry all = {0.0, 0.0};
    size_t total = 0;
    if (mass->nblocks > 0) {
        const perp_mass_block *last = &mass->blocks[mass->nblocks - 1];
        total = last->root + (size_t)(last->dim * last->dim);
    }
    memset(to.A, 0, total * sizeof(double));
    gather(&to, M);
    *report = (perp_mass_report){-1, to.coupled, 1, 1};
    for (int k = 0; k < mass->nblocks && !to.coupled; k++) {
        const perp_mass_block *block = &mass->blocks[k];
        double *inverse = mass->next_inverses + block->inverse, *A = to.A + block->root;
        int definite;
        if (!(block->dim == 1 ? invert_number(inverse, A, &definite, &all)
                              : invert_block(inverse, A, &definite, &all, block->dim))) {
            report->singular = mass->dof[block->first];
            return PERP_ERR_SINGULAR;
        }
        report->definite &= definite;
    }
    report->symmetric = is_symmetric(all);
    return PERP_SOLVED;
}

void perp_mass_exchange(perp_mass *mass, int definite)
{
    double *inverses = mass->inverses, *roots = mass->root_memory;
    mass->inverses = mass->next_inverses;
    mass->root_memory = mass->next_roots;
    mass->next_inverses = inverses;
    mass->next_roots = roots;
    mass->roots = definite ? mass->root_memory : NULL;
}
