/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a motion in memory, for who looks on while the scene goes on. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdlib.h>

#include "scene/motion_record.h"

struct perp_motion_stream {
    perp_scene *scene;
    perp_scene_motion_record record;
    char *bytes;
    size_t size;
};

perp_status perp_motion_stream_create(perp_motion_stream **stream, perp_scene *scene)
{
    perp_motion_stream *made;

    if (stream == NULL)
        return PERP_ERR_ARGUMENT;
    *stream = NULL;
    if (scene == NULL)
        return PERP_ERR_ARGUMENT;
    made = perp_scene_zeroed(&scene->memory, 1, sizeof *made);
    if (made == NULL)
        return PERP_ERR_MEMORY;
    made->scene = scene;
    if (perp_scene_motion_plan_stream(&made->record, scene) == 0)
        made->record.file.stream = open_memstream(&made->bytes, &made->size);
    if (made->record.file.stream == NULL) {
        perp_scene_release(&scene->memory, made);
        return PERP_ERR_MEMORY;
    }
    *stream = made;
    return PERP_SOLVED;
}

void perp_motion_stream_destroy(perp_motion_stream *stream)
{
    if (stream == NULL)
        return;
    fclose(stream->record.file.stream);
    free(stream->bytes);
    perp_scene_release(&stream->scene->memory, stream);
}

/* What `write` leaves in the memory of the stream, which it uses from its beginning. */
static perp_status give(perp_motion_stream *stream, const void **bytes, size_t *size,
                        int (*write)(perp_scene_motion_record *, perp_scene *))
{
    FILE *f = stream->record.file.stream;

    rewind(f);
    if (write(&stream->record, stream->scene) != 0 || fflush(f) != 0)
        return PERP_ERR_MEMORY;
    *bytes = stream->bytes;
    *size = stream->size;
    return PERP_SOLVED;
}

perp_status perp_motion_stream_head(perp_motion_stream *stream, const void **bytes, size_t *size)
{
    if (stream == NULL || bytes == NULL || size == NULL)
        return PERP_ERR_ARGUMENT;
    return give(stream, bytes, size, perp_scene_motion_write_head);
}

void perp_motion_stream_note(perp_motion_stream *stream)
{
    if (stream != NULL)
        perp_scene_motion_note(&stream->record, stream->scene);
}

perp_status perp_motion_stream_instant(perp_motion_stream *stream, const void **bytes, size_t *size)
{
    if (stream == NULL || bytes == NULL || size == NULL)
        return PERP_ERR_ARGUMENT;
    return give(stream, bytes, size, perp_scene_motion_instant);
}
