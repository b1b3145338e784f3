/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/derivative/small_lu.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "numerics/core/clones.h"

enum { LANES = PERP_SMALL_LU_LANES, CHUNKS = PERP_SMALL_LU_COLUMNS / LANES };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
typedef int64_t bits __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

/* An entry on the diagonal stays a pivot down to this part of the largest one below it in its
 * block; factors of other blocks of motions are below its inverse. */
static const double threshold = 0.1;
/* A pivot of a multiplier has lost too much to rounding below this part of what one motion after
 * the other gives it. */
static const double dependent = PERP_SMALL_LU_LOST;

void perp_small_lu_begin(perp_small_lu_plan *p, int rows)
{
    int most = PERP_SMALL_LU_BLOCKS - 8;
    memset(p, 0, offsetof(perp_small_lu_plan, kind));
    p->row[0] = p->column[0] = 0;
    p->least = rows > 3 * most ? (rows + most - 1) / most : 3;
}

void perp_small_lu_add(perp_small_lu_plan *p, perp_small_lu_kind kind, int first, int rows)
{
    int b = p->blocks - 1;
    if (rows == 0 || p->full)
        return;
    if (b < 0 || p->kind[b] != kind || p->row[b + 1] - p->row[b] >= p->least) {
        p->full = p->blocks == PERP_SMALL_LU_BLOCKS;
        if (p->full)
            return;
        b = p->blocks++;
        p->row[b + 1] = p->row[b];
        p->reach[b] = (uint64_t)1 << b;
        p->kind[b] = kind;
    }
    for (int u = first; u < first + rows; u++) {
        p->block_of[u] = b;
        p->column_of[u] = p->column[b] + p->rows - p->row[b];
        p->row_of[u] = p->rows;
        p->unknown[p->rows] = u;
        p->row[b + 1] = ++p->rows;
    }
    p->column[b + 1] = p->column[b] + (p->rows - p->row[b] + LANES - 1) / LANES * LANES;
    p->columns = p->column[b + 1];
    p->taken = kind == PERP_SMALL_LU_REST ? p->taken : p->blocks;
    p->unknowns = kind == PERP_SMALL_LU_REST ? p->unknowns : p->rows;
}

void perp_small_lu_reach(perp_small_lu_plan *p, int a, int b)
{
    p->reach[a] |= (uint64_t)1 << b;
    p->reach[b] |= (uint64_t)1 << a;
}

void perp_small_lu_join(perp_small_lu_plan *p)
{
    int unknown[PERP_SMALL_LU_WIDEST], count = p->rows;
    perp_small_lu_kind kind[PERP_SMALL_LU_WIDEST];
    memcpy(unknown, p->unknown, sizeof(int) * (size_t)count);
    for (int i = 0; i < count; i++)
        kind[i] = p->kind[p->block_of[unknown[i]]];
    perp_small_lu_begin(p, count);
    p->least = count;
    for (int k = PERP_SMALL_LU_MOTION; k <= PERP_SMALL_LU_REST; k++)
        for (int i = 0; i < count; i++)
            perp_small_lu_add(p, (perp_small_lu_kind)k, unknown[i], (int)kind[i] == k);
    for (int b = 0; b < p->blocks; b++)
        p->reach[b] = ((uint64_t)1 << p->blocks) - 1;
}

/* Columns at which chunks of the blocks in `which` begin. */
static int list_chunks(int *chunk, const perp_small_lu_plan *p, uint64_t which)
{
    int count = 0;
    for (; which; which &= which - 1) {
        int b = __builtin_ctzll(which);
        for (int c = p->column[b]; c < p->column[b + 1]; c += LANES)
            chunk[count++] = c;
    }
    return count;
}

/* Blocks from `first` on, before `end`. */
static uint64_t between(int first, int end)
{
    return (((uint64_t)1 << end) - 1) & ~(((uint64_t)1 << first) - 1);
}

void perp_small_lu_clear(double *A, perp_small_lu_plan *p)
{
    for (int b = 0; b < p->taken; b++) {
        uint64_t behind = p->reach[b] & between(b + 1, p->blocks);
        for (uint64_t left = behind; left; left &= left - 1)
            p->reach[__builtin_ctzll(left)] |= behind;
    }
    for (int b = p->taken; b < p->blocks; b++) /* the complement is wanted whole */
        p->reach[b] |= between(p->taken, p->blocks);
    for (int b = 0; b < p->blocks; b++) {
        int chunk[CHUNKS], chunks = list_chunks(chunk, p, p->reach[b]);
        for (int i = p->row[b]; i < p->row[b + 1]; i++)
            for (int c = 0; c < chunks; c++)
                *(lanes *)(A + (size_t)i * (size_t)p->columns + chunk[c]) = (lanes){0.0};
    }
}

static double *row_at(double *A, const perp_small_lu_plan *p, int i)
{
    return A + (size_t)i * (size_t)p->columns;
}

/* Rows of motions to sizes of entries whose sum is 1. */
PERP_CLONES static int scale_motions(double *A, perp_small_lu_plan *p, int b)
{
    int chunk[CHUNKS], chunks = list_chunks(chunk, p, p->reach[b]);
    for (int i = p->row[b]; i < p->row[b + 1]; i++) {
        double *own = row_at(A, p, i);
        lanes sum = {0.0};
        for (int c = 0; c < chunks; c++)
            sum += (lanes)(*(const bits *)(own + chunk[c]) & INT64_MAX);
        double all = (sum[0] + sum[1]) + (sum[2] + sum[3]), scale = 1.0 / all;
        if (!(all <= DBL_MAX) || !(scale <= DBL_MAX))
            return 0;
        for (int c = 0; c < chunks; c++)
            *(lanes *)(own + chunk[c]) *= scale;
        p->scale[i] = scale;
        p->column_scale[i] = 1.0;
    }
    return 1;
}

/* Of rows of motions, one over the entry on the diagonal. */
static void invert_diagonals(double *inverse, double *A, const perp_small_lu_plan *p, int b)
{
    for (int i = p->row[b]; i < p->row[b + 1]; i++)
        inverse[i] = 1.0 / fabs(row_at(A, p, i)[p->column[b] + i - p->row[b]]);
}

/* What motions before it add to the entry on the diagonal of a row of block b, one after the other.
 */
static double estimate(double *A, const perp_small_lu_plan *p, int b, int i, const double *inverse)
{
    size_t columns = (size_t)p->columns, at = (size_t)(p->column[b] + i - p->row[b]);
    const double *own = row_at(A, p, i);
    double size = fabs(own[at]);
    for (uint64_t left = p->reach[b] & between(0, b); left; left &= left - 1) {
        int a = __builtin_ctzll(left), first = p->row[a];
        const double *from = own + p->column[a], *down = row_at(A, p, first) + at;
        for (int k = 0; p->kind[a] == PERP_SMALL_LU_MOTION && k < p->row[a + 1] - first; k++) {
            double term = fabs(from[k] * down[(size_t)k * columns]);
            size += term > 0.0 ? term * inverse[first + k] : 0.0;
        }
    }
    return size;
}

/* Rows and columns of multipliers to a diagonal of about 1; inverse: of the diagonals of motions.
 */
static int scale_multipliers(double *A, perp_small_lu_plan *p, int b, const double *inverse)
{
    int chunk[CHUNKS], chunks = list_chunks(chunk, p, p->reach[b]);
    size_t columns = (size_t)p->columns;
    for (int i = p->row[b]; i < p->row[b + 1]; i++) {
        double *own = row_at(A, p, i), scale = 1.0 / sqrt(estimate(A, p, b, i, inverse));
        if (!(scale > 0.0 && scale <= DBL_MAX))
            return 0;
        for (int c = 0; c < chunks; c++)
            *(lanes *)(own + chunk[c]) *= scale;
        for (uint64_t left = p->reach[b]; left; left &= left - 1) {
            int a = __builtin_ctzll(left);
            double *down = row_at(A, p, p->row[a]) + p->column[b] + i - p->row[b];
            for (int k = p->row[a]; k < p->row[a + 1]; k++, down += columns)
                *down *= scale;
        }
        p->scale[i] = p->column_scale[i] = scale;
    }
    return 1;
}

static perp_small_lu_answer scale_all(double *A, perp_small_lu_plan *p)
{
    double inverse[PERP_SMALL_LU_WIDEST];
    for (int b = 0; b < p->taken; b++) {
        if (p->kind[b] != PERP_SMALL_LU_MOTION)
            continue;
        if (!scale_motions(A, p, b))
            return PERP_SMALL_LU_SINGULAR;
        invert_diagonals(inverse, A, p, b);
    }
    for (int b = 0; b < p->taken; b++)
        if (p->kind[b] == PERP_SMALL_LU_MULTIPLIER && !scale_multipliers(A, p, b, inverse))
            return PERP_SMALL_LU_DEPENDENT;
    return PERP_SMALL_LU_FINE;
}

static void exchange(double *A, perp_small_lu_plan *p, int i, int k, const int *chunk, int chunks)
{
    double *a = row_at(A, p, i), *b = row_at(A, p, k);
    for (int c = 0; c < chunks; c++) {
        lanes keep = *(lanes *)(a + chunk[c]);
        *(lanes *)(a + chunk[c]) = *(lanes *)(b + chunk[c]);
        *(lanes *)(b + chunk[c]) = keep;
    }
    double scale = p->scale[i];
    int source = p->source[i];
    p->scale[i] = p->scale[k];
    p->scale[k] = scale;
    p->source[i] = p->source[k];
    p->source[k] = source;
}

/* Row that becomes row k of its block, of column c. */
static int choose(const double *A, size_t columns, int k, int end, int c)
{
    double largest = 0.0;
    int best = k;
    for (int i = k; i < end; i++) {
        double size = fabs(A[(size_t)i * columns + (size_t)c]);
        best = size > largest ? i : best;
        largest = size > largest ? size : largest;
    }
    if (!(largest > 0.0))
        return -1;
    return fabs(A[(size_t)k * columns + (size_t)c]) >= threshold * largest ? k : best;
}

/* own = own - factor from, with `first` in place of what it has in the first chunk. */
static inline void take_row(double *own, const double *from, double factor, const lanes *first,
                            const int *chunk, int chunks)
{
    *(lanes *)(own + chunk[0]) -= factor * *first;
    for (int c = 1; c < chunks; c++)
        *(lanes *)(own + chunk[c]) -= factor * *(const lanes *)(from + chunk[c]);
}

/* LU of block b by itself, with what its rows have elsewhere; inverse: of its pivots. */
PERP_CLONES static int factor_block(double *A, perp_small_lu_plan *p, int b, double *inverse)
{
    size_t columns = (size_t)p->columns;
    int chunk[CHUNKS], chunks = list_chunks(chunk, p, p->reach[b]), now = 0;
    double least = p->kind[b] == PERP_SMALL_LU_MULTIPLIER ? dependent : 0.0;
    for (int k = p->row[b]; k < p->row[b + 1]; k++) {
        int column = p->column[b] + k - p->row[b];
        int best = choose(A, columns, k, p->row[b + 1], column);
        if (best < 0)
            return 0;
        if (best != k)
            exchange(A, p, best, k, chunk, chunks);
        const double *own = A + (size_t)k * columns;
        if (!(fabs(own[column]) > least))
            return 0;
        double over = inverse[k - p->row[b]] = 1.0 / own[column];
        /* Of the chunk of the pivot what is behind it. */
        while (chunk[now] + LANES <= column)
            now++;
        lanes first;
        for (int l = 0; l < LANES; l++)
            first[l] = chunk[now] + l > column ? own[chunk[now] + l] : 0.0;
        double *other = A + (size_t)(k + 1) * columns;
        for (int i = k + 1; i < p->row[b + 1]; i++, other += columns) {
            double factor = other[column] * over;
            other[column] = factor;
            take_row(other, own, factor, &first, chunk + now, chunks - now);
        }
    }
    return 1;
}

/* Takes a block that is factored, `own` its first row, off the row `other`.  The factors by which
 * it is taken off stand where the row had entries in its columns. */
static inline __attribute__((always_inline)) void take_off_row(double *other, const double *own,
                                                               const double *inverse, int rows,
                                                               int column, size_t columns,
                                                               const int *chunk, int chunks)
{
    double l[PERP_SMALL_LU_WIDEST];
    for (int k = 0; k < rows; k++) {
        double sum = other[column + k];
        for (int m = 0; m < k; m++)
            sum -= l[m] * own[(size_t)m * columns + (size_t)(column + k)];
        l[k] = sum * inverse[k];
        other[column + k] = l[k];
    }
    for (int c = 0; c < chunks; c++) {
        const double *from = own + chunk[c];
        lanes sum = *(lanes *)(other + chunk[c]);
        for (int k = 0; k < rows; k++)
            sum -= l[k] * *(const lanes *)(from + (size_t)k * columns);
        *(lanes *)(other + chunk[c]) = sum;
    }
}

/* The same of `count` rows one behind the other.  The compiler knows how many rows the blocks of
 * bodies and of their joints have. */
PERP_CLONES static void take_off(double *other, int count, const double *own, const double *inverse,
                                 int rows, int column, size_t columns, const int *chunk, int chunks)
{
    for (int i = 0; i < count; i++, other += columns)
        switch (rows) {
        case 3:
            take_off_row(other, own, inverse, 3, column, columns, chunk, chunks);
            break;
        case 5:
            take_off_row(other, own, inverse, 5, column, columns, chunk, chunks);
            break;
        case 6:
            take_off_row(other, own, inverse, 6, column, columns, chunk, chunks);
            break;
        default:
            take_off_row(other, own, inverse, rows, column, columns, chunk, chunks);
        }
}

/* All factors of these rows are small enough. */
static int are_moderate(const double *other, int count, int rows, size_t columns)
{
    for (int i = 0; i < count; i++, other += columns)
        for (int k = 0; k < rows; k++)
            if (!(threshold * fabs(other[k]) <= 1.0))
                return 0;
    return 1;
}

/* Takes block b off all rows behind it; 0: by a factor that is too large. */
static int take_off_all(double *A, perp_small_lu_plan *p, int b, const double *inverse)
{
    int chunk[CHUNKS], rows = p->row[b + 1] - p->row[b], column = p->column[b];
    uint64_t behind = p->reach[b] & between(b + 1, p->blocks);
    int chunks = list_chunks(chunk, p, behind), motions = p->kind[b] == PERP_SMALL_LU_MOTION;
    size_t columns = (size_t)p->columns;
    const double *own = row_at(A, p, p->row[b]);
    for (uint64_t left = behind; left; left &= left - 1) {
        int a = __builtin_ctzll(left), count = p->row[a + 1] - p->row[a];
        double *other = row_at(A, p, p->row[a]);
        take_off(other, count, own, inverse, rows, column, columns, chunk, chunks);
        if (motions && p->kind[a] == PERP_SMALL_LU_MOTION &&
            !are_moderate(other + column, count, rows, columns))
            return 0;
    }
    return 1;
}

static int motion_blocks(const perp_small_lu_plan *p)
{
    int count = 0;
    for (int b = 0; b < p->taken; b++)
        count += p->kind[b] == PERP_SMALL_LU_MOTION;
    return count;
}

perp_small_lu_answer perp_small_lu_eliminate(double *A, perp_small_lu_plan *p)
{
    perp_small_lu_answer answer = scale_all(A, p);
    if (answer != PERP_SMALL_LU_FINE)
        return answer;
    memcpy(p->source, p->unknown, sizeof(int) * (size_t)p->unknowns);
    double inverse[PERP_SMALL_LU_WIDEST];
    for (int b = 0; b < p->taken; b++) {
        if (!factor_block(A, p, b, inverse))
            return p->kind[b] == PERP_SMALL_LU_MULTIPLIER ? PERP_SMALL_LU_DEPENDENT
                   : motion_blocks(p) > 1                 ? PERP_SMALL_LU_UNSTABLE
                                                          : PERP_SMALL_LU_SINGULAR;
        if (!take_off_all(A, p, b, inverse))
            return PERP_SMALL_LU_UNSTABLE;
    }
    return PERP_SMALL_LU_FINE;
}

/* Numbers of a row of block b of the factors, and chunks before and behind it. */
static int row_numbers(const perp_small_lu_plan *p, int b, int *chunk, int *before, int *chunks)
{
    *before = list_chunks(chunk, p, p->reach[b] & between(0, b));
    *chunks = *before + list_chunks(chunk + *before, p, p->reach[b] & between(b + 1, p->taken));
    return LANES * *chunks + p->column[b + 1] - p->column[b];
}

void perp_small_lu_memory(const perp_small_lu_plan *p, int *integers, int *numbers)
{
    int chunk[CHUNKS], before, chunks;
    *integers = *numbers = 2 * p->unknowns;
    for (int b = 0; b < p->taken; b++) {
        *numbers += row_numbers(p, b, chunk, &before, &chunks) * (p->row[b + 1] - p->row[b]);
        *integers += chunks;
    }
}

PERP_CLONES static double *pack_row(double *to, const double *own, const perp_small_lu_block *b)
{
    for (int c = 0; c < b->before; c++, to += LANES)
        *(lanes *)to = *(const lanes *)(own + b->chunk[c]);
    for (int j = 0; j < b->columns; j += LANES, to += LANES)
        *(lanes *)to = *(const lanes *)(own + b->column + j);
    for (int c = b->before; c < b->before + b->behind; c++, to += LANES)
        *(lanes *)to = *(const lanes *)(own + b->chunk[c]);
    return to;
}

void perp_small_lu_pack(perp_small_lu *lu, const double *A, const perp_small_lu_plan *p,
                        int *integers, double *numbers)
{
    size_t n = (size_t)p->unknowns;
    memcpy(integers, p->source, sizeof(int) * n);
    memcpy(integers + n, p->unknown, sizeof(int) * n);
    memcpy(numbers, p->scale, sizeof(double) * n);
    memcpy(numbers + n, p->column_scale, sizeof(double) * n);
    lu->n = p->unknowns;
    lu->blocks = p->taken;
    lu->columns = p->column[p->taken];
    lu->source = integers;
    lu->unknown = integers + n;
    lu->scale = numbers;
    lu->column_scale = numbers + n;
    int *chunk = integers + 2 * n;
    double *x = numbers + 2 * n;
    for (int k = 0; k < p->taken; k++) {
        perp_small_lu_block *b = &lu->block[k];
        int chunks;
        (void)row_numbers(p, k, chunk, &b->before, &chunks);
        b->row = p->row[k];
        b->rows = p->row[k + 1] - p->row[k];
        b->column = p->column[k];
        b->columns = p->column[k + 1] - p->column[k];
        b->behind = chunks - b->before;
        b->chunk = chunk;
        b->x = x;
        chunk += chunks;
        for (int i = 0; i < b->rows; i++)
            x = pack_row(x, A + (size_t)(b->row + i) * (size_t)p->columns, b);
    }
}

static size_t width(const perp_small_lu_block *b)
{
    return (size_t)(LANES * (b->before + b->behind) + b->columns);
}

static inline double dot_chunks(const double *a, const double *x, const int *chunk, int chunks)
{
    lanes sum = {0.0};
    for (int c = 0; c < chunks; c++, a += LANES)
        sum += *(const lanes *)a * *(const lanes *)(x + chunk[c]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline void subtract_chunks(double *x, const double *a, double scale, const int *chunk,
                                   int chunks)
{
    for (int c = 0; c < chunks; c++, a += LANES)
        *(lanes *)(x + chunk[c]) -= scale * *(const lanes *)a;
}

PERP_CLONES static void forward(const perp_small_lu *lu, double *y, const double *x)
{
    for (const perp_small_lu_block *b = lu->block; b < lu->block + lu->blocks; b++) {
        const double *a = b->x, *own = a + LANES * b->before;
        double *to = y + b->column;
        for (int i = 0; i < b->rows; i++, a += width(b), own += width(b)) {
            double sum = lu->scale[b->row + i] * x[lu->source[b->row + i]];
            sum -= dot_chunks(a, y, b->chunk, b->before);
            for (int j = 0; j < i; j++)
                sum -= own[j] * to[j];
            to[i] = sum;
        }
    }
}

PERP_CLONES static void backward(const perp_small_lu *lu, double *y, double *x)
{
    for (const perp_small_lu_block *b = lu->block + lu->blocks; b-- > lu->block;) {
        double *to = y + b->column;
        for (int i = b->rows - 1; i >= 0; i--) {
            const double *own = b->x + (size_t)i * width(b) + LANES * b->before;
            double sum = to[i];
            sum -= dot_chunks(own + b->columns, y, b->chunk + b->before, b->behind);
            for (int j = i + 1; j < b->rows; j++)
                sum -= own[j] * to[j];
            to[i] = sum / own[i];
            x[lu->unknown[b->row + i]] = lu->column_scale[b->row + i] * to[i];
        }
    }
}

void perp_small_lu_solve(const perp_small_lu *lu, double *x)
{
    double y[PERP_SMALL_LU_COLUMNS];
    memset(y, 0, sizeof(double) * (size_t)lu->columns);
    forward(lu, y, x);
    backward(lu, y, x);
}

PERP_CLONES void perp_small_lu_solve_transposed(const perp_small_lu *lu, double *x)
{
    double y[PERP_SMALL_LU_COLUMNS];
    memset(y, 0, sizeof(double) * (size_t)lu->columns);
    for (const perp_small_lu_block *b = lu->block; b < lu->block + lu->blocks; b++)
        for (int i = 0; i < b->rows; i++)
            y[b->column + i] = lu->column_scale[b->row + i] * x[lu->unknown[b->row + i]];
    for (const perp_small_lu_block *b = lu->block; b < lu->block + lu->blocks; b++)
        for (int i = 0; i < b->rows; i++) {
            const double *own = b->x + (size_t)i * width(b) + LANES * b->before;
            double *to = y + b->column;
            to[i] /= own[i];
            for (int j = i + 1; j < b->rows; j++)
                to[j] -= own[j] * to[i];
            subtract_chunks(y, own + b->columns, to[i], b->chunk + b->before, b->behind);
        }
    for (const perp_small_lu_block *b = lu->block + lu->blocks; b-- > lu->block;)
        for (int i = b->rows - 1; i >= 0; i--) {
            const double *a = b->x + (size_t)i * width(b), *own = a + LANES * b->before;
            double *to = y + b->column;
            for (int j = 0; j < i; j++)
                to[j] -= own[j] * to[i];
            subtract_chunks(y, a, to[i], b->chunk, b->before);
            x[lu->source[b->row + i]] = lu->scale[b->row + i] * to[i];
        }
}
