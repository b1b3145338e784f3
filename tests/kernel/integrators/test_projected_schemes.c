/* SPDX-License-Identifier: BSD-3-Clause */
/* The projected schemes: recurrences of a ball, joints held to the tolerance, unit quaternions,
 * nearest points. */
#include <stdlib.h>

#include "tests/fixtures/scheme_run.h"

static perp_system_id add_ball(scheme_run *run, double q0, double v0, double F)
{
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.v0 = &v0;
    def.F = &F;
    ck_assert_int_eq(perp_model_add_lagrangian(run->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

typedef struct ball {
    double q, v, p;
} ball;

/* Velocity step with the contact in or out of the problem, theta = 1/2. */
static ball ball_step(ball b, double h, double e, int active)
{
    double free = b.v - h * 9.81;
    double p = active ? fmax(0.0, -(free + e * b.v)) : 0.0;
    ball next = {b.q + 0.5 * h * (b.v + free + p), free + p, p};
    return next;
}

/* _i = 1: contacts in the index set alone are projected upon. */
START_TEST(ball_with_direct_projection)
{
    const double h = 5e-3, e = 0.9, one = 1.0;
    scheme_run run;
    run_open(&run, "moreau-jean-direct-projection");
    ck_assert_int_eq(perp_scheme_set(&run.scheme, "projection_of", _i ? "active" : "all"),
                     PERP_SOLVED);
    perp_system_id id = add_ball(&run, 1.0, 0.0, -9.81);
    perp_relation floor = {
        .size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    perp_interaction_id contact = run_link(&run, &id, 1, &floor, perp_law_impact(e));
    run_start(&run, h);
    ball b = {1.0, 0.0, 0.0};
    int active = 0, moved = 0, left = 0;
    for (int k = 0; k < 2000; k++) {
        double predicted = b.q + 0.5 * h * b.v;
        active = active ? !(predicted > 1e-7 && b.v >= 0.0) : predicted <= 1e-7;
        b = ball_step(b, h, e, active);
        if (-b.q > 1e-8 && (active || !_i)) {
            moved++;
            b.q = 0.0;
        }
        left += -b.q > 1e-8;
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, id)[0], b.q, 1e-11);
        ck_assert_double_eq_tol(run_v(&run, id)[0], b.v, 1e-11);
        ck_assert_double_eq_tol(run_lambda(&run, contact)[0], b.p, 1e-11);
    }
    ck_assert_int_gt(moved, 3);
    ck_assert_int_eq(left > 3, _i);
    run_close(&run);
}
END_TEST

START_TEST(ball_with_combined_projection)
{
    const double h = 5e-3, e = 0.9, one = 1.0;
    scheme_run run;
    run_open(&run, "moreau-jean-combined-projection");
    perp_system_id id = add_ball(&run, 1.0, 0.0, -9.81);
    perp_relation floor = {
        .size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    perp_interaction_id contact = run_link(&run, &id, 1, &floor, perp_law_impact(e));
    run_start(&run, h);
    ball b = {1.0, 0.0, 0.0};
    for (int k = 0; k < 2000; k++) {
        ball next = ball_step(b, h, e, 0);
        if (next.q <= 0.0) {
            next = ball_step(b, h, e, 1);
            next.q = 0.0;
        }
        b = next;
        run_step(&run);
        ck_assert_double_eq_tol(run_x(&run, id)[0], b.q, 1e-10);
        ck_assert_double_eq_tol(run_v(&run, id)[0], b.v, 1e-11);
        ck_assert_double_eq_tol(run_lambda(&run, contact)[0], b.p, 1e-11);
    }
    run_close(&run);
}
END_TEST

/* Two bodies hang on each other and on the world by point joints. */
static void double_pendulum(scheme_run *run, perp_system_id *ids, perp_interaction_id *joints)
{
    for (int k = 0; k < 2; k++) {
        perp_body_def body;
        perp_body_def_init(&body, sizeof body);
        body.mass = 1.0 + k;
        body.inertia[0] = 0.2;
        body.inertia[4] = 0.3;
        body.inertia[8] = 0.4;
        body.position[0] = 0.5 + k;
        body.angular[1] = -3.0;
        body.angular[2] = 2.0;
        body.velocity[1] = k ? -0.4 : 1.0;
        body.force[2] = -9.81 * body.mass;
        ck_assert_int_eq(perp_model_add_body(run->model, &body, &ids[k], NULL), PERP_SOLVED);
    }
    perp_relation point = {.size = sizeof(perp_relation),
                           .kind = PERP_RELATION_JOINT,
                           .rows = 3,
                           .joint = PERP_JOINT_POINT,
                           .anchor = {0, 0, 0}};
    joints[0] = run_link(run, ids, 1, &point, perp_law_equality());
    point.anchor[0] = 1.0;
    joints[1] = run_link(run, ids, 2, &point, perp_law_equality());
}

static double joint_violation(scheme_run *run, const perp_interaction_id *joints)
{
    double worst = 0.0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, fabs(run_y(run, joints[k])[i]));
    return worst;
}

START_TEST(joints_hold_to_the_tolerance)
{
    static const char *const schemes[] = {"moreau-jean-direct-projection",
                                          "moreau-jean-combined-projection", "moreau-jean"};
    scheme_run run;
    perp_system_id ids[2];
    perp_interaction_id joints[2];
    double worst = 0.0;
    run_open(&run, schemes[_i / 2]);
    run.scheme.projection_in = _i % 2;
    double_pendulum(&run, ids, joints);
    run_start(&run, 5e-3);
    for (int k = 0; k < 300; k++) {
        run_step(&run);
        worst = fmax(worst, joint_violation(&run, joints));
        for (int b = 0; b < 2; b++) {
            const double *Q = run_x(&run, ids[b]) + 3;
            double norm = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
            ck_assert_double_eq_tol(norm, 1.0, 4e-16);
        }
    }
    if (_i / 2 < 2) {
        ck_assert_double_le(worst, run.scheme.projection_tol);
        ck_assert_double_le(perp_sim_info(run.sim)->violation, run.scheme.projection_tol);
    } else {
        ck_assert_double_gt(worst, 1e-5);
    }
    run_close(&run);
}
END_TEST

/* Corner of a cube above the plane z = 0. */
static int corner(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                  const double *z, void *user)
{
    double arm[3];
    (void)t, (void)q_b, (void)user;
    perp_quaternion_rotate(q_a + 3, z, arm);
    memset(point, 0, sizeof *point);
    for (int i = 0; i < 3; i++)
        point->point_a[i] = point->point_b[i] = q_a[i] + arm[i];
    point->point_b[2] = 0.0;
    point->gap = point->point_a[2];
    point->normal[2] = 1.0;
    return 0;
}

/* A tilted cube falls onto its face: eight corners, four of them redundant at rest. */
START_TEST(cube_comes_to_rest_on_its_face)
{
    static const char *const schemes[] = {"moreau-jean-direct-projection",
                                          "moreau-jean-combined-projection"};
    scheme_run run;
    run_open(&run, schemes[_i / 2]);
    run.scheme.projection_in = _i % 2;
    perp_body_def body;
    perp_system_id id;
    perp_body_def_init(&body, sizeof body);
    body.inertia[0] = body.inertia[4] = body.inertia[8] = 1.0 / 6.0;
    body.position[2] = 0.7;
    body.quaternion[0] = 1.0;
    body.quaternion[1] = 0.05;
    body.quaternion[2] = 0.08;
    body.velocity[0] = 0.5;
    body.force[2] = -9.81;
    ck_assert_int_eq(perp_model_add_body(run.model, &body, &id, NULL), PERP_SOLVED);
    for (int k = 0; k < 8; k++) {
        const double at[] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5};
        perp_relation relation = {.size = sizeof(perp_relation),
                                  .kind = PERP_RELATION_CONTACT,
                                  .rows = 3,
                                  .contact = corner,
                                  .z = at,
                                  .nz = 3};
        run_link(&run, &id, 1, &relation, perp_law_friction(3, 0.0, 0.3));
    }
    perp_sim_options options;
    perp_sim_options_init(&options, sizeof options);
    options.h = 2e-3;
    ck_assert_int_eq(perp_sim_create(&run.sim, run.model, &options, NULL, NULL), PERP_SOLVED);
    perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &run.scheme);
    for (int k = 0; k < 1500; k++) {
        run_step(&run);
        ck_assert_double_le(perp_sim_info(run.sim)->violation, run.scheme.projection_tol);
    }
    const double *q = run_x(&run, id), *v = run_v(&run, id);
    ck_assert_double_eq_tol(q[2], 0.5, 1e-6);
    for (int i = 0; i < 6; i++)
        ck_assert_double_le(fabs(v[i]), 1e-6);
    run_close(&run);
}
END_TEST

/* Allocations of the model and the simulation. */
static long allocations;
static void *count_allocate(void *ctx, size_t bytes)
{
    (void)ctx;
    allocations++;
    return malloc(bytes);
}
static void count_release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

START_TEST(no_allocation_at_the_high_water_mark)
{
    static const char *const schemes[] = {"moreau-jean-direct-projection",
                                          "moreau-jean-combined-projection"};
    const perp_allocator counting = {count_allocate, count_release, NULL};
    perp_system_id ids[2];
    perp_interaction_id joints[2];
    scheme_run run;
    perp_sim_options options;
    run_open(&run, schemes[_i / 2]);
    perp_model_destroy(run.model);
    ck_assert_int_eq(perp_model_create(&run.model, &counting), PERP_SOLVED);
    run.scheme.projection_in = _i % 2;
    double_pendulum(&run, ids, joints);
    perp_sim_options_init(&options, sizeof options);
    options.h = 5e-3;
    ck_assert_int_eq(perp_sim_create(&run.sim, run.model, &options, &counting, NULL), PERP_SOLVED);
    perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &run.scheme);
    for (int k = 0; k < 200; k++) {
        if (k == 100)
            allocations = 0;
        run_step(&run);
    }
    ck_assert_int_eq(allocations, 0);
    run_close(&run);
}
END_TEST

/* A relation of a body by callbacks, in coordinates: its gradient leaves the unit sphere. */
static int tip(double *y, double t, const double *q, const double *lambda, const double *z,
               void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    y[0] = q[2] + q[3] * q[3] + q[6] * q[6] - q[4] * q[4] - q[5] * q[5] + 2.0;
    return 0;
}
static int tip_q(double *H, double t, const double *q, const double *lambda, const double *z,
                 void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    memset(H, 0, 7 * sizeof *H);
    H[2] = 1.0;
    H[3] = 2.0 * q[3];
    H[4] = -2.0 * q[4];
    H[5] = -2.0 * q[5];
    H[6] = 2.0 * q[6];
    return 0;
}

START_TEST(contact_in_coordinates_keeps_the_norm)
{
    scheme_run run;
    run_open(&run, "moreau-jean-direct-projection");
    run.scheme.projection_in = _i;
    perp_body_def body;
    perp_system_id id;
    perp_body_def_init(&body, sizeof body);
    body.angular[0] = 2.0;
    body.angular[2] = 1.0;
    body.force[2] = -9.81;
    ck_assert_int_eq(perp_model_add_body(run.model, &body, &id, NULL), PERP_SOLVED);
    perp_relation floor = {.size = sizeof floor,
                           .kind = PERP_RELATION_SCLERONOMOUS,
                           .rows = 1,
                           .h = tip,
                           .h_x = tip_q};
    perp_interaction_id contact = run_link(&run, &id, 1, &floor, perp_law_impact(0.3));
    run_start(&run, 5e-3);
    int touched = 0;
    for (int k = 0; k < 400; k++) {
        run_step(&run);
        const double *Q = run_x(&run, id) + 3, y = run_y(&run, contact)[0];
        double norm = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
        ck_assert_double_eq_tol(norm, 1.0, 4e-16);
        ck_assert_double_ge(y, -1e-8);
        touched += y < 1e-8;
    }
    ck_assert_int_gt(touched, 5);
    run_close(&run);
}
END_TEST

/* Balls in a row that overlap: q moves to the nearest row without overlap, whose multipliers
 * are known.  Many balls leave the matrix as factors. */
START_TEST(projection_is_the_nearest_point)
{
    enum { MOST = 300 };
    static const double ends[] = {-1.0, 1.0};
    const int n = _i ? MOST : 12;
    const double minus = -1.0;
    perp_system_id ids[MOST];
    double q[MOST], lambda[MOST];
    scheme_run run;
    run_open(&run, "moreau-jean-direct-projection");
    for (int k = 0; k < n; k++) {
        q[k] = 0.9 * k + 0.35 * sin(2.5 * k);
        ids[k] = add_ball(&run, q[k], 0.0, 0.0);
    }
    perp_relation gap = {
        .size = sizeof gap, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = ends, .e = &minus};
    for (int k = 0; k + 1 < n; k++)
        run_link(&run, ids + k, 2, &gap, perp_law_impact(0.0));
    run_start(&run, 5e-3);
    run_step(&run);
    /* move = C' lambda, from the first ball: lambda_k = - (sum of the moves up to k). */
    double sum = 0.0;
    int pushed = 0;
    for (int k = 0; k < n; k++) {
        double next = run_x(&run, ids[k])[0];
        sum += next - q[k];
        lambda[k] = -sum;
    }
    for (int k = 0; k + 1 < n; k++) {
        double y = run_x(&run, ids[k + 1])[0] - run_x(&run, ids[k])[0] - 1.0;
        ck_assert_double_ge(y, -1e-8);
        ck_assert_double_ge(lambda[k], -1e-6);
        ck_assert_double_le(fmin(y, lambda[k]), 1e-6);
        pushed += lambda[k] > 1e-3;
    }
    ck_assert_int_gt(pushed, n / 3);
    ck_assert_double_eq_tol(lambda[n - 1], 0.0, 1e-9 * n);
    run_close(&run);
}
END_TEST

/* Two schemes in one model: passes of the one leave the other as it is alone. */
START_TEST(passes_leave_other_schemes_alone)
{
    const double one = 1.0, x0 = 1.0, a = -0.5;
    double alone = 0.0;
    for (int both = 0; both < 2; both++) {
        scheme_run run;
        perp_system_id id, falling = {0, 0}, lone;
        perp_scheme standard;
        run_open(&run, "moreau-jean-combined-projection");
        perp_scheme_init(&standard, "moreau-jean", sizeof standard);
        perp_first_order_def def;
        perp_first_order_def_init(&def, sizeof def);
        def.n = 1;
        def.x0 = &x0;
        perp_mat_init_dense(&def.A, 1, 1, &a, 1);
        ck_assert_int_eq(perp_model_add_first_order(run.model, &def, &id, NULL), PERP_SOLVED);
        perp_relation relay = {
            .size = sizeof relay, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one, .B = &one};
        run_link(&run, &id, 1, &relay, perp_law_relay(-0.2, 0.2));
        lone = add_ball(&run, 1.0, 2.0, -9.81);
        perp_relation floor = {
            .size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
        run_link(&run, &lone, 1, &floor, perp_law_impact(0.7));
        if (both) {
            falling = add_ball(&run, 0.5, 0.0, -9.81);
            run_link(&run, &falling, 1, &floor, perp_law_impact(0.5));
        }
        run_start(&run, 0.01);
        perp_scheme memory;
        perp_scheme_init(&memory, "euler-moreau", sizeof memory);
        memory.gamma = 0.6;
        perp_sim_set_scheme(run.sim, id, &memory);
        perp_sim_set_scheme(run.sim, lone, &standard);
        for (int k = 0; k < 300; k++)
            run_step(&run);
        double result = run_x(&run, id)[0] + run_x(&run, lone)[0];
        if (both)
            ck_assert_double_eq_tol(result, alone, 1e-13);
        alone = result;
        run_close(&run);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("position projection");
    TCase *tc = tcase_create("projections");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, ball_with_direct_projection, 0, 2);
    tcase_add_test(tc, ball_with_combined_projection);
    tcase_add_loop_test(tc, joints_hold_to_the_tolerance, 0, 5);
    tcase_add_loop_test(tc, cube_comes_to_rest_on_its_face, 0, 4);
    tcase_add_loop_test(tc, no_allocation_at_the_high_water_mark, 0, 4);
    tcase_add_loop_test(tc, contact_in_coordinates_keeps_the_norm, 0, 2);
    tcase_add_loop_test(tc, projection_is_the_nearest_point, 0, 2);
    tcase_add_test(tc, passes_leave_other_schemes_alone);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
