/* SPDX-License-Identifier: BSD-3-Clause */
/* Dampers of joints act on rotors of next to no inertia: what they do to these alone is no scale
 * for what else moves. */
#include <math.h>

#include "tests/fixtures/scene_text.h"

/* A wheel that turns with a damped rotor, and an arm that a small moment presses against a limit:
 * its rate changes by 1e-6 in a step, the rotor's alone would by 1e9. */
static const char pressed[] =
    "{\"version\": 1, \"time\": {\"step\": 0.001, \"until\": 0.05},\n"
    " \"systems\": [{\"name\": \"rotor\", \"type\": \"lagrangian\", \"M\": [[1e-13]],\n"
    "   \"C\": [[0.1]], \"q0\": [0], \"v0\": [1]}],\n"
    " \"bodies\": [\n"
    "  {\"name\": \"wheel\", \"mass\": 1, \"inertia\": [10, 10, 10], \"angular\": [0, 0, 1]},\n"
    "  {\"name\": \"arm\", \"mass\": 1, \"inertia\": [1, 1, 1], \"moment\": [0, -0.001, 0],\n"
    "   \"position\": [2, 0, 0]}],\n"
    " \"interactions\": [\n"
    "  {\"name\": \"axle\", \"systems\": [\"wheel\"], \"relation\": {\"type\": \"joint\",\n"
    "    \"joint\": \"pivot\", \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1]}},\n"
    "  {\"name\": \"turns\", \"systems\": [\"wheel\", \"rotor\"], \"relation\":\n"
    "    {\"type\": \"coupling\", \"terms\": [{\"joint\": \"axle\"},\n"
    "     {\"system\": \"rotor\", \"factor\": -1}]}},\n"
    "  {\"name\": \"hinge\", \"systems\": [\"arm\"], \"relation\": {\"type\": \"joint\",\n"
    "    \"joint\": \"pivot\", \"anchor\": [2, 0, 0], \"axis\": [0, 1, 0],\n"
    "    \"limits\": [0, 3]}}]}";

START_TEST(a_limit_carries_a_small_moment)
{
    perp_scene *scene = scene_of(pressed, NULL);
    double *v = NULL;
    scene_run_until(scene, 0.05);
    (void)scene_state(scene, "arm", &v);
    ck_assert_double_lt(fabs(v[4]), 1e-12);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("light rotors");
    TCase *tests = tcase_create("dampers");
    tcase_add_test(tests, a_limit_carries_a_small_moment);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
