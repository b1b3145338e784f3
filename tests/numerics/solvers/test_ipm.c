/* SPDX-License-Identifier: BSD-3-Clause */
/* ipm: the algebra of cones, the Newton matrix against finite differences, contact against
 * body unknowns, planted cones, no friction, extreme mu, updates, warm starts, real problem files.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "handle/solver_type.h"
#include "tests/fixtures/judge.h"
#include "tests/fixtures/real_problems.h"
#include "tests/fixtures/rerun.h"
#include "linalg/mat.h"
#include "solvers/interior/jordan.h"
#include "solvers/interior/interior_system.h"
#include "tests/fixtures/stored.h"

enum { MAX_DIM = 9 };

/* Inside of L, at a relative distance of 1e-6 to 1 from its boundary. */
static void interior_point(double *x, int dim, perp_rng *rng)
{
    double square = 0.0;
    for (int i = 1; i < dim; i++) {
        x[i] = perp_rng_signed(rng);
        square += x[i] * x[i];
    }
    double distance = pow(10.0, -6.0 * perp_rng_uniform(rng));
    x[0] = dim == 1 ? distance : sqrt(square) * (1.0 + distance);
}

static void near(const double *a, const double *b, int dim, double tolerance)
{
    double size = 1e-300;
    for (int i = 0; i < dim; i++)
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    for (int i = 0; i < dim; i++)
        ck_assert_double_le(fabs(a[i] - b[i]), tolerance * size);
}

/* F x = y, root x = root^-1 y = lambda, root root = F, and the inverses. */
START_TEST(scaling_identities)
{
    perp_rng rng = {11};
    for (int trial = 0; trial < 400; trial++) {
        int dim = 1 + trial % MAX_DIM;
        double x[MAX_DIM], y[MAX_DIM], p[MAX_DIM], r[MAX_DIM], eta, a[MAX_DIM], b[MAX_DIM],
            v[MAX_DIM];
        interior_point(x, dim, &rng);
        interior_point(y, dim, &rng);
        for (int i = 0; i < dim; i++)
            v[i] = perp_rng_signed(&rng);
        ck_assert(perp_nt_scaling(p, r, &eta, x, y, dim));
        perp_nt_apply(a, eta * eta, p, x, dim);
        near(a, y, dim, 1e-8);
        perp_nt_apply(a, eta, r, x, dim);
        perp_nt_undo(b, eta, r, y, dim);
        near(a, b, dim, 1e-8);
        perp_nt_apply(b, eta, r, v, dim);
        perp_nt_apply(b, eta, r, b, dim);
        perp_nt_apply(a, eta * eta, p, v, dim);
        near(a, b, dim, 1e-8);
        perp_nt_undo(b, eta, r, a, dim);
        perp_nt_apply(a, eta, r, v, dim);
        near(a, b, dim, 1e-4);
    }
}
END_TEST

START_TEST(jordan_algebra)
{
    perp_rng rng = {12};
    for (int trial = 0; trial < 400; trial++) {
        int dim = 1 + trial % MAX_DIM;
        double x[MAX_DIM], d[MAX_DIM], a[MAX_DIM], b[MAX_DIM], e[MAX_DIM] = {1.0};
        interior_point(x, dim, &rng);
        for (int i = 0; i < dim; i++)
            d[i] = perp_rng_signed(&rng);
        perp_jordan_divide(a, x, d, dim);
        perp_jordan_product(b, x, a, dim);
        near(b, d, dim, 1e-8);
        perp_jordan_inverse(a, x, dim);
        perp_jordan_product(b, x, a, dim);
        near(b, e, dim, 1e-8);
        /* The step ends on the boundary, or there is none far out. */
        double step = perp_jordan_step(x, d, dim), far = isinf(step) ? 1e6 : step;
        for (int side = -1; side <= 1; side += 2) {
            double t = far * (1.0 + 1e-4 * side);
            for (int i = 0; i < dim; i++)
                a[i] = x[i] + t * d[i];
            ck_assert_int_eq(perp_jordan_least(a[0], a + 1, dim) > 0.0, side < 0 || isinf(step));
        }
        perp_jordan_push(a, d, 0.2, 0.5, -10.0, dim);
        for (int i = 0; i < dim; i++)
            a[i] += d[i];
        double low = perp_jordan_least(a[0], a + 1, dim), high = 2.0 * a[0] - low;
        ck_assert_double_ge(low, 0.2 - 1e-12);
        ck_assert(dim == 1 ? low <= 0.5 + 1e-12 : high <= 0.5 + 1e-12);
    }
}
END_TEST

/* Bodies of 6 unknowns; each block reaches two of them. */
static void bodies(stored_problem *p, int count, perp_rng *rng)
{
    int dofs = 6 * count;
    stored_factors(p, dofs);
    for (int b = 0; b < count; b++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j <= i; j++) {
                double x = i == j ? 3.0 + perp_rng_uniform(rng) : 0.4 * perp_rng_signed(rng);
                p->mass[6 * b + i + (6 * b + j) * dofs] = x;
                p->mass[6 * b + j + (6 * b + i) * dofs] = x;
            }
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim, first = perp_rng_below(rng, count), second = perp_rng_below(rng, count);
        stored_block(p, k, &row, &dim);
        for (int j = row; j < row + dim; j++)
            for (int i = 0; i < 6; i++) {
                p->H[6 * first + i + j * dofs] += perp_rng_signed(rng);
                p->H[6 * second + i + j * dofs] += perp_rng_signed(rng);
            }
    }
    stored_multiply(p);
}

static void mixed(stored_problem *p, perp_rng *rng, int count, int friction)
{
    perp_set cone = friction ? PERP_COULOMB : PERP_SOC;
    stored_init(p, "mixed");
    stored_segment(p, cone, 3, 5, 0.4, 0.0);
    stored_segment(p, PERP_FREE, 1, 2, 0.0, 0.0);
    stored_segment(p, PERP_NONNEG, 1, 2, 0.0, 0.0);
    stored_segment(p, cone, 2, 2, 1.7, 0.0);
    stored_segment(p, PERP_BOX, 1, 2, -0.3, 0.6);
    stored_segment(p, PERP_BOX, 1, 1, -INFINITY, 0.6);
    stored_segment(p, PERP_BOX, 1, 1, 0.2, 0.2);
    stored_segment(p, PERP_TRESCA, 3, 2, 0.4, 0.0);
    stored_segment(p, cone, 3, 1, 0.0, 0.0);
    stored_segment(p, PERP_SOC, 4, 1, 0.5, 0.0);
    stored_allocate(p);
    bodies(p, count, rng);
}

/* Blocks of three to six rows, each coefficient with a number or 0. */
static void rolling(stored_problem *p, perp_rng *rng, int count)
{
    stored_init(p, "rolling");
    for (int dim = 3; dim <= 6; dim++)
        for (int flat = 0; flat < 4; flat++) {
            stored_segment(p, PERP_ROLLING, dim, 1, flat & 1 ? 0.0 : 0.4, flat & 2 ? 0.0 : 0.2);
            stored_third(p, dim == 6 && flat != 2 ? 1.3 : 0.0);
        }
    stored_allocate(p);
    bodies(p, count, rng);
}

typedef struct setting_up {
    perp_arena arena;
    perp_blocks blocks;
    perp_scaling scaling;
    perp_interior in;
    perp_interior_system system;
    perp_interior_scaling nt;
    double *x, *y;
} setting_up;

/* A system at a random point inside. */
static void set_up(setting_up *s, const perp_problem *problem, perp_interior_form form,
                   double weight, perp_rng *rng)
{
    perp_arena_init(&s->arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&s->blocks, problem, &s->arena), 0);
    ck_assert_int_eq(perp_scaling_build(&s->scaling, problem, &s->blocks, &s->arena), 0);
    ck_assert_int_eq(perp_interior_build(&s->in, &s->blocks, s->scaling.d, &s->arena), 0);
    ck_assert_int_eq(perp_interior_system_build(&s->system, &problem->M, &s->in, form,
                                                PERP_FACTOR_AUTO, PERP_ORDERING_AUTO, &s->arena),
                     0);
    double **slots[] = {&s->x, &s->y, &s->nt.p, &s->nt.r, &s->nt.t};
    for (int k = 0; k < 5; k++)
        *slots[k] = PERP_TAKE(&s->arena, double, s->in.slots);
    s->nt.eta = PERP_TAKE(&s->arena, double, s->in.count);
    for (int c = 0; c < s->in.count; c++) {
        int at = s->in.cones[c].slot, dim = s->in.cones[c].dim;
        double length = 0.0;
        interior_point(s->x + at, dim, rng);
        interior_point(s->y + at, dim, rng);
        ck_assert(
            perp_nt_scaling(s->nt.p + at, s->nt.r + at, &s->nt.eta[c], s->x + at, s->y + at, dim));
        for (int i = 1; i < dim; i++)
            length += s->y[at + i] * s->y[at + i];
        s->nt.t[at] = 0.0;
        for (int i = 1; i < dim; i++)
            s->nt.t[at + i] = s->y[at + i] / sqrt(length);
    }
    int count = 0;
    perp_interior_system_weigh(&s->system, &s->nt, weight);
    ck_assert_int_eq(perp_interior_system_factorise(&s->system, &count), 0);
}

static void take_down(setting_up *s)
{
    perp_interior_system_free(&s->system);
    perp_arena_free(&s->arena);
}

/* A' y - s(y): what the rows see of y. */
static void rows_of(double *rows, const perp_interior *in, const double *y)
{
    memset(rows, 0, (size_t)in->n * sizeof *rows);
    perp_interior_add_rows(rows, in, y);
    for (int c = 0; c < in->count; c++) {
        const perp_interior_cone *cone = &in->cones[c];
        double square = 0.0;
        for (int i = 1; i < cone->dim; i++)
            square += y[cone->slot + i] * y[cone->slot + i];
        if (cone->shifted)
            rows[cone->row] -= sqrt(square);
    }
}

/* (Wb + weight) dX plus the derivative of rows_of along F A dX gives b again. */
static void check_solution(const setting_up *s, const perp_problem *problem, double weight,
                           const double *dX, const double *b)
{
    const perp_interior *in = &s->in;
    size_t n = (size_t)in->n, slots = (size_t)in->slots;
    double *u = calloc(n, sizeof *u), *v = calloc(n, sizeof *v), *dy = calloc(slots, sizeof *dy);
    double *side = calloc(slots, sizeof *side), *ahead = calloc(n, sizeof *ahead);
    double *scratch = calloc(perp_mat_scratch(&problem->M) + 1, sizeof *scratch);
    for (size_t i = 0; i < n; i++)
        u[i] = in->scale[i] * dX[i];
    perp_mat_apply(&problem->M, u, scratch, v);
    for (size_t i = 0; i < n; i++)
        v[i] *= in->scale[i];
    perp_interior_to_slots(side, in, dX);
    double size = 0.0, h = INFINITY;
    for (int c = 0; c < in->count; c++) {
        int at = in->cones[c].slot, dim = in->cones[c].dim;
        double eta2 = s->nt.eta[c] * s->nt.eta[c], length = 0.0, change = 0.0;
        perp_nt_apply(dy + at, eta2, s->nt.p + at, side + at, dim);
        for (int i = 1; i < dim; i++) {
            length += s->y[at + i] * s->y[at + i];
            change += dy[at + i] * dy[at + i];
        }
        if (change > 0.0)
            h = fmin(h, 1e-4 * sqrt(length / change));
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < slots; i++)
            side[i] = s->y[i] + sign * h * dy[i];
        rows_of(ahead, in, side);
        for (size_t i = 0; i < n; i++)
            v[i] += sign * ahead[i] / (2.0 * h);
    }
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(b[i]) + fabs(v[i]));
    for (size_t i = 0; i < n; i++)
        if (in->role[i] != PERP_ROW_PINNED)
            ck_assert_double_le(fabs(v[i] + weight * dX[i] - b[i]), 1e-6 * size);
    free(u);
    free(v);
    free(dy);
    free(side);
    free(ahead);
    free(scratch);
}

START_TEST(matrix_is_the_derivative)
{
    static const double weights[] = {0.0, 0.0, 1e-2, 1.0};
    perp_rng rng = {13};
    for (int trial = 0; trial < 32; trial++) {
        stored_problem p;
        stored_view v;
        int rolls = trial >= 16, friction = rolls || trial % 3 != 0;
        double weight = weights[trial % 4];
        if (rolls)
            rolling(&p, &rng, 14);
        else
            mixed(&p, &rng, 7, friction);
        ck_assert(stored_view_make(&v, &p, STORED_DELASSUS));
        size_t n = (size_t)p.n;
        double *b = calloc(n, sizeof *b), *dX[2];
        for (int form = 0; form < 2; form++) {
            setting_up s;
            perp_rng same = {100 + (uint64_t)trial};
            set_up(&s, &v.problem, form ? PERP_INTERIOR_BODIES : PERP_INTERIOR_CONTACTS, weight,
                   &same);
            ck_assert_int_eq(s.system.symmetric, !friction);
            for (size_t i = 0; i < n; i++)
                b[i] = s.in.role[i] == PERP_ROW_PINNED ? 0.0 : perp_rng_signed(&same);
            dX[form] = calloc(n, sizeof(double));
            perp_interior_system_solve(dX[form], &s.system, b);
            check_solution(&s, &v.problem, weight, dX[form], b);
            take_down(&s);
        }
        near(dX[0], dX[1], p.n, 1e-7);
        free(dX[0]);
        free(dX[1]);
        free(b);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

static perp_status solve(const perp_problem *problem, double tol, double *z, perp_info *info)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    double *w = calloc((size_t)problem->M.rows + 1, sizeof *w);
    perp_status status = perp_solve("ipm", problem, &settings, z, w, info);
    free(w);
    return status;
}

/* Random convex problems with a planted solution, M regular, to 1e-10. */
START_TEST(planted_cones)
{
    perp_rng rng = {14};
    for (int trial = 0; trial < 30; trial++) {
        stored_problem p;
        stored_init(&p, "cones");
        for (int k = 0; k < 8; k++)
            stored_segment(&p, PERP_SOC, 2 + perp_rng_below(&rng, 6), 1,
                           pow(10.0, perp_rng_signed(&rng)), 0.0);
        stored_segment(&p, PERP_NONNEG, 1, 4, 0.0, 0.0);
        stored_allocate(&p);
        bodies(&p, 1 + p.n / 6, &rng);
        for (int i = 0; i < p.n; i++)
            p.M[i * (p.n + 1)] += 0.1;
        stored_plant(&p, &rng);
        for (int kind = STORED_DENSE; kind <= STORED_CSC; kind++) {
            stored_view v;
            perp_info info = {.size = sizeof info};
            double *z = calloc((size_t)p.n, sizeof *z);
            ck_assert(stored_view_make(&v, &p, (storage)kind));
            ck_assert_int_eq(solve(&v.problem, 1e-10, z, &info), PERP_SOLVED);
            ck_assert_int_le(info.iterations, 30);
            near(z, p.z, p.n, 1e-6);
            free(z);
            stored_view_free(&v);
        }
        stored_free(&p);
    }
}
END_TEST

/* Every set, in every storage, by the judge of the tests. */
START_TEST(every_storage)
{
    perp_rng rng = {15};
    for (int trial = 0; trial < 6; trial++) {
        stored_problem p;
        mixed(&p, &rng, 9, trial % 2);
        stored_plant(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof *z);
        for (int kind = STORED_DENSE; kind <= STORED_DELASSUS; kind++) {
            stored_view v;
            perp_info info = {.size = sizeof info};
            if (kind == STORED_OPERATOR || kind == STORED_OPERATOR_BARE ||
                !stored_view_make(&v, &p, (storage)kind))
                continue;
            perp_status status = solve(&v.problem, 1e-8, z, &info);
            ck_assert_msg(status == PERP_SOLVED, "trial %d, %s: %s after %d, %g", trial,
                          storage_names[kind], perp_status_name(status), info.iterations,
                          info.error);
            perp_residuals r = judge(&p, z, NULL);
            ck_assert_double_le(fmax(r.natural, r.scaled), 1.01e-8);
            stored_view_free(&v);
        }
        free(z);
        stored_free(&p);
    }
}
END_TEST

/* Without friction a contact is its normal row. */
START_TEST(no_friction)
{
    perp_rng rng = {16};
    for (int set = PERP_COULOMB; set <= PERP_SOC; set++) {
        stored_problem p, normals;
        stored_view v, w;
        perp_info info = {.size = sizeof info};
        stored_init(&p, "frictionless");
        stored_segment(&p, (perp_set)set, 3, 6, 0.0, 0.0);
        stored_allocate(&p);
        bodies(&p, 4, &rng);
        stored_plant(&p, &rng);
        stored_init(&normals, "normals");
        stored_segment(&normals, PERP_NONNEG, 1, 6, 0.0, 0.0);
        stored_allocate(&normals);
        for (int i = 0; i < 6; i++) {
            normals.q[i] = p.q[3 * i];
            for (int j = 0; j < 6; j++)
                normals.M[i + 6 * j] = p.M[3 * i + p.n * 3 * j];
        }
        double z[18], y[6];
        ck_assert(stored_view_make(&v, &p, STORED_DENSE));
        ck_assert(stored_view_make(&w, &normals, STORED_DENSE));
        ck_assert_int_eq(solve(&v.problem, 1e-10, z, &info), PERP_SOLVED);
        ck_assert_int_eq(solve(&w.problem, 1e-10, y, &info), PERP_SOLVED);
        for (int i = 0; i < 18; i++)
            ck_assert_double_le(fabs(z[i] - (i % 3 ? 0.0 : y[i / 3])), 1e-7);
        stored_view_free(&v);
        stored_view_free(&w);
        stored_free(&p);
        stored_free(&normals);
    }
}
END_TEST

/* mu from 1e-6 to 1e4 (cones) or from 1e-5 to 0.3 (friction) side by side, and blocks of M
 * from 1e-4 to 1e4. */
START_TEST(extreme_numbers)
{
    perp_rng rng = {17};
    for (int trial = 0; trial < 20; trial++) {
        stored_problem p;
        stored_view v;
        perp_info info = {.size = sizeof info};
        stored_init(&p, "extreme");
        for (int k = 0; k < 5; k++) {
            double u = perp_rng_signed(&rng);
            stored_segment(&p, trial % 2 ? PERP_SOC : PERP_COULOMB, 3, 1,
                           pow(10.0, trial % 2 ? 5.0 * u - 1.0 : 2.0 * u - 2.5), 0.0);
        }
        stored_allocate(&p);
        bodies(&p, 4, &rng);
        for (int i = 0; i < p.n; i++)
            p.M[i * (p.n + 1)] += 0.1;
        for (int i = 0; i < p.n; i++)
            for (int j = 0; j < p.n; j++)
                p.M[i + j * p.n] *= pow(10.0, i / 3 - 2) * pow(10.0, j / 3 - 2);
        stored_plant(&p, &rng);
        double *z = calloc((size_t)p.n, sizeof *z);
        ck_assert(stored_view_make(&v, &p, STORED_DENSE));
        perp_status status = solve(&v.problem, 1e-8, z, &info);
        ck_assert_msg(status == PERP_SOLVED, "%d: %s, %g", trial, perp_status_name(status),
                      info.error);
        free(z);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

/* A rerun and an update give the bits of a new handle; so does an update that makes other
 * cones of the same sets. */
START_TEST(update_and_rerun)
{
    perp_rng rng = {18};
    for (int kind = STORED_DENSE; kind <= STORED_DELASSUS; kind++) {
        stored_problem p;
        stored_view before, after;
        if (kind == STORED_OPERATOR || kind == STORED_OPERATOR_BARE)
            continue;
        stored_init(&p, "update");
        stored_segment(&p, PERP_COULOMB, 3, 12, 0.3, 0.0);
        stored_allocate(&p);
        bodies(&p, 12, &rng);
        stored_plant(&p, &rng);
        ck_assert(stored_view_make(&before, &p, (storage)kind));
        for (int i = 0; i < p.dofs * p.n; i++)
            p.H[i] *= 1.0 + 0.1 * perp_rng_signed(&rng);
        p.par[0][3] = kind % 2 ? 0.0 : 0.5;
        stored_multiply(&p);
        stored_plant(&p, &rng);
        ck_assert(stored_view_make(&after, &p, (storage)kind));
        rerun_check("ipm", &before.problem, &after.problem);
        stored_view_free(&before);
        stored_view_free(&after);
        stored_free(&p);
    }
}
END_TEST

/* From the solution no step is made; from beside it no more than from afar. */
START_TEST(warm_start)
{
    perp_rng rng = {19};
    stored_problem p;
    stored_view v;
    perp_settings settings;
    perp_info info = {.size = sizeof info}, cold = {.size = sizeof cold};
    mixed(&p, &rng, 9, 1);
    stored_plant(&p, &rng);
    ck_assert(stored_view_make(&v, &p, STORED_DENSE));
    double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
    perp_settings_init(&settings, sizeof settings);
    ck_assert_int_eq(perp_solve("ipm", &v.problem, &settings, z, w, &cold), PERP_SOLVED);
    settings.warm_start = 1;
    ck_assert_int_eq(perp_solve("ipm", &v.problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_int_eq(info.factorisations, 0);
    for (int i = 0; i < p.n; i++)
        z[i] += 1e-5 * perp_rng_signed(&rng);
    ck_assert_int_eq(perp_solve("ipm", &v.problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_int_le(info.iterations, cold.iterations);
    free(z);
    free(w);
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

static void solve_file(const char *file, const perp_problem *problem)
{
    perp_info info = {.size = sizeof info};
    double *z = calloc((size_t)problem->M.rows, sizeof *z);
    perp_status status = solve(problem, 1e-8, z, &info);
    ck_assert_msg(status == PERP_SOLVED && info.iterations <= 60, "%s: %s after %d", file,
                  perp_status_name(status), info.iterations);
    free(z);
}

/* Problem files of real simulations to 1e-8. */
START_TEST(real_problems)
{
    static const char *const files[] = {"friction3d/BoxesStack1-i100000-32.hdf5.dat",
                                        "friction3d/Capsules-i100-1090.dat",
                                        "friction3d/Capsules-i101-404.dat",
                                        "friction3d/Capsules-i122-1617.dat",
                                        "friction3d/OneObject-i100000-316.hdf5.dat",
                                        "friction3d/OneObject-i1028-138.hdf5.dat",
                                        "friction3d/Confeti-ex03-Fc3D-SBM.dat",
                                        "friction3d/Rover1041.dat",
                                        "friction2d/FrictionContactProblem00071.dat",
                                        "friction2d/fc2d_granularflowonwall_02020_00213.dat",
                                        "global/Spheres-i099-356-679.hdf5",
                                        "global/GFC3D_TwoRods1.dat"};
    real_problems_each(files, (int)(sizeof files / sizeof files[0]), solve_file);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {scaling_identities, jordan_algebra,   matrix_is_the_derivative,
                                  planted_cones,      every_storage,    no_friction,
                                  extreme_numbers,    update_and_rerun, warm_start,
                                  real_problems};
    Suite *suite = suite_create("ipm");
    TCase *tcase = tcase_create("ipm");
    tcase_set_timeout(tcase, 120);
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        tcase_add_test(tcase, tests[k]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
