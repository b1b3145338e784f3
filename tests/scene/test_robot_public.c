/* SPDX-License-Identifier: BSD-3-Clause */
/* What models of public collections have: joints that start beyond their range, places in the
 * world, skins, meshes of a package, planes and rolling friction of Bullet. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/scene/robot_text.h"

#define MASS                                                                                       \
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"        \
    "</inertial>"

static void has(const char *model, const char *words)
{
    told t;
    char *text = taken(model, &t);
    ck_assert_msg(strstr(text, words) != NULL, "no %s in %s", words, text);
    perp_robot_release(text, NULL);
}

#ifdef HAVE_LIBXML2
#define LEG(range)                                                                                 \
    "<mujoco><compiler angle='radian'/><worldbody><body name='b'><joint name='j' " range           \
    "/><geom "                                                                                     \
    "size='0.1' pos='0.3 0 0'/></body></worldbody></mujoco>"

START_TEST(joints_that_start_beyond_their_range)
{
    told t;
    char *text = taken(LEG("range='0.5 1'"), &t);
    ck_assert_msg(strstr(t.last, "starts at its limit 0.5") != NULL, "%s", t.last);
    ck_assert_ptr_nonnull(strstr(text, "\"start\": 0.5"));
    perp_robot_release(text, NULL);
    text = taken(LEG("range='-0.5 1'"), &t);
    ck_assert_int_eq(t.notes, 0);
    perp_robot_release(text, NULL);
}
END_TEST

/* A hopper, as models of Gym have it up to MuJoCo 2.3.3. */
START_TEST(places_in_the_world)
{
#define HOPPER(coordinate, first, second, joint, shape, site, slide)                               \
    "<mujoco><compiler coordinate='" coordinate "'/><worldbody><body name='b' pos='0 0 1.25'>"     \
    "<joint name='x' type='slide' axis='1 0 0' pos='" slide "'/><geom name='g' size='0.05' "       \
    "type='capsule' fromto='" first "'/><body name='c' pos='" second "'><joint name='j' "          \
    "axis='0 -1 0' pos='" joint "'/><geom name='h' type='capsule' size='0.05' fromto='" shape      \
    "'/><site name='s' pos='" site "'/></body></body></worldbody></mujoco>"
    same_scene(HOPPER("global", "0 0 1.5 0 0 1", "0.5 0 1", "0 0 1", "0 0 1 0 0 0.5", "0 0 0.25",
                      "0 0 1.25"),
               HOPPER("local", "0 0 0.25 0 0 -0.25", "0.5 0 -0.25", "-0.5 0 0",
                      "-0.5 0 0 -0.5 0 -0.5", "-0.5 0 -0.75", "0 0 0"));
    /* What has no pos is in the origin of the world; bodies need none. */
    same_scene("<mujoco><compiler coordinate='global'/><worldbody><body name='b' pos='0 0 1'>"
               "<joint name='j'/><geom name='g' size='1'/></body></worldbody></mujoco>",
               "<mujoco><worldbody><body name='b' pos='0 0 1'><joint name='j' pos='0 0 -1'/><geom "
               "name='g' size='1' pos='0 0 -1'/></body></worldbody></mujoco>");
    same_scene(
        "<mujoco><compiler coordinate='global'/><worldbody><body name='b' quat='0 1 0 0'><joint "
        "name='j' pos='0 0 1' axis='1 0 0'/><geom name='g' size='0.1' type='capsule' fromto='0 0 1 "
        "0 0.5 1'/><body name='c'><joint name='k' pos='0 0.5 1'/><geom name='h' size='0.1' pos='0 "
        "1 "
        "1'/></body></body></worldbody></mujoco>",
        "<mujoco><worldbody><body name='b'><joint name='j' pos='0 0 1' axis='1 0 0'/><geom "
        "name='g' "
        "size='0.1' type='capsule' fromto='0 0 1 0 0.5 1'/><body name='c'><joint name='k' pos='0 "
        "0.5 "
        "1'/><geom name='h' size='0.1' pos='0 1 1'/></body></body></worldbody></mujoco>");
#define TIED(coordinate, first, third, tie)                                                        \
    "<mujoco><compiler coordinate='" coordinate                                                    \
    "'/><worldbody><body name='a' pos='0 0 1' quat='0 "                                            \
    "1 0 0'><freejoint/><geom name='g' size='1' pos='" first                                       \
    "'/></body><body name='c' pos='0 2 1'"                                                         \
    "><freejoint/><geom name='h' size='1' pos='" third "'/></body></worldbody><equality>" tie      \
    "</equality></mujoco>"
    same_scene(TIED("global", "0 0 1", "0 2 1", "<connect body1='a' body2='c' anchor='0 1 1'/>"),
               TIED("local", "0 0 0", "0 0 0", "<connect body1='a' body2='c' anchor='0 -1 0'/>"));
    refused("<mujoco><compiler coordinate='global'/><worldbody><body name='b' pos='0 0 1'>\n"
            "<inertial mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>",
            PERP_ERR_UNSUPPORTED, "coordinate global", 2);
    told t;
    perp_robot_release(
        taken("<mujoco><compiler coordinate='global'/><worldbody><body name='b'><joint "
              "type='free'/><geom size='1' pos='0 0 2'/></body></worldbody></mujoco>",
              &t),
        NULL);
    ck_assert_msg(strstr(t.last, "its frame is that of the world") != NULL, "%s", t.last);
}
END_TEST

START_TEST(skins_are_only_seen)
{
    same_scene(
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='0.1' pos='1 0 0'/></body>"
        "</worldbody><deformable><skin name='s'><bone body='b'/></skin></deformable></mujoco>",
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='0.1' pos='1 0 0'/></body>"
        "</worldbody></mujoco>");
    refused("<mujoco><worldbody><body name='b'><joint name='j'/><geom size='0.1'/></body>"
            "</worldbody>\n<deformable><skin/><flex/></deformable></mujoco>",
            PERP_ERR_UNSUPPORTED, "this element", 2);
}
END_TEST

START_TEST(turns_of_meshes_are_normalised)
{
#define TURNED(quat)                                                                               \
    "<mujoco><asset><mesh name='m' refquat='" quat "' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"  \
    "<worldbody><body name='b'><freejoint/><geom type='mesh' "                                     \
    "mesh='m'/></body></worldbody></mujoco>"
    same_scene(TURNED("1 1 0 0"), TURNED("3 3 0 0"));
    told t;
    double mass;
    char *text = taken(TURNED("1 1 0 0"), &t);
    numbers_of(&mass, 1, text, "b", "mass");
    ck_assert_double_eq_tol(mass, 1000.0 / 6.0, 1e-9);
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(contacts_of_bullet)
{
#define BALL(contact)                                                                              \
    "<robot name='r'><link name='w'><collision><geometry><plane normal='0 0 2'/></geometry>"       \
    "</collision></link><link name='b'>" MASS "<contact>" contact "</contact><collision>"          \
    "<geometry><sphere radius='0.1'/></geometry></collision></link><joint name='j' "               \
    "type='floating'><parent link='w'/><child link='b'/><origin xyz='0 0 1'/></joint></robot>"
    has(BALL("<lateral_friction value='0.5'/>"), "\"plane\"");
    has(BALL("<rolling_friction value='0.03'/>"), "0.03");
    has(BALL("<spinning_friction value='0.02'/>"), "0.02");
    refused("<robot name='r'><link name='w'><collision><geometry>\n<plane normal='0 0 0'/>"
            "</geometry></collision></link></robot>",
            PERP_ERR_FORMAT, "no direction", 2);
    refused(BALL("\n<rolling_friction value='-1'/>"), PERP_ERR_FORMAT, "out of its range", 1);
}
END_TEST

START_TEST(words_of_other_programs)
{
    has("<robot name='r'><verbose value='1'/><link name='w'/><link name='b'>" MASS
        "</link><joint name='j' type='floating'><parent link='w'/><child "
        "link='b'/></joint></robot>",
        "\"b\"");
    refused("<robot name='r'><link name='w'>" MASS "<collision><geometry>\n<mesh "
            "filename='file://$(find arm)/m.stl'/></geometry></collision></link></robot>",
            PERP_ERR_UNSUPPORTED, "a word of xacro", 2);
}
END_TEST

/* Bullet's own files say version 0.0; what is not 1.x is read as 1.0, and lines stay. */
START_TEST(versions_of_xml)
{
    static const char *const versions[] = {"0.0", "0.0.1", "2.0", "1.0", "1.1"};
    for (int k = 0; k < 5; k++) {
        char text[600];
        told t;
        snprintf(text, sizeof text,
                 "<?xml version='%s' encoding='UTF-8'?>\n<robot name=''>\n%s</robot>", versions[k],
                 "<link name='world'/><link name='b'>" MASS
                 "</link><joint name='j' type='floating'><parent link='world'/><child "
                 "link='b'/></joint>");
        perp_robot_release(taken(text, &t), NULL);
        ck_assert_int_eq(t.notes, k < 3);
        snprintf(text, sizeof text, "<?xml version='%s'?>\n<robot name=''>\n<link/></robot>",
                 versions[k]);
        refused(text, PERP_ERR_FORMAT, "name", 3);
    }
    refused("<?xml version='0.0>\n<robot/>?>", PERP_ERR_FORMAT, "", 2);
}
END_TEST

/* What is no XML and other readers take: two hyphens in a comment, and bytes that are no UTF-8. */
START_TEST(comments_and_bytes_that_are_no_xml)
{
#define NAMED(before, name, rest)                                                                  \
    before "<mujoco><worldbody><body name='" name "'><freejoint/>\n<geom size='" rest              \
           "'/></body></worldbody></mujoco>"
    told t;
    perp_robot_release(taken(NAMED("<!----- a -- b\n<?xml ?>\xe9 ----->", "a", "1"), &t), NULL);
    ck_assert_int_eq(t.notes, 0);
    refused(NAMED("<!----- a -- b\n ----->\n", "a", "x"), PERP_ERR_FORMAT, "'x' is no number", 4);
    refused(NAMED("<!-- a", "a", "1"), PERP_ERR_FORMAT, "", 2);
    perp_robot_release(taken(NAMED("", "a", "1") "\n<!-- <a/> <!-- b -->\n<a/> c </a> -->", &t),
                       NULL);
    ck_assert_int_eq(t.notes, 1);
    ck_assert_msg(strstr(t.last, "behind the end of <mujoco> is not read (line 4)") != NULL, "%s",
                  t.last);
    refused("<mujoco><worldbody>\n</worldbody>", PERP_ERR_FORMAT, "", 2);
    refused("<mujoco>\n<worldbody></mujoco>", PERP_ERR_FORMAT, "", 2);
    char *text = taken(NAMED("", "caf\xe9 \xc3\xa9", "1"), &t);
    ck_assert_int_eq(t.notes, 1);
    ck_assert_msg(strstr(t.last, "read as Latin-1 (line 1)") != NULL, "%s", t.last);
    char *same = taken(NAMED("", "caf\xc3\xa9 \xc3\xa9", "1"), &t);
    ck_assert_int_eq(t.notes, 0);
    ck_assert_str_eq(text, same);
    perp_robot_release(text, NULL);
    perp_robot_release(same, NULL);
    text = taken(NAMED("<?xml version='1.0' encoding='ISO-8859-1'?>", "caf\xe9", "1"), &t);
    ck_assert_int_eq(t.notes, 0);
    perp_robot_release(text, NULL);
    text =
        taken(NAMED("<?xml version='1.0' encoding='utf-8'?>", "\xff\xc0\xaf\xf5\xe2\x82", "1"), &t);
    ck_assert_int_eq(t.notes, 1);
    perp_robot_release(text, NULL);
}
END_TEST

/* A lower limit above the upper one says in Bullet that there is none. */
START_TEST(limits_that_are_none)
{
#define LIMITS(type, limit)                                                                        \
    "<robot name='r'><link name='w'/><link name='b'>" MASS "</link><joint name='j' type='" type    \
    "'><parent link='w'/><child link='b'/>" limit "</joint></robot>"
    told t;
    char *text = taken(LIMITS("revolute", "<limit lower='1' upper='0' effort='2'/>"), &t);
    ck_assert_ptr_null(strstr(text, "limit"));
    ck_assert_int_eq(t.notes, 2); /* the root is fixed */
    perp_robot_release(text, NULL);
    text = taken(LIMITS("revolute", "<limit lower='0' upper='1' effort='2'/>"), &t);
    ck_assert_ptr_nonnull(strstr(text, "limit"));
    ck_assert_int_eq(t.notes, 1);
    perp_robot_release(text, NULL);
    text = taken(LIMITS("prismatic", "<limit lower='1e-3' upper='0' effort='2'/>"), &t);
    ck_assert_ptr_null(strstr(text, "limit"));
    perp_robot_release(text, NULL);
}
END_TEST

/* A mass without any inertia that turns about its centre has that of its shapes: here of a box and
 * a cylinder, evenly filled. */
START_TEST(inertias_that_follow_from_shapes)
{
#define BARE "<inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial>"
    static const char model[] =
        "<robot name='r'><link name='w'/><link name='b'><inertial><mass value='3'/>" BARE
        "<collision><geometry><box size='2 1 1'/></geometry></collision></link><link name='c'>"
        "<collision><origin xyz='0 0 3'/><geometry><box size='1 1 2'/></geometry></collision>"
        "</link><joint name='j' type='continuous'><parent link='w'/><child link='b'/></joint>"
        "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint></robot>";
    told t;
    char *text = taken(model, &t);
    double I[3], mass, each = 1.5, across = each * (1.0 + 1.0) / 12.0,
                       along = each * (4.0 + 1.0) / 12.0;
    numbers_of(I, 3, text, "b", "inertia");
    numbers_of(&mass, 1, text, "b", "mass");
    ck_assert_double_eq_tol(mass, 3.0, 1e-15);
    double apart = 2.0 * each * 1.5 * 1.5; /* each 1.5 from the middle of both */
    ck_assert_double_eq_tol(I[0], across + along + apart, 1e-12);
    ck_assert_double_eq_tol(I[1], along + along + apart, 1e-12);
    ck_assert_double_eq_tol(I[2], along + across, 1e-12);
    ck_assert_msg(strstr(t.last, "that of its shapes") != NULL, "%s", t.last);
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(what_programs_drive_is_a_remark)
{
#define FORCED(inner)                                                                              \
    "<robot xmlns='http://drake.mit.edu' name='r'><bullet><user-data key='k'/></bullet><link "     \
    "name='world'/><joint name='j' "                                                               \
    "type='floating'><parent link='world'/><child link='b'/></joint><link name='b'>" MASS          \
    "</link>\n<force_element "                                                                     \
    "name='p'>" inner "</force_element></robot>"
    told t;
    perp_robot_release(taken(FORCED("<propellor lower_limit='0'/><propeller/>"), &t), NULL);
    ck_assert_int_eq(t.notes, 2);
    refused(FORCED("<linear_spring_damper/>"), PERP_ERR_UNSUPPORTED, "this element", 2);
    refused(FORCED("<propellor/><added_mass/>"), PERP_ERR_UNSUPPORTED, "this element", 2);
    refused(FORCED(""), PERP_ERR_UNSUPPORTED, "this element", 2);
}
END_TEST

/* Words that ROS leaves to the environment have a default. */
START_TEST(defaults_of_the_environment)
{
#define PLACED(xyz)                                                                                \
    "<robot name='r'><link name='world'/><joint name='j' type='floating'><parent link='world'/>"   \
    "<child link='b'/>\n<origin xyz='" xyz "'/></joint><link name='b'>" MASS "</link></robot>"
    told t;
    char *text = taken(PLACED(" $(optenv PLACE_OF_B 0.5 -1e-1  2) "), &t);
    double x[3];
    numbers_of(x, 3, text, "b", "position");
    ck_assert_double_eq(x[0], 0.5);
    ck_assert_double_eq(x[1], -0.1);
    ck_assert_double_eq(x[2], 2.0);
    ck_assert_msg(strstr(t.last, "is read as its default") != NULL, "%s", t.last);
    perp_robot_release(text, NULL);
    refused(PLACED("$(optenv PLACE_OF_B 0.5 1)"), PERP_ERR_FORMAT, "3 numbers", 2);
    refused(PLACED("$(optenv PLACE_OF_B)"), PERP_ERR_FORMAT, "3 numbers", 2);
    refused(PLACED("$(optenv PLACE_OF_B 1 2 3"), PERP_ERR_FORMAT, "a word of xacro", 2);
    refused(PLACED("$(optenv PLACE_OF_B 1 2) 3"), PERP_ERR_FORMAT, "a word of xacro", 2);
    refused(PLACED("$(env PLACE_OF_B) 2 3"), PERP_ERR_FORMAT, "a word of xacro", 2);
}
END_TEST

#ifdef HAVE_JANSSON
/* A box on a belt that is turned, on a turned plane, and in the middle of a disc that spins. */
START_TEST(surfaces_that_run)
{
#define ON(geom)                                                                                   \
    "<mujoco><worldbody><geom friction='1' name='g' " geom "/><body name='b' pos='0 0 0.05'>"      \
    "<freejoint/><geom type='box' size='0.1 0.1 0.05'/></body></worldbody></mujoco>"
    static const struct {
        const char *model;
        double v[6];
    } all[] = {
        {ON("type='box' size='3 3 0.1' pos='0.1 0 -0.1' euler='0 0 90' surfacevel='1'"),
         {0, 1, 0, 0, 0, 0}},
        {ON("type='plane' size='3 3 0.1' euler='0 0 90' surfacevel='0 1 0'"), {-1, 0, 0, 0, 0, 0}},
        {ON("type='plane' size='3 3 0.1' surfacevel='0 0 0 0 0 2'"), {0, 0, 0, 0, 0, 2}}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        double *v;
        perp_scene *scene = scene_of_model(all[k].model, NULL);
        scene_run_until(scene, 0.5);
        (void)scene_state(scene, "b", &v);
        for (int i = 0; i < 6; i++)
            ck_assert_double_eq_tol(v[i], all[k].v[i], 1e-6);
        perp_scene_destroy(scene);
    }
    refused("<mujoco><worldbody><body name='b'><freejoint/>\n<geom size='1' surfacevel='1'/></body>"
            "</worldbody></mujoco>",
            PERP_ERR_UNSUPPORTED, "surfacevel", 2);
}
END_TEST
#endif

#define BUILTIN(kind, params)                                                                      \
    "<mujoco><asset>\n<mesh name='m' builtin='" kind "' params='" params                           \
    "' scale='2 2 2'/></asset>"                                                                    \
    "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m' density='1'/></body>"        \
    "</worldbody></mujoco>"

/* Volumes of what MuJoCo makes, times 8. */
START_TEST(meshes_that_are_made)
{
    static const struct {
        const char *model;
        double mass;
    } all[] = {{BUILTIN("sphere", "0"), 8 * 2.5361507101204095},
               {BUILTIN("sphere", "1"), 8 * 3.6587123},
               {BUILTIN("hemisphere", "0"), 8 * 2.0 / 3.0},
               {BUILTIN("hemisphere", "2"), 8 * 1.7856406},
               {BUILTIN("cone", "4 0.5"), 8 * 7.0 / 3.0},
               {BUILTIN("cone", "4 0"), 8 * 4.0 / 3.0},
               {BUILTIN("supersphere", "4 .5 .7"), 8 * 2.6876381}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        told t;
        double mass;
        char *text = taken(all[k].model, &t);
        numbers_of(&mass, 1, text, "b", "mass");
        ck_assert_double_eq_tol(mass, all[k].mass, 1e-6);
        perp_robot_release(text, NULL);
    }
    has(BUILTIN("supertorus", "8 .3 .5 .7"), "\"mass\"");
    refused(BUILTIN("plate", "2 2"), PERP_ERR_UNSUPPORTED, "builtin plate", 2);
    refused(BUILTIN("sphere", "2.5"), PERP_ERR_UNSUPPORTED, "with such params", 2);
}
END_TEST

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

/* FOLDER/arm/urdf/r.urdf, FOLDER/arm/meshes/m.obj and FOLDER/other/m.obj. */
START_TEST(meshes_of_the_package_of_the_model)
{
    static const char *const folders[] = {"", "/arm", "/arm/urdf", "/arm/meshes", "/other"};
    static const char *const files[] = {"/arm/meshes/m.obj", "/other/m.obj", "/arm/urdf/r.urdf"};
    static const struct {
        const char *name;
        perp_status status;
    } all[] = {{"package://arm/meshes/m.obj", PERP_SOLVED},
               {"/of/another/machine/arm/meshes/m.obj", PERP_SOLVED},
               {"file:///of/another//arm/meshes/m.obj", PERP_SOLVED},
               {"/of/another/machine/arm/../other/m.obj", PERP_ERR_UNSUPPORTED},
               {"/of/another/machine/other/m.obj", PERP_ERR_UNSUPPORTED},
               {"model://arm/meshes/m.obj", PERP_SOLVED},
               {"package://arm/../other/m.obj", PERP_ERR_UNSUPPORTED},
               {"package://other/m.obj", PERP_ERR_UNSUPPORTED},
               {"package://ar/meshes/m.obj", PERP_ERR_UNSUPPORTED}};
    char folder[64] = "/tmp/perp-package-XXXXXX", path[200], text[1000];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (int k = 1; k < 5; k++) {
        snprintf(path, sizeof path, "%s%s", folder, folders[k]);
        ck_assert_int_eq(mkdir(path, 0700), 0);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s%s", folder, files[k]);
        write_file(path,
                   "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    }
    snprintf(path, sizeof path, "%s%s", folder, files[2]);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        perp_scene_error error = {.size = sizeof error};
        char *scene = NULL;
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'>" MASS "<collision><geometry><mesh filename='%s'/>"
                 "</geometry></collision></link></robot>",
                 all[k].name);
        write_file(path, text);
        ck_assert_msg(perp_robot_read(&scene, path, NULL, NULL, &error) == all[k].status, "%s: %s",
                      all[k].name, error.text);
        perp_robot_release(scene, NULL);
    }
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s%s", folder, files[k]);
        unlink(path);
    }
    for (int k = 4; k >= 0; k--) {
        snprintf(path, sizeof path, "%s%s", folder, folders[k]);
        rmdir(path);
    }
}
END_TEST
static void write_below(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, text);
}

/* Files of a file in another folder: in that of the model, else beside it; messages name them with
 * their folders. */
START_TEST(files_beside_one_that_is_included)
{
    static const char *const names[] = {"model.xml", "inner.xml", "sub/part.xml", "sub/inner.xml",
                                        "sub/a.obj"};
    char folder[] = "/tmp/perp-robot-XXXXXX", path[200];
    perp_scene_error error = {.size = sizeof error};
    char *text;
    double mass;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sub", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    write_below(folder, names[0],
                "<mujoco><include file='sub/part.xml'/><worldbody><body name='b'><freejoint/>"
                "<geom size='1 1 1' type='box'/><geom type='mesh' mesh='a'/></body></worldbody>"
                "</mujoco>");
    write_below(folder, names[2],
                "<mujocoinclude><include file='inner.xml'/><asset><mesh name='a' file='a.obj'/>"
                "</asset></mujocoinclude>");
    write_below(folder, names[1],
                "<mujocoinclude><default><geom mass='3'/></default></mujocoinclude>");
    write_below(folder, names[3],
                "<mujocoinclude><default><geom mass='5'/></default></mujocoinclude>");
    write_below(folder, names[4],
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    snprintf(path, sizeof path, "%s/%s", folder, names[0]);
    for (int k = 0; k < 2; k++) {
        char other[200];
        ck_assert_msg(perp_robot_read(&text, path, NULL, NULL, &error) == PERP_SOLVED, "%s",
                      error.text);
        numbers_of(&mass, 1, text, "b", "mass");
        ck_assert_double_eq(mass, k == 0 ? 6.0 : 10.0);
        perp_robot_release(text, NULL);
        snprintf(other, sizeof other, "%s/%s", folder, names[1]);
        unlink(other);
    }
    write_below(folder, names[3],
                "<mujocoinclude>\n<default><geom mass='x'/></default></mujocoinclude>");
    ck_assert_int_eq(perp_robot_read(&text, path, NULL, NULL, &error), PERP_ERR_FORMAT);
    snprintf(path, sizeof path, "%s/%s: <", folder, names[0]);
    ck_assert_int_eq(strncmp(error.text, path, strlen(path)),
                     0); /* the geom that has the default */
    write_below(folder, names[3],
                "<mujocoinclude>\n<worldbody><geom size='x'/></worldbody></mujocoinclude>");
    snprintf(path, sizeof path, "%s/%s", folder, names[0]);
    ck_assert_int_eq(perp_robot_read(&text, path, NULL, NULL, &error), PERP_ERR_FORMAT);
    snprintf(path, sizeof path, "%s/%s: <geom>: size", folder, names[3]);
    ck_assert_msg(strncmp(error.text, path, strlen(path)) == 0, "%s", error.text);
    for (int k = 0; k < 5; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/sub", folder);
    rmdir(path);
    rmdir(folder);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("public models");
    TCase *tcase = tcase_create("public models");
#ifdef HAVE_LIBXML2
    tcase_add_test(tcase, joints_that_start_beyond_their_range);
    tcase_add_test(tcase, places_in_the_world);
    tcase_add_test(tcase, skins_are_only_seen);
    tcase_add_test(tcase, turns_of_meshes_are_normalised);
    tcase_add_test(tcase, meshes_that_are_made);
#ifdef HAVE_JANSSON
    tcase_add_test(tcase, surfaces_that_run);
#endif
    tcase_add_test(tcase, contacts_of_bullet);
    tcase_add_test(tcase, words_of_other_programs);
    tcase_add_test(tcase, files_beside_one_that_is_included);
    tcase_add_test(tcase, versions_of_xml);
    tcase_add_test(tcase, comments_and_bytes_that_are_no_xml);
    tcase_add_test(tcase, defaults_of_the_environment);
    tcase_add_test(tcase, limits_that_are_none);
    tcase_add_test(tcase, inertias_that_follow_from_shapes);
    tcase_add_test(tcase, what_programs_drive_is_a_remark);
    tcase_add_test(tcase, meshes_of_the_package_of_the_model);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
