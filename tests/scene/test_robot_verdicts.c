/* SPDX-License-Identifier: BSD-3-Clause */
/* Robots that hardly move: what rounding leaves in their lightest parts is no error of the motion;
 * and joints that follow others, with limits of their own. */
#include "config.h"

#include <perp/verdict.h>

#include "tests/scene/robot_text.h"

#if defined(HAVE_LIBXML2) && defined(HAVE_JANSSON)
/* Two links on slides, all of which have rotors of large armature, in a fluid. */
static const char swimmer[] =
    "<mujoco><option density='4000' viscosity='0.1' timestep='0.01'/><default><joint "
    "armature='0.1'/></default><worldbody><body><geom fromto='1.5 0 0 0.5 0 0' size='0.1' "
    "type='capsule'/><joint axis='1 0 0' type='slide'/><joint axis='0 1 0' type='slide'/><joint "
    "axis='0 0 1'/><body pos='0.5 0 0'><geom fromto='0 0 0 -1 0 0' size='0.1' type='capsule'/>"
    "<joint axis='0 0 1'/></body></body></worldbody></mujoco>";

/* Dry friction holds all joints of an arm, whose rotors have no armature. */
static const char arm[] =
    "<mujoco><default><joint damping='0.01' frictionloss='0.1'/></default><worldbody><body "
    "pos='0.2 0 0'><joint axis='0 1 0'/><geom type='capsule' size='0.02' fromto='0 0 0 0.1 0 0'/>"
    "<body pos='0.1 0 0'><joint type='slide' axis='1 0 0' stiffness='200'/><geom type='capsule' "
    "size='0.015' fromto='-0.1 0 0 0.1 0 0'/><body pos='0.1 0 0'><joint type='ball'/><geom "
    "type='box' size='0.02' fromto='0 0 0 0 0.1 0'/><body pos='0 0.1 0'><joint axis='1 0 0'/><geom "
    "type='capsule' size='0.02' fromto='0 0 0 0 0 0.1'/></body></body></body></body></worldbody>"
    "</mujoco>";

#define FINGER                                                                                     \
    "<inertial><origin xyz='0.1 0 0'/><mass value='1'/><inertia ixx='0.01' ixy='0' ixz='0' "       \
    "iyy='0.01' iyz='0' izz='0.01'/></inertial>"
/* A finger that follows another one: on a joint that turns the other way, with limits as if not. */
#define GRIPPER(limits, mimic)                                                                     \
    "<robot name='g'><link name='b'/><link name='l'>" FINGER "</link><link name='r'>" FINGER       \
    "</link><joint name='j' type='revolute'><parent link='b'/><child link='l'/><axis xyz='0 1 "    \
    "0'/>"                                                                                         \
    "<limit lower='0' upper='0.5' effort='1' velocity='1'/></joint><joint name='f' "               \
    "type='revolute'><parent link='b'/><child link='r'/><origin xyz='0 0.3 0'/><axis "             \
    "xyz='0 -1 0'/><limit " limits " effort='1' velocity='1'/><mimic joint='j' " mimic             \
    "/></joint></robot>"

static void check_verified(const char *text)
{
    perp_verdict verdict;
    perp_scene *scene = scene_of(text, NULL);
    (void)scene_last_row(scene);
    ck_assert_int_eq(perp_sim_verdict(perp_scene_sim(scene), &verdict, sizeof verdict),
                     PERP_SOLVED);
    ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "%s", verdict.first);
    perp_scene_destroy(scene);
}

START_TEST(a_finger_that_follows)
{
    static const struct {
        const char *model;
        int limited;
    } all[] = {{GRIPPER("lower='0' upper='0.5'", "multiplier='-1'"), 0},
               {GRIPPER("lower='-0.5' upper='0'", "multiplier='-1'"), 1},
               {GRIPPER("lower='0.2' upper='0.7'", "multiplier='2' offset='-0.8'"), 0},
               {GRIPPER("lower='0.2' upper='0.7'", "multiplier='2' offset='-0.7'"), 1}};
    static const char *const pose[] = {"j=0.3"};
    perp_robot_options options = defaults();
    told t = {0};
    options.until = 1.0;
    options.pose = pose;
    options.nposes = _i < 2;
    options.tell = hear;
    options.tell_ctx = &t;
    char *text = convert(all[_i].model, &options);
    const char *follower = strstr(text, "{\"name\": \"f\"");
    ck_assert_ptr_nonnull(follower);
    ck_assert_int_eq(strstr(follower, "\"limits\"") != NULL, all[_i].limited);
    ck_assert_int_eq(t.notes > 1, !all[_i].limited || _i > 1); /* the root is fixed is one */
    if (_i < 2) /* starts where the other finger has it, and stays verified */
        check_verified(text);
    perp_robot_release(text, NULL);
}
END_TEST

/* Chains of links in line between two bodies, each with two joints that turn alike: to first order
 * the bodies cannot part, and all chains but two say so again.  Base: a mass that carries them, and
 * falls; 0: they hang. */
static void in_line(char *text, size_t size, int chains, int links, double base)
{
    size_t n = (size_t)snprintf(
        text, size,
        "<mujoco><compiler angle='radian'/><default><joint axis='0 1 0' armature='.001'/><geom "
        "contype='0' conaffinity='2' type='box' size='.01 .005 .005' pos='.01 0 0'/></default>"
        "<worldbody><geom type='plane' size='0 0 1' pos='0 0 %s' contype='2'/>",
        base > 0.0 ? "-.105" : "-9");
    if (base > 0.0)
        n += (size_t)snprintf(text + n, size - n,
                              "<body><freejoint/><geom size='.03 .03 .02' pos='0 0 0' mass='%g' "
                              "conaffinity='0'/>",
                              base);
    n += (size_t)snprintf(text + n, size - n,
                          "<body pos='-.053 0 -.073'><joint/><inertial pos='0 0 .02' mass='.08' "
                          "diaginertia='8e-5 8e-5 2e-5'/>");
    for (int c = 0; c < chains; c++) {
        for (int l = 0; l < links; l++)
            n += (size_t)snprintf(
                text + n, size - n,
                "<body name='l%d%d' pos='%g %g %g'><joint name='j%d%d' stiffness='.8' "
                "damping='.04'/><joint name='k%d%d' pos='.01 0 0' stiffness='.8' damping='.04'/>"
                "<geom/>",
                c, l, l == 0 ? 0.018 : 0.02, l == 0 ? 0.02 * c : 0.0, l == 0 ? -0.012 : 0.0, c, l,
                c, l);
        for (int l = 0; l < links; l++)
            n += (size_t)snprintf(text + n, size - n, "</body>");
    }
    n += (size_t)snprintf(text + n, size - n,
                          "</body><body name='arch'><joint/><geom size='.04 .04 .004' pos='.05 0 "
                          "0' conaffinity='0'/></body>%s</worldbody><equality>",
                          base > 0.0 ? "</body>" : "");
    for (int c = 0; c < chains; c++) {
        n += (size_t)snprintf(text + n, size - n,
                              "<connect body1='arch' body2='l%d%d' anchor='%g %g -.085'/>", c,
                              links - 1, 0.02 * (links - 1) - 0.035, 0.02 * c);
        for (int l = 0; l < links; l++)
            n += (size_t)snprintf(text + n, size - n, "<joint joint1='j%d%d' joint2='k%d%d'/>", c,
                                  l, c, l);
    }
    (void)snprintf(text + n, size - n, "</equality></mujoco>");
}

/* The second falls on a floor: what strikes passes through parts of 1e-7 of the mass. */
START_TEST(chains_in_line)
{
    char model[8000];
    perp_robot_options options = defaults();
    options.until = _i == 0 ? 0.05 : 0.15;
    in_line(model, sizeof model, _i == 0 ? 3 : 1, _i == 0 ? 4 : 3, _i == 0 ? 0.0 : 5.0);
    char *text = convert(model, &options);
    check_verified(text);
    perp_robot_release(text, NULL);
}
END_TEST

/* A tendon goes around a cylinder into which its end is pulled: its length jumps there. */
START_TEST(a_path_that_jumps)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 0'/><worldbody><site name='a' pos='-1 0 0'/><geom name='c' "
        "type='cylinder' size='.2 .1' contype='0' conaffinity='0'/><site name='s' pos='0 .3 0'/>"
        "<body pos='.5 0 0'><joint type='slide' axis='1 0 0'/><geom size='.05' contype='0' "
        "conaffinity='0'/><site name='b'/></body></worldbody><tendon><spatial name='t' "
        "stiffness='100' springlength='1' damping='1'><site site='a'/><geom geom='c' "
        "sidesite='s'/><site site='b'/></spatial></tendon></mujoco>";
    perp_scene_run_options run;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene *scene = scene_of_model(model, NULL);
    perp_scene_run_options_init(&run, sizeof run);
    run.until = 1.0;
    ck_assert_int_eq(perp_scene_run(scene, &run, &info), PERP_ITERATION_LIMIT);
    ck_assert_msg(strstr(info.detail, "stays open by") != NULL, "%s", info.detail);
    ck_assert_msg(strstr(info.detail, "t-follows") != NULL, "%s", info.detail);
    perp_scene_destroy(scene);
}
END_TEST

/* A finger comes to the end of its slide while what carries it moves along another one, which ends
 * far from there: nothing strikes that one, which friction alone slows down.  Between the two is a
 * part without a mass of its own. */
START_TEST(an_end_of_one_slide)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body name='b'><joint "
        "type='slide' axis='0 0 1' range='-1 1' frictionloss='0.1'/><joint axis='1 0 0' "
        "range='-170 170'/><geom size='.1' mass='1'/><body name='f'><joint type='slide' "
        "axis='1 0 0' range='0 0.05'/><geom mass='.1' size='.05'/></body></body></worldbody>"
        "<keyframe><key qvel='0.5 0 0.47'/></keyframe></mujoco>";
    double *v;
    perp_scene *scene = scene_of_model(model, "0");
    scene_run_until(scene, 0.2);
    const double *q = scene_state(scene, "f", &v);
    ck_assert_double_eq_tol(v[2], 0.5 - 0.1 / 1.1 * 0.2, 1e-6);
    ck_assert_double_eq_tol(q[2], (0.5 - 0.1 / 1.1 * 0.1) * 0.2, 1e-6);
    ck_assert_double_eq_tol(q[0], 0.05, 1e-9);
    perp_scene_destroy(scene);
}
END_TEST

START_TEST(verified)
{
    perp_robot_options options = defaults();
    options.until = 0.1;
    char *text = convert(_i == 0 ? swimmer : arm, &options);
    check_verified(text);
    perp_robot_release(text, NULL);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("robot verdicts");
    TCase *tcase = tcase_create("robot verdicts");
#if defined(HAVE_LIBXML2) && defined(HAVE_JANSSON)
    tcase_add_loop_test(tcase, verified, 0, 2);
    tcase_add_loop_test(tcase, a_finger_that_follows, 0, 4);
    tcase_add_loop_test(tcase, chains_in_line, 0, 2);
    tcase_add_test(tcase, a_path_that_jumps);
    tcase_add_test(tcase, an_end_of_one_slide);
#endif
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
