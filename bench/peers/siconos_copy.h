/* SPDX-License-Identifier: BSD-3-Clause */
/* The problem of a problem file as copies in the structs of Siconos numerics.
 *
 * Siconos' solvers write into their input and its delete functions are not
 * safe for every solver, so each run gets fresh copies, which the end of the
 * process frees.
 */
#ifndef PERP_PEERS_SICONOS_COPY_H
#define PERP_PEERS_SICONOS_COPY_H

#include <perp/io.h>

#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>
#include <LinearComplementarityProblem.h>
#include <MixedLinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <RelayProblem.h>

/* Each returns NULL when memory is out. */
FrictionContactProblem *perp_peer_friction(const perp_problem_file *file, int dense);
GlobalFrictionContactProblem *perp_peer_global(const perp_problem_file *file);
LinearComplementarityProblem *perp_peer_lcp(const perp_problem_file *file);
RelayProblem *perp_peer_relay(const perp_problem_file *file);
/* Siconos wants the equality rows first: row k of the copy is row order[k]. */
MixedLinearComplementarityProblem *perp_peer_mlcp(const perp_problem_file *file, int *order);

#endif
