/* SPDX-License-Identifier: BSD-3-Clause */
/* Relative degree from the Markov parameters D, C B, C A B, ... ([SDN] sec. 8.1, (1.28)).
 * A sum counts as 0 where it is below `negligible` of the sum of magnitudes that made it. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <lapacke.h>
#include <perp/relation.h>

#include "core/float_environment.h"
#include "kernel/systems/pool.h"

static const double negligible = 1e-12;

typedef struct markov {
    int n, m;
    double *A, *X;               /* M^-1 A: n x n, (M^-1 A)^k M^-1 B: n x m */
    double *size;                /* n x m: bound of the magnitudes behind X */
    double *next;                /* n x m */
    double *parameter;           /* m x m */
    double *bound;               /* n x n: of the magnitudes behind A */
    double *lu, *mass, *inverse; /* n x n */
    lapack_int *pivot;           /* n */
} markov;

static int all_finite(const double *x, size_t count)
{
    for (size_t k = 0; x && k < count; k++)
        if (!isfinite(x[k]))
            return 0;
    return 1;
}

/* out = A x, or |A| x. */
static void multiply(double *out, const double *A, const double *x, size_t rows, size_t inner,
                     size_t cols, int magnitude)
{
    memset(out, 0, rows * cols * sizeof(double));
    for (size_t j = 0; j < cols; j++)
        for (size_t k = 0; k < inner; k++) {
            const double *column = A + k * rows;
            double factor = x[k + j * inner];
            for (size_t i = 0; i < rows; i++)
                out[i + j * rows] += (magnitude ? fabs(column[i]) : column[i]) * factor;
        }
}

/* Scales rows, then columns, to a largest entry of 1; 0 where one is zero. */
static int equilibrate(double *P, size_t m)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < m; i++) {
            size_t first = pass ? i * m : i, step = pass ? 1 : m;
            double largest = 0.0;
            for (size_t j = 0; j < m; j++)
                largest = fmax(largest, fabs(P[first + j * step]));
            if (!(largest > 0.0))
                return 0;
            for (size_t j = 0; j < m; j++)
                P[first + j * step] /= largest;
        }
    return 1;
}

static void swap(double *a, double *b, size_t count, size_t step)
{
    for (size_t k = 0; k < count * step; k += step) {
        double held = a[k];
        a[k] = b[k];
        b[k] = held;
    }
}

/* Elimination with full pivoting: 1 where no pivot is negligible.  Destroys P. */
static int regular(double *P, size_t m)
{
    if (!equilibrate(P, m))
        return 0;
    for (size_t k = 0; k < m; k++) {
        size_t p = k, q = k;
        for (size_t j = k; j < m; j++)
            for (size_t i = k; i < m; i++)
                if (fabs(P[i + j * m]) > fabs(P[p + q * m])) {
                    p = i;
                    q = j;
                }
        if (fabs(P[p + q * m]) <= negligible)
            return 0;
        swap(P + k, P + p, m, m);
        swap(P + k * m, P + q * m, m, 1);
        for (size_t j = k + 1; j < m; j++)
            for (size_t i = k + 1; i < m; i++)
                P[i + j * m] -= P[i + k * m] / P[k + k * m] * P[k + j * m];
    }
    return 1;
}

/* What parameter number k says: *degree is set where it settles it, and the rows whose
 * diagonal it is the first to touch get k. */
static void look(int *degree, int *settled, int *relative, markov *a, int k)
{
    int m = a->m, zero = 1;
    for (int i = 0; i < m * m; i++)
        zero = zero && a->parameter[i] == 0.0;
    for (int i = 0; relative && i < m; i++)
        if (relative[i] < 0 && a->parameter[(size_t)i * (size_t)(m + 1)] != 0.0)
            relative[i] = k;
    if (*settled || zero)
        return;
    *settled = 1;
    *degree = regular(a->parameter, (size_t)m) ? k : -1;
}

/* parameter = C X with negligible sums as 0, then X = A X; both scaled to stay in range. */
static void advance(markov *a, const double *C, double *sums)
{
    size_t n = (size_t)a->n, m = (size_t)a->m;
    multiply(a->parameter, C, a->X, m, n, m, 0);
    multiply(sums, C, a->size, m, n, m, 1);
    for (size_t i = 0; i < m * m; i++)
        if (fabs(a->parameter[i]) <= negligible * sums[i])
            a->parameter[i] = 0.0;
    multiply(a->next, a->A, a->X, n, n, m, 0);
    memcpy(a->X, a->next, n * m * sizeof(double));
    multiply(a->next, a->bound, a->size, n, n, m, 0);
    double largest = 0.0;
    for (size_t i = 0; i < n * m; i++)
        largest = fmax(largest, a->next[i]);
    double scale = largest > 0.0 ? 1.0 / largest : 1.0;
    for (size_t i = 0; i < n * m; i++) {
        a->size[i] = a->next[i] * scale;
        a->X[i] *= scale;
    }
}

/* Rows of M scaled to a largest entry of 1, those of A and X with them; 0: a row is zero. */
static int scale_rows(markov *a)
{
    size_t n = (size_t)a->n, m = (size_t)a->m;
    for (size_t i = 0; i < n; i++) {
        double largest = 0.0;
        for (size_t j = 0; j < n; j++)
            largest = fmax(largest, fabs(a->lu[i + j * n]));
        if (!(largest > 0.0))
            return 0;
        for (size_t j = 0; j < n; j++) {
            a->lu[i + j * n] /= largest;
            a->A[i + j * n] /= largest;
        }
        for (size_t j = 0; j < m; j++)
            a->X[i + j * n] /= largest;
    }
    return 1;
}

/* A and X become M^-1 A and M^-1 B.  What rounding may leave there is bounded by the
 * condition |M^-1| |M| times their magnitudes (Skeel). */
static perp_status divide(markov *a)
{
    size_t n = (size_t)a->n, m = (size_t)a->m;
    if (!scale_rows(a))
        return PERP_ERR_SINGULAR;
    for (size_t k = 0; k < n * n; k++) {
        a->mass[k] = fabs(a->lu[k]);
        a->inverse[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    }
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, a->n, a->n, a->lu, a->n, a->pivot) != 0)
        return PERP_ERR_SINGULAR;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', a->n, a->n, a->lu, a->n, a->pivot, a->A, a->n);
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', a->n, a->m, a->lu, a->n, a->pivot, a->X, a->n);
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', a->n, a->n, a->lu, a->n, a->pivot, a->inverse, a->n);
    double *condition = a->lu, *magnitude = a->inverse;
    multiply(condition, a->inverse, a->mass, n, n, n, 1);
    for (size_t i = 0; i < n; i++)
        if (!(condition[i + i * n] * negligible < 1.0))
            return PERP_ERR_SINGULAR;
    for (size_t k = 0; k < n * n; k++)
        magnitude[k] = fabs(a->A[k]);
    multiply(a->bound, condition, magnitude, n, n, n, 0);
    for (size_t k = 0; k < n * m; k++)
        a->next[k] = fabs(a->X[k]);
    multiply(a->size, condition, a->next, n, n, m, 0);
    return all_finite(a->size, n * m) && all_finite(a->bound, n * n) ? PERP_SOLVED
                                                                     : PERP_ERR_SINGULAR;
}

/* A, X and the magnitudes behind them; PERP_ERR_SINGULAR where M has no inverse. */
static perp_status begin(markov *a, const double *M, const double *A, const double *B)
{
    size_t n = (size_t)a->n, m = (size_t)a->m;
    if (n == 0)
        return PERP_SOLVED;
    memcpy(a->A, A, n * n * sizeof(double));
    memcpy(a->X, B, n * m * sizeof(double));
    if (M) {
        memcpy(a->lu, M, n * n * sizeof(double));
        return divide(a);
    }
    for (size_t k = 0; k < n * n; k++)
        a->bound[k] = fabs(A[k]);
    for (size_t k = 0; k < n * m; k++)
        a->size[k] = fabs(B[k]);
    return PERP_SOLVED;
}

static perp_status walk(int *degree, int *relative, markov *a, const double *M, const double *A,
                        const double *B, const double *C, const double *D, double *sums)
{
    int n = a->n, m = a->m, settled = 0;
    perp_status status = begin(a, M, A, B);
    if (status != PERP_SOLVED)
        return status;
    *degree = n + 1;
    for (int i = 0; relative && i < m; i++)
        relative[i] = -1;
    if (D) {
        memcpy(a->parameter, D, (size_t)m * (size_t)m * sizeof(double));
        look(degree, &settled, relative, a, 0);
    }
    for (int k = 1; k <= n; k++) {
        advance(a, C, sums);
        look(degree, &settled, relative, a, k);
    }
    for (int i = 0; relative && i < m; i++)
        relative[i] = relative[i] < 0 ? n + 1 : relative[i];
    return PERP_SOLVED;
}

perp_status perp_relative_degree(const double *M, const double *A, const double *B, const double *C,
                                 const double *D, int n, int m, const perp_allocator *allocator,
                                 int *degree, int *relative)
{
    PERP_HOLD_ENVIRONMENT();
    if (!degree || n < 0 || m < 1 || (n > 0 && (!A || !B || !C)))
        return PERP_ERR_ARGUMENT;
    size_t N = (size_t)n, rows = (size_t)m;
    if ((N > rows ? N : rows) > (size_t)INT_MAX / (N > rows ? N : rows))
        return PERP_ERR_OVERFLOW;
    if (!all_finite(M, N * N) || !all_finite(A, N * N) || !all_finite(B, N * rows) ||
        !all_finite(C, N * rows) || !all_finite(D, rows * rows))
        return PERP_ERR_NONFINITE;

    perp_pool pool;
    size_t square = N * N + 1, tall = N * rows + 1, small = rows * rows;
    perp_pool_init(&pool, allocator);
    markov a = {.n = n, .m = m};
    a.A = PERP_POOL_ARRAY(&pool, double, square);
    a.bound = PERP_POOL_ARRAY(&pool, double, square);
    a.mass = M ? PERP_POOL_ARRAY(&pool, double, square) : NULL;
    a.inverse = M ? PERP_POOL_ARRAY(&pool, double, square) : NULL;
    a.lu = M ? PERP_POOL_ARRAY(&pool, double, square) : NULL;
    a.pivot = M ? PERP_POOL_ARRAY(&pool, lapack_int, N + 1) : NULL;
    a.X = PERP_POOL_ARRAY(&pool, double, tall);
    a.size = PERP_POOL_ARRAY(&pool, double, tall);
    a.next = PERP_POOL_ARRAY(&pool, double, tall);
    a.parameter = PERP_POOL_ARRAY(&pool, double, small);
    double *sums = PERP_POOL_ARRAY(&pool, double, small);
    perp_status status = PERP_ERR_MEMORY;
    if (!pool.failed)
        status = walk(degree, relative, &a, M, A, B, C, D, sums);
    perp_pool_free(&pool);
    return status;
}
