/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/heap.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef union perp_heap_head {
    struct perp_heap_piece {
        union perp_heap_head *next;
    } piece;
    max_align_t align;
} perp_heap_head;

static void *default_allocate(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes);
}

static void default_release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

void perp_heap_init(perp_heap *heap, const perp_allocator *allocator)
{
    const perp_allocator plain = {default_allocate, default_release, NULL};
    heap->allocator = allocator ? *allocator : plain;
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
