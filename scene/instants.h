/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the instants inside a step, held back until the step is made. */
#ifndef PERP_SCENE_INSTANTS_H
#define PERP_SCENE_INSTANTS_H

#include "scene/csv.h"

typedef struct perp_run_instants {
    const perp_run_record *record;
    perp_run_scene *scene;
    double *rows; /* time and columns of each */
    int count, room;
} perp_run_instants;

/* Has the simulation show its instants from now on. */
void perp_run_instants_start(perp_run_instants *instants, const perp_run_record *record,
                             perp_run_scene *scene);
/* Those of the step that was made go to the series: 0, or -1 with errno. */
int perp_run_instants_write(perp_run_instants *instants, perp_run_csv *csv);
void perp_run_instants_free(perp_run_instants *instants);

#endif
