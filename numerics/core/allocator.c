/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/allocator.h"

#include <stdlib.h>

static void *malloc_allocate(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes);
}

static void malloc_release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

perp_allocator perp_allocator_or_malloc(const perp_allocator *allocator)
{
    perp_allocator plain = {malloc_allocate, malloc_release, NULL};
    return allocator ? *allocator : plain;
}
