/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "cli/open_browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "viewer/own_folder.h"

extern char **environ;

static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

/* A page that leads to the address. */
static int write_page(const char *path, const char *url)
{
    FILE *f = fopen(path, "w");
    int bad;

    if (f == NULL)
        return -1;
    bad = fprintf(
              f,
              "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>perp run</title>\n"
              "<meta name=\"referrer\" content=\"no-referrer\">\n"
              "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n"
              "<p><a href=\"%s\">The run</a></p></html>\n",
              url, url) < 0;
    return fclose(f) != 0 || bad ? -1 : 0;
}

/* Quiet, and in a group of its own, so that Ctrl-C ends the run alone. */
static int spawn(const char *path)
{
    char program[] = "xdg-open", *words[] = {program, (char *)(size_t)path, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t child;
    int bad;

    if (posix_spawn_file_actions_init(&files) != 0)
        return -1;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return -1;
    }
    bad = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP) != 0 ||
          posix_spawnattr_setpgroup(&attributes, 0) != 0;
    for (int fd = 0; fd < 3; fd++)
        bad |= posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0) != 0;
    bad = bad || posix_spawnp(&child, program, &files, &attributes, words, environ) != 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return bad ? -1 : 0;
}

int perp_open_browser(char *folder, size_t size, const char *url)
{
    char path[512];

    folder[0] = '\0';
    if (!isatty(STDOUT_FILENO) || !(is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) ||
        perp_own_folder_make(folder, size, "perp-open") != 0)
        return 0;
    if (snprintf(path, sizeof path, "%s/run.html", folder) < (int)sizeof path &&
        write_page(path, url) == 0 && spawn(path) == 0)
        return 1;
    perp_own_folder_drop(folder);
    return 0;
}
