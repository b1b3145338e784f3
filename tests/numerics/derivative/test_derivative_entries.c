/* SPDX-License-Identifier: BSD-3-Clause */
/* Every storage of M: directions and gradients in the numbers that the caller stores; systems large
 * enough for sparse factors; solutions as solvers leave them. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/planted.h"
#include "tests/fixtures/random_mass.h"

enum { ALL_SETS = (1 << PERP_SET_COUNT) - 1, MANY = 60, DOFS = 40 };

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* max |x - y| beside max |y| and 1. */
static double off(const double *x, const double *y, int n)
{
    double largest = 1.0, most = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(y[i]));
        most = isfinite(x[i]) ? fmax(most, fabs(x[i] - y[i])) : INFINITY;
    }
    return most / largest;
}

static perp_derivative *made(const perp_problem *problem, const double *z)
{
    perp_derivative *d;
    ck_assert_int_eq(perp_derivative_create(&d, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_derivative_factor(d, problem, z, NULL), PERP_SOLVED);
    return d;
}

/* An even number of rows. */
static void make_even(planted *p, unsigned sets, int symmetric, perp_rng *rng)
{
    do {
        planted_make(p, sets, 5, 0.0, symmetric, rng);
    } while (p->n % 2);
}

/* The numbers of `dense` in the places of A. */
static double *in_places_of(const perp_mat *A, const double *dense, int entries)
{
    double *x = calloc((size_t)entries + 1, sizeof(double));
    int n = A->rows, b = A->kind == PERP_BSR ? A->as.bsr.block : 1;
    for (int j = 0; j < n && A->kind == PERP_DENSE; j++)
        for (int i = 0; i < n; i++)
            x[i + j * A->as.dense.ld] = dense[i + j * n];
    for (int j = 0; j < n && A->kind == PERP_CSC; j++)
        for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
            x[k] = dense[A->as.csc.row[k] + j * n];
    for (int i = 0; i < n / b && A->kind == PERP_BSR; i++)
        for (int k = A->as.bsr.rowptr[i]; k < A->as.bsr.rowptr[i + 1]; k++)
            for (int e = 0; e < b * b; e++)
                x[k * b * b + e] = dense[i * b + e % b + (A->as.bsr.col[k] * b + e / b) * n];
    return x;
}

START_TEST(storages_agree)
{
    static const perp_mat_kind kinds[] = {PERP_DENSE, PERP_CSC, PERP_BSR};
    perp_rng rng = {(uint64_t)_i + 1};
    planted p;
    planted_change change;
    double dz[PLANTED_ROWS], dw[PLANTED_ROWS], ez[PLANTED_ROWS], ew[PLANTED_ROWS];
    make_even(&p, ALL_SETS, 0, &rng);
    planted_direction(&change, &p, &rng);
    perp_tangent along = planted_tangent(&change);
    perp_derivative *dense = made(&p.problem, p.z);
    ck_assert_int_eq(perp_derivative_jvp(dense, 1, &along, dz, dw, NULL), PERP_SOLVED);
    for (int k = 0; k < 3; k++) {
        perp_arena arena;
        perp_arena_init(&arena, NULL);
        perp_problem other = p.problem;
        other.M = view_as(p.M, p.n, kinds[k], &arena);
        perp_derivative *d = made(&other, p.z);
        perp_derivative_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_derivative_info_get(d, &info), PERP_SOLVED);
        double *entries = in_places_of(&other.M, change.M, info.entries);
        double *by = calloc((size_t)info.entries + 1, sizeof(double)), q[PLANTED_ROWS];
        along.M = entries;
        ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, ez, ew, NULL), PERP_SOLVED);
        ck_assert(off(ez, dz, p.n) < 1e-11);
        ck_assert(off(ew, dw, p.n) < 1e-11);
        perp_gradient of = {.size = sizeof of, .q = q, .M = by};
        ck_assert_int_eq(perp_derivative_vjp(d, 1, dz, dw, &of), PERP_SOLVED);
        double *outer = ref_zero(p.n, p.n);
        for (int j = 0; j < p.n; j++)
            for (int i = 0; i < p.n; i++)
                outer[i + j * p.n] = q[i] * p.z[j];
        double *wanted = in_places_of(&other.M, outer, info.entries);
        ck_assert(ref_distance(by, wanted, (size_t)info.entries) < 1e-14);
        free(entries);
        free(by);
        free(outer);
        free(wanted);
        perp_derivative_destroy(d);
        perp_arena_free(&arena);
    }
    perp_derivative_destroy(dense);
}
END_TEST

typedef struct factors {
    int dofs, n;
    double *H, *mass, *diagonal; /* dense */
} factors;

/* H' (mass)^-1 H + diagonal at f + t change. */
static double *product(const factors *f, const factors *change, double t)
{
    size_t h = (size_t)(f->dofs * f->n), m = (size_t)(f->dofs * f->dofs);
    double *H = ref_zero(f->dofs, f->n), *mass = ref_zero(f->dofs, f->dofs);
    for (size_t i = 0; i < h; i++)
        H[i] = f->H[i] + t * change->H[i];
    for (size_t i = 0; i < m; i++)
        mass[i] = f->mass[i] + t * change->mass[i];
    double *solved = ref_solve(mass, H, f->dofs, f->n), *turned = ref_transpose(H, f->dofs, f->n);
    double *W = ref_multiply(turned, solved, f->n, f->dofs, f->n);
    for (int i = 0; i < f->n; i++)
        W[i + i * f->n] += f->diagonal[i] + t * change->diagonal[i];
    free(H);
    free(mass);
    free(solved);
    free(turned);
    return W;
}

static factors random_factors(int dofs, int n, mass_shape shape, int symmetric, perp_rng *rng)
{
    factors f = {dofs, n, ref_random(rng, dofs, n), NULL, ref_zero(n, 1)};
    int component[200];
    f.mass = random_mass(rng, dofs, shape, symmetric, component);
    for (int i = 0; i < n; i++)
        f.diagonal[i] = 0.5 + perp_rng_uniform(rng);
    /* Units of about 1, so that differences are good. */
    for (int i = 0; i < dofs; i++) {
        double unit = f.mass[i + i * dofs];
        for (int j = 0; j < dofs; j++)
            f.mass[i + j * dofs] /= unit;
    }
    return f;
}

static void free_factors(factors *f)
{
    free(f->H);
    free(f->mass);
    free(f->diagonal);
}

/* The same as a problem with a matrix of factors, all entries of H stored. */
typedef struct factored {
    int *colptr, *row;
    perp_mat mass_matrix;
    perp_mass *mass;
    perp_problem problem;
} factored;

static void factored_make(factored *v, const planted *p, const factors *f)
{
    int n = f->n, dofs = f->dofs;
    v->colptr = malloc(((size_t)n + 1) * sizeof(int));
    v->row = malloc((size_t)(n * dofs) * sizeof(int));
    for (int j = 0; j <= n; j++)
        v->colptr[j] = j * dofs;
    for (int i = 0; i < n * dofs; i++)
        v->row[i] = i % dofs;
    v->problem = p->problem;
    perp_mat_init_dense(&v->mass_matrix, dofs, dofs, f->mass, dofs);
    ck_assert_int_eq(perp_mass_create(&v->mass, &v->mass_matrix, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(
        perp_mat_init_delassus(&v->problem.M, dofs, n, v->colptr, v->row, f->H, v->mass),
        PERP_SOLVED);
    ck_assert_int_eq(perp_mat_set_compliance(&v->problem.M, f->diagonal), PERP_SOLVED);
}

static void factored_free(factored *v)
{
    perp_mass_destroy(v->mass);
    free(v->colptr);
    free(v->row);
}

/* M of p becomes the product of f, and that of the change its derivative along `along`. */
static void multiply(planted *p, planted_change *change, const factors *f, const factors *along,
                     perp_rng *rng)
{
    size_t entries = (size_t)(p->n * p->n);
    double *W = product(f, along, 0.0), *up = product(f, along, 1e-5);
    double *down = product(f, along, -1e-5);
    memcpy(p->M, W, entries * sizeof(double));
    planted_close(p);
    planted_direction(change, p, rng);
    for (size_t i = 0; i < entries; i++)
        change->M[i] = (up[i] - down[i]) / 2e-5;
    free(W);
    free(up);
    free(down);
}

/* The gradient of dz.z + dw.w along the change, which is |dz|^2 + |dw|^2. */
static double gradient_along(perp_derivative *d, const planted *p, const planted_change *change,
                             const factors *along, const double *dz, const double *dw)
{
    double q[PLANTED_ROWS], diagonal[PLANTED_ROWS], left[DOFS], right[DOFS];
    double par[PERP_PARAMETERS][PLANTED_BLOCKS];
    double *by_h = ref_zero(DOFS, p->n);
    perp_gradient of = {sizeof of, q, by_h, {par[0], par[1], par[2]}, diagonal, left, right};
    ck_assert_int_eq(perp_derivative_vjp(d, 1, dz, dw, &of), PERP_SOLVED);
    double sum = dot(q, change->q, p->n) + dot(by_h, along->H, p->n * DOFS);
    sum += dot(diagonal, along->diagonal, p->n);
    for (int k = 0; k < PERP_PARAMETERS; k++)
        sum += dot(par[k], change->par[k], p->blocks);
    for (int j = 0; j < DOFS; j++)
        for (int i = 0; i < DOFS; i++)
            sum -= left[i] * along->mass[i + j * DOFS] * right[j];
    free(by_h);
    return sum;
}

START_TEST(factors_of_a_delassus_product)
{
    perp_rng rng = {(uint64_t)_i + 100};
    planted p;
    planted_change change;
    double dz[PLANTED_ROWS], dw[PLANTED_ROWS], ez[PLANTED_ROWS], ew[PLANTED_ROWS];
    planted_make(&p, 1u << PERP_COULOMB | 1u << PERP_FREE | 1u << PERP_NONNEG, 5, 0.0, 1, &rng);
    int n = p.n;
    factors f = random_factors(DOFS, n, (mass_shape)(_i % SHAPES), _i % 2, &rng);
    factors along = {DOFS, n, ref_random(&rng, DOFS, n), ref_zero(DOFS, DOFS),
                     ref_random(&rng, n, 1)};
    for (int i = 0; i < DOFS * DOFS; i++)
        along.mass[i] = f.mass[i] != 0.0 ? 0.1 * perp_rng_signed(&rng) : 0.0;
    multiply(&p, &change, &f, &along, &rng);
    perp_derivative *dense = made(&p.problem, p.z);
    perp_tangent t = planted_tangent(&change);
    ck_assert_int_eq(perp_derivative_jvp(dense, 1, &t, dz, dw, NULL), PERP_SOLVED);
    factored view;
    perp_mat change_of_mass;
    factored_make(&view, &p, &f);
    perp_mat_init_dense(&change_of_mass, DOFS, DOFS, along.mass, DOFS);
    perp_derivative *d = made(&view.problem, p.z);
    t.M = along.H;
    t.mass = &change_of_mass;
    t.diagonal = along.diagonal;
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &t, ez, ew, NULL), PERP_SOLVED);
    ck_assert(off(ez, dz, n) < 1e-7);
    ck_assert(off(ew, dw, n) < 1e-7);
    double forward = dot(ez, ez, n) + dot(ew, ew, n);
    double adjoint = gradient_along(d, &p, &change, &along, ez, ew);
    ck_assert_msg(fabs(forward - adjoint) < 1e-11 * forward, "%.17g %.17g", forward, adjoint);
    perp_derivative_destroy(d);
    perp_derivative_destroy(dense);
    factored_free(&view);
    free_factors(&f);
    free_factors(&along);
}
END_TEST

/* Small problems beside each other in one sparse matrix. */
typedef struct joined {
    planted *part; /* MANY */
    int n, nseg;
    int *colptr, *row;
    double *x, *q, *z;
    perp_segment *seg;
    perp_problem problem;
} joined;

static void joined_make(joined *all, double kinks, perp_rng *rng)
{
    enum { MOST = MANY * PLANTED_ROWS };
    *all = (joined){.part = calloc(MANY, sizeof *all->part)};
    all->colptr = calloc(MOST + 1, sizeof(int));
    all->row = calloc(MOST * PLANTED_ROWS, sizeof(int));
    all->x = calloc(MOST * PLANTED_ROWS, sizeof(double));
    all->q = calloc(MOST, sizeof(double));
    all->z = calloc(MOST, sizeof(double));
    all->seg = calloc(MANY * PLANTED_BLOCKS, sizeof *all->seg);
    for (int k = 0; k < MANY; k++) {
        planted *p = &all->part[k];
        planted_make(p, ALL_SETS, 3, kinks, 0, rng);
        for (int j = 0; j < p->n; j++) {
            int at = all->n + j, first = all->colptr[at];
            all->colptr[at + 1] = first + p->n;
            all->q[at] = p->q[j];
            all->z[at] = p->z[j];
            for (int i = 0; i < p->n; i++) {
                all->row[first + i] = all->n + i;
                all->x[first + i] = p->M[i + j * p->n];
            }
        }
        for (int b = 0; b < p->blocks; b++)
            all->seg[all->nseg++] = p->seg[b];
        all->n += p->n;
    }
    all->problem = (perp_problem){.q = all->q, .seg = all->seg, .nseg = all->nseg};
    perp_mat_init_csc(&all->problem.M, all->n, all->n, all->colptr, all->row, all->x);
}

static void joined_free(joined *all)
{
    void *owned[] = {all->part, all->colptr, all->row, all->x, all->q, all->z, all->seg};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++)
        free(owned[k]);
}

/* As each alone.  Here the factors are sparse. */
START_TEST(many_beside_each_other)
{
    perp_rng rng = {(uint64_t)_i + 31};
    joined all;
    joined_make(&all, _i ? 0.1 : 0.0, &rng);
    double *dq = ref_random(&rng, all.n, 1), *dz = ref_zero(all.n, 1), *dw = ref_zero(all.n, 1);
    double *q = ref_zero(all.n, 1);
    perp_derivative *d, *one;
    perp_derivative_info info = {.size = sizeof info};
    perp_tangent along = {.size = sizeof along, .q = dq};
    perp_gradient of = {.size = sizeof of, .q = q};
    perp_derivative_create(&d, NULL, NULL, NULL);
    perp_derivative_create(&one, NULL, NULL, NULL);
    ck_assert_int_eq(perp_derivative_factor(d, &all.problem, all.z, NULL),
                     _i ? PERP_ONE_SIDED : PERP_SOLVED);
    perp_derivative_info_get(d, &info);
    ck_assert_int_gt(info.system, 100);
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), info.status);
    ck_assert_int_eq(perp_derivative_vjp(d, 1, dq, dq, &of), info.status);
    for (int k = 0, at = 0; k < MANY; at += all.part[k].n, k++) {
        double ez[PLANTED_ROWS], ew[PLANTED_ROWS], by[PLANTED_ROWS];
        int n = all.part[k].n;
        ck_assert_int_ge(perp_derivative_factor(one, &all.part[k].problem, all.part[k].z, NULL), 0);
        along.q = dq + at;
        of.q = by;
        perp_derivative_jvp(one, 1, &along, ez, ew, NULL);
        perp_derivative_vjp(one, 1, dq + at, dq + at, &of);
        ck_assert(off(dz + at, ez, n) < 1e-9);
        ck_assert(off(dw + at, ew, n) < 1e-9);
        ck_assert(off(q + at, by, n) < 1e-10);
    }
    perp_derivative_destroy(one);
    perp_derivative_destroy(d);
    free(dq);
    free(dz);
    free(dw);
    free(q);
    joined_free(&all);
}
END_TEST

START_TEST(solutions_of_solvers)
{
    perp_rng rng = {(uint64_t)_i + 900};
    planted p;
    planted_change change;
    double z[PLANTED_ROWS], w[PLANTED_ROWS], dz[PLANTED_ROWS], dw[PLANTED_ROWS];
    perp_settings settings;
    perp_solver *solver;
    perp_derivative *d;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    make_even(&p, ALL_SETS, 1, &rng);
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), &settings, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_derivative_create(&d, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_derivative_factor_solver(d, solver, z, NULL), PERP_ERR_STATE);
    ck_assert_int_eq(perp_solver_setup(solver, &p.problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_derivative_factor_solver(d, solver, z, NULL), PERP_SOLVED);
    planted_direction(&change, &p, &rng);
    perp_tangent along = planted_tangent(&change);
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_SOLVED);
    long double ends[2][PLANTED_ROWS], v[PLANTED_ROWS], t = 1e-6L;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < p.n; i++)
            ends[k][i] = z[i];
        ck_assert(planted_solve(&p, &change, k ? t : -t, ends[k], v) < 1e-16L);
    }
    double size = 1.0;
    for (int i = 0; i < p.n; i++)
        size = fmax(size, fabs(dz[i]));
    for (int i = 0; i < p.n; i++)
        ck_assert(fabs(dz[i] - (double)((ends[1][i] - ends[0][i]) / (2.0L * t))) < 1e-7 * size);
    perp_derivative_destroy(d);
    perp_solver_destroy(solver);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivative_entries");
    TCase *tc = tcase_create("derivative_entries");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, storages_agree, 0, 20);
    tcase_add_loop_test(tc, factors_of_a_delassus_product, 0, 16);
    tcase_add_loop_test(tc, many_beside_each_other, 0, 2);
    tcase_add_loop_test(tc, solutions_of_solvers, 0, 40);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
