/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks in a list, zeroed; rand() of our own, so that the program's generator is left
 * alone and the same program gives the same bits.  exit() ends the call. */
#include "lp/object/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t bytes);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);
int __wrap_rand(void);
void __wrap_srand(unsigned seed);
void __wrap_exit(int status) __attribute__((noreturn));

typedef struct head {
    struct head *before, *after;
    size_t bytes;
    size_t align; /* 32 bytes in all */
} head;

static head *blocks;
static jmp_buf *landing;
static uint32_t random_state;

void perp_lp_memory_begin(jmp_buf *at)
{
    landing = at;
    random_state = 1;
}

void perp_lp_memory_end(void)
{
    landing = NULL;
    while (blocks)
        __wrap_free(blocks + 1);
}

static void *fail(void)
{
    if (landing)
        longjmp(*landing, 1);
    return NULL;
}

void *__wrap_malloc(size_t bytes)
{
    head *block = bytes <= SIZE_MAX - sizeof(head) ? __real_malloc(bytes + sizeof(head)) : NULL;
    if (!block)
        return fail();
    memset(block, 0, bytes + sizeof(head));
    block->bytes = bytes;
    block->after = blocks;
    if (blocks)
        blocks->before = block;
    blocks = block;
    return block + 1;
}

void __wrap_free(void *p)
{
    head *block = p ? (head *)p - 1 : NULL;
    if (!block)
        return;
    if (block->before)
        block->before->after = block->after;
    else
        blocks = block->after;
    if (block->after)
        block->after->before = block->before;
    __real_free(block);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return size > 0 && count > SIZE_MAX / size ? fail() : __wrap_malloc(count * size);
}

void *__wrap_realloc(void *p, size_t bytes)
{
    void *moved = __wrap_malloc(bytes);
    if (p && moved) {
        size_t held = ((head *)p - 1)->bytes;
        memcpy(moved, p, held < bytes ? held : bytes);
        __wrap_free(p);
    }
    return moved;
}

char *__wrap_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = __wrap_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

int __wrap_rand(void)
{
    random_state = random_state * 1103515245u + 12345u;
    return (int)((random_state >> 1) % ((unsigned)RAND_MAX + 1u));
}

void __wrap_srand(unsigned seed)
{
    (void)seed;
}

void __wrap_exit(int status)
{
    if (landing)
        longjmp(*landing, 2);
    _Exit(status);
}
