/* SPDX-License-Identifier: BSD-3-Clause */
/* y.w >= 0 for every w that a solution may have, and sup over K of (M'y).z + q.y < 0.
 *
 * y is first made one whose signs are right to the last bit; then only the second is to be shown.
 * Every sum carries a bound of its rounding (linalg/exact_sum.h), every other operation is rounded
 * away from the claim.  Where a column keeps the supremum from being finite, by however little, its
 * breach times |z| is counted, and the proof has a reach. */
#include "problem/proof.h"

#include <math.h>
#include <string.h>

#include "problem/proof_columns.h"
#include "sets/rolling.h"

perp_open_ends perp_block_ends(const perp_block *block)
{
    switch (block->set) {
    case PERP_FREE:
        return (perp_open_ends){1, 1};
    case PERP_BOX:
        return (perp_open_ends){isinf(block->par[1]) != 0, isinf(block->par[0]) != 0};
    default:
        return (perp_open_ends){1, 0};
    }
}

perp_row_case perp_row_case_of(const perp_block *block)
{
    perp_row_case row = {0.0, INFINITY, 1, 0};
    if (block->set == PERP_FREE) {
        row = (perp_row_case){-INFINITY, INFINITY, 0, 0};
    } else if (block->set == PERP_BOX) {
        row.lo = block->par[0];
        row.hi = block->par[1];
        row.positive = isfinite(row.lo);
        row.negative = isfinite(row.hi);
    }
    return row;
}

static double right_sign(double y, const perp_row_case *row)
{
    y = row->positive ? fmax(y, 0.0) : y;
    return row->negative ? fmin(y, 0.0) : y;
}

static double length(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* The same for entries of at least 0 and not less than it is: n + 1 roundings of 2^-53 each, and
 * what underflows. */
static double length_up(const double *x, int n)
{
    double largest = 0.0, sum = 0.0;
    int some = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, x[i]);
        some += x[i] > 0.0;
    }
    if (some < 2 || !(largest < INFINITY))
        return largest;
    for (int i = 0; i < n; i++) {
        double part = x[i] / largest;
        sum += part * part;
    }
    return perp_product_up(largest, sqrt(sum) * (1.0 + 0x1p-51 * (n + 4)));
}

double perp_proof_signs(double *p, const perp_block *block, const double *y)
{
    double sum = 0.0;
    int dim = block->dim;
    if (block->set == PERP_SOC) {
        double tangent = length(y + 1, dim - 1), mu = block->par[0], n = y[0];
        int inside = tangent <= mu * n;
        double a = fmax(0.0, (n + mu * tangent) / (1.0 + mu * mu)), limit = 0.0, largest = 0.0;
        for (int i = 0; i < dim; i++)
            p[i] = inside ? y[i] : i == 0 ? a : tangent > 0.0 ? mu * a / tangent * y[i] : 0.0;
        for (int i = 1; i < dim; i++)
            largest = fmax(largest, fabs(p[i]));
        for (int i = 1; i < dim && largest > 0.0; i++)
            limit += p[i] / largest * (p[i] / largest);
        /* Up to where rounding cannot have left it outside. */
        if (largest > 0.0) /* so mu is */
            p[0] = fmax(p[0], sqrt(limit) * largest * (1.0 + 0x1p-50 * (dim + 4)) / mu);
    } else {
        const perp_row_case half = {0.0, INFINITY, 1, 0}, own = perp_row_case_of(block);
        p[0] = right_sign(y[0], dim == 1 ? &own : &half);
        for (int i = 1; i < dim; i++)
            p[i] = 0.0;
    }
    for (int i = 0; i < dim; i++)
        sum += (p[i] - y[i]) * (p[i] - y[i]);
    return sqrt(sum);
}

/* Sums over the blocks. */
typedef struct account {
    perp_exact_sum value; /* of bounds from above */
    double terms;         /* of the supremum, without signs */
    double breach;        /* from above: what columns break; */
    double shifted;       /* that times |bound| */
    double column;        /* the worst, relative */
    int row;
} account;

static void add_breach(account *a, int row, double breach, double size, double bound)
{
    if (breach <= 0.0) /* a NaN goes on */
        return;
    a->breach = perp_sum_up(a->breach, breach);
    a->shifted = perp_sum_up(a->shifted, perp_product_up(breach, fabs(bound)));
    double share = size > 0.0 ? breach / size : INFINITY;
    if (share > a->column) {
        a->column = share;
        a->row = row;
    }
}

static void add_value(account *a, double value)
{
    perp_exact_add(&a->value, value);
    a->terms += fabs(value);
}

static void add_product(account *a, double x, double y)
{
    perp_exact_add_product(&a->value, x, y);
    a->terms += fabs(x * y);
}

/* The larger of x c at both ends of c. */
static double reach_of(double x, perp_interval c)
{
    return fmax(perp_product_up(x, c.below), perp_product_up(x, c.above));
}

/* sup of c z over the interval of row i; size: of the terms of c. */
static void add_interval(account *a, double *kept, const perp_row_case *row, int i,
                         perp_interval c, double size)
{
    double lo = row->lo, hi = row->hi;
    int up = hi == INFINITY, down = lo == -INFINITY;
    *kept = up ? c.above : c.below;
    if (up && down) {
        *kept = fabs(c.below) > fabs(c.above) ? c.below : c.above;
        add_breach(a, i, fabs(*kept), size, 0.0);
    } else if (up) {
        add_breach(a, i, c.above, size, lo);
        add_value(a, reach_of(lo, c));
    } else if (down) {
        add_breach(a, i, -c.below, size, hi);
        add_value(a, reach_of(hi, c));
    } else {
        add_value(a, fmax(reach_of(lo, c), reach_of(hi, c)));
    }
}

/* Of so many rows, |c| from above. */
static double tangent_up(const perp_exact_sum *c, int n)
{
    double largest = 0.0, all = 0.0;
    for (int i = 0; i < n; i++) {
        perp_interval in = perp_exact_interval(&c[i]);
        double x = fmax(fabs(in.below), fabs(in.above)), pair[2] = {all, x};
        largest = isnan(in.below + in.above) ? NAN : largest;
        all = length_up(pair, 2);
    }
    return all + largest;
}

/* sup of c.z over a block of several rows. */
static void add_cone(account *a, double *kept, const perp_block *block, const perp_exact_sum *c,
                     const double *size)
{
    const int rolls = block->set == PERP_ROLLING;
    int n = rolls ? perp_rolling_rows(block->dim) : block->dim - 1;
    double mu = block->par[0], all = size[0] + mu * length(size + 1, n);
    perp_exact_sum sum = c[0];
    if (block->set == PERP_TRESCA) {
        *kept = perp_exact_interval(&sum).above;
        add_breach(a, block->row, *kept, size[0], 0.0);
        add_value(a, perp_product_up(mu, tangent_up(c + 1, n)));
        return;
    }
    perp_exact_add_product(&sum, mu, tangent_up(c + 1, n));
    for (int k = 1; rolls && k < perp_rolling_disks(block->dim); k++) {
        int first = perp_rolling_first(block->dim, k), count = perp_rolling_count(block->dim, k);
        perp_exact_add_product(&sum, block->par[k], tangent_up(c + first, count));
        all += block->par[k] * length(size + first, count);
    }
    *kept = perp_exact_interval(&sum).above;
    add_breach(a, block->row, *kept, all, 0.0);
}

/* The largest entry between 1 and 2, so that nothing is rounded. */
static int exponent_of(const double *y, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(y[i]));
    return largest > 0.0 ? ilogb(largest) : 0;
}

/* No solution has all |z_i| below this. */
static double reach(const account *a)
{
    double above = perp_sum_up(perp_exact_interval(&a->value).above, a->shifted);
    if (!(above < 0.0) || !(a->breach < INFINITY))
        return 0.0;
    return a->breach > 0.0 ? fmax(0.0, perp_down(-above / a->breach)) : INFINITY;
}

void perp_proof_check(perp_certificate_figures *figures, const perp_problem *problem,
                      const perp_blocks *blocks, const double *y, const perp_proof_vectors *at)
{
    perp_proof_check_case(figures, problem, blocks, NULL, y, at);
}

/* y of the block with the right signs; its distance. */
static double correct(double *right, const perp_block *block, const perp_row_case *cases,
                      const double *y)
{
    if (!cases)
        return perp_proof_signs(right, block, y);
    *right = right_sign(*y, &cases[block->row]);
    return fabs(*right - *y);
}

void perp_proof_check_case(perp_certificate_figures *figures, const perp_problem *problem,
                           const perp_blocks *blocks, const perp_row_case *cases, const double *y,
                           const perp_proof_vectors *at)
{
    account a = {.row = -1};
    int n = blocks->n, exponent = exponent_of(y, n);
    perp_exact_sum *c = (perp_exact_sum *)(void *)at->work;
    figures->sign = figures->column = figures->value = figures->reach = 0.0;
    figures->row = -1;
    figures->holds = 0;
    for (int i = 0; i < n; i++)
        at->c[i] = ldexp(y[i], -exponent);
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        double away = correct(at->right + block->row, block, cases, at->c + block->row);
        if (away > figures->sign) {
            figures->sign = away;
            a.row = block->row;
        }
    }
    perp_proof_columns(c, at->size, &problem->M, at->right, at->work + 3 * (size_t)n);
    memset(at->c, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        add_product(&a, problem->q[i], at->right[i]);
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        int i = block->row;
        perp_row_case row = cases ? cases[i] : perp_row_case_of(block);
        if (block->dim == 1)
            add_interval(&a, &at->c[i], &row, i, perp_exact_interval(&c[i]), at->size[i]);
        else
            add_cone(&a, &at->c[i], block, c + i, at->size + i);
    }
    figures->column = a.column;
    figures->row = a.row;
    figures->value = a.terms > 0.0 ? (a.value.high + a.value.low) / a.terms : 0.0;
    figures->reach = figures->sign <= PERP_PROOF_SIGN ? reach(&a) : 0.0;
    figures->holds = figures->reach == INFINITY;
}
