/* SPDX-License-Identifier: BSD-3-Clause */
#include "viewer/live_events.h"

#include "viewer/motion_pack.h"
#include "viewer/page.h"

enum { BATCH_BYTES = 1 << 20 }; /* of the records of an event, about */

void perp_live_head_event(FILE *out, const perp_motion *motion)
{
    fputs("event: head\ndata: {\"head\":", out);
    for (size_t k = 0; k < motion->head_size; k++)
        if (motion->head[k] != '\n' && motion->head[k] != '\r' && motion->head[k] != '\0')
            fputc(motion->head[k], out);
    fprintf(out, ",\"entries\":%zu}\n\n", motion->entries);
}

size_t perp_live_frames_event(FILE *out, const perp_live_store *store, const char *layout,
                              size_t first)
{
    const perp_live_instant *list = store->list + first;
    perp_motion_frame frames[PERP_PACK_CHUNK];
    perp_motion motion = {.layout = layout, .entries = store->entries, .frames = frames};
    perp_pack pack;
    size_t bytes = 0, count = 0;

    while (first + count < store->count && count < PERP_PACK_CHUNK &&
           (count == 0 || bytes + list[count].size <= BATCH_BYTES)) {
        frames[count] = list[count].frame;
        bytes += list[count++].size;
    }
    motion.nframes = count;
    if (perp_pack_start(&pack, &motion) != 0)
        return 0;
    if (perp_pack_chunk(&pack, 0, count) != 0) {
        perp_pack_release(&pack);
        return 0;
    }
    fprintf(out, "id: %lld\nevent: frames\ndata: {\"stride\":%lld,\"steps\":[",
            (long long)list[count - 1].step, (long long)store->stride);
    for (size_t k = 0; k < count; k++)
        fprintf(out, k > 0 ? ",%lld" : "%lld", (long long)list[k].step);
    fputs("],\"exponents\":\"", out);
    perp_page_base64(out, (const unsigned char *)pack.exponent, motion.entries);
    fputs("\",\"bytes\":\"", out);
    perp_page_base64(out, pack.out, pack.size);
    fputs("\"}\n\n", out);
    perp_pack_release(&pack);
    return count;
}

void perp_live_state_event(FILE *out, int paused, const char *over, int failed)
{
    fprintf(out, "event: state\ndata: {\"paused\":%d,\"over\":", paused);
    perp_page_string(out, over);
    if (failed)
        fputs(",\"failed\":1", out);
    fputs("}\n\n", out);
}
