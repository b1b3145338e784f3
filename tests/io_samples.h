/* SPDX-License-Identifier: BSD-3-Clause */
/* Random dumps of every class, files in a folder of the test's own, and
 * comparisons bit by bit. */
#ifndef PERP_TESTS_IO_SAMPLES_H
#define PERP_TESTS_IO_SAMPLES_H

#include <perp/io.h>

#include "core/rng.h"

typedef enum io_sample {
    IO_FRICTION_2D,
    IO_FRICTION_3D,
    IO_ROLLING,    /* five rows */
    IO_FRICTION_V, /* with V, R, s */
    IO_GLOBAL_2D,
    IO_GLOBAL_3D,
    IO_GLOBAL_ROLLING,
    IO_GLOBAL_G, /* with G, b */
    IO_LCP_DENSE,
    IO_LCP_SPARSE,
    IO_MLCP_DENSE,
    IO_MLCP_SPARSE,
    IO_RELAY, /* some bounds infinite */
    IO_SAMPLES
} io_sample;

/* Size 0 makes problems without rows; 4 or so is small. */
perp_dump *io_sample_make(io_sample kind, int size, perp_rng *rng);
/* 1 where the format can hold the sample. */
int io_sample_fits(io_sample kind, perp_file_format format);

/* Fails the test unless both hold the same, bit by bit. */
void io_assert_same(const perp_dump *a, const perp_dump *b);
/* Column-major copy, rows x cols; the caller frees. */
double *io_dense(const perp_mat *A);

/* A folder that io_folder_remove() deletes with what is in it; called in main. */
void io_folder_make(void);
void io_folder_remove(void);
/* Path of a file in it, valid until four calls later. */
const char *io_path(const char *leaf);
int io_folder_count(void); /* files of this process in it */
void io_write(const char *path, const char *text, size_t bytes);
char *io_read(const char *path, size_t *bytes); /* the caller frees */

/* Reads text as a file named leaf. */
perp_status io_parse(perp_dump **dump, const char *leaf, const char *text, perp_dump_class cls,
                     perp_io_error *error);

/* An allocator that fails at the fail_at-th call (from 0; -1: never). */
typedef struct io_memory {
    int calls, live, fail_at;
} io_memory;
perp_allocator io_allocator(io_memory *memory);

#endif
