/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* realpath */
#define _DEFAULT_SOURCE   /* MSG_NOSIGNAL */
#include "viewer/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "viewer/own_folder.h"

enum { LOOK = 100, SILENT = 120000, LEAVE = 3000 /* milliseconds */ };
enum { NOT_FOUND = 127, LARGEST = 1 << 28 };

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

/* In the child: descriptors 3 and 4 are what the browser reads and writes. */
static void run(const char *profile, int socket)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    char folder[4200];
    const char *line[16];
    int n = 1, nothing = open("/dev/null", O_RDWR), high = fcntl(socket, F_DUPFD, 10);

    snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
    for (int k = 0; k < 3; k++)
        dup2(nothing, k);
    dup2(high, 3);
    dup2(high, 4);
    close(high);
    setpgid(0, 0);
    line[n++] = "--headless";
    line[n++] = "--remote-debugging-pipe";
    line[n++] = "--use-angle=swiftshader";
    line[n++] = "--enable-unsafe-swiftshader";
    line[n++] = "--hide-scrollbars";
    line[n++] = "--no-first-run";
    line[n++] = "--disable-background-networking";
    line[n++] = "--disable-component-update";
    line[n++] = "--disable-sync";
    line[n++] = folder;
    if (geteuid() == 0)
        line[n++] = "--no-sandbox";
    line[n] = NULL;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        line[0] = names[k];
        execvp(line[0], (char *const *)line);
    }
    _exit(NOT_FOUND);
}

static int start(perp_browser *browser)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return -1;
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    browser->child = fork();
    if (browser->child == 0)
        run(browser->profile, pair[1]);
    close(pair[1]);
    browser->socket = pair[0];
    return browser->child > 0 ? 0 : -1;
}

/* The sentence where it is gone. */
static int gone(perp_browser *browser, char *text, size_t size)
{
    int status = 0;

    if (browser->child > 0 && waitpid(browser->child, &status, 0) == browser->child)
        browser->child = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        snprintf(text, size, "a picture needs Chromium, which is not installed (Debian: chromium)");
    else if (WIFEXITED(status))
        snprintf(text, size, "Chromium ended by itself (status %d)", WEXITSTATUS(status));
    else
        snprintf(text, size, "Chromium ended by itself (signal %d)", WTERMSIG(status));
    return -1;
}

static int put(perp_browser *browser, const char *message, char *text, size_t size)
{
    size_t left = strlen(message) + 1;

    while (left > 0) {
        ssize_t count = send(browser->socket, message, left, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return gone(browser, text, size);
        message += count;
        left -= (size_t)count;
    }
    return 0;
}

/* Takes what has come, after waiting for it. */
static int get(perp_browser *browser, char *text, size_t size)
{
    struct pollfd wait = {.fd = browser->socket, .events = POLLIN};

    if (browser->first > 0) {
        browser->size -= browser->first;
        memmove(browser->bytes, browser->bytes + browser->first, browser->size);
        browser->first = 0;
    }
    if (browser->capacity - browser->size < 65536) {
        size_t capacity = 2 * browser->capacity + (1 << 18);
        char *more = capacity < LARGEST ? realloc(browser->bytes, capacity) : NULL;
        if (more == NULL) {
            snprintf(text, size, "not enough memory for a picture");
            return -1;
        }
        browser->bytes = more;
        browser->capacity = capacity;
    }
    for (int waited = 0; waited < SILENT; waited += LOOK) {
        ssize_t count;
        if (browser->stop != NULL && browser->stop())
            return 1;
        if (poll(&wait, 1, LOOK) <= 0)
            continue;
        count = recv(browser->socket, browser->bytes + browser->size,
                     browser->capacity - browser->size, 0);
        if (count <= 0)
            return gone(browser, text, size);
        browser->size += (size_t)count;
        return 0;
    }
    snprintf(text, size, "Chromium has not answered for %d s", SILENT / 1000);
    return -1;
}

/* Sends {"id": N, METHOD AND PARAMETERS} and waits for the message with that number. */
static int call(perp_browser *browser, const char *rest, char **answer, char *text, size_t size)
{
    char message[3 * 4096 + 256], begins[32];
    size_t looked = 0;
    int code;

    snprintf(begins, sizeof begins, "{\"id\":%ld,", ++browser->asked);
    snprintf(message, sizeof message, "%s%s%s%s%s}", begins, rest,
             browser->session[0] != '\0' ? ",\"sessionId\":\"" : "", browser->session,
             browser->session[0] != '\0' ? "\"" : "");
    code = put(browser, message, text, size);
    while (code == 0) {
        char *from = browser->bytes + browser->first;
        size_t held = browser->size - browser->first;
        char *end = held > looked ? memchr(from + looked, '\0', held - looked) : NULL;
        if (end == NULL) {
            looked = held;
            code = get(browser, text, size);
            continue;
        }
        browser->first += (size_t)(end - from) + 1;
        looked = 0;
        if (strncmp(from, begins, strlen(begins)) == 0) {
            *answer = from;
            return 0;
        }
    }
    return code;
}

/* The text of the first "NAME":"..." of an answer, cut out of it. */
static char *field(char *answer, const char *name)
{
    char key[32], *from, *end;

    snprintf(key, sizeof key, "\"%s\":\"", name);
    from = strstr(answer, key);
    end = from != NULL ? strchr(from + strlen(key), '"') : NULL;
    if (end == NULL)
        return NULL;
    *end = '\0';
    return from + strlen(key);
}

static int refused(const char *answer, char *text, size_t size)
{
    snprintf(text, size, "Chromium answered what was not expected: %.200s", answer);
    return -1;
}

/* A page of the size wanted, and the session in which it is spoken to. */
static int open_page(perp_browser *browser, const char *url, int width, int height, char *text,
                     size_t size)
{
    char message[3 * 4096 + 128], *answer, *value;
    int code =
        call(browser, "\"method\":\"Target.createTarget\",\"params\":{\"url\":\"about:blank\"}",
             &answer, text, size);

    if (code != 0)
        return code;
    if ((value = field(answer, "targetId")) == NULL)
        return refused(answer, text, size);
    snprintf(message, sizeof message,
             "\"method\":\"Target.attachToTarget\",\"params\":{\"targetId\":\"%.80s\","
             "\"flatten\":true}",
             value);
    if ((code = call(browser, message, &answer, text, size)) != 0)
        return code;
    if ((value = field(answer, "sessionId")) == NULL)
        return refused(answer, text, size);
    snprintf(browser->session, sizeof browser->session, "%s", value);
    snprintf(message, sizeof message,
             "\"method\":\"Emulation.setDeviceMetricsOverride\",\"params\":{\"width\":%d,"
             "\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false}",
             width, height);
    if ((code = call(browser, message, &answer, text, size)) != 0)
        return code;
    snprintf(message, sizeof message, "\"method\":\"Page.navigate\",\"params\":{\"url\":\"%s\"}",
             url);
    return call(browser, message, &answer, text, size);
}

int perp_browser_open(perp_browser *browser, const char *page, const char *fragment, int width,
                      int height, char *text, size_t size)
{
    char url[3 * 4096];

    browser->socket = -1;
    if (address(url, sizeof url, page, fragment) != 0 ||
        perp_own_folder_make(browser->profile, sizeof browser->profile, "perp-browser") != 0 ||
        start(browser) != 0) {
        snprintf(text, size, "%.200s: %s", page, strerror(errno));
        return -1;
    }
    return open_page(browser, url, width, height, text, size);
}

int perp_browser_ask(perp_browser *browser, const char *expression, char **value, char *text,
                     size_t size)
{
    char message[512], *answer;
    int code;

    snprintf(
        message, sizeof message,
        "\"method\":\"Runtime.evaluate\",\"params\":{\"expression\":\"%s\",\"returnByValue\":true}",
        expression);
    if ((code = call(browser, message, &answer, text, size)) != 0)
        return code;
    *value = field(answer, "value");
    return *value != NULL ? 0 : refused(answer, text, size);
}

/* It ends when the socket is closed; if it does not, it is killed with all its children. */
static void leave(perp_browser *browser)
{
    const struct timespec pause = {0, 20000000};

    for (int waited = 0; browser->child > 0 && waited < LEAVE; waited += 20)
        if (waitpid(browser->child, NULL, WNOHANG) != 0)
            browser->child = 0;
        else
            nanosleep(&pause, NULL);
    if (browser->child <= 0)
        return;
    kill(-browser->child, SIGKILL);
    waitpid(browser->child, NULL, 0);
}

void perp_browser_close(perp_browser *browser)
{
    if (browser->socket >= 0)
        close(browser->socket);
    leave(browser);
    perp_own_folder_drop(browser->profile);
    free(browser->bytes);
    memset(browser, 0, sizeof *browser);
    browser->socket = -1;
}
