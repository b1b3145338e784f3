/* SPDX-License-Identifier: BSD-3-Clause */
/* W = H' M^-1 H + diag(c): products, blocks and every solver that takes it, against the dense sum
 * that the test makes in long double. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "linalg/csc.h"
#include "linalg/mat.h"
#include "tests/fixtures/judge.h"

enum { BODIES = 5, DOFS = 6 * BODIES, CONTACTS = 16, N = 3 * CONTACTS };

typedef struct rig {
    stored_problem p;
    stored_view view;
    double c[N];
} rig;

/* Contacts between two bodies or a body and the world.  even: one c for a whole contact, else of
 * the normal rows alone. */
static void make(rig *r, perp_rng *rng, double size, int even)
{
    stored_init(&r->p, "compliant");
    stored_segment(&r->p, PERP_COULOMB, 3, CONTACTS, 0.4, 0.0);
    stored_allocate(&r->p);
    stored_factors(&r->p, DOFS);
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                r->p.mass[(6 * b + i) + (6 * b + j) * DOFS] = i == j ? 1.0 + i : 0.1;
    for (int k = 0; k < CONTACTS; k++) {
        int on = k % BODIES, other = k < BODIES ? -1 : (on + 1 + k / BODIES) % BODIES;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 6; j++) {
                r->p.H[6 * on + j + (3 * k + i) * DOFS] = perp_rng_signed(rng);
                if (other >= 0)
                    r->p.H[6 * other + j + (3 * k + i) * DOFS] = perp_rng_signed(rng);
            }
    }
    stored_multiply(&r->p);
    for (int i = 0; i < N; i++) {
        r->c[i] = even || i % 3 == 0 ? size * (1.0 + i / 3 % 4) : 0.0;
        r->p.M[i + i * N] += r->c[i];
    }
    stored_plant(&r->p, rng);
    ck_assert(stored_view_make(&r->view, &r->p, STORED_DELASSUS));
    ck_assert_int_eq(perp_mat_set_compliance(&r->view.problem.M, r->c), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_check(&r->view.problem, NULL, NULL), PERP_SOLVED);
}

static void done(rig *r)
{
    stored_view_free(&r->view);
    stored_free(&r->p);
}

START_TEST(products)
{
    perp_rng rng = {3};
    rig r;
    double x[N], y[N], t[N], scratch[2 * DOFS], out[9 * CONTACTS];
    int offset[CONTACTS + 1];
    size_t start[CONTACTS];
    make(&r, &rng, 0.1, _i);
    const perp_mat *W = &r.view.problem.M;
    ck_assert_uint_le(perp_mat_scratch(W), 2 * DOFS);
    for (int i = 0; i < N; i++)
        x[i] = perp_rng_signed(&rng);
    ck_assert_int_eq(perp_mat_apply(W, x, scratch, y), PERP_SOLVED);
    uint32_t touched[N];
    perp_mat_find_touched(touched, W);
    for (int threads = 1; threads <= 40; threads++)
        for (int k = 0; k < 2; k++) {
            memset(t, 0xff, sizeof t);
            ck_assert_int_eq(perp_mat_apply_on(threads, k ? touched : NULL, t, W, x, scratch),
                             PERP_SOLVED);
            ck_assert_mem_eq(t, y, sizeof y);
        }
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int j = 0; j < N; j++)
            sum += r.p.M[i + j * N] * x[j];
        ck_assert_double_eq_tol(y[i], sum, 1e-11);
    }
    for (int k = 0; k <= CONTACTS; k++)
        offset[k] = 3 * k;
    for (int k = 0; k < CONTACTS; k++)
        start[k] = (size_t)(9 * k);
    ck_assert_int_eq(perp_mat_diagonal_blocks(out, W, offset, start, CONTACTS, NULL), PERP_SOLVED);
    for (int k = 0; k < CONTACTS; k++)
        for (int j = 0; j < 9; j++)
            ck_assert_double_eq_tol(out[9 * k + j],
                                    r.p.M[3 * k + j % 3 + (3 * k + j / 3) * N], 1e-12);
    perp_arena arena;
    perp_csc C;
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_csc_from_mat(&C, W, &arena), PERP_SOLVED);
    for (int j = 0; j < N; j++)
        for (int p = C.colptr[j]; p < C.colptr[j + 1]; p++)
            ck_assert_double_eq_tol(C.x[p], r.p.M[C.row[p] + j * N], 1e-12);
    perp_arena_free(&arena);
    done(&r);
}
END_TEST

START_TEST(refused)
{
    perp_rng rng = {4};
    rig r;
    perp_where where = {NULL, -1, -1};
    make(&r, &rng, 0.1, 1);
    r.c[7] = -1e-9;
    ck_assert_int_eq(perp_problem_check(&r.view.problem, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(where.index, 7);
    r.c[7] = NAN;
    ck_assert_int_eq(perp_problem_check(&r.view.problem, NULL, &where), PERP_ERR_NONFINITE);
    perp_mat dense;
    ck_assert_int_eq(perp_mat_init_dense(&dense, N, N, r.p.M, N), PERP_SOLVED);
    ck_assert_int_eq(perp_mat_set_compliance(&dense, r.c), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_set_compliance(NULL, r.c), PERP_ERR_ARGUMENT);
    done(&r);
}
END_TEST

static perp_status solve_twice(rig *r, const perp_solver_type *type, double *z)
{
    perp_solver *solver;
    perp_settings settings;
    double w[N];
    perp_settings_init(&settings, sizeof settings);
    ck_assert_int_eq(perp_solver_create(&solver, type, &settings, NULL, NULL), PERP_SOLVED);
    perp_status status = perp_solver_setup(solver, &r->view.problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, NULL);
    if (status == PERP_SOLVED) {
        /* The same problem through new numbers: c is read again. */
        status = perp_solver_update(solver, &r->view.problem);
        ck_assert_int_eq(status, PERP_SOLVED);
        memset(z, 0, N * sizeof *z);
        status = perp_solver_solve(solver, z, w, NULL);
    }
    perp_solver_destroy(solver);
    return status;
}

static int must_solve(const char *name)
{
    static const char *const names[] = {"auto", "gs", "nsn", "snp", "ipm", "path", "admm", "nncg"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(name, names[k]) == 0)
            return 1;
    return 0;
}

/* _i: 0 normal rows alone, 1 whole contacts. */
START_TEST(solvers)
{
    for (int trial = 0; trial < 6; trial++) {
        perp_rng rng = {(uint64_t)(100 + trial)};
        rig r;
        int solved = 0;
        make(&r, &rng, pow(10.0, -1 - trial % 3), _i);
        for (int k = 0; perp_solver_at(k); k++) {
            const perp_solver_type *type = perp_solver_at(k);
            double z[N] = {0.0}, w[N];
            if (!perp_solver_fits(type, &r.view.problem))
                continue;
            perp_status status = solve_twice(&r, type, z);
            if (must_solve(perp_solver_name(type)))
                ck_assert_msg(status == PERP_SOLVED, "%s: %s", perp_solver_name(type),
                              perp_status_name(status));
            if (status != PERP_SOLVED)
                continue;
            solved++;
            perp_residuals found = judge(&r.p, z, w);
            ck_assert_msg(found.natural <= 2e-8 && found.scaled <= 2e-8, "%s: %g %g",
                          perp_solver_name(type), found.natural, found.scaled);
        }
        ck_assert_int_ge(solved, 8);
        done(&r);
    }
}
END_TEST

/* Sweeps that read H in other ways. */
START_TEST(storages)
{
    static const char *const kinds[] = {"auto", "in-place", "packed"};
    perp_rng rng = {77};
    rig r;
    make(&r, &rng, 0.05, _i);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        perp_solver *solver;
        perp_settings settings;
        double z[N] = {0.0}, w[N];
        perp_settings_init(&settings, sizeof settings);
        ck_assert_int_eq(perp_settings_set(&settings, "storage", kinds[k]), PERP_SOLVED);
        ck_assert_int_eq(
            perp_solver_create(&solver, perp_solver_find("gs"), &settings, NULL, NULL), 0);
        ck_assert_int_eq(perp_solver_setup(solver, &r.view.problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
        perp_residuals found = judge(&r.p, z, w);
        ck_assert_msg(found.natural <= 2e-8, "%s: %g", kinds[k], found.natural);
        perp_solver_destroy(solver);
    }
    done(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compliant delassus");
    TCase *cases = tcase_create("core");
    tcase_set_timeout(cases, 120.0);
    tcase_add_loop_test(cases, products, 0, 2);
    tcase_add_test(cases, refused);
    tcase_add_loop_test(cases, solvers, 0, 2);
    tcase_add_loop_test(cases, storages, 0, 2);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
