/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/caller_struct.h"

#include <math.h>
#include <string.h>

#include <perp/scene.h>

enum { LARGEST = 65536 };

/* 0: not a size. */
static size_t claimed(const void *callers)
{
    size_t size;

    memcpy(&size, callers, sizeof size);
    return size >= sizeof size && size <= LARGEST ? size : 0;
}

perp_status perp_scene_give(void *callers, const void *own, size_t own_size)
{
    size_t size = callers != NULL ? claimed(callers) : 0, head = sizeof size;
    size_t shared = size < own_size ? size : own_size;

    if (callers == NULL)
        return PERP_SOLVED;
    if (size == 0)
        return PERP_ERR_ARGUMENT;
    memcpy((char *)callers + head, (const char *)own + head, shared - head);
    memset((char *)callers + shared, 0, size - shared);
    return PERP_SOLVED;
}

perp_status perp_scene_accept(void *own, size_t own_size, const void *callers)
{
    size_t size = callers != NULL ? claimed(callers) : 0, head = sizeof size;
    const unsigned char *bytes = callers;

    if (callers == NULL)
        return PERP_SOLVED;
    if (size == 0)
        return PERP_ERR_ARGUMENT;
    for (size_t k = own_size; k < size; k++)
        if (bytes[k] != 0)
            return PERP_ERR_ARGUMENT;
    memcpy((char *)own + head, bytes + head, (size < own_size ? size : own_size) - head);
    return PERP_SOLVED;
}

void perp_scene_options_init(perp_scene_options *options, size_t size)
{
    perp_scene_options own = {.until = NAN, .step = NAN, .tol = NAN};

    if (options == NULL)
        return;
    options->size = size;
    perp_scene_give(options, &own, sizeof own);
}

void perp_scene_run_options_init(perp_scene_run_options *options, size_t size)
{
    perp_scene_run_options own = {.until = NAN, .checkpoint_seconds = 60.0};

    if (options == NULL)
        return;
    options->size = size;
    perp_scene_give(options, &own, sizeof own);
}
