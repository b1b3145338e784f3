/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of one scheme for second-order systems (its `second`) and those of euler-moreau for
 * first-order ones in one table, for schemes that make steps of both kinds by perp_step_once(). */
#ifndef PERP_KERNEL_EITHER_KIND_H
#define PERP_KERNEL_EITHER_KIND_H

#include "kernel/integrators/moreau_jean.h"
#include "kernel/step/integrator.h"

/* Of a table they want the scheme for second-order systems, as there is no step. */
perp_status perp_either_accepts(const perp_integrator *second, const perp_link *link,
                                const perp_scheme *scheme, const char **why);
int perp_either_is_linear(const perp_integrator *second, const perp_link *link,
                          const perp_scheme *scheme);
perp_status perp_either_moreau_jean_accepts(const perp_link *link, const perp_scheme *scheme,
                                            const char **why);
int perp_either_moreau_jean_is_linear(const perp_link *link, const perp_scheme *scheme);
perp_status perp_either_begin(perp_step *step, perp_system *s);
perp_status perp_either_activate(perp_step *step, perp_link *link);
perp_status perp_either_iterate(perp_step *step, perp_system *s);
perp_status perp_either_rows(perp_step *step, perp_link *link);
perp_status perp_either_advance(perp_step *step, perp_system *s);
perp_status perp_either_residual(double *square, perp_step *step, perp_system *s);
perp_status perp_either_relation_residual(double *square, perp_step *step, perp_link *link);
perp_status perp_either_output(perp_step *step, perp_link *link);
void perp_either_accepted(perp_step *step, perp_system *s);
int perp_either_balance(perp_step *step, perp_system *s, perp_balance *balance);
int perp_either_paired(perp_step *step, perp_link *link, perp_pairing *pairing);

/* Fields of a perp_integrator but for accepts, is_linear; its own activate, or
 * perp_either_activate. */
#define PERP_EITHER_KIND(base, own)                                                                \
    .kinds =                                                                                       \
        1u << PERP_SYSTEM_FIRST_ORDER | 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,     \
    .second = base, .begin = perp_either_begin, .activate = own, .iterate = perp_either_iterate,   \
    .rows = perp_either_rows, .advance = perp_either_advance, .residual = perp_either_residual,    \
    .relation_residual = perp_either_relation_residual, .output = perp_either_output,              \
    .accepted = perp_either_accepted, .balance = perp_either_balance, .paired = perp_either_paired
/* With moreau-jean for second-order systems, accepts and is_linear, too. */
#define PERP_EITHER_MOREAU_JEAN(own)                                                               \
    PERP_EITHER_KIND(&perp_moreau_jean, own), .accepts = perp_either_moreau_jean_accepts,          \
                                              .is_linear = perp_either_moreau_jean_is_linear
#define PERP_EITHER_READS                                                                          \
    "theta gamma variant activation activation_at activate hysteresis configuration prediction "   \
    "forces inconsistent_compliance"

/* 2 where the base scheme is of second order and symmetric as long as nothing touches (theta = 1/2
 * with the mass constant or in the middle of the step), so that its error has even powers of h
 * alone; else 1. */
int perp_either_smooth_order(const perp_step *step, const perp_scheme *scheme);
/* The same with what touches at NOW: 2 where besides only constant relations of second-order
 * systems act, by laws on rates. */
int perp_either_touching_order(const perp_step *step, const perp_scheme *scheme);

#endif
