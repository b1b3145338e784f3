/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of a mechanism that never meet: together they take the iterates, solves and motions of
 * one, with many more rows than are solved to the end in one problem. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perp/scene.h>

#include "scene/name_table.h"

enum { COPIES = 40, STEPS = 100 };

/* Two boxes on a hinge fall on the floor, each copy in its place. */
static void write_scene(char *text, size_t size, int copies)
{
    size_t used = (size_t)snprintf(text, size,
                                   "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.005}, "
                                   "\"gravity\": [0, 0, -9.81],\n"
                                   "\"contacts\": {\"mu\": 0.6}, \"bodies\": [{\"name\": "
                                   "\"floor\", \"fixed\": true, \"shape\": "
                                   "{\"type\": \"plane\", \"normal\": [0, 0, 1]}}");
    for (int k = 0; k < copies; k++)
        for (int side = 0; side < 2; side++)
            used += (size_t)snprintf(text + used, size - used,
                                     ",\n{\"name\": \"b%d%d\", \"mass\": 1, \"inertia\": [0.002, "
                                     "0.004, 0.004], \"position\": "
                                     "[%g, %d, 0.2], \"velocity\": [0.5, 0.2, 0], \"angular\": [1, "
                                     "%d, 0], \"shape\": {\"type\": \"box\", "
                                     "\"sides\": [0.2, 0.1, 0.1]}}",
                                     k, side, 0.2 * side, 2 * k, side ? -4 : 4);
    used += (size_t)snprintf(text + used, size - used, "], \"interactions\": [");
    for (int k = 0; k < copies; k++)
        used += (size_t)snprintf(
            text + used, size - used,
            "%s{\"name\": \"h%d\", \"systems\": [\"b%d0\", \"b%d1\"], \"relation\": {\"type\": "
            "\"joint\", \"joint\": \"pivot\", \"anchor\": [0.1, %d, 0.2], \"axis\": [0, 1, 0]}}",
            k ? ",\n" : "", k, k, k, 2 * k);
    used += (size_t)snprintf(text + used, size - used,
                             "], \"record\": {\"quantities\": [\"newton\", \"solves\", \"rows\", "
                             "\"b01.q[2]\"]}}");
    ck_assert_uint_lt(used, size);
}

/* Sums over the steps of newton and solves, the most rows, and the last height. */
static void run(double sums[4], int copies)
{
    static char text[60000];
    perp_scene_error error = {.size = sizeof error};
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_run_options options;
    perp_scene *scene;
    write_scene(text, sizeof text, copies);
    perp_status status = perp_scene_create_from_text(&scene, text, NULL, NULL, &error);
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    perp_scene_run_options_init(&options, sizeof options);
    options.keep_rows = 1;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    ck_assert_int_eq((int)info.unsolved, 0);
    perp_recorder *recorder = perp_scene_recorder(scene);
    const double *data = perp_recorder_data(recorder);
    size_t columns = (size_t)perp_recorder_columns(recorder);
    memset(sums, 0, 4 * sizeof *sums);
    for (size_t k = 1; k <= STEPS; k++) {
        sums[0] += data[k * columns + 1];
        sums[1] += data[k * columns + 2];
        sums[2] = fmax(sums[2], data[k * columns + 3]);
        sums[3] = data[k * columns + 4];
    }
    perp_scene_destroy(scene);
}

START_TEST(copies_take_the_iterates_of_one)
{
    double one[4], many[4];
    run(one, 1);
    run(many, COPIES);
    ck_assert_double_gt(one[0], 1.5 * STEPS); /* there is something to iterate */
    ck_assert_double_eq(many[2], COPIES * one[2]);
    ck_assert_double_gt(many[2], 48.0);
    ck_assert_double_le(many[0], 1.05 * one[0]);
    ck_assert_double_le(many[1], 1.05 * one[1]);
    ck_assert_double_eq_tol(many[3], one[3], 1e-6);
}
END_TEST

/* A million of all entries together, refused before any of the second is made. */
START_TEST(copies_are_counted_in_all)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    const char *text =
        "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.1}, \"bodies\": ["
        "{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"density\": 1, "
        "\"copies\": {\"count\": [1, 1, 2], \"spacing\": [3, 3, 3]}}, "
        "{\"name\": \"b\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"density\": 1, "
        "\"copies\": {\"count\": [10000, 100, 1], \"spacing\": [3, 3, 3]}}]}";
    ck_assert_int_ne(perp_scene_create_from_text(&scene, text, NULL, NULL, &error), PERP_SOLVED);
    ck_assert_ptr_nonnull(strstr(error.text, "bodies[1].copies.count: more than a million"));
}
END_TEST

/* Names of copies are found without going through the others: the table has space, and names do not
 * gather in it. */
START_TEST(names_are_spread)
{
    enum { NAMES = 100000 };
    const char *text = "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.1}, \"bodies\": ["
                       "{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}, "
                       "\"density\": 1}]}";
    static char names[NAMES][24];
    perp_scene_name_table table = {NULL, 0, 0};
    perp_scene *scene;
    ck_assert_int_eq(perp_scene_create_from_text(&scene, text, NULL, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < NAMES; k++) {
        snprintf(names[k], sizeof names[k], "ball-%d", k);
        ck_assert_int_eq(perp_scene_number_of(&table, names[k]), -1);
        ck_assert_int_eq(perp_scene_put_name(&table, scene, names[k], k), 0);
    }
    for (int k = 0; k < NAMES; k++)
        ck_assert_int_eq(perp_scene_number_of(&table, names[k]), k);
    ck_assert_uint_eq(table.count, NAMES);
    ck_assert_uint_ge(table.capacity, 2 * table.count);
    size_t longest = 0, run = 0;
    for (size_t k = 0; k < table.capacity; k++) {
        run = table.entry[k].name ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    ck_assert_uint_lt(longest, 100);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("copies");
    TCase *tests = tcase_create("copies");
    tcase_add_test(tests, copies_take_the_iterates_of_one);
    tcase_add_test(tests, copies_are_counted_in_all);
    tcase_add_test(tests, names_are_spread);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
