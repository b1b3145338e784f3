/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that appears complete or not at all: it is written beside its place,
 * synced, and renamed.  What is no regular file (a pipe, a device) is written
 * directly. */
#ifndef PERP_IO_ATOMIC_FILE_H
#define PERP_IO_ATOMIC_FILE_H

#include <stdio.h>

#include "io/failure.h"
#include "io/heap.h"

typedef struct perp_atomic_file {
    const char *path;   /* as the caller named it */
    const char *place;  /* without symbolic links */
    const char *target; /* what is to be written: a new empty file, or `place` */
    perp_io_error *error;
} perp_atomic_file;

/* path must live until the end. */
perp_status perp_atomic_begin(perp_atomic_file *file, const char *path, perp_heap *heap,
                              perp_io_error *error);
/* With status 0 the target takes its place; otherwise it is removed and status
 * is returned.  The caller has closed the target. */
perp_status perp_atomic_end(perp_atomic_file *file, perp_status status);

#endif
