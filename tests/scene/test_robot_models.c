/* SPDX-License-Identifier: BSD-3-Clause */
/* URDF and MJCF as scenes: masses against integrals over slices, places against products of
 * matrices, defaults and replicas, and motions against a scene that says the same. */
#define _POSIX_C_SOURCE 200809L
#include "config.h"

#include "tests/scene/robot_text.h"

static const double pi = 3.14159265358979323846;

/* A body of elliptic slices a(z), b(z), of density 1000, by Simpson's rule between two heights. */
typedef struct slices {
    double a, b, h; /* half axes of the middle slice, half height of what stands between the ends */
    int round;      /* 1: the ends are half balls of radius a; 2: an ellipsoid of half height h */
} slices;

static double width(const slices *s, double z)
{
    if (s->round == 2)
        return sqrt(fmax(0.0, 1.0 - z * z / (s->h * s->h)));
    if (s->round == 1 && fabs(z) > s->h)
        return sqrt(fmax(0.0, 1.0 - (fabs(z) - s->h) * (fabs(z) - s->h) / (s->a * s->a)));
    return 1.0;
}

/* Volume and moments times the density over a piece on which they are polynomials. */
static void add_piece(double *sum, const slices *s, double low, double high)
{
    enum { PIECES = 4096 };
    for (int k = 0; k <= 2 * PIECES; k++) {
        double z = low + (high - low) * k / (2 * PIECES), w = width(s, z);
        double weight = (k == 0 || k == 2 * PIECES ? 1.0
                         : k % 2                   ? 4.0
                                                   : 2.0) *
                        (high - low) / (6.0 * PIECES) * 1000.0;
        double area = pi * s->a * s->b * w * w;
        sum[0] += weight * area;
        sum[1] += weight * area * (s->b * s->b * w * w / 4.0 + z * z);
        sum[2] += weight * area * (s->a * s->a * w * w / 4.0 + z * z);
        sum[3] += weight * area * (s->a * s->a + s->b * s->b) * w * w / 4.0;
    }
}

static void by_slices(double *sum, const slices *s)
{
    sum[0] = sum[1] = sum[2] = sum[3] = 0.0;
    add_piece(sum, s, -s->h, s->h);
    if (s->round != 1)
        return;
    add_piece(sum, s, s->h, s->h + s->a);
    add_piece(sum, s, -s->h - s->a, -s->h);
}

START_TEST(masses_are_integrals)
{
    static const struct {
        const char *geom;
        slices s;
    } cases[] = {
        {"type=\"sphere\" size=\"0.3\"", {0.3, 0.3, 0.3, 2}},
        {"type=\"capsule\" size=\"0.2 0.5\"", {0.2, 0.2, 0.5, 1}},
        {"type=\"cylinder\" size=\"0.2 0.5\"", {0.2, 0.2, 0.5, 0}},
        {"type=\"ellipsoid\" size=\"0.2 0.3 0.7\"", {0.2, 0.3, 0.7, 2}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char model[400];
        double sum[4], mass, inertia[3];
        snprintf(model, sizeof model,
                 "<mujoco><worldbody><body name=\"b\"><freejoint/><geom "
                 "%s/></body></worldbody></mujoco>",
                 cases[k].geom);
        char *scene = convert(model, NULL);
        by_slices(sum, &cases[k].s);
        numbers_of(&mass, 1, scene, "b", "mass");
        numbers_of(inertia, 3, scene, "b", "inertia");
        close_to(mass, sum[0], sum[0]);
        for (int i = 0; i < 3; i++)
            close_to(inertia[i], sum[1 + i], sum[1 + i]);
        perp_robot_release(scene, NULL);
    }
}
END_TEST

/* A box of eight parts, of which some sit on bodies without joints, is one box. */
START_TEST(parts_make_a_whole)
{
    char model[4000] =
        "<mujoco><compiler angle=\"radian\"/><worldbody><body name=\"b\" pos=\"1 2 3\" "
        "euler=\"0.3 -0.2 0.9\"><freejoint/>";
    double whole[4], mass, inertia[3], place[3];
    for (int k = 0; k < 8; k++) {
        char part[400];
        double x = k & 1 ? 0.15 : -0.15, y = k & 2 ? 0.25 : -0.25, z = k & 4 ? 0.35 : -0.35;
        if (k % 2)
            snprintf(part, sizeof part,
                     "<body pos=\"%g %g %g\" quat=\"0 0 0 1\"><geom type=\"box\" size=\"0.15 0.25 "
                     "0.35\"/></body>",
                     x, y, z);
        else
            snprintf(
                part, sizeof part,
                "<frame pos=\"%g %g 0\"><geom type=\"box\" pos=\"0 0 %g\" size=\"0.35 0.25 0.15\" "
                "axisangle=\"0 1 0 1.5707963267948966\"/></frame>",
                x, y, z);
        strcat(model, part);
    }
    strcat(model, "</body></worldbody></mujoco>");
    char *scene = convert(model, NULL);
    whole[0] = 1000.0 * 0.6 * 1.0 * 1.4;
    whole[1] = whole[0] * (1.0 + 1.96) / 12.0;
    whole[2] = whole[0] * (0.36 + 1.96) / 12.0;
    whole[3] = whole[0] * (0.36 + 1.0) / 12.0;
    numbers_of(&mass, 1, scene, "b", "mass");
    numbers_of(place, 3, scene, "b", "position");
    close_to(mass, whole[0], whole[0]);
    for (int i = 0; i < 3; i++)
        close_to(place[i], 1.0 + i, 1.0);
    if (strstr(scene, "\"inertia\": [[") != NULL) {
        double full[9];
        numbers_of(full, 9, scene, "b", "inertia");
        for (int i = 0; i < 9; i++)
            close_to(full[i], i % 4 == 0 ? whole[1 + i / 4] : 0.0, whole[0]);
    } else {
        numbers_of(inertia, 3, scene, "b", "inertia");
        for (int i = 0; i < 3; i++)
            close_to(inertia[i], whole[1 + i], whole[0]);
    }
    perp_robot_release(scene, NULL);
}
END_TEST

/* A mass without weight where the body has its origin, and as much as a moment about each axis. */
START_TEST(armature_of_a_free_joint)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 %s'/><worldbody>\n<body pos='1 2 3'><joint type='free' "
        "armature='.5'/><inertial pos='%s 0 0' mass='2' diaginertia='3 4 "
        "5'/></body></worldbody></mujoco>";
    char text[400], *scene;
    double x[3];
    snprintf(text, sizeof text, model, "-8", "0");
    scene = convert(text, NULL);
    numbers_of(x, 1, scene, "body-1", "mass");
    close_to(x[0], 2.5, 1.0);
    numbers_of(x, 3, scene, "body-1", "inertia");
    for (int k = 0; k < 3; k++)
        close_to(x[k], 3.5 + k, 1.0);
    numbers_of(x, 3, scene, "body-1", "force");
    close_to(x[2], 4.0, 1.0);
    perp_robot_release(scene, NULL);
    snprintf(text, sizeof text, model, "0", ".1");
    scene = convert(text, NULL);
    numbers_of(x, 3, scene, "body-1", "position");
    close_to(x[0], 1.0 + 0.2 / 2.5, 1.0);
    numbers_of(x, 3, scene, "body-1", "inertia");
    close_to(x[1], 4.5 + 0.01 * 2.0 * 0.5 / 2.5, 1.0);
    perp_robot_release(scene, NULL);
    snprintf(text, sizeof text, model, "-8", ".1");
    refused(text, PERP_ERR_UNSUPPORTED, "centre of mass", 2);
}
END_TEST

START_TEST(defaults_and_classes)
{
    static const char model[] =
        "<mujoco model='a b'><compiler angle='radian' eulerseq='zyx'/><option timestep='0.004' "
        "gravity='0 0 -1'/>\n"
        "<default><geom type='box' size='.1 .1 .1' mass='2'/><joint damping='3'/>\n"
        " <default class='heavy'><geom mass='5'/><default class='heavier'><geom mass='7' "
        "size='.2 .2 .2'/></default></default></default>\n"
        "<worldbody><body name='a' childclass='heavy'><joint name='ja' range='-1 2'/><geom/>\n"
        "<body name='c' pos='1 0 0'><joint name='jc' damping='4' springref='0.5' stiffness='9'/>"
        "<geom class='heavier'/>\n"
        "<body name='d' pos='1 0 0' childclass='main'><joint name='jd' type='slide' axis='0 3 4'/>"
        "<geom/></body></body></body></worldbody></mujoco>";
    double x[3];
    char *scene = convert(model, NULL);
    ck_assert_ptr_nonnull(strstr(scene, "\"title\": \"a b\""));
    ck_assert_ptr_nonnull(strstr(scene, "\"step\": 0.004"));
    ck_assert_ptr_nonnull(strstr(scene, "\"gravity\": [0, 0, -1]"));
    numbers_of(x, 1, scene, "a", "mass");
    ck_assert_double_eq(x[0], 5.0);
    numbers_of(x, 1, scene, "c", "mass");
    ck_assert_double_eq(x[0], 7.0);
    numbers_of(x, 3, scene, "c", "sides");
    ck_assert_double_eq(x[2], 0.4);
    numbers_of(x, 1, scene, "d", "mass");
    ck_assert_double_eq(x[0], 2.0);
    numbers_of(x, 2, scene, "ja", "limits");
    ck_assert(x[0] == -1.0 && x[1] == 2.0);
    numbers_of(x, 1, scene, "ja-rotor", "C");
    ck_assert_double_eq(x[0], 3.0);
    numbers_of(x, 1, scene, "jc-rotor", "C");
    ck_assert_double_eq(x[0], 4.0);
    numbers_of(x, 1, scene, "jc-rotor", "K");
    ck_assert_double_eq(x[0], 9.0);
    numbers_of(x, 1, scene, "jc-rotor", "F");
    ck_assert_double_eq(x[0], 4.5); /* at rest at 0.5 */
    numbers_of(x, 3, scene, "jd", "axis");
    close_to(x[1], 0.6, 1.0);
    perp_robot_release(scene, NULL);
}
END_TEST

/* Copies on a circle, and a word behind their names. */
START_TEST(replicas_go_round)
{
    static const char model[] =
        "<mujoco><worldbody><replicate count='12' euler='0 0 30' sep='-'><body name='stone' "
        "pos='2 0 0'><freejoint/><geom size='0.1'/></body></replicate></worldbody></mujoco>";
    char *scene = convert(model, NULL);
    for (int k = 0; k < 12; k++) {
        char name[20];
        double x[3] = {0.0, 0.0, 0.0};
        snprintf(name, sizeof name, "stone-%02d", k);
        numbers_of(x, 3, scene, name, "position");
        close_to(x[0], 2.0 * cos(k * pi / 6.0), 8.0);
        close_to(x[1], 2.0 * sin(k * pi / 6.0), 8.0);
    }
    perp_robot_release(scene, NULL);
}
END_TEST

/* A tendon between sites of replicas is there once for each of them. */
START_TEST(references_to_replicas_are_copied)
{
    static const char model[] = "<mujoco><worldbody><replicate count='3' offset='1 0 0'><site "
                                "name='top' pos='0 0 1'/><body "
                                "name='ball'><freejoint/><geom size='0.1'/><site name='hook' "
                                "pos='0 0 0.1'/></body></replicate>"
                                "</worldbody><tendon><spatial name='line' range='0 0.9'><site "
                                "site='top'/><site site='hook'/>"
                                "</spatial></tendon></mujoco>";
    char *scene = convert(model, NULL);
    for (int k = 0; k < 3; k++) {
        char name[20];
        double x[3];
        snprintf(name, sizeof name, "line%d", k);
        numbers_of(x, 3, scene, name, "anchor");
        ck_assert_double_eq(x[0], k);
        numbers_of(x, 1, scene, name, "length");
        ck_assert_double_eq(x[0], 0.9);
    }
    perp_robot_release(scene, NULL);
}
END_TEST

/* The corners of a box as a mesh weigh what the box does, wherever they lie. */
START_TEST(a_mesh_weighs_as_its_hull)
{
    static const char model[] = "<mujoco><asset><mesh name='m' scale='2 1 1' vertex='0 0 0  1 0 0  "
                                "0 3 0  1 3 0  0 0 4  1 0 4  "
                                "0 3 4  1 3 4'/></asset><worldbody><body name='b' pos='5 0 "
                                "0'><freejoint/><geom type='mesh' mesh='m' "
                                "density='10'/></body></worldbody></mujoco>";
    perp_scene_error error = {.size = sizeof error};
    double x[3];
    char *scene;
    perp_status status = perp_robot_read_text(&scene, model, strlen(model), NULL, NULL, &error);
    if (status == PERP_ERR_UNSUPPORTED && strstr(error.text, "Qhull") != NULL)
        return;
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    numbers_of(x, 1, scene, "b", "mass");
    close_to(x[0], 240.0, 240.0);
    numbers_of(x, 3, scene, "b", "position");
    close_to(x[0], 6.0, 1.0);
    close_to(x[1], 1.5, 1.0);
    close_to(x[2], 2.0, 1.0);
    if (strstr(scene, "\"inertia\": [[") != NULL) {
        double full[9];
        numbers_of(full, 9, scene, "b", "inertia");
        for (int i = 0; i < 3; i++)
            x[i] = full[4 * i];
    } else {
        numbers_of(x, 3, scene, "b", "inertia");
    }
    close_to(x[0], 240.0 * (9.0 + 16.0) / 12.0, 500.0);
    close_to(x[1], 240.0 * (4.0 + 16.0) / 12.0, 500.0);
    close_to(x[2], 240.0 * (4.0 + 9.0) / 12.0, 500.0);
    perp_robot_release(scene, NULL);
}
END_TEST

/* out = A B of 4 x 4 matrices, row by row. */
static void product(double *out, const double *A, const double *B)
{
    double made[16];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            made[4 * i + j] = 0.0;
            for (int k = 0; k < 4; k++)
                made[4 * i + j] += A[4 * i + k] * B[4 * k + j];
        }
    memcpy(out, made, sizeof made);
}

static void shift(double *A, double x, double y, double z)
{
    double B[16] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1};
    product(A, A, B);
}

/* About a unit axis, by Rodrigues' formula. */
static void turn(double *A, double x, double y, double z, double angle)
{
    double c = cos(angle), s = sin(angle), d = 1.0 - c;
    double B[16] = {c + x * x * d,
                    x * y * d - z * s,
                    x * z * d + y * s,
                    0,
                    y * x * d + z * s,
                    c + y * y * d,
                    y * z * d - x * s,
                    0,
                    z * x * d - y * s,
                    z * y * d + x * s,
                    c + z * z * d,
                    0,
                    0,
                    0,
                    0,
                    1};
    product(A, A, B);
}

/* Two hinges of one body, off its origin, and a slide on the next one, from a keyframe. */
START_TEST(a_keyframe_places_a_chain)
{
    static const char model[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='arm' pos='0 0 1'>\n"
        "<joint name='yaw' axis='0 0 1' pos='0.1 0 0'/><joint name='pitch' axis='0 1 0' pos='0 0 "
        "0.2'/>\n"
        "<geom type='box' size='.1 .1 .1' pos='0.3 0 0'/><body name='hand' pos='1 0 0'>\n"
        "<joint name='out' type='slide' axis='1 0 0' ref='0.2'/><geom type='box' size='.1 .1 .1'/>"
        "</body></body></worldbody>\n"
        "<keyframe><key name='other' qpos='0 0 0.2'/><key name='up' qpos='0.4 -0.7 "
        "0.5'/></keyframe>"
        "</mujoco>";
    perp_robot_options options = defaults();
    double A[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, x[3], limits[1];
    options.keyframe = "up";
    char *scene = convert(model, &options);
    shift(A, 0, 0, 1);
    shift(A, 0.1, 0, 0);
    turn(A, 0, 0, 1, 0.4);
    shift(A, -0.1, 0, 0.2);
    turn(A, 0, 1, 0, -0.7);
    shift(A, 0, 0, -0.2);
    shift(A, 0.3, 0, 0);
    numbers_of(x, 3, scene, "arm", "position");
    for (int i = 0; i < 3; i++)
        close_to(x[i], A[4 * i + 3], 1.0);
    shift(A, 0.7 + 0.5 - 0.2, 0, 0);
    numbers_of(x, 3, scene, "hand", "position");
    for (int i = 0; i < 3; i++)
        close_to(x[i], A[4 * i + 3], 1.0);
    numbers_of(x, 3, scene, "out", "axis");
    for (int i = 0; i < 3; i++)
        close_to(x[i], A[4 * i], 1.0);
    numbers_of(limits, 1, scene, "out", "start");
    ck_assert_double_eq(limits[0], 0.5);
    ck_assert_ptr_nonnull(strstr(scene, "\"arm-yaw\"")); /* the part between both hinges */
    perp_robot_release(scene, NULL);
}
END_TEST

#ifdef HAVE_JANSSON
static double last_angle(const char *text)
{
    return last_value(text, 2);
}

START_TEST(a_urdf_swings_as_its_scene)
{
    static const char scene[] =
        "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.001}, \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.01], "
        "\"position\": [0, 0, 0.5]}], \"interactions\": [{\"name\": \"swing\", \"systems\": "
        "[\"rod\"],"
        "\"relation\": {\"type\": \"joint\", \"joint\": \"pivot\", \"anchor\": [0, 0, 1], "
        "\"axis\": "
        "[0, 1, 0], \"limits\": [-3, 0.9], \"damping\": 0.1, \"friction\": 0.05, \"load\": 4}}], "
        "\"record\": {\"quantities\": [\"energy\", \"swing.angle\", \"swing.rate\"]}}";
    perp_robot_options options = defaults();
    char *text, loaded[4000];
    options.until = 0.5;
    text = convert(pendulum(), &options);
    const char *friction = strstr(text, ", \"friction\": 0.05");
    ck_assert_ptr_nonnull(friction);
    size_t before = (size_t)(friction - text);
    snprintf(loaded, sizeof loaded, "%.*s, \"load\": 4%s", (int)before, text, text + before);
    ck_assert_double_eq_tol(last_angle(loaded), last_angle(scene), 1e-6);
    ck_assert_double_gt(last_angle(scene), 0.1);
    perp_robot_release(text, NULL);
}
END_TEST

/* Limits and the coordinate count from the model's zero, wherever the joint starts. */
START_TEST(a_pose_moves_the_start_alone)
{
    static const char *const pose[] = {"swing=0.6"};
    perp_robot_options options = defaults();
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene;
    const double *row;
    char *text;
    options.until = 1.0;
    options.pose = pose;
    options.nposes = 1;
    options.hold = 1;
    text = convert(pendulum(), &options);
    ck_assert_msg(perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    row = scene_last_row(scene);
    ck_assert_double_eq_tol(row[2], 0.6, 1e-9); /* the motor holds it: 10 N m against 5.5 */
    perp_scene_destroy(scene);
    perp_robot_release(text, NULL);
}
END_TEST

/* Balls of an arm 0.1 apart, of this radius: the first and the third are in each other from 0.1 on.
 */
static char *arm_of_balls(double radius, const perp_robot_options *options)
{
    char model[4000];
    size_t used = (size_t)snprintf(model, sizeof model, "<robot name='arm'><link name='b'/>");
    for (int k = 0; k < 3; k++)
        used += (size_t)snprintf(
            model + used, sizeof model - used,
            "<link name='l%d'><inertial><mass value='1'/><inertia ixx='0.01' ixy='0' ixz='0' "
            "iyy='0.01' iyz='0' izz='0.01'/></inertial><collision><geometry><sphere radius='%g'/>"
            "</geometry></collision></link><joint name='j%d' type='revolute'><parent link='%s'/>"
            "<child link='l%d'/><origin xyz='0 0 %g'/><axis xyz='0 1 0'/>"
            "<limit lower='-2' upper='2' effort='50' velocity='9'/></joint>",
            k, radius, k,
            k == 0   ? "b"
            : k == 1 ? "l0"
                     : "l1",
            k, k == 0 ? 0.0 : 0.1);
    snprintf(model + used, sizeof model - used, "</robot>");
    return convert(model, options);
}

START_TEST(parts_that_overlap_at_the_start_never_touch)
{
    perp_robot_options options = defaults();
    told t = {0};
    options.tell = hear;
    options.tell_ctx = &t;
    options.until = 0.05;
    options.hold = 1;
    char *text = arm_of_balls(0.12, &options);
    ck_assert_ptr_nonnull(strstr(t.last, "'l0' and 'l2' overlap by 0.04 at the start"));
    ck_assert_ptr_nonnull(strstr(text, "[\"l0\", \"l2\"]"));
    ck_assert_double_eq_tol(last_angle(text), 0.0, 1e-9);
    perp_robot_release(text, NULL);
    /* Fingers that are closed a little too far do touch. */
    text = arm_of_balls(0.1001, &options);
    ck_assert_ptr_null(strstr(text, "[\"l0\", \"l2\"]"));
    perp_robot_release(text, NULL);
    options.no_self_contact = 1;
    text = arm_of_balls(0.12, &options);
    ck_assert_ptr_null(strstr(text, "[\"l0\", \"l2\"]"));
    perp_robot_release(text, NULL);
}
END_TEST
#endif

int main(void)
{
#ifndef HAVE_LIBXML2
    return 77;
#else
    Suite *suite = suite_create("models of robots");
    TCase *tests = tcase_create("models of robots");
    tcase_add_test(tests, masses_are_integrals);
    tcase_add_test(tests, parts_make_a_whole);
    tcase_add_test(tests, armature_of_a_free_joint);
    tcase_add_test(tests, defaults_and_classes);
    tcase_add_test(tests, replicas_go_round);
    tcase_add_test(tests, references_to_replicas_are_copied);
    tcase_add_test(tests, a_mesh_weighs_as_its_hull);
    tcase_add_test(tests, a_keyframe_places_a_chain);
#ifdef HAVE_JANSSON
    tcase_add_test(tests, a_urdf_swings_as_its_scene);
    tcase_add_test(tests, a_pose_moves_the_start_alone);
    tcase_add_test(tests, parts_that_overlap_at_the_start_never_touch);
#endif
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
#endif
}
