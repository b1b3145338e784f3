/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of joint coordinates, strings between bodies, loads and starts of joints: against closed forms,
 * against a scene that says the same in another way, and what is refused. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verdict.h>

#define HEAD(until)                                                                                 \
    "{\"version\": 1, \"time\": {\"until\": " until ", \"step\": 0.001}, \"gravity\": [0, 0, -9.81],\n"
#define BODY(name, inertia, place)                                                                  \
    "{\"name\": \"" name "\", \"mass\": 2, \"inertia\": [" inertia "], \"position\": [" place "]}"
#define PIVOT(name, systems, anchor, keys)                                                          \
    "{\"name\": \"" name "\", \"systems\": [" systems "], \"relation\": {\"type\": \"joint\", "     \
    "\"joint\": \"pivot\", \"anchor\": [" anchor "], \"axis\": [0, 1, 0]" keys "}}"
#define RECORD(list) "], \"record\": {\"quantities\": [" list "]}}"

static perp_scene *open_scene(const char *text)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    return scene;
}

/* All rows of a run. */
static perp_recorder *run(perp_scene *scene)
{
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_run_options_init(&options, sizeof options);
    options.keep_rows = 1;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    ck_assert_int_eq((int)info.unsolved, 0);
    return perp_scene_recorder(scene);
}

static const double *last_row(perp_recorder *recorder)
{
    return perp_recorder_data(recorder) +
           (perp_recorder_rows(recorder) - 1) * perp_recorder_columns(recorder);
}

/* A rotor that follows a joint to the world adds its mass to the inertia about the axis. */
START_TEST(a_rotor_is_inertia)
{
    perp_scene *with = open_scene(
        HEAD("0.5") "\"systems\": [{\"name\": \"rotor\", \"type\": \"lagrangian\", \"M\": [[0.3]], "
                    "\"q0\": [0], \"v0\": [0]}], \"bodies\": [" BODY("rod", "0.2, 0.2, 0.01",
                                                                     "0.5, 0, 0") "],\n"
                    "\"interactions\": [" PIVOT("swing", "\"rod\"", "0, 0, 0", ", \"friction\": 0") ","
                    "{\"name\": \"follow\", \"systems\": [\"rod\", \"rotor\"], \"relation\": {\"type\": "
                    "\"coupling\", \"terms\": [{\"joint\": \"swing\"}, {\"system\": \"rotor\", "
                    "\"factor\": -1}]}}" RECORD(
                        "\"swing.angle\", \"rotor.q\", \"swing.rate\""));
    perp_scene *plain = open_scene(
        HEAD("0.5") "\"bodies\": [" BODY("rod", "0.2, 0.5, 0.31", "0.5, 0, 0") "],\n"
                    "\"interactions\": [" PIVOT("swing", "\"rod\"", "0, 0, 0", ", \"friction\": 0")
                        RECORD("\"swing.angle\", \"swing.rate\""));
    const double *a = last_row(run(with)), *b = last_row(run(plain));
    ck_assert_double_gt(fabs(b[1]), 0.5);
    ck_assert_double_eq_tol(a[1], b[1], 1e-7);
    ck_assert_double_eq_tol(a[1], a[2], 1e-10);
    ck_assert_double_eq_tol(a[3], b[2], 1e-7);
    perp_scene_destroy(with);
    perp_scene_destroy(plain);
}
END_TEST

/* The damping of a rotor without a mass worth the name takes the whole drive: both are large beside
 * its momentum, as is what the joints round. */
START_TEST(a_light_rotor_in_balance_is_verified)
{
    perp_verdict verdict;
    perp_scene *scene = open_scene(
        HEAD("0.2") "\"systems\": [{\"name\": \"rotor\", \"type\": \"lagrangian\", \"M\": "
                    "[[2.5e-12]], \"C\": [[0.03]], \"F\": [0.25], \"q0\": [0], \"v0\": [0]}], "
                    "\"bodies\": [" BODY("hull", "0.001, 0.001, 0.001", "0, 0, 0") ", {\"name\": "
                    "\"wheel\", \"mass\": 0.06, \"inertia\": [1.5e-5, 2.5e-5, 1.5e-5], "
                    "\"position\": [0, 0.06, 0]}], \"interactions\": [{\"name\": \"stand\", "
                    "\"systems\": [\"hull\"], \"relation\": {\"type\": \"joint\", \"joint\": "
                    "\"fixed\", \"anchor\": [0, 0, 0]}}, " PIVOT("axle", "\"wheel\", \"hull\"",
                                                                 "0, 0.06, 0", "") ", "
                    "{\"name\": \"follow\", \"systems\": [\"wheel\", \"hull\", \"rotor\"], "
                    "\"relation\": {\"type\": \"coupling\", \"terms\": [{\"joint\": \"axle\"}, "
                    "{\"system\": \"rotor\", \"factor\": -1}]}}" RECORD("\"rotor.v\""));
    ck_assert_double_eq_tol(last_row(run(scene))[1], 0.25 / 0.03, 1e-9);
    ck_assert_int_eq(perp_sim_verdict(perp_scene_sim(scene), &verdict, sizeof verdict),
                     PERP_SOLVED);
    ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "%s", verdict.first);
    perp_scene_destroy(scene);
}
END_TEST

/* A forearm whose elbow turns twice as far as the shoulder, the other way: at every instant, and no
 * energy is made. */
START_TEST(a_follower_follows)
{
    perp_scene *scene = open_scene(
        HEAD("1") "\"bodies\": [" BODY("arm", "0.02, 0.2, 0.2", "0.5, 0, 0") "," BODY(
            "fore", "0.02, 0.1, 0.1", "1.3, 0, 0") "],\n\"interactions\": [" PIVOT(
            "shoulder", "\"arm\"", "0, 0, 0", ", \"friction\": 0, \"start\": 0.1") "," PIVOT(
            "elbow", "\"fore\", \"arm\"", "1, 0, 0", ", \"friction\": 0") ","
        "{\"name\": \"follow\", \"systems\": [\"arm\", \"fore\"], \"relation\": {\"type\": \"coupling\", "
        "\"offset\": 0.2, \"terms\": [{\"joint\": \"elbow\"}, {\"joint\": \"shoulder\", \"factor\": 2}]}}"
        RECORD("\"shoulder.angle\", \"elbow.angle\", \"energy\""));
    perp_recorder *recorder = run(scene);
    const double *row = perp_recorder_data(recorder);
    double first = row[3], turned = 0.0;
    for (long k = 0; k < perp_recorder_rows(recorder); k++, row += perp_recorder_columns(recorder)) {
        ck_assert_double_eq_tol(row[2] + 2.0 * row[1], 0.2, 1e-10);
        ck_assert_double_eq_tol(row[3], first, 1e-7); /* of some 20 J */
        turned = fmax(turned, fabs(row[1] - 0.1));
    }
    ck_assert_double_gt(turned, 1.6); /* the elbow by more than half a turn */
    perp_scene_destroy(scene);
}
END_TEST

/* A slide and an angle in one sum, bounded from above: it stops there without going on. */
START_TEST(a_sum_is_bounded)
{
    perp_scene *scene = open_scene(
        HEAD("1") "\"bodies\": [" BODY("sled", "0.1, 0.1, 0.1", "0, 0, 0") "," BODY(
            "bob", "0.02, 0.1, 0.1", "0, 0, -0.5") "],\n\"interactions\": [{\"name\": \"rail\", \"systems\": "
        "[\"sled\"], \"relation\": {\"type\": \"joint\", \"joint\": \"prismatic\", \"axis\": [1, 0, 0], "
        "\"load\": 3}}," PIVOT("swing", "\"bob\", \"sled\"", "0, 0, 0", ", \"load\": -1") ","
        "{\"name\": \"bound\", \"systems\": [\"sled\", \"bob\"], \"relation\": {\"type\": \"coupling\", "
        "\"offset\": -0.1, \"terms\": [{\"joint\": \"rail\", \"factor\": -1}, {\"joint\": \"swing\", "
        "\"factor\": 0.5}]}, \"law\": {\"type\": \"impact\", \"e\": 0}}" RECORD(
            "\"rail.slide\", \"swing.angle\""));
    perp_recorder *recorder = run(scene);
    const double *row = perp_recorder_data(recorder);
    double most = -1.0;
    for (long k = 0; k < perp_recorder_rows(recorder); k++, row += perp_recorder_columns(recorder))
        most = fmax(most, row[1] - 0.5 * row[2]);
    ck_assert_double_eq_tol(most, 0.1, 1e-8);
    perp_scene_destroy(scene);
}
END_TEST

/* A constant torque turns a free wheel evenly faster. */
START_TEST(a_load_is_constant)
{
    perp_scene *scene =
        open_scene(HEAD("0.4") "\"bodies\": [" BODY("wheel", "0.1, 0.25, 0.1", "0, 0, 0")
                       "],\n\"interactions\": [" PIVOT("axle", "\"wheel\"", "0, 0, 0",
                                                       ", \"load\": 0.5, \"start\": -3")
                           RECORD("\"axle.rate\", \"axle.angle\", \"axle.torque\""));
    const double *row = last_row(run(scene));
    ck_assert_double_eq_tol(row[1], 0.5 / 0.25 * 0.4, 1e-10);
    ck_assert_double_eq_tol(row[2], -3.0 + 0.5 * 0.5 / 0.25 * 0.16, 1e-6);
    ck_assert_double_eq_tol(row[3], 0.5, 1e-10);
    perp_scene_destroy(scene);
}
END_TEST

/* A bob on a string: it falls freely until that is taut, and then keeps within it. */
START_TEST(a_string_holds)
{
    perp_scene *scene =
        open_scene(HEAD("1.2") "\"bodies\": [" BODY("bob", "0.01, 0.01, 0.01", "0.3, 0, 0")
                       "],\n\"interactions\": [{\"name\": \"string\", \"systems\": [\"bob\"], \"relation\": "
                       "{\"type\": \"distance\", \"point\": [0, 0, 0], \"anchor\": [0, 0, 0], \"length\": "
                       "0.5, \"side\": \"at-most\"}, \"law\": {\"type\": \"impact\", \"e\": 0}}" RECORD(
                           "\"bob.q\""));
    perp_recorder *recorder = run(scene);
    const double *row = perp_recorder_data(recorder);
    double most = 0.0;
    for (long k = 0; k < perp_recorder_rows(recorder); k++, row += perp_recorder_columns(recorder)) {
        double t = row[0], r = sqrt(row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
        if (t < 0.28) /* sqrt(2 * 0.4 / 9.81) = 0.2856 */
            ck_assert_double_eq_tol(row[3], -0.5 * 9.81 * t * t, 1e-9);
        most = fmax(most, r);
    }
    ck_assert_double_eq_tol(most, 0.5, 1e-8);
    perp_scene_destroy(scene);
}
END_TEST

static void refused(const char *text, const char *words)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_int_eq(perp_scene_create_from_text(&scene, text, NULL, NULL, &error), PERP_ERR_FORMAT);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
}

#define COUPLED(systems, terms)                                                                     \
    HEAD("1") "\"bodies\": [" BODY("arm", "1, 1, 1", "0, 0, 0") "," BODY(                           \
        "fore", "1, 1, 1", "1, 0, 0") "], \"interactions\": [" PIVOT("a", "\"arm\"", "0, 0, 0",     \
                                                                     "") ","                       \
    "{\"name\": \"c\", \"systems\": [" systems "], \"relation\": {\"type\": \"coupling\", \"terms\": [" \
    terms "]}}]}"

START_TEST(refusals_name_the_place)
{
    refused(COUPLED("\"fore\"", "{\"joint\": \"a\"}"), "'arm', which it moves, is not among");
    refused(COUPLED("\"arm\"", "{\"joint\": \"b\"}"), "a pivot or prismatic joint that stands before");
    refused(COUPLED("\"arm\"", "{\"system\": \"arm\"}"), "with coordinates");
    refused(COUPLED("\"arm\"", ""), "1 to 64 terms");
    refused(COUPLED("\"arm\"", "{\"joint\": \"a\", \"coordinate\": 1}"), "unknown key");
    refused(COUPLED("\"arm\"", "{\"joint\": \"a\", \"factor\": 0}"), "ties nothing");
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("couplings");
    TCase *tests = tcase_create("couplings");
    tcase_add_test(tests, a_rotor_is_inertia);
    tcase_add_test(tests, a_light_rotor_in_balance_is_verified);
    tcase_add_test(tests, a_follower_follows);
    tcase_add_test(tests, a_sum_is_bounded);
    tcase_add_test(tests, a_load_is_constant);
    tcase_add_test(tests, a_string_holds);
    tcase_add_test(tests, refusals_name_the_place);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
