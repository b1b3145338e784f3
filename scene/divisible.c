/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes whose bodies can lie in several processes. */
#include <stdio.h>
#include <string.h>

#include "scene/caller_struct.h"
#include "scene/scene_inside.h"

/* What ties more than the bodies of a contact, or asks for all of them; NULL: nothing. */
static const char *obstacle(const perp_scene *scene, const char **name)
{
    *name = NULL;
    for (int k = 0; k < scene->nsystems; k++) {
        const perp_scene_member *s = scene->systems[k];
        *name = s->name;
        if (!s->fixed && s->kind != PERP_SCENE_BODY)
            return "is no rigid body";
    }
    if (scene->ninteractions > 0) {
        *name = scene->interactions[0].name;
        return "is an interaction that the text names";
    }
    *name = scene->name;
    if (scene->springs != NULL)
        return "has springs between systems";
    if (scene->controllers != NULL)
        return "has controllers";
    return scene->contacts == NULL ? "has no contacts" : NULL;
}

perp_status perp_scene_check_divisible(const perp_scene *scene, perp_scene_error *error)
{
    perp_scene_error own;
    const char *name, *why;

    if (scene == NULL)
        return PERP_ERR_ARGUMENT;
    why = obstacle(scene, &name);
    if (why == NULL)
        return PERP_SOLVED;
    memset(&own, 0, sizeof own);
    snprintf(own.text, sizeof own.text,
             "%.200s: '%.200s' %s: only free bodies and their contacts are divided", scene->name,
             name, why);
    perp_scene_give(error, &own, sizeof own);
    return PERP_ERR_UNSUPPORTED;
}
