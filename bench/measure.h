/* SPDX-License-Identifier: BSD-3-Clause */
/* What the measuring programs share: clock, pinning, order statistics, sizes. */
#ifndef PERP_BENCH_MEASURE_H
#define PERP_BENCH_MEASURE_H

#include <stddef.h>

#include <perp/io.h>

double perp_measure_now(void); /* seconds, monotonic */

/* Pins this process; cpu -1: to none.  0 or -1. */
int perp_measure_pin(int cpu);

/* The p-quantile (0.5: median) of x, which is sorted in place. */
double perp_measure_quantile(double *x, int count, double p);

/* Bytes of the arrays of a matrix; of a DELASSUS one those of H. */
size_t perp_measure_mat_bytes(const perp_mat *A);
/* The same and q and the parameters of the sets. */
size_t perp_measure_problem_bytes(const perp_problem *problem);

/* Those of a problem file: of a global problem M, H, f and w, q and the parameters. */
size_t perp_measure_file_bytes(const perp_problem_file *file, const perp_problem *problem);

/* An allocator that counts: ctx is a perp_measure_counter, zero at the start. */
typedef struct perp_measure_counter {
    size_t now, peak; /* bytes */
} perp_measure_counter;
perp_allocator perp_measure_allocator(perp_measure_counter *counter);

/* Fewest bytes that a sweep of gs moves: matrix values and indices (DELASSUS: values of H
 * and the diagonal blocks), q read, z read and written, and for DELASSUS the body
 * velocities read and written. */
double perp_measure_sweep_bytes(const perp_problem_file *file, const perp_problem *problem);

/* Reads a file and makes its problem; prints what is wrong and returns -1. */
int perp_measure_load(perp_problem_file **file, perp_problem *problem, const char *path);

/* name=value into the settings; prints what is wrong and returns -1. */
int perp_measure_setting(perp_settings *settings, const char *text);

/* A line of /proc/self/status ("VmHWM", "VmRSS") in kB, -1 when unknown. */
long perp_measure_status_kb(const char *name);

/* Bandwidth in bytes per second of this core on `bytes` of memory in all, the
 * best of several passes over at least a tenth of a second.  read: sum of
 * products of two arrays (16 bytes an entry); triad: a = b + s c as in STREAM
 * (24 bytes an entry).  0 when there is no memory. */
double perp_measure_read(size_t bytes);
double perp_measure_triad(size_t bytes);
/* Their passes: x . y, and a = b + s c. */
double perp_measure_dot(const double *restrict x, const double *restrict y, size_t n);
void perp_measure_add(double *restrict a, const double *restrict b, const double *restrict c, size_t n,
                      double s);

#endif
