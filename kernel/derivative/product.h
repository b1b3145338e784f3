/* SPDX-License-Identifier: BSD-3-Clause */
/* Backward products, for the callers that keep cotangents themselves. */
#ifndef PERP_KERNEL_PRODUCT_H
#define PERP_KERNEL_PRODUCT_H

#include "kernel/derivative/tape.h"

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
