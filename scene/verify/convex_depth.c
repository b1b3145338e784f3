/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/verify/convex_depth.h"

#include <math.h>
#include <string.h>

#include "scene/verify/space.h"

double perp_verify_support(const perp_verify_shape *shape, const double *pose, const double *d)
{
    const double *r = shape->size;
    double own[3], most = -INFINITY;

    space_turn_back(own, pose + 3, d);
    switch (shape->form) {
    case PERP_VERIFY_SPHERE:
        most = r[0] * space_length(own);
        break;
    case PERP_VERIFY_BOX:
        most = r[0] * fabs(own[0]) + r[1] * fabs(own[1]) + r[2] * fabs(own[2]);
        break;
    case PERP_VERIFY_CAPSULE:
        most = r[0] * space_length(own) + r[1] * fabs(own[2]);
        break;
    case PERP_VERIFY_CYLINDER:
        most = r[0] * hypot(own[0], own[1]) + r[1] * fabs(own[2]);
        break;
    case PERP_VERIFY_CONE:
        most = fmax(r[0] * hypot(own[0], own[1]), r[1] * own[2]);
        break;
    case PERP_VERIFY_ELLIPSOID:
        most = hypot(hypot(r[0] * own[0], r[1] * own[1]), r[2] * own[2]);
        break;
    default:
        for (int k = 0; k < shape->npoints; k++)
            most = fmax(most, space_dot(shape->points + 3 * k, own));
    }
    return space_dot(pose, d) + most;
}

typedef struct pair {
    const perp_verify_shape *a, *b;
    const double *pose_a, *pose_b;
    int flat;
    double depth, best[3]; /* along the best direction so far */
} pair;

/* Tries a direction of any length. */
static int try_direction(pair *p, const double *direction)
{
    double d[3] = {direction[0], direction[1], p->flat ? 0.0 : direction[2]}, back[3], along;
    double length = space_length(d);

    if (!(length > 1e-12))
        return 0;
    for (int k = 0; k < 3; k++) {
        d[k] /= length;
        back[k] = -d[k];
    }
    along = perp_verify_support(p->a, p->pose_a, d) + perp_verify_support(p->b, p->pose_b, back);
    if (!(along < p->depth))
        return 0;
    p->depth = along;
    memcpy(p->best, d, sizeof d);
    return 1;
}

static void try_both(pair *p, const double *direction)
{
    const double back[3] = {-direction[0], -direction[1], -direction[2]};

    (void)try_direction(p, direction);
    (void)try_direction(p, back);
}

/* Normals of the edges of a polygon. */
static void try_edges(pair *p, const perp_verify_shape *shape, const double *pose)
{
    for (int k = 0; k < shape->npoints && p->flat; k++) {
        const double *from = shape->points + 3 * k;
        const double *to = shape->points + 3 * ((k + 1) % shape->npoints);
        const double own[3] = {to[1] - from[1], from[0] - to[0], 0.0};
        double d[3];
        space_turn(d, pose + 3, own);
        try_both(p, d);
    }
}

/* Centres, axes of both, and their products: all of two boxes, and of a cylinder on a face. */
static void try_axes(pair *p)
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double axis[6][3], d[3];

    for (int k = 0; k < 3; k++) {
        d[k] = p->pose_b[k] - p->pose_a[k];
        space_turn(axis[k], p->pose_a + 3, unit[k]);
        space_turn(axis[3 + k], p->pose_b + 3, unit[k]);
    }
    try_both(p, d);
    for (int k = 0; k < 6; k++)
        try_both(p, axis[k]);
    for (int i = 0; i < 3 && !p->flat; i++)
        for (int j = 3; j < 6; j++) {
            space_cross(d, axis[i], axis[j]);
            try_both(p, d);
        }
}

/* The point of a shape that is furthest along d. */
static void furthest(double *out, const perp_verify_shape *shape, const double *pose,
                     const double *d)
{
    const double *r = shape->size;
    double own[3], x[3] = {0.0, 0.0, 0.0};
    space_turn_back(own, pose + 3, d);
    double length = space_length(own), across = hypot(own[0], own[1]);

    switch (shape->form) {
    case PERP_VERIFY_SPHERE:
    case PERP_VERIFY_CAPSULE:
        for (int k = 0; k < 3 && length > 0.0; k++)
            x[k] = r[0] * own[k] / length;
        x[2] += shape->form == PERP_VERIFY_CAPSULE ? copysign(r[1], own[2]) : 0.0;
        break;
    case PERP_VERIFY_BOX:
        for (int k = 0; k < 3; k++)
            x[k] = copysign(r[k], own[k]);
        break;
    case PERP_VERIFY_CYLINDER:
    case PERP_VERIFY_CONE:
        if (shape->form == PERP_VERIFY_CONE && r[1] * own[2] > r[0] * across) {
            x[2] = r[1];
            break;
        }
        for (int k = 0; k < 2 && across > 0.0; k++)
            x[k] = r[0] * own[k] / across;
        x[2] = shape->form == PERP_VERIFY_CYLINDER ? copysign(r[1], own[2]) : 0.0;
        break;
    case PERP_VERIFY_ELLIPSOID:
        length = hypot(hypot(r[0] * own[0], r[1] * own[1]), r[2] * own[2]);
        for (int k = 0; k < 3 && length > 0.0; k++)
            x[k] = r[k] * r[k] * own[k] / length;
        break;
    default: {
        int best = 0;
        for (int k = 1; k < shape->npoints; k++)
            if (space_dot(shape->points + 3 * k, own) > space_dot(shape->points + 3 * best, own))
                best = k;
        memcpy(x, shape->points + 3 * best, sizeof x);
    }
    }
    space_turn(out, pose + 3, x);
    for (int k = 0; k < 3; k++)
        out[k] += pose[k];
}

/* The point of the hull of some of four points (bits of set) that is nearest to the origin, by the
 * normal equations of its affine hull; 0: it is outside of them, or they are no simplex. */
static int nearest_of(double *x, const double points[4][3], int set)
{
    int at[4], n = 0;
    double m[3][4], w[4], sum = 1.0;

    for (int k = 0; k < 4; k++)
        if (set >> k & 1)
            at[n++] = k;
    for (int i = 1; i < n; i++) {
        double e[3], f[3];
        for (int k = 0; k < 3; k++)
            e[k] = points[at[i]][k] - points[at[0]][k];
        for (int j = 1; j < n; j++) {
            for (int k = 0; k < 3; k++)
                f[k] = points[at[j]][k] - points[at[0]][k];
            m[i - 1][j - 1] = space_dot(e, f);
        }
        m[i - 1][n - 1] = -space_dot(e, points[at[0]]);
    }
    for (int i = 0; i < n - 1; i++) { /* symmetric and definite: no pivots */
        if (!(m[i][i] > 0.0))
            return 0;
        for (int j = i + 1; j < n - 1; j++)
            for (int k = n - 1; k >= i; k--)
                m[j][k] -= m[j][i] / m[i][i] * m[i][k];
    }
    for (int i = n - 2; i >= 0; i--) {
        w[i + 1] = m[i][n - 1];
        for (int k = i + 1; k < n - 1; k++)
            w[i + 1] -= m[i][k] * w[k + 1];
        w[i + 1] /= m[i][i];
        sum -= w[i + 1];
        if (!(w[i + 1] >= 0.0))
            return 0;
    }
    w[0] = sum;
    if (!(sum >= 0.0))
        return 0;
    for (int k = 0; k < 3; k++) {
        x[k] = 0.0;
        for (int i = 0; i < n; i++)
            x[k] += w[i] * points[at[i]][k];
    }
    return 1;
}

/* Keeps of the points those whose hull has the nearest point x; all that they may be are tried. */
static void reduce(double *x, double points[4][3], int *count)
{
    double least = INFINITY, kept[4][3];
    int best = 1, n = 0;

    for (int set = 1; set < 1 << *count; set++) {
        double y[3];
        if (!nearest_of(y, (const double(*)[3])points, set) || !(space_dot(y, y) < least))
            continue;
        least = space_dot(y, y);
        best = set;
        memcpy(x, y, 3 * sizeof *x);
    }
    for (int k = 0; k < *count; k++)
        if (best >> k & 1)
            memcpy(kept[n++], points[k], sizeof kept[0]);
    memcpy(points, kept, (size_t)n * sizeof kept[0]);
    *count = n;
}

/* Where the shapes are apart once b is shifted, the direction from a to b along which they are most:
 * tried.  The point of A - B - shift nearest to the origin [GilbertEtAl1988]. */
static int separate(pair *p, const double *shift)
{
    double points[4][3], x[3], d[3], from[3], to[3];
    int count = 0, better = 0;

    for (int k = 0; k < 3; k++)
        x[k] = p->pose_a[k] - p->pose_b[k] - shift[k];
    for (int step = 0; step < 100 && space_length(x) > 1e-12 * p->a->reach; step++) {
        for (int k = 0; k < 3; k++)
            d[k] = -x[k];
        better |= try_direction(p, d);
        furthest(from, p->a, p->pose_a, d);
        furthest(to, p->b, p->pose_b, x);
        for (int k = 0; k < 3; k++)
            points[count][k] = from[k] - to[k] - (p->flat && k == 2 ? 0.0 : shift[k]);
        double square = space_dot(x, x);
        if (square - space_dot(x, points[count]) <= 1e-12 * square || ++count == 0)
            break;
        reduce(x, points, &count);
        if (count == 4) /* the origin is inside */
            break;
    }
    return better;
}

/* The shapes are moved apart along the best direction and then looked at from there: where they part
 * by another way, it is shorter. */
static void descend(pair *p, double enough)
{
    double shift[3] = {0.0, 0.0, 0.0};

    (void)separate(p, shift);
    for (int step = 0; step < 40 && p->depth > enough; step++) {
        for (int k = 0; k < 3; k++)
            shift[k] = (p->depth + 0.3 * fmin(p->a->least, p->b->least)) * p->best[k];
        if (!separate(p, shift))
            break;
    }
}

double perp_verify_convex_depth(const perp_verify_shape *a, const double *pose_a,
                                const perp_verify_shape *b, const double *pose_b,
                                const double *hints, int count, int flat, double allowed)
{
    pair p = {a, b, pose_a, pose_b, flat, INFINITY, {0.0, 0.0, 0.0}};
    double enough = allowed + 1e-7 * fmin(a->least, b->least);

    for (int k = 0; k < count; k++)
        try_both(&p, hints + 3 * k);
    if (p.depth > enough)
        try_axes(&p);
    if (p.depth > enough) {
        try_edges(&p, a, pose_a);
        try_edges(&p, b, pose_b);
    }
    /* Two boxes, and polygons, are through: one of these is the least. */
    int through = (a->form == PERP_VERIFY_BOX && b->form == PERP_VERIFY_BOX) ||
                  (flat && a->form != PERP_VERIFY_SPHERE && b->form != PERP_VERIFY_SPHERE);
    if (p.depth > enough && isfinite(p.depth) && !through)
        descend(&p, enough);
    return p.depth;
}
