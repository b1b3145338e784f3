/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixed points for friction with a convex problem inside: closed forms of one contact, the rate
 * that theory gives, Gauss-Seidel's answer where it is the only one, planted solutions in every
 * storage with every inner solver, and the parts of a matrix. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/judge.h"
#include "linalg/select.h"
#include "tests/fixtures/stored.h"

static const char *const names[] = {"lagged lagged_law=tresca", "lagged lagged_law=panagiotopoulos",
                                    "lagged lagged_law=de-saxce"};
enum { SOLVERS = 3, MAX_N = 64 };

/* inner: "prox prox_newton=single", say. */
static perp_settings settings_of(double tol, const char *inner, int depth)
{
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    s.tol = tol;
    s.depth = depth;
    char name[32] = "", setting[32] = "", value[32] = "";
    int words = sscanf(inner, "%31s %31[^=]=%31s", name, setting, value);
    ck_assert_int_eq(perp_settings_set(&s, "inner", name), PERP_SOLVED);
    if (words == 3)
        ck_assert_int_eq(perp_settings_set(&s, setting, value), PERP_SOLVED);
    return s;
}

/* The law of "lagged lagged_law=tresca" into the settings, which keep what they say of the inner
 * solver. */
static const char *outer_by_law(const char *name, perp_settings *settings)
{
    static const char start[] = "lagged lagged_law=";
    if (strncmp(name, start, strlen(start)) != 0)
        return name;
    ck_assert_int_eq(perp_settings_set(settings, "lagged_law", name + strlen(start)), PERP_SOLVED);
    return "lagged";
}

static void one_contact(stored_problem *p, int dim, double mu, const double *M, const double *q)
{
    stored_init(p, "one contact");
    stored_segment(p, PERP_COULOMB, dim, 1, mu, 0.0);
    stored_allocate(p);
    memcpy(p->M, M, sizeof(double) * (size_t)(dim * dim));
    memcpy(p->q, q, sizeof(double) * (size_t)dim);
}

static perp_status solve_dense(const char *name, const stored_problem *p,
                               const perp_settings *settings, double *z, perp_info *info)
{
    perp_settings s = *settings;
    stored_view v;
    double w[MAX_N];
    ck_assert(p->n <= MAX_N && stored_view_make(&v, p, STORED_DENSE));
    perp_status status = perp_solve(outer_by_law(name, &s), &v.problem, &s, z, w, info);
    stored_view_free(&v);
    return status;
}

/* A diagonal block: r_N = -q_N / a, and stick or slip against q_T. */
START_TEST(one_contact_in_space)
{
    const double a = 2.0, b = 0.5, M[9] = {a, 0, 0, 0, b, 0, 0, 0, b};
    const double tangents[3][2] = {{0.03, -0.04}, {3.0, 4.0}, {0.0, 0.0}};
    for (int k = 0; k < 4; k++) {
        double normal = k < 3 ? 0.5 : 0.0, z[3], length = 0.0, mu = 0.6;
        double q[3] = {k < 3 ? -1.0 : 1.0, tangents[k % 3][0], tangents[k % 3][1]};
        length = hypot(q[1], q[2]);
        double factor = length > 0.0 ? fmin(1.0 / b, mu * normal / length) : 0.0;
        stored_problem p;
        one_contact(&p, 3, mu, M, q);
        for (int s = 0; s < SOLVERS; s++) {
            perp_info info = {.size = sizeof info};
            perp_settings settings = settings_of(1e-12, "auto", 5);
            ck_assert_int_eq(solve_dense(names[s], &p, &settings, z, &info), PERP_SOLVED);
            ck_assert_double_eq_tol(z[0], normal, 1e-10);
            for (int i = 1; i < 3; i++)
                ck_assert_double_eq_tol(z[i], -factor * q[i], 1e-10);
        }
        stored_free(&p);
    }
}
END_TEST

/* M = [1 c; c 2], q = (-1, -10): sliding with r_T = mu r_N, r_N = 1 / (1 + mu c).  The bounds go
 * g -> mu (1 - c g): linear with the factor -mu c. */
static int steps_of_tresca(double mu, double c, int depth, perp_status *status)
{
    stored_problem p;
    perp_info info = {.size = sizeof info};
    double M[4] = {1.0, c, c, 2.0}, q[2] = {-1.0, -10.0}, z[2];
    perp_settings settings = settings_of(1e-10, "auto", depth);
    settings.inner_ratio = 1e-6;
    one_contact(&p, 2, mu, M, q);
    *status = solve_dense("lagged lagged_law=tresca", &p, &settings, z, &info);
    if (*status == PERP_SOLVED) {
        ck_assert_double_eq_tol(z[0], 1.0 / (1.0 + mu * c), 1e-8);
        ck_assert_double_eq_tol(z[1], mu / (1.0 + mu * c), 1e-8);
    }
    stored_free(&p);
    return info.iterations;
}

START_TEST(rate_of_tresca)
{
    perp_status status;
    for (int k = 1; k <= 8; k++) {
        double factor = 0.1 * k;
        int steps = steps_of_tresca(factor, 1.0, 0, &status);
        ck_assert_int_eq(status, PERP_SOLVED);
        double expected = log(1e-10) / log(factor);
        ck_assert_msg(fabs(steps - expected) <= 3.0 + 0.15 * expected, "%g: %d steps, %g expected",
                      factor, steps, expected);
        ck_assert_int_le(steps_of_tresca(factor, 1.0, 5, &status), 6);
        ck_assert_int_eq(status, PERP_SOLVED);
    }
    /* No contraction: the plain iteration runs away, the accelerated one arrives. */
    steps_of_tresca(1.3, 1.0, 0, &status);
    ck_assert_int_gt(status, PERP_SOLVED);
    ck_assert_int_le(steps_of_tresca(1.3, 1.0, 5, &status), 12);
    ck_assert_int_eq(status, PERP_SOLVED);
}
END_TEST

/* M definite and mu small: one solution. */
START_TEST(the_answer_of_gauss_seidel)
{
    perp_rng rng = {3};
    for (int trial = 0; trial < 10; trial++) {
        stored_problem p;
        double z[MAX_N], other[MAX_N];
        perp_info info = {.size = sizeof info};
        stored_init(&p, "small mu");
        stored_segment(&p, PERP_COULOMB, 3, 6, 0.1, 0.0);
        stored_segment(&p, PERP_COULOMB, 2, 4, 0.1, 0.0);
        stored_segment(&p, PERP_COULOMB, 3, 1, 0.0, 0.0);
        stored_segment(&p, PERP_FREE, 1, 2, 0.0, 0.0);
        stored_allocate(&p);
        stored_definite(&p, &rng);
        for (int i = 0; i < p.n; i++)
            p.q[i] = perp_rng_signed(&rng);
        perp_settings settings = settings_of(1e-12, "auto", 5);
        ck_assert_int_eq(solve_dense("gs", &p, &settings, z, &info), PERP_SOLVED);
        for (int s = 0; s < SOLVERS; s++) {
            ck_assert_int_eq(solve_dense(names[s], &p, &settings, other, &info), PERP_SOLVED);
            for (int i = 0; i < p.n; i++)
                ck_assert_double_eq_tol(z[i], other[i], 1e-9);
        }
        stored_free(&p);
    }
}
END_TEST

static void all_sets(stored_problem *p, perp_rng *rng)
{
    stored_init(p, "all sets");
    stored_segment(p, PERP_FREE, 1, 2, 0.0, 0.0);
    stored_segment(p, PERP_COULOMB, 3, 3, 0.3, 0.0);
    stored_segment(p, PERP_NONNEG, 1, 3, 0.0, 0.0);
    stored_segment(p, PERP_BOX, 1, 3, -0.5, 0.7);
    stored_segment(p, PERP_COULOMB, 2, 3, 0.4, 0.0);
    stored_segment(p, PERP_TRESCA, 3, 2, 0.4, 0.0);
    stored_segment(p, PERP_SOC, 5, 1, 0.7, 0.0);
    stored_segment(p, PERP_COULOMB, 3, 1, 0.0, 0.0);
    stored_allocate(p);
    stored_definite(p, rng);
    stored_plant(p, rng);
}

START_TEST(planted_with_every_inner_solver)
{
    static const char *const inner[] = {"auto",
                                        "gs",
                                        "projection",
                                        "projection correction=none",
                                        "apgd",
                                        "nsn",
                                        "prox prox_newton=single"};
    perp_rng rng = {5};
    stored_problem p;
    double z[MAX_N], w[MAX_N];
    all_sets(&p, &rng);
    for (int kind = 0; kind < STORED_COUNT; kind++) {
        stored_view v;
        if (!stored_view_make(&v, &p, (storage)kind))
            continue;
        int is_operator = kind == STORED_OPERATOR || kind == STORED_OPERATOR_BARE;
        for (int s = 0; s < SOLVERS; s++)
            for (size_t k = 0; k < sizeof inner / sizeof inner[0]; k++) {
                perp_info info = {.size = sizeof info};
                perp_settings settings = settings_of(1e-9, inner[k], 5);
                const char *name = outer_by_law(names[s], &settings);
                perp_status status = perp_solve(name, &v.problem, &settings, z, w, &info);
                if (is_operator && status == PERP_ERR_UNSUPPORTED) {
                    ck_assert_str_eq(info.where.what, "inner");
                    ck_assert(k == 1 || k >= 5);
                    continue;
                }
                ck_assert_msg(status == PERP_SOLVED, "%s, %s, %s: %s, %g", names[s], inner[k],
                              storage_names[kind], perp_status_name(status), info.error);
                perp_residuals r = judge(&p, z, NULL);
                ck_assert_double_le(r.natural, 1.01e-9);
            }
        stored_view_free(&v);
    }
    stored_free(&p);
}
END_TEST

/* In the plane both parts of a split problem are linear: pivoting solves them. */
START_TEST(pivoting_inside)
{
    perp_rng rng = {7};
    stored_problem p;
    double z[MAX_N];
    perp_info info = {.size = sizeof info};
    perp_settings settings = settings_of(1e-12, "lemke", 5);
    stored_init(&p, "plane");
    stored_segment(&p, PERP_COULOMB, 2, 8, 0.3, 0.0);
    stored_allocate(&p);
    stored_definite(&p, &rng);
    stored_plant(&p, &rng);
    ck_assert_int_eq(solve_dense("lagged lagged_law=panagiotopoulos", &p, &settings, z, &info),
                     PERP_SOLVED);
    ck_assert_int_eq(solve_dense("lagged lagged_law=de-saxce", &p, &settings, z, &info),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_str_eq(info.where.what, "inner");
    stored_free(&p);
}
END_TEST

typedef struct listener {
    int calls, stop_after;
} listener;

static int listen(void *ctx, const perp_progress *progress)
{
    listener *l = ctx;
    (void)progress;
    return ++l->calls == l->stop_after;
}

/* The callback is heard in the inner solves, too: in the first iteration here. */
START_TEST(limits_hold_inside)
{
    perp_rng rng = {9};
    stored_problem p;
    double z[MAX_N];
    perp_info info = {.size = sizeof info};
    all_sets(&p, &rng);
    for (int s = 0; s < SOLVERS; s++) {
        listener l = {0, 3};
        perp_settings settings = settings_of(1e-10, "projection correction=none", 5);
        settings.progress = listen;
        settings.progress_ctx = &l;
        ck_assert_int_eq(solve_dense(names[s], &p, &settings, z, &info), PERP_INTERRUPTED);
        ck_assert_int_eq(l.calls, 3);
        ck_assert_int_eq(info.iterations, 0);
    }
    stored_free(&p);
}
END_TEST

/* An inner solver that remembers its step: a cold solve forgets it, a checkpoint carries it. */
START_TEST(memory_of_the_inner_solver)
{
    perp_rng rng = {11};
    stored_problem p;
    stored_view v;
    all_sets(&p, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_CSC));
    for (int s = 0; s < SOLVERS; s++) {
        perp_settings settings = settings_of(1e-7, "projection", 5);
        perp_solver *one, *two;
        unsigned char buffer[4096];
        size_t bytes = sizeof buffer, n = sizeof(double) * (size_t)p.n;
        double z[3][MAX_N], w[MAX_N];
        const perp_solver_type *type = perp_solver_find(outer_by_law(names[s], &settings));
        ck_assert_int_eq(perp_solver_create(&one, type, &settings, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_create(&two, type, &settings, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_setup(one, &v.problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_setup(two, &v.problem), PERP_SOLVED);
        for (int k = 0; k < 2; k++)
            ck_assert_int_eq(perp_solver_solve(one, z[k], w, NULL), PERP_SOLVED);
        ck_assert_mem_eq(z[0], z[1], n);
        ck_assert_int_eq(perp_solver_save(one, buffer, &bytes), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_load(two, buffer, bytes), PERP_SOLVED);
        settings.warm_start = 1;
        settings.tol = 1e-10;
        memcpy(z[2], z[1], n);
        ck_assert_int_eq(perp_solver_set_settings(one, &settings), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_set_settings(two, &settings), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(one, z[1], w, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(two, z[2], w, NULL), PERP_SOLVED);
        ck_assert_mem_eq(z[1], z[2], n);
        perp_solver_destroy(one);
        perp_solver_destroy(two);
    }
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* A part of M in every storage against the same part of the dense one. */
START_TEST(parts_of_a_matrix)
{
    perp_rng rng = {13};
    stored_problem p;
    all_sets(&p, &rng);
    for (int kind = 0; kind < STORED_COUNT; kind++) {
        stored_view v;
        perp_arena arena;
        perp_select part;
        int source[MAX_N], map[MAX_N], rows = 0;
        unsigned char alone[MAX_N];
        double x[MAX_N], y[MAX_N];
        if (!stored_view_make(&v, &p, (storage)kind))
            continue;
        perp_arena_init(&arena, NULL);
        for (int i = 0; i < p.n; i++) {
            int fate = perp_rng_below(&rng, 4);
            alone[i] = fate == 1;
            map[i] = fate == 0 ? -1 : rows;
            if (fate != 0)
                source[rows++] = i;
        }
        ck_assert_int_eq(perp_select_take(&part, &v.problem.M, rows, source, map, alone, &arena),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_select_load(&part, &v.problem.M), PERP_SOLVED);
        ck_assert_int_eq(part.mat.rows, rows);
        ck_assert_int_eq(perp_mat_check(&part.mat, NULL, NULL), PERP_SOLVED);
        double *scratch = PERP_TAKE(&arena, double, perp_mat_scratch(&part.mat));
        for (int i = 0; i < rows; i++)
            x[i] = perp_rng_signed(&rng);
        ck_assert_int_eq(perp_mat_apply(&part.mat, x, scratch, y), PERP_SOLVED);
        for (int i = 0; i < rows; i++) {
            double sum = 0.0;
            for (int j = 0; j < rows; j++) {
                int row = source[i], col = source[j];
                double entry = p.M[row + col * p.n];
                if (alone[row] || alone[col])
                    entry = row != col                     ? 0.0
                            : kind == STORED_DELASSUS      ? 0.0
                            : kind == STORED_OPERATOR_BARE ? 1.0
                                                           : entry;
                sum += entry * x[j];
            }
            ck_assert_double_eq_tol(y[i], sum, 1e-12);
        }
        perp_arena_free(&arena);
        stored_view_free(&v);
    }
    stored_free(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fixed-points");
    TCase *tcase = tcase_create("fixed-points");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, one_contact_in_space);
    tcase_add_test(tcase, rate_of_tresca);
    tcase_add_test(tcase, the_answer_of_gauss_seidel);
    tcase_add_test(tcase, planted_with_every_inner_solver);
    tcase_add_test(tcase, pivoting_inside);
    tcase_add_test(tcase, limits_hold_inside);
    tcase_add_test(tcase, memory_of_the_inner_solver);
    tcase_add_test(tcase, parts_of_a_matrix);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
