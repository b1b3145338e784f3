// SPDX-License-Identifier: BSD-3-Clause
// perp-peer-impacts: the examples of generators/exact_motions.h by Siconos' kernel, for perp bench
// precision.
//
//     perp-peer-impacts moreau-jean|event-driven ball|oscillator STEPS TOL REPEATS
//
// Moreau-Jean with theta = 1/2 and STEPS steps (TOL is not read); or LSODAR between events with
// atol = rtol = TOL, its own tolerance of gaps and rates at TOL (at its default of 1000 eps it
// refuses what LSODAR leaves at looser ones), and a STEPS-th of the horizon between its grid
// events.  Prints
//
//     at T Q V       each instant; an impact twice, before and after it
//     done STEPS EVALUATIONS EVENTS SECONDS
//
// Steps are those that LSODAR counts, evaluations its calls of the right-hand side; Moreau-Jean has
// one evaluation a step.  Seconds are those of the loop over the steps alone, the fastest of the
// repeats.
//
// Siconos may throw or exit: hence a program of its own.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <EventDriven.hpp>
#include <LsodarOSI.hpp>
#include <SiconosKernel.hpp>

extern "C" {
#include "generators/exact_motions.h"
}

namespace
{
typedef std::chrono::steady_clock Clock;

long evaluations;

// Counts what its integrator asks for: the counter of LsodarOSI starts again at every event.
class Mass : public LagrangianLinearTIDS
{
  public:
    using LagrangianLinearTIDS::LagrangianLinearTIDS;
    void computeRhs(double t) override
    {
        evaluations++;
        LagrangianLinearTIDS::computeRhs(t);
    }
};

struct Scene {
    SP::NonSmoothDynamicalSystem nsds;
    SP::LagrangianLinearTIDS mass;
};

struct Counts {
    long steps, evaluations, events;
    double seconds;
};

Scene build(const perp_impacts_example &x)
{
    Scene s;
    SP::SiconosVector q(new SiconosVector(1)), v(new SiconosVector(1)), f(new SiconosVector(1));
    SP::SimpleMatrix M(new SimpleMatrix(1, 1)), K(new SimpleMatrix(1, 1));
    SP::SimpleMatrix C(new SimpleMatrix(1, 1)), H(new SimpleMatrix(1, 1));
    (*q)(0) = x.q0;
    (*v)(0) = x.v0;
    (*f)(0) = x.force;
    (*M)(0, 0) = (*H)(0, 0) = 1.0;
    (*K)(0, 0) = x.stiffness;
    (*C)(0, 0) = x.damping;
    s.nsds.reset(new NonSmoothDynamicalSystem(0.0, x.end));
    s.mass.reset(x.stiffness > 0.0 ? new Mass(q, v, M, K, C) : new Mass(q, v, M));
    s.mass->setFExtPtr(f);
    SP::NonSmoothLaw law(new NewtonImpactNSL(x.e));
    SP::Relation relation(new LagrangianLinearTIR(H));
    SP::Interaction contact(new Interaction(law, relation));
    s.nsds->insertDynamicalSystem(s.mass);
    s.nsds->link(contact, s.mass);
    return s;
}

void show(double t, double q, double v)
{
    std::printf("at %.17g %.17g %.17g\n", t, q, v);
}

Counts step(const perp_impacts_example &x, int steps, bool shown)
{
    Scene s = build(x);
    SP::OneStepIntegrator osi(new MoreauJeanOSI(0.5));
    SP::OneStepNSProblem problem(new LCP());
    SP::TimeDiscretisation clock(new TimeDiscretisation(0.0, x.end / steps));
    SP::TimeStepping simulation(new TimeStepping(s.nsds, clock, osi, problem));
    if (shown)
        show(0.0, x.q0, x.v0);
    const Clock::time_point start = Clock::now();
    for (int k = 1; k <= steps; k++) {
        simulation->computeOneStep();
        if (shown)
            show(x.end * k / steps, (*s.mass->q())(0), (*s.mass->velocity())(0));
        simulation->nextStep();
    }
    const std::chrono::duration<double> seconds = Clock::now() - start;
    return Counts{steps, steps, 0, seconds.count()};
}

Counts follow(const perp_impacts_example &x, int steps, double tol, bool shown)
{
    const int impact_event = 2;
    Scene s = build(x);
    std::shared_ptr<LsodarOSI> osi(new LsodarOSI());
    SP::OneStepNSProblem impact(new LCP()), acceleration(new LCP());
    SP::TimeDiscretisation clock(new TimeDiscretisation(0.0, x.end / steps));
    SP::EventDriven simulation(new EventDriven(s.nsds, clock));
    simulation->insertIntegrator(osi);
    simulation->insertNonSmoothProblem(impact, SICONOS_OSNSP_ED_IMPACT);
    simulation->insertNonSmoothProblem(acceleration, SICONOS_OSNSP_ED_SMOOTH_ACC);
    simulation->initialize();
    osi->setTol(1, tol, tol);
    simulation->setToleranceED(std::fmax(simulation->toleranceED(), tol));
    SP::EventsManager events = simulation->eventsManager();
    evaluations = 0;
    long impacts = 0, steps_made = 0, counted = 0;
    if (shown)
        show(0.0, x.q0, x.v0);
    const Clock::time_point start = Clock::now();
    while (simulation->hasNextEvent()) {
        simulation->advanceToEvent();
        const bool is_impact = events->nextEvent()->getType() == impact_event;
        simulation->processEvents();
        // LSODAR counts from its last restart, after an impact.
        steps_made += LsodarOSI::count_NST - (LsodarOSI::count_NST < counted ? 0 : counted);
        counted = is_impact ? 0 : LsodarOSI::count_NST;
        const double t = simulation->startingTime();
        if (shown && is_impact)
            show(t, s.mass->qMemory().getSiconosVector(1)(0),
                 s.mass->velocityMemory().getSiconosVector(1)(0));
        if (shown)
            show(t, (*s.mass->q())(0), (*s.mass->velocity())(0));
        impacts += is_impact;
    }
    const std::chrono::duration<double> seconds = Clock::now() - start;
    return Counts{steps_made, evaluations, impacts, seconds.count()};
}
} // namespace

int main(int argc, char **argv)
{
    const perp_impacts_example *x = argc == 6 ? perp_impacts_find(argv[2]) : nullptr;
    const int steps = argc == 6 ? std::atoi(argv[3]) : 0,
              repeats = argc == 6 ? std::atoi(argv[5]) : 0;
    const double tol = argc == 6 ? std::strtod(argv[4], nullptr) : 0.0;
    const bool driven = argc == 6 && !std::strcmp(argv[1], "event-driven");
    if (!x || steps < 1 || repeats < 1 || (!driven && std::strcmp(argv[1], "moreau-jean"))) {
        std::fprintf(stderr, "usage: perp-peer-impacts moreau-jean|event-driven ball|oscillator "
                             "STEPS TOL REPEATS\nThis is a helper of perp bench precision.\n");
        return 2;
    }
    alarm(60); // where it never returns
    Counts found;
    double best = INFINITY, spent = 0.0;
    try {
        found = driven ? follow(*x, steps, tol, true) : step(*x, steps, true);
        std::fflush(stdout);
        for (int r = 0; r < repeats && (r == 0 || spent < 0.5); r++) {
            const Counts one = driven ? follow(*x, steps, tol, false) : step(*x, steps, false);
            best = std::fmin(best, one.seconds);
            spent += one.seconds;
        }
    } catch (...) {
        std::fflush(stdout);
        _exit(3);
    }
    std::printf("done %ld %ld %ld %.9g\n", found.steps, found.evaluations, found.events, best);
    std::fflush(stdout);
    _exit(0);
}
