/* SPDX-License-Identifier: BSD-3-Clause */
/* The sentence in info.detail says what is wrong, with the number that is, not the place alone; and
 * what a limit leaves is what was promised. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

enum { N = 9 };
static const double eye[N * N] = {
    [0] = 1, [10] = 1, [20] = 1, [30] = 1, [40] = 1, [50] = 1, [60] = 1, [70] = 1, [80] = 1};
static const double q[N] = {-1, 0, 0, -1, 0, 0, -1, 0, 0};
static const double friction[3] = {0.3, 0.3, -0.5};

static perp_problem contacts(perp_segment *seg)
{
    perp_problem problem = {.q = q, .seg = seg, .nseg = 1};
    *seg = (perp_segment){PERP_COULOMB, 3, 3, {friction, NULL}, {0, 0}};
    perp_mat_init_dense(&problem.M, N, N, eye, N);
    return problem;
}

static void says(const perp_problem *problem, const char *sentence)
{
    double z[N], w[N];
    perp_info info = {.size = sizeof info};
    ck_assert_int_lt(perp_solve(NULL, problem, NULL, z, w, &info), 0);
    ck_assert_str_eq(info.detail, sentence);
}

START_TEST(segments)
{
    perp_segment seg;
    perp_problem problem = contacts(&seg);
    const double lo = 1.0, hi = -1.0;
    seg.stride[0] = 1;
    says(&problem, "mu of block 2 in segment 0 is -0.5, negative");
    seg.par[0] = NULL;
    says(&problem, "mu of segment 0 is NULL");
    problem = contacts(&seg);
    seg.dim = 4;
    says(&problem, "dim of segment 0 is 4: COULOMB has no blocks of so many rows");
    problem = contacts(&seg);
    seg.count = -3;
    says(&problem, "count of segment 0 is -3, negative");
    problem = contacts(&seg);
    seg.stride[0] = -1;
    says(&problem, "stride[0] of segment 0 is -1, negative");
    problem = contacts(&seg);
    seg.set = (perp_set)99;
    says(&problem, "set of segment 0 is 99, which names no set");
    problem = contacts(&seg);
    seg = (perp_segment){PERP_BOX, 1, N, {&lo, &hi}, {0, 0}};
    says(&problem, "bounds of block 0 in segment 0: lo 1, hi -1");
}
END_TEST

START_TEST(arrays)
{
    perp_segment seg;
    perp_problem problem = contacts(&seg);
    problem.q = NULL;
    says(&problem, "q is NULL");
    problem = contacts(&seg);
    problem.seg = NULL;
    says(&problem, "seg is NULL");
    problem = contacts(&seg);
    problem.nseg = -1;
    says(&problem, "nseg is -1, negative");
    problem = contacts(&seg);
    problem.M.as.dense.ld = 5;
    says(&problem, "ld is 5, less than the 9 rows of M");
    problem.M.as.dense.x = NULL;
    says(&problem, "x is NULL");
    says(NULL, "problem is NULL");
}
END_TEST

START_TEST(indices)
{
    int colptr[] = {0, 2, 3, 3}, row[] = {0, 3, 1}, rowptr[] = {0, 1, 2}, col[] = {0, 7};
    const double x[18] = {1.0};
    perp_segment seg = {PERP_NONNEG, 1, 3, {NULL}, {0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_mat_init_csc(&problem.M, 3, 3, colptr, row, x);
    says(&problem, "row[1] is 3, not within 0 to 2");
    row[1] = 0;
    says(&problem, "row[1]: 0 is twice in column 0");
    colptr[2] = 1;
    says(&problem, "colptr[2] is 1, less than the one before");
    colptr[0] = 1;
    says(&problem, "colptr[0] is 1, not 0");
    seg.count = 6;
    perp_mat_init_bsr(&problem.M, 2, 3, rowptr, col, x);
    says(&problem, "col[1] is 7, not within 0 to 1");
    rowptr[1] = 2;
    col[1] = 0;
    says(&problem, "col[1]: 0 is twice in block row 0");
}
END_TEST

START_TEST(masses)
{
    static const int colptr[] = {0, 1, 2, 3}, row[] = {0, 1, 4};
    const double diagonal[] = {0.0, -1.0, 0.0};
    perp_segment seg = {PERP_NONNEG, 1, 3, {NULL}, {0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_mat M;
    perp_mass *mass;
    perp_mat_init_dense(&M, 3, 3, eye, N + 1 - 7);
    ck_assert_int_lt(perp_mass_create(&mass, &M, NULL, NULL), 0); /* singular */
    ck_assert_ptr_null(mass);
    mass = (perp_mass *)&M;
    ck_assert_int_lt(perp_mass_create(&mass, NULL, NULL, NULL), 0);
    ck_assert_ptr_null(mass);
    perp_mat_init_dense(&M, 3, 3, eye, N);
    ck_assert_int_eq(perp_mass_create(&mass, &M, NULL, NULL), PERP_SOLVED);
    perp_mat_init_delassus(&problem.M, 3, 3, colptr, row, eye, mass);
    says(&problem, "row[2] is 4, not within 0 to 2");
    perp_mat_init_delassus(&problem.M, 3, 3, colptr, (const int[]){0, 1, 2}, eye, mass);
    perp_mat_set_compliance(&problem.M, diagonal);
    says(&problem, "diagonal[1] is -1, negative");
    perp_mass_destroy(mass);
}
END_TEST

/* Of outputs and of updates, with the handle as it was. */
START_TEST(handles)
{
    perp_segment seg, six;
    perp_problem problem = contacts(&seg), other = contacts(&six);
    double both[2 * N], *z = both, *w = both + N;
    perp_solver *solver;
    perp_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("gs"), NULL, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), 0);
    ck_assert_int_eq(perp_solver_solve(solver, NULL, w, &info), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(info.detail, "z is NULL");
    ck_assert_int_eq(perp_solver_solve(solver, z, NULL, &info), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(info.detail, "w is NULL");
    for (int shift = 1 - N; shift < N; shift++) {
        ck_assert_int_eq(perp_solver_solve(solver, z + N / 2, z + N / 2 + shift / 2, &info),
                         PERP_ERR_ARGUMENT);
        ck_assert_str_eq(info.detail, "w shares memory with z");
        ck_assert_str_eq(info.where.what, "w");
    }
    perp_mat_init_dense(&other.M, 6, 6, eye, N);
    six.count = 2;
    ck_assert_int_eq(perp_solver_update(solver, &other), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(perp_solver_info(solver)->detail,
                     "M has another kind, shape or number of entries than in setup");
    perp_mat_init_dense(&other.M, N, N, eye, N);
    six = (perp_segment){PERP_TRESCA, 3, 3, {friction, NULL}, {0, 0}};
    ck_assert_int_eq(perp_solver_update(solver, &other), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(perp_solver_info(solver)->detail, "the blocks of seg are not those of setup");
    ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, w, z, &info), PERP_SOLVED);
    perp_solver_destroy(solver);
}
END_TEST

/* M tridiagonal, many of whose active sets are tried. */
static perp_problem chain(double *M, double *loads, perp_segment *seg, int n)
{
    perp_problem problem = {.q = loads, .seg = seg, .nseg = 1};
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    for (int i = 0; i < n; i++) {
        M[i + i * n] = 2.0;
        if (i > 0)
            M[i + (i - 1) * n] = M[i - 1 + i * n] = -1.0;
        loads[i] = sin(1.7 * i) - 0.2;
    }
    *seg = (perp_segment){PERP_NONNEG, 1, n, {NULL}, {0}};
    perp_mat_init_dense(&problem.M, n, n, M, n);
    return problem;
}

/* A factorisation of `direct` counts when it is made: nothing is begun beyond the budget. */
START_TEST(budget_of_direct)
{
    enum { ROWS = 200 };
    static double M[ROWS * ROWS], loads[ROWS], z[ROWS], w[ROWS];
    perp_segment seg;
    perp_problem problem = chain(M, loads, &seg, ROWS);
    perp_info info = {.size = sizeof info};
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.budget = 3.0;
    ck_assert_int_eq(perp_solve("direct", &problem, &settings, z, w, &info), PERP_WORK_LIMIT);
    ck_assert_int_le(info.factorisations, 1);
    settings.budget = 0.0;
    ck_assert_int_eq(perp_solve("direct", &problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_int_gt(info.factorisations, 1);
}
END_TEST

/* Where a limit ends a solve at once the iterate is not worse than the start. */
START_TEST(not_worse_than_the_start)
{
    enum { ROWS = 200 };
    static double M[ROWS * ROWS], loads[ROWS], z[ROWS], w[ROWS];
    static const char *const names[] = {"auto", "dantzig"};
    perp_segment seg;
    perp_problem problem = chain(M, loads, &seg, ROWS);
    perp_residuals start = {.size = sizeof start};
    ck_assert_int_eq(perp_residual(&problem, z, NULL, w, &start), PERP_SOLVED);
    double error = fmax(fmax(start.natural, start.scaled), start.dual * start.dual);
    for (int k = 0; k < 4; k++) {
        perp_info info = {.size = sizeof info};
        perp_settings settings;
        perp_settings_init(&settings, sizeof settings);
        settings.budget = k < 2 ? 3.0 : 0.0;
        settings.time_limit = k < 2 ? 0.0 : 1e-9;
        ck_assert_int_eq(perp_solve(names[k % 2], &problem, &settings, z, w, &info),
                         k < 2 ? PERP_WORK_LIMIT : PERP_TIME_LIMIT);
        ck_assert_msg(info.error <= error, "%s: %g, %g at the start", names[k % 2], info.error,
                      error);
    }
}
END_TEST

/* An operator that gives no number in row 5, from some product on. */
typedef struct lost_row {
    int products, good;
} lost_row;

static int lose_row(void *ctx, double *y, const double *x)
{
    lost_row *lost = ctx;
    for (int i = 0; i < N; i++)
        y[i] = 2.0 * x[i];
    if (lost->products++ >= lost->good)
        y[5] = NAN;
    return 0;
}

/* Every method that takes an operator either had its answer before, or says which row is none. */
START_TEST(operators_without_numbers)
{
    const double twos[N] = {2, 2, 2, 2, 2, 2, 2, 2, 2};
    int refused = 0;
    for (int k = 0; perp_solver_at(k); k++)
        for (int good = 0; good < 6; good++) {
            const char *name = perp_solver_name(perp_solver_at(k));
            double z[N] = {0.0}, w[N] = {7.0};
            lost_row lost = {0, good};
            perp_segment seg;
            perp_problem problem = contacts(&seg);
            perp_info info = {.size = sizeof info};
            seg = (perp_segment){PERP_NONNEG, 1, N, {NULL}, {0, 0}};
            perp_mat_init_operator(&problem.M, N, lose_row, &lost, good % 2 ? twos : NULL);
            perp_status status = perp_solve(name, &problem, NULL, z, w, &info);
            ck_assert_int_eq(info.status, status);
            if (status >= 0) {
                ck_assert_msg(isfinite(info.error) && isfinite(w[5]), "%s after %d", name, good);
                continue;
            }
            ck_assert_double_eq(w[0], 7.0);
            if (status == PERP_ERR_UNSUPPORTED)
                continue;
            refused++;
            ck_assert_msg(status == PERP_ERR_NUMERICAL, "%s: %s", name, perp_status_name(status));
            ck_assert_msg(strcmp(info.detail,
                                 "w[5] of w = M z + q is not finite: numbers beyond the range of "
                                 "doubles, or an operator that gives none") == 0,
                          "%s after %d: '%s'", name, good, info.detail);
            ck_assert_str_eq(info.where.what, "w");
            ck_assert_int_eq(info.where.index, 5);
        }
    ck_assert_int_ge(refused, 10);
}
END_TEST

/* Each entry of w is a number, and the sum of their squares is none. */
START_TEST(beyond_the_range)
{
    const double start[2] = {1e250, 0.0}, load[2] = {1.0, -1.0}, one[4] = {1e-80, 0, 0, 1e80};
    perp_segment seg = {PERP_FREE, 1, 2, {NULL}, {0, 0}};
    perp_problem problem = {.q = load, .seg = &seg, .nseg = 1};
    perp_mat_init_dense(&problem.M, 2, 2, one, 2);
    for (int k = 0; perp_solver_at(k); k++) {
        const char *name = perp_solver_name(perp_solver_at(k));
        perp_info info = {.size = sizeof info};
        perp_settings settings;
        double z[2] = {start[0], start[1]}, w[2];
        perp_settings_init(&settings, sizeof settings);
        settings.warm_start = 1;
        perp_status status = perp_solve(name, &problem, &settings, z, w, &info);
        ck_assert_msg(status >= 0 || info.detail[0] != '\0', "%s: %s without a sentence", name,
                      perp_status_name(status));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("error sentences");
    TCase *tcase = tcase_create("error sentences");
    tcase_add_test(tcase, segments);
    tcase_add_test(tcase, arrays);
    tcase_add_test(tcase, indices);
    tcase_add_test(tcase, masses);
    tcase_add_test(tcase, handles);
    tcase_add_test(tcase, operators_without_numbers);
    tcase_add_test(tcase, beyond_the_range);
    tcase_add_test(tcase, budget_of_direct);
    tcase_add_test(tcase, not_worse_than_the_start);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
