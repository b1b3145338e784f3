/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/instants.h"

#include <stdlib.h>
#include <string.h>

static int make_room(perp_run_instants *instants)
{
    size_t width = (size_t)instants->record->columns + 1;
    int room = instants->room > 0 ? 2 * instants->room : 64;
    double *rows;

    if (instants->count < instants->room)
        return 0;
    rows = room > instants->room && (size_t)room <= SIZE_MAX / sizeof *rows / width
               ? realloc(instants->rows, (size_t)room * width * sizeof *rows)
               : NULL;
    if (rows == NULL)
        return -1;
    instants->rows = rows;
    instants->room = room;
    return 0;
}

static int note(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *instant)
{
    perp_run_instants *instants = ctx;
    double *row;

    (void)sim, (void)model;
    if (make_room(instants) != 0)
        return 1;
    row = instants->rows + (size_t)instants->count++ * (size_t)(instants->record->columns + 1);
    row[0] = instant->t;
    perp_run_sample(row + 1, instants->record, instants->scene);
    return 0;
}

void perp_run_instants_start(perp_run_instants *instants, const perp_run_record *record,
                             perp_run_scene *scene)
{
    memset(instants, 0, sizeof *instants);
    instants->record = record;
    instants->scene = scene;
    perp_sim_set_at_instants(scene->sim, note, instants);
}

int perp_run_instants_write(perp_run_instants *instants, perp_run_csv *csv)
{
    int columns = instants->record->columns, bad = 0;

    for (int k = 0; k < instants->count && !bad; k++) {
        const double *row = instants->rows + (size_t)k * (size_t)(columns + 1);
        bad = perp_run_csv_row(csv, row[0], row + 1, columns);
    }
    instants->count = 0;
    return bad;
}

void perp_run_instants_free(perp_run_instants *instants)
{
    free(instants->rows);
    memset(instants, 0, sizeof *instants);
}
