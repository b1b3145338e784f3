/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations of bodies in space: spheres and points on planes, spheres on each other, joints.
 * A sphere is one that the body carries as its shape, or a point of it with a radius. */
#include <math.h>
#include <string.h>

#include "scene/relations.h"

typedef struct contact {
    double normal[3], offset;
    double radius[2], centre[2][3];
} contact;

static contact *make(perp_scene_link *link, const perp_scene_node *at)
{
    perp_relation *relation = &link->def.relation;
    contact *made = perp_scene_take(link->scene, 1, sizeof *made);

    if (made == NULL || perp_scene_want_rows(link, at, 3) != 0)
        return NULL;
    for (int k = 0; k < link->nsystems && k < 2; k++)
        if (link->systems[k]->shape.form == PERP_SCENE_SPHERE)
            made->radius[k] = link->systems[k]->shape.size[0];
    relation->kind = PERP_RELATION_CONTACT;
    relation->rows = link->def.law.dim;
    relation->user = made;
    return made;
}

static void centre(double *place, const contact *c, int k, const double *q)
{
    perp_quaternion_rotate(q + 3, c->centre[k], place);
    for (int i = 0; i < 3; i++)
        place[i] += q[i];
}

static int on_plane(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                    const double *z, void *user)
{
    const contact *c = user;
    double place[3], height = -c->offset;

    (void)t, (void)q_b, (void)z;
    centre(place, c, 0, q_a);
    for (int i = 0; i < 3; i++)
        height += c->normal[i] * place[i];
    point->gap = height - c->radius[0];
    for (int i = 0; i < 3; i++) {
        point->normal[i] = c->normal[i];
        point->point_a[i] = place[i] - c->radius[0] * c->normal[i];
        point->point_b[i] = place[i] - height * c->normal[i];
    }
    return 0;
}

static int on_sphere(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                     const double *z, void *user)
{
    const contact *c = user;
    double a[3], b[3], length = 0.0;

    (void)t, (void)z;
    centre(a, c, 0, q_a);
    centre(b, c, 1, q_b);
    for (int i = 0; i < 3; i++)
        length += (a[i] - b[i]) * (a[i] - b[i]);
    length = sqrt(length);
    point->gap = length - c->radius[0] - c->radius[1];
    for (int i = 0; i < 3; i++) {
        point->normal[i] = length > 0.0 ? (a[i] - b[i]) / length : i == 2;
        point->point_a[i] = a[i] - c->radius[0] * point->normal[i];
        point->point_b[i] = b[i] + c->radius[1] * point->normal[i];
    }
    return 0;
}

int perp_scene_read_sphere_plane(perp_scene_link *link, const perp_scene_node *at)
{
    contact *c;

    if (perp_scene_object(at, "type normal offset radius point") != 0 ||
        perp_scene_want(link, at, 1, PERP_SCENE_BODY) != 0)
        return -1;
    c = make(link, at);
    if (c == NULL || perp_scene_read_normal(c->normal, &c->offset, 3, at) != 0 ||
        perp_scene_real(&c->radius[0], at, "radius", 0.0, INFINITY) != 0)
        return -1;
    link->def.relation.contact = on_plane;
    return perp_scene_reals(c->centre[0], at, "point", 3);
}

int perp_scene_read_sphere_sphere(perp_scene_link *link, const perp_scene_node *at)
{
    contact *c;

    if (perp_scene_object(at, "type radii points") != 0 ||
        perp_scene_want(link, at, 2, PERP_SCENE_BODY) != 0)
        return -1;
    c = make(link, at);
    if (c == NULL || perp_scene_reals(c->radius, at, "radii", 2) != 0)
        return -1;
    if (perp_scene_has(at, "points")) {
        perp_scene_node list = perp_scene_get(at, "points");
        double both[2][3];
        size_t count;
        if (perp_scene_array(&list, &count) != 0)
            return -1;
        if (count != 2)
            return perp_scene_fail(&list, "2 points expected, %zu given", count);
        for (size_t k = 0; k < 2; k++) {
            perp_scene_node one = perp_scene_at(&list, k);
            if (perp_scene_array(&one, &count) != 0)
                return -1;
            if (count != 3)
                return perp_scene_fail(&one, "3 numbers expected, %zu given", count);
            for (size_t i = 0; i < 3; i++) {
                perp_scene_node entry = perp_scene_at(&one, i);
                if (perp_scene_number(&both[k][i], &entry, -INFINITY, INFINITY) != 0)
                    return -1;
            }
        }
        memcpy(c->centre, both, sizeof both);
    }
    link->def.relation.contact = on_sphere;
    return 0;
}

/* A string or a rod that only pulls or only pushes: radius[0] is its length, offset its side. */
static int on_string(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                     const double *z, void *user)
{
    const contact *c = user;
    double a[3], b[3], length = 0.0;

    (void)t, (void)z;
    centre(a, c, 0, q_a);
    memcpy(b, c->centre[1], sizeof b);
    if (q_b != NULL)
        centre(b, c, 1, q_b);
    for (int i = 0; i < 3; i++)
        length += (a[i] - b[i]) * (a[i] - b[i]);
    length = sqrt(length);
    point->gap = c->offset * (length - c->radius[0]);
    for (int i = 0; i < 3; i++) {
        point->normal[i] = length > 0.0 ? c->offset * (a[i] - b[i]) / length : i == 2;
        point->point_a[i] = a[i];
        point->point_b[i] = b[i];
    }
    return 0;
}

int perp_scene_read_body_distance(perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node side = perp_scene_get(at, "side"), anchor = perp_scene_get(at, "anchor");
    contact *c;
    int which = 0;

    if (perp_scene_object(at, "type point to anchor length side") != 0 ||
        (link->nsystems != 1 && perp_scene_want(link, at, 2, PERP_SCENE_BODY) != 0) ||
        perp_scene_choice(&which, at, "side", "equal|at-least|at-most") != 0)
        return -1;
    if (which == 0)
        return perp_scene_fail(&side, "between bodies at-least or at-most; a rod is the relation "
                                      "{\"type\": \"joint\", \"joint\": \"distance\"}");
    if (link->nsystems == 2 && anchor.json != NULL)
        return perp_scene_fail(&anchor, "an anchor in the world goes with one system and no 'to'");
    c = make(link, at);
    if (c == NULL || link->def.law.dim != 1)
        return c == NULL ? -1 : perp_scene_fail(at, "a law without friction is expected");
    c->offset = which == 1 ? 1.0 : -1.0;
    link->def.relation.contact = on_string;
    if (perp_scene_need_real(&c->radius[0], at, "length", 0.0, INFINITY) != 0 ||
        perp_scene_need_reals(c->centre[0], at, "point", 3) != 0)
        return -1;
    return perp_scene_need_reals(c->centre[1], at, link->nsystems == 2 ? "to" : "anchor", 3);
}

static const char joint_words[] =
    "point|pivot|prismatic|fixed|distance|cylindrical|universal|planar|screw";
static const perp_joint joint_kinds[] = {
    PERP_JOINT_POINT,     PERP_JOINT_PIVOT,    PERP_JOINT_PRISMATIC,
    PERP_JOINT_FIXED,     PERP_JOINT_DISTANCE, PERP_JOINT_CYLINDRICAL,
    PERP_JOINT_UNIVERSAL, PERP_JOINT_PLANAR,   PERP_JOINT_CYLINDRICAL};
enum { SCREW = 8 };

/* A vector that has a direction. */
static int read_axis(double *axis, const perp_scene_node *at, const char *key)
{
    perp_scene_node node = perp_scene_get(at, key);

    if (perp_scene_need_reals(axis, at, key, 3) != 0)
        return -1;
    return axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 0.0
               ? 0
               : perp_scene_fail(&node, "the zero vector is no axis");
}

/* Two places that are apart. */
static int read_ends(perp_relation *relation, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "anchor_b");

    if (perp_scene_need_reals(relation->anchor_b, at, "anchor_b", 3) != 0 ||
        perp_scene_reals(relation->anchor, at, "anchor", 3) != 0)
        return -1;
    return memcmp(relation->anchor, relation->anchor_b, sizeof relation->anchor) != 0
               ? 0
               : perp_scene_fail(&node, "that is the place of anchor: a rod has a length above 0");
}

int perp_scene_read_joint(perp_scene_link *link, const perp_scene_node *at)
{
    perp_relation *relation = &link->def.relation;
    perp_scene_node word = perp_scene_get(at, "joint"), law = perp_scene_get(at->up, "law");
    int joint = -1;

    if (perp_scene_object(at, perp_scene_coordinate_keys) != 0 ||
        (link->nsystems != 1 && perp_scene_want(link, at, 2, PERP_SCENE_BODY) != 0) ||
        (link->nsystems == 1 && perp_scene_want(link, at, 1, PERP_SCENE_BODY) != 0) ||
        perp_scene_choice(&joint, at, "joint", joint_words) != 0)
        return -1;
    if (joint < 0)
        return perp_scene_fail(&word, "missing; one of %s", joint_words);
    if (link->has_law && link->def.law.kind != PERP_LAW_EQUALITY)
        return perp_scene_fail(&law, "a joint has the law equality");
    relation->kind = PERP_RELATION_JOINT;
    if ((joint == SCREW) != perp_scene_has(at, "lead")) {
        perp_scene_node lead = perp_scene_get(at, "lead");
        return perp_scene_fail(&lead, joint == SCREW ? "missing; the way in one turn"
                                                     : "this is of a screw");
    }
    relation->joint = joint_kinds[joint];
    joint = (int)relation->joint;
    relation->rows = perp_joint_rows(relation->joint);
    relation->axis[0] = 1.0;
    link->def.law = perp_law_equality();
    if (joint != PERP_JOINT_POINT && joint != PERP_JOINT_FIXED && joint != PERP_JOINT_DISTANCE &&
        read_axis(relation->axis, at, "axis") != 0)
        return -1;
    if (joint == PERP_JOINT_UNIVERSAL && read_axis(relation->axis_b, at, "axis_b") != 0)
        return -1;
    return joint == PERP_JOINT_DISTANCE ? read_ends(relation, at)
                                        : perp_scene_reals(relation->anchor, at, "anchor", 3);
}

/* A rate alone: of a point along an axis of the second body or the world, or of turns about one of
 * the first. */
int perp_scene_read_rate(perp_scene_link *link, const perp_scene_node *at)
{
    perp_relation *relation = &link->def.relation;
    int along = perp_scene_has(at, "along");
    perp_scene_node law = perp_scene_get(at->up, "law");

    if (perp_scene_object(at, "type along about anchor") != 0 ||
        perp_scene_want(link, at, link->nsystems == 1 ? 1 : 2, PERP_SCENE_BODY) != 0)
        return -1;
    if (along == perp_scene_has(at, "about"))
        return perp_scene_fail(at, "along or about: one axis is expected");
    if (!link->has_law || link->def.law.kind != PERP_LAW_BOX || link->def.law.dim != 1)
        return perp_scene_fail(link->has_law ? &law : at,
                               "a law on a rate is expected: dry-friction, motor, servo or box");
    if (link->def.law.drive == PERP_DRIVE_PROFILE ||
        (link->def.law.drive == PERP_DRIVE_SERVO && link->def.law.stiffness != 0.0))
        return perp_scene_fail(&law, "a rate has no target");
    relation->kind = PERP_RELATION_JOINT;
    relation->joint = along ? PERP_JOINT_SLIDE : PERP_JOINT_SPIN;
    relation->rows = 1;
    if (read_axis(relation->axis, at, along ? "along" : "about") != 0)
        return -1;
    return perp_scene_reals(relation->anchor, at, "anchor", 3);
}
