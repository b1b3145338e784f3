/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of results, written whole or not at all; what goes wrong is told with the name of the file.
 */
#ifndef PERP_BENCH_CAMPAIGN_FILE_H
#define PERP_BENCH_CAMPAIGN_FILE_H

#include <stdio.h>

/* A stream that becomes FOLDER/NAME when it is ended; the folder is made where it is not there.
 * NULL with errno, and a line on standard error. */
FILE *perp_bench_file_begin(const char *folder, const char *name);
/* 0, or -1 with errno, and a line on standard error. */
int perp_bench_file_end(FILE *f, const char *folder, const char *name);

#endif
