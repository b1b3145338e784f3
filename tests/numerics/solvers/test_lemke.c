/* SPDX-License-Identifier: BSD-3-Clause */
/* Lemke on LCPs: classical ones, enumeration of all cases, rays and certificates checked by
 * independent arithmetic, degenerate families, files. */
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "tests/fixtures/boxed_bounds.h"
#include "core/rng.h"
#include "tests/fixtures/exact_lcp.h"
#include "tests/fixtures/real_problems.h"

START_TEST(classics)
{
    boxed b;
    double z[BOXED_MAX], w[BOXED_MAX];
    boxed_nonneg(&b, 2);
    memcpy(b.M, (double[]){2, 1, 1, 2}, sizeof(double) * 4);
    b.q[0] = -5;
    b.q[1] = -6;
    ck_assert_int_eq(boxed_solve("lemke", &b, 1e-13, z, w, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(z[0], 4.0 / 3.0, 1e-13);
    ck_assert_double_eq_tol(z[1], 7.0 / 3.0, 1e-13);
    /* All of q positive: no pivot. */
    perp_info info = {.size = sizeof info};
    b.q[0] = 1;
    b.q[1] = 0;
    ck_assert_int_eq(boxed_solve("lemke", &b, 1e-13, z, w, &info, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(info.iterations, 0);
    ck_assert(z[0] == 0.0 && z[1] == 0.0);
    /* Murty's family: about 2^n principal pivots for some methods; solution (0, .., 0, 1). */
    boxed_nonneg(&b, 8);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++)
            b.M[i + 8 * j] = i == j ? 1.0 : i < j ? 2.0 : 0.0;
    for (int i = 0; i < 8; i++)
        b.q[i] = -1.0;
    ck_assert_int_eq(boxed_solve("lemke", &b, 1e-13, z, w, NULL, NULL, NULL), PERP_SOLVED);
    for (int i = 0; i < 8; i++)
        ck_assert_double_eq_tol(z[i], i == 7 ? 1.0 : 0.0, 1e-13);
}
END_TEST

/* Entries that are denormal or at the end of the range: an answer, or none, but within the
 * arrays, and finite. */
START_TEST(ends_of_the_range)
{
    static const double magnitude[6] = {1e-320, 1e-300, 1e-200, 1.0, 1e200, 1e300};
    boxed b;
    double z[BOXED_MAX], w[BOXED_MAX];
    perp_rng rng = {(uint64_t)_i + 77};
    for (int trial = 0; trial < 300; trial++) {
        int n = 1 + perp_rng_below(&rng, 4);
        boxed_nonneg(&b, n);
        for (int k = 0; k < n * n + n; k++) {
            double value = perp_rng_below(&rng, 3) - 1;
            value *= magnitude[perp_rng_below(&rng, 6)];
            if (k < n * n)
                b.M[k] = value;
            else
                b.q[k - n * n] = value;
        }
        perp_info info = {.size = sizeof info};
        perp_status status = boxed_solve(_i ? "auto" : "lemke", &b, 1e-8, z, w, &info, NULL, NULL);
        ck_assert(status >= 0 || status == PERP_ERR_NUMERICAL);
        for (int i = 0; status == PERP_SOLVED && i < n; i++)
            ck_assert(isfinite(z[i]));
    }
}
END_TEST

/* A free row 200 z_1 + 1e-320 = 0 beside z_1 >= 0, w_1 = z_1: no ratio of the first pivot is finite,
 * and there is no solution.  With -1e-320 and w_1 = 0 there is one, of numbers that may be too small
 * for doubles. */
START_TEST(no_ratio_is_finite)
{
    static const double small[3] = {1e-320, 1e-300, 1e-12}, entry[3] = {200.0, 1e200, 1e-200};
    const char *name = _i ? "auto" : "lemke";
    for (int k = 0; k < 9; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            boxed b;
            double z[BOXED_MAX], w[BOXED_MAX];
            boxed_nonneg(&b, 2);
            b.lo[0] = -INFINITY;
            memcpy(b.M, (double[]){0, 0, entry[k / 3], sign > 0}, sizeof(double) * 4);
            b.q[0] = sign * small[k % 3];
            b.q[1] = 0.0;
            perp_status status = boxed_solve(name, &b, 1e-8, z, w, NULL, NULL, NULL);
            ck_assert(status >= 0 || status == PERP_ERR_NUMERICAL);
            ck_assert(!boxed_refuted(status) || sign > 0);
            for (int i = 0; status == PERP_SOLVED && i < 2; i++)
                ck_assert(isfinite(z[i]));
        }
}
END_TEST

/* Kostreva's cyclic example and others where many ratios tie. */
START_TEST(degenerate)
{
    boxed b;
    double z[BOXED_MAX], w[BOXED_MAX], reference[BOXED_MAX];
    boxed_nonneg(&b, 3);
    memcpy(b.M, (double[]){1, 0, 2, 2, 1, 0, 0, 2, 1}, sizeof(double) * 9);
    for (int i = 0; i < 3; i++)
        b.q[i] = -1.0;
    ck_assert_int_eq(boxed_solve("lemke", &b, 1e-13, z, w, NULL, NULL, NULL), PERP_SOLVED);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(z[i], 1.0 / 3.0, 1e-13);
    perp_rng rng = {7};
    for (int trial = 0; trial < 400; trial++) {
        int n = 2 + perp_rng_below(&rng, 6), rank = 1 + perp_rng_below(&rng, n);
        double A[BOXED_MAX * BOXED_MAX], x[BOXED_MAX];
        boxed_nonneg(&b, n);
        for (int k = 0; k < n * rank; k++)
            A[k] = perp_rng_below(&rng, 3) - 1;
        /* M = A A' with small integers; q = w0 - M z0 with many zeros. */
        for (int i = 0; i < n; i++) {
            x[i] = perp_rng_below(&rng, 2);
            b.q[i] = x[i] > 0.0 ? 0.0 : perp_rng_below(&rng, 2);
            for (int j = 0; j < n; j++) {
                b.M[i + j * n] = 0.0;
                for (int k = 0; k < rank; k++)
                    b.M[i + j * n] += A[i + k * n] * A[j + k * n];
            }
        }
        double Mx[BOXED_MAX];
        boxed_multiply(Mx, &b, x, 0);
        for (int i = 0; i < n; i++)
            b.q[i] -= Mx[i];
        ck_assert_int_gt(boxed_enumerate(&b, reference), 0);
        ck_assert_int_eq(boxed_solve("lemke", &b, 1e-11, z, w, NULL, NULL, NULL), PERP_SOLVED);
    }
}
END_TEST

/* P matrices: one solution for each q. */
START_TEST(random_p)
{
    perp_rng rng = {1};
    for (int trial = 0; trial < 300; trial++) {
        boxed b;
        double z[BOXED_MAX], w[BOXED_MAX], reference[BOXED_MAX];
        int n = 1 + perp_rng_below(&rng, 7);
        boxed_random_p(&b, n, 4.0, &rng);
        ck_assert_int_ge(boxed_enumerate(&b, reference), 1);
        ck_assert_int_eq(boxed_solve("lemke", &b, 1e-12, z, w, NULL, NULL, NULL), PERP_SOLVED);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(z[i], reference[i], 1e-8 * (1.0 + fabs(reference[i])));
    }
}
END_TEST

/* PSD (copositive-plus): solved exactly where a solution exists, else infeasible. */
START_TEST(random_psd)
{
    perp_rng rng = {2};
    int infeasible = 0;
    for (int trial = 0; trial < 400; trial++) {
        boxed b;
        double z[BOXED_MAX], w[BOXED_MAX], reference[BOXED_MAX], A[BOXED_MAX * BOXED_MAX],
            y[BOXED_MAX];
        perp_certificate_kind kind;
        int n = 2 + perp_rng_below(&rng, 6), rank = 1 + perp_rng_below(&rng, n);
        boxed_nonneg(&b, n);
        for (int k = 0; k < n * rank; k++)
            A[k] = perp_rng_signed(&rng);
        for (int i = 0; i < n; i++) {
            b.q[i] = perp_rng_signed(&rng);
            for (int j = 0; j < n; j++) {
                b.M[i + j * n] = 0.0;
                for (int k = 0; k < rank; k++)
                    b.M[i + j * n] += A[i + k * n] * A[j + k * n];
            }
        }
        for (int i = 0; trial % 2 && i < n; i++)
            for (int j = 0; j < i; j++) {
                double s = perp_rng_signed(&rng);
                b.M[i + j * n] += s;
                b.M[j + i * n] -= s;
            }
        int solutions = boxed_enumerate(&b, reference);
        perp_status status = boxed_solve("lemke", &b, 1e-10, z, w, NULL, &kind, y);
        ck_assert(solutions > 0 ? status == PERP_SOLVED : boxed_refuted(status));
        boxed_check_end(&b, status, kind, y);
        infeasible += boxed_refuted(status);
    }
    ck_assert_int_gt(infeasible, 10);
}
END_TEST

/* Any matrix: no false "solved", rays are rays. */
START_TEST(random_any)
{
    perp_rng rng = {3};
    int count[8] = {0};
    for (int trial = 0; trial < 600; trial++) {
        boxed b;
        double z[BOXED_MAX], w[BOXED_MAX], reference[BOXED_MAX], y[BOXED_MAX];
        perp_certificate_kind kind;
        int n = 1 + perp_rng_below(&rng, 6);
        boxed_nonneg(&b, n);
        for (int i = 0; i < n * n; i++)
            b.M[i] = perp_rng_signed(&rng);
        for (int i = 0; i < n; i++)
            b.q[i] = perp_rng_signed(&rng);
        int solutions = boxed_enumerate(&b, reference);
        perp_status status = boxed_solve("lemke", &b, 1e-10, z, w, NULL, &kind, y);
        ck_assert(status == PERP_SOLVED || status == PERP_RAY || boxed_refuted(status));
        if (solutions == 0)
            ck_assert_int_ne(status, PERP_SOLVED);
        if (solutions > 0)
            ck_assert_int_ne(status, PERP_INFEASIBLE);
        boxed_check_end(&b, status, kind, y);
        count[status]++;
    }
    ck_assert_int_gt(count[PERP_SOLVED], 50);
    ck_assert_int_gt(count[PERP_RAY], 10);
    ck_assert_int_gt(count[PERP_INFEASIBLE], 10);
}
END_TEST

/* An obstacle problem of 400 unknowns in CSC and with its rows and columns in
 * units 1e-8 to 1e8. */
START_TEST(larger_and_badly_scaled)
{
    enum { N = 400 };
    int *colptr = malloc(sizeof(int) * (N + 1)), *row = malloc(sizeof(int) * 3 * N), at = 0;
    double *x = malloc(sizeof(double) * 3 * N), *q = malloc(sizeof(double) * N);
    double *z = malloc(sizeof(double) * N), *w = malloc(sizeof(double) * N);
    for (int scaled = 0; scaled < 2; scaled++) {
        at = 0;
        for (int j = 0; j < N; j++) {
            colptr[j] = at;
            for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++) {
                double s = scaled ? pow(10.0, 8.0 * sin(i) + 8.0 * sin(j)) : 1.0;
                row[at] = i;
                x[at++] = s * (i == j ? 2.0 : -1.0);
            }
            q[j] = (scaled ? pow(10.0, 8.0 * sin(j)) : 1.0) * sin(0.1 * j) * 0.01;
        }
        colptr[N] = at;
        perp_segment seg = {PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}};
        perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
        perp_settings settings;
        perp_info info = {.size = sizeof info};
        perp_settings_init(&settings, sizeof settings);
        settings.tol = 1e-12;
        ck_assert_int_eq(perp_mat_init_csc(&problem.M, N, N, colptr, row, x), 0);
        ck_assert_int_eq(perp_solve("lemke", &problem, &settings, z, w, &info), PERP_SOLVED);
        ck_assert_double_le(info.residual.scaled, 1e-12);
        ck_assert_double_le(info.residual.natural, 1e-12);
    }
    free(colptr);
    free(row);
    free(x);
    free(q);
    free(z);
    free(w);
}
END_TEST

/* Tiny problems of integers, verdicts in whole numbers: never a false one; rays are counted. */
START_TEST(integers)
{
    int rays = 0, missed = 0, infeasible = 0;
    for (int kind = 0; kind < 6; kind++) {
        perp_rng rng = {(uint64_t)kind + 101};
        for (int trial = 0; trial < 3400; trial++) {
            exact_lcp p = {.n = 1 + perp_rng_below(&rng, 5)};
            boxed b;
            double z[BOXED_MAX], w[BOXED_MAX], y[BOXED_MAX];
            perp_certificate_kind certificate;
            exact_lcp_draw(&p, kind, &rng);
            exact_lcp_solve(&p);
            boxed_nonneg(&b, p.n);
            memcpy(b.M, p.M, sizeof p.M);
            memcpy(b.q, p.q, sizeof p.q);
            perp_status status = boxed_solve("lemke", &b, 1e-11, z, w, NULL, &certificate, y);
            ck_assert_msg(status == PERP_SOLVED || status == PERP_RAY || status == PERP_INFEASIBLE,
                          "kind %d trial %d: %s", kind, trial, perp_status_name(status));
            ck_assert(status != PERP_SOLVED || p.count > 0);
            ck_assert(status != PERP_INFEASIBLE || p.count == 0);
            /* Positive semidefinite: solved, or shown to have no solution. */
            if (kind == 2 || kind == 3)
                ck_assert_msg(status != PERP_RAY, "kind %d trial %d", kind, trial);
            boxed_check_end(&b, status, certificate, y);
            rays += status == PERP_RAY;
            missed += status == PERP_RAY && p.count > 0;
            infeasible += status == PERP_INFEASIBLE;
        }
    }
    ck_assert_int_gt(infeasible, 1000);
    ck_assert_int_gt(rays, 100);
    ck_assert_int_lt(missed, rays);
}
END_TEST

/* Bimatrix games with positive entries have an equilibrium, which starts of Lemke and Howson
 * find; degenerate ones too. */
START_TEST(bimatrix_games)
{
    perp_rng rng = {13};
    for (int trial = 0; trial < 500; trial++) {
        boxed b;
        double z[BOXED_MAX], w[BOXED_MAX];
        int rows = 1 + perp_rng_below(&rng, 5), cols = 1 + perp_rng_below(&rng, 5);
        int n = rows + cols, range = trial % 2 ? 3 : 100;
        boxed_nonneg(&b, n);
        memset(b.M, 0, sizeof b.M);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < cols; j++) {
                b.M[i + (rows + j) * n] = 1 + perp_rng_below(&rng, range);
                b.M[rows + j + i * n] = 1 + perp_rng_below(&rng, range);
            }
        }
        for (int i = 0; i < n; i++)
            b.q[i] = -1.0;
        ck_assert_msg(boxed_solve("lemke", &b, 1e-11, z, w, NULL, NULL, NULL) == PERP_SOLVED,
                      "game %d", trial);
    }
}
END_TEST

/* Files of ../shared: all are solved, the bimatrix game of Cottle, Pang, Stone, example 4.4.23, on
 * which covering vectors end on rays, from a start of Lemke and Howson. */
static int solve_file(const char *path, perp_problem_class cls)
{
    perp_problem_file *file;
    perp_problem problem;
    perp_info info = {.size = sizeof info};
    ck_assert_msg(perp_problem_file_read(&file, path, cls, NULL, NULL) == PERP_SOLVED, "%s", path);
    ck_assert_int_eq(perp_problem_file_get(file, &problem, NULL), 0);
    size_t n = (size_t)problem.M.rows;
    double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w);
    perp_status status = perp_solve("lemke", &problem, NULL, z, w, &info);
    ck_assert_msg(status == PERP_SOLVED, "%s: %s", path, perp_status_name(status));
    free(z);
    free(w);
    perp_problem_file_destroy(file);
    return 1;
}

START_TEST(files)
{
    static const struct {
        const char *folder;
        perp_problem_class cls;
    } kinds[] = {{"lcp", PERP_CLASS_LCP}, {"mlcp", PERP_CLASS_MLCP}, {"relay", PERP_CLASS_RELAY}};
    char folder[512], path[1024];
    for (int k = 0; k < 3; k++) {
        int count = 0;
        DIR *dir =
            real_problem_path(folder, sizeof folder, kinds[k].folder) ? opendir(folder) : NULL;
        if (!dir)
            continue;
        for (struct dirent *entry; (entry = readdir(dir));) {
            if (!strstr(entry->d_name, ".dat"))
                continue;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            count += solve_file(path, kinds[k].cls);
        }
        closedir(dir);
        ck_assert_int_gt(count, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lemke");
    TCase *tcase = tcase_create("lemke");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, classics);
    tcase_add_test(tcase, degenerate);
    tcase_add_loop_test(tcase, ends_of_the_range, 0, 2);
    tcase_add_loop_test(tcase, no_ratio_is_finite, 0, 2);
    tcase_add_test(tcase, random_p);
    tcase_add_test(tcase, random_psd);
    tcase_add_test(tcase, random_any);
    tcase_add_test(tcase, integers);
    tcase_add_test(tcase, bimatrix_games);
    tcase_add_test(tcase, larger_and_badly_scaled);
    tcase_add_test(tcase, files);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
