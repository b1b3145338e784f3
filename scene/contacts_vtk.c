/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of a frame for ParaView: points with normal, gap, velocity, impulse and state. */
#include "scene/contacts_vtk.h"

#include <string.h>

#include "scene/contact_points.h"

enum {
    TIME,
    PLACES,
    VERTICES,
    OFFSETS,
    NORMAL,
    VELOCITY,
    IMPULSE,
    SPIN,
    MOMENT,
    GAP,
    MU,
    STATE,
    FIRST,
    SECOND,
    FIRST_NAME,
    SECOND_NAME,
    INTERACTION,
    ARRAYS
};

static const perp_vtk_array arrays[ARRAYS] = {
    [TIME] = {PERP_VTK_FIELD, PERP_VTK_DOUBLE, "TimeValue", 1, 0, 0},
    [PLACES] = {PERP_VTK_POINTS, PERP_VTK_DOUBLE, "Points", 3, 0, 0},
    [VERTICES] = {PERP_VTK_VERTS, PERP_VTK_INT, "connectivity", 1, 0, 0},
    [OFFSETS] = {PERP_VTK_VERTS, PERP_VTK_INT, "offsets", 1, 0, 0},
    [NORMAL] = {PERP_VTK_POINT_DATA, PERP_VTK_DOUBLE, "normal", 3, 0, 0},
    [VELOCITY] = {PERP_VTK_POINT_DATA, PERP_VTK_DOUBLE, "velocity", 3, 0, 0},
    [IMPULSE] = {PERP_VTK_POINT_DATA, PERP_VTK_DOUBLE, "impulse", 3, 0, 0},
    [SPIN] = {PERP_VTK_POINT_DATA, PERP_VTK_DOUBLE, "spin", 3, 0, 0},
    [MOMENT] = {PERP_VTK_POINT_DATA, PERP_VTK_DOUBLE, "moment", 3, 0, 0},
    [GAP] = {PERP_VTK_POINT_DATA, PERP_VTK_DOUBLE, "gap", 1, 0, 0},
    [MU] = {PERP_VTK_POINT_DATA, PERP_VTK_DOUBLE, "mu", 1, 0, 0},
    [STATE] = {PERP_VTK_POINT_DATA, PERP_VTK_INT, "state", 1, 0, 0},
    [FIRST] = {PERP_VTK_POINT_DATA, PERP_VTK_INT, "first", 1, 0, 0},
    [SECOND] = {PERP_VTK_POINT_DATA, PERP_VTK_INT, "second", 1, 0, 0},
    [FIRST_NAME] = {PERP_VTK_POINT_DATA, PERP_VTK_TEXT, "first_name", 1, 0, 0},
    [SECOND_NAME] = {PERP_VTK_POINT_DATA, PERP_VTK_TEXT, "second_name", 1, 0, 0},
    [INTERACTION] = {PERP_VTK_POINT_DATA, PERP_VTK_TEXT, "interaction", 1, 0, 0}};

/* Texts of a contact, in the order of their arrays. */
enum { TEXTS = ARRAYS - FIRST_NAME };

static void texts_of(const char *text[TEXTS], const perp_scene_contact *contact,
                     const perp_scene *scene)
{
    for (int side = 0; side < 2; side++)
        text[side] = perp_scene_contact_body(contact, scene, side);
    text[2] = contact->interaction != NULL ? contact->interaction : "";
}

/* Contacts of now, with the bytes of all texts and their zeros. */
static size_t count_contacts(size_t bytes[TEXTS], const perp_scene *scene)
{
    perp_scene_contact contact;
    const char *text[TEXTS];
    size_t count = 0;

    memset(bytes, 0, TEXTS * sizeof *bytes);
    for (int k = 0; k < perp_scene_contact_places(scene); k++) {
        if (!perp_scene_contact_at(&contact, scene, k))
            continue;
        texts_of(text, &contact, scene);
        for (int i = 0; i < TEXTS; i++)
            bytes[i] += strlen(text[i]) + 1;
        count++;
    }
    return count;
}

static void put_contact(perp_vtk_file *file, const perp_vtk_array *a, size_t k,
                        const perp_contact_info *info)
{
    const int32_t vertex = (int32_t)k, end = vertex + 1, state = (int32_t)info->state;

    perp_vtk_put(file, &a[PLACES], 3 * k, info->point.point_a, 3);
    perp_vtk_put(file, &a[VERTICES], k, &vertex, 1);
    perp_vtk_put(file, &a[OFFSETS], k, &end, 1);
    perp_vtk_put(file, &a[NORMAL], 3 * k, info->point.normal, 3);
    perp_vtk_put(file, &a[VELOCITY], 3 * k, info->velocity, 3);
    perp_vtk_put(file, &a[IMPULSE], 3 * k, info->impulse, 3);
    perp_vtk_put(file, &a[SPIN], 3 * k, info->spin, 3);
    perp_vtk_put(file, &a[MOMENT], 3 * k, info->moment, 3);
    perp_vtk_put(file, &a[GAP], k, &info->point.gap, 1);
    perp_vtk_put(file, &a[MU], k, &info->mu, 1);
    perp_vtk_put(file, &a[STATE], k, &state, 1);
}

/* Bodies and interaction; at: where texts go. */
static void put_names(perp_vtk_file *file, const perp_vtk_array *a, size_t k, size_t at[TEXTS],
                      const perp_scene_contact *contact, const perp_scene *scene)
{
    const char *text[TEXTS];

    texts_of(text, contact, scene);
    for (int side = 0; side < 2; side++) {
        int32_t number = contact->body[side];
        perp_vtk_put(file, &a[FIRST + side], k, &number, 1);
    }
    for (int i = 0; i < TEXTS; i++) {
        perp_vtk_put(file, &a[FIRST_NAME + i], at[i], text[i], strlen(text[i]) + 1);
        at[i] += strlen(text[i]) + 1;
    }
}

int perp_scene_contact_frame(perp_vtk_file *file, perp_scene *scene)
{
    size_t bytes[TEXTS], at[TEXTS] = {0}, count = count_contacts(bytes, scene), put = 0;
    double t = perp_sim_time(scene->sim);
    perp_scene_contact contact;
    perp_vtk_array a[ARRAYS];

    memcpy(a, arrays, sizeof a);
    a[TIME].count = 1;
    for (int k = PLACES; k <= SECOND; k++)
        a[k].count = count * (size_t)a[k].components;
    for (int i = 0; i < TEXTS; i++)
        a[FIRST_NAME + i].count = bytes[i];
    if (perp_vtk_lay_out(file, (int)count, (int)count, 0, a, ARRAYS) != 0)
        return -1;
    perp_vtk_put(file, &a[TIME], 0, &t, 1);
    for (int k = 0; k < perp_scene_contact_places(scene); k++) {
        if (!perp_scene_contact_at(&contact, scene, k))
            continue;
        put_contact(file, a, put, &contact.info);
        put_names(file, a, put, at, &contact, scene);
        put++;
    }
    return 0;
}
