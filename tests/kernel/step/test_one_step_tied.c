/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-step problem on systems that joints tie together, against Hc (KKT^-1)_vv Hc' written out
 * densely, in every form; free systems beside them. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/step/one_step.h"
#include "tests/fixtures/tied_systems.h"

enum { CONTACTS = 24, ROWS = 3 };

typedef struct world {
    tied t;
    perp_one_step one;
    perp_link *contacts[CONTACTS];
    int ncontacts, first[20]; /* of each system among all velocities */
    int n;
} world;

static void add_contact(world *w, perp_rng *rng, int rows, int a, int b)
{
    int joints = w->t.njoints;
    perp_link *link = tied_random(&w->t, rng, rows, a, b);
    w->t.njoints = joints; /* the contact is no joint */
    w->t.joints[joints] = NULL;
    link->law = rows == 1 ? perp_law_complementarity() : perp_law_friction(rows, 0.0, 0.3);
    link->relations = 1;
    link->active = 1;
    link->own_restitution = 1;
    link->lambda = ref_zero(rows, 1);
    link->u_start = ref_zero(rows, 1);
    link->offset = ref_random(rng, rows, 1);
    link->on = calloc(1, 1);
    link->mode = calloc(1, 1);
    w->contacts[w->ncontacts++] = link;
}

/* A drive with a compliance: it acts as it sees. */
static void give(perp_link *link, double compliance)
{
    link->symmetric = 0;
    link->D = ref_zero(1, 1);
    link->D[0] = compliance;
    link->right = ref_zero(link->nv, 1);
    memcpy(link->right, link->left, sizeof(double) * (size_t)link->nv);
}

static void put_contacts(world *w, perp_rng *rng, int mixed, int islands)
{
    for (int k = 0; k < CONTACTS - 4 * mixed; k++) {
        int a = islands ? perp_rng_below(rng, 12) : 10 + k % 2, b = perp_rng_below(rng, 12);
        int other = b == a || k % 3 == 0 || (!islands && b < 10) ? -1 : b;
        add_contact(w, rng, ROWS, a, other);
    }
    for (int k = 0; mixed && k < 4; k++)
        add_contact(w, rng, 1, islands ? 3 * k : 10 + k % 2, -1);
}

/* Two chains, a ring and two free bodies; or all in one chain. */
static void make_bodies(world *w, perp_rng *rng, perp_form form, int chained)
{
    double axis[3] = {0.0, 0.0, 1.0};
    memset(w, 0, sizeof *w);
    tied_init(&w->t, 60, NULL);
    perp_one_step_init(&w->one, &w->t.pool, form);
    w->one.saddle = &w->t.saddle;
    for (int k = 0; k < 12; k++) {
        tied_body(&w->t, rng, 1.0 + perp_rng_uniform(rng), 1.0 * k, 0.1 * k, 0.0);
        w->t.systems[k]->bias = ref_random(rng, 6, 1);
        w->t.systems[k]->biased = k % 3 == 0;
        w->first[k] = w->n;
        w->n += 6;
        for (int i = 0; i < 6; i++)
            w->t.systems[k]->free[i] = perp_rng_signed(rng);
        w->t.systems[k]->work = calloc(6, sizeof(double));
    }
    for (int k = 0; k < (chained ? 12 : 10); k++) {
        double at[3] = {k - 0.5, 0.3 * perp_rng_signed(rng), 0.3 * perp_rng_signed(rng)};
        /* 0-1-2-3, a ring of 4-5-6 with 7-8-9 */
        int before = k == 0 ? -1 : k == 4 && !chained ? 6 : k - 1;
        tied_joint(&w->t, 3 + k % 3, k, before, at, axis);
    }
}

static void make_world(world *w, perp_rng *rng, perp_form form, int mixed, int islands)
{
    make_bodies(w, rng, form, 0);
    put_contacts(w, rng, mixed, islands);
    tied_stiffen(&w->t, rng, 1e-3, 1);
}

static void free_world(world *w)
{
    for (int k = 0; k < w->t.nsystems; k++)
        free(w->t.systems[k]->work);
    for (int k = 0; k < w->ncontacts; k++) {
        perp_link *link = w->contacts[k];
        free(link->left), free(link->systems), free(link->lambda), free(link->u_start);
        free(link->offset), free(link->on), free(link->mode), free(link->right), free(link->D);
        free(link);
    }
    perp_one_step_free(&w->one);
    tied_free(&w->t);
}

static void fill(world *w, int same)
{
    int negative = 0, index = 0;
    ck_assert_int_eq(tied_shape(&w->t), PERP_SOLVED);
    ck_assert_int_eq(tied_factor(&w->t, 1.0, &negative), PERP_SOLVED);
    ck_assert_int_eq(negative, perp_saddle_rows(&w->t.saddle));
    ck_assert_int_eq(w->t.saddle.ndropped, 0);
    for (int k = 0; k < w->t.nsystems; k++)
        ck_assert_int_eq(perp_iteration_factor(&w->t.systems[k]->W, &index), PERP_SOLVED);
    ck_assert_int_eq(
        perp_one_step_shape(&w->one, w->contacts, w->ncontacts, w->t.systems, w->t.nsystems, 1),
        PERP_SOLVED);
    ck_assert_int_eq(perp_one_step_fill(&w->one, w->t.systems, w->t.nsystems, same), PERP_SOLVED);
}

/* The inverse on all velocities: of the KKT matrix and of W of the free systems. */
static double *dense_inverse(const world *w)
{
    int n = perp_saddle_dofs(&w->t.saddle), m = perp_saddle_rows(&w->t.saddle), all = w->n + m;
    double *A, *G, *K = ref_zero(all, all), *unit = ref_zero(all, all);
    int *at = calloc((size_t)n, sizeof(int));
    tied_dense_matrices(&w->t, 1.0, &A, &G);
    for (int k = 0; k < w->t.nsystems; k++) {
        const perp_system *s = w->t.systems[k];
        for (int i = 0; i < 6; i++) {
            if (s->coupled >= 0)
                at[s->coupled + i] = w->first[k] + i;
            for (int j = 0; s->coupled < 0 && j < 6; j++)
                K[w->first[k] + i + (w->first[k] + j) * all] = s->W.a[i + 6 * j];
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            K[at[i] + at[j] * all] = A[i + j * n];
        for (int r = 0; r < m; r++) {
            K[w->n + r + at[j] * all] = G[r + j * m];
            K[at[j] + (w->n + r) * all] = -G[r + j * m];
        }
    }
    for (int i = 0; i < all; i++)
        unit[i + i * all] = 1.0;
    double *inverse = ref_solve(K, unit, all, all), *top = ref_zero(w->n, w->n);
    for (int j = 0; j < w->n; j++)
        memcpy(top + j * w->n, inverse + j * all, sizeof *top * (size_t)w->n);
    free(A), free(G), free(K), free(unit), free(at), free(inverse);
    return top;
}

/* Hc, rows x n. */
static double *dense_rows(const world *w, int rows)
{
    double *H = ref_zero(rows, w->n);
    for (int c = 0; c < w->ncontacts; c++) {
        const perp_link *link = w->contacts[c];
        for (int k = 0; k < link->nsystems; k++) {
            int system = 0;
            while (w->t.systems[system] != link->systems[k])
                system++;
            for (int v = 0; v < 6; v++)
                for (int r = 0; r < link->rows; r++)
                    H[link->first_row + r + (w->first[system] + v) * rows] =
                        link->left[r + (6 * k + v) * link->rows];
        }
    }
    return H;
}

static void check_against_dense(world *w, const double *before)
{
    int rows = w->one.rows;
    double *inverse = dense_inverse(w), *H = dense_rows(w, rows);
    double *T = ref_transpose(H, rows, w->n);
    double *X = ref_multiply(inverse, T, w->n, w->n, rows);
    double *W = ref_multiply(H, X, rows, w->n, rows);
    double *M = ref_dense_of(&w->one.problem.M);
    for (int c = 0; c < w->ncontacts; c++)
        if (!w->contacts[c]->symmetric)
            W[w->contacts[c]->first_row * (rows + 1)] += w->contacts[c]->D[0];
    double error = ref_distance(M, W, (size_t)rows * (size_t)rows);
    ck_assert_msg(error <= 1e-12, "matrix differs by %g", error);
    /* q: free with what the bias adds, and the offsets. */
    double *bias = ref_zero(w->n, 1);
    for (int k = 0; k < w->t.nsystems; k++)
        for (int i = 0; i < 6 && w->t.systems[k]->biased; i++)
            bias[w->first[k] + i] = w->t.systems[k]->bias[i];
    double *moved = ref_multiply(inverse, bias, w->n, w->n, 1);
    for (int i = 0; i < w->n; i++)
        moved[i] += before[i];
    double *q = ref_multiply(H, moved, rows, w->n, 1);
    for (int c = 0; c < w->ncontacts; c++)
        for (int r = 0; r < w->contacts[c]->rows; r++)
            q[w->contacts[c]->first_row + r] += w->contacts[c]->offset[r];
    error = ref_distance(w->one.q, q, (size_t)rows);
    ck_assert_msg(error <= 1e-11, "q differs by %g", error);
    free(inverse), free(H), free(T), free(X), free(W), free(M), free(bias), free(moved), free(q);
}

static double *all_free(const world *w)
{
    double *x = ref_zero(w->n, 1);
    for (int k = 0; k < w->t.nsystems; k++)
        memcpy(x + w->first[k], w->t.systems[k]->free, 6 * sizeof *x);
    return x;
}

START_TEST(test_matrix_and_right_hand_side)
{
    static const perp_form forms[] = {PERP_FORM_DENSE, PERP_FORM_CSC, PERP_FORM_BSR, PERP_FORM_AUTO,
                                      PERP_FORM_DELASSUS};
    perp_form form = forms[_i % 5];
    int mixed = _i >= 5 && form != PERP_FORM_BSR;
    perp_rng rng = {(uint64_t)(90 + _i)};
    world w;
    make_world(&w, &rng, form, mixed, 1);
    double *before = all_free(&w);
    fill(&w, 0);
    ck_assert_int_eq(w.one.tied, 1);
    ck_assert_int_ne(w.one.form, PERP_FORM_DELASSUS);
    check_against_dense(&w, before);
    /* Other numbers in the saddle system alone: the matrix is filled again. */
    free(before);
    before = all_free(&w);
    w.t.stiffness[1][0] += 0.3;
    fill(&w, 1);
    check_against_dense(&w, before);
    /* A joint less: two islands more or less, the same contacts. */
    free(before);
    before = all_free(&w);
    perp_link *last = w.t.joints[--w.t.njoints];
    fill(&w, 1);
    check_against_dense(&w, before);
    w.t.joints[w.t.njoints++] = last;
    free(before);
    free_world(&w);
}
END_TEST

/* Many contacts along a chain, and drives that give way: the matrix is made from whole solves, one
 * half of it from the other. */
START_TEST(test_along_a_chain)
{
    static const perp_form forms[] = {PERP_FORM_DENSE, PERP_FORM_CSC, PERP_FORM_BSR};
    int mixed = forms[_i % 3] != PERP_FORM_BSR;
    perp_rng rng = {(uint64_t)(41 + _i)};
    world w;
    make_bodies(&w, &rng, forms[_i % 3], 1);
    w.one.may_mirror = 1;
    put_contacts(&w, &rng, mixed, 1);
    for (int k = 0; mixed && k < 4; k += 1 + _i / 3)
        give(w.contacts[CONTACTS - 4 + k], 0.3 + k);
    tied_stiffen(&w.t, &rng, 1e-3, 1);
    double *before = all_free(&w);
    fill(&w, 0);
    ck_assert_int_eq(w.one.halved, 1);
    ck_assert_int_eq(w.one.spreads, 1);
    check_against_dense(&w, before);
    int rows = w.one.rows;
    double *M = ref_dense_of(&w.one.problem.M);
    for (int a = 1; a < w.ncontacts; a++)
        for (int i = 0; i < w.contacts[a]->rows; i++)
            for (int j = 0; j < w.contacts[a]->first_row; j++) {
                int row = w.contacts[a]->first_row + i;
                ck_assert(M[row + j * rows] == M[j + row * rows]);
            }
    free(M), free(before);
    free_world(&w);
}
END_TEST

/* Where no contact touches an island, all is as without a saddle system, to the bit. */
START_TEST(test_free_bodies_alone)
{
    perp_rng rng = {4}, again = {4};
    world w, plain;
    make_world(&w, &rng, PERP_FORM_AUTO, 0, 0);
    make_world(&plain, &again, PERP_FORM_AUTO, 0, 0);
    plain.one.saddle = NULL;
    fill(&w, 0);
    fill(&plain, 0);
    ck_assert_int_eq(w.one.tied, 0);
    ck_assert_int_eq(w.one.form, PERP_FORM_BSR);
    ck_assert_int_eq(plain.one.form, PERP_FORM_BSR);
    int blocks = w.one.neighbour_ptr[w.one.nactive];
    ck_assert_int_eq(blocks, plain.one.neighbour_ptr[plain.one.nactive]);
    ck_assert_mem_eq(w.one.x, plain.one.x, sizeof(double) * (size_t)(blocks * ROWS * ROWS));
    ck_assert_mem_eq(w.one.q, plain.one.q, sizeof(double) * (size_t)w.one.rows);
    free_world(&w);
    free_world(&plain);
}
END_TEST

/* More contacts than a chain has ways to move: their impulses are not unique.  It is solved from no
 * start, and from there where rates differ by a little, in fewer steps than sweeps would take. */
START_TEST(test_impulses_that_are_not_unique)
{
    perp_rng rng = {(uint64_t)(7 + _i)};
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    world w;
    perp_settings_init(&settings, sizeof settings);
    make_bodies(&w, &rng, PERP_FORM_AUTO, 1);
    w.one.gaps_kept = 1;
    put_contacts(&w, &rng, 0, 1);
    for (int c = 0; c < w.ncontacts; c++)
        memset(w.contacts[c]->offset, 0, sizeof(double) * ROWS);
    tied_stiffen(&w.t, &rng, 1e-3, 1);
    fill(&w, 0);
    ck_assert_int_eq(w.one.rows, ROWS * CONTACTS);
    for (int again = 0; again < 4; again++) {
        perp_residuals residuals = {.size = sizeof residuals};
        for (int i = 0; again > 0 && i < w.one.rows; i++)
            w.one.q[i] *= 1.0 + 1e-6 * perp_rng_signed(&rng);
        ck_assert_int_eq(perp_one_step_solve(&w.one, NULL, &settings, 1, &info), PERP_SOLVED);
        ck_assert_int_eq(perp_residual(&w.one.problem, w.one.z, NULL, NULL, &residuals), 0);
        ck_assert(fmax(residuals.natural, residuals.scaled) <= settings.tol);
        ck_assert_int_le(info.iterations, again ? 10 : 95);
    }
    free_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("one_step_tied");
    TCase *tcase = tcase_create("assembly");
    tcase_add_loop_test(tcase, test_matrix_and_right_hand_side, 0, 10);
    tcase_add_loop_test(tcase, test_along_a_chain, 0, 6);
    tcase_add_test(tcase, test_free_bodies_alone);
    tcase_add_loop_test(tcase, test_impulses_that_are_not_unique, 0, 4);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
