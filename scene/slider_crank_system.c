/* SPDX-License-Identifier: BSD-3-Clause */
/* Slider-crank with a slider that has clearance in its guide [FloresEtAl2010]: q = angles of crank,
 * connecting rod and slider, centres of mass of crank and rod in their middles, the rod ends in the
 * centre of the slider.  Points 0 to 3 are the corners (-a, b), (a, b), (-a, -b), (a, -b) of the
 * slider, half length a and half height b; the guide is y = +-(b + clearance), a relation each. */
#include <math.h>
#include <string.h>

#include "scene/scene_inside.h"

enum { L1, L2, M1, M2, M3, J1, J2, J3, HALF_LENGTH, HALF_HEIGHT, GRAVITY };

static double rod_weight(const double *p)
{
    return 0.5 * p[M2] + p[M3];
}

static int mass(double *out, double t, const double *x, const double *v, const double *z,
                void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double couple = p[L1] * p[L2] * rod_weight(p) * cos(x[0] - x[1]);

    (void)t, (void)v, (void)z;
    memset(out, 0, 9 * sizeof *out);
    out[0] = p[J1] + p[L1] * p[L1] * (0.25 * p[M1] + p[M2] + p[M3]);
    out[1] = out[3] = couple;
    out[4] = p[J2] + p[L2] * p[L2] * (0.25 * p[M2] + p[M3]);
    out[8] = p[J3];
    return 0;
}

static int mass_q(double *out, double t, const double *x, const double *v, const double *z,
                  void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double slope = -p[L1] * p[L2] * rod_weight(p) * sin(x[0] - x[1]);

    (void)t, (void)z;
    memset(out, 0, 9 * sizeof *out);
    out[0] = slope * v[1];
    out[1] = slope * v[0];
    out[3] = -out[0];
    out[4] = -out[1];
    return 0;
}

static int inertia(double *out, double t, const double *x, const double *v, const double *z,
                   void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double swing = p[L1] * p[L2] * rod_weight(p) * sin(x[0] - x[1]);

    (void)t, (void)z;
    out[0] = swing * v[1] * v[1];
    out[1] = -swing * v[0] * v[0];
    out[2] = 0.0;
    return 0;
}

static int inertia_q(double *out, double t, const double *x, const double *v, const double *z,
                     void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double slope = p[L1] * p[L2] * rod_weight(p) * cos(x[0] - x[1]);

    (void)t, (void)z;
    memset(out, 0, 9 * sizeof *out);
    out[0] = slope * v[1] * v[1];
    out[1] = -slope * v[0] * v[0];
    out[3] = -out[0];
    out[4] = -out[1];
    return 0;
}

static int inertia_v(double *out, double t, const double *x, const double *v, const double *z,
                     void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;
    double swing = p[L1] * p[L2] * rod_weight(p) * sin(x[0] - x[1]);

    (void)t, (void)z;
    memset(out, 0, 9 * sizeof *out);
    out[1] = -2.0 * swing * v[0];
    out[3] = 2.0 * swing * v[1];
    return 0;
}

static int weight(double *out, double t, const double *x, const double *v, const double *z,
                  void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;

    (void)t, (void)v, (void)z;
    out[0] = p[GRAVITY] * p[L1] * (0.5 * p[M1] + p[M2] + p[M3]) * cos(x[0]);
    out[1] = p[GRAVITY] * p[L2] * rod_weight(p) * cos(x[1]);
    out[2] = 0.0;
    return 0;
}

static int weight_q(double *out, double t, const double *x, const double *v, const double *z,
                    void *user)
{
    const double *p = ((perp_scene_member *)user)->parameter;

    (void)t, (void)v, (void)z;
    memset(out, 0, 9 * sizeof *out);
    out[0] = -p[GRAVITY] * p[L1] * (0.5 * p[M1] + p[M2] + p[M3]) * sin(x[0]);
    out[4] = -p[GRAVITY] * p[L2] * rod_weight(p) * sin(x[1]);
    return 0;
}

static double potential(const perp_scene_member *s, const double *q)
{
    const double *p = s->parameter;
    return p[GRAVITY] *
           (p[L1] * (0.5 * p[M1] + p[M2] + p[M3]) * sin(q[0]) + p[L2] * rod_weight(p) * sin(q[1]));
}

static void corner(double *place, double *jacobian, const perp_scene_member *s, const double *q,
                   const perp_scene_end *end)
{
    const double *p = s->parameter;
    double x = end->index % 2 == 0 ? -p[HALF_LENGTH] : p[HALF_LENGTH];
    double y = end->index < 2 ? p[HALF_HEIGHT] : -p[HALF_HEIGHT];
    double c = cos(q[2]), n = sin(q[2]);

    if (place != NULL) {
        place[0] = p[L1] * cos(q[0]) + p[L2] * cos(q[1]) + c * x - n * y;
        place[1] = p[L1] * sin(q[0]) + p[L2] * sin(q[1]) + n * x + c * y;
    }
    if (jacobian != NULL) {
        jacobian[0] = -p[L1] * sin(q[0]);
        jacobian[1] = p[L1] * cos(q[0]);
        jacobian[2] = -p[L2] * sin(q[1]);
        jacobian[3] = p[L2] * cos(q[1]);
        jacobian[4] = -n * x - c * y;
        jacobian[5] = c * x - n * y;
    }
}

static int read_numbers(perp_scene_member *s, const perp_scene_node *at, double *start)
{
    double *p = s->parameter;

    if (perp_scene_need_reals(&p[L1], at, "lengths", 2) != 0 ||
        perp_scene_need_reals(&p[M1], at, "masses", 3) != 0 ||
        perp_scene_need_reals(&p[J1], at, "inertias", 3) != 0 ||
        perp_scene_need_reals(&p[HALF_LENGTH], at, "slider", 2) != 0 ||
        perp_scene_real(&p[GRAVITY], at, "gravity", -INFINITY, INFINITY) != 0 ||
        perp_scene_reals(start, at, "angles", 3) != 0 ||
        perp_scene_reals(start + 3, at, "rates", 3) != 0)
        return -1;
    for (int k = L1; k <= HALF_HEIGHT; k++) {
        const char *key = k < M1            ? "lengths"
                          : k < J1          ? "masses"
                          : k < HALF_LENGTH ? "inertias"
                                            : "slider";
        perp_scene_node list = perp_scene_get(at, key);
        if (!(p[k] > 0.0))
            return perp_scene_fail(&list, "every entry is to be positive");
    }
    return 0;
}

int perp_scene_read_slider_crank(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    double *start = perp_scene_take(scene, 6, sizeof *start);
    perp_lagrangian_def *def = &s->as->lagrangian;

    s->parameter[GRAVITY] = 9.81;
    if (start == NULL ||
        perp_scene_object(at, "name type lengths masses inertias slider gravity angles rates") !=
            0 ||
        read_numbers(s, at, start) != 0)
        return -1;
    def->n = s->nx = s->nv = 3;
    def->q0 = start;
    def->v0 = start + 3;
    def->mass = mass;
    def->mass_q = mass_q;
    def->N = inertia;
    def->N_q = inertia_q;
    def->N_v = inertia_v;
    def->user = s;
    s->internal = weight;
    s->internal_q = weight_q;
    s->potential = potential;
    s->point = corner;
    s->points = 4;
    s->dim = 2;
    return 0;
}
