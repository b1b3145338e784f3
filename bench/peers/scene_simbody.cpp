/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-scene-simbody: scenes by Simbody.
 *
 * Compliant: CompliantContactSubsystem as in its examples of contact, a stiffness of 1e8 Pa, a
 * transition velocity of 1 mm/s; boxes are meshes on an elastic foundation as thick as their
 * smallest half width, spheres are meshes too where a box may meet them, else Hertz's; dissipation
 * c = (1 - e)/(0.1 m/s).  CPodes (BDF, Newton) to 1e-3; of many bodies Runge-Kutta-Merson, which
 * the examples say scales better, to their 0.1.
 * Rigid: SemiExplicitEulerTimeStepper, of spheres and the corners of boxes on planes and of spheres
 * on each other; there are no contacts of boxes on each other.  PGS, since a ball rolls by the PLUS
 * solver at any coefficient of friction; Mixed impacts, for a cradle that hands its velocity on.
 * Without shapes: Runge-Kutta-Merson.
 *
 * default: compliant; joints alone 1e-3.  advised: rigid with four substeps where no box may meet
 * another shape and bodies are few, else compliant with meshes twice as fine, many bodies to 0.01;
 * joints alone 1e-6.  Impulses are not given.
 * Joints make trees of bodies in joint coordinates; those that close a loop are Constraint::Ball,
 * two for a hinge. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

#include <SimTKsimbody.h>

#include "bench/peers/scene_peer.h"
#include "bench/peers/scene_tree.h"

namespace
{

using namespace SimTK;

const double stiffness = 1e8, slow = 1e-3, restitution_speed = 0.1;
const int substeps_advised = 4, few = 10;

Vec3 vector(const double *x)
{
    return Vec3(x[0], x[1], x[2]);
}

Transform pose_of(const rigid_body &b)
{
    const Vec4 q(b.quaternion[0], b.quaternion[1], b.quaternion[2], b.quaternion[3]);
    return Transform(Rotation(Quaternion(q)), vector(b.position));
}

enum class Way { smooth, compliant, rigid };

/* Whether a box of the scene can meet a box or a sphere: all planes are the world's. */
bool boxes_meet(const rigid_scene *scene)
{
    int boxes = 0, shapes = 0;
    for (int k = 0; k < scene->bodies; k++) {
        boxes += scene->body[k].shape == RIGID_BOX;
        shapes += scene->body[k].shape != RIGID_BARE;
    }
    return boxes > 0 && shapes > 1;
}

bool has_shapes(const rigid_scene *scene)
{
    for (int k = 0; k < scene->bodies; k++)
        if (scene->body[k].shape != RIGID_BARE)
            return true;
    return false;
}

struct World {
    const rigid_scene *scene;
    bool advised, meshes;
    Way way;
    scene_tree tree = {};
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    ContactTrackerSubsystem tracker;
    CompliantContactSubsystem compliant;
    std::vector<MobilizedBody> bodies;
    std::vector<ContactCliqueId> cliques;
    std::unique_ptr<Integrator> integrator;
    std::unique_ptr<TimeStepper> stepper;
    std::unique_ptr<SemiExplicitEulerTimeStepper> rigid;
    int steps = 0;

    World(const rigid_scene *what, bool as_advised)
        : scene(what), advised(as_advised), meshes(boxes_meet(what)), matter(system),
          forces(system), tracker(system), compliant(system, tracker)
    {
        way = !has_shapes(scene)                           ? Way::smooth
              : advised && !meshes && scene->bodies <= few ? Way::rigid
                                                           : Way::compliant;
        if (scene_tree_make(&tree, scene) != 0)
            std::abort();
        compliant.setTransitionVelocity(slow);
        Force::UniformGravity(forces, matter, vector(scene->gravity));
        for (int k = 0; k < scene->joints; k++)
            cliques.push_back(ContactSurface::createNewContactClique());
        for (int k = 0; way == Way::compliant && k < scene->planes; k++)
            add_plane(scene->plane[k]);
        bodies.resize(static_cast<size_t>(scene->bodies));
        for (int k = 0; k < scene->bodies; k++)
            add_body(tree.order[k]);
        for (int k = 0; k < scene->joints; k++)
            if (tree.closes[k])
                close_loop(scene->joint[k]);
        if (way == Way::rigid)
            add_rigid_contacts();
        begin();
    }

    ContactMaterial material() const
    {
        return ContactMaterial(
            stiffness,
            ContactMaterial::calcDissipationFromObservedRestitution(scene->e, restitution_speed),
            scene->mu, scene->mu);
    }

    /* Solid where x > 0 in its own axes. */
    void add_plane(const rigid_plane &plane)
    {
        const Vec3 normal = vector(plane.normal);
        matter.Ground().updBody().addContactSurface(
            Transform(Rotation(UnitVec3(-normal), XAxis), plane.offset * normal),
            ContactSurface(ContactGeometry::HalfSpace(), material(), 1.0));
    }

    void add_surface(Body &body, const rigid_body &b, int k) const
    {
        std::unique_ptr<ContactGeometry> shape;
        double thickness = b.radius;
        if (b.shape == RIGID_BOX) {
            thickness = std::fmin(b.half[0], std::fmin(b.half[1], b.half[2]));
            shape.reset(new ContactGeometry::TriangleMesh(
                PolygonalMesh::createBrickMesh(vector(b.half), advised ? 6 : 3)));
        } else if (meshes) {
            shape.reset(new ContactGeometry::TriangleMesh(
                PolygonalMesh::createSphereMesh(b.radius, advised ? 5 : 4)));
        } else {
            shape.reset(new ContactGeometry::Sphere(b.radius));
        }
        ContactSurface surface(*shape, material(), thickness);
        for (int j = 0; j < scene->joints; j++)
            if (scene->joint[j].a == k || scene->joint[j].b == k)
                surface.joinClique(cliques[static_cast<size_t>(j)]);
        body.addContactSurface(Transform(vector(b.shape_at)), surface);
    }

    /* The frame of a joint is at its anchor, z along its axis. */
    void add_body(int k)
    {
        const rigid_body &b = scene->body[k];
        const int parent = tree.parent[k];
        MobilizedBody above = parent >= 0 ? bodies[static_cast<size_t>(parent)]
                                          : static_cast<MobilizedBody &>(matter.updGround());
        Body::Rigid body(
            MassProperties(b.mass, Vec3(0), Inertia(b.inertia[0], b.inertia[1], b.inertia[2])));
        MobilizedBody &made = bodies[static_cast<size_t>(k)];
        if (way == Way::compliant && b.shape != RIGID_BARE)
            add_surface(body, b, k);
        if (tree.by[k] < 0) {
            made = MobilizedBody::Free(above, body);
            return;
        }
        const rigid_joint &j = scene->joint[tree.by[k]];
        Rotation axes;
        if (j.kind != RIGID_BALL)
            axes = Rotation(UnitVec3(vector(j.axis)), ZAxis);
        const Transform frame(axes, vector(j.at));
        const Transform in_parent =
            parent >= 0 ? Transform(~pose_of(scene->body[parent]) * frame) : frame;
        const Transform in_body(~pose_of(b) * frame);
        if (j.kind == RIGID_BALL)
            made = MobilizedBody::Ball(above, in_parent, body, in_body);
        else
            made = MobilizedBody::Pin(above, in_parent, body, in_body);
    }

    void close_loop(const rigid_joint &j)
    {
        const Vec3 at = vector(j.at), along = 0.1 * vector(j.axis);
        std::vector<Vec3> points = {at};
        if (j.kind == RIGID_HINGE)
            points = {at + along, at - along};
        for (const Vec3 &point : points) {
            MobilizedBody a = bodies[static_cast<size_t>(j.a)];
            const Vec3 in_a = ~pose_of(scene->body[j.a]) * point;
            if (j.b >= 0)
                Constraint::Ball(a, in_a, bodies[static_cast<size_t>(j.b)],
                                 ~pose_of(scene->body[j.b]) * point);
            else
                Constraint::Ball(matter.updGround(), point, a, in_a);
        }
    }

    void add_rigid_plane(const rigid_plane &plane, int k)
    {
        const rigid_body &b = scene->body[k];
        const UnitVec3 normal(vector(plane.normal));
        MobilizedBody &body = bodies[static_cast<size_t>(k)];
        if (b.shape == RIGID_SPHERE) {
            matter.adoptUnilateralContact(new SpherePlaneContact(
                matter.updGround(), normal, plane.offset, body, vector(b.shape_at), b.radius,
                scene->e, scene->mu, scene->mu, 0.0));
            return;
        }
        for (int corner = 0; corner < 8; corner++) {
            const Vec3 point(corner & 1 ? b.half[0] : -b.half[0],
                             corner & 2 ? b.half[1] : -b.half[1],
                             corner & 4 ? b.half[2] : -b.half[2]);
            matter.adoptUnilateralContact(new PointPlaneContact(
                matter.updGround(), normal, plane.offset, body, vector(b.shape_at) + point,
                scene->e, scene->mu, scene->mu, 0.0));
        }
    }

    void add_rigid_contacts()
    {
        for (int k = 0; k < scene->bodies; k++) {
            const rigid_body &b = scene->body[k];
            if (b.shape == RIGID_BARE)
                continue;
            for (int p = 0; p < scene->planes; p++)
                add_rigid_plane(scene->plane[p], k);
            for (int i = 0; b.shape == RIGID_SPHERE && i < k; i++) {
                const rigid_body &other = scene->body[i];
                if (other.shape == RIGID_SPHERE)
                    matter.adoptUnilateralContact(new SphereSphereContact(
                        bodies[static_cast<size_t>(k)], vector(b.shape_at), b.radius,
                        bodies[static_cast<size_t>(i)], vector(other.shape_at), other.radius,
                        scene->e, scene->mu, scene->mu, 0.0));
            }
        }
    }

    void choose_integrator()
    {
        if (way == Way::smooth || scene->bodies > few)
            integrator.reset(new RungeKuttaMersonIntegrator(system));
        else
            integrator.reset(new CPodesIntegrator(system, CPodes::BDF, CPodes::Newton));
        if (way == Way::smooth)
            integrator->setAccuracy(advised ? 1e-6 : 1e-3);
        else if (scene->bodies > few)
            integrator->setAccuracy(advised ? 0.01 : 0.1);
        else
            integrator->setAccuracy(1e-3);
    }

    void begin()
    {
        State state = system.realizeTopology();
        system.realizeModel(state);
        for (int k = 0; k < scene->bodies; k++) {
            const int n = tree.order[k];
            const MobilizedBody &body = bodies[static_cast<size_t>(n)];
            if (tree.by[n] < 0)
                body.setQToFitTransform(state, pose_of(scene->body[n]));
            system.realize(state, Stage::Position);
        }
        for (int k = 0; k < scene->bodies; k++)
            start_velocity(state, tree.order[k]);
        if (way == Way::rigid) {
            rigid.reset(new SemiExplicitEulerTimeStepper(system));
            rigid->setImpulseSolverType(SemiExplicitEulerTimeStepper::PGS);
            rigid->setInducedImpactModel(SemiExplicitEulerTimeStepper::Mixed);
            rigid->initialize(state);
            return;
        }
        choose_integrator();
        stepper.reset(new TimeStepper(system, *integrator));
        stepper->initialize(state);
    }

    /* Of the body against its parent, in the parent's joint frame. */
    void start_velocity(State &state, int n) const
    {
        const rigid_body &b = scene->body[n];
        const MobilizedBody &body = bodies[static_cast<size_t>(n)];
        Vec3 turning = vector(b.angular), velocity = vector(b.velocity);
        if (tree.by[n] >= 0) {
            if (tree.parent[n] >= 0)
                turning -= vector(scene->body[tree.parent[n]].angular);
            const MobilizedBody &above = body.getParentMobilizedBody();
            const Rotation frame =
                above.getBodyTransform(state).R() * body.getInboardFrame(state).R();
            turning = ~frame * turning;
            velocity = Vec3(0);
        }
        body.setUToFitVelocity(state, SpatialVec(turning, velocity));
        system.realize(state, Stage::Velocity);
    }

    const State &state() const
    {
        return way == Way::rigid ? rigid->getState() : stepper->getState();
    }

    void step()
    {
        const int parts = way == Way::rigid ? substeps_advised : 1;
        steps++;
        for (int k = 1; k <= parts; k++) {
            const double t = (steps - 1 + static_cast<double>(k) / parts) * scene->h;
            if (way == Way::rigid)
                rigid->stepTo(t);
            else
                stepper->stepTo(t);
        }
        system.realize(state(), Stage::Dynamics);
    }

    double contacts() const
    {
        if (way == Way::compliant)
            return compliant.getNumContactForces(state());
        double count = 0.0;
        for (UnilateralContactIndex k(0); k < matter.getNumUnilateralContacts(); ++k)
            count += matter.getUnilateralContact(k).isEnabled(state());
        return count;
    }
};

void *make(const rigid_scene *scene, int advised)
{
    return new World(scene, advised != 0);
}

void step(void *data, motion_out *out)
{
    World *w = static_cast<World *>(data);
    w->step();
    out->record.contacts = w->contacts();
}

void states(void *data, motion_out *out)
{
    const World *w = static_cast<const World *>(data);
    const State &state = w->state();
    for (size_t k = 0; k < w->bodies.size(); k++) {
        const MobilizedBody &b = w->bodies[k];
        const Vec3 at = b.getBodyOriginLocation(state);
        const Vec3 velocity = b.getBodyOriginVelocity(state);
        const Vec3 angular = b.getBodyAngularVelocity(state);
        const Quaternion q = b.getBodyRotation(state).convertRotationToQuaternion();
        double *to = out->record.body + k * MOTION_BODY;
        for (int i = 0; i < 4; i++)
            to[3 + i] = q[i];
        for (int i = 0; i < 3; i++) {
            to[i] = at[i];
            to[7 + i] = velocity[i];
            to[10 + i] = angular[i];
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    int major, minor, build;
    static char version[32];

    /* Debian's library writes down each step. */
    std::cout.setstate(std::ios_base::badbit);
    SimTK_version_simbody(&major, &minor, &build);
    snprintf(version, sizeof version, "Simbody %d.%d", major, minor);
    const scene_peer peer = {version, SCENE_PEER_OFF_CENTRE, make, step, states};
    return scene_peer_main(&peer, argc, argv);
}
