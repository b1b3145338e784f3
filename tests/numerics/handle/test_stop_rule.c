/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends an iteration, and which iterate is given back: limits, callback, stall, the best one. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <perp/numerics.h>

#include "handle/solver_type.h"

enum { N = 6 };

/* A chain: sweeps need some tens of iterations. */
static const double chain[N * N] = {2, -1, 0,  0,  0, 0, -1, 2, -1, 0, 0, 0,  0, -1, 2, -1, 0,  0,
                                    0, 0,  -1, 2, -1, 0, 0,  0, 0, -1, 2, -1, 0, 0,  0, 0,  -1, 2};
static const double load[N] = {-1, -1, -1, -1, -1, -1};

typedef struct seen {
    int calls, last, stop_at;
    double best, lowest, error[4096];
} seen;

static int watch(void *ctx, const perp_progress *p)
{
    seen *s = ctx;
    ck_assert_int_ge(p->iteration, s->last);
    s->last = p->iteration;
    s->error[s->calls++ % 4096] = p->error;
    s->lowest = fmin(s->lowest, p->error);
    s->best = p->best;
    return s->stop_at > 0 && s->calls >= s->stop_at;
}

typedef struct outcome {
    perp_status status;
    perp_info info;
    seen seen;
    double z[N], w[N];
} outcome;

static perp_settings settings_of(void)
{
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    s.acceleration = PERP_ACCELERATION_NONE;
    s.check_every = 1;
    return s;
}

static void solve(outcome *o, const double *q, perp_settings *settings)
{
    perp_segment seg = {PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, N, N, chain, N), 0);
    o->info = (perp_info){.size = sizeof o->info};
    o->seen.lowest = INFINITY;
    settings->progress = watch;
    settings->progress_ctx = &o->seen;
    o->status = perp_solve("pgs", &p, settings, o->z, o->w, &o->info);
    /* The residual that is told is that of the z that is given back. */
    perp_residuals r = {.size = sizeof r};
    ck_assert_int_eq(perp_residual(&p, o->z, NULL, NULL, &r), 0);
    ck_assert_double_eq_tol(r.natural, o->info.residual.natural, 1e-15);
    ck_assert_double_eq_tol(o->info.error,
                            fmax(fmax(r.natural, r.scaled), r.dual * r.dual), 1e-15);
}

START_TEST(tolerance)
{
    outcome o = {.status = 0};
    perp_settings s = settings_of();
    solve(&o, load, &s);
    ck_assert_int_eq(o.status, PERP_SOLVED);
    ck_assert_double_le(o.info.error, s.tol);
    /* Not earlier than needed. */
    ck_assert_int_gt(o.info.iterations, 5);
    for (int k = 0; k < o.seen.calls; k++)
        ck_assert_double_gt(o.seen.error[k], s.tol);
}
END_TEST

START_TEST(limit_of_iterations)
{
    for (int most = 1; most <= 7; most += 3) {
        outcome o = {.status = 0};
        perp_settings s = settings_of();
        s.max_iter = most;
        solve(&o, load, &s);
        ck_assert_int_eq(o.status, PERP_ITERATION_LIMIT);
        ck_assert_int_eq(o.info.iterations, most);
    }
}
END_TEST

START_TEST(callback_stops)
{
    outcome o = {.status = 0};
    perp_settings s = settings_of();
    o.seen.stop_at = 4;
    solve(&o, load, &s);
    ck_assert_int_eq(o.status, PERP_INTERRUPTED);
    ck_assert_int_eq(o.seen.calls, 4);
    ck_assert_double_le(o.info.error, o.seen.lowest);
}
END_TEST

/* The budget is counted in sweeps. */
START_TEST(budget)
{
    for (int most = 2; most <= 8; most++) {
        outcome o = {.status = 0};
        perp_settings s = settings_of();
        s.budget = most;
        solve(&o, load, &s);
        ck_assert_int_eq(o.status, PERP_WORK_LIMIT);
        ck_assert_int_eq(o.info.iterations, most);
    }
}
END_TEST

START_TEST(a_start_that_solves)
{
    static const double down[N] = {1, 1, 1, 1, 1, 1};
    outcome o = {.status = 0};
    perp_settings s = settings_of();
    solve(&o, down, &s);
    ck_assert_int_eq(o.status, PERP_SOLVED);
    ck_assert_int_eq(o.info.iterations, 0);
}
END_TEST

/* warm_start 1 takes an answer as it is; 2 goes on unless it is ten times better than asked for. */
START_TEST(a_start_within_the_tolerance)
{
    outcome first = {.status = 0};
    perp_settings s = settings_of();
    s.tol = 1e-4;
    solve(&first, load, &s);
    ck_assert_double_gt(first.info.error, 1e-5);
    for (int way = 1; way <= 2; way++) {
        outcome o = {.status = 0};
        memcpy(o.z, first.z, sizeof o.z);
        s.warm_start = way;
        solve(&o, load, &s);
        ck_assert_int_eq(o.status, PERP_SOLVED);
        ck_assert_int_eq(o.info.iterations > 0, way == 2);
    }
}
END_TEST

/* M + M' is indefinite and sweeps diverge: the best iterate is given back, and said to be. */
START_TEST(best_iterate)
{
    static const double M[4] = {1, 2, -3, 1}, q[2] = {-1, 1};
    perp_segment seg = {PERP_FREE, 1, 2, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_settings s = settings_of();
    perp_info info = {.size = sizeof info};
    seen own = {.lowest = INFINITY};
    double z[2], w[2];
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 2, 2, M, 2), 0);
    s.max_iter = 30;
    s.progress = watch;
    s.progress_ctx = &own;
    perp_status status = perp_solve("pgs", &p, &s, z, w, &info);
    ck_assert_int_gt(status, 0);
    ck_assert_int_ne(info.notes & PERP_NOTE_BEST, 0);
    ck_assert_double_eq_tol(info.error, own.lowest, 1e-12 * own.lowest);
    ck_assert_double_gt(own.error[own.calls - 1], own.lowest);
}
END_TEST

/* So many measurements that have not halved the error, and no fewer. */
START_TEST(stall)
{
    outcome o = {.status = 0};
    perp_settings s = settings_of();
    s.tol = 0.0;
    s.stall_window = 3;
    solve(&o, load, &s);
    ck_assert_int_eq(o.status, PERP_STALLED);
    double reference = INFINITY;
    int since = 0, k = 0;
    for (; k < o.seen.calls && since < 3; k++) {
        since = o.seen.error[k] < 0.5 * reference ? 0 : since + 1;
        reference = since == 0 ? o.seen.error[k] : reference;
    }
    ck_assert_int_eq(since, 3);
    ck_assert_int_eq(k, o.seen.calls);
}
END_TEST

START_TEST(measures)
{
    for (int measure = 0; measure < 3; measure++) {
        outcome o = {.status = 0};
        perp_segment seg = {PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}};
        perp_settings s = settings_of();
        double M[N * N], q[N];
        for (int i = 0; i < N * N; i++)
            M[i] = chain[i] * (i % N % 2 ? 1e3 : 1.0) * (i / N % 2 ? 1e3 : 1.0);
        for (int i = 0; i < N; i++)
            q[i] = load[i] * (i % 2 ? 1e3 : 1.0);
        perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
        ck_assert_int_eq(perp_mat_init_dense(&p.M, N, N, M, N), 0);
        s.measure = measure;
        o.info = (perp_info){.size = sizeof o.info};
        ck_assert_int_eq(perp_solve("pgs", &p, &s, o.z, o.w, &o.info), PERP_SOLVED);
        const perp_residuals *r = &o.info.residual;
        double guard = r->dual * r->dual, both = fmax(fmax(r->natural, r->scaled), guard);
        double own = measure == PERP_MEASURE_NATURAL  ? r->natural
                     : measure == PERP_MEASURE_SCALED ? r->scaled
                                                      : both;
        ck_assert_double_eq(o.info.error, own);
    }
}
END_TEST

/* Sweeps look at z = 0 first, unless it cannot be an answer: which the normals alone say, beside the
 * tolerance of the whole q. */
START_TEST(zero_is_an_answer)
{
    for (int k = 0; k < 12; k++) {
        double M[25] = {0.0}, q[5] = {0.0}, z[5], w[5], mu = 0.1, far = k < 6 ? 0.5 : 2.0;
        int n = k % 2 ? 5 : 4;
        perp_segment seg[2] = {{PERP_COULOMB, 2, 2, {&mu, NULL}, {0, 0}},
                               {PERP_NONNEG, 1, n - 4, {NULL, NULL}, {0, 0}}};
        perp_problem p = {.q = q, .seg = seg, .nseg = n == 5 ? 2 : 1};
        perp_info info = {.size = sizeof info};
        perp_settings s;
        perp_settings_init(&s, sizeof s);
        for (int i = 0; i < n; i++)
            M[i * (n + 1)] = 1.0;
        /* One large entry, in turn in an odd place, an even one and the last. */
        q[k % 6 < 2 ? 3 : k % 6 < 4 ? 2 : n - 1] = 1.0;
        q[0] = -far * s.tol;
        ck_assert_int_eq(perp_mat_init_dense(&p.M, n, n, M, n), 0);
        ck_assert_int_eq(perp_solve("gs", &p, &s, z, w, &info), PERP_SOLVED);
        ck_assert_msg((info.iterations == 0) == (k < 6), "%d: %d", k, info.iterations);
    }
}
END_TEST

typedef struct product {
    int calls, last;
} product;

static int multiply(void *ctx, double *y, const double *x)
{
    product *p = ctx;
    for (int i = 0; i < N; i++) {
        y[i] = 0.0;
        for (int j = 0; j < N; j++)
            y[i] += chain[i + j * N] * x[j];
    }
    return ++p->calls == p->last;
}

/* An operator that breaks off ends the solve, wherever it does; without a diagonal there is no scaled
 * measure: who asks for it is told, and the others do without. */
START_TEST(operators)
{
    int whole = 0;
    for (int last = 0; last == 0 || last < whole; last++) {
        product count = {0, last};
        perp_segment seg = {PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}};
        perp_problem p = {.q = load, .seg = &seg, .nseg = 1};
        perp_settings s = settings_of();
        perp_info info = {.size = sizeof info};
        double z[N], w[N];
        ck_assert_int_eq(perp_mat_init_operator(&p.M, N, multiply, &count, NULL), 0);
        s.measure = PERP_MEASURE_SCALED;
        s.tol = 1e-4;
        ck_assert_int_eq(perp_solve("apgd", &p, &s, z, w, NULL), PERP_ERR_UNSUPPORTED);
        s.measure = PERP_MEASURE_BOTH;
        count.calls = 0;
        perp_status status = perp_solve("apgd", &p, &s, z, w, &info);
        if (last > 0) {
            ck_assert_msg(status == PERP_INTERRUPTED, "%d: %s", last, perp_status_name(status));
            ck_assert_int_le(count.calls, last + 1);
            continue;
        }
        whole = count.calls;
        ck_assert_int_eq(status, PERP_SOLVED);
        ck_assert(isnan(info.residual.scaled));
        ck_assert_double_eq(info.error, fmax(info.residual.natural,
                                             info.residual.dual * info.residual.dual));
    }
    ck_assert_int_gt(whole, 3);
}
END_TEST

/* In doubles 2^53 + 1 - 2^53 = 0, so that w_0 = 1 is not seen unless it is looked for. */
START_TEST(what_rounding_hides)
{
    static const char *const names[] = {"gs", "nsn", "apgd"};
    const double b = 0x1p53, M[9] = {b, 0, 0, 1, 1, 0, -b, 0, 1}, q[3] = {0, -1, -1};
    perp_segment seg = {PERP_FREE, 1, 3, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 3, 3, M, 3), 0);
    for (int k = 0; k < 3; k++)
        for (int measure = 0; measure < 2; measure++) {
            double z[3] = {1, 1, 1}, w[3];
            perp_settings s = settings_of();
            perp_info info = {.size = sizeof info};
            s.warm_start = 1;
            s.max_iter = 50;
            s.measure = measure ? PERP_MEASURE_NATURAL : PERP_MEASURE_BOTH;
            perp_status status = perp_solve(names[k], &p, &s, z, w, &info);
            if (status == PERP_SOLVED)
                ck_assert_msg(z[0] != 1.0 || z[1] != 1.0 || z[2] != 1.0, "%s", names[k]);
            else
                ck_assert_double_gt(info.error, s.tol);
        }
}
END_TEST

/* Which measures an error is made of. */
/* Numbers that leave the range of doubles end an iteration, and the best iterate before is given
 * back. */
START_TEST(errors_that_are_no_numbers)
{
    const double M[4] = {1.0, -3.0, -3.0, 1.0}, q[2] = {-1.0, -1.0};
    double z[2] = {0.0, 0.0}, w[2];
    perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_settings s = settings_of();
    perp_info info = {.size = sizeof info};
    s.max_iter = 100000;
    s.stall_window = 100000;
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 2, 2, M, 2), 0);
    /* Sweeps triple z, twice each, until it is beyond 1e308. */
    ck_assert_int_eq(perp_solve("pgs", &p, &s, z, w, &info), PERP_STALLED);
    ck_assert_int_lt(info.iterations, 1000);
    ck_assert_int_ne(info.notes & PERP_NOTE_BEST, 0);
    ck_assert(isfinite(z[0]) && isfinite(z[1]) && isfinite(w[0]) && isfinite(w[1]));
    ck_assert(isfinite(info.error) && info.error > 0.0);
}
END_TEST

START_TEST(measures_that_are_read)
{
    static const int expected[3][2][2] = {/* both */ {{1, 0}, {1, 1}},
                                          /* natural */ {{1, 0}, {1, 0}},
                                          /* scaled */ {{1, 0}, {0, 1}}};
    static const int which[3] = {PERP_MEASURE_BOTH, PERP_MEASURE_NATURAL, PERP_MEASURE_SCALED};
    double d = 1.0;
    for (int k = 0; k < 3; k++)
        for (int scaled = 0; scaled < 2; scaled++) {
            perp_settings s = settings_of();
            perp_work work;
            memset(&work, 0, sizeof work);
            s.measure = which[k];
            work.settings = &s;
            work.scaling.d = scaled ? &d : NULL;
            for (int m = 0; m < 2; m++)
                ck_assert_int_eq(perp_reads_measure(&work, m), expected[k][scaled][m]);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stop-rule");
    TCase *tcase = tcase_create("stop-rule");
    tcase_add_test(tcase, tolerance);
    tcase_add_test(tcase, limit_of_iterations);
    tcase_add_test(tcase, callback_stops);
    tcase_add_test(tcase, budget);
    tcase_add_test(tcase, a_start_that_solves);
    tcase_add_test(tcase, a_start_within_the_tolerance);
    tcase_add_test(tcase, best_iterate);
    tcase_add_test(tcase, stall);
    tcase_add_test(tcase, measures);
    tcase_add_test(tcase, zero_is_an_answer);
    tcase_add_test(tcase, operators);
    tcase_add_test(tcase, what_rounding_hides);
    tcase_add_test(tcase, errors_that_are_no_numbers);
    tcase_add_test(tcase, measures_that_are_read);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
