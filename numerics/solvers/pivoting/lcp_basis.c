/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/pivoting/lcp_basis.h"

#include <math.h>
#include <string.h>

#include "core/rng.h"

/* Entries of a column below this share of the largest are taken for 0. */
static const double pivot_zero = 1e-11;
/* Ratios tie when a value differs by this many times its rounding, or by this share. */
static const double noise_tie = 8.0, share_tie = 1e-13;
/* After one of this many exchanges the residual is looked at, and this much is let pass. */
enum { DRIFT_EVERY = 20 };
static const double drift_limit = 1e-10;

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Rows whose ratio value / rate is least within the tie; their number.  sign -1: values may be
 * negative (first pivot). */
static int least_ratios(perp_basis *basis, const double *rate, int sign)
{
    double largest = 0.0, least = INFINITY;
    int count = 0;
    /* Open rows count here: a column that is large only there is rounding elsewhere. */
    for (int r = 0; r < basis->size; r++)
        largest = larger(largest, fabs(rate[r]));
    double zero = pivot_zero * largest;
    for (int r = 0; r < basis->size; r++) {
        if (!basis->open[r] && rate[r] > zero) {
            double value = sign > 0 ? larger(basis->value[r], 0.0) : basis->value[r];
            least = smaller(least, value / rate[r]);
        }
    }
    for (int r = 0; r < basis->size; r++) {
        if (!basis->open[r] && rate[r] > zero) {
            double value = sign > 0 ? larger(basis->value[r], 0.0) : basis->value[r];
            double tie = noise_tie * basis->noise[r] + share_tie * fabs(value);
            if (value - least * rate[r] <= tie)
                basis->ties[count++] = r;
        }
    }
    return count;
}

/* Those of the ties whose entry over rate is least. */
static int keep_least(perp_basis *basis, int count, const double *entry, const double *rate)
{
    double least = INFINITY;
    int kept = 0;
    for (int k = 0; k < count; k++)
        least = smaller(least, entry[basis->ties[k]] / rate[basis->ties[k]]);
    for (int k = 0; k < count; k++) {
        int r = basis->ties[k];
        if (entry[r] / rate[r] <= least + 1e-9 * larger(1.0, fabs(least)))
            basis->ties[kept++] = r;
    }
    return kept;
}

/* The same for a column of the inverse that is a unit vector with its 1 at position `one`. */
static int drop_one(perp_basis *basis, int count, int one)
{
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (basis->ties[k] != one)
            basis->ties[kept++] = basis->ties[k];
    return kept > 0 ? kept : count;
}

/* The position of least lexicographic ratio; -1 when no value falls, or no ratio is finite.
 * Columns of the inverse are computed as they are needed. */
static int leaving_row(perp_basis *basis, const double *rate, int sign)
{
    int count = least_ratios(basis, rate, sign);
    for (int j = 0; count > 1 && j < basis->size; j++) {
        int v = basis->order[j];
        if (basis->where[v] >= 0) {
            count = drop_one(basis, count, basis->where[v]);
            continue;
        }
        perp_basis_column(basis->entry, basis, v);
        count = keep_least(basis, count, basis->entry, rate);
    }
    return count > 0 ? basis->ties[0] : -1;
}

/* 1: the values and the entries of `rate` are finite: ratios that are none mean something. */
static int is_finite(const perp_basis *basis, const double *rate)
{
    for (int r = 0; r < basis->size; r++)
        if (!isfinite(basis->value[r]) || !isfinite(rate[r]))
            return 0;
    return 1;
}

/* `goal` or `other` where it is among the ties. */
static int tied_goal(const perp_basis *basis, int count, int goal, int other)
{
    for (int k = 0; k < count; k++) {
        int v = basis->basic[basis->ties[k]];
        if (v == goal || v == other)
            return basis->ties[k];
    }
    return -1;
}

/* The cover in terms of the rows of A: B times what t is given. */
static void cover_in_rows(perp_basis *basis, const double *given)
{
    size_t N = (size_t)basis->size;
    memset(basis->cover, 0, N * sizeof(double));
    for (size_t r = 0; r < N; r++) {
        size_t v = (size_t)basis->basic[r];
        if (v >= N) {
            basis->cover[v - N] += given[r];
            continue;
        }
        for (size_t i = 0; given[r] != 0.0 && i < N; i++)
            basis->cover[i] -= basis->lcp->a[i + v * N] * given[r];
    }
}

/* Rounding of the elimination where the exact value is 0 goes.  1: all values are >= 0. */
static int clean(perp_basis *basis)
{
    int feasible = 1;
    for (int r = 0; r < basis->size; r++) {
        if (basis->value[r] < 0.0 && basis->value[r] >= -noise_tie * basis->noise[r])
            basis->value[r] = 0.0;
        feasible = feasible && (basis->open[r] || basis->value[r] >= 0.0);
    }
    return feasible;
}

int perp_basis_cover(perp_basis *basis, int attempt, int *leaving)
{
    int N = basis->size;
    double *given = basis->column;
    perp_rng rng = {(uint64_t)attempt};
    if (clean(basis))
        return 1;
    /* Slack rows keep 0 where they are feasible: then a box bounds the path. */
    for (int r = 0; r < N; r++) {
        int v = basis->basic[r];
        int slack = v >= N && basis->lcp->kind[v - N] == PERP_LCP_SLACK;
        double entry = attempt == 0 ? 1.0 : ldexp(1.0 + 7.0 * perp_rng_uniform(&rng), -3);
        given[r] = basis->open[r] || (slack && basis->value[r] >= 0.0) ? 0.0 : entry;
        basis->order[r] = v;
    }
    cover_in_rows(basis, given);
    int row = leaving_row(basis, given, -1);
    if (row < 0)
        return -1;
    *leaving = basis->basic[row];
    /* The column of t in the basis is -d. */
    for (int r = 0; r < N; r++)
        given[r] = -given[r];
    return perp_basis_exchange(basis, row, 2 * N, basis->value[row] / given[row]) == PERP_SOLVED
               ? 0
               : -1;
}

/* Position of the last row that becomes >= 0 as the variable of basis->column grows; *left: rows
 * that do not. */
static int last_lifted(const perp_basis *basis, int *left)
{
    double largest = 0.0, last = -1.0;
    int row = -1;
    *left = 0;
    for (int r = 0; r < basis->size; r++)
        largest = larger(largest, fabs(basis->column[r]));
    for (int r = 0; r < basis->size; r++) {
        if (basis->open[r] || basis->value[r] >= 0.0)
            continue;
        if (!(-basis->column[r] > pivot_zero * largest)) {
            ++*left;
            continue;
        }
        double ratio = basis->value[r] / basis->column[r];
        if (ratio > last) {
            last = ratio;
            row = r;
        }
    }
    return row;
}

/* 1: no value that is >= 0 falls below 0 as the variable of basis->column goes by `step`. */
static int none_falls(const perp_basis *basis, double step)
{
    for (int r = 0; r < basis->size; r++)
        if (!basis->open[r] && basis->value[r] >= 0.0 && basis->column[r] > 0.0 &&
            !(step < INFINITY && basis->value[r] - step * basis->column[r] >= 0.0))
            return 0;
    return 1;
}

int perp_basis_begin(perp_basis *basis, int j, int *leaving)
{
    int N = basis->size, entering = j, left = 1;
    if (clean(basis))
        return 0;
    for (int step = 0; left > 0 && step < 3; step++) {
        perp_basis_column(basis->column, basis, entering);
        int row = last_lifted(basis, &left);
        if (row < 0)
            return 0;
        double by = basis->value[row] / basis->column[row];
        if (!none_falls(basis, left > 0 ? by : INFINITY))
            return 0;
        *leaving = basis->basic[row];
        if (perp_basis_exchange(basis, row, entering, by) != PERP_SOLVED)
            return 0;
        entering = (*leaving + N) % (2 * N);
        if (left > 0 && (*leaving < N || basis->where[entering] >= 0))
            return 0;
    }
    memcpy(basis->order, basis->basic, (size_t)N * sizeof(int));
    return left == 0 && clean(basis);
}

/* New factors where the residual has grown. */
static perp_status watch_drift(perp_basis *basis)
{
    if (basis->etas % DRIFT_EVERY == DRIFT_EVERY - 1 && perp_basis_drift(basis) > drift_limit)
        return perp_basis_refresh(basis);
    return PERP_SOLVED;
}

int perp_basis_pivot(perp_basis *basis, int entering, int goal, int other, int *leaving)
{
    int row = -1;
    for (int attempt = 0; row < 0 && attempt < 2; attempt++) {
        /* A ray has to be one with fresh factors too. */
        perp_status status = attempt == 0       ? watch_drift(basis)
                             : basis->etas == 0 ? PERP_ERR_STATE
                                                : perp_basis_refresh(basis);
        if (status == PERP_ERR_STATE)
            break;
        if (status != PERP_SOLVED)
            return -1;
        perp_basis_column(basis->column, basis, entering);
        row = tied_goal(basis, least_ratios(basis, basis->column, 1), goal, other);
        if (row < 0)
            row = leaving_row(basis, basis->column, 1);
    }
    if (row < 0)
        return is_finite(basis, basis->column) ? 0 : -1;
    *leaving = basis->basic[row];
    double step = larger(basis->value[row], 0.0) / basis->column[row];
    return perp_basis_exchange(basis, row, entering, step) == PERP_SOLVED ? 1 : -1;
}

void perp_basis_point(double *x, const perp_basis *basis)
{
    int N = basis->size;
    memset(x, 0, (size_t)N * sizeof(double));
    for (int r = 0; r < N; r++)
        if (basis->basic[r] < N)
            x[basis->basic[r]] = basis->value[r];
}

void perp_basis_direction(double *x, perp_basis *basis, int entering)
{
    int N = basis->size;
    memset(x, 0, (size_t)N * sizeof(double));
    if (basis->where[entering] >= 0)
        return;
    perp_basis_column(basis->column, basis, entering);
    for (int r = 0; r < N; r++)
        if (basis->basic[r] < N)
            x[basis->basic[r]] = -basis->column[r];
    if (entering < N)
        x[entering] = 1.0;
}
