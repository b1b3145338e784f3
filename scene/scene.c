/* SPDX-License-Identifier: BSD-3-Clause */
/* A scene from its text to its end, and what it answers. */
#include <perp/scene.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scene/caller_struct.h"
#include "scene/contact_section.h"
#include "scene/scene_inside.h"

/* "NAME: KEY: REASON (line N)", or "NAME: line N, column M: REASON". */
static void tell(perp_scene_error *error, const char *name, const perp_scene_report *report)
{
    perp_scene_error own;
    size_t used;

    memset(&own, 0, sizeof own);
    own.line = report->line;
    memcpy(own.key, report->key, sizeof own.key);
    used = (size_t)snprintf(own.text, sizeof own.text, "%.120s: %s", name, report->text);
    if (report->line > 0 && strncmp(report->text, "line ", 5) != 0 && used < sizeof own.text)
        snprintf(own.text + used, sizeof own.text - used, " (line %d)", report->line);
    perp_scene_give(error, &own, sizeof own);
}

static perp_status parse(perp_scene *scene, const char *text)
{
    json_error_t error;

    scene->json = json_loadb(text, strlen(text), JSON_REJECT_DUPLICATES, &error);
    if (scene->json != NULL)
        return PERP_SOLVED;
    scene->report.status = PERP_ERR_FORMAT;
    scene->report.line = error.line;
    snprintf(scene->report.text, sizeof scene->report.text, "line %d, column %d: %s", error.line,
             error.column, error.text);
    return scene->report.status;
}

/* 0, or -1 with the report. */
static int make(perp_scene *scene, const char *text, const perp_scene_options *options)
{
    scene->report.source = text;
    scene->name = perp_scene_text(scene, "%.120s", options->name != NULL ? options->name : "scene");
    if (scene->name == NULL || parse(scene, text) != PERP_SOLVED ||
        perp_scene_read(scene, options) != 0)
        return -1;
    perp_sim_set_before_step(scene->sim, perp_scene_prepare_step, scene);
    perp_scene_set_springs(scene, scene->step);
    scene->report.source = NULL;
    return 0;
}

static perp_status create(perp_scene **scene, const char *text, const perp_scene_options *options,
                          const perp_allocator *allocator, int anywhere, perp_scene_error *error)
{
    perp_allocator memory = perp_scene_memory(allocator);
    perp_scene_options own;
    perp_scene_report report;
    perp_scene *made;

    perp_scene_options_init(&own, sizeof own);
    if (scene == NULL)
        return PERP_ERR_ARGUMENT;
    *scene = NULL;
    if (text == NULL || perp_scene_accept(&own, sizeof own, options) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    memset(&report, 0, sizeof report);
    made = perp_scene_zeroed(&memory, 1, sizeof *made);
    if (made == NULL) {
        perp_scene_fail_memory(&report);
    } else {
        made->memory = memory;
        made->anywhere = anywhere;
        if (make(made, text, &own) == 0) {
            *scene = made;
            return PERP_SOLVED;
        }
        report = made->report;
        perp_scene_destroy(made);
    }
    tell(error, own.name != NULL ? own.name : "scene", &report);
    return report.status;
}

perp_status perp_scene_create_from_text(perp_scene **scene, const char *text,
                                        const perp_scene_options *options,
                                        const perp_allocator *allocator, perp_scene_error *error)
{
    return create(scene, text, options, allocator, 0, error);
}

perp_status perp_scene_create_anywhere(perp_scene **scene, const char *text,
                                       const perp_allocator *allocator)
{
    return create(scene, text, NULL, allocator, 1, NULL);
}

/* The whole file, ended by 0; NULL with errno (0: no memory). */
static char *read_file(const perp_allocator *memory, const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t capacity = 0, used = 0;
    char *text = NULL;

    if (f == NULL)
        return NULL;
    for (;;) {
        char *grown = perp_scene_zeroed(memory, 2 * capacity + 4096, 1);
        if (grown != NULL && used > 0)
            memcpy(grown, text, used);
        perp_scene_release(memory, text);
        text = grown;
        errno = 0;
        if (text == NULL)
            break;
        capacity = 2 * capacity + 4096;
        used += fread(text + used, 1, capacity - 1 - used, f);
        if (used < capacity - 1)
            break;
    }
    if (text != NULL && ferror(f)) {
        int kept = errno;
        perp_scene_release(memory, text);
        text = NULL;
        errno = kept != 0 ? kept : EIO;
    }
    fclose(f);
    return text;
}

perp_status perp_scene_create_from_file(perp_scene **scene, const char *path,
                                        const perp_scene_options *options,
                                        const perp_allocator *allocator, perp_scene_error *error)
{
    perp_allocator memory = perp_scene_memory(allocator);
    perp_scene_options own;
    perp_scene_report report;
    perp_status status;
    char *text;

    perp_scene_options_init(&own, sizeof own);
    if (scene == NULL)
        return PERP_ERR_ARGUMENT;
    *scene = NULL;
    if (path == NULL || perp_scene_accept(&own, sizeof own, options) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (own.name == NULL)
        own.name = path;
    text = read_file(&memory, path);
    if (text != NULL) {
        status = perp_scene_create_from_text(scene, text, &own, allocator, error);
        perp_scene_release(&memory, text);
        return status;
    }
    memset(&report, 0, sizeof report);
    report.status = errno == 0 ? PERP_ERR_MEMORY : PERP_ERR_OPEN;
    snprintf(report.text, sizeof report.text, "%s",
             errno == 0 ? perp_status_text(PERP_ERR_MEMORY) : strerror(errno));
    tell(error, own.name, &report);
    return report.status;
}

void perp_scene_destroy(perp_scene *scene)
{
    perp_allocator memory;

    if (scene == NULL)
        return;
    memory = scene->memory;
    perp_recorder_destroy(scene->record.recorder);
    perp_scene_contacts_destroy(scene->contacts);
    perp_sim_destroy(scene->sim);
    perp_model_destroy(scene->model);
    for (perp_scene_block *block = scene->blocks, *next; block != NULL; block = next) {
        next = block->next;
        perp_scene_release(&memory, block);
    }
    json_decref(scene->json);
    perp_scene_release(&memory, scene);
}

int perp_scene_prepare_step(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    perp_scene *scene = ctx;
    perp_collider *collider = perp_scene_collider(scene);

    if (scene->before != NULL && scene->before(scene->before_ctx, sim, model, t, h) != 0)
        return 1;
    perp_scene_set_springs(scene, h);
    if (perp_scene_set_timed_laws(scene, t, h) != 0)
        return 1;
    if (collider == NULL)
        return 0;
    if (perp_scene_set_surfaces(scene, t + 0.5 * h) != 0 ||
        perp_collider_step(collider, sim, model, t, h) != 0)
        return 1;
    perp_scene_note_overlaps(scene);
    return 0;
}

void perp_scene_set_before_step(perp_scene *scene, perp_step_fn fn, void *ctx)
{
    if (scene == NULL)
        return;
    scene->before = fn;
    scene->before_ctx = ctx;
}

/* The contacts of the first step, once. */
static perp_status detect(perp_scene *scene)
{
    perp_collider *collider = perp_scene_collider(scene);
    perp_status status = PERP_SOLVED;

    if (collider == NULL || scene->saw_overlaps)
        return status;
    status = perp_collider_detect(collider, perp_sim_time(scene->sim), scene->step);
    if (status == PERP_SOLVED)
        perp_scene_note_overlaps(scene);
    return status;
}

perp_status perp_scene_check(perp_scene *scene, perp_scene_error *error)
{
    const perp_step_info *info;
    perp_scene_report report;
    perp_status status;

    if (scene == NULL)
        return PERP_ERR_ARGUMENT;
    status = perp_sim_check(scene->sim);
    if (status == PERP_SOLVED) {
        perp_scene_note_outputs(scene);
        status = detect(scene);
    }
    if (status == PERP_SOLVED)
        return status;
    info = perp_sim_info(scene->sim);
    memset(&report, 0, sizeof report);
    perp_scene_step_text(report.text, sizeof report.text, scene, status, info);
    tell(error, scene->name, &report);
    return status;
}
