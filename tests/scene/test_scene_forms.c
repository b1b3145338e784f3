/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of a scene by their mechanics: polygons in the plane, spheres of two bodies, thresholds and
 * sizes of the certificate, and which one-step problems a condition takes. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/scene_text.h"

#define HEAD "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.01}, "

/* A force of 6 turns a polygon whose inertia is known: rectangle m (w^2 + h^2) / 12, right triangle
 * m (w^2 + h^2) / 18; the centre of area becomes the origin, whichever way round the corners go. */
START_TEST(polygons)
{
    static const struct {
        const char *corners;
        double centre[2], inertia;
    } cases[] = {{"[[0, 0], [2, 0], [2, 4], [0, 4]]", {1.0, 2.0}, 3.0 * 20.0 / 12.0},
                 {"[[0, 4], [2, 4], [2, 0], [0, 0]]", {1.0, 2.0}, 3.0 * 20.0 / 12.0},
                 {"[[0, 0], [3, 0], [0, 6]]", {1.0, 2.0}, 3.0 * 45.0 / 18.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const double angle = 0.75;
        char text[700];
        snprintf(
            text, sizeof text,
            HEAD
            "\"systems\": [{\"name\": \"p\", \"type\": \"planar\", \"mass\": 3, \"polygon\": %s,\n"
            "\"position\": [5, 7], \"angle\": %g, \"force\": [0, 0, 6]}],\n"
            "\"record\": {\"quantities\": [\"p.q\", \"p.v\"]}}",
            cases[k].corners, angle);
        perp_scene *scene = scene_of(text, NULL);
        const double *row = scene_last_row(scene);
        const double *c = cases[k].centre;
        ck_assert_int_eq(perp_recorder_columns(perp_scene_recorder(scene)), 7);
        ck_assert_double_eq_tol(row[1], 5.0 + cos(angle) * c[0] - sin(angle) * c[1], 1e-12);
        ck_assert_double_eq_tol(row[2], 7.0 + sin(angle) * c[0] + cos(angle) * c[1], 1e-12);
        ck_assert_double_eq_tol(row[6], 6.0 / cases[k].inertia, 1e-10);
        perp_scene_destroy(scene);
    }
}
END_TEST

static void refused(const char *text, const char *reason)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene = NULL;
    perp_status status = perp_scene_create_from_text(&scene, text, NULL, NULL, &error);
    ck_assert_msg(status == PERP_ERR_FORMAT, "%s: %s", reason, perp_status_name(status));
    ck_assert_msg(strstr(error.text, reason) != NULL, "%s", error.text);
}

START_TEST(polygons_that_are_none)
{
#define PLANAR(what)                                                                               \
    HEAD "\"systems\": [{\"name\": \"p\", \"type\": \"planar\", \"mass\": 1, " what "}]}"
    refused(PLANAR("\"polygon\": [[0, 0], [1, 0]]"), "three corners");
    refused(PLANAR("\"polygon\": [[0, 0], [1, 1], [2, 2]]"), "no area");
    refused(PLANAR("\"polygon\": [[0, 0], [1, 0], [0, 1]], \"radius\": 1"), "both given");
    refused(PLANAR("\"polygon\": [[0, 0], [1, 0, 2], [0, 1]]"), "polygon");
    refused(PLANAR("\"position\": [0, 0]"), "it follows from the radius");
}
END_TEST

/* Two spheres of one mass that meet head on exchange their velocities; they touch where the radii
 * say. */
START_TEST(spheres_of_two_bodies)
{
    for (int points = 0; points < 2; points++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            HEAD
            "\"bodies\": [\n"
            "{\"name\": \"a\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [0, 0, 0], "
            "\"velocity\": [1, 0, 0]},\n"
            "{\"name\": \"b\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0]}],\n"
            "\"interactions\": [{\"name\": \"c\", \"systems\": [\"a\", \"b\"], \"relation\": "
            "{\"type\": "
            "\"sphere-sphere\", \"radii\": [0.1, 0.2]%s}, \"law\": {\"type\": \"impact\", \"e\": "
            "1}}],\n"
            "\"record\": {\"quantities\": [\"a.q\", \"b.q\"]}}",
            points ? ", \"points\": [[0.05, 0, 0], [-0.15, 0, 0]]" : "");
        perp_scene *scene = scene_of(text, NULL);
        const double *row = scene_last_row(scene);
        /* Of 1, less what the radii and the points take: then one moves as the other did. */
        double meet = 1.0 - 0.3 - (points ? 0.2 : 0.0);
        ck_assert_double_eq_tol(row[1], meet, 0.011);
        ck_assert_double_eq_tol(row[1] + row[8], 2.0, 1e-10);
        ck_assert_double_eq_tol(row[2], 0.0, 1e-12);
        perp_scene_destroy(scene);
    }
}
END_TEST

#define BALL                                                                                       \
    "\"bodies\": [{\"name\": \"f\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},\n"   \
    "{\"name\": \"ball\", \"mass\": 1, \"position\": [0, 0, 1], \"shape\": {\"type\": "            \
    "\"sphere\", \"radius\": 0.1}}],\n"                                                            \
    "\"contacts\": {\"mu\": 0.3}, \"certificate\": "

START_TEST(thresholds_and_sizes)
{
    perp_scene *scene = scene_of(
        HEAD BALL "{\"energy\": 1e-7, \"flight_remarks\": 0.2, \"sizes\": {\"ball\": 0.05}}}",
        NULL);
    perp_scene_destroy(scene);
    refused(HEAD BALL "[1]}", "an object is expected");
    refused(HEAD BALL "{\"enrgy\": 1e-7}}", "did you mean 'energy'");
    refused(HEAD BALL "{\"xxxxxxxxxxxx\": 1e-7}}", "unknown measure");
    refused(HEAD BALL "{\"energy\": -1}}", "a number from 0 to 1e300 is expected");
    refused(HEAD BALL "{\"energy\": \"little\"}}", "number");
    refused(HEAD BALL "{\"sizes\": 1}}", "an object is expected");
    refused(HEAD BALL "{\"sizes\": {\"bal\": 1}}}", "nothing is called");
    refused(HEAD BALL "{\"sizes\": {\"f\": 1}}}", "stands still");
    refused(HEAD BALL "{\"sizes\": {\"ball\": -1}}}", "is less than 0");
}
END_TEST

/* Problems that a run writes under a condition, of those with rows. */
static long taken(const char *condition)
{
    perp_scene *scene = scene_of(scene_heap, NULL);
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    char folder[40] = "/tmp/perp-forms-XXXXXX", command[80];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(perp_scene_check_problems(condition), PERP_SOLVED);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    options.problems = condition;
    options.until = 0.3;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    perp_scene_destroy(scene);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
    return info.problems;
}

START_TEST(conditions)
{
    long all = taken("rows>0"), more = taken("rows > 12"), solved = taken("status == 0");
    ck_assert_int_gt((int)all, 10);
    ck_assert_int_gt((int)more, 0);
    ck_assert_int_lt((int)more, (int)all);
    ck_assert_int_eq((int)solved, (int)all);
    ck_assert_int_eq((int)taken("rows<=12"), (int)(all - more));
    ck_assert_int_eq((int)(taken("rows==12") + taken("rows!=12")), (int)all);
    ck_assert_int_eq((int)(taken("rows<12") + taken("rows>=12")), (int)all);
    ck_assert_int_eq((int)taken("status!=0"), 0);
    ck_assert_int_eq((int)(taken("iterations>=2") + taken("iterations<2")), (int)all);
    ck_assert_int_eq((int)taken("residual<=1"), (int)all);
    static const char *const none[] = {"",      "rows",   "rows>",    "rows>x",
                                       "row>1", "rows=1", "rows>1 2", "rows>nan"};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++)
        ck_assert_msg(perp_scene_check_problems(none[k]) == PERP_ERR_ARGUMENT, "%s", none[k]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scene forms");
    TCase *tcase = tcase_create("scene forms");
    tcase_add_test(tcase, polygons);
    tcase_add_test(tcase, polygons_that_are_none);
    tcase_add_test(tcase, spheres_of_two_bodies);
    tcase_add_test(tcase, thresholds_and_sizes);
    tcase_add_test(tcase, conditions);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
