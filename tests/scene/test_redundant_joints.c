/* SPDX-License-Identifier: BSD-3-Clause */
/* A slider and a universal joint hold the same two bodies: nine rows for six motions, of which the
 * small part along the slider of one row of the universal joint comes before the row that has all
 * of it.  Thrown with velocities that fit neither. */
#include <check.h>

#include <perp/scene.h>
#include <perp/verdict.h>

enum { STEPS = 100 };

static const char text[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 1}, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": ["
    "  {\"name\": \"b1\", \"mass\": 208.75, \"shape\": {\"type\": \"capsule\", \"radius\": 0.05, "
    "\"length\": 0.1},"
    "   \"position\": [-0.198, -0.427, 1.5], \"rotation\": [1.33, -0.24, 1.38],"
    "   \"velocity\": [0.0, -0.0, 0.0], \"angular\": [0.5, 1.0, -0.7]},"
    "  {\"name\": \"b2\", \"mass\": 35.8, \"shape\": {\"type\": \"capsule\", \"radius\": 0.025, "
    "\"length\": 0.05},"
    "   \"position\": [0, 0, 0.16], \"rotation\": [0, 0, 0],"
    "   \"velocity\": [-1.04, 0.53, 0.02], \"angular\": [0.5, 1.0, -0.7]},"
    "  {\"name\": \"b4\", \"mass\": 1.25, \"shape\": {\"type\": \"box\", \"sides\": [0.05, 0.1, "
    "0.05]},"
    "   \"position\": [0.407, -0.4, 3.0], \"rotation\": [-0.35, -1.55, -1.19],"
    "   \"velocity\": [1.52, -1.17, -0.59], \"angular\": [0.5, 1.0, -0.7]}],"
    " \"interactions\": ["
    "  {\"systems\": [\"b4\", \"b2\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"prismatic\","
    "   \"anchor\": [0.203, -0.2, 1.58], \"axis\": [1, 0, 0]}},"
    "  {\"systems\": [\"b1\", \"b4\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"prismatic\","
    "   \"anchor\": [0.104, -0.414, 2.25], \"axis\": [0, 0, 1]}},"
    "  {\"systems\": [\"b1\", \"b4\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"universal\","
    "   \"anchor\": [0.104, -0.414, 2.25], \"axis\": [1, 0, 0], \"axis_b\": [0, 1, 0]}}]}";

START_TEST(a_slider_and_a_universal_joint)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    perp_verdict verdict;
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    perp_sim *sim = perp_scene_sim(scene);
    for (int k = 0; k < STEPS; k++)
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_verdict(sim, &verdict, sizeof verdict), PERP_SOLVED);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("redundant joints");
    TCase *test = tcase_create("joints");
    tcase_add_test(test, a_slider_and_a_universal_joint);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
