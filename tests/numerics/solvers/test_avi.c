/* SPDX-License-Identifier: BSD-3-Clause */
/* avi: boxes against the enumeration of all cases, polyhedra against the inequality itself,
 * linear programs as variational inequalities; perp_avi_create() on good and bad input. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/small_boxed.h"

static perp_status run(const perp_problem *problem, double *z, double *w, perp_info *info)
{
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    s.tol = 1e-12;
    return perp_solve("avi", problem, &s, z, w, info);
}

/* What it solves has a solution; what has none is never solved. */
START_TEST(boxes_of_any_matrix)
{
    perp_rng rng = {31};
    int solved = 0, rays = 0, other = 0;
    for (int k = 0; k < 3000; k++) {
        small_boxed p;
        double z[SMALL_BOXED], w[SMALL_BOXED];
        small_boxed_random(&p, 1 + k % 6, k % 3 != 0, &rng);
        perp_status status = run(&p.problem, z, w, NULL);
        int truth = small_boxed_enumerate(&p);
        ck_assert(status != PERP_SOLVED || truth != 0);
        solved += status == PERP_SOLVED;
        rays += status == PERP_RAY;
        other += status != PERP_SOLVED && status != PERP_RAY && truth == 1;
    }
    ck_assert_msg(solved > 1200 && other <= 40, "%d solved, %d rays, %d other", solved, rays,
                  other);
}
END_TEST

/* Positive definite and unsymmetric: always solved, to the last digit. */
START_TEST(boxes_of_definite_matrices)
{
    perp_rng rng = {32};
    for (int k = 0; k < 400; k++) {
        small_boxed p = {.n = 1 + k % SMALL_BOXED};
        double z[SMALL_BOXED], w[SMALL_BOXED], G[SMALL_BOXED * SMALL_BOXED];
        perp_info info = {.size = sizeof info};
        int n = p.n;
        for (int i = 0; i < n * n; i++)
            G[i] = perp_rng_signed(&rng);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                p.M[i + j * n] = i == j ? 0.1 : i < j ? 1.0 : -1.0;
                for (int l = 0; l < n; l++)
                    p.M[i + j * n] += G[l + i * n] * G[l + j * n];
            }
        for (int i = 0; i < n; i++) {
            double lo = perp_rng_signed(&rng), ends = perp_rng_uniform(&rng);
            p.q[i] = 4.0 * perp_rng_signed(&rng);
            small_boxed_row(&p, i, perp_rng_below(&rng, 6) < 1 ? 0 : 2, ends < 0.2 ? -INFINITY : lo,
                            ends > 0.8 ? INFINITY : lo + (k % 5 ? perp_rng_uniform(&rng) : 0.0));
        }
        small_boxed_finish(&p);
        perp_status status = run(&p.problem, z, w, &info);
        ck_assert_msg(status == PERP_SOLVED, "%d: %s, %g", k, perp_status_name(status), info.error);
        ck_assert_int_le(info.iterations, 8 * n);
    }
}
END_TEST

enum { D = 4, ROWS = 24 };

typedef struct polyhedron {
    double M[D * D], q[D], A[ROWS * D], b[ROWS];
    perp_mat Mv, Av;
} polyhedron;

/* {|z|_inf <= 3} and random half-spaces around a point inside. */
static void random_polyhedron(polyhedron *p, perp_rng *rng)
{
    double inside[D];
    memset(p, 0, sizeof *p);
    for (int i = 0; i < D; i++)
        inside[i] = perp_rng_signed(rng);
    for (int r = 0; r < ROWS; r++) {
        double value = 0.0;
        for (int j = 0; j < D; j++)
            p->A[r + j * ROWS] =
                r < 2 * D ? (r / 2 == j ? (r % 2 ? -1.0 : 1.0) : 0.0) : perp_rng_signed(rng);
        for (int j = 0; j < D; j++)
            value += p->A[r + j * ROWS] * inside[j];
        p->b[r] = r < 2 * D ? -3.0 : value - perp_rng_uniform(rng);
    }
    for (int i = 0; i < D; i++)
        p->q[i] = 3.0 * perp_rng_signed(rng);
    perp_mat_init_dense(&p->Mv, D, D, p->M, D);
    perp_mat_init_dense(&p->Av, ROWS, D, p->A, ROWS);
}

/* z is in C, and F(z).(y - z) >= 0 for many y of C. */
static void check_inequality(const polyhedron *p, const double *z, perp_rng *rng)
{
    double F[D];
    for (int i = 0; i < D; i++) {
        F[i] = p->q[i];
        for (int j = 0; j < D; j++)
            F[i] += p->M[i + j * D] * z[j];
    }
    for (int r = 0; r < ROWS; r++) {
        double value = -p->b[r];
        for (int j = 0; j < D; j++)
            value += p->A[r + j * ROWS] * z[j];
        ck_assert_double_ge(value, -1e-10);
    }
    for (int k = 0; k < 300; k++) {
        /* From z along a random direction to the boundary. */
        double d[D], step = 10.0, gain = 0.0;
        for (int j = 0; j < D; j++)
            d[j] = perp_rng_signed(rng);
        for (int r = 0; r < ROWS; r++) {
            double slack = -p->b[r], slope = 0.0;
            for (int j = 0; j < D; j++) {
                slack += p->A[r + j * ROWS] * z[j];
                slope += p->A[r + j * ROWS] * d[j];
            }
            if (slope < 0.0)
                step = fmin(step, fmax(slack, 0.0) / -slope);
        }
        for (int j = 0; j < D; j++)
            gain += step * d[j] * F[j];
        ck_assert_double_ge(gain, -1e-9);
    }
}

/* M = 0 (a linear program), of rank one, skew, and definite. */
START_TEST(polyhedra)
{
    perp_rng rng = {33};
    for (int k = 0; k < 120; k++) {
        polyhedron p;
        perp_avi *avi;
        perp_info info = {.size = sizeof info};
        double z[D + ROWS], w[D + ROWS], v[D];
        random_polyhedron(&p, &rng);
        for (int i = 0; i < D; i++)
            v[i] = perp_rng_signed(&rng);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                p.M[i + j * D] = k % 4 == 0   ? 0.0
                                 : k % 4 == 1 ? v[i] * v[j]
                                 : k % 4 == 2 ? (i < j   ? 1.0
                                                 : i > j ? -1.0
                                                         : 0.0)
                                              : v[i] * v[j] + (i == j) + (i < j) - (i > j);
        ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, p.q, &p.Av, p.b, NULL, NULL, NULL, NULL),
                         PERP_SOLVED);
        perp_status status = run(perp_avi_problem(avi), z, w, &info);
        ck_assert_msg(status == PERP_SOLVED, "%d: %s %g %s", k, perp_status_name(status),
                      info.error, info.detail);
        check_inequality(&p, z, &rng);
        /* With z in a box of its own beside. */
        const double lo[D] = {-0.5, -INFINITY, -3, 0.1}, hi[D] = {0.5, INFINITY, INFINITY, 0.1};
        perp_avi_destroy(avi);
        ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, p.q, &p.Av, p.b, lo, hi, NULL, NULL),
                         PERP_SOLVED);
        status = run(perp_avi_problem(avi), z, w, &info);
        for (int i = 0; i < D && status == PERP_SOLVED; i++)
            ck_assert(z[i] >= lo[i] && z[i] <= hi[i]);
        perp_avi_destroy(avi);
    }
}
END_TEST

START_TEST(new_vectors)
{
    perp_rng rng = {34};
    polyhedron p;
    perp_avi *avi;
    perp_solver *solver;
    double z[D + ROWS], w[D + ROWS];
    random_polyhedron(&p, &rng);
    for (int i = 0; i < D; i++)
        p.M[i + i * D] = 1.0;
    ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, p.q, &p.Av, p.b, NULL, NULL, NULL, NULL),
                     PERP_SOLVED);
    const perp_problem *problem = perp_avi_problem(avi);
    perp_solver_create(&solver, perp_solver_find("avi"), NULL, NULL, NULL);
    ck_assert_int_eq(perp_solver_setup(solver, problem), PERP_SOLVED);
    for (int k = 0; k < 50; k++) {
        for (int i = 0; i < D; i++)
            p.q[i] = 5.0 * perp_rng_signed(&rng);
        ck_assert_int_eq(perp_avi_update(avi, p.q, p.b), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_update_q(solver, problem->q), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
        check_inequality(&p, z, &rng);
    }
    perp_solver_destroy(solver);
    perp_avi_destroy(avi);
}
END_TEST

START_TEST(bad_input)
{
    polyhedron p;
    perp_rng rng = {35};
    perp_avi *avi;
    perp_where where;
    perp_mat wide;
    random_polyhedron(&p, &rng);
    ck_assert_int_eq(perp_avi_create(NULL, &p.Mv, p.q, &p.Av, p.b, NULL, NULL, NULL, NULL),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, NULL, &p.Av, p.b, NULL, NULL, NULL, &where),
                     PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "q");
    perp_mat_init_dense(&wide, D, D - 1, p.A, ROWS);
    ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, p.q, &wide, p.b, NULL, NULL, NULL, &where),
                     PERP_ERR_STRUCTURE);
    ck_assert_ptr_null(avi);
    double lo[D] = {0}, hi[D] = {-1};
    ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, p.q, &p.Av, p.b, lo, NULL, NULL, &where),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, p.q, &p.Av, p.b, lo, hi, NULL, &where),
                     PERP_ERR_ARGUMENT);
    p.b[3] = NAN;
    ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, p.q, &p.Av, p.b, NULL, NULL, NULL, &where),
                     PERP_ERR_NONFINITE);
    ck_assert(where.index == 3 && strcmp(where.what, "b") == 0);
    perp_avi_destroy(NULL);
    ck_assert_ptr_null(perp_avi_problem(NULL));
}
END_TEST

/* Each input that is bad by itself, and where it is said to be. */
START_TEST(bad_input_is_named)
{
    polyhedron p;
    perp_rng rng = {37};
    random_polyhedron(&p, &rng);
    double lo[D] = {0}, hi[D] = {0}, low[D] = {0}, high[D] = {0}, none[D] = {0}, fault[D] = {0};
    low[1] = INFINITY, high[1] = INFINITY, none[2] = NAN, fault[1] = -INFINITY;
    perp_mat wide, tall, closure = p.Mv;
    perp_mat_init_dense(&wide, D - 1, D, p.M, D);
    perp_mat_init_dense(&tall, D, D - 1, p.M, D);
    closure.kind = PERP_OPERATOR;
    const struct {
        const perp_mat *M, *A;
        const double *q, *b, *lo, *hi;
        perp_status status;
        const char *what;
        int index;
    } all[] = {
        {NULL, &p.Av, p.q, p.b, NULL, NULL, PERP_ERR_ARGUMENT, "M", -1},
        {&p.Mv, NULL, p.q, p.b, NULL, NULL, PERP_ERR_ARGUMENT, "A", -1},
        {&closure, &p.Av, p.q, p.b, NULL, NULL, PERP_ERR_UNSUPPORTED, "M", -1},
        {&p.Mv, &closure, p.q, p.b, NULL, NULL, PERP_ERR_UNSUPPORTED, "A", -1},
        {&wide, &p.Av, p.q, p.b, NULL, NULL, PERP_ERR_STRUCTURE, "M", -1},
        {&p.Mv, &tall, p.q, p.b, NULL, NULL, PERP_ERR_STRUCTURE, "A", -1},
        {&p.Mv, &p.Av, p.q, NULL, NULL, NULL, PERP_ERR_ARGUMENT, "b", -1},
        {&p.Mv, &p.Av, none, p.b, NULL, NULL, PERP_ERR_NONFINITE, "q", 2},
        {&p.Mv, &p.Av, p.q, p.b, lo, NULL, PERP_ERR_ARGUMENT, "hi", -1},
        {&p.Mv, &p.Av, p.q, p.b, NULL, hi, PERP_ERR_ARGUMENT, "lo", -1},
        {&p.Mv, &p.Av, p.q, p.b, low, high, PERP_ERR_ARGUMENT, "lo", 1},
        {&p.Mv, &p.Av, p.q, p.b, fault, fault, PERP_ERR_ARGUMENT, "lo", 1},
        {&p.Mv, &p.Av, p.q, p.b, lo, none, PERP_ERR_ARGUMENT, "lo", 2},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        perp_avi *avi = (perp_avi *)&p;
        perp_where where = {NULL, 0, 0};
        ck_assert_int_eq(perp_avi_create(&avi, all[k].M, all[k].q, all[k].A, all[k].b, all[k].lo,
                                         all[k].hi, NULL, k % 2 ? NULL : &where),
                         all[k].status);
        ck_assert_ptr_null(avi);
        ck_assert_int_eq(perp_avi_create(&avi, all[k].M, all[k].q, all[k].A, all[k].b, all[k].lo,
                                         all[k].hi, NULL, &where),
                         all[k].status);
        ck_assert_msg(strcmp(where.what, all[k].what) == 0 && where.index == all[k].index,
                      "%zu: %s %d", k, where.what, where.index);
    }
    perp_avi *avi;
    ck_assert_int_eq(perp_avi_create(&avi, &p.Mv, p.q, &p.Av, p.b, lo, hi, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_avi_update(NULL, p.q, p.b), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_avi_update(avi, NULL, p.b), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_avi_update(avi, p.q, NULL), PERP_ERR_ARGUMENT);
    perp_avi_destroy(avi);
}
END_TEST

typedef struct purse {
    long left;
    long live;
} purse;

static void *pay(void *ctx, size_t bytes)
{
    purse *p = ctx;
    void *block = p->left-- > 0 ? malloc(bytes) : NULL;
    p->live += block != NULL;
    return block;
}

static void give(void *ctx, void *block)
{
    ((purse *)ctx)->live -= block != NULL;
    free(block);
}

START_TEST(failing_memory)
{
    polyhedron p;
    perp_rng rng = {36};
    random_polyhedron(&p, &rng);
    for (long k = 0;; k++) {
        purse own = {k, 0};
        const perp_allocator memory = {pay, give, &own};
        perp_avi *avi;
        perp_status status =
            perp_avi_create(&avi, &p.Mv, p.q, &p.Av, p.b, NULL, NULL, &memory, NULL);
        if (status == PERP_SOLVED) {
            perp_avi_destroy(avi);
            ck_assert_int_eq(own.live, 0);
            break;
        }
        ck_assert_int_eq(status, PERP_ERR_MEMORY);
        ck_assert_ptr_null(avi);
        ck_assert_int_eq(own.live, 0);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {boxes_of_any_matrix, boxes_of_definite_matrices,
                            polyhedra,           new_vectors,
                            bad_input,           bad_input_is_named,
                            failing_memory};
    Suite *suite = suite_create("avi");
    TCase *tcase = tcase_create("avi");
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        tcase_add_test(tcase, tests[k]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
