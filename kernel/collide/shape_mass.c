/* SPDX-License-Identifier: BSD-3-Clause */
/* Volumes, centres and inertia of shapes that are filled evenly; of triangles by the divergence
 * theorem, in tetrahedra from one of the vertices [Eberly2002]. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/rotation.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"
#include "kernel/collide/hull.h"
#include "kernel/relations/twist.h"
#include "numerics/core/sized.h"

static const double pi = 3.14159265358979323846;

static perp_status refuse(perp_where *where, perp_status status, const char *what, int index)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

/* Of a closed surface: volume, first and second moments of it about its first vertex. */
typedef struct moments {
    double volume, first[3], second[9];
} moments;

static void add_tetrahedron(moments *m, const double *a, const double *b, const double *c)
{
    double across[3], sum[3];
    perp_cross3(across, b, c);
    double volume = perp_dot3(a, across) / 6.0;
    m->volume += volume;
    for (int i = 0; i < 3; i++) {
        sum[i] = a[i] + b[i] + c[i];
        m->first[i] += volume * sum[i] / 4.0;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[i + 3 * j] +=
                volume * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) / 20.0;
}

static void integrate(moments *m, const double *vertices, const int *triangles, int count)
{
    double corner[3][3];
    const double *o = vertices + (size_t)3 * (size_t)triangles[0];
    memset(m, 0, sizeof *m);
    for (int t = 0; t < count; t++) {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                corner[i][k] = vertices[3 * triangles[3 * t + i] + k] - o[k];
        add_tetrahedron(m, corner[0], corner[1], corner[2]);
    }
}

/* Moments of mass about the centre, at `centre` in the frame of the shape. */
static void fill_by(double *centre, double *inertia, const moments *m, const double *origin,
                    double mass)
{
    double density = mass / m->volume, from[3], trace = 0.0, C[9];
    for (int k = 0; k < 3; k++) {
        from[k] = m->first[k] / m->volume;
        centre[k] = origin[k] + from[k];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[i + 3 * j] = m->second[i + 3 * j] - m->volume * from[i] * from[j];
    for (int i = 0; i < 3; i++)
        trace += C[4 * i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia[i + 3 * j] = density * ((i == j ? trace : 0.0) - C[i + 3 * j]);
}

typedef struct edge {
    int from, to;
} edge;

static int by_ends(const void *x, const void *y)
{
    const edge *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Each edge runs once in each direction: closed, and all triangles seen from one side. */
static perp_status check_closed(const int *triangles, int count, perp_where *where)
{
    size_t n = 3 * (size_t)count;
    edge *edges = malloc(n * sizeof *edges);
    perp_status status = PERP_SOLVED;
    if (!edges)
        return refuse(where, PERP_ERR_MEMORY, "triangles", -1);
    for (size_t i = 0; i < n; i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        edges[i] = (edge){triangles[i], triangles[next]};
    }
    qsort(edges, n, sizeof *edges, by_ends);
    for (size_t i = 0; i < n && status == PERP_SOLVED; i++) {
        edge back = {edges[i].to, edges[i].from};
        if (i + 1 < n && by_ends(&edges[i], &edges[i + 1]) == 0)
            status = refuse(where, PERP_ERR_STRUCTURE,
                            "triangles: two on one side of an edge from vertex", edges[i].from);
        else if (!bsearch(&back, edges, n, sizeof *edges, by_ends))
            status = refuse(where, PERP_ERR_STRUCTURE, "triangles: open at an edge from vertex",
                            edges[i].from);
    }
    free(edges);
    return status;
}

/* Triangles of a mesh as given, or those of the hull; *own is to be freed. */
static perp_status surface_of(moments *m, const double **origin, const perp_shape_def *def,
                              perp_where *where)
{
    const int *triangles = def->triangles;
    int count = def->ntriangles, *own = NULL;
    perp_status status = PERP_SOLVED;
    if (!def->vertices)
        return refuse(where, PERP_ERR_ARGUMENT, "vertices", -1);
    if (def->kind == PERP_SHAPE_HULL) {
        own = malloc(6 * ((size_t)def->nvertices + 1) * sizeof *own);
        if (!own)
            return refuse(where, PERP_ERR_MEMORY, "vertices", -1);
        triangles = own;
        status = perp_hull_triangles(def->vertices, def->nvertices, own, &count, where);
    } else {
        status = triangles && count > 0 ? check_closed(triangles, count, where)
                                        : refuse(where, PERP_ERR_ARGUMENT, "triangles", -1);
    }
    if (status == PERP_SOLVED) {
        *origin = def->vertices + (size_t)3 * (size_t)triangles[0];
        integrate(m, def->vertices, triangles, count);
        if (!(m->volume > 0.0))
            status = refuse(where, PERP_ERR_STRUCTURE, "triangles: inside out", -1);
    }
    free(own);
    return status;
}

static int has_surface(const perp_shape_def *def)
{
    return def->kind == PERP_SHAPE_HULL || def->kind == PERP_SHAPE_MESH;
}

perp_status perp_shape_volume(const perp_shape_def *given, double *volume, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_shape_def def;
    moments m;
    const double *origin;
    perp_shape_def_init(&def, sizeof def);
    if (!volume || perp_sized_read(&def, sizeof def, given) != PERP_SOLVED)
        return refuse(where, PERP_ERR_ARGUMENT, "def", -1);
    const double r = def.radius, *s = def.half;
    switch (def.kind) {
    case PERP_SHAPE_SPHERE:
        *volume = 4.0 / 3.0 * pi * r * r * r;
        return PERP_SOLVED;
    case PERP_SHAPE_BOX:
        *volume = 8.0 * s[0] * s[1] * s[2];
        return PERP_SOLVED;
    case PERP_SHAPE_CAPSULE:
        *volume = pi * r * r * (2.0 * s[2] + 4.0 / 3.0 * r);
        return PERP_SOLVED;
    case PERP_SHAPE_CYLINDER:
        *volume = pi * r * r * 2.0 * s[2];
        return PERP_SOLVED;
    case PERP_SHAPE_CONE:
        *volume = pi * r * r * 2.0 * s[2] / 3.0;
        return PERP_SOLVED;
    case PERP_SHAPE_ELLIPSOID:
        *volume = 4.0 / 3.0 * pi * s[0] * s[1] * s[2];
        return PERP_SOLVED;
    default:
        break;
    }
    if (!has_surface(&def))
        return refuse(where, PERP_ERR_UNSUPPORTED, "kind", -1);
    perp_status status = surface_of(&m, &origin, &def, where);
    *volume = status == PERP_SOLVED ? m.volume : 0.0;
    return status;
}

/* Principal moments along the axes of the shape, and the height of the centre above its origin. */
static int fill_closed_form(double *moment, double *height, const perp_shape_def *def, double mass)
{
    const double r = def->radius, *s = def->half;
    double length = 2.0 * s[2], ball, rod;
    *height = 0.0;
    switch (def->kind) {
    case PERP_SHAPE_SPHERE:
        moment[0] = moment[1] = moment[2] = 0.4 * mass * r * r;
        return 1;
    case PERP_SHAPE_BOX:
    case PERP_SHAPE_ELLIPSOID:
        for (int k = 0; k < 3; k++) {
            double a = s[(k + 1) % 3], b = s[(k + 2) % 3];
            moment[k] = mass / (def->kind == PERP_SHAPE_BOX ? 3.0 : 5.0) * (a * a + b * b);
        }
        return 1;
    case PERP_SHAPE_CAPSULE:
        ball = mass * (4.0 / 3.0 * r) / (4.0 / 3.0 * r + length);
        rod = mass - ball;
        moment[0] = rod * (length * length / 12.0 + r * r / 4.0) +
                    ball * (0.4 * r * r + length * length / 4.0 + 0.375 * length * r);
        moment[1] = moment[0];
        moment[2] = rod * r * r / 2.0 + ball * 0.4 * r * r;
        return 1;
    case PERP_SHAPE_CYLINDER:
        moment[0] = moment[1] = mass * (length * length / 12.0 + r * r / 4.0);
        moment[2] = mass * r * r / 2.0;
        return 1;
    case PERP_SHAPE_CONE:
        *height = 0.25 * length;
        moment[0] = moment[1] = mass * (3.0 / 20.0 * r * r + 3.0 / 80.0 * length * length);
        moment[2] = 0.3 * mass * r * r;
        return 1;
    default:
        return 0;
    }
}

/* inertia = R inertia R'. */
static void turn(double *inertia, const double *quaternion)
{
    double R[9], half[9];
    perp_quaternion_matrix(quaternion, R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            half[i + 3 * j] = 0.0;
            for (int k = 0; k < 3; k++)
                half[i + 3 * j] += R[i + 3 * k] * inertia[k + 3 * j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            inertia[i + 3 * j] = 0.0;
            for (int k = 0; k < 3; k++)
                inertia[i + 3 * j] += half[i + 3 * k] * R[j + 3 * k];
        }
}

perp_status perp_shape_fill(const perp_shape_def *given, double mass, double *centre,
                            double *inertia, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_shape_def def;
    double local[3] = {0.0, 0.0, 0.0}, moment[3], q[4];
    perp_shape_def_init(&def, sizeof def);
    if (!centre || !inertia || perp_sized_read(&def, sizeof def, given) != PERP_SOLVED)
        return refuse(where, PERP_ERR_ARGUMENT, "def", -1);
    if (!(mass > 0.0) || !isfinite(mass))
        return refuse(where, PERP_ERR_ARGUMENT, "mass", -1);
    memcpy(q, def.quaternion, sizeof q);
    if (perp_quaternion_normalise(q) != PERP_SOLVED)
        return refuse(where, PERP_ERR_ARGUMENT, "quaternion", -1);
    memset(inertia, 0, 9 * sizeof *inertia);
    if (fill_closed_form(moment, &local[2], &def, mass)) {
        for (int k = 0; k < 3; k++)
            inertia[4 * k] = moment[k];
    } else {
        moments m;
        const double *origin = NULL;
        perp_status status = has_surface(&def) ? surface_of(&m, &origin, &def, where)
                                               : refuse(where, PERP_ERR_UNSUPPORTED, "kind", -1);
        if (status != PERP_SOLVED)
            return status;
        fill_by(local, inertia, &m, origin, mass);
    }
    perp_quaternion_rotate(q, local, centre);
    for (int k = 0; k < 3; k++)
        centre[k] += def.position[k];
    if (q[0] != 1.0)
        turn(inertia, q);
    return PERP_SOLVED;
}

void perp_mass_add(double *mass, double *centre, double *inertia, double more,
                   const double *more_centre, const double *more_inertia)
{
    double whole = *mass + more, apart[3], square = 0.0;
    double reduced = whole > 0.0 ? *mass / whole * more : 0.0;
    for (int k = 0; k < 3; k++) {
        apart[k] = more_centre[k] - centre[k];
        square += apart[k] * apart[k];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia[i + 3 * j] +=
                more_inertia[i + 3 * j] + reduced * ((i == j ? square : 0.0) - apart[i] * apart[j]);
    for (int k = 0; k < 3; k++)
        centre[k] = *mass > 0.0 ? centre[k] + more / whole * apart[k] : more_centre[k];
    *mass = whole;
}
