/* SPDX-License-Identifier: BSD-3-Clause */
/* newton on both equations, ipm and direct on FREE, NONNEG and BOX rows: planted solutions with
 * every mix of sets, circuits of any length, equations said twice; the function of a box and its
 * derivatives. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "generators/ladder.h"
#include "core/rng.h"
#include "reform/reform.h"
#include "tests/fixtures/solver_choice.h"

enum { N = 48 };

static const char *const names[] = {"newton", "newton formulation=fischer-burmeister", "ipm",
                                    "direct"};
enum { NAMES = sizeof names / sizeof names[0] };

static perp_status solve(const char *name, const perp_problem *problem, double *z, double *w,
                         perp_info *info)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    return perp_solve(choose_solver(name, &settings), problem, &settings, z, w, info);
}

static double between(perp_rng *rng, double low, double high)
{
    return low + (high - low) * perp_rng_uniform(rng);
}

/* max |z - P(z - w)| with w = M z + q by columns of CSC, over the largest |z| or |q|. */
static double independent_error(const perp_problem *p, const double *lo, const double *hi,
                                const double *z)
{
    int n = p->M.rows;
    double *w = malloc((size_t)n * sizeof *w), worst = 0.0, size = 1e-300;
    memcpy(w, p->q, (size_t)n * sizeof *w);
    for (int j = 0; j < n; j++)
        for (int k = p->M.as.csc.colptr[j]; k < p->M.as.csc.colptr[j + 1]; k++)
            w[p->M.as.csc.row[k]] += p->M.as.csc.x[k] * z[j];
    for (int i = 0; i < n; i++) {
        double x = z[i] - w[i];
        x = x < lo[i] ? lo[i] : x > hi[i] ? hi[i] : x;
        worst = fmax(worst, fabs(z[i] - x));
        size = fmax(size, fmax(fabs(z[i]), fabs(p->q[i])));
    }
    free(w);
    return worst / size;
}

static perp_block random_row(perp_rng *rng)
{
    perp_block block = {.dim = 1, .set = PERP_BOX, .length = 1.0};
    int kind = perp_rng_below(rng, 6);
    if (kind < 2)
        block.set = kind ? PERP_FREE : PERP_NONNEG;
    block.par[0] = kind % 2 ? -INFINITY : between(rng, -1.0, 0.0);
    block.par[1] = kind / 2 == 2 ? INFINITY : between(rng, 0.0, 1.0);
    return block;
}

START_TEST(derivatives_match_differences)
{
    static const perp_reform *const reforms[] = {&perp_reform_fischer_burmeister,
                                                 &perp_reform_smooth_rows};
    perp_rng rng = {7};
    const double h = 1e-6;
    for (int k = 0; k < 4000; k++) {
        const perp_reform *reform = reforms[k % 2];
        perp_block block = random_row(&rng);
        double rho[2] = {between(&rng, 0.1, 3.0), between(&rng, 0.0, 0.2)};
        double z = between(&rng, -2.0, 2.0), w = between(&rng, -2.0, 2.0);
        double F, Fw, Fz, up, down, at;
        reform->eval(&F, &Fw, &Fz, &block, rho, &w, &z);
        ck_assert(Fw >= 0.0 && Fz >= 0.0 && Fw + Fz > 0.0);
        at = z + h;
        reform->eval(&up, NULL, NULL, &block, rho, &w, &at);
        at = z - h;
        reform->eval(&down, NULL, NULL, &block, rho, &w, &at);
        ck_assert_double_le(fabs((up - down) / (2.0 * h) - Fz), 1e-5);
        at = w + h;
        reform->eval(&up, NULL, NULL, &block, rho, &at, &z);
        at = w - h;
        reform->eval(&down, NULL, NULL, &block, rho, &at, &z);
        ck_assert_double_le(fabs((up - down) / (2.0 * h) - Fw), 1e-5);
    }
}
END_TEST

/* F = 0 where w fits z, and only there. */
START_TEST(zeros_are_the_solutions)
{
    perp_rng rng = {8};
    const double rho[2] = {0.7, 0.0};
    for (int k = 0; k < 4000; k++) {
        perp_block block = random_row(&rng);
        int box = block.set == PERP_BOX;
        double lo = box ? block.par[0] : block.set == PERP_FREE ? -INFINITY : 0.0;
        double hi = box ? block.par[1] : INFINITY;
        double z = between(&rng, -1.5, 1.5), w = between(&rng, -1.0, 1.0), F, gap;
        if (k % 2) {
            z = fmin(fmax(z, lo), hi);
            w = z <= lo ? fabs(w) : z >= hi ? -fabs(w) : 0.0;
        }
        perp_reform_fischer_burmeister.eval(&F, NULL, NULL, &block, rho, &w, &z);
        gap = fabs(z - fmin(fmax(z - w, lo), hi));
        ck_assert_double_le(fabs(F), 10.0 * gap + 1e-15);
        ck_assert_double_ge(fabs(F), 0.05 * gap);
    }
}
END_TEST

/* Sparse, positive diagonal blocks plus a skew part; every side of every kind of row occurs. */
typedef struct planted {
    int colptr[N + 1], row[N * N];
    double x[N * N], M[N * N], q[N], lo[N], hi[N], z[N], par[2][N];
    perp_segment seg[N];
    perp_problem problem, dense;
} planted;

static void plant_row(planted *p, perp_rng *rng, int i, double *w)
{
    int kind = perp_rng_below(rng, 4), side = perp_rng_below(rng, 4);
    p->lo[i] = kind == 0 || kind == 3 ? -INFINITY : kind == 1 ? 0.0 : between(rng, -2.0, -0.5);
    p->hi[i] = kind == 0 || kind == 1 ? INFINITY : between(rng, 0.5, 2.0);
    p->par[0][i] = p->lo[i];
    p->par[1][i] = p->hi[i];
    p->seg[i] = (perp_segment){.set = kind == 0   ? PERP_FREE
                                      : kind == 1 ? PERP_NONNEG
                                                  : PERP_BOX,
                               .dim = 1,
                               .count = 1};
    if (kind > 1) {
        p->seg[i].par[0] = &p->par[0][i];
        p->seg[i].par[1] = &p->par[1][i];
    }
    p->z[i] = between(rng, fmax(p->lo[i], -1.0), fmin(p->hi[i], 1.0));
    *w = 0.0;
    if (side == 0 && isfinite(p->lo[i])) {
        p->z[i] = p->lo[i];
        *w = between(rng, 0.0, 1.0);
    } else if (side == 1 && isfinite(p->hi[i])) {
        p->z[i] = p->hi[i];
        *w = -between(rng, 0.0, 1.0);
    }
}

/* Rank of the symmetric part: rank; N: definite. */
static void plant(planted *p, uint64_t seed, int rank)
{
    perp_rng rng = {seed};
    double w[N];
    int end = 0;
    memset(p, 0, sizeof *p);
    for (int k = 0; k < rank; k++) {
        double v[N] = {0};
        for (int e = 0; e < 4; e++)
            v[(k + perp_rng_below(&rng, 8)) % N] += perp_rng_signed(&rng);
        v[k % N] += 1.0;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                p->M[i + j * N] += v[i] * v[j];
    }
    for (int k = 0; k < 3 * N; k++) {
        int i = perp_rng_below(&rng, N), j = perp_rng_below(&rng, N);
        double s = i == j ? 0.0 : perp_rng_signed(&rng);
        p->M[i + j * N] += s;
        p->M[j + i * N] -= s;
    }
    for (int i = 0; i < N; i++)
        plant_row(p, &rng, i, &w[i]);
    for (int i = 0; i < N; i++) {
        p->q[i] = w[i];
        for (int j = 0; j < N; j++)
            p->q[i] -= p->M[i + j * N] * p->z[j];
    }
    for (int j = 0; j < N; j++) {
        p->colptr[j] = end;
        for (int i = N - 1; i >= 0; i--)
            if (p->M[i + j * N] != 0.0) {
                p->row[end] = i;
                p->x[end++] = p->M[i + j * N];
            }
    }
    p->colptr[N] = end;
    p->problem = (perp_problem){.q = p->q, .seg = p->seg, .nseg = N};
    p->dense = p->problem;
    perp_mat_init_csc(&p->problem.M, N, N, p->colptr, p->row, p->x);
    perp_mat_init_dense(&p->dense.M, N, N, p->M, N);
}

START_TEST(planted_problems_are_solved)
{
    planted *p = malloc(sizeof *p);
    double z[N], w[N];
    perp_info info = {.size = sizeof info};
    for (int k = 0; k < 120; k++) {
        plant(p, (uint64_t)(100 + k), k % 3 ? N : 2 * N / 3);
        for (int s = 0; s < NAMES; s++) {
            const perp_problem *problem = k % 2 ? &p->dense : &p->problem;
            perp_status status = solve(names[s], problem, z, w, &info);
            ck_assert_msg(status == PERP_SOLVED, "%s, %d: %s, error %g", names[s], k,
                          perp_status_name(status), info.error);
            ck_assert_double_le(independent_error(&p->problem, p->lo, p->hi, z), 1e-6);
        }
    }
    free(p);
}
END_TEST

/* A ladder as a problem with the bounds of its rows. */
typedef struct circuit {
    perp_problem_file *file;
    perp_problem problem;
    int n;
    double *lo, *hi, *z, *w, *again;
} circuit;

static void make_circuit(circuit *c, int rows, int relays, uint64_t seed)
{
    perp_ladder_options options = {rows, relays, seed};
    ck_assert_int_eq(perp_generate_ladder(&c->file, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_get(c->file, &c->problem, NULL), PERP_SOLVED);
    c->n = c->problem.M.rows;
    c->lo = calloc(5 * (size_t)c->n, sizeof(double));
    c->hi = c->lo + c->n;
    c->z = c->hi + c->n;
    c->w = c->z + c->n;
    c->again = c->w + c->n;
    for (int i = 0; i < c->n; i++) {
        c->lo[i] = relays ? c->file->lo[i] : c->file->is_free[i] ? -INFINITY : 0.0;
        c->hi[i] = relays ? c->file->hi[i] : INFINITY;
    }
}

static void drop_circuit(circuit *c)
{
    perp_problem_file_destroy(c->file);
    free(c->lo);
}

START_TEST(ladders_are_solved)
{
    static const int rows[] = {8, 10, 33, 100, 350, 2000};
    perp_info info = {.size = sizeof info};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        for (int relays = 0; relays < 2; relays++) {
            circuit c;
            make_circuit(&c, rows[k], relays, 3 + k);
            for (int s = 0; s < NAMES; s++) {
                perp_status status = solve(names[s], &c.problem, c.z, c.w, &info);
                ck_assert_msg(status == PERP_SOLVED, "%s, %d rows: %s", names[s], c.n,
                              perp_status_name(status));
                ck_assert_msg(info.iterations <= 60, "%s, %d rows: %d iterations", names[s], c.n,
                              info.iterations);
                ck_assert_double_le(independent_error(&c.problem, c.lo, c.hi, c.z), 1e-6);
                ck_assert_int_eq(solve(names[s], &c.problem, c.again, c.w, NULL), PERP_SOLVED);
                ck_assert(memcmp(c.z, c.again, (size_t)c.n * sizeof(double)) == 0);
            }
            drop_circuit(&c);
        }
    }
}
END_TEST

/* The matrix of a ladder is passive: x' M x >= 0, and it is not symmetric. */
START_TEST(ladders_are_passive)
{
    circuit c;
    perp_rng rng = {4};
    make_circuit(&c, 200, 1, 9);
    const perp_mat *M = &c.problem.M;
    for (int k = 0; k < 50; k++) {
        double form = 0.0, size = 0.0;
        for (int i = 0; i < c.n; i++)
            c.z[i] = perp_rng_signed(&rng);
        ck_assert_int_eq(perp_mat_apply(M, c.z, NULL, c.w), PERP_SOLVED);
        for (int i = 0; i < c.n; i++) {
            form += c.z[i] * c.w[i];
            size += fabs(c.z[i] * c.w[i]);
        }
        ck_assert_double_ge(form, -1e-12 * size);
    }
    drop_circuit(&c);
}
END_TEST

START_TEST(generator_refuses_nonsense)
{
    perp_problem_file *file;
    perp_ladder_options none = {0, 0, 1};
    ck_assert_int_eq(perp_generate_ladder(&file, &none, NULL), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(file);
    perp_ladder_options one = {1, 0, 1};
    ck_assert_int_eq(perp_generate_ladder(&file, &one, NULL), PERP_SOLVED);
    ck_assert_int_eq(file->M.rows, 8);
    perp_problem_file *boxed;
    ck_assert_int_eq(perp_generate_pyramid(&boxed, file, 1.0, NULL), PERP_ERR_ARGUMENT);
    perp_problem_file_destroy(file);
}
END_TEST

/* min |x|^2 / 2 with x1 + x2 + x3 = 3 said three times, the third with another scale, x >= 0. */
START_TEST(equations_said_twice)
{
    enum { X = 3, E = 3, ALL = X + E };
    double M[ALL * ALL] = {0}, q[ALL] = {0, 0, 0, -3, -3, -3e3}, z[ALL], w[ALL];
    perp_segment seg[2] = {{.set = PERP_NONNEG, .dim = 1, .count = X},
                           {.set = PERP_FREE, .dim = 1, .count = E}};
    perp_problem problem = {.q = q, .seg = seg, .nseg = 2};
    for (int i = 0; i < X; i++) {
        M[i + i * ALL] = 1.0;
        for (int e = X; e < ALL; e++) {
            double scale = e == ALL - 1 ? 1e3 : 1.0;
            M[e + i * ALL] = scale;
            M[i + e * ALL] = -scale;
        }
    }
    perp_mat_init_dense(&problem.M, ALL, ALL, M, ALL);
    for (int s = 0; s < NAMES; s++) {
        ck_assert_int_eq(solve(names[s], &problem, z, w, NULL), PERP_SOLVED);
        for (int i = 0; i < X; i++)
            ck_assert_double_le(fabs(z[i] - 1.0), 1e-6);
    }
}
END_TEST

/* The next time step of a circuit: q a little different. */
START_TEST(warm_starts_save_iterations)
{
    circuit c;
    perp_solver *solver;
    perp_settings settings;
    perp_info cold = {.size = sizeof cold}, warm = {.size = sizeof warm};
    perp_settings_init(&settings, sizeof settings);
    for (int s = 0; s < 3; s++) {
        int cold_sum = 0, warm_sum = 0;
        for (int k = 0; k < 6; k++) {
            make_circuit(&c, 400, k % 2, (uint64_t)(20 + k));
            perp_rng rng = {5};
            double *q = malloc((size_t)c.n * sizeof *q);
            memcpy(q, c.problem.q, (size_t)c.n * sizeof *q);
            settings.warm_start = 0;
            ck_assert_int_eq(
                perp_solver_create(&solver, perp_solver_find(choose_solver(names[s], &settings)),
                                   &settings, NULL, NULL),
                PERP_SOLVED);
            ck_assert_int_eq(perp_solver_setup(solver, &c.problem), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_solve(solver, c.z, c.w, &cold), PERP_SOLVED);
            for (int i = 0; i < c.n; i++)
                q[i] *= 1.0 + 1e-3 * perp_rng_signed(&rng);
            ck_assert_int_eq(perp_solver_update_q(solver, q), PERP_SOLVED);
            memcpy(c.again, c.z, (size_t)c.n * sizeof(double));
            ck_assert_int_eq(perp_solver_solve(solver, c.again, c.w, &cold), PERP_SOLVED);
            settings.warm_start = 1;
            ck_assert_int_eq(perp_solver_set_settings(solver, &settings), PERP_SOLVED);
            perp_status status = perp_solver_solve(solver, c.z, c.w, &warm);
            ck_assert_msg(status == PERP_SOLVED, "%s %d: %s, %d iterations, error %g", names[s], k,
                          perp_status_name(status), warm.iterations, warm.error);
            cold_sum += cold.iterations;
            warm_sum += warm.iterations;
            perp_solver_destroy(solver);
            free(q);
            drop_circuit(&c);
        }
        ck_assert_msg(3 * warm_sum <= 2 * cold_sum, "%s: %d warm, %d cold", names[s], warm_sum,
                      cold_sum);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("newton-linear");
    TCase *tc = tcase_create("rows");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, derivatives_match_differences);
    tcase_add_test(tc, zeros_are_the_solutions);
    tcase_add_test(tc, planted_problems_are_solved);
    tcase_add_test(tc, ladders_are_solved);
    tcase_add_test(tc, ladders_are_passive);
    tcase_add_test(tc, generator_refuses_nonsense);
    tcase_add_test(tc, equations_said_twice);
    tcase_add_test(tc, warm_starts_save_iterations);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
