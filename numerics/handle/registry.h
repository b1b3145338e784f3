/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all solvers: a new one adds a line here. */
#ifndef PERP_HANDLE_REGISTRY_H
#define PERP_HANDLE_REGISTRY_H

#include "handle/solver_type.h"

/* One line per solver file, in the order of perp_solver_at(). */
#define PERP_SOLVERS(X)                                                                            \
    X(perp_solver_auto)                                                                            \
    X(perp_solver_gs)                                                                              \
    X(perp_solver_pgs)                                                                             \
    X(perp_solver_psor)                                                                            \
    X(perp_solver_nncg)                                                                            \
    X(perp_solver_rpgs)                                                                            \
    X(perp_solver_enum)                                                                            \
    X(perp_solver_fixed_point)                                                                     \
    X(perp_solver_extragradient)                                                                   \
    X(perp_solver_apgd)                                                                            \
    X(perp_solver_tresca)                                                                          \
    X(perp_solver_panagiotopoulos)                                                                 \
    X(perp_solver_de_saxce)                                                                        \
    X(perp_solver_admm)                                                                            \
    X(perp_solver_lemke)                                                                           \
    X(perp_solver_ppm)                                                                             \
    X(perp_solver_dantzig)                                                                         \
    X(perp_solver_lp)                                                                              \
    X(perp_solver_avi)                                                                             \
    X(perp_solver_ipm)                                                                             \
    X(perp_solver_nsn_ac)                                                                          \
    X(perp_solver_nsn_jm)                                                                          \
    X(perp_solver_nsn_nm)                                                                          \
    X(perp_solver_direct)                                                                          \
    X(perp_solver_newton_min)                                                                      \
    X(perp_solver_newton_fb)                                                                       \
    X(perp_solver_nsn_fb)                                                                          \
    X(perp_solver_prox)                                                                            \
    X(perp_solver_path)                                                                            \
    X(perp_solver_snp_smooth)                                                                      \
    X(perp_solver_snp)

#define PERP_SOLVER_DECLARE(symbol) extern const perp_solver_type symbol;
PERP_SOLVERS(PERP_SOLVER_DECLARE)
#undef PERP_SOLVER_DECLARE

#endif
