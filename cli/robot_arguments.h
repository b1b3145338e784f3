/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the commands that read models of robots, and the reading itself. */
#ifndef PERP_CLI_ROBOT_ARGUMENTS_H
#define PERP_CLI_ROBOT_ARGUMENTS_H

#include <argp.h>

#include <perp/robot.h>

#include "cli/input.h"

enum { PERP_ROBOT_WORDS = 64 };

typedef struct perp_robot_arguments {
    perp_robot_options options;
    const char *search[PERP_ROBOT_WORDS], *pose[PERP_ROBOT_WORDS], *control[PERP_ROBOT_WORDS];
    const char *given; /* one of these options, NULL: none was given */
    int quiet;
} perp_robot_arguments;

enum {
    PERP_KEY_IGNORE = 400,
    PERP_KEY_SEARCH,
    PERP_KEY_KEYFRAME,
    PERP_KEY_POSE,
    PERP_KEY_CONTROL,
    PERP_KEY_SRDF,
    PERP_KEY_BASE,
    PERP_KEY_HOLD,
    PERP_KEY_FLOOR,
    PERP_KEY_NO_SELF,
    PERP_KEY_FRICTION
};

#define PERP_ROBOT_ARGUMENTS                                                                        \
    {"ignore", PERP_KEY_IGNORE, "LIST", OPTION_ARG_OPTIONAL,                                        \
     "Of a model: leave out what is not done; or of elements in LIST alone, separated by commas",   \
     0},                                                                                            \
        {"search", PERP_KEY_SEARCH, "DIR", 0,                                                       \
         "Look for package:// and other files of a model in DIR, too; may be repeated", 0},         \
        {"keyframe", PERP_KEY_KEYFRAME, "NAME", 0,                                                  \
         "Start from this keyframe of an MJCF, or group_state of an SRDF", 0},                      \
        {"pose", PERP_KEY_POSE, "JOINT=X", 0,                                                       \
         "Start with the joint of a model at X (radians, metres); may be repeated", 0},             \
        {"control", PERP_KEY_CONTROL, "ACTUATOR=X", 0,                                              \
         "Control of an actuator of an MJCF; may be repeated", 0},                                  \
        {"srdf", PERP_KEY_SRDF, "FILE", 0, "Semantic description beside a URDF", 0},                \
        {"base", PERP_KEY_BASE, "WORD", 0, "Root of a URDF: fixed (default) or free", 0},           \
        {"hold", PERP_KEY_HOLD, NULL, 0,                                                            \
         "A motor in each joint of a model holds it where it starts, within its largest torque",    \
         0},                                                                                        \
        {"floor", PERP_KEY_FLOOR, "Z", OPTION_ARG_OPTIONAL,                                         \
         "Add a floor at this height; without Z at the lowest point of the model", 0},              \
        {"no-self-contact", PERP_KEY_NO_SELF, NULL, 0,                                              \
         "Parts of a model that move do not touch each other", 0},                                  \
        {"friction", PERP_KEY_FRICTION, "MU", 0, "Coefficient of friction of all contacts of a model", \
         0}

void perp_robot_arguments_init(perp_robot_arguments *given);
/* An option of this list; 0, or ARGP_ERR_UNKNOWN. */
error_t perp_robot_argument(perp_robot_arguments *given, int key, char *word,
                            struct argp_state *state);
/* The text of the scene, to be given back with perp_robot_release(); NULL after a message. */
char *perp_robot_open(perp_robot_arguments *given, const perp_input *input);

#endif
