/* SPDX-License-Identifier: BSD-3-Clause */
/* A text that grows, and numbers and strings of JSON in it. */
#ifndef PERP_SCENE_ROBOTS_TEXT_WRITER_H
#define PERP_SCENE_ROBOTS_TEXT_WRITER_H

#include "scene/robots/robot_job.h"

typedef struct perp_text_writer {
    perp_robot_job *job;
    char *text;
    size_t used, capacity;
} perp_text_writer;

void perp_write(perp_text_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As few digits as give the number back. */
void perp_write_number(perp_text_writer *w, double x);
void perp_write_numbers(perp_text_writer *w, const double *x, int n); /* [x, ...] */
void perp_write_string(perp_text_writer *w, const char *text);        /* with quotes */

#endif
