/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes with bodies whose motion is given, surfaces that run and recorded contacts: their motion
 * against closed forms, perp verify on the folder, tampering, refusals. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perp/scene.h>
#include <perp/verify.h>

#define HEAD                                                                                       \
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.005}, \"gravity\": [0, 0, -9.81],\n"
#define BOX                                                                                        \
    "{\"name\": \"box\", \"shape\": {\"type\": \"box\", \"sides\": [0.4, 0.4, 0.2]}, "             \
    "\"position\": [0, 0, 0.1], \"mass\": 2}"
#define TAIL "], \"contacts\": {\"mu\": 0.5}, \"record\": {\"certify\": true, \"contacts\": true}}"

static char folder[] = "/tmp/perp-prescribed-XXXXXX";

static perp_scene *open_scene(const char *text)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    return scene;
}

static void run_into(perp_scene *scene, const char *name, char *path, size_t size)
{
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_run_options_init(&options, sizeof options);
    snprintf(path, size, "%s/%s", folder, name);
    options.folder = path;
    options.keep_rows = 1;
    options.vtk = -1;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    ck_assert_int_eq((int)info.unsolved, 0);
}

/* Column of the last row. */
static double last(perp_scene *scene, const char *name)
{
    perp_recorder *recorder = perp_scene_recorder(scene);
    int columns = perp_recorder_columns(recorder);
    const double *row = perp_recorder_data(recorder) + (perp_recorder_rows(recorder) - 1) * columns;
    for (int k = 0; k < columns; k++)
        if (strcmp(perp_recorder_name(recorder, k), name) == 0)
            return row[k];
    ck_abort_msg("no column %s", name);
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

static void assert_holds(const char *path)
{
    perp_verification *found;
    ck_assert_int_eq(perp_verify_folder(&found, path, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_check check = {.size = sizeof check};
        ck_assert_int_eq(perp_verification_check(found, k, &check), PERP_SOLVED);
        ck_assert_msg(!check.contradicted, "%s: %g, %s", check.name, check.worst, check.where);
    }
    ck_assert_int_eq(named(found, "positions").known, 1);
    perp_verification_destroy(found);
}

/* Motions of a platform, and where they have it at t = 1. */
static const struct {
    const char *motion;
    double place[3], quaternion[4];
} motions[] = {
    {"{\"slide\": {\"axis\": [0, 0, 2], \"amplitude\": 0.05, \"frequency\": 0.75, \"phase\": 0}}",
     {0.0, 0.0, -0.05},
     {1.0, 0.0, 0.0, 0.0}},
    {"{\"slide\": {\"axis\": [1, 0, 0], \"ramp\": {\"from\": 0.1, \"to\": 0.9, \"by\": 0.5}}}",
     {0.5, 0.0, 0.0},
     {1.0, 0.0, 0.0, 0.0}},
    {"{\"slide\": {\"axis\": [0, 1, 0], \"table\": [[0, 0], [0.5, 0.1], [2, 0.1]]}}",
     {0.0, 0.1, 0.0},
     {1.0, 0.0, 0.0, 0.0}},
    {"{\"slide\": {\"axis\": [0, 0, 1], \"table\": [[0, 0], [2, 0.4]], \"between\": \"linear\"}}",
     {0.0, 0.0, 0.2},
     {1.0, 0.0, 0.0, 0.0}},
    {"[{\"turn\": {\"axis\": [0, 0, 1], \"centre\": [1, 0, 0], \"polynomial\": [0, 0, 0.5]}}, "
     "{\"slide\": {\"axis\": [0, 0, 1], \"polynomial\": [0, 0.1]}}]",
     {0.12241743810962724, -0.47942553860420301, 0.1},
     {0.96891242171064478, 0.0, 0.0, 0.24740395925452294}},
};

START_TEST(platforms_are_where_they_are_said_to_be)
{
    char text[1024], path[200], name[16];
    static const char *const columns[] = {"platform.q[0]", "platform.q[1]", "platform.q[2]",
                                          "platform.q[3]", "platform.q[4]", "platform.q[5]",
                                          "platform.q[6]"};
    snprintf(text, sizeof text,
             HEAD "\"bodies\": [{\"name\": \"platform\", \"shape\": {\"type\": \"plane\", "
                  "\"normal\": [0, 0, 1]}, \"motion\": %s}, " BOX TAIL,
             motions[_i].motion);
    perp_scene *scene = open_scene(text);
    snprintf(name, sizeof name, "motion%d", _i);
    run_into(scene, name, path, sizeof path);
    for (int k = 0; k < 7; k++)
        ck_assert_double_eq_tol(last(scene, columns[k]),
                                k < 3 ? motions[_i].place[k] : motions[_i].quaternion[k - 3],
                                1e-12);
    ck_assert_double_eq_tol(last(scene, "box.q[2]"), motions[_i].place[2] + 0.1, 1e-6);
    perp_scene_destroy(scene);
    assert_holds(path);
}
END_TEST

START_TEST(a_belt_with_a_factor)
{
    char path[200], command[600];
    perp_verification *found;
    perp_scene *scene = open_scene(
        HEAD
        "\"bodies\": [{\"name\": \"belt\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, "
        "1]}, "
        "\"surface\": {\"velocity\": [1, 0, 0], \"factor\": {\"polynomial\": [0, 2]}}}, " BOX TAIL);
    run_into(scene, "belt", path, sizeof path);
    /* It goes along: 2 m/s^2 is less than mu g. */
    ck_assert_double_eq_tol(last(scene, "box.v[0]"), 2.0, 1e-2);
    ck_assert_double_eq_tol(last(scene, "box.q[0]"), 1.0, 1e-2);
    perp_scene_destroy(scene);
    assert_holds(path);
    snprintf(command, sizeof command, "grep -q ',sticking,' '%s/contacts.csv'", path);
    ck_assert_int_eq(system(command), 0);
    snprintf(command, sizeof command, "test -f '%s/frames/contacts-000001.vtp'", path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(perp_verify_folder(&found, path, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(named(found, "energy gain").known, 0);
    perp_verification_destroy(found);
}
END_TEST

/* v' = - (5/7) rolling g / r. */
START_TEST(a_ball_rolls_out)
{
    char path[200];
    perp_scene *scene =
        open_scene(HEAD "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", "
                        "\"normal\": [0, 0, 1]}, "
                        "\"material\": \"grass\"}, {\"name\": \"ball\", \"shape\": {\"type\": "
                        "\"sphere\", \"radius\": "
                        "0.1}, \"mass\": 1, \"position\": [0, 0, 0.1], \"velocity\": [1, 0, 0], "
                        "\"angular\": [0, 10, 0], "
                        "\"material\": \"skin\"}], \"contacts\": {\"materials\": [{\"between\": "
                        "[\"grass\", \"skin\"], "
                        "\"mu\": 0.5, \"rolling\": 0.01}]}, \"record\": {\"certify\": true}}");
    run_into(scene, "grass", path, sizeof path);
    ck_assert_double_eq_tol(last(scene, "ball.v[0]"), 1.0 - 5.0 / 7.0 * 0.01 * 9.81 / 0.1, 1e-4);
    perp_scene_destroy(scene);
    assert_holds(path);
}
END_TEST

/* The scene is changed to say another motion. */
START_TEST(another_motion_is_contradicted)
{
    char path[200], command[600];
    perp_verification *found;
    perp_scene *scene = open_scene(
        HEAD
        "\"bodies\": [{\"name\": \"base\", \"motion\": {\"slide\": {\"axis\": [1, 0, 0], "
        "\"amplitude\": 0.1, \"frequency\": 1}}}, {\"name\": \"bob\", \"mass\": 1, \"inertia\": "
        "[0.01, 0.01, 0.01], \"position\": [0, 0, -0.5], \"velocity\": [0.62831853071795862, 0, "
        "0]}], "
        "\"interactions\": [{\"name\": \"pin\", \"systems\": [\"bob\", \"base\"], \"relation\": "
        "{\"type\": \"joint\", \"joint\": \"pivot\", \"axis\": [0, 1, 0], \"friction\": 0.01}}], "
        "\"record\": {\"certify\": true}}");
    run_into(scene, "pendulum", path, sizeof path);
    ck_assert_double_ge(fabs(last(scene, "pin.friction.u")), 1e-3);
    perp_scene_destroy(scene);
    assert_holds(path);
    snprintf(command, sizeof command,
             "cd '%s' && sed 's/\"amplitude\": 0.1[0-9]*/\"amplitude\": 0.11/' scene.json >new && "
             "mv new "
             "scene.json",
             path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(perp_verify_folder(&found, path, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(named(found, "positions").contradicted, 1);
    perp_verification_destroy(found);
}
END_TEST

static const struct {
    const char *bodies, *key;
} refused[] = {
    {"{\"name\": \"a\", \"motion\": {}}", "slide, turn"},
    {"{\"name\": \"a\", \"mass\": 1, \"motion\": {\"slide\": {\"axis\": [0, 0, 1], \"amplitude\": "
     "1}}}",
     "no mass"},
    {"{\"name\": \"a\", \"motion\": {\"slide\": {\"axis\": [0, 0, 0], \"amplitude\": 1}}}", "axis"},
    {"{\"name\": \"a\", \"motion\": {\"slide\": {\"axis\": [0, 0, 1]}}}", "amplitude"},
    {"{\"name\": \"a\", \"motion\": {\"slide\": {\"axis\": [0, 0, 1], \"table\": [[0, 1], [0, "
     "2]]}}}",
     "table[1]: times"},
    {"{\"name\": \"a\", \"motion\": {\"slide\": {\"axis\": [0, 0, 1], \"table\": [[0, 1]]}}}",
     "table"},
    {"{\"name\": \"a\", \"motion\": {\"slide\": {\"axis\": [0, 0, 1], \"ramp\": {\"from\": 1, "
     "\"to\": 0, "
     "\"by\": 1}}}}",
     "ramp"},
    {"{\"name\": \"a\", \"surface\": {\"velocity\": [1, 0, 0]}, \"mass\": 1, \"inertia\": [1, 1, "
     "1]}",
     "surface"},
};

/* Contacts come and go; the first body of the scene moves as it is told. */
START_TEST(a_checkpoint_goes_on)
{
    static const char text[] = HEAD
        "\"bodies\": [{\"name\": \"table\", \"motion\": {\"slide\": {\"axis\": [0, 0, 1], "
        "\"amplitude\": 0.05, \"frequency\": 5}}, \"shape\": {\"type\": \"box\", \"sides\": "
        "[2, 2, 0.2]}},\n"
        "{\"name\": \"ball\", \"mass\": 1, \"position\": [0.3, 0, 0.3], \"copies\": {\"count\": "
        "[2, 2, 2], \"spacing\": [0.21, 0.21, 0.21], \"jitter\": 0.01, \"seed\": 2}, "
        "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}" TAIL;
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene *scene = open_scene(text), *again = open_scene(text);
    char path[128];
    double *q, *p, *v;
    perp_scene_system_info ball = {.size = sizeof ball}, other = {.size = sizeof other};
    perp_scene_run_options_init(&options, sizeof options);
    snprintf(path, sizeof path, "%s/goes-on", folder);
    options.folder = path;
    options.until = 0.4;
    ck_assert_msg(perp_scene_run(scene, &options, &info) >= 0, "%s", info.detail);
    options.folder = NULL;
    options.until = 0.6;
    ck_assert_msg(perp_scene_run(scene, &options, &info) >= 0, "%s", info.detail);
    options.folder = path;
    options.resume = 1;
    ck_assert_msg(perp_scene_run(again, &options, &info) >= 0, "%s", info.detail);
    for (int k = 1; k <= 8; k++) {
        ck_assert_int_eq(perp_scene_system(scene, k, &ball), PERP_SOLVED);
        ck_assert_int_eq(perp_scene_system(again, k, &other), PERP_SOLVED);
        perp_model_state(perp_scene_model(scene), ball.id, &q, &v, NULL, NULL);
        perp_model_state(perp_scene_model(again), other.id, &p, &v, NULL, NULL);
        ck_assert_int_eq(memcmp(q, p, 7 * sizeof *q), 0);
    }
    perp_scene_destroy(scene);
    perp_scene_destroy(again);
}
END_TEST

START_TEST(refusals_name_the_place)
{
    char text[600];
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    snprintf(text, sizeof text, HEAD "\"bodies\": [%s]}", refused[_i].bodies);
    ck_assert_int_ne(perp_scene_create_from_text(&scene, text, NULL, NULL, &error), PERP_SOLVED);
    ck_assert_msg(strstr(error.text, refused[_i].key) != NULL, "%s", error.text);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    if (mkdtemp(folder) == NULL)
        return 99;
    Suite *suite = suite_create("prescribed scenes");
    TCase *tcase = tcase_create("prescribed scenes");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, platforms_are_where_they_are_said_to_be, 0,
                        sizeof motions / sizeof motions[0]);
    tcase_add_test(tcase, a_belt_with_a_factor);
    tcase_add_test(tcase, a_ball_rolls_out);
    tcase_add_test(tcase, another_motion_is_contradicted);
    tcase_add_test(tcase, a_checkpoint_goes_on);
    tcase_add_loop_test(tcase, refusals_name_the_place, 0, sizeof refused / sizeof refused[0]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0 || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
