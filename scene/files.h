/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a run.  Each is written under another name, synced, and renamed. */
#ifndef PERP_SCENE_FILES_H
#define PERP_SCENE_FILES_H

#include <stdio.h>

/* DIR/NAME; "" where it is too long. */
typedef struct perp_run_path_text {
    char text[4096];
} perp_run_path_text;
perp_run_path_text perp_run_join(const char *dir, const char *name);

/* Makes the folder and those above it; 0, or -1 with errno. */
int perp_run_make_folder(const char *dir);
/* A stream on DIR/NAME.part; NULL with errno. */
FILE *perp_run_open(const char *dir, const char *name);
/* Syncs and renames; 0, or -1 with errno after removing what was written. */
int perp_run_close(FILE *stream, const char *dir, const char *name);
void perp_run_drop(FILE *stream, const char *dir, const char *name);
/* The rest of perp_run_close(), for what was written by others to NAME.part. */
int perp_run_publish(const char *dir, const char *name);
/* Writes all that the stream holds to the disk. */
int perp_run_sync(FILE *stream);

#endif
