/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of a release: solve, residual, certificate, all solutions, nonlinear complementarity,
 * settings by name, dependent rows, an inequality over a polyhedron, a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#define CHECK(truth)                                                                               \
    do {                                                                                           \
        if (!(truth)) {                                                                            \
            printf("line %d: %s\n", __LINE__, #truth);                                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static const double W[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 3, 4}, mu = 0.5;
static const perp_segment contact = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};

static perp_problem sliding(void)
{
    perp_problem problem = {.q = q, .seg = &contact, .nseg = 1};
    CHECK(perp_mat_init_dense(&problem.M, 3, 3, W, 3) == PERP_SOLVED);
    return problem;
}

static int watch(void *ctx, const perp_progress *progress)
{
    *(int *)ctx += progress->size > 0 && progress->solver != NULL && progress->error >= 0.0;
    return 0;
}

static void solve(void)
{
    perp_problem problem = sliding();
    double z[3], w[3], again[3];
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    perp_residuals r = {.size = sizeof r};
    CHECK(perp_solve(NULL, &problem, NULL, z, w, &info) == PERP_SOLVED);
    CHECK(info.status == PERP_SOLVED && info.error <= 1e-8 && info.solver != NULL);
    CHECK(fabs(hypot(z[1], z[2]) - mu * z[0]) < 1e-7);
    CHECK(perp_residual(&problem, z, NULL, again, &r) == PERP_SOLVED);
    CHECK(r.natural <= 1e-8 && r.scaled <= 1e-8 && fabs(again[0] - w[0]) < 1e-12);

    perp_settings_init(&settings, sizeof settings);
    CHECK(perp_settings_set(&settings, "tol", "1e-10") == PERP_SOLVED);
    CHECK(perp_settings_set(&settings, "sweep", "symmetric") == PERP_SOLVED);
    CHECK(settings.tol == 1e-10 && settings.sweep == PERP_SWEEP_SYMMETRIC);
    perp_where where;
    CHECK(perp_settings_check(&settings, &where) == PERP_SOLVED);
    perp_solver *solver;
    CHECK(perp_solver_create(&solver, perp_solver_find("gs"), &settings, NULL, &where) == 0);
    CHECK(perp_solver_setup(solver, &problem) == PERP_SOLVED);
    CHECK(perp_solver_solve(solver, z, w, &info) == PERP_SOLVED);
    CHECK(perp_solver_info(solver)->iterations == info.iterations);
    perp_solver_destroy(solver);
}

static int count(void *ctx, int k, const double *z, const double *w, int piece)
{
    (void)k, (void)z, (void)w, (void)piece;
    ++*(int *)ctx;
    return 0;
}

static void prove(void)
{
    const double M[1] = {-1.0}, two[1] = {1.0}, none[1] = {-1.0};
    const perp_segment row = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.q = two, .seg = &row, .nseg = 1};
    int shown = 0;
    double z[1], w[1], y[1];
    perp_enumerate_info all = {.size = sizeof all};
    perp_mat_init_dense(&problem.M, 1, 1, M, 1);
    CHECK(perp_enumerate(&problem, NULL, count, &shown, NULL, &all) == PERP_SOLVED);
    CHECK(shown == 2 && all.solutions == 2);
    problem.q = none;
    perp_solver *solver;
    perp_certificate_kind kind;
    perp_info info = {.size = sizeof info};
    perp_certificate_figures figures = {.size = sizeof figures};
    CHECK(perp_solver_create(&solver, perp_solver_find("auto"), NULL, NULL, NULL) == 0);
    CHECK(perp_solver_setup(solver, &problem) == PERP_SOLVED);
    CHECK(perp_solver_solve(solver, z, w, &info) == PERP_INFEASIBLE);
    CHECK(perp_solver_certificate(solver, 1, &kind, y) == PERP_SOLVED);
    CHECK(perp_certificate_check(&problem, kind, y, NULL, &figures) == PERP_SOLVED);
    CHECK(figures.holds == 1);
    perp_solver_destroy(solver);
}

static int value(void *ctx, double *F, const double *z)
{
    (void)ctx;
    F[0] = exp(z[0]) - 2.0;
    return 0;
}

static int slope(void *ctx, double *J, const double *z)
{
    (void)ctx;
    J[0] = exp(z[0]);
    return 0;
}

static void nonlinear(void)
{
    const perp_segment row = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    perp_ncp ncp = {.n = 1, .F = value, .J = slope, .seg = &row, .nseg = 1};
    perp_ncp_settings settings;
    perp_ncp_info info = {.size = sizeof info};
    perp_ncp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-10;
    int seen = 0;
    settings.progress = watch;
    settings.progress_ctx = &seen;
    double z[1] = {3.0}, F[1], worst;
    CHECK(perp_ncp_check_jacobian(&ncp, z, NULL, &worst, NULL, NULL) == PERP_SOLVED);
    CHECK(worst < 1e-5);
    CHECK(perp_ncp_solve(&ncp, &settings, z, F, &info) == PERP_SOLVED);
    CHECK(fabs(z[0] - log(2.0)) < 1e-9 && info.error <= 1e-10 && seen > 0);
}

static void rest(void)
{
    const double M[4] = {1, 2, 2, 4}, b[2] = {1, 2}, one[1] = {1.0}, bound[1] = {2.0};
    const perp_segment rows = {PERP_FREE, 1, 2, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.q = b, .seg = &rows, .nseg = 1};
    perp_equalities found;
    perp_mat_init_dense(&problem.M, 2, 2, M, 2);
    CHECK(perp_equalities_find(&problem, NULL, &found, NULL, NULL) == PERP_SOLVED);
    CHECK(found.rank == 1 && found.redundant == 1);
    perp_mat A, B;
    perp_avi *avi;
    perp_where where;
    double y[2], z[2], w[2];
    perp_mat_init_dense(&A, 1, 1, one, 1);
    perp_mat_init_dense(&B, 1, 1, one, 1);
    CHECK(perp_avi_create(&avi, &A, one, &B, bound, NULL, NULL, NULL, &where) == PERP_SOLVED);
    CHECK(perp_solve(NULL, perp_avi_problem(avi), NULL, z, w, NULL) == PERP_SOLVED);
    CHECK(fabs(z[0] - 2.0) < 1e-8);
    perp_avi_destroy(avi);
    CHECK(perp_mat_apply(&problem.M, b, NULL, y) == PERP_SOLVED && y[0] == 5.0);
    double number;
    CHECK(*perp_number_read("1e-3", &number) == '\0' && number == 1e-3);
    perp_problem_file *file;
    perp_io_error error;
    CHECK(perp_problem_file_read(&file, "/no/such/file", PERP_CLASS_AUTO, NULL, &error) ==
          PERP_ERR_OPEN);
    CHECK(strlen(error.text) > 0);
    CHECK(perp_version_num() >= PERP_VERSION_NUM);
}

int main(void)
{
    solve();
    prove();
    nonlinear();
    rest();
    return 0;
}
