/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy balance of discrete-gradient for rigid bodies: as in the test of points, with
 * vb = log(q0^-1 q1)/h; and piles of spheres, which never gain energy. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/mechanism.h"

static const double slender[] = {0.02, 0.15, 0.17}, flat[] = {0.3, 0.1, 0.25};

/* Kinetic energies and the potential of the weights, with (theta - 1/2) |dv|_M^2. */
static double given_by_step(mechanism *m, double theta)
{
    double sum = mechanism_unprojected_energy(m, theta) - mechanism_start_energy(m);
    for (int k = 0; k < m->bodies; k++) {
        double v[6], mean[6];
        mechanism_unprojected(m, theta, k, v, mean);
        for (int i = 0; i < 6; i++) {
            double dv = v[i] - m->v[k][i];
            sum += (theta - 0.5) * (i < 3 ? m->mass[k] : m->inertia[k][i - 3]) * dv * dv;
        }
    }
    return sum;
}

/* A body that tumbles, by up to two radians in a step: to rounding, in a few iterations. */
START_TEST(free_flight)
{
    static const double origin[3] = {0.0}, speeds[] = {10.0, 100.0, 200.0};
    for (int k = 0; k < 3; k++) {
        double w = speeds[k], twist[] = {1.0, 0.0, 3.0, 0.5 * w, 0.8 * w, 0.1 * w};
        mechanism m;
        int newton = 0;
        mechanism_open(&m, "");
        mechanism_moving(&m, 1.0, slender, origin, NULL, twist);
        mechanism_start(&m, 0.01);
        double start = mechanism_energy(&m);
        for (int i = 0; i < 200; i++) {
            mechanism_step(&m);
            ck_assert_double_eq_tol(mechanism_energy(&m), start, 1e-12 * (start + 100.0));
            newton += perp_sim_info(m.run.sim)->newton;
            ck_assert_int_eq(perp_sim_info(m.run.sim)->halvings, 0);
        }
        ck_assert_int_le(newton, 800);
        mechanism_close(&m);
    }
}
END_TEST

/* Two bodies that turn fast, one joint to the world and one between them. */
static void two_bodies(mechanism *m, double theta)
{
    static const double from[] = {0.3, 0.1, 0.0}, to[] = {1.0, -0.2, 0.4};
    static const double turned[] = {0.8, 0.0, 0.6, 0.0}, other[] = {0.6, 0.48, 0.0, 0.64};
    static const double first[] = {0.5, 1.0, 0.2, 3.0, -2.0, 1.0},
                        second[] = {-0.5, 0.3, 1.0, 1.0, 4.0, -3.0};
    char text[40];
    snprintf(text, sizeof text, "theta=%g", theta);
    mechanism_open(m, text);
    m->run.scheme.projection_tol = 1.0;
    mechanism_moving(m, 2.0, slender, from, turned, first);
    mechanism_moving(m, 0.7, flat, to, other, second);
}

START_TEST(joints_do_no_work)
{
    static const double near[] = {0.0, 0.0, 0.1}, mid[] = {0.6, 0.0, 0.2}, far[] = {0.9, -0.2, 0.3},
                        axis[] = {0.6, 0.0, 0.8};
    mechanism m;
    perp_joint kind = (perp_joint)(_i / 2);
    double theta = _i % 2 ? 0.7 : 0.5, worst = 0.0, opening = 0.0;
    two_bodies(&m, theta);
    int locks = kind == PERP_JOINT_ANGLE;   /* a pivot that does not turn */
    if (kind != PERP_JOINT_FIXED && !locks) /* where nothing would move */
        mechanism_join(&m, kind, 0, MECHANISM_WORLD, near,
                       kind == PERP_JOINT_DISTANCE ? mid : axis);
    mechanism_join(&m, kind, 1, 0, kind == PERP_JOINT_DISTANCE ? far : mid,
                   kind == PERP_JOINT_DISTANCE ? near : axis);
    if (locks)
        mechanism_join(&m, PERP_JOINT_PIVOT, 1, 0, mid, axis);
    mechanism_start(&m, 0.01);
    for (int k = 0; k < 150; k++) {
        mechanism_step(&m);
        opening = fmax(opening, mechanism_opening(&m));
        if (perp_sim_info(m.run.sim)->impacts > 0) { /* of the joints, by the velocities given */
            ck_assert_int_eq(k, 0);
            ck_assert_double_le(mechanism_energy(&m), mechanism_start_energy(&m));
            continue;
        }
        worst = fmax(worst, fabs(given_by_step(&m, theta)));
        /* The projection of velocities only takes. */
        ck_assert_double_le(mechanism_energy(&m), mechanism_unprojected_energy(&m, theta) + 1e-9);
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "joint %d, theta %g: balance %.2g, joints %.2g\n", kind, theta, worst,
                opening);
    ck_assert_double_le(worst, 1e-8);
    ck_assert_double_le(opening, 1e-9);
    mechanism_close(&m);
}
END_TEST

/* A torque of at most 0.4 about the pivot, as rows of a joint with a box: lambda (y1 - y0) each. */
START_TEST(a_joint_with_a_limited_torque)
{
    static const double near[] = {0.0, 0.0, 0.1}, axis[] = {0.6, 0.0, 0.8};
    mechanism m;
    two_bodies(&m, 0.5);
    perp_relation relation = {
        .size = sizeof relation, .kind = PERP_RELATION_JOINT, .joint = PERP_JOINT_PIVOT, .rows = 5};
    memcpy(relation.anchor, near, sizeof near);
    memcpy(relation.axis, axis, sizeof axis);
    perp_system_id pair[] = {m.body[0], m.body[1]};
    perp_interaction_id brake = run_link(&m.run, pair, 2, &relation, perp_law_relay(-0.4, 0.4));
    mechanism_start(&m, 0.002);
    double before[5] = {0.0};
    for (int k = 0; k < 100; k++) {
        double work = 0.0;
        mechanism_step(&m);
        const double *y = run_y(&m.run, brake), *lambda = run_lambda(&m.run, brake);
        for (int i = 0; i < 5; i++) {
            work += lambda[i] * (y[i] - before[i]);
            ck_assert_double_le(fabs(lambda[i]), 0.4 + 1e-9);
            before[i] = y[i];
        }
        if (k > 0)
            ck_assert_double_eq_tol(given_by_step(&m, 0.5), work, 1e-6);
    }
    mechanism_close(&m);
}
END_TEST

/* Gaps of any form on bodies: Gonzalez' correction. */
static int tower(double *y, double t, const double *q, const double *lambda, const double *z,
                 void *user)
{
    double tip[3];
    const double *at = user;
    (void)t, (void)lambda, (void)z;
    perp_quaternion_rotate(q + 3, at, tip);
    for (int i = 0; i < 3; i++)
        tip[i] += q[i];
    y[0] = tip[2] + 0.8 - 0.1 * tip[0] * tip[0] + 0.05 * sin(3.0 * tip[1]);
    return 0;
}

START_TEST(contacts_work_by_their_gaps)
{
    static const mechanism_sphere ball = {0.3, 0.0, -0.6, {0.0, 0.1, 0.0}},
                                  both = {0.4, 0.3, 0.0, {0.0}};
    static const double tip[] = {0.3, 0.0, -0.2};
    static const double C[] = {0.1, 0.0, 1.0, 0.3, 0.2, 0.1, 0.0}, level = 0.2;
    mechanism m;
    double theta = _i % 2 ? 0.7 : 0.5, mu = _i / 2 ? 0.4 : 0.0, y[4], worst = 0.0, sum = 0.0;
    perp_law law = mu > 0.0 ? perp_law_friction(3, 0.0, mu) : perp_law_impact(0.0);
    two_bodies(&m, theta);
    mechanism_sphere_on_plane(&m, 0, &ball, law);
    mechanism_spheres_touch(&m, 0, 1, &both, law);
    perp_relation any = {.size = sizeof any,
                         .kind = PERP_RELATION_SCLERONOMOUS,
                         .rows = 1,
                         .h = tower,
                         .differences = 1,
                         .user = (void *)tip};
    m.contact[m.contacts++] = run_link(&m.run, &m.body[1], 1, &any, perp_law_impact(0.0));
    perp_relation linear = {
        .size = sizeof linear, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C, .e = &level};
    m.contact[m.contacts++] = run_link(&m.run, &m.body[1], 1, &linear, perp_law_impact(0.0));
    mechanism_start(&m, 0.004);
    double lost = 0.0;
    double by_slips = 0.0;
    ck_assert_int_eq(perp_sim_check(m.run.sim), PERP_SOLVED);
    for (int k = 0; k < 250; k++) {
        double normal = 0.0;
        for (int i = 0; i < m.contacts; i++)
            y[i] = k ? run_y(&m.run, m.contact[i])[0] : 0.0;
        mechanism_step(&m);
        if (k > 0 && run_impacts(&m.run) > 0) { /* those are not by the mean velocity */
            double taken = mechanism_start_energy(&m) - mechanism_energy(&m);
            ck_assert_double_ge(taken, -1e-9);
            lost += taken;
        }
        if (k == 0 || run_impacts(&m.run) > 0)
            continue;
        for (int i = 0; i < m.contacts; i++) {
            double part =
                run_lambda(&m.run, m.contact[i])[0] * (run_y(&m.run, m.contact[i])[0] - y[i]) / m.h;
            ck_assert_double_ge(run_lambda(&m.run, m.contact[i])[0], 0.0);
            ck_assert_double_le(part, 1e-6);
            normal += part;
        }
        sum += fabs(normal);
        /* The slip stage only takes; its impulses, in those of the contacts, see no mean velocity.
         */
        double slips = mechanism_unprojected_energy(&m, theta) - mechanism_energy(&m);
        ck_assert_double_ge(slips, -1e-9);
        if (mu > 0.0 && slips > 1e-9) {
            by_slips += slips;
            continue;
        }
        double missing = given_by_step(&m, theta) - normal;
        if (mu == 0.0)
            worst = fmax(worst, fabs(missing)); /* nothing else works */
        else
            worst = fmax(worst, missing); /* friction takes */
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "contacts, theta %g, mu %g: balance %.2g, works %.2g, slips %.2g\n", theta,
                mu, worst, sum, by_slips);
    ck_assert_double_le(by_slips, 1e-4 * lost);
    ck_assert_double_le(worst, 1e-6);
    ck_assert_double_gt(sum, 500.0 * 1e-6);
    ck_assert_double_gt(lost, 1.0);
    mechanism_close(&m);
}
END_TEST

/* A pile of spheres of masses 1 and 20 in a bowl of planes: energy rises by what the position stage
 * gives, at most. */
enum { SPHERES = 12 };

static const struct {
    double e, h;
} piles[] = {{0.0, 1.0 / 240.0}, {0.3, 1.0 / 240.0}, {0.0, 0.01}, {0.3, 0.01}};

static int wall(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                const double *z, void *user)
{
    const double *plane_of = user; /* normal, offset, radius of the sphere */
    (void)t, (void)q_b, (void)z;
    point->gap = plane_of[3] - plane_of[4];
    for (int i = 0; i < 3; i++)
        point->gap += plane_of[i] * q_a[i];
    for (int i = 0; i < 3; i++) {
        point->normal[i] = plane_of[i];
        point->point_a[i] = q_a[i] - plane_of[4] * plane_of[i];
        point->point_b[i] = point->point_a[i] - point->gap * plane_of[i];
    }
    return 0;
}

static double stage_energy(mechanism *m)
{
    perp_verdict verdict;
    ck_assert_int_eq(perp_sim_verdict(m->run.sim, &verdict, sizeof verdict), PERP_SOLVED);
    return verdict.stage;
}

START_TEST(a_pile_never_gains_energy)
{
    mechanism m;
    mechanism_sphere sphere[SPHERES * SPHERES];
    double walls[SPHERES][4][5], radius[SPHERES], seed = 0.37;
    mechanism_open(&m, "");
    for (int k = 0; k < SPHERES; k++) {
        double r = radius[k] = k % 3 ? 0.1 : 0.16, mass = k % 3 ? 1.0 : 20.0;
        double J = 0.4 * mass * r * r, place[3], twist[6] = {0.0};
        const double inertia[] = {J, J, J};
        for (int i = 0; i < 3; i++) {
            seed = fmod(97.0 * seed + 0.13, 1.0);
            place[i] = i < 2 ? 0.3 * (seed - 0.5) : 0.3 + 0.35 * (k / 2);
            twist[3 + i] = 4.0 * seed - 2.0;
        }
        place[0] += k % 2 ? 0.3 : -0.3;
        mechanism_moving(&m, mass, inertia, place, NULL, twist);
        for (int w = 0; w < 4; w++) {
            double *p = walls[k][w], c = w ? 0.6 : 0.0, turn = 2.0943951 * w;
            p[0] = c * cos(turn), p[1] = c * sin(turn), p[2] = w ? 0.8 : 1.0;
            p[3] = w ? 0.2 : 0.0, p[4] = r;
            mechanism_contact(&m, k, MECHANISM_WORLD, wall, p,
                              perp_law_friction(3, piles[_i].e, 0.5));
        }
        for (int j = 0; j < k; j++) {
            mechanism_sphere *s = &sphere[SPHERES * k + j];
            *s = (mechanism_sphere){r, radius[j], 0.0, {0.0}};
            mechanism_spheres_touch(&m, k, j, s, perp_law_friction(3, piles[_i].e, 0.5));
        }
    }
    mechanism_start(&m, piles[_i].h);
    double energy = mechanism_energy(&m), scale = energy, rise = 0.0, given = 0.0, overlap = 0.0;
    int steps = (int)(0.8 / piles[_i].h);
    for (int k = 0; k < steps; k++) {
        double stage = stage_energy(&m);
        mechanism_step(&m);
        double now = mechanism_energy(&m);
        stage = fmax(0.0, stage_energy(&m) - stage);
        rise = fmax(rise, now - energy - stage);
        given += stage;
        energy = now;
        overlap = mechanism_overlap(&m);
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr,
                "pile, e %g, h %g: rise %.2g of %.3g J, by the position stage %.2g, left %.3g, "
                "contact work %.2g, overlap %.2g\n",
                piles[_i].e, piles[_i].h, rise, scale, given, energy,
                mechanism_figure(&m, "contact_work"), overlap);
    ck_assert_double_le(rise, 1e-7 * scale);
    ck_assert_double_le(given, 1e-2 * scale);
    ck_assert_double_le(mechanism_figure(&m, "contact_work"), 1e-7);
    mechanism_close(&m);
}
END_TEST

/* Boxes that tumble on a plane, one alone or three on ball joints, by their corners. */
static const struct {
    double e, mu, h;
} tumbles[] = {{0.0, 0.5, 1.0 / 240.0}, {0.3, 0.0, 1.0 / 60.0},  {0.3, 1.2, 1.0 / 240.0},
               {0.9, 0.5, 1.0 / 60.0},  {1.0, 0.0, 1.0 / 240.0}, {1.0, 1.2, 1.0 / 60.0}};
enum { TUMBLES = sizeof tumbles / sizeof tumbles[0] };

START_TEST(tumbling_boxes)
{
    static const double inertia[] = {0.03, 0.05, 0.06}, turn[] = {0.8, 0.2, -0.4, 0.4},
                        twist[] = {1.5, -0.7, -2.0, 3.0, -4.0, 2.0};
    mechanism_sphere corner[8];
    mechanism m;
    int boxes = _i % 2 ? 3 : 1;
    mechanism_open(&m, "");
    for (int b = 0; b < boxes; b++) {
        double place[] = {0.6 * b, 0.0, 0.6 + 0.1 * b};
        double anchor[] = {place[0] - 0.3, 0.0, place[2] - 0.05};
        mechanism_moving(&m, 1.0, inertia, place, turn, twist);
        if (b > 0)
            mechanism_join(&m, PERP_JOINT_POINT, b, b - 1, anchor, NULL);
    }
    for (int c = 0; c < 8; c++) {
        corner[c] = (mechanism_sphere){
            0.0, 0.0, 0.0, {c & 1 ? 0.3 : -0.3, c & 2 ? 0.2 : -0.2, c & 4 ? 0.1 : -0.1}};
        for (int b = 0; b < boxes; b++)
            mechanism_sphere_on_plane(&m, b, &corner[c],
                                      perp_law_friction(3, tumbles[_i].e, tumbles[_i].mu));
    }
    mechanism_start(&m, tumbles[_i].h);
    mechanism_step(&m); /* velocities that the joints do not have go here */
    double energy = mechanism_energy(&m), rise = 0.0;
    for (int k = 0; k < (int)(0.8 / tumbles[_i].h); k++) {
        double stage = stage_energy(&m);
        mechanism_step(&m);
        double now = mechanism_energy(&m);
        rise = fmax(rise, now - energy - fmax(0.0, stage_energy(&m) - stage));
        energy = now;
        ck_assert_double_le(mechanism_overlap(&m), 1e-8);
        ck_assert_double_le(mechanism_opening(&m), 1e-9);
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "boxes, e %g, mu %g: rise %.2g\n", tumbles[_i].e, tumbles[_i].mu, rise);
    ck_assert_double_le(rise, 1e-6);
    mechanism_close(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient, energy of bodies");
    TCase *tcase = tcase_create("energy");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, free_flight);
    tcase_add_loop_test(tcase, joints_do_no_work, 0, 2 * (PERP_JOINT_PLANAR + 1));
    tcase_add_test(tcase, a_joint_with_a_limited_torque);
    tcase_add_loop_test(tcase, contacts_work_by_their_gaps, 0, 4);
    tcase_add_loop_test(tcase, a_pile_never_gains_energy, 0, 4);
    tcase_add_loop_test(tcase, tumbling_boxes, 0, TUMBLES);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
