/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/links.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

/* A frame that moves: its place, and its velocity at that place. */
typedef struct frame {
    perp_pose pose;
    double v[3], w[3];
} frame;

typedef struct work {
    perp_robot *robot;
    perp_robot_links *links;
    frame *frames; /* of bodies */
    double *below; /* mass of a body and of all that it carries */
    int *heavy;    /* of links: the first one with a mass that hangs on it, 0: none */
} work;

/* The velocity of a place that a frame carries. */
static void velocity_at(double *out, const frame *f, const double *place)
{
    double arm[3], turned[3];

    for (int i = 0; i < 3; i++)
        arm[i] = place[i] - f->pose.p[i];
    perp_cross3(turned, f->w, arm);
    for (int i = 0; i < 3; i++)
        out[i] = f->v[i] + turned[i];
}

/* Turns a frame about a place by q, given in its axes, with a relative angular velocity. */
static void turn(frame *f, const double *anchor, const double *q, const double *w)
{
    double at[3], within[3], turned[4], arm[3], added[3];

    velocity_at(at, f, anchor);
    for (int i = 0; i < 3; i++)
        arm[i] = anchor[i] - f->pose.p[i];
    perp_quaternion_rotate_back(f->pose.q, arm, within);
    perp_quaternion_product(f->pose.q, q, turned);
    (void)perp_quaternion_normalise(turned);
    memcpy(f->pose.q, turned, sizeof turned);
    perp_quaternion_rotate(f->pose.q, within, arm);
    for (int i = 0; i < 3; i++) {
        f->pose.p[i] = anchor[i] - arm[i];
        f->w[i] += w[i];
        arm[i] = -arm[i];
    }
    perp_cross3(added, f->w, arm);
    for (int i = 0; i < 3; i++)
        f->v[i] = at[i] + added[i];
}

/* The joint moves its frame from where the model has it to the start; anchor and axis in the world.
 */
static void move(frame *f, const perp_robot_joint *joint, double *anchor, double *axis)
{
    double way = joint->start - joint->reference, q[4], w[3] = {0.0, 0.0, 0.0};

    perp_pose_apply(anchor, &f->pose, joint->anchor);
    perp_quaternion_rotate(f->pose.q, joint->axis, axis);
    switch (joint->motion) {
    case PERP_ROBOT_FREE:
        if (joint->has_pose) {
            memcpy(f->pose.p, joint->pose, sizeof f->pose.p);
            memcpy(f->pose.q, joint->pose + 3, sizeof f->pose.q);
        }
        memcpy(f->v, joint->twist, sizeof f->v);
        perp_quaternion_rotate(f->pose.q, joint->twist + 3, f->w);
        break;
    case PERP_ROBOT_BALL:
        if (joint->has_pose)
            turn(f, anchor, joint->pose + 3, w);
        perp_quaternion_rotate(f->pose.q, joint->twist + 3, w);
        perp_turn_about(q, axis, 0.0);
        turn(f, anchor, q, w);
        break;
    case PERP_ROBOT_SLIDE: {
        double place[3];
        for (int i = 0; i < 3; i++)
            place[i] = f->pose.p[i] + way * axis[i];
        velocity_at(f->v, f, place);
        for (int i = 0; i < 3; i++) {
            f->pose.p[i] = place[i];
            f->v[i] += joint->rate * axis[i];
        }
        break;
    }
    case PERP_ROBOT_HINGE:
        perp_turn_about(q, joint->axis, way);
        for (int i = 0; i < 3; i++)
            w[i] = joint->rate * axis[i];
        turn(f, anchor, q, w);
        break;
    case PERP_ROBOT_FLAT:
        break;
    }
}

/* The frame of a body before its joints move it. */
static frame start_frame(const work *k, int b)
{
    const perp_robot_body *body = &k->robot->bodies[b];
    frame f;

    memset(&f, 0, sizeof f);
    f.pose = body->pose;
    if (body->parent >= 0) {
        const frame *up = &k->frames[body->parent];
        f.pose = perp_pose_product(&up->pose, &body->pose);
        velocity_at(f.v, up, f.pose.p);
        memcpy(f.w, up->w, sizeof f.w);
    }
    return f;
}

static perp_robot_link *add_link(work *k, int b, int joint, int parent)
{
    perp_robot_links *l = k->links;
    perp_robot_link *made =
        perp_robot_add(k->robot->job, (void **)&l->link, &l->count, &l->capacity, sizeof *l->link);

    if (made == NULL)
        return NULL;
    made->body = b;
    made->joint = joint;
    made->parent = parent;
    return made;
}

/* Frame and link of a body; its joints in their order, each with a link of its own. */
static int place_body(work *k, int b)
{
    perp_robot *robot = k->robot;
    perp_robot_body *body = &robot->bodies[b];
    int parent = body->parent >= 0 ? k->links->carrier[body->parent] : -1;
    frame f = start_frame(k, b);

    for (int j = 0; j < body->joints; j++) {
        const perp_robot_joint *joint = &robot->joints[body->first_joint + j];
        int free = joint->motion == PERP_ROBOT_FREE;
        perp_robot_link *made =
            add_link(k, b, free ? -1 : body->first_joint + j, free ? -1 : parent);
        if (made == NULL)
            return -1;
        move(&f, joint, made->anchor, made->axis);
        made->pose = f.pose;
        made->small = j + 1 < body->joints;
        memcpy(made->velocity, f.v, sizeof f.v);
        memcpy(made->angular, f.w, sizeof f.w);
        parent = k->links->count - 1;
    }
    k->links->carrier[b] = parent;
    k->links->pose[b] = f.pose;
    k->frames[b] = f;
    return 0;
}

/* Masses of what a body carries; what moves without any is refused, or held where it is.  A frame
 * without shapes is held in any case: nothing else moves by it. */
static int weigh_below(work *k)
{
    perp_robot *robot = k->robot;
    int *shapes = perp_robot_take(robot->job, (size_t)robot->nbodies + 1, sizeof *shapes);

    if (shapes == NULL)
        return -1;
    for (int g = 0; g < robot->ngeoms; g++)
        if (robot->geoms[g].body >= 0)
            shapes[robot->geoms[g].body]++;
    for (int b = robot->nbodies - 1; b >= 0; b--) {
        perp_robot_body *body = &robot->bodies[b];
        k->below[b] += body->mass;
        if (body->joints > 0 && !(k->below[b] > 0.0)) {
            if (shapes[b] == 0)
                perp_robot_note(robot->job, body->at,
                                "moves and has neither mass nor shape, nor has what it carries: "
                                "it is held");
            else
                perp_robot_missing(
                    robot->job, body->at,
                    "moves and has no mass, nor has what it carries; left out, it is held");
            body->joints = 0;
        }
        if (body->parent >= 0) {
            k->below[body->parent] += k->below[b];
            shapes[body->parent] += shapes[b];
        }
    }
    return 0;
}

static void weigh_links(work *k)
{
    perp_robot *robot = k->robot;

    for (int b = 0; b < robot->nbodies; b++) {
        const perp_robot_body *body = &robot->bodies[b];
        int c = k->links->carrier[b];
        perp_robot_lump own;
        if (c < 0 || !(body->mass > 0.0))
            continue;
        memset(&own, 0, sizeof own);
        own.mass = body->mass;
        memcpy(own.centre, body->centre, sizeof own.centre);
        memcpy(own.second, body->inertia, sizeof own.second);
        perp_robot_lump_add_at(&k->links->link[c].lump, &k->links->pose[b], &own);
        k->links->link[c].lift += body->lift * body->mass;
    }
    for (int b = 0; b < robot->nbodies; b++) {
        const perp_robot_body *body = &robot->bodies[b];
        perp_robot_link *link =
            k->links->carrier[b] >= 0 ? &k->links->link[k->links->carrier[b]] : NULL;
        double centre[3], off = 0.0;
        if (link == NULL || body->lift == 0.0 || !(body->mass > 0.0))
            continue;
        perp_pose_apply(centre, &k->links->pose[b], body->centre);
        for (int i = 0; i < 3; i++)
            off += fabs(centre[i] - link->lump.centre[i]);
        if (off > 1e-9) {
            link->lifts_apart = 1;
            link->lift = 0.0;
        }
    }
}

/* The armature of a ball joint against the world adds to the inertia about all axes; that between
 * two bodies is a force on the rates, which an impact does not see. */
static void add_ball_armature(work *k, int c, const perp_robot_joint *joint)
{
    perp_robot_link *link = &k->links->link[c];

    for (int i = 0; i < 3 && link->parent < 0; i++)
        link->lump.second[4 * i] += joint->armature;
    if (link->parent >= 0)
        perp_robot_note(k->robot->job, joint->at,
                        "armature of a ball joint between two bodies that move: what strikes them "
                        "does not meet it, and it resists the jump of their rates after that");
}

/* The armature of a free joint is a mass in the origin of the body that has no weight, and the same
 * number as a moment of inertia about each axis. */
static void add_armatures(work *k)
{
    const double *g = k->robot->gravity;

    for (int b = 0; b < k->robot->nbodies; b++) {
        const perp_robot_body *body = &k->robot->bodies[b];
        const perp_robot_joint *joint =
            body->joints == 1 ? &k->robot->joints[body->first_joint] : NULL;
        int c = k->links->carrier[b];
        perp_robot_lump own;
        double off = 0.0;
        for (int j = 0; j < body->joints && body->joints > 1; j++)
            if (k->robot->joints[body->first_joint + j].motion == PERP_ROBOT_BALL &&
                k->robot->joints[body->first_joint + j].armature > 0.0)
                perp_robot_missing(k->robot->job, k->robot->joints[body->first_joint + j].at,
                                   "armature of a ball joint beside other joints");
        if (c >= 0 && joint != NULL && joint->motion == PERP_ROBOT_BALL && joint->armature > 0.0)
            add_ball_armature(k, c, joint);
        if (c < 0 || joint == NULL || joint->motion != PERP_ROBOT_FREE || !(joint->armature > 0.0))
            continue;
        memset(&own, 0, sizeof own);
        own.mass = joint->armature;
        for (int i = 0; i < 3; i++) {
            double x = k->links->link[c].lump.centre[i] - k->links->pose[b].p[i];
            own.second[4 * i] = joint->armature;
            off += g[0] != 0.0 || g[1] != 0.0 || g[2] != 0.0 ? fabs(x) : 0.0;
        }
        if (off > 1e-9)
            perp_robot_missing(k->robot->job, joint->at,
                               "armature of a free joint that is not in the centre of mass");
        else
            perp_robot_lump_add_at(&k->links->link[c].lump, &k->links->pose[b], &own);
        k->links->link[c].lift += off > 1e-9 ? 0.0 : joint->armature;
    }
}

static int weigh_small(work *k, int c)
{
    perp_robot_link *link = &k->links->link[c];
    const perp_robot_body *body = &k->robot->bodies[link->body];
    int heavy;

    if (link->lump.mass > 0.0 && !link->small)
        return 0;
    heavy = k->heavy[c];
    if (heavy == 0)
        return perp_robot_fail(k->robot->job, body->at, "moves and has no mass");
    if (!link->small)
        perp_robot_note(k->robot->job, body->at,
                        "has no mass: it gets %g of that of what it carries", PERP_ROBOT_SMALL);
    link->lump = k->links->link[heavy].lump;
    link->lump.mass *= PERP_ROBOT_SMALL;
    for (int i = 0; i < 9; i++)
        link->lump.second[i] *= PERP_ROBOT_SMALL;
    link->small = 1;
    return 0;
}

/* Shapes of a URDF, filled evenly with the mass of what has no inertia at all, as Bullet does it.
 */
static int fill_shapes(work *k, int c)
{
    perp_robot_link *link = &k->links->link[c];
    perp_robot_lump whole, one;

    memset(&whole, 0, sizeof whole);
    for (int g = 0; k->robot->one_robot && g < k->robot->ngeoms; g++) {
        perp_robot_geom *geom = &k->robot->geoms[g];
        if (k->links->carrier[geom->body] != c)
            continue;
        geom->weighs = 1;
        geom->mass = geom->form == PERP_ROBOT_MESH ? 0.0 : perp_robot_volume(geom);
    }
    for (int b = 0; b < k->robot->nbodies; b++)
        if (k->links->carrier[b] == c) {
            perp_robot_lump_of_shapes(&one, k->robot, b);
            perp_robot_lump_add_at(&whole, &k->links->pose[b], &one);
        }
    if (!(whole.mass > 0.0))
        return perp_robot_fail(k->robot->job, k->robot->bodies[link->body].at,
                               "moves and has no inertia");
    perp_robot_note(k->robot->job, k->robot->bodies[link->body].at,
                    "has no inertia: it gets that of its shapes, filled with its mass");
    for (int i = 0; i < 9; i++)
        link->lump.second[i] = whole.second[i] * (link->lump.mass / whole.mass);
    return 0;
}

/* Points and rods of masses: about the axes that they have no moment about they get a small part of
 * that about the joint, or of their own. */
static int thicken(work *k, int c)
{
    perp_robot_link *link = &k->links->link[c];
    const perp_robot_body *body = &k->robot->bodies[link->body];
    double *I = link->lump.second, size = I[0] + I[4] + I[8], sum = 0.0;

    if (link->small || perp_robot_inertia_holds(I) != 0)
        return 0;
    for (int i = 0; i < 3 && link->joint >= 0; i++) {
        double arm = link->lump.centre[i] - link->anchor[i];
        sum += link->lump.mass * arm * arm;
    }
    size = fmax(size, sum);
    if (!(size > 0.0))
        return fill_shapes(k, c);
    perp_robot_note(k->robot->job, body->at,
                    "has no inertia about some axis: it gets %g of what it has about others",
                    PERP_ROBOT_SMALL);
    for (int i = 0; i < 3; i++)
        I[4 * i] += PERP_ROBOT_SMALL * size;
    return 0;
}

/* Velocities are those of centres. */
static void move_centres(work *k)
{
    for (int c = 0; c < k->links->count; c++) {
        perp_robot_link *link = &k->links->link[c];
        frame f;
        memset(&f, 0, sizeof f);
        f.pose = link->pose;
        memcpy(f.v, link->velocity, sizeof f.v);
        memcpy(f.w, link->angular, sizeof f.w);
        velocity_at(link->velocity, &f, link->lump.centre);
    }
}

int perp_robot_make_links(perp_robot_links *links, perp_robot *robot)
{
    size_t n = (size_t)robot->nbodies;
    work k = {.robot = robot, .links = links};

    memset(links, 0, sizeof *links);
    links->carrier = perp_robot_take(robot->job, n, sizeof *links->carrier);
    links->pose = perp_robot_take(robot->job, n, sizeof *links->pose);
    k.frames = perp_robot_take(robot->job, n, sizeof *k.frames);
    k.below = perp_robot_take(robot->job, n, sizeof *k.below);
    if (links->carrier == NULL || links->pose == NULL || k.frames == NULL || k.below == NULL ||
        weigh_below(&k) != 0)
        return -1;
    for (int b = 0; b < robot->nbodies; b++)
        if (place_body(&k, b) != 0)
            return -1;
    weigh_links(&k);
    add_armatures(&k);
    k.heavy = perp_robot_take(robot->job, (size_t)links->count, sizeof *k.heavy);
    if (k.heavy == NULL)
        return -1;
    for (int c = links->count - 1; c >= 0; c--) {
        int up = links->link[c].parent;
        if (weigh_small(&k, c) != 0 || thicken(&k, c) != 0)
            return -1;
        if (up >= 0)
            k.heavy[up] = links->link[c].small ? k.heavy[c] : c;
    }
    move_centres(&k);
    return 0;
}
