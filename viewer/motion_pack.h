/* SPDX-License-Identifier: BSD-3-Clause */
/* A motion as compact bytes for a page.  Each number x of the state becomes an integer, x = step *
 * integer, where step is a power of two:
 *     2^-20 for numbers of 1 to 256, so that the error is 2^-21 = 4.8e-7 at most;
 *     smaller in proportion where none of a position or coordinate reaches 1;
 *     2^-27 of the largest power of two below what is larger than 256: error 4e-9 of it.
 * Entries of a position share their step.  The second differences of the integers in time are then
 * written with as many bits as the largest in a chunk of instants needs. */
#ifndef PERP_VIEWER_MOTION_PACK_H
#define PERP_VIEWER_MOTION_PACK_H

#include "viewer/motion_read.h"

enum { PERP_PACK_CHUNK = 32 };

typedef struct perp_pack {
    const perp_motion *motion;
    signed char *exponent;     /* of the step of each entry */
    int32_t *before, *before2; /* integers of the two instants before */
    unsigned char *out;        /* of the chunk that was made last */
    size_t size, capacity;
    size_t contact_stride; /* instants between two with contacts */
} perp_pack;

/* 0, or -1: no memory. */
int perp_pack_start(perp_pack *pack, const perp_motion *motion);
/* The next chunk: instants from first to first + count; 0, or -1: no memory. */
int perp_pack_chunk(perp_pack *pack, size_t first, size_t count);
void perp_pack_release(perp_pack *pack);

#endif
