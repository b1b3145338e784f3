/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-step problem of a simulation in parts: each rank has the rows of its contacts, where they
 * lie, and all solve it together. */
#ifndef PERP_CLI_MPI_PART_PROBLEM_H
#define PERP_CLI_MPI_PART_PROBLEM_H

#include "cli/mpi/part_carry.h"
#include "cli/mpi/part_layout.h"
#include "cli/mpi/part_record.h"
#include "cli/mpi/step_on_ranks.h"

enum { PERP_PART_TOTALS = 32 };

typedef struct perp_part_steps {
    perp_part_layout layout;
    perp_part_carry carry;
    perp_part_record record;
    perp_meeting *meeting;
    perp_step_ranks *ranks; /* solver, limits and counts of all solves */
    int whole_rows;         /* fewer rows that several ranks share are solved by rank 0 */
    uint64_t bits;          /* of the scene as it was read, compared when the run begins */
    int begun;
    int failed;     /* what the ranks share could not be put together */
    MPI_Comm *led;  /* by rank: all ranks, that one first; MPI_COMM_NULL: not needed so far */
    double *totals; /* PERP_PART_TOTALS of each rank */
    MPI_Op most;    /* of perp_part_largest(); MPI_OP_NULL: not needed so far */
    char name[32];  /* of the solver that did the last problem */
    /* Solves without rows that cross, rows solved in their own rank, solves by rank 0 and those
     * that it ended because the others stalled. */
    long apart, rows_apart, whole, ended;
} perp_part_steps;

/* Functions of a perp_sim_parts; ctx is a perp_part_steps. */
perp_status perp_part_solve(void *ctx, const perp_problem *problem, const perp_mat *mass,
                            const perp_settings *settings, double *z, double *w, perp_info *info);
int perp_part_add(void *ctx, double *x, int n);
int perp_part_total(void *ctx, double *x, int n);
int perp_part_largest(void *ctx, double *x, int groups, int width);
int perp_part_join(void *ctx, const int *island, int bodies, double *sums, int islands);

#endif
