/* SPDX-License-Identifier: BSD-3-Clause */
/* Alart-Curnier: [SDN] chapter 16, (16.4) to (16.16), with separate steps rho_N and
 * rho_T and the term dF_T/dw_N that [SDN] (16.16) leaves out. */
#include "reform/natural.h"
#include "reform/reform.h"
#include "sets/cone.h"

static void contact(double *F, double *Fw, double *Fz, const perp_block *block, const double *rho,
                    const double *w, const double *z)
{
    int dim = block->dim;
    double mu = block->par[0], normal = z[0] - rho[0] * w[0], t[3];
    double x2 = dim == 3 ? z[2] - rho[1] * w[2] : 0.0;
    double length = perp_length2(z[1] - rho[1] * w[1], x2);
    double radius = mu * (normal > 0.0 ? normal : 0.0);
    perp_reform_normal_row(F, Fw, Fz, dim, rho, w, z);
    if (length <= radius) {
        perp_reform_stick_rows(F, Fw, dim, rho, w);
        return;
    }
    perp_reform_slip_rows(F, Fw, Fz, t, dim, radius, length, rho, w, z);
    if (normal <= 0.0)
        return;
    for (int i = 1; i < dim; i++) {
        if (Fw)
            Fw[i] = mu * rho[0] * t[i];
        if (Fz)
            Fz[i] = -mu * t[i];
    }
}

static void eval(double *F, double *Fw, double *Fz, const perp_block *block, const double *rho,
                 const double *w, const double *z)
{
    perp_reform_by_contact(F, Fw, Fz, block, rho, w, z, contact, 0);
}

const perp_reform perp_reform_alart_curnier = {"alart-curnier", ~0u, eval};
