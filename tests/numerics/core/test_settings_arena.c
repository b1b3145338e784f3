/* SPDX-License-Identifier: BSD-3-Clause */
/* Status texts, settings, arena, random numbers, and the stopping rule. */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/rng.h"
#include "handle/solver_type.h"

START_TEST(status_texts)
{
    ck_assert_str_eq(perp_status_name(PERP_SOLVED), "PERP_SOLVED");
    ck_assert_str_eq(perp_status_name(PERP_ERR_FORMAT), "PERP_ERR_FORMAT");
    for (int k = -10; k <= 6; k++) {
        ck_assert_str_ne(perp_status_name((perp_status)k), "PERP_UNKNOWN");
        ck_assert(strlen(perp_status_text((perp_status)k)) > 10);
    }
    ck_assert_str_eq(perp_status_name((perp_status)-99), "PERP_UNKNOWN");
    for (int k = 100; k <= 104; k++)
        ck_assert(strlen(perp_status_text((perp_status)k)) > 10);
    ck_assert_int_eq(PERP_ERR_OPEN, -100);
    ck_assert_int_eq(PERP_ERR_FORMAT, -101);
    ck_assert_str_eq(perp_version(), "0.1.0");
    ck_assert_int_eq(perp_version_num(), PERP_VERSION_NUM);
    ck_assert_int_eq(PERP_VERSION_NUM, 100);
}
END_TEST

START_TEST(settings_defaults_and_text)
{
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    ck_assert_double_eq(s.tol, 1e-8);
    ck_assert_int_eq(perp_settings_set(&s, "tol", "1e-4"), PERP_SOLVED);
    ck_assert_double_eq_tol(s.tol, 1e-4, 1e-20);
    ck_assert_int_eq(perp_settings_set(&s, "sweep", "symmetric"), PERP_SOLVED);
    ck_assert_int_eq(s.sweep, PERP_SWEEP_SYMMETRIC);
    ck_assert_int_eq(perp_settings_set(&s, "max_iter", "123"), PERP_SOLVED);
    ck_assert_int_eq(s.max_iter, 123);
    const char *bad[][2] = {{"tol", "x"},        {"tol", ""},           {"tol", "1e"},
                            {"tol", "-1"},       {"tol", "2"},          {"tol", "1e-4 "},
                            {"tol", "1,5"},      {"sweep", "sideways"}, {"sweep", "for"},
                            {"max_iter", "1.5"}, {"max_iter", "-3"},    {"max_iter", "1e30"},
                            {"no_such", "1"},    {"relaxation", "2"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        ck_assert_int_eq(perp_settings_set(&s, bad[k][0], bad[k][1]), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_settings_check(&s, NULL), PERP_SOLVED);
    perp_where where;
    s.relaxation = NAN;
    ck_assert_int_eq(perp_settings_check(&s, &where), PERP_ERR_SETTING);
    ck_assert_str_eq(where.what, "relaxation");
}
END_TEST

/* Settings of a program that was compiled with another perp_settings: shorter ones take defaults,
 * of longer ones the unknown tail must be zero. */
START_TEST(settings_of_another_size)
{
    double z[1] = {0.0}, w[1], M[1] = {2.0}, q[1] = {-2.0};
    perp_segment one = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &one, .nseg = 1};
    perp_mat_init_dense(&problem.M, 1, 1, M, 1);
    const size_t sizes[] = {offsetof(perp_settings, max_iter), sizeof(perp_settings) - 8,
                            sizeof(perp_settings), sizeof(perp_settings) + 64};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        size_t size = sizes[k];
        perp_where where;
        perp_info info = {.size = sizeof info};
        unsigned char *bytes = malloc(size + 8);
        perp_settings *s = (perp_settings *)bytes;
        ck_assert_ptr_nonnull(s);
        memset(bytes, 0xa5, size + 8);
        perp_settings_init(s, size);
        for (int j = 0; j < 8; j++)
            ck_assert_int_eq(bytes[size + (size_t)j], 0xa5);
        ck_assert_uint_eq(s->size, size);
        ck_assert_int_eq(perp_settings_set(s, "tol", "1e-9"), PERP_SOLVED);
        ck_assert_int_eq(perp_settings_set(s, "max_iter", "7"),
                         k == 0 ? PERP_ERR_SETTING : PERP_SOLVED);
        ck_assert_int_eq(perp_settings_check(s, &where), PERP_SOLVED);
        ck_assert_ptr_null(where.what);
        ck_assert_int_eq(perp_solve("gs", &problem, s, z, w, &info), PERP_SOLVED);
        ck_assert_double_eq_tol(z[0], 1.0, 1e-9);
        if (size > sizeof *s) {
            bytes[size - 1] = 1;
            ck_assert_int_eq(perp_settings_check(s, &where), PERP_ERR_SETTING);
            ck_assert_str_eq(where.what, "size");
        }
        free(s);
    }
    perp_settings_init(NULL, sizeof(perp_settings));
}
END_TEST

/* A size that no release has: a struct that was not initialised. */
START_TEST(settings_without_a_size)
{
    const size_t sizes[] = {0, 7, 65537, (size_t)-1};
    double z[1], w[1];
    perp_problem nothing;
    perp_solver *solver;
    memset(&nothing, 0, sizeof nothing);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        perp_settings s;
        perp_where where;
        perp_info info = {.size = sizeof info};
        perp_settings_init(&s, sizeof s);
        s.size = sizes[k];
        ck_assert_int_eq(perp_settings_set(&s, "step", "1"), PERP_ERR_SETTING);
        ck_assert_int_eq(perp_settings_check(&s, &where), PERP_ERR_SETTING);
        ck_assert_str_eq(where.what, "size");
        ck_assert_int_eq(perp_solver_create(&solver, perp_solver_at(0), &s, NULL, &where),
                         PERP_ERR_SETTING);
        ck_assert_str_eq(where.what, "size");
        ck_assert_ptr_null(solver);
        ck_assert_int_eq(perp_solve("gs", &nothing, &s, z, w, &info), PERP_ERR_SETTING);
        ck_assert_str_eq(info.where.what, "size");
        ck_assert(info.detail[0] != 0);
        perp_settings_init(&s, sizes[k]);
    }
}
END_TEST

START_TEST(settings_ignore_the_locale)
{
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    setlocale(LC_ALL, "de_DE.UTF-8");
    ck_assert_int_eq(perp_settings_set(&s, "time_limit", "2.5"), PERP_SOLVED);
    setlocale(LC_ALL, "C");
    ck_assert_double_eq(s.time_limit, 2.5);
}
END_TEST

START_TEST(settings_table_is_complete)
{
    int count = 0;
    for (const perp_setting_info *i; (i = perp_setting_at(count)); count++) {
        ck_assert(i->name[0] && i->text[0]);
        perp_settings s;
        perp_settings_init(&s, sizeof s);
        ck_assert_int_eq(perp_settings_check(&s, NULL), PERP_SOLVED);
    }
    ck_assert_int_ge(count, 10);
    ck_assert_ptr_null(perp_setting_at(-1));
}
END_TEST

static void take_like_a_setup(perp_arena *arena, size_t n)
{
    perp_arena_reset(arena);
    for (int k = 0; k < 4; k++) {
        ck_assert_ptr_nonnull(perp_arena_take(arena, n, 8));
        ck_assert_ptr_nonnull(perp_arena_take(arena, n * n, 8));
    }
}

/* Sizes that grow one by one hold little more than the largest; what follows it, in any
 * order, adds nothing. */
START_TEST(arena_holds_the_largest_setup)
{
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    const size_t most = 300, taken = 4 * 8 * (most * most + most);
    for (size_t n = 1; n <= most; n++)
        take_like_a_setup(&arena, n);
    ck_assert_uint_lt(arena.bytes, 5 * taken);
    size_t held = arena.bytes;
    uint64_t seed = 1;
    for (int k = 0; k < 1000; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        take_like_a_setup(&arena, (size_t)(seed >> 33) % (most + 1));
        ck_assert_uint_eq(arena.bytes, held);
    }
    perp_arena_free(&arena);
}
END_TEST

START_TEST(arena_pieces_are_aligned_and_apart)
{
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    unsigned char *piece[50];
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 50; k++) {
            size_t size = (size_t)(k * k * 37 + 1);
            piece[k] = perp_arena_take(&arena, size, 1);
            ck_assert_ptr_nonnull(piece[k]);
            ck_assert_uint_eq((uintptr_t)piece[k] % 64, 0);
            memset(piece[k], k, size);
        }
        for (int k = 0; k < 50; k++) {
            ck_assert_uint_eq(piece[k][0], (unsigned)k);
            ck_assert_uint_eq(piece[k][k * k * 37], (unsigned)k);
        }
        size_t held = arena.bytes;
        perp_arena_reset(&arena);
        ck_assert_uint_eq(arena.bytes, held);
    }
    ck_assert_ptr_null(perp_arena_take(&arena, SIZE_MAX / 4, 8));
    ck_assert_int_eq(arena.failed, 1);
    perp_arena_free(&arena);
}
END_TEST

START_TEST(random_numbers_are_uniform)
{
    perp_rng rng = {42};
    double sum = 0, square = 0;
    for (int k = 0; k < 100000; k++) {
        double u = perp_rng_uniform(&rng);
        ck_assert(u >= 0 && u < 1);
        sum += u;
        square += u * u;
    }
    ck_assert_double_eq_tol(sum / 1e5, 0.5, 5e-3);
    ck_assert_double_eq_tol(square / 1e5, 1.0 / 3, 5e-3);
}
END_TEST

START_TEST(solvers_are_found_by_name)
{
    for (int k = 0; perp_solver_at(k); k++) {
        const perp_solver_type *type = perp_solver_at(k);
        ck_assert_ptr_eq(perp_solver_find(perp_solver_name(type)), type);
        ck_assert(strlen(perp_solver_summary(type)) > 10);
        ck_assert_ptr_nonnull(perp_solver_reads(type));
    }
    ck_assert_ptr_null(perp_solver_find("no-such"));
    ck_assert_ptr_null(perp_solver_find(NULL));
    ck_assert_ptr_null(perp_solver_at(-1));
    double z = 0, w = 0;
    perp_info info = {.size = sizeof info};
    perp_problem nothing;
    memset(&nothing, 0, sizeof nothing);
    ck_assert_int_eq(perp_solve("no-such", &nothing, NULL, &z, &w, &info), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(info.where.what, "solver");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("core");
    TCase *tcase = tcase_create("core");
    tcase_add_test(tcase, status_texts);
    tcase_add_test(tcase, settings_defaults_and_text);
    tcase_add_test(tcase, settings_of_another_size);
    tcase_add_test(tcase, settings_without_a_size);
    tcase_add_test(tcase, settings_ignore_the_locale);
    tcase_add_test(tcase, settings_table_is_complete);
    tcase_add_test(tcase, arena_pieces_are_aligned_and_apart);
    tcase_add_test(tcase, arena_holds_the_largest_setup);
    tcase_add_test(tcase, random_numbers_are_uniform);
    tcase_add_test(tcase, solvers_are_found_by_name);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
