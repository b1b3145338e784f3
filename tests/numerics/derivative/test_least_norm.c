/* SPDX-License-Identifier: BSD-3-Clause */
/* On a kink where z is not unique: of all directional derivatives the one of least norm, against
 * the least of all choices of rows that stay at zero. */
#include <check.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include <perp/derivative.h>

#include "core/rng.h"

enum { MOST = 7, FREE_ROW = 0, KINK, OPEN };

typedef struct planted {
    int n, kind[MOST];
    double M[MOST * MOST], q[MOST], z[MOST];
    double dq[MOST], dz[MOST], dw[MOST]; /* one derivative along dq, and the w of all */
} planted;

static void multiply(double *y, const planted *p, const double *x)
{
    for (int i = 0; i < p->n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < p->n; j++)
            y[i] += p->M[i + j * p->n] * x[j];
    }
}

/* More rows than the rank of M, so that z is not unique. */
static void plant(planted *p, uint64_t seed)
{
    perp_rng rng = {seed};
    double G[MOST * MOST], Mz[MOST], Mdz[MOST];
    p->n = 3 + perp_rng_below(&rng, MOST - 2);
    int n = p->n, rank = 1 + perp_rng_below(&rng, n - 1);
    for (int k = 0; k < rank * n; k++)
        G[k] = perp_rng_signed(&rng);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            p->M[i + j * n] = 0.0;
            for (int k = 0; k < rank; k++)
                p->M[i + j * n] += G[k + i * rank] * G[k + j * rank];
        }
    for (int i = 0; i < n; i++) {
        int settled = perp_rng_below(&rng, 2);
        p->kind[i] = perp_rng_below(&rng, 3);
        p->z[i] = p->kind[i] == FREE_ROW ? 1.0 : 0.0;
        p->dz[i] = p->kind[i] == OPEN || (p->kind[i] == KINK && settled)
                       ? 0.0
                       : perp_rng_uniform(&rng) - (p->kind[i] == FREE_ROW ? 0.5 : 0.0);
        p->dw[i] = p->kind[i] == OPEN                      ? 0.3
                   : p->kind[i] == KINK && p->dz[i] == 0.0 ? perp_rng_uniform(&rng)
                                                           : 0.0;
    }
    multiply(Mz, p, p->z);
    multiply(Mdz, p, p->dz);
    for (int i = 0; i < n; i++) {
        p->q[i] = (p->kind[i] == OPEN ? 1.0 : 0.0) - Mz[i];
        p->dq[i] = p->dw[i] - Mdz[i];
    }
}

/* x of least norm with M x = M dz, 0 where rows are not chosen; 0: none, or it is negative on a
 * kink. */
static int least_of(double *x, const planted *p, unsigned chosen)
{
    double A[MOST * MOST], b[MOST], size[MOST], left[MOST], aim[MOST];
    int at[MOST], count = 0;
    lapack_int rank;
    for (int i = 0; i < p->n; i++)
        if (chosen >> i & 1u)
            at[count++] = i;
    multiply(aim, p, p->dz);
    memcpy(b, aim, sizeof b);
    memset(x, 0, sizeof(double) * (size_t)p->n);
    for (int k = 0; k < count; k++)
        memcpy(A + k * p->n, p->M + at[k] * p->n, sizeof(double) * (size_t)p->n);
    if (count > 0)
        ck_assert_int_eq(
            LAPACKE_dgelsd(LAPACK_COL_MAJOR, p->n, count, 1, A, p->n, b, p->n, size, 1e-10, &rank),
            0);
    for (int k = 0; k < count; k++)
        x[at[k]] = b[k];
    multiply(left, p, x);
    for (int i = 0; i < p->n; i++)
        if (fabs(left[i] - aim[i]) > 1e-9 || (p->kind[i] == KINK && x[i] < -1e-9))
            return 0;
    return 1;
}

/* Of all choices of rows that may move. */
static double least_norm(const planted *p, double *best)
{
    double least = INFINITY, x[MOST];
    for (unsigned chosen = 0; chosen < 1u << p->n; chosen++) {
        int allowed = 1;
        double square = 0.0;
        for (int i = 0; i < p->n; i++)
            if (chosen >> i & 1u)
                allowed &= p->kind[i] != OPEN && !(p->dw[i] > 0.0);
        if (!allowed || !least_of(x, p, chosen))
            continue;
        for (int i = 0; i < p->n; i++)
            square += x[i] * x[i];
        if (square < least) {
            least = square;
            memcpy(best, x, sizeof x);
        }
    }
    return least;
}

START_TEST(the_least_of_all)
{
    planted p;
    double best[MOST], dz[MOST], dw[MOST];
    int several = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        plant(&p, seed);
        perp_segment seg = {PERP_NONNEG, 1, p.n, {NULL, NULL}, {0, 0}};
        perp_problem problem = {.q = p.q, .seg = &seg, .nseg = 1};
        perp_tangent along = {.size = sizeof along, .q = p.dq};
        perp_derivative *d;
        perp_mat_init_dense(&problem.M, p.n, p.n, p.M, p.n);
        ck_assert_int_eq(perp_derivative_create(&d, NULL, NULL, NULL), PERP_SOLVED);
        ck_assert_int_ge(perp_derivative_factor(d, &problem, p.z, NULL), 0);
        perp_status status = perp_derivative_jvp(d, 1, &along, dz, dw, NULL);
        perp_derivative_destroy(d);
        ck_assert_msg(status != PERP_NOT_DIFFERENTIABLE && status >= 0, "seed %d: status %d",
                      (int)seed, (int)status);
        several += status == PERP_NOT_UNIQUE;
        ck_assert(isfinite(least_norm(&p, best)));
        for (int i = 0; i < p.n; i++) {
            ck_assert_msg(fabs(dz[i] - best[i]) <= 1e-7, "seed %d, row %d: %g, least %g", (int)seed,
                          i, dz[i], best[i]);
            ck_assert_double_le(fabs(dw[i] - p.dw[i]), 1e-8);
        }
    }
    ck_assert_int_ge(several, 100);
}
END_TEST

/* z_1 + z_2 = 1 at (1, 0): more of it is shared, less is taken off the one that has some. */
START_TEST(two_that_share)
{
    const double M[4] = {1, 1, 1, 1}, q[2] = {-1, -1}, z[2] = {1, 0}, more[2] = {-1, -1};
    const double less[2] = {1, 1}, one[2] = {-1, 0};
    const double *const dq[3] = {more, less, one};
    const double wanted[3][2] = {{0.5, 0.5}, {-1.0, 0.0}, {1.0, 0.0}};
    perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_derivative *d;
    perp_mat_init_dense(&problem.M, 2, 2, M, 2);
    ck_assert_int_eq(perp_derivative_create(&d, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_derivative_factor(d, &problem, z, NULL), PERP_NOT_UNIQUE);
    for (int k = 0; k < 3; k++) {
        perp_tangent along = {.size = sizeof along, .q = dq[k]};
        double dz[2];
        ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, NULL, NULL), PERP_NOT_UNIQUE);
        for (int i = 0; i < 2; i++)
            ck_assert_double_eq_tol(dz[i], wanted[k][i], 1e-12);
    }
    perp_derivative_destroy(d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("least norm on a kink");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, the_least_of_all);
    tcase_add_test(tc, two_that_share);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
