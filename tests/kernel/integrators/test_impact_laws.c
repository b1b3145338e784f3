/* SPDX-License-Identifier: BSD-3-Clause */
/* discrete-gradient, impacts = staged, newton, poisson: rows of balls that touch, by closed forms;
 * bodies that fall with friction never gain energy under any. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/mechanism.h"

enum { MOST = 6 };

typedef struct row {
    int balls;
    double m[MOST], e[MOST]; /* e[k]: between k and k + 1 */
    double gap, h;
} row;

static row equal_row(int balls, double e)
{
    row r = {.balls = balls, .h = 0.004};
    for (int k = 0; k < MOST; k++) {
        r.m[k] = 1.0;
        r.e[k] = e;
    }
    return r;
}

/* The first ball comes at 6; velocities at 0.1, in parts of that. */
static void strike(double v[MOST], const row *r, const char *scheme, const char *impacts)
{
    static const double C[] = {-1.0, 1.0}, speed = 6.0, still = 0.0, size = -1.0;
    scheme_run run;
    perp_system_id id[MOST];
    run_open(&run, scheme);
    if (impacts)
        ck_assert_int_eq(perp_scheme_set(&run.scheme, "impacts", impacts), PERP_SOLVED);
    for (int k = 0; k < r->balls; k++) {
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        double q0 = (1.0 + r->gap) * k;
        def.n = 1;
        def.q0 = &q0;
        def.v0 = k ? &still : &speed;
        ck_assert_int_eq(perp_mat_init_dense(&def.M, 1, 1, &r->m[k], 1), PERP_SOLVED);
        ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id[k], NULL), PERP_SOLVED);
        perp_relation apart = {
            .size = sizeof apart, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C, .e = &size};
        if (k > 0)
            run_link(&run, id + k - 1, 2, &apart, perp_law_impact(r->e[k - 1]));
    }
    run_start(&run, r->h);
    while (perp_sim_time(run.sim) < 0.1)
        run_step(&run);
    for (int k = 0; k < r->balls; k++)
        v[k] = run_v(&run, id[k])[0] / speed;
    run_close(&run);
}

static void expect(const double *v, const double *exact, int n, double tol)
{
    for (int k = 0; k < n; k++)
        ck_assert_msg(fabs(v[k] - exact[k]) <= tol, "ball %d: %.15g, not %.15g", k, v[k], exact[k]);
}

static const double coefficients[] = {1.0, 0.5, 0.0};

/* All of the momentum 1 goes to the mean 1/n by the compression, whose impulses e gives back. */
START_TEST(at_once)
{
    static const char *const laws[] = {"newton", "poisson"};
    double e = coefficients[_i], v[MOST], exact[MOST], old[MOST];
    row r = equal_row(MOST, e);
    for (int k = 0; k < MOST; k++)
        exact[k] = (1.0 + (k == 0 ? -e * (MOST - 1.0) : e)) / MOST;
    for (int law = 0; law < 2; law++) {
        strike(v, &r, "discrete-gradient", laws[law]);
        expect(v, exact, MOST, 1e-12);
        strike(v, &r, "discrete-gradient-adaptive", laws[law]);
        expect(v, exact, MOST, 1e-9);
    }
    strike(old, &r, "moreau-jean", NULL);
    expect(old, exact, MOST, 1e-12);
}
END_TEST

START_TEST(staged)
{
    double v[MOST], exact[MOST] = {0.0};
    row r = equal_row(MOST, 1.0);
    exact[MOST - 1] = 1.0;
    strike(v, &r, "discrete-gradient", NULL);
    expect(v, exact, MOST, 1e-12);
    strike(v, &r, "discrete-gradient", "staged");
    expect(v, exact, MOST, 1e-12);
    strike(v, &r, "discrete-gradient-adaptive", NULL);
    expect(v, exact, MOST, 1e-9);
}
END_TEST

/* What does not touch is struck later, whatever the law. */
START_TEST(with_gaps)
{
    static const char *const laws[] = {"staged", "newton", "poisson"};
    double v[MOST], exact[MOST] = {0.0};
    row r = equal_row(MOST, 1.0);
    r.gap = 1e-3;
    exact[MOST - 1] = 1.0;
    strike(v, &r, "discrete-gradient", laws[_i]);
    expect(v, exact, MOST, 1e-9);
}
END_TEST

/* Three equal balls: compression leaves 1/3 each by impulses of 2/3 and 1/3; e gives back its part
 * of each, and where that presses two balls together they go on as one. Newton: the second contact
 * was at rest, so the two go on as one. In stages: one contact after the other, but for those of
 * e = 0. */
static const struct {
    double e[2], poisson[3], newton[3], staged[3];
} threes[] = {
    {{1.0, 1.0},
     {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0},
     {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0},
     {0.0, 0.0, 1.0}},
    {{0.5, 1.0}, {0.0, 1.0 / 3.0, 2.0 / 3.0}, {0.0, 0.5, 0.5}, {0.0625, 0.1875, 0.75}},
    {{1.0, 0.5},
     {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0},
     {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0},
     {0.0, 0.25, 0.75}},
    {{0.0, 1.0},
     {1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0},
     {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0},
     {1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0}},
    {{1.0, 0.0},
     {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0},
     {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0},
     {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}},
};
enum { THREES = sizeof threes / sizeof threes[0] };

START_TEST(laws_that_differ)
{
    double v[MOST];
    row r = equal_row(3, 0.0);
    memcpy(r.e, threes[_i].e, sizeof threes[_i].e);
    strike(v, &r, "discrete-gradient", "poisson");
    expect(v, threes[_i].poisson, 3, 1e-12);
    strike(v, &r, "discrete-gradient", "newton");
    expect(v, threes[_i].newton, 3, 1e-12);
    strike(v, &r, "discrete-gradient", "staged");
    expect(v, threes[_i].staged, 3, 1e-12);
}
END_TEST

/* e = 1: momentum and energy stay; e < 1: (1 - e^2) of the energy of the compression goes. */
START_TEST(any_masses)
{
    static const double m[MOST] = {3.0, 0.5, 7.0, 1.0, 1e-2, 20.0};
    static const char *const laws[] = {"newton", "poisson"};
    double e = coefficients[_i], v[MOST], total = 0.0;
    row r = equal_row(MOST, e);
    memcpy(r.m, m, sizeof m);
    for (int k = 0; k < MOST; k++)
        total += m[k];
    for (int law = 0; law < 2; law++) {
        double momentum = 0.0, energy = 0.0;
        strike(v, &r, "discrete-gradient", laws[law]);
        for (int k = 0; k < MOST; k++) {
            momentum += m[k] * v[k];
            energy += m[k] * v[k] * v[k];
        }
        ck_assert_double_eq_tol(momentum, m[0], 1e-12 * m[0]);
        ck_assert_double_eq_tol(energy, m[0] - (1.0 - e * e) * m[0] * (1.0 - m[0] / total),
                                1e-11 * m[0]);
    }
}
END_TEST

/* A sphere that comes to the ground at 2: friction stops its slip, which takes 2/7 of it from its
 * centre, or is at the end of mu (1 + e) 2 before; e = 0.6, mu = 0.3, under each law. */
START_TEST(one_contact)
{
    static const double inertia[] = {0.004, 0.004, 0.004}, place[] = {0.0, 0.0, 0.5};
    static const mechanism_sphere ball = {0.1, 0.0, 0.0, {0.0, 0.0, 0.0}};
    static const char *const laws[] = {"impacts=staged", "impacts=newton", "impacts=poisson"};
    double push[] = {_i ? 9.0 : 0.2, 0.0, -2.0, 0.0, 0.0, 1.0}, first[6];
    for (int law = 0; law < 3; law++) {
        mechanism m;
        mechanism_open(&m, laws[law]);
        m.gravity = 0.0;
        mechanism_moving(&m, 1.0, inertia, place, NULL, push);
        mechanism_sphere_on_plane(&m, 0, &ball, perp_law_friction(3, 0.6, 0.3));
        mechanism_start(&m, 0.01);
        for (int k = 0; k < 30; k++)
            mechanism_step(&m);
        const double *v = mechanism_v(&m, 0);
        double slip = 5.0 / 7.0 * push[0], slid = push[0] - 0.3 * 1.6 * 2.0;
        ck_assert_double_eq_tol(v[2], 1.2, 1e-9);
        ck_assert_double_eq_tol(v[0], _i ? slid : slip, 1e-9);
        if (law == 0)
            memcpy(first, v, sizeof first);
        for (int i = 0; i < 6; i++)
            ck_assert_double_eq_tol(v[i], first[i], 1e-9);
        mechanism_close(&m);
    }
}
END_TEST

/* Energy rises by nothing but what the position stage reports; scale: of the energies. */
static void fall(mechanism *m, const char *law, double scale, int steps)
{
    double before = mechanism_energy(m), rise = 0.0, overlap = 0.0, opening = 0.0;
    int impacts = 0;
    for (int k = 0; k < steps; k++) {
        mechanism_step(m);
        double now = mechanism_energy(m);
        rise = fmax(rise, now - before);
        before = now;
        overlap = fmax(overlap, mechanism_overlap(m));
        opening = fmax(opening, mechanism_opening(m));
        impacts += perp_sim_info(m->run.sim)->impacts;
    }
    double rises = mechanism_figure(m, "rises"), works = mechanism_figure(m, "contact_work");
    double given = mechanism_figure(m, "position_stage");
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr,
                "%s: %d stages, largest rise %.2g of %.3g, position stage %.2g of it, other rises "
                "%.2g, positive works %.2g, overlap %.2g, opening %.2g, %.4g left\n",
                law, impacts, rise, scale, given, rises, works, overlap, opening, before);
    ck_assert_int_gt(impacts, 0);
    ck_assert_double_le(rise, (given + 1e-9) * scale);
    ck_assert_double_le(rises, 1e-9);
    ck_assert_double_le(works, 1e-7);
    ck_assert_double_le(overlap, 1e-8);
    ck_assert_double_le(opening, 1e-9);
    mechanism_close(m);
}

static const struct {
    const char *law;
    double e, mu;
} falls[] = {{"impacts=newton", 1.0, 0.0},  {"impacts=poisson", 1.0, 0.0},
             {"impacts=newton", 0.8, 0.5},  {"impacts=poisson", 0.8, 0.5},
             {"impacts=newton", 0.3, 0.5},  {"impacts=poisson", 0.3, 0.5},
             {"impacts=poisson", 0.5, 1.5}, {"impacts=staged", 0.8, 0.5}};
enum { FALLS = sizeof falls / sizeof falls[0] };

/* Three cubes that turn, each struck at several corners by the ground. */
START_TEST(falling_cubes)
{
    static const double half = 0.5, inertia[] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0};
    static const double turn[3][6] = {{1.0, 0.5, -1.0, 0.3, -0.4, 1.0},
                                      {-1.0, 0.2, -3.0, 0.1, 0.2, -1.0},
                                      {0.4, -1.0, -4.0, -0.3, 0.2, 2.0}};
    mechanism m;
    mechanism_corner corners[8];
    mechanism_open(&m, falls[_i].law);
    for (int c = 0; c < 8; c++)
        corners[c] = (mechanism_corner){
            {c & 1 ? half : -half, c & 2 ? half : -half, c & 4 ? half : -half}, half};
    for (int k = 0; k < 3; k++) {
        double place[] = {0.1 * k, 0.05 * k, half + 0.3 + (2.0 * half + 0.2) * k};
        mechanism_moving(&m, 1.0, inertia, place, NULL, turn[k]);
        for (int c = 0; c < 8; c++)
            mechanism_contact(&m, k, MECHANISM_WORLD, mechanism_corner_over_top, &corners[c],
                              perp_law_friction(3, falls[_i].e, falls[_i].mu));
    }
    mechanism_start(&m, 1.0 / 240.0);
    fall(&m, falls[_i].law, mechanism_energy(&m), 480);
}
END_TEST

/* A cube that rests on all corners is struck from above by another. */
START_TEST(a_cube_on_a_cube)
{
    static const double half = 0.5, inertia[] = {1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0},
                        down[] = {0.5, 0.0, -3.0, 0.0, 0.0, 0.0};
    mechanism m;
    mechanism_corner corners[4];
    mechanism_open(&m, falls[_i].law);
    for (int c = 0; c < 4; c++)
        corners[c] = (mechanism_corner){{c & 1 ? half : -half, c & 2 ? half : -half, -half}, half};
    for (int k = 0; k < 2; k++) {
        double place[] = {0.1 * k, 0.05 * k, half + 1.4 * k};
        mechanism_moving(&m, 1.0, inertia, place, NULL, k ? down : (const double[6]){0.0});
        for (int c = 0; c < 4; c++)
            mechanism_contact(&m, k, k - 1, mechanism_corner_over_top, &corners[c],
                              perp_law_friction(3, falls[_i].e, falls[_i].mu));
    }
    mechanism_start(&m, 1.0 / 240.0);
    fall(&m, falls[_i].law, mechanism_energy(&m), 480);
}
END_TEST

/* A chain with spheres at its joints. */
START_TEST(a_chain)
{
    static const mechanism_sphere ball = {0.05, 0.0, -1.0, {0.1, 0.0, 0.0}},
                                  end = {0.05, 0.0, -1.0, {0.0, 0.0, 0.0}};
    static const char *const laws[] = {"impacts=newton", "impacts=poisson"};
    enum { LINKS = 8 };
    mechanism m;
    mechanism_open(&m, laws[_i]);
    mechanism_chain(&m, LINKS, PERP_JOINT_POINT, 50.0);
    for (int k = 0; k <= LINKS; k++)
        mechanism_sphere_on_plane(&m, k, k < LINKS ? &ball : &end, perp_law_friction(3, 0.5, 0.5));
    mechanism_start(&m, 1.0 / 240.0);
    fall(&m, laws[_i], 9.81 * (50.0 + LINKS), 480);
}
END_TEST

START_TEST(chosen_by_name)
{
    perp_scheme scheme;
    static const char *const names[] = {"discrete-gradient", "discrete-gradient-adaptive"};
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(perp_scheme_init(&scheme, names[k], sizeof scheme), PERP_SOLVED);
        ck_assert_int_eq(scheme.impacts, PERP_IMPACTS_STAGED);
        ck_assert_ptr_nonnull(strstr(perp_scheme_reads(names[k]), " impacts"));
        ck_assert_int_eq(perp_scheme_set(&scheme, "impacts", "poisson"), PERP_SOLVED);
        ck_assert_int_eq(scheme.impacts, PERP_IMPACTS_POISSON);
        ck_assert_int_eq(perp_scheme_set(&scheme, "impacts", "hertz"), PERP_ERR_SETTING);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("laws of impacts");
    TCase *tcase = tcase_create("laws");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, at_once, 0, 3);
    tcase_add_test(tcase, staged);
    tcase_add_loop_test(tcase, with_gaps, 0, 3);
    tcase_add_loop_test(tcase, laws_that_differ, 0, THREES);
    tcase_add_loop_test(tcase, any_masses, 0, 3);
    tcase_add_loop_test(tcase, one_contact, 0, 2);
    tcase_add_loop_test(tcase, falling_cubes, 0, FALLS);
    tcase_add_loop_test(tcase, a_cube_on_a_cube, 0, FALLS);
    tcase_add_loop_test(tcase, a_chain, 0, 2);
    tcase_add_test(tcase, chosen_by_name);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
