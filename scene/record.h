/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run records: columns of a table, sampled every few steps. */
#ifndef PERP_SCENE_RECORD_H
#define PERP_SCENE_RECORD_H

#include "scene/scene.h"

typedef enum perp_run_field {
    PERP_RUN_X, /* q or x */
    PERP_RUN_V,
    PERP_RUN_P,
    PERP_RUN_KINETIC,
    PERP_RUN_POTENTIAL,
    PERP_RUN_Y,
    PERP_RUN_U,
    PERP_RUN_LAMBDA,
    PERP_RUN_ACTIVE,
    PERP_RUN_STEP /* of the whole: energies and the diagnostics of a step */
} perp_run_field;

/* A quantity: `count` columns that belong together. */
typedef struct perp_run_quantity {
    const char *label; /* "ball.q", "ball.q[0]", "energy" */
    perp_run_field field;
    const perp_run_system *system;
    const perp_run_interaction *interaction;
    int first, count; /* entries */
    int whole;        /* which of the whole, PERP_RUN_STEP */
    int indexed;      /* the label names one entry */
} perp_run_quantity;

typedef struct perp_run_record {
    perp_run_quantity *quantities;
    int nquantities, columns; /* columns without the time */
    int stride;
    int instants; /* every instant that the scheme shows, instead of every stride-th step */
} perp_run_record;

/* Reads the section "record"; without it all that a small scene has. */
int perp_run_read_record(perp_run_record *record, perp_run_scene *scene);
/* One row: columns values. */
void perp_run_sample(double *row, const perp_run_record *record, perp_run_scene *scene);
/* The name of entry k of a quantity: "ball.q[0]". */
void perp_run_column(char *text, size_t room, const perp_run_quantity *quantity, int k);

#endif
