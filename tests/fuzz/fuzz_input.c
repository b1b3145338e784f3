/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *file_in_memory(int *fd, char *name, size_t length)
{
    if (*fd < 0) {
        *fd = memfd_create("perp-fuzz", MFD_CLOEXEC);
        snprintf(name, length, "/proc/self/fd/%d", *fd);
    }
    if (*fd < 0 || ftruncate(*fd, 0) != 0 || lseek(*fd, 0, SEEK_SET) != 0) {
        perror("memfd");
        exit(99);
    }
    return name;
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char name[64];
    file_in_memory(&fd, name, sizeof name);
    for (size_t done = 0; done < size;) {
        ssize_t now = write(fd, data + done, size - done);
        if (now <= 0) {
            perror("memfd");
            exit(99);
        }
        done += (size_t)now;
    }
    return name;
}

const char *fuzz_folder(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

const char *fuzz_output(void)
{
    static char name[64];
    if (name[0] == '\0')
        snprintf(name, sizeof name, "%s/perp-fuzz-%ld.out", fuzz_folder(), (long)getpid());
    return name;
}

static struct {
    size_t left;
} budget;

/* A head keeps the size, so that it counts again once it is given back. */
static void *take(void *ctx, size_t bytes)
{
    size_t *head;
    (void)ctx;
    if (bytes > budget.left || (head = malloc(bytes + 16)) == NULL)
        return NULL;
    budget.left -= bytes;
    head[0] = bytes;
    return (char *)head + 16;
}

static void give(void *ctx, void *block)
{
    (void)ctx;
    if (block == NULL)
        return;
    size_t *head = (size_t *)((char *)block - 16);
    budget.left += head[0];
    free(head);
}

const perp_allocator *fuzz_allocator(size_t most)
{
    static const perp_allocator allocator = {take, give, NULL};
    budget.left = most;
    return &allocator;
}

void fuzz_broken(const char *promise, const char *file, int line)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    abort();
}
