/* SPDX-License-Identifier: BSD-3-Clause */
/* The solver that a problem gets when none is named. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <perp/numerics.h>

static const double one[1] = {1.0};

/* `rows` rows of one set; the entries of M are never looked at. */
static const char *chosen(perp_mat_kind kind, perp_set set, int dim, int rows)
{
    perp_segment seg = {.set = set, .dim = dim, .count = rows / dim, .par = {one, one}};
    perp_problem problem = {.seg = &seg, .nseg = 1};
    problem.M.kind = kind;
    problem.M.rows = problem.M.cols = rows;
    const perp_solver_type *type = perp_solver_choose(&problem);
    if (!type)
        return "";
    ck_assert_int_eq(perp_solver_fits(type, &problem), 1);
    return perp_solver_name(type);
}

START_TEST(rule)
{
    ck_assert_str_eq(chosen(PERP_DENSE, PERP_NONNEG, 1, 1), "auto");
    ck_assert_str_eq(chosen(PERP_BSR, PERP_FREE, 1, 4), "auto");
    ck_assert_str_eq(chosen(PERP_DENSE, PERP_BOX, 1, 4), "auto");
    ck_assert_str_eq(chosen(PERP_DENSE, PERP_NONNEG, 1, 1000), "auto");
    ck_assert_str_eq(chosen(PERP_DENSE, PERP_NONNEG, 1, 1001), "auto");
    ck_assert_str_eq(chosen(PERP_BSR, PERP_NONNEG, 1, 50), "auto");
    ck_assert_str_eq(chosen(PERP_BSR, PERP_NONNEG, 1, 51), "auto");
    ck_assert_str_eq(chosen(PERP_CSC, PERP_NONNEG, 1, 20000), "auto");
    ck_assert_str_eq(chosen(PERP_DENSE, PERP_COULOMB, 3, 3), "auto");
    ck_assert_str_eq(chosen(PERP_DELASSUS, PERP_TRESCA, 2, 2), "auto");
    ck_assert_str_eq(chosen(PERP_DENSE, PERP_COULOMB, 3, 6), "auto");
    ck_assert_str_eq(chosen(PERP_OPERATOR, PERP_COULOMB, 3, 3), "auto");
    ck_assert_str_eq(chosen(PERP_BSR, PERP_COULOMB, 3, 300), "auto");
    ck_assert_str_eq(chosen(PERP_CSC, PERP_NONNEG, 1, 6000), "auto");
    ck_assert_str_eq(chosen(PERP_DELASSUS, PERP_COULOMB, 3, 9000), "auto");
    ck_assert_str_eq(chosen(PERP_OPERATOR, PERP_COULOMB, 3, 9000), "auto");
    ck_assert_str_eq(chosen(PERP_DENSE, PERP_SET_COUNT, 1, 1), "");
    ck_assert_str_eq(chosen((perp_mat_kind)17, PERP_FREE, 1, 1), "");
    ck_assert_ptr_null(perp_solver_choose(NULL));
}
END_TEST

START_TEST(empty_segments_do_not_count)
{
    perp_segment seg[2] = {{.set = PERP_COULOMB, .dim = 3, .count = 0, .par = {one, NULL}},
                           {.set = PERP_NONNEG, .dim = 1, .count = 1}};
    perp_problem problem = {.seg = seg, .nseg = 2};
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, 1, 1, one, 1), PERP_SOLVED);
    ck_assert_str_eq(perp_solver_name(perp_solver_choose(&problem)), "auto");
}
END_TEST

/* perp_solve() without a name: the same solver; what is wrong is named. */
START_TEST(solve_without_a_name)
{
    double z[1] = {7.0}, w[1] = {7.0}, q[1] = {-2.0};
    perp_info info = {.size = sizeof info};
    perp_segment seg = {.set = PERP_NONNEG, .dim = 1, .count = 1};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, 1, 1, one, 1), PERP_SOLVED);
    ck_assert_int_eq(perp_solve(NULL, &problem, NULL, z, w, &info), PERP_SOLVED);
    ck_assert_str_eq(info.solver, "auto");
    ck_assert_double_eq(z[0], 2.0);
    z[0] = 7.0;
    seg.set = PERP_SET_COUNT;
    ck_assert_int_eq(perp_solve(NULL, &problem, NULL, z, w, &info), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(info.where.what, "set");
    ck_assert_int_eq(info.status, PERP_ERR_ARGUMENT);
    problem.seg = NULL;
    ck_assert_int_eq(perp_solve(NULL, &problem, NULL, z, w, &info), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(info.where.what, "seg");
    ck_assert_int_eq(perp_solve(NULL, NULL, NULL, z, w, NULL), PERP_ERR_ARGUMENT);
    ck_assert_double_eq(z[0], 7.0);
}
END_TEST

/* A contact alone whose normal impulse moves nothing, and that closes: there is no solution, and
 * the proof comes without a solver that is named. */
START_TEST(a_contact_that_nothing_opens)
{
    static const perp_set sets[] = {PERP_COULOMB, PERP_TRESCA, PERP_ROLLING};
    for (int k = 0; k < 3; k++) {
        int n = sets[k] == PERP_ROLLING ? 5 : 3;
        double M[25] = {0.0}, q[5] = {-1.0, 2.0, 0.0, 0.0, 0.0}, z[5], w[5];
        for (int i = 1; i < n; i++)
            M[i * n + i] = 1.0;
        perp_info info = {.size = sizeof info};
        perp_segment seg = {.set = sets[k], .dim = n, .count = 1, .par = {one, one}};
        perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
        ck_assert_int_eq(perp_mat_init_dense(&problem.M, n, n, M, n), PERP_SOLVED);
        ck_assert_int_eq(perp_solve(NULL, &problem, NULL, z, w, &info), PERP_INFEASIBLE);
        M[0] = 1.0;
        ck_assert_int_eq(perp_solve(NULL, &problem, NULL, z, w, &info), PERP_SOLVED);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("choose");
    TCase *tcase = tcase_create("choose");
    tcase_add_test(tcase, rule);
    tcase_add_test(tcase, empty_segments_do_not_count);
    tcase_add_test(tcase, solve_without_a_name);
    tcase_add_test(tcase, a_contact_that_nothing_opens);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
