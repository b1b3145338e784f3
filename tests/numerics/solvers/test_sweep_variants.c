/* SPDX-License-Identifier: BSD-3-Clause */
/* The variants of pgs: what each has beyond plain sweeps. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/fixtures/judge.h"
#include "tests/fixtures/solver_choice.h"
#include "tests/fixtures/stored.h"

static const char *const names[] = {"pgs", "pgs pgs_variant=psor", "pgs pgs_variant=nncg",
                                    "pgs pgs_variant=rpgs"};
enum { SOLVERS = 4, CHAIN = 60 };

static perp_info run(const char *solver, const perp_problem *problem, double *z)
{
    double w[64];
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    perp_settings_init(&settings, sizeof settings);
    ck_assert_int_le(problem->M.rows, 64);
    ck_assert_int_ge(perp_solve(choose_solver(solver, &settings), problem, &settings, z, w, &info),
                     0);
    return info;
}

/* A string of CHAIN nodes pressed on a flat obstacle: consistently ordered. */
static void string_on_obstacle(stored_problem *p)
{
    stored_init(p, "string");
    stored_segment(p, PERP_NONNEG, 1, CHAIN, 0, 0);
    stored_allocate(p);
    for (int i = 0; i < CHAIN; i++) {
        p->M[i + i * CHAIN] = 2.0;
        if (i + 1 < CHAIN)
            p->M[i + 1 + i * CHAIN] = p->M[i + (i + 1) * CHAIN] = -1.0;
        p->q[i] = i < CHAIN / 3 ? 0.02 : -0.01;
    }
}

/* Over-relaxation found from the rate needs far fewer sweeps, conjugate gradients fewer. */
START_TEST(acceleration_pays)
{
    stored_problem p;
    stored_view v;
    double z[CHAIN];
    int sweeps[SOLVERS];
    string_on_obstacle(&p);
    ck_assert(stored_view_make(&v, &p, STORED_CSC));
    for (int k = 0; k < SOLVERS; k++) {
        perp_info info = run(names[k], &v.problem, z);
        perp_residuals r = judge(&p, z, NULL);
        ck_assert_msg(info.status == PERP_SOLVED && r.natural <= 1e-8, "%s: %s, %g", names[k],
                      perp_status_name(info.status), r.natural);
        sweeps[k] = info.iterations;
    }
    ck_assert_msg(3 * sweeps[1] < sweeps[0], "psor %d, pgs %d", sweeps[1], sweeps[0]);
    ck_assert_msg(4 * sweeps[2] < 3 * sweeps[0], "nncg %d, pgs %d", sweeps[2], sweeps[0]);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* The setting is omega itself where it is not 0. */
START_TEST(relaxation_is_obeyed)
{
    stored_problem p;
    stored_view v;
    double z[2][CHAIN], w[CHAIN];
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.relaxation = 1.5;
    settings.max_iter = 40;
    string_on_obstacle(&p);
    ck_assert(stored_view_make(&v, &p, STORED_DENSE));
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(
            perp_solve(choose_solver(names[k], &settings), &v.problem, &settings, z[k], w, NULL),
            PERP_ITERATION_LIMIT);
    ck_assert_mem_eq(z[0], z[1], sizeof z[0]);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* The skew matrix of a linear program: a zero diagonal, on which plain sweeps stand still. */
START_TEST(proximal_points_solve_skew_problems)
{
    static const double M[16] = {0, 0, -1, -3, 0, 0, -2, -1, 1, 2, 0, 0, 3, 1, 0, 0};
    static const double q[4] = {-1, -1, 4, 6}, answer[4] = {1.6, 1.2, 0.4, 0.2};
    stored_problem p;
    stored_view v;
    double z[4];
    stored_init(&p, "linear program");
    stored_segment(&p, PERP_NONNEG, 1, 4, 0, 0);
    stored_allocate(&p);
    memcpy(p.M, M, sizeof M);
    memcpy(p.q, q, sizeof q);
    ck_assert(stored_view_make(&v, &p, STORED_DENSE));
    ck_assert_int_ne(run("pgs", &v.problem, z).status, PERP_SOLVED);
    ck_assert_int_eq(run("pgs pgs_variant=rpgs", &v.problem, z).status, PERP_SOLVED);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(fabs(z[i] - answer[i]) < 1e-6, "z[%d] = %.9f", i, z[i]);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* Random monotone problems, unsymmetric and singular, of all three sets. */
START_TEST(proximal_points_solve_monotone_problems)
{
    enum { N = 9 };
    perp_rng rng = {11};
    for (int trial = 0; trial < 30; trial++) {
        stored_problem p;
        stored_view v;
        double G[N * 5], z[N];
        stored_init(&p, "monotone");
        stored_segment(&p, PERP_NONNEG, 1, 5, 0, 0);
        stored_segment(&p, PERP_BOX, 1, 4, -0.3, 0.7);
        stored_allocate(&p);
        for (int i = 0; i < N * 5; i++)
            G[i] = perp_rng_signed(&rng);
        for (int j = 0; j < N; j++)
            for (int i = 0; i <= j; i++) {
                double s = 0.0, skew = i == j ? 0.0 : 0.5 * perp_rng_signed(&rng);
                for (int k = 0; k < 5; k++)
                    s += G[i + k * N] * G[j + k * N];
                p.M[i + j * N] = s + skew;
                p.M[j + i * N] = s - skew;
            }
        stored_plant(&p, &rng);
        ck_assert(stored_view_make(&v, &p, STORED_DENSE));
        perp_info info = run("pgs pgs_variant=rpgs", &v.problem, z);
        ck_assert_msg(info.status == PERP_SOLVED, "trial %d: %s, error %g", trial,
                      perp_status_name(info.status), info.error);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

/* Products and a diagonal are enough; without the diagonal the refusal says so. */
START_TEST(operators)
{
    perp_rng rng = {5};
    for (int trial = 0; trial < 20; trial++) {
        stored_problem p;
        stored_view v, bare;
        double z[12];
        stored_init(&p, "operator");
        stored_segment(&p, PERP_FREE, 1, 3, 0, 0);
        stored_segment(&p, PERP_NONNEG, 1, 5, 0, 0);
        stored_segment(&p, PERP_BOX, 1, 4, -0.5, INFINITY);
        stored_allocate(&p);
        stored_definite(&p, &rng);
        stored_plant(&p, &rng);
        ck_assert(stored_view_make(&v, &p, STORED_OPERATOR));
        ck_assert(stored_view_make(&bare, &p, STORED_OPERATOR_BARE));
        for (int k = 0; k < SOLVERS; k++) {
            perp_info info = run(names[k], &v.problem, z);
            perp_residuals r = judge(&p, z, NULL);
            ck_assert_msg(info.status == PERP_SOLVED && r.natural <= 1e-8, "%s, trial %d: %s, %g",
                          names[k], trial, perp_status_name(info.status), r.natural);
            perp_settings settings;
            perp_settings_init(&settings, sizeof settings);
            const perp_solver_type *type = perp_solver_find(choose_solver(names[k], &settings));
            perp_solver *solver;
            ck_assert(!perp_solver_fits(type, &bare.problem));
            ck_assert_int_eq(perp_solver_create(&solver, type, &settings, NULL, NULL), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_setup(solver, &bare.problem), PERP_ERR_UNSUPPORTED);
            ck_assert_str_eq(perp_solver_info(solver)->where.what, "diagonal");
            perp_solver_destroy(solver);
        }
        stored_view_free(&v);
        stored_view_free(&bare);
        stored_free(&p);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("splitting");
    TCase *tcase = tcase_create("core");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, acceleration_pays);
    tcase_add_test(tcase, relaxation_is_obeyed);
    tcase_add_test(tcase, proximal_points_solve_skew_problems);
    tcase_add_test(tcase, proximal_points_solve_monotone_problems);
    tcase_add_test(tcase, operators);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
