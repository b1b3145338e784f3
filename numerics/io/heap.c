/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/heap.h"

#include <stddef.h>
#include <string.h>

#include "core/allocator.h"

typedef union perp_heap_head {
    struct perp_heap_piece {
        union perp_heap_head *next;
    } piece;
    max_align_t align;
} perp_heap_head;

void perp_heap_init(perp_heap *heap, const perp_allocator *allocator)
{
    heap->allocator = perp_allocator_or_malloc(allocator);
    heap->pieces = NULL;
}

void *perp_heap_take(perp_heap *heap, size_t count, size_t size)
{
    size_t bytes = sizeof(perp_heap_head);
    if (size > 0 && count > (SIZE_MAX - bytes) / size)
        return NULL;
    bytes += count * size;
    perp_heap_head *head = heap->allocator.allocate(heap->allocator.ctx, bytes);
    if (!head)
        return NULL;
    head->piece.next = (perp_heap_head *)heap->pieces;
    heap->pieces = &head->piece;
    return head + 1;
}

void *perp_heap_take_zero(perp_heap *heap, size_t count, size_t size)
{
    void *block = perp_heap_take(heap, count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void perp_heap_free(perp_heap *heap)
{
    perp_heap_head *head = (perp_heap_head *)heap->pieces;
    while (head) {
        perp_heap_head *next = head->piece.next;
        heap->allocator.release(heap->allocator.ctx, head);
        head = next;
    }
    heap->pieces = NULL;
}
