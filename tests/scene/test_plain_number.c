/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text: the bytes of printf, whatever the number. */
#include <config.h>

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "scene/plain_number.h"

static uint64_t state = 7;

static uint64_t next(void) /* splitmix64 */
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void assert_same(double x)
{
    static const int digits[] = {17, 15, 9, 1};
    char text[64];

    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text, "%.*g", digits[k], x);
        ck_assert_str_eq(perp_scene_number_text(x, digits[k]).text, text);
    }
}

START_TEST(any_bits)
{
    for (int k = 0; k < 100000; k++) {
        uint64_t bits = next();
        double x;
        memcpy(&x, &bits, sizeof x);
        assert_same(x);
    }
}
END_TEST

/* Sizes that are met in scenes. */
START_TEST(usual_sizes)
{
    for (int k = 0; k < 250000; k++) {
        double mantissa = 1.0 + (double)(next() >> 12) * 0x1p-52;
        int exponent = (int)(next() % 190) - 130;
        assert_same(next() & 1 ? ldexp(mantissa, exponent) : -ldexp(mantissa, exponent));
    }
}
END_TEST

/* Few bits: ties of the last digit, and numbers that end early. */
START_TEST(few_bits)
{
    for (int bits = 1; bits <= 24; bits++)
        for (int exponent = -80; exponent <= 56; exponent++)
            for (int k = 0; k < 20; k++)
                assert_same(ldexp((double)(next() >> (64 - bits)), exponent));
}
END_TEST

START_TEST(borders)
{
    const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, DBL_MAX, DBL_MIN, 0x1p-1074};

    for (size_t k = 0; k < sizeof special / sizeof special[0]; k++)
        assert_same(special[k]);
    for (int k = -45; k <= 25; k++) {
        double x = pow(10.0, k);
        assert_same(x);
        for (int i = 0; i < 20; i++) {
            x = nextafter(x, 0.0);
            assert_same(x);
        }
        x = pow(10.0, k);
        for (int i = 0; i < 20; i++) {
            x = nextafter(x, INFINITY);
            assert_same(x);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plain numbers");
    TCase *tests = tcase_create("text");

    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, any_bits);
    tcase_add_test(tests, usual_sizes);
    tcase_add_test(tests, few_bits);
    tcase_add_test(tests, borders);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
