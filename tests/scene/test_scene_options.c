/* SPDX-License-Identifier: BSD-3-Clause */
/* Time, solver, schemes and failures of a scene: what they do, in each form that JSON has for them.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/fixtures/scene_text.h"

#define HEAD "{\"version\": 1, \"time\": {\"until\": 0.1, \"step\": 0.01}, "
#define TWO                                                                                        \
    "\"systems\": [{\"name\": \"a\", \"type\": \"lagrangian\", \"q0\": [1], \"F\": [-1]},\n"       \
    "{\"name\": \"b\", \"type\": \"lagrangian\", \"q0\": [1], \"F\": [-1]}]"

/* A column of five boxes whose masses grow upwards, of which one iteration solves nothing. */
static void failing(char *text, size_t size, const char *rest)
{
    int at =
        snprintf(text, size,
                 "{\"version\": 1, \"time\": {\"until\": 0.02, \"step\": 0.01}, \"gravity\": [0, "
                 "0, -9.81], \"contacts\": {\"mu\": 0.5}, \"bodies\": [{\"name\": \"floor\", "
                 "\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}");
    double mass = 1.0;
    for (int k = 0; k < 5; k++, mass *= 10.0)
        at += snprintf(text + at, size - (size_t)at,
                       ", {\"name\": \"b%d\", \"mass\": %g, \"position\": [0, 0, %g], \"shape\": "
                       "{\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}}",
                       k, mass, 0.1 + 0.2 * k);
    snprintf(text + at, size - (size_t)at, "], \"solver\": {\"name\": \"gs\", \"max_iter\": 1}%s}",
             rest);
}

/* The last solver that was tried is named, in the order of the list; auto where there is none. */
START_TEST(solvers_that_are_tried_again)
{
    static const char *const all[][2] = {
        {"", "(auto: error"},
        {", \"failure\": {\"then\": \"stop\"}", "(auto: error"},
        {", \"failure\": {\"retry\": [\"nsn\"]}", "(nsn: error"},
        {", \"failure\": {\"retry\": [\"ipm\"], \"then\": \"stop\"}", "(ipm: error"},
        {", \"failure\": {\"retry\": [\"ipm\", \"nsn\"], \"then\": \"halve\"}", "(nsn: error"},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char text[1500];
        perp_scene_run_options options;
        perp_scene_run_info info = {.size = sizeof info};
        failing(text, sizeof text, all[k][0]);
        perp_scene *scene = scene_of(text, NULL);
        perp_scene_run_options_init(&options, sizeof options);
        ck_assert_int_eq(perp_scene_run(scene, &options, &info), PERP_ITERATION_LIMIT);
        ck_assert_msg(strstr(info.detail, all[k][1]) != NULL, "%s: %s", all[k][0], info.detail);
        perp_scene_destroy(scene);
    }
}
END_TEST

/* "accept" goes on with what there is, and says how many steps were not solved; "least" stops where
 * nothing shows that there is no solution. */
START_TEST(steps_that_are_accepted)
{
    for (int least = 0; least < 2; least++) {
        char text[1500], rest[80];
        perp_scene_run_options options;
        perp_scene_run_info info = {.size = sizeof info};
        snprintf(rest, sizeof rest, ", \"failure\": {\"then\": \"%s\"}",
                 least ? "least" : "accept");
        failing(text, sizeof text, rest);
        perp_scene *scene = scene_of(text, NULL);
        perp_scene_run_options_init(&options, sizeof options);
        perp_status status = perp_scene_run(scene, &options, &info);
        ck_assert_msg(status == (least ? PERP_ITERATION_LIMIT : PERP_SOLVED), "%s", info.detail);
        ck_assert_int_eq((int)info.unsolved, least ? 0 : 2);
        ck_assert_int_eq((int)info.steps, least ? 0 : 2);
        perp_scene_destroy(scene);
    }
}
END_TEST

/* theta of each system is that of the scheme that names it: the energy of a spring under
 * moreau-jean stays with 1/2 and falls with 1. */
START_TEST(schemes_of_listed_systems)
{
    perp_scene *scene = scene_of(
        HEAD "\"systems\": [{\"name\": \"a\", \"type\": \"lagrangian\", \"q0\": [1], \"K\": "
             "[[100]]}, {\"name\": \"b\", \"type\": \"lagrangian\", \"q0\": [1], \"K\": "
             "[[100]]}], \"schemes\": [{\"name\": \"moreau-jean\", \"theta\": 0.5, "
             "\"systems\": [\"a\"]}, {\"name\": \"moreau-jean\", \"theta\": 1, \"systems\": "
             "[\"b\"]}], \"record\": {\"quantities\": [\"a.q\", \"a.v\", \"b.q\", \"b.v\"]}}",
        NULL);
    const double *row = scene_last_row(scene);
    double a = 100.0 * row[1] * row[1] + row[2] * row[2],
           b = 100.0 * row[3] * row[3] + row[4] * row[4];
    /* By hand: (1 + h^2 w^2 theta^2) factors, ten steps of h = 0.01 with w = 10. */
    ck_assert_double_eq_tol(a, 100.0, 1e-9);
    ck_assert_double_eq_tol(b, 100.0 * pow(1.0 + 0.01, -10.0), 1e-9);
    perp_scene_destroy(scene);
}
END_TEST

/* The same number as a whole one, a fraction, a text or a truth value. */
START_TEST(forms_of_settings)
{
    static const char *const good[] = {
        "\"max_iter\": 100",  "\"max_iter\": \"100\"",    "\"tol\": 1e-9",
        "\"tol\": \"1e-9\"",  "\"measure\": \"natural\"", "\"shuffle\": true",
        "\"shuffle\": false", "\"inner\": \"gs\"",        "\"max_iter\": 1e2",
    };
    static const struct {
        const char *setting, *words;
    } bad[] = {
        {"\"max_iter\": 1.5", "'1.5' is not a whole number from 0 to "},
        {"\"max_iter\": 5, \"tol\": -1", "'-1' is not a number from "},
        {"\"max_iter\": true", "true is no number"},
        {"\"tol\": true", "true is no number"},
        {"\"tol\": false", "false is no number"},
        {"\"tol\": \"small\"", "'small' is not a number from "},
        {"\"max_iter\": null", "a number or a string is expected"},
        {"\"inner\": \"gz\"", "there is no solver 'gz'; did you mean 'gs'?"},
        {"\"inner\": \"psor\"", "'psor' is now 'pgs'"},
        {"\"name\": \"psor\"", "'psor' is now 'pgs'"},
        {"\"name\": \"lemkee\"", "did you mean 'lemke'?"},
        {"\"name\": 7", "a string is expected"},
        {"\"mixing\": 3", "'mixing' is now 'depth'"},
        {"\"cost_flop\": 3", "'cost_flop' is no setting any more"},
        {"\"max_itr\": 3", "did you mean 'max_iter'?"},
        {"\"tolerance\": 1e-4", "did you mean 'tol'?"},
        {"\"iterations\": 3", "did you mean 'max_iter'?"},
        {"\"warm_start\": true", "the simulation sets it"},
    };
    char text[600];
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        snprintf(text, sizeof text, HEAD TWO ", \"solver\": {%s}}", good[k]);
        perp_scene_destroy(scene_of(text, NULL));
    }
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        perp_scene_error error;
        snprintf(text, sizeof text, HEAD TWO ", \"solver\": {%s}}", bad[k].setting);
        ck_assert_int_eq(scene_refusal(&error, text, bad[k].words), PERP_ERR_FORMAT);
        ck_assert_msg(strstr(error.text, "solver.") != NULL, "%s", error.text);
    }
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        const char *scene, *words;
    } all[] = {
        {"{\"version\": 1, \"time\": {\"t0\": 2, \"until\": 1, \"step\": 0.01}, " TWO "}",
         "time.until: 1 lies before t0, 2"},
        {"{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0}, " TWO "}",
         "time.step: 0 is not positive"},
        {"{\"version\": 1, \"time\": {\"until\": 1, \"step\": -1}, " TWO "}",
         "time.step: -1 is not positive"},
        {"{\"version\": 1, \"time\": {\"until\": 1, \"step\": 2}, " TWO "}",
         "time.step: 2 is longer than the whole run"},
        {"{\"version\": 1, \"time\": {\"t0\": \"a\", \"until\": 1, \"step\": 2}, " TWO "}",
         "time.t0"},
        {"{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.1, \"odd\": 1}, " TWO "}",
         "time.odd: unknown key"},
        {"{\"version\": 1, \"time\": {\"until\": 1}, " TWO "}", "time.step: missing"},
        {"{\"version\": 1, \"time\": {\"step\": 1}, " TWO "}", "time.until: missing"},
        {HEAD TWO ", \"newton\": 7}", "newton: an object is expected"},
        {HEAD TWO ", \"newton\": {\"tol\": -1}}", "newton.tol"},
        {HEAD TWO ", \"newton\": {\"iterations\": 0}}", "newton.iterations"},
        {HEAD TWO ", \"newton\": {\"odd\": 0}}", "newton.odd: unknown key"},
        {HEAD TWO ", \"frames\": {\"every\": -1}}", "frames.every"},
        {HEAD TWO ", \"frames\": {\"odd\": 1}}", "frames.odd: unknown key"},
        {HEAD TWO ", \"failure\": {\"odd\": 1}}", "failure.odd: unknown key"},
        {HEAD TWO ", \"failure\": {\"then\": \"odd\"}}", "failure.then"},
        {HEAD TWO ", \"failure\": {\"retry\": 7}}", "failure.retry: an array is expected"},
        {HEAD TWO ", \"failure\": {\"retry\": [7]}}",
         "failure.retry[0]: the name of a solver is expected"},
        {HEAD TWO ", \"failure\": {\"retry\": [\"gs\", \"path\"]}}",
         "failure.retry[1]: 'path' is now 'central-path'"},
        {HEAD TWO ", \"warm_start\": 7}", "warm_start"},
        {HEAD TWO ", \"form\": \"odd\"}", "form"},
        {HEAD TWO ", \"schemes\": 7}", "schemes: an array is expected"},
        {HEAD TWO ", \"schemes\": [{}]}", "schemes[0].name: missing"},
        {HEAD TWO ", \"schemes\": [{\"name\": \"odd\"}]}", "'odd' is none of"},
        {HEAD TWO ", \"schemes\": [{\"name\": \"moreau-jean\", \"theta\": 3}]}",
         "schemes[0].theta: unknown or out of its range; parameters: "},
        {HEAD TWO ", \"schemes\": [{\"name\": \"moreau-jean\", \"theta\": []}]}",
         "schemes[0].theta: a number or a string is expected"},
        {HEAD TWO ", \"schemes\": [{\"name\": \"moreau-jean\", \"systems\": 7}]}",
         "schemes[0].systems: an array is expected"},
        {HEAD TWO ", \"schemes\": [{\"name\": \"moreau-jean\", \"systems\": [\"c\"]}]}",
         "schemes[0].systems[0]: "},
        {HEAD TWO ", \"schemes\": [{\"name\": \"euler-moreau\", \"systems\": [\"a\"]}]}",
         "schemes[0].systems[0]: euler-moreau does not take this system"},
        {HEAD "\"bodies\": [{\"name\": \"f\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, "
              "1]}}], \"schemes\": [{\"name\": \"moreau-jean\", \"systems\": [\"f\"]}]}",
         "schemes[0].systems[0]: 'f' is not integrated"},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        perp_scene_error error;
        (void)scene_refusal(&error, all[k].scene, all[k].words);
    }
}
END_TEST

/* What has no effect is said. */
START_TEST(warnings)
{
    perp_scene *scene = scene_of(HEAD TWO ", \"schemes\": [{\"name\": \"moreau-jean\"}, {\"name\": "
                                          "\"euler-moreau\"}]}",
                                 NULL);
    ck_assert(scene_warns(scene, "euler-moreau is the scheme of no system here; it has no effect"));
    ck_assert(!scene_warns(scene, "moreau-jean is the scheme"));
    perp_scene_destroy(scene);
    scene = scene_of(HEAD TWO ", \"schemes\": [{\"name\": \"schatzman-paoli\", \"gamma\": 0.5}]}",
                     NULL);
    ck_assert(scene_warns(scene, "schatzman-paoli does not read it; it has no effect"));
    perp_scene_destroy(scene);
    scene = scene_of(
        "{\"version\": 1, \"time\": {\"t0\": 1, \"until\": 1.025, \"step\": 0.01}, " TWO "}", NULL);
    ck_assert(scene_warns(scene, "the run ends at 1.02, after 2 steps") ||
              scene_warns(scene, "the run ends at 1.03, after 3 steps"));
    perp_scene_destroy(scene);
    scene = scene_of(
        "{\"version\": 1, \"time\": {\"t0\": 1, \"until\": 1, \"step\": 0.01}, " TWO "}", NULL);
    ck_assert_int_eq(perp_scene_warnings(scene), 0);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scene options");
    TCase *tcase = tcase_create("scene options");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, solvers_that_are_tried_again);
    tcase_add_test(tcase, steps_that_are_accepted);
    tcase_add_test(tcase, schemes_of_listed_systems);
    tcase_add_test(tcase, forms_of_settings);
    tcase_add_test(tcase, refusals);
    tcase_add_test(tcase, warnings);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
