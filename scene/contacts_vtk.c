/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of a frame for ParaView: points with normal, gap, velocity, impulse and state. */
#include "scene/contacts_vtk.h"

#include <stdio.h>

#include "scene/contact_section.h"
#include "scene/files.h"
#include "scene/plain_number.h"

typedef enum array {
    PLACES,
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
    SECOND_NAME
} array;

static const char *const opening[] = {
    [PLACES] = "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n",
    [NORMAL] = "<PointData>\n<DataArray type=\"Float64\" Name=\"normal\" "
               "NumberOfComponents=\"3\" format=\"ascii\">\n",
    [VELOCITY] = "<DataArray type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\" "
                 "format=\"ascii\">\n",
    [IMPULSE] = "<DataArray type=\"Float64\" Name=\"impulse\" NumberOfComponents=\"3\" "
                "format=\"ascii\">\n",
    [SPIN] = "<DataArray type=\"Float64\" Name=\"spin\" NumberOfComponents=\"3\" "
             "format=\"ascii\">\n",
    [MOMENT] = "<DataArray type=\"Float64\" Name=\"moment\" NumberOfComponents=\"3\" "
               "format=\"ascii\">\n",
    [GAP] = "<DataArray type=\"Float64\" Name=\"gap\" format=\"ascii\">\n",
    [MU] = "<DataArray type=\"Float64\" Name=\"mu\" format=\"ascii\">\n",
    [STATE] = "<DataArray type=\"Int32\" Name=\"state\" format=\"ascii\">\n",
    [FIRST] = "<DataArray type=\"Int32\" Name=\"first\" format=\"ascii\">\n",
    [SECOND] = "<DataArray type=\"Int32\" Name=\"second\" format=\"ascii\">\n",
    [FIRST_NAME] = "<DataArray type=\"String\" Name=\"first_name\" format=\"ascii\">\n",
    [SECOND_NAME] = "<DataArray type=\"String\" Name=\"second_name\" format=\"ascii\">\n"};

static void put(FILE *f, const double *x, int count)
{
    for (int k = 0; k < count; k++)
        fprintf(f, "%s%c", perp_scene_number_text(x[k], 9).text, k + 1 < count ? ' ' : '\n');
}

/* The bytes of a text as numbers, and 0. */
static void put_text(FILE *f, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(f, "%d ", (unsigned char)*text);
    fputs("0\n", f);
}

/* The number of the body, or its name. */
static void put_body(FILE *f, const perp_scene *scene, perp_shape_id id, int by_name)
{
    int shape, body = perp_scene_body_of_shape(&shape, scene, id);

    if (by_name)
        put_text(f, body >= 0 ? scene->systems[body]->name : "");
    else
        fprintf(f, "%d\n", body);
}

static void put_contact(FILE *f, array which, const perp_scene *scene,
                        const perp_contact_info *info)
{
    switch (which) {
    case GAP:
        put(f, &info->point.gap, 1);
        break;
    case MU:
        put(f, &info->mu, 1);
        break;
    case STATE:
        fprintf(f, "%d\n", (int)info->state);
        break;
    case FIRST:
    case FIRST_NAME:
        put_body(f, scene, info->first, which == FIRST_NAME);
        break;
    case SECOND:
    case SECOND_NAME:
        put_body(f, scene, info->second, which == SECOND_NAME);
        break;
    default:
        put(f,
            which == PLACES     ? info->point.point_a
            : which == NORMAL   ? info->point.normal
            : which == VELOCITY ? info->velocity
            : which == IMPULSE  ? info->impulse
            : which == SPIN     ? info->spin
                                : info->moment,
            3);
    }
}

static void write_array(FILE *f, array which, perp_scene *scene)
{
    const perp_collider *collider = perp_scene_collider(scene);

    fputs(opening[which], f);
    for (int k = 0; k < perp_collider_contacts(collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        (void)perp_collider_contact(collider, k, &info);
        put_contact(f, which, scene, &info);
    }
    fputs("</DataArray>\n", f);
    if (which == PLACES)
        fputs("</Points>\n", f);
}

static void write_vertices(FILE *f, int count)
{
    fputs("<Verts>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n", f);
    for (int k = 0; k < count; k++)
        fprintf(f, "%d\n", k);
    fputs("</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">\n", f);
    for (int k = 0; k < count; k++)
        fprintf(f, "%d\n", k + 1);
    fputs("</DataArray>\n</Verts>\n", f);
}

int perp_scene_contact_frame(const char *folder, int number, perp_scene *scene)
{
    const perp_collider *collider = perp_scene_collider(scene);
    int count = perp_collider_contacts(collider);
    char name[48];
    FILE *f;

    snprintf(name, sizeof name, "contacts-%06d.vtp", number);
    f = perp_scene_open(folder, name);
    if (f == NULL)
        return -1;
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
            "byte_order=\"LittleEndian\">\n<PolyData>\n<Piece NumberOfPoints=\"%d\" "
            "NumberOfVerts=\"%d\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
            "NumberOfPolys=\"0\">\n",
            count, count);
    for (array which = PLACES; which <= SECOND_NAME; which++)
        write_array(f, which, scene);
    fputs("</PointData>\n", f);
    write_vertices(f, count);
    fputs("</Piece>\n</PolyData>\n</VTKFile>\n", f);
    return perp_scene_keep(f, folder, name);
}
