/* SPDX-License-Identifier: BSD-3-Clause */
/* The nonsmooth equations: zero at planted solutions and only there, their
 * derivatives against differences away from kinks. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "reform/reform.h"
#include "sets/set.h"

enum { MAX_DIM = 6, SAMPLES = 4000, FB = 3 };

static perp_block random_block(perp_rng *rng)
{
    static const double mus[] = {0.0, 1e-3, 0.3, 1.0, 10.0};
    perp_block b = {.set = (short)perp_rng_below(rng, PERP_SET_COUNT), .dim = 1};
    if (b.set == PERP_TRESCA || b.set == PERP_COULOMB)
        b.dim = (short)(2 + perp_rng_below(rng, 2));
    b.length = 1.0;
    if (b.set == PERP_ROLLING) {
        b.dim = (short)(3 + perp_rng_below(rng, 4));
        b.par[1] = mus[perp_rng_below(rng, 5)];
        b.par[2] = b.dim == 6 ? mus[perp_rng_below(rng, 5)] : 0.0;
        b.length = 0.5 + perp_rng_uniform(rng);
    }
    if (b.set == PERP_SOC)
        b.dim = (short)(2 + perp_rng_below(rng, MAX_DIM - 1));
    if (b.set == PERP_BOX) {
        b.par[0] = -perp_rng_uniform(rng);
        b.par[1] = perp_rng_below(rng, 3) ? perp_rng_uniform(rng) : INFINITY;
    } else if (b.set >= PERP_TRESCA) {
        b.par[0] = mus[perp_rng_below(rng, 5)];
    }
    return b;
}

static int takes(int k, const perp_block *b)
{
    return perp_reform_at(k)->sets >> b->set & 1u;
}

/* x^2 + y^2 on the boundary of the cone loses half of the digits, and y has w / mu. */
static double fischer_tolerance(const perp_block *b)
{
    return b->set >= PERP_TRESCA && b->par[0] > 0.0 ? 2e-7 * (1.0 + 1.0 / b->par[0]) : 1e-13;
}

/* z in K and w with -(w + s(w)) normal to K at z. */
static void plant(double *z, double *w, const perp_block *b, perp_rng *rng)
{
    const perp_set_type *type = perp_set_type_of(b->set);
    double x[MAX_DIM];
    for (int i = 0; i < b->dim; i++)
        x[i] = 2.0 * perp_rng_signed(rng);
    type->project(z, x, b->par, b->dim);
    for (int i = 0; i < b->dim; i++)
        w[i] = z[i] - x[i];
    if (type->shift)
        w[0] -= type->shift(w, b->par, b->dim);
}

START_TEST(zero_at_planted_solutions)
{
    perp_rng rng = {21};
    for (int n = 0; n < SAMPLES; n++) {
        perp_block b = random_block(&rng);
        double z[MAX_DIM], w[MAX_DIM], F[MAX_DIM];
        double rho[2] = {0.1 + perp_rng_uniform(&rng), 0.1 + perp_rng_uniform(&rng)};
        plant(z, w, &b, &rng);
        for (int k = 0; perp_reform_at(k); k++) {
            if (!takes(k, &b))
                continue;
            perp_reform_at(k)->eval(F, NULL, NULL, &b, rho, w, z);
            for (int i = 0; i < b.dim; i++)
                ck_assert_double_eq_tol(F[i], 0.0, k == FB ? fischer_tolerance(&b) : 1e-13);
        }
    }
}
END_TEST

/* The natural map of a contact is zero exactly where the equations are. */
START_TEST(not_zero_elsewhere)
{
    perp_rng rng = {22};
    for (int n = 0; n < SAMPLES; n++) {
        perp_block b = random_block(&rng);
        const perp_set_type *type = perp_set_type_of(b.set);
        double z[MAX_DIM], w[MAX_DIM], F[MAX_DIM], p[MAX_DIM], rho[2] = {1.0, 1.0};
        plant(z, w, &b, &rng);
        for (int i = 0; i < b.dim; i++) {
            z[i] += 0.1 * perp_rng_signed(&rng);
            w[i] += 0.1 * perp_rng_signed(&rng);
        }
        memcpy(p, w, sizeof p);
        p[0] += type->shift ? type->shift(w, b.par, b.dim) : 0.0;
        for (int i = 0; i < b.dim; i++)
            p[i] = z[i] - p[i];
        type->project(p, p, b.par, b.dim);
        double natural = 0.0;
        for (int i = 0; i < b.dim; i++)
            natural = fmax(natural, fabs(z[i] - p[i]));
        for (int k = 0; perp_reform_at(k); k++) {
            if (!takes(k, &b))
                continue;
            perp_reform_at(k)->eval(F, NULL, NULL, &b, rho, w, z);
            double size = 0.0;
            for (int i = 0; i < b.dim; i++)
                size = fmax(size, fabs(F[i]));
            double wide = b.set == PERP_BOX ? 1.0 : 1.0 + b.par[0] + b.par[1];
            ck_assert_double_gt(size * 100.0 * wide, natural);
        }
    }
}
END_TEST

/* 1 when moves of `margin` may cross a kink: the derivatives change. */
static int near_kink(const perp_reform *reform, const perp_block *b, const double *rho,
                     const double *w, const double *z, perp_rng *rng)
{
    double F[MAX_DIM], A[2][MAX_DIM * MAX_DIM], B[2][MAX_DIM * MAX_DIM], v[MAX_DIM], y[MAX_DIM];
    reform->eval(F, A[0], B[0], b, rho, w, z);
    for (int trial = 0; trial < 40; trial++) {
        for (int i = 0; i < b->dim; i++) {
            v[i] = w[i] + 0.01 * perp_rng_signed(rng);
            y[i] = z[i] + 0.01 * perp_rng_signed(rng);
        }
        reform->eval(F, A[1], B[1], b, rho, v, y);
        for (int i = 0; i < b->dim * b->dim; i++)
            if (fabs(A[0][i] - A[1][i]) > 0.15 || fabs(B[0][i] - B[1][i]) > 0.15)
                return 1;
    }
    return 0;
}

static void compare(const perp_reform *reform, const perp_block *b, const double *rho, double *w,
                    double *z, const double *D, double *moved)
{
    const double h = 1e-6;
    double hi[MAX_DIM], lo[MAX_DIM];
    for (int j = 0; j < b->dim; j++) {
        double save = moved[j];
        moved[j] = save + h;
        reform->eval(hi, NULL, NULL, b, rho, w, z);
        moved[j] = save - h;
        reform->eval(lo, NULL, NULL, b, rho, w, z);
        moved[j] = save;
        for (int i = 0; i < b->dim; i++)
            ck_assert_double_eq_tol(D[i + j * b->dim], (hi[i] - lo[i]) / (2.0 * h), 1e-5);
    }
}

START_TEST(derivatives_match_differences)
{
    perp_rng rng = {23};
    int tried[FB + 1][PERP_SET_COUNT] = {{0}};
    for (int n = 0; n < 2 * SAMPLES; n++) {
        perp_block b = random_block(&rng);
        double z[MAX_DIM], w[MAX_DIM], F[MAX_DIM], G[MAX_DIM];
        double Fw[MAX_DIM * MAX_DIM], Fz[MAX_DIM * MAX_DIM], alone[MAX_DIM * MAX_DIM];
        double rho[2] = {0.2 + perp_rng_uniform(&rng), 0.2 + perp_rng_uniform(&rng)};
        for (int i = 0; i < b.dim; i++) {
            z[i] = 2.0 * perp_rng_signed(&rng);
            w[i] = 2.0 * perp_rng_signed(&rng);
        }
        size_t bytes = (size_t)(b.dim * b.dim) * sizeof(double);
        for (int k = 0; perp_reform_at(k); k++) {
            const perp_reform *reform = perp_reform_at(k);
            if (!takes(k, &b) || near_kink(reform, &b, rho, w, z, &rng))
                continue;
            tried[k][b.set]++;
            reform->eval(F, Fw, Fz, &b, rho, w, z);
            reform->eval(G, NULL, alone, &b, rho, w, z);
            ck_assert_mem_eq(alone, Fz, bytes);
            reform->eval(G, alone, NULL, &b, rho, w, z);
            ck_assert_mem_eq(alone, Fw, bytes);
            ck_assert_mem_eq(F, G, (size_t)b.dim * sizeof(double));
            compare(reform, &b, rho, w, z, Fw, w);
            compare(reform, &b, rho, w, z, Fz, z);
        }
    }
    for (int k = 0; k <= FB; k++)
        for (int s = 0; s < PERP_SET_COUNT; s++)
            if (perp_reform_at(k)->sets >> s & 1u)
                ck_assert_int_gt(tried[k][s], 100);
}
END_TEST

START_TEST(table_ends)
{
    ck_assert_str_eq(perp_reform_at(0)->name, "alart-curnier");
    ck_assert_str_eq(perp_reform_at(1)->name, "jean-moreau");
    ck_assert_str_eq(perp_reform_at(2)->name, "natural-map");
    ck_assert_str_eq(perp_reform_at(FB)->name, "fischer-burmeister");
    ck_assert_ptr_null(perp_reform_at(4));
    ck_assert_ptr_null(perp_reform_at(-1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reform");
    TCase *tcase = tcase_create("reform");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, zero_at_planted_solutions);
    tcase_add_test(tcase, not_zero_elsewhere);
    tcase_add_test(tcase, derivatives_match_differences);
    tcase_add_test(tcase, table_ends);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
