/* SPDX-License-Identifier: BSD-3-Clause */
/* Few contacts: planted solutions, existence against a search over the edges of the cones that
 * shares nothing with the solver, and the way of `auto` through small problems. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "core/rng.h"
#include "tests/fixtures/real_problems.h"

enum { CONTACTS = 3, ROWS = 9 };

static double signed_uniform(perp_rng *rng)
{
    return 2.0 * perp_rng_uniform(rng) - 1.0;
}

/* M = skew A + H H' with H of `rank` columns, so that it may be singular or unsymmetric. */
static void random_matrix(double *M, int n, int rank, double skew, perp_rng *rng)
{
    double H[ROWS * ROWS];
    for (int i = 0; i < n * rank; i++)
        H[i] = signed_uniform(rng);
    for (int i = 0; i < n * n; i++) {
        M[i] = skew * signed_uniform(rng);
        for (int k = 0; k < rank; k++)
            M[i] += H[i % n + k * n] * H[i / n + k * n];
    }
}

static perp_status run(const char *solver, const perp_mat *M, const double *q, int dim, double mu,
                       double *z, double *w, perp_info *info)
{
    perp_segment seg = {PERP_COULOMB, dim, M->rows / dim, {&mu, NULL}, {0, 0}};
    perp_problem problem = {*M, q, &seg, 1};
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-10;
    return perp_solve(solver, &problem, &settings, z, w, info);
}

static perp_status run_dense(const double *M, const double *q, int n, int dim, double mu, double *z,
                             double *w, perp_info *info)
{
    perp_mat A;
    ck_assert_int_eq(perp_mat_init_dense(&A, n, n, M, n), PERP_SOLVED);
    return run("enumerative", &A, q, dim, mu, z, w, info);
}

/* The law of Coulomb in two rows, to eps; margin: how much of eps is left, negative where it
 * does not hold. */
static double margin_of(const double *z, const double *w, double mu, double eps)
{
    double worst = fmax(fmax(-z[0], -w[0]), fabs(z[0] * w[0]));
    worst = fmax(worst, fabs(z[1]) - mu * z[0]);
    worst = fmax(worst, fabs(z[1] * w[1] + mu * z[0] * fabs(w[1])));
    return eps - worst;
}

/* x with A x = b by elimination; 0: singular. */
static int gauss(double *x, double *A, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++)
            p = fabs(A[i + k * n]) > fabs(A[p + k * n]) ? i : p;
        if (fabs(A[p + k * n]) < 1e-8)
            return 0;
        for (int j = 0; j <= n; j++) {
            double *column = j < n ? A + j * n : b, t = column[k];
            column[k] = column[p];
            column[p] = t;
        }
        for (int i = k + 1; i < n; i++) {
            double f = A[i + k * n] / A[k + k * n];
            for (int j = k; j < n; j++)
                A[i + j * n] -= f * A[k + j * n];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = b[k];
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k + j * n] * x[j];
        x[k] /= A[k + k * n];
    }
    return 1;
}

typedef struct flat {
    int contacts;
    double mu, M[ROWS * ROWS], q[ROWS];
} flat;

/* z = sum of weights of the edges (1, mu), (1, -mu) that `active` names, two bits a contact.
 * w_N = 0 where one is active, w = 0 where both are.  The margin of the worst contact; -INFINITY
 * for a singular system. */
static double try_edges(const flat *f, int active)
{
    int n = 2 * f->contacts, edge[ROWS], row[ROWS], m = 0, rows = 0;
    double A[ROWS * ROWS], b[ROWS], x[ROWS], z[ROWS] = {0.0}, w[ROWS], worst = INFINITY;
    for (int k = 0; k < n; k++)
        if (active >> k & 1)
            edge[m++] = k;
    for (int k = 0; k < f->contacts; k++) {
        int both = active >> 2 * k & 3;
        if (both)
            row[rows++] = 2 * k;
        if (both == 3)
            row[rows++] = 2 * k + 1;
    }
    for (int i = 0; i < m; i++) {
        b[i] = -f->q[row[i]];
        for (int j = 0; j < m; j++) {
            int c = edge[j] / 2 * 2;
            double t = edge[j] % 2 ? -f->mu : f->mu;
            A[i + j * m] = f->M[row[i] + c * n] + t * f->M[row[i] + (c + 1) * n];
        }
    }
    if (m > 0 && !gauss(x, A, b, m))
        return -INFINITY;
    for (int j = 0; j < m; j++) {
        int c = edge[j] / 2 * 2;
        z[c] += x[j];
        z[c + 1] += (edge[j] % 2 ? -f->mu : f->mu) * x[j];
    }
    for (int i = 0; i < n; i++) {
        w[i] = f->q[i];
        for (int j = 0; j < n; j++)
            w[i] += f->M[i + j * n] * z[j];
    }
    for (int k = 0; k < f->contacts; k++)
        worst = fmin(worst, margin_of(z + 2 * k, w + 2 * k, f->mu, 1e-9));
    return worst;
}

/* Solved where the search finds a solution, and never where it finds none. */
START_TEST(existence_in_two_dimensions)
{
    perp_rng rng = {(uint64_t)_i + 1};
    int solvable = 0, not_solvable = 0, enumerated = 0;
    perp_info info = {.size = sizeof info};
    for (int trial = 0; trial < 300; trial++) {
        flat f = {.contacts = 1 + trial % CONTACTS, .mu = 2.0 * perp_rng_uniform(&rng)};
        int n = 2 * f.contacts;
        double z[ROWS], w[ROWS], best = -INFINITY;
        random_matrix(f.M, n, n, trial % 2 ? 1.0 : 0.0, &rng);
        for (int i = 0; i < n; i++)
            f.q[i] = signed_uniform(&rng);
        for (int active = 0; active < 1 << n; active++)
            best = fmax(best, try_edges(&f, active));
        perp_status status = run_dense(f.M, f.q, n, 2, f.mu, z, w, &info);
        if (best > 0.0) {
            ck_assert_msg(status == PERP_SOLVED, "trial %d: %s", trial, perp_status_text(status));
            solvable++;
            enumerated += info.iterations > 13; /* a sweep and twelve steps come first */
        } else {
            ck_assert_int_ne(status, PERP_SOLVED);
            not_solvable++;
        }
        for (int k = 0; status == PERP_SOLVED && k < f.contacts; k++)
            ck_assert_double_gt(margin_of(z + 2 * k, w + 2 * k, f.mu, 1e-7), 0.0);
    }
    ck_assert_int_gt(solvable, 100);
    ck_assert_int_gt(not_solvable, 3);
    ck_assert_int_gt(enumerated, 0);
}
END_TEST

/* z and w of contact k for one of the modes open, stick, slip. */
static void plant(double *z, double *w, int dim, double mu, perp_rng *rng)
{
    int mode = perp_rng_below(rng, 3);
    double angle = 6.28 * perp_rng_uniform(rng), size = 0.1 + perp_rng_uniform(rng);
    double c[2] = {dim == 3 ? cos(angle) : angle > 3.14 ? 1.0 : -1.0, dim == 3 ? sin(angle) : 0.0};
    for (int i = 0; i < dim; i++)
        z[i] = w[i] = 0.0;
    if (mode == 0)
        w[0] = size;
    else
        z[0] = size;
    for (int i = 1; i < dim; i++) {
        w[i] = mode == 1 ? 0.0 : 0.3 * c[i - 1];
        z[i] = mode == 0 ? 0.0 : (mode == 1 ? -0.5 : -1.0) * mu * size * c[i - 1];
    }
}

/* M positive definite and mu small: the planted solution is the only one. */
START_TEST(planted_solutions)
{
    const int dim = _i;
    perp_rng rng = {7};
    for (int trial = 0; trial < 300; trial++) {
        int n = dim * (1 + trial % CONTACTS);
        double M[ROWS * ROWS], q[ROWS], planted[ROWS], free_w[ROWS], z[ROWS], w[ROWS], mu = 0.1;
        random_matrix(M, n, n, 0.0, &rng);
        for (int i = 0; i < n; i++)
            M[i * (n + 1)] += 1.0;
        for (int k = 0; k < n / dim; k++)
            plant(planted + k * dim, free_w + k * dim, dim, mu, &rng);
        for (int i = 0; i < n; i++) {
            q[i] = free_w[i];
            for (int j = 0; j < n; j++)
                q[i] -= M[i + j * n] * planted[j];
        }
        ck_assert_int_eq(run_dense(M, q, n, dim, mu, z, w, NULL), PERP_SOLVED);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(z[i], planted[i], 1e-7);
    }
}
END_TEST

/* The other sets with finitely many modes, and a singular matrix: the residual judges. */
START_TEST(mixed_sets)
{
    perp_rng rng = {3};
    int solved = 0;
    const double mu = 0.4, radius = 0.3, lo = -0.5, hi = INFINITY;
    for (int trial = 0; trial < 200; trial++) {
        double M[64], q[8], z[8], w[8];
        random_matrix(M, 8, trial % 2 ? 8 : 5, 0.0, &rng);
        for (int i = 0; i < 8; i++) {
            double x = signed_uniform(&rng);
            q[i] = i == 1 || i == 4 || i == 6 ? perp_rng_uniform(&rng) : 0.0;
            for (int j = 0; j < 8; j++)
                q[j] -= i == 0 ? 0.0 : 0.1 * M[j + i * 8] * x;
        }
        perp_segment seg[] = {{PERP_FREE, 1, 1, {NULL}, {0, 0}},
                              {PERP_NONNEG, 1, 1, {NULL}, {0, 0}},
                              {PERP_BOX, 1, 2, {&lo, &hi}, {0, 0}},
                              {PERP_COULOMB, 2, 1, {&mu, NULL}, {0, 0}},
                              {PERP_TRESCA, 2, 1, {&radius, NULL}, {0, 0}}};
        perp_problem problem = {.q = q, .seg = seg, .nseg = 5};
        ck_assert_int_eq(perp_mat_init_dense(&problem.M, 8, 8, M, 8), PERP_SOLVED);
        perp_info info = {.size = sizeof info};
        perp_status status = perp_solve("enumerative", &problem, NULL, z, w, &info);
        perp_status other = perp_solve("nsn", &problem, NULL, z, w, NULL);
        ck_assert_msg(status == PERP_SOLVED || other != PERP_SOLVED, "trial %d", trial);
        solved += status == PERP_SOLVED;
    }
    ck_assert_int_gt(solved, 150);
}
END_TEST

static void diagonal_contacts(double *x, int *rowptr, int *col, double *q, int contacts)
{
    for (int k = 0; k < contacts; k++) {
        rowptr[k] = col[k] = k;
        for (int i = 0; i < 9; i++)
            x[9 * k + i] = i % 4 == 0 ? 1.0 + k + i : 0.1;
        q[3 * k] = k % 3 ? -1.0 : 0.5;
        q[3 * k + 1] = 0.2 * k;
        q[3 * k + 2] = -0.3;
    }
    rowptr[contacts] = contacts;
}

/* Contacts that are not coupled take one sweep, in auto too, which says so. */
START_TEST(one_sweep)
{
    double x[9 * 8], q[24], z[24], w[24], again[24];
    int rowptr[9], col[8];
    perp_info info = {.size = sizeof info};
    perp_mat M;
    diagonal_contacts(x, rowptr, col, q, 8);
    ck_assert_int_eq(perp_mat_init_bsr(&M, 8, 3, rowptr, col, x), PERP_SOLVED);
    ck_assert_int_eq(run("auto", &M, q, 3, 0.5, z, w, &info), PERP_SOLVED);
    ck_assert_int_eq(info.nstages, 1);
    ck_assert_int_eq(info.iterations, 1);
    ck_assert_str_eq(info.stages[0].solver, "enumerative");
    ck_assert_double_eq(info.stages[0].seconds, info.solve_seconds);
    ck_assert_int_eq(run("gs", &M, q, 3, 0.5, again, w, &info), PERP_SOLVED);
    ck_assert_int_eq(info.iterations, 1);
    for (int i = 0; i < 24; i++)
        ck_assert_double_eq_tol(z[i], again[i], 1e-12);
}
END_TEST

/* Where a sweep is not enough the plan goes on from it, and each run gives the same bits. */
START_TEST(auto_goes_on)
{
    double x[9 * 9], q[9], dense[81], z[9], w[9], again[9];
    int rowptr[4] = {0, 3, 6, 9}, col[9];
    perp_rng rng = {11};
    perp_info info = {.size = sizeof info};
    perp_mat M;
    random_matrix(dense, 9, 9, 0.0, &rng);
    for (int p = 0; p < 9; p++) {
        col[p] = p % 3;
        for (int i = 0; i < 9; i++)
            x[9 * p + i] = dense[3 * (p / 3) + i % 3 + 9 * (3 * col[p] + i / 3)];
        q[p] = p % 3 ? signed_uniform(&rng) : -1.0;
    }
    ck_assert_int_eq(perp_mat_init_bsr(&M, 3, 3, rowptr, col, x), PERP_SOLVED);
    ck_assert_int_eq(run("auto", &M, q, 3, 0.3, z, w, &info), PERP_SOLVED);
    ck_assert_int_gt(info.nstages, 1);
    ck_assert_str_eq(info.stages[1].solver, "gs");
    ck_assert_double_eq(info.stages[1].first, info.stages[0].best);
    ck_assert_int_eq(run("auto", &M, q, 3, 0.3, again, w, &info), PERP_SOLVED);
    ck_assert_mem_eq(z, again, sizeof z);
}
END_TEST

static void solve_quickly(const char *file, const perp_problem *problem)
{
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    double z[4], w[4];
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    ck_assert_int_eq(perp_solve("auto", problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_msg(info.iterations <= 3, "%s: %d", file, info.iterations);
}

/* A real one, singular, on which sweeps are slow. */
START_TEST(slider_crank)
{
    static const char *const file[] = {"friction2d/FC2D_SliderCrankLagrangian00000.dat"};
    real_problems_each(file, 1, solve_quickly);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("enumeration");
    TCase *tcase = tcase_create("few contacts");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, existence_in_two_dimensions, 0, 3);
    tcase_add_loop_test(tcase, planted_solutions, 2, 4);
    tcase_add_test(tcase, mixed_sets);
    tcase_add_test(tcase, one_sweep);
    tcase_add_test(tcase, auto_goes_on);
    tcase_add_test(tcase, slider_crank);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
