/* SPDX-License-Identifier: BSD-3-Clause */
/* What every program has in common that runs a scene by another engine, for perp bench scenes:
 *
 *     PROGRAM --version
 *     PROGRAM FD SCENE FILE SETTINGS H UNTIL
 *
 * SCENE is the name in the catalogue and FILE the same scene as JSON, SETTINGS `default' or
 * `advised'; the motion goes to FD as bench/campaign/engines/motion.h says. */
#ifndef PERP_PEERS_SCENE_PEER_H
#define PERP_PEERS_SCENE_PEER_H

#include "bench/campaign/engines/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What not every program can do: other scenes are refused for it. */
enum {
    SCENE_PEER_HULLS = 1,
    SCENE_PEER_OFF_CENTRE = 2,
    SCENE_PEER_ROLLING = 4,
    SCENE_PEER_SLIDERS = 8,
    SCENE_PEER_DRIVES = 16,
    SCENE_PEER_DISTANCES = 32
};

typedef struct scene_peer {
    const char *version; /* "Engine 1.2" */
    int can;             /* sum of the above */
    /* The world, NULL without memory. */
    void *(*make)(const rigid_scene *scene, int advised);
    /* One step of scene->h; motion_start_contacts() and motion_add_contact() where impulses are
     * given. */
    void (*step)(void *world, motion_out *out);
    /* States of all bodies into out->record.body. */
    void (*states)(void *world, motion_out *out);
} scene_peer;

int scene_peer_main(const scene_peer *peer, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
