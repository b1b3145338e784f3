/* SPDX-License-Identifier: BSD-3-Clause */
/* SOC: the second-order cone |z_T| <= mu z_N of any size, without shift. */
#include <stddef.h>

#include "sets/cone.h"
#include "sets/set.h"

const perp_set_type perp_set_soc = {
    .name = "SOC",
    .parameters = 1,
    .parameter = {"mu"},
    .min_dim = 2,
    .max_dim = 0,
    .project = perp_cone_project,
    .jacobian = perp_cone_jacobian,
    .dual_distance = perp_cone_dual_distance,
    .gap = perp_cone_gap,
    .admissible = perp_cone_admissible,
};
