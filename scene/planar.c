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

static int read_outline(perp_scene_member *s, const perp_scene_node *at)
{
    perp_scene_shape *shape = &s->shape;

    if (!perp_scene_has(at, "radius"))
        return 0;
    shape->form = PERP_SCENE_DISC;
    return perp_scene_real(&shape->size[0], at, "radius", 1e-300, INFINITY);
}

int perp_scene_read_planar(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    double *start = perp_scene_take(scene, 6, sizeof *start), *M, mass = 1.0, inertia = 0.0;
    perp_lagrangian_def *def = &s->as.lagrangian;
    perp_scene_node node = perp_scene_get(at, "inertia");

    M = perp_scene_take(scene, 9, sizeof *M);
    s->force = perp_scene_take(scene, 3, sizeof *s->force);
    if (start == NULL || M == NULL || s->force == NULL ||
        perp_scene_object(
            at, "name type mass inertia radius position angle velocity rate force material") != 0 ||
        read_outline(s, at) != 0 || perp_scene_real(&mass, at, "mass", 1e-300, INFINITY) != 0)
        return -1;
    inertia = 0.5 * mass * s->shape.size[0] * s->shape.size[0];
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
    return perp_mat_init_csc(&s->as.lagrangian.M, s->nx, s->nx, colptr, row, M) == PERP_SOLVED ? 0
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
    s->nx = s->nv = s->as.lagrangian.n = count * dim;
    s->as.lagrangian.q0 = positions;
    s->as.lagrangian.v0 = velocities;
    s->point = mass_point;
    s->points = count;
    s->dim = dim;
    return set_masses(scene, s, count, at);
}
