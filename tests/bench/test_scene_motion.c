/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp bench scenes measures of motions: planted ones, of which it is known what comes out. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/campaign/engines/motion_measures.h"
#include "bench/campaign/engines/overlap.h"
#include "bench/campaign/engines/step_residual.h"
#include "core/rng.h"

static const double pi = 3.14159265358979323846;

static rigid_body box_of(double x, double y, double z)
{
    rigid_body b = {.shape = RIGID_BOX, .half = {x, y, z}, .mass = 1.0};

    return b;
}

START_TEST(overlaps)
{
    const rigid_body ball = {.shape = RIGID_SPHERE, .radius = 1.0}, cube = box_of(1.0, 1.0, 1.0);
    const rigid_plane floor = {{0.0, 0.0, 1.0}, 0.25};
    const double at[7] = {0.0, 0.0, 0.0, 1.0}, c = cos(pi / 8.0), s = sin(pi / 8.0);
    double to[7] = {1.5, 0.0, 0.0, 1.0};

    ck_assert_double_eq_tol(overlap_of(&ball, at, &ball, to), 0.5, 1e-15);
    ck_assert_double_eq_tol(overlap_of(&ball, at, &cube, to), 0.5, 1e-15);
    ck_assert_double_eq_tol(overlap_of(&cube, at, &ball, to), 0.5, 1e-15);
    ck_assert_double_eq_tol(overlap_of(&cube, at, &cube, to), 0.5, 1e-15);
    ck_assert_double_eq_tol(overlap_with_plane(&cube, to, &floor), 1.25, 1e-15);
    to[0] = 2.5;
    ck_assert_double_eq(overlap_of(&cube, at, &cube, to), 0.0);
    /* Turned by 45 degrees about z: an edge is sqrt(2) away from its centre. */
    to[3] = c;
    to[6] = s;
    ck_assert_double_eq(overlap_of(&cube, at, &cube, to), 0.0);
    to[0] = 2.4;
    ck_assert_double_eq_tol(overlap_of(&cube, at, &cube, to), sqrt(2.0) - 1.4, 1e-14);
    /* Two edges across: both turned, about x and about y. */
    {
        const double a[7] = {0.0, 0.0, 0.0, c, s, 0.0, 0.0}, high = 2.0 * sqrt(2.0) - 0.125;
        const double b[7] = {0.0, 0.0, high, c, 0.0, s, 0.0};
        ck_assert_double_eq_tol(overlap_of(&cube, a, &cube, b), 0.125, 1e-14);
    }
}
END_TEST

/* A cube as a hull, and a ball whose centre is not that of mass, overlap as the box and the ball
 * do. */
START_TEST(overlaps_of_hulls)
{
    const rigid_body cube = box_of(1.0, 1.0, 1.0);
    const rigid_plane floor = {{0.0, 0.0, 1.0}, 0.25};
    double corner[8][3], pose[2][7], ball_pose[7] = {0.0, 0.0, 0.0, 1.0};
    rigid_body ball = {.shape = RIGID_SPHERE, .radius = 0.5, .shape_at = {0.25, 0.0, 0.0}};
    rigid_body plain = {.shape = RIGID_SPHERE, .radius = 0.5};
    rigid_scene scene;
    perp_rng rng = {7};
    int meets = 0;

    memset(&scene, 0, sizeof scene);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++)
            corner[k][i] = k >> i & 1 ? 1.0 : -1.0;
    rigid_add_hull(&scene, "hull", (const double(*)[3])corner, 8, 1.0, ball_pose, 0.0);
    for (int n = 0; n < 500; n++) {
        double depth;
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 7; k++)
                pose[i][k] = (k < 3 ? 1.5 : 1.0) * perp_rng_signed(&rng);
        depth = overlap_of(&cube, pose[0], &cube, pose[1]);
        meets += depth > 0.0;
        ck_assert_double_eq_tol(overlap_of(&scene.body[0], pose[0], &cube, pose[1]), depth, 1e-13);
        ck_assert_double_eq_tol(overlap_of(&cube, pose[0], &scene.body[0], pose[1]), depth, 1e-13);
        ck_assert_double_eq_tol(overlap_with_plane(&scene.body[0], pose[0], &floor),
                                overlap_with_plane(&cube, pose[0], &floor), 1e-13);
        memcpy(ball_pose, pose[1], 3 * sizeof(double));
        depth = overlap_of(&cube, pose[0], &plain, ball_pose);
        ck_assert_double_eq_tol(overlap_of(&scene.body[0], pose[0], &plain, ball_pose), depth,
                                1e-13);
        ball_pose[0] -= 0.25;
        ck_assert_double_eq_tol(overlap_of(&ball, ball_pose, &cube, pose[0]), depth, 1e-13);
    }
    ck_assert_int_gt(meets, 100);
    rigid_scene_free(&scene);
}
END_TEST

/* A record of a scene of one body. */
static motion_record record_of(double *state, double t)
{
    motion_record record = {.t = t, .seconds = 0.001, .early = 0.0, .contacts = 2.0, .given = -1.0};

    record.body = state;
    return record;
}

/* A cube sinks by 3 mm and creeps by 4 mm and 3 mm; it gains half of the energy that it had. */
START_TEST(figures_of_a_planted_motion)
{
    rigid_scene scene;
    motion_measures m;
    motion_figures f;
    double state[MOTION_BODY] = {0.0, 0.0, 0.25, 1.0};

    ck_assert_int_eq(rigid_scene_make(&scene, "heavy:1:2", NULL, 0), RIGID_MADE);
    ck_assert_int_eq(motion_measures_begin(&m, &scene), 0);
    for (int k = 0; k <= 4; k++) {
        motion_record record = record_of(state, 0.1 * k);
        record.early = k == 2;
        state[0] = 0.001 * k;
        state[1] = 0.00075 * k;
        state[2] = 0.25 - 0.00075 * k;
        ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    }
    motion_measures_end(&m, &f);
    motion_measures_free(&m);
    ck_assert_int_eq(f.steps, 4);
    ck_assert_double_eq_tol(f.t, 0.4, 1e-15);
    ck_assert_double_eq_tol(f.seconds, 0.004, 1e-15);
    ck_assert_double_eq_tol(f.contacts, 2.0, 1e-15);
    ck_assert_double_eq_tol(f.overlap, 0.003, 1e-14);
    ck_assert_double_eq_tol(f.creep, 0.005, 1e-14);
    ck_assert_double_eq_tol(f.sink, 0.003, 1e-14);
    ck_assert_int_eq(f.early, 1);
    ck_assert_int_eq(f.fallen, 0);
    ck_assert_double_eq(f.energy, 0.0);
    ck_assert(isnan(f.worst) && isnan(f.opening) && isnan(f.observed));
    rigid_scene_free(&scene);
}
END_TEST

/* It rises by 10 cm from nowhere, lies on its side in the end, and one state is no number. */
START_TEST(energy_falls_and_nan)
{
    rigid_scene scene;
    motion_measures m;
    motion_figures f;
    double state[MOTION_BODY] = {0.0, 0.0, 0.25, 1.0};
    motion_record record = record_of(state, 0.0);

    ck_assert_int_eq(rigid_scene_make(&scene, "heavy:1:2", NULL, 0), RIGID_MADE);
    ck_assert_int_eq(motion_measures_begin(&m, &scene), 0);
    ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    state[2] = 0.35;
    record.t = 0.1;
    ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    state[3] = cos(pi / 4.0);
    state[4] = sin(pi / 4.0);
    record.t = 0.2;
    ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    state[7] = NAN;
    record.t = 0.3;
    ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    motion_measures_end(&m, &f);
    motion_measures_free(&m);
    ck_assert_double_eq_tol(f.energy, 0.1 / 0.25, 1e-14); /* of what lifts it by half its width */
    ck_assert_int_eq(f.fallen, 1);
    ck_assert_int_eq(f.finite, 0);
    ck_assert_double_eq_tol(f.t, 0.2, 1e-15);
    rigid_scene_free(&scene);
}
END_TEST

/* The links stay where they are but for one that is 2 mm off; a hinge turns by 0.01 about x. */
START_TEST(openings)
{
    rigid_scene scene;
    motion_measures m;
    motion_figures f;
    motion_record record = {.contacts = 0.0, .given = -1.0, .early = NAN};
    double *states;

    ck_assert_int_eq(rigid_scene_make(&scene, "chain:3:1", NULL, 0), RIGID_MADE);
    states = calloc((size_t)scene.bodies * MOTION_BODY, sizeof *states);
    for (int k = 0; k < scene.bodies; k++) {
        memcpy(states + k * MOTION_BODY, scene.body[k].position, 3 * sizeof *states);
        memcpy(states + k * MOTION_BODY + 3, scene.body[k].quaternion, 4 * sizeof *states);
    }
    record.body = states;
    ck_assert_int_eq(motion_measures_begin(&m, &scene), 0);
    ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    states[1 + MOTION_BODY] += 0.002;
    record.t = 0.1;
    ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    motion_measures_end(&m, &f);
    motion_measures_free(&m);
    ck_assert_double_eq_tol(f.opening, 0.002, 1e-15);
    ck_assert_int_eq(f.early, -1);
    rigid_scene_free(&scene);

    ck_assert_int_eq(rigid_scene_make(&scene, "four-bar", NULL, 0), RIGID_MADE);
    ck_assert_int_eq(motion_measures_begin(&m, &scene), 0);
    record.t = 0.0;
    for (int k = 0; k < scene.bodies; k++) {
        memcpy(states + k * MOTION_BODY, scene.body[k].position, 3 * sizeof *states);
        memcpy(states + k * MOTION_BODY + 3, scene.body[k].quaternion, 4 * sizeof *states);
    }
    ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    motion_measures_end(&m, &f);
    motion_measures_free(&m);
    ck_assert_double_le(f.opening, 1e-15);
    rigid_scene_free(&scene);
    free(states);
}
END_TEST

/* A box slides on the floor by Coulomb's law: p = (-mu N h, 0, N h), v1 = v0 - mu g h. */
START_TEST(residual_of_a_sliding_box)
{
    rigid_scene scene;
    double before[MOTION_BODY] = {0.0, 0.0, 0.25, 1.0}, after[MOTION_BODY], scratch[3], weight;
    motion_contact c = {.a = 0.0, .b = -1.0, .arm_a = {0.0, 0.0, -0.25}, .normal = {0.0, 0.0, 1.0}};
    const double h = 0.01;

    ck_assert_int_eq(rigid_scene_make(&scene, "heavy:1:2", NULL, 0), RIGID_MADE);
    weight = 2.0 * 9.81 * h;
    memcpy(after, before, sizeof after);
    before[7] = 1.0;
    after[7] = 1.0 - scene.mu * 9.81 * h;
    after[0] = after[7] * h;
    c.impulse[0] = -scene.mu * weight;
    c.impulse[2] = weight;
    ck_assert_double_le(step_residual(&scene, h, before, after, &c, 1, scratch), 1e-13);
    /* No impulse at all: the momentum is wrong by as much, and so is the law. */
    c.impulse[0] = c.impulse[2] = 0.0;
    ck_assert_double_ge(step_residual(&scene, h, before, after, &c, 1, scratch), 1.0);
    /* Friction forwards. */
    c.impulse[0] = scene.mu * weight;
    c.impulse[2] = weight;
    ck_assert_double_ge(step_residual(&scene, h, before, after, &c, 1, scratch), 0.5);
    /* It pulls. */
    memcpy(after + 7, before + 7, 3 * sizeof *after);
    after[9] = -2.0 * 9.81 * h;
    after[7] = before[7] = 0.0;
    after[0] = before[0];
    c.impulse[0] = 0.0;
    c.impulse[2] = -weight;
    ck_assert_double_ge(step_residual(&scene, h, before, after, &c, 1, scratch), 0.9);
    rigid_scene_free(&scene);
}
END_TEST

/* The mean rates bring one state to the other, whatever the sign of the quaternion. */
START_TEST(mean_rates)
{
    double before[MOTION_BODY] = {1.0, 2.0, 3.0, 1.0}, after[MOTION_BODY], v[3], w[3];
    const double h = 0.1, angle = 0.3;

    memcpy(after, before, sizeof after);
    after[1] += 0.05;
    for (int sign = -1; sign <= 1; sign += 2) {
        after[3] = sign * cos(0.5 * angle);
        after[5] = sign * sin(0.5 * angle);
        step_mean_rates(v, w, before, after, h);
        ck_assert_double_eq_tol(v[1], 0.5, 1e-14);
        ck_assert_double_eq_tol(w[0], 0.0, 1e-14);
        ck_assert_double_eq_tol(w[1], angle / h, 1e-13);
    }
}
END_TEST

/* A ball that rolls down as it should, and tops that turn. */
START_TEST(laws)
{
    rigid_scene scene;
    motion_measures m;
    motion_figures f;
    double state[MOTION_BODY] = {0.0, 0.0, 0.0, 1.0};

    ck_assert_int_eq(rigid_scene_make(&scene, "rolling:1:0.5", NULL, 0), RIGID_MADE);
    ck_assert_double_eq_tol(scene.expected, 5.0 / 7.0 * 9.81 * sin(pi / 9.0), 1e-12);
    ck_assert_int_eq(motion_measures_begin(&m, &scene), 0);
    for (int k = 0; k <= 10; k++) {
        motion_record record = record_of(state, 0.1 * k);
        for (int i = 0; i < 3; i++)
            state[i] = scene.body[0].position[i] + 0.5 * 2.4 * 0.01 * k * k * scene.along[i];
        ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    }
    motion_measures_end(&m, &f);
    motion_measures_free(&m);
    rigid_scene_free(&scene);
    ck_assert_double_eq_tol(f.observed, 2.4, 1e-12);

    ck_assert_int_eq(rigid_scene_make(&scene, "top", NULL, 0), RIGID_MADE);
    ck_assert_int_eq(motion_measures_begin(&m, &scene), 0);
    for (int k = 0; k <= 100; k++) { /* more than two full turns */
        motion_record record = record_of(state, 0.1 * k);
        state[0] = 0.1 * cos(0.13 * k);
        state[1] = 0.1 * sin(0.13 * k);
        ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    }
    motion_measures_end(&m, &f);
    motion_measures_free(&m);
    rigid_scene_free(&scene);
    ck_assert_double_eq_tol(f.observed, 1.3, 1e-12);
}
END_TEST

/* The hand of the gripper rises and its fingers close: nothing opens; then one of them turns.  The
 * nut creeps by 3 um a second against the right one. */
START_TEST(sliders_and_creep)
{
    rigid_scene scene;
    motion_measures m;
    motion_figures f;
    motion_record record = {.contacts = 0.0, .given = -1.0, .early = NAN};
    double *states;

    ck_assert_int_eq(rigid_scene_make(&scene, "grasp", NULL, 0), RIGID_MADE);
    states = calloc((size_t)scene.bodies * MOTION_BODY, sizeof *states);
    record.body = states;
    ck_assert_int_eq(motion_measures_begin(&m, &scene), 0);
    for (int n = 0; n <= 12; n++) {
        for (int k = 0; k < scene.bodies; k++) {
            double *x = states + k * MOTION_BODY;
            memcpy(x, scene.body[k].position, 3 * sizeof *x);
            memcpy(x + 3, scene.body[k].quaternion, 4 * sizeof *x);
            x[2] += 0.01 * n;
            x[0] += k == 2 ? 0.001 * n : k == 3 ? -0.001 * n : 0.0;
        }
        states[2] -= 3e-6 * n;
        states[0] = -0.001 * n;
        record.t = n;
        if (n == 12) {
            motion_measures_end(&m, &f);
            ck_assert_double_le(f.opening, 1e-15);
            ck_assert(isnan(f.energy)); /* motors */
            states[2 * MOTION_BODY + 4] = sin(0.05);
            states[2 * MOTION_BODY + 3] = cos(0.05);
        }
        ck_assert_int_eq(motion_measures_add(&m, &record), 0);
    }
    motion_measures_end(&m, &f);
    ck_assert_double_eq_tol(f.observed, 3.0, 1e-6);
    ck_assert_double_eq_tol(f.opening, 2.0 * sin(0.05), 1e-12);
    motion_measures_free(&m);
    rigid_scene_free(&scene);
    free(states);
}
END_TEST

/* What is written comes back, in whatever pieces it is read. */
START_TEST(the_stream)
{
    rigid_scene scene;
    motion_out out;
    motion_in in;
    motion_contact c = {.a = 1.0, .b = -1.0, .normal = {0.0, 0.0, 1.0}, .gap = 0.5};
    int ends[2], records = 0;
    char byte[37];
    ssize_t got;

    ck_assert_int_eq(rigid_scene_make(&scene, "heavy:2:1", NULL, 0), RIGID_MADE);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(motion_begin(&out, ends[1], &scene, "Test 1"), 0);
    ck_assert_int_eq(motion_write(&out), 0);
    motion_start_contacts(&out);
    ck_assert_int_eq(motion_add_contact(&out, &c), 0);
    out.record.t = 0.25;
    ck_assert_int_eq(motion_write(&out), 0);
    motion_end(&out);
    close(ends[1]);
    motion_in_init(&in, scene.bodies);
    while ((got = read(ends[0], byte, sizeof byte)) > 0) {
        size_t taken = 0;
        char *to = motion_in_reserve(&in, (size_t)got);
        ck_assert_ptr_nonnull(to);
        memcpy(to, byte, (size_t)got);
        in.used += (size_t)got;
        while (motion_in_next(&in, &taken) == 1) {
            ck_assert_double_eq(in.record.t, records == 0 ? 0.0 : 0.25);
            ck_assert_double_eq(in.record.given, records == 0 ? -1.0 : 1.0);
            ck_assert_double_eq(in.record.body[MOTION_BODY + 2], 0.75);
            if (records == 1)
                ck_assert_double_eq(in.record.contact[0].gap, 0.5);
            records++;
        }
        motion_in_drop(&in, taken);
    }
    close(ends[0]);
    ck_assert_int_eq(records, 2);
    ck_assert_str_eq(in.text, "perp-motion 1 Test 1");
    ck_assert_int_eq((int)in.used, 0);
    motion_in_free(&in);
    rigid_scene_free(&scene);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scene motion");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, overlaps);
    tcase_add_test(tc, overlaps_of_hulls);
    tcase_add_test(tc, figures_of_a_planted_motion);
    tcase_add_test(tc, energy_falls_and_nan);
    tcase_add_test(tc, openings);
    tcase_add_test(tc, sliders_and_creep);
    tcase_add_test(tc, residual_of_a_sliding_box);
    tcase_add_test(tc, mean_rates);
    tcase_add_test(tc, laws);
    tcase_add_test(tc, the_stream);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
