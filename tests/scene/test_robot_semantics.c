/* SPDX-License-Identifier: BSD-3-Clause */
/* SRDF beside a URDF: named poses, a base that floats, pairs that never touch, and what is refused.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <unistd.h>

#include "tests/scene/robot_text.h"

static char folder[40], path[80];

static const char *srdf(const char *inside)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "<robot name='r'>%s</robot>\n", inside);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

#define STATES                                                                                     \
    "<group_state name='straight' group='all'><joint name='swing' value='0'/></group_state>"       \
    "<group_state name='bent' group='all'><joint name='swing' value='0.6'/></group_state>"

START_TEST(named_poses)
{
    static const struct {
        const char *name;
        double angle;
    } cases[] = {{"straight", 0.0}, {"bent", 0.6}};
    for (int k = 0; k < 2; k++) {
        perp_robot_options options = defaults();
        double x[3], a = cases[k].angle;
        options.semantic = srdf(STATES);
        options.keyframe = cases[k].name;
        char *text = convert(pendulum(), &options);
        numbers_of(x, 3, text, "rod", "position");
        close_to(x[0], -0.5 * sin(a), 1.0);
        close_to(x[1], 0.0, 1.0);
        close_to(x[2], 1.0 - 0.5 * cos(a), 1.0);
        perp_robot_release(text, NULL);
    }
}
END_TEST

/* Two links with mass, the first of which is the base. */
static const char two[] =
    "<robot name='two'>\n<link name='base'><inertial><mass value='3'/><inertia ixx='1' ixy='0' "
    "ixz='0' iyy='1' "
    "iyz='0' izz='1'/></inertial><collision><geometry><sphere "
    "radius='0.3'/></geometry></collision></link>\n"
    "<link name='rod'><inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
    "izz='1'/>"
    "</inertial></link>\n<link name='tip'><inertial><mass value='1'/><inertia ixx='1' ixy='0' "
    "ixz='0' iyy='1' "
    "iyz='0' izz='1'/></inertial><collision><geometry><sphere "
    "radius='0.2'/></geometry></collision></link>\n"
    "<joint name='swing' type='revolute'><parent link='base'/><child link='rod'/><origin xyz='0 0 "
    "1'/><axis xyz='0 "
    "1 0'/><limit lower='-3' upper='3' effort='10' velocity='5'/></joint>\n"
    "<joint name='turn' type='revolute'><parent link='rod'/><child link='tip'/><origin xyz='0 0 "
    "1'/><axis xyz='0 1 "
    "0'/><limit lower='-3' upper='3' effort='10' velocity='5'/></joint>\n</robot>";

START_TEST(a_base_that_floats)
{
    static const perp_robot_base bases[] = {PERP_ROBOT_BASE_FIXED, PERP_ROBOT_BASE_FREE};
    static const char *const types[] = {"fixed", "floating"};
    for (int k = 0; k < 2; k++) {
        perp_robot_options by_file = defaults(), by_hand = defaults();
        char inside[200];
        snprintf(inside, sizeof inside,
                 "<virtual_joint name='v' type='%s' parent_frame='odom' child_link='base'/>",
                 types[k]);
        by_file.semantic = srdf(inside);
        by_hand.semantic = by_file.semantic;
        by_hand.base = bases[k];
        char *a = convert(two, &by_file), *b = convert(two, &by_hand);
        ck_assert_str_eq(a, b);
        perp_robot_release(a, NULL);
        perp_robot_release(b, NULL);
    }
}
END_TEST

/* What other programs read changes nothing; that MuJoCo's settings are not read is told. */
START_TEST(elements_of_other_programs)
{
    char model[2000];
    told t = {0};
    perp_robot_options options = defaults();
    const char *end = strstr(two, "</robot>");
    snprintf(model, sizeof model,
             "%.*s<ros2_control name='c' type='system'><joint name='turn'/></ros2_control><mujoco>"
             "<compiler meshdir='m'/></mujoco></robot>",
             (int)(end - two), two);
    options.tell = hear;
    options.tell_ctx = &t;
    char *plain = convert(two, &options);
    int before = t.notes;
    char *text = convert(model, &options);
    ck_assert_str_eq(text, plain);
    ck_assert_int_eq(t.notes - before, before + 1);
    perp_robot_release(text, NULL);
    perp_robot_release(plain, NULL);
}
END_TEST

static void hear_of_links(void *ctx, perp_robot_word word, const perp_scene_error *remark)
{
    *(int *)ctx +=
        word == PERP_ROBOT_NOTE && strstr(remark->text, "there is no link 'nose'") != NULL;
}

START_TEST(pairs_that_never_touch)
{
    perp_robot_options options = defaults();
    int said = 0;
    options.tell = hear_of_links;
    options.tell_ctx = &said;
    options.semantic = srdf("<disable_collisions link1='base' link2='tip' reason='Never'/>"
                            "<disable_collisions link1='base' link2='nose' reason='Never'/>");
    char *text = convert(two, &options);
    const char *pairs = strstr(text, "\"exclude\"");
    ck_assert_msg(pairs != NULL, "%s", text);
    ck_assert_msg(strstr(pairs, "base") != NULL, "%s", pairs);
    ck_assert_ptr_nonnull(strstr(pairs, "\"tip\""));
    ck_assert_int_eq(said, 1);
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(what_is_refused)
{
    static const struct {
        const char *inside, *keyframe, *reason;
    } cases[] = {
        {STATES, "bend", "there is no group_state 'bend'"},
        {"<group_state name='a'><joint name='swin' value='1'/></group_state>", "a",
         "no joint of the robot, or no value"},
        {"<group_state name='a'><joint name='swing'/></group_state>", "a",
         "no joint of the robot, or no value"},
        {"<group_state name='a'><joint name='swing' value='far'/></group_state>", "a", "value"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_robot_options options = defaults();
        perp_scene_error error = {.size = sizeof error};
        char *text = NULL;
        options.semantic = srdf(cases[k].inside);
        options.keyframe = cases[k].keyframe;
        ck_assert_int_ne(
            perp_robot_read_text(&text, pendulum(), strlen(pendulum()), &options, NULL, &error),
            PERP_SOLVED);
        ck_assert_ptr_null(text);
        ck_assert_msg(strstr(error.text, cases[k].reason) != NULL, "%s", error.text);
    }
    perp_robot_options options = defaults();
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs("<mujoco/>", f);
    fclose(f);
    options.semantic = path;
    ck_assert_int_ne(
        perp_robot_read_text(&text, pendulum(), strlen(pendulum()), &options, NULL, &error),
        PERP_SOLVED);
    ck_assert_msg(strstr(error.text, "no SRDF") != NULL, "%s", error.text);
    options.semantic = "/nowhere/a.srdf";
    ck_assert_int_ne(
        perp_robot_read_text(&text, pendulum(), strlen(pendulum()), &options, NULL, &error),
        PERP_SOLVED);
    ck_assert_ptr_null(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("robot semantics");
    TCase *tcase = tcase_create("robot semantics");
#ifdef HAVE_LIBXML2
    tcase_add_test(tcase, named_poses);
    tcase_add_test(tcase, a_base_that_floats);
    tcase_add_test(tcase, elements_of_other_programs);
    tcase_add_test(tcase, pairs_that_never_touch);
    tcase_add_test(tcase, what_is_refused);
#endif
    strcpy(folder, "/tmp/perp-semantics-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 99;
    snprintf(path, sizeof path, "%s/robot.srdf", folder);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    unlink(path);
    rmdir(folder);
    return failed != 0;
}
