/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of moreau-jean, for the schemes that begin as it does. */
#ifndef PERP_KERNEL_MOREAU_JEAN_H
#define PERP_KERNEL_MOREAU_JEAN_H

#include "kernel/step/integrator.h"

perp_status perp_mj_accepts(const perp_link *link, const perp_scheme *scheme, const char **why);
perp_status perp_mj_begin(perp_step *step, perp_system *s);
perp_status perp_mj_activate(perp_step *step, perp_link *link);
perp_status perp_mj_iterate(perp_step *step, perp_system *s);
perp_status perp_mj_rows(perp_step *step, perp_link *link);
perp_status perp_mj_advance(perp_step *step, perp_system *s);
perp_status perp_mj_residual(double *square, perp_step *step, perp_system *s);
perp_status perp_mj_relation_residual(double *square, perp_step *step, perp_link *link);
perp_status perp_mj_output(perp_step *step, perp_link *link);
/* right, inner rows and offset of an input g(t, x, lambda), linearised at the iterate; lambda is an
 * impulse (scale 1) or a force (scale h), weight: d(x_new)/d(v_new).  Non-zero: refused. */
int perp_mj_own_input(perp_step *step, perp_link *link, double scale, double weight);
int perp_mj_balance(perp_step *step, perp_system *s, perp_balance *balance);
/* Of an input of its own, at the new state; scale: what its multiplier is, see above. */
int perp_mj_paired_input(perp_step *step, perp_link *link, perp_pairing *pairing, double scale);
int perp_mj_paired(perp_step *step, perp_link *link, perp_pairing *pairing);
int perp_mj_is_linear(const perp_link *link, const perp_scheme *scheme);

/* Where a servo that does not say takes its spring: rows of this scheme are those of the start. */
#define PERP_MJ_SERVO_PLACE 1.0

/* Fields of a perp_integrator: all of its step but the index set and what it accepts. */
extern const perp_integrator perp_moreau_jean;
#define PERP_MJ_STEP                                                                               \
    .begin = perp_mj_begin, .iterate = perp_mj_iterate, .rows = perp_mj_rows,                      \
    .advance = perp_mj_advance, .residual = perp_mj_residual,                                      \
    .relation_residual = perp_mj_relation_residual, .output = perp_mj_output,                      \
    .is_linear = perp_mj_is_linear, .balance = perp_mj_balance, .paired = perp_mj_paired

#endif
