/* SPDX-License-Identifier: BSD-3-Clause */
/* Light bodies between heavy ones and the floor: many impacts in a step, or without end, or such
 * that joints let no bounce follow. */
#include <perp/scene.h>
#include <perp/verdict.h>

#include "tests/fixtures/scene_text.h"

/* Without loss: the light one carries the heavy one's momentum to the floor in some sixty blows. */
static const char carried[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 0.3}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 0, \"e\": 1}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"ellipsoid\", "
    "\"radii\": [0.1, 0.07, 0.05]}, \"density\": 100, \"position\": [0, 0, 0.05]}, {\"name\": \"b"
    "1\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 319, \"position\": [0, 0,"
    " 0.3]}]}";

/* With loss they accumulate at an instant, and what follows moves as one. */
static const char ended[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 0.2}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 0, \"e\": 0.3}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\""
    ": \"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b1\", \"shape\": {\"type\": \"capsule\", "
    "\"radius\": 0.05, \"length\": 0.1}, \"mass\": 0.541, \"position\": [0, 0, 0.1]}, {\"name\": "
    "\"b2\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"mass\": 0.346, \"position\": "
    "[0, 0, 0.25]}, {\"name\": \"b3\", \"shape\": {\"type\": \"cone\", \"radius\": 0.05, \"height"
    "\": 0.05}, \"mass\": 234, \"position\": [0, 0, 0.4]}]}";

/* The same with friction, which is no reason to be silent about it. */
static const char ended_with_friction[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 0.2}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 0.1, \"e\": 0.8}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\""
    ": \"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"light\", \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.1}, \"mass\": 0.1, \"position\": [0, 0, 0.1]}, {\"name\": \"heavy\", \"shape\": "
    "{"
    "\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 1000, \"position\": [0, 0, 0.35]}]}";

/* Some three hundred blows, and friction that nothing slips against. */
static const char carried_far[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 0.2}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 0.1, \"e\": 1}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"light\", \"shape\": {\"type\": \"sphere\", "
    "\"r"
    "adius\": 0.1}, \"mass\": 0.1, \"position\": [0, 0, 0.1]}, {\"name\": \"heavy\", \"shape\": "
    "{\"t"
    "ype\": \"sphere\", \"radius\": 0.1}, \"mass\": 1000, \"position\": [0, 0, 0.35]}]}";

/* A box held by the one half of a hinge below the other half: what falls on a capsule is to bounce
 * off where friction holds it, and the hinge turns both together or neither. */
static const char jammed[] =
    "{\"version\": 1, \"time\": {\"step\": 0.001, \"until\": 0.06}, \"gravity\": [0, 0, -9.81], "
    "\"contacts\": {\"mu\": 1, \"e\": 0.8}, \"bodies\": [{\"name\": \"floor\", \"shape\": "
    "{\"type\": \"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"under\", \"shape\": {\"type\": "
    "\"capsule\", \"radius\": 0.025, \"length\": 0.05}, \"density\": 100, \"position\": [0, 0, "
    "0.05]}, {\"name\": \"box\", \"shape\": {\"type\": \"box\", \"sides\": [0.05, 0.05, 0.025]}, "
    "\"density\": 100, \"position\": [0, 0, 0.1225]}, {\"name\": \"heavy\", \"shape\": {\"type\": "
    "\"capsule\", \"radius\": 0.1, \"length\": 0.2}, \"density\": 7800, \"position\": [0, 0, "
    "0.335]}, {\"name\": \"high\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.1, 0.07, "
    "0.05]}, \"mass\": 7.23, \"rotation\": [-1.282, -0.6666, -1.866], \"position\": [0.267048, "
    "-0.686084, 3.5]}], \"interactions\": [{\"systems\": [\"box\", \"high\"], \"relation\": "
    "{\"type\": \"joint\", \"joint\": \"fixed\", \"anchor\": [0.133524, -0.343042, 1.81125]}}, "
    "{\"systems\": [\"high\", \"heavy\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"pivot\", \"anchor\": [0.133524, -0.343042, 1.9175], \"axis\": [1, 0, 0]}}]}";

/* The floor stops the spin of the light one; what falls on it from above is as fast as before. */
static const char spun[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 0.1}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 0.1, \"e\": 1}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"light\", \"shape\": {\"type\": \"box\", "
    "\"sides\": [0.1, 0.1, 0.05]}, \"mass\": 0.05, \"angular\": [0, 120, 0], \"position\": [0, 0, "
    "0.025]}, {\"name\": \"heavy\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.2, 0.14, "
    "0.1]}, \"density\": 1000, \"position\": [0, 0, 0.15], \"velocity\": [0, 0, -1]}]}";

/* The floor and a heavy body strike a light ball between them at once, at two times of a step. */
static const char pressed[] =
    "{\"version\": 1, \"time\": {\"step\": 0.001, \"until\": 0.25}, \"gravity\": [0, 0, -9.81], "
    "\"contacts\": {\"mu\": 1, \"e\": 0.8}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type"
    "\": \"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"sphere\","
    " \"radius\": 0.2}, \"mass\": 0.0497, \"position\": [0, 0, 0.2]}, {\"name\": \"b1\", \"shape"
    "\": {\"type\": \"ellipsoid\", \"radii\": [0.05, 0.035, 0.025]}, \"mass\": 86.2, \"position\""
    ": [0, 0, 0.435]}, {\"name\": \"b2\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.2, 0"
    ".14, 0.1]}, \"mass\": 168, \"position\": [0, 0, 0.66]}, {\"name\": \"b3\", \"shape\": {\"typ"
    "e\": \"ellipsoid\", \"radii\": [0.1, 0.07, 0.05]}, \"mass\": 1.95, \"rotation\": [-0.7888, 1"
    ".911, 0.5362], \"position\": [-0.438483, -0.67373, 2.5]}, {\"name\": \"b4\", \"shape\": {\"t"
    "ype\": \"cone\", \"radius\": 0.05, \"height\": 0.05}, \"density\": 1000, \"position\": [0, 0"
    ", 0.96]}], \"interactions\": [{\"systems\": [\"b2\", \"b4\"], \"relation\": {\"type\": \"joi"
    "nt\", \"joint\": \"universal\", \"anchor\": [0, 0, 0.81], \"axis\": [1, 0, 0], \"axis_b\": ["
    "0, 1, 0]}}, {\"systems\": [\"b2\", \"b1\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"cylindrical\", \"anchor\": [0, 0, 0.5475], \"axis\": [0, 0, 1]}}, {\"systems\": [\"b4\", "
    "\"b3\"], \"relation\": {\"type\": \"joint\", \"joint\": \"point\", \"anchor\": [-0.219242, -"
    "0.336865, 1.73]}}]}";

/* Balls in a box that is shaken: more than eight stages in a step, in which a ball that was struck
 * late is in one impact with others that strike early. */
static const char shaken[] =
    "{\"version\": 1, \"time\": {\"step\": 0.004, \"until\": 1.4}, \"gravity\": [0, 0, -9.81], "
    "\"contacts\": {\"mu\": 0.3, \"e\": 0.3}, \"bodies\": [{\"name\": \"box\", \"shapes\": "
    "[{\"type\": \"box\", \"sides\": [0.6, 0.6, 0.05], \"position\": [0, 0, -0.025]}, {\"type\": "
    "\"box\", \"sides\": [0.05, 0.7, 0.6], \"position\": [-0.325, 0, 0.3]}, {\"type\": \"box\", "
    "\"sides\": [0.05, 0.7, 0.6], \"position\": [0.325, 0, 0.3]}, {\"type\": \"box\", \"sides\": "
    "[0.7, 0.05, 0.6], \"position\": [0, -0.325, 0.3]}, {\"type\": \"box\", \"sides\": [0.7, 0.05, "
    "0.6], \"position\": [0, 0.325, 0.3]}], \"motion\": {\"slide\": {\"axis\": [1, 0, 0], "
    "\"amplitude\": 0.05, \"frequency\": 3}}}, {\"name\": \"b\", \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.05}, \"mass\": 0.2, \"position\": [-0.15, -0.15, 0.06], \"copies\": {\"count\": "
    "[3, 3, 3], \"spacing\": [0.14, 0.14, 0.12], \"jitter\": 0.01, \"seed\": 2}}]}";

static double lost(const perp_verdict *verdict)
{
    return verdict->contact / verdict->scale;
}

/* Ended plastically after forty or two hundred blows, the heavy body stayed where it fell. */
START_TEST(many_blows_carry_without_loss)
{
    perp_verdict verdict = scene_verdict(carried, 0.3, NULL, NULL);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
    ck_assert_double_le(lost(&verdict), 1e-4);
    verdict = scene_verdict(carried_far, 0.2, NULL, NULL);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
    ck_assert_double_le(lost(&verdict), 1e-4);
}
END_TEST

/* Impulses of 1e8 that bore against each other were found, and lost what the impact was. */
START_TEST(what_cannot_bounce_ends_plastically)
{
    perp_verdict verdict = scene_verdict(jammed, 0.06, NULL, NULL);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
}
END_TEST

/* An approach slower than the turn of a contact is left to the gap law, but not by a turn that an
 * impact ended. */
START_TEST(a_spin_that_is_stopped_excuses_no_blow)
{
    perp_verdict verdict = scene_verdict(spun, 0.1, NULL, NULL);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
}
END_TEST

static void stays_below(perp_scene *scene, void *height)
{
    perp_scene_system_info info = {.size = sizeof info};
    int b0 = perp_scene_find_system(scene, "b0");
    double *q = NULL;
    ck_assert_int_eq(perp_scene_system(scene, b0, &info), PERP_SOLVED);
    ck_assert_int_eq(perp_model_state(perp_scene_model(scene), info.id, &q, NULL, NULL, NULL), 0);
    ck_assert_double_le(q[2], *(double *)height);
}

/* What both give it goes through it, and threw it by seven metres in a millisecond. */
START_TEST(what_presses_from_both_sides_throws_nothing)
{
    double height = 0.202;
    perp_verdict verdict = scene_verdict(pressed, 0.2, stays_below, &height);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
}
END_TEST

/* A ball moved by 0.85 m/s, of which the fastest velocity in the step was 0.38. */
START_TEST(impacts_of_a_body_keep_their_order)
{
    perp_verdict verdict = scene_verdict(shaken, 1.4, NULL, NULL);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
}
END_TEST

START_TEST(an_end_by_number_is_a_remark)
{
    const char *const texts[] = {ended, ended_with_friction};
    for (int k = 0; k < 2; k++) {
        perp_verdict verdict = scene_verdict(texts[k], 0.2, NULL, NULL);
        ck_assert_int_eq(verdict.kind, PERP_VERDICT_REMARKS);
        ck_assert_str_eq(verdict.first, "impacts");
        ck_assert_int_ge(verdict.systems[0], 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("many impacts");
    TCase *cases = tcase_create("cases");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, many_blows_carry_without_loss);
    tcase_add_test(cases, what_cannot_bounce_ends_plastically);
    tcase_add_test(cases, a_spin_that_is_stopped_excuses_no_blow);
    tcase_add_test(cases, what_presses_from_both_sides_throws_nothing);
    tcase_add_test(cases, impacts_of_a_body_keep_their_order);
    tcase_add_test(cases, an_end_by_number_is_a_remark);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
