/* SPDX-License-Identifier: BSD-3-Clause */
/* moreau-jean-adaptive: closed forms within the tolerance, the error against the tolerance, the
 * controller's bounds. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/adaptive_example.h"
#include "tests/fixtures/kernel_rig.h"
#include "tests/fixtures/mixture.h"

static const double one = 1.0, pi = 3.14159265358979323846;

/* Through the accumulation at t = 3 with the parameters that it has by default. */
START_TEST(ball_comes_to_rest)
{
    example x;
    example_make(&x, exact_ball, 0.37, "");
    example_run(&x, 5.0);
    ck_assert_double_lt(x.s.worst, 1e-3);
    ck_assert_double_gt(x.s.lowest, -1e-3);
    ck_assert_double_lt(fabs(*rig_v(&x.r, x.mass)), 1e-6);
    ck_assert_int_lt((int)x.evaluations, 4000);
    /* Impulses of all steps: momentum, and weight by time. */
    ck_assert_double_eq_tol(x.s.impulse, *rig_v(&x.r, x.mass) + 2.0 * perp_sim_time(x.r.sim), 1e-9);
    rig_free(&x.r);
}
END_TEST

enum { LEVELS = 5, PHASES = 6 };

/* Slope of log error over log tolerance, means over some h. */
static double slope(exact_fn exact, const char *more, double first)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, atol = first;
    for (int k = 0; k < LEVELS; k++, atol *= 0.1) {
        double error = 0.0;
        for (int phase = 0; phase < PHASES; phase++) {
            char text[128];
            snprintf(text, sizeof text, "rtol=0 atol=%.17g %s", atol, more);
            error += run(exact, 0.37 + 0.013 * phase, 5.0, text).s.worst / PHASES;
        }
        if (getenv("PERP_TEST_ALL"))
            fprintf(stderr, "atol %g: %g\n", atol, error);
        x += log(atol) / LEVELS;
        y += log(error) / LEVELS;
        xx += log(atol) * log(atol);
        xy += log(atol) * log(error);
    }
    return (xy - LEVELS * x * y) / (xx - LEVELS * x * x);
}

/* In free fall the base scheme is exact, and what is left is made at impacts: one error of the
 * size of the tolerance at each. */
START_TEST(error_in_proportion)
{
    double s = slope(exact_ball, "", 1e-3);
    ck_assert_msg(s > 0.9 && s < 1.1, "%g", s);
}
END_TEST

/* With errors of order h^3 in steps of h ~ tol^(1/3), there are tol^(-1/3) of them. */
START_TEST(error_of_smooth_motion)
{
    double s = slope(oscillator, "", 1e-4);
    ck_assert_msg(s > 0.6 && s < 0.75, "%g", s);
}
END_TEST

START_TEST(each_order_and_control)
{
    static const char *const orders[] = {"variable", "0", "1", "2"};
    static const char *const parts[] = {"smooth", "q", "both", "v"};
    for (int k = 0; k < 4; k++)
        for (int part = 0; part < 4; part++) {
            char text[128];
            snprintf(text, sizeof text, "rtol=0 atol=1e-5 error_order=%s error_in=%s", orders[k],
                     parts[part]);
            example ball = run(exact_ball, 0.37, 5.0, text);
            example mass = run(oscillator, 0.37, 5.0, text);
            ck_assert_msg(ball.s.worst < 2e-4, "%s: %g", text, ball.s.worst);
            /* v alone does not tell where a jump is that both walks feel too early. */
            ck_assert_msg(mass.s.worst < (part == 3 ? 1e-2 : 2e-3), "%s: %g", text, mass.s.worst);
            ck_assert_msg(ball.s.in_v < 2e-3, "%s: %g in v", text, ball.s.in_v);
        }
}
END_TEST

/* One trial over an impact at sigma h: the error that the refusal reports, and the state that it
 * would have left (docs/theory.md). */
static double reported(double sigma, double e, const char *parameters, double *q)
{
    rig r;
    char text[128];
    const double q0 = sigma, v0 = -1.0;
    double error = 0.0;
    rig_init(&r, 1.0);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, &v0, NULL, NULL);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(e));
    snprintf(text, sizeof text, "rtol=0 h_min=1 atol=1e-9 error_order=0 %s", parameters);
    perp_scheme scheme = rig_scheme("moreau-jean-adaptive", text);
    rig_start(&r, &scheme);
    perp_status status = perp_sim_step(r.sim);
    if (status == PERP_STEP_LIMIT) {
        const char *at = strchr(perp_sim_info(r.sim)->detail, ':');
        ck_assert_ptr_nonnull(at);
        error = 1e-9 * strtod(at + 1, NULL);
        snprintf(text, sizeof text, "rtol=0 h_min=1 atol=1e-9 error_order=0 at_h_min=accept %s",
                 parameters);
        scheme = rig_scheme("moreau-jean-adaptive", text);
        ck_assert_int_eq(perp_sim_set_scheme(r.sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
        status = perp_sim_step(r.sim);
    }
    ck_assert_int_eq(status, PERP_SOLVED);
    ck_assert_int_eq(perp_sim_info(r.sim)->inner, 2);
    *q = *rig_q(&r, ball);
    rig_free(&r);
    return error;
}

START_TEST(error_over_an_impact)
{
    for (int k = 1; k < 40; k++) {
        double sigma = k / 40.0 + 0.003, e = 0.6, q;
        double error = reported(sigma, e, "step_control=error", &q);
        double wrong = fabs(e * (1.0 - sigma) - q);
        ck_assert_double_eq_tol(error, sigma < 0.75 ? 0.5 * (1.0 + e) : 0.0, 1e-2);
        ck_assert_double_eq_tol(wrong,
                                fabs((sigma < 0.25   ? 0.25
                                      : sigma < 0.75 ? 0.75
                                                     : 1.0) -
                                     sigma) *
                                    (1.0 + e),
                                1e-12);
        ck_assert(sigma > 0.75 || wrong <= error + 1e-2);
        error = reported(sigma, e, "step_control=violation", &q);
        double a = 0.25 * (1.0 - e), late = sigma > 0.5 ? sigma - 0.5 : sigma;
        double depth = sigma > 0.75                  ? 1.0 - sigma
                       : sigma > 0.25 && sigma < 0.5 ? fmax(0.5 - sigma, a)
                                                     : fmax(0.0, a - late);
        ck_assert_double_eq_tol(error, depth, 1e-2);
    }
}
END_TEST

/* An impact that both walks miss is seen in the penetration alone (75); by itself that sees
 * neither an impact felt too early nor the error of the motion. */
START_TEST(violation)
{
    example both = run(exact_ball, 0.37, 5.0, "rtol=0 atol=1e-4");
    example error = run(exact_ball, 0.37, 5.0, "rtol=0 atol=1e-4 step_control=error");
    example depth = run(exact_ball, 0.37, 5.0, "rtol=0 atol=1e-4 step_control=violation");
    ck_assert_double_lt(both.s.worst, 5e-4);
    ck_assert_double_gt(error.s.worst, 20.0 * both.s.worst);
    ck_assert_double_gt(depth.s.worst, 20.0 * both.s.worst);
    ck_assert_double_lt(error.s.lowest, -1e-3);
    ck_assert_double_gt(depth.s.lowest, -1e-3);
    ck_assert_int_lt((int)depth.evaluations, (int)both.evaluations);
}
END_TEST

/* Against the same number of steps of one length. */
START_TEST(fewer_evaluations)
{
    example adaptive = run(exact_ball, 0.37, 5.0, "rtol=0 atol=1e-6");
    rig r;
    const double h = 1e-3, weight = -2.0;
    double worst = 0.0;
    rig_init(&r, h);
    perp_system_id ball = rig_lagrangian(&r, 1, &one, NULL, NULL, &weight);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start_moreau_jean(&r);
    while (perp_sim_time(r.sim) < 5.0) {
        double q, v;
        rig_step(&r);
        exact_ball(&q, &v, perp_sim_time(r.sim));
        worst = fmax(worst, fabs(*rig_q(&r, ball) - q));
    }
    rig_free(&r);
    ck_assert_int_lt((int)adaptive.evaluations, 4000); /* 10000 there */
    ck_assert_double_lt(100.0 * adaptive.s.worst, worst);
}
END_TEST

/* The order guessed: that of the base scheme where nothing touches, and the same bits. */
static void assert_guess(double theta, const char *order, int touching)
{
    double q[2];
    for (int k = 0; k < 2; k++) {
        rig r;
        char text[128];
        const double K[] = {4.0, 0.0, 0.0, 1.0}, q0[] = {1.0, 0.0}, C[] = {0.0, 1.0},
                     F[] = {0.0, -1.0};
        rig_init(&r, 0.5);
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 2;
        def.q0 = q0;
        def.K = rig_dense(K, 2, 2);
        def.F = touching ? F : NULL;
        perp_system_id system = rig_add_lagrangian(&r, &def);
        if (touching)
            rig_linear(&r, system, 1, C, NULL, perp_law_impact(0.0));
        snprintf(text, sizeof text, "theta=%g error_order=%s", theta, k ? order : "variable");
        perp_scheme scheme = rig_scheme("moreau-jean-adaptive", text);
        rig_start(&r, &scheme);
        /* The first step closes the contact: an event. */
        rig_step(&r);
        if (touching) {
            const double *state = rig_q(&r, system);
            ck_assert_double_eq_tol(state[1], 0.0, 1e-14);
            memcpy(rig_q(&r, system), q0, sizeof q0);
            memcpy(rig_v(&r, system), (double[]){0.0, 0.0}, sizeof q0);
            perp_model_changed(r.model);
            perp_sim_set_h(r.sim, 1e-3);
            rig_step(&r);
            perp_sim_set_h(r.sim, 0.5);
        }
        for (int i = 0; i < 6; i++)
            rig_step(&r);
        q[k] = *rig_q(&r, system);
        rig_free(&r);
    }
    if (touching)
        ck_assert_double_eq_tol(q[0], q[1], 1e-3);
    else
        ck_assert_double_eq(q[0], q[1]);
}

START_TEST(guessed_order)
{
    assert_guess(0.5, "2", 0);
    assert_guess(0.7, "1", 0);
    assert_guess(0.5, "1", 1);
}
END_TEST

static void sliding(double *q, double *v, double t)
{
    const double v0 = 3.0, a = 0.3 * 9.81;
    t = fmin(t, v0 / a);
    *q = v0 * t - 0.5 * a * t * t;
    *v = v0 - a * t;
}

/* Friction in the plane, to the stop and beyond. */
START_TEST(block_in_the_plane)
{
    for (int k = 0; k < 3; k++) {
        rig r;
        char text[64];
        double atol = pow(10.0, -3.0 - 2.0 * k);
        const double q0[] = {0.0, 0.0}, v0[] = {3.0, 0.0}, F[] = {0.0, -9.81};
        const double C[] = {0.0, 1.0, 1.0, 0.0};
        rig_init(&r, 0.3);
        r.options.solver = "gs";
        perp_system_id block = rig_lagrangian(&r, 2, q0, v0, NULL, F);
        rig_linear(&r, block, 2, C, NULL, perp_law_friction(2, 0.0, 0.3));
        snprintf(text, sizeof text, "rtol=0 atol=%g", atol);
        perp_scheme scheme = rig_scheme("moreau-jean-adaptive", text);
        rig_start(&r, &scheme);
        seen s = watch(&r, block, sliding);
        perp_sim_set_at_instants(r.sim, look, &s);
        rig_run(&r, 2.1);
        ck_assert_double_lt(s.worst, 5.0 * atol);
        ck_assert_double_lt(s.in_v, 10.0 * atol);
        ck_assert_double_eq_tol(rig_v(&r, block)[0], 0.0, 1e-12);
        ck_assert_int_lt((int)s.count, 200);
        rig_free(&r);
    }
}
END_TEST

/* The floor under a sphere of radius 0.1. */
static int below(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                 const double *z, void *user)
{
    (void)t, (void)q_b, (void)z, (void)user;
    point->gap = q_a[2] - 0.1;
    for (int i = 0; i < 3; i++) {
        point->normal[i] = i == 2;
        point->point_a[i] = point->point_b[i] = q_a[i] - (i == 2 ? 0.1 : 0.0);
    }
    return 0;
}

static const double drop = 0.6, spin = 60.0, mu = 0.2, g = 9.81;

/* A spinning sphere falls without bouncing, slides, then rolls: its way along x. */
static void thrown_sphere(double *x, double *v, double t)
{
    const double R = 0.1, k = 2.5;
    double fall = sqrt(2.0 * (drop - R) / g), blow = mu * g * fall,
           slip = R * spin - (1.0 + k) * blow;
    *x = *v = 0.0;
    if (t < fall)
        return;
    double a = mu * g, rolls = slip / ((1.0 + k) * a), u = t - fall, end = fmin(u, rolls);
    *v = blow + a * end;
    *x = blow * end + 0.5 * a * end * end + (u > rolls ? *v * (u - rolls) : 0.0);
}

/* A body with friction in space. */
START_TEST(sphere_on_a_floor)
{
    rig r;
    rig_init(&r, 0.2);
    r.options.solver = "nsn";
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.position[2] = drop;
    def.angular[1] = spin;
    def.force[2] = -g;
    for (int i = 0; i < 3; i++)
        def.inertia[4 * i] = 0.4 * 0.1 * 0.1;
    perp_system_id body = rig_add_body(&r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_CONTACT, 3);
    relation.contact = below;
    rig_interact(&r, &body, 1, &relation, perp_law_friction(3, 0.0, mu));
    perp_scheme scheme = rig_scheme("moreau-jean-adaptive", "atol=1e-5 rtol=0");
    rig_start(&r, &scheme);
    seen s = watch(&r, body, thrown_sphere);
    perp_sim_set_at_instants(r.sim, look, &s);
    rig_run(&r, 1.6);
    ck_assert_double_lt(s.worst, 3e-4);
    ck_assert_double_lt(s.in_v, 1e-3);
    ck_assert_double_eq_tol(rig_q(&r, body)[2], 0.1, 1e-4);
    ck_assert_double_eq_tol(rig_v(&r, body)[0], 0.1 * rig_v(&r, body)[4], 1e-6);
    rig_free(&r);
}
END_TEST

/* Systems of all kinds and laws in one model: the error goes down with the tolerance, as
 * tol^(1/2) since a pivot makes the base scheme one of order 1. */
static void mixed_states(double *out, const char *atol, int *count)
{
    mixture m;
    char text[64];
    snprintf(text, sizeof text, "rtol=0 atol=%s", atol);
    perp_scheme scheme = rig_scheme("moreau-jean-adaptive", text);
    mixture_define(&m, WITH_ALL, NULL);
    m.r.options.h = 0.05;
    rig_start(&m.r, &scheme);
    rig_run(&m.r, 0.8);
    *count = mixture_states(out, &m);
    mixture_free(&m);
}

START_TEST(all_kinds)
{
    double exact[64], coarse[64], fine[64], far = 0.0, near = 0.0;
    int count;
    mixed_states(exact, "1e-7", &count);
    mixed_states(coarse, "1e-3", &count);
    mixed_states(fine, "1e-5", &count);
    for (int i = 0; i < count; i++) {
        far = fmax(far, fabs(coarse[i] - exact[i]));
        near = fmax(near, fabs(fine[i] - exact[i]));
    }
    ck_assert_double_lt(far, 5e-2);
    ck_assert_double_lt(5.0 * near, far);
}
END_TEST

static void charge(double *q, double *v, double t)
{
    *q = t < pi ? 10.0 * cos(t) : -10.0;
    *v = 0.0;
}

static void relay(double *q, double *v, double t)
{
    *q = fmax(0.0, 1.0 - t);
    *v = 0.0;
}

/* First-order systems: a diode that holds a charge, and a relay that ends sliding. */
START_TEST(first_order)
{
    for (int k = 0; k < 2; k++) {
        rig r;
        const double x0[] = {10.0, 0.0}, A[] = {0.0, 0.5, -2.0, 0.0}, zero = 0.0;
        const double B[] = {0.0, 0.5}, C[] = {0.0, 1.0};
        rig_init(&r, 0.4);
        perp_system_id system =
            k == 0 ? rig_first_order(&r, 2, x0, A) : rig_first_order(&r, 1, &one, &zero);
        perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
        relation.C = k == 0 ? C : &one;
        relation.B = k == 0 ? B : &one;
        rig_interact(&r, &system, 1, &relation,
                     k == 0 ? perp_law_complementarity() : perp_law_relay(-1.0, 1.0));
        perp_scheme scheme = rig_scheme("moreau-jean-adaptive", "atol=1e-6 rtol=0");
        rig_start(&r, &scheme);
        seen s = watch(&r, system, k == 0 ? charge : relay);
        perp_sim_set_at_instants(r.sim, look, &s);
        rig_run(&r, 6.0);
        ck_assert_double_lt(s.worst, k == 0 ? 1e-3 : 1e-5);
        /* Nothing happens any more: the whole step at once, in two halves. */
        ck_assert_int_eq(perp_sim_info(r.sim)->inner, 2);
        rig_free(&r);
    }
}
END_TEST

/* Factors between neighbours, the first step and the smallest one. */
START_TEST(bounds_of_the_controller)
{
    example x = run(oscillator, 5.0, 5.0, "alpha_max=1.5 h_first=0.001 atol=1e-5 rtol=0");
    ck_assert_double_le(x.s.growth, 1.5 + 1e-12);
    ck_assert_double_ge(x.s.growth, 1.4);
    x = run(oscillator, 0.37, 0.3, "h_first=1e-3 atol=1e-3 rtol=0");
    ck_assert_double_eq_tol(x.s.shortest, 0.5 * 0.37e-3, 1e-15);
    x = run(exact_ball, 0.37, 5.0, "atol=1e-3 rtol=0 h_min=0.1 at_h_min=accept");
    ck_assert_double_ge(x.s.shortest, 0.25 * 0.037 * (1.0 - 1e-12));
    ck_assert_double_gt(x.s.lowest, -0.1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("adaptive");
    TCase *tcase = tcase_create("adaptive");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, ball_comes_to_rest);
    tcase_add_test(tcase, error_in_proportion);
    tcase_add_test(tcase, error_of_smooth_motion);
    tcase_add_test(tcase, each_order_and_control);
    tcase_add_test(tcase, error_over_an_impact);
    tcase_add_test(tcase, violation);
    tcase_add_test(tcase, fewer_evaluations);
    tcase_add_test(tcase, guessed_order);
    tcase_add_test(tcase, block_in_the_plane);
    tcase_add_test(tcase, sphere_on_a_floor);
    tcase_add_test(tcase, all_kinds);
    tcase_add_test(tcase, first_order);
    tcase_add_test(tcase, bounds_of_the_controller);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
