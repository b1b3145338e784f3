/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_CLI_MPI_CMD_RUN_RANKS_H
#define PERP_CLI_MPI_CMD_RUN_RANKS_H

/* perp-mpi run; returns the exit status. */
int perp_cmd_run_ranks(int argc, char **argv);

#endif
