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
