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

int main(void)
{
    Suite *suite = suite_create("proof-search");
    TCase *tcase = tcase_create("proof-search");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, closing_walls);
    tcase_add_test(tcase, squeezed_rows);
    tcase_add_loop_test(tcase, every_set, 0, 11);
    tcase_add_loop_test(tcase, solvable, 0, 11);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
