/* SPDX-License-Identifier: BSD-3-Clause */
#include "derivative/eliminated.h"

#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/small.h"

enum { WIDTH = PERP_ORTHOGONAL_WIDTH, HALF = WIDTH / 2 };
typedef double lanes __attribute__((vector_size(HALF * sizeof(double)), aligned(8), may_alias));

/* An entry on the diagonal is a pivot down to this part of the largest there, where none beside it
 * in its row and below it is as many times as large; below `small` of the first one none is. */
static const double threshold = 0.1, small = 1e-4;

perp_status perp_eliminated_take(perp_eliminated *e, int n, perp_arena *arena)
{
    size_t size = (size_t)n;
    *e = (perp_eliminated){.n = n, .stride = size + WIDTH};
    e->a = PERP_TAKE(arena, double, size * e->stride);
    e->order = PERP_TAKE(arena, int, size);
    e->work = PERP_TAKE(arena, double, e->stride);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static double *row_of(const perp_eliminated *e, int i)
{
    return e->a + (size_t)i * e->stride;
}

static void exchange(perp_eliminated *e, int i, int k)
{
    double *a = row_of(e, i), *b = row_of(e, k);
    int keep = e->order[i];
    e->order[i] = e->order[k];
    e->order[k] = keep;
    memcpy(e->work, a, (size_t)e->n * sizeof(double));
    memcpy(a, b, (size_t)e->n * sizeof(double));
    memcpy(b, e->work, (size_t)e->n * sizeof(double));
    for (int r = 0; r < e->n; r++) {
        double *row = row_of(e, r), number = row[i];
        row[i] = row[k];
        row[k] = number;
    }
}

/* Place of the next pivot, or -1. */
static int choose(perp_eliminated *e, int k)
{
    double most = 0.0;
    int best = k;
    for (int i = k; i < e->n; i++) {
        double size = fabs(row_of(e, i)[i]);
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    e->largest = k == 0 ? most : e->largest;
    if (!(most > small * e->largest))
        return -1;
    return fabs(row_of(e, k)[k]) >= threshold * most ? k : best;
}

/* Makes the multipliers of column k; 0: an entry beside its pivot is too large, and nothing was
 * changed. */
static int make_multipliers(perp_eliminated *e, int k)
{
    const double *own = row_of(e, k);
    double most = 0.0, right = 0.0, *below = row_of(e, k + 1) + k;
    int count = e->n - k - 1;
    for (int j = k + 1; j < e->n; j++)
        right = fabs(own[j]) > right ? fabs(own[j]) : right;
    for (int i = 0; i < count; i++, below += e->stride) {
        e->work[i] = *below / own[k];
        most = fabs(e->work[i]) > most ? fabs(e->work[i]) : most;
    }
    if (!(threshold * right <= fabs(own[k])) || !(threshold * most <= 1.0))
        return 0;
    below = row_of(e, k + 1) + k;
    for (int i = 0; i < count; i++, below += e->stride)
        *below = e->work[i];
    return 1;
}

/* Takes multiples of `own` off the rows below it, which begin with their multipliers. */
PERP_CLONES static void take_off(const double *own, double *below, int rows, int count,
                                 size_t stride)
{
    for (int i = 0; i < rows; i++, below += stride) {
        double less = -below[0];
        for (int j = 1; j <= count && less != 0.0; j += WIDTH) {
            *(lanes *)(below + j) += less * *(const lanes *)(own + j);
            *(lanes *)(below + j + HALF) += less * *(const lanes *)(own + j + HALF);
        }
    }
}

static void eliminate(perp_eliminated *e)
{
    int n = e->n, k = 0;
    for (int i = 0; i < n; i++) {
        e->order[i] = i;
        memset(row_of(e, i) + n, 0, WIDTH * sizeof(double));
    }
    for (; k < n; k++) {
        int best = choose(e, k);
        if (best < 0)
            break;
        if (best != k)
            exchange(e, best, k);
        if (!make_multipliers(e, k))
            break;
        double *own = row_of(e, k) + k;
        take_off(own, own + e->stride, n - k - 1, n - k - 1, e->stride);
    }
    e->steps = k;
}

/* own = - (sum of c[j] times the rows below it)/pivot. */
PERP_CLONES static void combine(double *own, const double *c, int rows, double pivot, size_t stride)
{
    for (size_t l = 0; l < stride; l += WIDTH) {
        lanes a = {0.0}, b = {0.0};
        const double *row = own + stride + l;
        for (int j = 0; j < rows; j++, row += stride) {
            a -= c[j] * *(const lanes *)row;
            b -= c[j] * *(const lanes *)(row + HALF);
        }
        *(lanes *)(own + l) = a / pivot;
        *(lanes *)(own + l + HALF) = b / pivot;
    }
}

/* W' W, row by row from the diagonal on and some before it. */
PERP_CLONES static void make_products(double *F, const double *W, size_t n, size_t count,
                                      size_t wide)
{
    for (size_t k = 0; k < count; k++)
        for (size_t c = k / WIDTH * WIDTH; c < wide; c += WIDTH) {
            lanes a = {0.0}, b = {0.0};
            const double *row = W;
            for (size_t i = 0; i < n; i++, row += wide) {
                a += row[k] * *(const lanes *)(row + c);
                b += row[k] * *(const lanes *)(row + c + HALF);
            }
            *(lanes *)(F + k * wide + c) = a;
            *(lanes *)(F + k * wide + c + HALF) = b;
        }
}

/* W' W = F' F with F upper triangular. */
PERP_CLONES static void factor_products(double *F, const double *W, size_t n, size_t count,
                                        size_t wide)
{
    make_products(F, W, n, count, wide);
    for (size_t k = 0; k < count; k++) {
        double *own = F + k * wide, over = 1.0 / sqrt(own[k]);
        memset(own, 0, k * sizeof(double));
        for (size_t c = k / HALF * HALF; c < wide; c += HALF)
            *(lanes *)(own + c) *= over;
        for (size_t a = k + 1; a < count; a++)
            for (size_t c = a / HALF * HALF; c < wide; c += HALF)
                *(lanes *)(F + a * wide + c) -= own[a] * *(const lanes *)(own + c);
    }
}

static perp_status find_nulls(perp_eliminated *e, perp_arena *arena)
{
    size_t n = (size_t)e->n, count = n - (size_t)e->rank, width = WIDTH;
    e->wide = (count + width - 1) / width * width;
    e->right = PERP_TAKE(arena, double, n * e->wide);
    e->left = PERP_TAKE(arena, double, n * e->wide);
    e->right_factor = PERP_TAKE(arena, double, count * e->wide);
    e->left_factor = PERP_TAKE(arena, double, count * e->wide);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    if (count == 0)
        return PERP_SOLVED;
    size_t first = (size_t)e->steps * e->wide;
    perp_orthogonal_nulls(&e->last, e->right + first, e->wide, e->left);
    perp_orthogonal_left_nulls(&e->last, e->left + first, e->wide);
    for (int k = e->steps - 1; k >= 0; k--) {
        const double *own = row_of(e, k), *below = row_of(e, k + 1) + k;
        int later = e->n - k - 1;
        for (int i = 0; i < later; i++, below += e->stride)
            e->work[i] = *below;
        combine(e->right + (size_t)k * e->wide, own + k + 1, later, own[k], e->wide);
        combine(e->left + (size_t)k * e->wide, e->work, later, 1.0, e->wide);
    }
    factor_products(e->right_factor, e->right, n, count, e->wide);
    factor_products(e->left_factor, e->left, n, count, e->wide);
    return PERP_SOLVED;
}

perp_status perp_eliminated_factor(perp_eliminated *e, double singular, perp_arena *arena)
{
    eliminate(e);
    int n = e->n - e->steps;
    perp_status status = perp_orthogonal_take(&e->last, n, arena);
    if (status != PERP_SOLVED)
        return status;
    for (int i = 0; i < n; i++)
        memcpy(e->last.a + (size_t)i * e->last.stride, row_of(e, e->steps + i) + e->steps,
               (size_t)n * sizeof(double));
    perp_orthogonal_drop(&e->last, singular, e->largest);
    e->rank = e->steps + e->last.rank;
    e->rest = e->last.rest;
    return find_nulls(e, arena);
}

/* L and M, or their transposes. */
static void lower(const perp_eliminated *e, double *x, int transposed)
{
    for (int i = 1; i < e->n && !transposed; i++)
        x[i] -= perp_dot(row_of(e, i), x, i < e->steps ? i : e->steps);
    for (int i = e->n - 1; i > 0 && transposed; i--) {
        const double *row = row_of(e, i);
        for (int k = 0; k < (i < e->steps ? i : e->steps); k++)
            x[k] -= row[k] * x[i];
    }
}

/* U and V. */
static void upper(const perp_eliminated *e, double *x, int transposed)
{
    for (int k = 0; k < e->steps && transposed; k++) {
        const double *own = row_of(e, k);
        x[k] /= own[k];
        for (int j = k + 1; j < e->n; j++)
            x[j] -= own[j] * x[k];
    }
    for (int k = e->steps - 1; k >= 0 && !transposed; k--) {
        const double *own = row_of(e, k);
        x[k] = (x[k] - perp_dot(own + k + 1, x + k + 1, e->n - k - 1)) / own[k];
    }
}

/* along += W' x. */
PERP_CLONES static void look_along(double *restrict along, const double *restrict W,
                                   const double *restrict x, size_t n, size_t wide)
{
    for (size_t i = 0; i < n; i++, W += wide)
        for (size_t k = 0; k < wide; k++)
            along[k] += W[k] * x[i];
}

/* x -= W along. */
PERP_CLONES static void take_off_along(double *x, const double *W, const double *along, size_t n,
                                       size_t wide)
{
    for (size_t i = 0; i < n; i++, W += wide) {
        lanes sum = {0.0};
        for (size_t k = 0; k < wide; k += HALF)
            sum += *(const lanes *)(W + k) * *(const lanes *)(along + k);
        x[i] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* along = (F' F)^-1 along. */
PERP_CLONES static void solve_products(double *along, const double *F, size_t count, size_t wide)
{
    for (size_t a = 0; a < count; a++) {
        const double *own = F + a * wide;
        double now = along[a] / own[a];
        for (size_t c = a / HALF * HALF; c < wide; c += HALF)
            *(lanes *)(along + c) -= now * *(const lanes *)(own + c);
        along[a] = now;
    }
    for (size_t a = count; a-- > 0;) {
        const double *own = F + a * wide;
        double now = along[a];
        lanes sum = {0.0};
        along[a] = 0.0;
        for (size_t c = a / HALF * HALF; c < wide; c += HALF)
            sum += *(const lanes *)(own + c) * *(const lanes *)(along + c);
        along[a] = (now - ((sum[0] + sum[1]) + (sum[2] + sum[3]))) / own[a];
    }
}

static void take_along(const perp_eliminated *e, double *x, const double *W, const double *F)
{
    size_t n = (size_t)e->n, count = n - (size_t)e->rank, wide = e->wide;
    double *along = e->last.work;
    if (count == 0)
        return;
    memset(along, 0, wide * sizeof(double));
    look_along(along, W, x, n, wide);
    solve_products(along, F, count, wide);
    take_off_along(x, W, along, n, wide);
}

void perp_eliminated_solve(const perp_eliminated *e, double *x, int transposed)
{
    double *y = e->work;
    for (int i = 0; i < e->n; i++)
        y[i] = x[e->order[i]];
    if (transposed) {
        take_along(e, y, e->right, e->right_factor);
        upper(e, y, 1);
    } else {
        take_along(e, y, e->left, e->left_factor);
        lower(e, y, 0);
    }
    if (e->steps < e->n)
        perp_orthogonal_solve(&e->last, y + e->steps, transposed);
    if (transposed) {
        lower(e, y, 1);
        take_along(e, y, e->left, e->left_factor);
    } else {
        upper(e, y, 0);
        take_along(e, y, e->right, e->right_factor);
    }
    for (int i = 0; i < e->n; i++)
        x[e->order[i]] = y[i];
}

static double dot_of_sizes(const double *a, const double *x, int n)
{
    double sum[4] = {0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += fabs(a[i + l]) * x[i + l];
    for (; i < n; i++)
        sum[0] += fabs(a[i]) * x[i];
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* Of triangular matrices the inverse of that with all entries beside the diagonal made negative is
 * no smaller [Higham2002] (section 8.3). */
double perp_eliminated_bound(const perp_eliminated *e)
{
    double *x = e->work, low = 1.0, up = 1.0;
    int n = e->n;
    for (int i = 0; i < n; i++) {
        x[i] = 1.0 + dot_of_sizes(row_of(e, i), x, i < e->steps ? i : e->steps);
        low = x[i] > low ? x[i] : low;
    }
    for (int i = 0; i < n; i++)
        x[i] = 1.0;
    for (int i = e->steps - 1; i >= 0; i--) {
        const double *own = row_of(e, i) + i;
        x[i] = (1.0 + dot_of_sizes(own + 1, x + i + 1, n - i - 1)) / fabs(*own);
        up = x[i] > up ? x[i] : up;
    }
    return n * low * up * fmax(1.0, perp_orthogonal_bound(&e->last));
}

void perp_eliminated_nulls(const perp_eliminated *e, double *rows, size_t stride)
{
    for (int i = 0; i < e->n; i++) {
        double *to = rows + (size_t)e->order[i] * stride;
        memcpy(to, e->right + (size_t)i * e->wide, e->wide * sizeof(double));
        memset(to + e->wide, 0, (stride - e->wide) * sizeof(double));
    }
}
