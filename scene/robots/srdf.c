/* SPDX-License-Identifier: BSD-3-Clause */
/* The semantic description beside a URDF: pairs that do not collide, named poses, what holds the
 * root. */
#include <math.h>
#include <string.h>

#include "scene/robots/robot.h"

void perp_robot_read_srdf_base(perp_robot *robot, const perp_xml *root)
{
    const perp_xml *at = NULL;

    while ((at = perp_xml_child(root, "virtual_joint", at)) != NULL) {
        const char *type = perp_xml_get(at, "type");
        robot->floats = type != NULL && strcmp(type, "floating") == 0;
    }
}

static int read_pair(perp_robot *robot, const perp_xml *at)
{
    static const char *const words[] = {"link1", "link2"};
    perp_robot_pair *pair;
    int body[2];

    for (int k = 0; k < 2; k++) {
        const char *name = perp_xml_get(at, words[k]);
        body[k] = name != NULL ? perp_robot_find_body(robot, name) : -1;
        if (body[k] < 0) {
            perp_robot_note(robot->job, at, "there is no link '%.80s'", name != NULL ? name : "");
            return 0;
        }
    }
    pair = PERP_ROBOT_ADD(robot, excludes);
    if (pair == NULL)
        return -1;
    pair->at = at;
    pair->a = body[0];
    pair->b = body[1];
    return 0;
}

static int take_state(perp_robot *robot, const perp_xml *state)
{
    const perp_xml *at = NULL;

    while ((at = perp_xml_child(state, "joint", at)) != NULL) {
        const char *name = perp_xml_get(at, "name"), *value = perp_xml_get(at, "value");
        int joint = name != NULL ? perp_robot_find_joint(robot, name) : -1;
        if (joint < 0 || value == NULL)
            return perp_robot_fail(robot->job, at, "no joint of the robot, or no value");
        if (perp_xml_numbers(robot->job, &robot->joints[joint].start, 1, at, "value", value) < 0)
            return -1;
    }
    return 0;
}

int perp_robot_read_srdf(perp_robot *robot, const perp_xml *root)
{
    const char *wanted = robot->job->options->keyframe;
    const perp_xml *at = NULL;
    int found = 0;

    while ((at = perp_xml_child(root, "disable_collisions", at)) != NULL)
        if (read_pair(robot, at) != 0)
            return -1;
    while (wanted != NULL && (at = perp_xml_child(root, "group_state", at)) != NULL) {
        const char *name = perp_xml_get(at, "name");
        if (name == NULL || strcmp(name, wanted) != 0)
            continue;
        found = 1;
        if (take_state(robot, at) != 0)
            return -1;
    }
    return wanted == NULL || found
               ? 0
               : perp_robot_fail(robot->job, root, "there is no group_state '%.80s'", wanted);
}
