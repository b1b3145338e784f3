/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all solvers: a new one adds a line here. */
#ifndef PERP_HANDLE_REGISTRY_H
#define PERP_HANDLE_REGISTRY_H

#include "handle/solver_type.h"

/* One line per solver, in the order of perp_solver_at(): those of everyday use, then those for
 * study. */
#define PERP_SOLVERS(X)                                                                            \
    X(perp_solver_auto)                                                                            \
    X(perp_solver_gs)                                                                              \
    X(perp_solver_nsn)                                                                             \
    X(perp_solver_ipm)                                                                             \
    X(perp_solver_lemke)                                                                           \
    X(perp_solver_dantzig)                                                                         \
    X(perp_solver_apgd)                                                                            \
    X(perp_solver_enumerative)                                                                     \
    X(perp_solver_pgs)                                                                             \
    X(perp_solver_newton)                                                                          \
    X(perp_solver_lagged)                                                                          \
    X(perp_solver_projection)                                                                      \
    X(perp_solver_admm)                                                                            \
    X(perp_solver_prox)                                                                            \
    X(perp_solver_central_path)                                                                    \
    X(perp_solver_ppm)                                                                             \
    X(perp_solver_direct)                                                                          \
    X(perp_solver_lp)                                                                              \
    X(perp_solver_avi)

/* The methods that a setting of theirs chooses; their defaults are in the list above. */
#define PERP_SOLVER_VARIANTS(X)                                                                    \
    X(perp_solver_pgs_psor)                                                                        \
    X(perp_solver_pgs_nncg)                                                                        \
    X(perp_solver_pgs_rpgs)                                                                        \
    X(perp_solver_nsn_jean_moreau)                                                                 \
    X(perp_solver_nsn_natural_map)                                                                 \
    X(perp_solver_nsn_fischer_burmeister)                                                          \
    X(perp_solver_newton_fischer_burmeister)                                                       \
    X(perp_solver_lagged_panagiotopoulos)                                                          \
    X(perp_solver_lagged_de_saxce)                                                                 \
    X(perp_solver_projection_plain)                                                                \
    X(perp_solver_prox_single)                                                                     \
    X(perp_solver_prox_smoothed)

#define PERP_SOLVER_DECLARE(symbol) extern const perp_solver_type symbol;
PERP_SOLVERS(PERP_SOLVER_DECLARE)
PERP_SOLVER_VARIANTS(PERP_SOLVER_DECLARE)
#undef PERP_SOLVER_DECLARE

#endif
