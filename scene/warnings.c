/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes on what a text asks for and is not refused, as warnings of the scene. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/caller_struct.h"
#include "scene/scene_inside.h"

enum { MOST = 100 }; /* of one scene; the same thing many times over is one note */

static char *kept(perp_scene *scene, const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = perp_scene_take(scene, length, 1);

    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void perp_scene_warn(perp_scene *scene, const perp_scene_node *at, const char *format, ...)
{
    const char *source = scene->report.source;
    char key[sizeof scene->report.key] = "", text[sizeof scene->report.text];
    perp_scene_note *made;
    size_t used = 0;
    va_list arguments;

    if (scene->nnotes >= MOST)
        return;
    made = perp_scene_take(scene, 1, sizeof *made);
    if (at != NULL)
        perp_scene_path(key, sizeof key, at);
    if (key[0] != '\0')
        used = (size_t)snprintf(text, sizeof text, "%s: ", key);
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    if (made == NULL)
        return;
    made->line = at != NULL && source != NULL && at->json != NULL ? perp_scene_line(source, at) : 0;
    made->key = kept(scene, key);
    made->text = kept(scene, text);
    if (made->key == NULL || made->text == NULL)
        return;
    if (scene->last_note == NULL)
        scene->last_note = &scene->notes;
    *scene->last_note = made;
    scene->last_note = &made->next;
    scene->nnotes++;
}

int perp_scene_warnings(const perp_scene *scene)
{
    return scene != NULL ? scene->nnotes : 0;
}

perp_status perp_scene_warning(const perp_scene *scene, int k, perp_scene_error *warning)
{
    perp_scene_error own;
    const perp_scene_note *note;

    if (warning == NULL || k < 0 || k >= perp_scene_warnings(scene))
        return PERP_ERR_ARGUMENT;
    for (note = scene->notes; k > 0; k--)
        note = note->next;
    memset(&own, 0, sizeof own);
    own.line = note->line;
    snprintf(own.key, sizeof own.key, "%s", note->key);
    if (note->line > 0)
        snprintf(own.text, sizeof own.text, "%.100s: %.600s (line %d)", scene->name, note->text,
                 note->line);
    else
        snprintf(own.text, sizeof own.text, "%.100s: %.600s", scene->name, note->text);
    return perp_scene_give(warning, &own, sizeof own);
}

void perp_scene_note_solver(perp_scene *scene, const perp_info *info)
{
    if (scene->saw_unread || !(info->notes & PERP_NOTE_UNREAD) || info->where.what == NULL)
        return;
    scene->saw_unread = 1;
    perp_scene_warn(scene, NULL, "solver.%s: %s does not read it; it has no effect",
                    info->where.what, info->solver);
}
