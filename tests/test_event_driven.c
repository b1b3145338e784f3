/* SPDX-License-Identifier: BSD-3-Clause */
/* The event-driven scheme against motions in closed form: times of events, stick and slip, letting
 * go, rest, accumulations; and how it ends where it cannot go on. */
#include <stdlib.h>

#include "scheme_run.h"

static const double g = 9.81;
static const double one[] = {1.0};

/* Instants of impacts, and other changes seen between instants. */
typedef struct history {
    double time[64];
    int count;
    double lowest; /* y of the interaction at all instants */
    perp_interaction_id id;
} history;

static int note(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    history *past = ctx;
    const double *y = NULL;
    (void)sim;
    if (at->kind == PERP_INSTANT_AFTER && past->count < 64)
        past->time[past->count++] = at->t;
    if (past->id.generation) {
        perp_model_output(model, past->id, &y, NULL, NULL, NULL, NULL);
        past->lowest = fmin(past->lowest, y[0]);
    }
    return 0;
}

static perp_system_id add_point(scheme_run *run, int n, const double *q0, const double *v0,
                                const double *F)
{
    perp_lagrangian_def def;
    perp_system_id id = {0, 0};
    perp_where where = {NULL, -1, -1};
    perp_lagrangian_def_init(&def);
    def.n = n;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    perp_status status = perp_model_add_lagrangian(run->model, &def, &id, &where);
    ck_assert_msg(status == PERP_SOLVED, "%s", where.what);
    return id;
}

static perp_interaction_id add_floor(scheme_run *run, perp_system_id id, double e)
{
    perp_relation relation = {.kind = PERP_RELATION_LINEAR, .rows = 1, .C = one};
    return run_link(run, &id, 1, &relation, perp_law_impact(e));
}

static void sharp(scheme_run *run)
{
    run->scheme.atol = run->scheme.rtol = 1e-11;
}

static void run_until(scheme_run *run, double t)
{
    while (perp_sim_time(run->sim) < t - 1e-9)
        run_step(run);
}

/* f = -2, e = 1/2, accumulation at t = 3 (004 (68)-(71)). */
START_TEST(times_of_impacts)
{
    static const double steps[] = {0.01, 0.1, 1.0, 4.0};
    const double q0 = 1.0, F = -2.0;
    scheme_run run;
    history past = {.count = 0};
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id ball = add_point(&run, 1, &q0, NULL, &F);
    perp_interaction_id floor = add_floor(&run, ball, 0.5);
    run_start(&run, steps[_i]);
    perp_sim_at_instants(run.sim, note, &past);
    run_until(&run, 4.0);
    ck_assert_int_ge(past.count, 10);
    for (int n = 0; n < past.count; n++)
        ck_assert_double_eq_tol(past.time[n], 3.0 - pow(0.5, n - 1), 1e-13);
    ck_assert_double_eq_tol(*run_x(&run, ball), 0.0, 1e-15);
    ck_assert_double_eq_tol(*run_v(&run, ball), 0.0, 1e-15);
    ck_assert_double_eq_tol(*run_lambda(&run, floor), 2.0, 1e-14);
    run_close(&run);
}
END_TEST

/* Elastic: 20 000 impacts keep the energy and the phase. */
START_TEST(many_impacts)
{
    const double q0 = 1.0, F = -2.0;
    scheme_run run;
    long impacts = 0;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id ball = add_point(&run, 1, &q0, NULL, &F);
    add_floor(&run, ball, 1.0);
    run_start(&run, 0.73);
    for (int k = 0; k < 54794; k++) {
        run_step(&run);
        impacts += perp_sim_info(run.sim)->impacts;
    }
    ck_assert_int_eq((int)impacts, 20000);
    double t = fmod(54794 * 0.73 + 1.0, 2.0) - 1.0;
    ck_assert_double_eq_tol(*run_x(&run, ball), 1.0 - t * t, 1e-7);
    ck_assert_double_eq_tol(*run_v(&run, ball), -2.0 * t, 1e-7);
    run_close(&run);
}
END_TEST

/* A block on the ground, rows (normal, tangential). */
static const double frame[] = {0.0, 1.0, 1.0, 0.0};

static perp_interaction_id add_ground(scheme_run *run, perp_system_id id, double e, double mu)
{
    perp_relation relation = {.kind = PERP_RELATION_LINEAR, .rows = 2, .C = frame};
    return run_link(run, &id, 1, &relation, perp_law_friction(2, e, mu));
}

START_TEST(a_block_slides_to_rest)
{
    const double q0[] = {0.0, 0.0}, v0[] = {3.0, 0.0}, F[] = {0.0, -g}, mu = 0.3;
    scheme_run run;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id block = add_point(&run, 2, q0, v0, F);
    perp_interaction_id ground = add_ground(&run, block, 0.0, mu);
    run_start(&run, 0.1);
    double stop = 3.0 / (mu * g), t;
    run_until(&run, 0.5);
    t = perp_sim_time(run.sim);
    ck_assert_double_eq_tol(run_x(&run, block)[0], 3.0 * t - 0.5 * mu * g * t * t, 1e-13);
    ck_assert_double_eq_tol(run_lambda(&run, ground)[1], -mu * g, 1e-12);
    run_until(&run, 2.0);
    ck_assert_double_eq_tol(run_x(&run, block)[0], 1.5 * stop, 1e-12);
    ck_assert_double_eq_tol(run_v(&run, block)[0], 0.0, 1e-15);
    ck_assert_double_eq_tol(run_lambda(&run, ground)[1], 0.0, 1e-12);
    run_close(&run);
}
END_TEST

/* Pulled by t, held by mu g until t = mu g; then x'' = t - mu g. */
static int pull(double *out, double t, const double *q, const double *v, const double *z, void *u)
{
    (void)q, (void)v, (void)z, (void)u;
    out[0] = t;
    out[1] = -g;
    return 0;
}

START_TEST(a_block_breaks_away)
{
    const double q0[] = {0.0, 0.0}, mu = 0.1;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id block;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_lagrangian_def_init(&def);
    def.n = 2;
    def.q0 = q0;
    def.F_ext = pull;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &block, NULL), PERP_SOLVED);
    perp_interaction_id ground = add_ground(&run, block, 0.0, mu);
    run_start(&run, 0.05);
    run_until(&run, 0.9);
    ck_assert_double_eq_tol(run_x(&run, block)[0], 0.0, 1e-15);
    ck_assert_double_eq_tol(run_lambda(&run, ground)[1], -0.9, 1e-12);
    run_until(&run, 2.0);
    ck_assert_double_eq_tol(run_x(&run, block)[0], pow(2.0 - mu * g, 3) / 6.0, 1e-11);
    ck_assert_double_eq_tol(run_v(&run, block)[0], pow(2.0 - mu * g, 2) / 2.0, 1e-11);
    run_close(&run);
}
END_TEST

/* A mass on a belt of speed 1 held by a spring: it sticks until k x = mu N, slips half an
 * oscillation about x = mu N / k, until its speed is that of the belt again. */
static int spring(double *out, double t, const double *q, const double *v, const double *z, void *u)
{
    (void)t, (void)v, (void)z, (void)u;
    out[0] = 4.0 * q[0];
    out[1] = 0.0;
    return 0;
}
static int spring_q(double *out, double t, const double *q, const double *v, const double *z,
                    void *u)
{
    (void)t, (void)q, (void)v, (void)z, (void)u;
    out[0] = 4.0;
    out[1] = out[2] = out[3] = 0.0;
    return 0;
}
static int none_v(double *out, double t, const double *q, const double *v, const double *z, void *u)
{
    (void)t, (void)q, (void)v, (void)z, (void)u;
    memset(out, 0, 4 * sizeof *out);
    return 0;
}
static int belt(double *y, double t, const double *q, const double *lambda, const double *z,
                void *u)
{
    (void)lambda, (void)z, (void)u;
    y[0] = q[1];
    y[1] = q[0] - t;
    return 0;
}
static int belt_q(double *H, double t, const double *q, const double *lambda, const double *z,
                  void *u)
{
    (void)t, (void)q, (void)lambda, (void)z, (void)u;
    memcpy(H, frame, sizeof frame);
    return 0;
}
static int belt_t(double *h_t, double t, const double *q, const double *lambda, const double *z,
                  void *u)
{
    (void)t, (void)q, (void)lambda, (void)z, (void)u;
    h_t[0] = 0.0;
    h_t[1] = -1.0;
    return 0;
}

START_TEST(stick_and_slip)
{
    /* omega = 2; sliding about a = mu N / k at amplitude with speed 1 at both ends. */
    const double q0[] = {0.0, 0.0}, v0[] = {1.0, 0.0}, F[] = {0.0, -g}, mu = 0.2;
    const double a = mu * g / 4.0;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id mass;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_lagrangian_def_init(&def);
    def.n = 2;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    def.F_int = spring;
    def.F_int_q = spring_q;
    def.F_int_v = none_v;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &mass, NULL), PERP_SOLVED);
    perp_relation relation = {
        .kind = PERP_RELATION_RHEONOMOUS, .rows = 2, .h = belt, .h_x = belt_q, .h_t = belt_t};
    run_link(&run, &mass, 1, &relation, perp_law_friction(2, 0.0, mu));
    run_start(&run, 0.05);
    for (int k = 1; k <= 100; k++) {
        run_step(&run);
        double t = 0.05 * k, x = run_x(&run, mass)[0], v = run_v(&run, mass)[0];
        if (t < a - 1e-9)
            ck_assert_double_eq_tol(v, 1.0, 1e-13);
        /* From x = a with speed 1 the friction force is constant as long as v < 1: the motion is
         * centred at a and comes back to speed 1 after a whole period at x = a. */
        double s = t - a;
        if (s > 1e-9 && s < acos(-1.0) - 1e-9)
            ck_assert_double_eq_tol(x, a + 0.5 * sin(2.0 * s), 1e-10);
    }
    run_close(&run);
}
END_TEST

/* On a circle of radius 1 without friction from the top with speed v0: it lets go where
 * cos = (2 + v0^2 / g) / 3. */
static int circle(double *y, const double t, const double *q, const double *lambda, const double *z,
                  void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    y[0] = sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
    return 0;
}
static int circle_q(double *H, double t, const double *q, const double *lambda, const double *z,
                    void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    double r = sqrt(q[0] * q[0] + q[1] * q[1]);
    H[0] = q[0] / r;
    H[1] = q[1] / r;
    return 0;
}

typedef struct let_go {
    perp_interaction_id id;
    perp_system_id system;
    double cosine;
} let_go;

static int see(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    let_go *seen = ctx;
    const double *y = NULL, *lambda = NULL;
    double *q = NULL;
    (void)sim, (void)at;
    perp_model_output(model, seen->id, &y, NULL, &lambda, NULL, NULL);
    perp_model_state(model, seen->system, &q, NULL, NULL, NULL);
    if (fabs(y[0]) < 1e-12)
        seen->cosine = q[1];
    return 0;
}

START_TEST(a_bead_leaves_a_circle)
{
    const double q0[] = {0.0, 1.0}, v0[] = {0.5, 0.0}, F[] = {0.0, -g};
    scheme_run run;
    let_go seen = {.cosine = 1.0};
    run_open(&run, "event-driven");
    sharp(&run);
    seen.system = add_point(&run, 2, q0, v0, F);
    perp_relation relation = {
        .kind = PERP_RELATION_SCLERONOMOUS, .rows = 1, .h = circle, .h_x = circle_q};
    seen.id = run_link(&run, &seen.system, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 0.02);
    perp_sim_at_instants(run.sim, see, &seen);
    run_until(&run, 1.0);
    ck_assert_double_eq_tol(seen.cosine, (2.0 + 0.25 / g) / 3.0, 1e-9);
    double *q = run_x(&run, seen.system), *v = run_v(&run, seen.system);
    double energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + g * q[1];
    ck_assert_double_eq_tol(energy, 0.125 + g, 1e-9);
    run_close(&run);
}
END_TEST

/* A pendulum of bilateral constraint: length and energy stay. */
START_TEST(a_pendulum_does_not_drift)
{
    const double q0[] = {1.0, 0.0}, F[] = {0.0, -g};
    scheme_run run;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id bob = add_point(&run, 2, q0, NULL, F);
    perp_relation relation = {
        .kind = PERP_RELATION_SCLERONOMOUS, .rows = 1, .h = circle, .h_x = circle_q};
    run_link(&run, &bob, 1, &relation, perp_law_equality());
    run_start(&run, 0.05);
    for (int k = 0; k < 2000; k++) {
        run_step(&run);
        double *q = run_x(&run, bob), *v = run_v(&run, bob);
        ck_assert_double_eq_tol(hypot(q[0], q[1]), 1.0, 1e-11);
        ck_assert_double_eq_tol(0.5 * (v[0] * v[0] + v[1] * v[1]) + g * q[1], 0.0, 1e-6);
    }
    run_close(&run);
}
END_TEST

/* Thrown up so that it just reaches a ceiling: no impact. */
static const double minus_one[] = {-1.0};

START_TEST(grazing)
{
    const double q0 = 0.0, v0 = 2.0, F = -2.0, height = 1.0;
    scheme_run run;
    history past = {.count = 0};
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id ball = add_point(&run, 1, &q0, &v0, &F);
    perp_relation relation = {
        .kind = PERP_RELATION_LINEAR, .rows = 1, .C = minus_one, .e = &height};
    run_link(&run, &ball, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 0.3);
    perp_sim_at_instants(run.sim, note, &past);
    run_until(&run, 1.8);
    ck_assert_double_eq_tol(*run_x(&run, ball), 1.0 - 0.64, 1e-9);
    run_close(&run);
}
END_TEST

/* A ball between two balls in a row that touch the walls at the same time. */
START_TEST(simultaneous_impacts)
{
    const double q0[] = {0.0, 0.0}, v0[] = {1.0, 2.0};
    static const double walls[] = {-1.0, 0.0, 0.0, -1.0}, distance[] = {0.5, 1.0};
    scheme_run run;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_system_id points = add_point(&run, 2, q0, v0, NULL);
    perp_relation relation = {.kind = PERP_RELATION_LINEAR, .rows = 2, .C = walls, .e = distance};
    run_link(&run, &points, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 0.2);
    int impacts = 0;
    for (int k = 0; k < 5; k++) {
        run_step(&run);
        impacts += perp_sim_info(run.sim)->impacts;
    }
    ck_assert_int_eq(impacts, 1);
    ck_assert_double_eq_tol(run_x(&run, points)[0], 0.25, 1e-13);
    ck_assert_double_eq_tol(run_x(&run, points)[1], 0.5, 1e-13);
    run_close(&run);
}
END_TEST

/* A block of half width b and half height 1 that rocks on two corners with friction: it never
 * slides, and at each change of corner its speed falls by 1 - 3/2 sin^2 alpha, tan alpha = b
 * (Housner). */
static const double half = 0.25;

static int corners(double *y, double t, const double *q, const double *lambda, const double *z,
                   void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    for (int k = 0; k < 2; k++) {
        double x = k ? half : -half;
        y[2 * k] = q[1] + sin(q[2]) * x - cos(q[2]);
        y[2 * k + 1] = q[0] + cos(q[2]) * x + sin(q[2]);
    }
    return 0;
}
static int corners_q(double *H, double t, const double *q, const double *lambda, const double *z,
                     void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    for (int k = 0; k < 2; k++) {
        double x = k ? half : -half;
        double *row = H + 2 * k;
        row[0] = row[5] = 0.0;
        row[1] = row[4] = 1.0;
        row[8] = cos(q[2]) * x + sin(q[2]);
        row[9] = -sin(q[2]) * x + cos(q[2]);
    }
    return 0;
}

typedef struct turns {
    perp_system_id id;
    double before, ratio[64], lowest;
    int count;
} turns;

static int note_turn(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    turns *seen = ctx;
    double *v = NULL;
    (void)sim;
    perp_model_state(model, seen->id, NULL, &v, NULL, NULL);
    if (at->kind == PERP_INSTANT_BEFORE)
        seen->before = v[2];
    else if (at->kind == PERP_INSTANT_AFTER && seen->count < 64)
        seen->ratio[seen->count++] = v[2] / seen->before;
    return 0;
}

START_TEST(a_rocking_block)
{
    const double tilt = 0.1, inertia = (1.0 + half * half) / 3.0, F[] = {0.0, -g, 0.0};
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, inertia};
    const double q0[] = {0.0, half * sin(tilt) + cos(tilt), tilt};
    scheme_run run;
    turns seen = {.count = 0};
    perp_lagrangian_def def;
    run_open(&run, "event-driven");
    sharp(&run);
    perp_lagrangian_def_init(&def);
    def.n = 3;
    def.q0 = q0;
    def.F = F;
    perp_mat_init_dense(&def.M, 3, 3, M, 3);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &seen.id, NULL), PERP_SOLVED);
    perp_relation relation = {
        .kind = PERP_RELATION_SCLERONOMOUS, .rows = 4, .h = corners, .h_x = corners_q};
    perp_interaction_id feet = run_link(&run, &seen.id, 1, &relation, perp_law_friction(2, 0, 0.8));
    run_start(&run, 0.02);
    perp_sim_at_instants(run.sim, note_turn, &seen);
    double ratio = 1.0 - 1.5 * half * half / (1.0 + half * half);
    for (int k = 0; k < 350; k++) {
        run_step(&run);
        ck_assert_double_lt(perp_sim_info(run.sim)->violation, 1e-11);
    }
    ck_assert_int_gt(seen.count, 20);
    for (int k = 0; k < 20; k++)
        ck_assert_double_eq_tol(seen.ratio[k], ratio, 1e-10);
    /* At rest on two corners, where the forces are not unique. */
    run_until(&run, 14.0);
    ck_assert_double_eq_tol(run_x(&run, seen.id)[2], 0.0, 1e-12);
    ck_assert_double_eq_tol(run_lambda(&run, feet)[0], 0.5 * g, 1e-8);
    ck_assert_double_eq_tol(run_lambda(&run, feet)[2], 0.5 * g, 1e-8);
    run_close(&run);
}
END_TEST

/* Bodies: a sphere falls on a plane, spins freely meanwhile. */
static int plane(perp_contact_point *point, double t, const double *a, const double *b,
                 const double *z, void *u)
{
    (void)t, (void)b, (void)z, (void)u;
    point->gap = a[2] - 0.5;
    point->normal[0] = point->normal[1] = 0.0;
    point->normal[2] = 1.0;
    for (int i = 0; i < 3; i++)
        point->point_a[i] = point->point_b[i] = a[i];
    point->point_a[2] -= 0.5;
    point->point_b[2] = 0.0;
    return 0;
}

START_TEST(a_sphere)
{
    scheme_run run;
    perp_body_def def;
    perp_system_id ball;
    history past = {.count = 0};
    run_open(&run, "event-driven");
    sharp(&run);
    perp_body_def_init(&def);
    def.position[2] = 1.5;
    def.force[2] = -2.0;
    def.velocity[0] = 1.0;
    def.angular[2] = 3.0;
    ck_assert_int_eq(perp_model_add_body(run.model, &def, &ball, NULL), PERP_SOLVED);
    perp_relation relation = {.kind = PERP_RELATION_CONTACT, .rows = 1, .contact = plane};
    run_link(&run, &ball, 1, &relation, perp_law_impact(0.5));
    run_start(&run, 0.1);
    perp_sim_at_instants(run.sim, note, &past);
    run_until(&run, 3.5);
    for (int n = 0; n < 8; n++)
        ck_assert_double_eq_tol(past.time[n], 3.0 - pow(0.5, n - 1), 1e-12);
    double *q = run_x(&run, ball);
    ck_assert_double_eq_tol(q[0], 3.5, 1e-12);
    ck_assert_double_eq_tol(q[2], 0.5, 1e-14);
    ck_assert_double_eq_tol(q[3] * q[3] + q[6] * q[6], 1.0, 1e-14);
    ck_assert_double_eq_tol(2.0 * atan2(q[6], q[3]) + 4.0 * acos(-1.0), 10.5, 1e-9);
    run_close(&run);
}
END_TEST

/* Each ends the step with its status, the state at its start stays, and the run goes on once the
 * cause is gone. */
static const struct {
    const char *name, *value, *back;
    perp_status status;
} ends[] = {{"zeno", "stop", "switch", PERP_ZENO},
            {"max_events", "3", "1000", PERP_ZENO},
            {"rtol", "0", "1e-10", PERP_STEP_LIMIT}};

START_TEST(ends_of_a_step)
{
    const double q0 = 1.0, F = -2.0;
    static const double stiffness[] = {1.0};
    scheme_run run;
    run_open(&run, "event-driven");
    sharp(&run);
    if (ends[_i].status == PERP_STEP_LIMIT)
        run.scheme.atol = 0.0;
    ck_assert_int_eq(perp_scheme_set(&run.scheme, ends[_i].name, ends[_i].value), PERP_SOLVED);
    perp_lagrangian_def def;
    perp_system_id ball;
    perp_lagrangian_def_init(&def);
    def.n = 1;
    def.q0 = &q0;
    def.F = &F;
    if (ends[_i].status == PERP_STEP_LIMIT)
        perp_mat_init_dense(&def.K, 1, 1, stiffness, 1);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &ball, NULL), PERP_SOLVED);
    add_floor(&run, ball, 0.5);
    run_start(&run, 0.5);
    perp_status status = PERP_SOLVED;
    double q = q0, v = 0.0;
    for (int k = 0; k < 8 && status == PERP_SOLVED; k++) {
        q = *run_x(&run, ball);
        v = *run_v(&run, ball);
        status = perp_sim_step(run.sim);
    }
    ck_assert_int_eq(status, ends[_i].status);
    ck_assert(perp_sim_info(run.sim)->detail[0] != '\0');
    ck_assert_double_eq(*run_x(&run, ball), q);
    ck_assert_double_eq(*run_v(&run, ball), v);
    perp_scheme_set(&run.scheme, ends[_i].name, ends[_i].back);
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &run.scheme),
                     PERP_SOLVED);
    run_until(&run, 4.0);
    if (ends[_i].status == PERP_ZENO)
        ck_assert_double_eq_tol(*run_x(&run, ball), 0.0, 1e-14);
    run_close(&run);
}
END_TEST

/* What the scheme does not take is refused with a sentence. */
START_TEST(refused_laws)
{
    const double q0 = 1.0;
    scheme_run run;
    run_open(&run, "event-driven");
    perp_system_id ball = add_point(&run, 1, &q0, NULL, NULL);
    perp_relation relation = {.kind = PERP_RELATION_LINEAR, .rows = 1, .C = one};
    run_link(&run, &ball, 1, &relation, perp_law_relay(-1.0, 1.0));
    run_start(&run, 0.1);
    ck_assert_int_eq(perp_sim_step(run.sim), PERP_ERR_UNSUPPORTED);
    ck_assert(perp_sim_info(run.sim)->detail[0] != '\0');
    run_close(&run);
}
END_TEST

/* All systems must have a scheme that chooses its own instants. */
START_TEST(mixed_schemes)
{
    const double q0 = 1.0;
    scheme_run run;
    perp_scheme other;
    run_open(&run, "event-driven");
    add_point(&run, 1, &q0, NULL, NULL);
    perp_system_id second = add_point(&run, 1, &q0, NULL, NULL);
    run_start(&run, 0.1);
    ck_assert_int_eq(perp_scheme_init(&other, "moreau-jean", sizeof other), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, second, &other), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(run.sim), PERP_ERR_UNSUPPORTED);
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("event driven");
    TCase *tcase = tcase_create("motions");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, times_of_impacts, 0, 4);
    tcase_add_test(tcase, many_impacts);
    tcase_add_test(tcase, a_block_slides_to_rest);
    tcase_add_test(tcase, a_block_breaks_away);
    tcase_add_test(tcase, stick_and_slip);
    tcase_add_test(tcase, a_bead_leaves_a_circle);
    tcase_add_test(tcase, a_pendulum_does_not_drift);
    tcase_add_test(tcase, grazing);
    tcase_add_test(tcase, simultaneous_impacts);
    tcase_add_test(tcase, a_rocking_block);
    tcase_add_test(tcase, a_sphere);
    tcase_add_loop_test(tcase, ends_of_a_step, 0, (int)(sizeof ends / sizeof ends[0]));
    tcase_add_test(tcase, refused_laws);
    tcase_add_test(tcase, mixed_schemes);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
