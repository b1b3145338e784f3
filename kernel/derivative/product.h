/* SPDX-License-Identifier: BSD-3-Clause */
/* Products through one step, and backward products for callers that keep cotangents themselves. */
#ifndef PERP_KERNEL_PRODUCT_H
#define PERP_KERNEL_PRODUCT_H

#include "kernel/derivative/tape.h"

/* One step for `count` directions: q and v of the start become those of the end; each[c] is raised
 * to the status of its direction.  Backwards: cotangents of the end become those of the start. */
typedef struct perp_tape_bundle {
    int count;
    double **q, **v;          /* count */
    const double *parameters; /* count * nparameters, or NULL */
    const double *forces;     /* of direction c: forces + c * forces_stride; or NULL */
    size_t forces_stride;
    perp_status *each; /* count */
    double *parameters_bar, *forces_bar;
} perp_tape_bundle;
/* Of a step that is kept as matrices, and of one that is kept as stages. */
perp_status perp_tape_matrices_forward(perp_tape *tape, perp_tape_step *node,
                                       const perp_tape_bundle *bundle);
perp_status perp_tape_matrices_backward(perp_tape *tape, perp_tape_step *node,
                                        const perp_tape_bundle *bundle);
perp_status perp_tape_stages_forward(perp_tape *tape, perp_tape_step *node,
                                     const perp_tape_bundle *bundle);
perp_status perp_tape_stages_backward(perp_tape *tape, perp_tape_step *node,
                                      const perp_tape_bundle *bundle);

typedef struct perp_tape_cotangents {
    int count;
    double *q, *v;                 /* count * dofs: of the end, then of the start */
    const double *q_path, *v_path; /* of all instants; NULL: none */
    double *parameters, *forces;   /* added to; written.  NULL: not wanted */
} perp_tape_cotangents;

/* PERP_SOLVED where there are steps and none was refused; else why not. */
perp_status perp_tape_ready(const perp_tape *tape);
void perp_tape_note(perp_tape_report *report, perp_status status, long step);
/* Through all steps of the tape. */
perp_status perp_tape_backward(perp_tape *tape, const perp_tape_cotangents *bars,
                               perp_tape_report *report);

#endif
