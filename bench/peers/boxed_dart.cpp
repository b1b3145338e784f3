/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-boxed-dart: DART's boxed LCP solvers in the race of bench/boxed. */
#include <algorithm>
#include <cstddef>
#include <vector>

#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>

#include "bench/boxed_race.h"

static int solve(dart::constraint::BoxedLcpSolver &solver, const boxed_problem *p, double *z,
                 double *seconds)
{
    const std::size_t n = static_cast<std::size_t>(p->n), width = n > 1 ? ((n - 1) | 3) + 1 : n;
    std::vector<double> A(n * width, 0.0), b(n), lo(p->lo, p->lo + n), hi(p->hi, p->hi + n);
    std::vector<int> findex(n, -1);
    for (std::size_t i = 0; i < n; i++) {
        std::copy_n(p->M + i * n, n, &A[i * width]);
        b[i] = -p->q[i];
    }
    const double start = boxed_now();
    const bool solved =
        solver.solve(p->n, A.data(), z, b.data(), 0, lo.data(), hi.data(), findex.data(), false);
    *seconds = boxed_now() - start;
    return !solved;
}

static int dantzig(const boxed_problem *p, double *z, double *seconds)
{
    dart::constraint::DantzigBoxedLcpSolver solver;
    return solve(solver, p, z, seconds);
}

static int sweeps(const boxed_problem *p, double *z, double *seconds)
{
    dart::constraint::PgsBoxedLcpSolver solver;
    return solve(solver, p, z, seconds);
}

int main(int argc, char **argv)
{
    static const boxed_peer peers[] = {{"DART Dantzig", dantzig}, {"DART PGS (30)", sweeps}};
    return boxed_peer_main(argc, argv, peers, 2);
}
