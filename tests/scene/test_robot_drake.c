/* SPDX-License-Identifier: BSD-3-Clause */
/* What Drake has in a URDF beside the elements of ROS. */
#include "config.h"

#include "tests/scene/robot_text.h"

#define MASS                                                                                       \
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"        \
    "</inertial>"
#define LINK(name, inside) "<link name='" name "'>" MASS inside "</link>"
#define ENDS(up, down) "<parent link='" up "'/><child link='" down "'/><origin xyz='0 0 1'/>"
#define ROBOT(inside) "<robot name='r' xmlns:drake='d'>" inside "</robot>"
#define TWO(joint) ROBOT(LINK("a", "") LINK("b", "") joint)
#define SHAPE(shape) "<collision><geometry>" shape "</geometry></collision>"
#define JOINT(name, up, down)                                                                      \
    "<joint name='" name "' type='continuous'>" ENDS(up, down) "<axis xyz='0 1 0'/></joint>"

START_TEST(joints)
{
    told t;
    same_scene(
        TWO("<drake:joint name='j' type='ball'>" ENDS(
            "a", "b") "<dynamics damping='.1'/></drake:joint>"),
        TWO("<joint name='j' type='ball'>" ENDS("a", "b") "<dynamics damping='.1'/></joint>"));
    same_scene(TWO("<drake:joint name='j' type='planar'>" ENDS("a", "b") "</drake:joint>"),
               TWO("<joint name='j' type='planar'>" ENDS("a", "b") "<axis xyz='0 0 1'/></joint>"));
    char *text =
        taken(TWO("<drake:joint name='j' type='universal'>" ENDS("a", "b") "</drake:joint>"), &t);
    double x[3], y[3];
    numbers_of(x, 3, text, "j", "axis");
    numbers_of(y, 3, text, "j-y", "axis");
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(x[i], i == 0 ? 1.0 : 0.0);
        ck_assert_double_eq(y[i], i == 1 ? 1.0 : 0.0);
    }
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(a_joint_of_the_world)
{
    same_scene(ROBOT(LINK("b", "") "<drake:joint name='j' type='ball'>" ENDS("world",
                                                                             "b") "</drake:joint>"),
               ROBOT(LINK("b", "") "<joint name='j' type='ball'>" ENDS("world", "b") "</joint>"));
}
END_TEST

START_TEST(shapes)
{
    told t;
    same_scene(ROBOT(LINK("a", SHAPE("<drake:capsule radius='.1' length='.3'/>"))),
               ROBOT(LINK("a", SHAPE("<capsule radius='.1' length='.3'/>"))));
    char *text = taken(ROBOT(LINK("a", SHAPE("<drake:ellipsoid a='.1' b='.2' c='.3'/>"))), &t);
    double radii[3];
    numbers_of(radii, 3, text, "a-shape", "radii");
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(radii[i], 0.1 * (i + 1), 1e-15);
    perp_robot_release(text, NULL);
    refused(ROBOT(LINK("a", SHAPE("\n<drake:ellipsoid a='.1' b='-1' c='.3'/>"))), PERP_ERR_FORMAT,
            "no size may be below 0", 2);
}
END_TEST

#define TOUCHES(friction)                                                                          \
    "<collision><geometry><sphere radius='.1'/></geometry>" friction "</collision>"
START_TEST(frictions)
{
    static const char *const models[] = {
        ROBOT(LINK("a", TOUCHES("<drake:proximity_properties><drake:mu_static value='.5'/>"
                                "<drake:mu_dynamic value='.4'/></drake:proximity_properties>"))),
        ROBOT(LINK("a", TOUCHES("<drake:proximity_properties><drake:mu_static value='.4'/>"
                                "</drake:proximity_properties>"))),
        ROBOT(LINK("a", "<contact><lateral_friction value='.4'/></contact>" TOUCHES("")))};
    told t;
    for (int k = 0; k < 3; k++) {
        char *text = taken(models[k], &t);
        ck_assert_ptr_nonnull(strstr(text, "\"mu\": 0.4"));
        perp_robot_release(text, NULL);
    }
    refused(ROBOT(LINK("a", TOUCHES("\n<drake:proximity_properties><drake:mu_static value='-1'/>"
                                    "</drake:proximity_properties>"))),
            PERP_ERR_FORMAT, "less than 0", 2);
}
END_TEST

#define BALL SHAPE("<sphere radius='.1'/>")
#define FOUR(groups)                                                                               \
    ROBOT(LINK("a", BALL) LINK("b", BALL) LINK("c", BALL) LINK("d", BALL) JOINT("j", "a", "b")     \
              JOINT("k", "b", "c") JOINT("l", "c", "d") groups)
#define GROUP(name, inside)                                                                        \
    "<drake:collision_filter_group name='" name "'>" inside "</drake:collision_filter_group>"
#define IGNORED(name) "<drake:ignored_collision_filter_group name='" name "'/>"
#define MEMBER(name) "<drake:member link='" name "'/>"

static int excludes(const char *text, const char *a, const char *b)
{
    char one[60], other[60];
    snprintf(one, sizeof one, "[\"%s\", \"%s\"]", a, b);
    snprintf(other, sizeof other, "[\"%s\", \"%s\"]", b, a);
    return strstr(text, one) != NULL || strstr(text, other) != NULL;
}

START_TEST(groups_that_never_touch)
{
    told t;
    char *text = taken(FOUR(""), &t);
    ck_assert_int_eq(excludes(text, "b", "d"), 0);
    perp_robot_release(text, NULL);
    text = taken(FOUR(GROUP("x", MEMBER("b") MEMBER("d") IGNORED("x"))), &t);
    ck_assert_int_eq(excludes(text, "b", "d"), 1);
    perp_robot_release(text, NULL);
    text = taken(FOUR(GROUP("x", MEMBER("b") IGNORED("z")) GROUP("y", MEMBER("d"))
                          GROUP("z", "<drake:member_group name='y'/>")),
                 &t);
    ck_assert_int_eq(excludes(text, "b", "d"), 1);
    perp_robot_release(text, NULL);
    refused(FOUR("\n" GROUP("x", MEMBER("e"))), PERP_ERR_FORMAT, "no link 'e'", 2);
    refused(FOUR("\n" GROUP("x", IGNORED("e"))), PERP_ERR_FORMAT, "no group 'e'", 2);
    refused(FOUR("\n" GROUP("x", "<drake:member_group name='x'/>")), PERP_ERR_FORMAT, "deep", 2);
}
END_TEST

START_TEST(rotors)
{
    told t;
    char *text = taken(
        TWO(JOINT("j", "a", "b") "<transmission><joint name='j'/><actuator name='m'>"
                                 "<drake:rotor_inertia value='1e-4'/><drake:gear_ratio value='50'/>"
                                 "</actuator></transmission>"),
        &t);
    ck_assert_ptr_nonnull(strstr(text, "\"j-rotor\", \"type\": \"lagrangian\", \"M\": [[0.25]]"));
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(what_is_not_done_is_named)
{
    refused(TWO(JOINT("j", "a", "b") "\n<drake:ball_constraint/>"), PERP_ERR_UNSUPPORTED,
            "this element", 2);
    refused(TWO(JOINT("j", "a", "b") "\n<drake:linear_bushing_rpy/>"), PERP_ERR_UNSUPPORTED,
            "this element", 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("robots of Drake");
    TCase *tcase = tcase_create("robots of Drake");
#ifdef HAVE_LIBXML2
    tcase_add_test(tcase, joints);
    tcase_add_test(tcase, a_joint_of_the_world);
    tcase_add_test(tcase, shapes);
    tcase_add_test(tcase, frictions);
    tcase_add_test(tcase, groups_that_never_touch);
    tcase_add_test(tcase, rotors);
    tcase_add_test(tcase, what_is_not_done_is_named);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
