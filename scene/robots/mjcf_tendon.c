/* SPDX-License-Identifier: BSD-3-Clause */
/* <tendon>: fixed ones hand forces to joints, spatial ones between two sites are strings. */
#include <math.h>
#include <string.h>

#include "scene/robots/mjcf.h"

/* The range, and what of a tendon acts; *acts: something but the range does. */
static int read_forces(const perp_mjcf_reader *r, double *range, int *limited)
{
    static const char *const words[] = {"stiffness", "damping", "frictionloss", "armature"};
    int given = perp_mjcf_exactly(r, "range", range, 2);

    if (given < 0 || perp_mjcf_limited(r, "limited", limited) != 0)
        return -1;
    if (*limited < 0)
        *limited = r->m->autolimits && given > 0;
    for (int k = 0; k < 4; k++) {
        double value[4] = {0.0};
        if (perp_mjcf_numbers(r, words[k], value, 4) < 0)
            return -1;
        if (value[0] != 0.0)
            perp_robot_missing(r->m->job, r->at, "%s of a tendon", words[k]);
    }
    return 0;
}

/* The range of a fixed tendon bounds the sum of its joints. */
static int bound_sum(const perp_mjcf_reader *r, const perp_mjcf_tendon *tendon, const double *range)
{
    perp_mjcf *m = r->m;
    perp_robot_sum *sum;

    for (int k = 0; k < tendon->count; k++)
        if (m->robot->joints[m->terms[tendon->first + k].joint].motion == PERP_ROBOT_FREE ||
            m->robot->joints[m->terms[tendon->first + k].joint].motion == PERP_ROBOT_BALL)
            return perp_robot_fail(m->job, r->at,
                                   "a free or ball joint has no coordinate of its own");
    if (tendon->count > PERP_ROBOT_TERMS) {
        perp_robot_missing(m->job, r->at, "range of a tendon of more than %d joints",
                           PERP_ROBOT_TERMS);
        return 0;
    }
    sum = PERP_ROBOT_ADD(m->robot, sums);
    if (sum == NULL)
        return -1;
    sum->name = tendon->name;
    sum->at = r->at;
    sum->terms = tendon->count;
    for (int k = 0; k < tendon->count; k++) {
        sum->joint[k] = m->terms[tendon->first + k].joint;
        sum->factor[k] = m->terms[tendon->first + k].coefficient;
    }
    sum->low = range[0];
    sum->high = range[1];
    return perp_mjcf_restitution(r, "solreflimit", &sum->e);
}

static int read_fixed(const perp_mjcf_reader *r, perp_mjcf_tendon *tendon)
{
    perp_mjcf *m = r->m;
    double range[2] = {0.0};
    int limited;

    if (read_forces(r, range, &limited) != 0)
        return -1;
    tendon->first = m->nterms;
    for (const perp_xml *at = r->at->first; at != NULL; at = at->next) {
        const char *name = perp_xml_get(at, "joint");
        perp_mjcf_reader own = {m, at, NULL, NULL};
        perp_mjcf_term *term =
            perp_robot_add(m->job, (void **)&m->terms, &m->nterms, &m->room_terms, sizeof *term);
        if (term == NULL)
            return -1;
        term->joint = name != NULL ? perp_robot_find_joint(m->robot, name) : -1;
        if (term->joint < 0)
            return perp_robot_fail(m->job, at, "there is no joint '%.80s'",
                                   name != NULL ? name : "");
        if (perp_mjcf_exactly(&own, "coef", &term->coefficient, 1) < 0)
            return -1;
        tendon->count++;
    }
    return limited && !m->no_constraints && !m->no_limits ? bound_sum(r, tendon, range) : 0;
}

static int read_spatial(const perp_mjcf_reader *r, const char *tendon)
{
    perp_mjcf *m = r->m;
    const perp_xml *end[2] = {r->at->first, NULL};
    double range[2] = {0.0};
    perp_robot_string *made;
    int limited;

    end[1] = end[0] != NULL ? end[0]->next : NULL;
    if (end[1] == NULL || end[1]->next != NULL || !perp_xml_is(end[0], "site") ||
        !perp_xml_is(end[1], "site")) {
        perp_robot_missing(m->job, r->at, "a tendon that is no straight line between two sites");
        return 0;
    }
    if (read_forces(r, range, &limited) != 0)
        return -1;
    if (!limited || m->no_constraints || m->no_limits)
        return 0;
    made = PERP_ROBOT_ADD(m->robot, strings);
    if (made == NULL)
        return -1;
    made->name = tendon;
    made->at = r->at;
    made->low = range[0];
    made->high = range[1];
    for (int k = 0; k < 2; k++) {
        const char *name = perp_xml_get(end[k], "site");
        const perp_robot_site *site = name != NULL ? perp_robot_find_site(m->robot, name) : NULL;
        if (site == NULL)
            return perp_robot_fail(m->job, end[k], "there is no site '%.80s'",
                                   name != NULL ? name : "");
        made->body[k] = site->body;
        memcpy(made->place[k], site->pose.p, sizeof made->place[k]);
    }
    return perp_mjcf_restitution(r, "solreflimit", &made->e);
}

static int read_one(perp_mjcf *m, const perp_xml *at)
{
    perp_mjcf_reader r = {m, at, perp_mjcf_class_of(m, at, NULL), "tendon"};
    perp_mjcf_tendon *tendon;
    int spatial = perp_xml_is(at, "spatial");

    if (!spatial && !perp_xml_is(at, "fixed")) {
        perp_robot_missing(m->job, at, "this tendon");
        return 0;
    }
    if (r.from == NULL ||
        perp_mjcf_check(m, at, "name class range limited stiffness damping frictionloss armature",
                        "group width material rgba user margin springlength actuatorfrcrange "
                        "actuatorfrclimited") != 0)
        return -1;
    tendon = perp_robot_add(m->job, (void **)&m->tendons, &m->ntendons, &m->room_tendons,
                            sizeof *tendon);
    if (tendon == NULL ||
        (tendon->name = perp_mjcf_name(m, at, "", "tendon", m->ntendons)) == NULL ||
        perp_name_index_put(&m->sum_index, m->job, tendon->name, m->ntendons - 1) != 0)
        return -1;
    return spatial ? read_spatial(&r, tendon->name) : read_fixed(&r, tendon);
}

int perp_mjcf_read_tendons(perp_mjcf *m)
{
    const perp_xml *section = NULL;

    while ((section = perp_xml_child(m->root, "tendon", section)) != NULL)
        for (const perp_xml *at = section->first; at != NULL; at = at->next)
            if (read_one(m, at) != 0)
                return -1;
    return 0;
}
