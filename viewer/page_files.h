/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of the folder page, inside the command. */
#ifndef PERP_VIEWER_PAGE_FILES_H
#define PERP_VIEWER_PAGE_FILES_H

#include <stddef.h>

typedef struct perp_page_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} perp_page_file;

extern const perp_page_file perp_page_files[]; /* the last one has no name */

#endif
