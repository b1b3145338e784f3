/* SPDX-License-Identifier: BSD-3-Clause */
/* Orthonormal directions of z from the null space of the system. */
#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "derivative/state.h"

/* Below this what is beside 1 is rounding. */
static const double none = 1e-9;

/* Directions as columns, row by row. */
typedef struct directions {
    double *x; /* n x count */
    size_t n, count;
    double *along; /* count */
} directions;

PERP_CLONES static void add(double *restrict y, const double *restrict x, double scale, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += scale * x[i];
}

static double norm_of(const directions *d, size_t k)
{
    double sum = 0.0;
    for (size_t i = 0; i < d->n; i++)
        sum += d->x[i * d->count + k] * d->x[i * d->count + k];
    return sqrt(sum);
}

static void scale(const directions *d, size_t k, double by)
{
    for (size_t i = 0; i < d->n; i++)
        d->x[i * d->count + k] *= by;
}

/* Takes direction k off those after it. */
static void take_off(const directions *d, size_t k)
{
    size_t later = d->count - k - 1;
    memset(d->along, 0, d->count * sizeof(double));
    for (size_t i = 0; i < d->n; i++) {
        const double *row = d->x + i * d->count + k;
        add(d->along, row + 1, row[0], later);
    }
    for (size_t i = 0; i < d->n; i++) {
        double *row = d->x + i * d->count + k;
        add(row + 1, d->along, -row[0], later);
    }
}

/* Takes those before it off direction k once more. */
static void clear(const directions *d, size_t k)
{
    for (size_t j = 0; j < k; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < d->n; i++)
            sum += d->x[i * d->count + j] * d->x[i * d->count + k];
        for (size_t i = 0; i < d->n; i++)
            d->x[i * d->count + k] -= sum * d->x[i * d->count + j];
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
            take_off(d, k);
    }
}

/* C of the null space. */
static void to_z(const directions *d, const perp_laws *laws, const double *null)
{
    memset(d->x, 0, d->n * d->count * sizeof(double));
    for (int k = 0; k < laws->count; k++) {
        const perp_law_row *row = &laws->row[k];
        for (int p = row->c; p < row->c_end && row->place < laws->regular; p++)
            add(d->x + (size_t)laws->c_at[p] * d->count, null + (size_t)row->place * d->count,
                laws->c[p], d->count);
    }
}

perp_status perp_nulls_build(perp_derivative *d)
{
    const perp_square *s = &d->system;
    size_t n = (size_t)d->info.rows, count = (size_t)(s->n - s->rank), larger = n;
    d->nulls = 0;
    d->null = PERP_TAKE(&d->arena, double, n *count);
    if (!d->null)
        return PERP_ERR_MEMORY;
    if (count == 0)
        return PERP_SOLVED;
    larger = (size_t)s->n > larger ? (size_t)s->n : larger;
    directions e = {PERP_TAKE(&d->temporary, double, larger *count), n, count,
                    PERP_TAKE(&d->temporary, double, count)};
    double *null = PERP_TAKE(&d->temporary, double, (size_t)s->n *count);
    double *before = PERP_TAKE(&d->temporary, double, count);
    int *kept = PERP_TAKE(&d->temporary, int, count);
    if (d->temporary.failed)
        return PERP_ERR_MEMORY;
    perp_square_nulls(s, null, e.x);
    to_z(&e, &d->laws, null);
    for (size_t k = 0; k < count; k++)
        before[k] = norm_of(&e, k);
    make_orthonormal(&e, before, kept);
    for (size_t k = 0; k < count; k++) {
        double *to = d->null + (size_t)d->nulls * n;
        for (size_t i = 0; i < n && kept[k]; i++)
            to[i] = e.x[i * count + k];
        d->nulls += kept[k];
    }
    return PERP_SOLVED;
}
