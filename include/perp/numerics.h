/* SPDX-License-Identifier: BSD-3-Clause */
/* Perp numerics: complementarity and friction problems, solved and certified.
 *
 *     double W[9] = {...}, q[3] = {...}, mu = 0.3, r[3], u[3];
 *     perp_segment contact = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
 *     perp_problem problem = {.q = q, .seg = &contact, .nseg = 1};
 *     perp_info info = {.size = sizeof info};
 *     perp_mat_init_dense(&problem.M, 3, 3, W, 3);
 *     perp_status status = perp_solve(NULL, &problem, NULL, r, u, &info);
 *
 * The parts: base.h status and memory, matrix.h matrices, problem.h the
 * problem and its residual, certificate.h proofs that there is no solution,
 * settings.h, solver.h, enumerate.h all solutions of a small problem, avi.h variational
 * inequalities over polyhedra, ncp.h nonlinear complementarity with callbacks, equalities.h
 * dependent rows, feasible.h linear rows and the proof that they contradict each other,
 * derivative.h derivatives of a solution.
 */
#ifndef PERP_NUMERICS_H
#define PERP_NUMERICS_H

#include <perp/avi.h>
#include <perp/base.h>
#include <perp/certificate.h>
#include <perp/derivative.h>
#include <perp/enumerate.h>
#include <perp/equalities.h>
#include <perp/feasible.h>
#include <perp/matrix.h>
#include <perp/ncp.h>
#include <perp/problem.h>
#include <perp/settings.h>
#include <perp/solver.h>

#endif
