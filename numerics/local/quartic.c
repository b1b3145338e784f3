/* SPDX-License-Identifier: BSD-3-Clause */
/* All roots of the slip equation as a quartic in t = tan(theta/2): [SDN]
 * (15.15)-(15.18) with A = -q10, B = q01, C = q00 - q11, D = p0, E = -p1.
 * alpha was eliminated by a cross product instead of a division by R_T1 or
 * R_T2, so the special cases of 15.0.1.c are ordinary roots here. */
#include <float.h>

#include "local/slip.h"

static double horner(const double *poly, int degree, double t)
{
    double value = poly[degree];
    for (int k = degree; k-- > 0;)
        value = value * t + poly[k];
    return value;
}

/* The root in [lo, hi], where the values have opposite signs: Newton inside the bracket. */
static double bracketed(const double *poly, const double *slope, int degree, double lo, double hi,
                        double at_lo)
{
    double t = 0.5 * (lo + hi);
    for (int k = 0; k < 80; k++) {
        const double value = horner(poly, degree, t);
        if (value == 0.0)
            return t;
        if ((value < 0.0) == (at_lo < 0.0))
            lo = t;
        else
            hi = t;
        double next = t - value / horner(slope, degree - 1, t);
        if (!(next > lo && next < hi))
            next = 0.5 * (lo + hi);
        if (fabs(next - t) <= DBL_EPSILON * (fabs(t) + DBL_EPSILON))
            return next;
        t = next;
    }
    return t;
}

/* Roots in [-1, 1] between the given turning points, ascending; turning points
 * that come near zero without crossing it are kept too.  At most degree + turns. */
static int between(double *roots, const double *poly, int degree, const double *turns, int count)
{
    double slope[4] = {0.0, 0.0, 0.0, 0.0}, size = 0.0;
    for (int k = 1; k <= degree; k++)
        slope[k - 1] = k * poly[k];
    for (int k = 0; k <= degree; k++)
        size += fabs(poly[k]);
    int found = 0;
    double lo = -1.0, at_lo = horner(poly, degree, lo);
    for (int k = 0; k <= count; k++) {
        const double hi = k < count ? turns[k] : 1.0, at_hi = horner(poly, degree, hi);
        const int crosses = (at_lo < 0.0) != (at_hi < 0.0);
        if (crosses)
            roots[found++] = bracketed(poly, slope, degree, lo, hi, at_lo);
        if (k < count && fabs(at_hi) <= 1e-6 * size)
            roots[found++] = hi;
        lo = hi;
        at_lo = at_hi;
    }
    return found;
}

/* Real roots of a + b t + c t^2 inside (-1, 1), ascending. */
static int quadratic(double roots[2], double a, double b, double c)
{
    const double disc = b * b - 4.0 * a * c;
    if (!(disc >= 0.0))
        return 0;
    const double q = -0.5 * (b + copysign(sqrt(disc), b));
    double r1 = q / c, r2 = a / q;
    if (r1 > r2) {
        const double t = r1;
        r1 = r2;
        r2 = t;
    }
    int found = 0;
    if (r1 > -1.0 && r1 < 1.0)
        roots[found++] = r1;
    if (r2 > -1.0 && r2 < 1.0)
        roots[found++] = r2;
    return found;
}

/* Roots of a quartic in [-1, 1]: its turning points from those of its derivative. */
static int quartic(double roots[10], const double poly[5])
{
    const double slope[4] = {poly[1], 2.0 * poly[2], 3.0 * poly[3], 4.0 * poly[4]};
    double bends[2], turns[6];
    const int nbends = quadratic(bends, slope[1], 2.0 * slope[2], 3.0 * slope[3]);
    const int nturns = between(turns, slope, 3, bends, nbends);
    return between(roots, poly, 4, turns, nturns);
}

/* theta in [-pi/2, pi/2] is |t| <= 1; the other half, with theta = pi, is |s| <= 1 for
 * s = 1/t, whose quartic has the same coefficients backwards: neither a large root nor a
 * vanishing leading coefficient occurs. */
int perp_circle_roots(double c[24], const perp_circle *e)
{
    const double a = -e->q10, b = e->q01, m = e->q00 - e->q11, d = e->p0, n = -e->p1;
    const double poly[5] = {a + n, 2.0 * (m + d), 4.0 * b - 2.0 * a, 2.0 * (d - m), a - n};
    const double back[5] = {poly[4], poly[3], poly[2], poly[1], poly[0]};
    double t[10];
    int found = 0;
    for (int half = 0; half < 2; half++) {
        const int count = quartic(t, half == 0 ? poly : back);
        for (int k = 0; k < count && found < 12; k++, found++) {
            const double square = t[k] * t[k], scale = 1.0 / (1.0 + square);
            c[2 * found] = (half == 0 ? 1.0 - square : square - 1.0) * scale;
            c[2 * found + 1] = 2.0 * t[k] * scale;
        }
    }
    for (int k = 0; k < found; k++) {
        double slope, along, c0 = c[2 * k], c1 = c[2 * k + 1];
        const double f = perp_circle_value(e, c0, c1, &slope, &along), step = -f / slope;
        if (!(fabs(step) < 1e-2))
            continue;
        const double d0 = c0 - step * c1, d1 = c1 + step * c0;
        const double scale = 1.0 / sqrt(d0 * d0 + d1 * d1);
        const double g = perp_circle_value(e, d0 * scale, d1 * scale, &slope, &along);
        if (fabs(g) <= fabs(f)) {
            c[2 * k] = d0 * scale;
            c[2 * k + 1] = d1 * scale;
        }
    }
    return found;
}

perp_status perp_local_quartic(double r[3], const double A[9], const perp_local_prep *prep,
                               const double b[3], double mu)
{
    perp_status status;
    if (perp_contact_trivial(r, A, b, mu, &status))
        return status;
    if (perp_contact_stick(r, A, prep, b, mu))
        return PERP_SOLVED;
    const perp_contact contact = {.A = A, .b = b, .norm = prep->norm, .mu = mu};
    const perp_circle circle = perp_slip_circle(A, b, mu);
    perp_candidate best = {.error = HUGE_VAL};
    double c[24];
    const int count = perp_circle_roots(c, &circle);
    for (int k = 0; k < count; k++) {
        double slope, along;
        (void)perp_circle_value(&circle, c[2 * k], c[2 * k + 1], &slope, &along);
        if (along <= 1e-6 * perp_circle_size(&circle))
            perp_contact_consider_slip(&best, &contact, c + 2 * k);
    }
    if (best.error > PERP_LOCAL_SOLVED) {
        perp_contact_consider_stick(&best, &contact);
        (void)perp_contact_consider(&best, &contact, r);
        (void)perp_contact_consider(&best, &contact, (const double[3]){0.0, 0.0, 0.0});
    }
    return perp_contact_finish(r, &best, 1);
}
