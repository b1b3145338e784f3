/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a run. */
#include <stdlib.h>
#include <string.h>

#include "viewer/motion_pack.h"
#include "viewer/page.h"

enum { ELEMENT = 200000 }; /* bytes that a page decodes at once, about */

static const char *const scripts[] = {"view.html",   "slices.js",    "decode.js", "shapes.js",
                                      "camera.js",   "materials.js", "coarse.js", "marks.js",
                                      "picture.js",  "quality.js",   "thin.js",   "contacts.js",
                                      "timeline.js", "states.js",    "hook.js",   "view.js"};

static void write_scripts(FILE *out)
{
    for (size_t k = 0; k < sizeof scripts / sizeof scripts[0]; k++)
        perp_page_script(out, scripts[k]);
}

static void write_shape(FILE *out, const perp_pack *pack, const char *note)
{
    const perp_motion *motion = pack->motion;

    fputs("<script type=\"application/json\" id=\"shape\">{\"note\":", out);
    perp_page_string(out, note);
    fprintf(out,
            ",\"stopped\":%d,\"frames\":%zu,\"entries\":%zu,\"curves\":%d,\"contact_stride\":%zu,"
            "\"exponents\":[",
            motion->why != NULL, motion->nframes, motion->entries, (int)PERP_CURVES,
            pack->contact_stride);
    for (size_t k = 0; k < motion->entries; k++)
        fprintf(out, k > 0 ? ",%d" : "%d", pack->exponent[k]);
    fputs("]}</script>\n", out);
}

/* Chunks, as many in an element as make it worth one. */
static int write_chunks(FILE *out, perp_pack *pack)
{
    const perp_motion *motion = pack->motion;
    unsigned char *all = NULL;
    size_t size = 0, capacity = 0;

    for (size_t first = 0; first < motion->nframes; first += PERP_PACK_CHUNK) {
        size_t left = motion->nframes - first;
        if (perp_pack_chunk(pack, first, left < PERP_PACK_CHUNK ? left : PERP_PACK_CHUNK) != 0)
            break;
        if (size + pack->size > capacity) {
            unsigned char *more = realloc(all, capacity = 2 * (size + pack->size));
            if (more == NULL)
                break;
            all = more;
        }
        memcpy(all + size, pack->out, pack->size);
        size += pack->size;
        if (size >= ELEMENT || left <= PERP_PACK_CHUNK) {
            perp_page_bytes(out, "chunks", all, size);
            size = 0;
            if (left <= PERP_PACK_CHUNK) {
                free(all);
                return 0;
            }
        }
    }
    free(all);
    return -1;
}

int perp_page_motion(FILE *out, const perp_motion *motion, const char *note, const char *three,
                     char *text, size_t size)
{
    perp_pack pack;
    int bad;

    if (perp_pack_start(&pack, motion) != 0) {
        snprintf(text, size, "not enough memory");
        return -1;
    }
    perp_page_begin(out, "perp view");
    perp_page_script(out, "errors.js");
    perp_page_script(out, "colours.js");
    perp_page_script(out, "theme.js");
    bad = perp_page_three(out, three, text, size);
    if (bad == 0) {
        perp_page_json(out, "head", motion->head, motion->head_size);
        write_shape(out, &pack, note);
        bad = write_chunks(out, &pack);
        if (bad != 0)
            snprintf(text, size, "not enough memory");
    }
    if (bad == 0)
        write_scripts(out);
    perp_page_end(out);
    perp_pack_release(&pack);
    return bad;
}

int perp_page_live(FILE *out, const char *three, char *text, size_t size)
{
    int bad;

    perp_page_begin(out, "perp run");
    perp_page_script(out, "errors.js");
    perp_page_script(out, "colours.js");
    perp_page_script(out, "theme.js");
    bad = perp_page_three(out, three, text, size);
    if (bad == 0) {
        perp_page_script(out, "live.html");
        perp_page_script(out, "live.js");
        write_scripts(out);
    }
    perp_page_end(out);
    return bad;
}
