/* SPDX-License-Identifier: BSD-3-Clause */
/* A model from its file to the text of a scene. */
#include <perp/robot.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/caller_struct.h"
#include "scene/robots/closing.h"
#include "scene/robots/overlaps.h"
#include "scene/robots/document.h"
#include "scene/robots/followers.h"
#include "scene/scene_memory.h"

#define CATCH_UP(robot, index, list)                                                               \
    while ((robot)->index.seen < (robot)->n##list &&                                               \
           perp_name_index_put(&(robot)->index, (robot)->job,                                      \
                               (robot)->list[(robot)->index.seen].name, (robot)->index.seen) == 0) \
    (robot)->index.seen++

int perp_robot_find_body(perp_robot *robot, const char *name)
{
    CATCH_UP(robot, body_names, bodies);
    return perp_name_index_find(&robot->body_names, name);
}

int perp_robot_find_joint(perp_robot *robot, const char *name)
{
    CATCH_UP(robot, joint_names, joints);
    return perp_name_index_find(&robot->joint_names, name);
}

int perp_robot_find_geom(perp_robot *robot, const char *name)
{
    CATCH_UP(robot, geom_names, geoms);
    return perp_name_index_find(&robot->geom_names, name);
}

const perp_robot_site *perp_robot_find_site(perp_robot *robot, const char *name)
{
    int k;

    CATCH_UP(robot, site_names, sites);
    k = perp_name_index_find(&robot->site_names, name);
    return k >= 0 ? &robot->sites[k] : NULL;
}

const char *perp_robot_assignment(perp_robot_job *job, const char *text, double *value)
{
    const char *sign = text != NULL ? strrchr(text, '=') : NULL;

    if (sign == NULL || sign == text ||
        perp_xml_numbers(job, value, 1, NULL, "a value", sign + 1) != 1) {
        perp_robot_fail(job, NULL, "'%.80s' is not NAME=VALUE", text != NULL ? text : "");
        return NULL;
    }
    return perp_robot_text(job, "%.*s", (int)(sign - text), text);
}

/* A motor in each joint without one; such without a force hold nothing, which is said once. */
static void hold_joints(perp_robot *robot)
{
    const perp_robot_joint *weak = NULL;
    int count = 0;

    for (int j = 0; j < robot->njoints; j++) {
        perp_robot_joint *joint = &robot->joints[j];
        if (joint->has_servo)
            continue;
        joint->holds = 1;
        joint->target = joint->start;
        if (!(joint->most > 0.0) && !(joint->most_low < 0.0)) {
            weak = weak != NULL ? weak : joint;
            count++;
        }
    }
    if (count == 1)
        perp_robot_note(robot->job, weak->at, "its largest force (effort) is 0: nothing holds it");
    else if (count > 1)
        perp_robot_note(robot->job, weak->at,
                        "its largest force (effort) is 0: nothing holds it, nor %d more",
                        count - 1);
}

/* Poses of the caller, and motors that hold them. */
static int take_wishes(perp_robot *robot)
{
    const perp_robot_options *options = robot->job->options;

    for (int k = 0; k < options->nposes; k++) {
        double value;
        const char *name = perp_robot_assignment(robot->job, options->pose[k], &value);
        int joint = name != NULL ? perp_robot_find_joint(robot, name) : -1;
        if (name == NULL)
            return -1;
        if (joint < 0 || (robot->joints[joint].motion != PERP_ROBOT_HINGE &&
                          robot->joints[joint].motion != PERP_ROBOT_SLIDE))
            return perp_robot_fail(robot->job, NULL,
                                   "there is no joint '%.80s' with one coordinate", name);
        robot->joints[joint].start = value;
    }
    perp_robot_place_followers(robot);
    for (int j = 0; j < robot->njoints; j++) {
        perp_robot_joint *joint = &robot->joints[j];
        double within = fmin(fmax(joint->start, joint->low), joint->high);
        if (!joint->limited || within == joint->start || joint->motion == PERP_ROBOT_BALL)
            continue;
        perp_robot_note(robot->job, joint->at, "starts at its limit %g, as %g is beyond it", within,
                        joint->start);
        joint->start = within;
    }
    perp_robot_place_followers(robot); /* of joints that were moved into their limits */
    if (perp_robot_close_ties(robot) != 0)
        return -1;
    if (options->hold)
        hold_joints(robot);
    return 0;
}

static int read_semantic(perp_robot *robot, perp_xml **root)
{
    const char *path = robot->job->options->semantic;

    *root = NULL;
    if (path == NULL)
        return 0;
    *root = perp_xml_read(robot->job, path, path);
    if (*root == NULL)
        return -1;
    return perp_xml_is(*root, "robot")
               ? 0
               : perp_robot_fail(robot->job, *root, "no SRDF: <robot> is expected");
}

/* The text of the scene; NULL after a failure. */
static const char *make(perp_robot_job *job, perp_xml *root)
{
    perp_robot *robot = perp_robot_take(job, 1, sizeof *robot);
    perp_xml *semantic;
    const char *text;
    int bad;

    if (robot == NULL || root == NULL)
        return NULL;
    robot->job = job;
    if (read_semantic(robot, &semantic) != 0)
        return NULL;
    if (semantic != NULL)
        perp_robot_read_srdf_base(robot, semantic);
    if (perp_xml_is(root, "mujoco"))
        bad = perp_robot_read_mjcf(robot, root);
    else if (perp_xml_is(root, "robot"))
        bad = perp_robot_read_urdf(robot, root);
    else
        bad = perp_robot_fail(job, root,
                              "neither MJCF, which begins with <mujoco>, nor URDF, which "
                              "begins with <robot>");
    if (bad != 0 || (semantic != NULL && perp_robot_read_srdf(robot, semantic) != 0) ||
        perp_robot_free_followers(robot) != 0 || take_wishes(robot) != 0)
        return NULL;
    text = perp_robot_document_text(robot);
    if (text != NULL)
        text = perp_robot_part_overlaps(robot, text, robot->one_robot && semantic == NULL);
    return text != NULL && perp_robot_tell(job) == 0 ? text : NULL;
}

/* What is missing is told even where something else was refused first. */
static perp_status finish(perp_robot_job *job, char **text, const char *made,
                          perp_scene_error *error)
{
    perp_status status;

    if (made != NULL) {
        *text = perp_scene_zeroed(&job->memory, strlen(made) + 1, 1);
        if (*text != NULL)
            memcpy(*text, made, strlen(made));
        else
            perp_robot_fail_status(job, PERP_ERR_MEMORY, NULL, "not enough memory");
    } else if (job->status != PERP_ERR_MEMORY) {
        perp_robot_tell(job);
    }
    status = job->status;
    if (status != PERP_SOLVED)
        perp_scene_give(error, &job->error, sizeof job->error);
    perp_robot_end(job);
    return status;
}

/* The folder of a file, resolved, in memory of the job. */
static const char *folder_of(perp_robot_job *job, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL   ? "."
                       : slash == path ? "/"
                                       : perp_robot_text(job, "%.*s", (int)(slash - path), path);
    char *real = name != NULL ? realpath(name, NULL) : NULL;
    const char *kept = real != NULL ? perp_robot_text(job, "%s", real) : NULL;

    free(real);
    return kept;
}

static perp_status begin(perp_robot_job *job, char **text, perp_robot_options *own,
                         const perp_robot_options *options, const perp_allocator *allocator)
{
    perp_robot_options_init(own, sizeof *own);
    if (text == NULL)
        return PERP_ERR_ARGUMENT;
    *text = NULL;
    if (perp_scene_accept(own, sizeof *own, options) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    perp_robot_begin(job, allocator, own);
    return PERP_SOLVED;
}

perp_status perp_robot_read(char **text, const char *path, const perp_robot_options *options,
                            const perp_allocator *allocator, perp_scene_error *error)
{
    perp_robot_options own;
    perp_robot_job job;

    if (path == NULL || begin(&job, text, &own, options, allocator) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    job.name = own.name != NULL ? own.name : path;
    job.folder = folder_of(&job, path);
    return finish(&job, text, make(&job, perp_xml_read(&job, path, job.name)), error);
}

perp_status perp_robot_read_text(char **text, const char *model, size_t bytes,
                                 const perp_robot_options *options, const perp_allocator *allocator,
                                 perp_scene_error *error)
{
    perp_robot_options own;
    perp_robot_job job;

    if (model == NULL || begin(&job, text, &own, options, allocator) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    job.name = own.name != NULL ? own.name : "model";
    return finish(&job, text, make(&job, perp_xml_parse(&job, model, bytes, job.name)), error);
}
