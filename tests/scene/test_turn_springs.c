/* SPDX-License-Identifier: BSD-3-Clause */
/* Springs of orientations: periods and rests in closed form, energy, action and reaction, models with
 * ball joints that have them. */
#include "config.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/scene/robot_text.h"

#define BODY(name, x, more)                                                                        \
    "{\"name\": \"" name "\", \"mass\": 1, \"inertia\": [0.5, 0.4, 0.1], \"position\": [" x            \
    ", 0, 0]" more "}"

/* phi'' = - (k / I) phi about a principal axis, from `turned` at rest. */
START_TEST(a_body_swings_about_its_rest)
{
    double *v;
    perp_scene *scene = scene_of(
        "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.001}, \"bodies\": ["
        BODY("a", "0", ", \"rotation\": [0, 0, 0.3]") "], \"forces\": [{\"type\": \"turn-spring\", "
        "\"from\": \"a\", \"stiffness\": 1.6, \"turned\": [0, 0, 1.2]}]}", NULL);
    scene_run_until(scene, 1.0);
    double *q = scene_state(scene, "a", &v), w = sqrt(1.6 / 0.1);
    ck_assert_double_eq_tol(2.0 * atan2(q[6], q[3]), 0.3 - 1.2 + 1.2 * cos(w), 1e-5);
    ck_assert_double_eq_tol(v[5], -1.2 * w * sin(w), 1e-4);
    perp_scene_destroy(scene);
}
END_TEST

/* A damper alone, strong: w' = -(c / I) w, far beyond what explicit steps bear. */
START_TEST(a_strong_damper_is_stable)
{
    double *v;
    perp_scene *scene = scene_of(
        "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.01}, \"bodies\": ["
        BODY("a", "0", ", \"angular\": [0, 0, 3]") "], \"forces\": [{\"type\": \"turn-spring\", "
        "\"from\": \"a\", \"damping\": 15}]}", NULL);
    scene_run_until(scene, 1.0);
    (void)scene_state(scene, "a", &v);
    ck_assert_double_lt(fabs(v[5]), 1e-6);
    perp_scene_destroy(scene);
}
END_TEST

/* phi'' = - k (1/I + 1/I) phi between two bodies, of which one turns by 2 to begin with; momentum
 * stays.  They are at rest as they start; the spring has the axes of the first one, which may lie
 * turned. */
static const char *const swings[] = {
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.0005}, \"bodies\": ["
    BODY("a", "0", ", \"rotation\": [0, 0, 0.7], \"angular\": [0, 0, 2]") ", "
    BODY("b", "3", ", \"rotation\": [0, 0, -0.4]") "], \"forces\": [{\"type\": "
    "\"turn-spring\", \"from\": \"a\", \"to\": \"b\", \"stiffness\": 0.8}], "
    "\"record\": {\"quantities\": [\"energy\"]}}",
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.0005}, \"bodies\": ["
    BODY("a", "0", ", \"rotation\": [0, 1.5707963267948966, 0], \"angular\": [0, 0, 2]") ", "
    BODY("b", "3", ", \"rotation\": [0, 1.5707963267948966, 0]") "], \"forces\": [{\"type\": "
    "\"turn-spring\", \"from\": \"a\", \"to\": \"b\", \"stiffness\": [50, 70, 0.8]}]}"};

START_TEST(two_bodies_swing_against_each_other)
{
    double *va, *vb;
    perp_scene *scene = scene_of(swings[_i], NULL);
    scene_run_until(scene, 1.0);
    (void)scene_state(scene, "a", &va);
    (void)scene_state(scene, "b", &vb);
    ck_assert_double_eq_tol(va[5] + vb[5], 2.0, 1e-12);
    ck_assert_double_eq_tol(va[5] - vb[5], 2.0 * cos(4.0), 1e-5);
    perp_scene_destroy(scene);
}
END_TEST

/* Any axes, one stiffness or three: the energy of a spring to the world stays to the order of the
 * step. */
START_TEST(energy_stays)
{
    static const char *const stiffness[] = {"2", "[2, 2, 2]", "[3, 0.5, 1.5]"};
    const double stored[] = {0.29, 0.29, 0.5 * (3.0 * 0.09 + 0.5 * 0.04 + 1.5 * 0.16)};
    double change[2];
    for (int k = 0; k < 2; k++) {
        char text[800];
        double *v;
        snprintf(text, sizeof text,
                 "{\"version\": 1, \"time\": {\"until\": 1, \"step\": %g}, \"bodies\": [" BODY(
                     "a", "0", ", \"angular\": [1, 2, -3]") "], \"forces\": [{\"type\": "
                 "\"turn-spring\", \"from\": \"a\", \"stiffness\": %s, \"turned\": [0.3, -0.2, "
                 "0.4]}], \"record\": {\"quantities\": [\"energy\"]}}",
                 k == 0 ? 0.004 : 0.002, stiffness[_i]);
        perp_scene *scene = scene_of(text, NULL);
        perp_recorder *recorder = perp_scene_recorder(scene);
        ck_assert_int_eq(perp_recorder_sample(recorder, 0.0), PERP_SOLVED);
        int last = perp_recorder_columns(recorder) - 1;
        double begun = perp_recorder_data(recorder)[last];
        perp_recorder_clear(recorder);
        scene_run_until(scene, 1.0);
        perp_recorder_clear(recorder);
        ck_assert_int_eq(perp_recorder_sample(recorder, 1.0), PERP_SOLVED);
        ck_assert_double_eq_tol(begun,
                                0.5 * (0.5 * 1.0 + 0.4 * 4.0 + 0.1 * 9.0) + stored[_i], 1e-12);
        change[k] = fabs(perp_recorder_data(recorder)[last] - begun);
        (void)scene_state(scene, "a", &v);
        perp_scene_destroy(scene);
    }
    ck_assert_double_lt(change[0], 1e-4);
    ck_assert_double_lt(change[1], 0.3 * change[0] + 1e-12);
}
END_TEST

/* A ball joint whose body hangs in no gravity: (I + m l^2) phi'' = - k phi - c phi', from a keyframe. */
START_TEST(a_ball_joint_of_a_model)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 0' timestep='0.0005'/><worldbody><body name='arm'>"
        "<joint type='ball' stiffness='2' damping='0.3'/>"
        "<inertial pos='0.5 0 0' mass='1' diaginertia='0.1 0.15 0.15'/></body></worldbody>"
        "<keyframe><key name='k' qpos='0.98006657784124163 0 0.19866933079506122 0'/></keyframe>"
        "</mujoco>";
    double *v, *q, now[3];
    perp_scene *scene = scene_of_model(model, "k");
    if (scene == NULL)
        return; /* configured without libxml2 */
    scene_run_until(scene, 1.0);
    q = scene_state(scene, "arm", &v);
    double mass = 0.15 + 0.25, decay = 0.5 * 0.3 / mass, w = sqrt(2.0 / mass - decay * decay);
    double phi = 0.4 * exp(-decay) * (cos(w) + decay / w * sin(w));
    for (int k = 0; k < 3; k++)
        now[k] = 2.0 * q[k]; /* the centre is 0.5 along the arm */
    ck_assert_double_eq_tol(atan2(-now[2], now[0]), phi, 1e-4);
    ck_assert_double_eq_tol(now[1], 0.0, 1e-9);
    perp_scene_destroy(scene);
}
END_TEST

static const char *const refusals[][2] = {
    {"\"from\": \"nobody\"", "nobody"},
    {"\"from\": \"a\", \"to\": \"a\"", "both ends"},
    {"\"from\": \"a\", \"length\": 1", "length"},
    {"\"from\": \"a\", \"stiffness\": -1", "less than 0"},
    {"\"from\": \"a\", \"stiffness\": [1, -1, 1]", "entry 1: less than 0"},
    {"\"from\": \"a\", \"stiffness\": [1, 1]", "3"},
};

START_TEST(refusals_name_the_place)
{
    char text[600];
    snprintf(text, sizeof text,
             "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.01}, \"bodies\": [" BODY(
                 "a", "0", "") "], \"forces\": [{\"type\": \"turn-spring\", %s}]}",
             refusals[_i][0]);
    scene_ill_formed(text, refusals[_i][1]);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("turn springs");
    TCase *tcase = tcase_create("turn springs");
    tcase_add_test(tcase, a_body_swings_about_its_rest);
    tcase_add_test(tcase, a_strong_damper_is_stable);
    tcase_add_loop_test(tcase, two_bodies_swing_against_each_other, 0,
                        sizeof swings / sizeof swings[0]);
    tcase_add_loop_test(tcase, energy_stays, 0, 3);
    tcase_add_test(tcase, a_ball_joint_of_a_model);
    tcase_add_loop_test(tcase, refusals_name_the_place, 0, sizeof refusals / sizeof refusals[0]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
