/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that add loads and springs to the definition of a system. */
#include <math.h>
#include <string.h>

#include "scene/fluid.h"
#include "scene/muscle_section.h"
#include "scene/spring.h"

/* Six entries of a load of a body that depends on its orientation. */
static void place_load(double *out, const perp_scene_timed_load *load, const double *x)
{
    const double *p = load->point;
    double inside[3], force[3];

    memcpy(out, load->vector, 6 * sizeof *out);
    memcpy(inside, load->vector, sizeof inside);
    if (load->own) {
        perp_quaternion_rotate(x + 3, inside, force);
        memcpy(out, force, sizeof force);
    } else {
        perp_quaternion_rotate_back(x + 3, load->vector, inside);
    }
    for (int k = 0; k < 3; k++)
        out[3 + k] += p[(k + 1) % 3] * inside[(k + 2) % 3] - p[(k + 2) % 3] * inside[(k + 1) % 3];
}

/* Loads at t and the coupling to other systems; `nv` entries from `first`. */
static void add_loads(double *out, const perp_scene_member *s, double t, const double *x, int first,
                      int nv)
{
    double placed[6];

    for (int k = 0; s->coupled != NULL && k < nv; k++)
        out[k] += s->coupled[first + k];
    for (const perp_scene_timed_load *load = s->loads; load != NULL; load = load->next) {
        double value = perp_scene_motion_value(&load->motion, t);
        if (load->places)
            place_load(placed, load, x);
        for (int k = 0; k < nv; k++)
            out[k] += value * (load->places ? placed : load->vector)[first + k];
    }
}

static void add_springs(double *out, const perp_scene_member *s, const double *x, const double *v)
{
    const double *q[2] = {x, NULL}, *rates[2] = {v, NULL};

    for (const perp_scene_spring *spring = s->springs; spring != NULL; spring = spring->next)
        perp_scene_spring_force(out, spring, 0, q, rates);
}

static int input_at(double *out, double t, const double *x, const double *v, const double *z,
                    void *user)
{
    const perp_scene_member *s = user;

    (void)v, (void)z;
    memcpy(out, s->force, (size_t)s->nv * sizeof *out);
    add_loads(out, s, t, x, 0, s->nv);
    return 0;
}

static int external(double *out, double t, const double *x, const double *v, const double *z,
                    void *user)
{
    const perp_scene_member *s = user;

    (void)v, (void)z;
    memset(out, 0, (size_t)s->nv * sizeof *out);
    add_loads(out, s, t, x, 0, s->nv);
    return 0;
}

/* On the left-hand side: minus the force of springs and muscles. */
static int internal(double *out, double t, const double *x, const double *v, const double *z,
                    void *user)
{
    const perp_scene_member *s = user;
    size_t n = (size_t)s->nv;

    memset(out, 0, n * sizeof *out);
    add_springs(out, s, x, v);
    perp_scene_add_muscles(out, s, t, x, v);
    for (size_t k = 0; k < n; k++)
        out[k] = -out[k];
    if (s->internal != NULL) {
        double *own = s->work;
        s->internal(own, t, x, v, z, user);
        for (size_t k = 0; k < n; k++)
            out[k] += own[k];
    }
    return 0;
}

/* For springs on coordinates alone. */
static int internal_q(double *out, double t, const double *x, const double *v, const double *z,
                      void *user)
{
    const perp_scene_member *s = user;

    memset(out, 0, (size_t)s->nv * (size_t)s->nv * sizeof *out);
    if (s->internal_q != NULL)
        s->internal_q(out, t, x, v, z, user);
    for (const perp_scene_spring *spring = s->springs; spring != NULL; spring = spring->next)
        out[spring->end[0].coordinate * (s->nv + 1)] +=
            perp_scene_spring_slope(spring, x[spring->end[0].coordinate]);
    return 0;
}

static int internal_v(double *out, double t, const double *x, const double *v, const double *z,
                      void *user)
{
    const perp_scene_member *s = user;

    (void)t, (void)x, (void)z;
    memset(out, 0, (size_t)s->nv * (size_t)s->nv * sizeof *out);
    for (const perp_scene_spring *spring = s->springs; spring != NULL; spring = spring->next)
        out[spring->end[0].coordinate * (s->nv + 1)] +=
            perp_scene_spring_brake_slope(spring, v[spring->end[0].coordinate]);
    return 0;
}

static void body_load(double *out, double t, const double *x, const double *v,
                      const perp_scene_member *s, int first)
{
    double wrench[6] = {0};

    if (s->springs != NULL)
        add_springs(wrench, s, x, v);
    memcpy(out, wrench + first, 3 * sizeof *out);
    add_loads(out, s, t, x, first, 3);
}

static int body_force(double *out, double t, const double *x, const double *v, const double *z,
                      void *user)
{
    (void)z;
    body_load(out, t, x, v, user, 0);
    return 0;
}

static int body_moment(double *out, double t, const double *x, const double *v, const double *z,
                       void *user)
{
    (void)z;
    body_load(out, t, x, v, user, 3);
    return 0;
}

/* At this state. */
static void find_slopes(const perp_scene_member *s, const double *x, const double *v)
{
    perp_scene_slopes *own = s->slopes;

    if (own->known && memcmp(own->x, x, sizeof own->x) == 0 &&
        memcmp(own->v, v, sizeof own->v) == 0)
        return;
    memset(own, 0, sizeof *own);
    memcpy(own->x, x, sizeof own->x);
    memcpy(own->v, v, sizeof own->v);
    for (const perp_scene_spring *spring = s->springs; spring != NULL; spring = spring->next)
        perp_scene_fluid_slope(own->by_q, own->by_v, spring, x, v);
    own->known = 1;
}

/* Three rows from `first` of the derivatives of the wrench of all fluids on the body. */
static void body_slopes(double *out_q, double *out_v, const double *x, const double *v,
                        const perp_scene_member *s, int first)
{
    static const double none[42] = {0};
    const double *by_q = none, *by_v = none;

    if (s->slopes != NULL) {
        find_slopes(s, x, v);
        by_q = s->slopes->by_q;
        by_v = s->slopes->by_v;
    }
    for (int j = 0; out_q != NULL && j < 7; j++)
        memcpy(out_q + 3 * j, by_q + 6 * j + first, 3 * sizeof *out_q);
    for (int j = 0; out_v != NULL && j < 6; j++)
        memcpy(out_v + 3 * j, by_v + 6 * j + first, 3 * sizeof *out_v);
}

static int force_q(double *out, double t, const double *x, const double *v, const double *z,
                   void *user)
{
    (void)t, (void)z;
    body_slopes(out, NULL, x, v, user, 0);
    return 0;
}

static int force_v(double *out, double t, const double *x, const double *v, const double *z,
                   void *user)
{
    (void)t, (void)z;
    body_slopes(NULL, out, x, v, user, 0);
    return 0;
}

static int moment_q(double *out, double t, const double *x, const double *v, const double *z,
                    void *user)
{
    (void)t, (void)z;
    body_slopes(out, NULL, x, v, user, 3);
    return 0;
}

static int moment_v(double *out, double t, const double *x, const double *v, const double *z,
                    void *user)
{
    (void)t, (void)z;
    body_slopes(NULL, out, x, v, user, 3);
    return 0;
}

static int wire_body(perp_scene *scene, perp_scene_member *s)
{
    perp_scene_def *own;
    perp_body_def *def;

    if (s->loads == NULL && s->springs == NULL && s->coupled == NULL)
        return 0;
    own = perp_scene_take(scene, 1, sizeof *own);
    if (own == NULL)
        return -1;
    *own = *s->as;
    s->as = own;
    def = &own->body;
    def->user = s;
    def->f = body_force;
    def->m = body_moment;
    for (const perp_scene_timed_load *load = s->loads; load != NULL; load = load->next)
        def->differences |= load->places;
    for (const perp_scene_spring *spring = s->springs; spring != NULL; spring = spring->next)
        def->differences |= !perp_scene_fluid_has_slope(spring);
    if (def->differences)
        return 0;
    if (s->springs != NULL && s->slopes == NULL)
        s->slopes = perp_scene_take(scene, 1, sizeof *s->slopes);
    if (s->springs != NULL && s->slopes == NULL)
        return -1;
    def->f_q = force_q;
    def->f_v = force_v;
    def->m_q = moment_q;
    def->m_v = moment_v;
    return 0;
}

static void wire_lagrangian(perp_scene_member *s)
{
    perp_lagrangian_def *def = &s->as->lagrangian;

    def->user = s;
    if (s->loads != NULL || s->coupled != NULL)
        def->F_ext = external;
    if (s->internal == NULL && s->springs == NULL && s->muscles == NULL)
        return;
    def->F_int = internal;
    def->differences |= s->muscles != NULL;
    for (const perp_scene_spring *spring = s->springs; spring != NULL; spring = spring->next)
        def->differences |= spring->end[0].is_point;
    if (!def->differences) {
        def->F_int_q = internal_q;
        def->F_int_v = internal_v;
    }
}

int perp_scene_wire_forces(perp_scene *scene, perp_scene_member *s)
{
    for (const perp_scene_spring *p = scene->springs; p != NULL; p = p->next)
        if ((p->end[0].system == s || p->end[1].system == s) && s->coupled == NULL)
            s->coupled = perp_scene_take(scene, (size_t)s->nv, sizeof(double));
    if (s->coupled != NULL)
        s->moved = perp_scene_take(scene, (size_t)s->nx, sizeof(double));
    if (s->internal != NULL)
        s->work = perp_scene_take(scene, (size_t)s->nv, sizeof(double));
    s->advance = 0.5;
    if ((s->coupled != NULL && s->moved == NULL) || (s->internal != NULL && s->work == NULL))
        return -1;
    if (s->kind == PERP_SCENE_BODY) {
        return wire_body(scene, s);
    } else if (s->kind == PERP_SCENE_LAGRANGIAN) {
        wire_lagrangian(s);
    } else if (s->loads != NULL) {
        s->as->first_order.b_at = input_at;
        s->as->first_order.user = s;
    }
    return 0;
}

/* The state at which a spring takes hold: with position and velocity updated as theta-schemes
 * do, a force at q_k + (1 - theta) h v_k makes them symplectic. */
static void take_state(const double **q, const double **v, const perp_scene *scene,
                       const perp_scene_member *s, double h)
{
    double *x = NULL, *rate = NULL;

    perp_model_state(scene->model, s->id, &x, &rate, NULL, NULL);
    if (s->kind == PERP_SCENE_BODY)
        perp_body_move(x, rate, s->advance * h, s->moved);
    else
        for (int k = 0; k < s->nx; k++)
            s->moved[k] = x[k] + s->advance * h * rate[k];
    *q = s->moved;
    *v = rate;
}

void perp_scene_set_springs(perp_scene *scene, double h)
{
    for (const perp_scene_spring *p = scene->springs; p != NULL; p = p->next)
        for (int k = 0; k < 2; k++)
            memset(p->end[k].system->coupled, 0, (size_t)p->end[k].system->nv * sizeof(double));
    for (const perp_scene_spring *p = scene->springs; p != NULL; p = p->next) {
        const double *q[2], *v[2];
        perp_scene_spring now = *p;
        now.damping -= p->armature > 0.0 ? 2.0 * p->armature / h : 0.0;
        for (int k = 0; k < 2; k++)
            take_state(&q[k], &v[k], scene, p->end[k].system, p->lags ? 0.0 : h);
        for (int k = 0; k < 2; k++)
            perp_scene_spring_force(p->end[k].system->coupled, &now, k, q, v);
    }
}
