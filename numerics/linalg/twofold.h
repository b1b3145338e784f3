/* SPDX-License-Identifier: BSD-3-Clause */
/* A number as the unevaluated sum of two doubles, |low| <= ulp(high) / 2: 31 digits or
 * so ([Dekker1971]; [HidaEtAl2001]).  For the few sums that cancel too much. */
#ifndef PERP_LINALG_TWOFOLD_H
#define PERP_LINALG_TWOFOLD_H

#include <math.h>

typedef struct perp_twofold {
    double high, low;
} perp_twofold;

static inline perp_twofold perp_twofold_of(double high, double low)
{
    double sum = high + low;
    return (perp_twofold){sum, low - (sum - high)};
}

/* a + b for any two doubles. */
static inline perp_twofold perp_twofold_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (perp_twofold){sum, (a - (sum - part)) + (b - part)};
}

static inline perp_twofold perp_twofold_add(perp_twofold a, perp_twofold b)
{
    perp_twofold sum = perp_twofold_sum(a.high, b.high);
    return perp_twofold_of(sum.high, sum.low + (a.low + b.low));
}

static inline perp_twofold perp_twofold_subtract(perp_twofold a, perp_twofold b)
{
    return perp_twofold_add(a, (perp_twofold){-b.high, -b.low});
}

static inline perp_twofold perp_twofold_times(perp_twofold a, double b)
{
    double product = a.high * b;
    return perp_twofold_of(product, fma(a.high, b, -product) + a.low * b);
}

static inline perp_twofold perp_twofold_product(perp_twofold a, perp_twofold b)
{
    double product = a.high * b.high;
    double rest = fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
    return perp_twofold_of(product, rest);
}

static inline perp_twofold perp_twofold_quotient(perp_twofold a, perp_twofold b)
{
    double first = a.high / b.high;
    perp_twofold rest = perp_twofold_subtract(a, perp_twofold_times(b, first));
    double second = rest.high / b.high;
    rest = perp_twofold_subtract(rest, perp_twofold_times(b, second));
    perp_twofold quotient = perp_twofold_of(first, second);
    return perp_twofold_add(quotient, (perp_twofold){rest.high / b.high, 0.0});
}

/* Of a >= 0. */
static inline perp_twofold perp_twofold_root(perp_twofold a)
{
    if (!(a.high > 0.0))
        return (perp_twofold){0.0, 0.0};
    double root = sqrt(a.high), square = root * root;
    perp_twofold rest = perp_twofold_subtract(a, (perp_twofold){square, fma(root, root, -square)});
    return perp_twofold_of(root, rest.high / (2.0 * root));
}

#endif
