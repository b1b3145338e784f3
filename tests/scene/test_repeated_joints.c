/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that several joints tie, with more rows than there is to hold. */
#include <math.h>

#include <perp/scene.h>
#include <perp/verdict.h>

#include "tests/fixtures/scene_text.h"

/* Two bodies, tied by a slide, a point and a pivot.  The slide holds all but the way along its
 * axis; a row of the point, turned against that by 1e-6, sees a part of 1e-12 of it, the next row
 * all. */
static const char tied[] =
    "{\"version\": 1, \"time\": {\"step\": 0.001, \"until\": 0.2}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 3, \"e\": 0}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"box\", \"side"
    "s\": [0.05, 0.025, 0.025]}, \"density\": 7800, \"rotation\": [1.789, 0.5184, 0.7278], \"posi"
    "tion\": [-0.690635, -0.169046, 1]}, {\"name\": \"b1\", \"shape\": {\"type\": \"sphere\", \"r"
    "adius\": 0.2}, \"mass\": 0.0724, \"position\": [0, 0, 0.2]}], \"interactions\": [{\"systems"
    "\": [\"b1\", \"b0\"], \"relation\": {\"type\": \"joint\", \"joint\": \"prismatic\", \"anchor"
    "\": [-0.345318, -0.0845232, 0.6], \"axis\": [0, 0, 1]}}, {\"systems\": [\"b0\", \"b1\"], \"r"
    "elation\": {\"type\": \"joint\", \"joint\": \"point\", \"anchor\": [-0.345318, -0.0845232, 0"
    ".6]}}, {\"systems\": [\"b0\", \"b1\"], \"relation\": {\"type\": \"joint\", \"joint\": \"pivo"
    "t\", \"anchor\": [-0.345318, -0.0845232, 0.6], \"axis\": [1, 0, 0]}}]}";

/* Bodies on each other, tied to a third one, two of them twice: no force says how the two joints
 * share what they carry. */
static const char shared[] =
    "{\"version\": 1, \"time\": {\"step\": 0.002, \"until\": 0.2}, \"gravity\": [0, 0, -9.81], \""
    "contacts\": {\"mu\": 0, \"e\": 0}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": "
    "\"plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"capsule\", \""
    "radius\": 0.025, \"length\": 0.05}, \"density\": 100, \"rotation\": [-0.1951, 0.01137, 0.386"
    "2], \"position\": [-0.482973, -0.424713, 1]}, {\"name\": \"b1\", \"shape\": {\"type\": \"cyl"
    "inder\", \"radius\": 0.05, \"length\": 0.05}, \"mass\": 0.0573, \"position\": [0, 0, 0.025]}"
    ", {\"name\": \"b2\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.05, \"length\": 0.05}"
    ", \"mass\": 10, \"position\": [0, 0, 0.085]}, {\"name\": \"b3\", \"shape\": {\"type\": \"box"
    "\", \"sides\": [0.1, 0.2, 0.05]}, \"mass\": 0.0655, \"rotation\": [0.7696, 1.001, 0.301], \""
    "velocity\": [-2.187, 1.437, -3.855], \"angular\": [-1.548, -8.585, -4.487], \"position\": [-"
    "0.666157, -0.595676, 2.5]}], \"interactions\": [{\"systems\": [\"b0\", \"b1\"], \"relation\""
    ": {\"type\": \"joint\", \"joint\": \"pivot\", \"anchor\": [-0.241486, -0.212356, 0.5125], \""
    "axis\": [1, 0, 0]}}, {\"systems\": [\"b0\", \"b2\"], \"relation\": {\"type\": \"joint\", \"j"
    "oint\": \"point\", \"anchor\": [-0.241486, -0.212356, 0.5425]}}, {\"systems\": [\"b0\", \"b1"
    "\"], \"relation\": {\"type\": \"joint\", \"joint\": \"cylindrical\", \"anchor\": [-0.241486,"
    " -0.212356, 0.5125], \"axis\": [0.3, 0.4, 0.5]}}]}";

/* Two bodies whose ten rows hold six motions, struck at 0.116 s.  A row along what another holds
 * but for 1e-3 has a pivot of 1e-6, and the rounding in it is all that the pivot of the last row
 * is. */
static const char rigid[] =
    "{\"version\": 1, \"time\": {\"step\": 0.002, \"until\": 0.2}, \"gravity\": [0, 0, -9.81], \"c"
    "ontacts\": {\"mu\": 1, \"e\": 1}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \""
    "plane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"sphere\", \"radi"
    "us\": 0.2}, \"mass\": 1.52, \"rotation\": [0.4855, -0.6671, 0.262], \"position\": [0.146611, "
    "0.55372, 1]}, {\"name\": \"b1\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"densit"
    "y\": 7800, \"position\": [0, 0, 0.1]}], \"interactions\": [{\"systems\": [\"b1\", \"b0\"], \""
    "relation\": {\"type\": \"joint\", \"joint\": \"universal\", \"anchor\": [0.0733056, 0.27686, "
    "0.55], \"axis\": [1, 0, 0], \"axis_b\": [0, 1, 0]}}, {\"systems\": [\"b0\", \"b1\"], \"relati"
    "on\": {\"type\": \"joint\", \"joint\": \"prismatic\", \"anchor\": [0.0733056, 0.27686, 0.55],"
    " \"axis\": [0, 0, 1]}}, {\"systems\": [\"b1\", \"b0\"], \"relation\": {\"type\": \"joint\", "
    "\"joint\": \"distance\", \"anchor\": [0, 0, 0.1], \"anchor_b\": [0.146611, 0.55372, 1]}}]}";

/* Three joints tie a body to one of 4000 times its mass, and nothing moves: what rounding makes of
 * the attitudes is all that their moments work on. */
static const char still[] =
    "{\"version\": 1, \"time\": {\"step\": 0.002, \"until\": 0.1}, \"gravity\": [0, 0, 0], \"conta"
    "cts\": {\"mu\": 1, \"e\": 0.3}, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"pl"
    "ane\", \"normal\": [0, 0, 1]}}, {\"name\": \"b0\", \"shape\": {\"type\": \"capsule\", \"radiu"
    "s\": 0.05, \"length\": 0.1}, \"mass\": 364, \"rotation\": [1.094, -0.6446, 0.7813], \"positio"
    "n\": [0.171333, -0.0610091, 1]}, {\"name\": \"b1\", \"shape\": {\"type\": \"capsule\", \"radi"
    "us\": 0.1, \"length\": 0.2}, \"mass\": 0.0937, \"position\": [0, 0, 0.2]}], \"interactions\":"
    " [{\"systems\": [\"b0\", \"b1\"], \"relation\": {\"type\": \"joint\", \"joint\": \"fixed\", "
    "\"anchor\": [0.0856664, -0.0305046, 0.6]}}, {\"systems\": [\"b1\", \"b0\"], \"relation\": {\""
    "type\": \"joint\", \"joint\": \"prismatic\", \"anchor\": [0.0856664, -0.0305046, 0.6], \"axis"
    "\": [0, 0, 1]}}, {\"systems\": [\"b0\", \"b1\"], \"relation\": {\"type\": \"joint\", \"joint"
    "\": \"pivot\", \"anchor\": [0.0856664, -0.0305046, 0.6], \"axis\": [1, 0, 0]}}]}";

static void find_largest_multiplier(perp_scene *scene, void *of)
{
    double *largest = of;
    for (int k = 0; k < perp_scene_interactions(scene); k++) {
        perp_scene_interaction_info info = {.size = sizeof info};
        const double *lambda = NULL;
        int rows = 0;
        ck_assert_int_eq(perp_scene_interaction(scene, k, &info), PERP_SOLVED);
        ck_assert_int_eq(
            perp_model_output(perp_scene_model(scene), info.id, NULL, NULL, &lambda, &rows, NULL),
            PERP_SOLVED);
        for (int i = 0; i < rows; i++)
            *largest = fmax(*largest, fabs(lambda[i]));
    }
}

START_TEST(the_row_that_holds_is_taken)
{
    double largest = 0.0;
    perp_verdict verdict = scene_verdict(tied, 0.2, find_largest_multiplier, &largest);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
    ck_assert_double_le(largest, 1.0);
}
END_TEST

/* What one joint carries against the other is no answer to a force. */
START_TEST(no_stress_is_kept)
{
    double largest = 0.0;
    perp_verdict verdict = scene_verdict(shared, 0.2, find_largest_multiplier, &largest);
    ck_assert_int_ne(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
    ck_assert_double_le(largest, 1e5);
}
END_TEST

START_TEST(rounding_of_a_small_pivot_is_no_row)
{
    perp_verdict verdict = scene_verdict(rigid, 0.2, NULL, NULL);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
}
END_TEST

START_TEST(moments_do_no_work_on_rounding)
{
    perp_verdict verdict = scene_verdict(still, 0.1, NULL, NULL);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("repeated joints");
    TCase *cases = tcase_create("cases");
    tcase_add_test(cases, the_row_that_holds_is_taken);
    tcase_add_test(cases, no_stress_is_kept);
    tcase_add_test(cases, rounding_of_a_small_pivot_is_no_row);
    tcase_add_test(cases, moments_do_no_work_on_rounding);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
