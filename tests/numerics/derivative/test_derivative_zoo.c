/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of the problems of the zoo in every storage: the same as of the dense matrix, the
 * adjoint is the transpose, each block of memory may fail, and arguments that are refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/rng.h"
#include "tests/fixtures/contract.h"

#include <perp/derivative.h>

enum { MAX_N = 64 };

static const storage kinds[] = {STORED_DENSE, STORED_DENSE_LD, STORED_CSC, STORED_BSR,
                                STORED_DELASSUS};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static perp_derivative *factored(const perp_problem *problem, const double *z,
                                 const perp_derivative_settings *settings,
                                 const perp_allocator *allocator, perp_status *status)
{
    perp_derivative *d = NULL;
    *status = perp_derivative_create(&d, settings, allocator, NULL);
    if (*status == PERP_SOLVED)
        *status = perp_derivative_factor(d, problem, z, NULL);
    return d;
}

/* z . dz of the forward product is q . dq of the adjoint one. */
static void check_adjoint(perp_derivative *d, int n, const char *name, double *dz)
{
    double dq[MAX_N], dw[MAX_N], z_bar[MAX_N], w_bar[MAX_N], q_bar[MAX_N];
    perp_rng rng = {7};
    for (int i = 0; i < n; i++) {
        dq[i] = perp_rng_signed(&rng);
        z_bar[i] = perp_rng_signed(&rng);
        w_bar[i] = perp_rng_signed(&rng);
    }
    perp_tangent along = {.size = sizeof along, .q = dq};
    perp_gradient of = {.size = sizeof of, .q = q_bar};
    ck_assert_int_ge(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), 0);
    ck_assert_int_ge(perp_derivative_vjp(d, 1, z_bar, w_bar, &of), 0);
    double forward = 0.0, adjoint = 0.0, scale = 1.0;
    for (int i = 0; i < n; i++) {
        forward += z_bar[i] * dz[i] + w_bar[i] * dw[i];
        adjoint += q_bar[i] * dq[i];
        scale += fabs(z_bar[i] * dz[i]) + fabs(w_bar[i] * dw[i]);
    }
    ck_assert_msg(fabs(forward - adjoint) <= 1e-8 * scale, "%s: %g, %g", name, forward, adjoint);
}

static void fail_each(const perp_problem *problem, const double *z,
                      const perp_derivative_settings *settings, perp_status wanted,
                      const char *name)
{
    for (long k = 1, left = 1; left; k++) {
        counter memory = {.fail_at = k, .once = 1};
        perp_allocator allocator = block_allocator(&memory);
        perp_status status;
        perp_derivative *d = factored(problem, z, settings, &allocator, &status);
        left = memory.allocations >= k;
        ck_assert_msg(status == (left ? PERP_ERR_MEMORY : wanted), "%s, block %ld: %s", name, k,
                      perp_status_name(status));
        memory.fail_at = 0;
        if (d)
            ck_assert_msg(perp_derivative_factor(d, problem, z, NULL) == wanted, "%s, %ld", name,
                          k);
        perp_derivative_destroy(d);
        ck_assert_int_eq((int)memory.live, 0);
    }
}

static int look_at(const stored_problem *p, storage kind, const perp_problem *problem,
                   const double *z, double *dense, int way)
{
    char name[128];
    double dz[MAX_N];
    perp_status status;
    perp_derivative_settings settings;
    perp_derivative_settings_init(&settings, sizeof settings);
    settings.dense = way == 1 ? 0 : settings.dense;
    settings.velocities = way == 2 ? p->dofs : 0;
    snprintf(name, sizeof name, "%s, %s, way %d", p->name, storage_names[kind], way);
    perp_derivative *d = factored(problem, z, &settings, NULL, &status);
    ck_assert_msg(status >= 0 || status == PERP_ERR_SINGULAR, "%s: %s", name,
                  perp_status_name(status));
    if (status == PERP_SOLVED) {
        check_adjoint(d, p->n, name, dz);
        if (kind == STORED_DENSE && way == 0)
            memcpy(dense, dz, sizeof dz);
        for (int i = 0; i < p->n && !isnan(dense[0]); i++)
            ck_assert_msg(fabs(dz[i] - dense[i]) <= 1e-5 * (1.0 + fabs(dense[i])), "%s: %d, %g, %g",
                          name, i, dz[i], dense[i]);
    }
    perp_derivative_destroy(d);
    fail_each(problem, z, &settings, status, name);
    return status == PERP_SOLVED;
}

START_TEST(every_storage)
{
    int solved = 0;
    for (int k = _i; zoo_at(k); k += 4) {
        stored_problem p;
        double z[MAX_N], w[MAX_N], dense[MAX_N] = {(double)NAN};
        perp_settings s;
        if (zoo_at(k)->level == ZOO_UNSOLVABLE)
            continue;
        settings_default(&s);
        s.tol = 1e-12;
        zoo_build(&p, zoo_at(k));
        for (int i = 0; i < KINDS; i++) {
            stored_view view;
            if (!stored_view_make(&view, &p, kinds[i]))
                continue;
            if (i == 0 && perp_solve(NULL, &view.problem, &s, z, w, NULL) != PERP_SOLVED) {
                stored_view_free(&view);
                break;
            }
            for (int way = 0; way < 3; way++)
                solved += look_at(&p, kinds[i], &view.problem, z, dense, way);
            stored_view_free(&view);
        }
        stored_free(&p);
    }
    ck_assert_int_gt(solved, 20);
}
END_TEST

START_TEST(refused_arguments)
{
    stored_problem p;
    stored_view view;
    double z[MAX_N], w[MAX_N], x[MAX_N] = {0}, bad[MAX_N] = {(double)NAN};
    perp_derivative *d = NULL;
    perp_derivative_settings settings;
    perp_where where = {NULL, -1, -1};
    perp_status status;
    zoo_build(&p, zoo_at(1));
    ck_assert(stored_view_make(&view, &p, STORED_DENSE));
    ck_assert_int_eq(perp_solve(NULL, &view.problem, NULL, z, w, NULL), PERP_SOLVED);
    perp_derivative_settings_init(&settings, sizeof settings);
    settings.dense = -1;
    ck_assert_int_eq(perp_derivative_create(&d, &settings, NULL, &where), PERP_ERR_SETTING);
    ck_assert_str_eq(where.what, "dense");
    perp_derivative_settings_init(&settings, sizeof settings);
    settings.kink = (double)NAN;
    ck_assert_int_eq(perp_derivative_create(&d, &settings, NULL, &where), PERP_ERR_SETTING);
    ck_assert_str_eq(where.what, "kink");
    settings.size = 0;
    ck_assert_int_eq(perp_derivative_create(&d, &settings, NULL, &where), PERP_ERR_SETTING);
    ck_assert_str_eq(where.what, "size");
    ck_assert_int_eq(perp_derivative_create(NULL, NULL, NULL, &where), PERP_ERR_ARGUMENT);
    d = factored(&view.problem, z, NULL, NULL, &status);
    ck_assert_int_ge(status, 0);
    perp_tangent along = {.size = sizeof along, .q = bad};
    perp_gradient of = {.size = sizeof of, .q = x};
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, x, NULL, NULL), PERP_ERR_NONFINITE);
    ck_assert_int_eq(perp_derivative_jvp(d, -1, &along, x, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_jvp(NULL, 1, &along, x, NULL, NULL), PERP_ERR_ARGUMENT);
    along.q = x;
    along.diagonal = x; /* of a matrix that is no product */
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, x, NULL, NULL), PERP_ERR_ARGUMENT);
    along.size = 0;
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, x, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_vjp(d, 1, bad, NULL, &of), PERP_ERR_NONFINITE);
    ck_assert_int_eq(perp_derivative_vjp(d, -1, x, NULL, &of), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_vjp(NULL, 1, x, NULL, &of), PERP_ERR_ARGUMENT);
    of.diagonal = x;
    ck_assert_int_eq(perp_derivative_vjp(d, 1, x, NULL, &of), PERP_ERR_ARGUMENT);
    of.size = 0;
    ck_assert_int_eq(perp_derivative_vjp(d, 1, x, NULL, &of), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_factor(d, &view.problem, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_factor(NULL, &view.problem, z, &where), PERP_ERR_ARGUMENT);
    perp_derivative_destroy(d);
    perp_derivative_destroy(NULL);
    stored_view_free(&view);
    stored_free(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivatives of the zoo");
    TCase *test = tcase_create("zoo");
    tcase_set_timeout(test, 120);
    tcase_add_loop_test(test, every_storage, 0, 4);
    tcase_add_test(test, refused_arguments);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
