/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and places of a URDF. */
#include "scene/robots/urdf.h"

#include <string.h>

/* "$(optenv NAME DEFAULT ...)", which ROS leaves to the environment: its default; NULL: a failure.
 */
static const char *default_of(perp_urdf *u, const perp_xml *at, const char *attribute,
                              const char *text)
{
    static const char opening[] = "$(optenv ";
    const char *from = text + strspn(text, " \t\r\n"), *end = strchr(text, ')');

    if (strncmp(from, opening, sizeof opening - 1) != 0 || end == NULL ||
        end[1 + strspn(end + 1, " \t\r\n")] != '\0')
        return text;
    from += sizeof opening - 1;
    from += strspn(from, " \t\r\n");
    from += strcspn(from, " \t\r\n)");
    perp_robot_note(u->job, at, "%s: '%.60s' is read as its default", attribute, text);
    return perp_robot_text(u->job, "%.*s", (int)(end - from), from);
}

int perp_urdf_numbers(perp_urdf *u, const perp_xml *at, const char *attribute, double *values,
                      int n)
{
    const char *text = perp_xml_get(at, attribute);
    double read[6];
    int count;

    if (at == NULL || text == NULL)
        return 0;
    text = default_of(u, at, attribute, text);
    count = text != NULL ? perp_xml_numbers(u->job, read, n, at, attribute, text) : -1;
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
