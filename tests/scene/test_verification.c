/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_verify_folder() as a library: arguments, structs of older callers, memory that fails, and a
 * run whose files are changed in between. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/verify.h>

static char folder[64];

static const char text[] =
    "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.005}, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},"
    "  {\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 2,"
    "   \"position\": [0, 0, 0.3]}],"
    " \"schemes\": [{\"name\": \"discrete-gradient\"}],"
    " \"contacts\": {\"e\": 0.5, \"mu\": 0.3}, \"record\": {\"certify\": true}, \"frames\": "
    "{\"every\": 0}}";

static void run_scene(const char *of)
{
    perp_scene *scene;
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_error error = {.size = sizeof error};
    strcpy(folder, "/tmp/perp-verify-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_msg(perp_scene_create_from_text(&scene, of, NULL, NULL, &error) == PERP_SOLVED, "%s",
                  error.text);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    perp_scene_destroy(scene);
}

static void make_run(void)
{
    run_scene(text);
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

START_TEST(a_clean_run_holds)
{
    static const char *const expected[] = {"times",  "start",     "quaternions", "kinetic energy",
                                           "energy", "positions", "dynamics",    "impulses",
                                           "laws",   "overlap",   "contacts",    "energy gain"};
    perp_verification *found;
    perp_scene_error error = {.size = sizeof error};
    ck_assert_msg(perp_verify_folder(&found, folder, NULL, &error) == PERP_SOLVED, "%s",
                  error.text);
    ck_assert_int_eq(perp_verification_rows(found), 101);
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        perp_check check = named(found, expected[k]);
        ck_assert_msg(check.known && !check.contradicted, "%s: %g, %s, %s", check.name, check.worst,
                      check.where, check.why);
    }
    ck_assert_int_eq(perp_verification_holds(found), 1);
    ck_assert_int_eq(perp_verification_first(found), -1);
    perp_check check = named(found, "joints");
    ck_assert_int_eq(check.known, 0);
    ck_assert_int_gt((int)strlen(check.why), 0);
    perp_verification_destroy(found);
}
END_TEST

/* A wall at rest, which is left out of the steps before the end: its energy has no scale but what
 * gravity would give in a step. */
START_TEST(what_rests_holds)
{
    enum { ROWS = 6, ACROSS = 5 };
    static const char *const expected[] = {"dynamics", "impulses", "laws", "contacts",
                                           "energy gain"};
    static char wall[16384];
    int at = snprintf(wall, sizeof wall,
                      "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.005}, "
                      "\"gravity\": [0, 0, -9.81], \"contacts\": {\"e\": 0, \"mu\": 0.6}, "
                      "\"record\": {\"certify\": true}, \"bodies\": [{\"name\": \"floor\", "
                      "\"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}");
    for (int k = 0; k < ROWS * ACROSS; k++) {
        int row = k / ACROSS, i = k % ACROSS;
        at += snprintf(wall + at, sizeof wall - (size_t)at,
                       ", {\"name\": \"b%d\", \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.1, "
                       "0.1]}, \"mass\": 3, \"position\": [%.17g, 0, %.17g]}",
                       k, 0.2 * i + 0.1 * (row % 2), 0.1 * row + 0.05);
    }
    snprintf(wall + at, sizeof wall - (size_t)at, "]}");
    remove_run();
    run_scene(wall);
    perp_verification *found;
    perp_scene_error error = {.size = sizeof error};
    ck_assert_msg(perp_verify_folder(&found, folder, NULL, &error) == PERP_SOLVED, "%s",
                  error.text);
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        perp_check check = named(found, expected[k]);
        ck_assert_msg(check.known && !check.contradicted, "%s: %g, %s, %s", check.name, check.worst,
                      check.where, check.why);
    }
    ck_assert_double_le(named(found, "energy gain").worst, 1e-6);
    perp_verification_destroy(found);
}
END_TEST

/* A scene that says another thing than the one that ran. */
START_TEST(another_scene_is_contradicted)
{
    static const struct {
        const char *script, *check;
        long row; /* -1: any */
    } changes[] = {{"s/\"radius\": [0-9.]*/\"radius\": 0.11/", "contacts", -1},
                   {"s/-9[.]81[0-9]*/-9.82/", "potential energy", 0},
                   {"s/\"mass\": 2/\"mass\": 3/", "kinetic energy", 1},
                   {"s/0[.]29999*/0.31/", "start", 0}};
    char command[512];
    perp_verification *found;
    snprintf(command, sizeof command, "cd '%s' && sed '%s' scene.json >new && mv new scene.json",
             folder, changes[_i].script);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, NULL), PERP_SOLVED);
    perp_check check = named(found, changes[_i].check);
    ck_assert_msg(check.contradicted, "%s: %g", check.name, check.worst);
    if (changes[_i].row >= 0)
        ck_assert_int_eq(check.row, changes[_i].row);
    ck_assert_int_eq(perp_verification_holds(found), 0);
    ck_assert_int_ge(perp_verification_first(found), 0);
    perp_verification_destroy(found);
}
END_TEST

START_TEST(arguments)
{
    perp_verification *found = (perp_verification *)&found;
    perp_scene_error error = {.size = sizeof error}, no_size = {.size = 0};
    perp_check check = {.size = 0};
    ck_assert_int_eq(perp_verify_folder(NULL, folder, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_verify_folder(&found, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(found);
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, &no_size), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_verify_folder(&found, "/nowhere", NULL, &error), PERP_ERR_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/scene.json"));
    ck_assert_int_eq(perp_verification_holds(NULL), 0);
    ck_assert_int_eq(perp_verification_checks(NULL), 0);
    ck_assert_int_eq(perp_verification_first(NULL), -1);
    ck_assert_int_eq(perp_verification_check(NULL, 0, &check), PERP_ERR_ARGUMENT);
    perp_verification_destroy(NULL);
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_verification_check(found, 0, &check), PERP_ERR_ARGUMENT);
    check.size = sizeof check;
    ck_assert_int_eq(perp_verification_check(found, 1000, &check), PERP_ERR_ARGUMENT);
    /* A caller that knows name and text alone. */
    memset(&check, 0x55, sizeof check);
    check.size = offsetof(perp_check, known);
    ck_assert_int_eq(perp_verification_check(found, 0, &check), PERP_SOLVED);
    ck_assert_str_eq(check.name, "times");
    ck_assert_int_eq(check.known, 0x55555555);
    perp_verification_destroy(found);
}
END_TEST

typedef struct limited {
    long left, live;
} limited;

static void *take(void *ctx, size_t bytes)
{
    limited *memory = ctx;
    if (memory->left-- <= 0)
        return NULL;
    memory->live++;
    return malloc(bytes);
}

static void give(void *ctx, void *block)
{
    limited *memory = ctx;
    memory->live -= block != NULL;
    free(block);
}

START_TEST(memory_that_fails)
{
    perp_status status = PERP_ERR_MEMORY;
    for (long limit = 0; status != PERP_SOLVED; limit++) {
        limited memory = {limit, 0};
        const perp_allocator allocator = {take, give, &memory};
        perp_verification *found;
        status = perp_verify_folder(&found, folder, &allocator, NULL);
        ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
        ck_assert_int_eq(found != NULL, status == PERP_SOLVED);
        perp_verification_destroy(found);
        ck_assert_int_eq((int)memory.live, 0);
        ck_assert_int_lt((int)limit, 10000);
    }
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("verification");
    TCase *tc = tcase_create("folder");
    tcase_add_checked_fixture(tc, make_run, remove_run);
    tcase_add_test(tc, a_clean_run_holds);
    tcase_add_test(tc, what_rests_holds);
    tcase_add_loop_test(tc, another_scene_is_contradicted, 0, 4);
    tcase_add_test(tc, arguments);
    tcase_add_test(tc, memory_that_fails);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
