/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <perp/io.h>

#include "io/heap.h"

perp_status perp_problem_part_create(perp_problem_part **made, const perp_allocator *allocator)
{
    perp_heap heap, *owner;
    if (!made)
        return PERP_ERR_ARGUMENT;
    *made = NULL;
    perp_heap_init(&heap, allocator);
    perp_problem_part *part =
        heap.allocator.allocate(heap.allocator.ctx, sizeof *part + sizeof *owner);
    if (!part)
        return PERP_ERR_MEMORY;
    memset(part, 0, sizeof *part);
    owner = (perp_heap *)(void *)(part + 1);
    *owner = heap;
    part->owner = owner;
    *made = part;
    return PERP_SOLVED;
}

void *perp_problem_part_take(perp_problem_part *part, size_t count, size_t size)
{
    return part ? perp_heap_take(part->owner, count, size) : NULL;
}

void perp_problem_part_destroy(perp_problem_part *part)
{
    if (!part)
        return;
    perp_heap heap = *(perp_heap *)part->owner;
    perp_heap_free(&heap);
    heap.allocator.release(heap.allocator.ctx, part);
}
