/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled controllers, drives with functions of time, gears, screws and planar joints in scenes:
 * closed forms, zero-order hold, saved and loaded runs, perp verify, refusals. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perp/scene.h>
#include <perp/verify.h>

#define HEAD(until) "{\"version\": 1, \"time\": {\"until\": " until ", \"step\": 0.002},\n"
#define ARM                                                                                        \
    "\"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}], "               \
    "\"forces\": [{\"type\": \"load\", \"system\": \"arm\", \"vector\": [0, 0, 0, 0, 1, 0], "      \
    "\"polynomial\": [0.4]}], \"interactions\": [{\"name\": \"hinge\", \"systems\": [\"arm\"], "   \
    "\"relation\": {\"type\": \"joint\", \"joint\": \"pivot\", \"axis\": [0, 1, 0]}}], "
#define CONTROL(keys) "\"controllers\": [{\"name\": \"c\", \"joint\": \"hinge\", " keys "}], "
#define RECORD(list) "\"record\": {\"quantities\": [" list "]}}"

static char folder[] = "/tmp/perp-controllers-XXXXXX";

static perp_scene *open_scene(const char *text)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    return scene;
}

/* Rows of a run, columns with the time. */
static const double *run(perp_scene *scene, const char *path, int *rows, int *columns)
{
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_recorder *recorder = perp_scene_recorder(scene);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = path;
    options.keep_rows = 1;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    ck_assert_int_eq((int)info.unsolved, 0);
    *rows = (int)perp_recorder_rows(recorder);
    *columns = perp_recorder_columns(recorder);
    return perp_recorder_data(recorder);
}

/* Against a constant load of 0.4 N m the integral takes over: no error is left. */
START_TEST(pid_leaves_no_error)
{
    perp_scene *scene = open_scene(
        HEAD("8") ARM CONTROL("\"type\": \"pid\", \"period\": 0.01, \"target\": 0.7, \"kp\": 10, "
                              "\"ki\": 15, \"kd\": 2, \"largest\": 3")
            RECORD("\"hinge.angle\", \"c.lambda\", \"hinge.torque\""));
    int rows, columns, changes = 0;
    const double *x = run(scene, NULL, &rows, &columns);
    for (int k = 1; k < rows; k++) {
        const double *row = x + k * columns;
        ck_assert_double_le(fabs(row[2]), 3.0 + 1e-12);
        ck_assert_double_eq(row[2], row[3]);
        /* Held between samples: every fifth step may change it. */
        if (k > 1 && row[2] != row[2 - columns]) {
            changes++;
            ck_assert_int_eq((k - 1) % 5, 0);
        }
    }
    ck_assert_int_ge(changes, 700);
    const double *end = x + (rows - 1) * columns;
    ck_assert_double_eq_tol(end[1], 0.7, 1e-4);
    ck_assert_double_eq_tol(end[2], -0.4, 1e-3);
    perp_scene_destroy(scene);
}
END_TEST

/* Explicit control goes to and fro by its gain for ever, implicit control is the load when it
 * rests. */
START_TEST(sliding_modes)
{
    static const char *const texts[] = {
        HEAD("4") ARM CONTROL("\"type\": \"sliding-mode\", \"period\": 0.02, \"target\": 0.3, "
                              "\"gain\": 1.5, \"slope\": 3")
            RECORD("\"hinge.angle\", \"c.lambda\""),
        HEAD("4") ARM CONTROL("\"type\": \"sliding-mode\", \"period\": 0.02, \"target\": 0.3, "
                              "\"gain\": 1.5, \"slope\": 3, \"implicit\": true, \"inertia\": 0.1")
            RECORD("\"hinge.angle\", \"c.lambda\"")};
    perp_scene *scene = open_scene(texts[_i]);
    int rows, columns;
    const double *x = run(scene, NULL, &rows, &columns);
    double low = 1e9, high = -1e9;
    for (int k = rows - 500; k < rows; k++) {
        low = fmin(low, x[k * columns + 2]);
        high = fmax(high, x[k * columns + 2]);
    }
    if (_i == 0) {
        ck_assert_double_eq_tol(high - low, 3.0, 1e-12);
    } else {
        ck_assert_double_eq_tol(high, -0.4, 1e-4);
        ck_assert_double_eq_tol(low, -0.4, 1e-4);
    }
    ck_assert_double_eq_tol(x[(rows - 1) * columns + 1], 0.3, 5e-2);
    perp_scene_destroy(scene);
}
END_TEST

/* A force by a table on a coordinate: q'' = force, held for 0.1 s each. */
START_TEST(a_table_is_held)
{
    perp_scene *scene = open_scene(HEAD(
        "1") "\"systems\": [{\"name\": \"mass\", \"type\": \"lagrangian\", \"q0\": [0, 0]}], "
             "\"controllers\": [{\"name\": \"c\", \"type\": \"table\", \"system\": \"mass\", "
             "\"coordinate\": 1, \"period\": 0.1, \"force\": {\"polynomial\": [0, 1]}}], " RECORD(
                 "\"mass.v\""));
    int rows, columns;
    const double *x = run(scene, NULL, &rows, &columns);
    const double *end = x + (rows - 1) * columns;
    ck_assert_double_eq_tol(end[1], 0.0, 1e-15);
    ck_assert_double_eq_tol(
        end[2], 0.1 * (0.0 + 0.1 + 0.2 + 0.3 + 0.4 + 0.5 + 0.6 + 0.7 + 0.8 + 0.9), 1e-10);
    perp_scene_destroy(scene);
}
END_TEST

static const char saved[] =
    HEAD("2") ARM CONTROL("\"type\": \"pid\", \"period\": 0.013, \"target\": {\"amplitude\": 0.5, "
                          "\"frequency\": 1}, \"kp\": "
                          "10, \"ki\": 15, \"kd\": 2") RECORD("\"hinge.angle\", \"c.lambda\"");

static void step(perp_scene *scene, int count)
{
    for (int k = 0; k < count; k++)
        ck_assert_int_eq(perp_sim_step(perp_scene_sim(scene)), PERP_SOLVED);
}

START_TEST(a_saved_run_goes_on)
{
    perp_scene *one = open_scene(saved), *other = open_scene(saved);
    size_t bytes = 0;
    ck_assert_int_eq(perp_sim_check(perp_scene_sim(one)), PERP_SOLVED);
    step(one, 117);
    ck_assert_int_eq(perp_scene_save(one, NULL, &bytes), PERP_SOLVED);
    void *block = malloc(bytes);
    ck_assert_ptr_nonnull(block);
    ck_assert_int_eq(perp_scene_save(one, block, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_scene_load(other, block, bytes, NULL), PERP_SOLVED);
    free(block);
    step(one, 200);
    step(other, 200);
    perp_model *models[2] = {perp_scene_model(one), perp_scene_model(other)};
    double *x[2];
    for (int k = 0; k < 2; k++) {
        perp_system_id id = perp_model_next_system(models[k], (perp_system_id){0, 0});
        ck_assert_int_eq(perp_model_state(models[k], id, &x[k], NULL, NULL, NULL), PERP_SOLVED);
    }
    ck_assert_int_eq(memcmp(x[0], x[1], 7 * sizeof(double)), 0);
    perp_scene_destroy(one);
    perp_scene_destroy(other);
}
END_TEST

/* The hinge of the arm carries its weight, and the load that the controller balances stays outside.
 */
START_TEST(reactions_are_recorded)
{
    perp_scene *scene = open_scene(HEAD("0.1") "\"gravity\": [0, 0, -9.81], " ARM CONTROL(
        "\"type\": \"table\", \"period\": 0.01, \"force\": -0.4")
                                       RECORD("\"hinge.reaction\", \"c.reaction[4]\""));
    int rows, columns;
    const double *x = run(scene, NULL, &rows, &columns), *end = x + (rows - 1) * columns;
    static const double exact[] = {0.0, 0.0, 9.81, 0.0, 0.0, 0.0, -0.4};
    for (int k = 0; k < 7; k++)
        ck_assert_double_eq_tol(end[1 + k], exact[k], 1e-9);
    perp_scene_destroy(scene);
}
END_TEST

/* A servo whose target is a function of time, a motor with a ramp: they are followed. */
START_TEST(targets_that_change)
{
    static const char *const keys[] = {
        "\"servo\": {\"target\": {\"amplitude\": 0.2, \"frequency\": 0.5}, \"speed\": 10, "
        "\"acceleration\": 100}",
        "\"motor\": {\"speed\": {\"polynomial\": [0, 1.5]}}"};
    static const double angle[] = {0.2, 0.75 * 0.25}, rate[] = {0.0, 0.75};
    char text[800];
    snprintf(
        text, sizeof text,
        HEAD(
            "0.5") "\"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}], "
                   "\"interactions\": [{\"name\": \"hinge\", \"systems\": [\"arm\"], \"relation\": "
                   "{\"type\": \"joint\", \"joint\": \"pivot\", \"axis\": [0, 1, 0], "
                   "%s}}], " RECORD("\"hinge.angle\", \"hinge.rate\""),
        keys[_i]);
    perp_scene *scene = open_scene(text);
    int rows, columns;
    const double *x = run(scene, NULL, &rows, &columns), *end = x + (rows - 1) * columns;
    ck_assert_double_eq_tol(end[1], angle[_i], 2e-3);
    ck_assert_double_eq_tol(end[2], rate[_i], 5e-2);
    perp_scene_destroy(scene);
}
END_TEST

/* Laws of interactions follow time as those of joints do: the rate of a coordinate and of the turns
 * of a body is that of its motor at the end of every step; a servo arrives. */
START_TEST(laws_that_change)
{
    static const char text[] = HEAD(
        "0.5") "\"systems\": ["
               "{\"name\": \"cart\", \"type\": \"lagrangian\", \"M\": [[2]], \"q0\": [0], "
               "\"v0\": [-1]}, "
               "{\"name\": \"slide\", \"type\": \"lagrangian\", \"M\": [[3]], \"q0\": [0]}], "
               "\"bodies\": [{\"name\": \"disc\", \"mass\": 1, \"inertia\": [1, 1, 2]}], "
               "\"interactions\": ["
               "{\"name\": \"drive\", \"systems\": [\"cart\"], \"relation\": {\"type\": "
               "\"linear\", \"C\": [[0.5]]}, \"law\": {\"type\": \"motor\", \"speed\": "
               "{\"polynomial\": [1, 3]}}}, "
               "{\"name\": \"spin\", \"systems\": [\"disc\"], \"relation\": {\"type\": "
               "\"rate\", \"about\": [0, 0, 1]}, \"law\": {\"type\": \"motor\", \"speed\": "
               "{\"amplitude\": 2, \"frequency\": 0.25, \"phase\": 0.5}}}, "
               "{\"name\": \"way\", \"systems\": [\"slide\"], \"relation\": {\"type\": "
               "\"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"servo\", \"target\": "
               "{\"polynomial\": [0.1, 0.2]}, \"speed\": 10, \"acceleration\": 100}}], " RECORD(
                   "\"cart.v[0]\", \"disc.v[5]\", \"slide.q[0]\"");
    char path[200];
    perp_verification *found;
    perp_scene *scene = open_scene(text);
    int rows, columns;
    snprintf(path, sizeof path, "%s/laws", folder);
    const double *x = run(scene, path, &rows, &columns);
    for (int k = 1; k < rows; k++) {
        const double *row = x + k * columns;
        ck_assert_double_eq_tol(row[1], 2.0 * (1.0 + 3.0 * row[0]), 1e-9);
        ck_assert_double_eq_tol(row[2], 2.0 * sin(0.5 * 3.14159265358979324 * row[0] + 0.5), 1e-9);
    }
    ck_assert_double_eq_tol(x[(rows - 1) * columns + 3], 0.2, 2e-3);
    perp_scene_destroy(scene);
    ck_assert_int_eq(perp_verify_folder(&found, path, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_verification_holds(found), 1);
    perp_verification_destroy(found);
}
END_TEST

static const char train[] = HEAD(
    "1") "\"gravity\": [0, 0, -10], \"bodies\": ["
         "{\"name\": \"wheel\", \"mass\": 1, \"inertia\": [0.02, 0.02, 0.02]}, "
         "{\"name\": \"weight\", \"mass\": 2, \"inertia\": [0.01, 0.01, 0.01], \"position\": [1, "
         "0, 0]}, "
         "{\"name\": \"nut\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [2, 0, "
         "0]}, "
         "{\"name\": \"puck\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [3, 0, "
         "0], "
         "\"velocity\": [0.3, 0.4, 0], \"angular\": [0, 0, 2]}], \"interactions\": ["
         "{\"name\": \"hub\", \"systems\": [\"wheel\"], \"relation\": {\"type\": \"joint\", "
         "\"joint\": "
         "\"pivot\", \"axis\": [0, 1, 0]}}, "
         "{\"name\": \"guide\", \"systems\": [\"weight\"], \"relation\": {\"type\": \"joint\", "
         "\"joint\": "
         "\"prismatic\", \"anchor\": [1, 0, 0], \"axis\": [0, 0, 1]}}, "
         "{\"name\": \"rack\", \"relation\": {\"type\": \"gear\", \"of\": \"guide\", \"with\": "
         "\"hub\", "
         "\"ratio\": 0.1}}, "
         "{\"name\": \"screw\", \"systems\": [\"nut\"], \"relation\": {\"type\": \"joint\", "
         "\"joint\": "
         "\"screw\", \"lead\": 0.62831853071795862, \"anchor\": [2, 0, 0], \"axis\": [0, 0, 1]}}, "
         "{\"name\": \"table\", \"systems\": [\"puck\"], \"relation\": {\"type\": \"joint\", "
         "\"joint\": "
         "\"planar\", \"anchor\": [3, 0, 0], \"axis\": [0, 0, 1], \"friction\": 0}}], "
         "\"record\": {\"certify\": true}}";

/* m a = - m g - J a / r^2; a = - g / (1 + J / (m p^2)) with p = 0.1; a puck that glides. */
START_TEST(gears_screws_and_tables)
{
    char path[200];
    perp_verification *found;
    perp_scene *scene = open_scene(train);
    perp_recorder *recorder = perp_scene_recorder(scene);
    int rows, columns, seen = 0;
    snprintf(path, sizeof path, "%s/train", folder);
    const double *x = run(scene, path, &rows, &columns), *end = x + (rows - 1) * columns;
    for (int k = 0; k < columns; k++) {
        const char *name = perp_recorder_name(recorder, k);
        double value = strcmp(name, "weight.v[2]") == 0        ? -10.0 * 2.0 / (2.0 + 0.02 / 0.01)
                       : strcmp(name, "nut.v[2]") == 0         ? -10.0 / (1.0 + 0.01 / 0.01)
                       : strcmp(name, "nut.v[5]") == 0         ? -50.0
                       : strcmp(name, "puck.q[1]") == 0        ? 0.4
                       : strcmp(name, "puck.q[2]") == 0        ? 0.0
                       : strcmp(name, "rack.y") == 0           ? 0.0
                       : strcmp(name, "screw.screw.y") == 0    ? 0.0
                       : strcmp(name, "table.friction.y") == 0 ? 2.0
                                                               : NAN;
        if (isnan(value))
            continue;
        ck_assert_msg(fabs(end[k] - value) <= 1e-7, "%s: %.12g, not %.12g", name, end[k], value);
        seen++;
    }
    ck_assert_int_eq(seen, 8);
    perp_scene_destroy(scene);
    ck_assert_int_eq(perp_verify_folder(&found, path, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_verification_holds(found), 1);
    perp_verification_destroy(found);
}
END_TEST

static const struct {
    const char *text, *key;
} refused[] = {
    {HEAD("1") ARM CONTROL("\"type\": \"pid\"") RECORD("\"energy\""),
     "controllers[0].period: missing"},
    {HEAD("1") ARM CONTROL("\"type\": \"pi\", \"period\": 1") RECORD("\"energy\""),
     "controllers[0].type"},
    {HEAD("1") ARM "\"controllers\": [{\"type\": \"pid\", \"period\": 1}], " RECORD("\"energy\""),
     "one of joint, system"},
    {HEAD("1") ARM
     "\"controllers\": [{\"type\": \"pid\", \"period\": 1, \"joint\": \"hing\"}], " RECORD(
         "\"energy\""),
     "controllers[0].joint"},
    {HEAD("1")
         ARM CONTROL("\"type\": \"sliding-mode\", \"period\": 1, \"gain\": 1, \"implicit\": true")
             RECORD("\"energy\""),
     "controllers[0].inertia"},
    {HEAD("1") "\"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": [1, 1, 1]}], "
               "\"interactions\": "
               "[{\"relation\": {\"type\": \"gear\", \"of\": \"a\", \"with\": \"b\", \"ratio\": "
               "1}}]}",
     "no joint before this one"},
    {HEAD(
         "1") "\"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"inertia\": [1, 1, 1]}], "
              "\"interactions\": "
              "[{\"systems\": [\"arm\"], \"relation\": {\"type\": \"joint\", \"joint\": \"screw\", "
              "\"axis\": [0, 0, 1]}}]}",
     "lead: missing"},
    {HEAD("1") "\"systems\": [{\"name\": \"cart\", \"type\": \"lagrangian\", \"M\": [[1]], "
               "\"q0\": [0]}], \"interactions\": [{\"systems\": [\"cart\"], \"relation\": "
               "{\"type\": \"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"motor\", \"speed\": "
               "{\"frequency\": 2}}}]}",
     "interactions[0].law.speed: needs amplitude"},
};

START_TEST(refusals_name_the_place)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    ck_assert_int_ne(perp_scene_create_from_text(&scene, refused[_i].text, NULL, NULL, &error),
                     PERP_SOLVED);
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
    Suite *suite = suite_create("controllers");
    TCase *tcase = tcase_create("controllers");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, pid_leaves_no_error);
    tcase_add_loop_test(tcase, sliding_modes, 0, 2);
    tcase_add_test(tcase, a_table_is_held);
    tcase_add_test(tcase, a_saved_run_goes_on);
    tcase_add_test(tcase, reactions_are_recorded);
    tcase_add_loop_test(tcase, targets_that_change, 0, 2);
    tcase_add_test(tcase, gears_screws_and_tables);
    tcase_add_test(tcase, laws_that_change);
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
