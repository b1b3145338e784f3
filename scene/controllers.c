/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled controllers: a force on one coordinate that is found from it at every sample and held
 * until the next one.  The force is that of a box law with both bounds equal. */
#include <math.h>
#include <string.h>

#include "scene/relations.h"

typedef enum kind { PID, SLIDING, TABLE } kind;

struct perp_scene_controller {
    perp_scene *scene;
    kind kind;
    perp_interaction_id id;
    double period, largest;
    perp_scene_motion target, feed; /* feed: added to the force, or all of it */
    double kp, ki, kd;
    double gain, slope, inertia; /* of sliding modes */
    int implicit;
    double integral;
    struct perp_scene_controller *next;
};

static double cut(double x, double most)
{
    return fmin(fmax(x, -most), most);
}

/* The integral stands still while the force is at its largest and would only grow. */
static double pid(perp_scene_controller *c, double t, double y, double u)
{
    double error = perp_scene_motion_value(&c->target, t) - y;
    double rate = perp_scene_motion_rate(&c->target, t) - u;
    double force = c->kp * error + c->kd * rate + perp_scene_motion_value(&c->feed, t);
    double integral = c->integral + c->period * error;

    if (fabs(force + c->ki * integral) <= c->largest || c->ki * error * force < 0.0)
        c->integral = integral;
    return force + c->ki * c->integral;
}

/* On s = u + slope y, both relative to the target.  Explicit: - gain sgn(s).  Implicit: of a plant
 * inertia y'' = force the s at the next sample is s + T slope u + (T/J)(1 + slope T/2) force, and
 * force is in - gain Sgn of that [AcaryBrogliato2010]. */
static double sliding(const perp_scene_controller *c, double t, double y, double u)
{
    double rate = u - perp_scene_motion_rate(&c->target, t), T = c->period;
    double s = rate + c->slope * (y - perp_scene_motion_value(&c->target, t));
    double feed = perp_scene_motion_value(&c->feed, t);

    if (!c->implicit)
        return feed + (s > 0.0 ? -c->gain : s < 0.0 ? c->gain : 0.0);
    double next = s + T * c->slope * rate, b = T / c->inertia * (1.0 + 0.5 * c->slope * T);
    return feed + cut(-next / b, c->gain);
}

static int sample(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    perp_scene_controller *c = ctx;
    const double *y, *u;
    double force;

    (void)sim, (void)h;
    if (perp_model_output(model, c->id, &y, &u, NULL, NULL, NULL) != PERP_SOLVED)
        return 1;
    force = c->kind == PID       ? pid(c, t, y[0], u[0])
            : c->kind == SLIDING ? sliding(c, t, y[0], u[0])
                                 : perp_scene_motion_value(&c->feed, t);
    perp_law law = perp_law_motor(0.0, 0.0);
    law.lo = law.hi = cut(force, c->largest);
    return perp_model_set_law(model, c->id, &law) == PERP_SOLVED ? 0 : 1;
}

/* Without these keys the functions are 0. */
static int read_function(perp_scene *scene, perp_scene_motion *motion, const perp_scene_node *at,
                         const char *key)
{
    int varies;
    return perp_scene_has(at, key) ? perp_scene_read_profile(scene, motion, &varies, at, key) : 0;
}

static int read_kind(perp_scene *scene, perp_scene_controller *c, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "type");
    int type = -1;

    c->largest = INFINITY;
    if (perp_scene_choice(&type, at, "type", "pid|sliding-mode|table") != 0)
        return -1;
    if (type < 0)
        return perp_scene_fail(&node, "missing; one of pid, sliding-mode, table");
    c->kind = (kind)type;
    if (perp_scene_object(
            at, c->kind == PID
                    ? "name type joint system coordinate period target kp ki kd force largest"
                : c->kind == SLIDING
                    ? "name type joint system coordinate period target gain slope inertia "
                      "implicit force largest"
                    : "name type joint system coordinate period force largest") != 0 ||
        perp_scene_need_real(&c->period, at, "period", 1e-300, 1e300) != 0 ||
        perp_scene_real(&c->largest, at, "largest", 0.0, INFINITY) != 0 ||
        read_function(scene, &c->target, at, "target") != 0 ||
        read_function(scene, &c->feed, at, "force") != 0)
        return -1;
    if (c->kind == PID)
        return perp_scene_real(&c->kp, at, "kp", 0.0, 1e300) != 0 ||
                       perp_scene_real(&c->ki, at, "ki", 0.0, 1e300) != 0 ||
                       perp_scene_real(&c->kd, at, "kd", 0.0, 1e300) != 0
                   ? -1
                   : 0;
    if (c->kind == TABLE) {
        node = perp_scene_get(at, "force");
        return node.json != NULL ? 0 : perp_scene_fail(&node, "missing; a function of time");
    }
    if (perp_scene_need_real(&c->gain, at, "gain", 0.0, 1e300) != 0 ||
        perp_scene_real(&c->slope, at, "slope", 0.0, 1e300) != 0 ||
        perp_scene_real(&c->inertia, at, "inertia", 1e-300, 1e300) != 0 ||
        perp_scene_flag(&c->implicit, at, "implicit") != 0)
        return -1;
    node = perp_scene_get(at, "inertia");
    return c->implicit && node.json == NULL
               ? perp_scene_fail(&node, "missing; the implicit control wants that of the plant")
               : 0;
}

/* One coordinate of a Lagrangian system. */
static int of_system(perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene *scene = link->scene;
    perp_scene_node name = perp_scene_get(at, "system"), node = perp_scene_get(at, "coordinate");
    perp_system_id *id = perp_scene_take(scene, 1, sizeof *id);
    int k = 0;

    link->systems = perp_scene_take(scene, 1, sizeof(perp_scene_member *));
    if (id == NULL || link->systems == NULL || perp_scene_integer(&k, at, "coordinate", 0, 1000000))
        return -1;
    link->systems[0] = perp_scene_named(scene, &name);
    if (link->systems[0] == NULL)
        return -1;
    if (link->systems[0]->kind != PERP_SCENE_LAGRANGIAN)
        return perp_scene_fail(&name, "a controller acts on a joint, or on a coordinate of a "
                                      "mechanical system");
    if (k >= link->systems[0]->nx)
        return perp_scene_fail(&node, "'%s' has %d coordinates, from 0", link->systems[0]->name,
                               link->systems[0]->nx);
    double *C = perp_scene_take(scene, (size_t)link->systems[0]->nx, sizeof *C);
    if (C == NULL)
        return -1;
    C[k] = 1.0;
    *id = link->systems[0]->id;
    link->nsystems = 1;
    link->def.systems = id;
    link->def.nsystems = 1;
    link->def.relation.rows = 1;
    link->def.relation.C = C;
    return 0;
}

static int of_joint(perp_scene_link *link, const perp_scene_named_interaction **of, int *angle,
                    const perp_scene_node *at)
{
    int is_angle = 0;
    const perp_scene_named_interaction *joint =
        perp_scene_joint_coordinate(&is_angle, link->scene, at, "joint");
    *of = joint;
    *angle = is_angle;
    perp_system_id *ids = perp_scene_take(link->scene, 2, sizeof *ids);

    if (joint == NULL || ids == NULL)
        return -1;
    link->systems = joint->systems;
    link->nsystems = joint->nsystems;
    for (int k = 0; k < joint->nsystems; k++)
        ids[k] = joint->systems[k]->id;
    link->def.systems = ids;
    link->def.nsystems = joint->nsystems;
    link->def.relation = *joint->relation;
    link->def.relation.joint = is_angle ? PERP_JOINT_ANGLE : PERP_JOINT_SLIDE;
    link->def.relation.rows = 1;
    link->def.relation.side = 1;
    link->def.relation.origin = -joint->start[is_angle];
    return 0;
}

static int read_controller(void *ctx, const perp_scene_node *at)
{
    perp_scene *scene = ctx;
    perp_scene_controller *c = perp_scene_take(scene, 1, sizeof *c), **last = &scene->controllers;
    perp_scene_link link;
    perp_where where = {NULL, -1, -1};
    const char *name = NULL;
    const perp_scene_named_interaction *joint = NULL;
    int is_angle = 0;

    memset(&link, 0, sizeof link);
    link.scene = scene;
    perp_interaction_def_init(&link.def, sizeof link.def);
    if (c == NULL || !perp_scene_is(at, JSON_OBJECT))
        return c == NULL ? -1 : perp_scene_fail(at, "an object is expected");
    if (read_kind(scene, c, at) != 0 || perp_scene_string(&name, at, "name") != 0)
        return -1;
    if (perp_scene_has(at, "joint") == perp_scene_has(at, "system"))
        return perp_scene_fail(at, "one of joint, system is expected");
    if (name == NULL)
        name = perp_scene_text(scene, "controller%zu", at->index);
    if (name == NULL || perp_scene_check_name(scene, at, name) != 0 ||
        (perp_scene_has(at, "joint") ? of_joint(&link, &joint, &is_angle, at)
                                     : of_system(&link, at)) != 0)
        return -1;
    link.def.law = perp_law_motor(0.0, 0.0);
    perp_status status = perp_model_add_interaction(scene->model, &link.def, &c->id, &where);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(at, status, &where);
    c->scene = scene;
    while (*last != NULL)
        last = &(*last)->next;
    *last = c;
    const char *joint_name = joint != NULL ? joint->name : NULL; /* the list may move */
    perp_scene_named_interaction *noted = perp_scene_note_interaction(&link, name, c->id);
    if (noted == NULL)
        return -1;
    noted->joint = joint_name;
    noted->is_angle = is_angle;
    noted->side = noted->drives = 1;
    return 0;
}

int perp_scene_read_controllers(perp_scene *scene, const perp_scene_node *root)
{
    return perp_scene_each(root, "controllers", read_controller, scene);
}

int perp_scene_start_controllers(perp_scene *scene)
{
    for (perp_scene_controller *c = scene->controllers; c != NULL; c = c->next)
        if (perp_sim_add_sampler(scene->sim, c->period, sample, c) != PERP_SOLVED)
            return perp_scene_fail_memory(&scene->report);
    return 0;
}

int perp_scene_controller_state(perp_scene *scene, double *state, int write)
{
    int count = 0;

    for (perp_scene_controller *c = scene->controllers; c != NULL; c = c->next, count++)
        if (state != NULL && write)
            state[count] = c->integral;
        else if (state != NULL)
            c->integral = state[count];
    return count;
}

double *perp_scene_controller_memory(const perp_scene *scene, perp_interaction_id id)
{
    for (perp_scene_controller *c = scene->controllers; c != NULL; c = c->next)
        if (c->id.index == id.index && c->id.generation == id.generation)
            return &c->integral;
    return NULL;
}

int perp_scene_set_timed_laws(perp_scene *scene, double t, double h)
{
    for (perp_scene_timed_law *one = scene->timed_laws; one != NULL; one = one->next) {
        if (one->lag[0] + one->lag[1] > 0.0)
            one->law.damping = one->damping + 0.5 * h * one->lag[0] + 2.0 * one->lag[1] / h;
        if (one->moves && one->law.drive == PERP_DRIVE_MOTOR)
            one->law.rate = perp_scene_motion_value(&one->motion, t + h);
        else if (one->moves)
            one->law.target = perp_scene_motion_value(
                &one->motion, one->law.drive == PERP_DRIVE_SERVO ? t + 0.5 * h : t + h);
        if (perp_model_set_law(scene->model, one->id, &one->law) != PERP_SOLVED)
            return -1;
    }
    return 0;
}
