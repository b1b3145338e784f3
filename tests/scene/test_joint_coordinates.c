/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits, motors, friction, servos and springs of joints in scenes: what is made of them,
 * quantities, refusals that name the place, and perp verify on such runs. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verify.h>

#include "tests/fixtures/scene_text.h"

#define HEAD                                                                                       \
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.005}, \"gravity\": [0, 0, -9.81],\n"    \
    "\"bodies\": [{\"name\": \"arm\", \"mass\": 2, \"inertia\": [0.01, 0.05, 0.05], "              \
    "\"position\": [0.5, 0, 0]}],\n"
#define JOINT_ALONG(axis, kind, keys)                                                              \
    "\"interactions\": [{\"name\": \"knee\", \"systems\": [\"arm\"], \"relation\": {\"type\": "    \
    "\"joint\", \"joint\": \"" kind "\", \"axis\": " axis ", " keys "}}]"
#define JOINT(kind, keys) JOINT_ALONG("[0, 1, 0]", kind, keys)
#define RECORD(list) ", \"record\": {\"quantities\": [" list "]}}"

static perp_scene *open_scene(const char *text)
{
    return scene_of(text, NULL);
}

START_TEST(a_limit_holds)
{
    perp_scene *scene = open_scene(HEAD JOINT("pivot", "\"limits\": [null, 0.3], \"e\": 0.2")
                                       RECORD("\"knee.angle\", \"knee.rate\", \"knee.torque\", "
                                              "\"knee.upper.y\", \"knee.upper.active\""));
    const double *row = scene_last_row(scene);
    ck_assert_int_eq(perp_model_interactions(perp_scene_model(scene)), 2);
    ck_assert_double_eq_tol(row[1], 0.3, 1e-9);
    ck_assert_double_eq_tol(row[2], 0.0, 1e-9);
    ck_assert_double_eq(row[3], 0.0); /* no drive */
    ck_assert_double_eq_tol(row[4], 0.0, 1e-9);
    ck_assert_double_eq(row[5], 1.0);
    perp_scene_destroy(scene);
}
END_TEST

#define BALL(keys)                                                                                 \
    "\"interactions\": [{\"name\": \"knee\", \"systems\": [\"arm\"], \"relation\": {\"type\": "    \
    "\"joint\", \"joint\": \"point\", " keys "}}]"

/* A ball joint: the whole angle, wherever its axis is, counted from where the model has it; the arm
 * goes down by 0.3, or to where it was by 0.8. */
START_TEST(a_ball_joint_holds)
{
    perp_scene *scene = open_scene(
        _i ? HEAD BALL("\"limits\": [null, 0.8], \"turned\": [0, 0.5, 0]")
                 RECORD("\"knee.angle\", \"knee.rate\", \"arm.q\"")
           : HEAD BALL("\"limits\": [0, 0.3]") RECORD("\"knee.angle\", \"knee.rate\", \"arm.q\""));
    const double *row = scene_last_row(scene);
    ck_assert_double_eq_tol(row[1], _i ? 0.8 : 0.3, 1e-9);
    ck_assert_double_eq_tol(row[2], 0.0, 1e-9);
    ck_assert_double_eq_tol(row[3], 0.5 * cos(0.3), 1e-9);
    ck_assert_double_eq_tol(row[5], -0.5 * sin(0.3), 1e-9);
    perp_scene_destroy(scene);
}
END_TEST

static const struct {
    const char *text;
    double value[3]; /* coordinate, rate, force at the end; NaN: any */
    double tol;
} runs[] = {
    {HEAD JOINT("pivot", "\"motor\": {\"speed\": -3, \"torque\": 40}")
         RECORD("\"knee.angle\", \"knee.rate\", \"knee.torque\""),
     {(double)NAN, -3.0, (double)NAN},
     2e-2},
    {HEAD JOINT("pivot", "\"friction\": 12")
         RECORD("\"knee.angle\", \"knee.rate\", \"knee.torque\""),
     {0.0, 0.0, -9.81},
     1e-8},
    {HEAD JOINT("pivot", "\"servo\": {\"target\": -0.4, \"stiffness\": 1000, \"damping\": 60, "
                         "\"torque\": 100}")
         RECORD("\"knee.angle\", \"knee.rate\", \"knee.torque\""),
     {-0.391, 0.0, -9.81 * 0.9245},
     2e-3},
    {HEAD JOINT("pivot", "\"servo\": {\"target\": -0.4, \"speed\": 5, \"acceleration\": 20, "
                         "\"torque\": 100}")
         RECORD("\"knee.angle\", \"knee.rate\", \"knee.torque\""),
     {-0.4, 0.0, (double)NAN},
     1e-7},
    {HEAD JOINT_ALONG("[0, 0, 1]", "prismatic",
                      "\"spring\": {\"stiffness\": 1962, \"rest\": "
                      "0.1}, \"damping\": 80")
         RECORD("\"knee.slide\", \"knee.speed\", \"knee.force\""),
     {0.09, 0.0, 19.62},
     1e-5},
    {HEAD JOINT_ALONG("[0, 0, 1]", "cylindrical",
                      "\"slide\": {\"limits\": [-0.1, null], \"friction\": 1}, "
                      "\"angle\": {\"motor\": {\"speed\": 2}}")
         RECORD("\"knee.slide\", \"knee.speed\", \"knee.rate\", \"knee.slide.lower.y\""),
     {-0.1, 0.0, 2.0},
     2e-3},
    {HEAD JOINT("pivot", "\"friction\": 0")
         RECORD("\"knee.angle\", \"knee.rate\", \"knee.torque\""),
     {(double)NAN, (double)NAN, 0.0},
     1e-12},
};

START_TEST(drives_do_what_they_say)
{
    perp_scene *scene = open_scene(runs[_i].text);
    const double *row = scene_last_row(scene);
    for (int k = 0; k < 3; k++)
        if (!isnan(runs[_i].value[k]))
            ck_assert_msg(fabs(row[1 + k] - runs[_i].value[k]) <= runs[_i].tol, "%d, %d: %.10g", _i,
                          k, row[1 + k]);
    perp_scene_destroy(scene);
}
END_TEST

START_TEST(refusals_name_the_place)
{
    static const struct {
        const char *text, *key, *says;
    } cases[] = {
        {HEAD JOINT("point", "\"load\": 1") "}", "interactions[0].relation.load",
         "no coordinate"},
        {HEAD BALL("\"limits\": [0.1, 1]") "}", "interactions[0].relation.limits[0]",
         "lower limit is 0"},
        {HEAD JOINT("pivot", "\"turned\": [0, 0, 1]") "}", "interactions[0].relation.turned",
         "of a point joint"},
        {HEAD JOINT("cylindrical", "\"friction\": 1") "}", "interactions[0].relation.friction",
         "'angle' or 'slide'"},
        {HEAD JOINT("pivot", "\"angle\": {\"friction\": 1}") "}", "interactions[0].relation.angle",
         "cylindrical"},
        {HEAD JOINT("pivot", "\"limits\": [1, 0]") "}", "interactions[0].relation.limits",
         "less than the lower"},
        {HEAD JOINT("pivot", "\"limits\": [1]") "}", "interactions[0].relation.limits",
         "null for none"},
        {HEAD JOINT("pivot", "\"e\": 0.5") "}", "interactions[0].relation.e", "give limits"},
        {HEAD JOINT("pivot", "\"motor\": {\"torque\": 1}") "}",
         "interactions[0].relation.motor.speed", "missing"},
        {HEAD JOINT("pivot", "\"motor\": {\"speed\": 1, \"force\": 1}") "}",
         "interactions[0].relation.motor.force", "torque"},
        {HEAD JOINT("pivot", "\"servo\": {\"target\": 1}") "}", "interactions[0].relation.servo",
         "stiffness"},
        {HEAD JOINT("pivot", "\"friction\": -1") "}", "interactions[0].relation.friction",
         "less than 0"},
        {HEAD JOINT("universal", "\"anchor\": [0, 0, 0]") "}", "interactions[0].relation.axis_b",
         "missing"},
        {HEAD JOINT("pivot", "\"anchor\": [0, 0, 0]") RECORD("\"knee.angle\""),
         "record.quantities[0]", "motor"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_scene_error error = {.size = sizeof error};
        perp_scene *scene;
        ck_assert_int_eq(perp_scene_create_from_text(&scene, cases[k].text, NULL, NULL, &error),
                         PERP_ERR_FORMAT);
        ck_assert_msg(strcmp(error.key, cases[k].key) == 0, "%zu: %s: %s", k, error.key,
                      error.text);
        ck_assert_msg(strstr(error.text, cases[k].says) != NULL, "%zu: %s", k, error.text);
    }
}
END_TEST

/* Laws of their own on other relations of one row. */
START_TEST(laws_of_linear_relations)
{
    perp_scene *scene =
        open_scene("{\"version\": 1, \"time\": {\"until\": 2, \"step\": 0.005}, \"systems\": "
                   "[{\"name\": \"cart\", "
                   "\"type\": \"lagrangian\", \"q0\": [0], \"M\": [[2]], \"F\": [3]}],\n"
                   "\"interactions\": [{\"name\": \"drive\", \"systems\": [\"cart\"], "
                   "\"relation\": {\"type\": "
                   "\"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"servo\", \"target\": 0.5, "
                   "\"stiffness\": 60, "
                   "\"damping\": 20, \"force\": 100}},\n"
                   "{\"name\": \"rail\", \"systems\": [\"cart\"], \"relation\": {\"type\": "
                   "\"linear\", \"C\": [[1]]}, "
                   "\"law\": {\"type\": \"dry-friction\", \"force\": 0.5}}],\n"
                   "\"record\": {\"quantities\": [\"cart.q\", \"cart.v\", \"drive.lambda\", "
                   "\"rail.lambda\"]}}");
    const double *row = scene_last_row(scene);
    /* It creeps up and rests where the forces are in balance. */
    ck_assert_double_eq_tol(row[3] + row[4], -3.0, 1e-6);
    ck_assert_double_eq_tol(row[3], -60.0 * (row[1] - 0.5), 1e-4);
    perp_scene_destroy(scene);
}
END_TEST

static char folder[64];

static void make_run(void)
{
    perp_scene *scene = open_scene(HEAD JOINT(
        "pivot",
        "\"limits\": [-1, 1], \"e\": 0.5, \"motor\": {\"speed\": -4, \"torque\": 14}, "
        "\"friction\": 0.5, \"spring\": {\"stiffness\": 2}") ", \"record\": {\"certify\": true}}");
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    strcpy(folder, "/tmp/perp-coordinates-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    perp_scene_destroy(scene);
}

static void remove_run(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static perp_check named(const perp_verification *found, const char *name)
{
    perp_check check = {.size = sizeof check};
    for (int k = 0; k < perp_verification_checks(found); k++) {
        ck_assert_int_eq(perp_verification_check(found, k, &check), PERP_SOLVED);
        if (strcmp(check.name, name) == 0)
            return check;
    }
    ck_abort_msg("no check %s", name);
}

START_TEST(a_clean_run_is_not_condemned)
{
    static const char *const expected[] = {"joints", "outputs", "laws", "energy gain"};
    perp_verification *found;
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, NULL), PERP_SOLVED);
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        perp_check check = named(found, expected[k]);
        ck_assert_msg(check.known && !check.contradicted, "%s: %g, %s, %s", check.name, check.worst,
                      check.where, check.why);
    }
    ck_assert_int_eq(perp_verification_holds(found), 1);
    perp_verification_destroy(found);
}
END_TEST

/* The scene says another limit, a weaker motor, another place of its limits, a stronger motor that
 * gave less than the energy says. */
START_TEST(another_scene_is_contradicted)
{
    static const struct {
        const char *script, *check;
    } changes[] = {{"s/\"torque\": 14/\"torque\": 13/", "laws"},
                   {"/\"limits\"/,/]/s/-1/-1.01/", "outputs"},
                   {"s/\"axis\"/\"axi\"/", "joints"}};
    char command[512];
    perp_verification *found;
    snprintf(command, sizeof command, "cd '%s' && sed '%s' scene.json >new && mv new scene.json",
             folder, changes[_i].script);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, NULL), PERP_SOLVED);
    perp_check check = named(found, changes[_i].check);
    ck_assert_msg(check.contradicted, "%s: %g", check.name, check.worst);
    perp_verification_destroy(found);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("coordinates of joints");
    TCase *tc = tcase_create("scenes"), *files = tcase_create("files");
    tcase_add_test(tc, a_limit_holds);
    tcase_add_loop_test(tc, a_ball_joint_holds, 0, 2);
    tcase_add_loop_test(tc, drives_do_what_they_say, 0, (int)(sizeof runs / sizeof runs[0]));
    tcase_add_test(tc, refusals_name_the_place);
    tcase_add_test(tc, laws_of_linear_relations);
    tcase_add_checked_fixture(files, make_run, remove_run);
    tcase_add_test(files, a_clean_run_is_not_condemned);
    tcase_add_loop_test(files, another_scene_is_contradicted, 0, 3);
    suite_add_tcase(suite, tc);
    suite_add_tcase(suite, files);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
