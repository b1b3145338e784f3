/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of a scene that every rank makes: large one-step problems are solved by all together, rank
 * 0 alone writes.  What is computed by each is the same to the bit, and where it is not the run
 * ends. */
#ifndef PERP_CLI_RUN_ON_RANKS_H
#define PERP_CLI_RUN_ON_RANKS_H

#include <perp/scene.h>

#include "cli/mpi/run_in_parts.h"
#include "cli/mpi/step_on_ranks.h"
#include "cli/run_progress.h"

typedef struct perp_run_ranks {
    perp_step_ranks step;
    perp_meeting meeting;
    int rows;              /* of the problems that are solved together, at least */
    int in_parts;          /* each rank has some of the bodies, and none makes all of a step */
    const char *undivided; /* NULL, or why it is not in parts as it was to be */
    double skin;           /* that these may come nearer; 0: chosen */
    long every;            /* steps between two instants of states.h5; 0: some 200 in all */
    const char *folder;
    perp_part_steps parts;
    int states_lost;         /* the file of states cannot be written */
    int no_memory;           /* on this rank, for what it was to begin with */
    int verdict;             /* the worst of all parts */
    perp_part_counts counts; /* of it, at the end */
    int begun, quiet;
    double checkpoint_seconds, saved;
    perp_run_progress progress;
} perp_run_ranks;

/* Collective.  options: those of rank 0 count for what is written.  The status of this rank's run;
 * *info is filled. */
perp_status perp_run_on_ranks(perp_run_ranks *run, perp_scene *scene,
                              const perp_scene_run_options *options, perp_scene_run_info *info);

#endif
