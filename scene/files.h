/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a run.  Each is written under another name and renamed when it is whole.  What a run
 * needs to go on is synced before that; what is only looked at is left to the system, which a
 * process that is killed does not disturb. */
#ifndef PERP_SCENE_FILES_H
#define PERP_SCENE_FILES_H

#include <stdio.h>

/* DIR/NAME; "" where it is too long. */
typedef struct perp_scene_path_text {
    char text[4096];
} perp_scene_path_text;
perp_scene_path_text perp_scene_join(const char *dir, const char *name);

/* Makes the folder and those above it; 0, or -1 with errno. */
int perp_scene_make_folder(const char *dir);
/* Holds the folder against others that write into it, until the process ends or it is unlocked; -1
 * with errno, which is EWOULDBLOCK where another one holds it.  A file system without locks is no
 * reason to fail. */
int perp_scene_lock_folder(const char *dir);
void perp_scene_unlock_folder(int lock);
/* 0, or -1 with EISDIR where a folder stands at DIR/NAME or DIR/NAME.part. */
int perp_scene_is_free(const char *dir, const char *name);
/* A stream on a new file DIR/NAME.part, in the place of what has that name; NULL with errno. */
FILE *perp_scene_open(const char *dir, const char *name);
/* A stream on the DIR/NAME.part that is there, to read and write; no link is followed. */
FILE *perp_scene_reopen(const char *dir, const char *name);
/* Syncs and renames; 0, or -1 with errno after removing what was written. */
int perp_scene_close(FILE *stream, const char *dir, const char *name);
/* The same for what a run goes on with: NAME.part stays where it cannot be put in its place.  The
 * folder is not synced, nor is what is on the disk already. */
int perp_scene_close_growing(FILE *stream, int synced, const char *dir, const char *name);
/* As perp_scene_close() without syncing. */
int perp_scene_keep(FILE *stream, const char *dir, const char *name);
/* The bytes as DIR/NAME, in one write if the system takes them so; as perp_scene_keep(). */
int perp_scene_put(const char *dir, const char *name, const void *bytes, size_t count);
void perp_scene_drop(FILE *stream, const char *dir, const char *name);
/* The rest of perp_scene_close(), for what was written by others to NAME.part. */
int perp_scene_publish(const char *dir, const char *name);
/* Writes all that the stream holds to the disk. */
int perp_scene_sync(FILE *stream);
/* Syncs a file, or a folder, that was kept; -1 with errno where its bytes are lost. */
int perp_scene_sync_kept(const char *path);

#endif
