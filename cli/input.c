/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/message.h"

/* A file without a name in the folder for temporary ones; its descriptor, or -1. */
static int temporary(void)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];
    int fd;

    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    if ((size_t)snprintf(name, sizeof name, "%s/perp-XXXXXX", folder) >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkstemp(name);
    if (fd >= 0)
        unlink(name);
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

static int copy(int to)
{
    char buffer[65536];
    ssize_t got;

    do {
        got = read(STDIN_FILENO, buffer, sizeof buffer);
        if (got > 0 && write_all(to, buffer, (size_t)got) != 0)
            return -1;
    } while (got > 0 || (got < 0 && errno == EINTR));
    return got < 0 ? -1 : 0;
}

int perp_input_open(perp_input *input, const char *word)
{
    *input = (perp_input){.name = word, .open = word, .fd = -1};
    if (strcmp(word, "-") != 0)
        return PERP_EXIT_DONE;
    input->name = "standard input";
    input->fd = temporary();
    if (input->fd < 0 || copy(input->fd) != 0)
        return perp_complain("standard input: %s", strerror(errno));
    snprintf(input->path, sizeof input->path, "/proc/self/fd/%d", input->fd);
    input->open = input->path;
    return PERP_EXIT_DONE;
}

void perp_input_close(perp_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    input->fd = -1;
}

int perp_input_complain(const perp_input *input, perp_status status, const perp_io_error *error)
{
    const char *at;
    perp_io_error named = *error;

    if (input->fd < 0 || (at = strstr(error->text, input->path)) == NULL)
        return perp_complain_io(input->name, status, error);
    snprintf(named.text, sizeof named.text, "%.*s%s%s", (int)(at - error->text), error->text,
             input->name, at + strlen(input->path));
    return perp_complain_io(input->name, status, &named);
}
