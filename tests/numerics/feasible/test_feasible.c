/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_rows_feasible(): planted points and planted proofs, the best proof from both sides, rows
 * that rounding alone contradicts, bad input and failing memory. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"

enum { ROWS = 24, COLS = 9 };

/* Dense by columns, with the arrays that the call wants. */
typedef struct instance {
    double A[ROWS * COLS], b[ROWS], noise[ROWS], weight[COLS], y[ROWS], v[COLS];
    unsigned char equality[ROWS];
    int colptr[COLS + 1], row[ROWS * COLS], group[COLS];
    perp_linear_rows rows;
    perp_refutation figures;
} instance;

static void shape(instance *p, int rows, int cols, int equalities)
{
    memset(p, 0, sizeof *p);
    for (int j = 0; j <= cols; j++)
        p->colptr[j] = j * rows;
    for (int k = 0; k < rows * cols; k++)
        p->row[k] = k % rows;
    for (int i = 0; i < equalities; i++)
        p->equality[i] = 1;
    for (int j = 0; j < cols; j++) {
        p->weight[j] = 1.0;
        p->group[j] = j / 3;
    }
    p->rows = (perp_linear_rows){.size = sizeof p->rows,
                                 .rows = rows,
                                 .cols = cols,
                                 .colptr = p->colptr,
                                 .row = p->row,
                                 .x = p->A,
                                 .b = p->b,
                                 .equality = p->equality,
                                 .noise = p->noise,
                                 .weight = p->weight,
                                 .group = p->group};
    p->figures.size = sizeof p->figures;
}

static void fill(instance *p, perp_rng *rng)
{
    for (int k = 0; k < p->rows.rows * p->rows.cols; k++)
        p->A[k] = perp_rng_signed(rng);
}

static double row_value(const instance *p, int i, const double *v)
{
    double sum = p->b[i];
    for (int j = 0; j < p->rows.cols; j++)
        sum += p->A[i + j * p->rows.rows] * v[j];
    return sum;
}

static perp_status find(instance *p)
{
    return perp_rows_feasible(&p->rows, NULL, p->v, p->y, &p->figures);
}

/* Row i and column j in other units. */
static void change_units(instance *p, perp_rng *rng)
{
    int rows = p->rows.rows;
    for (int i = 0; i < rows; i++) {
        double s = pow(10.0, 6.0 * perp_rng_signed(rng));
        p->b[i] *= s;
        for (int j = 0; j < p->rows.cols; j++)
            p->A[i + j * rows] *= s;
    }
    for (int j = 0; j < p->rows.cols; j++) {
        double s = pow(10.0, 6.0 * perp_rng_signed(rng));
        p->weight[j] *= s * s;
        for (int i = 0; i < rows; i++)
            p->A[i + j * rows] *= s;
    }
}

START_TEST(planted_points_are_found)
{
    perp_rng rng = {(uint64_t)_i + 1};
    instance p;
    int rows = 1 + (int)(perp_rng_uniform(&rng) * (ROWS - 1)), cols = 3 + 3 * (_i % 3);
    int equalities = _i % 4 == 0 ? 0 : _i % cols;
    double point[COLS];
    shape(&p, rows, cols, equalities < rows ? equalities : rows);
    fill(&p, &rng);
    for (int j = 0; j < cols; j++)
        point[j] = perp_rng_signed(&rng);
    for (int i = 0; i < rows; i++)
        p.b[i] = 0.0;
    for (int i = 0; i < rows; i++) {
        double slack = i % 3 == 0 ? 0.0 : perp_rng_uniform(&rng);
        p.b[i] = -row_value(&p, i, point) + (p.equality[i] ? 0.0 : slack);
    }
    if (_i % 2)
        change_units(&p, &rng);
    ck_assert_int_eq(find(&p), PERP_SOLVED);
    for (int i = 0; i < rows; i++) {
        double r = row_value(&p, i, p.v), scale = fabs(p.b[i]);
        for (int j = 0; j < cols; j++)
            scale += fabs(p.A[i + j * rows] * p.v[j]);
        ck_assert_double_ge(r, -1e-8 * scale);
        if (p.equality[i])
            ck_assert_double_le(r, 1e-8 * scale);
        ck_assert_double_eq(p.y[i], 0.0);
    }
    ck_assert_int_eq(p.figures.holds, 0);
}
END_TEST

/* A'y = 0 with y > 0 by the last row, b.y = -1. */
static void plant_proof(instance *p, perp_rng *rng)
{
    int rows = p->rows.rows, last = rows - 1;
    double y[ROWS], sum = 0.0;
    fill(p, rng);
    for (int i = 0; i < rows; i++)
        y[i] = p->equality[i] ? perp_rng_signed(rng) : 0.2 + perp_rng_uniform(rng);
    for (int j = 0; j < p->rows.cols; j++) {
        double s = 0.0;
        for (int i = 0; i < last; i++)
            s += p->A[i + j * rows] * y[i];
        p->A[last + j * rows] = -s / y[last];
    }
    for (int i = 0; i < last; i++) {
        p->b[i] = perp_rng_signed(rng);
        sum += y[i] * p->b[i];
    }
    p->b[last] = (-1.0 - sum) / y[last];
}

/* The proof holds by a sum of our own, and the rows relieved by a little more have a point: so the
 * value is the best one. */
START_TEST(planted_proofs_are_found)
{
    perp_rng rng = {(uint64_t)_i + 1000};
    instance p, relieved;
    int cols = 3 + 3 * (_i % 3), equalities = _i % 3;
    int rows = 2 + equalities + (int)(perp_rng_uniform(&rng) * (ROWS - 2 - equalities));
    shape(&p, rows, cols, equalities);
    plant_proof(&p, &rng);
    if (_i % 2)
        change_units(&p, &rng);
    ck_assert_int_eq(find(&p), PERP_INFEASIBLE);
    ck_assert_int_eq(p.figures.holds, 1);
    double value = 0.0, sum = 0.0, size = 0.0;
    for (int i = 0; i < rows; i++) {
        if (!p.equality[i]) {
            ck_assert_double_ge(p.y[i], 0.0);
            sum += p.y[i];
        }
        value -= p.b[i] * p.y[i];
        size += fabs(p.b[i] * p.y[i]);
    }
    for (int j = 0; j < cols; j++) {
        double moved = 0.0, terms = 0.0;
        for (int i = 0; i < rows; i++) {
            moved += p.A[i + j * rows] * p.y[i];
            terms += fabs(p.A[i + j * rows] * p.y[i]);
        }
        ck_assert_double_le(fabs(moved), 1e-11 * terms);
    }
    ck_assert_double_gt(value, 1e-9 * size);
    if (isinf(p.figures.speed)) /* of the equalities alone */
        return;
    ck_assert_double_eq_tol(sum, 1.0, 1e-12);
    ck_assert_double_eq_tol(value, p.figures.speed, 1e-9 * value);
    memcpy(&relieved, &p, sizeof p);
    relieved.rows = (perp_linear_rows){.size = sizeof p.rows,
                                       .rows = rows,
                                       .cols = cols,
                                       .colptr = p.colptr,
                                       .row = p.row,
                                       .x = p.A,
                                       .b = relieved.b,
                                       .equality = p.equality,
                                       .weight = p.weight,
                                       .group = p.group};
    for (int i = 0; i < rows; i++)
        relieved.b[i] += p.equality[i] ? 0.0 : p.figures.speed * (1.0 + 1e-7);
    ck_assert_int_ne(find(&relieved), PERP_INFEASIBLE);
    for (int i = 0; i < rows; i++)
        relieved.b[i] = p.b[i] + (p.equality[i] ? 0.0 : p.figures.speed * (1.0 - 1e-6));
    perp_status below = find(&relieved);
    ck_assert_int_ne(below, PERP_SOLVED); /* in mixed units a millionth may be rounding */
    if (_i % 2 == 0)
        ck_assert_int_eq(below, PERP_INFEASIBLE);
}
END_TEST

/* Two walls that close at 1 m/s on a mass; four and four contacts of a box. */
START_TEST(walls_that_close)
{
    instance p;
    shape(&p, 2, 1, 0);
    p.A[0] = 1.0;
    p.A[1] = -1.0;
    p.b[0] = -1.0;
    ck_assert_int_eq(find(&p), PERP_INFEASIBLE);
    ck_assert_double_eq_tol(p.figures.speed, 0.5, 1e-14);
    ck_assert_double_eq_tol(p.y[0], 0.5, 1e-14);
    ck_assert_double_eq_tol(p.y[1], 0.5, 1e-14);
    ck_assert(isinf(p.figures.reach));
    shape(&p, 8, 6, 0);
    for (int i = 0; i < 8; i++) {
        double side = i < 4 ? 1.0 : -1.0, rx = i & 1 ? 0.5 : -0.5, ry = i & 2 ? 0.5 : -0.5;
        p.A[i + 8 * 2] = side;
        p.A[i + 8 * 3] = side * ry;
        p.A[i + 8 * 4] = -side * rx;
        p.b[i] = i < 4 ? -1.0 : 0.0;
    }
    ck_assert_int_eq(find(&p), PERP_INFEASIBLE);
    ck_assert_double_eq_tol(p.figures.speed, 0.5, 1e-12);
    for (int i = 0; i < 4; i++)
        p.b[4 + i] = 1.0; /* the other wall gives way */
    ck_assert_int_eq(find(&p), PERP_SOLVED);
}
END_TEST

/* Normals that are nearly opposite: a fast motion escapes, and no proof is claimed. */
START_TEST(narrow_wedges_are_no_proof)
{
    const double slope[] = {1e-3, 1e-6, 1e-9, 1e-11};
    instance p;
    shape(&p, 2, 3, 0);
    p.A[0] = 1.0;
    p.A[1] = -1.0;
    p.A[2] = p.A[3] = slope[_i];
    p.b[0] = p.b[1] = -1.0;
    perp_status status = find(&p);
    if (_i < 3) {
        ck_assert_int_eq(status, PERP_SOLVED);
        ck_assert_double_eq_tol(p.v[1] * slope[_i], 1.0, 1e-6);
    } else {
        ck_assert_int_ne(status, PERP_INFEASIBLE);
    }
    p.A[2] = p.A[3] = 1e-16; /* below rounding of the 1 beside it */
    ck_assert_int_eq(find(&p), PERP_INFEASIBLE);
    ck_assert_double_gt(p.figures.reach, 1e12);
}
END_TEST

/* Two equalities that are the same but for rounding of b contradict nothing within the noise. */
START_TEST(noise_is_no_proof)
{
    instance p;
    shape(&p, 4, 3, 2);
    for (int j = 0; j < 3; j++) {
        p.A[4 * j] = p.A[1 + 4 * j] = 1.0 + j;
        p.A[2 + 4 * j] = j == 0 ? 1.0 : 0.0;
        p.A[3 + 4 * j] = j == 0 ? -1.0 : 0.0;
    }
    p.b[0] = 1e-12;
    p.noise[0] = p.noise[1] = 1e-11;
    p.b[2] = -1.0;
    p.b[3] = 1.0;
    ck_assert_int_ne(find(&p), PERP_INFEASIBLE);
    p.b[3] = 0.5; /* now the inequalities do, for good */
    ck_assert_int_eq(find(&p), PERP_INFEASIBLE);
    ck_assert_double_eq_tol(p.figures.speed, 0.25, 1e-10);
    p.noise[2] = p.noise[3] = 1.0;
    ck_assert_int_ne(find(&p), PERP_INFEASIBLE);
    p.b[0] = 1e-3; /* and the equalities too */
    p.b[2] = p.b[3] = 1.0;
    ck_assert_int_eq(find(&p), PERP_INFEASIBLE);
    ck_assert(isinf(p.figures.speed));
    ck_assert_double_eq_tol(fmax(fabs(p.y[0]), fabs(p.y[1])), 1.0, 1e-12);
}
END_TEST

START_TEST(wrong_proofs_are_refused)
{
    instance p;
    const double good[] = {0.5, 0.5}, bad[] = {0.5, 0.5 + 1e-9}, negative[] = {-0.5, -0.5};
    shape(&p, 2, 1, 0);
    p.A[0] = 1.0;
    p.A[1] = -1.0;
    p.b[0] = -1.0;
    ck_assert_int_eq(perp_refutation_check(&p.rows, good, NULL, &p.figures), PERP_SOLVED);
    ck_assert_int_eq(p.figures.holds, 1);
    ck_assert_int_eq(perp_refutation_check(&p.rows, bad, NULL, &p.figures), PERP_SOLVED);
    ck_assert_int_eq(p.figures.holds, 0);
    ck_assert_double_eq_tol(p.figures.reach, 0.5e9, 1e3);
    ck_assert_int_eq(perp_refutation_check(&p.rows, negative, NULL, &p.figures), PERP_SOLVED);
    ck_assert_int_eq(p.figures.holds, 0);
    p.b[0] = 1.0;
    ck_assert_int_eq(perp_refutation_check(&p.rows, good, NULL, &p.figures), PERP_SOLVED);
    ck_assert_int_eq(p.figures.holds, 0);
}
END_TEST

START_TEST(bad_input)
{
    instance p;
    double nan_y[] = {NAN, 0.0};
    shape(&p, 2, 1, 0);
    p.b[0] = -1.0;
    ck_assert_int_eq(perp_rows_feasible(NULL, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    p.rows.size = 0;
    ck_assert_int_eq(find(&p), PERP_ERR_ARGUMENT);
    p.rows.size = sizeof p.rows;
    p.row[1] = 2;
    ck_assert_int_eq(find(&p), PERP_ERR_STRUCTURE);
    p.row[1] = 1;
    p.b[1] = INFINITY;
    ck_assert_int_eq(find(&p), PERP_ERR_NONFINITE);
    p.b[1] = 0.0;
    p.weight[0] = 0.0;
    ck_assert_int_eq(find(&p), PERP_ERR_ARGUMENT);
    p.weight[0] = 1.0;
    p.figures.size = 0;
    ck_assert_int_eq(find(&p), PERP_ERR_ARGUMENT);
    p.figures.size = sizeof p.figures;
    ck_assert_int_eq(perp_refutation_check(&p.rows, nan_y, NULL, &p.figures), PERP_ERR_NONFINITE);
    ck_assert_int_eq(find(&p), PERP_INFEASIBLE); /* a row without columns, b < 0 */
    ck_assert_double_eq(p.y[0], 1.0);
    p.rows.rows = p.rows.cols = 0;
    ck_assert_int_eq(find(&p), PERP_SOLVED);
}
END_TEST

typedef struct counter {
    int left, alive;
} counter;

static void *take_counted(void *ctx, size_t bytes)
{
    counter *c = ctx;
    if (c->left-- <= 0)
        return NULL;
    c->alive++;
    return malloc(bytes);
}

static void give_counted(void *ctx, void *block)
{
    counter *c = ctx;
    c->alive -= block != NULL;
    free(block);
}

START_TEST(failing_memory)
{
    perp_rng rng = {77};
    instance p;
    counter c = {0, 0};
    const perp_allocator memory = {take_counted, give_counted, &c};
    perp_status status = PERP_ERR_MEMORY;
    int tries = 0;
    shape(&p, ROWS, COLS, 2);
    plant_proof(&p, &rng);
    for (; status == PERP_ERR_MEMORY; tries++) {
        c.left = tries;
        status = perp_rows_feasible(&p.rows, &memory, p.v, p.y, &p.figures);
        ck_assert_int_eq(c.alive, 0);
    }
    ck_assert_int_eq(status, PERP_INFEASIBLE);
    ck_assert_int_gt(tries, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("feasible");
    TCase *tcase = tcase_create("rows");
    tcase_add_loop_test(tcase, planted_points_are_found, 0, 200);
    tcase_add_loop_test(tcase, planted_proofs_are_found, 0, 200);
    tcase_add_test(tcase, walls_that_close);
    tcase_add_loop_test(tcase, narrow_wedges_are_no_proof, 0, 4);
    tcase_add_test(tcase, noise_is_no_proof);
    tcase_add_test(tcase, wrong_proofs_are_refused);
    tcase_add_test(tcase, bad_input);
    tcase_add_test(tcase, failing_memory);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
