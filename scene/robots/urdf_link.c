/* SPDX-License-Identifier: BSD-3-Clause */
/* Links of a URDF: masses, shapes, contacts. */
#include "scene/robots/urdf.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "scene/robots/inertia.h"
#include "scene/robots/mesh.h"
#include "scene/robots/search_path.h"
#include "scene/robots/urdf_drake.h"

/* Six words; products of inertia that are missing are 0, as most programs have it. */
static int read_tensor(perp_urdf *u, const perp_xml *inertia, double *tensor)
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
        if (perp_urdf_needed(u, inertia, words[k], &value, 1) != 0)
            return -1;
        tensor[places[k][0]] = tensor[places[k][1]] = value;
    }
    return 0;
}

int perp_urdf_inertial(perp_urdf *u, const perp_xml *link, perp_robot_body *body)
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
    if (perp_urdf_origin(u, at, &pose) != 0 ||
        perp_urdf_needed(u, mass, "value", &body->mass, 1) != 0 ||
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

/* Three numbers; files of Bullet have a fourth one, which is 1. */
static int read_scale(perp_urdf *u, const perp_xml *at, double *scale)
{
    const char *text = perp_xml_get(at, "scale");
    double read[4];
    int count = text != NULL ? perp_xml_numbers(u->job, read, 4, at, "scale", text) : 0;

    if (count < 0)
        return -1;
    if (count == 4 && read[3] == 1.0) {
        perp_robot_note(u->job, at, "scale: the fourth number is not read");
        memcpy(scale, read, 3 * sizeof *scale);
        return 0;
    }
    return perp_urdf_numbers(u, at, "scale", scale, 3) < 0 ? -1 : 0;
}

static int read_mesh(perp_urdf *u, const perp_xml *at, perp_robot_geom *geom)
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
    if (read_scale(u, at, mesh->scale) != 0)
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
static int read_plane(perp_urdf *u, const perp_xml *at, perp_robot_geom *geom)
{
    double normal[3] = {0.0, 0.0, 1.0};
    perp_pose turned = perp_pose_identity();

    if (perp_urdf_numbers(u, at, "normal", normal, 3) < 0)
        return -1;
    if (!(perp_unit3(normal) > 0.0))
        return perp_robot_fail(u->job, at, "normal: no direction");
    geom->form = PERP_ROBOT_PLANE;
    perp_turn_from_z(turned.q, normal);
    geom->pose = perp_pose_product(&geom->pose, &turned);
    return 0;
}

/* 0, 1: there is nothing of it, -1.  A capsule without length is a ball. */
static int check_size(perp_urdf *u, const perp_xml *at, const perp_robot_geom *geom)
{
    int count = geom->form == PERP_ROBOT_BOX || geom->form == PERP_ROBOT_ELLIPSOID ? 3
                : geom->form == PERP_ROBOT_SPHERE                                  ? 1
                                                                                   : 2;

    for (int i = 0; i < count; i++)
        if (geom->size[i] < 0.0)
            return perp_robot_fail(u->job, at, "no size may be below 0");
    for (int i = 0; i < count; i++)
        if (geom->size[i] == 0.0 && !(i == 1 && geom->form == PERP_ROBOT_CAPSULE)) {
            perp_robot_missing(u->job, at, "a shape without extent (a size of 0)");
            return 1;
        }
    return 0;
}

/* 0, 1: there is none that can be felt, -1. */
static int read_shape(perp_urdf *u, const perp_xml *collision, perp_robot_geom *geom)
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
        if (perp_urdf_needed(u, at, "size", geom->size, 3) != 0)
            return -1;
        for (int i = 0; i < 3; i++)
            geom->size[i] *= 0.5;
    } else if (perp_xml_is(at, "plane")) {
        return read_plane(u, at, geom);
    } else if (perp_xml_is(at, "sphere")) {
        geom->form = PERP_ROBOT_SPHERE;
        if (perp_urdf_needed(u, at, "radius", geom->size, 1) != 0)
            return -1;
    } else if (perp_xml_is(at, "drake:ellipsoid")) {
        geom->form = PERP_ROBOT_ELLIPSOID;
        if (perp_urdf_needed(u, at, "a", &geom->size[0], 1) != 0 ||
            perp_urdf_needed(u, at, "b", &geom->size[1], 1) != 0 ||
            perp_urdf_needed(u, at, "c", &geom->size[2], 1) != 0)
            return -1;
    } else if (perp_xml_is(at, "cylinder") || perp_xml_is(at, "capsule") ||
               perp_xml_is(at, "drake:capsule")) {
        geom->form = perp_xml_is(at, "cylinder") ? PERP_ROBOT_CYLINDER : PERP_ROBOT_CAPSULE;
        if (perp_urdf_needed(u, at, "radius", geom->size, 1) != 0 ||
            perp_urdf_needed(u, at, "length", &length, 1) != 0)
            return -1;
        geom->size[1] = 0.5 * length;
    } else {
        perp_robot_missing(u->job, at, "this shape");
        return 1;
    }
    return check_size(u, at, geom);
}

int perp_urdf_collisions(perp_urdf *u, const perp_xml *link, int body)
{
    const perp_xml *at = NULL, *contact = perp_xml_child(link, "contact", NULL);
    static const char *const words[] = {"lateral_friction", "restitution", "spinning_friction",
                                        "rolling_friction"};
    double value[4] = {u->robot->mu, u->robot->e, 0.0, 0.0}, mu, e;

    for (int k = 0; k < 4; k++)
        if (perp_urdf_numbers(u, perp_xml_child(contact, words[k], NULL), "value", &value[k], 1) <
            0)
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
        double own = mu;
        int got;
        memset(&geom, 0, sizeof geom);
        geom.at = at;
        geom.body = body;
        got = perp_urdf_origin(u, at, &geom.pose) != 0 || perp_urdf_drake_friction(u, at, &own) != 0
                  ? -1
                  : read_shape(u, at, &geom);
        if (got < 0)
            return -1;
        if (got > 0)
            continue;
        made = PERP_ROBOT_ADD(u->robot, geoms);
        if (made == NULL)
            return -1;
        *made = geom;
        made->mu = isnan(u->job->options->mu) ? own : u->job->options->mu;
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
