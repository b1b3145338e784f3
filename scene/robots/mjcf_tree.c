/* SPDX-License-Identifier: BSD-3-Clause */
/* The bodies of an MJCF model: <worldbody> with bodies, frames and replicas in each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/mjcf.h"

static int read_children(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place);

/* Places of what a body carries are in the world; without a pos, as up to MuJoCo 2.3.3, they are
 * its origin, and a body has the frame of its masses.  Nothing but the axes of ball joints, the
 * poses of free ones and records depend on that; here it is the world's frame. */
static void go_global(perp_mjcf *m, const perp_xml *at, perp_pose *pose, perp_pose *frame)
{
    perp_pose none = perp_pose_identity();
    int turns = 0;

    for (const perp_xml *child = at->first; child != NULL; child = child->next) {
        const char *type = perp_xml_is(child, "joint") ? perp_xml_get(child, "type") : NULL;
        if (perp_xml_is(child, "inertial") && perp_xml_get(child, "pos") == NULL)
            perp_robot_missing(m->job, child, "coordinate global, without a pos");
        turns = turns || perp_xml_is(child, "freejoint") ||
                (type != NULL && (strcmp(type, "ball") == 0 || strcmp(type, "free") == 0));
    }
    if (perp_xml_get(at, "pos") == NULL) {
        *pose = none;
        if (turns)
            perp_robot_note(
                m->job, at,
                "coordinate global, without a pos: its frame is that of the world where "
                "the model has it, not of its masses");
    }
    *frame = perp_pose_within(pose, &none);
}

static int read_body(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    perp_mjcf_place inside = *place;
    perp_robot_body *body;
    const char *childclass = perp_xml_get(at, "childclass");
    perp_pose pose;
    int mocap = 0;
    double lift = 0.0;

    perp_mjcf_check(&r, "name childclass pos quat axisangle euler xyaxes zaxis mocap gravcomp",
                    "user sleep simple");
    if (perp_mjcf_pose(&r, &pose) != 0 || perp_mjcf_flag(&r, "mocap", &mocap) != 0 ||
        perp_mjcf_exactly(&r, "gravcomp", &lift, 1) < 0)
        return -1;
    body = PERP_ROBOT_ADD(m->robot, bodies);
    if (body == NULL)
        return -1;
    inside.body = m->robot->nbodies - 1;
    inside.frame = perp_pose_identity();
    if (perp_mjcf_settings_of(m, at)->global)
        go_global(m, at, &pose, &inside.frame);
    body->at = at;
    body->parent = place->body;
    body->pose = perp_pose_product(&place->frame, &pose);
    body->axes[0] = 1.0;
    body->still = mocap;
    body->lift = lift;
    body->name = perp_mjcf_name(m, at, place->suffix, "body", m->robot->nbodies);
    if (body->name == NULL)
        return -1;
    if (childclass != NULL) {
        perp_xml named = {.name = at->name, .file = at->file, .line = at->line};
        perp_xml_attribute own = {.name = "class", .value = childclass};
        named.attributes = &own;
        inside.childclass = perp_mjcf_class_of(m, &named, NULL);
        if (inside.childclass == NULL)
            return -1;
    }
    if (mocap && place->body >= 0)
        return perp_robot_fail(m->job, at, "mocap: of bodies in the world alone");
    if (mocap)
        perp_robot_note(m->job, at, "mocap: stands where it is");
    inside.joints = 1;
    if (read_children(m, at, &inside) != 0)
        return -1;
    inside.joints = 0;
    return read_children(m, at, &inside);
}

static int read_frame(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    perp_mjcf_place inside = *place;
    const char *childclass = perp_xml_get(at, "childclass");
    perp_pose pose;

    if (!place->joints)
        perp_mjcf_check(&r, "childclass pos quat axisangle euler xyaxes zaxis", "name");
    if (perp_mjcf_pose(&r, &pose) != 0)
        return -1;
    inside.frame = perp_pose_product(&place->frame, &pose);
    if (childclass != NULL) {
        perp_xml_attribute own = {.name = "class", .value = childclass};
        perp_xml named = {.name = at->name, .file = at->file, .line = at->line, .attributes = &own};
        inside.childclass = perp_mjcf_class_of(m, &named, NULL);
        if (inside.childclass == NULL)
            return -1;
    }
    return read_children(m, at, &inside);
}

static int note_suffix(perp_mjcf *m, const char *suffix)
{
    const char **made;

    if (perp_name_index_find(&m->suffix_index, suffix) >= 0)
        return 0;
    if (perp_name_index_put(&m->suffix_index, m->job, suffix, m->nsuffixes) != 0)
        return -1;
    made = perp_robot_add(m->job, (void **)&m->suffixes, &m->nsuffixes, &m->suffixes_capacity,
                          sizeof *made);
    if (made == NULL)
        return -1;
    *made = suffix;
    return 0;
}

static int read_replicate(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    perp_mjcf_place inside = *place;
    const char *separator = perp_xml_get(at, "sep");
    perp_pose step = perp_pose_identity();
    double count = -1.0, euler[3];
    int digits = 1;

    if (!place->joints)
        perp_mjcf_check(&r, "count offset euler sep", "");
    if (perp_mjcf_exactly(&r, "count", &count, 1) < 0 ||
        perp_mjcf_exactly(&r, "offset", step.p, 3) < 0 ||
        perp_mjcf_exactly(&r, "euler", euler, 3) < 0 || perp_mjcf_orientation(&r, step.q) != 0)
        return -1;
    if (!(count >= 1.0 && count <= 1e6) || count != floor(count))
        return perp_robot_fail(m->job, at, "count: a whole number from 1 to 1000000 is expected");
    for (double k = 10.0; k < count; k *= 10.0)
        digits++;
    for (int k = 0; k < (int)count; k++) {
        inside.suffix = perp_robot_text(m->job, "%s%0*d%s", separator != NULL ? separator : "",
                                        digits, k, place->suffix);
        if (inside.suffix == NULL || note_suffix(m, inside.suffix) != 0 ||
            read_children(m, at, &inside) != 0)
            return -1;
        inside.frame = perp_pose_product(&inside.frame, &step);
    }
    return 0;
}

static int read_site(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    perp_mjcf_reader r = {m, at, perp_mjcf_class_of(m, at, place->childclass), NULL};
    perp_robot_site *site;
    perp_pose pose;
    double fromto[6];
    int count;

    if (r.from == NULL)
        return -1;
    perp_mjcf_check(&r, "name class pos quat axisangle euler xyaxes zaxis fromto",
                    "type group size material rgba user");
    if (perp_mjcf_pose(&r, &pose) != 0 || (count = perp_mjcf_exactly(&r, "fromto", fromto, 6)) < 0)
        return -1;
    if (count > 0)
        for (int i = 0; i < 3; i++)
            pose.p[i] = 0.5 * (fromto[i] + fromto[i + 3]);
    site = PERP_ROBOT_ADD(m->robot, sites);
    if (site == NULL)
        return -1;
    site->body = place->body;
    site->pose = perp_pose_product(&place->frame, &pose);
    site->name = perp_mjcf_name(m, at, place->suffix, "site", m->robot->nsites);
    return site->name != NULL ? 0 : -1;
}

int perp_mjcf_read_child(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    if (perp_xml_is(at, "frame"))
        return read_frame(m, at, place);
    if (perp_xml_is(at, "replicate"))
        return read_replicate(m, at, place);
    if (perp_xml_is(at, "joint") || perp_xml_is(at, "freejoint")) {
        if (place->body < 0)
            return perp_robot_fail(m->job, at, "the world has no joint");
        return place->joints ? perp_mjcf_read_joint(m, at, place) : 0;
    }
    if (place->joints)
        return 0;
    if (perp_xml_is(at, "body"))
        return read_body(m, at, place);
    if (perp_xml_is(at, "geom"))
        return perp_mjcf_read_geom(m, at, place);
    if (perp_xml_is(at, "inertial"))
        return place->body >= 0 ? perp_mjcf_read_inertial(m, at, place)
                                : perp_robot_fail(m->job, at, "the world has none");
    if (perp_xml_is(at, "site"))
        return read_site(m, at, place);
    if (perp_xml_is(at, "composite"))
        return perp_mjcf_read_composite(m, at, place);
    if (!perp_xml_is(at, "light") && !perp_xml_is(at, "camera"))
        perp_robot_missing(m->job, at, "this element");
    return 0;
}

static int read_children(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    perp_mjcf_place inside = *place;

    if (++inside.depth > PERP_ROBOT_MOST_DEPTH)
        return perp_robot_fail(m->job, at, "stands too deep in others");
    for (const perp_xml *child = at->first; child != NULL; child = child->next)
        if (perp_mjcf_read_child(m, child, &inside) != 0)
            return -1;
    return 0;
}

int perp_mjcf_read_tree(perp_mjcf *m)
{
    perp_mjcf_place place = {.body = -1, .frame = perp_pose_identity(), .suffix = ""};
    const perp_xml *at = NULL;

    while ((at = perp_xml_child(m->root, "worldbody", at)) != NULL)
        if (read_children(m, at, &place) != 0)
            return -1;
    return 0;
}
