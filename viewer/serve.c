/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* getentropy */
#include "viewer/serve.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "viewer/request.h"

enum { PAUSE = 200 }; /* milliseconds between two looks at `stop` */

int perp_serve_open(perp_serve *serve, int port, char *text, size_t size)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t length = sizeof place;
    unsigned char secret[16];
    size_t used = 1;
    char name[32];
    int yes = 1; /* connections of a server before, on the same port, may still be closing */

    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    serve->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (serve->socket < 0 ||
        setsockopt(serve->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(serve->socket, (struct sockaddr *)&place, length) != 0 ||
        listen(serve->socket, 8) != 0 ||
        getsockname(serve->socket, (struct sockaddr *)&place, &length) != 0 ||
        getentropy(secret, sizeof secret) != 0) {
        snprintf(name, sizeof name, port != 0 ? "port %d" : "a port", port);
        snprintf(text, size, "%s of 127.0.0.1: %s", name, strerror(errno));
        perp_serve_close(serve);
        return -1;
    }
    serve->way[0] = '/';
    for (size_t k = 0; k < sizeof secret; k++)
        used += (size_t)snprintf(serve->way + used, sizeof serve->way - used, "%02x", secret[k]);
    snprintf(serve->way + used, sizeof serve->way - used, "/");
    serve->port = ntohs(place.sin_port);
    snprintf(serve->url, sizeof serve->url, "http://127.0.0.1:%d%s", serve->port, serve->way);
    return 0;
}

static int put(int to, const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        ssize_t done = send(to, at, size, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

static void refuse(int to, const char *status)
{
    char text[512];

    snprintf(text, sizeof text, "HTTP/1.1 %s\r\nContent-Length: 0\r\n" PERP_SAFE_HEADERS "\r\n",
             status);
    put(to, text, strlen(text));
}

static void send_file(int to, const char *path, int head_only)
{
    FILE *f = fopen(path, "rb");
    char block[65536];
    size_t count;
    long size;

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) {
        refuse(to, "404 Not Found");
    } else {
        int length = snprintf(block, sizeof block,
                              "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                              "Content-Length: %ld\r\n" PERP_SAFE_HEADERS "\r\n",
                              size);
        int bad = put(to, block, (size_t)length);
        rewind(f);
        while (!bad && !head_only && (count = fread(block, 1, sizeof block, f)) > 0)
            bad = put(to, block, count);
    }
    if (f != NULL)
        fclose(f);
}

const char *perp_serve_rest(const perp_serve *serve, const char *path)
{
    size_t rest = strlen(serve->way);
    unsigned char differs = 0;

    if (strlen(path) < rest)
        return NULL;
    for (size_t k = 0; k < rest; k++)
        differs |= (unsigned char)(path[k] ^ serve->way[k]);
    return differs == 0 ? path + rest : NULL;
}

/* Reads until the request is whole; what perp_request_parse() says of it. */
static int take(int from, char *text, size_t most, perp_request *request)
{
    size_t got = 0;
    int whole = 0;

    while (whole == 0) {
        ssize_t count = recv(from, text + got, most - got, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return -1;
        got += (size_t)count;
        whole = perp_request_parse(request, text, got, most);
    }
    return whole;
}

int perp_serve_links_add(perp_serve_links *links, const char *name)
{
    char *copy = malloc(strlen(name) + 1);
    char **more = realloc(links->name, (links->count + 1) * sizeof *more);

    if (more != NULL)
        links->name = more;
    if (copy == NULL || more == NULL) {
        free(copy);
        return -1;
    }
    strcpy(copy, name);
    links->name[links->count++] = copy;
    return 0;
}

void perp_serve_links_free(perp_serve_links *links)
{
    for (size_t k = 0; k < links->count; k++)
        free(links->name[k]);
    free(links->name);
    memset(links, 0, sizeof *links);
}

/* 1: the path, in which %XX stands for a byte, is the name. */
static int is_name(const char *path, const char *name)
{
    for (; *path != '\0' && *name != '\0'; path++, name++) {
        unsigned byte = (unsigned char)*path;
        if (*path == '%') {
            if (!isxdigit((unsigned char)path[1]) || !isxdigit((unsigned char)path[2]) ||
                sscanf(path + 1, "%2x", &byte) != 1)
                return 0;
            path += 2;
        }
        if (byte != (unsigned char)*name)
            return 0;
    }
    return *path == '\0' && *name == '\0';
}

/* The file that what follows the token asks for, in `file` where it is a link; NULL: none. */
static const char *file_of(char *file, size_t size, const char *rest, const char *path,
                           const perp_serve_links *links)
{
    const char *end = strrchr(path, '/');
    int folder = end != NULL ? (int)(end - path + 1) : 0;

    if (*rest == '\0')
        return path;
    for (size_t k = 0; k < links->count; k++)
        if (is_name(rest, links->name[k])) {
            int length = snprintf(file, size, "%.*s%s", folder, path, links->name[k]);
            return length > 0 && (size_t)length < size ? file : NULL;
        }
    return NULL;
}

static void answer(int to, const perp_serve *serve, const char *path, const perp_serve_links *links)
{
    struct timeval limit = {5, 0};
    char text[8192];
    perp_request request;
    const char *rest, *found;
    char file[8192];
    int head;

    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(to, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (take(to, text, sizeof text - 1, &request) < 0) {
        refuse(to, "400 Bad Request");
        return;
    }
    head = strcmp(request.method, "HEAD") == 0;
    rest = perp_serve_rest(serve, request.path);
    found = rest != NULL ? file_of(file, sizeof file, rest, path, links) : NULL;
    if (!perp_request_is_local(&request, serve->port))
        refuse(to, "403 Forbidden");
    else if (found == NULL)
        refuse(to, "404 Not Found");
    else if (!head && strcmp(request.method, "GET") != 0)
        refuse(to, "405 Method Not Allowed");
    else
        send_file(to, found, head);
}

void perp_serve_page(const perp_serve *serve, const char *path, const perp_serve_links *links,
                     int (*stop)(void))
{
    struct pollfd wait = {.fd = serve->socket, .events = POLLIN};

    while (!stop()) {
        int ready = poll(&wait, 1, PAUSE);
        int to = ready > 0 ? accept(serve->socket, NULL, NULL) : -1;
        if (to < 0)
            continue;
        answer(to, serve, path, links);
        shutdown(to, SHUT_WR);
        close(to);
    }
}

void perp_serve_close(perp_serve *serve)
{
    if (serve->socket >= 0)
        close(serve->socket);
    serve->socket = -1;
}
