/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-scene-dart: scenes by DART.
 *
 * default: BoxedLcpConstraintSolver (Dantzig, PGS where it fails), FCL's collision detector, which
 * makes a mesh of every shape, and a thin box of a plane, for which a box of 100 m stands here; one
 * step.  advised: Bullet's collision detector, four substeps: about the 1 ms that are DART's own
 * default; impulses of a step are then not given.  Joints make trees of bodies in joint
 * coordinates; those that close a loop are BallJointConstraints, two for a hinge.  Motors are SERVO
 * actuators: a speed with a largest force.
 *
 * DART takes the smaller coefficient of friction and the product of both restitutions for a pair;
 * friction is a pyramid. */
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/CollisionResult.hpp>
#include <dart/collision/bullet/BulletCollisionDetector.hpp>
#include <dart/config.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlaneShape.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/ShapeNode.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include "bench/peers/scene_peer.h"
#include "bench/peers/scene_tree.h"

namespace
{

using namespace dart::dynamics;
using Eigen::Isometry3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

const int substeps_advised = 4;
const double ground_side = 100.0, ground_depth = 1.0;
const std::size_t many_contacts = 1000000;

Vector3d vector(const double *x)
{
    return Vector3d(x[0], x[1], x[2]);
}

Isometry3d pose_of(const rigid_body &b)
{
    Isometry3d pose = Isometry3d::Identity();
    pose.linear() = Quaterniond(b.quaternion[0], b.quaternion[1], b.quaternion[2], b.quaternion[3])
                        .toRotationMatrix();
    pose.translation() = vector(b.position);
    return pose;
}

struct World {
    const rigid_scene *scene;
    bool advised;
    scene_tree tree = {};
    dart::simulation::WorldPtr world = dart::simulation::World::create();
    std::vector<BodyNode *> bodies;
    std::unordered_map<const BodyNode *, int> number;

    World(const rigid_scene *what, bool as_advised) : scene(what), advised(as_advised)
    {
        auto *solver = world->getConstraintSolver();
        if (scene_tree_make(&tree, scene) != 0)
            std::abort();
        world->setTimeStep(scene->h / substeps());
        world->setGravity(vector(scene->gravity));
        if (advised)
            solver->setCollisionDetector(dart::collision::BulletCollisionDetector::create());
        solver->getCollisionOption().maxNumContacts = many_contacts;
        for (int k = 0; k < scene->planes; k++)
            add_plane(scene->plane[k]);
        bodies.resize(static_cast<std::size_t>(scene->bodies));
        for (int k = 0; k < scene->bodies; k++)
            add_body(tree.order[k]);
        for (int k = 0; k < scene->joints; k++)
            if (tree.closes[k])
                close_loop(scene->joint[k]);
    }

    int substeps() const
    {
        return advised ? substeps_advised : 1;
    }

    void material(ShapeNode *node) const
    {
        node->getDynamicsAspect()->setFrictionCoeff(scene->mu);
        node->getDynamicsAspect()->setRestitutionCoeff(std::sqrt(scene->e));
    }

    void add_plane(const rigid_plane &plane)
    {
        SkeletonPtr ground = Skeleton::create("plane" + std::to_string(world->getNumSkeletons()));
        BodyNode *body = ground->createJointAndBodyNodePair<WeldJoint>().second;
        ShapePtr shape;
        if (advised)
            shape = std::make_shared<PlaneShape>(vector(plane.normal), plane.offset);
        else
            shape = std::make_shared<BoxShape>(Vector3d(ground_side, ground_side, ground_depth));
        ShapeNode *node =
            body->createShapeNodeWith<VisualAspect, CollisionAspect, DynamicsAspect>(shape);
        material(node);
        if (!advised) {
            Isometry3d pose = Isometry3d::Identity();
            pose.linear() = Quaterniond::FromTwoVectors(Vector3d::UnitZ(), vector(plane.normal))
                                .toRotationMatrix();
            pose.translation() = (plane.offset - 0.5 * ground_depth) * vector(plane.normal);
            node->setRelativeTransform(pose);
        }
        number[body] = -1;
        world->addSkeleton(ground);
    }

    /* The frame of a joint is the world's at the start, at its anchor. */
    template <class Kind> BodyNode *add_joined(int k, const SkeletonPtr &skeleton, Kind **joint)
    {
        const int parent = tree.parent[k];
        BodyNode *above = parent >= 0 ? bodies[static_cast<std::size_t>(parent)] : nullptr;
        auto pair = skeleton->createJointAndBodyNodePair<Kind>(above);
        Isometry3d frame = Isometry3d::Identity();
        frame.translation() = vector(scene->joint[tree.by[k]].at);
        pair.first->setTransformFromParentBodyNode(
            (above ? pose_of(scene->body[parent]) : Isometry3d::Identity()).inverse() * frame);
        pair.first->setTransformFromChildBodyNode(pose_of(scene->body[k]).inverse() * frame);
        *joint = pair.first;
        return pair.second;
    }

    Vector3d turning_of(int k) const
    {
        const int parent = tree.parent[k];
        Vector3d turning = vector(scene->body[k].angular);
        return parent >= 0 ? Vector3d(turning - vector(scene->body[parent].angular)) : turning;
    }

    BodyNode *add_tied(int k, const SkeletonPtr &skeleton)
    {
        const rigid_joint &j = scene->joint[tree.by[k]];
        /* Coordinates are those of the child against its parent. */
        const double sign = j.a == k ? 1.0 : -1.0;
        BodyNode *made;
        if (j.kind == RIGID_BALL) {
            BallJoint *joint;
            made = add_joined(k, skeleton, &joint);
            joint->setVelocities(turning_of(k));
            return made;
        }
        if (j.kind == RIGID_HINGE) {
            RevoluteJoint *joint;
            made = add_joined(k, skeleton, &joint);
            joint->setAxis(sign * vector(j.axis));
            joint->setVelocity(0, sign * vector(j.axis).dot(turning_of(k)));
        } else {
            PrismaticJoint *joint;
            made = add_joined(k, skeleton, &joint);
            joint->setAxis(sign * vector(j.axis));
        }
        drive(made->getParentJoint(), j.drive);
        return made;
    }

    static void drive(Joint *joint, const rigid_drive &d)
    {
        if (d.limited) {
            joint->setPositionLowerLimit(0, d.low);
            joint->setPositionUpperLimit(0, d.high);
            joint->setLimitEnforcement(true);
        }
        if (d.kind == RIGID_SPEED || d.kind == RIGID_TARGET) {
            joint->setActuatorType(Joint::SERVO);
            joint->setForceLowerLimit(0, -std::fabs(d.largest));
            joint->setForceUpperLimit(0, std::fabs(d.largest));
        }
    }

    void add_body(int k)
    {
        const rigid_body &b = scene->body[k];
        const int parent = tree.parent[k];
        SkeletonPtr skeleton = parent >= 0 ? bodies[static_cast<std::size_t>(parent)]->getSkeleton()
                                           : Skeleton::create("skeleton" + std::to_string(k));
        BodyNode *body;
        if (tree.by[k] >= 0)
            body = add_tied(k, skeleton);
        else
            body = skeleton->createJointAndBodyNodePair<FreeJoint>().second;
        body->setName(std::to_string(k));
        body->setInertia(
            Inertia(b.mass, Vector3d::Zero(), Eigen::Matrix3d(vector(b.inertia).asDiagonal())));
        bodies[static_cast<std::size_t>(k)] = body;
        number[body] = k;
        if (parent < 0) {
            skeleton->enableSelfCollisionCheck();
            world->addSkeleton(skeleton);
        }
        if (tree.by[k] < 0) {
            auto *joint = static_cast<FreeJoint *>(body->getParentJoint());
            joint->setTransform(pose_of(b));
            joint->setLinearVelocity(vector(b.velocity));
            joint->setAngularVelocity(vector(b.angular));
        }
        if (b.shape != RIGID_BARE)
            add_shape(body, b);
    }

    void add_shape(BodyNode *body, const rigid_body &b)
    {
        ShapePtr shape;
        if (b.shape == RIGID_SPHERE)
            shape = std::make_shared<SphereShape>(b.radius);
        else
            shape = std::make_shared<BoxShape>(2.0 * vector(b.half));
        ShapeNode *node =
            body->createShapeNodeWith<VisualAspect, CollisionAspect, DynamicsAspect>(shape);
        node->setRelativeTranslation(vector(b.shape_at));
        material(node);
    }

    void close_loop(const rigid_joint &j)
    {
        const Vector3d at = vector(j.at), along = 0.1 * vector(j.axis);
        std::vector<Vector3d> points = {at};
        if (j.kind == RIGID_HINGE)
            points = {at + along, at - along};
        for (const Vector3d &point : points) {
            BodyNode *a = bodies[static_cast<std::size_t>(j.a)];
            using Ball = dart::constraint::BallJointConstraint;
            auto ball =
                j.b >= 0 ? std::make_shared<Ball>(a, bodies[static_cast<std::size_t>(j.b)], point)
                         : std::make_shared<Ball>(a, point);
            world->getConstraintSolver()->addConstraint(ball);
        }
    }

    void command(double t)
    {
        for (int k = 0; k < scene->bodies; k++) {
            if (tree.by[k] < 0)
                continue;
            const rigid_drive &d = scene->joint[tree.by[k]].drive;
            Joint *joint = bodies[static_cast<std::size_t>(k)]->getParentJoint();
            if (d.kind == RIGID_FORCE)
                joint->setCommand(0, d.largest);
            else if (d.kind == RIGID_SPEED)
                joint->setCommand(0, d.speed);
            else if (d.kind == RIGID_TARGET)
                joint->setCommand(0, (scene_drive_place(&d, t) - joint->getPosition(0)) /
                                         world->getTimeStep());
        }
    }

    int owner(const dart::collision::CollisionObject *object) const
    {
        return number.at(object->getShapeFrame()->asShapeNode()->getBodyNodePtr());
    }

    /* Points were found at the start of the step: the record still has that state. */
    void tell(motion_out *out) const
    {
        const auto &result = world->getConstraintSolver()->getLastCollisionResult();
        out->record.contacts = static_cast<double>(result.getNumContacts());
        if (advised)
            return;
        motion_start_contacts(out);
        for (const auto &contact : result.getContacts()) {
            const int first = owner(contact.collisionObject1);
            const int second = owner(contact.collisionObject2);
            motion_contact c = {};
            c.a = first;
            c.b = second;
            c.gap = -contact.penetrationDepth;
            for (int i = 0; i < 3; i++) {
                c.arm_a[i] = contact.point[i] -
                             (first >= 0 ? out->record.body[MOTION_BODY * first + i] : 0.0);
                c.arm_b[i] = contact.point[i] -
                             (second >= 0 ? out->record.body[MOTION_BODY * second + i] : 0.0);
                c.normal[i] = contact.normal[i];
                c.impulse[i] = contact.force[i] * world->getTimeStep();
            }
            motion_add_contact(out, &c);
        }
    }
};

void *make(const rigid_scene *scene, int advised)
{
    return new World(scene, advised != 0);
}

void step(void *data, motion_out *out)
{
    World *w = static_cast<World *>(data);
    for (int k = 0; k < w->substeps(); k++) {
        w->command(w->world->getTime() + w->world->getTimeStep());
        w->world->step();
    }
    w->tell(out);
}

void states(void *data, motion_out *out)
{
    const World *w = static_cast<const World *>(data);
    for (std::size_t k = 0; k < w->bodies.size(); k++) {
        const BodyNode *b = w->bodies[k];
        const Isometry3d &pose = b->getWorldTransform();
        const Quaterniond q(pose.linear());
        const Vector3d velocity = b->getLinearVelocity(), angular = b->getAngularVelocity();
        double *to = out->record.body + k * MOTION_BODY;
        to[3] = q.w();
        to[4] = q.x();
        to[5] = q.y();
        to[6] = q.z();
        for (int i = 0; i < 3; i++) {
            to[i] = pose.translation()[i];
            to[7 + i] = velocity[i];
            to[10 + i] = angular[i];
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    const scene_peer peer = {"DART " DART_VERSION,
                             SCENE_PEER_OFF_CENTRE | SCENE_PEER_SLIDERS | SCENE_PEER_DRIVES, make,
                             step, states};
    return scene_peer_main(&peer, argc, argv);
}
