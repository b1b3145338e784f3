/* SPDX-License-Identifier: BSD-3-Clause */
/* How exact an answer doubles can hold. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "handle/solver_type.h"
#include "linalg/mat.h"

static const double HALF = 0.5 * DBL_EPSILON; /* a unit in the last place of 1, halved */

/* Random roundings that are averaged. */
enum { ROUNDS = 4 };

/* M times one rounding of work->best into work->w. */
static void round_once(perp_work *work, perp_rng *rng)
{
    for (int i = 0; i < work->blocks.n; i++)
        work->z[i] = work->best[i] * (perp_rng_next(rng) >> 63 ? HALF : -HALF);
    (void)perp_mat_apply_on(work->threads, work->touched, work->w, &work->problem->M, work->z,
                            work->scratch);
}

/* Squares of work->best and of work->w, summed over the blocks. */
static void add_blocks(perp_residual_squares *sum, const perp_work *work)
{
    perp_residual_squares one;
    for (int k = 0; k < work->blocks.count; k++) {
        perp_residual_of_block(&one, work->problem, &work->blocks, &work->scaling, k, work->best,
                               work->w);
        perp_residual_add(sum, &one);
    }
}

double perp_floor(perp_work *work)
{
    perp_rng rng = {1};
    perp_residual_squares all = {{0.0}, {0.0}, {0.0}, {0.0}}, moved = all;
    double floor = 0.0;
    if (work->problem->M.kind != PERP_OPERATOR) {
        for (int k = 0; k < ROUNDS; k++) {
            round_once(work, &rng);
            add_blocks(&moved, work);
        }
        (void)perp_measure(work, work->best);
        add_blocks(&all, work);
    }
    for (int m = 0; m < 2; m++) {
        double base = perp_residual_base(&all, m);
        double change = (moved.w[m] + HALF * HALF * moved.z[m]) / ROUNDS;
        if (perp_reads_measure(work, m))
            floor = fmax(floor, sqrt(base > 0.0 ? change / base : change));
    }
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    return floor;
}
