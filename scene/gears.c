/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates of joints tied together: gears, racks, joints that mimic others, screws. */
#include <math.h>
#include <string.h>

#include "scene/relations.h"

typedef struct coordinate {
    const perp_scene_named_interaction *joint;
    int is_angle;
} coordinate;

/* "elbow", or "rod.slide", "rod.angle" of a joint with two. */
static int find_coordinate(coordinate *c, perp_scene *scene, const perp_scene_node *at,
                           const char *key)
{
    perp_scene_node node = perp_scene_get(at, key);
    const char *text = NULL, *dot;
    char name[128];
    int k;

    if (perp_scene_string(&text, at, key) != 0)
        return -1;
    if (text == NULL)
        return perp_scene_fail(&node, "missing; the name of a joint");
    dot = strrchr(text, '.');
    snprintf(name, sizeof name, "%.*s", dot != NULL ? (int)(dot - text) : (int)strlen(text), text);
    k = perp_scene_find_interaction(scene, name);
    c->joint = k >= 0 ? &scene->interactions[k] : NULL;
    if (k < 0 || c->joint->relation == NULL)
        return perp_scene_fail(&node, "no joint before this one is called '%s'", name);
    perp_joint kind = c->joint->relation->joint;
    int both = kind == PERP_JOINT_CYLINDRICAL;
    c->is_angle = dot != NULL ? strcmp(dot, ".angle") == 0
                              : kind == PERP_JOINT_PIVOT || kind == PERP_JOINT_PLANAR;
    if ((both && dot == NULL) ||
        (dot != NULL && strcmp(dot, ".angle") != 0 && strcmp(dot, ".slide") != 0))
        return perp_scene_fail(&node, "which of its coordinates, '%s.angle' or '%s.slide'?", name,
                               name);
    int has = both || (c->is_angle ? kind == PERP_JOINT_PIVOT || kind == PERP_JOINT_PLANAR
                                   : kind == PERP_JOINT_PRISMATIC);
    return has ? 0 : perp_scene_fail(&node, "'%s' has no such coordinate", name);
}

const perp_scene_named_interaction *perp_scene_joint_coordinate(int *is_angle, perp_scene *scene,
                                                                const perp_scene_node *at,
                                                                const char *key)
{
    coordinate c;

    if (find_coordinate(&c, scene, at, key) != 0)
        return NULL;
    *is_angle = c.is_angle;
    return c.joint;
}

/* The place of a system among those of the coupling; a new one is added. */
static int place_of(perp_scene_link *link, perp_system_id *ids, perp_scene_member *s)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k] == s)
            return k;
    link->systems[link->nsystems] = s;
    ids[link->nsystems] = s->id;
    return link->nsystems++;
}

static perp_joint_term term_of(perp_scene_link *link, perp_system_id *ids, const coordinate *c,
                               double factor)
{
    const perp_scene_named_interaction *joint = c->joint;
    perp_joint_term term = {.coordinate = c->is_angle ? PERP_JOINT_ANGLE : PERP_JOINT_SLIDE,
                            .second = -1,
                            .factor = factor};
    memcpy(term.anchor, joint->relation->anchor, sizeof term.anchor);
    memcpy(term.axis, joint->relation->axis, sizeof term.axis);
    term.first = place_of(link, ids, joint->systems[0]);
    if (joint->nsystems == 2)
        term.second = place_of(link, ids, joint->systems[1]);
    return term;
}

/* first - ratio second - offset = 0 under this name. */
static int add(perp_scene *scene, const perp_scene_node *at, const char *name,
               const coordinate *first, const coordinate *second, double ratio, double offset)
{
    perp_scene_link link;
    perp_interaction_id id;
    perp_where where = {NULL, -1, -1};
    perp_joint_term terms[2];
    perp_system_id *ids = perp_scene_take(scene, 4, sizeof *ids);

    memset(&link, 0, sizeof link);
    link.scene = scene;
    link.systems = perp_scene_take(scene, 4, sizeof(perp_scene_member *));
    if (ids == NULL || link.systems == NULL)
        return -1;
    perp_interaction_def_init(&link.def, sizeof link.def);
    terms[0] = term_of(&link, ids, first, 1.0);
    terms[1] = term_of(&link, ids, second, -ratio);
    link.def.systems = ids;
    link.def.nsystems = link.nsystems;
    link.def.relation.kind = PERP_RELATION_COUPLING;
    link.def.relation.rows = 1;
    link.def.relation.terms = terms;
    link.def.relation.nterms = 2;
    link.def.relation.origin = offset - first->joint->start[first->is_angle] +
                               ratio * second->joint->start[second->is_angle];
    link.def.law = perp_law_equality();
    perp_status status = perp_model_add_interaction(scene->model, &link.def, &id, &where);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(at, status, &where);
    return perp_scene_note_interaction(&link, name, id) != NULL ? 0 : -1;
}

int perp_scene_read_gear(perp_scene *scene, const perp_scene_node *at)
{
    perp_scene_node relation = perp_scene_get(at, "relation"), node;
    coordinate first, second;
    double ratio = 0.0, offset = 0.0;
    const char *name = NULL;

    if (perp_scene_object(at, "name relation") != 0 ||
        perp_scene_object(&relation, "type of with ratio offset") != 0 ||
        find_coordinate(&first, scene, &relation, "of") != 0 ||
        find_coordinate(&second, scene, &relation, "with") != 0 ||
        perp_scene_need_real(&ratio, &relation, "ratio", -1e300, 1e300) != 0 ||
        perp_scene_real(&offset, &relation, "offset", -1e300, 1e300) != 0 ||
        perp_scene_string(&name, at, "name") != 0)
        return -1;
    node = perp_scene_get(&relation, "ratio");
    if (ratio == 0.0)
        return perp_scene_fail(&node, "0 ties nothing: a fixed joint stands still");
    if (name == NULL)
        name = perp_scene_text(scene, "interaction%zu", at->index);
    if (name == NULL || perp_scene_check_name(scene, at, name) != 0)
        return -1;
    return add(scene, at, name, &first, &second, ratio, offset);
}

int perp_scene_add_screw(const perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene *scene = link->scene;
    const perp_scene_named_interaction *joint = &scene->interactions[scene->ninteractions - 1];
    perp_scene_node node = perp_scene_get(at, "lead");
    coordinate slide = {joint, 0}, angle = {joint, 1};
    double lead = 0.0;

    if (perp_scene_need_real(&lead, at, "lead", -1e300, 1e300) != 0)
        return -1;
    if (lead == 0.0)
        return perp_scene_fail(&node, "a screw without a lead is a pivot");
    const char *name = perp_scene_text(scene, "%s.screw", joint->name);
    return name == NULL ? -1
                        : add(scene, at, name, &slide, &angle, lead / 6.283185307179586476925, 0.0);
}
