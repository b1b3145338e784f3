/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the command: the allocation of Perp that PERP_FAIL_PLACE counts to fails, once.  A
 * place is one chain of calls that asks for memory: it counts when it is come to first.
 * PERP_FAIL_REACHED: a file that is made when it failed.  glibc only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACES = 1 << 14, OURS = 3, CALLS = 4, DEEPEST = 100 };

static struct {
    int active;
    long fail_at, seen;
    const char *reached;
    uint64_t place[PLACES]; /* 0: none */
} state;
static _Thread_local int busy; /* backtrace() and dladdr() may allocate */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("PERP_FAIL_PLACE");
    if (at == NULL || strstr(program_invocation_short_name, "perp") == NULL)
        return;
    state.fail_at = atol(at);
    state.reached = getenv("PERP_FAIL_REACHED");
    state.active = 1;
    unsetenv("LD_PRELOAD"); /* not for its children */
}

/* 1 where the object that holds the call has this in its name. */
static int lies_in(const void *call, const char *object)
{
    Dl_info info;
    const char *name;
    if (dladdr(call, &info) == 0 || info.dli_fname == NULL)
        return 0;
    name = strrchr(info.dli_fname, '/');
    return strstr(name != NULL ? name : info.dli_fname, object) != NULL;
}

/* 1 where the loader unloads the command: gcov writes what it counted. */
static int at_the_end(void *const *call, int count)
{
    for (int k = OURS; k < count; k++)
        if (lies_in(call[k], "ld-linux"))
            return 1;
    return 0;
}

static int is_new(uint64_t place)
{
    size_t at = (size_t)(place >> 40) % PLACES;
    while (state.place[at] != 0 && state.place[at] != place)
        at = (at + 1) % PLACES;
    if (state.place[at] == place)
        return 0;
    state.place[at] = place;
    return 1;
}

static __attribute__((noinline)) int looked_at(void)
{
    void *call[DEEPEST];
    uint64_t place = 14695981039346656037u;
    int count = backtrace(call, DEEPEST);
    if (count <= OURS || !lies_in(call[OURS], "perp") || at_the_end(call, count))
        return 0;
    for (int k = OURS; k < count && k < OURS + CALLS; k++)
        place = (place ^ (uintptr_t)call[k]) * 1099511628211u;
    if (!is_new(place) || ++state.seen != state.fail_at)
        return 0;
    if (state.reached != NULL)
        close(open(state.reached, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    return 1;
}

/* 1 when this allocation has to fail. */
static __attribute__((noinline)) int refuse(void)
{
    if (!state.active || busy || state.seen >= state.fail_at)
        return 0;
    busy = 1;
    int fails = looked_at();
    busy = 0;
    if (fails)
        errno = ENOMEM;
    return fails;
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
