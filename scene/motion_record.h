/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion of a run for viewers: motion.bin, described in docs/reference/motion.md. */
#ifndef PERP_SCENE_MOTION_RECORD_H
#define PERP_SCENE_MOTION_RECORD_H

#include <stdint.h>

#include "scene/scene_inside.h"
#include "scene/series_csv.h"

/* What happened in the steps since the instant before: the worst of each. */
typedef struct perp_scene_interval {
    double steps, unsolved;
    double violation, error;
    double certificate, measure; /* largest figure over its threshold of remarks, and which */
    double first;                /* step that was first above; 0: none */
} perp_scene_interval;

/* What the head says of the run. */
typedef struct perp_motion_about {
    long every; /* steps between two instants at first; 0: nothing is recorded */
    long many;  /* instants after which that doubles, again and again; 0: never */
    int contacts;
} perp_motion_about;

enum { PERP_SCENE_CONTACT_FLOATS = 14 };
typedef struct perp_scene_contact_entry {
    int32_t first, second, state, rows;
    float x[PERP_SCENE_CONTACT_FLOATS]; /* gap, point, normal, velocity, impulse, friction */
} perp_scene_contact_entry;

typedef struct perp_scene_motion_record {
    perp_scene_csv file; /* its stream is NULL where nothing is recorded */
    perp_motion_about about;
    perp_scene_contact_entry *acting; /* interactions that act at a point: of these some do now */
    perp_scene_interval pending;
} perp_scene_motion_record;

/* Chooses the stride, which knows nothing of the end: a run that is resumed, until whenever,
 * records what it would have in one go; no file yet. */
void perp_scene_motion_plan(perp_scene_motion_record *record, const perp_scene *scene);
/* 1: the state after so many steps is one to record. */
int perp_scene_motion_is_due(const perp_scene_motion_record *record, int64_t steps);
/* Opens DIR/motion.bin: a new one with its head (bytes < 0), or the one that another run left, cut
 * to so many bytes.  These return 0, or -1 with errno. */
int perp_scene_motion_open(perp_scene_motion_record *record, perp_scene *scene, const char *dir,
                           long long bytes);
/* After each step that was made: takes note of it. */
void perp_scene_motion_note(perp_scene_motion_record *record, perp_scene *scene);
/* The state of now. */
int perp_scene_motion_instant(perp_scene_motion_record *record, perp_scene *scene);

/* Behind the last instant of a run that failed: why. */
int perp_scene_motion_end(perp_scene_motion_record *record, const char *why);

/* The same for memory instead of a file: each step, and the contacts of up to a thousand bodies
 * without being asked for them.  The stream is opened by the caller. */
int perp_scene_motion_plan_stream(perp_scene_motion_record *record, perp_scene *scene);
/* What stands before the first instant. */
int perp_scene_motion_write_head(perp_scene_motion_record *record, perp_scene *scene);

/* A record with its tag; without data, the caller writes the bytes behind it. */
void perp_scene_motion_put(FILE *f, int tag, size_t bytes, const void *data);
/* motion_contacts.c: memory for them, 0 or -1; the contacts of now. */
int perp_scene_motion_take_contacts(perp_scene_motion_record *record, perp_scene *scene);
void perp_scene_motion_put_contacts(perp_scene_motion_record *record, perp_scene *scene);

/* The text that says what moves, as one line of JSON; NULL: no memory.  free() it. */
char *perp_scene_motion_head(const perp_motion_about *about, perp_scene *scene);
/* How many numbers an instant has of a system: its q or x. */
int perp_scene_motion_entries(const perp_scene_member *s);

#endif
