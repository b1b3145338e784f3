/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of TRESCA, z_N >= 0 and |z_T| <= radius, of 2 or 3 rows: the normal row
 * open or closed, the tangential rows stuck or sliding on the disk, each in closed
 * form (two rows) or through the roots of perp_circle (three). */
#ifndef PERP_LOCAL_LOCAL_TRESCA_H
#define PERP_LOCAL_LOCAL_TRESCA_H

#include "local/convex.h"

/* z: guess and answer.  Returns its error, as perp_convex_error(). */
double perp_tresca_solve(double *z, const perp_convex *block);

#endif
