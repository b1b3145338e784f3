/* SPDX-License-Identifier: BSD-3-Clause */
/* Pendula of point masses on massless rods, angles from the vertical that hangs down:
 * the tip is at (l sin a, -l cos a), gravity along -y. */
#include <math.h>
#include <string.h>

#include "scene/scene_inside.h"

enum { MASS, LENGTH, GRAVITY, MASS_2, LENGTH_2 };

static int single_torque(double *out, double t, const double *x, const double *v, const double *z,
                         void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;

    (void)t, (void)v, (void)z;
    out[0] = p[MASS] * p[GRAVITY] * p[LENGTH] * sin(x[0]);
    return 0;
}

static int single_torque_q(double *out, double t, const double *x, const double *v, const double *z,
                           void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;

    (void)t, (void)v, (void)z;
    out[0] = p[MASS] * p[GRAVITY] * p[LENGTH] * cos(x[0]);
    return 0;
}

static double single_potential(const perp_scene_member *s, const double *q)
{
    const double *p = s->parameter;
    return -p[MASS] * p[GRAVITY] * p[LENGTH] * cos(q[0]);
}

static void single_tip(double *place, double *jacobian, const perp_scene_member *s, const double *q,
                       const perp_scene_end *end)
{
    double l = s->parameter[LENGTH];

    (void)end;
    if (place != NULL) {
        place[0] = l * sin(q[0]);
        place[1] = -l * cos(q[0]);
    }
    if (jacobian != NULL) {
        jacobian[0] = l * cos(q[0]);
        jacobian[1] = l * sin(q[0]);
    }
}

static int take_matrices(perp_scene *scene, perp_scene_member *s, const double *mass, int n,
                         double damping)
{
    perp_lagrangian_def *def = &s->as->lagrangian;
    double *M = perp_scene_take(scene, (size_t)n, sizeof *M);
    double *C = perp_scene_take(scene, (size_t)n * (size_t)n, sizeof *C);

    if (M == NULL || C == NULL)
        return -1;
    for (int k = 0; k < n; k++)
        C[k + k * n] = damping;
    if (damping > 0.0)
        perp_mat_init_dense(&def->C, n, n, C, n);
    if (mass != NULL) {
        M[0] = mass[0];
        perp_mat_init_dense(&def->M, 1, 1, M, 1);
    }
    def->n = s->nx = s->nv = n;
    return 0;
}

int perp_scene_read_pendulum(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    double *p = s->parameter, *start = perp_scene_take(scene, 2, sizeof *start);
    double damping = 0.0, inertia;

    if (start == NULL ||
        perp_scene_object(at, "name type mass length gravity damping angle rate") != 0)
        return -1;
    p[MASS] = p[LENGTH] = 1.0;
    p[GRAVITY] = 9.81;
    if (perp_scene_real(&p[MASS], at, "mass", 1e-300, INFINITY) != 0 ||
        perp_scene_real(&p[LENGTH], at, "length", 1e-300, INFINITY) != 0 ||
        perp_scene_real(&p[GRAVITY], at, "gravity", -INFINITY, INFINITY) != 0 ||
        perp_scene_real(&damping, at, "damping", 0.0, INFINITY) != 0 ||
        perp_scene_real(&start[0], at, "angle", -INFINITY, INFINITY) != 0 ||
        perp_scene_real(&start[1], at, "rate", -INFINITY, INFINITY) != 0)
        return -1;
    inertia = p[MASS] * p[LENGTH] * p[LENGTH];
    s->as->lagrangian.q0 = start;
    s->as->lagrangian.v0 = start + 1;
    s->internal = single_torque;
    s->internal_q = single_torque_q;
    s->potential = single_potential;
    s->point = single_tip;
    s->points = 1;
    s->dim = 2;
    return take_matrices(scene, s, &inertia, 1, damping);
}

/* The double pendulum: absolute angles a, b; M_12 = m2 l1 l2 cos(a - b). */
static int double_mass(double *out, double t, const double *x, const double *v, const double *z,
                       void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double couple = p[MASS_2] * p[LENGTH] * p[LENGTH_2] * cos(x[0] - x[1]);

    (void)t, (void)v, (void)z;
    out[0] = (p[MASS] + p[MASS_2]) * p[LENGTH] * p[LENGTH];
    out[1] = out[2] = couple;
    out[3] = p[MASS_2] * p[LENGTH_2] * p[LENGTH_2];
    return 0;
}

/* d(M(q) w)/dq, w in place of v. */
static int double_mass_q(double *out, double t, const double *x, const double *v, const double *z,
                         void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double slope = -p[MASS_2] * p[LENGTH] * p[LENGTH_2] * sin(x[0] - x[1]);

    (void)t, (void)z;
    out[0] = slope * v[1];
    out[1] = slope * v[0];
    out[2] = -slope * v[1];
    out[3] = -slope * v[0];
    return 0;
}

static int double_inertia(double *out, double t, const double *x, const double *v, const double *z,
                          void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double swing = p[MASS_2] * p[LENGTH] * p[LENGTH_2] * sin(x[0] - x[1]);

    (void)t, (void)z;
    out[0] = swing * v[1] * v[1];
    out[1] = -swing * v[0] * v[0];
    return 0;
}

static int double_inertia_q(double *out, double t, const double *x, const double *v,
                            const double *z, void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double slope = p[MASS_2] * p[LENGTH] * p[LENGTH_2] * cos(x[0] - x[1]);

    (void)t, (void)z;
    out[0] = slope * v[1] * v[1];
    out[1] = -slope * v[0] * v[0];
    out[2] = -out[0];
    out[3] = -out[1];
    return 0;
}

static int double_inertia_v(double *out, double t, const double *x, const double *v,
                            const double *z, void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double swing = p[MASS_2] * p[LENGTH] * p[LENGTH_2] * sin(x[0] - x[1]);

    (void)t, (void)z;
    out[0] = out[3] = 0.0;
    out[1] = -2.0 * swing * v[0];
    out[2] = 2.0 * swing * v[1];
    return 0;
}

static int double_torque(double *out, double t, const double *x, const double *v, const double *z,
                         void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;

    (void)t, (void)v, (void)z;
    out[0] = (p[MASS] + p[MASS_2]) * p[GRAVITY] * p[LENGTH] * sin(x[0]);
    out[1] = p[MASS_2] * p[GRAVITY] * p[LENGTH_2] * sin(x[1]);
    return 0;
}

static int double_torque_q(double *out, double t, const double *x, const double *v, const double *z,
                           void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;

    (void)t, (void)v, (void)z;
    out[0] = (p[MASS] + p[MASS_2]) * p[GRAVITY] * p[LENGTH] * cos(x[0]);
    out[1] = out[2] = 0.0;
    out[3] = p[MASS_2] * p[GRAVITY] * p[LENGTH_2] * cos(x[1]);
    return 0;
}

static double double_potential(const perp_scene_member *s, const double *q)
{
    const double *p = s->parameter;
    return -(p[MASS] + p[MASS_2]) * p[GRAVITY] * p[LENGTH] * cos(q[0]) -
           p[MASS_2] * p[GRAVITY] * p[LENGTH_2] * cos(q[1]);
}

/* Point 0: the elbow, 1: the tip. */
static void double_point(double *place, double *jacobian, const perp_scene_member *s,
                         const double *q, const perp_scene_end *end)
{
    const double *p = s->parameter;
    double l[2] = {p[LENGTH], end->index == 1 ? p[LENGTH_2] : 0.0};

    if (place != NULL) {
        place[0] = l[0] * sin(q[0]) + l[1] * sin(q[1]);
        place[1] = -l[0] * cos(q[0]) - l[1] * cos(q[1]);
    }
    for (int k = 0; jacobian != NULL && k < 2; k++) {
        jacobian[2 * k] = l[k] * cos(q[k]);
        jacobian[2 * k + 1] = l[k] * sin(q[k]);
    }
}

int perp_scene_read_double_pendulum(perp_scene *scene, perp_scene_member *s,
                                    const perp_scene_node *at)
{
    double *p = s->parameter, *start = perp_scene_take(scene, 4, sizeof *start);
    double masses[2] = {1.0, 1.0}, lengths[2] = {1.0, 1.0};
    perp_lagrangian_def *def = &s->as->lagrangian;

    p[GRAVITY] = 9.81;
    if (start == NULL ||
        perp_scene_object(at, "name type masses lengths gravity angles rates") != 0 ||
        perp_scene_reals(masses, at, "masses", 2) != 0 ||
        perp_scene_reals(lengths, at, "lengths", 2) != 0 ||
        perp_scene_real(&p[GRAVITY], at, "gravity", -INFINITY, INFINITY) != 0 ||
        perp_scene_reals(start, at, "angles", 2) != 0 ||
        perp_scene_reals(start + 2, at, "rates", 2) != 0)
        return -1;
    for (int k = 0; k < 2; k++) {
        perp_scene_node list = perp_scene_get(at, masses[k] > 0.0 ? "lengths" : "masses");
        if (!(masses[k] > 0.0) || !(lengths[k] > 0.0))
            return perp_scene_fail(&list, "entry %d is not positive", k);
    }
    p[MASS] = masses[0], p[MASS_2] = masses[1];
    p[LENGTH] = lengths[0], p[LENGTH_2] = lengths[1];
    def->q0 = start;
    def->v0 = start + 2;
    def->mass = double_mass;
    def->mass_q = double_mass_q;
    def->N = double_inertia;
    def->N_q = double_inertia_q;
    def->N_v = double_inertia_v;
    def->user = s;
    s->internal = double_torque;
    s->internal_q = double_torque_q;
    s->potential = double_potential;
    s->point = double_point;
    s->points = 2;
    s->dim = 2;
    return take_matrices(scene, s, NULL, 2, 0.0);
}
