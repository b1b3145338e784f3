/* SPDX-License-Identifier: BSD-3-Clause */
/* Solving with a square matrix and its transpose: dense LU, sparse LU (KLU), or, where it is
 * singular, reflections, and singular values where these leave its rank open. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "derivative/state.h"
#include "linalg/dense_lu.h"
#include "linalg/factor/factor.h"

/* Below this the matrix counts as singular; it is scaled to entries of about 1. */
static const double singular = 1e-11;
enum { DENSE_ALWAYS = 100, DENSE_MOST = 4000 };

static void dense_transposed(double *x, const double *lu, const int *pivots, int n)
{
    for (int k = 0; k < n; k++) { /* U' */
        const double *column = lu + (size_t)k * (size_t)n;
        double t = x[k];
        for (int i = 0; i < k; i++)
            t -= column[i] * x[i];
        x[k] = t / column[k];
    }
    for (int k = n - 1; k >= 0; k--) { /* L' */
        const double *column = lu + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; i++)
            x[k] -= column[i] * x[i];
    }
    for (int k = n - 1; k >= 0; k--) {
        double keep = x[k];
        x[k] = x[pivots[k] - 1];
        x[pivots[k] - 1] = keep;
    }
}

/* x = V S^-1 U' x or U S^-1 V' x over the first `rank` values. */
static void by_values(perp_square *s, double *x, int transposed)
{
    size_t n = (size_t)s->n;
    memset(s->work, 0, n * sizeof(double));
    for (size_t k = 0; k < (size_t)s->rank; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += (transposed ? s->vt[k + i * n] : s->u[i + k * n]) * x[i];
        sum /= s->value[k];
        for (size_t i = 0; i < n; i++)
            s->work[i] += sum * (transposed ? s->u[i + k * n] : s->vt[k + i * n]);
    }
    memcpy(x, s->work, n * sizeof(double));
}

void perp_square_solve(perp_square *s, double *x, int transposed)
{
    if (s->n == 0)
        return;
    if (s->kind == PERP_SQUARE_VALUES)
        by_values(s, x, transposed);
    else if (s->kind == PERP_SQUARE_ELIMINATED)
        perp_eliminated_solve(&s->eliminated, x, transposed);
    else if (s->kind == PERP_SQUARE_ORTHOGONAL)
        perp_orthogonal_solve(&s->orthogonal, x, transposed);
    else if (s->kind == PERP_SQUARE_SPARSE && transposed)
        perp_lu_solve_transposed(x, &s->lu, x, NULL, s->work);
    else if (s->kind == PERP_SQUARE_SPARSE)
        perp_lu_solve_at(x, &s->lu, x, NULL, s->work);
    else if (transposed)
        dense_transposed(x, s->dense, s->pivots, s->n);
    else
        perp_dense_lu_solve(x, s->dense, s->pivots, s->n);
}

size_t perp_nulls_stride(int columns)
{
    size_t width = PERP_ORTHOGONAL_WIDTH;
    return ((size_t)columns + width - 1) / width * width;
}

void perp_square_nulls(const perp_square *s, double *rows, size_t stride, double *work)
{
    size_t n = (size_t)s->n, count = n - (size_t)s->rank;
    if (s->kind == PERP_SQUARE_ELIMINATED) {
        perp_eliminated_nulls(&s->eliminated, rows, stride);
        return;
    }
    if (s->kind == PERP_SQUARE_ORTHOGONAL) {
        perp_orthogonal_nulls(&s->orthogonal, rows, stride, work);
        return;
    }
    memset(rows, 0, n * stride * sizeof(double));
    for (size_t i = 0; i < n; i++)
        memcpy(rows + i * stride, s->vt + (size_t)s->rank + i * n, count * sizeof(double));
}

static double sum_of(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

/* Lower bound of |A^-1|_1 that is rarely far off [Higham2002] (algorithm 15.1), with a second start
 * of alternating signs. */
static double inverse_norm(perp_square *s, double *x)
{
    int n = s->n, last = -1;
    double best = 0.0;
    for (int i = 0; i < n; i++)
        x[i] = 1.0 / n;
    for (int k = 0; k < 5; k++) {
        perp_square_solve(s, x, 0);
        double now = sum_of(x, n);
        if (!(now > best))
            return now == now ? best : INFINITY;
        best = now;
        for (int i = 0; i < n; i++)
            x[i] = x[i] < 0.0 ? -1.0 : 1.0;
        perp_square_solve(s, x, 1);
        int largest = 0;
        for (int i = 1; i < n; i++)
            largest = fabs(x[i]) > fabs(x[largest]) ? i : largest;
        if (largest == last)
            break;
        last = largest;
        memset(x, 0, (size_t)n * sizeof(double));
        x[largest] = 1.0;
    }
    for (int i = 0; i < n; i++)
        x[i] = (i % 2 ? -1.0 : 1.0) * (1.0 + (n > 1 ? (double)i / (n - 1) : 0.0));
    perp_square_solve(s, x, 0);
    double other = 2.0 * sum_of(x, n) / (3.0 * n);
    return other == other ? fmax(best, other) : INFINITY;
}

static double norm1(const perp_csc *A)
{
    double most = 0.0;
    for (int j = 0; j < A->cols; j++)
        most = fmax(most, sum_of(A->x + A->colptr[j], A->colptr[j + 1] - A->colptr[j]));
    return most;
}

static void to_dense(double *dense, const perp_csc *A)
{
    size_t n = (size_t)A->cols;
    memset(dense, 0, n * n * sizeof(double));
    for (size_t j = 0; j < n; j++)
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            dense[(size_t)A->row[p] + j * n] += A->x[p];
}

static perp_status factor_sparse(perp_square *s, const perp_csc *A, perp_arena *arena)
{
    perp_factor *factor;
    perp_status status =
        perp_factor_create(&factor, PERP_FACTOR_KLU, PERP_ORDERING_AUTO, 0, A, &arena->allocator);
    if (status != PERP_SOLVED)
        return status;
    status = perp_factor_numeric(factor, A);
    if (status == PERP_SOLVED)
        status = perp_factor_klu_extract(&s->lu, factor, arena);
    perp_factor_destroy(factor);
    return status;
}

static perp_status factor_dense(perp_square *s, const perp_csc *A, perp_arena *arena)
{
    size_t n = (size_t)s->n, entries = n * n;
    s->dense = PERP_TAKE(arena, double, entries);
    s->pivots = PERP_TAKE(arena, int, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    to_dense(s->dense, A);
    return perp_dense_lu_factor(s->dense, s->pivots, s->n) ? PERP_SOLVED : PERP_ERR_SINGULAR;
}

static perp_status factor_values(perp_square *s, const perp_csc *A, perp_arena *arena,
                                 perp_arena *temporary)
{
    size_t n = (size_t)s->n, entries = n * n, work = 5 * entries + 12 * n + 64;
    double *a = PERP_TAKE(temporary, double, entries), *x = PERP_TAKE(temporary, double, work);
    int *integers = PERP_TAKE(temporary, int, 8 * n);
    s->u = PERP_TAKE(arena, double, entries);
    s->vt = PERP_TAKE(arena, double, entries);
    s->value = PERP_TAKE(arena, double, n);
    if (arena->failed || temporary->failed)
        return PERP_ERR_MEMORY;
    to_dense(a, A);
    s->kind = PERP_SQUARE_VALUES;
    if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', s->n, s->n, a, s->n, s->value, s->u, s->n, s->vt,
                            s->n, x, (int)work, integers) != 0)
        return PERP_ERR_NUMERICAL;
    for (s->rank = 0; s->rank < s->n && s->value[s->rank] > singular * s->value[0];)
        s->rank++;
    s->rcond = s->value[0] > 0.0 ? s->value[s->n - 1] / s->value[0] : 0.0;
    return PERP_SOLVED;
}

static void to_rows(double *rows, size_t stride, const perp_csc *A)
{
    size_t n = (size_t)A->cols;
    if ((size_t)A->colptr[n] == n * n) { /* rows are sorted and none is there twice */
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++)
                rows[i * stride + j] = A->x[i + j * n];
            memset(rows + i * stride + n, 0, (stride - n) * sizeof(double));
        }
        return;
    }
    memset(rows, 0, n * stride * sizeof(double));
    for (int j = 0; j < A->cols; j++) {
        const int *row = A->row + A->colptr[j];
        const double *x = A->x + A->colptr[j];
        int count = A->colptr[j + 1] - A->colptr[j];
        for (int p = 0; p < count; p++)
            rows[(size_t)row[p] * stride + (size_t)j] = x[p];
    }
}

/* PERP_ERR_SINGULAR: its rank is not certain. */
static perp_status factor_orthogonal(perp_square *s, const perp_csc *A, perp_arena *arena)
{
    perp_status status = perp_orthogonal_take(&s->orthogonal, s->n, arena);
    if (status != PERP_SOLVED)
        return status;
    to_rows(s->orthogonal.a, s->orthogonal.stride, A);
    if (!perp_orthogonal_factor(&s->orthogonal, singular))
        return PERP_ERR_SINGULAR;
    s->kind = PERP_SQUARE_ORTHOGONAL;
    s->rank = s->orthogonal.rank;
    s->rcond = s->rank > 0 ? s->orthogonal.rest / s->orthogonal.largest : 0.0;
    return PERP_SOLVED;
}

/* The same by elimination.  The rank is that of singular values: the least that is kept is 1/|A^-|
 * or more, and the others are below the norm of what was dropped. */
static perp_status factor_eliminated(perp_square *s, const perp_csc *A, perp_arena *arena,
                                     double *x)
{
    double squares = 0.0;
    perp_status status = perp_eliminated_take(&s->eliminated, s->n, arena);
    if (status != PERP_SOLVED)
        return status;
    to_rows(s->eliminated.a, s->eliminated.stride, A);
    for (int p = 0; p < A->colptr[s->n]; p++)
        squares += A->x[p] * A->x[p];
    status = perp_eliminated_factor(&s->eliminated, singular, arena);
    if (status != PERP_SOLVED)
        return status;
    s->kind = PERP_SQUARE_ELIMINATED;
    s->rank = s->eliminated.rank;
    double norm = sqrt(squares), inverse = perp_eliminated_bound(&s->eliminated);
    if (!(norm * inverse * singular < 1.0) || s->rank == s->n)
        inverse = inverse_norm(s, x) * sqrt((double)s->n);
    if (s->rank == 0 || !(s->eliminated.rest <= singular * s->eliminated.largest) ||
        !(norm * inverse * singular < 1.0)) {
        s->rank = s->n;
        return PERP_ERR_SINGULAR;
    }
    s->rcond = s->rank < s->n ? s->eliminated.rest / s->eliminated.largest : 1.0 / (norm * inverse);
    return PERP_SOLVED;
}

perp_status perp_square_factor(perp_square *s, const perp_csc *A, int values_up_to, int doubtful,
                               perp_arena *arena, perp_arena *temporary)
{
    double n = A->cols;
    *s = (perp_square){.n = A->cols, .rank = A->cols, .rcond = 1.0};
    s->work = PERP_TAKE(arena, double, A->cols);
    double *x = PERP_TAKE(temporary, double, A->cols);
    if (!s->work || !x)
        return PERP_ERR_MEMORY;
    if (s->n == 0)
        return PERP_SOLVED;
    perp_status status = PERP_ERR_SINGULAR;
    doubtful = doubtful && s->n <= DENSE_ALWAYS && s->n <= values_up_to;
    if (doubtful && (status = factor_eliminated(s, A, arena, x)) != PERP_ERR_SINGULAR)
        return status;
    if (doubtful && (status = factor_orthogonal(s, A, arena)) != PERP_ERR_SINGULAR)
        return status;
    int few = A->cols <= DENSE_ALWAYS, full = A->colptr[A->cols] > 0.2 * n * n;
    s->kind = few || (full && A->cols <= DENSE_MOST) ? PERP_SQUARE_DENSE : PERP_SQUARE_SPARSE;
    status = s->kind == PERP_SQUARE_DENSE ? factor_dense(s, A, arena) : factor_sparse(s, A, arena);
    if (status == PERP_SOLVED) {
        double norm = norm1(A) * inverse_norm(s, x);
        s->rcond = norm > 0.0 && norm <= 1e300 ? 1.0 / norm : 0.0;
        if (s->rcond > singular)
            return PERP_SOLVED;
    } else if (status != PERP_ERR_SINGULAR) {
        return status;
    }
    if (s->n > values_up_to)
        return PERP_ERR_SINGULAR;
    status = doubtful ? PERP_ERR_SINGULAR : factor_orthogonal(s, A, arena);
    return status == PERP_ERR_SINGULAR ? factor_values(s, A, arena, temporary) : status;
}
