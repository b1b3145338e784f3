/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a run in DIR/checkpoint, from which it goes on bit for bit. */
#ifndef PERP_SCENE_CHECKPOINT_H
#define PERP_SCENE_CHECKPOINT_H

#include <stdint.h>

#include "scene/scene.h"

typedef struct perp_run_progress {
    int64_t steps;     /* made since t0 */
    int64_t csv_bytes; /* of series.csv */
    int64_t frames, frame_every, dumps;
    int64_t unsolved; /* steps accepted without a solution within tol */
} perp_run_progress;

/* 0, or -1 after a message. */
int perp_run_checkpoint_write(const char *dir, perp_run_scene *scene,
                              const perp_run_progress *progress);
int perp_run_checkpoint_read(const char *dir, perp_run_scene *scene, perp_run_progress *progress);

#endif
