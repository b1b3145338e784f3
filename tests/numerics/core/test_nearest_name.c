/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_name_nearest(): misspelt names. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perp/base.h>

static const char *at(void *ctx, int k)
{
    return ((const char *const *)ctx)[k];
}

static const char *const names[] = {"auto", "gs", "nsn", "ipm", "lemke", "dantzig", "enumerative",
                                    NULL};

static const char *nearest(const char *word)
{
    return perp_name_nearest(word, at, (void *)names);
}

START_TEST(test_misspelt)
{
    ck_assert_str_eq(nearest("gss"), "gs");
    ck_assert_str_eq(nearest("nns"), "nsn");
    ck_assert_str_eq(nearest("lemek"), "lemke");
    ck_assert_str_eq(nearest("lemke2"), "lemke");
    ck_assert_str_eq(nearest("danzig"), "dantzig");
    ck_assert_str_eq(nearest("gs"), "gs");
    ck_assert_str_eq(nearest("enum"), "enumerative"); /* its beginning */
}
END_TEST

START_TEST(test_far)
{
    char longer[100];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ck_assert_ptr_null(nearest("frobnicate"));
    ck_assert_ptr_null(nearest("x"));
    ck_assert_ptr_null(nearest(""));
    ck_assert_ptr_null(nearest(NULL));
    ck_assert_ptr_null(nearest(longer));
    ck_assert_ptr_null(perp_name_nearest("gs", NULL, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nearest");
    TCase *tc = tcase_create("nearest");
    tcase_add_test(tc, test_misspelt);
    tcase_add_test(tc, test_far);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
