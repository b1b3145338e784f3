/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PERP_PATH_SHOWN = 120 };

/* The end of a long path says more than its beginning. */
static const char *path_tail(const char *path, const char **dots)
{
    size_t length = strlen(path);
    *dots = length > PERP_PATH_SHOWN ? "..." : "";
    return length > PERP_PATH_SHOWN ? path + length - PERP_PATH_SHOWN : path;
}

const char *perp_io_reason(char text[PERP_IO_REASON], const char *what)
{
    snprintf(text, PERP_IO_REASON, "%s%s%s", what, errno ? ": " : "", errno ? strerror(errno) : "");
    return text;
}

perp_status perp_io_fail(perp_io_error *error, perp_status status, const char *path, int line,
                         const char *format, ...)
{
    if (!error)
        return status;
    size_t used = 0, size = sizeof error->text;
    int length = 0;
    error->line = line;
    memset(error->reserved, 0, sizeof error->reserved);
    if (path) {
        const char *dots, *tail = path_tail(path, &dots);
        length = snprintf(error->text, size, "%s%s: ", dots, tail);
        used = length > 0 ? (size_t)length : 0;
    }
    if (line > 0) {
        length = snprintf(error->text + used, size - used, "line %d: ", line);
        used += length > 0 ? (size_t)length : 0;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(error->text + used, size - used, format, args);
    va_end(args);
    return status;
}

void perp_io_note(perp_problem_file *file, const char *format, ...)
{
    size_t used = strlen(file->note), size = sizeof file->note;
    if (used > 0 && used + 3 < size) {
        memcpy(file->note + used, "; ", 3);
        used += 2;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(file->note + used, size - used, format, args);
    va_end(args);
}
