/* SPDX-License-Identifier: BSD-3-Clause */
/* Relation "coupling": a sum of factors times coordinates of joints and of Lagrangian systems. */
#include <string.h>

#include "scene/relations.h"

/* Where a system stands in the list of the interaction; -1: nowhere. */
static int place_of(const perp_scene_link *link, const perp_scene_member *s)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k] == s)
            return k;
    return -1;
}

/* A Lagrangian coordinate: {"system", "coordinate"}. */
static int read_entry(const perp_scene_link *link, perp_joint_term *term, const perp_scene_node *at)
{
    perp_scene_node name = perp_scene_get(at, "system");
    perp_scene_member *s = perp_scene_named(link->scene, &name);

    if (s == NULL)
        return -1;
    term->lagrangian = 1;
    term->first = place_of(link, s);
    term->second = -1;
    if (term->first < 0 || s->kind != PERP_SCENE_LAGRANGIAN)
        return perp_scene_fail(&name, "it is to be one of 'systems', with coordinates");
    return perp_scene_integer(&term->entry, at, "coordinate", 0, s->nx - 1);
}

/* The place of a body that a joint moves; -1: the world; -2 after a message. */
static int moved(const perp_scene_link *link, const perp_scene_named_interaction *joint, int b,
                 const perp_scene_node *name)
{
    int place;

    if (b >= joint->nsystems)
        return -1;
    place = place_of(link, joint->systems[b]);
    if (place >= 0)
        return place;
    perp_scene_fail(name, "'%s', which it moves, is not among 'systems'", joint->systems[b]->name);
    return -2;
}

/* The coordinate of a joint that was read before; *start: its value when it is made. */
static int take_joint(const perp_scene_link *link, perp_joint_term *term, double *start,
                      const perp_scene_node *name)
{
    perp_scene *scene = link->scene;
    const char *word = json_string_value(name->json);
    int k = word != NULL ? perp_scene_number_of(&scene->interaction_names, word) : -1;
    const perp_scene_named_interaction *joint = k >= 0 ? &scene->interactions[k] : NULL;

    if (joint == NULL || joint->frame.kind == 0)
        return perp_scene_fail(name, "a pivot or prismatic joint that stands before is expected");
    term->coordinate = joint->frame.kind == 1 ? PERP_JOINT_ANGLE : PERP_JOINT_SLIDE;
    term->first = moved(link, joint, 0, name);
    term->second = moved(link, joint, 1, name);
    memcpy(term->anchor, joint->frame.anchor, sizeof term->anchor);
    memcpy(term->axis, joint->frame.axis, sizeof term->axis);
    *start = joint->frame.start;
    return term->first < 0 || term->second < -1 ? -1 : 0;
}

/* One term; *origin: the part that is not its factor times the coordinate of the kernel. */
static int read_term(const perp_scene_link *link, perp_joint_term *term, double *origin,
                     const perp_scene_node *at)
{
    perp_scene_node joint = perp_scene_get(at, "joint");
    double start = 0.0;

    term->factor = 1.0;
    if (perp_scene_object(at, joint.json != NULL ? "joint factor" : "system coordinate factor") !=
            0 ||
        perp_scene_real(&term->factor, at, "factor", -1e300, 1e300) != 0)
        return -1;
    if (term->factor == 0.0)
        return perp_scene_fail(at, "a factor of 0 ties nothing");
    if (joint.json == NULL)
        return read_entry(link, term, at);
    if (take_joint(link, term, &start, &joint) != 0)
        return -1;
    *origin -= term->factor * start;
    return 0;
}

int perp_scene_read_coupling(perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "terms");
    perp_relation *relation = &link->def.relation;
    perp_joint_term *terms;
    size_t count = 0;

    if (perp_scene_object(at, "type terms offset") != 0 || perp_scene_array(&list, &count) != 0 ||
        perp_scene_real(&relation->origin, at, "offset", -1e300, 1e300) != 0)
        return -1;
    if (count < 1 || count > PERP_JOINT_TERMS)
        return perp_scene_fail(&list, "1 to %d terms are expected", PERP_JOINT_TERMS);
    if (link->has_law && link->def.law.dim != 1)
        return perp_scene_fail(at, "it has one row, its law %d", link->def.law.dim);
    if (!link->has_law)
        link->def.law = perp_law_equality();
    link->has_law = 1;
    terms = perp_scene_take(link->scene, count, sizeof *terms);
    if (terms == NULL)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node one = perp_scene_at(&list, k);
        if (read_term(link, &terms[k], &relation->origin, &one) != 0)
            return -1;
    }
    relation->kind = PERP_RELATION_COUPLING;
    relation->rows = 1;
    relation->nterms = (int)count;
    relation->terms = terms;
    return 0;
}
