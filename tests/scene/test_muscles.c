/* SPDX-License-Identifier: BSD-3-Clause */
/* Muscles: their curves, activations against closed forms, and what follows from a model. */
#include "config.h"
#include "tests/scene/robot_text.h"

#include "scene/muscle.h"

/* Between 0 and 1 m, so that the optimal length is at 5/6. */
static double force(double l, double v, double activation)
{
    perp_muscle m;
    perp_muscle_init(&m);
    m.strength = 100.0;
    return perp_muscle_force(&m, (l - 0.75) / 0.3, v * 1.5 / 0.3, activation);
}

START_TEST(curves_pass_through_their_points)
{
    close_to(force(1.0, 0.0, 1.0), -100.0, 100.0);
    close_to(force(1.0, -0.5, 1.0), -25.0, 100.0);
    close_to(force(1.0, -1.0, 1.0), 0.0, 100.0);
    close_to(force(1.0, 0.2, 1.0), -120.0, 100.0);
    close_to(force(1.0, 0.1, 0.5), -57.5, 100.0);
    close_to(force(1.0, 5.0, 1.0), -120.0, 100.0);
    close_to(force(0.75, 0.0, 1.0), -50.0, 100.0);
    close_to(force(0.625, 0.0, 1.0), -12.5, 100.0);
    close_to(force(0.5, 0.0, 1.0), 0.0, 100.0);
    close_to(force(0.4, 0.0, 1.0), 0.0, 100.0);
    close_to(force(1.3, 0.0, 1.0), -50.0 - 65.0, 100.0);
    close_to(force(1.3, 0.0, 0.0), -65.0, 100.0);
    close_to(force(1.15, 0.0, 0.0), -16.25, 100.0);
    close_to(force(1.6, 0.0, 1.0), -195.0, 100.0);
    close_to(force(1.9, 0.0, 1.0), -325.0, 100.0);
}
END_TEST

/* Slopes do not jump. */
START_TEST(curves_are_smooth)
{
    const double h = 1e-6;
    for (double l = 0.45; l < 1.8; l += 0.01)
        for (double v = -1.2; v < 0.5; v += 0.05) {
            double left = force(l, v, 0.7) - force(l - h, v, 0.7);
            double right = force(l + h, v, 0.7) - force(l, v, 0.7);
            ck_assert_double_le(fabs(right - left), 3000.0 * h * h + 1e-12);
            left = force(l, v, 0.7) - force(l, v - h, 0.7);
            right = force(l, v + h, 0.7) - force(l, v, 0.7);
            ck_assert_double_le(fabs(right - left), 3000.0 * h * h + 1e-12);
        }
}
END_TEST

#ifdef HAVE_LIBXML2
/* A slide between 1 and 2 from a fixed point, and a muscle on it. */
#define PULLED(attributes, key)                                                                    \
    "<mujoco><option gravity='0 0 0'/><worldbody><site name='o'/><body pos='1.25 0 0'><joint "     \
    "name='x' type='slide' axis='1 0 0' range='-.25 .75'/><inertial pos='0 0 0' mass='4' "         \
    "diaginertia='1 1 1'/><site name='s'/></body></worldbody><tendon><spatial name='t'><site "     \
    "site='o'/><site site='s'/></spatial></tendon>\n<actuator><muscle name='m' "                   \
    "tendon='t' " attributes "/></actuator><keyframe><key " key "/></keyframe></mujoco>"

static char *muscle_of(const char *model)
{
    perp_robot_options options = defaults();
    options.keyframe = "0";
    options.until = 1.0;
    char *text = convert(model, &options);
    ck_assert_ptr_nonnull(strstr(text, "\"type\": \"muscle\", \"system\": \"m-rotor\""));
    return text;
}

static double number_behind(const char *text, const char *key, int place)
{
    const char *at = strstr(text, "\"type\": \"muscle\"");
    char *end;
    double x = 0.0;
    ck_assert_ptr_nonnull(at);
    at = strstr(at, key);
    ck_assert_msg(at != NULL, "no %s in %s", key, text);
    at += strlen(key);
    for (int k = 0; k <= place; k++) {
        at += strspn(at, "\": [,");
        x = strtod(at, &end);
        ck_assert_ptr_ne(at, end);
        at = end;
    }
    return x;
}

START_TEST(lengths_and_strength_follow_from_the_model)
{
    char *text = muscle_of(PULLED("", "ctrl='0'"));
    ck_assert_double_eq_tol(number_behind(text, "\"lengths\"", 0), 1.0, 1e-9);
    ck_assert_double_eq_tol(number_behind(text, "\"lengths\"", 1), 2.0, 1e-9);
    close_to(number_behind(text, "\"force\"", 0), 200.0 * 4.0, 800.0);
    perp_robot_release(text, NULL);
    text = muscle_of(PULLED("lengthrange='1 3' force='7' lmax='1.8'", "ctrl='0'"));
    close_to(number_behind(text, "\"lengths\"", 1), 3.0, 1.0);
    close_to(number_behind(text, "\"force\"", 0), 7.0, 1.0);
    close_to(number_behind(text, "\"lmax\"", 0), 1.8, 1.0);
    perp_robot_release(text, NULL);
    /* A gear counts lengths and divides strength. */
    text = muscle_of(PULLED("gear='2'", "ctrl='0'"));
    ck_assert_double_eq_tol(number_behind(text, "\"lengths\"", 1), 4.0, 1e-9);
    close_to(number_behind(text, "\"force\"", 0), 200.0 * 4.0 / 2.0, 400.0);
    perp_robot_release(text, NULL);
}
END_TEST

/* Entries of the table against the integrals of T (1/2 + 3/2 a)/(c - a) da where they rise, and of
 * T/((1/2 + 3/2 a)(c - a)) da where they fall. */
START_TEST(activations_follow_controls)
{
    for (int down = 0; down < 2; down++) {
        char *text = muscle_of(down ? PULLED("ctrlrange='0 1'", "ctrl='.2' act='.9'")
                                    : PULLED("ctrlrange='0 1'", "ctrl='1.7' act='.1'"));
        double c = down ? 0.2 : 1.0, first = down ? 0.9 : 0.1, t, a, wanted;
        for (int k = 0; k < 120; k += 7) {
            const char *at = strstr(text, "\"table\": [[");
            for (int i = 0; i < k; i++)
                at = strstr(at + 1, "], [");
            at += strspn(at, "\"table: [],");
            char *end;
            t = strtod(at, &end);
            a = strtod(end + 1, NULL);
            const double p = 0.5 + 1.5 * c, own = 0.5 + 1.5 * a;
            if (down)
                wanted = 0.04 / p * (log(own / (0.5 + 1.5 * first)) - log((c - a) / (c - first)));
            else
                wanted = 0.01 * (-p * log((c - a) / (c - first)) - 1.5 * (a - first));
            ck_assert_msg(fabs(t - wanted) <= 1e-6 * (0.04 + t),
                          "%d: a = %.12g at %.12g, not %.12g", k, a, t, wanted);
        }
        perp_robot_release(text, NULL);
    }
}
END_TEST

START_TEST(muscles_are_checked)
{
    refused(PULLED("lmin='1.2'", "ctrl='0'"), PERP_ERR_FORMAT, "no curves", 2);
    refused(PULLED("timeconst='0 1'", "ctrl='0'"), PERP_ERR_FORMAT, "time constant", 2);
    refused(PULLED("forcerange='0 -1' forcelimited='true'", "ctrl='0'"), PERP_ERR_FORMAT,
            "forcerange: two rising numbers", 2);
    refused("<mujoco><worldbody><body><joint name='j' type='slide'/><geom size='.1'/></body>"
            "</worldbody>\n<actuator><muscle joint='j'/></actuator></mujoco>",
            PERP_ERR_UNSUPPORTED, "lengthrange", 2);
}
END_TEST

/* A point on a circle of radius 0.5 about 0, from a point at distance 1: lengths from 0.5 at an
 * angle of 0 to 1.5 at half a turn. */
#define TURNED(joint, tendon)                                                                      \
    "<mujoco><worldbody><site name='o' pos='1 0 0'/><body><joint name='h' axis='0 0 1' " joint     \
    "/><geom size='.1'/><site name='s' pos='.3 .4 0'/></body></worldbody><tendon><spatial "        \
    "name='t' " tendon "><site site='o'/><site site='s'/></spatial></tendon>\n<actuator><muscle "  \
    "name='m' tendon='t' force='1'/></actuator></mujoco>"

static double length_at(double degrees)
{
    return sqrt(1.25 - cos(degrees * acos(-1.0) / 180.0));
}

START_TEST(lengths_of_several_extrema)
{
    static const struct {
        const char *model;
        double degrees[2], length[2]; /* these where they are above 0 */
        int notes;
    } cases[] = {
        {TURNED("range='-43.130102354155978 46.869897645844022'", ""), {10, 100}, {0, 0}, 0},
        {TURNED("range='-223.130102354155978 46.869897645844022'", ""), {0, 170}, {0, 0}, 1},
        {TURNED("range='-43.130102354155978 46.869897645844022'", "range='.7 1'"),
         {0, 0},
         {0.7, 1},
         0},
        {TURNED("range='-43.130102354155978 46.869897645844022'", "range='.1 1'"),
         {10, 0},
         {0, 1},
         0},
        {TURNED("type='ball'", "range='.25 2'"), {0, 0}, {0.25, 2}, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        told t;
        char *text = taken(cases[k].model, &t);
        ck_assert_msg(t.notes == cases[k].notes, "%d: %s", t.notes, t.last);
        for (int i = 0; i < 2; i++) {
            double l =
                cases[k].length[i] > 0.0 ? cases[k].length[i] : length_at(cases[k].degrees[i]);
            double got = number_behind(text, "\"lengths\": [", i);
            ck_assert_msg(fabs(got - l) < 1e-9, "%zu: %.15g and %.15g", k, got, l);
        }
        perp_robot_release(text, NULL);
    }
    refused(TURNED("type='ball'", ""), PERP_ERR_UNSUPPORTED, "a free or ball joint changes its", 2);
}
END_TEST

#ifdef HAVE_JANSSON
/* A mass that a muscle pulls, against its own equation by the midpoint rule. */
START_TEST(muscles_pull)
{
    static const char model[] = PULLED("lengthrange='.5 2.5' force='30' fpmax='0' range='.5 1.5' "
                                       "vmax='1e9'",
                                       "ctrl='.5' act='.5'");
    perp_robot_options options = defaults();
    options.keyframe = "0";
    options.until = 0.2;
    options.step = 1e-3;
    char *text = convert(model, &options);
    double x = 1.25, v = 0.0, h = 1e-5;
    perp_muscle m = {30.0, 0.5, 2.5, 0.5, 1.5, 0.5, 1.6, 1e9, 0.0, 1.2, 0, {0.0}};
    for (int k = 0; k < 20000; k++) {
        double a = perp_muscle_force(&m, x, v, 0.5) / 4.0, mid = x + 0.5 * h * v;
        v += h * perp_muscle_force(&m, mid, v + 0.5 * h * a, 0.5) / 4.0;
        x = mid + 0.5 * h * v;
    }
    ck_assert_double_eq_tol(last_value(text, 2), x - 1.25, 2e-6);
    perp_robot_release(text, NULL);
}
END_TEST

/* Its force within the range of the actuator, before the gear: here that of the bound all along,
 * half the square of the time at 3 times 2 for a mass of 4. */
START_TEST(forces_stay_within_their_range)
{
    static const char model[] =
        PULLED("gear='2' lengthrange='1 5' force='30' forcerange='-3 0' fpmax='0' range='.5 1.5' "
               "vmax='1e9'",
               "ctrl='1' act='1'");
    perp_robot_options options = defaults();
    options.keyframe = "0";
    options.until = 0.2;
    options.step = 1e-3;
    char *text = convert(model, &options);
    ck_assert_double_eq_tol(last_value(text, 2), -0.5 * 0.2 * 0.2 * 6.0 / 4.0, 1e-8);
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(sections_are_checked)
{
    static const struct {
        const char *keys, *words;
    } wrong[] = {
        {"", "lengths"},
        {", \"lengths\": [2, 1], \"activation\": 0", "two rising lengths"},
        {", \"lengths\": [1, 2], \"range\": [1, 1], \"activation\": 0", "rising numbers"},
        {", \"lengths\": [1, 2], \"vmax\": 0, \"activation\": 0", "not positive"},
        {", \"lengths\": [1, 2], \"lmin\": 1, \"activation\": 0", "lmin < 1 < lmax"},
        {", \"lengths\": [1, 2], \"fvmax\": 0.5, \"activation\": 0", "less than 1"},
        {", \"lengths\": [1, 2], \"coordinate\": 1, \"activation\": 0", "coordinate"},
        {", \"lengths\": [1, 2], \"bounds\": [1, 0], \"activation\": 0", "two rising forces"},
        {", \"lengths\": [1, 2]", "activation"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[1000];
        perp_scene_error error;
        snprintf(text, sizeof text,
                 SCENE_TIME SCENE_SYSTEMS
                 "\"forces\": [{\"type\": \"muscle\", \"system\": \"ball\"%s}]}",
                 wrong[k].keys);
        scene_refusal(&error, text, wrong[k].words);
    }
}
END_TEST
#endif
#endif

int main(void)
{
    Suite *suite = suite_create("muscles");
    TCase *tests = tcase_create("muscles");
    tcase_add_test(tests, curves_pass_through_their_points);
    tcase_add_test(tests, curves_are_smooth);
#ifdef HAVE_LIBXML2
    tcase_add_test(tests, lengths_and_strength_follow_from_the_model);
    tcase_add_test(tests, activations_follow_controls);
    tcase_add_test(tests, muscles_are_checked);
    tcase_add_test(tests, lengths_of_several_extrema);
#ifdef HAVE_JANSSON
    tcase_add_test(tests, muscles_pull);
    tcase_add_test(tests, forces_stay_within_their_range);
    tcase_add_test(tests, sections_are_checked);
#endif
#endif
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
