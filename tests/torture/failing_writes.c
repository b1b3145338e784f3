/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into the command: counts what it does to regular files, and does something else at the
 * moment that PERP_TORTURE names, "MOMENT ACTION NUMBER":
 *     fail N    the call fails with errno N
 *     full N    and so does every later one that writes, creates or syncs
 *     half N    half of a write is done, then signal N
 *     raise N   signal N, then the call goes on
 * PERP_TORTURE_LOG: a file that gets one line "KIND PATH" per moment.  Streams are replaced by our
 * own, since the C library writes its own without a call that others see. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STREAMS = 64, LINE = 4600 };

typedef enum action { NOTHING, FAIL, FULL, HALF, RAISE } action;

static struct {
    int active, number, log;
    long moment, passed;
    action action;
    struct {
        FILE *stream;
        int fd;
    } stream[STREAMS];
} state = {.log = -1};

#define NEXT(type, name) ((type)(uintptr_t)dlsym(RTLD_NEXT, name))

__attribute__((constructor)) static void begin(void)
{
    static const char *const words[] = {"-", "fail", "full", "half", "raise"};
    const char *what = getenv("PERP_TORTURE"), *log = getenv("PERP_TORTURE_LOG");
    char word[16] = "";
    /* Not the shell that starts the command, and none of its children. */
    if (strstr(program_invocation_short_name, "perp") == NULL)
        return;
    state.active = 1;
    if (what != NULL && sscanf(what, "%ld %15s %d", &state.moment, word, &state.number) == 3)
        for (int k = FAIL; k <= RAISE; k++)
            if (strcmp(word, words[k]) == 0)
                state.action = (action)k;
    if (log != NULL)
        state.log = (int)syscall(SYS_openat, AT_FDCWD, log,
                                 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    unsetenv("LD_PRELOAD");
    unsetenv("PERP_TORTURE");
    unsetenv("PERP_TORTURE_LOG");
}

static const char *path_of(int fd)
{
    static _Thread_local char path[4200];
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

/* What a build with --enable-coverage counts at exit is not the command's. */
static int is_count(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".gcda") == 0;
}

static int is_file(int fd)
{
    struct stat st;
    return state.active && fd > STDERR_FILENO && fd != state.log && fstat(fd, &st) == 0 &&
           S_ISREG(st.st_mode) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY &&
           !is_count(path_of(fd));
}

/* A moment.  1: the call is to fail, with errno. */
static int pass(const char *kind, const char *path)
{
    if (!state.active)
        return 0;
    long now = ++state.passed;
    if (state.log >= 0) {
        char line[LINE];
        int length = snprintf(line, sizeof line, "%s %s\n", kind, path);
        syscall(SYS_write, state.log, line, length);
    }
    if (state.action == RAISE && now == state.moment)
        raise(state.number);
    if (state.action == HALF && now == state.moment && strcmp(kind, "write") != 0)
        raise(state.number);
    if ((state.action == FAIL && now == state.moment) ||
        (state.action == FULL && now >= state.moment && strcmp(kind, "close") != 0)) {
        errno = state.number;
        return 1;
    }
    return 0;
}

/* Half of this write is to be done before the signal. */
static int is_half(void)
{
    return state.action == HALF && state.passed == state.moment;
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    if (is_file(fd)) {
        if (pass("write", path_of(fd)))
            return -1;
        if (is_half()) {
            syscall(SYS_write, fd, data, bytes / 2);
            raise(state.number);
            return (ssize_t)(bytes / 2);
        }
    }
    return syscall(SYS_write, fd, data, bytes);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
    if (is_file(fd)) {
        if (pass("write", path_of(fd)))
            return -1;
        if (is_half()) {
            syscall(SYS_pwrite64, fd, data, bytes / 2, at);
            raise(state.number);
            return (ssize_t)(bytes / 2);
        }
    }
    return syscall(SYS_pwrite64, fd, data, bytes, at);
}

int ftruncate(int fd, off_t length)
{
    if (is_file(fd) && pass("truncate", path_of(fd)))
        return -1;
    return (int)syscall(SYS_ftruncate, fd, length);
}

int fsync(int fd)
{
    if (is_file(fd) && pass("sync", path_of(fd)))
        return -1;
    return (int)syscall(SYS_fsync, fd);
}

int close(int fd)
{
    int bad = is_file(fd) && pass("close", path_of(fd));
    int kept = errno, how = (int)syscall(SYS_close, fd);
    if (bad)
        errno = kept;
    return bad ? -1 : how;
}

int rename(const char *from, const char *to)
{
    return pass("rename", to) ? -1 : NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    struct stat st;
    if (stat(path, &st) != 0 && pass("mkdir", path))
        return -1;
    return NEXT(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

/* Regular files that are made or opened to be written; devices and folders are left alone. */
static int is_output(const char *path, int flags)
{
    struct stat st;
    return (flags & O_ACCMODE) != O_RDONLY && (stat(path, &st) != 0 || S_ISREG(st.st_mode)) &&
           !is_count(path);
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (is_output(path, flags) && pass("open", path))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static ssize_t stream_read(void *cookie, char *data, size_t bytes)
{
    return syscall(SYS_read, (int)(intptr_t)cookie, data, bytes);
}

static ssize_t stream_write(void *cookie, const char *data, size_t bytes)
{
    ssize_t done = write((int)(intptr_t)cookie, data, bytes);
    return done > 0 ? done : 0;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
    off64_t at = lseek64((int)(intptr_t)cookie, *offset, whence);
    *offset = at;
    return at < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
    int fd = (int)(intptr_t)cookie;
    for (int k = 0; k < STREAMS; k++)
        if (state.stream[k].stream != NULL && state.stream[k].fd == fd)
            state.stream[k].stream = NULL;
    return close(fd);
}

static FILE *stream_on(int fd, const char *mode)
{
    static const cookie_io_functions_t functions = {stream_read, stream_write, stream_seek,
                                                    stream_close};
    FILE *stream = fopencookie((void *)(intptr_t)fd, mode, functions);
    for (int k = 0; k < STREAMS && stream != NULL; k++) {
        if (state.stream[k].stream != NULL)
            continue;
        state.stream[k].stream = stream;
        state.stream[k].fd = fd;
        return stream;
    }
    abort();
}

FILE *fdopen(int fd, const char *mode)
{
    return is_file(fd) ? stream_on(fd, mode)
                       : NEXT(FILE * (*)(int, const char *), "fdopen")(fd, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    int flags = strchr(mode, '+') ? O_RDWR : O_WRONLY;
    flags |= mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    if (!state.active || (mode[0] == 'r' && strchr(mode, '+') == NULL) || !is_output(path, flags))
        return NEXT(FILE * (*)(const char *, const char *), "fopen")(path, mode);
    int fd = open(path, flags, 0666);
    return fd < 0 ? NULL : stream_on(fd, mode);
}

int fileno(FILE *stream)
{
    for (int k = 0; k < STREAMS; k++)
        if (stream != NULL && state.stream[k].stream == stream)
            return state.stream[k].fd;
    return NEXT(int (*)(FILE *), "fileno")(stream);
}
