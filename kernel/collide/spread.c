/* SPDX-License-Identifier: BSD-3-Clause */
/* Which points of a contact are kept where there are more than are of use.  What lies as low as the
 * lowest carries: of those first, then of all, each time the one farthest from those kept. */
#include <math.h>

#include "kernel/collide/convex.h"

/* Of `same` and of a distance: what rounding makes of gaps and of places. */
static const double OF_GAPS = 1e-6, OF_PLACES = 1e-9;

double perp_touch_distance2(const perp_touch *x, const perp_touch *y)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++)
        square += (x->at.point_a[k] - y->at.point_a[k]) * (x->at.point_a[k] - y->at.point_a[k]);
    return square;
}

/* The one farthest from those kept whose gap is at most this; -1: all are. */
static int farthest(const double *away, const perp_touch *points, int count, double gap)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (points[i].at.gap <= gap && away[i] > 0.0 &&
            (best < 0 || away[i] > away[best] * (1.0 + OF_PLACES)))
            best = i;
    return best;
}

int perp_touch_spread(int *chosen, const perp_touch *points, int count, int most, double same)
{
    double away[PERP_TOUCHES];
    int kept = 0, next = 0;
    for (int i = 0; i < count; i++) {
        away[i] = INFINITY;
        if (points[i].at.gap < points[next].at.gap - OF_GAPS * same)
            next = i;
    }
    double low = count > 0 ? points[next].at.gap + same : 0.0;
    while (kept < most && count > 0 && next >= 0) {
        chosen[kept++] = next;
        for (int i = 0; i < count; i++)
            away[i] = fmin(away[i], perp_touch_distance2(&points[i], &points[next]));
        next = farthest(away, points, count, low);
        if (next < 0)
            next = farthest(away, points, count, INFINITY);
    }
    return kept;
}
