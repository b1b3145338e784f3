/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes whose pairs have rolling and torsional friction: a ball that rolls and spins against its
 * closed forms, its contacts as a file, perp verify and what it finds when the files are changed,
 * and MJCF models with condim 6. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/rotation.h>

#include "tests/fixtures/run_folder.h"
#include "tests/scene/robot_text.h"

static const double G = 9.81, R = 0.1, SPEED = 0.4, SPIN = 8.0, UNTIL = 0.4;

/* The keys of contacts, and more schemes. */
static const char ball[] =
    "{\"version\": 1, \"time\": {\"until\": 0.4, \"step\": 0.002}, \"gravity\": [0, 0, -9.81],\n"
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}, "
    "\"material\": \"a\"}, {\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": "
    "0.1}, \"mass\": 2, \"position\": [0, 0, 0.1], \"velocity\": [0.4, 0, 0], \"angular\": [0, 4, "
    "8], \"material\": \"b\"}],\n"
    "\"contacts\": {%s}%s,\n"
    "\"record\": {\"certify\": true, \"contacts\": true}}";

/* Speed along x and spin about z at the end. */
static void run(const char *contacts, const char *more, double end[2])
{
    char text[1600];
    double *v, *q, spin[3];
    snprintf(text, sizeof text, ball, contacts, more);
    perp_scene *scene = scene_of(text, NULL);
    run_folder_run(scene);
    q = scene_state(scene, "ball", &v);
    perp_quaternion_rotate(q + 3, v + 3, spin);
    end[0] = v[0];
    end[1] = spin[2];
    perp_scene_destroy(scene);
}

static const struct {
    const char *contacts, *more;
    double rolling, torsion;
} runs[] = {
    {"\"mu\": 0.5, \"rolling\": 0.004, \"torsion\": 0.003", "", 0.004, 0.003},
    {"\"mu\": 0.5, \"rolling\": 0.004, \"torsion\": 0.003",
     ", \"schemes\": [{\"name\": \"moreau-jean\"}]", 0.004, 0.003},
    {"\"materials\": [{\"between\": [\"a\", \"b\"], \"mu\": 0.6, \"rolling\": 0.002, \"torsion\": "
     "0.005}]",
     "", 0.002, 0.005},
    {"\"mu\": 0.5, \"materials\": [{\"name\": \"a\", \"rolling\": 0.003}, {\"name\": \"b\", "
     "\"torsion\": 0.004}], \"combine\": \"maximum\"",
     "", 0.003, 0.004},
    {"\"mu\": 0.5, \"rolling\": 0.001, \"torsion\": 0.001, \"materials\": [{\"name\": \"b\", "
     "\"rolling\": 0.009, \"torsion\": 0.004}]",
     "", 0.003, 0.002},
};

START_TEST(rolls_and_spins)
{
    double end[2], slow = runs[_i].rolling * G / (1.4 * R);
    double brake = runs[_i].torsion * G / (0.4 * R * R);
    run(runs[_i].contacts, runs[_i].more, end);
    ck_assert_double_eq_tol(end[0], fmax(0.0, SPEED - slow * UNTIL), 1e-3);
    ck_assert_double_eq_tol(end[1], fmax(0.0, SPIN - brake * UNTIL), 2e-2);
    run_findings found = run_folder_verify();
    ck_assert_msg(found.holds, "%s", found.contradicted);
}
END_TEST

START_TEST(the_file_of_contacts)
{
    static const char rows[] =
        "awk -F, 'NR==1 {for (k = 1; k <= NF; k++) c[$k] = k; next} "
        "function off(a, b) {return (a - b)^2 > 1e-20} "
        "$c[\"rows\"] != 6 || $c[\"rolling\"] != 0.004 || $c[\"torsion\"] != 0.003 || "
        "$c[\"lambda[5]\"] == \"\" || $c[\"u[5]\"] == \"\" || "
        "off($c[\"lambda[3]\"], $c[\"moment[2]\"]) || "
        "off($c[\"lambda[4]\"]^2 + $c[\"lambda[5]\"]^2, $c[\"moment[0]\"]^2 + "
        "$c[\"moment[1]\"]^2) || ($c[\"t\"] > 0.01 && $c[\"state\"] != \"rolling\") {exit 1}' "
        "'%s/contacts.csv'";
    double end[2];
    run(runs[0].contacts, "", end);
    run_folder_shell(rows, run_folder);
}
END_TEST

static const struct {
    const char *file, *change, *check;
} changes[] = {
    {"scene.json", "s/\"torsion\": 0.003/\"torsion\": 0.002/", "laws"},
    {"scene.json", "s/\"rolling\": 0.004/\"rolling\": 0.003/", "laws"},
    {"scene.json", "s/\"torsion\": 0.003/\"torsion\": 0.004/", "contacts"},
    {"contacts.csv", "30s/,[^,]*,$/,0.5,/", "laws"},
};

START_TEST(changes_are_found)
{
    double end[2];
    run(runs[0].contacts, "", end);
    run_folder_betrays(changes[_i].change, changes[_i].file, changes[_i].check);
}
END_TEST

#ifdef HAVE_LIBXML2
/* condim and friction of the geoms, or a pair; what the scene says. */
static const struct {
    const char *of_floor, *of_ball, *pair, *rolling, *torsion;
} models[] = {
    {"condim='6' friction='0.5 0.02 0.01'", "", "", "\"rolling\": 0.01", "\"torsion\": 0.02"},
    {"condim='6'", "", "", "\"rolling\": 0.0001", "\"torsion\": 0.005"},
    {"condim='6' friction='0.5 0 0.01'", "condim='4' friction='0.5 0.02 0'", "",
     "\"rolling\": 0.01", "\"torsion\": 0.02"},
    {"name='f'", "name='g'",
     "<contact><pair geom1='f' geom2='g' condim='6' friction='1 1 0.03 0.002 0.002'/></contact>",
     "\"rolling\": 0.002", "\"torsion\": 0.03"},
};

START_TEST(models_with_condim_6)
{
    char model[1000];
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    snprintf(model, sizeof model,
             "<mujoco><worldbody><geom type='plane' size='1 1 1' %s/><body pos='0 0 0.1'>"
             "<freejoint/><geom size='0.1' %s/></body></worldbody>%s</mujoco>",
             models[_i].of_floor, models[_i].of_ball, models[_i].pair);
    perp_status status = perp_robot_read_text(&text, model, strlen(model), NULL, NULL, &error);
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    ck_assert_msg(strstr(text, models[_i].torsion) != NULL, "%s", text);
    ck_assert_msg(strstr(text, models[_i].rolling) != NULL, "%s", text);
    perp_scene *scene;
    ck_assert_int_eq(perp_scene_create_from_text(&scene, text, NULL, NULL, &error), PERP_SOLVED);
    perp_scene_destroy(scene);
    perp_robot_release(text, NULL);
}
END_TEST

/* A model that is put down rolling and spinning comes to rest as the closed forms say. */
START_TEST(a_model_runs)
{
    static const char model[] =
        "<mujoco><option timestep='0.002' gravity='0 0 -9.81'/><worldbody>"
        "<geom type='plane' size='1 1 1' condim='6' friction='0.5 0.003 0.004'/>"
        "<body name='ball' pos='0 0 0.1'><freejoint/>"
        "<geom size='0.1' mass='2' friction='0.5 0.003 0.004'/></body></worldbody></mujoco>";
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    double *q, *v, spin[3];
    perp_scene *scene;
    ck_assert_msg(perp_robot_read_text(&text, model, strlen(model), NULL, NULL, &error) ==
                      PERP_SOLVED,
                  "%s", error.text);
    ck_assert_int_eq(perp_scene_create_from_text(&scene, text, NULL, NULL, &error), PERP_SOLVED);
    q = scene_state(scene, "ball", &v);
    v[0] = SPEED;
    v[4] = SPEED / R;
    v[5] = SPIN;
    ck_assert_int_eq(perp_sim_run(perp_scene_sim(scene), UNTIL), PERP_SOLVED);
    perp_quaternion_rotate(q + 3, v + 3, spin);
    ck_assert_double_eq_tol(v[0], SPEED - 0.004 * G / (1.4 * R) * UNTIL, 1e-3);
    ck_assert_double_eq_tol(spin[2], SPIN - 0.003 * G / (0.4 * R * R) * UNTIL, 2e-2);
    perp_scene_destroy(scene);
    perp_robot_release(text, NULL);
}
END_TEST
#endif

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("scenes with rolling and torsional friction");
    TCase *tcase = tcase_create("both");
    tcase_add_checked_fixture(tcase, run_folder_make, run_folder_remove);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rolls_and_spins, 0, sizeof runs / sizeof runs[0]);
    tcase_add_test(tcase, the_file_of_contacts);
    tcase_add_loop_test(tcase, changes_are_found, 0, sizeof changes / sizeof changes[0]);
#ifdef HAVE_LIBXML2
    tcase_add_loop_test(tcase, models_with_condim_6, 0, sizeof models / sizeof models[0]);
    tcase_add_test(tcase, a_model_runs);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
