/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of an instant of motion.bin. */
#include <string.h>

#include "scene/contact_points.h"
#include "scene/motion_record.h"

enum { CONTACTS = 2 };

typedef perp_scene_contact_entry contact_entry;

int perp_scene_motion_take_contacts(perp_scene_motion_record *record, perp_scene *scene)
{
    record->acting = perp_scene_take(scene, (size_t)scene->touches + 1, sizeof *record->acting);
    return record->acting != NULL ? 0 : -1;
}

static void copy(float *to, const double *from)
{
    for (int k = 0; k < 3; k++)
        to[k] = (float)from[k];
}

/* 0: no contact is there. */
static int read_entry(contact_entry *entry, const perp_scene *scene, int k)
{
    perp_scene_contact contact;
    const perp_contact_info *info = &contact.info;
    int there = perp_scene_contact_at(&contact, scene, k);

    memset(entry, 0, sizeof *entry);
    entry->first = contact.body[0];
    entry->second = contact.body[1];
    if (!there)
        return 0;
    entry->state = (int32_t)info->state;
    entry->x[0] = (float)info->point.gap;
    copy(entry->x + 1, info->point.point_a);
    copy(entry->x + 4, info->point.normal);
    copy(entry->x + 7, info->velocity);
    copy(entry->x + 10, info->impulse);
    entry->x[13] = (float)info->mu;
    return 1;
}

/* How many bytes there are stands before them: those of interactions are looked for first. */
void perp_scene_motion_put_contacts(perp_scene_motion_record *record, perp_scene *scene)
{
    int count = perp_scene_detected(scene), acting = 0;
    FILE *f = record->file.stream;
    contact_entry entry;

    for (int k = 0; k < scene->touches; k++)
        if (perp_scene_touch_acts(scene, &scene->touch[k]))
            acting += read_entry(&record->acting[acting], scene, count + k);
    perp_scene_motion_put(f, CONTACTS, (size_t)(count + acting) * sizeof entry, NULL);
    for (int k = 0; k < count; k++) {
        (void)read_entry(&entry, scene, k);
        fwrite(&entry, sizeof entry, 1, f);
    }
    if (acting > 0)
        fwrite(record->acting, sizeof entry, (size_t)acting, f);
}
