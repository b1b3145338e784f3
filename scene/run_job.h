/* SPDX-License-Identifier: BSD-3-Clause */
/* A run from its first step to its last, with all that it writes. */
#ifndef PERP_SCENE_RUN_JOB_H
#define PERP_SCENE_RUN_JOB_H

#include <stdint.h>

#include "scene/contacts_csv.h"
#include "scene/hard_steps.h"
#include "scene/impacts_csv.h"
#include "scene/motion_record.h"
#include "scene/run_checkpoint.h"
#include "scene/scene_inside.h"
#include "scene/series_csv.h"
#include "scene/vtk.h"

typedef struct perp_scene_job {
    perp_scene *scene;
    perp_scene_run_options wish;
    perp_scene_run_info info;
    perp_scene_done done;
    perp_scene_csv csv;
    perp_scene_contacts_csv contacts;
    perp_scene_impacts_csv impacts;
    perp_scene_frames frames;
    perp_scene_motion_record motion;
    perp_scene_when when;
    int lost;            /* a file could not be written: none is put in its place */
    int lock;            /* of the folder, -1: none */
    int written;         /* rows of the recorder that are in the file */
    int first;           /* place of the run's first row in the recorder */
    int64_t rows;        /* that the run wrote */
    double begun, saved; /* seconds */
} perp_scene_job;

/* Each returns a status; what went wrong stands in job->info.detail then. */
perp_status perp_scene_open_output(perp_scene_job *job);
/* After a step, or before the first: rows, frames, hard problems. */
perp_status perp_scene_write_step(perp_scene_job *job);
/* The problem of the step after it, which was not solved, where it is wished for. */
void perp_scene_write_failed(perp_scene_job *job);
/* The state on the disk: series first, so that the checkpoint finds them. */
perp_status perp_scene_save_output(perp_scene_job *job);
/* The row and the frame of the last instant, where it is none of those already, and why the run failed
 * (NULL: it did not).  Comes after perp_scene_save_output(), so that a run that goes on does not have
 * them. */
perp_status perp_scene_write_last(perp_scene_job *job, const char *why);
/* What is made once, from the whole series. */
perp_status perp_scene_close_output(perp_scene_job *job);

/* Takes a row of the present state, where the step is one that is recorded; where every instant is,
 * only the first one is taken so. */
perp_status perp_scene_take_row(perp_scene_job *job, int first);
/* Notes an error: status, with a sentence. */
perp_status perp_scene_stop(perp_scene_job *job, perp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

double perp_scene_seconds(void); /* monotonic */

#endif
