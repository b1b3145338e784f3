/* SPDX-License-Identifier: BSD-3-Clause */
/* A connection of a browser to the live server: its request, and what is still to be sent. */
#ifndef PERP_VIEWER_LIVE_CLIENT_H
#define PERP_VIEWER_LIVE_CLIENT_H

#include <stdint.h>
#include <stdio.h>

#include "viewer/request.h"

typedef enum perp_live_phase {
    PERP_LIVE_FREE,
    PERP_LIVE_READING,  /* its request */
    PERP_LIVE_SENDING,  /* one answer */
    PERP_LIVE_WATCHING, /* events without an end */
    PERP_LIVE_LEAVING   /* all is sent; waits for the other side to close */
} perp_live_phase;

typedef struct perp_live_client {
    perp_live_phase phase;
    int socket;
    double since; /* seconds; of the last byte */
    char request[8192];
    size_t got;
    const char *out; /* what is sent now: of others, or `text` */
    size_t out_size, sent;
    FILE *own; /* writes `text`; NULL: not open */
    char *text;
    size_t text_size;
    int64_t step; /* of the last instant that was put into events */
    int has_head;
    unsigned state; /* which state it was told of */
} perp_live_client;

void perp_live_client_open(perp_live_client *client, int socket, double now);
void perp_live_client_close(perp_live_client *client);
/* Bytes that came, 0: none without waiting; -1: the connection is at its end. */
long perp_live_client_read(perp_live_client *client, double now);
/* Bytes that went; -1: the connection is at its end. */
long perp_live_client_write(perp_live_client *client, double now);
/* 1: the request is whole and was cut; 0: more is to come; -1: it is none. */
int perp_live_client_parse(perp_live_client *client, perp_request *request);
/* Where text for the client is written, from its beginning; NULL: no memory. */
FILE *perp_live_client_text(perp_live_client *client);
/* That text becomes what is sent; 0, or -1: no memory. */
int perp_live_client_send(perp_live_client *client);

#endif
