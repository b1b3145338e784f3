/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/pivoting/lcp_tableau.h"

#include <math.h>
#include <string.h>

/* Entries of an equilibrated tableau below this are taken for 0. */
static const double pivot_zero = 1e-11;
/* A pair is used for a free variable when both of its entries exceed this. */
static const double pair_zero = 1e-8;

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
    return sizeof(double) * (size * size + 2 * size) + sizeof(int) * 4 * size + size + 8 * 64;
}

perp_status perp_tableau_take(perp_tableau *tableau, const perp_lcp *lcp, perp_arena *arena)
{
    size_t N = (size_t)lcp->size;
    tableau->lcp = lcp;
    tableau->size = lcp->size;
    tableau->basic = PERP_TAKE(arena, int, N);
    tableau->nonbasic = PERP_TAKE(arena, int, N);
    tableau->where = PERP_TAKE(arena, int, 2 * N);
    tableau->open = PERP_TAKE(arena, unsigned char, N);
    tableau->value = PERP_TAKE(arena, double, N);
    tableau->column = PERP_TAKE(arena, double, N);
    tableau->t = perp_arena_take(arena, N, N * sizeof(double));
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

void perp_tableau_reset(perp_tableau *tableau)
{
    int N = tableau->size;
    size_t entries = (size_t)N * (size_t)N;
    memcpy(tableau->t, tableau->lcp->a, entries * sizeof(double));
    memcpy(tableau->value, tableau->lcp->b, (size_t)N * sizeof(double));
    for (int i = 0; i < N; i++) {
        tableau->basic[i] = N + i;
        tableau->where[N + i] = i;
        tableau->nonbasic[i] = i;
        tableau->where[i] = -1 - i;
    }
    memset(tableau->open, 0, (size_t)N);
}

/* The basic variable of row r and the variable of slot c change places. */
static void exchange(perp_tableau *tableau, int r, int c)
{
    size_t N = (size_t)tableau->size;
    double *entering = slot(tableau, c), *column = tableau->column;
    memcpy(column, entering, N * sizeof(double));
    double pivot = column[r];
    column[r] = 0.0;
    for (int j = 0; j < tableau->size; j++) {
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
        entering[i] = column[i] / pivot;
    }
    tableau->value[r] = step;
    entering[r] = 1.0 / pivot;
    int in = tableau->nonbasic[c], out = tableau->basic[r];
    tableau->basic[r] = in;
    tableau->where[in] = r;
    tableau->nonbasic[c] = out;
    tableau->where[out] = -1 - c;
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
    for (int c = 0; c < tableau->size; c++) {
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
    for (int c = 0; c < tableau->size; c++) {
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

/* Row r depends on no variable but the y of free rows, which are 0. */
static int is_empty_row(const perp_tableau *tableau, int r)
{
    for (int c = 0; c < tableau->size; c++)
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
    for (int c = 0; c < tableau->size; c++)
        if (tableau->nonbasic[c] >= N && tableau->nonbasic[c] < 2 * N)
            multipliers[tableau->nonbasic[c] - N] -= slot(tableau, c)[r];
}
