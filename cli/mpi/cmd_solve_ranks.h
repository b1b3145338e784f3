/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-mpi solve: as the commands of cli/commands.h.  Starts PETSc, and ends it where it returns.
 */
#ifndef PERP_CLI_MPI_CMD_SOLVE_RANKS_H
#define PERP_CLI_MPI_CMD_SOLVE_RANKS_H

int perp_cmd_solve_ranks(int argc, char **argv);

#endif
