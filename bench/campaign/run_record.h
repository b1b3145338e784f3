/* SPDX-License-Identifier: BSD-3-Clause */
/* What one run of a campaign tells its parent through a pipe.
 *
 * Lines of text, in this order: "size" once the problem is read, "begin"
 * before each repeat, "run" after it.  So a run that is killed has told its
 * size and the repeats that it finished.  Used by the runs of our own solvers
 * (own_run.c) and by the peers (bench/peers).
 */
#ifndef PERP_BENCH_CAMPAIGN_RUN_RECORD_H
#define PERP_BENCH_CAMPAIGN_RUN_RECORD_H

#include <perp/io.h>

typedef struct perp_bench_record {
    int n, contacts; /* -1 until the problem is read */
    double nnz;      /* stored entries of the matrices, -1 likewise */
    int repeats;     /* finished */
    int begun;       /* repeats begun */
    char status[32]; /* "solved", "stalled", ...; "" until a repeat has finished */
    long iterations; /* of the first repeat, as status and residual */
    perp_residuals residual;
    double error;        /* the measure that tol is compared with, recomputed; NaN unknown */
    double setup, solve; /* seconds, the fastest repeat */
    long peak_kb;        /* largest resident memory, -1 unknown */
    char note[128];      /* one sentence without line ends, or "" */
} perp_bench_record;

void perp_bench_record_init(perp_bench_record *record);

/* "PERP_ITERATION_LIMIT" becomes "iteration-limit". */
void perp_bench_status_word(char *word, size_t size, perp_status status);

/* The error that a measure compares with tol; where there is no scaled
 * residual, the natural one. */
double perp_bench_error(const perp_residuals *residual, perp_measure_kind measure);

/* Stored entries of the problem's matrices; of a global one, H and M. */
double perp_bench_nnz(const perp_problem_file *file, const perp_problem *problem);

/* All of the bytes, whatever interrupts it.  0, or -1 with errno. */
int perp_bench_write_all(int fd, const char *text, size_t length);

/* Writers, for the run.  0, or -1 when the pipe is closed. */
int perp_bench_tell_size(int fd, int n, int contacts, double nnz);
int perp_bench_tell_begin(int fd);
int perp_bench_tell_run(int fd, const perp_bench_record *run);

/* Reader, for the parent: takes one line without its end into the record.
 * Returns 0, or -1 when the line is not one of ours. */
int perp_bench_hear(perp_bench_record *record, const char *line);
/* count numbers with blanks before them, the same in every locale; the first character after them,
 * NULL where there are fewer. */
const char *perp_bench_read_numbers(const char *text, int count, double *x);

/* Largest resident memory of this process in kB since exec, -1 when unknown. */
long perp_bench_peak_kb(void);

#endif
