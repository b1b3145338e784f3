/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes whose shapes touch at a distance or in each other: where they rest, a ball that begins to
 * roll, perp verify and what it finds when the files are changed, margins of MJCF, what is refused.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/run_folder.h"
#include "tests/scene/robot_text.h"

static const double R = 0.1, SPEED = 2.0;

/* A ball of 2 kg that slides, two cubes on each other that rest; the skin of all pairs. */
static const char world[] =
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.005}, \"gravity\": [0, 0, -9.81],\n"
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}, "
    "\"material\": \"a\"}, {\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": "
    "0.1}, "
    "\"mass\": 2, \"position\": [0, 3, %.17g], \"velocity\": [2, 0, 0], \"material\": \"b\"},\n"
    "{\"name\": \"low\", \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}, \"mass\": 2, "
    "\"position\": [0, 0, %.17g], \"material\": \"b\"},\n"
    "{\"name\": \"high\", \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}, \"mass\": 2, "
    "\"position\": [0, 0, %.17g], \"material\": \"b\"}],\n"
    "\"contacts\": {%s}%s,\n"
    "\"record\": {\"certify\": true, \"contacts\": true}}";

static perp_scene *run_scene(double skin, const char *contacts, const char *more)
{
    char text[1800];
    snprintf(text, sizeof text, world, R + skin, 0.1 + skin, 0.3 + 2.0 * skin, contacts, more);
    perp_scene *scene = scene_of(text, NULL);
    run_folder_run(scene);
    return scene;
}

static const struct {
    double skin;
    const char *contacts, *more;
} runs[] = {
    {0.02, "\"mu\": 0.4, \"skin\": 0.02", ""},
    {-0.001, "\"mu\": 0.4, \"skin\": -0.001", ""},
    {-0.03, "\"mu\": 0.4, \"skin\": -0.03", ", \"schemes\": [{\"name\": \"generalized-alpha\"}]"},
    {0.01, "\"mu\": 0.4, \"skin\": 0.01", ", \"schemes\": [{\"name\": \"moreau-jean\"}]"},
    {0.015,
     "\"materials\": [{\"between\": [\"a\", \"b\"], \"mu\": 0.4, \"skin\": 0.015}, "
     "{\"between\": [\"b\", \"b\"], \"mu\": 0.4, \"skin\": 0.015}]",
     ""},
    {-0.02, "\"mu\": 0.4, \"skin\": -0.02, \"materials\": [{\"name\": \"b\", \"mu\": 0.4}]", ""},
};

/* What rests stays where it touches.  The ball rolls in the end about the point that is R + skin /
 * 2 below its centre, and friction kept its angular momentum about that line. */
START_TEST(rest_and_roll)
{
    double *v, *w;
    const double skin = runs[_i].skin, arm = R + 0.5 * skin;
    const double rolling = SPEED / (1.0 + 0.4 * R * R / (arm * arm));
    perp_scene *scene = run_scene(skin, runs[_i].contacts, runs[_i].more);
    ck_assert_double_eq_tol(scene_state(scene, "low", &v)[2], 0.1 + skin, 1e-7);
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq_tol(v[k], 0.0, 1e-6);
    ck_assert_double_eq_tol(scene_state(scene, "high", &w)[2], 0.3 + 2.0 * skin, 1e-7);
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq_tol(w[k], 0.0, 1e-6);
    ck_assert_double_eq_tol(scene_state(scene, "ball", &v)[2], R + skin, 1e-7);
    ck_assert_double_eq_tol(v[0], rolling, 1e-4);
    ck_assert_double_eq_tol(hypot(v[3], hypot(v[4], v[5])), rolling / arm, 1e-3);
    perp_scene_destroy(scene);
    run_findings found = run_folder_verify();
    ck_assert_msg(found.holds, "%s", found.contradicted);
}
END_TEST

static const struct {
    double skin;
    const char *contacts, *file, *change, *check;
} changes[] = {
    {0.02, "\"skin\": 0.02", "scene.json", "s/\"skin\": 0.02/\"skin\": 0.03/", "overlap"},
    {0.02, "\"skin\": 0.02", "scene.json", "s/\"skin\": 0.02/\"skin\": 0.01/", "contacts"},
    {-0.02, "\"skin\": -0.02", "scene.json", "s/\"skin\": -0.02/\"skin\": 0/", "overlap"},
    {-0.02, "\"skin\": -0.02", "scene.json", "s/\"skin\": -0.02/\"skin\": -0.03/", "contacts"},
};

START_TEST(changes_are_found)
{
    char text[80];
    snprintf(text, sizeof text, "\"mu\": 0.4, %s", changes[_i].contacts);
    perp_scene_destroy(run_scene(changes[_i].skin, text, ""));
    run_folder_betrays(changes[_i].change, changes[_i].file, changes[_i].check);
}
END_TEST

START_TEST(refusals_name_the_place)
{
    static const struct {
        const char *contacts, *said;
    } refusals[] = {
        {"\"skin\": \"thick\"", "skin"},
        {"\"materials\": [{\"name\": \"a\", \"skin\": 0.01}]", "skin"},
        {"\"materials\": [{\"between\": [\"a\", \"b\"], \"skin\": []}]", "skin"},
    };
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        char text[1800];
        snprintf(text, sizeof text, world, R, 0.1, 0.3, refusals[k].contacts, "");
        scene_ill_formed(text, refusals[k].said);
    }
}
END_TEST

#ifdef HAVE_LIBXML2
/* Margins of a ball and the floor, as MuJoCo 3.14 has them: a ball rests in the floor by their sum,
 * where that is below 0, or by the margin of their pair. */
static const struct {
    const char *of_floor, *of_ball, *pair, *made; /* NULL: no skin */
} models[] = {
    {"", "margin='-0.002'", "", "\"skin\": -0.002"},
    {"margin='-0.0625'", "margin='-0.125'", "", "\"skin\": -0.1875"},
    {"margin='0.0625'", "margin='-0.125'", "", "\"skin\": -0.0625"},
    {"margin='0.25'", "margin='-0.125'", "", NULL},
    {"margin='0.25'", "margin='0.125'", "", NULL},
    {"margin='-0.25'", "priority='1'", "", "\"skin\": -0.25"},
    {"", "", "<contact><pair geom1='f' geom2='b' margin='-0.125'/></contact>", "\"skin\": -0.125"},
    {"", "margin='-0.5'", "<contact><pair geom1='f' geom2='b' margin='-0.125'/></contact>",
     "\"skin\": -0.125"},
};

START_TEST(models_with_margins)
{
    char model[1000];
    snprintf(model, sizeof model,
             "<mujoco><worldbody><geom name='f' type='plane' size='1 1 1' %s/><body "
             "pos='0 0 0.1'><freejoint/><geom name='b' size='0.1' %s/></body></worldbody>%s"
             "</mujoco>",
             models[_i].of_floor, models[_i].of_ball, models[_i].pair);
    char *text = convert(model, NULL);
    const char *between = strstr(text, "\"between\": [\"m0\", \"m1\"]");
    const char *end = between != NULL ? strchr(between, '}') : NULL;
    const char *found = strstr(between != NULL ? between : text, "\"skin\"");
    if (models[_i].made == NULL)
        ck_assert(found == NULL || (end != NULL && found > end));
    else
        ck_assert_msg(found != NULL &&
                          strncmp(found, models[_i].made, strlen(models[_i].made)) == 0,
                      "%s", text);
    perp_robot_release(text, NULL);
}
END_TEST

/* Two cubes on each other and the floor, already in each other at the start. */
START_TEST(an_overlap_that_the_model_permits)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 -9.81'/><default><geom type='box' size='0.1 0.1 0.1' "
        "margin='-0.002'/></default><worldbody><geom type='plane' size='2 2 1' margin='0'/>"
        "<body pos='0 0 0.0985'><freejoint/><geom/></body>"
        "<body pos='0 0 0.2955'><freejoint/><geom/></body></worldbody></mujoco>";
    perp_scene *scene = scene_of_model(model, NULL);
    ck_assert_ptr_nonnull(scene);
    run_folder_run(scene);
    /* They fall by 0.5 and 1.5 mm until they are 2 mm in the floor, and 4 mm in each other. */
    const double *q[2];
    int found = 0;
    for (int k = 0; k < perp_scene_systems(scene) && found < 2; k++) {
        perp_scene_system_info system = {.size = sizeof system};
        double *at, *rate;
        perp_scene_system(scene, k, &system);
        if (perp_model_state(perp_scene_model(scene), system.id, &at, &rate, NULL, NULL) ==
            PERP_SOLVED)
            q[found++] = at;
    }
    ck_assert_int_eq(found, 2);
    ck_assert_double_eq_tol(q[0][2], 0.098, 1e-7);
    ck_assert_double_eq_tol(q[1][2], 0.294, 1e-7);
    perp_scene_destroy(scene);
}
END_TEST
#endif

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("scenes with skins");
    TCase *tcase = tcase_create("skins");
    tcase_add_checked_fixture(tcase, run_folder_make, run_folder_remove);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rest_and_roll, 0, sizeof runs / sizeof runs[0]);
    tcase_add_loop_test(tcase, changes_are_found, 0, sizeof changes / sizeof changes[0]);
    tcase_add_test(tcase, refusals_name_the_place);
#ifdef HAVE_LIBXML2
    tcase_add_loop_test(tcase, models_with_margins, 0, sizeof models / sizeof models[0]);
    tcase_add_test(tcase, an_overlap_that_the_model_permits);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
