/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenes of bench/fault_runs.c, whose callbacks err on request. */
#ifndef PERP_BENCH_FAULT_SCENES_H
#define PERP_BENCH_FAULT_SCENES_H

#include <perp/kernel.h>

/* What a callback of the model does wrong. */
typedef enum perp_callback_fault {
    PERP_CALLBACK_RIGHT,
    PERP_CALLBACK_SIGN_OF_ROW,   /* of a Jacobian, or the normal of a contact */
    PERP_CALLBACK_SIGN_OF_ENTRY, /* of a Jacobian */
    PERP_CALLBACK_STALE_NORMAL,  /* that of the first call with the fault */
    PERP_CALLBACK_LOST_CONTACT,  /* a gap of 1 */
    PERP_CALLBACK_FICKLE_MASS    /* by 1 + amount at every second call */
} perp_callback_fault;

typedef struct perp_fault_errs {
    perp_callback_fault kind;
    double amount;
    double normal[3]; /* STALE_NORMAL, once kept */
    int kept;
    long calls;
} perp_fault_errs;

typedef struct perp_fault_scene {
    const char *name;
    double h;
    long steps;
    const char *scheme;
    const char *callbacks; /* kinds that its callbacks know, as digits of perp_callback_fault */
    const char *hooks;     /* letters of the faults of bench/fault_runs.c that mean something */
    perp_status (*build)(perp_model *model, perp_fault_errs *errs, perp_system_id *first);
} perp_fault_scene;

/* NULL past the end. */
const perp_fault_scene *perp_fault_scene_at(int k);

#endif
