/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-scene-ode: scenes by the Open Dynamics Engine.
 *
 * default: dWorldQuickStep with its 20 iterations, ERP 0.2, CFM as the library has it.
 * advised: dWorldStep (Dantzig's method on the whole system) up to 300 bodies, above QuickStep with
 * 100 iterations; four substeps, so that impulses of a step are not given.  Friction: the pyramid
 * whose limit is mu times the normal force (dContactApprox1), in both. */
#include <ode/ode.h>
#include <ode/version.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/scene_peer.h"

enum { POINTS = 16, DIRECT = 300, SUBSTEPS = 4, ADVISED_ITERATIONS = 100 };

typedef struct touch {
    dJointID joint;
    dContactGeom geom;
    dJointFeedback feedback;
    double arm_a[3], arm_b[3];
    int a, b;
} touch;

typedef struct world {
    const rigid_scene *scene;
    dWorldID id;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *body;
    int *number; /* 0, 1, ...: what the geometries point to; the world has the last one, -1 */
    touch *touch;
    int touches, capacity, advised;
} world;

static touch *next_touch(world *w)
{
    if (w->touches == w->capacity) {
        int capacity = 2 * w->capacity + 256;
        touch *made = realloc(w->touch, (size_t)capacity * sizeof *made);
        if (made == NULL)
            abort();
        w->touch = made;
        w->capacity = capacity;
    }
    return &w->touch[w->touches++];
}

static void near(void *data, dGeomID a, dGeomID b)
{
    world *w = data;
    dContact contact[POINTS];
    dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
    int count;

    if (first == second || (first != NULL && second != NULL &&
                            dAreConnectedExcluding(first, second, dJointTypeContact)))
        return;
    count = dCollide(a, b, POINTS, &contact[0].geom, sizeof contact[0]);
    for (int k = 0; k < count; k++) {
        touch *t = next_touch(w);
        memset(&contact[k].surface, 0, sizeof contact[k].surface);
        contact[k].surface.mode = dContactApprox1;
        contact[k].surface.mu = w->scene->mu;
        if (w->scene->e > 0.0) {
            contact[k].surface.mode |= dContactBounce;
            contact[k].surface.bounce = w->scene->e;
            contact[k].surface.bounce_vel = 1e-6;
        }
        t->joint = dJointCreateContact(w->id, w->contacts, &contact[k]);
        t->geom = contact[k].geom;
        t->a = *(int *)dGeomGetData(a);
        t->b = *(int *)dGeomGetData(b);
        for (int i = 0; i < 3; i++) {
            t->arm_a[i] = first != NULL ? t->geom.pos[i] - dBodyGetPosition(first)[i] : 0.0;
            t->arm_b[i] = second != NULL ? t->geom.pos[i] - dBodyGetPosition(second)[i] : 0.0;
        }
        dJointAttach(t->joint, first, second);
    }
}

static void add_body(world *w, int k)
{
    const rigid_body *b = &w->scene->body[k];
    dGeomID geom = NULL;
    dMass mass;

    w->body[k] = dBodyCreate(w->id);
    dMassSetParameters(&mass, b->mass, 0.0, 0.0, 0.0, b->inertia[0], b->inertia[1], b->inertia[2],
                       0.0, 0.0, 0.0);
    dBodySetMass(w->body[k], &mass);
    dBodySetPosition(w->body[k], b->position[0], b->position[1], b->position[2]);
    dBodySetQuaternion(w->body[k], (dQuaternion){b->quaternion[0], b->quaternion[1],
                                                 b->quaternion[2], b->quaternion[3]});
    dBodySetLinearVel(w->body[k], b->velocity[0], b->velocity[1], b->velocity[2]);
    dBodySetAngularVel(w->body[k], b->angular[0], b->angular[1], b->angular[2]);
    if (b->shape == RIGID_SPHERE)
        geom = dCreateSphere(w->space, b->radius);
    else if (b->shape == RIGID_BOX)
        geom = dCreateBox(w->space, 2.0 * b->half[0], 2.0 * b->half[1], 2.0 * b->half[2]);
    w->number[k] = k;
    if (geom == NULL)
        return;
    dGeomSetBody(geom, w->body[k]);
    dGeomSetData(geom, &w->number[k]);
}

static void add_joint(world *w, const rigid_joint *j)
{
    dBodyID a = w->body[j->a], b = j->b >= 0 ? w->body[j->b] : NULL;
    dJointID joint;

    if (j->kind == RIGID_BALL) {
        joint = dJointCreateBall(w->id, NULL);
        dJointAttach(joint, a, b);
        dJointSetBallAnchor(joint, j->at[0], j->at[1], j->at[2]);
    } else if (j->kind == RIGID_HINGE) {
        joint = dJointCreateHinge(w->id, NULL);
        dJointAttach(joint, a, b);
        dJointSetHingeAnchor(joint, j->at[0], j->at[1], j->at[2]);
        dJointSetHingeAxis(joint, j->axis[0], j->axis[1], j->axis[2]);
    } else {
        joint = dJointCreateDBall(w->id, NULL);
        dJointAttach(joint, a, b);
        dJointSetDBallAnchor1(joint, j->at[0], j->at[1], j->at[2]);
        dJointSetDBallAnchor2(joint, j->at_b[0], j->at_b[1], j->at_b[2]);
    }
}

static void *make(const rigid_scene *scene, int advised)
{
    world *w = calloc(1, sizeof *w);

    if (w == NULL)
        return NULL;
    dInitODE2(0);
    w->scene = scene;
    w->advised = advised;
    w->id = dWorldCreate();
    w->space = dHashSpaceCreate(NULL);
    w->contacts = dJointGroupCreate(0);
    w->body = calloc((size_t)scene->bodies + 1, sizeof(dBodyID));
    w->number = calloc((size_t)scene->bodies + 1, sizeof *w->number);
    if (w->body == NULL || w->number == NULL)
        return NULL;
    dWorldSetGravity(w->id, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
    if (advised)
        dWorldSetQuickStepNumIterations(w->id, ADVISED_ITERATIONS);
    w->number[scene->bodies] = -1;
    for (int k = 0; k < scene->planes; k++) {
        const double *n = scene->plane[k].normal;
        dGeomSetData(dCreatePlane(w->space, n[0], n[1], n[2], scene->plane[k].offset),
                     &w->number[scene->bodies]);
    }
    for (int k = 0; k < scene->bodies; k++)
        add_body(w, k);
    for (int k = 0; k < scene->joints; k++)
        add_joint(w, &scene->joint[k]);
    return w;
}

static void tell(const world *w, motion_out *out)
{
    motion_start_contacts(out);
    out->record.contacts = w->touches;
    for (int k = 0; k < w->touches; k++) {
        const touch *t = &w->touch[k];
        double sign = t->a >= 0 ? 1.0 : -1.0;
        const double *force = t->a >= 0 ? t->feedback.f1 : t->feedback.f2;
        motion_contact c = {.a = t->a, .b = t->b, .gap = -t->geom.depth};
        if (t->a < 0 && dJointGetBody(t->joint, 1) == NULL) /* ODE put the body first */
            force = t->feedback.f1;
        for (int i = 0; i < 3; i++) {
            c.arm_a[i] = t->arm_a[i];
            c.arm_b[i] = t->arm_b[i];
            c.normal[i] = t->geom.normal[i];
            c.impulse[i] = sign * w->scene->h * force[i];
        }
        motion_add_contact(out, &c);
    }
}

static void step(void *data, motion_out *out)
{
    world *w = data;
    int substeps = w->advised ? SUBSTEPS : 1, direct = w->advised && w->scene->bodies <= DIRECT;

    for (int s = 0; s < substeps; s++) {
        w->touches = 0;
        dSpaceCollide(w->space, w, near);
        for (int k = 0; k < w->touches; k++)
            dJointSetFeedback(w->touch[k].joint, &w->touch[k].feedback);
        if (direct)
            dWorldStep(w->id, w->scene->h / substeps);
        else
            dWorldQuickStep(w->id, w->scene->h / substeps);
        if (substeps == 1)
            tell(w, out);
        dJointGroupEmpty(w->contacts);
    }
    out->record.contacts = w->touches;
}

static void states(void *data, motion_out *out)
{
    const world *w = data;

    for (int k = 0; k < w->scene->bodies; k++) {
        double *to = out->record.body + (size_t)k * MOTION_BODY;
        memcpy(to, dBodyGetPosition(w->body[k]), 3 * sizeof *to);
        memcpy(to + 3, dBodyGetQuaternion(w->body[k]), 4 * sizeof *to);
        memcpy(to + 7, dBodyGetLinearVel(w->body[k]), 3 * sizeof *to);
        memcpy(to + 10, dBodyGetAngularVel(w->body[k]), 3 * sizeof *to);
    }
}

int main(int argc, char **argv)
{
    static const scene_peer peer = {"ODE " dODE_VERSION, SCENE_PEER_DISTANCES, make, step, states};

    return scene_peer_main(&peer, argc, argv);
}
