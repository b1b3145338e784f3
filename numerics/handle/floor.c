/* SPDX-License-Identifier: BSD-3-Clause */
/* How exact an answer doubles can hold. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "handle/solver_type.h"

static const double HALF = 0.5 * DBL_EPSILON; /* a unit in the last place of 1, halved */

/* Squares of work->best and its w, and of what the rounding of work->best makes of both; moved is M
 * times that rounding. */
static void add_blocks(perp_residual_squares *all, double change[2], const perp_work *work,
                       const double *moved)
{
    perp_residual_squares one;
    for (int k = 0; k < work->blocks.count; k++) {
        perp_residual_of_block(&one, work->problem, &work->blocks, &work->scaling, k, work->best,
                               work->w);
        perp_residual_add(all, &one);
        perp_residual_of_block(&one, work->problem, &work->blocks, &work->scaling, k, work->best,
                               moved);
        for (int m = 0; m < 2; m++)
            change[m] += one.w[m] + HALF * HALF * one.z[m];
    }
}

double perp_floor(perp_work *work)
{
    size_t n = (size_t)work->blocks.n;
    perp_rng rng = {1};
    perp_residual_squares all = {{0.0}, {0.0}, {0.0}, {0.0}};
    double change[2] = {0.0, 0.0}, floor = 0.0;
    if (work->problem->M.kind != PERP_OPERATOR) {
        for (size_t i = 0; i < n; i++)
            work->z[i] = work->best[i] * (perp_rng_next(&rng) >> 63 ? HALF : -HALF);
        (void)perp_mat_apply(work->w, &work->problem->M, work->z, work->scratch);
        memcpy(work->z, work->w, n * sizeof(double));
        (void)perp_measure(work, work->best);
        add_blocks(&all, change, work, work->z);
    }
    for (int m = 0; m < 2; m++) {
        double base = perp_residual_base(&all, m);
        if (perp_reads_measure(work, m))
            floor = fmax(floor, sqrt(base > 0.0 ? change[m] / base : change[m]));
    }
    memcpy(work->z, work->best, n * sizeof(double));
    return floor;
}
