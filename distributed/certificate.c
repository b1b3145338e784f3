/* SPDX-License-Identifier: BSD-3-Clause */
/* The measures of docs/theory.md, of a problem in parts: what the blocks add is summed over the
 * ranks in their order.  The serial ones: numerics/problem/residual.c. */
#include <float.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "distributed/method.h"
#include "problem/residual_blocks.h"

/* Of all ranks: [0] natural, [1] scaled. */
typedef struct totals {
    double map[2], z[2], w[2], q[2], primal, dual, gap;
} totals;

enum { TOTALS = sizeof(totals) / sizeof(double) };

/* z and bounds times a, w and q times b. */
static totals add_all(perp_petsc *system, const double *z, const double *w, double a, double b)
{
    const perp_blocks *blocks = &system->blocks;
    sums t = nothing;
    for (int k = 0; k < blocks->count; k++) {
        int row = blocks->at[k].row;
        units u = {{a, a * system->d[k]}, {b, b / system->d[k]}};
        add_block(&t, &blocks->at[k], z + row, w + row, system->q + row, u);
    }
    totals all = {{t.map[0], t.map[1]},
                  {t.z[0], t.z[1]},
                  {t.w[0], t.w[1]},
                  {t.q[0], t.q[1]},
                  t.primal,
                  t.dual,
                  t.gap};
    double x[TOTALS];
    memcpy(x, &all, sizeof x);
    perp_petsc_total(system, x, TOTALS);
    memcpy(&all, x, sizeof x);
    return all;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double ratio(double square, double base)
{
    return base > 0.0 ? sqrt(square) / sqrt(base) : sqrt(square);
}

static double measure(const totals *t, int lane)
{
    return ratio(t->map[lane], larger(t->q[lane], larger(t->z[lane], t->w[lane])));
}

static void fill(perp_residuals *r, const totals *t)
{
    double base = sqrt(t->z[0]) * sqrt(larger(t->q[0], t->w[0]));
    r->natural = measure(t, 0);
    r->scaled = measure(t, 1);
    r->primal = ratio(t->primal, t->z[0]);
    r->dual = ratio(t->dual, t->q[0]);
    r->gap = base > 0.0 ? t->gap / base : t->gap;
}

/* 1 when no square that decides a measure has left the range of doubles. */
static int in_range(const totals *t)
{
    const double low = 1e-260, high = 1e280;
    double sum = t->gap;
    for (int lane = 0; lane < 2; lane++)
        sum += t->map[lane] + t->z[lane] + t->w[lane] + t->q[lane];
    return sum < high && (t->z[0] > low || t->z[0] == 0.0) && larger(t->w[0], t->q[0]) > low &&
           larger(t->z[1], larger(t->w[1], t->q[1])) > low;
}

/* Largest entries of all ranks: z, w or q, and all of them in the units of the scaled measure. */
static void largest_entries(perp_petsc *system, const double *z, const double *w, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        for (int i = block->row; i < block->row + block->dim; i++) {
            double force = fabs(z[i]), speed = larger(fabs(w[i]), fabs(system->q[i]));
            if (!(force + fabs(w[i]) <= DBL_MAX))
                force = INFINITY;
            out[0] = larger(out[0], force);
            out[1] = larger(out[1], speed);
            double l = perp_block_unit(block, i - block->row);
            out[2] = larger(out[2], larger(force * system->d[k] / l, speed * l / system->d[k]));
        }
    }
    perp_petsc_largest(system->comm, out, 3);
}

/* A power of two that brings x near to 1. */
static double unit(double x)
{
    if (x == 0.0)
        return 1.0;
    int e = ilogb(x);
    return ldexp(1.0, e > 1000 ? -1000 : e < -1000 ? 1000 : -e);
}

/* Each measure in a unit in which its squares exist. */
static void fill_rescaled(perp_petsc *system, const double *z, const double *w, perp_residuals *r)
{
    double most[3];
    largest_entries(system, z, w, most);
    if (isinf(most[0]) || isinf(most[1]) || isinf(most[2])) {
        *r = (perp_residuals){sizeof *r, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, {0}};
        return;
    }
    double a = unit(larger(most[0], most[1])), b = unit(most[2]);
    double of_z = unit(most[0]), of_w = unit(most[1]);
    totals t = add_all(system, z, w, of_z, of_w);
    fill(r, &t);
    /* What is absolute goes back to its unit. */
    r->dual /= t.q[0] > 0.0 ? 1.0 : of_w;
    r->gap /= t.z[0] > 0.0 ? 1.0 : of_z * of_w;
    t = add_all(system, z, w, a, a);
    r->natural = measure(&t, 0);
    t = add_all(system, z, w, b, b);
    r->scaled = measure(&t, 1);
}

void perp_petsc_measure(perp_petsc *system, const double *z, const double *w,
                        perp_residuals *residuals)
{
    totals t = add_all(system, z, w, 1.0, 1.0);
    *residuals = (perp_residuals){.size = sizeof *residuals};
    if (in_range(&t))
        fill(residuals, &t);
    else
        fill_rescaled(system, z, w, residuals);
}

double perp_petsc_own_error(const perp_petsc *system, const double *d, const double *q,
                            const double *z, const double *w)
{
    const perp_blocks *blocks = &system->blocks;
    sums t = nothing;
    for (int k = 0; k < blocks->count; k++) {
        int row = blocks->at[k].row;
        units u = {{1.0, d[k]}, {1.0, 1.0 / d[k]}};
        add_block(&t, &blocks->at[k], z + row, w + row, q + row, u);
    }
    return ratio(t.map[1], larger(t.q[1], larger(t.z[1], t.w[1])));
}
