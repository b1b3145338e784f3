/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/systems/pool.h"

#include <string.h>

#include "numerics/core/allocator.h"

/* Small blocks of one class share a slab of about this size. */
enum { ALIGNMENT = 64, SLAB = 8192 };

/* Head of a slab, in the list of all, and of a block, ALIGNMENT bytes before what was taken:
 * in the list of its class while it is free. */
struct perp_pool_block {
    struct perp_pool_block *next;
    int size_class;
};

_Static_assert(sizeof(struct perp_pool_block) <= ALIGNMENT, "a head fits before its block");

void perp_pool_init(perp_pool *pool, const perp_allocator *allocator)
{
    memset(pool, 0, sizeof *pool);
    pool->allocator = perp_allocator_or_malloc(allocator);
}

/* Multiples of 64: 128, 192, ..., 512, then four classes for each doubling to 2048, from there on
 * two for each. */
static const int small[] = {128, 192, 256,  320,  384,  448,  512, 640,
                            768, 896, 1024, 1280, 1536, 1792, 2048};
enum { SMALL = sizeof small / sizeof small[0], LARGEST_SMALL = 2048 };

static size_t class_bytes(int size_class)
{
    if (size_class < SMALL)
        return (size_t)small[size_class];
    int k = size_class - SMALL + 1;
    size_t bytes = (size_t)LARGEST_SMALL << k / 2;
    return k % 2 ? bytes + bytes / 2 : bytes;
}

static int class_of(size_t bytes)
{
    int k = bytes > LARGEST_SMALL ? SMALL : 0;
    while (k < PERP_POOL_CLASSES && class_bytes(k) < bytes)
        k++;
    return k;
}

/* Takes a slab from the allocator and puts its blocks on the list of the class. */
static int refill(perp_pool *pool, int size_class)
{
    size_t stride = class_bytes(size_class) + ALIGNMENT;
    size_t count = stride < SLAB ? SLAB / stride : 1;
    size_t extra = sizeof(struct perp_pool_block) + ALIGNMENT;
    if (stride > (SIZE_MAX - extra) / count)
        return 0;
    struct perp_pool_block *slab =
        pool->allocator.allocate(pool->allocator.ctx, count * stride + extra);
    if (!slab)
        return 0;
    pool->allocations++;
    slab->next = pool->all;
    slab->size_class = size_class;
    pool->all = slab;
    uintptr_t base = ((uintptr_t)(slab + 1) + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    for (size_t k = count; k-- > 0;) {
        struct perp_pool_block *block = (struct perp_pool_block *)(base + k * stride);
        block->next = pool->free[size_class];
        block->size_class = size_class;
        pool->free[size_class] = block;
    }
    return 1;
}

static void *take(perp_pool *pool, size_t bytes)
{
    int size_class = class_of(bytes);
    if (size_class == PERP_POOL_CLASSES || (!pool->free[size_class] && !refill(pool, size_class))) {
        pool->failed = 1;
        return NULL;
    }
    struct perp_pool_block *block = pool->free[size_class];
    pool->free[size_class] = block->next;
    pool->taken += class_bytes(size_class) + ALIGNMENT;
    return (char *)block + ALIGNMENT;
}

void *perp_pool_take(perp_pool *pool, size_t bytes)
{
    void *block = take(pool, bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

void *perp_pool_take_array(perp_pool *pool, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) {
        pool->failed = 1;
        return NULL;
    }
    return perp_pool_take(pool, count * size);
}

void perp_pool_give(perp_pool *pool, void *block)
{
    if (!block)
        return;
    struct perp_pool_block *head = (struct perp_pool_block *)((char *)block - ALIGNMENT);
    head->next = pool->free[head->size_class];
    pool->free[head->size_class] = head;
    pool->taken -= class_bytes(head->size_class) + ALIGNMENT;
}

/* A block that has a slab to itself goes back to the allocator: arrays that grow would otherwise
 * keep as much again in smaller ones. */
static void give_back(perp_pool *pool, void *block)
{
    struct perp_pool_block *head =
        block ? (struct perp_pool_block *)((char *)block - ALIGNMENT) : NULL;
    struct perp_pool_block **at = &pool->all;
    if (!head || class_bytes(head->size_class) + ALIGNMENT <= SLAB / 2) {
        perp_pool_give(pool, block);
        return;
    }
    while (*at && (uintptr_t)head - (uintptr_t)*at > sizeof **at + ALIGNMENT)
        at = &(*at)->next;
    struct perp_pool_block *slab = *at;
    if (!slab) {
        perp_pool_give(pool, block);
        return;
    }
    *at = slab->next;
    pool->allocator.release(pool->allocator.ctx, slab);
}

void perp_pool_free(perp_pool *pool)
{
    while (pool->all) {
        struct perp_pool_block *next = pool->all->next;
        pool->allocator.release(pool->allocator.ctx, pool->all);
        pool->all = next;
    }
    memset(pool->free, 0, sizeof pool->free);
    pool->taken = 0;
}

static void *pool_allocate(void *ctx, size_t bytes)
{
    return take(ctx, bytes);
}

static void pool_release(void *ctx, void *block)
{
    perp_pool_give(ctx, block);
}

perp_allocator perp_pool_allocator(perp_pool *pool)
{
    perp_allocator allocator = {pool_allocate, pool_release, pool};
    return allocator;
}

int perp_pool_grow(perp_pool *pool, void **array, int *capacity, int count, size_t size)
{
    if (count <= *capacity)
        return 1;
    int wanted = *capacity > INT32_MAX / 2 ? INT32_MAX : 2 * *capacity;
    if (wanted < count)
        wanted = count;
    void *wider = perp_pool_take_array(pool, (size_t)wanted, size);
    if (!wider)
        return 0;
    if (*capacity > 0)
        memcpy(wider, *array, (size_t)*capacity * size);
    give_back(pool, *array);
    *array = wider;
    *capacity = wanted;
    return 1;
}
