/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of a page of a run, drawn by the page itself in a browser without a window. */
#ifndef PERP_VIEWER_PICTURES_H
#define PERP_VIEWER_PICTURES_H

#include <stddef.h>

typedef struct perp_pictures {
    const char *page;     /* path of the page */
    const char *fragment; /* what follows # in its address: letters, digits and =&,.-%_ */
    int width, height;
    double first, step; /* picture k shows the instant nearest to first + k * step */
    long count;
    int (*take)(void *ctx, const unsigned char *png, size_t size); /* non-zero: give up */
    void *ctx;
    int (*stop)(void); /* the same, asked while the browser works */
} perp_pictures;

/* 0; 1 where it was given up; or -1 with a sentence in text. */
int perp_pictures_take(const perp_pictures *wish, char *text, size_t size);

#endif
