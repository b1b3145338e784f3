/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/urdf_other.h"

#include <string.h>

static int is_listed(const char *const *list, const char *word)
{
    while (*list != NULL && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

int perp_urdf_refuse_xacro(perp_robot_job *job, const perp_xml *root)
{
    static const char *const definers[] = {
        "xacro:macro", "xacro:include", "xacro:property",     "xacro:arg",
        "xacro:if",    "xacro:unless",  "xacro:insert_block", NULL};

    for (const perp_xml *at = root->first; at != NULL; at = at->next)
        if (is_listed(definers, at->name))
            return perp_robot_fail(job, at,
                                   "a file of xacro macros: 'xacro FILE > model.urdf' (ROS) makes "
                                   "the URDF of it");
    return 0;
}

static const char *end_of(const perp_xml *joint, const char *word)
{
    return perp_xml_get(perp_xml_child(joint, word, NULL), "link");
}

int perp_urdf_declare_world(perp_robot_job *job, perp_xml *root)
{
    static const char world[] = "world";
    const perp_xml *at = NULL, *joint = NULL;
    perp_xml *made;
    perp_xml_attribute *name;

    while ((at = perp_xml_child(root, "link", at)) != NULL) {
        const char *own = perp_xml_get(at, "name");
        if (own != NULL && strcmp(own, world) == 0)
            return 0;
    }
    for (at = root->first; at != NULL && joint == NULL; at = at->next) {
        int joins = perp_xml_is(at, "joint") || perp_xml_is(at, "drake:joint");
        const char *parent = joins ? end_of(at, "parent") : NULL;
        joint = parent != NULL && strcmp(parent, world) == 0 ? at : NULL;
    }
    if (joint == NULL)
        return 0;
    made = perp_robot_take(job, 1, sizeof *made);
    name = perp_robot_take(job, 1, sizeof *name);
    if (made == NULL || name == NULL)
        return -1;
    name->name = "name";
    name->value = world;
    made->name = "link";
    made->file = joint->file;
    made->line = joint->line;
    made->attributes = name;
    made->up = root;
    made->next = root->first;
    root->first = made;
    perp_robot_note(job, joint, "its parent 'world' is no link of the file: what stands is meant");
    return 0;
}

/* Of some other program: a prefix of its own, but where it means something that moves. */
static int is_foreign(const perp_xml *at)
{
    static const char *const moves[] = {"joint", "bushing", "constraint", "spring", "tendon", NULL};
    int k = 0;

    while (moves[k] != NULL && strstr(at->name, moves[k]) == NULL)
        k++;
    return strchr(at->name, ':') != NULL && strncmp(at->name, "xacro:", 6) != 0 && moves[k] == NULL;
}

/* Propellers of Drake push where a program tells them to. */
static int is_propeller(const perp_xml *at)
{
    const perp_xml *inner = at->first;

    while (inner != NULL && (perp_xml_is(inner, "propellor") || perp_xml_is(inner, "propeller")))
        inner = inner->next;
    return perp_xml_is(at, "force_element") && at->first != NULL && inner == NULL;
}

void perp_urdf_look_over(perp_robot_job *job, const perp_xml *root)
{
    static const char *const known[] = {
        "link",    "joint",        "material",    "transmission",
        "gazebo",  "ros2_control", "sensor",      "frame",
        "verbose", "version",      "drake:joint", "drake:collision_filter_group",
        NULL};

    for (const perp_xml *at = root->first; at != NULL; at = at->next) {
        if (is_listed(known, at->name))
            continue;
        if (perp_xml_is(at, "mujoco"))
            perp_robot_note(job, at, "settings of MuJoCo are not read");
        else if (is_propeller(at))
            perp_robot_note(job, at, "a propeller, whose thrust is 0 here");
        else if (perp_xml_is(at, "bullet"))
            perp_robot_note(job, at, "settings of Bullet are not read");
        else if (is_foreign(at))
            perp_robot_note(job, at, "of another program: not read");
        else if (strncmp(at->name, "xacro:", 6) == 0)
            perp_robot_missing(job, at, "a macro of xacro that was not expanded");
        else
            perp_robot_missing(job, at, "this element");
    }
}
