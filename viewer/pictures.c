/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "viewer/pictures.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "viewer/browser.h"

enum { PATIENCE = 6000 /* looks at a page that is being read, 20 ms each */ };

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Base64 into its own place; bytes that it stands for. */
static size_t decode(char *text)
{
    unsigned char *out = (unsigned char *)text;
    unsigned held = 0;
    size_t size = 0;
    int bits = 0;

    for (const char *c = text; value_of(*c) >= 0; c++) {
        held = held << 6 | (unsigned)value_of(*c);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[size++] = (unsigned char)(held >> bits);
        }
    }
    return size;
}

/* Until the page has read its motion; it says why where it cannot be drawn. */
static int wait_for(perp_browser *browser, char *text, size_t size)
{
    static const char expression[] =
        "typeof perpView === 'undefined' || !perpView.still ? 'reading' : perpView.state()";
    const struct timespec pause = {0, 20000000};
    char *value = NULL;

    for (int k = 0; k < PATIENCE; k++) {
        int code = perp_browser_ask(browser, expression, &value, text, size);
        if (code != 0)
            return code;
        if (strcmp(value, "ready") == 0)
            return 0;
        if (strcmp(value, "reading") != 0) {
            snprintf(text, size, "%s", value);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    snprintf(text, size, "the page was not read within %d s", PATIENCE / 50);
    return -1;
}

static int take(const perp_pictures *wish, perp_browser *browser, double t, char *text, size_t size)
{
    static const char head[] = "data:image/png;base64,";
    char expression[64], *value = NULL;
    int code;

    snprintf(expression, sizeof expression, "perpView.still(%.17g, %s)", t,
             wish->count == 1 ? "true" : "false");
    code = perp_browser_ask(browser, expression, &value, text, size);
    if (code != 0)
        return code;
    if (strncmp(value, head, sizeof head - 1) != 0) {
        snprintf(text, size, "Chromium made no picture: %.300s", value);
        return -1;
    }
    value += sizeof head - 1;
    return wish->take(wish->ctx, (const unsigned char *)value, decode(value));
}

int perp_pictures_take(const perp_pictures *wish, char *text, size_t size)
{
    perp_browser browser = {.stop = wish->stop, .socket = -1};
    int code = perp_browser_open(&browser, wish->page, wish->fragment, wish->width, wish->height,
                                 text, size);

    if (code == 0)
        code = wait_for(&browser, text, size);
    for (long k = 0; k < wish->count && code == 0; k++)
        code = take(wish, &browser, wish->first + (double)k * wish->step, text, size);
    perp_browser_close(&browser);
    return code;
}
