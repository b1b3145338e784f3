/* SPDX-License-Identifier: BSD-3-Clause */
/* What models in use have beside the plain elements: frames without mass, meshes that are only
 * seen, undeclared worlds, macros, elements of other programs, flags. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <unistd.h>

#include "tests/scene/robot_text.h"

#define MASS                                                                                       \
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"        \
    "</inertial>"
#define LINK(name, inside) "<link name='" name "'>" inside "</link>"
#define JOINT(name, type, up, down)                                                                \
    "<joint name='" name "' type='" type "'><parent link='" up "'/><child link='" down "'/>"       \
    "<origin xyz='0 0 1'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='9' "              \
    "velocity='9'/></joint>"
#define TWO LINK("a", MASS) LINK("b", MASS) JOINT("j", "revolute", "a", "b")

START_TEST(a_world_that_no_link_declares)
{
    told t;
    char *text = taken("<robot name='r'>" TWO JOINT("w", "floating", "world", "a") "</robot>", &t);
    ck_assert_ptr_nonnull(strstr(t.last, "'world' is no link"));
    perp_robot_release(text, NULL);
    same_scene(
        "<robot name='r'>" TWO JOINT("w", "revolute", "world", "a") "</robot>",
        "<robot name='r'><link name='world'/>" TWO JOINT("w", "revolute", "world", "a") "</robot>");
}
END_TEST

START_TEST(frames_without_mass_are_held)
{
    told t;
    char *text = taken("<robot name='r'>" TWO LINK("tip", "") JOINT("k", "revolute", "b", "tip")
                           LINK("more", "") JOINT("l", "fixed", "tip", "more") "</robot>",
                       &t);
    ck_assert_int_ge(t.notes, 1);
    ck_assert_ptr_null(strstr(text, "\"k\""));
    perp_robot_release(text, NULL);
    refused("<robot name='r'>" TWO "\n" LINK("tip", "<collision><geometry><sphere radius='1'/>"
                                                    "</geometry></collision>")
                JOINT("k", "revolute", "b", "tip") "</robot>",
            PERP_ERR_UNSUPPORTED, "has no mass", 2);
}
END_TEST

#define LIMITED(name, up, down, limits)                                                            \
    "<joint name='" name "' type='revolute'><parent link='" up "'/><child link='" down             \
    "'/><limit " limits " velocity='0'/></joint>"

/* Exporters write 0 where nobody gave limits and efforts. */
START_TEST(limits_and_efforts_of_zero)
{
    static const struct {
        const char *limits, *words;
    } cases[] = {{"lower='0' upper='0' effort='9'", "both limits are 0: it does not move"},
                 {"lower='-1' upper='1' effort='0'", "is 0: nothing holds it, nor 1 more"},
                 {"lower='-1' upper='1' effort='9'", "the floor is at 0: nothing that moves has"}};
    char model[1500];
    for (int k = 0; k < 3; k++) {
        perp_robot_options options = defaults();
        told t = {0};
        options.tell = hear;
        options.tell_ctx = &t;
        options.base = PERP_ROBOT_BASE_FREE;
        options.hold = 1;
        options.floor = k == 2;
        snprintf(model, sizeof model,
                 "<robot name='r'>" LINK("a", MASS) LINK("b", MASS) LINK("c", MASS)
                     LIMITED("j", "a", "b", "%s") LIMITED("k", "b", "c", "%s") "</robot>",
                 cases[k].limits, cases[k].limits);
        perp_robot_release(convert(model, &options), NULL);
        ck_assert_int_eq(t.notes, k == 0 ? 2 : 1);
        ck_assert_msg(strstr(t.last, cases[k].words) != NULL, "%s", t.last);
    }
}
END_TEST

START_TEST(balls)
{
    told t;
    char *text = taken("<robot name='r'>" LINK("a", MASS) LINK("b", MASS)
                           JOINT("j", "spherical", "a", "b") "</robot>",
                       &t);
    ck_assert_ptr_nonnull(strstr(text, "\"joint\": \"point\""));
    perp_robot_release(text, NULL);
    same_scene("<robot name='r'>" LINK("a", MASS) LINK("b", MASS)
                   JOINT("j", "spherical", "a", "b") "</robot>",
               "<robot name='r'>" LINK("a", MASS) LINK("b", MASS)
                   JOINT("j", "ball", "a", "b") "</robot>");
}
END_TEST

START_TEST(macros_are_named)
{
    refused("<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:include filename='f'/>"
            "</robot>",
            PERP_ERR_FORMAT, "xacro", 2);
    refused("<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='r'>\n"
            "<xacro:macro name='m' params='p'/>" TWO "</robot>",
            PERP_ERR_FORMAT, "xacro", 2);
    refused("<robot name='r'><link name='a'><inertial>\n<mass value='${m}'/>"
            "<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>",
            PERP_ERR_FORMAT, "xacro", 2);
    refused("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>" TWO
            "\n<xacro:left_over/></robot>",
            PERP_ERR_UNSUPPORTED, "xacro", 2);
}
END_TEST

START_TEST(elements_of_other_programs)
{
    told t;
    perp_robot_release(taken("<robot name='r' xmlns:drake='d'>" TWO "<drake:transmission/><sensor "
                             "name='s'/><frame name='f' link='a'/></robot>",
                             &t),
                       NULL);
    refused("<robot name='r' xmlns:drake='d'>" TWO "\n<drake:linear_bushing_rpy/></robot>",
            PERP_ERR_UNSUPPORTED, "this element", 2);
    refused("<robot name='r'>" TWO "\n<loop_joint name='k'/></robot>", PERP_ERR_UNSUPPORTED,
            "this element", 2);
}
END_TEST

#define HINGE(inside)                                                                              \
    "<mujoco>" inside "<worldbody><body name='b'><joint name='j' stiffness='3' damping='2'/>"      \
    "<geom size='0.1' pos='0.3 0 0'/></body></worldbody></mujoco>"
#define PLAIN(joint)                                                                               \
    "<mujoco><worldbody><body name='b'><joint name='j' " joint "/>"                                \
    "<geom size='0.1' pos='0.3 0 0'/></body></worldbody></mujoco>"

START_TEST(flags_of_springs_and_dampers)
{
    same_scene(HINGE("<option><flag spring='disable'/></option>"), PLAIN("damping='2'"));
    same_scene(HINGE("<option><flag damper='disable'/></option>"), PLAIN("stiffness='3'"));
    same_scene(HINGE("<option><flag passive='disable'/></option>"), PLAIN(""));
    same_scene(HINGE("<option density='1' viscosity='2'><flag damper='disable' spring='disable'/>"
                     "</option>"),
               PLAIN(""));
    same_scene(HINGE("<option o_margin='1' o_solref='1 1' o_friction='1 1 1 1 1'/>"),
               PLAIN("stiffness='3' damping='2'"));
}
END_TEST

#define SEEN(body, geom, more)                                                                     \
    "<mujoco><asset>\n<mesh name='m' file='nowhere.stl'/></asset><worldbody><body name='b'>"       \
    "<joint/>" body "<geom name='g' type='mesh' mesh='m' " geom "/></body>"                        \
    "<geom name='f' type='plane' size='1 1 1'/></worldbody>" more "</mujoco>"
#define HEAVY "<inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/>"
#define GHOST "contype='0' conaffinity='0'"

/* A mesh that is not there is no matter where nothing touches it and it weighs nothing. */
START_TEST(meshes_that_are_only_seen)
{
    told t;
    char *text = taken(SEEN(HEAVY, GHOST, ""), &t);
    ck_assert_ptr_nonnull(strstr(t.last, "it is only seen"));
    perp_robot_release(text, NULL);
    perp_robot_release(taken(SEEN("<geom size='1'/>", GHOST " mass='0'", ""), &t), NULL);
    perp_robot_release(taken(SEEN("<geom size='1'/>", GHOST " density='0'", ""), &t), NULL);
    refused(SEEN(HEAVY, "", ""), PERP_ERR_UNSUPPORTED, "not found", 2);
    refused(SEEN("<geom size='1'/>", GHOST, ""), PERP_ERR_UNSUPPORTED, "not found", 2);
    refused(SEEN(HEAVY, GHOST, "<contact><pair geom1='f' geom2='g'/></contact>"),
            PERP_ERR_UNSUPPORTED, "not found", 2);
}
END_TEST

#define ACTED(inside)                                                                              \
    "<mujoco><worldbody><site name='s'/><site name='t' pos='1 0 0'/><body name='b'>"               \
    "<joint name='j'/><geom name='g' size='0.1' pos='0.3 0 0'/><site name='u'/></body>"            \
    "</worldbody>" inside "</mujoco>"

START_TEST(what_does_nothing_is_taken)
{
    told t;
    perp_robot_options options = defaults();
    const char *const control[] = {"grip=1"};
    perp_scene_error error = {.size = sizeof error};
    char *text;
    perp_robot_release(
        taken(ACTED("<actuator><adhesion name='grip' body='b' gain='5' ctrlrange='0 1'/>"
                    "</actuator>"),
              &t),
        NULL);
    options.control = control;
    options.ncontrols = 1;
    text = NULL;
    const char *model = ACTED("<actuator>\n<adhesion name='grip' body='b' gain='5' "
                              "ctrlrange='0 1'/></actuator>");
    ck_assert_int_eq(perp_robot_read_text(&text, model, strlen(model), &options, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "adhesion"));
    perp_robot_release(taken(ACTED("<tendon><spatial><site site='s'/><site site='t'/>"
                                   "<site site='u'/></spatial></tendon>"),
                             &t),
                       NULL);
    refused(
        ACTED(
            "<tendon>\n<spatial stiffness='1 2' springlength='0 1'><site site='s'/><site site='t'/>"
            "<site site='u'/></spatial></tendon>"),
        PERP_ERR_UNSUPPORTED, "stiffness that is no line", 2);
}
END_TEST

/* Where a robot that stands on nothing but its feet is; each quantity once. */
START_TEST(free_bodies_are_recorded)
{
    told t;
    char *text = taken(
        "<mujoco><worldbody><body name='b'><freejoint/><geom size='1'/><body name='c'>"
        "<joint name='j'/><geom size='1' pos='3 0 0'/></body></body><body name='d' pos='9 0 0'>"
        "<freejoint/><geom size='1'/></body></worldbody><sensor><framelinvel objtype='body' "
        "objname='b'/></sensor></mujoco>",
        &t);
    ck_assert_ptr_nonnull(
        strstr(text, "\"j.angle\", \"j.rate\", \"b.v\", \"b.q\", \"d.q\", \"d.v\"]"));
    perp_robot_release(text, NULL);
}
END_TEST

/* Sensors of one quantity are one record, those that a scene has not are told together. */
START_TEST(sensors_of_one_quantity)
{
    told t;
    char *text = taken(
        "<mujoco><worldbody><body name='b'><freejoint/><geom size='1'/><site name='s'/><body "
        "name='c' pos='0 0 2'><geom size='1'/><body name='d'><joint name='j' range='-1 1'/><geom "
        "size='1' pos='3 0 0'/></body></body></body></worldbody>\n<sensor><framelinvel "
        "objtype='body' objname='b'/><frameangvel objtype='xbody' objname='c'/><framepos "
        "objtype='body' objname='b'/><framequat objtype='body' objname='b'/><clock/>"
        "<jointactuatorfrc joint='j'/><jointactuatorfrc joint='j'/><e_kinetic/><e_kinetic/>"
        "<e_potential/></sensor>\n<sensor>\n<gyro site='s'/><touch site='s'/><force site='s'/>"
        "<touch site='s'/><framepos objtype='site' objname='s'/></sensor></mujoco>",
        &t);
    ck_assert_msg(strstr(text, "[\"energy\", \"j.angle\", \"j.rate\", \"b.v\", \"b.q\", "
                               "\"j.torque\", \"kinetic\", \"potential\"]") != NULL,
                  "%s", text);
    ck_assert_int_eq(t.notes, 1);
    ck_assert_msg(strstr(t.last, "<gyro>: this sensor is not recorded, nor are others: touch, "
                                 "force, framepos (line 4)") != NULL,
                  "%s", t.last);
#ifdef HAVE_JANSSON
    (void)last_value(text, 0);
#endif
    perp_robot_release(text, NULL);
}
END_TEST

#define ARM(more)                                                                                  \
    "<mujoco><worldbody><body name='a'><joint axis='0 1 0'/><geom size='0.12'/><body name='b' "    \
    "pos='0 0 0.1'><joint axis='0 1 0'/><geom size='0.12'/><body name='c' pos='0 0 0.1'><joint "   \
    "axis='0 1 0'/><geom size='0.12'/></body></body></body></worldbody>" more "</mujoco>"
#define TABLE                                                                                      \
    "<mujoco><worldbody><geom name='table' type='box' size='1 1 0.1'/><body name='slider' pos='0 " \
    "0 0.2'><joint "                                                                               \
    "type='slide' axis='1 0 0'/><geom type='box' size='0.1 0.1 "                                   \
    "0.15'/></body></worldbody></mujoco>"

/* Shapes in each other that a joint may part: what can be done is said. */
START_TEST(ways_out_of_overlaps)
{
    told t = {0};
    perp_robot_options options = defaults();
    char *text = taken(ARM(""), &t);
    ck_assert_msg(strstr(t.last, "'a' and 'c' overlap by 0.04 at the start, and a joint may part "
                                 "them; if they are never to touch: --no-self-contact, or "
                                 "<exclude> in <contact> for this pair") != NULL,
                  "%s", t.last);
    perp_robot_release(text, NULL);
    text = taken(ARM("<keyframe><key name='bent' qpos='0 1 1'/></keyframe>"), &t);
    ck_assert_msg(strstr(t.last, "'a' and 'c' overlap by 0.04 at the start; --keyframe bent starts "
                                 "elsewhere") != NULL,
                  "%s", t.last);
    perp_robot_release(text, NULL);
    text = taken(ARM("<keyframe><key qpos='0 1 1'/></keyframe>"), &t);
    ck_assert_msg(strstr(t.last, "--keyframe 0 starts") != NULL, "%s", t.last);
    perp_robot_release(text, NULL);
    text = taken(ARM("<contact><exclude body1='a' body2='c'/></contact>"), &t);
    ck_assert_int_eq(t.notes, 0);
    perp_robot_release(text, NULL);
    options.tell = hear;
    options.tell_ctx = &t;
    for (int k = 0; k < 2; k++) { /* the table is no part that moves */
        options.no_self_contact = k;
        text = convert(TABLE, &options);
        ck_assert_msg(strstr(t.last, "no joint can part them") != NULL, "%s", t.last);
        ck_assert_ptr_nonnull(strstr(text, "\"table\""));
        ck_assert_ptr_nonnull(strstr(text, "\"exclude\""));
        perp_robot_release(text, NULL);
    }
    memset(&t, 0, sizeof t);
    text = convert(ARM(""), &options);
    ck_assert_int_eq(t.notes, 0);
    perp_robot_release(text, NULL);
}
END_TEST

#define FITTED(geom)                                                                               \
    "<mujoco><asset><mesh name='m' vertex='-1 -2 -4  1 -2 -4  -1 2 -4  1 2 -4  -1 -2 4  1 -2 4  "  \
    "-1 2 4  1 2 4' refpos='1 0 0'/></asset><worldbody><body name='b'><freejoint/><geom " geom     \
    "/></body></worldbody></mujoco>"

/* A pyramid, whose centre is at a quarter of its height. */
#define AROUND(geom)                                                                               \
    "<mujoco><compiler fitaabb='true'/><asset><mesh name='m' vertex='-1 -2 0  1 -2 0  -1 2 0  1 "  \
    "2 0  0 0 12'/></asset><worldbody><body name='b'><freejoint/><geom " geom                      \
    "/></body></worldbody></mujoco>"

/* A box of half sides 1, 2, 4 about -1 0 0. */
START_TEST(shapes_fitted_to_a_mesh)
{
    static const char *const pairs[][2] = {
        {FITTED("type='box' mesh='m'"), FITTED("type='box' size='1 2 4' pos='-1 0 0'")},
        {FITTED("type='ellipsoid' mesh='m' fitscale='2'"),
         FITTED("type='ellipsoid' size='2 4 8' pos='-1 0 0'")},
        {FITTED("type='cylinder' mesh='m' pos='1 0 0'"), FITTED("type='cylinder' size='1.5 4'")},
        {FITTED("type='capsule' mesh='m' pos='1 0 0'"), FITTED("type='capsule' size='1.5 3.25'")},
        {FITTED("type='sphere' mesh='m' pos='1 0 0'"), FITTED("size='2.3333333333333333'")},
        {AROUND("type='box' mesh='m'"), AROUND("type='box' size='1 2 6' pos='0 0 6'")},
        {AROUND("type='ellipsoid' mesh='m'"), AROUND("type='ellipsoid' size='1 2 6' pos='0 0 6'")},
        {AROUND("type='cylinder' mesh='m' fitscale='0.5'"),
         AROUND("type='cylinder' size='1 3' pos='0 0 6'")},
        {AROUND("type='capsule' mesh='m'"), AROUND("type='capsule' size='2 4' pos='0 0 6'")},
        {AROUND("type='sphere' mesh='m'"), AROUND("size='6' pos='0 0 6'")}};
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        double mass[2], inertia[2][3], place[2][3] = {{0.0}};
        for (int i = 0; i < 2; i++) {
            told t;
            char *text = taken(pairs[k][i], &t);
            if (strstr(text, "\"position\": ") != NULL)
                numbers_of(place[i], 3, text, "b", "position");
            numbers_of(&mass[i], 1, text, "b", "mass");
            numbers_of(inertia[i], 3, text, "b", "inertia");
            perp_robot_release(text, NULL);
        }
        close_to(mass[0], mass[1], mass[1]);
        for (int i = 0; i < 3; i++)
            close_to(place[0][i], place[1][i], 10.0);
        for (int i = 0; i < 3; i++)
            close_to(inertia[0][i], inertia[1][i], 10.0 * inertia[1][0]);
    }
    refused(FITTED("type='box' mesh='n'"), PERP_ERR_FORMAT, "no mesh 'n'", 1);
    refused(FITTED("type='box' mesh='m' fitscale='0'"), PERP_ERR_FORMAT, "fitscale", 1);
}
END_TEST

#ifdef HAVE_JANSSON
/* A capsule that turns about the centre of its end, in the block that it is hinged to; one that
 * turns about another point comes out of it. */
START_TEST(ends_of_capsules_in_their_bearing)
{
    static const char model[] =
        "<mujoco><worldbody><geom name='block' type='box' size='0.1 0.1 0.02'/><body name='rod' "
        "pos='0 0 0.02'><joint axis='0 1 0' pos='%s'/><geom type='capsule' size='0.01' fromto='0 0 "
        "0 0 0 0.2'/></body></worldbody></mujoco>";
    static const char *const pivots[] = {"0 0 0", "0 0 0.05"};
    for (int k = 0; k < 2; k++) {
        char text[500];
        told t;
        snprintf(text, sizeof text, model, pivots[k]);
        perp_robot_release(taken(text, &t), NULL);
        ck_assert_int_eq(strstr(t.last, "no joint can part them") != NULL, k == 0);
    }
}
END_TEST
#endif

#define POINTS                                                                                     \
    "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='16'>"    \
    "0 0 0 9\n1 0 0 9 0 1 0 9 0 0 1 9</float_array><technique_common><accessor source='#a' "       \
    "count='4' stride='4'/></technique_common></source><vertices id='v'><input "                   \
    "semantic='POSITION' source='#p'/></vertices></mesh></geometry></library_geometries>"
/* Each has the next one ten times. */
#define TEN(to)                                                                                    \
    "<instance_node url='#" to "'/><instance_node url='#" to "'/><instance_node url='#" to "'/>"   \
    "<instance_node url='#" to "'/><instance_node url='#" to "'/><instance_node url='#" to "'/>"   \
    "<instance_node url='#" to "'/><instance_node url='#" to "'/><instance_node url='#" to "'/>"   \
    "<instance_node url='#" to "'/>"
#define HUNDREDS                                                                                   \
    "<node id='a'>" TEN("b") "</node><node id='b'>" TEN("c") "</node><node id='c'>" TEN(           \
        "d") "</node><node id='d'>" TEN("e") "</node><node id='e'>" TEN("f") "</node><node "       \
                                                                             "id='f'/>"
#define SCENE(nodes)                                                                               \
    "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema'><asset><unit meter='0.5'/>"     \
    "<up_axis>Y_UP</up_axis></asset>" POINTS "<library_visual_scenes><visual_scene id='s'>" nodes  \
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>"      \
    "</COLLADA>"

static char folder[40], urdf[80], dae[80];

static perp_status read_collada(char **text, const char *file, perp_scene_error *error)
{
    perp_robot_options options = defaults();
    FILE *f = fopen(dae, "w");
    ck_assert_ptr_nonnull(f);
    fputs(file, f);
    ck_assert_int_eq(fclose(f), 0);
    options.base = PERP_ROBOT_BASE_FREE;
    return perp_robot_read(text, urdf, &options, NULL, error);
}

/* The lowest and highest of each coordinate of the points in a scene. */
static void extent(double low[3], double high[3], const char *file)
{
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    const char *at;
    ck_assert_msg(read_collada(&text, file, &error) == PERP_SOLVED, "%s", error.text);
    at = strstr(text, "\"points\": [");
    ck_assert_ptr_nonnull(at);
    for (int i = 0; i < 3; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    for (at = strchr(at, '[') + 1; *at == '[' || *at == ','; at = strchr(at, ']') + 1) {
        double x[3];
        ck_assert_int_eq(sscanf(at + strspn(at, "[, "), "%lf, %lf, %lf", &x[0], &x[1], &x[2]), 3);
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], x[i]);
            high[i] = fmax(high[i], x[i]);
        }
    }
    perp_robot_release(text, NULL);
}

static void expect(const char *file, const double low[3], const double high[3])
{
    double l[3], h[3];
    extent(l, h, file);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(fabs(l[i] - low[i]) < 1e-12 && fabs(h[i] - high[i]) < 1e-12, "%d: %g to %g",
                      i, l[i], h[i]);
}

/* A tetrahedron in units of half a metre, scaled by 2 along x. */
START_TEST(collada)
{
    strcpy(folder, "/tmp/perp-robot-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(urdf, sizeof urdf, "%s/r.urdf", folder);
    snprintf(dae, sizeof dae, "%s/m.dae", folder);
    FILE *f = fopen(urdf, "w");
    ck_assert_ptr_nonnull(f);
    fputs("<robot><link name='a'>" MASS "<collision><geometry>\n<mesh filename='m.dae' "
          "scale='2 1 1'/></geometry></collision></link></robot>",
          f);
    ck_assert_int_eq(fclose(f), 0);
    expect(SCENE("<node><instance_geometry url='#g'/></node>"), (double[]){0, 0, 0},
           (double[]){1, 0.5, 0.5});
    expect(SCENE("<node><translate>1 2 3</translate><node><rotate>0 0 1 90</rotate><scale>1 3 1"
                 "</scale><instance_geometry url='#g'/></node></node>"),
           (double[]){-2, 1, 1.5}, (double[]){1, 1.5, 2});
    expect(SCENE("<node><matrix>1 0 0 4 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry "
                 "url='#g'/></node><node><instance_geometry url='#g'/></node>"),
           (double[]){0, 0, 0}, (double[]){5, 0.5, 0.5});
    expect("<COLLADA>" POINTS "</COLLADA>", (double[]){0, 0, 0}, (double[]){2, 1, 1});
    f = fopen(urdf, "w"); /* four numbers, as files of Bullet have */
    ck_assert_ptr_nonnull(f);
    fputs("<robot><link name='a'>" MASS "<collision><geometry>\n<mesh filename='m.dae' "
          "scale='2 1 3 1'/></geometry></collision></link></robot>",
          f);
    ck_assert_int_eq(fclose(f), 0);
    expect("<COLLADA>" POINTS "</COLLADA>", (double[]){0, 0, 0}, (double[]){2, 1, 3});
    static const struct {
        const char *file, *words;
    } wrong[] = {{SCENE(HUNDREDS), "too many nodes"},
                 {"<COLLADA/>", "no mesh in it"},
                 {"none", "no COLLADA"},
                 {"<!DOCTYPE a><COLLADA/>", "no COLLADA"},
                 {SCENE("<node><translate>1 2</translate></node>"), "transformation"},
                 {SCENE("<node id='n'><instance_node url='#n'/></node>"), "too deep"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        perp_scene_error error = {.size = sizeof error};
        char *text = NULL;
        ck_assert_int_eq(read_collada(&text, wrong[k].file, &error), PERP_ERR_UNSUPPORTED);
        ck_assert_msg(strstr(error.text, wrong[k].words) != NULL, "%s", error.text);
        ck_assert_int_eq(error.line, 2);
    }
    unlink(urdf);
    unlink(dae);
    rmdir(folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("robot habits");
    TCase *tcase = tcase_create("robot habits");
    tcase_add_test(tcase, a_world_that_no_link_declares);
    tcase_add_test(tcase, frames_without_mass_are_held);
    tcase_add_test(tcase, limits_and_efforts_of_zero);
    tcase_add_test(tcase, balls);
    tcase_add_test(tcase, macros_are_named);
    tcase_add_test(tcase, elements_of_other_programs);
    tcase_add_test(tcase, flags_of_springs_and_dampers);
    tcase_add_test(tcase, meshes_that_are_only_seen);
    tcase_add_test(tcase, what_does_nothing_is_taken);
    tcase_add_test(tcase, collada);
    tcase_add_test(tcase, shapes_fitted_to_a_mesh);
    tcase_add_test(tcase, free_bodies_are_recorded);
    tcase_add_test(tcase, sensors_of_one_quantity);
#ifdef HAVE_JANSSON
    tcase_add_test(tcase, ways_out_of_overlaps);
#endif
#ifdef HAVE_JANSSON
    tcase_add_test(tcase, ends_of_capsules_in_their_bearing);
#endif
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
