/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of URDF. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "scene/robots/inertia.h"
#include "scene/robots/mesh.h"
#include "scene/robots/robot.h"
#include "scene/robots/search_path.h"
#include "scene/robots/urdf_other.h"

typedef struct urdf {
    perp_robot *robot;
    perp_robot_job *job;
    const perp_xml **links, **joints;
    int nlinks, njoints, links_capacity, joints_capacity;
    perp_name_index link_names, joint_names;
    int *parent; /* of links: the joint above, -1 */
    int *body;   /* of links, once they are made */
    int *made;   /* of joints: the robot's, -1: fixed */
} urdf;

/* Exactly n numbers of an attribute; values stay where it is absent. */
static int numbers(urdf *u, const perp_xml *at, const char *attribute, double *values, int n)
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

static int needed(urdf *u, const perp_xml *at, const char *attribute, double *values, int n)
{
    int got = numbers(u, at, attribute, values, n);

    return got == 0 ? perp_robot_fail(u->job, at, "%s is missing", attribute) : got < 0 ? -1 : 0;
}

/* <origin xyz rpy>: turns about the fixed axes x, y, z. */
static int read_origin(urdf *u, const perp_xml *up, perp_pose *pose)
{
    const perp_xml *at = perp_xml_child(up, "origin", NULL);
    double angle[3] = {0.0, 0.0, 0.0};

    *pose = perp_pose_identity();
    if (numbers(u, at, "xyz", pose->p, 3) < 0 || numbers(u, at, "rpy", angle, 3) < 0)
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

/* Six words; products of inertia that are missing are 0, as most programs have it. */
static int read_tensor(urdf *u, const perp_xml *inertia, double *tensor)
{
    static const char *const words[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const int places[6][2] = {{0, 0}, {1, 3}, {2, 6}, {4, 4}, {5, 7}, {8, 8}};
    int told = 0;

    for (int k = 0; k < 6; k++) {
        double value = 0.0;
        int product = places[k][0] != places[k][1];
        if (product && perp_xml_get(inertia, words[k]) == NULL) {
            if (!told)
                perp_robot_note(u->job, inertia, "%s is missing, and taken for 0", words[k]);
            told = 1;
            continue;
        }
        if (needed(u, inertia, words[k], &value, 1) != 0)
            return -1;
        tensor[places[k][0]] = tensor[places[k][1]] = value;
    }
    return 0;
}

static int read_inertial(urdf *u, const perp_xml *link, perp_robot_body *body)
{
    const perp_xml *at = perp_xml_child(link, "inertial", NULL), *mass, *inertia;
    double tensor[9] = {0.0};
    perp_pose pose;
    int holds;

    if (at == NULL)
        return 0;
    mass = perp_xml_child(at, "mass", NULL);
    inertia = perp_xml_child(at, "inertia", NULL);
    if (mass == NULL || inertia == NULL)
        return perp_robot_fail(u->job, at, "<%s> is missing", mass == NULL ? "mass" : "inertia");
    if (read_origin(u, at, &pose) != 0 || needed(u, mass, "value", &body->mass, 1) != 0 ||
        read_tensor(u, inertia, tensor) != 0)
        return -1;
    if (body->mass < 0.0)
        return perp_robot_fail(u->job, mass, "less than 0");
    memcpy(body->centre, pose.p, sizeof body->centre);
    perp_turn_tensor(body->inertia, pose.q, tensor);
    body->has_inertial = 1;
    if (!(body->mass > 0.0)) {
        memset(body->inertia, 0, sizeof body->inertia);
        return 0;
    }
    holds = perp_robot_inertia_holds(tensor);
    if (holds == 0 && perp_robot_inertia_is_flat(tensor))
        return 0;
    if (holds == 0)
        return perp_robot_fail(u->job, inertia, "of link '%.80s': not positive", body->name);
    if (holds < 0)
        perp_robot_note(u->job, inertia,
                        "of link '%.80s': breaks the triangle inequality, which no mass does",
                        body->name);
    return 0;
}

static int is_of(const char *file, const char *ending)
{
    size_t length = strlen(file), own = strlen(ending);

    return length >= own && strcasecmp(file + length - own, ending) == 0;
}

static int read_mesh(urdf *u, const perp_xml *at, perp_robot_geom *geom)
{
    const char *name = perp_xml_get(at, "filename");
    perp_robot_mesh *mesh = perp_robot_take(u->job, 1, sizeof *mesh);
    int outside;

    if (mesh == NULL)
        return -1;
    if (name == NULL)
        return perp_robot_fail(u->job, at, "filename is missing");
    mesh->at = at;
    mesh->wanted = name;
    mesh->pose = perp_pose_identity();
    mesh->scale[0] = mesh->scale[1] = mesh->scale[2] = 1.0;
    mesh->file = perp_robot_look_for_file(u->job, name, NULL, &outside);
    geom->form = PERP_ROBOT_MESH;
    geom->mesh = mesh;
    if (u->job->status != PERP_SOLVED)
        return -1;
    if (numbers(u, at, "scale", mesh->scale, 3) < 0)
        return -1;
    if (mesh->file != NULL && is_of(mesh->file, ".dae"))
        return perp_robot_mesh_load(u->job, mesh);
    if (mesh->file != NULL && !is_of(mesh->file, ".stl") && !is_of(mesh->file, ".obj") &&
        !is_of(mesh->file, ".stlb")) {
        perp_robot_missing(u->job, at, "'%.200s': meshes are read from STL, OBJ and COLLADA", name);
        return 1;
    }
    if (mesh->file == NULL) {
        perp_robot_missing(u->job, at,
                           strstr(name, "$(") != NULL || strstr(name, "${") != NULL
                               ? "'%.200s': a word of xacro, which is to be run first"
                           : outside
                               ? "'%.200s' is outside of the search path (--search adds a folder)"
                               : "'%.200s' is not found in the search path",
                           name);
        return 1;
    }
    return 0;
}

/* Of Bullet: through the origin, free where its normal points. */
static int read_plane(urdf *u, const perp_xml *at, perp_robot_geom *geom)
{
    double normal[3] = {0.0, 0.0, 1.0};
    perp_pose turned = perp_pose_identity();

    if (numbers(u, at, "normal", normal, 3) < 0)
        return -1;
    if (!(perp_unit3(normal) > 0.0))
        return perp_robot_fail(u->job, at, "normal: no direction");
    geom->form = PERP_ROBOT_PLANE;
    perp_turn_from_z(turned.q, normal);
    geom->pose = perp_pose_product(&geom->pose, &turned);
    return 0;
}

/* 0, 1: there is none that can be felt, -1. */
static int read_shape(urdf *u, const perp_xml *collision, perp_robot_geom *geom)
{
    const perp_xml *geometry = perp_xml_child(collision, "geometry", NULL);
    const perp_xml *at = geometry != NULL ? geometry->first : NULL;
    double length = 0.0;

    if (at == NULL)
        return perp_robot_fail(u->job, collision, "its geometry is missing");
    if (perp_xml_is(at, "mesh"))
        return read_mesh(u, at, geom);
    if (perp_xml_is(at, "box")) {
        geom->form = PERP_ROBOT_BOX;
        if (needed(u, at, "size", geom->size, 3) != 0)
            return -1;
        for (int i = 0; i < 3; i++)
            geom->size[i] *= 0.5;
    } else if (perp_xml_is(at, "plane")) {
        return read_plane(u, at, geom);
    } else if (perp_xml_is(at, "sphere")) {
        geom->form = PERP_ROBOT_SPHERE;
        if (needed(u, at, "radius", geom->size, 1) != 0)
            return -1;
    } else if (perp_xml_is(at, "cylinder") || perp_xml_is(at, "capsule")) {
        geom->form = perp_xml_is(at, "cylinder") ? PERP_ROBOT_CYLINDER : PERP_ROBOT_CAPSULE;
        if (needed(u, at, "radius", geom->size, 1) != 0 || needed(u, at, "length", &length, 1) != 0)
            return -1;
        geom->size[1] = 0.5 * length;
    } else {
        perp_robot_missing(u->job, at, "this shape");
        return 1;
    }
    for (int i = 0; i < 3; i++)
        if (geom->size[i] < 0.0 ||
            (geom->size[i] == 0.0 &&
             (i == 0 || geom->form == PERP_ROBOT_BOX || (i == 1 && length != 0.0))))
            return perp_robot_fail(u->job, at, "every size is to be positive");
    return 0;
}

static int read_collisions(urdf *u, const perp_xml *link, int body)
{
    const perp_xml *at = NULL, *contact = perp_xml_child(link, "contact", NULL);
    static const char *const words[] = {"lateral_friction", "restitution", "spinning_friction",
                                        "rolling_friction"};
    double value[4] = {u->robot->mu, u->robot->e, 0.0, 0.0}, mu, e;

    for (int k = 0; k < 4; k++)
        if (numbers(u, perp_xml_child(contact, words[k], NULL), "value", &value[k], 1) < 0)
            return -1;
    mu = value[0];
    e = value[1];
    if (perp_xml_child(contact, "stiffness", NULL) != NULL)
        perp_robot_note(u->job, contact,
                        "its contacts are exact: stiffness and damping are not "
                        "read");
    if (mu < 0.0 || e < 0.0 || e > 1.0 || value[2] < 0.0 || value[3] < 0.0)
        return perp_robot_fail(u->job, contact, "a coefficient out of its range");
    while ((at = perp_xml_child(link, "collision", at)) != NULL) {
        perp_robot_geom geom, *made;
        int got;
        memset(&geom, 0, sizeof geom);
        geom.at = at;
        geom.body = body;
        got = read_origin(u, at, &geom.pose) != 0 ? -1 : read_shape(u, at, &geom);
        if (got < 0)
            return -1;
        if (got > 0)
            continue;
        made = PERP_ROBOT_ADD(u->robot, geoms);
        if (made == NULL)
            return -1;
        *made = geom;
        made->mu = isnan(u->job->options->mu) ? mu : u->job->options->mu;
        made->e = e;
        made->torsion = value[2];
        made->rolling = value[3];
        made->condim = value[3] > 0.0 ? 6 : value[2] > 0.0 ? 4 : 3;
        made->contype = made->conaffinity = 1;
        made->name = perp_robot_text(u->job, "%s-shape", u->robot->bodies[body].name);
        if (made->name == NULL)
            return -1;
    }
    return 0;
}

static int read_axis(urdf *u, const perp_xml *at, perp_robot_joint *joint)
{
    const perp_xml *axis = perp_xml_child(at, "axis", NULL);

    joint->axis[0] = 1.0;
    if (numbers(u, axis, "xyz", joint->axis, 3) < 0)
        return -1;
    return perp_unit3(joint->axis) > 0.0 ? 0 : perp_robot_fail(u->job, axis, "xyz: no direction");
}

static int read_limits(urdf *u, const perp_xml *at, perp_robot_joint *joint, int bounded)
{
    const perp_xml *limit = perp_xml_child(at, "limit", NULL);
    double effort = INFINITY;

    joint->speed_limit = INFINITY;
    if (limit == NULL && bounded)
        perp_robot_note(u->job, at, "its <limit> is missing: it turns or slides without one");
    if (numbers(u, limit, "effort", &effort, 1) < 0 ||
        numbers(u, limit, "velocity", &joint->speed_limit, 1) < 0 ||
        numbers(u, limit, "lower", &joint->low, 1) < 0 ||
        numbers(u, limit, "upper", &joint->high, 1) < 0)
        return -1;
    if (!(effort >= 0.0))
        return perp_robot_fail(u->job, limit, "effort: less than 0");
    joint->most = effort;
    joint->most_low = -effort;
    joint->speed_limit = joint->speed_limit > 0.0 ? joint->speed_limit : INFINITY;
    joint->limited = limit != NULL && bounded;
    joint->start = 0.0;
    if (joint->limited && joint->low > joint->high)
        return perp_robot_fail(u->job, limit, "the lower limit exceeds the upper one");
    return 0;
}

static int read_dynamics(urdf *u, const perp_xml *at, perp_robot_joint *joint)
{
    const perp_xml *dynamics = perp_xml_child(at, "dynamics", NULL);

    if (numbers(u, dynamics, "damping", &joint->damping, 1) < 0 ||
        numbers(u, dynamics, "friction", &joint->friction, 1) < 0)
        return -1;
    return joint->damping >= 0.0 && joint->friction >= 0.0
               ? 0
               : perp_robot_fail(u->job, dynamics, "a value less than 0");
}

/* The joint of the robot, after its body. */
static int read_joint(urdf *u, int j, int body)
{
    static const char *const words[] = {"revolute", "continuous", "prismatic", "floating", "planar",
                                        "fixed",    "spherical",  "ball",      NULL};
    static const perp_robot_motion motions[] = {
        PERP_ROBOT_HINGE, PERP_ROBOT_HINGE, PERP_ROBOT_SLIDE, PERP_ROBOT_FREE,
        PERP_ROBOT_FLAT,  PERP_ROBOT_FLAT,  PERP_ROBOT_BALL,  PERP_ROBOT_BALL};
    const perp_xml *at = u->joints[j];
    const char *type = perp_xml_get(at, "type");
    perp_robot_joint *joint;
    int kind = 0;

    while (type != NULL && words[kind] != NULL && strcmp(words[kind], type) != 0)
        kind++;
    if (type == NULL || words[kind] == NULL)
        return perp_robot_fail(u->job, at, "type: '%.60s' is not known", type != NULL ? type : "");
    u->made[j] = -1;
    if (kind == 5)
        return 0;
    joint = PERP_ROBOT_ADD(u->robot, joints);
    if (joint == NULL)
        return -1;
    u->made[j] = u->robot->njoints - 1;
    joint->at = at;
    joint->body = body;
    joint->motion = motions[kind];
    joint->name = perp_xml_get(at, "name");
    joint->servo_most = INFINITY;
    u->robot->bodies[body].first_joint = u->made[j];
    u->robot->bodies[body].joints = 1;
    if (joint->motion == PERP_ROBOT_FREE || joint->motion == PERP_ROBOT_BALL) {
        joint->most = joint->speed_limit = INFINITY;
        return joint->motion == PERP_ROBOT_FREE ? 0 : read_dynamics(u, at, joint);
    }
    return read_axis(u, at, joint) != 0 || read_limits(u, at, joint, kind == 0 || kind == 2) != 0 ||
                   read_dynamics(u, at, joint) != 0
               ? -1
               : 0;
}

static int find(const perp_name_index *index, const char *name)
{
    return name != NULL ? perp_name_index_find(index, name) : -1;
}

/* The elements of one name, each with a name of its own. */
static int collect(urdf *u, const perp_xml *root, const char *word, const perp_xml ***list,
                   int *count, int *capacity, perp_name_index *index)
{
    const perp_xml *at = NULL;

    while ((at = perp_xml_child(root, word, at)) != NULL) {
        const char *name = perp_xml_get(at, "name");
        const perp_xml **slot;
        int before;
        if (name == NULL || name[0] == '\0')
            return perp_robot_fail(u->job, at, "it has no name");
        before = find(index, name);
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
static int end_of(urdf *u, const perp_xml *joint, const char *word)
{
    const perp_xml *at = perp_xml_child(joint, word, NULL);
    const char *name = perp_xml_get(at, "link");
    int k = find(&u->link_names, name);

    if (k < 0)
        perp_robot_fail(u->job, at != NULL ? at : joint, "%s: there is no link '%.80s'", word,
                        name != NULL ? name : "");
    return k;
}

/* Each link hangs on one joint, but the root. */
static int find_root(urdf *u, int *root)
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

static int make_body(urdf *u, int link, int parent)
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
    if (read_inertial(u, u->links[link], body) != 0 ||
        read_collisions(u, u->links[link], number) != 0)
        return -1;
    return j < 0 ? 0
           : read_origin(u, u->joints[j], &u->robot->bodies[number].pose) != 0
               ? -1
               : read_joint(u, j, number);
}

/* Links from the root on, each after the one that carries it. */
static int make_bodies(urdf *u, int root)
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

static int read_mimic(urdf *u, int j)
{
    const perp_xml *at = perp_xml_child(u->joints[j], "mimic", NULL);
    const char *name = perp_xml_get(at, "joint");
    perp_robot_equality *tie;
    int other = find(&u->joint_names, name);

    if (at == NULL)
        return 0;
    if (other < 0 || u->made[other] < 0 || u->made[j] < 0 || other == j)
        return perp_robot_fail(u->job, at, "there is no joint '%.80s' that it could follow",
                               name != NULL ? name : "");
    tie = PERP_ROBOT_ADD(u->robot, equalities);
    if (tie == NULL)
        return -1;
    tie->at = at;
    tie->name = perp_robot_text(u->job, "%s-mimic", perp_xml_get(u->joints[j], "name"));
    if (tie->name == NULL)
        return -1;
    tie->tie = PERP_ROBOT_COUPLE;
    tie->joint[0] = u->made[j];
    tie->joint[1] = u->made[other];
    tie->ratio = 1.0;
    return numbers(u, at, "multiplier", &tie->ratio, 1) < 0 ||
                   numbers(u, at, "offset", &tie->offset, 1) < 0
               ? -1
               : 0;
}

/* What a joint joins never touches, though it stand still: neighbours, with what is fixed to them.
 */
static int part_neighbours(urdf *u)
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

static int free_root(urdf *u, int root)
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
    urdf u = {.robot = robot, .job = robot->job};
    int first;

    robot->title = perp_xml_get(root, "name");
    robot->gravity[2] = -9.81;
    robot->step = 0.001;
    robot->one_robot = 1;
    robot->mu = isnan(robot->job->options->mu) ? 1.0 : robot->job->options->mu;
    if (perp_urdf_refuse_xacro(u.job, root) != 0 || perp_urdf_declare_world(u.job, root) != 0)
        return -1;
    if (collect(&u, root, "link", &u.links, &u.nlinks, &u.links_capacity, &u.link_names) != 0 ||
        collect(&u, root, "joint", &u.joints, &u.njoints, &u.joints_capacity, &u.joint_names) != 0)
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
        if (read_mimic(&u, j) != 0)
            return -1;
    perp_urdf_look_over(u.job, root);
    return free_root(&u, first) != 0 ? -1 : part_neighbours(&u);
}
