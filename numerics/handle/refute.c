/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/refute.h"

#include <math.h>
#include <string.h>

#include "linalg/mat.h"
#include "problem/proof.h"

static const double CLOSE = 1e-9;
enum { DENOMINATORS = 20000, STEPS = 3, ITERATIONS = 60 };
/* What the columns are asked for beyond their condition, relative to their terms. */
static const double margin = 1e-12;

/* Behind the certificate. */
typedef struct vectors {
    perp_proof_vectors proof;
    double *trial, *step, *toward, *gradient, *rest;
} vectors;

double *perp_refute_take(const perp_work *work, perp_arena *arena)
{
    size_t n = (size_t)work->blocks.n;
    return perp_arena_take_zero(arena, 9 * n + perp_proof_work(&work->problem->M) + 1,
                                sizeof(double));
}

static vectors behind(const perp_work *work)
{
    size_t n = (size_t)work->blocks.n;
    double *y = work->certificate;
    return (vectors){{y + n, y + 2 * n, y + 3 * n, y + 9 * n}, y + 4 * n, y + 5 * n,
                     y + 6 * n,                                y + 7 * n, y + 8 * n};
}

/* The least denominator of a fraction within CLOSE of x in [0, 1]; 0: it is beyond DENOMINATORS.
 * Where it is not, no other fraction is as close, and this one is a convergent of x, since CLOSE is
 * below 1/(2 DENOMINATORS^2). */
static long denominator(double x)
{
    double rest = x;
    long p = 1, p_before = 0, q = 0, q_before = 1;
    while (rest < DENOMINATORS + 1.0) {
        long whole = (long)rest, p_next = whole * p + p_before, q_next = whole * q + q_before;
        if (q_next > DENOMINATORS)
            return 0;
        p_before = p;
        q_before = q;
        p = p_next;
        q = q_next;
        if (fabs(x * (double)q - (double)p) <= CLOSE * (double)q)
            return q;
        rest = 1.0 / (rest - (double)whole);
    }
    return 0;
}

static long greatest_divisor(long a, long b)
{
    while (b > 0) {
        long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int perp_small_integers(double *to, const double *x, int n)
{
    double largest = 0.0;
    long d = 1;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0.0) || !(largest < INFINITY))
        return 0;
    for (int i = 0; i < n; i++) {
        long own = denominator(fabs(x[i]) / largest);
        d = own > 0 ? d / greatest_divisor(d, own) * own : 0;
        if (d == 0 || d > DENOMINATORS)
            return 0;
    }
    for (int i = 0; i < n; i++)
        to[i] = nearbyint(x[i] / largest * (double)d);
    return 1;
}

/* A better proof takes the place of the certificate. */
static void keep_better(perp_work *work, const vectors *v, const double *y,
                        perp_certificate_figures *best)
{
    perp_certificate_figures figures = {.size = sizeof figures};
    perp_proof_check(&figures, work->problem, &work->blocks, y, &v->proof);
    if (figures.reach > best->reach) {
        *best = figures;
        memcpy(work->certificate, v->proof.right, (size_t)work->blocks.n * sizeof(double));
    }
}

/* The rest of the conditions: what columns lack of their margin, over their unit.  0: a step
 * cannot mend what is broken. */
static int list_rest(const perp_work *work, const vectors *v)
{
    const double *d = work->scaling.d;
    int some = 0;
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        perp_open_ends z = perp_block_ends(block);
        int j = block->row;
        double c = v->proof.c[j], ask = margin * v->proof.size[j], lack;
        for (int i = 0; i < block->dim; i++)
            v->rest[j + i] = 0.0;
        if (block->dim == 1 && !z.up && !z.down)
            continue;
        if ((block->dim > 1 || (z.up && z.down)) && c > 0.0)
            return 0;
        if (block->dim == 1 && z.up && z.down && c < 0.0)
            return 0;
        lack = z.up ? c + ask : ask - c;
        if (block->dim > 1 || (z.up && z.down) || !(lack > 0.0) || ask == 0.0)
            continue;
        v->rest[j] = (z.up ? lack : -lack) / (d ? d[k] : 1.0);
        some = 1;
    }
    return some;
}

/* x becomes 0 where the columns have no rest, over the unit of the others: the weighted columns
 * alone count. */
static void only_lacking(double *x, const perp_work *work, const vectors *v)
{
    const double *d = work->scaling.d;
    for (int k = 0; k < work->blocks.count; k++)
        for (int i = work->blocks.at[k].row; i < work->blocks.at[k].row + work->blocks.at[k].dim;
             i++)
            x[i] = v->step[i] != 0.0 ? x[i] / (d ? d[k] : 1.0) : 0.0;
}

/* x becomes 0 where y may not move, over the unit of the others. */
static void only_supporting(double *x, const perp_work *work, const double *y)
{
    const double *d = work->scaling.d;
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        perp_open_ends z = perp_block_ends(block);
        for (int i = block->row; i < block->row + block->dim; i++) {
            int moves = y[i] != 0.0 || (block->dim == 1 && z.up && z.down);
            x[i] = moves ? x[i] / (d ? d[k] : 1.0) : 0.0;
        }
    }
}

static double squares(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Conjugate gradients for the least step of y, in its own unit, that gives the columns what they
 * lack; v->trial becomes y with it. */
static int step_inward(perp_work *work, const vectors *v)
{
    const perp_mat *M = &work->problem->M;
    int n = work->blocks.n;
    size_t bytes = (size_t)n * sizeof(double);
    double *y = v->trial, *product = v->proof.c;
    memcpy(y, v->proof.right, bytes);
    if (!list_rest(work, v))
        return 0;
    /* step marks the columns until the end. */
    memcpy(v->step, v->rest, bytes);
    double first = squares(v->rest, n), old = 0.0;
    for (int k = 0; k < ITERATIONS && squares(v->rest, n) > 1e-4 * first; k++) {
        memcpy(product, v->rest, bytes);
        only_lacking(product, work, v);
        if (perp_mat_apply(M, product, work->scratch, v->gradient) != PERP_SOLVED)
            return 0;
        only_supporting(v->gradient, work, v->proof.right);
        double size = squares(v->gradient, n), share = old > 0.0 ? size / old : 0.0;
        for (int i = 0; i < n; i++)
            v->toward[i] = v->gradient[i] + (old > 0.0 ? share * v->toward[i] : 0.0);
        memcpy(v->gradient, v->toward, bytes);
        only_supporting(v->gradient, work, v->proof.right);
        if (perp_mat_apply_transposed(product, M, v->gradient, work->scratch) != PERP_SOLVED)
            return 0;
        only_lacking(product, work, v);
        double curve = squares(product, n);
        if (!(size > 0.0) || !(curve > 0.0))
            break;
        for (int i = 0; i < n; i++) {
            y[i] -= size / curve * v->gradient[i];
            v->rest[i] -= size / curve * product[i];
        }
        old = size;
    }
    for (int i = 0; i < n; i++)
        if (!isfinite(y[i]))
            return 0;
    return 1;
}

perp_status perp_refute(perp_work *work)
{
    vectors v = behind(work);
    int n = work->blocks.n;
    perp_certificate_figures best = {.size = sizeof best};
    work->certificate_kind = PERP_CERTIFICATE_NONE;
    work->reach = 0.0;
    memcpy(v.trial, work->certificate, (size_t)n * sizeof(double));
    keep_better(work, &v, v.trial, &best);
    if (!best.holds && perp_small_integers(v.trial, work->certificate, n))
        keep_better(work, &v, v.trial, &best);
    for (int k = 0; k < STEPS && !best.holds && best.reach > 0.0; k++) {
        perp_certificate_figures figures = {.size = sizeof figures};
        perp_proof_check(&figures, work->problem, &work->blocks, work->certificate, &v.proof);
        if (!step_inward(work, &v))
            break;
        keep_better(work, &v, v.trial, &best);
    }
    int of_use = best.column <= PERP_PROOF_COLUMN && best.value < -PERP_PROOF_VALUE;
    if (!best.holds && !(best.reach > 0.0 && of_use))
        return PERP_STALLED;
    work->certificate_kind = PERP_CERTIFICATE_INFEASIBLE;
    work->reach = best.reach;
    return perp_reach_status(best.reach);
}
