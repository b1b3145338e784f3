/* SPDX-License-Identifier: BSD-3-Clause */
/* "Solved" where rounding could hide that it is not: judged in sums of twice the digits. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"
#include "linalg/twofold.h"

enum { MOST = 6 };

/* Complementarity rows or equalities, by columns. */
typedef struct rows {
    int n, free;
    double M[MOST * MOST], q[MOST];
} rows;

static perp_problem view(rows *r, perp_segment *seg)
{
    *seg = (perp_segment){r->free ? PERP_FREE : PERP_NONNEG, 1, r->n, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = r->q, .seg = seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, r->n, r->n, r->M, r->n), 0);
    return p;
}

/* The larger of both measures. */
static double judge(const rows *r, const double *z)
{
    double worst = 0.0;
    for (int scaled = 0; scaled < 2; scaled++) {
        double map = 0.0, size[3] = {0.0};
        for (int i = 0; i < r->n; i++) {
            perp_twofold w = {r->q[i], 0.0};
            double d = scaled ? sqrt(fabs(r->M[i + i * r->n])) : 1.0;
            for (int j = 0; j < r->n; j++)
                w = perp_twofold_add(
                    w, perp_twofold_times((perp_twofold){z[j], 0.0}, r->M[i + j * r->n]));
            double y = w.high / d, x = z[i] * d, e = r->free ? y : x - fmax(0.0, x - y);
            map += e * e;
            size[0] += y * y;
            size[1] += x * x;
            size[2] += r->q[i] / d * (r->q[i] / d);
        }
        worst = fmax(worst, sqrt(map / fmax(size[0], fmax(size[1], size[2]))));
    }
    return worst;
}

/* In doubles 2^53 + 1 - 2^53 = 0, so that w_0 = 1 is not seen. */
static void hide(rows *r)
{
    const double b = 0x1p53, M[9] = {b, 0, 0, 1, 1, 0, -b, 0, 1};
    *r = (rows){.n = 3, .free = 1, .q = {0, -1, -1}};
    memcpy(r->M, M, sizeof M);
}

START_TEST(the_residual_sees_it)
{
    rows r;
    perp_segment seg;
    const double z[3] = {1, 1, 1};
    double w[3];
    perp_residuals seen = {.size = sizeof seen};
    hide(&r);
    perp_problem p = view(&r, &seg);
    ck_assert_int_eq(perp_residual(&p, z, NULL, w, &seen), 0);
    ck_assert_double_eq(w[0], 1.0);
    ck_assert_double_eq_tol(seen.natural, sqrt(1.0 / 3.0), 1e-15);
}
END_TEST

START_TEST(a_start_that_looks_solved)
{
    static const char *const names[] = {"auto", "gs", "nsn", "newton"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        rows r;
        perp_segment seg;
        perp_settings settings;
        perp_info info = {.size = sizeof info};
        double z[3] = {1, 1, 1}, w[3];
        hide(&r);
        perp_problem p = view(&r, &seg);
        perp_settings_init(&settings, sizeof settings);
        settings.warm_start = 1;
        settings.measure = PERP_MEASURE_NATURAL;
        perp_status status = perp_solve(names[k], &p, &settings, z, w, &info);
        ck_assert_int_ge(status, 0);
        if (status == PERP_SOLVED)
            ck_assert_msg(z[0] != 1.0 || z[1] != 1.0 || z[2] != 1.0, "%s", names[k]);
        else
            ck_assert_double_gt(info.error, settings.tol);
    }
}
END_TEST

/* One direction of M of size d^2, all others of 1e-13 of that: z there cancels to the last digits.
 */
static void draw(rows *r, perp_rng *rng, double spread)
{
    double b[MOST], d[MOST], z[MOST], sum = 0.0;
    int n = r->n = 2 + perp_rng_below(rng, MOST - 1), last = n - 1;
    r->free = 0;
    for (int i = 0; i < n; i++) {
        b[i] = perp_rng_signed(rng);
        d[i] = pow(10.0, spread * perp_rng_signed(rng));
        z[i] = perp_rng_uniform(rng) / d[i] * pow(10.0, spread * perp_rng_uniform(rng));
        sum += i < last ? b[i] * d[i] * z[i] : 0.0;
    }
    z[last] = fabs(sum / (b[last] * d[last]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            r->M[i + j * n] = (b[i] * b[j] + (i == j ? 1e-13 : 0.0)) * (d[i] * d[j]);
    for (int i = 0; i < n; i++) {
        perp_twofold w = {0.0, 0.0};
        for (int j = 0; j < n; j++)
            w = perp_twofold_add(w, perp_twofold_times((perp_twofold){z[j], 0.0}, r->M[i + j * n]));
        r->q[i] = -w.high;
    }
}

START_TEST(solved_is_so_on_bad_scales)
{
    static const char *const names[] = {"auto", "gs", "lemke", "enumerative", "pgs", "nsn"};
    perp_rng rng = {(unsigned)_i + 3};
    int solved = 0;
    for (int k = 0; k < 1500; k++) {
        rows r;
        perp_segment seg;
        draw(&r, &rng, 2.0 + 2.0 * _i);
        perp_problem p = view(&r, &seg);
        for (size_t s = 0; s < sizeof names / sizeof names[0]; s++) {
            double z[MOST], w[MOST];
            perp_info info = {.size = sizeof info};
            if (perp_solve(names[s], &p, NULL, z, w, &info) != PERP_SOLVED)
                continue;
            solved++;
            double error = judge(&r, z);
            ck_assert_msg(error <= 1.0000001e-8, "%s, %d: %g, said %g", names[s], k, error,
                          info.error);
        }
    }
    ck_assert_int_gt(solved, 1000);
}
END_TEST

/* A chain: M = tridiag(-1, 2 + shift, -1) by columns. */
static void fill_chain(double *x, int *row, int *colptr, int n, double shift)
{
    int p = 0;
    for (int j = 0; j < n; j++) {
        colptr[j] = p;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < n; i++, p++) {
            row[p] = i;
            x[p] = i == j ? 2.0 + shift : -1.0;
        }
    }
    colptr[n] = p;
}

/* The rounding of a new matrix under the same handle is bounded like that of the first, of any
 * size, and for any tolerance that is asked for later. */
START_TEST(a_large_matrix_changes)
{
    enum { N = 9000 };
    static double x[3 * N], q[N], z[N], w[N];
    static int row[3 * N], colptr[N + 1];
    perp_segment seg = {PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_settings settings;
    perp_solver *solver;
    for (int i = 0; i < N; i++)
        q[i] = i % 3 == 0 ? 1.0 : -1.0;
    fill_chain(x, row, colptr, N, 1.0);
    ck_assert_int_eq(perp_mat_init_csc(&p.M, N, N, colptr, row, x), 0);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-4;
    const perp_solver_type *gs = perp_solver_find("gs");
    ck_assert_int_eq(perp_solver_create(&solver, gs, &settings, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, &p), 0);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
    settings.tol = 1e-10;
    ck_assert_int_eq(perp_solver_set_settings(solver, &settings), 0);
    for (int k = 0; k < 3; k++) {
        fill_chain(x, row, colptr, N, 1.0 + 0.5 * k);
        ck_assert_int_eq(perp_solver_update(solver, &p), 0);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
        ck_assert_int_lt(perp_solver_info(solver)->iterations, 100);
    }
    perp_solver_destroy(solver);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rounding-bound");
    TCase *tcase = tcase_create("rounding-bound");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, the_residual_sees_it);
    tcase_add_test(tcase, a_start_that_looks_solved);
    tcase_add_test(tcase, a_large_matrix_changes);
    tcase_add_loop_test(tcase, solved_is_so_on_bad_scales, 0, 3);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
