/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of planted solutions beside differences of solutions in long double; forward and
 * adjoint products; kinks. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/planted.h"

enum { ALL_SETS = (1 << PERP_SET_COUNT) - 1 };

static double norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* (x(t) - x(s)) / (t - s), started from the derivative that is to be checked; 1 where the solver of
 * the test found both. */
static int difference(const planted *p, const planted_change *change, long double t, long double s,
                      const double *dz, double *by_z, double *by_w)
{
    long double z[2][PLANTED_ROWS], w[2][PLANTED_ROWS], at[2] = {t, s};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < p->n; i++)
            z[k][i] = p->z[i] + at[k] * dz[i];
        if (!(planted_solve(p, change, at[k], z[k], w[k]) < 1e-16L))
            return 0;
    }
    for (int i = 0; i < p->n; i++) {
        by_z[i] = (double)((z[0][i] - z[1][i]) / (t - s));
        by_w[i] = (double)((w[0][i] - w[1][i]) / (t - s));
    }
    return 1;
}

static double distance(const double *x, const double *y, int n)
{
    double d[PLANTED_ROWS];
    for (int i = 0; i < n; i++)
        d[i] = x[i] - y[i];
    return norm(d, n);
}

static perp_derivative *made(const planted *p, perp_status expected)
{
    perp_derivative *d;
    ck_assert_int_eq(perp_derivative_create(&d, NULL, NULL, NULL), PERP_SOLVED);
    perp_status status = perp_derivative_factor(d, &p->problem, p->z, NULL);
    ck_assert_msg(status == expected, "%s, not %s", perp_status_name(status),
                  perp_status_name(expected));
    return d;
}

/* The set that is always there, where it is one alone. */
static unsigned sets_of(int i)
{
    return i < PERP_SET_COUNT ? 1u << i : ALL_SETS;
}

START_TEST(smooth_solutions_have_the_derivative_of_differences)
{
    perp_rng rng = {(uint64_t)_i + 11};
    planted p;
    planted_change change;
    double dz[PLANTED_ROWS], dw[PLANTED_ROWS], z[PLANTED_ROWS], w[PLANTED_ROWS];
    for (int k = 0; k < 60; k++) {
        planted_make(&p, sets_of(_i), 1 + perp_rng_below(&rng, 6), 0.0, k % 2, &rng);
        planted_direction(&change, &p, &rng);
        perp_derivative *d = made(&p, PERP_SOLVED);
        perp_tangent along = planted_tangent(&change);
        ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_SOLVED);
        ck_assert(difference(&p, &change, 1e-6L, -1e-6L, dz, z, w));
        double size = 1.0 + norm(z, p.n) + norm(w, p.n);
        double wrong = distance(z, dz, p.n) + distance(w, dw, p.n);
        ck_assert_msg(wrong <= 1e-7 * size, "%d: %g of %g", k, wrong, size);
        perp_derivative_destroy(d);
    }
}
END_TEST

START_TEST(gradients_are_the_transpose_of_directions)
{
    perp_rng rng = {(uint64_t)_i + 77};
    planted p;
    planted_change change, by;
    double dz[PLANTED_ROWS], dw[PLANTED_ROWS], z_bar[PLANTED_ROWS], w_bar[PLANTED_ROWS];
    for (int k = 0; k < 60; k++) {
        planted_make(&p, sets_of(_i), 1 + perp_rng_below(&rng, 6), 0.0, k % 2, &rng);
        planted_direction(&change, &p, &rng);
        perp_derivative *d = made(&p, PERP_SOLVED);
        perp_tangent along = planted_tangent(&change);
        perp_gradient of = {sizeof of, by.q, by.M, {by.par[0], by.par[1], by.par[2]},
                            NULL,      NULL, NULL};
        for (int i = 0; i < p.n; i++) {
            z_bar[i] = perp_rng_signed(&rng);
            w_bar[i] = perp_rng_signed(&rng);
        }
        ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_derivative_vjp(d, 1, z_bar, w_bar, &of), PERP_SOLVED);
        double forward = dot(z_bar, dz, p.n) + dot(w_bar, dw, p.n);
        double adjoint = dot(by.q, change.q, p.n) + dot(by.M, change.M, p.n * p.n);
        for (int j = 0; j < PERP_PARAMETERS; j++)
            adjoint += dot(by.par[j], change.par[j], p.blocks);
        double size = norm(z_bar, p.n) * norm(dz, p.n) + norm(w_bar, p.n) * norm(dw, p.n);
        ck_assert_msg(fabs(forward - adjoint) <= 1e-11 * size, "%d: %g %g", k, forward, adjoint);
        perp_derivative_destroy(d);
    }
}
END_TEST

/* One of the rows at least of a block that was planted on a kink, and none of the others.  Of
 * TRESCA the normal row and the disk are laws apart; a contact that slides and just touches has the
 * kink in its normal row. */
static int flags_are_right(const planted *p, int b, const unsigned char *flags)
{
    const double *z = p->z + p->row[b], *w = p->w + p->row[b];
    int found = 0, contact = p->seg[b].set == PERP_TRESCA || p->seg[b].set == PERP_COULOMB;
    for (int i = 0; i < p->seg[b].dim; i++)
        found |= flags[p->row[b] + i];
    if (found != (p->kink[b] ? PERP_ROW_KINK : 0) || !found || !contact)
        return found == (p->kink[b] ? PERP_ROW_KINK : 0);
    int touches = z[0] == 0.0 && w[0] == 0.0;
    int slides = w[1] != 0.0 || p->seg[b].set == PERP_TRESCA;
    for (int i = 0; i < p->seg[b].dim; i++)
        if (flags[p->row[b] + i] != (i == 0 ? touches : !touches || !slides))
            return 0;
    return 1;
}

START_TEST(kinks_are_recognised_and_their_derivative_is_one_sided)
{
    perp_rng rng = {(uint64_t)_i + 5};
    planted p;
    planted_change change;
    double dz[PLANTED_ROWS], dw[PLANTED_ROWS], z[PLANTED_ROWS], w[PLANTED_ROWS];
    unsigned char flags[PLANTED_ROWS];
    int followed = 0;
    for (int k = 0; k < 80; k++) {
        planted_make(&p, sets_of(_i), 1 + perp_rng_below(&rng, 5), 0.4, k % 2, &rng);
        planted_direction(&change, &p, &rng);
        perp_status expected = p.kinks ? PERP_ONE_SIDED : PERP_SOLVED;
        perp_derivative *d = made(&p, expected);
        perp_tangent along = planted_tangent(&change);
        ck_assert_int_eq(perp_derivative_rows(d, flags), PERP_SOLVED);
        for (int b = 0; b < p.blocks; b++)
            ck_assert(flags_are_right(&p, b, flags));
        ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), expected);
        if (difference(&p, &change, 1e-8L, 0.5e-8L, dz, z, w)) {
            double size = 1.0 + norm(z, p.n) + norm(w, p.n);
            double wrong = distance(z, dz, p.n) + distance(w, dw, p.n);
            ck_assert_msg(wrong <= 1e-5 * size, "%d: %g of %g", k, wrong, size);
            followed++;
        }
        perp_derivative_destroy(d);
    }
    ck_assert_int_ge(followed, 70);
}
END_TEST

/* The same problem in other units: of each block, and of its rows T beside N, which changes mu. */
static void change_units(planted *p, planted_change *change, double *unit, perp_rng *rng)
{
    int n = p->n;
    for (int b = 0; b < p->blocks; b++) {
        perp_set set = p->seg[b].set;
        int whole = perp_rng_below(rng, 31) - 15;
        int turn = set == PERP_COULOMB || set == PERP_SOC ? perp_rng_below(rng, 9) - 4 : 0;
        for (int i = 0; i < p->seg[b].dim; i++)
            unit[p->row[b] + i] = ldexp(1.0, whole + (i ? turn : 0));
        double by =
            set == PERP_BOX || set == PERP_TRESCA ? 1.0 / unit[p->row[b]] : ldexp(1.0, -turn);
        for (int k = 0; k < 2; k++) {
            p->par[k][b] *= by;
            change->par[k][b] *= by;
        }
    }
    for (int i = 0; i < n; i++) {
        p->q[i] *= unit[i];
        change->q[i] *= unit[i];
        p->z[i] /= unit[i];
        for (int j = 0; j < n; j++) {
            p->M[i + j * n] *= unit[i] * unit[j];
            change->M[i + j * n] *= unit[i] * unit[j];
        }
    }
}

START_TEST(units_change_nothing)
{
    static const unsigned sets = ALL_SETS;
    perp_rng rng = {(uint64_t)_i + 41};
    planted p;
    planted_change change;
    double dz[PLANTED_ROWS], dw[PLANTED_ROWS], ez[PLANTED_ROWS], ew[PLANTED_ROWS],
        unit[PLANTED_ROWS];
    for (int k = 0; k < 60; k++) {
        planted_make(&p, sets, 6, _i ? 0.3 : 0.0, k % 2, &rng);
        planted_direction(&change, &p, &rng);
        perp_status expected = p.kinks ? PERP_ONE_SIDED : PERP_SOLVED;
        perp_tangent along = planted_tangent(&change);
        perp_derivative *d = made(&p, expected);
        ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), expected);
        perp_derivative_destroy(d);
        change_units(&p, &change, unit, &rng);
        d = made(&p, expected);
        ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, ez, ew, NULL), expected);
        for (int i = 0; i < p.n; i++) {
            ez[i] *= unit[i];
            ew[i] /= unit[i];
        }
        double size = 1.0 + norm(dz, p.n) + norm(dw, p.n);
        double wrong = distance(dz, ez, p.n) + distance(dw, ew, p.n);
        ck_assert_msg(wrong <= 1e-9 * size, "%d: %g of %g", k, wrong, size);
        perp_derivative_destroy(d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivative");
    TCase *tc = tcase_create("derivative");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, smooth_solutions_have_the_derivative_of_differences, 0,
                        PERP_SET_COUNT + 1);
    tcase_add_loop_test(tc, gradients_are_the_transpose_of_directions, 0, PERP_SET_COUNT + 1);
    tcase_add_loop_test(tc, kinks_are_recognised_and_their_derivative_is_one_sided, 1,
                        PERP_SET_COUNT + 1);
    tcase_add_loop_test(tc, units_change_nothing, 0, 2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
