/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the command: the call of the system by Perp that PERP_FAIL_CALL counts to fails,
 * once. PERP_FAIL_HOW "signal": it was cut by a signal (EINTR), and only calls that wait count;
 * otherwise there is no process, no descriptor or no memory, or the device has failed. */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/torture/failing_place.h"

static int by_signal;

__attribute__((constructor)) static void begin(void)
{
    const char *how = getenv("PERP_FAIL_HOW");
    place_begin("PERP_FAIL_CALL");
    by_signal = how != NULL && strcmp(how, "signal") == 0;
}

/* What a build with --enable-coverage counts is not the command's. */
static int is_count(int fd)
{
    char link[64], path[4200];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path);
    return length > 5 && strncmp(path + length - 5, ".gcda", 5) == 0;
}

/* Of a library behind this one. */
#define NEXT(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))
#define REFUSES(number) (!by_signal && place_fails() ? (errno = (number), 1) : 0)
#define REFUSES_OF(fd, number)                                                                     \
    (!by_signal && !is_count(fd) && place_fails() ? (errno = (number), 1) : 0)
/* Calls that wait. */
#define IS_CUT(number) (place_fails() ? (errno = by_signal ? EINTR : (number), 1) : 0)
#define IS_CUT_OF(fd, number)                                                                      \
    (!is_count(fd) && place_fails() ? (errno = by_signal ? EINTR : (number), 1) : 0)

int pipe(int fd[2])
{
    return REFUSES(EMFILE) ? -1 : NEXT(pipe)(fd);
}

int pipe2(int fd[2], int flags)
{
    return REFUSES(EMFILE) ? -1 : NEXT(pipe2)(fd, flags);
}

pid_t fork(void)
{
    return REFUSES(EAGAIN) ? -1 : NEXT(fork)();
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    return REFUSES(EAGAIN) ? EAGAIN
                           : NEXT(posix_spawnp)(pid, file, actions, attributes, argv, envp);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    return IS_CUT(ECHILD) ? -1 : NEXT(waitpid)(pid, status, options);
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    return IS_CUT(ECHILD) ? -1 : NEXT(wait4)(pid, status, options, usage);
}

int poll(struct pollfd *list, nfds_t count, int wait)
{
    return IS_CUT(ENOMEM) ? -1 : NEXT(poll)(list, count, wait);
}

ssize_t read(int fd, void *data, size_t bytes)
{
    return IS_CUT_OF(fd, EIO) ? -1 : NEXT(read)(fd, data, bytes);
}

ssize_t pread(int fd, void *data, size_t bytes, off_t at)
{
    return REFUSES_OF(fd, EIO) ? -1 : NEXT(pread)(fd, data, bytes, at);
}

int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    return IS_CUT(EMFILE) ? -1 : NEXT(accept)(fd, address, length);
}

ssize_t recv(int fd, void *data, size_t bytes, int flags)
{
    return IS_CUT(ECONNRESET) ? -1 : NEXT(recv)(fd, data, bytes, flags);
}

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
    return IS_CUT(ECONNRESET) ? -1 : NEXT(send)(fd, data, bytes, flags);
}

int socket(int domain, int type, int protocol)
{
    return REFUSES(EMFILE) ? -1 : NEXT(socket)(domain, type, protocol);
}

int socketpair(int domain, int type, int protocol, int fd[2])
{
    return REFUSES(EMFILE) ? -1 : NEXT(socketpair)(domain, type, protocol, fd);
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
    return REFUSES(EADDRINUSE) ? -1 : NEXT(bind)(fd, address, length);
}

int listen(int fd, int backlog)
{
    return REFUSES(EADDRINUSE) ? -1 : NEXT(listen)(fd, backlog);
}

int getsockname(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    return REFUSES(ENOBUFS) ? -1 : NEXT(getsockname)(fd, address, length);
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
    return REFUSES(ENOBUFS) ? -1 : NEXT(setsockopt)(fd, level, option, value, length);
}

int getentropy(void *data, size_t bytes)
{
    return REFUSES(ENOSYS) ? -1 : NEXT(getentropy)(data, bytes);
}

int fcntl(int fd, int what, ...)
{
    va_list rest;
    va_start(rest, what);
    void *argument = va_arg(rest, void *); /* of any kind: on these machines in the same place */
    va_end(rest);
    return REFUSES_OF(fd, EMFILE) ? -1 : NEXT(fcntl)(fd, what, argument);
}

int fstat(int fd, struct stat *restrict st)
{
    return REFUSES_OF(fd, EIO) ? -1 : NEXT(fstat)(fd, st);
}

off_t lseek(int fd, off_t at, int whence)
{
    return REFUSES_OF(fd, EIO) ? -1 : NEXT(lseek)(fd, at, whence);
}

int flock(int fd, int what)
{
    return REFUSES(ENOLCK) ? -1 : NEXT(flock)(fd, what);
}

int mkstemp(char *name)
{
    return REFUSES(EMFILE) ? -1 : NEXT(mkstemp)(name);
}

char *mkdtemp(char *name)
{
    return REFUSES(ENOSPC) ? NULL : NEXT(mkdtemp)(name);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    return REFUSES(EINVAL) ? -1 : NEXT(sched_setaffinity)(pid, size, set);
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    return REFUSES(EINVAL) ? -1 : NEXT(sched_getaffinity)(pid, size, set);
}

int getrlimit(__rlimit_resource_t what, struct rlimit *limit)
{
    return REFUSES(EINVAL) ? -1 : NEXT(getrlimit)(what, limit);
}

int gethostname(char *name, size_t size)
{
    return REFUSES(ENAMETOOLONG) ? -1 : NEXT(gethostname)(name, size);
}

char *realpath(const char *restrict path, char *restrict whole)
{
    return REFUSES(EACCES) ? NULL : NEXT(realpath)(path, whole);
}

int dup(int fd)
{
    return REFUSES(EMFILE) ? -1 : NEXT(dup)(fd);
}

FILE *open_memstream(char **text, size_t *size)
{
    return REFUSES(ENOMEM) ? NULL : NEXT(open_memstream)(text, size);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return REFUSES(EMFILE) ? NULL : NEXT(fopen)(path, mode);
}

int fseeko(FILE *stream, off_t at, int whence)
{
    return REFUSES(EIO) ? -1 : NEXT(fseeko)(stream, at, whence);
}

off_t ftello(FILE *stream)
{
    return REFUSES(EIO) ? -1 : NEXT(ftello)(stream);
}

int fseek(FILE *stream, long at, int whence)
{
    return REFUSES(EIO) ? -1 : NEXT(fseek)(stream, at, whence);
}

long ftell(FILE *stream)
{
    return REFUSES(EIO) ? -1 : NEXT(ftell)(stream);
}

int open(const char *path, int flags, ...)
{
    size_t length = strlen(path);
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (length > 5 && strcmp(path + length - 5, ".gcda") == 0)
        return NEXT(open)(path, flags, mode);
    return REFUSES(EMFILE) ? -1 : NEXT(open)(path, flags, mode);
}

int fflush(FILE *stream)
{
    return stream != NULL && REFUSES(EIO) ? EOF : NEXT(fflush)(stream);
}

int ferror(FILE *stream)
{
    return REFUSES(EIO) ? 1 : NEXT(ferror)(stream);
}

int fclose(FILE *stream)
{
    int refused = REFUSES(EIO), kept = errno, how = NEXT(fclose)(stream);
    if (refused)
        errno = kept;
    return refused ? EOF : how;
}

int close(int fd)
{
    int refused = REFUSES_OF(fd, EIO), kept = errno, how = (int)syscall(SYS_close, fd);
    if (refused)
        errno = kept;
    return refused ? -1 : how;
}

int stat(const char *restrict path, struct stat *restrict st)
{
    return REFUSES(EACCES) ? -1 : NEXT(stat)(path, st);
}
