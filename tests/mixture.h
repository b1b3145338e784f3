/* SPDX-License-Identifier: BSD-3-Clause */
/* One scene with systems of every kind and rows of every law, which do not touch each other. */
#ifndef PERP_TESTS_MIXTURE_H
#define PERP_TESTS_MIXTURE_H

#include "tests/kernel_rig.h"

typedef struct mixture {
    rig r;
    perp_system_id ball, body, arm, circuit, relay;
} mixture;

/* A planar ball with friction, a rolling sphere, a pendulum on a pivot, a circuit with a diode,
 * two relays. */
enum {
    WITH_BALL = 1,
    WITH_BODY = 2,
    WITH_ARM = 4,
    WITH_CIRCUIT = 8,
    WITH_RELAY = 16,
    WITH_ALL = 31
};

/* Solver gs, h = 2e-3; scheme NULL: the standard ones. */
void mixture_make(mixture *m, int with, const perp_scheme *scheme, const perp_allocator *allocator);
/* All but the start of the simulation. */
void mixture_define(mixture *m, int with, const perp_allocator *allocator);
void mixture_free(mixture *m);
/* All states one after the other; returns how many numbers (at most 64). */
int mixture_states(double *out, const mixture *m);

#endif
