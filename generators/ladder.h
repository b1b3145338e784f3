/* SPDX-License-Identifier: BSD-3-Clause */
/* A ladder of diode bridges: one backward Euler step of the circuit as a mixed or boxed linear
 * complementarity problem, sparse and of any length.
 *
 * Section k: a series R, L from node k - 1 to node k (a source in front of the first), C from node
 * k to ground, and a bridge of four ideal diodes between node k and ground, which loads C_d and G:
 *
 *     i   (FREE)    L/h (i - i_0) + R i - u_{k-1} + u = 0
 *     u   (FREE)    C/h (u - u_0) - i + i_{k+1} + d1 - d3 [- s] = 0
 *     v   (FREE)    C_d/h (v - v_0) + G v - d1 - d2 = 0            voltage of the load
 *     m   (FREE)    g m - d1 - d2 + d3 + d4 = 0                    voltage of its minus
 *     d1 to d4      0 <= d perp (m + v - u, m + v, u - m, -m) >= 0
 *     s             -u in N_[-I, I](s)                             with relays
 *
 * With relays v is in [0, V], a Zener diode across the load.  M is a positive semidefinite
 * diagonal plus a skew matrix: unsymmetric, and passive.  The state (i_0, u_0, v_0) is random, and
 * v_0 = 0 in some sections. */
#ifndef PERP_GENERATORS_LADDER_H
#define PERP_GENERATORS_LADDER_H

#include <stdint.h>

#include <perp/io.h>

typedef struct perp_ladder_options {
    int rows;   /* wanted: 8 a section, 9 with relays; at least one section */
    int relays; /* 1: relays and Zener diodes: PERP_CLASS_RELAY; 0: PERP_CLASS_MLCP */
    uint64_t seed;
} perp_ladder_options;

/* A problem file with a CSC matrix, owned by the caller.  PERP_ERR_ARGUMENT: rows < 1 or more than
 * 1e8. On error *file is NULL; allocator may be NULL. */
perp_status perp_generate_ladder(perp_problem_file **file, const perp_ladder_options *options,
                                 const perp_allocator *allocator);

/* The boxed pyramid of a friction problem without V: the matrix W as CSC, NONNEG for the normal
 * row of each contact, and |z_T| <= mu `normal` for each tangential one; `normal` > 0 stands for
 * the impulse along the normal.  PERP_ERR_ARGUMENT: another class of problem file, or V. */
perp_status perp_generate_pyramid(perp_problem_file **file, const perp_problem_file *friction,
                                  double normal, const perp_allocator *allocator);

#endif
