/* SPDX-License-Identifier: BSD-3-Clause */
/* <actuator>, <sensor> and <keyframe>. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/mjcf.h"

int perp_mjcf_read_actuators(perp_mjcf *m)
{
    static const char *const kinds[] = {"motor",       "position", "velocity", "general", "damper",
                                        "intvelocity", "cylinder", "adhesion", "muscle",  NULL};
    const perp_xml *section = NULL;

    while ((section = perp_xml_child(m->root, "actuator", section)) != NULL)
        for (const perp_xml *at = section->first; at != NULL; at = at->next) {
            perp_mjcf_actuator *made;
            int kind = 0;
            while (kinds[kind] != NULL && !perp_xml_is(at, kinds[kind]))
                kind++;
            if (kinds[kind] == NULL)
                perp_robot_missing(m->job, at, "this actuator");
            made = perp_robot_add(m->job, (void **)&m->actuators, &m->nactuators,
                                  &m->actuators_capacity, sizeof *made);
            if (made == NULL)
                return -1;
            made->at = at;
            made->done = kinds[kind] != NULL;
            made->name = perp_mjcf_name(m, at, "", "actuator", m->nactuators);
            if (made->name == NULL)
                return -1;
        }
    return 0;
}

/* The keyframe called so, or of this number. */
static const perp_xml *find_key(const perp_mjcf *m, const char *wanted)
{
    const perp_xml *section = NULL;
    int number = 0;

    while ((section = perp_xml_child(m->root, "keyframe", section)) != NULL)
        for (const perp_xml *at = perp_xml_child(section, "key", NULL); at != NULL;
             at = perp_xml_child(section, "key", at), number++) {
            const char *name = perp_xml_get(at, "name");
            char digits[16];
            int k = 15, rest = number;
            digits[k] = '\0';
            do {
                digits[--k] = (char)('0' + rest % 10);
                rest /= 10;
            } while (rest > 0);
            if ((name != NULL && strcmp(name, wanted) == 0) || strcmp(digits + k, wanted) == 0)
                return at;
        }
    return NULL;
}

/* An array of the keyframe with exactly n numbers; NULL where it is absent or after a failure. */
static double *key_array(perp_mjcf *m, const perp_xml *at, const char *attribute, int n)
{
    const char *text = perp_xml_get(at, attribute);
    double *values;
    int count;

    if (text == NULL)
        return NULL;
    values = perp_robot_take(m->job, (size_t)n + 1, sizeof *values);
    if (values == NULL || (count = perp_xml_numbers(m->job, values, n, at, attribute, text)) < 0)
        return NULL;
    if (count != n) {
        perp_robot_fail(m->job, at, "%s: %d numbers are expected, %d given", attribute, n, count);
        return NULL;
    }
    return values;
}

/* Whether a keyframe has numbers for an element: one of a model that is attached for all of that
 * model. */
static int has_numbers_for(const perp_mjcf *m, const perp_xml *key, const perp_xml *at)
{
    return key->part == 0 || (at->part > m->parts[key->part - 1].first && at->part <= key->part);
}

static const int sizes_q[] = {7, 4, 1, 1, 0}, sizes_v[] = {6, 3, 1, 1, 0};

/* Where bodies stand that only a program moves. */
static int place_mocaps(perp_mjcf *m, const perp_xml *at)
{
    perp_robot *robot = m->robot;
    double *place, *turn;
    int count = 0, k = 0;

    for (int b = 0; b < robot->nbodies; b++)
        count += robot->bodies[b].still && has_numbers_for(m, at, robot->bodies[b].at);
    place = key_array(m, at, "mpos", 3 * count);
    turn = key_array(m, at, "mquat", 4 * count);
    if (m->job->status != PERP_SOLVED)
        return -1;
    for (int b = 0; b < robot->nbodies; b++) {
        perp_pose *pose = &robot->bodies[b].pose;
        if (!robot->bodies[b].still || !has_numbers_for(m, at, robot->bodies[b].at))
            continue;
        robot->bodies[b].modelled = *pose;
        robot->bodies[b].moved = 1;
        if (place != NULL)
            memcpy(pose->p, place + 3 * k, sizeof pose->p);
        if (turn != NULL)
            memcpy(pose->q, turn + 4 * k, sizeof pose->q);
        if (perp_quaternion_normalise(pose->q) != PERP_SOLVED)
            return perp_robot_fail(m->job, at, "mquat: a quaternion of 0");
        k++;
    }
    return 0;
}

/* "act": of the actuators that have an activation. */
static int take_activations(perp_mjcf *m, const perp_xml *at)
{
    int *own = perp_robot_take(m->job, (size_t)m->nactuators + 1, sizeof *own), count = 0;
    double *values;

    if (own == NULL)
        return -1;
    for (int k = 0; k < m->nactuators; k++) {
        perp_mjcf_reader r = {m, m->actuators[k].at, NULL, NULL};
        r.from = perp_mjcf_class_of(m, r.at, NULL);
        if (r.from == NULL)
            return -1;
        if (m->actuators[k].done && has_numbers_for(m, at, r.at) &&
            perp_mjcf_dynamics_of(&r) != PERP_MJCF_DIRECT)
            own[count++] = k;
    }
    values = key_array(m, at, "act", count);
    for (int k = 0; values != NULL && k < count; k++)
        m->actuators[own[k]].activation = values[k];
    return m->job->status == PERP_SOLVED ? 0 : -1;
}

/* Places and speeds of the joints of a keyframe. */
static int take_joints(perp_mjcf *m, const perp_xml *at)
{
    perp_robot *robot = m->robot;
    double *q, *v;
    int nq = 0, nv = 0;

    for (int j = 0; j < robot->njoints; j++)
        if (has_numbers_for(m, at, robot->joints[j].at)) {
            nq += sizes_q[robot->joints[j].motion];
            nv += sizes_v[robot->joints[j].motion];
        }
    q = key_array(m, at, "qpos", nq);
    v = key_array(m, at, "qvel", nv);
    if (m->job->status != PERP_SOLVED)
        return -1;
    for (int j = 0, iq = 0, iv = 0; j < robot->njoints; j++) {
        perp_robot_joint *joint = &robot->joints[j];
        int first = joint->motion == PERP_ROBOT_FREE ? 0 : 3, one = sizes_q[joint->motion] == 1;
        if (!has_numbers_for(m, at, joint->at))
            continue;
        if (q != NULL && one)
            joint->start = q[iq];
        if (q != NULL && !one) {
            memcpy(joint->pose + first, q + iq, (size_t)(7 - first) * sizeof *q);
            if (perp_quaternion_normalise(joint->pose + 3) != PERP_SOLVED)
                return perp_robot_fail(m->job, at, "qpos: a quaternion of 0");
            joint->has_pose = 1;
        }
        if (v != NULL && one)
            joint->rate = v[iv];
        if (v != NULL && !one)
            memcpy(joint->twist + first, v + iv, (size_t)(6 - first) * sizeof *v);
        iq += sizes_q[joint->motion];
        iv += sizes_v[joint->motion];
    }
    return 0;
}

static int take_key(perp_mjcf *m, const perp_xml *at)
{
    perp_mjcf_reader r = {m, at, NULL, NULL};
    double *control;
    int count = 0;

    perp_mjcf_check(&r, "name qpos qvel ctrl act mpos", "time mquat");
    for (int k = 0; k < m->nactuators; k++)
        count += has_numbers_for(m, at, m->actuators[k].at);
    control = key_array(m, at, "ctrl", count);
    if (m->job->status != PERP_SOLVED || take_activations(m, at) != 0 || take_joints(m, at) != 0)
        return -1;
    for (int k = 0, i = 0; control != NULL && k < m->nactuators; k++)
        if (has_numbers_for(m, at, m->actuators[k].at))
            m->actuators[k].control = control[i++];
    return place_mocaps(m, at);
}

/* By its name; one without a name by that of the joint, tendon or site on which it is the only one.
 * NULL: there is none. */
static perp_mjcf_actuator *find_actuator(perp_mjcf *m, const char *name)
{
    static const char *const moved[] = {"joint", "jointinparent", "tendon", "site"};
    perp_mjcf_actuator *found = NULL;
    int count = 0;

    for (int k = 0; k < m->nactuators; k++)
        if (strcmp(m->actuators[k].name, name) == 0)
            return &m->actuators[k];
    for (int k = 0; k < m->nactuators; k++)
        for (int i = 0; i < 4; i++) {
            const char *on = perp_xml_get(m->actuators[k].at, moved[i]);
            if (on == NULL || strcmp(on, name) != 0)
                continue;
            if (perp_xml_get(m->actuators[k].at, "name") == NULL)
                found = &m->actuators[k];
            count++;
        }
    return count == 1 ? found : NULL;
}

int perp_mjcf_read_start(perp_mjcf *m)
{
    const perp_robot_options *options = m->job->options;
    const perp_xml *key = options->keyframe != NULL ? find_key(m, options->keyframe) : NULL;

    if (options->keyframe == NULL && (key = find_key(m, "0")) != NULL) {
        m->robot->keyframe = perp_xml_get(key, "name") != NULL ? perp_xml_get(key, "name") : "0";
        key = NULL;
    }
    if (options->keyframe != NULL && key == NULL)
        return perp_robot_fail(m->job, NULL, "there is no keyframe '%.80s'", options->keyframe);
    if (key != NULL && take_key(m, key) != 0)
        return -1;
    for (int k = 0; k < options->ncontrols; k++) {
        double value;
        const char *name = perp_robot_assignment(m->job, options->control[k], &value);
        perp_mjcf_actuator *actuator;
        if (name == NULL)
            return -1;
        actuator = find_actuator(m, name);
        if (actuator == NULL)
            return perp_robot_fail(m->job, NULL,
                                   m->nactuators > 0
                                       ? "there is no actuator '%.80s'; the first one is '%.80s'"
                                       : "there is no actuator '%.80s'",
                                   name, m->nactuators > 0 ? m->actuators[0].name : "");
        actuator->control = value;
    }
    return 0;
}
