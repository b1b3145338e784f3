/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces from which the problems of the zoo are made. */
#ifndef PERP_TESTS_ZOO_BUILD_H
#define PERP_TESTS_ZOO_BUILD_H

#include "stored.h"

typedef enum zoo_regime { ZOO_OPEN, ZOO_STICK, ZOO_SLIP } zoo_regime;

/* Allocates and copies; M row by row as one writes it. */
void zoo_dense(stored_problem *p, const double *M, const double *q);
void zoo_lcp(stored_problem *p, int n, const double *M, const double *q);

/* M = G'G / n + I + skew S, allocated here; its symmetric part has eigenvalues of
 * 1 to about 3. */
void zoo_random_matrix(stored_problem *p, uint64_t seed, double skew);
/* z = P_K(random), q so that it is a solution. */
void zoo_plant(stored_problem *p, uint64_t seed);
/* COULOMB only: contacts open, stick and slip in turn. */
void zoo_plant_regimes(stored_problem *p, uint64_t seed);
/* One contact with a full unsymmetric block, in a regime. */
void zoo_contact(stored_problem *p, int dim, zoo_regime regime, double mu);

/* H random, mass with coupling, M = H' mass^-1 H well-conditioned. */
void zoo_random_factors(stored_problem *p, int dofs, uint64_t seed);

/* Rigid bodies of mass 1 and inertia 0.4, six unknowns each. */
void zoo_bodies(stored_problem *p, int count);
/* Rows row .. row+2: a point of the body on a fixed horizontal plane, normal up. */
void zoo_support(stored_problem *p, int row, int body, const double arm[3]);
/* Rows row .. row+2: upper body's point relative to the lower one's. */
void zoo_touch(stored_problem *p, int row, int upper, int lower, const double arm_upper[3],
               const double arm_lower[3]);
/* Forms M and q = H' v from free velocities. */
void zoo_fall(stored_problem *p, const double *v);

#endif
