/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps where M is known by its products and its diagonal D alone: all rows at once,
 *
 *     -(w + c D (z+ - z)) in N_K(z+),    w = M z + q,
 *
 * with one product each.  c follows the curvature of the steps, dz.M dz <= c dz.D dz, so that a
 * step of a symmetric M does not lengthen its quadratic form; half of |M dz| in the norm of D^-1
 * keeps it from vanishing where M is skew. */
#include <math.h>

#include "solvers/gs/sweeps.h"

static const double first_factor = 1.0, decay = 0.97, excess = 1.05, least_factor = 1e-3;

typedef struct products {
    double factor; /* c */
    double *old;   /* n: w before the step */
    double *step;  /* n */
    int current;   /* work->w is M z + q */
} products;

static int multiply(perp_gs *gs)
{
    const perp_problem *problem = gs->work->problem;
    double *w = gs->work->w;
    products *own = gs->product;
    gs->refused |= perp_mat_apply(&problem->M, gs->z, gs->work->scratch, w) != PERP_SOLVED;
    for (int i = 0; !gs->refused && i < gs->work->blocks.n; i++)
        w[i] += problem->q[i];
    own->current = !gs->refused;
    return own->current;
}

/* Reads c from the step and its image. */
static void learn(perp_gs *gs)
{
    products *own = gs->product;
    const double *w = gs->work->w;
    double along = 0.0, size = 0.0, image = 0.0;
    for (int k = 0; k < gs->count; k++) {
        double d2 = gs->weight[k] * gs->weight[k], dz = own->step[k], dw = w[k] - own->old[k];
        along += dz * dw;
        size += d2 * dz * dz;
        image += dw * dw / d2;
    }
    if (!(size > 0.0) || !isfinite(image))
        return;
    double needed = fmax(along / size, 0.5 * sqrt(image / size));
    own->factor = fmax(fmax(excess * needed, decay * own->factor), least_factor);
}

static double run(perp_gs *gs, int from, int to, int backward)
{
    products *own = gs->product;
    double *w = gs->work->w, change = 0.0;
    (void)backward;
    if (!own->current && !multiply(gs))
        return 0.0;
    for (int k = from; k < to; k++) {
        double a = own->factor * gs->weight[k] * gs->weight[k];
        own->old[k] = w[k];
        gs->diagonal[k] = a;
        gs->b[0] = w[k] - a * gs->z[k];
        perp_gs_move(gs, k);
        own->step[k] = gs->step[0];
        change += perp_gs_change(gs, k, gs->step, 1);
    }
    if (!multiply(gs))
        return change;
    learn(gs);
    return change;
}

static perp_status setup(perp_gs *gs)
{
    perp_work *work = gs->work;
    products *own = PERP_TAKE(work->arena, products, 1);
    perp_gs_take_diagonal(gs);
    if (!own)
        return PERP_ERR_MEMORY;
    own->factor = first_factor;
    own->current = 0;
    own->old = PERP_TAKE(work->arena, double, gs->count);
    own->step = PERP_TAKE(work->arena, double, gs->count);
    gs->product = own;
    return PERP_SOLVED;
}

static perp_status load(perp_gs *gs)
{
    (void)gs;
    return PERP_SOLVED;
}

/* Before each solve, too: nothing is remembered. */
static void refresh(perp_gs *gs, int measured)
{
    products *own = gs->product;
    own->current = measured;
}

const perp_gs_kernel perp_gs_products = {NULL, setup, load, refresh, run, NULL, 0};
