/* SPDX-License-Identifier: BSD-3-Clause */
/* The set-ups of the outer iteration, by what it keeps fixed; the rest of their descriptors is in
 * outer.h. */
#ifndef PERP_SOLVERS_OUTER_LAWS_H
#define PERP_SOLVERS_OUTER_LAWS_H

#include "solvers/outer/outer.h"

perp_status perp_friction_bounds_setup(perp_work *work);
perp_status perp_sliding_speeds_setup(perp_work *work);
perp_status perp_split_forces_setup(perp_work *work);
perp_status perp_split_forces_update(perp_work *work);

#endif
