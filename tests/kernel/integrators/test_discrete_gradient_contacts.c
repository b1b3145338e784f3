/* SPDX-License-Identifier: BSD-3-Clause */
/* discrete-gradient with contacts: what rests stays, rows of balls do as rows of balls do, chains
 * fall on the ground, piles never gain energy. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/mechanism.h"

static const struct {
    int high;
    double h;
} stacks[] = {{2, 0.01}, {3, 0.002}, {5, 0.005}, {10, 0.01}};
enum { STACKS = sizeof stacks / sizeof stacks[0] };

/* Cubes of 1 m and 1 kg, each a little beside the one below; corners: four, which must stay. */
static void add_stack(mechanism *m, mechanism_corner *corners, int high)
{
    static const double half = 0.5, inertia[] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
    for (int c = 0; c < 4; c++)
        corners[c] = (mechanism_corner){{c & 1 ? half : -half, c & 2 ? half : -half, -half}, half};
    for (int k = 0; k < high; k++) {
        double place[] = {k % 2 ? 0.1 : 0.0, k % 3 ? 0.05 : 0.0, half + 2.0 * half * k};
        mechanism_body(m, 1.0, inertia, place, NULL);
        for (int c = 0; c < 4; c++)
            mechanism_contact(m, k, k - 1, mechanism_corner_over_top, &corners[c],
                              perp_law_friction(3, 0.0, 0.5));
    }
}

START_TEST(cubes_at_rest)
{
    mechanism m;
    mechanism_corner corners[4];
    int high = stacks[_i].high, steps = 100;
    mechanism_open(&m, "");
    add_stack(&m, corners, high);
    mechanism_start(&m, stacks[_i].h);
    double start = mechanism_energy(&m), change = 0.0, overlap = 0.0;
    for (int k = 0; k < steps; k++) {
        mechanism_step(&m);
        ck_assert_int_eq(perp_sim_info(m.run.sim)->active, 4 * high);
        change = fmax(change, fabs(mechanism_energy(&m) - start));
        overlap = fmax(overlap, mechanism_overlap(&m));
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%d cubes: energy %.2g of it, overlap %.2g\n", high, change / start,
                overlap);
    ck_assert_double_le(change, 1e-7 * start);
    ck_assert_double_le(overlap, 1e-8);
    mechanism_close(&m);
}
END_TEST

/* A ball on the ground or above it, at rest or going up or down by what a step leaves: a gap within
 * what overlaps leave is none and the ball stops where it is; a larger one is closed down to that
 * in one step, and the next one stops the ball.  In units of what they leave, which is 1e-10 of the
 * size of the ball, a bead or a speck of dust. */
static const struct {
    double gap, rise, next, end; /* rise: in half a step */
} small_gaps[] = {
    {0.5, 0.0, 0.5, 0.5}, {0.0, 0.2, 0.2, 0.2}, {0.0, -0.2, -0.2, -0.2}, {10.0, 0.0, 0.5, 0.0}};
enum { GAPS = 2 * (sizeof small_gaps / sizeof small_gaps[0]) };

START_TEST(gaps_that_are_none)
{
    double unit = _i % 2 ? 1.0 : 1e-6, moment = 0.1 * unit * unit, h = 0.01 * sqrt(unit);
    const double inertia[] = {moment, moment, moment};
    double slack = 1e-10 * sqrt(1.5 * moment); /* of the ellipsoid with these moments */
    static const mechanism_sphere ball = {0.0, 0.0, 0.0, {0.0, 0.0, 0.0}};
    double gap = small_gaps[_i / 2].gap, speed = small_gaps[_i / 2].rise * slack / (0.5 * h);
    double place[] = {0.0, 0.0, gap * slack}, twist[6] = {0.0, 0.0, speed};
    mechanism m;
    mechanism_open(&m, "");
    mechanism_moving(&m, 1.0, inertia, place, NULL, twist);
    mechanism_sphere_on_plane(&m, 0, &ball, perp_law_friction(3, 0.0, 0.5));
    mechanism_start_at(&m, h, 1e-12);
    mechanism_step(&m);
    ck_assert_double_eq_tol(mechanism_x(&m, 0)[2] / slack, small_gaps[_i / 2].next, 1e-2);
    for (int k = 0; k < 20; k++)
        mechanism_step(&m);
    ck_assert_double_eq_tol(mechanism_x(&m, 0)[2] / slack, small_gaps[_i / 2].end, 1e-2);
    ck_assert_double_eq_tol(mechanism_v(&m, 0)[2] * h / slack, 0.0, 1e-2);
    mechanism_close(&m);
}
END_TEST

/* What loose solves leave of the gaps stays up to 1e-3 of their tolerance, or to what is asked. */
static const struct {
    double tol;
    const char *parameters;
    double overlap;
} loose[] = {{1e-4, "", 1e-7}, {1e-6, "", 1e-9}, {1e-4, "projection_tol=1e-10", 1e-10}};
enum { LOOSE = sizeof loose / sizeof loose[0] };

START_TEST(overlaps_follow_the_tolerance)
{
    mechanism m;
    mechanism_corner corners[4];
    double overlap = 0.0;
    mechanism_open(&m, loose[_i].parameters);
    add_stack(&m, corners, 12);
    mechanism_start_at(&m, 0.01, loose[_i].tol);
    double start = mechanism_energy(&m);
    for (int k = 0; k < 100; k++) {
        mechanism_step(&m);
        overlap = fmax(overlap, mechanism_overlap(&m));
        ck_assert_int_le(perp_sim_info(m.run.sim)->solves, perp_sim_info(m.run.sim)->newton);
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "tol %g: overlap %.2g, energy %.2g\n", loose[_i].tol, overlap,
                (mechanism_energy(&m) - start) / start);
    ck_assert_double_le(overlap, loose[_i].overlap);
    ck_assert_double_le(fabs(mechanism_energy(&m) - start), 1e-7 * start);
    mechanism_close(&m);
}
END_TEST

/* So many contacts on so few bodies that their matrix is not formed; the first solves of a step are
 * loose, the last is not. */
START_TEST(many_cubes_at_rest)
{
    static const double half = 0.5, inertia[] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
    enum { COLUMNS = 42 };
    mechanism m;
    mechanism_corner corners[4];
    mechanism_open(&m, "");
    for (int c = 0; c < 4; c++)
        corners[c] = (mechanism_corner){{c & 1 ? half : -half, c & 2 ? half : -half, -half}, half};
    for (int k = 0; k < 2 * COLUMNS; k++) {
        double place[] = {3.0 * (k / 2), k % 2 ? 0.1 : 0.0, half + 2.0 * half * (k % 2)};
        mechanism_body(&m, 1.0, inertia, place, NULL);
        for (int c = 0; c < 4; c++)
            mechanism_contact(&m, k, k % 2 ? k - 1 : MECHANISM_WORLD, mechanism_corner_over_top,
                              &corners[c], perp_law_friction(3, 0.0, 0.5));
    }
    mechanism_start(&m, 0.01);
    double start = mechanism_energy(&m);
    for (int k = 0; k < 20; k++)
        mechanism_step(&m);
    perp_problem problem;
    const double *z = NULL, *w = NULL;
    ck_assert_int_eq(perp_sim_last_problem(m.run.sim, &problem, &z, &w), PERP_SOLVED);
    ck_assert_int_eq(problem.M.kind, PERP_DELASSUS);
    ck_assert_double_le(fabs(mechanism_energy(&m) - start), 1e-7 * start);
    ck_assert_double_le(mechanism_overlap(&m), 1e-8);
    ck_assert_double_le(perp_sim_info(m.run.sim)->solver->error, 1e-8);
    mechanism_close(&m);
}
END_TEST

/* A beam on two cubes, all pushed along and turned by less than a step of gravity: friction stops
 * them within some steps, for good, and none gives energy. */
START_TEST(slow_slips_come_to_rest)
{
    static const double half = 0.5, inertia[] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
    static const double push[3][6] = {{0.02, 0.01, 0.0, 0.0, 0.0, 0.03},
                                      {-0.015, 0.02, 0.0, 0.0, 0.0, -0.02},
                                      {0.01, -0.03, 0.0, 0.0, 0.0, 0.02}};
    mechanism m;
    mechanism_corner foot[4], end[4];
    mechanism_open(&m, "");
    for (int c = 0; c < 4; c++) {
        double x = c & 1 ? 1.0 : -1.0, y = c & 2 ? half : -half;
        foot[c] = (mechanism_corner){{half * x, y, -half}, half};
        end[c] = (mechanism_corner){{0.8 * x, y, -half}, half};
    }
    for (int k = 0; k < 3; k++) {
        double place[] = {k < 2 ? 1.6 * k : 0.8, 0.0, k < 2 ? half : 3.0 * half};
        mechanism_moving(&m, 1.0, inertia, place, NULL, push[k]);
        for (int c = 0; c < 4; c++)
            mechanism_contact(&m, k, k < 2 ? MECHANISM_WORLD : c & 1, mechanism_corner_over_top,
                              k < 2 ? &foot[c] : &end[c], perp_law_friction(3, 0.0, 0.5));
    }
    mechanism_start(&m, 0.01);
    double before = mechanism_energy(&m), scale = before, speed = 0.0;
    for (int k = 0; k < 60; k++) {
        mechanism_step(&m);
        double now = mechanism_energy(&m);
        ck_assert_double_le(now - before, 1e-10 * scale);
        before = now;
        speed = 0.0;
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < 6; i++)
                speed = fmax(speed, fabs(m.v[b][i])); /* at the start of the step */
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "pushed: speed %.2g at the end\n", speed);
    ck_assert_double_le(speed, 1e-9);
    mechanism_close(&m);
}
END_TEST

/* Balls in a row: the first arrives at 6. */
enum { ROW = 6 };

static void row_of_balls(double v[ROW], double gap, double e, double h, double until)
{
    static const double C[] = {-1.0, 1.0}, speed = 6.0, still = 0.0;
    scheme_run run;
    perp_system_id id[ROW];
    run_open(&run, "discrete-gradient");
    for (int k = 0; k < ROW; k++) {
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        double q0 = (1.0 + gap) * k;
        def.n = 1;
        def.q0 = &q0;
        def.v0 = k ? &still : &speed;
        ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id[k], NULL), PERP_SOLVED);
        if (k == 0)
            continue;
        static const double size = -1.0;
        perp_relation apart = {
            .size = sizeof apart, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C, .e = &size};
        run_link(&run, id + k - 1, 2, &apart, perp_law_impact(e));
    }
    run_start(&run, h);
    while (perp_sim_time(run.sim) < until)
        run_step(&run);
    for (int k = 0; k < ROW; k++)
        v[k] = run_v(&run, id[k])[0];
    run_close(&run);
}

START_TEST(a_touching_cradle)
{
    double v[ROW];
    row_of_balls(v, 0.0, 1.0, 0.004, 0.1);
    for (int k = 0; k < ROW; k++)
        ck_assert_double_eq_tol(v[k], k == ROW - 1 ? 6.0 : 0.0, 1e-9);
}
END_TEST

/* Each impact takes the part (1 + e)/2 on: 6 (0.9)^5 at the last, e.g. */
START_TEST(a_cradle_with_gaps)
{
    static const double gaps[] = {1e-4, 1e-3, 1e-2}, es[] = {1.0, 0.8};
    double v[ROW];
    for (int k = 0; k < 2; k++) {
        row_of_balls(v, gaps[_i], es[k], 0.004, 0.06);
        ck_assert_double_eq_tol(v[ROW - 1], 6.0 * pow(0.5 * (1.0 + es[k]), ROW - 1.0), 2e-4);
        double momentum = 0.0;
        for (int i = 0; i < ROW; i++)
            momentum += v[i];
        ck_assert_double_eq_tol(momentum, 6.0, 1e-9);
    }
}
END_TEST

/* From 1 with e = 0.8 the apexes are 0.64, 0.4096, 0.2621: impacts at their times leave no error
 * but that of the instants at which the height is looked at, g h^2/8 at most. */
START_TEST(a_bouncing_ball)
{
    static const double one = 1.0, weight = -9.81, apexes[] = {0.64, 0.4096, 0.262144};
    scheme_run run;
    perp_system_id id;
    perp_lagrangian_def def;
    double found[3] = {0.0}, least = 0.0, energy = 9.81;
    int falling = 1, n = 0;
    run_open(&run, "discrete-gradient");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F = &weight;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation floor = {
        .size = sizeof floor, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = &one};
    run_link(&run, &id, 1, &floor, perp_law_impact(0.8));
    run_start(&run, 0.01);
    for (int k = 0; k < 400; k++) {
        run_step(&run);
        double q = run_x(&run, id)[0], v = run_v(&run, id)[0];
        double now = 9.81 * q + 0.5 * v * v;
        ck_assert_double_le(now, energy + 1e-12);
        energy = now;
        least = fmin(least, q);
        n += falling && v > 0.0 && n < 3;
        falling = v <= 0.0;
        if (n > 0)
            found[n - 1] = fmax(found[n - 1], v > 0.0 && !falling ? q : found[n - 1]);
        if (n == 3 && falling)
            break;
    }
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(found[k], apexes[k], 9.81 * 0.01 * 0.01 / 8.0 + 1e-12);
    ck_assert_double_ge(least, -1e-9);
    run_close(&run);
}
END_TEST

/* The heaviest makes joints give way in steps between its impacts: they are closed again. */
static const struct {
    double tip, e;
    const char *parameters;
} drops[] = {{1.0, 0.0, ""},
             {1.0, 0.5, ""},
             {1e3, 0.0, ""},
             {1e3, 0.5, ""},
             {1e6, 0.0, ""},
             {1e6, 0.5, ""},
             {1e6, 0.0, "projection_tol=1e-11"}};
enum { DROPS = sizeof drops / sizeof drops[0], LINKS = 20 };

/* Spheres at the joints, the ground 2 below. */
START_TEST(a_chain_that_falls_on_the_ground)
{
    static const mechanism_sphere ball = {0.05, 0.0, -2.0, {0.1, 0.0, 0.0}},
                                  end = {0.05, 0.0, -2.0, {0.0, 0.0, 0.0}};
    mechanism m;
    double tip = drops[_i].tip, scale = 9.81 * 4.0 * (0.5 * LINKS + tip);
    mechanism_open(&m, drops[_i].parameters);
    mechanism_chain(&m, LINKS, PERP_JOINT_POINT, tip);
    for (int k = 0; k <= LINKS; k++)
        mechanism_sphere_on_plane(&m, k, k < LINKS ? &ball : &end,
                                  perp_law_friction(3, drops[_i].e, 0.5));
    mechanism_start(&m, 1.0 / 240.0);
    double before = mechanism_energy(&m), rise = 0.0, opening = 0.0, overlap = 0.0;
    int newton = 0, halved = 0;
    for (int k = 0; k < 216; k++) {
        mechanism_step(&m);
        double now = mechanism_energy(&m);
        rise = fmax(rise, now - before);
        before = now;
        opening = fmax(opening, mechanism_opening(&m));
        overlap = fmax(overlap, mechanism_overlap(&m));
        newton += perp_sim_info(m.run.sim)->newton;
        halved += perp_sim_info(m.run.sim)->halvings > 0;
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr,
                "tip %g, e %g: rise %.2g of %.2g, joints %.2g, overlap %.2g, Newton %.2f, "
                "%d halved\n",
                tip, drops[_i].e, rise, scale, opening, overlap, newton / 216.0, halved);
    ck_assert_double_le(opening, 1e-9);
    ck_assert_double_le(overlap, 1e-8);
    ck_assert_double_le(rise, 1e-9 * scale);
    mechanism_close(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient, contacts");
    TCase *tcase = tcase_create("contacts");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, cubes_at_rest, 0, STACKS);
    tcase_add_loop_test(tcase, gaps_that_are_none, 0, GAPS);
    tcase_add_loop_test(tcase, overlaps_follow_the_tolerance, 0, LOOSE);
    tcase_add_test(tcase, many_cubes_at_rest);
    tcase_add_test(tcase, slow_slips_come_to_rest);
    tcase_add_test(tcase, a_touching_cradle);
    tcase_add_loop_test(tcase, a_cradle_with_gaps, 0, 3);
    tcase_add_test(tcase, a_bouncing_ball);
    tcase_add_loop_test(tcase, a_chain_that_falls_on_the_ground, 0, DROPS);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
