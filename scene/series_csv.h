/* SPDX-License-Identifier: BSD-3-Clause */
/* The series of a run, and its contacts, as CSV: a line of names, then numbers with 17 digits.
 * While the run goes on the file is called NAME.part. */
#ifndef PERP_SCENE_SERIES_CSV_H
#define PERP_SCENE_SERIES_CSV_H

#include <stdio.h>

#include "scene/quantities.h"

typedef struct perp_scene_csv {
    FILE *stream;
    const char *dir, *name; /* borrowed */
    long long synced;       /* bytes that are on the disk, -1: unknown */
    char held[32768];       /* what is written at once; the stream borrows it */
} perp_scene_csv;

/* An empty file; 0, or -1 with errno. */
int perp_scene_csv_start(perp_scene_csv *csv, const char *dir, const char *name);
/* The line of names. */
int perp_scene_csv_head(perp_scene_csv *csv, const perp_recorder *recorder);
/* Goes on after the first `bytes` bytes of what an interrupted run left. */
int perp_scene_csv_resume(perp_scene_csv *csv, const char *dir, const char *name, long long bytes);
/* columns entries, the time first. */
/* A comma and a number, `count` times; zeros behind those that are given. */
void perp_scene_csv_numbers(FILE *stream, const double *x, int count, int given);
int perp_scene_csv_row(perp_scene_csv *csv, const double *row, int columns);
/* On the disk so far: bytes, or -1. */
long long perp_scene_csv_sync(perp_scene_csv *csv);
/* The whole series in its place, with the last bytes on the disk; the caller syncs the folder. */
int perp_scene_csv_finish(perp_scene_csv *csv);
/* Leaves what there is as it is; nothing where it was finished or never begun. */
void perp_scene_csv_leave(perp_scene_csv *csv);

#endif
