/* SPDX-License-Identifier: BSD-3-Clause */
#include "derivative/orthogonal.h"

#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/small.h"

enum { WIDTH = PERP_ORTHOGONAL_WIDTH, HALF = WIDTH / 2 };
typedef double lanes __attribute__((vector_size(HALF * sizeof(double)), aligned(8), may_alias));

perp_status perp_orthogonal_take(perp_orthogonal *o, int n, perp_arena *arena)
{
    size_t size = (size_t)n;
    *o = (perp_orthogonal){.n = n, .stride = size + WIDTH};
    o->a = PERP_TAKE(arena, double, size * o->stride);
    o->tails = PERP_TAKE(arena, double, size * o->stride);
    o->q = PERP_TAKE(arena, double, size);
    o->z = PERP_TAKE(arena, double, size);
    o->column = PERP_TAKE(arena, int, size);
    o->work = PERP_TAKE(arena, double, 2 * o->stride);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static double *row_of(const perp_orthogonal *o, int i)
{
    return o->a + (size_t)i * o->stride;
}

static double *tail_of(const perp_orthogonal *o, int k)
{
    return o->tails + (size_t)k * (size_t)o->n + (size_t)k + 1;
}

/* The reflection that takes (*first, x) to (*first', 0): x becomes its tail, and its factor is
 * returned. */
static double make_reflection(double *first, double *x, int n)
{
    double tail = perp_norm(x, n), size = hypot(*first, tail);
    if (tail == 0.0)
        return 0.0;
    double end = *first > 0.0 ? -size : size, head = *first - end;
    for (int i = 0; i < n; i++)
        x[i] /= head;
    *first = end;
    return -head / end;
}

/* Rows below the one in `top`, `stride` apart: all become what the reflection makes of them, in
 * `count` columns and up to WIDTH - 1 more, which must be there. */
PERP_CLONES static void reflect_rows(double *top, double *below, const double *tail, double factor,
                                     int rows, int count, size_t stride)
{
    for (int j = 0; j < count; j += WIDTH) {
        lanes a = *(lanes *)(top + j), b = *(lanes *)(top + j + HALF);
        double *own = below + j;
        for (int i = 0; i < rows; i++, own += stride) {
            a += tail[i] * *(lanes *)own;
            b += tail[i] * *(lanes *)(own + HALF);
        }
        a *= -factor;
        b *= -factor;
        *(lanes *)(top + j) += a;
        *(lanes *)(top + j + HALF) += b;
        own = below + j;
        for (int i = 0; i < rows; i++, own += stride) {
            *(lanes *)own += tail[i] * a;
            *(lanes *)(own + HALF) += tail[i] * b;
        }
    }
}

static void swap_columns(perp_orthogonal *o, int j, int k)
{
    int keep = o->column[j];
    o->column[j] = o->column[k];
    o->column[k] = keep;
    for (int i = 0; i < o->n; i++) {
        double *row = row_of(o, i), t = row[j];
        row[j] = row[k];
        row[k] = t;
    }
}

/* Square of column j from row k on. */
static double square_below(const perp_orthogonal *o, int k, int j)
{
    double sum = 0.0;
    for (int i = k; i < o->n; i++)
        sum += row_of(o, i)[j] * row_of(o, i)[j];
    return sum;
}

/* The column with most left; squares of what is left are kept down, and summed again where little
 * of a column is. */
static int choose(perp_orthogonal *o, int k, double *left, double *whole)
{
    int best = k;
    for (int j = k; j < o->n; j++) {
        if (k > 0) {
            double out = row_of(o, k - 1)[j];
            left[j] -= out * out;
            if (!(left[j] > 1e-6 * whole[j]))
                left[j] = whole[j] = square_below(o, k, j);
        }
        best = left[j] > left[best] ? j : best;
    }
    return best;
}

static double norm_of_rest(const perp_orthogonal *o, int k)
{
    double sum = 0.0;
    for (int i = k; i < o->n; i++)
        sum += perp_dot(row_of(o, i) + k, row_of(o, i) + k, o->n - k);
    if (sum > 1e-280 && sum < 1e300)
        return sqrt(sum);
    sum = 0.0;
    for (int i = k; i < o->n; i++)
        sum = hypot(sum, perp_norm(row_of(o, i) + k, o->n - k));
    return sum;
}

static void triangle(perp_orthogonal *o, double singular)
{
    int n = o->n, k = 0;
    double *left = o->work, *whole = o->work + o->stride;
    memset(left, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            left[j] += row_of(o, i)[j] * row_of(o, i)[j];
    memcpy(whole, left, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++)
        o->column[j] = j;
    for (int i = 0; i < n; i++)
        memset(row_of(o, i) + n, 0, WIDTH * sizeof(double));
    for (; k < n; k++) {
        int j = choose(o, k, left, whole), rest = n - k - 1;
        if ((k > 0 || o->largest > 0.0) && !(sqrt(left[j]) > singular * o->largest))
            break;
        if (j != k) {
            swap_columns(o, j, k);
            left[j] = left[k];
            whole[j] = whole[k];
        }
        double *own = row_of(o, k) + k, *tail = tail_of(o, k);
        for (int i = 0; i < rest; i++)
            tail[i] = row_of(o, k + 1 + i)[k];
        o->q[k] = make_reflection(own, tail, rest);
        if (k == 0)
            o->largest = fmax(o->largest, fabs(*own));
        if (*own == 0.0)
            break;
        reflect_rows(own + 1, own + 1 + o->stride, tail, o->q[k], rest, rest, o->stride);
    }
    o->rank = k;
    o->rest = norm_of_rest(o, k);
}

/* What is beside T to 0, from the last row to the first.  It is turned round for that, so that all
 * rows above one are reflected together; tails beyond the rank are free. */
static void clear_beside(perp_orthogonal *o)
{
    size_t rank = (size_t)o->rank, rest = (size_t)o->n - rank, stride = rank + WIDTH;
    double *beside = o->tails + rank * (size_t)o->n, *tail = o->work, *above = o->work + o->stride;
    memset(beside, 0, rest * stride * sizeof(double));
    memset(above, 0, o->stride * sizeof(double));
    for (size_t r = 0; r < rank; r++)
        for (size_t j = 0; j < rest; j++)
            beside[r + j * stride] = row_of(o, (int)r)[rank + j];
    for (size_t i = rank; i-- > 0 && rest > 0;) {
        double *own = row_of(o, (int)i);
        for (size_t j = 0; j < rest; j++)
            tail[j] = beside[i + j * stride];
        o->z[i] = make_reflection(own + i, tail, (int)rest);
        memcpy(own + rank, tail, rest * sizeof(double));
        for (size_t r = 0; r < i; r++)
            above[r] = row_of(o, (int)r)[i];
        reflect_rows(above, beside, tail, o->z[i], (int)rest, (int)i, stride);
        for (size_t r = 0; r < i; r++)
            row_of(o, (int)r)[i] = above[r];
    }
}

static void solve_triangle(const perp_orthogonal *o, double *x, int transposed)
{
    if (transposed) {
        for (int k = 0; k < o->rank; k++) {
            const double *own = row_of(o, k);
            x[k] /= own[k];
            for (int i = k + 1; i < o->rank; i++)
                x[i] -= own[i] * x[k];
        }
        return;
    }
    for (int k = o->rank - 1; k >= 0; k--) {
        const double *own = row_of(o, k);
        x[k] = (x[k] - perp_dot(own + k + 1, x + k + 1, o->rank - k - 1)) / own[k];
    }
}

static void reflect(double *first, double *y, const double *tail, int n, double factor)
{
    double along = factor * (*first + perp_dot(tail, y, n));
    *first -= along;
    for (int i = 0; i < n; i++)
        y[i] -= along * tail[i];
}

/* x becomes Z x or Z' x. */
static void apply_z(const perp_orthogonal *o, double *x, int transposed)
{
    int rest = o->n - o->rank;
    for (int k = 0; k < o->rank && rest > 0; k++) {
        int i = transposed ? k : o->rank - 1 - k;
        reflect(x + i, x + o->rank, row_of(o, i) + o->rank, rest, o->z[i]);
    }
}

/* x becomes Q' x, or Q x. */
static void apply_q(const perp_orthogonal *o, double *x, int transposed)
{
    for (int k = 0; k < o->rank; k++) {
        int i = transposed ? k : o->rank - 1 - k;
        reflect(x + i, x + i + 1, tail_of(o, i), o->n - i - 1, o->q[i]);
    }
}

static void from_columns(const perp_orthogonal *o, double *x, int back)
{
    for (int j = 0; j < o->n; j++)
        o->work[back ? j : o->column[j]] = x[back ? o->column[j] : j];
    memcpy(x, o->work, (size_t)o->n * sizeof(double));
}

void perp_orthogonal_solve(const perp_orthogonal *o, double *x, int transposed)
{
    size_t rest = (size_t)(o->n - o->rank);
    if (transposed) {
        from_columns(o, x, 1);
        apply_z(o, x, 0);
    } else {
        apply_q(o, x, 1);
    }
    memset(x + o->rank, 0, rest * sizeof(double));
    solve_triangle(o, x, transposed);
    if (transposed) {
        apply_q(o, x, 0);
    } else {
        apply_z(o, x, 1);
        from_columns(o, x, 0);
    }
}

void perp_orthogonal_nulls(const perp_orthogonal *o, double *rows, size_t stride, double *work)
{
    size_t rank = (size_t)o->rank, rest = (size_t)o->n - rank;
    double *beside = work + rank * stride;
    memset(work, 0, (size_t)o->n * stride * sizeof(double));
    for (size_t k = 0; k < rest; k++)
        beside[k + k * stride] = 1.0;
    for (size_t i = 0; i < rank; i++)
        reflect_rows(work + i * stride, beside, row_of(o, (int)i) + rank, o->z[i], (int)rest,
                     (int)rest, stride);
    for (int i = 0; i < o->n; i++)
        memcpy(rows + (size_t)o->column[i] * stride, work + (size_t)i * stride,
               stride * sizeof(double));
}

void perp_orthogonal_left_nulls(const perp_orthogonal *o, double *rows, size_t stride)
{
    size_t rank = (size_t)o->rank, rest = (size_t)o->n - rank;
    memset(rows, 0, (size_t)o->n * stride * sizeof(double));
    for (size_t k = 0; k < rest; k++)
        rows[(rank + k) * stride + k] = 1.0;
    for (int k = o->rank - 1; k >= 0; k--) {
        double *own = rows + (size_t)k * stride;
        reflect_rows(own, own + stride, tail_of(o, k), o->q[k], o->n - k - 1, (int)rest, stride);
    }
}

/* Lower bound of |T^-1|_1 that is rarely far off [Higham2002] (algorithm 15.1). */
static double inverse_norm(const perp_orthogonal *o)
{
    double *x = o->work, best = 0.0;
    int n = o->rank, last = -1;
    for (int i = 0; i < n; i++)
        x[i] = 1.0 / n;
    for (int k = 0; k < 5; k++) {
        double now = 0.0;
        solve_triangle(o, x, 0);
        for (int i = 0; i < n; i++)
            now += fabs(x[i]);
        best = fmax(best, now);
        for (int i = 0; i < n; i++)
            x[i] = x[i] < 0.0 ? -1.0 : 1.0;
        solve_triangle(o, x, 1);
        int most = 0;
        for (int i = 1; i < n; i++)
            most = fabs(x[i]) > fabs(x[most]) ? i : most;
        if (most == last)
            break;
        last = most;
        memset(x, 0, (size_t)n * sizeof(double));
        x[most] = 1.0;
    }
    return best;
}

/* See perp_eliminated_bound(). */
double perp_orthogonal_bound(const perp_orthogonal *o)
{
    double *x = o->work, most = 0.0;
    for (int k = o->rank - 1; k >= 0; k--) {
        const double *own = row_of(o, k);
        x[k] = 1.0;
        for (int j = k + 1; j < o->rank; j++)
            x[k] += fabs(own[j]) * x[j];
        x[k] /= fabs(own[k]);
        most = x[k] > most ? x[k] : most;
    }
    return most * sqrt((double)o->rank);
}

void perp_orthogonal_drop(perp_orthogonal *o, double singular, double largest)
{
    o->largest = largest;
    triangle(o, singular);
    if (o->rank > 0)
        clear_beside(o);
}

/* The rank is that of singular values where as many of them are above those of T as it has rows,
 * and the others below the norm of what was dropped; the largest one is between the first pivot and
 * the norm of A. */
int perp_orthogonal_factor(perp_orthogonal *o, double singular)
{
    double whole = norm_of_rest(o, 0);
    triangle(o, singular);
    if (o->rank == 0 || !isfinite(whole))
        return o->rank == 0 && whole == 0.0;
    clear_beside(o);
    return o->rest <= singular * o->largest &&
           inverse_norm(o) * sqrt((double)o->rank) * singular * whole < 1.0;
}
