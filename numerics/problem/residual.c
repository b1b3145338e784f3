/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over the blocks adds up squares; a second kind of pass, on rescaled
 * data, is made only where a square left the range of doubles.
 *
 * Every set is a cone or has bounds with the unit of z, so that
 * d (z - P_K(z - y / d^2)) = d z - P_dK(d z - y / d):
 * both measures are one computation, on the two lanes of a pair.
 */
#include "problem/residual.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/parallel.h"
#include "core/sized.h"
#include "linalg/mat.h"
#include "problem/residual_blocks.h"
#include "problem/rounding.h"

/* The same pass where all rows are half-lines, as in most small problems. */
static sums add_half_lines(int n, const double *scale, const double *z, const double *w,
                           const double *q)
{
    sums t = nothing;
    for (int i = 0; i < n; i++) {
        units u = {{1.0, scale[i]}, {1.0, 1.0 / scale[i]}};
        pair x, y;
        load(&t, &x, &y, z[i], w[i], q[i], u);
        add_half_line(&t, x, y);
    }
    return t;
}

/* And where all are intervals. */
static sums add_intervals(const perp_blocks *blocks, const double *scale, const double *z,
                          const double *w, const double *q)
{
    sums t = nothing;
    for (int i = 0; i < blocks->n; i++) {
        units u = {{1.0, scale[i]}, {1.0, 1.0 / scale[i]}};
        pair x, y;
        load(&t, &x, &y, z[i], w[i], q[i], u);
        add_interval(&t, x, y, blocks->at[i].par, u);
    }
    return t;
}

/* The pass over blocks from .. to - 1, with z and bounds multiplied by a, w and q by b. */
INLINE sums add_some(const perp_blocks *blocks, int from, int to, const double *scale,
                     const double *z, const double *w, const double *q, double a, double b)
{
    sums t = nothing;
    for (int k = from; k < to; k++) {
        int row = blocks->at[k].row;
        double d = scale ? scale[k] : 1.0;
        units u = {{a, a * d}, {b, b / d}};
        add_block(&t, &blocks->at[k], z + row, w + row, q + row, u);
    }
    return t;
}

/* Many blocks are added in parts, whose number does not depend on that of the threads. */
enum { PARTS = 64, PARTS_FROM = 4096 };

typedef struct pass {
    const perp_blocks *blocks;
    const double *scale, *z, *w, *q;
    double *without_q; /* w, where q is to be added first; else NULL */
    int parts;
    sums *sum;
} pass;

static int part_begin(const pass *p, int part)
{
    return (int)((long long)p->blocks->count * part / p->parts);
}

static void add_part(void *ctx, int part, int thread)
{
    pass *p = ctx;
    int from = part_begin(p, part), to = part_begin(p, part + 1);
    (void)thread;
    if (from == to) {
        p->sum[part] = nothing;
        return;
    }
    const perp_block *last = &p->blocks->at[to - 1];
    for (int i = p->blocks->at[from].row; p->without_q && i < last->row + last->dim; i++)
        p->without_q[i] += p->q[i];
    p->sum[part] = add_some(p->blocks, from, to, p->scale, p->z, p->w, p->q, 1.0, 1.0);
}

/* With the factors 1. */
static sums add_blocks(int threads, const perp_blocks *blocks, const double *scale, const double *z,
                       const double *w, const double *q, double *without_q)
{
    sums sum[PARTS];
    pass p = {blocks, scale, z, w, q, without_q, 0, sum};
    p.parts = blocks->count < PARTS_FROM ? 1 : PARTS;
    perp_parallel_for(threads, p.parts, add_part, &p);
    for (int part = 1; part < p.parts; part++) {
        sum[0].map += sum[part].map;
        sum[0].z += sum[part].z;
        sum[0].w += sum[part].w;
        sum[0].q += sum[part].q;
        sum[0].primal += sum[part].primal;
        sum[0].dual += sum[part].dual;
        sum[0].gap += sum[part].gap;
    }
    return sum[0];
}

static inline double max2(double a, double b)
{
    return a > b ? a : b;
}

static inline double max3(double a, double b, double c)
{
    return max2(a, max2(b, c));
}

static double ratio(double square, double base)
{
    return base > 0.0 ? sqrt(square) / sqrt(base) : sqrt(square);
}

static double gap_ratio(const sums *t)
{
    double base = sqrt(t->z[0]) * sqrt(max2(t->q[0], t->w[0]));
    return base > 0.0 ? t->gap / base : t->gap;
}

static double measure(const sums *t, int lane)
{
    return ratio(t->map[lane], max3(t->q[lane], t->z[lane], t->w[lane]));
}

static void fill(perp_residuals *r, const sums *t)
{
    r->natural = measure(t, 0);
    r->scaled = measure(t, 1);
    r->primal = ratio(t->primal, t->z[0]);
    r->dual = ratio(t->dual, t->q[0]);
    r->gap = gap_ratio(t);
}

/* Largest |x_i|, or infinity where an entry is not finite. */
static double largest(const double *x, int n, double multiplier)
{
    double max = 0.0;
    for (int i = 0; i < n; i++) {
        double a = fabs(multiplier * x[i]);
        if (!(a <= DBL_MAX))
            return INFINITY;
        max = a > max ? a : max;
    }
    return max;
}

/* A power of two that brings x near to 1. */
static double unit(double x)
{
    if (x == 0.0)
        return 1.0;
    int e = ilogb(x);
    return ldexp(1.0, e > 1000 ? -1000 : e < -1000 ? 1000 : -e);
}

static sums add_scaled(const perp_blocks *blocks, const double *scale, const double *z,
                       const double *w, const double *q, double a, double b)
{
    return add_some(blocks, 0, blocks->count, scale, z, w, q, a, b);
}

/* The pass again, for each measure in a unit in which its squares exist. */
static void fill_rescaled(perp_residuals *r, const perp_blocks *blocks, const double *scale,
                          const double *z, const double *w, const double *q)
{
    int n = blocks->n;
    double zmax = largest(z, n, 1.0), wqmax = fmax(largest(w, n, 1.0), largest(q, n, 1.0));
    double scaled = 0.0;
    for (int k = 0; scale && k < blocks->count; k++) {
        int row = blocks->at[k].row, dim = blocks->at[k].dim;
        for (int i = row; i < row + dim; i++) {
            double l = blocks->at[k].set == PERP_ROLLING && i - row > perp_rolling_rows(dim)
                           ? blocks->at[k].length
                           : 1.0;
            scaled = fmax(scaled, largest(z + i, 1, scale[k] / l));
            scaled = fmax(scaled, largest(w + i, 1, l / scale[k]));
            scaled = fmax(scaled, largest(q + i, 1, l / scale[k]));
        }
    }
    if (isinf(zmax) || isinf(wqmax)) {
        *r = (perp_residuals){sizeof *r, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, {0}};
        return;
    }
    double a = unit(fmax(zmax, wqmax)), b = unit(scaled), of_z = unit(zmax), of_w = unit(wqmax);
    sums t = add_scaled(blocks, scale, z, w, q, of_z, of_w);
    fill(r, &t);
    /* What is absolute goes back to its unit. */
    r->dual /= t.q[0] > 0.0 ? 1.0 : of_w;
    r->gap /= t.z[0] > 0.0 ? 1.0 : of_z * of_w;
    t = add_scaled(blocks, scale, z, w, q, a, a);
    r->natural = measure(&t, 0);
    if (isinf(scaled)) {
        r->scaled = INFINITY;
        return;
    }
    t = add_scaled(blocks, scale, z, w, q, b, b);
    r->scaled = measure(&t, 1);
}

/* 1 when no square that decides a measure has left the range. */
static int in_range(const sums *t)
{
    const double low = 1e-260, high = 1e280;
    pair all = t->map + t->z + t->w + t->q;
    return all[0] + all[1] + fabs(t->gap) < high && (t->z[0] > low || t->z[0] == 0.0) &&
           max2(t->w[0], t->q[0]) > low && max3(t->z[1], t->w[1], t->q[1]) > low;
}

static void judge(const perp_problem *problem, const perp_blocks *blocks, const double *scale,
                  const double *z, const double *w, const sums *t, perp_residuals *residuals)
{
    if (in_range(t))
        fill(residuals, t);
    else
        fill_rescaled(residuals, blocks, scale, z, w, problem->q);
    if (!scale)
        residuals->scaled = NAN;
}

static int is_zero(const double *z, int n)
{
    for (int i = 0; i < n; i++)
        if (z[i] != 0.0)
            return 0;
    return 1;
}

/* 1: a pass for small problems of one set. */
static int has_own_pass(const perp_blocks *blocks, const double *scale)
{
    return scale && (blocks->sets == 1u << PERP_NONNEG ||
                     (blocks->sets == 1u << PERP_BOX && blocks->count < PARTS_FROM));
}

static sums add_own(const perp_blocks *blocks, const double *scale, const double *z,
                    const double *w, const double *q)
{
    return blocks->sets == 1u << PERP_NONNEG ? add_half_lines(blocks->n, scale, z, w, q)
                                             : add_intervals(blocks, scale, z, w, q);
}

void perp_residual_given_w(const perp_problem *problem, const perp_blocks *blocks,
                           const perp_scaling *scaling, const double *z, const double *w,
                           perp_residuals *residuals)
{
    const double *scale = scaling ? scaling->d : NULL;
    sums t = has_own_pass(blocks, scale) ? add_own(blocks, scale, z, w, problem->q)
                                         : add_blocks(1, blocks, scale, z, w, problem->q, NULL);
    judge(problem, blocks, scale, z, w, &t, residuals);
}

void perp_residual_add(perp_residual_squares *sum, const perp_residual_squares *one)
{
    for (int m = 0; m < 2; m++) {
        sum->map[m] += one->map[m];
        sum->z[m] += one->z[m];
        sum->w[m] += one->w[m];
        sum->q[m] += one->q[m];
    }
}

double perp_residual_base(const perp_residual_squares *sum, int measure)
{
    return max3(sum->q[measure], sum->z[measure], sum->w[measure]);
}

void perp_residual_of_block(perp_residual_squares *squares, const perp_problem *problem,
                            const perp_blocks *blocks, const perp_scaling *scaling, int block,
                            const double *z, const double *w)
{
    const perp_block *at = &blocks->at[block];
    units u = {{1.0, scaling->d[block]}, {1.0, 1.0 / scaling->d[block]}};
    sums t = nothing;
    add_block(&t, at, z + at->row, w + at->row, problem->q + at->row, u);
    *squares = (perp_residual_squares){
        {t.map[0], t.map[1]}, {t.z[0], t.z[1]}, {t.w[0], t.w[1]}, {t.q[0], t.q[1]}};
}

perp_status perp_residual_compute_on(int threads, const uint32_t *touched,
                                     const perp_problem *problem, const perp_blocks *blocks,
                                     const perp_scaling *scaling, const double *z, double *w,
                                     double *scratch, perp_residuals *residuals)
{
    const double *scale = scaling->d;
    if (problem->M.kind != PERP_OPERATOR && is_zero(z, blocks->n)) {
        if (blocks->n > 0)
            memcpy(w, problem->q, (size_t)blocks->n * sizeof(double));
        perp_residual_given_w(problem, blocks, scaling, z, w, residuals);
        return PERP_SOLVED;
    }
    perp_status status = perp_mat_apply_on(threads, touched, w, &problem->M, z, scratch);
    if (status != PERP_SOLVED)
        return status;
    sums t;
    if (has_own_pass(blocks, scale)) {
        for (int i = 0; i < blocks->n; i++)
            w[i] += problem->q[i];
        t = add_own(blocks, scale, z, w, problem->q);
    } else {
        t = add_blocks(threads, blocks, scale, z, w, problem->q, w);
    }
    judge(problem, blocks, scale, z, w, &t, residuals);
    return PERP_SOLVED;
}

perp_status perp_residual_compute(const perp_problem *problem, const perp_blocks *blocks,
                                  const perp_scaling *scaling, const double *z, double *w,
                                  double *scratch, perp_residuals *residuals)
{
    return perp_residual_compute_on(1, NULL, problem, blocks, scaling, z, w, scratch, residuals);
}

/* More than this, and than this part of what is measured, may not be hidden by rounding. */
static const double sharp_enough = 1e-12, sharp_part = 1e-2;

/* w is filled only when everything went well. */
static perp_status residual_in(perp_arena *arena, const perp_problem *problem, const double *z,
                               double *w, perp_residuals *residuals)
{
    perp_blocks blocks;
    perp_scaling scaling = {.d = NULL};
    perp_status status = perp_blocks_build(&blocks, problem, arena);
    if (status == PERP_SOLVED)
        status = perp_scaling_build(&scaling, problem, &blocks, arena);
    if (status != PERP_SOLVED)
        return status;
    double *product = PERP_TAKE(arena, double, blocks.n);
    if (!product)
        return PERP_ERR_MEMORY;
    status = perp_residual_compute(problem, &blocks, &scaling, z, product, scaling.low, residuals);
    double least = fmax(sharp_enough, sharp_part * fmax(residuals->natural, residuals->scaled));
    if (status == PERP_SOLVED && scaling.at_most > least) {
        double bound[3];
        perp_rounding_bound(bound, problem, &blocks, &scaling, z, product);
        if (fmax(bound[0], bound[1]) > least)
            perp_residual_sharpen(bound, problem, &blocks, &scaling, z, product, residuals);
    }
    for (int i = 0; status == PERP_SOLVED && w && i < blocks.n; i++)
        w[i] = product[i];
    return status;
}

perp_status perp_residual(const perp_problem *problem, const double *z,
                          const perp_allocator *allocator, double *w, perp_residuals *residuals)
{
    PERP_HOLD_ENVIRONMENT();
    perp_status status = perp_problem_check(problem, allocator, NULL);
    if (status != PERP_SOLVED)
        return status;
    if (!perp_sized_claim(residuals) || (!z && problem->M.rows > 0))
        return PERP_ERR_ARGUMENT;
    perp_residuals own = {.size = sizeof own};
    for (int i = 0; i < problem->M.rows; i++)
        if (!isfinite(z[i]))
            return PERP_ERR_NONFINITE;
    perp_arena arena;
    perp_arena_init(&arena, allocator);
    status = residual_in(&arena, problem, z, w, &own);
    perp_arena_free(&arena);
    if (status == PERP_SOLVED)
        perp_sized_write(residuals, &own, sizeof own);
    return status;
}
