/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense elimination inside a front.  Each number is made by the same operations in the same
 * order whatever the width of the machine's vectors. */
#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/factor/front.h"

enum { WIDE = 8, PANEL = 8, DEPTH = 64 };

/* A pivot below this share of its column's largest entry is cancellation. */
static const double singular_share = 1e-15;

typedef double lanes __attribute__((vector_size(WIDE * sizeof(double)), aligned(8), may_alias));

static inline void subtract(double *c, const lanes *sum, int rows)
{
    if (rows == WIDE)
        *(lanes *)c -= *sum;
    else
        for (int i = 0; i < rows; i++)
            c[i] -= (*sum)[i];
}

/* C(0 .. rows - 1, 0 .. n - 1) -= A B for A with WIDE rows in memory. */
PERP_CLONES
static void strip(double *C, size_t ldc, const double *A, size_t lda, const double *B, size_t ldb,
                  int rows, int n, int k)
{
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        lanes s0 = {0.0}, s1 = s0, s2 = s0, s3 = s0;
        const double *b = B + (size_t)j * ldb;
        for (int p = 0; p < k; p++, b++) {
            lanes a = *(const lanes *)(A + (size_t)p * lda);
            s0 += a * b[0];
            s1 += a * b[ldb];
            s2 += a * b[2 * ldb];
            s3 += a * b[3 * ldb];
        }
        double *c = C + (size_t)j * ldc;
        subtract(c, &s0, rows);
        subtract(c + ldc, &s1, rows);
        subtract(c + 2 * ldc, &s2, rows);
        subtract(c + 3 * ldc, &s3, rows);
    }
    for (; j < n; j++) {
        lanes sum = {0.0};
        const double *b = B + (size_t)j * ldb;
        for (int p = 0; p < k; p++)
            sum += *(const lanes *)(A + (size_t)p * lda) * b[p];
        subtract(C + (size_t)j * ldc, &sum, rows);
    }
}

void perp_front_product(double *C, size_t ldc, const double *A, size_t lda, const double *B,
                        size_t ldb, int m, int n, int k)
{
    double last[WIDE * DEPTH];
    for (int p = 0; p < k; p += DEPTH) {
        int depth = k - p < DEPTH ? k - p : DEPTH, i = 0;
        const double *a = A + (size_t)p * lda, *b = B + p;
        for (; i + WIDE <= m; i += WIDE)
            strip(C + i, ldc, a + i, lda, b, ldb, WIDE, n, depth);
        if (i == m)
            continue;
        memset(last, 0, sizeof last);
        for (int q = 0; q < depth; q++)
            memcpy(last + q * WIDE, a + (size_t)q * lda + i, (size_t)(m - i) * sizeof(double));
        strip(C + i, ldc, last, WIDE, b, ldb, m - i, n, depth);
    }
}

static void swap_rows(double *A, size_t ld, int columns, int i, int k)
{
    for (int j = 0; j < columns; j++, A += ld) {
        double keep = A[i];
        A[i] = A[k];
        A[k] = keep;
    }
}

/* x -= factor y. */
static inline __attribute__((always_inline)) void
subtract_column(double *restrict x, double factor, const double *restrict y, int count)
{
    for (int i = 0; i < count; i++)
        x[i] -= factor * y[i];
}

/* The diagonal is taken unless another pivot row is much larger. */
static int choose_pivot(const double *column, int k, int s)
{
    int row = k;
    double largest = 10.0 * fabs(column[k]);
    for (int i = k + 1; i < s; i++) {
        if (fabs(column[i]) > largest) {
            largest = fabs(column[i]);
            row = i;
        }
    }
    return row;
}

/* Columns first .. end - 1 of P, rows first .. m - 1; swaps reach all of P and U. */
static inline __attribute__((always_inline)) int factor_panel(double *P, double *U, int first,
                                                              int end, int s, int u, int *swap,
                                                              const double *largest)
{
    size_t m = (size_t)s + (size_t)u;
    for (int k = first; k < end; k++) {
        double *own = P + (size_t)k * m;
        swap[k] = choose_pivot(own, k, s);
        if (swap[k] != k) {
            swap_rows(P, m, s, k, swap[k]);
            swap_rows(U, (size_t)s, u, k, swap[k]);
        }
        double pivot = own[k];
        if (!(fabs(pivot) > singular_share * largest[k]) || isinf(pivot))
            return 0;
        double inverse = 1.0 / pivot;
        for (int i = k + 1; i < s + u; i++)
            own[i] *= inverse;
        for (int j = k + 1; j < end; j++)
            if (P[(size_t)j * m + (size_t)k] != 0.0)
                subtract_column(P + (size_t)j * m + k + 1, P[(size_t)j * m + (size_t)k],
                                own + k + 1, s + u - k - 1);
    }
    return 1;
}

/* X becomes L^-1 X for the unit lower triangle L of rows and columns first .. end - 1. */
static inline __attribute__((always_inline)) void solve_wide(double *restrict X, size_t ldx,
                                                             int columns, const double *restrict L,
                                                             size_t ld, int wide)
{
    for (int j = 0; j < columns; j++, X += ldx) {
        double x[PANEL];
        for (int k = 0; k < wide; k++)
            x[k] = X[k];
        for (int k = 0; k < wide; k++)
            for (int i = k + 1; i < wide; i++)
                x[i] -= x[k] * L[(size_t)k * ld + (size_t)i];
        for (int k = 0; k < wide; k++)
            X[k] = x[k];
    }
}

static inline __attribute__((always_inline)) void
solve_triangle(double *X, size_t ldx, int columns, const double *L, size_t ld, int first, int end)
{
    L += (size_t)first * (ld + 1);
    if (end - first == PANEL)
        solve_wide(X + first, ldx, columns, L, ld, PANEL);
    else
        solve_wide(X + first, ldx, columns, L, ld, end - first);
}

PERP_CLONES int perp_front_eliminate(double *P, double *U, double *C, int s, int u, int *swap,
                                     const double *largest)
{
    size_t m = (size_t)s + (size_t)u, ldu = (size_t)s;
    for (int first = 0; first < s; first += PANEL) {
        int end = first + PANEL < s ? first + PANEL : s, wide = end - first;
        if (!factor_panel(P, U, first, end, s, u, swap, largest))
            return 0;
        const double *L = P + (size_t)first * m;
        double *rest = P + (size_t)end * m;
        solve_triangle(rest, m, s - end, P, m, first, end);
        perp_front_product(rest + end, m, L + end, m, rest + first, m, s + u - end, s - end, wide);
        solve_triangle(U, ldu, u, P, m, first, end);
        perp_front_product(U + end, ldu, L + end, m, U + first, ldu, s - end, u, wide);
    }
    perp_front_product(C, (size_t)u, P + s, m, U, ldu, u, u, s);
    return 1;
}
