/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores: support, branches, faces and lines, all in the frame where the shapes stand. */
#include <math.h>
#include <string.h>

#include "kernel/collide/convex.h"
#include "kernel/relations/twist.h"

static const double octagon[8][2] = {{1.0, 0.0},  {0.70710678118654752, 0.70710678118654752},
                                     {0.0, 1.0},  {-0.70710678118654752, 0.70710678118654752},
                                     {-1.0, 0.0}, {-0.70710678118654752, -0.70710678118654752},
                                     {0.0, -1.0}, {0.70710678118654752, -0.70710678118654752}};
/* 1 / cos(pi / 16): corners of a polygon of 16 around the unit circle; and its half angle. */
static const double outside = 1.0195911582083184, half_cos = 0.98078528040323044,
                    half_sin = 0.19509032201612827;

static void to_world(double *out, const perp_convex *c, const double *local)
{
    perp_rotate3(out, c->R, local);
    for (int k = 0; k < 3; k++)
        out[k] += c->centre[k];
}

static double sign(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

static void on_rim(double *p, double radius, const double *n)
{
    double flat = sqrt(n[0] * n[0] + n[1] * n[1]);
    p[0] = flat > 0.0 ? radius * (n[0] / flat) : radius;
    p[1] = flat > 0.0 ? radius * (n[1] / flat) : 0.0;
}

static void local_branch(double *p, const perp_convex *c, int branch, const double *n)
{
    p[0] = p[1] = p[2] = 0.0;
    switch (c->kind) {
    case PERP_CORE_POINT:
        break;
    case PERP_CORE_SEGMENT:
        p[2] = branch ? c->half[2] : -c->half[2];
        break;
    case PERP_CORE_BOX:
        for (int k = 0; k < 3; k++)
            p[k] = branch >> k & 1 ? c->half[k] : -c->half[k];
        break;
    case PERP_CORE_CYLINDER:
        on_rim(p, c->radius, n);
        p[2] = branch ? c->half[2] : -c->half[2];
        break;
    case PERP_CORE_CONE:
        if (branch)
            p[2] = 2.0 * c->half[2];
        else
            on_rim(p, c->radius, n);
        break;
    case PERP_CORE_ELLIPSOID: {
        double square = 0.0;
        for (int k = 0; k < 3; k++)
            square += c->half[k] * c->half[k] * n[k] * n[k];
        for (int k = 0; k < 3; k++)
            p[k] = c->half[k] * c->half[k] * n[k] / sqrt(square);
        break;
    }
    case PERP_CORE_HULL:
        memcpy(p, c->hull->vertex + (size_t)3 * (size_t)branch, 3 * sizeof *p);
        break;
    }
}

static int hull_vertex(const perp_hull *hull, const double *n)
{
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < hull->nvertices; i++) {
        double along = perp_dot3(hull->vertex + (size_t)3 * (size_t)i, n);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return best;
}

static int local_choice(const perp_convex *c, const double *n)
{
    switch (c->kind) {
    case PERP_CORE_SEGMENT:
    case PERP_CORE_CYLINDER:
        return n[2] >= 0.0;
    case PERP_CORE_BOX:
        return (n[0] >= 0.0) | (n[1] >= 0.0) << 1 | (n[2] >= 0.0) << 2;
    case PERP_CORE_CONE:
        return 2.0 * c->half[2] * n[2] > c->radius * sqrt(n[0] * n[0] + n[1] * n[1]);
    case PERP_CORE_HULL:
        return hull_vertex(c->hull, n);
    default:
        return 0;
    }
}

int perp_convex_support(double *out, const perp_convex *c, const double *d)
{
    double n[3], p[3];
    perp_rotate_back3(n, c->R, d);
    int branch = local_choice(c, n);
    local_branch(p, c, branch, n);
    to_world(out, c, p);
    return branch;
}

void perp_convex_branch(double *out, const perp_convex *c, int branch, const double *n)
{
    double local[3], p[3];
    perp_rotate_back3(local, c->R, n);
    local_branch(p, c, branch, local);
    to_world(out, c, p);
}

static void add(perp_facet *f, const perp_convex *c, double x, double y, double z)
{
    if (f->count < PERP_FACET_POINTS)
        to_world(f->x[f->count++], c, (const double[3]){x, y, z});
}

static double box_face(perp_facet *f, const perp_convex *c, const double *n)
{
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) > fabs(n[k]))
            k = i;
    double s = sign(n[k]), normal[3] = {0.0, 0.0, 0.0};
    int u = (k + 1) % 3, v = (k + 2) % 3;
    normal[k] = s;
    perp_rotate3(f->normal, c->R, normal);
    for (int i = 0; i < 4; i++) {
        double p[3];
        p[k] = s * c->half[k];
        p[u] = (i == 0 || i == 3 ? -s : s) * c->half[u];
        p[v] = (i < 2 ? -1.0 : 1.0) * c->half[v];
        add(f, c, p[0], p[1], p[2]);
    }
    return fabs(n[k]);
}

/* The disc at height z whose outward normal is up * z. */
static double round_face(perp_facet *f, const perp_convex *c, const double *n, double z, double up,
                         int around)
{
    perp_rotate3(f->normal, c->R, (const double[3]){0.0, 0.0, up});
    for (int i = 0; i < 8; i++) {
        double x = c->radius * octagon[i][0], y = up * c->radius * octagon[i][1];
        if (!around) {
            add(f, c, x, y, z);
            continue;
        }
        for (int j = -1; j <= 1; j += 2) {
            double s = up * j * half_sin;
            add(f, c, outside * (half_cos * x - s * y), outside * (s * x + half_cos * y), z);
        }
    }
    return up * n[2];
}

static double hull_face(perp_facet *f, const perp_convex *c, const double *n)
{
    const perp_hull *hull = c->hull;
    int best = -1;
    double most = -2.0;
    for (int i = 0; i < hull->nfaces; i++) {
        double along = perp_dot3(hull->normal + (size_t)3 * (size_t)i, n);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    if (best < 0)
        return -2.0;
    perp_rotate3(f->normal, c->R, hull->normal + (size_t)3 * (size_t)best);
    for (int i = hull->start[best]; i < hull->start[best + 1]; i++) {
        const double *p = hull->vertex + (size_t)3 * (size_t)hull->loop[i];
        add(f, c, p[0], p[1], p[2]);
    }
    return most;
}

double perp_convex_face(perp_facet *face, const perp_convex *c, const double *d, int around)
{
    double n[3];
    perp_rotate_back3(n, c->R, d);
    face->count = 0;
    switch (c->kind) {
    case PERP_CORE_BOX:
        return box_face(face, c, n);
    case PERP_CORE_CYLINDER:
        return round_face(face, c, n, sign(n[2]) * c->half[2], sign(n[2]), around);
    case PERP_CORE_CONE:
        return round_face(face, c, n, 0.0, -1.0, around);
    case PERP_CORE_HULL:
        return hull_face(face, c, n);
    default:
        return -2.0;
    }
}

static double box_line(perp_facet *f, const perp_convex *c, const double *n)
{
    int k = 0;
    double p[3];
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[k]))
            k = i;
    for (int i = 0; i < 3; i++)
        p[i] = sign(n[i]) * c->half[i];
    for (int end = -1; end <= 1; end += 2) {
        p[k] = end * c->half[k];
        add(f, c, p[0], p[1], p[2]);
    }
    return fabs(n[k]);
}

/* Among the edges that leave the farthest vertex. */
static double hull_line(perp_facet *f, const perp_convex *c, const double *n)
{
    const perp_hull *hull = c->hull;
    int top = hull_vertex(hull, n), other = -1;
    const double *p = hull->vertex + (size_t)3 * (size_t)top;
    double least = 2.0;
    for (int face = 0; face < hull->nfaces; face++) {
        int first = hull->start[face], count = hull->start[face + 1] - first;
        for (int i = 0; i < count; i++) {
            int u = hull->loop[first + i], v = hull->loop[first + (i + 1) % count];
            if (u != top && v != top)
                continue;
            const double *q = hull->vertex + (size_t)3 * (size_t)(u == top ? v : u);
            double e[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
            double missing = fabs(perp_dot3(e, n)) / sqrt(perp_dot3(e, e));
            if (missing < least) {
                least = missing;
                other = u == top ? v : u;
            }
        }
    }
    if (other < 0)
        return 2.0;
    const double *q = hull->vertex + (size_t)3 * (size_t)other;
    add(f, c, p[0], p[1], p[2]);
    add(f, c, q[0], q[1], q[2]);
    return least;
}

double perp_convex_line(perp_facet *line, const perp_convex *c, const double *d)
{
    double n[3], rim[3];
    perp_rotate_back3(n, c->R, d);
    on_rim(rim, c->radius, n);
    line->count = 0;
    switch (c->kind) {
    case PERP_CORE_SEGMENT:
        add(line, c, 0.0, 0.0, -c->half[2]);
        add(line, c, 0.0, 0.0, c->half[2]);
        return fabs(n[2]);
    case PERP_CORE_BOX:
        return box_line(line, c, n);
    case PERP_CORE_CYLINDER:
        add(line, c, rim[0], rim[1], -c->half[2]);
        add(line, c, rim[0], rim[1], c->half[2]);
        return fabs(n[2]);
    case PERP_CORE_CONE: {
        double height = 2.0 * c->half[2], length = hypot(height, c->radius);
        add(line, c, rim[0], rim[1], 0.0);
        add(line, c, 0.0, 0.0, height);
        return fabs(n[2] * height - sqrt(n[0] * n[0] + n[1] * n[1]) * c->radius) / length;
    }
    case PERP_CORE_HULL:
        return hull_line(line, c, n);
    default:
        return 2.0;
    }
}

double perp_convex_curvature(const perp_convex *c, const double *n, const double *x)
{
    double local[3], from[3], at[3], flat;
    perp_rotate_back3(local, c->R, n);
    for (int k = 0; k < 3; k++)
        from[k] = x[k] - c->centre[k];
    perp_rotate_back3(at, c->R, from);
    flat = sqrt(local[0] * local[0] + local[1] * local[1]);
    switch (c->kind) {
    case PERP_CORE_CYLINDER:
    case PERP_CORE_CONE: {
        /* The centre on the axis: right for any turn about it. */
        double r = sqrt(at[0] * at[0] + at[1] * at[1]);
        return flat > 1e-3 ? r / flat : 0.0;
    }
    case PERP_CORE_ELLIPSOID: {
        /* 1 / sqrt(K), K = (support / (a b c))^2 ... of the Gauss map: h^4 / (a b c)^2. */
        double square = 0.0;
        for (int k = 0; k < 3; k++)
            square += c->half[k] * c->half[k] * local[k] * local[k];
        return c->half[0] * c->half[1] * c->half[2] / square;
    }
    default:
        return 0.0;
    }
}
