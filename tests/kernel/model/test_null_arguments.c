/* SPDX-License-Identifier: BSD-3-Clause */
/* Public calls of the kernel with NULL where an object or an output belongs: a status or nothing,
 * and never a crash. */
#include <check.h>
#include <math.h>

#include <perp/kernel.h>

static int step(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    (void)ctx, (void)sim, (void)model, (void)t, (void)h;
    return 0;
}

START_TEST(models)
{
    perp_system_id system = {0, 1}, none;
    perp_interaction_id interaction = {0, 1}, no_link;
    perp_law law = perp_law_equality();
    perp_first_order_def_init(NULL, sizeof(perp_first_order_def));
    perp_lagrangian_def_init(NULL, sizeof(perp_lagrangian_def));
    perp_body_def_init(NULL, sizeof(perp_body_def));
    perp_interaction_def_init(NULL, sizeof(perp_interaction_def));
    perp_shape_def_init(NULL, sizeof(perp_shape_def));
    perp_model_destroy(NULL);
    perp_model_changed(NULL);
    ck_assert_int_eq(perp_model_create(NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_lt(perp_model_add_first_order(NULL, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_add_lagrangian(NULL, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_add_body(NULL, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_add_interaction(NULL, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_remove_system(NULL, system), 0);
    ck_assert_int_lt(perp_model_remove_interaction(NULL, interaction), 0);
    ck_assert_int_lt(perp_model_state(NULL, system, NULL, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_input(NULL, system, NULL), 0);
    ck_assert_int_lt(perp_model_parameters(NULL, system, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_set_force(NULL, system, NULL), 0);
    ck_assert_int_lt(perp_model_output(NULL, interaction, NULL, NULL, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_set_law(NULL, interaction, &law), 0);
    ck_assert_int_lt(perp_model_kinetic_energy(NULL, system, 0.0, NULL), 0);
    ck_assert_int_eq(perp_model_systems(NULL), 0);
    ck_assert_int_eq(perp_model_interactions(NULL), 0);
    none = perp_model_next_system(NULL, system);
    ck_assert_uint_eq(none.generation, 0);
    no_link = perp_model_next_interaction(NULL, interaction);
    ck_assert_uint_eq(no_link.generation, 0);
}
END_TEST

START_TEST(outputs_of_a_model)
{
    perp_model *model;
    perp_system_id id;
    perp_interaction_id link;
    perp_lagrangian_def def;
    perp_interaction_def contact;
    double q0 = 1.0, C = 1.0;
    perp_model_create(&model, NULL);
    ck_assert_int_lt(perp_model_add_first_order(model, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_add_lagrangian(model, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_add_body(model, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_model_add_interaction(model, NULL, NULL, NULL), 0);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    ck_assert_int_lt(perp_model_add_lagrangian(model, &def, NULL, NULL), 0);
    def.q0 = &q0;
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, NULL, NULL), PERP_SOLVED);
    id = perp_model_next_system(model, (perp_system_id){0, 0});
    perp_interaction_def_init(&contact, sizeof contact);
    contact.nsystems = 1;
    ck_assert_int_lt(perp_model_add_interaction(model, &contact, NULL, NULL), 0);
    contact.systems = &id;
    ck_assert_int_lt(perp_model_add_interaction(model, &contact, NULL, NULL), 0);
    contact.relation.rows = 1;
    ck_assert_int_lt(perp_model_add_interaction(model, &contact, NULL, NULL), 0);
    contact.relation.C = &C;
    contact.law = perp_law_impact(0.0);
    ck_assert_int_eq(perp_model_add_interaction(model, &contact, NULL, NULL), PERP_SOLVED);
    link = perp_model_next_interaction(model, (perp_interaction_id){0, 0});
    ck_assert_int_eq(perp_model_state(model, id, NULL, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_int_lt(perp_model_input(model, id, NULL), 0);
    ck_assert_int_eq(perp_model_parameters(model, id, NULL, NULL), PERP_SOLVED);
    ck_assert_int_lt(perp_model_set_force(model, id, NULL), 0);
    ck_assert_int_lt(perp_model_set_law(model, link, NULL), 0);
    ck_assert_int_lt(perp_model_kinetic_energy(model, id, 0.0, NULL), 0);
    ck_assert_int_eq(perp_model_output(model, link, NULL, NULL, NULL, NULL, NULL), PERP_SOLVED);
    perp_model_destroy(model);
}
END_TEST

START_TEST(simulations)
{
    perp_scheme scheme;
    perp_sim_options_init(NULL, sizeof(perp_sim_options));
    ck_assert_int_lt(perp_scheme_init(NULL, "moreau-jean", sizeof scheme), 0);
    ck_assert_int_lt(perp_scheme_init(&scheme, NULL, sizeof scheme), 0);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    ck_assert_int_lt(perp_scheme_set(NULL, "theta", "1"), 0);
    ck_assert_int_lt(perp_scheme_set(&scheme, NULL, "1"), 0);
    ck_assert_int_lt(perp_scheme_set(&scheme, "theta", NULL), 0);
    ck_assert_ptr_null(perp_scheme_summary(NULL));
    ck_assert_ptr_null(perp_scheme_reads(NULL));
    ck_assert_ptr_null(perp_scheme_at(-1));
    perp_sim_destroy(NULL);
    perp_sim_set_on_failure(NULL, NULL, NULL);
    perp_sim_set_before_step(NULL, step, NULL);
    perp_sim_set_after_step(NULL, step, NULL);
    ck_assert_int_lt(perp_sim_schedule(NULL, 0.0, step, NULL), 0);
    ck_assert_int_lt(perp_sim_last_problem(NULL, NULL, NULL, NULL), 0);
    ck_assert_int_eq(perp_sim_problems(NULL), 0);
    ck_assert_int_lt(perp_sim_problem(NULL, 0, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_sim_load(NULL, NULL, 0), 0);
    ck_assert_int_lt(perp_sim_set_scheme(NULL, (perp_system_id){0, 0}, &scheme), 0);
    ck_assert_int_lt(perp_sim_scheme(NULL, (perp_system_id){0, 0}, &scheme), 0);
    ck_assert(isnan(perp_sim_time(NULL)));
}
END_TEST

START_TEST(recorders)
{
    perp_model *model;
    perp_recorder *recorder;
    perp_model_create(&model, NULL);
    ck_assert_int_lt(perp_recorder_create(NULL, model, NULL), 0);
    ck_assert_int_lt(perp_recorder_create(&recorder, NULL, NULL), 0);
    ck_assert_ptr_null(recorder);
    perp_recorder_destroy(NULL);
    perp_recorder_set_every(NULL, 3);
    perp_recorder_clear(NULL);
    ck_assert_int_lt(perp_recorder_add(NULL, PERP_RECORD_Q, 0, 1, 0), 0);
    ck_assert_int_lt(perp_recorder_reserve(NULL, 1), 0);
    ck_assert_int_lt(perp_recorder_sample(NULL, 0.0), 0);
    ck_assert_int_ne(perp_recorder_step(NULL, NULL, model, 0.0, 1.0), 0);
    ck_assert_int_eq(perp_recorder_rows(NULL), 0);
    ck_assert_int_eq(perp_recorder_columns(NULL), 0);
    ck_assert_ptr_null(perp_recorder_data(NULL));
    ck_assert_int_eq(perp_recorder_create(&recorder, model, NULL), PERP_SOLVED);
    ck_assert_int_lt(perp_recorder_add(recorder, PERP_RECORD_Q, 7, 1, 0), 0);
    ck_assert_int_lt(perp_recorder_add(recorder, (perp_record)99, 0, 1, 0), 0);
    ck_assert_int_lt(perp_recorder_reserve(recorder, -1), 0);
    ck_assert_int_eq(perp_recorder_sample(recorder, 0.5), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_rows(recorder), 1);
    ck_assert(perp_recorder_data(recorder)[0] == 0.5);
    perp_recorder_destroy(recorder);
    perp_model_destroy(model);
}
END_TEST

START_TEST(degrees)
{
    double one = 1.0;
    int degree;
    ck_assert_int_lt(perp_relative_degree(NULL, &one, &one, &one, NULL, 1, 1, NULL, NULL, NULL), 0);
    ck_assert_int_lt(perp_relative_degree(NULL, NULL, &one, &one, NULL, 1, 1, NULL, &degree, NULL),
                     0);
    ck_assert_int_lt(perp_relative_degree(NULL, &one, NULL, &one, NULL, 1, 1, NULL, &degree, NULL),
                     0);
    ck_assert_int_lt(perp_relative_degree(NULL, &one, &one, NULL, NULL, 1, 1, NULL, &degree, NULL),
                     0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernel null");
    TCase *tcase = tcase_create("null");
    tcase_add_test(tcase, models);
    tcase_add_test(tcase, outputs_of_a_model);
    tcase_add_test(tcase, simulations);
    tcase_add_test(tcase, recorders);
    tcase_add_test(tcase, degrees);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
