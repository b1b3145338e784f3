/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers into a text file that is written atomically.  The first error
 * sticks; perp_text_out_end() reports it. */
#ifndef PERP_IO_TEXT_OUT_H
#define PERP_IO_TEXT_OUT_H

#include <stdio.h>

#include "io/atomic_file.h"

typedef struct perp_text_out {
    perp_atomic_file file;
    FILE *stream;
    perp_status status;
} perp_text_out;

perp_status perp_text_out_begin(perp_text_out *out, const char *path, perp_heap *heap,
                                perp_io_error *error);
void perp_text_out_fail(perp_text_out *out, perp_status status, const char *what);
void perp_text_out_word(perp_text_out *out, const char *word);
/* Integers on one line. */
void perp_text_out_ints(perp_text_out *out, const int *values, size_t count);
/* Each value with 17 digits and `after` behind it.  A NaN or an infinity is an error. */
void perp_text_out_doubles(perp_text_out *out, const double *values, size_t count, char after);
/* The same, infinities allowed. */
void perp_text_out_bounds(perp_text_out *out, const double *values, size_t count, char after);
perp_status perp_text_out_end(perp_text_out *out);

#endif
