/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that may touch before the next division, or are tied by joints or springs, each such
 * cluster in one rank: its contacts, islands and steps are there, and it needs no guests. */
#ifndef PERP_CLI_MPI_PART_CLUSTERS_H
#define PERP_CLI_MPI_PART_CLUSTERS_H

#include "cli/mpi/part_layout.h"

/* layout->owner, for a step of h with this way, from states that all ranks have; without messages,
 * the same on all.  Of the skins from layout->widest on down the first is taken with which no
 * cluster is more than the share of a rank. */
perp_status perp_part_clusters_assign(perp_part_layout *layout, double h, double way);

#endif
