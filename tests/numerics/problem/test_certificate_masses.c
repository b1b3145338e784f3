/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_certificate_check() where M = H' (mass)^-1 H is kept as its factors: as far as with the
 * product formed, and with what cancels in H y beside what it was summed of. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <perp/numerics.h>

enum { N = 24 };

static perp_certificate_figures figures_of(const perp_problem *p, const double *y)
{
    perp_certificate_figures f = {.size = sizeof f};
    ck_assert_int_eq(perp_certificate_check(p, PERP_CERTIFICATE_INFEASIBLE, y, NULL, &f), 0);
    return f;
}

/* Two contacts of dofs freedoms that nearly oppose each other; mass: a full block, or a chain. */
static perp_certificate_figures of_bodies(int dofs, int chain, double skew, double away,
                                          int delassus)
{
    double H[2 * N], mass[N * N], M[4] = {0.0};
    const double q[2] = {-1.0, -1.0}, y[2] = {1.0, 1.0};
    int colptr[3] = {0, dofs, 2 * dofs}, row[2 * N], mptr[N + 1], mrow[N * N], count = 0;
    perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_mass *held = NULL;
    perp_mat mat;
    for (int i = 0; i < dofs; i++) {
        row[i] = row[dofs + i] = i;
        H[i] = 1.0 + 0.5 * i;
        H[dofs + i] = -H[i] + (i == 1 ? away : 0.0);
        mptr[i] = count;
        for (int j = 0; j < dofs; j++)
            if (!chain || abs(i - j) < 2) {
                mrow[count] = j;
                mass[count++] = i == j ? 4.0 + i : j > i ? 1.0 + skew : 1.0;
            }
    }
    mptr[dofs] = count;
    ck_assert_int_eq(perp_mat_init_csc(&mat, dofs, dofs, mptr, mrow, mass), 0);
    ck_assert_int_eq(perp_mass_create(&held, &mat, NULL, NULL), 0);
    ck_assert_int_eq(perp_mat_init_delassus(&p.M, dofs, 2, colptr, row, H, held), 0);
    if (!delassus) { /* by products with the columns of the identity */
        double scratch[8 * N];
        ck_assert_int_le((int)perp_mat_scratch(&p.M), 8 * N);
        for (int j = 0; j < 2; j++) {
            const double e[2] = {j == 0, j == 1};
            ck_assert_int_eq(perp_mat_apply(&p.M, e, scratch, M + 2 * j), 0);
        }
        ck_assert_int_eq(perp_mat_init_dense(&p.M, 2, 2, M, 2), 0);
    }
    perp_certificate_figures f = figures_of(&p, y);
    perp_mass_destroy(held);
    return f;
}

START_TEST(masses_that_are_full)
{
    for (int k = 0; k < 2; k++) {
        double away = k == 0 ? 0.125 : -0.125;
        perp_certificate_figures dense = of_bodies(3, 0, 0.0, away, 0);
        perp_certificate_figures own = of_bodies(3, 0, 0.0, away, 1);
        ck_assert_double_gt(own.reach, 1.0);
        ck_assert_double_eq_tol(own.reach / dense.reach, 1.0, 1e-12);
    }
    ck_assert_int_eq(of_bodies(3, 0, 0.0, 0.0, 1).holds, 1);
}
END_TEST

/* Of components of more than 12 the mass holds factors, L D L' or L U. */
START_TEST(masses_that_are_sparse)
{
    for (int k = 0; k < 4; k++) {
        double away = k % 2 == 0 ? 0.125 : -0.125, skew = k < 2 ? 0.0 : 0.75;
        perp_certificate_figures dense = of_bodies(14, 1, skew, away, 0);
        perp_certificate_figures own = of_bodies(14, 1, skew, away, 1);
        ck_assert_double_gt(own.reach, 1.0);
        ck_assert_msg(fabs(own.reach / dense.reach - 1.0) <= 1e-12, "%d: %g %g", k, own.reach,
                      dense.reach);
        ck_assert_int_eq(of_bodies(14, 1, skew, 0.0, 1).holds, 1);
    }
}
END_TEST

/* Three walls on a point of which the normals cancel but for rounding: what is left of H y is small
 * beside what it was summed of, for a mass of one unknown each and for a chain of 14. */
START_TEST(walls_that_cancel_but_for_rounding)
{
    for (int k = 0; k < 40; k++) {
        int dofs = k % 2 == 0 ? 2 : 14, colptr[7], row[12], mptr[15], mrow[42], count = 0;
        double a = 0.1 + 0.07 * k, b = a + 2.0, mass[42], H[12], q[6] = {-1, 0, -1, 0, -1, 0};
        double n[3][2] = {{cos(a), sin(a)}, {cos(b), sin(b)}}, mu = 0.5;
        n[2][0] = -n[0][0] - n[1][0];
        n[2][1] = -n[0][1] - n[1][1];
        double length = hypot(n[2][0], n[2][1]), y[6] = {1, 0, 1, 0, length, 0};
        n[2][0] /= length;
        n[2][1] /= length;
        for (int j = 0; j < 6; j++) {
            const double *m = n[j / 2];
            colptr[j] = 2 * j;
            row[2 * j] = 0;
            row[2 * j + 1] = 1;
            H[2 * j] = j % 2 == 0 ? m[0] : -m[1];
            H[2 * j + 1] = j % 2 == 0 ? m[1] : m[0];
        }
        colptr[6] = 12;
        for (int i = 0; i < dofs; i++) {
            mptr[i] = count;
            for (int j = 0; j < dofs; j++)
                if (i == j || (dofs > 2 && abs(i - j) == 1)) {
                    mrow[count] = j;
                    mass[count++] = i == j ? 3.0 : 1.0;
                }
        }
        mptr[dofs] = count;
        perp_segment seg = {PERP_COULOMB, 2, 3, {&mu, NULL}, {0, 0}};
        perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
        perp_mass *held = NULL;
        perp_mat mat;
        ck_assert_int_eq(perp_mat_init_csc(&mat, dofs, dofs, mptr, mrow, mass), 0);
        ck_assert_int_eq(perp_mass_create(&held, &mat, NULL, NULL), 0);
        ck_assert_int_eq(perp_mat_init_delassus(&p.M, dofs, 6, colptr, row, H, held), 0);
        perp_certificate_figures f = figures_of(&p, y);
        perp_mass_destroy(held);
        ck_assert_msg(f.reach > 1e14, "%d: reach %g", k, f.reach);
        ck_assert_msg(f.column <= 1e-15, "%d: column %g", k, f.column);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certificate-masses");
    TCase *tcase = tcase_create("certificate-masses");
    tcase_add_test(tcase, masses_that_are_full);
    tcase_add_test(tcase, masses_that_are_sparse);
    tcase_add_test(tcase, walls_that_cancel_but_for_rounding);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
