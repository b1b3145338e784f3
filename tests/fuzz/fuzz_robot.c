/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of robots, from memory: read, and made a scene, which must be one, with bounded memory. */
#include <string.h>

#include <perp/robot.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const pose[] = {"swing=0.1"};
    perp_scene_error error = {.size = sizeof error};
    perp_robot_options options;
    perp_scene *scene = NULL;
    char *text = NULL;
    perp_robot_options_init(&options, sizeof options);
    options.ignore = size % 2 ? "all" : NULL;
    options.base = size % 3 ? PERP_ROBOT_BASE_FREE : PERP_ROBOT_BASE_BY_MODEL;
    options.floor = size % 5 == 0;
    options.hold = size % 7 == 0;
    options.keyframe = size % 4 == 0 ? "0" : NULL;
    options.pose = pose;
    options.nposes = size % 11 == 0;
    perp_status status = perp_robot_read_text(&text, (const char *)data, size, &options,
                                              fuzz_allocator((size_t)1 << 26), &error);
    FUZZ_PROMISE((status == PERP_SOLVED) == (text != NULL));
    FUZZ_PROMISE(status == PERP_SOLVED || error.text[0] != '\0');
    if (text != NULL && strlen(text) < 100000) {
        status = perp_scene_create_from_text(&scene, text, NULL, fuzz_allocator((size_t)1 << 26), &error);
        FUZZ_PROMISE((status == PERP_SOLVED) == (scene != NULL));
        perp_scene_destroy(scene);
    }
    perp_robot_release(text, fuzz_allocator((size_t)1 << 26));
    return 0;
}
