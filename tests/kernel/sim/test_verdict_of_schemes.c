/* SPDX-License-Identifier: BSD-3-Clause */
/* What each scheme tells of itself, and what it says that it does not tell. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/kernel_rig.h"
#include "tests/fixtures/mechanism.h"
#include "tests/fixtures/model_zoo.h"

static perp_figure figure_of(const perp_sim *sim, const char *name)
{
    perp_figure figure;
    for (int k = 0; perp_sim_figure(sim, k, &figure, sizeof figure) == PERP_SOLVED; k++)
        if (strcmp(figure.name, name) == 0)
            return figure;
    ck_abort_msg("no figure %s", name);
    return figure;
}

static perp_verdict verdict_of(const perp_sim *sim)
{
    perp_verdict verdict;
    ck_assert_int_eq(perp_sim_verdict(sim, &verdict, sizeof verdict), PERP_SOLVED);
    return verdict;
}

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
    static const double q0[] = {0.3, -0.2, 0.5}, v0[] = {0.4, 1.0, -0.6}, z[] = {2.0};
    static const double F[] = {0.3, -9.81}, p0[] = {0.0, 0.2}, w0[] = {1.0, 0.0};
    static const double C[] = {0.0, 1.0}, R[] = {1.0, 0.0};
    rig r;
    perp_lagrangian_def def;
    perp_scheme scheme = rig_scheme("generalized-alpha", _i ? "rho_infinity=0.5" : "");
    rig_init(&r, 1e-3);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = ZOO_N;
    def.q0 = q0;
    def.v0 = v0;
    def.mass = zoo_mass;
    def.mass_q = zoo_mass_q;
    def.F_int = zoo_f;
    def.F_int_q = zoo_f_x;
    def.F_int_v = zoo_f_v;
    def.z = z;
    def.nz = 1;
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
    ck_assert_int_eq(verdict.unknown, 7);
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

int main(void)
{
    Suite *suite = suite_create("verdicts of the schemes");
    TCase *tc = tcase_create("schemes");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, generalized_alpha_on_bodies, 0, 2);
    tcase_add_loop_test(tc, generalized_alpha_on_lagrangian_systems, 0, 2);
    tcase_add_loop_test(tc, schemes_that_cannot_tell, 0, 4);
    tcase_add_loop_test(tc, schemes_that_tell_all, 0, 3);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
