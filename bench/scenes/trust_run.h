/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of perp on one scene, and what is measured of it. */
#ifndef PERP_TRUST_RUN_H
#define PERP_TRUST_RUN_H

#include "bench/scenes/trust_scenes.h"

typedef struct perp_trust_wish {
    const char *program; /* perp */
    const char *scheme;  /* NULL: as perp run chooses */
    double until, step;  /* NaN: of the scene */
    int seconds;         /* of CPU time at most */
    const char *folder;  /* for the files */
} perp_trust_wish;

/* NaN, -1 and "" where it is not known. */
typedef struct perp_trust_figures {
    int exit;            /* status; 128 + signal where it was killed */
    char verdict[32];    /* of the report, or its status */
    char message[200];   /* first line on standard error */
    double end;          /* time reached */
    double joints;       /* largest |y| of a joint at any step */
    double deepest;      /* largest violation at any step, joints included */
    double lasting;      /* and at the end */
    double scale;        /* largest |energy|, or kinetic energy with the range of the potential */
    double change, rise; /* of the energy over the run, and the largest of a step, by the scale */
    double above;        /* largest excess over its start, likewise */
    double newton, most; /* iterations a step: mean and largest */
    double speed;        /* steps a second */
    long unsolved, halved;
    double error; /* from the closed form */
} perp_trust_figures;

/* Writes the scene into the folder, runs it, reads what came out.  0, or -1: no file could be
 * written or no process started. */
int perp_trust_run(perp_trust_figures *figures, const perp_trust_scene *scene,
                   const perp_trust_wish *wish);

#endif
