/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of numbers and of products of two, with a bound of all that rounding took from them.
 *
 * Each addition is split without error into its rounded sum and the rest ([Dekker1971], and fma()
 * for products); the rests are summed likewise, and only what the second sum loses, which is known
 * exactly, goes into the bound:
 *
 *     |high + low - exact| <= bound (1 + 2^-20)      for fewer than 2^31 terms.
 *
 * Of N terms the bound is at most N^2 2^-105 times the sum of their sizes, and 0 where two doubles
 * hold the sum, so that cancellation to 0 is seen as such.  Products below 2^-968, whose rest may
 * be lost, count with 2^-1074 each.  What overflows is not finite, and nothing is shown by it. */
#ifndef PERP_LINALG_EXACT_SUM_H
#define PERP_LINALG_EXACT_SUM_H

#include <math.h>

#include "linalg/twofold.h"

typedef struct perp_exact_sum {
    double high, low, bound;
} perp_exact_sum;

typedef struct perp_interval {
    double below, above;
} perp_interval;

static inline void perp_exact_add(perp_exact_sum *sum, double x)
{
    perp_twofold first = perp_twofold_sum(sum->high, x);
    perp_twofold second = perp_twofold_sum(sum->low, first.low);
    sum->high = first.high;
    sum->low = second.high;
    sum->bound += fabs(second.low);
}

static inline void perp_exact_add_product(perp_exact_sum *sum, double a, double b)
{
    double product = a * b;
    if (a == 0.0 || b == 0.0)
        return;
    perp_exact_add(sum, product);
    perp_exact_add(sum, fma(a, b, -product));
    if (fabs(product) < 0x1p-968)
        sum->bound += 0x1p-1074;
}

static inline double perp_up(double x)
{
    return nextafter(x, INFINITY);
}

static inline double perp_down(double x)
{
    return nextafter(x, -INFINITY);
}

/* a + b and a b, not less than they are. */
static inline double perp_sum_up(double a, double b)
{
    perp_twofold sum = perp_twofold_sum(a, b);
    return sum.low == 0.0 || sum.low < 0.0 ? sum.high : perp_up(sum.high);
}

static inline double perp_product_up(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : perp_up(a * b);
}

static inline double perp_product_down(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : perp_down(a * b);
}

/* Where the sum lies; above a NaN: anywhere. */
static inline perp_interval perp_exact_interval(const perp_exact_sum *sum)
{
    perp_twofold s = perp_twofold_sum(sum->high, sum->low);
    double spread = sum->bound == 0.0 ? 0.0 : perp_up(sum->bound * (1.0 + 0x1p-20));
    perp_interval in = {s.high, s.high};
    if (s.low == 0.0 && spread == 0.0)
        return in;
    double up = perp_up(s.low + spread), down = perp_down(s.low - spread);
    if (!(spread == 0.0 && s.low < 0.0))
        in.above = perp_up(s.high + up);
    if (!(spread == 0.0 && s.low > 0.0))
        in.below = perp_down(s.high + down);
    return in;
}

#endif
