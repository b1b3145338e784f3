/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/dense_ldl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/factor/front.h"

typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));

static size_t padded(size_t n)
{
    return (n + PERP_LDL_PANEL - 1) / PERP_LDL_PANEL * PERP_LDL_PANEL;
}

size_t perp_dense_ldl_bytes(size_t n)
{
    if (n > (size_t)1 << 24)
        return SIZE_MAX;
    return padded(n) * (padded(n) + 1 + PERP_LDL_PANEL) * sizeof(double);
}

void perp_dense_ldl_place(perp_dense_ldl *ldl, size_t n, void *memory)
{
    size_t ld = padded(n);
    *ldl = (perp_dense_ldl){.m = 0, .ld = ld, .l = memory};
    ldl->d = ldl->l + ld * ld;
    ldl->packed = ldl->d + ld;
    /* Entries above the diagonal and below the last row are of no use, but go through arithmetic.
     */
    if (n > 0)
        memset(ldl->l, 0, ld * ld * sizeof(double));
}

/* x -= factor y on whole panels of rows. */
static inline void subtract(double *x, double factor, const double *y, int rows)
{
    for (int i = 0; i < rows; i += PERP_LDL_PANEL)
        *(lanes *)(x + i) -= factor * *(const lanes *)(y + i);
}

/* `wide` columns from the diagonal of the first one on, from which those before were subtracted.
 * Returns the columns done. */
PERP_CLONES
static int factor_panel(double *l, double *d, size_t ld, int wide, int rows, double share)
{
    for (int k = 0; k < wide; k++) {
        double *own = l + (size_t)k * ld, pivot = own[k], inverse = 1.0 / pivot;
        if (!(pivot > share * d[k]) || isinf(pivot))
            return k;
        for (int j = k + 1; j < wide; j++)
            subtract(l + (size_t)j * ld, own[j] * inverse, own, rows);
        for (int i = 0; i < rows; i += PERP_LDL_PANEL)
            *(lanes *)(own + i) *= inverse;
        d[k] = pivot;
    }
    return wide;
}

int perp_dense_ldl_factor(perp_dense_ldl *ldl, int m, double share)
{
    size_t ld = ldl->ld;
    int rows = (int)padded((size_t)m);
    for (int k = 0; k < m; k++)
        ldl->d[k] = fabs(ldl->l[(size_t)k * (ld + 1)]);
    ldl->m = 0;
    while (ldl->m < m) {
        int first = ldl->m, wide = m - first < PERP_LDL_PANEL ? m - first : PERP_LDL_PANEL;
        double *rest = ldl->l + (size_t)first * (ld + 1);
        for (int p = 0; p < first; p++)
            for (int j = 0; j < wide; j++)
                ldl->packed[p + j * first] =
                    ldl->l[(size_t)p * ld + (size_t)(first + j)] * ldl->d[p];
        if (first > 0)
            perp_front_product(rest, ld, ldl->l + first, ld, ldl->packed, (size_t)first,
                               rows - first, wide, first);
        int done = factor_panel(rest, ldl->d + first, ld, wide, rows - first, share);
        ldl->m += done;
        if (done < wide)
            break;
    }
    return ldl->m;
}

/* x = L^-1 x, four columns at a time so that x is loaded and stored less. */
PERP_CLONES
static void forward(const perp_dense_ldl *ldl, double *restrict x)
{
    int m = ldl->m, k = 0;
    for (; k + 4 <= m; k += 4) {
        const double *l0 = ldl->l + (size_t)k * ldl->ld, *l1 = l0 + ldl->ld, *l2 = l1 + ldl->ld;
        const double *l3 = l2 + ldl->ld;
        double x0 = x[k], x1 = x[k + 1] - l0[k + 1] * x0;
        double x2 = x[k + 2] - l0[k + 2] * x0 - l1[k + 2] * x1;
        double x3 = x[k + 3] - l0[k + 3] * x0 - l1[k + 3] * x1 - l2[k + 3] * x2;
        x[k + 1] = x1;
        x[k + 2] = x2;
        x[k + 3] = x3;
        for (int i = k + 4; i < m; i++)
            x[i] -= (l0[i] * x0 + l1[i] * x1) + (l2[i] * x2 + l3[i] * x3);
    }
    for (; k < m; k++) {
        const double *l = ldl->l + (size_t)k * ldl->ld;
        for (int i = k + 1; i < m; i++)
            x[i] -= l[i] * x[k];
    }
}

/* x = L'^-1 x, by the same groups of columns from the last on. */
static void backward(const perp_dense_ldl *ldl, double *restrict x)
{
    int m = ldl->m, whole = m - m % 4;
    for (int k = m - 1; k >= whole; k--) {
        const double *l = ldl->l + (size_t)k * ldl->ld;
        for (int i = k + 1; i < m; i++)
            x[k] -= l[i] * x[i];
    }
    for (int k = whole - 4; k >= 0; k -= 4) {
        const double *l0 = ldl->l + (size_t)k * ldl->ld, *l1 = l0 + ldl->ld, *l2 = l1 + ldl->ld;
        const double *l3 = l2 + ldl->ld;
        double s0 = x[k], s1 = x[k + 1], s2 = x[k + 2], s3 = x[k + 3];
        for (int i = k + 4; i < m; i++) {
            s0 -= l0[i] * x[i];
            s1 -= l1[i] * x[i];
            s2 -= l2[i] * x[i];
            s3 -= l3[i] * x[i];
        }
        s2 -= l2[k + 3] * s3;
        s1 -= l1[k + 2] * s2 + l1[k + 3] * s3;
        s0 -= l0[k + 1] * s1 + l0[k + 2] * s2 + l0[k + 3] * s3;
        x[k] = s0;
        x[k + 1] = s1;
        x[k + 2] = s2;
        x[k + 3] = s3;
    }
}

void perp_dense_ldl_finish(const perp_dense_ldl *ldl, double *x)
{
    for (int k = 0; k < ldl->m; k++)
        x[k] /= ldl->d[k];
    backward(ldl, x);
}

void perp_dense_ldl_solve(const perp_dense_ldl *ldl, double *x)
{
    forward(ldl, x);
    perp_dense_ldl_finish(ldl, x);
}

double perp_dense_ldl_pivot(const perp_dense_ldl *ldl, double *y, const double *c, double diagonal)
{
    if (ldl->m > 0)
        memmove(y, c, (size_t)ldl->m * sizeof(double));
    forward(ldl, y);
    for (int k = 0; k < ldl->m; k++)
        diagonal -= y[k] * (y[k] / ldl->d[k]);
    return diagonal;
}

void perp_dense_ldl_append(perp_dense_ldl *ldl, const double *y, double pivot)
{
    double *row = ldl->l + ldl->m;
    for (int k = 0; k < ldl->m; k++)
        row[(size_t)k * ldl->ld] = y[k] / ldl->d[k];
    ldl->d[ldl->m++] = pivot;
}

/* The trailing block gets alpha x x' more; its rows are first .. m - 1. */
static int add_rank_one(perp_dense_ldl *ldl, int first, double *restrict x, double alpha)
{
    for (int k = first; k < ldl->m; k++) {
        double *restrict l = ldl->l + (size_t)k * ldl->ld;
        double p = x[k], old = ldl->d[k], made = old + alpha * p * p;
        if (made == 0.0 || !isfinite(made) || (old > 0.0 && alpha > 0.0 && !(made > 0.0)))
            return 0;
        double beta = alpha * (p / made);
        alpha *= old / made;
        ldl->d[k] = made;
        for (int i = k + 1; i < ldl->m; i++) {
            x[i] -= p * l[i];
            l[i] += beta * x[i];
        }
    }
    return 1;
}

int perp_dense_ldl_remove(perp_dense_ldl *ldl, int p)
{
    size_t ld = ldl->ld, below = (size_t)(ldl->m - 1 - p);
    double alpha = ldl->d[p], *x = ldl->packed;
    memcpy(x + p, ldl->l + (size_t)p * (ld + 1) + 1, below * sizeof(double));
    for (int k = 0; k < p; k++)
        memmove(ldl->l + (size_t)k * ld + p, ldl->l + (size_t)k * ld + p + 1,
                below * sizeof(double));
    for (int k = p + 1; k < ldl->m; k++) {
        double *from = ldl->l + (size_t)k * (ld + 1);
        memmove(from - ld - 1, from, (size_t)(ldl->m - k) * sizeof(double));
        ldl->d[k - 1] = ldl->d[k];
    }
    ldl->m--;
    return add_rank_one(ldl, p, x, alpha);
}
