/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/integrators/contact_mode.h"

#include <math.h>

double perp_contact_scale(const perp_step *step)
{
    double scale = 0.0;
    for (int k = 0; k < step->nlinks; k++)
        for (int i = 0; step->links[k]->active && i < step->links[k]->rows; i++)
            scale = fmax(scale, fabs(step->links[k]->lambda[i]));
    return scale;
}

static enum perp_mode slides(const double *lambda, const perp_law *law)
{
    double along = law->dim == 2 ? fabs(lambda[1]) : hypot(lambda[1], lambda[2]);
    if (law->mu == 0.0 || along < law->mu * lambda[0] * (1.0 - 1e-6))
        return PERP_MODE_CLOSED;
    return law->dim == 2 && lambda[1] > 0.0 ? PERP_MODE_BACKWARD : PERP_MODE_FORWARD;
}

static enum perp_mode at_bound(double lambda, const perp_law *law)
{
    double width = law->hi - law->lo;
    double near = 1e-6 * (isfinite(width)     ? width
                          : isfinite(law->lo) ? fabs(law->lo)
                          : isfinite(law->hi) ? fabs(law->hi)
                                              : 1.0);
    if (lambda - law->lo <= near)
        return PERP_MODE_FORWARD;
    return law->hi - lambda <= near ? PERP_MODE_BACKWARD : PERP_MODE_CLOSED;
}

enum perp_mode perp_contact_mode_of(const perp_link *link, int r, double scale)
{
    const double *lambda = link->lambda + r * link->law.dim;
    if (!link->active || !link->on[r])
        return PERP_MODE_OPEN;
    perp_law law = perp_link_law(link, r);
    switch (law.kind) {
    case PERP_LAW_EQUALITY:
        return PERP_MODE_CLOSED;
    case PERP_LAW_BOX:
        return at_bound(lambda[0], &law);
    case PERP_LAW_FRICTION:
        return lambda[0] <= 1e-9 * scale ? PERP_MODE_OPEN : slides(lambda, &law);
    default:
        return lambda[0] > 1e-9 * scale ? PERP_MODE_CLOSED : PERP_MODE_OPEN;
    }
}
