/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "viewer/live_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

int perp_live_client_parse(perp_live_client *client, perp_request *request)
{
    return perp_request_parse(request, client->request, client->got, sizeof client->request - 1);
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
