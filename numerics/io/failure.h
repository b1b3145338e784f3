/* SPDX-License-Identifier: BSD-3-Clause */
/* Error texts of files. */
#ifndef PERP_IO_FAILURE_H
#define PERP_IO_FAILURE_H

#include <perp/io.h>

#if defined(__GNUC__)
#define PERP_IO_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define PERP_IO_PRINTF(f, a)
#endif

/* Writes "path: line N: text" (without the line where it is 0, without the
 * path where it is NULL) to *error, which may be NULL, and returns status. */
perp_status perp_io_fail(perp_io_error *error, perp_status status, const char *path, int line,
                         const char *format, ...) PERP_IO_PRINTF(5, 6);

/* "what: reason" with the reason that errno has, or what alone where it has none. */
enum { PERP_IO_REASON = 128 };
const char *perp_io_reason(char text[PERP_IO_REASON], const char *what);

/* Appends a remark to file->note, separated by "; ". */
void perp_io_note(perp_problem_file *file, const char *format, ...) PERP_IO_PRINTF(2, 3);

#endif
