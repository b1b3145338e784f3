/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scene answers about itself. */
#include <string.h>

#include "scene/caller_struct.h"
#include "scene/contact_section.h"
#include "scene/scene_inside.h"

perp_model *perp_scene_model(const perp_scene *scene)
{
    return scene != NULL ? scene->model : NULL;
}

perp_sim *perp_scene_sim(const perp_scene *scene)
{
    return scene != NULL ? scene->sim : NULL;
}

perp_collider *perp_scene_collider(const perp_scene *scene)
{
    return scene != NULL ? perp_scene_contacts_collider(scene->contacts) : NULL;
}

perp_recorder *perp_scene_recorder(const perp_scene *scene)
{
    return scene != NULL ? scene->record.recorder : NULL;
}

const char *perp_scene_title(const perp_scene *scene)
{
    return scene != NULL ? scene->title : NULL;
}

double perp_scene_t0(const perp_scene *scene)
{
    return scene != NULL ? scene->t0 : 0.0;
}

double perp_scene_until(const perp_scene *scene)
{
    return scene != NULL ? scene->until : 0.0;
}

double perp_scene_step(const perp_scene *scene)
{
    return scene != NULL ? scene->step : 0.0;
}

const char *perp_scene_solver(const perp_scene *scene)
{
    return scene != NULL ? scene->options.solver : NULL;
}

double perp_scene_tol(const perp_scene *scene)
{
    return scene != NULL ? scene->settings.tol : 0.0;
}

int perp_scene_systems(const perp_scene *scene)
{
    return scene != NULL ? scene->nsystems : 0;
}

int perp_scene_interactions(const perp_scene *scene)
{
    return scene != NULL ? scene->ninteractions : 0;
}

perp_status perp_scene_system(const perp_scene *scene, int k, perp_scene_system_info *info)
{
    perp_scene_system_info own;
    const perp_scene_member *s;

    if (info == NULL || k < 0 || k >= perp_scene_systems(scene))
        return PERP_ERR_ARGUMENT;
    s = scene->systems[k];
    memset(&own, 0, sizeof own);
    own.name = s->name;
    own.kind = s->fixed ? PERP_SCENE_FIXED : s->kind;
    if (!s->fixed) {
        own.id = s->id;
        own.nx = s->nx;
        own.nv = s->nv;
    }
    return perp_scene_give(info, &own, sizeof own);
}

perp_status perp_scene_interaction(const perp_scene *scene, int k,
                                   perp_scene_interaction_info *info)
{
    perp_scene_interaction_info own;

    if (info == NULL || k < 0 || k >= perp_scene_interactions(scene))
        return PERP_ERR_ARGUMENT;
    memset(&own, 0, sizeof own);
    own.name = scene->interactions[k].name;
    own.id = scene->interactions[k].id;
    own.rows = scene->interactions[k].rows;
    return perp_scene_give(info, &own, sizeof own);
}

int perp_scene_find_system(const perp_scene *scene, const char *name)
{
    int k = scene != NULL && name != NULL ? perp_scene_number_of(&scene->system_names, name) : -1;

    return k >= 0 && k < scene->nsystems && strcmp(scene->systems[k]->name, name) == 0 ? k : -1;
}

int perp_scene_find_interaction(const perp_scene *scene, const char *name)
{
    return scene != NULL && name != NULL ? perp_scene_number_of(&scene->interaction_names, name)
                                         : -1;
}
