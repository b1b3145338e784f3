/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* open_memstream, strncasecmp */
#include "viewer/live_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

void perp_live_client_open(perp_live_client *client, int socket, double now)
{
    memset(client, 0, sizeof *client);
    client->phase = PERP_LIVE_READING;
    client->socket = socket;
    client->since = now;
    client->step = -1;
}

void perp_live_client_close(perp_live_client *client)
{
    if (client->phase == PERP_LIVE_FREE)
        return;
    close(client->socket);
    if (client->own != NULL)
        fclose(client->own);
    free(client->text);
    memset(client, 0, sizeof *client);
}

static int would_wait(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

long perp_live_client_read(perp_live_client *client, double now)
{
    char ignored[1024];
    int keeps = client->phase == PERP_LIVE_READING;
    size_t capacity = keeps ? sizeof client->request - 1 - client->got : sizeof ignored;
    ssize_t count =
        recv(client->socket, keeps ? client->request + client->got : ignored, capacity, 0);

    if (count < 0 && would_wait())
        return 0;
    if (count <= 0)
        return -1;
    if (keeps) {
        client->got += (size_t)count;
        client->since = now;
    }
    return count;
}

long perp_live_client_write(perp_live_client *client, double now)
{
    ssize_t count;

    if (client->sent == client->out_size)
        return 0;
    count = send(client->socket, client->out + client->sent, client->out_size - client->sent,
                 MSG_NOSIGNAL);
    if (count < 0 && would_wait())
        return 0;
    if (count <= 0)
        return -1;
    client->sent += (size_t)count;
    client->since = now;
    return count;
}

/* The value of a header where the line is that header, else NULL. */
static const char *value_of(const char *line, const char *name)
{
    size_t length = strlen(name);

    if (strncasecmp(line, name, length) != 0 || line[length] != ':')
        return NULL;
    line += length + 1;
    return line + strspn(line, " \t");
}

static int read_line(perp_live_request *request, char *line)
{
    char *path = strchr(line, ' '), *version = path != NULL ? strchr(path + 1, ' ') : NULL;

    if (version == NULL || strncmp(version + 1, "HTTP/1.", 7) != 0)
        return -1;
    *path = *version = '\0';
    request->method = line;
    request->path = path + 1;
    return 1;
}

int perp_live_client_parse(perp_live_client *client, perp_live_request *request)
{
    char *line = client->request, *end;

    client->request[client->got] = '\0';
    memset(request, 0, sizeof *request);
    end = strstr(line, "\r\n\r\n");
    if (end == NULL)
        return client->got + 1 < sizeof client->request && strlen(line) == client->got ? 0 : -1;
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

FILE *perp_live_client_text(perp_live_client *client)
{
    if (client->own == NULL)
        client->own = open_memstream(&client->text, &client->text_size);
    else
        rewind(client->own);
    return client->own;
}

int perp_live_client_send(perp_live_client *client)
{
    if (client->own == NULL || fflush(client->own) != 0 || ferror(client->own))
        return -1;
    client->out = client->text;
    client->out_size = client->text_size;
    client->sent = 0;
    return 0;
}
