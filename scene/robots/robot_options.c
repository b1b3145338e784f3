/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is of models in builds without libxml2, too. */
#include <perp/robot.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/caller_struct.h"
#include "scene/scene_memory.h"

void perp_robot_options_init(perp_robot_options *options, size_t size)
{
    perp_robot_options own;

    memset(&own, 0, sizeof own);
    own.size = size;
    own.until = own.step = own.floor_height = own.mu = (double)NAN;
    if (options == NULL || size == 0)
        return;
    memset(options, 0, size);
    memcpy(options, &own, size < sizeof own ? size : sizeof own);
}

/* A broken file that is named as a model is to be refused as one. */
static int is_named_so(const char *path)
{
    static const char *const ends[] = {".urdf", ".mjcf", ".xml"};
    size_t n = strlen(path);

    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        if (n > strlen(ends[k]) && path[n - strlen(ends[k]) - 1] != '/' &&
            strcmp(path + n - strlen(ends[k]), ends[k]) == 0)
            return 1;
    return 0;
}

int perp_robot_is_model(const char *path)
{
    char begin[64];
    FILE *f = path != NULL ? fopen(path, "rb") : NULL;
    size_t got = f != NULL ? fread(begin, 1, sizeof begin, f) : 0, at = 0;

    if (f != NULL)
        fclose(f);
    if (got >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0)
        at = 3;
    while (at < got && strchr(" \t\r\n", begin[at]) != NULL && begin[at] != '\0')
        at++;
    if (at < got && begin[at] != '<' && begin[at] != '{' && begin[at] != '[')
        return is_named_so(path);
    return at < got && begin[at] == '<';
}

void perp_robot_release(char *text, const perp_allocator *allocator)
{
    perp_allocator memory = perp_scene_memory(allocator);

    perp_scene_release(&memory, text);
}
