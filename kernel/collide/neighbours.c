/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is near whom among all bodies, for processes that divide them. */
#include <math.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"

static int moves_by_forces(const perp_shape *shape)
{
    return shape->moving && !shape->prescribed;
}

static perp_status tell(perp_collider *c, int i, perp_neighbour_fn fn, void *ctx)
{
    perp_status status = perp_grid_partners(c, i);
    for (int k = 0; k < c->grid.nfound && status == PERP_SOLVED; k++) {
        const perp_shape *a = &c->shapes[i], *b = &c->shapes[c->grid.found[k]];
        if (moves_by_forces(b) && a->def.body.index != b->def.body.index &&
            fn(ctx, a->def.body, b->def.body))
            status = PERP_INTERRUPTED;
    }
    return status;
}

perp_status perp_collider_neighbours(perp_collider *collider, double h, double reach,
                                     perp_neighbour_fn fn, void *ctx)
{
    PERP_HOLD_ENVIRONMENT();
    perp_collider *c = collider;
    if (!c || !fn || !(h >= 0.0) || !(reach >= 0.0) || !isfinite(h) || !isfinite(reach))
        return PERP_ERR_ARGUMENT;
    c->all = 1;
    c->nearer = reach;
    perp_status status = perp_collider_place(c, h, 0);
    if (status == PERP_SOLVED)
        status = perp_grid_build(c);
    for (int i = 0; i < c->nshapes && status == PERP_SOLVED; i++)
        if (perp_shape_is_here(&c->shapes[i]) && moves_by_forces(&c->shapes[i]))
            status = tell(c, i, fn, ctx);
    c->all = 0;
    c->nearer = 0.0;
    return status;
}

double perp_collider_reach(perp_collider *collider, double h)
{
    PERP_HOLD_ENVIRONMENT();
    perp_collider *c = collider;
    double most = 0.0;
    if (!c || !(h >= 0.0) || perp_collider_place(c, h, 0) != PERP_SOLVED)
        return NAN;
    for (int i = 0; i < c->nshapes; i++) {
        const perp_shape *shape = &c->shapes[i];
        const double *s = shape->shift;
        if (perp_shape_is_here(shape))
            most = fmax(most, sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) + shape->turn);
    }
    return most;
}

double perp_collider_margin(const perp_collider *collider)
{
    return collider ? collider->margin : NAN;
}
