/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of robots that are refused, and what is left out or read over: with its line. */
#define _POSIX_C_SOURCE 200809L
#include "config.h"
#include <unistd.h>

#include "tests/fixtures/dense_reference.h"
#include "tests/scene/robot_text.h"

START_TEST(broken_urdfs_are_named)
{
    static const char link[] = "<link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' "
                               "ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>";
    char text[2000];
    refused("<robot>\n<link name='a'/>\n<link name='a'/></robot>", PERP_ERR_FORMAT, "twice", 3);
    refused("<robot><link name='a'/>\n<link name='b'/></robot>", PERP_ERR_FORMAT, "one root", 2);
    refused(
        "<robot><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/>"
        "<child link='b'/></joint>\n<joint name='k' type='fixed'><parent link='b'/><child "
        "link='a'/></joint></robot>",
        PERP_ERR_FORMAT, "circle", 2);
    refused(
        "<robot><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/>"
        "<child link='c'/></joint></robot>",
        PERP_ERR_FORMAT, "no link 'c'", 2);
    refused("<robot><link name='a'/><link name='b'/>\n<joint name='j' type='odd'><parent link='a'/>"
            "<child link='b'/></joint></robot>",
            PERP_ERR_FORMAT, "'odd'", 2);
    refused("<robot><link name='a'><inertial><mass value='1'/>\n<inertia ixx='1' ixy='0' ixz='0' "
            "iyy='-1' iyz='0' izz='1'/></inertial></link></robot>",
            PERP_ERR_FORMAT, "not positive", 2);
    refused("<robot><link name='a'>\n<collision><geometry>\n<mesh filename='package://x/y.stl'/>"
            "</geometry></collision></link></robot>",
            PERP_ERR_UNSUPPORTED, "not found", 3);
    snprintf(text, sizeof text,
             "<robot>%s<link name='b'/>\n<joint name='j' type='revolute'><parent link='a'/>"
             "<child link='b'/><limit lower='nan' upper='1'/></joint></robot>",
             link);
    refused(text, PERP_ERR_FORMAT, "'nan' is no number", 2);
}
END_TEST

#define LINK(name, inside) "<link name='" name "'>" inside "</link>"
#define MASS                                                                                       \
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"        \
    "</inertial>"
#define URDF(inside) "<robot name='r'>" inside "</robot>"
#define SHAPE(shape) URDF(LINK("a", MASS "<collision><geometry>\n" shape "</geometry></collision>"))
#define HUNG(inside)                                                                               \
    URDF(LINK("a", MASS) LINK("b", MASS) "\n<joint name='j' type='revolute'><parent link='a'/>"    \
                                         "<child link='b'/>\n" inside "</joint>")

START_TEST(broken_parts_of_urdfs_are_named)
{
    static const struct {
        const char *model, *words;
        int line;
    } all[] = {
        {URDF(""), "no link", 0},
        {URDF("\n<link/>"), "it has no name", 2},
        {URDF("\n<link name=''/>"), "it has no name", 2},
        {URDF(LINK("a", "\n<inertial><mass value='1'/></inertial>")), "<inertia> is missing", 2},
        {URDF(LINK("a", "\n<inertial><inertia/></inertial>")), "<mass> is missing", 2},
        {URDF(LINK("a", "<inertial>\n<mass value='-1'/><inertia ixx='1' iyy='1' izz='1'/>"
                        "</inertial>")),
         "less than 0", 2},
        {URDF(LINK("a", "<inertial>\n<mass/><inertia ixx='1' iyy='1' izz='1'/></inertial>")),
         "value is missing", 2},
        {URDF(LINK("a", "<inertial><mass value='1'/>\n<inertia ixx='1' izz='1'/></inertial>")),
         "iyy is missing", 2},
        {URDF(LINK("a", "<inertial>\n<origin xyz='1 2'/><mass value='1'/><inertia/></inertial>")),
         "xyz: 3 numbers are expected, 2 given", 2},
        {URDF(LINK("a", "<inertial>\n<mass value=''/><inertia/></inertial>")),
         "value: 1 number is expected, 0 given", 2},
        {URDF(LINK("a", MASS "\n<collision/>")), "its geometry is missing", 2},
        {URDF(LINK("a", MASS "\n<collision><geometry/></collision>")), "its geometry is missing",
         2},
        {SHAPE("<box/>"), "size is missing", 2},
        {SHAPE("<box size='1 -2 1'/>"), "no size may be below 0", 2},
        {SHAPE("<sphere/>"), "radius is missing", 2},
        {SHAPE("<sphere radius='-1'/>"), "no size may be below 0", 2},
        {SHAPE("<cylinder radius='1'/>"), "length is missing", 2},
        {SHAPE("<cylinder radius='1' length='-1'/>"), "no size may be below 0", 2},
        {SHAPE("<capsule length='1'/>"), "radius is missing", 2},
        {SHAPE("<mesh/>"), "filename is missing", 2},
        {SHAPE("<mesh filename='m.stl' scale='1'/>"), "scale: 3 numbers are expected, 1 given", 2},
        {SHAPE("<mesh filename='m.stl' scale='1 1 1 2'/>"), "scale: more than 3 numbers", 2},
        {SHAPE("<mesh filename='m.stl' scale='1 1 1 1 1'/>"), "scale: more than 4 numbers", 2},
        {URDF(LINK("a", MASS "\n<contact><lateral_friction value='-1'/></contact>")),
         "a coefficient out of its range", 2},
        {URDF(LINK("a", MASS "\n<contact><restitution value='2'/></contact>")),
         "a coefficient out of its range", 2},
        {HUNG("<axis xyz='0 0 0'/>"), "xyz: no direction", 3},
        {HUNG("<axis xyz='0 0'/>"), "xyz: 3 numbers", 3},
        {HUNG("<limit effort='-1'/>"), "effort: less than 0", 3},
        {HUNG("<limit lower='a'/>"), "'a' is no number", 3},
        {HUNG("<limit lower='0' upper='1'/>\n<dynamics damping='-1'/>"), "a value less than 0", 4},
        {HUNG("<limit lower='0' upper='1'/>\n<dynamics friction='1 2'/>"), "friction", 4},
        {HUNG("<limit lower='0' upper='1'/>\n<mimic joint='k'/>"),
         "there is no joint 'k' that it could follow", 4},
        {HUNG("<limit lower='0' upper='1'/>\n<mimic joint='j'/>"),
         "there is no joint 'j' that it could follow", 4},
        {HUNG("<limit lower='0' upper='1'/>\n<mimic/>"), "there is no joint ''", 4},
        {HUNG("<origin rpy='1'/>"), "rpy: 3 numbers", 3},
        {URDF(LINK("a", MASS) LINK("b", MASS) "\n<joint name='j'><parent link='a'/><child "
                                              "link='b'/></joint>"),
         "type: '' is not known", 2},
        {URDF(LINK("a", MASS) LINK("b", MASS) "\n<joint name='j' type='fixed'><child "
                                              "link='b'/></joint>"),
         "the link that is its parent is missing", 2},
        {URDF(LINK("a", MASS) "<joint name='j' type='fixed'><parent link='a'/>\n<child/></joint>"),
         "the link that is its child is missing", 2},
        {URDF(LINK("a", MASS) "<joint name='j' type='fixed'><parent link='a'/>\n<child "
                              "link='k'/></joint>"),
         "child: there is no link 'k'", 2},
        {URDF(LINK("a", MASS) LINK("b", MASS) "<joint name='j' type='fixed'><parent link='a'/>"
                                              "<child link='b'/></joint>\n<joint name='k' "
                                              "type='fixed'><parent link='a'/><child "
                                              "link='b'/></joint>"),
         "the link 'b' is also the child of joint 'j': a URDF is a tree", 2},
        {URDF(LINK("r", MASS) "\n" LINK("a", MASS) "\n" LINK(
             "b", MASS) "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
                        "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
         "does not hang on the root: its joints go round in a circle", 2},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        refused(all[k].model, PERP_ERR_FORMAT, all[k].words, all[k].line);
    refused(SHAPE("<torus radius='1'/>"), PERP_ERR_UNSUPPORTED, "this shape", 2);
    refused(URDF(LINK("a", MASS) "\n<odd/>"), PERP_ERR_UNSUPPORTED, "this element", 2);
    refused(SHAPE("<mesh filename='../m.stl'/>"), PERP_ERR_UNSUPPORTED, "m.stl' is ", 2);
}
END_TEST

/* A shape of no extent, as some have in place of none. */
START_TEST(shapes_without_extent)
{
    static const char *const shapes[] = {"<sphere radius='0'/>", "<box size='1 2 0'/>",
                                         "<cylinder radius='1' length='0'/>",
                                         "<capsule radius='0' length='1'/>"};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        char model[600];
        perp_robot_options options = defaults();
        options.ignore = "all";
        options.base = PERP_ROBOT_BASE_FREE;
        snprintf(model, sizeof model,
                 URDF(LINK("a", MASS "<collision><geometry>\n%s</geometry></collision>")),
                 shapes[k]);
        refused(model, PERP_ERR_UNSUPPORTED, "a shape without extent", 2);
        char *text = convert(model, &options);
        ck_assert_ptr_null(strstr(text, "\"shapes\""));
        perp_robot_release(text, NULL);
    }
    char *ball = convert(URDF(LINK("a", MASS "<collision><geometry><capsule radius='1' length='0'/>"
                                             "</geometry></collision>")),
                         NULL);
    ck_assert_ptr_nonnull(strstr(ball, "\"capsule\""));
    perp_robot_release(ball, NULL);
}
END_TEST

/* Named with its line, and left out with --ignore. */
START_TEST(meshes_of_other_kinds_are_missing)
{
    char folder[] = "/tmp/perp-robot-XXXXXX", path[80], mesh[80];
    perp_scene_error error = {.size = sizeof error};
    perp_robot_options options = defaults();
    char *text;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/r.urdf", folder);
    snprintf(mesh, sizeof mesh, "%s/m.ply", folder);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs("<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
          "izz='1'/></inertial>"
          "<collision>\n<geometry><mesh filename='m.ply'/></geometry></collision></link></robot>",
          f);
    fclose(f);
    f = fopen(mesh, "w");
    ck_assert_ptr_nonnull(f);
    fputs("ply", f);
    fclose(f);
    options.base = PERP_ROBOT_BASE_FREE;
    ck_assert_int_eq(perp_robot_read(&text, path, &options, NULL, &error), PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "'m.ply': meshes are read from STL, OBJ and COLLADA"));
    ck_assert_int_eq(error.line, 2);
    options.ignore = "all";
    ck_assert_int_eq(perp_robot_read(&text, path, &options, NULL, &error), PERP_SOLVED);
    perp_robot_release(text, NULL);
    unlink(mesh);
    unlink(path);
    rmdir(folder);
}
END_TEST

/* A point of mass 2 half a metre below a pivot swings as that, and one that turns about itself is
 * refused. */
START_TEST(points_of_mass_swing)
{
    static const char model[] =
        "<robot><link name='w'/>\n<link name='a'><inertial><origin xyz='0 0 %s'/><mass value='2'/>"
        "<inertia ixx='0' iyy='0' izz='0'/></inertial></link><joint name='j' "
        "type='continuous'><parent "
        "link='w'/><child link='a'/><axis xyz='0 1 0'/></joint></robot>";
    perp_robot_options options = defaults();
    told t = {0};
    char text[600], *scene;
    double x[3];
    options.tell = hear;
    options.tell_ctx = &t;
    options.base = PERP_ROBOT_BASE_FIXED;
    snprintf(text, sizeof text, model, "-0.5");
    scene = convert(text, &options);
    ck_assert_int_eq(t.notes, 2); /* products of inertia, and none at all */
    numbers_of(x, 3, scene, "a", "inertia");
    for (int k = 0; k < 3; k++)
        ck_assert(x[k] > 0.0 && x[k] <= 1e-6 * 2.0 * 0.25);
    perp_robot_release(scene, NULL);
    snprintf(text, sizeof text, model, "0");
    refused(text, PERP_ERR_FORMAT, "no inertia", 2);
}
END_TEST

START_TEST(an_inertia_that_no_mass_has_is_a_remark)
{
    static const char model[] =
        "<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
        "iyz='0' izz='3'/></inertial></link></robot>";
    perp_robot_options options = defaults();
    told t = {0};
    options.base = PERP_ROBOT_BASE_FREE;
    options.tell = hear;
    options.tell_ctx = &t;
    perp_robot_release(convert(model, &options), NULL);
    ck_assert_int_eq(t.notes, 1);
    ck_assert_ptr_nonnull(strstr(t.last, "triangle"));
    refused("<mujoco><worldbody>\n<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 "
            "1 3'/>"
            "</body></worldbody></mujoco>",
            PERP_ERR_FORMAT, "triangle", 2);
}
END_TEST

START_TEST(what_is_not_done_is_refused_or_left_out)
{
    static const char model[] =
        "<mujoco><worldbody><body><freejoint/><geom size='1'/></body>\n<flexcomp name='cloth'/>"
        "</worldbody>\n<actuator><dcmotor joint='j'/></actuator></mujoco>";
    perp_robot_options options = defaults();
    perp_scene_error error = {.size = sizeof error};
    told t = {0};
    char *text;
    options.tell = hear;
    options.tell_ctx = &t;
    ck_assert_int_eq(perp_robot_read_text(&text, model, strlen(model), &options, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(t.missing, 2);
    ck_assert_ptr_nonnull(strstr(error.text, "<flexcomp> 'cloth'"));
    ck_assert_int_eq(error.line, 2);
    options.ignore = "flexcomp";
    ck_assert_int_eq(perp_robot_read_text(&text, model, strlen(model), &options, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(error.line, 3);
    options.ignore = "flexcomp,dcmotor";
    perp_robot_release(convert(model, &options), NULL);
    options.ignore = "all";
    perp_robot_release(convert(model, &options), NULL);
    ck_assert_int_eq(t.left_out, 1 + 2 + 2);
}
END_TEST

/* As others write them: behind a comment, without version.  It is a remark, and lines stay. */
START_TEST(declarations_out_of_place_are_read_over)
{
    static const char *const models[] = {
        ("<!-- made by hand -->\n<?xml version='1.0'?>\n<mujoco><worldbody>\n<body><freejoint/>%s"
         "</body></worldbody></mujoco>"),
        ("<?xml ?>\n\n<mujoco><worldbody>\n<body><freejoint/>%s</body></worldbody></mujoco>"),
        ("<?xml version='1.0'?>\n\n<mujoco><worldbody>\n<body><freejoint/>%s"
         "</body></worldbody></mujoco>")};
    for (int k = 0; k < 3; k++) {
        perp_robot_options options = defaults();
        told t = {0};
        char text[400];
        options.tell = hear;
        options.tell_ctx = &t;
        snprintf(text, sizeof text, models[k], "<geom size='1'/>");
        perp_robot_release(convert(text, &options), NULL);
        ck_assert_int_eq(t.notes, k < 2);
        snprintf(text, sizeof text, models[k], "<geom size='x'/>");
        refused(text, PERP_ERR_FORMAT, "'x' is no number", 4);
    }
    refused("<mujoco>\n<?xml version='1.0'?><!DOCTYPE mujoco></mujoco>", PERP_ERR_FORMAT, "", 2);
    refused("<?xml ", PERP_ERR_FORMAT, "", 1);
}
END_TEST

START_TEST(hostile_xml_is_refused)
{
    enum { DEEP = 3000 };
    char *deep = malloc(DEEP * 16);
    ck_assert_ptr_nonnull(deep);
    refused("<?xml version='1.0'?>\n<!DOCTYPE mujoco [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b "
            "'&a;&a;&a;&a;&a;&a;&a;&a;'>]>\n<mujoco model='&b;'/>",
            PERP_ERR_FORMAT, "document type", 2);
    refused("<!DOCTYPE robot SYSTEM 'file:///etc/passwd'><robot/>", PERP_ERR_FORMAT,
            "document type", 1);
    refused("<mujoco><worldbody>\n</mujoco>", PERP_ERR_FORMAT, "worldbody", 2);
    refused("", PERP_ERR_FORMAT, "", 1);
    refused("\nrobot", PERP_ERR_FORMAT, "no XML: the first '<' is missing", 2);
    refused("<sdf/>", PERP_ERR_FORMAT, "neither MJCF", 1);
    refused("<mujoco>\n<include file='/etc/hostname'/></mujoco>", PERP_ERR_OPEN, "outside", 2);
    refused("<mujoco>\n<include file='../../../../../../etc/hostname'/></mujoco>", PERP_ERR_OPEN,
            "not found", 2);
    refused("<mujoco><worldbody>\n<replicate count='1e6'><replicate count='1e6'><body/></replicate>"
            "</replicate></worldbody></mujoco>",
            PERP_ERR_FORMAT, "more than", 0);
    deep[0] = '\0';
    for (char *c = deep; c < deep + (size_t)DEEP * 3; c += 3)
        strcpy(c, "<a>");
    refused(deep, PERP_ERR_FORMAT, "deep", 1);
    free(deep);
}
END_TEST

/* Files: includes below the folder of the model, and links that lead out of it. */
START_TEST(files_stay_in_their_folder)
{
    char folder[] = "/tmp/perp-robot-XXXXXX", path[200], other[200];
    perp_scene_error error = {.size = sizeof error};
    char *text;
    FILE *f;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.xml", folder);
    snprintf(other, sizeof other, "%s/part.xml", folder);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs("<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>", f);
    fclose(f);
    f = fopen(other, "w");
    ck_assert_ptr_nonnull(f);
    fputs("<mujocoinclude><body name='in'><freejoint/><geom "
          "size='1'/></body><light/></mujocoinclude>",
          f);
    fclose(f);
    ck_assert_int_eq(perp_robot_is_model(path), 1);
    ck_assert_msg(perp_robot_read(&text, path, NULL, NULL, &error) == PERP_SOLVED, "%s",
                  error.text);
    ck_assert_ptr_nonnull(strstr(text, "\"in\""));
    perp_robot_release(text, NULL);
    unlink(other);
    ck_assert_int_eq(symlink("/etc/hostname", other), 0);
    ck_assert_int_eq(perp_robot_read(&text, path, NULL, NULL, &error), PERP_ERR_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "outside"));
    unlink(other);
    f = fopen(other, "w");
    ck_assert_ptr_nonnull(f);
    fputs("<mujocoinclude><include file='part.xml'/></mujocoinclude>", f);
    fclose(f);
    ck_assert_int_eq(perp_robot_read(&text, path, NULL, NULL, &error), PERP_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "16 deep"));
    unlink(other);
    unlink(path);
    rmdir(folder);
}
END_TEST

/* Every allocation fails once: no memory is lost, and the next call goes through. */
START_TEST(failing_memory_is_an_error)
{
    for (int k = 0;; k++) {
        ref_memory ledger = {.fail_at = k};
        perp_allocator memory = ref_allocator(&ledger);
        char *text;
        perp_status status =
            perp_robot_read_text(&text, pendulum(), strlen(pendulum()), NULL, &memory, NULL);
        if (status == PERP_SOLVED) {
            perp_robot_release(text, &memory);
            ck_assert_int_eq(ledger.live, 0);
            break;
        }
        ck_assert_int_eq(status, PERP_ERR_MEMORY);
        ck_assert_ptr_null(text);
        ck_assert_int_eq(ledger.live, 0);
    }
}
END_TEST

int main(void)
{
#ifndef HAVE_LIBXML2
    return 77;
#else
    Suite *suite = suite_create("refused models of robots");
    TCase *tests = tcase_create("refused models of robots");
    tcase_add_test(tests, broken_urdfs_are_named);
    tcase_add_test(tests, broken_parts_of_urdfs_are_named);
    tcase_add_test(tests, shapes_without_extent);
    tcase_add_test(tests, meshes_of_other_kinds_are_missing);
    tcase_add_test(tests, points_of_mass_swing);
    tcase_add_test(tests, an_inertia_that_no_mass_has_is_a_remark);
    tcase_add_test(tests, what_is_not_done_is_refused_or_left_out);
    tcase_add_test(tests, declarations_out_of_place_are_read_over);
    tcase_add_test(tests, hostile_xml_is_refused);
    tcase_add_test(tests, files_stay_in_their_folder);
    tcase_add_test(tests, failing_memory_is_an_error);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
#endif
}
