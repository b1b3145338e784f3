/* SPDX-License-Identifier: BSD-3-Clause */
/* How exact an answer doubles can hold. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "handle/solver_type.h"

/* Sums of squares of block k over the rows of x, y and q, in the units of a measure: z and its
 * change count times d, w, q and the change of w count over d. */
typedef struct squares {
    double z, w, q, change;
} squares;

static void add_rows(squares *s, const perp_work *work, const perp_block *block, double d,
                     const double *z, const double *change)
{
    for (int i = block->row; i < block->row + block->dim; i++) {
        double q = work->problem->q[i] / d, w = work->w[i] / d + q, moved = change[i] / d;
        double rounded = 0.5 * DBL_EPSILON * d * z[i];
        s->z += d * z[i] * d * z[i];
        s->q += q * q;
        s->w += w * w;
        s->change += moved * moved + rounded * rounded;
    }
}

static double ratio(const squares *s)
{
    double base = fmax(s->z, fmax(s->w, s->q));
    return base > 0.0 ? sqrt(s->change / base) : sqrt(s->change);
}

double perp_floor(perp_work *work)
{
    size_t n = (size_t)work->blocks.n;
    perp_rng rng = {1};
    squares natural = {0.0, 0.0, 0.0, 0.0}, scaled = natural;
    if (work->problem->M.kind == PERP_OPERATOR)
        return 0.0;
    for (size_t i = 0; i < n; i++)
        work->z[i] *= perp_rng_next(&rng) >> 63 ? 0.5 * DBL_EPSILON : -0.5 * DBL_EPSILON;
    (void)perp_mat_apply(work->w, &work->problem->M, work->z, work->scratch);
    memcpy(work->z, work->w, n * sizeof(double));
    (void)perp_mat_apply(work->w, &work->problem->M, work->best, work->scratch);
    for (int k = 0; k < work->blocks.count; k++) {
        double d = work->scaling.d ? work->scaling.d[k] : 1.0;
        add_rows(&natural, work, &work->blocks.at[k], 1.0, work->best, work->z);
        add_rows(&scaled, work, &work->blocks.at[k], d, work->best, work->z);
    }
    memcpy(work->z, work->best, n * sizeof(double));
    double floors[2] = {ratio(&natural), ratio(&scaled)};
    switch (work->scaling.d ? work->settings->measure : PERP_MEASURE_NATURAL) {
    case PERP_MEASURE_NATURAL:
        return floors[0];
    case PERP_MEASURE_SCALED:
        return floors[1];
    default:
        return fmax(floors[0], floors[1]);
    }
}
