/* SPDX-License-Identifier: BSD-3-Clause */
/* What refers to replicated elements by their name without the suffix is there once for each copy,
 * as tendons between sites of a replicated body are. */
#include <string.h>

#include "scene/robots/mjcf.h"

static const char *const references[] = {
    "joint",      "joint1", "joint2",  "jointinparent", "body",  "body1",    "body2",
    "geom1",      "geom2",  "site",    "site1",         "site2", "refsite",  "cranksite",
    "slidersite", "tendon", "tendon1", "tendon2",       "geom",  "sidesite", "objname"};
enum { MOST_TRIES = 1000000 };
enum { REFERENCES = sizeof references / sizeof references[0] };

static int index_tendons(perp_mjcf *m)
{
    const perp_xml *section = NULL;

    while ((section = perp_xml_child(m->root, "tendon", section)) != NULL)
        for (const perp_xml *at = section->first; at != NULL; at = at->next) {
            const char *own = perp_xml_get(at, "name");
            if (own != NULL && perp_name_index_put(&m->tendon_index, m->job, own, 0) != 0)
                return -1;
        }
    return 0;
}

/* Whether something of the kind that an attribute names is called so. */
static int is_there(perp_mjcf *m, int reference, const char *name)
{
    const char *word = references[reference];

    if (strncmp(word, "joint", 5) == 0)
        return perp_robot_find_joint(m->robot, name) >= 0;
    if (strncmp(word, "body", 4) == 0)
        return strcmp(name, "world") == 0 || perp_robot_find_body(m->robot, name) >= 0;
    if (strncmp(word, "geom", 4) == 0)
        return perp_robot_find_geom(m->robot, name) >= 0;
    if (strstr(word, "site") != NULL)
        return perp_robot_find_site(m->robot, name) != NULL;
    if (strncmp(word, "tendon", 6) == 0)
        return perp_name_index_find(&m->tendon_index, name) >= 0;
    return perp_robot_find_body(m->robot, name) >= 0 ||
           perp_robot_find_site(m->robot, name) != NULL;
}

/* -1: a name is of nothing, 1: some names need the suffix, 0: none does. */
static int fits(perp_mjcf *m, const perp_xml *at, const char *suffix)
{
    int needs = 0;

    for (int k = 0; k < REFERENCES; k++) {
        const char *name = perp_xml_get(at, references[k]), *longer;
        if (name == NULL || is_there(m, k, name))
            continue;
        longer = perp_robot_text(m->job, "%s%s", name, suffix);
        if (longer == NULL || suffix[0] == '\0' || !is_there(m, k, longer))
            return -1;
        needs = 1;
    }
    for (const perp_xml *child = at->first; child != NULL; child = child->next) {
        int own = fits(m, child, suffix);
        if (own < 0)
            return -1;
        needs |= own;
    }
    return needs;
}

static perp_xml *copy_of(perp_mjcf *m, const perp_xml *at, const char *suffix)
{
    perp_xml *made = perp_robot_take(m->job, 1, sizeof *made);
    perp_xml_attribute **last;

    if (made == NULL || ++m->job->elements > PERP_ROBOT_MOST_ELEMENTS)
        return NULL;
    *made = *at;
    made->first = made->last = made->next = NULL;
    made->attributes = NULL;
    last = &made->attributes;
    for (const perp_xml_attribute *a = at->attributes; a != NULL; a = a->next) {
        perp_xml_attribute *one = perp_robot_take(m->job, 1, sizeof *one);
        int suffixed = strcmp(a->name, "name") == 0;
        if (one == NULL)
            return NULL;
        for (int k = 0; k < REFERENCES; k++)
            suffixed |= strcmp(a->name, references[k]) == 0 && !is_there(m, k, a->value);
        *one = *a;
        one->next = NULL;
        if (suffixed && (one->value = perp_robot_text(m->job, "%s%s", a->value, suffix)) == NULL)
            return NULL;
        *last = one;
        last = &one->next;
    }
    for (const perp_xml *child = at->first; child != NULL; child = child->next) {
        perp_xml *own = copy_of(m, child, suffix);
        if (own == NULL)
            return NULL;
        own->up = made;
        if (made->first == NULL)
            made->first = own;
        else
            made->last->next = own;
        made->last = own;
    }
    return made;
}

/* Puts copies in the place of an element whose names are there with suffixes alone. */
static int expand(perp_mjcf *m, perp_xml **slot, perp_xml ***next)
{
    perp_xml *at = *slot, *after = at->next;
    int copies = 0;

    *next = &at->next;
    if (fits(m, at, "") >= 0)
        return 0;
    for (int k = 0; k < m->nsuffixes; k++) {
        perp_xml *made;
        if (++m->tries > MOST_TRIES)
            return perp_robot_fail(m->job, at, "too many names of replicas to look for");
        if (fits(m, at, m->suffixes[k]) < 0)
            continue;
        made = copy_of(m, at, m->suffixes[k]);
        if (made == NULL)
            return m->job->status != PERP_SOLVED
                       ? -1
                       : perp_robot_fail(m->job, at, "more than %d elements",
                                         PERP_ROBOT_MOST_ELEMENTS);
        *slot = made;
        slot = &made->next;
        copies++;
    }
    *slot = copies > 0 ? after : at;
    *next = copies > 0 ? slot : &at->next;
    return 0;
}

int perp_mjcf_copy_references(perp_mjcf *m)
{
    static const char *const sections[] = {"contact", "tendon", "equality", "actuator", "sensor"};

    for (int k = 0; k < 5 && m->nsuffixes > 0; k++) {
        if (k == 2 && index_tendons(m) != 0) /* those that were copied, too */
            return -1;
        for (perp_xml *section = NULL;
             (section = perp_xml_child(m->root, sections[k], section)) != NULL;)
            for (perp_xml **slot = &section->first; *slot != NULL;)
                if (expand(m, slot, &slot) != 0)
                    return -1;
    }
    return 0;
}
