/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws on rates without coordinates: friction and dampers of ball joints, of points and turns of
 * free bodies, drag; each in closed form.  Free and ball joints of models have them. */
#include "config.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/rotation.h>

#include "tests/scene/robot_text.h"

#define START "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.01}, "
#define BALL(name, x, more)                                                                        \
    "{\"name\": \"" name "\", \"mass\": 2, \"inertia\": [0.4, 0.4, 0.4], \"position\": [" x        \
    ", 0, 0]" more "}"
#define JOINT(systems, more)                                                                       \
    "\"interactions\": [{\"name\": \"j\", \"systems\": [" systems "], \"relation\": {\"type\": "   \
    "\"joint\", \"joint\": \"point\", \"anchor\": [0, 0, 0]" more "}}]"

/* A ball about its centre: each component of its spin falls at M / I to rest, and stays. */
START_TEST(friction_of_a_ball_joint_stops_each_spin)
{
    static const double start[] = {0.3, -1.0, 2.0};
    double *v;
    perp_scene *scene =
        scene_of(START "\"bodies\": [" BALL(
                     "a", "0",
                     ", \"rotation\": [0.3, -0.5, 1.1], "
                     "\"angular\": [0.3, -1, 2]") "], " JOINT("\"a\"", ", \"friction\": 0.2") "}",
                 NULL);
    for (int second = 1; second <= 5; second++) {
        scene_run_until(scene, second);
        (void)scene_state(scene, "a", &v);
        for (int k = 0; k < 3; k++) {
            double left = fmax(0.0, fabs(start[k]) - 0.5 * second);
            ck_assert_double_eq_tol(v[3 + k], copysign(left, start[k]), 1e-9);
        }
    }
    perp_scene_destroy(scene);
}
END_TEST

/* A weight on a ball joint hangs where the friction is more than its moment, and falls where it is
 * less. */
START_TEST(friction_of_a_ball_joint_holds_a_weight)
{
    static const double bound[] = {9.82, 9.80};
    for (int k = 0; k < 2; k++) {
        char text[700];
        double *v, *q;
        snprintf(text, sizeof text,
                 START "\"gravity\": [0, 0, -9.81], \"bodies\": [" BALL("a", "0.5", "") "], " JOINT(
                     "\"a\"", ", \"friction\": %g") "}",
                 bound[k]);
        perp_scene *scene = scene_of(text, NULL);
        scene_run_until(scene, 1.0);
        q = scene_state(scene, "a", &v);
        if (k == 0)
            ck_assert_double_eq_tol(q[2], 0.0, 1e-12);
        else
            ck_assert_double_lt(q[2], -1e-3);
        perp_scene_destroy(scene);
    }
}
END_TEST

/* Two balls with one centre, in one joint: the whole spin stays, the relative one falls by
 * exp(- c (1/I + 1/I) t) along any axis, by the rule of the middle; where an explicit damper would
 * explode, too. */
START_TEST(a_damper_between_two_bodies)
{
    static const double damping[] = {0.1, 60.0};
    for (int k = 0; k < 2; k++) {
        char text[900];
        double *va, *vb;
        snprintf(text, sizeof text,
                 START "\"bodies\": [" BALL("a", "0", ", \"angular\": [0, 0.6, 0.8]") ", " BALL(
                     "b", "0", "") "], " JOINT("\"a\", \"b\"", ", \"damping\": %g") "}",
                 damping[k]);
        perp_scene *scene = scene_of(text, NULL);
        scene_run_until(scene, 1.0);
        (void)scene_state(scene, "a", &va);
        (void)scene_state(scene, "b", &vb);
        double r = damping[k] * 0.01 / 0.4, left = pow((1.0 - r) / (1.0 + r), 100.0);
        ck_assert_double_eq_tol(va[4] + vb[4], 0.6, 1e-11);
        ck_assert_double_eq_tol(va[5] + vb[5], 0.8, 1e-11);
        ck_assert_double_eq_tol(hypot(va[4] - vb[4], va[5] - vb[5]), fabs(left), 1e-9);
        perp_scene_destroy(scene);
    }
}
END_TEST

/* The same friction between two bodies keeps their whole angular momentum, whatever turns. */
START_TEST(friction_between_two_bodies_acts_on_both)
{
    double *v[2], *q[2], sum[3] = {0.0}, begun[3] = {0.0};
    perp_scene *scene = scene_of(
        START "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.25], "
              "\"position\": [0, 0, 0], \"angular\": [3, -2, 1]}, {\"name\": \"b\", \"mass\": 1, "
              "\"inertia\": [0.3, 0.2, 0.15], \"position\": [0, 0, 0], \"rotation\": [1, 0.4, 0], "
              "\"angular\": [0, 1, 4]}], " JOINT("\"a\", \"b\"", ", \"friction\": 0.15") "}",
        NULL);
    static const double moment[2][3] = {{0.1, 0.2, 0.25}, {0.3, 0.2, 0.15}};
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < 2; b++) {
            double own[3], turned[3];
            q[b] = scene_state(scene, b == 0 ? "a" : "b", &v[b]);
            for (int k = 0; k < 3; k++)
                own[k] = moment[b][k] * v[b][3 + k];
            perp_quaternion_rotate(q[b] + 3, own, turned);
            for (int k = 0; k < 3; k++)
                (pass == 0 ? begun : sum)[k] += turned[k];
        }
        if (pass == 0)
            scene_run_until(scene, 4.0);
    }
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(sum[k], begun[k], 2e-3); /* the scheme turns bodies to O(h^2) */
    double mixed[3], rel[3];
    perp_quaternion_rotate(q[1] + 3, v[1] + 3, mixed);
    perp_quaternion_rotate_back(q[0] + 3, mixed, rel);
    for (int k = 0; k < 3; k++) /* they end as one */
        ck_assert_double_eq_tol(v[0][3 + k], rel[k], 1e-8);
    perp_scene_destroy(scene);
}
END_TEST

/* A point along an axis of the world, and turns about one of the body. */
START_TEST(friction_of_rates)
{
    double *v, *q;
    perp_scene *scene =
        scene_of(START "\"bodies\": [" BALL("a", "0",
                                            ", \"velocity\": [2, 1, 0], \"angular\": [0, 0, "
                                            "1]") "], \"interactions\": [{\"name\": \"x\", "
                                                  "\"systems\": [\"a\"], \"relation\": "
                                                  "{\"type\": "
                                                  "\"rate\", \"along\": [1, 0, 0], "
                                                  "\"anchor\": [0, 0, 0]}, \"law\": "
                                                  "{\"type\": "
                                                  "\"dry-friction\", \"force\": 8}}, "
                                                  "{\"name\": \"z\", \"systems\": [\"a\"], "
                                                  "\"relation\": {\"type\": \"rate\", "
                                                  "\"about\": [0, 0, 1]}, \"law\": {\"type\": "
                                                  "\"motor\", \"speed\": 3, \"force\": "
                                                  "0.4}}]}",
                 NULL);
    scene_run_until(scene, 2.5);
    q = scene_state(scene, "a", &v);
    ck_assert_double_eq_tol(q[0], 0.5 * 4.0 / 4.0, 1e-9); /* v^2 m / (2 F), then rest */
    ck_assert_double_eq_tol(v[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(q[1], 2.5, 1e-12);
    ck_assert_double_eq_tol(v[5], 3.0, 1e-9); /* 1 + t to 3 */
    perp_scene_destroy(scene);
}
END_TEST

/* m v' = - c v of a point, in all directions; and off the centre it turns the body, too. */
START_TEST(drag_of_a_point)
{
    double *v, *q;
    perp_scene *scene = scene_of(
        START "\"bodies\": [" BALL(
            "a", "0", ", \"velocity\": [2, -1, 3]") "], \"forces\": ["
                                                    "{\"type\": \"drag\", \"system\": \"a\", "
                                                    "\"point\": [0, 0, 0], \"damping\": 5}]}",
        NULL);
    scene_run_until(scene, 1.0);
    (void)scene_state(scene, "a", &v);
    double r = 0.5 * 5.0 * 0.01 / 2.0, left = pow((1.0 - r) / (1.0 + r), 100.0);
    ck_assert_double_eq_tol(v[0], 2.0 * left, 1e-7);
    ck_assert_double_eq_tol(v[1], -left, 1e-7);
    ck_assert_double_eq_tol(v[2], 3.0 * left, 1e-7);
    perp_scene_destroy(scene);
    /* Off the centre it turns the body, too: what is lost is the integral of c |v_P|^2. */
    scene =
        scene_of(START "\"bodies\": [" BALL("a", "0",
                                            ", \"velocity\": [1, 0, 0], \"angular\": "
                                            "[0.5, 0, 1]") "], \"forces\": [{\"type\": \"drag\", "
                                                           "\"system\": \"a\", \"point\": [0.3, "
                                                           "0.1, 0], \"damping\": 2}]}",
                 NULL);
    double lost = 0.0, begun = 0.0;
    for (int k = 0; k <= 100; k++) {
        const double arm[3] = {0.3, 0.1, 0.0};
        double w[3], at[3], point[3], energy = 0.0, square = 0.0;
        if (k > 0)
            scene_run_until(scene, 0.01 * k);
        q = scene_state(scene, "a", &v);
        perp_quaternion_rotate(q + 3, arm, at);
        perp_quaternion_rotate(q + 3, v + 3, w);
        for (int i = 0; i < 3; i++) {
            point[i] = v[i] + w[(i + 1) % 3] * at[(i + 2) % 3] - w[(i + 2) % 3] * at[(i + 1) % 3];
            square += point[i] * point[i];
            energy += 0.5 * (2.0 * v[i] * v[i] + 0.4 * v[3 + i] * v[3 + i]);
        }
        begun = k == 0 ? energy : begun;
        lost += 2.0 * 0.01 * square * (k == 0 || k == 100 ? 0.5 : 1.0);
        if (k == 100)
            ck_assert_double_eq_tol(begun - energy, lost, 1e-4 * begun);
    }
    perp_scene_destroy(scene);
}
END_TEST

static const char *const refusals[][2] = {
    {"\"interactions\": [{\"systems\": [\"a\"], \"relation\": {\"type\": \"rate\"}, \"law\": "
     "{\"type\": \"motor\", \"speed\": 1}}]",
     "along or about"},
    {"\"interactions\": [{\"systems\": [\"a\"], \"relation\": {\"type\": \"rate\", \"about\": "
     "[0, 0, 1]}}]",
     "a law on a rate"},
    {"\"interactions\": [{\"systems\": [\"a\"], \"relation\": {\"type\": \"rate\", \"about\": "
     "[0, 0, 1]}, \"law\": {\"type\": \"impact\"}}]",
     "a law on a rate"},
    {"\"interactions\": [{\"systems\": [\"a\"], \"relation\": {\"type\": \"rate\", \"about\": "
     "[0, 0, 1]}, \"law\": {\"type\": \"servo\", \"target\": 1, \"stiffness\": 3}}]",
     "no target"},
    {"\"interactions\": [{\"systems\": [\"a\"], \"relation\": {\"type\": \"joint\", \"joint\": "
     "\"point\", \"anchor\": [0, 0, 0], \"motor\": {\"speed\": 1}}}]",
     "limits, friction and damping"},
    {"\"forces\": [{\"type\": \"drag\", \"system\": \"a\"}]", "damping"},
    {"\"forces\": [{\"type\": \"drag\", \"system\": \"b\", \"damping\": 1}]", "'b'"},
};

START_TEST(refusals_name_the_place)
{
    char text[900];
    snprintf(text, sizeof text, START "\"bodies\": [" BALL("a", "0", "") "], %s}", refusals[_i][0]);
    scene_ill_formed(text, refusals[_i][1]);
}
END_TEST

#define MODEL "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody>"
#define MASS "<inertial pos='0 0 0' mass='2' diaginertia='0.4 0.4 0.4'/></body></worldbody>"

/* All six rates of a free joint: v' = - d v / m, a spring to where the model has it, friction. */
START_TEST(a_free_joint_of_a_model)
{
    double *v, *q;
    perp_scene *scene = scene_of_model(
        MODEL
        "<body name='a' pos='0.1 0 0'><joint type='free' damping='3'/>" MASS
        "<keyframe><key name='k' qpos='0 0 0 1 0 0 0' qvel='1 2 0 0 0 5'/></keyframe></mujoco>",
        "k");
    if (scene == NULL)
        return;
    scene_run_until(scene, 1.0);
    (void)scene_state(scene, "a", &v);
    ck_assert_double_eq_tol(v[1], 2.0 * exp(-1.5), 1e-6);
    ck_assert_double_eq_tol(v[5], 5.0 * exp(-7.5), 1e-6);
    perp_scene_destroy(scene);
    scene =
        scene_of_model(MODEL "<body name='a' pos='0.1 0 0'><joint type='free' stiffness='8'/>" MASS
                             "<keyframe><key name='k' qpos='0.4 0 0.1 0.98006657784124163 0 0 "
                             "0.19866933079506122'/></keyframe></mujoco>",
                       "k");
    scene_run_until(scene, 1.0);
    q = scene_state(scene, "a", &v);
    ck_assert_double_eq_tol(q[0], 0.1 + 0.3 * cos(2.0), 1e-5);
    ck_assert_double_eq_tol(q[2], 0.1 * cos(2.0), 1e-5);
    ck_assert_double_eq_tol(2.0 * atan2(q[6], q[3]), 0.4 * cos(sqrt(20.0)), 1e-4);
    perp_scene_destroy(scene);
    scene =
        scene_of_model(MODEL "<body name='a'><joint type='free' frictionloss='0.5'/>" MASS
                             "<keyframe><key name='k' qvel='1 0 -2 0.5 0 3'/></keyframe></mujoco>",
                       "k");
    scene_run_until(scene, 2.0);
    (void)scene_state(scene, "a", &v);
    static const double wanted[] = {0.5, 0.0, -1.5, 0.0, 0.0, 0.5};
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq_tol(v[k], wanted[k], 1e-9);
    perp_scene_destroy(scene);
}
END_TEST

/* The armature of a ball joint is inertia about all axes. */
START_TEST(a_ball_joint_of_a_model)
{
    double *v;
    perp_scene *scene = scene_of_model(
        MODEL "<body name='a'><joint type='ball' frictionloss='0.3' armature='0.2'/>" MASS
              "<keyframe><key name='k' qvel='1 0 -2'/></keyframe></mujoco>",
        "k");
    if (scene == NULL)
        return;
    scene_run_until(scene, 1.0);
    (void)scene_state(scene, "a", &v);
    ck_assert_double_eq_tol(v[3], 0.5, 1e-9);
    ck_assert_double_eq_tol(v[5], -1.5, 1e-9);
    perp_scene_destroy(scene);
}
END_TEST

/* A force of 2 along y of the body at 0.1 along x turns it by 0.5 a t^2, a = 0.2 / I; what it moves
 * the centre by, by Simpson's rule.  As a load of a scene, and as an actuator of a site. */
static void assert_pushed(perp_scene *scene)
{
    double *v, sum[2] = {0.0, 0.0};
    enum { PARTS = 400 };
    scene_run_until(scene, 1.0);
    (void)scene_state(scene, "a", &v);
    for (int k = 0; k <= PARTS; k++) {
        double t = (double)k / PARTS, angle = 0.5 * 0.5 * t * t;
        double weight = (k == 0 || k == PARTS ? 1.0 : k % 2 ? 4.0 : 2.0) / (3.0 * PARTS);
        sum[0] -= weight * sin(angle);
        sum[1] += weight * cos(angle);
    }
    ck_assert_double_eq_tol(v[5], 0.5, 1e-9);
    ck_assert_double_eq_tol(v[0], sum[0], 1e-5);
    ck_assert_double_eq_tol(v[1], sum[1], 1e-5);
    perp_scene_destroy(scene);
}

START_TEST(a_force_that_turns_with_its_body)
{
    assert_pushed(scene_of(
        START "\"bodies\": [" BALL(
            "a", "0",
            "") "], \"forces\": [{\"type\": \"load\", \"system\": "
                "\"a\", \"frame\": \"body\", \"point\": [0.1, 0, 0], \"vector\": [0, 2, 0], "
                "\"polynomial\": [1]}]}",
        NULL));
    perp_scene *scene = scene_of_model(
        MODEL "<body name='a'><freejoint/><site name='s' pos='0.1 0 0' euler='0 0 90'/>" MASS
              "<actuator><motor site='s' gear='2 0 0 0 0 0'/></actuator>"
              "<keyframe><key name='k' ctrl='1'/></keyframe></mujoco>",
        "k");
    if (scene != NULL)
        assert_pushed(scene);
}
END_TEST

/* A force of the world at a point of the body: it swings as a pendulum, I phi'' = - F l sin phi. */
START_TEST(a_force_at_a_point)
{
    double *v, *q;
    perp_scene *scene = scene_of(
        START "\"bodies\": [" BALL(
            "a", "0", ", \"rotation\": [0, 0, 0.5]") "], \"forces\": ["
                                                     "{\"type\": \"load\", \"system\": \"a\", "
                                                     "\"point\": [0.2, 0, 0], \"vector\": "
                                                     "[3, 0, 0], \"polynomial\": [1]}]}",
        NULL);
    scene_run_until(scene, 1.0);
    q = scene_state(scene, "a", &v);
    double phi = 2.0 * atan2(q[6], q[3]);
    ck_assert_double_eq_tol(v[0], 1.5, 1e-9);
    ck_assert_double_eq_tol(0.5 * 0.4 * v[5] * v[5], 3.0 * 0.2 * (cos(phi) - cos(0.5)), 1e-5);
    ck_assert_double_lt(phi, 0.3);
    perp_scene_destroy(scene);
}
END_TEST

/* A motor of a ball joint acts on both bodies: their spins go apart by M (1/I + 1/I) t. */
START_TEST(a_motor_of_a_ball_joint)
{
    double *va, *vb;
    perp_scene *scene = scene_of_model(
        MODEL
        "<body name='b'><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='0.2 0.2 0.2'/>"
        "<body name='a'><joint name='j' type='ball'/><inertial pos='0 0 0' mass='2' "
        "diaginertia='0.4 0.4 0.4'/></body></body></worldbody>"
        "<actuator><motor joint='j' gear='0 0 3'/></actuator>"
        "<keyframe><key name='k' ctrl='0.1'/></keyframe></mujoco>",
        "k");
    if (scene == NULL)
        return;
    scene_run_until(scene, 1.0);
    (void)scene_state(scene, "a", &va);
    (void)scene_state(scene, "b", &vb);
    ck_assert_double_eq_tol(va[5], 0.3 / 0.4, 1e-8);
    ck_assert_double_eq_tol(vb[5], -0.3 / 0.2, 1e-8);
    perp_scene_destroy(scene);
}
END_TEST

/* springdamper: of a slide that carries a mass m alone, critical at a ratio of 1. */
START_TEST(a_springdamper_of_a_model)
{
    double *v, *q;
    perp_scene *scene = scene_of_model(
        MODEL
        "<body name='a'><joint type='slide' axis='1 0 0' springdamper='0.5 1' armature='1'/>" MASS
        "<keyframe><key name='k' qpos='0.3'/></keyframe></mujoco>",
        "k");
    if (scene == NULL)
        return;
    scene_run_until(scene, 1.0);
    q = scene_state(scene, "a", &v);
    ck_assert_double_eq_tol(q[0], 0.3 * (1.0 + 1.0 / 0.5) * exp(-1.0 / 0.5), 1e-5);
    perp_scene_destroy(scene);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("rates");
    TCase *tcase = tcase_create("rates");
    tcase_add_test(tcase, friction_of_a_ball_joint_stops_each_spin);
    tcase_add_test(tcase, friction_of_a_ball_joint_holds_a_weight);
    tcase_add_test(tcase, a_damper_between_two_bodies);
    tcase_add_test(tcase, friction_between_two_bodies_acts_on_both);
    tcase_add_test(tcase, friction_of_rates);
    tcase_add_test(tcase, drag_of_a_point);
    tcase_add_loop_test(tcase, refusals_name_the_place, 0, sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tcase, a_free_joint_of_a_model);
    tcase_add_test(tcase, a_ball_joint_of_a_model);
    tcase_add_test(tcase, a_springdamper_of_a_model);
    tcase_add_test(tcase, a_force_that_turns_with_its_body);
    tcase_add_test(tcase, a_force_at_a_point);
    tcase_add_test(tcase, a_motor_of_a_ball_joint);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
