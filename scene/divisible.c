/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes whose bodies can lie in several processes. */
#include <stdio.h>
#include <string.h>

#include "scene/caller_struct.h"
#include "scene/scene_inside.h"

/* What is not in one place; NULL: nothing. */
static const char *obstacle(const perp_scene *scene, const char **name)
{
    *name = NULL;
    for (int k = 0; k < scene->nsystems; k++) {
        const perp_scene_member *s = scene->systems[k];
        *name = s->name;
        if (!s->fixed && s->kind != PERP_SCENE_BODY)
            return "is no rigid body";
        if (perp_scene_is_integrated(s) &&
            perp_scheme_chooses_instants(perp_scene_scheme_of(scene, s)))
            return "has a scheme that chooses its own instants";
    }
    *name = scene->name;
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
             "%.200s: '%.200s' %s: only bodies, their contacts and what ties them are divided",
             scene->name, name, why);
    perp_scene_give(error, &own, sizeof own);
    return PERP_ERR_UNSUPPORTED;
}

enum { TIED = 1000 }; /* systems of an interaction, at most */

/* Bodies that move by forces among the ends of a spring. */
static int spring_systems(perp_system_id systems[2], const perp_scene_spring *spring)
{
    int count = 0;

    for (int k = 0; k < 2; k++) {
        const perp_scene_member *s = spring->end[k].system;
        if (s != NULL && perp_scene_is_integrated(s))
            systems[count++] = s->id;
    }
    return count;
}

perp_status perp_scene_each_tie(const perp_scene *scene, perp_tie_fn fn, void *ctx)
{
    perp_system_id systems[TIED];
    int stop = 0;

    if (scene == NULL || fn == NULL)
        return PERP_ERR_ARGUMENT;
    for (int k = 0; k < scene->ninteractions && !stop; k++) {
        int count =
            perp_model_interaction_systems(scene->model, scene->interactions[k].id, systems, TIED);
        if (count > 0)
            stop = fn(ctx, systems, count < TIED ? count : TIED);
    }
    for (const perp_scene_spring *s = scene->springs; s != NULL && !stop; s = s->next) {
        int count = spring_systems(systems, s);
        if (count > 0)
            stop = fn(ctx, systems, count);
    }
    return stop ? PERP_INTERRUPTED : PERP_SOLVED;
}

static const perp_scene_named_interaction *interaction_at(const perp_scene *scene, int k)
{
    return scene != NULL && k >= 0 && k < scene->ninteractions ? &scene->interactions[k] : NULL;
}

perp_status perp_scene_save_interaction(const perp_scene *scene, int k, void *buf, size_t *bytes)
{
    const perp_scene_named_interaction *one = interaction_at(scene, k);
    size_t capacity;
    double *kept;
    perp_status status;

    if (one == NULL || bytes == NULL)
        return PERP_ERR_ARGUMENT;
    capacity = *bytes;
    status = perp_sim_save_interaction(scene->sim, one->id, buf, bytes);
    kept = perp_scene_controller_memory(scene, one->id);
    if (status != PERP_SOLVED || kept == NULL)
        return status;
    *bytes += sizeof *kept;
    if (buf != NULL && *bytes > capacity)
        return PERP_ERR_ARGUMENT;
    if (buf != NULL)
        memcpy((char *)buf + *bytes - sizeof *kept, kept, sizeof *kept);
    return PERP_SOLVED;
}

perp_status perp_scene_load_interaction(perp_scene *scene, int k, const void *buf, size_t bytes)
{
    const perp_scene_named_interaction *one = interaction_at(scene, k);
    size_t more;
    double *kept;
    perp_status status;

    if (one == NULL || buf == NULL)
        return PERP_ERR_ARGUMENT;
    kept = perp_scene_controller_memory(scene, one->id);
    more = kept != NULL ? sizeof *kept : 0;
    if (bytes < more)
        return PERP_ERR_FORMAT;
    status = perp_sim_load_interaction(scene->sim, one->id, buf, bytes - more);
    if (status == PERP_SOLVED && kept != NULL)
        memcpy(kept, (const char *)buf + bytes - more, more);
    return status;
}
