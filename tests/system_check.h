/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of the kernel in a test: made in a model, and their W against central differences. */
#ifndef PERP_TESTS_SYSTEM_CHECK_H
#define PERP_TESTS_SYSTEM_CHECK_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/rotation.h>

#include "dense_reference.h"
#include "kernel/model/model_inside.h"
#include "model_zoo.h"

static const double z_one[1] = {0.7};

typedef struct csc {
    int *ptr, *row;
    double *x;
} csc;

/* The non-zeros of a dense matrix, rows in falling order. */
static inline perp_mat as_csc(csc *store, const double *D, int rows, int cols)
{
    store->ptr = calloc((size_t)cols + 1, sizeof(int));
    store->row = calloc((size_t)rows * (size_t)cols, sizeof(int));
    store->x = calloc((size_t)rows * (size_t)cols, sizeof(double));
    int at = 0;
    for (int j = 0; j < cols; j++) {
        for (int i = rows - 1; i >= 0; i--)
            if (D[i + j * rows] != 0.0) {
                store->row[at] = i;
                store->x[at++] = D[i + j * rows];
            }
        store->ptr[j + 1] = at;
    }
    perp_mat A;
    ck_assert_int_eq(perp_mat_init_csc(&A, rows, cols, store->ptr, store->row, store->x), 0);
    return A;
}

static inline void free_csc(csc *store)
{
    free(store->ptr);
    free(store->row);
    free(store->x);
}

static inline perp_mat dense(const double *x, int rows, int cols)
{
    perp_mat A;
    ck_assert_int_eq(perp_mat_init_dense(&A, rows, cols, x, rows), 0);
    return A;
}

/* Random, with a strong diagonal; band < n: zero further than that from the diagonal. */
static inline double *matrix(perp_rng *rng, int n, int band, double diagonal)
{
    double *A = ref_random(rng, n, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + j * n] = abs(i - j) <= band ? A[i + j * n] + (i == j) * diagonal : 0.0;
    return A;
}

/* W of a system as a dense matrix. */
static inline double *dense_W(const perp_iteration *W)
{
    int entries = perp_iteration_entries(W), n = W->n, shift = 2;
    int *colptr = calloc((size_t)(n + shift) + 1, sizeof(int));
    int *row = calloc((size_t)entries + 1, sizeof(int));
    double *x = calloc((size_t)entries + 1, sizeof(double)), *D = ref_zero(n, n);
    perp_iteration_append(W, shift, colptr, row, x);
    ck_assert_int_eq(colptr[n + shift], entries);
    for (int j = 0; j < n; j++)
        for (int k = colptr[j + shift]; k < colptr[j + shift + 1]; k++)
            D[row[k] - shift + j * n] += x[k];
    free(colptr);
    free(row);
    free(x);
    return D;
}

typedef struct at {
    double t, a, b, c;
    double *q, *v, *q_mass, *step;
} at;

/* Column j of W by central differences of mass_apply, force and move alone. */
static inline void column_by_differences(double *column, perp_system *s, const at *x, int j)
{
    int n = s->nv, body = s->kind == PERP_SYSTEM_BODY;
    double *unit = ref_zero(n, 1), *up = ref_zero(n, 1), *down = ref_zero(n, 1);
    double *q = ref_zero(s->nq + 1, 1), *v = ref_zero(n, 1), eps = 1e-5;
    unit[j] = 1.0;
    ck_assert_int_eq(perp_system_mass_apply(column, s, x->q_mass, unit), 0);
    if (s->v[PERP_NOW]) {
        memcpy(v, x->v, (size_t)n * sizeof(double));
        v[j] = x->v[j] + eps;
        ck_assert_int_eq(perp_system_force(up, s, x->t, x->q, v), 0);
        v[j] = x->v[j] - eps;
        ck_assert_int_eq(perp_system_force(down, s, x->t, x->q, v), 0);
        for (int i = 0; i < n; i++)
            column[i] -= x->a * (up[i] - down[i]) / (2.0 * eps);
    }
    perp_system_move(q, s, x->q, unit, eps);
    ck_assert_int_eq(perp_system_force(up, s, x->t, q, x->v), 0);
    perp_system_move(q, s, x->q, unit, -eps);
    ck_assert_int_eq(perp_system_force(down, s, x->t, q, x->v), 0);
    for (int i = 0; i < n; i++)
        column[i] -= x->b * (up[i] - down[i]) / (2.0 * eps);
    if (!body && x->c != 0.0) {
        perp_system_move(q, s, x->q_mass, unit, eps);
        ck_assert_int_eq(perp_system_mass_apply(up, s, q, x->step), 0);
        perp_system_move(q, s, x->q_mass, unit, -eps);
        ck_assert_int_eq(perp_system_mass_apply(down, s, q, x->step), 0);
        for (int i = 0; i < n; i++)
            column[i] += x->c * (up[i] - down[i]) / (2.0 * eps);
    }
    free(unit);
    free(up);
    free(down);
    free(q);
    free(v);
}

static inline void random_state(at *x, const perp_system *s, perp_rng *rng)
{
    x->t = perp_rng_signed(rng);
    x->q = ref_random(rng, s->nq, 1);
    x->q_mass = ref_random(rng, s->nq, 1);
    x->v = ref_random(rng, s->nv, 1);
    x->step = ref_random(rng, s->nv, 1);
    if (s->kind == PERP_SYSTEM_BODY) {
        perp_quaternion_normalise(x->q + 3);
        perp_quaternion_normalise(x->q_mass + 3);
    }
}

static inline void free_state(at *x)
{
    free(x->q);
    free(x->q_mass);
    free(x->v);
    free(x->step);
}

/* W, its solves, and that a constant W is kept, at random states. */
static inline void check_system(perp_model *model, perp_system_id id, perp_iteration_kind kind,
                                int linear, double tolerance)
{
    perp_rng rng = {77};
    perp_system *s = perp_model_system(model, id);
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq((int)s->W.kind, (int)kind);
    ck_assert_int_eq(s->linear, linear);
    int n = s->nv;
    for (int trial = 0; trial < 4; trial++) {
        at x = {0.0, 0.03 * (trial + 1), 0.02 * (trial + 1), 0.0, NULL, NULL, NULL, NULL};
        x.c = trial == 3 && s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.mass_q ? 0.4 : 0;
        random_state(&x, s, &rng);
        for (int again = 0; again < 2; again++)
            ck_assert_int_eq(
                perp_system_iteration(s, x.t, x.q_mass, x.q, x.v, x.a, x.b, x.step, x.c),
                PERP_SOLVED);
        double *W = dense_W(&s->W), *D = ref_zero(n, n);
        for (int j = 0; j < n; j++)
            column_by_differences(D + j * n, s, &x, j);
        ck_assert_double_le(ref_distance(W, D, (size_t)(n * n)), tolerance);
        double *b = ref_random(&rng, n, 3), *X = ref_solve(W, b, n, 3);
        perp_system_solve(s, b, 3);
        ck_assert_double_le(ref_distance(b, X, (size_t)(3 * n)), 1e-11);
        free(W);
        free(D);
        free(b);
        free(X);
        free_state(&x);
    }
}

static inline perp_model *new_model(void)
{
    perp_model *model;
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    return model;
}

static inline perp_system_id add_first(perp_model *model, const perp_first_order_def *def)
{
    perp_system_id id;
    perp_where where;
    ck_assert_int_eq(perp_model_add_first_order(model, def, &id, &where), PERP_SOLVED);
    return id;
}

static inline perp_system_id add_lagrangian(perp_model *model, const perp_lagrangian_def *def)
{
    perp_system_id id;
    perp_where where;
    ck_assert_int_eq(perp_model_add_lagrangian(model, def, &id, &where), PERP_SOLVED);
    return id;
}

static inline perp_system_id add_body(perp_model *model, const perp_body_def *def)
{
    perp_system_id id;
    perp_where where;
    ck_assert_int_eq(perp_model_add_body(model, def, &id, &where), PERP_SOLVED);
    return id;
}

#endif
