/* SPDX-License-Identifier: BSD-3-Clause */
/* The systems of bench/step_time.c; bench/peers/siconos_kernel.cpp has the same ones. */
#ifndef PERP_BENCH_STEP_SYSTEMS_H
#define PERP_BENCH_STEP_SYSTEMS_H

#include <perp/kernel.h>

typedef struct perp_bench_system {
    perp_model *model;
    perp_sim *sim;
    perp_collider *collider; /* of the pile, else NULL */
    double h, radius;
    perp_allocator memory; /* counts */
    long allocations;
} perp_bench_system;

typedef struct perp_bench_kind {
    const char *name, *text;
    double h;
    perp_status (*build)(perp_bench_system *s, int size);
    int peer; /* 1: the peer has it, too */
} perp_bench_kind;

/* ball       bouncing on the ground, e = 0.9
 * column     `size` beads above each other, falling onto the ground, e = 0.9
 * stack      the same, overlapping by 1e-9 so that all contacts are active
 * bridge     a circuit with four diodes
 * pyramid    spheres in `size` square layers on a plane, contacts given at the start
 * pile       `size` spheres in a box of planes, contacts found as it runs
 * heap       the same, each in the pocket of four others: four contacts a sphere from the start */
extern const perp_bench_kind perp_bench_kinds[];
/* That of "NAME" or "NAME:SIZE", the size being 1 where it is not given; NULL: there is none. */
const perp_bench_kind *perp_bench_find(const char *text, int *size);

/* NULL and 0: the defaults; set: name=value for that solver. */
typedef struct perp_bench_how {
    perp_form form;
    int threads;
    const char *solver, *set, *scheme;
} perp_bench_how;

/* timing: 1 where the split of a step is wanted.  *s is cleared first; always destroy it. */
perp_status perp_bench_make(perp_bench_system *s, const perp_bench_kind *kind, int size, int timing,
                            const perp_bench_how *how);
void perp_bench_destroy(perp_bench_system *s);
/* Sum of the coordinates of the second-order systems and of the absolute values of velocities
 * and of first-order states. */
double perp_bench_checksum(perp_bench_system *s);

#endif
