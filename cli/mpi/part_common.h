/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems of islands that lie in one rank, solved by all: the rank that has one asks, and the
 * others serve it while they wait for the end of its step. */
#ifndef PERP_CLI_MPI_PART_COMMON_H
#define PERP_CLI_MPI_PART_COMMON_H

#include "cli/mpi/part_problem.h"

/* A perp_solve_fn of the rank that asks; ctx is a perp_part_steps. */
perp_status perp_part_ask(void *ctx, const perp_problem *problem, const perp_mat *mass,
                          const perp_settings *settings, double *z, perp_info *info);
/* Serves until all ranks are here.  0: the meetings are over. */
int perp_part_serve(perp_part_steps *steps);
void perp_part_leave(perp_part_steps *steps);

#endif
