/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems: forces, iteration matrices against differences of the forces, solves, moves. */
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
static perp_mat as_csc(csc *store, const double *D, int rows, int cols)
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

static void free_csc(csc *store)
{
    free(store->ptr);
    free(store->row);
    free(store->x);
}

static perp_mat dense(const double *x, int rows, int cols)
{
    perp_mat A;
    ck_assert_int_eq(perp_mat_init_dense(&A, rows, cols, x, rows), 0);
    return A;
}

/* Random, with a strong diagonal; band < n: zero further than that from the diagonal. */
static double *matrix(perp_rng *rng, int n, int band, double diagonal)
{
    double *A = ref_random(rng, n, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + j * n] = abs(i - j) <= band ? A[i + j * n] + (i == j) * diagonal : 0.0;
    return A;
}

/* W of a system as a dense matrix. */
static double *dense_W(const perp_iteration *W)
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
static void column_by_differences(double *column, perp_system *s, const at *x, int j)
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

static void random_state(at *x, const perp_system *s, perp_rng *rng)
{
    x->t = ref_uniform(rng);
    x->q = ref_random(rng, s->nq, 1);
    x->q_mass = ref_random(rng, s->nq, 1);
    x->v = ref_random(rng, s->nv, 1);
    x->step = ref_random(rng, s->nv, 1);
    if (s->kind == PERP_SYSTEM_BODY) {
        perp_quaternion_normalise(x->q + 3);
        perp_quaternion_normalise(x->q_mass + 3);
    }
}

static void free_state(at *x)
{
    free(x->q);
    free(x->q_mass);
    free(x->v);
    free(x->step);
}

/* W, its solves, and that a constant W is kept, at random states. */
static void check_system(perp_model *model, perp_system_id id, perp_iteration_kind kind, int linear,
                         double tolerance)
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

static perp_model *new_model(void)
{
    perp_model *model;
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    return model;
}

static perp_system_id add_first(perp_model *model, const perp_first_order_def *def)
{
    perp_system_id id;
    perp_where where;
    ck_assert_int_eq(perp_model_add_first_order(model, def, &id, &where), PERP_SOLVED);
    return id;
}

static perp_system_id add_lagrangian(perp_model *model, const perp_lagrangian_def *def)
{
    perp_system_id id;
    perp_where where;
    ck_assert_int_eq(perp_model_add_lagrangian(model, def, &id, &where), PERP_SOLVED);
    return id;
}

static perp_system_id add_body(perp_model *model, const perp_body_def *def)
{
    perp_system_id id;
    perp_where where;
    ck_assert_int_eq(perp_model_add_body(model, def, &id, &where), PERP_SOLVED);
    return id;
}

START_TEST(linear_first_order_systems)
{
    const int orders[] = {1, 2, 3, 5, 8, 9, 12, 40};
    perp_rng rng = {21};
    perp_model *model = new_model();
    for (int k = 0; k < 8; k++) {
        int n = orders[k];
        double *M = matrix(&rng, n, n, 2.0 * n), *A = matrix(&rng, n, n, -1.0);
        double *narrow = matrix(&rng, n, 1, 4.0), *x0 = ref_random(&rng, n, 1);
        perp_iteration_kind full = n == 1 ? PERP_ITERATION_DIAGONAL : PERP_ITERATION_DENSE;
        csc store_M, store_A;
        perp_first_order_def def;
        perp_first_order_def_init(&def);
        def.n = n;
        def.x0 = x0;
        check_system(model, add_first(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
        def.A = dense(A, n, n);
        def.b = x0;
        check_system(model, add_first(model, &def), full, 1, 1e-8);
        def.M = dense(M, n, n);
        check_system(model, add_first(model, &def), full, 1, 1e-8);
        def.M = as_csc(&store_M, M, n, n);
        def.A = as_csc(&store_A, narrow, n, n);
        check_system(model, add_first(model, &def), n >= 32 ? PERP_ITERATION_SPARSE : full, 1,
                     1e-8);
        free_csc(&store_M);
        free_csc(&store_A);
        free(M);
        free(A);
        free(narrow);
        free(x0);
    }
    perp_model_destroy(model);
}
END_TEST

START_TEST(nonlinear_first_order_systems)
{
    perp_model *model = new_model();
    double x0[3] = {0.1, 0.2, 0.3}, M[9] = {3, 1, 0, 1, 4, 0, 0, 1, 5}, A[9] = {1, 2, 3, 4};
    for (int differences = 0; differences < 2; differences++) {
        double tolerance = differences ? 1e-6 : 1e-8;
        perp_first_order_def def;
        perp_first_order_def_init(&def);
        def.n = 3;
        def.x0 = x0;
        def.z = z_one;
        def.nz = 1;
        def.differences = differences;
        def.A_at = zoo_A_at;
        check_system(model, add_first(model, &def), PERP_ITERATION_DENSE, 1, 1e-8);
        def.b_at = zoo_b_at;
        def.M = dense(M, 3, 3);
        check_system(model, add_first(model, &def), PERP_ITERATION_DENSE, 1, 1e-8);
        def.f = zoo_f;
        def.f_x = differences ? NULL : zoo_f_x;
        check_system(model, add_first(model, &def), PERP_ITERATION_DENSE, 0, tolerance);
        def.A_at = NULL;
        def.A = dense(A, 3, 3);
        def.controls = 2;
        def.T = zoo_T;
        def.u = zoo_u;
        def.control_x = differences ? NULL : zoo_control_x;
        perp_system_id id = add_first(model, &def);
        check_system(model, id, PERP_ITERATION_DENSE, 0, tolerance);
        ck_assert_int_eq(perp_model_system(model, id)->differences, differences);
        def.f = NULL;
        check_system(model, add_first(model, &def), PERP_ITERATION_DENSE, 0, tolerance);
    }
    perp_model_destroy(model);
}
END_TEST

/* The right-hand side term by term at one state. */
START_TEST(forces_add_up)
{
    perp_model *model = new_model();
    double q[3] = {0.3, -0.2, 0.5}, v[3] = {1.0, 0.4, -0.8}, A[9], C[9], z[1] = {0.7};
    double u[2], T[6], f[3], at_t[9], b[3], got[3], t = 0.3;
    perp_rng rng = {22};
    for (int k = 0; k < 9; k++) {
        A[k] = ref_uniform(&rng);
        C[k] = ref_uniform(&rng);
    }
    perp_first_order_def first;
    perp_first_order_def_init(&first);
    first.n = 3;
    first.x0 = q;
    first.A_at = zoo_A_at;
    first.b_at = zoo_b_at;
    first.f = zoo_f;
    first.f_x = zoo_f_x;
    first.T = zoo_T;
    first.u = zoo_u;
    first.control_x = zoo_control_x;
    first.controls = 2;
    first.z = z;
    first.nz = 1;
    zoo_A_at(at_t, t, q, NULL, z, NULL);
    zoo_b_at(b, t, q, NULL, z, NULL);
    zoo_f(f, t, q, NULL, z, NULL);
    zoo_T(T, t, q, NULL, z, NULL);
    zoo_u(u, t, q, NULL, z, NULL);
    perp_system *s = perp_model_system(model, add_first(model, &first));
    ck_assert_int_eq(perp_system_force(got, s, t, q, NULL), 0);
    for (int i = 0; i < 3; i++) {
        double sum = b[i] + f[i] + T[i] * u[0] + T[i + 3] * u[1];
        for (int j = 0; j < 3; j++)
            sum += at_t[i + 3 * j] * q[j];
        ck_assert_double_eq_tol(got[i], sum, 1e-14);
    }
    perp_lagrangian_def second;
    perp_lagrangian_def_init(&second);
    second.n = 3;
    second.q0 = q;
    second.C = dense(C, 3, 3);
    second.K = dense(A, 3, 3);
    second.F = b;
    second.F_ext = zoo_b_at;
    second.N = zoo_f;
    second.T = zoo_T;
    second.u = zoo_u;
    second.controls = 2;
    second.differences = 1;
    second.z = z;
    second.nz = 1;
    second.F_int = zoo_f;
    zoo_f(f, t, q, v, z, NULL);
    zoo_u(u, t, q, v, z, NULL);
    s = perp_model_system(model, add_lagrangian(model, &second));
    ck_assert_int_eq(perp_system_force(got, s, t, q, v), 0);
    for (int i = 0; i < 3; i++) {
        double sum = 2.0 * b[i] - 2.0 * f[i] + T[i] * u[0] + T[i + 3] * u[1];
        for (int j = 0; j < 3; j++)
            sum -= A[i + 3 * j] * q[j] + C[i + 3 * j] * v[j];
        ck_assert_double_eq_tol(got[i], sum, 1e-14);
    }
    perp_model_destroy(model);
}
END_TEST

START_TEST(linear_lagrangian_systems)
{
    const int orders[] = {1, 2, 4, 6, 7, 10, 50};
    perp_rng rng = {23};
    perp_model *model = new_model();
    for (int k = 0; k < 7; k++) {
        int n = orders[k];
        double *M = matrix(&rng, n, 2, 8.0), *C = matrix(&rng, n, n, 1.0), *F = ref_zero(n, 1);
        double *K = matrix(&rng, n, 3, 50.0), *diagonal = matrix(&rng, n, 0, 4.0);
        perp_iteration_kind full = n == 1 ? PERP_ITERATION_DIAGONAL : PERP_ITERATION_DENSE;
        csc store_M, store_K, store_D;
        perp_mat D = as_csc(&store_D, diagonal, n, n);
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def);
        def.n = n;
        def.q0 = def.F = F;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
        def.M = D;
        def.C = dense(diagonal, n, n);
        def.K = D;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-8);
        def.K = as_csc(&store_K, K, n, n);
        check_system(model, add_lagrangian(model, &def), full, 1, 1e-7);
        def.C = D;
        def.M = as_csc(&store_M, M, n, n);
        check_system(model, add_lagrangian(model, &def), n >= 32 ? PERP_ITERATION_SPARSE : full, 1,
                     1e-7);
        def.C = dense(C, n, n);
        check_system(model, add_lagrangian(model, &def), full, 1, 1e-7);
        free_csc(&store_M);
        free_csc(&store_K);
        free_csc(&store_D);
        free(M);
        free(C);
        free(K);
        free(F);
        free(diagonal);
    }
    perp_model_destroy(model);
}
END_TEST

START_TEST(nonlinear_lagrangian_systems)
{
    perp_model *model = new_model();
    double q0[3] = {0.1, 0.2, 0.3}, M[9] = {3, 1, 0, 1, 4, 0, 0, 0, 5}, K[9] = {1, 2, 3, 4};
    for (int differences = 0; differences < 2; differences++) {
        double tolerance = differences ? 1e-6 : 1e-8;
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def);
        def.n = 3;
        def.q0 = q0;
        def.z = z_one;
        def.nz = 1;
        def.differences = differences;
        def.mass = zoo_mass;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DENSE, 0, 1e-8);
        def.mass_q = zoo_mass_q;
        def.F_ext = zoo_b_at;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DENSE, 0, 1e-8);
        def.N = zoo_f;
        def.N_q = zoo_f_x;
        def.N_v = differences ? NULL : zoo_f_v;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DENSE, 0, tolerance);
        def.F_int = zoo_f;
        def.F_int_q = differences ? NULL : zoo_f_x;
        def.F_int_v = zoo_f_v;
        def.K = dense(K, 3, 3);
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DENSE, 0, tolerance);
        def.mass = def.mass_q = NULL;
        def.M = dense(M, 3, 3);
        def.C = dense(K, 3, 3);
        def.controls = 2;
        def.T = zoo_T;
        def.u = zoo_u;
        def.control_q = differences ? NULL : zoo_control_x;
        def.control_v = differences ? NULL : zoo_control_v;
        perp_system_id id = add_lagrangian(model, &def);
        check_system(model, id, PERP_ITERATION_DENSE, 0, tolerance);
        ck_assert_int_eq(perp_model_system(model, id)->differences, differences);
    }
    perp_model_destroy(model);
}
END_TEST

/* d(force)/dq over all 7 coordinates, which check_system sees along the sphere only. */
static void check_coordinates(perp_model *model, perp_system_id id, double tolerance)
{
    perp_rng rng = {78};
    perp_system *s = perp_model_system(model, id);
    at x = {0.0, 0.0, 0.0, 0.0, NULL, NULL, NULL, NULL};
    random_state(&x, s, &rng);
    double D[42], up[6], down[6], eps = 1e-5;
    for (int j = 0; j < 7; j++) {
        double keep = x.q[j];
        x.q[j] = keep + eps;
        ck_assert_int_eq(perp_body_force(up, s, x.t, x.q, x.v), 0);
        x.q[j] = keep - eps;
        ck_assert_int_eq(perp_body_force(down, s, x.t, x.q, x.v), 0);
        x.q[j] = keep;
        for (int i = 0; i < 6; i++)
            D[i + 6 * j] = (up[i] - down[i]) / (2.0 * eps);
    }
    ck_assert_int_eq(perp_body_jacobian(s, x.t, x.q, x.v), 0);
    ck_assert_double_le(ref_distance(s->jacobian_q, D, 42), tolerance);
    free_state(&x);
}

static const double inertia[9] = {2.0, 0.3, -0.1, 0.3, 1.5, 0.2, -0.1, 0.2, 1.1};

/* Gyroscopic moment (11.96), and what C and K do (11.98). */
START_TEST(bodies_with_linear_wrenches)
{
    perp_model *model = new_model();
    perp_rng rng = {24};
    double *C = ref_random(&rng, 6, 6), *K = ref_random(&rng, 6, 7), *shift = ref_zero(6, 7);
    memcpy(shift, K, 18 * sizeof(double));
    perp_body_def def;
    perp_body_def_init(&def);
    def.mass = 3.0;
    def.force[2] = -9.81;
    check_system(model, add_body(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
    def.moment[1] = 0.4;
    check_system(model, add_body(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
    def.inertia[4] = 2.0;
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 0, 1e-8);
    def.no_gyroscopic = 1;
    check_system(model, add_body(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
    memcpy(def.inertia, inertia, sizeof inertia);
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 1, 1e-9);
    def.C = dense(C, 6, 6);
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 1, 1e-8);
    def.K = dense(shift, 6, 7);
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 1, 1e-8);
    def.K = dense(K, 6, 7);
    perp_system_id id = add_body(model, &def);
    check_system(model, id, PERP_ITERATION_DENSE, 0, 1e-8);
    check_coordinates(model, id, 1e-8);
    def.no_gyroscopic = 0;
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 0, 1e-8);
    free(C);
    free(K);
    free(shift);
    perp_model_destroy(model);
}
END_TEST

START_TEST(bodies_with_wrenches_in_either_frame)
{
    perp_model *model = new_model();
    for (int k = 0; k < 16; k++) {
        int differences = k & 1, callbacks = k & 2;
        double tolerance = differences && callbacks ? 2e-6 : 1e-8;
        perp_body_def def;
        perp_body_def_init(&def);
        memcpy(def.inertia, inertia, sizeof inertia);
        for (int i = 0; i < 3; i++) {
            def.force[i] = 1.0 + i;
            def.moment[i] = 2.0 - 1.5 * i;
        }
        def.force_frame = k & 4 ? PERP_BODY : PERP_INERTIAL;
        def.moment_frame = k & 8 ? PERP_BODY : PERP_INERTIAL;
        def.z = z_one;
        def.nz = 1;
        def.differences = differences;
        if (callbacks) {
            def.f = def.m = zoo_wrench;
            def.f_q = def.m_q = differences ? NULL : zoo_wrench_q;
            def.f_v = def.m_v = differences ? NULL : zoo_wrench_v;
        }
        perp_system_id id = add_body(model, &def);
        check_system(model, id, PERP_ITERATION_DENSE, 0, tolerance);
        check_coordinates(model, id, tolerance);
    }
    perp_model_destroy(model);
}
END_TEST

/* Frames against matrices: inertial forces R f, body moments R' m, power of the gyroscopic
 * moment 0. */
START_TEST(wrenches_turn_with_the_body)
{
    perp_model *model = new_model();
    perp_body_def def;
    perp_body_def_init(&def);
    double q[7] = {1, 2, 3, 0.5, -0.1, 0.8, 0.2}, v[6] = {0, 0, 0, 0.3, -2.0, 1.1}, R[9], F[6];
    memcpy(def.inertia, inertia, sizeof inertia);
    perp_quaternion_normalise(q + 3);
    perp_quaternion_matrix(R, q + 3);
    def.force[0] = 2.0;
    def.moment[2] = 3.0;
    def.force_frame = PERP_BODY;
    def.moment_frame = PERP_INERTIAL;
    perp_system *s = perp_model_system(model, add_body(model, &def));
    double rest[6] = {0.0};
    ck_assert_int_eq(perp_system_force(F, s, 0.0, q, rest), 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(F[i], 2.0 * R[i], 1e-14);
        ck_assert_double_eq_tol(F[3 + i], 3.0 * R[2 + 3 * i], 1e-14);
    }
    def.moment[2] = 0.0;
    s = perp_model_system(model, add_body(model, &def));
    ck_assert_int_eq(perp_system_force(F, s, 0.0, q, v), 0);
    ck_assert_double_eq_tol(F[3] * v[3] + F[4] * v[4] + F[5] * v[5], 0.0, 1e-13);
    /* -omega x I omega of principal axes: (I_2 - I_3) w_2 w_3, ... */
    perp_body_def_init(&def);
    def.inertia[0] = 2.0;
    def.inertia[4] = 3.0;
    s = perp_model_system(model, add_body(model, &def));
    ck_assert_int_eq(perp_system_force(F, s, 0.0, q, v), 0);
    ck_assert_double_eq_tol(F[3], (3.0 - 1.0) * v[4] * v[5], 1e-14);
    ck_assert_double_eq_tol(F[4], (1.0 - 2.0) * v[5] * v[3], 1e-14);
    ck_assert_double_eq_tol(F[5], (2.0 - 3.0) * v[3] * v[4], 1e-14);
    perp_model_destroy(model);
}
END_TEST

START_TEST(rates_multiply_by_T)
{
    perp_model *model = new_model();
    perp_rng rng = {25};
    perp_body_def def;
    perp_body_def_init(&def);
    perp_system *s = perp_model_system(model, add_body(model, &def));
    double *in = ref_random(&rng, 5, 7), q[7], T[42], out[30];
    for (int i = 0; i < 7; i++)
        q[i] = ref_uniform(&rng);
    perp_body_rates(T, q);
    double *wanted = ref_multiply(in, T, 5, 7, 6);
    perp_system_to_rates(out, s, in, q, 5);
    ck_assert_double_le(ref_distance(out, wanted, 30), 1e-14);
    free(in);
    free(wanted);
    perp_model_destroy(model);
}
END_TEST

START_TEST(refusing_callbacks_interrupt)
{
    perp_model *model = new_model();
    double x0[3] = {0.0}, f[6], q[7] = {0, 0, 0, 1, 0, 0, 0}, v[6] = {0.0};
    perp_first_order_def first;
    perp_first_order_def_init(&first);
    first.n = 3;
    first.x0 = x0;
    first.f = zoo_refuses;
    first.differences = 1;
    perp_system *s = perp_model_system(model, add_first(model, &first));
    ck_assert_int_ne(perp_system_force(f, s, 0.0, x0, NULL), 0);
    ck_assert_int_eq(perp_system_iteration(s, 0.0, x0, x0, NULL, 0.1, 0.1, NULL, 0.0),
                     PERP_INTERRUPTED);
    perp_lagrangian_def second;
    perp_lagrangian_def_init(&second);
    second.n = 3;
    second.q0 = x0;
    second.mass = zoo_refuses;
    perp_system_id id = add_lagrangian(model, &second);
    s = perp_model_system(model, id);
    ck_assert_int_ne(perp_system_mass_apply(f, s, x0, x0), 0);
    double energy;
    ck_assert_int_eq(perp_model_kinetic_energy(model, id, 0.0, &energy), PERP_INTERRUPTED);
    perp_body_def body;
    perp_body_def_init(&body);
    body.m = zoo_refuses;
    body.differences = 1;
    s = perp_model_system(model, add_body(model, &body));
    ck_assert_int_ne(perp_system_force(f, s, 0.0, q, v), 0);
    ck_assert_int_eq(perp_system_iteration(s, 0.0, q, q, v, 0.1, 0.1, NULL, 0.0), PERP_INTERRUPTED);
    perp_model_destroy(model);
}
END_TEST

/* W = M + b K with b such that it has no inverse, in each storage. */
START_TEST(singular_iterations_are_named)
{
    const int orders[] = {1, 3, 12, 40};
    for (int k = 0; k < 4; k++)
        for (int coupled = 0; coupled < 2; coupled++) {
            int n = orders[k];
            double *q0 = ref_zero(n, 1), *K = ref_zero(n, n);
            csc store;
            for (int i = 0; i < n; i++) {
                K[i + n * i] = i == n - 1 ? -1.0 : 1.0;
                if (coupled && i > 0)
                    K[i + n * (i - 1)] = 0.5;
            }
            perp_model *model = new_model();
            perp_lagrangian_def def;
            perp_lagrangian_def_init(&def);
            def.n = n;
            def.q0 = q0;
            def.K = as_csc(&store, K, n, n);
            perp_system *s = perp_model_system(model, add_lagrangian(model, &def));
            ck_assert_int_eq(perp_system_iteration(s, 0, q0, q0, q0, 0.0, 1.0, NULL, 0.0),
                             PERP_ERR_SINGULAR);
            ck_assert_int_eq(perp_system_iteration(s, 0, q0, q0, q0, 0.0, 0.5, NULL, 0.0),
                             PERP_SOLVED);
            ck_assert_int_eq(perp_system_iteration(s, 0, q0, q0, q0, 0.0, NAN, NULL, 0.0),
                             PERP_ERR_SINGULAR);
            free_csc(&store);
            free(q0);
            free(K);
            perp_model_destroy(model);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("systems of the kernel");
    TCase *tests = tcase_create("systems");
    tcase_add_test(tests, linear_first_order_systems);
    tcase_add_test(tests, nonlinear_first_order_systems);
    tcase_add_test(tests, forces_add_up);
    tcase_add_test(tests, linear_lagrangian_systems);
    tcase_add_test(tests, nonlinear_lagrangian_systems);
    tcase_add_test(tests, bodies_with_linear_wrenches);
    tcase_add_test(tests, bodies_with_wrenches_in_either_frame);
    tcase_add_test(tests, wrenches_turn_with_the_body);
    tcase_add_test(tests, rates_multiply_by_T);
    tcase_add_test(tests, refusing_callbacks_interrupt);
    tcase_add_test(tests, singular_iterations_are_named);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
