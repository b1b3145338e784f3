/* SPDX-License-Identifier: BSD-3-Clause */
/* What each scheme tells of itself, and what it says that it does not tell. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/kernel_rig.h"
#include "tests/fixtures/mechanism.h"
#include "tests/fixtures/model_zoo.h"
#include "tests/fixtures/verdict.h"

static void is_known(const perp_sim *sim, const char *name, double largest)
{
    perp_figure figure = figure_of(sim, name);
    ck_assert_msg(figure.known, "%s: %s", name, figure.why);
    ck_assert_ptr_null(figure.why);
    ck_assert_msg(figure.value <= largest, "%s: %g in step %ld", name, figure.value, figure.step);
}

static void is_not(const perp_sim *sim, const char *name, const char *why)
{
    perp_figure figure = figure_of(sim, name);
    ck_assert_int_eq(figure.known, 0);
    ck_assert_ptr_nonnull(figure.why);
    ck_assert_msg(strncmp(figure.why, why, strlen(why)) == 0, "%s: %s", name, figure.why);
}

static const char *const energies[] = {"energy", "rises", "contact_work", "joint_work"};
static const char *const equations[] = {"dynamics", "law", "momentum"};

static void energies_are_not(const perp_sim *sim, const char *why)
{
    for (int k = 0; k < 4; k++)
        is_not(sim, energies[k], why);
}

/* Bodies with joints that fall on the ground with friction and restitution. */
START_TEST(generalized_alpha_on_bodies)
{
    static const mechanism_sphere ball = {0.05, 0.0, -0.5, {0.1, 0.0, 0.0}};
    mechanism m;
    mechanism_open_as(&m, "generalized-alpha");
    mechanism_chain(&m, 4, PERP_JOINT_PIVOT, 5.0);
    for (int k = 0; k <= 4; k++)
        mechanism_sphere_on_plane(&m, k, &ball, perp_law_friction(3, _i ? 0.4 : 0.0, 0.5));
    mechanism_start(&m, 1e-3);
    for (int k = 0; k < 700; k++)
        mechanism_step(&m);
    ck_assert_double_le(mechanism_x(&m, 4)[2], -0.3);
    is_known(m.run.sim, "dynamics", 1e-6);
    is_known(m.run.sim, "law", 1e-5);
    is_known(m.run.sim, "momentum", 1e-8);
    energies_are_not(m.run.sim, "no statement by generalized-alpha: ");
    perp_verdict verdict = verdict_of(m.run.sim);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_REMARKS);
    ck_assert_int_eq(verdict.unknown, 4);
    mechanism_close(&m);
}
END_TEST

/* A mass that depends on q, forces by callbacks; a relay and an impact. */
START_TEST(generalized_alpha_on_lagrangian_systems)
{
    static const double F[] = {0.3, -9.81}, p0[] = {0.0, 0.2}, w0[] = {1.0, 0.0};
    static const double C[] = {0.0, 1.0}, R[] = {1.0, 0.0};
    rig r;
    perp_lagrangian_def def;
    perp_scheme scheme = rig_scheme("generalized-alpha", _i ? "rho_infinity=0.5" : "");
    rig_init(&r, 1e-3);
    verdict_zoo_def(&def);
    rig_add_lagrangian(&r, &def);
    perp_system_id box = rig_lagrangian(&r, 2, p0, w0, NULL, F);
    rig_linear(&r, box, 1, C, NULL, perp_law_impact(0.5));
    rig_linear(&r, box, 1, R, NULL, perp_law_relay(-0.7, 0.7));
    rig_start(&r, &scheme);
    rig_run(&r, 0.8);
    is_known(r.sim, "dynamics", 1e-6);
    is_known(r.sim, "law", 1e-5);
    energies_are_not(r.sim, "no statement by generalized-alpha: ");
    rig_free(&r);
}
END_TEST

static const struct {
    const char *name, *parameters;
} others[] = {{"event-driven", ""},
              {"event-capturing-rk", ""},
              {"splitting", ""},
              {"moreau-jean-extrapolated", ""}};

/* A ball that bounces: no statement is none, and not verified by omission. */
START_TEST(schemes_that_cannot_tell)
{
    double q0 = 1.0, M = 1.0, F = -10.0, one = 1.0;
    char why[64];
    rig r;
    perp_scheme scheme = rig_scheme(others[_i].name, others[_i].parameters);
    snprintf(why, sizeof why, "no statement by %s: ", others[_i].name);
    rig_init(&r, 5e-3);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, NULL, &M, &F);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start(&r, &scheme);
    rig_run(&r, 0.6);
    energies_are_not(r.sim, why);
    for (int k = 0; k < 3; k++)
        is_not(r.sim, equations[k], why);
    perp_verdict verdict = verdict_of(r.sim);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_REMARKS);
    ck_assert_int_eq(verdict.unknown, 8);
    rig_free(&r);
}
END_TEST

/* The mass that an impact is certified with, while it lasts, is not that of its problem. */
typedef struct fickle {
    double factor;
    int armed, calls;
} fickle;

static int fickle_mass(double *out, double t, const double *x, const double *v, const double *z,
                       void *user)
{
    fickle *f = user;
    (void)t, (void)x, (void)v, (void)z;
    out[0] = f->armed && f->calls++ > 0 ? f->factor : 1.0;
    return 0;
}

static int arm(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *instant)
{
    fickle *f = ctx;
    (void)sim, (void)model;
    f->armed = instant->kind == PERP_INSTANT_BEFORE;
    f->calls = 0;
    return 0;
}

/* Impacts of event-driven and splitting are computed again: an error in one is found, though the
 * verdict has no statement about the motion between them. */
START_TEST(impacts_are_certified)
{
    double q0 = 1.0, F = -10.0, one = 1.0;
    fickle f = {_i % 2 ? 1.01 : 1.0, 0, 0};
    rig r;
    perp_lagrangian_def def;
    perp_scheme scheme = rig_scheme(_i < 2 ? "event-driven" : "splitting", "");
    rig_init(&r, 5e-3);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.F = &F;
    def.mass = fickle_mass;
    def.user = &f;
    perp_system_id ball = rig_add_lagrangian(&r, &def);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start(&r, &scheme);
    perp_sim_set_at_instants(r.sim, arm, &f);
    rig_run(&r, 0.6);
    perp_figure dynamics = figure_of(r.sim, "dynamics"), law = figure_of(r.sim, "law");
    ck_assert_int_eq(dynamics.known || law.known, 0);
    ck_assert_double_le(law.value, 1e-10);
    ck_assert_int_eq(verdict_of(r.sim).kind,
                     _i % 2 ? PERP_VERDICT_NOT_VERIFIED : PERP_VERDICT_REMARKS);
    if (_i % 2) {
        ck_assert_double_eq_tol(dynamics.value, 0.015, 0.01); /* 1 % of 3/2 of the momentum */
        ck_assert_int_le(labs(dynamics.step - 90), 1);        /* t = 0.447 */
        ck_assert_str_eq(verdict_of(r.sim).first, "dynamics");
    } else {
        ck_assert_double_le(dynamics.value, 1e-10);
    }
    rig_free(&r);
}
END_TEST

/* An impact in every step of event-capturing-rk, made by a Moreau-Jean step that states all: the
 * rest of the step has no statement all the same. */
START_TEST(a_part_that_is_stated_is_not_all)
{
    double q0 = 1.0, M = 1.0, F = -10.0, one = 1.0;
    rig r;
    perp_scheme scheme = rig_scheme("event-capturing-rk", "");
    rig_init(&r, 0.5);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, NULL, &M, &F);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.9));
    rig_start(&r, &scheme);
    rig_step(&r);
    ck_assert_int_gt(perp_sim_info(r.sim)->impacts + perp_sim_info(r.sim)->events, 0);
    is_not(r.sim, "dynamics", "no statement by event-capturing-rk: ");
    energies_are_not(r.sim, "no statement by event-capturing-rk: ");
    ck_assert_int_eq(verdict_of(r.sim).unknown, 8);
    rig_free(&r);
}
END_TEST

/* Schemes that tell all: what is not known was not there. */
START_TEST(schemes_that_tell_all)
{
    static const char *const names[] = {"discrete-gradient", "moreau-jean",
                                        "discrete-gradient-adaptive"};
    double q0 = 1.0, M = 1.0, F = -10.0, one = 1.0;
    rig r;
    perp_scheme scheme = rig_scheme(names[_i], "");
    rig_init(&r, 1e-3);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, NULL, &M, &F);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start(&r, &scheme);
    rig_run(&r, 0.6);
    is_known(r.sim, "dynamics", 1e-6);
    is_known(r.sim, "energy", 1e-6);
    is_known(r.sim, "contact_work", 1e-6);
    is_not(r.sim, "joints", "nothing was there to measure");
    ck_assert_int_eq(verdict_of(r.sim).unknown, 0);
    rig_free(&r);
}
END_TEST

/* M = 1 strikes at u, theta = 1: the impulse p = (1 + e) u has the work e p u on the end velocity,
 * but kinetic energy falls by (1 - e^2) u^2/2: nothing is given. */
START_TEST(restitution_with_a_theta_above_half_gives_nothing)
{
    static const double thetas[] = {0.5, 0.75, 1.0}, es[] = {0.0, 0.3, 0.9, 1.0};
    double e = es[_i / 3], lost = 4.5 * (1.0 - e * e);
    double q0 = 0.1, M = 1.0, one = 1.0, w0 = -3.0;
    char text[32];
    rig r;
    snprintf(text, sizeof text, "theta=%g", thetas[_i % 3]);
    perp_scheme scheme = rig_scheme("moreau-jean", text);
    rig_init(&r, 1e-2);
    perp_system_id ball = rig_lagrangian(&r, 1, &q0, &w0, &M, NULL);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(e));
    rig_start(&r, &scheme);
    rig_run(&r, 0.1);
    is_known(r.sim, "energy", 1e-12);
    is_known(r.sim, "contact_work", 1e-12);
    ck_assert_double_eq_tol(verdict_of(r.sim).contact, lost, 1e-12);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verdicts of the schemes");
    TCase *tc = tcase_create("schemes");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, generalized_alpha_on_bodies, 0, 2);
    tcase_add_loop_test(tc, generalized_alpha_on_lagrangian_systems, 0, 2);
    tcase_add_loop_test(tc, schemes_that_cannot_tell, 0, 4);
    tcase_add_loop_test(tc, schemes_that_tell_all, 0, 3);
    tcase_add_loop_test(tc, restitution_with_a_theta_above_half_gives_nothing, 0, 12);
    tcase_add_loop_test(tc, impacts_are_certified, 0, 4);
    tcase_add_test(tc, a_part_that_is_stated_is_not_all);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
