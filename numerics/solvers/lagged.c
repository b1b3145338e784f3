/* SPDX-License-Identifier: BSD-3-Clause */
/* Friction by a sequence of convex problems (outer/outer.h): a part of the friction law keeps the
 * value that the last iterate gave it.  The setting lagged_law says which part:
 *
 *   tresca           the friction bounds (outer/friction_bounds.c)
 *   panagiotopoulos  the tangential forces, then the normal ones (outer/split_forces.c)
 *   de-saxce         the sliding speeds (outer/sliding_speeds.c)
 */
#include "handle/registry.h"
#include "solvers/outer/laws.h"

static const perp_solver_type *const laws[] = {
    &perp_solver_lagged, &perp_solver_lagged_panagiotopoulos, &perp_solver_lagged_de_saxce};

#define READS                                                                                      \
    "lagged_law inner inner_iter inner_ratio relaxation sweep shuffle seed freeze "                \
    "check_every local acceleration depth"

#define SHARED                                                                                     \
    .name = "lagged", .summary = "friction by a sequence of convex problems, solved inside",       \
    .reads = READS, .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING), .matrices = PERP_ALL_MATRICES, \
    .flags = PERP_READS_BLOCKS, .max_iter = 1000, .stall = 100, .solve = perp_outer_solve,         \
    .release = perp_outer_release

const perp_solver_type perp_solver_lagged = {
    SHARED,
    .variant = "lagged_law=tresca",
    PERP_CHOSEN_BY(lagged_law, laws),
    .variants_read = READS,
    .setup = perp_friction_bounds_setup,
    .update = perp_outer_update_whole,
};

const perp_solver_type perp_solver_lagged_panagiotopoulos = {
    SHARED,
    .variant = "lagged_law=panagiotopoulos",
    .setup = perp_split_forces_setup,
    .update = perp_split_forces_update,
};

const perp_solver_type perp_solver_lagged_de_saxce = {
    SHARED,
    .variant = "lagged_law=de-saxce",
    .setup = perp_sliding_speeds_setup,
    .update = perp_outer_update_whole,
};
