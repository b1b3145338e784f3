/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/kinematics.h"

#include <string.h>

/* How one joint moves its body, in the frame that the body has without it. */
static perp_pose moved_by(const perp_robot_joint *joint, double by)
{
    perp_pose out = perp_pose_identity();
    double turned[3];

    if (joint->motion == PERP_ROBOT_SLIDE)
        for (int i = 0; i < 3; i++)
            out.p[i] = by * joint->axis[i];
    if (joint->motion != PERP_ROBOT_HINGE)
        return out;
    perp_turn_about(out.q, joint->axis, by);
    perp_pose_apply(turned, &out, joint->anchor);
    for (int i = 0; i < 3; i++)
        out.p[i] = joint->anchor[i] - turned[i];
    return out;
}

void perp_robot_stand(perp_pose *pose, const perp_robot *robot, const double *by)
{
    for (int b = 0; b < robot->nbodies; b++) {
        const perp_robot_body *body = &robot->bodies[b];
        pose[b] =
            body->parent >= 0 ? perp_pose_product(&pose[body->parent], &body->pose) : body->pose;
        for (int j = body->first_joint; by != NULL && j < body->first_joint + body->joints; j++) {
            perp_pose one = moved_by(&robot->joints[j], by[j]);
            if (by[j] != 0.0)
                pose[b] = perp_pose_product(&pose[b], &one);
        }
    }
}
