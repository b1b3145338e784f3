/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-step problems of a simulation that every rank makes, solved by all of them together. */
#ifndef PERP_CLI_STEP_ON_RANKS_H
#define PERP_CLI_STEP_ON_RANKS_H

#include <perp/petsc.h>
#include <perp/sim.h>

#include "cli/mpi/meeting.h"

typedef struct perp_step_ranks {
    perp_meeting *meeting;
    const char *solver;
    int max_iter; /* of a solve, where the settings leave it open */
    int rank, ranks;
    /* Of all solves so far. */
    long solves, unsolved, left; /* left: to the own solver of each rank, as they were */
    double iterations;
    perp_petsc_load sum; /* counts of all ranks; sizes of the last solve */
    double imbalance;    /* largest */
    perp_petsc_cut cut;  /* of the last */
} perp_step_ranks;

/* A perp_solve_fn; ctx is a perp_step_ranks. */
perp_status perp_solve_on_ranks(void *ctx, const perp_problem *problem, const perp_mat *mass,
                                const perp_settings *settings, double *z, perp_info *info);

/* The same of a problem that the first rank of comm has; the others give NULL for problem, mass and
 * z.  settings: the same on all. */
perp_status perp_solve_led(perp_step_ranks *ranks, MPI_Comm comm, const perp_problem *problem,
                           const perp_mat *mass, const perp_settings *settings, double *z,
                           perp_info *info);

/* A perp_progress_fn that asks for interrupts, and what a solve adds to the counts. */
int perp_solve_interrupted(void *ctx, const perp_progress *progress);
void perp_count_solve(perp_step_ranks *ranks, const perp_petsc_info *info, perp_status status);

#endif
