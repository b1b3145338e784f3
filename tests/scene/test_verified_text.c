/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_verify_folder() on a scene.json that perp run never wrote: numbers out of their range, names
 * that stand twice, lists of the wrong length.  Each is refused, or what it says is left out; none
 * makes it write beside its memory, take what the file does not pay for, or go on for ever. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/run_folder.h"

#define HEAD "{\"version\": 1, \"time\": {\"until\": 0.02, \"step\": 0.01}, "
#define BODY(rest)                                                                                 \
    HEAD "\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": {\"type\": "                      \
         "\"sphere\", \"radius\": 0.1}" rest "}]}"
#define SYSTEM(rest) HEAD "\"systems\": [{\"name\": \"b\", \"type\": " rest "}]}"
#define LINK(rest)                                                                                 \
    HEAD "\"systems\": [{\"name\": \"b\", \"type\": \"lagrangian\", \"q0\": [1, 1, 1]}], "         \
         "\"interactions\": [{\"name\": \"i\", \"systems\": [\"b\"], " rest "}]}"
#define SPHERE(dim)                                                                                \
    HEAD "\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": {\"type\": "                      \
         "\"sphere\", \"radius\": 0.1}}], \"interactions\": [{\"name\": \"i\", \"systems\": "      \
         "[\"b\"], "                                                                               \
         "\"relation\": {\"type\": \"sphere-plane\", \"normal\": [0, 0, 1]}, \"law\": {\"type\": " \
         "\"friction\", \"mu\": 0.5, \"dim\": " #dim "}}]}"
#define FRICTION(dim)                                                                              \
    LINK("\"relation\": {\"type\": \"linear\", \"C\": [[1, 0, 0]]}, \"law\": "                     \
         "{\"type\": \"friction\", \"mu\": 0.5, \"dim\": " #dim "}")

#define SPRING(from)                                                                               \
    HEAD "\"systems\": [{\"name\": \"b\", \"type\": \"lagrangian\", \"q0\": [1, 1, 1]}], "         \
         "\"schemes\": [{\"name\": \"moreau-jean\"}], \"forces\": [{\"type\": \"spring\", "        \
         "\"stiffness\": "                                                                         \
         "0, \"from\": {\"system\": \"b\", " from "}}]}"
#define POINTS_AND_SPRING(point)                                                                   \
    HEAD "\"systems\": [{\"name\": \"b\", \"type\": \"point-masses\", "                            \
         "\"positions\": [[0], [1]], \"masses\": [1, 1]}], \"forces\": [{\"type\": \"spring\", "   \
         "\"stiffness\": 0, \"from\": {\"system\": \"b\", \"point\": " #point                      \
         "}, \"to\": {\"world\": [0]}}]}"

static const char series[] =
    "t,b.q[0],b.q[1],b.q[2],b.v[0],b.v[1],b.v[2],i.y,i.u,i.lambda\n"
    "0,1,1,1,0,0,0,1,0,0\n0.01,1,1,1,0,0,0,1,0,0\n0.02,1,1,1,0,0,0,1,0,0\n";
static size_t taken;

static void *take(void *ctx, size_t bytes)
{
    (void)ctx;
    taken += bytes;
    return bytes > ((size_t)1 << 33) ? NULL : malloc(bytes);
}

static void give(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static perp_status verified(const char *scene, char *said, size_t size)
{
    const perp_allocator counted = {take, give, NULL};
    perp_scene_error error = {.size = sizeof error};
    perp_verification *found = NULL;
    run_folder_write("scene.json", scene);
    run_folder_write("series.csv", series);
    taken = 0;
    perp_status status = perp_verify_folder(&found, run_folder, &counted, &error);
    ck_assert((status == PERP_SOLVED) == (found != NULL));
    perp_verification_destroy(found);
    snprintf(said, size, "%s", error.text);
    return status;
}

/* What perp run refuses is no scene of a run. */
START_TEST(what_no_run_has)
{
    static const struct {
        const char *scene, *words;
    } all[] = {
        {BODY(", \"copies\": {\"count\": [0.5, 4, 1]}"), "copies.count"},
        {BODY(", \"copies\": {\"count\": [0, 4, 1]}"), "copies.count"},
        {BODY(", \"copies\": {\"count\": [-1, -4, 1]}"), "copies.count"},
        {BODY(", \"copies\": {\"count\": [10000, 10000, 1]}"), "copies.count"},
        {BODY(", \"copies\": {\"count\": [1e300, 1, 1]}"), "copies.count"},
        {SYSTEM("\"lagrangian\", \"q0\": {\"all\": 0, \"n\": 50000}, \"M\": {\"diagonal\": 1}"),
         "a matrix of 50000 x 50000"},
        {SYSTEM("\"first-order\", \"x0\": {\"all\": 0, \"n\": 50000}, \"A\": {\"diagonal\": 1}"),
         "a matrix of 50000 x 50000"},
        {SYSTEM("\"lagrangian\", \"q0\": {\"all\": 0, \"n\": 1e9}"), "1000000000 entries"},
        {SYSTEM("\"lagrangian\", \"q0\": {\"all\": 0, \"n\": 1e300}"), "entries"},
        {SYSTEM("\"point-masses\", \"positions\": [[0, 0, 0, 0]], \"masses\": [1]"),
         "points of 4 coordinates"},
        {LINK("\"relation\": {\"type\": \"linear\", \"C\": {\"entries\": [], \"rows\": 2147483647, "
              "\"cols\": 3}}"),
         "a matrix of 2147483647 x 3"},
        {LINK("\"relation\": {\"type\": \"linear\", \"C\": {\"entries\": [], \"rows\": 1e300, "
              "\"cols\": 3}}"),
         "a matrix of"},
        {SPRING("\"coordinate\": 1000000"), "a spring at 1000000 of 'b'"},
        {SPRING("\"coordinate\": -1000000"), "a spring at -1 of 'b'"},
        {SPRING("\"coordinate\": 1e300"), "a spring at 2147483647 of 'b'"},
        {SPRING("\"coordinate\": 3"), "a spring at 3 of 'b'"},
        {SPRING("\"coordinate\": 2}, \"to\": {\"system\": \"b\", \"coordinate\": 3"),
         "a spring at 3 of 'b'"},
        {POINTS_AND_SPRING(2), "a spring at 2 of 'b'"},
        {POINTS_AND_SPRING(-7), "a spring at -1 of 'b'"},
        {FRICTION(0), "law.dim"},
        {FRICTION(-3), "law.dim"},
        {FRICTION(2.5), "law.dim"},
        {SPHERE(2147483647), "law.dim"},
        {SPHERE(1e300), "law.dim"},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char said[768];
        perp_status status = verified(all[k].scene, said, sizeof said);
        if (status != PERP_ERR_FORMAT || strstr(said, all[k].words) == NULL)
            ck_abort_msg("%s\n%d, %s, not %s", all[k].scene, (int)status, said, all[k].words);
        ck_assert_msg(strstr(said, "/scene.json: ") != NULL, "%s", said);
        ck_assert_msg(taken < (size_t)1 << 22, "%s: %zu bytes", all[k].scene, taken);
    }
}
END_TEST

/* Point masses whose square is more than an int holds. */
START_TEST(many_points)
{
    enum { POINTS = 65537 };
    char said[768], *text = malloc(3 * POINTS + 400);
    ck_assert_ptr_nonnull(text);
    int at = sprintf(text, HEAD "\"systems\": [{\"name\": \"b\", \"type\": \"point-masses\", "
                                "\"positions\": [[0]");
    for (int k = 1; k < POINTS; k++)
        at += sprintf(text + at, ",[]");
    sprintf(text + at, "]}]}");
    ck_assert_int_eq(verified(text, said, sizeof said), PERP_ERR_FORMAT);
    ck_assert_msg(strstr(said, "a matrix of 65537 x 65537") != NULL, "%s", said);
    free(text);
}
END_TEST

/* A gear among systems, and of joints whose names stand more than once. */
START_TEST(gears_of_many)
{
    char said[768], text[4096];
    int at = sprintf(text, HEAD "\"systems\": [{\"name\": \"b\", \"type\": \"lagrangian\", "
                                "\"q0\": [1]}], \"interactions\": [");
    for (int k = 0; k < 12; k++)
        at += sprintf(text + at, "{\"name\": \"j\", \"systems\": [\"b\", \"b\"]}, ");
    sprintf(text + at, "{\"name\": \"g\", \"systems\": [\"b\", \"b\", \"b\", \"b\", \"b\", \"b\"], "
                       "\"relation\": {\"type\": \"gear\", \"of\": \"j\", \"with\": \"j\"}}]}");
    ck_assert_msg(verified(text, said, sizeof said) == PERP_SOLVED, "%s", said);
}
END_TEST

/* What is in range, or is not looked at, is read as before. */
START_TEST(what_a_run_may_have)
{
    static const char *const all[] = {
        BODY(", \"copies\": {\"count\": [2, 3, 1], \"spacing\": [1, 1, 1]}"),
        SYSTEM("\"lagrangian\", \"q0\": {\"all\": 0, \"n\": 1000}, \"M\": {\"diagonal\": 1}"),
        SYSTEM("\"lagrangian\", \"q0\": {\"all\": 0, \"n\": 50000}"),
        SYSTEM("\"point-masses\", \"positions\": [[0, 0], [1, 1]], \"masses\": [1, 1]"),
        SPRING("\"coordinate\": 2"),
        POINTS_AND_SPRING(1),
        FRICTION(2),
        FRICTION(3),
        SPHERE(2),
        LINK("\"relation\": {\"type\": \"linear\", \"C\": {\"entries\": [[0, 0, 1]], \"rows\": 2, "
             "\"cols\": 3}}"),
        LINK("\"relation\": {\"type\": \"linear\", \"C\": {\"diagonal\": 1, \"n\": 3}}"),
        LINK("\"relation\": {\"type\": \"linear\", \"C\": {\"diagonal\": [1, 2, 3]}}"),
        LINK("\"relation\": {\"type\": \"coupling\", \"terms\": [{\"system\": \"b\", "
             "\"coordinate\": 1e300}]}"),
        LINK("\"relation\": {\"type\": \"coupling\", \"terms\": [{\"system\": \"b\", "
             "\"coordinate\": -1}]}"),
        LINK("\"relation\": 7"),
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char said[768];
        perp_status status = verified(all[k], said, sizeof said);
        ck_assert_msg(status == PERP_SOLVED, "%s: %s", all[k], said);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verified text");
    TCase *tcase = tcase_create("verified text");
    tcase_add_checked_fixture(tcase, run_folder_make, run_folder_remove);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, what_no_run_has);
    tcase_add_test(tcase, many_points);
    tcase_add_test(tcase, gears_of_many);
    tcase_add_test(tcase, what_a_run_may_have);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
