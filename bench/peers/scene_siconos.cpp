/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-scene-siconos: scenes by Siconos, set up as its own runner of mechanical scenes does
 * (siconos/io/mechanics_run.py): TimeStepping with Moreau-Jean's scheme, theta = 0.50001, Newton
 * loops of up to 20 iterations, Bullet's narrow phase, and joints as equality constraints, for
 * which the problem of a step is GenericMechanical.
 *
 * default: NSGS with its own tolerance and number of iterations; for joints those of
 * GenericMechanical.  advised: to 1e-8 with up to 10 000 iterations; spheres and planes alone find
 * their contacts by SpaceFilter instead of Bullet.  A step ended early where the error of its last
 * problem is above the tolerance. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

/* The classes of mechanics must be known to the kernel's visitors. */
#include <BulletSiconosFwd.hpp>
#include <MechanicsFwd.hpp>

#include <SiconosKernel.hpp>
#include <SolverOptions.h>

#include <KneeJointR.hpp>
#include <PivotJointR.hpp>
#include <PrismaticJointR.hpp>
#include <RigidBodyDS.hpp>
#include <SiconosBulletCollisionManager.hpp>
#include <SiconosContactor.hpp>
#include <SiconosShape.hpp>
#include <SpaceFilter.hpp>
#include <SphereNEDS.hpp>

#include "bench/peers/scene_peer.h"

namespace
{

const double theta = 0.50001, margin_part = 0.02, tolerance_advised = 1e-8;
const int iterations_advised = 10000, newton_iterations = 20;
const unsigned rolling_size = 5, box_factor = 3, cell = 1;

SP::SiconosVector vector(const double *x, unsigned size)
{
    SP::SiconosVector v(new SiconosVector(size));
    for (unsigned k = 0; k < size; k++)
        (*v)(k) = x[k];
    return v;
}

/* By the quaternion; by its inverse where sign is -1. */
void turn(double *to, const double *q, const double *x, double sign)
{
    const double u[3] = {sign * q[1], sign * q[2], sign * q[3]};
    const double t[3] = {2.0 * (u[1] * x[2] - u[2] * x[1]), 2.0 * (u[2] * x[0] - u[0] * x[2]),
                         2.0 * (u[0] * x[1] - u[1] * x[0])};
    to[0] = x[0] + q[0] * t[0] + u[1] * t[2] - u[2] * t[1];
    to[1] = x[1] + q[0] * t[1] + u[2] * t[0] - u[0] * t[2];
    to[2] = x[2] + q[0] * t[2] + u[0] * t[1] - u[1] * t[0];
}

bool only_spheres(const rigid_scene *scene)
{
    for (int k = 0; k < scene->bodies; k++) {
        const rigid_body &b = scene->body[k];
        if (b.shape != RIGID_SPHERE || b.shape_at[0] != 0.0 || b.shape_at[1] != 0.0 ||
            b.shape_at[2] != 0.0)
            return false;
    }
    return scene->joints == 0 && !(scene->rolling > 0.0);
}

struct World {
    const rigid_scene *scene;
    bool advised, spheres;
    SP::NonSmoothDynamicalSystem system;
    SP::TimeStepping simulation;
    SP::OneStepNSProblem problem;
    SP::InteractionManager collisions;
    std::vector<SP::NewtonEulerDS> bodies;
    std::unordered_map<const DynamicalSystem *, int> number;

    World(const rigid_scene *what, bool as_advised)
        : scene(what), advised(as_advised), spheres(as_advised && only_spheres(what))
    {
        system.reset(new NonSmoothDynamicalSystem(0.0, scene->until + 2.0 * scene->h));
        if (spheres)
            filter_spheres();
        else
            find_by_bullet();
        collisions->insertNonSmoothLaw(law(), 0, 0);
        for (int k = 0; k < scene->bodies; k++)
            add_body(scene->body[k], k);
        for (int k = 0; k < scene->joints; k++)
            add_joint(scene->joint[k]);
        set_up();
    }

    void find_by_bullet()
    {
        auto made = std::make_shared<SiconosBulletCollisionManager>();
        made->useEqualityConstraints(scene->joints > 0);
        for (int k = 0; k < scene->planes; k++)
            add_plane(*made, scene->plane[k]);
        collisions = made;
    }

    void filter_spheres()
    {
        SP::SimpleMatrix planes(new SimpleMatrix(static_cast<unsigned>(scene->planes), 4));
        for (unsigned k = 0; k < planes->size(0); k++) {
            for (unsigned i = 0; i < 3; i++)
                (*planes)(k, i) = scene->plane[k].normal[i];
            (*planes)(k, 3) = -scene->plane[k].offset;
        }
        collisions = std::make_shared<SpaceFilter>(box_factor, cell, planes);
    }

    SP::NonSmoothLaw law() const
    {
        if (scene->rolling > 0.0)
            return SP::NonSmoothLaw(new NewtonImpactRollingFrictionNSL(
                scene->e, 0.0, scene->mu, scene->rolling, rolling_size));
        return SP::NonSmoothLaw(new NewtonImpactFrictionNSL(scene->e, 0.0, scene->mu, 3));
    }

    /* Its solid is below z = 0 of its own axes. */
    static void add_plane(SiconosBulletCollisionManager &manager, const rigid_plane &plane)
    {
        const double *n = plane.normal, w = 1.0 + n[2];
        double at[7] = {plane.offset * n[0], plane.offset * n[1], plane.offset * n[2], 0, 1, 0, 0};
        if (w > 1e-9) {
            const double size = std::sqrt(w * w + n[0] * n[0] + n[1] * n[1]);
            at[3] = w / size;
            at[4] = -n[1] / size;
            at[5] = n[0] / size;
        }
        SP::SiconosContactorSet set(new SiconosContactorSet());
        set->push_back(
            SP::SiconosContactor(new SiconosContactor(SP::SiconosShape(new SiconosPlane()))));
        manager.insertStaticContactorSet(set, vector(at, 7));
    }

    static SP::SiconosShape shape_of(const rigid_body &b)
    {
        const double least = std::fmin(b.half[0], std::fmin(b.half[1], b.half[2]));
        SP::SiconosShape shape;
        if (b.shape == RIGID_SPHERE) {
            shape.reset(new SiconosSphere(static_cast<float>(b.radius)));
            shape->setInsideMargin(margin_part * b.radius);
            return shape;
        }
        if (b.shape == RIGID_BOX) {
            shape.reset(new SiconosBox(2.0 * b.half[0], 2.0 * b.half[1], 2.0 * b.half[2]));
        } else {
            SP::SimpleMatrix vertices(new SimpleMatrix(static_cast<unsigned>(b.vertices), 3));
            for (int k = 0; k < b.vertices; k++)
                for (int i = 0; i < 3; i++)
                    vertices->setValue(static_cast<unsigned>(k), static_cast<unsigned>(i),
                                       b.vertex[k][i]);
            shape.reset(new SiconosConvexHull(vertices));
        }
        shape->setInsideMargin(2.0 * margin_part * least);
        return shape;
    }

    static SP::RigidBodyDS contactor_body(const rigid_body &b, SP::RigidBodyDS body)
    {
        const double at[7] = {b.shape_at[0], b.shape_at[1], b.shape_at[2], 1, 0, 0, 0};
        SP::SiconosContactorSet set(new SiconosContactorSet());
        if (b.shape != RIGID_BARE)
            set->push_back(SP::SiconosContactor(new SiconosContactor(shape_of(b), vector(at, 7))));
        body->setUseContactorInertia(false);
        body->setContactors(set);
        return body;
    }

    void add_body(const rigid_body &b, int k)
    {
        const double pose[7] = {b.position[0],   b.position[1],   b.position[2],  b.quaternion[0],
                                b.quaternion[1], b.quaternion[2], b.quaternion[3]};
        double twist[6] = {b.velocity[0], b.velocity[1], b.velocity[2], 0, 0, 0};
        double weight[3];
        turn(twist + 3, b.quaternion, b.angular, -1.0);
        for (int i = 0; i < 3; i++)
            weight[i] = b.mass * scene->gravity[i];
        SP::SimpleMatrix inertia(new SimpleMatrix(3, 3));
        for (unsigned i = 0; i < 3; i++)
            (*inertia)(i, i) = b.inertia[i];
        SP::NewtonEulerDS made;
        if (spheres)
            made.reset(
                new SphereNEDS(b.radius, b.mass, inertia, vector(pose, 7), vector(twist, 6)));
        else
            made = contactor_body(b, SP::RigidBodyDS(new RigidBodyDS(
                                         vector(pose, 7), vector(twist, 6), b.mass, inertia)));
        made->setFExtPtr(vector(weight, 3));
        system->insertDynamicalSystem(made);
        bodies.push_back(made);
        number[made.get()] = k;
    }

    void add_joint(const rigid_joint &j)
    {
        SP::NewtonEulerDS a = bodies[static_cast<size_t>(j.a)], b;
        if (j.b >= 0)
            b = bodies[static_cast<size_t>(j.b)];
        std::shared_ptr<NewtonEulerJointR> joint;
        if (j.kind == RIGID_BALL)
            joint.reset(new KneeJointR(vector(j.at, 3), true, a, b));
        else if (j.kind == RIGID_HINGE)
            joint.reset(new PivotJointR(vector(j.at, 3), vector(j.axis, 3), true, a, b));
        else
            joint.reset(new PrismaticJointR(vector(j.axis, 3), true, a, b));
        SP::NonSmoothLaw equal(new EqualityConditionNSL(joint->numberOfConstraints()));
        SP::Interaction tie(new Interaction(equal, joint));
        if (b)
            system->link(tie, a, b);
        else
            system->link(tie, a);
    }

    void choose_problem()
    {
        SP::LinearOSNS made;
        if (scene->joints > 0)
            made.reset(new GenericMechanical());
        else if (scene->rolling > 0.0)
            made.reset(new RollingFrictionContact(rolling_size));
        else
            made.reset(new FrictionContact(3));
        if (scene->joints == 0 && !(scene->rolling > 0.0))
            made->setMStorageType(NM_SPARSE_BLOCK);
        made->setNumericsVerboseMode(false);
        made->setKeepLambdaAndYState(true);
        if (advised) {
            made->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = tolerance_advised;
            made->numericsSolverOptions()->iparam[SICONOS_IPARAM_MAX_ITER] = iterations_advised;
        }
        problem = made;
    }

    void set_up()
    {
        SP::TimeDiscretisation clock(new TimeDiscretisation(0.0, scene->h));
        choose_problem();
        simulation.reset(new TimeStepping(system, clock));
        simulation->insertIntegrator(SP::OneStepIntegrator(new MoreauJeanOSI(theta)));
        simulation->insertNonSmoothProblem(problem);
        simulation->insertInteractionManager(collisions);
        simulation->setNewtonOptions(SICONOS_TS_NONLINEAR);
        simulation->setNewtonMaxIteration(newton_iterations);
        simulation->setNewtonTolerance(1e-10);
        simulation->setWarnOnNonConvergence(false);
    }

    /* lambda is in the axes of the contact, the first of them its normal; the rows of jachqT take
     * the velocities of both bodies there. */
    void tell_contact(motion_out *out, Interaction &inter, const NewtonEuler1DR &relation,
                      const DynamicalSystem *first, const DynamicalSystem *second)
    {
        const SiconosVector &lambda = *inter.lambda(1);
        const SimpleMatrix &rows = *relation.jachqT();
        motion_contact c = {};
        c.a = number.at(first);
        c.b = second != first ? number.at(second) : -1;
        c.gap = inter.yMemory(0).getSiconosVector(0)(0);
        for (unsigned i = 0; i < 3; i++) {
            c.arm_a[i] = (*relation.pc1())(i) - (*bodies[static_cast<size_t>(c.a)]->q())(i);
            if (second != first)
                c.arm_b[i] = (*relation.pc2())(i) - (*bodies[static_cast<size_t>(c.b)]->q())(i);
            c.normal[i] = rows.getValue(0, i);
            for (unsigned k = 0; k < lambda.size(); k++)
                c.impulse[i] += rows.getValue(k, i) * lambda(k);
        }
        motion_add_contact(out, &c);
    }

    void tell(motion_out *out)
    {
        InteractionsGraph &graph = *system->topology()->indexSet(1);
        InteractionsGraph::VIterator at, end;
        double count = 0.0;
        motion_start_contacts(out);
        for (std::tie(at, end) = graph.vertices(); at != end; ++at) {
            SP::Interaction inter = graph.bundle(*at);
            auto relation = std::dynamic_pointer_cast<NewtonEuler1DR>(inter->relation());
            if (!relation)
                continue;
            const auto &ends = graph.properties(*at);
            tell_contact(out, *inter, *relation, ends.source.get(), ends.target.get());
            count++;
        }
        const SolverOptions &solver = *problem->numericsSolverOptions();
        out->record.contacts = count;
        out->record.early = graph.size() > 0 && !(solver.dparam[SICONOS_DPARAM_RESIDU] <=
                                                  solver.dparam[SICONOS_DPARAM_TOL]);
    }
};

void *make(const rigid_scene *scene, int advised)
{
    return new World(scene, advised != 0);
}

void step(void *data, motion_out *out)
{
    World *w = static_cast<World *>(data);
    w->simulation->computeOneStep();
    w->tell(out);
    w->simulation->clearNSDSChangeLog();
    w->simulation->nextStep();
}

void states(void *data, motion_out *out)
{
    const World *w = static_cast<const World *>(data);
    for (size_t k = 0; k < w->bodies.size(); k++) {
        const SiconosVector &q = *w->bodies[k]->q(), &twist = *w->bodies[k]->twist();
        double *to = out->record.body + k * MOTION_BODY;
        for (unsigned i = 0; i < 7; i++)
            to[i] = q(i);
        const double turning[3] = {twist(3), twist(4), twist(5)};
        for (unsigned i = 0; i < 3; i++)
            to[7 + i] = twist(i);
        turn(to + 10, to + 3, turning, 1.0);
    }
}

} // namespace

/* Its headers do not say a version; the name of the library's file does. */
int main(int argc, char **argv)
{
    static char version[48] = "Siconos";
    char place[1024];
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&solver_options_create), &info) != 0 &&
        realpath(info.dli_fname, place) != nullptr && std::strstr(place, ".so.") != nullptr)
        snprintf(version, sizeof version, "Siconos (.so.%.20s)", std::strstr(place, ".so.") + 4);
    const scene_peer peer = {
        version, SCENE_PEER_HULLS | SCENE_PEER_OFF_CENTRE | SCENE_PEER_ROLLING | SCENE_PEER_SLIDERS,
        make, step, states};
    return scene_peer_main(&peer, argc, argv);
}
