/* SPDX-License-Identifier: BSD-3-Clause */
/* What reading a model of a robot needs: memory that is given back together, the first error, the
 * list of what is not done, and remarks.  Each names file, element and line. */
#ifndef PERP_SCENE_ROBOTS_ROBOT_JOB_H
#define PERP_SCENE_ROBOTS_ROBOT_JOB_H

#include <stddef.h>

#include <perp/robot.h>

struct perp_xml;

/* What a file may ask for. */
enum {
    PERP_ROBOT_MOST_BYTES = 1 << 26,    /* of an XML file */
    PERP_ROBOT_MOST_DEPTH = 200,        /* of elements in each other */
    PERP_ROBOT_MOST_ELEMENTS = 1000000, /* of all files together */
    PERP_ROBOT_MOST_FILES = 1000,       /* that are included */
    PERP_ROBOT_MOST_PARTS = 100000,     /* bodies, joints, shapes: of each */
    PERP_ROBOT_MOST_MESH_BYTES = 1 << 28
};
#define PERP_ROBOT_MOST_MEMORY ((size_t)1 << 32)

typedef struct perp_robot_remark {
    const char *element; /* its name, for `ignore` */
    perp_scene_error said;
    struct perp_robot_remark *next;
} perp_robot_remark;

typedef struct perp_robot_block {
    struct perp_robot_block *next;
} perp_robot_block;

typedef struct perp_robot_job {
    perp_allocator memory;
    perp_robot_block *blocks;
    size_t taken;
    perp_status status;     /* PERP_SOLVED until something was refused */
    perp_scene_error error; /* the first refusal */
    const perp_robot_options *options;
    const char *path, *name; /* of the model: to open, for messages */
    const char *folder;      /* of the model, resolved; NULL: a text without a place */
    int elements, files;
    perp_robot_remark *missing, **last_missing; /* what is not done */
    perp_robot_remark *notes, **last_note;      /* what was done in another way */
    int nmissing, told;
} perp_robot_job;

void perp_robot_begin(perp_robot_job *job, const perp_allocator *allocator,
                      const perp_robot_options *options);
void perp_robot_end(perp_robot_job *job);

/* Zeroed; NULL after noting a failure. */
void *perp_robot_take(perp_robot_job *job, size_t count, size_t size);
char *perp_robot_text(perp_robot_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One more element at the end of an array that starts as NULL, 0, 0; NULL as above or where there
 * are PERP_ROBOT_MOST_PARTS. */
void *perp_robot_add(perp_robot_job *job, void **array, int *count, int *capacity, size_t size);

/* at: the element it is about, NULL for the whole file.  -1. */
int perp_robot_fail(perp_robot_job *job, const struct perp_xml *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int perp_robot_fail_status(perp_robot_job *job, perp_status status, const struct perp_xml *at,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Something that the model asks for and that is not done. */
void perp_robot_missing(perp_robot_job *job, const struct perp_xml *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void perp_robot_note(perp_robot_job *job, const struct perp_xml *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Tells all remarks; refuses where something is missing that is not to be ignored. */
int perp_robot_tell(perp_robot_job *job);

#endif
