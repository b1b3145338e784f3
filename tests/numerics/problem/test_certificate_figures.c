/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of proofs that are known exactly: conditions met with equality, tangents of cones, what
 * is relative to what, and the reach of a DELASSUS matrix beside extended precision. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"
#include "problem/proof.h"
#include "tests/fixtures/contract.h"
#include "tests/fixtures/stored.h"

enum { N = 14 };

static perp_certificate_figures figures_of(const perp_problem *p, const double *y)
{
    perp_certificate_figures f = {.size = sizeof f};
    ck_assert_int_eq(perp_certificate_check(p, PERP_CERTIFICATE_INFEASIBLE, y, NULL, &f), 0);
    return f;
}

/* One block with the parameters a, b and 2 b, y = (1, 0 ..), so that c is the first row of M, and
 * w_N = c.z - 1. */
static perp_certificate_figures of_row(perp_set set, int dim, double a, double b, const double *c)
{
    double M[36] = {0.0}, q[6] = {-1.0}, y[6] = {1.0}, third = 2.0 * b;
    perp_segment seg = {set, dim, 1, {&a, &b, &third}, {0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    for (int j = 0; j < dim; j++)
        M[j * dim] = c[j];
    ck_assert_int_eq(perp_mat_init_dense(&p.M, dim, dim, M, dim), 0);
    return figures_of(&p, y);
}

/* c_N + mu |c_T| = 0 to the last bit where one tangent counts: no breach. */
START_TEST(met_with_equality)
{
    static const perp_set sets[] = {PERP_COULOMB, PERP_SOC};
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(of_row(sets[k], 2, 0.5, 0, (double[]){-0.5, 1.0}).holds, 1);
        ck_assert_int_eq(of_row(sets[k], 2, 0.5, 0, (double[]){-0.5, -1.0}).holds, 1);
        ck_assert_int_eq(of_row(sets[k], 3, 0.5, 0, (double[]){-0.5, 1.0, 0.0}).holds, 1);
        ck_assert_int_eq(of_row(sets[k], 3, 0.5, 0, (double[]){-0.5, 0.0, -1.0}).holds, 1);
        ck_assert_int_eq(of_row(sets[k], 3, 0.5, 0, (double[]){-0.5, 0.0, 1.0 + 0x1p-50}).holds, 0);
        ck_assert_int_eq(of_row(sets[k], 3, 0.5, 0, (double[]){-0.5, 0.0, 0.0}).holds, 1);
        ck_assert_int_eq(of_row(sets[k], 3, 0.5, 0, (double[]){-2.5, 3.0, 4.0}).holds, 0);
        ck_assert_double_gt(of_row(sets[k], 3, 0.5, 0, (double[]){-2.5, 3.0, 4.0}).reach, 1e14);
        ck_assert_int_eq(of_row(sets[k], 3, 0.5, 0, (double[]){-2.5 - 0x1p-40, 3.0, 4.0}).holds, 1);
    }
    ck_assert_int_eq(of_row(PERP_ROLLING, 5, 0.25, 0.25, (double[]){-0.5, 1, 0, 0, 1}).holds, 1);
    ck_assert_int_eq(of_row(PERP_ROLLING, 5, 0.25, 0.25, (double[]){-0.5, 1, 0, 1, 1}).holds, 0);
    ck_assert_int_eq(of_row(PERP_ROLLING, 3, 0.25, 2.0, (double[]){-2.25, 1, 1}).holds, 1);
    ck_assert_int_eq(of_row(PERP_ROLLING, 4, 0.25, 2.0, (double[]){-2.25, 0, 1, 1}).holds, 1);
    /* Six rows: mu |c_T| + mu_r |c_R| + mu_s |c_S|, mu_s twice mu_r here. */
    ck_assert_int_eq(of_row(PERP_ROLLING, 6, 0.25, 0.25, (double[]){-1.0, 1, 0, 1, 0, 1}).holds, 1);
    ck_assert_int_eq(of_row(PERP_ROLLING, 6, 0.25, 0.25, (double[]){-0.75, 0, 0, 1, 0, 1}).holds,
                     1);
    ck_assert_int_eq(
        of_row(PERP_ROLLING, 6, 0.25, 0.25, (double[]){-0.75, 0, 0, -1, 0, 1.0 + 0x1p-50}).holds,
        0);
    ck_assert_int_eq(of_row(PERP_ROLLING, 6, 0.25, 0.25, (double[]){-0.75, 0, 0, 1, 1, 1}).holds,
                     0);
    /* The disk adds r |c_T| to the supremum. */
    ck_assert_int_eq(of_row(PERP_TRESCA, 3, 0.5, 0, (double[]){0.0, 0.0, 1.9}).holds, 1);
    ck_assert_int_eq(of_row(PERP_TRESCA, 3, 0.5, 0, (double[]){0.0, 0.0, 2.0}).holds, 0);
    ck_assert_int_eq(of_row(PERP_TRESCA, 2, 0.5, 0, (double[]){-1.0, 1.9}).holds, 1);
}
END_TEST

/* A breach over the sizes of its terms, and the one named is the first of the worst. */
START_TEST(columns_are_relative)
{
    const double c[5] = {-1.0, 3.0, 4.0, 1.0, 0.5}, mu = 0.5, mu_r = 2.0, turn = sqrt(1.25);
    perp_certificate_figures f = of_row(PERP_ROLLING, 5, mu, mu_r, c);
    ck_assert_double_eq_tol(f.column, (-1.0 + 2.5 + 2.0 * turn) / (1.0 + 2.5 + 2.0 * turn), 1e-14);
    ck_assert_double_eq_tol(f.reach, 1.0 / (-1.0 + 2.5 + 2.0 * turn), 1e-14);
    ck_assert_double_eq(f.value, -1.0);
    ck_assert_int_eq(f.row, 0);
    f = of_row(PERP_COULOMB, 3, 0.5, 0, c);
    ck_assert_double_eq_tol(f.column, 1.5 / 3.5, 1e-14);
    f = of_row(PERP_TRESCA, 3, 0.125, 0, (double[]){0.5, 3.0, 4.0});
    ck_assert_double_eq_tol(f.column, 1.0, 1e-14);
    ck_assert_double_eq_tol(f.value, (-1.0 + 0.625) / (1.0 + 0.625), 1e-14);
    const double M[9] = {0.25, 0, 0, 0.25, 0, 0, 0.125, 0, 0}, q[3] = {-1.0, 0.0, 0.0};
    perp_segment seg = {PERP_NONNEG, 1, 3, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 3, 3, M, 3), 0);
    f = figures_of(&p, (double[]){1.0, 0.0, 0.0});
    ck_assert_int_eq(f.row, 0);
    ck_assert_double_eq_tol(f.reach, 1.0 / 0.625, 1e-14);
}
END_TEST

/* q.y is summed in more than one double. */
START_TEST(values_of_the_second_double)
{
    const double M[9] = {0.0}, y[3] = {1.0, 1.0, 1.0};
    double q[3] = {1.0, -0x1p-70, -1.0};
    perp_segment seg = {PERP_NONNEG, 1, 3, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 3, 3, M, 3), 0);
    perp_certificate_figures f = figures_of(&p, y);
    ck_assert_int_eq(f.holds, 1);
    ck_assert_double_eq_tol(f.value * 0x1p71, -1.0, 1e-12);
    q[1] = 0x1p-70;
    f = figures_of(&p, y);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq_tol(f.value * 0x1p71, 1.0, 1e-12);
    q[1] = 0.0;
    ck_assert_int_eq(figures_of(&p, y).holds, 0);
    /* With the rest in `low` of the same sign: (1 + 2^-60) - 0.5. */
    q[0] = -1.0, q[1] = -0x1p-60, q[2] = 0.5;
    ck_assert_double_lt(figures_of(&p, y).value, -0.5 / 1.5 + 1e-16);
}
END_TEST

/* A proof times a power of two is the same proof, to the last bit of each figure: also where the
 * products of its entries would be rounded away, or would overflow. */
START_TEST(powers_of_two)
{
    static const int power[] = {-1060, -1020, -700, -1, 1, 300, 900};
    const double M[9] = {0.3, -0.1, 0.7, 0.1, 0.2, -0.7, -0.9, -0.4, -0.3},
                 q[3] = {-1.0 / 3.0, -0.7, 0.1};
    perp_segment seg = {PERP_NONNEG, 1, 3, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 3, 3, M, 3), 0);
    perp_certificate_figures f = figures_of(&p, (double[]){1.0, 0.75, 0.25});
    ck_assert_double_gt(f.reach, 1.0);
    for (size_t k = 0; k < sizeof power / sizeof power[0]; k++) {
        double u = ldexp(1.0, power[k]);
        perp_certificate_figures g = figures_of(&p, (double[]){u, 0.75 * u, 0.25 * u});
        ck_assert_int_eq(g.holds, f.holds);
        ck_assert_double_eq(g.reach, f.reach);
        ck_assert_double_eq(g.value, f.value);
        ck_assert_double_eq(g.column, f.column);
        ck_assert_double_eq(g.sign, f.sign);
    }
}
END_TEST

/* y of a SOC may have tangents: M = 0 and w = q, which no cone holds. */
START_TEST(tangents_of_cones)
{
    double M[9] = {0.0}, q[3] = {0.05, -0.3, 0.2}, mu = 0.5;
    perp_segment seg = {PERP_SOC, 3, 1, {&mu, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 3, 3, M, 3), 0);
    ck_assert_int_eq(figures_of(&p, (double[]){1.0, 0.3, -0.2}).holds, 1);
    ck_assert_int_eq(figures_of(&p, (double[]){1.0, -0.3, 0.2}).holds, 0);
    ck_assert_int_eq(figures_of(&p, (double[]){1.0, 0.0, 0.0}).holds, 0);
    perp_certificate_figures f = figures_of(&p, (double[]){1.0, 1.0, 0.0});
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq_tol(f.sign, 0.5 / sqrt(1.25), 1e-14);
    /* On the boundary, which rounding leaves to either side. */
    q[0] = -1.0, q[1] = q[2] = 0.0;
    for (int k = 0; k < 1000; k++) {
        double angle = 0.01 * k, size = 1.0 + 0.37 * k;
        double y[3] = {size, mu * size * cos(angle), mu * size * sin(angle)};
        f = figures_of(&p, y);
        ck_assert_msg(f.holds && f.sign <= 2e-14, "%d: %g", k, f.sign);
    }
    mu = 0.0;
    f = figures_of(&p, (double[]){1.0, 1e-14, 0.0});
    ck_assert_int_eq(f.holds, 1);
    ck_assert_double_eq_tol(f.sign, 1e-14, 1e-20);
}
END_TEST

/* The nearest y with the signs of a proof, block by block, and no entry of another block. */
START_TEST(nearest_signs)
{
    static const struct {
        int set, dim;
        double par[2], y[6], p[6];
    } cases[] = {
        {PERP_NONNEG, 1, {0}, {-2.0}, {0.0}},
        {PERP_NONNEG, 1, {0}, {2.0}, {2.0}},
        {PERP_FREE, 1, {0}, {-2.0}, {-2.0}},
        {PERP_BOX, 1, {-1.0, 1.0}, {-2.0}, {0.0}},
        {PERP_BOX, 1, {-1.0, 1.0}, {2.0}, {0.0}},
        {PERP_BOX, 1, {-1.0, INFINITY}, {2.0}, {2.0}},
        {PERP_BOX, 1, {-1.0, INFINITY}, {-2.0}, {0.0}},
        {PERP_BOX, 1, {-INFINITY, 1.0}, {-2.0}, {-2.0}},
        {PERP_BOX, 1, {-INFINITY, 1.0}, {2.0}, {0.0}},
        {PERP_BOX, 1, {-INFINITY, INFINITY}, {-2.0}, {-2.0}},
        {PERP_COULOMB, 2, {0.5}, {2.0, 1.0}, {2.0, 0.0}},
        {PERP_COULOMB, 3, {0.5}, {-2.0, 1.0, 2.0}, {0.0, 0.0, 0.0}},
        {PERP_TRESCA, 3, {0.5}, {2.0, 1.0, 3.0}, {2.0, 0.0, 0.0}},
        {PERP_ROLLING, 5, {0.5, 0.1}, {2.0, 1.0, 3.0, 4.0, 5.0}, {2.0, 0.0, 0.0, 0.0, 0.0}},
        {PERP_ROLLING, 6, {0.5, 0.1}, {2.0, 1.0, 3.0, 4.0, 5.0, 6.0}, {2.0}},
        {PERP_SOC, 3, {1.0}, {5.0, 3.0, 4.0}, {5.0, 3.0, 4.0}},
        {PERP_SOC, 3, {1.0}, {0.0, 3.0, 4.0}, {2.5, 1.5, 2.0}},
        {PERP_SOC, 3, {1.0}, {-6.0, 3.0, 4.0}, {0.0, 0.0, 0.0}},
        {PERP_SOC, 2, {0.5}, {-0.5, 1.0}, {0.0, 0.0}},
        {PERP_SOC, 2, {0.0}, {1.0, 1.0}, {1.0, 0.0}},
        {PERP_SOC, 3, {0.5}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
        {PERP_SOC, 3, {0.0}, {1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_block block = {
            0, (short)cases[k].dim, (short)cases[k].set, {cases[k].par[0], cases[k].par[1]}, 1.0};
        double p[7] = {77, 77, 77, 77, 77, 77, 77}, sum = 0.0;
        double away = perp_proof_signs(p, &block, cases[k].y);
        for (int i = 0; i < cases[k].dim; i++) {
            ck_assert_msg(fabs(p[i] - cases[k].p[i]) <= 1e-13, "%zu: %d %g", k, i, p[i]);
            sum += pow(cases[k].y[i] - cases[k].p[i], 2.0);
        }
        ck_assert_double_eq_tol(away, sqrt(sum), 1e-13);
        ck_assert_double_eq(p[cases[k].dim], 77.0);
    }
    /* In the cone without any rounding, and no further in than that takes. */
    perp_rng rng = {78};
    for (int k = 0; k < 20000; k++) {
        double y[9], p[9], mu = exp2(4.0 * perp_rng_signed(&rng));
        perp_block block = {0, (short)(2 + k % 8), PERP_SOC, {mu, 0.0}, 1.0};
        long double sum = 0.0L;
        for (int i = 0; i < block.dim; i++)
            y[i] = perp_rng_signed(&rng);
        double away = perp_proof_signs(p, &block, y);
        for (int i = 1; i < block.dim; i++)
            sum += (long double)p[i] * p[i];
        ck_assert_msg(sqrtl(sum) <= (long double)mu * p[0] * (1.0L + 1e-19L), "%d: %.20Lg %.20Lg",
                      k, sqrtl(sum), (long double)mu * p[0]);
        if (away < 1e-13)
            ck_assert_double_le(fabs(p[0] - y[0]), 1e-13);
    }
}
END_TEST

typedef struct bodies {
    int dofs;
    int star; /* the mass is a star with entries of 1, so that factors of it are 1 */
    double H[2 * N], B[N * N]; /* columns of the inverse */
    perp_mass *mass;
    perp_problem problem;
    int colptr[3], row[2 * N], gives;
    double compliance[2];
} bodies;

/* Of a chain, or of a star around the last row; 0: none. */
static double mass_entry(const bodies *b, int i, int j, int symmetric, perp_rng *rng)
{
    int last = b->dofs - 1;
    if (b->star)
        return i == j      ? (i == last ? b->dofs + 1.0 : 1.0)
               : i == last ? 1.0
               : j < last  ? 0.0
               : symmetric ? 1.0
                           : 0.5;
    if (b->dofs > 3 && abs(i - j) > 1)
        return 0.0;
    return i == j ? 4.0 + perp_rng_uniform(rng) : symmetric || i > j ? 0.3 : perp_rng_signed(rng);
}

/* Two opposite contacts but for a little, and a mass that is definite but need not be symmetric. */
static void draw(bodies *b, int dofs, int symmetric, const double *q, const perp_segment *seg,
                 perp_rng *rng)
{
    int ptr[N + 1], row[N * N], count = 0;
    double x[N * N];
    perp_mat mat;
    b->dofs = dofs;
    for (int j = 0; j < dofs; j++) {
        ptr[j] = count;
        for (int i = 0; i < dofs; i++) {
            row[count] = i;
            x[count] = mass_entry(b, i, j, symmetric, rng);
            count += x[count] != 0.0;
        }
        b->row[j] = b->row[dofs + j] = j;
        b->H[j] = perp_rng_signed(rng);
        b->H[dofs + j] = -b->H[j] + (j == 0 || b->star ? 1e-3 * perp_rng_signed(rng) : 0.0);
    }
    ptr[dofs] = count;
    b->colptr[0] = 0, b->colptr[1] = dofs, b->colptr[2] = 2 * dofs;
    ck_assert_int_eq(perp_mat_init_csc(&mat, dofs, dofs, ptr, row, x), 0);
    ck_assert_int_eq(perp_mass_create(&b->mass, &mat, NULL, NULL), 0);
    b->problem = (perp_problem){.q = q, .seg = seg, .nseg = 1};
    ck_assert_int_eq(
        perp_mat_init_delassus(&b->problem.M, dofs, 2, b->colptr, b->row, b->H, b->mass), 0);
    b->gives = perp_rng_below(rng, 2);
    b->compliance[0] = 1e-4 * perp_rng_uniform(rng);
    b->compliance[1] = 0.0;
    if (b->gives)
        ck_assert_int_eq(perp_mat_set_compliance(&b->problem.M, b->compliance), 0);
    for (int j = 0; j < dofs; j++) {
        double e[N] = {0.0}, scratch[4 * N];
        e[j] = 1.0;
        perp_mass_solve(b->mass, e, scratch, b->B + j * dofs);
    }
}

/* c = H' B' H y in extended precision, what may be wrong in it, and the terms of which a product of
 * H, B and H is summed. */
static void products(const bodies *b, const double *y, long double c[2], long double wrong[2],
                     long double terms[2])
{
    int n = b->dofs;
    for (int j = 0; j < 2; j++) {
        c[j] = terms[j] = wrong[j] = 0.0L;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                /* Exact: the two are nearly opposite. */
                long double v = (long double)b->H[k] * y[0] + (long double)b->H[n + k] * y[1];
                long double size = fabsl((long double)b->H[k] * y[0]) + fabsl(b->H[n + k] * y[1]);
                long double factor = (long double)b->H[j * n + i] * b->B[k + i * n];
                c[j] += factor * v;
                wrong[j] += fabsl(factor * v) * 4e-19L;
                terms[j] += fabsl(factor) * size;
            }
        c[j] += b->gives ? (long double)b->compliance[j] * y[j] : 0.0L;
        terms[j] += b->gives ? (long double)b->compliance[j] * fabs(y[j]) : 0.0L;
        wrong[j] += fabsl(c[j]) * 4e-19L;
    }
}

/* Not beyond what is so, by a rounding; and short of it by no more. */
START_TEST(reach_of_products)
{
    const double q[2] = {-1.0, -1.0}, y[2] = {1.0, 1.0};
    perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    perp_rng rng = {77};
    for (int k = 0; k < 800; k++) {
        bodies b = {.star = k >= 600};
        long double c[2], wrong[2], terms[2], breach = 0.0L, share = 0.0L, lost = 0.0L;
        int dofs = b.star ? N : k % 3 == 0 ? 1 : k % 3 == 1 ? 3 : N;
        draw(&b, dofs, k % 2 == 0, q, &seg, &rng);
        products(&b, y, c, wrong, terms);
        perp_certificate_figures f = figures_of(&b.problem, y);
        for (int j = 0; j < 2; j++) {
            breach += fmaxl(c[j], 0.0L);
            lost += wrong[j];
            share = fmaxl(share, c[j] / terms[j]);
        }
        perp_mass_destroy(b.mass);
        if (breach == 0.0L) {
            ck_assert_int_eq(f.holds, 1);
            continue;
        }
        /* Of factors the columns of B are rounded too. */
        long double exact = 2.0L / breach, slack = dofs <= 3 ? lost / breach : 1e-13L;
        ck_assert_msg(f.reach <= exact * (1.0L + slack), "%d: %.17g beyond %.20Lg", k, f.reach,
                      exact);
        ck_assert_double_ge(f.reach, (double)(exact * (1.0L - 1e-11L)));
        /* The terms of factors are no fewer than those of the inverse. */
        ck_assert_double_le(f.column, (double)share * (1.0 + 1e-11));
        ck_assert_double_ge(f.column, (double)share * (dofs <= 3 ? 1.0 - 1e-11 : 0.1));
    }
}
END_TEST

/* The same figures from each storage of a matrix of no structure. */
START_TEST(storages_agree)
{
    static const storage kinds[] = {STORED_DENSE_LD, STORED_CSC, STORED_BSR};
    perp_rng rng = {79};
    for (int k = 0; k < 60; k++) {
        stored_problem p;
        stored_view dense;
        double y[12] = {0.0};
        stored_init(&p, "storages");
        stored_segment(&p, PERP_COULOMB, 3, 4, 0.5, 0.0);
        stored_allocate(&p);
        for (int i = 0; i < p.n * p.n; i++)
            p.M[i] = k % 2 == 0 || perp_rng_below(&rng, 2) ? perp_rng_signed(&rng) : 0.0;
        for (int i = 0; i < p.n; i++)
            p.q[i] = -1.0 + 0.1 * perp_rng_signed(&rng);
        for (int i = 0; i < p.n; i += 3)
            y[i] = perp_rng_uniform(&rng);
        ck_assert_int_eq(stored_view_make(&dense, &p, STORED_DENSE), 1);
        perp_certificate_figures f = figures_of(&dense.problem, y);
        ck_assert_double_gt(f.reach, 0.0);
        ck_assert_double_lt(f.reach, INFINITY);
        for (int s = 0; s < 3; s++) {
            stored_view v;
            ck_assert_int_eq(stored_view_make(&v, &p, kinds[s]), 1);
            perp_certificate_figures own = figures_of(&v.problem, y);
            ck_assert_double_eq_tol(own.reach / f.reach, 1.0, 1e-13);
            ck_assert_double_eq_tol(own.column, f.column, 1e-13);
            ck_assert_double_eq_tol(own.value, f.value, 1e-13);
            ck_assert_int_eq(own.row, f.row);
            stored_view_free(&v);
        }
        stored_view_free(&dense);
        stored_free(&p);
    }
}
END_TEST

/* A case of a search has rows of its own: the other sign is let through there, and is away by |y|.
 */
START_TEST(cases_of_a_search)
{
    const double M[4] = {0.0}, q[2] = {1.0, 0.0};
    perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_arena arena;
    perp_blocks blocks;
    double memory[16], y[2] = {-1.0, 0.0};
    perp_proof_vectors at = {memory, memory + 2, memory + 4, memory + 6};
    const perp_row_case zero_w[2] = {{0.0, INFINITY, 0, 0}, {0.0, INFINITY, 1, 0}};
    const perp_row_case own[2] = {{0.0, INFINITY, 1, 0}, {0.0, INFINITY, 1, 0}};
    perp_certificate_figures f = {.size = sizeof f};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 2, 2, M, 2), 0);
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&blocks, &p, &arena), 0);
    ck_assert_int_le((int)perp_proof_work(&p.M), 10);
    perp_proof_check_case(&f, &p, &blocks, zero_w, y, &at);
    ck_assert_int_eq(f.holds, 1);
    ck_assert_double_eq(f.sign, 0.0);
    perp_proof_check_case(&f, &p, &blocks, own, y, &at);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq(f.sign, 1.0);
    ck_assert_int_eq(f.row, 0);
    perp_arena_free(&arena);
}
END_TEST

/* What is kept of a column lies in the row of the normal, and its tangents are 0. */
START_TEST(columns_that_are_kept)
{
    enum { ROWS = 6 };
    const double mu = 0.5, q[ROWS] = {-1.0, 0.3, 0.2, -1.0, 0.1, 0.4};
    const double y[ROWS] = {1.0, 0.25, -0.25, 0.5, 0.125, 0.125};
    double M[ROWS * ROWS], memory[256];
    perp_segment seg = {PERP_COULOMB, 3, 2, {&mu, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_proof_vectors at = {memory, memory + ROWS, memory + 2 * ROWS, memory + 3 * ROWS};
    perp_arena arena;
    perp_blocks blocks;
    perp_certificate_figures f = {.size = sizeof f};
    for (int k = 0; k < ROWS * ROWS; k++)
        M[k] = 0.25 + k % 5;
    ck_assert_int_eq(perp_mat_init_dense(&p.M, ROWS, ROWS, M, ROWS), 0);
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&blocks, &p, &arena), 0);
    ck_assert_int_le((int)perp_proof_work(&p.M), 256 - 3 * ROWS);
    perp_proof_check(&f, &p, &blocks, y, &at);
    for (int i = 0; i < ROWS; i++)
        ck_assert_msg(i % 3 == 0 ? at.c[i] != 0.0 : at.c[i] == 0.0, "%d: %g", i, at.c[i]);
    perp_arena_free(&arena);
}
END_TEST

/* What overflows shows nothing, and what underflows counts with the least number. */
START_TEST(ends_of_the_range)
{
    perp_segment seg = {PERP_COULOMB, 3, 2, {NULL, NULL}, {0, 0}};
    const double mu = 0.5, q[6] = {-1.0, 0, 0, -1.0, 0, 0}, y[6] = {1.0, 0, 0, 1.0, 0, 0};
    double M[36] = {0.0};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    seg.par[0] = &mu;
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 6, 6, M, 6), 0);
    ck_assert_int_eq(figures_of(&p, y).holds, 1);
    M[0 + 6 * 1] = M[3 + 6 * 1] = 1e308; /* c of the first tangent: 2e308 */
    perp_certificate_figures f = figures_of(&p, y);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq(f.reach, 0.0);
    M[0 + 6 * 2] = M[3 + 6 * 2] = -1e308;
    f = figures_of(&p, y);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq(f.reach, 0.0);
    memset(M, 0, sizeof M);
    M[0 + 6 * 1] = M[0 + 6 * 2] = 1e308; /* finite, but not its length */
    M[3 + 6 * 1] = M[3 + 6 * 2] = 7e307;
    M[0] = M[3] = -8e307;
    ck_assert_double_eq(figures_of(&p, y).reach, 0.0);
    seg = (perp_segment){PERP_NONNEG, 1, 6, {NULL, NULL}, {0, 0}};
    memset(M, 0, sizeof M);
    M[1] = 1e-300;
    f = figures_of(&p, (double[]){1.0, 1e-300, 0, 0, 0, 0});
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_gt(f.reach, 1e307);
    ck_assert_double_eq(f.column, INFINITY);
}
END_TEST

/* RAY: (M y)_0 is 1e-10 of its terms, which is let pass; a little more is not. */
START_TEST(rays_within_rounding)
{
    const double q[3] = {0.0}, y[3] = {1.0, 1.0, 1.0};
    for (int more = 0; more < 2; more++) {
        const double c = 1e-10 * (1.0 + more * 1e-6), half = 0.5 * (1.0 - c);
        const double M[9] = {half, 0, 0, -half, 0, 0, c, 0, 0};
        perp_segment seg = {PERP_NONNEG, 1, 3, {NULL, NULL}, {0, 0}};
        perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
        perp_certificate_figures f = {.size = sizeof f};
        ck_assert_int_eq(perp_mat_init_dense(&p.M, 3, 3, M, 3), 0);
        ck_assert_int_eq(perp_certificate_check(&p, PERP_CERTIFICATE_RAY, y, NULL, &f), 0);
        ck_assert_double_eq_tol(f.column, c, 1e-16);
        ck_assert_int_eq(f.holds, f.column <= 1e-10);
        ck_assert_int_eq(f.holds, !more);
    }
}
END_TEST

/* RAY: y_i (M y)_i <= 0 in the recession cone, of boxes too; FREE rows do not count. */
START_TEST(rays_of_boxes)
{
    const double lo[3] = {-INFINITY, -1.0, -1.0}, hi[3] = {1.0, INFINITY, 1.0}, q[4] = {0.0};
    perp_segment seg[2] = {{PERP_BOX, 1, 3, {lo, hi}, {1, 1}},
                           {PERP_FREE, 1, 1, {NULL, NULL}, {0, 0}}};
    double M[16] = {0.0};
    perp_problem p = {.q = q, .seg = seg, .nseg = 2};
    perp_certificate_figures f = {.size = sizeof f};
    perp_certificate_kind ray = PERP_CERTIFICATE_RAY;
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 4, 4, M, 4), 0);
    M[0] = M[5] = -1.0;
    M[15] = 1.0;
    double y[4] = {-1.0, 2.0, 0.0, 1.0};
    ck_assert_int_eq(perp_certificate_check(&p, ray, y, NULL, &f), 0);
    ck_assert_int_eq(f.holds, 1);
    y[0] = 1.0; /* a z that is bounded above cannot grow */
    ck_assert_int_eq(perp_certificate_check(&p, ray, y, NULL, &f), 0);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq(f.sign, 0.5);
    ck_assert_int_eq(f.row, 0);
    y[0] = -1.0, y[2] = 0.25;
    ck_assert_int_eq(perp_certificate_check(&p, ray, y, NULL, &f), 0);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_int_eq(f.row, 2);
    y[2] = 0.0, M[0] = 1.0;
    ck_assert_int_eq(perp_certificate_check(&p, ray, y, NULL, &f), 0);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq(f.column, 1.0);
    ck_assert_int_eq(f.row, 0);
    /* What is no more than rounding of y does not count. */
    perp_segment half = {PERP_NONNEG, 1, 4, {NULL, NULL}, {0, 0}};
    p.seg = &half, p.nseg = 1, M[0] = -1.0, M[5] = 1.0;
    ck_assert_int_eq(perp_certificate_check(&p, ray, (double[]){1.0, 1e-12, 0, 0}, NULL, &f), 0);
    ck_assert_int_eq(f.holds, 1);
    ck_assert_int_eq(perp_certificate_check(&p, ray, (double[]){1.0, 1.1e-12, 0, 0}, NULL, &f), 0);
    ck_assert_int_eq(f.holds, 0);
    /* Nothing to be read. */
    perp_problem none = {.seg = seg, .nseg = 0};
    ck_assert_int_eq(perp_mat_init_dense(&none.M, 0, 0, M, 1), 0);
    ck_assert_int_eq(perp_certificate_check(&none, PERP_CERTIFICATE_INFEASIBLE, NULL, NULL, &f), 0);
    ck_assert_int_eq(f.holds, 0);
}
END_TEST

/* Each allocation of a check that needs some. */
START_TEST(no_memory)
{
    enum { MANY = 300 };
    static double M[MANY * MANY], q[MANY], y[MANY];
    perp_segment seg = {PERP_NONNEG, 1, MANY, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, MANY, MANY, M, MANY), 0);
    y[0] = 1.0, q[0] = -1.0;
    for (int kind = 0; kind < 2; kind++) {
        perp_certificate_kind what = kind ? PERP_CERTIFICATE_RAY : PERP_CERTIFICATE_INFEASIBLE;
        perp_status status = PERP_ERR_MEMORY;
        int most = 0;
        for (; status != PERP_SOLVED; most++) {
            perp_certificate_figures f = {.size = sizeof f};
            counter memory = {.fail_at = most + 1};
            const perp_allocator few = counter_allocator(&memory);
            status = perp_certificate_check(&p, what, y, &few, &f);
            ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
            ck_assert_int_eq(memory.live, 0);
            ck_assert_int_eq(f.holds, status == PERP_SOLVED);
        }
        ck_assert_int_gt(most, 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certificate-figures");
    TCase *tcase = tcase_create("certificate-figures");
    tcase_add_test(tcase, met_with_equality);
    tcase_add_test(tcase, columns_are_relative);
    tcase_add_test(tcase, values_of_the_second_double);
    tcase_add_test(tcase, powers_of_two);
    tcase_add_test(tcase, tangents_of_cones);
    tcase_add_test(tcase, nearest_signs);
    tcase_add_test(tcase, reach_of_products);
    tcase_add_test(tcase, storages_agree);
    tcase_add_test(tcase, cases_of_a_search);
    tcase_add_test(tcase, columns_that_are_kept);
    tcase_add_test(tcase, ends_of_the_range);
    tcase_add_test(tcase, rays_within_rounding);
    tcase_add_test(tcase, rays_of_boxes);
    tcase_add_test(tcase, no_memory);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
