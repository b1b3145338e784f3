/* SPDX-License-Identifier: BSD-3-Clause */
/* Springs and dampers that are no lines, of scenes and of joints and tendons of MJCF: beside a
 * Runge-Kutta integration of what they mean, - (k0 + k1 x + k2 x^2) x - (c0 + c1 |u| + c2 u^2) u.
 */
#include "config.h"

#include <perp/verdict.h>

#include "tests/scene/robot_text.h"

#ifdef HAVE_JANSSON
typedef struct bent {
    double k[3], c[3], rest, q, u;
} bent;

static const bent cases[] = {
    {{2.0, 1.0, 4.0}, {0.0, 0.0, 0.0}, 0.0, 1.0, 0.0},
    {{2.0, 1.0, 4.0}, {0.1, 0.2, 0.05}, 0.25, -1.0, -0.5},
    {{0.0, -3.0, 50.0}, {0.0, 0.0, 0.5}, 0.1, 0.5, 2.0},
    {{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0.0, -3.0},
    {{5.0, 0.0, 0.0}, {0.0, 0.5, 2.0}, -0.5, 1.0, 1.0},
};
enum { CASES = sizeof cases / sizeof cases[0] };
static const double until = 0.5;

static double pull(const bent *b, double q, double u)
{
    double x = q - b->rest, fast = fabs(u);

    return -(b->k[0] + b->k[1] * x + b->k[2] * x * x) * x -
           (b->c[0] + b->c[1] * fast + b->c[2] * fast * fast) * u;
}

/* Of mass 1, at `until`. */
static void move(double *q, double *u, const bent *b)
{
    enum { STEPS = 20000 };
    const double h = until / STEPS;

    *q = b->q;
    *u = b->u;
    for (int k = 0; k < STEPS; k++) {
        double v1 = *u, a1 = pull(b, *q, v1), v2 = *u + 0.5 * h * a1;
        double a2 = pull(b, *q + 0.5 * h * v1, v2), v3 = *u + 0.5 * h * a2;
        double a3 = pull(b, *q + 0.5 * h * v2, v3), v4 = *u + h * a3;
        double a4 = pull(b, *q + h * v3, v4);
        *q += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
        *u += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
}

static const char form_of_scene[] =
    "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": %.17g}, \"systems\": [{\"name\": \"m\", "
    "\"type\": \"lagrangian\", \"M\": [[1]], \"q0\": [%.17g], \"v0\": [%.17g]}],\n\"forces\": "
    "[{\"type\": \"spring\", \"from\": {\"system\": \"m\", \"coordinate\": 0}, \"stiffness\": "
    "[%.17g, %.17g, %.17g], \"damping\": [%.17g, %.17g, %.17g], \"length\": %.17g}], "
    "\"record\": {\"stride\": 1000, \"quantities\": [\"m.q\", \"m.v\", \"m.potential\"]}}";

/* The last row of it; its verdict is looked at. */
static void run(double *row, int columns, const char *text)
{
    perp_scene *scene = scene_of(text, NULL);
    perp_verdict verdict;

    memcpy(row, scene_last_row(scene), (size_t)columns * sizeof *row);
    ck_assert_int_eq(perp_sim_verdict(perp_scene_sim(scene), &verdict, sizeof verdict),
                     PERP_SOLVED);
    ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "%s", verdict.first);
    perp_scene_destroy(scene);
}

START_TEST(scenes_of_order_two)
{
    const bent *b = &cases[_i];
    double q, u, row[2][4], off[2], x;
    char text[1000];

    move(&q, &u, b);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, form_of_scene, i == 0 ? 0.002 : 0.001, b->q, b->u, b->k[0],
                 b->k[1], b->k[2], b->c[0], b->c[1], b->c[2], b->rest);
        run(row[i], 4, text);
        off[i] = hypot(row[i][1] - q, row[i][2] - u);
    }
    ck_assert_msg(off[1] < 2e-5 && off[0] > 3.5 * off[1] && off[0] < 4.5 * off[1], "%g %g", off[0],
                  off[1]);
    x = row[1][1] - b->rest;
    close_to(row[1][3],
             b->k[0] * x * x / 2.0 + b->k[1] * pow(x, 3) / 3.0 + b->k[2] * pow(x, 4) / 4.0, 10.0);
}
END_TEST

/* Between two systems: the same force on both, opposite. */
START_TEST(between_two_systems)
{
    const bent *b = &cases[1];
    bent relative = *b;
    double q, u, row[5];
    char text[1000];

    for (int i = 0; i < 3; i++) { /* of both masses, 2 each, the relative motion is that of 1 */
        relative.k[i] = b->k[i];
        relative.c[i] = b->c[i];
    }
    snprintf(
        text, sizeof text,
        "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.0001}, \"systems\": ["
        "{\"name\": \"a\", \"type\": \"lagrangian\", \"M\": [[2]], \"q0\": [%.17g], \"v0\": "
        "[%.17g]}, {\"name\": \"b\", \"type\": \"lagrangian\", \"M\": [[2]], \"q0\": [0]}], "
        "\"forces\": [{\"type\": \"spring\", \"from\": {\"system\": \"a\", \"coordinate\": 0}, "
        "\"to\": {\"system\": \"b\", \"coordinate\": 0}, \"stiffness\": [2, 1, 4], "
        "\"damping\": [0.1, 0.2, 0.05], \"length\": 0.25}], \"record\": {\"stride\": 100, "
        "\"quantities\": [\"a.q\", \"b.q\", \"a.v\", \"b.v\"]}}",
        b->q, b->u);
    move(&q, &u, &relative);
    run(row, 5, text);
    ck_assert_double_eq_tol(row[1] - row[2], q, 1e-4);
    ck_assert_double_eq_tol(row[3] - row[4], u, 1e-4);
    ck_assert_double_eq_tol(row[3] + row[4], b->u, 1e-12);
}
END_TEST

/* At rest between two lengths, and bent beyond them. */
START_TEST(with_slack)
{
    double row[3], q = 0.1, u = 2.0;
    const bent bound = {{3.0, 2.0, 1.0}, {0.0, 0.0, 0.0}, 0.5, 0.5, 2.0};

    run(row, 3,
        "{\"version\": 1, \"time\": {\"until\": 0.7, \"step\": 0.0002}, \"systems\": [{\"name\": "
        "\"m\", \"type\": \"lagrangian\", \"q0\": [0.1], \"v0\": [2]}], \"forces\": [{\"type\": "
        "\"spring\", \"from\": {\"system\": \"m\", \"coordinate\": 0}, \"stiffness\": [3, 2, 1], "
        "\"length\": [-0.5, 0.5]}], \"record\": {\"stride\": 1000, \"quantities\": [\"m.q\", "
        "\"m.v\"]}}");
    move(&q, &u, &bound); /* from 0.2 on, for 0.5 */
    ck_assert_double_eq_tol(row[1], q, 1e-6);
    ck_assert_double_eq_tol(row[2], u, 1e-6);
}
END_TEST

START_TEST(what_scenes_refuse)
{
    static const struct {
        const char *ends, *said;
    } bad[] = {
        {"\"from\": {\"system\": \"m\", \"coordinate\": 0}, \"stiffness\": [1, 2]", "stiffness"},
        {"\"from\": {\"system\": \"m\", \"coordinate\": 0}, \"stiffness\": [-1, 2, 3]",
         "entry 0: less than 0"},
        {"\"from\": {\"system\": \"m\", \"coordinate\": 0}, \"damping\": [1, -2, 3]",
         "entry 1: less than 0"},
        {"\"from\": {\"system\": \"b\", \"point\": [0, 0, 0]}, \"stiffness\": [1, 2, 3]",
         "a spring between points is a line"},
    };
    char text[600];
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene = NULL;

    snprintf(text, sizeof text,
             "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.1}, \"systems\": [{\"name\": "
             "\"m\", \"type\": \"lagrangian\", \"q0\": [0]}], \"bodies\": [{\"name\": \"b\", "
             "\"mass\": 1, \"inertia\": [1, 1, 1]}],\n\"forces\": [{\"type\": \"spring\", %s}]}",
             bad[_i].ends);
    ck_assert_int_lt(perp_scene_create_from_text(&scene, text, NULL, NULL, &error), 0);
    ck_assert_msg(strstr(error.text, bad[_i].said) != NULL && error.line == 2, "%s", error.text);
}
END_TEST
#endif

#if defined(HAVE_JANSSON) && defined(HAVE_LIBXML2)
#define SLIDE(keys, tendon)                                                                        \
    "<mujoco><option timestep='0.0005' gravity='0 0 0'/><worldbody><site name='w'/><body>"         \
    "<joint name='j' type='slide' axis='1 0 0' " keys "/><geom size='0.1' mass='1'/><site "        \
    "name='s'/></body></worldbody>" tendon                                                         \
    "<keyframe><key qpos='-1' qvel='-0.5'/></keyframe></mujoco>"
#define BENT "stiffness='2 1 4' damping='0.1 0.2 0.05'"

/* Of a joint, of a tendon of it, and of one whose length is twice its coordinate. */
START_TEST(what_models_have)
{
    static const struct {
        const char *model;
        double factor; /* of the coordinate */
    } models[] = {
        {SLIDE(BENT " springref='0.25'", ""), 1.0},
        {SLIDE("", "<tendon><fixed " BENT " springlength='0.25'><joint joint='j' coef='1'/></fixed>"
                   "</tendon>"),
         1.0},
        {SLIDE("", "<tendon><fixed " BENT " springlength='0.25'><joint joint='j' coef='2'/></fixed>"
                   "</tendon>"),
         2.0},
        {SLIDE("", "<tendon><spatial " BENT " springlength='0.25'><site site='w'/><site site='s'/>"
                   "</spatial></tendon>"),
         -1.0},
    };
    bent b = cases[1];
    double f = models[_i].factor, q, u;
    double row[4];
    perp_robot_options options = defaults();
    options.keyframe = "0";
    options.until = until;
    char *text = convert(models[_i].model, &options);

    /* along f q, whose force f times as large moves it f times as far */
    for (int i = 0; i < 3; i++) {
        b.k[i] *= f * f;
        b.c[i] *= f * f;
    }
    b.q *= f;
    b.u *= f;
    move(&q, &u, &b);
    run(row, 4, text); /* t, energy, and those of the joint */
    ck_assert_double_eq_tol(row[2] * f, q, 1e-5);
    ck_assert_double_eq_tol(row[3] * f, u, 1e-5);
    perp_robot_release(text, NULL);
}
END_TEST

/* Flags switch them off; what is not done is named. */
START_TEST(what_models_refuse)
{
    told t;
    perp_robot_release(taken(SLIDE(BENT " springref='0.25'", ""), &t), NULL);
    same_scene("<mujoco><option><flag spring='disable' damper='disable'/></option><worldbody><body>"
               "<joint name='j' " BENT "/><geom size='1' pos='2 0 0'/></body></worldbody></mujoco>",
               "<mujoco><option><flag spring='disable' damper='disable'/></option><worldbody><body>"
               "<joint name='j'/><geom size='1' pos='2 0 0'/></body></worldbody></mujoco>");
    refused("<mujoco><worldbody><body>\n<joint type='free' stiffness='1 2'/><geom size='1'/></body>"
            "</worldbody></mujoco>",
            PERP_ERR_UNSUPPORTED, "stiffness that is no line of a free or ball joint", 2);
    refused("<mujoco><worldbody><body>\n<joint type='ball' damping='1 2'/><geom size='1'/></body>"
            "</worldbody></mujoco>",
            PERP_ERR_UNSUPPORTED, "damping that is no line of a free or ball joint", 2);
    refused("<mujoco><worldbody><body>\n<joint springdamper='1 1' stiffness='1 2'/><geom size='1' "
            "pos='2 0 0'/></body></worldbody></mujoco>",
            PERP_ERR_UNSUPPORTED, "stiffness that is no line beside a springdamper", 2);
    refused(SLIDE("damping='1 -1'", ""), PERP_ERR_UNSUPPORTED,
            "damping with a coefficient less than 0", 1);
    refused(SLIDE("", "<tendon>\n<fixed stiffness='1 2' springlength='0 1'><joint joint='j' "
                      "coef='1'/></fixed></tendon>"),
            PERP_ERR_UNSUPPORTED, "stiffness that is no line, of a tendon with slack", 2);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("bent springs");
    TCase *tcase = tcase_create("bent springs");
#ifdef HAVE_JANSSON
    tcase_add_loop_test(tcase, scenes_of_order_two, 0, CASES);
    tcase_add_test(tcase, between_two_systems);
    tcase_add_test(tcase, with_slack);
    tcase_add_loop_test(tcase, what_scenes_refuse, 0, 4);
#ifdef HAVE_LIBXML2
    tcase_add_loop_test(tcase, what_models_have, 0, 4);
    tcase_add_test(tcase, what_models_refuse);
#endif
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
