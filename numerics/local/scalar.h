/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of one row, w = a z + b.  z is the guess and the answer; PERP_SOLVED,
 * or PERP_INFEASIBLE with some point of the set in z (the guess for a free row). */
#ifndef PERP_LOCAL_SCALAR_H
#define PERP_LOCAL_SCALAR_H

#include <perp/base.h>

perp_status perp_scalar_free(double *z, double a, double b);
perp_status perp_scalar_nonneg(double *z, double a, double b);
/* lo <= hi; either may be infinite. */
perp_status perp_scalar_box(double *z, double a, double b, double lo, double hi);

#endif
