/* SPDX-License-Identifier: BSD-3-Clause */
/* The schemes that a simulation offers. */
#ifndef PERP_KERNEL_SCHEME_LIST_H
#define PERP_KERNEL_SCHEME_LIST_H

#include "kernel/step/integrator.h"

/* One line each: symbol. */
#define PERP_SCHEMES(X)                                                                            \
    X(perp_euler_moreau)                                                                           \
    X(perp_discrete_gradient)                                                                      \
    X(perp_moreau_jean)                                                                            \
    X(perp_schatzman_paoli)                                                                        \
    X(perp_generalized_alpha)                                                                      \
    X(perp_direct_projection)                                                                      \
    X(perp_combined_projection)                                                                    \
    X(perp_moreau_jean_adaptive)                                                                   \
    X(perp_discrete_gradient_adaptive)                                                             \
    X(perp_moreau_jean_extrapolated)                                                               \
    X(perp_event_driven)                                                                           \
    X(perp_event_capturing_rk)                                                                     \
    X(perp_splitting)
#define PERP_DECLARE(symbol) extern const perp_integrator symbol;
PERP_SCHEMES(PERP_DECLARE)
#undef PERP_DECLARE

const perp_integrator *perp_integrator_at(int k); /* NULL outside */
const perp_integrator *perp_integrator_find(const char *name);
/* *own: the caller's scheme, checked, with defaults for what it does not have.  PERP_ERR_SETTING,
 * with *own undefined: *wrong is the parameter, "name" or "size". */
perp_status perp_scheme_read(perp_scheme *own, const perp_scheme *callers, const char **wrong);
/* 1 where name and parameters are equal; both were checked. */
int perp_scheme_same(const perp_scheme *a, const perp_scheme *b);

#endif
