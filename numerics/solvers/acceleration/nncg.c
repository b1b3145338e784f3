/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/acceleration/nncg.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"

/* Blocks or rows that are handled together. */
enum { CHUNK = 512 };

static int chunks_of(int count)
{
    return count / CHUNK + (count % CHUNK != 0);
}

perp_nncg *perp_nncg_take(perp_arena *arena, int n)
{
    perp_nncg *c = perp_arena_take_zero(arena, 1, sizeof *c);
    if (!c)
        return NULL;
    c->threads = 1;
    c->n = n;
    c->p = PERP_TAKE(arena, double, n);
    c->partial = PERP_TAKE(arena, double, chunks_of(n));
    return arena->failed ? NULL : c;
}

void perp_nncg_restart(perp_nncg *c)
{
    c->square = 0.0;
}

typedef struct pass {
    perp_nncg *c;
    const double *x, *g, *weight;
    const perp_blocks *blocks;
    double *out;
    double beta;
} pass;

static int chunk_end(int chunk, int count)
{
    return count - chunk * CHUNK < CHUNK ? count : (chunk + 1) * CHUNK;
}

static void add_squares(void *ctx, int chunk, int thread)
{
    const pass *p = ctx;
    double sum = 0.0;
    (void)thread;
    for (int k = chunk * CHUNK; k < chunk_end(chunk, p->blocks->count); k++) {
        const perp_block *block = &p->blocks->at[k];
        double square = 0.0, d = p->weight ? p->weight[k] : 1.0;
        for (int i = block->row; i < block->row + block->dim; i++)
            square += (p->g[i] - p->x[i]) * (p->g[i] - p->x[i]);
        sum += d * d * square;
    }
    p->c->partial[chunk] = sum;
}

static void step(void *ctx, int chunk, int thread)
{
    const pass *p = ctx;
    double *direction = p->c->p;
    (void)thread;
    for (int i = chunk * CHUNK; i < chunk_end(chunk, p->c->n); i++) {
        double f = p->g[i] - p->x[i], further = p->beta > 0.0 ? p->beta * direction[i] : 0.0;
        p->out[i] = p->g[i] + further;
        direction[i] = further + f;
    }
}

int perp_nncg_next(perp_nncg *c, double *x_out, const double *x, const double *g,
                   const perp_blocks *blocks, const double *weight)
{
    pass p = {.c = c, .x = x, .g = g, .weight = weight, .blocks = blocks, .out = x_out};
    int chunks = chunks_of(blocks->count);
    double square = 0.0, old = c->square;
    perp_parallel_for(c->threads, chunks, add_squares, &p);
    for (int chunk = 0; chunk < chunks; chunk++)
        square += c->partial[chunk];
    c->square = square;
    p.beta = old > 0.0 && square <= old ? square / old : 0.0;
    perp_parallel_for(c->threads, chunks_of(c->n), step, &p);
    return p.beta > 0.0;
}
