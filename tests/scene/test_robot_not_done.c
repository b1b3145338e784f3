/* SPDX-License-Identifier: BSD-3-Clause */
/* Models that ask for what is not done, or are against the rules: each refused in words, with its
 * line. */
#include "config.h"

#include "tests/scene/robot_text.h"

#ifdef HAVE_LIBXML2
/* A hinge h with a range, a slide x, a ball b and a free body f, with sites; lines begin at 1. */
#define BODIES(h, x)                                                                               \
    "<worldbody><site name='o' pos='0 0 2'/><body name='bh'><joint name='h' axis='0 1 0' "         \
    "range='-60 60' " h "/><geom size='.1' pos='.5 0 0'/><site name='s' pos='.5 0 0'/></body>"     \
    "<body name='bx' pos='0 2 0'><joint name='x' type='slide' axis='1 0 0' " x "/><geom "          \
    "size='.1'/><site name='sx'/></body><body name='bb' pos='0 4 0'><joint name='b' "              \
    "type='ball'/><geom size='.1' pos='.5 0 0'/></body><body name='f' pos='0 6 0'><freejoint "     \
    "name='fj'/><geom size='.1'/></body></worldbody>"
#define TENDONS(fixed)                                                                             \
    "<tendon><spatial name='p'><site site='o'/><site site='s'/></spatial><fixed name='t' " fixed   \
    "><joint joint='x' coef='2'/></fixed></tendon>"
#define ACT(actuator)                                                                              \
    "<mujoco>" BODIES("", "") TENDONS("") "<actuator>\n" actuator "</actuator></mujoco>"
#define WITH(inside) "<mujoco>" BODIES("", "") TENDONS("") "\n" inside "</mujoco>"
#define MUSCLE(curve) ACT("<muscle joint='h' force='1' lengthrange='-1 1' " curve "/>")

typedef struct wrong {
    const char *model, *words;
    int line;
} wrong;

/* All actuators have control `c`. */
static void refused_with(const wrong *w, perp_status wanted, const char *control)
{
    perp_scene_error error = {.size = sizeof error};
    perp_robot_options options = defaults();
    char *text = NULL;
    options.control = &control;
    options.ncontrols = control != NULL;
    perp_status status =
        perp_robot_read_text(&text, w->model, strlen(w->model), &options, NULL, &error);
    ck_assert_msg(status == wanted, "%d, not '%s': %s", (int)status, w->words, error.text);
    ck_assert_msg(strstr(error.text, w->words) != NULL, "not '%s': %s", w->words, error.text);
    ck_assert_msg(error.line == w->line, "line %d: %s", error.line, error.text);
    perp_robot_release(text, NULL);
}

/* With a control of 1. */
static const wrong not_done[] = {
    {ACT("<general name='a' joint='h' dyntype='filter' dynprm='.1' gaintype='affine' "
         "gainprm='1 2 0'/>"),
     "an affine gain of an activation that changes", 2},
    {ACT("<general name='a' joint='h' dyntype='filter' dynprm='.1' gaintype='affine' "
         "gainprm='1 0 2'/>"),
     "an affine gain of an activation that changes", 2},
    {ACT("<general name='a' joint='h' dyntype='user'/>"), "dynamics of this kind", 2},
    {ACT("<general name='a' joint='h' gaintype='user'/>"), "a gain or bias of this kind", 2},
    {ACT("<general name='a' joint='h' gaintype='fixed' biastype='user'/>"),
     "a gain or bias of this kind", 2},
    {ACT("<position name='a' tendon='p' dampratio='1'/>"), "dampratio along a spatial", 2},
    {ACT("<position name='a' joint='b' dampratio='1'/>"), "dampratio of a free or ball", 2},
    {ACT("<position name='a' joint='fj' dampratio='1'/>"), "dampratio of a free or ball", 2},
    {ACT("<position name='a' site='s' dampratio='1'/>"), "dampratio of a free or ball", 2},
    {ACT("<position name='a' joint='x' inheritrange='1'/>"), "inheritrange of what has no", 2},
    {ACT("<position name='a' tendon='t' inheritrange='1'/>"), "inheritrange of what has no", 2},
    {ACT("<position name='a' site='s' inheritrange='1'/>"), "inheritrange of what has no", 2},
    {ACT("<intvelocity name='a' joint='x' inheritrange='1'/>"), "inheritrange of what has no", 2},
    {ACT("<position name='a' joint='b'/>"), "a spring or damper of a free or ball joint", 2},
    {ACT("<velocity name='a' joint='b'/>"), "a spring or damper of a free or ball joint", 2},
    {ACT("<motor name='a' jointinparent='b'/>"), "jointinparent of a free or ball", 2},
    {ACT("<motor name='a' jointinparent='fj' gear='0 0 0 1 0 0'/>"),
     "jointinparent of a free or ball", 2},
    {ACT("<velocity name='a' site='s' gear='0 0 1'/>"), "a damper of a site", 2},
    {ACT("<motor name='a' body='f'/>"), "an actuator of a body", 2},
    {ACT("<general name='a' joint='h' biastype='affine' biasprm='0 1 0'/>"),
     "whose spring or damper is negative", 2},
    {ACT("<general name='a' tendon='t' biastype='affine' biasprm='0 1 0'/>"),
     "whose spring or damper is negative", 2},
    {ACT("<general name='a' tendon='t' biastype='affine' biasprm='0 0 1'/>"),
     "whose spring or damper is negative", 2},
    {ACT("<general name='a' joint='b' dyntype='filter' dynprm='.1'/>"),
     "along what is no coordinate", 2},
    {ACT("<general name='a' site='s' dyntype='filter' dynprm='.1'/>"),
     "along what is no coordinate", 2},
    {ACT("<general name='a' joint='h' dyntype='filter' dynprm='.1' biastype='affine' "
         "biasprm='0 -1 0' forcerange='-1 2'/>"),
     "with a forcerange of a spring", 2},
    {ACT("<general name='a' joint='h' dyntype='filter' dynprm='.1' biastype='affine' "
         "biasprm='0 0 -1' forcerange='-1 1'/>"),
     "with a forcerange of a spring", 2},
    {ACT("<general name='a' joint='h' gaintype='muscle' biastype='muscle' biasprm='0'/>"),
     "a muscle whose gain and bias differ", 2},
    {ACT("<general name='a' joint='h' biastype='muscle'/>"), "by its gain or its bias", 2},
    {ACT("<general name='a' joint='h' gaintype='fixed' biastype='muscle'/>"),
     "by its gain or its bias", 2},
    {ACT("<general name='a' joint='h' gaintype='muscle' biastype='affine'/>"),
     "by its gain or its bias", 2},
    {ACT("<muscle name='a' joint='x' force='1'/>"), "its joints have no range", 2},
    {ACT("<muscle name='a' site='s'/>"), "<muscle> 'a': site", 2},
    {ACT("<muscle name='a' joint='h' delay='1'/>"), "delay of a control", 2},
    {ACT("<adhesion name='a' body='f'/>"), "adhesion, with a control", 2},
    {"<mujoco>" BODIES("actuatorfrcrange='-1 1'", "") "<actuator>\n<muscle name='a' joint='h'/>"
                                                      "</actuator></mujoco>",
     "actuatorfrcrange with a muscle", 2},
    {"<mujoco>" BODIES("", "actuatorfrcrange='-1 1'") TENDONS(
         "") "<actuator>\n<general name='a' tendon='t' dyntype='filter' dynprm='1'/></actuator>"
             "</mujoco>",
     "actuatorfrcrange with a muscle", 2},
    {"<mujoco>" BODIES("", "")
         TENDONS("actuatorfrcrange='-1 1'") "<actuator>\n<general name='a' "
                                            "tendon='t' dyntype='filter' "
                                            "dynprm='1'/></actuator></mujoco>",
     "actuatorfrcrange with a muscle", 2},
    {"<mujoco>" BODIES("", "")
         TENDONS("actuatorfrcrange='-1 1'") "<actuator>\n<motor name='a' tendon='t'/>\n<motor "
                                            "tendon='t' gear='2'/></actuator></mujoco>",
     "actuatorfrcrange of actuators of several gears", 3},
    {"<mujoco>" BODIES("", "actuatorfrcrange='-1 1'") TENDONS(
         "") "<actuator>\n<position name='a' tendon='t' forcerange='-9 9'/></actuator></mujoco>",
     "a spring along a tendon, to a joint with actuatorfrcrange", 2},
};

START_TEST(what_is_not_done)
{
    refused_with(&not_done[_i], PERP_ERR_UNSUPPORTED,
                 strstr(not_done[_i].model, "'a'") ? "a=1" : NULL);
}
END_TEST

static const wrong elements[] = {
    {WITH("<equality><tendon tendon1='t' polycoef='0 1 1 0 0'/></equality>"),
     "polycoef beyond a line", 2},
    {WITH("<equality><tendon tendon1='t' polycoef='0 1 0 1 0'/></equality>"),
     "polycoef beyond a line", 2},
    {WITH("<equality><tendon tendon1='t' polycoef='0 1 0 0 1'/></equality>"),
     "polycoef beyond a line", 2},
    {WITH("<equality><tendon tendon1='t' tendon2='p'/></equality>"),
     "a fixed and a spatial tendon in one sum", 2},
    {WITH("<equality><weld body1='bh' body2='f' torquescale='0' relpose='0 0 1 1 0 0 0'/>"
          "</equality>"),
     "relpose without moments", 2},
    {"<mujoco>" BODIES("springdamper='.1 1'", "") "<tendon><fixed name='q' armature='1'><joint "
                                                  "joint='x' coef='1'/></fixed></tendon></mujoco>",
     "springdamper where a tendon has an armature", 1},
    {"<mujoco>" BODIES("",
                       "") "<tendon><fixed name='q' armature='1'><joint joint='h' coef='1'/>"
                           "</fixed></tendon><actuator>\n<muscle joint='h'/></actuator></mujoco>",
     "a force by scale where a tendon has an armature", 2},
    {"<mujoco><worldbody><body>\n<joint type='ball' armature='1'/><joint type='hinge'/><geom "
     "size='1'/></body></worldbody></mujoco>",
     "armature of a ball joint beside other joints", 2},
    {"<mujoco><worldbody><body>\n<joint type='free' armature='1'/><geom size='1' pos='1 0 0'/>"
     "</body></worldbody></mujoco>",
     "armature of a free joint that is not in the centre of mass", 2},
    {"<mujoco><compiler coordinate='global'/><worldbody><body name='a' pos='0 0 0'><joint/>\n"
     "<inertial mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>",
     "coordinate global, without a pos", 2},
    {"<mujoco><worldbody><body><joint/><geom name='g' size='1' pos='1 0 0'/></body><geom "
     "name='w' type='plane'/></worldbody><contact>\n<pair geom1='g' geom2='w' "
     "friction='1 .5'/></contact></mujoco>",
     "friction that depends on the direction", 2},
    {"<mujoco><option>\n<flag override='enable'/></option>" BODIES("", "") "</mujoco>", "override",
     2},
    {"<mujoco><option>\n<flag gravityy='disable'/></option>" BODIES("", "") "</mujoco>", "gravityy",
     2},
    {"<mujoco><worldbody>\n<body><joint/></body></worldbody></mujoco>",
     "nothing in it moves and has a mass, and it has no shape that could be touched", 0},
};

START_TEST(elements_that_are_not_done)
{
    refused_with(&elements[_i], PERP_ERR_UNSUPPORTED, NULL);
}
END_TEST

static const wrong broken[] = {
    {MUSCLE("lmin='1'"), "these are no curves of a muscle", 2},
    {MUSCLE("lmax='1'"), "these are no curves of a muscle", 2},
    {MUSCLE("vmax='0'"), "these are no curves of a muscle", 2},
    {MUSCLE("range='1 .75'"), "these are no curves of a muscle", 2},
    {MUSCLE("range='-1 1'"), "these are no curves of a muscle", 2},
    {MUSCLE("fvmax='.9'"), "these are no curves of a muscle", 2},
    {MUSCLE("fpmax='-1'"), "these are no curves of a muscle", 2},
    {MUSCLE("timeconst='0 1'"), "a time constant is not positive", 2},
    {MUSCLE("timeconst='1 0'"), "a time constant is not positive", 2},
    {ACT("<muscle joint='h' lengthrange='1 0'/>"), "nothing changes its length", 2},
    {ACT("<position joint='h' kp='1' kv='1' dampratio='1'/>"), "kv and dampratio are both", 2},
    {ACT("<motor joint='h' armature='-1'/>"), "an armature or damping less than 0", 2},
    {ACT("<motor joint='h' damping='-1'/>"), "an armature or damping less than 0", 2},
    {ACT("<motor cranksite='s'/>"), "slidersite: there is no site ''", 2},
    {ACT("<motor slidersite='s' cranksite='none'/>"), "cranksite: there is no site 'none'", 2},
    {ACT("<motor slidersite='o' cranksite='s'/>"), "cranklength: a positive number", 2},
    {ACT("<motor site='s' refsite='none'/>"), "refsite: there is no site 'none'", 2},
    {ACT("<motor joint='none'/>"), "there is no joint 'none'", 2},
    {ACT("<position joint='h' ctrlrange='-1 1' inheritrange='1'/>"),
     "ctrlrange and inheritrange are both given", 2},
    {ACT("<position joint='h' ctrlrange='-1 1' ctrllimited='false' inheritrange='1'/>"),
     "ctrlrange and inheritrange are both given", 2},
    {"<mujoco><default><position ctrlrange='-1 1'/></default>" BODIES(
         "", "") "<actuator>\n<position joint='h' inheritrange='1'/></actuator></mujoco>",
     "ctrlrange and inheritrange are both given", 2},
    {ACT("<intvelocity joint='h' actrange='-1 1' inheritrange='1'/>"),
     "actrange and inheritrange are both given", 2},
    {ACT("<motor tendon='none'/>"), "it moves nothing that is there", 2},
    {ACT("<motor joint='h' ctrllimited='true'/>"), "two rising numbers are expected", 2},
    {ACT("<motor joint='h' ctrlrange='1 -1'/>"), "two rising numbers are expected", 2},
    {"<mujoco>\n" BODIES("actuatorfrcrange='1 2'", "") "</mujoco>", "does not contain 0", 2},
    {"<mujoco>\n" BODIES("actuatorfrcrange='-2 -1'", "") "</mujoco>", "does not contain 0", 2},
    {WITH("<tendon><fixed springlength='2 1'/></tendon>"), "springlength: 1 is less than 2", 2},
    {WITH("<tendon><fixed stiffness='-1'/></tendon>"), "stiffness: less than 0", 2},
    {WITH("<tendon><fixed stiffness='1'><joint joint='b' coef='1'/></fixed></tendon>"),
     "has no coordinate", 2},
    {WITH("<tendon><fixed stiffness='1'><joint joint='fj' coef='1'/></fixed></tendon>"),
     "has no coordinate", 2},
    {WITH("<tendon><fixed><joint coef='1'/></fixed></tendon>"), "there is no joint ''", 2},
    {WITH("<tendon><spatial><site/><site site='s'/></spatial></tendon>"), "is no site ''", 2},
    {WITH("<tendon><spatial><site site='o'/><geom/><site site='s'/></spatial></tendon>"),
     "there is no geom ''", 2},
    {WITH("<equality><tendon/></equality>"), "there is no tendon ''", 2},
    {WITH("<equality><tendon tendon1='t' tendon2='none'/></equality>"), "no tendon 'none'", 2},
    {WITH("<equality><connect site1='s'/></equality>"), "there is no site ''", 2},
    {WITH("<equality><joint/></equality>"), "there is no joint ''", 2},
    {WITH("<contact><pair/></contact>"), "there is no geom ''", 2},
    {WITH("<contact><exclude body1='bh'/></contact>"), "body1 and body2 are expected", 2},
    {WITH("<asset><mesh name='m' refquat='0 0 0 0' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"),
     "refquat: a quaternion of 0", 2},
    {WITH("<asset><hfield name='q' nrow='2' ncol='2' size='1 1 1 1' "
          "elevation='1.5e308 -1.5e308 0 0'/></asset>"),
     "its heights are too far apart", 2},
    {"<mujoco><worldbody><body><joint/>\n<geom mesh='none' type='box'/></body></worldbody>"
     "</mujoco>",
     "there is no mesh 'none'", 2},
    {"<mujoco><worldbody><body><joint/>\n<geom type='mesh'/></body></worldbody></mujoco>",
     "there is no mesh ''", 2},
    {"<mujoco><worldbody>\n<attach/></worldbody></mujoco>", "there is no model ''", 2},
    {"<mujoco><asset>\n<model name='m'/></asset><worldbody><attach model='m'/></worldbody>"
     "</mujoco>",
     "no file is named", 2},
};

START_TEST(against_the_rules)
{
    refused_with(&broken[_i], PERP_ERR_FORMAT, NULL);
}
END_TEST
/* A model that repeats something. */
static char *repeated(const char *before, const char *one, int count, const char *after)
{
    size_t size = strlen(before) + (strlen(one) + 12) * (size_t)count + strlen(after) + 1;
    char *text = malloc(size), *at = text;
    ck_assert_ptr_nonnull(text);
    at += sprintf(at, "%s", before);
    for (int k = 0; k < count; k++)
        for (const char *c = one; *c != '\0'; c++)
            at += *c == '#' ? sprintf(at, "%d", k) : sprintf(at, "%c", *c);
    strcpy(at, after);
    return text;
}

static const struct {
    const char *before, *one, *after, *words;
    int count;
    perp_status status;
} many[] = {
    {"<mujoco><worldbody>",
     "<body pos='0 0 #'><joint/><geom name='g#' size='.1' pos='1 0 0'/></body>",
     "</worldbody><contact><pair geom1='g0' geom2='g1'/><pair geom1='g0' geom2='g2'/></contact>"
     "</mujoco>",
     NULL, 3, PERP_SOLVED},
    {"<mujoco><worldbody><body><joint/><geom name='g' size='.1' pos='1 0 0'/></body><body><joint/>"
     "<geom name='h' size='.1' pos='9 0 0'/></body></worldbody><contact>",
     "<pair name='p#' geom1='g' geom2='h'/>", "</contact></mujoco>",
     "so many pairs and bits of contype", 31, PERP_ERR_UNSUPPORTED},
    {"<mujoco><worldbody>",
     "<body pos='0 0 #'><joint/><geom size='.1' pos='1 0 0' friction='.#'/></body>",
     "</worldbody></mujoco>", "more than 60 kinds of friction of shapes", 99, PERP_ERR_FORMAT},
    {"<mujoco><worldbody>", "<body><joint name='j#'/><geom size='.1' pos='1 0 0'/></body>",
     "</worldbody><tendon><fixed stiffness='1'/></tendon></mujoco>", NULL, 33, PERP_SOLVED},
    {"<mujoco><default>", "<default class='c#'/>", "</default></mujoco>", "more than 2000 defaults",
     2001, PERP_ERR_FORMAT},
    {"<mujoco><worldbody>", "<include file='none#.xml'/>", "</worldbody></mujoco>", "none0.xml", 3,
     PERP_ERR_OPEN},
    {"<mujoco><worldbody><body><joint springdamper='.1 1'/><geom size='.1' pos='1 0 0'/>",
     "<body><joint/><geom size='.1' pos='1 0 #'/></body>", "</body></worldbody></mujoco>",
     "the mass matrix of a tree of so many joints", 1500, PERP_ERR_UNSUPPORTED},
};

START_TEST(of_too_many)
{
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL,
         *model = repeated(many[_i].before, many[_i].one, many[_i].count, many[_i].after);
    perp_status status = perp_robot_read_text(&text, model, strlen(model), NULL, NULL, &error);
    ck_assert_msg(status == many[_i].status, "%d: %s", (int)status, error.text);
    ck_assert_msg(many[_i].words == NULL || strstr(error.text, many[_i].words) != NULL, "%s",
                  error.text);
    perp_robot_release(text, NULL);
    free(model);
}
END_TEST

/* 33 joints in one tendon. */
START_TEST(a_tendon_of_many_joints)
{
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    char *bodies = repeated("<mujoco><worldbody>",
                            "<body><joint name='j#'/><geom size='.1' pos='1 0 0'/></body>", 33,
                            "</worldbody><tendon><fixed stiffness='1'>");
    char *model =
        repeated(bodies, "<joint joint='j#' coef='1'/>", 33, "</fixed></tendon></mujoco>");
    ck_assert_int_eq(perp_robot_read_text(&text, model, strlen(model), NULL, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "a tendon of more than 32 joints"));
    free(model);
    free(bodies);
}
END_TEST

#endif

int main(void)
{
    Suite *suite = suite_create("models that are not done");
    TCase *tests = tcase_create("all");
#ifdef HAVE_LIBXML2
    tcase_add_loop_test(tests, what_is_not_done, 0, sizeof not_done / sizeof not_done[0]);
    tcase_add_loop_test(tests, elements_that_are_not_done, 0, sizeof elements / sizeof elements[0]);
    tcase_add_loop_test(tests, against_the_rules, 0, sizeof broken / sizeof broken[0]);
    tcase_add_loop_test(tests, of_too_many, 0, sizeof many / sizeof many[0]);
    tcase_add_test(tests, a_tendon_of_many_joints);
#endif
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
