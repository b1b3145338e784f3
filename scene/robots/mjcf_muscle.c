/* SPDX-License-Identifier: BSD-3-Clause */
/* Muscles: their curves, and what follows from the model where it says nothing: the range of their
 * lengths within the ranges of joints, and their strength by the acceleration that they give. */
#include <math.h>
#include <string.h>

#include "scene/robots/kinematics.h"
#include "scene/robots/mjcf.h"

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

/* The best place of one joint in s->by between two bounds: of a row of places, and by thirds around
 * it. */
static void find_best_place(const search *s, int j, double low, double high)
{
    enum { PLACES = 24 };
    double best = s->by[j], most = sought(s), step = (high - low) / PLACES;

    for (int k = 0; k <= PLACES; k++) {
        double x = k == PLACES ? high : low + k * step, value = sought_at(s, j, x);
        if (value > most) {
            most = value;
            best = x;
        }
    }
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

/* The least and the largest length within the ranges of the joints, by one joint after the other
 * from where the model has them. */
static int find_lengths(const perp_mjcf_reader *r, const perp_robot_sum *sum, double *range)
{
    const perp_robot *robot = r->m->robot;
    search s = {.robot = robot, .sum = sum};

    s.pose = perp_robot_take(robot->job, (size_t)robot->nbodies + 1, sizeof *s.pose);
    for (int side = 0; side < 2; side++) {
        s.by = perp_robot_take(robot->job, (size_t)robot->njoints + 1, sizeof *s.by);
        s.sign = side == 0 ? -1.0 : 1.0;
        if (s.pose == NULL || s.by == NULL)
            return -1;
        double before = -INFINITY, now = sought(&s);
        for (int sweep = 0; sweep < 30 && now > before + 1e-12 * fabs(now); sweep++) {
            before = now;
            for (int j = 0; j < robot->njoints; j++) {
                const perp_robot_joint *joint = &robot->joints[j];
                double from = joint->reference, pi = 3.14159265358979323846;
                int hinge = joint->motion == PERP_ROBOT_HINGE;
                if ((!hinge && joint->motion != PERP_ROBOT_SLIDE) || !matters(&s, j))
                    continue;
                if (!joint->limited && (!hinge || sum->path == NULL)) {
                    perp_robot_missing(robot->job, r->at, "lengthrange: its joints have no range");
                    return 1;
                }
                find_best_place(&s, j, joint->limited ? joint->low - from : -pi,
                                joint->limited ? joint->high - from : pi);
            }
            now = sought(&s);
        }
        range[side] = s.sign * now;
    }
    return 0;
}

static int read_lengths(const perp_mjcf_reader *r, const perp_robot_sum *sum, double *range)
{
    int count = perp_mjcf_exactly(r, "lengthrange", range, 2);

    if (count < 0)
        return -1;
    if (count == 0 || range[0] == range[1]) {
        int said = find_lengths(r, sum, range);
        if (said != 0)
            return said;
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
    double p[10], range[2], within[2] = {-INFINITY, INFINITY}, size = 0.0;
    int passive, said;

    if (made == NULL)
        return -1;
    said = read_parameters(r, p, &passive);
    if (said == 0)
        said = read_lengths(r, sum, range);
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
