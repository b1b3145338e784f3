/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenes whose checkpoints are read, and the checksum of those. */
#ifndef PERP_TESTS_FUZZ_FUZZ_SCENES_H
#define PERP_TESTS_FUZZ_FUZZ_SCENES_H

#include <stdint.h>
#include <string.h>

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

/* FNV-1a over all but the last 8 bytes, which become it. */
static inline void fuzz_seal(uint8_t *block, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t k = 0; k + 8 < size; k++)
        sum = (sum ^ block[k]) * 0x100000001b3u;
    memcpy(block + size - 8, &sum, 8);
}

#endif
