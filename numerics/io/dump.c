/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/dump.h"

perp_dump_owner *perp_dump_owner_of(const perp_dump *dump)
{
    return dump->owner;
}

perp_heap *perp_dump_heap(perp_dump *dump)
{
    return &perp_dump_owner_of(dump)->heap;
}

perp_status perp_dump_create(perp_dump **dump, const perp_allocator *allocator)
{
    if (!dump)
        return PERP_ERR_ARGUMENT;
    *dump = NULL;
    perp_heap heap;
    perp_heap_init(&heap, allocator);
    perp_dump *made = PERP_HEAP_ZERO(&heap, perp_dump, 1);
    perp_dump_owner *owner = PERP_HEAP_ZERO(&heap, perp_dump_owner, 1);
    if (!made || !owner) {
        perp_heap_free(&heap);
        return PERP_ERR_MEMORY;
    }
    owner->heap = heap;
    made->owner = owner;
    *dump = made;
    return PERP_SOLVED;
}

void *perp_dump_take(perp_dump *dump, size_t count, size_t size)
{
    return dump ? perp_heap_take(perp_dump_heap(dump), count, size) : NULL;
}

void perp_dump_destroy(perp_dump *dump)
{
    if (!dump)
        return;
    perp_dump_owner *owner = perp_dump_owner_of(dump);
    perp_mass_destroy(owner->mass);
    /* The heap holds the dump and the owner too. */
    perp_heap heap = owner->heap;
    perp_heap_free(&heap);
}
