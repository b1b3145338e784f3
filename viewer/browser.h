/* SPDX-License-Identifier: BSD-3-Clause */
/* Chromium without a window, which draws in software.  It is told what to do by the protocol of its
 * developer tools over one socket pair (--remote-debugging-pipe: JSON, a zero behind each message):
 * there is no port that others could reach, and one start serves for any number of pictures. */
#ifndef PERP_VIEWER_BROWSER_H
#define PERP_VIEWER_BROWSER_H

#include <stddef.h>
#include <sys/types.h>

typedef struct perp_browser {
    int (*stop)(void); /* asked while waiting; non-zero: give up */
    pid_t child;
    int socket;
    char profile[4096]; /* folder of its own */
    char session[80];   /* of the page */
    long asked;
    char *bytes; /* what came: `first` is the beginning of the next message */
    size_t first, size, capacity;
} perp_browser;

/* Starts it with a page of so many pixels; these return 0, 1 where `stop` said so, or -1 with a
 * sentence in text.  No answer for two minutes is an error. */
int perp_browser_open(perp_browser *browser, const char *page, const char *fragment, int width,
                      int height, char *text, size_t size);
/* The value of an expression without quotes, a string without them: valid until the next call. */
int perp_browser_ask(perp_browser *browser, const char *expression, char **value, char *text,
                     size_t size);
/* Ends it; what was opened only in part, too. */
void perp_browser_close(perp_browser *browser);

#endif
