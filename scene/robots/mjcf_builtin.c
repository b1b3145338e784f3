/* SPDX-License-Identifier: BSD-3-Clause */
/* <mesh builtin>: spheres by an icosahedron whose triangles are divided, half spheres by an
 * octahedron, cones, and the superquadrics of a sphere and a torus, with the numbers `params` of
 * MuJoCo. */
#include <math.h>
#include <string.h>

#include "scene/robots/mjcf.h"

enum { MOST_DIVISIONS = 4, MOST_EDGES = 200 };

static const double pi = 3.14159265358979323846;

typedef struct growing {
    perp_robot_job *job;
    double *points;
    int *triangles;
    int npoints, ntriangles;
} growing;

static int begin(growing *g, int points, int triangles)
{
    g->points = perp_robot_take(g->job, (size_t)points, 3 * sizeof *g->points);
    g->triangles = perp_robot_take(g->job, (size_t)triangles, 3 * sizeof *g->triangles);
    return g->points != NULL && g->triangles != NULL ? 0 : -1;
}

static int add_point(growing *g, double x, double y, double z)
{
    double *p = g->points + 3 * g->npoints;

    p[0] = x;
    p[1] = y;
    p[2] = z;
    return g->npoints++;
}

static void add_triangle(growing *g, int a, int b, int c)
{
    int *t = g->triangles + 3 * g->ntriangles++;

    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* The point of the unit sphere above the middle of two of its points, once. */
static int middle(growing *g, int a, int b)
{
    const double *p = g->points + 3 * a, *q = g->points + 3 * b;
    double m[3] = {p[0] + q[0], p[1] + q[1], p[2] + q[2]};

    (void)perp_unit3(m);
    for (int k = g->npoints - 1; k >= 0; k--) {
        const double *o = g->points + 3 * k;
        if (fabs(o[0] - m[0]) + fabs(o[1] - m[1]) + fabs(o[2] - m[2]) < 1e-9)
            return k;
    }
    return add_point(g, m[0], m[1], m[2]);
}

static int make_sphere(growing *g, int divisions)
{
    static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    double t = 0.5 * (1.0 + sqrt(5.0)), r = sqrt(1.0 + t * t);
    int many = 1 << (2 * divisions);

    if (begin(g, 10 * many + 2, 20 * many) != 0)
        return -1;
    for (int k = 0; k < 12; k++) {
        double x[3] = {0.0};
        int axis = k / 4; /* of the shorter side */
        x[axis] = (k & 1) != 0 ? 1.0 / r : -1.0 / r;
        x[(axis + 1) % 3] = (k & 2) != 0 ? -t / r : t / r;
        add_point(g, x[0], x[1], x[2]);
    }
    for (int k = 0; k < 20; k++)
        add_triangle(g, faces[k][0], faces[k][1], faces[k][2]);
    for (int d = 0; d < divisions; d++)
        for (int k = 0, n = g->ntriangles; k < n; k++) {
            int a = g->triangles[3 * k], b = g->triangles[3 * k + 1], c = g->triangles[3 * k + 2];
            int ab = middle(g, a, b), bc = middle(g, b, c), ca = middle(g, c, a);
            add_triangle(g, a, ab, ca);
            add_triangle(g, b, bc, ab);
            add_triangle(g, c, ca, bc);
            g->triangles[3 * k] = ab;
            g->triangles[3 * k + 1] = bc;
            g->triangles[3 * k + 2] = ca;
        }
    return 0;
}

/* Ring i has 4 i points, the last one is the equator; below it a point closes the half sphere. */
static int make_hemisphere(growing *g, int rings)
{
    int last = 0, first = 0;

    if (begin(g, 2 * rings * (rings + 1) + 2, 4 * rings * rings + 4 * rings) != 0)
        return -1;
    add_point(g, 0.0, 0.0, 1.0);
    for (int i = 1; i <= rings; i++) {
        int start = g->npoints, inner = i > 1 ? 4 * (i - 1) : 1;
        for (int k = 0; k < 4 * i; k++) {
            double part = (double)(k % i), x = (double)i - part, y = part;
            int quarter = k / i;
            double p[3] = {quarter == 0   ? x
                           : quarter == 1 ? -y
                           : quarter == 2 ? -x
                                          : y,
                           quarter == 0   ? y
                           : quarter == 1 ? x
                           : quarter == 2 ? -y
                                          : -x,
                           (double)(rings - i)};
            (void)perp_unit3(p);
            add_point(g, p[0], p[1], p[2]);
        }
        for (int k = 0; k < 4 * i; k++) {
            int quarter = k / i, part = k % i, next = start + (k + 1) % (4 * i);
            int in = i > 1 ? first + (quarter * (i - 1) + part) % inner : 0;
            int before = i > 1 ? first + (quarter * (i - 1) + part + inner - 1) % inner : 0;
            if (part > 0)
                add_triangle(g, before, start + k, in);
            add_triangle(g, in, start + k, next);
        }
        first = start;
        last = g->npoints;
    }
    int centre = add_point(g, 0.0, 0.0, 0.0);
    for (int k = first; k < last; k++)
        add_triangle(g, k, centre, k + 1 < last ? k + 1 : first);
    return 0;
}

static int make_cone(growing *g, int edges, double top)
{
    int whole = top > 0.0;

    if (begin(g, 2 * edges + 2, 4 * edges) != 0)
        return -1;
    for (int level = 0; level < 2; level++)
        for (int k = 0; k < (level == 0 || whole ? edges : 1); k++) {
            double angle = 2.0 * pi * k / edges, r = level == 0 ? 1.0 : top;
            add_point(g, r * cos(angle), r * sin(angle), level == 0 ? -1.0 : 1.0);
        }
    for (int k = 0; k < edges; k++) {
        int next = (k + 1) % edges, up = whole ? edges + k : edges, on = whole ? edges + next : up;
        add_triangle(g, k, next, on);
        if (whole)
            add_triangle(g, k, on, up);
        if (k > 0 && k + 1 < edges)
            add_triangle(g, 0, next, k);
        if (whole && k > 0 && k + 1 < edges)
            add_triangle(g, edges, up, on);
    }
    return 0;
}

/* A power that keeps the sign. */
static double raise_to(double x, double power)
{
    double size = pow(fabs(x), power);

    return fabs(x) < 1e-14 ? 0.0 : x < 0.0 ? -size : size;
}

/* Around the z axis by `around`, up by `up`. */
static int make_supersphere(growing *g, int n, double around, double up)
{
    if (begin(g, n * n + 2, 2 * n * n) != 0)
        return -1;
    int south = add_point(g, 0.0, 0.0, -1.0), north = add_point(g, 0.0, 0.0, 1.0), first = 2;
    for (int i = 1; i < n; i++)
        for (int k = 0; k < n; k++) {
            double a = pi * ((double)i / n - 0.5), b = 2.0 * pi * k / n - pi;
            double r = raise_to(cos(a), up);
            add_point(g, r * raise_to(cos(b), around), r * raise_to(sin(b), around),
                      raise_to(sin(a), up));
        }
    for (int k = 0; k < n; k++) {
        int next = (k + 1) % n, top = first + (n - 2) * n;
        add_triangle(g, south, first + next, first + k);
        add_triangle(g, north, top + k, top + next);
        for (int i = 0; i + 2 < n; i++) {
            int a = first + i * n;
            add_triangle(g, a + k, a + next, a + n + next);
            add_triangle(g, a + k, a + n + next, a + n + k);
        }
    }
    return 0;
}

/* A tube of a radius around the unit circle. */
static int make_supertorus(growing *g, int n, double radius, double tube, double circle)
{
    if (begin(g, n * n, 2 * n * n) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double a = 2.0 * pi * i / n, b = 2.0 * pi * k / n;
            double r = 1.0 + radius * raise_to(cos(b), tube);
            add_point(g, r * raise_to(cos(a), circle), r * raise_to(sin(a), circle),
                      radius * raise_to(sin(b), tube));
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            int on = (i + 1) % n * n, next = (k + 1) % n, here = i * n;
            add_triangle(g, here + k, on + k, on + next);
            add_triangle(g, here + k, on + next, here + next);
        }
    return 0;
}

/* A whole number within bounds. */
static int is_count(double x, int least, int most)
{
    return x == floor(x) && x >= least && x <= most;
}

/* 0; 1: no such form, or numbers of another kind; -1. */
static int make(growing *g, const char *kind, const double *p, int count)
{
    if (strcmp(kind, "sphere") == 0 && count == 1 && is_count(p[0], 0, MOST_DIVISIONS))
        return make_sphere(g, (int)p[0]);
    if (strcmp(kind, "hemisphere") == 0 && count == 1 && is_count(p[0], 0, 10))
        return make_hemisphere(g, (int)p[0] + 1);
    if (strcmp(kind, "cone") == 0 && count == 2 && is_count(p[0], 3, MOST_EDGES) && p[1] >= 0.0 &&
        p[1] <= 1.0)
        return make_cone(g, (int)p[0], p[1]);
    if (strcmp(kind, "supersphere") == 0 && count == 3 && is_count(p[0], 3, MOST_EDGES) &&
        p[1] >= 0.0 && p[2] >= 0.0)
        return make_supersphere(g, (int)p[0], p[1], p[2]);
    if (strcmp(kind, "supertorus") == 0 && count == 4 && is_count(p[0], 3, MOST_EDGES) &&
        p[1] > 0.0 && p[1] <= 1.0 && p[2] > 0.0 && p[3] > 0.0)
        return make_supertorus(g, (int)p[0], p[1], p[2], p[3]);
    return 1;
}

int perp_mjcf_builtin(const perp_mjcf_reader *r, perp_robot_mesh *mesh, double **points)
{
    const char *kind = perp_xml_get(r->at, "builtin");
    growing g = {.job = r->m->job};
    double p[8] = {0.0};
    int count = perp_mjcf_numbers(r, "params", p, 8), bad;

    if (count < 0)
        return -1;
    bad = make(&g, kind, p, count);
    if (bad > 0) {
        perp_robot_missing(r->m->job, r->at, "builtin %.40s with such params", kind);
        mesh->lost = mesh->loaded = 1;
    }
    if (bad != 0)
        return bad;
    *points = g.points;
    mesh->npoints = g.npoints;
    mesh->triangles = g.triangles;
    mesh->ntriangles = g.ntriangles;
    return 0;
}
