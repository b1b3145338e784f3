/* SPDX-License-Identifier: BSD-3-Clause */
/* Tendons, equalities and actuators of MJCF against closed forms: two masses on slides, so that all
 * that acts is linear. */
#include "config.h"
#include "tests/scene/robot_text.h"

/* Masses 2 and 3 on slides along x and y; the joints are columns 2 and 4, with a rotor or without.
 */
static char *masses(const char *inside, const char *reference, const perp_robot_options *options)
{
    char model[3000];
    snprintf(
        model, sizeof model,
        "<mujoco><option gravity='0 0 0' timestep='1e-3'/><worldbody>\n<site name='w' pos='2 0 0'/>"
        "<body name='a'><joint name='x' type='slide' axis='1 0 0' %s/><geom size='.1' mass='2'/>"
        "<site name='s'/></body>\n<body pos='0 5 0'><joint name='y' type='slide' axis='0 1 0'/>"
        "<geom size='.1' mass='3'/></body></worldbody>\n%s</mujoco>",
        reference, inside);
    return convert(model, options);
}

#ifdef HAVE_JANSSON
static const double until = 0.3;

static perp_robot_options short_run(void)
{
    perp_robot_options options = defaults();
    options.until = until;
    return options;
}

static void ends_at(char *text, double x, double y)
{
    ck_assert_double_eq_tol(last_value(text, 2), x, 3e-6);
    ck_assert_double_eq_tol(last_value(text, 4), y, 3e-6);
    perp_robot_release(text, NULL);
}

/* s'' = -ease (k s + c s' - f) from rest, below the aperiodic limit. */
static double swung(double ease, double k, double c, double f)
{
    double a = 0.5 * ease * c, w = sqrt(ease * k - a * a), t = until;
    return f / k * (1.0 - exp(-a * t) * (cos(w * t) + a / w * sin(w * t)));
}

/* Along x - y/2 both masses are pulled by their parts of the force. */
static void pulled(char *text, double k, double c, double f, double armature)
{
    double ease = 1.0 / 2.0 + 0.25 / 3.0, s, whole = 1.0 / (1.0 / ease + armature);
    s = swung(whole, k, c, f);
    ends_at(text, s / ease / 2.0, -0.5 * s / ease / 3.0);
}

START_TEST(springs_of_fixed_tendons)
{
    static const char sum[] =
        "<joint joint='x' coef='1'/><joint joint='y' coef='-.5'/></fixed></tendon>";
    static const char *const controls[] = {"pull=0.4"};
    perp_robot_options options = short_run();
    char text[1000];
    snprintf(text, sizeof text,
             "<tendon><fixed name='t' stiffness='50' damping='2' springlength='.2'>%s", sum);
    pulled(masses(text, "", &options), 50.0, 2.0, 10.0, 0.0);
    snprintf(text, sizeof text,
             "<tendon><fixed name='t' stiffness='50' armature='1.5' "
             "springlength='.2 .2'>%s",
             sum);
    pulled(masses(text, "", &options), 50.0, 0.0, 10.0, 1.5);
    /* At rest where x has its springref. */
    snprintf(text, sizeof text, "<tendon><fixed name='t' stiffness='50'>%s", sum);
    pulled(masses(text, "springref='.3'", &options), 50.0, 0.0, 15.0, 0.0);
    snprintf(text, sizeof text,
             "<tendon><fixed name='t'>%s<actuator><position name='pull' tendon='t' gear='2' kp='5' "
             "kv='.3'/>"
             "</actuator>",
             sum);
    options.control = controls;
    options.ncontrols = 1;
    pulled(masses(text, "", &options), 20.0, 1.2, 4.0, 0.0);
}
END_TEST

START_TEST(equalities_count_from_where_the_model_is)
{
    static const char *const controls[] = {"push=3"};
    static const char motor[] = "<actuator><motor name='push' joint='x'/></actuator>";
    perp_robot_options options = short_run();
    char text[1000];
    double way = 0.5 * until * until * 3.0 / (2.0 + 4.0 * 3.0);
    options.control = controls;
    options.ncontrols = 1;
    snprintf(text, sizeof text,
             "<tendon><fixed name='t'><joint joint='x' coef='2'/></fixed><fixed name='u'><joint "
             "joint='y' "
             "coef='1'/></fixed></tendon><equality><tendon tendon1='t' tendon2='u'/></equality>%s",
             motor);
    ends_at(masses(text, "ref='.3'", &options), 0.3 + way, 2.0 * way);
    snprintf(text, sizeof text,
             "<equality><joint joint1='y' joint2='x' polycoef='0 2 0 0 0'/></equality>%s", motor);
    ends_at(masses(text, "ref='.3'", &options), 0.3 + way, 2.0 * way);
}
END_TEST

/* y = x^2 - x/2 + 0.1, counted from where the model has both: y follows, and what the motor gave is
 * in the motion. */
START_TEST(equalities_bend)
{
    static const char *const controls[] = {"push=3"};
    perp_robot_options options = short_run();
    options.control = controls;
    options.ncontrols = 1;
    options.keyframe = "0";
    for (int shifted = 0; shifted < 2; shifted++) {
        perp_scene *scene;
        double first = shifted ? 0.125 : 0.0, x, y, rate[2];
        char *text =
            masses(shifted ? "<equality><joint joint1='y' joint2='x' polycoef='.1 -.5 1 0 0'/>"
                             "</equality><actuator><motor name='push' joint='x'/></actuator>"
                             "<keyframe><key qpos='.25 .053125'/></keyframe>"
                           : "<equality><joint joint1='y' joint2='x' polycoef='.1 -.5 1 0 0'/>"
                             "</equality><actuator><motor name='push' joint='x'/></actuator>"
                             "<keyframe><key qpos='.25 .0375'/></keyframe>",
                   shifted ? "ref='.125'" : "", &options);
        scene = scene_of(text, NULL);
        const double *row = scene_last_row(scene);
        x = row[2];
        rate[0] = row[3];
        y = row[4];
        rate[1] = row[5];
        double u = x - first;
        ck_assert_double_gt(x, 0.25 + 1e-2);
        ck_assert_double_eq_tol(y, u * u - 0.5 * u + 0.1, 1e-9);
        ck_assert_double_eq_tol(0.5 * (2.0 * rate[0] * rate[0] + 3.0 * rate[1] * rate[1]),
                                3.0 * (x - 0.25), 1e-6);
        perp_scene_destroy(scene);
        perp_robot_release(text, NULL);
    }
}
END_TEST

/* From x to 2 along the line of the slide, at rest 2 long, or as long as at x = -0.25. */
START_TEST(springs_of_spatial_tendons)
{
    static const char ends[] = "<site site='s'/><site site='w'/></spatial></tendon>";
    perp_robot_options options = short_run();
    char text[1000];
    snprintf(text, sizeof text, "<tendon><spatial stiffness='40' damping='3' springlength='1.8'>%s",
             ends);
    ends_at(masses(text, "", &options), swung(0.5, 40.0, 3.0, 8.0), 0.0);
    snprintf(text, sizeof text, "<tendon><spatial stiffness='40'>%s", ends);
    ends_at(masses(text, "springref='-.25'", &options), swung(0.5, 40.0, 0.0, -10.0), 0.0);
}
END_TEST

/* On the mass of 2: forces that a filter or an integrator, which comes to its bound, makes. */
START_TEST(activations_change)
{
    static const struct {
        const char *actuator, *act;
    } kinds[] = {
        {"<general joint='x' dyntype='filterexact' dynprm='.1' gainprm='5'/>", "0"},
        {"<general joint='x' dyntype='filter' dynprm='.1' gainprm='5'/>", "1.5"},
        {"<cylinder joint='x' timeconst='.1' area='5'/>", "0"},
        {"<general joint='x' dyntype='integrator' gainprm='5' actrange='-1 .3'/>", "0"},
        {"<general joint='x' dyntype='filter' gainprm='5'/>", "2"},
    };
    for (int k = 0; k < 5; k++) {
        perp_robot_options options = short_run();
        double t = until, T = 0.1, c = 2.0, first = atof(kinds[k].act), x;
        char text[600];
        snprintf(text, sizeof text,
                 "<actuator>%s</actuator><keyframe><key ctrl='2' act='%s'/></keyframe>",
                 kinds[k].actuator, kinds[k].act);
        options.keyframe = "0";
        if (k == 3) { /* c t up to t1, then 0.3 */
            double t1 = 0.15, v1 = 2.5 * c * t1 * t1 / 2.0, s = t - t1;
            x = 2.5 * c * t1 * t1 * t1 / 6.0 + v1 * s + 2.5 * 0.3 * s * s / 2.0;
        } else {
            x = 2.5 * (c * t * t / 2.0 + (first - c) * T * (t - T * (1.0 - exp(-t / T))));
        }
        ends_at(masses(text, "", &options), x, 0.0);
    }
}
END_TEST

/* A ball on a plane, between masks and pairs. */
START_TEST(collision_says_which_pairs_touch)
{
    static const char *const words[] = {"all", "predefined", "dynamic"};
    for (int k = 0; k < 3; k++)
        for (int pair = 0; pair < 2; pair++)
            for (int mask = 0; mask < 2; mask++) {
                perp_robot_options options = short_run();
                int touch = (pair && k != 2) || (mask && k != 1);
                char text[1000], *scene;
                snprintf(
                    text, sizeof text,
                    "<mujoco><option collision='%s' timestep='1e-3'/><worldbody><geom name='p' "
                    "type='plane' size='1 1 1'/><body pos='0 0 .1'><joint type='slide'/><geom "
                    "name='b' size='.1' contype='%d' "
                    "conaffinity='%d'/></body></worldbody>%s</mujoco>",
                    words[k], mask, mask,
                    pair ? "<contact><pair geom1='p' geom2='b'/></contact>" : "");
                scene = convert(text, &options);
                ck_assert_double_eq_tol(last_value(scene, 2),
                                        touch ? 0.0 : -0.5 * 9.81 * until * until, 1e-6);
                perp_robot_release(scene, NULL);
            }
    refused("<mujoco>\n<option collision='some'/></mujoco>", PERP_ERR_FORMAT, "collision", 2);
}
END_TEST
#endif

/* A filter at rest whose control is 0 stays there. */
START_TEST(activations_stay_zero)
{
    static const char *const kinds[] = {"<general name='f' joint='x' dyntype='filter' gainprm='5' "
                                        "biasprm='0 -5 0' biastype='affine'/>",
                                        "<general name='f' joint='x' dyntype='integrator' "
                                        "gainprm='5' biasprm='0 -5 0' biastype='affine'/>",
                                        "<position name='f' joint='x' kp='5' timeconst='.1'/>"};
    for (int k = 0; k < 3; k++) {
        perp_robot_options options = defaults();
        char text[1000], *scene;
        double stiffness;
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body><joint name='x' type='slide'/><geom "
                 "size='.1'/></body></worldbody>"
                 "<actuator>\n%s</actuator><keyframe><key act='0.5'/><key "
                 "act='0.0'/></keyframe></mujoco>",
                 kinds[k]);
        scene = convert(text, &options);
        numbers_of(&stiffness, 1, scene, "x-rotor", "K");
        close_to(stiffness, 5.0, 1.0);
        perp_robot_release(scene, NULL);
        options.keyframe = "1";
        perp_robot_release(convert(text, &options), NULL);
    }
}
END_TEST

/* A control of 0 lies below the range that is inherited: 0.8 to 1.6 less a tenth at either end. */
START_TEST(controls_inherit_ranges)
{
    static const char model[] = "<mujoco><worldbody><body><joint name='x' type='slide' range='.8 "
                                "1.6' ref='1'/><geom size='.1'/>"
                                "</body></worldbody><actuator><position joint='x' kp='5' "
                                "inheritrange='%s'/></actuator></mujoco>";
    char text[400], *scene;
    double force;
    snprintf(text, sizeof text, model, ".75");
    scene = convert(text, NULL);
    numbers_of(&force, 1, scene, "x-rotor", "F");
    close_to(force, 5.0 * 0.9, 5.0);
    perp_robot_release(scene, NULL);
    snprintf(text, sizeof text, model, "0");
    scene = convert(text, NULL);
    ck_assert_ptr_null(strstr(scene, "\"F\""));
    perp_robot_release(scene, NULL);
}
END_TEST

/* Of a tendon, 2 to 6, a control of 9 is 5.5; the activation of an intvelocity ends within the
 * range of its joint, 0.9 to 1.5, where it is under a control of 1 from 1.2 on. */
START_TEST(ranges_of_tendons_and_activations)
{
    static const char model[] =
        "<mujoco><worldbody><body><joint name='x' type='slide' range='.8 1.6'/><geom size='.1'/>"
        "</body></worldbody><tendon><fixed name='t' range='2 6'><joint joint='x' coef='2'/></fixed>"
        "</tendon><actuator>%s</actuator><keyframe><key qpos='1.2' ctrl='%s'%s/></keyframe>"
        "</mujoco>";
    perp_robot_options options = defaults();
    char text[700], *scene;
    double table[4];
    options.keyframe = "0";
    snprintf(text, sizeof text, model, "<position tendon='t' kp='5' inheritrange='.75'/>", "9", "");
    scene = convert(text, &options);
    numbers_of(table, 1, scene, "t-rotor", "F");
    close_to(table[0], 5.0 * 5.5, 5.0);
    perp_robot_release(scene, NULL);
    snprintf(text, sizeof text, model, "<intvelocity joint='x' kp='5' inheritrange='.75'/>", "1",
             " act='1.2'");
    scene = convert(text, &options);
    const char *at = strstr(scene, "\"table\": [[");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(
        sscanf(at, "\"table\": [[%lf, %lf], [%lf, %lf]]", table, table + 1, table + 2, table + 3),
        4);
    close_to(table[2], 0.3, 1.0);
    close_to(table[3] / table[1], 1.5 / 1.2, 1.0);
    perp_robot_release(scene, NULL);
}
END_TEST

int main(void)
{
#ifndef HAVE_LIBXML2
    return 77;
#else
    Suite *suite = suite_create("tendons of robots");
    TCase *tests = tcase_create("tendons of robots");
#ifdef HAVE_JANSSON
    tcase_add_test(tests, springs_of_fixed_tendons);
    tcase_add_test(tests, equalities_count_from_where_the_model_is);
    tcase_add_test(tests, equalities_bend);
    tcase_add_test(tests, springs_of_spatial_tendons);
    tcase_add_test(tests, activations_change);
    tcase_add_test(tests, collision_says_which_pairs_touch);
#endif
    tcase_add_test(tests, activations_stay_zero);
    tcase_add_test(tests, controls_inherit_ranges);
    tcase_add_test(tests, ranges_of_tendons_and_activations);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
#endif
}
