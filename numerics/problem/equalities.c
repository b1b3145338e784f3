/* SPDX-License-Identifier: BSD-3-Clause */
#include <perp/equalities.h>

#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "linalg/csc.h"
#include "problem/blocks.h"

static const double rank_floor = 1e-11, value_floor = 1e-9, most_work = 4e9;
enum { REDUNDANT = 1, CONTRADICTORY = 2, EMPTY = 4 };

/* The equality rows, scaled, column-major: n columns of M, then as many as rows that say of
 * which rows a row is made, then q. */
typedef struct rows {
    int n, count;
    int *origin;   /* count: row of the problem */
    double *scale; /* count: a power of two */
    double *a;
} rows;

static int is_equality(const perp_block *block)
{
    return block->set == PERP_FREE ||
           (block->set == PERP_BOX && isinf(block->par[0]) && isinf(block->par[1]));
}

static double reciprocal_power(double x)
{
    int e;
    frexp(x, &e);
    return x > 0.0 ? ldexp(1.0, -e) : 1.0;
}

static perp_status gather(rows *R, const perp_csc *M, const perp_blocks *blocks, const double *q,
                          perp_arena *arena)
{
    size_t n = (size_t)M->cols, f = 0, at = 0;
    int *place = PERP_TAKE(arena, int, n);
    for (int k = 0; k < blocks->count; k++)
        f += is_equality(&blocks->at[k]) != 0;
    R->origin = PERP_TAKE(arena, int, f);
    R->scale = perp_arena_take_zero(arena, f, sizeof(double));
    R->a = perp_arena_take_zero(arena, f * (n + f + 1), sizeof(double));
    if (arena->failed)
        return PERP_ERR_MEMORY;
    R->n = M->cols;
    R->count = (int)f;
    memset(place, -1, n * sizeof(int));
    for (int k = 0; k < blocks->count; k++) {
        if (is_equality(&blocks->at[k])) {
            place[blocks->at[k].row] = (int)at;
            R->origin[at++] = blocks->at[k].row;
        }
    }
    /* Columns to a largest entry of about 1, then rows. */
    for (size_t j = 0; j < n; j++) {
        double largest = 0.0;
        for (int p = M->colptr[j]; p < M->colptr[j + 1]; p++)
            if (place[M->row[p]] >= 0)
                largest = fmax(largest, fabs(M->x[p]));
        for (int p = M->colptr[j]; p < M->colptr[j + 1]; p++)
            if (place[M->row[p]] >= 0)
                R->a[(size_t)place[M->row[p]] + j * f] = M->x[p] * reciprocal_power(largest);
    }
    for (size_t r = 0; r < f; r++) {
        for (size_t j = 0; j < n; j++)
            R->scale[r] = fmax(R->scale[r], fabs(R->a[r + j * f]));
        R->scale[r] = reciprocal_power(R->scale[r]);
        for (size_t j = 0; j < n; j++)
            R->a[r + j * f] *= R->scale[r];
        R->a[r + (n + r) * f] = 1.0;
        R->a[r + (n + f) * f] = R->scale[r] * q[R->origin[r]];
    }
    return PERP_SOLVED;
}

static void swap_rows(rows *R, size_t r, size_t s)
{
    size_t f = (size_t)R->count, columns = (size_t)R->n + f + 1;
    double scale = R->scale[r];
    int origin = R->origin[r];
    R->scale[r] = R->scale[s];
    R->scale[s] = scale;
    R->origin[r] = R->origin[s];
    R->origin[s] = origin;
    for (size_t j = 0; j < columns; j++) {
        double keep = R->a[r + j * f];
        R->a[r + j * f] = R->a[s + j * f];
        R->a[s + j * f] = keep;
    }
    /* The unit columns follow their rows. */
    double *x = R->a + ((size_t)R->n + r) * f, *y = R->a + ((size_t)R->n + s) * f;
    for (size_t i = 0; i < f; i++) {
        double keep = x[i];
        x[i] = y[i];
        y[i] = keep;
    }
}

/* Rows with a pivot come first; their number. */
static int eliminate(rows *R)
{
    size_t f = (size_t)R->count, n = (size_t)R->n;
    for (size_t k = 0; k < f; k++) {
        size_t row = k, col = 0;
        double largest = rank_floor;
        for (size_t j = 0; j < n; j++) {
            for (size_t i = k; i < f; i++) {
                if (fabs(R->a[i + j * f]) > largest * (i == row ? 1.0 : 1.0000001)) {
                    largest = fabs(R->a[i + j * f]);
                    row = i;
                    col = j;
                }
            }
        }
        if (!(largest > rank_floor))
            return (int)k;
        swap_rows(R, k, row);
        for (size_t i = k + 1; i < f; i++) {
            double factor = R->a[i + col * f] / R->a[k + col * f];
            for (size_t j = 0; factor != 0.0 && j < n + f + 1; j++)
                R->a[i + j * f] -= factor * R->a[k + j * f];
            R->a[i + col * f] = 0.0;
        }
    }
    return (int)f;
}

/* Dependent row r: the sum of its parts of q, and the parts without sign. */
static double value_of(const rows *R, int r, const double *q, double *terms)
{
    size_t f = (size_t)R->count, n = (size_t)R->n;
    double sum = 0.0;
    *terms = 0.0;
    for (size_t k = 0; k < f; k++) {
        double part = R->a[(size_t)r + (n + k) * f] * R->scale[k] * q[R->origin[k]];
        sum += part;
        *terms += fabs(part);
    }
    return sum;
}

static void write_certificate(double *y, const rows *R, int r, double value)
{
    size_t f = (size_t)R->count, n = (size_t)R->n;
    memset(y, 0, n * sizeof(double));
    for (size_t k = 0; k < f; k++)
        y[R->origin[k]] = (value > 0.0 ? -1.0 : 1.0) * R->a[(size_t)r + (n + k) * f] * R->scale[k];
}

static int count_empty(unsigned char *kind, const perp_csc *M, const perp_blocks *blocks)
{
    int count = 0;
    for (int k = 0; k < blocks->count; k++) {
        int j = blocks->at[k].row, filled = !is_equality(&blocks->at[k]);
        for (int p = M->colptr[j]; p < M->colptr[j + 1] && !filled; p++)
            filled = M->x[p] != 0.0;
        if (filled)
            continue;
        count++;
        if (kind)
            kind[j] |= EMPTY;
    }
    return count;
}

static perp_status find(perp_equalities *found, unsigned char *kind, double *y,
                        const perp_problem *problem, perp_arena *arena)
{
    perp_blocks blocks;
    perp_csc M;
    rows R;
    double work = 0.0;
    perp_status status = perp_blocks_build(&blocks, problem, arena);
    if (status != PERP_SOLVED)
        return status;
    if (kind)
        memset(kind, 0, (size_t)blocks.n);
    for (int k = 0; k < blocks.count; k++)
        work += is_equality(&blocks.at[k]);
    work *= work * blocks.n;
    if (!(work > 0.0) || work > most_work)
        return work > most_work ? PERP_ERR_OVERFLOW : PERP_SOLVED;
    status = perp_csc_from_mat(&M, &problem->M, arena);
    if (status == PERP_SOLVED)
        status = gather(&R, &M, &blocks, problem->q, arena);
    if (status != PERP_SOLVED)
        return status;
    found->rows = R.count;
    found->rank = eliminate(&R);
    found->zero_columns = count_empty(kind, &M, &blocks);
    for (int r = found->rank; r < R.count; r++) {
        double terms, value = value_of(&R, r, problem->q, &terms);
        int contradicts = fabs(value) > value_floor * terms;
        if (contradicts && y && found->contradictory == 0)
            write_certificate(y, &R, r, value);
        found->contradictory += contradicts;
        found->redundant += !contradicts;
        if (kind)
            kind[R.origin[r]] |= contradicts ? CONTRADICTORY : REDUNDANT;
    }
    return PERP_SOLVED;
}

perp_status perp_equalities_find(const perp_problem *problem, const perp_allocator *allocator,
                                 perp_equalities *found, unsigned char *kind, double *y)
{
    PERP_HOLD_ENVIRONMENT();
    perp_arena arena;
    if (!found || !problem)
        return PERP_ERR_ARGUMENT;
    *found = (perp_equalities){0};
    if (problem->M.kind == PERP_OPERATOR)
        return PERP_ERR_UNSUPPORTED;
    perp_arena_init(&arena, allocator);
    perp_status status = find(found, kind, y, problem, &arena);
    perp_arena_free(&arena);
    return status;
}
