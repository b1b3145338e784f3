/* SPDX-License-Identifier: BSD-3-Clause */
/* Collision shapes of robots are coarse, and those of a link and the one after the next are often
 * in each other in every pose.  No motion takes that away: an SRDF lists such pairs, and where
 * there is none, those that overlap at the start are taken for it. */
#include "scene/robots/overlaps.h"

#include <string.h>

#include "scene/robots/text_writer.h"
#include "scene/scene_inside.h"

enum { MOST = 200 };
/* Of the smaller shape: fingers that are closed overlap by less. */
static const double DEEP = 1e-2;

static int is_part(const perp_scene_member *s)
{
    return s->shape.form != PERP_SCENE_PLANE;
}

/* The pairs behind those that the text has. */
static const char *with_pairs(perp_robot *robot, const char *text, const perp_scene_overlap *list,
                              int count)
{
    perp_text_writer w = {.job = robot->job};
    int first = robot->excludes_none;

    for (int k = 0; k < count; k++) {
        if (!is_part(list[k].a) || !is_part(list[k].b))
            continue;
        perp_write(&w, "%s[", first ? ",\n   \"exclude\": [" : ", ");
        perp_write_string(&w, list[k].a->name);
        perp_write(&w, ", ");
        perp_write_string(&w, list[k].b->name);
        perp_write(&w, "]");
        first = 0;
        perp_robot_note(robot->job, NULL,
                        "'%.60s' and '%.60s' overlap by %.3g at the start, so they never touch "
                        "each other (--srdf lists such pairs)",
                        list[k].a->name, list[k].b->name, list[k].depth);
    }
    if (w.used == 0 || w.text == NULL)
        return text;
    return perp_robot_text(robot->job, "%.*s%s%s%s", (int)robot->exclude_at, text, w.text,
                           robot->excludes_none ? "]" : "", text + robot->exclude_at);
}

const char *perp_robot_part_overlaps(perp_robot *robot, const char *text)
{
    perp_scene_overlap list[MOST];
    perp_scene *scene = NULL;
    const char *made = text;

    if (robot->exclude_at == 0 || robot->job->options->no_self_contact)
        return text;
    perp_status status = perp_scene_create_from_text(&scene, text, NULL, &robot->job->memory, NULL);
    if (status == PERP_SOLVED)
        status = perp_scene_check(scene, NULL);
    if (status == PERP_ERR_MEMORY) {
        perp_robot_fail_status(robot->job, status, NULL, "not enough memory");
        made = NULL;
    } else if (status == PERP_SOLVED) {
        int count = perp_scene_find_overlaps(scene, DEEP, list, MOST);
        made = with_pairs(robot, text, list, count < MOST ? count : MOST);
    }
    perp_scene_destroy(scene);
    return made;
}
