/* SPDX-License-Identifier: BSD-3-Clause */
/* New numbers in a mass: the same answers as a new one, no memory for rigid
 * bodies, nothing changed by what is refused. */
#include <check.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "tests/fixtures/dense_reference.h"
#include "linalg/mass.h"
#include "tests/fixtures/random_mass.h"

enum { N = 60 };

/* Both give the same bits for b, and have the same form. */
static void expect_same(const perp_mass *got, const perp_mass *wanted, const double *b)
{
    double x[N], y[N], scratch[N];
    ck_assert_int_eq(got->symmetric, wanted->symmetric);
    ck_assert_int_eq(got->roots != NULL, wanted->roots != NULL);
    ck_assert_int_eq(got->nblocks, wanted->nblocks);
    ck_assert_int_eq(got->nsparse, wanted->nsparse);
    perp_mass_solve(got, b, scratch, x);
    perp_mass_solve(wanted, b, scratch, y);
    ck_assert_mem_eq(x, y, sizeof(double) * (size_t)perp_mass_size(got));
}

/* Other numbers in the same components. */
static double *renumber(const double *M, int n, double factor)
{
    double *out = ref_zero(n, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            out[i + j * n] = (i == j ? 1.5 : factor) * M[i + j * n];
    return out;
}

START_TEST(answers_are_those_of_a_new_mass)
{
    perp_rng rng = {21};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    for (int trial = 0; trial < 120; trial++) {
        mass_shape shape = (mass_shape)(trial % SHAPES);
        int n = 2 * (1 + perp_rng_below(&rng, N / 2)), component[64];
        double *M = random_mass(&rng, n, shape, trial / 4 % 2, component);
        double *changed = renumber(M, n, 0.25 + 0.75 * perp_rng_uniform(&rng));
        double *b = ref_random(&rng, n, 1);
        ref_memory memory = {.fail_at = INT_MAX};
        perp_allocator allocator = ref_allocator(&memory);
        perp_mat A = view_as(M, n, (perp_mat_kind)(trial / 8 % 3), &arena);
        perp_mat B = view_as(changed, n, (perp_mat_kind)(trial / 24 % 3), &arena);
        perp_mass *mass = NULL, *fresh = NULL;
        ck_assert_int_eq(perp_mass_create(&mass, &A, &allocator, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_mass_create(&fresh, &B, NULL, NULL), PERP_SOLVED);
        int before = memory.count;
        for (int round = 0; round < 3; round++) {
            ck_assert_int_eq(perp_mass_update(mass, round == 1 ? &A : &B, NULL), PERP_SOLVED);
            ck_assert(mass->nsparse > 0 || memory.count == before);
        }
        expect_same(mass, fresh, b);
        perp_mass_destroy(mass);
        perp_mass_destroy(fresh);
        ck_assert_int_eq(memory.live, 0);
        free(M);
        free(changed);
        free(b);
        perp_arena_reset(&arena);
    }
    perp_arena_free(&arena);
}
END_TEST

START_TEST(a_singular_matrix_changes_nothing)
{
    perp_rng rng = {22};
    for (int trial = 0; trial < 40; trial++) {
        int component[64], victim = perp_rng_below(&rng, N), first = 0;
        double *M = random_mass(&rng, N, (mass_shape)(trial % SHAPES), 1, component);
        double *bad = renumber(M, N, 0.5), *b = ref_random(&rng, N, 1);
        perp_mat A, B;
        perp_mass *mass = NULL, *kept = NULL;
        perp_where where = {NULL, 0, 0};
        while (component[first] != component[victim])
            first++;
        for (int i = 0; i < N; i++)
            bad[i + victim * N] = bad[victim + i * N] = 0.0;
        perp_mat_init_dense(&A, N, N, M, N);
        perp_mat_init_dense(&B, N, N, bad, N);
        ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_mass_create(&kept, &A, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_mass_update(mass, &B, &where), PERP_ERR_SINGULAR);
        ck_assert_str_eq(where.what, "M");
        ck_assert_int_eq(where.index, first);
        expect_same(mass, kept, b);
        ck_assert_int_eq(perp_mass_update(mass, &A, &where), PERP_SOLVED);
        expect_same(mass, kept, b);
        perp_mass_destroy(mass);
        perp_mass_destroy(kept);
        free(M);
        free(bad);
        free(b);
    }
}
END_TEST

/* A body whose coupling is 0 at first, as in a double pendulum at a right angle; then
 * chains that grow beyond a dense block, and two of these that meet. */
START_TEST(components_that_meet_stay_together)
{
    double M[N * N] = {0.0}, x[N], y[N], b[N], scratch[N];
    perp_mat A;
    perp_mass *mass = NULL;
    for (int i = 0; i < N; i++) {
        M[i + i * N] = 2.0 + 0.01 * i;
        b[i] = sin(i + 1.0);
    }
    perp_mat_init_dense(&A, N, N, M, N);
    ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(mass->nblocks, N);
    const int grows[] = {2, 10, 20, 29, N - 1};
    for (size_t k = 0; k < sizeof grows / sizeof grows[0]; k++) {
        for (int i = 1; i <= grows[k]; i++)
            if (i != 30 || grows[k] > 30)
                M[i + (i - 1) * N] = M[i - 1 + i * N] = 0.3;
        if (grows[k] == 29)
            for (int i = 31; i < N; i++)
                M[i + (i - 1) * N] = M[i - 1 + i * N] = 0.3;
        ck_assert_int_eq(perp_mass_update(mass, &A, NULL), PERP_SOLVED);
        perp_mass_solve(mass, b, scratch, x);
        double *wanted = ref_solve(M, b, N, 1);
        ck_assert_double_lt(ref_distance(x, wanted, N), 1e-13);
        free(wanted);
    }
    ck_assert_int_eq(mass->nsparse, N);
    /* Apart again: the answers of the diagonal, and the components stay. */
    for (int i = 1; i < N; i++)
        M[i + (i - 1) * N] = M[i - 1 + i * N] = 0.0;
    ck_assert_int_eq(perp_mass_update(mass, &A, NULL), PERP_SOLVED);
    ck_assert_int_eq(mass->nsparse, N);
    perp_mass_solve(mass, b, scratch, y);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq_tol(y[i], b[i] / M[i + i * N], 1e-15);
    perp_mass_destroy(mass);
}
END_TEST

START_TEST(small_components_that_met_need_no_memory)
{
    double M[9] = {2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0};
    ref_memory memory = {.fail_at = INT_MAX};
    perp_allocator allocator = ref_allocator(&memory);
    perp_mat A;
    perp_mass *mass = NULL;
    perp_mat_init_dense(&A, 3, 3, M, 3);
    ck_assert_int_eq(perp_mass_create(&mass, &A, &allocator, NULL), PERP_SOLVED);
    M[1] = M[3] = 0.5;
    ck_assert_int_eq(perp_mass_update(mass, &A, NULL), PERP_SOLVED);
    ck_assert_int_eq(mass->nblocks, 2);
    memory.fail_at = 0;
    for (int k = 0; k < 3; k++) {
        M[1] = M[3] = k == 1 ? 0.0 : 0.1;
        ck_assert_int_eq(perp_mass_update(mass, &A, NULL), PERP_SOLVED);
        ck_assert_int_eq(mass->nblocks, 2);
    }
    /* Nothing to grow with: the mass stays as it is. */
    M[5] = M[7] = 0.1;
    ck_assert_int_eq(perp_mass_update(mass, &A, NULL), PERP_ERR_MEMORY);
    ck_assert_int_eq(mass->nblocks, 2);
    double b[3] = {1.0, 1.0, 1.0}, scratch[3];
    perp_mass_solve(mass, b, scratch, b);
    ck_assert_double_eq(b[2], 0.25);
    perp_mass_destroy(mass);
    ck_assert_int_eq(memory.live, 0);
}
END_TEST

START_TEST(memory_failures)
{
    perp_rng rng = {23};
    int component[64];
    double *M = random_mass(&rng, N, MIXED, 1, component), *b = ref_random(&rng, N, 1);
    perp_mat A;
    perp_mat_init_dense(&A, N, N, M, N);
    for (int k = 0, finished = 0; !finished; k++) {
        ref_memory memory = {.fail_at = INT_MAX};
        perp_allocator allocator = ref_allocator(&memory);
        perp_mass *mass = NULL, *kept = NULL;
        ck_assert_int_eq(perp_mass_create(&mass, &A, &allocator, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_mass_create(&kept, &A, NULL, NULL), PERP_SOLVED);
        memory.fail_at = memory.count + k;
        perp_status status = perp_mass_update(mass, &A, NULL);
        ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
        finished = status == PERP_SOLVED;
        expect_same(mass, kept, b);
        perp_mass_destroy(mass);
        perp_mass_destroy(kept);
        ck_assert_int_eq(memory.live, 0);
    }
    free(M);
    free(b);
}
END_TEST

START_TEST(bad_updates_are_refused)
{
    double x[4] = {1.0, 0.0, 0.0, 1.0};
    perp_mat A;
    perp_mass *mass = NULL;
    perp_where where;
    perp_mat_init_dense(&A, 2, 2, x, 2);
    ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, NULL), PERP_SOLVED);
    x[1] = NAN;
    ck_assert_int_eq(perp_mass_update(mass, &A, &where), PERP_ERR_NONFINITE);
    ck_assert_int_eq(where.index, 1);
    perp_mat_init_dense(&A, 1, 1, x, 1);
    ck_assert_int_eq(perp_mass_update(mass, &A, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "rows");
    ck_assert_int_eq(perp_mass_update(NULL, &A, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mass_update(mass, NULL, NULL), PERP_ERR_ARGUMENT);
    perp_mass_destroy(mass);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mass-update");
    TCase *tests = tcase_create("mass update");
    tcase_add_test(tests, answers_are_those_of_a_new_mass);
    tcase_add_test(tests, a_singular_matrix_changes_nothing);
    tcase_add_test(tests, components_that_meet_stay_together);
    tcase_add_test(tests, small_components_that_met_need_no_memory);
    tcase_add_test(tests, memory_failures);
    tcase_add_test(tests, bad_updates_are_refused);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
