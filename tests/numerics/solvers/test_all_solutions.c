/* SPDX-License-Identifier: BSD-3-Clause */
/* All solutions of small problems, and verdicts on them, against vertices found in whole numbers.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "tests/fixtures/exact_lcp.h"

enum { MOST = 2000 };

typedef struct list {
    int n, count, pieces, stop_after;
    int piece[MOST];
    double z[MOST][EXACT_ROWS];
} list;

static int keep(void *ctx, int k, const double *z, const double *w, int piece)
{
    list *l = ctx;
    ck_assert_int_eq(k, l->count);
    ck_assert_int_lt(l->count, MOST);
    for (int i = 0; i < l->n; i++)
        ck_assert(isfinite(w[i]));
    memcpy(l->z[l->count], z, sizeof(double) * (size_t)l->n);
    l->piece[l->count++] = piece;
    l->pieces += piece;
    return l->count == l->stop_after;
}

static perp_problem nonneg(perp_segment *seg, const double *M, const double *q, int n)
{
    *seg = (perp_segment){PERP_NONNEG, 1, n, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, n, n, M, n), PERP_SOLVED);
    return problem;
}

static perp_status all_of(list *l, const perp_problem *problem)
{
    perp_enumerate_info info = {.size = sizeof info};
    l->n = problem->M.rows;
    l->count = l->pieces = 0;
    perp_status status = perp_enumerate(problem, NULL, keep, l, NULL, &info);
    ck_assert_int_eq(info.solutions, l->count);
    ck_assert_int_eq(info.undecided, 0);
    ck_assert_double_le(info.worst, 1e-8);
    return status;
}

static int contains(const double *points, size_t stride, int count, const double *z, int n)
{
    for (int k = 0; k < count; k++) {
        double worst = 0.0;
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(points[(size_t)k * stride + (size_t)i] - z[i]));
        if (worst < 1e-7)
            return 1;
    }
    return 0;
}

/* Isolated solutions are vertices; where there are no pieces, all vertices are found, once. */
static void compare(const list *l, const exact_lcp *p, const char *what, int trial)
{
    for (int k = 0; k < l->count; k++) {
        if (!l->piece[k])
            ck_assert_msg(contains(p->z[0], EXACT_ROWS, p->count, l->z[k], p->n), "%s %d: point %d",
                          what, trial, k);
        ck_assert_msg(!contains(l->z[0], EXACT_ROWS, k, l->z[k], p->n), "%s %d: twice (piece %d)",
                      what, trial, l->piece[k]);
    }
    ck_assert_msg((l->count > 0) == (p->count > 0), "%s %d: %d, %d", what, trial, l->count,
                  p->count);
    if (l->pieces == 0)
        ck_assert_msg(l->count == p->count, "%s %d: %d of %d", what, trial, l->count, p->count);
}

/* The verdict of the solver, and its proof. */
static void check_verdict(const perp_problem *problem, int solvable, int *vectors, int trial)
{
    perp_solver *solver;
    perp_certificate_kind kind;
    perp_certificate_figures seen = {.size = sizeof seen};
    double z[EXACT_ROWS], w[EXACT_ROWS], y[EXACT_ROWS];
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("enumerative"), NULL, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, problem), 0);
    perp_status status = perp_solver_solve(solver, z, w, NULL);
    ck_assert_msg(status == (solvable ? PERP_SOLVED : PERP_INFEASIBLE), "trial %d: %s", trial,
                  perp_status_name(status));
    ck_assert_int_eq(perp_solver_certificate(solver, problem->M.rows, &kind, y), 0);
    if (status == PERP_INFEASIBLE) {
        ck_assert(kind == PERP_CERTIFICATE_INFEASIBLE || kind == PERP_CERTIFICATE_EXHAUSTED);
        ck_assert_int_eq(perp_certificate_check(problem, kind, y, NULL, &seen), 0);
        ck_assert_msg(seen.holds, "trial %d: value %g columns %g", trial, seen.value, seen.column);
        *vectors += kind == PERP_CERTIFICATE_INFEASIBLE;
    }
    perp_solver_destroy(solver);
}

START_TEST(integers)
{
    static list l;
    perp_rng rng = {(uint64_t)_i + 17};
    int solvable = 0, unsolvable = 0, vectors = 0;
    for (int trial = 0; trial < 3400; trial++) {
        exact_lcp p = {.n = 1 + perp_rng_below(&rng, 5)};
        perp_segment seg;
        exact_lcp_draw(&p, _i, &rng);
        exact_lcp_solve(&p);
        perp_problem problem = nonneg(&seg, p.M, p.q, p.n);
        perp_status status = all_of(&l, &problem);
        ck_assert_int_eq(status, p.count > 0 ? PERP_SOLVED : PERP_INFEASIBLE);
        compare(&l, &p, "integers", trial);
        check_verdict(&problem, p.count > 0, &vectors, trial);
        solvable += p.count > 0;
        unsolvable += p.count == 0;
    }
    ck_assert_int_gt(solvable, 300);
    ck_assert_int_gt(unsolvable, 100);
    ck_assert_int_gt(vectors, 50);
}
END_TEST

/* 0 <= z <= h as an LCP of twice the rows. */
static void double_up(exact_lcp *twice, const double *M, const double *q, const double *h, int n)
{
    memset(twice->M, 0, sizeof twice->M);
    twice->n = 2 * n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            twice->M[i + j * 2 * n] = M[i + j * n];
        twice->M[i + (n + i) * 2 * n] = 1.0;
        twice->M[n + i + i * 2 * n] = -1.0;
        twice->q[i] = q[i];
        twice->q[n + i] = h[i];
    }
}

START_TEST(boxes)
{
    static list l;
    perp_rng rng = {29};
    int most = 0;
    for (int trial = 0; trial < 1500; trial++) {
        exact_lcp p = {.n = 1 + perp_rng_below(&rng, 3)}, twice = {0};
        double lo[3], hi[3], width[3], q[3];
        exact_lcp_draw(&p, trial % 6, &rng);
        for (int i = 0; i < p.n; i++) {
            lo[i] = perp_rng_below(&rng, 5) - 2;
            width[i] = 1 + perp_rng_below(&rng, 2);
            hi[i] = lo[i] + width[i];
        }
        for (int i = 0; i < p.n; i++) {
            q[i] = p.q[i];
            for (int j = 0; j < p.n; j++)
                q[i] += p.M[i + j * p.n] * lo[j];
        }
        double_up(&twice, p.M, q, width, p.n);
        exact_lcp_solve(&twice);
        perp_segment seg = {PERP_BOX, 1, p.n, {lo, hi}, {1, 1}};
        perp_problem problem = {.q = p.q, .seg = &seg, .nseg = 1};
        ck_assert_int_eq(perp_mat_init_dense(&problem.M, p.n, p.n, p.M, p.n), PERP_SOLVED);
        ck_assert_int_eq(all_of(&l, &problem), PERP_SOLVED);
        for (int k = 0; k < l.count; k++)
            for (int i = 0; i < p.n; i++)
                l.z[k][i] -= lo[i];
        for (int k = 0; k < l.count; k++)
            ck_assert(l.piece[k] || contains(twice.z[0], EXACT_ROWS, twice.count, l.z[k], p.n));
        for (int k = 0; l.pieces == 0 && k < twice.count; k++)
            ck_assert(contains(l.z[0], EXACT_ROWS, l.count, twice.z[k], p.n));
        most = l.count > most ? l.count : most;
    }
    ck_assert_int_gt(most, 5);
}
END_TEST

/* z_i = w_i = 0 somewhere. */
static int is_degenerate(const list *l, const exact_lcp *p)
{
    for (int k = 0; k < l->count; k++) {
        for (int i = 0; i < p->n; i++) {
            double w = p->q[i];
            for (int j = 0; j < p->n; j++)
                w += p->M[i + j * p->n] * l->z[k][j];
            if (w + l->z[k][i] < 1e-9)
                return 1;
        }
    }
    return 0;
}

/* Bimatrix games of three strategies each: the solutions are the equilibria, scaled. */
START_TEST(bimatrix_games)
{
    static list l;
    perp_rng rng = {31};
    int several = 0;
    for (int trial = 0; trial < 150; trial++) {
        exact_lcp p = {.n = 6};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                p.M[i + (3 + j) * 6] = 1 + perp_rng_below(&rng, 60);
                p.M[3 + j + i * 6] = 1 + perp_rng_below(&rng, 60);
            }
            p.q[i] = p.q[3 + i] = -1.0;
        }
        exact_lcp_solve(&p);
        perp_segment seg;
        perp_problem problem = nonneg(&seg, p.M, p.q, 6);
        ck_assert_int_eq(all_of(&l, &problem), PERP_SOLVED);
        compare(&l, &p, "game", trial);
        if (!is_degenerate(&l, &p))
            ck_assert_int_eq(l.count % 2, 1); /* Lemke and Howson */
        several += l.count > 2;
    }
    ck_assert_int_gt(several, 20);
}
END_TEST

/* 2^n isolated solutions, a polyhedron, and a callback that stops. */
START_TEST(many_solutions)
{
    static list l;
    double M[36] = {0}, q[6], lo = -1.0, hi = 1.0;
    for (int i = 0; i < 6; i++) {
        M[7 * i] = -1.0;
        q[i] = 1.0;
    }
    perp_segment seg;
    perp_problem problem = nonneg(&seg, M, q, 6);
    ck_assert_int_eq(all_of(&l, &problem), PERP_SOLVED);
    ck_assert_int_eq(l.count, 64);
    ck_assert_int_eq(l.pieces, 0);
    l.stop_after = 5;
    ck_assert_int_eq(all_of(&l, &problem), PERP_INTERRUPTED);
    ck_assert_int_eq(l.count, 5);
    l.stop_after = 0;
    /* w = 0 everywhere: each point of the box. */
    memset(M, 0, sizeof M);
    memset(q, 0, sizeof q);
    seg = (perp_segment){PERP_BOX, 1, 6, {&lo, &hi}, {0, 0}};
    ck_assert_int_eq(all_of(&l, &problem), PERP_SOLVED);
    ck_assert_int_eq(l.count, 1);
    ck_assert_int_eq(l.pieces, 1);
}
END_TEST

/* Painleve: a rod under friction so strong that 0, 1 or 2 states exist. */
START_TEST(one_contact_with_friction)
{
    static list l;
    double M[4] = {1.0, -2.0, -2.0, 5.0}, q[2] = {-1.0, 0.0}, mu = 1.0;
    perp_segment seg = {PERP_COULOMB, 2, 1, {&mu, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, 2, 2, M, 2), PERP_SOLVED);
    for (int k = 0; k < 2; k++) {
        q[0] = k ? 1.0 : -1.0;
        q[1] = k ? -4.0 : -1.0;
        perp_status status = all_of(&l, &problem);
        int found = 0;
        /* The four modes by hand. */
        double slip[3] = {0.0, mu, -mu};
        found += q[0] >= 0.0;
        for (int m = 1; m < 3; m++) {
            double n = -q[0] / (M[0] + M[2] * slip[m]);
            double w = (M[1] + M[3] * slip[m]) * n + q[1];
            found += n > 0.0 && w * slip[m] < 0.0;
        }
        double det = M[0] * M[3] - M[1] * M[2], n = -(M[3] * q[0] - M[2] * q[1]) / det;
        double t = -(M[0] * q[1] - M[1] * q[0]) / det;
        found += n > 0.0 && fabs(t) < mu * n;
        ck_assert_int_eq(l.count, found);
        ck_assert_int_eq(status, found > 0 ? PERP_SOLVED : PERP_INFEASIBLE);
    }
}
END_TEST

START_TEST(refusals)
{
    static list l;
    double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, mu = 0.5;
    perp_segment seg = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, 3, 3, M, 3), PERP_SOLVED);
    ck_assert_int_eq(perp_enumerate(&problem, NULL, keep, &l, NULL, NULL), PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(perp_enumerate(NULL, NULL, keep, &l, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_enumerate(&problem, NULL, NULL, &l, NULL, NULL), PERP_ERR_ARGUMENT);
    q[1] = NAN;
    ck_assert_int_eq(perp_enumerate(&problem, NULL, keep, &l, NULL, NULL), PERP_ERR_NONFINITE);
    perp_problem empty = {.nseg = 0};
    ck_assert_int_eq(perp_mat_init_dense(&empty.M, 0, 0, M, 1), PERP_SOLVED);
    ck_assert_int_eq(all_of(&l, &empty), PERP_SOLVED);
    ck_assert_int_eq(l.count, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("enumerate");
    TCase *tcase = tcase_create("all solutions");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, integers, 0, 6);
    tcase_add_test(tcase, boxes);
    tcase_add_test(tcase, bimatrix_games);
    tcase_add_test(tcase, many_solutions);
    tcase_add_test(tcase, one_contact_with_friction);
    tcase_add_test(tcase, refusals);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
