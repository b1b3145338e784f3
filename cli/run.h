/* SPDX-License-Identifier: BSD-3-Clause */
/* A run from its first step to its last, with all that it writes. */
#ifndef PERP_CLI_RUN_H
#define PERP_CLI_RUN_H

#include "scene/checkpoint.h"
#include "scene/csv.h"
#include "scene/dump_when.h"
#include "scene/instants.h"
#include "scene/view.h"
#include "scene/vtk.h"

typedef struct perp_run_request {
    const char *file, *out;
    perp_run_changes changes;
    int plot, resume, quiet, check;
    int dump;
    perp_run_when when;
} perp_run_request;

typedef struct perp_run_job {
    const perp_run_request *wish;
    perp_run_scene scene;
    perp_run_record record;
    perp_run_progress progress;
    perp_run_csv csv;
    perp_run_instants instants;
    perp_run_frames frames;
    perp_run_view view;
    double *row;
    double largest_error, largest_violation;
    double seconds, saved; /* of all steps of this process; time of the last checkpoint */
    long begun;            /* steps that a resumed run found done */
    long refused;          /* problems that no file can hold */
    int interrupted;
} perp_run_job;

/* From a scene that was read to the last file; an exit status. */
int perp_run_go(perp_run_job *job);
/* Prints what became of it; as text, or as a JSON document. */
void perp_run_summary(const perp_run_job *job);
void perp_run_summary_json(const perp_run_job *job, int exit_status);

#endif
