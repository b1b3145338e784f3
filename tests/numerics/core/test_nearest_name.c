/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest of some names, for messages about unknown ones. */
#include <check.h>
#include <string.h>

#include <perp/base.h>

static const char *const names[] = {"max_iter", "tol", NULL, "time_limit", "sweep", "lemke"};

static const char *nearest(const char *word)
{
    return perp_nearest_name(word, names, 6);
}

START_TEST(one_slip_is_found)
{
    ck_assert_str_eq(nearest("max_itr"), "max_iter");  /* left out */
    ck_assert_str_eq(nearest("swweep"), "sweep");      /* added */
    ck_assert_str_eq(nearest("tel"), "tol");           /* changed */
    ck_assert_str_eq(nearest("lekme"), "lemke");       /* exchanged */
    ck_assert_str_eq(nearest("Max-Iter"), "max_iter"); /* case, dash */
    ck_assert_str_eq(nearest("timelimit"), "time_limit");
    ck_assert_str_eq(nearest("tol"), "tol");
}
END_TEST

START_TEST(another_word_is_not_near)
{
    char word[200];

    ck_assert_ptr_null(nearest("colour"));
    ck_assert_ptr_null(nearest("x"));
    ck_assert_ptr_null(nearest(""));
    ck_assert_ptr_null(nearest(NULL));
    ck_assert_ptr_null(perp_nearest_name("tol", NULL, 3));
    ck_assert_ptr_null(perp_nearest_name("tol", names, 0));
    memset(word, 't', sizeof word);
    word[sizeof word - 1] = '\0';
    ck_assert_ptr_null(nearest(word));
}
END_TEST

START_TEST(a_list_in_one_string)
{
    static const char list[] = "forward|symmetric, hybrid  random";
    size_t length = 99;

    ck_assert_ptr_eq(perp_nearest_in_list("foward", list, &length), list);
    ck_assert_uint_eq(length, 7);
    ck_assert_ptr_eq(perp_nearest_in_list("symetric", list, &length), list + 8);
    ck_assert_uint_eq(length, 9);
    ck_assert_ptr_eq(perp_nearest_in_list("radnom", list, NULL), strstr(list, "random"));
    ck_assert_ptr_null(perp_nearest_in_list("sideways", list, &length));
    ck_assert_uint_eq(length, 0);
    ck_assert_ptr_null(perp_nearest_in_list("a", NULL, &length));
    ck_assert_ptr_null(perp_nearest_in_list(NULL, list, &length));
    ck_assert_ptr_null(perp_nearest_in_list("a", "", &length));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nearest name");
    TCase *tcase = tcase_create("nearest name");
    tcase_add_test(tcase, one_slip_is_found);
    tcase_add_test(tcase, another_word_is_not_near);
    tcase_add_test(tcase, a_list_in_one_string);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
