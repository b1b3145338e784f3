/* SPDX-License-Identifier: BSD-3-Clause */
/* The natural map z - P_K(z - rho w) of sets without the friction law: shared
 * by the reformulations, which differ for COULOMB only. */
#ifndef PERP_REFORM_NATURAL_H
#define PERP_REFORM_NATURAL_H

#include "problem/blocks.h"

/* Arguments as perp_reform.eval.  A cone is not a product, so SOC uses rho[0]
 * for all its rows. */
void perp_reform_natural(double *F, double *Fw, double *Fz, const perp_block *block,
                         const double *rho, const double *w, const double *z);

/* eval of a reformulation that differs for COULOMB and ROLLING only: `contact` for COULOMB, whose
 * Fw and Fz are zero on entry; force of perp_reform_rolling() for ROLLING. */
typedef void (*perp_reform_contact_fn)(double *F, double *Fw, double *Fz, const perp_block *block,
                                       const double *rho, const double *w, const double *z);
void perp_reform_by_contact(double *F, double *Fw, double *Fz, const perp_block *block,
                            const double *rho, const double *w, const double *z,
                            perp_reform_contact_fn contact, int force);

/* Row N of a contact: z_N - max(0, x_N), x_N = z_N - rho_N w_N.  Writes F[0] and
 * the first rows of Fw and Fz, which are zero on entry (or NULL). */
void perp_reform_normal_row(double *F, double *Fw, double *Fz, int dim, const double *rho,
                            const double *w, const double *z);

/* Rows T where z_T - rho_T w_T lies in the disk: rho_T w_T. */
void perp_reform_stick_rows(double *F, double *Fw, int dim, const double *rho, const double *w);

/* Rows T of slip: z_T - radius x_T / |x_T|, x_T = z_T - rho_T w_T, with the radius
 * held fixed in the derivatives; t receives x_T / |x_T|. */
void perp_reform_slip_rows(double *F, double *Fw, double *Fz, double *t, int dim, double radius,
                           double length, const double *rho, const double *w, const double *z);

#endif
