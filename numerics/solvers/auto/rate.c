/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/rate.h"

#include <math.h>

void perp_rate_start(perp_rate *rate)
{
    rate->count = 0;
    rate->low = INFINITY;
}

/* Of a full record each other point is dropped. */
static void thin_out(perp_rate *rate)
{
    for (int k = 0; 2 * k < rate->count; k++) {
        rate->iteration[k] = rate->iteration[2 * k];
        rate->best[k] = rate->best[2 * k];
    }
    rate->count = (rate->count + 1) / 2;
}

void perp_rate_add(perp_rate *rate, int iteration, double error)
{
    if (rate->count == PERP_RATE_POINTS)
        thin_out(rate);
    if (error < rate->low)
        rate->low = error;
    rate->iteration[rate->count] = iteration;
    rate->best[rate->count++] = log(rate->low > 0.0 ? rate->low : 1e-300);
}

double perp_rate_missing(const perp_rate *rate, double tol)
{
    int last = rate->count - 1, from = 0;
    if (last < 1)
        return INFINITY;
    while (from + 1 < last && 2 * rate->iteration[from] < rate->iteration[last])
        from++;
    double fall = rate->best[from] - rate->best[last], above = rate->best[last] - log(tol);
    if (above <= 0.0)
        return 0.0;
    return fall > 0.0 ? above * (rate->iteration[last] - rate->iteration[from]) / fall : INFINITY;
}
