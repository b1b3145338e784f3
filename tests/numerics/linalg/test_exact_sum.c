/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums with a bound of their rounding: exact where two doubles hold them, and never short of the truth. */
#include <check.h>
#include <float.h>
#include <math.h>

#include "core/rng.h"
#include "linalg/exact_sum.h"

static perp_interval of(const double *x, int n)
{
    perp_exact_sum sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; i++)
        perp_exact_add(&sum, x[i]);
    return perp_exact_interval(&sum);
}

/* A sum between two doubles lies between them and no further; one that is a double is that. */
START_TEST(intervals_are_the_narrowest)
{
    perp_interval in = of((double[]){1.0, 0x1p-60}, 2);
    ck_assert_double_eq(in.below, 1.0);
    ck_assert_double_eq(in.above, 1.0 + DBL_EPSILON);
    in = of((double[]){1.0, -0x1p-60}, 2);
    ck_assert_double_eq(in.below, 1.0 - 0.5 * DBL_EPSILON);
    ck_assert_double_eq(in.above, 1.0);
    in = of((double[]){1.0, 0x1p-60, 3.0, -0x1p-60}, 4);
    ck_assert_double_eq(in.below, 4.0);
    ck_assert_double_eq(in.above, 4.0);
    in = of((double[]){1.0, 0x1p-60, -1.0}, 3);
    ck_assert_double_eq(in.below, 0x1p-60);
    ck_assert_double_eq(in.above, 0x1p-60);
}
END_TEST

/* What neither double holds is in the bound, and stays there. */
START_TEST(what_is_lost_is_counted)
{
    perp_exact_sum sum = {0.0, 0.0, 0.0};
    perp_exact_add(&sum, 1.0);
    perp_exact_add(&sum, 0x1p-60);
    perp_exact_add(&sum, 0x1p-120);
    ck_assert_double_eq(sum.bound, 0x1p-120);
    perp_exact_add(&sum, -0x1.8p-120);
    ck_assert_double_eq(sum.bound, 0x1.4p-119);
    perp_exact_add_product(&sum, 0x1p-500, 0x1p-500);
    ck_assert_double_ge(sum.bound, 0x1.4p-119);
    perp_interval in = perp_exact_interval(&sum);
    ck_assert_double_le(in.below, 1.0);
    ck_assert_double_ge(in.below, 1.0 - DBL_EPSILON);
    ck_assert_double_gt(in.above, 1.0);
    ck_assert_double_le(in.above, 1.0 + 2.0 * DBL_EPSILON);
}
END_TEST

/* The rest of a small product may be lost: 2^-1074 for each, and for no other. */
START_TEST(products_that_underflow)
{
    perp_exact_sum sum = {0.0, 0.0, 0.0};
    const double x = 1.0 + DBL_EPSILON;
    perp_exact_add_product(&sum, 0x1p-484, 0x1p-484);
    perp_exact_add_product(&sum, x * 0x1p-484, x * 0x1p-484);
    ck_assert_double_eq(sum.bound, 0.0);
    perp_exact_add_product(&sum, x * 0x1p-537, x * 0x1p-537);
    ck_assert_double_eq(sum.bound, 0x1p-1074);
    perp_exact_add_product(&sum, 0.0, x * 0x1p-537);
    ck_assert_double_eq(sum.bound, 0x1p-1074);
    perp_exact_add_product(&sum, x * 0x1p-537, -x * 0x1p-537);
    ck_assert_double_eq(sum.bound, 0x1p-1073);
}
END_TEST

/* Upwards and downwards by one double where the result is not exact, and not where it is. */
START_TEST(rounded_away)
{
    ck_assert_double_eq(perp_sum_up(1.0, 2.0), 3.0);
    ck_assert_double_eq(perp_sum_up(1.0, 0x1p-80), 1.0 + DBL_EPSILON);
    ck_assert_double_eq(perp_sum_up(1.0, -0x1p-80), 1.0);
    ck_assert_double_eq(perp_product_up(0.0, INFINITY), 0.0);
    ck_assert_double_eq(perp_product_down(3.0, 0.0), 0.0);
    const long double exact = 3.0L * 0.1;
    ck_assert((long double)perp_product_up(3.0, 0.1) > exact);
    ck_assert((long double)perp_product_down(3.0, 0.1) < exact);
}
END_TEST

/* Whole numbers of up to 2^100: beside integers of 128 bits. */
START_TEST(beside_integers)
{
    perp_rng rng = {91};
    for (int k = 0; k < 3000; k++) {
        perp_exact_sum sum = {0.0, 0.0, 0.0};
        long long high = 0, low = 0; /* times 2^60, and what is left, below it */
        for (int i = 0; i < 40; i++) {
            int a = perp_rng_below(&rng, 2000001) - 1000000, up = perp_rng_below(&rng, 3) == 0;
            int b = perp_rng_below(&rng, 2000001) - 1000000;
            if (i % 4 == 3) { /* takes back most of what is there */
                perp_exact_add(&sum, -(double)high * 0x1p60);
                high = 0;
            }
            perp_exact_add_product(&sum, up ? ldexp(a, 60) : a, b);
            high += up ? (long long)a * b : 0;
            low += up ? 0 : (long long)a * b;
        }
        perp_exact_add(&sum, -(double)high * 0x1p60);
        perp_interval in = perp_exact_interval(&sum);
        ck_assert_double_le(in.below, (double)low);
        ck_assert_double_ge(in.above, (double)low);
        ck_assert_double_le(in.above - in.below, 1.0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exact-sum");
    TCase *tcase = tcase_create("exact-sum");
    tcase_add_test(tcase, intervals_are_the_narrowest);
    tcase_add_test(tcase, what_is_lost_is_counted);
    tcase_add_test(tcase, products_that_underflow);
    tcase_add_test(tcase, rounded_away);
    tcase_add_test(tcase, beside_integers);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
