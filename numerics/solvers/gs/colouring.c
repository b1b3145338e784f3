/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/gs/colouring.h"

#include <stdint.h>
#include <string.h>

/* Colours are bits of a mask; what does not fit becomes one cluster at the end.  There are
 * as many clusters as some dozen threads can share, of at most CLUSTER_MAX blocks. */
enum { COLOURS_MAX = 64, CLUSTERS = 512, CLUSTER_MIN = 4, CLUSTER_MAX = 256 };

typedef struct finder {
    const perp_coupling *c;
    perp_colouring *out;
    int size;                  /* blocks to a cluster */
    int clusters;              /* ceil(count / size) */
    int *queue;                /* count: cluster after cluster */
    char *taken;               /* count */
    signed char *colour;       /* by block, -1 for none yet */
    uint64_t *mask;            /* by block or group: colours that may not be used there */
    signed char *of;           /* colour of each cluster */
    int used[COLOURS_MAX + 1]; /* clusters of each colour */
} finder;

static void push(finder *f, int *tail, int end, int k)
{
    if (*tail < end && !f->taken[k]) {
        f->taken[k] = 1;
        f->queue[(*tail)++] = k;
    }
}

static void push_neighbours(finder *f, int *tail, int end, int k)
{
    const perp_coupling *c = f->c;
    for (int p = c->first[k]; p < c->first[k + 1] && *tail < end; p++) {
        if (!c->member) {
            push(f, tail, end, c->link[p]);
            continue;
        }
        for (int m = c->group[c->link[p]]; m < c->group[c->link[p] + 1] && *tail < end; m++)
            push(f, tail, end, c->member[m]);
    }
}

/* Each cluster grows from the first block left over, by neighbours of neighbours; where
 * they end, from the next one left over. */
static void grow(finder *f)
{
    int seed = 0, tail = 0;
    for (int k = 0; f->c->runs && k < f->c->count; k++)
        f->queue[k] = k;
    if (f->c->runs)
        return;
    for (int cluster = 0; cluster < f->clusters; cluster++) {
        int head = tail, end = f->c->count - tail < f->size ? f->c->count : tail + f->size;
        while (tail < end) {
            if (head == tail) {
                while (f->taken[seed])
                    seed++;
                push(f, &tail, end, seed);
            }
            push_neighbours(f, &tail, end, f->queue[head++]);
        }
    }
}

/* By number, so that memory is passed in its order. */
static void sort(int *x, int n)
{
    for (int i = 1; i < n; i++) {
        int value = x[i], j = i;
        for (; j > 0 && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

static int cluster_end(const finder *f, int cluster)
{
    int from = cluster * f->size;
    return f->c->count - from < f->size ? f->c->count : from + f->size;
}

/* Colours of what the blocks from..to - 1 of the queue are coupled to. */
static uint64_t forbidden(const finder *f, int from, int to)
{
    const perp_coupling *c = f->c;
    uint64_t mask = 0;
    for (int i = from; i < to; i++) {
        int k = f->queue[i];
        if (!c->member)
            mask |= f->mask[k];
        for (int p = c->first[k]; p < c->first[k + 1]; p++) {
            int other = c->link[p];
            if (c->member)
                mask |= f->mask[other];
            else if (f->colour[other] >= 0)
                mask |= (uint64_t)1 << f->colour[other];
        }
    }
    return mask;
}

static void mark(finder *f, int from, int to, int colour)
{
    const perp_coupling *c = f->c;
    for (int i = from; i < to; i++) {
        int k = f->queue[i];
        f->colour[k] = (signed char)colour;
        for (int p = c->first[k]; p < c->first[k + 1]; p++)
            f->mask[c->link[p]] |= (uint64_t)1 << colour;
    }
}

/* The allowed colour with the fewest clusters, else a new one; COLOURS_MAX: none is left. */
static void paint(finder *f)
{
    int colours = 0, rest = 0;
    for (int cluster = 0; cluster < f->clusters; cluster++) {
        int from = cluster * f->size, to = cluster_end(f, cluster), chosen = -1;
        uint64_t mask = forbidden(f, from, to);
        for (int colour = 0; colour < colours; colour++)
            if (!(mask >> colour & 1) && (chosen < 0 || f->used[colour] < f->used[chosen]))
                chosen = colour;
        if (chosen < 0)
            chosen = colours < COLOURS_MAX ? colours++ : COLOURS_MAX;
        f->of[cluster] = (signed char)chosen;
        f->used[chosen]++;
        rest += chosen == COLOURS_MAX;
        if (chosen < COLOURS_MAX)
            mark(f, from, to, chosen);
    }
    f->out->colours = colours + (rest > 0);
    f->out->pieces = f->clusters - rest + (rest > 0);
}

/* Clusters sorted by colour; those without one are one piece of one colour. */
static void lay_out(const finder *f)
{
    perp_colouring *out = f->out;
    int at = 0, piece = 0, colours = 0;
    for (int colour = 0; colour <= COLOURS_MAX; colour++) {
        if (f->used[colour] == 0)
            continue;
        out->first[colours++] = piece;
        for (int cluster = 0; cluster < f->clusters; cluster++) {
            int from = cluster * f->size, length = cluster_end(f, cluster) - from;
            if (f->of[cluster] != colour)
                continue;
            if (colour < COLOURS_MAX || piece == out->first[colours - 1])
                out->start[piece++] = at;
            memcpy(out->order + at, f->queue + from, (size_t)length * sizeof(int));
            at += length;
        }
    }
    out->first[colours] = piece;
    out->start[piece] = at;
}

static int cluster_size(const perp_coupling *coupling)
{
    int size = coupling->count / CLUSTERS;
    int least = coupling->least > CLUSTER_MIN ? coupling->least : CLUSTER_MIN;
    return size < least ? least : size > CLUSTER_MAX ? CLUSTER_MAX : size;
}

perp_status perp_colouring_find(perp_colouring *colouring, const perp_coupling *coupling,
                                perp_arena *arena)
{
    perp_arena temporary;
    perp_arena_init(&temporary, &arena->allocator);
    size_t count = (size_t)coupling->count;
    finder f = {.c = coupling, .out = colouring, .size = cluster_size(coupling)};
    f.clusters = coupling->count / f.size + (coupling->count % f.size != 0);
    f.queue = PERP_TAKE(&temporary, int, count);
    f.taken = perp_arena_take_zero(&temporary, count, 1);
    f.colour = PERP_TAKE(&temporary, signed char, count);
    f.mask = perp_arena_take_zero(&temporary, coupling->member ? (size_t)coupling->groups : count,
                                  sizeof(uint64_t));
    f.of = PERP_TAKE(&temporary, signed char, f.clusters);
    perp_status status = temporary.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
    if (status == PERP_SOLVED) {
        memset(f.colour, -1, count);
        grow(&f);
        for (int cluster = 0; cluster < f.clusters; cluster++)
            sort(f.queue + cluster * f.size, cluster_end(&f, cluster) - cluster * f.size);
        paint(&f);
        colouring->order = PERP_TAKE(arena, int, count);
        colouring->start = PERP_TAKE(arena, int, colouring->pieces + 1);
        colouring->first = PERP_TAKE(arena, int, colouring->colours + 1);
        status = arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
    }
    if (status == PERP_SOLVED)
        lay_out(&f);
    perp_arena_free(&temporary);
    return status;
}

/* owner: piece that last touched each block or group in this colour.  The blocks of a
 * piece own themselves, so that a coupling in one direction is seen from either side. */
static int colour_holds(const perp_colouring *g, const perp_coupling *c, int colour, int *owner,
                        const int *piece_of)
{
    for (int piece = g->first[colour]; piece < g->first[colour + 1]; piece++)
        for (int i = g->start[piece]; i < g->start[piece + 1]; i++) {
            int k = g->order[i];
            for (int p = c->first[k]; p < c->first[k + 1]; p++) {
                int other = c->link[p];
                if (!c->member) {
                    int there = piece_of[other];
                    if (there != piece && there >= g->first[colour] && there < g->first[colour + 1])
                        return 0;
                } else if (owner[other] != piece && owner[other] >= g->first[colour]) {
                    return 0;
                } else {
                    owner[other] = piece;
                }
            }
        }
    return 1;
}

int perp_colouring_holds(const perp_colouring *colouring, const perp_coupling *coupling,
                         const perp_allocator *allocator)
{
    perp_arena temporary;
    perp_arena_init(&temporary, allocator);
    size_t groups = coupling->member ? (size_t)coupling->groups : 0;
    int *owner = PERP_TAKE(&temporary, int, groups);
    int *piece_of = PERP_TAKE(&temporary, int, coupling->count);
    int holds = temporary.failed ? PERP_ERR_MEMORY : 1;
    if (holds == 1) {
        memset(owner, 0xff, groups * sizeof(int));
        for (int piece = 0; piece < colouring->pieces; piece++)
            for (int i = colouring->start[piece]; i < colouring->start[piece + 1]; i++)
                piece_of[colouring->order[i]] = piece;
        for (int colour = 0; holds == 1 && colour < colouring->colours; colour++)
            holds = colour_holds(colouring, coupling, colour, owner, piece_of);
    }
    perp_arena_free(&temporary);
    return holds;
}
