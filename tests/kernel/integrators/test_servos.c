/* SPDX-License-Identifier: BSD-3-Clause */
/* Servos and springs of joint coordinates, targets that change, and runs of all drives together:
 * from checkpoints, without memory, refused by schemes and by their definitions. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/mechanism.h"

/* A pendulum of 2 kg with its centre at 0.5 m, level at first, turning down for growing angles. */
static const double weight_moment = 2.0 * 9.81 * 0.5, inertia = 0.05 + 2.0 * 0.25;
static const double step = 1.0 / 240.0;
static const mechanism_coordinate hinge = {{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0};
static const char *const both[] = {"discrete-gradient", "moreau-jean"};

static void hang(mechanism *m, perp_law law)
{
    static const double J[3] = {0.01, 0.05, 0.05}, centre[3] = {0.5, 0.0, 0.0};
    static const double origin[3] = {0.0}, y[3] = {0.0, 1.0, 0.0};
    mechanism_body(m, 2.0, J, centre, NULL);
    mechanism_join(m, PERP_JOINT_PIVOT, 0, MECHANISM_WORLD, origin, y);
    mechanism_drive(m, PERP_JOINT_ANGLE, 0, MECHANISM_WORLD, &hinge, law);
    mechanism_start(m, step);
}

static double angle_of(mechanism *m)
{
    return run_y(&m->run, m->drive[0])[0];
}

static double force_of(mechanism *m)
{
    return run_lambda(&m->run, m->drive[0])[0];
}

static const struct {
    double stiffness, largest;
} servos[] = {{1e2, 30.0}, {1e4, 30.0}, {1e4, (double)INFINITY}, {1e6, (double)INFINITY}};

/* At rest the torque is that of the weight and the angle that much off the target. */
START_TEST(offset_of_a_servo)
{
    double k = servos[_i / 2].stiffness;
    mechanism m;
    mechanism_open_as(&m, both[_i % 2]);
    hang(&m, perp_law_servo(k, 2.0 * sqrt(k * inertia), 1.0, servos[_i / 2].largest));
    for (int n = 0; n < 1200; n++) {
        mechanism_step(&m);
        ck_assert_double_le(fabs(force_of(&m)), servos[_i / 2].largest * (1.0 + 1e-12));
    }
    ck_assert_double_eq_tol(force_of(&m), -k * (angle_of(&m) - 1.0), 1e-6);
    ck_assert_double_eq_tol(force_of(&m), -weight_moment * cos(angle_of(&m)), 1e-6);
    ck_assert_double_eq_tol(mechanism_v(&m, 0)[4], 0.0, 1e-8);
    mechanism_close(&m);
}
END_TEST

/* A spring alone: what leaves the pendulum is in the spring, and all of it comes back. */
START_TEST(work_of_a_spring)
{
    static const double thetas[] = {0.5, 0.7};
    mechanism m;
    char text[40];
    double k = 40.0, d = _i < 2 ? 0.0 : 3.0, theta = thetas[_i % 2];
    snprintf(text, sizeof text, "theta=%g", theta);
    mechanism_open(&m, text);
    hang(&m, perp_law_servo(k, d, 0.4, (double)INFINITY));
    mechanism_step(&m);
    for (int n = 0; n < 480; n++) {
        double v[6], mean[6], before = angle_of(&m);
        mechanism_step(&m);
        mechanism_unprojected(&m, theta, 0, v, mean);
        double now = angle_of(&m), turn = now - before, square = 0.0;
        for (int i = 0; i < 6; i++) {
            double jump = v[i] - m.v[0][i];
            square += (i < 3 ? 2.0 : m.inertia[0][i - 3]) * jump * jump;
        }
        double given = mechanism_unprojected_energy(&m, theta) - mechanism_start_energy(&m) +
                       (theta - 0.5) * square;
        double stored = 0.5 * k * ((now - 0.4) * (now - 0.4) - (before - 0.4) * (before - 0.4));
        ck_assert_msg(fabs(given + stored + d * turn * turn / step) <= 2e-9, "step %d: %g", n,
                      given + stored + d * turn * turn / step);
    }
    mechanism_close(&m);
}
END_TEST

/* It arrives at rest, no faster than it may. */
START_TEST(a_profile_arrives_at_rest)
{
    mechanism m;
    double fastest = 0.0, farthest = -1.0, reached = 0.0;
    mechanism_open_as(&m, both[_i]);
    hang(&m, perp_law_profile(1.0, 3.0, 20.0, 30.0));
    for (int n = 1; n <= 480; n++) {
        mechanism_step(&m);
        fastest = fmax(fastest, fabs(mechanism_v(&m, 0)[4]));
        farthest = fmax(farthest, angle_of(&m));
        if (reached == 0.0 && fabs(angle_of(&m) - 1.0) < 1e-6)
            reached = n * step;
    }
    ck_assert_double_le(fastest, 3.0 + 2e-3);
    ck_assert_double_eq_tol(angle_of(&m), 1.0, _i == 0 ? 1e-9 : 1e-5);
    ck_assert_double_eq_tol(mechanism_v(&m, 0)[4], 0.0, 1e-6);
    ck_assert_double_le(farthest, 1.0 + 2e-3);
    ck_assert(reached > 0.4 && reached < 0.8);
    mechanism_close(&m);
}
END_TEST

/* Everything at once: a chain of three, each joint with another drive. */
static void machine(mechanism *m, const perp_allocator *allocator)
{
    static const double J[3] = {0.01, 0.02, 0.02}, axis[3] = {0.0, 1.0, 0.2};
    perp_law laws[] = {perp_law_motor(2.0, 8.0), perp_law_servo(50.0, 1.0, 0.5, 20.0),
                       perp_law_dry_friction(0.3)};
    mechanism_open_with(m, "", allocator);
    for (int k = 0; k < 3; k++) {
        double centre[3] = {0.25 + 0.5 * k, 0.0, 0.0}, anchor[3] = {0.5 * k, 0.0, 0.0};
        mechanism_coordinate at = {{anchor[0]}, {0.0, 1.0, 0.2}, 0.0, 1}, stop = at;
        mechanism_body(m, 1.0, J, centre, NULL);
        mechanism_join(m, PERP_JOINT_PIVOT, k, k - 1, anchor, axis);
        mechanism_drive(m, PERP_JOINT_ANGLE, k, k - 1, &at, laws[k]);
        stop.origin = 0.6;
        stop.side = -1;
        if (k == 2)
            mechanism_drive(m, PERP_JOINT_ANGLE, k, k - 1, &stop, perp_law_impact(0.4));
    }
    mechanism_start(m, step);
}

static void states(double out[39], mechanism *m)
{
    for (int k = 0; k < 3; k++) {
        memcpy(out + 13 * k, mechanism_x(m, k), 7 * sizeof *out);
        memcpy(out + 13 * k + 7, mechanism_v(m, k), 6 * sizeof *out);
    }
}

static void assert_same(mechanism *a, mechanism *b)
{
    double in_a[39], in_b[39];
    states(in_a, a);
    states(in_b, b);
    ck_assert_mem_eq(in_a, in_b, sizeof in_a);
    for (int k = 0; k < a->drives; k++)
        ck_assert_mem_eq(run_y(&a->run, a->drive[k]), run_y(&b->run, b->drive[k]), sizeof(double));
}

static void steps(mechanism *m, int count)
{
    for (int k = 0; k < count; k++)
        mechanism_step(m);
}

START_TEST(all_together_are_verified)
{
    mechanism m;
    perp_verdict verdict;
    machine(&m, NULL);
    steps(&m, 720);
    ck_assert_int_eq(perp_sim_verdict(m.run.sim, &verdict, sizeof verdict), PERP_SOLVED);
    ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "%s at step %ld",
                  verdict.first ? verdict.first : "-", verdict.step);
    ck_assert_double_gt(fabs(verdict.external), 1.0); /* of motor and servo */
    ck_assert_double_le(mechanism_opening(&m), 1e-9);
    ck_assert_double_gt(run_y(&m.run, m.drive[0])[0], 1.0);
    mechanism_close(&m);
}
END_TEST

/* A servo that drives an arm from rest into a stop within a step: no band by forces and rates at
 * its start sees that coming. */
START_TEST(a_stop_that_is_reached_from_rest)
{
    mechanism_coordinate stop = hinge;
    mechanism m;
    stop.origin = 0.05;
    stop.side = -1;
    mechanism_open(&m, "");
    m.gravity = 0.0;
    hang(&m, perp_law_servo(1e5, 0.0, 0.4, (double)INFINITY));
    mechanism_drive(&m, PERP_JOINT_ANGLE, 0, MECHANISM_WORLD, &stop, perp_law_impact(0.5));
    for (int k = 0; k < 240; k++) {
        mechanism_step(&m);
        ck_assert_double_ge(run_y(&m.run, m.drive[1])[0], -1e-9);
    }
    ck_assert_double_eq_tol(angle_of(&m), 0.05, 1e-6);
    mechanism_close(&m);
}
END_TEST

/* A motor of any torque against a stop: no motion satisfies both. */
START_TEST(a_motor_against_a_stop_is_infeasible)
{
    mechanism_coordinate stop = hinge;
    mechanism m;
    perp_infeasibility found = {.size = sizeof found};
    perp_status status = PERP_SOLVED;
    stop.origin = 0.2;
    stop.side = -1;
    mechanism_open_as(&m, both[_i]);
    hang(&m, perp_law_motor(1.0, (double)INFINITY));
    mechanism_drive(&m, PERP_JOINT_ANGLE, 0, MECHANISM_WORLD, &stop, perp_law_impact(0.0));
    for (int k = 0; k < 240 && status == PERP_SOLVED; k++)
        status = perp_sim_step(m.run.sim);
    ck_assert_int_eq(status, PERP_INFEASIBLE_STEP);
    ck_assert_int_eq(perp_sim_infeasibility(m.run.sim, &found), PERP_SOLVED);
    ck_assert_int_ge(found.rows, 2);
    ck_assert_double_eq_tol(angle_of(&m), 0.2, 5e-3);
    mechanism_close(&m);
}
END_TEST

/* Without weight everything comes to rest, to nothing at all, and goes on. */
START_TEST(rest_without_weight)
{
    const perp_law laws[] = {perp_law_motor(0.0, 5.0), perp_law_dry_friction(1.0),
                             perp_law_profile(0.4, 3.0, 10.0, 20.0),
                             perp_law_servo(60.0, 12.0, 0.2, 20.0)};
    for (int k = 0; k < 8; k++) {
        mechanism m;
        mechanism_open_as(&m, both[k % 2]);
        m.gravity = 0.0;
        hang(&m, laws[k / 2]);
        mechanism_v(&m, 0)[4] = 2.0;
        mechanism_v(&m, 0)[2] = -1.0;
        perp_model_changed(m.run.model);
        for (int n = 0; n < 960; n++)
            mechanism_step(&m);
        ck_assert_double_eq_tol(mechanism_v(&m, 0)[4], 0.0, 1e-9);
        mechanism_close(&m);
    }
}
END_TEST

START_TEST(from_a_checkpoint)
{
    mechanism saved, loaded;
    size_t bytes = 0;
    perp_law law = perp_law_servo(80.0, 2.0, -0.3, 25.0);
    machine(&saved, NULL);
    machine(&loaded, NULL);
    steps(&saved, 150);
    ck_assert_int_eq(perp_model_set_law(saved.run.model, saved.drive[1], &law), PERP_SOLVED);
    steps(&saved, 50);
    ck_assert_int_eq(perp_sim_save(saved.run.sim, NULL, &bytes), PERP_SOLVED);
    void *buffer = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(saved.run.sim, buffer, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(loaded.run.sim, buffer, bytes), PERP_SOLVED);
    free(buffer);
    steps(&saved, 200);
    steps(&loaded, 200);
    assert_same(&saved, &loaded);
    mechanism_close(&saved);
    mechanism_close(&loaded);
}
END_TEST

/* New targets in each step take no memory. */
static int retarget(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    mechanism *m = ctx;
    perp_law motor = perp_law_motor(2.0 * sin(3.0 * t), 8.0);
    perp_law servo = perp_law_servo(50.0 + 10.0 * t, 1.0, cos(t), 20.0);
    (void)sim, (void)h;
    return perp_model_set_law(model, m->drive[0], &motor) != PERP_SOLVED ||
           perp_model_set_law(model, m->drive[1], &servo) != PERP_SOLVED;
}

START_TEST(targets_change_at_no_cost)
{
    mechanism m;
    counter c = {0, 0, 0, 0};
    perp_allocator allocator = counter_allocator(&c);
    machine(&m, &allocator);
    perp_sim_set_before_step(m.run.sim, retarget, &m);
    steps(&m, 720);
    long before = c.allocations;
    steps(&m, 240);
    ck_assert_int_eq((int)(c.allocations - before), 0);
    ck_assert_double_eq_tol(run_y(&m.run, m.drive[1])[0], cos(4.0), 0.3);
    mechanism_close(&m);
}
END_TEST

/* Every allocation of a step fails in turn. */
START_TEST(no_memory)
{
    mechanism plain;
    machine(&plain, NULL);
    steps(&plain, 3);
    for (long k = 1, failed = 1; failed; k++) {
        mechanism m;
        double before[39], after[39];
        counter c = {0, 0, 0, 0};
        perp_allocator allocator = counter_allocator(&c);
        machine(&m, &allocator);
        states(before, &m);
        c.fail_at = c.allocations + k;
        perp_status status = perp_sim_step(m.run.sim);
        failed = c.allocations >= c.fail_at;
        c.fail_at = 0;
        ck_assert_msg(status == PERP_SOLVED || status == PERP_ERR_MEMORY, "allocation %ld: %s", k,
                      perp_status_name(status));
        if (status == PERP_ERR_MEMORY) {
            states(after, &m);
            ck_assert_mem_eq(before, after, sizeof before);
        }
        steps(&m, status == PERP_ERR_MEMORY ? 3 : 2);
        if (status == PERP_ERR_MEMORY || !failed)
            assert_same(&m, &plain);
        mechanism_close(&m);
        ck_assert_int_eq((int)c.live, 0);
        ck_assert_int_lt(k, 500);
    }
    mechanism_close(&plain);
}
END_TEST

START_TEST(other_schemes_refuse_by_name)
{
    static const char *const schemes[] = {"generalized-alpha", "event-driven", "splitting"};
    for (int k = 0; k < 3; k++) {
        mechanism m;
        mechanism_open_as(&m, schemes[k]);
        hang(&m, perp_law_dry_friction(1.0));
        ck_assert_msg(perp_sim_step(m.run.sim) == PERP_ERR_UNSUPPORTED, "%s", schemes[k]);
        const perp_step_info *info = perp_sim_info(m.run.sim);
        ck_assert_str_eq(info->where.what, "interaction");
        ck_assert_msg(strncmp(info->detail, schemes[k], strlen(schemes[k])) == 0, "%s",
                      info->detail);
        mechanism_close(&m);
    }
}
END_TEST

START_TEST(definitions_are_refused_by_name)
{
    const double nan = (double)NAN, inf = (double)INFINITY, one = 1.0;
    perp_law odd = perp_law_impact(0.5), late = perp_law_servo(1.0, 1.0, 0.0, 1.0), unread = late;
    odd.drive = PERP_DRIVE_MOTOR;
    late.place = 0.3;
    unread.rate = 1.0;
    const struct {
        perp_law law;
        const char *what;
    } cases[] = {{perp_law_motor(nan, 1.0), "law.rate"},
                 {perp_law_motor(inf, 1.0), "law.rate"},
                 {perp_law_motor(1.0, nan), "law.lo"},
                 {perp_law_motor(1.0, -1.0), "law.lo"},
                 {perp_law_dry_friction(inf), "law.hi"},
                 {perp_law_dry_friction(-1.0), "law.lo"},
                 {perp_law_servo(-1.0, 1.0, 0.0, 1.0), "law.stiffness"},
                 {perp_law_servo(0.0, 0.0, 0.0, 1.0), "law.stiffness"},
                 {perp_law_servo(1.0, nan, 0.0, 1.0), "law.damping"},
                 {perp_law_servo(1.0, 1.0, nan, 1.0), "law.target"},
                 {perp_law_profile(0.0, 0.0, 1.0, 1.0), "law.rate"},
                 {perp_law_profile(0.0, 1.0, 0.0, 1.0), "law.acceleration"},
                 {late, "law.place"},
                 {unread, "law.rate"},
                 {odd, "law.drive"}};
    scheme_run run;
    run_open(&run, "discrete-gradient");
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_interaction_def link;
        perp_where where = {NULL, -1, -1};
        perp_interaction_def_init(&link, sizeof link);
        link.systems = &id;
        link.nsystems = 1;
        link.relation.rows = 1;
        link.relation.C = &one;
        link.law = cases[k].law;
        ck_assert_int_lt(perp_model_add_interaction(run.model, &link, NULL, &where), 0);
        ck_assert_msg(where.what && strcmp(where.what, cases[k].what) == 0, "%zu: %s", k,
                      where.what);
        /* y that depends on lambda has no rate to drive. */
        link.law = perp_law_motor(1.0, 1.0);
        link.relation.D = &one;
        ck_assert_int_lt(perp_model_add_interaction(run.model, &link, NULL, &where), 0);
        ck_assert_str_eq(where.what, "law.drive");
    }
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("servos");
    TCase *tcase = tcase_create("servos");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, offset_of_a_servo, 0, 2 * (int)(sizeof servos / sizeof servos[0]));
    tcase_add_loop_test(tcase, work_of_a_spring, 0, 4);
    tcase_add_loop_test(tcase, a_profile_arrives_at_rest, 0, 2);
    tcase_add_test(tcase, all_together_are_verified);
    tcase_add_test(tcase, a_stop_that_is_reached_from_rest);
    tcase_add_loop_test(tcase, a_motor_against_a_stop_is_infeasible, 0, 2);
    tcase_add_test(tcase, rest_without_weight);
    tcase_add_test(tcase, from_a_checkpoint);
    tcase_add_test(tcase, targets_change_at_no_cost);
    tcase_add_test(tcase, no_memory);
    tcase_add_test(tcase, other_schemes_refuse_by_name);
    tcase_add_test(tcase, definitions_are_refused_by_name);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
