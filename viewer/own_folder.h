/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for files that are needed for a while, in TMPDIR or /tmp. */
#ifndef PERP_VIEWER_OWN_FOLDER_H
#define PERP_VIEWER_OWN_FOLDER_H

#include <stddef.h>

/* A new one, NAME-XXXXXX, for its owner alone; 0, or -1 with errno and path "". */
int perp_own_folder_make(char *path, size_t size, const char *name);
/* Removes it with all that is in it; nothing where path is "", which it then becomes. */
void perp_own_folder_drop(char *path);

#endif
