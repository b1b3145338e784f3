/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes: read, and checked as perp run --check does, with bounded memory. */
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene *scene = NULL;
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    perp_status status =
        perp_scene_create_from_text(&scene, text, NULL, fuzz_allocator((size_t)1 << 26), &error);
    FUZZ_PROMISE((status == PERP_SOLVED) == (scene != NULL));
    FUZZ_PROMISE(status == PERP_SOLVED || error.text[0] != '\0');
    if (scene != NULL)
        perp_scene_check(scene, &error);
    perp_scene_destroy(scene);
    free(text);
    return 0;
}
