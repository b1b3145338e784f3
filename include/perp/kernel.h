/* SPDX-License-Identifier: BSD-3-Clause */
/* Perp kernel: nonsmooth dynamics, each time step a Perp problem.
 *
 * The parts: relation.h relations and laws, model.h systems and interactions,
 * sim.h simulations, sim_derivative.h their derivatives, recorder.h tables, rotation.h unit quaternions, collide.h contact detection,
 * norms.h distances between motions, verdict.h the certificate of a run.
 */
#ifndef PERP_KERNEL_H
#define PERP_KERNEL_H

#include <perp/collide.h>
#include <perp/model.h>
#include <perp/norms.h>
#include <perp/numerics.h>
#include <perp/recorder.h>
#include <perp/relation.h>
#include <perp/rotation.h>
#include <perp/sim.h>
#include <perp/sim_derivative.h>
#include <perp/verdict.h>

#endif
