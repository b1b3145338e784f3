/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/ball_mesh.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(double *out, const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static double distance(const double *a, const double *b)
{
    double d[3];
    subtract(d, a, b);
    return sqrt(dot(d, d));
}

static void nearest_of_segment(double *out, const double *a, const double *b, const double *x)
{
    double along[3], from[3];
    subtract(along, b, a);
    subtract(from, x, a);
    double square = dot(along, along), s = square > 0.0 ? dot(from, along) / square : 0.0;
    s = fmax(0.0, fmin(1.0, s));
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + s * along[k];
}

/* Unit outward normal; 0 for a triangle without area. */
static void normal_of(double *n, const double *const *corner)
{
    double u[3], v[3];
    subtract(u, corner[1], corner[0]);
    subtract(v, corner[2], corner[0]);
    for (int k = 0; k < 3; k++)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    double norm = sqrt(dot(n, n));
    for (int k = 0; k < 3; k++)
        n[k] = norm > 0.0 ? n[k] / norm : 0.0;
}

/* The foot of the perpendicular where it is inside, otherwise the nearest of the edges. */
static void nearest_of_triangle(double *out, const double *const *corner, const double *n,
                                const double *x)
{
    double foot[3], from[3], best = INFINITY;
    int inside = dot(n, n) > 0.0;
    subtract(from, x, corner[0]);
    for (int k = 0; k < 3; k++)
        foot[k] = x[k] - dot(from, n) * n[k];
    for (int i = 0; i < 3; i++) {
        double edge[3], to[3], inward = 0.0, at[3];
        subtract(edge, corner[(i + 1) % 3], corner[i]);
        subtract(to, foot, corner[i]);
        for (int k = 0; k < 3; k++)
            inward +=
                n[k] * (edge[(k + 1) % 3] * to[(k + 2) % 3] - edge[(k + 2) % 3] * to[(k + 1) % 3]);
        inside &= inward >= 0.0;
        nearest_of_segment(at, corner[i], corner[(i + 1) % 3], x);
        if (distance(at, x) < best) {
            best = distance(at, x);
            memcpy(out, at, sizeof at);
        }
    }
    if (inside)
        memcpy(out, foot, sizeof foot);
}

typedef struct candidate {
    double foot[3], away, slope; /* distance, and its part along the normal */
} candidate;

static candidate look_at(const perp_shape_def *mesh, int triangle, const double *centre,
                         const double *x)
{
    const double *corner[3];
    double n[3], from[3];
    candidate c;
    for (int i = 0; i < 3; i++)
        corner[i] = mesh->vertices + 3 * mesh->triangles[3 * triangle + i];
    normal_of(n, corner);
    nearest_of_triangle(c.foot, corner, n, x);
    subtract(from, centre, c.foot);
    c.away = distance(x, c.foot);
    c.slope = dot(from, n);
    return c;
}

/* Whether the surface at the foot of triangle i is nearer on another triangle, or the same
 * place is better judged there. */
static int is_overruled(const perp_shape_def *mesh, const int *list, int n, int i,
                        const candidate *own, const double *centre, double eps)
{
    for (int j = 0; j < n; j++) {
        if (j == i)
            continue;
        candidate there = look_at(mesh, list[j], centre, own->foot);
        if (there.away > eps)
            continue;
        candidate other = look_at(mesh, list[j], centre, centre);
        if (other.away < own->away - eps)
            return 1;
        int better = fabs(other.slope) - fabs(own->slope) > eps;
        int worse = fabs(own->slope) - fabs(other.slope) > eps;
        if (better || (!worse && j < i))
            return 1;
    }
    return 0;
}

int ball_mesh_points(perp_contact_point *points, int capacity, const perp_shape_def *mesh,
                     const int *list, int n, const double *centre, double radius, double reach)
{
    int count = 0;
    for (int i = 0; i < n && count < capacity; i++) {
        candidate c = look_at(mesh, list[i], centre, centre);
        double sign = c.slope < 0.0 ? -1.0 : 1.0, eps = 1e-9 * (radius + reach + c.away);
        double gap = sign * c.away - radius;
        if (c.away > radius + reach || c.away == 0.0 ||
            is_overruled(mesh, list, n, i, &c, centre, eps))
            continue;
        perp_contact_point *point = &points[count++];
        point->gap = gap;
        for (int k = 0; k < 3; k++) {
            point->normal[k] = sign * (centre[k] - c.foot[k]) / c.away;
            point->point_a[k] = centre[k] - radius * point->normal[k];
            point->point_b[k] = c.foot[k];
        }
    }
    return count;
}
