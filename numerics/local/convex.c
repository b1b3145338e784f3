/* SPDX-License-Identifier: BSD-3-Clause */
#include "local/convex.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "local/slip.h"

size_t perp_convex_scratch(int dim)
{
    const size_t n = (size_t)dim;
    return 2 * n * n + 8 * n;
}

/* w = A z + b + shift (z - centre). */
static void image(double *w, const perp_convex *block, const double *z)
{
    memcpy(w, block->b, (size_t)block->dim * sizeof(double));
    perp_small_gemv(w, block->A, z, block->dim, block->dim);
    for (int i = 0; i < block->dim && block->centre; i++)
        w[i] += block->shift * (z[i] - block->centre[i]);
}

/* F = z - P(z - w/norm); x = z - w/norm is left for the Jacobian.  Returns |F|. */
static double natural_map(double *F, double *x, double *w, const perp_convex *block,
                          const double *z)
{
    const int n = block->dim;
    image(w, block, z);
    for (int i = 0; i < n; i++)
        x[i] = z[i] - w[i] / block->norm;
    block->set->project(F, x, block->par, n);
    for (int i = 0; i < n; i++)
        F[i] = z[i] - F[i];
    return perp_norm(F, n);
}

static double relative(double size, const perp_convex *block, const double *z, const double *w)
{
    const int n = block->dim;
    const double scale =
        fmax(fmax(perp_norm(block->b, n), block->norm * perp_norm(z, n)), perp_norm(w, n));
    return scale > 0.0 ? block->norm * size / scale : 0.0;
}

double perp_convex_error(const perp_convex *block, const double *z, double *work)
{
    const int n = block->dim;
    double *w = work, *x = work + n;
    image(w, block, z);
    for (int i = 0; i < n; i++)
        x[i] = z[i] - w[i] / block->norm;
    block->set->project(x, x, block->par, n);
    double size = 0.0;
    for (int i = 0; i < n; i++)
        size += (z[i] - x[i]) * (z[i] - x[i]);
    return relative(sqrt(size), block, z, w);
}

void perp_convex_eliminate(double *M, double *f, int dim)
{
    const size_t n = (size_t)dim;
    double size = 0.0;
    for (size_t k = 0; k < n * n; k++)
        size = fmax(size, fabs(M[k]));
    for (size_t k = 0; k < n; k++) {
        size_t p = k;
        for (size_t i = k + 1; i < n; i++)
            p = fabs(M[k * n + i]) > fabs(M[k * n + p]) ? i : p;
        for (size_t j = k; j < n && p != k; j++) {
            const double t = M[j * n + k];
            M[j * n + k] = M[j * n + p];
            M[j * n + p] = t;
        }
        const double g = f[k];
        f[k] = f[p];
        f[p] = g;
        double *pivot = &M[k * n + k];
        if (!(fabs(*pivot) > DBL_EPSILON * size))
            *pivot = copysign(size > 0.0 ? DBL_EPSILON * size : 1.0, *pivot);
        for (size_t i = k + 1; i < n; i++)
            M[k * n + i] /= *pivot;
        for (size_t j = k + 1; j < n; j++)
            for (size_t i = k + 1; i < n; i++)
                M[j * n + i] -= M[k * n + i] * M[j * n + k];
        for (size_t i = k + 1; i < n; i++)
            f[i] -= M[k * n + i] * f[k];
    }
    for (size_t k = n; k-- > 0;) {
        f[k] /= M[k * n + k];
        for (size_t i = 0; i < k; i++)
            f[i] -= M[k * n + i] * f[k];
    }
}

/* step = -(dF/dz)^-1 F with dF/dz = I - J (I - A/norm), J the Jacobian of P at x. */
static void newton_step(double *step, const perp_convex *block, const double *F, const double *x,
                        double *square)
{
    const int dim = block->dim;
    const size_t n = (size_t)dim;
    double *J = square, *M = square + n * n;
    block->set->jacobian(J, x, block->par, dim);
    for (size_t j = 0; j < n; j++) {
        double *m = M + j * n;
        for (size_t i = 0; i < n; i++)
            m[i] = (i == j ? 1.0 : 0.0) - J[j * n + i];
        for (size_t k = 0; k < n; k++) {
            const double shift = k == j && block->centre ? block->shift : 0.0;
            const double a = (block->A[j * n + k] + shift) / block->norm;
            for (size_t i = 0; i < n; i++)
                m[i] += J[k * n + i] * a;
        }
        step[j] = -F[j];
    }
    perp_convex_eliminate(M, step, dim);
}

/* Up to 30 damped Newton steps.  Stops at the floor of rounding or when |F| no longer falls. */
static void newton(double *z, const perp_convex *block, double *scratch)
{
    const int n = block->dim;
    const size_t m = (size_t)n;
    double *square = scratch, *F = scratch + 2 * m * m, *x = F + m, *w = x + m;
    double *step = w + m, *trial = step + m;
    double size = natural_map(F, x, w, block, z);
    for (int k = 0; k < 30 && relative(size, block, z, w) > PERP_LOCAL_ACCEPT / 4.0; k++) {
        newton_step(step, block, F, x, square);
        double next = HUGE_VAL, t = 1.0;
        for (int half = 0; half < 10; half++, t *= 0.5) {
            for (int i = 0; i < n; i++)
                trial[i] = z[i] + t * step[i];
            next = natural_map(F, x, w, block, trial);
            if (next <= (1.0 - 1e-4 * t) * size)
                break;
        }
        if (!(next < size))
            return;
        memcpy(z, trial, m * sizeof(double));
        size = next;
    }
}

/* Extragradient steps, as in projection.c: they approach a solution of a
 * monotone block from anywhere, which leads Newton out of a kink. */
static void extragradient(double *z, const perp_convex *block, int steps, double *scratch)
{
    const int n = block->dim;
    double *w = scratch, *y = w + n, *v = y + n, rho = 1.0 / block->norm;
    for (int k = 0; k < steps; k++) {
        double ratio = 0.0;
        image(w, block, z);
        for (int shrink = 0; shrink < 60; shrink++) {
            double change = 0.0, moved = 0.0;
            for (int i = 0; i < n; i++)
                y[i] = z[i] - rho * w[i];
            block->set->project(y, y, block->par, n);
            image(v, block, y);
            for (int i = 0; i < n; i++) {
                change += (v[i] - w[i]) * (v[i] - w[i]);
                moved += (y[i] - z[i]) * (y[i] - z[i]);
            }
            ratio = moved > 0.0 ? rho * sqrt(change / moved) : 0.0;
            if (!(ratio > 0.9))
                break;
            rho *= 2.0 / 3.0 * fmin(1.0, 1.0 / ratio);
        }
        for (int i = 0; i < n; i++)
            z[i] -= rho * v[i];
        block->set->project(z, z, block->par, n);
        if (ratio < 0.3)
            rho *= 1.5;
    }
}

/* Newton from z; keeps the better of its end and best. */
static double attempt(double *z, double *best, double error, const perp_convex *block,
                      double *scratch)
{
    const size_t n = (size_t)block->dim;
    newton(z, block, scratch);
    const double now = perp_convex_error(block, z, scratch + 2 * n * n);
    if (!(now < error) && isfinite(error))
        return error;
    memcpy(best, z, n * sizeof(double));
    return now;
}

/* z = -A^-1 b, the solution when it lies inside the set. */
static void unconstrained(double *z, const perp_convex *block, double *square)
{
    const size_t n = (size_t)block->dim;
    memcpy(square, block->A, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        z[i] = -block->b[i];
    perp_convex_eliminate(square, z, block->dim);
}

double perp_convex_solve(double *z, const perp_convex *block, double *scratch)
{
    const size_t n = (size_t)block->dim, bytes = n * sizeof(double);
    double *best = scratch + 2 * n * n + 5 * n, *centre = best + n, *iterate = centre + n;
    perp_convex near = *block;
    double error = perp_convex_error(block, z, scratch);
    memcpy(best, z, bytes);
    memcpy(iterate, z, bytes);
    if (!isfinite(error))
        memset(iterate, 0, bytes);
    near.centre = centre;
    near.shift = 0.1 * block->norm;
    for (int round = 0; round < 24 && !(error <= PERP_LOCAL_ACCEPT); round++) {
        memcpy(z, iterate, bytes);
        error = attempt(z, best, error, block, scratch);
        if (round == 0 && !(error <= PERP_LOCAL_SOLVED)) {
            unconstrained(z, block, scratch);
            error = attempt(z, best, error, block, scratch);
        }
        if (error <= PERP_LOCAL_SOLVED)
            break;
        /* A proximal step, better conditioned, from where the last one ended. */
        memcpy(centre, iterate, bytes);
        extragradient(iterate, &near, 20, scratch);
        newton(iterate, &near, scratch);
        near.shift *= 0.3;
    }
    memcpy(z, best, bytes);
    return error;
}
