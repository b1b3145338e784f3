/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies upright on a pivot in the plane of the floor: joints carry all weight, the contacts hold
 * the body from both sides, and the rates of their rows are rounding alone, whose signs contradict
 * each other. */
#include <check.h>

#include <perp/scene.h>
#include <perp/verdict.h>

enum { STEPS = 50 };

static const char text[] =
    "{\"version\": 1, \"time\": {\"step\": 0.001, \"until\": 1}, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},"
    "  {\"name\": \"lower\", \"mass\": 0.2, \"position\": [0.025, 0, 0.05],"
    "   \"shape\": {\"type\": \"box\", \"sides\": [0.025, 0.025, 0.1]}},"
    "  {\"name\": \"upper\", \"mass\": 0.25, \"position\": [0.0375, 0, 0.2],"
    "   \"shape\": {\"type\": \"box\", \"sides\": [0.025, 0.025, 0.2]}}],"
    " \"interactions\": ["
    "  {\"systems\": [\"lower\"], \"relation\": {\"type\": \"joint\", \"joint\": \"pivot\","
    "   \"anchor\": [0.025, 0, 0], \"axis\": [1, 0, 0]}},"
    "  {\"systems\": [\"lower\", \"upper\"], \"relation\": {\"type\": \"joint\","
    "   \"joint\": \"pivot\", \"anchor\": [0.0375, 0, 0.1], \"axis\": [1, 0, 0]}}],"
    " \"contacts\": {\"mu\": 1, \"exclude\": [[\"lower\", \"upper\"]]}}";

static perp_scene *scene_of(const char *of)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_msg(perp_scene_create_from_text(&scene, of, NULL, NULL, &error) == PERP_SOLVED, "%s",
                  error.text);
    return scene;
}

static perp_verdict_kind verdict_of(perp_sim *sim)
{
    perp_verdict verdict;
    ck_assert_int_eq(perp_sim_verdict(sim, &verdict, sizeof verdict), PERP_SOLVED);
    return verdict.kind;
}

START_TEST(a_wedged_body_stays)
{
    perp_scene *scene = scene_of(text);
    perp_sim *sim = perp_scene_sim(scene);
    for (int k = 0; k < STEPS; k++) {
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_info(sim)->halvings, 0);
    }
    ck_assert_int_eq(verdict_of(sim), PERP_VERDICT_VERIFIED);
    perp_scene_destroy(scene);
}
END_TEST

/* Balls in each other that joints hold where they are: no displacement parts them, and a large one
 * that opens the joints instead is none. */
static const char held[] =
    "{\"version\": 1, \"time\": {\"until\": 0.1, \"step\": 0.001}, \"gravity\": [0, 0, -9.81],"
    " \"contacts\": {\"mu\": 0.5}, \"bodies\": ["
    "  {\"name\": \"a\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [0, 0, 0],"
    "   \"shape\": {\"type\": \"sphere\", \"radius\": 0.12}},"
    "  {\"name\": \"b\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [0.1, 0, 0]},"
    "  {\"name\": \"c\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [0.2, 0, 0],"
    "   \"shape\": {\"type\": \"sphere\", \"radius\": 0.12}}],"
    " \"interactions\": ["
    "  {\"name\": \"hang\", \"systems\": [\"a\"], \"relation\": {\"type\": \"joint\","
    "   \"joint\": \"pivot\", \"anchor\": [0, 0, 0.2], \"axis\": [0, 1, 0]}},"
    "  {\"name\": \"ab\", \"systems\": [\"a\", \"b\"], \"relation\": {\"type\": \"joint\","
    "   \"joint\": \"fixed\", \"anchor\": [0.05, 0, 0]}},"
    "  {\"name\": \"bc\", \"systems\": [\"b\", \"c\"], \"relation\": {\"type\": \"joint\","
    "   \"joint\": \"pivot\", \"anchor\": [0.1, 0, 0], \"axis\": [1, 0, 0]}}]}";

START_TEST(overlaps_that_joints_hold_stay)
{
    perp_scene *scene = scene_of(held);
    perp_sim *sim = perp_scene_sim(scene);
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < STEPS && status == PERP_SOLVED; k++) {
        status = perp_sim_step(sim);
        if (status == PERP_SOLVED) /* the overlap itself is 0.04 */
            ck_assert_double_le(perp_sim_info(sim)->violation, 0.0401);
    }
    ck_assert_int_eq(verdict_of(sim), PERP_VERDICT_NOT_VERIFIED);
    perp_scene_destroy(scene);
}
END_TEST

/* Three boxes on hinges lie on the floor, one hinge at a limit: the law of gaps leaves it open by less
 * than counts as a gap, and it still belongs to the rows from the first iterate on. */
static const char resting[] =
    "{\"version\": 1, \"time\": {\"until\": 3, \"step\": 0.005}, \"gravity\": [0, 0, -9.81], "
    "\"contacts\": {\"mu\": 0.6}, \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shape\": "
    "{\"type\": \"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"a\", \"mass\": 1, \"inertia\": "
    "[0.002, 0.004, 0.004], \"position\": [0, 0, 0.3], \"shape\": {\"type\": \"box\", "
    "\"sides\": [0.2, 0.1, 0.1]}}, {\"name\": \"b\", \"mass\": 1, \"inertia\": [0.002, 0.004, "
    "0.004], \"position\": [0.2, 0, 0.3], \"shape\": {\"type\": \"box\", \"sides\": [0.2, "
    "0.1, 0.1]}}, {\"name\": \"c\", \"mass\": 1, \"inertia\": [0.002, 0.004, 0.004], "
    "\"position\": [0.4, 0, 0.3], \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.1, "
    "0.1]}}], \"interactions\": [{\"name\": \"h\", \"systems\": [\"a\", \"b\"], \"relation\": "
    "{\"type\": \"joint\", \"joint\": \"pivot\", \"anchor\": [0.1, 0, 0.25], \"axis\": [0, 1, "
    "0], \"limits\": [-0.3, 0.3]}}, {\"name\": \"g\", \"systems\": [\"b\", \"c\"], \"relation\": "
    "{\"type\": \"joint\", \"joint\": \"pivot\", \"anchor\": [0.3, 0, 0.25], \"axis\": [0, 1, "
    "0], \"limits\": [0.2, 0.6]}}]}";

START_TEST(a_limit_at_rest_takes_one_iterate)
{
    enum { SETTLED = 400, MORE = 200 };
    perp_scene *scene = scene_of(resting);
    perp_sim *sim = perp_scene_sim(scene);
    long iterates = 0;
    for (int k = 0; k < SETTLED + MORE; k++) {
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
        iterates += k >= SETTLED ? perp_sim_info(sim)->newton : 0;
    }
    ck_assert_int_le(iterates, MORE + MORE / 50);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wedged");
    TCase *rest = tcase_create("rest");
    tcase_add_test(rest, a_wedged_body_stays);
    tcase_add_test(rest, overlaps_that_joints_hold_stay);
    tcase_add_test(rest, a_limit_at_rest_takes_one_iterate);
    suite_add_tcase(suite, rest);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
