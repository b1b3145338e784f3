/* SPDX-License-Identifier: BSD-3-Clause */
/* Orthonormal directions of z from the null space of the system. */
#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "derivative/state.h"

/* Below this what is beside 1 is rounding. */
static const double none = 1e-9;

enum { WIDTH = PERP_ORTHOGONAL_WIDTH / 2 };
typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double)), aligned(8), may_alias));

/* Directions as columns of n rows; columns from `count` on are 0. */
typedef struct directions {
    double *x;
    size_t n, count, stride;
} directions;

static double norm_of(const directions *d, size_t k)
{
    double sum = 0.0;
    for (size_t i = 0; i < d->n; i++)
        sum += d->x[i * d->stride + k] * d->x[i * d->stride + k];
    return sqrt(sum);
}

static void scale(const directions *d, size_t k, double by)
{
    for (size_t i = 0; i < d->n; i++)
        d->x[i * d->stride + k] *= by;
}

/* Takes column k of `rows` off those after it, WIDTH of them together. */
PERP_CLONES static void take_off(double *rows, size_t n, size_t k, size_t stride)
{
    for (size_t c = (k + 1) / WIDTH * WIDTH; c < stride; c += WIDTH) {
        lanes along = {0.0};
        for (size_t i = 0; i < n; i++)
            along += rows[i * stride + k] * *(const lanes *)(rows + i * stride + c);
        for (size_t l = 0; c + l <= k; l++)
            along[l] = 0.0;
        for (size_t i = 0; i < n; i++)
            *(lanes *)(rows + i * stride + c) -= rows[i * stride + k] * along;
    }
}

/* Takes those before it off direction k once more. */
static void clear(const directions *d, size_t k)
{
    for (size_t j = 0; j < k; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < d->n; i++)
            sum += d->x[i * d->stride + j] * d->x[i * d->stride + k];
        for (size_t i = 0; i < d->n; i++)
            d->x[i * d->stride + k] -= sum * d->x[i * d->stride + j];
    }
}

/* By Gram and Schmidt, twice where it is needed; one that depends on those before it becomes 0. */
static void make_orthonormal(const directions *d, const double *before, int *kept)
{
    for (size_t k = 0; k < d->count; k++) {
        double after = norm_of(d, k);
        if (!(after > 0.5 * before[k])) { /* much was taken off, and what is left is inexact */
            clear(d, k);
            after = norm_of(d, k);
        }
        kept[k] = after > none * before[k];
        scale(d, k, kept[k] ? 1.0 / after : 0.0);
        if (kept[k])
            take_off(d->x, d->n, k, d->stride);
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
    double *before = PERP_TAKE(&d->temporary, double, count);
    int *kept = PERP_TAKE(&d->temporary, int, count);
    if (d->temporary.failed)
        return PERP_ERR_MEMORY;
    perp_square_nulls(s, null, stride, e.x);
    to_z(&e, &d->laws, null);
    for (size_t k = 0; k < count; k++)
        before[k] = norm_of(&e, k);
    make_orthonormal(&e, before, kept);
    for (size_t k = 0; k < count; k++) {
        double *to = d->null + (size_t)d->nulls * n;
        for (size_t i = 0; i < n && kept[k]; i++)
            to[i] = e.x[i * stride + k];
        d->nulls += kept[k];
    }
    return PERP_SOLVED;
}
