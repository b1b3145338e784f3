/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between bodies that joints hold apart or together, whose rates are those of rounding; a
 * light body between heavy ones. */
#include <perp/scene.h>
#include <perp/verdict.h>

#include "tests/fixtures/scene_text.h"

/* Boxes on each other, both fixed to a ball above: no impulse between them changes their rates. */
static const char held[] =
    "{\"version\": 1, \"time\": {\"until\": 0.1, \"step\": 0.001}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 1, \"e\": 0}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"a\", \"shape\": {\"type\": \"box\", \"sides"
    "\": [0.1, 0.1, 0.1]}, \"mass\": 10.9, \"position\": [0, 0, 0.05]}, {\"name\": \"b\", \"shape"
    "\": {\"type\": \"box\", \"sides\": [0.1, 0.1, 0.1]}, \"mass\": 5.1, \"position\": [0, 0, 0.1"
    "5]}, {\"name\": \"c\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"mass\": 20, \""
    "position\": [0.34, 0.66, 3]}], \"interactions\": [{\"systems\": [\"a\", \"c\"], \"relation\""
    ": {\"type\": \"joint\", \"joint\": \"fixed\", \"anchor\": [0.17, 0.33, 1.5]}}, {\"systems\":"
    " [\"b\", \"c\"], \"relation\": {\"type\": \"joint\", \"joint\": \"fixed\", \"anchor\": [0.17"
    ", 0.33, 1.5]}}]}";

/* Nothing moves and nothing pulls; a ball touches a box that a joint ties to another ball. */
static const char weightless[] =
    "{\"version\": 1, \"time\": {\"until\": 0.1, \"step\": 0.002}, \"gravity\": [0, 0, 0], \"cont"
    "acts\": {\"mu\": 0, \"e\": 0}, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere"
    "\", \"radius\": 0.2}, \"mass\": 1.8, \"position\": [0.37, 0.62, 3.5], \"rotation\": [-0.6, 0"
    ".7, 0.8]}, {\"name\": \"b\", \"shape\": {\"type\": \"box\", \"sides\": [0.05, 0.05, 0.025]},"
    " \"mass\": 0.5, \"position\": [0, 0, 0.42]}, {\"name\": \"c\", \"shape\": {\"type\": \"spher"
    "e\", \"radius\": 0.025}, \"mass\": 1.6, \"position\": [0, 0, 0.4575]}], \"interactions\": [{"
    "\"systems\": [\"a\", \"b\"], \"relation\": {\"type\": \"joint\", \"joint\": \"cylindrical\","
    " \"anchor\": [0.19, 0.31, 1.96], \"axis\": [1, 0, 0]}}]}";

/* A box and an ellipsoid between a box and a ball that a joint ties: all fall freely. */
static const char falling[] =
    "{\"version\": 1, \"time\": {\"step\": 0.001, \"until\": 0.1}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 0.1, \"e\": 0}, \"bodies\": [{\"name\": \"b0\", \"shape\": {\"type\": "
    "\"cone\", \"radius\": 0.1, \"height\": 0.1}, \"mass\": 0.506, \"position\": [0, 0, 0.2]}, {"
    "\"name\": \"b1\", \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.1, 0.1]}, \"mass\": 0.15"
    ", \"position\": [0, 0, 0.45]}, {\"name\": \"b2\", \"shape\": {\"type\": \"box\", \"sides\": "
    "[0.2, 0.2, 0.1]}, \"density\": 7800, \"position\": [0, 0, 0.55]}, {\"name\": \"b3\", \"shape"
    "\": {\"type\": \"ellipsoid\", \"radii\": [0.1, 0.07, 0.05]}, \"density\": 100, \"position\":"
    " [0, 0, 0.65]}, {\"name\": \"b4\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.2}, \"den"
    "sity\": 7800, \"position\": [0, 0, 0.9]}], \"interactions\": [{\"systems\": [\"b3\", \"b0\"]"
    ", \"relation\": {\"type\": \"joint\", \"joint\": \"fixed\", \"anchor\": [0, 0, 0.425]}}, {\""
    "systems\": [\"b4\", \"b1\"], \"relation\": {\"type\": \"joint\", \"joint\": \"point\", \"anc"
    "hor\": [0, 0, 0.675]}}]}";

/* Three bodies that nothing pulls, with more joints than they need: all work is that of rounding.
 */
static const char still[] =
    "{\"version\": 1, \"time\": {\"step\": 0.001, \"until\": 0.1}, \"gravity\": [0, 0, 0], \"cont"
    "acts\": {\"mu\": 1, \"e\": 0}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"pl"
    "ane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"box\", \"sides\":"
    " [0.05, 0.025, 0.025]}, \"density\": 1000, \"rotation\": [0.7079, 0.3683, 1.104], \"position"
    "\": [0.402898, -0.637151, 1]}, {\"name\": \"b1\", \"shape\": {\"type\": \"capsule\", \"radiu"
    "s\": 0.025, \"length\": 0.05}, \"density\": 1000, \"rotation\": [-0.8327, -1.41, 0.4643], \""
    "position\": [0.527939, -0.154009, 1.5]}, {\"name\": \"b2\", \"shape\": {\"type\": \"cylinder"
    "\", \"radius\": 0.1, \"length\": 0.1}, \"density\": 100, \"rotation\": [1.379, -0.9726, 0.19"
    "21], \"position\": [0.321836, 0.401495, 2]}], \"interactions\": [{\"systems\": [\"b2\", \"b1"
    "\"], \"relation\": {\"type\": \"joint\", \"joint\": \"point\", \"anchor\": [0.424888, 0.1237"
    "43, 1.75]}}, {\"systems\": [\"b1\", \"b2\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"distance\", \"anchor\": [0.527939, -0.154009, 1.5], \"anchor_b\": [0.321836, 0.401495, 2]}"
    "}, {\"systems\": [\"b0\", \"b1\"], \"relation\": {\"type\": \"joint\", \"joint\": \"point\","
    " \"anchor\": [0.465418, -0.39558, 1.25]}}]}";

/* A capsule of 17 g between the floor and a cone of 95 kg that comes down on it. */
static const char strut[] =
    "{\"version\": 1, \"time\": {\"step\": 0.002, \"until\": 0.4}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 0.5, \"e\": 0.8}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type"
    "\": \"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"sphere\","
    " \"radius\": 0.2}, \"density\": 7800, \"rotation\": [1.682, -0.2575, 0.347], \"velocity\": ["
    "-1.063, 0.9392, 2.765], \"angular\": [-2.053, -0.6451, 0.8337], \"position\": [-0.496756, -0"
    ".321592, 1]}, {\"name\": \"b1\", \"shape\": {\"type\": \"cone\", \"radius\": 0.2, \"height\""
    ": 0.2}, \"mass\": 1.37, \"rotation\": [1.608, 0.8145, -0.6869], \"velocity\": [2.149, 3.765,"
    " 2.094], \"angular\": [9.995, -3.404, -22.81], \"position\": [0.411221, -0.00694074, 1.5]}, "
    "{\"name\": \"b2\", \"shape\": {\"type\": \"capsule\", \"radius\": 0.1, \"length\": 0.2}, \"m"
    "ass\": 0.0165, \"position\": [0, 0, 0.2]}, {\"name\": \"b3\", \"shape\": {\"type\": \"cone\""
    ", \"radius\": 0.1, \"height\": 0.1}, \"mass\": 24.7, \"rotation\": [1.567, 0.2032, 0.9976], "
    "\"position\": [-0.289859, 0.180948, 2.5]}, {\"name\": \"b4\", \"shape\": {\"type\": \"cone\""
    ", \"radius\": 0.05, \"height\": 0.05}, \"mass\": 94.9, \"position\": [0, 0, 0.51]}, {\"name"
    "\": \"b5\", \"shape\": {\"type\": \"cone\", \"radius\": 0.05, \"height\": 0.05}, \"density\""
    ": 7800, \"position\": [0, 0, 0.72]}, {\"name\": \"b6\", \"shape\": {\"type\": \"cone\", \"ra"
    "dius\": 0.05, \"height\": 0.05}, \"mass\": 12, \"position\": [0, 0, 1.02]}], \"interactions"
    "\": [{\"systems\": [\"b4\", \"b3\"], \"relation\": {\"type\": \"joint\", \"joint\": \"prisma"
    "tic\", \"anchor\": [-0.144929, 0.0904741, 1.505], \"axis\": [0, 0, 1]}}]}";

static perp_verdict_kind run(const char *text, double until, double *violation)
{
    perp_scene *scene = scene_of(text, NULL);
    perp_sim *sim = perp_scene_sim(scene);
    perp_verdict verdict;
    while (perp_sim_time(sim) < until)
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_verdict(sim, &verdict, sizeof verdict), PERP_SOLVED);
    *violation = perp_sim_info(sim)->violation;
    perp_scene_destroy(scene);
    return verdict.kind;
}

START_TEST(rates_of_rounding_are_none)
{
    const char *const texts[] = {held, weightless, falling, still};
    double violation;
    ck_assert_int_eq(run(texts[_i], 0.1, &violation), PERP_VERDICT_VERIFIED);
    ck_assert_double_le(violation, 1e-12);
}
END_TEST

/* The boxes turn with the ball, and the middle of a step sees them slip by 1e-8: no impulse ends
 * that, and none is looked for. */
START_TEST(stresses_are_not_looked_for)
{
    perp_scene *scene = scene_of(held, NULL);
    perp_sim *sim = perp_scene_sim(scene);
    const perp_step_info *info = perp_sim_info(sim);
    int iterations = 0, newton = 0;
    while (info->t < 0.1) {
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
        iterations += info->solver->iterations;
        newton += info->newton;
    }
    ck_assert_int_le(iterations, 500);
    ck_assert_int_le(newton, 500);
    perp_scene_destroy(scene);
}
END_TEST

/* It is turned out of the way: nothing overlaps in the end. */
START_TEST(a_light_body_gives_way)
{
    double violation;
    (void)run(strut, 0.4, &violation);
    ck_assert_double_le(violation, 1e-9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("joined contacts");
    TCase *cases = tcase_create("cases");
    tcase_add_loop_test(cases, rates_of_rounding_are_none, 0, 4);
    tcase_add_test(cases, stresses_are_not_looked_for);
    tcase_add_test(cases, a_light_body_gives_way);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
