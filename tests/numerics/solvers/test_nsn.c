/* SPDX-License-Identifier: BSD-3-Clause */
/* nsn: the Newton matrix against finite differences, local against global
 * form, quadratic convergence, all sets and storages, singular problems,
 * updates, real problem files. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "handle/solver_type.h"
#include "tests/fixtures/judge.h"
#include "tests/fixtures/real_problems.h"
#include "tests/fixtures/rerun.h"
#include "solvers/newton/newton_lu.h"
#include "tests/fixtures/stored.h"
#include "tests/fixtures/rolling_layout.h"

/* Bodies of 6 unknowns with dense masses; each column of H reaches two bodies. */
static void bodies(stored_problem *p, int count, perp_rng *rng)
{
    int dofs = 6 * count;
    stored_factors(p, dofs);
    for (int b = 0; b < count; b++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j <= i; j++) {
                double x = i == j ? 3.0 + perp_rng_uniform(rng) : 0.4 * perp_rng_signed(rng);
                p->mass[6 * b + i + (6 * b + j) * dofs] = x;
                p->mass[6 * b + j + (6 * b + i) * dofs] = x;
            }
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim, first = perp_rng_below(rng, count), second = perp_rng_below(rng, count);
        stored_block(p, k, &row, &dim);
        for (int j = row; j < row + dim; j++)
            for (int i = 0; i < 6; i++) {
                p->H[6 * first + i + j * dofs] += perp_rng_signed(rng);
                p->H[6 * second + i + j * dofs] += perp_rng_signed(rng);
            }
    }
    stored_multiply(p);
}

static void mixed(stored_problem *p, perp_rng *rng, int bodies_count)
{
    stored_init(p, "mixed");
    stored_segment(p, PERP_COULOMB, 3, 3, 0.4, 0.0);
    stored_segment(p, PERP_FREE, 1, 2, 0.0, 0.0);
    stored_segment(p, PERP_NONNEG, 1, 2, 0.0, 0.0);
    stored_segment(p, PERP_COULOMB, 2, 2, 0.7, 0.0);
    stored_segment(p, PERP_BOX, 1, 2, -0.3, 0.6);
    stored_segment(p, PERP_TRESCA, 3, 2, 0.4, 0.0);
    stored_segment(p, PERP_SOC, 4, 1, 0.5, 0.0);
    stored_segment(p, PERP_ROLLING, 5, 1, 0.4, 0.2);
    stored_segment(p, PERP_ROLLING, 3, 1, 0.3, 0.1);
    stored_segment(p, PERP_ROLLING, 4, 1, 0.5, 0.2);
    stored_segment(p, PERP_ROLLING, 6, 1, 0.3, 0.1);
    stored_third(p, 0.2);
    stored_allocate(p);
    bodies(p, bodies_count, rng);
}

typedef struct system_of {
    perp_arena arena;
    perp_blocks blocks;
    perp_scaling scaling;
    perp_nsn nsn;
} system_of;

static void build(system_of *s, const perp_problem *problem, int formulation)
{
    memset(s, 0, sizeof *s);
    perp_arena_init(&s->arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&s->blocks, problem, &s->arena), 0);
    ck_assert_int_eq(perp_scaling_build(&s->scaling, problem, &s->blocks, &s->arena), 0);
    ck_assert_int_eq(
        perp_nsn_build(&s->nsn, problem, &s->blocks, perp_reform_at(formulation), &s->arena), 0);
    ck_assert_int_eq(perp_nsn_load(&s->nsn, problem, &s->arena.allocator), 0);
}

/* w = M z + q + alpha (z - centre), block by block; rolling rows in the block's own unit. */
static void shifted_value(double *w, const stored_problem *p, const perp_nsn *nsn, const double *z,
                          const double *centre)
{
    for (int i = 0; i < p->n; i++) {
        const perp_block *block = &nsn->blocks->at[nsn->block_of[i]];
        int rolls = block->set == PERP_ROLLING && rolling_moment(block->dim, i - block->row);
        double unit = rolls ? block->length * block->length : 1.0;
        w[i] = p->q[i] + nsn->alpha[nsn->block_of[i]] / unit * (z[i] - centre[i]);
        for (int j = 0; j < p->n; j++)
            w[i] += p->M[i + j * p->n] * z[j];
    }
}

/* y = J x */
static void multiply(double *y, const perp_csc *J, const double *x)
{
    memset(y, 0, (size_t)J->rows * sizeof *y);
    for (int j = 0; j < J->cols; j++)
        for (int p = J->colptr[j]; p < J->colptr[j + 1]; p++)
            y[J->row[p]] += J->x[p] * x[j];
}

/* mass^-1 H dz, through the inverse that the view made. */
static void body_motion(double *v, const stored_problem *p, const perp_problem *problem,
                        const double *dz)
{
    double *scratch = calloc((size_t)p->dofs, sizeof *scratch);
    for (int i = 0; i < p->dofs; i++) {
        v[i] = 0.0;
        for (int j = 0; j < p->n; j++)
            v[i] += p->H[i + j * p->dofs] * dz[j];
    }
    perp_mass_solve(problem->M.as.delassus.mass, v, scratch, v);
    free(scratch);
}

/* Central difference of z -> F(M z + q + alpha (z - z0), z) along dz; F is smooth
 * in a neighbourhood of almost every point. */
static void difference(double *dF, const stored_problem *p, perp_nsn *nsn, const double *z,
                       const double *dz)
{
    const double h = 1e-6;
    size_t n = (size_t)p->n;
    double *x = calloc(n, sizeof *x), *w = calloc(n, sizeof *w);
    for (size_t i = 0; i < n; i++)
        dF[i] = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        for (size_t i = 0; i < n; i++)
            x[i] = z[i] + side * h * dz[i];
        shifted_value(w, p, nsn, x, z);
        perp_nsn_residual(nsn, w, x);
        for (size_t i = 0; i < n; i++)
            dF[i] += side * nsn->F[i] / (2.0 * h);
    }
    free(x);
    free(w);
}

START_TEST(matrix_is_the_derivative)
{
    perp_rng rng = {1};
    int compared = 0, rows = 0;
    for (int trial = 0; trial < 40; trial++) {
        stored_problem p;
        mixed(&p, &rng, 3);
        size_t n = (size_t)p.n;
        double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w), *dF = calloc(n, sizeof *dF);
        for (int i = 0; i < p.n; i++)
            p.q[i] = 3.0 * perp_rng_signed(&rng);
        for (int i = 0; i < p.n; i++)
            z[i] = perp_rng_signed(&rng);
        for (int kind = 0; kind < STORED_COUNT; kind++) {
            stored_view v;
            system_of s;
            if (kind == STORED_OPERATOR || kind == STORED_OPERATOR_BARE ||
                !stored_view_make(&v, &p, (storage)kind))
                continue;
            build(&s, &v.problem, trial % 2);
            int lead = s.nsn.lead;
            ck_assert_int_eq(lead, kind == STORED_DELASSUS ? p.dofs : 0);
            double *dx = calloc(n + (size_t)lead, sizeof *dx);
            double *y = calloc(n + (size_t)lead, sizeof *y);
            perp_nsn_steps(&s.nsn, s.scaling.d, trial % 3 == 0 ? 0.0 : 0.1);
            shifted_value(w, &p, &s.nsn, z, z);
            perp_nsn_jacobian(&s.nsn, w, z);
            for (int i = 0; i < p.n; i++)
                dx[lead + i] = perp_rng_signed(&rng);
            if (lead > 0)
                body_motion(dx, &p, &v.problem, dx + lead);
            multiply(y, &s.nsn.J, dx);
            for (int i = 0; i < lead; i++)
                ck_assert_double_le(fabs(y[i]), 1e-12);
            difference(dF, &p, &s.nsn, z, dx + lead);
            for (int i = 0; i < p.n; i++) {
                rows++;
                compared += fabs(y[lead + i] - dF[i]) <= 1e-6 * (1.0 + fabs(dF[i]));
            }
            free(dx);
            free(y);
            perp_arena_free(&s.arena);
            stored_view_free(&v);
        }
        free(z);
        free(w);
        free(dF);
        stored_free(&p);
    }
    /* A difference across a kink is not the derivative: a handful among thousands. */
    ck_assert_int_gt(rows, 3000);
    ck_assert_int_ge(compared, rows - 5);
}
END_TEST

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Strictly complementary contacts (one open, one sticks, one slips): the error
 * is squared at each plain Newton step. */
START_TEST(quadratic_convergence)
{
    perp_rng rng = {2};
    stored_problem p;
    stored_view v;
    system_of s;
    double w[9] = {1.0, 0.3, -0.2, 0.0, 0.0, 0.0, 0.0, 0.3, 0.4};
    double z[9], error[6], solution[9] = {0.0, 0.0, 0.0, 2.0, 0.3, 0.5, 1.0, -0.3, -0.4};
    stored_init(&p, "strict");
    stored_segment(&p, PERP_COULOMB, 3, 3, 0.5, 0.0);
    stored_allocate(&p);
    stored_factors(&p, 18);
    for (int i = 0; i < 18 * 9; i++)
        p.H[i] = 0.3 * perp_rng_signed(&rng);
    for (int i = 0; i < 9; i++)
        p.H[i + 18 * i] += 1.0;
    stored_multiply(&p);
    for (int i = 0; i < 9; i++) {
        p.q[i] = w[i];
        for (int j = 0; j < 9; j++)
            p.q[i] -= p.M[i + 9 * j] * solution[j];
    }
    for (int formulation = 0; formulation < 2; formulation++) {
        perp_factor *factor = NULL;
        ck_assert(stored_view_make(&v, &p, STORED_CSC));
        build(&s, &v.problem, formulation);
        ck_assert_int_eq(
            perp_factor_create(&factor, PERP_FACTOR_AUTO, PERP_ORDERING_AUTO, 0, &s.nsn.J, NULL),
            0);
        for (int i = 0; i < 9; i++)
            z[i] = solution[i] + 0.02 * perp_rng_signed(&rng);
        perp_nsn_steps(&s.nsn, s.scaling.d, 0.0);
        for (int k = 0; k < 6; k++) {
            double dz[9];
            error[k] = distance(z, solution, 9);
            shifted_value(w, &p, &s.nsn, z, z);
            perp_nsn_jacobian(&s.nsn, w, z);
            ck_assert_int_eq(perp_factor_numeric(factor, &s.nsn.J), 0);
            perp_nsn_rhs(&s.nsn);
            perp_factor_solve(factor, s.nsn.rhs);
            memcpy(dz, s.nsn.rhs + s.nsn.lead, sizeof dz);
            for (int i = 0; i < 9; i++)
                z[i] += dz[i];
        }
        for (int k = 0; k < 4; k++)
            ck_assert_double_le(error[k + 1], 3.0 * error[k] * error[k] + 1e-14);
        ck_assert_double_le(error[5], 1e-14);
        perp_factor_destroy(factor);
        perp_arena_free(&s.arena);
        stored_view_free(&v);
    }
    stored_free(&p);
}
END_TEST

/* The step without the open blocks is the step of the whole system, while the
 * set of open blocks changes. */
START_TEST(open_blocks_left_out)
{
    perp_rng rng = {7};
    int open_seen = 0;
    for (int trial = 0; trial < 10; trial++) {
        stored_problem p;
        mixed(&p, &rng, 4);
        size_t n = (size_t)p.n, bytes = n * sizeof(double);
        double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w);
        double *dz = calloc(n, sizeof *dz), *reference = calloc(n, sizeof *dz);
        for (int kind = STORED_CSC; kind <= STORED_DELASSUS; kind += STORED_DELASSUS - STORED_CSC) {
            perp_nsn_lu whole, part;
            stored_view v;
            system_of s;
            ck_assert(stored_view_make(&v, &p, (storage)kind));
            build(&s, &v.problem, trial % 2);
            ck_assert_int_eq(
                perp_nsn_lu_build(&whole, &s.nsn, &v.problem, PERP_FACTOR_KLU, 0, &s.arena), 0);
            ck_assert_int_eq(
                perp_nsn_lu_build(&part, &s.nsn, &v.problem, PERP_FACTOR_AUTO, 0, &s.arena), 0);
            ck_assert(!whole.fronts && part.fronts);
            perp_nsn_steps(&s.nsn, s.scaling.d, 0.05);
            for (int step = 0; step < 5; step++) {
                for (size_t i = 0; i < n; i++) {
                    z[i] = perp_rng_signed(&rng);
                    w[i] = perp_rng_signed(&rng);
                }
                perp_nsn_jacobian(&s.nsn, w, z);
                ck_assert_int_eq(perp_nsn_lu_direction(reference, &whole, &s.nsn), 0);
                memset(dz, 0, bytes);
                ck_assert_int_eq(perp_nsn_lu_direction(dz, &part, &s.nsn), 0);
                ck_assert(!part.given_up);
                double size = distance(reference, w, p.n) + 1.0;
                ck_assert_double_le(distance(dz, reference, p.n), 1e-9 * size);
                for (int k = 0; k < s.blocks.count; k++)
                    open_seen += part.open[s.nsn.lead + s.blocks.at[k].row];
            }
            perp_nsn_lu_free(&whole);
            perp_nsn_lu_free(&part);
            perp_arena_free(&s.arena);
            stored_view_free(&v);
        }
        free(z);
        free(w);
        free(dz);
        free(reference);
        stored_free(&p);
    }
    ck_assert_int_gt(open_seen, 100);
}
END_TEST

static perp_status solve(const perp_problem *problem, int line_search, int formulation, double tol,
                         double *z, double *w, perp_info *info)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    settings.line_search = line_search;
    settings.formulation = formulation;
    return perp_solve("nsn", problem, &settings, z, w, info);
}

/* Planted problems of all sets: every line search and equation, and the same
 * steps and solution from every storage. */
START_TEST(every_storage)
{
    perp_rng rng = {3};
    for (int trial = 0; trial < 6; trial++) {
        stored_problem p;
        mixed(&p, &rng, 8);
        stored_plant(&p, &rng);
        size_t n = (size_t)p.n;
        double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w), *first = calloc(n, sizeof *z);
        for (int option = 0; option < 12; option++) {
            int steps = -1;
            for (int kind = 0; kind < STORED_COUNT; kind++) {
                stored_view v;
                perp_info info = {.size = sizeof info};
                if (kind == STORED_OPERATOR || kind == STORED_OPERATOR_BARE ||
                    !stored_view_make(&v, &p, (storage)kind))
                    continue;
                ck_assert_int_eq(solve(&v.problem, option % 4, option / 4, 1e-10, z, w, &info),
                                 PERP_SOLVED);
                perp_residuals r = judge(&p, z, NULL);
                ck_assert_double_le(fmax(r.natural, r.scaled), 1.01e-10);
                ck_assert_double_le(r.primal, 1e-14);
                if (steps < 0) {
                    steps = info.iterations;
                    memcpy(first, z, n * sizeof *z);
                }
                ck_assert_int_eq(info.iterations, steps);
                ck_assert_double_le(distance(z, first, p.n), 1e-8);
                stored_view_free(&v);
            }
        }
        free(z);
        free(w);
        free(first);
        stored_free(&p);
    }
}
END_TEST

/* More rows than unknowns of the bodies: M is singular, z not unique. */
START_TEST(hyperstatic)
{
    perp_rng rng = {4};
    for (int trial = 0; trial < 20; trial++) {
        stored_problem p;
        stored_view v;
        perp_info info = {.size = sizeof info};
        stored_init(&p, "hyperstatic");
        stored_segment(&p, PERP_COULOMB, 3, 8, 0.3, 0.0);
        stored_allocate(&p);
        bodies(&p, 2, &rng);
        stored_plant(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
        for (int kind = STORED_CSC; kind <= STORED_DELASSUS; kind += STORED_DELASSUS - STORED_CSC) {
            ck_assert(stored_view_make(&v, &p, (storage)kind));
            ck_assert_int_eq(solve(&v.problem, 1, 0, 1e-8, z, w, &info), PERP_SOLVED);
            perp_residuals r = judge(&p, z, NULL);
            ck_assert_double_le(fmax(r.natural, r.scaled), 1.01e-8);
            stored_view_free(&v);
        }
        free(z);
        free(w);
        stored_free(&p);
    }
}
END_TEST

/* A rerun and an update give the bits of a new handle. */
START_TEST(update_and_rerun)
{
    perp_rng rng = {5};
    for (int kind = STORED_DENSE; kind <= STORED_DELASSUS; kind++) {
        stored_problem p;
        stored_view before, after;
        if (kind == STORED_OPERATOR || kind == STORED_OPERATOR_BARE)
            continue;
        stored_init(&p, "update");
        stored_segment(&p, PERP_COULOMB, 3, 30, 0.3, 0.0);
        stored_allocate(&p);
        bodies(&p, 12, &rng);
        stored_plant(&p, &rng);
        ck_assert(stored_view_make(&before, &p, (storage)kind));
        for (int i = 0; i < p.dofs * p.n; i++)
            p.H[i] *= 1.0 + 0.1 * perp_rng_signed(&rng);
        stored_multiply(&p);
        stored_plant(&p, &rng);
        ck_assert(stored_view_make(&after, &p, (storage)kind));
        rerun_check("nsn", &before.problem, &after.problem);
        stored_view_free(&before);
        stored_view_free(&after);
        stored_free(&p);
    }
}
END_TEST

/* From the solution itself no step is made; from beside it, few. */
START_TEST(warm_start)
{
    perp_rng rng = {6};
    stored_problem p;
    stored_view v;
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    mixed(&p, &rng, 8);
    stored_plant(&p, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_DENSE));
    double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
    perp_settings_init(&settings, sizeof settings);
    settings.warm_start = 1;
    memcpy(z, p.z, (size_t)p.n * sizeof *z);
    ck_assert_int_eq(perp_solve("nsn", &v.problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_int_eq(info.factorisations, 0);
    for (int i = 0; i < p.n; i++)
        z[i] = p.z[i] + 1e-5 * perp_rng_signed(&rng);
    ck_assert_int_eq(perp_solve("nsn", &v.problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_int_le(info.factorisations, 8);
    free(z);
    free(w);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

static void solve_file(const char *file, const perp_problem *problem)
{
    perp_info info = {.size = sizeof info};
    size_t n = (size_t)problem->M.rows;
    double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w);
    perp_status status = perp_solve("nsn", problem, NULL, z, w, &info);
    ck_assert_msg(status == PERP_SOLVED, "%s: %s after %d", file, perp_status_name(status),
                  info.iterations);
    free(z);
    free(w);
}

/* Problem files of real simulations to 1e-8, in the natural and in the scaled measure. */
START_TEST(real_problems)
{
    static const char *const files[] = {"friction3d/BoxesStack1-i100000-32.hdf5.dat",
                                        "friction3d/Capsules-i100-1090.dat",
                                        "friction3d/Capsules-i101-404.dat",
                                        "friction3d/Capsules-i122-1617.dat",
                                        "friction3d/OneObject-i100000-316.hdf5.dat",
                                        "friction3d/OneObject-i1028-138.hdf5.dat",
                                        "friction3d/Confeti-ex03-Fc3D-SBM.dat",
                                        "friction3d/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5",
                                        "friction3d/Rover1041.dat",
                                        "friction2d/fc2d_granularflowonwall_02020_00213.dat",
                                        "global/Spheres-i099-356-679.hdf5",
                                        "global/GFC3D_TwoRods1.dat"};
    real_problems_each(files, (int)(sizeof files / sizeof files[0]), solve_file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("newton");
    TCase *tcase = tcase_create("newton");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, matrix_is_the_derivative);
    tcase_add_test(tcase, quadratic_convergence);
    tcase_add_test(tcase, open_blocks_left_out);
    tcase_add_test(tcase, every_storage);
    tcase_add_test(tcase, hyperstatic);
    tcase_add_test(tcase, update_and_rerun);
    tcase_add_test(tcase, warm_start);
    tcase_add_test(tcase, real_problems);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
