/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_residual and perp_problem_check: against an independent recomputation,
 * at planted solutions, under changes of units and order, at the ends of the
 * range of doubles, and on bad input. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/judge.h"
#include "problem/residual.h"
#include "tests/fixtures/stored.h"
#include "tests/fixtures/rolling_layout.h"

/* Some segments of every kind; some rows and columns of M weak or absent. */
static void random_problem(stored_problem *p, perp_rng *rng)
{
    stored_init(p, "random");
    int kinds = 1 + perp_rng_below(rng, 5);
    for (int s = 0; s < kinds; s++) {
        int set = perp_rng_below(rng, PERP_SET_COUNT), dim = 1;
        double par[3] = {3.0 * perp_rng_uniform(rng) * perp_rng_below(rng, 2), 0.0, 0.0};
        if (set == PERP_TRESCA || set == PERP_COULOMB)
            dim = 2 + perp_rng_below(rng, 2);
        if (set == PERP_SOC)
            dim = 2 + perp_rng_below(rng, 7);
        if (set == PERP_ROLLING) {
            dim = 3 + perp_rng_below(rng, 4);
            par[1] = 2.0 * perp_rng_uniform(rng) * perp_rng_below(rng, 2);
            par[2] = dim == 6 ? 2.0 * perp_rng_uniform(rng) * perp_rng_below(rng, 2) : 0.0;
        }
        if (set == PERP_BOX) {
            par[0] = perp_rng_below(rng, 3) ? -perp_rng_uniform(rng) : -INFINITY;
            par[1] = perp_rng_below(rng, 3) ? perp_rng_uniform(rng) : INFINITY;
        }
        stored_segment(p, (perp_set)set, dim, 1 + perp_rng_below(rng, 3), par[0], par[1]);
        stored_third(p, par[2]);
    }
    stored_allocate(p);
    for (int i = 0; i < p->n * p->n; i++)
        p->M[i] = perp_rng_below(rng, 3) ? perp_rng_signed(rng) : 0.0;
    /* The length of a ROLLING block wants both of its parts. */
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        if (stored_block(p, k, &row, &dim) == PERP_ROLLING)
            for (int i = 0; i < dim; i++)
                p->M[(row + i) * (p->n + 1)] += 1.5;
    }
}

/* The diagonal block of some blocks is cleared, or nearly so. */
static void weaken_blocks(stored_problem *p, perp_rng *rng)
{
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim, what = perp_rng_below(rng, 4);
        stored_block(p, k, &row, &dim);
        double f = what == 0 ? 0.0 : what == 1 ? 1e-18 : 1.0;
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                p->M[row + i + (row + j) * p->n] *= f;
    }
}

static void check_equal(const perp_residuals *a, const perp_residuals *b, double tol)
{
    ck_assert_double_eq_tol(a->natural, b->natural, tol * (1.0 + b->natural));
    ck_assert_double_eq_tol(a->scaled, b->scaled, tol * (1.0 + b->scaled));
    ck_assert_double_eq_tol(a->primal, b->primal, tol * (1.0 + b->primal));
    ck_assert_double_eq_tol(a->dual, b->dual, tol * (1.0 + b->dual));
    ck_assert_double_eq_tol(a->gap, b->gap, tol * (1.0 + b->gap));
}

static perp_residuals residual_of(const stored_problem *p, const double *z, storage kind, double *w)
{
    stored_view v;
    perp_residuals r = {.size = sizeof r};
    ck_assert(stored_view_make(&v, p, kind));
    ck_assert_int_eq(perp_residual(&v.problem, z, NULL, w, &r), PERP_SOLVED);
    stored_view_free(&v);
    return r;
}

START_TEST(equals_the_definition)
{
    perp_rng rng = {31};
    for (int n = 0; n < 300; n++) {
        stored_problem p;
        random_problem(&p, &rng);
        if (n % 3 == 0)
            weaken_blocks(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof(double)), *w = calloc((size_t)p.n, sizeof(double));
        double *product = calloc((size_t)p.n, sizeof(double));
        for (int i = 0; i < p.n; i++) {
            p.q[i] = perp_rng_signed(&rng);
            z[i] = n % 7 ? perp_rng_signed(&rng) : 0.0;
        }
        perp_residuals expected = judge(&p, z, product);
        for (int kind = 0; kind <= STORED_BSR; kind++) {
            perp_residuals r = residual_of(&p, z, (storage)kind, w);
            check_equal(&r, &expected, 1e-12);
            for (int i = 0; i < p.n; i++)
                ck_assert_double_eq_tol(w[i], product[i], 1e-12);
        }
        free(z);
        free(w);
        free(product);
        stored_free(&p);
    }
}
END_TEST

/* The diagonal is all that an operator shows of its blocks. */
START_TEST(operators)
{
    perp_rng rng = {32};
    for (int n = 0; n < 50; n++) {
        stored_problem p;
        random_problem(&p, &rng);
        stored_plant(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof(double));
        for (int i = 0; i < p.n; i++)
            z[i] = perp_rng_signed(&rng);
        perp_residuals expected = judge_diagonal(&p, z, NULL);
        perp_residuals r = residual_of(&p, z, STORED_OPERATOR, NULL);
        check_equal(&r, &expected, 1e-12);
        r = residual_of(&p, z, STORED_OPERATOR_BARE, NULL);
        ck_assert(isnan(r.scaled));
        r.scaled = expected.scaled;
        check_equal(&r, &expected, 1e-12);
        free(z);
        stored_free(&p);
    }
}
END_TEST

START_TEST(delassus)
{
    perp_rng rng = {33};
    for (int n = 0; n < 50; n++) {
        stored_problem p;
        random_problem(&p, &rng);
        stored_factors(&p, 9);
        for (int i = 0; i < 9 * p.n; i++)
            p.H[i] = n % 5 == 0 && i < 9 ? 0.0 : perp_rng_signed(&rng);
        for (int i = 0; i < 81; i++)
            p.mass[i] += 0.1 * perp_rng_signed(&rng);
        stored_multiply(&p);
        double *z = calloc((size_t)p.n, sizeof(double));
        for (int i = 0; i < p.n; i++) {
            z[i] = perp_rng_signed(&rng);
            p.q[i] = perp_rng_signed(&rng);
        }
        perp_residuals expected = judge(&p, z, NULL), r = residual_of(&p, z, STORED_DELASSUS, NULL);
        check_equal(&r, &expected, 1e-10);
        free(z);
        stored_free(&p);
    }
}
END_TEST

START_TEST(zero_at_planted_solutions)
{
    perp_rng rng = {34};
    for (int n = 0; n < 300; n++) {
        stored_problem p;
        random_problem(&p, &rng);
        stored_plant(&p, &rng);
        perp_residuals r = residual_of(&p, p.z, STORED_CSC, NULL);
        ck_assert_double_le(r.natural, 1e-14 * p.n);
        ck_assert_double_le(r.scaled, 1e-12 * p.n);
        ck_assert_double_le(r.primal, 1e-14 * p.n);
        ck_assert_double_le(r.dual, 1e-14 * p.n);
        ck_assert_double_le(r.gap, 1e-13 * p.n);
        stored_free(&p);
    }
}
END_TEST

/* z -> z / a, w -> a w per block: the scaled measure does not see it. */
START_TEST(scaled_is_free_of_units)
{
    perp_rng rng = {35};
    for (int n = 0; n < 200; n++) {
        stored_problem p;
        random_problem(&p, &rng);
        if (n % 2)
            weaken_blocks(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof(double)), *unit = calloc((size_t)p.n, sizeof *unit);
        int reach = n % 4 == 3 ? 200 : 20, alone = 0;
        for (int k = 0; k < p.nblocks; k++) {
            int row, dim;
            stored_block(&p, k, &row, &dim);
            double a = ldexp(1.0, perp_rng_below(&rng, 2 * reach + 1) - reach);
            perp_set set = stored_block(&p, k, &row, &dim);
            double length = set == PERP_ROLLING ? ldexp(1.0, perp_rng_below(&rng, 41) - 20) : 1.0;
            for (int i = 0; i < dim; i++) {
                unit[row + i] = rolling_moment(dim, i) ? a * length : a;
                z[row + i] = perp_rng_signed(&rng);
                p.q[row + i] = perp_rng_signed(&rng);
            }
        }
        /* A block without any diagonal in sight has d = 1, in whatever unit. */
        double *d = calloc((size_t)p.nblocks, sizeof(double)), *e = calloc((size_t)p.nblocks, 8);
        judge_scaling(&p, d);
        perp_residuals before = residual_of(&p, z, STORED_CSC, NULL);
        for (int k = 0; k < p.nblocks; k++) {
            int row, dim;
            perp_set set = stored_block(&p, k, &row, &dim);
            for (int j = 0; j < 2; j++)
                if (set == PERP_BOX || set == PERP_TRESCA)
                    p.par[j][k] /= unit[row];
            for (int j = 1; j < 3 && set == PERP_ROLLING; j++)
                p.par[j][k] *= unit[row] / unit[row + dim - 1];
        }
        for (int i = 0; i < p.n; i++) {
            z[i] /= unit[i];
            p.q[i] *= unit[i];
            for (int j = 0; j < p.n; j++)
                p.M[i + j * p.n] *= unit[i] * unit[j];
        }
        judge_scaling(&p, e);
        for (int k = 0; k < p.nblocks; k++) {
            int row, dim;
            /* Nor has a ROLLING block without a diagonal a length. */
            alone |= stored_block(&p, k, &row, &dim) == PERP_ROLLING && p.M[row * (p.n + 1)] == 0.0;
            alone |= fabs(e[k] / (d[k] * unit[row]) - 1.0) > 1e-12;
        }
        perp_residuals after = residual_of(&p, z, STORED_CSC, NULL);
        if (!alone)
            ck_assert_double_eq_tol(before.scaled, after.scaled, 1e-12);
        if (n % 2 == 0)
            ck_assert(!alone || p.n < 8);
        free(d);
        free(e);
        free(z);
        free(unit);
        stored_free(&p);
    }
}
END_TEST

/* Blocks in reverse order, each its own segment. */
START_TEST(order_of_blocks_does_not_matter)
{
    perp_rng rng = {36};
    for (int n = 0; n < 100; n++) {
        stored_problem p, r;
        do {
            random_problem(&p, &rng);
            if (p.nblocks > STORED_SEGMENTS)
                stored_free(&p);
        } while (!p.M);
        stored_init(&r, "reversed");
        for (int k = p.nblocks - 1; k >= 0; k--) {
            int row, dim;
            perp_set set = stored_block(&p, k, &row, &dim);
            stored_segment(&r, set, dim, 1, p.par[0][k], p.par[1][k]);
            stored_third(&r, p.par[2][k]);
        }
        stored_allocate(&r);
        int *to = calloc((size_t)p.n, sizeof(int));
        for (int k = 0; k < p.nblocks; k++) {
            int row, dim, moved;
            stored_block(&p, k, &row, &dim);
            stored_block(&r, p.nblocks - 1 - k, &moved, &dim);
            for (int i = 0; i < dim; i++)
                to[row + i] = moved + i;
        }
        for (int i = 0; i < p.n; i++) {
            p.z[i] = perp_rng_signed(&rng);
            p.q[i] = perp_rng_signed(&rng);
            r.z[to[i]] = p.z[i];
            r.q[to[i]] = p.q[i];
            for (int j = 0; j < p.n; j++)
                r.M[to[i] + to[j] * p.n] = p.M[i + j * p.n];
        }
        perp_residuals a = residual_of(&p, p.z, STORED_DENSE, NULL);
        perp_residuals b = residual_of(&r, r.z, STORED_DENSE, NULL);
        check_equal(&a, &b, 1e-13);
        free(to);
        stored_free(&p);
        stored_free(&r);
    }
}
END_TEST

/* z, q and bounds times 2^k leave every measure as it was. */
START_TEST(no_overflow_and_no_underflow)
{
    perp_rng rng = {37};
    static const int powers[] = {660, -660, 400, -400};
    for (int n = 0; n < 120; n++) {
        stored_problem p;
        random_problem(&p, &rng);
        for (int i = 0; i < p.n; i++) {
            p.z[i] = perp_rng_signed(&rng);
            p.q[i] = perp_rng_signed(&rng);
        }
        perp_residuals before = residual_of(&p, p.z, STORED_DENSE, NULL);
        double t = ldexp(1.0, powers[n % 4]);
        for (int i = 0; i < p.n; i++) {
            p.z[i] *= t;
            p.q[i] *= t;
        }
        for (int k = 0; k < p.nblocks; k++) {
            int row, dim;
            perp_set set = stored_block(&p, k, &row, &dim);
            if (set == PERP_BOX || set == PERP_TRESCA) {
                p.par[0][k] *= t;
                p.par[1][k] *= t;
            }
        }
        perp_residuals after = residual_of(&p, p.z, STORED_DENSE, NULL);
        check_equal(&after, &before, 1e-13);
        stored_free(&p);
    }
}
END_TEST

/* |z - P(z - y)|^2 as mu goes to infinity; w_T = t, y_N = mu |t| or w_N. */
static double wide_limit(const double *z, const double *w, int dim, int shifted)
{
    double x[3] = {z[0] - w[0], z[1] - w[1], dim == 3 ? z[2] - w[2] : 0.0};
    double tangent = hypot(x[1], x[2]), pushed = hypot(w[1], dim == 3 ? w[2] : 0.0);
    double f = shifted ? fmax(0.0, 1.0 - pushed / tangent) : 1.0, sum = 0.0;
    for (int i = 1; i < dim; i++)
        sum += (z[i] - f * x[i]) * (z[i] - f * x[i]);
    double normal = shifted ? 0.0 : fmax(x[0], 0.0);
    return sum + (z[0] - normal) * (z[0] - normal);
}

/* Friction coefficients whose square is out of range. */
START_TEST(wide_and_flat_cones)
{
    perp_rng rng = {38};
    static const double mus[] = {1e-200, 1e-30, 1e30, 1e120, 1e200};
    for (int n = 0; n < 200; n++) {
        stored_problem p;
        int shifted = n % 2, dim = 2 + n / 2 % 2;
        double mu = mus[n / 4 % 5];
        stored_init(&p, "wide");
        stored_segment(&p, shifted ? PERP_COULOMB : PERP_SOC, dim, 3, mu, 0.0);
        stored_allocate(&p);
        for (int i = 0; i < p.n; i++) {
            p.M[i + i * p.n] = 1.0;
            p.z[i] = perp_rng_signed(&rng);
            p.q[i] = perp_rng_signed(&rng);
        }
        double w[9];
        perp_residuals r = residual_of(&p, p.z, STORED_DENSE, w);
        if (mu < 1.0) {
            perp_residuals expected = judge(&p, p.z, NULL);
            check_equal(&r, &expected, 1e-12);
        } else {
            double sum = 0.0, z2 = 0.0, w2 = 0.0, q2 = 0.0;
            for (int k = 0; k < 3; k++)
                sum += wide_limit(p.z + k * dim, w + k * dim, dim, shifted);
            for (int i = 0; i < p.n; i++) {
                z2 += p.z[i] * p.z[i];
                w2 += w[i] * w[i];
                q2 += p.q[i] * p.q[i];
            }
            double expected = sqrt(sum / fmax(q2, fmax(z2, w2)));
            ck_assert_double_eq_tol(r.natural, expected, 1e-12);
            ck_assert_double_eq_tol(r.scaled, expected, 1e-12);
        }
        stored_free(&p);
    }
}
END_TEST

/* The squares of the scaled measure alone leave the range: w / d is 1e160. */
START_TEST(scaled_squares_overflow_alone)
{
    const double M[1] = {1e-300}, q[1] = {-1e10}, z[1] = {0.0};
    perp_segment seg = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_residuals r = {.size = sizeof r};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 1, 1, M, 1), 0);
    ck_assert_int_eq(perp_residual(&p, z, NULL, NULL, &r), 0);
    ck_assert_double_eq_tol(r.natural, 1.0, 1e-14);
    ck_assert_double_eq_tol(r.scaled, 1.0, 1e-14);
}
END_TEST

/* With a mu whose square is not formed: distances add up over the blocks. */
START_TEST(cones_next_to_half_spaces)
{
    const double mu = 1e110, q[6] = {-1.0, 0.0, 0.0, -2.0, 0.0, 0.0}, z[6] = {0.0};
    double M[36] = {0.0};
    for (int i = 0; i < 6; i++)
        M[7 * i] = 1.0;
    perp_segment seg = {PERP_COULOMB, 3, 2, {&mu, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_residuals r = {.size = sizeof r};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 6, 6, M, 6), 0);
    ck_assert_int_eq(perp_residual(&p, z, NULL, NULL, &r), 0);
    ck_assert_double_eq(r.primal, 0.0);
    ck_assert_double_eq_tol(r.dual * mu, 1.0, 1e-12);
    ck_assert_double_eq_tol(r.natural, 1.0, 1e-12);
}
END_TEST

static int refuses(void *ctx, double *y, const double *x)
{
    (void)x;
    y[0] = 0.0;
    ++*(int *)ctx;
    return 1;
}

/* Only the callback knows that it has nothing to say, at 0 too. */
START_TEST(an_operator_is_asked_at_zero)
{
    int calls = 0;
    const double q[1] = {1.0}, z[1] = {0.0};
    perp_segment seg = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_residuals r = {.size = sizeof r};
    ck_assert_int_eq(perp_mat_init_operator(&p.M, 1, refuses, &calls, NULL), 0);
    ck_assert_int_eq(perp_residual(&p, z, NULL, NULL, &r), PERP_INTERRUPTED);
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(nothing_is_solved_by_infinities)
{
    stored_problem p;
    stored_init(&p, "one");
    stored_segment(&p, PERP_NONNEG, 1, 2, 0.0, 0.0);
    stored_allocate(&p);
    p.M[0] = p.M[3] = p.q[0] = p.q[1] = 1.0;
    stored_view v;
    stored_view_make(&v, &p, STORED_DENSE);
    perp_arena arena;
    perp_blocks blocks;
    perp_residuals r = {.size = sizeof r};
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&blocks, &v.problem, &arena), PERP_SOLVED);
    const double bad[][4] = {{0, 0, INFINITY, 1}, {0, 0, 1, NAN},       {NAN, 0, 1, 1},
                             {INFINITY, 0, 1, 1}, {0, -INFINITY, 1, 1}, {1e300, 0, 1, INFINITY}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        perp_residual_given_w(&v.problem, &blocks, NULL, bad[k], bad[k] + 2, &r);
        ck_assert(!(r.natural <= 1e300));
        ck_assert(isnan(r.scaled));
    }
    perp_arena_free(&arena);
    double z[2] = {NAN, 0.0}, w[2] = {7.0, 7.0};
    ck_assert_int_eq(perp_residual(&v.problem, z, NULL, w, &r), PERP_ERR_NONFINITE);
    ck_assert(w[0] == 7.0 && w[1] == 7.0);
    z[0] = 1.0;
    ck_assert_int_eq(perp_residual(&v.problem, z, NULL, w, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_residual(&v.problem, NULL, NULL, w, &r), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_residual(NULL, z, NULL, w, &r), PERP_ERR_ARGUMENT);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

START_TEST(known_scalings)
{
    /* A joint row without diagonal takes the size of the Schur complement. */
    stored_problem p;
    double d[3];
    stored_init(&p, "joint");
    stored_segment(&p, PERP_FREE, 1, 3, 0.0, 0.0);
    stored_allocate(&p);
    p.M[0] = 4.0;
    p.M[1] = -6.0;
    p.M[3] = 6.0;
    stored_view v;
    stored_view_make(&v, &p, STORED_CSC);
    perp_arena arena;
    perp_blocks blocks;
    perp_scaling scaling;
    perp_arena_init(&arena, NULL);
    perp_blocks_build(&blocks, &v.problem, &arena);
    ck_assert_int_eq(perp_scaling_build(&scaling, &v.problem, &blocks, &arena), PERP_SOLVED);
    ck_assert_double_eq_tol(scaling.d[0], 2.0, 1e-15);
    ck_assert_double_eq_tol(scaling.d[1], 3.0, 1e-15);
    ck_assert_double_eq_tol(scaling.d[2], 1.0, 1e-15);
    ck_assert_int_eq(scaling.substituted, 2);
    judge_scaling(&p, d);
    ck_assert_double_eq_tol(d[1], 3.0, 1e-15);
    perp_arena_free(&arena);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

START_TEST(empty_problems)
{
    perp_segment none = {PERP_COULOMB, 3, 0, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.seg = &none, .nseg = 1};
    perp_residuals r = {.size = sizeof r};
    double x = 0.0;
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, 0, 0, &x, 0), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_check(&problem, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_residual(&problem, &x, NULL, NULL, &r), PERP_SOLVED);
    ck_assert(r.natural == 0.0 && r.scaled == 0.0 && r.gap == 0.0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("residual");
    TCase *tcase = tcase_create("residual");
    tcase_add_test(tcase, equals_the_definition);
    tcase_add_test(tcase, operators);
    tcase_add_test(tcase, delassus);
    tcase_add_test(tcase, zero_at_planted_solutions);
    tcase_add_test(tcase, scaled_is_free_of_units);
    tcase_add_test(tcase, order_of_blocks_does_not_matter);
    tcase_add_test(tcase, no_overflow_and_no_underflow);
    tcase_add_test(tcase, wide_and_flat_cones);
    tcase_add_test(tcase, scaled_squares_overflow_alone);
    tcase_add_test(tcase, cones_next_to_half_spaces);
    tcase_add_test(tcase, an_operator_is_asked_at_zero);
    tcase_add_test(tcase, nothing_is_solved_by_infinities);
    tcase_add_test(tcase, known_scalings);
    tcase_add_test(tcase, empty_problems);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
