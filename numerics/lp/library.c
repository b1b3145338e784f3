/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dladdr */
#include "lp/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PERP_LIBDIR
#define PERP_LIBDIR "/usr/local/lib"
#endif

/* 1 where the loader had no memory rather than no file. */
static int out_of_memory(void)
{
    void *probe = malloc(4096);
    free(probe);
    return !probe;
}

/* NULL where the object is of another version. */
static const perp_lp_table *table_of(void *handle)
{
    const perp_lp_table *table = handle ? dlsym(handle, PERP_LP_SYMBOL) : NULL;
    return table && table->version == PERP_LP_VERSION ? table : NULL;
}

/* The path beside the object that holds this function; "" where it is not known or too long. */
static void path_beside(char *path, size_t size)
{
    static const char anchor;
    Dl_info self;
    path[0] = 0;
    const char *end =
        dladdr(&anchor, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    size_t folder = end ? (size_t)(end - self.dli_fname) + 1 : 0;
    if (!folder || folder + sizeof PERP_LP_SONAME > size)
        return;
    memcpy(path, self.dli_fname, folder);
    memcpy(path + folder, PERP_LP_SONAME, sizeof PERP_LP_SONAME);
}

perp_status perp_lp_library_open(perp_lp_library *library, perp_info *info)
{
    char beside[4096];
    path_beside(beside, sizeof beside);
    const char *const names[] = {PERP_LP_SONAME, beside, PERP_LIBDIR "/" PERP_LP_SONAME};
    for (int k = 0; k < 3; k++) {
        if (!names[k][0])
            continue;
        library->handle = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
        library->table = table_of(library->handle);
        if (library->table)
            return PERP_SOLVED;
        perp_lp_library_close(library);
        dlerror(); /* forgets the message, which has memory of its own */
        if (out_of_memory())
            return PERP_ERR_MEMORY;
    }
    info->where.what = "libperp-lp";
    snprintf(info->detail, sizeof info->detail,
             "%s is neither on the loader's path nor beside libperp-numerics nor in %s "
             "(configure --with-lpsolve)",
             PERP_LP_SONAME, PERP_LIBDIR);
    return PERP_ERR_UNSUPPORTED;
}

void perp_lp_library_close(perp_lp_library *library)
{
    if (library->handle)
        dlclose(library->handle);
    library->handle = NULL;
    library->table = NULL;
}
