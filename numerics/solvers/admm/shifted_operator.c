/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "solvers/admm/shifted.h"
#include "solvers/projection/law_resolvent.h"

enum { MAX_PRODUCTS = 200 };

static const double fall = 0.1;

perp_status perp_shifted_operator_setup(perp_shifted *shifted)
{
    perp_arena *arena = shifted->work->arena;
    int n = shifted->work->blocks.n;
    shifted->r = PERP_TAKE(arena, double, n);
    shifted->y = PERP_TAKE(arena, double, n);
    for (int k = 0; k < PERP_SHIFTED_DIRECTIONS; k++) {
        shifted->p[k] = PERP_TAKE(arena, double, n);
        shifted->Ap[k] = PERP_TAKE(arena, double, n);
    }
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* 1 / d_k^2. */
static double metric(const perp_shifted *shifted, int k)
{
    const double *d = shifted->work->scaling.d;
    return d ? 1.0 / (d[k] * d[k]) : 1.0;
}

/* a' T b */
static double product_in_T(const perp_shifted *shifted, const double *a, const double *b)
{
    const perp_blocks *blocks = &shifted->work->blocks;
    double sum = 0.0;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        double part = 0.0;
        for (int i = 0, at = block->row; i < block->dim; i++, at++) {
            double unit = perp_block_unit(block, i);
            part += (unit * a[at]) * (unit * b[at]);
        }
        sum += metric(shifted, k) * part;
    }
    return sum;
}

/* out = (M + R) x */
static perp_status apply(double *out, perp_shifted *shifted, const double *x)
{
    perp_status status = perp_mat_apply(&shifted->work->problem->M, x, shifted->work->scratch, out);
    shifted->products++;
    for (int i = 0; i < shifted->work->blocks.n; i++)
        out[i] += shifted->shift[i] * x[i];
    return status;
}

/* The next direction T r, its image made orthogonal to the images of those kept. */
static perp_status direction(perp_shifted *shifted, int at, int kept)
{
    const perp_blocks *blocks = &shifted->work->blocks;
    double *p = shifted->p[at], *Ap = shifted->Ap[at];
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        double t = metric(shifted, k);
        for (int i = 0, row = block->row; i < block->dim; i++, row++)
            p[row] = perp_row_step(block, t, i) * shifted->r[row];
    }
    perp_status status = apply(Ap, shifted, p);
    for (int c = 0; c < kept; c++) {
        int old = (at + PERP_SHIFTED_DIRECTIONS - 1 - c) % PERP_SHIFTED_DIRECTIONS;
        double share = product_in_T(shifted, Ap, shifted->Ap[old]) / shifted->size[old];
        for (int i = 0; i < blocks->n; i++) {
            p[i] -= share * shifted->p[old][i];
            Ap[i] -= share * shifted->Ap[old][i];
        }
    }
    shifted->size[at] = product_in_T(shifted, Ap, Ap);
    return status;
}

perp_status perp_shifted_operator_solve(double *x, perp_shifted *shifted, const double *b)
{
    int n = shifted->work->blocks.n, kept = 0;
    double first = INFINITY;
    perp_status status = apply(shifted->r, shifted, x);
    for (int i = 0; i < n; i++)
        shifted->r[i] = b[i] - shifted->r[i];
    for (int k = 0; status == PERP_SOLVED && k < MAX_PRODUCTS; k++) {
        int at = k % PERP_SHIFTED_DIRECTIONS;
        double now = sqrt(product_in_T(shifted, shifted->r, shifted->r));
        first = k == 0 ? now : first;
        if (!(now > (k == 0 ? 0.0 : fall * first)))
            break;
        status = direction(shifted, at, kept);
        if (!(shifted->size[at] > 0.0))
            break;
        double step = product_in_T(shifted, shifted->r, shifted->Ap[at]) / shifted->size[at];
        for (int i = 0; i < n; i++) {
            x[i] += step * shifted->p[at][i];
            shifted->r[i] -= step * shifted->Ap[at][i];
        }
        kept = kept < PERP_SHIFTED_DIRECTIONS - 1 ? kept + 1 : kept;
    }
    return status;
}
