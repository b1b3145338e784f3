/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/units.h"

#include <stdio.h>
#include <string.h>

static const char *type_of(perp_scene *scene, const perp_scene_member *s)
{
    perp_scene_node root = perp_scene_root(scene), list = perp_scene_get(&root, s->list),
                    node = perp_scene_at(&list, s->place), type = perp_scene_get(&node, "type");
    const char *word = json_string_value(type.json);

    return word != NULL ? word : "";
}

/* 1: a coordinate is an angle, 0: a length, -1: the text does not say. */
static int is_angle(const char *type, int entry)
{
    if (strcmp(type, "planar") == 0)
        return entry == 2;
    if (strcmp(type, "point-masses") == 0)
        return 0;
    return strcmp(type, "pendulum") == 0 || strcmp(type, "double-pendulum") == 0 ||
                   strcmp(type, "slider-crank") == 0
               ? 1
               : -1;
}

/* Fields of states: position, rate and momentum of a length and of an angle. */
static const char *of_coordinate(int field, int angle)
{
    static const char *const units[3][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"N s", "N m s"}};

    return angle < 0 ? NULL : units[field][angle];
}

static const char *of_system(perp_scene *scene, const perp_scene_member *s, const char *field,
                             int entry)
{
    int which = strcmp(field, "q") == 0   ? 0
                : strcmp(field, "v") == 0 ? 1
                : strcmp(field, "p") == 0 ? 2
                                          : -1;

    if (s->kind == PERP_SCENE_FIRST_ORDER)
        return NULL;
    if (which < 0)
        return "J";
    if (s->kind != PERP_SCENE_BODY)
        return of_coordinate(which, is_angle(type_of(scene, s), entry));
    return which == 0 && entry > 2 ? "1" : of_coordinate(which, entry > 2);
}

/* 1: rows are gaps and slips of points, lengths. */
static int is_contact(const char *type)
{
    static const char *const types[] = {"point-line",   "disc-line",    "disc-disc",
                                        "sphere-plane", "sphere-sphere", "distance"};

    for (size_t k = 0; type != NULL && k < sizeof types / sizeof types[0]; k++)
        if (strcmp(type, types[k]) == 0)
            return 1;
    return 0;
}

static const char *of_interaction(const perp_scene_named_interaction *i, const char *field,
                                  int entry)
{
    int which = strcmp(field, "y") == 0        ? 0
                : strcmp(field, "u") == 0      ? 1
                : strcmp(field, "lambda") == 0 ? 2
                                               : -1;
    int impact = i->law == PERP_LAW_IMPACT || i->law == PERP_LAW_FRICTION, turns = i->is_angle;

    if (strcmp(field, "active") == 0)
        return "1";
    if (strcmp(field, "reaction") == 0)
        return entry < 3 ? "N" : "N m";
    if (which < 0) { /* coordinates of a joint */
        static const char *const units[] = {"rad", "rad/s", "N m", "m", "m/s", "N"};
        int word = perp_scene_word(field, perp_scene_joint_words);
        return word >= 0 && word < 6 ? units[word] : NULL;
    }
    if (i->joint == NULL && !is_contact(i->type))
        return NULL;
    if (which < 2 || impact)
        return of_coordinate(which, turns);
    return i->joint == NULL ? NULL : turns ? "N m" : "N";
}

static const char *of_whole(const char *field)
{
    return strcmp(field, "kinetic") == 0 || strcmp(field, "potential") == 0 ||
                   strcmp(field, "energy") == 0
               ? "J"
           : strcmp(field, "violation") == 0 ? NULL
                                             : "1";
}

/* Of one entry; label: NAME.FIELD or FIELD, cut at its index. */
static const char *unit(perp_scene *scene, char *label, int entry)
{
    char *dot = strrchr(label, '.');
    const perp_scene_member *s;
    const char *found;
    int k;

    if (dot == NULL)
        return of_whole(label);
    *dot = '\0';
    s = perp_scene_find_member(scene, label);
    k = s != NULL ? -1 : perp_scene_find_interaction(scene, label);
    found = s != NULL   ? of_system(scene, s, dot + 1, entry)
            : k >= 0    ? of_interaction(&scene->interactions[k], dot + 1, entry)
            : strcmp(label, "certificate") == 0 ? "1"
                                                : NULL;
    *dot = '.';
    return found;
}

int perp_scene_units(char *text, size_t size, perp_scene *scene,
                     const perp_scene_quantity *quantity)
{
    char label[256];
    const char *first = NULL;
    size_t length = 0;
    int even = 1, from = 0, stop = (int)strcspn(quantity->label, "[");

    snprintf(label, sizeof label, "%.*s", stop, quantity->label);
    if (quantity->label[stop] == '[')
        sscanf(quantity->label + stop, "[%d]", &from);
    for (int pass = 0; pass < 2; pass++) /* whether they are the same; all of them */
        for (int k = 0; k < quantity->count; k++) {
            const char *word = unit(scene, label, from + k);
            if (word == NULL)
                return 0;
            first = k == 0 ? word : first;
            even = pass == 0 ? even && strcmp(word, first) == 0 : even;
            if (pass == 0 || (even && k > 0))
                continue;
            length += (size_t)snprintf(text + length, size - length, "%s%s", k > 0 ? "," : "", word);
            if (length >= size)
                return 0;
        }
    return quantity->count > 0;
}
