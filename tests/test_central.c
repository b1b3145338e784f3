/* SPDX-License-Identifier: BSD-3-Clause */
/* Smoothed complementarity: derivatives against finite differences, the central path
 * it describes, its limit, the linear system in both forms. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/central/system.h"
#include "stored.h"

enum { DIM = 5 };

static double signed_uniform(perp_rng *rng)
{
    return 2.0 * perp_rng_uniform(rng) - 1.0;
}

static const perp_block kinds[] = {
    {.dim = 1, .set = PERP_FREE},
    {.dim = 1, .set = PERP_NONNEG},
    {.dim = 1, .set = PERP_BOX, .par = {-0.4, 0.9}},
    {.dim = 1, .set = PERP_BOX, .par = {-INFINITY, 0.3}},
    {.dim = 1, .set = PERP_BOX, .par = {0.2, INFINITY}},
    {.dim = 1, .set = PERP_BOX, .par = {-INFINITY, INFINITY}},
    {.dim = 2, .set = PERP_COULOMB, .par = {0.6}},
    {.dim = 3, .set = PERP_COULOMB, .par = {0.3}},
    {.dim = 3, .set = PERP_COULOMB, .par = {0.0}},
    {.dim = 3, .set = PERP_SOC, .par = {1.7}},
    {.dim = DIM, .set = PERP_SOC, .par = {0.8}},
    {.dim = 2, .set = PERP_SOC, .par = {0.0}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Central difference of G along (dw, dz, d log tau). */
static void difference(double *dG, const perp_block *block, perp_smoothing s, double d,
                       const double *w, const double *z, const double *dw, const double *dz,
                       double dt)
{
    const double h = 1e-6;
    double tau = s.tau;
    memset(dG, 0, DIM * sizeof *dG);
    for (int side = -1; side <= 1; side += 2) {
        double x[DIM], y[DIM], G[DIM], work[4 * DIM];
        for (int i = 0; i < block->dim; i++) {
            x[i] = z[i] + side * h * dz[i];
            y[i] = w[i] + side * h * dw[i];
        }
        s.tau = tau * exp(side * h * dt);
        perp_smoothing_eval(G, NULL, NULL, NULL, block, &s, d, y, x, work);
        for (int i = 0; i < block->dim; i++)
            dG[i] += side * G[i] / (2.0 * h);
    }
}

START_TEST(derivatives)
{
    perp_rng rng = {1};
    for (int trial = 0; trial < 50 * KINDS; trial++) {
        const perp_block *block = &kinds[trial % KINDS];
        int dim = block->dim;
        double d = 0.5 + perp_rng_uniform(&rng);
        double w[DIM], z[DIM], dw[DIM], dz[DIM], dt = signed_uniform(&rng);
        double G[DIM], Gw[DIM * DIM], Gz[DIM * DIM], Gt[DIM], dG[DIM], work[4 * DIM];
        perp_smoothing s = {0.5 + perp_rng_uniform(&rng), pow(10.0, -3.0 * perp_rng_uniform(&rng)),
                            trial % 2, 0.3};
        for (int i = 0; i < dim; i++) {
            w[i] = signed_uniform(&rng);
            z[i] = signed_uniform(&rng);
            dw[i] = signed_uniform(&rng);
            dz[i] = signed_uniform(&rng);
        }
        if (block->set == PERP_FREE)
            s.free = s.tau; /* its derivative is Gt */
        perp_smoothing_eval(G, Gw, Gz, Gt, block, &s, d, w, z, work);
        if (block->set == PERP_FREE)
            dt = 0.0;
        difference(dG, block, s, d, w, z, dw, dz, dt);
        for (int i = 0; i < dim; i++) {
            double own = Gt[i] * dt;
            for (int j = 0; j < dim; j++)
                own += Gw[i + j * dim] * dw[j] + Gz[i + j * dim] * dz[j];
            ck_assert_double_le(fabs(own - dG[i]), 1e-6 * (1.0 + fabs(own)));
        }
    }
}
END_TEST

/* For x inside the Lorentz cone and y = tau x^-1 in its Jordan algebra G is zero, down
 * to tiny tau, where Gz still carries full precision: at a stick contact 1 - l / f. */
START_TEST(zero_on_the_central_path)
{
    perp_rng rng = {2};
    for (int trial = 0; trial < 200; trial++) {
        const perp_block *block = &kinds[trial % 2 ? 9 : 10];
        int dim = block->dim;
        double mu = block->par[0], tau = pow(10.0, -14.0 * perp_rng_uniform(&rng));
        double x[DIM], z[DIM], w[DIM], G[DIM], Gw[DIM * DIM], Gz[DIM * DIM], work[4 * DIM];
        double square = 0.0;
        perp_smoothing s = {1.0, tau, 0.0, 0.0};
        for (int i = 1; i < dim; i++) {
            x[i] = signed_uniform(&rng);
            square += x[i] * x[i];
        }
        x[0] = sqrt(square) + 0.1 + perp_rng_uniform(&rng);
        double det = x[0] * x[0] - square;
        for (int i = 0; i < dim; i++) {
            z[i] = x[i] / (i == 0 ? mu : 1.0);
            w[i] = tau * x[i] / det * (i == 0 ? mu : -1.0);
        }
        perp_smoothing_eval(G, Gw, Gz, NULL, block, &s, 1.0, w, z, work);
        for (int i = 0; i < dim; i++)
            ck_assert_double_le(fabs(G[i]), 1e-14);
        /* d(x^2 + ..)/dx: Gz (x, 0) = 2 y to first order, whatever the size of tau. */
        if (tau > 1e-6 * det * det)
            continue;
        for (int i = 0; i < dim; i++) {
            double own = 0.0, y = tau * x[i] / det * (i == 0 ? 1.0 : -1.0);
            for (int j = 0; j < dim; j++)
                own += Gz[i + j * dim] * z[j];
            ck_assert_double_le(fabs(own - 2.0 * y), 1e-4 * tau / det);
        }
    }
}
END_TEST

/* One NONNEG row, a x + b = tau / x: the closed form, and the tangent of the path. */
START_TEST(one_row_in_closed_form)
{
    double G, Gw, Gz, work[4], a = 2.0;
    for (double b = -3.0; b <= 3.0; b += 1.5)
        for (double tau = 1.0; tau > 1e-12; tau *= 0.1) {
            perp_smoothing s = {1.0, tau, 0.0, 0.0};
            double root = sqrt(b * b + 4.0 * a * tau);
            double x = b > 0.0 ? 2.0 * tau / (b + root) : (root - b) / (2.0 * a);
            double y = tau / x;
            perp_smoothing_eval(&G, &Gw, &Gz, NULL, &kinds[1], &s, 1.0, &y, &x, work);
            ck_assert_double_le(fabs(G), 1e-14 * (1.0 + x + y));
            ck_assert_double_eq_tol(Gw * x, Gz * x * x * x / tau, 1e-9 * (1.0 + Gw * x));
        }
    /* Halfway between two bounds nothing pushes. */
    for (double tau = 1.0; tau > 1e-12; tau *= 0.1) {
        perp_smoothing s = {1.0, tau, 0.0, 0.0};
        double x = 0.25, y = 0.0;
        perp_smoothing_eval(&G, &Gw, &Gz, NULL, &kinds[2], &s, 1.0, &y, &x, work);
        ck_assert_double_le(fabs(G), 1e-15);
        ck_assert_double_gt(Gw, 0.0);
        ck_assert_double_gt(Gz, 0.0);
    }
}
END_TEST

/* With tau = 0 it vanishes exactly at solutions. */
START_TEST(limit_is_the_problem)
{
    perp_rng rng = {3};
    for (int trial = 0; trial < 50; trial++) {
        stored_problem p;
        stored_init(&p, "limit");
        stored_segment(&p, PERP_COULOMB, 3, 4, 0.5, 0.0);
        stored_segment(&p, PERP_COULOMB, 2, 3, 0.2, 0.0);
        stored_segment(&p, PERP_SOC, 4, 2, 0.7, 0.0);
        stored_segment(&p, PERP_BOX, 1, 3, -0.2, 0.4);
        stored_segment(&p, PERP_NONNEG, 1, 3, 0.0, 0.0);
        stored_segment(&p, PERP_COULOMB, 3, 2, 0.0, 0.0);
        stored_allocate(&p);
        for (int i = 0; i < p.n; i++)
            p.M[i + i * p.n] = 1.0;
        stored_plant(&p, &rng);
        stored_view v;
        perp_blocks blocks;
        perp_arena arena;
        perp_arena_init(&arena, NULL);
        ck_assert(stored_view_make(&v, &p, STORED_DENSE));
        ck_assert_int_eq(perp_blocks_build(&blocks, &v.problem, &arena), 0);
        for (int k = 0; k < blocks.count; k++) {
            const perp_block *block = &blocks.at[k];
            perp_smoothing s = {1.0, 0.0, 0.5, 0.0};
            double w[DIM], G[DIM], work[4 * DIM];
            for (int i = 0; i < block->dim; i++)
                w[i] = p.z[block->row + i] + p.q[block->row + i];
            perp_smoothing_eval(G, NULL, NULL, NULL, block, &s, 1.0, w, p.z + block->row, work);
            for (int i = 0; i < block->dim; i++)
                ck_assert_double_le(fabs(G[i]), 1e-13);
        }
        perp_arena_free(&arena);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

/* Bodies of 6 unknowns; each row reaches two of them. */
static void bodies(stored_problem *p, int count, perp_rng *rng)
{
    int dofs = 6 * count;
    stored_factors(p, dofs);
    for (int i = 0; i < dofs; i++)
        p->mass[i + i * dofs] = 1.0 + perp_rng_uniform(rng);
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim, pair[2] = {perp_rng_below(rng, count), perp_rng_below(rng, count)};
        stored_block(p, k, &row, &dim);
        for (int j = row; j < row + dim; j++)
            for (int side = 0; side < 2; side++)
                for (int i = 0; i < 6; i++)
                    p->H[6 * pair[side] + i + j * dofs] += signed_uniform(rng);
    }
    stored_multiply(p);
}

static void check_solution(const stored_problem *p, perp_central *central, perp_rng *rng)
{
    size_t n = (size_t)p->n;
    double *w = calloc(n, sizeof *w), *z = calloc(n, sizeof *z), *r = calloc(n, sizeof *r);
    double *dz = calloc(n, sizeof *dz), *y = calloc(n, sizeof *y);
    for (size_t i = 0; i < n; i++) {
        w[i] = signed_uniform(rng);
        z[i] = signed_uniform(rng);
        r[i] = signed_uniform(rng);
    }
    ck_assert_int_eq(perp_central_factorise(central, w, z), 0);
    perp_central_solve(dz, central, r);
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        int dim = block->dim, row = block->row;
        double G[DIM], Gw[DIM * DIM], Gz[DIM * DIM], work[4 * DIM], d = central->d[k];
        double mu = block->set == PERP_COULOMB || block->set == PERP_SOC ? block->par[0] : 1.0;
        perp_smoothing_eval(G, Gw, Gz, NULL, block, &central->smoothing, d, w + row, z + row, work);
        for (int i = 0; i < dim; i++)
            ck_assert_double_eq(G[i], central->G[row + i]);
        for (int j = 0; j < dim; j++) {
            double change = central->weight * d * d * (j == 0 ? mu * mu : 1.0) * dz[row + j];
            for (int l = 0; l < p->n; l++)
                change += p->M[row + j + l * p->n] * dz[l];
            for (int i = 0; i < dim; i++)
                y[row + i] += Gw[i + j * dim] * change + Gz[i + j * dim] * dz[row + j];
        }
    }
    for (size_t i = 0; i < n; i++)
        ck_assert_double_eq_tol(y[i], r[i], 1e-8);
    free(w);
    free(z);
    free(r);
    free(dz);
    free(y);
}

START_TEST(system_is_solved_in_both_forms)
{
    perp_rng rng = {4};
    for (int trial = 0; trial < 20; trial++) {
        stored_problem p;
        stored_init(&p, "system");
        stored_segment(&p, PERP_COULOMB, 3, 4, 0.5, 0.0);
        stored_segment(&p, PERP_FREE, 1, 2, 0.0, 0.0);
        stored_segment(&p, PERP_SOC, 4, 2, 0.7, 0.0);
        stored_segment(&p, PERP_BOX, 1, 2, -0.2, 0.4);
        stored_segment(&p, PERP_NONNEG, 1, 2, 0.0, 0.0);
        stored_allocate(&p);
        bodies(&p, 3, &rng);
        for (int kind = 0; kind < 2; kind++) {
            stored_view v;
            perp_central central;
            perp_settings settings;
            perp_work work = {.settings = &settings};
            perp_arena arena;
            perp_settings_init(&settings, sizeof settings);
            perp_arena_init(&arena, NULL);
            ck_assert(stored_view_make(&v, &p, kind ? STORED_DELASSUS : STORED_CSC));
            work.problem = &v.problem;
            work.arena = &arena;
            ck_assert_int_eq(perp_blocks_build(&work.blocks, &v.problem, &arena), 0);
            ck_assert_int_eq(perp_scaling_build(&work.scaling, &v.problem, &work.blocks, &arena),
                             0);
            ck_assert_int_eq(perp_central_build(&central, &work), 0);
            ck_assert_int_eq(perp_central_load(&central, &work), 0);
            ck_assert_int_eq(central.bodies, kind ? p.dofs : 0);
            central.smoothing = (perp_smoothing){1.3, 1e-3, 1.0, 0.01};
            central.weight = trial % 2 ? 0.1 : 0.0;
            check_solution(&p, &central, &rng);
            perp_central_free(&central);
            perp_arena_free(&arena);
            stored_view_free(&v);
        }
        stored_free(&p);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("central");
    TCase *tests = tcase_create("central");
    tcase_add_test(tests, derivatives);
    tcase_add_test(tests, zero_on_the_central_path);
    tcase_add_test(tests, one_row_in_closed_form);
    tcase_add_test(tests, limit_is_the_problem);
    tcase_add_test(tests, system_is_solved_in_both_forms);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
