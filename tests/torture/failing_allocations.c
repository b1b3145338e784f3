/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the command: the allocation of Perp that PERP_FAIL_PLACE counts to fails, once. */
#define _GNU_SOURCE
#include "tests/torture/failing_place.h"

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);

__attribute__((constructor)) static void begin(void)
{
    place_begin("PERP_FAIL_PLACE");
}

/* 1 when this allocation has to fail; part of what stands for it, as place_fails() counts calls. */
static inline __attribute__((always_inline)) int refuse(void)
{
    if (!place_fails())
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return refuse() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refuse() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return refuse() ? NULL : __libc_realloc(block, bytes);
}
