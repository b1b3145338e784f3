/* SPDX-License-Identifier: BSD-3-Clause */
/* Balls that fall into a box, solved by sweeps to a loose tolerance: the Newton loop of a step ends
 * where its rates differ by less than the sweeps leave, so that no step is cut. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verdict.h>

enum { STEPS = 150 };

static const char text[] =
    "{\"version\": 1, \"time\": {\"step\": 0.005, \"until\": 1}, \"gravity\": [0, 0, -9.81],"
    " \"solver\": {\"name\": \"gs\", \"tol\": 1e-3}, \"contacts\": {\"mu\": 0.3, \"e\": 0.3},"
    " \"bodies\": [{\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},"
    "  {\"shape\": {\"type\": \"plane\", \"normal\": [1, 0, 0], \"offset\": -0.1}},"
    "  {\"shape\": {\"type\": \"plane\", \"normal\": [-1, 0, 0], \"offset\": -0.3}},"
    "  {\"shape\": {\"type\": \"plane\", \"normal\": [0, 1, 0], \"offset\": -0.1}},"
    "  {\"shape\": {\"type\": \"plane\", \"normal\": [0, -1, 0], \"offset\": -0.3}},"
    "  {\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.045},"
    "   \"density\": 1000, \"position\": [0, 0, 0.1],"
    "   \"copies\": {\"count\": [3, 3, 8], \"spacing\": [0.1, 0.1, 0.1], \"jitter\": 0.004,"
    "    \"seed\": 7}}]}";

START_TEST(no_step_is_cut)
{
    perp_scene *scene;
    perp_scene_error error = {.size = sizeof error};
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    perp_sim *sim = perp_scene_sim(scene);
    int impacts = 0;
    for (int k = 0; k < STEPS; k++) {
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
        const perp_step_info *info = perp_sim_info(sim);
        ck_assert_int_eq(info->halvings, 0);
        ck_assert_double_le(info->solver->error, perp_scene_tol(scene));
        impacts += info->impacts;
    }
    ck_assert_int_gt(impacts, 100);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("loose heap");
    TCase *test = tcase_create("loose heap");
    tcase_set_timeout(test, 120);
    tcase_add_test(test, no_step_is_cut);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
