/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimal numbers: rounded as strtod() rounds them in the C locale, whatever the locale is. */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include <perp/kernel.h>

enum { NUMBERS = 20000 };

/* Any finite double, by its bits. */
static double any(perp_rng *rng)
{
    double x;
    do {
        uint64_t bits = perp_rng_next(rng);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

static void same_as_strtod(const char *text)
{
    char *end;
    double wanted = strtod(text, &end), value = 7.0;
    const char *stop = perp_number_read(text, &value);
    ck_assert_msg(stop == end && memcmp(&value, &wanted, sizeof value) == 0, "%.60s: %a, wanted %a",
                  text, value, wanted);
}

START_TEST(round_correctly)
{
    perp_rng rng = {1};
    char text[64];
    for (int k = 0; k < NUMBERS; k++) {
        snprintf(text, sizeof text, "%.16e", any(&rng)); /* 17 digits */
        same_as_strtod(text);
        snprintf(text, sizeof text, "%.16e", ldexp(perp_rng_uniform(&rng), k % 60 - 30));
        same_as_strtod(text);
        snprintf(text, sizeof text, "%.*e", k % 30, any(&rng));
        same_as_strtod(text);
    }
}
END_TEST

/* Midpoints of two doubles, all digits of them, and their neighbours. */
START_TEST(round_ties_to_even)
{
    perp_rng rng = {2};
    static char text[1200];
    for (int k = 0; k < 400; k++) {
        double x = ldexp(1.0 + perp_rng_uniform(&rng), k - 200);
        long double middle = ((long double)x + (long double)nextafter(x, INFINITY)) / 2;
        snprintf(text, sizeof text, "%.800Le", middle);
        same_as_strtod(text);
        size_t exponent = (size_t)(strchr(text, 'e') - text);
        text[exponent - 1] = '1';
        same_as_strtod(text);
    }
}
END_TEST

START_TEST(edges_are_those_of_strtod)
{
    const char *const texts[] = {
        "0",
        "-0",
        "+1",
        ".5",
        "5.",
        "1e",
        "1e+",
        "1e-5x",
        "0.e5",
        "12,5",
        "1e400",
        "-1e400",
        "1e-400",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "9007199254740993",
        "123456789012345678901234567890",
        "1e99999999999",
        "0e99999999999",
        "1e-99999999999",
        "0.00000000000000000000000000000000000000000001e44",
        "inf",
        "-INFINITY",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        same_as_strtod(texts[k]);
    double value = 7.0;
    ck_assert_ptr_nonnull(perp_number_read("nan", &value));
    ck_assert(isnan(value));
    const char *const none[] = {"", "-", ".", "e5", "x1", " 1"};
    value = 7.0;
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++)
        ck_assert_ptr_null(perp_number_read(none[k], &value));
    ck_assert_ptr_null(perp_number_read(NULL, &value));
    ck_assert_ptr_null(perp_number_read("1", NULL));
    ck_assert_double_eq(value, 7.0);
}
END_TEST

/* Settings and schemes take the same bits. */
START_TEST(tables_read_the_same_numbers)
{
    perp_rng rng = {3};
    char text[64];
    perp_settings settings;
    perp_scheme scheme;
    perp_settings_init(&settings, sizeof settings);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    for (int k = 0; k < NUMBERS; k++) {
        snprintf(text, sizeof text, "%.16e", perp_rng_uniform(&rng));
        double wanted = strtod(text, NULL);
        ck_assert_int_eq(perp_settings_set(&settings, "tol", text), PERP_SOLVED);
        ck_assert_int_eq(perp_scheme_set(&scheme, "theta", text), PERP_SOLVED);
        ck_assert(memcmp(&settings.tol, &wanted, sizeof wanted) == 0);
        ck_assert(memcmp(&scheme.theta, &wanted, sizeof wanted) == 0);
    }
}
END_TEST

START_TEST(locales_change_nothing)
{
    double value;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
        return;
    const char *end = perp_number_read("2.5,", &value);
    setlocale(LC_ALL, "C");
    ck_assert_str_eq(end, ",");
    ck_assert_double_eq(value, 2.5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("numbers");
    TCase *tcase = tcase_create("numbers");
    tcase_add_test(tcase, round_correctly);
    tcase_add_test(tcase, round_ties_to_even);
    tcase_add_test(tcase, edges_are_those_of_strtod);
    tcase_add_test(tcase, tables_read_the_same_numbers);
    tcase_add_test(tcase, locales_change_nothing);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
