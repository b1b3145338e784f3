/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is used again: blocks go back to a free list of their size class, so a
 * simulation whose contacts come and go stops allocating at its high-water mark. */
#ifndef PERP_KERNEL_POOL_H
#define PERP_KERNEL_POOL_H

#include <perp/base.h>

enum { PERP_POOL_CLASSES = 64 };

typedef struct perp_pool {
    perp_allocator allocator;
    struct perp_pool_block *free[PERP_POOL_CLASSES];
    struct perp_pool_block *all; /* every block ever taken from the allocator */
    long allocations;            /* calls of the allocator so far */
    size_t taken;                /* bytes of blocks that are not free */
    int failed;                  /* a take since it was last cleared returned NULL */
    unsigned long steps;         /* of its simulation that were begun: age of what is kept */
} perp_pool;

void perp_pool_init(perp_pool *pool, const perp_allocator *allocator);
/* At least bytes, aligned to 64, zeroed; NULL sets pool->failed. */
void *perp_pool_take(perp_pool *pool, size_t bytes);
/* count * size with the overflow looked at. */
void *perp_pool_take_array(perp_pool *pool, size_t count, size_t size);
void perp_pool_give(perp_pool *pool, void *block); /* NULL is accepted */
void perp_pool_free(perp_pool *pool);              /* everything */
/* The pool as an allocator for numerics; holds while the pool stays where it is. */
perp_allocator perp_pool_allocator(perp_pool *pool);

/* *array gets space for count entries of size bytes, doubling and keeping the first
 * *capacity of them; 0 when memory is out (then *array is as before). */
int perp_pool_grow(perp_pool *pool, void **array, int *capacity, int count, size_t size);
#define PERP_POOL_ARRAY(pool, type, count)                                                         \
    ((type *)perp_pool_take_array((pool), (size_t)(count), sizeof(type)))

#endif
