/* SPDX-License-Identifier: BSD-3-Clause */
/* discrete-gradient with joints: chains of any load, rings, loops with more rows than the motion
 * has, dead centres.  Joints stay closed, energy stays below that of the start, each step is
 * solved. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/mechanism.h"

typedef struct outcome {
    double opening, rates, rise; /* largest so far; energy above that of the start */
    double loss;                 /* by velocity projection and all */
    int newton, most;            /* sum and largest of a step */
    int halved;                  /* steps */
} outcome;

static outcome go(mechanism *m, int steps)
{
    outcome out = {.rise = -1e300};
    double start = mechanism_energy(m);
    for (int k = 0; k < steps; k++) {
        mechanism_step(m);
        const perp_step_info *info = perp_sim_info(m->run.sim);
        out.opening = fmax(out.opening, mechanism_opening(m));
        out.rise = fmax(out.rise, mechanism_energy(m) - start);
        out.newton += info->newton;
        out.most = info->newton > out.most ? info->newton : out.most;
        out.halved += info->halvings > 0;
    }
    out.loss = start - mechanism_energy(m);
    out.rates = mechanism_figure(m, "joint_rates");
    return out;
}

static void show(const char *what, const outcome *out, int steps)
{
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%s: joints %.2g, rates %.2g, rise %.2g, loss %.3g, Newton %.2f (%d)\n",
                what, out->opening, out->rates, out->rise, out->loss, (double)out->newton / steps,
                out->most);
}

static const struct {
    perp_joint kind;
    double tip, mean; /* Newton iterations of a step at most */
} chains[] = {{PERP_JOINT_POINT, 1.0, 4.5},    {PERP_JOINT_POINT, 1e3, 8.0},
              {PERP_JOINT_POINT, 1e6, 8.0},    {PERP_JOINT_PIVOT, 1.0, 4.5},
              {PERP_JOINT_PIVOT, 1e3, 8.0},    {PERP_JOINT_PIVOT, 1e6, 8.0},
              {PERP_JOINT_DISTANCE, 1.0, 8.0}, {PERP_JOINT_DISTANCE, 1e3, 8.0},
              {PERP_JOINT_DISTANCE, 1e6, 8.0}};
enum { CHAINS = sizeof chains / sizeof chains[0], LINKS = 20, STEPS = 100 };

START_TEST(a_chain_of_any_load)
{
    mechanism m;
    double tip = chains[_i].tip, scale = 9.81 * 4.0 * (0.5 * LINKS + tip);
    mechanism_open(&m, "");
    mechanism_chain(&m, LINKS, chains[_i].kind, tip);
    mechanism_start(&m, 1.0 / 240.0);
    outcome out = go(&m, STEPS);
    char what[60];
    snprintf(what, sizeof what, "chain %d, tip %g", chains[_i].kind, tip);
    show(what, &out, STEPS);
    ck_assert_double_le(out.opening, 1e-9);
    ck_assert_double_le(out.rates, 1e-9);
    ck_assert_double_le(out.rise, 1e-9 * scale);
    ck_assert_double_le(out.loss, 1e-2 * scale);
    ck_assert_double_le(out.newton, chains[_i].mean * STEPS);
    ck_assert_int_eq(out.halved, 0);
    mechanism_close(&m);
}
END_TEST

/* The same motion with steps four times as long: stable, as accurate as that lets it be. */
START_TEST(a_chain_with_long_steps)
{
    mechanism m;
    mechanism_open(&m, "");
    mechanism_chain(&m, LINKS, chains[_i].kind, chains[_i].tip);
    mechanism_start(&m, 1.0 / 60.0);
    outcome out = go(&m, 24);
    show("long steps", &out, 24);
    ck_assert_double_le(out.opening, 1e-9);
    ck_assert_double_le(out.rise, 1e-9 * 9.81 * 4.0 * (10.0 + chains[_i].tip));
    mechanism_close(&m);
}
END_TEST

/* Ten times the links: as many iterations. */
START_TEST(two_hundred_links)
{
    mechanism m;
    enum { MANY = 200, FEW = 24 };
    mechanism_open(&m, "");
    mechanism_chain(&m, MANY, _i ? PERP_JOINT_DISTANCE : PERP_JOINT_POINT, 1e3);
    mechanism_start(&m, 1.0 / 240.0);
    outcome out = go(&m, FEW);
    show("200 links", &out, FEW);
    ck_assert_double_le(out.opening, 1e-9);
    ck_assert_double_le(out.rise, 1e-9 * 9.81 * 40.0 * 1100.0);
    ck_assert_double_le(out.newton, 8 * FEW);
    mechanism_close(&m);
}
END_TEST

/* A ring of links in free flight, thrown with a turn: momenta stay too. */
START_TEST(a_ring)
{
    enum { RING = 16 };
    static const double inertia[] = {0.0005, 0.0035, 0.0035};
    mechanism m;
    double pi = acos(-1.0), radius = 0.1 / sin(pi / RING), before[3] = {0.0};
    mechanism_open(&m, "");
    m.gravity = 0.0;
    for (int k = 0; k < RING; k++) {
        double at = 2.0 * pi * (k + 0.5) / RING, half = 0.5 * at + 0.25 * pi;
        double mid = radius * cos(pi / RING), place[] = {mid * cos(at), mid * sin(at), 0.0};
        double turn[] = {cos(half), 0.0, 0.0, sin(half)};
        double twist[] = {-place[1], place[0], 0.1 * k, 0.0, 0.3, 1.0};
        mechanism_moving(&m, 1.0 + 0.2 * k, inertia, place, turn, twist);
    }
    for (int k = 0; k < RING; k++) {
        double at = 2.0 * pi * k / RING, anchor[] = {radius * cos(at), radius * sin(at), 0.0};
        mechanism_join(&m, PERP_JOINT_POINT, k, (k + RING - 1) % RING, anchor, NULL);
    }
    mechanism_start(&m, 1.0 / 240.0);
    for (int k = 0; k < RING; k++)
        for (int i = 0; i < 3; i++)
            before[i] += m.mass[k] * mechanism_v(&m, k)[i];
    outcome out = go(&m, 100);
    show("ring", &out, 100);
    ck_assert_double_le(out.opening, 1e-9);
    ck_assert_double_le(out.rise, 1e-9);
    for (int i = 0; i < 3; i++) {
        double after = 0.0;
        for (int k = 0; k < RING; k++)
            after += m.mass[k] * mechanism_v(&m, k)[i];
        ck_assert_double_eq_tol(after, before[i], 1e-9);
    }
    mechanism_close(&m);
}
END_TEST

/* Hinge by a pivot, or by two balls of the same axis: 5 or 6 rows for what takes 2 of a plane. */
typedef enum hinge { HINGE_PIVOT, HINGE_BALLS } hinge;

static void add_hinge(mechanism *m, hinge how, int a, int b, double x, double z)
{
    static const double axis[] = {0.0, 1.0, 0.0};
    for (int side = -1; side <= 1; side += 2) {
        double anchor[] = {x, how == HINGE_BALLS ? 0.1 * side : 0.0, z};
        if (how == HINGE_BALLS || side == 1)
            mechanism_join(m, how == HINGE_BALLS ? PERP_JOINT_POINT : PERP_JOINT_PIVOT, a, b,
                           anchor, axis);
    }
}

static int add_bar(mechanism *m, double x0, double z0, double x1, double z1)
{
    double dx = x1 - x0, dz = z1 - z0, length = sqrt(dx * dx + dz * dz);
    double turn = 0.5 * atan2(-dz, dx), mass = 5.0 * length, J = mass * length * length / 12.0;
    const double inertia[] = {0.1 * J, J, J}, place[] = {0.5 * (x0 + x1), 0.0, 0.5 * (z0 + z1)};
    const double q[] = {cos(turn), 0.0, sin(turn), 0.0};
    return mechanism_body(m, mass, inertia, place, q);
}

/* Crank of 0.2, coupler of 0.5, rocker of 0.4, ground of 0.5, its hinges added in this order. */
static void four_bar(mechanism *m, hinge how, const int order[4], double h)
{
    const double b[] = {0.5, 0.35};
    mechanism_open(m, "");
    double ax = 0.0, az = 0.2, cx = b[0], cz = 0.35;
    int crank = add_bar(m, 0.0, 0.0, ax, az), coupler = add_bar(m, ax, az, cx, cz);
    int rocker = add_bar(m, 0.55, 0.0, cx, cz);
    for (int k = 0; k < 4; k++) {
        if (order[k] == 0)
            add_hinge(m, how, crank, MECHANISM_WORLD, 0.0, 0.0);
        if (order[k] == 1)
            add_hinge(m, how, coupler, crank, ax, az);
        if (order[k] == 2)
            add_hinge(m, how, rocker, coupler, cx, cz);
        if (order[k] == 3)
            add_hinge(m, how, rocker, MECHANISM_WORLD, 0.55, 0.0);
    }
    mechanism_start(m, h);
    mechanism_v(m, crank)[4] = 0.0;
}

/* Seven rows say nothing new; which of them are dropped changes nothing that can be seen. */
START_TEST(a_loop_with_redundant_rows)
{
    static const int orders[][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}};
    double reference[3][7];
    for (int how = HINGE_PIVOT; how <= HINGE_BALLS; how++)
        for (int k = 0; k < 3; k++) {
            mechanism m;
            four_bar(&m, (hinge)how, orders[k], 1.0 / 240.0);
            outcome out = go(&m, 200);
            show(how ? "four-bar, balls" : "four-bar, pivots", &out, 200);
            ck_assert_double_le(out.opening, 1e-9);
            ck_assert_double_le(out.rise, 1e-9);
            for (int i = 0; i < 3; i++) {
                if (how == HINGE_PIVOT && k == 0)
                    memcpy(reference[i], mechanism_x(&m, i), sizeof reference[i]);
                for (int j = 0; j < 7; j++)
                    ck_assert_double_eq_tol(mechanism_x(&m, i)[j], reference[i][j], 1e-8);
            }
            mechanism_close(&m);
        }
}
END_TEST

/* Six loops, each on a bar of the one before: parallelograms that swing, 1e-9 after 0.4 s. */
START_TEST(nested_loops)
{
    mechanism m;
    enum { LOOPS = 6 };
    int left = MECHANISM_WORLD, right = MECHANISM_WORLD, first = 0;
    mechanism_open(&m, "");
    for (int k = 0; k < LOOPS; k++) {
        double z = -0.3 * k, x = 0.15 * k;
        int a = add_bar(&m, x, z, x + 0.15, z - 0.3);
        int b = add_bar(&m, x + 0.4, z, x + 0.55, z - 0.3);
        int across = add_bar(&m, x + 0.15, z - 0.3, x + 0.55, z - 0.3);
        hinge how = k % 2 ? HINGE_PIVOT : HINGE_BALLS;
        add_hinge(&m, how, a, left, x, z);
        add_hinge(&m, how, b, right, x + 0.4, z);
        add_hinge(&m, how, across, a, x + 0.15, z - 0.3);
        add_hinge(&m, how, across, b, x + 0.55, z - 0.3);
        left = right = across;
        first = k ? first : a;
    }
    mechanism_start(&m, 1.0 / 240.0);
    outcome out = go(&m, 100);
    show("nested loops", &out, 100);
    ck_assert_double_le(out.opening, 1e-9);
    ck_assert_double_le(out.rise, 1e-8);
    ck_assert_double_le(out.newton, 800);
    mechanism_close(&m);
}
END_TEST

/* About the origin. */
static void angular_momentum(mechanism *m, const int bodies[2], const double mass[2],
                             const double inertia[2][3], double L[3])
{
    L[0] = L[1] = L[2] = 0.0;
    for (int b = 0; b < 2; b++) {
        const double *x = mechanism_x(m, bodies[b]), *v = mechanism_v(m, bodies[b]);
        double spin[3], own[3];
        for (int i = 0; i < 3; i++)
            own[i] = inertia[b][i] * v[3 + i];
        perp_quaternion_rotate(x + 3, own, spin);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            L[i] += mass[b] * (x[j] * v[k] - x[k] * v[j]) + spin[i];
        }
    }
}

/* Fifteen rows hold six motions, and the velocities at the start are none of a rigid body: momenta
 * stay, and no row pulls against others. */
START_TEST(two_bodies_in_three_joints)
{
    static const double mass[] = {1.2, 24.0};
    static const double inertia[][3] = {{1e-3, 1e-3, 1e-3}, {0.08, 0.08, 0.12}};
    static const double place[][3] = {{0.0, 0.0, 0.25}, {0.476, 0.42, 1.5}};
    static const double anchor[] = {0.238, 0.21, 0.875}, along[][3] = {{0, 0, 1}, {1, 0, 0}};
    static const double thrown[] = {3.17, 2.03, 0.95, -14.4, -23.8, -8.9};
    mechanism m;
    int bodies[2];
    double before[3], now[3], size = 0.0;
    mechanism_open(&m, "");
    m.gravity = 0.0;
    for (int b = 0; b < 2; b++)
        bodies[b] = mechanism_body(&m, mass[b], inertia[b], place[b], NULL);
    mechanism_join(&m, PERP_JOINT_FIXED, bodies[1], bodies[0], anchor, NULL);
    mechanism_join(&m, PERP_JOINT_PRISMATIC, bodies[0], bodies[1], anchor, along[0]);
    mechanism_join(&m, PERP_JOINT_CYLINDRICAL, bodies[0], bodies[1], anchor, along[1]);
    mechanism_start(&m, 1e-3);
    memcpy(mechanism_v(&m, bodies[1]), thrown, sizeof thrown);
    perp_model_changed(m.run.model);
    angular_momentum(&m, bodies, mass, inertia, before);
    for (int i = 0; i < 3; i++)
        size += fabs(before[i]);
    for (int k = 0; k < 200; k++) {
        outcome out = go(&m, 1);
        ck_assert_double_le(out.opening, 1e-9);
        ck_assert(k == 0 || fabs(out.rise) + fabs(out.loss) <= 1e-6);
        angular_momentum(&m, bodies, mass, inertia, now);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(now[i], before[i], 2e-6 * size);
    }
    mechanism_close(&m);
}
END_TEST

/* A crank of 0.1 and a rod of 0.3 move a slider, from 10 rad/s: redundant rows again, and two dead
 * centres in each turn. */
/* A rod thrown across, which hangs from a joint at distance L of its centre: the joint is struck,
 * and the rod turns by w = m v L/(I + m L^2) from then on, as if it had been thrown so. */
START_TEST(a_start_that_a_joint_forbids)
{
    static const double inertia[] = {0.01, 0.2, 0.2}, from[] = {0.5, 0.0, 0.0}, world[3] = {0.0},
                        across[] = {0.0, 10.0, 0.0, 0.0, 0.0, 0.0};
    double L = 0.5, spin = 2.0 * 10.0 * L / (0.2 + 2.0 * L * L), swing = spin * L;
    const double turning[] = {0.0, swing, 0.0, 0.0, 0.0, spin};
    double end[2][2];
    for (int thrown = 0; thrown < 2; thrown++) {
        mechanism m;
        mechanism_open(&m, "");
        mechanism_moving(&m, 2.0, inertia, from, NULL, thrown ? across : turning);
        mechanism_join(&m, PERP_JOINT_POINT, 0, MECHANISM_WORLD, world, world);
        mechanism_start(&m, 0.01);
        for (int k = 0; k < 5; k++) {
            mechanism_step(&m);
            ck_assert_int_eq(perp_sim_info(m.run.sim)->impacts, thrown && k == 0);
        }
        ck_assert_double_le(mechanism_opening(&m), 1e-9);
        memcpy(end[thrown], mechanism_x(&m, 0), sizeof end[0]);
        mechanism_close(&m);
    }
    ck_assert_double_eq_tol(end[1][0], end[0][0], 1e-9);
    ck_assert_double_eq_tol(end[1][1], end[0][1], 1e-9);
}
END_TEST

START_TEST(slider_crank)
{
    static const double along[] = {1.0, 0.0, 0.0};
    mechanism m;
    mechanism_open(&m, "");
    m.gravity = 0.0;
    double reach = sqrt(0.09 - 0.01);
    int crank = add_bar(&m, 0.0, 0.0, 0.0, 0.1), rod = add_bar(&m, 0.0, 0.1, reach, 0.0);
    const double inertia[] = {0.01, 0.01, 0.01}, place[] = {reach, 0.0, 0.0};
    int slider = mechanism_body(&m, 1.0, inertia, place, NULL);
    add_hinge(&m, HINGE_PIVOT, crank, MECHANISM_WORLD, 0.0, 0.0);
    add_hinge(&m, HINGE_PIVOT, rod, crank, 0.0, 0.1);
    add_hinge(&m, HINGE_PIVOT, rod, slider, reach, 0.0);
    mechanism_join(&m, PERP_JOINT_PRISMATIC, slider, MECHANISM_WORLD, place, along);
    mechanism_start(&m, 1.0 / 1000.0);
    /* At the top of the crank the rod does not turn: all of it moves along x. */
    mechanism_v(&m, crank)[4] = 10.0;
    mechanism_v(&m, crank)[0] = 0.5;
    mechanism_v(&m, rod)[0] = mechanism_v(&m, slider)[0] = 1.0;
    perp_model_changed(m.run.model);
    outcome out = go(&m, 400);
    show("slider-crank", &out, 400);
    ck_assert_double_le(out.opening, 1e-9);
    ck_assert_double_le(out.rise, 1e-9);
    ck_assert_double_le(out.loss, 1e-2);
    /* The geometry: |rod| from the angle of the crank. */
    const double *q = mechanism_x(&m, crank);
    double sine = 2.0 * q[0], height = 2.0 * q[2];
    ck_assert_double_eq_tol(mechanism_x(&m, slider)[0], sine + sqrt(0.09 - height * height), 1e-8);
    mechanism_close(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient, joints");
    TCase *tcase = tcase_create("joints");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_chain_of_any_load, 0, CHAINS);
    tcase_add_loop_test(tcase, a_chain_with_long_steps, 0, CHAINS);
    tcase_add_loop_test(tcase, two_hundred_links, 0, 2);
    tcase_add_test(tcase, a_ring);
    tcase_add_test(tcase, a_loop_with_redundant_rows);
    tcase_add_test(tcase, nested_loops);
    tcase_add_test(tcase, two_bodies_in_three_joints);
    tcase_add_test(tcase, a_start_that_a_joint_forbids);
    tcase_add_test(tcase, slider_crank);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
