/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and places of a URDF. */
#include "scene/robots/urdf.h"

#include <string.h>

int perp_urdf_numbers(perp_urdf *u, const perp_xml *at, const char *attribute, double *values,
                      int n)
{
    const char *text = perp_xml_get(at, attribute);
    double read[6];
    int count;

    if (at == NULL || text == NULL)
        return 0;
    count = perp_xml_numbers(u->job, read, n, at, attribute, text);
    if (count < 0)
        return -1;
    if (count != n)
        return perp_robot_fail(u->job, at, "%s: %d number%s expected, %d given", attribute, n,
                               n > 1 ? "s are" : " is", count);
    memcpy(values, read, (size_t)n * sizeof *values);
    return 1;
}

int perp_urdf_needed(perp_urdf *u, const perp_xml *at, const char *attribute, double *values, int n)
{
    int got = perp_urdf_numbers(u, at, attribute, values, n);

    return got == 0 ? perp_robot_fail(u->job, at, "%s is missing", attribute) : got < 0 ? -1 : 0;
}

/* <origin xyz rpy>: turns about the fixed axes x, y, z. */
int perp_urdf_origin(perp_urdf *u, const perp_xml *up, perp_pose *pose)
{
    const perp_xml *at = perp_xml_child(up, "origin", NULL);
    double angle[3] = {0.0, 0.0, 0.0};

    *pose = perp_pose_identity();
    if (perp_urdf_numbers(u, at, "xyz", pose->p, 3) < 0 ||
        perp_urdf_numbers(u, at, "rpy", angle, 3) < 0)
        return -1;
    for (int i = 0; i < 3; i++) {
        double axis[3] = {i == 0, i == 1, i == 2};
        perp_pose one = perp_pose_identity(), turned = *pose;
        memset(turned.p, 0, sizeof turned.p);
        perp_turn_about(one.q, axis, angle[i]);
        turned = perp_pose_product(&one, &turned);
        memcpy(pose->q, turned.q, sizeof pose->q);
    }
    return 0;
}

int perp_urdf_find(const perp_name_index *index, const char *name)
{
    return name != NULL ? perp_name_index_find(index, name) : -1;
}
