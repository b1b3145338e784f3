/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/derivative/small_lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "numerics/core/clones.h"

/* An entry on the diagonal stays a pivot down to this part of the largest one in its column. */
static const double threshold = 0.1;

PERP_CLONES static void subtract(double *restrict y, const double *restrict x, double scale, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += -scale * x[i];
}

PERP_CLONES static void multiply(double *restrict y, const double *restrict x, double scale, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = scale * x[i];
}

/* Where the entries of each row begin and end, and of each column the last row that has some in it
 * or before it: rows are exchanged and filled above that. */
typedef struct band {
    int first[PERP_SMALL_LU_MOST], end[PERP_SMALL_LU_MOST], last[PERP_SMALL_LU_MOST];
} band;

static int scale_rows(double *A, int n, double *scale, band *b)
{
    for (int i = 0; i < n; i++) {
        double *own = A + (size_t)i * (size_t)n, most = 0.0, last = 0.0;
        int first = 0, end = n;
        while (first < end && own[first] == 0.0)
            first++;
        while (end > first && own[end - 1] == 0.0)
            end--;
        for (int j = first; j < end; j++) {
            double size = fabs(own[j]);
            most = size > most ? size : most;
            last += size;
        }
        scale[i] = 1.0 / most;
        if (!(last <= DBL_MAX) || !(scale[i] <= DBL_MAX))
            return 0;
        for (int j = first; j < end; j++)
            own[j] *= scale[i];
        b->first[i] = first;
        b->end[i] = end;
    }
    for (int k = 0; k < n; k++)
        b->last[k] = 0;
    for (int i = 0; i < n; i++)
        b->last[b->first[i]] = i;
    for (int k = 1; k < n; k++)
        b->last[k] = b->last[k] > b->last[k - 1] ? b->last[k] : b->last[k - 1];
    return 1;
}

static void exchange_integers(int *x, int i, int k)
{
    int keep = x[i];
    x[i] = x[k];
    x[k] = keep;
}

static void exchange(double *A, int n, int i, int k, double *scale)
{
    double *a = A + (size_t)i * (size_t)n, *b = A + (size_t)k * (size_t)n, keep = scale[i];
    scale[i] = scale[k];
    scale[k] = keep;
    for (int j = 0; j < n; j++) {
        double number = a[j];
        a[j] = b[j];
        b[j] = number;
    }
}

/* Row that becomes row k. */
static int choose(const double *A, int n, int k, int last)
{
    double largest = 0.0;
    int best = k;
    for (int i = k; i <= last; i++) {
        double size = fabs(A[(size_t)i * (size_t)n + (size_t)k]);
        best = size > largest ? i : best;
        largest = size > largest ? size : largest;
    }
    if (!(largest > 0.0))
        return -1;
    return fabs(A[(size_t)k * (size_t)n + (size_t)k]) >= threshold * largest ? k : best;
}

int perp_small_lu_eliminate(double *A, int n, int *row, double *scale)
{
    int entries = 0;
    band b;
    if (!scale_rows(A, n, scale, &b))
        return -1;
    for (int i = 0; i < n; i++)
        row[i] = i;
    for (int k = 0; k < n; k++) {
        int best = choose(A, n, k, b.last[k]);
        if (best < 0)
            return -1;
        if (best != k) {
            exchange(A, n, best, k, scale);
            exchange_integers(row, best, k);
            exchange_integers(b.first, best, k);
            exchange_integers(b.end, best, k);
        }
        const double *own = A + (size_t)k * (size_t)n;
        entries += b.end[k] - b.first[k];
        for (int i = k + 1; i <= b.last[k]; i++) {
            double *other = A + (size_t)i * (size_t)n, factor = other[k];
            if (factor == 0.0)
                continue;
            other[k] = factor / own[k];
            subtract(other + k + 1, own + k + 1, other[k], b.end[k] - k - 1);
            b.end[i] = b.end[k] > b.end[i] ? b.end[k] : b.end[i];
        }
    }
    return entries;
}

int perp_small_lu_integers(int n, int entries)
{
    return 3 * n + 1 + entries;
}

int perp_small_lu_numbers(int n, int entries)
{
    return 2 * n + entries;
}

/* Entries from first to end; the number after them. */
static int pack_part(perp_small_lu *lu, const double *own, int first, int end, int count)
{
    for (int j = first; j < end; j++)
        if (own[j] != 0.0) {
            lu->column[count] = j;
            lu->x[count++] = own[j];
        }
    return count;
}

void perp_small_lu_pack(perp_small_lu *lu, const double *A, int n, const int *row,
                        const double *scale, int *integers, double *numbers)
{
    int count = 0;
    *lu = (perp_small_lu){.n = n,
                          .row = integers,
                          .start = integers + n,
                          .upper = integers + 2 * n + 1,
                          .column = integers + 3 * n + 1,
                          .x = numbers + 2 * n,
                          .scale = numbers,
                          .pivot = numbers + n};
    memcpy(lu->row, row, sizeof(int) * (size_t)n);
    memcpy(lu->scale, scale, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) {
        const double *own = A + (size_t)k * (size_t)n;
        lu->start[k] = count;
        count = pack_part(lu, own, 0, k, count);
        lu->upper[k] = count;
        count = pack_part(lu, own, k + 1, n, count);
        lu->pivot[k] = own[k];
    }
    lu->start[n] = count;
}

void perp_small_lu_solve(const perp_small_lu *lu, double *x, double *work)
{
    for (int k = 0; k < lu->n; k++) {
        double sum = lu->scale[k] * x[lu->row[k]];
        for (int p = lu->start[k]; p < lu->upper[k]; p++)
            sum -= lu->x[p] * work[lu->column[p]];
        work[k] = sum;
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        double sum = work[k];
        for (int p = lu->upper[k]; p < lu->start[k + 1]; p++)
            sum -= lu->x[p] * x[lu->column[p]];
        x[k] = sum / lu->pivot[k];
    }
}

void perp_small_lu_solve_transposed(const perp_small_lu *lu, double *x, double *work)
{
    for (int k = 0; k < lu->n; k++) {
        x[k] /= lu->pivot[k];
        for (int p = lu->upper[k]; p < lu->start[k + 1]; p++)
            x[lu->column[p]] -= lu->x[p] * x[k];
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        for (int p = lu->start[k]; p < lu->upper[k]; p++)
            x[lu->column[p]] -= lu->x[p] * x[k];
        work[lu->row[k]] = lu->scale[k] * x[k];
    }
    memcpy(x, work, sizeof(double) * (size_t)lu->n);
}

void perp_small_lu_solve_rows(const perp_small_lu *lu, double *out, double *x, int count)
{
    size_t n = (size_t)count;
    for (int k = 0; k < lu->n; k++) {
        double *own = x + (size_t)k * n;
        for (size_t j = 0; j < n; j++)
            own[j] /= lu->pivot[k];
        for (int p = lu->upper[k]; p < lu->start[k + 1]; p++)
            subtract(x + (size_t)lu->column[p] * n, own, lu->x[p], count);
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        const double *own = x + (size_t)k * n;
        for (int p = lu->start[k]; p < lu->upper[k]; p++)
            subtract(x + (size_t)lu->column[p] * n, own, lu->x[p], count);
        multiply(out + (size_t)lu->row[k] * n, own, lu->scale[k], count);
    }
}
