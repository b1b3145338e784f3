/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PERP_NAMES_TRIED = 100, PERP_SUFFIX = 40 };

static perp_status failed(perp_atomic_file *file, const char *what)
{
    return perp_io_fail(file->error, PERP_ERR_OPEN, file->path, 0, "%s", what);
}

/* The same with what errno says. */
static perp_status failed_why(perp_atomic_file *file, const char *what)
{
    char text[PERP_IO_REASON];
    int kept = errno;
    perp_status status = failed(file, perp_io_reason(text, what));
    errno = kept;
    return status;
}

static char *copy(perp_heap *heap, const char *text, size_t size)
{
    size_t length = strlen(text);
    char *made = PERP_HEAP_TAKE(heap, char, length + 1 + size);
    if (made)
        memcpy(made, text, length + 1);
    return made;
}

/* Seconds after which an unfinished file of a process that is gone has no other writer: one of
 * another machine would still be at work. */
static const double abandoned = 3600.0;

/* 1: it is `base`.PID.K.tmp, and /proc knows no such process. */
static int is_left(const char *name, const char *base)
{
    char process[40];
    size_t length = strlen(base);
    long pid;
    int k, end = 0;
    if (strncmp(name, base, length) != 0 || name[length] != '.')
        return 0;
    if (sscanf(name + length, ".%ld.%d.tmp%n", &pid, &k, &end) != 2 || end == 0 ||
        name[length + (size_t)end] != '\0' || pid <= 0)
        return 0;
    snprintf(process, sizeof process, "/proc/%ld", pid);
    return access("/proc/self", F_OK) == 0 && access(process, F_OK) != 0;
}

/* Removes what processes that were killed have left beside `place`. */
static void remove_left(const char *place)
{
    char name[4096];
    const char *slash = strrchr(place, '/'), *base = slash ? slash + 1 : place;
    int length = slash ? (int)(slash - place) + 1 : 0, kept = errno;
    struct dirent *entry;
    struct stat st;
    if ((size_t)length + 2 >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s.", length, place);
    DIR *folder = opendir(name);
    while (folder && (entry = readdir(folder)) != NULL) {
        if (!is_left(entry->d_name, base))
            continue;
        int used = snprintf(name, sizeof name, "%.*s%s", length, place, entry->d_name);
        if (used < (int)sizeof name && lstat(name, &st) == 0 && S_ISREG(st.st_mode) &&
            difftime(time(NULL), st.st_mtime) > abandoned)
            unlink(name);
    }
    if (folder)
        closedir(folder);
    errno = kept;
}

/* A name beside `place` that nobody had; keeps the mode of a file replaced. */
static perp_status create_beside(perp_atomic_file *file, const struct stat *old, perp_heap *heap)
{
    size_t length = strlen(file->place);
    char *name = copy(heap, file->place, PERP_SUFFIX);
    remove_left(file->place);
    if (!name)
        return perp_io_fail(file->error, PERP_ERR_MEMORY, file->path, 0, "no memory");
    for (int k = 0; k < PERP_NAMES_TRIED; k++) {
        snprintf(name + length, PERP_SUFFIX, ".%ld.%d.tmp", (long)getpid(), k);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            break;
        if (old && fchmod(fd, old->st_mode & 0777) != 0) {
            /* The file is ours all the same; only its mode stays the default. */
        }
        if (close(fd) != 0) {
            unlink(name);
            break;
        }
        file->target = name;
        return PERP_SOLVED;
    }
    return failed_why(file, "cannot be created");
}

perp_status perp_atomic_begin(perp_atomic_file *file, const char *path, perp_heap *heap,
                              perp_io_error *error)
{
    struct stat st;
    *file = (perp_atomic_file){.path = path, .place = path, .error = error};
    int exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return failed(file, "is a directory");
    if (exists && !S_ISREG(st.st_mode)) {
        file->target = path;
        return PERP_SOLVED;
    }
    char *real = exists ? realpath(path, NULL) : NULL;
    if (real) {
        file->place = copy(heap, real, 0);
        free(real);
        if (!file->place)
            return perp_io_fail(error, PERP_ERR_MEMORY, path, 0, "no memory");
    }
    return create_beside(file, exists ? &st : NULL, heap);
}

static int sync_file(const char *name, int flags)
{
    int fd = open(name, flags | O_CLOEXEC);
    if (fd < 0)
        return 0;
    int done = fsync(fd) == 0;
    return close(fd) == 0 && done;
}

/* The new name is durable once its folder is; a folder that cannot be synced
 * is no fault of the file. */
static void sync_folder(const char *target)
{
    char folder[4096];
    const char *slash = strrchr(target, '/');
    int length = slash ? (int)(slash - target) : 0;
    snprintf(folder, sizeof folder, "%.*s", length, target);
    sync_file(slash ? (length ? folder : "/") : ".", O_RDONLY | O_DIRECTORY);
}

/* Synced and renamed, or removed: NULL, or what went wrong, with errno. */
static const char *put(const char *written, const char *place)
{
    const char *wrong = NULL;
    if (!sync_file(written, O_WRONLY))
        wrong = "cannot be written to the disk";
    else if (rename(written, place) != 0)
        wrong = "cannot be put in its place";
    if (wrong) {
        int kept = errno;
        unlink(written);
        errno = kept;
    } else {
        sync_folder(place);
    }
    return wrong;
}

perp_status perp_atomic_end(perp_atomic_file *file, perp_status status)
{
    if (!file->target || file->target == file->path)
        return status;
    if (status) {
        unlink(file->target);
    } else {
        const char *wrong = put(file->target, file->place);
        status = wrong ? failed_why(file, wrong) : PERP_SOLVED;
    }
    file->target = NULL;
    return status;
}

perp_status perp_file_publish(const char *written, const char *path, perp_io_error *error)
{
    if (!written || !path)
        return PERP_ERR_ARGUMENT;
    const char *wrong = put(written, path);
    return wrong ? perp_io_fail(error, PERP_ERR_OPEN, path, 0, "%s", wrong) : PERP_SOLVED;
}
