/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-boxed-bullet: Bullet's boxed LCP solvers in the race of bench/boxed. */
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btLemkeSolver.h>

#include "bench/boxed_race.h"

static int solve(btMLCPSolverInterface &solver, const boxed_problem *p, double *z, double *seconds)
{
    const int n = p->n;
    btMatrixXu A(n, n);
    btVectorXu b(n), x(n), lo(n), hi(n);
    btAlignedObjectArray<int> dependencies;
    dependencies.resize(n, -1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A.setElem(i, j, static_cast<btScalar>(p->M[i * n + j]));
        b[i] = static_cast<btScalar>(-p->q[i]);
        lo[i] = static_cast<btScalar>(p->lo[i]);
        hi[i] = static_cast<btScalar>(p->hi[i]);
        x[i] = 0;
    }
    const double start = boxed_now();
    const bool solved = solver.solveMLCP(A, b, x, lo, hi, dependencies, 100, true);
    *seconds = boxed_now() - start;
    for (int i = 0; i < n; i++)
        z[i] = static_cast<double>(x[i]);
    return !solved;
}

static int dantzig(const boxed_problem *p, double *z, double *seconds)
{
    btDantzigSolver solver;
    return solve(solver, p, z, seconds);
}

static int lemke(const boxed_problem *p, double *z, double *seconds)
{
    btLemkeSolver solver;
    return solve(solver, p, z, seconds);
}

int main(int argc, char **argv)
{
    static const boxed_peer in_double[] = {{"Bullet Dantzig (double)", dantzig},
                                           {"Bullet Lemke (double)", lemke}};
    static const boxed_peer in_float[] = {{"Bullet Dantzig (float)", dantzig},
                                          {"Bullet Lemke (float)", lemke}};
    return boxed_peer_main(argc, argv, sizeof(btScalar) == 4 ? in_float : in_double, 2);
}
