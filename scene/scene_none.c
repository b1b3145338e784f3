/* SPDX-License-Identifier: BSD-3-Clause */
/* Where configure found no jansson: no scene can be made. */

#include <perp/scene.h>

#include "scene/caller_struct.h"

static perp_status refuse(perp_scene **scene, perp_scene_error *error)
{
    static const perp_scene_error own = {
        .text = "scenes are JSON, and this build of Perp has no jansson (Debian: apt-get install "
                "libjansson-dev, then configure and build again)"};

    if (scene != NULL)
        *scene = NULL;
    perp_scene_give(error, &own, sizeof own);
    return PERP_ERR_UNSUPPORTED;
}

perp_status perp_scene_create_from_file(perp_scene **scene, const char *path,
                                        const perp_scene_options *options,
                                        const perp_allocator *allocator, perp_scene_error *error)
{
    (void)path, (void)options, (void)allocator;
    return refuse(scene, error);
}

perp_status perp_scene_create_from_text(perp_scene **scene, const char *text,
                                        const perp_scene_options *options,
                                        const perp_allocator *allocator, perp_scene_error *error)
{
    (void)text, (void)options, (void)allocator;
    return refuse(scene, error);
}

void perp_scene_destroy(perp_scene *scene)
{
    (void)scene;
}

perp_model *perp_scene_model(const perp_scene *scene)
{
    (void)scene;
    return NULL;
}

perp_sim *perp_scene_sim(const perp_scene *scene)
{
    (void)scene;
    return NULL;
}

perp_collider *perp_scene_collider(const perp_scene *scene)
{
    (void)scene;
    return NULL;
}

perp_recorder *perp_scene_recorder(const perp_scene *scene)
{
    (void)scene;
    return NULL;
}

void perp_scene_set_before_step(perp_scene *scene, perp_step_fn fn, void *ctx)
{
    (void)scene, (void)fn, (void)ctx;
}

const char *perp_scene_title(const perp_scene *scene)
{
    (void)scene;
    return NULL;
}

double perp_scene_t0(const perp_scene *scene)
{
    (void)scene;
    return 0.0;
}

double perp_scene_until(const perp_scene *scene)
{
    (void)scene;
    return 0.0;
}

double perp_scene_step(const perp_scene *scene)
{
    (void)scene;
    return 0.0;
}

int perp_scene_systems(const perp_scene *scene)
{
    (void)scene;
    return 0;
}

int perp_scene_interactions(const perp_scene *scene)
{
    (void)scene;
    return 0;
}

perp_status perp_scene_system(const perp_scene *scene, int k, perp_scene_system_info *info)
{
    (void)scene, (void)k, (void)info;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_interaction(const perp_scene *scene, int k,
                                   perp_scene_interaction_info *info)
{
    (void)scene, (void)k, (void)info;
    return PERP_ERR_ARGUMENT;
}

int perp_scene_find_system(const perp_scene *scene, const char *name)
{
    (void)scene, (void)name;
    return -1;
}

int perp_scene_find_interaction(const perp_scene *scene, const char *name)
{
    (void)scene, (void)name;
    return -1;
}

const char *perp_scene_solver(const perp_scene *scene)
{
    (void)scene;
    return NULL;
}

double perp_scene_tol(const perp_scene *scene)
{
    (void)scene;
    return 0.0;
}

perp_status perp_scene_name_interaction(const perp_scene *scene, perp_interaction_id id, char *text,
                                        size_t size)
{
    (void)scene, (void)id, (void)text, (void)size;
    return PERP_ERR_ARGUMENT;
}

int perp_scene_warnings(const perp_scene *scene)
{
    (void)scene;
    return 0;
}

perp_status perp_scene_warning(const perp_scene *scene, int k, perp_scene_error *warning)
{
    (void)scene, (void)k, (void)warning;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_check(perp_scene *scene, perp_scene_error *error)
{
    (void)scene, (void)error;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_check_divisible(const perp_scene *scene, perp_scene_error *error)
{
    (void)scene, (void)error;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_each_tie(const perp_scene *scene, perp_tie_fn fn, void *ctx)
{
    (void)scene, (void)fn, (void)ctx;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_save_interaction(const perp_scene *scene, int k, void *buf, size_t *bytes)
{
    (void)scene, (void)k, (void)buf, (void)bytes;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_load_interaction(perp_scene *scene, int k, const void *buf, size_t bytes)
{
    (void)scene, (void)k, (void)buf, (void)bytes;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_save(perp_scene *scene, void *buf, size_t *bytes)
{
    (void)scene, (void)buf, (void)bytes;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_load(perp_scene *scene, const void *buf, size_t bytes,
                            perp_scene_error *error)
{
    (void)scene, (void)buf, (void)bytes, (void)error;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_scene_run(perp_scene *scene, const perp_scene_run_options *options,
                           perp_scene_run_info *info)
{
    (void)scene, (void)options, (void)info;
    return PERP_ERR_ARGUMENT;
}

perp_status perp_motion_stream_create(perp_motion_stream **stream, perp_scene *scene)
{
    (void)scene;
    if (stream != NULL)
        *stream = NULL;
    return PERP_ERR_ARGUMENT;
}

void perp_motion_stream_destroy(perp_motion_stream *stream)
{
    (void)stream;
}

perp_status perp_motion_stream_head(perp_motion_stream *stream, const void **bytes, size_t *size)
{
    (void)stream, (void)bytes, (void)size;
    return PERP_ERR_ARGUMENT;
}

void perp_motion_stream_note(perp_motion_stream *stream)
{
    (void)stream;
}

perp_status perp_motion_stream_instant(perp_motion_stream *stream, const void **bytes, size_t *size)
{
    (void)stream, (void)bytes, (void)size;
    return PERP_ERR_ARGUMENT;
}
