/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perp/scene.h>
#include <perp/verify.h>

#include "tests/torture/drawing.h"

/* Runs it into the folder, with all that the checks need. */
static int write_run(const drawing *d, const char *folder, int steps)
{
    static char text[DRAWING_TEXT + 64];
    perp_scene *scene = NULL;
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_run_options_init(&options, sizeof options);
    snprintf(text, sizeof text, "%.*s, \"record\": {\"certify\": true}}", d->length - 1, d->text);
    if (perp_scene_create_from_text(&scene, text, NULL, NULL, NULL) != PERP_SOLVED)
        return -1;
    options.folder = folder;
    options.until = steps * perp_scene_step(scene);
    perp_status status = perp_scene_run(scene, &options, &info);
    perp_scene_destroy(scene);
    return status == PERP_SOLVED ? 0 : -1;
}

/* What is contradicted, into `what`; an overlap is none, for some are drawn. */
static int look_at(const char *folder, char *what, size_t size)
{
    perp_verification *found = NULL;
    int bad = 0;
    if (perp_verify_folder(&found, folder, NULL, NULL) != PERP_SOLVED)
        return 0;
    for (int k = 0; k < perp_verification_checks(found) && !bad; k++) {
        perp_check check = {.size = sizeof check};
        (void)perp_verification_check(found, k, &check);
        bad = check.contradicted && strcmp(check.name, "overlap") != 0 &&
              strcmp(check.name, "lasting overlap") != 0;
        if (bad)
            snprintf(what, size, "%s of %.60s, row %ld: %.3g", check.name, check.where, check.row,
                     check.worst);
    }
    perp_verification_destroy(found);
    return bad;
}

int drawing_is_contradicted(const drawing *d, int steps, char *what, size_t size)
{
    char folder[] = "drawn-XXXXXX", command[64];
    if (!mkdtemp(folder))
        return 0;
    int bad = write_run(d, folder, steps) == 0 && look_at(folder, what, size);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 && bad;
}
