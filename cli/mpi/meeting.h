/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that do the same on their own meet where they need each other, and see there whether they
 * still do: none waits for one that has left. */
#ifndef PERP_CLI_MEETING_H
#define PERP_CLI_MEETING_H

#include <stddef.h>
#include <stdint.h>

typedef enum perp_meeting_place {
    PERP_MEET_SOLVE = 1,
    PERP_MEET_CHECKPOINT,
    PERP_MEET_STEP,
    PERP_MEET_DIVIDE, /* of runs in parts */
    PERP_MEET_GATHER,
    PERP_MEET_SUM,
    PERP_MEET_TOTAL,
    PERP_MEET_ISLANDS,
    PERP_MEET_END /* the rank leaves */
} perp_meeting_place;

typedef struct perp_meeting {
    int over;  /* someone left, or they are apart: none meets any more */
    int apart; /* they did not have the same bits, or were at different places */
} perp_meeting;

/* 1: all ranks are here with the same `bits`; *any (may be NULL): the largest wish (>= 0) of a
 * rank. 0: the meetings are over. */
int perp_meet(perp_meeting *meeting, perp_meeting_place place, uint64_t bits, int wish, int *any);

/* A number that tells arrays of doubles apart, bit by bit; 0 begins it. */
uint64_t perp_bits_of(uint64_t before, const double *x, size_t n);

#endif
