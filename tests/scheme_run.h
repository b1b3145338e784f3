/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of schemes share: a model with its simulation, in few words. */
#ifndef PERP_TESTS_SCHEME_RUN_H
#define PERP_TESTS_SCHEME_RUN_H

#include <check.h>
#include <math.h>
#include <perp/kernel.h>
#include <string.h>

typedef struct scheme_run {
    perp_model *model;
    perp_sim *sim;
    perp_scheme scheme;
    perp_form form; /* of the one-step problem */
} scheme_run;

static inline void run_open(scheme_run *run, const char *scheme)
{
    memset(run, 0, sizeof *run);
    ck_assert_int_eq(perp_model_create(&run->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&run->scheme, scheme, sizeof run->scheme), PERP_SOLVED);
}

/* The solver's tolerance is set below what the tests ask for. */
static inline void run_start(scheme_run *run, double h)
{
    perp_sim_options options;
    perp_where where = {NULL, -1, -1};
    perp_sim_options_init(&options, sizeof options);
    options.h = h;
    options.form = run->form;
    options.newton_tol = 1e-13;
    options.settings.tol = 1e-13;
    ck_assert_int_eq(perp_sim_create(&run->sim, run->model, &options, NULL, &where), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(run->sim, (perp_system_id){0, 0}, &run->scheme),
                     PERP_SOLVED);
}

static inline void run_close(scheme_run *run)
{
    perp_sim_destroy(run->sim);
    perp_model_destroy(run->model);
}

static inline void run_step(scheme_run *run)
{
    perp_status status = perp_sim_step(run->sim);
    const perp_step_info *info = perp_sim_info(run->sim);
    ck_assert_msg(status == PERP_SOLVED, "step %ld: status %d, %s: %s", info->step, (int)status,
                  info->where.what ? info->where.what : "-", info->detail);
}

static inline perp_interaction_id run_link(scheme_run *run, const perp_system_id *systems,
                                           int nsystems, const perp_relation *relation,
                                           perp_law law)
{
    perp_interaction_def def;
    perp_interaction_id id = {0, 0};
    perp_where where = {NULL, -1, -1};
    perp_interaction_def_init(&def);
    def.systems = systems;
    def.nsystems = nsystems;
    def.relation = *relation;
    def.law = law;
    perp_status status = perp_model_add_interaction(run->model, &def, &id, &where);
    ck_assert_msg(status == PERP_SOLVED, "%s: %d", where.what ? where.what : "-", (int)status);
    return id;
}

static inline double *run_x(scheme_run *run, perp_system_id id)
{
    double *x = NULL;
    ck_assert_int_eq(perp_model_state(run->model, id, &x, NULL, NULL, NULL), PERP_SOLVED);
    return x;
}

static inline double *run_v(scheme_run *run, perp_system_id id)
{
    double *v = NULL;
    ck_assert_int_eq(perp_model_state(run->model, id, NULL, &v, NULL, NULL), PERP_SOLVED);
    return v;
}

static inline const double *run_lambda(scheme_run *run, perp_interaction_id id)
{
    const double *lambda = NULL;
    perp_model_output(run->model, id, NULL, NULL, &lambda, NULL, NULL);
    return lambda;
}

static inline const double *run_input(scheme_run *run, perp_system_id id)
{
    const double *p = NULL;
    ck_assert_int_eq(perp_model_input(run->model, id, &p), PERP_SOLVED);
    return p;
}

static inline const double *run_y(scheme_run *run, perp_interaction_id id)
{
    const double *y = NULL;
    perp_model_output(run->model, id, &y, NULL, NULL, NULL, NULL);
    return y;
}

/* Root of `count` equations by Newton with central differences and elimination: slow, and
 * independent of the library. */
typedef void (*root_fn)(double *out, const double *x, void *ctx);
enum { ROOT_MOST = 4 };

static inline void root_eliminate(double A[ROOT_MOST][ROOT_MOST + 1], int n)
{
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            best = fabs(A[r][c]) > fabs(A[best][c]) ? r : best;
        for (int k = 0; k <= n; k++) {
            double swap = A[c][k];
            A[c][k] = A[best][k];
            A[best][k] = swap;
        }
        for (int r = 0; r < n; r++) {
            double factor = r == c ? 0.0 : A[r][c] / A[c][c];
            for (int k = c; k <= n; k++)
                A[r][k] -= factor * A[c][k];
        }
    }
}

static inline void root_find(double *x, int n, root_fn fn, void *ctx)
{
    double A[ROOT_MOST][ROOT_MOST + 1], f[ROOT_MOST], up[ROOT_MOST], down[ROOT_MOST];
    for (int pass = 0; pass < 60; pass++) {
        fn(f, x, ctx);
        for (int j = 0; j < n; j++) {
            double keep = x[j], step = 1e-5;
            x[j] = keep + step;
            fn(up, x, ctx);
            x[j] = keep - step;
            fn(down, x, ctx);
            x[j] = keep;
            for (int i = 0; i < n; i++)
                A[i][j] = (up[i] - down[i]) / (2.0 * step);
        }
        for (int i = 0; i < n; i++)
            A[i][n] = -f[i];
        root_eliminate(A, n);
        for (int i = 0; i < n; i++)
            x[i] += A[i][n] / A[i][i];
    }
}

#endif
