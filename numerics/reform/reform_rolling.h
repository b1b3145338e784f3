/* SPDX-License-Identifier: BSD-3-Clause */
/* ROLLING in the manner of Alart-Curnier and of Jean-Moreau: sliding, rolling
 * and torsion each have a disk, of radius mu n, mu_r n and mu_s n.
 *
 *     F_N = z_N - max(0, x_N),   F_T = z_T - P_(mu n)(x_T),   F_R = z_R - P_(mu_r n)(x_R),
 *     x_N = z_N - rho_N w_N,     x_T = z_T - rho_T w_T,       x_R = z_R - rho_R w_R,
 *
 * with n = max(0, x_N) (Alart-Curnier) or max(0, z_N) (Jean-Moreau).  The block is
 * solved where F = 0, whatever the positive steps are: -(w + s(w)) in N_K(z) says
 * 0 <= z_N perp w_N >= 0, -w_T in N(z_T) of the disk mu z_N and -w_R in N(z_R) of
 * the disk mu_r z_N, and so S.  rho_R = rho_S = l^2 rho_T with the block's length l. */
#ifndef PERP_REFORM_REFORM_ROLLING_H
#define PERP_REFORM_REFORM_ROLLING_H

#include "problem/blocks.h"

/* Arguments as perp_reform.eval; force: n = max(0, z_N). */
void perp_reform_rolling(double *F, double *Fw, double *Fz, const perp_block *block,
                         const double *rho, const double *w, const double *z, int force);

#endif
