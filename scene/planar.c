/* SPDX-License-Identifier: BSD-3-Clause */
/* Rigid bodies in the plane, q = (x, y, angle), and sets of point masses. */
#include <math.h>
#include <string.h>

#include "scene/numbers.h"

/* A point given in the frame of the body. */
static void carried(double *place, double *jacobian, const perp_scene_member *s, const double *q,
                    const perp_scene_end *end)
{
    double c = cos(q[2]), n = sin(q[2]);
    double x = c * end->place[0] - n * end->place[1], y = n * end->place[0] + c * end->place[1];

    (void)s;
    if (place != NULL) {
        place[0] = q[0] + x;
        place[1] = q[1] + y;
    }
    if (jacobian != NULL) {
        const double all[6] = {1.0, 0.0, 0.0, 1.0, -y, x};
        memcpy(jacobian, all, sizeof all);
    }
}

/* Area, and about the origin first moments and the second polar moment. */
static void polygon_moments(double *area, double *first, double *polar, const double *x, int count)
{
    *area = first[0] = first[1] = *polar = 0.0;
    for (int i = 0; i < count; i++) {
        const double *p = x + 3 * i, *q = x + 3 * ((i + 1) % count);
        double twice = p[0] * q[1] - p[1] * q[0];
        *area += 0.5 * twice;
        for (int k = 0; k < 2; k++) {
            first[k] += twice * (p[k] + q[k]) / 6.0;
            *polar += twice * (p[k] * p[k] + p[k] * q[k] + q[k] * q[k]) / 12.0;
        }
    }
}

/* Its corners, shifted so that their centre of area is the origin; *gyration: inertia of a unit of
 * mass, moved: where the origin was put. */
static int read_polygon(perp_scene *scene, perp_scene_shape *shape, double *gyration, double *moved,
                        const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "polygon");
    double *columns = NULL, area, first[2], polar;
    int count = -1, two = 2;

    if (perp_scene_matrix(scene, &columns, &count, &two, at, "polygon") != 0)
        return -1;
    if (columns == NULL || count < 3)
        return perp_scene_fail(&node, "three corners at least are expected");
    shape->form = PERP_SCENE_POLYGON;
    shape->vertex = perp_scene_take(scene, 3 * (size_t)count, sizeof *shape->vertex);
    shape->triangle = perp_scene_take(scene, 3 * (size_t)count, sizeof *shape->triangle);
    if (shape->vertex == NULL || shape->triangle == NULL)
        return -1;
    shape->vertices = count;
    shape->triangles = count - 2;
    for (int i = 0; i < 2 * count; i++)
        shape->vertex[3 * (i % count) + i / count] = columns[i];
    for (int i = 0; i + 2 < count; i++)
        shape->triangle[3 * i + 1] = i + 1, shape->triangle[3 * i + 2] = i + 2;
    polygon_moments(&area, first, &polar, shape->vertex, count);
    if (area == 0.0)
        return perp_scene_fail(&node, "no area");
    moved[0] = first[0] / area;
    moved[1] = first[1] / area;
    *gyration = polar / area - moved[0] * moved[0] - moved[1] * moved[1];
    for (int k = 0; k < 2; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < count; i++) {
            double *x = &shape->vertex[3 * i + k];
            lo = fmin(lo, *x -= moved[k]);
            hi = fmax(hi, *x);
        }
        shape->size[k] = 0.5 * (hi - lo);
    }
    return 0;
}

static int read_outline(perp_scene *scene, perp_scene_member *s, double *gyration, double *moved,
                        const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "polygon");
    perp_scene_shape *shape = &s->shape;

    if (node.json != NULL && perp_scene_has(at, "radius"))
        return perp_scene_fail(&node, "polygon and radius are both given");
    if (node.json != NULL)
        return read_polygon(scene, shape, gyration, moved, at);
    if (!perp_scene_has(at, "radius"))
        return 0;
    shape->form = PERP_SCENE_DISC;
    if (perp_scene_real(&shape->size[0], at, "radius", 1e-300, INFINITY) != 0)
        return -1;
    return 0;
}

int perp_scene_read_planar(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    double *start = perp_scene_take(scene, 6, sizeof *start), *M, mass = 1.0, inertia = 0.0;
    double gyration = 0.0, moved[2] = {0.0, 0.0};
    perp_lagrangian_def *def = &s->as->lagrangian;
    perp_scene_node node = perp_scene_get(at, "inertia");

    M = perp_scene_take(scene, 9, sizeof *M);
    s->force = perp_scene_take(scene, 3, sizeof *s->force);
    if (start == NULL || M == NULL || s->force == NULL ||
        perp_scene_object(
            at,
            "name type mass inertia radius polygon position angle velocity rate force material") !=
            0 ||
        read_outline(scene, s, &gyration, moved, at) != 0 ||
        perp_scene_real(&mass, at, "mass", 1e-300, INFINITY) != 0)
        return -1;
    inertia = s->shape.form == PERP_SCENE_POLYGON
                  ? mass * gyration
                  : 0.5 * mass * s->shape.size[0] * s->shape.size[0];
    if (perp_scene_real(&inertia, at, "inertia", 1e-300, INFINITY) != 0 ||
        perp_scene_reals(start, at, "position", 2) != 0 ||
        perp_scene_real(&start[2], at, "angle", -INFINITY, INFINITY) != 0 ||
        perp_scene_reals(start + 3, at, "velocity", 2) != 0 ||
        perp_scene_real(&start[5], at, "rate", -INFINITY, INFINITY) != 0 ||
        perp_scene_reals(s->force, at, "force", 3) != 0 ||
        perp_scene_string(&s->material, at, "material") != 0)
        return -1;
    if (!(inertia > 0.0))
        return perp_scene_fail(&node, "missing; it follows from the radius where there is one");
    start[0] += cos(start[2]) * moved[0] - sin(start[2]) * moved[1];
    start[1] += sin(start[2]) * moved[0] + cos(start[2]) * moved[1];
    s->force[0] += mass * scene->gravity[0];
    s->force[1] += mass * scene->gravity[1];
    M[0] = M[4] = mass;
    M[8] = inertia;
    perp_mat_init_dense(&def->M, 3, 3, M, 3);
    def->n = s->nx = s->nv = 3;
    def->q0 = start;
    def->v0 = start + 3;
    s->point = carried;
    s->points = -1;
    s->dim = 2;
    return 0;
}

/* Point k of a set of masses. */
static void mass_point(double *place, double *jacobian, const perp_scene_member *s, const double *q,
                       const perp_scene_end *end)
{
    size_t dim = (size_t)s->dim, first = dim * (size_t)end->index;

    if (place != NULL)
        memcpy(place, q + first, dim * sizeof *place);
    if (jacobian != NULL) {
        memset(jacobian, 0, dim * (size_t)s->nx * sizeof *jacobian);
        for (size_t k = 0; k < dim; k++)
            jacobian[k + dim * (first + k)] = 1.0;
    }
}

/* count x dim numbers, rows of the file, stacked. */
static int read_places(perp_scene *scene, double **values, int *count, int *dim,
                       const perp_scene_node *at, const char *key)
{
    double *columns = NULL;

    if (perp_scene_matrix(scene, &columns, count, dim, at, key) != 0)
        return -1;
    if (columns == NULL)
        return 0;
    *values = perp_scene_take(scene, (size_t)*count * (size_t)*dim, sizeof **values);
    if (*values == NULL)
        return -1;
    for (int k = 0; k < *count; k++)
        for (int i = 0; i < *dim; i++)
            (*values)[k * *dim + i] = columns[k + i * *count];
    return 0;
}

static int set_masses(perp_scene *scene, perp_scene_member *s, int count, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "masses");
    double *M = perp_scene_take(scene, (size_t)s->nx, sizeof *M);
    int *colptr = perp_scene_take(scene, (size_t)s->nx + 1, sizeof *colptr);
    int *row = perp_scene_take(scene, (size_t)s->nx, sizeof *row);

    s->force = perp_scene_take(scene, (size_t)s->nx, sizeof *s->force);
    if (M == NULL || colptr == NULL || row == NULL || s->force == NULL)
        return -1;
    for (int k = 0; k < count; k++) {
        if (!(s->masses[k] > 0.0))
            return perp_scene_fail(&node, "entry %d is not positive", k);
        for (int i = 0; i < s->dim; i++) {
            int j = k * s->dim + i;
            row[j] = j;
            colptr[j + 1] = j + 1;
            M[j] = s->masses[k];
            s->force[j] = s->masses[k] * scene->gravity[i];
        }
    }
    return perp_mat_init_csc(&s->as->lagrangian.M, s->nx, s->nx, colptr, row, M) == PERP_SOLVED ? 0
                                                                                               : -1;
}

int perp_scene_read_point_masses(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "positions");
    double *positions = NULL, *velocities = NULL;
    int count = -1, dim = -1;

    if (perp_scene_object(at, "name type masses positions velocities") != 0 ||
        read_places(scene, &positions, &count, &dim, at, "positions") != 0)
        return -1;
    if (positions == NULL)
        return perp_scene_fail(&node, "missing");
    if (dim > 3)
        return perp_scene_fail(&node, "points have 1 to 3 coordinates, not %d", dim);
    if (perp_scene_vector(scene, &s->masses, &count, at, "masses") != 0 ||
        read_places(scene, &velocities, &count, &dim, at, "velocities") != 0)
        return -1;
    node = perp_scene_get(at, "masses");
    if (s->masses == NULL)
        return perp_scene_fail(&node, "missing");
    s->nx = s->nv = s->as->lagrangian.n = count * dim;
    s->as->lagrangian.q0 = positions;
    s->as->lagrangian.v0 = velocities;
    s->point = mass_point;
    s->points = count;
    s->dim = dim;
    return set_masses(scene, s, count, at);
}
