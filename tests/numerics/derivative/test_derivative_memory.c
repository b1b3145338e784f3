/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of derivatives: none taken by products; each failing allocation is reported, nothing
 * leaks, and the handle lives on. */
#include <math.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/planted.h"

enum { ALL_SETS = (1 << PERP_SET_COUNT) - 1 };

START_TEST(products_take_no_memory)
{
    static planted p;
    static planted_change change, by;
    perp_rng rng = {(uint64_t)_i + 7};
    double dz[PLANTED_ROWS], dw[PLANTED_ROWS];
    counter memory = {0, 0, 0, 0}, seen;
    perp_allocator allocator = counter_allocator(&memory);
    perp_derivative *d;
    planted_make(&p, ALL_SETS, 7, _i % 2 ? 0.6 : 0.0, 0, &rng);
    planted_direction(&change, &p, &rng);
    perp_tangent along = planted_tangent(&change);
    perp_gradient of = {sizeof of, by.q, by.M, {by.par[0], by.par[1], by.par[2]}, NULL, NULL, NULL};
    ck_assert_int_eq(perp_derivative_create(&d, NULL, &allocator, NULL), PERP_SOLVED);
    ck_assert_int_ge(perp_derivative_factor(d, &p.problem, p.z, NULL), 0);
    for (int k = 0; k < 3; k++) {
        long before = memory.allocations;
        malloc_watch_start(0, 0);
        perp_status forward = perp_derivative_jvp(d, 1, &along, dz, dw, NULL);
        perp_status adjoint = perp_derivative_vjp(d, 1, dz, dw, &of);
        malloc_watch_stop(&seen);
        ck_assert_int_ge(forward, 0);
        ck_assert_int_ge(adjoint, 0);
        ck_assert_int_eq(memory.allocations, before);
        ck_assert_int_eq(seen.allocations, 0);
    }
    perp_derivative_destroy(d);
    ck_assert_int_eq(memory.live, 0);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    static planted p;
    perp_rng rng = {(uint64_t)_i + 70};
    planted_make(&p, ALL_SETS, 7, _i % 2 ? 0.6 : 0.0, 0, &rng);
    double dq[PLANTED_ROWS], wanted[PLANTED_ROWS], dz[PLANTED_ROWS];
    for (int i = 0; i < p.n; i++)
        dq[i] = perp_rng_signed(&rng);
    perp_tangent along = {.size = sizeof along, .q = dq};
    int done = 0;
    for (long k = 1; !done && k < 400; k++) {
        counter memory = {0, 0, k, 1};
        perp_allocator allocator = _i < 6 ? counter_allocator(&memory) : block_allocator(&memory);
        perp_derivative *d;
        perp_status status = perp_derivative_create(&d, NULL, &allocator, NULL);
        if (status == PERP_SOLVED)
            status = perp_derivative_factor(d, &p.problem, p.z, NULL);
        if (status >= 0) {
            done = 1;
            perp_derivative_jvp(d, 1, &along, wanted, NULL, NULL);
        } else {
            ck_assert_int_eq(status, PERP_ERR_MEMORY);
        }
        if (d && status < 0) { /* works again */
            ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, NULL, NULL), PERP_ERR_STATE);
            ck_assert_int_ge(perp_derivative_factor(d, &p.problem, p.z, NULL), 0);
            ck_assert_int_ge(perp_derivative_jvp(d, 1, &along, dz, NULL, NULL), 0);
        }
        perp_derivative_destroy(d);
        ck_assert_int_eq(memory.live, 0);
    }
    ck_assert_int_eq(done, 1);
}
END_TEST

/* malloc too, for the libraries below. */
START_TEST(every_malloc_may_fail)
{
    static planted p;
    perp_rng rng = {(uint64_t)_i + 700};
    planted_make(&p, ALL_SETS, 7, 0.3, 0, &rng);
    int done = !malloc_is_seen();
    for (long k = 1; !done && k < 1000; k++) {
        counter seen;
        perp_derivative *d = NULL;
        malloc_watch_start(k, 1);
        perp_status status = perp_derivative_create(&d, NULL, NULL, NULL);
        if (status == PERP_SOLVED)
            status = perp_derivative_factor(d, &p.problem, p.z, NULL);
        perp_derivative_destroy(d);
        malloc_watch_stop(&seen);
        ck_assert(status >= 0 || status == PERP_ERR_MEMORY);
        ck_assert_int_eq(seen.live, 0);
        done = seen.allocations < k;
    }
    ck_assert_int_eq(done, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivative_memory");
    TCase *tc = tcase_create("derivative_memory");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, products_take_no_memory, 0, 20);
    tcase_add_loop_test(tc, every_allocation_may_fail, 0, 12);
    tcase_add_loop_test(tc, every_malloc_may_fail, 0, 2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
