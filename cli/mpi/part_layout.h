/* SPDX-License-Identifier: BSD-3-Clause */
/* Who has which bodies of a simulation that the ranks make in parts: each body belongs to the rank
 * of its cell of space, and is a guest of those whose bodies may touch it before the next division.
 */
#ifndef PERP_CLI_MPI_PART_LAYOUT_H
#define PERP_CLI_MPI_PART_LAYOUT_H

#include <perp/petsc.h>
#include <perp/scene.h>

/* Velocities of a body; numbers of its state: position, orientation, velocities. */
enum { PERP_PART_DOFS = 6, PERP_PART_STATE = 13 };

typedef struct perp_part_layout {
    int rank, ranks;
    perp_model *model;
    perp_collider *collider;

    /* All bodies that move by forces, in the order in which they were added. */
    int bodies;
    perp_system_id *id;
    int *place; /* of a slot of the model: the body there, -1 */
    int slots;
    int *owner;
    int *neighbours; /* found at the last division */
    int *number;     /* among all: those of rank 0, of rank 1, ... */
    unsigned char *presence;

    int *here, present; /* bodies that are not absent, ascending */
    int own, first;     /* bodies owned, and the number of the first */
    int shared;         /* of those here: shared or guests */

    /* What ties bodies that are then in one rank: the k-th has tied[tie[k]] to tied[tie[k + 1] -
     * 1]. */
    int *tie, *tied, ties;
    /* NULL, or called once new owners are known, before bodies come and go; before: the owners that
     * were.  Collective, with the same status on all. */
    perp_status (*leaving)(void *ctx);
    void *leaving_ctx;
    int *before;

    int whole;          /* bodies that may touch are all in one rank: there are no guests */
    double widest;      /* then: the largest skin, 0: not chosen yet */
    double skin;        /* that shapes may come nearer before the next division; 0: chosen */
    double used, moved; /* of it; the farthest way in the last step */
    int valid;
    long edges, cut; /* pairs of bodies that may touch, and those of two ranks */
    /* Since the start. */
    long divisions, migrated;

    double *state;       /* of all bodies, by number */
    int *count, *offset; /* by rank */

    /* Sums over the ranks that have a body. */
    Vec all, local;
    VecScatter exchange;
    double messages, bytes; /* sent by this rank in such sums and in divisions */
    double each_messages, each_bytes;
} perp_part_layout;

/* Takes note of the bodies of the scene, whose schemes say whether islands are to be whole;
 * PERP_ERR_MEMORY. */
perp_status perp_part_layout_create(perp_part_layout *layout, perp_scene *scene, double skin);
void perp_part_layout_destroy(perp_part_layout *layout);

/* Before the first step, where all bodies are absent: those of the own cell are here.  Collective;
 * a status other than PERP_SOLVED on all. */
perp_status perp_part_layout_begin(perp_part_layout *layout);
/* Largest way of the present step (of length h), over all ranks: collective. */
double perp_part_layout_way(perp_part_layout *layout, double h);
/* Whether bodies may have come nearer than the guests were chosen for, by that way. */
int perp_part_layout_is_used_up(const perp_part_layout *layout, double way);
/* A step with this way begins without a division. */
void perp_part_layout_count(perp_part_layout *layout, double way);

/* States of all bodies to all ranks (everywhere = 0: to rank 0).  Collective. */
perp_status perp_part_layout_gather(perp_part_layout *layout, int everywhere);
/* Divides the bodies, whose states all ranks have, before a step with this way.  Collective; a
 * status other than PERP_SOLVED on all, PERP_INTERRUPTED where another rank failed. */
perp_status perp_part_layout_divide(perp_part_layout *layout, double h, double way);
/* x, PERP_PART_DOFS numbers of each shared body or guest that is here, becomes the sums.  Non-zero:
 * PETSc failed. */
int perp_part_layout_add(perp_part_layout *layout, double *x, int n);

#endif
