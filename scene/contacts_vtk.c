/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of a frame for ParaView: points with normal, gap, velocity, impulse and state. */
#include "scene/contacts_vtk.h"

#include <string.h>

#include "scene/contact_section.h"

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
    [SECOND_NAME] = {PERP_VTK_POINT_DATA, PERP_VTK_TEXT, "second_name", 1, 0, 0}};

/* Number and name of the body of a shape. */
static const char *body_of(int32_t *number, const perp_scene *scene, perp_shape_id id)
{
    int shape;

    *number = perp_scene_body_of_shape(&shape, scene, id);
    return *number >= 0 ? scene->systems[*number]->name : "";
}

/* Bytes of all names, with their zeros. */
static size_t names(const perp_scene *scene, const perp_collider *collider, int second)
{
    size_t bytes = 0;

    for (int k = 0; k < perp_collider_contacts(collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        int32_t body;
        (void)perp_collider_contact(collider, k, &info);
        bytes += strlen(body_of(&body, scene, second ? info.second : info.first)) + 1;
    }
    return bytes;
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

/* One of the two bodies; *at: where its name goes. */
static void put_body(perp_vtk_file *file, const perp_vtk_array *number, const perp_vtk_array *name,
                     size_t k, size_t *at, const perp_scene *scene, perp_shape_id id)
{
    int32_t body;
    const char *text = body_of(&body, scene, id);

    perp_vtk_put(file, number, k, &body, 1);
    perp_vtk_put(file, name, *at, text, strlen(text) + 1);
    *at += strlen(text) + 1;
}

int perp_scene_contact_frame(perp_vtk_file *file, perp_scene *scene)
{
    const perp_collider *collider = perp_scene_collider(scene);
    int count = perp_collider_contacts(collider);
    double t = perp_sim_time(scene->sim);
    size_t first_name = 0, second_name = 0;
    perp_vtk_array a[ARRAYS];

    memcpy(a, arrays, sizeof a);
    a[TIME].count = 1;
    for (int k = PLACES; k <= SECOND; k++)
        a[k].count = (size_t)count * (size_t)a[k].components;
    a[FIRST_NAME].count = names(scene, collider, 0);
    a[SECOND_NAME].count = names(scene, collider, 1);
    if (perp_vtk_lay_out(file, count, count, 0, a, ARRAYS) != 0)
        return -1;
    perp_vtk_put(file, &a[TIME], 0, &t, 1);
    for (size_t k = 0; k < (size_t)count; k++) {
        perp_contact_info info = {.size = sizeof info};
        (void)perp_collider_contact(collider, (int)k, &info);
        put_contact(file, a, k, &info);
        put_body(file, &a[FIRST], &a[FIRST_NAME], k, &first_name, scene, info.first);
        put_body(file, &a[SECOND], &a[SECOND_NAME], k, &second_name, scene, info.second);
    }
    return 0;
}
