/* SPDX-License-Identifier: BSD-3-Clause */
/* perp bench scenes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/engines/scene_bench.h"
#include "cli/arguments.h"
#include "cli/bench_commands.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/live_progress.h"

typedef struct request {
    perp_shared shared;
    scene_options options;
    int list;
} request;

enum { KEY_SCENES = 256, KEY_ENGINES, KEY_NO_PEERS, KEY_CPU, KEY_UNTIL, KEY_STEP, KEY_LIST };

static const struct argp_option options[] = {
    {"scenes", KEY_SCENES, "A,B", 0, "Scenes, or families of them (all)", 0},
    {"engines", KEY_ENGINES, "A,B", 0, "Engines, or NAME:SETTINGS (all that are found)", 0},
    {"no-peers", KEY_NO_PEERS, NULL, 0, "Perp alone", 0},
    {"out", 'o', "DIR", 0, "Folder of the results (scenes)", 0},
    {"time-limit", 'T', "SECONDS", 0, "Processor time of a run (60)", 0},
    {"until", KEY_UNTIL, "T", 0, "End of each scene (its own)", 0},
    {"step", KEY_STEP, "H", 0, "Step of each scene (its own)", 0},
    {"cpu", KEY_CPU, "N", 0, "Pin the runs to this CPU", 0},
    {"list", KEY_LIST, NULL, 0, "List scenes and engines", 0},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    scene_options *asked = &((request *)input)->options;

    switch (key) {
    case KEY_SCENES:
        asked->scenes = word;
        return 0;
    case KEY_ENGINES:
        asked->engines = word;
        return 0;
    case KEY_NO_PEERS:
        asked->peers = 0;
        return 0;
    case 'o':
        asked->folder = word;
        return 0;
    case 'T':
        asked->limit = perp_option_real(state, "time-limit", word, 0.001, 1e7);
        return 0;
    case KEY_UNTIL:
        asked->until = perp_option_real(state, "until", word, 1e-9, 1e9);
        return 0;
    case KEY_STEP:
        asked->h = perp_option_real(state, "step", word, 1e-9, 1e3);
        return 0;
    case KEY_CPU:
        asked->cpu = (int)perp_option_integer(state, "cpu", word, 0, 1023);
        return 0;
    case KEY_LIST:
        ((request *)input)->list = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void more_help(FILE *out, int all)
{
    (void)all;
    perp_help_wrap(
        out,
        "A scene is FAMILY, FAMILY:COUNT or FAMILY:COUNT:SIZE, as in wall:10 or chain:20:1e6; a "
        "family alone stands for all of its scenes in the list. All engines take the same step. "
        "States and, where they are given, impulses come back from each and are measured by the "
        "same routines: overlap, opening of joints, creep, sink, what fell, energy from nothing, "
        "the residual of each step.",
        0, 0);
    fputc('\n', out);
    perp_help_wrap(
        out,
        "Other engines run where their programs are found: in $PERP_PEERS, beside perp, or in "
        "bench/peers of the build folder. Those for MuJoCo, Rapier, Jolt, PhysX and cannon-es need "
        "node and the packages of npm in the folder $PERP_NODE, as after npm install --prefix "
        "$PERP_NODE @mujoco/mujoco @dimforge/rapier3d-compat jolt-physics physx-js-webidl "
        "cannon-es.",
        0, 0);
    fputc('\n', out);
    perp_help_wrap(out,
                   "Written to DIR: scenes.csv, after every run; scenes.md; scenes.svg and .png, "
                   "with what gnuplot drew them from. Runs that DIR has already are not made "
                   "again, so that an interrupted command goes on where it is given again.",
                   0, 0);
}

int perp_bench_command_scenes(int argc, char **argv)
{
    perp_command_line line = {
        .options = options,
        .option = option,
        .words = "",
        .about = "Runs scenes that simulations get wrong, by Perp and by other engines, each run "
                 "in a process of its own, and measures all of them alike.",
        .more = more_help};
    request wish;
    int code;

    memset(&wish, 0, sizeof wish);
    scene_options_init(&wish.options);
    perp_read_arguments(&wish.shared, &line, &wish, argc, argv);
    if (wish.list) {
        code = scene_bench_list();
    } else {
        perp_catch_interrupts();
        wish.options.stop = perp_interrupted;
        code = scene_bench_run(&wish.options);
    }
    free(wish.shared.word);
    return code;
}
