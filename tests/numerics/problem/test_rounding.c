/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of what rounding hides: its formula, computed again from the dense matrix; and the
 * product in twice the digits, in every storage, beside the same in quadruple precision. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "linalg/mat.h"
#include "problem/blocks.h"
#include "problem/rounding.h"
#include "tests/fixtures/judge.h"
#include "tests/fixtures/rolling_layout.h"

enum { MOST = 40 };

/* Sets of one row, friction, and all; entries cancel to some digits. */
static void draw(stored_problem *p, int kind, perp_rng *rng)
{
    stored_init(p, "rounding");
    if (kind != 1)
        stored_segment(p, PERP_NONNEG, 1, 4, 0.0, 0.0);
    if (kind != 0) /* alone: in blocks of three */
        stored_segment(p, PERP_COULOMB, 3, 3, 0.7, 0.0);
    if (kind == 2) {
        stored_segment(p, PERP_ROLLING, 5, 1, 0.3, 0.6);
        stored_segment(p, PERP_ROLLING, 4, 1, 0.5, 0.2);
        stored_segment(p, PERP_ROLLING, 6, 1, 0.2, 0.3);
        stored_third(p, 0.4);
        stored_segment(p, PERP_SOC, 3, 1, 50.0, 0.0); /* without a shift: its mu does not count */
    }
    stored_allocate(p);
    stored_factors(p, p->n + 3);
    for (int i = 0; i < p->dofs * p->n; i++)
        p->H[i] = perp_rng_below(rng, 3) == 0 ? 0.0 : perp_rng_signed(rng);
    for (int i = 0; i < p->dofs; i++)
        p->mass[i * (p->dofs + 1)] = exp2(perp_rng_below(rng, 5));
    stored_multiply(p);
    for (int i = 0; i < p->n; i++) {
        p->z[i] = 1e3 * perp_rng_signed(rng);
        p->q[i] = perp_rng_signed(rng);
    }
}

typedef struct rig {
    perp_arena arena;
    perp_blocks blocks;
    perp_scaling scaling;
    double w[MOST], *scratch;
    perp_residuals r;
} rig;

static void build(rig *g, const stored_view *v, const double *z)
{
    perp_arena_init(&g->arena, NULL);
    ck_assert_int_eq(perp_blocks_build(&g->blocks, &v->problem, &g->arena), 0);
    ck_assert_int_eq(perp_scaling_build(&g->scaling, &v->problem, &g->blocks, &g->arena), 0);
    g->scratch = calloc(perp_mat_scratch(&v->problem.M) + 1, sizeof(double));
    ck_assert_ptr_nonnull(g->scratch);
    ck_assert_int_eq(
        perp_residual_compute(&v->problem, &g->blocks, &g->scaling, z, g->w, g->scratch, &g->r), 0);
}

static double norm(const double *x, const double *unit, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += unit[i] * x[i] * (unit[i] * x[i]);
    return sqrt(sum);
}

/* d of each row. */
static void units(double *d, double *back, const stored_problem *p, const rig *g, int scaled)
{
    for (int k = 0; k < g->blocks.count; k++) {
        const perp_block *b = &g->blocks.at[k];
        for (int i = 0; i < b->dim; i++) {
            double l = b->set == PERP_ROLLING && rolling_moment(b->dim, i) ? b->length : 1.0;
            d[b->row + i] = scaled ? g->scaling.d[k] / l : 1.0;
            back[b->row + i] = 1.0 / d[b->row + i];
        }
    }
    (void)p;
}

/* Products of the fullest row of M, as the storage has it. */
static double terms(const stored_problem *p, const stored_view *v, storage kind)
{
    int most = 0, b = kind == STORED_BSR ? v->problem.M.as.bsr.block : 1;
    for (int i = 0; i < p->n / b; i++) {
        int count = 0;
        for (int j = 0; j < p->n / b; j++) {
            int used = 0;
            for (int e = 0; e < b * b; e++)
                used |= p->M[i * b + e % b + (j * b + e / b) * p->n] != 0.0;
            count += used;
        }
        most = count > most ? count : most;
    }
    return (kind == STORED_DENSE ? p->n : b * most) + 2.0;
}

START_TEST(formula)
{
    static const storage kinds[] = {STORED_DENSE, STORED_CSC, STORED_BSR};
    static const double mu[] = {0.0, 0.7, 0.9};
    perp_rng rng = {11};
    for (int trial = 0; trial < 30; trial++) {
        stored_problem p;
        draw(&p, trial % 3, &rng);
        for (int k = 0; k < 3; k++) {
            stored_view v;
            rig g = {.r = {.size = sizeof g.r}};
            double bound[3], d[MOST], back[MOST], unit;
            ck_assert_int_eq(stored_view_make(&v, &p, kinds[k]), 1);
            build(&g, &v, p.z);
            double coarse = perp_rounding_of_dual(&v.problem, &g.scaling, p.z, g.w);
            double low[MOST + 1], *own = g.scaling.low;
            ck_assert_uint_eq(perp_rounding_work(&v.problem.M), (size_t)p.n);
            low[p.n] = 77.0;
            g.scaling.low = low;
            perp_rounding_bound(bound, &v.problem, &g.blocks, &g.scaling, p.z, g.w);
            ck_assert_double_eq(low[p.n], 77.0);
            g.scaling.low = own;
            unit = (1.0 + mu[trial % 3]) * 0.5 * DBL_EPSILON * terms(&p, &v, kinds[k]);
            for (int m = 0; m < 2; m++) {
                units(d, back, &p, &g, m);
                double sum = 0.0;
                for (int i = 0; i < p.n * p.n; i++)
                    sum += pow(p.M[i] * back[i % p.n] * back[i / p.n], 2.0);
                double z = norm(p.z, d, p.n), q = norm(p.q, back, p.n), w = norm(g.w, back, p.n);
                double moved = unit * (sqrt(sum) * z + q + w);
                ck_assert_double_eq_tol(bound[m] * fmax(z, fmax(q, w)) / moved, 1.0, 1e-12);
                if (m == 0)
                    ck_assert_double_eq_tol(bound[2] * q / moved, 1.0, 1e-12);
            }
            /* What is known at once is not less, and not much more. */
            ck_assert_double_ge(coarse, bound[2]);
            ck_assert_double_le(coarse, 100.0 * p.n * bound[2]);
            ck_assert_double_ge(g.scaling.at_most, fmax(bound[0], bound[1]));
            free(g.scratch);
            perp_arena_free(&g.arena);
            stored_view_free(&v);
        }
        stored_free(&p);
    }
}
END_TEST

START_TEST(delassus_is_bounded)
{
    perp_rng rng = {12};
    for (int trial = 0; trial < 30; trial++) {
        stored_problem p;
        stored_view v;
        rig g = {.r = {.size = sizeof g.r}};
        double bound[3], exact = 0.0, d[MOST], back[MOST], true_w[MOST];
        draw(&p, trial % 3, &rng);
        ck_assert_int_eq(stored_view_make(&v, &p, STORED_DELASSUS), 1);
        build(&g, &v, p.z);
        perp_rounding_bound(bound, &v.problem, &g.blocks, &g.scaling, p.z, g.w);
        judge_quad(&p, p.z, true_w);
        units(d, back, &p, &g, 0);
        for (int i = 0; i < p.n; i++)
            exact += pow(g.w[i] - true_w[i], 2.0);
        double base = fmax(norm(p.z, d, p.n), fmax(norm(p.q, back, p.n), norm(g.w, back, p.n)));
        ck_assert_double_ge(bound[0], sqrt(exact) / base);
        ck_assert_double_gt(bound[1], 0.0);
        ck_assert_double_le(fmax(bound[0], bound[1]), 1e-9);
        ck_assert_double_ge(g.scaling.at_most, fmax(bound[0], bound[1]) * (1.0 - 1e-12));
        free(g.scratch);
        perp_arena_free(&g.arena);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

/* z of 1e12 along a direction in which w nearly vanishes: doubles lose what twice the digits keep.
 */
START_TEST(twice_the_digits)
{
    static const storage kinds[] = {STORED_DENSE, STORED_DENSE_LD, STORED_CSC, STORED_BSR,
                                    STORED_DELASSUS};
    perp_rng rng = {13};
    for (int trial = 0; trial < 15; trial++) {
        stored_problem p;
        double w[MOST], true_w[MOST];
        draw(&p, trial % 3, &rng);
        /* Whole numbers over powers of two, so that M is H' m^-1 H exactly. */
        for (int i = 0; i < p.dofs * p.n; i++)
            p.H[i] = perp_rng_below(&rng, 2000) - 1000;
        stored_multiply(&p);
        for (int i = 0; i < p.n; i++)
            p.z[i] *= 1e9;
        for (int i = 0; i < p.n; i++)
            p.q[i] = 0.0;
        judge(&p, p.z, w);
        for (int i = 0; i < p.n; i++)
            p.q[i] = -w[i];
        perp_residuals true_r = judge_quad(&p, p.z, true_w);
        for (int k = 0; k < 5; k++) {
            stored_view v;
            rig g = {.r = {.size = sizeof g.r}};
            double bound[3];
            ck_assert_int_eq(stored_view_make(&v, &p, kinds[k]), 1);
            build(&g, &v, p.z);
            perp_rounding_bound(bound, &v.problem, &g.blocks, &g.scaling, p.z, g.w);
            perp_residual_sharpen(bound, &v.problem, &g.blocks, &g.scaling, p.z, g.w, &g.r);
            for (int i = 0; i < p.n; i++)
                ck_assert_double_eq_tol(g.w[i], true_w[i], 1e-13 * fabs(true_w[i]));
            ck_assert_double_eq_tol(g.r.natural, true_r.natural, 1e-12 * true_r.natural);
            ck_assert_double_ge(bound[0], fabs(g.r.natural - true_r.natural));
            ck_assert_double_le(bound[0], 16.0 * DBL_EPSILON);
            ck_assert_double_gt(bound[0], 0.0);
            free(g.scratch);
            perp_arena_free(&g.arena);
            stored_view_free(&v);
        }
        stored_free(&p);
    }
}
END_TEST

/* The bound of a DELASSUS matrix with a compliance, by its formula: bodies of one unknown each. */
START_TEST(formula_of_products)
{
    static const double mu[] = {0.0, 0.7, 0.9};
    perp_rng rng = {14};
    for (int trial = 0; trial < 30; trial++) {
        stored_problem p;
        stored_view v;
        rig g = {.r = {.size = sizeof g.r}};
        double bound[3], d[MOST], back[MOST], compliance[MOST];
        draw(&p, trial % 3, &rng);
        ck_assert_int_eq(stored_view_make(&v, &p, STORED_DELASSUS), 1);
        for (int i = 0; i < p.n; i++)
            compliance[i] = (trial % 2 ? 1e3 : 1e-3) * (0.1 + perp_rng_uniform(&rng));
        if (trial % 5 > 0)
            ck_assert_int_eq(perp_mat_set_compliance(&v.problem.M, compliance), 0);
        build(&g, &v, p.z);
        perp_rounding_bound(bound, &v.problem, &g.blocks, &g.scaling, p.z, g.w);
        double unit = (1.0 + mu[trial % 3]) * 0.5 * DBL_EPSILON * (p.n + 2 * 12 + 2.0);
        for (int m = 0; m < 2; m++) {
            double largest = 0.0, own = 0.0;
            int most = 0;
            units(d, back, &p, &g, m);
            for (int i = 0; i < p.dofs; i++) {
                double sum = 0.0;
                for (int j = 0; j < p.n; j++)
                    sum += pow(p.H[i + j * p.dofs] * back[j], 2.0);
                largest = fmax(largest, sum / p.mass[i * (p.dofs + 1)]);
            }
            for (int j = 0; j < p.n; j++) {
                int met = 0;
                for (int i = 0; i < p.dofs; i++)
                    met += p.H[i + j * p.dofs] != 0.0;
                most = met > most ? met : most;
                own = fmax(own, trial % 5 > 0 ? compliance[j] * back[j] * back[j] : 0.0);
            }
            double z = norm(p.z, d, p.n), q = norm(p.q, back, p.n), w = norm(g.w, back, p.n);
            double moved = unit * ((largest * most + own) * z + q + w);
            ck_assert_double_eq_tol(bound[m] * fmax(z, fmax(q, w)) / moved, 1.0, 1e-12);
            if (m == 0)
                ck_assert_double_eq_tol(bound[2] * q / moved, 1.0, 1e-12);
        }
        free(g.scratch);
        perp_arena_free(&g.arena);
        stored_view_free(&v);
        stored_free(&p);
    }
}
END_TEST

/* Full masses and a compliance: the product in twice the digits, nearly cancelled, beside extended
 * precision with the inverse that the mass holds. */
START_TEST(twice_the_digits_of_full_masses)
{
    enum { BODIES = 4, DIM = 3, DOFS = BODIES * DIM, ROWS = 6 };
    perp_rng rng = {15};
    for (int trial = 0; trial < 20; trial++) {
        double H[DOFS * ROWS], mass[DOFS * DOFS] = {0.0}, B[DOFS * DOFS], z[ROWS], q[ROWS];
        double compliance[ROWS], bound[3] = {1.0, 2.0, 3.0};
        int ptr[ROWS + 1], row[DOFS * ROWS];
        perp_segment seg = {PERP_NONNEG, 1, ROWS, {NULL, NULL}, {0, 0}};
        stored_view v = {.problem = {.q = q, .seg = &seg, .nseg = 1}};
        perp_mat mat;
        perp_mass *held;
        rig g = {.r = {.size = sizeof g.r}};
        for (int b = 0; b < DOFS; b += DIM)
            for (int i = 0; i < DIM; i++)
                for (int j = 0; j <= i; j++)
                    mass[b + i + (b + j) * DOFS] = mass[b + j + (b + i) * DOFS] =
                        i == j ? 4.0 + perp_rng_uniform(&rng) : perp_rng_signed(&rng);
        ck_assert_int_eq(perp_mat_init_dense(&mat, DOFS, DOFS, mass, DOFS), 0);
        ck_assert_int_eq(perp_mass_create(&held, &mat, NULL, NULL), 0);
        for (int j = 0; j < DOFS; j++) {
            double e[DOFS] = {0.0}, scratch[4 * DOFS];
            e[j] = 1.0;
            perp_mass_solve(held, e, scratch, B + j * DOFS);
        }
        for (int j = 0; j <= ROWS; j++)
            ptr[j] = j * DOFS;
        for (int i = 0; i < DOFS * ROWS; i++) {
            H[i] = perp_rng_signed(&rng);
            row[i] = i % DOFS;
        }
        long double w[ROWS], terms[ROWS];
        for (int j = 0; j < ROWS; j++) {
            z[j] = j == 2 ? 1.0 : perp_rng_signed(&rng);
            compliance[j] = perp_rng_uniform(&rng);
            q[j] = 0.0;
        }
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < ROWS; j++) {
                w[j] = (long double)compliance[j] * z[j] + q[j];
                terms[j] = fabsl(w[j]) + fabs(q[j]);
                for (int i = 0; i < DOFS; i++)
                    for (int k = 0; k < DOFS; k++)
                        for (int l = 0; l < ROWS; l++) {
                            long double one = (long double)H[i + j * DOFS] * B[i + k * DOFS];
                            one *= (long double)H[k + l * DOFS] * z[l];
                            w[j] += one;
                            terms[j] += fabsl(one);
                        }
                q[j] = pass == 0 ? -(double)w[j] : q[j];
            }
        ck_assert_int_eq(perp_mat_init_delassus(&v.problem.M, DOFS, ROWS, ptr, row, H, held), 0);
        ck_assert_int_eq(perp_mat_set_compliance(&v.problem.M, compliance), 0);
        build(&g, &v, z);
        /* Each column meets all four bodies. */
        double own[3];
        perp_rounding_bound(own, &v.problem, &g.blocks, &g.scaling, z, g.w);
        for (int m = 0; m < 2; m++) {
            double largest = 0.0, give = 0.0, size[3] = {0.0};
            for (int b = 0; b < DOFS; b += DIM) {
                double sum = 0.0;
                for (int i = b; i < b + DIM; i++) {
                    double row2 = 0.0;
                    for (int j = 0; j < ROWS; j++)
                        row2 += pow(H[i + j * DOFS] / (m ? g.scaling.d[j] : 1.0), 2.0);
                    sum += sqrt(B[i + i * DOFS]) * sqrt(row2);
                }
                largest = fmax(largest, sum);
            }
            for (int j = 0; j < ROWS; j++) {
                double d = m ? g.scaling.d[j] : 1.0;
                give = fmax(give, compliance[j] / (d * d));
                size[0] += pow(d * z[j], 2.0);
                size[1] += pow(q[j] / d, 2.0);
                size[2] += pow(g.w[j] / d, 2.0);
            }
            for (int k = 0; k < 3; k++)
                size[k] = sqrt(size[k]);
            double norm2 = largest * largest * BODIES + give;
            double moved =
                0.5 * DBL_EPSILON * (ROWS + 26.0) * (norm2 * size[0] + size[1] + size[2]);
            ck_assert_double_eq_tol(own[m] * fmax(size[0], fmax(size[1], size[2])) / moved, 1.0,
                                    1e-12);
        }
        perp_residual_sharpen(bound, &v.problem, &g.blocks, &g.scaling, z, g.w, &g.r);
        for (int j = 0; j < ROWS; j++)
            ck_assert_msg(fabsl(g.w[j] - w[j]) <= 2e-18L * terms[j], "%d: %g %Lg", j, g.w[j], w[j]);
        /* The first bound, once more by its unit, and a rounding of w. */
        for (int m = 0; m < 3; m++)
            ck_assert_double_eq_tol(bound[m] / DBL_EPSILON, 4.0 + 0.5 * (ROWS + 26.0) * (m + 1),
                                    1e-10);
        perp_mass_destroy(held);
        free(g.scratch);
        perp_arena_free(&g.arena);
    }
}
END_TEST

/* Rows of a dense matrix that lie between its columns are neither read nor written. */
START_TEST(rows_between_columns)
{
    enum { N = 3, LD = 5 };
    double M[LD * N], q[N + 1] = {1.0, 2.0, 3.0, NAN}, z[N + 1] = {1.0, 1.0, -1.0, NAN}, bound[3];
    perp_segment seg = {PERP_FREE, 1, N, {NULL, NULL}, {0, 0}};
    stored_view v = {.problem = {.q = q, .seg = &seg, .nseg = 1}};
    rig g = {.r = {.size = sizeof g.r}};
    for (int k = 0; k < LD * N; k++)
        M[k] = k % LD >= N ? NAN : k % LD == k / LD ? 2.0 : 0.5;
    ck_assert_int_eq(perp_mat_init_dense(&v.problem.M, N, N, M, LD), 0);
    build(&g, &v, z);
    for (int k = 0; k < MOST; k++)
        g.w[k] = k < N ? NAN : 77.0;
    perp_residual_sharpen(bound, &v.problem, &g.blocks, &g.scaling, z, g.w, &g.r);
    const double w[N] = {3.0, 4.0, 2.0};
    for (int k = 0; k < MOST; k++)
        ck_assert_double_eq(g.w[k], k < N ? w[k] : 77.0);
    free(g.scratch);
    perp_arena_free(&g.arena);
}
END_TEST

/* A norm that overflows bounds nothing. */
START_TEST(norms_that_overflow)
{
    const double M[1] = {1.0}, q[1] = {1.0}, z[1] = {1.0}, w[1] = {1.0};
    perp_segment seg = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_scaling s = {.d = NULL, .norm = {INFINITY, INFINITY}, .at_most = INFINITY};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 1, 1, M, 1), 0);
    ck_assert_double_eq(perp_rounding_of_dual(&p, &s, z, w), INFINITY);
    /* A norm of 2 in the rows, 8 in units; at_most is a unit of 0.5 times the larger and 2. */
    const double one = 1.0, far[1] = {3.0}, load[1] = {0.25}, speed[1] = {0.5};
    double d = one;
    s = (perp_scaling){.d = &d, .norm = {2.0, 8.0}, .at_most = 5.0};
    p.q = load;
    ck_assert_double_eq(perp_rounding_of_dual(&p, &s, far, speed), 0.5 * (2.0 * 12.0 + 2.0 + 1.0));
    s.norm[0] = 8.0, s.norm[1] = 2.0;
    ck_assert_double_eq(perp_rounding_of_dual(&p, &s, far, speed), 0.5 * (8.0 * 12.0 + 2.0 + 1.0));
    /* Where q is 0 the dual part is absolute. */
    const double zero[1] = {0.0};
    p.q = zero;
    ck_assert_double_eq(perp_rounding_of_dual(&p, &s, far, speed), 0.5 * (8.0 * 3.0 + 0.5));
    stored_view v = {.problem = p};
    rig g = {.r = {.size = sizeof g.r}};
    double bound[3] = {77.0, 77.0, 77.0};
    build(&g, &v, zero);
    perp_rounding_bound(bound, &v.problem, &g.blocks, &g.scaling, zero, zero);
    ck_assert(bound[0] == 0.0 && bound[1] == 0.0 && bound[2] == 0.0);
    free(g.scratch);
    perp_arena_free(&g.arena);
    p.q = q;
    s = (perp_scaling){.d = NULL, .norm = {1.0, 1.0}, .at_most = 0.0};
    ck_assert_double_eq(perp_rounding_of_dual(&p, &s, z, w), 0.0);
}
END_TEST

static int nothing(void *ctx, double *y, const double *x)
{
    (void)ctx;
    (void)y;
    (void)x;
    return 0;
}

/* An operator has no bound; a matrix without entries has that of q and w, each of which is rounded.
 */
START_TEST(no_entries)
{
    const double q[1] = {1.0}, z[1] = {1.0};
    const int ptr[2] = {0, 0}, row[1] = {0};
    perp_segment seg = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    stored_view v = {.problem = {.q = q, .seg = &seg, .nseg = 1}};
    rig g = {.r = {.size = sizeof g.r}};
    double bound[3] = {77.0, 77.0, 77.0};
    ck_assert_int_eq(perp_mat_init_csc(&v.problem.M, 1, 1, ptr, row, z), 0);
    build(&g, &v, z);
    perp_rounding_bound(bound, &v.problem, &g.blocks, &g.scaling, z, g.w);
    ck_assert_double_eq(bound[0], 0.5 * DBL_EPSILON * 2.0 * 2.0);
    ck_assert_int_eq(perp_mat_init_operator(&v.problem.M, 1, nothing, NULL, NULL), 0);
    ck_assert_double_eq(perp_rounding_at_most(&v.problem, &g.blocks, &g.scaling), 0.0);
    perp_rounding_bound(bound, &v.problem, &g.blocks, &g.scaling, z, g.w);
    ck_assert(bound[0] == 0.0 && bound[1] == 0.0 && bound[2] == 0.0);
    free(g.scratch);
    perp_arena_free(&g.arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rounding");
    TCase *tcase = tcase_create("rounding");
    tcase_add_test(tcase, formula);
    tcase_add_test(tcase, delassus_is_bounded);
    tcase_add_test(tcase, twice_the_digits);
    tcase_add_test(tcase, formula_of_products);
    tcase_add_test(tcase, twice_the_digits_of_full_masses);
    tcase_add_test(tcase, rows_between_columns);
    tcase_add_test(tcase, norms_that_overflow);
    tcase_add_test(tcase, no_entries);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
