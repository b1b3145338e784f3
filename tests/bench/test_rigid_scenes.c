/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenes of perp bench scenes at their start. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/engines/motion_measures.h"
#include "bench/campaign/engines/overlap.h"

static const double pi = 3.14159265358979323846;

static int count_of(const char *name, double *mass)
{
    rigid_scene scene;
    int bodies;

    ck_assert_int_eq(rigid_scene_make(&scene, name, NULL, 0), RIGID_MADE);
    *mass = 0.0;
    for (int k = 0; k < scene.bodies; k++)
        *mass += scene.body[k].mass;
    bodies = scene.bodies;
    rigid_scene_free(&scene);
    return bodies;
}

START_TEST(counts_and_masses)
{
    double mass;

    ck_assert_int_eq(count_of("heavy:3:1e4", &mass), 3);
    ck_assert_double_eq_tol(mass, 10002.0, 1e-9);
    /* Rows of n bricks, and of n - 1 with two halves. */
    ck_assert_int_eq(count_of("wall:10", &mass), 10 * 10 + 5);
    ck_assert_double_eq_tol(mass, 2000.0 * 0.04 * (5 * 10 * 0.4 + 5 * (9 * 0.4 + 2 * 0.195)), 1e-9);
    ck_assert_int_eq(count_of("wall:10:3", &mass), 106);
    /* Two cards a tent, one between two of them: n (n + 1) + n (n - 1) / 2. */
    ck_assert_int_eq(count_of("cards:4", &mass), 26);
    ck_assert_int_eq(count_of("cards:20:4", &mass), 20 * 21 + 190 + 4);
    ck_assert_int_eq(count_of("chain:20:1e6", &mass), 21);
    ck_assert_double_eq_tol(mass, 1e6 + 20.0, 1e-9);
    ck_assert_int_eq(count_of("loops:6", &mass), 18);
    ck_assert_int_eq(count_of("pyramid:100", &mass), 5050);
    ck_assert_int_eq(count_of("heap:1000", &mass), 1000);
    ck_assert_double_eq_tol(mass, 1e6 * 4.0 / 3.0 * pi * 1.25e-4, 1e-6);
}
END_TEST

/* Every scene of the list at its start: proper bodies, nothing overlaps, joints are closed, and the
 * energy is finite. */
START_TEST(scenes_begin_well)
{
    const char *name = rigid_scene_at(_i);
    rigid_scene scene;
    char message[256];
    rigid_made made = rigid_scene_make(&scene, name, message, sizeof message);
    double *pose;

    ck_assert_msg(made == RIGID_MADE, "%s: %s", name, message);
    ck_assert_int_ge(scene.number, 1);
    ck_assert(scene.h > 0.0 && scene.until > scene.h);
    pose = calloc((size_t)scene.bodies * 7, sizeof *pose);
    ck_assert_ptr_nonnull(pose);
    for (int k = 0; k < scene.bodies; k++) {
        const rigid_body *b = &scene.body[k];
        double square = 0.0;
        for (int i = 0; i < 4; i++)
            square += b->quaternion[i] * b->quaternion[i];
        ck_assert_double_eq_tol(square, 1.0, 1e-14);
        ck_assert_double_gt(b->mass, 0.0);
        for (int i = 0; i < 3; i++) {
            ck_assert_double_gt(b->inertia[i], 0.0);
            ck_assert_double_le(b->inertia[i],
                                b->inertia[(i + 1) % 3] + b->inertia[(i + 2) % 3] + 1e-12);
        }
        memcpy(pose + 7 * k, b->position, 3 * sizeof *pose);
        memcpy(pose + 7 * k + 3, b->quaternion, 4 * sizeof *pose);
    }
    ck_assert_msg(overlap_largest(&scene, pose, 7) < 1e-12, "%s: overlap %g", name,
                  overlap_largest(&scene, pose, 7));
    for (int k = 0; k < scene.joints; k++) {
        ck_assert(scene.joint[k].a >= 0 && scene.joint[k].a < scene.bodies);
        ck_assert(scene.joint[k].b >= -1 && scene.joint[k].b < scene.bodies);
        ck_assert_int_ne(scene.joint[k].a, scene.joint[k].b);
    }
    free(pose);
    rigid_scene_free(&scene);
}
END_TEST

START_TEST(names_are_checked)
{
    static const char *const bad[] = {
        "hill",       "wall:0",    "wall:x",       "wall:3:",     "wall:3:-1",
        "wall:3:4:5", "heap:10:2", "wall:1000000", "chain:2:nan", ""};
    rigid_scene scene;
    char message[256];

    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        message[0] = '\0';
        ck_assert_msg(rigid_scene_make(&scene, bad[k], message, sizeof message) == RIGID_UNKNOWN,
                      "%s", bad[k]);
        ck_assert_int_gt((int)strlen(message), 0);
        ck_assert_int_eq(scene.bodies, 0);
    }
}
END_TEST

/* A hull with the corners of a box has its mass, moments and directions; a hexagon those of the
 * tables. */
START_TEST(hulls)
{
    double corner[8][3], hexagon[12][3];
    const double sides[3] = {0.2, 0.3, 0.5}, at[3] = {1.0, 2.0, 3.0}, a = 0.7, height = 0.4;
    rigid_scene scene;
    const rigid_body *box, *hull, *nut;

    memset(&scene, 0, sizeof scene);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++)
            corner[k][i] = (k >> i & 1 ? 0.5 : -0.5) * sides[i] + 0.125 * (i + 1);
    for (int k = 0; k < 12; k++) {
        hexagon[k][0] = a * cos(k % 6 * pi / 3.0);
        hexagon[k][1] = a * sin(k % 6 * pi / 3.0);
        hexagon[k][2] = k < 6 ? -0.5 * height : 0.5 * height;
    }
    rigid_add_box(&scene, "box", sides, 2.0, at, 0.3);
    rigid_add_hull(&scene, "hull", (const double(*)[3])corner, 8, 2.0 / 0.03, at, 0.3);
    rigid_add_hull(&scene, "nut", (const double(*)[3])hexagon, 12, 1.0, at, 0.0);
    ck_assert(!scene.failed);
    box = &scene.body[0];
    hull = &scene.body[1];
    nut = &scene.body[2];
    ck_assert_double_eq_tol(hull->mass, 2.0, 1e-13);
    for (int i = 0; i < 3; i++) {
        double R[9], moved = 0.0;
        ck_assert_double_eq_tol(hull->inertia[i], box->inertia[i], 1e-14);
        ck_assert_double_eq_tol(hull->half[i], box->half[i], 1e-14);
        overlap_rotation(R, box->quaternion);
        for (int k = 0; k < 3; k++)
            moved += R[3 * i + k] * 0.125 * (k + 1);
        ck_assert_double_eq_tol(hull->position[i], at[i] + moved, 1e-14);
    }
    ck_assert_int_eq(hull->faces, 3);
    ck_assert_int_eq(hull->edges, 3);
    ck_assert_int_eq(nut->faces, 4);
    ck_assert_int_eq(nut->edges, 4);
    {
        double mass = 1.5 * sqrt(3.0) * a * a * height;
        ck_assert_double_eq_tol(nut->mass, mass, 1e-14);
        ck_assert_double_eq_tol(nut->inertia[2], 5.0 / 12.0 * mass * a * a, 1e-14);
        ck_assert_double_eq_tol(nut->inertia[0],
                                mass * (5.0 / 24.0 * a * a + height * height / 12.0), 1e-14);
    }
    rigid_scene_free(&scene);
}
END_TEST

/* What a half-plane l . (H, M) <= c leaves of a convex polygon. */
static int cut(double (*corner)[2], int count, const double *l, double c)
{
    double kept[160][2];
    int left = 0;

    for (int k = 0; k < count; k++) {
        const double *p = corner[k], *q = corner[(k + 1) % count];
        double s = l[0] * p[0] + l[1] * p[1] - c, t = l[0] * q[0] + l[1] * q[1] - c;
        if (s <= 0.0)
            memcpy(kept[left++], p, sizeof kept[0]);
        if ((s < 0.0 && t > 0.0) || (s > 0.0 && t < 0.0)) {
            kept[left][0] = p[0] + s / (s - t) * (q[0] - p[0]);
            kept[left++][1] = p[1] + s / (s - t) * (q[1] - p[1]);
        }
    }
    memcpy(corner, kept, (size_t)left * sizeof kept[0]);
    return left;
}

/* Static theorem: an arch stands if some line of thrust, given by its horizontal part H and its
 * moment M about the top of the axis, stays between the faces at each joint.  By symmetry half of
 * it is looked at; friction is large enough. */
static int thrust_line_fits(const char *name, double inner, double outer)
{
    double corner[160][2] = {{0.0, -1e6}, {1e6, -1e6}, {1e6, 1e6}, {0.0, 1e6}};
    rigid_scene scene;
    int count = 4, stones;

    ck_assert_int_eq(rigid_scene_make(&scene, name, NULL, 0), RIGID_MADE);
    stones = scene.bodies;
    for (int joint = stones / 2 + 1; joint <= stones && count > 0; joint++) {
        double angle = pi - joint * pi / stones, weight = 0.0, moment = 0.0;
        for (int k = stones / 2; k < joint; k++) { /* the middle stone counts half */
            double part = k == stones / 2 ? 0.5 * scene.body[k].mass : scene.body[k].mass;
            weight += part;
            /* the right half of the middle stone, by its own first moment */
            moment += k == stones / 2 ? 0.0 : part * scene.body[k].position[0];
        }
        {
            const rigid_body *top = &scene.body[stones / 2];
            double half_x = 0.0, area = 0.0;
            for (int k = 0; k < 1000; k++) { /* slices from the middle to its slanted side */
                double z = inner * cos(0.5 * pi / stones) +
                           (outer - inner) * cos(0.5 * pi / stones) * (k + 0.5) / 1000;
                double x = z * tan(0.5 * pi / stones);
                half_x += 0.5 * x * x;
                area += x;
            }
            moment += 0.5 * top->mass * half_x / area;
        }
        for (int side = 0; side < 2; side++) {
            double r = side ? outer : inner, x = r * cos(angle), z = r * sin(angle), l[2], c;
            double about = weight * x - moment; /* of the weights about (x, z) */
            /* The moment of all about the inner edge turns one way, about the outer one the other:
             * M + H (top - z) against the weights. */
            l[0] = outer - z;
            l[1] = 1.0;
            c = about;
            if (side == 0) {
                l[0] = -l[0];
                l[1] = -l[1];
                c = -c;
            }
            count = cut(corner, count, l, c);
        }
    }
    rigid_scene_free(&scene);
    return count > 0;
}

START_TEST(arches_by_limit_analysis)
{
    ck_assert(thrust_line_fits("arch:25", 1.85, 2.15));
    ck_assert(thrust_line_fits("arch:101", 1.85, 2.15));
    ck_assert(thrust_line_fits("thin-arch:101:0.11", 1.89, 2.11));
    ck_assert(!thrust_line_fits("thin-arch:101:0.105", 1.895, 2.105));
    ck_assert(!thrust_line_fits("thin-arch:25:0.09", 1.91, 2.09));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rigid scenes");
    TCase *tc = tcase_create("all");
    int scenes = 0;

    while (rigid_scene_at(scenes) != NULL)
        scenes++;
    tcase_add_test(tc, counts_and_masses);
    tcase_add_loop_test(tc, scenes_begin_well, 0, scenes);
    tcase_add_test(tc, names_are_checked);
    tcase_add_test(tc, hulls);
    tcase_add_test(tc, arches_by_limit_analysis);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
