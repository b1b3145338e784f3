/* SPDX-License-Identifier: BSD-3-Clause */
/* What actuators of MJCF move and what that carries: sliders of cranks, sites in the frame of
 * others, armature and damping, the range of what several give together. */
#define _XOPEN_SOURCE 700
#include "config.h"

#include "tests/scene/robot_text.h"

#if defined HAVE_LIBXML2 && defined HAVE_JANSSON
#define FREE_SPACE "<mujoco><option gravity='0 0 0' timestep='0.001'/>"
#define MASS(m) "<inertial pos='0 0 0' mass='" m "' diaginertia='1 1 1'/>"

/* Where a body is at `until`, from the first keyframe. */
static double *state_at(perp_scene **scene, const char *model, const char *body, double until,
                        double **rate)
{
    *scene = scene_of_model(model, "0");
    ck_assert_ptr_nonnull(*scene);
    scene_run_until(*scene, until);
    return scene_state(*scene, body, rate);
}

/* Place and speed of a slide of mass 2 along x. */
static void slide(double *x, double *v, const char *joint, const char *more, const char *key,
                  double until)
{
    char model[2000];
    double *q, *rate;
    perp_scene *scene;
    snprintf(
        model, sizeof model,
        FREE_SPACE
        "<worldbody><site name='o' pos='0.3 1 2' euler='0 0 90'/><body name='a'>"
        "<joint name='j' type='slide' axis='1 0 0' %s/>" MASS(
            "2") "<site name='s' pos='0 1 0'/></body></worldbody>%s<keyframe><key %s/></keyframe>"
                 "</mujoco>",
        joint, more, key);
    q = state_at(&scene, model, "a", until, &rate);
    *x = q[0];
    *v = rate[0];
    perp_scene_destroy(scene);
}

/* Both make one scene. */
static void same(const char *one, const char *other)
{
    perp_robot_options options = defaults();
    char *a = convert(one, &options), *b = convert(other, &options);
    ck_assert_str_eq(a, b);
    perp_robot_release(a, NULL);
    perp_robot_release(b, NULL);
}

/* The work of a constant force along the slider: a crank of 0.2 and a rod of 0.5, the slider along
 * x through the axis of the crank, from the left. */
START_TEST(a_crank_that_a_piston_turns)
{
    double *q, *rate;
    perp_scene *scene;
    q = state_at(
        &scene,
        FREE_SPACE
        "<worldbody><site name='slide' euler='0 90 0' pos='-1 0 0'/><body "
        "name='a'><joint name='j' axis='0 1 0'/>" MASS(
            "3") "<site name='pin' pos='0 0 0.2'/></body></worldbody><actuator><motor "
                 "cranksite='pin' slidersite='slide' cranklength='0.5' gear='2'/></actuator>"
                 "<keyframe><key ctrl='1.5'/></keyframe></mujoco>",
        "a", 0.7, &rate);
    double angle = 2.0 * atan2(q[5], q[3]), speed = rate[4];
    double x = 0.2 * sin(angle), z = 0.2 * cos(angle);
    double way = x - sqrt(0.25 - z * z) + sqrt(0.25 - 0.04);
    ck_assert_double_gt(fabs(angle), 0.1);
    ck_assert_double_eq_tol(0.5 * speed * speed, 3.0 * way, 1e-6);
    perp_scene_destroy(scene);
}
END_TEST

/* x of the site in the frame of the other one is its y in the world less 0.3. */
START_TEST(a_site_in_the_frame_of_another_one)
{
    double x, v;
    slide(&x, &v, "",
          "<actuator><position site='s' refsite='o' gear='0 -2 0 0 0 0' kp='5'/></actuator>",
          "ctrl='0.4'", 0.7);
    /* length 2 (x - 0.3), force 2 5 (0.4 - length) */
    ck_assert_double_eq_tol(x, 0.5 * (1.0 - cos(sqrt(20.0 / 2.0) * 0.7)), 1e-5);
    refused(FREE_SPACE
            "<worldbody><body name='a'><freejoint/><geom size='1'/><site name='s'/></body><body "
            "name='b'><freejoint/><geom size='1'/><site name='o'/></body></worldbody><actuator>"
            "\n<motor site='s' refsite='o' gear='1'/></actuator></mujoco>",
            PERP_ERR_UNSUPPORTED, "refsite of a body that moves", 2);
}
END_TEST

#define WITH_SITE(name, place, site)                                                               \
    "<body name='" name "' " place "><freejoint/>" MASS("1") "<site " site "/></body>"
#define TURNED(actuators, key)                                                                     \
    FREE_SPACE "<worldbody><site name='o' euler='20 30 40'/>" WITH_SITE("a", "", "name='s'")       \
        WITH_SITE("c", "pos='5 0 0'", "name='p'") "</worldbody><actuator>\n" actuators             \
                                                  "</actuator><keyframe><key " key                 \
                                                  "/></keyframe></mujoco>"
#define ABOUT(refsite, gear, more)                                                                 \
    "<position site='s' refsite='" refsite "' gear='0 0 0 " gear "' kp='5' " more "/>"
#define ABOUT_ALL(refsite, more)                                                                   \
    ABOUT(refsite, "1 0 0", more) ABOUT(refsite, "0 1 0", more) ABOUT(refsite, "0 0 1", more)

static const char turned_in_its_body[] = FREE_SPACE "<worldbody><site name='o'/>" WITH_SITE(
    "a", "",
    "name='s' euler='1 0 0'") "</worldbody><actuator>" ABOUT_ALL("o", "") "</actuator></mujoco>";

/* The angle between two rotations. */
static double angle_between(const double *p, const double *q)
{
    double w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    return 2.0 * acos(fmin(fabs(w), 1.0));
}

/* Three servos are a spring of the rotation: about one axis it swings as a pendulum does, here from
 * the rotation of the site in the world to that of its refsite; and two bodies with it about their
 * middle. */
START_TEST(turns_about_axes_of_a_refsite)
{
    static const double still[4] = {1.0, 0.0, 0.0, 0.0};
    double *q, *rate, *p, *other;
    perp_scene *scene;
    q = state_at(&scene, TURNED(ABOUT_ALL("o", ""), ""), "a", 0.7, &rate);
    double whole = 2.0 * acos(fabs(cos(M_PI / 18.0) * cos(M_PI / 12.0) * cos(M_PI / 9.0) -
                                   sin(M_PI / 18.0) * sin(M_PI / 12.0) * sin(M_PI / 9.0)));
    ck_assert_double_eq_tol(angle_between(q + 3, still), whole * (1.0 - cos(sqrt(5.0) * 0.7)),
                            1e-5);
    perp_scene_destroy(scene);
    q = state_at(&scene, TURNED(ABOUT_ALL("p", ""), "qpos='0 0 0 0.8 0 0.6 0 5 0 0 1 0 0 0'"), "a",
                 0.7, &rate);
    p = scene_state(scene, "c", &other);
    ck_assert_double_eq_tol(angle_between(q + 3, p + 3),
                            fabs(2.0 * acos(0.8) * cos(sqrt(10.0) * 0.7)), 1e-4);
    ck_assert_double_eq_tol(rate[4] + other[4], 0.0, 1e-12);
    perp_scene_destroy(scene);
    perp_robot_options options = defaults();
    told t = {0};
    options.tell = hear;
    options.tell_ctx = &t;
    perp_robot_release(convert(turned_in_its_body, &options), NULL);
    ck_assert_msg(strstr(t.last, "turned in its body") != NULL, "%s", t.last);
}
END_TEST

START_TEST(turns_that_are_not_done)
{
    static const char *const words = "turns about the axes of a refsite";
    refused(TURNED(ABOUT("o", "1 0 0", ""), ""), PERP_ERR_UNSUPPORTED, words, 2);
    refused(TURNED(ABOUT("o", "1 0 0", "") ABOUT("o", "0 1 0", "") ABOUT("o", "0 0 2", ""), ""),
            PERP_ERR_UNSUPPORTED, words, 2);
    refused(
        TURNED(ABOUT("o", "1 0 0", "kv='1'") ABOUT("o", "0 1 0", "") ABOUT("o", "0 0 1", ""), ""),
        PERP_ERR_UNSUPPORTED, words, 2);
    static const char *const controlled[] = {
        TURNED("<motor site='s' refsite='o' gear='0 0 0 1 0 0'/>", "ctrl='1'"),
        TURNED(ABOUT_ALL("o", ""), "ctrl='0 0.1 0'")};
    for (int k = 0; k < 2; k++) {
        perp_robot_options options = defaults();
        perp_scene_error error = {.size = sizeof error};
        char *text = NULL;
        options.keyframe = "0";
        ck_assert_int_eq(perp_robot_read_text(&text, controlled[k], strlen(controlled[k]), &options,
                                              NULL, &error),
                         PERP_ERR_UNSUPPORTED);
        ck_assert_msg(strstr(error.text, "a control that is not 0") != NULL, "%s", error.text);
    }
    refused(TURNED(ABOUT("o", "1 0 0", "forcerange='-1 1'"), ""), PERP_ERR_UNSUPPORTED,
            "a forcerange of a turn", 2);
    refused(TURNED("<motor site='s' refsite='o' gear='1 0 0 1 0 0'/>", ""), PERP_ERR_UNSUPPORTED,
            "a way and a turn", 2);
    same(TURNED("<motor site='s' refsite='o' gear='0 0 0 1 0 0'/>", ""), TURNED("", ""));
}
END_TEST

#define HINGE(joint, tendon, actuators)                                                            \
    FREE_SPACE "<worldbody><body name='a'><joint name='j' axis='0 1 0' " joint                     \
               "/>" MASS("2") "</body></worldbody><tendon><fixed name='t' " tendon                 \
                              "><joint joint='j' coef='1'/></fixed>"                               \
                              "</tendon><actuator>" actuators "</actuator></mujoco>"

START_TEST(armature_and_damping_of_actuators)
{
    same(HINGE("", "", "<motor joint='j' gear='-3' armature='0.2' damping='0.1'/>"),
         HINGE("armature='1.8' damping='0.9'", "", "<motor joint='j' gear='-3'/>"));
    same(HINGE("", "", "<motor tendon='t' gear='2' armature='0.2'/>"),
         HINGE("", "armature='0.8'", "<motor tendon='t' gear='2'/>"));
    same(HINGE("", "", "<motor tendon='t' gear='2' damping='0.2'/>"),
         HINGE("", "damping='0.8'", "<motor tendon='t' gear='2'/>"));
    same(HINGE("springdamper='0.1 1'", "", "<motor joint='j' armature='0.2'/>"),
         HINGE("springdamper='0.1 1' armature='0.2'", "", ""));
    /* gear^2 times each of three numbers */
    same(HINGE("", "", "<motor joint='j' gear='-2' damping='0.25 0.5 0.75'/>"),
         HINGE("damping='1 2 3'", "", "<motor joint='j' gear='-2'/>"));
    same(HINGE("damping='0.5 0 1'", "", "<motor joint='j' damping='0 1 0'/>"),
         HINGE("damping='0.5 1 1'", "", "<motor joint='j'/>"));
    same(HINGE("", "", "<motor tendon='t' gear='2' damping='0 0.5 0.75'/>"),
         HINGE("", "damping='0 2 3'", "<motor tendon='t' gear='2'/>"));
    same(HINGE("", "", "<motor joint='j' gear='0' damping='1 1 1'/>"),
         HINGE("", "", "<motor joint='j' gear='0'/>"));
    refused(HINGE("springdamper='0.1 1'", "", "\n<motor joint='j' damping='1 1 0'/>"),
            PERP_ERR_UNSUPPORTED, "beside a springdamper", 2);
    refused(FREE_SPACE "<worldbody><body name='a'><joint name='j' type='ball'/>" MASS(
                "2") "</body></worldbody><actuator>\n<motor joint='j' damping='1 0 1'/></actuator>"
                     "</mujoco>",
            PERP_ERR_UNSUPPORTED, "of a free or ball joint", 2);
    refused(HINGE("", "", "\n<motor joint='j' damping='1 -1 0'/>"), PERP_ERR_FORMAT, "less than 0",
            2);
}
END_TEST

/* The armature of a joint is no mass of what acts along a tendon of it. */
START_TEST(a_tendon_of_a_joint_with_armature)
{
    double *q, *rate;
    perp_scene *scene;
    q = state_at(
        &scene,
        FREE_SPACE "<worldbody><body name='a'><joint name='j' axis='0 1 0' armature='3'/>" MASS(
            "2") "</body></worldbody><tendon><fixed name='t' stiffness='20' springlength='0'>"
                 "<joint joint='j' coef='1'/></fixed></tendon><keyframe><key qpos='0.5'/>"
                 "</keyframe></mujoco>",
        "a", 0.7, &rate);
    ck_assert_double_eq_tol(2.0 * atan2(q[5], q[3]), 0.5 * cos(sqrt(20.0 / 4.0) * 0.7), 1e-5);
    perp_scene_destroy(scene);
}
END_TEST

/* Mass 2: force 1 until the servo asks for less. */
START_TEST(servos_within_the_range_of_their_joint)
{
    double x, v;
    slide(&x, &v, "actuatorfrcrange='-1 1'", "<actuator><velocity joint='j' kv='3'/></actuator>",
          "ctrl='100'", 0.6);
    ck_assert_double_eq_tol(x, 0.5 * 0.5 * 0.36, 1e-6);
    slide(&x, &v, "actuatorfrcrange='-2 1'",
          "<actuator><position joint='j' kp='30'/><motor joint='j' gear='2'/></actuator>",
          "ctrl='5 3'", 0.6);
    ck_assert_double_eq_tol(x, 0.5 * 0.5 * 0.36, 1e-6);
    /* A load beside a servo is one with it: 30 (0.1 - x) - 2. */
    slide(&x, &v, "actuatorfrcrange='-5 5'",
          "<actuator><position joint='j' kp='30'/><motor joint='j'/></actuator>", "ctrl='0.1 -2'",
          0.6);
    ck_assert_double_eq_tol(x, (1.0 / 30.0) * (1.0 - cos(sqrt(15.0) * 0.6)), 1e-5);
    refused(HINGE("actuatorfrcrange='-1 1'", "", "\n<position tendon='t' kp='3'/>"),
            PERP_ERR_UNSUPPORTED, "a spring along a tendon", 2);
}
END_TEST

START_TEST(actuators_within_the_range_of_their_tendon)
{
    double x, v;
    slide(&x, &v, "",
          "<tendon><fixed name='t' actuatorfrcrange='-1 0.5'><joint joint='j' coef='2'/></fixed>"
          "</tendon><actuator><motor tendon='t'/><position tendon='t' kp='9'/></actuator>",
          "ctrl='1 2'", 0.6);
    ck_assert_double_eq_tol(x, 0.5 * 0.5 * 0.36, 1e-6);
    slide(&x, &v, "",
          "<tendon><fixed name='t' actuatorfrcrange='-1 0.5'><joint joint='j' coef='2'/></fixed>"
          "</tendon><actuator><motor tendon='t'/></actuator>",
          "ctrl='-7'", 0.6);
    ck_assert_double_eq_tol(x, -0.5 * 1.0 * 0.36, 1e-6);
    /* The gear comes behind the range. */
    slide(&x, &v, "",
          "<tendon><fixed name='t' actuatorfrcrange='-1 0.5'><joint joint='j' coef='2'/></fixed>"
          "</tendon><actuator><motor tendon='t' gear='3'/><position tendon='t' kp='9' gear='3'/>"
          "</actuator>",
          "ctrl='1 2'", 0.6);
    ck_assert_double_eq_tol(x, 0.5 * 1.5 * 0.36, 1e-6);
    refused(
        HINGE("", "actuatorfrcrange='-1 1'", "<motor tendon='t'/>\n<motor tendon='t' gear='2'/>"),
        PERP_ERR_UNSUPPORTED, "of several gears", 2);
    refused(HINGE("", "actuatorfrcrange='-1 1'",
                  "<position tendon='t' kp='3' forcerange='-2 1'/>"
                  "<motor tendon='t'/>"),
            PERP_ERR_UNSUPPORTED, "of several actuators", 1);
}
END_TEST

/* gravcomp of one of two bodies that are held together acts in its own centre of mass: with nothing
 * else to turn the pair about its joint, a pendulum whose weights are in balance stays there. */
START_TEST(weight_that_is_taken_from_one_of_two_bodies)
{
    double *q, *rate;
    perp_scene *scene;
    q = state_at(
        &scene,
        "<mujoco><option timestep='0.001'/><worldbody><body name='a'><joint name='j' "
        "axis='0 1 0'/>" MASS("1") "<body name='c' pos='0.5 0 0' gravcomp='0.5'>" MASS(
            "2") "</body><body name='d' pos='-1 0 0'>" MASS("1") "</body></body></worldbody>"
                                                                 "<keyframe><key "
                                                                 "qpos='0'/></keyframe></mujoco>",
        "a", 0.3, &rate);
    /* 2 0.5 9.81 / 2 0.5 against 1 1: moments about y of 4.905 and 9.81 */
    double inertia = 3.0 + 2.0 * 0.25 + 1.0, moment = 9.81 * (1.0 - 0.5);
    ck_assert_double_eq_tol(fabs(2.0 * atan2(q[5], q[3])), 0.5 * moment / inertia * 0.09, 2e-4);
    perp_scene_destroy(scene);
}
END_TEST

/* Lengths of fixed tendons may be below 0, and so may be those at rest. */
START_TEST(springs_of_lengths_below_0)
{
    double x, v;
    slide(&x, &v, "",
          "<tendon><fixed name='t' stiffness='5' springlength='-0.4'><joint joint='j' coef='2'/>"
          "</fixed></tendon>",
          "qpos='0'", 0.6);
    ck_assert_double_eq_tol(x, -0.2 * (1.0 - cos(sqrt(20.0 / 2.0) * 0.6)), 1e-5);
}
END_TEST

/* x'' = 10 (a(t) - x) / 2 with a' = (1 - a) / 0.2, by steps of Runge and Kutta; then within a force
 * that it would exceed. */
START_TEST(a_servo_whose_target_an_activation_moves)
{
    double x, v, y[3] = {0.0};
    const int n = 4000;
    for (int i = 0; i < n; i++) {
        double k[4][3], z[3], h = 0.6 / n;
        for (int s = 0; s < 4; s++) {
            for (int j = 0; j < 3; j++)
                z[j] = y[j] + (s == 0 ? 0.0 : s == 3 ? h * k[2][j] : 0.5 * h * k[s - 1][j]);
            k[s][0] = z[1];
            k[s][1] = 5.0 * (z[2] - z[0]);
            k[s][2] = (1.0 - z[2]) / 0.2;
        }
        for (int j = 0; j < 3; j++)
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
    }
    slide(
        &x, &v, "",
        "<actuator><position joint='j' kp='10' timeconst='0.2' forcerange='-100 100'/></actuator>",
        "ctrl='1' act='0'", 0.6);
    ck_assert_double_eq_tol(x, y[0], 1e-5);
    slide(
        &x, &v, "",
        "<actuator><intvelocity joint='j' kp='1000' forcerange='-1 1' actrange='-9 9'/></actuator>",
        "ctrl='50' act='8'", 0.6);
    ck_assert_double_eq_tol(x, 0.5 * 0.5 * 0.36, 1e-6);
}
END_TEST

/* Between two bodies that move it is a force, which is said; else it is a moment of inertia. */
START_TEST(armature_of_a_ball_joint_in_impacts)
{
#define BALL "<joint type='ball' armature='0.1'/><geom size='.1' pos='.2 0 0'/>"
    static const char *const models[] = {
        "<mujoco><worldbody><body>" BALL "</body></worldbody></mujoco>",
        "<mujoco><worldbody><body><joint/><geom size='.1'/><body>" BALL
        "</body></body></worldbody></mujoco>"};
    told t;
    perp_robot_release(taken(models[_i], &t), NULL);
    ck_assert_int_eq(t.notes, _i);
    ck_assert(_i == 0 || strstr(t.last, "what strikes them does not meet it") != NULL);
}
END_TEST

START_TEST(armature_of_a_ball_joint_beside_others)
{
    refused(
        "<mujoco><worldbody><body name='a'><joint name='j'/>\n<joint type='ball' armature='0.1' "
        "pos='0 0 1'/>" MASS("2") "</body></worldbody></mujoco>",
        PERP_ERR_UNSUPPORTED, "armature of a ball joint beside other joints", 2);
}
END_TEST

/* Up to its delay a control is 0 in MuJoCo. */
START_TEST(controls_that_come_late)
{
    perp_robot_options options = defaults();
    perp_scene_error error = {.size = sizeof error};
    const char *const control[] = {"m=1"};
    const char *model = HINGE("", "", "\n<motor name='m' joint='j' nsample='9' delay='0.01'/>");
    char *text = convert(model, &options);
    perp_robot_release(text, NULL);
    options.control = control;
    options.ncontrols = 1;
    ck_assert_int_eq(perp_robot_read_text(&text, model, strlen(model), &options, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "delay"));
}
END_TEST

/* A side of another body: a child that is fixed to the one with the shape, and one that slides. */
START_TEST(sides_of_other_bodies)
{
#define AROUND(site, child)                                                                        \
    FREE_SPACE "<worldbody><site name='o' pos='-1 0 0.2'/><body name='c'>" MASS(                   \
        "5") "<joint name='k' type='slide' axis='0 0 1'/><geom name='g' type='cylinder' "          \
             "size='0.3 1' "                                                                       \
             "euler='90 0 0' contype='0' conaffinity='0'/>" site "<body name='d'>" child           \
             "</body></body><body name='a' pos='1 0 0.1'><joint name='j' type='slide' axis='1 0 "  \
             "0'/>" MASS("2") "<site name='s'/></body></worldbody><tendon><spatial name='t' "      \
                              "stiffness='30' "                                                    \
                              "springlength='1.5'><site site='o'/><geom geom='g' "                 \
                              "sidesite='side'/><site site='s'/>"                                  \
                              "</spatial></tendon><keyframe><key qpos='0 0'/></keyframe></mujoco>"
    double *q, *rate, x[2];
    perp_scene *scene;
    static const char *const models[] = {AROUND("<site name='side' pos='0 0 -1'/>", MASS("1")),
                                         AROUND("", "<site name='side' pos='0 0 -1'/>" MASS("1"))};
    for (int k = 0; k < 2; k++) {
        q = state_at(&scene, models[k], "a", 0.4, &rate);
        x[k] = q[0];
        perp_scene_destroy(scene);
    }
    ck_assert_double_lt(x[0], 0.99);
    ck_assert_double_eq_tol(x[0], x[1], 1e-12);
    perp_robot_options options = defaults();
    char *text = convert("<mujoco><worldbody><site name='o' pos='-1 0 1'/><site name='side' pos='0 "
                         "0 -1'/><body name='c'><freejoint/><geom name='g' size='0.3'/></body>"
                         "<body name='a' pos='1 0 1'><freejoint/><geom size='0.1'/><site "
                         "name='s'/></body></worldbody><tendon><spatial damping='1'><site "
                         "site='o'/><geom geom='g' sidesite='side'/><site site='s'/></spatial>"
                         "</tendon></mujoco>",
                         &options);
    ck_assert_ptr_nonnull(strstr(text, "\"side_of\": null"));
    perp_robot_release(text, NULL);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("robot transmissions");
    TCase *tcase = tcase_create("transmissions");
#if defined HAVE_LIBXML2 && defined HAVE_JANSSON
    tcase_add_test(tcase, a_crank_that_a_piston_turns);
    tcase_add_test(tcase, a_site_in_the_frame_of_another_one);
    tcase_add_test(tcase, turns_about_axes_of_a_refsite);
    tcase_add_test(tcase, turns_that_are_not_done);
    tcase_add_test(tcase, armature_and_damping_of_actuators);
    tcase_add_test(tcase, a_tendon_of_a_joint_with_armature);
    tcase_add_test(tcase, servos_within_the_range_of_their_joint);
    tcase_add_test(tcase, actuators_within_the_range_of_their_tendon);
    tcase_add_test(tcase, weight_that_is_taken_from_one_of_two_bodies);
    tcase_add_test(tcase, springs_of_lengths_below_0);
    tcase_add_test(tcase, a_servo_whose_target_an_activation_moves);
    tcase_add_loop_test(tcase, armature_of_a_ball_joint_in_impacts, 0, 2);
    tcase_add_test(tcase, armature_of_a_ball_joint_beside_others);
    tcase_add_test(tcase, controls_that_come_late);
    tcase_add_test(tcase, sides_of_other_bodies);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
