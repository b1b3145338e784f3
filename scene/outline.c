/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/outline.h"

#include <math.h>

enum { AROUND = PERP_SCENE_AROUND, RINGS = PERP_SCENE_RINGS };
enum { FEW = 200, MANY = 2000 }; /* balls are drawn more coarsely above each */

static const double pi = 3.14159265358979323846;

static void fill_angles(double (*table)[2], int count, double step, int parts)
{
    for (int k = 0; k < count; k++) {
        table[k][0] = cos(step * k / parts);
        table[k][1] = sin(step * k / parts);
    }
}

void perp_scene_detail_choose(perp_scene_detail *detail, int shapes, double extent)
{
    detail->around = shapes <= FEW ? AROUND : shapes <= MANY ? 8 : 4;
    detail->rings = shapes <= FEW ? RINGS : shapes <= MANY ? 3 : 1;
    detail->extent = extent;
    fill_angles(detail->longitude, detail->around, 2.0 * pi, detail->around);
    fill_angles(detail->latitude, detail->rings + 1, pi, detail->rings + 1);
    fill_angles(detail->circle, PERP_SCENE_CIRCLE, 2.0 * pi, PERP_SCENE_CIRCLE);
}

static void add_point(perp_scene_outline *out, double x, double y, double z)
{
    double *p = out->own_point + 3 * out->points++;
    p[0] = x, p[1] = y, p[2] = z;
}

static void add_polygon(perp_scene_outline *out, int count, const int *vertex)
{
    out->own_size[out->polygons++] = count;
    for (int k = 0; k < count; k++)
        out->own_vertex[out->entries++] = vertex[k];
}

/* A ball whose halves are moved apart along z: a sphere or a capsule. */
static void draw_ball(perp_scene_outline *out, double radius, double apart,
                      const perp_scene_detail *detail)
{
    int around = detail->around, rings = detail->rings;

    add_point(out, 0.0, 0.0, radius + apart);
    for (int i = 1; i <= rings; i++) {
        double z = radius * detail->latitude[i][0], r = radius * detail->latitude[i][1];
        double shift = 2 * i < rings + 1 ? apart : 2 * i > rings + 1 ? -apart : 0.0;
        for (int j = 0; j < around; j++)
            add_point(out, r * detail->longitude[j][0], r * detail->longitude[j][1], z + shift);
    }
    add_point(out, 0.0, 0.0, -radius - apart);
    for (int j = 0; j < around; j++) {
        int next = (j + 1) % around, last = 1 + rings * around, below = 1 + (rings - 1) * around;
        add_polygon(out, 3, (int[]){0, 1 + j, 1 + next});
        for (int i = 0; i + 1 < rings; i++) {
            int a = 1 + i * around, b = a + around;
            add_polygon(out, 4, (int[]){a + j, b + j, b + next, a + next});
        }
        add_polygon(out, 3, (int[]){last, below + next, below + j});
    }
}

static void draw_box(perp_scene_outline *out, const double *half)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

    for (int k = 0; k < 8; k++)
        add_point(out, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                  k & 4 ? half[2] : -half[2]);
    for (int k = 0; k < 6; k++)
        add_polygon(out, 4, faces[k]);
}

static void draw_disc(perp_scene_outline *out, double radius, const perp_scene_detail *detail)
{
    int all[PERP_SCENE_CIRCLE];

    for (int k = 0; k < PERP_SCENE_CIRCLE; k++) {
        add_point(out, radius * detail->circle[k][0], radius * detail->circle[k][1], 0.0);
        all[k] = k;
    }
    add_polygon(out, PERP_SCENE_CIRCLE, all);
}

/* A square of the plane; a line of the plane of two dimensions becomes a strip. */
static void draw_plane(perp_scene_outline *out, const perp_scene_shape *shape, double extent)
{
    const double *n = shape->normal;
    double a[3], b[3];
    int axis = fabs(n[0]) < 0.7 ? 0 : 1;

    if (shape->size[0] > 0.0) {
        a[0] = -n[1], a[1] = n[0], a[2] = 0.0;
        b[0] = b[1] = 0.0, b[2] = 0.05;
    } else {
        double e[3] = {axis == 0, axis == 1, 0.0};
        double length;
        a[0] = n[1] * e[2] - n[2] * e[1];
        a[1] = n[2] * e[0] - n[0] * e[2];
        a[2] = n[0] * e[1] - n[1] * e[0];
        length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int k = 0; k < 3; k++)
            a[k] /= length;
        b[0] = n[1] * a[2] - n[2] * a[1];
        b[1] = n[2] * a[0] - n[0] * a[2];
        b[2] = n[0] * a[1] - n[1] * a[0];
    }
    for (int k = 0; k < 4; k++) {
        double s = k == 0 || k == 3 ? -extent : extent, t = k < 2 ? -extent : extent;
        add_point(out, n[0] * shape->offset + s * a[0] + t * b[0],
                  n[1] * shape->offset + s * a[1] + t * b[1],
                  n[2] * shape->offset + s * a[2] + t * b[2]);
    }
    add_polygon(out, 4, (int[]){0, 1, 2, 3});
}

/* Two rings, or a ring and a tip; the second of a cone has the radius 0. */
static void draw_round(perp_scene_outline *out, double radius, double low, double high, int is_cone,
                       const perp_scene_detail *detail)
{
    int n = detail->around, bottom[PERP_SCENE_CIRCLE] = {0}, top[PERP_SCENE_CIRCLE] = {0};

    for (int j = 0; j < n; j++)
        add_point(out, radius * detail->longitude[j][0], radius * detail->longitude[j][1], low);
    for (int j = 0; j < n && !is_cone; j++)
        add_point(out, radius * detail->longitude[j][0], radius * detail->longitude[j][1], high);
    if (is_cone)
        add_point(out, 0.0, 0.0, high);
    for (int j = 0; j < n; j++) {
        int next = (j + 1) % n;
        bottom[j] = n - 1 - j;
        top[j] = n + j;
        if (is_cone)
            add_polygon(out, 3, (int[]){j, next, n});
        else
            add_polygon(out, 4, (int[]){j, next, n + next, n + j});
    }
    add_polygon(out, n, bottom);
    if (!is_cone)
        add_polygon(out, n, top);
}

static void draw_ellipsoid(perp_scene_outline *out, const double *semi,
                           const perp_scene_detail *detail)
{
    draw_ball(out, 1.0, 0.0, detail);
    for (int i = 0; i < 3 * out->points; i++)
        out->own_point[i] *= semi[i % 3];
}

void perp_scene_outline_draw(perp_scene_outline *out, const perp_scene_shape *shape,
                             const perp_scene_detail *detail)
{
    out->points = out->polygons = out->entries = 0;
    out->point = out->own_point;
    out->size = out->own_size;
    out->vertex = out->own_vertex;
    switch (shape->form) {
    case PERP_SCENE_SPHERE:
        draw_ball(out, shape->size[0], 0.0, detail);
        break;
    case PERP_SCENE_CAPSULE:
        draw_ball(out, shape->size[0], shape->size[1], detail);
        break;
    case PERP_SCENE_BOX:
        draw_box(out, shape->size);
        break;
    case PERP_SCENE_DISC:
        draw_disc(out, shape->size[0], detail);
        break;
    case PERP_SCENE_PLANE:
        draw_plane(out, shape, detail->extent);
        break;
    case PERP_SCENE_CYLINDER:
        draw_round(out, shape->size[0], -shape->size[1], shape->size[1], 0, detail);
        break;
    case PERP_SCENE_CONE:
        draw_round(out, shape->size[0], 0.0, 2.0 * shape->size[1], 1, detail);
        break;
    case PERP_SCENE_ELLIPSOID:
        draw_ellipsoid(out, shape->size, detail);
        break;
    case PERP_SCENE_HULL:
    case PERP_SCENE_SURFACE:
    case PERP_SCENE_POLYGON:
        out->point = shape->vertex;
        out->points = shape->vertices;
        out->size = NULL;
        out->vertex = shape->triangle;
        out->polygons = shape->triangles;
        out->entries = 3 * shape->triangles;
        break;
    default:
        break;
    }
}
