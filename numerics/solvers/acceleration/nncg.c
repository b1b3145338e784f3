/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/acceleration/nncg.h"

#include <stdint.h>

#include "core/parallel.h"

/* Blocks that are handled together. */
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
    double *x, *g, *p;
    const double *weight;
    const perp_blocks *blocks;
    size_t n;
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
        double square = 0.0, d = p->weight[k];
        for (int i = block->row; i < block->row + block->dim; i++)
            square += (p->g[i] - p->x[i]) * (p->g[i] - p->x[i]);
        sum += d * d * square;
    }
    p->c->partial[chunk] = sum;
}

double perp_nncg_square(perp_nncg *c, const double *x, const double *g, const perp_blocks *blocks,
                        const double *weight)
{
    pass p = {c, (double *)(uintptr_t)x, (double *)(uintptr_t)g, NULL, weight, blocks, 0};
    int chunks = chunks_of(blocks->count);
    double square = 0.0;
    perp_parallel_for(c->threads, chunks, add_squares, &p);
    for (int chunk = 0; chunk < chunks; chunk++)
        square += c->partial[chunk];
    return square;
}

enum { SHARES = 16 };

static void step(const pass *p, int share)
{
    const double beta = p->c->beta;
    size_t from = p->n * (size_t)share / SHARES, to = p->n * (size_t)(share + 1) / SHARES;
    for (size_t i = from; i < to; i++) {
        double f = p->g[i] - p->x[i], further = beta > 0.0 ? beta * p->p[i] : 0.0;
        p->x[i] = p->g[i] = p->g[i] + further;
        p->p[i] = further + f;
    }
}

/* Of the iterate and of what follows it in turn, so that each thread has both. */
static void step_one(void *ctx, int piece, int thread)
{
    const pass *both = ctx;
    (void)thread;
    if (both[1].n > 0)
        step(&both[piece % 2], piece / 2);
    else
        step(&both[0], piece);
}

int perp_nncg_next(perp_nncg *c, double *x, double *g, double square,
                   const perp_nncg_follower *follower)
{
    double old = c->square;
    pass both[2] = {{.c = c, .x = x, .g = g, .p = c->p, .n = (size_t)c->n}, {.c = c}};
    if (follower) {
        both[1].x = follower->x;
        both[1].g = follower->g;
        both[1].p = follower->p;
        both[1].n = follower->n;
    }
    c->square = square;
    c->beta = old > 0.0 && square <= old ? square / old : 0.0;
    perp_parallel_for(c->threads, both[1].n > 0 ? 2 * SHARES : SHARES, step_one, both);
    return c->beta > 0.0;
}
