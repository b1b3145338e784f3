/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting: the shifted systems in every storage against their definition, the resolvent of
 * the law against its inclusion, one answer from every storage, any first rho, few
 * factorisations, the answers of Gauss-Seidel, polishing, acceleration. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/judge.h"
#include "sets/set.h"
#include "solvers/admm/shifted.h"
#include "solvers/projection/law_resolvent.h"
#include "tests/fixtures/stored.h"

static void mixed_sets(stored_problem *p)
{
    stored_init(p, "mixed");
    stored_segment(p, PERP_FREE, 1, 3, 0.0, 0.0);
    stored_segment(p, PERP_NONNEG, 1, 3, 0.0, 0.0);
    stored_segment(p, PERP_BOX, 1, 3, -0.5, 0.7);
    stored_segment(p, PERP_TRESCA, 3, 2, 0.4, 0.0);
    stored_segment(p, PERP_COULOMB, 3, 4, 0.3, 0.0);
    stored_segment(p, PERP_COULOMB, 2, 2, 0.8, 0.0);
    stored_segment(p, PERP_SOC, 5, 1, 0.7, 0.0);
    stored_allocate(p);
}

static void convex_sets(stored_problem *p)
{
    stored_init(p, "convex");
    stored_segment(p, PERP_FREE, 1, 4, 0.0, 0.0);
    stored_segment(p, PERP_NONNEG, 1, 6, 0.0, 0.0);
    stored_segment(p, PERP_BOX, 1, 6, -1.0, 1.0);
    stored_segment(p, PERP_SOC, 3, 4, 0.5, 0.0);
    stored_segment(p, PERP_SOC, 6, 2, 1.5, 0.0);
    stored_segment(p, PERP_TRESCA, 3, 2, 1.0, 0.0);
    stored_allocate(p);
}

static void settings_of(perp_settings *settings, int polish)
{
    perp_settings_init(settings, sizeof *settings);
    settings->polish = polish;
    settings->tol = 1e-9;
}

static perp_info run(const perp_problem *problem, const perp_settings *settings, double *z,
                     double *w)
{
    perp_info info = {.size = sizeof info};
    perp_solve("admm", problem, settings, z, w, &info);
    ck_assert_str_eq(info.solver, "admm");
    return info;
}

/* A perp_work with what perp_shifted reads. */
static void make_work(perp_work *work, perp_arena *arena, const perp_problem *problem,
                      const perp_settings *settings, perp_info *info)
{
    memset(work, 0, sizeof *work);
    memset(info, 0, sizeof *info);
    work->problem = problem;
    work->settings = settings;
    work->arena = arena;
    work->info = info;
    ck_assert_int_eq(perp_blocks_build(&work->blocks, problem, arena), PERP_SOLVED);
    ck_assert_int_eq(perp_scaling_build(&work->scaling, problem, &work->blocks, arena),
                     PERP_SOLVED);
    work->scratch = PERP_TAKE(arena, double, perp_mat_scratch(&problem->M));
}

static double worst_of_system(const stored_problem *p, const perp_shifted *shifted, const double *x,
                              const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < p->n; i++) {
        long double r = (long double)shifted->shift[i] * x[i] - b[i];
        for (int j = 0; j < p->n; j++)
            r += (long double)p->M[i + j * p->n] * x[j];
        worst = fmax(worst, (double)fabsl(r));
    }
    return worst;
}

/* (M + R) x = b for random R, in contact unknowns, in body unknowns and matrix-free. */
START_TEST(shifted_systems)
{
    perp_rng rng = {11};
    stored_problem p;
    perp_settings settings;
    settings_of(&settings, 0);
    mixed_sets(&p);
    stored_definite(&p, &rng);
    double *x = calloc((size_t)p.n, sizeof *x), *b = calloc((size_t)p.n, sizeof *b);
    for (int kind = 0; kind < STORED_COUNT; kind++) {
        stored_view v;
        perp_work work;
        perp_arena arena;
        perp_shifted shifted = {0};
        perp_info info = {.size = sizeof info};
        if (!stored_view_make(&v, &p, (storage)kind))
            continue;
        perp_arena_init(&arena, NULL);
        make_work(&work, &arena, &v.problem, &settings, &info);
        ck_assert_int_eq(perp_shifted_setup(&shifted, &work), PERP_SOLVED);
        for (int trial = 0; trial < 3; trial++) {
            for (int i = 0; i < p.n; i++) {
                shifted.shift[i] = pow(10.0, perp_rng_signed(&rng) - trial);
                b[i] = perp_rng_signed(&rng);
            }
            ck_assert_int_eq(perp_shifted_load(&shifted), PERP_SOLVED);
            ck_assert_int_eq(perp_shifted_factorise(&shifted), PERP_SOLVED);
            memset(x, 0, (size_t)p.n * sizeof *x);
            int calls = shifted.kind == PERP_OPERATOR ? 13 : 1;
            for (int call = 0; call < calls; call++)
                ck_assert_int_eq(perp_shifted_solve(x, &shifted, b), PERP_SOLVED);
            ck_assert_double_le(worst_of_system(&p, &shifted, x, b), 1e-10);
        }
        perp_shifted_free(&shifted);
        perp_arena_free(&arena);
        stored_view_free(&v);
    }
    free(x);
    free(b);
    stored_free(&p);
}
END_TEST

/* z = J(x) and y = c (z - x) satisfy z = P_K(z - t (y + s(y))) for any c and t. */
START_TEST(resolvent_of_the_law)
{
    const struct {
        short dim, set;
    } kinds[] = {{1, PERP_FREE},    {1, PERP_NONNEG},  {1, PERP_BOX},
                 {2, PERP_TRESCA},  {3, PERP_TRESCA},  {2, PERP_COULOMB},
                 {3, PERP_COULOMB}, {3, PERP_COULOMB}, {4, PERP_SOC}};
    perp_rng rng = {12};
    for (int trial = 0; trial < 20000; trial++) {
        int kind = trial % (int)(sizeof kinds / sizeof kinds[0]);
        perp_block block = {
            .dim = kinds[kind].dim, .set = kinds[kind].set, .par = {0.0, 2.0}, .length = 1.0};
        const perp_set_type *set = perp_set_type_of(block.set);
        double x[4], z[4], y[4], p[4], c = pow(10.0, 4.0 * perp_rng_signed(&rng));
        block.par[0] = block.set == PERP_BOX ? -0.3 : trial % 7 ? perp_rng_uniform(&rng) : 0.0;
        for (int i = 0; i < block.dim; i++)
            x[i] = perp_rng_signed(&rng);
        perp_law_resolvent(z, x, &block);
        for (int i = 0; i < block.dim; i++)
            y[i] = c * (z[i] - x[i]);
        double shift = set->shift ? set->shift(y, block.par, block.dim) : 0.0;
        for (int i = 0; i < block.dim; i++)
            p[i] = z[i] - (y[i] + (i == 0 ? shift : 0.0)) / c;
        set->project(p, p, block.par, block.dim);
        for (int i = 0; i < block.dim; i++)
            ck_assert_double_eq_tol(p[i], z[i], 1e-14);
        perp_law_resolvent(x, x, &block);
        ck_assert_mem_eq(x, z, (size_t)block.dim * sizeof(double));
    }
}
END_TEST

/* Convex sets, a definite M: the planted solution is the only one, and nothing but the
 * splitting finds it, from any first rho and any over-relaxation, with few factorisations. */
START_TEST(the_only_solution)
{
    perp_rng rng = {13};
    for (int trial = 0; trial < 12; trial++) {
        stored_problem p;
        stored_view v;
        perp_settings settings;
        settings_of(&settings, 0);
        settings.tol = 1e-11;
        settings.penalty = pow(10.0, trial % 7 - 3);
        settings.relaxation = 1.0 + 0.2 * (trial % 5);
        settings.depth = trial % 3 == 2 ? 5 : 0;
        convex_sets(&p);
        stored_definite(&p, &rng);
        stored_plant(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
        for (int kind = 0; kind < STORED_COUNT; kind++) {
            if (!stored_view_make(&v, &p, (storage)kind))
                continue;
            perp_info info = run(&v.problem, &settings, z, w);
            ck_assert_int_eq(info.status, PERP_SOLVED);
            ck_assert_int_le(info.factorisations, 6);
            ck_assert_int_le(info.iterations, 500);
            for (int i = 0; i < p.n; i++)
                ck_assert_double_eq_tol(z[i], p.z[i], 1e-9);
            stored_view_free(&v);
        }
        free(z);
        free(w);
        stored_free(&p);
    }
}
END_TEST

/* Contact and body unknowns are the same iteration. */
START_TEST(one_iteration_in_two_forms)
{
    perp_rng rng = {14};
    stored_problem p;
    stored_view v;
    perp_settings settings;
    settings_of(&settings, 0);
    settings.max_iter = 25;
    settings.tol = 0.0;
    mixed_sets(&p);
    stored_definite(&p, &rng);
    stored_plant(&p, &rng);
    double *z[3], *w = calloc((size_t)p.n, sizeof *w);
    const storage kinds[] = {STORED_DENSE, STORED_CSC, STORED_DELASSUS};
    for (int k = 0; k < 3; k++) {
        z[k] = calloc((size_t)p.n, sizeof *z[k]);
        ck_assert(stored_view_make(&v, &p, kinds[k]));
        run(&v.problem, &settings, z[k], w);
        stored_view_free(&v);
    }
    for (int i = 0; i < p.n; i++) {
        ck_assert_double_eq_tol(z[0][i], z[1][i], 1e-11);
        ck_assert_double_eq_tol(z[0][i], z[2][i], 1e-11);
    }
    for (int k = 0; k < 3; k++)
        free(z[k]);
    free(w);
    stored_free(&p);
}
END_TEST

/* Friction, moderate mu, a definite M: one solution, the same as that of Gauss-Seidel and of
 * the accelerated gradient, with and without polishing. */
START_TEST(answers_agree)
{
    perp_rng rng = {15};
    static const char *const others[] = {"gs", "apgd"};
    for (int trial = 0; trial < 10; trial++) {
        stored_problem p;
        stored_view v;
        perp_settings settings;
        perp_info info = {.size = sizeof info};
        mixed_sets(&p);
        stored_definite(&p, &rng);
        for (int i = 0; i < p.n; i++)
            p.q[i] = perp_rng_signed(&rng);
        ck_assert(stored_view_make(&v, &p, STORED_CSC));
        double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
        double *y = calloc((size_t)p.n, sizeof *y);
        settings_of(&settings, trial % 2 ? 8 : 0);
        settings.tol = 1e-11;
        info = run(&v.problem, &settings, z, w);
        ck_assert_int_eq(info.status, PERP_SOLVED);
        settings_of(&settings, 0);
        settings.tol = 1e-11;
        for (int s = 0; s < 2; s++) {
            ck_assert_int_eq(perp_solve(others[s], &v.problem, &settings, y, w, &info),
                             PERP_SOLVED);
            for (int i = 0; i < p.n; i++)
                ck_assert_double_eq_tol(z[i], y[i], 1e-8);
        }
        free(z);
        free(w);
        free(y);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

/* Unsymmetric and monotone, skew in part: splitting needs no symmetry. */
START_TEST(unsymmetric)
{
    perp_rng rng = {16};
    for (int trial = 0; trial < 6; trial++) {
        stored_problem p;
        perp_settings settings;
        settings_of(&settings, 0);
        convex_sets(&p);
        for (int i = 0; i < p.n; i++)
            for (int j = 0; j <= i; j++) {
                double skew = perp_rng_signed(&rng);
                p.M[i + j * p.n] = i == j ? 0.3 : skew;
                p.M[j + i * p.n] = i == j ? 0.3 : -skew;
            }
        stored_plant(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
        const storage kinds[] = {STORED_DENSE, STORED_CSC, STORED_OPERATOR};
        for (int k = 0; k < 3; k++) {
            stored_view v;
            ck_assert(stored_view_make(&v, &p, kinds[k]));
            perp_info info = run(&v.problem, &settings, z, w);
            ck_assert_int_eq(info.status, PERP_SOLVED);
            for (int i = 0; i < p.n; i++)
                ck_assert_double_eq_tol(z[i], p.z[i], 1e-6);
            stored_view_free(&v);
        }
        free(z);
        free(w);
        stored_free(&p);
    }
}
END_TEST

/* At a solution it stays; polishing ends in few steps what the splitting began. */
START_TEST(polishing_and_warm_starts)
{
    perp_rng rng = {17};
    stored_problem p;
    stored_view v;
    perp_settings settings;
    mixed_sets(&p);
    stored_definite(&p, &rng);
    stored_plant(&p, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_DELASSUS));
    double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
    settings_of(&settings, 0);
    settings.tol = 1e-12;
    perp_info plain = run(&v.problem, &settings, z, w);
    settings.polish = 8;
    perp_info polished = run(&v.problem, &settings, z, w);
    ck_assert_int_eq(plain.status, PERP_SOLVED);
    ck_assert_int_eq(polished.status, PERP_SOLVED);
    ck_assert_int_lt(polished.iterations, plain.iterations);
    settings.warm_start = 1;
    ck_assert_int_eq(run(&v.problem, &settings, z, w).iterations, 0);
    for (int i = 0; i < p.n; i++)
        z[i] += 1e-7 * perp_rng_signed(&rng);
    perp_info warm = run(&v.problem, &settings, z, w);
    ck_assert_int_eq(warm.status, PERP_SOLVED);
    ck_assert_int_le(warm.iterations, polished.iterations);
    free(z);
    free(w);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("admm");
    TCase *tcase = tcase_create("admm");
    tcase_set_timeout(tcase, 60.0);
    tcase_add_test(tcase, shifted_systems);
    tcase_add_test(tcase, resolvent_of_the_law);
    tcase_add_test(tcase, the_only_solution);
    tcase_add_test(tcase, one_iteration_in_two_forms);
    tcase_add_test(tcase, answers_agree);
    tcase_add_test(tcase, unsymmetric);
    tcase_add_test(tcase, polishing_and_warm_starts);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
