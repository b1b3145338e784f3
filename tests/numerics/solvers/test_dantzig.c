/* SPDX-License-Identifier: BSD-3-Clause */
/* dantzig: planted solutions, brute force, dependent and contradictory rows, hostile units, the
 * families of bench/boxed_engines, tiny integer problems; signs and certificates by arithmetic of
 * their own. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "generators/boxed_problem.h"
#include "core/rng.h"

enum { MAX = 64, SMALL = 8 };

/* FREE and NONNEG rows by their bounds. */
typedef struct boxed {
    int n;
    double M[MAX * MAX], q[MAX], lo[MAX], hi[MAX];
} boxed;

typedef struct answer {
    perp_status status;
    double z[MAX], w[MAX], y[MAX];
    perp_certificate_kind kind;
    perp_info info;
} answer;

static int blocks_taken;

static void *take(void *ctx, size_t bytes)
{
    (void)ctx;
    blocks_taken++;
    return malloc(bytes ? bytes : 1);
}

static void give(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static void solve(answer *a, const boxed *b, double tol)
{
    static perp_segment seg[MAX];
    perp_problem problem = {.q = b->q, .seg = seg, .nseg = b->n};
    const perp_allocator counted = {take, give, NULL};
    perp_settings settings;
    perp_solver *solver;
    for (int i = 0; i < b->n; i++) {
        int half = b->lo[i] == 0.0 && isinf(b->hi[i]), all = isinf(b->lo[i]) && isinf(b->hi[i]);
        perp_set set = half ? PERP_NONNEG : all ? PERP_FREE : PERP_BOX;
        seg[i] = (perp_segment){set, 1, 1, {&b->lo[i], &b->hi[i]}, {0, 0}};
    }
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    perp_mat_init_dense(&problem.M, b->n, b->n, b->M, b->n);
    ck_assert_int_eq(
        perp_solver_create(&solver, perp_solver_find("dantzig"), &settings, &counted, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), 0);
    int before = blocks_taken;
    a->info.size = sizeof a->info;
    a->status = perp_solver_solve(solver, a->z, a->w, &a->info);
    ck_assert_int_eq(blocks_taken, before);
    memset(a->y, 0, sizeof a->y);
    ck_assert_int_eq(perp_solver_certificate(solver, b->n, &a->kind, a->y), 0);
    perp_solver_destroy(solver);
    for (int i = 0; i < b->n; i++)
        ck_assert(isfinite(a->z[i]) && isfinite(a->w[i]));
}

/* What the signs of (z, w) break in units of the rows, over the largest of q, z and w. */
static double broken(const boxed *b, const double *z)
{
    double worst = 0.0, size = 0.0;
    for (int i = 0; i < b->n; i++) {
        long double w = b->q[i];
        double d = sqrt(fabs(b->M[i + i * b->n]));
        for (int j = 0; j < b->n; j++)
            w += (long double)b->M[i + j * b->n] * z[j];
        d = d > 0.0 ? d : 1.0;
        double x = z[i] - (double)w / (d * d), p = fmin(fmax(x, b->lo[i]), b->hi[i]);
        worst = fmax(worst, d * fabs(z[i] - p));
        size = fmax(size, fmax(d * fabs(z[i]), fmax(fabs(b->q[i]), fabs((double)w)) / d));
    }
    return size > 0.0 ? worst / size : worst;
}

/* The certificate of a symmetric problem: y in the directions of the bounds, M y = 0, q.y < 0. */
static void check_infeasible(const boxed *b, const answer *a)
{
    double value = 0.0, largest = 0.0;
    ck_assert_int_eq(a->kind, PERP_CERTIFICATE_INFEASIBLE);
    for (int i = 0; i < b->n; i++) {
        ck_assert(a->y[i] >= 0.0 || isinf(b->lo[i]));
        ck_assert(a->y[i] <= 0.0 || isinf(b->hi[i]));
        value += b->q[i] * a->y[i];
        largest = fmax(largest, fabs(a->y[i]));
    }
    for (int i = 0; i < b->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < b->n; j++)
            sum += b->M[j + i * b->n] * a->y[j];
        ck_assert_double_le(fabs(sum), 1e-9 * largest);
    }
    ck_assert_double_lt(value, -1e-9 * largest);
}

static double uniform(perp_rng *rng, double from, double to)
{
    return from + (to - from) * perp_rng_uniform(rng);
}

/* M = G G', G n x k. */
static void gram(boxed *b, int n, int k, perp_rng *rng)
{
    static double G[MAX * 2 * MAX];
    b->n = n;
    for (int i = 0; i < n * k; i++)
        G[i] = perp_rng_signed(rng);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int l = 0; l < k; l++)
                sum += G[i + l * n] * G[j + l * n];
            b->M[i + j * n] = b->M[j + i * n] = sum;
        }
}

/* Bounds of any kind, a point among them, a w that fits, and q. */
static void plant(boxed *b, double *z, perp_rng *rng)
{
    double w[MAX];
    for (int i = 0; i < b->n; i++) {
        int kind = perp_rng_below(rng, 6), side = perp_rng_below(rng, 3);
        b->lo[i] = kind == 1 ? 0.0 : uniform(rng, -2.0, -0.5);
        b->hi[i] = kind == 2 ? b->lo[i] : uniform(rng, 0.5, 2.0);
        if (kind == 0 || kind == 3)
            b->lo[i] = -INFINITY;
        if (kind == 0 || kind == 1 || kind == 4)
            b->hi[i] = INFINITY;
        if (side == 0 && isinf(b->lo[i]))
            side = 2;
        if (side == 1 && isinf(b->hi[i]))
            side = 2;
        double from = isinf(b->lo[i]) ? -1.0 : b->lo[i], to = isinf(b->hi[i]) ? 1.0 : b->hi[i];
        z[i] = side == 0 ? b->lo[i] : side == 1 ? b->hi[i] : uniform(rng, from, to);
        w[i] = side == 0 ? uniform(rng, 0.0, 1.0) : side == 1 ? -uniform(rng, 0.0, 1.0) : 0.0;
        if (kind == 2)
            w[i] = perp_rng_signed(rng);
    }
    for (int i = 0; i < b->n; i++) {
        b->q[i] = w[i];
        for (int j = 0; j < b->n; j++)
            b->q[i] -= b->M[i + j * b->n] * z[j];
    }
}

START_TEST(planted)
{
    static boxed b;
    static answer a;
    perp_rng rng = {1};
    double z[MAX];
    for (int n = 1; n <= 60; n++)
        for (int k = 0; k < 8; k++) {
            int rank = k < 4 ? n + 3 + n / 2 : k < 6 ? (2 * n + 2) / 3 : (n + 2) / 3;
            gram(&b, n, rank, &rng);
            plant(&b, z, &rng);
            solve(&a, &b, 1e-10);
            ck_assert_msg(a.status == PERP_SOLVED, "n %d, rank %d: %s, error %g %s", n, rank,
                          perp_status_name(a.status), a.info.error, a.info.detail);
            ck_assert_double_le(broken(&b, a.z), 1e-10);
        }
}
END_TEST

/* A_SS x = r by elimination with full pivoting; 0 when singular. */
static int eliminate(double *x, const boxed *b, const int *row, double *r, int m)
{
    double A[SMALL * SMALL];
    int column[SMALL];
    for (int j = 0; j < m; j++) {
        column[j] = j;
        for (int i = 0; i < m; i++)
            A[i + j * m] = b->M[row[i] + row[j] * b->n];
    }
    for (int k = 0; k < m; k++) {
        int p = k, c = k;
        for (int j = k; j < m; j++)
            for (int i = k; i < m; i++)
                if (fabs(A[i + j * m]) > fabs(A[p + c * m])) {
                    p = i;
                    c = j;
                }
        if (fabs(A[p + c * m]) < 1e-10)
            return 0;
        for (int j = 0; j < m; j++) {
            double keep = A[k + j * m];
            A[k + j * m] = A[p + j * m];
            A[p + j * m] = keep;
        }
        double keep = r[k];
        r[k] = r[p];
        r[p] = keep;
        for (int i = 0; i < m; i++) {
            keep = A[i + k * m];
            A[i + k * m] = A[i + c * m];
            A[i + c * m] = keep;
        }
        int other = column[k];
        column[k] = column[c];
        column[c] = other;
        for (int i = k + 1; i < m; i++) {
            double f = A[i + k * m] / A[k + k * m];
            for (int j = k; j < m; j++)
                A[i + j * m] -= f * A[k + j * m];
            r[i] -= f * r[k];
        }
    }
    for (int k = m - 1; k >= 0; k--) {
        for (int j = k + 1; j < m; j++)
            r[k] -= A[k + j * m] * x[column[j]];
        x[column[k]] = r[k] / A[k + k * m];
    }
    return 1;
}

/* The point of one choice of sides (0 lo, 1 hi, 2 between).  1: it is a solution. */
static int fits(const boxed *b, const int *side)
{
    double z[SMALL] = {0.0}, r[SMALL], x[SMALL];
    int row[SMALL], m = 0;
    for (int i = 0; i < b->n; i++) {
        z[i] = side[i] == 0 ? b->lo[i] : side[i] == 1 ? b->hi[i] : 0.0;
        if (isinf(z[i]))
            return 0;
        if (side[i] == 2)
            row[m++] = i;
    }
    for (int k = 0; k < m; k++) {
        r[k] = -b->q[row[k]];
        for (int j = 0; j < b->n; j++)
            r[k] -= b->M[row[k] + j * b->n] * z[j];
    }
    if (m > 0 && !eliminate(x, b, row, r, m))
        return 0;
    for (int k = 0; k < m; k++)
        z[row[k]] = x[k];
    return broken(b, z) <= 1e-9;
}

/* 1: some choice of sides with a regular block between is a solution. */
static int exists(const boxed *b)
{
    int side[SMALL] = {0}, i;
    do {
        if (fits(b, side))
            return 1;
        for (i = 0; i < b->n && side[i] == 2; i++)
            side[i] = 0;
        if (i < b->n)
            side[i]++;
    } while (i < b->n);
    return 0;
}

/* With a semidefinite M and a finite bound in every row one solution has a regular block. */
START_TEST(brute_force)
{
    static boxed b;
    static answer a;
    perp_rng rng = {2};
    int solved = 0, none = 0;
    for (int k = 0; k < 600; k++) {
        int n = 1 + k % SMALL;
        gram(&b, n, perp_rng_below(&rng, n + 1), &rng);
        for (int i = 0; i < n; i++) {
            b.q[i] = perp_rng_signed(&rng);
            b.lo[i] = k % 3 ? 0.0 : -uniform(&rng, 0.0, 1.0);
            b.hi[i] = k % 3 && perp_rng_below(&rng, 3) ? INFINITY : 1.0;
        }
        solve(&a, &b, 1e-10);
        if (exists(&b)) {
            ck_assert_int_eq(a.status, PERP_SOLVED);
            ck_assert_double_le(broken(&b, a.z), 1e-10);
            solved++;
        } else {
            ck_assert(a.status == PERP_INFEASIBLE || a.status == PERP_INFEASIBLE_WITHIN);
            check_infeasible(&b, &a);
            none++;
        }
    }
    ck_assert_int_gt(solved, 100);
    ck_assert_int_gt(none, 20);
}
END_TEST

/* Each row twice or thrice: consistent, then with one copy that asks for more than the other. */
START_TEST(duplicated_rows)
{
    static boxed b, small;
    static answer a;
    perp_rng rng = {3};
    double z[MAX];
    for (int k = 0; k < 200; k++) {
        int n = 2 + k % 10, copies = 2 + k % 2;
        gram(&small, n, n + 2, &rng);
        plant(&small, z, &rng);
        b.n = n * copies;
        for (int i = 0; i < b.n; i++) {
            b.q[i] = small.q[i % n];
            b.lo[i] = small.lo[i % n];
            b.hi[i] = small.hi[i % n];
            for (int j = 0; j < b.n; j++)
                b.M[i + j * b.n] = small.M[i % n + j % n * n];
        }
        solve(&a, &b, 1e-10);
        ck_assert_int_eq(a.status, PERP_SOLVED);
        ck_assert_double_le(broken(&b, a.z), 1e-10);
        for (int i = 0; i < n; i++)
            if (isinf(b.lo[i]) && isinf(b.hi[i])) {
                b.q[i] += 1.0;
                solve(&a, &b, 1e-10);
                ck_assert(a.status == PERP_INFEASIBLE || a.status == PERP_INFEASIBLE_WITHIN);
                check_infeasible(&b, &a);
                break;
            }
    }
}
END_TEST

START_TEST(hostile_units)
{
    static boxed b;
    static answer a;
    perp_rng rng = {4};
    double z[MAX], unit[MAX];
    for (int k = 0; k < 200; k++) {
        int n = 1 + k % 40;
        gram(&b, n, k % 2 ? n + n / 2 + 2 : (n + 1) / 2, &rng);
        plant(&b, z, &rng);
        for (int i = 0; i < n; i++)
            unit[i] = pow(10.0, uniform(&rng, -6.0, 6.0));
        for (int i = 0; i < n; i++) {
            b.q[i] *= unit[i];
            b.lo[i] /= unit[i];
            b.hi[i] /= unit[i];
            for (int j = 0; j < n; j++)
                b.M[i + j * n] *= unit[i] * unit[j];
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                b.M[i + j * n] = b.M[j + i * n];
        solve(&a, &b, 1e-10);
        ck_assert_msg(a.status == PERP_SOLVED, "%d: %s %g", k, perp_status_name(a.status),
                      a.info.error);
        ck_assert_double_le(broken(&b, a.z), 1e-10);
    }
}
END_TEST

/* FREE rows of a saddle point, and such without a diagonal. */
START_TEST(saddles)
{
    static boxed b;
    static answer a;
    perp_rng rng = {5};
    double z[MAX];
    for (int k = 0; k < 100; k++) {
        int n = 4 + k % 20, free = n / 3;
        gram(&b, n, 2 * n, &rng);
        plant(&b, z, &rng);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (i < free && j < free)
                    b.M[i + j * n] = k % 2 ? 0.0 : -b.M[i + j * n];
        for (int i = 0; i < n; i++) {
            int outside = i < free || i >= 2 * free;
            b.lo[i] = i < 2 * free ? -INFINITY : -1.0;
            b.hi[i] = i < 2 * free ? INFINITY : 1.0;
            b.q[i] = outside ? perp_rng_signed(&rng) : 0.1;
        }
        solve(&a, &b, 1e-10);
        ck_assert_msg(a.status == PERP_SOLVED, "%d: %s %g", k, perp_status_name(a.status),
                      a.info.error);
        ck_assert_double_le(broken(&b, a.z), 1e-10);
    }
}
END_TEST

START_TEST(unsymmetric)
{
    static boxed b;
    static answer a;
    perp_rng rng = {6};
    double z[MAX];
    for (int k = 0; k < 120; k++) {
        int n = 1 + k % 40;
        gram(&b, n, 2 * n, &rng);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                double twist = 2.0 * perp_rng_signed(&rng);
                b.M[i + j * n] += twist;
                b.M[j + i * n] -= twist;
            }
        plant(&b, z, &rng);
        solve(&a, &b, 1e-10);
        ck_assert_int_eq(a.status, PERP_SOLVED);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(a.z[i], z[i], 1e-7);
    }
}
END_TEST

/* The families of bench/boxed_engines; the least singular ones end far below any tolerance. */
START_TEST(families)
{
    static double z[192], w[192];
    perp_solver *solver;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("dantzig"), NULL, NULL, NULL), 0);
    for (int f = 0; boxed_families[f]; f++)
        for (int s = 0; boxed_sizes[s]; s++)
            for (int seed = 1; seed <= 20; seed++) {
                boxed_problem p;
                ck_assert_int_eq(boxed_make(&p, boxed_families[f], boxed_sizes[s], seed), 0);
                perp_segment box = {PERP_BOX, 1, p.n, {p.lo, p.hi}, {1, 1}};
                perp_problem problem = {.q = p.q, .seg = &box, .nseg = 1};
                perp_mat_init_dense(&problem.M, p.n, p.n, p.M, p.n);
                ck_assert_int_eq(seed == 1 ? perp_solver_setup(solver, &problem)
                                           : perp_solver_update(solver, &problem),
                                 0);
                ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
                ck_assert_double_le(boxed_error(&p, z), 1e-13);
                boxed_free(&p);
            }
    perp_solver_destroy(solver);
}
END_TEST

/* Bounds of all kinds with small whole numbers. */
static void integer_bounds(boxed *b, perp_rng *rng)
{
    for (int i = 0; i < b->n; i++) {
        int kind = perp_rng_below(rng, 5);
        b->q[i] = perp_rng_below(rng, 5) - 2;
        b->lo[i] = kind == 0 ? -INFINITY : kind == 1 ? 0.0 : perp_rng_below(rng, 3) - 2;
        b->hi[i] = kind <= 1 || kind == 3 ? INFINITY : b->lo[i] + perp_rng_below(rng, 3);
    }
}

/* M with entries -2 .. 2: unsymmetric, symmetric, or G G' with entries -1 .. 1. */
static void integer_matrix(boxed *b, int which, perp_rng *rng)
{
    int n = b->n, rank = perp_rng_below(rng, 3);
    if (which < 2) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b->M[i + j * n] =
                    which == 1 && j < i ? b->M[j + i * n] : (double)(perp_rng_below(rng, 5) - 2);
        return;
    }
    memset(b->M, 0, sizeof b->M);
    for (int k = 0; k < rank; k++) {
        int g[SMALL];
        for (int i = 0; i < n; i++)
            g[i] = perp_rng_below(rng, 3) - 1;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b->M[i + j * n] += g[i] * g[j];
    }
}

START_TEST(tiny_integers)
{
    static boxed b;
    static answer a;
    perp_rng rng = {7};
    int count[3][3] = {{0}};
    for (int k = 0; k < 20000; k++) {
        int which = k % 3, has_line = 0;
        b.n = 1 + perp_rng_below(&rng, 5);
        integer_matrix(&b, which, &rng);
        if (which == 1)
            for (int i = 0; i < b.n; i++)
                for (int j = 0; j < i; j++)
                    b.M[i + j * b.n] = b.M[j + i * b.n];
        integer_bounds(&b, &rng);
        for (int i = 0; i < b.n; i++)
            has_line |= isinf(b.lo[i]) && isinf(b.hi[i]);
        solve(&a, &b, 1e-10);
        count[which][a.status == PERP_SOLVED ? 0 : a.status == PERP_INFEASIBLE ? 1 : 2]++;
        if (a.status == PERP_SOLVED)
            ck_assert_double_le(broken(&b, a.z), 1e-9);
        else
            ck_assert(a.status == PERP_INFEASIBLE || a.status == PERP_STALLED);
        if (a.status == PERP_INFEASIBLE) {
            check_infeasible(&b, &a);
            ck_assert(!exists(&b));
        }
        if (which == 2)
            ck_assert_msg(a.status != PERP_STALLED &&
                              (has_line || a.status == PERP_SOLVED || !exists(&b)),
                          "semidefinite problem %d: %s", k, perp_status_name(a.status));
    }
    for (int which = 0; which < 3; which++)
        ck_assert_int_gt(count[which][0], 1000);
    ck_assert_int_gt(count[2][1], 500);
}
END_TEST

START_TEST(limits)
{
    static boxed b;
    static double z[MAX], w[MAX];
    perp_rng rng = {8};
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    perp_settings_init(&settings, sizeof settings);
    gram(&b, 60, 15, &rng);
    plant(&b, z, &rng);
    for (int i = 0; i < 60; i++) {
        b.lo[i] = -1.0;
        b.hi[i] = 1.0;
    }
    perp_segment box = {PERP_BOX, 1, 60, {b.lo, b.hi}, {1, 1}};
    perp_problem problem = {.q = b.q, .seg = &box, .nseg = 1};
    perp_mat_init_dense(&problem.M, 60, 60, b.M, 60);
    ck_assert_int_eq(perp_solve("dantzig", &problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_int_gt(info.iterations, 3);
    settings.max_iter = 3;
    ck_assert_int_eq(perp_solve("dantzig", &problem, &settings, z, w, &info), PERP_ITERATION_LIMIT);
    ck_assert_int_eq(info.iterations, 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dantzig");
    TCase *tcase = tcase_create("dantzig");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, planted);
    tcase_add_test(tcase, brute_force);
    tcase_add_test(tcase, duplicated_rows);
    tcase_add_test(tcase, hostile_units);
    tcase_add_test(tcase, saddles);
    tcase_add_test(tcase, unsymmetric);
    tcase_add_test(tcase, families);
    tcase_add_test(tcase, tiny_integers);
    tcase_add_test(tcase, limits);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
