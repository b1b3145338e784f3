/* SPDX-License-Identifier: BSD-3-Clause */
/* Colliders: creation, margin, and what can be asked of them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "kernel/collide/collider.h"
#include "core/float_environment.h"
#include "numerics/core/sized.h"

perp_status perp_collider_create(perp_collider **collider, perp_model *model,
                                 const perp_allocator *allocator)
{
    perp_pool pool;
    if (!collider || !model)
        return PERP_ERR_ARGUMENT;
    *collider = NULL;
    perp_pool_init(&pool, allocator);
    perp_collider *c = pool.allocator.allocate(pool.allocator.ctx, sizeof *c);
    if (!c)
        return PERP_ERR_MEMORY;
    *c = (perp_collider){.pool = pool,
                         .model = model,
                         .free_shape = -1,
                         .combine = {PERP_COMBINE_MAXIMUM, PERP_COMBINE_GEOMETRIC,
                                     PERP_COMBINE_GEOMETRIC, PERP_COMBINE_GEOMETRIC}};
    *collider = c;
    return PERP_SOLVED;
}

void perp_collider_destroy(perp_collider *collider)
{
    if (!collider)
        return;
    for (int i = 0; i < collider->nshapes; i++)
        if (collider->shapes[i].alive)
            perp_shape_drop(collider, i);
    perp_allocator allocator = collider->pool.allocator;
    perp_pool_free(&collider->pool);
    allocator.release(allocator.ctx, collider);
}

perp_status perp_collider_set_narrow_phase(perp_collider *collider, const perp_narrow_phase *narrow)
{
    perp_narrow_phase own = {0};
    if (!collider || perp_sized_read(&own, sizeof own, narrow) != PERP_SOLVED || !own.make ||
        !own.drop || !own.collide)
        return PERP_ERR_ARGUMENT;
    if (collider->alive > 0)
        return PERP_ERR_STATE;
    collider->narrow = own;
    collider->has_narrow = 1;
    return PERP_SOLVED;
}

/* Two meshes of which one moves. */
int perp_collider_lacks_narrow_phase(const perp_collider *collider)
{
    int meshes = 0, moving = 0;
    if (!collider || collider->has_narrow)
        return 0;
    const perp_shape *shapes = collider->shapes;
    for (int i = 0; i < collider->nshapes; i++) {
        if (!shapes[i].alive || shapes[i].def.kind != PERP_SHAPE_MESH)
            continue;
        meshes++;
        moving += shapes[i].moving;
    }
    return moving > 0 && meshes > 1;
}

perp_status perp_collider_set_margin(perp_collider *collider, double margin)
{
    PERP_HOLD_ENVIRONMENT();
    if (!collider || !(margin >= 0.0) || !isfinite(margin))
        return PERP_ERR_ARGUMENT;
    collider->wanted_margin = margin;
    collider->changed = 1;
    return PERP_SOLVED;
}

void perp_collider_renew_margin(perp_collider *c)
{
    double least = INFINITY;
    for (int i = 0; i < c->nshapes; i++) {
        const perp_shape *shape = &c->shapes[i];
        if (!shape->alive || shape->endless)
            continue;
        if (shape->def.radius > 0.0)
            least = fmin(least, shape->def.radius);
        for (int k = 0; k < 3; k++)
            if (shape->box_half[k] > 0.0)
                least = fmin(least, shape->box_half[k]);
    }
    c->margin = isfinite(least) ? 0.02 * least : 0.0;
    if (c->wanted_margin > 0.0)
        c->margin = c->wanted_margin;
}

int perp_collider_contacts(const perp_collider *collider)
{
    return collider ? collider->nnow : 0;
}

int perp_collider_shapes(const perp_collider *collider)
{
    return collider ? collider->alive : 0;
}

perp_status perp_collider_status(const perp_collider *collider)
{
    return collider ? collider->status : PERP_ERR_ARGUMENT;
}

const char *perp_collider_detail(const perp_collider *collider)
{
    return collider ? collider->detail : "";
}

perp_status perp_collider_fail(perp_collider *c, perp_status status, int shape, const char *format,
                               ...)
{
    va_list list;
    c->fault = shape;
    va_start(list, format);
    vsnprintf(c->detail, sizeof c->detail, format, list);
    va_end(list);
    return status;
}
