/* SPDX-License-Identifier: BSD-3-Clause */
/* Joints at a dead centre: rows that hold each other without a load, where motions that they allow
 * at first order are locked at second order, or go on along several ways. */
#include <math.h>
#include <stdio.h>

#include <perp/scene.h>
#include <perp/verdict.h>

#include "tests/fixtures/scene_text.h"

/* A box between two bodies that a point joins where one of them touches it; a distance to the other
 * one is in line with its contacts.  It can neither slide nor tilt. */
static const char held[] =
    "{\"version\": 1, \"time\": {\"step\": 0.001, \"until\": 0.03}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 3, \"e\": 1}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"ellipsoid\", "
    "\"radii\": [0.2, 0.14, 0.1]}, \"density\": 7800, \"position\": [0, 0, 0.1]}, {\"name\": \"b1"
    "\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.2, 0.14, 0.1]}, \"mass\": 0.0567, \"po"
    "sition\": [0, 0, 0.31]}, {\"name\": \"b2\", \"shape\": {\"type\": \"box\", \"sides\": [0.1, 0"
    ".2, 0.05]}, \"density\": 1000, \"position\": [0, 0, 0.435]}, {\"name\": \"b3\", \"shape\": {"
    "\"type\": \"ellipsoid\", \"radii\": [0.1, 0.07, 0.05]}, \"mass\": 18.4, \"position\": [0, 0, "
    "0.51]}], \"interactions\": [{\"systems\": [\"b3\", \"b1\"], \"relation\": {\"type\": \"joint"
    "\", \"joint\": \"universal\", \"anchor\": [0, 0, 0.41], \"axis\": [1, 0, 0], \"axis_b\": [0, "
    "1, 0]}}, {\"systems\": [\"b1\", \"b0\"], \"relation\": {\"type\": \"joint\", \"joint\": \"pri"
    "smatic\", \"anchor\": [0, 0, 0.205], \"axis\": [0.3, 0.4, 0.5]}}, {\"systems\": [\"b3\", \"b2"
    "\"], \"relation\": {\"type\": \"joint\", \"joint\": \"distance\", \"anchor\": [0, 0, 0.51], "
    "\"anchor_b\": [0, 0, 0.435]}}]}";

/* A body on a box that it has a distance to, in line with their contact, struck across. */
static const char struck[] =
    "{\"version\": 1, \"time\": {\"step\": 0.002, \"until\": 0.1}, \"gravity\": [0, 0, -9.81], \"c"
    "ontacts\": {\"mu\": 0, \"e\": 0.3}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"capsule\", \"r"
    "adius\": 0.05, \"length\": 0.1}, \"density\": 100, \"position\": [0, 0, 0.1]}, {\"name\": \"b"
    "1\", \"shape\": {\"type\": \"box\", \"sides\": [0.1, 0.05, 0.05]}, \"density\": 7800, \"posit"
    "ion\": [0, 0, 0.235]}, {\"name\": \"b2\", \"shape\": {\"type\": \"cone\", \"radius\": 0.1, \""
    "height\": 0.1}, \"density\": 1000, \"rotation\": [-0.1484, -0.1195, -0.2044], \"position\": ["
    "0.451855, -0.29695, 2]}, {\"name\": \"b3\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": ["
    "0.05, 0.035, 0.025]}, \"mass\": 105, \"position\": [0, 0, 0.285]}, {\"name\": \"b4\", \"shape"
    "\": {\"type\": \"sphere\", \"radius\": 0.05}, \"mass\": 464, \"rotation\": [-0.06413, 1.562, "
    "0.09952], \"velocity\": [-2.557, -2.221, -0.4818], \"angular\": [-0.3172, 2.615, 0.7346], \"p"
    "osition\": [-0.22501, 0.513646, 3]}], \"interactions\": [{\"systems\": [\"b2\", \"b1\"], \"re"
    "lation\": {\"type\": \"joint\", \"joint\": \"universal\", \"anchor\": [0.225928, -0.148475, 1"
    ".1175], \"axis\": [1, 0, 0], \"axis_b\": [0, 1, 0]}}, {\"systems\": [\"b1\", \"b3\"], \"relat"
    "ion\": {\"type\": \"joint\", \"joint\": \"distance\", \"anchor\": [0, 0, 0.235], \"anchor_b\""
    ": [0, 0, 0.285]}}]}";

/* Two universal joints at one point, with the axes of one and the other body: turns a and b with
 * a b = 0. */
static const char crossed[] =
    "{\"version\": 1, \"time\": {\"step\": 0.002, \"until\": 0.1}, \"gravity\": [0, 0, -9.81], \"c"
    "ontacts\": {\"mu\": 0.1, \"e\": 1}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"cylinder\", \""
    "radius\": 0.2, \"length\": 0.2}, \"density\": 100, \"rotation\": [-1.241, 0.229, 0.8166], \"v"
    "elocity\": [-3.505, -3.486, -0.2881], \"angular\": [-1.743, -10.31, -12.97], \"position\": [-"
    "0.25193, -0.531352, 1]}, {\"name\": \"b1\", \"shape\": {\"type\": \"ellipsoid\", \"radii\": ["
    "0.1, 0.07, 0.05]}, \"density\": 7800, \"position\": [0, 0, 0.05]}, {\"name\": \"b2\", \"shape"
    "\": {\"type\": \"box\", \"sides\": [0.2, 0.1, 0.1]}, \"mass\": 0.031, \"rotation\": [0.2641, "
    "-0.7546, -1.237], \"velocity\": [-2.578, 1.389, 0.7856], \"angular\": [9.465, -2.135, -10.66]"
    ", \"position\": [0.563189, -0.418455, 2]}, {\"name\": \"b3\", \"shape\": {\"type\": \"box\", "
    "\"sides\": [0.2, 0.1, 0.2]}, \"mass\": 675, \"rotation\": [-2.034, -0.9049, -0.3721], \"veloc"
    "ity\": [-5.288, 2.7, -1.687], \"angular\": [22.79, -6.665, -7.949], \"position\": [-0.541821,"
    " -0.603576, 2.5]}, {\"name\": \"b4\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.2}, \"m"
    "ass\": 13.6, \"rotation\": [-0.9774, -1.194, -0.01774], \"velocity\": [-3.033, -1.574, -0.280"
    "3], \"angular\": [0.3493, -0.1059, -0.2061], \"position\": [0.55949, 0.188596, 3]}, {\"name\""
    ": \"b5\", \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}, \"mass\": 12.7, \"posit"
    "ion\": [0, 0, 0.2]}, {\"name\": \"b6\", \"shape\": {\"type\": \"box\", \"sides\": [0.1, 0.05,"
    " 0.1]}, \"density\": 1000, \"rotation\": [1.234, 0.5555, 0.1072], \"velocity\": [-0.825, 1.06"
    "6, 2.931], \"angular\": [1.16, 0.2891, 1.036], \"position\": [-0.614858, -0.0898861, 4]}, {\""
    "name\": \"b7\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.05, \"length\": 0.05}, \"de"
    "nsity\": 100, \"rotation\": [-0.3418, 0.4268, 2.335], \"position\": [0.22342, 0.0496716, 4.5]"
    "}], \"interactions\": [{\"systems\": [\"b5\", \"b7\"], \"relation\": {\"type\": \"joint\", \""
    "joint\": \"universal\", \"anchor\": [0.11171, 0.0248358, 2.35], \"axis\": [1, 0, 0], \"axis_b"
    "\": [0, 1, 0]}}, {\"systems\": [\"b1\", \"b5\"], \"relation\": {\"type\": \"joint\", \"joint"
    "\": \"prismatic\", \"anchor\": [0, 0, 0.125], \"axis\": [0.3, 0.4, 0.5]}}, {\"systems\": [\"b"
    "7\", \"b5\"], \"relation\": {\"type\": \"joint\", \"joint\": \"universal\", \"anchor\": [0.11"
    "171, 0.0248358, 2.35], \"axis\": [1, 0, 0], \"axis_b\": [0, 1, 0]}}]}";

static void runs(const char *text, double until)
{
    perp_verdict verdict = scene_verdict(text, until, NULL, NULL);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
}

static void hangs_at(perp_scene *scene, void *depth)
{
    double *v = NULL, *q = scene_state(scene, "m", &v);
    if (q[2] < *(double *)depth)
        *(double *)depth = q[2];
}

/* A mass is caught by two strings that are hardly longer than the way between their ends, at 0.3 to
 * 2 degrees.  It hardly moves then, and rounding of their lengths turned their forces. */
START_TEST(strings_nearly_in_line)
{
    static const double lengths[] = {1.0, 1.00001, 1.0001, 1.0002, 1.0005};
    double depth = 0.0;
    char scene[1000];
    snprintf(
        scene, sizeof scene,
        "{\"version\": 1, \"time\": {\"until\": 0.3, \"step\": 0.004}, \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [{\"name\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.02}, "
        "\"mass\": 0.1}], \"interactions\": [{\"name\": \"a\", \"systems\": [\"m\"], \"relation\": "
        "{\"type\": \"distance\", \"point\": [0, 0, 0], \"anchor\": [-1, 0, 0], \"length\": %g, "
        "\"side\": \"at-most\"}, \"law\": {\"type\": \"impact\", \"e\": 0}}, {\"name\": \"b\", "
        "\"systems\": [\"m\"], \"relation\": {\"type\": \"distance\", \"point\": [0, 0, 0], "
        "\"anchor\": [1, 0, 0], \"length\": %g, \"side\": \"at-most\"}, \"law\": {\"type\": "
        "\"impact\", \"e\": 0}}]}",
        lengths[_i], lengths[_i]);
    perp_verdict verdict = scene_verdict(scene, 0.3, hangs_at, &depth);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
    /* In line, a part of 1e-12 in the length is one of 1.4e-6 across. */
    ck_assert_double_eq_tol(depth, -sqrt(lengths[_i] * lengths[_i] - 1.0), _i == 0 ? 1e-5 : 1e-9);
}
END_TEST

START_TEST(a_distance_in_line_with_contacts)
{
    runs(held, 0.03);
}
END_TEST

START_TEST(a_distance_in_line_with_a_contact_that_is_struck)
{
    runs(struck, 0.1);
}
END_TEST

START_TEST(several_ways_to_go_on)
{
    runs(crossed, 0.1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dead centres");
    TCase *cases = tcase_create("cases");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, strings_nearly_in_line, 0, 5);
    tcase_add_test(cases, a_distance_in_line_with_contacts);
    tcase_add_test(cases, a_distance_in_line_with_a_contact_that_is_struck);
    tcase_add_test(cases, several_ways_to_go_on);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
