/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies with a prescribed motion and surfaces that run: identities of their relations, a shaken
 * pendulum against its ordinary differential equation, a platform, belts, a turntable, energies,
 * contacts as data and their callbacks. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>
#include <perp/rotation.h>
#include <perp/verdict.h>

#include "kernel/model/model_inside.h"
#include "kernel/relations/discrete_gradient.h"

static const double g = 9.81;

/* x = centre + amplitude sin(omega t + phase), turning with a constant spin in its own frame. */
typedef struct wave {
    double centre[3], amplitude[3], omega, phase, spin[3];
} wave;

static int wave_motion(double *pose, double *twist, double t, void *user)
{
    const wave *w = user;
    double r[3];
    for (int k = 0; k < 3; k++) {
        pose[k] = w->centre[k] + w->amplitude[k] * sin(w->omega * t + w->phase);
        twist[k] = w->amplitude[k] * w->omega * cos(w->omega * t + w->phase);
        twist[3 + k] = w->spin[k];
        r[k] = t * w->spin[k];
    }
    perp_quaternion_exp(r, pose + 3);
    return 0;
}

typedef struct world {
    perp_model *model;
    perp_sim *sim;
    perp_collider *collider;
} world;

static void open_world(world *w)
{
    memset(w, 0, sizeof *w);
    ck_assert_int_eq(perp_model_create(&w->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&w->collider, w->model, NULL), PERP_SOLVED);
}

static void start(world *w, const char *scheme, double h)
{
    perp_sim_options options;
    perp_scheme s;
    perp_sim_options_init(&options, sizeof options);
    options.h = h;
    ck_assert_int_eq(perp_sim_create(&w->sim, w->model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&s, scheme, sizeof s), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(w->sim, (perp_system_id){0, 0}, &s), PERP_SOLVED);
    perp_sim_set_before_step(w->sim, perp_collider_step, w->collider);
    perp_sim_set_after_step(w->sim, perp_collider_after_step, w->collider);
}

static void close_world(world *w)
{
    perp_sim_destroy(w->sim);
    perp_collider_destroy(w->collider);
    perp_model_destroy(w->model);
}

static perp_system_id prescribed(world *w, wave *motion)
{
    perp_body_def def;
    perp_system_id id;
    perp_body_def_init(&def, sizeof def);
    def.motion = wave_motion;
    def.user = motion;
    ck_assert_int_eq(perp_model_add_body(w->model, &def, &id, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_model_is_prescribed(w->model, id), 1);
    return id;
}

static perp_system_id body(world *w, double mass, double x, double y, double z)
{
    perp_body_def def;
    perp_system_id id;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    def.force[2] = -mass * g;
    for (int k = 0; k < 3; k++)
        def.inertia[4 * k] = 0.1 * mass * (1.0 + 0.2 * k);
    ck_assert_int_eq(perp_model_add_body(w->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static double *state(world *w, perp_system_id id, double **v)
{
    double *x = NULL;
    ck_assert_int_eq(perp_model_state(w->model, id, &x, v, NULL, NULL), PERP_SOLVED);
    return x;
}

static double figure(world *w, const char *name)
{
    perp_figure f;
    for (int k = 0; perp_sim_figure(w->sim, k, &f, sizeof f) == PERP_SOLVED; k++)
        if (strcmp(f.name, name) == 0)
            return f.known ? f.value : -1.0;
    ck_abort_msg("no figure %s", name);
    return 0.0;
}

static perp_verdict verdict(world *w)
{
    perp_verdict v;
    ck_assert_int_eq(perp_sim_verdict(w->sim, &v, sizeof v), PERP_SOLVED);
    return v;
}

static perp_interaction_def joint_def(const perp_system_id *pair, perp_joint joint,
                                      const double *anchor, const double *axis)
{
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = pair;
    def.nsystems = 2;
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = joint;
    def.relation.rows = perp_joint_rows(joint);
    memcpy(def.relation.anchor, anchor, sizeof def.relation.anchor);
    memcpy(def.relation.axis, axis, sizeof def.relation.axis);
    def.law = perp_law_equality();
    return def;
}

/* y1 - y0 = h (G v_b + drift) and u = H v + drift = dy/dt for every joint with a prescribed body on
 * either side. */
START_TEST(joints_to_prescribed_bodies)
{
    static const double anchor[3] = {0.4, 0.1, 0.2}, axis[3] = {0.2, 1.0, -0.3};
    int first = _i % 2, joint = _i / 2;
    wave motion = {{0.1, 0.2, 0.3}, {0.3, -0.2, 0.4}, 2.0, 0.3, {0.5, -0.7, 0.4}};
    world w;
    open_world(&w);
    perp_system_id ids[2], wall = prescribed(&w, &motion), free = body(&w, 2.0, 0.5, 0.6, -0.2), id;
    perp_interaction_id made;
    (void)id;
    ids[first ? 0 : 1] = wall;
    ids[first ? 1 : 0] = free;
    perp_interaction_def def = joint_def(ids, (perp_joint)joint, anchor, axis);
    def.relation.anchor_b[0] = 1.0;
    def.relation.axis_b[0] = 1.0;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, &made, NULL), PERP_SOLVED);
    perp_link *link = perp_model_link(w.model, made);
    perp_system *s = perp_model_system(w.model, free);
    ck_assert_int_eq(link->nsystems, 1);
    double t = 0.2, h = 0.3, y0[6], y1[6], G[36], drift[6], H[36], h_t[6], ahead[6], behind[6];
    double v[6] = {0.3, -0.5, 0.7, 0.9, -0.4, 0.6}, x[7];
    ck_assert_int_eq(perp_system_prescribe(perp_model_system(w.model, wall), t, h), 0);
    memcpy(s->q[PERP_START], s->q[PERP_NOW], sizeof x);
    memcpy(s->v[PERP_GUESS], v, sizeof v);
    perp_body_move(s->q[PERP_START], v, 0.5 * h, s->q[PERP_GUESS]);
    perp_body_move(s->q[PERP_START], v, h, s->q[PERP_NOW]);
    ck_assert_int_eq(perp_link_output(y0, link, t, perp_link_gather_x(link, PERP_START), NULL), 0);
    link->branch = 0.0;
    ck_assert_int_eq(perp_link_discrete_gradient(G, drift, y1, link, t, h, y0, NULL), 0);
    for (int i = 0; i < link->rows; i++) {
        double sum = h * drift[i];
        for (int j = 0; j < 6; j++)
            sum += h * G[i + j * link->rows] * v[j];
        ck_assert_msg(fabs(y1[i] - y0[i] - sum) <= 1e-14, "joint %d row %d: %g %g", joint, i,
                      y1[i] - y0[i], sum);
    }
    memcpy(x, s->q[PERP_START], sizeof x);
    ck_assert_int_eq(perp_link_jacobian(H, link, t, x, NULL), 0);
    ck_assert_int_eq(perp_link_drift(h_t, link, t, x, NULL), 0);
    const double e = 1e-5;
    double moved[7];
    perp_body_move(x, v, e, moved);
    ck_assert_int_eq(perp_link_output(ahead, link, t + e, moved, NULL), 0);
    perp_body_move(x, v, -e, moved);
    ck_assert_int_eq(perp_link_output(behind, link, t - e, moved, NULL), 0);
    for (int i = 0; i < link->rows; i++) {
        double u = h_t[i];
        for (int j = 0; j < 6; j++)
            u += H[i + j * link->rows] * v[j];
        ck_assert_double_eq_tol(u, (ahead[i] - behind[i]) / (2.0 * e), 1e-8);
    }
    close_world(&w);
}
END_TEST

/* J'' angle = - m l (g + z'') sin(angle), z = a sin(w t), by Runge-Kutta with small steps. */
static double shaken_angle(double angle, double t_end, const wave *motion, double l, double J)
{
    double y[2] = {angle, 0.0};
    int n = 40000;
    double h = t_end / n;
    for (int k = 0; k < n; k++) {
        double slope[4][2], at[2];
        for (int i = 0; i < 4; i++) {
            double c = i == 0 ? 0.0 : i == 3 ? 1.0 : 0.5, t = (k + c) * h;
            for (int j = 0; j < 2; j++)
                at[j] = y[j] + (i > 0 ? c * h * slope[i - 1][j] : 0.0);
            double lift = -motion->amplitude[2] * motion->omega * motion->omega *
                          sin(motion->omega * t + motion->phase);
            slope[i][0] = at[1];
            slope[i][1] = -l * (g + lift) * sin(at[0]) / J;
        }
        for (int j = 0; j < 2; j++)
            y[j] += h / 6.0 * (slope[0][j] + 2.0 * (slope[1][j] + slope[2][j]) + slope[3][j]);
    }
    return y[0];
}

static double pendulum_error(int steps, int check)
{
    wave motion = {{0.0, 0.0, -0.1}, {0.0, 0.0, 0.1}, 8.0, 1.57079632679489662, {0.0, 0.0, 0.0}};
    static const double origin[3] = {0.0}, axis[3] = {0.0, 1.0, 0.0};
    double l = 0.5, J = l * l + 0.12, t_end = 1.5; /* the moment about y is 0.12 m */
    world w;
    open_world(&w);
    perp_system_id pair[2] = {body(&w, 3.0, -l * sin(0.7), 0.0, -l * cos(0.7)),
                              prescribed(&w, &motion)};
    perp_interaction_def def = joint_def(pair, PERP_JOINT_PIVOT, origin, axis);
    perp_interaction_id pivot;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, &pivot, NULL), PERP_SOLVED);
    start(&w, "discrete-gradient", t_end / steps);
    ck_assert_int_eq(perp_sim_run(w.sim, t_end), PERP_SOLVED);
    double *u;
    const double *x = state(&w, pair[0], &u), *base = state(&w, pair[1], NULL);
    ck_assert_double_eq_tol(base[2], 0.1 * cos(8.0 * t_end) - 0.1, 1e-15);
    double angle = atan2(-x[0], base[2] - x[2]);
    if (check) {
        perp_verdict v = verdict(&w);
        ck_assert_double_le(figure(&w, "joints"), 1e-9);
        ck_assert_double_le(figure(&w, "energy"), 1e-9);
        ck_assert_double_le(figure(&w, "joint_work"), 1e-9);
        /* What shakes it gives all energy that it gains. */
        double energy = 0.5 * 3.0 * (u[0] * u[0] + u[2] * u[2]) + 0.5 * 0.36 * u[4] * u[4] +
                        3.0 * g * (x[2] + l * cos(0.7));
        ck_assert_double_ge(fabs(v.external), 0.5);
        ck_assert_double_eq_tol(energy, v.external + v.projected, 1e-9);
    }
    close_world(&w);
    return fabs(angle - shaken_angle(0.7, t_end, &motion, l, J));
}

START_TEST(shaken_pendulum)
{
    double coarse = pendulum_error(150, 1), fine = pendulum_error(300, 0);
    ck_assert_double_le(coarse, 2e-2);
    ck_assert_msg(fine <= coarse / 3.5, "%g %g", coarse, fine);
}
END_TEST

/* A platform that lifts gently carries a box without gap; what it gives is the energy of the box.
 */
START_TEST(platform_lifts_a_box)
{
    static const double half[3] = {0.2, 0.2, 0.1}, up[3] = {0.0, 0.0, 1.0}, zero[3] = {0.0};
    static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};
    wave motion = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.2}, 5.0, 0.0, {0.0, 0.0, 0.0}};
    world w;
    double *v;
    open_world(&w);
    perp_system_id platform = prescribed(&w, &motion), box = body(&w, 2.0, 0.0, 0.0, 0.1);
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = PERP_SHAPE_PLANE;
    def.body = platform;
    memcpy(def.normal, up, sizeof up);
    memcpy(def.position, zero, sizeof zero);
    ck_assert_int_eq(perp_collider_add(w.collider, &def, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_box(w.collider, box, half, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_material(w.collider, 0, 0, 0.0, 0.5), PERP_SOLVED);
    double *x = state(&w, box, &v);
    v[2] = 0.2 * 5.0;
    start(&w, schemes[_i], 1e-3);
    for (int k = 0; k < 600; k++) {
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        double z = 0.2 * sin(5.0 * perp_sim_time(w.sim));
        ck_assert_double_eq_tol(x[2], 0.1 + z, _i == 0 ? 1e-9 : 1e-2);
    }
    if (_i == 0) {
        perp_verdict seen = verdict(&w);
        double energy = 0.5 * 2.0 * (v[2] * v[2] - 1.0) + 2.0 * g * (x[2] - 0.1);
        ck_assert_int_eq(seen.kind, PERP_VERDICT_VERIFIED);
        ck_assert_double_eq_tol(seen.external, energy, 1e-3 * fabs(energy) + 1e-3);
    }
    close_world(&w);
}
END_TEST

/* A belt at speed c pulls a box that is put on it until it moves along: mu g t, then c. */
START_TEST(belt_carries_a_box)
{
    static const double half[3] = {0.2, 0.2, 0.05}, up[3] = {0.0, 0.0, 1.0}, zero[3] = {0.0};
    static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};
    const double c[3] = {1.5, 0.0, 0.0}, mu = 0.3;
    world w;
    double *v;
    perp_shape_id belt;
    open_world(&w);
    perp_system_id box = body(&w, 2.0, 0.0, 0.0, 0.05);
    ck_assert_int_eq(perp_collider_add_plane(w.collider, zero, up, &belt, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_box(w.collider, box, half, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_material(w.collider, 0, 0, 0.0, mu), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_surface(w.collider, belt, c, NULL), PERP_SOLVED);
    double *x = state(&w, box, &v);
    start(&w, schemes[_i], 1e-3);
    double slide = c[0] / (mu * g);
    for (int k = 0; k < 1000; k++) {
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        double t = perp_sim_time(w.sim), speed = fmin(mu * g * t, c[0]);
        ck_assert_double_eq_tol(v[0], speed, 1e-6);
        double way = t < slide ? 0.5 * mu * g * t * t : 0.5 * c[0] * slide + c[0] * (t - slide);
        ck_assert_double_eq_tol(x[0], way, 2e-3);
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(w.collider, 0, &info), PERP_SOLVED);
        if (t < slide - 2e-3 || t > slide + 2e-3)
            ck_assert_int_eq(info.state, t < slide ? PERP_CONTACT_SLIDING : PERP_CONTACT_STICKING);
    }
    double sum = 0.0;
    for (int k = 0; k < perp_collider_contacts(w.collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(w.collider, k, &info), PERP_SOLVED);
        sum += info.impulse[2];
    }
    ck_assert_double_eq_tol(sum, 2.0 * g * 1e-3, 1e-9);
    perp_verdict seen = verdict(&w);
    ck_assert_double_le(figure(&w, "contact_work"), 1e-9);
    /* The belt gives mu m g c for as long as the box slides. */
    ck_assert_double_eq_tol(seen.external, mu * 2.0 * g * c[0] * slide, 2e-2);
    /* Taken off again it stops. */
    ck_assert_int_eq(perp_collider_set_surface(w.collider, belt, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_run(w.sim, 1.0 + slide + 0.1), PERP_SOLVED);
    ck_assert_double_eq_tol(v[0], 0.0, 1e-9);
    close_world(&w);
}
END_TEST

static perp_shape_id table_top(world *w, perp_system_id table)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    perp_shape_def plane;
    perp_shape_id id;
    perp_shape_def_init(&plane, sizeof plane);
    plane.kind = PERP_SHAPE_PLANE;
    plane.body = table;
    memcpy(plane.normal, up, sizeof up);
    ck_assert_int_eq(perp_collider_add(w->collider, &plane, &id, NULL), PERP_SOLVED);
    return id;
}

/* A ball on a turntable that turns under it, in all ways of saying so: a surface, a body, a surface
 * of a body that may move but does not, which is the first or the second of the contact. */
START_TEST(ball_on_a_turntable)
{
    static const double up[3] = {0.0, 0.0, 1.0}, zero[3] = {0.0}, spin[3] = {0.0, 0.0, 3.0};
    const double r = 0.1, m = 1.0, J = 0.1 * m; /* that of body() about x */
    wave motion = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 1.0, 0.0, {0.0, 0.0, _i == 1 ? 3.0 : 0.0}};
    world w;
    double *v;
    open_world(&w);
    perp_body_def def;
    perp_system_id ball;
    perp_body_def_init(&def, sizeof def);
    def.mass = m;
    for (int k = 0; k < 3; k++)
        def.inertia[4 * k] = J * 0.04;
    def.position[0] = 0.3;
    def.position[2] = r;
    def.velocity[1] = 0.2;
    def.angular[0] = -(0.2 - 3.0 * 0.3) / r; /* rolls from the start */
    def.force[2] = -m * g;
    ck_assert_int_eq(perp_model_add_body(w.model, &def, &ball, NULL), PERP_SOLVED);
    if (_i == 3)
        ck_assert_int_eq(perp_collider_add_sphere(w.collider, ball, r, NULL, NULL, NULL),
                         PERP_SOLVED);
    perp_shape_id top;
    if (_i == 0)
        ck_assert_int_eq(perp_collider_add_plane(w.collider, zero, up, &top, NULL), PERP_SOLVED);
    else
        top = table_top(&w, prescribed(&w, &motion));
    if (_i != 1)
        ck_assert_int_eq(perp_collider_set_surface(w.collider, top, NULL, spin), PERP_SOLVED);
    if (_i != 3)
        ck_assert_int_eq(perp_collider_add_sphere(w.collider, ball, r, NULL, NULL, NULL),
                         PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_material(w.collider, 0, 0, 0.0, 1.0), PERP_SOLVED);
    double *x = state(&w, ball, &v);
    start(&w, "discrete-gradient", 1e-3);
    ck_assert_int_eq(perp_sim_run(w.sim, 1.0), PERP_SOLVED);
    /* v' = k Omega x v with k = J/(J + m r^2): a circle with the rate k Omega. */
    double k = 0.04 * J / (0.04 * J + m * r * r), angle = k * 3.0;
    double exact[2] = {-0.2 * sin(angle), 0.2 * cos(angle)};
    ck_assert_double_eq_tol(v[0], exact[0], 5e-4);
    ck_assert_double_eq_tol(v[1], exact[1], 5e-4);
    ck_assert_double_eq_tol(x[0], 0.3 - 0.2 / (k * 3.0) * (1.0 - cos(angle)), 1e-4);
    ck_assert_double_eq_tol(x[1], 0.2 / (k * 3.0) * sin(angle), 1e-4);
    perp_contact_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_collider_contact(w.collider, 0, &info), PERP_SOLVED);
    ck_assert_int_eq(info.state, PERP_CONTACT_ROLLING);
    close_world(&w);
}
END_TEST

typedef struct counts {
    int of[3], last;
} counts;

static int count(void *ctx, perp_collider *collider, perp_contact_event event,
                 const perp_contact_info *info)
{
    counts *c = ctx;
    (void)collider;
    if (event == PERP_CONTACT_BEGINS)
        ck_assert_double_gt(info->impulse[2], 0.0);
    c->of[event]++;
    return 0;
}

/* A ball with e = 0.5 bounces, and is taken away while it lies. */
START_TEST(contacts_begin_persist_and_end)
{
    static const double up[3] = {0.0, 0.0, 1.0}, zero[3] = {0.0};
    counts seen = {{0}, 0};
    world w;
    perp_shape_id ball;
    open_world(&w);
    perp_system_id id = body(&w, 1.0, 0.0, 0.0, 0.3);
    ck_assert_int_eq(perp_collider_add_plane(w.collider, zero, up, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_sphere(w.collider, id, 0.1, NULL, &ball, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_material(w.collider, 0, 0, 0.5, 0.0), PERP_SOLVED);
    perp_collider_set_on_contact(w.collider, count, &seen);
    start(&w, "discrete-gradient", 1e-2);
    ck_assert_int_eq(perp_sim_run(w.sim, 0.4), PERP_SOLVED);
    ck_assert_int_ge(seen.of[PERP_CONTACT_BEGINS], 1);
    ck_assert_int_eq(seen.of[PERP_CONTACT_BEGINS], seen.of[PERP_CONTACT_ENDS]);
    ck_assert_int_eq(perp_sim_run(w.sim, 2.0), PERP_SOLVED);
    ck_assert_int_eq(seen.of[PERP_CONTACT_BEGINS], seen.of[PERP_CONTACT_ENDS] + 1);
    ck_assert_int_ge(seen.of[PERP_CONTACT_PERSISTS], 50);
    ck_assert_int_eq(perp_collider_remove(w.collider, ball), PERP_SOLVED);
    ck_assert_int_eq(seen.of[PERP_CONTACT_BEGINS], seen.of[PERP_CONTACT_ENDS]);
    close_world(&w);
}
END_TEST

/* Two of them, one alone, relations that are no contact or joint. */
START_TEST(what_is_refused)
{
    static const double zero[3] = {0.0}, axis[3] = {0.0, 0.0, 1.0}, C[14] = {1.0};
    wave motion = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 1.0, 0.0, {0.0, 0.0, 0.0}};
    world w;
    perp_where where;
    open_world(&w);
    perp_system_id pair[2] = {prescribed(&w, &motion), prescribed(&w, &motion)};
    perp_interaction_def def = joint_def(pair, PERP_JOINT_POINT, zero, axis);
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_UNSUPPORTED);
    def.nsystems = 1;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_UNSUPPORTED);
    pair[1] = body(&w, 1.0, 0.0, 0.0, 0.0);
    def.nsystems = 2;
    def.relation.kind = PERP_RELATION_LINEAR;
    def.relation.rows = 1;
    def.relation.C = C;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_UNSUPPORTED);
    ck_assert_str_eq(where.what, "systems");
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("prescribed motion");
    TCase *tcase = tcase_create("prescribed motion");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, joints_to_prescribed_bodies, 0, 2 * (PERP_JOINT_TURN + 1));
    tcase_add_test(tcase, shaken_pendulum);
    tcase_add_loop_test(tcase, platform_lifts_a_box, 0, 2);
    tcase_add_loop_test(tcase, belt_carries_a_box, 0, 2);
    tcase_add_loop_test(tcase, ball_on_a_turntable, 0, 4);
    tcase_add_test(tcase, contacts_begin_persist_and_end);
    tcase_add_test(tcase, what_is_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
