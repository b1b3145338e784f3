/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands of a one-step problem: which contacts are one, that each has the answer that it has
 * alone, and that all of them fulfil the law of the whole, written out here. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/step/one_step_islands.h"
#include "tests/fixtures/tied_systems.h"

enum { PAIRS = 10, PILE = 8, EACH = 2, PILED = 20, ROWS = 3, MOST = 64 };
static const double mu = 0.3;

typedef struct world {
    tied t;
    perp_one_step one;
    perp_link *contacts[MOST];
    int ncontacts;
} world;

/* All bodies can rise, each faster than those before it. */
static void add_contact(world *w, perp_rng *rng, int a, int b)
{
    int joints = w->t.njoints;
    perp_link *link = tied_random(&w->t, rng, ROWS, a, b);
    w->t.njoints = joints; /* the contact is no joint */
    w->t.joints[joints] = NULL;
    link->left[2 * ROWS] += 5.0;
    if (b >= 0)
        link->left[8 * ROWS] -= 5.0;
    link->law = perp_law_friction(ROWS, 0.0, mu);
    link->relations = 1;
    link->active = 1;
    link->own_restitution = 1;
    link->lambda = ref_zero(ROWS, 1);
    link->u_start = ref_zero(ROWS, 1);
    link->offset = ref_random(rng, ROWS, 1);
    link->offset[0] = -fabs(link->offset[0]);
    link->on = calloc(1, 1);
    link->mode = calloc(1, 1);
    w->contacts[w->ncontacts++] = link;
}

/* Bodies 2k and 2k + 1 hang together; contacts of the pairs take turns, so that no island has
 * rows next to each other.  A pile without joints behind them. */
static void make_world(world *w, perp_rng *rng, perp_form form, int pile)
{
    double axis[3] = {0.0, 0.0, 1.0};
    memset(w, 0, sizeof *w);
    tied_init(&w->t, 60, NULL);
    perp_one_step_init(&w->one, &w->t.pool, form);
    w->one.saddle = &w->t.saddle;
    w->one.gaps_kept = 1;
    for (int k = 0; k < 2 * PAIRS + pile; k++)
        tied_body(&w->t, rng, 1.0 + perp_rng_uniform(rng), 1.0 * k, 0.1 * k, 0.0);
    for (int k = 0; k < PAIRS; k++)
        tied_joint(&w->t, 5, 2 * k, 2 * k + 1, (double[]){2.0 * k + 0.5, 0.1, 0.2}, axis);
    for (int c = 0; c < EACH; c++)
        for (int k = 0; k < PAIRS; k++)
            add_contact(w, rng, 2 * k + c % 2, -1);
    for (int c = 0; pile && c < PILED; c++) {
        int a = 2 * PAIRS + (c + 1) % PILE, b = 2 * PAIRS + c % PILE;
        add_contact(w, rng, a > b ? a : b, a > b ? b : -1);
    }
}

static void free_world(world *w)
{
    for (int k = 0; k < w->ncontacts; k++) {
        perp_link *link = w->contacts[k];
        free(link->left), free(link->systems), free(link->lambda), free(link->u_start);
        free(link->offset), free(link->on), free(link->mode), free(link);
    }
    perp_one_step_free(&w->one);
    tied_free(&w->t);
}

static void pose(world *w)
{
    int negative = 0, index = 0;
    ck_assert_int_eq(tied_shape(&w->t), PERP_SOLVED);
    ck_assert_int_eq(tied_factor(&w->t, 1.0, &negative), PERP_SOLVED);
    for (int k = 0; k < w->t.nsystems; k++)
        ck_assert_int_eq(perp_iteration_factor(&w->t.systems[k]->W, &index), PERP_SOLVED);
    ck_assert_int_eq(
        perp_one_step_shape(&w->one, w->contacts, w->ncontacts, w->t.systems, w->t.nsystems, 1),
        PERP_SOLVED);
    ck_assert_int_eq(perp_one_step_fill(&w->one, w->t.systems, w->t.nsystems, 0), PERP_SOLVED);
}

static perp_info solve(world *w, const char *name, const perp_settings *settings)
{
    perp_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_one_step_solve(&w->one, name, settings, 0, &info), PERP_SOLVED);
    return info;
}

/* Unilateral contact and Coulomb's law, contact by contact; tol: of the largest impulse. */
static void check_law(const world *w, double tol)
{
    int n = w->one.rows;
    double largest = 1.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(w->one.z[i]));
    tol *= largest;
    double *M = ref_dense_of(&w->one.problem.M);
    double *u = ref_multiply(M, w->one.z, n, n, 1);
    for (int i = 0; i < n; i++)
        u[i] += w->one.q[i];
    for (int i = 0; i < n; i += ROWS) {
        const double *z = w->one.z + i, *v = u + i;
        double slip = hypot(v[1], v[2]), friction = hypot(z[1], z[2]);
        ck_assert_double_ge(z[0], -tol);
        ck_assert_double_ge(v[0], -tol);
        ck_assert_double_le(fabs(z[0] * v[0]), tol);
        ck_assert_double_le(friction, mu * z[0] + tol);
        for (int k = 1; k < ROWS; k++)
            ck_assert_double_le(fabs(slip * z[k] + mu * fmax(0.0, z[0]) * v[k]), tol);
        ck_assert_double_le(fabs(v[0] - w->one.w[i]), tol);
    }
    free(M), free(u);
}

static perp_form form_of(int i)
{
    static const perp_form forms[] = {PERP_FORM_DENSE, PERP_FORM_CSC, PERP_FORM_BSR};
    return forms[i % 3];
}

START_TEST(test_pairs)
{
    perp_rng rng = {(uint64_t)(20 + _i)};
    perp_settings settings;
    world w;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-11;
    make_world(&w, &rng, form_of(_i), 0);
    pose(&w);
    ck_assert_int_gt(w.one.rows, PERP_ONE_STEP_FEW_ROWS);
    ck_assert_int_eq(perp_one_step_has_islands(&w.one), 1);
    ck_assert_int_eq(w.one.islands->groups.count, PAIRS);
    ck_assert_int_eq(w.one.islands->small, PAIRS);
    ck_assert_int_eq(w.one.islands->nrest, 0);
    for (int k = 0; k < w.ncontacts; k++)
        ck_assert_int_eq(w.one.islands->groups.of[k], k % PAIRS);
    perp_info info = solve(&w, NULL, &settings);
    ck_assert_str_eq(info.solver, "auto"); /* as of each alone */
    check_law(&w, 1e-8);
    free_world(&w);
}
END_TEST

/* The first pair has the same impulses when the others are there. */
START_TEST(test_alone)
{
    perp_rng rng = {(uint64_t)(20 + _i)};
    perp_settings settings;
    double together[EACH * ROWS];
    world w;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-11;
    make_world(&w, &rng, form_of(_i), _i < 3 ? 0 : PILE);
    pose(&w);
    solve(&w, NULL, &settings);
    for (int c = 0; c < EACH; c++)
        memcpy(together + c * ROWS, w.one.z + w.contacts[c * PAIRS]->first_row,
               ROWS * sizeof(double));
    for (int k = 0; k < w.ncontacts; k++)
        w.contacts[k]->active = k % PAIRS == 0 && k < EACH * PAIRS;
    pose(&w);
    ck_assert_int_eq(w.one.rows, EACH * ROWS);
    ck_assert_int_eq(perp_one_step_has_islands(&w.one), 0);
    solve(&w, NULL, &settings);
    ck_assert_double_le(ref_distance(w.one.z, together, EACH * ROWS), 1e-9);
    free_world(&w);
}
END_TEST

/* A pile beside the pairs: the library's choice has it, and it alone. */
START_TEST(test_rest)
{
    perp_rng rng = {(uint64_t)(40 + _i)};
    perp_settings settings;
    world w;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-11;
    make_world(&w, &rng, form_of(_i), PILE);
    pose(&w);
    ck_assert_int_eq(perp_one_step_has_islands(&w.one), 1);
    ck_assert_int_eq(w.one.islands->groups.count, PAIRS + 1);
    ck_assert_int_eq(w.one.islands->small, PAIRS);
    ck_assert_int_eq(w.one.islands->nrest, PILED);
    solve(&w, NULL, &settings);
    ck_assert_int_eq(w.one.islands->others.rows, PILED * ROWS);
    check_law(&w, 1e-8);
    /* Other numbers in the same pattern; then what was kept is dropped. */
    w.t.systems[0]->W.a[0] += 0.5;
    w.t.systems[2 * PAIRS]->W.a[0] += 0.5;
    pose(&w);
    solve(&w, NULL, &settings);
    check_law(&w, 1e-8);
    double *before = ref_zero(w.one.rows, 1);
    memcpy(before, w.one.z, sizeof *before * (size_t)w.one.rows);
    perp_one_step_forget(&w.one);
    pose(&w);
    solve(&w, NULL, &settings);
    ck_assert_mem_eq(before, w.one.z, sizeof *before * (size_t)w.one.rows);
    free(before);
    free_world(&w);
}
END_TEST

/* Rows that a solve may leave unsolved at first: not those of islands. */
START_TEST(test_hard_rows)
{
    perp_rng rng = {(uint64_t)(60 + _i)};
    world w;
    make_world(&w, &rng, form_of(_i), _i < 3 ? 0 : PILE);
    pose(&w);
    ck_assert_int_eq(perp_one_step_hard_rows(&w.one, NULL), _i < 3 ? 0 : PILED * ROWS);
    ck_assert_int_eq(perp_one_step_hard_rows(&w.one, "gs"), w.one.rows);
    for (int k = 0; k < w.ncontacts; k++)
        w.contacts[k]->active = k < PAIRS;
    pose(&w);
    ck_assert_int_eq(perp_one_step_hard_rows(&w.one, NULL), PAIRS * ROWS);
    free_world(&w);
}
END_TEST

/* Rates of rounding beside others, with signs that contradict each other: none. */
START_TEST(test_rounding)
{
    perp_rng rng = {7};
    perp_settings settings;
    world w;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-11;
    make_world(&w, &rng, PERP_FORM_AUTO, 0);
    for (int c = 0; c < EACH; c++)
        for (int i = 0; i < ROWS; i++)
            w.contacts[c * PAIRS]->offset[i] = c ? -1e-17 : 1e-17;
    pose(&w);
    solve(&w, NULL, &settings);
    for (int c = 0; c < EACH; c++)
        for (int i = 0; i < ROWS; i++)
            ck_assert_double_eq(w.one.z[w.contacts[c * PAIRS]->first_row + i], 0.0);
    check_law(&w, 1e-8);
    free_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("one_step_islands");
    TCase *tcase = tcase_create("islands");
    tcase_add_loop_test(tcase, test_pairs, 0, 6);
    tcase_add_loop_test(tcase, test_alone, 0, 6);
    tcase_add_loop_test(tcase, test_rest, 0, 6);
    tcase_add_loop_test(tcase, test_hard_rows, 0, 6);
    tcase_add_test(tcase, test_rounding);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
