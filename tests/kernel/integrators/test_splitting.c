/* SPDX-License-Identifier: BSD-3-Clause */
/* splitting: first order on the two examples of [ACA10], without and with contact forces; the
 * smooth part to the order of its tableau; control of its error; failing memory, there and in
 * event-capturing-rk. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/exact_impacts.h"
#include "tests/fixtures/kernel_rig.h"

static const double one = 1.0;
static const char *const forces[] = {"none", "continuous"};

static perp_scheme scheme_of(const char *contact_forces, const char *more)
{
    char text[160];
    snprintf(text, sizeof text, "contact_forces=%s %s", contact_forces, more);
    return rig_scheme("splitting", text);
}

typedef enum example { BALL, OSCILLATOR } example;

static void add_errors(double error[2], example which, const perp_scheme *scheme, int steps)
{
    rig r;
    const double end = 5.0, weight = which == BALL ? -2.0 : 0.0, h = end / steps;
    rig_init(&r, h);
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F = &weight;
    if (which == OSCILLATOR)
        def.K = rig_dense(&one, 1, 1);
    perp_system_id mass = rig_add_lagrangian(&r, &def);
    rig_linear(&r, mass, 1, &one, NULL, perp_law_impact(which == BALL ? 0.5 : 0.8));
    rig_start(&r, scheme);
    for (int k = 1; k <= steps; k++) {
        double q, v;
        rig_step(&r);
        if (which == BALL)
            exact_ball(&q, &v, perp_sim_time(r.sim));
        else
            exact_oscillator(&q, &v, perp_sim_time(r.sim), 0.8);
        error[0] += h * fabs(*rig_q(&r, mass) - q);
        error[1] += h * fabs(*rig_v(&r, mass) - v);
    }
    rig_free(&r);
}

/* Order one in the L1 norm (48), as the mean over where in a step the impacts fall; velocities of
 * the ball, whose bounces are late by one step more each: h |log h|, a slope of 0.82 here. */
START_TEST(test_first_order)
{
    enum { LEVELS = 5, PHASES = 12 };
    static const char *const more[] = {"tableau=midpoint", "tableau=fehlberg",
                                       "tableau=fehlberg inner_steps=controlled"};
    perp_scheme scheme = scheme_of(forces[_i % 2], more[_i / 2]);
    for (example which = BALL; which <= OSCILLATOR; which++) {
        double error[LEVELS][2] = {{0.0}};
        for (int level = 0; level < LEVELS; level++) {
            int steps = 160 << level;
            for (int phase = 0; phase < PHASES; phase++)
                add_errors(error[level], which, &scheme, steps + phase * steps / 43);
        }
        for (int part = 0; part < 2; part++) {
            double order = log2(error[0][part] / error[LEVELS - 1][part]) / (LEVELS - 1);
            if (getenv("PERP_TEST_ALL"))
                fprintf(stderr, "%s %s, %s: order %.2f in %s\n", forces[_i % 2], more[_i / 2],
                        which == BALL ? "ball" : "oscillator", order, part ? "v" : "q");
            double least = which == BALL && part ? 0.75 : 0.85;
            ck_assert_msg(order > least && order < 1.3, "%s: order %.2f in %s", more[_i / 2], order,
                          part ? "v" : "q");
        }
    }
}
END_TEST

/* Between impacts it is the Runge-Kutta method alone. */
START_TEST(test_smooth_order)
{
    static const char *const tableaux[] = {"midpoint", "heun3",  "rk4",   "dormand-prince",
                                           "fehlberg", "radau3", "radau5"};
    static const int orders[] = {2, 3, 4, 5, 5, 3, 5};
    double error[3];
    char text[64];
    snprintf(text, sizeof text, "tableau=%s", tableaux[_i]);
    perp_scheme scheme = rig_scheme("splitting", text);
    for (int level = 0; level < 3; level++) {
        rig r;
        int steps = 10 << level;
        rig_init(&r, 1.0 / steps);
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = &one;
        def.K = rig_dense(&one, 1, 1);
        perp_system_id mass = rig_add_lagrangian(&r, &def);
        rig_linear(&r, mass, 1, &one, NULL, perp_law_impact(0.8));
        rig_start(&r, &scheme);
        for (int k = 0; k < steps; k++)
            rig_step(&r);
        error[level] = fabs(*rig_q(&r, mass) - cos(1.0)) + fabs(*rig_v(&r, mass) + sin(1.0));
        rig_free(&r);
    }
    double order = 0.5 * log2(error[0] / error[2]);
    ck_assert_msg(order > orders[_i] - 0.2, "%s: order %.2f", tableaux[_i], order);
}
END_TEST

/* At rest: without contact forces a contact sinks by h^2 g / 2 in each step, with them it does
 * not, and lambda is their force. */
START_TEST(test_rest)
{
    const double origin = 0.0, weight = -2.0;
    rig r;
    rig_init(&r, 0.01);
    perp_scheme scheme = scheme_of(forces[_i], "");
    perp_system_id mass = rig_lagrangian(&r, 1, &origin, NULL, NULL, &weight);
    perp_interaction_id floor = rig_linear(&r, mass, 1, &one, NULL, perp_law_impact(0.0));
    rig_start(&r, &scheme);
    for (int k = 0; k < 100; k++)
        rig_step(&r);
    ck_assert_double_eq_tol(*rig_q(&r, mass), _i ? 0.0 : -0.01, 1e-12);
    ck_assert_double_eq_tol(*rig_v(&r, mass), 0.0, 1e-12);
    ck_assert_double_eq_tol(rig_lambda(&r, floor)[0], _i ? 2.0 : 0.02, 1e-12);
    rig_free(&r);
}
END_TEST

/* A block slides to a halt and stays; the law of friction in 2D on forces. */
START_TEST(test_slides_to_a_halt)
{
    const double q0[] = {0.0, 0.0}, v0[] = {3.0, 0.0}, F[] = {0.0, -10.0};
    const double frame[] = {0.0, 1.0, 1.0, 0.0};
    rig r;
    rig_init(&r, 0.11);
    r.options.solver = NULL;
    perp_scheme scheme = scheme_of("continuous", "tableau=rk4");
    perp_system_id block = rig_lagrangian(&r, 2, q0, v0, NULL, F);
    perp_interaction_id ground =
        rig_linear(&r, block, 2, frame, NULL, perp_law_friction(2, 0.5, 0.3));
    rig_start(&r, &scheme);
    rig_run(&r, 0.5);
    double t = perp_sim_time(r.sim);
    ck_assert_double_eq_tol(rig_q(&r, block)[0], 3.0 * t - 1.5 * t * t, 1e-12);
    ck_assert_double_eq_tol(rig_lambda(&r, ground)[1], -3.0, 1e-11);
    rig_run(&r, 2.0);
    ck_assert_double_eq_tol(rig_q(&r, block)[0], 1.5, 1e-10);
    ck_assert_double_eq_tol(rig_v(&r, block)[0], 0.0, 1e-12);
    rig_free(&r);
}
END_TEST

/* Error control takes many steps where it has to, meets its tolerance, and says so when not. */
START_TEST(test_control)
{
    static const char *const tableaux[] = {"fehlberg", "dormand-prince", "rk4", "radau5"};
    const double K = 400.0;
    char text[160];
    double least = 0.0;
    for (int sharp = 0; sharp < 3; sharp++) {
        rig r;
        rig_init(&r, 1.0);
        snprintf(text, sizeof text, "tableau=%s inner_steps=controlled atol=%s rtol=0 %s",
                 tableaux[_i],
                 sharp == 2 ? "1e-15"
                 : sharp    ? "1e-9"
                            : "1e-4",
                 sharp == 2 ? "h_min=1e-2" : "");
        perp_scheme scheme = rig_scheme("splitting", text);
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = &one;
        def.K = rig_dense(&K, 1, 1);
        perp_system_id mass = rig_add_lagrangian(&r, &def);
        rig_start(&r, &scheme);
        if (sharp == 2) {
            ck_assert_int_eq(perp_sim_step(r.sim), PERP_STEP_LIMIT);
            ck_assert_str_eq(perp_sim_info(r.sim)->where.what, "atol");
            ck_assert_double_eq(*rig_q(&r, mass), 1.0);
            ck_assert_double_eq(perp_sim_time(r.sim), 0.0);
        } else {
            rig_step(&r);
            double error = fabs(*rig_q(&r, mass) - cos(20.0));
            const perp_step_info *info = perp_sim_info(r.sim);
            ck_assert_int_ge(info->inner, 10);
            ck_assert_int_ge(info->rejected, 1);
            ck_assert_msg(error < (sharp ? 3e-7 : 2e-2), "%s: %g", text, error);
            if (sharp)
                ck_assert_double_gt(info->inner, least);
            least = info->inner;
        }
        rig_free(&r);
    }
}
END_TEST

/* A joint: the point of a body stays where it is held. */
START_TEST(test_joint)
{
    rig r;
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.position[0] = 0.5;
    def.force[2] = -9.81;
    perp_scheme scheme = scheme_of(forces[_i], "tableau=rk4");
    rig_init(&r, 0.01);
    perp_system_id body = rig_add_body(&r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_JOINT, 3);
    relation.joint = PERP_JOINT_POINT;
    perp_interaction_id joint = rig_interact(&r, &body, 1, &relation, perp_law_equality());
    rig_start(&r, &scheme);
    double energy, kinetic;
    for (int k = 0; k < 200; k++) {
        rig_step(&r);
        for (int i = 0; i < 3; i++)
            ck_assert_double_lt(fabs(rig_y(&r, joint)[i]), 1e-9);
        perp_model_kinetic_energy(r.model, body, 0.0, &kinetic);
        energy = kinetic + 9.81 * rig_q(&r, body)[2];
        ck_assert_double_lt(fabs(energy), 1e-6);
    }
    rig_free(&r);
}
END_TEST

static const struct {
    const char *scheme, *parameters;
} kinds[] = {{"event-capturing-rk", "tableau=dormand-prince"},
             {"event-capturing-rk", "tableau=radau5"},
             {"splitting", ""},
             {"splitting", "contact_forces=continuous inner_steps=controlled tableau=radau3"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Memory that fails in the first step, or in a later one, leaves the state of its start, and the
 * run can go on. */
START_TEST(test_step_without_memory)
{
    perp_scheme scheme = rig_scheme(kinds[_i].scheme, kinds[_i].parameters);
    perp_status status = PERP_ERR_MEMORY;
    for (long k = 1; status != PERP_SOLVED; k++) {
        rig r;
        counter c = {0, 0, 0, 1};
        perp_allocator allocator = counter_allocator(&c);
        const double F[] = {-2.0, 0.0}, q0[] = {0.001, 0.0}, v0[] = {-1.0, 1.0};
        const double C[] = {1.0, 0.0, 0.0, 1.0};
        rig_init_with(&r, 0.01, &allocator);
        r.options.solver = NULL;
        perp_system_id mass = rig_lagrangian(&r, 2, q0, v0, NULL, F);
        rig_linear(&r, mass, 2, C, NULL, perp_law_friction(2, 0.5, 0.3));
        rig_start(&r, &scheme);
        c.fail_at = c.allocations + k;
        status = perp_sim_step(r.sim);
        c.fail_at = 0;
        ck_assert_msg(status == PERP_SOLVED || status == PERP_ERR_MEMORY, "allocation %ld: %s", k,
                      perp_status_name(status));
        if (status != PERP_SOLVED) {
            ck_assert_double_eq(rig_q(&r, mass)[0], 0.001);
            ck_assert_double_eq(rig_v(&r, mass)[0], -1.0);
        }
        for (int i = 0; i < 5; i++)
            rig_step(&r);
        rig_free(&r);
        ck_assert_int_eq((int)c.live, 0);
        ck_assert_int_lt(k, 1000);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("splitting_scheme");
    TCase *tcase = tcase_create("scheme");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_first_order, 0, 6);
    tcase_add_loop_test(tcase, test_smooth_order, 0, 7);
    tcase_add_loop_test(tcase, test_rest, 0, 2);
    tcase_add_test(tcase, test_slides_to_a_halt);
    tcase_add_loop_test(tcase, test_control, 0, 4);
    tcase_add_loop_test(tcase, test_joint, 0, 2);
    tcase_add_loop_test(tcase, test_step_without_memory, 0, KINDS);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
