/* SPDX-License-Identifier: BSD-3-Clause */
/* {"certificate": {"joints": 1e-5, ..., "sizes": {"ball": 0.1}}}: thresholds of the verdict and
 * sizes of systems; shapes tell theirs. */
#include <math.h>
#include <string.h>

#include <perp/verdict.h>

#include "scene/plain_number.h"
#include "scene/shapes.h"

static void take_shapes(perp_scene *scene)
{
    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        double size = s->fixed ? 0.0 : perp_scene_least_half_width(s);
        if (size > 0.0)
            (void)perp_sim_set_size(scene->sim, s->id, size);
    }
}

static int read_sizes(perp_scene *scene, const perp_scene_node *at)
{
    json_t *json = (json_t *)at->json;

    if (!perp_scene_is(at, JSON_OBJECT))
        return perp_scene_fail(at, "an object is expected");
    for (void *it = json_object_iter(json); it != NULL; it = json_object_iter_next(json, it)) {
        const char *name = json_object_iter_key(it);
        perp_scene_node value = perp_scene_get(at, name);
        perp_scene_member *s = perp_scene_find_member(scene, name);
        double size = 0.0;
        if (s == NULL)
            return perp_scene_fail_name(scene, &value, "nothing is called", name);
        if (s->fixed)
            return perp_scene_fail(&value, "'%s' stands still", name);
        if (perp_scene_real(&size, at, name, 0.0, INFINITY) != 0)
            return -1;
        if (size == 0.0)
            return perp_scene_fail(&value, "a positive length is expected");
        (void)perp_sim_set_size(scene->sim, s->id, size);
    }
    return 0;
}

static int refuse(const perp_scene_node *value, const char *key)
{
    const perp_setting_info *info;
    const char *best = NULL;

    for (int k = 0; (info = perp_threshold_at(k)) != NULL; k++) {
        const char *pair[2] = {best, info->name};
        if (strcmp(info->name, key) == 0)
            return perp_scene_fail(value, "a number from 0 to 1e300 is expected");
        best = perp_nearest_name(key, pair, 2);
    }
    if (best != NULL)
        return perp_scene_fail(value, "unknown measure; did you mean '%s'?", best);
    return perp_scene_fail(value, "unknown measure; 'man perp' lists them");
}

int perp_scene_read_certificate(perp_scene *scene, const perp_scene_node *root)
{
    perp_scene_node node = perp_scene_get(root, "certificate");
    perp_thresholds thresholds;
    json_t *json = (json_t *)node.json;

    take_shapes(scene);
    if (json == NULL)
        return 0;
    if (!perp_scene_is(&node, JSON_OBJECT))
        return perp_scene_fail(&node, "an object is expected");
    perp_thresholds_init(&thresholds, sizeof thresholds);
    for (void *it = json_object_iter(json); it != NULL; it = json_object_iter_next(json, it)) {
        const char *key = json_object_iter_key(it);
        perp_scene_node value = perp_scene_get(&node, key);
        double number = 0.0;
        if (strcmp(key, "sizes") == 0) {
            if (read_sizes(scene, &value) != 0)
                return -1;
            continue;
        }
        if (perp_scene_real(&number, &node, key, -INFINITY, INFINITY) != 0)
            return -1;
        if (perp_thresholds_set(&thresholds, key, perp_scene_number_text(number, 17).text) !=
            PERP_SOLVED)
            return refuse(&value, key);
    }
    perp_status status = perp_sim_set_thresholds(scene->sim, &thresholds);
    return status == PERP_SOLVED ? 0 : perp_scene_fail_status(&node, status, NULL);
}
