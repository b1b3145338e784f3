/* SPDX-License-Identifier: BSD-3-Clause */
/* What is no proof: a y of nothing, columns beyond the range of doubles; and masses whose factors
 * hold zeros, in which a proof is one to the last bit. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <perp/numerics.h>

#include "problem/proof.h"

static perp_certificate_figures figures_of(const perp_problem *p, const double *y)
{
    perp_certificate_figures f = {.size = sizeof f};
    ck_assert_int_eq(perp_certificate_check(p, PERP_CERTIFICATE_INFEASIBLE, y, NULL, &f), 0);
    return f;
}

/* A ray of blocks of several rows is none; a y of nothing but 0 proves nothing, asked by a solver
 * or by a caller. */
START_TEST(what_is_no_proof)
{
    double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, y[3] = {0}, mu = 0.5;
    perp_segment seg = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_certificate_figures f = {.size = sizeof f, .holds = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 3, 3, M, 3), 0);
    ck_assert_int_eq(
        perp_certificate_check(&p, PERP_CERTIFICATE_RAY, (double[]){1, 0, 0}, NULL, &f),
        PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(f.holds, 0);
    f = figures_of(&p, y);
    ck_assert_int_eq(f.holds, 0);
    perp_arena arena;
    perp_blocks blocks;
    double size[3], right[3], c[3], work[64];
    perp_proof_vectors at = {c, size, right, work};
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&blocks, &p, &arena), 0);
    ck_assert_uint_le(perp_proof_work(&p.M), 64);
    f = (perp_certificate_figures){.size = sizeof f, .holds = 1, .reach = 7.0};
    perp_proof_check(&f, &p, &blocks, y, &at);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq(f.reach, 0.0);
    perp_arena_free(&arena);
}
END_TEST

/* Columns whose sum leaves the range of doubles: no claim, and no reach. */
START_TEST(columns_beyond_the_range)
{
    static const double huge = 1.7e308;
    for (int k = 0; k < 4; k++) {
        double M[36] = {0.0}, q[6] = {-1, 0, 0, -1, 0, 0}, y[6] = {1, 0, 0, 1, 0, 0}, mu = 0.5;
        perp_segment seg = {PERP_COULOMB, 3, 2, {&mu, NULL}, {0, 0}};
        perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
        /* c = (-1, x1, x2 ..): infinite in the first tangent, the second, or in the normal. */
        M[0] = M[3 + 18] = -1.0;
        M[k == 2 ? 0 : 6 * (k + 1)] = huge;
        M[k == 2 ? 3 : 6 * (k + 1) + 3] = huge;
        M[6 * (2 - k % 2)] = k < 2 ? 0.5 : 0.0;
        if (k == 3) { /* the largest double, and what rounding may add to it */
            memset(M + 6, 0, 30 * sizeof *M);
            M[0] = M[3 + 18] = -1.0;
            M[3] = 0.0;
            M[6] = 0.5;
            M[12] = 1.7976931348623157e308;
            M[15] = 1e-10;
        }
        ck_assert_int_eq(perp_mat_init_dense(&p.M, 6, 6, M, 6), 0);
        perp_certificate_figures f = figures_of(&p, y);
        ck_assert_int_eq(f.holds, 0);
        ck_assert_double_eq(f.reach, 0.0);
    }
}
END_TEST

/* Seven hubs in a chain, and over each of its links a body that is tied to both ends: what it
 * leaves of the link is 0 to the last bit.  Two walls, opposite or but for little. */
START_TEST(links_that_cancel)
{
    enum { HUBS = 7, DOFS = 2 * HUBS - 1 };
    double A[DOFS * DOFS] = {0.0}, x[DOFS * DOFS], H[2 * DOFS];
    int ptr[DOFS + 1], row[DOFS * DOFS], count = 0, colptr[3] = {0, DOFS, 2 * DOFS}, at[2 * DOFS];
    for (int i = 0; i < DOFS; i++)
        A[i * (DOFS + 1)] = i < HUBS ? 10.0 : 1.0;
    for (int i = 0; i + 1 < HUBS; i++) {
        const int three[3] = {i, i + 1, HUBS + i};
        for (int k = 0; k < 3; k++) {
            int a = three[k], b = three[(k + 1) % 3];
            A[a + b * DOFS] = A[b + a * DOFS] = 1.0;
        }
    }
    for (int j = 0; j < DOFS; j++) {
        ptr[j] = count;
        for (int i = 0; i < DOFS; i++)
            if (A[i + j * DOFS] != 0.0) {
                row[count] = i;
                x[count++] = A[i + j * DOFS];
            }
        at[j] = at[DOFS + j] = j;
    }
    ptr[DOFS] = count;
    for (int apart = 0; apart < 2; apart++) {
        double q[2] = {-1.0, -1.0}, y[2] = {1.0, 1.0};
        perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
        perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
        perp_mat mat;
        perp_mass *mass;
        for (int j = 0; j < DOFS; j++) {
            H[j] = j + 1.0;
            H[DOFS + j] = -H[j] + (apart ? 0x1p-20 : 0.0);
        }
        ck_assert_int_eq(perp_mat_init_csc(&mat, DOFS, DOFS, ptr, row, x), 0);
        ck_assert_int_eq(perp_mass_create(&mass, &mat, NULL, NULL), 0);
        ck_assert_int_eq(perp_mat_init_delassus(&p.M, DOFS, 2, colptr, at, H, mass), 0);
        perp_certificate_figures f = figures_of(&p, y);
        ck_assert_int_eq(f.holds, !apart);
        if (apart) {
            /* c = H' A^-1 (1, 1 ..) 2^-20: the hubs have (A^-1 1)_h = (1 - ears) / (10 - ears). */
            double u[DOFS], c = 0.0;
            for (int h = 0; h < HUBS; h++) {
                int ears = h == 0 || h == HUBS - 1 ? 1 : 2;
                u[h] = (1.0 - ears) / (10.0 - ears);
            }
            for (int e = 0; e + 1 < HUBS; e++)
                u[HUBS + e] = 1.0 - u[e] - u[e + 1];
            for (int j = 0; j < DOFS; j++)
                c += H[j] * u[j] * 0x1p-20;
            double second = 0.0;
            for (int j = 0; j < DOFS; j++)
                second += H[DOFS + j] * u[j] * 0x1p-20;
            ck_assert_double_eq_tol(f.reach * (fmax(c, 0.0) + fmax(second, 0.0)), 2.0, 1e-9);
        }
        perp_mass_destroy(mass);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("no-proof");
    TCase *tcase = tcase_create("no-proof");
    tcase_add_test(tcase, what_is_no_proof);
    tcase_add_test(tcase, columns_beyond_the_range);
    tcase_add_test(tcase, links_that_cancel);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
