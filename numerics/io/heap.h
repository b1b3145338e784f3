/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of memory that are given back together: of a problem file, or of one call. */
#ifndef PERP_IO_HEAP_H
#define PERP_IO_HEAP_H

#include <perp/base.h>

typedef struct perp_heap {
    perp_allocator allocator;
    struct perp_heap_piece *pieces; /* newest first */
} perp_heap;

/* allocator NULL: malloc and free. */
void perp_heap_init(perp_heap *heap, const perp_allocator *allocator);
/* Uninitialised, aligned for any scalar; NULL when memory is out or count * size
 * overflows.  A count of 0 gives a valid pointer. */
void *perp_heap_take(perp_heap *heap, size_t count, size_t size);
void *perp_heap_take_zero(perp_heap *heap, size_t count, size_t size);
void perp_heap_free(perp_heap *heap);

#define PERP_HEAP_TAKE(heap, type, count)                                                          \
    ((type *)perp_heap_take((heap), (size_t)(count), sizeof(type)))
#define PERP_HEAP_ZERO(heap, type, count)                                                          \
    ((type *)perp_heap_take_zero((heap), (size_t)(count), sizeof(type)))

#endif
