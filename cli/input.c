/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/live_progress.h"
#include "cli/message.h"

/* A file in the folder for temporary ones; its descriptor, or -1. */
static int temporary(char *name, size_t size)
{
    const char *folder = getenv("TMPDIR");
    int fd;

    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    if ((size_t)snprintf(name, size, "%s/perp-XXXXXX", folder) >= size) {
        name[0] = '\0';
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkstemp(name);
    if (fd < 0)
        name[0] = '\0';
    return fd;
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, text, length);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        text += done;
        length -= (size_t)done;
    }
    return 0;
}

static int copy(int to, int from)
{
    char buffer[65536];
    ssize_t got;

    do {
        got = read(from, buffer, sizeof buffer);
        if (got > 0 && write_all(to, buffer, (size_t)got) != 0)
            return -1;
    } while (!perp_interrupted() && (got > 0 || (got < 0 && errno == EINTR)));
    return got < 0 ? -1 : 0;
}

/* A pipe gives its bytes once, and a format is read in several passes. */
static int gives_bytes_once(const char *word)
{
    struct stat st;

    return stat(word, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* A writer of a named pipe may come much later: a signal ends the wait. */
static int open_to_read(const char *word)
{
    int fd;

    if (strcmp(word, "-") == 0)
        return STDIN_FILENO;
    errno = EINTR;
    for (fd = -1; fd < 0 && errno == EINTR && !perp_interrupted();)
        fd = open(word, O_RDONLY | O_CLOEXEC);
    return fd;
}

int perp_input_open(perp_input *input, const char *word)
{
    int from, to, bad, why;

    memset(input, 0, sizeof *input);
    input->name = input->open = word;
    if (strcmp(word, "-") == 0)
        input->name = "standard input";
    else if (!gives_bytes_once(word))
        return PERP_EXIT_DONE;
    input->open = input->path;
    from = open_to_read(word);
    to = from >= 0 ? temporary(input->path, sizeof input->path) : -1;
    bad = from < 0 || to < 0 || copy(to, from) != 0;
    why = errno;
    if (from >= 0 && from != STDIN_FILENO)
        close(from);
    if (to >= 0 && close(to) != 0 && !bad) {
        bad = 1;
        why = errno;
    }
    if (perp_interrupted()) {
        perp_complain("%s: interrupted while it was read; nothing was written", input->name);
        return PERP_EXIT_STOPPED;
    }
    return bad ? perp_complain("%s: %s", input->name, strerror(why)) : PERP_EXIT_DONE;
}

int perp_input_is(const char *word, const char *out)
{
    struct stat in, there;
    int bad = strcmp(word, "-") == 0 ? fstat(STDIN_FILENO, &in) : stat(word, &in);

    return bad == 0 && stat(out, &there) == 0 && S_ISREG(in.st_mode) && in.st_dev == there.st_dev &&
           in.st_ino == there.st_ino;
}

int perp_input_check_out(const char *name, const char *out, const char *word)
{
    const char *slash = strrchr(out, '/');
    struct stat st;
    char *folder = slash == NULL ? strdup(".") : strndup(out, (size_t)(slash - out) + 1);
    int error = folder == NULL ? ENOMEM : access(folder, W_OK | X_OK) != 0 ? errno : 0;

    if (out[0] == '\0')
        error = ENOENT;
    else if (stat(out, &st) == 0)
        error = S_ISDIR(st.st_mode) ? EISDIR : S_ISREG(st.st_mode) ? error : 0;

    free(folder);
    if (error == 0 && perp_input_is(word, out))
        return perp_complain("--%s '%s': it is the file to read", name, out);
    return error == 0 ? PERP_EXIT_DONE : perp_complain("--%s '%s': %s", name, out, strerror(error));
}

void perp_input_close(perp_input *input)
{
    if (input->path[0] != '\0')
        unlink(input->path);
    input->path[0] = '\0';
}

int perp_input_begins(const perp_input *input)
{
    FILE *f = fopen(input->open, "rb");
    int c = ' ';

    while (f != NULL && (c == ' ' || c == '\n' || c == '\r' || c == '\t'))
        c = fgetc(f);
    if (f != NULL)
        fclose(f);
    return f != NULL ? c : EOF;
}

int perp_input_complain(const perp_input *input, perp_status status, const perp_io_error *error)
{
    const char *at;
    perp_io_error named = *error;

    if (status == PERP_ERR_FORMAT && perp_input_begins(input) == '{')
        return perp_complain("%s: no problem but a scene, it seems: 'perp run' takes scenes",
                             input->name);
    if (input->path[0] == '\0' || (at = strstr(error->text, input->path)) == NULL)
        return perp_complain_io(input->name, status, error);
    snprintf(named.text, sizeof named.text, "%.*s%s%s", (int)(at - error->text), error->text,
             input->name, at + strlen(input->path));
    return perp_complain_io(input->name, status, &named);
}
