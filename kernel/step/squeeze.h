/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a one-step problem that every motion must satisfy, whatever the multipliers: equalities
 * and normal rows of unilateral laws whose y does not depend on lambda.  Where they have no common
 * point the step has no solution, and the proof names what squeezes what. */
#ifndef PERP_KERNEL_SQUEEZE_H
#define PERP_KERNEL_SQUEEZE_H

#include <perp/sim.h>

#include "kernel/step/integrator.h"
#include "kernel/step/one_step.h"

typedef struct perp_squeeze {
    /* The rows, by compressed columns; see perp_linear_rows. */
    int rows, cols, entries, nsystems;
    int *colptr, *row, *group;
    double *x, *b, *noise, *weight, *y;
    unsigned char *equality;
    perp_link **link; /* of each row, and which of its rows it is */
    int *component;
    int *first; /* first column of each system by its slot, -1: none */
    perp_system **systems;
    int capacity_colptr, capacity_row, capacity_group, capacity_x, capacity_b, capacity_noise,
        capacity_weight, capacity_y;
    int capacity_equality, capacity_link, capacity_component, capacity_first, capacity_systems;

    /* The last proof: rows with a weight that is not 0, and the systems that they move. */
    int proved, squeezed;
    perp_interaction_id *interaction; /* proved */
    int *of;                          /* proved: component of y */
    double *share;                    /* proved: weight */
    perp_system_id *body;             /* squeezed */
    int capacity_interaction, capacity_of, capacity_share, capacity_body;
    perp_refutation figures;
} perp_squeeze;

/* Looks for a proof that the rows of the problem `one`, whose offsets and free motions are those of
 * its last fill, and the equalities of step->held have no common point.  PERP_INFEASIBLE_STEP: they
 * have none; PERP_SOLVED: not shown; PERP_ERR_MEMORY. */
perp_status perp_squeeze_look(perp_step *step, perp_one_step *one);
/* One sentence of the last proof. */
void perp_squeeze_text(char *text, size_t size, const perp_squeeze *squeeze);
/* Slot of the interaction with the largest weight. */
int perp_squeeze_slot(const perp_squeeze *squeeze);
/* 1 where impulses of the problem are so much larger than all momenta of its systems, and than
 * those that their forces give in a step of length h, that bodies may be squeezed though the solver
 * met its tolerance. */
int perp_squeeze_is_likely(const perp_one_step *one, double h);
int perp_squeeze_is_beyond(const perp_one_step *one, double h, double times);
/* Adds s* (1 + 1e-9), which it returns, to q on the normal rows: then they have a common point. */
double perp_squeeze_relieve(const perp_squeeze *squeeze, perp_one_step *one);

#endif
