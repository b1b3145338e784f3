/* SPDX-License-Identifier: BSD-3-Clause */
/* event-capturing-rk: orders on impacts and through their accumulation, motions in closed form with
 * contacts that let go, slide and stick, bodies, and how it ends where it cannot go on. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/exact_impacts.h"
#include "tests/fixtures/kernel_rig.h"
#include "tests/fixtures/mixture.h"

static const char *const tableaux[] = {"midpoint", "heun3",  "rk4",   "dormand-prince",
                                       "fehlberg", "radau3", "radau5"};
static const int orders[] = {2, 3, 4, 5, 5, 3, 5};
enum { TABLEAUX = sizeof orders / sizeof orders[0] };
static const double one = 1.0;

typedef enum example { BALL, OSCILLATOR } example;

static perp_scheme scheme_of(const char *name, const char *tableau)
{
    char text[128];
    snprintf(text, sizeof text, "tableau=%s", tableau);
    return rig_scheme(name, text);
}

static perp_system_id add_example(rig *r, example which)
{
    const double weight = which == BALL ? -2.0 : 0.0;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F = &weight;
    if (which == OSCILLATOR)
        def.K = rig_dense(&one, 1, 1);
    perp_system_id mass = rig_add_lagrangian(r, &def);
    rig_linear(r, mass, 1, &one, NULL, perp_law_impact(which == BALL ? 0.5 : 0.8));
    return mass;
}

/* Mean errors over [0, end], velocities but in steps with an impact; returns impacts. */
static int errors_of(double error[2], example which, const char *tableau, double end, int steps)
{
    rig r;
    perp_scheme scheme = scheme_of("event-capturing-rk", tableau);
    int impacts = 0;
    error[0] = error[1] = 0.0;
    rig_init(&r, end / steps);
    perp_system_id mass = add_example(&r, which);
    rig_start(&r, &scheme);
    for (int k = 1; k <= steps; k++) {
        double q, v, t = end * k / steps;
        rig_step(&r);
        if (which == BALL)
            exact_ball(&q, &v, t);
        else
            exact_oscillator(&q, &v, t, 0.8);
        error[0] += fabs(*rig_q(&r, mass) - q) / steps;
        if (perp_sim_info(r.sim)->impacts == 0)
            error[1] += fabs(*rig_v(&r, mass) - v) / steps;
        impacts += perp_sim_info(r.sim)->impacts;
    }
    rig_free(&r);
    return impacts;
}

/* Order p in coordinates, and in velocities away from the impact's step, up to a time before the
 * accumulation, or beyond a few impacts of the oscillator. */
static void check_orders(example which, int k, double end, int first, int least_impacts)
{
    static const char *const names[] = {"ball", "oscillator"};
    enum { LEVELS = 4 };
    double error[LEVELS][2];
    for (int level = 0; level < LEVELS; level++)
        ck_assert_int_ge(errors_of(error[level], which, tableaux[k], end, first << level),
                         least_impacts);
    for (int part = 0; part < 2; part++) {
        double order = log2(error[0][part] / error[LEVELS - 1][part]) / (LEVELS - 1);
        if (getenv("PERP_TEST_ALL"))
            fprintf(stderr, "%s, %s: order %.2f in %s, last error %.1e\n", names[which],
                    tableaux[k], order, part ? "v" : "q", error[LEVELS - 1][part]);
        ck_assert_msg(order > orders[k] - 0.25, "%s, %s: order %.2f in %s, %g to %g", names[which],
                      tableaux[k], order, part ? "v" : "q", error[0][part],
                      error[LEVELS - 1][part]);
    }
}

START_TEST(test_order_before_the_accumulation)
{
    check_orders(BALL, _i, 2.637, orders[_i] > 4 ? 13 : 26, 2);
}
END_TEST

START_TEST(test_order_of_the_oscillator)
{
    check_orders(OSCILLATOR, _i, 6.0, orders[_i] > 4 ? 30 : 50, 2);
}
END_TEST

START_TEST(test_order_through_the_accumulation)
{
    check_orders(BALL, _i, 4.987, orders[_i] > 4 ? 30 : 60, 4);
}
END_TEST

/* Elastic bounces keep energy and phase. */
START_TEST(test_many_impacts)
{
    rig r;
    const double q0 = 1.0, F = -2.0;
    perp_scheme scheme = rig_scheme("event-capturing-rk", "tableau=rk4");
    int impacts = 0;
    rig_init(&r, 0.073);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, NULL, NULL, &F);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(1.0));
    rig_start(&r, &scheme);
    for (int k = 0; k < 10000; k++) {
        rig_step(&r);
        impacts += perp_sim_info(r.sim)->impacts;
    }
    double t = fmod(perp_sim_time(r.sim) + 1.0, 2.0) - 1.0, w = 0.073 * pow(0.073, 4);
    ck_assert_int_eq(impacts, 365);
    ck_assert_double_eq_tol(*rig_q(&r, ball), 1.0 - t * t, 365 * 4.0 * w);
    rig_free(&r);
}
END_TEST

/* A force that is a polynomial of time: z = {which entry, c0, c1}. */
static int rising(double *out, double t, const double *x, const double *v, const double *z,
                  void *user)
{
    (void)x;
    (void)v;
    (void)user;
    out[0] = z[0] + z[1] * t;
    out[1] = z[2];
    return 0;
}

static perp_system_id add_block(rig *r, const double *v0, const double z[3])
{
    static const double origin[2] = {0.0, 0.0};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = origin;
    def.v0 = v0;
    def.F_ext = rising;
    def.z = z;
    def.nz = 3;
    return rig_add_lagrangian(r, &def);
}

/* Rests until the force on it is positive at t = 1. */
START_TEST(test_lets_go)
{
    rig r;
    const double z[] = {-1.0, 1.0, 0.0}, C[] = {1.0, 0.0}, still[] = {0.0, 0.0};
    perp_scheme scheme = scheme_of("event-capturing-rk", tableaux[_i]);
    rig_init(&r, 0.11);
    perp_system_id block = add_block(&r, still, z);
    perp_interaction_id floor = rig_linear(&r, block, 1, C, NULL, perp_law_impact(0.3));
    rig_start(&r, &scheme);
    rig_step(&r);
    ck_assert_double_eq_tol(rig_lambda(&r, floor)[0], 0.89, 1e-12);
    int changes = 0;
    for (int k = 1; k < 20; k++) {
        rig_step(&r);
        changes += perp_sim_info(r.sim)->events;
        ck_assert_int_eq(perp_sim_info(r.sim)->impacts, 0);
    }
    ck_assert_int_le(changes, 3);
    ck_assert_int_ge(changes, 1);
    ck_assert_double_eq_tol(rig_q(&r, block)[0], 1.2 * 1.2 * 1.2 / 6.0,
                            orders[_i] > 2 ? 1e-11 : 3e-3);
    ck_assert_double_eq(rig_lambda(&r, floor)[0], 0.0);
    rig_free(&r);
}
END_TEST

static const double frame[] = {0.0, 1.0, 1.0, 0.0}; /* rows: normal, tangential */

/* Sticks until the force along the ground is mu N = 2 at t = 1, slides off; before that it slid
 * to a halt. */
START_TEST(test_sticks_and_slips)
{
    rig r;
    const double z[] = {0.0, 2.0, -10.0}, still[] = {0.0, 0.0};
    perp_scheme scheme = scheme_of("event-capturing-rk", tableaux[_i]);
    rig_init(&r, 0.11);
    r.options.solver = NULL;
    perp_system_id block = add_block(&r, still, z);
    perp_interaction_id ground =
        rig_linear(&r, block, 2, frame, NULL, perp_law_friction(2, 0.0, 0.2));
    rig_start(&r, &scheme);
    for (int k = 0; k < 5; k++)
        rig_step(&r);
    ck_assert_double_eq_tol(rig_q(&r, block)[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(rig_lambda(&r, ground)[0], 10.0, 1e-11);
    ck_assert_double_eq_tol(rig_lambda(&r, ground)[1], -1.1, 1e-11);
    for (int k = 5; k < 20; k++)
        rig_step(&r);
    ck_assert_double_eq_tol(rig_q(&r, block)[0], 1.2 * 1.2 * 1.2 / 3.0,
                            orders[_i] > 2 ? 1e-10 : 6e-3);
    ck_assert_double_eq_tol(rig_lambda(&r, ground)[1], -2.0, 1e-11);
    ck_assert_double_eq_tol(rig_q(&r, block)[1], 0.0, 1e-14);
    rig_free(&r);
}
END_TEST

START_TEST(test_slides_to_a_halt)
{
    rig r;
    const double z[] = {0.0, 0.0, -10.0}, moving[] = {3.0, 0.0};
    perp_scheme scheme = scheme_of("event-capturing-rk", tableaux[_i]);
    rig_init(&r, 0.11);
    r.options.solver = NULL;
    perp_system_id block = add_block(&r, moving, z);
    perp_interaction_id ground =
        rig_linear(&r, block, 2, frame, NULL, perp_law_friction(2, 0.5, 0.3));
    rig_start(&r, &scheme);
    rig_run(&r, 0.5);
    double t = perp_sim_time(r.sim);
    ck_assert_double_eq_tol(rig_q(&r, block)[0], 3.0 * t - 1.5 * t * t, 1e-12);
    ck_assert_double_eq_tol(rig_lambda(&r, ground)[1], -3.0, 1e-11);
    rig_run(&r, 2.0);
    ck_assert_double_eq_tol(rig_q(&r, block)[0], 1.5, 1e-9);
    ck_assert_double_eq_tol(rig_v(&r, block)[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(rig_lambda(&r, ground)[1], 0.0, 1e-10);
    rig_free(&r);
}
END_TEST

/* A block slides up a slope of 45 degrees, turns and slides down: friction changes its sign. */
START_TEST(test_turns)
{
    rig r;
    const double z[] = {-10.0, 0.0, -10.0}, moving[] = {2.6, 0.0};
    perp_scheme scheme = scheme_of("event-capturing-rk", "rk4");
    rig_init(&r, 0.11);
    r.options.solver = NULL;
    perp_system_id block = add_block(&r, moving, z);
    perp_interaction_id ground =
        rig_linear(&r, block, 2, frame, NULL, perp_law_friction(2, 0.5, 0.3));
    rig_start(&r, &scheme);
    rig_run(&r, 1.1);
    double t = perp_sim_time(r.sim) - 0.2;
    ck_assert_double_eq_tol(rig_q(&r, block)[0], 0.26 - 3.5 * t * t, 1e-11);
    ck_assert_double_eq_tol(rig_lambda(&r, ground)[1], 3.0, 1e-11);
    rig_free(&r);
}
END_TEST

/* A corner of a tumbling body above the ground. */
static int corner(perp_contact_point *point, double t, const double *q, const double *q_b,
                  const double *z, void *user)
{
    const double *p = q + 3, arm[3] = {z[0], z[1], z[2]};
    (void)t;
    (void)q_b;
    (void)user;
    double cross[3], twice[3];
    for (int i = 0; i < 3; i++)
        cross[i] = p[1 + (i + 1) % 3] * arm[(i + 2) % 3] - p[1 + (i + 2) % 3] * arm[(i + 1) % 3] +
                   p[0] * arm[i];
    for (int i = 0; i < 3; i++)
        twice[i] =
            p[1 + (i + 1) % 3] * cross[(i + 2) % 3] - p[1 + (i + 2) % 3] * cross[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {
        point->point_a[i] = point->point_b[i] = q[i] + arm[i] + 2.0 * twice[i];
        point->normal[i] = i == 2 ? 1.0 : 0.0;
    }
    point->gap = point->point_a[2];
    point->point_b[2] = 0.0;
    return 0;
}

static perp_system_id add_tumbling(rig *r)
{
    static const double arms[2][3] = {{0.3, -0.2, -0.4}, {-0.3, 0.2, -0.4}};
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.inertia[0] = 0.4;
    def.inertia[4] = 0.7;
    def.inertia[8] = 0.9;
    def.position[2] = 1.5;
    def.velocity[0] = 0.3;
    def.angular[0] = 1.1;
    def.angular[1] = -1.9;
    def.angular[2] = 0.6;
    def.force[2] = -5.0;
    perp_system_id body = rig_add_body(r, &def);
    for (int k = 0; k < 2; k++) {
        perp_relation relation = rig_relation(PERP_RELATION_CONTACT, 1);
        relation.contact = corner;
        relation.z = arms[k];
        relation.nz = 3;
        rig_interact(r, &body, 1, &relation, perp_law_impact(0.6));
    }
    return body;
}

static int tumble(double state[13], const perp_scheme *scheme, int steps)
{
    rig r;
    int impacts = 0;
    rig_init(&r, 1.25 / steps);
    perp_system_id body = add_tumbling(&r);
    rig_start(&r, scheme);
    for (int k = 0; k < steps; k++) {
        rig_step(&r);
        impacts += perp_sim_info(r.sim)->impacts;
        const double *q = rig_q(&r, body);
        double norm = q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6];
        ck_assert_double_eq_tol(norm, 1.0, 1e-14);
    }
    memcpy(state, rig_q(&r, body), sizeof(double) * 7);
    memcpy(state + 7, rig_v(&r, body), sizeof(double) * 6);
    rig_free(&r);
    return impacts;
}

/* Newton-Euler bodies against the event-driven scheme, which locates impacts to rounding. */
START_TEST(test_tumbling_body)
{
    double exact[13], state[13], error[3];
    perp_scheme sharp = rig_scheme("event-driven", "atol=1e-12 rtol=1e-12");
    perp_scheme scheme = scheme_of("event-capturing-rk", tableaux[_i]);
    int impacts = tumble(exact, &sharp, 50), first = orders[_i] > 4 ? 20 : 40;
    ck_assert_int_ge(impacts, 2);
    for (int level = 0; level < 3; level++) {
        ck_assert_int_eq(tumble(state, &scheme, first << level), impacts);
        error[level] = 0.0;
        for (int i = 0; i < 13; i++)
            error[level] = fmax(error[level], fabs(state[i] - exact[i]));
    }
    double order = 0.5 * log2(error[0] / error[2]);
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%s: body, order %.2f, last error %.1e\n", tableaux[_i], order, error[2]);
    ck_assert_msg(order > orders[_i] - 0.4, "%s: order %.2f, %g to %g", tableaux[_i], order,
                  error[0], error[2]);
}
END_TEST

/* A pendulum in Cartesian coordinates, its rod an equality, that hits a wall at its lowest point;
 * energy tells its speed: v^2 = 2 g l (1 - cos), times e^2 at each hit. */
START_TEST(test_pendulum)
{
    static const double anchor[3] = {0.0, 0.0, 0.0};
    rig r;
    perp_body_def def;
    perp_scheme scheme = scheme_of("event-capturing-rk", tableaux[_i]);
    rig_init(&r, 0.02);
    perp_body_def_init(&def, sizeof def);
    def.position[0] = 0.6;
    def.position[2] = -0.8;
    def.force[2] = -10.0;
    perp_system_id bob = rig_add_body(&r, &def);
    perp_relation rod = rig_relation(PERP_RELATION_JOINT, 1);
    rod.joint = PERP_JOINT_DISTANCE;
    memcpy(rod.anchor, def.position, sizeof rod.anchor);
    memcpy(rod.anchor_b, anchor, sizeof anchor);
    perp_interaction_id joint = rig_interact(&r, &bob, 1, &rod, perp_law_equality());
    perp_relation wall = rig_relation(PERP_RELATION_CONTACT, 1);
    wall.contact = corner;
    const double C[7] = {1.0};
    wall = rig_relation(PERP_RELATION_LINEAR, 1);
    wall.C = C;
    rig_interact(&r, &bob, 1, &wall, perp_law_impact(0.7));
    rig_start(&r, &scheme);
    double energy = 2.0;
    int impacts = 0;
    for (int k = 0; k < 150; k++) {
        rig_step(&r);
        for (int i = 0; i < perp_sim_info(r.sim)->impacts; i++, impacts++)
            energy *= 0.49;
        const double *q = rig_q(&r, bob), *v = rig_v(&r, bob);
        double found = 0.5 * (v[0] * v[0] + v[2] * v[2]) + 10.0 * (q[2] + 1.0);
        ck_assert_double_lt(fabs(rig_y(&r, joint)[0]), 1e-10);
        ck_assert_double_ge(q[0], -1e-5);
        ck_assert_msg(fabs(found - energy) < (orders[_i] > 4   ? 1e-6
                                              : orders[_i] > 2 ? 2e-4
                                                               : 1e-2),
                      "%s, step %d: energy %.12g, %.12g expected", tableaux[_i], k, found, energy);
    }
    ck_assert_int_ge(impacts, 2);
    rig_free(&r);
}
END_TEST

/* Two of three balls in a row meet both at once; the bound on pieces hands the step over. */
START_TEST(test_simultaneous_and_bound)
{
    rig r;
    const double q0[] = {1.0, 1.0}, F[] = {-2.0, -2.0}, C[] = {1.0, 0.0, 0.0, 1.0};
    for (int bound = 0; bound < 2; bound++) {
        perp_scheme scheme = rig_scheme("event-capturing-rk", bound ? "repetitions=2" : "");
        rig_init(&r, 0.3);
        perp_system_id balls = rig_lagrangian(&r, 2, q0, NULL, NULL, F);
        rig_linear(&r, balls, 2, C, NULL, perp_law_impact(0.5));
        rig_start(&r, &scheme);
        int impacts = 0;
        for (int k = 0; k < 20; k++) {
            rig_step(&r);
            impacts += perp_sim_info(r.sim)->impacts;
            if (!bound)
                ck_assert_double_eq(rig_q(&r, balls)[0], rig_q(&r, balls)[1]);
            if (k == 5)
                ck_assert_int_eq(impacts, 1);
        }
        ck_assert_double_eq_tol(rig_q(&r, balls)[0], 0.0, bound ? 0.3 : 1e-8);
        rig_free(&r);
    }
}
END_TEST

typedef struct refusal {
    long calls, refuse_at, nan_at;
} refusal;

static int pull(double *out, double t, const double *x, const double *v, const double *z,
                void *user)
{
    refusal *r = user;
    (void)t;
    (void)v;
    (void)z;
    r->calls++;
    out[0] = r->calls == r->nan_at ? NAN : x[0];
    return r->calls == r->refuse_at;
}

static perp_system_id add_refusing(rig *r, refusal *refuses)
{
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F_int = pull;
    def.differences = 1;
    def.user = refuses;
    perp_system_id mass = rig_add_lagrangian(r, &def);
    rig_linear(r, mass, 1, &one, NULL, perp_law_impact(0.8));
    return mass;
}

/* A callback that refuses, or gives no number once: the step made again goes as if it had not. */
START_TEST(test_refusals)
{
    static const char *const names[] = {"event-capturing-rk", "splitting"};
    static const char *const settings[] = {"tableau=dormand-prince", "tableau=radau3"};
    perp_scheme scheme = rig_scheme(names[_i / 2], settings[_i % 2]);
    double expected[2] = {0.0, 0.0};
    long total = 0;
    for (long at = 0; at <= total; at += 1 + total / 41) {
        for (int nan = 0; nan < (at > 0 ? 2 : 1); nan++) {
            rig r;
            refusal refuses = {0, nan ? 0 : at, nan ? at : 0};
            rig_init(&r, 0.11);
            perp_system_id mass = add_refusing(&r, &refuses);
            rig_start(&r, &scheme);
            int failures = 0;
            while (perp_sim_info(r.sim)->step < 30) {
                double q = *rig_q(&r, mass), v = *rig_v(&r, mass), t = perp_sim_time(r.sim);
                perp_status status = perp_sim_step(r.sim);
                if (status == PERP_SOLVED)
                    continue;
                failures++;
                ck_assert_msg(status == PERP_INTERRUPTED || (nan && (status == PERP_ERR_NUMERICAL ||
                                                                     status == PERP_ERR_SINGULAR)),
                              "%s: %s", perp_status_name(status), perp_sim_info(r.sim)->detail);
                ck_assert(q == *rig_q(&r, mass) && v == *rig_v(&r, mass) &&
                          t == perp_sim_time(r.sim));
            }
            if (at == 0) {
                expected[0] = *rig_q(&r, mass);
                expected[1] = *rig_v(&r, mass);
                total = refuses.calls;
            }
            ck_assert_int_le(failures, 1);
            if (!nan)
                ck_assert_int_eq(failures, at > 0);
            if (!nan || failures)
                ck_assert_msg(*rig_q(&r, mass) == expected[0] && *rig_v(&r, mass) == expected[1],
                              "call %ld of %ld, nan %d: q %g", at, total, nan,
                              *rig_q(&r, mass) - expected[0]);
            else
                ck_assert_double_eq_tol(*rig_q(&r, mass), expected[0], 1e-3);
            rig_free(&r);
        }
    }
}
END_TEST

/* A force without bound: the stages have no solution, however short the step. */
static int blowing(double *out, double t, const double *x, const double *v, const double *z,
                   void *user)
{
    (void)t;
    (void)x;
    (void)z;
    (void)user;
    out[0] = -1.0 - v[0] * v[0];
    return 0;
}

/* Rows of a hinge are sums that cancel: what rounding leaves of them is no corner of their rate,
 * and no reason to shorten steps. */
START_TEST(test_a_pendulum_cuts_no_step)
{
    mixture m;
    perp_scheme scheme = scheme_of("event-capturing-rk", "radau5");
    mixture_make(&m, WITH_ARM, &scheme, NULL);
    for (int k = 0; k < 1000; k++) {
        rig_step(&m.r);
        ck_assert_int_eq(perp_sim_info(m.r.sim)->rejected, 0);
    }
    mixture_free(&m);
}
END_TEST

START_TEST(test_no_solution)
{
    static const char *const names[] = {"event-capturing-rk", "splitting"};
    rig r;
    perp_lagrangian_def def;
    perp_scheme scheme = scheme_of(names[_i], "radau5");
    rig_init(&r, 0.2);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F_int = blowing;
    def.differences = 1;
    perp_system_id mass = rig_add_lagrangian(&r, &def);
    rig_start(&r, &scheme);
    perp_status status = PERP_SOLVED;
    double q = 0.0;
    for (int k = 0; k < 10 && status == PERP_SOLVED; k++) {
        q = *rig_q(&r, mass);
        status = perp_sim_step(r.sim);
    }
    ck_assert_msg(status == PERP_FLOW_FAILED || status == PERP_ERR_NUMERICAL, "%s",
                  perp_status_name(status));
    ck_assert_double_eq(*rig_q(&r, mass), q);
    ck_assert_double_le(perp_sim_time(r.sim), 1.61);
    /* Somebody takes the speed out, and the run goes on. */
    *rig_v(&r, mass) = 0.0;
    perp_model_changed(r.model);
    rig_step(&r);
    rig_free(&r);
}
END_TEST

START_TEST(test_refused_laws)
{
    static const char *const names[] = {"event-capturing-rk", "splitting", "splitting"};
    static const char *const settings[] = {"", "contact_forces=continuous", ""};
    rig r;
    perp_scheme scheme = rig_scheme(names[_i], settings[_i]);
    rig_init(&r, 0.1);
    const double q0[3] = {1.0, 0.0, 0.0}, C[9] = {1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0};
    perp_system_id point = rig_lagrangian(&r, 3, q0, NULL, NULL, NULL);
    rig_linear(&r, point, 3, C, NULL, perp_law_friction(3, 0.5, 0.3));
    rig_start(&r, &scheme);
    ck_assert_int_eq(perp_sim_step(r.sim), _i < 2 ? PERP_ERR_UNSUPPORTED : PERP_SOLVED);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("event_capturing");
    TCase *tcase = tcase_create("scheme");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_order_before_the_accumulation, 0, TABLEAUX);
    tcase_add_loop_test(tcase, test_order_of_the_oscillator, 0, TABLEAUX);
    tcase_add_loop_test(tcase, test_order_through_the_accumulation, 0, TABLEAUX);
    tcase_add_test(tcase, test_many_impacts);
    tcase_add_loop_test(tcase, test_lets_go, 0, TABLEAUX);
    tcase_add_loop_test(tcase, test_sticks_and_slips, 0, TABLEAUX);
    tcase_add_loop_test(tcase, test_slides_to_a_halt, 0, TABLEAUX);
    tcase_add_test(tcase, test_turns);
    tcase_add_loop_test(tcase, test_tumbling_body, 0, TABLEAUX);
    tcase_add_loop_test(tcase, test_pendulum, 0, TABLEAUX);
    tcase_add_test(tcase, test_a_pendulum_cuts_no_step);
    tcase_add_test(tcase, test_simultaneous_and_bound);
    tcase_add_loop_test(tcase, test_refusals, 0, 4);
    tcase_add_loop_test(tcase, test_no_solution, 0, 2);
    tcase_add_loop_test(tcase, test_refused_laws, 0, 3);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
