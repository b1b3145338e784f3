/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets of an HDF5 file, with errors that name the dataset.
 *
 * The first error sticks, as in a perp_text: later calls do nothing and give
 * zeros.  The caller silences HDF5's own error stack.  Names are absolute.
 */
#ifndef PERP_IO_H5_H
#define PERP_IO_H5_H

#include <hdf5.h>

#include "io/failure.h"
#include "io/heap.h"

typedef struct perp_h5 {
    const char *path;
    hid_t file;
    perp_heap *work; /* temporary memory */
    perp_status status;
    perp_io_error *error; /* may be NULL */
} perp_h5;

/* Also after an error, the file must be closed. */
perp_status perp_h5_open(perp_h5 *h5, const char *path, perp_heap *work, perp_io_error *error);
perp_status perp_h5_create(perp_h5 *h5, const char *path, perp_heap *work, perp_io_error *error);
/* Writes what was put into a created file to `place`. */
perp_status perp_h5_save(perp_h5 *h5, const char *place);
/* Closes and returns the status. */
perp_status perp_h5_close(perp_h5 *h5);
perp_status perp_h5_fail(perp_h5 *h5, perp_status status, const char *name, const char *format, ...)
    PERP_IO_PRINTF(4, 5);

/* 1 when the last link of the name is there; the others must be. */
int perp_h5_has(perp_h5 *h5, const char *name);
/* Entries of a dataset with rank 0 or 1 that the file really holds. */
int perp_h5_count(perp_h5 *h5, const char *name);
/* 1: the file is large enough for so many entries of so many bytes > 0 each of the set. */
int perp_h5_holds(perp_h5 *h5, hid_t set, hsize_t points, size_t bytes);
/* Reading: a scalar in a range; `count` entries, which must be all there are.
 * The arrays are taken from `heap`; doubles must be finite. */
int perp_h5_int(perp_h5 *h5, const char *name, int lowest, int highest);
int *perp_h5_ints(perp_h5 *h5, const char *name, int count, perp_heap *heap);
double *perp_h5_doubles(perp_h5 *h5, const char *name, int count, perp_heap *heap);
/* Entries `from` to `from + count` - 1 of a dataset of rank 1; and how many it has in all, which
 * may be more than an int counts. */
long long perp_h5_length(perp_h5 *h5, const char *name);
int *perp_h5_some_ints(perp_h5 *h5, const char *name, long long from, int count, perp_heap *heap);
double *perp_h5_some_doubles(perp_h5 *h5, const char *name, long long from, int count,
                             perp_heap *heap);
/* A string, cut to `size` - 1 bytes, control characters made blanks; "" when
 * it is absent, no text or of variable length. */
void perp_h5_string(perp_h5 *h5, const char *name, char *text, size_t size);

/* Writing, in little endian and without time stamps. */
void perp_h5_put_group(perp_h5 *h5, const char *name);
void perp_h5_put_ints(perp_h5 *h5, const char *name, const int *values, int count);
void perp_h5_put_doubles(perp_h5 *h5, const char *name, const double *values, int count);
void perp_h5_put_string(perp_h5 *h5, const char *name, const char *text);

#endif
