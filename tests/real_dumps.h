/* SPDX-License-Identifier: BSD-3-Clause */
/* Dumps of real simulations, where they lie beside the source tree. */
#ifndef PERP_TESTS_REAL_DUMPS_H
#define PERP_TESTS_REAL_DUMPS_H

#include <perp/io.h>

/* The path of a file or folder of ../shared/data/problems; 1 where it is there. */
int real_dump_path(char *path, size_t room, const char *name);

/* Calls check for each file that is there and that this build reads. */
void real_dumps_each(const char *const *files, int count,
                     void (*check)(const char *file, const perp_problem *problem));

#endif
