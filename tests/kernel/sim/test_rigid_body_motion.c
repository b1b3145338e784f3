/* SPDX-License-Identifier: BSD-3-Clause */
/* Rigid bodies: the free top, a pendulum on a ball joint, every joint, momentum and energy in
 * collisions. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/kernel_rig.h"

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double *out, const double *a, const double *b)
{
    const double c[] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                        a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

/* x turned about the unit vector n. */
static void turn(double *out, const double *n, const double *x, double angle)
{
    double nx[3], c = cos(angle), s = sin(angle), along = dot(n, x) * (1.0 - c);
    cross(nx, n, x);
    for (int i = 0; i < 3; i++)
        out[i] = c * x[i] + s * nx[i] + along * n[i];
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Error of the axis and of the angular velocity of a free symmetric top after 4 s. */
static void top_errors(double error[2], double h)
{
    const double I[] = {1.0, 1.0, 2.0}, omega[] = {0.3, 0.0, 5.0}, e3[] = {0.0, 0.0, 1.0};
    rig r;
    rig_init(&r, h);
    r.options.newton_tol = 1e-12;
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    for (int i = 0; i < 3; i++) {
        def.inertia[4 * i] = I[i];
        def.angular[i] = omega[i];
    }
    perp_system_id top = rig_add_body(&r, &def);
    rig_start_moreau_jean(&r);
    double L[] = {I[0] * omega[0], 0.0, I[2] * omega[2]}, length = sqrt(dot(L, L));
    double energy = 0.5 * (omega[0] * L[0] + omega[2] * L[2]), n[3], axis[3], exact[3];
    for (int i = 0; i < 3; i++)
        n[i] = L[i] / length;
    error[0] = error[1] = 0.0;
    while (perp_sim_time(r.sim) < 4.0 - 0.5 * h) {
        rig_step(&r);
        const double *q = rig_q(&r, top), *v = rig_v(&r, top);
        double t = perp_sim_time(r.sim), rate = (I[2] - I[0]) / I[0] * omega[2], kinetic,
               norm = 0.0;
        for (int i = 3; i < 7; i++)
            norm += q[i] * q[i];
        ck_assert_double_eq_tol(norm, 1.0, 1e-14);
        perp_quaternion_rotate(q + 3, e3, axis);
        turn(exact, n, e3, length / I[0] * t);
        error[0] = fmax(error[0], distance(axis, exact, 3));
        const double spin[] = {omega[0] * cos(rate * t), omega[0] * sin(rate * t), omega[2]};
        error[1] = fmax(error[1], distance(v + 3, spin, 3));
        ck_assert_double_eq_tol(v[5], omega[2], 1e-10);
        perp_model_kinetic_energy(r.model, top, t, &kinetic);
        ck_assert_double_eq_tol(kinetic, energy, 10.0 * h * h);
    }
    rig_free(&r);
}

/* Its axis goes round the angular momentum at the rate |L|/I_1, of second order in h. */
START_TEST(free_top)
{
    double coarse[2], fine[2];
    top_errors(coarse, 2e-3);
    top_errors(fine, 1e-3);
    ck_assert_double_lt(fine[0], 1e-4);
    for (int k = 0; k < 2; k++)
        ck_assert_double_eq_tol(log2(coarse[k] / fine[k]), 2.0, 0.1);
}
END_TEST

typedef struct swing {
    double angle, drift, energy; /* errors */
} swing;

static const double mass = 2.0, arm = 0.5, gravity = 9.81, about = 0.3;

static void exact_swing(double *phi, double t)
{
    enum { STEPS = 20000 };
    double k = mass * gravity * arm / (about + mass * arm * arm), x = *phi, v = 0.0, h = t / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double a1 = -k * sin(x), v2 = v + 0.5 * h * a1, a2 = -k * sin(x + 0.5 * h * v);
        double v3 = v + 0.5 * h * a2, a3 = -k * sin(x + 0.5 * h * v2);
        double v4 = v + h * a3, a4 = -k * sin(x + h * v3);
        x += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    *phi = x;
}

static swing run_pendulum(double h, const char *scheme_name)
{
    const double phi = 1.0;
    double end = phi, worst = 0.0, kinetic;
    rig r;
    rig_init(&r, h);
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    def.inertia[0] = 0.4;
    def.inertia[4] = about;
    def.inertia[8] = 0.2;
    def.position[0] = arm * sin(phi);
    def.position[2] = -arm * cos(phi);
    def.quaternion[0] = cos(0.5 * phi);
    def.quaternion[2] = -sin(0.5 * phi);
    def.force[2] = -mass * gravity;
    perp_system_id body = rig_add_body(&r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_JOINT, 3);
    relation.joint = PERP_JOINT_POINT;
    perp_interaction_id joint = rig_interact(&r, &body, 1, &relation, perp_law_equality());
    perp_scheme scheme = rig_scheme(scheme_name, "theta=0.5");
    rig_start(&r, &scheme);
    while (perp_sim_time(r.sim) < 2.0 - 0.5 * h) {
        rig_step(&r);
        const double *y = rig_y(&r, joint), *v = rig_v(&r, body);
        worst = fmax(worst, sqrt(dot(y, y)));
        ck_assert_double_eq_tol(v[1], 0.0, 1e-10);
        ck_assert_double_eq_tol(v[3], 0.0, 1e-10);
        ck_assert_double_eq_tol(v[5], 0.0, 1e-10);
    }
    exact_swing(&end, 2.0);
    const double *q = rig_q(&r, body);
    perp_model_kinetic_energy(r.model, body, 2.0, &kinetic);
    double energy = kinetic + mass * gravity * (q[2] + arm * cos(phi));
    swing found = {fabs(atan2(q[0], -q[2]) - end), worst, fabs(energy)};
    rig_free(&r);
    return found;
}

/* The impulse of the joint points along the normal at the end of the step, so angle and energy
 * are of first order; the drift is of second. */
START_TEST(pendulum_on_a_joint)
{
    swing coarse = run_pendulum(4e-3, "moreau-jean"), fine = run_pendulum(2e-3, "moreau-jean");
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "pendulum: angle %g %g, drift %g %g, energy %g %g\n", coarse.angle,
                fine.angle, coarse.drift, fine.drift, coarse.energy, fine.energy);
    ck_assert_double_lt(fine.angle, 0.03);
    ck_assert_double_lt(fine.drift, 1e-5);
    ck_assert_double_lt(fine.energy, 0.2);
    ck_assert_double_gt(coarse.angle / fine.angle, 1.8);
    ck_assert_double_gt(coarse.energy / fine.energy, 1.8);
    ck_assert_double_gt(coarse.drift / fine.drift, 3.5);
}
END_TEST

START_TEST(pendulum_projected)
{
    static const char *const schemes[] = {"moreau-jean-direct-projection",
                                          "moreau-jean-combined-projection"};
    for (int k = 0; k < 2; k++) {
        swing found = run_pendulum(2e-3, schemes[k]);
        ck_assert_msg(found.drift < 1.8e-8, "%s: drift %g", schemes[k], found.drift);
        ck_assert_msg(found.angle < 0.03, "%s: angle %g", schemes[k], found.angle);
        ck_assert_msg(found.energy < 0.2, "%s: energy %g", schemes[k], found.energy);
    }
}
END_TEST

/* On the world: a pivot gives the same pendulum, a slider the fall along its axis, a fixed body
 * stays, a rod keeps its length. */
static swing on_the_world(perp_joint joint, double h)
{
    const double phi = 1.0, axis[] = {0.6, 0.0, -0.8};
    double end = phi, kinetic;
    rig r;
    rig_init(&r, h);
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    def.inertia[0] = 0.4;
    def.inertia[4] = about;
    def.inertia[8] = 0.2;
    def.position[0] = arm * sin(phi);
    def.position[2] = -arm * cos(phi);
    def.force[2] = -mass * gravity;
    perp_system_id body = rig_add_body(&r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_JOINT, perp_joint_rows(joint));
    relation.joint = joint;
    relation.axis[1] = 1.0;
    if (joint == PERP_JOINT_PRISMATIC)
        memcpy(relation.axis, axis, sizeof axis);
    if (joint == PERP_JOINT_DISTANCE)
        memcpy(relation.anchor, def.position, sizeof relation.anchor);
    perp_interaction_id link = rig_interact(&r, &body, 1, &relation, perp_law_equality());
    rig_start_moreau_jean(&r);
    swing found = {0.0, 0.0, 0.0};
    double t = 1.0;
    while (perp_sim_time(r.sim) < t - 0.5 * h) {
        rig_step(&r);
        for (int i = 0; i < relation.rows; i++)
            found.drift = fmax(found.drift, fabs(rig_y(&r, link)[i]));
    }
    const double *q = rig_q(&r, body), *v = rig_v(&r, body);
    perp_model_kinetic_energy(r.model, body, t, &kinetic);
    found.energy = fabs(kinetic + mass * gravity * (q[2] + arm * cos(phi)));
    if (joint == PERP_JOINT_PIVOT) {
        exact_swing(&end, t);
        found.angle = fabs(atan2(q[0], -q[2]) - end);
    } else if (joint == PERP_JOINT_PRISMATIC) {
        double fallen = 0.5 * 0.8 * gravity * t * t;
        found.angle = fabs(q[0] - def.position[0] - 0.6 * fallen) + fabs(v[3]) + fabs(v[4]);
    } else if (joint == PERP_JOINT_FIXED) {
        found.angle = distance(q, def.position, 3) + fabs(q[3] - 1.0);
    } else if (joint == PERP_JOINT_DISTANCE) {
        found.angle = fabs(sqrt(dot(q, q)) - arm) + fabs(v[4]);
    }
    rig_free(&r);
    return found;
}

START_TEST(joints_to_the_world)
{
    perp_joint joint = (perp_joint)_i;
    int exact = joint == PERP_JOINT_PRISMATIC || joint == PERP_JOINT_FIXED;
    swing coarse = on_the_world(joint, 2e-3), fine = on_the_world(joint, 1e-3);
    ck_assert_msg(fine.angle < (exact ? 1e-9 : 2e-2), "joint %d: %g", _i, fine.angle);
    ck_assert_msg(fine.drift < (exact ? 1e-9 : 1e-5), "joint %d: drift %g", _i, fine.drift);
    ck_assert_msg(fine.energy < (exact ? 1e-9 : 0.1), "joint %d: energy %g", _i, fine.energy);
    ck_assert(exact || fine.energy < 0.6 * coarse.energy);
    ck_assert(exact || fine.drift < 0.3 * coarse.drift);
}
END_TEST

/* Total momentum and angular momentum of bodies. */
static void momenta(double total[6], const rig *r, const perp_system_id *body, int count,
                    const double *masses, const double (*inertia)[3])
{
    memset(total, 0, 6 * sizeof *total);
    for (int k = 0; k < count; k++) {
        const double *q = rig_q(r, body[k]), *v = rig_v(r, body[k]);
        double spin[3], orbit[3], p[3];
        for (int i = 0; i < 3; i++) {
            spin[i] = inertia[k][i] * v[3 + i];
            p[i] = masses[k] * v[i];
        }
        perp_quaternion_rotate(q + 3, spin, spin);
        cross(orbit, q, p);
        for (int i = 0; i < 3; i++) {
            total[i] += p[i];
            total[3 + i] += spin[i] + orbit[i];
        }
    }
}

static const double masses[] = {2.0, 3.0}, inertias[][3] = {{0.5, 0.7, 0.9}, {1.1, 0.6, 0.8}};

static void add_pair(rig *r, perp_system_id body[2])
{
    for (int k = 0; k < 2; k++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.mass = masses[k];
        for (int i = 0; i < 3; i++)
            def.inertia[4 * i] = inertias[k][i];
        def.position[0] = k == 0 ? 0.0 : 1.2;
        def.position[1] = k == 0 ? 0.1 : -0.2;
        const double turned[] = {0.9, 0.2, -0.3, 0.1};
        if (k == 1)
            memcpy(def.quaternion, turned, sizeof turned);
        def.velocity[0] = k == 0 ? 0.3 : -0.2;
        def.velocity[2] = 0.4;
        def.angular[0] = 0.5;
        def.angular[1] = k == 0 ? 0.8 : -0.6;
        def.angular[2] = 0.7;
        body[k] = rig_add_body(r, &def);
    }
}

/* Two bodies that only a joint holds: the rates of the joint vanish, nothing acts from
 * outside; the first step brings the velocities into line by an impulse. */
START_TEST(joints_between_bodies)
{
    perp_joint joint = (perp_joint)_i;
    double drift[2];
    for (int round = 0; round < 2; round++) {
        rig r;
        perp_system_id body[2];
        double start[6], now[6], h = round == 0 ? 2e-3 : 1e-3;
        rig_init(&r, h);
        add_pair(&r, body);
        perp_relation relation = rig_relation(PERP_RELATION_JOINT, perp_joint_rows(joint));
        const double axis[] = {0.3, 0.5, 0.8};
        relation.joint = joint;
        relation.anchor[0] = joint == PERP_JOINT_DISTANCE ? 0.1 : 0.6;
        relation.anchor_b[0] = 1.0;
        memcpy(relation.axis, axis, sizeof axis);
        perp_interaction_id link = rig_interact(&r, body, 2, &relation, perp_law_equality());
        momenta(start, &r, body, 2, masses, inertias);
        rig_start_moreau_jean(&r);
        rig_run(&r, 1.0);
        momenta(now, &r, body, 2, masses, inertias);
        drift[round] = 0.0;
        for (int i = 0; i < relation.rows; i++) {
            ck_assert_double_eq_tol(rig_u(&r, link)[i], 0.0, 20.0 * h);
            drift[round] = fmax(drift[round], fabs(rig_y(&r, link)[i]));
        }
        for (int i = 0; i < 3; i++) {
            ck_assert_double_eq_tol(now[i], start[i], 1e-11);
            ck_assert_double_eq_tol(now[3 + i], start[3 + i], 5.0 * h);
        }
        rig_free(&r);
    }
    ck_assert_msg(drift[1] < 1e-3, "joint %d drifts by %g and %g", _i, drift[0], drift[1]);
    ck_assert(drift[1] < 0.7 * drift[0] || drift[0] < 1e-10);
}
END_TEST

/* Two spheres of radius 0.5. */
static int spheres(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                   const double *z, void *user)
{
    double d = distance(q_a, q_b, 3);
    (void)t, (void)z, (void)user;
    point->gap = d - 1.0;
    for (int i = 0; i < 3; i++) {
        point->normal[i] = (q_a[i] - q_b[i]) / d;
        point->point_a[i] = q_a[i] - 0.5 * point->normal[i];
        point->point_b[i] = q_b[i] + 0.5 * point->normal[i];
    }
    return 0;
}

/* A collision off centre: momenta stay, the normal rate is reversed by e, and without
 * friction the energy falls by (1 - e^2) m u^2/2, m the reduced mass. */
START_TEST(collision_of_spheres)
{
    static const double coefficients[] = {0.0, 0.5, 1.0};
    const double e = coefficients[_i / 2], h = 1e-3, m = 2.0 * 3.0 / 5.0;
    const double round[][3] = {{0.2, 0.2, 0.2}, {0.4, 0.4, 0.4}};
    int rough = _i % 2;
    rig r;
    perp_system_id body[2];
    double start[6], now[6], before = 0.0, after = 0.0, energy, u = 0.0;
    rig_init(&r, h);
    r.options.solver = "gs";
    for (int k = 0; k < 2; k++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.mass = masses[k];
        for (int i = 0; i < 3; i++)
            def.inertia[4 * i] = round[k][i];
        def.position[0] = k == 0 ? -1.0 : 1.0;
        def.position[1] = k == 0 ? 0.3 : 0.0;
        def.velocity[0] = k == 0 ? 1.0 : -1.0;
        def.angular[2] = 2.0;
        body[k] = rig_add_body(&r, &def);
    }
    perp_relation relation = rig_relation(PERP_RELATION_CONTACT, rough ? 3 : 1);
    relation.contact = spheres;
    perp_interaction_id contact = rig_interact(
        &r, body, 2, &relation, rough ? perp_law_friction(3, e, 0.3) : perp_law_impact(e));
    rig_start_moreau_jean(&r);
    momenta(start, &r, body, 2, masses, round);
    for (int k = 0; k < 2; k++) {
        perp_model_kinetic_energy(r.model, body[k], 0.0, &energy);
        before += energy;
    }
    int hits = 0;
    for (int k = 0; k < 1500; k++) {
        double rate = k > 0 ? rig_u(&r, contact)[0] : 0.0;
        rig_step(&r);
        if (rig_lambda(&r, contact)[0] > 1e-9 && hits++ == 0) {
            u = rate;
            ck_assert_double_eq_tol(rig_u(&r, contact)[0], -e * rate, 2e-2);
        }
    }
    ck_assert_int_ge(hits, 1);
    momenta(now, &r, body, 2, masses, round);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(now[i], start[i], 1e-12);
        ck_assert_double_eq_tol(now[3 + i], start[3 + i], 5e-3);
    }
    for (int k = 0; k < 2; k++) {
        perp_model_kinetic_energy(r.model, body[k], 0.0, &energy);
        after += energy;
    }
    if (rough)
        ck_assert_double_lt(after, before - 0.5 * (1.0 - e * e) * m * u * u + 1e-3);
    else
        ck_assert_double_eq_tol(before - after, 0.5 * (1.0 - e * e) * m * u * u, 5e-3);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rigid bodies");
    TCase *tcase = tcase_create("rigid bodies");
    tcase_add_test(tcase, free_top);
    tcase_add_test(tcase, pendulum_on_a_joint);
    tcase_add_test(tcase, pendulum_projected);
    tcase_add_loop_test(tcase, joints_to_the_world, PERP_JOINT_POINT, PERP_JOINT_DISTANCE + 1);
    tcase_add_loop_test(tcase, joints_between_bodies, PERP_JOINT_POINT, PERP_JOINT_DISTANCE + 1);
    tcase_add_loop_test(tcase, collision_of_spheres, 0, 6);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
