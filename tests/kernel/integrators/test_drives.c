/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits, motors and dry friction of joint coordinates against closed forms, work of each as force
 * times way, angles over many turns, chains with friction in every joint. */
#include <stdlib.h>

#include "tests/fixtures/mechanism.h"

static const double pi = 3.141592653589793238463;
/* A pendulum of 2 kg with its centre at 0.5 m, level at first, turning down for growing angles. */
static const double weight_moment = 2.0 * 9.81 * 0.5, inertia = 0.05 + 2.0 * 0.25;
static const double step = 1.0 / 240.0;
static const mechanism_coordinate hinge = {{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.0, 0};

static void hang(mechanism *m)
{
    static const double J[3] = {0.01, 0.05, 0.05}, centre[3] = {0.5, 0.0, 0.0};
    static const double origin[3] = {0.0}, y[3] = {0.0, 1.0, 0.0};
    int body = mechanism_body(m, 2.0, J, centre, NULL);
    mechanism_join(m, PERP_JOINT_PIVOT, body, MECHANISM_WORLD, origin, y);
}

/* Under this law on its angle and, without a law of its own on the result, a second coordinate that
 * only measures: a motor without force. */
static void pendulum(mechanism *m, const char *scheme, const mechanism_coordinate *at, perp_law law)
{
    mechanism_open_as(m, scheme);
    hang(m);
    mechanism_drive(m, PERP_JOINT_ANGLE, 0, MECHANISM_WORLD, at, law);
    mechanism_drive(m, PERP_JOINT_ANGLE, 0, MECHANISM_WORLD, &hinge, perp_law_motor(0.0, 0.0));
    mechanism_start(m, step);
}

static double angle_of(mechanism *m)
{
    return run_y(&m->run, m->drive[1])[0];
}

static double rate_of(mechanism *m)
{
    return mechanism_v(m, 0)[4];
}

/* Newton's law on a stop: energies above it fall by e^2 with each impact. */
START_TEST(apexes_on_a_stop)
{
    static const double restitution[] = {0.5, 0.8};
    mechanism_coordinate stop = hinge;
    mechanism m;
    double e = restitution[_i], apex[3] = {0.0}, before = 0.0, energy, lowest = 1.0;
    int found = 0;
    stop.origin = 0.3;
    stop.side = -1; /* y = 0.3 - angle */
    pendulum(&m, "discrete-gradient", &stop, perp_law_impact(e));
    energy = mechanism_energy(&m);
    for (int k = 0; k < 480 && found < 3; k++) {
        mechanism_step(&m);
        double now = mechanism_energy(&m), rate = rate_of(&m);
        ck_assert_double_le(now, energy + 1e-12);
        energy = now;
        if (before < 0.0 && rate >= 0.0)
            apex[found++] = angle_of(&m);
        before = rate;
        lowest = fmin(lowest, run_y(&m.run, m.drive[0])[0]);
    }
    ck_assert_int_eq(found, 3);
    ck_assert_double_ge(lowest, -1e-9);
    for (int k = 0; k < 3; k++) {
        double height = sin(0.3) * pow(e, 2.0 * (k + 1));
        ck_assert_double_eq_tol(sin(0.3) - sin(apex[k]), height, 0.02 * height + 1.5e-3);
    }
    mechanism_close(&m);
}
END_TEST

/* A limit that is reached inside a step is kept, and what rests on it stays. */
START_TEST(rest_on_a_stop)
{
    static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};
    mechanism_coordinate stop = hinge;
    mechanism m;
    double exact = _i == 0 ? 1e-9 : 0.05; /* laws on rates keep what they sank by */
    stop.origin = 0.3;
    stop.side = -1;
    pendulum(&m, schemes[_i], &stop, perp_law_impact(0.0));
    for (int k = 0; k < 480; k++) {
        mechanism_step(&m);
        ck_assert_double_ge(run_y(&m.run, m.drive[0])[0], -exact);
    }
    ck_assert_double_eq_tol(angle_of(&m), 0.3, exact);
    ck_assert_double_eq_tol(rate_of(&m), 0.0, 1e-9);
    /* The impulse of a step carries the weight. */
    ck_assert_double_eq_tol(run_lambda(&m.run, m.drive[0])[0],
                            step * weight_moment * cos(angle_of(&m)), 1e-8);
    mechanism_close(&m);
}
END_TEST

/* A block on a vertical slide falls on its lower limit and is then lifted to the upper one. */
START_TEST(limits_of_a_slide)
{
    static const double J[3] = {0.1, 0.1, 0.1}, place[3] = {1.0, 0.0, 2.0}, up[3] = {0.0, 0.0, 1.0};
    mechanism_coordinate low = {{1.0, 0.0, 2.0}, {0.0, 0.0, 1.0}, -0.4, 1}, high = low, free = low;
    mechanism m;
    perp_law lift = perp_law_motor(1.5, 0.0);
    high.origin = 0.25;
    high.side = -1;
    free.origin = 0.0;
    mechanism_open(&m, "");
    mechanism_body(&m, 3.0, J, place, NULL);
    mechanism_join(&m, PERP_JOINT_PRISMATIC, 0, MECHANISM_WORLD, place, up);
    mechanism_drive(&m, PERP_JOINT_SLIDE, 0, MECHANISM_WORLD, &low, perp_law_impact(0.0));
    mechanism_drive(&m, PERP_JOINT_SLIDE, 0, MECHANISM_WORLD, &high, perp_law_impact(0.0));
    mechanism_drive(&m, PERP_JOINT_SLIDE, 0, MECHANISM_WORLD, &free, lift);
    mechanism_start(&m, step);
    for (int k = 0; k < 240; k++)
        mechanism_step(&m);
    ck_assert_double_eq_tol(mechanism_x(&m, 0)[2], 1.6, 1e-9);
    lift.hi = 50.0;
    ck_assert_int_eq(perp_model_set_law(m.run.model, m.drive[2], &lift), PERP_SOLVED);
    for (int k = 0; k < 240; k++) {
        mechanism_step(&m);
        ck_assert_double_le(mechanism_x(&m, 0)[2], 2.25 + 1e-9);
        ck_assert_double_le(run_lambda(&m.run, m.drive[2])[0], 50.0 + 1e-9);
    }
    ck_assert_double_eq_tol(mechanism_x(&m, 0)[2], 2.25, 1e-9);
    ck_assert_double_eq_tol(run_y(&m.run, m.drive[2])[0], 0.25, 1e-9);
    ck_assert_double_eq_tol(run_lambda(&m.run, m.drive[2])[0], 50.0, 1e-9);
    ck_assert_double_eq_tol(run_lambda(&m.run, m.drive[1])[0], step * (50.0 - 3.0 * 9.81), 1e-8);
    mechanism_close(&m);
}
END_TEST

static const char *const both[] = {"discrete-gradient", "moreau-jean"};

/* A strong motor holds its rate against the weight; its torque is that of the weight. */
START_TEST(motor_holds_its_rate)
{
    mechanism m;
    pendulum(&m, both[_i], &hinge, perp_law_motor(5.0, 30.0));
    for (int k = 0; k < 720; k++) {
        mechanism_step(&m);
        ck_assert_double_le(fabs(run_lambda(&m.run, m.drive[0])[0]), 30.0 + 1e-9);
        if (k > 240)
            ck_assert_double_eq_tol(rate_of(&m), 5.0, 5e-4); /* the joint's rates come after */
    }
    ck_assert_double_gt(angle_of(&m), 14.0);
    mechanism_close(&m);
}
END_TEST

/* A weak one gives its largest torque: rate = torque t / inertia, up to the target. */
START_TEST(motor_at_its_largest_torque)
{
    mechanism m;
    mechanism_open_as(&m, both[_i]);
    m.gravity = 0.0;
    hang(&m);
    mechanism_drive(&m, PERP_JOINT_ANGLE, 0, MECHANISM_WORLD, &hinge, perp_law_motor(-2.0, 0.5));
    mechanism_start(&m, step);
    for (int k = 1; k <= 720; k++) {
        mechanism_step(&m);
        double free = -0.5 * k * step / inertia;
        ck_assert_double_eq_tol(rate_of(&m), fmax(free, -2.0), _i == 0 ? 1e-4 : 2e-2);
    }
    mechanism_close(&m);
}
END_TEST

/* Where friction stops a swing from `from` in the direction `way`: the work of weight and friction
 * from there is 0. */
static double stop_of(double from, double way, double torque)
{
    double in = from + way * 1e-3, out = from + way * pi;
    for (int k = 0; k < 200; k++) {
        double at = 0.5 * (in + out);
        double left = weight_moment * (sin(at) - sin(from)) - torque * fabs(at - from);
        *(left > 0.0 ? &in : &out) = at;
    }
    return 0.5 * (in + out);
}

START_TEST(dry_friction_stops_the_pendulum)
{
    mechanism m;
    double torque = 3.0, rest = 0.0, way = 1.0, gain = 0.0, late = 0.0;
    while (fabs(weight_moment * cos(rest)) > torque) {
        rest = stop_of(rest, way, torque);
        way = -way;
    }
    pendulum(&m, both[_i], &hinge, perp_law_dry_friction(torque));
    for (int k = 0; k < 12 * 240; k++) {
        double before = angle_of(&m);
        mechanism_step(&m);
        double force = run_lambda(&m.run, m.drive[0])[0];
        ck_assert_double_le(fabs(force), torque * (1.0 + 1e-12));
        gain = fmax(gain, force * (angle_of(&m) - before));
        late = k == 7 * 240 ? angle_of(&m) : late;
    }
    ck_assert_double_eq_tol(angle_of(&m), rest, _i == 0 ? 2e-3 : 5e-2);
    ck_assert_double_eq_tol(angle_of(&m), late, 1e-12);
    if (_i == 0)
        ck_assert_double_le(gain, 1e-12);
    mechanism_close(&m);
}
END_TEST

START_TEST(dry_friction_holds_from_the_start)
{
    mechanism m;
    pendulum(&m, both[_i], &hinge, perp_law_dry_friction(12.0));
    for (int k = 0; k < 1200; k++)
        mechanism_step(&m);
    ck_assert_double_eq_tol(angle_of(&m), 0.0, 1e-12);
    ck_assert_double_eq_tol(run_lambda(&m.run, m.drive[0])[0], -weight_moment, 1e-8);
    mechanism_close(&m);
}
END_TEST

/* The change of energy before the projection of velocities is force times way. */
START_TEST(work_is_force_times_way)
{
    const perp_law laws[] = {perp_law_motor(5.0, 30.0), perp_law_motor(-3.0, 4.0),
                             perp_law_dry_friction(3.0), perp_law_relay(-2.0, 2.0)};
    for (int k = 0; k < 4; k++) {
        mechanism m;
        mechanism_coordinate at = hinge;
        at.side = k % 2 ? -1 : 1;
        at.origin = 0.7;
        mechanism_open(&m, "");
        hang(&m);
        mechanism_drive(&m, PERP_JOINT_ANGLE, 0, MECHANISM_WORLD, &at, laws[k]);
        mechanism_start(&m, step);
        mechanism_step(&m); /* outputs are known from here on */
        for (int i = 0; i < 480; i++) {
            double before = run_y(&m.run, m.drive[0])[0], change;
            mechanism_step(&m);
            change = mechanism_unprojected_energy(&m, 0.5) - mechanism_start_energy(&m);
            double work =
                run_lambda(&m.run, m.drive[0])[0] * (run_y(&m.run, m.drive[0])[0] - before);
            ck_assert_msg(fabs(change - work) <= 2e-9, "law %d, step %d: %.12g, %.12g", k, i,
                          change, work);
        }
        mechanism_close(&m);
    }
}
END_TEST

/* A flywheel between two bodies: the angle is that of all its turns. */
START_TEST(angles_over_many_turns)
{
    static const double J[3] = {0.2, 0.3, 0.4}, origin[3] = {0.0}, axis[3] = {0.0, 0.0, 1.0};
    static const double spin[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 41.0};
    mechanism m[2];
    size_t bytes = 0;
    for (int k = 0; k < 2; k++) {
        mechanism_open(&m[k], "");
        m[k].gravity = 0.0;
        mechanism_moving(&m[k], 1.0, J, origin, NULL, spin);
        mechanism_body(&m[k], 1.0, J, origin, NULL);
        mechanism_join(&m[k], PERP_JOINT_PIVOT, 0, 1, origin, axis);
        mechanism_coordinate at = {{0.0}, {0.0, 0.0, 2.0}, 0.0, 1};
        mechanism_drive(&m[k], PERP_JOINT_ANGLE, 0, 1, &at, perp_law_motor(0.0, 0.0));
        mechanism_start(&m[k], step);
    }
    for (int k = 1; k <= 1200; k++) {
        mechanism_step(&m[0]);
        ck_assert_double_eq_tol(run_y(&m[0].run, m[0].drive[0])[0], 41.0 * k * step, 1e-9);
        if (k != 600)
            continue;
        ck_assert_int_eq(perp_sim_save(m[0].run.sim, NULL, &bytes), PERP_SOLVED);
        void *buffer = malloc(bytes);
        ck_assert_int_eq(perp_sim_save(m[0].run.sim, buffer, &bytes), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_load(m[1].run.sim, buffer, bytes), PERP_SOLVED);
        free(buffer);
    }
    for (int k = 600; k < 1200; k++)
        mechanism_step(&m[1]);
    double a = run_y(&m[0].run, m[0].drive[0])[0], b = run_y(&m[1].run, m[1].drive[0])[0];
    ck_assert_mem_eq(&a, &b, sizeof a);
    ck_assert_double_gt(a, 200.0);
    for (int k = 0; k < 2; k++)
        mechanism_close(&m[k]);
}
END_TEST

/* Ten links and a heavy ball with dry friction in all joints. */
START_TEST(a_chain_with_friction_in_every_joint)
{
    static const double tips[] = {1.0, 1e3};
    mechanism m;
    double gain = 0.0, energy, rise = 0.0, y[10];
    mechanism_open(&m, "");
    mechanism_chain(&m, 10, PERP_JOINT_PIVOT, tips[_i]);
    for (int k = 0; k < 10; k++) {
        mechanism_coordinate at = {{0.2 * k, 0.0, 0.0}, {k % 2 ? 0.3 : -0.3, 1.0, 0.0}, 0.0, 0};
        mechanism_drive(&m, PERP_JOINT_ANGLE, k, k - 1, &at,
                        perp_law_dry_friction(tips[_i] > 1.0 ? 30.0 : 3.0));
    }
    mechanism_start(&m, step);
    energy = mechanism_energy(&m);
    for (int k = 0; k < 240; k++) {
        for (int i = 0; i < 10; i++)
            y[i] = run_y(&m.run, m.drive[i])[0];
        mechanism_step(&m);
        for (int i = 0; i < 10; i++)
            gain = fmax(gain,
                        run_lambda(&m.run, m.drive[i])[0] * (run_y(&m.run, m.drive[i])[0] - y[i]));
        double now = mechanism_energy(&m);
        rise = fmax(rise, now - energy);
        energy = now;
    }
    ck_assert_double_le(mechanism_opening(&m), 1e-9);
    ck_assert_double_le(gain, 1e-9);
    ck_assert_double_le(rise, 1e-9 * tips[_i]);
    mechanism_close(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("drives");
    TCase *tcase = tcase_create("drives");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, apexes_on_a_stop, 0, 2);
    tcase_add_loop_test(tcase, rest_on_a_stop, 0, 2);
    tcase_add_test(tcase, limits_of_a_slide);
    tcase_add_loop_test(tcase, motor_holds_its_rate, 0, 2);
    tcase_add_loop_test(tcase, motor_at_its_largest_torque, 0, 2);
    tcase_add_loop_test(tcase, dry_friction_stops_the_pendulum, 0, 2);
    tcase_add_loop_test(tcase, dry_friction_holds_from_the_start, 0, 2);
    tcase_add_test(tcase, work_is_force_times_way);
    tcase_add_test(tcase, angles_over_many_turns);
    tcase_add_loop_test(tcase, a_chain_with_friction_in_every_joint, 0, 2);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
