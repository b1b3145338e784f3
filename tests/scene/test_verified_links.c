/* SPDX-License-Identifier: BSD-3-Clause */
/* Interactions as perp_verify_folder() reads them from scene.json, by what a recorded row of
 * numbers may be: bounds of drives, gaps of spheres, rows of matrices in each form, sums of
 * coordinates.  The series are written by hand, so that the numbers are known without a run. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/run_folder.h"
#include "tests/fixtures/scene_text.h"

#define HEAD "{\"version\": 1, \"time\": {\"until\": 0.01, \"step\": 0.01}, "
#define POINT "{\"name\": \"b\", \"type\": \"lagrangian\", \"q0\": [1, 2]}"
#define LINK(rest)                                                                                 \
    HEAD "\"systems\": [" POINT "], \"interactions\": [{\"name\": \"i\", \"systems\": "            \
         "[\"b\"], " rest "}]}"
#define DRIVE(law) LINK("\"relation\": {\"type\": \"linear\", \"C\": [[1, 0]]}, \"law\": " law)
#define MATRIX(rest)                                                                               \
    LINK("\"relation\": {\"type\": \"linear\", " rest "}, \"law\": {\"type\": "                    \
         "\"equality\"}")
#define BODY(name, x)                                                                              \
    "{\"name\": \"" name "\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [" x              \
    ", 0, 0], \"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}"
#define SPHERES(rest)                                                                              \
    HEAD "\"bodies\": [" BODY("b", "1") ", " BODY(                                                 \
        "c", "4") "], \"interactions\": "                                                          \
                  "[{\"name\": \"i\", \"systems\": [\"b\", \"c\"], \"relation\": {\"type\": "      \
                  "\"sphere-sphere\"" rest "}, \"law\": {\"type\": \"impact\"}}]}"
#define PLANE(rest)                                                                                \
    HEAD "\"bodies\": [" BODY(                                                                     \
        "b", "1") "], \"interactions\": [{\"name\": \"i\", "                                       \
                  "\"systems\": [\"b\"], \"relation\": {\"type\": \"sphere-plane\"" rest           \
                  "}, \"law\": {\"type\": "                                                        \
                  "\"impact\"}}]}"

#define OF_POINT "b.q[0],b.q[1],b.v[0],b.v[1]"
static const char body_q[] = "b.q[0],b.q[1],b.q[2],b.q[3],b.q[4],b.q[5],b.q[6],"
                             "c.q[0],c.q[1],c.q[2],c.q[3],c.q[4],c.q[5],c.q[6]";

/* The check of this name among what was found. */
static perp_check check_of(const perp_verification *found, const char *name)
{
    perp_check check = {.size = sizeof check};
    for (int k = 0; k < perp_verification_checks(found); k++) {
        ck_assert_int_eq(perp_verification_check(found, k, &check), PERP_SOLVED);
        if (strcmp(check.name, name) == 0)
            break;
    }
    ck_assert_str_eq(check.name, name);
    return check;
}

/* The check of this name over two rows with the same numbers behind the columns. */
static perp_check judged(const char *name, const char *scene, const char *columns,
                         const char *numbers)
{
    perp_scene_error error = {.size = sizeof error};
    perp_verification *found;
    static char where[400], why[400]; /* they go with what was found */
    char series[1200];
    run_folder_write("scene.json", scene);
    ck_assert_int_lt(
        snprintf(series, sizeof series, "t,%s\n0,%s\n0.01,%s\n", columns, numbers, numbers),
        (int)sizeof series);
    run_folder_write("series.csv", series);
    ck_assert_msg(perp_verify_folder(&found, run_folder, NULL, &error) == PERP_SOLVED, "%s",
                  error.text);
    perp_check check = check_of(found, name);
    snprintf(where, sizeof where, "%s", check.where);
    snprintf(why, sizeof why, "%s", check.why);
    check.where = where;
    check.why = why;
    perp_verification_destroy(found);
    return check;
}

/* force: a largest one, or a range with null for none; absent: any. */
START_TEST(bounds_of_drives)
{
    static const struct {
        const char *law;
        double force;
        int breaks;
    } all[] = {
        {"{\"type\": \"motor\", \"force\": 2}", 2.0, 0},
        {"{\"type\": \"motor\", \"force\": 2}", -2.0, 0},
        {"{\"type\": \"motor\", \"force\": 2}", 2.01, 1},
        {"{\"type\": \"motor\", \"force\": 2}", -2.01, 1},
        {"{\"type\": \"motor\", \"force\": [-1, 3]}", 3.0, 0},
        {"{\"type\": \"motor\", \"force\": [-1, 3]}", -1.0, 0},
        {"{\"type\": \"motor\", \"force\": [-1, 3]}", 3.01, 1},
        {"{\"type\": \"motor\", \"force\": [-1, 3]}", -1.01, 1},
        {"{\"type\": \"servo\", \"force\": [null, 3]}", -1e6, 0},
        {"{\"type\": \"servo\", \"force\": [null, 3]}", 3.01, 1},
        {"{\"type\": \"servo\", \"force\": [-1, null]}", 1e6, 0},
        {"{\"type\": \"servo\", \"force\": [-1, null]}", -1.01, 1},
        {"{\"type\": \"servo\", \"force\": null}", 1e6, 0},
        {"{\"type\": \"motor\"}", -1e6, 0},
        {"{\"type\": \"dry-friction\", \"force\": 2}", 2.01, 1},
        {"{\"type\": \"box\", \"lo\": -2, \"hi\": 5}", 5.0, 0},
        {"{\"type\": \"box\", \"lo\": -2, \"hi\": 5}", 5.01, 1},
        {"{\"type\": \"box\", \"lo\": -2, \"hi\": 5}", -2.01, 1},
        {"{\"type\": \"box\", \"lo\": null, \"hi\": 5}", -1e6, 0},
        {"{\"type\": \"box\", \"lo\": -2, \"hi\": null}", 1e6, 0},
        {"{\"type\": \"box\", \"lo\": [null], \"hi\": [5]}", -1e6, 0},
        {"{\"type\": \"box\", \"lo\": [-2]}", -2.01, 1},
        {"{\"type\": \"box\", \"lo\": [-2]}", 1.01, 1},
        {"{\"type\": \"box\"}", 1.0, 0},
        {"{\"type\": \"box\"}", 1.01, 1},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char scene[600], numbers[80];
        snprintf(scene, sizeof scene, DRIVE("%s"), all[k].law);
        snprintf(numbers, sizeof numbers, "1,2,0,0,%.17g", all[k].force);
        perp_check laws = judged("laws", scene, OF_POINT ",i.lambda", numbers);
        ck_assert_msg(laws.known && laws.contradicted == all[k].breaks, "%s, %g: %d, %g %s",
                      all[k].law, all[k].force, laws.contradicted, laws.worst, laws.why);
    }
}
END_TEST

/* Balls at 1 and 4 of radius 0.5: their own, other radii, and points of the bodies. */
START_TEST(gaps_of_spheres)
{
    static const struct {
        const char *scene;
        double gap;
    } all[] = {
        {SPHERES(""), 2.0},
        {SPHERES(", \"radii\": [1, 0.25]"), 1.75},
        {SPHERES(", \"radii\": [1, 1], \"points\": [[0.5, 0, 0], [-0.25, 0, 0]]"), 0.25},
        {PLANE(", \"normal\": [1, 0, 0]"), 0.5},
        {PLANE(", \"normal\": [5, 0, 0], \"offset\": 0.25"), 0.25},
        {PLANE(", \"normal\": [1, 0, 0], \"radius\": 0.75, \"point\": [2, 1, 1]"), 2.25},
        /* No direction at all: what is left is the offset and the ball. */
        {PLANE(", \"normal\": [0, 0, 0], \"offset\": -2"), 1.5},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        for (int off = 0; off < 2; off++) {
            char columns[300], numbers[200];
            snprintf(columns, sizeof columns, "%s,i.y", body_q);
            snprintf(numbers, sizeof numbers, "1,0,0,1,0,0,0,4,0,0,1,0,0,0,%.17g",
                     all[k].gap + 1e-6 * off);
            perp_check outputs = judged("outputs", all[k].scene, columns, numbers);
            ck_assert_msg(outputs.known && outputs.contradicted == off, "%zu: %d, %g %s", k,
                          outputs.contradicted, outputs.worst, outputs.why);
        }
}
END_TEST

/* q = (1, 2): y = C q + D lambda + e in each form of the matrices. */
START_TEST(rows_of_matrices)
{
    static const struct {
        const char *scene;
        double y[2];
        int rows;
    } all[] = {
        {MATRIX("\"C\": [[3, 4]]"), {11.0, 0.0}, 1},
        {MATRIX("\"C\": [[3, 4]], \"e\": [-1]"), {10.0, 0.0}, 1},
        {MATRIX("\"C\": {\"entries\": [[0, 1, 4], [0, 1, 1]], \"rows\": 1, \"cols\": 2}"),
         {10.0, 0.0},
         1},
        {MATRIX("\"C\": {\"entries\": [[0, 1, 4], [7, 1, 1]], \"rows\": 1, \"cols\": 2}"),
         {8.0, 0.0},
         1},
        {MATRIX("\"C\": {\"diagonal\": 3, \"n\": 2}"), {3.0, 6.0}, 2},
        {MATRIX("\"C\": {\"diagonal\": [3, 5]}"), {3.0, 10.0}, 2},
        {MATRIX("\"C\": {\"diagonal\": {\"all\": 3}, \"n\": 2}"), {3.0, 6.0}, 2},
        {MATRIX("\"C\": {\"diagonal\": [3, 5], \"scale\": 2}, \"e\": {\"all\": 1}"),
         {7.0, 21.0},
         2},
        {MATRIX("\"C\": {\"tridiagonal\": [7, 1, 5], \"n\": 2}"), {11.0, 9.0}, 2},
        {MATRIX("\"C\": {\"tridiagonal\": [7, 1, 5], \"n\": 2, \"corners\": [2, 3]}"),
         {12.0, 13.0},
         2},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        for (int off = 0; off < 2; off++) {
            char numbers[200];
            const double *y = all[k].y;
            if (all[k].rows == 1)
                snprintf(numbers, sizeof numbers, "1,2,0,0,%.17g", y[0] + 1e-6 * off);
            else
                snprintf(numbers, sizeof numbers, "1,2,0,0,%.17g,%.17g", y[0], y[1] + 1e-6 * off);
            perp_check outputs =
                judged("outputs", all[k].scene,
                       all[k].rows == 1 ? OF_POINT ",i.y" : OF_POINT ",i.y[0],i.y[1]", numbers);
            ck_assert_msg(outputs.known && outputs.contradicted == off, "%s: %d, %g %s",
                          all[k].scene, outputs.contradicted, outputs.worst, outputs.why);
        }
}
END_TEST

/* A sum of coordinates, and terms that are not known here: said, not guessed. */
START_TEST(sums_of_coordinates)
{
#define SUM(rest)                                                                                  \
    LINK("\"relation\": {\"type\": \"coupling\", " rest "}, \"law\": {\"type\": \"equality\"}")
    static const struct {
        const char *scene;
        double y;
        int known;
    } all[] = {
        {SUM("\"terms\": [{\"system\": \"b\", \"coordinate\": 1, \"factor\": 3}]"), 6.0, 1},
        {SUM("\"terms\": [{\"system\": \"b\"}, {\"system\": \"b\", \"coordinate\": 1}], "
             "\"offset\": 1"),
         2.0, 1},
        {SUM("\"terms\": [{\"system\": \"c\"}]"), 1.0, 0},
        {SUM("\"terms\": [{\"system\": \"b\", \"coordinate\": 2}]"), 1.0, 0},
        {SUM("\"terms\": [{\"joint\": \"i\"}]"), 1.0, 0},
        {SUM("\"terms\": [{\"joint\": \"nowhere.angle\"}]"), 1.0, 0},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        for (int off = 0; off < 2; off++) {
            char numbers[200];
            snprintf(numbers, sizeof numbers, "1,2,0,0,%.17g", all[k].y + 1e-6 * off);
            perp_check outputs = judged("outputs", all[k].scene, OF_POINT ",i.y", numbers);
            ck_assert_msg(outputs.known == all[k].known &&
                              outputs.contradicted == (all[k].known && off),
                          "%s: %d %d, %g %s", all[k].scene, outputs.known, outputs.contradicted,
                          outputs.worst, outputs.why);
            ck_assert_msg(all[k].known || strstr(outputs.why, "'i'") != NULL, "%s", outputs.why);
        }
}
END_TEST

/* Joints and matrices that are not known here, and interactions without a name. */
START_TEST(what_is_left_out)
{
    static const char *const all[] = {
        LINK("\"relation\": {\"type\": \"joint\", \"joint\": \"odd\"}, \"law\": {\"type\": "
             "\"equality\"}"),
        LINK("\"relation\": {\"type\": \"odd\"}, \"law\": {\"type\": \"equality\"}"),
        MATRIX("\"C\": []"),
        MATRIX("\"C\": {\"entries\": []}"),
        MATRIX("\"C\": 7"),
        HEAD "\"systems\": [" POINT
             "], \"interactions\": [{\"name\": \"i\", \"systems\": [\"odd\", 7], "
             "\"relation\": {\"type\": \"linear\", \"C\": [[1, 0]]}, \"law\": {\"type\": "
             "\"equality\"}}]}",
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        perp_check outputs = judged("outputs", all[k], OF_POINT ",i.y", "1,2,0,0,77");
        ck_assert_msg(!outputs.known && strstr(outputs.why, "y of 'i' is not recomputed") != NULL,
                      "%s: %d, %s", all[k], outputs.known, outputs.why);
    }
    perp_check outputs = judged(
        "outputs",
        HEAD "\"systems\": [" POINT "], \"interactions\": [{\"systems\": [\"b\"], \"relation\": "
             "{\"type\": \"linear\", \"C\": [[3, 4]]}, \"law\": {\"type\": \"equality\"}}]}",
        OF_POINT ",interaction0.y", "1,2,0,0,11.001");
    ck_assert(outputs.known && outputs.contradicted);
    ck_assert_msg(strstr(outputs.where, "interaction0") != NULL, "%s", outputs.where);
}
END_TEST

/* Drags and springs of a real run, in the check of the dynamics; and of a scene that says another
 * damping, stiffness or length than the one that ran. */
START_TEST(forces_between_places)
{
    static const char scene[] =
        "{\"version\": 1, \"time\": {\"until\": 0.05, \"step\": 0.01}, \"gravity\": [0, 0, -9.81], "
        "\"systems\": [{\"name\": \"m\", \"type\": \"point-masses\", \"masses\": [1, 2], "
        "\"positions\": "
        "[[0, 0, 3], [1, 0, 3]]}, {\"name\": \"d\", \"type\": \"planar\", \"mass\": 2, \"radius\": "
        "0.1, "
        "\"position\": [0, 2], \"velocity\": [1, 0], \"rate\": 3}], \"bodies\": [{\"name\": \"b\", "
        "\"mass\": 1, \"position\": [5, 0, 1], \"velocity\": [1, 2, 3], \"angular\": [1, 0, 2], "
        "\"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.3, 0.4]}}], \"schemes\": [{\"name\": "
        "\"moreau-jean\", \"theta\": 0.5}], \"forces\": [{\"type\": \"drag\", \"system\": \"m\", "
        "\"point\": 1, \"damping\": 3}, {\"type\": \"drag\", \"system\": \"b\", \"point\": [0, 0, "
        "0.1], "
        "\"damping\": 3}, {\"type\": \"spring\", \"stiffness\": 50, \"damping\": 1, \"length\": "
        "[0.5, 0.7], "
        "\"from\": {\"system\": \"m\", \"point\": 0}, \"to\": {\"world\": [0, 0, 0]}}, {\"type\": "
        "\"spring\", \"stiffness\": 50, \"length\": 1, \"from\": {\"system\": \"d\", \"point\": "
        "[0.1, "
        "0]}, \"to\": {\"world\": [0, 0]}}], \"record\": {\"certify\": true}}";
    static const char *const other[][2] = {
        {"\"damping\": 3}, {\"type\": \"spring\"", "\"damping\": 4}, {\"type\": \"spring\""},
        {"1, \"damping\": 3", "1, \"damping\": 4"},
        {"[0.5, 0.7]", "[0.5, 0.8]"},
        {"\"length\": 1", "\"length\": 2"}};
    perp_scene *made = scene_of(scene, NULL);
    run_folder_run(made);
    perp_scene_destroy(made);
    for (size_t k = 0; k <= sizeof other / sizeof other[0]; k++) {
        perp_verification *found;
        perp_scene_error error = {.size = sizeof error};
        char text[3000];
        snprintf(text, sizeof text, "%s", scene);
        if (k > 0) {
            const char *at = strstr(scene, other[k - 1][0]);
            ck_assert_ptr_nonnull(at);
            snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scene), scene, other[k - 1][1],
                     at + strlen(other[k - 1][0]));
        }
        run_folder_write("scene.json", text);
        ck_assert_msg(perp_verify_folder(&found, run_folder, NULL, &error) == PERP_SOLVED, "%s",
                      error.text);
        perp_check check = check_of(found, "dynamics");
        ck_assert_msg(check.known && check.contradicted == (k > 0), "%zu: %d %d, %g %s; %s", k,
                      check.known, check.contradicted, check.worst, check.where, check.why);
        perp_check first = {.size = sizeof first};
        if (perp_verification_first(found) >= 0)
            ck_assert_int_eq(perp_verification_check(found, perp_verification_first(found), &first),
                             PERP_SOLVED);
        ck_assert_msg(perp_verification_holds(found) == (k == 0), "%zu: %s %g %s", k,
                      first.name != NULL ? first.name : "", first.worst,
                      first.where != NULL ? first.where : "");
        perp_verification_destroy(found);
    }
}
END_TEST

static perp_status attempt(const void *folder, const perp_allocator *allocator,
                           perp_scene_error *error)
{
    perp_verification *found = NULL;
    perp_status status = perp_verify_folder(&found, folder, allocator, error);
    ck_assert((status == PERP_SOLVED) == (found != NULL));
    perp_verification_destroy(found);
    return status;
}

START_TEST(memory)
{
    static const char scene[] = HEAD
        "\"systems\": [" POINT ", {\"name\": \"m\", \"type\": \"point-masses\", \"masses\": [1], "
        "\"positions\": [[0, 0]]}, {\"name\": \"p\", \"type\": \"pendulum\"}, {\"name\": \"d\", "
        "\"type\": \"planar\", \"radius\": 1}, {\"name\": \"x\", \"type\": \"first-order\", "
        "\"x0\": [1], \"A\": [[1]]}], \"bodies\": [" BODY(
            "a",
            "1") ", {\"name\": \"c\", "
                 "\"copies\": {\"count\": [2, 1, 1]}}], \"forces\": [{\"type\": \"load\", "
                 "\"system\": \"b\", "
                 "\"vector\": [1, 2]}, {\"type\": \"load\", \"system\": \"nowhere\", \"vector\": "
                 "[1]}, "
                 "{\"type\": \"spring\", \"stiffness\": 1, \"from\": {\"system\": \"b\", "
                 "\"coordinate\": "
                 "0}}], \"interactions\": [{\"name\": \"i\", \"systems\": [\"b\"], \"relation\": "
                 "{\"type\": "
                 "\"linear\", \"C\": [[1, 0]], \"D\": [[1]]}, \"law\": {\"type\": \"impact\"}}, "
                 "{\"name\": "
                 "\"j\", \"systems\": [\"a\", \"c-0\"], \"relation\": {\"type\": \"joint\", "
                 "\"joint\": "
                 "\"pivot\", \"limits\": [-1, 1]}}, {\"name\": \"g\", \"relation\": {\"type\": "
                 "\"gear\", "
                 "\"of\": \"j\", \"with\": \"j\"}}, {\"name\": \"k\", \"relation\": {\"type\": "
                 "\"coupling\", \"terms\": [{\"joint\": \"j\"}]}}]}";
    run_folder_write("scene.json", scene);
    run_folder_write("series.csv", "t," OF_POINT ",i.y\n0,1,2,0,0,1\n0.01,1,2,0,0,1\n");
    ck_assert_int_gt(scene_attempts(attempt, run_folder), 60);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verified links");
    TCase *tcase = tcase_create("verified links");
    tcase_add_checked_fixture(tcase, run_folder_make, run_folder_remove);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, bounds_of_drives);
    tcase_add_test(tcase, gaps_of_spheres);
    tcase_add_test(tcase, rows_of_matrices);
    tcase_add_test(tcase, sums_of_coordinates);
    tcase_add_test(tcase, what_is_left_out);
    tcase_add_test(tcase, forces_between_places);
    tcase_add_test(tcase, memory);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
