// SPDX-License-Identifier: BSD-3-Clause
// perp-peer-kernel: one run of a system of bench/step_time.c by Siconos' kernel.
//
//     perp-peer-kernel SYSTEM SIZE STEPS
//
// Prints `steps N seconds S checksum C`: seconds of the loop over the steps only,
// and the sum of all coordinates of the end with the sum of the absolute velocities
// (first-order: of the states), to be compared with ours.  The same schemes, laws and
// numbers as bench/step_time.c, and Siconos' own choice of solver: Lemke for the
// complementarity problems, NSGS for friction.
//
// Siconos may throw or exit: hence a program of its own.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

#include <SiconosKernel.hpp>
#include <SolverOptions.h>

namespace
{
struct Scene {
    double h;
    SP::NonSmoothDynamicalSystem nsds;
    SP::OneStepIntegrator osi;
    SP::OneStepNSProblem problem;
    std::vector<SP::SecondOrderDS> bodies;
    std::vector<SP::FirstOrderLinearTIDS> circuits;
};

const double gravity = 9.81;

SP::LagrangianLinearTIDS bead(double position, double inertia)
{
    SP::SiconosVector q(new SiconosVector(3)), v(new SiconosVector(3));
    SP::SiconosVector weight(new SiconosVector(3));
    SP::SimpleMatrix mass(new SimpleMatrix(3, 3));
    (*q)(0) = position;
    (*mass)(0, 0) = (*mass)(1, 1) = 1.0;
    (*mass)(2, 2) = inertia;
    (*weight)(0) = -gravity;
    SP::LagrangianLinearTIDS ds(new LagrangianLinearTIDS(q, v, mass));
    ds->setFExtPtr(weight);
    return ds;
}

void ball(Scene &s, int, double t_end)
{
    s.nsds.reset(new NonSmoothDynamicalSystem(0.0, t_end));
    SP::LagrangianLinearTIDS ds = bead(1.0, 0.4 * 0.01);
    SP::SimpleMatrix H(new SimpleMatrix(1, 3));
    (*H)(0, 0) = 1.0;
    SP::NonSmoothLaw law(new NewtonImpactNSL(0.9));
    SP::Relation relation(new LagrangianLinearTIR(H));
    SP::Interaction inter(new Interaction(law, relation));
    s.nsds->insertDynamicalSystem(ds);
    s.nsds->link(inter, ds);
    s.bodies.push_back(ds);
    s.osi.reset(new MoreauJeanOSI(0.5));
    s.problem.reset(new LCP());
}

void beads(Scene &s, int size, double t_end, double bottom, double pitch)
{
    const double R = 0.1;
    s.nsds.reset(new NonSmoothDynamicalSystem(0.0, t_end));
    SP::NonSmoothLaw law(new NewtonImpactNSL(0.9));
    SP::LagrangianLinearTIDS below;
    for (int k = 0; k < size; k++) {
        SP::LagrangianLinearTIDS ds = bead(bottom + pitch * k, 0.4 * R * R);
        SP::SimpleMatrix H(new SimpleMatrix(1, k ? 6 : 3));
        SP::SiconosVector b(new SiconosVector(1));
        s.nsds->insertDynamicalSystem(ds);
        s.bodies.push_back(ds);
        (*H)(0, k ? 3 : 0) = 1.0;
        if (k)
            (*H)(0, 0) = -1.0;
        (*b)(0) = k ? -2.0 * R : -R;
        SP::Relation relation(new LagrangianLinearTIR(H, b));
        SP::Interaction inter(new Interaction(law, relation));
        if (k)
            s.nsds->link(inter, below, ds);
        else
            s.nsds->link(inter, ds);
        below = ds;
    }
    s.osi.reset(new MoreauJeanOSI(0.5));
    s.problem.reset(new LCP());
}

void column(Scene &s, int size, double t_end)
{
    beads(s, size, t_end, 1.0, 0.25);
}

void stack(Scene &s, int size, double t_end)
{
    beads(s, size, t_end, 0.1 - 1e-9, 0.2 - 1e-9);
}

void bridge(Scene &s, int, double t_end)
{
    const double L = 1e-2, C = 1e-6, R = 1e3;
    SP::SiconosVector x(new SiconosVector(2));
    SP::SimpleMatrix A(new SimpleMatrix(2, 2)), B(new SimpleMatrix(2, 4));
    SP::SimpleMatrix H(new SimpleMatrix(4, 2)), D(new SimpleMatrix(4, 4));
    (*x)(0) = 10.0;
    (*A)(0, 1) = -1.0 / C;
    (*A)(1, 0) = 1.0 / L;
    (*B)(0, 2) = -1.0 / C;
    (*B)(0, 3) = 1.0 / C;
    (*H)(2, 0) = -1.0;
    (*H)(3, 0) = 1.0;
    (*D)(0, 0) = (*D)(0, 1) = (*D)(1, 0) = (*D)(1, 1) = 1.0 / R;
    (*D)(0, 2) = (*D)(1, 3) = -1.0;
    (*D)(2, 0) = (*D)(3, 1) = 1.0;
    s.nsds.reset(new NonSmoothDynamicalSystem(0.0, t_end));
    SP::FirstOrderLinearTIDS ds(new FirstOrderLinearTIDS(x, A));
    SP::FirstOrderLinearTIR relation(new FirstOrderLinearTIR(H, B));
    relation->setDPtr(D);
    SP::NonSmoothLaw law(new ComplementarityConditionNSL(4));
    SP::Interaction inter(new Interaction(law, relation));
    s.nsds->insertDynamicalSystem(ds);
    s.nsds->link(inter, ds);
    s.circuits.push_back(ds);
    s.osi.reset(new EulerMoreauOSI(0.5));
    s.problem.reset(new LCP());
}

// Contact of a sphere with the plane z = 0, or with another sphere.
class SphereContact : public NewtonEuler3DR
{
    double R;

  public:
    explicit SphereContact(double radius) : R(radius)
    {
    }
    void computeh(double, const BlockVector &q, SiconosVector &y) override
    {
        double n[3] = {0.0, 0.0, 1.0}, gap = q(2) - R;
        if (q.size() == 14) {
            double d = 0.0;
            for (unsigned k = 0; k < 3; k++) {
                n[k] = q(k) - q(7 + k);
                d += n[k] * n[k];
            }
            d = std::sqrt(d);
            for (double &part : n)
                part /= d;
            gap = d - 2.0 * R;
        }
        for (unsigned k = 0; k < 3; k++) {
            (*_Nc)(k) = n[k];
            (*_Pc1)(k) = q(k) - R * n[k];
            (*_Pc2)(k) = q(k) - (R + gap) * n[k];
        }
        y(0) = gap;
    }
};

SP::NewtonEulerDS sphere(const double *centre, double R)
{
    const double inertia = 0.4 * R * R;
    SP::SiconosVector q(new SiconosVector(7)), v(new SiconosVector(6));
    SP::SiconosVector weight(new SiconosVector(3));
    SP::SimpleMatrix I(new SimpleMatrix(3, 3));
    for (unsigned k = 0; k < 3; k++) {
        (*q)(k) = centre[k];
        (*I)(k, k) = inertia;
    }
    (*q)(3) = 1.0;
    (*weight)(2) = -gravity;
    SP::NewtonEulerDS ds(new NewtonEulerDS(q, v, 1.0, I));
    ds->setFExtPtr(weight);
    return ds;
}

// Spheres in a square pyramid of `size` layers, on a plane: each rests on four, and is a
// little apart from its neighbours in the layer.  Every pair that touches at the start is
// an interaction for the whole run.
void pyramid(Scene &s, int size, double t_end)
{
    const double R = 0.1, half = 1.01 * R, overlap = 1e-6;
    const double rise = std::sqrt(std::pow(2.0 * R - overlap, 2) - 2.0 * half * half);
    std::vector<double> centres;
    s.nsds.reset(new NonSmoothDynamicalSystem(0.0, t_end));
    SP::NonSmoothLaw law(new NewtonImpactFrictionNSL(0.0, 0.0, 0.5, 3));
    for (int layer = 0; layer < size; layer++)
        for (int i = 0; i < size - layer; i++)
            for (int j = 0; j < size - layer; j++) {
                const double c[3] = {half * (2 * i + layer), half * (2 * j + layer),
                                     R - overlap + rise * layer};
                centres.insert(centres.end(), c, c + 3);
                SP::NewtonEulerDS ds = sphere(c, R);
                s.nsds->insertDynamicalSystem(ds);
                s.bodies.push_back(ds);
            }
    const std::size_t n = s.bodies.size();
    for (std::size_t a = 0; a < n; a++) {
        if (centres[3 * a + 2] < 1.5 * R) {
            SP::Interaction inter(new Interaction(law, SP::Relation(new SphereContact(R))));
            s.nsds->link(inter, s.bodies[a]);
        }
        for (std::size_t b = a + 1; b < n; b++) {
            double d = 0.0;
            for (std::size_t k = 0; k < 3; k++)
                d += std::pow(centres[3 * a + k] - centres[3 * b + k], 2);
            if (d > 4.0001 * R * R)
                continue;
            SP::Interaction inter(new Interaction(law, SP::Relation(new SphereContact(R))));
            s.nsds->link(inter, s.bodies[a], s.bodies[b]);
        }
    }
    s.osi.reset(new MoreauJeanOSI(0.5));
    SP::FrictionContact friction(new FrictionContact(3, SICONOS_FRICTION_3D_NSGS));
    friction->setMStorageType(NM_SPARSE_BLOCK);
    friction->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-3;
    friction->numericsSolverOptions()->iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
    s.problem = friction;
}

struct Kind {
    const char *name;
    double h;
    void (*build)(Scene &, int, double);
};

const Kind kinds[] = {{"ball", 5e-3, ball},
                      {"column", 5e-4, column},
                      {"stack", 5e-4, stack},
                      {"bridge", 1e-6, bridge},
                      {"pyramid", 1e-3, pyramid}};

double absolute_sum(const SiconosVector &v)
{
    double sum = 0.0;
    for (unsigned k = 0; k < v.size(); k++)
        sum += std::fabs(v(k));
    return sum;
}

double checksum(const Scene &s)
{
    double sum = 0.0;
    for (const auto &ds : s.bodies) {
        for (unsigned k = 0; k < ds->q()->size(); k++)
            sum += (*ds->q())(k);
        SP::NewtonEulerDS rigid = std::dynamic_pointer_cast<NewtonEulerDS>(ds);
        sum += absolute_sum(rigid ? *rigid->twist() : *ds->velocity());
    }
    for (const auto &ds : s.circuits)
        sum += absolute_sum(*ds->x());
    return sum;
}

int run(const Kind &kind, int size, int steps)
{
    Scene s;
    s.h = kind.h;
    kind.build(s, size, kind.h * (steps + 1));
    SP::TimeDiscretisation clock(new TimeDiscretisation(0.0, s.h));
    SP::TimeStepping simulation(new TimeStepping(s.nsds, clock, s.osi, s.problem));
    simulation->setResetAllLambda(false); // warm start, as ours
    // The first step sets the memories up; it is left out of the time, as it is in ours.
    simulation->computeOneStep();
    simulation->nextStep();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 1; k < steps; k++) {
        simulation->computeOneStep();
        simulation->nextStep();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("steps %d seconds %.9g checksum %.17g\n", steps - 1, seconds.count(), checksum(s));
    return 0;
}
} // namespace

int main(int argc, char **argv)
{
    const int size = argc > 2 ? std::atoi(argv[2]) : 0, steps = argc > 3 ? std::atoi(argv[3]) : 0;
    for (const Kind &kind : kinds) {
        if (argc != 4 || size < 1 || steps < 2 || std::strcmp(argv[1], kind.name))
            continue;
        int bad = run(kind, size, steps);
        std::fflush(stdout);
        _exit(bad);
    }
    std::fprintf(stderr, "usage: perp-peer-kernel ball|column|stack|bridge|pyramid SIZE STEPS\n"
                         "This is a helper of bench/steps.\n");
    return 2;
}
