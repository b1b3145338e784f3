/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw, realpath */
#include "viewer/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 120, NOT_FOUND = 127 };

/* file:// and the path with everything but plain characters as %XX. */
static int address(char *out, size_t size, const char *path, const char *fragment)
{
    char whole[4096];
    size_t used = (size_t)snprintf(out, size, "file://");

    if (realpath(path, whole) == NULL)
        return -1;
    for (const char *c = whole; *c != '\0' && used + 4 < size; c++) {
        int plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                    (*c >= '0' && *c <= '9') || strchr("/-_.", *c) != NULL;
        used += (size_t)snprintf(out + used, size - used, plain ? "%c" : "%%%02X",
                                 plain ? *c : (unsigned char)*c);
    }
    return (size_t)snprintf(out + used, size - used, "#%s", fragment) < size - used ? 0 : -1;
}

static int drop(const char *path, const struct stat *info, int flag, struct FTW *where)
{
    (void)info, (void)flag, (void)where;
    return remove(path);
}

/* The arguments, the name of the browser first. */
static void run_browser(const perp_snapshot *wish, const char *profile, const char *url)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    char window[64], screenshot[4200], folder[4200];
    const char *line[16];
    int n = 1, nothing = open("/dev/null", O_RDWR);

    snprintf(window, sizeof window, "--window-size=%d,%d", wish->width, wish->height);
    snprintf(screenshot, sizeof screenshot, "--screenshot=%s", wish->png);
    snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
    if (nothing >= 0)
        for (int k = 0; k < 3; k++)
            dup2(nothing, k);
    setpgid(0, 0);
    line[n++] = "--headless";
    line[n++] = "--use-angle=swiftshader";
    line[n++] = "--enable-unsafe-swiftshader";
    line[n++] = "--hide-scrollbars";
    line[n++] = "--virtual-time-budget=20000";
    line[n++] = window;
    line[n++] = screenshot;
    line[n++] = folder;
    if (geteuid() == 0)
        line[n++] = "--no-sandbox";
    line[n++] = url;
    line[n] = NULL;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        line[0] = names[k];
        execvp(line[0], (char *const *)line);
    }
    _exit(NOT_FOUND);
}

/* The status of the child, -1 where it had to be ended. */
static int wait_for(pid_t child)
{
    const struct timespec pause = {0, 20000000};

    for (int k = 0; k < SECONDS * 50; k++) {
        int status = 0;
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (done < 0 && errno != EINTR)
            return -1;
        nanosleep(&pause, NULL);
    }
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
    return -1;
}

int perp_snapshot_take(const perp_snapshot *wish, char *text, size_t size)
{
    const char *place = getenv("TMPDIR");
    char profile[4096], url[3 * 4096];
    struct stat info;
    pid_t child;
    int status;

    snprintf(profile, sizeof profile, "%s/perp-browser-XXXXXX",
             place != NULL && place[0] != '\0' ? place : "/tmp");
    remove(wish->png);
    if (address(url, sizeof url, wish->page, wish->fragment) != 0 || mkdtemp(profile) == NULL) {
        snprintf(text, size, "%s: %s", wish->page, strerror(errno));
        return -1;
    }
    fflush(NULL);
    child = fork();
    if (child == 0)
        run_browser(wish, profile, url);
    status = child > 0 ? wait_for(child) : -1;
    nftw(profile, drop, 16, FTW_DEPTH | FTW_PHYS);
    if (status == NOT_FOUND)
        snprintf(text, size, "a picture needs Chromium, which is not installed (Debian: chromium)");
    else if (stat(wish->png, &info) != 0 || info.st_size == 0)
        snprintf(text, size, "%s: Chromium made no picture (status %d)", wish->png, status);
    else
        return 0;
    return -1;
}
