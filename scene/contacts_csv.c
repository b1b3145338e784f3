/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/contacts_csv.h"

#include <errno.h>
#include <string.h>

#include "scene/contact_points.h"
#include "scene/files.h"
#include "scene/plain_number.h"

/* New columns go to the end: those that read the file by places keep theirs. */
const char perp_scene_contacts_head[] =
    "t,first,second,feature,rows,active,gap,normal[0],normal[1],normal[2],"
    "point_a[0],point_a[1],point_a[2],point_b[0],point_b[1],point_b[2],"
    "u[0],u[1],u[2],lambda[0],lambda[1],lambda[2],state,impulse[0],impulse[1],impulse[2],"
    "u[3],u[4],lambda[3],lambda[4],velocity[0],velocity[1],velocity[2],"
    "spin[0],spin[1],spin[2],moment[0],moment[1],moment[2],"
    "first_shape,second_shape,e,mu,rolling,torsion,u[5],lambda[5],interaction\n";
const char *const perp_scene_contact_states[PERP_SCENE_CONTACT_STATES] = {
    [PERP_CONTACT_OPEN] = "open",
    [PERP_CONTACT_STICKING] = "sticking",
    [PERP_CONTACT_SLIDING] = "sliding",
    [PERP_CONTACT_ROLLING] = "rolling",
    [PERP_CONTACT_SPINNING] = "spinning"};

int perp_scene_contacts_open(perp_scene_contacts_csv *contacts, const char *dir, long long bytes)
{
    if (bytes >= 0)
        return perp_scene_csv_resume(&contacts->csv, dir, "contacts.csv", bytes);
    if (perp_scene_csv_start(&contacts->csv, dir, "contacts.csv") != 0)
        return -1;
    return fputs(perp_scene_contacts_head, contacts->csv.stream) == EOF ? -1 : 0;
}

/* Bodies of a contact; an interaction may act between one and the world. */
static void write_bodies(FILE *stream, const perp_scene_contact *contact, const perp_scene *scene)
{
    for (int side = 0; side < 2; side++)
        fprintf(stream, ",%s",
                contact->body[side] >= 0       ? perp_scene_contact_body(contact, scene, side)
                : contact->interaction != NULL ? "world"
                                               : "?");
}

static void write_row(FILE *stream, const perp_scene_contact *contact, const perp_scene *scene)
{
    const perp_contact_info *info = &contact->info;
    const double law[4] = {info->e, info->mu, info->mu_r, info->mu_s};
    const double *u = contact->u, *lambda = contact->lambda;
    int rows = contact->rows, turns = rows > 5 ? 2 : rows > 3 ? rows - 3 : 0;

    write_bodies(stream, contact, scene);
    fprintf(stream, ",%d,%d,%d", info->feature, rows, contact->active);
    perp_scene_csv_numbers(stream, &info->point.gap, 1, 1);
    perp_scene_csv_numbers(stream, info->point.normal, 3, 3);
    perp_scene_csv_numbers(stream, info->point.point_a, 3, 3);
    perp_scene_csv_numbers(stream, info->point.point_b, 3, 3);
    perp_scene_csv_numbers(stream, u, 3, rows);
    perp_scene_csv_numbers(stream, lambda, 3, rows);
    fprintf(stream, ",%s", perp_scene_contact_states[info->state]);
    perp_scene_csv_numbers(stream, info->impulse, 3, 3);
    perp_scene_csv_numbers(stream, u + 3, 2, turns);
    perp_scene_csv_numbers(stream, lambda + 3, 2, turns);
    perp_scene_csv_numbers(stream, info->velocity, 3, 3);
    perp_scene_csv_numbers(stream, info->spin, 3, 3);
    perp_scene_csv_numbers(stream, info->moment, 3, 3);
    fprintf(stream, ",%d,%d", contact->shape[0], contact->shape[1]);
    perp_scene_csv_numbers(stream, law, 4, 4);
    perp_scene_csv_numbers(stream, rows == 6 ? u + 5 : u, 1, rows == 6);
    perp_scene_csv_numbers(stream, rows == 6 ? lambda + 5 : lambda, 1, rows == 6);
    fprintf(stream, ",%s\n", contact->interaction != NULL ? contact->interaction : "");
}

int perp_scene_contacts_rows(perp_scene_contacts_csv *contacts, perp_scene *scene)
{
    perp_scene_digits t = perp_scene_number_text(perp_sim_time(scene->sim), 17);
    perp_scene_contact contact;

    for (int k = 0; k < perp_scene_contact_places(scene); k++) {
        if (!perp_scene_contact_at(&contact, scene, k) || contact.rows == 0)
            continue;
        fputs(t.text, contacts->csv.stream);
        write_row(contacts->csv.stream, &contact, scene);
    }
    return ferror(contacts->csv.stream) ? -1 : 0;
}

/* Scheme names of the systems, each once, where the text has none. */
static int name_schemes(json_t *copy, const perp_scene *scene)
{
    json_t *list = json_array();
    int bad = list == NULL;

    for (int k = 0; k < scene->nsystems && !bad; k++) {
        const perp_scene_member *s = scene->systems[k];
        const char *name = !perp_scene_is_integrated(s) ? NULL : perp_scene_scheme_of(scene, s);
        size_t at = 0;
        while (name != NULL && at < json_array_size(list) &&
               strcmp(json_string_value(json_object_get(json_array_get(list, at), "name")), name) !=
                   0)
            at++;
        if (name != NULL && at == json_array_size(list))
            bad = json_array_append_new(list, json_pack("{s:s}", "name", name)) != 0;
    }
    return json_object_set_new(copy, "schemes", list) != 0 || bad ? -1 : 0;
}

int perp_scene_write_copy(const char *dir, const perp_scene *scene)
{
    json_t *copy = json_deep_copy(scene->json);
    FILE *stream;
    int bad;

    if (copy == NULL ||
        (json_object_get(copy, "schemes") == NULL && name_schemes(copy, scene) != 0)) {
        json_decref(copy);
        errno = ENOMEM;
        return -1;
    }
    stream = perp_scene_open(dir, "scene.json");
    bad = stream == NULL ||
          json_dumpf(copy, stream,
                     JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17)) != 0 ||
          fputc('\n', stream) == EOF;
    json_decref(copy);
    if (stream == NULL)
        return -1;
    if (bad) {
        perp_scene_drop(stream, dir, "scene.json");
        return -1;
    }
    return perp_scene_keep(stream, dir, "scene.json");
}
