/* SPDX-License-Identifier: BSD-3-Clause */
/* The ball of the statements: q = (height, lateral, angle) under a weight. */
#ifndef PERP_TESTS_KERNEL_TRAJECTORIES_BALL_H
#define PERP_TESTS_KERNEL_TRAJECTORIES_BALL_H

#include "tests/fixtures/kernel_rig.h"

/* M = diag(1, 1, 2/5 0.01), at height 1 and at rest. */
perp_system_id ball_add(rig *r, double gravity);
/* Gap q0 with Newton's e. */
perp_interaction_id ball_on_ground(rig *r, perp_system_id ball, double e);

#endif
