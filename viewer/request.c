/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include "viewer/request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The value of a header where the line is that header, else NULL. */
static const char *value_of(const char *line, const char *name)
{
    size_t length = strlen(name);

    if (strncasecmp(line, name, length) != 0 || line[length] != ':')
        return NULL;
    line += length + 1;
    return line + strspn(line, " \t");
}

static int read_line(perp_request *request, char *line)
{
    char *path = strchr(line, ' '), *version = path != NULL ? strchr(path + 1, ' ') : NULL;

    if (version == NULL || strncmp(version + 1, "HTTP/1.", 7) != 0)
        return -1;
    *path = *version = '\0';
    request->method = line;
    request->path = path + 1;
    return 1;
}

int perp_request_parse(perp_request *request, char *text, size_t got, size_t most)
{
    char *line = text, *end;

    text[got] = '\0';
    memset(request, 0, sizeof *request);
    end = strstr(line, "\r\n\r\n");
    if (end == NULL)
        return got < most && strlen(line) == got ? 0 : -1;
    end[2] = '\0';
    for (int k = 0; *line != '\0'; k++) {
        char *next = strstr(line, "\r\n");
        const char *value;
        *next = '\0';
        if (k == 0 && read_line(request, line) < 0)
            return -1;
        if ((value = value_of(line, "Host")) != NULL) {
            if (request->host != NULL)
                return -1; /* two of them: which one is meant? */
            request->host = value;
        }
        if ((value = value_of(line, "Origin")) != NULL)
            request->origin = value;
        if ((value = value_of(line, "Last-Event-ID")) != NULL)
            request->last = value;
        line = next + 2;
    }
    return request->method != NULL ? 1 : -1;
}

/* Another page in the browser can make it send requests here.  It does not know the token; and
 * where its own name was made to lead to this machine (DNS rebinding), the browser still names it
 * in Host, and in Origin with every POST. */
int perp_request_is_local(const perp_request *request, int port)
{
    char name[2][32];
    int known = 0;

    snprintf(name[0], sizeof name[0], "127.0.0.1:%d", port);
    snprintf(name[1], sizeof name[1], "localhost:%d", port);
    for (int k = 0; k < 2; k++)
        known |= request->host != NULL && strcmp(request->host, name[k]) == 0 &&
                 (request->origin == NULL || (strncmp(request->origin, "http://", 7) == 0 &&
                                              strcmp(request->origin + 7, name[k]) == 0));
    return known;
}
