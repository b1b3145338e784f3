/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces of a fluid on bodies: a plate that falls, a ball in honey and a body that spins against
 * their closed forms, perp verify and what it finds when the scene is changed, density and
 * viscosity of MJCF as forces, what is refused. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/fluid.h"
#include "tests/fixtures/run_folder.h"
#include "tests/scene/robot_text.h"

static const double G = 10.0, END = 1.0;

/* Five bodies beside each other, and their fluid. */
static const char world[] =
    "{\"version\": 1, \"time\": {\"until\": 1, \"step\": %g}, \"gravity\": [0, 0, -10],\n"
    "\"bodies\": [{\"name\": \"plate\", \"mass\": 1, \"inertia\": [1, 1, 1]},\n"
    "{\"name\": \"ball\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0]},\n"
    "{\"name\": \"spin\", \"mass\": 1, \"inertia\": [2, 2, 2], \"angular\": [0, 3, 0]},\n"
    "{\"name\": \"tumbling\", \"mass\": 1, \"inertia\": [2, 3, 4], \"angular\": [4, 3, 1], "
    "\"velocity\": [1, 2, 3]},\n"
    "{\"name\": \"leaf\", \"mass\": 0.5, \"inertia\": [0.25, 0.5, 0.625], \"angular\": [2, -1, 3], "
    "\"velocity\": [1, -2, 0.5]}],\n"
    "\"forces\": [{\"type\": \"fluid\", \"system\": \"plate\", \"drag\": [0.1, 0.2, 0.8]},\n"
    "{\"type\": \"fluid\", \"system\": \"ball\", \"damping\": [3, 3, 3]},\n"
    "{\"type\": \"fluid\", \"system\": \"spin\", \"turn_damping\": [9, 0, 9], "
    "\"turn_drag\": [9, 0.5, 9]},\n"
    "{\"type\": \"fluid\", \"system\": \"tumbling\", \"point\": [0.125, -0.25, 0.5], "
    "\"rotation\": [0.25, 0.5, -0.5], \"damping\": [0.125, 0.25, 0.5], "
    "\"turn_damping\": [0.5, 0.25, 0.125], "
    "\"drag\": [0.375, 0.125, 0.25], \"turn_drag\": [0.25, 0.0625, 0.125]},\n"
    "{\"type\": \"fluid\", \"system\": \"leaf\", \"point\": [0.0625, 0, 0.03125], \"rotation\": "
    "[0.5, "
    "0.125, 0], \"ellipsoid\": [0.5, 0.375, 0.0625], \"density\": 1.25, \"viscosity\": 0.75, "
    "\"coefficients\": [0.625, 0.1875, 1.5, 0.875, 1.125]}]%s,\n"
    "\"record\": {\"certify\": true}}";

static perp_scene *run_scene(double step, const char *more)
{
    char text[3000];
    snprintf(text, sizeof text, world, step, more);
    perp_scene *scene = scene_of(text, NULL);
    run_folder_run(scene);
    return scene;
}

static const double *rates(perp_scene *scene, const char *name)
{
    double *v;
    (void)scene_state(scene, name, &v);
    return v;
}

static const char *const schemes[] = {
    "", ", \"schemes\": [{\"name\": \"moreau-jean\", \"theta\": 0.5}]",
    ", \"schemes\": [{\"name\": \"generalized-alpha\"}]"};

/* v' = -g + k v^2 / m, v' = -g - c v / m and w' = -k w^2 / I: of second order in the step. */
static void errors(double out[3], double step, const char *scheme)
{
    double terminal = sqrt(G / 0.8), slow = 3.0 / 2.0;
    perp_scene *scene = run_scene(step, scheme);
    out[0] = fabs(rates(scene, "plate")[2] + terminal * tanh(G * END / terminal));
    out[1] = fabs(rates(scene, "ball")[2] + G / slow * (1.0 - exp(-slow * END)));
    out[2] = fabs(rates(scene, "spin")[4] - 3.0 / (1.0 + 0.25 * 3.0 * END));
    perp_scene_destroy(scene);
}

START_TEST(closed_forms)
{
    double coarse[3], fine[3];
    errors(coarse, 0.02, schemes[_i]);
    errors(fine, 0.01, schemes[_i]);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_lt(coarse[k], 2e-3);
        ck_assert_msg(fine[k] < 0.3 * coarse[k], "%d: %g, then %g", k, coarse[k], fine[k]);
    }
}
END_TEST

/* A ball of radius 0.25 as an ellipsoid has Stokes' drag, and the area of its circle. */
START_TEST(a_ball_as_an_ellipsoid)
{
    static const char format[] =
        "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.002}, \"gravity\": [0, 0, -10],\n"
        "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": [1, 1, 1]}], \"forces\": "
        "[{\"type\": "
        "\"fluid\", \"system\": \"a\", \"ellipsoid\": [0.25, 0.25, 0.25], \"%s\": %.17g, "
        "\"coefficients\": [0.5, 9, 9, 9, 9]}]}";
    double pi = acos(-1.0), slow = 6.0 * pi * 0.25 * 0.5 / 2.0;
    double terminal = sqrt(2.0 * G / (0.5 * pi * 0.0625 * 8.0));
    const double wanted[] = {-G / slow * (1.0 - exp(-slow * END)),
                             -terminal * tanh(G * END / terminal)};
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text, format, k == 0 ? "viscosity" : "density", k == 0 ? 0.5 : 8.0);
        perp_scene *scene = scene_of(text, NULL);
        perp_scene_run_options options;
        perp_scene_run_options_init(&options, sizeof options);
        ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_SOLVED);
        ck_assert_double_eq_tol(rates(scene, "a")[2], wanted[k], 1e-4);
        perp_scene_destroy(scene);
    }
}
END_TEST

/* It takes energy, all the time, and the files show it. */
START_TEST(verified)
{
    perp_scene_destroy(run_scene(0.01, schemes[_i]));
    run_findings found = run_folder_verify();
    ck_assert_msg(found.holds, "%s", found.contradicted);
    ck_assert_msg(strstr(found.unknown, "energy gain") == NULL, "%s", found.unknown);
}
END_TEST

/* Each number of the forces on the body that tumbles and on the leaf. */
static const char *const changes[] = {
    "s/\"point\": \\[0.125/\"point\": [0.13/",
    "s/\"rotation\": \\[0.25/\"rotation\": [0.26/",
    "s/\"damping\": \\[0.125, 0.25/\"damping\": [0.125, 0.26/",
    "s/\"turn_damping\": \\[0.5/\"turn_damping\": [0.51/",
    "s/\"drag\": \\[0.375/\"drag\": [0.38/",
    "s/\"turn_drag\": \\[0.25, 0.0625/\"turn_drag\": [0.25, 0.07/",
    "s/\"ellipsoid\": \\[0.5/\"ellipsoid\": [0.51/",
    "s/\"density\": 1.25/\"density\": 1.26/",
    "s/\"viscosity\": 0.75/\"viscosity\": 0.76/",
    "s/\"coefficients\": \\[0.625/\"coefficients\": [0.63/",
    "s/, 0.1875, 1.5/, 0.19, 1.5/",
    "s/0.1875, 1.5/0.1875, 1.51/",
    "s/0.875, 1.125/0.88, 1.125/",
    "s/0.875, 1.125/0.875, 1.13/"};

START_TEST(changes_are_found)
{
    perp_scene_destroy(run_scene(0.01, schemes[1]));
    run_findings found = run_folder_verify();
    ck_assert_msg(found.holds, "%s", found.contradicted);
    ck_assert_msg(strstr(found.unknown, "dynamics") == NULL, "%s", found.unknown);
    run_folder_shell("cd '%s' && tr '\\n' ' ' < scene.json | sed 's/  */ /g; s/\\[ /[/g' > one && "
                     "mv one scene.json",
                     run_folder);
    run_folder_betrays(changes[_i], "scene.json", "dynamics");
}
END_TEST

START_TEST(refusals_name_the_place)
{
    static const struct {
        const char *force, *said;
    } refusals[] = {
        {"\"system\": \"b\", \"drag\": [1, -1, 0]", "gives no energy"},
        {"\"system\": \"b\", \"turn_damping\": [1, 1]", "turn_damping"},
        {"\"system\": \"c\"", "c"},
        {"\"system\": \"flat\", \"drag\": [1, 1, 1]", "no body that moves freely"},
        {"\"system\": \"b\", \"density\": 1", "density"},
        {"\"system\": \"b\", \"ellipsoid\": [1, 0, 1]", "ellipsoid"},
        {"\"system\": \"b\", \"ellipsoid\": [1, 1, 1], \"viscosity\": -1", "viscosity"},
        {"\"system\": \"b\", \"ellipsoid\": [1, 1, 1], \"coefficients\": [1, 1, 1, 1, -1]",
         "coefficients"},
    };
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        char text[800];
        perp_scene_error error;
        snprintf(
            text, sizeof text,
            "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.1}, \"bodies\": [{\"name\": "
            "\"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"systems\": [{\"name\": \"flat\", "
            "\"type\": \"planar\", \"mass\": 1, \"inertia\": 1}], \"forces\": [{\"type\": "
            "\"fluid\", %s}]}",
            refusals[k].force);
        (void)scene_refusal(&error, text, refusals[k].said);
    }
}
END_TEST

#ifdef HAVE_LIBXML2
/* n numbers behind the k-th "key" of the forces. */
static void numbers(double *out, int n, const char *text, const char *key, int k)
{
    const char *at = strstr(text, "\"forces\"");
    ck_assert_ptr_nonnull(at);
    for (int i = 0; i <= k; i++) {
        at = strstr(at + 1, key);
        ck_assert_msg(at != NULL, "%s %d: %s", key, k, text);
    }
    at = strchr(at, '[') + 1;
    for (int i = 0; i < n; i++) {
        char *end;
        out[i] = strtod(at, &end);
        at = end + 1;
    }
}

/* A box is its own inertia box. */
START_TEST(a_box_of_a_model)
{
    const double side[3] = {0.2, 0.4, 0.6}, rho = 1.5, eta = 0.25, pi = acos(-1.0);
    double x[3], mean = 0.4;
    char *text =
        convert("<mujoco><option density='1.5' viscosity='0.25'/><worldbody><body><freejoint/>"
                "<geom type='box' size='0.1 0.2 0.3'/></body></worldbody></mujoco>",
                NULL);
    numbers(x, 3, text, "\"drag\"", 0);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(x[k], 0.5 * rho * side[(k + 1) % 3] * side[(k + 2) % 3], 1e-13);
    numbers(x, 3, text, "\"turn_drag\"", 0);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(
            x[k], rho * side[k] * (pow(side[(k + 1) % 3], 4) + pow(side[(k + 2) % 3], 4)) / 64.0,
            1e-13);
    numbers(x, 3, text, "\"damping\"", 0);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(x[k], 3.0 * pi * mean * eta, 1e-13);
    numbers(x, 3, text, "\"turn_damping\"", 0);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(x[k], pi * pow(mean, 3) * eta, 1e-13);
    perp_robot_release(text, NULL);
}
END_TEST

/* The drag of a box at a velocity u, its axes turned by q. */
static void drag_of(double *force, const double *drag, const double *q, const double *u)
{
    double own[3];
    perp_quaternion_rotate_back(q, u, own);
    for (int i = 0; i < 3; i++)
        own[i] *= -drag[i] * fabs(own[i]);
    perp_quaternion_rotate(q, own, force);
}

/* Of equal moments any axes are principal ones, but not any box has this drag: the axes are those
 * that the model gives, or those of the body where products of inertia are no more than rounding.
 */
START_TEST(axes_of_equal_moments)
{
#define BALLS(r, x, y)                                                                             \
    "<geom size='" r "' pos='" x " " y " 0'/><geom size='" r "' pos='-" x " -" y " 0'/>"           \
    "<geom size='" r "' pos='" x " -" y " 0'/><geom size='" r "' pos='-" x " " y " 0'/>"
    static const struct {
        const char *body;
        double axes[4]; /* what they are turned about, and degrees */
    } bodies[] = {
        {"<inertial pos='0 0 0' mass='1' diaginertia='0.01 0.01 0.015' euler='0 0 30'/>",
         {0.0, 0.0, 1.0, 30.0}},
        {"<inertial pos='0 0 0' mass='1' diaginertia='0.01 0.01 0.01' euler='25 0 0'/>",
         {1.0, 0.0, 0.0, 25.0}},
        {"<inertial pos='0 0 0' mass='1' diaginertia='0.01 0.015 0.01' euler='0 -50 0'/>",
         {0.0, 1.0, 0.0, -50.0}},
        {"<frame euler='0 0 20'><inertial pos='0 0 0' mass='1' fullinertia='0.01 0.01 0.015 0 0 "
         "0'/></frame>",
         {0.0, 0.0, 1.0, 20.0}},
        {"<inertial pos='0 0 0' mass='1' fullinertia='0.01 0.01 0.015 1e-18 0 1e-18'/>",
         {0.0, 0.0, 1.0, 0.0}},
        {BALLS("0.1", "0.3", "0.3"), {0.0, 0.0, 1.0, 0.0}},
        {BALLS("0.189", "0.1", "0.1"), {0.0, 0.0, 1.0, 0.0}},
        {"<frame euler='0 0 10'>" BALLS("0.1", "0.3", "0.3") "</frame>", {0.0, 0.0, 1.0, 0.0}},
    };
    const double u[3] = {0.7, -0.4, 0.5}, degree = acos(-1.0) / 180.0;
    char model[900];
    double drag[3], rotation[3] = {0.0, 0.0, 0.0}, own[4], wanted[3], got[3], turn[4];
    snprintf(model, sizeof model,
             "<mujoco><option density='100'/><worldbody><body><freejoint/>%s</body></worldbody>"
             "</mujoco>",
             bodies[_i].body);
    char *text = convert(model, NULL);
    numbers(drag, 3, text, "\"drag\"", 0);
    if (strstr(text, "\"rotation\"") != NULL)
        numbers(rotation, 3, text, "\"rotation\"", 0);
    perp_robot_release(text, NULL);
    perp_quaternion_exp(rotation, own);
    for (int i = 0; i < 3; i++)
        rotation[i] = bodies[_i].axes[i] * bodies[_i].axes[3] * degree;
    perp_quaternion_exp(rotation, turn);
    drag_of(got, drag, own, u);
    drag_of(wanted, drag, turn, u);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(fabs(got[i] - wanted[i]) <= 1e-11 * fabs(wanted[0]), "%d: %.17g, not %.17g",
                      i, got[i], wanted[i]);
}
END_TEST

/* Bodies that are held together have a force each, where their centres are, along their axes. */
START_TEST(parts_of_a_link)
{
    double x[3];
    char *text =
        convert("<mujoco><option viscosity='1'/><worldbody><body><freejoint/>"
                "<geom type='box' size='0.1 0.2 0.3' mass='1'/><body pos='0 0 2' euler='0 0 90'>"
                "<geom type='box' size='0.1 0.2 0.3' mass='3' pos='0.5 0 0'/></body></body>"
                "<body><geom type='box' size='1 1 1'/></body></worldbody></mujoco>",
                NULL);
    numbers(x, 3, text, "\"point\"", 0); /* the centre of both is at (0, 0.375, 1.5) */
    ck_assert_double_eq_tol(x[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(x[1], -0.375, 1e-12);
    ck_assert_double_eq_tol(x[2], -1.5, 1e-12);
    numbers(x, 3, text, "\"point\"", 1);
    ck_assert_double_eq_tol(x[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(x[1], 0.125, 1e-12);
    ck_assert_double_eq_tol(x[2], 0.5, 1e-12);
    numbers(x, 3, text, "\"rotation\"", 0);
    ck_assert_double_eq_tol(x[2], acos(0.0), 1e-12);
    const char *third = strstr(text, "\"fluid\"");
    for (int k = 0; k < 2 && third != NULL; k++)
        third = strstr(third + 1, "\"fluid\"");
    ck_assert_ptr_null(third);
    perp_robot_release(text, NULL);
    text = convert(
        "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>", NULL);
    ck_assert_ptr_null(strstr(text, "fluid"));
    perp_robot_release(text, NULL);
}
END_TEST

/* A ball in a wind, with linear drag: m v' = -c (v - wind), and the place follows; beside it one in
 * a fluid that rests, which begins with the opposite velocity. */
START_TEST(wind_carries)
{
    static const char form[] =
        "<mujoco><option viscosity='50' gravity='0 0 0' timestep='0.001' wind='%s'/><worldbody>"
        "<body name='a'><freejoint/><geom size='0.5'%s/></body></worldbody><sensor><framelinvel "
        "objtype='body' "
        "objname='a'/></sensor><keyframe><key qvel='%s 0 0 0'/></keyframe></mujoco>";
    for (int k = 0; k < 2; k++) { /* of the box of its inertia, and of itself */
        const char *shape = k == 0 ? "" : " fluidshape='ellipsoid' fluidcoef='0 0 0 0 0'";
        double v[2][6];
        for (int i = 0; i < 2; i++) {
            char model[600];
            perp_robot_options options = defaults();
            snprintf(model, sizeof model, form, i == 0 ? "2 -1 0.5" : "0 0 0", shape,
                     i == 0 ? "0 0 0" : "-2 1 -0.5");
            options.keyframe = "0";
            options.until = 0.5;
            char *text = convert(model, &options);
            perp_scene *scene = scene_of(text, NULL);
            memcpy(v[i], scene_last_row(scene) + 2, sizeof v[i]);
            perp_verdict verdict;
            ck_assert_int_eq(perp_sim_verdict(perp_scene_sim(scene), &verdict, sizeof verdict),
                             PERP_SOLVED);
            ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "%s", verdict.first);
            perp_scene_destroy(scene);
            perp_robot_release(text, NULL);
        }
        ck_assert_double_eq_tol(v[0][0], v[1][0] + 2.0, 1e-9);
        ck_assert_double_eq_tol(v[0][1], v[1][1] - 1.0, 1e-9);
        ck_assert_double_eq_tol(v[0][2], v[1][2] + 0.5, 1e-9);
        ck_assert_double_gt(v[0][0], 0.1);
    }
}
END_TEST

START_TEST(what_models_ask_for_beside_it)
{
    static const struct {
        const char *option, *geom, *said; /* NULL: it is done, or without effect */
    } models[] = {
        {"density='1' wind='1 0 0'", "", NULL},
        {"wind='1 0 0'", "", NULL},
        {"density='1'", "fluidshape='ellipsoid'", NULL},
        {"density='1'", "fluidshape='ellipsoid' fluidcoef='1 -1'", "fluidcoef"},
        {"", "fluidshape='ellipsoid'", NULL},
        {"density='-1'", "", "less than 0"},
    };
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        char model[500];
        perp_scene_error error = {.size = sizeof error};
        char *text = NULL;
        snprintf(model, sizeof model,
                 "<mujoco><option %s/><worldbody><body><freejoint/><geom size='1' %s/></body>"
                 "</worldbody></mujoco>",
                 models[k].option, models[k].geom);
        perp_status status = perp_robot_read_text(&text, model, strlen(model), NULL, NULL, &error);
        ck_assert_int_eq(status == PERP_SOLVED, models[k].said == NULL);
        ck_assert(models[k].said == NULL || strstr(error.text, models[k].said) != NULL);
        perp_robot_release(text, NULL);
    }
}
END_TEST

/* A body of such a shape has no drag, whatever else it carries, and one remark is enough for all.
 */
START_TEST(bodies_with_drag_of_another_kind)
{
    static const char model[] =
        "<mujoco><option density='1'/><default><default class='x'><geom size='1' mass='1' "
        "fluidshape='ellipsoid'/></default></default><worldbody><body name='a'><freejoint/><geom "
        "size='1'/></body><body name='b'><freejoint/><geom class='x'/><geom size='1'/></body>"
        "<body name='c'><freejoint/><geom class='x' type='capsule' size='0.25 0.5' "
        "fluidcoef='0.5 0.125'/></body></worldbody></mujoco>";
    perp_robot_options options = defaults();
    told heard = {0};
    double x[5];
    int count = 0, slender = 0;
    options.tell = hear;
    options.tell_ctx = &heard;
    char *text = convert(model, &options);
    ck_assert_int_eq(heard.missing, 0);
    for (const char *at = text; (at = strstr(at, "\"fluid\"")) != NULL; at++)
        count++;
    for (const char *at = text; (at = strstr(at, "\"ellipsoid\": [")) != NULL; at++)
        slender++;
    ck_assert_int_eq(count, 3);
    ck_assert_int_eq(slender, 2);
    numbers(x, 3, text, "\"ellipsoid\"", 1);
    ck_assert(x[0] == 0.25 && x[1] == 0.25 && x[2] == 0.75);
    numbers(x, 5, text, "\"coefficients\"", 1);
    ck_assert(x[0] == 0.5 && x[1] == 0.125 && x[2] == 1.5 && x[3] == 1.0 && x[4] == 1.0);
    perp_robot_release(text, NULL);
}
END_TEST
#endif

/* Wrench at the state moved along the velocity x by t, with v + t dv. */
static void wrench_at(double *out, const perp_scene_spring *spring, const double *q,
                      const double *v, const double *x, const double *dv, double t)
{
    double moved[7], rates_there[6];
    for (int k = 0; k < 6; k++) {
        out[k] = 0.0;
        rates_there[k] = v[k] + t * dv[k];
    }
    perp_body_move(q, x, t, moved);
    perp_scene_fluid_force(out, spring, moved, rates_there);
}

/* Along motions and changes of the velocities, against central differences. */
START_TEST(slopes_are_derivatives)
{
    enum { DRAWN = 200 };
    const double by = 1e-5;
    unsigned long seed = 7;
    for (int n = 0; n < DRAWN; n++) {
        perp_scene_fluid fluid = {0};
        perp_scene_spring spring = {.fluid = &fluid};
        double number[34], q[7], T[42], by_q[42] = {0.0}, by_v[36] = {0.0};
        for (int k = 0; k < 34; k++) {
            seed = (1103515245UL * seed + 12345UL) & 0x7fffffffUL;
            number[k] = (double)seed / 1073741824.0 - 1.0;
        }
        for (int k = 0; k < 6; k++) {
            fluid.damping[k] = n % 3 == 0 ? 0.0 : fabs(number[k]);
            fluid.drag[k] = n % 3 == 1 ? 0.0 : fabs(number[6 + k]);
        }
        perp_quaternion_exp(number + 12, fluid.axes);
        memcpy(spring.end[0].place, number + 15, 3 * sizeof(double));
        memcpy(q, number + 18, 3 * sizeof(double));
        perp_quaternion_exp(number + 21, q + 3);
        const double *v = number + 24;
        perp_scene_fluid_slope(by_q, by_v, &spring, q, v);
        perp_body_rates(q, T);
        for (int c = 0; c < 12; c++) {
            double x[6] = {0.0}, dv[6] = {0.0}, plus[6], minus[6];
            (c < 6 ? x : dv)[c % 6] = 1.0;
            wrench_at(plus, &spring, q, v, x, dv, by);
            wrench_at(minus, &spring, q, v, x, dv, -by);
            for (int i = 0; i < 6; i++) {
                double slope = c < 6 ? 0.0 : by_v[i + 6 * (c - 6)];
                for (int j = 0; c < 6 && j < 7; j++)
                    slope += by_q[i + 6 * j] * T[j + 7 * c];
                ck_assert_double_eq_tol(slope, (plus[i] - minus[i]) / (2.0 * by), 1e-7);
            }
        }
    }
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("forces of a fluid");
    TCase *tests = tcase_create("fluid");
    tcase_add_checked_fixture(tests, run_folder_make, run_folder_remove);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, closed_forms, 0, sizeof schemes / sizeof schemes[0]);
    tcase_add_test(tests, a_ball_as_an_ellipsoid);
    tcase_add_loop_test(tests, verified, 0, sizeof schemes / sizeof schemes[0]);
    tcase_add_loop_test(tests, changes_are_found, 0, sizeof changes / sizeof changes[0]);
    tcase_add_test(tests, refusals_name_the_place);
#ifdef HAVE_LIBXML2
    tcase_add_test(tests, a_box_of_a_model);
    tcase_add_loop_test(tests, axes_of_equal_moments, 0, 8);
    tcase_add_test(tests, parts_of_a_link);
    tcase_add_test(tests, what_models_ask_for_beside_it);
    tcase_add_test(tests, wind_carries);
    tcase_add_test(tests, bodies_with_drag_of_another_kind);
#endif
    tcase_add_test(tests, slopes_are_derivatives);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
