/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/problem_file.h"

perp_problem_file_owner *perp_problem_file_owner_of(const perp_problem_file *file)
{
    return file->owner;
}

perp_heap *perp_problem_file_heap(perp_problem_file *file)
{
    return &perp_problem_file_owner_of(file)->heap;
}

perp_status perp_problem_file_create(perp_problem_file **file, const perp_allocator *allocator)
{
    if (!file)
        return PERP_ERR_ARGUMENT;
    *file = NULL;
    perp_heap heap;
    perp_heap_init(&heap, allocator);
    perp_problem_file *made = PERP_HEAP_ZERO(&heap, perp_problem_file, 1);
    perp_problem_file_owner *owner = PERP_HEAP_ZERO(&heap, perp_problem_file_owner, 1);
    if (!made || !owner) {
        perp_heap_free(&heap);
        return PERP_ERR_MEMORY;
    }
    owner->heap = heap;
    made->owner = owner;
    *file = made;
    return PERP_SOLVED;
}

void *perp_problem_file_take(perp_problem_file *file, size_t count, size_t size)
{
    return file ? perp_heap_take(perp_problem_file_heap(file), count, size) : NULL;
}

void perp_problem_file_destroy(perp_problem_file *file)
{
    if (!file)
        return;
    perp_problem_file_owner *owner = perp_problem_file_owner_of(file);
    perp_mass_destroy(owner->mass);
    /* The heap holds the problem file and the owner too. */
    perp_heap heap = owner->heap;
    perp_heap_free(&heap);
}
