/* SPDX-License-Identifier: BSD-3-Clause */
/* Models that are attached to others: the same scenes as models that say all of it themselves. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/scene/robot_text.h"

static char folder[40];

static const char *path_of(const char *name)
{
    static char path[120];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

static void begin(void)
{
    strcpy(folder, "/tmp/perp-attach-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mkdir(path_of("part"), 0700), 0);
}

static void end(void)
{
    static const char *const all[] = {"top.xml", "arm.xml", "part/arm.xml", "part/hand.xml",
                                      "part/m/cube.obj"};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        unlink(path_of(all[k]));
    rmdir(path_of("part/m"));
    rmdir(path_of("part"));
    rmdir(folder);
}

static char *scene_of_top(const char *text, told *t)
{
    perp_robot_options options = defaults();
    perp_scene_error error = {.size = sizeof error};
    char *made = NULL;
    put("top.xml", text);
    memset(t, 0, sizeof *t);
    options.tell = hear;
    options.tell_ctx = t;
    ck_assert_msg(perp_robot_read(&made, path_of("top.xml"), &options, NULL, &error) == PERP_SOLVED,
                  "%s", error.text);
    return made;
}

static void same(const char *attached, const char *written)
{
    told t;
    char *one = scene_of_top(attached, &t), *other = scene_of_top(written, &t);
    ck_assert_str_eq(one, other);
    perp_robot_release(one, NULL);
    perp_robot_release(other, NULL);
}

static void refuses(const char *text, const char *words, int line)
{
    perp_scene_error error = {.size = sizeof error};
    char *made = NULL;
    put("top.xml", text);
    ck_assert_int_ne(perp_robot_read(&made, path_of("top.xml"), NULL, NULL, &error), PERP_SOLVED);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
    ck_assert_msg(error.line == line, "line %d: %s", error.line, error.text);
}

/* Radians, classes and an actuator of its own; "other" and its motor stay behind. */
#define ARM                                                                                        \
    "<mujoco model='arm'><compiler angle='radian'/><default><geom density='500'/>"                 \
    "<default class='light'><geom density='20'/><joint axis='0 1 0' range='-1 1'/></default>"      \
    "</default><worldbody><body name='a' pos='0 0 0.1' euler='0 0 0.5' childclass='light'>"        \
    "<joint name='j'/><geom name='g' size='0.1' pos='0.3 0 0'/><body name='b' pos='1 0 0'>"        \
    "<joint name='k'/><geom name='h' class='main' size='0.1' pos='0.3 0 0'/></body></body>"        \
    "<body name='other'><joint name='o'/><geom size='0.1' pos='0.3 0 0'/></body></worldbody>"      \
    "<contact><exclude body1='a' body2='b'/></contact>"                                            \
    "<equality><joint joint1='j' joint2='k'/></equality>"                                          \
    "<actuator><position name='p' joint='j' kp='3'/><motor name='q' joint='o'/></actuator>"        \
    "<sensor><jointpos joint='k'/></sensor></mujoco>"
#define TREE(x, angle)                                                                             \
    "<body name='" x "a' pos='0 0 0.1' euler='0 0 " angle "'><joint name='" x "j' axis='0 1 0' "   \
    "range='-57.295779513082323 57.295779513082323'/><geom name='" x "g' density='20' size='0.1' " \
    "pos='0.3 0 0'/><body name='" x "b' pos='1 0 0'><joint name='" x "k' axis='0 1 0' "            \
    "range='-57.295779513082323 57.295779513082323'/><geom name='" x "h' density='500' "           \
    "size='0.1' pos='0.3 0 0'/></body></body>"
#define HALF "28.647889756541161"

START_TEST(two_of_one_model)
{
    put("part/arm.xml", ARM);
    same("<mujoco><asset><model name='arm' file='part/arm.xml'/></asset>"
         "<default><geom density='3'/><joint armature='9'/></default><worldbody>"
         "<frame pos='1 0 0'><attach model='arm' body='a' prefix='l-'/></frame>"
         "<frame pos='2 0 0'><attach model='arm' body='a' prefix='r-'/></frame></worldbody>"
         "</mujoco>",
         "<mujoco><worldbody><frame pos='1 0 0'>" TREE(
             "l-",
             HALF) "</frame><frame pos='2 0 0'>" TREE("r-",
                                                      HALF) "</frame></worldbody>"
                                                            "<contact><exclude body1='l-a' "
                                                            "body2='l-b'/><exclude body1='r-a' "
                                                            "body2='r-b'/></contact>"
                                                            "<equality><joint joint1='l-j' "
                                                            "joint2='l-k'/><joint joint1='r-j' "
                                                            "joint2='r-k'/></equality>"
                                                            "<actuator><position name='l-p' "
                                                            "joint='l-j' kp='3'/><position "
                                                            "name='r-p' joint='r-j' "
                                                            "kp='3'/></actuator><sensor><jointpos "
                                                            "joint='l-k'/><jointpos "
                                                            "joint='r-k'/></sensor>"
                                                            "</mujoco>");
}
END_TEST

/* A model of a model, files beside the one that names them, a mesh by its file, and a world. */
START_TEST(models_of_models)
{
    ck_assert_int_eq(mkdir(path_of("part/m"), 0700), 0);
    put("part/m/cube.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    put("part/hand.xml",
        "<mujoco model='hand'><compiler meshdir='m'/><asset><mesh file='cube.obj'/></asset>"
        "<default><geom type='mesh' mesh='cube'/></default><worldbody><body name='palm'>"
        "<joint name='f'/><geom name='c'/></body></worldbody></mujoco>");
    put("part/arm.xml",
        "<mujoco><asset><model file='hand.xml'/></asset><worldbody><body name='a'><joint name='j'/>"
        "<geom name='g' size='0.1'/><frame pos='0 0 1'><attach model='hand' prefix='h-'/></frame>"
        "</body></worldbody></mujoco>");
    same("<mujoco><asset><model name='arm' file='part/arm.xml'/></asset><worldbody>"
         "<attach model='arm' body='a' prefix='x-'/></worldbody></mujoco>",
         "<mujoco><asset><mesh file='part/m/cube.obj'/></asset><worldbody><body name='x-a'>"
         "<joint name='x-j'/><geom name='x-g' size='0.1'/><body name='x-h-palm' pos='0 0 1'>"
         "<joint name='x-h-f'/><geom name='x-h-c' type='mesh' mesh='cube'/></body></body>"
         "</worldbody></mujoco>");
}
END_TEST

START_TEST(copies_of_an_attached_model)
{
    told t;
    put("arm.xml", ARM);
    char *text = scene_of_top("<mujoco><asset><model name='arm' file='arm.xml'/></asset><worldbody>"
                              "<replicate count='3' offset='0 1 0' sep='-'><attach model='arm' "
                              "body='a' prefix='x'/></replicate></worldbody></mujoco>",
                              &t);
    double x[3];
    numbers_of(x, 3, text, "xb-2", "position");
    ck_assert_int_eq(t.missing, 0);
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(what_cannot_be_attached)
{
    put("arm.xml", ARM);
    put("part/arm.xml", "<mujoco model='self'><asset><model name='s' file='arm.xml'/></asset>"
                        "<worldbody><attach model='s' prefix='x'/></worldbody></mujoco>");
    refuses("<mujoco><worldbody>\n<attach model='arm'/></worldbody></mujoco>",
            "there is no model 'arm'", 2);
    refuses("<mujoco><asset>\n<model name='arm' file='no.xml'/></asset><worldbody>"
            "<attach model='arm'/></worldbody></mujoco>",
            "no.xml", 2);
    perp_robot_options options = defaults();
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    options.ignore = "model";
    put("top.xml", "<mujoco><asset>\n<model name='arm' file='no.xml'/></asset><worldbody>"
                   "<attach model='arm'/><attach model='arm'/><body><joint/><geom size='1' "
                   "pos='2 0 0'/></body></worldbody></mujoco>");
    ck_assert_int_eq(perp_robot_read(&text, path_of("top.xml"), &options, NULL, &error),
                     PERP_SOLVED);
    perp_robot_release(text, NULL);
    refuses("<mujoco><asset>\n<model name='arm'/></asset><worldbody>"
            "<attach model='arm'/></worldbody></mujoco>",
            "no file is named", 2);
    refuses("<mujoco><asset><model name='arm' file='arm.xml'/></asset><worldbody>\n"
            "<attach model='arm' body='c'/></worldbody></mujoco>",
            "no body 'c'", 2);
    refuses("<mujoco><asset><model name='arm' file='part/arm.xml'/></asset><worldbody>"
            "<attach model='arm'/></worldbody></mujoco>",
            "more than 16 deep", 1);
    put("arm.xml", "<robot/>");
    refuses("<mujoco><asset><model name='arm' file='arm.xml'/></asset><worldbody>"
            "<attach model='arm'/></worldbody></mujoco>",
            "no MJCF", 1);
}
END_TEST

/* A keyframe of a model that is attached has numbers for all of that model, hands on it, too, and
 * for nothing else; its name has the prefix. */
START_TEST(keyframes_come_along)
{
    static const char top[] =
        "<mujoco><asset><model name='arm' file='part/arm.xml'/></asset><worldbody>"
        "<body name='own'><joint name='k' axis='1 0 0'/><geom size='1' pos='0 2 0'/></body>"
        "<frame pos='0 9 0'><attach model='arm' prefix='l-'/></frame>"
        "<frame pos='0 -9 0'><attach model='arm' prefix='r-'/></frame></worldbody>"
        "<keyframe><key name='all' qpos='1 2 3 4 5' ctrl='1 2'/></keyframe></mujoco>";
    static const struct {
        const char *key;
        double start[5];
    } cases[] = {{"all", {1, 2, 3, 4, 5}},
                 {"0", {1, 2, 3, 4, 5}},
                 {"l-up", {0, 0.25, 0.5, 0, 0}},
                 {"2", {0, 0, 0, 0.25, 0.5}},
                 {"r-up", {0, 0, 0, 0.25, 0.5}}};
    static const char *const joints[] = {"k", "l-a", "l-h-b", "r-a", "r-h-b"};
    put("part/hand.xml",
        "<mujoco model='hand'><worldbody><body><joint name='b' axis='1 0 0'/><geom size='1' "
        "pos='0 2 0'/></body></worldbody></mujoco>");
    put("part/arm.xml",
        "<mujoco><asset><model name='hand' file='hand.xml'/></asset><worldbody><body "
        "name='u'><joint name='a' "
        "axis='0 1 0'/><geom size='1' pos='2 0 0'/><attach model='hand' "
        "prefix='h-'/></body></worldbody>"
        "<actuator><motor name='p' joint='a'/></actuator>"
        "<keyframe><key name='up' qpos='0.25 0.5' ctrl='0.75'/></keyframe></mujoco>");
    put("top.xml", top);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        perp_robot_options options = defaults();
        perp_scene_error error = {.size = sizeof error};
        char *made = NULL;
        options.keyframe = cases[c].key;
        ck_assert_msg(perp_robot_read(&made, path_of("top.xml"), &options, NULL, &error) ==
                          PERP_SOLVED,
                      "%s", error.text);
        for (int k = 0; k < 5; k++) {
            char name[20];
            double start = 0.0;
            snprintf(name, sizeof name, "\"%s\", \"systems\"", joints[k]);
            const char *at = strstr(made, name), *end = at != NULL ? strstr(at, "}}") : NULL;
            ck_assert_msg(end != NULL, "%s: %s", name, made);
            const char *value = strstr(at, "\"start\": ");
            if (value != NULL && value < end)
                start = strtod(value + 9, NULL);
            ck_assert_msg(start == cases[c].start[k], "%s of %s: %g", cases[c].key, joints[k],
                          start);
        }
        perp_robot_release(made, NULL);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("robot attach");
    TCase *tcase = tcase_create("robot attach");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, two_of_one_model);
    tcase_add_test(tcase, models_of_models);
    tcase_add_test(tcase, copies_of_an_attached_model);
    tcase_add_test(tcase, what_cannot_be_attached);
    tcase_add_test(tcase, keyframes_come_along);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
