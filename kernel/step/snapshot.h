/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of all systems and interactions as bytes: one walk over it serves to measure, write,
 * check and read, so that each field is named once. */
#ifndef PERP_KERNEL_SNAPSHOT_H
#define PERP_KERNEL_SNAPSHOT_H

#include <stdint.h>

#include "kernel/step/stepper.h"

typedef enum perp_walk_mode {
    PERP_WALK_MEASURE,
    PERP_WALK_WRITE,
    PERP_WALK_CHECK,
    PERP_WALK_READ
} perp_walk_mode;

typedef struct perp_walk {
    perp_walk_mode mode;
    unsigned char *at;
    size_t bytes, capacity; /* done so far; of the buffer */
    int failed;
} perp_walk;

void perp_walk_bytes(perp_walk *w, void *data, size_t bytes);
void perp_walk_doubles(perp_walk *w, double *x, int count); /* x NULL: nothing */
/* What the bytes hold here, to be looked at before anything is read. */
void perp_walk_peek(const perp_walk *w, void *data, size_t bytes);
/* A number that must be the same in the bytes and here. */
void perp_walk_expect(perp_walk *w, uint64_t value);
/* That of one interaction. */
void perp_walk_link(perp_walk *w, perp_link *link);
/* All that a step changes: states, multipliers, outputs, what schemes keep with them. */
void perp_walk_state(perp_walk *w, perp_stepper *stepper);
/* What schemes have learned by their steps; not of a part of several processes. */
void perp_stepper_walk(perp_walk *w, perp_stepper *stepper);

#endif
