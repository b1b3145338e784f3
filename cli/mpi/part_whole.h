/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of all ranks brought together on rank 0 and solved there: where they are few, or where the
 * solvers of several ranks stall. */
#ifndef PERP_CLI_MPI_PART_WHOLE_H
#define PERP_CLI_MPI_PART_WHOLE_H

#include "cli/mpi/part_blocks.h"

/* Collective.  subset: of this rank, whose z is the first iterate and receives the answer; blocks:
 * the number of blocks in it.  masses: 36 numbers of each own body, column-major, in their order.
 * The status of the solver of rank 0, or of the first rank without memory, on all. */
perp_status perp_part_solve_whole(perp_part_layout *layout, perp_part_subset *subset, int blocks,
                                  const double *masses, const perp_settings *settings,
                                  int *iterations, char name[32]);

#endif
