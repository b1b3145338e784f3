/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/dantzig/dantzig_boxed.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/mat.h"

/* Entries that differ by more from their mirror image make M unsymmetric. */
static const double asymmetry = 1e-10;

size_t perp_boxed_bytes(size_t n, int copied)
{
    if (n > (size_t)1 << 22)
        return SIZE_MAX;
    size_t vectors = 7 * n * sizeof(double) + 2 * n * sizeof(int) + n;
    return perp_dense_ldl_bytes(n) + (copied ? n * n * sizeof(double) : 0) + vectors;
}

void perp_boxed_place(perp_boxed *b, size_t n, int copied, void *memory)
{
    memset(b, 0, sizeof *b);
    b->n = (int)n;
    perp_dense_ldl_place(&b->ldl, n, memory);
    double *at = (double *)memory + perp_dense_ldl_bytes(n) / sizeof(double);
    double **const vectors[] = {&b->w, &b->lo, &b->hi, &b->inverse, &b->start, &b->x, &b->y};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++, at += n)
        *vectors[k] = at;
    if (copied) {
        b->copy = at;
        at += n * n;
    }
    b->row = (int *)at;
    b->pivots = b->row + n;
    b->side = (unsigned char *)(b->pivots + n);
}

/* M by columns, each the image of a unit vector. */
static perp_status copy_by_products(perp_boxed *b, perp_work *work)
{
    const perp_mat *M = &work->problem->M;
    size_t n = (size_t)b->n;
    memset(b->x, 0, n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        b->x[j] = 1.0;
        perp_status status = perp_mat_apply(M, b->x, work->scratch, b->copy + j * n);
        b->x[j] = 0.0;
        if (status != PERP_SOLVED)
            return status;
    }
    return PERP_SOLVED;
}

static void copy_bsr(double *to, const perp_mat *M)
{
    size_t m = (size_t)M->as.bsr.block, n = (size_t)M->rows;
    for (size_t i = 0; i < n / m; i++)
        for (int p = M->as.bsr.rowptr[i]; p < M->as.bsr.rowptr[i + 1]; p++) {
            const double *x = M->as.bsr.x + (size_t)p * m * m;
            size_t j = (size_t)M->as.bsr.col[p];
            for (size_t c = 0; c < m; c++)
                memcpy(to + i * m + (j * m + c) * n, x + c * m, m * sizeof(double));
        }
}

perp_status perp_boxed_load(perp_boxed *b, perp_work *work)
{
    const perp_mat *M = &work->problem->M;
    size_t n = (size_t)b->n;
    b->ld = n;
    b->a = b->copy;
    b->d = work->scaling.d;
    b->z = work->z;
    if (M->kind == PERP_DENSE) {
        b->a = M->as.dense.x;
        b->ld = (size_t)M->as.dense.ld;
        return PERP_SOLVED;
    }
    if (n == 0)
        return PERP_SOLVED;
    if (M->kind == PERP_DELASSUS)
        return copy_by_products(b, work);
    memset(b->copy, 0, n * n * sizeof(double));
    if (M->kind == PERP_BSR) {
        copy_bsr(b->copy, M);
        return PERP_SOLVED;
    }
    for (size_t j = 0; j < n; j++)
        for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
            b->copy[(size_t)M->as.csc.row[p] + j * n] = M->as.csc.x[p];
    return PERP_SOLVED;
}

void perp_boxed_begin(perp_boxed *b, perp_work *work)
{
    int moved = 0;
    b->q = work->problem->q;
    b->iteration = 0;
    for (int i = 0; i < b->n; i++) {
        const perp_block *block = &work->blocks.at[i];
        double diagonal = b->a[(size_t)i * (b->ld + 1)];
        b->inverse[i] = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
        b->lo[i] = block->set == PERP_BOX    ? block->par[0]
                   : block->set == PERP_FREE ? -INFINITY
                                             : 0.0;
        b->hi[i] = block->set == PERP_BOX ? block->par[1] : INFINITY;
        double z = b->z[i] > b->lo[i] ? b->z[i] : b->lo[i];
        b->z[i] = z < b->hi[i] ? z : b->hi[i];
        moved |= b->z[i] != 0.0;
        b->w[i] = b->q[i];
    }
    if (moved)
        perp_boxed_multiply(b);
}

PERP_CLONES
void perp_boxed_move(perp_boxed *b, const int *row, const double *by, int count)
{
    int n = b->n, k = 0;
    double *restrict w = b->w;
    for (; k + 4 <= count; k += 4) {
        const double *a0 = b->a + (size_t)row[k] * b->ld, *a1 = b->a + (size_t)row[k + 1] * b->ld;
        const double *a2 = b->a + (size_t)row[k + 2] * b->ld;
        const double *a3 = b->a + (size_t)row[k + 3] * b->ld;
        double x0 = by[k], x1 = by[k + 1], x2 = by[k + 2], x3 = by[k + 3];
        for (int i = 0; i < n; i++)
            w[i] += (a0[i] * x0 + a1[i] * x1) + (a2[i] * x2 + a3[i] * x3);
    }
    for (; k < count; k++) {
        const double *a = b->a + (size_t)row[k] * b->ld;
        for (int i = 0; i < n; i++)
            w[i] += a[i] * by[k];
    }
}

void perp_boxed_multiply(perp_boxed *b)
{
    int count = 0;
    memcpy(b->w, b->q, (size_t)b->n * sizeof(double));
    for (int i = 0; i < b->n; i++) {
        if (b->z[i] == 0.0)
            continue;
        b->pivots[count] = i;
        b->x[count++] = b->z[i];
    }
    perp_boxed_move(b, b->pivots, b->x, count);
}

/* Rows from .. to - 1 against column j. */
static int mirrors(const perp_boxed *b, size_t from, size_t to, size_t j)
{
    for (size_t i = from; i < to; i++) {
        double x = b->a[i + j * b->ld], y = b->a[j + i * b->ld];
        if (x != y && fabs(x - y) > asymmetry * (fabs(x) + fabs(y)) &&
            fabs(x - y) > asymmetry * b->d[i] * b->d[j])
            return 0;
    }
    return 1;
}

/* In squares that the caches hold. */
int perp_boxed_is_symmetric(const perp_boxed *b)
{
    enum { EDGE = 32 };
    size_t n = (size_t)b->n;
    for (size_t left = 0; left < n; left += EDGE)
        for (size_t top = 0; top <= left; top += EDGE)
            for (size_t j = left; j < n && j < left + EDGE; j++)
                if (!mirrors(b, top, top + EDGE < j ? top + EDGE : j, j))
                    return 0;
    return 1;
}

double perp_boxed_polish(perp_boxed *b, perp_work *work, double error)
{
    for (int k = 0; k < b->count; k++)
        b->x[k] = -work->w[b->row[k]];
    perp_dense_ldl_solve(&b->ldl, b->x);
    for (int k = 0; k < b->count; k++) {
        int i = b->row[k];
        double z = b->z[i] + b->x[k];
        b->y[k] = b->z[i];
        z = z > b->lo[i] ? z : b->lo[i];
        b->z[i] = z < b->hi[i] ? z : b->hi[i];
    }
    double refined = perp_measure(work, b->z);
    if (refined <= error)
        return refined;
    for (int k = 0; k < b->count; k++)
        b->z[b->row[k]] = b->y[k];
    return perp_measure(work, b->z);
}
