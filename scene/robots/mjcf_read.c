/* SPDX-License-Identifier: BSD-3-Clause */
/* An MJCF model from its root. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/mjcf.h"
#include "scene/robots/search_path.h"

const char *perp_robot_base_name(perp_robot_job *job, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(start, '.');

    return perp_robot_text(job, "%.*s", dot != NULL ? (int)(dot - start) : (int)strlen(start),
                           start);
}

/* In the frame that the model means. */
static void place_points(perp_robot_mesh *mesh, double *points)
{
    for (int k = 0; k < mesh->npoints; k++) {
        double way[3];
        for (int i = 0; i < 3; i++)
            way[i] = points[3 * k + i] - mesh->pose.p[i];
        perp_quaternion_rotate_back(mesh->pose.q, way, points + 3 * k);
        for (int i = 0; i < 3; i++)
            points[3 * k + i] *= mesh->scale[i];
    }
    mesh->pose = perp_pose_identity();
    mesh->points = points;
}

static int read_points(const perp_mjcf_reader *r, perp_robot_mesh *mesh)
{
    const char *text = perp_mjcf_get(r->at, r->from, NULL, "vertex");
    size_t most = text != NULL ? strlen(text) / 2 + 1 : 0;
    double *points = perp_robot_take(r->m->job, most, sizeof *points);
    int count;

    if (text == NULL)
        return points != NULL ? 0 : -1;
    if (points == NULL ||
        (count = perp_xml_numbers(r->m->job, points, (int)most, r->at, "vertex", text)) < 0)
        return -1;
    if (count < 12 || count % 3 != 0)
        return perp_robot_fail(r->m->job, r->at, "vertex: three numbers of four points or more");
    mesh->npoints = count / 3;
    place_points(mesh, points);
    return 0;
}

static int read_builtin(const perp_mjcf_reader *r, perp_robot_mesh *mesh)
{
    double *points = NULL;
    int bad = perp_mjcf_builtin(r, mesh, &points);

    if (bad == 0)
        place_points(mesh, points);
    return bad < 0 ? -1 : 0;
}

/* The surface of the points; without it their hull is meant. */
static int read_faces(const perp_mjcf_reader *r, perp_robot_mesh *mesh)
{
    const char *text = perp_mjcf_get(r->at, r->from, NULL, "face");
    size_t most = text != NULL ? strlen(text) / 2 + 1 : 0;
    double *read = perp_robot_take(r->m->job, most + 1, sizeof *read);
    int *corner = perp_robot_take(r->m->job, most + 1, sizeof *corner), count;

    if (read == NULL || corner == NULL)
        return -1;
    if (text == NULL)
        return 0;
    count = perp_xml_numbers(r->m->job, read, (int)most, r->at, "face", text);
    if (count < 0)
        return -1;
    for (int k = 0; k < count; k++) {
        corner[k] = read[k] >= 0.0 && read[k] < mesh->npoints ? (int)read[k] : -1;
        if (corner[k] < 0 || corner[k] != read[k])
            return perp_robot_fail(r->m->job, r->at, "face: %g is no number of a vertex", read[k]);
    }
    if (count == 0 || count % 3 != 0)
        return perp_robot_fail(r->m->job, r->at, "face: three numbers of each triangle");
    mesh->triangles = corner;
    mesh->ntriangles = count / 3;
    return 0;
}

static int read_mesh(perp_mjcf *m, const perp_xml *at)
{
    perp_mjcf_reader r = {m, at, perp_mjcf_class_of(m, at, NULL), NULL};
    const char *file = perp_xml_get(at, "file"), *name = perp_xml_get(at, "name");
    const perp_mjcf_settings *s = perp_mjcf_settings_of(m, at);
    perp_robot_mesh *mesh;
    int outside;

    if (r.from == NULL)
        return -1;
    perp_mjcf_check(&r, "name class file vertex face scale refpos refquat inertia builtin params",
                    "normal texcoord smoothnormal maxhullvert content_type material");
    mesh =
        perp_robot_add(m->job, (void **)&m->meshes, &m->nmeshes, &m->meshes_capacity, sizeof *mesh);
    if (mesh == NULL)
        return -1;
    mesh->at = at;
    mesh->name = name != NULL ? name : file != NULL ? perp_robot_base_name(m->job, file) : "";
    if (mesh->name == NULL ||
        perp_name_index_put(&m->mesh_index, m->job, mesh->name, m->nmeshes - 1) != 0)
        return -1;
    mesh->pose = perp_pose_identity();
    mesh->scale[0] = mesh->scale[1] = mesh->scale[2] = 1.0;
    if (perp_mjcf_exactly(&r, "scale", mesh->scale, 3) < 0 ||
        perp_mjcf_exactly(&r, "refpos", mesh->pose.p, 3) < 0 ||
        perp_mjcf_exactly(&r, "refquat", mesh->pose.q, 4) < 0)
        return -1;
    if (perp_quaternion_normalise(mesh->pose.q) != PERP_SOLVED)
        return perp_robot_fail(m->job, at, "refquat: a quaternion of 0");
    mesh->weight = perp_mjcf_get(at, r.from, NULL, "inertia");
    if (perp_xml_get(at, "builtin") != NULL)
        return read_builtin(&r, mesh);
    if (file == NULL)
        return read_points(&r, mesh) != 0 ? -1 : read_faces(&r, mesh);
    if (s->strip_path && strrchr(file, '/') != NULL)
        file = strrchr(file, '/') + 1;
    mesh->file = perp_robot_look_beside(m->job, file, s->mesh_folder, at, &outside);
    mesh->outside = outside;
    mesh->wanted = file;
    return m->job->status == PERP_SOLVED ? 0 : -1;
}

int perp_mjcf_read_meshes(perp_mjcf *m)
{
    static const char harmless[] = "texture material skin hfield mesh model";
    const perp_xml *section = NULL;

    while ((section = perp_xml_child(m->root, "asset", section)) != NULL)
        for (const perp_xml *at = section->first; at != NULL; at = at->next) {
            if (perp_xml_is(at, "mesh") && read_mesh(m, at) != 0)
                return -1;
            if (!perp_mjcf_is_listed(harmless, at->name))
                perp_robot_missing(m->job, at, "this element");
        }
    return 0;
}

/* <deformable> with skins alone. */
static int is_seen_only(const perp_xml *at)
{
    const perp_xml *child = at->first;

    while (child != NULL && perp_xml_is(child, "skin"))
        child = child->next;
    return perp_xml_is(at, "deformable") && child == NULL;
}

static void check_sections(perp_mjcf *m)
{
    static const char *const known[] = {"compiler",  "option", "size",     "visual",    "statistic",
                                        "default",   "custom", "asset",    "worldbody", "contact",
                                        "equality",  "tendon", "actuator", "sensor",    "keyframe",
                                        "extension", /* does nothing by itself: elements that name a
                                                        plugin are not done */
                                        NULL};

    for (const perp_xml *at = m->root->first; at != NULL; at = at->next) {
        int k = 0;
        while (known[k] != NULL && !perp_xml_is(at, known[k]))
            k++;
        if (known[k] == NULL && !is_seen_only(at))
            perp_robot_missing(m->job, at, "this element");
    }
}

/* Before actuators add theirs. */
static void switch_off_passive(perp_mjcf *m)
{
    for (int j = 0; j < m->robot->njoints; j++) {
        perp_robot_joint *joint = &m->robot->joints[j];
        if (m->no_springs)
            joint->stiffness = joint->bend[0] = joint->bend[1] = 0.0;
        if (m->no_dampers)
            joint->damping = joint->brake[0] = joint->brake[1] = 0.0;
    }
    for (int b = 0; b < m->robot->nbodies && m->no_springs && m->no_dampers; b++)
        m->robot->bodies[b].lift = 0.0;
}

/* What flags of <option> switch off. */
static void switch_off(perp_mjcf *m)
{
    for (int j = 0; j < m->robot->njoints; j++) {
        perp_robot_joint *joint = &m->robot->joints[j];
        if (m->no_constraints || m->no_limits)
            joint->limited = 0;
        if (m->no_constraints || m->no_friction)
            joint->friction = 0.0;
    }
}

static int check_names(perp_mjcf *m)
{
    perp_robot *robot = m->robot;

    for (int b = 0; b < robot->nbodies; b++)
        if (perp_xml_get(robot->bodies[b].at, "name") != NULL &&
            perp_robot_find_body(robot, robot->bodies[b].name) != b)
            return perp_robot_fail(m->job, robot->bodies[b].at, "the name is there twice");
    for (int j = 0; j < robot->njoints; j++)
        if (perp_xml_get(robot->joints[j].at, "name") != NULL &&
            perp_robot_find_joint(robot, robot->joints[j].name) != j)
            return perp_robot_fail(m->job, robot->joints[j].at, "the name is there twice");
    for (int g = 0; g < robot->ngeoms; g++)
        if (perp_xml_get(robot->geoms[g].at, "name") != NULL &&
            perp_robot_find_geom(robot, robot->geoms[g].name) != g)
            return perp_robot_fail(m->job, robot->geoms[g].at, "the name is there twice");
    return 0;
}

int perp_robot_read_mjcf(perp_robot *robot, perp_xml *root)
{
    perp_mjcf *m = perp_robot_take(robot->job, 1, sizeof *m);

    if (m == NULL)
        return -1;
    m->robot = robot;
    m->job = robot->job;
    m->root = root;
    robot->gravity[2] = -9.81;
    robot->title = perp_xml_get(root, "model");
    if (perp_mjcf_include(m->job, root, NULL, 0) != 0 || perp_mjcf_attach(m, root, NULL, 0) != 0)
        return -1;
    check_sections(m);
    if (perp_mjcf_read_settings(m, root, NULL, &m->settings) != 0 ||
        perp_mjcf_read_option(m) != 0 || perp_mjcf_read_classes(m) != 0 ||
        perp_mjcf_read_meshes(m) != 0 || perp_mjcf_read_fields(m) != 0 ||
        perp_mjcf_read_tree(m) != 0 || check_names(m) != 0 || perp_mjcf_copy_references(m) != 0 ||
        perp_mjcf_weigh(m) != 0 || perp_mjcf_read_actuators(m) != 0 ||
        perp_mjcf_reflect(m, 1) != 0 || perp_mjcf_tune_springs(m) != 0 ||
        perp_mjcf_read_contact(m) != 0)
        return -1;
    switch_off_passive(m);
    if (perp_mjcf_read_tendons(m) != 0 || perp_mjcf_read_equality(m) != 0 ||
        perp_mjcf_read_sensors(m) != 0 || perp_mjcf_read_start(m) != 0 ||
        perp_mjcf_apply_actuators(m) != 0 || perp_mjcf_apply_tendons(m) != 0)
        return -1;
    switch_off(m);
    if (m->soft != NULL)
        perp_robot_note(
            m->job, m->soft,
            "solref and solimp, here and elsewhere: contacts and limits are exact, and a "
            "damping ratio below 1 is their restitution");
    if (m->thick != NULL)
        perp_robot_note(m->job, m->thick,
                        "margin and gap, here and elsewhere: contacts are where shapes touch, and "
                        "limits where they are");
    return 0;
}
