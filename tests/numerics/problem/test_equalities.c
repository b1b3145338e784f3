/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_equalities_find() on planted ranks, contradictions and empty columns, in any scale. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"

enum { MAX = 20 };

typedef struct instance {
    int n, equalities;
    double M[MAX * MAX], q[MAX];
    perp_segment seg[2];
    perp_problem problem;
} instance;

/* `rank` independent equality rows, then sums of them with q to match; then pairs. */
static void plant(instance *p, int equalities, int rank, int pairs, perp_rng *rng)
{
    int n = equalities + pairs;
    memset(p, 0, sizeof *p);
    p->n = n;
    p->equalities = equalities;
    for (int i = 0; i < n; i++) {
        int made = i >= rank && i < equalities;
        double f[MAX];
        for (int k = 0; k < rank; k++)
            f[k] = perp_rng_signed(rng);
        for (int j = 0; j < n; j++) {
            p->M[i + j * n] = made ? 0.0 : perp_rng_signed(rng);
            for (int k = 0; made && k < rank; k++)
                p->M[i + j * n] += f[k] * p->M[k + j * n];
        }
        p->q[i] = made ? 0.0 : perp_rng_signed(rng);
        for (int k = 0; made && k < rank; k++)
            p->q[i] += f[k] * p->q[k];
    }
    p->seg[0] = (perp_segment){PERP_FREE, 1, equalities, {NULL, NULL}, {0, 0}};
    p->seg[1] = (perp_segment){PERP_NONNEG, 1, pairs, {NULL, NULL}, {0, 0}};
    p->problem = (perp_problem){.q = p->q, .seg = p->seg, .nseg = 2};
    perp_mat_init_dense(&p->problem.M, n, n, p->M, n);
}

/* Rows and columns in other units. */
static void rescale(instance *p, perp_rng *rng)
{
    for (int i = 0; i < p->n; i++) {
        double row = pow(10.0, 6.0 * perp_rng_signed(rng));
        double col = pow(10.0, 6.0 * perp_rng_signed(rng));
        p->q[i] *= row;
        for (int j = 0; j < p->n; j++) {
            p->M[i + j * p->n] *= row;
            p->M[j + i * p->n] *= col;
        }
    }
}

START_TEST(ranks)
{
    perp_rng rng = {51};
    for (int k = 0; k < 400; k++) {
        instance p;
        perp_equalities e;
        unsigned char kind[MAX];
        int f = perp_rng_below(&rng, 9), rank = f ? perp_rng_below(&rng, f + 1) : 0, count = 0;
        plant(&p, f, rank, perp_rng_below(&rng, 6), &rng);
        if (k % 2)
            rescale(&p, &rng);
        ck_assert_int_eq(perp_equalities_find(&p.problem, NULL, &e, kind, NULL), PERP_SOLVED);
        ck_assert_int_eq(e.rows, f);
        ck_assert_msg(e.rank == rank, "%d: rank %d, found %d", k, rank, e.rank);
        ck_assert_int_eq(e.redundant, f - rank);
        ck_assert_int_eq(e.contradictory, 0);
        for (int i = 0; i < p.n; i++)
            count += kind[i] & 1;
        ck_assert_int_eq(count, f - rank);
    }
}
END_TEST

START_TEST(contradictions)
{
    perp_rng rng = {52};
    for (int k = 0; k < 400; k++) {
        instance p;
        perp_equalities e;
        perp_certificate_figures figures = {.size = sizeof figures};
        unsigned char kind[MAX];
        double y[MAX];
        int f = 2 + perp_rng_below(&rng, 7), rank = 1 + perp_rng_below(&rng, f - 1);
        plant(&p, f, rank, perp_rng_below(&rng, 6), &rng);
        p.q[rank] += perp_rng_signed(&rng) > 0.0 ? 1e-3 : -1.0;
        if (k % 2)
            rescale(&p, &rng);
        ck_assert_int_eq(perp_equalities_find(&p.problem, NULL, &e, kind, y), PERP_SOLVED);
        ck_assert_int_eq(e.rank, rank);
        ck_assert_int_gt(e.contradictory, 0);
        ck_assert_int_eq(e.contradictory + e.redundant, f - rank);
        ck_assert_int_eq(
            perp_certificate_check(&p.problem, PERP_CERTIFICATE_INFEASIBLE, y, NULL, &figures),
            PERP_SOLVED);
        /* Combinations of rounded rows: they cancel to rounding, not to 0. */
        ck_assert_msg(figures.reach > 1e6, "%d: sign %g column %g value %g", k, figures.sign,
                      figures.column, figures.value);
    }
}
END_TEST

/* A rectangular problem made square, and a row without entries. */
START_TEST(empty_rows_and_columns)
{
    double M[9] = {1, 1, -1, 0, 0, 0, -1, -1, 1}, q[3] = {1, 1, 0};
    perp_segment seg[2] = {{PERP_FREE, 1, 2, {NULL, NULL}, {0, 0}},
                           {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}}};
    perp_problem p = {.q = q, .seg = seg, .nseg = 2};
    perp_equalities e;
    unsigned char kind[3];
    double y[3];
    perp_mat_init_dense(&p.M, 3, 3, M, 3);
    ck_assert_int_eq(perp_equalities_find(&p, NULL, &e, kind, y), PERP_SOLVED);
    ck_assert(e.rows == 2 && e.rank == 1 && e.redundant == 1 && e.zero_columns == 1);
    ck_assert(kind[1] == (1 | 4) && kind[0] == 0 && kind[2] == 0);
    memset(M, 0, sizeof M);
    q[0] = q[1] = 0.0;
    ck_assert_int_eq(perp_equalities_find(&p, NULL, &e, kind, y), PERP_SOLVED);
    ck_assert(e.rank == 0 && e.redundant == 2 && e.contradictory == 0 && e.zero_columns == 2);
    q[1] = -3.0;
    ck_assert_int_eq(perp_equalities_find(&p, NULL, &e, kind, y), PERP_SOLVED);
    ck_assert(e.redundant == 1 && e.contradictory == 1 && kind[1] == (2 | 4));
    ck_assert(y[0] == 0.0 && y[1] * q[1] < 0.0 && y[2] == 0.0);
}
END_TEST

static void *nothing(void *ctx, size_t bytes)
{
    (void)ctx;
    (void)bytes;
    return NULL;
}

static void drop(void *ctx, void *block)
{
    (void)ctx;
    (void)block;
}

START_TEST(arguments)
{
    perp_rng rng = {53};
    instance p;
    perp_equalities e;
    const perp_allocator none = {nothing, drop, NULL};
    plant(&p, 3, 2, 2, &rng);
    ck_assert_int_eq(perp_equalities_find(&p.problem, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_equalities_find(NULL, NULL, &e, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_equalities_find(&p.problem, &none, &e, NULL, NULL), PERP_ERR_MEMORY);
}
END_TEST

/* Equalities said twice: each solver that pivots or branches finds the solution. */
START_TEST(solvers_leave_them_out)
{
    static const char *const names[] = {"lemke", "avi"};
    perp_rng rng = {54};
    for (int k = 0; k < 60; k++) {
        instance p;
        double z[MAX], w[MAX];
        perp_info info = {.size = sizeof info};
        plant(&p, 4, 2, 4, &rng);
        /* A definite problem of two equalities and four pairs, then both rows once more. */
        for (int i = 0; i < p.n; i++)
            for (int j = 0; j < p.n; j++) {
                double x = p.M[i + j * p.n];
                int copy = i == 2 || i == 3;
                x = j == 2 || j == 3 ? 0.0 : i == j ? 6.0 : x;
                p.M[i + j * p.n] = copy ? p.M[i - 2 + j * p.n] : x;
            }
        p.q[2] = p.q[0];
        p.q[3] = p.q[1];
        for (int s = 0; s < 2; s++) {
            perp_status status = perp_solve(names[s], &p.problem, NULL, z, w, &info);
            ck_assert_msg(status == PERP_SOLVED, "%s, %d: %s %g", names[s], k,
                          perp_status_name(status), info.error);
        }
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {ranks, contradictions, empty_rows_and_columns, arguments,
                            solvers_leave_them_out};
    Suite *suite = suite_create("equalities");
    TCase *tcase = tcase_create("equalities");
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        tcase_add_test(tcase, tests[k]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
