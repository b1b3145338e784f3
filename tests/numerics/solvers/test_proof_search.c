/* SPDX-License-Identifier: BSD-3-Clause */
/* The default solver on problems without solution, for every set: a verdict in tens of iterations,
 * with a proof that the check confirms; and none on problems that have a solution. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"

enum { MOST = 96, SOON = 80, LATER = 400 };

/* Bodies that are points, normals and tangents in the columns of H. */
typedef struct scene {
    int dim, contacts, dofs;
    double H[MOST * MOST], q[MOST], mu[MOST], W[MOST * MOST];
} scene;

/* A contact of body a with normal n, or between a and b (b < 0: the ground). */
static void contact(scene *s, int a, int b, const double *n, double approach)
{
    int dim = s->dim, col = s->contacts * dim;
    double t[3][3] = {{n[0], n[1], dim == 3 ? n[2] : 0.0}, {-n[1], n[0], 0.0}, {0.0, 0.0, 1.0}};
    for (int r = 0; r < dim; r++)
        for (int i = 0; i < dim; i++) {
            s->H[a * dim + i + (col + r) * MOST] = t[r][i];
            if (b >= 0)
                s->H[b * dim + i + (col + r) * MOST] = -t[r][i];
        }
    s->q[col] = approach;
    s->mu[s->contacts++] = 0.5;
}

static void multiply(scene *s)
{
    int n = s->contacts * s->dim;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            s->W[i + j * n] = 0.0;
            for (int k = 0; k < s->dofs; k++)
                s->W[i + j * n] += s->H[k + i * MOST] * s->H[k + j * MOST];
        }
}

static perp_status solve(const perp_problem *p, perp_info *info, perp_certificate_figures *seen)
{
    perp_solver *solver;
    perp_certificate_kind kind;
    double z[MOST], w[MOST], y[MOST];
    *info = (perp_info){.size = sizeof *info};
    *seen = (perp_certificate_figures){.size = sizeof *seen};
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), NULL, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, p), 0);
    perp_status status = perp_solver_solve(solver, z, w, info);
    ck_assert_int_eq(perp_solver_certificate(solver, p->M.rows, &kind, y), 0);
    if (kind == PERP_CERTIFICATE_INFEASIBLE)
        ck_assert_int_eq(perp_certificate_check(p, kind, y, NULL, seen), 0);
    perp_solver_destroy(solver);
    return status;
}

/* least: of the reach. */
static void refuted_soon(const perp_problem *p, double least, const char *what, int which)
{
    perp_info info;
    perp_certificate_figures seen;
    perp_status status = solve(p, &info, &seen);
    ck_assert_msg(status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN,
                  "%s %d: %s after %d", what, which, perp_status_name(status), info.iterations);
    /* Pivots of rows of one are cheap, and many. */
    int most = p->seg[0].dim == 1 ? 3000 : p->M.rows <= 6 ? SOON : LATER;
    ck_assert_msg(info.iterations <= most, "%s %d: %d iterations", what, which, info.iterations);
    ck_assert_int_eq(seen.holds, status == PERP_INFEASIBLE);
    ck_assert_msg(seen.reach >= least, "%s %d: %g", what, which, seen.reach);
}

/* The matrix as DENSE, BSR and DELASSUS. */
static void refuted_in_each_storage(scene *s, double least, const char *what)
{
    static double blocks[MOST * MOST], H[MOST * MOST], ones[MOST * MOST];
    int n = s->contacts * s->dim, dim = s->dim, ptr[MOST + 1], col[MOST * MOST], at = 0;
    int colptr[MOST + 1], row[MOST * MOST];
    perp_segment seg = {PERP_COULOMB, dim, s->contacts, {s->mu, NULL}, {1, 0}};
    perp_problem p = {.q = s->q, .seg = &seg, .nseg = 1};
    multiply(s);
    perp_mat_init_dense(&p.M, n, n, s->W, n);
    refuted_soon(&p, least, what, 0);
    for (int i = 0; i < s->contacts; i++) {
        ptr[i] = at;
        for (int j = 0; j < s->contacts; j++, at++) {
            col[at] = j;
            for (int e = 0; e < dim * dim; e++)
                blocks[at * dim * dim + e] =
                    s->W[i * dim + e % dim + (j * dim + e / dim) * n];
        }
    }
    ptr[s->contacts] = at;
    perp_mat_init_bsr(&p.M, s->contacts, dim, ptr, col, blocks);
    refuted_soon(&p, least, what, 1);
    perp_mat mass;
    perp_mass *inverse;
    memset(ones, 0, sizeof ones);
    for (int i = 0; i < s->dofs; i++)
        ones[i + i * s->dofs] = 1.0;
    perp_mat_init_dense(&mass, s->dofs, s->dofs, ones, s->dofs);
    ck_assert_int_eq(perp_mass_create(&inverse, &mass, NULL, NULL), 0);
    at = 0;
    for (int j = 0; j < n; j++) {
        colptr[j] = at;
        for (int i = 0; i < s->dofs; i++)
            if (s->H[i + j * MOST] != 0.0) {
                row[at] = i;
                H[at++] = s->H[i + j * MOST];
            }
    }
    colptr[n] = at;
    perp_mat_init_delassus(&p.M, s->dofs, n, colptr, row, H, inverse);
    refuted_soon(&p, least, what, 2);
    perp_mass_destroy(inverse);
}

/* Two walls that close on a point, straight and oblique, in the plane and in space. */
START_TEST(closing_walls)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 8; k++) {
            static scene s;
            double a = k == 0 ? 0.0 : 0.37 * k, n[3] = {cos(a), sin(a), 0.0};
            double back[3] = {-n[0], -n[1], 0.0};
            memset(&s, 0, sizeof s);
            s.dim = dim;
            s.dofs = dim;
            contact(&s, 0, -1, n, -1.0);
            contact(&s, 0, -1, back, -1.0);
            refuted_in_each_storage(&s, k == 0 ? INFINITY : 1e12, "walls");
        }
}
END_TEST

/* A row of points between two walls that close, among others that move freely. */
START_TEST(squeezed_rows)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int points = 2; points <= 8; points++) {
            static scene s;
            const double right[3] = {1, 0, 0}, left[3] = {-1, 0, 0}, up[3] = {0, 1, 0};
            memset(&s, 0, sizeof s);
            s.dim = dim;
            s.dofs = dim * points;
            contact(&s, 0, -1, right, -1.0);
            for (int k = 1; k < points; k++)
                contact(&s, k, k - 1, right, 0.0);
            contact(&s, points - 1, -1, left, -1.0);
            for (int k = 0; k < points; k++)
                contact(&s, k, -1, up, -0.1);
            refuted_in_each_storage(&s, 1e10, "row");
        }
}
END_TEST

/* M and q of every other set, unsymmetric, such that the planted y is a proof with margins. */
typedef struct other {
    perp_problem problem;
    perp_segment seg[3];
    double par[3][2], M[MOST * MOST], q[MOST];
} other;

static void plant(other *p, int set, perp_rng *rng)
{
    static const perp_segment sets[] = {
        {PERP_NONNEG, 1, 12, {NULL}, {0}}, {PERP_BOX, 1, 12, {NULL}, {0}},
        {PERP_TRESCA, 3, 4, {NULL}, {0}},  {PERP_TRESCA, 2, 4, {NULL}, {0}},
        {PERP_SOC, 3, 4, {NULL}, {0}},     {PERP_COULOMB, 3, 4, {NULL}, {0}},
        {PERP_COULOMB, 2, 4, {NULL}, {0}}, {PERP_ROLLING, 5, 3, {NULL}, {0}},
        {PERP_ROLLING, 3, 3, {NULL}, {0}}, {PERP_ROLLING, 4, 3, {NULL}, {0}},
        {PERP_ROLLING, 6, 2, {NULL}, {0}}};
    memset(p, 0, sizeof *p);
    p->seg[0] = sets[set];
    p->par[0][0] = set == 1 ? -0.1 : 0.4;
    p->par[0][1] = set == 1 ? INFINITY : 0.1;
    p->seg[0].par[0] = &p->par[0][0];
    p->seg[0].par[1] = &p->par[0][1];
    p->seg[0].par[2] = &p->par[0][1];
    int dim = sets[set].dim, n = dim * sets[set].count;
    /* y is 1 in normal rows 0 and 1; c: -4 in normal columns, at most 1 in others. */
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            p->M[i + j * n] = perp_rng_signed(rng) + (i == j ? 3.0 : 0.0);
        double wanted = j % dim == 0 ? -4.0 : 0.5 * perp_rng_signed(rng);
        p->M[dim + j * n] = wanted - p->M[0 + j * n];
    }
    for (int i = 0; i < n; i++)
        p->q[i] = perp_rng_signed(rng);
    p->q[dim] = -p->q[0] - 9.0;
    p->problem = (perp_problem){.q = p->q, .seg = p->seg, .nseg = 1};
    perp_mat_init_dense(&p->problem.M, n, n, p->M, n);
}

START_TEST(every_set)
{
    perp_rng rng = {17};
    for (int k = 0; k < 20; k++) {
        other p;
        plant(&p, _i, &rng);
        refuted_soon(&p.problem, 1e10, "set", _i);
    }
}
END_TEST

/* Problems with a planted solution are not refuted. */
START_TEST(solvable)
{
    perp_rng rng = {18};
    for (int k = 0; k < 100; k++) {
        other p;
        perp_info info;
        perp_certificate_figures seen;
        plant(&p, _i, &rng);
        int n = p.problem.M.rows, dim = p.seg[0].dim;
        for (int i = 0; i < n; i++)
            p.q[i] = 0.0;
        for (int j = 0; j < n; j += dim)
            for (int i = 0; i < n; i++)
                p.q[i] -= 5.0 * p.M[i + j * n];
        perp_status status = solve(&p.problem, &info, &seen);
        ck_assert_msg(status != PERP_INFEASIBLE && info.reach <= 5.0, "%d: %s %g", k,
                      perp_status_name(status), info.reach);
    }
}
END_TEST

/* A point between two walls that close, or of which one gives way, at the head of a chain whose rows
 * are of every kind of a single row: equations, one bound on either side, two, and rows that give way.
 * H has whole numbers, so that the proof is exact. */
enum { CHAIN = 12, LINKS = 8, CHAIN_DOFS = 10 };
typedef struct chain {
    double H[CHAIN_DOFS * CHAIN], W[CHAIN * CHAIN], q[CHAIN], give[CHAIN], mu, lo[3], hi[3];
    perp_segment seg[5];
    perp_problem problem;
    int colptr[CHAIN + 1], row[2 * CHAIN];
    double x[2 * CHAIN];
} chain;

static void make_chain(chain *c, double wall_gives)
{
    static const double sizes[LINKS] = {0.3, -0.2, -0.5, 0.4, -0.3, 0.1, -0.6, -0.2};
    memset(c, 0, sizeof *c);
    c->mu = 0.5;
    c->H[0] = 1.0; /* normals of the two walls along x, tangents along y */
    c->H[1 + CHAIN_DOFS] = 1.0;
    c->H[2 * CHAIN_DOFS] = -1.0;
    c->H[1 + 3 * CHAIN_DOFS] = -1.0;
    c->q[0] = c->q[2] = -1.0;
    c->give[2] = wall_gives;
    for (int k = 0; k < LINKS; k++) {
        c->H[1 + k + (4 + k) * CHAIN_DOFS] = 1.0;
        c->H[2 + k + (4 + k) * CHAIN_DOFS] = -1.0;
        c->q[4 + k] = sizes[k];
    }
    c->give[10] = 0.5;
    c->give[11] = 0.25;
    c->lo[0] = -1.0, c->hi[0] = INFINITY;
    c->lo[1] = -INFINITY, c->hi[1] = 1.0;
    c->lo[2] = -2.0, c->hi[2] = 2.0;
    c->seg[0] = (perp_segment){PERP_COULOMB, 2, 2, {&c->mu, NULL}, {0, 0}};
    c->seg[1] = (perp_segment){PERP_FREE, 1, 2, {NULL, NULL}, {0, 0}};
    c->seg[2] = (perp_segment){PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    c->seg[3] = (perp_segment){PERP_BOX, 1, 3, {c->lo, c->hi}, {1, 1}};
    c->seg[4] = (perp_segment){PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    c->problem = (perp_problem){.q = c->q, .seg = c->seg, .nseg = 5};
    for (int i = 0; i < CHAIN; i++)
        for (int j = 0; j < CHAIN; j++) {
            c->W[i + j * CHAIN] = i == j ? c->give[i] : 0.0;
            for (int k = 0; k < CHAIN_DOFS; k++)
                c->W[i + j * CHAIN] += c->H[k + i * CHAIN_DOFS] * c->H[k + j * CHAIN_DOFS];
        }
}

/* Kept as H' M^-1 H with what gives way beside it (kind 0), dense (1), and dense with a skew part between
 * links, so that a proof is one of all rows and unknowns (2). */
static perp_mass *store_chain(chain *c, int kind)
{
    perp_mass *inverse = NULL;
    perp_mat mass;
    int at = 0;
    if (kind > 0) {
        for (int k = 4; kind == 2 && k + 1 < CHAIN; k++) {
            c->W[k + (k + 1) * CHAIN] += 0.25;
            c->W[k + 1 + k * CHAIN] -= 0.25;
        }
        ck_assert_int_eq(perp_mat_init_dense(&c->problem.M, CHAIN, CHAIN, c->W, CHAIN), 0);
        return NULL;
    }
    for (int j = 0; j < CHAIN; j++) {
        c->colptr[j] = at;
        for (int i = 0; i < CHAIN_DOFS; i++)
            if (c->H[i + j * CHAIN_DOFS] != 0.0) {
                c->row[at] = i;
                c->x[at++] = c->H[i + j * CHAIN_DOFS];
            }
    }
    c->colptr[CHAIN] = at;
    static const double ones[CHAIN_DOFS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int ptr[CHAIN_DOFS + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    ck_assert_int_eq(perp_mat_init_csc(&mass, CHAIN_DOFS, CHAIN_DOFS, ptr, ptr, ones), 0);
    ck_assert_int_eq(perp_mass_create(&inverse, &mass, NULL, NULL), 0);
    ck_assert_int_eq(perp_mat_init_delassus(&c->problem.M, CHAIN_DOFS, CHAIN, c->colptr, c->row, c->x,
                                            inverse),
                     0);
    c->problem.M.as.delassus.diagonal = c->give;
    return inverse;
}

/* Tangents that give way say nothing of w there: the normals of a second-order cone are enough. */
START_TEST(cones_whose_tangents_give_way)
{
    for (int kind = 0; kind < 3; kind++) {
        chain c;
        make_chain(&c, 0.0);
        c.seg[0].set = PERP_SOC;
        c.give[1] = c.give[3] = 0.1;
        c.W[1 + CHAIN] += 0.1;
        c.W[3 + 3 * CHAIN] += 0.1;
        perp_mass *mass = store_chain(&c, kind);
        refuted_soon(&c.problem, INFINITY, "cones", kind);
        perp_mass_destroy(mass);
    }
}
END_TEST

START_TEST(chains_of_every_row)
{
    for (int gives = 0; gives < 2; gives++) {
        chain c;
        perp_info info;
        perp_certificate_figures seen;
        make_chain(&c, gives ? 0.5 : 0.0);
        perp_mass *mass = store_chain(&c, _i);
        if (gives)
            ck_assert_int_eq(solve(&c.problem, &info, &seen), PERP_SOLVED);
        else
            refuted_soon(&c.problem, INFINITY, "chain", _i);
        perp_mass_destroy(mass);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("proof-search");
    TCase *tcase = tcase_create("proof-search");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, closing_walls);
    tcase_add_test(tcase, squeezed_rows);
    tcase_add_loop_test(tcase, every_set, 0, 11);
    tcase_add_loop_test(tcase, solvable, 0, 11);
    tcase_add_loop_test(tcase, chains_of_every_row, 0, 3);
    tcase_add_test(tcase, cones_whose_tangents_give_way);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
