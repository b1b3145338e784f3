/* SPDX-License-Identifier: BSD-3-Clause */
/* MJCF models that are refused: each in words, with the line of the element; and what is not done,
 * which is refused unless it may be left out. */
#include "config.h"

#include "tests/scene/robot_text.h"

#define BODY "<body name='b'><freejoint/><geom name='g' size='1'/></body>\n"
#define HINGE "<body name='b'><joint name='j'/><geom name='g' size='1'/></body>\n"
#define WORLD(inside) "<mujoco><worldbody>" HINGE inside "</worldbody></mujoco>"
#define MODEL(inside) "<mujoco><worldbody>" HINGE "</worldbody>" inside "</mujoco>"
#define GEOM(attributes) WORLD("<geom " attributes "/>")
#define JOINT(attributes) WORLD("<body><geom size='1'/>\n<joint " attributes "/></body>")

typedef struct wrong {
    const char *model, *words;
    int line;
} wrong;

static void refuse(const wrong *w, perp_status status)
{
    refused(w->model, status, w->words, w->line);
}

START_TEST(settings)
{
    static const wrong all[] = {
        {MODEL("<compiler angle='grad'/>"), "angle: degree or radian", 2},
        {MODEL("<compiler coordinate='world'/>"), "coordinate: local or global", 2},
        {MODEL("<compiler eulerseq='xy'/>"), "eulerseq: three of", 2},
        {MODEL("<compiler eulerseq='abc'/>"), "eulerseq: three of", 2},
        {MODEL("<compiler inertiagrouprange='1'/>"), "inertiagrouprange: 2 numbers", 2},
        {MODEL("<compiler autolimits='yes'/>"), "autolimits: 'yes' is not known", 2},
        {MODEL("<compiler boundmass='a'/>"), "boundmass", 2},
        {MODEL("<compiler boundinertia='1 2'/>"), "boundinertia", 2},
        {MODEL("<compiler settotalmass=''/>"), "settotalmass: 1 numbers are expected, 0 given", 2},
        {MODEL("<option timestep='0'/>"), "timestep: not positive", 2},
        {MODEL("<option gravity='0 1'/>"), "gravity: 3 numbers", 2},
        {MODEL("<option>\n<flag gravity='off'/></option>"), "gravity: enable or disable", 3},
        {MODEL("<option collision='some'/>"), "collision: all, predefined or dynamic", 2},
        {MODEL("<option actuatorgroupdisable='31'/>"), "whole numbers from 0 to 30", 2},
        {MODEL("<option actuatorgroupdisable='0.5'/>"), "whole numbers from 0 to 30", 2},
        {MODEL("<actuator>\n<motor site='s'/></actuator>"), "it moves nothing that is there", 3},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        refuse(&all[k], PERP_ERR_FORMAT);
}
END_TEST

START_TEST(classes)
{
    static const wrong all[] = {
        {MODEL("<default>\n<default/></default>"), "a class inside another one has no name", 3},
        {MODEL("<default>\n<default class='a'/>\n<default class='a'/></default>"),
         "the class 'a' is there twice", 4},
        {MODEL("<default><default class='main'/></default>"), "the class 'main' is there twice", 2},
        {GEOM("class='c' size='1'"), "there is no class 'c'", 2},
        {JOINT("class='c'"), "there is no class 'c'", 3},
        {WORLD("<site class='c'/>"), "there is no class 'c'", 2},
        {WORLD("<body childclass='c'/>"), "there is no class 'c'", 2},
        {WORLD("<frame childclass='c'/>"), "there is no class 'c'", 2},
        {MODEL("<actuator>\n<motor class='c' joint='j'/></actuator>"), "there is no class 'c'", 3},
        {MODEL("<equality>\n<joint class='c' joint1='j'/></equality>"), "there is no class 'c'", 3},
        {MODEL("<contact>\n<pair class='c' geom1='g' geom2='g'/></contact>"),
         "there is no class 'c'", 3},
        {MODEL("<asset>\n<mesh class='c' name='m' vertex='0 0 0'/></asset>"),
         "there is no class 'c'", 3},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        refuse(&all[k], PERP_ERR_FORMAT);
}
END_TEST

START_TEST(bodies)
{
    static const wrong all[] = {
        {WORLD("<joint/>"), "the world has no joint", 2},
        {WORLD("<inertial mass='1'/>"), "the world has none", 2},
        {WORLD("<body name='b'/>"), "the name is there twice", 2},
        {WORLD("<body name='c'><joint name='j'/><geom size='1'/></body>"),
         "the name is there twice", 2},
        {WORLD("<geom name='g' size='1'/>"), "the name is there twice", 2},
        {WORLD("<body pos='1 2'/>"), "pos: 3 numbers are expected, 2 given", 2},
        {WORLD("<body mocap='1'/>"), "mocap: '1' is not known", 2},
        {WORLD("<body><body mocap='true'/></body>"), "mocap: of bodies in the world alone", 2},
        {WORLD("<body mocap='true'>\n<joint/></body>"), "a mocap body has no joint", 3},
        {WORLD("<body quat='0 0 0 0'/>"), "quat: no direction", 2},
        {WORLD("<body axisangle='0 0 0 1'/>"), "axisangle: no direction", 2},
        {WORLD("<body xyaxes='1 0 0 2 0 0'/>"), "xyaxes: no direction", 2},
        {WORLD("<body zaxis='0 0 0'/>"), "zaxis: no direction", 2},
        {WORLD("<body quat='1 0 0 0' euler='0 0 0'/>"), "quat and euler are both given", 2},
        {WORLD("<body euler='0 0'/>"), "euler: 3 numbers", 2},
        {WORLD("<body><inertial mass='-1'/></body>"), "mass: a number of 0 or more", 2},
        {WORLD("<body><inertial diaginertia='1 1 1'/></body>"), "mass: a number of 0 or more", 2},
        {WORLD("<body><inertial mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/></body>"),
         "diaginertia and fullinertia are both given", 2},
        {WORLD("<body><joint/><inertial mass='1' diaginertia='1 1 0'/></body>"),
         "moves, and its inertia is not positive", 2},
        {WORLD("<replicate count='0'/>"), "count: a whole number from 1 to 1000000", 2},
        {WORLD("<replicate count='1.5'/>"), "count: a whole number from 1 to 1000000", 2},
        {WORLD("<replicate/>"), "count: a whole number from 1 to 1000000", 2},
        {WORLD("<site fromto='1 2'/>"), "fromto: 6 numbers", 2},
        {"<mujoco><worldbody><body><joint name='s' type='slide'/><geom size='1'/><body><joint "
         "name='b' type='ball'/><geom size='1'/></body></body></worldbody><equality>\n<joint "
         "joint1='s' joint2='b'/></equality></mujoco>",
         "no coordinate of its own", 2},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        refuse(&all[k], PERP_ERR_FORMAT);
}
END_TEST

START_TEST(shapes)
{
    static const wrong all[] = {
        {GEOM("type='cone' size='1'"), "type: 'cone' is not known", 2},
        {GEOM("size='0'"), "size: every entry is to be positive", 2},
        {GEOM("type='box' size='1 2'"), "size: 3 numbers are expected, 2 given", 2},
        {GEOM("type='box' size='1 2 3 4'"), "size", 2},
        {GEOM("type='capsule' size='1' fromto='0 0 0 0 0 0'"), "fromto: both ends are one", 2},
        {GEOM("type='sphere' size='1' fromto='0 0 0 0 0 1'"), "fromto: of capsules", 2},
        {GEOM("type='capsule' fromto='0 0 0 0 0 1'"), "size: 2 numbers are expected, 0 given", 2},
        {GEOM("type='mesh' mesh='m'"), "there is no mesh 'm'", 2},
        {GEOM("type='mesh'"), "there is no mesh ''", 2},
        {GEOM("type='hfield' hfield='h'"), "there is no hfield 'h'", 2},
        {GEOM("size='1' contype='0.5'"), "contype: a whole number", 2},
        {GEOM("size='1' priority='3e9'"), "priority: a whole number", 2},
        {GEOM("size='1' friction='-1'"), "friction: less than 0", 2},
        {GEOM("size='1' condim='2'"), "condim: 1, 3, 4 or 6", 2},
        {GEOM("size='1' mass='-1'"), "a mass or density is less than 0", 2},
        {GEOM("size='1' density='-1'"), "a mass or density is less than 0", 2},
        {GEOM("size='1' mass='1 2'"), "mass", 2},
        {GEOM("size='1e200'"), "its mass is no number", 2},
        {MODEL("<asset>\n<mesh name='m' vertex='0 0 0 1'/></asset>"), "vertex: three numbers", 3},
        {MODEL("<asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/></asset>"),
         "face: 4 is no number of a vertex", 3},
        {MODEL("<asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1'/></asset>"),
         "face: three numbers of each triangle", 3},
        {MODEL("<asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1'/></asset>"),
         "scale: 3 numbers", 3},
        {MODEL("<asset>\n<hfield name='h' size='1 1 1 0' nrow='2' ncol='2'/></asset>"),
         "size: four positive numbers", 3},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        refuse(&all[k], PERP_ERR_FORMAT);
}
END_TEST

START_TEST(joints)
{
    static const wrong all[] = {
        {JOINT("type='odd'"), "type: 'odd' is not known", 3},
        {JOINT("axis='0 0 0'"), "axis: no direction", 3},
        {JOINT("axis='0 0'"), "axis: 3 numbers", 3},
        {JOINT("range='1 0'"), "range: a lower limit less than an upper one", 3},
        {JOINT("limited='true'"), "range: a lower limit less than an upper one", 3},
        {JOINT("limited='perhaps'"), "limited: 'perhaps' is not known", 3},
        {JOINT("type='ball' range='10 20'"), "range: that of a ball joint begins with 0", 3},
        {JOINT("actuatorfrcrange='1 2'"), "actuatorfrcrange: it does not contain 0", 3},
        {JOINT("damping='-1'"), "damping: less than 0", 3},
        {JOINT("stiffness='-1'"), "stiffness: less than 0", 3},
        {JOINT("damping='a'"), "damping", 3},
        {JOINT("springref='1 2'"), "springref", 3},
        {JOINT("ref='1 2'"), "ref", 3},
        {WORLD("<body><geom size='1'/><freejoint/>\n<joint/></body>"),
         "beside a free joint there is no other one", 3},
        {WORLD("<body><geom size='1'/><joint/>\n<freejoint/></body>"),
         "a free joint is the only one of a body in the world", 3},
        {WORLD("<body><body>\n<freejoint/></body></body>"),
         "a free joint is the only one of a body in the world", 3},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        refuse(&all[k], PERP_ERR_FORMAT);
}
END_TEST

START_TEST(references)
{
    static const wrong all[] = {
        {MODEL("<contact>\n<exclude body1='b' body2='c'/></contact>"),
         "body2: there is no body 'c'", 3},
        {MODEL("<contact>\n<pair geom1='g' geom2='h'/></contact>"), "there is no geom 'h'", 3},
        {MODEL("<contact>\n<pair geom1='g'/></contact>"), "there is no geom ''", 3},
        {MODEL("<contact>\n<pair geom1='g' geom2='g' condim='1 2'/></contact>"), "condim", 3},
        {MODEL("<contact>\n<pair geom1='g' geom2='g' condim='1e301'/></contact>"),
         "condim: 1, 3, 4 or 6", 3},
        {MODEL("<contact>\n<pair geom1='g' geom2='g' condim='2.5'/></contact>"),
         "condim: 1, 3, 4 or 6", 3},
        {MODEL("<contact>\n<pair geom1='g' geom2='g' friction='1 1 0 -1'/></contact>"),
         "less than 0", 3},
        {MODEL("<equality>\n<connect body1='c' anchor='0 0 0'/></equality>"),
         "body1: there is no body 'c'", 3},
        {MODEL("<equality>\n<connect site1='s' site2='t'/></equality>"), "there is no site 's'", 3},
        {MODEL("<equality>\n<weld body1='b' anchor='0 0'/></equality>"), "anchor: 3 numbers", 3},
        {MODEL("<equality>\n<joint joint1='k'/></equality>"), "there is no joint 'k'", 3},
        {MODEL("<equality>\n<joint/></equality>"), "there is no joint ''", 3},
        {MODEL("<equality>\n<joint joint1='j' joint2='k'/></equality>"), "there is no joint 'k'",
         3},
        {MODEL("<equality>\n<joint joint1='j' active='maybe'/></equality>"),
         "active: 'maybe' is not known", 3},
        {MODEL("<equality>\n<joint joint1='j' polycoef='0 a'/></equality>"), "polycoef", 3},
        {MODEL("<equality>\n<tendon tendon1='t'/></equality>"), "there is no tendon 't'", 3},
        {MODEL("<tendon><fixed name='t'>\n<joint joint='k' coef='1'/></fixed></tendon>"),
         "there is no joint 'k'", 3},
        {MODEL("<tendon>\n<fixed name='t' stiffness='-1'><joint joint='j' coef='1'/></fixed>"
               "</tendon>"),
         "stiffness: less than 0", 3},
        {MODEL("<tendon><spatial name='t' stiffness='1'>\n<site site='s'/><site site='t'/>"
               "</spatial></tendon>"),
         "there is no site 's'", 3},
        {MODEL("<actuator>\n<motor joint='k'/></actuator>"), "there is no joint 'k'", 3},
        {MODEL("<actuator>\n<motor/></actuator>"), "it moves nothing that is there", 3},
        {MODEL("<actuator>\n<motor joint='j' ctrlrange='2 1'/></actuator>"),
         "ctrlrange: two rising numbers", 3},
        {MODEL("<actuator>\n<motor joint='j' forcelimited='true'/></actuator>"),
         "forcerange: two rising numbers", 3},
        {MODEL("<actuator>\n<position joint='j' kv='1' dampratio='1'/></actuator>"),
         "kv and dampratio are both given", 3},
        {MODEL("<actuator>\n<position joint='j' kp='a'/></actuator>"), "kp", 3},
        {MODEL("<actuator>\n<general joint='j' gainprm='a'/></actuator>"), "gainprm", 3},
        {MODEL("<actuator>\n<motor joint='j' group='a'/></actuator>"), "group", 3},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        refuse(&all[k], PERP_ERR_FORMAT);
}
END_TEST

/* Refused unless it may be left out, and then a scene with a word about it. */
START_TEST(not_done)
{
    static const wrong all[] = {
        {MODEL("<option>\n<key/></option>"), "this element", 3},
        {MODEL("<option>\n<flag override='enable'/></option>"), "override", 3},
        {MODEL("<asset>\n<odd/></asset>"), "this element", 3},
        {MODEL("<asset>\n<a/></asset>"), "this element", 3},
        {MODEL("<asset>\n<mode/></asset>"), "this element", 3},
        {MODEL("<asset>\n<texturemap/></asset>"), "this element", 3},
        {MODEL("<odd/>"), "this element", 2},
        {GEOM("type='sdf' size='1'"), "the type sdf", 2},
        {"<mujoco><worldbody><body><joint/><geom size='1' pos='1 0 0'>\n<plugin plugin='x'/></geom>"
         "</body></worldbody></mujoco>",
         "this element", 2},
        {GEOM("type='ellipsoid' size='1 2 3' shellinertia='true'"), "shellinertia of an ellipsoid",
         2},
        {JOINT("damping='1 -2'"), "damping with a coefficient less than 0", 3},
        {MODEL("<contact>\n<odd/></contact>"), "this element", 3},
        {MODEL("<contact>\n<pair geom1='g' geom2='g' friction='1 2'/></contact>"),
         "friction that depends on the direction", 3},
        {MODEL("<equality>\n<flex/></equality>"), "this equality", 3},
        {MODEL("<equality>\n<weld body1='b' relpose='7 0 0 1 0 0 0'/></equality>"),
         "relpose: the bodies do not start in it", 3},
        {MODEL("<tendon>\n<odd/></tendon>"), "this tendon", 3},
        {MODEL("<tendon>\n<fixed stiffness='1 2' springlength='0 1'><joint joint='j' coef='1'/>"
               "</fixed></tendon>"),
         "stiffness that is no line, of a tendon with slack", 3},
        {MODEL("<actuator>\n<dcmotor joint='j'/></actuator>"), "this actuator", 3},
        {MODEL("<actuator>\n<muscle joint='j'/></actuator>"), "lengthrange", 3},
        {MODEL("<actuator>\n<general joint='j' gaintype='muscle'/></actuator>"), "lengthrange", 3},
        {MODEL("<actuator>\n<general joint='j' biastype='muscle'/></actuator>"),
         "by its gain or its bias alone", 3},
        {MODEL("<actuator>\n<general joint='j' gaintype='user'/></actuator>"),
         "a gain or bias of this kind", 3},
        {MODEL("<actuator>\n<general joint='j' biastype='affine' biasprm='0 1'/></actuator>"),
         "an actuator whose spring or damper is negative", 3},
        {MODEL("<actuator>\n<position joint='j' inheritrange='1'/></actuator>"),
         "inheritrange of what has no range", 3},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        perp_robot_options options = defaults();
        told t = {0};
        refuse(&all[k], PERP_ERR_UNSUPPORTED);
        options.ignore = "all";
        options.tell = hear;
        options.tell_ctx = &t;
        perp_robot_release(convert(all[k].model, &options), NULL);
        ck_assert_msg(t.left_out >= 1 && t.missing == 0, "%s", all[k].words);
    }
}
END_TEST

/* These were not done once: now without a word. */
START_TEST(done)
{
    static const char *const all[] = {
        JOINT("type='ball' frictionloss='1'"),
        MODEL("<tendon>\n<fixed frictionloss='1'><joint joint='j' coef='1'/></fixed></tendon>"),
        MODEL("<actuator><position joint='j'/>\n<position joint='j'/></actuator>"),
        MODEL("<actuator>\n<velocity joint='j' forcerange='-1 1'/></actuator>"),
        MODEL("<actuator>\n<position joint='j' forcerange='-1 2'/></actuator>"),
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        perp_robot_options options = defaults();
        told t = {0};
        options.tell = hear;
        options.tell_ctx = &t;
        perp_robot_release(convert(all[k], &options), NULL);
        ck_assert_msg(t.left_out == 0 && t.missing == 0, "%s: %s", all[k], t.last);
    }
    refused(MODEL("<actuator>\n<motor site='s'/></actuator>"), PERP_ERR_FORMAT,
            "it moves nothing that is there", 3);
}
END_TEST

START_TEST(starts)
{
    static const char model[] =
        "<mujoco><worldbody>" HINGE "<body mocap='true'/>" BODY "</worldbody><actuator>"
        "<motor name='a' joint='j'/></actuator><keyframe>\n<key name='short' qpos='1'/>\n"
        "<key qpos='0 0 0 0 0 0 0 0'/>\n<key ctrl='1 2'/>\n<key mquat='0 0 0 0'/>\n"
        "<key mpos='1'/></keyframe></mujoco>";
    static const struct {
        const char *key, *control, *words;
        int line;
    } all[] = {
        {"short", NULL, "qpos: 8 numbers are expected, 1 given", 4},
        {"0", NULL, "qpos: 8 numbers are expected, 1 given", 4},
        {"1", NULL, "qpos: a quaternion of 0", 5},
        {"2", NULL, "ctrl: ", 6},
        {"3", NULL, "mquat: a quaternion of 0", 7},
        {"4", NULL, "mpos: 3 numbers are expected, 1 given", 8},
        {"5", NULL, "there is no keyframe '5'", 0},
        {"none", NULL, "there is no keyframe 'none'", 0},
        {NULL, "b=1", "there is no actuator 'b'", 0},
        {NULL, "a", "'a' is not NAME=VALUE", 0},
        {NULL, "a=x", "'x' is no number", 0},
    };
    char *named = strdup(model);
    /* The second body of the name is another one. */
    char *second = strstr(strstr(named, "name='b'") + 1, "name='b'");
    memcpy(second, "name='c'", 8);
    memcpy(strstr(second, "name='g'"), "name='h'", 8);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        perp_robot_options options = defaults();
        perp_scene_error error = {.size = sizeof error};
        char *text;
        options.keyframe = all[k].key;
        options.control = &all[k].control;
        options.ncontrols = all[k].control != NULL;
        ck_assert_int_eq(perp_robot_read_text(&text, named, strlen(named), &options, NULL, &error),
                         PERP_ERR_FORMAT);
        ck_assert_msg(strstr(error.text, all[k].words) != NULL, "%s", error.text);
        ck_assert_msg(error.line == all[k].line, "%d: %s", error.line, error.text);
    }
    free(named);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("robot refusals of MJCF");
    TCase *tcase = tcase_create("robot refusals of MJCF");
    tcase_add_test(tcase, settings);
    tcase_add_test(tcase, classes);
    tcase_add_test(tcase, bodies);
    tcase_add_test(tcase, shapes);
    tcase_add_test(tcase, joints);
    tcase_add_test(tcase, references);
    tcase_add_test(tcase, not_done);
    tcase_add_test(tcase, done);
    tcase_add_test(tcase, starts);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
