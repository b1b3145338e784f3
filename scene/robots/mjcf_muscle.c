/* SPDX-License-Identifier: BSD-3-Clause */
/* Muscles: their curves, and what follows from the model where it says nothing: the range of their
 * lengths within the ranges of joints, and their strength by the acceleration that they give. */
#include <math.h>
#include <string.h>

#include "scene/robots/kinematics.h"
#include "scene/robots/mjcf_drive.h"

int perp_mjcf_is_muscle(const perp_mjcf_reader *r)
{
    const char *gain = perp_mjcf_get(r->at, r->from, r->tag, "gaintype");
    const char *bias = perp_mjcf_get(r->at, r->from, r->tag, "biastype");

    return perp_xml_is(r->at, "muscle") ||
           (perp_xml_is(r->at, "general") && ((gain != NULL && strcmp(gain, "muscle") == 0) ||
                                              (bias != NULL && strcmp(bias, "muscle") == 0)));
}

/* Nine of p, which has place for ten.  Of a general actuator: range, force, scale, lmin, lmax,
 * vmax, fpmax, fvmax of the gain; those of the bias, which may be none, are meant to be the same.
 */
static int read_parameters(const perp_mjcf_reader *r, double *p, int *passive)
{
    static const char *const words[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
    const char *gain = perp_mjcf_get(r->at, r->from, r->tag, "gaintype");
    const char *bias = perp_mjcf_get(r->at, r->from, r->tag, "biastype");
    double of_bias[10] = {0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2};

    memcpy(p, of_bias, sizeof of_bias);
    *passive = 1;
    if (!perp_xml_is(r->at, "general")) {
        if (perp_mjcf_exactly(r, "range", p, 2) < 0)
            return -1;
        for (int k = 0; k < 7; k++)
            if (perp_mjcf_exactly(r, words[k], p + 2 + k, 1) < 0)
                return -1;
        return 0;
    }
    if (perp_mjcf_numbers(r, "gainprm", p, 10) < 0 ||
        perp_mjcf_numbers(r, "biasprm", of_bias, 10) < 0)
        return -1;
    *passive = bias != NULL && strcmp(bias, "muscle") == 0;
    if (gain == NULL || strcmp(gain, "muscle") != 0 ||
        (!*passive && bias != NULL && strcmp(bias, "none") != 0)) {
        perp_robot_missing(r->m->job, r->at, "a muscle by its gain or its bias alone");
        return 1;
    }
    for (int k = 0; k < 9 && *passive; k++)
        if (k != 8 && of_bias[k] != p[k]) {
            perp_robot_missing(r->m->job, r->at, "a muscle whose gain and bias differ");
            return 1;
        }
    return 0;
}

/* Lengths while the joints are tried. */
typedef struct search {
    const perp_robot *robot;
    const perp_robot_sum *sum;
    perp_pose *pose;
    double *by, sign; /* of a length that is to become large */
    int climbs;       /* whether a push from where the model has its joints leads to the largest */
} search;

static double sought(const search *s)
{
    const perp_robot_sum *sum = s->sum;
    double length = 0.0;

    if (sum->path != NULL) {
        perp_robot_stand(s->pose, s->robot, s->by);
        return s->sign * sum->path_factor *
               perp_path_length(sum->path->parts, sum->path->count, (const double *)s->pose,
                                s->robot->nbodies, NULL);
    }
    for (int k = 0; k < sum->terms; k++)
        length +=
            sum->factor[k] * (s->robot->joints[sum->joint[k]].reference + s->by[sum->joint[k]]);
    return s->sign * length;
}

static double sought_at(const search *s, int j, double x)
{
    s->by[j] = x;
    return sought(s);
}

enum { PLACES = 24 };

/* From the place next to `from` up to the next peak of the row, which falls short of its largest
 * value by more than a hundredth of what it spans: 1. */
static int ends_below(const double *row, double low, double step, double from)
{
    double least = row[0], most = row[0];
    int at = step > 0.0 ? (int)fmin(fmax((from - low) / step + 0.5, 0.0), PLACES) : 0;

    for (int k = 1; k <= PLACES; k++) {
        least = fmin(least, row[k]);
        most = fmax(most, row[k]);
    }
    for (int way = -1; way <= 1; way += 2)
        while (at + way >= 0 && at + way <= PLACES && row[at + way] > row[at])
            at += way;
    return row[at] < most - 0.01 * (most - least);
}

/* The best place of one joint in s->by between two bounds: of a row of places, and by thirds around
 * it. */
static void find_best_place(search *s, int j, double low, double high)
{
    double best = s->by[j], most = sought(s), step = (high - low) / PLACES, row[PLACES + 1];
    double from = best;

    for (int k = 0; k <= PLACES; k++) {
        double x = k == PLACES ? high : low + k * step;
        row[k] = sought_at(s, j, x);
        if (row[k] > most) {
            most = row[k];
            best = x;
        }
    }
    s->climbs &= !ends_below(row, low, step, from);
    double a = fmax(best - step, low), b = fmin(best + step, high);
    for (int k = 0; k < 60; k++) {
        double x = a + 0.381966 * (b - a), y = b - 0.381966 * (b - a);
        if (sought_at(s, j, x) > sought_at(s, j, y))
            b = y;
        else
            a = x;
    }
    s->by[j] = 0.5 * (a + b);
    if (sought(s) < most)
        s->by[j] = best;
}

/* 1: the joint changes the length at all. */
static int matters(const search *s, int j)
{
    double here = s->by[j], value = sought(s), moved = sought_at(s, j, here + 0.1);

    moved = fabs(moved - value) + fabs(sought_at(s, j, here - 0.1) - value);
    s->by[j] = here;
    return moved > 1e-12 * (1.0 + fabs(value));
}

/* A ball or free joint that some parts of the path hang on and others do not. */
static const perp_robot_joint *free_of_range(const perp_robot *robot, const perp_robot_sum *sum)
{
    for (int j = 0; sum->path != NULL && j < robot->njoints; j++) {
        int held = 0, hang = 0;
        if (robot->joints[j].motion != PERP_ROBOT_BALL &&
            robot->joints[j].motion != PERP_ROBOT_FREE)
            continue;
        for (int k = 0; k < sum->path->count; k++) {
            int body = sum->path->parts[k].body;
            if (sum->path->parts[k].kind == PERP_PATH_DIVIDE)
                continue;
            while (body >= 0 && body != robot->joints[j].body)
                body = robot->bodies[body].parent;
            hang += body >= 0;
            held += body < 0;
        }
        if (hang > 0 && held > 0)
            return &robot->joints[j];
    }
    return NULL;
}

/* All joints once, as far as they change the length: 0; 1: one that has no range does. */
static int sweep_joints(search *s)
{
    const double pi = 3.14159265358979323846;

    for (int j = 0; j < s->robot->njoints; j++) {
        const perp_robot_joint *joint = &s->robot->joints[j];
        double from = joint->reference;
        int hinge = joint->motion == PERP_ROBOT_HINGE;
        if ((!hinge && joint->motion != PERP_ROBOT_SLIDE) || !matters(s, j))
            continue;
        if (!joint->limited && (!hinge || s->sum->path == NULL))
            return 1;
        find_best_place(s, j, joint->limited ? joint->low - from : -pi,
                        joint->limited ? joint->high - from : pi);
    }
    return 0;
}

/* The least and the largest length within the ranges of the joints, by one joint after the other
 * from where the model has them.  0; 1: there is none; -1. */
static int find_lengths(const perp_mjcf_reader *r, const perp_robot_sum *sum, double *range)
{
    const perp_robot *robot = r->m->robot;
    search s = {.robot = robot, .sum = sum, .climbs = 1};

    s.pose = perp_robot_take(robot->job, (size_t)robot->nbodies + 1, sizeof *s.pose);
    for (int side = 0; side < 2; side++) {
        s.by = perp_robot_take(robot->job, (size_t)robot->njoints + 1, sizeof *s.by);
        s.sign = side == 0 ? -1.0 : 1.0;
        if (s.pose == NULL || s.by == NULL)
            return -1;
        double before = -INFINITY, now = sought(&s);
        for (int sweep = 0; sweep < 30 && now > before + 1e-12 * fabs(now); sweep++) {
            int climbs = s.climbs;
            before = now;
            if (sweep_joints(&s) != 0)
                return 1;
            s.climbs = sweep == 0 ? s.climbs : climbs;
            now = sought(&s);
        }
        range[side] = s.sign * now;
    }
    if (!s.climbs)
        perp_robot_note(robot->job, r->at,
                        "lengthrange: its length has several extrema; the outermost count, %.6g to "
                        "%.6g, where a push from the pose of the model may end at others",
                        range[0], range[1]);
    return 0;
}

/* The range of the tendon that it acts along, times its gear; infinite where there is none. */
static int read_tendon_range(const perp_mjcf_reader *r, double gear, double *range)
{
    const char *name = perp_xml_get(r->at, "tendon");
    int found = name != NULL ? perp_name_index_find(&r->m->sum_index, name) : -1;
    perp_mjcf_reader of = {r->m, NULL, NULL, NULL};

    range[0] = -INFINITY;
    range[1] = INFINITY;
    if (found < 0)
        return 0;
    of.at = r->m->tendons[found].at;
    of.from = perp_mjcf_class_of(r->m, of.at, NULL);
    if (of.from == NULL || perp_mjcf_read_bound(&of, "range", "limited", range) != 0)
        return -1;
    double a = gear * range[0], b = gear * range[1];
    range[0] = fmin(a, b);
    range[1] = fmax(a, b);
    return 0;
}

static int read_lengths(const perp_mjcf_reader *r, const perp_robot_sum *sum, double gear,
                        double *range)
{
    int count = perp_mjcf_exactly(r, "lengthrange", range, 2), said = 0;
    const perp_robot_joint *loose;
    double own[2];

    if (count < 0)
        return -1;
    if (count == 0 || range[0] == range[1]) {
        if (read_tendon_range(r, gear, own) != 0)
            return -1;
        loose = free_of_range(r->m->robot, sum);
        if (loose == NULL && (said = find_lengths(r, sum, range)) < 0)
            return -1;
        if ((loose != NULL || said > 0) && !(isfinite(own[0]) && isfinite(own[1]))) {
            perp_robot_missing(r->m->job, r->at,
                               loose != NULL ? "lengthrange: a free or ball joint changes its "
                                               "length, and its tendon has no range"
                                             : "lengthrange: its joints have no range");
            return 1;
        }
        range[0] = loose != NULL || said > 0 ? own[0] : fmax(range[0], own[0]);
        range[1] = loose != NULL || said > 0 ? own[1] : fmin(range[1], own[1]);
    }
    return range[0] < range[1]
               ? 0
               : perp_robot_fail(r->m->job, r->at, "lengthrange: nothing changes its length");
}

/* The acceleration by a force of 1 along the sum, over all rates. */
static int acceleration(const perp_mjcf_reader *r, const perp_robot_sum *sum, double *size)
{
    const perp_robot *robot = r->m->robot;
    perp_pose *pose = perp_robot_take(robot->job, (size_t)robot->nbodies + 1, sizeof *pose);
    double *gradient =
        perp_robot_take(robot->job, (size_t)robot->nbodies + 1, 6 * sizeof *gradient);
    double square = 0.0;

    if (pose == NULL || gradient == NULL)
        return -1;
    perp_robot_stand(pose, robot, NULL);
    if (sum->path != NULL)
        (void)perp_path_length(sum->path->parts, sum->path->count, (const double *)pose,
                               robot->nbodies, gradient);
    if (perp_mjcf_response(r->m, sum, gradient, &square) != 0)
        return -1;
    *size = fabs(sum->path != NULL ? sum->path_factor : 1.0) * sqrt(square);
    return 0;
}

int perp_mjcf_read_muscle(const perp_mjcf_reader *r, perp_robot_sum *sum, double start,
                          double control, const double *bound)
{
    perp_robot_muscle *made = perp_robot_take(r->m->job, 1, sizeof *made);
    double p[10], range[2], within[2] = {-INFINITY, INFINITY}, size = 0.0, gear[6] = {1.0};
    int passive, said;

    if (made == NULL)
        return -1;
    said = perp_mjcf_numbers(r, "gear", gear, 6) < 0 ? -1 : read_parameters(r, p, &passive);
    if (said == 0)
        said = read_lengths(r, sum, gear[0], range);
    if (said != 0)
        return said < 0 ? -1 : 0;
    for (int k = 0; k < r->m->ntendons && p[2] < 0.0; k++)
        if (r->m->tendons[k].armature > 0.0) {
            perp_robot_missing(r->m->job, r->at, "a force by scale where a tendon has an armature");
            return 0;
        }
    if (p[2] < 0.0) {
        if (acceleration(r, sum, &size) != 0)
            return -1;
        if (!(size > 0.0) || !isfinite(size))
            return perp_robot_fail(r->m->job, r->at, "it moves nothing, so its force has no size");
        p[2] = p[3] / size;
    }
    made->muscle = (perp_muscle){
        p[2], range[0], range[1], p[0], p[1], p[4], p[5], p[6], passive ? p[7] : 0.0, p[8], 0, {0}};
    made->muscle.bounded = isfinite(bound[0]) && isfinite(bound[1]);
    for (int k = 0; k < 2 && made->muscle.bounded; k++)
        made->muscle.bound[k] = bound[k];
    if (!(p[4] < 1.0) || !(p[5] > 1.0) || !(p[6] > 0.0) || !(p[0] < p[1]) || !(p[8] >= 1.0) ||
        !(p[0] >= 0.0) || !(p[7] >= 0.0))
        return perp_robot_fail(r->m->job, r->at, "these are no curves of a muscle");
    if (perp_mjcf_activation(r, start, control, within, &made->activation) != 0)
        return -1;
    sum->muscle = made;
    return 0;
}
