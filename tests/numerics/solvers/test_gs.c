/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel: the same iterates on every storage, its settings, updates. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "tests/fixtures/generated.h"
#include "linalg/csc.h"
#include "tests/fixtures/stored.h"

enum { BODY = 6 };

typedef enum mass_kind {
    DIAGONAL,   /* six components of one unknown to a body */
    RIGID,      /* one symmetric component of six */
    LOPSIDED,   /* the same, unsymmetric */
    CHAIN,      /* all unknowns coupled, symmetric */
    TWO_CHAINS, /* two coupled parts, one unsymmetric, and rigid bodies */
    MASS_KINDS
} mass_kind;

static const char *const mass_names[] = {"diagonal", "rigid", "lopsided", "chain", "two chains"};

static void couple(stored_problem *p, int from, int to, double skew)
{
    for (int i = from; i + 1 < to; i++) {
        p->mass[i + (i + 1) * p->dofs] = 0.4 + skew;
        p->mass[i + 1 + i * p->dofs] = 0.4 - skew;
    }
}

static void fill_mass(stored_problem *p, mass_kind kind, perp_rng *rng)
{
    int m = p->dofs;
    for (int i = 0; i < m; i++)
        p->mass[i + i * m] = 2.0 + perp_rng_uniform(rng);
    for (int b = 0; kind != DIAGONAL && kind != CHAIN && b < m / BODY; b++) {
        if (kind == TWO_CHAINS && b < 4)
            continue;
        for (int j = 0; j < BODY; j++)
            for (int i = 0; i < j; i++) {
                double a = 0.2 * perp_rng_signed(rng),
                       s = kind == LOPSIDED ? 0.1 * perp_rng_signed(rng) : 0.0;
                p->mass[b * BODY + i + (b * BODY + j) * m] = a + s;
                p->mass[b * BODY + j + (b * BODY + i) * m] = a - s;
            }
    }
    if (kind == CHAIN)
        couple(p, 0, m, 0.0);
    if (kind == TWO_CHAINS) {
        couple(p, 0, 13, 0.0);
        couple(p, 13, 26, 0.05);
    }
}

/* Each block touches one body or two of `bodies`; M = H' mass^-1 H. */
static void fill_bodies(stored_problem *p, int bodies, mass_kind kind, perp_rng *rng)
{
    stored_factors(p, BODY * bodies);
    fill_mass(p, kind, rng);
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim, one = k % bodies, two = perp_rng_below(rng, bodies);
        stored_block(p, k, &row, &dim);
        for (int j = row; j < row + dim; j++)
            for (int i = 0; i < BODY; i++) {
                p->H[one * BODY + i + j * p->dofs] = perp_rng_signed(rng);
                if (k % 3 && two != one)
                    p->H[two * BODY + i + j * p->dofs] = perp_rng_signed(rng);
            }
    }
    stored_multiply(p);
    for (int i = 0; i < p->n; i++)
        p->q[i] = perp_rng_signed(rng);
}

static void contacts(stored_problem *p, mass_kind kind, int bodies, int count, uint64_t seed)
{
    perp_rng rng = {seed};
    stored_init(p, "contacts");
    stored_segment(p, PERP_COULOMB, 3, count, 0.3, 0.0);
    stored_allocate(p);
    fill_bodies(p, bodies, kind, &rng);
}

static void mixture(stored_problem *p, mass_kind kind, uint64_t seed)
{
    perp_rng rng = {seed};
    stored_init(p, "mixture");
    stored_segment(p, PERP_FREE, 1, 4, 0.0, 0.0);
    stored_segment(p, PERP_COULOMB, 3, 4, 0.4, 0.0);
    stored_segment(p, PERP_NONNEG, 1, 3, 0.0, 0.0);
    stored_segment(p, PERP_BOX, 1, 3, -0.05, 0.1);
    stored_segment(p, PERP_COULOMB, 2, 3, 0.5, 0.0);
    stored_segment(p, PERP_TRESCA, 3, 2, 0.05, 0.0);
    stored_segment(p, PERP_SOC, 5, 1, 0.7, 0.0);
    stored_allocate(p);
    fill_bodies(p, 8, kind, &rng);
}

static perp_settings settings_of(double tol, int max_iter)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    settings.max_iter = max_iter;
    return settings;
}

static void set(perp_settings *settings, const char *name, const char *value)
{
    ck_assert_int_eq(perp_settings_set(settings, name, value), PERP_SOLVED);
}

static perp_solver *open_solver(const perp_problem *problem, const perp_settings *settings)
{
    perp_solver *solver = NULL;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("gs"), settings, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, problem), PERP_SOLVED);
    return solver;
}

static perp_info solve(const perp_problem *problem, const perp_settings *settings, double *z,
                       double *w)
{
    perp_info info = {.size = sizeof info};
    perp_solver *solver = open_solver(problem, settings);
    ck_assert_int_ge(perp_solver_solve(solver, z, w, &info), 0);
    perp_solver_destroy(solver);
    return info;
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double distance(const double *x, const double *y, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* Seven iterations from zero, on every storage, against the dense one. */
static void compare_storages(const stored_problem *p, const perp_settings *settings,
                             const char *what)
{
    static const storage kinds[] = {STORED_DENSE_LD, STORED_CSC, STORED_BSR, STORED_DELASSUS};
    double z[200], w[200], zk[200], wk[200];
    stored_view view;
    ck_assert_int_le(p->n, 200);
    ck_assert(stored_view_make(&view, p, STORED_DENSE));
    perp_info info = solve(&view.problem, settings, z, w);
    stored_view_free(&view);
    ck_assert_int_eq(info.iterations, settings->max_iter);
    ck_assert_double_gt(largest(z, p->n), 0.0);
    /* The last one again, with H read where it lies. */
    for (int k = 0; k < 5; k++) {
        perp_settings used = *settings;
        if (!stored_view_make(&view, p, kinds[k < 4 ? k : 3]))
            continue;
        set(&used, "storage", k < 4 ? "packed" : "in-place");
        info = solve(&view.problem, &used, zk, wk);
        stored_view_free(&view);
        ck_assert_msg(distance(z, zk, p->n) <= 1e-10 * largest(z, p->n),
                      "%s %s, storage %s: z differs by %g of %g", p->name, what,
                      k < 4 ? storage_names[kinds[k]] : "in place", distance(z, zk, p->n),
                      largest(z, p->n));
        ck_assert_double_le(distance(w, wk, p->n), 1e-9 * (largest(w, p->n) + largest(z, p->n)));
    }
}

START_TEST(storages_agree)
{
    perp_settings settings = settings_of(0.0, 7);
    stored_problem p;
    set(&settings, "check_every", "1000000");
    contacts(&p, (mass_kind)_i, 8, 14, 3);
    compare_storages(&p, &settings, mass_names[_i]);
    stored_free(&p);
    mixture(&p, (mass_kind)_i, 4);
    compare_storages(&p, &settings, mass_names[_i]);
    stored_free(&p);
}
END_TEST

/* Every order and step, where kernels could differ. */
START_TEST(variants_agree_between_storages)
{
    static const char *const variant[][4] = {{"sweep", "symmetric", "relaxation", "0.8"},
                                             {"relaxation", "1.4", "sweep", "forward"},
                                             {"shuffle", "1", "sweep", "symmetric"},
                                             {"freeze", "3", "shuffle", "1"}};
    stored_problem p;
    mixture(&p, RIGID, 11);
    for (int k = 0; k < 4; k++) {
        perp_settings settings = settings_of(0.0, 9);
        set(&settings, "check_every", "4");
        set(&settings, variant[k][0], variant[k][1]);
        set(&settings, variant[k][2], variant[k][3]);
        compare_storages(&p, &settings, variant[k][0]);
    }
    stored_free(&p);
}
END_TEST

/* Contacts in the plane: blocks of two on bodies of three unknowns. */
START_TEST(planar_bodies)
{
    perp_rng rng = {5};
    stored_problem p;
    perp_settings settings = settings_of(0.0, 7);
    stored_init(&p, "planar");
    stored_segment(&p, PERP_COULOMB, 2, 9, 0.4, 0.0);
    stored_allocate(&p);
    stored_factors(&p, 21);
    for (int k = 0; k < 9; k++)
        for (int j = 2 * k; j < 2 * k + 2; j++)
            for (int i = 0; i < 3; i++) {
                p.H[k % 7 * 3 + i + j * p.dofs] = perp_rng_signed(&rng);
                p.H[(k + 3) % 7 * 3 + i + j * p.dofs] = perp_rng_signed(&rng);
            }
    stored_multiply(&p);
    for (int i = 0; i < p.n; i++)
        p.q[i] = perp_rng_signed(&rng);
    compare_storages(&p, &settings, "bodies of three");
    stored_free(&p);
}
END_TEST

/* A row over all unknowns, among rows over one. */
START_TEST(long_rows)
{
    perp_rng rng = {6};
    stored_problem p;
    perp_settings settings = settings_of(0.0, 7);
    stored_init(&p, "long rows");
    stored_segment(&p, PERP_NONNEG, 1, 10, 0.0, 0.0);
    stored_segment(&p, PERP_FREE, 1, 1, 0.0, 0.0);
    stored_allocate(&p);
    stored_factors(&p, 11);
    for (int j = 0; j < p.n; j++)
        for (int i = 0; i < p.dofs; i++)
            p.H[i + j * p.dofs] = j == 10 || i == j ? perp_rng_signed(&rng) + 2.0 : 0.0;
    stored_multiply(&p);
    for (int i = 0; i < p.n; i++)
        p.q[i] = perp_rng_signed(&rng);
    compare_storages(&p, &settings, "one over all");
    stored_free(&p);
}
END_TEST

/* Blocks of three hold contacts, three FREE rows, and rows of both. */
START_TEST(rows_of_blocks_that_hold_several)
{
    perp_rng rng = {8};
    perp_settings settings = settings_of(1e-9, 5000);
    stored_problem p;
    stored_view dense;
    perp_arena arena;
    perp_csc csc;
    perp_problem bsr;
    double z[32], w[32], zb[32], wb[32];
    stored_init(&p, "several");
    stored_segment(&p, PERP_COULOMB, 3, 2, 0.4, 0.0);
    stored_segment(&p, PERP_FREE, 1, 4, 0.0, 0.0);
    stored_segment(&p, PERP_COULOMB, 3, 1, 0.4, 0.0);
    stored_segment(&p, PERP_COULOMB, 2, 1, 0.4, 0.0);
    stored_segment(&p, PERP_SOC, 6, 1, 0.5, 0.0);
    stored_allocate(&p);
    fill_bodies(&p, 8, RIGID, &rng);
    ck_assert_int_eq(p.n % 3, 0);
    perp_arena_init(&arena, NULL);
    ck_assert(stored_view_make(&dense, &p, STORED_DENSE));
    bsr = dense.problem;
    ck_assert_int_eq(perp_csc_from_mat(&csc, &dense.problem.M, &arena), PERP_SOLVED);
    ck_assert_int_eq(perp_bsr_from_csc(&bsr.M, &csc, 3, &arena), PERP_SOLVED);
    perp_info a = solve(&dense.problem, &settings, z, w), b = solve(&bsr, &settings, zb, wb);
    ck_assert_int_eq(a.status, PERP_SOLVED);
    ck_assert_int_eq(b.status, PERP_SOLVED);
    ck_assert_int_eq(a.iterations, b.iterations);
    ck_assert_double_le(distance(z, zb, p.n), 1e-9 * largest(z, p.n));
    perp_arena_free(&arena);
    stored_view_free(&dense);
    stored_free(&p);
}
END_TEST

/* On a nonsingular problem every variant ends at the same w. */
static void check_variants(const stored_problem *p)
{
    static const char *const variant[][2] = {{"tol", "1e-11"},
                                             {"sweep", "symmetric"},
                                             {"relaxation", "0.6"},
                                             {"relaxation", "1.2"},
                                             {"shuffle", "1"},
                                             {"seed", "77"},
                                             {"freeze", "1"},
                                             {"freeze", "20"},
                                             {"local", "quartic"},
                                             {"local", "newton"},
                                             {"local", "projection"},
                                             {"acceleration", "none"},
                                             {"acceleration", "nncg"},
                                             {"acceleration", "anderson"},
                                             {"depth", "1"}};
    double z[200], w[200], zk[200], wk[200];
    stored_view view;
    perp_residuals judged = {.size = sizeof judged};
    ck_assert(stored_view_make(&view, p, STORED_BSR));
    for (size_t k = 0; k < sizeof variant / sizeof variant[0]; k++) {
        perp_settings settings = settings_of(1e-11, 20000);
        set(&settings, "shuffle", strcmp(variant[k][0], "seed") ? "0" : "1");
        set(&settings, variant[k][0], variant[k][1]);
        perp_info info = solve(&view.problem, &settings, k ? zk : z, k ? wk : w);
        ck_assert_msg(info.status == PERP_SOLVED, "%s %s = %s: %s, error %g", p->name,
                      variant[k][0], variant[k][1], perp_status_name(info.status), info.error);
        perp_residual(&view.problem, k ? zk : z, NULL, NULL, &judged);
        ck_assert_double_le(fmax(judged.natural, judged.scaled), 1e-11);
        if (k)
            ck_assert_msg(distance(w, wk, p->n) <= 1e-8 * largest(p->q, p->n), "%s %s = %s: %g",
                          p->name, variant[k][0], variant[k][1], distance(w, wk, p->n));
    }
    stored_view_free(&view);
}

START_TEST(variants_end_alike)
{
    stored_problem p;
    contacts(&p, RIGID, 10, 10, 21);
    check_variants(&p);
    stored_free(&p);
    mixture(&p, RIGID, 22);
    check_variants(&p);
    stored_free(&p);
}
END_TEST

START_TEST(order_follows_the_seed)
{
    stored_problem p;
    stored_view view;
    perp_settings settings = settings_of(0.0, 3);
    double z[3][64], w[64];
    contacts(&p, RIGID, 8, 14, 31);
    ck_assert(stored_view_make(&view, &p, STORED_DELASSUS));
    set(&settings, "shuffle", "1");
    perp_solver *solver = open_solver(&view.problem, &settings);
    for (int k = 0; k < 3; k++) {
        settings.seed = k < 2 ? 5 : 6;
        perp_solver_set_settings(solver, &settings);
        ck_assert_int_ge(perp_solver_solve(solver, z[k], w, NULL), 0);
    }
    ck_assert_mem_eq(z[0], z[1], sizeof(double) * (size_t)p.n);
    ck_assert_mem_ne(z[0], z[2], sizeof(double) * (size_t)p.n);
    perp_solver_destroy(solver);
    stored_view_free(&view);
    stored_free(&p);
}
END_TEST

/* With rare measurements the change of a sweep alone tells when to measure. */
START_TEST(the_change_rings_in_time)
{
    for (uint64_t seed = 41; seed < 49; seed++) {
        stored_problem p;
        stored_view view;
        double z[64], w[64];
        int iterations[2];
        contacts(&p, RIGID, 10, 12, seed);
        for (int i = 0; i < p.n; i++)
            p.q[i] *= seed % 2 ? 1e-6 : 1e5;
        ck_assert(stored_view_make(&view, &p, STORED_BSR));
        for (int k = 0; k < 2; k++) {
            perp_settings settings = settings_of(1e-8, 50000);
            set(&settings, "check_every", k ? "1000000" : "1");
            set(&settings, "measure", "scaled");
            perp_info info = solve(&view.problem, &settings, z, w);
            ck_assert_int_eq(info.status, PERP_SOLVED);
            iterations[k] = info.iterations;
        }
        ck_assert_int_ge(iterations[1], iterations[0]);
        ck_assert_int_le(iterations[1], iterations[0] + iterations[0] / 4 + 4);
        stored_view_free(&view);
        stored_free(&p);
    }
}
END_TEST

static int count_progress(void *ctx, const perp_progress *progress)
{
    int *last = ctx;
    *last = progress->iteration;
    return 0;
}

START_TEST(limits_are_exact)
{
    stored_problem p;
    stored_view view;
    double z[64], w[64];
    contacts(&p, RIGID, 6, 14, 51);
    ck_assert(stored_view_make(&view, &p, STORED_BSR));
    for (int limit = 1; limit < 23; limit += 7) {
        int last = -1;
        perp_settings settings = settings_of(0.0, limit);
        settings.progress = count_progress;
        settings.progress_ctx = &last;
        perp_info info = solve(&view.problem, &settings, z, w);
        ck_assert_int_eq(info.status, PERP_ITERATION_LIMIT);
        ck_assert_int_eq(info.iterations, limit);
        ck_assert_int_eq(last, limit);
    }
    stored_view_free(&view);
    stored_free(&p);
}
END_TEST

/* Saddle point with a zero block: that z stays, and nothing is called solved. */
START_TEST(blocks_without_a_solution_stay)
{
    double M[] = {2.0, 0.0, 1.0, 0.0, 2.0, 1.0, 1.0, 1.0, 0.0}, q[] = {-1.0, -1.0, -0.5};
    double z[3] = {0.0, 0.0, 0.25}, w[3];
    perp_segment seg[] = {{PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}},
                          {PERP_FREE, 1, 1, {NULL, NULL}, {0, 0}}};
    perp_problem problem = {.q = q, .seg = seg, .nseg = 2};
    perp_settings settings = settings_of(1e-8, 0);
    settings.warm_start = 1;
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, 3, 3, M, 3), PERP_SOLVED);
    perp_info info = solve(&problem, &settings, z, w);
    ck_assert_int_eq(info.status, PERP_STALLED);
    ck_assert(z[2] == 0.25);
    /* The other rows were solved for it. */
    ck_assert_double_eq_tol(z[0], 0.375, 1e-15);
    ck_assert_double_eq_tol(z[1], 0.375, 1e-15);
}
END_TEST

/* A contact that no impulse can open (all of it zero) beside one that moves. */
START_TEST(an_impossible_contact_stays)
{
    double M[36] = {0.0}, q[] = {-1.0, 0.2, 0.1, -1.0, 0.0, 0.3}, mu = 0.5, z[6], w[6];
    perp_segment seg = {PERP_COULOMB, 3, 2, {&mu, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_settings settings = settings_of(1e-8, 0);
    M[21] = M[28] = M[35] = 1.0;
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, 6, 6, M, 6), PERP_SOLVED);
    perp_info info = solve(&problem, &settings, z, w);
    ck_assert_int_eq(info.status, PERP_STALLED);
    ck_assert(z[0] == 0.0 && z[1] == 0.0 && z[2] == 0.0);
    ck_assert_double_eq_tol(z[3], 1.0, 1e-12);
    ck_assert_double_eq_tol(z[5], -0.3, 1e-12);
}
END_TEST

/* A second problem of the same shape, other numbers everywhere. */
static void check_update(const stored_problem *first, const stored_problem *second, storage kind,
                         const char *way)
{
    stored_view one, two;
    double za[200], zb[200], w[200];
    perp_settings settings = settings_of(0.0, 12);
    set(&settings, "storage", way);
    if (!stored_view_make(&one, first, kind))
        return;
    ck_assert(stored_view_make(&two, second, kind));
    perp_solver *solver = open_solver(&one.problem, &settings);
    ck_assert_int_ge(perp_solver_solve(solver, za, w, NULL), 0);
    size_t bytes = perp_solver_info(solver)->bytes;
    ck_assert_int_eq(perp_solver_update(solver, &two.problem), PERP_SOLVED);
    ck_assert_int_ge(perp_solver_solve(solver, za, w, NULL), 0);
    ck_assert_uint_eq(perp_solver_info(solver)->bytes, bytes);
    solve(&two.problem, &settings, zb, w);
    ck_assert_mem_eq(za, zb, sizeof(double) * (size_t)first->n);
    perp_solver_destroy(solver);
    stored_view_free(&one);
    stored_view_free(&two);
}

static void scale_numbers(stored_problem *p)
{
    perp_rng rng = {99};
    for (int i = 0; i < p->dofs * p->n; i++)
        p->H[i] *= 1.0 + 0.3 * perp_rng_uniform(&rng);
    for (int i = 0; i < p->dofs * p->dofs; i++)
        p->mass[i] *= 1.25;
    for (int i = 0; i < p->n; i++)
        p->q[i] = perp_rng_signed(&rng);
    for (int k = 0; k < p->nblocks; k++)
        p->par[0][k] *= 0.9;
    stored_multiply(p);
}

START_TEST(update_is_another_setup)
{
    static const storage kinds[] = {STORED_DENSE, STORED_CSC, STORED_BSR, STORED_DELASSUS};
    for (int mixed = 0; mixed < 2; mixed++) {
        stored_problem p, q;
        if (mixed) {
            mixture(&p, (mass_kind)_i, 61);
            mixture(&q, (mass_kind)_i, 61);
        } else {
            contacts(&p, (mass_kind)_i, 8, 14, 62);
            contacts(&q, (mass_kind)_i, 8, 14, 62);
        }
        scale_numbers(&q);
        for (int k = 0; k < 4; k++)
            check_update(&p, &q, kinds[k], "packed");
        check_update(&p, &q, STORED_DELASSUS, "in-place");
        stored_free(&p);
        stored_free(&q);
    }
}
END_TEST

/* The mass loses its symmetry, or couples the bodies: with packed blocks update refuses, setup
 * takes it. */
START_TEST(update_with_another_kind_of_mass)
{
    stored_problem p, q;
    stored_view one, two;
    perp_settings settings = settings_of(0.0, 5);
    double z[64], w[64], anew[64];
    contacts(&p, RIGID, 8, 14, 71);
    contacts(&q, _i ? CHAIN : LOPSIDED, 8, 14, 71);
    ck_assert(stored_view_make(&one, &p, STORED_DELASSUS));
    ck_assert(stored_view_make(&two, &q, STORED_DELASSUS));
    /* The same H under the other mass. */
    two.problem.M.as.delassus.colptr = one.problem.M.as.delassus.colptr;
    two.problem.M.as.delassus.row = one.problem.M.as.delassus.row;
    two.problem.M.as.delassus.x = one.problem.M.as.delassus.x;
    perp_solver *solver = open_solver(&one.problem, &settings);
    ck_assert_int_eq(perp_solver_update(solver, &two.problem), PERP_ERR_STRUCTURE);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_ERR_STATE);
    ck_assert_int_eq(perp_solver_setup(solver, &two.problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_ITERATION_LIMIT);
    perp_solver_destroy(solver);
    /* Where H is read in place there is nothing that rests on it. */
    set(&settings, "storage", "in-place");
    solver = open_solver(&one.problem, &settings);
    ck_assert_int_eq(perp_solver_update(solver, &two.problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_ITERATION_LIMIT);
    solve(&two.problem, &settings, anew, w);
    ck_assert_mem_eq(z, anew, sizeof(double) * (size_t)p.n);
    perp_solver_destroy(solver);
    stored_view_free(&one);
    stored_view_free(&two);
    stored_free(&p);
    stored_free(&q);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gs");
    TCase *kernels = tcase_create("kernels");
    tcase_add_loop_test(kernels, storages_agree, 0, MASS_KINDS);
    tcase_add_test(kernels, variants_agree_between_storages);
    tcase_add_test(kernels, planar_bodies);
    tcase_add_test(kernels, long_rows);
    tcase_add_test(kernels, rows_of_blocks_that_hold_several);
    tcase_add_loop_test(kernels, update_is_another_setup, 0, MASS_KINDS);
    tcase_add_loop_test(kernels, update_with_another_kind_of_mass, 0, 2);
    suite_add_tcase(suite, kernels);
    TCase *iteration = tcase_create("iteration");
    tcase_add_test(iteration, variants_end_alike);
    tcase_add_test(iteration, order_follows_the_seed);
    tcase_add_test(iteration, the_change_rings_in_time);
    tcase_add_test(iteration, limits_are_exact);
    tcase_add_test(iteration, blocks_without_a_solution_stay);
    tcase_add_test(iteration, an_impossible_contact_stays);
    suite_add_tcase(suite, iteration);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
