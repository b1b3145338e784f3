/* SPDX-License-Identifier: BSD-3-Clause */
/* Dominoes knock each other over and come to rest leaning: no contact that is open presses, and
 * perp verify holds.  Contacts along faces that lie nearly flat on each other open and close by
 * some tenths of a millimetre while others of the same pair carry, and friction stops there. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verify.h>

typedef struct row {
    int count;
    double apart, step, until;
} row;

static const row rows[] = {{6, 0.06, 0.002, 0.9},
                           {9, 0.08, 0.002, 0.96},
                           {12, 0.08, 0.004, 1.16},
                           {14, 0.06, 0.004, 1.04}};

static char folder[40];

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
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};

    strcpy(folder, "/tmp/perp-dominoes-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    perp_scene_destroy(scene);
}

START_TEST(what_is_open_does_not_press)
{
    char text[2000], command[100];
    perp_verification *found;

    write_scene(text, sizeof text, &rows[_i]);
    run_scene(text);
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_check check = {.size = sizeof check};
        ck_assert_int_eq(perp_verification_check(found, k, &check), PERP_SOLVED);
        ck_assert_msg(!check.contradicted, "%d dominoes: %s, %g in row %ld: %s", rows[_i].count,
                      check.name, check.worst, check.row, check.where);
    }
    perp_verification_destroy(found);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dominoes");
    TCase *tcase = tcase_create("dominoes");
    tcase_set_timeout(tcase, 120.0);
    tcase_add_loop_test(tcase, what_is_open_does_not_press, 0, sizeof rows / sizeof *rows);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
