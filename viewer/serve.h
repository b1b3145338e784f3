/* SPDX-License-Identifier: BSD-3-Clause */
/* A page, and those that it links to, over HTTP on the loopback interface, for those who know its
 * token. */
#ifndef PERP_VIEWER_SERVE_H
#define PERP_VIEWER_SERVE_H

#include <stddef.h>

typedef struct perp_serve {
    int socket, port;
    char url[96]; /* http://127.0.0.1:PORT/TOKEN/ */
    char way[40]; /* /TOKEN/ */
} perp_serve;

/* Listens on a port of 127.0.0.1, for 0 one that the system chooses; 0, or -1 with a sentence in
 * text. */
int perp_serve_open(perp_serve *serve, int port, char *text, size_t size);
/* What follows the token in the path of a request, NULL for another token; differences take no time
 * of their own. */
const char *perp_serve_rest(const perp_serve *serve, const char *path);
/* Names of files beside a page that it links to. */
typedef struct perp_serve_links {
    char **name;
    size_t count;
} perp_serve_links;

/* Copies the name; 0, or -1: no memory. */
int perp_serve_links_add(perp_serve_links *links, const char *name);
void perp_serve_links_free(perp_serve_links *links);
/* Answers requests for the page at `path` and for its links, one at a time, until `stop` answers
 * non-zero. */
void perp_serve_page(const perp_serve *serve, const char *path, const perp_serve_links *links,
                     int (*stop)(void));
void perp_serve_close(perp_serve *serve);

#endif
