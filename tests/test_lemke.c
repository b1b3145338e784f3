/* SPDX-License-Identifier: BSD-3-Clause */
/* Lemke: classical LCP, enumeration of all cases, rays and certificates checked
 * by independent arithmetic, degenerate families, free rows and boxes. */
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "core/rng.h"
#include "real_dumps.h"

enum { MAX = 10 };

/* Any of FREE, NONNEG, BOX as bounds; the brute force knows nothing else. */
typedef struct boxed {
    int n;
    double M[MAX * MAX], q[MAX], lo[MAX], hi[MAX];
} boxed;

static perp_status lemke(const boxed *b, double tol, double *z, double *w, perp_info *info,
                         perp_certificate_kind *kind, double *certificate)
{
    perp_segment seg[MAX];
    perp_problem problem = {.q = b->q, .seg = seg, .nseg = b->n};
    perp_settings settings;
    perp_solver *solver;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    for (int i = 0; i < b->n; i++) {
        perp_set set = PERP_BOX;
        if (b->lo[i] == 0.0 && b->hi[i] == INFINITY)
            set = PERP_NONNEG;
        else if (b->lo[i] == -INFINITY && b->hi[i] == INFINITY)
            set = PERP_FREE;
        seg[i] = (perp_segment){set, 1, 1, {&b->lo[i], &b->hi[i]}, {0, 0}};
        if (set != PERP_BOX)
            seg[i].par[0] = seg[i].par[1] = NULL;
    }
    perp_mat_init_dense(&problem.M, b->n, b->n, b->M, b->n);
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("lemke"), &settings, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), 0);
    perp_status status = perp_solver_solve(solver, z, w, info);
    if (kind)
        perp_solver_certificate(solver, kind, certificate, b->n);
    perp_solver_destroy(solver);
    return status;
}

static void nonneg(boxed *b, int n)
{
    b->n = n;
    for (int i = 0; i < n; i++) {
        b->lo[i] = 0.0;
        b->hi[i] = INFINITY;
    }
}

/* A x = b by elimination with full pivoting; 0 when singular. */
static int gauss(double *x, const double *A, const double *b, int n)
{
    double a[MAX * MAX], r[MAX];
    int column[MAX];
    memcpy(a, A, sizeof(double) * (size_t)(n * n));
    memcpy(r, b, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
        column[k] = k;
    for (int k = 0; k < n; k++) {
        int pi = k, pj = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[i + j * n]) > fabs(a[pi + pj * n])) {
                    pi = i;
                    pj = j;
                }
        if (fabs(a[pi + pj * n]) < 1e-11)
            return 0;
        for (int j = 0; j < n; j++) {
            double t = a[k + j * n];
            a[k + j * n] = a[pi + j * n];
            a[pi + j * n] = t;
        }
        double t = r[k];
        r[k] = r[pi];
        r[pi] = t;
        for (int i = 0; i < n; i++) {
            double s = a[i + k * n];
            a[i + k * n] = a[i + pj * n];
            a[i + pj * n] = s;
        }
        int c = column[k];
        column[k] = column[pj];
        column[pj] = c;
        for (int i = k + 1; i < n; i++) {
            double f = a[i + k * n] / a[k + k * n];
            for (int j = k; j < n; j++)
                a[i + j * n] -= f * a[k + j * n];
            r[i] -= f * r[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            r[k] -= a[k + j * n] * x[column[j]];
        x[column[k]] = r[k] / a[k + k * n];
    }
    return 1;
}

/* State of each row: 0 at lo, 1 at hi, 2 between.  1 when that is a solution. */
static int try_state(const boxed *b, const int *state, double *z)
{
    int n = b->n, index[MAX], m = 0;
    double A[MAX * MAX], r[MAX], x[MAX];
    for (int i = 0; i < n; i++) {
        z[i] = state[i] == 0 ? b->lo[i] : b->hi[i];
        if (state[i] == 2)
            index[m++] = i;
        else if (!isfinite(z[i]))
            return 0;
    }
    for (int i = 0; i < m; i++) {
        r[i] = -b->q[index[i]];
        for (int j = 0; j < n; j++)
            if (state[j] != 2)
                r[i] -= b->M[index[i] + j * n] * z[j];
        for (int j = 0; j < m; j++)
            A[i + j * m] = b->M[index[i] + index[j] * n];
    }
    if (m > 0 && !gauss(x, A, r, m))
        return 0;
    for (int i = 0; i < m; i++) {
        z[index[i]] = x[i];
        if (x[i] < b->lo[index[i]] - 1e-9 || x[i] > b->hi[index[i]] + 1e-9)
            return 0;
    }
    for (int i = 0; i < n; i++) {
        double w = b->q[i];
        for (int j = 0; j < n; j++)
            w += b->M[i + j * n] * z[j];
        if ((state[i] == 0 && b->lo[i] < b->hi[i] && w < -1e-9) ||
            (state[i] == 1 && b->lo[i] < b->hi[i] && w > 1e-9))
            return 0;
    }
    return 1;
}

/* Number of complementary states that solve; the first solution into z. */
static int enumerate(const boxed *b, double *z)
{
    int state[MAX] = {0}, found = 0, i;
    double candidate[MAX];
    do {
        if (try_state(b, state, candidate) && found++ == 0)
            memcpy(z, candidate, sizeof(double) * (size_t)b->n);
        for (i = 0; i < b->n && state[i] == 2; i++)
            state[i] = 0;
        if (i < b->n)
            state[i]++;
    } while (i < b->n);
    return found;
}

static void multiply(double *w, const boxed *b, const double *z, int transposed)
{
    for (int i = 0; i < b->n; i++) {
        w[i] = 0.0;
        for (int j = 0; j < b->n; j++)
            w[i] += (transposed ? b->M[j + i * b->n] : b->M[i + j * b->n]) * z[j];
    }
}

static int is_free(const boxed *b, int i)
{
    return b->lo[i] == -INFINITY;
}

/* y >= 0 on NONNEG, M'y <= 0 (= 0 for free columns), q.y < 0. */
static void check_infeasible(const boxed *b, const double *y)
{
    double t[MAX], value = 0.0, size = 0.0;
    multiply(t, b, y, 1);
    for (int i = 0; i < b->n; i++)
        size = fmax(size, fabs(y[i]));
    for (int i = 0; i < b->n; i++) {
        value += b->q[i] * y[i];
        ck_assert(is_free(b, i) || y[i] >= 0.0);
        ck_assert_double_le(t[i], 1e-9 * size);
        if (is_free(b, i))
            ck_assert_double_ge(t[i], -1e-9 * size);
    }
    ck_assert_double_lt(value, -1e-9 * size);
}

/* z-part of a secondary ray: y >= 0, y_i (M y + d t)_i = 0 for some d > 0, t >= 0,
 * that is y_i > 0 only where (M y)_i <= 0. */
static void check_ray(const boxed *b, const double *y)
{
    double t[MAX], size = 0.0;
    multiply(t, b, y, 0);
    for (int i = 0; i < b->n; i++)
        size = fmax(size, fabs(y[i]));
    ck_assert_double_gt(size, 0.0);
    for (int i = 0; i < b->n; i++) {
        ck_assert(is_free(b, i) || y[i] >= -1e-9 * size);
        if (y[i] > 1e-9 * size && !is_free(b, i))
            ck_assert_double_le(t[i], 1e-9 * size);
    }
}

static void check_end(const boxed *b, perp_status status, perp_certificate_kind kind,
                      const double *certificate)
{
    if (status == PERP_INFEASIBLE) {
        ck_assert_int_eq(kind, PERP_CERTIFICATE_INFEASIBLE);
        check_infeasible(b, certificate);
    } else if (status == PERP_RAY) {
        ck_assert_int_eq(kind, PERP_CERTIFICATE_RAY);
        check_ray(b, certificate);
    }
}

START_TEST(classics)
{
    boxed b;
    double z[MAX], w[MAX];
    nonneg(&b, 2);
    memcpy(b.M, (double[]){2, 1, 1, 2}, sizeof(double) * 4);
    b.q[0] = -5;
    b.q[1] = -6;
    ck_assert_int_eq(lemke(&b, 1e-13, z, w, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(z[0], 4.0 / 3.0, 1e-13);
    ck_assert_double_eq_tol(z[1], 7.0 / 3.0, 1e-13);
    /* All of q positive: no pivot. */
    perp_info info;
    b.q[0] = 1;
    b.q[1] = 0;
    ck_assert_int_eq(lemke(&b, 1e-13, z, w, &info, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(info.iterations, 0);
    ck_assert(z[0] == 0.0 && z[1] == 0.0);
    /* Murty's family: about 2^n principal pivots for some methods; solution (0, .., 0, 1). */
    nonneg(&b, 8);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++)
            b.M[i + 8 * j] = i == j ? 1.0 : i < j ? 2.0 : 0.0;
    for (int i = 0; i < 8; i++)
        b.q[i] = -1.0;
    ck_assert_int_eq(lemke(&b, 1e-13, z, w, NULL, NULL, NULL), PERP_SOLVED);
    for (int i = 0; i < 8; i++)
        ck_assert_double_eq_tol(z[i], i == 7 ? 1.0 : 0.0, 1e-13);
}
END_TEST

/* Kostreva's cyclic example and others where many ratios tie. */
START_TEST(degenerate)
{
    boxed b;
    double z[MAX], w[MAX], reference[MAX];
    nonneg(&b, 3);
    memcpy(b.M, (double[]){1, 0, 2, 2, 1, 0, 0, 2, 1}, sizeof(double) * 9);
    for (int i = 0; i < 3; i++)
        b.q[i] = -1.0;
    ck_assert_int_eq(lemke(&b, 1e-13, z, w, NULL, NULL, NULL), PERP_SOLVED);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(z[i], 1.0 / 3.0, 1e-13);
    perp_rng rng = {7};
    for (int trial = 0; trial < 400; trial++) {
        int n = 2 + perp_rng_below(&rng, 6), rank = 1 + perp_rng_below(&rng, n);
        double A[MAX * MAX], x[MAX];
        nonneg(&b, n);
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
        double Mx[MAX];
        multiply(Mx, &b, x, 0);
        for (int i = 0; i < n; i++)
            b.q[i] -= Mx[i];
        ck_assert_int_gt(enumerate(&b, reference), 0);
        ck_assert_int_eq(lemke(&b, 1e-11, z, w, NULL, NULL, NULL), PERP_SOLVED);
    }
}
END_TEST

/* P matrices: one solution for each q. */
START_TEST(random_p)
{
    perp_rng rng = {1};
    for (int trial = 0; trial < 300; trial++) {
        boxed b;
        double z[MAX], w[MAX], reference[MAX];
        int n = 1 + perp_rng_below(&rng, 7);
        nonneg(&b, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                b.M[i + j * n] = perp_rng_signed(&rng);
        /* Diagonally dominant with a scaling of rows and columns: P. */
        for (int i = 0; i < n; i++) {
            double sum = 0.1;
            for (int j = 0; j < n; j++)
                sum += j == i ? 0.0 : fabs(b.M[i + j * n]);
            b.M[i + i * n] = sum;
            b.q[i] = perp_rng_signed(&rng);
        }
        for (int j = 0; j < n; j++) {
            double scale = pow(10.0, 4.0 * perp_rng_signed(&rng));
            for (int i = 0; i < n; i++)
                b.M[i + j * n] *= scale;
        }
        ck_assert_int_ge(enumerate(&b, reference), 1);
        ck_assert_int_eq(lemke(&b, 1e-12, z, w, NULL, NULL, NULL), PERP_SOLVED);
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
        double z[MAX], w[MAX], reference[MAX], A[MAX * MAX], y[MAX];
        perp_certificate_kind kind;
        int n = 2 + perp_rng_below(&rng, 6), rank = 1 + perp_rng_below(&rng, n);
        nonneg(&b, n);
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
        int solutions = enumerate(&b, reference);
        perp_status status = lemke(&b, 1e-10, z, w, NULL, &kind, y);
        ck_assert_int_eq(status, solutions > 0 ? PERP_SOLVED : PERP_INFEASIBLE);
        check_end(&b, status, kind, y);
        infeasible += status == PERP_INFEASIBLE;
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
        double z[MAX], w[MAX], reference[MAX], y[MAX];
        perp_certificate_kind kind;
        int n = 1 + perp_rng_below(&rng, 6);
        nonneg(&b, n);
        for (int i = 0; i < n * n; i++)
            b.M[i] = perp_rng_signed(&rng);
        for (int i = 0; i < n; i++)
            b.q[i] = perp_rng_signed(&rng);
        int solutions = enumerate(&b, reference);
        perp_status status = lemke(&b, 1e-10, z, w, NULL, &kind, y);
        ck_assert(status == PERP_SOLVED || status == PERP_RAY || status == PERP_INFEASIBLE);
        if (solutions == 0)
            ck_assert_int_ne(status, PERP_SOLVED);
        if (solutions > 0)
            ck_assert_int_ne(status, PERP_INFEASIBLE);
        check_end(&b, status, kind, y);
        count[status]++;
    }
    ck_assert_int_gt(count[PERP_SOLVED], 50);
    ck_assert_int_gt(count[PERP_RAY], 10);
    ck_assert_int_gt(count[PERP_INFEASIBLE], 10);
}
END_TEST

/* min 1/2 x'Hx + c'x, Ax = a, x >= 0 as a mixed LCP: the free block is 0. */
START_TEST(free_rows_without_diagonal)
{
    perp_rng rng = {4};
    int infeasible = 0;
    for (int trial = 0; trial < 300; trial++) {
        boxed b;
        double z[MAX], w[MAX], y[MAX], B[25], x0[5];
        perp_certificate_kind kind;
        int m = 1 + perp_rng_below(&rng, 2), n = 3 + perp_rng_below(&rng, 3), N = n + m;
        nonneg(&b, N);
        memset(b.M, 0, sizeof b.M);
        for (int k = 0; k < n * n; k++)
            B[k] = perp_rng_signed(&rng);
        for (int i = 0; i < n; i++) {
            x0[i] = perp_rng_below(&rng, 2) * perp_rng_uniform(&rng);
            b.q[i] = perp_rng_signed(&rng);
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++)
                    b.M[i + j * N] += B[i + k * n] * B[j + k * n];
        }
        for (int r = 0; r < m; r++) {
            b.lo[n + r] = -INFINITY;
            b.q[n + r] = trial % 3 == 0 ? 1.0 : 0.0;
            for (int j = 0; j < n; j++) {
                double a = trial % 3 == 0 ? perp_rng_uniform(&rng) : perp_rng_signed(&rng);
                b.M[n + r + j * N] = a;
                b.M[j + (n + r) * N] = -a;
                b.q[n + r] -= trial % 3 == 0 ? 0.0 : a * x0[j];
            }
        }
        perp_status status = lemke(&b, 1e-11, z, w, NULL, &kind, y);
        /* trial % 3 == 0: A x = -1 with A > 0. */
        ck_assert_int_eq(status, trial % 3 == 0 ? PERP_INFEASIBLE : PERP_SOLVED);
        check_end(&b, status, kind, y);
        infeasible += status == PERP_INFEASIBLE;
    }
    ck_assert_int_gt(infeasible, 10);
}
END_TEST

/* Free rows, invertible or with a redundant or contradicting equation. */
START_TEST(free_rows)
{
    perp_rng rng = {5};
    for (int trial = 0; trial < 300; trial++) {
        boxed b;
        double z[MAX], w[MAX], y[MAX], reference[MAX];
        perp_certificate_kind kind;
        int n = 3 + perp_rng_below(&rng, 4), m = 1 + perp_rng_below(&rng, n);
        nonneg(&b, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                b.M[i + j * n] = perp_rng_signed(&rng) + (i == j ? n : 0);
        for (int i = 0; i < n; i++)
            b.q[i] = perp_rng_signed(&rng);
        for (int i = 0; i < m; i++)
            b.lo[i] = -INFINITY;
        ck_assert_int_ge(enumerate(&b, reference), 1);
        ck_assert_int_eq(lemke(&b, 1e-12, z, w, NULL, NULL, NULL), PERP_SOLVED);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(z[i], reference[i], 1e-9);
        if (m < 2)
            continue;
        /* Rows and columns 0 and 1 the same: consistent, then not. */
        for (int j = 0; j < n; j++)
            b.M[1 + j * n] = b.M[j * n];
        for (int i = 0; i < n; i++)
            b.M[i + n] = b.M[i];
        b.q[1] = b.q[0];
        ck_assert_int_eq(lemke(&b, 1e-11, z, w, NULL, NULL, NULL), PERP_SOLVED);
        b.q[1] = b.q[0] + 1.0;
        perp_status status = lemke(&b, 1e-11, z, w, NULL, &kind, y);
        ck_assert_int_eq(status, PERP_INFEASIBLE);
        check_infeasible(&b, y);
    }
}
END_TEST

/* Boxes of all kinds; with finite bounds Lemke always arrives. */
START_TEST(boxes)
{
    perp_rng rng = {6};
    for (int trial = 0; trial < 600; trial++) {
        boxed b;
        double z[MAX], w[MAX], reference[MAX];
        int n = 1 + perp_rng_below(&rng, 5), definite = trial % 2;
        b.n = n;
        for (int i = 0; i < n * n; i++)
            b.M[i] = perp_rng_signed(&rng) + (definite && i % (n + 1) == 0 ? n : 0);
        for (int i = 0; i < n; i++) {
            int kind = definite ? perp_rng_below(&rng, 6) : 0;
            double at = perp_rng_signed(&rng), width = perp_rng_uniform(&rng);
            b.q[i] = 3.0 * perp_rng_signed(&rng);
            b.lo[i] = kind == 1 || kind == 3 ? -INFINITY : kind == 5 ? 0.0 : at;
            b.hi[i] = kind == 2 || kind == 3 || kind == 5 ? INFINITY : kind == 4 ? at : at + width;
        }
        ck_assert_int_ge(enumerate(&b, reference), 1);
        ck_assert_int_eq(lemke(&b, 1e-12, z, w, NULL, NULL, NULL), PERP_SOLVED);
        for (int i = 0; definite && i < n; i++)
            ck_assert_double_eq_tol(z[i], reference[i], 1e-9);
    }
}
END_TEST

/* Solutions with many zeros, where the elimination of FREE rows from a semidefinite
 * matrix leaves a value or a column of rounding, which looks like a ray.
 * All numbers are exact. */
START_TEST(free_rows_degenerate)
{
    perp_rng rng = {31};
    double z[MAX], w[MAX];
    for (int trial = 0; trial < 4000; trial++) {
        boxed b = {.n = 2 + perp_rng_below(&rng, 5)};
        int n = b.n, rank = 1 + perp_rng_below(&rng, n);
        double A[MAX * MAX], x[MAX], weight[MAX];
        for (int k = 0; k < n * rank; k++)
            A[k] = perp_rng_below(&rng, 3) - 1;
        for (int k = 0; k < rank; k++)
            weight[k] = ldexp(1.0, perp_rng_below(&rng, 25) - 12);
        for (int i = 0; i < n; i++) {
            int kind = perp_rng_below(&rng, 4);
            b.lo[i] = kind == 0 || kind == 2 ? -INFINITY
                      : kind == 1            ? 0.0
                                             : 0.5 * (perp_rng_below(&rng, 5) - 2);
            b.hi[i] = kind == 2 ? 0.5 * (perp_rng_below(&rng, 5) - 2) : INFINITY;
            for (int j = 0; j < n; j++) {
                b.M[i + j * n] = 0.0;
                for (int k = 0; k < rank; k++)
                    b.M[i + j * n] += weight[k] * A[i + k * n] * A[j + k * n];
            }
        }
        for (int i = 0; i < n; i++) {
            double at = perp_rng_below(&rng, 3) - 1;
            x[i] = fmin(fmax(at, b.lo[i]), b.hi[i]);
            b.q[i] = x[i] - at;
        }
        double Mx[MAX];
        multiply(Mx, &b, x, 0);
        for (int i = 0; i < n; i++)
            b.q[i] -= Mx[i];
        ck_assert_msg(lemke(&b, 1e-8, z, w, NULL, NULL, NULL) == PERP_SOLVED, "trial %d", trial);
    }
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
        perp_info info;
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

/* Files of ../shared: all are solved but the bimatrix game of Cottle, Pang, Stone,
 * example 4.4.23, on which Lemke's method is known to end on a ray. */
static int solve_file(const char *path, perp_dump_class cls)
{
    perp_dump *dump;
    perp_problem problem;
    perp_info info;
    ck_assert_msg(perp_dump_read(&dump, path, cls, NULL, NULL) == PERP_SOLVED, "%s", path);
    ck_assert_int_eq(perp_dump_problem(dump, &problem, NULL), 0);
    size_t n = (size_t)problem.M.rows;
    double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w);
    perp_status status = perp_solve("lemke", &problem, NULL, z, w, &info);
    ck_assert_msg(status == (strstr(path, "CPS_3") ? PERP_RAY : PERP_SOLVED), "%s: %s", path,
                  perp_status_name(status));
    free(z);
    free(w);
    perp_dump_destroy(dump);
    return 1;
}

START_TEST(files)
{
    static const struct {
        const char *folder;
        perp_dump_class cls;
    } kinds[] = {{"lcp", PERP_DUMP_LCP}, {"mlcp", PERP_DUMP_MLCP}, {"relay", PERP_DUMP_RELAY}};
    char folder[512], path[1024];
    for (int k = 0; k < 3; k++) {
        int count = 0;
        DIR *dir = real_dump_path(folder, sizeof folder, kinds[k].folder) ? opendir(folder) : NULL;
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
    tcase_add_test(tcase, classics);
    tcase_add_test(tcase, degenerate);
    tcase_add_test(tcase, random_p);
    tcase_add_test(tcase, random_psd);
    tcase_add_test(tcase, random_any);
    tcase_add_test(tcase, free_rows_without_diagonal);
    tcase_add_test(tcase, free_rows);
    tcase_add_test(tcase, free_rows_degenerate);
    tcase_add_test(tcase, boxes);
    tcase_add_test(tcase, larger_and_badly_scaled);
    tcase_add_test(tcase, files);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
