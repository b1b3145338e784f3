/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of motions: read, and packed for a page as perp view does. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "viewer/motion_pack.h"

static void pack_all(const perp_motion *motion)
{
    perp_pack pack;
    if (perp_pack_start(&pack, motion) != 0)
        return;
    for (size_t first = 0; first < motion->nframes; first += PERP_PACK_CHUNK) {
        size_t left = motion->nframes - first,
               count = left < PERP_PACK_CHUNK ? left : PERP_PACK_CHUNK;
        uint32_t head[2];
        FUZZ_PROMISE(perp_pack_chunk(&pack, first, count) == 0);
        FUZZ_PROMISE(pack.size >= sizeof head && pack.size <= pack.capacity);
        memcpy(head, pack.out, sizeof head);
        FUZZ_PROMISE(head[0] == pack.size && head[1] == count);
    }
    perp_pack_release(&pack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    perp_motion motion = {.size = size};
    char text[256] = "";
    motion.bytes = malloc(size > 0 ? size : 1);
    if (motion.bytes == NULL)
        return 0;
    if (size > 0)
        memcpy(motion.bytes, data, size);
    int bad = perp_motion_parse(&motion, text, sizeof text);
    FUZZ_PROMISE(bad == 0 || (bad == -1 && text[0] != '\0'));
    if (bad == 0) {
        FUZZ_PROMISE(motion.nframes > 0 && motion.entries <= size);
        FUZZ_PROMISE(motion.why == NULL || motion.why_size <= size);
        pack_all(&motion);
    }
    perp_motion_release(&motion);
    return 0;
}
