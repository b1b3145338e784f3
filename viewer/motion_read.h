/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads motion.bin of a run, docs/reference/motion.md. */
#ifndef PERP_VIEWER_MOTION_READ_H
#define PERP_VIEWER_MOTION_READ_H

#include <stddef.h>
#include <stdint.h>

/* Curves of an instant, in the order of the file. */
enum {
    PERP_CURVE_TIME,
    PERP_CURVE_STEP,
    PERP_CURVE_STEPS,
    PERP_CURVE_UNSOLVED,
    PERP_CURVE_KINETIC,
    PERP_CURVE_POTENTIAL,
    PERP_CURVE_VIOLATION,
    PERP_CURVE_ERROR,
    PERP_CURVE_CERTIFICATE,
    PERP_CURVE_MEASURE,
    PERP_CURVE_FIRST,
    PERP_CURVE_ACTIVE,
    PERP_CURVES
};

/* As it stands in the file. */
typedef struct perp_motion_contact {
    int32_t first, second, state, rows;
    float gap, point[3], normal[3], velocity[3], impulse[3], mu;
} perp_motion_contact;

typedef struct perp_motion_frame {
    const unsigned char *curves;   /* PERP_CURVES doubles, then entries doubles; any alignment */
    const unsigned char *contacts; /* NULL: none were recorded */
    size_t ncontacts;
} perp_motion_frame;

typedef struct perp_motion {
    unsigned char *bytes; /* the whole file */
    size_t size;
    const char *head; /* JSON, head_size bytes */
    size_t head_size;
    /* A character for each of the entries: p begins a position, u a unit quaternion, blanks go with
     * what is before them, q stands by itself. */
    const char *layout;
    perp_motion_frame *frames;
    size_t nframes, entries;
    int cut;         /* 1: the run did not end, or is going on */
    const char *why; /* it failed: why_size bytes; NULL: it did not */
    size_t why_size;
} perp_motion;

/* Reads DIR/motion.bin, or what an interrupted run left of it; 0, or -1 with a sentence in text. */
int perp_motion_read(perp_motion *motion, const char *dir, char *text, size_t size);
void perp_motion_release(perp_motion *motion);

/* The bytes of a head and of what follows, up to the last whole record; 0, or -1 with the reason
 * that follows the name of the file. */
int perp_motion_parse(perp_motion *motion, char *text, size_t size);

/* The same where no instant has been made yet. */
int perp_motion_parse_head(perp_motion *motion, char *text, size_t size);

static inline double perp_motion_number(const perp_motion_frame *frame, size_t k)
{
    double x;
    __builtin_memcpy(&x, frame->curves + k * sizeof x, sizeof x);
    return x;
}

#endif
