/* SPDX-License-Identifier: BSD-3-Clause */
/* The natural map with the De Saxce shift inside: F = z - P_K(z - rho (w + s(w))), with one
 * step rho[0] for all rows of a contact.  Its zeros are those of the contract's error. */
#include "reform/natural.h"
#include "reform/reform.h"
#include "sets/set.h"

enum { SHIFT_DIM = 8 };

/* Fw = rho J (I + e_N g'), J in Fw on entry. */
static void shift_columns(double *Fw, const double *g, double rho, size_t n)
{
    for (size_t j = n; j-- > 0;)
        for (size_t i = 0; i < n; i++)
            Fw[i + j * n] = rho * (Fw[i + j * n] + Fw[i] * g[j]);
}

static void eval(double *F, double *Fw, double *Fz, const perp_block *block, const double *rho,
                 const double *w, const double *z)
{
    const perp_set_type *type = perp_set_type_of(block->set);
    size_t n = (size_t)block->dim;
    if (!type->shift) {
        perp_reform_natural(F, Fw, Fz, block, rho, w, z);
        return;
    }
    double x[SHIFT_DIM], y[SHIFT_DIM], g[SHIFT_DIM];
    int inside = 1;
    for (size_t i = 0; i < n; i++)
        y[i] = rho[0] * w[i];
    y[0] += rho[0] * type->shift(w, block->par, block->dim);
    for (size_t i = 0; i < n; i++)
        x[i] = z[i] - y[i];
    type->project(F, x, block->par, block->dim);
    for (size_t i = 0; i < n; i++)
        inside &= F[i] == x[i];
    for (size_t i = 0; i < n; i++)
        F[i] = inside ? y[i] : z[i] - F[i];
    if (Fz) {
        type->jacobian(Fz, x, block->par, block->dim);
        for (size_t i = 0; i < n * n; i++)
            Fz[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - Fz[i];
    }
    if (Fw) {
        type->jacobian(Fw, x, block->par, block->dim);
        type->shift_gradient(g, w, block->par, block->dim);
        shift_columns(Fw, g, rho[0], n);
    }
}

const perp_reform perp_reform_natural_map = {"natural-map", ~0u, eval};
