/* SPDX-License-Identifier: BSD-3-Clause */
/* <compiler>, <option>, and elements at the top that are not read. */
#include <math.h>
#include <string.h>

#include "scene/robots/mjcf.h"

static int read_sequence(perp_mjcf *m, const perp_xml *at, perp_mjcf_settings *s)
{
    const char *text = perp_xml_get(at, "eulerseq");

    if (text == NULL)
        return 0;
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
        return perp_robot_fail(m->job, at, "eulerseq: three of x y z X Y Z are expected");
    memcpy(s->sequence, text, 4);
    return 0;
}

static int read_group_range(const perp_mjcf_reader *r, perp_mjcf_settings *s)
{
    double range[2] = {0.0, 5.0};

    if (perp_mjcf_exactly(r, "inertiagrouprange", range, 2) < 0)
        return -1;
    s->first_group = range[0];
    s->last_group = range[1];
    return 0;
}

static int read_compiler(perp_mjcf *m, const perp_xml *at, perp_mjcf_settings *s)
{
    const char *angle = perp_xml_get(at, "angle"), *from = perp_xml_get(at, "inertiafromgeom");
    const char *folder = perp_xml_get(at, "meshdir"), *coordinate = perp_xml_get(at, "coordinate");
    const char *assets = perp_xml_get(at, "assetdir");
    perp_mjcf_reader r = {m, at, NULL, NULL};

    perp_mjcf_check(&r,
                    "angle autolimits boundmass boundinertia settotalmass balanceinertia "
                    "coordinate eulerseq meshdir assetdir inertiafromgeom inertiagrouprange "
                    "strippath fitaabb",
                    "texturedir discardvisual usethread fusestatic alignfree "
                    "exactmeshinertia convexhull saveinertial conflict");
    if (angle != NULL && strcmp(angle, "radian") != 0 && strcmp(angle, "degree") != 0)
        return perp_robot_fail(m->job, at, "angle: degree or radian");
    if (angle != NULL)
        s->radians = strcmp(angle, "radian") == 0 ? 1.0 : 0.017453292519943295769;
    if (coordinate != NULL && strcmp(coordinate, "local") != 0 && strcmp(coordinate, "global") != 0)
        return perp_robot_fail(m->job, at, "coordinate: local or global");
    if (coordinate != NULL)
        s->global = strcmp(coordinate, "global") == 0;
    if (from != NULL)
        s->from_shapes = strcmp(from, "true") == 0    ? PERP_MJCF_ALWAYS
                         : strcmp(from, "false") == 0 ? PERP_MJCF_NEVER
                                                      : PERP_MJCF_AUTO;
    if (assets != NULL || folder != NULL)
        s->mesh_folder = folder != NULL ? folder : assets;
    if (perp_mjcf_flag(&r, "autolimits", &s->autolimits) != 0 ||
        perp_mjcf_flag(&r, "balanceinertia", &s->balance) != 0 ||
        perp_mjcf_flag(&r, "strippath", &s->strip_path) != 0 ||
        perp_mjcf_flag(&r, "fitaabb", &s->fit_bounds) != 0 ||
        perp_mjcf_exactly(&r, "boundmass", &s->least_mass, 1) < 0 ||
        perp_mjcf_exactly(&r, "boundinertia", &s->least_inertia, 1) < 0 ||
        perp_mjcf_exactly(&r, "settotalmass", &s->total_mass, 1) < 0)
        return -1;
    return read_sequence(m, at, s) != 0 ? -1 : read_group_range(&r, s);
}

const perp_mjcf_settings *perp_mjcf_settings_of(const perp_mjcf *m, const perp_xml *at)
{
    return at->part > 0 ? &m->parts[at->part - 1].settings : &m->settings;
}

int perp_mjcf_read_settings(perp_mjcf *m, const perp_xml *root, const char *folder,
                            perp_mjcf_settings *s)
{
    const perp_xml *at = NULL;

    memset(s, 0, sizeof *s);
    s->radians = 0.017453292519943295769;
    memcpy(s->sequence, "xyz", 4);
    s->autolimits = 1;
    s->from_shapes = PERP_MJCF_AUTO;
    s->last_group = 5.0;
    while ((at = perp_xml_child(root, "compiler", at)) != NULL)
        if (read_compiler(m, at, s) != 0)
            return -1;
    if (folder != NULL && s->mesh_folder != NULL && s->mesh_folder[0] != '/')
        s->mesh_folder = perp_robot_text(m->job, "%s/%s", folder, s->mesh_folder);
    else if (folder != NULL && s->mesh_folder == NULL)
        s->mesh_folder = folder;
    return m->job->status == PERP_SOLVED ? 0 : -1;
}

static int read_flags(perp_mjcf *m, const perp_xml *option)
{
    for (const perp_xml *at = option->first; at != NULL; at = at->next) {
        if (!perp_xml_is(at, "flag")) {
            perp_robot_missing(m->job, at, "this element");
            continue;
        }
        perp_mjcf_check(&(perp_mjcf_reader){m, at, NULL, NULL},
                        "contact gravity filterparent constraint limit frictionloss equality "
                        "actuation clampctrl spring damper passive override",
                        "warmstart refsafe sensor midphase nativeccd eulerdamp autoreset island "
                        "energy fwdinv invdiscrete multiccd sleep");
        for (const perp_xml_attribute *a = at->attributes; a != NULL; a = a->next) {
            int off = strcmp(a->value, "disable") == 0;
            if (!off && strcmp(a->value, "enable") != 0)
                return perp_robot_fail(m->job, at, "%.40s: enable or disable", a->name);
            if (strcmp(a->name, "contact") == 0 && off)
                m->robot->no_contacts = 1;
            else if (strcmp(a->name, "gravity") == 0 && off)
                memset(m->robot->gravity, 0, sizeof m->robot->gravity);
            else if (strcmp(a->name, "filterparent") == 0 && off)
                m->robot->parents_touch = 1;
            else if (strcmp(a->name, "constraint") == 0 && off)
                m->robot->no_contacts = m->no_constraints = 1;
            else if (strcmp(a->name, "limit") == 0 && off)
                m->no_limits = 1;
            else if (strcmp(a->name, "frictionloss") == 0 && off)
                m->no_friction = 1;
            else if (strcmp(a->name, "equality") == 0 && off)
                m->no_ties = 1;
            else if (strcmp(a->name, "actuation") == 0 && off)
                m->no_actuators = 1;
            else if (strcmp(a->name, "clampctrl") == 0 && off)
                m->no_clamps = 1;
            else if (strcmp(a->name, "spring") == 0 && off)
                m->no_springs = 1;
            else if (strcmp(a->name, "damper") == 0 && off)
                m->no_dampers = 1;
            else if (strcmp(a->name, "passive") == 0 && off)
                m->no_springs = m->no_dampers = 1;
            else if (strcmp(a->name, "override") == 0 && !off)
                perp_robot_missing(m->job, at, "override");
        }
    }
    return 0;
}

/* Which pairs may touch: all, those of <contact> alone, or those of masks alone. */
static int read_collision(perp_mjcf *m, const perp_xml *at)
{
    const char *text = perp_xml_get(at, "collision");

    if (text == NULL)
        return 0;
    m->no_masks = strcmp(text, "predefined") == 0;
    m->no_pairs = strcmp(text, "dynamic") == 0;
    if (!m->no_masks && !m->no_pairs && strcmp(text, "all") != 0)
        return perp_robot_fail(m->job, at, "collision: all, predefined or dynamic");
    return 0;
}

/* Groups of actuators that do nothing. */
static int read_groups(const perp_mjcf_reader *r)
{
    double group[31];
    int count = perp_mjcf_numbers(r, "actuatorgroupdisable", group, 31);

    for (int k = 0; k < count; k++) {
        if (!(group[k] >= 0.0 && group[k] < 31.0 && group[k] == floor(group[k])))
            return perp_robot_fail(r->m->job, r->at,
                                   "actuatorgroupdisable: whole numbers from 0 to 30");
        r->m->disabled_groups |= 1u << (int)group[k];
    }
    return count < 0 ? -1 : 0;
}

int perp_mjcf_read_option(perp_mjcf *m)
{
    const perp_xml *at = NULL;

    m->robot->step = 0.002;
    while ((at = perp_xml_child(m->root, "option", at)) != NULL) {
        perp_mjcf_reader r = {m, at, NULL, NULL};
        perp_mjcf_check(&r,
                        "timestep gravity density viscosity wind collision actuatorgroupdisable",
                        "integrator cone jacobian solver iterations tolerance ls_iterations "
                        "ls_tolerance noslip_iterations noslip_tolerance ccd_iterations "
                        "ccd_tolerance mpr_iterations mpr_tolerance sdf_iterations "
                        "sdf_initpoints impratio magnetic apirate sleep_tolerance o_margin "
                        "o_solref o_solimp o_friction");
        if (perp_mjcf_exactly(&r, "timestep", &m->robot->step, 1) < 0 ||
            perp_mjcf_exactly(&r, "gravity", m->robot->gravity, 3) < 0 ||
            perp_mjcf_exactly(&r, "density", &m->robot->density, 1) < 0 ||
            perp_mjcf_exactly(&r, "viscosity", &m->robot->viscosity, 1) < 0 ||
            perp_mjcf_exactly(&r, "wind", m->robot->wind, 3) < 0)
            return -1;
        if (m->robot->density < 0.0 || m->robot->viscosity < 0.0)
            return perp_robot_fail(m->job, at, "a density or viscosity is less than 0");
        if (!(m->robot->step > 0.0))
            return perp_robot_fail(m->job, at, "timestep: not positive");
        if (read_collision(m, at) != 0 || read_groups(&r) != 0 || read_flags(m, at) != 0)
            return -1;
    }
    if (m->no_springs && m->no_dampers)
        m->robot->density = m->robot->viscosity = 0.0;
    return 0;
}
