/* SPDX-License-Identifier: BSD-3-Clause */
/* Orthonormal directions of z from the null space of the system. */
#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "derivative/state.h"
#include "linalg/small.h"

/* Below this what is beside 1 is rounding. */
static const double none = 1e-9;

enum { WIDTH = PERP_ORTHOGONAL_WIDTH / 2 };
typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double)), aligned(8), may_alias));

/* Directions as columns of n rows; columns from `count` on are 0. */
typedef struct directions {
    double *x;
    size_t n, count, stride;
} directions;

/* Products of column k with those of its WIDTH and after it. */
PERP_CLONES static void look_along(double *along, const double *x, size_t n, size_t k,
                                   size_t stride)
{
    for (size_t c = k / WIDTH * WIDTH; c < stride; c += WIDTH) {
        lanes sum = {0.0};
        for (size_t i = 0; i < n; i++)
            sum += x[i * stride + k] * *(const lanes *)(x + i * stride + c);
        *(lanes *)(along + c) = sum;
    }
}

/* Takes column k off those after it: along: its products with them over that with itself. */
PERP_CLONES static void take_off(double *x, const double *along, size_t n, size_t k, size_t stride)
{
    for (size_t c = (k + 1) / WIDTH * WIDTH; c < stride; c += WIDTH) {
        lanes part = *(const lanes *)(along + c);
        for (size_t l = 0; l < WIDTH; l++)
            part[l] = c + l > k ? part[l] : 0.0;
        for (size_t i = 0; i < n; i++)
            *(lanes *)(x + i * stride + c) -= x[i * stride + k] * part;
    }
}

/* Takes those before it off direction k once more; size: of each, 0 of one that was dropped. */
static void clear(const directions *d, size_t k, const double *size)
{
    for (size_t j = 0; j < k; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < d->n; i++)
            sum += d->x[i * d->stride + j] * d->x[i * d->stride + k];
        sum = size[j] > 0.0 ? sum / (size[j] * size[j]) : 0.0;
        for (size_t i = 0; i < d->n; i++)
            d->x[i * d->stride + k] -= sum * d->x[i * d->stride + j];
    }
}

/* Sums of squares of all columns, then their sizes. */
static void find_sizes(double *size, const directions *d)
{
    memset(size, 0, d->stride * sizeof(double));
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->stride; k++)
            size[k] += d->x[i * d->stride + k] * d->x[i * d->stride + k];
    for (size_t k = 0; k < d->count; k++)
        size[k] = sqrt(size[k]);
}

/* Orthogonal directions by Gram and Schmidt, twice where it is needed.  size: before, then after, 0
 * of one that depends on those before it; along: stride. */
static void make_orthogonal(const directions *d, double *size, double *along)
{
    for (size_t k = 0; k < d->count; k++) {
        double before = size[k];
        look_along(along, d->x, d->n, k, d->stride);
        if (!(sqrt(along[k]) >
              0.5 * before)) { /* much was taken off, and what is left is inexact */
            clear(d, k, size);
            look_along(along, d->x, d->n, k, d->stride);
        }
        size[k] = sqrt(along[k]) > none * before ? sqrt(along[k]) : 0.0;
        double over = size[k] > 0.0 ? 1.0 / along[k] : 0.0;
        for (size_t c = k + 1; c < d->stride; c++)
            along[c] *= over;
        if (size[k] > 0.0)
            take_off(d->x, along, d->n, k, d->stride);
    }
}

/* C of the null space. */
static void to_z(const directions *d, const perp_laws *laws, const double *null)
{
    memset(d->x, 0, d->n * d->stride * sizeof(double));
    for (int k = 0; k < laws->count; k++) {
        const perp_law_row *row = &laws->row[k];
        for (int p = row->c; p < row->c_end && row->place < laws->regular; p++) {
            double *to = d->x + (size_t)laws->c_at[p] * d->stride;
            const double *from = null + (size_t)row->place * d->stride;
            for (size_t i = 0; i < d->stride; i++)
                to[i] += laws->c[p] * from[i];
        }
    }
}

perp_status perp_nulls_build(perp_derivative *d)
{
    const perp_square *s = &d->system;
    size_t n = (size_t)d->info.rows, count = (size_t)(s->n - s->rank);
    size_t stride = perp_nulls_stride((int)count), larger = (size_t)s->n > n ? (size_t)s->n : n;
    d->nulls = 0;
    d->null = PERP_TAKE(&d->arena, double, n *count);
    if (!d->null)
        return PERP_ERR_MEMORY;
    if (count == 0)
        return PERP_SOLVED;
    directions e = {PERP_TAKE(&d->temporary, double, larger *stride), n, count, stride};
    double *null = PERP_TAKE(&d->temporary, double, (size_t)s->n *stride);
    double *size = PERP_TAKE(&d->temporary, double, 2 * stride);
    if (d->temporary.failed)
        return PERP_ERR_MEMORY;
    perp_square_nulls(s, null, stride, e.x);
    to_z(&e, &d->laws, null);
    find_sizes(size, &e);
    make_orthogonal(&e, size, size + stride);
    for (size_t k = 0; k < count; k++) {
        double *to = d->null + (size_t)d->nulls * n, over = 1.0 / size[k];
        if (size[k] == 0.0)
            continue;
        for (size_t i = 0; i < n; i++)
            to[i] = over * e.x[i * stride + k];
        d->nulls++;
    }
    return PERP_SOLVED;
}

void perp_take_off_nulls(const perp_derivative *d, double *x)
{
    int n = d->info.rows;
    for (int k = 0; k < d->nulls; k++) {
        const double *e = d->null + (size_t)k * (size_t)n;
        double sum = perp_dot(e, x, n);
        for (int i = 0; i < n; i++)
            x[i] -= sum * e[i];
    }
}
