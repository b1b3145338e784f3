/* SPDX-License-Identifier: BSD-3-Clause */
/* A run in which each rank has some of the bodies: what it does before and after each step. */
#ifndef PERP_CLI_MPI_RUN_IN_PARTS_H
#define PERP_CLI_MPI_RUN_IN_PARTS_H

#include "cli/mpi/part_problem.h"

/* Takes the hooks of the scene; steps->meeting and ranks are set.  Without a collective call. */
perp_status perp_part_start(perp_part_steps *steps, perp_scene *scene, double skin);
void perp_part_end(perp_part_steps *steps, perp_scene *scene);

/* What all ranks did, on all of them; collective. */
typedef struct perp_part_counts {
    int whole_islands; /* there are no guests, and no rows that cross */
    double divisions, migrated, guests, bodies, edges, cut;
    double apart, rows_apart, whole, ended;
    double messages, bytes; /* of sums of impulses and of states, beside those of solves */
    double most_bodies;     /* of a rank, of the last division */
    double handed;          /* contacts that went on in another rank */
    double elsewhere, ties; /* contacts at the end that rank 0 does not have; joints and springs */
} perp_part_counts;
void perp_part_count(const perp_part_steps *steps, perp_part_counts *counts);

#endif
