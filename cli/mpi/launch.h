/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and end of a command that several processes carry out. */
#ifndef PERP_CLI_LAUNCH_H
#define PERP_CLI_LAUNCH_H

#include "cli/arguments.h"

/* perp_read_arguments(), where of several processes one complains; before MPI is started. */
void perp_read_line_on_ranks(perp_shared *shared, perp_command_line *line, void *request, int argc,
                             char **argv);
/* MPI and PETSc without the user's file of options and without their handling of signals.  0, or
 * PERP_EXIT_ERROR after a message. */
int perp_start_ranks(void);
/* What rank 0 says. */
int perp_told(int code);
/* The largest of all ranks. */
int perp_worst(int code);

#endif
