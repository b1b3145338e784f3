/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a handle: pieces are taken during setup and given back together. */
#ifndef PERP_CORE_ARENA_H
#define PERP_CORE_ARENA_H

#include "core/allocator.h"

typedef struct perp_arena {
    perp_allocator allocator;
    struct perp_arena_chunk *chunks, *current; /* oldest first; the one being filled */
    size_t bytes;                              /* held in all chunks */
    int again;                                 /* reset since the first chunk */
    int failed;                                /* a take since the last reset returned NULL */
} perp_arena;

void perp_arena_init(perp_arena *arena, const perp_allocator *allocator);
/* The same with a first chunk that the caller owns, on its stack say: the allocator is
 * called only when that is spent.  buffer lives as long as the arena. */
void perp_arena_init_with(perp_arena *arena, const perp_allocator *allocator, void *buffer,
                          size_t bytes);
enum { PERP_ARENA_STACK = 2048 }; /* bytes of such a buffer for temporary arrays */
/* Bytes aligned to 64, uninitialised; NULL when memory is out or count * size
 * overflows, and then arena->failed is set: a setup may take all it needs and
 * look once at the end.  A count of 0 gives a valid pointer. */
void *perp_arena_take(perp_arena *arena, size_t count, size_t size);
/* Same, zeroed. */
void *perp_arena_take_zero(perp_arena *arena, size_t count, size_t size);
/* Forgets all pieces and keeps the memory for the next setup. */
void perp_arena_reset(perp_arena *arena);
void perp_arena_free(perp_arena *arena);

#define PERP_TAKE(arena, type, count)                                                              \
    ((type *)perp_arena_take((arena), (size_t)(count), sizeof(type)))

#endif
