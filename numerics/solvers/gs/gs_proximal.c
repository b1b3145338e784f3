/* SPDX-License-Identifier: BSD-3-Clause */
/* The proximal points of a monotone problem by sweeps: each row has alpha d_k^2 more on its
 * diagonal, towards a centre that moves when the sweeps have settled about it.  alpha falls where
 * they settle at once, as for symmetric M, and rises where they do not settle, since sweeps
 * converge where the diagonal outweighs the rest of its row ([Rockafellar1976] for the points). */
#include <math.h>
#include <string.h>

#include "solvers/gs/sweeps.h"

enum { QUICK = 4, LOOK_EVERY = 5, PATIENCE = 40, AWAY = 4 };
static const double first_alpha = 0.1, lowest = 1e-10, highest = 1e10, settled = 0.1, slow = 0.8;

void perp_gs_take_proximal(perp_gs *gs)
{
    if (gs->variant->regularised)
        gs->proximal.centre = PERP_TAKE(gs->work->arena, double, gs->work->blocks.n);
}

double perp_gs_regularise(const perp_gs *gs, int k, double diagonal)
{
    const perp_block *block = &gs->block[k];
    double weight = gs->weight[k] * gs->weight[k] * gs->proximal.alpha;
    if (block->set == PERP_FREE && diagonal < 0.0)
        weight = -weight;
    gs->b[0] -= weight * gs->proximal.centre[block->row];
    return diagonal + weight;
}

static void move_centre(perp_gs *gs)
{
    memcpy(gs->proximal.centre, gs->z, (size_t)gs->work->blocks.n * sizeof(double));
    gs->proximal.sweeps = 0;
}

void perp_gs_begin_proximal(perp_gs *gs)
{
    if (!gs->proximal.centre)
        return;
    gs->proximal.alpha = first_alpha;
    gs->proximal.mark = INFINITY;
    move_centre(gs);
}

/* |d (z - centre)| */
static double distance(const perp_gs *gs)
{
    double sum = 0.0;
    for (int k = 0; k < gs->count; k++) {
        int i = gs->block[k].row;
        double step = gs->weight[k] * (gs->z[i] - gs->proximal.centre[i]);
        sum += step * step;
    }
    return sqrt(sum);
}

/* 1: z is the centre again, since the sweeps about it led away. */
static int look(perp_gs *gs, double change)
{
    perp_gs_proximal *proximal = &gs->proximal;
    int away = !(change <= AWAY * proximal->mark);
    if (!(change <= slow * proximal->mark))
        proximal->alpha = fmin(highest, (away ? 8.0 : 2.0) * proximal->alpha);
    proximal->mark = away ? INFINITY : change;
    if (away)
        memcpy(gs->z, proximal->centre, (size_t)gs->work->blocks.n * sizeof(double));
    return away;
}

int perp_gs_proximal_on(perp_gs *gs, double change)
{
    perp_gs_proximal *proximal = &gs->proximal;
    if (!proximal->centre)
        return 0;
    proximal->sweeps++;
    if (change <= settled * distance(gs)) {
        double factor = proximal->sweeps <= QUICK ? 0.5 : proximal->sweeps > PATIENCE ? 2.0 : 1.0;
        proximal->alpha = fmax(lowest, factor * proximal->alpha);
        proximal->mark = INFINITY;
        move_centre(gs);
        return 0;
    }
    return proximal->sweeps % LOOK_EVERY == 0 ? look(gs, change) : 0;
}
