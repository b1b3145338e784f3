/* SPDX-License-Identifier: BSD-3-Clause */
#include "feasible/cone_projection.h"

#include <math.h>
#include <string.h>

/* Sine of the angle below which a vector lies in the span of others; by which a row is broken; and
 * what counts as x = 0, of the terms that cancel in it. */
static const double dependent = 1e-10, broken = 1e-10, nothing = 1e-13;

enum { FIRST_ROOM = 16 };

static int grow(perp_row_cone *c)
{
    size_t old = (size_t)c->capacity, capacity = old > 0 ? 2 * old : FIRST_ROOM,
           m = (size_t)c->m + 1;
    int *passive = PERP_TAKE(c->arena, int, capacity);
    double *Q = PERP_TAKE(c->arena, double, m *capacity),
           *R = PERP_TAKE(c->arena, double, capacity *capacity);
    double *y = PERP_TAKE(c->arena, double, capacity),
           *trial = PERP_TAKE(c->arena, double, capacity);
    if (c->arena->failed)
        return 0;
    if (old > 0) {
        memcpy(passive, c->passive, old * sizeof *passive);
        memcpy(Q, c->Q, m * old * sizeof *Q);
        memcpy(y, c->y, old * sizeof *y);
        for (size_t k = 0; k < old; k++)
            memcpy(R + k * capacity, c->R + k * old, old * sizeof *R);
    }
    c->passive = passive;
    c->Q = Q;
    c->R = R;
    c->y = y;
    c->trial = trial;
    c->capacity = (int)capacity;
    return 1;
}

int perp_row_cone_take(perp_row_cone *c, perp_arena *arena)
{
    c->arena = arena;
    c->capacity = c->p = 0;
    c->in = PERP_TAKE(arena, unsigned char, c->n);
    c->x = PERP_TAKE(arena, double, c->m + 1);
    return !arena->failed && grow(c);
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* a_i.x */
static double product(const perp_row_cone *c, int i, const double *x)
{
    double sum = c->last[i] * x[c->m];
    for (int k = c->ptr[i]; k < c->ptr[i + 1]; k++)
        sum += c->a[k] * x[c->col[k]];
    return sum;
}

/* x without its parts along the first p columns of Q; their coefficients are added to r (or NULL).
 */
static void orthogonalise(perp_row_cone *c, double *x, double *r)
{
    size_t m = (size_t)c->m + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < c->p; k++) {
            const double *q = c->Q + (size_t)k * m;
            double s = dot(q, x, c->m + 1);
            for (size_t i = 0; i < m; i++)
                x[i] -= s * q[i];
            if (r)
                r[k] += s;
        }
    }
    c->work += 8.0 * (double)m * (double)c->p;
}

/* Adds a_i as the last column of QR; 0 where it depends on the others.  Of an equality that depends
 * on others but for its last entry, what the noise explains is nothing. */
static int append(perp_row_cone *c, int i)
{
    size_t m = (size_t)c->m + 1;
    double *q = c->Q + (size_t)c->p * m, *r = c->R + (size_t)c->p * (size_t)c->capacity;
    memset(q, 0, m * sizeof *q);
    memset(r, 0, (size_t)c->capacity * sizeof *r);
    for (int k = c->ptr[i]; k < c->ptr[i + 1]; k++)
        q[c->col[k]] += c->a[k];
    q[c->m] = c->last[i];
    double whole = sqrt(dot(q, q, c->m + 1));
    orthogonalise(c, q, r);
    double left = sqrt(dot(q, q, c->m + 1)), inside = sqrt(dot(q, q, c->m));
    if (!(left > dependent * whole) ||
        (c->equality[i] && inside <= dependent && fabs(q[c->m]) <= 4.0 * c->noise[i]))
        return 0;
    for (size_t k = 0; k < m; k++)
        q[k] /= left;
    r[c->p] = left;
    c->passive[c->p++] = i;
    c->in[i] = 1;
    return 1;
}

/* R z = right side: the coefficients of minus the projection of g, whose products with Q are
 * added on the way. */
static void back_solve(const perp_row_cone *c, double *z)
{
    size_t capacity = (size_t)c->capacity;
    for (int k = c->p - 1; k >= 0; k--) {
        for (int j = k + 1; j < c->p; j++)
            z[k] -= c->R[(size_t)j * capacity + (size_t)k] * z[j];
        z[k] /= c->R[(size_t)k * capacity + (size_t)k];
    }
}

/* x = e without its part in the span, and trial = the coefficients of that part, negative. */
static void solve_passive(perp_row_cone *c)
{
    size_t m = (size_t)c->m + 1;
    memset(c->x, 0, m * sizeof *c->x);
    c->x[c->m] = 1.0;
    memset(c->trial, 0, (size_t)c->capacity * sizeof *c->trial);
    orthogonalise(c, c->x, c->trial);
    for (int k = 0; k < c->p; k++)
        c->trial[k] = -c->trial[k];
    back_solve(c, c->trial);
    c->work += (double)c->p * (double)c->p;
}

/* Columns j and j + 1 of Q and rows j and j + 1 of R, turned so that R(j + 1, j) is 0. */
static void turn(perp_row_cone *c, int j)
{
    size_t m = (size_t)c->m + 1, capacity = (size_t)c->capacity;
    double *q = c->Q + (size_t)j * m, *next = q + m, *R = c->R + (size_t)j;
    double *own = R + (size_t)j * capacity, length = hypot(own[0], own[1]);
    double cosine = own[0] / length, sine = own[1] / length;
    for (size_t l = (size_t)j; l + 1 < (size_t)c->p; l++) {
        double *at = R + l * capacity, upper = at[0];
        at[0] = cosine * upper + sine * at[1];
        at[1] = cosine * at[1] - sine * upper;
    }
    own[1] = 0.0;
    for (size_t i = 0; i < m; i++) {
        double first = q[i];
        q[i] = cosine * first + sine * next[i];
        next[i] = cosine * next[i] - sine * first;
    }
    c->work += 6.0 * (double)m;
}

static void take_out(perp_row_cone *c, int k)
{
    size_t capacity = (size_t)c->capacity, after = (size_t)(c->p - 1 - k);
    c->in[c->passive[k]] = 0;
    memmove(c->passive + k, c->passive + k + 1, after * sizeof *c->passive);
    memmove(c->y + k, c->y + k + 1, after * sizeof *c->y);
    memmove(c->R + (size_t)k * capacity, c->R + (size_t)(k + 1) * capacity,
            after * capacity * sizeof *c->R);
    for (int j = k; j + 1 < c->p; j++)
        turn(c, j);
    c->p--;
}

/* The passive set without what y = 0 marks. */
static void remove_zeros(perp_row_cone *c)
{
    for (int k = c->p - 1; k >= 0; k--)
        if (!c->equality[c->passive[k]] && !(c->y[k] > 0.0))
            take_out(c, k);
}

/* From y towards trial until an inequality's coefficient is 0. */
static int step_back(perp_row_cone *c)
{
    double alpha = 1.0;
    int first = -1;
    for (int k = 0; k < c->p; k++) {
        if (c->equality[c->passive[k]] || c->trial[k] > 0.0)
            continue;
        double ratio = c->y[k] > c->trial[k] ? c->y[k] / (c->y[k] - c->trial[k]) : 0.0;
        if (first < 0 || ratio < alpha) {
            alpha = ratio;
            first = k;
        }
    }
    if (first < 0)
        return 0;
    for (int k = 0; k < c->p; k++) {
        c->y[k] += alpha * (c->trial[k] - c->y[k]);
        if (!c->equality[c->passive[k]] && c->y[k] < 0.0)
            c->y[k] = 0.0;
    }
    c->y[first] = 0.0;
    return 1;
}

static void begin(perp_row_cone *c)
{
    c->p = 0;
    memset(c->in, 0, (size_t)c->n);
}

/* The sizes of the terms of x. */
static double terms(const perp_row_cone *c)
{
    double sum = 1.0;
    for (int k = 0; k < c->p; k++)
        sum += fabs(c->y[k]) * (1.0 + fabs(c->last[c->passive[k]]));
    return sum;
}

/* The row that x breaks most, -1: none. */
static int worst_row(perp_row_cone *c, double size)
{
    int worst = -1;
    double least = -broken * size;
    for (int i = 0; i < c->n; i++) {
        if (c->in[i] || c->equality[i])
            continue;
        double s = product(c, i, c->x);
        if (s < least) {
            least = s;
            worst = i;
        }
    }
    c->work += 2.0 * (double)c->ptr[c->n];
    return worst;
}

/* Brings row i in, and takes out what it makes negative.  0: i itself did not stay. */
static int exchange(perp_row_cone *c, int i)
{
    if (!append(c, i))
        return 0;
    c->y[c->p - 1] = 0.0;
    solve_passive(c);
    if (!(c->trial[c->p - 1] > 0.0)) {
        c->in[i] = 0;
        c->p--;
        return 0;
    }
    while (c->work < c->most && step_back(c)) {
        remove_zeros(c);
        solve_passive(c);
    }
    memcpy(c->y, c->trial, (size_t)c->p * sizeof *c->y);
    return 1;
}

perp_row_cone_end perp_row_cone_project(perp_row_cone *c)
{
    begin(c);
    for (int i = 0; i < c->n; i++) {
        if (!c->equality[i])
            continue;
        if (c->p + 1 >= c->capacity && !grow(c))
            return PERP_ROW_CONE_NO_MEMORY;
        append(c, i);
        if (c->work >= c->most)
            return PERP_ROW_CONE_LIMIT;
    }
    solve_passive(c);
    memcpy(c->y, c->trial, (size_t)c->p * sizeof *c->y);
    while (c->work < c->most) {
        double size = sqrt(dot(c->x, c->x, c->m + 1));
        if (size <= nothing * terms(c))
            return PERP_ROW_CONE_NOTHING;
        int i = worst_row(c, size);
        if (i < 0)
            return PERP_ROW_CONE_POINT;
        if (c->p + 1 >= c->capacity && !grow(c))
            return PERP_ROW_CONE_NO_MEMORY;
        if (exchange(c, i)) {
            for (int k = 0; k < c->n; k++)
                c->in[k] &= 1;
        } else {
            c->in[i] = 2;
            solve_passive(c);
        }
    }
    return PERP_ROW_CONE_LIMIT;
}
