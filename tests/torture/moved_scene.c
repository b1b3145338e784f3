/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a scene stands is no physics.  Both runs differ by rounding, which grows as motions are
 * unstable; where they part within one step, rounding decided about a contact, an impact or a
 * law. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <perp/scene.h>

#include "tests/torture/drawing.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

static const double WAY[3] = {0.5, -0.25, 0.125};
/* Metres before and after such a step. */
static const double TOGETHER = 1e-9, APART = 1e-6;

static void move(json_t *object, const char *key)
{
    json_t *place = json_object_get(object, key);
    for (size_t k = 0; k < 3 && place; k++)
        json_array_set_new(place, k,
                           json_real(json_number_value(json_array_get(place, k)) + WAY[k]));
}

/* The text of the scene elsewhere, of malloc(). */
static char *moved_text(const char *text)
{
    json_t *scene = json_loads(text, 0, NULL), *one;
    size_t k;
    json_array_foreach(json_object_get(scene, "bodies"), k, one)
    {
        if (!json_object_get(one, "position"))
            json_object_set_new(one, "position", json_pack("[f,f,f]", 0.0, 0.0, 0.0));
        move(one, "position");
    }
    json_array_foreach(json_object_get(scene, "interactions"), k, one)
    {
        move(json_object_get(one, "relation"), "anchor");
        move(json_object_get(one, "relation"), "anchor_b");
    }
    char *moved = json_dumps(scene, JSON_REAL_PRECISION(17));
    json_decref(scene);
    return moved;
}

static const double *place_of(perp_scene *scene, int k)
{
    char name[16];
    perp_scene_system_info info = {.size = sizeof info};
    double *q = NULL;
    snprintf(name, sizeof name, "b%d", k);
    if (perp_scene_system(scene, perp_scene_find_system(scene, name), &info) != PERP_SOLVED ||
        perp_model_state(perp_scene_model(scene), info.id, &q, NULL, NULL, NULL) != PERP_SOLVED)
        abort();
    return q;
}

static double distance(perp_scene *here, perp_scene *there, int bodies)
{
    double most = 0.0;
    for (int k = 0; k < bodies; k++) {
        const double *x = place_of(here, k), *y = place_of(there, k);
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(y[i] - x[i] - WAY[i]));
    }
    return most;
}

long drawing_parts(const drawing *d, long steps)
{
    perp_scene *here = NULL, *there = NULL;
    char *text = moved_text(d->text);
    long parted = 0;
    if (text && perp_scene_create_from_text(&here, d->text, NULL, NULL, NULL) == PERP_SOLVED &&
        perp_scene_create_from_text(&there, text, NULL, NULL, NULL) == PERP_SOLVED) {
        double apart = distance(here, there, d->bodies);
        for (long k = 1; k <= steps && apart <= TOGETHER; k++) {
            if (perp_sim_step(perp_scene_sim(here)) != PERP_SOLVED ||
                perp_sim_step(perp_scene_sim(there)) != PERP_SOLVED)
                break;
            apart = distance(here, there, d->bodies);
            parted = apart > APART ? k : 0;
        }
    }
    perp_scene_destroy(here);
    perp_scene_destroy(there);
    free(text);
    return parted;
}
#else
long drawing_parts(const drawing *d, long steps)
{
    (void)d;
    (void)steps;
    return 0;
}
#endif
