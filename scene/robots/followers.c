/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/followers.h"

#include <math.h>

/* Less than this part of its ends is no way. */
static const double no_way = 1e-9;

/* The joint that is followed in the end: q = offset + ratio times its coordinate; -1: there is
 * none. */
static int leader_of(const perp_robot *robot, const perp_robot_equality *tie, double *ratio,
                     double *offset)
{
    int at = tie->curved ? -1 : tie->joint[1];

    *ratio = tie->ratio;
    *offset = tie->offset;
    for (int step = 0; at >= 0 && step < robot->nequalities; step++) {
        const perp_robot_equality *next = NULL;
        for (int k = 0; k < robot->nequalities && next == NULL; k++)
            if (robot->equalities[k].tie == PERP_ROBOT_COUPLE &&
                robot->equalities[k].joint[0] == at)
                next = &robot->equalities[k];
        if (next == NULL)
            return at;
        if (next->curved)
            return -1;
        *offset += *ratio * next->offset;
        *ratio *= next->ratio;
        at = next->joint[1];
    }
    return -1;
}

/* Of joints whose sum is tied, and whose limits keep it from its value: that which is farthest
 * beyond its own, until there is a way. */
static void free_tied(perp_robot *robot, const perp_robot_sum *sum)
{
    for (;;) {
        double least = 0.0, most = 0.0, farthest = -1.0, way = no_way * (1.0 + fabs(sum->low));
        perp_robot_joint *worst = NULL;
        for (int k = 0; k < sum->terms; k++) {
            perp_robot_joint *joint = &robot->joints[sum->joint[k]];
            double ends[2] = {sum->factor[k] * joint->low, sum->factor[k] * joint->high};
            double beyond = fmax(fmax(joint->low - joint->start, joint->start - joint->high), 0.0);
            if (sum->factor[k] == 0.0)
                continue;
            if (!joint->limited)
                return;
            least += fmin(ends[0], ends[1]);
            most += fmax(ends[0], ends[1]);
            if (beyond >= farthest) {
                farthest = beyond;
                worst = joint;
            }
        }
        if (worst == NULL || (least + way < sum->low && sum->low < most - way))
            return;
        worst->limited = 0;
        perp_robot_note(robot->job, worst->at,
                        "its limits and the tie '%.80s' of a tendon leave no way: left out",
                        sum->name);
    }
}

int perp_robot_free_followers(perp_robot *robot)
{
    size_t count = (size_t)robot->njoints;
    double *low = perp_robot_take(robot->job, count + 1, sizeof *low);
    double *high = perp_robot_take(robot->job, count + 1, sizeof *high);

    if (low == NULL || high == NULL)
        return -1;
    for (int j = 0; j < robot->njoints; j++) {
        low[j] = robot->joints[j].limited ? robot->joints[j].low : -INFINITY;
        high[j] = robot->joints[j].limited ? robot->joints[j].high : INFINITY;
    }
    for (int k = 0; k < robot->nequalities; k++) {
        const perp_robot_equality *tie = &robot->equalities[k];
        double ratio, offset, ends[2];
        int up = tie->tie == PERP_ROBOT_COUPLE ? leader_of(robot, tie, &ratio, &offset) : -1;
        perp_robot_joint *joint = up >= 0 ? &robot->joints[tie->joint[0]] : NULL;
        if (joint == NULL || !joint->limited || ratio == 0.0)
            continue;
        for (int i = 0; i < 2; i++)
            ends[i] = ((i == (ratio > 0.0) ? joint->high : joint->low) - offset) / ratio;
        ends[0] = fmax(ends[0], low[up]);
        ends[1] = fmin(ends[1], high[up]);
        if (ends[1] - ends[0] > no_way * (1.0 + fmax(fabs(ends[0]), fabs(ends[1])))) {
            low[up] = ends[0];
            high[up] = ends[1];
            continue;
        }
        joint->limited = 0;
        perp_robot_note(robot->job, joint->at,
                        "its limits and those of '%.80s', which it follows, leave no way: left out",
                        robot->joints[up].name);
    }
    for (int k = 0; k < robot->nsums; k++)
        if (robot->sums[k].equal && robot->sums[k].path == NULL)
            free_tied(robot, &robot->sums[k]);
    return 0;
}

void perp_robot_place_followers(perp_robot *robot)
{
    for (int k = 0; k < robot->nequalities && robot->one_robot; k++) {
        const perp_robot_equality *tie = &robot->equalities[k];
        double ratio, offset;
        int up = tie->tie == PERP_ROBOT_COUPLE ? leader_of(robot, tie, &ratio, &offset) : -1;
        perp_robot_joint *joint = up >= 0 ? &robot->joints[tie->joint[0]] : NULL;
        if (joint == NULL || (joint->start != 0.0 && !joint->placed))
            continue;
        joint->placed = 1;
        joint->start = offset + ratio * robot->joints[up].start;
    }
}
