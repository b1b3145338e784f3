/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_ncp_solve(): problems of the literature by both methods and several inner solvers,
 * answers judged row by row; derivative check; callbacks and memory that fail. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "tests/fixtures/classical_ncp.h"
#include "core/rng.h"

static perp_ncp make(const classical_ncp *c, perp_segment *seg)
{
    for (int i = 0; i < c->n; i++) {
        int open = isinf(c->lo[i]) && isinf(c->hi[i]), half = c->lo[i] == 0.0 && isinf(c->hi[i]);
        seg[i] = (perp_segment){open   ? PERP_FREE
                                : half ? PERP_NONNEG
                                       : PERP_BOX,
                                1,
                                1,
                                {&c->lo[i], &c->hi[i]},
                                {0, 0}};
    }
    return (perp_ncp){.n = c->n, .F = c->F, .J = c->J, .seg = seg, .nseg = c->n};
}

/* lo <= z <= hi and F of the right sign, 0 between; in numbers of the size of the problem. */
static double worst_row(const classical_ncp *c, const double *z)
{
    double F[CLASSICAL_MAX], worst = 0.0;
    c->F(NULL, F, z);
    for (int i = 0; i < c->n; i++) {
        double p = fmin(fmax(z[i] - F[i], c->lo[i]), c->hi[i]);
        worst = fmax(worst, fabs(z[i] - p));
    }
    return worst;
}

static double distance(const classical_ncp *c, const double *z)
{
    double least = INFINITY;
    for (int k = 0; k < c->solutions; k++) {
        double d = 0.0;
        for (int i = 0; i < c->n; i++)
            d = fmax(d, fabs(z[i] - c->solution[k][i]));
        least = fmin(least, d);
    }
    return c->solutions ? least : 0.0;
}

static void solve_all(perp_ncp_method method, const char *solver)
{
    for (int k = 0; k < CLASSICAL_COUNT; k++) {
        const classical_ncp *c = &classical_ncps[k];
        perp_segment seg[CLASSICAL_MAX];
        perp_ncp ncp = make(c, seg);
        for (int s = 0; s < 3; s++) {
            double z[CLASSICAL_MAX], F[CLASSICAL_MAX];
            perp_ncp_settings settings;
            perp_ncp_info info = {.size = sizeof info};
            perp_ncp_settings_init(&settings, sizeof settings);
            settings.method = method;
            settings.solver = solver;
            settings.tol = 1e-12;
            memcpy(z, c->start[s], sizeof z);
            perp_status status = perp_ncp_solve(&ncp, &settings, z, F, &info);
            ck_assert_msg(status == PERP_SOLVED,
                          "%s from %d, %s: %s after %d, error %g, inner %d of %d failed", c->name,
                          s, solver ? solver : "default", perp_status_name(status), info.iterations,
                          info.error, info.inner_failed, info.inner_solves);
            ck_assert_msg(worst_row(c, z) < 1e-9 * (1.0 + fabs(z[1])), "%s: %g", c->name,
                          worst_row(c, z));
            ck_assert_double_lt(distance(c, z), 1e-5);
            for (int i = 0; i < c->n; i++)
                ck_assert(z[i] >= c->lo[i] && z[i] <= c->hi[i]);
        }
    }
}

START_TEST(josephy)
{
    solve_all(PERP_NCP_JOSEPHY, NULL);
}
END_TEST

START_TEST(josephy_with_avi)
{
    solve_all(PERP_NCP_JOSEPHY, "avi");
}
END_TEST

START_TEST(fischer)
{
    solve_all(PERP_NCP_FISCHER, NULL);
}
END_TEST

START_TEST(nash_and_cournot)
{
    const classical_ncp *c = &classical_ncps[4];
    perp_segment seg[CLASSICAL_MAX];
    perp_ncp ncp = make(c, seg);
    double z[CLASSICAL_MAX], F[CLASSICAL_MAX];
    perp_ncp_info info = {.size = sizeof info};
    memcpy(z, c->start[0], sizeof z);
    ck_assert_int_eq(perp_ncp_solve(&ncp, NULL, z, F, &info), PERP_SOLVED);
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq_tol(z[i], c->solution[0][i], 1e-3);
    ck_assert_int_le(info.iterations, 12);
    ck_assert_int_eq(info.inner_failed, 0);
    ck_assert_int_eq(info.inner_solves, info.iterations);
    ck_assert_int_eq(info.jacobians, info.iterations + 1);
}
END_TEST

START_TEST(derivatives)
{
    perp_rng rng = {41};
    for (int k = 0; k < CLASSICAL_COUNT; k++) {
        const classical_ncp *c = &classical_ncps[k];
        perp_segment seg[CLASSICAL_MAX];
        perp_ncp ncp = make(c, seg);
        double z[CLASSICAL_MAX], worst;
        for (int i = 0; i < c->n; i++)
            z[i] = 0.5 + perp_rng_uniform(&rng);
        int row, col;
        ck_assert_int_eq(perp_ncp_check_jacobian(&ncp, z, NULL, &worst, &row, &col), PERP_SOLVED);
        ck_assert_msg(worst < 1e-6, "%s: %g at %d, %d", c->name, worst, row, col);
    }
}
END_TEST

/* Sparse: each row couples three; z^3 and a skew part, monotone. */
enum { CHAIN = 60 };

typedef struct chain {
    double q[CHAIN];
    int wrong; /* the Jacobian has a fault in entry 7 */
    int values, jacobians, stop_value, stop_jacobian;
} chain;

static int chain_value(void *ctx, double *F, const double *z)
{
    chain *c = ctx;
    for (int i = 0; i < CHAIN; i++) {
        double left = i > 0 ? z[i - 1] : 0.0, right = i + 1 < CHAIN ? z[i + 1] : 0.0;
        F[i] = z[i] * z[i] * z[i] + 2.0 * z[i] - 1.5 * left + 0.5 * right + c->q[i];
    }
    return ++c->values == c->stop_value;
}

static int chain_jacobian(void *ctx, double *J, const double *z)
{
    chain *c = ctx;
    int at = 0;
    for (int j = 0; j < CHAIN; j++) {
        if (j + 1 < CHAIN)
            J[at++] = -1.5; /* row j + 1 */
        J[at++] = 3.0 * z[j] * z[j] + 2.0;
        if (j > 0)
            J[at++] = 0.5; /* row j - 1 */
    }
    J[7] += c->wrong;
    return ++c->jacobians == c->stop_jacobian;
}

typedef struct chain_problem {
    chain c;
    int colptr[CHAIN + 1], row[3 * CHAIN];
    double lo[CHAIN], hi[CHAIN];
    perp_segment seg;
    perp_ncp ncp;
} chain_problem;

static void make_chain(chain_problem *p, uint64_t seed)
{
    perp_rng rng = {seed};
    int at = 0;
    memset(p, 0, sizeof *p);
    for (int j = 0; j < CHAIN; j++) {
        p->colptr[j] = at;
        if (j + 1 < CHAIN)
            p->row[at++] = j + 1;
        p->row[at++] = j;
        if (j > 0)
            p->row[at++] = j - 1;
        p->c.q[j] = 10.0 * perp_rng_signed(&rng);
        p->lo[j] = perp_rng_below(&rng, 4) ? perp_rng_signed(&rng) : -INFINITY;
        p->hi[j] =
            perp_rng_below(&rng, 4) ? fmax(p->lo[j], -1.0) + perp_rng_uniform(&rng) : INFINITY;
    }
    p->colptr[CHAIN] = at;
    p->seg = (perp_segment){PERP_BOX, 1, CHAIN, {p->lo, p->hi}, {1, 1}};
    p->ncp = (perp_ncp){CHAIN, chain_value, chain_jacobian, &p->c, p->colptr, p->row, &p->seg, 1};
}

START_TEST(sparse_patterns)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        double z[2][CHAIN], F[CHAIN];
        for (int method = 0; method < 2; method++) {
            chain_problem p;
            perp_ncp_settings settings;
            perp_ncp_info info = {.size = sizeof info};
            make_chain(&p, seed);
            perp_ncp_settings_init(&settings, sizeof settings);
            settings.method = method ? PERP_NCP_FISCHER : PERP_NCP_JOSEPHY;
            settings.tol = 1e-13;
            memset(z[method], 0, sizeof z[method]);
            perp_status status = perp_ncp_solve(&p.ncp, &settings, z[method], F, &info);
            ck_assert_msg(status == PERP_SOLVED, "%s, %d: %g", perp_status_name(status), method,
                          info.error);
            ck_assert_int_eq(info.values, p.c.values);
            ck_assert_int_eq(info.jacobians, p.c.jacobians);
        }
        for (int i = 0; i < CHAIN; i++)
            ck_assert_double_eq_tol(z[0][i], z[1][i], 1e-10);
    }
}
END_TEST

START_TEST(a_wrong_derivative_is_found)
{
    chain_problem p;
    double z[CHAIN], worst;
    int row, col;
    make_chain(&p, 3);
    for (int i = 0; i < CHAIN; i++)
        z[i] = 0.1 * i - 2.0;
    ck_assert_int_eq(perp_ncp_check_jacobian(&p.ncp, z, NULL, &worst, NULL, NULL), PERP_SOLVED);
    ck_assert_double_lt(worst, 1e-7);
    p.c.wrong = 1;
    ck_assert_int_eq(perp_ncp_check_jacobian(&p.ncp, z, NULL, &worst, &row, &col), PERP_SOLVED);
    ck_assert_double_gt(worst, 0.01);
    ck_assert(row == p.row[7] && p.colptr[col] <= 7 && 7 < p.colptr[col + 1]);
}
END_TEST

START_TEST(callbacks_that_refuse)
{
    for (int method = 0; method < 2; method++) {
        for (int k = 1; k <= 8; k++) {
            chain_problem p;
            perp_ncp_settings settings;
            double z[CHAIN] = {0}, F[CHAIN];
            make_chain(&p, 5);
            perp_ncp_settings_init(&settings, sizeof settings);
            settings.method = method ? PERP_NCP_FISCHER : PERP_NCP_JOSEPHY;
            p.c.stop_value = k % 2 ? (k + 1) / 2 : 0;
            p.c.stop_jacobian = k % 2 ? 0 : k / 2;
            ck_assert_int_eq(perp_ncp_solve(&p.ncp, &settings, z, F, NULL), PERP_INTERRUPTED);
            for (int i = 0; i < CHAIN; i++)
                ck_assert(isfinite(z[i]));
        }
    }
}
END_TEST

/* F = log z - 1: not defined at 0, and Newton's steps from far right go below it. */
static int logarithm(void *ctx, double *F, const double *z)
{
    (void)ctx;
    F[0] = log(z[0]) - 1.0;
    return 0;
}

static int logarithm_jacobian(void *ctx, double *J, const double *z)
{
    (void)ctx;
    J[0] = 1.0 / z[0];
    return 0;
}

START_TEST(where_F_is_not_defined)
{
    perp_segment seg = {PERP_FREE, 1, 1, {NULL, NULL}, {0, 0}};
    perp_ncp ncp = {.n = 1, .F = logarithm, .J = logarithm_jacobian, .seg = &seg, .nseg = 1};
    for (int method = 0; method < 2; method++) {
        double z = 100.0, F;
        perp_ncp_settings settings;
        perp_ncp_info info = {.size = sizeof info};
        perp_ncp_settings_init(&settings, sizeof settings);
        settings.method = method ? PERP_NCP_FISCHER : PERP_NCP_JOSEPHY;
        settings.tol = 1e-12;
        ck_assert_int_eq(perp_ncp_solve(&ncp, &settings, &z, &F, &info), PERP_SOLVED);
        ck_assert_double_eq_tol(z, exp(1.0), 1e-9);
        z = -1.0;
        ck_assert_int_eq(perp_ncp_solve(&ncp, &settings, &z, &F, &info), PERP_ERR_NUMERICAL);
        ck_assert_str_eq(info.where.what, "F");
        ck_assert(z == -1.0);
    }
}
END_TEST

static int count_progress(void *ctx, const perp_progress *progress)
{
    int *calls = ctx;
    ck_assert_int_eq(progress->iteration, *calls);
    return ++*calls == 3;
}

START_TEST(limits)
{
    chain_problem p;
    perp_ncp_settings settings;
    perp_ncp_info info = {.size = sizeof info};
    double z[CHAIN] = {0}, F[CHAIN];
    int calls = 0;
    make_chain(&p, 6);
    perp_ncp_settings_init(&settings, sizeof settings);
    settings.max_iter = 1;
    ck_assert_int_eq(perp_ncp_solve(&p.ncp, &settings, z, F, &info), PERP_ITERATION_LIMIT);
    ck_assert_int_eq(info.iterations, 1);
    memset(z, 0, sizeof z);
    settings.max_iter = 200;
    settings.tol = 0.0;
    settings.progress = count_progress;
    settings.progress_ctx = &calls;
    ck_assert_int_eq(perp_ncp_solve(&p.ncp, &settings, z, F, &info), PERP_INTERRUPTED);
    settings.progress = NULL;
    settings.time_limit = 1e-300;
    ck_assert_int_eq(perp_ncp_solve(&p.ncp, &settings, z, F, &info), PERP_TIME_LIMIT);
    /* No tolerance at all: it ends by itself. */
    settings.time_limit = 0.0;
    perp_status status = perp_ncp_solve(&p.ncp, &settings, z, F, &info);
    ck_assert(status == PERP_STALLED || status == PERP_SOLVED || status == PERP_ITERATION_LIMIT);
    ck_assert_double_lt(info.error, 1e-14);
}
END_TEST

START_TEST(bad_input)
{
    chain_problem p;
    perp_ncp_settings settings;
    perp_ncp_info info = {.size = sizeof info};
    double z[CHAIN] = {0}, F[CHAIN], mu = 0.5;
    make_chain(&p, 7);
    perp_ncp_settings_init(&settings, sizeof settings);
    ck_assert_int_eq(perp_ncp_solve(NULL, NULL, z, F, &info), PERP_ERR_ARGUMENT);
    settings.solver = "nothing";
    ck_assert_int_eq(perp_ncp_solve(&p.ncp, &settings, z, F, &info), PERP_ERR_SETTING);
    ck_assert_str_eq(info.where.what, "solver");
    settings.solver = NULL;
    settings.tol = -1.0;
    ck_assert_int_eq(perp_ncp_solve(&p.ncp, &settings, z, F, &info), PERP_ERR_SETTING);
    p.row[4] = CHAIN;
    ck_assert_int_eq(perp_ncp_solve(&p.ncp, NULL, z, F, &info), PERP_ERR_STRUCTURE);
    make_chain(&p, 7);
    z[9] = NAN;
    ck_assert_int_eq(perp_ncp_solve(&p.ncp, NULL, z, F, &info), PERP_ERR_NONFINITE);
    ck_assert_int_eq(info.where.index, 9);
    p.seg = (perp_segment){PERP_COULOMB, 3, CHAIN / 3, {&mu, NULL}, {0, 0}};
    ck_assert_int_eq(perp_ncp_solve(&p.ncp, NULL, z, F, &info), PERP_ERR_UNSUPPORTED);
}
END_TEST

typedef struct purse {
    long left, live, taken;
} purse;

static void *pay(void *ctx, size_t bytes)
{
    purse *p = ctx;
    void *block = p->left-- > 0 ? malloc(bytes) : NULL;
    p->live += block != NULL;
    p->taken++;
    return block;
}

static void give(void *ctx, void *block)
{
    ((purse *)ctx)->live -= block != NULL;
    free(block);
}

START_TEST(memory)
{
    for (int method = 0; method < 2; method++) {
        const classical_ncp *c = &classical_ncps[0];
        perp_segment seg[CLASSICAL_MAX];
        perp_ncp ncp = make(c, seg);
        perp_ncp_settings settings;
        perp_ncp_settings_init(&settings, sizeof settings);
        settings.method = method ? PERP_NCP_FISCHER : PERP_NCP_JOSEPHY;
        for (long k = 0;; k++) {
            purse own = {k, 0, 0};
            const perp_allocator allocator = {pay, give, &own};
            perp_ncp_solver *handle;
            double z[CLASSICAL_MAX] = {1, 1, 1, 1}, F[CLASSICAL_MAX];
            perp_status status = perp_ncp_solver_create(&handle, &ncp, &settings, &allocator, NULL);
            if (status == PERP_SOLVED) {
                own.left = 1000000;
                long before = own.taken;
                for (int run = 0; run < 3; run++) {
                    z[0] = 1.0 + run;
                    ck_assert_int_eq(perp_ncp_solver_solve(handle, z, F, NULL), PERP_SOLVED);
                }
                ck_assert_int_eq(own.taken, before);
                perp_ncp_solver_destroy(handle);
                ck_assert_int_eq(own.live, 0);
                break;
            }
            ck_assert_int_eq(status, PERP_ERR_MEMORY);
            ck_assert_ptr_null(handle);
            ck_assert_int_eq(own.live, 0);
        }
    }
}
END_TEST

static int mute(void *ctx, double *y, const double *z)
{
    (void)ctx;
    (void)y;
    (void)z;
    return 0;
}

START_TEST(nothing_at_all)
{
    const perp_ncp empty = {.n = 0, .F = mute, .J = mute};
    for (int method = 0; method < 2; method++) {
        double z = 5.0, F = 6.0;
        perp_ncp_settings settings;
        perp_ncp_settings_init(&settings, sizeof settings);
        settings.method = method ? PERP_NCP_FISCHER : PERP_NCP_JOSEPHY;
        ck_assert_int_eq(perp_ncp_solve(&empty, &settings, &z, &F, NULL), PERP_SOLVED);
        ck_assert(z == 5.0 && F == 6.0);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {josephy,
                            josephy_with_avi,
                            fischer,
                            nash_and_cournot,
                            derivatives,
                            sparse_patterns,
                            a_wrong_derivative_is_found,
                            callbacks_that_refuse,
                            where_F_is_not_defined,
                            limits,
                            bad_input,
                            memory,
                            nothing_at_all};
    Suite *suite = suite_create("ncp");
    TCase *tcase = tcase_create("ncp");
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        tcase_add_test(tcase, tests[k]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
