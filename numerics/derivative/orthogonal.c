/* SPDX-License-Identifier: BSD-3-Clause */
#include "derivative/orthogonal.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

perp_status perp_orthogonal_take(perp_orthogonal *o, int n, perp_arena *arena)
{
    size_t size = (size_t)n;
    *o = (perp_orthogonal){.n = n};
    o->a = PERP_TAKE(arena, double, size *size);
    o->q = PERP_TAKE(arena, double, size);
    o->z = PERP_TAKE(arena, double, size);
    o->column = PERP_TAKE(arena, int, size);
    o->work = PERP_TAKE(arena, double, 2 * size);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static double *column_of(const perp_orthogonal *o, int j)
{
    return o->a + (size_t)j * (size_t)o->n;
}

/* y -= factor (v.y) v with v = (1, tail), n entries after the first. */
static void reflect(double *first, double *y, const double *tail, int n, double factor)
{
    double along = factor * (*first + perp_dot(tail, y, n));
    *first -= along;
    for (int i = 0; i < n; i++)
        y[i] -= along * tail[i];
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

static void swap_columns(perp_orthogonal *o, int j, int k)
{
    double *x = column_of(o, j), *y = column_of(o, k);
    int keep = o->column[j];
    o->column[j] = o->column[k];
    o->column[k] = keep;
    for (int i = 0; i < o->n; i++) {
        double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* The column with most left; squares of what is left are kept down, and summed again where little
 * of a column is. */
static int choose(perp_orthogonal *o, int k, double *left, double *whole)
{
    int best = k;
    for (int j = k; j < o->n; j++) {
        if (k > 0) {
            double out = column_of(o, j)[k - 1];
            left[j] -= out * out;
            if (!(left[j] > 1e-6 * whole[j])) {
                double *x = column_of(o, j) + k;
                left[j] = whole[j] = perp_dot(x, x, o->n - k);
            }
        }
        best = left[j] > left[best] ? j : best;
    }
    return best;
}

static double norm_of_rest(const perp_orthogonal *o, int k)
{
    double sum = 0.0;
    for (int j = k; j < o->n; j++)
        sum = hypot(sum, perp_norm(column_of(o, j) + k, o->n - k));
    return sum;
}

static void triangle(perp_orthogonal *o, double singular)
{
    int n = o->n, k = 0;
    double *left = o->work, *whole = o->work + n;
    for (int j = 0; j < n; j++) {
        o->column[j] = j;
        left[j] = whole[j] = perp_dot(column_of(o, j), column_of(o, j), n);
    }
    for (; k < n; k++) {
        int j = choose(o, k, left, whole);
        if (k > 0 && !(sqrt(left[j]) > singular * o->largest))
            break;
        if (j != k) {
            swap_columns(o, j, k);
            left[j] = left[k];
            whole[j] = whole[k];
        }
        double *own = column_of(o, k);
        o->q[k] = make_reflection(&own[k], own + k + 1, n - k - 1);
        if (k == 0)
            o->largest = fabs(own[0]);
        if (own[k] == 0.0)
            break;
        for (int c = k + 1; c < n; c++)
            reflect(column_of(o, c) + k, column_of(o, c) + k + 1, own + k + 1, n - k - 1, o->q[k]);
    }
    o->rank = k;
    o->rest = norm_of_rest(o, k);
}

/* Row i of [T, beside] for the reflection that takes what is beside it to 0; then the rows above.
 */
static void clear_beside(perp_orthogonal *o)
{
    int rest = o->n - o->rank;
    double *tail = o->work;
    for (int i = o->rank - 1; i >= 0 && rest > 0; i--) {
        for (int j = 0; j < rest; j++)
            tail[j] = column_of(o, o->rank + j)[i];
        o->z[i] = make_reflection(&column_of(o, i)[i], tail, rest);
        for (int j = 0; j < rest; j++)
            column_of(o, o->rank + j)[i] = tail[j];
        double *along = o->work + o->n;
        memcpy(along, column_of(o, i), (size_t)i * sizeof(double));
        for (int j = 0; j < rest; j++)
            for (int r = 0; r < i; r++)
                along[r] += tail[j] * column_of(o, o->rank + j)[r];
        for (int r = 0; r < i; r++)
            column_of(o, i)[r] -= o->z[i] * along[r];
        for (int j = 0; j < rest; j++)
            for (int r = 0; r < i; r++)
                column_of(o, o->rank + j)[r] -= o->z[i] * along[r] * tail[j];
    }
}

static void solve_triangle(const perp_orthogonal *o, double *x, int transposed)
{
    if (transposed) {
        for (int k = 0; k < o->rank; k++)
            x[k] = (x[k] - perp_dot(column_of(o, k), x, k)) / column_of(o, k)[k];
        return;
    }
    for (int k = o->rank - 1; k >= 0; k--) {
        const double *own = column_of(o, k);
        x[k] /= own[k];
        for (int i = 0; i < k; i++)
            x[i] -= own[i] * x[k];
    }
}

/* x becomes Z x or Z' x; reflections of Z were made from the last row to the first. */
static void apply_z(const perp_orthogonal *o, double *x, int transposed)
{
    int rest = o->n - o->rank;
    for (int k = 0; k < o->rank && rest > 0; k++) {
        int i = transposed ? k : o->rank - 1 - k;
        double along = x[i];
        for (int j = 0; j < rest; j++)
            along += column_of(o, o->rank + j)[i] * x[o->rank + j];
        along *= o->z[i];
        x[i] -= along;
        for (int j = 0; j < rest; j++)
            x[o->rank + j] -= along * column_of(o, o->rank + j)[i];
    }
}

/* x becomes Q' x, or Q x. */
static void apply_q(const perp_orthogonal *o, double *x, int transposed)
{
    for (int k = 0; k < o->rank; k++) {
        int i = transposed ? k : o->rank - 1 - k;
        reflect(x + i, x + i + 1, column_of(o, i) + i + 1, o->n - i - 1, o->q[i]);
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

void perp_orthogonal_null(const perp_orthogonal *o, double *x, int k)
{
    memset(x, 0, (size_t)o->n * sizeof(double));
    x[o->rank + k] = 1.0;
    apply_z(o, x, 1);
    from_columns(o, x, 0);
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

/* The singular values of A interlace those of T and of what was dropped: |first pivot| <= the
 * largest <= sqrt(n) of it times sqrt(n) at most. */
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
