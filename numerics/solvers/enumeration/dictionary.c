/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/enumeration/dictionary.h"

#include <math.h>
#include <string.h>

#include "handle/refute.h"
#include "linalg/exact_sum.h"

/* Entries of T below this, over the largest of their row, are taken for 0. */
static const double no_entry = 1e-11;
/* A bound may be missed by this, in scaled units. */
static const double bound_slack = 1e-11;
/* Multipliers below this share are 0.  A proof with a reach: what coefficients may break, over their
 * terms, and the margin that it needs. */
static const double rounding = 1e-12, most_breach = 1e-10, least_margin = 1e-9;
/* T is made again after so many exchanges. */
enum { REFRESH_EVERY = 200 };

static double larger(double a, double b)
{
    return a > b ? a : b;
}

int perp_dictionary_take(perp_dictionary *d, int rows, int cols, perp_arena *arena)
{
    size_t all = (size_t)rows + (size_t)cols, m = (size_t)rows, n = (size_t)cols;
    *d = (perp_dictionary){.rows = rows, .cols = cols};
    d->a = perp_arena_take(arena, m + 1, n * sizeof(double));
    d->t = perp_arena_take(arena, m + 1, n * sizeof(double));
    d->b = PERP_TAKE(arena, double, m);
    d->c = PERP_TAKE(arena, double, m);
    d->lambda = PERP_TAKE(arena, double, m);
    d->sum = PERP_TAKE(arena, double, 5 * n);
    d->trial = PERP_TAKE(arena, double, m);
    d->value = PERP_TAKE(arena, double, all);
    d->lo = PERP_TAKE(arena, double, all);
    d->hi = PERP_TAKE(arena, double, all);
    d->scale = PERP_TAKE(arena, double, all);
    d->basic = PERP_TAKE(arena, int, m);
    d->nonbasic = PERP_TAKE(arena, int, n);
    d->where = PERP_TAKE(arena, int, all);
    d->in = PERP_TAKE(arena, unsigned char, all);
    return !arena->failed;
}

/* The power of two next to 1 / sqrt(x); 1 for an empty row. */
static double balance(double x)
{
    int e;
    if (!(x > 0.0) || !isfinite(x))
        return 1.0;
    frexp(x, &e);
    return ldexp(1.0, -(int)floor(e / 2.0));
}

/* By a power of two; digits are lost where the result leaves the range of normal numbers. */
static void scale_by(perp_dictionary *d, double *x, double s)
{
    double to = *x * s;
    d->lossy |= *x != 0.0 && to / s != *x;
    *x = to;
}

/* Ruiz: the largest entry of each row and column comes near 1. */
static void equilibrate(perp_dictionary *d)
{
    size_t m = (size_t)d->rows, n = (size_t)d->cols;
    for (size_t v = 0; v < m + n; v++)
        d->scale[v] = 1.0;
    for (int sweep = 0; sweep < 6; sweep++) {
        for (size_t i = 0; i < m; i++) {
            double largest = 0.0, s;
            for (size_t j = 0; j < n; j++)
                largest = larger(largest, fabs(d->a[i * n + j]));
            s = balance(largest);
            d->scale[n + i] /= s;
            for (size_t j = 0; j < n; j++)
                scale_by(d, &d->a[i * n + j], s);
        }
        for (size_t j = 0; j < n; j++) {
            double largest = 0.0, s;
            for (size_t i = 0; i < m; i++)
                largest = larger(largest, fabs(d->a[i * n + j]));
            s = balance(largest);
            d->scale[j] *= s;
            for (size_t i = 0; i < m; i++)
                scale_by(d, &d->a[i * n + j], s);
        }
    }
}

/* b and the bounds in units in which the largest is about 1. */
static void rescale_values(perp_dictionary *d)
{
    int e, all = d->rows + d->cols;
    double largest = 0.0;
    for (int i = 0; i < d->rows; i++)
        largest = larger(largest, fabs(d->b[i] / d->scale[d->cols + i]));
    for (int v = 0; v < all; v++) {
        double lo = d->lo[v] / d->scale[v], hi = d->hi[v] / d->scale[v];
        largest = isfinite(lo) ? larger(largest, fabs(lo)) : largest;
        largest = isfinite(hi) ? larger(largest, fabs(hi)) : largest;
    }
    frexp(isfinite(largest) && largest > 0.0 ? largest : 1.0, &e);
    for (int v = 0; v < all; v++) {
        d->scale[v] *= ldexp(1.0, e);
        scale_by(d, &d->lo[v], 1.0 / d->scale[v]);
        scale_by(d, &d->hi[v], 1.0 / d->scale[v]);
    }
    for (int i = 0; i < d->rows; i++)
        scale_by(d, &d->b[i], 1.0 / d->scale[d->cols + i]);
}

/* The y are basic; T = A. */
static void reset(perp_dictionary *d)
{
    size_t m = (size_t)d->rows, n = (size_t)d->cols;
    memcpy(d->t, d->a, m * n * sizeof(double));
    memcpy(d->c, d->b, m * sizeof(double));
    for (int i = 0; i < d->rows; i++) {
        d->basic[i] = d->cols + i;
        d->where[d->cols + i] = i;
    }
    for (int j = 0; j < d->cols; j++) {
        d->nonbasic[j] = j;
        d->where[j] = -1 - j;
    }
    d->exchanges = 0;
}

/* Nonbasic values into their bounds, basic ones from them. */
static void evaluate(perp_dictionary *d)
{
    size_t n = (size_t)d->cols;
    for (int c = 0; c < d->cols; c++) {
        int v = d->nonbasic[c];
        d->value[v] = fmin(fmax(d->value[v], d->lo[v]), d->hi[v]);
    }
    for (int r = 0; r < d->rows; r++) {
        double sum = d->c[r];
        for (int c = 0; c < d->cols; c++)
            sum += d->t[(size_t)r * n + (size_t)c] * d->value[d->nonbasic[c]];
        d->value[d->basic[r]] = sum;
    }
}

void perp_dictionary_start(perp_dictionary *d)
{
    d->lossy = 0;
    equilibrate(d);
    rescale_values(d);
    reset(d);
    memset(d->value, 0, (size_t)(d->rows + d->cols) * sizeof(double));
    evaluate(d);
}

/* The basic variable of row r and the nonbasic one of column c change places. */
static void exchange(perp_dictionary *d, int r, int c)
{
    size_t n = (size_t)d->cols;
    double *row = d->t + (size_t)r * n, inverse = 1.0 / row[c];
    for (size_t j = 0; j < n; j++)
        row[j] *= -inverse;
    row[c] = inverse;
    d->c[r] *= -inverse;
    for (int i = 0; i < d->rows; i++) {
        double *other = d->t + (size_t)i * n, factor = other[c];
        if (i == r || factor == 0.0)
            continue;
        other[c] = 0.0;
        for (size_t j = 0; j < n; j++)
            other[j] += factor * row[j];
        d->c[i] += factor * d->c[r];
    }
    int in = d->nonbasic[c], out = d->basic[r];
    d->basic[r] = in;
    d->where[in] = r;
    d->nonbasic[c] = out;
    d->where[out] = -1 - c;
    d->exchanges++;
    d->pivots++;
}

/* A nonbasic variable goes to x. */
static void move(perp_dictionary *d, int c, double x)
{
    int v = d->nonbasic[c];
    double step = x - d->value[v];
    if (step == 0.0)
        return;
    for (int r = 0; r < d->rows; r++)
        d->value[d->basic[r]] += d->t[(size_t)r * (size_t)d->cols + (size_t)c] * step;
    d->value[v] = x;
}

void perp_dictionary_bound(perp_dictionary *d, int variable, double lo, double hi)
{
    d->lo[variable] = lo;
    d->hi[variable] = hi;
    if (d->where[variable] < 0)
        move(d, -1 - d->where[variable], fmin(fmax(d->value[variable], lo), hi));
}

/* The entry of largest size in the rows that have to leave and the columns that have to enter. */
static double best_exchange(const perp_dictionary *d, int *row, int *col)
{
    double largest = 0.0;
    for (int r = 0; r < d->rows; r++) {
        if (d->in[d->basic[r]])
            continue;
        const double *t = d->t + (size_t)r * (size_t)d->cols;
        for (int c = 0; c < d->cols; c++) {
            if (d->in[d->nonbasic[c]] && fabs(t[c]) > largest) {
                largest = fabs(t[c]);
                *row = r;
                *col = c;
            }
        }
    }
    return largest;
}

void perp_dictionary_refresh(perp_dictionary *d)
{
    int r = 0, c = 0;
    for (int v = 0; v < d->rows + d->cols; v++)
        d->in[v] = d->where[v] >= 0;
    reset(d);
    while (best_exchange(d, &r, &c) > no_entry)
        exchange(d, r, c);
    d->exchanges = 0;
    evaluate(d);
}

/* How far a variable is outside its bounds; *side: -1 below, 1 above. */
static double outside(const perp_dictionary *d, int v, int *side)
{
    double x = d->value[v], below = d->lo[v] - x, above = x - d->hi[v];
    *side = below > above ? -1 : 1;
    double by = larger(below, above);
    return by > bound_slack * larger(1.0, fabs(x)) ? by : 0.0;
}

/* The basic variable that is farthest outside, or the one with the least number; -1: none. */
static int leaving(const perp_dictionary *d, int by_number, int *side)
{
    int row = -1, s;
    double worst = 0.0;
    for (int r = 0; r < d->rows; r++) {
        double by = outside(d, d->basic[r], &s);
        if (by == 0.0)
            continue;
        if (row < 0 || (by_number ? d->basic[r] < d->basic[row] : by > worst)) {
            row = r;
            worst = by;
            *side = s;
        }
    }
    return row;
}

/* A column whose variable can bring row r back; -1: none. */
static int entering(const perp_dictionary *d, int r, int side, int by_number)
{
    const double *t = d->t + (size_t)r * (size_t)d->cols;
    double largest = 0.0, best = 0.0;
    int col = -1;
    for (int c = 0; c < d->cols; c++)
        largest = larger(largest, fabs(t[c]));
    for (int c = 0; c < d->cols; c++) {
        int v = d->nonbasic[c];
        int up = (t[c] > 0.0) == (side < 0);
        if (fabs(t[c]) <= no_entry * larger(largest, 1.0))
            continue;
        if (up ? !(d->value[v] < d->hi[v]) : !(d->value[v] > d->lo[v]))
            continue;
        if (col < 0 || (by_number ? v < d->nonbasic[col] : fabs(t[c]) > best)) {
            col = c;
            best = fabs(t[c]);
        }
    }
    return col;
}

/* What is known of lambda.y - (A' lambda).x = lambda.b, summed from below. */
typedef struct account {
    perp_exact_sum least; /* of the left side, less the right */
    double terms;
    double breach, shifted; /* coefficients that no bound holds, per unit of the caller's x */
    double relative;        /* the worst of them, over the terms that it is summed from */
} account;

static void add_least(account *a, double x)
{
    perp_exact_add(&a->least, x);
    a->terms += fabs(x);
}

/* Least value of k v for v between lo and hi. */
static void add_variable(account *a, perp_interval k, double lo, double hi, double unit,
                         double size)
{
    double down = isinf(lo) ? fmax(k.above, 0.0) : 0.0, up = isinf(hi) ? fmax(-k.below, 0.0) : 0.0;
    double breach = fmax(down, up), near = isinf(lo) ? hi : lo;
    if (breach > 0.0) {
        a->breach = perp_sum_up(a->breach, perp_product_up(breach, unit));
        a->relative = fmax(a->relative, breach / size);
        if (isfinite(near))
            a->shifted = perp_sum_up(a->shifted, perp_product_up(breach, fabs(near)));
    }
    double least = INFINITY;
    for (int end = 0; end < 2; end++) {
        double x = end == 0 ? lo : hi;
        if (isfinite(x))
            least =
                fmin(least, fmin(perp_product_down(x, k.below), perp_product_down(x, k.above)));
    }
    if (least < INFINITY)
        add_least(a, least);
}

/* Multipliers of rows with the sign that no bound holds are rounding, or no proof. */
static int clean_signs(double *lambda, const perp_dictionary *d)
{
    double largest = 0.0;
    for (int i = 0; i < d->rows; i++)
        largest = larger(largest, fabs(lambda[i]));
    for (int i = 0; i < d->rows; i++) {
        double bound = lambda[i] > 0.0 ? d->lo[d->cols + i] : d->hi[d->cols + i];
        if (lambda[i] == 0.0 || isfinite(bound))
            continue;
        if (!(fabs(lambda[i]) <= rounding * largest))
            return 0;
        lambda[i] = 0.0;
    }
    return 1;
}

/* No values within the bounds do that: their reach in x, infinite where it holds for all, 0 where
 * it does not hold. */
static double reach_of(perp_dictionary *d, double *lambda)
{
    size_t n = (size_t)d->cols;
    perp_exact_sum *sum = (perp_exact_sum *)(void *)d->sum;
    double *size = d->sum + 3 * n;
    account a = {.terms = 0.0};
    memset(d->sum, 0, 4 * n * sizeof(double));
    d->margin = 0.0;
    if (d->lossy || !clean_signs(lambda, d))
        return 0.0;
    for (int i = 0; i < d->rows; i++) {
        double l = lambda[i];
        if (l == 0.0)
            continue;
        const double *row = d->a + (size_t)i * n;
        for (size_t j = 0; j < n; j++) {
            perp_exact_add_product(&sum[j], -l, row[j]);
            size[j] += fabs(l * row[j]);
        }
        perp_exact_add_product(&a.least, -l, d->b[i]);
        a.terms += fabs(l * d->b[i]);
        double bound = l > 0.0 ? d->lo[d->cols + i] : d->hi[d->cols + i];
        perp_exact_add_product(&a.least, l, bound);
        a.terms += fabs(l * bound);
    }
    for (int j = 0; j < d->cols; j++)
        add_variable(&a, perp_exact_interval(&sum[j]), d->lo[j], d->hi[j], 1.0 / d->scale[j],
                     size[j]);
    d->margin = isfinite(a.terms) && a.terms > 0.0 ? a.least.high / a.terms : 0.0;
    double least = -perp_sum_up(-perp_exact_interval(&a.least).below, a.shifted);
    if (!(least > 0.0) || !(a.breach < INFINITY))
        return 0.0;
    if (a.breach == 0.0)
        return INFINITY;
    return a.relative <= most_breach ? perp_down(least / a.breach) : 0.0;
}

/* 1: the multipliers refute, as they are or as the small integers that they stand for. */
static int proves(perp_dictionary *d)
{
    d->reach = reach_of(d, d->lambda);
    double margin = d->margin;
    if (isinf(d->reach))
        return 1;
    if (perp_small_integers(d->trial, d->lambda, d->rows) && isinf(reach_of(d, d->trial))) {
        memcpy(d->lambda, d->trial, (size_t)d->rows * sizeof(double));
        d->reach = INFINITY;
        return 1;
    }
    d->margin = margin;
    return d->reach > 0.0 && d->margin > least_margin;
}

/* Row r cannot come back into its bounds: is that so? */
static int is_refuted(perp_dictionary *d, int r, int side)
{
    const double *t = d->t + (size_t)r * (size_t)d->cols;
    double sign = -(double)side, largest = 1.0;
    for (int c = 0; c < d->cols; c++)
        largest = larger(largest, fabs(t[c]));
    memset(d->lambda, 0, (size_t)d->rows * sizeof(double));
    if (d->basic[r] >= d->cols)
        d->lambda[d->basic[r] - d->cols] = sign;
    for (int c = 0; c < d->cols; c++)
        if (d->nonbasic[c] >= d->cols && fabs(t[c]) > rounding * largest)
            d->lambda[d->nonbasic[c] - d->cols] = -sign * t[c];
    return proves(d);
}

perp_verdict perp_dictionary_check(perp_dictionary *d)
{
    int side = 0, fresh = 0, all = d->rows + d->cols;
    for (int count = 0; count < 40 * all + 100; count++) {
        int by_number = count > 4 * all, r, c;
        if (d->exchanges >= REFRESH_EVERY)
            perp_dictionary_refresh(d);
        r = leaving(d, by_number, &side);
        if (r < 0)
            return PERP_FEASIBLE;
        c = entering(d, r, side, by_number);
        if (c < 0) {
            if (is_refuted(d, r, side))
                return PERP_REFUTED;
            if (fresh)
                return PERP_UNDECIDED;
            perp_dictionary_refresh(d);
            fresh = 1;
            continue;
        }
        int v = d->basic[r], enters = d->nonbasic[c];
        double bound = side < 0 ? d->lo[v] : d->hi[v];
        double step = (bound - d->value[v]) / d->t[(size_t)r * (size_t)d->cols + (size_t)c];
        move(d, c, d->value[enters] + step);
        d->value[v] = bound;
        exchange(d, r, c);
        d->stopped = d->stop && d->stop(d->stop_ctx);
        if (d->stopped)
            break;
    }
    return PERP_UNDECIDED;
}
