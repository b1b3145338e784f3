/* SPDX-License-Identifier: BSD-3-Clause */
/* Cables of MJCF: where their bodies stand, bending and twist in closed form, rest, refusals. */
#define _POSIX_C_SOURCE 200809L
#include "config.h"

#include <perp/rotation.h>

#include "tests/scene/robot_text.h"

#define CABLE(attributes, parts)                                                                   \
    "<mujoco><option gravity='0 0 -9.81' timestep='2e-3'/><worldbody>\n<composite prefix='c' "     \
    "type='cable' " attributes ">" parts "</composite></worldbody>"
#define ELASTIC(bend, twist, more)                                                                 \
    "<plugin plugin='mujoco.elasticity.cable'><config key='bend' value='" bend "'/><config "       \
    "key='twist' value='" twist "'/>" more "</plugin>"
#define ROUND "<geom type='capsule' size='.005'/>"

#ifdef HAVE_JANSSON
static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const char *body_name(char *name, int k, int count)
{
    if (k == 0 || k == count - 1)
        snprintf(name, 20, "cB_%s", k == 0 ? "first" : "last");
    else
        snprintf(name, 20, "cB_%d", k);
    return name;
}

/* Each body along its edge, its centre in the middle; about the edge no body turns against the one
 * before: the rotation between them is the least one. */
START_TEST(bodies_lie_along_their_edges)
{
    static const double vertex[6][3] = {{0, 0, 0},       {0.1, 0, 0},     {0.2, 0.1, 0},
                                        {0.2, 0.2, 0.1}, {0.1, 0.2, 0.2}, {0.1, 0.2, 0.4}};
    static const char model[] =
        CABLE("vertex='0 0 0 .1 0 0 .2 .1 0 .2 .2 .1 .1 .2 .2 .1 .2 .4' offset='1 2 3' "
              "initial='free'",
              "<geom type='capsule' size='.005' density='700'/>") "</mujoco>";
    perp_scene *scene = scene_of_model(model, NULL);
    double before[4] = {0.0};
    for (int k = 0; k < 5; k++) {
        char name[20];
        double *v, *q = scene_state(scene, body_name(name, k, 5), &v), edge[3], axis[3];
        static const double x[3] = {1.0, 0.0, 0.0}, offset[3] = {1.0, 2.0, 3.0};
        perp_quaternion_rotate(q + 3, x, axis);
        for (int i = 0; i < 3; i++) {
            edge[i] = vertex[k + 1][i] - vertex[k][i];
            ck_assert_double_eq_tol(q[i], offset[i] + 0.5 * (vertex[k + 1][i] + vertex[k][i]),
                                    1e-9);
        }
        ck_assert_double_eq_tol(dot(axis, edge), sqrt(dot(edge, edge)), 1e-12);
        if (k > 0) {
            double back[4] = {before[0], -before[1], -before[2], -before[3]}, turn[3];
            perp_quaternion_product(back, q + 3, back);
            perp_quaternion_log(back, turn);
            ck_assert_double_eq_tol(turn[0], 0.0, 1e-9);
        }
        memcpy(before, q + 3, sizeof before);
    }
    perp_scene_destroy(scene);
}
END_TEST

/* Curves of s, and the same points. */
START_TEST(curves_are_points)
{
    char model[900], points[600];
    size_t n = 0;
    for (int k = 0; k < 5; k++) {
        const double pi = 3.14159265358979323846;
        n += (size_t)snprintf(points + n, sizeof points - n, "%.17g %.17g %.17g ",
                              0.1 * cos(pi * k * 4.0 / 4.0), 0.1 * sin(pi * k * 4.0 / 4.0),
                              k * 0.25 / 4.0);
    }
    snprintf(model, sizeof model, CABLE("vertex='%s' initial='free'", ROUND) "</mujoco>", points);
    same_scene(model, CABLE("curve='cos(s) sin(s) s' count='5 1 1' size='.25 .1 4' initial='free'",
                            ROUND) "</mujoco>");
}
END_TEST

/* To rest; how far the last body has turned about an axis of the world. */
static void settle(const char *model, double until, double *out)
{
    perp_scene_run_options run;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene *scene = scene_of_model(model, NULL);
    double *v, *q;
    perp_scene_run_options_init(&run, sizeof run);
    run.until = until;
    ck_assert_int_eq(perp_scene_run(scene, &run, &info), PERP_SOLVED);
    q = scene_state(scene, "cB_last", &v);
    perp_quaternion_log(q + 3, out);
    ck_assert_double_le(dot(v + 3, v + 3), 1e-8);
    perp_scene_destroy(scene);
}

/* Nine links, the first one stands; each joint bends by the moment of the weight behind it. */
START_TEST(a_beam_bends_under_its_weight)
{
    static const char model[] =
        CABLE("curve='s' count='10 1 1' size='.18' initial='none'",
              "<joint kind='main' damping='.004'/><geom type='box' size='.1 .004 .002'/>" ELASTIC(
                  "5e8", "2e8", "")) "</mujoco>";
    const double l = 0.02, I = 0.008 * pow(0.004, 3) / 12.0, K = 5e8 * I / l;
    const double weight = 9.81 * 1000.0 * l * 0.008 * 0.004;
    double angle = 0.0, turned[3];
    for (int joint = 1; joint < 9; joint++)
        for (int link = joint; link < 9; link++)
            angle += weight * (link + 0.5 - joint) * l / K;
    settle(model, 1.0, turned);
    ck_assert_double_eq_tol(turned[0], 0.0, 1e-6);
    ck_assert_double_eq_tol(turned[1], angle, 2e-3 * angle); /* the weight stays vertical */
    ck_assert_double_eq_tol(turned[2], 0.0, 1e-6);
}
END_TEST

/* A moment about the edge at the end: eight joints in a row. */
START_TEST(a_rod_twists)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 0'/><extension><plugin plugin='mujoco.elasticity.cable'>"
        "<instance name='p'><config key='bend' value='5e8'/><config key='twist' value='2e8'/>"
        "</instance></plugin></extension><worldbody><composite prefix='c' type='cable' curve='0 s' "
        "count='10 1 1' size='.18' initial='none'><joint kind='main' damping='.004'/><geom "
        "type='cylinder' size='.003'/><plugin instance='p'/></composite></worldbody><actuator>"
        "<motor site='cS_last' gear='0 0 0 1 0 0'/></actuator><keyframe><key ctrl='.02'/>"
        "</keyframe></mujoco>";
    const double pi = 3.14159265358979323846, K = 2e8 * 0.5 * pi * pow(0.003, 4) / 0.02;
    perp_robot_options options = defaults();
    options.keyframe = "0";
    options.until = 1.0;
    char *text = convert(model, &options);
    perp_scene *scene = scene_of(text, NULL);
    double *v, *q, back[4] = {sqrt(0.5), 0.0, 0.0, -sqrt(0.5)}, turned[3];
    perp_scene_run_options run;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_run_options_init(&run, sizeof run);
    ck_assert_int_eq(perp_scene_run(scene, &run, &info), PERP_SOLVED);
    q = scene_state(scene, "cB_last", &v);
    perp_quaternion_product(q + 3, back, back); /* since its rest along y */
    perp_quaternion_log(back, turned);
    ck_assert_double_eq_tol(turned[1], 8.0 * 0.02 / K, 1e-5);
    perp_scene_destroy(scene);
    perp_robot_release(text, NULL);
}
END_TEST

/* Two bodies at one place, Ia wa' = A (wb' - wa') + c (wb - wa), Ib wb' = M - the same: the mean
 * goes with M, the difference d as (A + m) d' + c d = m M / Ib, 1/m = 1/Ia + 1/Ib. */
START_TEST(armature_between_two_bodies)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 0' timestep='1e-3'/><worldbody><body name='a'><freejoint/>"
        "<inertial pos='0 0 0' mass='1' diaginertia='.5 .5 .5'/><body name='b'><joint type='ball' "
        "armature='.3' damping='.2'/><inertial pos='0 0 0' mass='1' diaginertia='.2 .2 .2'/><site "
        "name='s'/></body></body></worldbody><actuator><motor site='s' gear='0 0 0 0 0 .7'/>"
        "</actuator><keyframe><key ctrl='1'/></keyframe></mujoco>";
    const double Ia = 0.5, Ib = 0.2, A = 0.3, c = 0.2, M = 0.7, t = 0.8;
    const double m = Ia * Ib / (Ia + Ib), rate = c / (A + m);
    double *va, *vb;
    for (int k = 0; k < 2; k++) {
        perp_scene_run_options run;
        perp_scene_run_info info = {.size = sizeof info};
        perp_scene_options own;
        perp_robot_options options = defaults();
        options.keyframe = "0";
        char *text = convert(model, &options);
        perp_scene_options_init(&own, sizeof own);
        own.step = k == 0 ? 1e-3 : 4e-3; /* the rows know the step */
        perp_scene *scene = scene_of(text, &own);
        perp_scene_run_options_init(&run, sizeof run);
        run.until = t;
        ck_assert_int_eq(perp_scene_run(scene, &run, &info), PERP_SOLVED);
        (void)scene_state(scene, "a", &va);
        (void)scene_state(scene, "b", &vb);
        ck_assert_double_eq_tol(Ia * va[5] + Ib * vb[5], M * t, 1e-9);
        ck_assert_double_eq_tol(vb[5] - va[5], m * M / Ib / c * (1.0 - exp(-rate * t)), 2e-6);
        perp_scene_destroy(scene);
        perp_robot_release(text, NULL);
    }
}
END_TEST

/* Three edges of a square: it stays, or becomes straight. */
START_TEST(rest_is_as_modelled_or_flat)
{
    static const char *const models[] = {
        "<mujoco><option gravity='0 0 0'/><worldbody><composite prefix='c' type='cable' "
        "vertex='0 0 0 .02 0 0 .02 .02 0 0 .02 0' initial='none'><joint kind='main' "
        "damping='1e-4'/>" ROUND ELASTIC("1e6", "1e6", "") "</composite></worldbody></mujoco>",
        "<mujoco><option gravity='0 0 0'/><worldbody><composite prefix='c' type='cable' "
        "vertex='0 0 0 .02 0 0 .02 .02 0 0 .02 0' initial='none'><joint kind='main' "
        "damping='1e-3'/>" ROUND ELASTIC(
            "1e6", "1e6", "<config key='flat' value='true'/>") "</composite></worldbody></mujoco>"};
    double turned[3];
    settle(models[0], 0.1, turned);
    ck_assert_double_eq_tol(sqrt(dot(turned, turned)), 3.14159265358979, 1e-9);
    settle(models[1], 1.0, turned);
    ck_assert_double_eq_tol(sqrt(dot(turned, turned)), 0.0, 1e-4);
}
END_TEST
#endif

/* Defaults of the model are not those of a cable. */
START_TEST(cables_have_their_own_defaults)
{
    same_scene("<mujoco><default><geom density='5' friction='.1'/><joint damping='3'/></default>"
               "<worldbody><composite prefix='c' type='cable' curve='s' count='4' size='.3' "
               "initial='ball'>" ROUND "</composite></worldbody></mujoco>",
               "<mujoco><worldbody><composite prefix='c' type='cable' curve='s' count='4' "
               "size='.3'>" ROUND "</composite></worldbody></mujoco>");
}
END_TEST

START_TEST(cables_are_checked)
{
    refused("<mujoco><worldbody>\n<composite type='rope' count='4 1 1'/></worldbody></mujoco>",
            PERP_ERR_UNSUPPORTED, "type 'rope': of composites cables alone", 2);
    refused(CABLE("curve='s t' count='4'", ROUND) "</mujoco>", PERP_ERR_FORMAT, "curve: at most",
            2);
    refused(CABLE("curve='s' count='2'", ROUND) "</mujoco>", PERP_ERR_FORMAT, "count: of a cable",
            2);
    refused(CABLE("vertex='0 0 0 1 0 0'", ROUND) "</mujoco>", PERP_ERR_FORMAT, "three points", 2);
    refused(CABLE("vertex='0 0 0 1 0 0 1 0 0 2 0 0'", ROUND) "</mujoco>", PERP_ERR_FORMAT,
            "two vertices at one place", 2);
    refused(CABLE("curve='s' count='4' initial='odd'", ROUND) "</mujoco>", PERP_ERR_FORMAT,
            "initial", 2);
    refused(CABLE("curve='s' count='4'", "<geom type='sphere' size='1'/>") "</mujoco>",
            PERP_ERR_FORMAT, "capsules, cylinders or boxes", 2);
    refused(CABLE("curve='s' count='4'", "<geom type='box' size='1 1'/>") "</mujoco>",
            PERP_ERR_FORMAT, "size: 3 numbers", 2);
    refused(CABLE("curve='s' count='4'", ROUND "<plugin plugin='odd'/>") "</mujoco>",
            PERP_ERR_UNSUPPORTED, "a plugin that is not", 2);
    refused(CABLE("curve='s' count='4'", ROUND ELASTIC("-1", "1", "")) "</mujoco>", PERP_ERR_FORMAT,
            "less than 0", 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("robot cables");
    TCase *tcase = tcase_create("robot cables");
#ifdef HAVE_JANSSON
    tcase_add_test(tcase, bodies_lie_along_their_edges);
    tcase_add_test(tcase, curves_are_points);
    tcase_add_test(tcase, a_beam_bends_under_its_weight);
    tcase_add_test(tcase, a_rod_twists);
    tcase_add_test(tcase, armature_between_two_bodies);
    tcase_add_test(tcase, rest_is_as_modelled_or_flat);
#endif
    tcase_add_test(tcase, cables_have_their_own_defaults);
    tcase_add_test(tcase, cables_are_checked);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
