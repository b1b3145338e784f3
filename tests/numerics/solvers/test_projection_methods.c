/* SPDX-License-Identifier: BSD-3-Clause */
/* Projection without and with correction, accelerated gradient and splitting: every set in every storage,
 * monotone problems where only the correction step converges, units, the remembered step. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/judge.h"
#include "tests/fixtures/solver_choice.h"
#include "tests/fixtures/stored.h"

static const char *const names[] = {"projection correction=none", "projection", "apgd", "admm"};
enum { NAMES = sizeof names / sizeof names[0] };

static void all_sets(stored_problem *p)
{
    stored_init(p, "all sets");
    stored_segment(p, PERP_FREE, 1, 2, 0.0, 0.0);
    stored_segment(p, PERP_NONNEG, 1, 3, 0.0, 0.0);
    stored_segment(p, PERP_BOX, 1, 3, -0.5, 0.7);
    stored_segment(p, PERP_TRESCA, 3, 2, 0.4, 0.0);
    stored_segment(p, PERP_TRESCA, 2, 1, 0.4, 0.0);
    stored_segment(p, PERP_COULOMB, 3, 2, 0.3, 0.0);
    stored_segment(p, PERP_COULOMB, 2, 2, 0.8, 0.0);
    stored_segment(p, PERP_SOC, 5, 1, 0.7, 0.0);
    stored_allocate(p);
}

static perp_status run(const char *name, const perp_problem *problem, const perp_settings *settings,
                       double *z, double *w, perp_info *info)
{
    perp_settings chosen;
    perp_settings_init(&chosen, sizeof chosen);
    if (settings)
        chosen = *settings;
    const char *solver = choose_solver(name, &chosen);
    perp_status status = perp_solve(solver, problem, &chosen, z, w, info);
    ck_assert_str_eq(info->solver, solver);
    return status;
}

START_TEST(every_set_and_storage)
{
    perp_rng rng = {1};
    for (int trial = 0; trial < 5; trial++) {
        stored_problem p;
        perp_settings settings;
        perp_settings_init(&settings, sizeof settings);
        settings.tol = 1e-9;
        all_sets(&p);
        stored_definite(&p, &rng);
        stored_plant(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
        for (int kind = 0; kind < STORED_COUNT; kind++) {
            stored_view v;
            if (!stored_view_make(&v, &p, (storage)kind))
                continue;
            for (int s = 0; s < NAMES; s++) {
                perp_info info = {.size = sizeof info};
                ck_assert_int_eq(run(names[s], &v.problem, &settings, z, w, &info), PERP_SOLVED);
                perp_residuals r = judge(&p, z, NULL);
                ck_assert_double_le(r.natural, 1.01e-9);
                if (kind != STORED_OPERATOR_BARE)
                    ck_assert_double_le(r.scaled, 1.01e-9);
            }
            stored_view_free(&v);
        }
        free(z);
        free(w);
        stored_free(&p);
    }
}
END_TEST

/* Convex sets and a definite M: one solution, the planted one. */
START_TEST(the_only_solution)
{
    perp_rng rng = {2};
    stored_problem p;
    stored_view v;
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    stored_init(&p, "convex");
    stored_segment(&p, PERP_NONNEG, 1, 6, 0.0, 0.0);
    stored_segment(&p, PERP_BOX, 1, 6, -1.0, 1.0);
    stored_segment(&p, PERP_SOC, 3, 4, 0.5, 0.0);
    stored_segment(&p, PERP_TRESCA, 3, 2, 1.0, 0.0);
    stored_allocate(&p);
    stored_definite(&p, &rng);
    stored_plant(&p, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_DENSE));
    double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
    for (int s = 0; s < NAMES; s++) {
        perp_info info = {.size = sizeof info};
        ck_assert_int_eq(run(names[s], &v.problem, &settings, z, w, &info), PERP_SOLVED);
        for (int i = 0; i < p.n; i++)
            ck_assert_double_eq_tol(z[i], p.z[i], 1e-9);
    }
    free(z);
    free(w);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* M skew: z - rho F(z) spirals outward, the corrected step arrives. */
START_TEST(monotone_rotation)
{
    stored_problem p;
    stored_view v;
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    double z[2], w[2];
    perp_settings_init(&settings, sizeof settings);
    stored_init(&p, "rotation");
    stored_segment(&p, PERP_BOX, 1, 2, -2.0, 2.0);
    stored_allocate(&p);
    p.M[1] = -1.0;
    p.M[2] = 1.0;
    p.q[0] = -0.5;
    p.q[1] = 0.3;
    ck_assert(stored_view_make(&v, &p, STORED_OPERATOR_BARE));
    for (int s = 1; s < NAMES; s++) {
        ck_assert_int_eq(run(names[s], &v.problem, &settings, z, w, &info), PERP_SOLVED);
        ck_assert_double_eq_tol(z[0], 0.3, 1e-7);
        ck_assert_double_eq_tol(z[1], 0.5, 1e-7);
        ck_assert(info.notes & PERP_NOTE_NO_SCALED);
    }
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* Steps to 1e-10 for min z'Az/2 + q'z over a box, A a path with ends of stiffness 1 / kappa. */
static int steps_on_path(const char *name, int n, double kappa)
{
    perp_rng rng = {7};
    stored_problem p;
    stored_view v;
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-10;
    settings.check_every = 1;
    stored_init(&p, "path");
    stored_segment(&p, PERP_BOX, 1, n, -2.0, 2.0);
    stored_allocate(&p);
    for (int i = 0; i < n; i++) {
        p.M[i * (n + 1)] = 2.0 + 4.0 / kappa;
        if (i > 0)
            p.M[i + (i - 1) * n] = p.M[i - 1 + i * n] = -1.0;
    }
    stored_plant(&p, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_CSC));
    double *z = calloc((size_t)n, sizeof *z), *w = calloc((size_t)n, sizeof *w);
    ck_assert_int_eq(run(name, &v.problem, &settings, z, w, &info), PERP_SOLVED);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(z[i], p.z[i], 1e-8 * kappa);
    free(z);
    free(w);
    stored_view_free(&v);
    stored_free(&p);
    return info.iterations;
}

/* Condition number about kappa: plain gradient takes of the order of kappa steps, the
 * accelerated one of sqrt(kappa): (1 - 1 / sqrt(kappa))^k to 1e-10 in 23 sqrt(kappa), twice
 * that with restarts. */
START_TEST(accelerated_rate)
{
    const double kappa[] = {100.0, 400.0, 1600.0};
    for (int k = 0; k < 3; k++) {
        int plain = steps_on_path("projection correction=none", 60, kappa[k]);
        int fast = steps_on_path("apgd", 60, kappa[k]);
        if (getenv("PERP_TEST_SHOW"))
            printf("# kappa %g: projection %d, apgd %d\n", kappa[k], plain, fast);
        ck_assert_int_le(fast, (int)(46.0 * sqrt(kappa[k])));
        ck_assert_int_lt(2 * fast, plain);
    }
}
END_TEST

/* Units: row and column i times s_i, one s per block, change nothing but z. */
START_TEST(units_of_blocks)
{
    perp_rng rng = {3};
    stored_problem p;
    stored_view v;
    perp_settings settings;
    perp_info plain = {.size = sizeof plain}, scaled = {.size = sizeof scaled};
    perp_settings_init(&settings, sizeof settings);
    settings.measure = PERP_MEASURE_SCALED;
    settings.step = 1.0;
    stored_init(&p, "units");
    stored_segment(&p, PERP_COULOMB, 3, 6, 0.5, 0.0);
    stored_allocate(&p);
    stored_definite(&p, &rng);
    stored_plant(&p, &rng);
    double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
    for (int s = 0; s < NAMES; s++) {
        ck_assert(stored_view_make(&v, &p, STORED_DENSE));
        ck_assert_int_eq(run(names[s], &v.problem, &settings, z, w, &plain), PERP_SOLVED);
        stored_view_free(&v);
        double factor[6];
        for (int k = 0; k < 6; k++)
            factor[k] = ldexp(1.0, perp_rng_below(&rng, 20) - 10);
        for (int j = 0; j < p.n; j++) {
            p.q[j] *= factor[j / 3];
            for (int i = 0; i < p.n; i++)
                p.M[i + j * p.n] *= factor[i / 3] * factor[j / 3];
        }
        ck_assert(stored_view_make(&v, &p, STORED_DENSE));
        ck_assert_int_eq(run(names[s], &v.problem, &settings, z, w, &scaled), PERP_SOLVED);
        ck_assert_int_eq(plain.iterations, scaled.iterations);
        stored_view_free(&v);
    }
    free(z);
    free(w);
    stored_free(&p);
}
END_TEST

/* Steps far off are corrected. */
START_TEST(any_first_step)
{
    perp_rng rng = {4};
    stored_problem p;
    stored_view v;
    perp_settings settings;
    all_sets(&p);
    stored_definite(&p, &rng);
    stored_plant(&p, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_CSC));
    double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
    for (int s = 0; s < NAMES; s++) {
        for (int e = -9; e <= 12; e += 3) {
            perp_info info = {.size = sizeof info};
            perp_settings_init(&settings, sizeof settings);
            settings.step = pow(10.0, e);
            ck_assert_int_eq(run(names[s], &v.problem, &settings, z, w, &info), PERP_SOLVED);
        }
    }
    free(z);
    free(w);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

static perp_solver *handle(const char *name, const perp_problem *problem, int warm, int limit)
{
    perp_settings settings;
    perp_solver *solver;
    perp_settings_init(&settings, sizeof settings);
    settings.warm_start = warm;
    settings.max_iter = limit;
    settings.tol = 1e-13;
    const perp_solver_type *type = perp_solver_find(choose_solver(name, &settings));
    ck_assert_int_eq(perp_solver_create(&solver, type, &settings, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, problem), 0);
    return solver;
}

/* Reruns are equal to the bit; a warm start goes on with the remembered step,
 * which a checkpoint carries to another handle. */
START_TEST(memory)
{
    perp_rng rng = {5};
    stored_problem p;
    stored_view v;
    all_sets(&p);
    stored_definite(&p, &rng);
    stored_plant(&p, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_BSR));
    size_t n = (size_t)p.n, bytes = 0, size = n * sizeof(double);
    double *z[3], *w = calloc(n, sizeof *w);
    for (int k = 0; k < 3; k++)
        z[k] = calloc(n, sizeof *z[k]);
    for (int s = 0; s < NAMES; s++) {
        perp_solver *a = handle(names[s], &v.problem, 0, 25);
        perp_solver_solve(a, z[0], w, NULL);
        perp_solver_solve(a, z[1], w, NULL);
        ck_assert_mem_eq(z[0], z[1], size);
        ck_assert_int_eq(perp_solver_save(a, NULL, &bytes), 0);
        char *buffer = malloc(bytes);
        ck_assert_int_eq(perp_solver_save(a, buffer, &bytes), 0);
        perp_solver_destroy(a);
        perp_solver *b = handle(names[s], &v.problem, 1, 10);
        ck_assert_int_eq(perp_solver_load(b, buffer, bytes), 0);
        memcpy(z[1], z[0], size);
        perp_solver_solve(b, z[1], w, NULL);
        ck_assert_int_eq(perp_solver_load(b, buffer, bytes), 0);
        ck_assert_int_eq(perp_solver_update(b, &v.problem), 0);
        memcpy(z[2], z[0], size);
        perp_solver_solve(b, z[2], w, NULL);
        ck_assert_mem_eq(z[1], z[2], size);
        perp_solver_destroy(b);
        free(buffer);
    }
    for (int k = 0; k < 3; k++)
        free(z[k]);
    free(w);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* q = 0 is solved by 0 at once; an operator can stop the solve at any product. */
START_TEST(ends)
{
    perp_rng rng = {6};
    stored_problem p;
    all_sets(&p);
    stored_definite(&p, &rng);
    double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
    for (int s = 0; s < NAMES; s++) {
        stored_view v;
        perp_info info = {.size = sizeof info};
        memset(p.q, 0, (size_t)p.n * sizeof *p.q);
        ck_assert(stored_view_make(&v, &p, STORED_DELASSUS));
        ck_assert_int_eq(run(names[s], &v.problem, NULL, z, w, &info), PERP_SOLVED);
        ck_assert_int_eq(info.iterations, 0);
        stored_view_free(&v);
        for (int i = 0; i < p.n; i++)
            p.q[i] = perp_rng_signed(&rng);
        for (int stop = 1; stop < 12; stop++) {
            ck_assert(stored_view_make(&v, &p, STORED_OPERATOR));
            v.stop_after = stop;
            ck_assert_int_eq(run(names[s], &v.problem, NULL, z, w, &info), PERP_INTERRUPTED);
            stored_view_free(&v);
        }
    }
    free(z);
    free(w);
    stored_free(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("projection");
    TCase *tcase = tcase_create("projection");
    tcase_add_test(tcase, every_set_and_storage);
    tcase_add_test(tcase, the_only_solution);
    tcase_add_test(tcase, monotone_rotation);
    tcase_add_test(tcase, accelerated_rate);
    tcase_add_test(tcase, units_of_blocks);
    tcase_add_test(tcase, any_first_step);
    tcase_add_test(tcase, memory);
    tcase_add_test(tcase, ends);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
