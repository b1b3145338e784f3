/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that perp verify holds.  Dominoes knock each other over and come to rest leaning: no contact
 * that is open presses.  Contacts along faces that lie nearly flat on each other open and close by
 * some tenths of a millimetre while others of the same pair carry, and friction stops there.  A
 * ball rolls to and fro in a valley of triangles and is lifted out of each that it comes to. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verify.h>

#include "tests/fixtures/run_folder.h"
#include "tests/fixtures/scene_text.h"

typedef struct row {
    int count;
    double apart, step, until;
} row;

static const row rows[] = {{6, 0.06, 0.002, 0.9},
                           {9, 0.08, 0.002, 0.96},
                           {12, 0.08, 0.004, 1.16},
                           {14, 0.06, 0.004, 1.04}};

static void write_scene(char *text, size_t size, const row *r)
{
    snprintf(
        text, size,
        "{\"version\": 1, \"time\": {\"until\": %g, \"step\": %g}, \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, "
        "1]}}, {\"name\": \"first\", \"shape\": {\"type\": \"box\", \"sides\": [0.02, 0.1, "
        "0.2]}, \"mass\": 0.3, \"position\": [0, 0, 0.1], \"velocity\": [0.3, 0, 0], "
        "\"angular\": [0, 3, 0]}, {\"name\": \"next\", \"shape\": {\"type\": \"box\", "
        "\"sides\": [0.02, 0.1, 0.2]}, \"mass\": 0.3, \"position\": [%g, 0, 0.1], \"copies\": "
        "{\"count\": [%d, 1, 1], \"spacing\": [%g, 1, 1]}}], \"contacts\": {\"e\": 0, \"mu\": "
        "0.4}, \"record\": {\"certify\": true}, \"frames\": {\"every\": 0}}",
        r->until, r->step, r->apart, r->count - 1, r->apart);
}

static void run_scene(const char *text)
{
    perp_scene *scene = scene_of(text, NULL);

    run_folder_make();
    run_folder_run(scene);
    perp_scene_destroy(scene);
}

static void check_folder(const char *what)
{
    perp_verification *found;

    ck_assert_int_eq(perp_verify_folder(&found, run_folder, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_check check = {.size = sizeof check};
        ck_assert_int_eq(perp_verification_check(found, k, &check), PERP_SOLVED);
        ck_assert_msg(!check.contradicted, "%s: %s, %g in row %ld: %s", what, check.name,
                      check.worst, check.row, check.where);
    }
    perp_verification_destroy(found);
    run_folder_remove();
}

START_TEST(what_is_open_does_not_press)
{
    char text[2000], what[40];

    write_scene(text, sizeof text, &rows[_i]);
    run_scene(text);
    snprintf(what, sizeof what, "%d dominoes", rows[_i].count);
    check_folder(what);
}
END_TEST

START_TEST(dominoes_in_the_plane)
{
    char text[4000];
    int n = snprintf(
        text, sizeof text,
        "{\"version\": 1, \"time\": {\"until\": 1.2, \"step\": 0.008}, \"gravity\": [0, -9.81, "
        "0], \"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"line\", \"normal\": "
        "[0, 1]}}], \"contacts\": {\"mu\": 0.4}, \"record\": {\"certify\": true}, \"frames\": "
        "{\"every\": 0}, \"systems\": [");
    for (int k = 0; k < 10; k++)
        n += snprintf(
            text + n, sizeof text - (size_t)n,
            "%s{\"name\": \"p%d\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.0033666667, "
            "\"position\": [%g, 0.1], \"polygon\": [[-0.01, -0.1], [0.01, -0.1], [0.01, 0.1], "
            "[-0.01, 0.1]]%s}",
            k ? ", " : "", k, 0.08 * k, k ? "" : ", \"rate\": -3, \"velocity\": [0.3, 0]");
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    run_scene(text);
    check_folder("dominoes in the plane");
}
END_TEST

/* The law of an impact has what a relative compliance adds to it. */
START_TEST(compliances_of_impacts)
{
    run_scene(
        "{\"version\": 1, \"time\": {\"until\": 0.6, \"step\": 0.005}, \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, "
        "1]}}, {\"name\": \"b\", \"shape\": {\"type\": \"box\", \"sides\": [0.1, 0.2, 0.1]}, "
        "\"mass\": 1, \"position\": [0, 0, 0.4], \"angular\": [3, 1, 0]}], \"contacts\": {\"e\": "
        "0.3, "
        "\"mu\": 0.4, \"relative_compliance\": 1e-4}, \"record\": {\"certify\": true}, \"frames\": "
        "{\"every\": 0}}");
    check_folder("a box that gives way");
}
END_TEST

/* A spring without a point is tied to the origin of a body. */
START_TEST(springs_at_origins)
{
    run_scene("{\"version\": 1, \"time\": {\"until\": 0.2, \"step\": 0.01}, \"systems\": "
              "[{\"name\": \"p\", "
              "\"type\": \"planar\", \"mass\": 1, \"inertia\": 1, \"radius\": 0.1}], \"bodies\": "
              "[{\"name\": "
              "\"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"forces\": [{\"type\": \"spring\", "
              "\"from\": "
              "{\"system\": \"p\"}, \"to\": {\"world\": [0, 1]}, \"stiffness\": 10}, {\"type\": "
              "\"spring\", "
              "\"from\": {\"system\": \"b\"}, \"to\": {\"world\": [0, 0, 1]}, \"stiffness\": 10}], "
              "\"record\": {\"certify\": true}}");
    check_folder("springs");
}
END_TEST

/* What carries a million times its weight. */
START_TEST(momenta_of_what_is_light_are_of_what_goes_through)
{
    run_scene(
        "{\"version\": 1, \"time\": {\"until\": 0.2, \"step\": 0.0025}, \"gravity\": [0, 0, "
        "-9.81], "
        "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, "
        "1]}}, {\"name\": \"f\", \"shape\": {\"type\": \"box\", \"sides\": [0.1, 0.1, 0.01]}, "
        "\"mass\": 1e-3, \"position\": [0, 0, 0.005]}, {\"name\": \"a\", \"shape\": {\"type\": "
        "\"box\", \"sides\": [0.3, 0.3, 0.2]}, \"mass\": 1000, \"position\": [0, 0, 0.15]}], "
        "\"contacts\": {\"mu\": 0.5}, \"record\": {\"certify\": true}, \"frames\": {\"every\": "
        "0}}");
    check_folder("a heavy box on a light one");
}
END_TEST

/* A rattleback: the place where it touches runs ahead of its turns. */
START_TEST(a_flat_ellipsoid_leans)
{
    run_scene(
        "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.002}, \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, "
        "1]}}, {\"name\": \"r\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.1, 0.02, "
        "0.015]}, \"mass\": 0.2, \"inertia\": [[6e-5, 1.2e-4, 0], [1.2e-4, 4.2e-4, 0], [0, 0, "
        "4.6e-4]], \"position\": [0, 0, 0.0151], \"angular\": [0.02, 0.2, 5]}], \"contacts\": "
        "{\"e\": 0, \"mu\": 0.8}, \"record\": {\"certify\": true}, \"frames\": {\"every\": 0}}");
    check_folder("rattleback");
}
END_TEST

/* Logs between two stakes that leave them no width to spare. */
START_TEST(what_is_wedged_is_corrected_far)
{
    static const double at[][2] = {{-0.2, 0.1},        {0, 0.1},          {0.2, 0.1},
                                   {-0.1, 0.27320508}, {0.1, 0.27320508}, {0, 0.44641016}};
    char text[3000];
    int n = snprintf(
        text, sizeof text,
        "{\"version\": 1, \"time\": {\"until\": 0.2, \"step\": 0.004}, \"gravity\": [0, 0, -9.81], "
        "\"contacts\": {\"mu\": 0.4, \"e\": %g}, \"record\": {\"certify\": true}, \"frames\": "
        "{\"every\": 0}, "
        "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, "
        "1]}}, "
        "{\"name\": \"s1\", \"fixed\": true, \"shape\": {\"type\": \"box\", \"sides\": [0.1, 1, "
        "0.3]}, "
        "\"position\": [-0.35, 0, 0.15]}, {\"name\": \"s2\", \"fixed\": true, \"shape\": "
        "{\"type\": "
        "\"box\", \"sides\": [0.1, 1, 0.3]}, \"position\": [0.35, 0, 0.15]}",
        _i == 0 ? 0.0 : 0.6);
    for (int k = 0; k < 6; k++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ", {\"name\": \"l%d\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1, "
                      "\"length\": 0.8}, \"mass\": 5, \"rotation\": [1.5707963267948966, 0, 0], "
                      "\"position\": [%.9g, 0, %.9g]}",
                      k, at[k][0], at[k][1]);
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    run_scene(text);
    check_folder("logs");
}
END_TEST

/* Half a wave through a diode: its voltage is a sum that is 0, but for rounding, while it carries.
 */
START_TEST(sources_are_terms_of_a_voltage)
{
    run_scene(
        "{\"version\": 1, \"time\": {\"until\": 0.05, \"step\": 1e-4}, \"systems\": [{\"name\": "
        "\"c\", \"type\": \"first-order\", \"x0\": [0], \"A\": [[-10]]}], \"interactions\": "
        "[{\"name\": \"d\", \"systems\": [\"c\"], \"relation\": {\"type\": \"linear\", \"C\": "
        "[[1]], \"D\": [[0.1]], \"B\": [[100]], \"motion\": [{\"row\": 0, \"amplitude\": 5, "
        "\"frequency\": 50}]}, \"law\": {\"type\": \"complementarity\"}}], \"record\": "
        "{\"certify\": "
        "true}}");
    check_folder("rectifier");
}
END_TEST

/* 41 x 5 heights of z = 0.2 x^2. */
START_TEST(lifts_out_of_triangles_are_no_gain)
{
    char text[4000], heights[3000] = "";
    size_t at = 0;

    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 41; i++) {
            double x = 0.1 * (i - 20);
            at += (size_t)snprintf(heights + at, sizeof heights - at, "%s%.4g%s", i == 0 ? "[" : "",
                                   0.2 * x * x,
                                   i < 40  ? ","
                                   : j < 4 ? "],"
                                           : "]");
        }
    snprintf(
        text, sizeof text,
        "{\"version\": 1, \"time\": {\"until\": 2, \"step\": 0.005}, \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [{\"name\": \"valley\", \"fixed\": true, \"shape\": {\"type\": "
        "\"height-field\", \"heights\": [%s], \"spacing\": [0.1, 0.5]}}, {\"name\": \"ball\", "
        "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 1, \"position\": [1, 0, "
        "0.32]}], \"contacts\": {\"mu\": 0.5}, \"record\": {\"certify\": true}, \"frames\": "
        "{\"every\": 0}}",
        heights);
    run_scene(text);
    check_folder("valley");
}
END_TEST

/* What is violated at the start is taken away on positions, of what follows as well: a mass in the
 * ground, and a bar beyond the end of its range with a rotor that turns as it does. */
START_TEST(what_is_violated_is_taken_away)
{
    static const char *const scenes[] = {
        "\"systems\": [{\"name\": \"ball\", \"type\": \"lagrangian\", \"q0\": [-0.1], \"F\": "
        "[-9.81]}], \"interactions\": [{\"name\": \"ground\", \"systems\": [\"ball\"], "
        "\"relation\": {\"type\": \"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"impact\", "
        "\"e\": 0.5}}]",
        "\"systems\": [{\"name\": \"rotor\", \"type\": \"lagrangian\", \"q0\": [0], \"M\": "
        "[[0.1]]}], \"bodies\": [{\"name\": \"bar\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.01], "
        "\"position\": [0.3, 0, 0]}], \"interactions\": [{\"name\": \"axle\", \"systems\": "
        "[\"bar\"], \"relation\": {\"type\": \"joint\", \"joint\": \"pivot\", \"axis\": [0, 1, 0], "
        "\"limits\": [-3, 3]}}, {\"name\": \"end\", \"systems\": [\"bar\"], \"relation\": "
        "{\"type\": "
        "\"coupling\", \"terms\": [{\"joint\": \"axle\", \"factor\": 2}], \"offset\": 0.4}, "
        "\"law\": "
        "{\"type\": \"impact\", \"e\": 0}}, {\"name\": \"follows\", \"systems\": [\"bar\", "
        "\"rotor\"], \"relation\": {\"type\": \"coupling\", \"terms\": [{\"joint\": \"axle\"}, "
        "{\"system\": \"rotor\", \"factor\": -1}]}}]"};
    char text[2000];

    snprintf(text, sizeof text,
             "{\"version\": 1, \"time\": {\"until\": 0.2, \"step\": 0.005}, \"gravity\": [0, 0, "
             "-9.81], %s, \"schemes\": [{\"name\": \"discrete-gradient\"}], \"record\": "
             "{\"certify\": true}, \"frames\": {\"every\": 0}}",
             scenes[_i]);
    run_scene(text);
    check_folder(_i == 0 ? "ball" : "bar");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verified scenes");
    TCase *tcase = tcase_create("scenes");
    tcase_set_timeout(tcase, 120.0);
    tcase_add_loop_test(tcase, what_is_open_does_not_press, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tcase, what_is_wedged_is_corrected_far, 0, 2);
    tcase_add_test(tcase, sources_are_terms_of_a_voltage);
    tcase_add_test(tcase, momenta_of_what_is_light_are_of_what_goes_through);
    tcase_add_loop_test(tcase, what_is_violated_is_taken_away, 0, 2);
    tcase_add_test(tcase, dominoes_in_the_plane);
    tcase_add_test(tcase, compliances_of_impacts);
    tcase_add_test(tcase, springs_at_origins);
    tcase_add_test(tcase, a_flat_ellipsoid_leans);
    tcase_add_test(tcase, lifts_out_of_triangles_are_no_gain);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
