/* SPDX-License-Identifier: BSD-3-Clause */
/* malloc and its kin in place of the C library's: counted, and failing on
 * demand, so that the libraries below Perp are seen too.  glibc only, and not
 * in builds whose sanitizer brings its own malloc. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *block);

static _Thread_local int watching;
static _Thread_local counter seen_here;

/* 1 when this allocation has to fail. */
static int refuse(void)
{
    if (!watching)
        return 0;
    seen_here.allocations++;
    return counter_fails(&seen_here);
}

static void *counted(void *block)
{
    if (watching && block)
        seen_here.live++;
    return block;
}

void *malloc(size_t bytes)
{
    return refuse() ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return refuse() ? NULL : counted(__libc_calloc(count, bytes));
}

void *realloc(void *block, size_t bytes)
{
    if (refuse())
        return NULL;
    void *moved = __libc_realloc(block, bytes);
    if (watching && moved && !block)
        seen_here.live++;
    return moved;
}

void *memalign(size_t alignment, size_t bytes)
{
    return refuse() ? NULL : counted(__libc_memalign(alignment, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    void *made = memalign(alignment, bytes);
    if (made)
        *block = made;
    return made ? 0 : ENOMEM;
}

void free(void *block)
{
    if (watching && block)
        seen_here.live--;
    __libc_free(block);
}

int malloc_is_seen(void)
{
    return 1;
}

void malloc_watch_start(long fail_at, int once)
{
    seen_here = (counter){0, 0, fail_at, once};
    watching = 1;
}

void malloc_watch_stop(counter *seen)
{
    watching = 0;
    *seen = seen_here;
}

#else

int malloc_is_seen(void)
{
    return 0;
}

void malloc_watch_start(long fail_at, int once)
{
    (void)fail_at;
    (void)once;
}

void malloc_watch_stop(counter *seen)
{
    memset(seen, 0, sizeof *seen);
}

#endif
