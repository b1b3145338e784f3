/* SPDX-License-Identifier: BSD-3-Clause */
/* What an actuator moves: joints, tendons, sites, the slider of a crank, and sites by the place
 * that they have in the frame of another one.  The last two are lengths, as those of spatial
 * tendons. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/mjcf.h"

static const perp_robot_site *site_of(const perp_mjcf_reader *r, const char *attribute)
{
    const char *name = perp_xml_get(r->at, attribute);
    const perp_robot_site *site = name != NULL ? perp_robot_find_site(r->m->robot, name) : NULL;

    if (site == NULL)
        perp_robot_fail(r->m->job, r->at, "%s: there is no site '%.80s'", attribute,
                        name != NULL ? name : "");
    return site;
}

/* A tendon from an axis (the z of `turn` in the frame of a site) to another site. */
static perp_mjcf_tendon *lay(const perp_mjcf_reader *r, perp_path_kind kind,
                             const perp_robot_site *from, const double *turn, double rod,
                             const perp_robot_site *to)
{
    perp_mjcf *m = r->m;
    perp_robot_path *path = perp_robot_take(m->job, 1, sizeof *path);
    perp_path_part *parts = perp_robot_take(m->job, 2, sizeof *parts);
    perp_mjcf_tendon *made = perp_robot_add(m->job, (void **)&m->tendons, &m->ntendons,
                                            &m->tendons_capacity, sizeof *made);
    perp_pose turned = perp_pose_identity();

    if (path == NULL || parts == NULL || made == NULL)
        return NULL;
    memcpy(turned.q, turn, sizeof turned.q);
    turned = perp_pose_product(&from->pose, &turned);
    parts[0].kind = kind;
    parts[0].body = from->body;
    parts[0].radius = rod;
    memcpy(parts[0].place, turned.p, sizeof turned.p);
    memcpy(parts[0].turn, turned.q, sizeof turned.q);
    parts[1].kind = PERP_PATH_POINT;
    parts[1].body = to->body;
    parts[1].turn[0] = 1.0;
    memcpy(parts[1].place, to->pose.p, sizeof parts[1].place);
    path->parts = parts;
    path->count = 2;
    made->at = r->at;
    made->path = path;
    made->rest = made->longest = -1.0;
    made->most[0] = -INFINITY;
    made->most[1] = INFINITY;
    made->name = perp_mjcf_name(m, r->at, "", "line", m->ntendons);
    return made->name != NULL ? made : NULL;
}

static int read_crank(const perp_mjcf_reader *r, perp_mjcf_target *to)
{
    static const double as_it_is[4] = {1.0, 0.0, 0.0, 0.0};
    const perp_robot_site *crank = site_of(r, "cranksite"), *slider = site_of(r, "slidersite");
    double rod = 0.0;

    if (crank == NULL || slider == NULL || perp_mjcf_exactly(r, "cranklength", &rod, 1) < 0)
        return -1;
    if (!(rod > 0.0))
        return perp_robot_fail(r->m->job, r->at, "cranklength: a positive number is expected");
    to->tendon = lay(r, PERP_PATH_ROD, slider, as_it_is, rod, crank);
    return to->tendon != NULL ? 0 : -1;
}

/* Whether the body of the second site, or what it is fixed to, stands or carries that of the first
 * one: the way that the first one has in its frame is then the one that the forces do work along.
 */
static int carries(const perp_robot *robot, int body, int other)
{
    int still = body;

    while (still >= 0 && robot->bodies[still].joints == 0)
        still = robot->bodies[still].parent;
    for (; other >= 0 && other != still; other = robot->bodies[other].parent)
        ;
    return still < 0 || other == still;
}

static int read_place(const perp_mjcf_reader *r, perp_mjcf_target *to)
{
    const perp_robot_site *site = to->site, *of = site_of(r, "refsite");
    double gear[6] = {1.0}, turn[4] = {1.0, 0.0, 0.0, 0.0};

    if (of == NULL || perp_mjcf_numbers(r, "gear", gear, 6) < 0)
        return -1;
    if (gear[3] != 0.0 || gear[4] != 0.0 || gear[5] != 0.0) {
        to->turns_in = of;
        if (gear[0] == 0.0 && gear[1] == 0.0 && gear[2] == 0.0)
            return 0;
        perp_robot_missing(r->m->job, r->at, "a way and a turn in the frame of a refsite at once");
        return 1;
    }
    if (!carries(r->m->robot, of->body, site->body)) {
        perp_robot_missing(r->m->job, r->at,
                           "a refsite of a body that moves and does not carry the site");
        return 1;
    }
    to->gear = sqrt(perp_dot3(gear, gear));
    if (!(to->gear > 0.0))
        return 1;
    perp_turn_from_z(turn, gear);
    to->tendon = lay(r, PERP_PATH_AXIS, of, turn, 0.0, site);
    to->site = NULL;
    return to->tendon != NULL ? 0 : -1;
}

int perp_mjcf_target_of(const perp_mjcf_reader *r, perp_mjcf_target *to)
{
    perp_mjcf *m = r->m;
    const char *joint = perp_xml_get(r->at, "joint"), *tendon = perp_xml_get(r->at, "tendon");
    const char *site = perp_xml_get(r->at, "site");
    int found;

    memset(to, 0, sizeof *to);
    joint = joint != NULL ? joint : perp_xml_get(r->at, "jointinparent");
    if (perp_xml_get(r->at, "cranksite") != NULL || perp_xml_get(r->at, "slidersite") != NULL)
        return read_crank(r, to);
    if (perp_xml_get(r->at, "body") != NULL) {
        perp_robot_missing(m->job, r->at, "an actuator of a body");
        return 1;
    }
    if (joint != NULL && (found = perp_robot_find_joint(m->robot, joint)) < 0)
        return perp_robot_fail(m->job, r->at, "there is no joint '%.80s'", joint);
    else if (joint != NULL)
        to->joint = &m->robot->joints[found];
    if (joint == NULL && tendon != NULL &&
        (found = perp_name_index_find(&m->sum_index, tendon)) >= 0)
        to->tendon = &m->tendons[found];
    if (joint == NULL && to->tendon == NULL && site != NULL)
        to->site = perp_robot_find_site(m->robot, site);
    if (to->joint == NULL && to->tendon == NULL && to->site == NULL)
        return perp_robot_fail(m->job, r->at, "it moves nothing that is there");
    return to->site != NULL && perp_xml_get(r->at, "refsite") != NULL ? read_place(r, to) : 0;
}

/* The damper of an actuator, gear^2 (c0 + c1 |u| + c2 u^2) with u the rate of what it moves, as in
 * MuJoCo, to that of a joint or tendon. */
static void add_damper(double *line, double *more, const double *damping, double gear)
{
    *line += gear * gear * damping[0];
    more[0] += gear * gear * damping[1];
    more[1] += gear * gear * damping[2];
}

static int damp(const perp_mjcf_reader *r, const char *joint, const char *tendon,
                const double *damping, double armature, double gear)
{
    int found = joint != NULL ? perp_robot_find_joint(r->m->robot, joint) : -1;
    int bent = damping[1] != 0.0 || damping[2] != 0.0;

    if (found >= 0) {
        perp_robot_joint *of = &r->m->robot->joints[found];
        if (bent && ((of->motion != PERP_ROBOT_HINGE && of->motion != PERP_ROBOT_SLIDE) ||
                     of->response[0] != 0.0))
            perp_robot_missing(r->m->job, r->at, "damping that is no line %s",
                               of->response[0] != 0.0 ? "beside a springdamper"
                                                      : "of a free or ball joint");
        else
            add_damper(&of->damping, of->brake, damping, gear);
    } else if (tendon != NULL && (found = perp_name_index_find(&r->m->sum_index, tendon)) >= 0) {
        perp_mjcf_tendon *of = &r->m->tendons[found];
        of->armature += armature;
        add_damper(&of->servo_damping, of->brake, damping, gear);
    } else {
        perp_robot_missing(r->m->job, r->at, "armature or damping of an actuator of sites");
    }
    return 0;
}

static int reflect_one(const perp_mjcf_reader *r, int early)
{
    const char *joint = perp_xml_get(r->at, "joint"), *tendon = perp_xml_get(r->at, "tendon");
    double gear[6] = {1.0}, armature = 0.0, damping[3] = {0.0};
    int found = -1;

    if (perp_mjcf_exactly(r, "armature", &armature, 1) < 0 ||
        perp_mjcf_numbers(r, "damping", damping, 3) < 0 ||
        perp_mjcf_numbers(r, "gear", gear, 6) < 0)
        return -1;
    if (armature < 0.0 || damping[0] < 0.0 || damping[1] < 0.0 || damping[2] < 0.0)
        return perp_robot_fail(r->m->job, r->at, "an armature or damping less than 0");
    armature *= gear[0] * gear[0];
    for (int k = 0; k < 3; k++)
        damping[k] = r->m->no_dampers || gear[0] == 0.0 ? 0.0 : damping[k];
    if (!(armature + damping[0] + damping[1] + damping[2] > 0.0))
        return 0;
    joint = joint != NULL ? joint : perp_xml_get(r->at, "jointinparent");
    if (!early)
        return damp(r, joint, tendon, damping, armature, gear[0]);
    if (joint != NULL && (found = perp_robot_find_joint(r->m->robot, joint)) >= 0)
        r->m->robot->joints[found].armature += armature;
    return 0;
}

int perp_mjcf_reflect(perp_mjcf *m, int early)
{
    for (int k = 0; k < m->nactuators; k++) {
        perp_mjcf_reader r = {m, m->actuators[k].at, NULL, NULL};
        r.from = perp_mjcf_class_of(m, r.at, NULL);
        if (r.from == NULL || (m->actuators[k].done && reflect_one(&r, early) != 0))
            return -1;
    }
    return 0;
}
