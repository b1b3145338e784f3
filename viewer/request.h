/* SPDX-License-Identifier: BSD-3-Clause */
/* A request over HTTP, and whether it is one to this machine by its own name. */
#ifndef PERP_VIEWER_REQUEST_H
#define PERP_VIEWER_REQUEST_H

#include <stddef.h>

/* What a request asks for; all of it text inside the request, which is cut into pieces. */
typedef struct perp_request {
    const char *method, *path;
    const char *host, *origin, *last; /* of Last-Event-ID; NULL: not given */
} perp_request;

/* Headers of every answer, each with its end of line. */
#define PERP_SAFE_HEADERS                                                                          \
    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"                                  \
    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nConnection: close\r\n"

/* `text` has a place for one byte more than the `got` that came, of the `most` that it takes.
 * 1: the request is whole and was cut; 0: more is to come; -1: it is none. */
int perp_request_parse(perp_request *request, char *text, size_t got, size_t most);
/* 1: it names 127.0.0.1 or localhost with the port, and so does its origin where it has one. */
int perp_request_is_local(const perp_request *request, int port);

#endif
