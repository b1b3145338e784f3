/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing numbers in text, independent of the locale.
 *
 * A perp_text is a whole file in memory with a cursor.  The first error
 * sticks: every later call does nothing and gives zeros, so that a reader may
 * ask for a group of values and look at `status` once.
 */
#ifndef PERP_IO_TEXT_H
#define PERP_IO_TEXT_H

#include "io/failure.h"
#include "io/heap.h"

typedef struct perp_text {
    const char *path;
    const char *at, *end; /* *end is 0 */
    int line;             /* of `at`, from 1 */
    perp_status status;
    perp_io_error *error; /* may be NULL */
} perp_text;

/* Reads the file into the heap. */
perp_status perp_text_open(perp_text *text, const char *path, perp_heap *heap,
                           perp_io_error *error);

/* Sets the error, if it is the first one.  Returns text->status. */
perp_status perp_text_fail(perp_text *text, perp_status status, const char *format, ...)
    PERP_IO_PRINTF(3, 4);

/* Bytes left.  A list of k numbers needs at least 2 k - 1 of them. */
size_t perp_text_left(const perp_text *text);
/* 0, and an error, when `count` numbers cannot fit into what is left. */
int perp_text_fits(perp_text *text, size_t count, const char *what);

/* An integer from lowest to highest. */
int perp_text_int(perp_text *text, int lowest, int highest, const char *what);
void perp_text_ints(perp_text *text, int *values, size_t count, int lowest, int highest,
                    const char *what);
/* Finite numbers only: anything else is PERP_ERR_FORMAT or PERP_ERR_NONFINITE. */
void perp_text_doubles(perp_text *text, double *values, size_t count, const char *what);
/* Numbers and infinities. */
void perp_text_bounds(perp_text *text, double *values, size_t count, const char *what);
/* The next word is `word`, and is taken.  perp_text_is() only looks and never fails. */
void perp_text_expect(perp_text *text, const char *word, const char *what);
int perp_text_is(const perp_text *text, const char *word);
/* The rest of the current line; *length excludes its end.  NULL at the end of the text. */
const char *perp_text_line(perp_text *text, size_t *length);
/* How many numbers (or infinities) follow, up to `most`; *only is 1 when nothing but they follow.
 */
size_t perp_text_count_numbers(const perp_text *text, size_t most, int *only);

/* 17 significant digits, "1.0000000000000000e+00", or "inf", "-inf".
 * buffer has space for PERP_TEXT_DOUBLE bytes. */
enum { PERP_TEXT_DOUBLE = 40 };
const char *perp_text_print(char *buffer, double value);

#endif
