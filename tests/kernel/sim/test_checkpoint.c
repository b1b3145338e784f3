/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of the scene in which everything meets: damaged bytes, forces and laws that were
 * changed, saves without a step between them, all forms. */
#include "tests/fixtures/sim_scene.h"

static unsigned char *save(const scene *s, size_t *bytes)
{
    size_t asked = 0;
    *bytes = 0;
    ck_assert_int_eq(perp_sim_save(s->sim, NULL, bytes), PERP_SOLVED);
    unsigned char *block = malloc(*bytes);
    asked = *bytes;
    ck_assert_int_eq(perp_sim_save(s->sim, block, &asked), PERP_SOLVED);
    ck_assert_uint_eq(asked, *bytes);
    return block;
}

/* Each byte in turn is another one, or the last one that there is. */
START_TEST(damage_is_told)
{
    perp_sim_options options = scene_options();
    double before[SCENE_STATE];
    scene saved, s;
    size_t bytes;
    ck_assert_int_eq(scene_open(&saved, &options, NULL), PERP_SOLVED);
    scene_steps(&saved, 20);
    unsigned char *block = save(&saved, &bytes);
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    scene_steps(&s, 7);
    scene_state(&s, before);
    for (size_t k = 0; k < bytes; k++) {
        unsigned char *cut = malloc(k + 1);
        memcpy(cut, block, k);
        ck_assert_int_eq(perp_sim_load(s.sim, cut, k), PERP_ERR_FORMAT);
        free(cut);
        block[k] ^= (unsigned char)(1u << k % 8);
        ck_assert_int_eq(perp_sim_load(s.sim, block, bytes), PERP_ERR_FORMAT);
        block[k] ^= (unsigned char)(1u << k % 8);
    }
    scene_same(&s, before, "refused", 0);
    ck_assert_int_eq(perp_sim_load(s.sim, block, bytes), PERP_SOLVED);
    scene_state(&saved, before);
    scene_same(&s, before, "loaded", 0);
    free(block);
    scene_close(&saved);
    scene_close(&s);
}
END_TEST

static void set_loads(scene *s)
{
    double F[2] = {-3.0, -20.0}, weight[3] = {0.5, 0, -5.0}, *z;
    perp_law law = perp_law_friction(3, 0.7, 0.01);
    ck_assert_int_eq(perp_model_set_force(s->model, s->systems[3], F), PERP_SOLVED);
    ck_assert_int_eq(perp_model_set_force(s->model, s->systems[6], weight), PERP_SOLVED);
    ck_assert_int_eq(perp_model_set_law(s->model, s->links[5], &law), PERP_SOLVED);
    ck_assert_int_eq(perp_model_parameters(s->model, s->systems[1], &z, NULL), PERP_SOLVED);
    z[0] = 11.0;
}

/* What was changed while the first run went is known to the second. */
START_TEST(changed_loads_come_back)
{
    perp_sim_options options = scene_options();
    double expected[SCENE_STATE];
    scene a, b;
    size_t bytes;
    options.form = _i ? PERP_FORM_CSC : PERP_FORM_AUTO;
    ck_assert_int_eq(scene_open(&a, &options, NULL), PERP_SOLVED);
    scene_steps(&a, 10);
    set_loads(&a);
    perp_sim_set_h(a.sim, 3e-3);
    scene_steps(&a, 10);
    unsigned char *block = save(&a, &bytes);
    ck_assert_int_eq(scene_open(&b, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(b.sim, block, bytes), PERP_SOLVED);
    free(block);
    scene_steps(&a, 40);
    scene_steps(&b, 40);
    scene_state(&a, expected);
    scene_same(&b, expected, "after", 40);
    scene_close(&a);
    scene_close(&b);
}
END_TEST

/* A pile in which gs and its like remember: the second of two saves holds as much. */
START_TEST(saves_without_a_step_between)
{
    static const char *const solvers[] = {NULL, "gs", "nsn", "admm"};
    perp_sim_options options = scene_options();
    double expected[SCENE_STATE];
    scene a, b, c;
    size_t bytes, again;
    options.solver = _i == 0 || perp_solver_find(solvers[_i]) ? solvers[_i] : NULL;
    ck_assert_int_eq(scene_open(&a, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(scene_open(&b, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(scene_open(&c, &options, NULL), PERP_SOLVED);
    if (perp_sim_step(a.sim) != PERP_SOLVED)
        options.solver = NULL; /* this solver does not take all the sets */
    for (int k = 0; options.solver && k < 15; k++)
        ck_assert_int_ge(perp_sim_step(a.sim), 0);
    unsigned char *first = save(&a, &bytes);
    ck_assert_int_eq(perp_sim_load(b.sim, first, bytes), PERP_SOLVED);
    unsigned char *second = save(&b, &again);
    ck_assert_uint_eq(again, bytes);
    ck_assert_int_eq(memcmp(first, second, bytes), 0);
    free(second);
    second = save(&a, &again);
    ck_assert_uint_eq(again, bytes);
    ck_assert_int_eq(memcmp(first, second, bytes), 0);
    ck_assert_int_eq(perp_sim_load(c.sim, second, bytes), PERP_SOLVED);
    for (int k = 0; options.solver && k < 15; k++) {
        ck_assert_int_ge(perp_sim_step(a.sim), 0);
        ck_assert_int_ge(perp_sim_step(b.sim), 0);
        ck_assert_int_ge(perp_sim_step(c.sim), 0);
    }
    scene_state(&a, expected);
    scene_same(&b, expected, "first", 0);
    scene_same(&c, expected, "second", 0);
    free(first);
    free(second);
    scene_close(&a);
    scene_close(&b);
    scene_close(&c);
}
END_TEST

static int push(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    scene *s = ctx;
    double F[2] = {5.0 * t, -1.0};
    (void)sim, (void)h;
    return perp_model_set_force(model, s->systems[3], F) != PERP_SOLVED;
}

/* An event that changed a force is not called again, and its force stays. */
START_TEST(events_are_part_of_it)
{
    perp_sim_options options = scene_options();
    double expected[SCENE_STATE];
    scene a, b, c;
    size_t bytes;
    ck_assert_int_eq(scene_open(&a, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(scene_open(&b, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(scene_open(&c, &options, NULL), PERP_SOLVED);
    scene *both[] = {&a, &b};
    for (int k = 0; k < 2; k++) {
        perp_sim_schedule(both[k]->sim, 0.02, push, both[k]);
        perp_sim_schedule(both[k]->sim, 0.15, push, both[k]);
    }
    scene_steps(&a, 10);
    unsigned char *block = save(&a, &bytes);
    ck_assert_int_eq(perp_sim_load(c.sim, block, bytes), PERP_ERR_FORMAT);
    ck_assert_int_eq(perp_sim_load(b.sim, block, bytes), PERP_SOLVED);
    free(block);
    scene_steps(&a, 30);
    scene_steps(&b, 30);
    scene_state(&a, expected);
    scene_same(&b, expected, "events", 0);
    scene_close(&a);
    scene_close(&b);
    scene_close(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim restart");
    TCase *tcase = tcase_create("bytes");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, damage_is_told);
    tcase_add_loop_test(tcase, changed_loads_come_back, 0, 2);
    tcase_add_loop_test(tcase, saves_without_a_step_between, 0, 4);
    tcase_add_test(tcase, events_are_part_of_it);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
