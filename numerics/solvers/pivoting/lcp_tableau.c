/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/pivoting/lcp_tableau.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"

/* Entries of an equilibrated tableau below this are taken for 0. */
static const double pivot_zero = 1e-11;
/* A pair is used for a free variable when both of its entries exceed this. */
static const double pair_zero = 1e-8;
/* Ratios tie when a value differs by this many times its rounding, or by this share. */
static const double noise_tie = 8.0, share_tie = 1e-13;

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double *slot(const perp_tableau *tableau, int c)
{
    return tableau->t + (size_t)c * (size_t)tableau->size;
}

size_t perp_tableau_bytes(size_t size)
{
    return sizeof(double) * (2 * size * size + 5 * size) + sizeof(int) * (7 * size + 2) + size +
           13 * 64;
}

perp_status perp_tableau_take(perp_tableau *tableau, const perp_lcp *lcp, perp_arena *arena)
{
    size_t N = (size_t)lcp->size;
    tableau->lcp = lcp;
    tableau->size = lcp->size;
    tableau->basic = PERP_TAKE(arena, int, N);
    tableau->nonbasic = PERP_TAKE(arena, int, N + 1);
    tableau->where = PERP_TAKE(arena, int, 2 * N + 1);
    tableau->order = PERP_TAKE(arena, int, N);
    tableau->open = PERP_TAKE(arena, unsigned char, N);
    tableau->ties = PERP_TAKE(arena, int, N);
    tableau->value = PERP_TAKE(arena, double, N);
    tableau->noise = PERP_TAKE(arena, double, N);
    tableau->cover = PERP_TAKE(arena, double, N);
    tableau->column = PERP_TAKE(arena, double, N);
    tableau->pivots = PERP_TAKE(arena, int, N);
    tableau->t = perp_arena_take(arena, N + 1, N * sizeof(double));
    tableau->basis = perp_arena_take(arena, N, N * sizeof(double));
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

void perp_tableau_reset(perp_tableau *tableau)
{
    int N = tableau->size;
    size_t entries = (size_t)N * (size_t)N;
    memcpy(tableau->t, tableau->lcp->a, entries * sizeof(double));
    memcpy(tableau->value, tableau->lcp->b, (size_t)N * sizeof(double));
    for (int i = 0; i < N; i++) {
        tableau->noise[i] = DBL_EPSILON * fabs(tableau->value[i]);
        tableau->basic[i] = N + i;
        tableau->where[N + i] = i;
        tableau->nonbasic[i] = i;
        tableau->where[i] = -1 - i;
    }
    tableau->slots = N;
    tableau->where[2 * N] = INT32_MIN;
    memset(tableau->open, 0, (size_t)N);
    tableau->exchanges = 0;
}

/* The basic variable of row r and the variable of slot c change places. */
static void exchange(perp_tableau *tableau, int r, int c)
{
    size_t N = (size_t)tableau->size;
    double *entering = slot(tableau, c), *column = tableau->column;
    memcpy(column, entering, N * sizeof(double));
    double pivot = column[r];
    column[r] = 0.0;
    for (int j = 0; j < tableau->slots; j++) {
        double *other = slot(tableau, j);
        if (j == c || other[r] == 0.0)
            continue;
        double factor = -other[r] / pivot;
        for (size_t i = 0; i < N; i++)
            other[i] += factor * column[i];
        other[r] = factor;
    }
    double step = -tableau->value[r] / pivot;
    for (size_t i = 0; i < N; i++) {
        tableau->value[i] += step * column[i];
        tableau->noise[i] = larger(tableau->noise[i], DBL_EPSILON * fabs(step * column[i]));
        entering[i] = column[i] / pivot;
    }
    tableau->value[r] = step;
    tableau->noise[r] = larger(tableau->noise[r] / fabs(pivot), DBL_EPSILON * fabs(step));
    entering[r] = 1.0 / pivot;
    int in = tableau->nonbasic[c], out = tableau->basic[r];
    tableau->basic[r] = in;
    tableau->where[in] = r;
    tableau->nonbasic[c] = out;
    tableau->where[out] = -1 - c;
    tableau->exchanges++;
}

static int kind_of(const perp_tableau *tableau, int variable)
{
    return tableau->lcp->kind[variable % tableau->size];
}

/* A free x that is not yet in the basis / the y of a free row that still is. */
static int is_waiting(const perp_tableau *tableau, int c)
{
    int v = tableau->nonbasic[c];
    return v < tableau->size && kind_of(tableau, v) == PERP_LCP_FREE;
}

static int is_unmet(const perp_tableau *tableau, int r)
{
    int v = tableau->basic[r];
    return v >= tableau->size && kind_of(tableau, v) == PERP_LCP_FREE;
}

/* Largest entry among free rows and free slots; 0 when it vanishes. */
static int free_pivot(perp_tableau *tableau)
{
    int row = -1, at = -1;
    double largest = pivot_zero;
    for (int c = 0; c < tableau->slots; c++) {
        const double *t = slot(tableau, c);
        if (!is_waiting(tableau, c))
            continue;
        for (int r = 0; r < tableau->size; r++) {
            if (is_unmet(tableau, r) && fabs(t[r]) > largest) {
                largest = fabs(t[r]);
                row = r;
                at = c;
            }
        }
    }
    if (row < 0)
        return 0;
    exchange(tableau, row, at);
    return 1;
}

/* The lesser of the largest |entry| of the pair's row r over the waiting slots
 * and the largest of its slot over the unmet rows. */
static double reach(const perp_tableau *tableau, int r, int *in, int *out)
{
    int partner = (tableau->basic[r] + tableau->size) % (2 * tableau->size);
    double first = 0.0, second = 0.0;
    if (tableau->where[partner] >= 0)
        return 0.0;
    const double *through = slot(tableau, -1 - tableau->where[partner]);
    for (int c = 0; c < tableau->slots; c++) {
        if (is_waiting(tableau, c) && fabs(slot(tableau, c)[r]) > first) {
            first = fabs(slot(tableau, c)[r]);
            *in = c;
        }
    }
    for (int k = 0; first > 0.0 && k < tableau->size; k++) {
        if (is_unmet(tableau, k) && fabs(through[k]) > second) {
            second = fabs(through[k]);
            *out = k;
        }
    }
    return smaller(first, second);
}

/* The free variable enters in the row of a pair, and the pair's other variable
 * in the free row: the pair changes sides and stays a pair. */
static int pair_pivot(perp_tableau *tableau)
{
    int row = -1, in = -1, out = -1, best_in = -1, best_out = -1;
    double largest = pair_zero;
    for (int r = 0; r < tableau->size; r++) {
        if (kind_of(tableau, tableau->basic[r]) == PERP_LCP_FREE)
            continue;
        double least = reach(tableau, r, &in, &out);
        if (least > largest) {
            largest = least;
            row = r;
            best_in = in;
            best_out = out;
        }
    }
    if (row < 0)
        return 0;
    int partner = (tableau->basic[row] + tableau->size) % (2 * tableau->size);
    exchange(tableau, row, best_in);
    exchange(tableau, best_out, -1 - tableau->where[partner]);
    return 1;
}

/* Slot c behind the ones in use. */
static void retire(perp_tableau *tableau, int c)
{
    int last = --tableau->slots;
    if (c == last)
        return;
    double *a = slot(tableau, c), *b = slot(tableau, last);
    for (int i = 0; i < tableau->size; i++) {
        double keep = a[i];
        a[i] = b[i];
        b[i] = keep;
    }
    int variable = tableau->nonbasic[c];
    tableau->nonbasic[c] = tableau->nonbasic[last];
    tableau->nonbasic[last] = variable;
    tableau->where[tableau->nonbasic[c]] = -1 - c;
    tableau->where[variable] = -1 - last;
}

/* Row r depends on no variable but the y of free rows, which are 0. */
static int is_empty_row(const perp_tableau *tableau, int r)
{
    for (int c = 0; c < tableau->slots; c++)
        if (!(tableau->nonbasic[c] >= tableau->size &&
              kind_of(tableau, tableau->nonbasic[c]) == PERP_LCP_FREE) &&
            fabs(slot(tableau, c)[r]) > pivot_zero)
            return 0;
    return 1;
}

int perp_tableau_eliminate_free(perp_tableau *tableau)
{
    return free_pivot(tableau) || pair_pivot(tableau);
}

int perp_tableau_unmet(perp_tableau *tableau, int *row)
{
    int left = 0;
    double largest = 1e-9;
    *row = -1;
    for (int r = 0; r < tableau->size; r++) {
        tableau->open[r] = kind_of(tableau, tableau->basic[r]) == PERP_LCP_FREE;
        if (!is_unmet(tableau, r))
            continue;
        left++;
        if (fabs(tableau->value[r]) > largest && is_empty_row(tableau, r)) {
            largest = fabs(tableau->value[r]);
            *row = r;
        }
    }
    return left;
}

void perp_tableau_multipliers(double *multipliers, const perp_tableau *tableau, int r)
{
    int N = tableau->size;
    memset(multipliers, 0, (size_t)N * sizeof(double));
    if (tableau->basic[r] >= N)
        multipliers[tableau->basic[r] - N] = 1.0;
    for (int c = 0; c < tableau->slots; c++)
        if (tableau->nonbasic[c] >= N && tableau->nonbasic[c] < 2 * N)
            multipliers[tableau->nonbasic[c] - N] -= slot(tableau, c)[r];
}

/* Entry of row r in the column that the inverse of the basis has for variable v. */
static double lexicographic_entry(const perp_tableau *tableau, int r, int v)
{
    int at = tableau->where[v];
    if (at >= 0)
        return at == r ? 1.0 : 0.0;
    return -slot(tableau, -1 - at)[r];
}

/* Rows whose ratio value / -rate is least within the tie; their number.  sign -1:
 * values may be negative (first pivot). */
static int least_ratios(perp_tableau *tableau, const double *rate, int sign)
{
    double largest = 0.0, least = INFINITY;
    int count = 0;
    /* Open rows count here: a column that is large only there is rounding elsewhere. */
    for (int r = 0; r < tableau->size; r++)
        largest = larger(largest, fabs(rate[r]));
    double zero = pivot_zero * largest;
    for (int r = 0; r < tableau->size; r++) {
        if (!tableau->open[r] && -rate[r] > zero) {
            double value = sign > 0 ? larger(tableau->value[r], 0.0) : tableau->value[r];
            least = smaller(least, value / -rate[r]);
        }
    }
    for (int r = 0; r < tableau->size; r++) {
        if (!tableau->open[r] && -rate[r] > zero) {
            double value = sign > 0 ? larger(tableau->value[r], 0.0) : tableau->value[r];
            double tie = noise_tie * tableau->noise[r] + share_tie * fabs(value);
            if (value + least * rate[r] <= tie)
                tableau->ties[count++] = r;
        }
    }
    return count;
}

/* The row of least lexicographic ratio; -1 when no value falls. */
static int leaving_row(perp_tableau *tableau, const double *rate, int sign)
{
    int count = least_ratios(tableau, rate, sign);
    for (int k = 0; count > 1 && sign > 0 && k < count; k++)
        if (tableau->basic[tableau->ties[k]] == 2 * tableau->size)
            return tableau->ties[k];
    for (int j = 0; count > 1 && j < tableau->size; j++) {
        double least = INFINITY;
        int kept = 0;
        for (int k = 0; k < count; k++) {
            int r = tableau->ties[k];
            least = smaller(least, lexicographic_entry(tableau, r, tableau->order[j]) / -rate[r]);
        }
        for (int k = 0; k < count; k++) {
            int r = tableau->ties[k];
            double ratio = lexicographic_entry(tableau, r, tableau->order[j]) / -rate[r];
            if (ratio <= least + 1e-9 * larger(1.0, fabs(least)))
                tableau->ties[kept++] = r;
        }
        count = kept;
    }
    return count > 0 ? tableau->ties[0] : -1;
}

/* The cover in terms of the rows of A: basis times the column that t is given. */
static void cover_in_rows(perp_tableau *tableau, const double *given)
{
    size_t N = (size_t)tableau->size;
    memset(tableau->cover, 0, N * sizeof(double));
    for (size_t r = 0; r < N; r++) {
        size_t v = (size_t)tableau->basic[r];
        if (v >= N) {
            tableau->cover[v - N] += given[r];
            continue;
        }
        for (size_t i = 0; given[r] != 0.0 && i < N; i++)
            tableau->cover[i] -= tableau->lcp->a[i + v * N] * given[r];
    }
}

int perp_tableau_cover(perp_tableau *tableau, int attempt, int *leaving)
{
    int N = tableau->size, feasible = 1;
    perp_rng rng = {(uint64_t)attempt};
    for (int c = tableau->slots - 1; c >= 0; c--)
        if (kind_of(tableau, tableau->nonbasic[c]) == PERP_LCP_FREE)
            retire(tableau, c);
    /* Slack rows keep 0 where they are feasible: then a box bounds the path. */
    double *given = slot(tableau, tableau->slots);
    if (tableau->slots < N)
        memmove(slot(tableau, N), given, (size_t)N * sizeof(double));
    for (int r = 0; r < N; r++) {
        /* The elimination leaves rounding where the exact value is 0. */
        if (tableau->value[r] < 0.0 && tableau->value[r] >= -noise_tie * tableau->noise[r])
            tableau->value[r] = 0.0;
        int slack = tableau->basic[r] >= N && kind_of(tableau, tableau->basic[r]) == PERP_LCP_SLACK;
        double entry = attempt == 0 ? 1.0 : ldexp(1.0 + 7.0 * perp_rng_uniform(&rng), -3);
        given[r] = tableau->open[r] || (slack && tableau->value[r] >= 0.0) ? 0.0 : entry;
        feasible = feasible && (tableau->open[r] || tableau->value[r] >= 0.0);
        tableau->order[r] = tableau->basic[r];
    }
    if (feasible)
        return 1;
    /* The variable of the slot that t takes moves to the last one. */
    if (tableau->slots < N) {
        tableau->nonbasic[N] = tableau->nonbasic[tableau->slots];
        tableau->where[tableau->nonbasic[N]] = -1 - N;
    }
    cover_in_rows(tableau, given);
    int c = tableau->slots++;
    tableau->nonbasic[c] = 2 * N;
    tableau->where[2 * N] = -1 - c;
    for (int r = 0; r < N; r++)
        tableau->column[r] = -given[r];
    int row = leaving_row(tableau, tableau->column, -1);
    *leaving = tableau->basic[row];
    exchange(tableau, row, c);
    return 0;
}

int perp_tableau_pivot(perp_tableau *tableau, int entering, int *leaving)
{
    int c = -1 - tableau->where[entering];
    int row = leaving_row(tableau, slot(tableau, c), 1);
    if (row < 0)
        return 0;
    *leaving = tableau->basic[row];
    tableau->value[row] = larger(tableau->value[row], 0.0);
    exchange(tableau, row, c);
    return 1;
}

/* Column of the basis for variable v: the system is y - A x - cover t = b. */
static void basis_column(double *out, const perp_tableau *tableau, int v)
{
    size_t N = (size_t)tableau->size;
    if ((size_t)v == 2 * N) {
        for (size_t i = 0; i < N; i++)
            out[i] = -tableau->cover[i];
    } else if ((size_t)v >= N) {
        memset(out, 0, N * sizeof(double));
        out[(size_t)v - N] = 1.0;
    } else {
        for (size_t i = 0; i < N; i++)
            out[i] = -tableau->lcp->a[i + (size_t)v * N];
    }
}

double perp_tableau_drift(perp_tableau *tableau)
{
    size_t N = (size_t)tableau->size;
    double *r = tableau->column, worst = 0.0, scale = 1.0;
    memcpy(r, tableau->lcp->b, N * sizeof(double));
    for (int k = 0; k < tableau->size; k++) {
        int v = tableau->basic[k];
        double value = tableau->value[k];
        scale = larger(scale, fabs(value));
        if ((size_t)v == 2 * N)
            for (size_t i = 0; i < N; i++)
                r[i] += tableau->cover[i] * value;
        else if ((size_t)v >= N)
            r[(size_t)v - N] -= value;
        else
            for (size_t i = 0; value != 0.0 && i < N; i++)
                r[i] += tableau->lcp->a[i + (size_t)v * N] * value;
    }
    for (size_t i = 0; i < N; i++)
        worst = larger(worst, fabs(r[i]));
    return worst / scale;
}

perp_status perp_tableau_refresh(perp_tableau *tableau)
{
    size_t N = (size_t)tableau->size;
    int n = tableau->size;
    for (size_t r = 0; r < N; r++)
        basis_column(tableau->basis + r * N, tableau, tableau->basic[r]);
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, tableau->basis, n, tableau->pivots) != 0)
        return PERP_ERR_SINGULAR;
    for (int c = 0; c < tableau->slots; c++) {
        double *column = slot(tableau, c);
        basis_column(column, tableau, tableau->nonbasic[c]);
        for (size_t i = 0; i < N; i++)
            column[i] = -column[i];
    }
    memcpy(tableau->value, tableau->lcp->b, N * sizeof(double));
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, tableau->slots, tableau->basis, n,
                        tableau->pivots, tableau->t, n);
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, tableau->basis, n, tableau->pivots,
                        tableau->value, n);
    for (size_t i = 0; i < N; i++)
        tableau->noise[i] = DBL_EPSILON * larger(1.0, fabs(tableau->value[i]));
    tableau->exchanges = 0;
    return PERP_SOLVED;
}

void perp_tableau_point(double *x, const perp_tableau *tableau)
{
    int N = tableau->size;
    memset(x, 0, (size_t)N * sizeof(double));
    for (int r = 0; r < N; r++)
        if (tableau->basic[r] < N)
            x[tableau->basic[r]] = tableau->value[r];
}

void perp_tableau_direction(double *x, const perp_tableau *tableau, int entering)
{
    int N = tableau->size, at = tableau->where[entering];
    memset(x, 0, (size_t)N * sizeof(double));
    if (at >= 0)
        return;
    const double *column = slot(tableau, -1 - at);
    for (int r = 0; r < N; r++)
        if (tableau->basic[r] < N)
            x[tableau->basic[r]] = column[r];
    if (entering < N)
        x[entering] = 1.0;
}
