/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows a run that goes on to browsers of this machine, over HTTP on the loopback interface.  One
 * thread: the run calls the server between its steps, and no call waits for a browser.
 *     GET  /TOKEN/        the page
 *     GET  /TOKEN/events  server-sent events, viewer/live_events.h
 *     GET  /TOKEN/state   {"paused", "held", "step", "t", "kept", "stride", "watchers"}
 *     POST /TOKEN/pause, go, step, stop */
#ifndef PERP_VIEWER_LIVE_H
#define PERP_VIEWER_LIVE_H

#include <stddef.h>
#include <stdint.h>

typedef struct perp_live perp_live;

typedef struct perp_live_wish {
    int port;          /* 0: the system chooses */
    int paused;        /* 1: begins in pause */
    const char *three; /* path of three.js */
    const void *head;  /* bytes of motion.bin before its first instant */
    size_t head_size;
} perp_live_wish;

/* 0, or -1 with a sentence in text. */
int perp_live_open(perp_live **live, const perp_live_wish *wish, char *text, size_t size);
const char *perp_live_url(const perp_live *live);
/* 1: the instant after so many steps is to be given to perp_live_add(). */
int perp_live_wants(const perp_live *live, int64_t step);
/* Records of an instant of motion.bin. */
void perp_live_add(perp_live *live, int64_t step, const void *bytes, size_t size);
/* Reads and writes what can be without waiting.  It does nothing until 20 times as long has passed
 * as the call before took, and 5 ms, so that a run becomes slower by a twentieth at most. */
void perp_live_serve(perp_live *live);
/* As long as the run is to pause; `stop` is asked now and then.  Allows one step for each "step".
 * Seconds that it took. */
double perp_live_hold(perp_live *live, int (*stop)(void));
/* 1: a browser asked for the end of the run. */
int perp_live_stopped(const perp_live *live);
/* The last events to the browsers that read them: 30 seconds at most, and 5 seconds without a byte
 * taken; 2 and 0.5 once `stop` is true.  why: a sentence on the end.  Then closes all. */
void perp_live_end(perp_live *live, const char *why, int failed, int (*stop)(void));
/* Closes all at once; NULL is accepted. */
void perp_live_close(perp_live *live);

#endif
