/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of results: one line per run, appended as runs end.
 *
 * The columns are PERP_BENCH_COLUMNS, in this order.  `status` is what the run
 * claims; whether a claimed "solved" is true is seen from `error` and `tol`.
 */
#ifndef PERP_BENCH_CAMPAIGN_RESULTS_FILE_H
#define PERP_BENCH_CAMPAIGN_RESULTS_FILE_H

#include "bench/campaign/run_record.h"

#define PERP_BENCH_COLUMNS                                                                         \
    "host,commit,problem,n,contacts,nnz,solver,settings,tol,status,iterations,natural,scaled,"     \
    "primal,dual,gap,error,setup_s,solve_s,peak_kb,repeats,note"

/* Texts belong to the table (or to the caller, for a row that is appended). */
typedef struct perp_bench_row {
    const char *host, *commit, *problem, *solver, *settings;
    double tol;
    perp_bench_record run;
} perp_bench_row;

typedef struct perp_bench_table {
    perp_bench_row *row;
    int rows;
    int capacity;
    char *text;      /* the file, cut into the fields */
    long good_bytes; /* length of the file up to its last whole line */
    long bytes;      /* of the file */
} perp_bench_table;

/* Reads a results file.  A missing or empty file is an empty table, and so is one
 * that ends within the header.  A last line without its end (a campaign was killed)
 * and lines with a NUL (a machine stopped) are left out.  What has no such header,
 * or lines of other columns, is no results file.  0, or -1 with a message. */
int perp_bench_table_read(perp_bench_table *table, const char *path, char *message, size_t size);
void perp_bench_table_free(perp_bench_table *table);

/* The last row of this run, or NULL when it is still to be made.  A peer is
 * killed at the time limit and reads it not, so its rows of other limits count
 * as well: those that ended, and those killed at a limit not below this one. */
const perp_bench_row *perp_bench_table_find(const perp_bench_table *table,
                                            const perp_bench_row *key);
/* The time limit that the settings name, 60 without. */
double perp_bench_limit_of(const char *settings);
/* Are these settings equal but for the value of the time limit? */
int perp_bench_same_but_limit(const char *a, const char *b);

/* Opens the file that the table was read from for appending after its good_bytes,
 * takes a lock against a second campaign, and writes the header when there is none.
 * A last line without its end goes to the end of FILE.torn before it is cut off; a
 * file that has changed since it was read stays as it is.  The descriptor, or -1. */
int perp_bench_append_open(const char *path, const perp_bench_table *table, char *message,
                           size_t size);
/* Appends one line and waits until it is on the disk.  0 or -1 with errno. */
int perp_bench_append(int fd, const perp_bench_row *row);

#endif
