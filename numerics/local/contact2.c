/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact of two rows.  With b_N < 0 and r = r_N (1, t), u_N = 0 gives
 * den u_T = p + q t, den = A_NN + A_NT t, p = A_NN b_T - b_N A_TN,
 * q = b_T A_NT - b_N A_TT: stick where that vanishes for |t| <= mu, slip at
 * t = +-mu where u_T has the opposite sign. */
#include <float.h>

#include "local/slip.h"

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* hypot() where a square leaves the range. */
static double length(double a, double b)
{
    double square = a * a + b * b;
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(a, b);
}

static double size_of(const double A[4])
{
    return larger(larger(fabs(A[0]), fabs(A[1])), larger(fabs(A[2]), fabs(A[3])));
}

/* Scaled natural map, with the largest entry of A in place of |A|_2. */
static double error_of(const double r[2], const double A[4], const double b[2], double mu)
{
    const double size = size_of(A), norm = size > 0.0 ? size : 1.0;
    const double u0 = b[0] + (A[0] * r[0] + A[2] * r[1]);
    const double u1 = b[1] + (A[1] * r[0] + A[3] * r[1]);
    const double x0 = r[0] - (u0 + mu * fabs(u1)) / norm, x1 = r[1] - u1 / norm;
    double p0 = 0.0, p1 = 0.0;
    if (fabs(x1) <= mu * x0) {
        p0 = x0;
        p1 = x1;
    } else if (mu * fabs(x1) > -x0) {
        p0 = (x0 + mu * fabs(x1)) / (1.0 + mu * mu);
        p1 = copysign(mu * p0, x1);
    }
    const double scale =
        larger(larger(length(b[0], b[1]), norm * length(r[0], r[1])), length(u0, u1));
    return scale > 0.0 ? norm * length(r[0] - p0, r[1] - p1) / scale : 0.0;
}

/* One Newton step of r_N on u_N = 0, after r_N = -b_N / den has been taken. */
static void along_ray(double r[2], double t, double den, const double A[4], const double b[2])
{
    r[0] = -b[0] / den;
    r[1] = t * r[0];
    r[0] -= (b[0] + (A[0] * r[0] + A[2] * r[1])) / den;
    r[1] = t * r[0];
}

/* u = 0, by elimination with the larger pivot of the first column, refined once. */
static int sticking(double r[2], const double A[4], const double b[2])
{
    const int p = fabs(A[1]) > fabs(A[0]), o = 1 - p;
    const double l = A[o] / A[p], pivot = A[2 + o] - l * A[2 + p];
    if (!(fabs(A[p]) > 0.0) || !(fabs(pivot) > 0.0))
        return 0;
    r[0] = r[1] = 0.0;
    for (int k = 0; k < 2; k++) {
        const double u[2] = {b[0] + (A[0] * r[0] + A[2] * r[1]),
                             b[1] + (A[1] * r[0] + A[3] * r[1])};
        const double d1 = -(u[o] - l * u[p]) / pivot;
        const double d0 = -(u[p] + A[2 + p] * d1) / A[p];
        r[0] += d0;
        r[1] += d1;
    }
    return isfinite(r[0]) && isfinite(r[1]);
}

/* Every case, the one of least natural map. */
static perp_status enumerate(double r[2], const double A[4], const double b[2], double mu)
{
    double best[2] = {0.0, 0.0}, x[2], error = error_of(best, A, b, mu), e;
    const double guess = r[0] == 0.0 && r[1] == 0.0 ? error : error_of(r, A, b, mu);
    const int reachable = A[0] + mu * fabs(A[2]) > 0.0;
    if (guess < error) {
        error = guess;
        best[0] = r[0];
        best[1] = r[1];
    }
    for (int k = 0; k < 3 && reachable; k++) {
        const double t = k == 0 ? mu : -mu, den = A[0] + A[2] * t;
        if (k < 2 && !(den > 0.0))
            continue;
        if (k < 2)
            along_ray(x, t, den, A, b);
        else if (!sticking(x, A, b))
            continue;
        e = error_of(x, A, b, mu);
        if (e < error) {
            error = e;
            best[0] = x[0];
            best[1] = x[1];
        }
    }
    r[0] = best[0];
    r[1] = best[1];
    if (error <= PERP_LOCAL_SOLVED)
        return PERP_SOLVED;
    return !reachable || error > PERP_LOCAL_NOTHING ? PERP_INFEASIBLE : PERP_STALLED;
}

perp_status perp_local_contact2(double r[2], const double A[4], const double b[2], double mu)
{
    if (b[0] >= 0.0) {
        r[0] = r[1] = 0.0;
        return PERP_SOLVED;
    }
    const double p = A[0] * b[1] - b[0] * A[1], q = b[1] * A[2] - b[0] * A[3];
    if (!(q > 0.0))
        return enumerate(r, A, b, mu);
    /* q > 0: exactly one of stick, slip and slip holds the sign of p + q t. */
    const double ratio = -p / q,
                 t = ratio < -mu  ? -mu
                     : ratio > mu ? mu
                                  : ratio,
                 den = A[0] + A[2] * t;
    if (!(den > 0.0))
        return enumerate(r, A, b, mu);
    double x[2] = {-b[0] / den, 0.0};
    x[1] = t * x[0];
    const double u0 = b[0] + (A[0] * x[0] + A[2] * x[1]);
    const double u1 = b[1] + (A[1] * x[0] + A[3] * x[1]);
    const double sticks = fabs(ratio) <= mu ? fabs(u1) : 0.0;
    const double scale = larger(fabs(b[0]) + fabs(b[1]), size_of(A) * x[0]);
    if (!(fabs(u0) + sticks <= PERP_LOCAL_ACCEPT * scale) ||
        (sticks == 0.0 && !(t * u1 <= mu * PERP_LOCAL_ACCEPT * scale)))
        return enumerate(r, A, b, mu);
    r[0] = x[0];
    r[1] = x[1];
    return PERP_SOLVED;
}
