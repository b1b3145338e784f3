/* SPDX-License-Identifier: BSD-3-Clause */
/* A scene in which every scheme, most relations and every law meet in one simulation, with
 * callbacks that can be told to refuse or to write NaN, and an allocator that can fail. */
#ifndef PERP_TESTS_SIM_SCENE_H
#define PERP_TESTS_SIM_SCENE_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

/* Counts the callbacks; the one of number refuse_at refuses, that of nan_at writes NaN. */
typedef struct scene_calls {
    long calls, refuse_at, nan_at;
} scene_calls;

typedef struct scene_memory {
    long calls, alive, fail_at; /* fail_at 0: never */
} scene_memory;

static inline void *scene_allocate(void *ctx, size_t bytes)
{
    scene_memory *m = ctx;
    if (++m->calls == m->fail_at)
        return NULL;
    void *block = malloc(bytes);
    m->alive += block != NULL;
    return block;
}

static inline void scene_release(void *ctx, void *block)
{
    scene_memory *m = ctx;
    m->alive -= block != NULL;
    free(block);
}

static inline int scene_tick(void *user, double *out)
{
    scene_calls *c = user;
    c->calls++;
    if (c->calls == c->nan_at)
        out[0] = (double)NAN;
    return c->calls == c->refuse_at;
}

static inline int scene_push(double *out, double t, const double *x, const double *v,
                             const double *z, void *user)
{
    (void)x, (void)v, (void)z;
    out[0] = -9.81 + 3.0 * sin(20.0 * t);
    return scene_tick(user, out);
}

static inline int scene_source(double *out, double t, const double *x, const double *v,
                               const double *z, void *user)
{
    (void)x, (void)v, (void)z;
    out[1] = 0.3;
    out[0] = cos(30.0 * t);
    return scene_tick(user, out);
}

/* A pendulum with mass 1 + q^2 and its spring. */
static inline int scene_mass(double *out, double t, const double *q, const double *v,
                             const double *z, void *user)
{
    (void)t, (void)v, (void)z;
    out[0] = 1.0 + q[0] * q[0];
    return scene_tick(user, out);
}

static inline int scene_F_int(double *out, double t, const double *q, const double *v,
                              const double *z, void *user)
{
    (void)t;
    out[0] = z[0] * sin(q[0]) + 0.1 * v[0];
    return scene_tick(user, out);
}

static inline int scene_F_int_q(double *out, double t, const double *q, const double *v,
                                const double *z, void *user)
{
    (void)t, (void)v;
    out[0] = z[0] * cos(q[0]);
    return scene_tick(user, out);
}

static inline int scene_F_int_v(double *out, double t, const double *q, const double *v,
                                const double *z, void *user)
{
    (void)t, (void)q, (void)v, (void)z;
    out[0] = 0.1;
    return scene_tick(user, out);
}

static inline int scene_h(double *out, double t, const double *q, const double *lambda,
                          const double *z, void *user)
{
    (void)t, (void)lambda, (void)z;
    out[0] = sin(q[0]) + 0.2;
    return scene_tick(user, out);
}

static inline int scene_h_x(double *out, double t, const double *q, const double *lambda,
                            const double *z, void *user)
{
    (void)t, (void)lambda, (void)z;
    out[0] = cos(q[0]);
    return scene_tick(user, out);
}

static inline int scene_floor(perp_contact_point *p, double t, const double *a, const double *b,
                              const double *z, void *user)
{
    (void)t, (void)b, (void)z;
    *p = (perp_contact_point){a[2] - 0.5, {0, 0, 1}, {a[0], a[1], a[2] - 0.5}, {a[0], a[1], 0}};
    return scene_tick(user, &p->gap);
}

enum { SCENE_SYSTEMS = 7, SCENE_LINKS = 7 };

typedef struct scene {
    perp_model *model;
    perp_sim *sim;
    perp_system_id systems[SCENE_SYSTEMS];
    perp_interaction_id links[SCENE_LINKS];
    scene_calls calls;
} scene;

static inline perp_status scene_first_order(scene *s)
{
    double x0[2] = {1.0, -0.5}, A[4] = {-1.0, 2.0, -2.0, -0.3};
    perp_first_order_def def;
    perp_first_order_def_init(&def);
    def.n = 2;
    def.x0 = x0;
    perp_mat_init_dense(&def.A, 2, 2, A, 2);
    def.b_at = scene_source;
    def.user = &s->calls;
    return perp_model_add_first_order(s->model, &def, &s->systems[0], NULL);
}

static inline perp_status scene_lagrangian(scene *s)
{
    double q0[2] = {0.05, 0.3}, v0[2] = {-1.0, 0.4}, z[1] = {4.0};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def);
    def.n = 1;
    def.q0 = q0;
    def.v0 = v0;
    def.user = &s->calls;
    def.z = z;
    def.nz = 1;
    def.mass = scene_mass;
    def.F_int = scene_F_int;
    def.F_int_q = scene_F_int_q;
    def.F_int_v = scene_F_int_v;
    perp_status status = perp_model_add_lagrangian(s->model, &def, &s->systems[1], NULL);
    def.mass = def.F_int = def.F_int_q = def.F_int_v = NULL;
    def.F_ext = scene_push;
    if (status == PERP_SOLVED)
        status = perp_model_add_lagrangian(s->model, &def, &s->systems[2], NULL);
    def.n = 2;
    def.F_ext = NULL;
    double F[2] = {-9.81, -2.0};
    def.F = F;
    if (status == PERP_SOLVED)
        status = perp_model_add_lagrangian(s->model, &def, &s->systems[3], NULL);
    return status;
}

static inline perp_status scene_bodies(scene *s)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < 3 && status == PERP_SOLVED; k++) {
        perp_body_def def;
        perp_body_def_init(&def);
        def.position[0] = 1.3 * k;
        def.position[2] = k == 2 ? 0.7 : 0.5;
        def.velocity[0] = 0.7;
        def.angular[1] = 0.4 * k;
        def.force[2] = -9.81;
        def.inertia[0] = 0.5;
        def.inertia[4] = 0.8;
        status = perp_model_add_body(s->model, &def, &s->systems[4 + k], NULL);
    }
    return status;
}

static inline perp_status scene_link(scene *s, int k, int system, int nsystems, perp_relation r,
                                     perp_law law)
{
    perp_interaction_def def;
    perp_interaction_def_init(&def);
    def.systems = &s->systems[system];
    def.nsystems = nsystems;
    def.relation = r;
    def.relation.user = &s->calls;
    def.law = law;
    return perp_model_add_interaction(s->model, &def, &s->links[k], NULL);
}

static inline perp_status scene_links(scene *s)
{
    static const double C[4] = {1, 0, 0, 1}, one[1] = {1}, e[1] = {0.02}, B[4] = {1, 0, 0, 0.5};
    static const double row[2] = {1, -0.3}, column[2] = {1, 0.2};
    perp_relation diode = {.kind = PERP_RELATION_LINEAR, .rows = 2, .C = C, .B = B};
    perp_relation relay = {.kind = PERP_RELATION_LINEAR, .rows = 1, .C = row, .B = column};
    perp_relation smooth = {
        .kind = PERP_RELATION_SCLERONOMOUS, .rows = 1, .h = scene_h, .h_x = scene_h_x};
    perp_relation ground = {.kind = PERP_RELATION_LINEAR, .rows = 1, .C = one, .e = e};
    perp_relation pair = {.kind = PERP_RELATION_LINEAR, .rows = 2, .C = C};
    perp_relation touch = {.kind = PERP_RELATION_CONTACT, .rows = 3, .contact = scene_floor};
    perp_relation joint = {
        .kind = PERP_RELATION_JOINT, .rows = 3, .joint = PERP_JOINT_POINT, .anchor = {0.65, 0, 1}};
    perp_status status = scene_link(s, 0, 0, 1, diode, perp_law_complementarity());
    if (status == PERP_SOLVED)
        status = scene_link(s, 1, 0, 1, relay, perp_law_relay(-0.5, 0.5));
    if (status == PERP_SOLVED)
        status = scene_link(s, 2, 1, 1, smooth, perp_law_impact(0.4));
    if (status == PERP_SOLVED)
        status = scene_link(s, 3, 2, 1, ground, perp_law_impact(0.6));
    if (status == PERP_SOLVED)
        status = scene_link(s, 4, 3, 1, pair, perp_law_impact(0.5));
    if (status == PERP_SOLVED)
        status = scene_link(s, 5, 6, 1, touch, perp_law_friction(3, 0.2, 0.3));
    if (status == PERP_SOLVED)
        status = scene_link(s, 6, 4, 2, joint, perp_law_equality());
    return status;
}

static inline perp_status scene_schemes(scene *s)
{
    perp_scheme scheme;
    perp_status status = perp_scheme_init(&scheme, "moreau-jean", sizeof scheme);
    scheme.hysteresis = 1;
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(s->sim, s->systems[3], &scheme);
    if (status == PERP_SOLVED)
        status = perp_scheme_init(&scheme, "schatzman-paoli", sizeof scheme);
    scheme.start = 1;
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(s->sim, s->systems[2], &scheme);
    return status;
}

static inline perp_sim_options scene_options(void)
{
    perp_sim_options options;
    perp_sim_options_init(&options, sizeof options);
    options.h = 5e-3;
    return options;
}

/* Systems, interactions and simulation; what was made before an error is there for
 * scene_close(). */
static inline perp_status scene_open(scene *s, const perp_sim_options *options,
                                     scene_memory *memory)
{
    perp_allocator allocator = {scene_allocate, scene_release, memory};
    const perp_allocator *used = memory ? &allocator : NULL;
    memset(s, 0, sizeof *s);
    perp_status status = perp_model_create(&s->model, used);
    if (status == PERP_SOLVED)
        status = scene_first_order(s);
    if (status == PERP_SOLVED)
        status = scene_lagrangian(s);
    if (status == PERP_SOLVED)
        status = scene_bodies(s);
    if (status == PERP_SOLVED)
        status = scene_links(s);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&s->sim, s->model, options, used, NULL);
    if (status == PERP_SOLVED)
        status = scene_schemes(s);
    return status;
}

static inline void scene_close(scene *s)
{
    perp_sim_destroy(s->sim);
    perp_model_destroy(s->model);
}

static inline void scene_steps(scene *s, int count)
{
    for (int k = 0; k < count; k++) {
        perp_status status = perp_sim_step(s->sim);
        const perp_step_info *info = perp_sim_info(s->sim);
        ck_assert_msg(status >= 0 && status != PERP_INTERRUPTED, "step %ld: %d %s %d: %s",
                      info->step, (int)status, info->where.what ? info->where.what : "-",
                      info->where.index, info->detail);
    }
}

/* All that a user can see of the state. */
enum { SCENE_STATE = 400 };

static inline int scene_state(const scene *s, double *out)
{
    int at = 0;
    for (int k = 0; k < SCENE_SYSTEMS; k++) {
        double *x, *v;
        const double *p;
        int nx, nv;
        perp_model_state(s->model, s->systems[k], &x, &v, &nx, &nv);
        perp_model_input(s->model, s->systems[k], &p);
        memcpy(out + at, x, sizeof(double) * (size_t)nx);
        at += nx;
        for (int i = 0; i < nv; i++)
            out[at++] = v[i];
        for (int i = 0; i < (nv ? nv : nx); i++)
            out[at++] = p[i];
    }
    for (int k = 0; k < SCENE_LINKS; k++) {
        const double *y, *u, *lambda;
        int rows, active;
        perp_model_output(s->model, s->links[k], &y, &u, &lambda, &rows, &active);
        for (int i = 0; i < rows; i++) {
            out[at++] = y[i];
            out[at++] = u[i];
            out[at++] = lambda[i];
        }
        out[at++] = active;
    }
    out[at++] = perp_sim_time(s->sim);
    ck_assert_int_le(at, SCENE_STATE);
    return at;
}

static inline void scene_same(const scene *s, const double *expected, const char *when, long k)
{
    double now[SCENE_STATE];
    int count = scene_state(s, now);
    for (int i = 0; i < count; i++)
        ck_assert_msg(memcmp(&now[i], &expected[i], sizeof now[i]) == 0,
                      "%s %ld: entry %d is %.17g, not %.17g", when, k, i, now[i], expected[i]);
}

#endif
