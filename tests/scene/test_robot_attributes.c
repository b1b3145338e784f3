/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of MJCF that are easily read over: of defaults, of kinds of actuators, of options and
 * keyframes; a model beside one that says the same in plain words.  Parts that no joint can part.
 */
#define _POSIX_C_SOURCE 200809L
#include "config.h"
#include <unistd.h>

#include "tests/scene/robot_text.h"

#ifdef HAVE_LIBXML2
static const char *const arm =
    "<worldbody><body name='b'><joint name='j' range='-90 90'/><geom size='0.1' "
    "pos='0.3 0 0'/></body></worldbody>";

/* A model with `before`, an arm of one hinge, and `after`. */
static char *with_arm(const char *before, const char *after, const perp_robot_options *options)
{
    static char model[3000];
    snprintf(model, sizeof model, "<mujoco>%s%s%s</mujoco>", before, arm, after);
    return convert(model, options);
}

START_TEST(the_same_in_other_words)
{
    static const struct {
        const char *before, *after, *plain_before, *plain_after;
    } same[] = {
        /* Defaults of one kind of actuator are those of all, but for what makes up the kind. */
        {"<default><general gear='3' ctrlrange='-1 1' gainprm='7'/></default>",
         "<actuator><motor name='a' joint='j'/></actuator>", "",
         "<actuator><motor name='a' joint='j' gear='3' ctrlrange='-1 1'/></actuator>"},
        {"<default><motor ctrlrange='-0.5 0.5'/></default>",
         "<actuator><position name='a' joint='j' kp='5'/></actuator>", "",
         "<actuator><position name='a' joint='j' kp='5' ctrlrange='-0.5 0.5'/></actuator>"},
        {"<option actuatorgroupdisable='1 3'/>",
         "<actuator><motor name='a' group='3' joint='j'/></actuator>", "",
         "<actuator><motor name='a' gear='0' joint='j'/></actuator>"},
        {"<default><equality active='false'/></default>",
         "<equality><joint joint1='j' polycoef='0.1'/></equality><actuator><motor name='a' "
         "joint='j'/></actuator>",
         "", "<actuator><motor name='a' joint='j'/></actuator>"},
        {"<option><flag clampctrl='disable'/></option>",
         "<actuator><motor name='a' joint='j' ctrlrange='-1 1'/></actuator>", "",
         "<actuator><motor name='a' joint='j'/></actuator>"},
        /* A damper of a control; gains of the length and speed: -2 (1 - 2.5 q - 0.25 w). */
        {"", "<actuator><damper name='a' joint='j' kv='3' ctrlrange='0 1'/></actuator>", "",
         "<actuator><general name='a' joint='j' gainprm='0' biastype='affine' biasprm='0 0 "
         "-3'/></actuator>"},
        {"",
         "<actuator><general name='a' joint='j' ctrlrange='-4 1.5' gaintype='affine' "
         "gainprm='1 -2.5 -0.25' biastype='affine' biasprm='1 -2'/></actuator>",
         "",
         "<actuator><general name='a' joint='j' gainprm='0' biastype='affine' "
         "biasprm='2.5 -5.75 -0.375'/></actuator>"},
    };
    perp_robot_options options = defaults();
    const char *const control[] = {"a=2"};
    options.control = control;
    options.ncontrols = 1;
    char *one = with_arm(same[_i].before, same[_i].after, &options);
    char *other = with_arm(same[_i].plain_before, same[_i].plain_after, &options);
    ck_assert_str_eq(one, other);
    perp_robot_release(one, NULL);
    perp_robot_release(other, NULL);
}
END_TEST

/* By the name of the joint, where it has none and is the only one there. */
START_TEST(drives_without_names)
{
    static const char *const control[] = {"j=2"}, *const named[] = {"a=2"};
    perp_robot_options options = defaults();
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    options.control = control;
    options.ncontrols = 1;
    char *one = with_arm("", "<actuator><position joint='j' kp='7' kv='2'/></actuator>", &options);
    options.control = named;
    char *other =
        with_arm("", "<actuator><position name='a' joint='j' kp='7' kv='2'/></actuator>", &options);
    ck_assert_str_eq(one, other);
    perp_robot_release(one, NULL);
    perp_robot_release(other, NULL);
    options.control = control;
    static const char two[] =
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator>"
        "<motor joint='j'/><motor name='a' joint='j'/></actuator></mujoco>";
    ck_assert_int_eq(perp_robot_read_text(&text, two, strlen(two), &options, NULL, &error),
                     PERP_ERR_FORMAT);
    ck_assert_msg(strstr(error.text, "the first one is 'actuator-1'") != NULL, "%s", error.text);
}
END_TEST

/* Activations that stay 0. */
START_TEST(drives_that_sleep)
{
    static const char *const same[][2] = {
        {"<actuator><intvelocity name='a' joint='j' kp='7' kv='2' actrange='-1 1'/></actuator>",
         "<actuator><position name='a' joint='j' kp='7' kv='2'/></actuator>"},
        {"<actuator><cylinder name='a' joint='j' area='5' timeconst='2' bias='1 -3 "
         "-2'/></actuator>",
         "<actuator><general name='a' joint='j' biastype='affine' biasprm='1 -3 -2'/></actuator>"},
    };
    char *one = with_arm("", same[_i][0], NULL), *other = with_arm("", same[_i][1], NULL);
    ck_assert_str_eq(one, other);
    perp_robot_release(one, NULL);
    perp_robot_release(other, NULL);
}
END_TEST

/* Joints of a body act in the order of the model, whatever frames and replicas are around some; so
 * do the numbers of keyframes, which those of a body have before what hangs on it. */
START_TEST(joints_keep_their_order)
{
#define OF_B(joints)                                                                               \
    "<mujoco><worldbody><body name='b'>" joints "</body></worldbody><keyframe><key "               \
    "qpos='.1 .2 .3 .4'/></keyframe></mujoco>"
#define HAND "<body name='c' pos='0 0 1'><joint name='z'/><geom size='.1' pos='.2 0 0'/></body>"
    static const char *const same[][2] = {
        {OF_B("<frame pos='0 .5 0' euler='0 0 90'><joint name='i' axis='1 0 0' pos='-.5 0 0'/>"
              "</frame><joint name='j' axis='0 0 1'/><geom size='.1' pos='.3 0 0'/>" HAND
              "<frame><frame euler='0 90 0'><joint name='k' axis='0 0 1'/></frame></frame>"),
         OF_B("<joint name='i' axis='0 1 0'/><joint name='j' axis='0 0 1'/><joint name='k' "
              "axis='1 0 0'/><geom size='.1' pos='.3 0 0'/>" HAND)},
        {OF_B("<replicate count='2' offset='0 0 1'><joint name='i' axis='1 0 0'/></replicate>"
              "<geom size='.1' pos='.3 0 0'/>" HAND "<joint name='j' axis='0 0 1'/>"),
         OF_B("<joint name='i0' axis='1 0 0'/><joint name='i1' axis='1 0 0' pos='0 0 1'/><joint "
              "name='j' axis='0 0 1'/><geom size='.1' pos='.3 0 0'/>" HAND)},
    };
    static const char *const bodies[][3] = {{"b", "c", "b-j"}, {"b", "c", "b-i1"}};
    perp_robot_options options = defaults();
    options.keyframe = "0";
    char *one = convert(same[_i][0], &options), *other = convert(same[_i][1], &options);
    for (int k = 0; k < 3; k++) {
        double x[3], y[3];
        numbers_of(x, 3, one, bodies[_i][k], "position");
        numbers_of(y, 3, other, bodies[_i][k], "position");
        for (int i = 0; i < 3; i++)
            close_to(x[i], y[i], 1.0);
    }
    perp_robot_release(one, NULL);
    perp_robot_release(other, NULL);
}
END_TEST

START_TEST(defaults_that_are_not_done)
{
    refused("<mujoco><default>\n<joint wrong='1 1'/></default><worldbody><body><joint/>"
            "<geom size='1'/></body></worldbody></mujoco>",
            PERP_ERR_UNSUPPORTED, "wrong", 2);
    refused("<mujoco><default><default class='x'>\n<geom adhesion='1'/></default></default>"
            "<worldbody><body><joint/><geom size='1' class='x'/></body></worldbody></mujoco>",
            PERP_ERR_UNSUPPORTED, "adhesion", 2);
    perp_robot_release(
        convert("<mujoco><worldbody><body><joint/><geom size='1' margin='1e-3'/></body>"
                "</worldbody></mujoco>",
                NULL),
        NULL);
    /* Once, however many elements have it; and not where nothing has it. */
    perp_robot_options options = defaults();
    told t = {0};
    options.tell = hear;
    options.tell_ctx = &t;
    options.ignore = "all";
    perp_robot_release(
        convert("<mujoco><default><joint wrong='1 1'/><default class='x'><geom "
                "adhesion='1'/></default></default><worldbody><body><joint/><joint axis='1 0 0'/>"
                "<geom size='1'/></body></worldbody></mujoco>",
                &options),
        NULL);
    ck_assert_int_eq(t.left_out, 1);
}
END_TEST

/* Of the inertia that the joint sees where the model has it, with armature and gear. */
START_TEST(a_damping_ratio_is_of_the_inertia)
{
    double damping, mass = 1000.0 * 4.0 / 3.0 * acos(-1.0) * 1e-3, kp = 5.0, gear = 2.0;
    double inertia = mass * (0.09 + 0.4 * 0.01) + 0.3;
    char *text = with_arm(
        "<default><joint armature='0.3'/></default>",
        "<actuator><position joint='j' kp='5' dampratio='0.5' gear='2'/></actuator>", NULL);
    numbers_of(&damping, 1, text, "j-rotor", "C");
    ck_assert_double_eq_tol(damping, gear * gear * sqrt(kp * inertia / (gear * gear)), 1e-12);
    perp_robot_release(text, NULL);
    /* Of a tendon the inertias over the squares of its coefficients. */
    text = with_arm("<default><joint armature='0.3'/></default>",
                    "<tendon><fixed name='t'><joint joint='j' coef='3'/></fixed></tendon><actuator>"
                    "<position tendon='t' kp='5' dampratio='1'/></actuator>",
                    NULL);
    numbers_of(&damping, 1, text, "t-rotor", "C");
    ck_assert_double_eq_tol(damping, 2.0 * sqrt(kp * inertia / 9.0), 1e-12);
    perp_robot_release(text, NULL);
}
END_TEST

/* A keyframe turns it; half a turn is no limit. */
START_TEST(balls_have_limits)
{
    perp_robot_options options = defaults();
    double turned[3];
    options.keyframe = "0";
    char *text = convert("<mujoco><worldbody><body><joint name='j' type='ball' range='0 60'/><geom "
                         "size='0.1' pos='1 0 0'/></body></worldbody><keyframe><key "
                         "qpos='0.5 0 0.8660254037844386 0'/></keyframe></mujoco>",
                         &options);
    ck_assert_ptr_nonnull(strstr(text, "\"limits\": [0, 1.047197551196597"));
    numbers_of(turned, 3, text, "j", "turned");
    ck_assert_double_eq_tol(turned[1], 2.0 * acos(0.5), 1e-12);
    perp_robot_release(text, NULL);
    text = convert("<mujoco><worldbody><body><joint name='j' type='ball' range='0 180'/><geom "
                   "size='0.1' pos='1 0 0'/></body></worldbody></mujoco>",
                   NULL);
    ck_assert_ptr_null(strstr(text, "limits"));
    perp_robot_release(text, NULL);
    refused(
        "<mujoco><worldbody><body>\n<joint type='ball' range='-60 60'/><geom size='0.1'/></body>"
        "</worldbody></mujoco>",
        PERP_ERR_FORMAT, "begins with 0", 2);
}
END_TEST

START_TEST(margins_are_remarked)
{
    perp_robot_options options = defaults();
    told t = {0};
    options.tell = hear;
    options.tell_ctx = &t;
    perp_robot_release(with_arm("<default><geom margin='0.002'/></default>", "", &options), NULL);
    ck_assert_int_eq(t.notes, 1);
    ck_assert_ptr_nonnull(strstr(t.last, "margin and gap"));
    t = (told){0};
    perp_robot_release(with_arm("<default><geom margin='0.0'/></default>", "", &options), NULL);
    ck_assert_int_eq(t.notes, 0);
}
END_TEST

START_TEST(a_keyframe_places_what_a_program_moves)
{
    perp_robot_options options = defaults();
    double place[3];
    options.keyframe = "0";
    char *text =
        convert("<mujoco><worldbody><body mocap='true' pos='1 1 1'><geom name='m' "
                "size='0.1'/></body><body pos='0 0 5'><freejoint/><geom size='0.1'/></body>"
                "</worldbody><keyframe><key mpos='2 3 4'/></keyframe></mujoco>",
                &options);
    numbers_of(place, 3, text, "m", "position");
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(place[i], 2.0 + i);
    perp_robot_release(text, NULL);
}
END_TEST

#define FIELD(hfield, around)                                                                      \
    "<mujoco><asset>\n" hfield "</asset><worldbody>" around                                        \
    "<body name='b' pos='0 0 5'><freejoint/>"                                                      \
    "<geom size='0.1'/></body></worldbody></mujoco>"
#define ON_WORLD "<geom name='g' type='hfield' hfield='h'/>"

/* Stretched to its height, the first row of the text last. */
static void check_heights(const char *text)
{
    double spacing[2];
    numbers_of(spacing, 2, text, "g", "spacing");
    ck_assert_double_eq(spacing[0], 2.0);
    ck_assert_double_eq(spacing[1], 2.0);
    ck_assert_ptr_nonnull(strstr(text, "[[0, 0.5, 1],\n        [2, 1, 0]]"));
}

START_TEST(heights_over_a_grid)
{
    char folder[] = "/tmp/perp-robot-XXXXXX", path[80], file[80];
    const int places[2] = {2, 3};
    const float heights[6] = {1.0f, 1.5f, 2.0f, 3.0f, 2.0f, 1.0f};
    perp_scene_error error = {.size = sizeof error};
    char *text = convert(FIELD("<hfield name='h' nrow='2' ncol='3' size='2 1 2 0.1' "
                               "elevation='4 2 0 0 1 2'/>",
                               ON_WORLD),
                         NULL);
    check_heights(text);
    perp_robot_release(text, NULL);
    refused(FIELD("<hfield name='h' nrow='2' ncol='3' size='2 1 2 0.1' elevation='4 2 0 0 1'/>",
                  ON_WORLD),
            PERP_ERR_FORMAT, "6 numbers", 2);
    refused(FIELD("<hfield name='h' nrow='1' ncol='3' size='2 1 2 0.1'/>", ON_WORLD),
            PERP_ERR_FORMAT, "at least 2", 2);
    refused(FIELD("<hfield name='h' nrow='2' ncol='2' size='2 1 2 0.1'/>",
                  "\n<body><joint/><geom size='1'/>" ON_WORLD "</body>"),
            PERP_ERR_FORMAT, "does not move", 3);
    /* A file of numbers, and one that begins as a picture. */
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.xml", folder);
    snprintf(file, sizeof file, "%s/h.bin", folder);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(FIELD("<hfield name='h' file='h.bin' size='2 1 2 0.1'/>", ON_WORLD), f);
    fclose(f);
    for (int picture = 0; picture < 2; picture++) {
        f = fopen(file, "w");
        ck_assert_ptr_nonnull(f);
        fwrite(picture ? (const void *)"\x89PNG" : (const void *)places, 1, picture ? 4 : 8, f);
        fwrite(heights, sizeof(float), 6, f);
        fclose(f);
        perp_status status = perp_robot_read(&text, path, NULL, NULL, &error);
        ck_assert_int_eq(status, picture ? PERP_ERR_FORMAT : PERP_SOLVED);
        if (!picture)
            check_heights(text);
        perp_robot_release(text, NULL);
    }
    ck_assert_ptr_nonnull(strstr(error.text, "PNG"));
    ck_assert_int_eq(error.line, 2);
    unlink(file);
    unlink(path);
    rmdir(folder);
}
END_TEST

/* A cube without the corner that a tetrahedron takes off, by its faces, not by its hull. */
START_TEST(a_surface_weighs_what_it_holds)
{
    char *text =
        convert("<mujoco><asset><mesh name='m' inertia='exact' vertex='0 0 0 1 0 0 0 1 0 0 0 1 "
                "0.1 0.1 0.1' face='0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4'/></asset><worldbody><body "
                "name='b'><freejoint/><geom type='mesh' mesh='m' "
                "density='600'/></body></worldbody></mujoco>",
                NULL);
    double mass;
    numbers_of(&mass, 1, text, "b", "mass");
    /* The tetrahedron of 1/6 less the one on its slanted face: det of the edges at (0.1, 0.1, 0.1).
     */
    ck_assert_double_eq_tol(mass, 600.0 / 6.0 * (1.0 - 0.7), 1e-10);
    perp_robot_release(text, NULL);
    refused(
        "<mujoco><asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/></asset>"
        "</mujoco>",
        PERP_ERR_FORMAT, "no number of a vertex", 2);
}
END_TEST

#ifdef HAVE_JANSSON
/* A slider half a millimetre in the table that it slides on; a body on a hinge may come out, and
 * one on a slide as far as its range lets it. */
START_TEST(parts_that_no_joint_can_part)
{
    static const struct {
        const char *joint;
        int held;
    } joints[] = {{"<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>", 1},
                  {"<joint type='slide' axis='1 0 1'/>", 0},
                  {"<joint pos='-0.3 0 0' axis='0 1 0'/>", 0},
                  {"<joint type='slide' axis='0 0 1' range='0 0.001'/>", 0},
                  {"<joint type='slide' axis='0 0 1' range='-1 0.0004'/>", 1},
                  {"<joint type='slide' axis='0 0 -1' range='0 1'/>", 1},
                  {"<joint type='slide' axis='0 0 -1' range='-0.001 1'/>", 0},
                  {"<joint type='slide' axis='0 0 1' range='-1 0.0004'/><joint type='slide' "
                   "axis='0 3 4' range='0 0.0002'/>",
                   0}};
    perp_robot_options options = defaults();
    char model[800];
    told t = {0};
    options.tell = hear;
    options.tell_ctx = &t;
    snprintf(model, sizeof model,
             "<mujoco><worldbody><geom name='table' type='plane' size='1 1 1'/><body name='b' "
             "pos='0 0 0.0995'>%s<geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>",
             joints[_i].joint);
    char *text = convert(model, &options);
    ck_assert_int_eq(strstr(text, "[\"b\", \"table\"]") != NULL, joints[_i].held);
    ck_assert_int_eq(strstr(t.last, "no joint can part them") != NULL, joints[_i].held);
    perp_robot_release(text, NULL);
}
END_TEST

/* Fingers of a gripper that is closed, which stand in each other and open, or would have to close
 * further. */
START_TEST(fingers_that_stand_in_each_other)
{
    static const struct {
        const char *joint, *range;
        int held;
    } cases[] = {{"type='slide' axis='%s1 0 0'", "0 0.04", 0},
                 {"type='slide' axis='%s1 0 0'", "-0.04 0", 1},
                 {"type='slide' axis='%s1 0 0'", "-0.04 0.004", 1},
                 {"type='slide' axis='%s1 0 0'", "-0.04 0.006", 0},
                 {"axis='0 %s1 0' pos='0 0 -.1'", "0 1", 0},
                 {"axis='0 %s1 0' pos='0 0 -.1'", "-1 0", 1},
                 {"axis='0 %s1 0' pos='0 0 -.1'", "-1 0.5", 0}};
    perp_robot_options options = defaults();
    char model[1000], joint[2][80];
    for (int swap = 0; swap < 2; swap++) {
        told t = {0};
        options.tell = hear;
        options.tell_ctx = &t;
        for (int k = 0; k < 2; k++)
            snprintf(joint[k], sizeof joint[k], cases[_i].joint, k == swap ? "-" : "");
        snprintf(model, sizeof model,
                 "<mujoco><compiler angle='radian'/><default><geom type='box' size='0.01 0.02 "
                 "0.05'/></default><worldbody><body name='l' pos='%s0.005 0 0'><joint %s "
                 "range='%s'/><geom/></body><body name='r' pos='%s0.005 0 0'><joint %s "
                 "range='%s'/><geom/></body></worldbody></mujoco>",
                 swap ? "" : "-", joint[0], cases[_i].range, swap ? "-" : "", joint[1],
                 cases[_i].range);
        char *text = convert(model, &options);
        ck_assert_int_eq(strstr(text, "[\"l\", \"r\"]") != NULL ||
                             strstr(text, "[\"r\", \"l\"]") != NULL,
                         cases[_i].held);
        perp_robot_release(text, NULL);
    }
}
END_TEST
#endif
#endif

int main(void)
{
#ifndef HAVE_LIBXML2
    return 77;
#else
    Suite *suite = suite_create("attributes of robots");
    TCase *tests = tcase_create("attributes of robots");
    tcase_add_loop_test(tests, the_same_in_other_words, 0, 7);
    tcase_add_test(tests, drives_without_names);
    tcase_add_loop_test(tests, drives_that_sleep, 0, 2);
    tcase_add_test(tests, defaults_that_are_not_done);
    tcase_add_loop_test(tests, joints_keep_their_order, 0, 2);
    tcase_add_test(tests, a_damping_ratio_is_of_the_inertia);
    tcase_add_test(tests, balls_have_limits);
    tcase_add_test(tests, heights_over_a_grid);
    tcase_add_test(tests, margins_are_remarked);
    tcase_add_test(tests, a_keyframe_places_what_a_program_moves);
    tcase_add_test(tests, a_surface_weighs_what_it_holds);
#ifdef HAVE_JANSSON
    tcase_add_loop_test(tests, parts_that_no_joint_can_part, 0, 8);
    tcase_add_loop_test(tests, fingers_that_stand_in_each_other, 0, 7);
#endif
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
#endif
}
