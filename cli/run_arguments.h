/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the commands that run a scene, in one process or in several. */
#ifndef PERP_CLI_RUN_ARGUMENTS_H
#define PERP_CLI_RUN_ARGUMENTS_H

#include <argp.h>

#include <perp/scene.h>

enum {
    PERP_KEY_UNTIL = 'u',
    PERP_KEY_OUT = 'o',
    PERP_KEY_STEP = 300,
    PERP_KEY_VTK,
    PERP_KEY_RESUME,
    PERP_KEY_CHECKPOINT
};

/* --resume is worded by each command. */
#define PERP_RUN_ARGUMENTS                                                                         \
    {"until", PERP_KEY_UNTIL, "T", 0, "End of the run, instead of the scene's", 0},                \
        {"step", PERP_KEY_STEP, "H", 0, "Length of a step, instead of the scene's", 0},            \
        {"out",                                                                                    \
         PERP_KEY_OUT,                                                                             \
         "DIR",                                                                                    \
         0,                                                                                        \
         "Write series.csv, series.h5, the motion for perp view, and a checkpoint",                \
         0},                                                                                       \
        {"vtk",                                                                                    \
         PERP_KEY_VTK,                                                                             \
         "N",                                                                                      \
         OPTION_ARG_OPTIONAL,                                                                      \
         "Write the shapes for ParaView, every N steps (some 200 times in all)",                   \
         0},                                                                                       \
    {                                                                                              \
        "checkpoint", PERP_KEY_CHECKPOINT, "S", 0, "Seconds between two checkpoints (60)", 0       \
    }

/* An option of this list, or --resume; 0, or ARGP_ERR_UNKNOWN. */
error_t perp_run_argument(perp_scene_options *changes, perp_scene_run_options *run, int key,
                          char *word, struct argp_state *state);

#endif
