/* SPDX-License-Identifier: BSD-3-Clause */
#include "reform/natural.h"

#include <string.h>

#include "reform/reform_rolling.h"
#include "sets/cone.h"
#include "sets/set.h"

void perp_reform_normal_row(double *F, double *Fw, double *Fz, int dim, const double *rho,
                            const double *w, const double *z)
{
    (void)dim;
    int active = z[0] - rho[0] * w[0] >= 0.0;
    F[0] = active ? rho[0] * w[0] : z[0];
    if (Fw && active)
        Fw[0] = rho[0];
    if (Fz && !active)
        Fz[0] = 1.0;
}

void perp_reform_stick_rows(double *F, double *Fw, int dim, const double *rho, const double *w)
{
    for (int i = 1; i < dim; i++) {
        F[i] = rho[1] * w[i];
        if (Fw)
            Fw[i + i * dim] = rho[1];
    }
}

void perp_reform_slip_rows(double *F, double *Fw, double *Fz, double *t, int dim, double radius,
                           double length, const double *rho, const double *w, const double *z)
{
    double turn = radius / length;
    for (int i = 1; i < dim; i++) {
        t[i] = (z[i] - rho[1] * w[i]) / length;
        F[i] = z[i] - radius * t[i];
    }
    /* radius * Gamma(x_T) = turn (I - t t') */
    for (int j = 1; j < dim; j++)
        for (int i = 1; i < dim; i++) {
            double gamma = turn * ((i == j ? 1.0 : 0.0) - t[i] * t[j]);
            if (Fw)
                Fw[i + j * dim] = rho[1] * gamma;
            if (Fz)
                Fz[i + j * dim] = (i == j ? 1.0 : 0.0) - gamma;
        }
}

static void tresca(double *F, double *Fw, double *Fz, const perp_block *block, const double *rho,
                   const double *w, const double *z)
{
    int dim = block->dim;
    double x[2] = {z[1] - rho[1] * w[1], dim == 3 ? z[2] - rho[1] * w[2] : 0.0}, t[3];
    double length = perp_length2(x[0], x[1]);
    perp_reform_normal_row(F, Fw, Fz, dim, rho, w, z);
    if (length <= block->par[0])
        perp_reform_stick_rows(F, Fw, dim, rho, w);
    else
        perp_reform_slip_rows(F, Fw, Fz, t, dim, block->par[0], length, rho, w, z);
}

/* One step for all rows. */
static void simple(double *F, double *Fw, double *Fz, const perp_block *block, double rho,
                   const double *w, const double *z)
{
    const perp_set_type *type = perp_set_type_of(block->set);
    size_t n = (size_t)block->dim;
    for (size_t i = 0; i < n; i++)
        F[i] = z[i] - rho * w[i];
    double *J = Fw ? Fw : Fz;
    if (J)
        type->jacobian(J, F, block->par, block->dim);
    type->project(F, F, block->par, block->dim);
    /* Inside K the map is rho w, exactly. */
    int inside = 1;
    for (size_t i = 0; i < n; i++)
        inside &= F[i] == z[i] - rho * w[i];
    for (size_t i = 0; i < n; i++)
        F[i] = inside ? rho * w[i] : z[i] - F[i];
    if (Fz)
        for (size_t i = 0; i < n * n; i++)
            Fz[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - J[i];
    if (Fw)
        for (size_t i = 0; i < n * n; i++)
            Fw[i] *= rho;
}

/* One row between bounds: x = z - rho w is inside, or P(x) is the bound. */
static void interval(double *F, double *Fw, double *Fz, const perp_block *block, double rho,
                     double w, double z)
{
    double x = z - rho * w, p = x;
    if (block->set == PERP_NONNEG)
        p = x < 0.0 ? 0.0 : x;
    else if (block->set == PERP_BOX)
        p = x < block->par[0] ? block->par[0] : x > block->par[1] ? block->par[1] : x;
    int inside = p == x;
    F[0] = inside ? rho * w : z - p;
    if (Fw)
        Fw[0] = inside ? rho : 0.0;
    if (Fz)
        Fz[0] = inside ? 0.0 : 1.0;
}

static void clear(double *Fw, double *Fz, int dim)
{
    size_t bytes = (size_t)(dim * dim) * sizeof(double);
    if (Fw)
        memset(Fw, 0, bytes);
    if (Fz)
        memset(Fz, 0, bytes);
}

void perp_reform_natural(double *F, double *Fw, double *Fz, const perp_block *block,
                         const double *rho, const double *w, const double *z)
{
    if (block->dim == 1) {
        interval(F, Fw, Fz, block, rho[0], w[0], z[0]);
        return;
    }
    if (block->set != PERP_TRESCA) {
        simple(F, Fw, Fz, block, rho[0], w, z);
        return;
    }
    clear(Fw, Fz, block->dim);
    tresca(F, Fw, Fz, block, rho, w, z);
}

void perp_reform_by_contact(double *F, double *Fw, double *Fz, const perp_block *block,
                            const double *rho, const double *w, const double *z,
                            perp_reform_contact_fn contact, int force)
{
    if (block->set == PERP_ROLLING) {
        perp_reform_rolling(F, Fw, Fz, block, rho, w, z, force);
        return;
    }
    if (block->set != PERP_COULOMB) {
        perp_reform_natural(F, Fw, Fz, block, rho, w, z);
        return;
    }
    clear(Fw, Fz, block->dim);
    contact(F, Fw, Fz, block, rho, w, z);
}
