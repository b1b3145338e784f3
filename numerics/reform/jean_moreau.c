/* SPDX-License-Identifier: BSD-3-Clause */
/* Jean-Moreau: as Alart-Curnier, with the disk of radius mu max(0, z_N). */
#include "reform/natural.h"
#include "reform/reform.h"
#include "sets/cone.h"

static void contact(double *F, double *Fw, double *Fz, const perp_block *block, const double *rho,
                    const double *w, const double *z)
{
    int dim = block->dim;
    double mu = block->par[0], t[3];
    double x2 = dim == 3 ? z[2] - rho[1] * w[2] : 0.0;
    double length = perp_length2(z[1] - rho[1] * w[1], x2);
    double radius = mu * (z[0] > 0.0 ? z[0] : 0.0);
    perp_reform_normal_row(F, Fw, Fz, dim, rho, w, z);
    if (length <= radius) {
        perp_reform_stick_rows(F, Fw, dim, rho, w);
        return;
    }
    perp_reform_slip_rows(F, Fw, Fz, t, dim, radius, length, rho, w, z);
    for (int i = 1; Fz && z[0] > 0.0 && i < dim; i++)
        Fz[i] = -mu * t[i];
}

static void eval(double *F, double *Fw, double *Fz, const perp_block *block, const double *rho,
                 const double *w, const double *z)
{
    perp_reform_by_contact(F, Fw, Fz, block, rho, w, z, contact, 1);
}

const perp_reform perp_reform_jean_moreau = {"jean-moreau", ~0u, eval};
