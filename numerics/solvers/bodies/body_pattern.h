/* SPDX-License-Identifier: BSD-3-Clause */
/* Who touches what: the bodies, touches and pattern of a body form. */
#ifndef PERP_SOLVERS_BODIES_BODY_PATTERN_H
#define PERP_SOLVERS_BODIES_BODY_PATTERN_H

#include "solvers/bodies/body_form.h"

/* All of the form but its levers. */
perp_status perp_body_pattern_build(perp_body_form *form, const perp_mat *M,
                                    const perp_blocks *blocks, perp_arena *arena);
/* Where the rows of `body`, which the column has, begin in it. */
int perp_body_pattern_place(const perp_body_form *form, int column, int body);

#endif
