/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/scene_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void *from_malloc(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes);
}

static void to_free(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

perp_allocator perp_scene_memory(const perp_allocator *allocator)
{
    perp_allocator plain = {from_malloc, to_free, NULL};

    return allocator != NULL ? *allocator : plain;
}

void *perp_scene_zeroed(const perp_allocator *memory, size_t count, size_t size)
{
    size_t each = size > 0 ? size : 1, bytes = (count > 0 ? count : 1) * each;
    void *block;

    block = count > SIZE_MAX / each ? NULL : memory->allocate(memory->ctx, bytes);
    if (block != NULL)
        return memset(block, 0, bytes);
    errno = ENOMEM;
    return NULL;
}

void perp_scene_release(const perp_allocator *memory, void *block)
{
    memory->release(memory->ctx, block);
}
