/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of pages, by a browser without a window. */
#ifndef PERP_VIEWER_SNAPSHOT_H
#define PERP_VIEWER_SNAPSHOT_H

#include <stddef.h>

typedef struct perp_snapshot {
    const char *page;     /* path of the page */
    const char *fragment; /* what follows # in its address */
    const char *png;      /* path of the picture */
    int width, height;
} perp_snapshot;

/* Runs Chromium; 0, or -1 with a sentence in text.  It ends after two minutes at most. */
int perp_snapshot_take(const perp_snapshot *wish, char *text, size_t size);

#endif
