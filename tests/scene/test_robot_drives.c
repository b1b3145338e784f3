/* SPDX-License-Identifier: BSD-3-Clause */
/* Actuators of MJCF with ranges of force, several of one joint, springs of tendons that rest in a
 * range of lengths, friction of tendons: a slide of mass 2 in closed form. */
#include "config.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/scene/robot_text.h"

/* Place and speed of the slide at `until`, from the keyframe "k"; 0: configured without libxml2. */
static int slide(double *x, double *v, const char *more, const char *key, double until)
{
    char model[2000];
    double *q, *rate;
    snprintf(
        model, sizeof model,
        "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body name='a'><joint "
        "name='j' type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"
        "</body></worldbody>%s<keyframe><key name='k' %s/></keyframe></mujoco>",
        more, key);
    perp_scene *scene = scene_of_model(model, "k");
    if (scene == NULL)
        return 0;
    scene_run_until(scene, until);
    q = scene_state(scene, "a", &rate);
    *x = q[0];
    *v = rate[0];
    perp_scene_destroy(scene);
    return 1;
}

/* Where m x'' = - k (x - target) - d x' is at t from x0 at rest. */
static double swings(double m, double k, double d, double target, double x0, double t)
{
    double decay = 0.5 * d / m, w = sqrt(k / m - decay * decay);
    return target + (x0 - target) * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
}

START_TEST(several_actuators_of_one_joint)
{
    double x, v;
    if (!slide(
            &x, &v,
            "<actuator><position joint='j' kp='50'/><velocity joint='j' kv='3'/><motor joint='j' "
            "gear='2'/><position joint='j' kp='30' gear='0.5'/></actuator>",
            "qpos='0.1' ctrl='0.4 0.5 -1 0.2'", 0.7))
        return;
    /* 50 (0.4 - x) + 3 (0.5 - v) - 2 + 0.5 30 (0.2 - 0.5 x) */
    double k = 50.0 + 7.5, target = (20.0 + 1.5 - 2.0 + 3.0) / k;
    ck_assert_double_eq_tol(x, swings(2.0, k, 3.0, target, 0.1, 0.7), 1e-5);
}
END_TEST

/* Against its bound 6 up to the speed 1 - 6/10, then v' = 10 (1 - v) / 2. */
START_TEST(a_velocity_servo_within_its_force)
{
    double x, v;
    static const char servo[] =
        "<actuator><velocity joint='j' kv='10' forcerange='-1 6'/></actuator>";
    if (!slide(&x, &v, servo, "ctrl='1'", 0.1))
        return;
    ck_assert_double_eq_tol(v, 0.3, 1e-7);
    (void)slide(&x, &v, servo, "ctrl='1'", 0.5);
    double t = 0.4 / 3.0;
    ck_assert_double_eq_tol(v, 1.0 - 0.6 * exp(-5.0 * (0.5 - t)), 1e-5);
    /* From above with no more than 1. */
    (void)slide(&x, &v, servo, "qvel='3' ctrl='1'", 0.5);
    ck_assert_double_eq_tol(v, 3.0 - 0.25, 1e-7);
}
END_TEST

/* Its force stays within a range that is not symmetric, and is the spring's inside. */
START_TEST(a_position_servo_within_its_force)
{
    double x, v;
    static const char servo[] =
        "<actuator><position joint='j' kp='40' forcerange='-0.5 2'/></actuator>";
    if (!slide(&x, &v, servo, "ctrl='1'", 0.5))
        return;
    ck_assert_double_eq_tol(x, 0.125, 1e-7); /* 2 / 2 t^2 / 2 */
    (void)slide(&x, &v, servo, "ctrl='-1'", 0.5);
    ck_assert_double_eq_tol(x, -0.03125, 1e-7);
    (void)slide(&x, &v, servo, "qpos='0.99' ctrl='1'", 0.5);
    ck_assert_double_eq_tol(x, 1.0 - 0.01 * cos(sqrt(20.0) * 0.5), 1e-6);
}
END_TEST

/* Through the slack at one speed, against the spring for half a period, and back. */
START_TEST(a_tendon_with_slack)
{
    double x, v, w = sqrt(40.0 / 2.0), pi = acos(-1.0);
    static const char tendon[] =
        "<tendon><fixed springlength='0.2 0.6' stiffness='10'><joint joint='j' coef='2'/></fixed>"
        "</tendon>";
    if (!slide(&x, &v, tendon, "qpos='0.2' qvel='0.5'", 0.2 + 0.5 * pi / w))
        return;
    ck_assert_double_eq_tol(x, 0.3 + 0.5 / w, 1e-5);
    ck_assert_double_eq_tol(v, 0.0, 3e-3);
    (void)slide(&x, &v, tendon, "qpos='0.2' qvel='0.5'", 0.2 + pi / w + 0.1);
    ck_assert_double_eq_tol(x, 0.25, 1e-3);
    ck_assert_double_eq_tol(v, -0.5, 1e-3);
    (void)slide(&x, &v, tendon, "qpos='0.1' qvel='-0.5'", 0.5 * pi / w);
    ck_assert_double_eq_tol(x, 0.1 - 0.5 / w, 1e-5);
}
END_TEST

/* |force| <= 3 along 2 q: the slide is slowed by 6, and held. */
START_TEST(friction_of_a_tendon)
{
    double x, v;
    static const char tendon[] =
        "<tendon><fixed frictionloss='3'><joint joint='j' coef='2'/></fixed></tendon>";
    if (!slide(&x, &v, tendon, "qvel='1.2'", 0.3))
        return;
    ck_assert_double_eq_tol(v, 0.3, 1e-7);
    (void)slide(&x, &v, tendon, "qvel='1.2'", 1.0);
    ck_assert_double_eq_tol(v, 0.0, 1e-12);
    ck_assert_double_eq_tol(x, 0.24, 1e-7);
}
END_TEST

/* A bounded servo of a tendon: 2 min(max(k (l - 2 q), -1), 1.5). */
START_TEST(a_servo_of_a_tendon_within_its_force)
{
    double x, v;
    static const char servo[] =
        "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>"
        "<actuator><position tendon='t' kp='25' forcerange='-1 1.5'/></actuator>";
    if (!slide(&x, &v, servo, "ctrl='1'", 0.4))
        return;
    ck_assert_double_eq_tol(x, 0.5 * 1.5 * 0.16, 1e-7);
    (void)slide(&x, &v, servo, "qpos='0.51' ctrl='1'", 0.4);
    ck_assert_double_eq_tol(x, 0.5 + 0.01 * cos(sqrt(50.0) * 0.4), 1e-6);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("drives of robots");
    TCase *tcase = tcase_create("drives of robots");
    tcase_add_test(tcase, several_actuators_of_one_joint);
    tcase_add_test(tcase, a_velocity_servo_within_its_force);
    tcase_add_test(tcase, a_position_servo_within_its_force);
    tcase_add_test(tcase, a_tendon_with_slack);
    tcase_add_test(tcase, friction_of_a_tendon);
    tcase_add_test(tcase, a_servo_of_a_tendon_within_its_force);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
