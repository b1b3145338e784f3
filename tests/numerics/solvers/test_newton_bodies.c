/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of the proximal Newton system by the velocities of the bodies: against elimination in the
 * dense local system, for all sets, masses of dense and of diagonal bodies, other numbers in the
 * same pattern, blocks that touch nothing; what takes this form, and what does not. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "handle/solver_type.h"
#include "solvers/newton/newton_bodies.h"
#include "tests/fixtures/stored.h"

enum { BODIES = 5, DOFS = 6 * BODIES };

enum { DIAGONAL, DENSE, UNSYMMETRIC, MASSES };

static void fill_mass(stored_problem *p, int kind, perp_rng *rng)
{
    memset(p->mass, 0, sizeof(double) * DOFS * DOFS);
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j <= i; j++) {
                double x = i == j ? 3.0 + perp_rng_uniform(rng) : 0.4 * perp_rng_signed(rng);
                x = i == j || kind != DIAGONAL ? x : 0.0;
                p->mass[6 * b + i + (6 * b + j) * DOFS] = x;
                p->mass[6 * b + j + (6 * b + i) * DOFS] = kind == UNSYMMETRIC && i > j ? -x : x;
            }
}

/* Block 0 touches nothing, the last body is touched by nothing. */
static void fill_levers(stored_problem *p, perp_rng *rng)
{
    memset(p->H, 0, sizeof(double) * DOFS * (size_t)p->n);
    for (int k = 1; k < p->nblocks; k++) {
        int row, dim, pair[] = {k % (BODIES - 1), (k + 1 + k % 2) % (BODIES - 1)};
        stored_block(p, k, &row, &dim);
        for (int side = 0; side < 1 + (k % 3 > 0); side++)
            for (int i = 0; i < 6 * dim; i++)
                p->H[6 * pair[side] + i % 6 + (row + i / 6) * DOFS] = perp_rng_signed(rng);
    }
}

static void make(stored_problem *p, int kind, perp_rng *rng)
{
    stored_init(p, "bodies");
    stored_segment(p, PERP_COULOMB, 3, 9, 0.4, 0.0);
    stored_segment(p, PERP_FREE, 1, 2, 0.0, 0.0);
    stored_segment(p, PERP_NONNEG, 1, 3, 0.0, 0.0);
    stored_segment(p, PERP_COULOMB, 2, 3, 0.7, 0.0);
    stored_segment(p, PERP_BOX, 1, 2, -0.3, 0.6);
    stored_segment(p, PERP_TRESCA, 3, 2, 0.4, 0.0);
    stored_segment(p, PERP_SOC, 4, 1, 0.5, 0.0);
    stored_segment(p, PERP_ROLLING, 5, 1, 0.4, 0.2);
    stored_segment(p, PERP_ROLLING, 6, 1, 0.3, 0.1);
    stored_third(p, 0.2);
    stored_allocate(p);
    stored_factors(p, DOFS);
    fill_mass(p, kind, rng);
    fill_levers(p, rng);
    stored_multiply(p);
}

/* x = A^-1 b by elimination with row exchanges. */
static void eliminate(double *A, double *x, int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            pivot = fabs(A[i + k * n]) > fabs(A[pivot + k * n]) ? i : pivot;
        for (int j = 0; j < n; j++) {
            double swap = A[k + j * n];
            A[k + j * n] = A[pivot + j * n];
            A[pivot + j * n] = swap;
        }
        double swap = x[k];
        x[k] = x[pivot];
        x[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i + k * n] / A[k + k * n];
            for (int j = k; j < n; j++)
                A[i + j * n] -= factor * A[k + j * n];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k + j * n] * x[j];
        x[k] /= A[k + k * n];
    }
}

/* dz of (Fz + Fw (M + A)) dz = -F with the dense M of the fixture. */
static void reference(double *dz, const stored_problem *p, const perp_nsn *nsn)
{
    int n = p->n;
    double *J = calloc((size_t)(n * n), sizeof *J);
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        const double *Fw = nsn->Fw + nsn->start[k], *Fz = nsn->Fz + nsn->start[k];
        for (int i = 0; i < block->dim; i++) {
            dz[block->row + i] = -nsn->F[block->row + i];
            for (int l = 0; l < block->dim; l++) {
                for (int j = 0; j < n; j++)
                    J[block->row + i + j * n] +=
                        Fw[i + l * block->dim] * p->M[block->row + l + j * n];
                J[block->row + i + (block->row + l) * n] +=
                    Fz[i + l * block->dim] + Fw[i + l * block->dim] * perp_nsn_weight(nsn, k, l);
            }
        }
    }
    eliminate(J, dz, n);
    free(J);
}

typedef struct parts {
    perp_arena arena;
    perp_blocks blocks;
    perp_scaling scaling;
    perp_nsn nsn;
    perp_nsn_bodies bodies;
} parts;

static void build(parts *s, const perp_problem *problem, int formulation)
{
    memset(s, 0, sizeof *s);
    perp_arena_init(&s->arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&s->blocks, problem, &s->arena), 0);
    ck_assert_int_eq(perp_scaling_build(&s->scaling, problem, &s->blocks, &s->arena), 0);
    ck_assert_int_eq(
        perp_nsn_build(&s->nsn, problem, &s->blocks, perp_reform_at(formulation), &s->arena), 0);
    ck_assert(perp_nsn_bodies_take(&problem->M, &s->blocks));
    ck_assert_int_eq(
        perp_nsn_bodies_build(&s->bodies, &s->nsn, problem, PERP_ORDERING_AUTO, &s->arena), 0);
    ck_assert_int_eq(s->bodies.form.order, 6 * (BODIES - 1));
    ck_assert_int_le(s->bodies.form.bodies, BODIES - 1);
}

static void compare(parts *s, const stored_problem *p, perp_rng *rng)
{
    double *w = calloc(4 * (size_t)p->n, sizeof *w), *z = w + p->n, *dz = z + p->n,
           *expected = dz + p->n;
    const double weights[] = {1.0, 0.05, 1e-4, 1e-6};
    for (int trial = 0; trial < 20; trial++) {
        double size = 0.0, difference = 0.0;
        for (int i = 0; i < p->n; i++) {
            z[i] = perp_rng_signed(rng);
            w[i] = perp_rng_signed(rng);
        }
        perp_nsn_steps(&s->nsn, s->scaling.d, weights[trial % 4]);
        (void)perp_nsn_evaluate(&s->nsn, w, z);
        reference(expected, p, &s->nsn);
        ck_assert_int_eq(perp_nsn_bodies_direction(dz, &s->bodies, &s->nsn), 0);
        for (int i = 0; i < p->n; i++) {
            size = fmax(size, fabs(expected[i]));
            difference = fmax(difference, fabs(expected[i] - dz[i]));
        }
        /* Many more rows than freedoms: the weight alone makes the matrix regular. */
        ck_assert_double_le(difference, 1e-9 / weights[trial % 4] * size);
    }
    free(w);
}

START_TEST(steps_by_bodies)
{
    int kind = _i % MASSES, formulation = _i / MASSES % 2;
    perp_rng rng = {31 + (uint64_t)_i};
    stored_problem p;
    stored_view v;
    parts s;
    make(&p, kind, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_DELASSUS));
    build(&s, &v.problem, formulation);
    ck_assert_int_eq(perp_nsn_bodies_load(&s.bodies, &s.nsn, &v.problem), 1);
    compare(&s, &p, &rng);
    perp_arena_free(&s.arena);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* A pattern that was built is loaded with the numbers of another problem. */
START_TEST(other_numbers)
{
    perp_rng rng = {5}, again = {77};
    stored_problem p, other;
    stored_view v, w;
    parts s;
    make(&p, DENSE, &rng);
    make(&other, DENSE, &again);
    ck_assert(stored_view_make(&v, &p, STORED_DELASSUS));
    ck_assert(stored_view_make(&w, &other, STORED_DELASSUS));
    build(&s, &v.problem, 0);
    ck_assert_int_eq(perp_nsn_bodies_load(&s.bodies, &s.nsn, &v.problem), 1);
    ck_assert_int_eq(perp_nsn_bodies_load(&s.bodies, &s.nsn, &w.problem), 1);
    compare(&s, &other, &again);
    perp_arena_free(&s.arena);
    stored_view_free(&v);
    stored_view_free(&w);
    stored_free(&p);
    stored_free(&other);
}
END_TEST

START_TEST(other_forms_are_left_alone)
{
    perp_rng rng = {9};
    stored_problem p;
    stored_view v;
    perp_blocks blocks;
    perp_arena arena;
    make(&p, DENSE, &rng);
    perp_arena_init(&arena, NULL);
    ck_assert(stored_view_make(&v, &p, STORED_CSC));
    ck_assert_int_eq(perp_blocks_build(&blocks, &v.problem, &arena), 0);
    ck_assert(!perp_nsn_bodies_take(&v.problem.M, &blocks));
    stored_view_free(&v);
    ck_assert(stored_view_make(&v, &p, STORED_DELASSUS));
    ck_assert(perp_nsn_bodies_take(&v.problem.M, &blocks));
    blocks.max_dim = 13;
    ck_assert(!perp_nsn_bodies_take(&v.problem.M, &blocks));
    stored_view_free(&v);
    perp_arena_free(&arena);
    stored_free(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("newton by bodies");
    TCase *test = tcase_create("all");
    tcase_add_loop_test(test, steps_by_bodies, 0, 4 * MASSES);
    tcase_add_test(test, other_numbers);
    tcase_add_test(test, other_forms_are_left_alone);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
