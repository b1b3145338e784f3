/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds of a step: schemes say what their one-step problems took, where timing is asked for. */
#include <check.h>
#include <stdlib.h>

#include <perp/sim.h>

static const char *const schemes[] = {"discrete-gradient", "moreau-jean", "schatzman-paoli",
                                      "generalized-alpha"};

/* A mass that falls onto the ground and stays: seconds of its steps. */
static double solve_seconds(const char *name, int timing)
{
    perp_model *model;
    perp_sim *sim;
    perp_sim_options options;
    perp_scheme scheme;
    perp_lagrangian_def def;
    perp_interaction_def gap;
    perp_system_id id;
    perp_interaction_id contact;
    const double q = 0.01, F = -9.81, M = 1.0, C = 1.0, none = 0.0;
    double seconds = 0.0;
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q;
    def.F = &F;
    perp_mat_init_dense(&def.M, 1, 1, &M, 1);
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, &id, NULL), PERP_SOLVED);
    perp_interaction_def_init(&gap, sizeof gap);
    gap.systems = &id;
    gap.nsystems = 1;
    gap.relation.kind = PERP_RELATION_LINEAR;
    gap.relation.rows = 1;
    gap.relation.C = &C;
    gap.relation.e = &none;
    gap.law = perp_law_impact(0.0);
    ck_assert_int_eq(perp_model_add_interaction(model, &gap, &contact, NULL), PERP_SOLVED);
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-3;
    options.timing = timing;
    ck_assert_int_eq(perp_sim_create(&sim, model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&scheme, name, sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
    for (int k = 0; k < 200; k++) {
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
        seconds += perp_sim_info(sim)->solve_seconds;
    }
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return seconds;
}

START_TEST(solves_are_timed)
{
    ck_assert_double_gt(solve_seconds(schemes[_i], 1), 0.0);
    ck_assert_double_eq(solve_seconds(schemes[_i], 0), 0.0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step seconds");
    TCase *seconds = tcase_create("seconds");
    tcase_add_loop_test(seconds, solves_are_timed, 0, (int)(sizeof schemes / sizeof *schemes));
    suite_add_tcase(suite, seconds);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
