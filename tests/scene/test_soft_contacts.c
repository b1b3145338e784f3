/* SPDX-License-Identifier: BSD-3-Clause */
/* Compliances of contacts in scenes: read, run, judged, verified from the files, refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perp/verdict.h>

#include "tests/fixtures/scene_text.h"

#define BALL(contacts)                                                                             \
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.002},\n"                                \
    "\"gravity\": [0, 0, -9.81], \"bodies\": [\n"                                                  \
    " {\"name\": \"floor\", \"material\": \"a\",\n"                                                \
    "  \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},\n"                                \
    " {\"name\": \"ball\", \"mass\": 2, \"position\": [0, 0, 0.1], \"material\": \"b\",\n"         \
    "  \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}],\n"                                    \
    "\"contacts\": {" contacts "}}"

static const char *const rests[] = {
    BALL("\"mu\": 0.3, \"compliance\": 1e-4, \"damping\": 200"),
    BALL("\"compliance\": 1e-4, \"damping\": 200"),
    BALL("\"mu\": 0.3, \"materials\": [{\"between\": [\"b\", \"a\"], \"mu\": 0.1,"
         " \"compliance\": 1e-4, \"damping\": 200, \"relative_compliance\": 1e-5}]"),
};

/* The overlap is compliance times weight. */
START_TEST(overlap)
{
    perp_scene *scene = scene_of(rests[_i], NULL);
    double *q = NULL;
    perp_scene_system_info info = {.size = sizeof info};
    perp_status status = PERP_SOLVED;
    perp_sim *sim = perp_scene_sim(scene);
    while (status == PERP_SOLVED && perp_sim_time(sim) < 1.0)
        status = perp_sim_step(sim);
    ck_assert_int_eq(status, PERP_SOLVED);
    ck_assert_int_eq(perp_scene_system(scene, perp_scene_find_system(scene, "ball"), &info), 0);
    ck_assert_int_eq(perp_model_state(perp_scene_model(scene), info.id, &q, NULL, NULL, NULL), 0);
    ck_assert_double_eq_tol(q[2], 0.1 - 2.0 * 9.81 * 1e-4, 1e-9);
    perp_verdict verdict;
    ck_assert_int_eq(perp_sim_verdict(sim, &verdict, sizeof verdict), PERP_SOLVED);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_REMARKS); /* 2 mm of 100 mm is told */
    ck_assert_str_eq(verdict.first, "compliance");
    perp_scene_destroy(scene);
}
END_TEST

/* A floor that goes up and down throws the ball, by a spring that nothing is lost in. */
static const char thrown[] =
    "{\"version\": 1, \"time\": {\"until\": 0.2, \"step\": 0.005}, \"bodies\": [\n"
    " {\"name\": \"floor\", \"shape\": {\"type\": \"box\", \"sides\": [10, 10, 1]},\n"
    "  \"position\": [0, 0, -0.5], \"motion\": [{\"slide\": {\"axis\": [0, 0, 1],\n"
    "  \"amplitude\": 0.01, \"frequency\": 7.85}}]},\n"
    " {\"name\": \"ball\", \"mass\": 50, \"position\": [0, 0, 0.2], \"velocity\": [0, 0, -1],\n"
    "  \"shape\": {\"type\": \"sphere\", \"radius\": 0.06}}],\n"
    "\"contacts\": {\"compliance\": 1e-5}}";

/* What the floor gives comes from outside, and was counted as if it came from nothing. */
START_TEST(a_floor_that_moves)
{
    perp_verdict verdict = scene_verdict(thrown, 0.2, NULL, NULL);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_REMARKS);
    ck_assert_str_eq(verdict.first, "compliance");
    ck_assert_double_ge(fabs(verdict.external), 1.0);
}
END_TEST

static const struct {
    const char *text, *says;
} bad[] = {
    {BALL("\"compliance\": -1"), "compliance"},
    {BALL("\"damping\": 2"), "a damping is that of a contact with a compliance"},
    {BALL("\"e\": 0.5, \"compliance\": 1e-4"), "a damping in place of e"},
    {BALL("\"relative_compliance\": \"soft\""), "relative_compliance"},
    {BALL("\"complience\": 1e-4"), "did you mean 'compliance'"},
};

START_TEST(refused)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene = NULL;
    ck_assert_int_ne(perp_scene_create_from_text(&scene, bad[_i].text, NULL, NULL, &error), 0);
    ck_assert_ptr_null(scene);
    ck_assert_msg(strstr(error.text, bad[_i].says) != NULL, "%s", error.text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("soft contacts of scenes");
    TCase *cases = tcase_create("core");
    tcase_set_timeout(cases, 60.0);
    tcase_add_loop_test(cases, overlap, 0, 3);
    tcase_add_test(cases, a_floor_that_moves);
    tcase_add_loop_test(cases, refused, 0, sizeof bad / sizeof bad[0]);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
