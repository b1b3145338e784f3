/* SPDX-License-Identifier: BSD-3-Clause */
/* The instants of a run that goes on, as many as the memory set aside holds: every step until 20
 * 000 instants or 128 MB are full.  Then those whose step is odd go, and later ones are kept of
 * every second step; then of every fourth, and so on.  What happened in the steps of one that goes
 * (steps, unsolved, the worst violation, error and certificate) is put to the next one. */
#ifndef PERP_VIEWER_LIVE_STORE_H
#define PERP_VIEWER_LIVE_STORE_H

#include "viewer/motion_read.h"

enum { PERP_LIVE_INSTANTS = 20000, PERP_LIVE_BYTES = 128 << 20 };

typedef struct perp_live_instant {
    int64_t step;
    perp_motion_frame frame; /* into bytes */
    unsigned char *bytes;    /* its records */
    size_t size;
} perp_live_instant;

typedef struct perp_live_store {
    perp_live_instant *list; /* by step, each later than the one before */
    size_t count, bytes;
    size_t most, most_bytes;
    size_t entries;
    int64_t stride;              /* between two steps that are kept */
    double pending[PERP_CURVES]; /* of what was dropped since the last one that is kept */
} perp_live_store;

/* 0, or -1: no memory. */
int perp_live_store_open(perp_live_store *store, size_t entries, size_t most, size_t most_bytes);
void perp_live_store_close(perp_live_store *store);
/* Takes the records of the instant after `step` steps; where extra is 0 only if the stride has it.
 * One that finds no memory is left out; 0, or -1: the bytes are no instant. */
int perp_live_store_add(perp_live_store *store, int64_t step, const unsigned char *bytes,
                        size_t size, int extra);
/* Place of the first instant after `step` steps; count: there is none. */
size_t perp_live_store_after(const perp_live_store *store, int64_t step);

#endif
