/* SPDX-License-Identifier: BSD-3-Clause */
#include "lp/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

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

perp_status perp_lp_library_open(perp_lp_library *library, perp_info *info)
{
    static const char *const names[] = {PERP_LP_SONAME, PERP_LIBDIR "/" PERP_LP_SONAME};
    for (int k = 0; k < 2; k++) {
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
             "%s is neither on the loader's path nor in %s (configure --with-lpsolve)",
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
