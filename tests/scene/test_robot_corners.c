/* SPDX-License-Identifier: BSD-3-Clause */
/* Models at the edge of what is done: against a closed form, or beside a model that says the same
 * in plain words; files that they name; calls without their arguments. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/scene/robot_text.h"

#ifdef HAVE_LIBXML2
#define LONG "abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopq"

#define FINGER(name, mimic)                                                                        \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "   \
    "iyz='0' izz='1'/></inertial></link><joint name='j" name "' type='prismatic'><parent "         \
    "link='base'/><child link='" name                                                              \
    "'/><limit lower='-9' upper='9' effort='1' velocity='1'/>" mimic "</joint>"

/* q3 = 0.2 + 3 q2, q2 = 0.1 + 2 q1: a start of the first one is one of all. */
START_TEST(followers_of_followers)
{
    static const char hand[] = "<robot name='r'><link name='base'/>" FINGER("a", "")
        FINGER("b", "<mimic joint='ja' multiplier='2' offset='.1'/>")
            FINGER("c", "<mimic joint='jb' multiplier='3' offset='.2'/>") "</robot>";
    static const char *const one[] = {"ja=.5"}, *const all[] = {"ja=.5", "jb=1.1", "jc=3.5"};
    perp_robot_options options = defaults();
    options.pose = one;
    options.nposes = 1;
    char *text = convert(hand, &options);
    options.pose = all;
    options.nposes = 3;
    char *other = convert(hand, &options);
    ck_assert_str_eq(text, other);
    perp_robot_release(text, NULL);
    perp_robot_release(other, NULL);
}
END_TEST

/* Limits behind a curve or a circle of followers stay. */
START_TEST(followers_without_a_leader)
{
    told t;
    static const char *const ties[] = {
        "<joint joint1='a' joint2='b'/><joint joint1='b' joint2='c' polycoef='0 1 1 0 0'/>",
        "<joint joint1='a' joint2='b'/><joint joint1='b' joint2='a'/>"};
    for (int k = 0; k < 2; k++) {
        char model[2000];
        snprintf(model, sizeof model,
                 "<mujoco><worldbody><body><joint name='a' range='-9 9'/><geom size='.1' "
                 "pos='1 0 0'/></body><body><joint name='b' range='-9 9'/><geom size='.1' "
                 "pos='1 0 0'/></body><body><joint name='c' range='-9 9'/><geom size='.1' "
                 "pos='1 0 0'/></body></worldbody><equality>%s</equality></mujoco>",
                 ties[k]);
        char *text = taken(model, &t);
        int limits = 0;
        for (const char *at = text; (at = strstr(at, "\"limits\"")) != NULL; at++)
            limits++;
        ck_assert_msg(limits == 3, "%d limits: %s", limits, text);
        perp_robot_release(text, NULL);
    }
}
END_TEST

/* What a scene has for a name is another one each time, of plain letters. */
START_TEST(names_of_other_letters)
{
    told t;
    char *text =
        taken("<mujoco><worldbody><body name='a b'><joint/><geom size='.1' pos='1 0 0'/>"
              "</body><body name='a.b'><joint/><geom size='.1' pos='1 0 0'/></body><body "
              "name='a_b'><joint/><geom size='.1' pos='1 0 0'/></body><body name='\xc3\xa4'>"
              "<joint/><geom size='.1' pos='1 0 0'/></body><body name='" LONG LONG "1'>"
              "<joint/><geom size='.1' pos='1 0 0'/></body><body name='" LONG LONG "2'>"
              "<joint/><geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>",
              &t);
    static const char *const wanted[] = {"\"a_b\"", "\"a_b-2\"",    "\"a_b-3\"",
                                         "\"__\"",  LONG LONG "\"", LONG LONG "-2\""};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
        ck_assert_msg(strstr(text, wanted[k]) != NULL, "no %s in %s", wanted[k], text);
    perp_robot_release(text, NULL);
}
END_TEST

/* A reference that does not move in the body that carries the site is one of that body. */
START_TEST(a_refsite_that_is_fixed_to_a_body)
{
#define CARRIED(inner, outer)                                                                      \
    "<mujoco><worldbody><body name='a'><joint name='h'/><geom size='.1' pos='1 0 0'/>" outer       \
    "<body name='c' pos='0 1 0'>" inner "<geom size='.1'/></body><body name='d' pos='1 0 0'>"      \
    "<joint type='slide'/><geom size='.1'/><site name='s'/></body></body></worldbody><actuator>"   \
    "<position name='q' site='s' refsite='o' gear='1 0 0 0 0 0'/></actuator></mujoco>"
    same_scene(CARRIED("<site name='o'/>", ""), CARRIED("", "<site name='o' pos='0 1 0'/>"));
}
END_TEST

START_TEST(weight_that_actuators_take_away)
{
    told t;
    char *text =
        taken("<mujoco><worldbody><body name='a'><joint name='h' actuatorgravcomp='true' "
              "actuatorfrcrange='-1 1' axis='0 1 0'/><geom size='.1' pos='1 0 0'/><body "
              "gravcomp='1'><geom size='.1' pos='2 0 0'/></body></body></worldbody></mujoco>",
              &t);
    ck_assert_int_eq(t.notes, 1);
    ck_assert_ptr_nonnull(strstr(t.last, "gravcomp is not counted within actuatorfrcrange"));
    perp_robot_release(text, NULL);
}
END_TEST

/* Bytes in a file of a new folder, with what else a model needs; the folder. */
static const char *folder_with(const char *name, const void *bytes, size_t size)
{
    static char folder[40], path[120];
    strcpy(folder, "/tmp/perp-corner-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/part", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    fwrite(bytes, 1, size, f);
    ck_assert_int_eq(fclose(f), 0);
    return folder;
}

static void remove_folder(const char *folder, const char *name)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    snprintf(path, sizeof path, "%s/part", folder);
    rmdir(path);
    rmdir(folder);
}

#define GROUND(file)                                                                               \
    "<mujoco><asset>\n<hfield name='h' file='" file "' size='1 1 1 1'/></asset>"                   \
    "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"
#define BALL(more)                                                                                 \
    "<mujoco><worldbody>" more "<body name='a'><joint/><geom size='.1' pos='1 0 0'/>"              \
    "</body></worldbody></mujoco>"
#define HEAP(file)                                                                                 \
    "<mujoco><asset><mesh name='m' file='" file "'/></asset><worldbody><body><joint/>"             \
    "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
#define MESH(file)                                                                                 \
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' "                  \
    "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial><collision><geometry>\n<mesh "            \
    "filename='" file "'/></geometry></collision></link></robot>"
/* Rows and columns of a file of heights, little and big endian, and the bytes of nan. */
#define TWO "\2\0\0\0\2\0\0\0"
#define OWT "\0\0\0\2\0\0\0\2"
#define NOUGHT "\0\0\0\0\0\0\0\0"

static const struct {
    const char *model, *name, *bytes;
    size_t size;
    const char *words;
    perp_status status;
} files[] = {
    {GROUND("h.bin"), "h.bin", TWO NOUGHT "\0\0\0\0\0\0\xc0\x7f", 24, "a height is no number",
     PERP_ERR_FORMAT},
    {GROUND("h.bin"), "h.bin", OWT NOUGHT "\0\0\0\0\x3f\x80\0\0", 24, NULL, PERP_SOLVED},
    {GROUND("h.bin"), "h.bin", TWO NOUGHT NOUGHT NOUGHT, 32, "rows, columns and a number",
     PERP_ERR_FORMAT},
    {GROUND("h.bin"), "h.bin", "\1\0\0\0\2\0\0\0" NOUGHT, 16, "rows, columns and a number",
     PERP_ERR_FORMAT},
    {GROUND("h.bin"), "h.bin", "\0\0\0\x70\2\0\0\0" NOUGHT, 16, "rows, columns and a number",
     PERP_ERR_FORMAT},
    {GROUND("h.bin"), "h.bin", "ab", 2, "rows, columns and a number", PERP_ERR_FORMAT},
    {GROUND("none"), "h.bin", "ab", 2, "'none' is not found in the search path",
     PERP_ERR_UNSUPPORTED},
    {GROUND("part"), "h.bin", "ab", 2, "part", PERP_ERR_OPEN},
    {BALL("<include file='m.xml'/>"), "m.xml", "<robot/>", 8, "begins with another element",
     PERP_ERR_FORMAT},
    {BALL("<include file='m.xml'/>"), "m.xml", "<mujocoinclude/>", 16, NULL, PERP_SOLVED},
    {BALL("<include file='m.xml'/>"), "m.xml", "<mujoco><include file='m.xml'/></mujoco>", 40,
     "files include each other more than 16 deep", PERP_ERR_FORMAT},
    {HEAP("m.obj"), "m.obj", "v 0 0\nf 1 2 3\n", 14, "'m.obj': ", PERP_ERR_UNSUPPORTED},
    {HEAP("m.stl"), "m.stl", "solid", 5, "'m.stl': ", PERP_ERR_UNSUPPORTED},
    {HEAP("m.obj"), "m.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\n", 24, "'m.obj': ", PERP_ERR_UNSUPPORTED},
    {MESH("m.ply"), "m.ply", "ply", 3, "meshes are read from STL, OBJ and COLLADA",
     PERP_ERR_UNSUPPORTED},
    {MESH("${m}.stl"), "m.stl", "solid", 5, "a word of xacro", PERP_ERR_UNSUPPORTED},
    {MESH("$(find p)/m.stl"), "m.stl", "solid", 5, "a word of xacro", PERP_ERR_UNSUPPORTED},
    {MESH("/etc/m.stl"), "m.stl", "solid", 5, "search path", PERP_ERR_UNSUPPORTED},
    {"<mujoco><asset><model name='m' file='part/m.xml'/></asset><worldbody><frame><attach "
     "model='m' "
     "body='b' prefix='p'/></frame></worldbody></mujoco>",
     "part/m.xml", "<mujoco><worldbody/></mujoco>", 29, "the model has no body 'b'",
     PERP_ERR_FORMAT},
    {"<mujoco><asset><model name='m' file='part/m.xml'/></asset><worldbody><frame><attach "
     "model='m' "
     "prefix='p'/></frame></worldbody></mujoco>",
     "part/m.xml",
     "<mujoco><worldbody><body name='b'><joint/><geom size='1' pos='1 0 0'/></body></worldbody>"
     "<contact><exclude body1='b' body2='world'/></contact></mujoco>",
     151, NULL, PERP_SOLVED},
    {"<mujoco><asset><model name='m' file='m.xml'/></asset><worldbody><frame><attach model='m' "
     "prefix='p'/></frame></worldbody></mujoco>",
     "m.xml", "<robot/>", 8, "the model that is attached is no MJCF", PERP_ERR_FORMAT},
    {"<mujoco><asset><model name='m' file='none.xml'/></asset><worldbody><frame><attach model='m' "
     "prefix='p'/></frame><body><joint/><geom size='1' pos='1 0 0'/></body></worldbody></mujoco>",
     "m.xml", "<robot/>", 8, "'none.xml' is not found in the search path", PERP_ERR_UNSUPPORTED},
};

START_TEST(of_files)
{
    perp_scene_error error = {.size = sizeof error};
    const char *folder = folder_with(files[_i].name, files[_i].bytes, files[_i].size);
    perp_robot_options options = defaults();
    char *text = NULL;
    options.search = &folder;
    options.nsearch = 1;
    perp_status status = perp_robot_read_text(&text, files[_i].model, strlen(files[_i].model),
                                              &options, NULL, &error);
    remove_folder(folder, files[_i].name);
    ck_assert_msg(status == files[_i].status, "%d: %s", (int)status, error.text);
    ck_assert_msg(files[_i].words == NULL || strstr(error.text, files[_i].words) != NULL, "%s",
                  error.text);
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(what_begins_as_a_model_does)
{
    static const struct {
        const char *bytes;
        int is;
        const char *name;
    } all[] = {{"<mujoco/>", 1, "m"},
               {" \t\r\n<a/>", 1, "m"},
               {"\xef\xbb\xbf<a/>", 1, "m"},
               {"", 0, "m"},
               {"  ", 0, "m"},
               {"{\"version\": 1}", 0, "m"},
               {"\xef\xbb", 0, "m"},
               {"\xef\xbb\xbf", 0, "m"},
               {"robot", 0, "m"},
               {"robot", 1, "m.urdf"},
               {"\n mujoco>", 1, "m.xml"},
               {"a", 1, "m.mjcf"},
               {"a", 0, "m.xmls"},
               {" {}", 0, "m.xml"},
               {"[]", 0, "m.urdf"},
               {"a", 0, ".xml"}};
    ck_assert_int_eq(perp_robot_is_model(NULL), 0);
    ck_assert_int_eq(perp_robot_is_model("/"), 0);
    ck_assert_int_eq(perp_robot_is_model("/none/there"), 0);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        const char *folder = folder_with(all[k].name, all[k].bytes, strlen(all[k].bytes));
        char path[80];
        snprintf(path, sizeof path, "%s/%s", folder, all[k].name);
        ck_assert_int_eq(perp_robot_is_model(path), all[k].is);
        remove_folder(folder, all[k].name);
    }
}
END_TEST

START_TEST(calls_without_their_arguments)
{
    char *text = (char *)1;
    perp_robot_options options = defaults();
    perp_robot_options_init(NULL, sizeof options);
    perp_robot_options_init(&options, 0);
    ck_assert_uint_eq(options.size, sizeof options);
    ck_assert_int_eq(perp_robot_read(&text, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_robot_read_text(&text, NULL, 0, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_robot_read_text(NULL, "<a/>", 4, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    options.size = 0;
    ck_assert_int_eq(perp_robot_read_text(&text, "<a/>", 4, &options, NULL, NULL),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_robot_read(&text, "/none", &options, NULL, NULL), PERP_ERR_ARGUMENT);
}
END_TEST

#ifdef HAVE_JANSSON
/* Masses 2 and 3 on slides along x and y, each with a rope to a point 10 away; x and y after 0.3.
 */
static void pulled(double *x, double *y, const char *tendons, const char *rest, const char *control)
{
    char model[4000];
    perp_robot_options options = defaults();
    snprintf(model, sizeof model,
             "<mujoco><option gravity='0 0 0' timestep='1e-3'/><worldbody><site name='px' "
             "pos='10 0 0'/><site name='py' pos='0 10 5'/><body name='a'><joint name='x' "
             "type='slide' axis='1 0 0'/><geom size='.1' mass='2'/><site name='sx'/></body><body "
             "name='b' pos='0 0 5'><joint name='y' type='slide' axis='0 1 0'/><geom size='.1' "
             "mass='3'/><site name='sy'/></body></worldbody><tendon>%s</tendon>%s</mujoco>",
             tendons, rest);
    options.until = 0.3;
    options.control = &control;
    options.ncontrols = control != NULL;
    char *text = convert(model, &options);
    *x = last_value(text, 2);
    *y = last_value(text, 4);
    perp_robot_release(text, NULL);
}
#define ROPE(name, more, point, site)                                                              \
    "<spatial name='" name "' " more "><site site='" point "'/><site site='" site "'/></spatial>"
#define PUSH "<motor name='push' joint='x'/>"

/* The first rope gives as much as twice the second one; a second branch of it counts half. */
START_TEST(ropes_that_are_equal)
{
    double x, y, mass, t2 = 0.09;
    pulled(
        &x, &y, ROPE("p", "", "px", "sx") ROPE("q", "", "py", "sy"),
        "<equality><tendon tendon1='p' tendon2='q' polycoef='0 2 0 0 0'/></equality><actuator>" PUSH
        "</actuator>",
        "push=3");
    mass = 2.0 + 3.0 / 4.0;
    ck_assert_double_eq_tol(x, 0.5 * t2 * 3.0 / mass, 1e-6);
    ck_assert_double_eq_tol(y, 0.5 * x, 1e-6);
    pulled(&x, &y,
           ROPE("p", "", "px",
                "sx") "<spatial name='q'><site site='py'/><site site='sy'/>"
                      "<pulley divisor='2'/><site site='py'/><site site='sy'/></spatial>",
           "<equality><tendon tendon1='p' tendon2='q'/></equality><actuator>" PUSH "</actuator>",
           "push=3");
    mass = 2.0 + 3.0 / 2.25;
    ck_assert_double_eq_tol(x, 0.5 * t2 * 3.0 / mass, 1e-6);
    ck_assert_double_eq_tol(y, x / 1.5, 1e-6);
    /* A factor of 0 is no rope. */
    pulled(&x, &y, ROPE("p", "", "px", "sx") ROPE("q", "", "py", "sy"),
           "<equality><tendon tendon1='p' tendon2='q' polycoef='0 0 0 0 0'/></equality><actuator>"
           "<motor name='push' joint='y'/></actuator>",
           "push=3");
    ck_assert_double_eq_tol(x, 0.0, 1e-9);
    ck_assert_double_eq_tol(y, 0.5 * t2, 1e-6);
}
END_TEST

/* 2 x'' = -(c + d x'), from rest: what is pulled shortens its rope. */
static double dragged(double c, double d)
{
    double t = 0.3;
    return -c / d * (t - 2.0 / d * (1.0 - exp(-d * t / 2.0)));
}

#define DAMPER "<general name='push' tendon='p' gainprm='2' biastype='affine' biasprm='0 0 -3' "
START_TEST(dampers_beside_forces_along_tendons)
{
    static const char fixed[] = "<fixed name='p'><joint joint='x' coef='-1'/></fixed>";
    static const char ranged[] =
        "<fixed name='p' actuatorfrcrange='-9 9'><joint joint='x' coef='-1'/></fixed>";
    double x, y, wanted = dragged(2.0, 3.0);
    pulled(&x, &y, ROPE("p", "", "px", "sx"), "<actuator>" DAMPER "forcerange='-9 9'/></actuator>",
           "push=1");
    ck_assert_double_eq_tol(x, wanted, 1e-5);
    pulled(&x, &y, ROPE("p", "actuatorfrcrange='-9 9'", "px", "sx"),
           "<actuator>" DAMPER "/></actuator>", "push=1");
    ck_assert_double_eq_tol(x, wanted, 1e-5);
    pulled(&x, &y, fixed, "<actuator>" DAMPER "forcerange='-9 9'/></actuator>", "push=1");
    ck_assert_double_eq_tol(x, wanted, 1e-5);
    pulled(&x, &y, ranged, "<actuator>" DAMPER "/></actuator>", "push=1");
    ck_assert_double_eq_tol(x, wanted, 1e-5);
    /* Forces alone, of which 1 is left. */
    pulled(&x, &y, ROPE("p", "actuatorfrcrange='-1 1'", "px", "sx"),
           "<actuator><motor name='push' tendon='p'/></actuator>", "push=-5");
    ck_assert_double_eq_tol(x, 0.5 * 0.09 / 2.0, 1e-6);
    pulled(&x, &y, ROPE("p", "actuatorfrcrange='-1 1'", "px", "sx"),
           "<actuator><motor name='push' tendon='p' gear='0'/></actuator>", "push=-5");
    ck_assert_double_eq_tol(x, 0.0, 1e-9);
    ck_assert_double_eq_tol(y, 0.0, 1e-9);
}
END_TEST
#endif
#endif

int main(void)
{
    Suite *suite = suite_create("corners of models of robots");
    TCase *tests = tcase_create("all");
#ifdef HAVE_LIBXML2
    tcase_add_loop_test(tests, of_files, 0, sizeof files / sizeof files[0]);
    tcase_add_test(tests, followers_of_followers);
    tcase_add_test(tests, followers_without_a_leader);
    tcase_add_test(tests, names_of_other_letters);
    tcase_add_test(tests, a_refsite_that_is_fixed_to_a_body);
    tcase_add_test(tests, weight_that_actuators_take_away);
    tcase_add_test(tests, what_begins_as_a_model_does);
    tcase_add_test(tests, calls_without_their_arguments);
#ifdef HAVE_JANSSON
    tcase_add_test(tests, ropes_that_are_equal);
    tcase_add_test(tests, dampers_beside_forces_along_tendons);
#endif
#endif
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
