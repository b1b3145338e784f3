/* SPDX-License-Identifier: BSD-3-Clause */
/* What joints move: entries of the mass matrix on its diagonal, and what follows from them. */
#include <perp/rotation.h>

#include "scene/robots/mjcf.h"

/* The entry of a slide along an axis, or of turns about it, in the frame of the body; where the model
 * has its joints: what it carries, without its armature. */
static double carried_along(const perp_robot *robot, const perp_robot_joint *joint, int slides,
                            const double *own)
{
    perp_pose *pose = perp_robot_take(robot->job, (size_t)robot->nbodies, sizeof *pose);
    int *carried = perp_robot_take(robot->job, (size_t)robot->nbodies, sizeof *carried);
    double anchor[3] = {0.0}, axis[3] = {0.0}, sum = 0.0;

    for (int b = 0; b < robot->nbodies && pose != NULL && carried != NULL; b++) {
        const perp_robot_body *body = &robot->bodies[b];
        int up = body->parent;
        double centre[3], arm[3], across[3], turned[3], tensor[9];
        pose[b] = up >= 0 ? perp_pose_product(&pose[up], &body->pose) : body->pose;
        carried[b] = b == joint->body || (up >= 0 && carried[up]);
        if (b == joint->body) {
            perp_pose_apply(anchor, &pose[b], joint->anchor);
            perp_quaternion_rotate(pose[b].q, own, axis);
        }
        if (!carried[b])
            continue;
        if (slides) {
            sum += body->mass;
            continue;
        }
        perp_pose_apply(centre, &pose[b], body->centre);
        perp_turn_tensor(tensor, pose[b].q, body->inertia);
        for (int i = 0; i < 3; i++) {
            arm[i] = centre[i] - anchor[i];
            turned[i] = perp_dot3(tensor + 3 * i, axis);
        }
        perp_cross3(across, axis, arm);
        sum += perp_dot3(axis, turned) + body->mass * perp_dot3(across, across);
    }
    return sum;
}

double perp_mjcf_inertia(const perp_robot *robot, const perp_robot_joint *joint)
{
    int ball = joint->motion == PERP_ROBOT_BALL, free = joint->motion == PERP_ROBOT_FREE;
    double sum = 0.0;

    if (!ball && !free)
        return joint->armature +
               carried_along(robot, joint, joint->motion == PERP_ROBOT_SLIDE, joint->axis);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        sum += carried_along(robot, joint, 0, axis);
        sum += free ? carried_along(robot, joint, 1, axis) : 0.0;
    }
    return joint->armature + sum / (free ? 6.0 : 3.0);
}

/* springdamper: time constant T and damping ratio z of what the joint moves, k = M / (T z)^2 and
 * d = 2 M / T. */
void perp_mjcf_tune_springs(perp_mjcf *m)
{
    for (int j = 0; j < m->robot->njoints; j++) {
        perp_robot_joint *joint = &m->robot->joints[j];
        double T = joint->response[0], z = joint->response[1], M;
        if (!(T > 0.0) || !(z > 0.0))
            continue;
        M = perp_mjcf_inertia(m->robot, joint);
        joint->stiffness = M / (T * T * z * z);
        joint->damping = 2.0 * M / T;
    }
}
