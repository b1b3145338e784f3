/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion of a scene as an engine tells it, a stream: 128 bytes of text, then doubles.
 *
 *     text       "perp-motion 1 ENGINE VERSION", filled up with zeros; "!WHY": it cannot make this
 *                scene
 *     a record   t, seconds, early, contacts, given; bodies x 13; given x 15
 *
 * The first record is the start, the others follow each step.  seconds: processor time of the step
 * (of the set-up in the first record); early: 1 where the solver ended before its tolerance, 0, or
 * NaN where the engine does not tell; contacts: number of points of contact, NaN: not told; given:
 * how many of them follow with their impulses, -1: impulses are not given.
 * A body: position of the centre of mass, quaternion (scalar first), velocity, angular velocity,
 * world axes.  A contact: bodies a and b (-1: the world), the arms from their centres to the point
 * (of the world: whatever), the normal from b to a, the impulse on a in this step, world axes, and
 * the gap at the start of the step. */
#ifndef PERP_ENGINES_MOTION_H
#define PERP_ENGINES_MOTION_H

#include <stddef.h>

#include "generators/rigid_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOTION_TEXT = 128, MOTION_HEAD = 5, MOTION_BODY = 13, MOTION_CONTACT = 15 };

typedef struct motion_contact {
    double a, b, arm_a[3], arm_b[3], normal[3], impulse[3], gap;
} motion_contact;

typedef struct motion_record {
    double t, seconds, early, contacts, given;
    double *body;            /* bodies x 13 */
    motion_contact *contact; /* given */
} motion_record;

/* Writing, by an engine's program; everything returns 0, or -1: the reader is gone. */
typedef struct motion_out {
    int fd, bodies;
    motion_record record; /* to be filled; contacts by motion_add_contact() */
    int capacity;
} motion_out;
int motion_begin(motion_out *out, int fd, const rigid_scene *scene, const char *version);
int motion_refuse(int fd, const char *why);
/* Forgets the contacts of the last record; impulses are given from here on. */
void motion_start_contacts(motion_out *out);
int motion_add_contact(motion_out *out, const motion_contact *contact);
int motion_write(motion_out *out);
void motion_end(motion_out *out);
/* Start values of the scene into the record: t = 0, nothing of steps. */
void motion_start_values(motion_out *out, const rigid_scene *scene);
double motion_processor_time(void); /* seconds, of the process */

/* Reading in pieces, as they come. */
typedef struct motion_in {
    int bodies;
    char text[MOTION_TEXT];
    char *bytes; /* what came and is not yet a record */
    size_t used, capacity;
    int has_text;
    motion_record record; /* borrows the bytes */
} motion_in;
void motion_in_init(motion_in *in, int bodies);
void motion_in_free(motion_in *in);
/* Memory for at least `least` more bytes; NULL without memory.  in->used grows by what was put in.
 */
char *motion_in_reserve(motion_in *in, size_t least);
/* 1: in->record holds the next one, until the next call; 0: more bytes are needed; -1: no such
 * stream. */
int motion_in_next(motion_in *in, size_t *taken);
void motion_in_drop(motion_in *in, size_t taken);

#ifdef __cplusplus
}
#endif
#endif
