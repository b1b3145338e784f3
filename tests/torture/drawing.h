/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes drawn at random, as texts.  Bodies: of six shapes, stacked or thrown, with joints of seven
 * kinds that may be redundant.  Machines: trees of bodies on joints of eleven kinds with limits,
 * motors, servos, friction and springs, loops, gears, controllers and forces, over floors that
 * stand still, run, shake or roll.  On grounds: hulls, surfaces of triangles, several shapes on a
 * body, thrown on height fields, uneven bowls, stairs and into grooves, some of which run. */
#ifndef PERP_TESTS_TORTURE_DRAWING_H
#define PERP_TESTS_TORTURE_DRAWING_H

#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"

enum { DRAWING_TEXT = 16384, DRAWING_BODIES = 8, DRAWING_JOINTS = 3 };

typedef struct drawing {
    perp_rng rng;
    char text[DRAWING_TEXT];
    int length, bodies; /* b0, b1, ...: six velocities each */
    double place[DRAWING_BODIES][3];
    int joined[DRAWING_BODIES], pair[DRAWING_JOINTS][2], joints;
} drawing;

void drawing_of_bodies(drawing *d, uint64_t seed);
void drawing_of_machine(drawing *d, uint64_t seed);
void drawing_on_ground(drawing *d, uint64_t seed);

__attribute__((format(printf, 2, 3))) void drawing_put(drawing *d, const char *format, ...);
double drawing_pick(drawing *d, const double *from, int count);
/* Named, of three numbers up to 1.5 size. */
void drawing_vector(drawing *d, const char *name, double size);

/* verified_files.c: do the files of so many steps of it contradict each other, or the scene?  By
 * perp verify, which shares nothing with the kernel; what: a sentence. */
int drawing_is_contradicted(const drawing *d, int steps, char *what, size_t size);
/* moved_scene.c: the step in which the run of bodies or on a ground parts from that of the same
 * scene elsewhere; 0: none. */
long drawing_parts(const drawing *d, long steps);
/* saved_scene.c: the first step of so many that has other bits where the run is saved now and then,
 * or goes on in another scene from what was saved; 0: none. */
long drawing_saved_parts(const drawing *d, long steps);

#endif
