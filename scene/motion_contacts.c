/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of an instant of motion.bin: those that were detected, then interactions of the
 * scene that act at a point. */
#include <math.h>
#include <string.h>

#include "scene/motion_record.h"
#include "scene/shapes.h"

enum { CONTACTS = 2 };
/* As the states of contacts that were detected. */
static const double at_bound = 1e-6, no_turn = 1e-9;

typedef perp_scene_contact_entry contact_entry;

int perp_scene_motion_has_touches(const perp_scene *scene)
{
    int count = 0;

    for (int k = 0; k < scene->ninteractions; k++)
        count += scene->interactions[k].touch != NULL;
    return count;
}

static int place_of(const perp_scene *scene, const perp_scene_member *s)
{
    for (int k = 0; k < scene->nsystems; k++)
        if (scene->systems[k] == s)
            return k;
    return -1;
}

static int find_touches(perp_scene_motion_record *record, perp_scene *scene)
{
    int count = perp_scene_motion_has_touches(scene);

    record->touch = perp_scene_take(scene, (size_t)count + 1, sizeof *record->touch);
    record->acting = perp_scene_take(scene, (size_t)count + 1, sizeof *record->acting);
    record->touches = 0;
    if (record->touch == NULL || record->acting == NULL)
        return -1;
    for (int k = 0; k < scene->ninteractions; k++) {
        const perp_scene_named_interaction *noted = &scene->interactions[k];
        if (noted->touch == NULL)
            continue;
        perp_scene_touch *now = &record->touch[record->touches++];
        now->interaction = k;
        for (int i = 0; i < 2; i++)
            now->system[i] = i < noted->nsystems ? place_of(scene, noted->systems[i]) : -1;
    }
    return 0;
}

int perp_scene_motion_find_owners(perp_scene_motion_record *record, perp_scene *scene)
{
    int count = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < scene->nsystems; k++) {
            perp_scene_member *s = scene->systems[k];
            for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
                 x = perp_scene_next_shape(s, x))
                if (pass == 1)
                    record->owner[x->id.index] = k;
                else if ((int)x->id.index >= count)
                    count = (int)x->id.index + 1;
        }
        if (pass == 1)
            break;
        record->owner = perp_scene_take(scene, (size_t)count + 1, sizeof *record->owner);
        if (record->owner == NULL)
            return -1;
        record->shapes = count;
    }
    return find_touches(record, scene);
}

static void copy(float *to, const double *from)
{
    for (int k = 0; k < 3; k++)
        to[k] = (float)from[k];
}

static contact_entry entry_of(const perp_scene_motion_record *record, const perp_collider *collider,
                              int k)
{
    perp_contact_info info = {.size = sizeof info};
    contact_entry entry;

    memset(&entry, 0, sizeof entry);
    entry.first = entry.second = -1;
    if (perp_collider_contact(collider, k, &info) != PERP_SOLVED)
        return entry;
    if ((int)info.first.index < record->shapes)
        entry.first = record->owner[info.first.index];
    if ((int)info.second.index < record->shapes)
        entry.second = record->owner[info.second.index];
    entry.state = (int32_t)info.state;
    entry.x[0] = (float)info.point.gap;
    copy(entry.x + 1, info.point.point_a);
    copy(entry.x + 4, info.point.normal);
    copy(entry.x + 7, info.velocity);
    copy(entry.x + 10, info.impulse);
    entry.x[13] = (float)info.mu;
    return entry;
}

/* Whether planar systems turn against each other. */
static int turns(const perp_scene *scene, const perp_scene_named_interaction *noted)
{
    double rate = 0.0, *v = NULL;

    for (int i = 0; i < noted->nsystems; i++)
        if (noted->systems[i]->dim == 2 && noted->systems[i]->shape.form == PERP_SCENE_DISC &&
            perp_model_state(scene->model, noted->systems[i]->id, NULL, &v, NULL, NULL) ==
                PERP_SOLVED)
            rate += (i == 0 ? 1.0 : -1.0) * v[2];
    return fabs(rate) * perp_sim_info(scene->sim)->h > no_turn;
}

static perp_contact_state state_of(const perp_scene *scene,
                                   const perp_scene_named_interaction *noted, const double *lambda)
{
    double friction = noted->rows > 2   ? hypot(lambda[1], lambda[2])
                      : noted->rows > 1 ? fabs(lambda[1])
                                        : 0.0;

    if (!(lambda[0] > 0.0))
        return PERP_CONTACT_OPEN;
    if (noted->rows < 2 || friction >= (1.0 - at_bound) * noted->mu * lambda[0])
        return PERP_CONTACT_SLIDING;
    return turns(scene, noted) ? PERP_CONTACT_ROLLING : PERP_CONTACT_STICKING;
}

/* 0: it is not in the one-step problem, or has no point now. */
static int read_touch(contact_entry *entry, const perp_scene *scene, const perp_scene_touch *touch)
{
    const perp_scene_named_interaction *noted = &scene->interactions[touch->interaction];
    const double *u = NULL, *lambda = NULL;
    double frame[9] = {0}, *q[2] = {NULL, NULL};
    perp_contact_point point = {0};
    int rows = 0, active = 0;

    if (perp_model_output(scene->model, noted->id, NULL, &u, &lambda, &rows, &active) !=
            PERP_SOLVED ||
        !(active || lambda[0] > 0.0))
        return 0;
    for (int i = 0; i < noted->nsystems && i < 2; i++)
        if (perp_model_state(scene->model, noted->systems[i]->id, &q[i], NULL, NULL, NULL) !=
            PERP_SOLVED)
            return 0;
    if (noted->touch(&point, perp_sim_time(scene->sim), q[0], q[1], NULL, noted->touch_user) != 0)
        return 0;
    if (noted->systems[0]->kind == PERP_SCENE_BODY)
        perp_contact_frame(point.normal, frame);
    else
        memcpy(frame,
               (double[6]){point.normal[0], point.normal[1], 0.0, -point.normal[1], point.normal[0],
                           0.0},
               6 * sizeof *frame);
    memset(entry, 0, sizeof *entry);
    entry->first = touch->system[0];
    entry->second = touch->system[1];
    entry->state = (int32_t)state_of(scene, noted, lambda);
    entry->x[0] = (float)point.gap;
    copy(entry->x + 1, point.point_a);
    copy(entry->x + 4, point.normal);
    for (int i = 0; i < rows && i < 3; i++)
        for (int k = 0; k < 3; k++) {
            entry->x[7 + k] += (float)(u[i] * frame[3 * i + k]);
            entry->x[10 + k] += (float)(lambda[i] * frame[3 * i + k]);
        }
    entry->x[13] = (float)noted->mu;
    return 1;
}

void perp_scene_motion_put_contacts(perp_scene_motion_record *record, perp_scene *scene)
{
    const perp_collider *collider = perp_scene_collider(scene);
    int count = collider != NULL ? perp_collider_contacts(collider) : 0, acting = 0;
    FILE *f = record->file.stream;
    contact_entry entry;

    for (int k = 0; k < record->touches; k++)
        acting += read_touch(&record->acting[acting], scene, &record->touch[k]);
    perp_scene_motion_put(f, CONTACTS, (size_t)(count + acting) * sizeof entry, NULL);
    for (int k = 0; k < count; k++) {
        entry = entry_of(record, collider, k);
        fwrite(&entry, sizeof entry, 1, f);
    }
    fwrite(record->acting, sizeof entry, (size_t)acting, f);
}
