/* SPDX-License-Identifier: BSD-3-Clause */
/* Of a library that is preloaded into the command: which call of Perp's is to fail.  A place is one
 * chain of calls: it counts when it is come to first, and the one that a variable of the
 * environment counts to fails, once.  PERP_FAIL_REACHED: a file that is made when it failed, with
 * the way to it.  PERP_FAIL_OBJECT: calls from the program or library with this in its name alone.
 * glibc only.  To be included once, after _GNU_SOURCE. */
#ifndef PERP_TORTURE_FAILING_PLACE_H
#define PERP_TORTURE_FAILING_PLACE_H

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The call that fails is the fourth: place_is_it(), place_fails(), what stands for it, the caller.
 */
enum { PLACES = 1 << 14, OURS = 3, CALLS = 4, DEEPEST = 100 };

static struct {
    int active;
    long fail_at, seen;
    const char *reached, *object;
    uint64_t place[PLACES]; /* 0: none */
} state;
static _Thread_local int busy; /* backtrace() and dladdr() may allocate and open */

static void place_begin(const char *variable)
{
    const char *at = getenv(variable);
    if (at == NULL || strstr(program_invocation_short_name, "perp") == NULL)
        return;
    state.fail_at = atol(at);
    state.reached = getenv("PERP_FAIL_REACHED");
    state.object = getenv("PERP_FAIL_OBJECT");
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

/* The same of the object that is looked for, remembered: dladdr() goes through all symbols. */
static int is_ours(const void *call)
{
    enum { KNOWN = 1 << 12 };
    static struct {
        const void *call;
        int ours;
    } known[KNOWN];
    size_t at = (uintptr_t)call % KNOWN;
    if (known[at].call != call) {
        known[at].ours = lies_in(call, state.object != NULL ? state.object : "perp");
        known[at].call = call;
    }
    return known[at].ours;
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

static __attribute__((noinline)) int place_is_it(void)
{
    void *call[DEEPEST];
    uint64_t place = 14695981039346656037u;
    int count = backtrace(call, OURS + 1);
    if (count <= OURS || !is_ours(call[OURS]))
        return 0;
    count = backtrace(call, DEEPEST);
    for (int k = OURS; k < count && k < OURS + CALLS; k++)
        place = (place ^ (uintptr_t)call[k]) * 1099511628211u;
    if (!is_new(place) || at_the_end(call, count) || ++state.seen != state.fail_at)
        return 0;
    if (state.reached != NULL) {
        int fd =
            (int)syscall(SYS_openat, AT_FDCWD, state.reached, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        backtrace_symbols_fd(call + OURS - 1, count - OURS + 1, fd);
        syscall(SYS_close, fd);
    }
    return 1;
}

/* 1 when this call has to fail. */
static __attribute__((noinline)) int place_fails(void)
{
    if (!state.active || busy || state.seen >= state.fail_at)
        return 0;
    busy = 1;
    int fails = place_is_it();
    busy = 0;
    return fails;
}

#endif
