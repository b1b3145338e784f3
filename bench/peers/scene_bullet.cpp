/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-scene-bullet: scenes by Bullet's btDiscreteDynamicsWorld.
 *
 * default: sequential impulses with 10 iterations, one step.  advised: 4 substeps, 100 iterations,
 * continuous collision for spheres faster than their radius a step; impulses of a step are then not
 * given.  Bullet takes the square of one body's restitution and friction for a pair. */
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <LinearMath/btScalar.h>
#include <btBulletDynamicsCommon.h>

#include "bench/peers/scene_peer.h"

namespace
{

const int substeps_advised = 4, iterations_advised = 100;

btVector3 vector(const double *x)
{
    return btVector3(static_cast<btScalar>(x[0]), static_cast<btScalar>(x[1]),
                     static_cast<btScalar>(x[2]));
}

struct World {
    const rigid_scene *scene;
    bool advised;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies, planes;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;

    World(const rigid_scene *what, bool as_advised)
        : scene(what), advised(as_advised), dispatcher(&configuration),
          world(&dispatcher, &broadphase, &solver, &configuration)
    {
        world.setGravity(vector(scene->gravity));
        if (advised)
            world.getSolverInfo().m_numIterations = iterations_advised;
        for (int k = 0; k < scene->planes; k++)
            add_plane(scene->plane[k]);
        for (int k = 0; k < scene->bodies; k++)
            add_body(scene->body[k], k);
        for (int k = 0; k < scene->joints; k++)
            add_joint(scene->joint[k]);
    }

    void material(btRigidBody &body) const
    {
        body.setFriction(static_cast<btScalar>(std::sqrt(scene->mu)));
        body.setRestitution(static_cast<btScalar>(std::sqrt(scene->e)));
    }

    void add_plane(const rigid_plane &plane)
    {
        shapes.emplace_back(
            new btStaticPlaneShape(vector(plane.normal), static_cast<btScalar>(plane.offset)));
        btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shapes.back().get());
        planes.emplace_back(new btRigidBody(info));
        planes.back()->setUserIndex(-1);
        material(*planes.back());
        world.addRigidBody(planes.back().get());
    }

    void add_body(const rigid_body &b, int number)
    {
        if (b.shape == RIGID_SPHERE)
            shapes.emplace_back(new btSphereShape(static_cast<btScalar>(b.radius)));
        else if (b.shape == RIGID_BOX)
            shapes.emplace_back(new btBoxShape(vector(b.half)));
        else if (b.shape == RIGID_HULL) {
            auto *hull = new btConvexHullShape();
            shapes.emplace_back(hull);
            for (int k = 0; k < b.vertices; k++)
                hull->addPoint(vector(b.vertex[k]), false);
            hull->recalcLocalAabb();
        } else
            shapes.emplace_back(new btEmptyShape());
        btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(b.mass), nullptr,
                                                      shapes.back().get(), vector(b.inertia));
        btTransform pose(btQuaternion(static_cast<btScalar>(b.quaternion[1]),
                                      static_cast<btScalar>(b.quaternion[2]),
                                      static_cast<btScalar>(b.quaternion[3]),
                                      static_cast<btScalar>(b.quaternion[0])),
                         vector(b.position));
        info.m_startWorldTransform = pose;
        bodies.emplace_back(new btRigidBody(info));
        btRigidBody &body = *bodies.back();
        body.setUserIndex(number);
        body.setLinearVelocity(vector(b.velocity));
        body.setAngularVelocity(vector(b.angular));
        body.setActivationState(DISABLE_DEACTIVATION);
        material(body);
        if (advised && b.shape == RIGID_SPHERE) {
            body.setCcdMotionThreshold(static_cast<btScalar>(b.radius));
            body.setCcdSweptSphereRadius(static_cast<btScalar>(0.5 * b.radius));
        }
        if (b.shape == RIGID_BARE)
            world.addRigidBody(&body, 0, 0);
        else
            world.addRigidBody(&body);
    }

    void add_joint(const rigid_joint &j)
    {
        btRigidBody &a = *bodies[static_cast<size_t>(j.a)];
        btRigidBody &b =
            j.b >= 0 ? *bodies[static_cast<size_t>(j.b)] : btTypedConstraint::getFixedBody();
        const btTransform in_a = a.getWorldTransform().inverse();
        const btTransform in_b = b.getWorldTransform().inverse();
        const btVector3 at = vector(j.at), axis = vector(j.axis);
        if (j.kind == RIGID_HINGE)
            joints.emplace_back(new btHingeConstraint(
                a, b, in_a * at, in_b * at, in_a.getBasis() * axis, in_b.getBasis() * axis));
        else
            joints.emplace_back(new btPoint2PointConstraint(a, b, in_a * at, in_b * at));
        world.addConstraint(joints.back().get(), true);
    }

    /* At the start of the step, where the points were found: the record still has that state. */
    static btVector3 turned_before(const motion_out *out, int body, const btVector3 &point)
    {
        if (body < 0)
            return point;
        const double *q = out->record.body + static_cast<size_t>(body) * MOTION_BODY + 3;
        return quatRotate(btQuaternion(static_cast<btScalar>(q[1]), static_cast<btScalar>(q[2]),
                                       static_cast<btScalar>(q[3]), static_cast<btScalar>(q[0])),
                          point);
    }

    /* Impulses of the last step: Bullet keeps them in its manifolds. */
    void tell(motion_out *out)
    {
        double count = 0.0;
        if (!advised)
            motion_start_contacts(out);
        for (int m = 0; m < dispatcher.getNumManifolds(); m++) {
            const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(m);
            for (int k = 0; k < manifold->getNumContacts(); k++, count++) {
                const btManifoldPoint &p = manifold->getContactPoint(k);
                const btVector3 impulse = p.m_normalWorldOnB * p.m_appliedImpulse +
                                          p.m_lateralFrictionDir1 * p.m_appliedImpulseLateral1 +
                                          p.m_lateralFrictionDir2 * p.m_appliedImpulseLateral2;
                const int first = manifold->getBody0()->getUserIndex();
                const int second = manifold->getBody1()->getUserIndex();
                const btVector3 a = turned_before(out, first, p.m_localPointA);
                const btVector3 b = turned_before(out, second, p.m_localPointB);
                motion_contact c = {};
                c.a = first;
                c.b = second;
                c.gap = static_cast<double>(p.getDistance());
                for (int i = 0; i < 3; i++) {
                    c.arm_a[i] = static_cast<double>(a[i]);
                    c.arm_b[i] = static_cast<double>(b[i]);
                    c.normal[i] = static_cast<double>(p.m_normalWorldOnB[i]);
                    c.impulse[i] = static_cast<double>(impulse[i]);
                }
                if (!advised)
                    motion_add_contact(out, &c);
            }
        }
        out->record.contacts = count;
    }
};

void *make(const rigid_scene *scene, int advised)
{
    return new World(scene, advised != 0);
}

void step(void *data, motion_out *out)
{
    World *w = static_cast<World *>(data);
    const int substeps = w->advised ? substeps_advised : 1;
    for (int k = 0; k < substeps; k++)
        w->world.stepSimulation(static_cast<btScalar>(w->scene->h / substeps), 0);
    w->tell(out);
}

void states(void *data, motion_out *out)
{
    const World *w = static_cast<const World *>(data);
    for (size_t k = 0; k < w->bodies.size(); k++) {
        const btRigidBody &b = *w->bodies[k];
        const btTransform &pose = b.getWorldTransform();
        const btQuaternion q = pose.getRotation();
        double *to = out->record.body + k * MOTION_BODY;
        to[3] = static_cast<double>(q.w());
        to[4] = static_cast<double>(q.x());
        to[5] = static_cast<double>(q.y());
        to[6] = static_cast<double>(q.z());
        for (int i = 0; i < 3; i++) {
            to[i] = static_cast<double>(pose.getOrigin()[i]);
            to[7 + i] = static_cast<double>(b.getLinearVelocity()[i]);
            to[10 + i] = static_cast<double>(b.getAngularVelocity()[i]);
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    static char version[48];
    snprintf(version, sizeof version, "Bullet %d.%02d (%s)", btGetVersion() / 100,
             btGetVersion() % 100, btIsDoublePrecision() ? "double" : "single");
    const scene_peer peer = {version, SCENE_PEER_HULLS, make, step, states};
    return scene_peer_main(&peer, argc, argv);
}
