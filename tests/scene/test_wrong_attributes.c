/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of robots of which one attribute is another, one at a time: what is no number where one is
 * expected is refused by its name and a line, and so is an attribute or an element that nobody
 * knows; the rest is a scene, or refused in words.  And each allocation fails once. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <unistd.h>

#include "tests/fixtures/contract.h"
#include "tests/scene/robot_text.h"
#include "tests/scene/robot_zoo.h"

/* Elements are put on lines of their own. */
static const char *const plain[] = {
    "<mujoco model='chain'><compiler angle='radian' eulerseq='XYz' autolimits='true'/><option "
    "timestep='0.004' density='1.2' viscosity='1e-5'/><default><geom density='500' "
    "friction='.7 .01 .001' condim='3'/><joint damping='.1'/><default class='c'><geom "
    "type='capsule' "
    "size='.05' fromto='0 0 0 0 0 -1'/></default></default><worldbody><geom type='plane' "
    "name='f'/><body name='a' pos='0 0 1' childclass='c'><joint name='swing' range='-1 1' "
    "ref='0.1' springref='0.2' stiffness='2'/><joint name='k' axis='1 0 0' armature='.1' "
    "frictionloss='.2'/><geom name='ga'/><body name='b' pos='0 0 -1' euler='.1 .2 .3'><joint "
    "type='ball' range='0 1'/><geom type='ellipsoid' size='.1 .2 .3'/><site name='s' pos='0 0 1'/>"
    "<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 .1 .1 .1'/></body></body><replicate "
    "count='3' "
    "offset='1 0 0' sep='_'><body name='r'><freejoint/><geom name='gr' size='.1' contype='2' "
    "conaffinity='1' priority='1'/></body></replicate></worldbody><contact><exclude body1='a' "
    "body2='b'/><pair geom1='ga' geom2='f' friction='.3 .3' "
    "condim='3'/></contact><equality><connect "
    "body1='b' anchor='0 0 0'/><joint joint1='swing' joint2='k' polycoef='0 2'/></equality><tendon>"
    "<fixed name='t' stiffness='1' damping='.1' frictionloss='.1' springlength='.1 .2'><joint "
    "joint='swing' coef='.5'/></fixed></tendon><actuator><motor joint='swing' gear='3' "
    "ctrlrange='-1 "
    "1'/><position joint='k' kp='10' forcerange='-2 2'/><motor tendon='t'/><velocity joint='swing' "
    "kv='2'/></actuator><keyframe><key qpos='0.1 0.2 1 0 0 0 0 0 0 1 0 0 0 1 0 0 1 0 0 0 2 0 0 1 0 "
    "0 "
    "0' ctrl='1 0 0 0'/></keyframe></mujoco>",
    "<mujoco><compiler angle='degree'/><option gravity='0 0 -9.8'/><asset><mesh name='m' vertex='0 "
    "0 "
    "0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 1 2 3 0 3 2' scale='1 1 1'/><hfield name='h' nrow='2' "
    "ncol='2' size='1 1 1 1' elevation='0 1 0 1'/></asset><worldbody><geom type='hfield' "
    "hfield='h'/><frame pos='0 0 2' quat='1 0 0 0'><body name='x' axisangle='0 0 1 90'><joint "
    "name='s1' type='slide' axis='0 0 1' springdamper='1 1' limited='true' range='-1 2'/>"
    "<geom name='gx' type='mesh' mesh='m' mass='2'/><site name='p' pos='.1 0 0'/><body name='y' "
    "pos='0 0 1' xyaxes='1 0 0 0 1 0'><joint name='s2' axis='0 1 0' pos='0 0 .1'/><geom "
    "type='cylinder' size='.1 .2'/><site name='q' pos='0 0 .5' zaxis='0 0 "
    "1'/></body></body></frame>"
    "<body name='z' pos='3 0 1'><freejoint/><geom type='box' size='.1 .1 .1' "
    "margin='0'/></body></worldbody><equality><weld body1='z'/></equality><tendon><spatial "
    "name='rope' stiffness='3' "
    "springlength='0.4'><site site='p'/><site site='q'/></spatial></tendon><actuator><general "
    "joint='s2' gainprm='2' biasprm='0 -2 -.1' biastype='affine'/><motor site='q' gear='0 0 1 0 0 "
    "0' "
    "/></actuator></mujoco>",
    /* URDF, where what is unknown is of others. */
    "<robot name='arm'><link name='world'/><link name='rod'><inertial><origin xyz='0 0 -0.5' "
    "rpy='0 "
    "0 0.1'/><mass value='2'/><inertia ixx='0.2' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.01'/>"
    "</inertial><collision><geometry><cylinder radius='0.1' length='1'/></geometry></collision>"
    "</link><link name='hand'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
    "iyz='0' izz='1'/></inertial><collision><origin xyz='0 0 0' rpy='0 0 0'/><geometry><box "
    "size='1 2 "
    "3'/></geometry></collision></link><joint name='swing' type='revolute'><parent link='world'/>"
    "<child link='rod'/><origin xyz='0 0 1' rpy='0 0 0'/><axis xyz='0 1 0'/><limit lower='-3' "
    "upper='0.9' effort='10' velocity='5'/><dynamics damping='0.1' friction='0.05'/></joint><joint "
    "name='out' type='prismatic'><parent link='rod'/><child link='hand'/><limit lower='0' "
    "upper='1' "
    "effort='1' velocity='1'/><mimic joint='swing' multiplier='2' offset='0.1'/></joint></robot>",
};
enum {
    PLAIN = sizeof plain / sizeof plain[0],
    MODELS = PLAIN + sizeof zoo / sizeof zoo[0],
    FILES = sizeof zoo_files / sizeof zoo_files[0],
    LONGEST = 8000
};
static char folder[40] = "/tmp/perp-zoo-XXXXXX";

static const char *model_of(int k)
{
    return k < PLAIN ? plain[k] : zoo[k - PLAIN];
}

static int is_urdf(int k)
{
    return strncmp(model_of(k), "<robot", 6) == 0;
}

static const char *path_of(int file)
{
    static char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, zoo_files[file].name);
    return path;
}

static int put(int file)
{
    FILE *f = fopen(path_of(file), "w");
    if (f == NULL)
        return -1;
    fputs(zoo_files[file].text, f);
    return fclose(f);
}

/* The model with a new line behind each element. */
static void on_lines(char *text, const char *model)
{
    for (; *model != '\0'; model++) {
        *text++ = *model;
        if (*model == '>')
            *text++ = '\n';
    }
    *text = '\0';
}

/* From its keyframe, where it has one. */
static perp_robot_options start_of(const char *model)
{
    static const char *const search[] = {folder};
    perp_robot_options options = defaults();
    options.keyframe = strstr(model, "<keyframe") != NULL ? "0" : NULL;
    options.search = search;
    options.nsearch = 1;
    return options;
}

/* A scene that is one, or a sentence. */
static perp_status outcome(const char *model, perp_scene_error *error)
{
    perp_robot_options options = start_of(model);
    perp_scene *scene = NULL;
    char *text = NULL;
    *error = (perp_scene_error){.size = sizeof *error};
    perp_status status = perp_robot_read_text(&text, model, strlen(model), &options, NULL, error);
    ck_assert_int_eq(status == PERP_SOLVED, text != NULL);
    ck_assert_msg(status == PERP_SOLVED || strlen(error->text) > 10, "'%s': %s", error->text,
                  model);
    if (text != NULL) {
        perp_scene_error refusal = {.size = sizeof refusal};
        perp_status made = perp_scene_create_from_text(&scene, text, NULL, NULL, &refusal);
        ck_assert_msg(made == PERP_SOLVED || strlen(refusal.text) > 10, "%s", model);
        perp_scene_destroy(scene);
    }
    perp_robot_release(text, NULL);
    return status;
}

/* The value of `length` at `at` in the text becomes `other`. */
static void with(char *out, const char *text, const char *at, size_t length, const char *other)
{
    snprintf(out, LONGEST, "%.*s%s%s", (int)(at - text), text, other, at + length);
}

static void refused_by_name(const char *model, const char *name, size_t length)
{
    char word[80];
    perp_scene_error error;
    perp_status status = outcome(model, &error);
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    ck_assert_msg(status < 0, "%s: taken", word);
    ck_assert_msg(strstr(error.text, word) != NULL, "%s: %s", word, error.text);
    ck_assert_msg(error.line > 1, "%s: %s", word, error.text);
}

/* A sensor that nobody knows is not recorded, and that is said. */
static int is_sensor(const char *text, const char *at)
{
    const char *first = strstr(text, "<sensor>"), *last = strstr(text, "</sensor>");
    return first != NULL && at > first && at < last;
}

START_TEST(each_attribute)
{
    static const char *const others[] = {"",      "-1",  "0", "1e301", "-1e301 0 1e-301",
                                         "zzzz",  "nan", "1", "0 0 0", "1 2 3 4 5 6 7 8 9 0 1 2 3",
                                         "false", "c"};
    static char text[LONGEST], other[LONGEST];
    perp_scene_error error;
    int count = 0;
    on_lines(text, model_of(_i));
    perp_status status = outcome(text, &error);
    if (status == PERP_ERR_UNSUPPORTED && strstr(error.text, "libxml2") != NULL)
        return;
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    for (const char *at = strstr(strchr(text, '\n'), "='"); at; at = strstr(at + 2, "='")) {
        const char *name = at;
        size_t length = strcspn(at + 2, "'");
        while (name[-1] != ' ' && name[-1] != '\n')
            name--;
        if (strspn(at + 2, "0123456789.-e ") == length) {
            with(other, text, at + 2, length, "zzzz");
            refused_by_name(other, name, (size_t)(at - name));
        }
        with(other, text, name, (size_t)(at - name), "zzzz");
        ck_assert_msg((outcome(other, &error) < 0 && error.line > 1) || is_urdf(_i) ||
                          is_sensor(text, at),
                      "%.20s: '%s'", name, error.text);
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            with(other, text, at + 2, length, others[k]);
            (void)outcome(other, &error);
        }
        with(other, text, name, (size_t)(at - name) + length + 3, "");
        (void)outcome(other, &error);
        count++;
    }
    ck_assert_int_gt(count, 10);
}
END_TEST

/* An element without a name that anybody knows. */
START_TEST(each_element)
{
    static char text[LONGEST], other[LONGEST];
    perp_scene_error error;
    on_lines(text, model_of(_i));
    if (outcome(text, &error) == PERP_ERR_UNSUPPORTED)
        return;
    for (const char *at = strchr(text, '<'); at != NULL; at = strchr(at + 1, '<')) {
        size_t length = strcspn(at + 1, " />");
        const char *end = strchr(at, '>');
        if (at[1] == '/' || end[-1] != '/')
            continue;
        with(other, text, at + 1, length, "zzzz");
        ck_assert_msg(outcome(other, &error) < 0 || is_urdf(_i) || is_sensor(text, at),
                      "%.*s: '%s'", (int)length + 20, at + 1, error.text);
        with(other, text, at, (size_t)(end - at) + 1, "");
        (void)outcome(other, &error);
    }
}
END_TEST

/* It is said, or of a remark alone, and then the scene is what it was. */
START_TEST(each_allocation)
{
    char *whole = NULL;
    counter memory = {.fail_at = 0};
    perp_robot_options options = start_of(model_of(_i));
    options.floor = 1;
    options.hold = 1;
    (void)perp_robot_read_text(&whole, model_of(_i), strlen(model_of(_i)), &options, NULL, NULL);
    do {
        perp_scene_error error = {.size = sizeof error};
        char *text = NULL;
        memory = (counter){.fail_at = memory.fail_at + 1, .once = 1};
        perp_allocator allocator = counter_allocator(&memory);
        perp_status status = perp_robot_read_text(&text, model_of(_i), strlen(model_of(_i)),
                                                  &options, &allocator, &error);
        if (status == PERP_ERR_UNSUPPORTED && strstr(error.text, "libxml2") != NULL)
            return;
        int failed = memory.allocations >= memory.fail_at;
        ck_assert_msg((failed && status == PERP_ERR_MEMORY) || status == PERP_SOLVED,
                      "allocation %ld: %d, %s", memory.fail_at, (int)status, error.text);
        ck_assert_int_eq(text == NULL, status != PERP_SOLVED);
        if (text != NULL)
            ck_assert_str_eq(text, whole);
        perp_robot_release(text, &allocator);
        ck_assert_int_eq((int)memory.live, 0);
    } while (memory.allocations >= memory.fail_at);
    ck_assert_int_gt((int)memory.fail_at, 200);
    perp_robot_release(whole, NULL);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    int bad = mkdtemp(folder) == NULL;
    for (int k = 0; k < FILES && !bad; k++)
        bad = put(k) != 0;
    if (bad)
        return EXIT_FAILURE;
    Suite *suite = suite_create("wrong attributes");
    TCase *tests = tcase_create("models");
    tcase_add_loop_test(tests, each_attribute, 0, MODELS);
    tcase_add_loop_test(tests, each_element, 0, MODELS);
    tcase_add_loop_test(tests, each_allocation, 0, MODELS);
    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    for (int k = 0; k < FILES; k++)
        unlink(path_of(k));
    rmdir(folder);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
