/* SPDX-License-Identifier: BSD-3-Clause */
/* The precision floor: what rounding z adds to the error, and the note that says so. */
#include "tests/fixtures/contract.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 64 };

/* The root mean square over many roundings of how far M z moves, over the base of the natural
 * measure; in long double, from the definition. */
static double natural_floor(const stored_problem *p, const double *z)
{
    enum { ROUNDS = 200 };
    perp_rng rng = {77};
    double w[MOST];
    long double sum = 0.0L, q2 = 0.0L, z2 = 0.0L, w2 = 0.0L;
    judge(p, z, w);
    for (int i = 0; i < p->n; i++) {
        q2 += (long double)p->q[i] * p->q[i];
        z2 += (long double)z[i] * z[i];
        w2 += (long double)w[i] * w[i];
    }
    for (int round = 0; round < ROUNDS; round++) {
        long double moved[MOST] = {0.0L};
        for (int j = 0; j < p->n; j++) {
            long double step = (perp_rng_uniform(&rng) < 0.5 ? -0.5L : 0.5L) * DBL_EPSILON * z[j];
            for (int i = 0; i < p->n; i++)
                moved[i] += (long double)p->M[i + j * p->n] * step;
            sum += step * step;
        }
        for (int i = 0; i < p->n; i++)
            sum += moved[i] * moved[i];
    }
    return (double)sqrtl(sum / ROUNDS / fmaxl(q2, fmaxl(z2, w2)));
}

static int compared;

static void compare(contract_case *c)
{
    double z[MOST], w[MOST];
    perp_settings s;
    perp_info info = {.size = sizeof info};
    settings_default(&s);
    s.measure = PERP_MEASURE_NATURAL;
    s.tol = 1e-3;
    s.max_iter = 3;
    if (c->stored->n > MOST ||
        perp_solve(perp_solver_name(c->type), &c->view->problem, &s, z, w, &info) < 0)
        return;
    if (info.status == PERP_SOLVED || c->kind == STORED_OPERATOR ||
        c->kind == STORED_OPERATOR_BARE) {
        if (info.floor != 0.0)
            complain(c->complaints, "%s: a floor of %g", c->name, info.floor);
        return;
    }
    compared++;
    double expected = natural_floor(c->stored, z);
    if (!(info.floor <= 4.0 * expected && 4.0 * info.floor >= expected))
        complain(c->complaints, "%s: %g, should be about %g", c->name, info.floor, expected);
    if (info.notes & PERP_NOTE_FLOOR)
        complain(c->complaints, "%s: error %g is not at the floor", c->name, info.error);
}

START_TEST(estimate)
{
    contract_each(compare, ZOO_HARD, 1, ALL_STORAGES);
    ck_assert_int_ge(compared, 100);
}
END_TEST

/* What no z in doubles can meet ends at the floor, and says so, and says no more than that. */
static void sink(contract_case *c)
{
    double z[MOST], w[MOST];
    perp_settings s;
    perp_info info = {.size = sizeof info};
    settings_default(&s);
    s.tol = 0.0;
    if (c->stored->n > MOST || strcmp(perp_solver_name(c->type), "auto") != 0 ||
        perp_solve("auto", &c->view->problem, &s, z, w, &info) < 0)
        return;
    if (info.status != PERP_SOLVED && info.error > 1e-13)
        complain(c->complaints, "%s: error %g", c->name, info.error);
    if (info.notes & PERP_NOTE_FLOOR && info.error > 4.0 * info.floor)
        complain(c->complaints, "%s: error %g, floor %g", c->name, info.error, info.floor);
}

START_TEST(nothing_below)
{
    contract_each(sink, ZOO_EASY, 1, FEW_STORAGES | 1 << STORED_DENSE);
}
END_TEST

/* A small problem that is solved but for its last digits: its other stages go round for nothing. */
START_TEST(no_stage_below)
{
    enum { N = 12, PROBLEMS = 40 };
    perp_rng rng = {3};
    for (int k = 0; k < PROBLEMS; k++) {
        double A[N * N], M[N * N], q[N], z[N], w[N];
        perp_problem problem = {.q = q, .nseg = 1};
        const perp_segment rows = {PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}};
        perp_settings s;
        perp_info info = {.size = sizeof info};
        for (int i = 0; i < N * N; i++)
            A[i] = perp_rng_signed(&rng);
        for (int i = 0; i < N; i++)
            q[i] = perp_rng_signed(&rng);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                M[i + j * N] = i == j;
                for (int m = 0; m < N; m++)
                    M[i + j * N] += A[m + i * N] * A[m + j * N];
            }
        problem.seg = &rows;
        ck_assert_int_eq(perp_mat_init_dense(&problem.M, N, N, M, N), PERP_SOLVED);
        settings_default(&s);
        s.tol = 1e-19;
        perp_status status = perp_solve("auto", &problem, &s, z, w, &info);
        ck_assert_int_le(info.iterations, 5 * N);
        if (status == PERP_SOLVED)
            continue;
        ck_assert_int_eq(status, PERP_STALLED);
        ck_assert(info.notes & PERP_NOTE_FLOOR);
        ck_assert_double_le(info.error, 1e-15);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {estimate, nothing_below, no_stage_below};
    return contract_main("floor", tests, (int)(sizeof tests / sizeof *tests));
}
