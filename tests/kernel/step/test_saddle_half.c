/* SPDX-License-Identifier: BSD-3-Clause */
/* Half solves of systems tied by joints against whole solves: trees, rings, rows that follow from
 * others, systems of every size; groups of one, three, six and other numbers of columns; when
 * memory is out. */
#include <check.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/step/saddle_spread.h"
#include "tests/fixtures/tied_systems.h"

enum { GROUPS = 12, MOST = 7 };

/* Rows of a contact between two systems, or one and the world. */
typedef struct group {
    perp_system *systems[2];
    int nsystems, nv, rows, from, columns;
    double *left;
} group;

static void make_groups(group *g, const tied *t, perp_rng *rng)
{
    static const int rows[GROUPS] = {3, 3, 1, 1, 5, 3, 2, 5, 3, 6, 7, 7},
                     from[GROUPS] = {0, 0, 0, 0, 0, 2, 1, 2, 0, 0, 1, 0};
    static const int columns[GROUPS] = {3, 3, 1, 1, 5, 1, 1, 3, 3, 6, 6, 7};
    for (int k = 0; k < GROUPS; k++) {
        int a = perp_rng_below(rng, t->nsystems), b = perp_rng_below(rng, t->nsystems);
        g[k] = (group){{t->systems[a], t->systems[b]},
                       1 + (a != b && k % 3 != 2),
                       0,
                       rows[k],
                       from[k],
                       columns[k],
                       NULL};
        for (int m = 0; m < g[k].nsystems; m++)
            g[k].nv += g[k].systems[m]->nv;
        g[k].left = ref_random(rng, rows[k], g[k].nv);
    }
}

/* The right-hand side of one column among all of x, 0 where no joint ties. */
static double *column(const tied *t, const group *g, int c)
{
    double *x = ref_zero(perp_saddle_dofs(&t->saddle) + perp_saddle_rows(&t->saddle), 1);
    int at = 0;
    for (int m = 0; m < g->nsystems; at += g->systems[m++]->nv)
        for (int i = 0; g->systems[m]->coupled >= 0 && i < g->systems[m]->nv; i++)
            x[g->systems[m]->coupled + i] += g->left[g->from + c + (at + i) * g->rows];
    return x;
}

/* b' K^-1 c by whole solves. */
static double reference(tied *t, const group *a, int r, const group *b, int c, double *scale)
{
    int n = perp_saddle_dofs(&t->saddle);
    double *left = column(t, a, r), *x = column(t, b, c), sum = 0.0;
    perp_saddle_solve(&t->saddle, x);
    *scale = 1e-3;
    for (int i = 0; i < n; i++) {
        sum += left[i] * x[i];
        *scale += fabs(left[i] * x[i]);
    }
    free(left), free(x);
    return sum;
}

/* b' K^-1 c by the whole solve of the group of c. */
static double by_spread(const perp_saddle_spread *spread, const tied *t, const group *a, int r,
                        int c)
{
    double sum = 0.0;
    for (int m = 0, at = 0; m < a->nsystems; at += a->systems[m++]->nv)
        for (int i = 0; a->systems[m]->coupled >= 0 && i < a->systems[m]->nv; i++) {
            const double *x = perp_saddle_spread_row(spread, &t->saddle, a->systems[m], i);
            sum += x ? a->left[a->from + r + (at + i) * a->rows] * x[c] : 0.0;
        }
    return sum;
}

static void check_spreads(tied *t, const perp_saddle_half *half, const group *g, double tol)
{
    perp_saddle_spread spread = {0};
    double products, spreads;
    ck_assert(perp_saddle_spread_begin(&spread, &t->pool, half, &t->saddle, &products, &spreads));
    ck_assert(perp_saddle_spread_reserve(&spread, &t->saddle, MOST));
    ck_assert(products > 0.0 && spreads > 0.0);
    for (int b = 0; b < GROUPS; b++) {
        perp_saddle_spread_make(&spread, half, &t->saddle, b);
        for (int a = 0; a < GROUPS; a++)
            for (int c = 0; c < g[b].columns; c++)
                for (int r = 0; r < g[a].columns; r++) {
                    double scale, exact = reference(t, &g[a], r, &g[b], c, &scale);
                    ck_assert_double_eq_tol(by_spread(&spread, t, &g[a], r, c), exact,
                                            tol * (1.0 + scale));
                }
    }
    perp_saddle_spread_free(&spread);
}

static void check_products(tied *t, perp_rng *rng, double tol)
{
    perp_saddle_half half = {0};
    group g[GROUPS];
    int negative;
    ck_assert_int_eq(tied_shape(t), PERP_SOLVED);
    ck_assert_int_eq(tied_factor(t, 1e-3, &negative), PERP_SOLVED);
    make_groups(g, t, rng);
    for (int again = 0; again < 2; again++) {
        perp_saddle_half_begin(&half, &t->pool);
        for (int k = 0; k < GROUPS; k++)
            ck_assert(perp_saddle_half_add(&half, &t->saddle, g[k].systems, g[k].nsystems,
                                           g[k].left, g[k].rows, g[k].from, g[k].columns));
    }
    for (int a = 0; a < GROUPS; a++)
        for (int b = 0; b < GROUPS; b++) {
            double block[MOST * MOST];
            for (int i = 0; i < MOST * MOST; i++)
                block[i] = 1.0;
            perp_saddle_half_product(block, MOST, &half, &t->saddle, a, b);
            for (int c = 0; c < g[b].columns; c++)
                for (int r = 0; r < g[a].columns; r++) {
                    double scale, exact = reference(t, &g[a], r, &g[b], c, &scale);
                    ck_assert_double_eq_tol(block[r + c * MOST] - 1.0, exact, tol * (1.0 + scale));
                }
            ck_assert(g[a].columns == MOST || block[g[a].columns] == 1.0);
        }
    check_spreads(t, &half, g, tol);
    perp_saddle_half_free(&half);
    for (int k = 0; k < GROUPS; k++)
        free(g[k].left);
}

START_TEST(trees_and_loops)
{
    static const double axis[3] = {0.0, 0.0, 1.0};
    perp_rng rng = {(uint64_t)(31 + _i)};
    tied t;
    tied_init(&t, 60, NULL);
    for (int k = 0; k < 12 + _i; k++) {
        double p[3] = {perp_rng_signed(&rng), perp_rng_signed(&rng), perp_rng_signed(&rng)};
        double at[3] = {p[0] + 0.3, p[1] - 0.2, p[2] + 0.1};
        tied_body(&t, &rng, 0.5 + perp_rng_uniform(&rng), p[0], p[1], p[2]);
        if (k % 7 != 6) /* islands, and a body without joints */
            tied_joint(&t, 3 + perp_rng_below(&rng, 3), k,
                       k % 7 ? k - 1 - perp_rng_below(&rng, k % 7) : -1, at, axis);
    }
    if (_i % 2) { /* closes a loop */
        double at[3] = {0.5, 0.1, 0.2};
        tied_joint(&t, 1 + _i % 3, 3, 5, at, axis);
    }
    check_products(&t, &rng, 1e-10);
    tied_stiffen(&t, &rng, 1.0, 1);
    check_products(&t, &rng, 1e-10);
    tied_free(&t);
}
END_TEST

START_TEST(systems_of_every_size)
{
    perp_rng rng = {(uint64_t)(7 + _i)};
    tied t;
    tied_init(&t, 20, NULL);
    int body = tied_body(&t, &rng, 2.0, 0.0, 0.0, 0.0), one = tied_diagonal(&t, &rng, 1);
    int two = tied_dense(&t, &rng, 2), nine = tied_dense(&t, &rng, 9);
    int many = tied_diagonal(&t, &rng, 30), string = tied_sparse(&t, &rng, 40);
    (void)tied_dense(&t, &rng, 3); /* free */
    tied_random(&t, &rng, 3, one, body);
    tied_random(&t, &rng, 1, one, two);
    tied_random(&t, &rng, 4, nine, two);
    tied_random(&t, &rng, 2, many, nine);
    tied_random(&t, &rng, 2, string, many);
    check_products(&t, &rng, 1e-9);
    tied_free(&t);
}
END_TEST

/* Along a chain each end costs its way to the root: numbers grow with the depth, not its square. */
START_TEST(a_short_way)
{
    static const double axis[3] = {0.0, 0.0, 1.0};
    perp_rng rng = {3};
    perp_saddle_half half = {0};
    tied t;
    int negative, numbers[2];
    tied_init(&t, 500, NULL);
    for (int k = 0; k < 400; k++) {
        double at[3] = {k, 0.0, 0.0};
        tied_body(&t, &rng, 1.0, k + 0.5, 0.0, 0.0);
        tied_joint(&t, 5, k, k % 20 ? k - 1 : -1, at, axis); /* twenty arms */
    }
    ck_assert_int_eq(tied_shape(&t), PERP_SOLVED);
    ck_assert_int_eq(tied_factor(&t, 0.0, &negative), PERP_SOLVED);
    double *left = ref_random(&rng, 3, 12);
    perp_saddle_half_begin(&half, &t.pool);
    for (int k = 0; k < 2; k++) {
        perp_system *pair[2] = {t.systems[19], t.systems[k ? 39 : 18]};
        ck_assert(perp_saddle_half_add(&half, &t.saddle, pair, 2, left, 3, 0, 3));
        numbers[k] = half.nnumbers;
    }
    ck_assert_int_le(numbers[0], 4 * 20 * 11); /* three columns are stored as four */
    ck_assert_int_le(numbers[1], 3 * 4 * 20 * 11);
    perp_saddle_half_free(&half);
    free(left);
    tied_free(&t);
}
END_TEST

/* Every allocation fails once: nothing is left in a state that the next call could stumble over. */
START_TEST(memory_is_out)
{
    perp_rng rng = {11};
    int reached = 0;
    for (int k = 0; !reached; k++) {
        ref_memory memory = {INT_MAX, 0, 0};
        perp_allocator allocator = ref_allocator(&memory);
        perp_saddle_half half = {0};
        tied t;
        int negative, fits = 1;
        tied_init(&t, 4, &allocator);
        int a = tied_dense(&t, &rng, 4), b = tied_dense(&t, &rng, 4);
        tied_random(&t, &rng, 2, a, b);
        ck_assert_int_eq(tied_shape(&t), PERP_SOLVED);
        ck_assert_int_eq(tied_factor(&t, 0.0, &negative), PERP_SOLVED);
        double *left = ref_random(&rng, 3, 8);
        memory.fail_at = memory.count + k;
        perp_saddle_half_begin(&half, &t.pool);
        for (int g = 0; fits && g < 400; g++)
            fits = perp_saddle_half_add(&half, &t.saddle, t.systems, 2, left, 3, 0, 3);
        reached = fits;
        memory.fail_at = INT_MAX;
        perp_saddle_half_begin(&half, &t.pool);
        ck_assert(perp_saddle_half_add(&half, &t.saddle, t.systems, 2, left, 3, 0, 3));
        perp_saddle_half_free(&half);
        free(left);
        tied_free(&t);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("half solves");
    TCase *tests = tcase_create("half solves");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, trees_and_loops, 0, 12);
    tcase_add_loop_test(tests, systems_of_every_size, 0, 4);
    tcase_add_test(tests, a_short_way);
    tcase_add_test(tests, memory_is_out);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
