/* SPDX-License-Identifier: BSD-3-Clause */
/* The series of a run as CSV: a line of names, then numbers with 17 digits.  While
 * the run goes on the file is called series.csv.part. */
#ifndef PERP_SCENE_CSV_H
#define PERP_SCENE_CSV_H

#include "scene/record.h"

typedef struct perp_run_csv {
    FILE *stream;
    const char *dir;
} perp_run_csv;

/* 0, or -1 with errno. */
int perp_run_csv_start(perp_run_csv *csv, const char *dir, const perp_run_record *record);
/* Goes on after the first `bytes` bytes of what an interrupted run left. */
int perp_run_csv_resume(perp_run_csv *csv, const char *dir, long long bytes);
int perp_run_csv_row(perp_run_csv *csv, double t, const double *row, int columns);
/* On the disk so far: bytes, or -1. */
long long perp_run_csv_sync(perp_run_csv *csv);
/* The whole series in its place, with the last bytes on the disk. */
int perp_run_csv_finish(perp_run_csv *csv);

#endif
