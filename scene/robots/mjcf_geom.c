/* SPDX-License-Identifier: BSD-3-Clause */
/* <geom>, <inertial>, and the masses that follow from them. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/inertia.h"
#include "scene/robots/mesh.h"
#include "scene/robots/mjcf.h"

/* The size: as given, or from two ends. */
static int read_size(const perp_mjcf_reader *r, perp_robot_geom *geom)
{
    static const int needed[] = {0, 1, 2, 3, 2, 3, 0};
    double fromto[6], way[3];
    int count = perp_mjcf_numbers(r, "size", geom->size, 3);
    int ends = perp_mjcf_exactly(r, "fromto", fromto, 6), sized = needed[geom->form];

    if (count < 0 || ends < 0)
        return -1;
    if (ends > 0 && (geom->form == PERP_ROBOT_CAPSULE || geom->form == PERP_ROBOT_CYLINDER ||
                     geom->form == PERP_ROBOT_ELLIPSOID || geom->form == PERP_ROBOT_BOX)) {
        int along = sized - 1;
        for (int i = 0; i < 3; i++) {
            way[i] = fromto[i] - fromto[i + 3];
            geom->pose.p[i] = 0.5 * (fromto[i] + fromto[i + 3]);
        }
        geom->size[along] = 0.5 * sqrt(perp_dot3(way, way));
        if (along == 2)
            geom->size[1] = geom->size[0];
        if (!(geom->size[along] > 0.0))
            return perp_robot_fail(r->m->job, r->at, "fromto: both ends are one");
        perp_turn_from_z(geom->pose.q, way);
        count = count > 0 ? sized : 0;
    } else if (ends > 0) {
        return perp_robot_fail(r->m->job, r->at,
                               "fromto: of capsules, cylinders, ellipsoids and boxes");
    }
    if (count < sized)
        return perp_robot_fail(r->m->job, r->at, "size: %d numbers are expected, %d given", sized,
                               count);
    for (int i = 0; i < sized; i++)
        if (!(geom->size[i] > 0.0))
            return perp_robot_fail(r->m->job, r->at, "size: every entry is to be positive");
    return 0;
}

static int is_in_pair(const perp_mjcf *m, const char *name)
{
    const perp_xml *section = NULL, *pair;

    while (name != NULL && (section = perp_xml_child(m->root, "contact", section)) != NULL)
        for (pair = NULL; (pair = perp_xml_child(section, "pair", pair)) != NULL;) {
            const char *a = perp_xml_get(pair, "geom1"), *b = perp_xml_get(pair, "geom2");
            if ((a != NULL && strcmp(a, name) == 0) || (b != NULL && strcmp(b, name) == 0))
                return 1;
        }
    return 0;
}

/* Whether the mass of its body follows from it: 1, 0, or -1 after a failure. */
static int counts_for_mass(const perp_mjcf_reader *r, const perp_robot_geom *geom)
{
    double mass = NAN, density = 1000.0, group = 0.0;
    const perp_mjcf_settings *s = perp_mjcf_settings_of(r->m, r->at);
    const perp_xml *up = r->at->up;

    if (perp_mjcf_exactly(r, "mass", &mass, 1) < 0 ||
        perp_mjcf_exactly(r, "density", &density, 1) < 0 ||
        perp_mjcf_exactly(r, "group", &group, 1) < 0)
        return -1;
    while (up != NULL && !perp_xml_is(up, "body"))
        up = up->up;
    return geom->body >= 0 && (isnan(mass) ? density : mass) != 0.0 && group >= s->first_group &&
           group <= s->last_group && s->from_shapes != PERP_MJCF_NEVER &&
           (s->from_shapes == PERP_MJCF_ALWAYS || perp_xml_child(up, "inertial", NULL) == NULL);
}

/* 0; 1: the mesh is not there, -1.  One that is only seen is not read at all. */
static int read_mesh(const perp_mjcf_reader *r, perp_robot_geom *geom, int *seen_only)
{
    const char *name = perp_mjcf_get(r->at, r->from, NULL, "mesh");
    int k = name != NULL ? perp_name_index_find(&r->m->mesh_index, name) : -1;
    int weighs = counts_for_mass(r, geom);

    if (weighs < 0)
        return -1;
    if (k < 0)
        return perp_robot_fail(r->m->job, r->at, "there is no mesh '%.80s'",
                               name != NULL ? name : "");
    geom->mesh = &r->m->meshes[k];
    *seen_only = !weighs && geom->contype == 0 && geom->conaffinity == 0 &&
                 !is_in_pair(r->m, perp_xml_get(r->at, "name"));
    if (!*seen_only)
        return perp_robot_mesh_weigh(r->m->job, geom->mesh);
    if (geom->mesh->wanted != NULL && geom->mesh->file == NULL && !geom->mesh->told) {
        geom->mesh->told = 1;
        perp_robot_note(r->m->job, geom->mesh->at,
                        "'%.200s' is not found in the search path; it is only seen",
                        geom->mesh->wanted);
    }
    return 0;
}

static int read_contact(const perp_mjcf_reader *r, perp_robot_geom *geom)
{
    double friction[3] = {1.0, 0.005, 0.0001}, whole[4] = {3.0, 1.0, 1.0, 0.0};
    static const char *const words[] = {"condim", "contype", "conaffinity", "priority"};

    if (perp_mjcf_numbers(r, "friction", friction, 3) < 0 ||
        perp_mjcf_exactly(r, "margin", &geom->margin, 1) < 0 ||
        perp_mjcf_restitution(r, "solref", &geom->e) != 0)
        return -1;
    for (int k = 0; k < 4; k++)
        if (perp_mjcf_exactly(r, words[k], &whole[k], 1) < 0)
            return -1;
        else if (whole[k] != floor(whole[k]) || fabs(whole[k]) > 2147483647.0)
            return perp_robot_fail(r->m->job, r->at, "%s: a whole number is expected", words[k]);
    if (friction[0] < 0.0 || friction[1] < 0.0 || friction[2] < 0.0)
        return perp_robot_fail(r->m->job, r->at, "friction: less than 0");
    if (whole[0] != 1.0 && whole[0] != 3.0 && whole[0] != 4.0 && whole[0] != 6.0)
        return perp_robot_fail(r->m->job, r->at, "condim: 1, 3, 4 or 6");
    geom->mu = isnan(r->m->job->options->mu) ? friction[0] : r->m->job->options->mu;
    geom->torsion = friction[1];
    geom->rolling = friction[2];
    geom->condim = (int)whole[0];
    geom->contype = (int)whole[1];
    geom->conaffinity = (int)whole[2];
    geom->priority = (int)whole[3];
    return 0;
}

/* A surface that runs, as a belt does. */
static int read_surface(const perp_mjcf_reader *r, perp_robot_geom *geom)
{
    int runs = 0, still = geom->body;

    if (perp_mjcf_numbers(r, "surfacevel", geom->surface, 6) < 0)
        return -1;
    for (int k = 0; k < 6; k++)
        runs |= geom->surface[k] != 0.0;
    while (still >= 0 && r->m->robot->bodies[still].joints == 0)
        still = r->m->robot->bodies[still].parent;
    if (runs && (still >= 0 || geom->form == PERP_ROBOT_MESH))
        perp_robot_missing(r->m->job, r->at, "surfacevel of a mesh, or of what moves");
    return 0;
}

static int read_mass(const perp_mjcf_reader *r, perp_robot_geom *geom)
{
    const perp_mjcf_settings *s = perp_mjcf_settings_of(r->m, r->at);
    double mass = NAN, density = 1000.0, group = 0.0, volume = perp_robot_volume(geom);

    if (perp_mjcf_exactly(r, "mass", &mass, 1) < 0 ||
        perp_mjcf_exactly(r, "density", &density, 1) < 0 ||
        perp_mjcf_exactly(r, "group", &group, 1) < 0)
        return -1;
    if (mass < 0.0 || density < 0.0)
        return perp_robot_fail(r->m->job, r->at, "a mass or density is less than 0");
    geom->mass = isnan(mass) ? density * volume : mass;
    if (geom->form == PERP_ROBOT_PLANE || geom->form == PERP_ROBOT_FIELD)
        geom->mass = 0.0;
    if (!isfinite(geom->mass))
        return perp_robot_fail(r->m->job, r->at, "its mass is no number");
    geom->weighs = group >= s->first_group && group <= s->last_group;
    return 0;
}

static int form_of(const perp_mjcf_reader *r)
{
    static const char *const words[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder",
                                        "box",   "mesh",   "hfield",  "sdf",       NULL};
    const char *type = perp_mjcf_get(r->at, r->from, NULL, "type");

    for (int k = 0; type != NULL && words[k] != NULL; k++)
        if (strcmp(type, words[k]) == 0)
            return k;
    if (type == NULL)
        return PERP_ROBOT_SPHERE;
    perp_robot_fail(r->m->job, r->at, "type: '%.60s' is not known", type);
    return -1;
}

/* Bodies of such shapes have drag of another kind than those of inertia boxes. */
static int read_flow(const perp_mjcf_reader *r, perp_robot_geom *geom)
{
    const char *shape = perp_mjcf_get(r->at, r->from, NULL, "fluidshape");
    static const double usual[] = {0.5, 0.25, 1.5, 1.0, 1.0};
    perp_mjcf *m = r->m;

    memcpy(geom->flow, usual, sizeof usual);
    if (perp_mjcf_numbers(r, "fluidcoef", geom->flow, 5) < 0)
        return -1;
    for (int k = 0; k < 5; k++)
        if (geom->flow[k] < 0.0)
            return perp_robot_fail(m->job, r->at, "fluidcoef: less than 0");
    if (shape == NULL || strcmp(shape, "ellipsoid") != 0 || geom->body < 0 ||
        !(m->robot->density + m->robot->viscosity > 0.0))
        return 0;
    m->robot->bodies[geom->body].slender = 1;
    geom->slender = 1;
    if (geom->form == PERP_ROBOT_MESH) {
        int bad = perp_robot_mesh_weigh(m->job, geom->mesh);
        geom->slender = bad == 0;
        return bad < 0 ? -1 : 0;
    }
    return 0;
}

/* Planes have no end; their size is drawn alone. */
static int check_plane(const perp_mjcf_reader *r)
{
    double size[3];

    return perp_mjcf_numbers(r, "size", size, 3) < 0 ? -1 : 0;
}

int perp_mjcf_read_geom(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    perp_mjcf_reader r = {m, at, perp_mjcf_class_of(m, at, place->childclass), NULL};
    const char *shell = r.from != NULL ? perp_mjcf_get(at, r.from, NULL, "shellinertia") : NULL;
    perp_robot_geom *geom;
    int form = r.from != NULL ? form_of(&r) : -1, bad, seen_only = 0;

    if (form < 0)
        return -1;
    perp_mjcf_check(&r,
                    "name class type contype conaffinity condim group priority size mass density "
                    "friction fromto pos quat axisangle xyaxes zaxis euler mesh shellinertia "
                    "hfield fluidshape fluidcoef fitscale surfacevel",
                    "material rgba user solmix");
    if (at->first != NULL)
        perp_robot_missing(m->job, at->first, "this element");
    if (form > PERP_ROBOT_FIELD) {
        perp_robot_missing(m->job, at, "the type sdf");
        return 0;
    }
    geom = PERP_ROBOT_ADD(m->robot, geoms);
    if (geom == NULL)
        return -1;
    geom->at = at;
    geom->body = place->body;
    geom->form = (perp_robot_form)form;
    geom->name = perp_mjcf_name(m, at, place->suffix, "geom", m->robot->ngeoms);
    if (geom->name == NULL || perp_mjcf_pose(&r, &geom->pose) != 0 || read_contact(&r, geom) != 0 ||
        read_surface(&r, geom) != 0)
        return -1;
    if (form == PERP_ROBOT_MESH)
        bad = read_mesh(&r, geom, &seen_only);
    else if (form == PERP_ROBOT_FIELD)
        bad = perp_mjcf_field_of(m, &r, geom);
    else if (form != PERP_ROBOT_PLANE && perp_mjcf_get(at, r.from, NULL, "mesh") != NULL)
        bad = perp_mjcf_fit(&r, geom);
    else
        bad = form == PERP_ROBOT_PLANE ? check_plane(&r) : read_size(&r, geom);
    if (bad > 0) {
        double mass = 0.0;
        m->robot->ngeoms--;
        if (perp_mjcf_exactly(&r, "mass", &mass, 1) < 0)
            return -1;
        if (place->body >= 0)
            m->robot->bodies[place->body].lost += fmax(mass, 0.0);
        if (perp_name_index_put(&m->lost_geoms, m->job, geom->name, 0) != 0)
            return -1;
    }
    if (bad != 0)
        return bad > 0 ? 0 : -1;
    geom->pose = perp_pose_product(&place->frame, &geom->pose);
    geom->shell = shell != NULL && strcmp(shell, "true") == 0 && form != PERP_ROBOT_MESH;
    if (geom->shell && !perp_robot_can_be_shell(geom)) {
        if (form == PERP_ROBOT_ELLIPSOID)
            perp_robot_missing(m->job, at, "shellinertia of an ellipsoid");
        geom->shell = 0;
    }
    return read_flow(&r, geom) != 0 ? -1 : seen_only ? 0 : read_mass(&r, geom);
}

int perp_mjcf_read_inertial(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    perp_robot_body *body = &m->robot->bodies[place->body];
    perp_pose pose;
    double three[3] = {0.0}, six[6], inertia[9] = {0.0};
    int diagonal, full;

    perp_mjcf_check(&r, "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia", "");
    if (perp_mjcf_pose(&r, &pose) != 0 || perp_mjcf_exactly(&r, "mass", &body->mass, 1) < 0 ||
        (diagonal = perp_mjcf_exactly(&r, "diaginertia", three, 3)) < 0 ||
        (full = perp_mjcf_exactly(&r, "fullinertia", six, 6)) < 0)
        return -1;
    if (diagonal > 0 && full > 0)
        return perp_robot_fail(m->job, at, "diaginertia and fullinertia are both given");
    if (perp_xml_get(at, "mass") == NULL || body->mass < 0.0)
        return perp_robot_fail(m->job, at, "mass: a number of 0 or more is expected");
    for (int i = 0; i < 3; i++)
        inertia[4 * i] = full > 0 ? six[i] : three[i];
    if (full > 0) {
        inertia[1] = inertia[3] = six[3];
        inertia[2] = inertia[6] = six[4];
        inertia[5] = inertia[7] = six[5];
    }
    pose = perp_pose_product(&place->frame, &pose);
    memcpy(body->centre, pose.p, sizeof body->centre);
    perp_turn_tensor(body->inertia, pose.q, inertia);
    memcpy(body->axes, pose.q, sizeof body->axes);
    if (full > 0) {
        double turn[4];
        perp_robot_principal_turn(turn, three, inertia);
        perp_quaternion_product(pose.q, turn, body->axes);
    }
    body->has_inertial = 1;
    return 0;
}

/* Each principal moment is this large at least. */
static void raise_inertia(double *inertia, double least)
{
    double value[3], axes[9];

    perp_tensor_axes(value, axes, inertia);
    memset(inertia, 0, 9 * sizeof *inertia);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                inertia[3 * i + j] += fmax(value[k], least) * axes[3 * k + i] * axes[3 * k + j];
}

/* boundmass, boundinertia, balanceinertia; and whether such a body can be. */
static int check_body(perp_mjcf *m, perp_robot_body *body)
{
    const perp_mjcf_settings *s = perp_mjcf_settings_of(m, body->at);
    double value[3];
    int holds;

    if (body->mass < s->least_mass)
        body->mass = s->least_mass;
    perp_tensor_eigenvalues(value, body->inertia);
    if (s->least_inertia > 0.0 && value[0] < s->least_inertia) {
        raise_inertia(body->inertia, s->least_inertia);
        perp_tensor_eigenvalues(value, body->inertia);
    }
    holds = perp_robot_inertia_holds(body->inertia);
    if (holds < 0 && s->balance) {
        double mean = (value[0] + value[1] + value[2]) / 3.0;
        memset(body->inertia, 0, sizeof body->inertia);
        for (int i = 0; i < 3; i++)
            body->inertia[4 * i] = mean;
    } else if (holds < 0) {
        return perp_robot_fail(m->job, body->at,
                               "its inertia breaks the triangle inequality: %g and %g are together "
                               "less than %g",
                               value[0], value[1], value[2]);
    }
    if (holds == 0 && body->mass > 0.0 && body->joints > 0)
        return perp_robot_fail(m->job, body->at,
                               "moves, and its inertia is not positive: %g, %g, %g", value[0],
                               value[1], value[2]);
    return 0;
}

/* The mass of meshes that are not there goes to the other shapes of their body, evenly. */
static int spread_lost(perp_mjcf *m)
{
    double *volume = perp_robot_take(m->job, (size_t)m->robot->nbodies, sizeof *volume);

    if (volume == NULL)
        return -1;
    for (int g = 0; g < m->robot->ngeoms; g++)
        if (m->robot->geoms[g].body >= 0)
            volume[m->robot->geoms[g].body] += perp_robot_volume(&m->robot->geoms[g]);
    for (int g = 0; g < m->robot->ngeoms; g++) {
        perp_robot_geom *geom = &m->robot->geoms[g];
        if (geom->body >= 0 && m->robot->bodies[geom->body].lost > 0.0 && volume[geom->body] > 0.0)
            geom->mass +=
                m->robot->bodies[geom->body].lost * (perp_robot_volume(geom) / volume[geom->body]);
    }
    return 0;
}

/* Principal axes of a body that weighs by its shapes: those of the shape where there is one. */
static void find_axes(double *axes, const perp_robot *robot, int b)
{
    const perp_robot_geom *only = NULL;
    double moment[3], turn[4] = {1.0, 0.0, 0.0, 0.0};
    int count = 0;

    for (int g = 0; g < robot->ngeoms; g++)
        if (robot->geoms[g].body == b && robot->geoms[g].weighs && robot->geoms[g].mass > 0.0) {
            only = &robot->geoms[g];
            count++;
        }
    if (count != 1) {
        perp_robot_principal_turn(axes, moment, robot->bodies[b].inertia);
        return;
    }
    if (only->form == PERP_ROBOT_MESH)
        perp_robot_principal_turn(turn, moment, only->mesh->second);
    perp_quaternion_product(only->pose.q, turn, axes);
}

int perp_mjcf_weigh(perp_mjcf *m)
{
    double total = 0.0;

    if (spread_lost(m) != 0)
        return -1;
    for (int b = 0; b < m->robot->nbodies; b++) {
        perp_robot_body *body = &m->robot->bodies[b];
        int from = perp_mjcf_settings_of(m, body->at)->from_shapes;
        if (from == PERP_MJCF_ALWAYS || (from == PERP_MJCF_AUTO && !body->has_inertial)) {
            perp_robot_lump lump;
            perp_robot_lump_of_shapes(&lump, m->robot, b);
            body->mass = lump.mass;
            memcpy(body->centre, lump.centre, sizeof body->centre);
            memcpy(body->inertia, lump.second, sizeof body->inertia);
            find_axes(body->axes, m->robot, b);
        }
        if (check_body(m, body) != 0)
            return -1;
        total += body->mass;
    }
    if (m->settings.total_mass > 0.0 && total > 0.0)
        for (int b = 0; b < m->robot->nbodies; b++) {
            perp_robot_body *body = &m->robot->bodies[b];
            body->mass *= m->settings.total_mass / total;
            for (int i = 0; i < 9; i++)
                body->inertia[i] *= m->settings.total_mass / total;
        }
    return 0;
}
