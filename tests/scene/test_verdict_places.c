/* SPDX-License-Identifier: BSD-3-Clause */
/* What the verdict of a run does not depend on: where a mechanism stands, and the unit of length.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include <perp/scene.h>
#include <perp/verdict.h>

#include "tests/fixtures/scene_text.h"

/* A wheel that turns about an axle through its centre, at x. */
START_TEST(a_wheel_at_the_origin)
{
    static const double at[] = {0.0, 1e-9, 0.3, 100.0};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.005}, \"gravity\": [0, 0, "
            "-9.81], "
            "\"bodies\": [{\"name\": \"wheel\", \"mass\": 2, \"rotation\": [1.5707963267948966, 0, "
            "0], "
            "\"position\": [%g, 0, 0], \"angular\": [0, 0, 20], \"shape\": {\"type\": "
            "\"cylinder\", "
            "\"radius\": 0.1, \"length\": 0.05}}], \"interactions\": [{\"name\": \"axle\", "
            "\"systems\": [\"wheel\"], \"relation\": {\"type\": \"joint\", \"joint\": \"pivot\", "
            "\"anchor\": [%g, 0, 0], \"axis\": [0, 1, 0]}}]}",
            at[k], at[k]);
        perp_scene *scene = scene_of(text, NULL);
        scene_run_until(scene, 0.5);
        perp_scene_destroy(scene);
    }
}
END_TEST

/* An arm that a motor drives against its stop, in metres and in parts of a metre; kilograms and
 * seconds stay. */
START_TEST(an_arm_in_other_units)
{
    static const double unit[] = {1.0, 1e3, 1e6, 1e9, 1e-3};
    for (int k = 0; k < 5; k++) {
        double m = unit[k];
        char text[2000];
        snprintf(
            text, sizeof text,
            "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.005}, \"gravity\": [0, 0, "
            "%.17g], "
            "\"bodies\": [{\"name\": \"arm\", \"mass\": 0.5, \"position\": [%.17g, %.17g, %.17g], "
            "\"shape\": {\"type\": \"cylinder\", \"radius\": %.17g, \"length\": %.17g}}], "
            "\"interactions\": [{\"name\": \"axle\", \"systems\": [\"arm\"], \"relation\": "
            "{\"type\": "
            "\"joint\", \"joint\": \"pivot\", \"anchor\": [%.17g, %.17g, %.17g], \"axis\": [0, 1, "
            "0], "
            "\"motor\": {\"speed\": 4, \"torque\": %.17g}, \"limits\": [-2, 2], \"e\": 0.3}}]}",
            -9.81 * m, -m, -m, m, 0.03 * m, 0.3 * m, -m, -m, 1.15 * m, 3.0 * m * m);
        perp_verdict verdict = scene_verdict(text, 1.0, NULL, NULL);
        ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "unit %g: %s", m, verdict.first);
    }
}
END_TEST

/* A bar with limits far away stands in the floor at the start, and is turned out of it at once:
 * that is said of the floor, and no error of the angle. */
START_TEST(a_bar_in_the_floor_in_other_units)
{
    static const double unit[] = {1.0, 1e3, 1e-3, 1e-6};
    const double a = 0.6;
    for (int k = 0; k < 4; k++) {
        double m = unit[k];
        char text[2000];
        snprintf(
            text, sizeof text,
            "{\"version\": 1, \"time\": {\"until\": 0.05, \"step\": 0.005}, \"gravity\": [0, 0, "
            "%.17g], \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", "
            "\"normal\": [0, 0, 1], \"offset\": %.17g}}, {\"name\": \"bar\", \"mass\": 0.5, "
            "\"position\": [%.17g, 0, %.17g], \"rotation\": [0, %.17g, 0], \"shape\": "
            "{\"type\": \"capsule\", \"radius\": %.17g, \"length\": %.17g}}], "
            "\"interactions\": [{\"name\": \"axle\", \"systems\": [\"bar\"], \"relation\": "
            "{\"type\": \"joint\", \"joint\": \"pivot\", \"anchor\": [0, 0, 0], \"axis\": "
            "[0, 1, 0], \"limits\": [-2, 2]}}], \"contacts\": {\"mu\": 0.3}}",
            -9.81 * m, -0.12 * m, 0.15 * cos(a) * m, -0.15 * sin(a) * m, acos(0.0) + a, 0.03 * m,
            0.3 * m);
        perp_verdict verdict = scene_verdict(text, 0.05, NULL, NULL);
        ck_assert_msg(verdict.kind != PERP_VERDICT_NOT_VERIFIED, "unit %g: %s", m, verdict.first);
    }
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("places of verdicts");
    TCase *tcase = tcase_create("places of verdicts");
    tcase_add_test(tcase, a_wheel_at_the_origin);
    tcase_add_test(tcase, an_arm_in_other_units);
    tcase_add_test(tcase, a_bar_in_the_floor_in_other_units);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
