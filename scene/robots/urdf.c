/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of URDF: the tree of links and joints. */
#include "scene/robots/urdf.h"

#include <math.h>
#include <string.h>

#include "scene/robots/urdf_drake.h"
#include "scene/robots/urdf_other.h"

/* The elements of one name, each with a name of its own. */
static int collect(perp_urdf *u, const perp_xml *root, const char *word, const perp_xml ***list,
                   int *count, int *capacity, perp_name_index *index)
{
    const perp_xml *at = NULL;

    while ((at = perp_xml_child(root, word, at)) != NULL) {
        const char *name = perp_xml_get(at, "name");
        const perp_xml **slot;
        int before;
        if (name == NULL || name[0] == '\0')
            return perp_robot_fail(u->job, at, "it has no name");
        before = perp_urdf_find(index, name);
        if (before >= 0)
            return perp_robot_fail(u->job, at, "the name is there twice, first in line %d",
                                   (*list)[before]->line);
        slot = perp_robot_add(u->job, (void **)list, count, capacity, sizeof **list);
        if (slot == NULL || perp_name_index_put(index, u->job, name, *count - 1) != 0)
            return -1;
        *slot = at;
    }
    return 0;
}

/* The link that a child element of a joint names; -1 after a failure. */
static int end_of(perp_urdf *u, const perp_xml *joint, const char *word)
{
    const perp_xml *at = perp_xml_child(joint, word, NULL);
    const char *name = perp_xml_get(at, "link");
    int k = perp_urdf_find(&u->link_names, name);

    if (k < 0 && name == NULL)
        perp_robot_fail(u->job, at != NULL ? at : joint, "the link that is its %s is missing",
                        word);
    else if (k < 0)
        perp_robot_fail(u->job, at, "%s: there is no link '%.80s'", word, name);
    return k;
}

/* Each link hangs on one joint, but the root. */
static int find_root(perp_urdf *u, int *root)
{
    *root = -1;
    for (int k = 0; k < u->nlinks; k++)
        u->parent[k] = -1;
    for (int j = 0; j < u->njoints; j++) {
        int child = end_of(u, u->joints[j], "child");
        if (child < 0 || end_of(u, u->joints[j], "parent") < 0)
            return -1;
        if (u->parent[child] >= 0)
            return perp_robot_fail(
                u->job, u->joints[j],
                "the link '%.60s' is also the child of joint '%.60s': a URDF is a "
                "tree",
                perp_xml_get(u->links[child], "name"),
                perp_xml_get(u->joints[u->parent[child]], "name"));
        u->parent[child] = j;
    }
    for (int k = 0; k < u->nlinks; k++) {
        if (u->parent[k] >= 0)
            continue;
        if (*root >= 0)
            return perp_robot_fail(
                u->job, u->links[k],
                "hangs on no joint, and neither does link '%.80s': a URDF has one "
                "root",
                perp_xml_get(u->links[*root], "name"));
        *root = k;
    }
    if (u->nlinks == 0)
        return perp_robot_fail(u->job, NULL, "no link");
    return *root >= 0 ? 0
                      : perp_robot_fail(u->job, u->joints[0],
                                        "each link hangs on a joint: they go round in a circle");
}

static int make_body(perp_urdf *u, int link, int parent)
{
    perp_robot_body *body = PERP_ROBOT_ADD(u->robot, bodies);
    int number = u->robot->nbodies - 1, j = u->parent[link];

    if (body == NULL)
        return -1;
    body->at = u->links[link];
    body->name = perp_xml_get(u->links[link], "name");
    body->parent = parent;
    body->pose = perp_pose_identity();
    u->body[link] = number;
    if (perp_urdf_inertial(u, u->links[link], body) != 0 ||
        perp_urdf_collisions(u, u->links[link], number) != 0)
        return -1;
    return j < 0 ? 0
           : perp_urdf_origin(u, u->joints[j], &u->robot->bodies[number].pose) != 0
               ? -1
               : perp_urdf_joint(u, j, number);
}

/* Links from the root on, each after the one that carries it. */
static int make_bodies(perp_urdf *u, int root)
{
    int *first = perp_robot_take(u->job, (size_t)u->nlinks, sizeof *first);
    int *next = perp_robot_take(u->job, (size_t)u->njoints + 1, sizeof *next);
    int *list = perp_robot_take(u->job, (size_t)u->nlinks, sizeof *list), count = 0;

    if (first == NULL || next == NULL || list == NULL)
        return -1;
    for (int k = 0; k < u->nlinks; k++)
        first[k] = -1;
    for (int j = u->njoints - 1; j >= 0; j--) {
        int up = end_of(u, u->joints[j], "parent");
        next[j] = first[up];
        first[up] = j;
    }
    list[count++] = root;
    for (int k = 0; k < count; k++) {
        int link = list[k], j = u->parent[link];
        int up = j >= 0 ? u->body[end_of(u, u->joints[j], "parent")] : -1;
        if (make_body(u, link, up) != 0)
            return -1;
        for (int i = first[link]; i >= 0; i = next[i])
            list[count++] = end_of(u, u->joints[i], "child");
    }
    if (count < u->nlinks)
        for (int k = 0; k < u->nlinks; k++)
            if (k != root && u->body[k] < 0)
                return perp_robot_fail(
                    u->job, u->links[k],
                    "does not hang on the root: its joints go round in a circle");
    return 0;
}

/* What a joint joins never touches, though it stand still: neighbours, with what is fixed to them.
 */
static int part_neighbours(perp_urdf *u)
{
    perp_robot *robot = u->robot;

    for (int b = 0; b < robot->nbodies; b++) {
        int up = robot->bodies[b].parent;
        for (; robot->bodies[b].joints > 0 && up >= 0; up = robot->bodies[up].parent) {
            perp_robot_pair *pair = PERP_ROBOT_ADD(robot, excludes);
            if (pair == NULL)
                return -1;
            pair->at = robot->bodies[b].at;
            pair->a = b;
            pair->b = up;
            if (robot->bodies[up].joints > 0)
                break;
        }
    }
    return 0;
}

static int free_root(perp_urdf *u, int root)
{
    const perp_robot_options *options = u->job->options;
    perp_robot_body *body = &u->robot->bodies[u->body[root]];
    int free = options->base == PERP_ROBOT_BASE_FREE ||
               (options->base == PERP_ROBOT_BASE_BY_MODEL && u->robot->floats);
    perp_robot_joint *joint;

    if (!free) {
        if (options->base == PERP_ROBOT_BASE_BY_MODEL && strcmp(body->name, "world") != 0)
            perp_robot_note(u->job, body->at,
                            "the root is fixed to the world (--base free frees it)");
        return 0;
    }
    joint = PERP_ROBOT_ADD(u->robot, joints);
    if (joint == NULL)
        return -1;
    joint->at = body->at;
    joint->body = u->body[root];
    joint->motion = PERP_ROBOT_FREE;
    joint->most = joint->speed_limit = joint->servo_most = INFINITY;
    joint->name = perp_robot_text(u->job, "%s-free", body->name);
    body->first_joint = u->robot->njoints - 1;
    body->joints = 1;
    return joint->name != NULL ? 0 : -1;
}

int perp_robot_read_urdf(perp_robot *robot, perp_xml *root)
{
    perp_urdf u = {.robot = robot, .job = robot->job};
    int first;

    robot->title = perp_xml_get(root, "name");
    robot->gravity[2] = -9.81;
    robot->step = 0.001;
    robot->one_robot = 1;
    robot->mu = isnan(robot->job->options->mu) ? 1.0 : robot->job->options->mu;
    if (perp_urdf_refuse_xacro(u.job, root) != 0 || perp_urdf_declare_world(u.job, root) != 0)
        return -1;
    if (collect(&u, root, "link", &u.links, &u.nlinks, &u.links_capacity, &u.link_names) != 0 ||
        collect(&u, root, "joint", &u.joints, &u.njoints, &u.joints_capacity, &u.joint_names) !=
            0 ||
        collect(&u, root, "drake:joint", &u.joints, &u.njoints, &u.joints_capacity,
                &u.joint_names) != 0)
        return -1;
    u.parent = perp_robot_take(u.job, (size_t)u.nlinks, sizeof *u.parent);
    u.body = perp_robot_take(u.job, (size_t)u.nlinks, sizeof *u.body);
    u.made = perp_robot_take(u.job, (size_t)u.njoints + 1, sizeof *u.made);
    if (u.parent == NULL || u.body == NULL || u.made == NULL)
        return -1;
    memset(u.body, 0xff, (size_t)u.nlinks * sizeof *u.body);
    if (find_root(&u, &first) != 0 || make_bodies(&u, first) != 0)
        return -1;
    for (int j = 0; j < u.njoints; j++)
        if (perp_urdf_mimic(&u, j) != 0)
            return -1;
    if (perp_urdf_drake(&u, root) != 0)
        return -1;
    perp_urdf_look_over(u.job, root);
    return free_root(&u, first) != 0 ? -1 : part_neighbours(&u);
}
