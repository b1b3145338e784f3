/* SPDX-License-Identifier: BSD-3-Clause */
/* Residuals that are known to the last bit, out of the range of squares, and block by block. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/residual.h"
#include "tests/fixtures/contract.h"
#include "tests/fixtures/stored.h"

/* Of one block with w = M z + q, M the diagonal. */
static perp_residuals of_block(perp_set set, int dim, double a, double b, const double *diagonal,
                               const double *q, const double *z)
{
    double M[25] = {0.0};
    perp_segment seg = {set, dim, 1, {&a, &b}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_residuals r = {.size = sizeof r};
    for (int i = 0; i < dim; i++)
        M[i * (dim + 1)] = diagonal ? diagonal[i] : 0.0;
    ck_assert_int_eq(perp_mat_init_dense(&p.M, dim, dim, M, dim), 0);
    ck_assert_int_eq(perp_residual(&p, z, NULL, NULL, &r), 0);
    return r;
}

/* z on the edge of K and w next to nothing: z - P(z - w) is w, though z - w is z in doubles. */
START_TEST(tiny_at_an_edge)
{
    const double q[3] = {1e-30, 0.0, 0.0}, z[3] = {1.0, 0.5, 0.0}, back[3] = {-1e-30, 0.0, 0.0};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 2; k++) {
            perp_residuals r = of_block(k ? PERP_COULOMB : PERP_SOC, dim, 0.5, 0, NULL, q, z);
            ck_assert_double_eq_tol(r.natural * sqrt(1.25), 1e-30, 1e-42);
            ck_assert_double_eq(r.primal, 0.0);
            ck_assert_double_eq(r.dual, 0.0);
        }
    /* Of a cone that is nearly a half space, what holds is no distance. */
    for (int dim = 2; dim <= 3; dim++) {
        const double half[3] = {0.5, 0.5, 0.0};
        perp_residuals r = of_block(PERP_COULOMB, dim, 1e110, 0, NULL, half, q);
        ck_assert_double_eq(r.dual, 0.0);
        ck_assert_double_eq(r.primal, 0.0);
    }
    const double axis[5] = {1.0, 0.0, 0.0, 0.0, 0.0}, rest[5] = {0.0};
    ck_assert_double_eq(of_block(PERP_SOC, 5, 1e120, 0, NULL, axis, rest).dual, 0.0);
    ck_assert_double_eq(of_block(PERP_SOC, 5, 1e120, 0, NULL, rest, axis).primal, 0.0);
    /* A contact is open only where all of z is 0. */
    for (int i = 0; i < 3; i++) {
        double pushed[3] = {0.0};
        pushed[i] = 1.0;
        for (int dim = i == 2 ? 3 : 2; dim <= 3; dim++) {
            double away = of_block(PERP_COULOMB, dim, 0.5, 0, NULL, axis, pushed).primal;
            ck_assert_double_eq_tol(away, i == 0 ? 0.0 : 1.0 / sqrt(1.25), 1e-14);
            ck_assert_double_eq_tol(of_block(PERP_COULOMB, dim, 0.5, 0, NULL, axis, pushed).natural,
                                    1.0, 1e-14);
        }
    }
    /* On the axis, behind the tip. */
    const double behind[5] = {-1.0, 0.0, 0.0, 0.0, 0.0};
    for (int dim = 2; dim <= 5; dim++)
        ck_assert_double_eq(of_block(PERP_SOC, dim, 0.5, 0, NULL, rest, behind).natural, 1.0);
    perp_residuals r = of_block(PERP_BOX, 1, 1.0, INFINITY, NULL, back, z);
    ck_assert_double_eq_tol(r.natural, 1e-30, 1e-42);
    ck_assert_double_eq(r.gap, 0.0);
    r = of_block(PERP_BOX, 1, -INFINITY, 1.0, NULL, q, z);
    ck_assert_double_eq_tol(r.natural, 1e-30, 1e-42);
    r = of_block(PERP_BOX, 1, -3.0, 1.0, NULL, q, z);
    ck_assert_double_eq_tol(r.natural, 1e-30, 1e-42);
}
END_TEST

/* What is absolute, as nothing is there to divide by, has no other unit where squares leave the range. */
START_TEST(absolute_values_out_of_range)
{
    static const double sizes[] = {1e-100, 1e-200, 1e-250, 1e-303, 1e160, 1e200};
    const double zero = 0.0, back = -1.0;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        double s = sizes[k];
        /* z = 0 and the bound that is measured from is the other one. */
        perp_residuals r = of_block(PERP_BOX, 1, -INFINITY, 2.0, NULL, &s, &zero);
        ck_assert_double_eq_tol(r.gap / s, 2.0, 1e-13);
        ck_assert_double_eq_tol(r.dual, 1.0, 1e-13);
        ck_assert_double_eq_tol(r.natural, 1.0, 1e-13);
        /* q = 0. */
        r = of_block(PERP_NONNEG, 1, 0, 0, &back, &zero, &s);
        ck_assert_double_eq_tol(r.dual / s, 1.0, 1e-13);
        ck_assert_double_eq_tol(r.natural, 1.0, 1e-13);
        ck_assert_double_eq_tol(r.gap, 1.0, 1e-13);
        ck_assert_double_eq(r.primal, 0.0);
    }
    /* The square of z alone leaves the range. */
    const double one = 1.0, tiny = 1e-140;
    perp_residuals low = of_block(PERP_NONNEG, 1, 0, 0, &one, &back, &tiny);
    ck_assert_double_eq_tol(low.gap, 1.0, 1e-13);
    ck_assert_double_eq_tol(low.natural, 1.0, 1e-13);
    ck_assert_double_eq(low.primal, 0.0);
    /* The square of w alone leaves the range. */
    const double far = 1e170, z = 1e-10;
    perp_residuals r = of_block(PERP_NONNEG, 1, 0, 0, &far, &zero, &z);
    ck_assert_double_le(r.natural, 1e-160);
    ck_assert_double_eq_tol(r.scaled, 1.0, 1e-12);
    ck_assert_double_eq_tol(r.gap, 1.0, 1e-12);
}
END_TEST

/* Where the scaled numbers alone leave the range, the scaled measure does not exist and the others do;
 * where their squares are lost, they are not taken for 0. */
START_TEST(scaled_values_out_of_range)
{
    const double zero = 0.0, one = 1.0, far = 1e300, small = 1e-40, wide = 1e120;
    perp_residuals r = of_block(PERP_NONNEG, 1, 0, 0, &small, &far, &zero);
    ck_assert_double_eq(r.natural, 0.0);
    ck_assert_double_eq(r.primal, 0.0);
    ck_assert_double_eq(r.dual, 0.0);
    ck_assert_double_eq(r.gap, 0.0);
    ck_assert_double_eq(r.scaled, INFINITY);
    const double against = -1e300;
    r = of_block(PERP_NONNEG, 1, 0, 0, &small, &against, &one);
    ck_assert_double_eq_tol(r.natural, 1.0, 1e-13);
    ck_assert_double_eq_tol(r.dual, 1.0, 1e-13);
    ck_assert_double_eq(r.scaled, INFINITY);
    const double low = -1e-125;
    r = of_block(PERP_NONNEG, 1, 0, 0, &wide, &low, &zero);
    ck_assert_double_eq_tol(r.natural, 1.0, 1e-13);
    ck_assert_double_eq_tol(r.scaled, 1.0, 1e-13);
}
END_TEST

static int twice(void *ctx, double *w, const double *z)
{
    (void)ctx;
    w[0] = 2.0 * z[0];
    return 0;
}

/* Without a diagonal there is no scaled measure; the natural one is there at any size. */
START_TEST(operators_out_of_range)
{
    static const double sizes[] = {1e-303, 1e-200, 1.0, 1e200, 1e303};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        double q = -sizes[k], z = sizes[k], w = 0.0;
        perp_segment seg = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
        perp_problem p = {.q = &q, .seg = &seg, .nseg = 1};
        perp_residuals r = {.size = sizeof r};
        ck_assert_int_eq(perp_mat_init_operator(&p.M, 1, twice, NULL, NULL), 0);
        ck_assert_int_eq(perp_residual(&p, &z, NULL, &w, &r), 0);
        ck_assert_double_eq(w, sizes[k]);
        ck_assert_double_eq_tol(r.natural, 1.0, 1e-13);
        ck_assert(isnan(r.scaled));
    }
}
END_TEST

/* The unit of length of moments does not matter, however far it is from that of the rest: of the second
 * of two blocks. */
START_TEST(units_of_moments)
{
    static const int dims[] = {3, 4, 5, 6};
    for (int k = 0; k < 4; k++)
        for (int size = 0; size < 2; size++) {
            int dim = dims[k], turns = dim == 3 ? 1 : dim - 3, n = dim + 1;
            double s = size ? 0x1p600 : 1.0, scaled[2];
            for (int far = 0; far < 2; far++) {
                double L = far ? 0x1p-500 : 1.0, M[49] = {1.0}, q[7] = {-s}, z[7] = {s}, mu = 0.3;
                double mu_r = 0.2 * L, mu_s = 0.1 * L;
                perp_segment seg[2] = {{PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}},
                                       {PERP_ROLLING, dim, 1, {&mu, &mu_r, &mu_s}, {0}}};
                perp_problem p = {.q = q, .seg = seg, .nseg = 2};
                perp_residuals r = {.size = sizeof r};
                for (int i = 1; i < n; i++) {
                    int moment = i >= n - turns;
                    M[i * (n + 1)] = moment ? 2.0 / (L * L) : 0.5 + 0.5 * i;
                    q[i] = moment ? 0x1p-200 / L : s * (1.75 - 0.75 * i);
                    z[i] = moment ? 0x1p-200 * L : s * (0.25 + 0.25 * i);
                }
                ck_assert_int_eq(perp_mat_init_dense(&p.M, n, n, M, n), 0);
                ck_assert_int_eq(perp_residual(&p, z, NULL, NULL, &r), 0);
                scaled[far] = r.scaled;
            }
            ck_assert_double_gt(scaled[0], 1e-3);
            ck_assert_double_le(scaled[0], 10.0);
            ck_assert_double_eq_tol(scaled[1], scaled[0], 1e-12);
        }
}
END_TEST

/* The squares of all blocks together are those of the problem. */
START_TEST(blocks_add_up)
{
    perp_rng rng = {61};
    for (int k = 0; k < 50; k++) {
        stored_problem p;
        stored_view v;
        perp_arena arena;
        perp_blocks blocks;
        perp_scaling scaling;
        perp_residuals r = {.size = sizeof r};
        perp_residual_squares sum = {{0.0}, {0.0}, {0.0}, {0.0}}, one;
        double w[64], scratch[256];
        stored_init(&p, "sum");
        stored_segment(&p, PERP_FREE, 1, 2, 0.0, 0.0);
        stored_segment(&p, PERP_BOX, 1, 3, -0.5, 0.5);
        stored_segment(&p, PERP_COULOMB, 3, 4, 0.6, 0.0);
        stored_segment(&p, PERP_ROLLING, 5, 2, 0.6, 0.3);
        stored_segment(&p, PERP_ROLLING, 6, 2, 0.6, 0.3);
        stored_third(&p, 0.2);
        stored_segment(&p, PERP_SOC, 4, 2, 0.6, 0.0);
        stored_allocate(&p);
        for (int i = 0; i < p.n * p.n; i++)
            p.M[i] = perp_rng_signed(&rng) + (i % (p.n + 1) == 0 ? 4.0 : 0.0);
        for (int i = 0; i < p.n; i++) {
            p.q[i] = (k % 3 == 0 ? 1e3 : 1.0) * perp_rng_signed(&rng);
            p.z[i] = (k % 3 == 1 ? 1e3 : 1.0) * perp_rng_signed(&rng);
        }
        ck_assert_int_le(p.n, 64);
        ck_assert(stored_view_make(&v, &p, STORED_DENSE));
        ck_assert_int_le((int)perp_mat_scratch(&v.problem.M), 256);
        perp_arena_init(&arena, NULL);
        ck_assert_int_eq(perp_blocks_build(&blocks, &v.problem, &arena), 0);
        ck_assert_int_eq(perp_scaling_build(&scaling, &v.problem, &blocks, &arena), 0);
        ck_assert_int_eq(
            perp_residual_compute(&v.problem, &blocks, &scaling, p.z, w, scratch, &r), 0);
        double z2 = 0.0;
        for (int b = 0; b < blocks.count; b++) {
            perp_residual_of_block(&one, &v.problem, &blocks, &scaling, b, p.z, w);
            perp_residual_add(&sum, &one);
        }
        for (int i = 0; i < p.n; i++)
            z2 += p.z[i] * p.z[i];
        ck_assert_double_eq_tol(sum.z[0] / z2, 1.0, 1e-13);
        for (int m = 0; m < 2; m++) {
            double base = perp_residual_base(&sum, m);
            ck_assert(base == fmax(sum.z[m], fmax(sum.w[m], sum.q[m])));
            double all = sqrt(sum.map[m] / base);
            ck_assert_double_eq_tol(all, m ? r.scaled : r.natural, 1e-13);
        }
        perp_arena_free(&arena);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

/* So many blocks that they are added in parts: beside plain sums, and the same bits for any threads. */
START_TEST(many_blocks)
{
    enum { MANY = 9001 };
    static double x[MANY], q[MANY], z[MANY], w[MANY], lo[MANY], hi[MANY], same[MANY];
    static int ptr[MANY + 1], row[MANY];
    perp_rng rng = {62};
    for (int mixed = 0; mixed < 2; mixed++) {
        perp_segment seg[2] = {{PERP_BOX, 1, MANY - mixed, {lo, hi}, {1, 1}},
                               {PERP_FREE, 1, mixed, {NULL, NULL}, {0, 0}}};
        perp_problem p = {.q = q, .seg = seg, .nseg = 1 + mixed};
        perp_residuals r = {.size = sizeof r}, other = {.size = sizeof other};
        perp_arena arena;
        perp_blocks blocks;
        perp_scaling scaling;
        double map = 0.0, z2 = 0.0, w2 = 0.0, q2 = 0.0, primal = 0.0, gap = 0.0;
        for (int i = 0; i < MANY; i++) {
            x[i] = 1.0;
            ptr[i] = row[i] = i;
            q[i] = perp_rng_signed(&rng);
            z[i] = perp_rng_signed(&rng);
            lo[i] = -0.5;
            hi[i] = 0.25;
        }
        ptr[MANY] = MANY;
        ck_assert_int_eq(perp_mat_init_csc(&p.M, MANY, MANY, ptr, row, x), 0);
        ck_assert_int_eq(perp_residual(&p, z, NULL, w, &r), 0);
        for (int i = 0; i < MANY; i++) {
            int is_free = mixed && i == MANY - 1;
            double y = z[i] + q[i], t = z[i] - y, at = is_free ? t : fmin(fmax(t, lo[i]), hi[i]);
            double out = is_free ? 0.0 : z[i] - fmin(fmax(z[i], lo[i]), hi[i]);
            double from = is_free ? 0.0 : y > 0.0 ? lo[i] : hi[i];
            ck_assert_double_eq(w[i], y);
            map += (z[i] - at) * (z[i] - at);
            primal += out * out;
            gap += fabs((z[i] - from) * y);
            z2 += z[i] * z[i];
            w2 += y * y;
            q2 += q[i] * q[i];
        }
        ck_assert_double_eq_tol(r.natural / sqrt(map / fmax(q2, fmax(z2, w2))), 1.0, 1e-12);
        ck_assert_double_eq_tol(r.scaled / r.natural, 1.0, 1e-12);
        ck_assert_double_eq_tol(r.primal / sqrt(primal / z2), 1.0, 1e-12);
        ck_assert_double_eq_tol(r.gap / (gap / sqrt(z2 * fmax(q2, w2))), 1.0, 1e-12);
        perp_arena_init(&arena, NULL);
        ck_assert_int_eq(perp_blocks_build(&blocks, &p, &arena), 0);
        ck_assert_int_eq(perp_scaling_build(&scaling, &p, &blocks, &arena), 0);
        for (int threads = 1; threads <= 4; threads++) {
            ck_assert_int_eq(perp_residual_compute_on(threads, NULL, &p, &blocks, &scaling, z,
                                                      same, scaling.low, &other),
                             0);
            ck_assert_int_eq(memcmp(&r, &other, sizeof r), 0);
        }
        perp_arena_free(&arena);
    }
}
END_TEST

/* Each allocation of a residual that needs some; w stays what it was until the end. */
START_TEST(no_memory)
{
    enum { MANY = 1200 };
    static double x[MANY], q[MANY], z[MANY], w[MANY];
    static int ptr[MANY + 1], row[MANY];
    perp_segment seg = {PERP_FREE, 1, MANY, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_status status = PERP_ERR_MEMORY;
    int most = 0;
    for (int i = 0; i < MANY; i++) {
        x[i] = i % 2 ? 1.0 : 1e-30; /* some rows take the unit of others */
        ptr[i] = row[i] = i;
        z[i] = 1.0;
        w[i] = 77.0;
    }
    ptr[MANY] = MANY;
    ck_assert_int_eq(perp_mat_init_csc(&p.M, MANY, MANY, ptr, row, x), 0);
    for (; status != PERP_SOLVED; most++) {
        perp_residuals r = {.size = sizeof r};
        counter memory = {.fail_at = most + 1};
        const perp_allocator few = counter_allocator(&memory);
        status = perp_residual(&p, z, &few, w, &r);
        ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
        ck_assert_int_eq(memory.live, 0);
        ck_assert_int_eq(w[1] == 77.0, status != PERP_SOLVED);
    }
    ck_assert_int_gt(most, 3);
    perp_problem none = {.seg = &seg, .nseg = 0};
    perp_residuals r = {.size = sizeof r};
    ck_assert_int_eq(perp_mat_init_dense(&none.M, 0, 0, x, 1), 0);
    ck_assert_int_eq(perp_residual(&none, NULL, NULL, NULL, &r), 0);
    ck_assert_double_eq(r.natural, 0.0);
}
END_TEST

/* Shapes that no checked problem has. */
START_TEST(blocks_of_bad_shapes)
{
    perp_arena arena;
    perp_blocks blocks;
    const double par[2] = {0.5, 0.5};
    const perp_segment bad[] = {
        {(perp_set)PERP_SET_COUNT, 1, 1, {par, par}, {0, 0}}, {(perp_set)-1, 1, 1, {par, par}, {0, 0}},
        {PERP_NONNEG, 1, -1, {par, par}, {0, 0}},             {PERP_COULOMB, 4, 1, {par, par}, {0, 0}},
        {PERP_COULOMB, 3, 0x7fffffff, {par, par}, {0, 0}}};
    perp_arena_init(&arena, NULL);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        perp_problem p = {.seg = &bad[k], .nseg = 1};
        ck_assert_int_eq(perp_blocks_build(&blocks, &p, &arena), PERP_ERR_STRUCTURE);
    }
    perp_segment seg = {PERP_COULOMB, 3, 2, {par, par}, {0, 0}};
    perp_problem p = {.seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_blocks_build(&blocks, &p, &arena), 0);
    seg.set = PERP_SOC;
    ck_assert_int_eq(perp_blocks_update(&blocks, &p), PERP_ERR_ARGUMENT);
    seg = (perp_segment){PERP_COULOMB, 2, 3, {par, par}, {0, 0}};
    ck_assert_int_eq(perp_blocks_update(&blocks, &p), PERP_ERR_ARGUMENT);
    /* No shape at all; as many blocks in other rows; as many of both in another order. */
    seg = (perp_segment){PERP_COULOMB, 4, 2, {par, par}, {0, 0}};
    ck_assert_int_eq(perp_blocks_update(&blocks, &p), PERP_ERR_ARGUMENT);
    seg = (perp_segment){PERP_COULOMB, 2, 2, {par, par}, {0, 0}};
    ck_assert_int_eq(perp_blocks_update(&blocks, &p), PERP_ERR_ARGUMENT);
    perp_segment two[2] = {{PERP_COULOMB, 3, 1, {par, par}, {0, 0}},
                           {PERP_COULOMB, 2, 1, {par, par}, {0, 0}}};
    p = (perp_problem){.seg = two, .nseg = 2};
    ck_assert_int_eq(perp_blocks_build(&blocks, &p, &arena), 0);
    two[0].dim = 2;
    two[1].dim = 3;
    ck_assert_int_eq(perp_blocks_update(&blocks, &p), PERP_ERR_ARGUMENT);
    two[0].dim = 3;
    two[1].dim = 2;
    two[1].par[0] = &(double){0.75};
    ck_assert_int_eq(perp_blocks_update(&blocks, &p), PERP_SOLVED);
    ck_assert_double_eq(blocks.at[1].par[0], 0.75);
    perp_arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("residual-exact");
    TCase *tcase = tcase_create("residual-exact");
    tcase_add_test(tcase, tiny_at_an_edge);
    tcase_add_test(tcase, absolute_values_out_of_range);
    tcase_add_test(tcase, scaled_values_out_of_range);
    tcase_add_test(tcase, operators_out_of_range);
    tcase_add_test(tcase, units_of_moments);
    tcase_add_test(tcase, blocks_add_up);
    tcase_add_test(tcase, many_blocks);
    tcase_add_test(tcase, blocks_of_bad_shapes);
    tcase_add_test(tcase, no_memory);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
