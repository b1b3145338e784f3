/* SPDX-License-Identifier: BSD-3-Clause */
/* What interactions and contacts carry from step to step, multipliers above all, taken along where
 * their bodies come to another rank. */
#ifndef PERP_CLI_MPI_PART_CARRY_H
#define PERP_CLI_MPI_PART_CARRY_H

#include "cli/mpi/part_layout.h"

typedef struct perp_part_carry {
    perp_part_layout *layout;
    perp_scene *scene;
    int interactions; /* that the text names */
    /* Entries one after the other: a perp_part_entry and its bytes, a multiple of 8. */
    unsigned char *own, *all;
    size_t filled, capacity, capacity_all;
    int *count, *offset; /* of bytes, by rank */
    /* Contacts among those of all, by shapes and feature, until the next detection is over. */
    const unsigned char **contact;
    int contacts, capacity_contacts;
    long handed; /* contacts of this rank that went on with what another one had */
} perp_part_carry;

/* Takes the hook of the contact detection; PERP_ERR_MEMORY. */
perp_status perp_part_carry_create(perp_part_carry *carry, perp_part_layout *layout,
                                   perp_scene *scene);
void perp_part_carry_destroy(perp_part_carry *carry);
/* layout->leaving, ctx a perp_part_carry: interactions have the state of the rank that had them,
 * and contacts that the next detection finds begin with theirs. */
perp_status perp_part_carry_along(void *carry);
/* The interactions of all ranks to rank 0, for what it writes.  Collective, PERP_ERR_MEMORY on
 * all. */
perp_status perp_part_carry_gather(perp_part_carry *carry);

#endif
