/* SPDX-License-Identifier: BSD-3-Clause */
/* A solver of distributed problems: one file with its descriptor at the end, one line in solve.c.
 */
#ifndef PERP_DISTRIBUTED_METHOD_H
#define PERP_DISTRIBUTED_METHOD_H

#include "distributed/system.h"

/* A running solve.  The iterate is system->z with system->w = W z + q, on entry to and on return
 * from a step. */
typedef struct perp_petsc_run {
    perp_petsc *system;
    perp_settings settings;
    perp_arena arena; /* memory of the solve */
    void *state;
    int before;              /* iterations of the methods before this one */
    perp_residuals residual; /* of the last measurement */
    double error, best;
} perp_petsc_run;

typedef struct perp_petsc_method {
    const char *name, *summary;
    int max_iter, stall, check_every; /* where the settings leave them open; 0: as set */
    /* Takes memory and makes the state; not collective. */
    perp_status (*setup)(perp_petsc_run *run, perp_petsc_where *where);
    /* After the first measurement.  This, step and watch are collective and return alike on all
     * ranks. */
    perp_status (*begin)(perp_petsc_run *run);
    perp_status (*step)(perp_petsc_run *run);
    /* After a measurement that did not end the solve; may be NULL. */
    perp_status (*watch)(perp_petsc_run *run);
    void (*release)(perp_petsc_run *run); /* may be NULL */
    /* Goes on from the best iterate where this one stalls; may be NULL. */
    const struct perp_petsc_method *then;
} perp_petsc_method;

extern const perp_petsc_method perp_petsc_apgd, perp_petsc_auto, perp_petsc_schwarz;

/* The part of the own rows in the scaled measure, in units d (by block) and with q of its own. */
double perp_petsc_own_error(const perp_petsc *system, const double *d, const double *q,
                            const double *z, const double *w);

#endif
