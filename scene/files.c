/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perp/io.h>

perp_scene_path_text perp_scene_join(const char *dir, const char *name)
{
    perp_scene_path_text path;
    int length = snprintf(path.text, sizeof path.text, "%s/%s", dir, name);

    if (length < 0 || (size_t)length >= sizeof path.text)
        path.text[0] = '\0';
    return path;
}

static perp_scene_path_text part(const char *dir, const char *name)
{
    perp_scene_path_text path;
    int length = snprintf(path.text, sizeof path.text, "%s/%s.part", dir, name);

    if (length < 0 || (size_t)length >= sizeof path.text)
        path.text[0] = '\0';
    return path;
}

int perp_scene_make_folder(const char *dir)
{
    struct stat st;
    char *copy;

    if (dir[0] == '\0') {
        errno = ENOENT;
        return -1;
    }
    copy = strdup(dir);
    if (copy == NULL)
        return -1;
    for (char *at = copy + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            free(copy);
            return -1;
        }
        *at = '/';
    }
    free(copy);
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return -1;
    if (stat(dir, &st) != 0)
        return -1;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    return 0;
}

int perp_scene_is_free(const char *dir, const char *name)
{
    perp_scene_path_text place[2] = {perp_scene_join(dir, name), part(dir, name)};
    struct stat st;

    for (int k = 0; k < 2; k++) {
        if (lstat(place[k].text, &st) != 0 || !S_ISDIR(st.st_mode))
            continue;
        errno = EISDIR;
        return -1;
    }
    return 0;
}

FILE *perp_scene_open(const char *dir, const char *name)
{
    perp_scene_path_text path = part(dir, name);

    unlink(path.text);
    int fd = open(path.text, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && stream == NULL)
        close(fd);
    return stream;
}

FILE *perp_scene_reopen(const char *dir, const char *name)
{
    int fd = open(part(dir, name).text, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    FILE *stream = fd >= 0 ? fdopen(fd, "r+b") : NULL;

    if (fd >= 0 && stream == NULL)
        close(fd);
    return stream;
}

int perp_scene_lock_folder(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return fd;
    close(fd);
    errno = EWOULDBLOCK;
    return -1;
}

void perp_scene_unlock_folder(int lock)
{
    if (lock >= 0)
        close(lock);
}

int perp_scene_sync(FILE *stream)
{
    if (ferror(stream)) {
        errno = EIO; /* what was lost before is not found again */
        return -1;
    }
    return fflush(stream) != 0 || fsync(fileno(stream)) != 0 ? -1 : 0;
}

int perp_scene_publish(const char *dir, const char *name)
{
    return perp_file_publish(part(dir, name).text, perp_scene_join(dir, name).text, NULL) ==
                   PERP_SOLVED
               ? 0
               : -1;
}

/* Closes the stream, or removes what was written. */
static int close_whole(FILE *stream, const char *dir, const char *name)
{
    int bad = ferror(stream) != 0;

    if (fclose(stream) == 0 && !bad)
        return 0;
    int kept = errno != 0 ? errno : EIO;
    unlink(part(dir, name).text);
    errno = kept;
    return -1;
}

int perp_scene_close(FILE *stream, const char *dir, const char *name)
{
    return close_whole(stream, dir, name) == 0 ? perp_scene_publish(dir, name) : -1;
}

int perp_scene_close_growing(FILE *stream, int synced, const char *dir, const char *name)
{
    int bad = !synced && perp_scene_sync(stream) != 0, kept = errno;

    if (fclose(stream) != 0 && !bad) {
        bad = 1;
        kept = errno;
    }
    if (!bad && rename(part(dir, name).text, perp_scene_join(dir, name).text) == 0)
        return 0;
    errno = bad ? kept : errno;
    return -1;
}

int perp_scene_keep(FILE *stream, const char *dir, const char *name)
{
    perp_scene_path_text written = part(dir, name);

    if (close_whole(stream, dir, name) != 0)
        return -1;
    if (rename(written.text, perp_scene_join(dir, name).text) == 0)
        return 0;
    int kept = errno;
    unlink(written.text);
    errno = kept;
    return -1;
}

static int write_all(int fd, const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = write(fd, bytes, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done == 0 ? ENOSPC : errno;
            return -1;
        }
        bytes += done;
        count -= (size_t)done;
    }
    return 0;
}

int perp_scene_put(const char *dir, const char *name, const void *bytes, size_t count)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    perp_scene_path_text written = part(dir, name);
    int fd = open(written.text, flags, 0666), bad, kept;

    if (fd < 0 && errno == EEXIST && unlink(written.text) == 0)
        fd = open(written.text, flags, 0666);
    if (fd < 0)
        return -1;
    bad = write_all(fd, bytes, count) != 0;
    kept = errno;
    if (close(fd) != 0 && !bad) {
        bad = 1;
        kept = errno;
    }
    if (!bad && rename(written.text, perp_scene_join(dir, name).text) == 0)
        return 0;
    kept = bad ? kept : errno;
    unlink(written.text);
    errno = kept;
    return -1;
}

int perp_scene_sync_kept(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    int done = fsync(fd), kept = errno;
    close(fd);
    errno = kept;
    /* Not every file system has it; only what was lost counts. */
    return done != 0 && (kept == EIO || kept == ENOSPC || kept == EDQUOT) ? -1 : 0;
}

void perp_scene_drop(FILE *stream, const char *dir, const char *name)
{
    fclose(stream);
    unlink(part(dir, name).text);
}
