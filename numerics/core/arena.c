/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/arena.h"

#include <string.h>

enum { ALIGNMENT = 64, CHUNK_MIN = 16384 };

typedef struct perp_arena_chunk {
    struct perp_arena_chunk *next;
    size_t size, used; /* bytes behind the header's aligned end */
    char *base;
    int borrowed; /* the caller's */
} perp_arena_chunk;

void perp_arena_init(perp_arena *arena, const perp_allocator *allocator)
{
    arena->allocator = perp_allocator_or_malloc(allocator);
    arena->chunks = arena->current = NULL;
    arena->bytes = 0;
    arena->again = arena->failed = 0;
}

static const size_t chunk_capacity = sizeof(perp_arena_chunk) + ALIGNMENT;

static void chunk_link(perp_arena *arena, perp_arena_chunk *chunk, size_t size)
{
    uintptr_t base = (uintptr_t)(chunk + 1);
    base = (base + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    *chunk = (perp_arena_chunk){.size = size, .base = (char *)base};
    perp_arena_chunk **end = arena->current ? &arena->current : &arena->chunks;
    while (*end)
        end = &(*end)->next;
    *end = chunk;
    arena->current = chunk;
}

static perp_arena_chunk *chunk_add(perp_arena *arena, size_t size)
{
    if (size > SIZE_MAX - chunk_capacity)
        return NULL;
    perp_arena_chunk *chunk =
        arena->allocator.allocate(arena->allocator.ctx, size + chunk_capacity);
    if (!chunk)
        return NULL;
    chunk_link(arena, chunk, size);
    arena->bytes += size + chunk_capacity;
    return chunk;
}

void perp_arena_init_with(perp_arena *arena, const perp_allocator *allocator, void *buffer,
                          size_t bytes)
{
    uintptr_t start = (uintptr_t)buffer;
    uintptr_t aligned = (start + sizeof(void *) - 1) & ~(uintptr_t)(sizeof(void *) - 1);
    perp_arena_init(arena, allocator);
    if (bytes < chunk_capacity + sizeof(void *))
        return;
    chunk_link(arena, (perp_arena_chunk *)aligned,
               bytes - chunk_capacity - (size_t)(aligned - start));
    arena->chunks->borrowed = 1;
}

/* In a first setup big pieces get a chunk of their own, so that the arena is never much
 * larger than what was taken from it, and small pieces share chunks that grow slowly.  Later
 * ones that need more take half as much again, so that problems that grow one contact at a
 * time leave few chunks behind and at most 4.5 times what the largest takes.
 * Chunks are passed through in their order and never returned to: so a setup in which no
 * piece is larger than in one before it is never ahead of that one, and adds no chunk. */
void *perp_arena_take(perp_arena *arena, size_t count, size_t size)
{
    /* A division only where the product may not fit. */
    if ((count | size) >> 31 && size && count > (SIZE_MAX - ALIGNMENT) / size) {
        arena->failed = 1;
        return NULL;
    }
    size_t bytes = (count * size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    perp_arena_chunk *chunk = arena->current;
    while (chunk && chunk->size - chunk->used < bytes)
        chunk = chunk->next;
    if (!chunk) {
        size_t least = arena->bytes / (arena->again ? 2 : 32);
        if (least < CHUNK_MIN)
            least = CHUNK_MIN;
        chunk = chunk_add(arena, bytes > least ? bytes : least);
    }
    if (!chunk) {
        arena->failed = 1;
        return NULL;
    }
    arena->current = chunk;
    void *piece = chunk->base + chunk->used;
    chunk->used += bytes;
    return piece;
}

void *perp_arena_take_zero(perp_arena *arena, size_t count, size_t size)
{
    void *piece = perp_arena_take(arena, count, size);
    if (piece)
        memset(piece, 0, count * size);
    return piece;
}

void perp_arena_reset(perp_arena *arena)
{
    for (perp_arena_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        chunk->used = 0;
    arena->current = arena->chunks;
    arena->again = arena->bytes > 0;
    arena->failed = 0;
}

void perp_arena_free(perp_arena *arena)
{
    while (arena->chunks) {
        perp_arena_chunk *next = arena->chunks->next;
        if (!arena->chunks->borrowed)
            arena->allocator.release(arena->allocator.ctx, arena->chunks);
        arena->chunks = next;
    }
    arena->current = NULL;
    arena->bytes = 0;
    arena->again = 0;
}
