/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "viewer/own_folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int perp_own_folder_make(char *path, size_t size, const char *name)
{
    const char *place = getenv("TMPDIR");
    int length = snprintf(path, size, "%s/%s-XXXXXX",
                          place != NULL && place[0] != '\0' ? place : "/tmp", name);

    if (length >= 0 && (size_t)length < size && mkdtemp(path) != NULL)
        return 0;
    if (length >= 0 && (size_t)length >= size)
        errno = ENAMETOOLONG;
    path[0] = '\0';
    return -1;
}

static int drop(const char *path, const struct stat *info, int flag, struct FTW *where)
{
    (void)info, (void)flag, (void)where;
    return remove(path);
}

void perp_own_folder_drop(char *path)
{
    if (path[0] != '\0')
        nftw(path, drop, 16, FTW_DEPTH | FTW_PHYS);
    path[0] = '\0';
}
