/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/floor.h"
#include "scene/robots/mesh.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

/* How far a shape reaches down from its place. */
static double reach_down(const perp_robot_geom *geom, const double *q)
{
    const double *s = geom->size;
    double z[3], up[3] = {0.0, 0.0, 1.0}, sum = 0.0;

    perp_quaternion_rotate_back(q, up, z); /* the direction up in the axes of the shape */
    switch (geom->form) {
    case PERP_ROBOT_SPHERE:
        return s[0];
    case PERP_ROBOT_CAPSULE:
        return s[0] + s[1] * fabs(z[2]);
    case PERP_ROBOT_CYLINDER:
        return s[0] * hypot(z[0], z[1]) + s[1] * fabs(z[2]);
    case PERP_ROBOT_ELLIPSOID:
        for (int i = 0; i < 3; i++)
            sum += s[i] * z[i] * s[i] * z[i];
        return sqrt(sum);
    case PERP_ROBOT_BOX:
        for (int i = 0; i < 3; i++)
            sum += s[i] * fabs(z[i]);
        return sum;
    case PERP_ROBOT_MESH: /* its place may lie outside of it */
        sum = -INFINITY;
        for (int k = 0; k < geom->mesh->npoints; k++)
            sum = fmax(sum, -perp_dot3(z, geom->mesh->points + 3 * k));
        return sum;
    case PERP_ROBOT_PLANE:
    case PERP_ROBOT_FIELD:
        break;
    }
    return 0.0;
}

int perp_robot_add_floor(perp_robot *robot, const perp_robot_links *links)
{
    const perp_robot_options *options = robot->job->options;
    double height = options->floor_height;
    perp_robot_geom *geom;

    if (!options->floor)
        return 0;
    for (int g = 0; g < robot->ngeoms && isnan(options->floor_height); g++) {
        const perp_robot_geom *one = &robot->geoms[g];
        perp_pose at;
        double low;
        if (one->form == PERP_ROBOT_PLANE || one->body < 0 || links->carrier[one->body] < 0)
            continue;
        if (one->form == PERP_ROBOT_MESH && one->mesh->told)
            continue;
        if (one->form == PERP_ROBOT_MESH && perp_robot_mesh_load(robot->job, one->mesh) < 0)
            return -1;
        at = perp_pose_product(&links->pose[one->body], &one->pose);
        low = at.p[2] - reach_down(one, at.q);
        if (isinf(low)) /* a mesh that is not there */
            continue;
        height = isnan(height) ? low : fmin(height, low);
    }
    if (isnan(height))
        perp_robot_note(robot->job, NULL,
                        "the floor is at 0: nothing that moves has a shape to touch it with");
    geom = PERP_ROBOT_ADD(robot, geoms);
    if (geom == NULL)
        return -1;
    geom->name = "floor";
    geom->body = -1;
    geom->form = PERP_ROBOT_PLANE;
    geom->pose = perp_pose_identity();
    geom->pose.p[2] = isnan(height) ? 0.0 : height;
    geom->mu = isnan(options->mu) ? 1.0 : options->mu;
    geom->condim = 3;
    geom->contype = geom->conaffinity = 1;
    return 0;
}
