/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands of bodies that lie in several ranks: their momenta, added up. */
#ifndef PERP_CLI_MPI_PART_ISLANDS_H
#define PERP_CLI_MPI_PART_ISLANDS_H

#include "cli/mpi/part_layout.h"

enum { PERP_PART_SUMS = 5 };

/* As `join` of a perp_sim_parts: island has a number for each shared body or guest that is here.
 * Collective; non-zero on all ranks where one has no memory. */
int perp_part_join_islands(perp_part_layout *layout, const int *island, int bodies, double *sums,
                           int islands);

#endif
