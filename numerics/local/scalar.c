/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of one row, in closed form. */
#include "local/scalar.h"

#include <math.h>

perp_status perp_scalar_free(double *z, double a, double b)
{
    const double x = -b / a;
    if (isfinite(x)) {
        *z = x;
        return PERP_SOLVED;
    }
    return b == 0.0 ? PERP_SOLVED : PERP_INFEASIBLE;
}

perp_status perp_scalar_nonneg(double *z, double a, double b)
{
    if (b >= 0.0) {
        *z = 0.0;
        return PERP_SOLVED;
    }
    const double x = -b / a;
    *z = a > 0.0 && isfinite(x) ? x : 0.0;
    return a > 0.0 && isfinite(x) ? PERP_SOLVED : PERP_INFEASIBLE;
}

/* a <= 0: the bounds where w has the right sign, and the point between where
 * w = 0; of several the one nearest to the guess. */
static perp_status box_not_convex(double *z, double a, double b, double lo, double hi)
{
    const double guess = isfinite(*z) ? *z : 0.0;
    const double inside = a != 0.0 ? -b / a : guess;
    const double x[3] = {lo, hi, inside};
    const int holds[3] = {isfinite(lo) && a * lo + b >= 0.0, isfinite(hi) && a * hi + b <= 0.0,
                          inside >= lo && inside <= hi && isfinite(inside) &&
                              (a != 0.0 || b == 0.0)};
    double best = HUGE_VAL;
    *z = fmin(fmax(guess, lo), hi);
    for (int k = 0; k < 3; k++)
        if (holds[k] && fabs(x[k] - guess) < best) {
            best = fabs(x[k] - guess);
            *z = x[k];
        }
    return best < HUGE_VAL ? PERP_SOLVED : PERP_INFEASIBLE;
}

perp_status perp_scalar_box(double *z, double a, double b, double lo, double hi)
{
    const double x = -b / a;
    if (!(a > 0.0) || !isfinite(x))
        return box_not_convex(z, a, b, lo, hi);
    *z = x < lo ? lo : x > hi ? hi : x;
    return PERP_SOLVED;
}
