/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_problem_check(): bad shapes and numbers are refused, with the segment, block and index;
 * blocks are those of the problem as it is now. */
#include <check.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/residual.h"
#include "tests/fixtures/judge.h"
#include "tests/fixtures/stored.h"

static perp_status check_where(const perp_problem *problem, const char *what, int segment,
                               int index)
{
    perp_where where = {"untouched", -7, -7};
    perp_status status = perp_problem_check(problem, NULL, &where);
    ck_assert_int_lt(status, 0);
    ck_assert_str_eq(where.what, what);
    ck_assert_int_eq(where.segment, segment);
    ck_assert_int_eq(where.index, index);
    ck_assert_int_eq(perp_problem_check(problem, NULL, NULL), status);
    return status;
}

static void four_segments(stored_problem *p)
{
    stored_init(p, "four");
    stored_segment(p, PERP_FREE, 1, 2, 0.0, 0.0);
    stored_segment(p, PERP_BOX, 1, 3, -1.0, 1.0);
    stored_segment(p, PERP_COULOMB, 3, 2, 0.5, 0.0);
    stored_segment(p, PERP_TRESCA, 2, 2, 0.5, 0.0);
    stored_allocate(p);
    for (int i = 0; i < p->n; i++)
        p->M[i * (p->n + 1)] = 1.0;
}

START_TEST(bad_shapes_are_named)
{
    stored_problem p;
    stored_view v;
    four_segments(&p);
    stored_view_make(&v, &p, STORED_DENSE);
    perp_problem *problem = &v.problem, good = v.problem;
    perp_segment *seg = v.seg, kept = seg[1];
    ck_assert_int_eq(perp_problem_check(problem, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(check_where(NULL, "problem", -1, -1), PERP_ERR_ARGUMENT);
    problem->q = NULL;
    ck_assert_int_eq(check_where(problem, "q", -1, -1), PERP_ERR_ARGUMENT);
    *problem = good;
    problem->seg = NULL;
    ck_assert_int_eq(check_where(problem, "seg", -1, -1), PERP_ERR_ARGUMENT);
    *problem = good;
    problem->nseg = -1;
    ck_assert_int_eq(check_where(problem, "nseg", -1, -1), PERP_ERR_ARGUMENT);
    problem->nseg = 3;
    ck_assert_int_eq(check_where(problem, "M.rows", -1, -1), PERP_ERR_STRUCTURE);
    *problem = good;
    problem->M.cols--;
    ck_assert_int_eq(check_where(problem, "M.rows", -1, -1), PERP_ERR_STRUCTURE);
    *problem = good;
    seg[1].set = (perp_set)PERP_SET_COUNT;
    ck_assert_int_eq(check_where(problem, "set", 1, -1), PERP_ERR_ARGUMENT);
    seg[1].set = (perp_set)-1;
    ck_assert_int_eq(check_where(problem, "set", 1, -1), PERP_ERR_ARGUMENT);
    seg[1] = kept;
    for (int dim = -1; dim < 5; dim++) {
        seg[1].dim = dim;
        if (dim != 1)
            ck_assert_int_eq(check_where(problem, "dim", 1, -1), PERP_ERR_ARGUMENT);
    }
    seg[1] = kept;
    seg[1].count = -1;
    ck_assert_int_eq(check_where(problem, "count", 1, -1), PERP_ERR_ARGUMENT);
    seg[1].count = INT_MAX;
    ck_assert_int_eq(check_where(problem, "count", 1, -1), PERP_ERR_OVERFLOW);
    seg[1] = kept;
    seg[1].par[1] = NULL;
    ck_assert_int_eq(check_where(problem, "hi", 1, -1), PERP_ERR_ARGUMENT);
    seg[1] = kept;
    seg[1].stride[0] = -1;
    ck_assert_int_eq(check_where(problem, "stride", 1, 0), PERP_ERR_ARGUMENT);
    seg[1] = kept;
    kept = seg[2];
    seg[2].dim = 4;
    ck_assert_int_eq(check_where(problem, "dim", 2, -1), PERP_ERR_ARGUMENT);
    seg[2] = kept;
    seg[2].set = PERP_SOC;
    seg[2].dim = SHRT_MAX + 1;
    ck_assert_int_eq(check_where(problem, "dim", 2, -1), PERP_ERR_ARGUMENT);
    seg[2].dim = 1;
    ck_assert_int_eq(check_where(problem, "dim", 2, -1), PERP_ERR_ARGUMENT);
    seg[2] = kept;
    seg[2].count = INT_MAX / 2;
    ck_assert_int_eq(check_where(problem, "count", 2, -1), PERP_ERR_OVERFLOW);
    seg[2] = kept;
    ck_assert_int_eq(perp_problem_check(problem, NULL, NULL), PERP_SOLVED);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

START_TEST(bad_numbers_are_named)
{
    stored_problem p;
    stored_view v;
    four_segments(&p);
    stored_view_make(&v, &p, STORED_DENSE);
    double *q = (double *)v.problem.q, *x = (double *)v.problem.M.as.dense.x;
    double *lo = (double *)v.seg[1].par[0], *hi = (double *)v.seg[1].par[1];
    double *mu = (double *)v.seg[2].par[0], *r = (double *)v.seg[3].par[0];
    q[5] = NAN;
    ck_assert_int_eq(check_where(&v.problem, "q", -1, 5), PERP_ERR_NONFINITE);
    q[5] = -INFINITY;
    ck_assert_int_eq(check_where(&v.problem, "q", -1, 5), PERP_ERR_NONFINITE);
    q[5] = 0.0;
    x[17] = NAN;
    ck_assert_int_eq(check_where(&v.problem, "x", -1, 17), PERP_ERR_NONFINITE);
    x[17] = 0.0;
    lo[2] = NAN;
    ck_assert_int_eq(check_where(&v.problem, "lo", 1, 2), PERP_ERR_NONFINITE);
    lo[2] = 2.0;
    ck_assert_int_eq(check_where(&v.problem, "lo", 1, 2), PERP_ERR_ARGUMENT);
    lo[2] = -INFINITY;
    hi[2] = INFINITY;
    ck_assert_int_eq(perp_problem_check(&v.problem, NULL, NULL), PERP_SOLVED);
    hi[2] = -INFINITY;
    ck_assert_int_eq(check_where(&v.problem, "lo", 1, 2), PERP_ERR_ARGUMENT);
    hi[2] = 1.0;
    mu[1] = -1.0;
    ck_assert_int_eq(check_where(&v.problem, "mu", 2, 1), PERP_ERR_ARGUMENT);
    mu[1] = INFINITY;
    ck_assert_int_eq(check_where(&v.problem, "mu", 2, 1), PERP_ERR_NONFINITE);
    v.seg[2].stride[0] = 0;
    ck_assert_int_eq(perp_problem_check(&v.problem, NULL, NULL), PERP_SOLVED);
    mu[0] = NAN;
    ck_assert_int_eq(check_where(&v.problem, "mu", 2, 0), PERP_ERR_NONFINITE);
    mu[0] = 0.0;
    r[1] = -1e-300;
    ck_assert_int_eq(check_where(&v.problem, "r", 3, 1), PERP_ERR_ARGUMENT);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

START_TEST(blocks_follow_the_problem)
{
    stored_problem p;
    stored_view v;
    perp_blocks blocks;
    perp_arena arena;
    four_segments(&p);
    stored_view_make(&v, &p, STORED_DENSE);
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&blocks, &v.problem, &arena), PERP_SOLVED);
    ck_assert_int_eq(blocks.n, p.n);
    ck_assert_int_eq(blocks.count, 9);
    ck_assert_int_eq(blocks.max_dim, 3);
    ck_assert_int_eq(blocks.uniform, 0);
    ck_assert_uint_eq(blocks.sets,
                      1u << PERP_FREE | 1u << PERP_BOX | 1u << PERP_COULOMB | 1u << PERP_TRESCA);
    ck_assert_int_eq(blocks.at[6].row, 8);
    ck_assert_double_eq(blocks.at[6].par[0], 0.5);
    ((double *)v.seg[2].par[0])[1] = 0.25;
    ck_assert_int_eq(perp_blocks_update(&blocks, &v.problem), PERP_SOLVED);
    ck_assert_double_eq(blocks.at[6].par[0], 0.25);
    v.seg[2].set = PERP_SOC;
    ck_assert_int_eq(perp_blocks_update(&blocks, &v.problem), PERP_ERR_ARGUMENT);
    v.seg[2].set = PERP_COULOMB;
    v.seg[2].count = 1;
    ck_assert_int_eq(perp_blocks_update(&blocks, &v.problem), PERP_ERR_ARGUMENT);
    v.problem.nseg = 1;
    perp_arena_reset(&arena);
    ck_assert_int_eq(perp_blocks_build(&blocks, &v.problem, &arena), PERP_SOLVED);
    ck_assert_int_eq(blocks.uniform, 1);
    perp_arena_free(&arena);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem-check");
    TCase *tcase = tcase_create("problem-check");
    tcase_add_test(tcase, bad_shapes_are_named);
    tcase_add_test(tcase, bad_numbers_are_named);
    tcase_add_test(tcase, blocks_follow_the_problem);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
