/* SPDX-License-Identifier: BSD-3-Clause */
/* Where configure found no libxml2: no model can be read. */
#include <perp/robot.h>

#include "scene/caller_struct.h"

static perp_status refuse(char **text, perp_scene_error *error)
{
    static const perp_scene_error why = {
        .size = sizeof why,
        .text =
            "URDF and MJCF are XML, and this build of Perp has no libxml2 (Debian: apt-get install "
            "libxml2-dev, then configure and build again)"};

    if (text == NULL)
        return PERP_ERR_ARGUMENT;
    *text = NULL;
    perp_scene_give(error, &why, sizeof why);
    return PERP_ERR_UNSUPPORTED;
}

perp_status perp_robot_read(char **text, const char *path, const perp_robot_options *options,
                            const perp_allocator *allocator, perp_scene_error *error)
{
    (void)path, (void)options, (void)allocator;
    return refuse(text, error);
}

perp_status perp_robot_read_text(char **text, const char *model, size_t bytes,
                                 const perp_robot_options *options, const perp_allocator *allocator,
                                 perp_scene_error *error)
{
    (void)model, (void)bytes, (void)options, (void)allocator;
    return refuse(text, error);
}
