/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* open_memstream, clock_gettime */
#include "viewer/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "viewer/live_client.h"
#include "viewer/live_events.h"
#include "viewer/page.h"
#include "viewer/serve.h"

enum { CLIENTS = 16, LOOK = 100 /* milliseconds between two looks at `stop` */ };
static const double request_seconds = 5.0, answer_seconds = 10.0, leave_seconds = 1.0;
static const double share = 20.0, least_pause = 0.005;
/* How long the end is offered to browsers, and to those that take nothing; in a hurry. */
static const double end_seconds[] = {30.0, 2.0}, stuck_seconds[] = {5.0, 0.5};

struct perp_live {
    perp_serve serve;
    perp_live_store store;
    perp_motion motion; /* the head alone */
    char *page, *head;  /* what is sent of them, made once */
    size_t page_size, head_size;
    perp_live_client client[CLIENTS];
    int paused, stopped;
    int held;     /* it waits for go or step */
    long singles; /* steps that a browser asked for one by one */
    const char *over;
    int failed;     /* that is why it is over */
    unsigned state; /* grows with each change that browsers are told of */
    double next;    /* seconds: nothing is done before */
};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void send_text(perp_live_client *c, const char *status, const char *type, const char *text)
{
    FILE *out = perp_live_client_text(c);

    if (out != NULL)
        fprintf(out,
                "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n" PERP_SAFE_HEADERS
                "\r\n%s",
                status, type, strlen(text), text);
    if (out == NULL || perp_live_client_send(c) != 0)
        perp_live_client_close(c);
    else
        c->phase = PERP_LIVE_SENDING;
}

static void send_state(perp_live *live, perp_live_client *c)
{
    const perp_live_store *store = &live->store;
    const perp_live_instant *last = store->count > 0 ? &store->list[store->count - 1] : NULL;
    char text[256];
    int watchers = 0;

    for (int k = 0; k < CLIENTS; k++)
        watchers += live->client[k].phase == PERP_LIVE_WATCHING;
    snprintf(text, sizeof text,
             "{\"paused\": %d, \"held\": %d, \"step\": %lld, \"t\": %.17g, \"kept\": %zu, "
             "\"stride\": %lld, "
             "\"watchers\": %d}\n",
             live->paused, live->held, last != NULL ? (long long)last->step : 0LL,
             last != NULL ? perp_motion_number(&last->frame, PERP_CURVE_TIME) : 0.0, store->count,
             (long long)store->stride, watchers);
    send_text(c, "200 OK", "application/json", text);
}

static void send_page(const perp_live *live, perp_live_client *c)
{
    c->out = live->page;
    c->out_size = live->page_size;
    c->sent = 0;
    c->phase = PERP_LIVE_SENDING;
}

static void begin_events(perp_live *live, perp_live_client *c, const char *last)
{
    FILE *out = perp_live_client_text(c);

    if (out != NULL)
        fprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" PERP_SAFE_HEADERS
                     "\r\nretry: 1000\n\n");
    if (out == NULL || perp_live_client_send(c) != 0) {
        perp_live_client_close(c);
        return;
    }
    if (last != NULL)
        c->step = strtoll(last, NULL, 10);
    c->state = live->state - 1;
    c->phase = PERP_LIVE_WATCHING;
}

/* The next event where all before is sent; 1: there is one. */
static int next_event(perp_live *live, perp_live_client *c)
{
    size_t first = perp_live_store_after(&live->store, c->step), count = 1;
    FILE *out;

    if (!c->has_head) {
        c->has_head = 1;
        c->out = live->head;
        c->out_size = live->head_size;
        c->sent = 0;
        return 1;
    }
    /* The end is told last. */
    if (first == live->store.count && c->state == live->state)
        return 0;
    out = perp_live_client_text(c);
    if (out == NULL)
        return 0;
    if (c->state != live->state && (live->over[0] == '\0' || first == live->store.count)) {
        perp_live_state_event(out, live->paused, live->over, live->failed);
        c->state = live->state;
    } else {
        count = perp_live_frames_event(out, &live->store, live->motion.layout, first);
        if (count > 0)
            c->step = live->store.list[first + count - 1].step;
    }
    return count > 0 && perp_live_client_send(c) == 0;
}

static void command(perp_live *live, const char *word, perp_live_client *c)
{
    if (strcmp(word, "pause") == 0) {
        live->paused = 1;
    } else if (strcmp(word, "go") == 0) {
        live->paused = 0;
        live->singles = 0;
    } else if (strcmp(word, "step") == 0) {
        live->paused = 1;
        live->singles += live->singles < 1000000;
    } else if (strcmp(word, "stop") == 0) {
        live->stopped = 1;
    } else {
        send_text(c, "404 Not Found", "text/plain", "");
        return;
    }
    live->state++;
    send_state(live, c);
}

static void answer(perp_live *live, perp_live_client *c)
{
    perp_request request;
    int whole = perp_live_client_parse(c, &request), get;
    const char *rest;

    if (whole == 0)
        return;
    if (whole < 0) {
        send_text(c, "400 Bad Request", "text/plain", "");
        return;
    }
    get = strcmp(request.method, "GET") == 0;
    rest = perp_serve_rest(&live->serve, request.path);
    if (!perp_request_is_local(&request, live->serve.port))
        send_text(c, "403 Forbidden", "text/plain", "");
    else if (rest == NULL)
        send_text(c, "404 Not Found", "text/plain", "");
    else if (get && *rest == '\0')
        send_page(live, c);
    else if (get && strcmp(rest, "events") == 0)
        begin_events(live, c, request.last);
    else if (get && strcmp(rest, "state") == 0)
        send_state(live, c);
    else if (strcmp(request.method, "POST") == 0)
        command(live, rest, c);
    else
        send_text(c, get ? "404 Not Found" : "405 Method Not Allowed", "text/plain", "");
}

/* A free place, or that of the connection that has been silent longest and watches nothing. */
static perp_live_client *place(perp_live *live)
{
    perp_live_client *oldest = NULL;

    for (int k = 0; k < CLIENTS; k++) {
        perp_live_client *c = &live->client[k];
        if (c->phase == PERP_LIVE_FREE)
            return c;
        if (c->phase != PERP_LIVE_WATCHING && (oldest == NULL || c->since < oldest->since))
            oldest = c;
    }
    if (oldest != NULL)
        perp_live_client_close(oldest);
    return oldest;
}

static int unblock(int socket)
{
    int flags = fcntl(socket, F_GETFL);

    return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}

static void accept_all(perp_live *live, double now)
{
    for (int k = 0; k < CLIENTS; k++) {
        int socket = accept(live->serve.socket, NULL, NULL);
        perp_live_client *c = socket >= 0 && unblock(socket) ? place(live) : NULL;
        if (socket < 0)
            return;
        if (c != NULL)
            perp_live_client_open(c, socket, now);
        else
            close(socket);
    }
}

/* All that can be read and written without waiting; bytes that went. */
static long exchange(perp_live *live, perp_live_client *c, short ready, double now)
{
    long count = 0, went = 0;

    if (ready & (POLLIN | POLLHUP | POLLERR))
        count = perp_live_client_read(c, now);
    if (count > 0 && c->phase == PERP_LIVE_READING)
        answer(live, c);
    if (c->phase == PERP_LIVE_SENDING || c->phase == PERP_LIVE_WATCHING) {
        if (c->sent == c->out_size && c->phase == PERP_LIVE_WATCHING)
            next_event(live, c);
        went = perp_live_client_write(c, now);
    }
    /* A side that has said all it has may still read; one that watches has nothing to say. */
    if (went < 0 || (count < 0 && c->phase != PERP_LIVE_SENDING)) {
        perp_live_client_close(c);
        return 0;
    }
    if (c->phase == PERP_LIVE_SENDING && c->sent == c->out_size) {
        shutdown(c->socket, SHUT_WR);
        c->phase = PERP_LIVE_LEAVING;
    }
    return went;
}

static void drop_silent(perp_live_client *c, double now)
{
    double quiet = now - c->since;

    if ((c->phase == PERP_LIVE_READING && quiet > request_seconds) ||
        (c->phase == PERP_LIVE_SENDING && quiet > answer_seconds) ||
        (c->phase == PERP_LIVE_LEAVING && quiet > leave_seconds))
        perp_live_client_close(c);
}

/* 1: it has something to send. */
static int is_waiting(const perp_live *live, const perp_live_client *c)
{
    if (c->sent < c->out_size)
        return 1;
    return c->phase == PERP_LIVE_WATCHING &&
           (!c->has_head || c->state != live->state ||
            perp_live_store_after(&live->store, c->step) < live->store.count);
}

/* One round, after waiting so many milliseconds for something to happen; bytes that went. */
static long serve_round(perp_live *live, int wait)
{
    struct pollfd list[CLIENTS + 1] = {{.fd = live->serve.socket, .events = POLLIN}};
    long went = 0;
    double now;

    for (int k = 0; k < CLIENTS; k++) {
        const perp_live_client *c = &live->client[k];
        list[k + 1].fd = c->phase != PERP_LIVE_FREE ? c->socket : -1;
        list[k + 1].events = (short)(POLLIN | (is_waiting(live, c) ? POLLOUT : 0));
    }
    if (poll(list, CLIENTS + 1, wait) < 0)
        return 0;
    now = seconds();
    for (int k = 0; k < CLIENTS; k++) {
        perp_live_client *c = &live->client[k];
        if (list[k + 1].fd >= 0 && list[k + 1].revents != 0)
            went += exchange(live, c, list[k + 1].revents, now);
        drop_silent(c, now);
    }
    if (list[0].revents != 0)
        accept_all(live, now);
    return went;
}

/* The page with what goes before it. */
static int make_page(perp_live *live, const char *three, char *text, size_t size)
{
    char *body = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&body, &length);
    int bad = out == NULL || perp_page_live(out, three, text, size) != 0;

    if (out != NULL)
        bad |= fclose(out) != 0;
    out = bad ? NULL : open_memstream(&live->page, &live->page_size);
    if (out != NULL) {
        fprintf(out,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                "Content-Length: %zu\r\n" PERP_SAFE_HEADERS "\r\n",
                length);
        fwrite(body, 1, length, out);
        bad = fclose(out) != 0;
    }
    free(body);
    return bad || live->page == NULL ? -1 : 0;
}

static int make_head(perp_live *live, const perp_live_wish *wish, char *text, size_t size)
{
    FILE *out;

    live->motion.bytes = malloc(wish->head_size + 1);
    if (live->motion.bytes == NULL)
        return -1;
    memcpy(live->motion.bytes, wish->head, wish->head_size);
    live->motion.size = wish->head_size;
    if (perp_motion_parse_head(&live->motion, text, size) != 0 ||
        perp_live_store_open(&live->store, live->motion.entries, PERP_LIVE_INSTANTS,
                             PERP_LIVE_BYTES) != 0)
        return -1;
    out = open_memstream(&live->head, &live->head_size);
    if (out == NULL)
        return -1;
    perp_live_head_event(out, &live->motion);
    return fclose(out) == 0 ? 0 : -1;
}

int perp_live_open(perp_live **live, const perp_live_wish *wish, char *text, size_t size)
{
    perp_live *made = calloc(1, sizeof *made);

    *live = NULL;
    snprintf(text, size, "not enough memory");
    if (made == NULL)
        return -1;
    made->serve.socket = -1;
    made->paused = wish->paused;
    made->over = "";
    if (make_head(made, wish, text, size) != 0 || make_page(made, wish->three, text, size) != 0 ||
        perp_serve_open(&made->serve, wish->port, text, size) != 0) {
        perp_live_close(made);
        return -1;
    }
    if (!unblock(made->serve.socket)) {
        snprintf(text, size, "%s", strerror(errno));
        perp_live_close(made);
        return -1;
    }
    *live = made;
    return 0;
}

const char *perp_live_url(const perp_live *live)
{
    return live->serve.url;
}

int perp_live_wants(const perp_live *live, int64_t step)
{
    return live->paused || step % live->store.stride == 0;
}

void perp_live_add(perp_live *live, int64_t step, const void *bytes, size_t size)
{
    perp_live_store_add(&live->store, step, bytes, size, 1);
}

void perp_live_serve(perp_live *live)
{
    double begun = seconds(), ended;

    if (begun < live->next)
        return;
    serve_round(live, 0);
    ended = seconds();
    live->next = ended + share * (ended - begun);
    if (live->next < ended + least_pause)
        live->next = ended + least_pause;
}

double perp_live_hold(perp_live *live, int (*stop)(void))
{
    double begun = live->paused ? seconds() : 0.0, held;

    live->held = 1;
    while (live->paused && live->singles == 0 && !live->stopped && !stop())
        serve_round(live, LOOK);
    live->held = 0;
    held = begun > 0.0 ? seconds() - begun : 0.0;
    if (live->singles > 0)
        live->singles--;
    return held;
}

int perp_live_stopped(const perp_live *live)
{
    return live->stopped;
}

void perp_live_end(perp_live *live, const char *why, int failed, int (*stop)(void))
{
    double begun = seconds(), moved = begun, now = begun;
    int waiting = 1;

    live->over = why;
    live->failed = failed;
    live->paused = 0;
    live->state++;
    for (int hurry = stop();
         waiting && now - begun < end_seconds[hurry] && now - moved < stuck_seconds[hurry];
         hurry = stop()) {
        waiting = 0;
        for (int k = 0; k < CLIENTS; k++)
            waiting |= is_waiting(live, &live->client[k]);
        if (waiting && serve_round(live, LOOK) > 0)
            moved = seconds();
        now = seconds();
    }
    perp_live_close(live);
}

void perp_live_close(perp_live *live)
{
    if (live == NULL)
        return;
    for (int k = 0; k < CLIENTS; k++)
        perp_live_client_close(&live->client[k]);
    perp_serve_close(&live->serve);
    perp_live_store_close(&live->store);
    perp_motion_release(&live->motion);
    free(live->page);
    free(live->head);
    free(live);
}
