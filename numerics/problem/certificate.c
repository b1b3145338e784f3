/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks certificates from the problem's own arrays. */
#include <perp/certificate.h>

#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "linalg/csc.h"
#include "problem/blocks.h"
#include "sets/rolling.h"

static const double sign_slack = 1e-12, column_slack = 1e-10, least_value = 1e-8;

/* Sums over the blocks. */
typedef struct account {
    double value, terms;    /* the supremum, and its terms without signs */
    double breach, shifted; /* sums of what the columns break, the latter times |bound| */
    double sign, column;    /* worst ones */
    int row;
} account;

static double length(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* What a row may do: the signs of w, and which ends of z are open. */
typedef struct half_lines {
    int up, down; /* 1: z may grow, z may fall, without bound */
} half_lines;

static half_lines open_ends(const perp_block *block)
{
    switch (block->set) {
    case PERP_FREE:
        return (half_lines){1, 1};
    case PERP_BOX:
        return (half_lines){isinf(block->par[1]), isinf(block->par[0])};
    default:
        return (half_lines){1, 0};
    }
}

/* The nearest y of a block that has the signs of a proof; its distance. */
static double right_signs(double *p, const perp_block *block, const double *y)
{
    double sum = 0.0;
    int dim = block->dim;
    if (block->set == PERP_SOC) {
        double tangent = length(y + 1, dim - 1), mu = block->par[0], n = y[0];
        int inside = tangent <= mu * n;
        double a = fmax(0.0, (n + mu * tangent) / (1.0 + mu * mu));
        for (int i = 0; i < dim; i++)
            p[i] = inside ? y[i] : i == 0 ? a : tangent > 0.0 ? mu * a / tangent * y[i] : 0.0;
    } else {
        half_lines z = dim == 1 ? open_ends(block) : (half_lines){1, 0};
        p[0] = z.up && z.down ? y[0] : z.up ? fmax(y[0], 0.0) : z.down ? fmin(y[0], 0.0) : 0.0;
        for (int i = 1; i < dim; i++)
            p[i] = 0.0;
    }
    for (int i = 0; i < dim; i++)
        sum += (p[i] - y[i]) * (p[i] - y[i]);
    return sqrt(sum);
}

static void add_breach(account *a, int row, double breach, double size, double shift)
{
    if (breach <= 0.0) /* a NaN goes on */
        return;
    a->breach += breach;
    a->shifted += breach * fabs(shift);
    if (breach / size > a->column) {
        a->column = breach / size;
        a->row = row;
    }
}

static void add_value(account *a, double value)
{
    a->value += value;
    a->terms += fabs(value);
}

/* sup of c z over the interval; size: of the terms of c. */
static void add_interval(account *a, const perp_block *block, double c, double size)
{
    half_lines z = open_ends(block);
    double lo = block->set == PERP_BOX ? block->par[0] : 0.0, hi = block->par[1];
    if (z.up && z.down) {
        add_breach(a, block->row, fabs(c), size, 0.0);
    } else if (z.up) {
        add_breach(a, block->row, c, size, lo);
        add_value(a, lo * c);
    } else if (z.down) {
        add_breach(a, block->row, -c, size, hi);
        add_value(a, hi * c);
    } else {
        add_value(a, c > 0.0 ? hi * c : lo * c);
    }
}

/* sup of c.z over a block of several rows. */
static void add_cone(account *a, const perp_block *block, const double *c, const double *size)
{
    int n = block->set == PERP_ROLLING ? perp_rolling_rows(block->dim) : block->dim - 1;
    double mu = block->par[0], tangent = length(c + 1, n), bound = length(size + 1, n);
    if (block->set == PERP_TRESCA) {
        add_breach(a, block->row, c[0], size[0], 0.0);
        add_value(a, mu * tangent);
        return;
    }
    double sum = c[0] + mu * tangent, all = size[0] + mu * bound;
    if (block->set == PERP_ROLLING) {
        sum += block->par[1] * length(c + 1 + n, n);
        all += block->par[1] * length(size + 1 + n, n);
    }
    add_breach(a, block->row, sum, all, 0.0);
}

/* c = M'y and the sums of the absolute terms. */
static void columns(double *c, double *size, const perp_csc *M, const double *y)
{
    for (int j = 0; j < M->cols; j++) {
        c[j] = size[j] = 0.0;
        for (int p = M->colptr[j]; p < M->colptr[j + 1]; p++) {
            c[j] += M->x[p] * y[M->row[p]];
            size[j] += fabs(M->x[p] * y[M->row[p]]);
        }
    }
}

static void rows(double *c, double *size, const perp_csc *M, const double *y)
{
    memset(c, 0, (size_t)M->rows * sizeof(double));
    memset(size, 0, (size_t)M->rows * sizeof(double));
    for (int j = 0; j < M->cols; j++) {
        for (int p = M->colptr[j]; p < M->colptr[j + 1]; p++) {
            c[M->row[p]] += M->x[p] * y[j];
            size[M->row[p]] += fabs(M->x[p] * y[j]);
        }
    }
}

/* y becomes one with the right signs; the worst distance. */
static void correct_signs(account *a, double *right, const perp_blocks *blocks, const double *y)
{
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        double away = right_signs(right + block->row, block, y + block->row);
        if (away > a->sign) {
            a->sign = away;
            a->row = block->row;
        }
    }
}

static void check_infeasible(account *a, const perp_problem *problem, const perp_blocks *blocks,
                             const double *y, const double *c, const double *size)
{
    for (int i = 0; i < blocks->n; i++)
        add_value(a, problem->q[i] * y[i]);
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        if (block->dim == 1)
            add_interval(a, block, c[block->row], size[block->row]);
        else
            add_cone(a, block, c + block->row, size + block->row);
    }
}

/* v = M y. */
static void check_ray(account *a, const perp_blocks *blocks, const double *y, const double *v,
                      const double *size)
{
    for (int k = 0; k < blocks->count; k++) {
        int i = blocks->at[k].row;
        half_lines z = open_ends(&blocks->at[k]);
        if (!(z.up && z.down) && fabs(y[i]) > sign_slack)
            add_breach(a, i, y[i] > 0.0 ? v[i] : -v[i], size[i], 0.0);
    }
}

static perp_status check(perp_certificate_figures *figures, const perp_problem *problem,
                         perp_certificate_kind kind, const double *y, perp_arena *arena)
{
    account a = {.row = -1};
    perp_blocks blocks;
    perp_csc M;
    double largest = 0.0;
    perp_status status = perp_blocks_build(&blocks, problem, arena);
    if (status == PERP_SOLVED && kind == PERP_CERTIFICATE_RAY && blocks.max_dim > 1)
        status = PERP_ERR_UNSUPPORTED;
    if (status == PERP_SOLVED)
        status = perp_csc_from_mat(&M, &problem->M, arena);
    if (status != PERP_SOLVED)
        return status;
    double *right = PERP_TAKE(arena, double, blocks.n), *c = PERP_TAKE(arena, double, blocks.n);
    double *size = PERP_TAKE(arena, double, blocks.n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < blocks.n; i++) {
        if (!isfinite(y[i]))
            return PERP_ERR_NONFINITE;
        largest = fmax(largest, fabs(y[i]));
    }
    if (!(largest > 0.0))
        return PERP_SOLVED;
    for (int i = 0; i < blocks.n; i++)
        c[i] = y[i] / largest;
    correct_signs(&a, right, &blocks, c);
    if (kind == PERP_CERTIFICATE_RAY) {
        rows(c, size, &M, right);
        check_ray(&a, &blocks, right, c, size);
    } else {
        columns(c, size, &M, right);
        check_infeasible(&a, problem, &blocks, right, c, size);
        figures->value = a.terms > 0.0 ? a.value / a.terms : 0.0;
        double left = -a.value - a.shifted;
        figures->reach = !(left > 0.0) ? 0.0 : a.breach > 0.0 ? left / a.breach : INFINITY;
    }
    figures->sign = a.sign;
    figures->column = a.column;
    figures->row = a.row;
    figures->holds = isfinite(a.breach) && a.sign <= sign_slack && a.column <= column_slack &&
                     (kind == PERP_CERTIFICATE_RAY || figures->value < -least_value);
    return PERP_SOLVED;
}

perp_status perp_certificate_check(const perp_problem *problem, perp_certificate_kind kind,
                                   const double *y, const perp_allocator *allocator,
                                   perp_certificate_figures *figures)
{
    PERP_HOLD_ENVIRONMENT();
    perp_arena arena;
    perp_certificate_figures own = {.row = -1, .holds = kind == PERP_CERTIFICATE_EXHAUSTED};
    if (!problem || perp_sized_write(figures, &own, sizeof own) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (kind == PERP_CERTIFICATE_EXHAUSTED || kind == PERP_CERTIFICATE_NONE)
        return PERP_SOLVED;
    if (kind != PERP_CERTIFICATE_RAY && kind != PERP_CERTIFICATE_INFEASIBLE)
        return PERP_ERR_ARGUMENT;
    if (!y && problem->M.rows > 0)
        return PERP_ERR_ARGUMENT;
    if (problem->M.kind == PERP_OPERATOR)
        return PERP_ERR_UNSUPPORTED;
    perp_arena_init(&arena, allocator);
    perp_status status = check(&own, problem, kind, y, &arena);
    perp_arena_free(&arena);
    perp_sized_write(figures, &own, sizeof own);
    return status;
}
