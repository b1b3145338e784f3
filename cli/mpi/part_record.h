/* SPDX-License-Identifier: BSD-3-Clause */
/* States and contacts of a run in parts: one HDF5 file, into which all ranks write at the same
 * time. */
#ifndef PERP_CLI_MPI_PART_RECORD_H
#define PERP_CLI_MPI_PART_RECORD_H

#include "cli/mpi/part_layout.h"

/* Numbers of a contact: shapes of the first and the second body, their feature, gap, normal, point,
 * impulse on the first. */
enum { PERP_PART_CONTACT = 13 };

typedef struct perp_part_record {
    char *path; /* NULL: nothing is written */
    long every; /* steps */
    long written;
    int failed;
} perp_part_record;

/* Whether this build can. */
int perp_part_record_is_known(void);
/* A new file in the folder, for a run that begins at `step`: states.h5, or states-STEP.h5.  0: no
 * memory; on rank 0 record->failed is set where it cannot be written. */
int perp_part_record_start(perp_part_record *record, const char *folder, int rank, long step,
                           long every);
void perp_part_record_end(perp_part_record *record);
/* Collective: where the step is one of those, the group /step-N with the attribute t and the data
 * sets bodies (their numbers among those that move, in the order of the text), states, ranks and
 * contacts; record->failed on all ranks where it cannot be written. */
void perp_part_record_step(perp_part_record *record, const perp_part_layout *layout, long step,
                           double t);

#endif
