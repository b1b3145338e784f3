/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/acceleration/anderson.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "linalg/small.h"

#define REGULARISATION 1e-10
#define ALLOWED_GROWTH 2.0
#define LONGEST_STEP 1000.0

/* Rows that are summed together; sums of chunks are added in their order. */
enum { CHUNK = 1024, SUMS = 2 * PERP_ANDERSON_DEPTH_MAX + 1 };

static int chunks_of(int n)
{
    return n / CHUNK + (n % CHUNK != 0);
}

perp_anderson *perp_anderson_take(perp_arena *arena, int n, int depth)
{
    perp_anderson *a = perp_arena_take_zero(arena, 1, sizeof *a);
    if (!a)
        return NULL;
    a->threads = 1;
    a->n = n;
    a->depth = depth;
    size_t apart = ((size_t)n + 7) & ~(size_t)7, sums = (size_t)chunks_of(n) * SUMS;
    a->weight = PERP_TAKE(arena, double, 4 * apart + sums + (size_t)depth * (size_t)depth);
    a->dF = perp_arena_take(arena, (size_t)depth, (size_t)n * sizeof(double));
    a->dG = perp_arena_take(arena, (size_t)depth, (size_t)n * sizeof(double));
    if (arena->failed)
        return NULL;
    a->f = a->weight + apart;
    a->g = a->f + apart;
    a->best_g = a->g + apart;
    a->partial = a->best_g + apart;
    a->gram = a->partial + sums;
    perp_anderson_weigh(a, NULL, NULL);
    perp_anderson_restart(a);
    return a;
}

void perp_anderson_weigh(perp_anderson *a, const perp_blocks *blocks, const double *weight)
{
    for (int i = 0; !weight && i < a->n; i++)
        a->weight[i] = 1.0;
    for (int k = 0; weight && k < blocks->count; k++)
        for (int i = 0; i < blocks->at[k].dim; i++)
            a->weight[blocks->at[k].row + i] = weight[k] / perp_block_unit(&blocks->at[k], i);
}

void perp_anderson_restart(perp_anderson *a)
{
    a->stored = a->started = 0;
    a->newest = -1;
    a->best = INFINITY;
    a->norm = INFINITY;
}

typedef struct pass {
    perp_anderson *a;
    const double *x, *g;
    double *out;
    double gamma[PERP_ANDERSON_DEPTH_MAX];
    int best;
} pass;

static int chunk_length(const perp_anderson *a, int chunk)
{
    return a->n - chunk * CHUNK < CHUNK ? a->n - chunk * CHUNK : CHUNK;
}

static double *column(double *columns, const perp_anderson *a, int c, int chunk)
{
    return columns + (size_t)c * (size_t)a->n + (size_t)chunk * CHUNK;
}

/* f, g and the new differences of a chunk, then its share of |f|^2, of the new row of
 * dF' dF and of dF' f. */
static void take_in(void *ctx, int chunk, int thread)
{
    const pass *p = ctx;
    perp_anderson *a = p->a;
    int length = chunk_length(a, chunk);
    size_t from = (size_t)chunk * CHUNK;
    const double *x = p->x + from, *g = p->g + from, *weight = a->weight + from;
    double *f = a->f + from, *old_g = a->g + from, *sum = a->partial + (size_t)chunk * SUMS;
    double *dF = a->started ? column(a->dF, a, a->newest, chunk) : NULL;
    double *dG = a->started ? column(a->dG, a, a->newest, chunk) : NULL;
    (void)thread;
    for (int i = 0; i < length; i++) {
        double now = weight[i] * (g[i] - x[i]);
        if (dF) {
            dF[i] = now - f[i];
            dG[i] = g[i] - old_g[i];
        }
        f[i] = now;
        old_g[i] = g[i];
    }
    sum[0] = perp_dot(f, f, length);
    for (int c = 0; c < a->stored; c++) {
        sum[1 + 2 * c] = perp_dot(dF, column(a->dF, a, c, chunk), length);
        sum[2 + 2 * c] = perp_dot(f, column(a->dF, a, c, chunk), length);
    }
}

static void give_out(void *ctx, int chunk, int thread)
{
    const pass *p = ctx;
    perp_anderson *a = p->a;
    int length = chunk_length(a, chunk);
    size_t from = (size_t)chunk * CHUNK, bytes = (size_t)length * sizeof(double);
    double *out = p->out + from;
    const double *g = a->g + from;
    (void)thread;
    if (p->best)
        memcpy(a->best_g + from, g, bytes);
    memcpy(out, g, bytes);
    for (int c = 0; c < a->stored; c++) {
        const double *dG = column(a->dG, a, c, chunk);
        double gamma = p->gamma[c];
        for (int i = 0; i < length; i++)
            out[i] -= gamma * dG[i];
    }
    double sum = 0.0;
    for (int i = 0; a->stored && i < length; i++) {
        double step = a->weight[from + (size_t)i] * (out[i] - g[i]);
        sum += step * step;
    }
    a->partial[(size_t)chunk * SUMS] = sum;
}

/* Where f hardly changes from step to step the minimum lies far away, or at infinity. */
static void shorten(perp_anderson *a, double *x_out)
{
    double square = 0.0, longest = LONGEST_STEP * a->norm;
    for (int chunk = 0; chunk < chunks_of(a->n); chunk++)
        square += a->partial[(size_t)chunk * SUMS];
    if (square <= longest * longest)
        return;
    double share = longest / sqrt(square);
    for (int i = 0; i < a->n; i++)
        x_out[i] = share > 0.0 ? a->g[i] + share * (x_out[i] - a->g[i]) : a->g[i];
}

/* Sums of the chunks; the new row of dF' dF is put in its place. */
static void add_up(perp_anderson *a, double *right)
{
    double sum[SUMS] = {0.0};
    for (int chunk = 0; chunk < chunks_of(a->n); chunk++)
        for (int i = 0; i < 1 + 2 * a->stored; i++)
            sum[i] += a->partial[(size_t)chunk * SUMS + (size_t)i];
    a->norm = sqrt(sum[0]);
    for (int c = 0; c < a->stored; c++) {
        a->gram[a->newest + c * a->depth] = a->gram[c + a->newest * a->depth] = sum[1 + 2 * c];
        right[c] = sum[2 + 2 * c];
    }
}

/* gamma from the regularised normal equations; 0: there is none. */
static int minimise(const perp_anderson *a, double *gamma, const double *right)
{
    double A[PERP_ANDERSON_DEPTH_MAX * PERP_ANDERSON_DEPTH_MAX], trace = 0.0;
    int m = a->stored;
    for (int c = 0; c < m; c++)
        trace += a->gram[c + c * a->depth];
    for (int c = 0; c < m; c++) {
        for (int r = 0; r < m; r++)
            A[r + c * m] = a->gram[r + c * a->depth];
        A[c + c * m] += REGULARISATION * trace;
    }
    int good = m > 0 && trace > 0.0 && perp_small_solve(gamma, A, right, m);
    for (int c = 0; c < m; c++)
        good &= isfinite(gamma[c]) != 0;
    return good;
}

static perp_anderson_step go_back(perp_anderson *a, double *x_out, const double *g)
{
    int known = isfinite(a->best);
    double norm = a->norm;
    memmove(x_out, known ? a->best_g : g, (size_t)a->n * sizeof(double));
    perp_anderson_restart(a);
    a->norm = norm;
    return known ? PERP_ANDERSON_RESTARTED : PERP_ANDERSON_PLAIN;
}

perp_anderson_step perp_anderson_next(perp_anderson *a, double *x_out, const double *x,
                                      const double *g)
{
    double right[PERP_ANDERSON_DEPTH_MAX];
    pass p = {.a = a, .x = x, .g = g, .out = x_out};
    int chunks = chunks_of(a->n);
    if (a->started) {
        a->newest = (a->newest + 1) % a->depth;
        a->stored += a->stored < a->depth;
    }
    perp_parallel_for(a->threads, chunks, take_in, &p);
    add_up(a, right);
    a->started = 1;
    if (!(a->norm <= ALLOWED_GROWTH * a->best))
        return go_back(a, x_out, g);
    p.best = a->norm < a->best;
    a->best = p.best ? a->norm : a->best;
    int mixed = minimise(a, p.gamma, right);
    if (!mixed) {
        a->stored = 0;
        a->newest = -1;
    }
    perp_parallel_for(a->threads, chunks, give_out, &p);
    shorten(a, x_out);
    return mixed ? PERP_ANDERSON_MIXED : PERP_ANDERSON_PLAIN;
}
