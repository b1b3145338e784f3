/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds libperp-lp at run time. */
#ifndef PERP_LP_LIBRARY_H
#define PERP_LP_LIBRARY_H

#include <perp/solver.h>

#include "lp/table.h"

typedef struct perp_lp_library {
    void *handle;
    const perp_lp_table *table;
} perp_lp_library;

/* By its plain name along the loader's path, then beside the library that holds this function, then
 * where it was to be installed.
 * PERP_ERR_UNSUPPORTED: not found; info->where names libperp-lp and info->detail says
 * what to do.  PERP_ERR_MEMORY.  Neither leaves anything open. */
perp_status perp_lp_library_open(perp_lp_library *library, perp_info *info);
/* Nothing where it is not open. */
void perp_lp_library_close(perp_lp_library *library);

#endif
