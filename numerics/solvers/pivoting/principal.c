/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/pivoting/principal.h"

#include <math.h>
#include <string.h>

/* Pivots below this share of the largest entry of their column are 0. */
static const double pivot_zero = 1e-10;
/* A value is negative beyond this many times its rounding. */
static const double noise_tie = 8.0;
/* Bard: pivots without fewer negative values before Murty's rule takes over. */
enum { PATIENCE = 10 };

static int partner(const perp_basis *basis, int v)
{
    return (v + basis->size) % (2 * basis->size);
}

static int is_negative(const perp_basis *basis, int r)
{
    return !basis->open[r] && basis->value[r] < -noise_tie * basis->noise[r];
}

static double largest_of(const perp_basis *basis)
{
    double largest = 0.0;
    for (int r = 0; r < basis->size; r++)
        largest = fmax(largest, fabs(basis->column[r]));
    return largest;
}

/* Index of the pair at position r. */
static int pair_of(const perp_basis *basis, int r)
{
    return basis->basic[r] % basis->size;
}

/* The position to pivot on, -1 where no value is negative; *count: of negative ones. */
static int choose(const perp_basis *basis, int most_negative, int *count)
{
    int first = -1, worst = -1;
    *count = 0;
    for (int r = 0; r < basis->size; r++) {
        if (!is_negative(basis, r))
            continue;
        ++*count;
        if (first < 0 || pair_of(basis, r) < pair_of(basis, first))
            first = r;
        if (worst < 0 || basis->value[r] < basis->value[worst])
            worst = r;
    }
    return most_negative ? worst : first;
}

perp_principal_end perp_principal_single(perp_principal *principal, int most_negative)
{
    perp_basis *basis = principal->basis;
    int least = basis->size + 1, patience = PATIENCE, count;
    for (;;) {
        int r = choose(basis, most_negative && patience > 0, &count);
        if (r < 0)
            return PERP_PRINCIPAL_DONE;
        patience = count < least ? PATIENCE : patience - (patience > 0);
        least = count < least ? count : least;
        if (!principal->go_on(principal->ctx))
            return PERP_PRINCIPAL_STOPPED;
        int entering = partner(basis, basis->basic[r]);
        perp_basis_column(basis->column, basis, entering);
        if (!(-basis->column[r] > pivot_zero * largest_of(basis)))
            return PERP_PRINCIPAL_FAILED;
        double step = basis->value[r] / basis->column[r];
        if (perp_basis_exchange(basis, r, entering, step) != PERP_SOLVED)
            return PERP_PRINCIPAL_FAILED;
    }
}

/* A pair that is not complementary: one of it is basic at position r, the other one, `driver`, has
 * the value `at` and grows. */
typedef struct drive {
    int r, driver, lower; /* lower: the driver is the one that was negative, and grows to 0 */
    double at;
} drive;

/* How far the driver may grow for the value at position i; INFINITY: without end. */
static double reach(const perp_principal *principal, const drive *d, int i, double zero)
{
    const perp_basis *basis = principal->basis;
    double rate = basis->column[i];
    if (i == d->r && !d->lower)
        return -rate > zero ? basis->value[i] / rate : INFINITY;
    if (!principal->keep[i] || !(rate > zero))
        return INFINITY;
    return fmax(basis->value[i] / rate, d->at);
}

/* The position that blocks the driver first: r itself or the bound 0 of the driver (r too), then
 * the one of least index; -1: none. */
static int blocking(const perp_principal *principal, const drive *d, double *at)
{
    const perp_basis *basis = principal->basis;
    double zero = pivot_zero * largest_of(basis), least = d->lower ? 0.0 : INFINITY;
    int row = -1;
    for (int i = 0; i < basis->size; i++)
        least = fmin(least, reach(principal, d, i, zero));
    if (least == INFINITY)
        return -1;
    *at = least;
    double tie = least + 1e-12 * fmax(fabs(least), fabs(d->at));
    if (d->lower ? tie >= 0.0 : reach(principal, d, d->r, zero) <= tie) {
        *at = d->lower ? 0.0 : least;
        return d->r;
    }
    for (int i = 0; i < basis->size; i++)
        if (reach(principal, d, i, zero) <= tie &&
            (row < 0 || pair_of(basis, i) < pair_of(basis, row)))
            row = i;
    return row;
}

/* The pair at position s changes sides by itself.  0: the diagonal is 0. */
static int pivot_diagonal(perp_principal *principal, int s)
{
    perp_basis *basis = principal->basis;
    int entering = partner(basis, basis->basic[s]);
    perp_basis_column(basis->entry, basis, entering);
    for (int i = 0; i < basis->size; i++)
        basis->column[i] = basis->entry[i];
    if (!(fabs(basis->column[s]) > pivot_zero * fmax(largest_of(basis), 1.0)))
        return 0;
    return perp_basis_exchange(basis, s, entering, basis->value[s] / basis->column[s]) ==
           PERP_SOLVED;
}

/* The pairs at s and r change sides together: the driver enters at s, the partner of what was
 * there at r, and what was at r drives on.  0: no pivot. */
static int pivot_block(perp_principal *principal, drive *d, int s)
{
    perp_basis *basis = principal->basis;
    int entering = partner(basis, basis->basic[s]), next = basis->basic[d->r];
    perp_basis_column(basis->column, basis, d->driver);
    double zero = pivot_zero * largest_of(basis);
    double value = basis->value[d->r] - d->at * basis->column[d->r];
    if (!(fabs(basis->column[s]) > zero) ||
        perp_basis_exchange(basis, s, d->driver, basis->value[s] / basis->column[s]) != PERP_SOLVED)
        return 0;
    perp_basis_column(basis->column, basis, entering);
    if (!(fabs(basis->column[d->r]) > pivot_zero * largest_of(basis)) ||
        perp_basis_exchange(basis, d->r, entering, basis->value[d->r] / basis->column[d->r]) !=
            PERP_SOLVED)
        return 0;
    /* The pair of the driver lies at s now. */
    principal->keep[d->r] = 1;
    principal->keep[s] = d->lower ? 0 : 1;
    d->driver = next;
    d->r = s;
    d->at = value;
    d->lower = !d->lower;
    return 1;
}

/* One negative value to 0. */
static perp_principal_end drive_up(perp_principal *principal, drive *d)
{
    perp_basis *basis = principal->basis;
    int budget = basis->size < 64 ? basis->size * basis->size + 300 : 4400;
    while (budget-- > 0) {
        if (!principal->go_on(principal->ctx))
            return PERP_PRINCIPAL_STOPPED;
        perp_basis_column(basis->column, basis, d->driver);
        int s = blocking(principal, d, &d->at);
        principal->entering = d->driver;
        if (s < 0)
            return PERP_PRINCIPAL_RAY;
        if (s == d->r && d->lower && d->at >= 0.0)
            return PERP_PRINCIPAL_DONE;
        if (s == d->r && !d->lower) {
            double step = basis->value[s] / basis->column[s];
            return perp_basis_exchange(basis, s, d->driver, step) == PERP_SOLVED
                       ? PERP_PRINCIPAL_DONE
                       : PERP_PRINCIPAL_FAILED;
        }
        if (!pivot_diagonal(principal, s) && !pivot_block(principal, d, s))
            return PERP_PRINCIPAL_FAILED;
    }
    return PERP_PRINCIPAL_FAILED;
}

/* right += amount times the column of variable v. */
static void shift(perp_principal *principal, int v, double amount)
{
    const perp_basis *basis = principal->basis;
    size_t N = (size_t)basis->size;
    if ((size_t)v >= N) {
        principal->right[(size_t)v - N] += amount;
        return;
    }
    for (size_t i = 0; i < N; i++)
        principal->right[i] -= amount * basis->lcp->a[i + (size_t)v * N];
}

/* The variables with negative values get `bound`, which is lower, for a zero.  order: their list,
 * by index; their number. */
static int lower_negatives(perp_principal *principal, double bound)
{
    perp_basis *basis = principal->basis;
    int count = 0, N = basis->size;
    memcpy(principal->right, basis->lcp->b, (size_t)N * sizeof(double));
    for (int k = 0; k < N; k++) {
        int r = basis->where[k] >= 0 ? basis->where[k] : basis->where[N + k];
        if (r >= 0 && is_negative(basis, r))
            basis->order[count++] = basis->basic[r];
    }
    for (int k = 0; k < count; k++)
        shift(principal, basis->order[k], -bound);
    for (int r = 0; r < N; r++)
        principal->keep[r] = !basis->open[r];
    basis->right = principal->right;
    return count;
}

/* Variable v, which may be as low as `bound`, gets its zero back and is driven there. */
static perp_principal_end bring_up(perp_principal *principal, int v, double bound)
{
    perp_basis *basis = principal->basis;
    shift(principal, v, bound);
    if (perp_basis_refresh(basis) != PERP_SOLVED)
        return PERP_PRINCIPAL_FAILED;
    int other = partner(basis, v), r = basis->where[v];
    if (r >= 0 && !is_negative(basis, r))
        return PERP_PRINCIPAL_DONE;
    if (r < 0 && basis->where[other] < 0)
        return PERP_PRINCIPAL_FAILED;
    drive d = {r, other, 0, 0.0};
    if (r < 0)
        d = (drive){basis->where[other], v, 1, bound};
    else
        principal->keep[r] = 0;
    perp_principal_end end = drive_up(principal, &d);
    for (int i = 0; i < basis->size; i++)
        principal->keep[i] = !basis->open[i];
    return end;
}

perp_principal_end perp_principal_keller(perp_principal *principal)
{
    perp_basis *basis = principal->basis;
    perp_principal_end end = PERP_PRINCIPAL_DONE;
    double bound = -1.0;
    for (int r = 0; r < basis->size; r++)
        bound = fmin(bound, 2.0 * basis->value[r]);
    int count = lower_negatives(principal, bound);
    for (int k = 0; k < count && end == PERP_PRINCIPAL_DONE; k++)
        end = bring_up(principal, basis->order[k], bound);
    basis->right = basis->lcp->b;
    return end;
}
