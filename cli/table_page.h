/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of tables: one JSON document, and the scripts that show it. */
#ifndef PERP_CLI_TABLE_PAGE_H
#define PERP_CLI_TABLE_PAGE_H

#include <stdio.h>

typedef struct perp_table_page {
    FILE *data; /* where the caller writes the document */
    char *text;
    size_t size;
} perp_table_page;

/* Non-zero: no memory, after a message. */
int perp_table_page_open(perp_table_page *page);

/* Closes the document and writes the page `out` titled `title`, under another name until it is
 * whole.  KIND.html and KIND.js of viewer/page show the document, which is called KIND there.
 * An exit status, after a message where it is an error. */
int perp_table_page_write(perp_table_page *page, const char *kind, const char *title,
                          const char *out);

#endif
