/* SPDX-License-Identifier: BSD-3-Clause */
/* The overlaps that perp verify recomputes: against closed forms, against each other, and on runs
 * whose scene, series or contacts were changed. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "config.h"
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verify.h>

#include "scene/verify/convex_depth.h"
#include "tests/fixtures/run_folder.h"

static unsigned long long state = 7;

static double uniform(double low, double high)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static void any_pose(double *pose, double apart)
{
    double length = 0.0;
    for (int k = 0; k < 3; k++)
        pose[k] = uniform(-apart, apart);
    for (int k = 3; k < 7; k++) {
        pose[k] = uniform(-1.0, 1.0);
        length += pose[k] * pose[k];
    }
    for (int k = 3; k < 7; k++)
        pose[k] /= sqrt(length);
}

static void corners(double *out, const double *half)
{
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++)
            out[3 * k + i] = (k >> i & 1) ? half[i] : -half[i];
}

/* Rotated by the conjugate: into the frame of the body. */
static void inside(double *out, const double *pose, const double *x)
{
    double w = pose[3], v[3] = {-pose[4], -pose[5], -pose[6]}, a[3], t[3];
    for (int k = 0; k < 3; k++)
        a[k] = x[k] - pose[k];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        t[k] = 2.0 * (v[i] * a[j] - v[j] * a[i]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[k] + w * t[k] + v[i] * t[j] - v[j] * t[i];
    }
}

/* A ball, written as an ellipsoid, and a box, written as the hull of its corners. */
START_TEST(a_ball_on_a_box)
{
    const double half[3] = {1.0, 0.7, 0.4};
    double points[24], pose[2][7];
    int close = 0;
    corners(points, half);
    const perp_verify_shape hull = {
        .form = PERP_VERIFY_HULL, .points = points, .npoints = 8, .reach = 1.3, .least = 0.4};
    const perp_verify_shape ball = {
        .form = PERP_VERIFY_ELLIPSOID, .size = {0.3, 0.3, 0.3}, .reach = 0.3, .least = 0.3};
    for (int k = 0; k < 3000; k++) {
        double own[3], out = 0.0, least = INFINITY, wanted, found;
        any_pose(pose[0], 0.2);
        any_pose(pose[1], 1.5);
        inside(own, pose[0], pose[1]);
        for (int i = 0; i < 3; i++) {
            double left = half[i] - fabs(own[i]);
            least = fmin(least, left);
            out += left < 0.0 ? left * left : 0.0;
        }
        wanted = 0.3 + (least < 0.0 ? -sqrt(out) : least);
        found = perp_verify_convex_depth(&hull, pose[0], &ball, pose[1], NULL, 0, 0, 0.0);
        if (wanted < -1e-9) {
            ck_assert_msg(found < 0.0, "%d: %g, not %g", k, found, wanted);
        } else if (wanted < 0.15) {
            ck_assert_msg(fabs(found - wanted) < 1e-6, "%d: %.10g, not %.10g", k, found, wanted);
            close++;
        } else {
            ck_assert_double_ge(found, wanted - 1e-9);
        }
    }
    ck_assert_int_gt(close, 100);
}
END_TEST

/* Boxes by their fifteen axes, and as hulls, of which no axis is known. */
START_TEST(boxes_as_hulls)
{
    const double half[2][3] = {{1.0, 0.7, 0.4}, {0.5, 0.5, 0.9}};
    double points[2][24], pose[2][7];
    perp_verify_shape box[2], hull[2];
    int close = 0, apart = 0;
    memset(box, 0, sizeof box);
    for (int k = 0; k < 2; k++) {
        corners(points[k], half[k]);
        box[k].form = PERP_VERIFY_BOX;
        memcpy(box[k].size, half[k], sizeof half[k]);
        box[k].reach = 1.4;
        box[k].least = 0.4;
        hull[k] = box[k];
        hull[k].form = PERP_VERIFY_HULL;
        hull[k].points = points[k];
        hull[k].npoints = 8;
    }
    for (int k = 0; k < 3000; k++) {
        any_pose(pose[0], 0.5);
        any_pose(pose[1], 1.7);
        double wanted =
            perp_verify_convex_depth(&box[0], pose[0], &box[1], pose[1], NULL, 0, 0, 0.0);
        double found =
            perp_verify_convex_depth(&hull[0], pose[0], &hull[1], pose[1], NULL, 0, 0, 0.0);
        ck_assert_int_eq(found > 1e-9, wanted > 1e-9);
        ck_assert_double_ge(found, wanted < 0.0 ? -10.0 : wanted - 1e-9);
        apart += wanted < 0.0;
        if (wanted <= 0.0 || wanted > 0.05)
            continue;
        ck_assert_msg(found - wanted < 1e-6, "%d: %.10g, not %.10g", k, found, wanted);
        close++;
    }
    ck_assert_int_gt(close, 50);
    ck_assert_int_gt(apart, 500);
}
END_TEST

START_TEST(round_shapes_on_their_axes)
{
    const perp_verify_shape cylinder = {
        .form = PERP_VERIFY_CYLINDER, .size = {0.5, 1.0}, .reach = 1.2, .least = 0.5};
    const perp_verify_shape cone = {
        .form = PERP_VERIFY_CONE, .size = {0.5, 1.0}, .reach = 1.2, .least = 0.5};
    const perp_verify_shape egg = {
        .form = PERP_VERIFY_ELLIPSOID, .size = {1.0, 0.5, 0.25}, .reach = 1.0, .least = 0.25};
    const perp_verify_shape ball = {
        .form = PERP_VERIFY_SPHERE, .size = {0.5}, .reach = 0.5, .least = 0.5};
    const double here[7] = {0, 0, 0, 1};
    const double above[7] = {0.1, 0, 1.99, 1}, beside[7] = {0.8, 0.6 - 0.01, 0, 1};
    const double tip[7] = {0.2, 0.1, -1.99, 1}, side[7] = {1.49, 0, 0, 1};
    struct {
        const perp_verify_shape *a, *b;
        const double *at;
        double depth;
    } table[] = {
        {&cylinder, &cylinder, above, 0.01},
        {&cylinder, &cylinder, beside, 1.0 - sqrt(0.64 + 0.59 * 0.59)},
        {&cylinder, &cone, tip, 0.01},
        {&egg, &ball, side, 0.01},
    };
    for (int k = 0; k < 4; k++) {
        ck_assert_double_eq_tol(
            perp_verify_convex_depth(table[k].a, here, table[k].b, table[k].at, NULL, 0, 0, 0.0),
            table[k].depth, 1e-7);
        ck_assert_double_eq_tol(
            perp_verify_convex_depth(table[k].b, table[k].at, table[k].a, here, NULL, 0, 0, 0.0),
            table[k].depth, 1e-7);
    }
}
END_TEST

/* Things on a floor, one on another, and what may stand in another one. */
static const char text[] =
    "{\"version\": 1, \"time\": {\"until\": 0.2, \"step\": 0.002}, \"gravity\": [0, 0, -9.81], "
    "\"bodies\": [{\"name\": \"floor\", \"material\": \"grass\", \"shape\": {\"type\": \"plane\", "
    "\"normal\": [0, 0, 1]}}, "
    "{\"name\": \"can\", \"mass\": 1, \"position\": [0, 0, 0.2], \"shape\": {\"type\": "
    "\"cylinder\", \"radius\": 0.2, \"length\": 0.4}}, "
    "{\"name\": \"top\", \"mass\": 0.5, \"position\": [0, 0, 0.4], \"shape\": {\"type\": \"cone\", "
    "\"radius\": 0.1, \"height\": 0.2}}, "
    "{\"name\": \"table\", \"mass\": 2, \"position\": [1, 0, 0], \"shapes\": ["
    "{\"type\": \"box\", \"sides\": [0.5, 0.5, 0.05], \"position\": [0, 0, 0.325]}, "
    "{\"type\": \"box\", \"sides\": [0.1, 0.1, 0.3], \"position\": [0, 0, 0.15]}]}, "
    "{\"name\": \"egg\", \"mass\": 0.5, \"position\": [1, 0, 0.45], \"shape\": {\"type\": "
    "\"ellipsoid\", \"radii\": [0.12, 0.12, 0.1]}}, "
    "{\"name\": \"ghost\", \"mass\": 1, \"position\": [0, 0.05, 0.2], \"shape\": {\"type\": "
    "\"box\", "
    "\"sides\": [0.4, 0.4, 0.4], \"category\": 2, \"touches\": 4}}, "
    "{\"name\": \"twin\", \"mass\": 1, \"position\": [0.15, 0.05, 0.2], \"shape\": {\"type\": "
    "\"box\", \"sides\": [0.4, 0.4, 0.4]}}, "
    "{\"name\": \"ball\", \"mass\": 1, \"position\": [0, 2, 0.1], \"velocity\": [1, 0, 0], "
    "\"angular\": [0, 10, 0], \"material\": \"skin\", \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.1}}, "
    "{\"name\": \"wheel\", \"mass\": 1, \"position\": [5, 0, 1], \"angular\": [0, 0, -40], "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, "
    "{\"name\": \"pinion\", \"mass\": 1, \"position\": [6, 0, 1], \"angular\": [0, 0, 20], "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}], "
    "\"interactions\": ["
    "{\"name\": \"one\", \"systems\": [\"wheel\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"pivot\", \"anchor\": [5, 0, 1], \"axis\": [0, 0, 1], \"start\": 0.5}}, "
    "{\"name\": \"two\", \"systems\": [\"pinion\"], \"relation\": {\"type\": \"joint\", \"joint\": "
    "\"pivot\", \"anchor\": [6, 0, 1], \"axis\": [0, 0, 1]}}, "
    "{\"name\": \"teeth\", \"relation\": {\"type\": \"gear\", \"of\": \"one\", \"with\": \"two\", "
    "\"ratio\": -2, \"offset\": 0.5}}], "
    "\"contacts\": {\"mu\": 0.5, \"exclude\": [[\"twin\", \"can\"], [\"twin\", \"table\"]], "
    "\"materials\": [{\"between\": [\"grass\", \"skin\"], \"mu\": 0.4, \"rolling\": 0.01}]}, "
    "\"frames\": {\"every\": 0}, \"record\": {\"certify\": true}}";

static void run(void)
{
    run_folder_run_text(text);
}

/* The check of this name after a change by sed. */
static perp_check after(const char *file, const char *change, const char *name)
{
    char command[400];
    perp_verification *found;
    perp_check check = {.size = sizeof check}, kept = {.size = 0};

    snprintf(command, sizeof command, "cp '%s/%s' '%s/kept' && sed -i '%s' '%s/%s'", run_folder,
             file, run_folder, change, run_folder, file);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(perp_verify_folder(&found, run_folder, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_verification_check(found, k, &check);
        if (strcmp(check.name, name) == 0)
            kept = check;
    }
    ck_assert_uint_ne(kept.size, 0);
    kept.where = kept.why = NULL;
    perp_verification_destroy(found);
    snprintf(command, sizeof command, "mv '%s/kept' '%s/%s'", run_folder, run_folder, file);
    ck_assert_int_eq(system(command), 0);
    return kept;
}

START_TEST(a_run_holds)
{
    perp_verification *found;
    ck_assert_int_eq(perp_verify_folder(&found, run_folder, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_check check = {.size = sizeof check};
        perp_verification_check(found, k, &check);
        ck_assert_msg(!check.contradicted, "%s: %g, %s", check.name, check.worst, check.where);
        if (strcmp(check.name, "overlap") == 0 || strcmp(check.name, "contacts") == 0)
            ck_assert_msg(check.known && check.why[0] == '\0', "%s: %s", check.name, check.why);
    }
    perp_verification_destroy(found);
}
END_TEST

static const struct {
    const char *file, *change, *check;
} changes[] = {
    {"scene.json", "s/\"length\": 0.4/\"length\": 0.5/", "lasting overlap"},
    {"scene.json", "s/^ *\"twin\",$/\"ghost\",/", "overlap"},
    {"scene.json", "s/\"category\": 2/\"category\": 1/", "overlap"},
    {"scene.json", "s/\"material\": \"grass\"/\"material\": \"sand\"/", "contacts"},
    {"scene.json", "s/\"rolling\": 0.01/\"rolling\": 0.001/", "laws"},
    {"scene.json", "s/\"mu\": 0.4/\"mu\": 0.41/", "contacts"},
    {"scene.json", "s/\"ratio\": -2/\"ratio\": -2.001/", "outputs"},
    {"scene.json", "s/\"start\": 0.5/\"start\": 0.6/", "outputs"},
    {"contacts.csv", "500s/,[^,]*,0,0,$/,0.02,0,0,/", "contacts"},
    {"contacts.csv", "500s/,[^,]*,$/,0.02,/", "laws"},
};

START_TEST(changes_are_found)
{
    ck_assert_msg(after(changes[_i].file, changes[_i].change, changes[_i].check).contradicted,
                  "change %d", _i);
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("verified shapes");
    TCase *depths = tcase_create("depths"), *runs = tcase_create("runs");
    tcase_add_test(depths, a_ball_on_a_box);
    tcase_add_test(depths, boxes_as_hulls);
    tcase_add_test(depths, round_shapes_on_their_axes);
    suite_add_tcase(suite, depths);
    tcase_add_checked_fixture(runs, run, run_folder_remove);
    tcase_add_test(runs, a_run_holds);
    tcase_add_loop_test(runs, changes_are_found, 0, sizeof changes / sizeof changes[0]);
    tcase_set_timeout(runs, 60);
    suite_add_tcase(suite, runs);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
