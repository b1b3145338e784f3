/* SPDX-License-Identifier: BSD-3-Clause */
/* A few rows of intervals, which the handle of `auto` tries before it sets anything up. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

enum { MOST = 10 };

typedef struct rows {
    int n;
    double M[MOST * MOST], q[MOST], lo[MOST], hi[MOST];
    int kind[MOST]; /* 0 half-line, 1 interval, 2 no bounds */
    perp_segment seg[MOST];
    perp_problem problem;
} rows;

static unsigned long state;

static double uniform(void)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void as_problem(rows *r)
{
    for (int i = 0; i < r->n; i++) {
        static const perp_set sets[] = {PERP_NONNEG, PERP_BOX, PERP_FREE};
        r->seg[i] = (perp_segment){.set = sets[r->kind[i]], .dim = 1, .count = 1};
        r->seg[i].par[0] = &r->lo[i];
        r->seg[i].par[1] = &r->hi[i];
    }
    r->problem = (perp_problem){.seg = r->seg, .nseg = r->n, .q = r->q};
    ck_assert_int_eq(perp_mat_init_dense(&r->problem.M, r->n, r->n, r->M, r->n), PERP_SOLVED);
}

/* M = B B' + a skew part: every problem of it has one solution. */
static void fill_definite(rows *r, int n, double skew, int mixed)
{
    double B[MOST * MOST];
    r->n = n;
    for (int i = 0; i < n * n; i++)
        B[i] = 2.0 * uniform() - 1.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i == j ? 0.1 : skew * (B[i + j * n] - B[j + i * n]);
            for (int k = 0; k < n; k++)
                sum += B[i + k * n] * B[j + k * n];
            r->M[i + j * n] = sum;
        }
        r->q[i] = 4.0 * uniform() - 2.0;
        r->kind[i] = mixed ? (int)(3.0 * uniform()) : 0;
        r->lo[i] = -uniform();
        r->hi[i] = uniform();
    }
    as_problem(r);
}

/* max |z - P(z - w)|, without the library. */
static double natural_map(const rows *r, const double *z)
{
    double worst = 0.0;
    for (int i = 0; i < r->n; i++) {
        double w = r->q[i], low = -INFINITY, high = INFINITY;
        for (int j = 0; j < r->n; j++)
            w += r->M[i + j * r->n] * z[j];
        if (r->kind[i] == 0)
            low = 0.0;
        if (r->kind[i] == 1) {
            low = r->lo[i];
            high = r->hi[i];
        }
        worst = fmax(worst, fabs(z[i] - fmin(fmax(z[i] - w, low), high)));
    }
    return worst;
}

static perp_info solve(const rows *r, double *z)
{
    double w[MOST];
    perp_info info = {.size = sizeof info};
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    perp_status status = perp_solve("auto", &r->problem, &settings, z, w, &info);
    ck_assert_int_eq(status, info.status);
    return info;
}

START_TEST(definite_problems_of_every_size)
{
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < 200; k++) {
            rows r;
            double z[MOST];
            state = (unsigned long)(1000 * n + k);
            fill_definite(&r, n, k % 3 ? 1.0 : 0.0, k % 2);
            perp_info info = solve(&r, z);
            ck_assert_int_eq(info.status, PERP_SOLVED);
            ck_assert_int_eq(info.nstages, 1);
            ck_assert_double_lt(natural_map(&r, z), 1e-12);
        }
}
END_TEST

/* Without a diagonal: bimatrix games (Lemke), and a point that only the list of modes finds. */
START_TEST(matrices_without_a_diagonal)
{
    static const double game[16] = {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0};
    static const double isolated[9] = {0, 1, -1, -1, 0, 0, -1, 0, 0};
    rows r = {.n = 4, .q = {-1, -1, -1, -1}};
    double z[MOST];
    memcpy(r.M, game, sizeof game);
    as_problem(&r);
    ck_assert_int_eq(solve(&r, z).status, PERP_SOLVED);
    ck_assert_double_lt(natural_map(&r, z), 1e-14);
    r = (rows){.n = 3, .q = {0, -1, 1}};
    memcpy(r.M, isolated, sizeof isolated);
    as_problem(&r);
    ck_assert_int_eq(solve(&r, z).status, PERP_SOLVED);
    ck_assert_double_eq_tol(z[0], 1.0, 1e-14);
    ck_assert_double_eq_tol(z[1], 0.0, 1e-14);
    ck_assert_double_eq_tol(z[2], 0.0, 1e-14);
}
END_TEST

/* Triangles, from either end ([Murty1988]). */
START_TEST(triangles)
{
    for (int upper = 0; upper < 2; upper++)
        for (int n = 2; n <= MOST; n++) {
            rows r = {.n = n};
            double z[MOST];
            for (int i = 0; i < n; i++) {
                r.q[i] = -1.0;
                for (int j = 0; j < n; j++)
                    r.M[i + j * n] = i == j ? 1.0 : (i > j) != upper ? 2.0 : 0.0;
            }
            as_problem(&r);
            ck_assert_int_eq(solve(&r, z).status, PERP_SOLVED);
            ck_assert_double_lt(natural_map(&r, z), 1e-14);
        }
}
END_TEST

/* w_0 = -1 - z_0: no solution, and `auto` goes on to its proof. */
START_TEST(what_is_not_found_goes_on)
{
    rows r = {.n = 2, .M = {-1, 0, 0, 1}, .q = {-1, -1}};
    double z[MOST], w[MOST], y[MOST];
    perp_solver *solver;
    perp_certificate_kind kind;
    as_problem(&r);
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), NULL, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &r.problem), PERP_SOLVED);
    for (int k = 0; k < 3; k++) {
        ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_INFEASIBLE);
        ck_assert_int_eq(perp_solver_certificate(solver, 2, &kind, y), PERP_SOLVED);
        ck_assert_int_ne(kind, PERP_CERTIFICATE_NONE);
        ck_assert_int_eq(perp_solver_update(solver, &r.problem), PERP_SOLVED);
    }
    r.q[0] = 1.0; /* z_0 = 0, z_1 = 1 */
    ck_assert_int_eq(perp_solver_update_q(solver, r.q), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
    ck_assert_double_lt(natural_map(&r, z), 1e-14);
    perp_solver_destroy(solver);
}
END_TEST

/* A handle whose method was never set up: new numbers, then a warm start. */
START_TEST(reuse)
{
    perp_solver *solver;
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), &settings, NULL, NULL),
                     PERP_SOLVED);
    for (int k = 0; k < 40; k++) {
        rows r;
        double z[MOST], w[MOST];
        state = (unsigned long)k;
        fill_definite(&r, 6, 1.0, 0);
        ck_assert_int_eq(k ? perp_solver_update(solver, &r.problem)
                           : perp_solver_setup(solver, &r.problem),
                         PERP_SOLVED);
        for (int again = 0; again < 2; again++) {
            settings.warm_start = again;
            settings.max_iter = k % 3 == 2 ? 50 : 0;
            ck_assert_int_eq(perp_solver_set_settings(solver, &settings), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
            ck_assert_double_lt(natural_map(&r, z), 1e-12);
        }
        r.q[0] = -r.q[0];
        ck_assert_int_eq(perp_solver_update_q(solver, r.q), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
        ck_assert_double_lt(natural_map(&r, z), 1e-12);
    }
    perp_solver_destroy(solver);
}
END_TEST

/* Numbers far from 1, and a column in the blocks of a sparse matrix: the same answer. */
START_TEST(units_and_storage)
{
    for (int k = 0; k < 100; k++) {
        rows r, far;
        double z[MOST], there[MOST], x[MOST * MOST];
        int rowptr[MOST + 1], col[MOST * MOST], n = 1 + k % 8;
        state = (unsigned long)(77 + k);
        fill_definite(&r, n, 0.5, 0);
        far = r;
        for (int i = 0; i < n; i++) {
            far.q[i] = ldexp(r.q[i], 40);
            for (int j = 0; j < n; j++) {
                far.M[i + j * n] = ldexp(r.M[i + j * n], -30);
                col[i * n + j] = j;
                x[i * n + j] = r.M[i + j * n];
            }
            rowptr[i + 1] = (i + 1) * n;
        }
        rowptr[0] = 0;
        as_problem(&far);
        ck_assert_int_eq(solve(&r, z).status, PERP_SOLVED);
        ck_assert_int_eq(solve(&far, there).status, PERP_SOLVED);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(ldexp(there[i], -70), z[i], 1e-10 * (1.0 + fabs(z[i])));
        ck_assert_int_eq(perp_mat_init_bsr(&r.problem.M, n, 1, rowptr, col, x), PERP_SOLVED);
        ck_assert_int_eq(solve(&r, there).status, PERP_SOLVED);
        ck_assert_mem_eq(there, z, (size_t)n * sizeof(double));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("few_rows");
    TCase *tests = tcase_create("few_rows");
    tcase_add_test(tests, definite_problems_of_every_size);
    tcase_add_test(tests, matrices_without_a_diagonal);
    tcase_add_test(tests, triangles);
    tcase_add_test(tests, what_is_not_found_goes_on);
    tcase_add_test(tests, reuse);
    tcase_add_test(tests, units_and_storage);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
