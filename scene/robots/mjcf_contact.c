/* SPDX-License-Identifier: BSD-3-Clause */
/* <contact>, <equality> and <tendon>. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/mjcf.h"

/* The number of a body that an attribute names; -1: the world, -2 after a failure. */
static int body_of(perp_mjcf *m, const perp_xml *at, const char *attribute)
{
    const char *name = perp_xml_get(at, attribute);
    int found;

    if (name == NULL || strcmp(name, "world") == 0)
        return -1;
    found = perp_robot_find_body(m->robot, name);
    if (found >= 0)
        return found;
    perp_robot_fail(m->job, at, "%s: there is no body '%.80s'", attribute, name);
    return -2;
}

static int read_exclude(perp_mjcf *m, const perp_xml *at)
{
    perp_robot_pair *made;
    int a = body_of(m, at, "body1"), b = body_of(m, at, "body2");

    perp_mjcf_check(&(perp_mjcf_reader){m, at, NULL, NULL}, "name body1 body2", "");
    if (a < -1 || b < -1)
        return -1;
    if (perp_xml_get(at, "body1") == NULL || perp_xml_get(at, "body2") == NULL)
        return perp_robot_fail(m->job, at, "body1 and body2 are expected");
    made = PERP_ROBOT_ADD(m->robot, excludes);
    if (made == NULL)
        return -1;
    made->at = at;
    made->a = a;
    made->b = b;
    return 0;
}

static int read_pair(perp_mjcf *m, const perp_xml *at)
{
    perp_mjcf_reader r = {m, at, perp_mjcf_class_of(m, at, NULL), NULL};
    const char *names[2] = {perp_xml_get(at, "geom1"), perp_xml_get(at, "geom2")};
    perp_robot_pair *made;
    double condim = 3.0, margin = 0.0, friction[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001};
    int geom[2];

    if (r.from == NULL || perp_mjcf_exactly(&r, "condim", &condim, 1) < 0 ||
        perp_mjcf_exactly(&r, "margin", &margin, 1) < 0 ||
        perp_mjcf_numbers(&r, "friction", friction, 5) < 0)
        return -1;
    perp_mjcf_check(&r, "name class geom1 geom2 condim friction", "");
    for (int k = 0; k < 2; k++) {
        if (names[k] != NULL && perp_name_index_find(&m->lost_geoms, names[k]) >= 0)
            return 0;
        geom[k] = names[k] != NULL ? perp_robot_find_geom(m->robot, names[k]) : -1;
        if (geom[k] < 0)
            return perp_robot_fail(m->job, at, "there is no geom '%.80s'",
                                   names[k] != NULL ? names[k] : "");
    }
    if (condim != 1.0 && condim != 3.0 && condim != 4.0 && condim != 6.0)
        return perp_robot_fail(m->job, at, "condim: 1, 3, 4 or 6");
    for (int k = 0; k < 5; k++)
        if (friction[k] < 0.0)
            return perp_robot_fail(m->job, at, "friction: less than 0");
    if (friction[0] != friction[1] && condim > 1.0)
        perp_robot_missing(m->job, at, "friction that depends on the direction");
    made = PERP_ROBOT_ADD(m->robot, pairs);
    if (made == NULL)
        return -1;
    made->at = at;
    made->a = geom[0];
    made->b = geom[1];
    made->mu = isnan(m->job->options->mu) ? friction[0] : m->job->options->mu;
    made->rolling = friction[3];
    made->condim = (int)condim;
    made->torsion = friction[2];
    made->margin = margin;
    return 0;
}

int perp_mjcf_read_contact(perp_mjcf *m)
{
    const perp_xml *section = NULL;

    for (int g = 0; g < m->robot->ngeoms && m->no_masks; g++)
        m->robot->geoms[g].contype = m->robot->geoms[g].conaffinity = 0;
    while ((section = perp_xml_child(m->root, "contact", section)) != NULL)
        for (const perp_xml *at = section->first; at != NULL; at = at->next) {
            if (perp_xml_is(at, "exclude") && read_exclude(m, at) != 0)
                return -1;
            if (perp_xml_is(at, "pair") && !m->no_pairs && read_pair(m, at) != 0)
                return -1;
            if (!perp_xml_is(at, "exclude") && !perp_xml_is(at, "pair"))
                perp_robot_missing(m->job, at, "this element");
        }
    return 0;
}

/* A place of the world in the frame of a body, where the model has its joints. */
static void from_world(const perp_robot *robot, int body, double *place)
{
    perp_pose pose = perp_pose_identity(), none = pose;
    double there[3];

    for (; body >= 0; body = robot->bodies[body].parent)
        pose = perp_pose_product(&robot->bodies[body].pose, &pose);
    pose = perp_pose_within(&pose, &none);
    perp_pose_apply(there, &pose, place);
    memcpy(place, there, sizeof there);
}

/* Two bodies and a place in the first one: by body1, body2, anchor, or by two sites. */
static int read_ends(perp_mjcf *m, const perp_xml *at, perp_robot_equality *tie)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    const char *site[2] = {perp_xml_get(at, "site1"), perp_xml_get(at, "site2")};

    if (site[0] != NULL) {
        for (int k = 0; k < 2; k++) {
            const perp_robot_site *found =
                site[k] != NULL ? perp_robot_find_site(m->robot, site[k]) : NULL;
            if (found == NULL)
                return perp_robot_fail(m->job, at, "there is no site '%.80s'",
                                       site[k] != NULL ? site[k] : "");
            tie->body[k] = found->body;
            tie->site[k] = found->pose;
            if (k == 0)
                memcpy(tie->anchor, found->pose.p, sizeof tie->anchor);
        }
        tie->by_sites = 1;
        return 0;
    }
    tie->body[0] = body_of(m, at, "body1");
    tie->body[1] = body_of(m, at, "body2");
    if (tie->body[0] < -1 || tie->body[1] < -1 ||
        perp_mjcf_exactly(&r, "anchor", tie->anchor, 3) < 0)
        return -1;
    if (perp_mjcf_settings_of(m, at)->global && perp_xml_get(at, "anchor") != NULL)
        from_world(m->robot, tie->body[perp_xml_is(at, "weld")], tie->anchor);
    return 0;
}

/* A turn of 0 stands for the pose that the model has. */
static int read_relpose(const perp_mjcf_reader *r, perp_robot_equality *tie)
{
    double pose[7] = {0.0};
    int count = perp_mjcf_exactly(r, "relpose", pose, 7);

    if (count < 0)
        return -1;
    memcpy(tie->pose.p, pose, sizeof tie->pose.p);
    memcpy(tie->pose.q, pose + 3, sizeof tie->pose.q);
    tie->has_pose = perp_quaternion_normalise(tie->pose.q) == PERP_SOLVED;
    return 0;
}

/* A weld whose moments weigh nothing holds a point, which is given in its second body. */
static int free_turn(const perp_mjcf_reader *r, perp_robot_equality *tie)
{
    double scale = 1.0;
    int first = tie->body[0];

    if (perp_mjcf_exactly(r, "torquescale", &scale, 1) < 0)
        return -1;
    if (scale > 0.0)
        return 0;
    if (tie->has_pose)
        perp_robot_missing(r->m->job, r->at, "relpose without moments");
    tie->has_pose = 0;
    tie->tie = PERP_ROBOT_CONNECT;
    if (perp_xml_get(r->at, "site1") == NULL) {
        tie->body[0] = tie->body[1];
        tie->body[1] = first;
    }
    return 0;
}

/* The polynomial of q0 - ref0 by q1 - ref1 as that of q0 by q1. */
static void bend(perp_robot *robot, perp_robot_equality *tie, const double *poly)
{
    double shift = robot->joints[tie->joint[1]].reference;

    tie->curved = 1;
    for (int k = 4; k >= 0; k--) {
        for (int i = 4; i > 0; i--)
            tie->poly[i] = tie->poly[i - 1] - shift * tie->poly[i];
        tie->poly[0] = poly[k] - shift * tie->poly[0];
    }
    tie->poly[0] += robot->joints[tie->joint[0]].reference;
    for (int k = 0; k < 2; k++)
        robot->joints[tie->joint[k]].wants_rotor = 1;
}

static int read_couple(perp_mjcf *m, const perp_xml *at, perp_robot_equality *tie)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    const char *name[2] = {perp_xml_get(at, "joint1"), perp_xml_get(at, "joint2")};
    double poly[5] = {0.0, 1.0, 0.0, 0.0, 0.0};

    tie->tie = PERP_ROBOT_COUPLE;
    for (int k = 0; k < 2; k++) {
        tie->joint[k] = name[k] != NULL ? perp_robot_find_joint(m->robot, name[k]) : -1;
        if (tie->joint[k] < 0 && (k == 0 || name[k] != NULL))
            return perp_robot_fail(m->job, at, "there is no joint '%.80s'",
                                   name[k] != NULL ? name[k] : "");
    }
    if (perp_mjcf_numbers(&r, "polycoef", poly, 5) < 0)
        return -1;
    for (int k = 0; k < 2; k++)
        if (tie->joint[k] >= 0 && m->robot->joints[tie->joint[k]].motion != PERP_ROBOT_HINGE &&
            m->robot->joints[tie->joint[k]].motion != PERP_ROBOT_SLIDE)
            return perp_robot_fail(m->job, at, "a free or ball joint has no coordinate of its own");
    if (tie->joint[1] >= 0 && (poly[2] != 0.0 || poly[3] != 0.0 || poly[4] != 0.0))
        bend(m->robot, tie, poly);
    /* From the values that the joints have where the model has them. */
    tie->ratio = tie->joint[1] >= 0 ? poly[1] : 0.0;
    tie->offset = poly[0] + m->robot->joints[tie->joint[0]].reference;
    if (tie->joint[1] >= 0)
        tie->offset -= tie->ratio * m->robot->joints[tie->joint[1]].reference;
    return 0;
}

static int read_tie(perp_mjcf *m, const perp_xml *at)
{
    perp_mjcf_reader r = {m, at, perp_mjcf_class_of(m, at, NULL), "equality"};
    perp_robot_equality tie;
    int active = 1;

    memset(&tie, 0, sizeof tie);
    tie.at = at;
    if (r.from == NULL || perp_mjcf_flag(&r, "active", &active) != 0)
        return -1;
    if (!active) {
        perp_robot_note(m->job, at, "not active: left out");
        return 0;
    }
    if (perp_xml_is(at, "connect") || perp_xml_is(at, "weld")) {
        tie.tie = perp_xml_is(at, "connect") ? PERP_ROBOT_CONNECT : PERP_ROBOT_WELD;
        perp_mjcf_check(&r, "name class active body1 body2 anchor site1 site2 relpose torquescale",
                        "");
        if (read_ends(m, at, &tie) != 0)
            return -1;
        if (tie.tie == PERP_ROBOT_WELD && (read_relpose(&r, &tie) != 0 || free_turn(&r, &tie) != 0))
            return -1;
    } else if (perp_xml_is(at, "joint")) {
        perp_mjcf_check(&r, "name class active joint1 joint2 polycoef", "");
        if (read_couple(m, at, &tie) != 0)
            return -1;
    } else if (perp_xml_is(at, "tendon")) {
        return perp_mjcf_tie_tendons(m, at);
    } else {
        perp_robot_missing(m->job, at, "this equality");
        return 0;
    }
    tie.name = perp_mjcf_name(m, at, "", at->name, m->robot->nequalities + 1);
    perp_robot_equality *made = PERP_ROBOT_ADD(m->robot, equalities);
    if (tie.name == NULL || made == NULL)
        return -1;
    *made = tie;
    return 0;
}

int perp_mjcf_read_equality(perp_mjcf *m)
{
    const perp_xml *section = NULL;

    if (m->no_constraints || m->no_ties)
        return 0;
    while ((section = perp_xml_child(m->root, "equality", section)) != NULL)
        for (const perp_xml *at = section->first; at != NULL; at = at->next)
            if (read_tie(m, at) != 0)
                return -1;
    return 0;
}
