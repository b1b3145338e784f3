/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/engines/own_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>
#include <perp/rotation.h>

/* A contact as it is at the start of a step. */
typedef struct start_point {
    perp_interaction_id interaction;
    perp_contact_point point;
} start_point;

typedef struct own_run {
    const rigid_scene *scene;
    perp_model *model;
    perp_collider *collider;
    perp_sim *sim;
    perp_system_id *system;
    int *owner; /* by slot of a shape: its body, -1: the world */
    int shapes;
    start_point *start;
    int starts, capacity;
    motion_out out;
    char why[MOTION_TEXT];
} own_run;

static perp_status add_body(own_run *run, int k)
{
    const rigid_body *b = &run->scene->body[k];
    perp_body_def def;
    double R[9];

    perp_body_def_init(&def, sizeof def);
    def.mass = b->mass;
    memset(def.inertia, 0, sizeof def.inertia);
    for (int i = 0; i < 3; i++) {
        def.inertia[4 * i] = b->inertia[i];
        def.position[i] = b->position[i];
        def.velocity[i] = b->velocity[i];
        def.force[i] = b->mass * run->scene->gravity[i];
    }
    memcpy(def.quaternion, b->quaternion, sizeof def.quaternion);
    perp_quaternion_matrix(b->quaternion, R);
    for (int i = 0; i < 3; i++)
        def.angular[i] =
            R[3 * i] * b->angular[0] + R[3 * i + 1] * b->angular[1] + R[3 * i + 2] * b->angular[2];
    return perp_model_add_body(run->model, &def, &run->system[k], NULL);
}

static perp_status add_shape(own_run *run, int k)
{
    const rigid_body *b = &run->scene->body[k];
    perp_shape_def def;
    perp_shape_id id;
    perp_status status;

    if (b->shape == RIGID_BARE)
        return PERP_SOLVED;
    perp_shape_def_init(&def, sizeof def);
    def.kind = b->shape == RIGID_SPHERE ? PERP_SHAPE_SPHERE
               : b->shape == RIGID_BOX  ? PERP_SHAPE_BOX
                                        : PERP_SHAPE_HULL;
    def.body = run->system[k];
    memcpy(def.position, b->shape_at, sizeof def.position);
    if (b->shape == RIGID_HULL) {
        def.vertices = b->vertex[0];
        def.nvertices = b->vertices;
    }
    def.radius = b->radius;
    memcpy(def.half, b->half, sizeof def.half);
    status = perp_collider_add(run->collider, &def, &id, NULL);
    if (status == PERP_SOLVED && (int)id.index < run->shapes)
        run->owner[id.index] = k;
    return status;
}

static perp_status add_plane(own_run *run, int k)
{
    const rigid_plane *p = &run->scene->plane[k];
    double point[3];
    perp_shape_id id;
    perp_status status;

    for (int i = 0; i < 3; i++)
        point[i] = p->offset * p->normal[i];
    status = perp_collider_add_plane(run->collider, point, p->normal, &id, NULL);
    if (status == PERP_SOLVED && (int)id.index < run->shapes)
        run->owner[id.index] = -1;
    return status;
}

/* A row of its own on the coordinate of a joint. */
static perp_status add_row(own_run *run, const perp_interaction_def *joint, double origin, int side,
                           perp_law law)
{
    perp_interaction_def def = *joint;

    def.relation.joint =
        joint->relation.joint == PERP_JOINT_PIVOT ? PERP_JOINT_ANGLE : PERP_JOINT_SLIDE;
    def.relation.rows = 1;
    def.relation.origin = origin;
    def.relation.side = side;
    def.law = law;
    return perp_model_add_interaction(run->model, &def, NULL, NULL);
}

static perp_law drive_law(const rigid_drive *d)
{
    perp_law law = perp_law_motor(d->speed, d->largest);

    if (d->kind == RIGID_TARGET)
        return perp_law_profile(d->target, d->speed, d->acceleration, d->largest);
    if (d->kind == RIGID_FORCE) {
        law = perp_law_motor(0.0, fabs(d->largest));
        law.lo = law.hi = d->largest;
    }
    return law;
}

static perp_status add_drive(own_run *run, const perp_interaction_def *joint, const rigid_drive *d)
{
    perp_status status = PERP_SOLVED;

    if (d->kind != RIGID_FREE)
        status = add_row(run, joint, 0.0, 1, drive_law(d));
    if (d->limited && status == PERP_SOLVED)
        status = add_row(run, joint, d->low, 1, perp_law_impact(0.0));
    if (d->limited && status == PERP_SOLVED)
        status = add_row(run, joint, d->high, -1, perp_law_impact(0.0));
    return status;
}

static perp_status add_joint(own_run *run, int k)
{
    static const perp_joint kinds[] = {PERP_JOINT_POINT, PERP_JOINT_PIVOT, PERP_JOINT_DISTANCE,
                                       PERP_JOINT_PRISMATIC};
    const rigid_joint *j = &run->scene->joint[k];
    perp_interaction_def def;
    perp_system_id systems[2] = {run->system[j->a], {0, 0}};
    perp_status status;

    perp_interaction_def_init(&def, sizeof def);
    if (j->b >= 0)
        systems[1] = run->system[j->b];
    def.systems = systems;
    def.nsystems = j->b >= 0 ? 2 : 1;
    perp_relation_init(&def.relation, sizeof def.relation);
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = kinds[j->kind];
    def.relation.rows = perp_joint_rows(def.relation.joint);
    memcpy(def.relation.anchor, j->at, sizeof j->at);
    memcpy(def.relation.anchor_b, j->at_b, sizeof j->at_b);
    memcpy(def.relation.axis, j->axis, sizeof j->axis);
    def.law = perp_law_equality();
    status = perp_model_add_interaction(run->model, &def, NULL, NULL);
    return status == PERP_SOLVED ? add_drive(run, &def, &j->drive) : status;
}

static perp_status make_contacts(own_run *run)
{
    const rigid_scene *scene = run->scene;
    perp_status status = perp_collider_create(&run->collider, run->model, NULL);

    perp_law rolling = perp_law_rolling(5, scene->e, scene->mu, scene->rolling);

    if (status == PERP_SOLVED && scene->rolling > 0.0)
        status = perp_collider_set_law(run->collider, 0, 0, &rolling);
    else if (status == PERP_SOLVED)
        status = perp_collider_set_material(run->collider, 0, 0, scene->e, scene->mu);
    for (int k = 0; k < scene->planes && status == PERP_SOLVED; k++)
        status = add_plane(run, k);
    for (int k = 0; k < scene->bodies && status == PERP_SOLVED; k++)
        status = add_shape(run, k);
    return status;
}

/* The hook before a step: detection, then a copy of what it found.  A copy that finds no memory is
 * left out. */
static int detect(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    own_run *run = ctx;
    int stop = perp_collider_step(run->collider, sim, model, t, h);
    int count = perp_collider_contacts(run->collider);

    run->starts = 0;
    if (count > run->capacity) {
        start_point *made = realloc(run->start, 2 * (size_t)count * sizeof *made);
        if (made == NULL)
            return stop;
        run->start = made;
        run->capacity = 2 * count;
    }
    for (int k = 0; k < count; k++) {
        perp_contact_info info = {.size = sizeof info};
        if (perp_collider_contact(run->collider, k, &info) != PERP_SOLVED)
            break;
        run->start[run->starts++] = (start_point){info.interaction, info.point};
    }
    return stop;
}

static perp_status make(own_run *run, double tol)
{
    const rigid_scene *scene = run->scene;
    perp_sim_options options;
    perp_settings settings;
    perp_status status = perp_model_create(&run->model, NULL);

    for (int k = 0; k < scene->bodies && status == PERP_SOLVED; k++)
        status = add_body(run, k);
    for (int k = 0; k < scene->joints && status == PERP_SOLVED; k++)
        status = add_joint(run, k);
    if (status == PERP_SOLVED)
        status = make_contacts(run);
    if (status != PERP_SOLVED)
        return status;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    perp_sim_options_init(&options, sizeof options);
    options.h = scene->h;
    options.settings = &settings;
    status = perp_sim_create(&run->sim, run->model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        perp_sim_set_before_step(run->sim, detect, run);
    return status;
}

/* The tangents that the kernel takes for a contact (kernel/relations/contact_relation.c). */
static void tangents(double first[3], double second[3], const double n[3])
{
    int axis = fabs(n[0]) < 0.8 ? 0 : 1;
    double along = n[axis], scale = 1.0 / sqrt(1.0 - along * along);

    for (int k = 0; k < 3; k++)
        first[k] = -along * n[k] * scale;
    first[axis] += scale;
    second[0] = n[1] * first[2] - n[2] * first[1];
    second[1] = n[2] * first[0] - n[0] * first[2];
    second[2] = n[0] * first[1] - n[1] * first[0];
}

/* From the centre of a body to the point, the mean of the start and the end of the step. */
static void mean_arm(double arm[3], const own_run *run, int body, const double *was,
                     const double *is)
{
    const double *before = run->out.record.body + (size_t)(body > 0 ? body : 0) * MOTION_BODY;
    double *q = NULL;

    if (body < 0 ||
        perp_model_state(run->model, run->system[body], &q, NULL, NULL, NULL) != PERP_SOLVED)
        return;
    for (int k = 0; k < 3; k++)
        arm[k] = 0.5 * (was[k] - before[k] + is[k] - q[k]);
}

/* The mean of both normals. */
static void mean_normal(double normal[3], const double *was, const double *is)
{
    double length = 0.0;

    for (int k = 0; k < 3; k++) {
        normal[k] = was[k] + is[k];
        length += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++)
        normal[k] /= sqrt(length);
}

/* The scheme acts along gradients that belong to the whole step, not to one of its ends. */
static int add_contact(own_run *run, int k)
{
    perp_contact_info info = {.size = sizeof info};
    const perp_contact_point *was = &info.point;
    motion_contact c;
    const double *lambda = NULL;
    double first[3], second[3];
    int rows = 0, active = 0, a, b;

    if (perp_collider_contact(run->collider, k, &info) != PERP_SOLVED ||
        perp_model_output(run->model, info.interaction, NULL, NULL, &lambda, &rows, &active) != 0)
        return 0;
    if (k < run->starts && run->start[k].interaction.index == info.interaction.index)
        was = &run->start[k].point;
    a = (int)info.first.index < run->shapes ? run->owner[info.first.index] : -1;
    b = (int)info.second.index < run->shapes ? run->owner[info.second.index] : -1;
    memset(&c, 0, sizeof c);
    c.a = a;
    c.b = b;
    c.gap = was->gap;
    mean_arm(c.arm_a, run, a, was->point_a, info.point.point_a);
    mean_arm(c.arm_b, run, b, was->point_b, info.point.point_b);
    mean_normal(c.normal, was->normal, info.point.normal);
    tangents(first, second, c.normal);
    for (int i = 0; i < 3 && active; i++)
        c.impulse[i] = lambda[0] * c.normal[i] +
                       (rows >= 3 ? lambda[1] * first[i] + lambda[2] * second[i] : 0.0);
    return motion_add_contact(&run->out, &c);
}

/* Contacts first: they compare with the states of the record before. */
static int take_state(own_run *run)
{
    motion_start_contacts(&run->out);
    run->out.record.contacts = perp_collider_contacts(run->collider);
    for (int k = 0; k < perp_collider_contacts(run->collider); k++)
        if (add_contact(run, k) != 0)
            return -1;
    for (int k = 0; k < run->scene->bodies; k++) {
        double *q, *v, R[9], *to = run->out.record.body + (size_t)k * MOTION_BODY;
        if (perp_model_state(run->model, run->system[k], &q, &v, NULL, NULL) != PERP_SOLVED)
            return -1;
        memcpy(to, q, 7 * sizeof *to);
        memcpy(to + 7, v, 3 * sizeof *to);
        perp_quaternion_matrix(q + 3, R);
        for (int i = 0; i < 3; i++)
            to[10 + i] = R[i] * v[3] + R[i + 3] * v[4] + R[i + 6] * v[5];
    }
    return 0;
}

static int steps(own_run *run)
{
    const perp_step_info *info = perp_sim_info(run->sim);
    long unsolved = 0;

    while (perp_sim_time(run->sim) < run->scene->until - 0.5 * run->scene->h) {
        double start = motion_processor_time();
        long made = info->step;
        (void)perp_sim_step(run->sim);
        if (info->step == made)
            return 1;
        run->out.record.seconds = motion_processor_time() - start;
        run->out.record.t = info->t;
        run->out.record.early = info->unsolved > unsolved || info->halvings > 0;
        unsolved = info->unsolved;
        if (take_state(run) != 0 || motion_write(&run->out) != 0)
            return -1;
    }
    return 0;
}

static void give_back(own_run *run)
{
    perp_sim_destroy(run->sim);
    perp_collider_destroy(run->collider);
    perp_model_destroy(run->model);
    free(run->system);
    free(run->owner);
    free(run->start);
    motion_end(&run->out);
}

int perp_own_motion(int fd, const rigid_scene *scene, double tol, const char *version)
{
    own_run run = {.scene = scene};
    double start = motion_processor_time();
    perp_status status = PERP_ERR_MEMORY;
    int code = -1;

    run.shapes = scene->bodies + scene->planes + 1;
    run.system = calloc((size_t)scene->bodies + 1, sizeof *run.system);
    run.owner = calloc((size_t)run.shapes, sizeof *run.owner);
    if (run.system != NULL && run.owner != NULL)
        status = make(&run, tol);
    if (status != PERP_SOLVED)
        motion_refuse(fd, run.why[0] != '\0' ? run.why : perp_status_text(status));
    else if (motion_begin(&run.out, fd, scene, version) == 0) {
        run.out.record.seconds = motion_processor_time() - start;
        code = motion_write(&run.out) == 0 ? steps(&run) : -1;
    }
    give_back(&run);
    return code;
}
