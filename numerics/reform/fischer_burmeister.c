/* SPDX-License-Identifier: BSD-3-Clause */
/* Fischer-Burmeister on the second-order cone: F = x + y - (x^2 + y^2)^{1/2} in its Jordan
 * algebra, x = D z, y = rho D^-1 (w + s(w)), D = diag(mu, 1, ...), which brings the cone of
 * friction to the Lorentz cone.  NONNEG, and the normal row of mu = 0, have the scalar
 * function phi(a, b) = a + b - |(a, b)|; FREE rows are rho w.  [FukushimaEtAl2002].
 * BOX: phi(z - lo, -phi(hi - z, -rho w)), a missing bound leaves its phi out ([Billups1995]).
 *
 * The derivative is I - L_r^-1 L_x by r = (x^2 + y^2)^{1/2}, L_a b = a o b.  Where r lies on
 * the boundary of the cone it is taken beside it. */
#include <math.h>
#include <string.h>

#include "reform/reform.h"
#include "sets/cone.h"

static const double boundary_share = 1e-8;

/* phi(a, b) = a + b - (a^2 + b^2 + 2 product)^{1/2} and its two derivatives. */
static double scalar(double *da, double *db, double a, double b, double product)
{
    double length = perp_length2(a, b);
    if (product > 0.0)
        length = perp_length2(length, sqrt(2.0 * product));
    *da = 1.0 - (length > 0.0 ? a / length : 0.70710678118654752);
    *db = 1.0 - (length > 0.0 ? b / length : 0.70710678118654752);
    /* a + b - length without cancellation where both are positive. */
    return a > 0.0 && b > 0.0 ? 2.0 * (a * b - product) / (a + b + length) : a + b - length;
}

/* A row of FREE, NONNEG or BOX. */
static void row(double *F, double *Fw, double *Fz, const perp_block *block, double rho,
                double product, double w, double z)
{
    int box = block->set == PERP_BOX, free = block->set == PERP_FREE;
    double lo = free ? -INFINITY : box ? block->par[0] : 0.0, hi = box ? block->par[1] : INFINITY;
    double y = rho * w, dy = 1.0, dz = 0.0, da, db;
    if (hi < INFINITY) {
        y = -scalar(&da, &db, hi - z, -y, product);
        dz = da;
        dy = db;
    }
    if (lo > -INFINITY) {
        y = scalar(&da, &db, z - lo, y, product);
        dz = da + db * dz;
        dy *= db;
    }
    F[0] = y;
    if (Fz)
        Fz[0] = dz;
    if (Fw)
        Fw[0] = rho * dy;
}

/* The two vectors of a block, element by element. */
typedef struct pair {
    const double *w, *z;
    double mu, rho, shift; /* shift: |w_T| of a contact, 0 of SOC */
} pair;

static double x_at(const pair *p, int i)
{
    return i == 0 ? p->mu * p->z[0] : p->z[i];
}

static double y_at(const pair *p, int i)
{
    return i == 0 ? p->rho * (p->w[0] / p->mu + p->shift) : p->rho * p->w[i];
}

/* r = (x^2 + y^2)^{1/2} by its eigenvalues; returns those. */
static void square_root(double *r, double *high, double *low, const pair *p, int dim)
{
    double x0 = x_at(p, 0), y0 = y_at(p, 0), square = x0 * x0 + y0 * y0;
    for (int i = 1; i < dim; i++) {
        double x = x_at(p, i), y = y_at(p, i);
        r[i] = 2.0 * (x0 * x + y0 * y);
        square += x * x + y * y;
    }
    double length = perp_cone_length(r + 1, dim - 1);
    *high = sqrt(square + length);
    *low = sqrt(fmax(square - length, 0.0));
    r[0] = 0.5 * (*high + *low);
    for (int i = 1; i < dim; i++)
        r[i] *= length > 0.0 ? 0.5 * (*high - *low) / length : 0.0;
}

/* Column j of I - L_r^-1 L_a, a one of the two. */
static void column(double *out, const pair *p, double (*a)(const pair *, int), int j,
                   const double *r, double high, double low, int dim)
{
    double head = a(p, j), tail = j == 0 ? 0.0 : a(p, 0), inner = 0.0;
    if (high == 0.0) {
        for (int i = 0; i < dim; i++)
            out[i] = i == j ? 1.0 - 0.70710678118654752 : 0.0;
        return;
    }
    /* L_a e_j is a for j = 0, else a_j in front and a_0 at j. */
    for (int i = 1; i < dim; i++)
        inner += r[i] * (j == 0 ? a(p, i) : i == j ? tail : 0.0);
    low = fmax(low, boundary_share * high);
    double first = (r[0] * head - inner) / (high * low);
    for (int i = 1; i < dim; i++) {
        double v = j == 0 ? a(p, i) : i == j ? tail : 0.0;
        out[i] = (i == j ? 1.0 : 0.0) - (v - first * r[i]) / r[0];
    }
    out[0] = (j == 0 ? 1.0 : 0.0) - first;
}

static void cone(double *F, double *Fw, double *Fz, const perp_block *block, double rho,
                 const double *w, const double *z)
{
    int dim = block->dim, contact = block->set == PERP_COULOMB;
    double high, low, tangent = contact ? perp_cone_length(w + 1, dim - 1) : 0.0;
    pair p = {w, z, block->par[0], rho, tangent};
    square_root(F, &high, &low, &p, dim);
    for (int j = 0; j < dim; j++) {
        double *own = Fz ? Fz + j * dim : NULL, *dual = Fw ? Fw + j * dim : NULL;
        if (own) {
            column(own, &p, x_at, j, F, high, low, dim);
            for (int i = 0; j == 0 && i < dim; i++)
                own[i] *= p.mu;
        }
        if (dual) {
            column(dual, &p, y_at, j, F, high, low, dim);
            for (int i = 0; i < dim; i++)
                dual[i] *= rho;
        }
    }
    /* dy_0 = rho (dw_0 / mu + t.dw_T). */
    for (int j = 1; Fw && contact && tangent > 0.0 && j < dim; j++)
        for (int i = 0; i < dim; i++)
            Fw[i + j * dim] += Fw[i] * (w[j] / tangent);
    for (int i = 0; Fw && i < dim; i++)
        Fw[i] /= p.mu;
    for (int i = 0; i < dim; i++)
        F[i] = x_at(&p, i) + y_at(&p, i) - F[i];
}

static void eval(double *F, double *Fw, double *Fz, const perp_block *block, const double *rho,
                 const double *w, const double *z)
{
    int dim = block->dim, round = block->set == PERP_COULOMB || block->set == PERP_SOC;
    if (round && dim > 1 && block->par[0] > 0.0) {
        cone(F, Fw, Fz, block, rho[0], w, z);
        return;
    }
    size_t bytes = (size_t)dim * (size_t)dim * sizeof(double);
    if (Fw)
        memset(Fw, 0, bytes);
    if (Fz)
        memset(Fz, 0, bytes);
    for (int i = 1; i < dim; i++) {
        F[i] = z[i];
        if (Fz)
            Fz[i + i * dim] = 1.0;
    }
    row(F, Fw, Fz, block, rho[0], 0.0, w[0], z[0]);
}

static void eval_smooth(double *F, double *Fw, double *Fz, const perp_block *block,
                        const double *rho, const double *w, const double *z)
{
    row(F, Fw, Fz, block, rho[0], rho[1], w[0], z[0]);
}

const perp_reform perp_reform_fischer_burmeister = {
    "fischer-burmeister",
    1u << PERP_FREE | 1u << PERP_NONNEG | 1u << PERP_BOX | 1u << PERP_COULOMB | 1u << PERP_SOC,
    eval};

const perp_reform perp_reform_smooth_rows = {
    "smooth-rows", 1u << PERP_FREE | 1u << PERP_NONNEG | 1u << PERP_BOX, eval_smooth};
