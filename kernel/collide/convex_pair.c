/* SPDX-License-Identifier: BSD-3-Clause */
/* Points of contact of two shapes of a collider.  They are found about a place near both, so that
 * nothing is lost far from the origin, and in an order of the two that does not depend on their
 * slots. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/collide/collider.h"
#include "kernel/collide/mesh.h"
#include "kernel/relations/twist.h"

int perp_shape_is_convex(const perp_shape *shape)
{
    switch (shape->def.kind) {
    case PERP_SHAPE_SPHERE:
    case PERP_SHAPE_BOX:
    case PERP_SHAPE_CAPSULE:
    case PERP_SHAPE_CYLINDER:
    case PERP_SHAPE_CONE:
    case PERP_SHAPE_ELLIPSOID:
    case PERP_SHAPE_HULL:
        return 1;
    default:
        return 0;
    }
}

static double extent(const double *x)
{
    return sqrt(perp_dot3(x, x));
}

void perp_shape_place_convex(perp_convex *out, const perp_shape *shape, const double *origin)
{
    const perp_shape_def *def = &shape->def;
    double p[4];
    *out = (perp_convex){.ball = shape->ball, .radius = def->radius, .hull = shape->hull};
    memcpy(out->half, def->half, sizeof out->half);
    memcpy(p, def->quaternion, sizeof p);
    perp_contact_outside(out->centre, shape->q, 0, def->position);
    for (int k = 0; k < 3; k++)
        out->centre[k] -= origin[k];
    if (shape->q)
        perp_quaternion_product(shape->q + 3, p, p);
    perp_quaternion_matrix(p, out->R);
    switch (def->kind) {
    case PERP_SHAPE_BOX:
        out->kind = PERP_CORE_BOX;
        break;
    case PERP_SHAPE_CAPSULE:
        out->kind = PERP_CORE_SEGMENT;
        break;
    case PERP_SHAPE_CYLINDER:
        out->kind = PERP_CORE_CYLINDER;
        break;
    case PERP_SHAPE_CONE:
        out->kind = PERP_CORE_CONE;
        break;
    case PERP_SHAPE_ELLIPSOID:
        out->kind = PERP_CORE_ELLIPSOID;
        break;
    case PERP_SHAPE_HULL:
        out->kind = PERP_CORE_HULL;
        break;
    default:
        out->kind = PERP_CORE_POINT;
        break;
    }
    out->size = extent(shape->box_half);
}

static int compare(const double *x, const double *y, int count)
{
    for (int k = 0; k < count; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Which of two comes first whatever they are called. */
static int in_order(const perp_shape *a, const perp_shape *b)
{
    if (a->def.kind != b->def.kind)
        return a->def.kind < b->def.kind;
    int way = compare(a->box_half, b->box_half, 3);
    way = way ? way : compare(&a->def.radius, &b->def.radius, 1);
    way = way ? way : compare(a->centre, b->centre, 3);
    return way <= 0;
}

static void exchange(perp_touch *touch)
{
    perp_touch old = *touch;
    for (int k = 0; k < 3; k++) {
        touch->at.normal[k] = -old.at.normal[k];
        touch->at.point_a[k] = old.at.point_b[k];
        touch->at.point_b[k] = old.at.point_a[k];
    }
    touch->radius_a = old.radius_b;
    touch->radius_b = old.radius_a;
    touch->plane_a = old.plane_b;
    touch->plane_b = old.plane_a;
}

static int touch_in_order(perp_touch *points, int capacity, const perp_shape *a,
                          const perp_shape *b, const double *origin, double reach,
                          const perp_kept_normal *before)
{
    perp_convex x, y;
    if (b->endless) {
        double point[3];
        perp_contact_outside(point, b->q, 0, b->def.position);
        for (int k = 0; k < 3; k++)
            point[k] -= origin[k];
        perp_shape_place_convex(&x, a, origin);
        return perp_convex_touch_plane(points, capacity, &x, b->normal, perp_dot3(b->normal, point),
                                       reach);
    }
    perp_shape_place_convex(&x, a, origin);
    perp_shape_place_convex(&y, b, origin);
    if (b->mesh)
        return perp_mesh_touch(points, capacity, &x, b->mesh, y.centre, y.R, reach);
    return perp_convex_touch(points, capacity, &x, &y, reach, before);
}

int perp_shape_touch(perp_touch *points, int capacity, const perp_shape *a, const perp_shape *b,
                     double reach, const perp_kept_normal *before)
{
    int straight = b->endless || (!a->endless && (b->mesh || (!a->mesh && in_order(a, b))));
    const perp_shape *first = straight ? a : b, *second = straight ? b : a;
    double origin[3];
    perp_kept_normal turned;
    if (!perp_shape_is_convex(first) ||
        !(second->endless || second->mesh || perp_shape_is_convex(second)))
        return -1;
    perp_contact_outside(origin, first->q, 0, first->def.position);
    if (before)
        turned = *before;
    for (int k = 0; k < 3 && before && !straight; k++)
        turned.n[k] = -before->n[k];
    int count = touch_in_order(points, capacity, first, second, origin, reach,
                               before ? &turned : NULL);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            points[i].at.point_a[k] += origin[k];
            points[i].at.point_b[k] += origin[k];
        }
        if (!straight)
            exchange(&points[i]);
    }
    return count;
}
