/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/central/smoothing.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

/* f = sqrt(t^2 + 4 tau), below = 1 - t/f and above = 1 + t/f, free of cancellation. */
typedef struct root {
    double f, below, above;
} root;

static root root_of(double t, double tau)
{
    root r = {hypot(t, 2.0 * sqrt(tau)), 1.0, 1.0};
    if (r.f == 0.0)
        return r;
    double small = 4.0 * (tau / r.f) / (r.f + fabs(t)), large = 1.0 + fabs(t) / r.f;
    r.below = t > 0.0 ? small : large;
    r.above = t > 0.0 ? large : small;
    return r;
}

/* One bounded row: 2 (x - lo - p(t - lo) + p(t - hi)), p(t) = (t + f) / 2, t = x - y. */
typedef struct scalar {
    double G, x, y, t; /* value, derivatives in x, y and tau */
} scalar;

static scalar bounded(double x, double y, double lo, double hi, double tau)
{
    scalar g = {2.0 * y, 0.0, 2.0, 0.0};
    root below = {0.0, 0.0, 2.0}, above = {0.0, 2.0, 0.0};
    if (isfinite(lo)) {
        below = root_of(x - y - lo, tau);
        g.G = x - lo + y - below.f;
        g.t -= below.f > 0.0 ? 2.0 / below.f : 0.0;
    }
    if (isfinite(hi)) {
        above = root_of(x - y - hi, tau);
        g.G += x - y - hi + above.f;
        g.t += above.f > 0.0 ? 2.0 / above.f : 0.0;
    }
    g.x = below.below + above.above;
    g.y = below.above - above.above;
    return g;
}

static void row_eval(double *G, double *Gw, double *Gz, double *Gt, const perp_block *block,
                     const perp_smoothing *s, double d, double w, double z)
{
    double to_x = d / s->size, to_y = 1.0 / (d * s->size);
    scalar g = {0.0, 0.0, 0.0, 0.0};
    if (block->set == PERP_FREE) {
        double x = to_x * z;
        g = (scalar){2.0 * (to_y * w + s->free * s->tau * x), 2.0 * s->free * s->tau, 2.0,
                     2.0 * s->free * x};
    } else {
        double lo = block->set == PERP_BOX ? to_x * block->par[0] : 0.0;
        double hi = block->set == PERP_BOX ? to_x * block->par[1] : INFINITY;
        g = bounded(to_x * z, to_y * w, lo, hi, s->tau);
    }
    G[0] = g.G;
    if (Gw) {
        Gw[0] = g.y * to_y;
        Gz[0] = g.x * to_x;
    }
    if (Gt)
        Gt[0] = s->tau * g.t;
}

/* mu = 0. */
static void half_line_eval(double *G, double *Gw, double *Gz, double *Gt, const perp_block *block,
                           const perp_smoothing *s, double d, const double *w, const double *z)
{
    static const perp_block normal = {.dim = 1, .set = PERP_NONNEG};
    int dim = block->dim;
    double a = 0.0, b = 0.0;
    row_eval(G, Gw ? &a : NULL, Gw ? &b : NULL, Gt, &normal, s, d, w[0], z[0]);
    for (int i = 1; i < dim; i++)
        G[i] = 2.0 * z[i] * d / s->size;
    for (int i = 1; Gt && i < dim; i++)
        Gt[i] = 0.0;
    if (!Gw)
        return;
    memset(Gw, 0, (size_t)dim * (size_t)dim * sizeof *Gw);
    memset(Gz, 0, (size_t)dim * (size_t)dim * sizeof *Gz);
    Gw[0] = a;
    Gz[0] = b;
    for (int i = 1; i < dim; i++)
        Gz[i * (dim + 1)] = 2.0 * d / s->size;
}

/* [ (a+b)/2, (b-a)/2 n' ; (b-a)/2 n, (a+b)/2 nn' + c (I - nn') ]: eigenvalue a on (1, -n),
 * b on (1, n), c on the rest. */
static void spectral(double *A, const double *n, int dim, double a, double b, double c)
{
    double mean = 0.5 * (a + b), half = 0.5 * (b - a);
    A[0] = mean;
    for (int i = 1; i < dim; i++) {
        A[i] = A[i * dim] = half * n[i];
        for (int j = 1; j < dim; j++)
            A[i + j * dim] = (mean - c) * n[i] * n[j] + (i == j ? c : 0.0);
    }
}

/* A column e_0 of A times the gradient g of s adds to the tangent columns; then columns to
 * the units of w and z. */
static void to_units(double *Gw, double *Gz, const double *gradient, const perp_smoothing *s,
                     double d, double mu, int dim)
{
    for (int j = 1; j < dim; j++)
        for (int i = 0; i < dim; i++)
            Gw[i + j * dim] += Gw[i] * gradient[j];
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++) {
            Gw[i + j * dim] *= (j == 0 ? 1.0 / mu : 1.0) / (d * s->size);
            Gz[i + j * dim] *= (j == 0 ? mu : 1.0) * d / s->size;
        }
}

static void cone_eval(double *G, double *Gw, double *Gz, double *Gt, const perp_block *block,
                      const perp_smoothing *s, double d, const double *w, const double *z,
                      double *work)
{
    int dim = block->dim;
    double mu = block->par[0], to_x = d / s->size, to_y = 1.0 / (d * s->size);
    double *x = work, *y = work + dim, *n = work + 2 * dim, *gradient = work + 3 * dim;
    double soft = s->kappa * sqrt(s->tau), shift = 0.0, shift_t = 0.0;
    for (int i = 0; i < dim; i++) {
        x[i] = to_x * (i == 0 ? mu : 1.0) * z[i];
        y[i] = to_y * (i == 0 ? 1.0 / mu : 1.0) * w[i];
        gradient[i] = 0.0;
    }
    if (block->set == PERP_COULOMB) {
        double long_y = hypot(perp_norm(y + 1, dim - 1), soft);
        shift = long_y - soft;
        shift_t = long_y > 0.0 ? 0.5 * soft * (soft / long_y - 1.0) : 0.0;
        for (int i = 1; long_y > 0.0 && i < dim; i++)
            gradient[i] = y[i] / long_y;
    }
    y[0] += shift;
    for (int i = 0; i < dim; i++)
        n[i] = x[i] - y[i];
    double centre = n[0], length = perp_norm(n + 1, dim - 1);
    root low = root_of(centre - length, s->tau), high = root_of(centre + length, s->tau);
    double sum = low.f + high.f;
    G[0] = x[0] + y[0] - 0.5 * sum;
    for (int i = 1; i < dim; i++) {
        G[i] = x[i] + y[i] - (sum > 0.0 ? 2.0 * centre / sum : 0.0) * n[i];
        n[i] = length > 0.0 ? n[i] / length : i == 1 ? 1.0 : 0.0;
    }
    if (!Gw && !Gt)
        return;
    double below = sum > 0.0 ? (low.f * low.below + high.f * high.below) / sum : 1.0;
    double above = sum > 0.0 ? (low.f * low.above + high.f * high.above) / sum : 1.0;
    if (Gt) {
        double a = low.f > 0.0 ? s->tau / low.f : 0.0, b = high.f > 0.0 ? s->tau / high.f : 0.0;
        double c0 = 0.5 * (low.above + high.above), c1 = 0.5 * (high.above - low.above);
        Gt[0] = -(a + b) + c0 * shift_t;
        for (int i = 1; i < dim; i++)
            Gt[i] = (a - b + c1 * shift_t) * n[i];
    }
    if (Gw) {
        spectral(Gz, n, dim, low.below, high.below, below);
        spectral(Gw, n, dim, low.above, high.above, above);
        to_units(Gw, Gz, gradient, s, d, mu, dim);
    }
}

void perp_smoothing_eval(double *G, double *Gw, double *Gz, double *Gt, const perp_block *block,
                         const perp_smoothing *smoothing, double d, const double *w,
                         const double *z, double *work)
{
    int cone = block->set == PERP_COULOMB || block->set == PERP_SOC;
    if (!cone)
        row_eval(G, Gw, Gz, Gt, block, smoothing, d, w[0], z[0]);
    else if (block->par[0] > 0.0)
        cone_eval(G, Gw, Gz, Gt, block, smoothing, d, w, z, work);
    else
        half_line_eval(G, Gw, Gz, Gt, block, smoothing, d, w, z);
}
