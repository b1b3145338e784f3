/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a run as bytes and in FOLDER/checkpoint, from which it goes on bit for bit. */
#ifndef PERP_SCENE_RUN_CHECKPOINT_H
#define PERP_SCENE_RUN_CHECKPOINT_H

#include <stdint.h>

#include "scene/motion_record.h"
#include "scene/scene_inside.h"

typedef struct perp_scene_done {
    int64_t steps;          /* made since t0 */
    int64_t csv_bytes;      /* of series.csv */
    int64_t contacts_bytes; /* of contacts.csv; 0 where there is none */
    int64_t frames, frame_every, problems;
    int64_t unsolved; /* steps accepted without a solution within tol */
    int64_t impacts_bytes; /* of impacts.csv; 0 where there is none */
    int64_t motion_bytes, motion_every; /* of motion.bin; 0 where there is none */
    perp_scene_interval pending;        /* of the steps since its last instant */
} perp_scene_done;

/* A status; an error leaves one sentence in text. */
perp_status perp_scene_checkpoint_write(const char *dir, perp_scene *scene,
                                        const perp_scene_done *done, char *text, size_t size);
perp_status perp_scene_checkpoint_read(const char *dir, perp_scene *scene, perp_scene_done *done,
                                       char *text, size_t size);

#endif
