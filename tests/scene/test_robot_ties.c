/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of MJCF that are tied to each other, in motion; the floor under a model; and models beside
 * others that say the same in other words. */
#define _POSIX_C_SOURCE 200809L
#include "config.h"

#include <unistd.h>

#include <perp/rotation.h>

#include "tests/scene/robot_text.h"

#define PAIR(ties)                                                                                 \
    "<mujoco><worldbody><site name='w' pos='0.5 0 1'/>"                                            \
    "<body name='b' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3' contype='0'/>"     \
    "<site name='s' pos='0.5 0 0'/></body>"                                                        \
    "<body name='c' pos='1 0 1'><freejoint/><geom type='box' size='0.3 0.1 0.2' contype='0'/>"     \
    "<site name='t' fromto='-0.6 0 0 -0.4 0 0'/></body></worldbody>"                               \
    "<equality>" ties "</equality><sensor><framepos objtype='body' objname='b'/>"                  \
    "<framequat objtype='xbody' objname='c'/><framepos objtype='site' objname='s'/></sensor>"      \
    "<keyframe><key qpos='0 0 1 1 0 0 0 1 0 1 2 0 0 0' qvel='0 0 0 1 2 3 0 0 0 0 0 "               \
    "0'/></keyframe>"                                                                              \
    "</mujoco>"

static char *of_pair(const char *model, told *t)
{
    perp_robot_options options = defaults();
    options.keyframe = "0";
    options.until = 0.3;
    options.step = 0.002;
    options.tell = hear;
    options.tell_ctx = t;
    return convert(model, &options);
}

#ifdef HAVE_JANSSON
/* The last places and quaternions of b and c. */
static void last_poses(double *b, double *c, const char *text)
{
    perp_scene *scene = scene_of(text, NULL);
    const double *row = scene_last_row(scene);
    memcpy(b, row + 2, 7 * sizeof *b);
    memcpy(c, row + 9, 7 * sizeof *c);
    perp_scene_destroy(scene);
}

/* How far a point of one body is from a point of the other. */
static double apart(const double *b, const double *in_b, const double *c, const double *in_c)
{
    double x[3], y[3], sum = 0.0;
    perp_quaternion_rotate(b + 3, in_b, x);
    perp_quaternion_rotate(c + 3, in_c, y);
    for (int i = 0; i < 3; i++)
        sum += (b[i] + x[i] - c[i] - y[i]) * (b[i] + x[i] - c[i] - y[i]);
    return sqrt(sum);
}

/* A finger of a hand: the tip starts beyond its range, in which the tie would have no solution. */
START_TEST(ties_without_a_way)
{
    static const char model[] =
        "<mujoco><compiler angle='radian'/><worldbody><body><joint name='x' axis='1 0 0' ref='1.1' "
        "range='0 1.51'/><geom type='capsule' fromto='0 0 0 0 .05 .1' size='.01'/>\n"
        "<body pos='0 .05 .1'><joint name='y' axis='-1 0 0' ref='-.5' range='0 2'/><geom "
        "type='capsule' fromto='0 0 0 0 .05 .05' size='.01'/></body></body></worldbody><tendon>"
        "<fixed name='t'><joint joint='x' coef='.4'/><joint joint='y' coef='-.4'/></fixed></tendon>"
        "<equality><tendon tendon1='t'/></equality></mujoco>";
    perp_robot_options options = defaults();
    told t = {0};
    options.until = 0.3;
    options.tell = hear;
    options.tell_ctx = &t;
    char *text = convert(model, &options);
    ck_assert_int_eq(t.notes, 1);
    ck_assert_msg(strstr(t.last, "'y': its limits and the tie") != NULL, "%s", t.last);
    ck_assert_double_eq_tol(last_value(text, 2) - last_value(text, 4), 1.6, 1e-9);
    ck_assert_double_ge(fabs(last_value(text, 2) - 1.1), 0.05);
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(ties_hold)
{
    static const double in_b[3][3] = {{0.5, 0, 0}, {0.5, 0.3, 0}, {0.5, 0, 0.3}},
                        in_c[3][3] = {{-0.5, 0, 0}, {-0.5, 0.3, 0}, {-0.5, 0, 0.3}};
    told t = {0};
    double b[7], c[7];
    char *text = of_pair(PAIR("<connect body1='b' body2='c' anchor='0.5 0 0'/>"), &t);
    ck_assert_int_eq(t.notes, 1); /* the sensor of a site */
    last_poses(b, c, text);
    ck_assert_double_lt(apart(b, in_b[0], c, in_c[0]), 1e-6);
    ck_assert_double_gt(apart(b, in_b[1], c, in_c[1]), 1e-2); /* it turns */
    perp_robot_release(text, NULL);
    text = of_pair(PAIR("<weld body1='b' body2='c'/>"), &t);
    last_poses(b, c, text);
    for (int k = 0; k < 3; k++)
        ck_assert_double_lt(apart(b, in_b[k], c, in_c[k]), 1e-6);
    ck_assert_double_gt(fabs(b[3] - 1.0), 1e-3); /* and both turn */
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(a_tie_to_the_world_holds)
{
    static const double here[3] = {0.5, 0, 0}, world[7] = {0.5, 0, 1, 1, 0, 0, 0}, origin[3] = {0};
    told t = {0};
    double b[7], c[7];
    char *text = of_pair(PAIR("<connect body1='b' anchor='0.5 0 0'/>"), &t);
    last_poses(b, c, text);
    ck_assert_double_lt(apart(b, here, world, origin), 1e-6);
    ck_assert_double_lt(c[2], 0.9); /* the other one falls */
    perp_robot_release(text, NULL);
}
END_TEST

/* Open by 0.1 to 0.5 where they start: joints begin where they are closed, as masses are moved by
 * what pulls them together. */
START_TEST(open_ties_are_closed)
{
    static const double in_b[3][3] = {{0.5, 0, 0}, {0.5, 0.3, 0}, {0.5, 0, 0.3}},
                        in_c[3][3] = {{-0.4, 0.1, 0.2}, {-0.4, 0.4, 0.2}, {-0.4, 0.1, 0.5}};
    static const char *const ties[] = {
        "<connect name='tie' body1='b' body2='c' anchor='0.5 0 0'/>",
        "<weld name='tie' body1='b' body2='c' relpose='0.9 -0.1 -0.2 1 0 0 0'/>",
        "<weld name='tie' site1='s' site2='t'/>"};
    for (int k = 0; k < 3; k++) {
        char model[2000];
        double b[7], c[7];
        told t = {0};
        snprintf(
            model, sizeof model,
            "<mujoco><option gravity='0 0 0'/><worldbody><body name='b' pos='0 0 1'><freejoint/>"
            "<geom type='box' size='0.1 0.2 0.3' contype='0'/><site name='s' pos='0.5 0 0'/></body>"
            "<body name='c' pos='%s' euler='%s'><freejoint/><geom type='box' size='0.3 0.1 0.2' "
            "contype='0'/>"
            "<site name='t' pos='-0.4 0.1 0.2'/></body></worldbody><equality>%s</equality><sensor>"
            "<framepos objtype='body' objname='b'/><framequat objtype='body' "
            "objname='c'/></sensor><keyframe>"
            "<key qpos='0 0 1 1 0 0 0 1.2 0.1 1.3 1 0.1 0.2 0.3'/></keyframe></mujoco>",
            k == 0 ? "0.9 -0.1 0.8" : "1 1 1", k == 0 ? "0 0 0" : "10 20 30", ties[k]);
        char *text = of_pair(model, &t);
        ck_assert_int_eq(t.notes, 1);
        ck_assert_msg(strstr(t.last, "open by ") != NULL &&
                          strstr(t.last, "begin where it is closed") != NULL,
                      "%s", t.last);
        last_poses(b, c, text);
        for (int i = 0; i < (k == 0 ? 1 : 3); i++)
            ck_assert_double_lt(apart(b, in_b[i], c, in_c[i]), 1e-9);
        /* The middle of both masses stays; they are as 0.048 and 0.048. */
        ck_assert_double_lt(fabs(b[0] + c[0] - 1.2), 1e-9);
        ck_assert_double_lt(fabs(b[2] + c[2] - 2.3), 1e-9);
        perp_robot_release(text, NULL);
    }
}
END_TEST

#define TWO(ties, key)                                                                             \
    "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><default><geom contype='0'/>"      \
    "</default><worldbody><body pos='0 0 1'><joint name='i' axis='0 1 0' range='-1 0.2'/><geom "   \
    "size='0.1' pos='0.3 0 0'/></body><body pos='0 1 1'><joint name='j' axis='0 1 0'/><geom "      \
    "size='0.1' pos='0.3 0 0' mass='8.37758040957278'/></body></worldbody><tendon><fixed "         \
    "name='t'><joint joint='i' coef='1'/><joint joint='j' coef='-1'/></fixed></tendon>"            \
    "<equality>" ties "</equality><sensor><jointpos joint='i'/><jointpos joint='j'/></sensor>"     \
    "<keyframe><key qpos='" key "'/></keyframe></mujoco>"

/* The second mass is twice the first one, and i ends at 0.2; nothing closes a distance of what
 * stands. */
START_TEST(open_couplings_are_closed)
{
    static const struct {
        const char *model;
        double i, j;
    } cases[] = {
        {TWO("<joint joint1='i' joint2='j'/>", "0 0.3"), 0.2, 0.2},
        {TWO("<joint joint1='i' joint2='j'/>", "0 0.15"), 0.1, 0.1},
        {TWO("<tendon tendon1='t'/>", "0 0.15"), 0.1, 0.1},
        {TWO("<joint joint1='i' joint2='j'/>", "0 0.6"), 0.2, 0.2},
        {TWO("<joint joint1='i' joint2='j' polycoef='0 0 1'/>", "0.01 0.1"), 0.01, 0.1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        told t = {0};
        char *text = of_pair(cases[k].model, &t);
        ck_assert_msg(t.notes == (k < 4), "%s", t.last);
        double i = last_value(text, 2), j = last_value(text, 4);
        ck_assert_msg(fabs(i - cases[k].i) < 1e-9 && fabs(j - cases[k].j) < 1e-9, "%zu: %g, %g", k,
                      i, j);
        perp_robot_release(text, NULL);
    }
}
END_TEST

START_TEST(what_cannot_be_closed_is_said)
{
    static const char model[] =
        "<mujoco><worldbody><body name='b' pos='0 0 1'><joint axis='0 1 0'/><geom size='0.1' "
        "pos='0.3 0 0'/></body>"
        "<body name='m' mocap='true' pos='0.3 0 1'/></worldbody><equality><connect body1='b' "
        "body2='m' "
        "anchor='0.3 0 0'/></equality><sensor><framepos objtype='body' objname='b'/></sensor>"
        "<keyframe><key mpos='0.8 0 1'/></keyframe></mujoco>";
    told t = {0};
    char *text = of_pair(model, &t);
    ck_assert_msg(strstr(t.last, "open by 0.5 where the model starts, and no joints close it") !=
                      NULL,
                  "%s", t.last);
    perp_robot_release(text, NULL);
}
END_TEST
#endif

/* By bodies and a place, by sites, from either side. */
START_TEST(ties_in_other_words)
{
    static const char *const same[][2] = {
        {PAIR("<connect body1='b' body2='c' anchor='0.5 0 0'/>"),
         PAIR("<connect site1='s' site2='t'/>")},
        {PAIR("<connect body1='b' anchor='0.5 0 0'/>"),
         PAIR("<connect body1='world' body2='b' anchor='0.5 0 1'/>")},
        {PAIR("<connect body1='b' anchor='0.5 0 0'/>"), PAIR("<connect site1='w' site2='s'/>")},
        {PAIR(""), PAIR("<connect body1='b' body2='b' anchor='0 0 0'/>")},
        {PAIR(""), PAIR("<weld body1='b' body2='c' active='false'/>")},
    };
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        told t[2] = {{0}, {0}};
        char *one = of_pair(same[k][0], &t[0]), *other = of_pair(same[k][1], &t[1]);
        ck_assert_str_eq(one, other);
        ck_assert_int_eq(t[1].notes - t[0].notes, k >= 3);
        perp_robot_release(one, NULL);
        perp_robot_release(other, NULL);
    }
}
END_TEST

/* b starts at (0, 0, 1), c at (1, 0, 1), with the same axes. */
START_TEST(welds_in_other_words)
{
    static const char *const same[][2] = {
        {PAIR("<weld name='t' body1='b' body2='c' relpose='1 0 0 -2 0 0 0'/>"),
         PAIR("<weld name='t' body1='b' body2='c'/>")},
        {PAIR("<weld name='t' body1='b' body2='c' relpose='7 7 7 0 0 0 0'/>"),
         PAIR("<weld name='t' body1='b' body2='c'/>")},
        {PAIR("<weld name='t' body1='c' body2='b' torquescale='0' anchor='0.5 0 0'/>"),
         PAIR("<connect name='t' body1='b' body2='c' anchor='0.5 0 0'/>")},
    };
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        told t = {0};
        char *one = of_pair(same[k][0], &t), *other = of_pair(same[k][1], &t);
        ck_assert_str_eq(one, other);
        perp_robot_release(one, NULL);
        perp_robot_release(other, NULL);
    }
}
END_TEST

#define ARM(joint)                                                                                 \
    "<body name='b'><joint name='j'" joint "/><geom size='0.1' pos='0.3 0 0'/></body>"
#define TREE(inside) "<worldbody>" inside "</worldbody>"

START_TEST(the_same_models)
{
    static const char *const same[][2] = {
        {"<option><flag gravity='disable'/></option>" TREE(ARM("")),
         "<option gravity='0 0 0'/>" TREE(ARM(""))},
        {"<option><flag limit='disable'/></option>" TREE(ARM(" range='-10 10'")), TREE(ARM(""))},
        {"<option><flag frictionloss='disable'/></option>" TREE(ARM(" frictionloss='3'")),
         TREE(ARM(""))},
        {"<option><flag equality='disable'/></option>" TREE(
             ARM("")) "<equality><joint joint1='j'/></equality>",
         TREE(ARM(""))},
        {"<option><flag actuation='disable'/></option>" TREE(
             ARM("")) "<actuator><position joint='j' kp='3'/></actuator>",
         TREE(ARM(""))},
        {"<option><flag limit='enable' contact='enable'/></option>" TREE(ARM(" range='-10 10'")),
         TREE(ARM(" range='-10 10'"))},
        {"<option><flag constraint='disable'/></option>" TREE(
             ARM(" range='-10 10' frictionloss='2'")) "<equality><joint joint1='j'/></equality>",
         "<option><flag contact='disable'/></option>" TREE(ARM(""))},
        {"<extension><plugin plugin='x'><instance name='i'/></plugin></extension>" TREE(ARM("")),
         TREE(ARM(""))},
        /* Sections of defaults are one. */
        {"<default><geom size='0.1'/></default><default><joint damping='2'/></default>"
         "<default><motor gear='3'/></default>" TREE(
             "<body name='b'><joint name='j'/><geom/></body>"),
         "<default><geom size='0.1'/><joint damping='2'/><motor gear='3'/></default>" TREE(
             "<body name='b'><joint name='j'/><geom/></body>")},
        /* Classes of a body are those of what is in it. */
        {"<default><default class='x'><geom size='0.2'/><default class='y'><geom "
         "mass='3'/></default>"
         "</default></default>" TREE("<body childclass='y'><joint/><geom/></body><frame "
                                     "childclass='x'><geom/></frame>"),
         TREE("<body><joint/><geom size='0.2' mass='3'/></body><geom size='0.2'/>")},
        {"<compiler inertiafromgeom='true'/>" TREE(
             "<body><joint/><inertial mass='7' diaginertia='1 1 1'/><geom size='1'/></body>"),
         TREE("<body><joint/><geom size='1'/></body>")},
        {"<compiler inertiafromgeom='auto'/>" TREE(
             "<body><joint/><inertial mass='7' diaginertia='1 2 2.5'/><geom size='1'/></body>"),
         "<compiler inertiafromgeom='false'/>" TREE(
             "<body><joint/><inertial mass='7' fullinertia='1 2 2.5 0 0 0'/><geom "
             "size='1'/></body>")},
        {"<compiler boundmass='5' boundinertia='2'/>" TREE(
             "<body><joint/><inertial mass='1' diaginertia='1 1 1'/></body>"),
         TREE("<body><joint/><inertial mass='5' diaginertia='2 2 2'/></body>")},
        {"<compiler balanceinertia='true'/>" TREE(
             "<body><joint/><inertial mass='1' diaginertia='1 2 6'/></body>"),
         TREE("<body><joint/><inertial mass='1' diaginertia='3 3 3'/></body>")},
        {"<compiler settotalmass='8'/>" TREE(
             "<body><joint/><inertial mass='1' diaginertia='1 2 2'/></body>"
             "<body><joint/><inertial mass='3' diaginertia='1 2 2'/></body>"),
         TREE("<body><joint/><inertial mass='2' diaginertia='2 4 4'/></body>"
              "<body><joint/><inertial mass='6' diaginertia='2 4 4'/></body>")},
        {TREE("<body><joint/><geom type='capsule' size='0.1' fromto='0 0 1 0 0 0'/></body>"),
         TREE("<body><joint/><geom type='capsule' size='0.1 0.5' pos='0 0 0.5'/></body>")},
        {TREE("<body><joint/><geom type='ellipsoid' size='0.1' fromto='0 0 1 0 0 0'/></body>"),
         TREE("<body><joint/><geom type='ellipsoid' size='0.1 0.1 0.5' pos='0 0 0.5'/></body>")},
        {TREE("<body zaxis='0 0 2'><joint/><geom size='1'/></body>"),
         TREE("<body><joint/><geom size='1'/></body>")},
        {TREE(ARM("")) "<actuator><velocity joint='j' kv='2' gear='3'/></actuator>",
         TREE(ARM(" damping='18'"))},
        {TREE(ARM(
             "")) "<actuator><general joint='j' biastype='affine' biasprm='0 0 -2'/></actuator>",
         TREE(ARM(" damping='2'"))},
    };
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        char model[2][1200];
        char *text[2];
        for (int i = 0; i < 2; i++) {
            snprintf(model[i], sizeof model[i], "<mujoco>%s</mujoco>", same[k][i]);
            text[i] = convert(model[i], NULL);
        }
        ck_assert_msg(strcmp(text[0], text[1]) == 0, "%zu:\n%s\n%s", k, text[0], text[1]);
        perp_robot_release(text[0], NULL);
        perp_robot_release(text[1], NULL);
    }
}
END_TEST

/* Axes x and y of a frame, among them half turns, beside the rotation that has them. */
START_TEST(frames_of_two_axes)
{
    static const double axes[][6] = {{0, 1, 0, -1, 0, 0}, {-1, 0, 0, 0, -1, 0}, {-1, 0, 0, 0, 1, 0},
                                     {1, 0, 0, 0, -1, 0}, {1, 2, 3, -1, 1, 0},  {0, 0, -2, 0, 3, 1},
                                     {0, 1, 0, 1, 0, 0},  {0, 0, 1, 0, 1, 0}};
    for (size_t k = 0; k < sizeof axes / sizeof axes[0]; k++) {
        const double *a = axes[k], ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0}, ez[3] = {0, 0, 1};
        double q[4] = {1, 0, 0, 0}, x[3], y[3], z[3], nx = 0.0, along = 0.0, ny = 0.0;
        char model[400];
        snprintf(model, sizeof model,
                 "<mujoco><worldbody><body name='b' xyaxes='%g %g %g %g %g %g'><freejoint/><geom "
                 "type='box' size='1 2 3'/></body></worldbody></mujoco>",
                 a[0], a[1], a[2], a[3], a[4], a[5]);
        char *text = convert(model, NULL);
        if (strstr(text, "quaternion") != NULL)
            numbers_of(q, 4, text, "b", "quaternion");
        perp_quaternion_rotate(q, ex, x);
        perp_quaternion_rotate(q, ey, y);
        perp_quaternion_rotate(q, ez, z);
        for (int i = 0; i < 3; i++) {
            nx += a[i] * a[i];
            along += a[i] * a[i + 3];
        }
        /* x is the first; y the second without its part along x; z is x cross y. */
        double side[3];
        for (int i = 0; i < 3; i++) {
            side[i] = a[i + 3] - along / nx * a[i];
            ny += side[i] * side[i];
        }
        for (int i = 0; i < 3; i++) {
            close_to(x[i], a[i] / sqrt(nx), 10.0);
            close_to(y[i], side[i] / sqrt(ny), 10.0);
            close_to(z[i], x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3], 10.0);
        }
        perp_robot_release(text, NULL);
    }
}
END_TEST

/* The lowest of many points of a surface, in the axes of a body that is turned. */
static double lowest(const char *type, const double *s, const double *q)
{
    enum { MANY = 600 };
    double low = INFINITY;
    const double pi = acos(-1.0);
    for (int i = 0; i <= MANY; i++)
        for (int j = 0; j <= MANY; j++) {
            double u = pi * i / MANY, v = 2.0 * pi * j / MANY, p[3], out[3];
            double n[3] = {sin(u) * cos(v), sin(u) * sin(v), cos(u)};
            for (int k = 0; k < 3; k++)
                p[k] = s[0] * n[k];
            if (strcmp(type, "ellipsoid") == 0) {
                p[1] = s[1] * n[1];
                p[2] = s[2] * n[2];
            } else if (strcmp(type, "capsule") == 0) {
                p[2] += n[2] >= 0.0 ? s[1] : -s[1];
            } else if (strcmp(type, "cylinder") == 0) {
                p[0] = s[0] * cos(v);
                p[1] = s[0] * sin(v);
                p[2] = i % 2 ? s[1] : -s[1];
            } else if (strcmp(type, "box") == 0) {
                for (int k = 0; k < 3; k++)
                    p[k] = n[k] >= 0.0 ? s[k] : -s[k];
            }
            perp_quaternion_rotate(q, p, out);
            low = fmin(low, out[2]);
        }
    return low;
}

START_TEST(a_floor_under_each_shape)
{
    static const struct {
        const char *type;
        double s[3];
    } shapes[] = {{"sphere", {0.3, 0, 0}},
                  {"capsule", {0.2, 0.5, 0}},
                  {"cylinder", {0.2, 0.5, 0}},
                  {"ellipsoid", {0.2, 0.3, 0.7}},
                  {"box", {0.2, 0.3, 0.7}}};
    static const double turns[][4] = {{1, 0, 0, 0}, {0.5, 0.5, -0.5, 0.5}, {0.8, 0.36, -0.48, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
            perp_robot_options options = defaults();
            char model[400];
            const double *q = turns[i], *s = shapes[k].s;
            double found;
            snprintf(
                model, sizeof model,
                "<mujoco><worldbody><geom type='plane'/><geom size='1' pos='0 0 -9'/>"
                "<body name='b' pos='1 2 3'><freejoint/><geom type='%s' size='%g %g %g' quat='%g "
                "%g %g %g'/><body pos='0 0 5'><geom "
                "size='0.1'/></body></body></worldbody></mujoco>",
                shapes[k].type, s[0], fmax(s[1], 0.1), fmax(s[2], 0.1), q[0], q[1], q[2], q[3]);
            options.floor = 1;
            options.floor_height = NAN;
            char *text = convert(model, &options);
            numbers_of(&found, 1, text, "floor", "offset");
            ck_assert_msg(fabs(found - 3.0 - lowest(shapes[k].type, s, q)) < 1e-4, "%s: %g, not %g",
                          shapes[k].type, found, 3.0 + lowest(shapes[k].type, s, q));
            perp_robot_release(text, NULL);
            options.floor_height = -0.25;
            text = convert(model, &options);
            numbers_of(&found, 1, text, "floor", "offset");
            ck_assert(found == -0.25);
            perp_robot_release(text, NULL);
        }
}
END_TEST

/* A mesh lies where its vertices are, not where its frame is. */
START_TEST(a_floor_under_a_mesh)
{
    static const char model[] =
        "<robot name='r'><link name='a'><inertial><origin xyz='0.2 0.2 1.2'/><mass value='1'/>"
        "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial><collision>"
        "<origin xyz='0 0 0.5' rpy='3.141592653589793 0 0'/><geometry><mesh filename='m.obj' "
        "scale='1 1 2'/></geometry></collision></link></robot>";
    char folder[] = "/tmp/perp-floor-XXXXXX", path[80], mesh[80], *text;
    perp_robot_options options = defaults();
    perp_scene_error error = {.size = sizeof error};
    double found;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/r.urdf", folder);
    snprintf(mesh, sizeof mesh, "%s/m.obj", folder);
    FILE *f = fopen(mesh, "w");
    ck_assert_ptr_nonnull(f);
    /* Between z = 1 and z = 2, times 2, upside down, and half a metre up: -3.5 to -1.5. */
    fputs("v 0 0 1\nv 1 0 1\nv 0 1 1\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", f);
    fclose(f);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(model, f);
    fclose(f);
    options.floor = 1;
    options.base = PERP_ROBOT_BASE_FREE;
    ck_assert_msg(perp_robot_read(&text, path, &options, NULL, &error) == PERP_SOLVED, "%s",
                  error.text);
    numbers_of(&found, 1, text, "floor", "offset");
    ck_assert_double_eq_tol(found, -3.5, 1e-12);
    perp_robot_release(text, NULL);
    f = fopen(mesh, "w"); /* the same above its place */
    ck_assert_ptr_nonnull(f);
    fputs("v 0 0 -1\nv 1 0 -1\nv 0 1 -1\nv 0 0 -2\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n", f);
    fclose(f);
    ck_assert_int_eq(perp_robot_read(&text, path, &options, NULL, &error), PERP_SOLVED);
    numbers_of(&found, 1, text, "floor", "offset");
    ck_assert_double_eq_tol(found, 2.5, 1e-12);
    perp_robot_release(text, NULL);
    unlink(mesh);
    unlink(path);
    rmdir(folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("robot ties");
    TCase *tcase = tcase_create("robot ties");
#ifdef HAVE_JANSSON
    tcase_add_test(tcase, ties_hold);
    tcase_add_test(tcase, a_tie_to_the_world_holds);
    tcase_add_test(tcase, open_ties_are_closed);
    tcase_add_test(tcase, open_couplings_are_closed);
    tcase_add_test(tcase, what_cannot_be_closed_is_said);
#endif
    tcase_add_test(tcase, ties_in_other_words);
    tcase_add_test(tcase, welds_in_other_words);
    tcase_add_test(tcase, the_same_models);
    tcase_add_test(tcase, frames_of_two_axes);
    tcase_add_test(tcase, a_floor_under_each_shape);
    tcase_add_test(tcase, ties_without_a_way);
    tcase_add_test(tcase, a_floor_under_a_mesh);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
