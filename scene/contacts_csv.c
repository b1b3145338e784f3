/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/contacts_csv.h"

#include <errno.h>
#include <string.h>

#include "scene/files.h"
#include "scene/plain_number.h"
#include "scene/shapes.h"

static const char head[] = "t,first,second,feature,rows,active,gap,normal[0],normal[1],normal[2],"
                           "point_a[0],point_a[1],point_a[2],point_b[0],point_b[1],point_b[2],"
                           "u[0],u[1],u[2],lambda[0],lambda[1],lambda[2],"
                           "state,impulse[0],impulse[1],impulse[2]\n";
static const char *const states[] = {[PERP_CONTACT_OPEN] = "open",
                                     [PERP_CONTACT_STICKING] = "sticking",
                                     [PERP_CONTACT_SLIDING] = "sliding",
                                     [PERP_CONTACT_ROLLING] = "rolling"};

static int name_shapes(perp_scene_contacts_csv *contacts, perp_scene *scene)
{
    contacts->shapes = 0;
    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x))
            if ((int)x->id.index >= contacts->shapes)
                contacts->shapes = (int)x->id.index + 1;
    }
    contacts->names = perp_scene_take(scene, (size_t)contacts->shapes + 1, sizeof *contacts->names);
    if (contacts->names == NULL) {
        errno = ENOMEM;
        return -1;
    }
    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x))
            contacts->names[x->id.index] = s->name;
    }
    return 0;
}

int perp_scene_contacts_open(perp_scene_contacts_csv *contacts, perp_scene *scene, const char *dir,
                             long long bytes)
{
    if (name_shapes(contacts, scene) != 0)
        return -1;
    if (bytes >= 0)
        return perp_scene_csv_resume(&contacts->csv, dir, "contacts.csv", bytes);
    if (perp_scene_csv_start(&contacts->csv, dir, "contacts.csv") != 0)
        return -1;
    return fputs(head, contacts->csv.stream) == EOF ? -1 : 0;
}

static void write_numbers(FILE *stream, const double *x, int count, int given)
{
    for (int k = 0; k < count; k++) {
        perp_scene_digits number = perp_scene_number_text(k < given ? x[k] : 0.0, 17);
        fputc(',', stream);
        fputs(number.text, stream);
    }
}

static const char *shape_name(const perp_scene_contacts_csv *contacts, perp_shape_id id)
{
    const char *name = (int)id.index < contacts->shapes ? contacts->names[id.index] : NULL;
    return name != NULL ? name : "?";
}

int perp_scene_contacts_rows(perp_scene_contacts_csv *contacts, perp_scene *scene)
{
    const perp_collider *collider = perp_scene_collider(scene);
    perp_scene_digits t = perp_scene_number_text(perp_sim_time(scene->sim), 17);
    FILE *stream = contacts->csv.stream;

    for (int k = 0; k < perp_collider_contacts(collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        const double *u = NULL, *lambda = NULL;
        int rows = 0, active = 0;
        if (perp_collider_contact(collider, k, &info) != PERP_SOLVED ||
            perp_model_output(scene->model, info.interaction, NULL, &u, &lambda, &rows, &active) !=
                PERP_SOLVED)
            continue;
        fprintf(stream, "%s,%s,%s,%d,%d,%d", t.text, shape_name(contacts, info.first),
                shape_name(contacts, info.second), info.feature, rows, active);
        write_numbers(stream, &info.point.gap, 1, 1);
        write_numbers(stream, info.point.normal, 3, 3);
        write_numbers(stream, info.point.point_a, 3, 3);
        write_numbers(stream, info.point.point_b, 3, 3);
        write_numbers(stream, u, 3, rows);
        write_numbers(stream, lambda, 3, rows);
        fprintf(stream, ",%s", states[info.state]);
        write_numbers(stream, info.impulse, 3, 3);
        fputc('\n', stream);
    }
    return ferror(stream) ? -1 : 0;
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
