/* SPDX-License-Identifier: BSD-3-Clause */
/* Smoothed complementarity: derivatives against finite differences, the central path
 * it describes, its limit, the linear system in both forms. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/central/arclength.h"
#include "solvers/central/central_system.h"
#include "tests/fixtures/stored.h"

enum { DIM = 5 };

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
        double w[DIM], z[DIM], dw[DIM], dz[DIM], dt = perp_rng_signed(&rng);
        double G[DIM], Gw[DIM * DIM], Gz[DIM * DIM], Gt[DIM], dG[DIM], work[4 * DIM];
        perp_smoothing s = {0.5 + perp_rng_uniform(&rng), pow(10.0, -3.0 * perp_rng_uniform(&rng)),
                            trial % 2, 0.3};
        for (int i = 0; i < dim; i++) {
            w[i] = perp_rng_signed(&rng);
            z[i] = perp_rng_signed(&rng);
            dw[i] = perp_rng_signed(&rng);
            dz[i] = perp_rng_signed(&rng);
        }
        perp_smoothing_eval(G, Gw, Gz, Gt, block, &s, d, w, z, work);
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
            x[i] = perp_rng_signed(&rng);
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
                    p->H[6 * pair[side] + i + j * dofs] += perp_rng_signed(rng);
    }
    stored_multiply(p);
}

static void check_solution(const stored_problem *p, perp_central *central, const perp_work *work,
                           perp_rng *rng)
{
    size_t n = (size_t)p->n;
    double *w = calloc(n, sizeof *w), *z = calloc(n, sizeof *z), *r = calloc(n, sizeof *r);
    double *dz = calloc(n, sizeof *dz), *dw = calloc(n, sizeof *dw), *y = calloc(n, sizeof *y);
    for (size_t i = 0; i < n; i++) {
        w[i] = perp_rng_signed(rng);
        z[i] = perp_rng_signed(rng);
        r[i] = perp_rng_signed(rng);
    }
    ck_assert_int_eq(perp_central_factorise(central, w, z), 0);
    perp_central_solve(dz, dw, central, work, r);
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        int dim = block->dim, row = block->row;
        double G[DIM], Gw[DIM * DIM], Gz[DIM * DIM], scratch[4 * DIM], d = central->d[k];
        double mu = block->set == PERP_COULOMB || block->set == PERP_SOC ? block->par[0] : 1.0;
        perp_smoothing_eval(G, Gw, Gz, NULL, block, &central->smoothing, d, w + row, z + row,
                            scratch);
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
    free(dw);
    free(y);
}

static const perp_arclength_limits strict = {1e-5, 1e-10, 0.25, 0.25, 0.85, 6, 1e-9, 2.0};

/* A handle's view of a problem, as a solver's setup sees it. */
typedef struct bench {
    perp_settings settings;
    perp_work work;
    perp_arena arena;
    perp_central *central;
    perp_arclength arc;
} bench;

static void bench_make(bench *b, const perp_problem *problem)
{
    memset(b, 0, sizeof *b);
    perp_settings_init(&b->settings, sizeof b->settings);
    perp_arena_init(&b->arena, NULL);
    b->work.settings = &b->settings;
    b->work.problem = problem;
    b->work.arena = &b->arena;
    b->work.scratch = PERP_TAKE(&b->arena, double, perp_mat_scratch(&problem->M) + 1);
    ck_assert_int_eq(perp_blocks_build(&b->work.blocks, problem, &b->arena), 0);
    ck_assert_int_eq(perp_scaling_build(&b->work.scaling, problem, &b->work.blocks, &b->arena),
                     0);
    ck_assert_int_eq(perp_central_setup(&b->work, sizeof(perp_central)), 0);
    b->central = b->work.state;
    ck_assert_int_eq(perp_arclength_take(&b->arc, b->central, &b->arena), 0);
    perp_central_size(b->central, problem);
    b->central->smoothing.free = 1.0;
    b->arc.limits = &strict;
}

static void bench_free(bench *b)
{
    perp_central_release(&b->work);
    perp_arena_free(&b->arena);
}

/* One row a z + q: the path is the positive root of a z^2 + q z = tau size^2. */
START_TEST(path_of_one_row)
{
    for (double q = -2.0; q <= 2.0; q += 4.0) {
        stored_problem p;
        stored_view v;
        bench b;
        double a = 3.0;
        stored_init(&p, "row");
        stored_segment(&p, PERP_NONNEG, 1, 1, 0.0, 0.0);
        stored_allocate(&p);
        p.M[0] = a;
        p.q[0] = q;
        ck_assert(stored_view_make(&v, &p, STORED_CSC));
        bench_make(&b, &v.problem);
        ck_assert_int_eq(perp_arclength_start(&b.arc, &b.work, 1.0), PERP_SOLVED);
        while (b.arc.now.sigma > log(1e-13)) {
            double size = b.central->smoothing.size, tau = exp(b.arc.now.sigma) * size * size;
            double root = sqrt(q * q + 4.0 * a * tau);
            double z = q < 0.0 ? (root - q) / (2.0 * a) : 2.0 * tau / (root + q);
            ck_assert_double_eq_tol(b.arc.now.z[0], z, 1e-9 * (z + sqrt(tau)));
            ck_assert_double_lt(b.arc.now.ts, 0.0);
            ck_assert_int_eq(perp_arclength_step(&b.arc, &b.work), PERP_SOLVED);
        }
        ck_assert_int_eq(b.arc.folds, 0);
        bench_free(&b);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

/* A contact pressed and pushed, W = 1: y = x + q + |y_T| e_0, so that with x o y = tau e_0
 * and all tangents along one line, p = x_0 + x_T and m = x_0 - x_T obey scalar equations
 * which are checked at every point, as is the tangent against the next chord. */
START_TEST(path_of_one_contact)
{
    stored_problem p;
    stored_view v;
    bench b;
    stored_init(&p, "contact");
    stored_segment(&p, PERP_COULOMB, 2, 1, 1.0, 0.0);
    stored_allocate(&p);
    p.M[0] = p.M[3] = 1.0;
    p.q[0] = -1.0;
    p.q[1] = 1.8;
    ck_assert(stored_view_make(&v, &p, STORED_DENSE));
    bench_make(&b, &v.problem);
    ck_assert_int_eq(perp_arclength_start(&b.arc, &b.work, 1.0), PERP_SOLVED);
    while (b.arc.now.sigma > log(1e-13)) {
        const double *z = b.arc.now.z;
        double size = b.central->smoothing.size, tau = exp(b.arc.now.sigma) * size * size;
        double wn = z[0] + p.q[0], wt = z[1] + p.q[1], y0 = wn + fabs(wt);
        ck_assert_double_eq_tol((z[0] + z[1]) * (y0 + wt), tau, 1e-8 * sqrt(tau));
        ck_assert_double_eq_tol((z[0] - z[1]) * (y0 - wt), tau, 1e-8 * sqrt(tau));
        ck_assert_int_eq(perp_arclength_step(&b.arc, &b.work), PERP_SOLVED);
    }
    /* It slides at the end: r_T = -r_N, r_N = 1. */
    ck_assert_double_eq_tol(b.arc.now.z[0], 1.0, 1e-6);
    ck_assert_double_eq_tol(b.arc.now.z[1], -1.0, 1e-6);
    bench_free(&b);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* Identities that hold exactly for real numbers. */
START_TEST(twofold_arithmetic)
{
    perp_rng rng = {5};
    for (int trial = 0; trial < 1000; trial++) {
        perp_twofold a = perp_twofold_sum(1.0 + perp_rng_uniform(&rng), 1e-17 * trial);
        perp_twofold b = perp_twofold_sum(perp_rng_signed(&rng) + 1.5, 1e-18 * trial);
        perp_twofold root = perp_twofold_root(a), ratio = perp_twofold_quotient(a, b);
        perp_twofold sum = perp_twofold_add(a, b), twice = perp_twofold_times(a, 3.0);
        perp_twofold gone[] = {
            perp_twofold_subtract(perp_twofold_product(root, root), a),
            perp_twofold_subtract(perp_twofold_product(ratio, b), a),
            perp_twofold_subtract(perp_twofold_subtract(sum, b), a),
            perp_twofold_subtract(perp_twofold_subtract(twice, a), perp_twofold_add(a, a)),
        };
        for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
            ck_assert_double_le(fabs(gone[i].high), 1e-30);
    }
    ck_assert_double_eq(perp_twofold_root((perp_twofold){0.0, 0.0}).high, 0.0);
}
END_TEST

/* M = 1, q = -z, so that w = low to all digits, and (z, w) is on the path: x o y = tau e with y
 * 1e12 times smaller than x. */
START_TEST(residual_where_doubles_cancel)
{
    perp_rng rng = {6};
    for (int trial = 0; trial < 50; trial++) {
        stored_problem p;
        stored_view v;
        bench b;
        perp_precise precise;
        double z[3], low[3], w[3], G[3], mu = 0.1 + perp_rng_uniform(&rng), tau = 1e-12;
        stored_init(&p, "pressed");
        stored_segment(&p, trial % 2 ? PERP_SOC : PERP_COULOMB, 3, 1, mu, 0.0);
        stored_allocate(&p);
        for (int i = 0; i < 3; i++)
            p.M[4 * i] = 1.0;
        z[0] = (1.5 + perp_rng_uniform(&rng)) / mu;
        z[1] = perp_rng_signed(&rng);
        z[2] = perp_rng_signed(&rng);
        double det = mu * mu * z[0] * z[0] - z[1] * z[1] - z[2] * z[2];
        low[1] = -tau / det * z[1];
        low[2] = -tau / det * z[2];
        low[0] = mu * (tau / det * mu * z[0] - (trial % 2 ? 0.0 : hypot(low[1], low[2])));
        for (int i = 0; i < 3; i++)
            p.q[i] = -z[i];
        ck_assert(stored_view_make(&v, &p, STORED_DENSE));
        bench_make(&b, &v.problem);
        ck_assert_int_eq(perp_precise_take(&precise, b.central, &b.arena), 0);
        b.central->smoothing = (perp_smoothing){1.0, tau, 0.0, 0.0};
        double error = perp_precise_residual(G, w, &precise, b.central, p.q, z, low);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq(w[i], low[i]);
        ck_assert_double_le(error, 1e-22);
        bench_free(&b);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

static void check_precise(perp_central *central, perp_work *work, perp_arena *arena, perp_rng *rng)
{
    enum { ROOM = 32 };
    double z[ROOM], low[ROOM], w[ROOM], mine[ROOM], G[ROOM];
    int n = work->blocks.n;
    perp_precise precise;
    ck_assert_int_le(n, ROOM);
    for (int i = 0; i < n; i++) {
        z[i] = perp_rng_signed(rng);
        low[i] = 0.0;
    }
    ck_assert_int_eq(perp_mat_apply(&work->problem->M, z, work->scratch, w), 0);
    for (int i = 0; i < n; i++)
        w[i] += work->problem->q[i];
    ck_assert_int_eq(perp_precise_take(&precise, central, arena), 0);
    double error = perp_precise_residual(G, mine, &precise, central, work->problem->q, z, low);
    ck_assert_double_eq_tol(perp_central_residual(central, w, z), error, 1e-12 * error);
    for (int i = 0; i < n; i++) {
        ck_assert_double_eq_tol(mine[i], w[i], 1e-12);
        ck_assert_double_eq_tol(G[i], central->G[i], 1e-11);
    }
}

/* Contacts that stick at a small tau: C is of the order 1 / tau. */
static void check_krylov(perp_central *central, perp_work *work, perp_arena *arena, perp_rng *rng)
{
    enum { ROOM = 32 };
    double w[ROOM], z[ROOM], r[ROOM], dz[ROOM], dw[ROOM], back[ROOM];
    int n = work->blocks.n;
    perp_krylov krylov;
    ck_assert_int_le(n, ROOM);
    ck_assert_int_eq(perp_krylov_take(&krylov, n, arena), 0);
    central->smoothing.tau = 1e-10;
    central->weight = 0.0;
    for (int k = 0; k < work->blocks.count; k++)
        for (int i = 0; i < work->blocks.at[k].dim; i++) {
            int row = work->blocks.at[k].row + i;
            z[row] = i == 0 ? 2.0 + perp_rng_uniform(rng) : 0.3 * perp_rng_signed(rng);
            w[row] = 1e-10 * perp_rng_signed(rng);
            dz[row] = perp_rng_signed(rng);
        }
    ck_assert_int_eq(perp_central_factorise(central, w, z), 0);
    ck_assert_int_eq(perp_mat_apply(&work->problem->M, dz, work->scratch, dw), 0);
    perp_central_apply(r, central, dz, dw);
    perp_precise precise;
    ck_assert_int_eq(perp_precise_take(&precise, central, arena), 0);
    for (int exact = 0; exact < 2; exact++) {
        krylov.precise = exact ? &precise : NULL;
        perp_krylov_solve(dz, dw, &krylov, central, work, r, 1e-9);
        perp_central_apply(back, central, dz, dw);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(back[i], r[i], 1e-8);
    }
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
            bench b;
            ck_assert(stored_view_make(&v, &p, kind ? STORED_DELASSUS : STORED_CSC));
            bench_make(&b, &v.problem);
            ck_assert_int_eq(b.central->in_bodies, kind);
            ck_assert_int_eq(b.central->form.order, kind ? p.dofs : 0);
            b.central->smoothing = (perp_smoothing){1.3, 1e-3, 1.0, 0.01};
            b.central->weight = trial % 2 ? 0.1 : 0.0;
            check_solution(&p, b.central, &b.work, &rng);
            check_precise(b.central, &b.work, &b.arena, &rng);
            check_krylov(b.central, &b.work, &b.arena, &rng);
            bench_free(&b);
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
    tcase_add_test(tests, path_of_one_row);
    tcase_add_test(tests, path_of_one_contact);
    tcase_add_test(tests, twofold_arithmetic);
    tcase_add_test(tests, residual_where_doubles_cancel);
    tcase_add_test(tests, system_is_solved_in_both_forms);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
