/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes with torsional friction: a spinning ball against its closed form, its contacts as a file,
 * perp verify and what it finds when the files are changed, coefficients of materials, MJCF, what
 * is refused. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/run_folder.h"
#include "tests/scene/robot_text.h"

static const double G = 9.81, R = 0.1, MASS = 2.0;

/* The keys of the ball, of contacts, and more schemes. */
static const char ball[] =
    "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.005}, \"gravity\": [0, 0, -9.81],\n"
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}, "
    "\"material\": \"a\"}, {\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": "
    "0.1}, "
    "\"mass\": 2, \"position\": [0, 0, 0.1], \"angular\": [0, 0, 8], \"material\": \"b\"}],\n"
    "\"contacts\": {%s}%s,\n"
    "\"record\": {\"certify\": true, \"contacts\": true}}";

static perp_scene *open_scene(const char *contacts, const char *more)
{
    char text[1600];
    snprintf(text, sizeof text, ball, contacts, more);
    return scene_of(text, NULL);
}

static double spin_after_run(const char *contacts, const char *more)
{
    perp_scene *scene = open_scene(contacts, more);
    double *v;
    run_folder_run(scene);
    (void)scene_state(scene, "ball", &v);
    double spin = v[5];
    perp_scene_destroy(scene);
    return spin;
}

/* Decelerations, by the coefficient that the pair has. */
static const struct {
    const char *contacts, *more;
    double torsion;
} runs[] = {
    {"\"mu\": 0.5, \"torsion\": 0.005", "", 0.005},
    {"\"mu\": 0.5, \"torsion\": 0.005", ", \"schemes\": [{\"name\": \"moreau-jean\"}]", 0.005},
    {"\"materials\": [{\"between\": [\"a\", \"b\"], \"mu\": 0.3, \"torsion\": 0.004}]", "", 0.004},
    {"\"mu\": 0.4, \"materials\": [{\"name\": \"a\", \"torsion\": 0.002}, {\"name\": \"b\", "
     "\"torsion\": 0.008}]",
     "", 0.004},
    {"\"mu\": 0.4, \"torsion\": 0.001, \"materials\": [{\"name\": \"b\", \"torsion\": 0.006}], "
     "\"combine\": {\"torsion\": \"maximum\"}",
     "", 0.006},
    {"\"mu\": 0.4, \"torsion\": 0.002, \"materials\": [{\"name\": \"b\", \"torsion\": 0.006}], "
     "\"combine\": \"mean\"",
     "", 0.004},
    {"\"mu\": 0.4", "", 0.0},
    /* Shapes without a material would have both, but there are none. */
    {"\"mu\": 0.4, \"rolling\": 0.1, \"materials\": [{\"name\": \"a\", \"rolling\": 0, "
     "\"torsion\": 0.004}, {\"name\": \"b\", \"rolling\": 0}], \"combine\": \"maximum\"",
     "", 0.004},
};

START_TEST(spins_down)
{
    double inertia = 0.4 * MASS * R * R, slow = runs[_i].torsion * MASS * G / inertia;
    double spin = spin_after_run(runs[_i].contacts, runs[_i].more);
    ck_assert_double_eq_tol(spin, fmax(0.0, 8.0 - 0.5 * slow), 1e-8);
    run_findings found = run_folder_verify();
    ck_assert_msg(found.holds, "%s", found.contradicted);
}
END_TEST

START_TEST(the_file_of_contacts)
{
    static const char state[] =
        "awk -F, 'NR==1 {for (k = 1; k <= NF; k++) c[$k] = k; next} "
        "$c[\"t\"] < 0.3 && ($c[\"state\"] != \"spinning\" || "
        "$c[\"rows\"] != 4 || $c[\"torsion\"] != 0.01 || "
        "$c[\"moment[2]\"] >= 0 || $c[\"lambda[3]\"] != $c[\"moment[2]\"]) "
        "{exit 1} $c[\"t\"] > 0.4 && $c[\"state\"] != \"sticking\" {exit 1}' "
        "'%s/contacts.csv'";
    (void)spin_after_run("\"mu\": 0.5, \"torsion\": 0.01", "");
    run_folder_shell(state, run_folder);
}
END_TEST

static const struct {
    const char *file, *change, *check;
} changes[] = {
    {"scene.json", "s/\"torsion\": 0.005/\"torsion\": 0.004/", "laws"},
    {"scene.json", "s/\"torsion\": 0.005/\"torsion\": 0.006/", "contacts"},
    {"contacts.csv", "30s/,[^,]*,0,0,$/,0.006,0,0,/", "contacts"},
    {"contacts.csv", "30s/\\(,[^,]*\\)\\{7\\}$/,0,0,0.5,0.005,0,0,/", "contacts"},
    {"contacts.csv", "30s/,0,$/,0.5,/", "laws"},
};

START_TEST(changes_are_found)
{
    (void)spin_after_run("\"mu\": 0.5, \"torsion\": 0.005", "");
    run_folder_betrays(changes[_i].change, changes[_i].file, changes[_i].check);
}
END_TEST

static const struct {
    const char *contacts, *said;
} refusals[] = {
    {"\"torsion\": 0.01", "give mu"},
    {"\"mu\": 0.5, \"torsion\": -0.01", "torsion"},
    {"\"mu\": 0.5, \"torsion\": 0.01, \"compliance\": 1e-6", "rigid"},
    {"\"mu\": 0.5, \"torsion\": 0.01, \"relative_compliance\": 1e-4", "rigid"},
    {"\"mu\": 0.5, \"combine\": {\"torsion\": \"most\"}", "torsion"},
};

START_TEST(refusals_name_the_place)
{
    char text[1600];
    snprintf(text, sizeof text, ball, refusals[_i].contacts, "");
    scene_ill_formed(text, refusals[_i].said);
}
END_TEST

/* A scheme without it says so when it starts. */
START_TEST(other_schemes_refuse)
{
    perp_scene *scene = open_scene("\"mu\": 0.5, \"torsion\": 0.01",
                                   ", \"schemes\": [{\"name\": \"generalized-alpha\"}]");
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_run_options_init(&options, sizeof options);
    ck_assert_int_ne(perp_scene_run(scene, &options, &info), PERP_SOLVED);
    ck_assert_msg(strstr(info.detail, "torsional") != NULL, "%s", info.detail);
    perp_scene_destroy(scene);
}
END_TEST

#ifdef HAVE_LIBXML2
/* condim of the geom and its friction; what the scene says. */
static const struct {
    const char *of_floor, *of_ball, *made;
} models[] = {
    {"condim='4' friction='0.5 0.02 0.1'", "condim='3'", "\"torsion\": 0.02"},
    {"condim='1'", "condim='4' friction='0.6 0.03 0'", "\"torsion\": 0.03"},
    {"condim='6' friction='0.5 0 0.01'", "condim='3' friction='0.5 0 0'", "\"rolling\": 0.01"},
    {"condim='6' friction='0.5 0.02 0'", "condim='3' friction='0.5 0 0'", "\"torsion\": 0.02"},
};

START_TEST(models_with_condim)
{
    char model[1000];
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    snprintf(model, sizeof model,
             "<mujoco><worldbody><geom type='plane' size='1 1 1' %s/><body pos='0 0 0.1'>"
             "<freejoint/><geom size='0.1' %s/></body></worldbody></mujoco>",
             models[_i].of_floor, models[_i].of_ball);
    perp_status status = perp_robot_read_text(&text, model, strlen(model), NULL, NULL, &error);
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    ck_assert_msg(strstr(text, models[_i].made) != NULL, "%s", text);
    perp_robot_release(text, NULL);
}
END_TEST
#endif

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("scenes with torsional friction");
    TCase *tcase = tcase_create("torsion");
    tcase_add_checked_fixture(tcase, run_folder_make, run_folder_remove);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, spins_down, 0, sizeof runs / sizeof runs[0]);
    tcase_add_test(tcase, the_file_of_contacts);
    tcase_add_loop_test(tcase, changes_are_found, 0, sizeof changes / sizeof changes[0]);
    tcase_add_loop_test(tcase, refusals_name_the_place, 0, sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tcase, other_schemes_refuse);
#ifdef HAVE_LIBXML2
    tcase_add_loop_test(tcase, models_with_condim, 0, sizeof models / sizeof models[0]);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
