/* SPDX-License-Identifier: BSD-3-Clause */
/* To save a run changes nothing of it, and it goes on in another scene as it does in its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>

#include "tests/torture/drawing.h"

/* Steps between two saves: first seldom, so that much was learned, then often. */
static const long SELDOM = 13, OFTEN = 4;

/* The same status, time and states, to the last bit. */
static int same(const drawing *d, perp_scene *a, perp_scene *b)
{
    for (int k = 0; k < d->bodies; k++) {
        char name[16];
        perp_scene *both[] = {a, b};
        double *q[2] = {NULL}, *v[2] = {NULL};
        snprintf(name, sizeof name, "b%d", k);
        for (int i = 0; i < 2; i++) {
            perp_scene_system_info info = {.size = sizeof info};
            int at = perp_scene_find_system(both[i], name);
            if (perp_scene_system(both[i], at, &info) != PERP_SOLVED ||
                perp_model_state(perp_scene_model(both[i]), info.id, &q[i], &v[i], NULL, NULL) !=
                    PERP_SOLVED)
                abort();
        }
        if (memcmp(q[0], q[1], 7 * sizeof *q[0]) != 0 || memcmp(v[0], v[1], 6 * sizeof *v[0]) != 0)
            return 0;
    }
    return 1;
}

/* One is saved, and the other takes it. */
static void hand_over(perp_scene *from, perp_scene *to)
{
    size_t bytes = 0;
    void *block = NULL;
    perp_scene_error error = {.size = sizeof error};
    if (perp_scene_save(from, NULL, &bytes) != PERP_SOLVED || !(block = malloc(bytes)) ||
        perp_scene_save(from, block, &bytes) != PERP_SOLVED)
        abort();
    if (perp_scene_load(to, block, bytes, &error) != PERP_SOLVED) {
        puts(error.text);
        abort();
    }
    free(block);
}

static long parts(const drawing *d, perp_scene *scene[3], long steps)
{
    for (long k = 1, loaded = 0; k <= steps; k++) {
        perp_status status = perp_sim_step(perp_scene_sim(scene[0]));
        for (int i = 1; i < 2 + loaded; i++)
            if (perp_sim_step(perp_scene_sim(scene[i])) != status || !same(d, scene[0], scene[i]))
                return k;
        if (status != PERP_SOLVED)
            return 0;
        if (k % (k > steps / 2 ? OFTEN : SELDOM) != 0)
            continue;
        hand_over(scene[1], scene[2]);
        loaded = 1;
    }
    return 0;
}

long drawing_saved_parts(const drawing *d, long steps)
{
    perp_scene *scene[3] = {NULL};
    long parted = 0;
    int made = 1;
    for (int i = 0; i < 3; i++)
        made &= perp_scene_create_from_text(&scene[i], d->text, NULL, NULL, NULL) == PERP_SOLVED;
    if (made)
        parted = parts(d, scene, steps);
    for (int i = 0; i < 3; i++)
        perp_scene_destroy(scene[i]);
    return parted;
}
