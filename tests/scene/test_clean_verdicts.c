/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that are right are not condemned: what the certificate once took for an error. */
#include <perp/scene.h>
#include <perp/verdict.h>

#include "tests/fixtures/scene_text.h"

/* A body that a joint holds, without weight, rests to rounding, while others strike the floor: the
 * impulses of 1e-14 that round there in a stage were judged by its momentum of 1e-13. */
static const char held[] =
    "{\"version\": 1, \"time\": {\"step\": 0.005, \"until\": 0.4}, \"gravity\": [0, 0, 0], \"cont"
    "acts\": {\"mu\": 1.0, \"e\": 0.5, \"torsion\": 0.005}, \"bodies\": [{\"name\": \"floor\", \""
    "shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"typ"
    "e\": \"cone\", \"radius\": 0.06, \"height\": 0.12}, \"mass\": 3, \"position\": [-0.3492, -0."
    "0103, 2.0217], \"rotation\": [-0.971, 1.6829, -1.0718]}, {\"name\": \"b1\", \"shape\": {\"ty"
    "pe\": \"box\", \"sides\": [0.24, 0.24, 0.24]}, \"mass\": 0.3, \"position\": [-0.046, 0.7306,"
    " 0.5], \"rotation\": [-1.4864, 1.358, -0.7637], \"velocity\": [1.6883, -2.657, 0.6121], \"an"
    "gular\": [-6.8363, -7.1575, -6.0664]}, {\"name\": \"b2\", \"shape\": {\"type\": \"ellipsoid"
    "\", \"radii\": [0.06, 0.041999999999999996, 0.03]}, \"mass\": 0.01, \"position\": [0.0108, 1"
    ".0466, 0.6393], \"rotation\": [0.6836, 1.4265, -0.0608]}], \"interactions\": [{\"name\": \"j"
    "0\", \"systems\": [\"b0\"], \"relation\": {\"type\": \"joint\", \"joint\": \"fixed\", \"anch"
    "or\": [-0.1746, -0.0052, 2.0109]}}, {\"name\": \"j2\", \"systems\": [\"b2\", \"b1\"], \"rela"
    "tion\": {\"type\": \"joint\", \"joint\": \"screw\", \"anchor\": [-0.0176, 0.8886, 0.5696], "
    "\"axis\": [0.747858, 0.611261, -0.258977], \"lead\": -0.05}}, {\"name\": \"loop\", \"systems"
    "\": [\"b2\", \"b1\"], \"relation\": {\"type\": \"joint\", \"joint\": \"point\", \"anchor\": "
    "[-0.0176, 0.8886, 0.5696]}}], \"forces\": [{\"type\": \"spring\", \"from\": {\"system\": \"b"
    "1\", \"point\": [0, 0, 0]}, \"to\": {\"world\": [0, 0, 2.5]}, \"stiffness\": 500, \"damping"
    "\": 0, \"length\": 0.3}]}";

/* Velocities at the start that contradict a joint end by an impulse, which goes through a body that
 * is held: by no jump of it, for what holds it gives the opposite. */
static const char passed_on[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 0.02}, \"gravity\": [0, 0, 0], \"con"
    "tacts\": {\"mu\": 0.3, \"e\": 0, \"rolling\": 0.005, \"torsion\": 0.005}, \"bodies\": [{\"na"
    "me\": \"floor\", \"shape\": {\"type\": \"box\", \"sides\": [10, 10, 1]}, \"position\": [0, 0"
    ", -0.5], \"motion\": [{\"slide\": {\"axis\": [1, 0, 0], \"amplitude\": 0.01, \"frequency\": "
    "1.53}}]}, {\"name\": \"b0\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.12}, \"density"
    "\": 100, \"position\": [-0.0962, 0.0801, 0.9268]}, {\"name\": \"b1\", \"shapes\": [{\"type\""
    ": \"cone\", \"radius\": 0.12, \"height\": 0.24, \"position\": [0.0124, 0.0598, 0.0484]}, {\""
    "type\": \"cylinder\", \"radius\": 0.12, \"length\": 0.06, \"position\": [-0.0246, -0.1231, -"
    "0.055]}], \"density\": 100, \"position\": [0.0915, 0.3006, 1.1234]}, {\"name\": \"b2\", \"sh"
    "ape\": {\"type\": \"box\", \"sides\": [0.06, 0.06, 0.12]}, \"density\": 7800, \"position\": "
    "[0.5831, -0.8501, 0.2], \"rotation\": [-0.8298, 0.2134, -0.5918], \"velocity\": [0.1356, -3."
    "1533, 0.2028], \"angular\": [2.1985, 7.7434, 5.9041]}], \"interactions\": [{\"name\": \"j0\""
    ", \"systems\": [\"b0\"], \"relation\": {\"type\": \"joint\", \"joint\": \"fixed\", \"anchor"
    "\": [-0.0481, 0.0401, 0.7634]}}, {\"name\": \"j1\", \"systems\": [\"b1\", \"b0\"], \"relatio"
    "n\": {\"type\": \"joint\", \"joint\": \"planar\", \"anchor\": [-0.0023, 0.1903, 1.0251], \"a"
    "xis\": [0.131082, 0.868383, -0.478256]}}, {\"name\": \"loop\", \"systems\": [\"b2\", \"b1\"]"
    ", \"relation\": {\"type\": \"joint\", \"joint\": \"point\", \"anchor\": [0.3373, -0.2747, 0."
    "6617]}}]}";

/* A rattleback, in short steps: rates of its contact that were nothing beside 0.5 m/s were much of
 * what weight makes of them in 0.1 ms. */
#define RATTLEBACK(step)                                                                           \
    "{\"version\": 1, \"time\": {\"step\": " step ", \"until\": 0.8}, \"gravity\": [0, 0, "        \
    "-9.81], \"contacts\": {\"mu\": 0.8}, \"bodies\": [{\"name\": \"floor\", \"shape\": "          \
    "{\"type\":  "                                                                                 \
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"r\", \"shape\": {\"type\": \"ellipsoid\", "  \
    "\"radii\": [0.1, 0.02, 0.015]}, \"mass\": 0.2, \"inertia\": [[6e-5, 1.2e-4, 0], [1.2e-4, "    \
    "4.2e-4, 0], [0, 0, 4.6e-4]], \"position\": [0, 0, 0.0151], \"angular\": [0.02, 0.2, 5]}]}"

START_TEST(short_steps_are_no_worse)
{
    static const char *const texts[] = {RATTLEBACK("0.002"), RATTLEBACK("0.0005"),
                                        RATTLEBACK("0.0001")};
    for (int k = 0; k < 3; k++) {
        perp_verdict verdict = scene_verdict(texts[k], 0.8, NULL, NULL);
        ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
    }
}
END_TEST

/* A pendulum strikes a box by Poisson's law, and its joint holds in both phases. */
static const char expanded[] =
    "{\"version\": 1, \"time\": {\"step\": 0.002, \"until\": 0.7}, \"gravity\": [0, 0, -9.81], "
    "\"schemes\": [{\"name\": \"discrete-gradient\", \"impacts\": \"poisson\"}], \"contacts\": "
    "{\"mu\": 0.4, \"e\": 0.5}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", "
    "\"normal\": [0, 0, 1]}}, {\"name\": \"p\", \"shape\": {\"type\": \"sphere\", \"radius\": "
    "0.1}, "
    "\"mass\": 5, \"position\": [-1, 0, 1.15]}, {\"name\": \"box\", \"shape\": {\"type\": \"box\", "
    "\"sides\": [0.2, 0.2, 0.3]}, \"mass\": 2, \"position\": [0.21, 0, 0.15]}], \"interactions\": "
    "[{\"name\": \"j\", \"systems\": [\"p\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"pivot\", "
    "\"anchor\": [0, 0, 1.15], \"axis\": [0, 1, 0]}}]}";

/* A cylinder rolls into the right angle of a tray that is turned, with a friction of 1: both
 * contacts may hold any impulses against each other. */
static const char cornered[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 1.6}, \"gravity\": [0, 0, -9.81], "
    "\"contacts\": {\"mu\": 1, \"e\": 0.3}, \"bodies\": [{\"name\": \"tray\", \"shapes\": "
    "[{\"type\": "
    "\"box\", \"sides\": [1, 0.4, 0.02]}, {\"type\": \"box\", \"sides\": [0.02, 0.4, 0.1], "
    "\"position\": [-0.49, 0, 0.05]}, {\"type\": \"box\", \"sides\": [0.02, 0.4, 0.1], "
    "\"position\": "
    "[0.49, 0, 0.05]}], \"motion\": {\"turn\": {\"axis\": [0, 1, 0], \"centre\": [0, 0, 0], "
    "\"amplitude\": 0.2, \"frequency\": 0.3}}}, {\"name\": \"c\", \"shape\": {\"type\": "
    "\"cylinder\", "
    "\"radius\": 0.04, \"length\": 0.3}, \"mass\": 0.5, \"position\": [0, 0, 0.05], \"rotation\": "
    "[1.5707963267948966, 0, 0]}]}";

START_TEST(a_right_angle_with_a_friction_of_one)
{
    perp_verdict verdict = scene_verdict(cornered, 1.6, NULL, NULL);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
}
END_TEST

START_TEST(joints_in_an_expansion)
{
    perp_verdict verdict = scene_verdict(expanded, 0.7, NULL, NULL);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
}
END_TEST

START_TEST(what_rests_to_rounding)
{
    perp_verdict verdict = scene_verdict(held, 0.4, NULL, NULL);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
}
END_TEST

START_TEST(what_passes_impulses_on)
{
    perp_verdict verdict = scene_verdict(passed_on, 0.02, NULL, NULL);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
}
END_TEST

/* Two relays of one interaction give a state at rest +3 and -3, that is 4e-16, or nothing at all.
 */
static const char held_by_relays[] =
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.01}, \"systems\": [{\"name\": \"s\", "
    "\"type\": \"first-order\", \"x0\": [0.3]}], \"interactions\": [{\"name\": \"relays\", "
    "\"systems\": [\"s\"], \"relation\": {\"type\": \"linear\", \"C\": [[1], [1]], \"e\": [1, 0], "
    "\"B\": [[3, 7]]}, \"law\": {\"type\": \"box\"}}]}";

START_TEST(relays_against_each_other)
{
    perp_verdict verdict = scene_verdict(held_by_relays, 1.0, NULL, NULL);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clean verdicts");
    TCase *cases = tcase_create("cases");
    tcase_add_test(cases, what_rests_to_rounding);
    tcase_add_test(cases, what_passes_impulses_on);
    tcase_add_test(cases, joints_in_an_expansion);
    tcase_add_test(cases, a_right_angle_with_a_friction_of_one);
    tcase_add_test(cases, short_steps_are_no_worse);
    tcase_add_test(cases, relays_against_each_other);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
