/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalised-alpha with impacts and friction: no penetration, Newton's law exact, no gain of
 * energy, motions in closed form. */
#include <stdlib.h>

#include "tests/fixtures/callbacks.h"
#include "tests/fixtures/exact_impacts.h"
#include "tests/fixtures/scheme_run.h"

static const double gravity = 9.81;
static const double one[] = {1.0};

static perp_system_id add_mass(scheme_run *run, double q0, double v0, double K, double F)
{
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.v0 = &v0;
    if (K != 0.0)
        perp_mat_init_dense(&def.K, 1, 1, &K, 1);
    def.F = &F;
    ck_assert_int_eq(perp_model_add_lagrangian(run->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_interaction_id add_floor(scheme_run *run, perp_system_id id, double e)
{
    perp_relation floor = {.size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = one};
    return run_link(run, &id, 1, &floor, perp_law_impact(e));
}

/* The two examples of [ACA10]: never below the floor, Newton's law to rounding at each impact, the
 * motion to order 1. */
static double run_example(double h, int oscillator)
{
    const double e = 0.5;
    scheme_run run;
    run_open(&run, "generalized-alpha");
    perp_system_id id = add_mass(&run, 1.0, 0.0, oscillator ? 1.0 : 0.0, oscillator ? 0.0 : -2.0);
    perp_interaction_id floor = add_floor(&run, id, e);
    run_start(&run, h);
    double sum = 0.0, v_k = 0.0;
    int impacts = 0, steps = (int)lround((oscillator ? 10.0 : 4.0) / h);
    for (int k = 1; k <= steps; k++) {
        run_step(&run);
        double q = run_x(&run, id)[0], v = run_v(&run, id)[0], exact_q, exact_v;
        ck_assert_double_ge(q, -1e-12);
        if (run_lambda(&run, floor)[0] > 0.0 && v > 0.0) {
            ck_assert_double_eq_tol(v, -e * v_k, 1e-14);
            impacts++;
        }
        if (oscillator)
            exact_oscillator(&exact_q, &exact_v, k * h, e);
        else
            exact_ball(&exact_q, &exact_v, k * h);
        sum += h * fabs(q - exact_q);
        v_k = v;
    }
    ck_assert_int_ge(impacts, 3);
    if (!oscillator) { /* at rest after the accumulation */
        ck_assert_double_eq_tol(run_x(&run, id)[0], 0.0, 1e-14);
        ck_assert_double_eq_tol(run_v(&run, id)[0], 0.0, 1e-14);
        ck_assert_double_eq_tol(run_lambda(&run, floor)[0], 2.0 * h, 1e-12);
    }
    run_close(&run);
    return sum;
}

START_TEST(published_examples)
{
    double h = 1e-3 * 1.0371, errors[4];
    for (int k = 0; k < 4; k++, h *= 0.5)
        errors[k] = run_example(h, _i);
    double order = log2(errors[0] / errors[3]) / 3.0;
    ck_assert_msg(order > 0.7 && order < 1.5, "order %g", order);
    ck_assert_double_le(errors[3], 2e-3);
}
END_TEST

/* Energy never grows at e < 1, and is lost by O(h) an impact at e = 1. */
START_TEST(energy_of_the_ball)
{
    const double h = 1e-3, e[] = {0.0, 0.5, 0.9, 1.0};
    scheme_run run;
    run_open(&run, "generalized-alpha");
    perp_system_id id = add_mass(&run, 1.0, 0.0, 0.0, -gravity);
    add_floor(&run, id, e[_i]);
    run_start(&run, h);
    double before = gravity, E = before;
    for (int k = 0; k < 5000; k++) {
        run_step(&run);
        double q = run_x(&run, id)[0], v = run_v(&run, id)[0];
        E = 0.5 * v * v + gravity * q;
        ck_assert_double_ge(q, -1e-12);
        ck_assert_double_le(E, before + 1e-13 * gravity);
        before = E;
    }
    if (e[_i] == 1.0)
        ck_assert_double_ge(E, 0.9 * gravity);
    run_close(&run);
}
END_TEST

/* A column of 20 beads falls on the floor: multiple impacts, all gaps closed at the end. */
START_TEST(column_of_beads)
{
    enum { BEADS = 20 };
    static const double between[] = {-1.0, 1.0};
    const double apart = -0.2, ground = -0.1, h = 1e-3;
    scheme_run run;
    perp_system_id bead[BEADS];
    perp_interaction_id contact[BEADS];
    run_open(&run, "generalized-alpha");
    run.form = _i ? PERP_FORM_DELASSUS : PERP_FORM_AUTO;
    for (int k = 0; k < BEADS; k++)
        bead[k] = add_mass(&run, 0.3 + 0.22 * k, 0.0, 0.0, -gravity);
    perp_relation floor = {
        .size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = one, .e = &ground};
    contact[0] = run_link(&run, bead, 1, &floor, perp_law_impact(0.6));
    perp_relation pair = {
        .size = sizeof pair, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = between, .e = &apart};
    for (int k = 1; k < BEADS; k++)
        contact[k] = run_link(&run, bead + k - 1, 2, &pair, perp_law_impact(0.6));
    run_start(&run, h);
    double first = 0.0, E = 0.0, before = INFINITY, gain = 0.0;
    for (int step = 0; step < 6000; step++) {
        run_step(&run);
        E = 0.0;
        for (int k = 0; k < BEADS; k++) {
            double v = run_v(&run, bead[k])[0];
            ck_assert_double_ge(run_y(&run, contact[k])[0], -1e-10);
            E += 0.5 * v * v + gravity * (run_x(&run, bead[k])[0] - 0.1 - 0.2 * k);
        }
        first = step == 0 ? E : first;
        gain = fmax(gain, E - before);
        before = E;
    }
    ck_assert_double_le(gain, 1e-12 * first);
    ck_assert_double_le(E, 1e-9 * first);
    for (int k = 0; k < BEADS; k++)
        ck_assert_double_eq_tol(run_lambda(&run, contact[k])[0], h * gravity * (BEADS - k), 1e-9);
    run_close(&run);
}
END_TEST

/* A point on a rod swings against a wall: a joint and impacts on both levels. */
RELATION(rod)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0);
    return 0;
}
RELATION(rod_x)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = x[0];
    out[1] = x[1];
    return 0;
}

START_TEST(impacting_pendulum)
{
    static const double wall[] = {1.0, 0.0}, q0[] = {1.0, 0.0}, F[] = {0.0, -9.81};
    const double e = 0.8, h = 1e-3, half = 0.5;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.F = F;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = rod,
                              .h_x = rod_x};
    perp_interaction_id joint = run_link(&run, &id, 1, &relation, perp_law_equality());
    relation = (perp_relation){.size = sizeof(perp_relation),
                               .kind = PERP_RELATION_LINEAR,
                               .rows = 1,
                               .C = wall,
                               .e = &half};
    perp_interaction_id stop = run_link(&run, &id, 1, &relation, perp_law_impact(e));
    run_start(&run, h);
    double before = 0.0, u_k = 0.0;
    int impacts = 0;
    for (int k = 0; k < 20000; k++) {
        run_step(&run);
        const double *y, *u, *q = run_x(&run, id), *v = run_v(&run, id);
        ck_assert_double_le(fabs(run_y(&run, joint)[0]), 1e-12);
        perp_model_output(run.model, joint, NULL, &u, NULL, NULL, NULL);
        ck_assert_double_le(fabs(u[0]), 1e-12);
        perp_model_output(run.model, stop, &y, &u, NULL, NULL, NULL);
        ck_assert_double_ge(y[0], -1e-12);
        double E = 0.5 * (v[0] * v[0] + v[1] * v[1]) + gravity * q[1];
        if (run_lambda(&run, stop)[0] > 0.0 && u[0] > 1e-9) {
            ck_assert_double_eq_tol(u[0], -e * u_k, 1e-13);
            impacts++;
        }
        ck_assert_double_le(E, before + 1e-2 * h);
        before = E;
        u_k = u[0];
    }
    ck_assert_int_ge(impacts, 10);
    run_close(&run);
}
END_TEST

/* A block on a floor with v0 stops after v0/(mu g); then a push within the cone does not move
 * it.  2 or 3 rows. */
START_TEST(block_slides_to_rest)
{
    static const double C2[] = {0, 1, 1, 0}, C3[] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    const double mu = 0.3, h = 2e-3, v0 = 1.2;
    int n = _i % 2 ? 3 : 2;
    double q0[3] = {0.0}, v[3] = {v0, 0.0, 0.0}, F[3] = {0.0};
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    run.form = _i / 2 ? PERP_FORM_DELASSUS : PERP_FORM_AUTO;
    F[n - 1] = -gravity;
    if (n == 3) {
        v[0] = 0.6 * v0;
        v[1] = 0.8 * v0;
    }
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = n;
    def.q0 = q0;
    def.v0 = v;
    def.F = F;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = n, .C = n == 3 ? C3 : C2};
    perp_interaction_id floor = run_link(&run, &id, 1, &relation, perp_law_friction(n, 0.5, mu));
    run_start(&run, h);
    double stop = v0 / (mu * gravity);
    for (int k = 1; k <= 400; k++) {
        double t = k * h;
        run_step(&run);
        double left = fmin(t, stop), x = v0 * left - 0.5 * mu * gravity * left * left;
        double speed = v0 - mu * gravity * left, *q = run_x(&run, id), *now = run_v(&run, id);
        double s = n == 3 ? hypot(q[0], q[1]) : q[0], w = n == 3 ? hypot(now[0], now[1]) : now[0];
        ck_assert_double_eq_tol(s, x, t < stop ? 1e-11 : 2.0 * h * h * gravity);
        ck_assert_double_eq_tol(w, speed, 1e-11);
        ck_assert_double_eq_tol(q[n - 1], 0.0, 1e-12);
    }
    double push[3] = {0.9 * mu * gravity, 0.0, 0.0}, at = run_x(&run, id)[0];
    push[n - 1] = -gravity;
    ck_assert_int_eq(perp_model_set_force(run.model, id, push), PERP_SOLVED);
    for (int k = 0; k < 200; k++)
        run_step(&run);
    ck_assert_double_eq_tol(run_x(&run, id)[0], at, 1e-12);
    ck_assert_double_eq_tol(fabs(run_lambda(&run, floor)[1]), 0.9 * mu * gravity * h, 1e-11);
    /* More than the cone: it moves by the difference. */
    push[0] = 1.5 * mu * gravity;
    ck_assert_int_eq(perp_model_set_force(run.model, id, push), PERP_SOLVED);
    for (int k = 0; k < 100; k++)
        run_step(&run);
    ck_assert_double_eq_tol(run_v(&run, id)[0], 0.5 * mu * gravity * 100 * h, mu * gravity * h);
    run_close(&run);
}
END_TEST

/* A sphere thrown along a floor rolls from t = 2 v0 / (7 mu g) on, with 5/7 v0. */
static int floor_gap(perp_contact_point *p, double t, const double *q_a, const double *q_b,
                     const double *z, void *user)
{
    (void)t, (void)q_b, (void)z, (void)user;
    *p = (perp_contact_point){.gap = q_a[2] - 0.1, .normal = {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; i++)
        p->point_a[i] = q_a[i] - (i == 2 ? 0.1 : 0.0);
    p->point_b[0] = q_a[0];
    p->point_b[1] = q_a[1];
    return 0;
}

START_TEST(sphere_begins_to_roll)
{
    const double r = 0.1, v0 = 2.0, mu = 0.25, h = 1e-3;
    scheme_run run;
    perp_body_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    perp_body_def_init(&def, sizeof def);
    for (int i = 0; i < 3; i++)
        def.inertia[4 * i] = 0.4 * r * r;
    def.position[2] = r;
    def.velocity[0] = v0;
    def.force[2] = -gravity;
    ck_assert_int_eq(perp_model_add_body(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_CONTACT, .rows = 3, .contact = floor_gap};
    perp_interaction_id floor = run_link(&run, &id, 1, &relation, perp_law_friction(3, 0.3, mu));
    run_start(&run, h);
    double roll = 2.0 * v0 / (7.0 * mu * gravity);
    for (int k = 1; k <= 600; k++) {
        double t = k * h, left = fmin(t, roll);
        run_step(&run);
        const double *v = run_v(&run, id);
        ck_assert_double_eq_tol(v[0], v0 - mu * gravity * left, 1e-10);
        ck_assert_double_eq_tol(v[4], 2.5 * mu * gravity * left / r, 1e-9);
        ck_assert_double_eq_tol(run_y(&run, floor)[0], 0.0, 1e-12);
        ck_assert_double_eq_tol(run_x(&run, id)[0], v0 * t - mu * gravity * left * (t - 0.5 * left),
                                t < roll ? 1e-10 : h * h * gravity);
    }
    run_close(&run);
}
END_TEST

/* A relay as dry friction of constant size, on a spring: stick, slip and the exact half waves. */
START_TEST(relay_on_a_spring)
{
    const double K = 4.0, F = 0.35, h = 1e-3, pi = acos(-1.0);
    scheme_run run;
    run_open(&run, "generalized-alpha");
    perp_system_id id = add_mass(&run, 1.0, 0.0, K, 0.0);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = one};
    perp_interaction_id relay = run_link(&run, &id, 1, &relation, perp_law_relay(-F, F));
    run_start(&run, h);
    /* Each half wave takes pi/2 and loses 2 F/K of the amplitude, until it is within F/K. */
    int steps = (int)lround(0.5 * pi / h);
    for (int wave = 1; wave <= 5; wave++) {
        for (int k = 0; k < steps; k++)
            run_step(&run);
        double amplitude = fmax(1.0 - wave * 2.0 * F / K, 1.0 - 6.0 * 2.0 * F / K);
        ck_assert_double_eq_tol(run_x(&run, id)[0], wave % 2 ? -amplitude : amplitude, 1e-3);
    }
    double rest = run_x(&run, id)[0];
    for (int k = 0; k < 3 * steps; k++)
        run_step(&run);
    rest = run_x(&run, id)[0];
    for (int k = 0; k < steps; k++)
        run_step(&run);
    ck_assert_double_eq_tol(run_x(&run, id)[0], rest, 1e-12);
    ck_assert_double_le(fabs(rest), F / K + 1e-9);
    ck_assert_double_eq_tol(run_lambda(&run, relay)[0], K * rest, 1e-9);
    run_close(&run);
}
END_TEST

/* A block rocks from one lower corner to the other: Housner's loss at e = 0 where it does not
 * slip, omega+ = (1 - 3/2 sin^2 alpha) omega. */
static const double half_width = 0.1, half_height = 0.4;

RELATION(feet)
{
    (void)t, (void)lambda, (void)z, (void)user;
    for (int k = 0; k < 2; k++) {
        double side = k ? half_width : -half_width, c = cos(x[2]), s = sin(x[2]);
        out[2 * k] = x[1] + side * s - half_height * c;
        out[2 * k + 1] = x[0] + side * c + half_height * s;
    }
    return 0;
}
RELATION(feet_x)
{
    (void)t, (void)lambda, (void)z, (void)user;
    for (int k = 0; k < 2; k++) {
        double side = k ? half_width : -half_width, c = cos(x[2]), s = sin(x[2]),
               *row = out + 2 * k;
        row[0] = 0.0;
        row[4] = 1.0;
        row[8] = side * c + half_height * s;
        row[1] = 1.0;
        row[5] = 0.0;
        row[9] = -side * s + half_height * c;
    }
    return 0;
}

START_TEST(rocking_block)
{
    const double h = 2e-4, tilt = 0.1, m = 1.0;
    const double J = m * (half_width * half_width + half_height * half_height) / 3.0;
    const double M[] = {m, 0, 0, 0, m, 0, 0, 0, J}, F[] = {0.0, -m * gravity, 0.0};
    /* on its right corner, at rest */
    const double q0[] = {-half_width * cos(tilt) - half_height * sin(-tilt),
                         -half_width * sin(-tilt) + half_height * cos(tilt), -tilt};
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.F = F;
    perp_mat_init_dense(&def.M, 3, 3, M, 3);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 4,
                              .h = feet,
                              .h_x = feet_x};
    perp_interaction_id floor = run_link(&run, &id, 1, &relation, perp_law_friction(2, 0.0, 0.9));
    run_start(&run, h);
    double before = 0.0, energy = INFINITY, sine = half_width / hypot(half_width, half_height);
    const double loss = 1.0 - 1.5 * sine * sine;
    int impacts = 0;
    for (int k = 0; k < 10000; k++) {
        run_step(&run);
        const double *q = run_x(&run, id), *v = run_v(&run, id), *y = run_y(&run, floor);
        ck_assert_double_ge(fmin(y[0], y[2]), -1e-12);
        double E = 0.5 * (m * (v[0] * v[0] + v[1] * v[1]) + J * v[2] * v[2]) + m * gravity * q[1];
        ck_assert_double_le(E, energy + 1e-6);
        energy = E;
        if (perp_sim_info(run.sim)->impacts > 0 && fabs(before) > 0.1) {
            ck_assert_double_eq_tol(v[2] / before, loss, 20.0 * h / fabs(before));
            impacts++;
        }
        before = v[2];
    }
    ck_assert_int_ge(impacts, 4);
    run_close(&run);
}
END_TEST

/* A block on a table that moves by -A cos wt: carried, thrown off where the table falls faster
 * than g, caught without bounce. */
static const double table_A = 0.1, table_w = 15.0;

RELATION(above_table)
{
    (void)lambda, (void)z, (void)user;
    out[0] = x[0] + table_A * cos(table_w * t);
    return 0;
}
RELATION(above_table_x)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    out[0] = 1.0;
    return 0;
}
RELATION(above_table_t)
{
    (void)x, (void)lambda, (void)z, (void)user;
    out[0] = -table_A * table_w * sin(table_w * t);
    return 0;
}

START_TEST(block_on_a_moving_table)
{
    const double h = 5e-4, leaves = acos(-gravity / (table_A * table_w * table_w)) / table_w;
    scheme_run run;
    run_open(&run, "generalized-alpha");
    perp_system_id id = add_mass(&run, -table_A, 0.0, 0.0, -gravity);
    perp_relation relation = {.size = sizeof relation,
                              .kind = PERP_RELATION_RHEONOMOUS,
                              .rows = 1,
                              .h = above_table,
                              .h_x = above_table_x,
                              .h_t = above_table_t};
    perp_interaction_id table = run_link(&run, &id, 1, &relation, perp_law_impact(0.0));
    run_start(&run, h);
    const double q0 = -table_A * cos(table_w * leaves);
    const double v0 = table_A * table_w * sin(table_w * leaves);
    double lands = 0.0;
    for (int k = 1; k <= 1500; k++) {
        double t = k * h, flight = t - leaves;
        run_step(&run);
        double q = run_x(&run, id)[0], y = run_y(&run, table)[0];
        ck_assert_double_ge(y, -1e-12);
        if (t < leaves) {
            double force = gravity + table_A * table_w * table_w * cos(table_w * t);
            ck_assert_double_eq_tol(y, 0.0, 1e-12);
            ck_assert_double_eq_tol(run_lambda(&run, table)[0] / h, force, k < 5 ? 1.0 : 1e-1);
        } else if (lands == 0.0 && flight > 2.0 * h && y > 0.0) {
            ck_assert_double_eq_tol(q, q0 + v0 * flight - 0.5 * gravity * flight * flight, 1e-5);
        } else if (lands == 0.0 && flight > 0.02) {
            lands = t;
            ck_assert_double_eq_tol(run_v(&run, id)[0], table_A * table_w * sin(table_w * t),
                                    1e-10);
        }
    }
    ck_assert_double_gt(lands, leaves + 0.1);
    run_close(&run);
}
END_TEST

/* An elastic bar of 40 elements hits a wall, once with steps that do not resolve its waves: the
 * energy stays below that of the start. */
START_TEST(elastic_bar)
{
    enum { N = 40 };
    const double h = _i ? 0.05 : 1e-3;
    double M[N * N] = {0.0}, K[N * N] = {0.0}, q0[N], v0[N], C[N] = {1.0};
    for (int i = 0; i < N; i++) {
        int end = i == 0 || i == N - 1;
        M[i * (N + 1)] = (end ? 0.5 : 1.0) / N;
        K[i * (N + 1)] = (end ? 1.0 : 2.0) * N;
        if (i > 0)
            K[i * (N + 1) - 1] = K[i * (N + 1) - N] = -N;
        q0[i] = 0.1;
        v0[i] = -1.0;
    }
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = N;
    def.q0 = q0;
    def.v0 = v0;
    perp_mat_init_dense(&def.M, N, N, M, N);
    perp_mat_init_dense(&def.K, N, N, K, N);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C};
    perp_interaction_id wall = run_link(&run, &id, 1, &relation, perp_law_impact(0.0));
    run_start(&run, h);
    double energy = 0.5, mean = 0.0;
    int touched = 0;
    for (int k = 0; k < (int)lround(3.0 / h); k++) {
        run_step(&run);
        const double *q = run_x(&run, id), *v = run_v(&run, id);
        double E = 0.0;
        mean = 0.0;
        for (int i = 0; i < N; i++) {
            double stretch = i > 0 ? q[i] - q[i - 1] : 0.0;
            E += 0.5 * M[i * (N + 1)] * v[i] * v[i] + 0.5 * N * stretch * stretch;
            mean += M[i * (N + 1)] * v[i];
        }
        ck_assert_double_ge(run_y(&run, wall)[0], -1e-12);
        ck_assert_double_le(E, energy + (_i ? 1e-3 : 1e-6));
        ck_assert_double_le(E, 0.5 + 1e-12);
        energy = E;
        touched += run_lambda(&run, wall)[0] > 0.0;
    }
    /* The wave runs to the far end and back, 2 units of time, and then the bar leaves as a whole.
     */
    ck_assert_double_eq_tol(touched * h, 2.0, 3.0 * h + 0.1);
    ck_assert_double_eq_tol(mean, 39.0 / 40.0, _i ? 0.1 : 0.05);
    run_close(&run);
}
END_TEST

/* A slot that is too narrow: no step is made; on request it is, the status says so, and the state
 * stays within the slot. */
START_TEST(constraints_that_contradict)
{
    static const double minus[] = {-1.0};
    const double apart = -0.1;
    scheme_run run;
    run_open(&run, "generalized-alpha");
    run.on_unsolved = _i ? PERP_UNSOLVED_ACCEPT : PERP_UNSOLVED_STOP;
    perp_system_id id = add_mass(&run, 0.0, 0.2, 0.0, 0.0);
    perp_relation side = {
        .size = sizeof side, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = one, .e = &apart};
    run_link(&run, &id, 1, &side, perp_law_impact(0.5));
    side.C = minus;
    run_link(&run, &id, 1, &side, perp_law_impact(0.5));
    run_start(&run, 1e-2);
    if (_i == 0) {
        ck_assert_int_eq(perp_sim_step(run.sim), PERP_INFEASIBLE_STEP);
        ck_assert_int_eq((int)perp_sim_info(run.sim)->step, 0);
        ck_assert_double_eq(run_v(&run, id)[0], 0.2);
    }
    for (int k = 0; _i && k < 5; k++) {
        ck_assert_int_gt(perp_sim_step(run.sim), 0);
        ck_assert_int_eq((int)perp_sim_info(run.sim)->step, k + 1);
        ck_assert_int_eq((int)perp_sim_info(run.sim)->unsolved, k + 1);
        ck_assert_double_ge(perp_sim_info(run.sim)->violation, 0.099);
        ck_assert_double_le(fabs(run_x(&run, id)[0]), 0.11);
        ck_assert_double_le(fabs(run_v(&run, id)[0]), 0.21);
    }
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("generalized-alpha, impacts");
    TCase *tc = tcase_create("impacts and friction");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, published_examples, 0, 2);
    tcase_add_loop_test(tc, energy_of_the_ball, 0, 4);
    tcase_add_loop_test(tc, column_of_beads, 0, 2);
    tcase_add_test(tc, impacting_pendulum);
    tcase_add_loop_test(tc, block_slides_to_rest, 0, 4);
    tcase_add_test(tc, sphere_begins_to_roll);
    tcase_add_test(tc, relay_on_a_spring);
    tcase_add_test(tc, rocking_block);
    tcase_add_test(tc, block_on_a_moving_table);
    tcase_add_loop_test(tc, elastic_bar, 0, 2);
    tcase_add_loop_test(tc, constraints_that_contradict, 0, 2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
