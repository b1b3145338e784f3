/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of spatial tendons: sites, spheres and cylinders that they go around, pulleys. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/kinematics.h"
#include "scene/robots/mjcf.h"

static const perp_robot_site *site_of(perp_mjcf *m, const perp_xml *at, const char *attribute)
{
    const char *name = perp_xml_get(at, attribute);
    const perp_robot_site *site = name != NULL ? perp_robot_find_site(m->robot, name) : NULL;

    if (site == NULL)
        perp_robot_fail(m->job, at, "there is no site '%.80s'", name != NULL ? name : "");
    return site;
}

/* The site that says on which side the path goes around. */
static int read_side(perp_mjcf *m, perp_path_part *part, const perp_xml *at)
{
    const perp_robot_site *site = site_of(m, at, "sidesite");
    double arm[3];

    if (site == NULL)
        return -1;
    part->has_side = 1;
    if (site->body != part->body) {
        part->side_apart = 1;
        part->side_body = site->body;
        memcpy(part->side, site->pose.p, sizeof part->side);
        return 0;
    }
    for (int i = 0; i < 3; i++)
        arm[i] = site->pose.p[i] - part->place[i];
    perp_quaternion_rotate_back(part->turn, arm, part->side);
    return 0;
}

static int read_geom(perp_mjcf *m, perp_path_part *part, const perp_xml *at)
{
    const char *name = perp_xml_get(at, "geom");
    int found = name != NULL ? perp_robot_find_geom(m->robot, name) : -1;
    const perp_robot_geom *geom = found >= 0 ? &m->robot->geoms[found] : NULL;

    if (geom == NULL)
        return perp_robot_fail(m->job, at, "there is no geom '%.80s'", name != NULL ? name : "");
    if (geom->form != PERP_ROBOT_SPHERE && geom->form != PERP_ROBOT_CYLINDER)
        return perp_robot_fail(m->job, at, "'%.80s' is neither a sphere nor a cylinder", name);
    part->kind = geom->form == PERP_ROBOT_SPHERE ? PERP_PATH_SPHERE : PERP_PATH_CYLINDER;
    part->body = geom->body;
    part->radius = geom->size[0];
    memcpy(part->place, geom->pose.p, sizeof part->place);
    memcpy(part->turn, geom->pose.q, sizeof part->turn);
    return perp_xml_get(at, "sidesite") != NULL ? read_side(m, part, at) : 0;
}

static int read_part(perp_mjcf *m, perp_path_part *part, const perp_xml *at)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    const perp_robot_site *site;

    part->body = -1;
    part->turn[0] = 1.0;
    perp_mjcf_check(&r, "site geom sidesite divisor", "");
    if (perp_xml_is(at, "geom"))
        return read_geom(m, part, at);
    if (perp_xml_is(at, "pulley")) {
        part->kind = PERP_PATH_DIVIDE;
        if (perp_mjcf_exactly(&r, "divisor", &part->divisor, 1) < 0)
            return -1;
        return part->divisor > 0.0 ? 0 : perp_robot_fail(m->job, at, "its divisor is not positive");
    }
    if (!perp_xml_is(at, "site"))
        return perp_robot_fail(m->job, at, "this is no part of a path");
    site = site_of(m, at, "site");
    if (site == NULL)
        return -1;
    part->kind = PERP_PATH_POINT;
    part->body = site->body;
    memcpy(part->place, site->pose.p, sizeof part->place);
    return 0;
}

/* Each branch has two points at least, and what it goes around stands between two of them. */
static int check_order(perp_mjcf *m, const perp_xml *at, const perp_robot_path *path)
{
    int before = PERP_PATH_DIVIDE;

    for (int k = 0; k <= path->count; k++) {
        int kind = k < path->count ? (int)path->parts[k].kind : PERP_PATH_DIVIDE;
        int two_back = k >= 2 ? (int)path->parts[k - 2].kind : PERP_PATH_DIVIDE;
        if (kind != PERP_PATH_POINT && before != PERP_PATH_POINT)
            return perp_robot_fail(m->job, at,
                                   "a site is expected before and behind each geom, "
                                   "and at the ends of each branch");
        if (kind == PERP_PATH_DIVIDE && two_back == PERP_PATH_DIVIDE)
            return perp_robot_fail(m->job, at, "a branch of one site");
        before = kind;
    }
    return 0;
}

int perp_mjcf_read_path(perp_mjcf *m, const perp_xml *at, perp_mjcf_tendon *tendon)
{
    perp_robot_path *path = perp_robot_take(m->job, 1, sizeof *path);
    int count = 0;

    for (const perp_xml *child = at->first; child != NULL; child = child->next)
        count++;
    if (path == NULL ||
        (path->parts = perp_robot_take(m->job, (size_t)count + 1, sizeof *path->parts)) == NULL)
        return -1;
    for (const perp_xml *child = at->first; child != NULL; child = child->next)
        if (read_part(m, &path->parts[path->count++], child) != 0)
            return -1;
    if (check_order(m, at, path) != 0)
        return -1;
    tendon->path = path;
    return 0;
}

double perp_mjcf_path_length(const perp_mjcf *m, const perp_robot_path *path, int at_rest)
{
    const perp_robot *robot = m->robot;
    perp_pose *pose = perp_robot_take(m->job, (size_t)robot->nbodies + 1, sizeof *pose);
    double *by = perp_robot_take(m->job, (size_t)robot->njoints + 1, sizeof *by);

    if (pose == NULL || by == NULL)
        return -1.0;
    for (int j = 0; j < robot->njoints && at_rest; j++)
        by[j] = robot->joints[j].rest - robot->joints[j].reference;
    perp_robot_stand(pose, robot, by);
    return perp_path_length(path->parts, path->count, (const double *)pose, robot->nbodies, NULL);
}

int perp_mjcf_add_path(perp_mjcf *m, perp_robot_sum *sum, const perp_robot_path *path,
                       double factor)
{
    const perp_robot_path *old = sum->path;
    perp_robot_path *both;
    double part;

    if (sum->terms > 0) {
        perp_robot_missing(m->job, sum->at, "a fixed and a spatial tendon in one sum");
        return 0;
    }
    if (factor == 0.0)
        return 0;
    if (old == NULL) {
        sum->path = path;
        sum->path_factor = factor;
        return 0;
    }
    /* One path more is a branch whose length counts as much as its factor says. */
    both = perp_robot_take(m->job, 1, sizeof *both);
    if (both == NULL ||
        (both->parts = perp_robot_take(m->job, (size_t)(old->count + path->count + 1),
                                       sizeof *both->parts)) == NULL)
        return -1;
    part = sum->path_factor / factor;
    memcpy(both->parts, old->parts, (size_t)old->count * sizeof *both->parts);
    both->parts[old->count].kind = PERP_PATH_DIVIDE;
    both->parts[old->count].divisor = part;
    memcpy(both->parts + old->count + 1, path->parts, (size_t)path->count * sizeof *both->parts);
    both->count = old->count + 1 + path->count;
    for (int k = old->count + 1; k < both->count; k++)
        if (both->parts[k].kind == PERP_PATH_DIVIDE)
            both->parts[k].divisor *= part;
    sum->path = both;
    return 0;
}
