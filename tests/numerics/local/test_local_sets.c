/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of every other set: planted solutions, judged by the conditions of
 * each set (membership, dual cone, orthogonality), not by its projection. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "local/local.h"
#include "generators/planted_block.h"

enum { MOST = 40 };

static double length(const double *x, int n)
{
    double square = 0.0;
    for (int i = 0; i < n; i++)
        square += x[i] * x[i];
    return sqrt(square);
}

/* Symmetric of the given rank, largest eigenvalues about 1; lean > 0 adds an unsymmetric part. */
static void random_matrix(double *A, int n, int rank, double least, double lean, perp_rng *rng)
{
    double v[MOST];
    memset(A, 0, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < n; i++)
            v[i] = planted_between(rng, -1.0, 1.0);
        const double s = (k == rank - 1 ? least : planted_between(rng, 0.1, 1.0)) / length(v, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                A[n * j + i] += s * v[i] * v[j] / length(v, n);
    }
    /* A skew part keeps the block monotone. */
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            const double s = lean * planted_between(rng, -1.0, 1.0);
            A[n * j + i] += s;
            A[n * i + j] -= s;
        }
}

static void random_direction(double *d, int n, perp_rng *rng)
{
    do
        for (int i = 0; i < n; i++)
            d[i] = planted_between(rng, -1.0, 1.0);
    while (length(d, n) < 0.1);
    const double size = length(d, n);
    for (int i = 0; i < n; i++)
        d[i] /= size;
}

/* z in the cone, w in its dual, orthogonal: regime 0 apex, 1 interior, 2 boundary. */
static void plant_soc(double *z, double *w, int n, double mu, int regime, perp_rng *rng)
{
    double d[MOST];
    random_direction(d, n - 1, rng);
    const double size = pow(10.0, planted_between(rng, -2.0, 2.0)), share = perp_rng_uniform(rng);
    z[0] = regime == 0 ? 0.0 : 1.0;
    w[0] = regime == 1 ? 0.0 : size * mu * (regime == 0 ? 1.0 + share : 1.0);
    for (int i = 1; i < n; i++) {
        z[i] = regime == 0 ? 0.0 : mu * d[i - 1] * (regime == 1 ? share : 1.0);
        w[i] = regime == 1 ? 0.0 : -size * d[i - 1];
    }
}

/* regime: bit 0 normal closed, bit 1 sliding. */
static void plant_tresca(double *z, double *w, int n, double radius, int regime, perp_rng *rng)
{
    double d[2];
    random_direction(d, n - 1, rng);
    const double size = pow(10.0, planted_between(rng, -2.0, 2.0)), share = perp_rng_uniform(rng);
    z[0] = regime & 1 ? size : 0.0;
    w[0] = regime & 1 ? 0.0 : size;
    for (int i = 1; i < n; i++) {
        z[i] = radius * d[i - 1] * (regime & 2 ? 1.0 : share);
        w[i] = regime & 2 ? -size * perp_rng_uniform(rng) * d[i - 1] : 0.0;
    }
}

/* How far z and w = A z + b are from the conditions, relative to the data. */
static double violation(const perp_block *block, const double *A, const double *b, const double *z)
{
    const int n = block->dim;
    const double p = block->par[0];
    double w[MOST], size = 0.0;
    for (int i = 0; i < n; i++) {
        w[i] = b[i];
        for (int j = 0; j < n; j++) {
            w[i] += A[n * j + i] * z[j];
            size = fmax(size, fabs(A[n * j + i]));
        }
    }
    const double scale = fmax(fmax(length(b, n), size * length(z, n)), length(w, n));
    const double zt = length(z + 1, n - 1), wt = length(w + 1, n - 1);
    double along = 0.0, primal, dual, gap, reach = scale;
    for (int i = 1; i < n; i++)
        along += z[i] * w[i];
    if (block->set == PERP_SOC) {
        primal = fmax(zt - p * z[0], -z[0]);
        dual = (p * wt - w[0]) / sqrt(1.0 + p * p);
        gap = fabs(z[0] * w[0] + along);
    } else {
        primal = fmax(zt - p, -z[0]);
        dual = -w[0];
        gap = fmax(fabs(z[0] * w[0]), fabs(along + p * wt));
        reach = fmax(scale, size * p);
    }
    if (scale == 0.0)
        return 0.0;
    return fmax(fmax(primal * size, dual) / scale, gap * size / (scale * reach));
}

static void solve_planted(int *failed, int *blocks, perp_set set, int n, int rank, double least,
                          double lean, perp_rng *rng)
{
    static const double parameters[4] = {1e-3, 0.3, 1.0, 10.0};
    double A[MOST * MOST], z[MOST], w[MOST], b[MOST], x[MOST] = {0.0}, *scratch = NULL;
    perp_local_prep prep;
    const perp_block block = {
        .dim = (short)n, .set = (short)set, .par = {parameters[perp_rng_below(rng, 4)], 0.0}};
    random_matrix(A, n, rank, least, lean, rng);
    if (set == PERP_SOC)
        plant_soc(z, w, n, block.par[0], perp_rng_below(rng, 3), rng);
    else
        plant_tresca(z, w, n, block.par[0], perp_rng_below(rng, 4), rng);
    for (int i = 0; i < n; i++) {
        b[i] = w[i];
        for (int j = 0; j < n; j++)
            b[i] -= A[n * j + i] * z[j];
    }
    perp_local_prepare(&prep, A, n);
    const size_t size = perp_local_scratch(n);
    if (size > 0)
        scratch = malloc(size * sizeof(double));
    const int known = perp_rng_below(rng, 2);
    const perp_status status =
        perp_local_solve(x, &block, A, known ? &prep : NULL, b, PERP_LOCAL_HYBRID, scratch);
    free(scratch);
    *failed += status != PERP_SOLVED || !(violation(&block, A, b, x) <= 1e-12);
    (*blocks)++;
}

static void check_set(perp_set set, int n, int count)
{
    for (int family = 0; family < 4; family++) {
        perp_rng rng = {.state = (uint64_t)(100 * (int)set + 10 * n + family)};
        int failed = 0, blocks = 0;
        for (int k = 0; k < count; k++) {
            const double least = family == 1 ? pow(10.0, planted_between(&rng, -14.0, -2.0)) : 0.3;
            const int rank = family == 2 ? 1 + perp_rng_below(&rng, n) : n;
            solve_planted(&failed, &blocks, set, n, rank, least, family == 3 ? 0.3 : 0.0, &rng);
        }
        ck_assert_msg(failed == 0, "set %d, %d rows, family %d: %d of %d failed", (int)set, n,
                      family, failed, blocks);
    }
}

START_TEST(tresca)
{
    check_set(PERP_TRESCA, 2, 10000);
    check_set(PERP_TRESCA, 3, 10000);
}
END_TEST

START_TEST(cones)
{
    static const int sizes[7] = {2, 3, 4, 5, 8, 15, 40};
    for (int k = 0; k < 7; k++)
        check_set(PERP_SOC, sizes[k], k < 2 ? 10000 : k < 5 ? 4000 : k < 6 ? 1000 : 150);
}
END_TEST

/* The condition of a bounded row: w >= 0 at lo, <= 0 at hi, 0 between. */
static int holds(double z, double w, double lo, double hi, double small)
{
    return z >= lo && z <= hi && (w <= small || z == lo) && (w >= -small || z == hi);
}

static int can_hold(double a, double b, double lo, double hi)
{
    if (isfinite(lo) && a * lo + b >= 0.0)
        return 1;
    if (isfinite(hi) && a * hi + b <= 0.0)
        return 1;
    return a != 0.0 ? -b / a >= lo && -b / a <= hi : b == 0.0;
}

START_TEST(rows)
{
    perp_rng rng = {.state = 3};
    const double values[5] = {-1.0, 0.0, 1.0, -1e-9, 1e9};
    int solved = 0;
    for (int k = 0; k < 20000; k++) {
        const int which = perp_rng_below(&rng, 5), kind = perp_rng_below(&rng, 3);
        const double a = values[which], b = perp_rng_below(&rng, 5) * 0.7 - 1.4;
        double lo = perp_rng_below(&rng, 4) ? planted_between(&rng, -2.0, 0.5) : -INFINITY;
        double hi = perp_rng_below(&rng, 4) ? fmax(lo, -1.0) + perp_rng_uniform(&rng) : INFINITY;
        if (kind == 0)
            lo = -INFINITY;
        if (kind == 1)
            lo = 0.0;
        if (kind < 2)
            hi = INFINITY;
        const perp_block block = {.dim = 1,
                                  .set = (short)(kind == 0   ? PERP_FREE
                                                 : kind == 1 ? PERP_NONNEG
                                                             : PERP_BOX),
                                  .par = {lo, hi}};
        double z = planted_between(&rng, -2.0, 2.0);
        const perp_status status =
            perp_local_solve(&z, &block, &a, NULL, &b, PERP_LOCAL_HYBRID, NULL);
        ck_assert(isfinite(z));
        ck_assert_int_eq(status, can_hold(a, b, lo, hi) ? PERP_SOLVED : PERP_INFEASIBLE);
        if (status == PERP_SOLVED)
            ck_assert(holds(z, a * z + b, lo, hi, 4.0 * DBL_EPSILON * (fabs(a * z) + fabs(b))));
        solved += status == PERP_SOLVED;
    }
    ck_assert_int_gt(solved, 10000);
}
END_TEST

/* COULOMB goes to the solver that was asked for. */
START_TEST(contacts)
{
    const double A[9] = {2.0, 0.1, 0.2, 0.1, 1.0, 0.0, 0.2, 0.0, 1.5}, b[3] = {-1.0, 0.9, -0.4};
    const double A2[4] = {2.0, 0.1, 0.1, 1.0};
    perp_block block = {.dim = 3, .set = PERP_COULOMB, .par = {0.3, 0.0}};
    double r[4][3] = {{0.0}};
    perp_local_prep prep;
    perp_local_prepare(&prep, A, 3);
    for (int kind = 0; kind < 4; kind++) {
        ck_assert_int_eq(
            perp_local_solve(r[kind], &block, A, &prep, b, (perp_local_kind)kind, NULL),
            PERP_SOLVED);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(r[kind][i], r[0][i], 1e-12);
    }
    block.dim = 2;
    double x[2] = {0.0, 0.0}, y[2] = {0.0, 0.0};
    ck_assert_int_eq(perp_local_solve(x, &block, A2, NULL, b, PERP_LOCAL_HYBRID, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_local_contact2(y, A2, b, 0.3), PERP_SOLVED);
    ck_assert(x[0] == y[0] && x[1] == y[1]);
}
END_TEST

START_TEST(sets_without_a_solution)
{
    const double A[9] = {0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, b[3] = {-1.0, 0.1, 0.2};
    for (int set = PERP_TRESCA; set <= PERP_SOC; set++) {
        const perp_block block = {.dim = 3, .set = (short)set, .par = {0.5, 0.0}};
        perp_local_prep prep;
        double z[3] = {0.0, 0.0, 0.0};
        perp_local_prepare(&prep, A, 3);
        ck_assert_int_eq(perp_local_solve(z, &block, A, &prep, b, PERP_LOCAL_HYBRID, NULL),
                         PERP_INFEASIBLE);
        ck_assert(isfinite(z[0]) && isfinite(z[1]) && isfinite(z[2]));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("local_sets");
    TCase *tcase = tcase_create("block");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, tresca);
    tcase_add_test(tcase, cones);
    tcase_add_test(tcase, rows);
    tcase_add_test(tcase, contacts);
    tcase_add_test(tcase, sets_without_a_solution);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
