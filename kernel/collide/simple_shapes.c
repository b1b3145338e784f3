/* SPDX-License-Identifier: BSD-3-Clause */
/* Simple shapes by one call each. */
#include <string.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"

static perp_status missing(perp_where *where, const char *what)
{
    if (where)
        *where = (perp_where){what, -1, -1};
    return PERP_ERR_ARGUMENT;
}

perp_status perp_collider_add_sphere(perp_collider *collider, perp_system_id body, double radius,
                                     const double *offset, perp_shape_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.body = body;
    def.radius = radius;
    if (offset)
        memcpy(def.position, offset, 3 * sizeof(double));
    return perp_collider_add(collider, &def, id, where);
}

perp_status perp_collider_add_box(perp_collider *collider, perp_system_id body, const double *half,
                                  perp_shape_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = PERP_SHAPE_BOX;
    def.body = body;
    if (!half)
        return missing(where, "half");
    memcpy(def.half, half, sizeof def.half);
    return perp_collider_add(collider, &def, id, where);
}

perp_status perp_collider_add_capsule(perp_collider *collider, perp_system_id body, double radius,
                                      double half_length, perp_shape_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = PERP_SHAPE_CAPSULE;
    def.body = body;
    def.radius = radius;
    def.half[2] = half_length;
    return perp_collider_add(collider, &def, id, where);
}

perp_status perp_collider_add_mesh(perp_collider *collider, perp_system_id body,
                                   const double *vertices, int nvertices, const int *triangles,
                                   int ntriangles, perp_shape_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = PERP_SHAPE_MESH;
    def.body = body;
    def.vertices = vertices;
    def.nvertices = nvertices;
    def.triangles = triangles;
    def.ntriangles = ntriangles;
    return perp_collider_add(collider, &def, id, where);
}

static perp_status add_half_space(perp_collider *collider, perp_shape_kind kind,
                                  const double *point, const double *normal, perp_shape_id *id,
                                  perp_where *where)
{
    size_t numbers = kind == PERP_SHAPE_LINE ? 2 : 3;
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = kind;
    def.normal[2] = 0.0;
    if (!point || !normal)
        return missing(where, point ? "normal" : "point");
    memcpy(def.position, point, numbers * sizeof(double));
    memcpy(def.normal, normal, numbers * sizeof(double));
    return perp_collider_add(collider, &def, id, where);
}

perp_status perp_collider_add_plane(perp_collider *collider, const double *point,
                                    const double *normal, perp_shape_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    return add_half_space(collider, PERP_SHAPE_PLANE, point, normal, id, where);
}

perp_status perp_collider_add_line(perp_collider *collider, const double *point,
                                   const double *normal, perp_shape_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    return add_half_space(collider, PERP_SHAPE_LINE, point, normal, id, where);
}

perp_status perp_collider_add_disc(perp_collider *collider, perp_system_id body, double radius,
                                   const double *offset, perp_shape_id *id, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = PERP_SHAPE_DISC;
    def.body = body;
    def.radius = radius;
    if (offset)
        memcpy(def.position, offset, 2 * sizeof(double));
    return perp_collider_add(collider, &def, id, where);
}
