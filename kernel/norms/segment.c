/* SPDX-License-Identifier: BSD-3-Clause */
/* At from + mu (to - from) the difference in entry k is c_k - mu d_k, c = point - from,
 * d = to - from; the distance is the least value on [0, 1] of a convex function of mu. */
#include "kernel/norms/segment.h"

#include <float.h>
#include <math.h>

static double clamp(double mu)
{
    return fmax(0.0, fmin(1.0, mu));
}

typedef struct parts {
    double in_time, in_space;
} parts;

static parts parts_at(double mu, const double *p, const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 1; k <= n; k++) {
        double e = p[k] - a[k] - mu * (b[k] - a[k]);
        sum += e * e;
    }
    return (parts){fabs(p[0] - a[0] - mu * (b[0] - a[0])), sqrt(sum)};
}

/* Where both parts are equal between low, where the space is the larger, and high (in either
 * order).  One falls and the other rises in between, so that their difference has one zero, and a
 * simple one (their squares may have a double one): Newton, by halves where it leaves the way. */
static double crossing(double low, double high, const double *p, const double *a, const double *b,
                       int n)
{
    double mu = 0.5 * (low + high), best = INFINITY;
    for (int pass = 0; pass < 64 && low != high; pass++) {
        parts at = parts_at(mu, p, a, b, n);
        best = fmin(best, fmax(at.in_time, at.in_space));
        double g = at.in_time - at.in_space, slope = 0.0;
        if (g < 0.0)
            low = mu;
        else
            high = mu;
        for (int k = 1; k <= n; k++)
            slope += (p[k] - a[k] - mu * (b[k] - a[k])) * (b[k] - a[k]);
        double rise = p[0] - a[0] - mu * (b[0] - a[0]) > 0.0 ? a[0] - b[0] : b[0] - a[0];
        double next = at.in_space > 0.0 ? mu - g / (rise + slope / at.in_space) : NAN;
        if (!(next >= fmin(low, high) && next <= fmax(low, high)))
            next = 0.5 * (low + high);
        if (g == 0.0 || fabs(next - mu) <= DBL_EPSILON)
            break;
        mu = next;
    }
    return best;
}

/* Both parts are convex in mu.  The least of their maximum is at the least of one of them where
 * that is the larger there, else where they are equal between the two. */
static double euclidean(const double *p, const double *a, const double *b, int n)
{
    double dd = 0.0, cd = 0.0, d0 = b[0] - a[0];
    for (int k = 1; k <= n; k++) {
        dd += (b[k] - a[k]) * (b[k] - a[k]);
        cd += (p[k] - a[k]) * (b[k] - a[k]);
    }
    double in_time = d0 > 0.0 ? clamp((p[0] - a[0]) / d0) : NAN;
    double in_space = dd > 0.0 ? clamp(cd / dd) : isnan(in_time) ? 0.0 : in_time;
    if (isnan(in_time))
        in_time = in_space;
    parts T = parts_at(in_time, p, a, b, n), X = parts_at(in_space, p, a, b, n);
    if (T.in_space <= T.in_time)
        return T.in_time;
    if (X.in_time <= X.in_space)
        return X.in_space;
    return fmin(crossing(in_time, in_space, p, a, b, n),
                fmin(fmax(T.in_time, T.in_space), fmax(X.in_time, X.in_space)));
}

/* A line value + slope mu. */
typedef struct line {
    double value, slope;
} line;

/* The largest of the |c_k - mu d_k| at mu; of equal ones that with the largest (or least) slope. */
static line largest_at(double mu, double *at, const double *p, const double *a, const double *b,
                       int n, int rising)
{
    line best = {0.0, 0.0};
    *at = -1.0;
    for (int k = 0; k <= n; k++) {
        double c = p[k] - a[k], d = b[k] - a[k], e = c - mu * d;
        for (int sign = -1; sign <= 1; sign += 2) {
            line one = {sign * c, -sign * d};
            double here = sign * e;
            if (here > *at ||
                (here >= *at && (rising ? one.slope > best.slope : one.slope < best.slope))) {
                best = one;
                *at = here;
            }
        }
    }
    return best;
}

/* From both ends inwards: the crossing of the lines that are largest at the ends, until the largest
 * line there is one of them. */
static double largest_entry(const double *p, const double *a, const double *b, int n)
{
    double low, high, here = 0.0;
    line left = largest_at(0.0, &low, p, a, b, n, 1), right = largest_at(1.0, &high, p, a, b, n, 0);
    if (left.slope >= 0.0)
        return low;
    if (right.slope <= 0.0)
        return high;
    for (int pass = 0; pass < 2 * n + 4; pass++) {
        double mu = clamp((left.value - right.value) / (right.slope - left.slope));
        double crossing = left.value + left.slope * mu;
        line next = largest_at(mu, &here, p, a, b, n, 1);
        if (here <= crossing || (next.slope >= 0.0 && next.slope <= 0.0))
            break;
        if (next.slope < 0.0)
            left = next;
        else
            right = next;
    }
    return fmin(here, fmin(low, high));
}

double perp_segment_distance(const double *point, const double *from, const double *to, int n,
                             perp_vector_norm norm)
{
    return norm == PERP_NORM_EUCLIDEAN && n > 1 ? euclidean(point, from, to, n)
                                                : largest_entry(point, from, to, n);
}
