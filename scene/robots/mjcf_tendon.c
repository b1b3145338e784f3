/* SPDX-License-Identifier: BSD-3-Clause */
/* <tendon>: fixed ones are sums of joints, spatial ones lengths of paths; straight ones with a
 * spring or a range alone are strings. */
#include <math.h>
#include <string.h>

#include "scene/robots/mjcf.h"

static int read_range(const perp_mjcf_reader *r, double *range, int *limited)
{
    int given = perp_mjcf_exactly(r, "range", range, 2);

    if (given < 0 || perp_mjcf_limited(r, "limited", limited) != 0)
        return -1;
    if (*limited < 0)
        *limited = perp_mjcf_settings_of(r->m, r->at)->autolimits && given > 0;
    return 0;
}

/* What acts along a tendon. */
static int read_forces(const perp_mjcf_reader *r, perp_mjcf_tendon *tendon)
{
    static const char *const words[] = {"frictionloss", "armature"};
    double value[2] = {0.0, 0.0}, rest[2] = {-1.0, -1.0};
    int count = perp_mjcf_numbers(r, "springlength", rest, 2);

    if (count < 0)
        return -1;
    if (perp_mjcf_read_line(r, "stiffness", &tendon->stiffness, tendon->bend) != 0 ||
        perp_mjcf_read_line(r, "damping", &tendon->damping, tendon->brake) != 0)
        return -1;
    for (int k = 0; k < 2; k++) {
        if (perp_mjcf_exactly(r, words[k], &value[k], 1) < 0)
            return -1;
        if (value[k] < 0.0)
            return perp_robot_fail(r->m->job, r->at, "%s: less than 0", words[k]);
    }
    if (count == 2 && rest[0] > rest[1])
        return perp_robot_fail(r->m->job, r->at, "springlength: %g is less than %g", rest[1],
                               rest[0]);
    tendon->rest = rest[0];
    tendon->longest = count == 2 ? rest[1] : rest[0];
    tendon->friction = value[0];
    tendon->armature = value[1];
    if (r->m->no_springs)
        tendon->stiffness = tendon->bend[0] = tendon->bend[1] = 0.0;
    if (r->m->no_dampers)
        tendon->damping = tendon->brake[0] = tendon->brake[1] = 0.0;
    if (tendon->longest > tendon->rest && (tendon->bend[0] != 0.0 || tendon->bend[1] != 0.0)) {
        perp_robot_missing(r->m->job, r->at, "stiffness that is no line, of a tendon with slack");
        tendon->bend[0] = tendon->bend[1] = 0.0;
    }
    return 0;
}

/* A joint of the sum once more, or for the first time. */
static int add_term(perp_mjcf *m, perp_robot_sum *sum, int joint, double factor)
{
    perp_robot_motion motion = m->robot->joints[joint].motion;
    int k = 0;

    if (motion == PERP_ROBOT_FREE || motion == PERP_ROBOT_BALL)
        return perp_robot_fail(m->job, sum->at,
                               "a free or ball joint has no coordinate of its own");
    while (k < sum->terms && sum->joint[k] != joint)
        k++;
    if (k == PERP_ROBOT_TERMS) {
        perp_robot_missing(m->job, sum->at, "a tendon of more than %d joints", PERP_ROBOT_TERMS);
        return 0;
    }
    sum->terms += k == sum->terms;
    sum->joint[k] = joint;
    sum->factor[k] += factor;
    return 0;
}

static int add_tendon(perp_mjcf *m, perp_robot_sum *sum, const perp_mjcf_tendon *tendon,
                      double factor)
{
    if (tendon->path != NULL)
        return perp_mjcf_add_path(m, sum, tendon->path, factor);
    for (int k = 0; k < tendon->count; k++) {
        const perp_mjcf_term *term = &m->terms[tendon->first + k];
        if (term->coefficient != 0.0 &&
            add_term(m, sum, term->joint, factor * term->coefficient) != 0)
            return -1;
    }
    return 0;
}

static perp_robot_sum *new_sum(perp_mjcf *m, const char *name, const perp_xml *at)
{
    perp_robot_sum *sum = PERP_ROBOT_ADD(m->robot, sums);

    if (sum == NULL)
        return NULL;
    sum->name = name;
    sum->at = at;
    sum->low = -INFINITY;
    sum->high = INFINITY;
    return sum;
}

/* The range of a tendon bounds its sum. */
static int bound_sum(const perp_mjcf_reader *r, const perp_mjcf_tendon *tendon, const double *range)
{
    perp_robot_sum *sum = new_sum(r->m, tendon->name, r->at);

    if (sum == NULL || add_tendon(r->m, sum, tendon, 1.0) != 0)
        return -1;
    sum->low = tendon->path != NULL && range[0] <= 0.0 ? -INFINITY : range[0];
    sum->high = range[1];
    return perp_mjcf_restitution(r, "solreflimit", &sum->e);
}

/* The length where the model has its joints, or with every joint at its springref. */
static double length_of(const perp_mjcf *m, const perp_mjcf_tendon *tendon, int at_rest)
{
    double length = 0.0;

    if (tendon->path != NULL)
        return perp_mjcf_path_length(m, tendon->path, at_rest);
    for (int k = 0; k < tendon->count; k++) {
        const perp_mjcf_term *term = &m->terms[tendon->first + k];
        const perp_robot_joint *joint = &m->robot->joints[term->joint];
        length += term->coefficient * (at_rest ? joint->rest : joint->reference);
    }
    return length;
}

perp_robot_sum *perp_mjcf_sum_of(perp_mjcf *m, const perp_mjcf_tendon *t,
                                 const perp_robot_joint *joint, double factor, const char *name,
                                 const perp_xml *at)
{
    perp_robot_sum *sum = new_sum(m, name, at);

    if (sum == NULL || (t != NULL && add_tendon(m, sum, t, factor) != 0) ||
        (t == NULL && add_term(m, sum, (int)(joint - m->robot->joints), factor) != 0))
        return NULL;
    return sum;
}

perp_robot_sum *perp_mjcf_drive_of(perp_mjcf *m, const perp_mjcf_tendon *t,
                                   const perp_robot_joint *joint, double factor, const char *name,
                                   const perp_xml *at)
{
    perp_robot_sum *sum = perp_mjcf_sum_of(m, t, joint, factor, name, at);

    if (sum == NULL)
        return NULL;
    sum->drives = 1;
    sum->most[0] = -INFINITY;
    sum->most[1] = INFINITY;
    return sum;
}

/* springlength -1, which is that of the model where nothing else says it: at rest where joints have
 * their springref.  Other lengths below 0 are those of sums. */
static int rests_by_itself(const perp_mjcf_tendon *t)
{
    return t->rest == -1.0 && t->longest == -1.0;
}

/* A spring that rests between two lengths: one that only pulls beyond the longer one, and one that
 * only pushes below the shorter one. */
static int slacken(perp_mjcf *m, const perp_mjcf_tendon *t)
{
    for (int k = 0; k < 2; k++) {
        const char *name = perp_robot_text(m->job, "%s-%s", t->name, k == 0 ? "long" : "short");
        perp_robot_sum *sum =
            name != NULL ? perp_mjcf_drive_of(m, t, NULL, 1.0, name, t->at) : NULL;
        if (sum == NULL)
            return -1;
        sum->drive_stiffness = t->stiffness;
        sum->target = k == 0 ? t->longest : t->rest;
        sum->most[1 - k] = 0.0;
    }
    return 0;
}

static int is_bent(const perp_mjcf_tendon *t)
{
    return t->bend[0] != 0.0 || t->bend[1] != 0.0 || t->brake[0] != 0.0 || t->brake[1] != 0.0;
}

static int is_loaded(const perp_mjcf_tendon *t)
{
    return (t->count > 0 || t->path != NULL) &&
           (t->stiffness > 0.0 || t->damping > 0.0 || t->armature > 0.0 || t->friction > 0.0 ||
            t->servo_stiffness > 0.0 || t->servo_damping > 0.0 || t->load != 0.0 || is_bent(t));
}

int perp_mjcf_apply_tendons(perp_mjcf *m)
{
    for (int k = 0; k < m->ntendons; k++) {
        perp_mjcf_tendon *t = &m->tendons[k];
        perp_robot_sum *sum;
        if (t->is_string)
            t->stiffness = t->damping = 0.0;
        if (!is_loaded(t))
            continue;
        for (int j = 0; j < m->robot->njoints && t->armature > 0.0; j++)
            if (m->robot->joints[j].response[0] > 0.0 && m->robot->joints[j].response[1] > 0.0)
                perp_robot_missing(m->job, m->robot->joints[j].at,
                                   "springdamper where a tendon has an armature");
        sum = new_sum(m, t->name, t->at);
        if (sum == NULL || add_tendon(m, sum, t, 1.0) != 0)
            return -1;
        int ranged = t->longest > t->rest;
        sum->stiffness = (ranged ? 0.0 : t->stiffness) + t->servo_stiffness;
        sum->damping = t->damping + t->servo_damping;
        sum->armature = t->armature;
        sum->friction = m->no_constraints || m->no_friction ? 0.0 : t->friction;
        sum->load = t->load;
        sum->rest = rests_by_itself(t) ? length_of(m, t, 1) : t->rest;
        memcpy(sum->bend, t->bend, sizeof sum->bend);
        memcpy(sum->brake, t->brake, sizeof sum->brake);
        if (!ranged)
            sum->load += t->stiffness * sum->rest;
        else if (t->stiffness > 0.0 && slacken(m, t) != 0)
            return -1;
    }
    return 0;
}

/* L1 - L1(model) = a0 + a1 (L2 - L2(model)). */
int perp_mjcf_tie_tendons(perp_mjcf *m, const perp_xml *at)
{
    static const char *const words[] = {"tendon1", "tendon2"};
    perp_mjcf_reader r = {m, at, NULL, NULL};
    double poly[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    const char *name = perp_mjcf_name(m, at, "", "tendon-tie", m->robot->nsums + 1);
    perp_robot_sum *sum;

    perp_mjcf_check(&r, "name class active tendon1 tendon2 polycoef", "");
    if (perp_mjcf_numbers(&r, "polycoef", poly, 5) < 0 || name == NULL ||
        (sum = new_sum(m, name, at)) == NULL)
        return -1;
    if (poly[2] != 0.0 || poly[3] != 0.0 || poly[4] != 0.0)
        perp_robot_missing(m->job, at, "polycoef beyond a line");
    sum->equal = 1;
    sum->low = poly[0];
    for (int k = 0; k < 2; k++) {
        const char *wanted = perp_xml_get(at, words[k]);
        int found = wanted != NULL ? perp_name_index_find(&m->sum_index, wanted) : -1;
        double factor = k == 0 ? 1.0 : -poly[1];
        if (wanted == NULL && k == 1)
            break;
        if (found < 0)
            return perp_robot_fail(m->job, at, "there is no tendon '%.80s'",
                                   wanted != NULL ? wanted : "");
        if (add_tendon(m, sum, &m->tendons[found], factor) != 0)
            return -1;
        sum->low += factor * length_of(m, &m->tendons[found], 0);
    }
    return 0;
}

static int read_fixed(const perp_mjcf_reader *r, perp_mjcf_tendon *tendon)
{
    perp_mjcf *m = r->m;
    double range[2] = {0.0};
    int limited;

    if (read_range(r, range, &limited) != 0 || read_forces(r, tendon) != 0)
        return -1;
    tendon->first = m->nterms;
    for (const perp_xml *at = r->at->first; at != NULL; at = at->next) {
        const char *name = perp_xml_get(at, "joint");
        perp_mjcf_reader own = {m, at, NULL, NULL};
        if (!perp_xml_is(at, "joint")) {
            perp_robot_missing(m->job, at, "this part of a tendon");
            continue;
        }
        perp_mjcf_check(&own, "joint coef", "");
        perp_mjcf_term *term = perp_robot_add(m->job, (void **)&m->terms, &m->nterms,
                                              &m->terms_capacity, sizeof *term);
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

/* A straight one: a string where it has a range, and a spring. */
static int make_string(const perp_mjcf_reader *r, perp_mjcf_tendon *tendon, const double *range)
{
    const perp_path_part *end = tendon->path->parts;
    perp_robot_string *made;

    tendon->is_string = 1;
    if (range == NULL && tendon->stiffness == 0.0 && tendon->damping == 0.0)
        return 0;
    made = PERP_ROBOT_ADD(r->m->robot, strings);
    if (made == NULL)
        return -1;
    made->name = tendon->name;
    made->at = r->at;
    made->low = range != NULL ? range[0] : 0.0;
    made->high = range != NULL ? range[1] : INFINITY;
    made->stiffness = tendon->stiffness;
    made->damping = tendon->damping;
    for (int k = 0; k < 2; k++) {
        made->body[k] = end[k].body;
        memcpy(made->place[k], end[k].place, sizeof made->place[k]);
    }
    made->rest = rests_by_itself(tendon) ? length_of(r->m, tendon, 1) : tendon->rest;
    made->longest = rests_by_itself(tendon) ? made->rest : tendon->longest;
    return perp_mjcf_restitution(r, "solreflimit", &made->e);
}

static int read_spatial(const perp_mjcf_reader *r, perp_mjcf_tendon *tendon)
{
    perp_mjcf *m = r->m;
    double range[2] = {0.0};
    int limited;

    if (read_range(r, range, &limited) != 0 || read_forces(r, tendon) != 0 ||
        perp_mjcf_read_path(m, r->at, tendon) != 0)
        return -1;
    if (tendon->path == NULL)
        return 0;
    limited = limited && !m->no_constraints && !m->no_limits;
    if (tendon->path->count == 2 && !is_bent(tendon))
        return make_string(r, tendon, limited ? range : NULL);
    return limited ? bound_sum(r, tendon, range) : 0;
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
    if (r.from == NULL)
        return -1;
    perp_mjcf_check(&r,
                    "name class range limited stiffness damping frictionloss armature springlength "
                    "actuatorfrcrange actuatorfrclimited",
                    "group width material rgba user");
    tendon = perp_robot_add(m->job, (void **)&m->tendons, &m->ntendons, &m->tendons_capacity,
                            sizeof *tendon);
    if (tendon != NULL)
        tendon->at = at;
    if (tendon == NULL ||
        (tendon->name = perp_mjcf_name(m, at, "", "tendon", m->ntendons)) == NULL ||
        perp_name_index_put(&m->sum_index, m->job, tendon->name, m->ntendons - 1) != 0 ||
        perp_mjcf_read_most(&r, tendon->most) != 0)
        return -1;
    return spatial ? read_spatial(&r, tendon) : read_fixed(&r, tendon);
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
