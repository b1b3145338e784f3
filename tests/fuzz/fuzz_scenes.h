/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenes whose checkpoints are read, and the checksum of those. */
#ifndef PERP_TESTS_FUZZ_FUZZ_SCENES_H
#define PERP_TESTS_FUZZ_FUZZ_SCENES_H

#include <stdint.h>
#include <string.h>

#include <perp/scene.h>

static const char fuzz_ball[] =
    "{\"version\": 1, \"time\": {\"until\": 0.05, \"step\": 0.01},\n"
    "\"systems\": [{\"name\": \"b\", \"type\": \"lagrangian\", \"q0\": [0.01], \"F\": [-9.81]}],\n"
    "\"interactions\": [{\"name\": \"g\", \"systems\": [\"b\"], \"relation\": {\"type\": "
    "\"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"impact\", \"e\": 0.5}}]}";
static const char fuzz_heap[] =
    "{\"version\": 1, \"time\": {\"until\": 0.05, \"step\": 0.01}, \"gravity\": [0, 0, -9.81],\n"
    "\"bodies\": [{\"name\": \"f\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},\n"
    "{\"name\": \"a\", \"mass\": 1, \"position\": [0, 0, 0.1], \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 0.1}}],\n\"contacts\": {\"mu\": 0.3}}";

/* Bodies on a joint and on the ground, one of which strikes it, and a mass that strikes a stop, with
 * all that perp verify needs. */
static const char fuzz_certified[] =
    "{\"version\": 1, \"time\": {\"until\": 0.05, \"step\": 0.01}, \"gravity\": [0, 0, -9.81],\n"
    "\"bodies\": [{\"name\": \"f\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},\n"
    "{\"name\": \"a\", \"mass\": 1, \"inertia\": [0.004, 0.004, 0.004], \"position\": [0, 0, "
    "0.1], \"velocity\": [0.5, 0, -1],\n"
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}},\n"
    "{\"name\": \"b\", \"mass\": 2, \"inertia\": [0.01, 0.02, 0.02], \"position\": [1, 0, 1]}],\n"
    "\"systems\": [{\"name\": \"c\", \"type\": \"lagrangian\", \"q0\": [0.01], \"v0\": [-1]}],\n"
    "\"interactions\": [{\"name\": \"s\", \"systems\": [\"c\"], \"relation\": {\"type\": "
    "\"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"impact\", \"e\": 0.5}},\n"
    "{\"name\": \"j\", \"systems\": [\"b\"], \"relation\": {\"type\": \"joint\", "
    "\"joint\": \"point\", \"anchor\": [1, 0, 1.5]}, \"law\": {\"type\": \"equality\"}}],\n"
    "\"contacts\": {\"mu\": 0.3, \"e\": 0.5}, \"record\": {\"certify\": true}}";

/* 0: the scene was run into the folder. */
static inline int fuzz_run(const char *text, const char *folder)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene_run_options options;
    perp_scene *scene = NULL;
    int bad = 1;
    if (perp_scene_create_from_text(&scene, text, NULL, NULL, &error) == PERP_SOLVED) {
        perp_scene_run_options_init(&options, sizeof options);
        options.folder = folder;
        bad = perp_scene_run(scene, &options, NULL) != PERP_SOLVED;
    }
    perp_scene_destroy(scene);
    return bad;
}

/* FNV-1a over all but the last 8 bytes, which become it. */
static inline void fuzz_seal(uint8_t *block, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t k = 0; k + 8 < size; k++)
        sum = (sum ^ block[k]) * 0x100000001b3u;
    memcpy(block + size - 8, &sum, 8);
}

#endif
