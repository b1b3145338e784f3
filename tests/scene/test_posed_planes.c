/* SPDX-License-Identifier: BSD-3-Clause */
/* A plane that stands still has the pose of its body: it is touched where position and rotation put
 * it, as it is where its normal and offset say the same. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verify.h>

#include "tests/fixtures/scene_text.h"

#define BALL_ON(plane)                                                                             \
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.01}, \"gravity\": [0, 0, -9.81], "      \
    "\"contacts\": {\"mu\": 0.3, \"e\": 0}, \"record\": {\"certify\": true}, \"bodies\": ["        \
    "{\"name\": \"ball\", \"mass\": 1, \"position\": [0.5, 0.1, 1.3], \"shape\": "                 \
    "{\"type\": \"sphere\", \"radius\": 0.1}}, {\"name\": \"floor\", " plane "}]}"

/* x = 0.25 is 1.1 above, as seen from where the plane stands: 0.2 turned about y, offset 0.05. */
static const char posed[] =
    BALL_ON("\"position\": [0.25, 0, 1], \"rotation\": [0, 0.2, 0], \"shape\": "
            "{\"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": 0.05}");

static void place(double *q, const char *text)
{
    double *v;
    perp_scene *scene = scene_of(text, NULL);
    scene_run_until(scene, 1.0);
    memcpy(q, scene_state(scene, "ball", &v), 3 * sizeof *q);
    perp_scene_destroy(scene);
}

START_TEST(the_same_plane)
{
    char text[1000];
    double by_pose[3], by_normal[3];
    const double normal[3] = {sin(0.2), 0.0, cos(0.2)};
    snprintf(
        text, sizeof text,
        BALL_ON(
            "\"shape\": {\"type\": \"plane\", \"normal\": [%.17g, 0, %.17g], \"offset\": %.17g}"),
        normal[0], normal[2], 0.25 * normal[0] + normal[2] + 0.05);
    place(by_pose, posed);
    place(by_normal, text);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(by_pose[k], by_normal[k], 1e-9);
    /* It rolls down, its centre a radius above the plane. */
    ck_assert_double_gt(by_pose[0], 0.6);
    ck_assert_double_eq_tol(normal[0] * (by_pose[0] - 0.25) + normal[2] * (by_pose[2] - 1.0), 0.15,
                            1e-8);
}
END_TEST

START_TEST(its_files_say_so)
{
    char folder[] = "/tmp/perp-posed-XXXXXX", command[100];
    perp_verification *found;
    perp_scene *scene = scene_of(posed, NULL);
    perp_scene_run_options options;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_SOLVED);
    perp_scene_destroy(scene);
    ck_assert_int_eq(perp_verify_folder(&found, folder, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_check check = {.size = sizeof check};
        perp_verification_check(found, k, &check);
        ck_assert_msg(!check.contradicted, "%s: %g, %s", check.name, check.worst, check.where);
    }
    perp_verification_destroy(found);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("posed planes");
    TCase *tcase = tcase_create("posed planes");
    tcase_add_test(tcase, the_same_plane);
    tcase_add_test(tcase, its_files_say_so);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
