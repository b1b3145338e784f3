/* SPDX-License-Identifier: BSD-3-Clause */
/* The updated factors of Lemke's basis against elimination from the columns. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/boxed_bounds.h"
#include "core/rng.h"
#include "solvers/pivoting/lcp_basis.h"

enum { ROWS = 60 };

typedef struct rig {
    perp_arena arena;
    perp_blocks blocks;
    perp_lcp lcp;
    perp_basis basis;
    double M[ROWS * ROWS], q[ROWS];
} rig;

static void make(rig *r, const perp_segment *seg)
{
    perp_problem problem = {.q = r->q, .seg = seg, .nseg = 1};
    perp_allocator memory = perp_allocator_or_malloc(NULL);
    perp_arena_init(&r->arena, &memory);
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, ROWS, ROWS, r->M, ROWS), 0);
    ck_assert_int_eq(perp_blocks_build(&r->blocks, &problem, &r->arena), 0);
    ck_assert_int_eq(perp_lcp_build(&r->lcp, &problem, &r->blocks, &r->arena), 0);
    ck_assert_int_eq(perp_basis_take(&r->basis, &r->lcp, &r->arena), 0);
    for (int i = 0; i < r->lcp.size; i++) {
        r->basis.basic[i] = r->lcp.size + i;
        r->basis.open[i] = 0;
    }
    ck_assert_int_eq(perp_basis_start(&r->basis), 0);
}

/* Column of variable v, from the definition. */
static double entry(const rig *r, int i, int v)
{
    int N = r->lcp.size;
    return v == 2 * N ? -r->basis.cover[i] : v >= N ? v - N == i : -r->lcp.a[i + v * N];
}

/* max |B column - a_v|. */
static double miss(const rig *r, const double *column, int v)
{
    double worst = 0.0;
    for (int i = 0; i < r->lcp.size; i++) {
        double sum = -entry(r, i, v);
        for (int k = 0; k < r->lcp.size; k++)
            sum += entry(r, i, r->basis.basic[k]) * column[k];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* A run of pivots: columns, values and complementarity after each. */
START_TEST(updates)
{
    static rig r;
    const double lo = -0.1, hi = 0.1;
    const perp_segment segs[2] = {{PERP_NONNEG, 1, ROWS, {NULL, NULL}, {0, 0}},
                                  {PERP_BOX, 1, ROWS, {&lo, &hi}, {0, 0}}};
    double column[2 * ROWS];
    perp_rng rng = {(uint64_t)_i + 3};
    int leaving, pivots = 0;
    for (int i = 0; i < ROWS; i++)
        r.q[i] = perp_rng_signed(&rng);
    for (int k = 0; k < ROWS * ROWS; k++)
        r.M[k] = perp_rng_signed(&rng) + (k % (ROWS + 1) == 0 ? 8.0 : 0.0);
    make(&r, &segs[_i]);
    int N = r.lcp.size;
    ck_assert_int_eq(perp_basis_cover(&r.basis, 0, &leaving), 0);
    while (leaving != 2 * N) {
        int entering = (leaving + N) % (2 * N);
        ck_assert_int_eq(perp_basis_pivot(&r.basis, entering, 2 * N, 2 * N, &leaving), 1);
        ck_assert_int_lt(++pivots, 1000);
        ck_assert_double_lt(perp_basis_drift(&r.basis), 1e-11);
        int v = perp_rng_below(&rng, 2 * N + 1);
        perp_basis_column(column, &r.basis, v);
        ck_assert_double_lt(miss(&r, column, v), 1e-9);
        for (int k = 0; k < N; k++) {
            ck_assert_int_eq(r.basis.where[r.basis.basic[k]], k);
            ck_assert_double_ge(r.basis.value[k], -1e-10);
        }
    }
    ck_assert_int_gt(pivots, 20);
    ck_assert_int_gt(r.basis.factorisations, 0);
    perp_arena_free(&r.arena);
}
END_TEST

/* A right-hand side that scaling made infinite: no ratio is finite, no row leaves, none is
 * written. */
START_TEST(no_finite_ratio)
{
    static rig r;
    const double limit[3] = {-INFINITY, NAN, -DBL_MAX};
    const perp_segment seg = {PERP_NONNEG, 1, ROWS, {NULL, NULL}, {0, 0}};
    int leaving = -1;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < ROWS; i++) {
        r.M[i * (ROWS + 1)] = 1.0;
        r.q[i] = -1.0;
    }
    make(&r, &seg);
    for (int i = 0; i < ROWS; i++)
        r.basis.value[i] = limit[_i];
    int end = perp_basis_cover(&r.basis, _i, &leaving);
    if (end == 0) {
        ck_assert_int_ge(leaving, 0);
        ck_assert_int_le(leaving, 2 * ROWS);
    } else {
        ck_assert_int_eq(end, -1);
    }
    ck_assert(_i == 2 || end == -1);
    perp_arena_free(&r.arena);
}
END_TEST

/* A column of NaN is no ray. */
START_TEST(no_ray_of_nan)
{
    static rig r;
    const perp_segment seg = {PERP_NONNEG, 1, ROWS, {NULL, NULL}, {0, 0}};
    int leaving = -1;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < ROWS; i++) {
        r.M[i * (ROWS + 1)] = 1.0;
        r.q[i] = 1.0;
    }
    make(&r, &seg);
    for (int i = 0; i < ROWS; i++)
        r.lcp.a[i] = NAN;
    ck_assert_int_eq(perp_basis_pivot(&r.basis, 0, 2 * ROWS, 2 * ROWS, &leaving), -1);
    perp_arena_free(&r.arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lemke-basis");
    TCase *tcase = tcase_create("lemke-basis");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, updates, 0, 2);
    tcase_add_loop_test(tcase, no_finite_ratio, 0, 3);
    tcase_add_test(tcase, no_ray_of_nan);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
