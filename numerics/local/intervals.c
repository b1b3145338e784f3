/* SPDX-License-Identifier: BSD-3-Clause */
/* Principal pivots ([CottlePangStone1992], chapter 4) with bounds: y = T x + constant, where y_i is
 * w_i of a row at a bound and z_i of one with w_i = 0, and x_i the other of the two.  The constant
 * is not kept: where x_k moves so that y_k comes to its new value, all of y follow. */
#include "local/intervals.h"

#include <math.h>
#include <string.h>

/* In units in which the diagonal of M is 1 and the largest of q and bounds too. */
static const double least_pivot = 1e-10, rounding = 1e-13;

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Columns of T are as far apart as its rows are many, rounded up to a multiple of four. */
static inline int rows_of(const perp_intervals *p)
{
    return (p->n + 3) & ~3;
}

static inline double *column(perp_intervals *p, int k)
{
    return p->T + (size_t)k * (size_t)rows_of(p);
}

/* y += a x */
static inline void add(double *y, const double *x, double a, int rows)
{
    for (int i = 0; i < rows; i += 4)
        *(quad *)(y + i) += *(const quad *)(x + i) * a;
}

static inline double max2(double a, double b)
{
    return a > b ? a : b;
}

static inline int is_free(const perp_intervals *p, int i)
{
    return p->lo[i] == -INFINITY && p->hi[i] == INFINITY;
}

void perp_intervals_place(perp_intervals *p)
{
    p->largest = 0.0;
    for (int i = 0; i < p->n; i++) {
        p->value[i] = p->lo[i] > -INFINITY ? p->lo[i] : p->hi[i] < INFINITY ? p->hi[i] : 0.0;
        p->between[i] = 0;
        p->largest = max2(p->largest, max2(fabs(p->q[i]) / p->d[i], fabs(p->value[i]) * p->d[i]));
    }
}

/* w for z at the values; T = M. */
static void begin(perp_intervals *p)
{
    int n = p->n, rows = rows_of(p);
    perp_intervals_place(p);
    for (int i = 0; i < rows; i++)
        p->y[i] = i < n ? p->q[i] : 0.0;
    for (int j = 0; j < n; j++) {
        const double *from = p->M + (size_t)j * (size_t)p->ld;
        double *to = column(p, j);
        for (int i = 0; i < rows; i++)
            to[i] = i < n ? from[i] : 0.0;
        if (p->value[j] != 0.0)
            add(p->y, to, p->value[j], rows);
    }
}

/* How far row i is from where it may be. */
static inline double violation(const perp_intervals *p, int i)
{
    double y = p->y[i];
    if (p->between[i])
        return max2(p->lo[i] - y, y - p->hi[i]) * p->d[i];
    if (is_free(p, i))
        return INFINITY;
    double low = p->value[i] == p->lo[i] ? -y : -INFINITY;
    double high = p->value[i] == p->hi[i] ? y : -INFINITY;
    if (p->lo[i] == p->hi[i])
        return 0.0;
    return max2(low, high) / p->d[i];
}

/* x_k and y_k change places, y_k at `target`.  0: the pivot is not one. */
static int exchange(perp_intervals *p, int k, double target)
{
    int n = p->n, rows = rows_of(p);
    double *own = column(p, k), pivot = own[k], square = p->d[k] * p->d[k];
    double size = p->between[k] ? pivot * square : pivot / square;
    if (!((is_free(p, k) ? fabs(size) : size) > least_pivot))
        return 0;
    double inverse = 1.0 / pivot, step = (target - p->y[k]) * inverse;
    add(p->y, own, step, rows);
    for (int j = 0; j < n; j++) {
        double *other = column(p, j), factor = other[k] * inverse;
        if (j == k || factor == 0.0)
            continue;
        add(other, own, -factor, rows);
        other[k] = -factor;
    }
    for (int i = 0; i < rows; i += 4)
        *(quad *)(own + i) *= inverse;
    own[k] = inverse;
    p->y[k] = p->between[k] ? step : p->value[k] + step;
    p->steps++;
    return 1;
}

static int change_sides(perp_intervals *p, int k)
{
    double bound = p->y[k] < p->lo[k] ? p->lo[k] : p->hi[k];
    if (!exchange(p, k, p->between[k] ? bound : 0.0))
        return 0;
    if (p->between[k])
        p->value[k] = bound;
    p->between[k] = !p->between[k];
    return 1;
}

static double within(const perp_intervals *p, int i, double z)
{
    return z < p->lo[i] ? p->lo[i] : z > p->hi[i] ? p->hi[i] : z;
}

static void fill(const perp_intervals *p, double *z)
{
    for (int i = 0; i < p->n; i++)
        z[i] = p->between[i] ? within(p, i, p->y[i]) : p->value[i];
}

/* The row furthest out, of several the last or the first; -1: none is out. */
static int furthest(const perp_intervals *p, int last)
{
    double worst = rounding * p->largest;
    int at = -1;
    for (int i = 0; i < p->n; i++) {
        double v = violation(p, i);
        if (v > worst || (last && at >= 0 && v == worst)) {
            worst = v;
            at = i;
        }
    }
    return at;
}

/* 1: no row is out of its interval. */
static int pivot_on(perp_intervals *p, int last)
{
    int most = p->steps + p->n + 2, at;
    begin(p);
    while ((at = furthest(p, last)) >= 0)
        if (p->steps >= most || !change_sides(p, at))
            return 0;
    return 1;
}

int perp_intervals_pivots(perp_intervals *p, double *z)
{
    p->steps = 0;
    if (!pivot_on(p, 0) && !pivot_on(p, 1))
        return 0;
    fill(p, z);
    return 1;
}

void perp_intervals_refine(const perp_intervals *p, double *z, const double *w)
{
    double step[PERP_INTERVALS_MOST] = {0.0};
    for (int j = 0; j < p->n; j++)
        for (int i = 0; p->between[j] && i < p->n; i++)
            step[i] -= p->T[(size_t)j * (size_t)rows_of(p) + (size_t)i] * w[j];
    for (int i = 0; i < p->n; i++)
        if (p->between[i])
            z[i] = within(p, i, z[i] + step[i]);
}

/* The equations w = 0 of the rows between their bounds, listed in `row`: A x = right, row-major. */
static void set_up(const perp_intervals *p, const int *row, int m, double *A, double *x)
{
    for (int a = 0; a < m; a++) {
        const double *M = p->M + row[a];
        x[a] = -p->q[row[a]];
        for (int j = 0; j < p->n; j++)
            if (!p->between[j])
                x[a] -= M[(size_t)j * (size_t)p->ld] * p->value[j];
        for (int c = 0; c < m; c++)
            A[a * m + c] = M[(size_t)row[c] * (size_t)p->ld];
    }
}

static void swap_rows(double *A, double *x, int m, int a, int b)
{
    double kept = x[a];
    x[a] = x[b];
    x[b] = kept;
    for (int k = 0; k < m; k++) {
        kept = A[a * m + k];
        A[a * m + k] = A[b * m + k];
        A[b * m + k] = kept;
    }
}

/* x = A^-1 x by Gauss' elimination; 0: a pivot is none. */
static int eliminate(const perp_intervals *p, const int *row, int m, double *A, double *x)
{
    for (int c = 0; c < m; c++) {
        int best = c;
        for (int a = c + 1; a < m; a++)
            if (fabs(A[a * m + c]) > fabs(A[best * m + c]))
                best = a;
        if (!(fabs(A[best * m + c]) > least_pivot * p->d[row[c]] * p->d[row[c]]))
            return 0;
        if (best != c)
            swap_rows(A, x, m, best, c);
        for (int a = c + 1; a < m; a++) {
            double factor = A[a * m + c] / A[c * m + c];
            for (int k = c; k < m; k++)
                A[a * m + k] -= factor * A[c * m + k];
            x[a] -= factor * x[c];
        }
    }
    for (int c = m - 1; c >= 0; c--) {
        for (int k = c + 1; k < m; k++)
            x[c] -= A[c * m + k] * x[k];
        x[c] /= A[c * m + c];
    }
    return 1;
}

int perp_intervals_solve_set(perp_intervals *p, double *z)
{
    int row[PERP_INTERVALS_MOST], n = p->n, m = 0;
    double *A = p->T, *x = p->T + n * n;
    for (int i = 0; i < n; i++)
        if (p->between[i])
            row[m++] = i;
    set_up(p, row, m, A, x);
    if (!eliminate(p, row, m, A, x))
        return 0;
    for (int a = 0; a < m; a++)
        p->y[row[a]] = x[a];
    fill(p, z);
    for (int i = 0; i < n; i++) {
        if (!p->between[i]) {
            p->y[i] = p->q[i];
            for (int j = 0; j < n; j++)
                p->y[i] += p->M[(size_t)j * (size_t)p->ld + (size_t)i] * z[j];
        }
        if (violation(p, i) > rounding * p->largest)
            return 0;
    }
    return 1;
}

/* How many places row i may have, and the one after its present one; 0: that was the last. */
static int places(const perp_intervals *p, int i)
{
    if (is_free(p, i))
        return 1;
    return p->lo[i] == p->hi[i] ? 1 : 1 + (p->lo[i] > -INFINITY) + (p->hi[i] < INFINITY);
}

static void first_place(perp_intervals *p, int i)
{
    p->between[i] = is_free(p, i) ? 1 : 0;
    p->value[i] = p->lo[i] > -INFINITY ? p->lo[i] : p->hi[i] < INFINITY ? p->hi[i] : 0.0;
}

static int next_place(perp_intervals *p, int i)
{
    if (places(p, i) == 1 || p->between[i])
        return 0;
    if (p->value[i] == p->lo[i] && p->hi[i] < INFINITY)
        p->value[i] = p->hi[i];
    else
        p->between[i] = 1;
    return 1;
}

int perp_intervals_modes(perp_intervals *p, double *z)
{
    int count = 1, at = 0;
    p->steps = 0;
    for (int i = 0; i < p->n; i++)
        if ((count *= places(p, i)) > PERP_INTERVALS_MODES)
            return 0;
    perp_intervals_place(p);
    for (int i = 0; i < p->n; i++)
        first_place(p, i);
    while (at < p->n) {
        p->steps++;
        if (perp_intervals_solve_set(p, z))
            return 1;
        for (at = 0; at < p->n && !next_place(p, at); at++)
            first_place(p, at);
    }
    return 0;
}
